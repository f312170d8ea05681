/* UTF-8, as Go reads it: what is no valid sequence counts as one character of one byte, U+FFFD. */
#ifndef MU_DEVICES_CEL_UNICODE_H
#define MU_DEVICES_CEL_UNICODE_H

#include "scheduler/base/str.h"

enum { MU_RUNE_ERROR = 0xfffd, MU_RUNE_MAX = 0x10ffff };

/* The character at text.ptr[at], at < text.len; *ret_len is its bytes. */
uint32_t mu_rune_at(struct mu_str text, size_t at, size_t *ret_len);
size_t mu_rune_count(struct mu_str text);
/* The byte offset of character number `index`; text.len where there are not so many. */
size_t mu_rune_offset(struct mu_str text, size_t index);
bool mu_utf8_valid(struct mu_str text);
/* Writes 1 to 4 bytes; returns how many. */
size_t mu_rune_put(char out[4], uint32_t rune);

#endif
