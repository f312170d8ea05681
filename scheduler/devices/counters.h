/* Shared counters of partitionable devices (KEP-4815) and compatibility groups (KEP-5963): what partitions of one card
 * take from each other. */
#ifndef MU_DEVICES_COUNTERS_H
#define MU_DEVICES_COUNTERS_H

#include "scheduler/devices/state.h"

/* Fills the pool's sets and counters from its slices, and says what is wrong with them in pool->reasons. */
void mu_counters_lay_out(struct mu_alloc *alloc, struct mu_pool *pool);
/* Fills the entry's charges. The pool must be laid out. */
void mu_counters_lay_out_entry(struct mu_alloc *alloc, const struct mu_pool *pool, struct mu_entry *entry);

/* The device's first holder comes, or its last one goes. */
void mu_counters_charge(struct mu_alloc *alloc, uint32_t entry);
void mu_counters_give_back(struct mu_alloc *alloc, uint32_t entry);

/* May the device be charged? Upstream looks at all counters of the pool: where one is overdrawn already, none of its
 * devices with counters is given out. */
bool mu_counters_allow(struct mu_alloc *alloc, uint32_t entry);
/* Do its compatibility groups go with those of the devices in use on its counter sets? A device without groups goes
 * only with others that have none. */
bool mu_groups_allow(const struct mu_alloc *alloc, uint32_t entry);

#endif
