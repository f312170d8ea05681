/* Times and durations: RFC 3339 with fractions; nanoseconds since 1970-01-01T00:00:00Z. */
#ifndef MU_OBJECTS_TIME_H
#define MU_OBJECTS_TIME_H

#include "scheduler/base/str.h"

/* No time was given. Sorts before every time. */
#define MU_TIME_NONE INT64_MIN

/* False where the text is no RFC 3339 time (a leap second counts as the second after). What lies beyond int64
 * nanoseconds (1677 to 2262) is cut to it. */
bool mu_time_parse(struct mu_str text, int64_t *ret_ns);
/* "2026-12-01T03:30:00Z", with as many digits of the fraction as are needed. */
struct mu_str mu_time_print(struct mu_arena *arena, int64_t ns);

/* Durations as Kubernetes writes them in metav1.Duration ("1h30m", "90s", "1.5h", "250ms"); never negative here. */
bool mu_duration_parse(struct mu_str text, int64_t *ret_ns);
/* "90s", "10m", "1h30m". */
struct mu_str mu_duration_print(struct mu_arena *arena, int64_t ns);

#endif
