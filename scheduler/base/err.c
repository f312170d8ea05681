/* Errors: formatting into the caller's record, and the end of the process where an invariant is broken. */
#include "scheduler/base/err.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Removes a UTF-8 sequence that a cut has left incomplete at the end. Text that was no UTF-8 stays as it is. */
static void drop_partial_rune(char *text, size_t len) {
    size_t start = len;
    while (start > 0 && len - start < 3 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        start--;
    if (start == 0)
        return;
    unsigned char lead = (unsigned char)text[start - 1];
    size_t follow = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    if (len - start < follow)
        text[start - 1] = '\0';
}

/* Formats at text[at], cutting where the room ends; returns the new length. */
static size_t format_at(char *text, size_t size, size_t at, const char *format, va_list args) MU_PRINTF(4, 0);
static size_t format_at(char *text, size_t size, size_t at, const char *format, va_list args) {
    int wanted = vsnprintf(text + at, size - at, format, args);
    if (wanted < 0) /* nothing could be formatted, and an error must not fail: keep what there was */
        text[at] = '\0';
    bool cut = wanted >= 0 && (size_t)wanted >= size - at;
    if (cut)
        drop_partial_rune(text, size - 1);
    return strlen(text);
}

int mu_err_set(struct mu_err *err, int code, const char *format, ...) {
    if (err == NULL)
        return code;
    /* The arguments may point into err itself, so that it is written last. */
    struct mu_err made = {.code = code};
    va_list args;
    va_start(args, format);
    format_at(made.text, sizeof made.text, 0, format, args);
    va_end(args);
    *err = made;
    return code;
}

int mu_err_wrap(struct mu_err *err, int code, const char *format, ...) {
    if (err == NULL)
        return code;
    struct mu_err made = {.code = err->code != MU_OK ? err->code : code};
    va_list args;
    va_start(args, format);
    size_t len = format_at(made.text, sizeof made.text, 0, format, args);
    va_end(args);
    if (err->code != MU_OK) {
        int wanted = snprintf(made.text + len, sizeof made.text - len, ": %s", err->text);
        if (wanted >= 0 && (size_t)wanted >= sizeof made.text - len)
            drop_partial_rune(made.text, sizeof made.text - 1);
    }
    *err = made;
    return made.code;
}

_Noreturn void mu_assert_failed(const char *file, int line, const char *expression) {
    fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, expression);
    abort();
}
