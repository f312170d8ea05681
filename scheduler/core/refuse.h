/* Refusals: why a group, or a pod beyond its group's minimum, was not placed, in the contract's words. */
#ifndef MU_CORE_REFUSE_H
#define MU_CORE_REFUSE_H

#include "scheduler/core/placement.h"
#include "scheduler/core/plan.h"

/* Nodes that one rule refuses with one phrase, or that are outside the domain that was looked at. */
struct mu_blocker {
    const struct mu_plugin *plugin; /* NULL: outside the domain, or (text empty) the class fits there */
    struct mu_str text;
    mu_sym subject; /* what the phrase is about, a resource say; 0: nothing */
    uint32_t nodes;
    uint32_t order; /* of the rule among the profile's: later ones are nearer to fitting */
    uint32_t was;   /* number before sorting */
};

struct mu_blockers {
    struct mu_blocker *items; /* nearest to fitting first, then most nodes; their nodes add up to all */
    uint32_t len;
    uint32_t nodes;
};

/* Sorts all nodes by what keeps one more pod of the class off them as things stand. Memory is `arena`'s. If ret_of is
 * not NULL, *ret_of gets the number of its blocker for each node slot. */
struct mu_blockers mu_refuse_blockers(struct mu_try *t, uint32_t cls, struct mu_arena *arena, uint32_t **ret_of);

/* Fills in reason and message of a group whose minimum found no place (`found`: how the search ended) and of its ready
 * pods. `reserved` are slots of the pods that others nominated and that count here. The try has nothing placed, before
 * and after. Strings live in `arena`. */
void mu_refuse_group(struct mu_try *t, enum mu_found found, const uint32_t *reserved, uint32_t reserved_len,
                     struct mu_plan_group *group, struct mu_arena *arena);

/* Reason and message for one more pod of the class beyond what is placed. */
void mu_refuse_surplus(struct mu_try *t, uint32_t cls, enum mu_reason *ret_reason, struct mu_str *ret_message,
                       struct mu_arena *arena);

#endif
