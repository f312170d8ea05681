/* See held.h. */
#include "scheduler/devices/held.h"

#include "scheduler/devices/capacity.h"
#include "scheduler/devices/state.h"
#include "scheduler/devices/taints.h"
#include <stdlib.h>

/* ---- What is published ---- */

static const struct mu_pool *pool_of(const struct mu_alloc *alloc, uint32_t entry) {
    return &alloc->pools[alloc->slices[alloc->entries[entry].slice].pool];
}

/* The holding's entry in the newest generation of its pool; MU_NO_INDEX: it is not there. */
static uint32_t newest_entry(const struct mu_alloc *alloc, const struct mu_holding *holding) {
    uint32_t entry = holding->first_entry;
    while (entry != MU_NO_INDEX && !pool_of(alloc, entry)->newest)
        entry = alloc->entries[entry].next_same;
    return entry;
}

static uint32_t entry_of(const struct mu_alloc *alloc, const struct mu_device_result *result) {
    const mu_sym key[3] = {result->driver, result->pool, result->device};
    uint32_t holding;
    if (!mu_map_get(&alloc->holding_by_name, (struct mu_str){(const char *)key, sizeof key}, &holding))
        return MU_NO_INDEX;
    return newest_entry(alloc, &alloc->holdings.items[holding]);
}

/* Pools are in the order of driver and name. NULL: there is none of that name. */
static const struct mu_pool *newest_pool(const struct mu_alloc *alloc, const struct mu_device_result *result) {
    const struct mu_symbols *symbols = alloc->input.symbols;
    uint32_t low = 0, high = alloc->pools_len;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct mu_pool *pool = &alloc->pools[middle];
        int order = mu_sym_cmp(symbols, pool->driver, result->driver);
        if (order == 0)
            order = mu_sym_cmp(symbols, pool->name, result->pool);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < alloc->pools_len; low++) {
        const struct mu_pool *pool = &alloc->pools[low];
        if (pool->driver != result->driver || pool->name != result->pool)
            return NULL;
        if (pool->newest)
            return pool;
    }
    return NULL;
}

enum mu_publication mu_alloc_published(const struct mu_alloc *alloc, const struct mu_device_result *result) {
    if (entry_of(alloc, result) != MU_NO_INDEX)
        return MU_PUBLISHED;
    const struct mu_pool *pool = newest_pool(alloc, result);
    bool updated = pool && alloc->slices[pool->first_slice].slice->slice_count != pool->slices_len;
    return updated ? MU_PUBLISHED_UNKNOWN : MU_PUBLISHED_NOT;
}

/* ---- Taints ---- */

/* A toleration with a time holds from when the taint came. */
static bool tolerates_still(const struct mu_device_toleration *toleration, const struct mu_device_taint *taint,
                            int64_t now_ns) {
    if (!mu_taint_tolerated(taint, toleration, 1))
        return false;
    if (toleration->seconds < 0 || taint->added_ns == MU_TIME_NONE || now_ns <= taint->added_ns)
        return true;
    return (now_ns - taint->added_ns) / INT64_C(1000000000) < toleration->seconds;
}

static bool evicts(const struct mu_device_taint *taint, const struct mu_device_result *result, int64_t now_ns) {
    if (taint->effect != MU_DEVICE_EFFECT_NO_EXECUTE)
        return false;
    for (uint32_t i = 0; i < result->tolerations_len; i++)
        if (tolerates_still(&result->tolerations[i], taint, now_ns))
            return false;
    return true;
}

const struct mu_device_taint *mu_alloc_evicting_taint(const struct mu_alloc *alloc,
                                                      const struct mu_device_result *result, int64_t now_ns) {
    uint32_t entry = entry_of(alloc, result);
    if (entry == MU_NO_INDEX)
        return NULL;
    const struct mu_device *device = alloc->entries[entry].device;
    for (uint32_t i = 0; i < device->taints_len; i++)
        if (evicts(&device->taints[i], result, now_ns))
            return &device->taints[i];
    for (uint32_t i = 0; i < alloc->input.rules_len; i++) {
        const struct mu_taint_rule *rule = alloc->input.rules[i];
        if (mu_taint_rule_is_for(rule, mu_entry_slice(alloc, entry), device->name) &&
            evicts(&rule->taint, result, now_ns))
            return &rule->taint;
    }
    return NULL;
}

/* ---- More than there is ---- */

struct excesses {
    const struct mu_alloc *alloc;
    struct mu_arena *arena;
    MU_VEC(struct mu_excess) list;
};

typedef MU_VEC(struct mu_excess_device) excess_devices;

static bool is_held(const struct mu_holding *holding) {
    return holding->whole + holding->shares > 0;
}

static void add_device(struct excesses *x, excess_devices *devices, uint32_t entry) {
    const struct mu_slice *slice = mu_entry_slice(x->alloc, entry);
    const struct mu_excess_device device = {slice->driver, slice->pool, x->alloc->entries[entry].device->name};
    MU_VEC_PUSH(x->arena, devices, device);
}

