/* Whom a card that is given out in shares may be shared with (`sharing` of the configuration). */
#ifndef MU_DEVICES_SHARING_H
#define MU_DEVICES_SHARING_H

#include "scheduler/devices/state.h"

/* Who a share of a device through this class would belong to. */
struct mu_sharer mu_sharer(const struct mu_alloc *alloc, const struct mu_claim *claim, mu_sym queue, mu_sym class);
/* The same for a share that the claim has. */
struct mu_sharer mu_sharer_of_result(const struct mu_alloc *alloc, const struct mu_claim *claim, mu_sym queue,
                                     const struct mu_device_result *result);
/* Somebody has one more share of the device, or gives back one. Without any rule nobody is remembered. */
void mu_sharers_add(struct mu_alloc *alloc, uint32_t holding, struct mu_sharer sharer);
void mu_sharers_remove(struct mu_alloc *alloc, uint32_t holding, struct mu_sharer sharer);

#endif
