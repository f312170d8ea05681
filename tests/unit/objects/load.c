#include "tests/unit/objects/load.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct reading {
    struct loaded *loaded;
    struct mu_str yaml;
};

static int read_all(void *ctx, struct mu_err *err) {
    struct reading *reading = ctx;
    reading->loaded->store = mu_store_create(reading->loaded->arena);
    int code = mu_read_bytes(reading->yaml, MU_STR("test.yaml"), mu_store_add, reading->loaded->store, err);
    return code != 0 ? code : mu_store_finish(reading->loaded->store, err);
}

struct loaded load_bytes(struct mu_str yaml, const struct mu_memory *memory) {
    struct loaded loaded = {.arena = mu_arena_create(0, memory)};
    if (loaded.arena == NULL) {
        loaded.code = MU_E_NOMEM;
        return loaded;
    }
    struct reading reading = {&loaded, yaml};
    loaded.code = mu_arena_run(loaded.arena, read_all, &reading, &loaded.err);
    return loaded;
}

struct loaded load(const char *yaml) {
    return load_bytes(mu_str_from(yaml), NULL);
}

static void must_be_fine(const struct loaded *loaded) {
    ck_assert_msg(loaded->code == 0, "%s", loaded->err.text);
}

struct loaded load_ok(const char *yaml) {
    struct loaded loaded = load(yaml);
    must_be_fine(&loaded);
    return loaded;
}

struct loaded load_printf(const char *format, ...) {
    char *text;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&text, format, args);
    va_end(args);
    ck_assert_int_ge(len, 0);
    struct loaded loaded = load_ok(text);
    free(text);
    return loaded;
}

void unload(struct loaded *loaded) {
    mu_arena_destroy(loaded->arena);
    *loaded = (struct loaded){0};
}

const char *text_of(const struct loaded *loaded, mu_sym sym) {
    return sym == 0 ? "" : mu_text(&loaded->store->symbols, sym).ptr;
}

mu_sym sym_of(const struct loaded *loaded, const char *text) {
    mu_sym sym = mu_symbol_find(&loaded->store->symbols, mu_str_from(text));
    ck_assert_msg(sym != 0, "no symbol %s", text);
    return sym;
}

static int cmp_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Joins the words with spaces, sorted. */
static const char *join(const struct loaded *loaded, const char **words, size_t len) {
    struct mu_buf buf;
    mu_buf_init(&buf, loaded->arena);
    mu_buf_add(&buf, MU_STR(""));
    qsort(words, len, sizeof *words, cmp_texts);
    for (size_t i = 0; i < len; i++) {
        mu_buf_printf(&buf, "%s%s", i == 0 ? "" : " ", words[i]);
    }
    return buf.ptr;
}

const char *amounts_text(const struct loaded *loaded, const struct mu_amount *amounts, size_t len) {
    const char **words = MU_NEW_ARRAY(loaded->arena, const char *, len + 1);
    for (size_t i = 0; i < len; i++) {
        words[i] =
            mu_str_printf(loaded->arena, "%s=%" PRId64, text_of(loaded, amounts[i].resource), amounts[i].amount).ptr;
    }
    return join(loaded, words, len);
}

const char *labels_text(const struct loaded *loaded, const struct mu_labels *labels) {
    const char **words = MU_NEW_ARRAY(loaded->arena, const char *, labels->len + 1);
    for (size_t i = 0; i < labels->len; i++) {
        words[i] = mu_str_printf(loaded->arena, "%s=%s", text_of(loaded, labels->items[i].key),
                                 text_of(loaded, labels->items[i].value))
                       .ptr;
    }
    return join(loaded, words, labels->len);
}

const char *syms_text(const struct loaded *loaded, const mu_sym *syms, size_t len) {
    struct mu_buf buf;
    mu_buf_init(&buf, loaded->arena);
    mu_buf_add(&buf, MU_STR(""));
    for (size_t i = 0; i < len; i++) {
        mu_buf_printf(&buf, "%s%s", i == 0 ? "" : " ", text_of(loaded, syms[i]));
    }
    return buf.ptr;
}

const char *pod_names(const struct loaded *loaded) {
    struct mu_buf buf;
    mu_buf_init(&buf, loaded->arena);
    mu_buf_add(&buf, MU_STR(""));
    for (size_t i = 0; i < loaded->store->pods.len; i++) {
        const struct mu_meta *meta = &loaded->store->pods.items[i]->meta;
        mu_buf_printf(&buf, "%s%s/%s", i == 0 ? "" : " ", text_of(loaded, meta->namespace),
                      text_of(loaded, meta->name));
    }
    return buf.ptr;
}

const struct mu_pod *pod_of(const struct loaded *loaded, const char *name) {
    for (size_t i = 0; i < loaded->store->pods.len; i++) {
        if (strcmp(text_of(loaded, loaded->store->pods.items[i]->meta.name), name) == 0) {
            return loaded->store->pods.items[i];
        }
    }
    ck_abort_msg("no pod %s among %s", name, pod_names(loaded));
    return NULL;
}

const char *notes_text(const struct loaded *loaded) {
    struct mu_buf buf;
    mu_buf_init(&buf, loaded->arena);
    mu_buf_add(&buf, MU_STR(""));
    for (size_t i = 0; i < loaded->store->notes.len; i++) {
        const struct mu_note *note = &loaded->store->notes.items[i];
        mu_buf_printf(&buf, "%s" MU_STR_FMT "\n", note->unplanned ? "! " : "", MU_STR_ARG(note->text));
    }
    return buf.ptr;
}

struct mu_str dump_of(const struct loaded *loaded) {
    return mu_canon_store(loaded->store, loaded->arena);
}
