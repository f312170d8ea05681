/* Device taints and their tolerations (KEP-5055): of slices, and of DeviceTaintRules. */
#ifndef MU_DEVICES_TAINTS_H
#define MU_DEVICES_TAINTS_H

#include "scheduler/devices/state.h"

bool mu_taint_tolerated(const struct mu_device_taint *taint, const struct mu_device_toleration *tolerations,
                        uint32_t len);
/* The rule taints that device. One that makes no sense taints nothing. */
bool mu_taint_rule_is_for(const struct mu_taint_rule *rule, const struct mu_slice *slice, mu_sym device);
/* A taint with effect NoSchedule or NoExecute that the request does not tolerate keeps it off the device. */
bool mu_taints_forbid(const struct mu_alloc *alloc, uint32_t entry, const struct mu_device_ask *ask);

#endif
