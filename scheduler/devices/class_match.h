/* For reports: which classes a published device belongs to, and which physical card it is. Nobody's holdings matter. */
#ifndef MU_DEVICES_CLASS_MATCH_H
#define MU_DEVICES_CLASS_MATCH_H

#include "scheduler/devices/allocator.h"

enum mu_class_match {
    MU_CLASS_MATCH_NO = 0,
    MU_CLASS_MATCH_YES,
    MU_CLASS_MATCH_FAILED /* a selector is no CEL, does not compile, or fails for this device */
};

/* Do all selectors of the class match the device, as its pool's newest generation publishes it? One that is not
 * published matches nothing. *ret_text gets what is wrong of FAILED; it lives as long as the state. */
enum mu_class_match mu_alloc_class_match(struct mu_alloc *alloc, const struct mu_device_class *class, mu_sym driver,
                                         mu_sym pool, mu_sym device, struct mu_str *ret_text);

/* The number of the physical card that the device is or is a part of, where several drivers publish that card (see
 * mu_alloc_input.one_card_one_driver); UINT32_MAX: no other driver does. */
uint32_t mu_alloc_card(const struct mu_alloc *alloc, mu_sym driver, mu_sym pool, mu_sym device);

#endif
