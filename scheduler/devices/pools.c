/* Pools: the layout of what is published. */
#include "scheduler/devices/pools.h"
#include "scheduler/base/limits.h"
#include "scheduler/devices/counters.h"
#include <stdlib.h>

/* ---- Order ---- */

static int cmp_slices(const void *a, const void *b, void *symbols) {
    const struct mu_slice *x = ((const struct mu_pool_slice *)a)->slice, *y = ((const struct mu_pool_slice *)b)->slice;
    int order = mu_sym_cmp(symbols, x->driver, y->driver);
    order = order != 0 ? order : mu_sym_cmp(symbols, x->pool, y->pool);
    if (order != 0)
        return order;
    if (x->generation != y->generation)
        return x->generation < y->generation ? -1 : 1;
    return mu_sym_cmp(symbols, x->meta.name, y->meta.name);
}

static bool same_pool(const struct mu_slice *a, const struct mu_slice *b) {
    return a->driver == b->driver && a->pool == b->pool;
}

static bool has_binding(const struct mu_slice *slice) {
    for (uint32_t i = 0; i < slice->devices_len; i++)
        if (slice->devices[i].binding_conditions_len > 0)
            return true;
    return false;
}

/* ---- Entries ---- */

static uint32_t holding_of(struct mu_alloc *alloc, const struct mu_slice *slice, mu_sym device) {
    mu_sym key[3] = {slice->driver, slice->pool, device};
    struct mu_str bytes = {(const char *)key, sizeof key};
    uint32_t index;
    if (mu_map_get(&alloc->holding_by_name, bytes, &index))
        return index;
    index = (uint32_t)alloc->holdings.len;
    struct mu_holding holding = {.first_entry = MU_NO_INDEX, .card_part = MU_NO_INDEX};
    MU_VEC_PUSH(alloc->arena, &alloc->holdings, holding);
    mu_map_put(&alloc->holding_by_name, mu_str_dup(alloc->arena, bytes), index);
    return index;
}

static void add_entry(struct mu_alloc *alloc, uint32_t slice_index, const struct mu_device *device) {
    struct mu_pool_slice *slice = &alloc->slices[slice_index];
    struct mu_pool *pool = &alloc->pools[slice->pool];
    uint32_t index = alloc->entries_len++;
    struct mu_entry *entry = &alloc->entries[index];
    uint32_t holding = holding_of(alloc, slice->slice, device->name);
    struct mu_holding *held = &alloc->holdings.items[holding];
    /* The newest entry of the name: one of this pool is a twin. */
    bool twin =
        held->first_entry != MU_NO_INDEX && alloc->slices[alloc->entries[held->first_entry].slice].pool == slice->pool;
    pool->twins = pool->twins || twin;
    *entry =
        (struct mu_entry){.device = device, .slice = slice_index, .holding = holding, .next_same = held->first_entry};
    held->first_entry = index;
    if (mu_alloc_has(alloc, MU_ALLOC_PARTITIONABLE))
        mu_counters_lay_out_entry(alloc, pool, entry);
}

static void add_entries(struct mu_alloc *alloc) {
    for (uint32_t s = 0; s < alloc->slices_len; s++) {
        alloc->slices[s].first_entry = alloc->entries_len;
        const struct mu_slice *slice = alloc->slices[s].slice;
        for (uint32_t i = 0; i < slice->devices_len; i++)
            add_entry(alloc, s, &slice->devices[i]);
    }
}

/* ---- Pools ---- */

static void find_faults(struct mu_alloc *alloc, struct mu_pool *pool) {
    for (uint32_t s = 0; s < pool->slices_len; s++) {
        const struct mu_slice *slice = alloc->slices[pool->first_slice + s].slice;
        if (slice->meta.invalid.len == 0)
            continue;
        struct mu_str why =
            mu_str_printf(alloc->arena, "slice " MU_STR_FMT ": " MU_STR_FMT,
                          MU_STR_ARG(mu_text(alloc->input.symbols, slice->meta.name)), MU_STR_ARG(slice->meta.invalid));
        MU_VEC_PUSH(alloc->arena, &pool->reasons, why);
    }
    if (mu_alloc_has(alloc, MU_ALLOC_PARTITIONABLE))
        mu_counters_lay_out(alloc, pool);
    if (pool->reasons.len > 0)
        pool->invalid = pool->reasons.items[0];
}

