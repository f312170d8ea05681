/* CEL selectors and derived attributes: each expression is compiled once, and evaluated once for all devices that are
 * equal as far as an expression can see. What came out of it depends on what is published alone, so it outlives every
 * change of who holds what. */
#ifndef MU_DEVICES_SELECTORS_H
#define MU_DEVICES_SELECTORS_H

#include "scheduler/devices/state.h"

enum mu_selector_answer {
    MU_SELECTOR_NO = 0,
    MU_SELECTOR_YES,
    MU_SELECTOR_NOT_COMPILED, /* the expression is none */
    MU_SELECTOR_FAILED        /* it is, but not for this device */
};

struct mu_programs *mu_programs_create(struct mu_alloc *alloc);
/* The index of the expression's program. */
uint32_t mu_program(struct mu_alloc *alloc, mu_sym expression);
/* False where the expression is none, with why; the text lives as long as the state. */
bool mu_program_compiles(const struct mu_alloc *alloc, uint32_t program, struct mu_str *ret_text);
/* Does the device match? *ret_text gets what is wrong where something is; it lives as long as the state. */
enum mu_selector_answer mu_program_match(struct mu_alloc *alloc, uint32_t program, uint32_t entry,
                                         struct mu_str *ret_text);

/* The value of a derived attribute (KEP-5732) of the device, or NULL with what is wrong. Lives as long as the state.
 * *ret_cost is what evaluating it costs, once known or not. */
const struct mu_device_attribute *mu_derive(struct mu_alloc *alloc, mu_sym expression, uint32_t entry,
                                            int64_t *ret_cost, struct mu_str *ret_text);

/* Gives each entry its shape: equal ones see no difference between their devices. */
void mu_shapes_lay_out(struct mu_alloc *alloc);

#endif
