/* What the conformance tests of CEL have in common: reading a corpus file, and telling how each case went. */
#ifndef MU_TESTS_CONFORMANCE_CORPUS_H
#define MU_TESTS_CONFORMANCE_CORPUS_H

#include "scheduler/objects/value.h"

/* Calls fn with each document of the file. 0, or an error; MU_E_IO where the file is not there. Strings live in the
 * arena. */
int mu_corpus_read(struct mu_arena *arena, const char *path,
                   int (*fn)(void *ctx, const struct mu_value *document, struct mu_err *err), void *ctx,
                   struct mu_err *err) MU_MUST_USE;

/* The text with the NUL characters that its file has; mu_corpus_read() puts another in their place. */
struct mu_str mu_corpus_show_nul(struct mu_arena *arena, struct mu_str text);
/* The text of a field; empty where there is none. */
struct mu_str mu_corpus_text(const struct mu_value *object, const char *field);
/* Is the field there, and true? */
bool mu_corpus_flag(const struct mu_value *object, const char *field);
/* The items of an array; *ret_len 0 where it is none. */
const struct mu_value *mu_corpus_items(const struct mu_value *object, const char *field, size_t *ret_len);

#endif
