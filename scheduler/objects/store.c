/* Store: from documents to objects. store_kinds.c lists the kinds, store_finish.c completes what was read. */
#include "scheduler/objects/store.h"
#include "scheduler/base/limits.h"
#include "scheduler/objects/canon.h"
#include "scheduler/objects/store_index.h"

/* Of no consequence: nothing can depend on the order of a map. */
#define HASH_SEED 0x6d75737465720001u

static void release_arena(void *ptr) {
    mu_arena_destroy(ptr);
}

struct mu_store *mu_store_create(struct mu_arena *arena) {
    struct mu_store *store = MU_NEW(arena, struct mu_store);
    struct mu_store_index *index = MU_NEW(arena, struct mu_store_index);
    store->arena = arena;
    store->index = index;
    mu_symbols_init(&store->symbols, arena, HASH_SEED);
    index->scratch = mu_arena_create_child(arena);
    mu_arena_defer(arena, release_arena, index->scratch);
    mu_map_init(&index->specs, arena, HASH_SEED);
    mu_map_init(&index->skipped_by_kind, arena, HASH_SEED);
    return store;
}

/* ---- Copies of one object ---- */

static bool says_the_same(struct mu_decode *d, enum mu_kind kind, const struct mu_meta *a, const struct mu_meta *b) {
    struct mu_canon x, y;
    mu_canon_init(&x, d->scratch, d->symbols, false);
    mu_canon_init(&y, d->scratch, d->symbols, false);
    mu_kinds[kind].canon(&x, a);
    mu_kinds[kind].canon(&y, b);
    return mu_str_eq(mu_canon_str(&x), mu_canon_str(&y));
}

/* Whether a copy is an error is known at the end only: a newer one may still make both irrelevant. */
static void add_conflict(struct mu_decode *d, enum mu_kind kind, uint32_t index, int64_t version) {
    struct mu_err err = {0};
    struct mu_decode as_error = *d;
    as_error.err = &err;
    mu_decode_fail(&as_error, NULL, NULL, "is there twice with resourceVersion %lld and different contents",
                   (long long)version);
    struct mu_arena *arena = d->store->arena;
    struct mu_str text = mu_str_dup(arena, mu_str_from(err.text));
    MU_VEC_PUSH(arena, &d->store->index->conflicts, (struct mu_conflict){kind, index, version, text});
}

/* The copy with the higher resourceVersion counts. */
static void add_object(struct mu_decode *d, enum mu_kind kind, struct mu_meta *object) {
    struct mu_store *store = d->store;
    uint32_t index;
    if (!mu_store_find_index(store, kind, object->namespace, object->name, &index)) {
        mu_store_put(store, kind, object);
        return;
    }
    struct mu_meta *old = store->index->kinds[kind].objects.items[index];
    if (object->resource_version > old->resource_version) {
        memcpy(old, object, mu_kinds[kind].bytes);
    } else if (object->resource_version == old->resource_version && !says_the_same(d, kind, old, object)) {
        add_conflict(d, kind, index, object->resource_version);
    }
}

/* ---- Kinds that are not read ---- */

/* True where a pod template, that is a `spec` with `containers`, stands somewhere below. */
static bool has_pod_template(const struct mu_value *value) {
    size_t len = value->type == MU_VALUE_ARRAY    ? value->array.len
                 : value->type == MU_VALUE_OBJECT ? value->object.len
                                                  : 0;
    for (size_t i = 0; i < len; i++) {
        const struct mu_value *item =
            value->type == MU_VALUE_ARRAY ? &value->array.items[i] : &value->object.fields[i].value;
        if (value->type == MU_VALUE_OBJECT && mu_str_eq(value->object.fields[i].key, MU_STR("spec"))) {
            const struct mu_value *containers = mu_value_get(item, "containers");
            if (containers != NULL && containers->type == MU_VALUE_ARRAY) {
                return true;
            }
        }
        if (has_pod_template(item)) {
            return true;
        }
    }
    return false;
}

static void skip_object(struct mu_decode *d, const struct mu_at *root, struct mu_str group) {
    struct mu_store_index *index = d->store->index;
    const struct mu_value *metadata = mu_value_get(root->value, "metadata");
    const struct mu_value *spec = mu_value_get(root->value, "spec");
    bool manifest = mu_value_get(metadata, "uid") == NULL;
    if (manifest && spec != NULL && has_pod_template(spec)) {
        struct mu_meta meta;
        mu_decode_meta(d, root, true, &meta);
        mu_store_note(d->store, true,
                      MU_STR_FMT " " MU_STR_FMT "/" MU_STR_FMT
                                 " was not planned: muster does not know which pods a " MU_STR_FMT "%s" MU_STR_FMT
                                 " makes",
                      MU_STR_ARG(d->kind), MU_STR_ARG(d->namespace), MU_STR_ARG(d->name), MU_STR_ARG(d->kind),
                      group.len > 0 ? " of " : "", MU_STR_ARG(group));
        return;
    }
    uint32_t at;
    if (mu_map_get(&index->skipped_by_kind, d->kind, &at)) {
        index->skipped.items[at].count++;
        return;
    }
    struct mu_str kind = mu_str_dup(d->store->arena, d->kind);
    mu_map_put(&index->skipped_by_kind, kind, (uint32_t)index->skipped.len);
    MU_VEC_PUSH(d->store->arena, &index->skipped, (struct mu_skipped){kind, 1});
}

/* ---- One object ---- */

