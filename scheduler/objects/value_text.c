/* A value as JSON text. */
#include "scheduler/objects/value_text.h"

static void add_string(struct mu_buf *buf, struct mu_str s) {
    mu_buf_add_char(buf, '"');
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c == '"' || c == '\\') {
            mu_buf_add_char(buf, '\\');
            mu_buf_add_char(buf, (char)c);
        } else if (c < ' ') {
            mu_buf_printf(buf, "\\u%04x", c);
        } else {
            mu_buf_add_char(buf, (char)c);
        }
    }
    mu_buf_add_char(buf, '"');
}

static void add_array(struct mu_buf *buf, const struct mu_value *value) {
    mu_buf_add_char(buf, '[');
    for (size_t i = 0; i < value->array.len; i++) {
        if (i > 0) {
            mu_buf_add_char(buf, ',');
        }
        mu_value_add_text(buf, &value->array.items[i]);
    }
    mu_buf_add_char(buf, ']');
}

static void add_object(struct mu_buf *buf, const struct mu_value *value) {
    mu_buf_add_char(buf, '{');
    for (size_t i = 0; i < value->object.len; i++) {
        if (i > 0) {
            mu_buf_add_char(buf, ',');
        }
        add_string(buf, value->object.fields[i].key);
        mu_buf_add_char(buf, ':');
        mu_value_add_text(buf, &value->object.fields[i].value);
    }
    mu_buf_add_char(buf, '}');
}

void mu_value_add_text(struct mu_buf *buf, const struct mu_value *value) {
    switch (value->type) {
    case MU_VALUE_NULL:
        mu_buf_add(buf, MU_STR("null"));
        return;
    case MU_VALUE_BOOL:
        mu_buf_add(buf, value->boolean ? MU_STR("true") : MU_STR("false"));
        return;
    case MU_VALUE_NUMBER:
        mu_buf_add(buf, value->text);
        return;
    case MU_VALUE_STRING:
        add_string(buf, value->text);
        return;
    case MU_VALUE_ARRAY:
        add_array(buf, value);
        return;
    case MU_VALUE_OBJECT:
        add_object(buf, value);
        return;
    }
}
