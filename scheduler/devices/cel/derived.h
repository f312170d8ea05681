/* CEL for derived attributes (KEP-5732): expressions whose value is an attribute's, not a bool alone. */
#ifndef MU_DEVICES_CEL_DERIVED_H
#define MU_DEVICES_CEL_DERIVED_H

#include "scheduler/devices/cel/cel.h"

struct mu_cel_derived; /* a compiled expression; opaque, immutable, lives in its arena */

/* Compiles an expression of any type that an attribute can have: bool, int, string, version, or a list of one of these.
 * Errors as mu_cel_compile(). */
int mu_cel_derived_compile(struct mu_arena *arena, struct mu_str expression, unsigned features,
                           const struct mu_cel_derived **ret, struct mu_err *err) MU_MUST_USE;

/* Evaluates. What *ret points to lies in `arena`; `scratch` is another one, used during the call and rolled back. Errors
 * as mu_cel_match(); MU_E_INVALID also where the value is none of an attribute's. *ret_cost as there. */
int mu_cel_derived_evaluate(const struct mu_cel_derived *derived, const struct mu_cel_device *device,
                            struct mu_arena *scratch, struct mu_arena *arena, struct mu_cel_value *ret,
                            int64_t *ret_cost, struct mu_err *err) MU_MUST_USE;

#endif
