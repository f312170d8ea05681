/* See clock.h. */
#include "scheduler/cli/clock.h"

#include "scheduler/objects/time.h"
#include <time.h>

int64_t mu_clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int mu_clock_parse(const char *text, int64_t *ret_ns, struct mu_err *err) {
    if (mu_time_parse(mu_str_from(text), ret_ns))
        return 0;
    return mu_err_set(err, MU_E_USAGE, "--now is a time such as 2026-12-01T03:30:00Z, not \"%s\"", text);
}
