/* Placement: a whole group on the cluster: which children of a composite, which domain for each unit, and then, by the
 * solvers, which node for each pod. */
#ifndef MU_CORE_PLACEMENT_H
#define MU_CORE_PLACEMENT_H

#include "scheduler/core/try.h"

/* Places the minimum of a fresh try (all parts closed, rules set), or nothing. With `topology` false, topology keys
 * and wishes are left out. Wishes (preferred topology) are tried first, nearest first, with a part of the budget. */
enum mu_found mu_place_minimum(struct mu_try *t, bool topology);

/* After the minimum: children of composites beyond it, each whole, then every other ready pod, one by one, in the
 * order of their names. What does not fit is left. */
void mu_place_surplus(struct mu_try *t);

/* For explanations: chooses the domains in which most members fit, places as many of the needed members as fit there,
 * and opens all parts that are needed. */
void mu_place_partly(struct mu_try *t, bool topology);

#endif
