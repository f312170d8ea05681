/* Numbers from and to text, as Go's strconv has them, whatever the locale. */
#ifndef MU_DEVICES_CEL_NUMBERS_H
#define MU_DEVICES_CEL_NUMBERS_H

#include "scheduler/base/str.h"

/* Decimal digits, or 0x and hexadecimal ones where `hex` allows. False where it is none or does not fit. */
bool mu_cel_read_natural(struct mu_str text, bool hex, uint64_t *ret);
/* With an optional sign, which an unsigned number has not. */
bool mu_cel_read_int(struct mu_str text, int64_t *ret);
/* Decimal, with sign, point and exponent; "Inf", "Infinity", "NaN" in any case. False also where it is past all doubles. */
bool mu_cel_read_double(struct mu_str text, double *ret);

/* The shortest digits that read back as the same double; exponents below -4 and from 6 on are written ("1e+06"). */
struct mu_str mu_cel_write_double(struct mu_arena *arena, double value);
/* As printf's %.*f and %.*e with a point; +Inf, -Inf, NaN. */
struct mu_str mu_cel_write_fixed(struct mu_arena *arena, double value, int precision);
struct mu_str mu_cel_write_scientific(struct mu_arena *arena, double value, int precision);

#endif
