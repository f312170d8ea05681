/* Errors: a code for the program, a sentence for people.
 *
 * Every function that can fail returns 0 or a negative MU_E code and takes, as its last parameter, a caller-owned
 * `struct mu_err *` that may be NULL. On success the error is left untouched. Nothing here allocates or logs. */
#ifndef MU_BASE_ERR_H
#define MU_BASE_ERR_H

#include <stdarg.h>
#include <stddef.h>

enum mu_code {
    MU_OK = 0,
    MU_E_NOMEM = -1,  /* memory, or a named limit of memory, is used up */
    MU_E_IO = -2,     /* a file or stream could not be read or written */
    MU_E_PARSE = -3,  /* the text is not what it must be: syntax, wrong type, a quantity that is none */
    MU_E_LIMIT = -4,  /* a named limit of limits.h is passed */
    MU_E_USAGE = -5,  /* the caller's words are off: options, configuration */
    MU_E_INVALID = -6 /* well formed, but makes no sense */
};

struct mu_err {
    int code;       /* one of enum mu_code; 0 while nothing went wrong */
    char text[512]; /* one sentence without a final newline; cut at the end where longer, never unterminated */
};

#define MU_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define MU_MUST_USE __attribute__((warn_unused_result))
#define MU_CLEANUP(fn) __attribute__((cleanup(fn)))

/* Sets code and text and returns `code`, so that a failing function can `return mu_err_set(...)`. err may be NULL. */
int mu_err_set(struct mu_err *err, int code, const char *format, ...) MU_PRINTF(3, 4);

/* Puts "PREFIX: " before the text of an error that is set, and returns its code. One that is not set yet becomes
 * `code` with the prefix as its text. err may be NULL (returns `code`). */
int mu_err_wrap(struct mu_err *err, int code, const char *format, ...) MU_PRINTF(3, 4);

/* Ends the process with the place and the expression: for broken invariants only, never for input or memory. */
_Noreturn void mu_assert_failed(const char *file, int line, const char *expression);

#define MU_ASSERT(x) ((x) ? (void)0 : mu_assert_failed(__FILE__, __LINE__, #x))

#endif
