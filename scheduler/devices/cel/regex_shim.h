/* RE2 for C. No exception passes through. */
#ifndef MU_DEVICES_CEL_REGEX_SHIM_H
#define MU_DEVICES_CEL_REGEX_SHIM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mu_re2;

/* NULL where memory is used up. Otherwise ask mu_re2_error(). */
struct mu_re2 *mu_re2_create(const char *pattern, size_t len, size_t memory_bytes);
void mu_re2_destroy(struct mu_re2 *re);
/* What is wrong with the pattern; NULL where nothing is. Lives as long as `re`. */
const char *mu_re2_error(const struct mu_re2 *re);
/* The size of the program that it compiles to, in instructions. */
size_t mu_re2_size(const struct mu_re2 *re);
/* 1 where there is a match at or after `from`, and where it is; 0 where there is none. */
int mu_re2_find(const struct mu_re2 *re, const char *text, size_t len, size_t from, size_t *ret_start, size_t *ret_end);

#ifdef __cplusplus
}
#endif

#endif