static void add(struct excesses *x, struct mu_excess excess, const excess_devices *devices) {
    excess.devices = devices->items;
    excess.devices_len = (uint32_t)devices->len;
    MU_VEC_PUSH(x->arena, &x->list, excess);
}

static void judge_capacity(struct excesses *x, uint32_t entry, const struct mu_consumed *consumed) {
    const struct mu_device *device = x->alloc->entries[entry].device;
    mu_sym driver = mu_entry_slice(x->alloc, entry)->driver;
    for (uint32_t c = 0; c < device->capacity_len; c++) {
        const struct mu_device_capacity *capacity = &device->capacity[c];
        if (!mu_capacity_same(x->alloc->input.symbols, driver, capacity->name, consumed->name))
            continue;
        if (consumed->nano > capacity->value.nano) {
            excess_devices devices = {0};
            add_device(x, &devices, entry);
            add(x,
                (struct mu_excess){.kind = MU_EXCESS_CAPACITY,
                                   .name = capacity->name,
                                   .held = consumed->nano,
                                   .there = capacity->value.nano},
                &devices);
        }
        return;
    }
}

static void find_capacities(struct excesses *x) {
    for (size_t h = 0; h < x->alloc->holdings.len; h++) {
        const struct mu_holding *holding = &x->alloc->holdings.items[h];
        uint32_t entry = newest_entry(x->alloc, holding);
        for (size_t c = 0; entry != MU_NO_INDEX && c < holding->consumed.len; c++)
            judge_capacity(x, entry, &holding->consumed.items[c]);
    }
}

/* The counter is overdrawn: by the devices that are held and take from it. */
static void add_counter(struct excesses *x, const struct mu_pool *pool, const struct mu_pool_set *set,
                        uint32_t counter) {
    const struct mu_alloc *alloc = x->alloc;
    excess_devices devices = {0};
    mu_i128 held = 0;
    for (uint32_t s = pool->first_slice; s < pool->first_slice + pool->slices_len; s++) {
        for (uint32_t d = 0; d < alloc->slices[s].slice->devices_len; d++) {
            uint32_t entry = alloc->slices[s].first_entry + d;
            const struct mu_entry *e = &alloc->entries[entry];
            for (uint32_t c = 0; is_held(&alloc->holdings.items[e->holding]) && c < e->charges_len; c++) {
                if (alloc->charges[e->first_charge + c].counter != counter)
                    continue;
                held += alloc->charges[e->first_charge + c].nano;
                add_device(x, &devices, entry);
            }
        }
    }
    const struct mu_counter *overdrawn = &pool->counters.items[counter];
    add(x,
        (struct mu_excess){.kind = MU_EXCESS_COUNTER,
                           .set = set->name,
                           .name = overdrawn->name,
                           .held = held,
                           .there = held + overdrawn->left},
        &devices);
}

static void find_counters(struct excesses *x) {
    for (uint32_t p = 0; p < x->alloc->pools_len; p++) {
        const struct mu_pool *pool = &x->alloc->pools[p];
        if (!pool->newest || pool->overdrawn == 0)
            continue;
        for (size_t s = 0; s < pool->sets.len; s++) {
            const struct mu_pool_set *set = &pool->sets.items[s];
            for (uint32_t c = set->first_counter; c < set->first_counter + set->counters_len; c++)
                if (pool->counters.items[c].left < 0)
                    add_counter(x, pool, set, c);
        }
    }
}

/* A held device of a card that several drivers have given out. */
struct card_device {
    uint32_t card, holding;
};

static int compare_cards(const void *a, const void *b) {
    const struct card_device *x = a, *y = b;
    int order = (x->card > y->card) - (x->card < y->card);
    return order ? order : (x->holding > y->holding) - (x->holding < y->holding);
}

static void find_cards(struct excesses *x) {
    const struct mu_alloc *alloc = x->alloc;
    MU_VEC(struct card_device) list = {0};
    for (uint32_t h = 0; h < alloc->holdings.len; h++) {
        const struct mu_holding *holding = &alloc->holdings.items[h];
        if (holding->card_part == MU_NO_INDEX || !is_held(holding))
            continue;
        const struct mu_card_part *part = &alloc->card_parts.items[holding->card_part];
        if (alloc->cards.items[part->card].held > part->held)
            MU_VEC_PUSH(x->arena, &list, (struct card_device){part->card, h});
    }
    if (list.len > 0)
        qsort(list.items, list.len, sizeof list.items[0], compare_cards);
    for (size_t i = 0; i < list.len;) {
        excess_devices devices = {0};
        uint32_t card = list.items[i].card;
        for (; i < list.len && list.items[i].card == card; i++)
            add_device(x, &devices, alloc->holdings.items[list.items[i].holding].first_entry);
        add(x, (struct mu_excess){.kind = MU_EXCESS_CARD}, &devices);
    }
}

const struct mu_excess *mu_alloc_excesses(const struct mu_alloc *alloc, struct mu_arena *arena, uint32_t *ret_len) {
    struct excesses x = {.alloc = alloc, .arena = arena};
    find_capacities(&x);
    find_counters(&x);
    find_cards(&x);
    *ret_len = (uint32_t)x.list.len;
    return x.list.items;
}
