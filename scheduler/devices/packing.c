/* Packing: the order in which devices are tried so that cards stay whole, and how many of them an answer breaks into. */
#include "scheduler/devices/attempt.h"
#include "scheduler/devices/pools.h"
#include <stdlib.h>

/* From the most wanted to the least. */
enum { SHARED_IN_USE = 0, PART_OF_BROKEN, WHOLE, PART_OF_WHOLE, SHARED_UNTOUCHED };

struct packed {
    uint32_t entry, at; /* at: its place in upstream's order */
    int kind;
    int64_t use; /* thousandths; more is better */
};

static int packed_cmp(const void *a, const void *b) {
    const struct packed *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->use != y->use)
        return x->use > y->use ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int64_t thousandths(mu_i128 part, mu_i128 whole) {
    return whole > 0 && part > 0 ? (int64_t)(part >= whole ? 1000 : part * 1000 / whole) : 0;
}

/* How full a shared device is: of the capacity that is fullest. */
static int64_t use_of_shares(const struct mu_alloc *alloc, const struct mu_entry *entry) {
    const struct mu_holding *held = &alloc->holdings.items[entry->holding];
    int64_t most = 0;
    for (size_t i = 0; i < held->consumed.len; i++)
        for (uint32_t c = 0; c < entry->device->capacity_len; c++)
            if (entry->device->capacity[c].name == held->consumed.items[i].name) {
                int64_t use = thousandths(held->consumed.items[i].nano, entry->device->capacity[c].value.nano);
                most = use > most ? use : most;
            }
    return most;
}

/* The set of the device's first use; NULL: none. */
static const struct mu_pool_set *set_of(const struct mu_alloc *alloc, const struct mu_entry *entry) {
    uint32_t set = entry->device->uses_len > 0 ? alloc->use_sets[entry->first_use] : MU_NO_INDEX;
    return set == MU_NO_INDEX ? NULL : &alloc->pools[alloc->slices[entry->slice].pool].sets.items[set];
}

static struct packed look_at(const struct mu_alloc *alloc, uint32_t index, uint32_t at) {
    const struct mu_entry *entry = &alloc->entries[index];
    struct packed ret = {.entry = index, .at = at, .kind = WHOLE};
    const struct mu_pool_set *set = set_of(alloc, entry);
    if (mu_entry_shared(alloc, index)) {
        ret.kind = alloc->holdings.items[entry->holding].shares > 0 ? SHARED_IN_USE : SHARED_UNTOUCHED;
        ret.use = use_of_shares(alloc, entry);
    } else if (set != NULL) {
        ret.kind = set->members > 0 ? PART_OF_BROKEN : PART_OF_WHOLE;
        ret.use = set->members;
    }
    return ret;
}

void mu_pack(struct mu_attempt *a, uint32_t *candidates, uint32_t len) {
    struct mu_arena_mark mark = mu_arena_mark(a->scratch);
    struct packed *list = MU_NEW_ARRAY(a->scratch, struct packed, len);
    bool differ = false;
    for (uint32_t i = 0; i < len; i++) {
        list[i] = look_at(a->alloc, candidates[i], i);
        differ = differ || list[i].kind != list[0].kind || list[i].use != list[0].use;
    }
    if (differ) {
        qsort(list, len, sizeof *list, packed_cmp);
        for (uint32_t i = 0; i < len; i++)
            candidates[i] = list[i].entry;
    }
    mu_arena_rollback(a->scratch, mark);
}

/* ---- What an answer breaks into ---- */

static bool has_left(const struct mu_alloc *alloc, const struct mu_entry *entry, const struct mu_pool_set *set) {
    const struct mu_pool *pool = &alloc->pools[alloc->slices[entry->slice].pool];
    for (uint32_t c = 0; c < set->counters_len; c++)
        if (pool->counters.items[set->first_counter + c].left > 0)
            return true;
    return false;
}

/* The first of the picks that touch the same card counts for it, where nobody had touched it before. */
static bool breaks(const struct mu_attempt *a, uint32_t pick) {
    const struct mu_entry *entry = &a->alloc->entries[a->picks[pick].entry];
    const struct mu_pool_set *set = set_of(a->alloc, entry);
    bool shared = a->picks[pick].shared;
    uint32_t own = 0;
    if (a->picks[pick].admin || (!shared && set == NULL))
        return false;
    for (uint32_t i = 0; i < a->picks_len; i++) {
        const struct mu_entry *other = &a->alloc->entries[a->picks[i].entry];
        bool same = !a->picks[i].admin && (shared ? other->holding == entry->holding : set_of(a->alloc, other) == set);
        if (same && i < pick)
            return false;
        own += same;
    }
    if (shared)
        return a->alloc->holdings.items[entry->holding].shares == own;
    return set->members == own && has_left(a->alloc, entry, set);
}

uint32_t mu_count_broken(const struct mu_attempt *a) {
    uint32_t broken = 0;
    for (uint32_t i = 0; i < a->picks_len; i++)
        broken += breaks(a, i);
    return broken;
}

void mu_alloc_node_usage(struct mu_alloc *alloc, const struct mu_node *node, uint32_t *ret_used, uint32_t *ret_all) {
    mu_attempt_settle(alloc);
    uint32_t len = 0, *entries = mu_list_candidates(alloc, mu_view_of(alloc, node), alloc->attempt_arena, &len);
    const struct mu_pool_set *last = NULL;
    *ret_used = *ret_all = 0;
    for (uint32_t i = 0; i < len; i++) {
        const struct mu_entry *entry = &alloc->entries[entries[i]];
        const struct mu_holding *held = &alloc->holdings.items[entry->holding];
        const struct mu_pool_set *set = set_of(alloc, entry);
        if (set != NULL && set == last)
            continue; /* parts of a card stand side by side, as a rule */
        last = set;
        (*ret_all)++;
        *ret_used += set != NULL ? set->members > 0 : held->whole + held->shares > 0;
    }
    mu_attempt_settle(alloc);
}
