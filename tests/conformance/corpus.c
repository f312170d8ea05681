/* Reading a corpus file. */
#include "tests/conformance/corpus.h"
#include "scheduler/objects/reader.h"

#include <stdio.h>

/* NUL in a string, which the project's own reader refuses: it passes as a character that the corpora do not have. */
#define NUL_STAND_IN "\\uF8FF"
#define NUL_STAND_IN_TEXT "\xef\xa3\xbf"

static void hide_nul(char *text, size_t len) {
    for (size_t i = 0; i + 6 <= len; i++) {
        if (text[i] != '\\')
            continue;
        if (memcmp(text + i, "\\u0000", 6) == 0)
            memcpy(text + i, NUL_STAND_IN, 6);
        i++; /* what is escaped is no escape */
    }
}

struct mu_str mu_corpus_show_nul(struct mu_arena *arena, struct mu_str text) {
    struct mu_buf out;
    mu_buf_init(&out, arena);
    for (size_t i = 0; i < text.len; i++) {
        bool nul = text.len - i >= 3 && memcmp(text.ptr + i, NUL_STAND_IN_TEXT, 3) == 0;
        mu_buf_add_char(&out, nul ? '\0' : text.ptr[i]);
        i += nul ? 2 : 0;
    }
    return out.len ? mu_buf_str(&out) : MU_STR("");
}

struct reading {
    int (*fn)(void *ctx, const struct mu_value *document, struct mu_err *err);
    void *ctx;
};

static int pass_on(void *ctx, const struct mu_value *document, const struct mu_place *place, struct mu_err *err) {
    const struct reading *reading = ctx;
    return reading->fn(reading->ctx, document, err);
}

int mu_corpus_read(struct mu_arena *arena, const char *path,
                   int (*fn)(void *ctx, const struct mu_value *document, struct mu_err *err), void *ctx,
                   struct mu_err *err) {
    FILE *in = fopen(path, "rbe");
    if (in == NULL)
        return mu_err_set(err, MU_E_IO, "%s cannot be opened", path);
    struct mu_buf text;
    mu_buf_init(&text, arena);
    char part[4096];
    for (size_t n; (n = fread(part, 1, sizeof part, in)) > 0;)
        mu_buf_add(&text, (struct mu_str){part, n});
    fclose(in);
    hide_nul(text.ptr, text.len);
    struct reading reading = {fn, ctx};
    struct mu_read_options options = {.owner = arena};
    return mu_read_bytes_with(&options, mu_buf_str(&text), mu_str_from(path), pass_on, &reading, err);
}

struct mu_str mu_corpus_text(const struct mu_value *object, const char *field) {
    const struct mu_value *value = mu_value_get(object, field);
    bool text = value != NULL && (value->type == MU_VALUE_STRING || value->type == MU_VALUE_NUMBER);
    return text ? value->text : (struct mu_str){0};
}

bool mu_corpus_flag(const struct mu_value *object, const char *field) {
    const struct mu_value *value = mu_value_get(object, field);
    return value != NULL && value->type == MU_VALUE_BOOL && value->boolean;
}

const struct mu_value *mu_corpus_items(const struct mu_value *object, const char *field, size_t *ret_len) {
    const struct mu_value *value = mu_value_get(object, field);
    bool array = value != NULL && value->type == MU_VALUE_ARRAY;
    *ret_len = array ? value->array.len : 0;
    return array ? value->array.items : NULL;
}
