/* CEL beyond selectors: any variables, any result, without checking, and cel-spec's environment. For the tests that hold
 * the evaluator to the language's definition; what selectors use stands on it too. */
#ifndef MU_DEVICES_CEL_GENERAL_H
#define MU_DEVICES_CEL_GENERAL_H

#include "scheduler/devices/cel/checker.h"

struct mu_cel_binding {
    struct mu_str name;
    struct mu_cel_val value;
};

/* Where the offsets of named time zones come from: they are in files, which this library does not read. */
struct mu_cel_zones {
    /* False where there is no such zone. */
    bool (*offset)(void *ctx, struct mu_str zone, int64_t unix_s, int32_t *ret_s);
    void *ctx;
};

struct mu_cel_general {
    struct mu_cel_environment environment;
    bool unchecked;
    size_t bytes_max; /* of the text; 0: MU_CEL_EXPRESSION_BYTES */
};

/* Names of variables that are bound are the environment's. Errors: MU_E_INVALID. */
int mu_cel_general_compile(struct mu_arena *arena, struct mu_str expression, const struct mu_cel_general *general,
                           const struct mu_cel **ret, struct mu_err *err) MU_MUST_USE;
/* The value, which lives in `arena`; run-time errors are values too. `bindings` are in the order of the environment's
 * variables. Errors: MU_E_LIMIT. */
int mu_cel_general_evaluate(const struct mu_cel *program, const struct mu_cel_binding *bindings,
                            const struct mu_cel_zones *zones, struct mu_arena *arena, struct mu_cel_val *ret,
                            int64_t *ret_cost, struct mu_err *err) MU_MUST_USE;

/* The type of its result. */
const struct mu_cel_decl *mu_cel_result_type(const struct mu_cel *program);
/* The most that an evaluation can cost, estimated as Kubernetes does when a selector is stored; saturating. */
uint64_t mu_cel_cost_max(const struct mu_cel *program);

#endif
