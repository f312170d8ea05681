/* Regular expressions: RE2 behind C, as Go's regexp package has them (RE2 syntax, leftmost first). Matching takes time in
 * proportion to text and pattern, whatever they are. */
#ifndef MU_DEVICES_CEL_REGEX_H
#define MU_DEVICES_CEL_REGEX_H

#include "scheduler/devices/cel/value.h"

struct mu_cel_regex;

/* NULL where the pattern is none, or compiles to more than its limit; the error's text says why. Released with the
 * arena. */
const struct mu_cel_regex *mu_cel_regex_compile(struct mu_arena *arena, struct mu_str pattern, struct mu_err *err);
/* The first match at or after `from`; false where there is none. */
bool mu_cel_regex_find(const struct mu_cel_regex *regex, struct mu_str text, size_t from, struct mu_str *ret);
/* What one character of text takes at most, in steps. */
uint64_t mu_cel_regex_steps(const struct mu_cel_regex *regex);

#endif
