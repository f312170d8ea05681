/* A cluster for tests of the core: written in YAML, read as the program reads it, and its groups built.
 *
 *     struct cluster *c = cluster_new();
 *     cluster_add(c, "kind: PodGroup ...");
 *     cluster_pod(c, "train-0", (struct pod){.spec = "schedulingGroup: {podGroupName: train}"});
 *     const struct mu_group *g = cluster_group(c, "train");
 *     cluster_free(c); */
#ifndef MU_TESTS_UNIT_CORE_CLUSTER_H
#define MU_TESTS_UNIT_CORE_CLUSTER_H

#include "scheduler/core/groups.h"
#include "tests/lib/suite.h"

#define NOW "2026-03-02T12:00:00Z"

struct cluster {
    struct mu_arena *arena;
    struct mu_buf yaml;
    struct mu_store *store; /* NULL until the groups are asked for */
    struct mu_groups *groups;
    struct mu_groups_input input;
    struct mu_settings settings;
    struct mu_profile profiles[2]; /* "muster" and "second" */
};

struct cluster *cluster_new(void);
void cluster_free(struct cluster *c);

/* One document. */
void cluster_add(struct cluster *c, const char *format, ...) MU_PRINTF(2, 3);

/* What a pod has besides its name; flow mappings without their braces. */
struct pod {
    const char *namespace; /* "default" */
    const char *labels, *annotations, *meta, *spec;
    const char *scheduler; /* "muster" */
    const char *status;    /* "phase: Pending" */
    const char *created;   /* at eight in the morning */
};
void cluster_pod(struct cluster *c, const char *name, struct pod pod);
/* NAME-0 to NAME-(count - 1), alike. */
void cluster_pods(struct cluster *c, const char *name, int count, struct pod pod);
/* The same, bound to node n1 and running. */
void cluster_running(struct cluster *c, const char *name, struct pod pod);

/* Reads what was added and builds the groups. Once; the lookups below do so where it was not done. */
void cluster_build(struct cluster *c);
/* The only group of that name; the test fails where there is none, or another. */
const struct mu_group *cluster_group(struct cluster *c, const char *name);
const struct mu_group_pod *cluster_group_pod(struct cluster *c, const char *name);
struct mu_str cluster_text(const struct cluster *c, mu_sym sym);
mu_sym cluster_sym(struct cluster *c, const char *text);

/* Everything that is known of the groups, in words: equal groups have equal texts. */
struct mu_str cluster_print(struct cluster *c, const struct mu_groups *groups);

#define ASSERT_SYM(c, sym, text)                                                                                       \
    do {                                                                                                               \
        ck_assert_msg(mu_str_eq(cluster_text((c), (sym)), mu_str_from(text)), "%s is \"%.*s\", not \"%s\"", #sym,      \
                      MU_STR_ARG(cluster_text((c), (sym))), (text));                                                   \
    } while (0)

/* Decision, reason, and a text that the message has. */
#define ASSERT_DECIDED(thing, decision_, reason_, has)                                                                 \
    do {                                                                                                               \
        const __typeof__(*(thing)) *thing_ = (thing);                                                                  \
        ck_assert_str_eq(mu_reason_name(thing_->reason), mu_reason_name(reason_));                                     \
        ck_assert_str_eq(mu_decision_name(thing_->decision), mu_decision_name(decision_));                             \
        ck_assert_msg(memmem(thing_->message.ptr ? thing_->message.ptr : "", thing_->message.len, (has), strlen(has)), \
                      "the message is \"%.*s\", without \"%s\"", MU_STR_ARG(thing_->message), (has));                  \
    } while (0)

/* Left to the search. */
#define ASSERT_OPEN(group)                                                                                             \
    do {                                                                                                               \
        const struct mu_group *group_ = (group);                                                                       \
        ck_assert_msg(group_->reason == MU_REASON_NONE, "it is decided, %s: %.*s", mu_reason_name(group_->reason),     \
                      MU_STR_ARG(group_->message));                                                                    \
    } while (0)

#endif
