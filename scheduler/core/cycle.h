/* Cycle: the decision core's one entry. A pure function of snapshot, settings and clock. */
#ifndef MU_CORE_CYCLE_H
#define MU_CORE_CYCLE_H

#include "scheduler/core/plan.h"
#include "scheduler/core/snapshot.h"

/* Decides every group of ours that has pending pods, in the order of contract 3.11, each on top of what was decided for
 * those before it. The snapshot's objects stay as they are; what the plan places is in its tentative state on return
 * and goes with mu_snapshot_rollback() to a mark taken before. The plan and all in it live in `arena` (borrowed) and
 * point into the snapshot's objects. Errors: MU_E_NOMEM. */
int mu_cycle(struct mu_snapshot *snapshot, const struct mu_settings *settings, int64_t now_ns, struct mu_arena *arena,
             struct mu_plan **ret_plan, struct mu_err *err) MU_MUST_USE;

#endif
