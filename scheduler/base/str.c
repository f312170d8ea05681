/* Strings: comparison, copies, numbers, and the builder. */
#include "scheduler/base/str.h"

#include <stdio.h>

enum {
    BUF_FIRST = 64,     /* bytes: a builder that is used at all mostly makes a line */
    PRINTF_FIRST = 256, /* bytes: names and most sentences fit, and need not be formatted twice */
};

int mu_str_cmp(struct mu_str a, struct mu_str b) {
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common > 0 ? memcmp(a.ptr, b.ptr, common) : 0;
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

bool mu_str_starts(struct mu_str s, struct mu_str prefix) {
    return s.len >= prefix.len && mu_str_eq(mu_str_slice(s, 0, prefix.len), prefix);
}

bool mu_str_ends(struct mu_str s, struct mu_str suffix) {
    return s.len >= suffix.len && mu_str_eq(mu_str_slice(s, s.len - suffix.len, s.len), suffix);
}

ptrdiff_t mu_str_index(struct mu_str s, char c) {
    const char *found = s.len > 0 ? memchr(s.ptr, c, s.len) : NULL;
    return found != NULL ? found - s.ptr : -1;
}

struct mu_str mu_str_slice(struct mu_str s, size_t from, size_t to) {
    to = to < s.len ? to : s.len;
    from = from < to ? from : to;
    return (struct mu_str){from > 0 ? s.ptr + from : s.ptr, to - from};
}

bool mu_str_to_i64(struct mu_str s, int64_t *ret) {
    bool negative = s.len > 0 && s.ptr[0] == '-';
    size_t i = s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+');
    if (i == s.len)
        return false;
    int64_t value = 0;
    for (; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9')
            return false;
        int digit = s.ptr[i] - '0';
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, negative ? -digit : digit, &value))
            return false;
    }
    *ret = value;
    return true;
}

struct mu_str mu_str_dup(struct mu_arena *arena, struct mu_str s) {
    if (s.len == SIZE_MAX)
        mu_arena_exhausted(arena);
    char *copy = mu_arena_alloc(arena, s.len + 1, 1);
    if (s.len > 0)
        memcpy(copy, s.ptr, s.len);
    copy[s.len] = '\0';
    return (struct mu_str){copy, s.len};
}

/* Room for `more` bytes and the terminating 0. */
static void buf_reserve(struct mu_buf *buf, size_t more) {
    size_t need;
    if (__builtin_add_overflow(buf->len, more, &need) || need > SIZE_MAX / 2)
        mu_arena_exhausted(buf->arena);
    need++;
    if (need <= buf->size)
        return;
    size_t size = buf->size > 0 ? buf->size * 2 : BUF_FIRST;
    size = size < need ? need : size;
    buf->ptr = mu_arena_grow(buf->arena, buf->ptr, buf->size, size, 1);
    buf->size = size;
}

static void buf_vprintf(struct mu_buf *buf, const char *format, va_list args) MU_PRINTF(2, 0);
static void buf_vprintf(struct mu_buf *buf, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    buf_reserve(buf, 0);
    int wanted = vsnprintf(buf->ptr + buf->len, buf->size - buf->len, format, args);
    if (wanted < 0) /* past INT_MAX */
        mu_arena_exhausted(buf->arena);
    if ((size_t)wanted >= buf->size - buf->len) {
        buf->ptr[buf->len] = '\0'; /* whole again should the next line not return */
        buf_reserve(buf, (size_t)wanted);
        vsnprintf(buf->ptr + buf->len, buf->size - buf->len, format, again);
    }
    va_end(again);
    buf->len += (size_t)wanted;
}

struct mu_str mu_str_printf(struct mu_arena *arena, const char *format, ...) {
    char first[PRINTF_FIRST];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int wanted = vsnprintf(first, sizeof first, format, args);
    va_end(args);
    if (wanted < 0) /* past INT_MAX */
        mu_arena_exhausted(arena);
    size_t len = (size_t)wanted;
    char *text = mu_arena_alloc(arena, len + 1, 1);
    if (len < sizeof first)
        memcpy(text, first, len + 1);
    else
        vsnprintf(text, len + 1, format, again);
    va_end(again);
    return (struct mu_str){text, len};
}

void mu_buf_init(struct mu_buf *buf, struct mu_arena *arena) {
    *buf = (struct mu_buf){.arena = arena};
}

void mu_buf_add(struct mu_buf *buf, struct mu_str s) {
    buf_reserve(buf, s.len);
    if (s.len > 0)
        memcpy(buf->ptr + buf->len, s.ptr, s.len);
    buf->len += s.len;
    buf->ptr[buf->len] = '\0';
}

void mu_buf_add_char(struct mu_buf *buf, char c) {
    mu_buf_add(buf, (struct mu_str){&c, 1});
}

void mu_buf_printf(struct mu_buf *buf, const char *format, ...) {
    va_list args;
    va_start(args, format);
    buf_vprintf(buf, format, args);
    va_end(args);
}

void mu_buf_clear(struct mu_buf *buf) {
    buf->len = 0;
    if (buf->ptr != NULL)
        buf->ptr[0] = '\0';
}