static void add_pools(struct mu_alloc *alloc) {
    uint32_t family = 0;
    for (uint32_t s = 0; s < alloc->slices_len; s++) {
        const struct mu_slice *slice = alloc->slices[s].slice;
        const struct mu_slice *before = s > 0 ? alloc->slices[s - 1].slice : NULL;
        bool known = before != NULL && same_pool(before, slice);
        if (!known || before->generation != slice->generation) {
            family += before != NULL && !known;
            if (known)
                alloc->pools[alloc->pools_len - 1].newest = false;
            alloc->pools[alloc->pools_len++] = (struct mu_pool){.driver = slice->driver,
                                                                .name = slice->pool,
                                                                .generation = slice->generation,
                                                                .first_slice = s,
                                                                .family = family,
                                                                .newest = true};
        }
        alloc->slices[s].pool = alloc->pools_len - 1;
        alloc->slices[s].binding = has_binding(slice);
        alloc->pools[alloc->pools_len - 1].slices_len++;
    }
    for (uint32_t p = 0; p < alloc->pools_len; p++)
        find_faults(alloc, &alloc->pools[p]);
}

/* ---- Slices by node ---- */

static void index_slices(struct mu_alloc *alloc) {
    uint32_t *wide = MU_NEW_ARRAY(alloc->arena, uint32_t, alloc->slices_len);
    for (uint32_t s = 0; s < alloc->slices_len; s++) {
        mu_sym node = alloc->slices[s].slice->reach.node;
        if (node == 0) {
            wide[alloc->wide_slices_len++] = s;
            continue;
        }
        struct mu_str name = mu_text(alloc->input.symbols, node);
        uint32_t index;
        if (!mu_map_get(&alloc->slices_by_node, name, &index)) {
            index = (uint32_t)alloc->node_slices.len;
            MU_VEC_PUSH(alloc->arena, &alloc->node_slices, (struct mu_node_slices){.node = node});
            mu_map_put(&alloc->slices_by_node, name, index);
        }
        MU_VEC_PUSH(alloc->arena, &alloc->node_slices.items[index].slices, s);
    }
    alloc->wide_slices = wide;
}

/* ---- All of it ---- */

static size_t count_charges(const struct mu_slice *slice, size_t *uses) {
    size_t count = 0;
    for (uint32_t i = 0; i < slice->devices_len; i++) {
        *uses += slice->devices[i].uses_len;
        for (uint32_t u = 0; u < slice->devices[i].uses_len; u++)
            count += slice->devices[i].uses[u].counters_len;
    }
    return count;
}

int mu_pools_lay_out(struct mu_alloc *alloc, struct mu_err *err) {
    size_t devices = 0, charges = 0, uses = 0;
    alloc->slices_len = alloc->input.slices_len;
    alloc->slices = MU_NEW_ARRAY(alloc->arena, struct mu_pool_slice, alloc->slices_len);
    for (uint32_t i = 0; i < alloc->slices_len; i++) {
        alloc->slices[i].slice = alloc->input.slices[i];
        devices += alloc->input.slices[i]->devices_len;
        charges += count_charges(alloc->input.slices[i], &uses);
    }
    if (devices > MU_LIMIT_DEVICES)
        return mu_err_set(err, MU_E_LIMIT, "%zu devices, more than %d (MU_LIMIT_DEVICES)", devices, MU_LIMIT_DEVICES);
    if (alloc->slices_len > 1)
        qsort_r(alloc->slices, alloc->slices_len, sizeof *alloc->slices, cmp_slices, alloc->input.symbols);
    alloc->pools = MU_NEW_ARRAY(alloc->arena, struct mu_pool, alloc->slices_len);
    alloc->entries = MU_NEW_ARRAY(alloc->arena, struct mu_entry, devices);
    alloc->charges = MU_NEW_ARRAY(alloc->arena, struct mu_charge, charges);
    alloc->use_sets = MU_NEW_ARRAY(alloc->arena, uint32_t, uses);
    add_pools(alloc);
    add_entries(alloc);
    index_slices(alloc);
    return 0;
}