static struct mu_str group_of(struct mu_str api_version) {
    ptrdiff_t slash = mu_str_index(api_version, '/');
    return mu_str_slice(api_version, 0, slash < 0 ? 0 : (size_t)slash);
}

static void read_object(struct mu_decode *d, enum mu_kind kind, const struct mu_at *root) {
    const struct mu_kind_info *info = &mu_kinds[kind];
    struct mu_meta *object = mu_arena_array(d->arena, 1, info->bytes, alignof(max_align_t));
    d->invalid = (struct mu_str){NULL, 0};
    mu_decode_meta(d, root, info->namespaced, object);
    if (d->code == 0) {
        info->decode(d, root, object);
    }
    if (d->code == 0) {
        object->invalid = d->invalid.len > 0 ? mu_str_dup(d->arena, d->invalid) : (struct mu_str){NULL, 0};
        add_object(d, kind, object);
    }
}

/* A kind may be read as two things: a LeaderWorkerSet is a group and a workload. */
static void read_kinds(struct mu_decode *d, const struct mu_at *root, struct mu_str group) {
    bool known = false;
    for (int i = 0; i < MU_KIND_COUNT && d->code == 0; i++) {
        if (mu_str_eq(d->kind, mu_str_from(mu_kinds[i].kind)) && mu_str_eq(group, mu_str_from(mu_kinds[i].group))) {
            read_object(d, (enum mu_kind)i, root);
            known = true;
        }
    }
    if (!known) {
        skip_object(d, root, group);
    }
}

/* ---- Documents ---- */

/* Where the items of a list get what they do not say themselves. */
struct inherited {
    struct mu_str kind, api_version;
};

static bool is_list(const struct mu_value *value, struct mu_str kind) {
    const struct mu_value *items = mu_value_get(value, "items");
    return mu_str_ends(kind, MU_STR("List")) && items != NULL && items->type == MU_VALUE_ARRAY;
}

static void read_document(struct mu_decode *d, const struct mu_at *at, const struct inherited *from);

static void read_items(struct mu_decode *d, const struct mu_at *at, struct mu_str kind, struct mu_str api_version) {
    struct inherited to = {{NULL, 0}, {NULL, 0}};
    if (kind.len > MU_STR("List").len) {
        to.kind = mu_str_slice(kind, 0, kind.len - MU_STR("List").len);
        to.api_version = api_version;
    }
    struct mu_at items = mu_at_array(d, at, "items");
    for (size_t i = 0; i < mu_at_len(&items) && d->code == 0; i++) {
        struct mu_at item = mu_at_item(d, &items, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            read_document(d, &item, &to);
        }
    }
}

static void read_document(struct mu_decode *d, const struct mu_at *at, const struct inherited *from) {
    struct mu_str kind = mu_field_str(d, at, "kind");
    struct mu_str api_version = mu_field_str(d, at, "apiVersion");
    kind = kind.len > 0 ? kind : from->kind;
    api_version = api_version.len > 0 ? api_version : from->api_version;
    if (kind.len == 0) {
        mu_decode_fail(d, at, "kind", "is missing");
    }
    if (api_version.len == 0) {
        mu_decode_fail(d, at, "apiVersion", "is missing");
    }
    if (d->code != 0) {
        return;
    }
    if (is_list(at->value, kind)) {
        read_items(d, at, kind, api_version);
        return;
    }
    if (++d->store->index->objects > MU_LIMIT_OBJECTS) {
        d->code = mu_err_set(d->err, MU_E_LIMIT, MU_STR_FMT ": more than %d objects (MU_LIMIT_OBJECTS)",
                             MU_STR_ARG(d->place->file), MU_LIMIT_OBJECTS);
        return;
    }
    /* The path of a fault begins at the object, which has a name, and not at the list that it stands in. */
    struct mu_at root = {NULL, at->value, {NULL, 0}, 0};
    struct mu_arena_mark mark = mu_arena_mark(d->scratch);
    d->kind = kind;
    read_kinds(d, &root, group_of(api_version));
    d->kind = d->namespace = d->name = (struct mu_str){NULL, 0};
    mu_arena_rollback(d->scratch, mark);
}

struct addition {
    struct mu_store *store;
    const struct mu_value *document;
    const struct mu_place *place;
};

static int add_document(void *ctx, struct mu_err *err) {
    const struct addition *addition = ctx;
    struct mu_store *store = addition->store;
    struct mu_decode d = {.store = store,
                          .symbols = &store->symbols,
                          .arena = store->arena,
                          .scratch = store->index->scratch,
                          .place = addition->place,
                          .err = err};
    struct mu_at root = {NULL, addition->document, {NULL, 0}, 0};
    struct inherited nothing = {{NULL, 0}, {NULL, 0}};
    struct mu_arena_mark mark = mu_arena_mark(d.scratch);
    if (root.value->type != MU_VALUE_OBJECT) {
        mu_decode_fail(&d, &root, NULL, "must be an object, is %s", mu_value_type_name(root.value->type));
    } else {
        read_document(&d, &root, &nothing);
    }
    mu_arena_rollback(d.scratch, mark);
    return d.code;
}

/* Running out of memory ends here and not further out: the reader that calls has a parser to release. */
int mu_store_add(void *ctx, const struct mu_value *document, const struct mu_place *place, struct mu_err *err) {
    struct addition addition = {ctx, document, place};
    return mu_arena_run(addition.store->arena, add_document, &addition, err);
}
