/* Objects of a store by kind, namespace and name. */
#include "scheduler/objects/store_index.h"
#include <stdlib.h>

/* Symbols are small numbers in the order of their appearance: one multiplication spreads them well, and nobody can
 * make them collide by choosing names. */
static size_t hash_name(mu_sym namespace, mu_sym name) {
    uint64_t key = (uint64_t) namespace << 32 | name;
    return (size_t)((key * 0x9e3779b97f4a7c15u) >> 20);
}

/* The slot of the name, or the empty one where it belongs. */
static uint32_t *find_slot(const struct mu_kind_set *set, mu_sym namespace, mu_sym name) {
    for (size_t i = hash_name(namespace, name);; i++) {
        uint32_t *slot = &set->slots[i & (set->slots_count - 1)];
        if (*slot == 0) {
            return slot;
        }
        const struct mu_meta *meta = set->objects.items[*slot - 1];
        if (meta->name == name && meta->namespace == namespace) {
            return slot;
        }
    }
}

bool mu_store_find_index(const struct mu_store *store, enum mu_kind kind, mu_sym namespace, mu_sym name,
                         uint32_t *ret) {
    const struct mu_kind_set *set = &store->index->kinds[kind];
    const uint32_t *slot = set->slots_count > 0 ? find_slot(set, namespace, name) : NULL;
    if (slot == NULL || *slot == 0) {
        return false;
    }
    *ret = *slot - 1;
    return true;
}

struct mu_meta *mu_store_find(const struct mu_store *store, enum mu_kind kind, mu_sym namespace, mu_sym name) {
    uint32_t index;
    return mu_store_find_index(store, kind, namespace, name, &index) ? store->index->kinds[kind].objects.items[index]
                                                                     : NULL;
}

static void fill_slots(struct mu_kind_set *set) {
    for (size_t i = 0; i < set->objects.len; i++) {
        const struct mu_meta *meta = set->objects.items[i];
        *find_slot(set, meta->namespace, meta->name) = (uint32_t)i + 1;
    }
}

void mu_store_put(struct mu_store *store, enum mu_kind kind, struct mu_meta *object) {
    struct mu_kind_set *set = &store->index->kinds[kind];
    if (set->objects.len >= set->slots_count / 2) {
        set->slots_count = set->slots_count > 0 ? set->slots_count * 2 : 16;
        set->slots = MU_NEW_ARRAY(store->arena, uint32_t, set->slots_count);
        fill_slots(set);
    }
    *find_slot(set, object->namespace, object->name) = (uint32_t)set->objects.len + 1;
    MU_VEC_PUSH(store->arena, &set->objects, object);
}

/* ---- Order ---- */

int mu_meta_cmp(const struct mu_meta *a, const struct mu_meta *b, const struct mu_symbols *symbols) {
    int order = mu_sym_cmp(symbols, a->namespace, b->namespace);
    return order != 0 ? order : mu_sym_cmp(symbols, a->name, b->name);
}

static int cmp_objects(const void *a, const void *b, void *symbols) {
    return mu_meta_cmp(*(struct mu_meta *const *)a, *(struct mu_meta *const *)b, symbols);
}

void mu_store_sort(struct mu_store *store, enum mu_kind kind) {
    struct mu_kind_set *set = &store->index->kinds[kind];
    if (set->objects.len < 2) {
        return;
    }
    qsort_r(set->objects.items, set->objects.len, sizeof *set->objects.items, cmp_objects, &store->symbols);
    memset(set->slots, 0, set->slots_count * sizeof *set->slots);
    fill_slots(set);
}
