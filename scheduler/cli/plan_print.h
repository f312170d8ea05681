/* A plan for people and for programs. */
#ifndef MU_CLI_PLAN_PRINT_H
#define MU_CLI_PLAN_PRINT_H

#include "scheduler/cli/terminal.h"
#include "scheduler/core/explain.h"
#include "scheduler/core/plan.h"
#include "scheduler/objects/store.h"
#include "scheduler/objects/writer.h"

/* What is printed, and where memory for it comes from. */
struct mu_plan_view {
    const struct mu_plan *plan;
    const struct mu_store *store;       /* that the plan was made for */
    const struct mu_settings *settings; /* likewise */
    struct mu_arena *arena;
};

/* One pod that the plan evicts, and the first group that it is evicted for. */
struct mu_eviction {
    const struct mu_pod *pod;
    const struct mu_plan_group *by;
};

/* All victims of all groups, each once, sorted by namespace and name. */
struct mu_eviction *mu_plan_evictions(const struct mu_plan_view *view, size_t *ret_len);
/* "Preempted", or why a group's own pods go. */
const char *mu_eviction_reason(const struct mu_plan_group *by);

/* How a group, or a pod, is called: "namespace/name". */
struct mu_str mu_full_name(const struct mu_plan_view *view, mu_sym namespace, mu_sym name);

/* The object of contract, section 2. */
void mu_plan_write(const struct mu_plan_view *view, struct mu_writer *writer);

/* One element of its `groups`. */
void mu_plan_write_group(const struct mu_plan_view *view, const struct mu_plan_group *group, struct mu_writer *writer);

/* wide: with queues, minimums, and a line for each pod. */
void mu_plan_print(const struct mu_plan_view *view, const struct mu_terminal *terminal, bool wide);

enum mu_tone mu_decision_tone(enum mu_decision decision);
/* Said by the group's own message already, which often quotes the member that stands most in the way. */
bool mu_plan_said(const struct mu_plan_group *group, struct mu_str message);

/* A few names and how many there are besides: "a, b, c and 7 more". */
struct mu_name_list {
    struct mu_buf text;
    size_t len;
};
void mu_name_list_add(struct mu_name_list *list, struct mu_str name, size_t most);
struct mu_str mu_name_list_end(struct mu_name_list *list, size_t most);

/* Everything known about one group: its members, and for each kind of member what each rule says about the nodes. */
void mu_explanation_print(const struct mu_plan_view *view, const struct mu_plan_group *group,
                          const struct mu_explanation *explanation, const struct mu_terminal *terminal);
void mu_explanation_write(const struct mu_plan_view *view, const struct mu_plan_group *group,
                          const struct mu_explanation *explanation, struct mu_writer *writer);

#endif
