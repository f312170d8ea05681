/* Strict reading of fields, private to this folder: every error names file, line and the way to the field. */
#ifndef MU_CONFIG_FIELDS_H
#define MU_CONFIG_FIELDS_H

#include "scheduler/objects/reader.h"

/* A value and the way to it: a chain on the stack that ends at the document. */
struct mu_config_at {
    const struct mu_config_at *up; /* NULL: the document */
    const struct mu_value *value;
    struct mu_str key; /* of a field; ptr NULL: an item of a list */
    size_t index;      /* of an item */
    const struct mu_place *place;
    struct mu_err *err;
};

struct mu_config_at mu_config_document(const struct mu_value *document, const struct mu_place *place,
                                       struct mu_err *err);
struct mu_config_at mu_config_field_at(const struct mu_config_at *object, const struct mu_field *field);
struct mu_config_at mu_config_item(const struct mu_config_at *list, size_t index);

/* A copy of a place, with the way to it, that lives as long as the arena (and, for its values, the document). */
const struct mu_config_at *mu_config_keep(struct mu_arena *arena, const struct mu_config_at *at);

/* Sets "FILE: line N: PATH: ..." and returns MU_E_USAGE. */
int mu_config_fail(const struct mu_config_at *at, const char *format, ...) MU_PRINTF(2, 3);

/* Errors where the value is of another type. `what` says what is wanted, "a duration such as 90s". */
int mu_config_want(const struct mu_config_at *at, enum mu_value_type type, const char *what) MU_MUST_USE;

/* One field that an object may have, and what reads it. */
struct mu_config_field {
    const char *name;
    int (*read)(void *ctx, const struct mu_config_at *at);
    bool required;
};

/* Reads every field of an object in the order of `fields`, so that the first mistake named does not depend on how the
 * object is sorted. A field that is none of these is an error, a required one that is absent too. */
int mu_config_object(const struct mu_config_at *at, const struct mu_config_field *fields, size_t fields_len, void *ctx)
    MU_MUST_USE;

int mu_config_i64(const struct mu_config_at *at, int64_t min, int64_t max, int64_t *ret) MU_MUST_USE;
int mu_config_bool(const struct mu_config_at *at, bool *ret) MU_MUST_USE;
/* A string that is not empty; borrowed from the document. */
int mu_config_str(const struct mu_config_at *at, struct mu_str *ret) MU_MUST_USE;
/* A duration. may_never: also the word `never`, which is MU_TIME_NONE. */
int mu_config_duration(const struct mu_config_at *at, bool may_never, int64_t *ret_ns) MU_MUST_USE;

#endif
