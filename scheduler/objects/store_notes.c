/* Notes: what people must hear of an input, without ending the run. */
#include "scheduler/objects/store_index.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Of each kind so many senseless objects are named; the rest is counted. */
enum { NAMED_MAX = 20 };

void mu_store_note(struct mu_store *store, bool unplanned, const char *format, ...) {
    char first[512];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(first, sizeof first, format, args);
    va_end(args);
    MU_ASSERT(len >= 0);
    char *text = mu_arena_alloc(store->arena, (size_t)len + 1, 1);
    if ((size_t)len < sizeof first) {
        memcpy(text, first, (size_t)len + 1);
    } else {
        vsnprintf(text, (size_t)len + 1, format, again);
    }
    va_end(again);
    mu_make_one_line(text, (size_t)len);
    MU_VEC_PUSH(store->arena, &store->notes, (struct mu_note){{text, (size_t)len}, unplanned});
}

static void note_invalid(struct mu_store *store, enum mu_kind kind) {
    const struct mu_kind_set *set = &store->index->kinds[kind];
    size_t found = 0;
    for (size_t i = 0; i < set->objects.len; i++) {
        const struct mu_meta *meta = set->objects.items[i];
        if (meta->invalid.len == 0 || ++found > NAMED_MAX) {
            continue;
        }
        struct mu_str namespace = mu_text(&store->symbols, meta->namespace);
        struct mu_str name = mu_text(&store->symbols, meta->name);
        mu_store_note(store, false, "%s " MU_STR_FMT "%s" MU_STR_FMT " makes no sense and is refused: " MU_STR_FMT,
                      mu_kinds[kind].kind, MU_STR_ARG(namespace), namespace.len > 0 ? "/" : "", MU_STR_ARG(name),
                      MU_STR_ARG(meta->invalid));
    }
    if (found > NAMED_MAX) {
        mu_store_note(store, false, "%s: %zu more make no sense and are refused", mu_kinds[kind].kind,
                      found - NAMED_MAX);
    }
}

static int cmp_skipped(const void *a, const void *b) {
    return mu_str_cmp(((const struct mu_skipped *)a)->kind, ((const struct mu_skipped *)b)->kind);
}

static void note_skipped(struct mu_store *store) {
    struct mu_store_index *index = store->index;
    size_t total = 0;
    if (index->skipped.len == 0) {
        return;
    }
    qsort(index->skipped.items, index->skipped.len, sizeof *index->skipped.items, cmp_skipped);
    struct mu_buf list;
    mu_buf_init(&list, index->scratch);
    for (size_t i = 0; i < index->skipped.len; i++) {
        const struct mu_skipped *skipped = &index->skipped.items[i];
        total += skipped->count;
        mu_buf_printf(&list, "%s" MU_STR_FMT " (%zu)", i == 0 ? "" : ", ", MU_STR_ARG(skipped->kind), skipped->count);
    }
    struct mu_str kinds = mu_buf_str(&list);
    mu_store_note(store, false, "skipped %zu object%s of kinds that do not matter here: " MU_STR_FMT, total,
                  total == 1 ? "" : "s", MU_STR_ARG(kinds));
}

/* A snapshot that was taken without some kinds looks like a cluster without them. */
static void note_partial(struct mu_store *store) {
    size_t claiming = 0;
    for (size_t i = 0; i < store->pods.len; i++) {
        claiming += store->pods.items[i]->claims_len > 0;
    }
    if (claiming > 0 && store->slices.len == 0) {
        mu_store_note(store, false, "the input looks partial: %zu pod%s with resource claims, but no ResourceSlice",
                      claiming, claiming == 1 ? "" : "s");
    }
    if (store->nodes.len == 0 && (store->pods.len > 0 || store->groups.len > 0)) {
        mu_store_note(store, false, "the input looks partial: there are pods or groups, but no Node");
    }
}

static int cmp_notes(const void *a, const void *b) {
    return mu_str_cmp(((const struct mu_note *)a)->text, ((const struct mu_note *)b)->text);
}

/* By their texts; what was said of two copies of one object is said once. */
static void sort_notes(struct mu_store *store) {
    size_t kept = 0;
    if (store->notes.len > 1) {
        qsort(store->notes.items, store->notes.len, sizeof *store->notes.items, cmp_notes);
    }
    for (size_t i = 0; i < store->notes.len; i++) {
        if (kept == 0 || !mu_str_eq(store->notes.items[kept - 1].text, store->notes.items[i].text)) {
            store->notes.items[kept++] = store->notes.items[i];
        }
    }
    store->notes.len = kept;
}

void mu_store_note_all(struct mu_store *store) {
    for (int kind = 0; kind < MU_KIND_COUNT; kind++) {
        if (!mu_kinds[kind].workload) {
            note_invalid(store, (enum mu_kind)kind);
        }
    }
    note_skipped(store);
    note_partial(store);
    sort_notes(store);
}
