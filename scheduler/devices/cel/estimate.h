/* Estimates of what an expression can cost at most, as the API server makes them of selectors (cel-go's checker.Cost with
 * Kubernetes' estimator and the sizes that a device may have). */
#ifndef MU_DEVICES_CEL_ESTIMATE_H
#define MU_DEVICES_CEL_ESTIMATE_H

#include "scheduler/devices/cel/ast.h"

/* Of a checked tree whose ids are below `ids`. UINT64_MAX: no bound. */
uint64_t mu_cel_estimate(struct mu_arena *arena, const struct mu_cel_expr *root, uint32_t ids);

#endif
