/* Locality: which devices are one node's affair. */
#include "scheduler/devices/pools.h"
#include "scheduler/devices/selectors.h"

/* The node that alone reaches the device; 0: there is none. */
static mu_sym node_of(const struct mu_alloc *alloc, uint32_t entry) {
    const struct mu_slice *slice = mu_entry_slice(alloc, entry);
    return slice->per_device ? alloc->entries[entry].device->reach.node : slice->reach.node;
}

/* The node of all devices of the pool's slices, in all generations, since counters and names are common to them. */
static void find_nodes(struct mu_alloc *alloc) {
    uint32_t last = MU_NO_INDEX; /* pool of the slice before */
    for (uint32_t s = 0; s < alloc->slices_len; s++) {
        const struct mu_pool_slice *slice = &alloc->slices[s];
        mu_sym *node = &alloc->family_nodes[alloc->pools[slice->pool].family];
        if (last == MU_NO_INDEX || alloc->pools[slice->pool].family != alloc->pools[last].family)
            *node = slice->slice->devices_len > 0 ? node_of(alloc, slice->first_entry) : slice->slice->reach.node;
        last = slice->pool;
        for (uint32_t i = 0; i < slice->slice->devices_len; i++)
            if (node_of(alloc, slice->first_entry + i) != *node)
                *node = 0;
    }
}

static uint32_t family_of(const struct mu_alloc *alloc, uint32_t entry) {
    return alloc->pools[alloc->slices[alloc->entries[entry].slice].pool].family;
}

/* One card in the pools of two nodes (somebody gave two cards one name) ties them together. */
static void tie_cards(struct mu_alloc *alloc) {
    struct mu_arena_mark mark = mu_arena_mark(alloc->scratch);
    uint32_t *first = MU_NEW_ARRAY(alloc->scratch, uint32_t, alloc->cards.len); /* an entry of the card, 1 more */
    for (uint32_t e = 0; e < alloc->entries_len; e++) {
        uint32_t part = alloc->holdings.items[alloc->entries[e].holding].card_part;
        if (part == MU_NO_INDEX)
            continue;
        uint32_t *other = &first[alloc->card_parts.items[part].card];
        if (*other == 0)
            *other = e + 1;
        if (node_of(alloc, e) != node_of(alloc, *other - 1))
            alloc->family_nodes[family_of(alloc, e)] = alloc->family_nodes[family_of(alloc, *other - 1)] = 0;
    }
    mu_arena_rollback(alloc->scratch, mark);
}

void mu_locality_lay_out(struct mu_alloc *alloc) {
    alloc->family_nodes = MU_NEW_ARRAY(alloc->arena, mu_sym, alloc->pools_len);
    find_nodes(alloc);
    tie_cards(alloc);
    MU_VEC(uint32_t) wide = {0};
    for (uint32_t e = 0; e < alloc->entries_len; e++)
        if (alloc->family_nodes[family_of(alloc, e)] == 0)
            MU_VEC_PUSH(alloc->arena, &wide, e);
    alloc->wide_entries = wide.items;
    alloc->wide_entries_len = (uint32_t)wide.len;
}

bool mu_alloc_node_local(struct mu_alloc *alloc, const struct mu_node *node) {
    mu_attempt_settle(alloc);
    const struct mu_view *view = mu_view_of(alloc, node);
    for (uint32_t p = 0; p < view->pools_len; p++)
        if (alloc->family_nodes[alloc->pools[view->pools[p].pool].family] != node->meta.name)
            return false;
    return true;
}

/* Can the device be selected by this request or alternative? Yes where nobody can tell. */
static bool may_select(struct mu_alloc *alloc, const struct mu_device_ask *ask, uint32_t entry) {
    uint32_t class;
    struct mu_str why;
    if (ask->class == 0 || !mu_map_get(&alloc->classes, mu_text(alloc->input.symbols, ask->class), &class))
        return false;
    const struct mu_device_class *found = alloc->input.classes[class];
    for (uint32_t i = 0; i < found->selectors_len; i++)
        if (found->selectors[i] != 0 &&
            mu_program_match(alloc, mu_program(alloc, found->selectors[i]), entry, &why) == MU_SELECTOR_NO)
            return false;
    for (uint32_t i = 0; i < ask->selectors_len; i++)
        if (ask->selectors[i] != 0 &&
            mu_program_match(alloc, mu_program(alloc, ask->selectors[i]), entry, &why) == MU_SELECTOR_NO)
            return false;
    return true;
}

static bool request_may_select(struct mu_alloc *alloc, const struct mu_device_request *request, uint32_t entry) {
    if (request->alternatives_len == 0)
        return may_select(alloc, &request->exactly, entry);
    for (uint32_t i = 0; i < request->alternatives_len; i++)
        if (may_select(alloc, &request->alternatives[i], entry))
            return true;
    return false;
}

bool mu_alloc_claim_local(struct mu_alloc *alloc, const struct mu_claim *claim) {
    mu_attempt_settle(alloc);
    for (uint32_t e = 0; e < alloc->wide_entries_len; e++)
        for (uint32_t r = 0; r < claim->requests_len; r++)
            if (request_may_select(alloc, &claim->requests[r], alloc->wide_entries[e]))
                return false;
    return true;
}
