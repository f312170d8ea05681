/* Value: looking things up in a tree. */
#include "scheduler/objects/value.h"

const struct mu_value *mu_value_get(const struct mu_value *value, const char *key) {
    if (value == NULL || value->type != MU_VALUE_OBJECT)
        return NULL;
    struct mu_str wanted = mu_str_from(key);
    for (size_t i = 0; i < value->object.len; i++) {
        const struct mu_field *field = &value->object.fields[i];
        if (mu_str_eq(field->key, wanted))
            return field->value.type == MU_VALUE_NULL ? NULL : &field->value;
    }
    return NULL;
}

const char *mu_value_type_name(enum mu_value_type type) {
    switch (type) {
    case MU_VALUE_NULL:
        return "null";
    case MU_VALUE_BOOL:
        return "boolean";
    case MU_VALUE_NUMBER:
        return "number";
    case MU_VALUE_STRING:
        return "string";
    case MU_VALUE_ARRAY:
        return "array";
    case MU_VALUE_OBJECT:
        return "object";
    }
    return "unknown";
}
