/* The one place where the program looks at the clock. */
#ifndef MU_CLI_CLOCK_H
#define MU_CLI_CLOCK_H

#include "scheduler/base/err.h"
#include <stdint.h>

/* The wall clock, in nanoseconds since 1970. */
int64_t mu_clock_now(void);
/* The value of --now. Errors: MU_E_USAGE. */
int mu_clock_parse(const char *text, int64_t *ret_ns, struct mu_err *err) MU_MUST_USE;

#endif
