/* Shared counters and compatibility groups. */
#include "scheduler/devices/counters.h"

/* ---- Layout ---- */

static struct mu_str text_of(const struct mu_alloc *alloc, mu_sym sym) {
    return mu_text(alloc->input.symbols, sym);
}

/* Pools may have thousands of sets, one a card. */
static uint32_t find_set(const struct mu_alloc *alloc, const struct mu_pool *pool, mu_sym name) {
    uint32_t index = MU_NO_INDEX;
    mu_map_get(&pool->set_by_name, text_of(alloc, name), &index);
    return index;
}

static uint32_t find_counter(const struct mu_pool *pool, const struct mu_pool_set *set, mu_sym name) {
    for (uint32_t i = 0; i < set->counters_len; i++)
        if (pool->counters.items[set->first_counter + i].name == name)
            return set->first_counter + i;
    return MU_NO_INDEX;
}

static struct mu_group_count *find_group(const struct mu_pool_set *set, mu_sym name) {
    for (size_t i = 0; i < set->groups.len; i++)
        if (set->groups.items[i].name == name)
            return &set->groups.items[i];
    return NULL;
}

static void add_set(struct mu_alloc *alloc, struct mu_pool *pool, const struct mu_counter_set *set) {
    if (find_set(alloc, pool, set->name) != MU_NO_INDEX) {
        struct mu_str why = mu_str_printf(alloc->arena, "counter set " MU_STR_FMT " is there twice",
                                          MU_STR_ARG(text_of(alloc, set->name)));
        MU_VEC_PUSH(alloc->arena, &pool->reasons, why);
        return;
    }
    struct mu_pool_set laid_out = {.name = set->name,
                                   .first_counter = (uint32_t)pool->counters.len,
                                   .counters_len = set->counters_len};
    MU_VEC_PUSH(alloc->arena, &pool->sets, laid_out);
    mu_map_put(&pool->set_by_name, text_of(alloc, set->name), (uint32_t)pool->sets.len - 1);
    for (uint32_t i = 0; i < set->counters_len; i++) {
        struct mu_counter counter = {set->counters[i].name, set->counters[i].value.nano};
        MU_VEC_PUSH(alloc->arena, &pool->counters, counter);
    }
}

static void check_use(struct mu_alloc *alloc, struct mu_pool *pool, const struct mu_device *device,
                      const struct mu_counter_use *use) {
    uint32_t index = find_set(alloc, pool, use->set);
    struct mu_str why;
    if (index == MU_NO_INDEX) {
        why = mu_str_printf(alloc->arena, "device " MU_STR_FMT " uses counter set " MU_STR_FMT ", which is not there",
                            MU_STR_ARG(text_of(alloc, device->name)), MU_STR_ARG(text_of(alloc, use->set)));
        MU_VEC_PUSH(alloc->arena, &pool->reasons, why);
        return;
    }
    for (uint32_t i = 0; i < use->counters_len; i++) {
        if (find_counter(pool, &pool->sets.items[index], use->counters[i].name) != MU_NO_INDEX)
            continue;
        why =
            mu_str_printf(alloc->arena,
                          "device " MU_STR_FMT " uses counter " MU_STR_FMT " of set " MU_STR_FMT ", which is not there",
                          MU_STR_ARG(text_of(alloc, device->name)), MU_STR_ARG(text_of(alloc, use->counters[i].name)),
                          MU_STR_ARG(text_of(alloc, use->set)));
        MU_VEC_PUSH(alloc->arena, &pool->reasons, why);
    }
}

void mu_counters_lay_out(struct mu_alloc *alloc, struct mu_pool *pool) {
    mu_map_init(&pool->set_by_name, alloc->arena, 1);
    for (uint32_t s = 0; s < pool->slices_len; s++) {
        const struct mu_slice *slice = alloc->slices[pool->first_slice + s].slice;
        for (uint32_t i = 0; i < slice->counter_sets_len; i++)
            add_set(alloc, pool, &slice->counter_sets[i]);
    }
    for (uint32_t s = 0; s < pool->slices_len; s++) {
        const struct mu_slice *slice = alloc->slices[pool->first_slice + s].slice;
        for (uint32_t i = 0; i < slice->devices_len; i++) {
            for (uint32_t u = 0; u < slice->devices[i].uses_len; u++) {
                check_use(alloc, pool, &slice->devices[i], &slice->devices[i].uses[u]);
                pool->grouped = pool->grouped || slice->devices[i].uses[u].groups_len > 0;
            }
        }
    }
}

/* All groups that may ever be counted, so that counting needs no memory. */
static void add_groups(struct mu_alloc *alloc, struct mu_pool_set *set, const struct mu_counter_use *use) {
    for (uint32_t g = 0; g < use->groups_len; g++)
        if (find_group(set, use->groups[g]) == NULL)
            MU_VEC_PUSH(alloc->arena, &set->groups, (struct mu_group_count){use->groups[g], 0});
}

