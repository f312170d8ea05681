/* Value: one JSON-like tree, whichever text it came from. Lives in an arena; nothing of a parser's types leaves here.
 *
 * Numbers keep their text, since Kubernetes quantities are exact: `0.1` and 1e30 stay what the user wrote. */
#ifndef MU_OBJECTS_VALUE_H
#define MU_OBJECTS_VALUE_H

#include "scheduler/base/str.h"

enum mu_value_type {
    MU_VALUE_NULL = 0,
    MU_VALUE_BOOL,
    MU_VALUE_NUMBER, /* text: as written (from JSON: the shortest text that means the same number) */
    MU_VALUE_STRING,
    MU_VALUE_ARRAY,
    MU_VALUE_OBJECT
};

struct mu_value {
    enum mu_value_type type;
    uint32_t line; /* 1-based line of the text; 0 where the parser does not tell */
    union {
        bool boolean;
        struct mu_str text; /* NUMBER and STRING; valid UTF-8 without NUL */
        struct {
            const struct mu_value *items;
            size_t len;
        } array;
        struct {
            const struct mu_field *fields; /* in the order of the text; no key twice */
            size_t len;
        } object;
    };
};

struct mu_field {
    struct mu_str key;
    struct mu_value value;
};

/* The field's value, or NULL where `value` is NULL, no object, or has no such field, or the field is null. */
const struct mu_value *mu_value_get(const struct mu_value *value, const char *key);
/* "object", "array", "string", "number", "boolean", "null", for error texts. */
const char *mu_value_type_name(enum mu_value_type type);

#endif
