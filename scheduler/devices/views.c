/* Views: what one node sees of the pools (upstream's GatherPools). */
#include "scheduler/devices/pools.h"
#include <stdlib.h>

bool mu_reach_matches(const struct mu_alloc *alloc, const struct mu_reach_of_device *reach,
                      const struct mu_node *node) {
    if (reach->node != 0)
        return reach->node == node->meta.name;
    if (reach->all_nodes)
        return true;
    return reach->has_selector && mu_node_terms_match(reach->terms, reach->terms_len, &node->meta.labels,
                                                      node->meta.name, alloc->input.symbols);
}

static bool slice_matches(const struct mu_alloc *alloc, const struct mu_slice *slice, const struct mu_node *node) {
    if (!slice->per_device || slice->reach.node != 0 || slice->reach.all_nodes || slice->reach.has_selector)
        return mu_reach_matches(alloc, &slice->reach, node);
    for (uint32_t i = 0; i < slice->devices_len; i++)
        if (mu_reach_matches(alloc, &slice->devices[i].reach, node))
            return true;
    return false;
}

/* Without the gate for partitions such slices are not understood. */
static bool understood(const struct mu_alloc *alloc, const struct mu_slice *slice) {
    return mu_alloc_has(alloc, MU_ALLOC_PARTITIONABLE) || (!slice->per_device && slice->counter_sets_len == 0);
}

