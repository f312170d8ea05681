/* Values and types of cel-spec's tests (cel.expr.Value and cel.expr.Type as JSON), and whether a value is one. */
#ifndef MU_TESTS_CONFORMANCE_SPEC_VALUE_H
#define MU_TESTS_CONFORMANCE_SPEC_VALUE_H

#include "scheduler/devices/cel/cel_general.h"
#include "scheduler/devices/cel/functions.h"
#include "tests/conformance/corpus.h"

struct mu_cel_val mu_spec_value(struct mu_arena *arena, const struct mu_value *value);
/* dyn for what there is no type of here. */
const struct mu_cel_decl *mu_spec_type(struct mu_arena *arena, const struct mu_value *type);
bool mu_spec_equal(struct mu_arena *arena, struct mu_cel_val value, const struct mu_value *wanted);

#endif
