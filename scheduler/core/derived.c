/* What is worked out from the objects: the order of names, the domains of node labels. Made when first asked for,
 * thrown away as a whole when nodes come, go or change. */
#include "scheduler/core/prepared.h"
#include "scheduler/core/snapshot_internal.h"
#include <stdlib.h>

struct by_name {
    struct mu_str name;
    uint32_t slot;
};

static int by_name_cmp(const void *a, const void *b) {
    const struct by_name *x = a, *y = b;
    return mu_str_cmp(x->name, y->name);
}

static void rank_nodes(struct mu_snapshot *s, struct mu_derived *d) {
    d->rank = MU_NEW_ARRAY(d->arena, uint32_t, s->nodes_cap);
    d->by_rank = MU_NEW_ARRAY(d->arena, uint32_t, s->nodes_cap);
    struct by_name *order = MU_NEW_ARRAY(d->arena, struct by_name, s->live_nodes);
    for (uint32_t n = 0; n < s->nodes_len; n++)
        if (s->nodes[n].object)
            order[d->nodes_len++] = (struct by_name){mu_text(s->symbols, s->nodes[n].object->meta.name), n};
    if (d->nodes_len)
        qsort(order, d->nodes_len, sizeof *order, by_name_cmp);
    for (uint32_t i = 0; i < d->nodes_len; i++) {
        d->by_rank[i] = order[i].slot;
        d->rank[order[i].slot] = i;
    }
}

struct mu_derived *mu_derived_get(struct mu_snapshot *s) {
    if (s->derived)
        return s->derived;
    struct mu_arena *arena = mu_snapshot_child_arena(s);
    struct mu_derived *d = MU_NEW(arena, struct mu_derived);
    d->arena = arena;
    mu_map_init(&d->counter_index, arena, 1);
    mu_map_init(&d->carried_index, arena, 2);
    rank_nodes(s, d);
    s->derived = d;
    mu_snapshot_made(s);
    mu_carried_build(s);
    return d;
}

void mu_derived_drop(struct mu_snapshot *s) {
    if (!s->derived)
        return;
    mu_prepared_drop(s);
    for (uint32_t p = 0; p < s->pods_len; p++)
        s->pods[p].carried_len = 0;
    mu_arena_destroy(s->derived->arena);
    s->derived = NULL;
    s->derived_version++;
}

/* ------------------------------------------------------------------ domains */

static struct mu_topology *topology_make(struct mu_snapshot *s, struct mu_derived *d, mu_sym key) {
    struct mu_topology *t = MU_NEW(d->arena, struct mu_topology);
    t->key = key;
    t->domain = MU_NEW_ARRAY(d->arena, uint32_t, s->nodes_cap);
    struct by_name *labelled = MU_NEW_ARRAY(d->arena, struct by_name, d->nodes_len);
    uint32_t len = 0;
    for (uint32_t n = 0; n < s->nodes_cap; n++)
        t->domain[n] = MU_NO_DOMAIN;
    for (uint32_t i = 0; i < d->nodes_len; i++) {
        mu_sym value;
        if (mu_labels_get(&s->nodes[d->by_rank[i]].object->meta.labels, key, &value))
            labelled[len++] = (struct by_name){mu_text(s->symbols, value), d->by_rank[i]};
    }
    if (len)
        qsort(labelled, len, sizeof *labelled, by_name_cmp);
    t->values = MU_NEW_ARRAY(d->arena, mu_sym, len);
    for (uint32_t i = 0; i < len; i++) {
        if (i == 0 || !mu_str_eq(labelled[i].name, labelled[i - 1].name))
            t->values[t->domains++] = mu_symbol_find(s->symbols, labelled[i].name);
        t->domain[labelled[i].slot] = t->domains - 1;
    }
    t->domains_are_nodes = t->domains == len;
    return t;
}

const struct mu_topology *mu_derived_topology(struct mu_snapshot *s, mu_sym key) {
    struct mu_derived *d = mu_derived_get(s);
    for (size_t i = 0; i < d->topologies.len; i++)
        if (d->topologies.items[i]->key == key)
            return d->topologies.items[i];
    struct mu_topology *t = topology_make(s, d, key);
    MU_VEC_PUSH(d->arena, &d->topologies, t);
    return t;
}
