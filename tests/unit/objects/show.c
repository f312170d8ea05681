/* Documents as text: a plain recursion over values, which checks what value.h promises on its way. */
#include "tests/unit/objects/show.h"

/* Bytes of the character at the start, or 0 where it is no UTF-8, or NUL. */
static size_t character_len(struct mu_str s) {
    const unsigned char *c = (const unsigned char *)s.ptr;
    size_t len = c[0] < 0x80 ? 1 : c[0] < 0xC2 ? 0 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : c[0] < 0xF5 ? 4 : 0;
    if (c[0] == 0 || len > s.len)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((c[i] & 0xC0) != 0x80)
            return 0;
    bool overlong = (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xF0 && c[1] < 0x90);
    bool beyond = (c[0] == 0xED && c[1] > 0x9F) || (c[0] == 0xF4 && c[1] > 0x8F);
    return overlong || beyond ? 0 : len;
}

static void show_string(struct mu_show *show, struct mu_str s) {
    mu_buf_add_char(&show->buf, '"');
    for (size_t i = 0; i < s.len;) {
        size_t len = character_len(mu_str_slice(s, i, s.len));
        MU_ASSERT(len > 0);
        unsigned char c = (unsigned char)s.ptr[i];
        if (c == '"' || c == '\\')
            mu_buf_add_char(&show->buf, '\\');
        if (c < 0x20)
            mu_buf_printf(&show->buf, "\\u%04x", c);
        else
            mu_buf_add(&show->buf, mu_str_slice(s, i, i + len));
        i += len;
    }
    mu_buf_add_char(&show->buf, '"');
}

static void check_number(struct mu_str s) {
    MU_ASSERT(s.len > 0 && s.ptr[0] != '+' && s.ptr[0] != '.' && s.ptr[s.len - 1] != '.');
    for (size_t i = 0; i < s.len; i++)
        MU_ASSERT(s.ptr[i] != 0 && strchr("0123456789+-.eE", s.ptr[i]) != NULL);
}

static void show_object(struct mu_show *show, const struct mu_value *value) {
    mu_buf_add_char(&show->buf, '{');
    for (size_t i = 0; i < value->object.len; i++) {
        if (i > 0)
            mu_buf_add_char(&show->buf, ',');
        show_string(show, value->object.fields[i].key);
        mu_buf_add_char(&show->buf, ':');
        mu_show_value(show, &value->object.fields[i].value);
    }
    mu_buf_add_char(&show->buf, '}');
}

static void show_array(struct mu_show *show, const struct mu_value *value) {
    mu_buf_add_char(&show->buf, '[');
    for (size_t i = 0; i < value->array.len; i++) {
        if (i > 0)
            mu_buf_add_char(&show->buf, ',');
        mu_show_value(show, &value->array.items[i]);
    }
    mu_buf_add_char(&show->buf, ']');
}

void mu_show_value(struct mu_show *show, const struct mu_value *value) {
    switch (value->type) {
    case MU_VALUE_NULL:
        mu_buf_add(&show->buf, MU_STR("null"));
        break;
    case MU_VALUE_BOOL:
        mu_buf_add(&show->buf, value->boolean ? MU_STR("true") : MU_STR("false"));
        break;
    case MU_VALUE_NUMBER:
        check_number(value->text);
        mu_buf_add(&show->buf, value->text);
        break;
    case MU_VALUE_STRING:
        show_string(show, value->text);
        break;
    case MU_VALUE_ARRAY:
        show_array(show, value);
        break;
    case MU_VALUE_OBJECT:
        show_object(show, value);
        break;
    }
    if (show->lines)
        mu_buf_printf(&show->buf, "@%u", value->line);
}

int mu_show_document(void *ctx, const struct mu_value *document, const struct mu_place *place, struct mu_err *err) {
    (void)err;
    struct mu_show *show = ctx;
    mu_buf_printf(&show->buf, "%u:%u ", place->document, place->line);
    mu_show_value(show, document);
    mu_buf_add_char(&show->buf, '\n');
    return MU_OK;
}
