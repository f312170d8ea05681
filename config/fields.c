/* See fields.h. */
#include "config/fields.h"

#include "scheduler/objects/time.h"
#include <inttypes.h>
#include <stdio.h>

enum { PATH_BYTES = 256 /* longer ways are cut; the line still tells */ };

struct mu_config_at mu_config_document(const struct mu_value *document, const struct mu_place *place,
                                       struct mu_err *err) {
    return (struct mu_config_at){.value = document, .place = place, .err = err};
}

struct mu_config_at mu_config_item(const struct mu_config_at *list, size_t index) {
    return (struct mu_config_at){
        .up = list,
        .value = &list->value->array.items[index],
        .index = index,
        .place = list->place,
        .err = list->err,
    };
}

const struct mu_config_at *mu_config_keep(struct mu_arena *arena, const struct mu_config_at *at) {
    struct mu_config_at *copy = MU_NEW(arena, struct mu_config_at);
    *copy = *at;
    if (at->up)
        copy->up = mu_config_keep(arena, at->up);
    return copy;
}

struct mu_config_at mu_config_field_at(const struct mu_config_at *object, const struct mu_field *field) {
    return (struct mu_config_at){
        .up = object, .value = &field->value, .key = field->key, .place = object->place, .err = object->err};
}

/* Appends the way to `at`; returns the length that it has now. */
static size_t print_path(const struct mu_config_at *at, char *path, size_t len) {
    if (!at->up)
        return len;
    len = print_path(at->up, path, len);
    size_t room = len < PATH_BYTES ? PATH_BYTES - len : 0;
    int more = at->key.ptr
                   ? snprintf(path + PATH_BYTES - room, room, "%s" MU_STR_FMT, len ? "." : "", MU_STR_ARG(at->key))
                   : snprintf(path + PATH_BYTES - room, room, "[%zu]", at->index);
    return len + (more > 0 ? (size_t)more : 0);
}

/* The line of the value, or of the nearest thing around it that has one. */
static uint32_t line_of(const struct mu_config_at *at) {
    for (; at; at = at->up)
        if (at->value->line > 0)
            return at->value->line;
    return 0;
}

int mu_config_fail(const struct mu_config_at *at, const char *format, ...) {
    char path[PATH_BYTES] = "", what[448], line[32] = "";
    print_path(at, path, 0);
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (line_of(at) > 0)
        snprintf(line, sizeof line, "line %" PRIu32 ": ", line_of(at));
    return mu_err_set(at->err, MU_E_USAGE, MU_STR_FMT ": %s%s%s%s", MU_STR_ARG(at->place->file), line, path,
                      path[0] ? ": " : "", what);
}

int mu_config_want(const struct mu_config_at *at, enum mu_value_type type, const char *what) {
    if (at->value->type == type)
        return 0;
    const char *name = mu_value_type_name(at->value->type);
    const char *article = at->value->type == MU_VALUE_NULL ? "" : strchr("aeiou", name[0]) ? "an " : "a ";
    return mu_config_fail(at, "must be %s, not %s%s", what, article, name);
}

static const char *known_fields(const struct mu_config_field *fields, size_t fields_len, char *text, size_t size) {
    size_t len = 0;
    for (size_t f = 0; f < fields_len && len < size; f++)
        len += (size_t)snprintf(text + len, size - len, "%s%s", f ? ", " : "", fields[f].name);
    return text;
}

static int refuse_unknown(const struct mu_config_at *at, const struct mu_config_field *fields, size_t fields_len) {
    for (size_t i = 0; i < at->value->object.len; i++) {
        const struct mu_field *given = &at->value->object.fields[i];
        size_t f = 0;
        while (f < fields_len && !mu_str_eq(given->key, mu_str_from(fields[f].name)))
            f++;
        if (f < fields_len)
            continue;
        char known[128] = "";
        const struct mu_config_at field = mu_config_field_at(at, given);
        return mu_config_fail(&field, "there is no such field; there are %s",
                              known_fields(fields, fields_len, known, sizeof known));
    }
    return 0;
}

int mu_config_object(const struct mu_config_at *at, const struct mu_config_field *fields, size_t fields_len,
                     void *ctx) {
    int r = mu_config_want(at, MU_VALUE_OBJECT, "an object");
    if (r == 0)
        r = refuse_unknown(at, fields, fields_len);
    for (size_t f = 0; r == 0 && f < fields_len; f++) {
        bool given = false;
        for (size_t i = 0; r == 0 && i < at->value->object.len; i++) {
            const struct mu_config_at field = mu_config_field_at(at, &at->value->object.fields[i]);
            if (mu_str_eq(field.key, mu_str_from(fields[f].name))) {
                given = true;
                r = fields[f].read(ctx, &field);
            }
        }
        if (r == 0 && !given && fields[f].required)
            r = mu_config_fail(at, "%s is missing", fields[f].name);
    }
    return r;
}

int mu_config_i64(const struct mu_config_at *at, int64_t min, int64_t max, int64_t *ret) {
    int r = mu_config_want(at, MU_VALUE_NUMBER, "a whole number");
    if (r != 0)
        return r;
    int64_t number;
    if (!mu_str_to_i64(at->value->text, &number) || number < min || number > max)
        return mu_config_fail(at, "must be a whole number from %" PRId64 " to %" PRId64 ", not " MU_STR_FMT, min, max,
                              MU_STR_ARG(at->value->text));
    *ret = number;
    return 0;
}

int mu_config_bool(const struct mu_config_at *at, bool *ret) {
    int r = mu_config_want(at, MU_VALUE_BOOL, "true or false");
    if (r == 0)
        *ret = at->value->boolean;
    return r;
}

int mu_config_str(const struct mu_config_at *at, struct mu_str *ret) {
    int r = mu_config_want(at, MU_VALUE_STRING, "a string");
    if (r == 0 && at->value->text.len == 0)
        r = mu_config_fail(at, "must not be empty");
    if (r == 0)
        *ret = at->value->text;
    return r;
}

int mu_config_duration(const struct mu_config_at *at, bool may_never, int64_t *ret_ns) {
    const char *what = may_never ? "a duration such as 90s or 1h30m, or never" : "a duration such as 90s or 1h30m";
    int r = mu_config_want(at, MU_VALUE_STRING, what);
    if (r != 0)
        return r;
    if (may_never && mu_str_eq(at->value->text, MU_STR("never"))) {
        *ret_ns = MU_TIME_NONE;
        return 0;
    }
    int64_t ns;
    if (!mu_duration_parse(at->value->text, &ns))
        return mu_config_fail(at, "must be %s, not \"" MU_STR_FMT "\"", what, MU_STR_ARG(at->value->text));
    *ret_ns = ns;
    return 0;
}