static void add_charges(struct mu_alloc *alloc, const struct mu_pool *pool, const struct mu_pool_set *set,
                        const struct mu_counter_use *use) {
    for (uint32_t i = 0; i < use->counters_len; i++) {
        uint32_t counter = find_counter(pool, set, use->counters[i].name);
        if (counter != MU_NO_INDEX)
            alloc->charges[alloc->charges_len++] = (struct mu_charge){counter, use->counters[i].value.nano};
    }
}

void mu_counters_lay_out_entry(struct mu_alloc *alloc, const struct mu_pool *pool, struct mu_entry *entry) {
    entry->first_charge = alloc->charges_len;
    entry->first_use = alloc->uses_len;
    for (uint32_t u = 0; u < entry->device->uses_len; u++) {
        const struct mu_counter_use *use = &entry->device->uses[u];
        uint32_t set = find_set(alloc, pool, use->set);
        alloc->use_sets[alloc->uses_len++] = set;
        if (set != MU_NO_INDEX) {
            add_groups(alloc, &pool->sets.items[set], use);
            add_charges(alloc, pool, &pool->sets.items[set], use);
        }
    }
    entry->charges_len = alloc->charges_len - entry->first_charge;
}

/* ---- Charges ---- */

static struct mu_pool *pool_of(const struct mu_alloc *alloc, uint32_t entry) {
    return &alloc->pools[alloc->slices[alloc->entries[entry].slice].pool];
}

/* The set of a device's use; NULL where there is none of that name, and the pool is invalid. */
static struct mu_pool_set *set_of(const struct mu_alloc *alloc, uint32_t entry, uint32_t use) {
    uint32_t set = alloc->use_sets[alloc->entries[entry].first_use + use];
    return set != MU_NO_INDEX ? &pool_of(alloc, entry)->sets.items[set] : NULL;
}

static void add_to_counters(struct mu_alloc *alloc, uint32_t entry, int sign) {
    const struct mu_entry *e = &alloc->entries[entry];
    struct mu_pool *pool = pool_of(alloc, entry);
    for (uint32_t i = 0; i < e->charges_len; i++) {
        const struct mu_charge *charge = &alloc->charges[e->first_charge + i];
        struct mu_counter *counter = &pool->counters.items[charge->counter];
        pool->overdrawn -= counter->left < 0;
        counter->left += sign * charge->nano; /* quantities are bounded so that no sum of a cluster's can overflow */
        pool->overdrawn += counter->left < 0;
    }
}

static void count_member(struct mu_alloc *alloc, uint32_t entry, bool more) {
    const struct mu_device *device = alloc->entries[entry].device;
    for (uint32_t u = 0; u < device->uses_len; u++) {
        struct mu_pool_set *set = set_of(alloc, entry, u);
        if (set == NULL)
            continue;
        uint32_t step = more ? 1u : UINT32_MAX;
        set->members += step;
        set->plain_members += device->uses[u].groups_len == 0 ? step : 0;
        for (uint32_t g = 0; g < device->uses[u].groups_len; g++)
            find_group(set, device->uses[u].groups[g])->members += step;
    }
}

/* Without the gate for partitions nobody counts. */
void mu_counters_charge(struct mu_alloc *alloc, uint32_t entry) {
    if (!mu_alloc_has(alloc, MU_ALLOC_PARTITIONABLE))
        return;
    add_to_counters(alloc, entry, -1);
    count_member(alloc, entry, true);
}

void mu_counters_give_back(struct mu_alloc *alloc, uint32_t entry) {
    if (!mu_alloc_has(alloc, MU_ALLOC_PARTITIONABLE))
        return;
    add_to_counters(alloc, entry, 1);
    count_member(alloc, entry, false);
}

bool mu_counters_allow(struct mu_alloc *alloc, uint32_t entry) {
    if (alloc->entries[entry].device->uses_len == 0)
        return true;
    add_to_counters(alloc, entry, -1);
    bool allow = pool_of(alloc, entry)->overdrawn == 0;
    add_to_counters(alloc, entry, 1);
    return allow;
}

static bool use_allows(const struct mu_pool_set *set, const struct mu_counter_use *use) {
    if (set == NULL || set->members == 0)
        return true;
    if (use->groups_len == 0)
        return set->plain_members == set->members;
    /* A group that all members share with this one. */
    for (uint32_t g = 0; g < use->groups_len; g++)
        if (find_group(set, use->groups[g])->members == set->members)
            return true;
    return false;
}

bool mu_groups_allow(const struct mu_alloc *alloc, uint32_t entry) {
    const struct mu_device *device = alloc->entries[entry].device;
    for (uint32_t u = 0; u < device->uses_len; u++)
        if (!use_allows(set_of(alloc, entry, u), &device->uses[u]))
            return false;
    return true;
}
