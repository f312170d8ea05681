/* Arguments of plugins, as the configuration has them. */
#ifndef MU_PLUGINS_ARGUMENTS_H
#define MU_PLUGINS_ARGUMENTS_H

#include "scheduler/objects/value.h"

/* Errors (MU_E_USAGE, naming the field and, where known, its line): `args` is no object, or has a field that is not
 * among the `fields_len` ones named. args may be NULL: none were given. */
int mu_arguments_check(const struct mu_value *args, const char *const *fields, size_t fields_len, struct mu_err *err)
    MU_MUST_USE;

/* An integer argument from min to max; *ret is left as it is where the field is absent. MU_E_USAGE. */
int mu_arguments_integer(const struct mu_value *args, const char *field, int64_t min, int64_t max, int64_t *ret,
                         struct mu_err *err) MU_MUST_USE;

/* An argument that is one of some words; *ret becomes the word's index, and is left where the field is absent.
 * MU_E_USAGE. */
int mu_arguments_word(const struct mu_value *args, const char *field, const char *const *words, size_t words_len,
                      size_t *ret, struct mu_err *err) MU_MUST_USE;

#endif
