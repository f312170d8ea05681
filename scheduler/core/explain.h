/* Explanation: everything known about one group's decision, for `muster plan --explain`. */
#ifndef MU_CORE_EXPLAIN_H
#define MU_CORE_EXPLAIN_H

#include "scheduler/core/plan.h"
#include "scheduler/core/snapshot.h"

/* Nodes that one rule refuses with one phrase for a class, or that take it. */
struct mu_explained_rule {
    const struct mu_plugin *plugin; /* NULL: the class fits on these nodes */
    struct mu_str text;             /* the phrase, subject put in; "" where they fit */
    const mu_sym *nodes;            /* sorted by name */
    uint32_t nodes_len;
    int64_t room; /* where they fit: how many pods of the class they take together */
};

struct mu_explained_class {
    const struct mu_pod *const *pods; /* members of the class, sorted by name */
    uint32_t pods_len;
    const struct mu_explained_rule *rules; /* those that fit first, then nearest to fitting first; nodes add up */
    uint32_t rules_len;
    struct mu_str remedy; /* what would make one more member fit: one sentence, or "" */
};

struct mu_explanation {
    const struct mu_explained_class *classes;
    uint32_t classes_len;
    uint32_t nodes;           /* of the cluster */
    uint32_t members_fitting; /* members that the plan places, or, of a group that it does not, the best attempt */
    uint32_t members_needed;  /* for its minimum, beside those that are there already */
};

/* Explains a group of a plan that mu_cycle() just made, against the state in which that group was decided (the
 * tentative state is rolled back and made anew up to it, and is left as it was). Lives in `arena`. */
int mu_explain(struct mu_snapshot *snapshot, const struct mu_settings *settings, int64_t now_ns,
               const struct mu_plan *plan, uint32_t group, struct mu_arena *arena, struct mu_explanation **ret,
               struct mu_err *err) MU_MUST_USE;

#endif
