/* Strings: a view (pointer and length, not terminated) and a growing builder that lives in an arena. */
#ifndef MU_BASE_STR_H
#define MU_BASE_STR_H

#include "scheduler/base/arena.h"
#include "scheduler/base/err.h"
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A view of bytes that someone else owns. ptr may be NULL only where len is 0. */
struct mu_str {
    const char *ptr;
    size_t len; /* bytes */
};

#define MU_STR(literal) ((struct mu_str){(literal), sizeof(literal) - 1})
#define MU_STR_FMT "%.*s"
/* The arguments for one MU_STR_FMT; cut to INT_MAX bytes. Evaluates `s` more than once. */
#define MU_STR_ARG(s) (int)((s).len < INT_MAX ? (s).len : INT_MAX), (s).len ? (s).ptr : ""

static inline struct mu_str mu_str_from(const char *text) {
    return (struct mu_str){text, text ? strlen(text) : 0};
}

static inline bool mu_str_eq(struct mu_str a, struct mu_str b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* Byte order, shorter first where one is the other's beginning: <0, 0, >0. */
int mu_str_cmp(struct mu_str a, struct mu_str b);
bool mu_str_starts(struct mu_str s, struct mu_str prefix);
bool mu_str_ends(struct mu_str s, struct mu_str suffix);
/* Index of the first `c`, or -1. */
ptrdiff_t mu_str_index(struct mu_str s, char c);
/* View of bytes [from, to), both cut to the length. */
struct mu_str mu_str_slice(struct mu_str s, size_t from, size_t to);

/* A whole string as a decimal int64, optional sign, nothing else. False where it is none or does not fit. */
bool mu_str_to_i64(struct mu_str s, int64_t *ret);

/* A copy in the arena, with a terminating 0 after its bytes. */
struct mu_str mu_str_dup(struct mu_arena *arena, struct mu_str s);
struct mu_str mu_str_printf(struct mu_arena *arena, const char *format, ...) MU_PRINTF(2, 3);

/* A builder. Always terminated: ptr[len] is 0 once anything was added. */
struct mu_buf {
    struct mu_arena *arena;
    char *ptr;
    size_t len; /* bytes, without the terminating 0 */
    size_t size;
};

void mu_buf_init(struct mu_buf *buf, struct mu_arena *arena);
void mu_buf_add(struct mu_buf *buf, struct mu_str s);
void mu_buf_add_char(struct mu_buf *buf, char c);
void mu_buf_printf(struct mu_buf *buf, const char *format, ...) MU_PRINTF(2, 3);
/* Removes everything and keeps the memory. */
void mu_buf_clear(struct mu_buf *buf);
/* The bytes so far; valid until the next change of the builder. */
static inline struct mu_str mu_buf_str(const struct mu_buf *buf) {
    return (struct mu_str){buf->ptr, buf->len};
}

#endif
