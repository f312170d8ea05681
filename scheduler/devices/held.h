/* What is wrong with what claims hold already, whoever gave it to them: devices that are gone or tainted, and more given
 * out than there is. The allocator itself never gives out too much; a scheduler that knows nothing of a second driver
 * does, and so do two schedulers side by side. */
#ifndef MU_DEVICES_HELD_H
#define MU_DEVICES_HELD_H

#include "scheduler/devices/allocator.h"

enum mu_publication {
    MU_PUBLISHED = 0,     /* in the newest generation of its pool */
    MU_PUBLISHED_NOT,     /* nowhere in that */
    MU_PUBLISHED_UNKNOWN, /* not in those of its slices that are there */
};

enum mu_publication mu_alloc_published(const struct mu_alloc *alloc, const struct mu_device_result *result);

/* The taint with effect NoExecute on the device that the result does not tolerate, or no longer at `now_ns`; NULL: there
 * is none. Who uses such a claim is to be evicted (KEP-5055). */
const struct mu_device_taint *mu_alloc_evicting_taint(const struct mu_alloc *alloc,
                                                      const struct mu_device_result *result, int64_t now_ns);

enum mu_excess_kind {
    MU_EXCESS_CAPACITY = 0, /* shares of a device take more of a capacity than it has */
    MU_EXCESS_COUNTER,      /* devices in use take more of a counter than its set has */
    MU_EXCESS_CARD          /* one card is given out by several drivers */
};

struct mu_excess_device {
    mu_sym driver, pool, device;
};

struct mu_excess {
    enum mu_excess_kind kind;
    const struct mu_excess_device *devices; /* that are held and have a part in it */
    uint32_t devices_len;
    mu_sym set;          /* of COUNTER */
    mu_sym name;         /* of the capacity or counter */
    mu_i128 held, there; /* nano; of CARD nothing */
};

/* All of that which was held with mu_alloc_hold(): capacities, counters, cards, each in the order of drivers, pools and
 * devices. In `arena`. Devices that two claims hold whole are not among them: what nobody publishes can be given out
 * twice as well, so that is for the caller to see from the results. */
const struct mu_excess *mu_alloc_excesses(const struct mu_alloc *alloc, struct mu_arena *arena, uint32_t *ret_len);

#endif
