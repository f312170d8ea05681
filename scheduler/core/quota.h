/* Quota: what queues may use, and what they do (contract, section 5).
 *
 * Each queue has an account for each resource that it limits; a queue without a limit of its own has one where its
 * children have, with the sum of theirs, and so has the root of all. What a pod uses is charged to its queue and to all
 * above it. A queue may use more than its nominal quota where others in the tree lend what they leave idle.
 *
 * Taking back what was lent is not decided yet: who comes within its own quota and finds it lent out waits. */
#ifndef MU_CORE_QUOTA_H
#define MU_CORE_QUOTA_H

#include "scheduler/core/groups.h"

struct mu_quota_table; /* the accounts, as running pods leave them */
struct mu_quota_run;   /* the same within one cycle */

/* A copy to charge, in the arena; NULL where nothing is limited. */
struct mu_quota_run *mu_quota_begin(const struct mu_groups *groups, struct mu_arena *arena);

/* Why the minimum of the unit, the group's root or a child below, is past some quota; empty: it is not. */
struct mu_str mu_quota_refusal(struct mu_quota_run *run, const struct mu_group *group, const struct mu_unit *unit,
                               struct mu_arena *arena);
/* Is there quota for one more of the group's pods? */
bool mu_quota_allows(struct mu_quota_run *run, const struct mu_group *group, const struct mu_pod *pod);
/* The pod is placed. */
void mu_quota_charge(struct mu_quota_run *run, const struct mu_group *group, const struct mu_pod *pod);

#endif
