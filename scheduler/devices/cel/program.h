/* A compiled expression. */
#ifndef MU_DEVICES_CEL_PROGRAM_H
#define MU_DEVICES_CEL_PROGRAM_H

#include "scheduler/devices/cel/cel_general.h"
#include "scheduler/devices/cel/eval.h"

struct mu_cel {
    struct mu_cel_plan plan;
    const struct mu_cel_decl *type; /* of the result; dyn where it was not checked */
    uint64_t cost_max;
    bool strict;
};

/* An expression over a device, of any type. Errors as mu_cel_compile(). */
int mu_cel_device_compile(struct mu_arena *arena, struct mu_str expression, unsigned features,
                          const struct mu_cel **ret, struct mu_err *err) MU_MUST_USE;

/* Evaluates for a device. On errors *err is set. */
int mu_cel_device_run(const struct mu_cel *program, const struct mu_cel_device *device, struct mu_arena *scratch,
                      struct mu_cel_val *ret, int64_t *ret_cost, struct mu_err *err) MU_MUST_USE;

#endif
