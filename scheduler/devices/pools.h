/* Pools: slices by driver and pool name, their generations, what is wrong with them, and what one node sees of them. */
#ifndef MU_DEVICES_POOLS_H
#define MU_DEVICES_POOLS_H

#include "scheduler/devices/state.h"

/* Lays out slices, pools and entries from the input. Errors: MU_E_LIMIT. */
int mu_pools_lay_out(struct mu_alloc *alloc, struct mu_err *err) MU_MUST_USE;

/* Can the node use what has this reach? */
bool mu_reach_matches(const struct mu_alloc *alloc, const struct mu_reach_of_device *reach, const struct mu_node *node);
/* What the node sees, in the order of allocation. Valid until the next call for any node, or the end of an
 * attempt that runs. */
const struct mu_view *mu_view_of(struct mu_alloc *alloc, const struct mu_node *node);

#endif