static int cmp_indexes(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

typedef MU_VEC(uint32_t) indexes;

static void add_matching(struct mu_alloc *alloc, const struct mu_node *node, const uint32_t *slices, size_t len,
                         indexes *found) {
    for (size_t i = 0; i < len; i++) {
        const struct mu_slice *slice = alloc->slices[slices[i]].slice;
        if (understood(alloc, slice) && slice_matches(alloc, slice, node))
            MU_VEC_PUSH(alloc->scratch, found, slices[i]);
    }
}

static uint32_t family_of(const struct mu_alloc *alloc, uint32_t slice) {
    return alloc->pools[alloc->slices[slice].pool].family;
}

/* The slices of one pool that count for the node, of the newest generation among them: those that reach it, and those
 * with counters, wherever they are for. [*at, end) of `found` are the family's; *at moves on. */
static void take_family(struct mu_alloc *alloc, const indexes *found, size_t *at, indexes *slices) {
    uint32_t first = found->items[*at], family = family_of(alloc, first);
    uint32_t begin = alloc->slices[first].pool, end;
    while (begin > 0 && alloc->pools[begin - 1].family == family)
        begin--;
    for (end = begin; end < alloc->pools_len && alloc->pools[end].family == family; end++)
        continue;
    slices->len = 0;
    uint32_t pool = MU_NO_INDEX;
    uint32_t stop = alloc->pools[end - 1].first_slice + alloc->pools[end - 1].slices_len;
    for (uint32_t s = alloc->pools[begin].first_slice; s < stop; s++) {
        bool reaches = *at < found->len && found->items[*at] == s;
        *at += reaches;
        bool counters = alloc->slices[s].slice->counter_sets_len > 0 && mu_alloc_has(alloc, MU_ALLOC_PARTITIONABLE);
        if (!reaches && !counters)
            continue;
        if (alloc->slices[s].pool != pool)
            slices->len = 0; /* generations come in ascending order */
        pool = alloc->slices[s].pool;
        MU_VEC_PUSH(alloc->scratch, slices, s);
    }
}

static int cmp_names(const void *a, const void *b) {
    mu_sym x = *(const mu_sym *)a, y = *(const mu_sym *)b;
    return x < y ? -1 : x > y;
}

/* Two devices of one name among those that reach the node. */
static bool has_twins(struct mu_alloc *alloc, const struct mu_view_pool *view) {
    if (!alloc->pools[view->pool].twins)
        return false;
    struct mu_arena_mark mark = mu_arena_mark(alloc->scratch);
    MU_VEC(mu_sym) names = {0};
    for (uint32_t s = 0; s < view->slices_len; s++) {
        const struct mu_slice *slice = alloc->slices[view->slices[s]].slice;
        for (uint32_t i = 0; i < slice->devices_len; i++)
            MU_VEC_PUSH(alloc->scratch, &names, slice->devices[i].name);
    }
    qsort(names.items, names.len, sizeof *names.items, cmp_names);
    bool twins = false;
    for (size_t i = 1; i < names.len; i++)
        twins = twins || names.items[i] == names.items[i - 1];
    mu_arena_rollback(alloc->scratch, mark);
    return twins;
}

/* False where the pool is of no matter: its driver is about to replace this generation. */
static bool judge(struct mu_alloc *alloc, const indexes *slices, struct mu_view_pool *ret) {
    const struct mu_pool *pool = &alloc->pools[ret->pool];
    int64_t wanted = alloc->slices[slices->items[0]].slice->slice_count;
    ret->state = MU_VIEW_USABLE;
    if ((int64_t)slices->len != wanted) {
        if (!pool->newest)
            return false;
        if ((int64_t)pool->slices_len != wanted)
            ret->state = MU_VIEW_INCOMPLETE;
    }
    if (ret->state == MU_VIEW_USABLE && (pool->invalid.len > 0 || has_twins(alloc, ret)))
        ret->state = MU_VIEW_INVALID;
    return true;
}

static bool make_view_pool(struct mu_alloc *alloc, const indexes *slices, struct mu_view_pool *ret) {
    *ret = (struct mu_view_pool){.pool = alloc->slices[slices->items[0]].pool};
    uint32_t *kept = MU_NEW_ARRAY(alloc->views_arena, uint32_t, slices->len);
    bool split = mu_alloc_has(alloc, MU_ALLOC_PARTITIONABLE);
    for (size_t i = 0; i < slices->len; i++) {
        const struct mu_pool_slice *slice = &alloc->slices[slices->items[i]];
        /* Counters and devices never share a slice. */
        if (split && slice->slice->counter_sets_len > 0)
            continue;
        kept[ret->slices_len++] = slices->items[i];
        ret->binding = ret->binding || slice->binding;
    }
    ret->slices = kept;
    return judge(alloc, slices, ret);
}

static struct mu_view *make_view(struct mu_alloc *alloc, const struct mu_node *node) {
    struct mu_view *view = MU_NEW(alloc->views_arena, struct mu_view);
    view->node = node;
    struct mu_arena_mark mark = mu_arena_mark(alloc->scratch);
    indexes found = {0}, slices = {0};
    MU_VEC(struct mu_view_pool) plain = {0}, binding = {0};
    uint32_t index;
    if (mu_map_get(&alloc->slices_by_node, mu_text(alloc->input.symbols, node->meta.name), &index)) {
        const struct mu_node_slices *local = &alloc->node_slices.items[index];
        add_matching(alloc, node, local->slices.items, local->slices.len, &found);
    }
    add_matching(alloc, node, alloc->wide_slices, alloc->wide_slices_len, &found);
    if (found.len > 1)
        qsort(found.items, found.len, sizeof *found.items, cmp_indexes);
    for (size_t at = 0; at < found.len;) {
        take_family(alloc, &found, &at, &slices);
        struct mu_view_pool pool;
        if (!make_view_pool(alloc, &slices, &pool))
            continue;
        view->invalid = view->invalid || pool.state == MU_VIEW_INVALID;
        if (pool.binding && pool.state == MU_VIEW_USABLE)
            MU_VEC_PUSH(alloc->scratch, &binding, pool);
        else
            MU_VEC_PUSH(alloc->scratch, &plain, pool);
    }
    struct mu_view_pool *pools = MU_NEW_ARRAY(alloc->views_arena, struct mu_view_pool, plain.len + binding.len);
    for (size_t i = 0; i < plain.len; i++)
        pools[view->pools_len++] = plain.items[i];
    for (size_t i = 0; i < binding.len; i++)
        pools[view->pools_len++] = binding.items[i];
    view->pools = pools;
    mu_arena_rollback(alloc->scratch, mark);
    return view;
}

void mu_alloc_forget_nodes(struct mu_alloc *alloc) {
    memset(&alloc->views, 0, sizeof alloc->views);
    alloc->views_replaced = 0;
    mu_arena_rollback(alloc->views_arena, alloc->views_begin);
    mu_map_init(&alloc->views_by_node, alloc->views_arena, 1);
}

const struct mu_view *mu_view_of(struct mu_alloc *alloc, const struct mu_node *node) {
    /* Views of nodes that changed leave their memory behind, until there is more of that than of the others. While an
     * attempt runs, it has views in hand. */
    if (alloc->open == NULL && alloc->views_replaced > 64 + alloc->views.len)
        mu_alloc_forget_nodes(alloc);
    struct mu_str name = mu_text(alloc->input.symbols, node->meta.name);
    uint32_t index;
    if (mu_map_get(&alloc->views_by_node, name, &index)) {
        if (alloc->views.items[index]->node != node) {
            alloc->views.items[index] = make_view(alloc, node);
            alloc->views_replaced++;
        }
        return alloc->views.items[index];
    }
    struct mu_view *view = make_view(alloc, node);
    MU_VEC_PUSH(alloc->views_arena, &alloc->views, view);
    mu_map_put(&alloc->views_by_node, name, (uint32_t)alloc->views.len - 1);
    return view;
}
