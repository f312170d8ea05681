/* Kubernetes quantities (apimachinery resource.Quantity), exact: nano units in 128 bits, saturating.
 *
 * Grammar: optional sign, decimal number with at least one digit, then nothing, a decimal suffix n u m k M G T P E, a
 * binary suffix Ki Mi Gi Ti Pi Ei, or an exponent e or E with optional sign and digits. What is finer than a nano unit
 * is rounded away from zero, as Kubernetes does. */
#ifndef MU_OBJECTS_QUANTITY_H
#define MU_OBJECTS_QUANTITY_H

#include "scheduler/base/checked.h"
#include "scheduler/base/str.h"

struct mu_quantity {
    mu_i128 nano;
    bool saturated; /* the text meant more than 2^63-1 (or less than -2^63) whole units: beyond what Kubernetes holds */
};

/* False where the text is no quantity. Time and memory do not depend on the exponent's size. */
bool mu_quantity_parse(struct mu_str text, struct mu_quantity *ret);

/* Whole units or milli units, towards more or less; cut to int64. */
int64_t mu_quantity_units_up(struct mu_quantity q);
int64_t mu_quantity_units_down(struct mu_quantity q);
int64_t mu_quantity_milli_up(struct mu_quantity q);
int64_t mu_quantity_milli_down(struct mu_quantity q);

/* For people: exact, the largest suffix without a fraction ("1536Mi", "250m", "8"). binary: Ki Mi Gi before k M G. */
struct mu_str mu_quantity_print(struct mu_arena *arena, struct mu_quantity q, bool binary);

#endif
