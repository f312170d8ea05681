/* Memory that fails on purpose: the n-th allocation, or all from the n-th on. Counts what is in use, so that a test
 * sees leaks without a tool.
 *
 *     for (size_t n = 1; ...; n++) {
 *         struct mu_faults faults = {.fail_at = n};
 *         struct mu_memory memory = mu_faults_memory(&faults);
 *         ... run, expect MU_E_NOMEM where faults.failed, and faults.live == 0 at the end ...
 *         if (faults.failed == 0) break;
 *     } */
#ifndef MU_TESTS_LIB_FAULTS_H
#define MU_TESTS_LIB_FAULTS_H

#include "scheduler/base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct mu_faults {
    size_t fail_at;    /* number of the allocation that fails, from 1; 0: none does */
    bool from_then_on; /* so do all that come after it */
    size_t calls;      /* allocations asked for */
    size_t failed;     /* of them, refused */
    size_t live;       /* allocations not released yet */
};

/* Borrows `faults` for as long as the result is used. */
struct mu_memory mu_faults_memory(struct mu_faults *faults);

#endif
