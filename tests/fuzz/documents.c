/* Documents of fuzz targets. Limits are small, so that an input that uses one up does so fast. */
#include "tests/fuzz/documents.h"

#include "tests/unit/objects/show.h"

static const struct mu_read_options options = {.file_bytes_max = 1 << 20, .memory_bytes_max = 64 << 20};

/* In an array, as JSON's reader takes no scalar for a document. */
static int show_in_array(void *ctx, const struct mu_value *document, const struct mu_place *place, struct mu_err *err) {
    (void)err;
    MU_ASSERT(place->document > 0 && place->line > 0);
    struct mu_show show = {.buf = *(struct mu_buf *)ctx};
    mu_buf_add_char(&show.buf, '[');
    mu_show_value(&show, document);
    mu_buf_add(&show.buf, MU_STR("]\n"));
    *(struct mu_buf *)ctx = show.buf;
    return MU_OK;
}

static int show_as_it_is(void *ctx, const struct mu_value *document, const struct mu_place *place, struct mu_err *err) {
    (void)err, (void)place;
    struct mu_show show = {.buf = *(struct mu_buf *)ctx};
    mu_show_value(&show, document);
    mu_buf_add_char(&show.buf, '\n');
    *(struct mu_buf *)ctx = show.buf;
    return MU_OK;
}

int fuzz_read(struct mu_str bytes, const char *file, struct mu_buf *ret) {
    struct mu_err err = {0};
    struct mu_str name = mu_str_from(file);
    int code = mu_read_bytes_with(&options, bytes, name, show_in_array, ret, &err);
    MU_ASSERT(code == err.code);
    if (code == MU_OK)
        return code;
    MU_ASSERT(code == MU_E_PARSE || code == MU_E_LIMIT || code == MU_E_NOMEM);
    MU_ASSERT(mu_str_starts(mu_str_from(err.text), name) && err.text[name.len] == ':');
    for (const char *c = err.text; *c != '\0'; c++)
        MU_ASSERT((unsigned char)*c >= 0x20 && *c != 0x7F);
    return code;
}

void fuzz_check_again(struct mu_str shown) {
    if (shown.len == 0)
        return;
    const struct mu_read_options larger = {.memory_bytes_max = 256 << 20};
    struct mu_err err = {0};
    struct mu_buf again;
    struct mu_arena *arena = mu_arena_create(0, NULL);
    MU_ASSERT(arena != NULL);
    mu_buf_init(&again, arena);
    int code = mu_read_bytes_with(&larger, shown, MU_STR("again.json"), show_as_it_is, &again, &err);
    MU_ASSERT(code == MU_OK);
    MU_ASSERT(mu_str_eq(mu_buf_str(&again), shown));
    mu_arena_destroy(arena);
}
