/* Arguments of plugins: strict reading, with errors that name the field and its line. */
#include "plugins/arguments.h"

#include <inttypes.h>
#include <stdio.h>

static int refuse(const struct mu_value *at, struct mu_str field, const char *what, struct mu_err *err) {
    if (at->line > 0)
        return mu_err_set(err, MU_E_USAGE, "line %" PRIu32 ": args." MU_STR_FMT ": %s", at->line, MU_STR_ARG(field),
                          what);
    return mu_err_set(err, MU_E_USAGE, "args." MU_STR_FMT ": %s", MU_STR_ARG(field), what);
}

int mu_arguments_check(const struct mu_value *args, const char *const *fields, size_t fields_len, struct mu_err *err) {
    if (args == NULL || args->type == MU_VALUE_NULL)
        return 0;
    if (args->type != MU_VALUE_OBJECT)
        return mu_err_set(err, MU_E_USAGE, "args: must be an object, not %s", mu_value_type_name(args->type));
    for (size_t i = 0; i < args->object.len; i++) {
        const struct mu_field *given = &args->object.fields[i];
        bool known = false;
        for (size_t f = 0; f < fields_len; f++)
            known = known || mu_str_eq(given->key, mu_str_from(fields[f]));
        if (!known)
            return refuse(&given->value, given->key, "there is no such argument", err);
    }
    return 0;
}

int mu_arguments_integer(const struct mu_value *args, const char *field, int64_t min, int64_t max, int64_t *ret,
                         struct mu_err *err) {
    const struct mu_value *given = mu_value_get(args, field);
    if (given == NULL)
        return 0;
    int64_t number = 0;
    if (given->type != MU_VALUE_NUMBER || !mu_str_to_i64(given->text, &number) || number < min || number > max) {
        char what[96];
        snprintf(what, sizeof what, "must be an integer from %" PRId64 " to %" PRId64, min, max);
        return refuse(given, mu_str_from(field), what, err);
    }
    *ret = number;
    return 0;
}

int mu_arguments_word(const struct mu_value *args, const char *field, const char *const *words, size_t words_len,
                      size_t *ret, struct mu_err *err) {
    const struct mu_value *given = mu_value_get(args, field);
    if (given == NULL)
        return 0;
    for (size_t i = 0; i < words_len && given->type == MU_VALUE_STRING; i++) {
        if (mu_str_eq(given->text, mu_str_from(words[i]))) {
            *ret = i;
            return 0;
        }
    }
    char what[160] = "must be one of";
    for (size_t i = 0, at = strlen(what); i < words_len && at < sizeof what; i++)
        at += (size_t)snprintf(what + at, sizeof what - at, "%s%s", i > 0 ? ", " : " ", words[i]);
    return refuse(given, mu_str_from(field), what, err);
}
