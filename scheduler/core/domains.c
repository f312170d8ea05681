/* Domains of a unit; see domains.h. */
#include "scheduler/core/domains.h"
#include <stdlib.h>

/* Narrows the ids by one more label: nodes of one id and one value stay together. */
static uint32_t narrow(struct mu_try *t, uint32_t *id_of, mu_sym key) {
    const struct mu_topology *topology = mu_derived_topology(t->s, key);
    struct mu_map seen;
    uint32_t ids = 0;
    mu_map_init(&seen, t->arena, 7);
    for (uint32_t i = 0; i < t->s->derived->nodes_len; i++) {
        uint32_t node = t->s->derived->by_rank[i];
        uint32_t *pair = MU_NEW_ARRAY(t->arena, uint32_t, 2), id;
        pair[0] = id_of[node];
        pair[1] = topology->domain[node];
        id_of[node] = MU_NO_DOMAIN;
        if (pair[0] == MU_NO_DOMAIN || pair[1] == MU_NO_DOMAIN)
            continue;
        struct mu_str bytes = {(const char *)pair, 2 * sizeof *pair};
        if (!mu_map_get(&seen, bytes, &id)) {
            id = ids++;
            mu_map_put(&seen, bytes, id);
        }
        id_of[node] = id;
    }
    return ids;
}

/* Leaves only the domain where running members are; false where they are in several, or in none. */
static bool stay_with_running(struct mu_try *t, uint32_t *id_of, uint32_t first_part, uint32_t parts_len) {
    uint32_t theirs = MU_NO_DOMAIN;
    bool any = false;
    for (uint32_t p = first_part; p < first_part + parts_len; p++)
        for (uint32_t i = 0; i < t->parts[p].part->running_len; i++) {
            const struct mu_pod *pod = t->parts[p].part->running[i];
            uint32_t slot = mu_snapshot_pod_slot(t->s, pod);
            uint32_t node = slot == MU_NO_SLOT ? MU_NO_SLOT : t->s->pods[slot].node;
            if (pod->meta.deleted_ns != MU_TIME_NONE || node == MU_NO_SLOT)
                continue;
            if (id_of[node] == MU_NO_DOMAIN || (any && id_of[node] != theirs))
                return false;
            theirs = id_of[node];
            any = true;
        }
    for (uint32_t n = 0; any && n < t->s->nodes_len; n++)
        if (id_of[n] != theirs)
            id_of[n] = MU_NO_DOMAIN;
    return true;
}

static int domain_cmp(const void *a, const void *b) {
    const struct mu_domain *x = a, *y = b;
    if (x->members != y->members)
        return x->members > y->members ? -1 : 1;
    if (x->room != y->room)
        return x->room < y->room ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* What each domain takes: members counted up to `enough`, so that larger is no better than large enough. */
static void measure(struct mu_domains *d, uint32_t first_part, uint32_t parts_len, int64_t enough) {
    struct mu_try *t = d->t;
    int64_t *room = MU_NEW_ARRAY(t->arena, int64_t, d->len);
    for (uint32_t p = first_part; p < first_part + parts_len; p++)
        for (uint32_t c = t->parts[p].first_class; c < t->parts[p].first_class + t->parts[p].classes_len; c++) {
            memset(room, 0, d->len * sizeof *room);
            for (uint32_t n = 0; n < t->s->nodes_len; n++)
                if (d->id_of[n] != MU_NO_DOMAIN)
                    room[d->id_of[n]] += t->classes[c].prepared->room[n];
            for (uint32_t i = 0; i < d->len; i++) {
                d->items[i].room += room[i];
                d->items[i].members += mu_min(room[i], mu_try_left(t, c));
            }
        }
    for (uint32_t i = 0; i < d->len; i++)
        d->items[i].members = mu_min(d->items[i].members, enough);
}

void mu_domains_make(struct mu_domains *d, struct mu_try *t, const struct mu_unit *unit, uint32_t first_part,
                     uint32_t parts_len, mu_sym wish, const struct mu_bitset *mask) {
    *d = (struct mu_domains){.t = t, .id_of = MU_NEW_ARRAY(t->arena, uint32_t, t->s->nodes_cap)};
    for (uint32_t n = 0; n < t->s->nodes_len; n++)
        d->id_of[n] = t->s->nodes[n].object && (!mask || mu_bitset_has(mask, n)) ? 0 : MU_NO_DOMAIN;
    uint32_t ids = 1;
    for (uint32_t k = 0; k < unit->topology_len; k++)
        ids = narrow(t, d->id_of, unit->topology[k]);
    if (wish)
        ids = narrow(t, d->id_of, wish);
    if (!stay_with_running(t, d->id_of, first_part, parts_len))
        return;
    d->items = MU_NEW_ARRAY(t->arena, struct mu_domain, ids);
    bool *used = MU_NEW_ARRAY(t->arena, bool, ids);
    for (uint32_t n = 0; n < t->s->nodes_len; n++)
        if (d->id_of[n] != MU_NO_DOMAIN)
            used[d->id_of[n]] = true;
    d->len = ids;
    for (uint32_t i = 0; i < ids; i++)
        d->items[i].id = i;
    int64_t enough = 0;
    for (uint32_t p = first_part; p < first_part + parts_len; p++)
        enough += t->parts[p].need > 0 ? t->parts[p].need : 0;
    if (!enough) /* only surplus is left to place: the more the better */
        enough = INT64_MAX;
    measure(d, first_part, parts_len, enough);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < ids; i++)
        if (used[i])
            d->items[kept++] = d->items[i];
    d->len = kept;
    if (kept)
        qsort(d->items, kept, sizeof *d->items, domain_cmp);
}

const struct mu_bitset *mu_domains_mask(const struct mu_domains *d, struct mu_try *t, uint32_t i) {
    struct mu_bitset *mask = MU_NEW(t->arena, struct mu_bitset);
    *mask = mu_bitset_make(t->arena, t->s->nodes_len);
    for (uint32_t n = 0; n < t->s->nodes_len; n++)
        if (d->id_of[n] == d->items[i].id)
            mu_bitset_add(mask, n);
    return mask;
}

const struct mu_bitset *mu_domains_none(struct mu_try *t) {
    struct mu_bitset *mask = MU_NEW(t->arena, struct mu_bitset);
    *mask = mu_bitset_make(t->arena, t->s->nodes_len);
    return mask;
}

uint32_t mu_domains_in_use(const struct mu_domains *d, const struct mu_try *t, uint32_t first_part,
                           uint32_t parts_len) {
    uint32_t id = MU_NO_DOMAIN;
    for (size_t i = 0; i < t->placed.len && id == MU_NO_DOMAIN; i++) {
        uint32_t part = t->classes[t->placed_class[i]].part;
        if (part >= first_part && part < first_part + parts_len)
            id = d->id_of[t->placed.items[i].node];
    }
    for (uint32_t p = first_part; p < first_part + parts_len && id == MU_NO_DOMAIN; p++)
        for (uint32_t i = 0; i < t->parts[p].part->running_len && id == MU_NO_DOMAIN; i++) {
            uint32_t slot = mu_snapshot_pod_slot(t->s, t->parts[p].part->running[i]);
            if (slot != MU_NO_SLOT && t->s->pods[slot].node != MU_NO_SLOT)
                id = d->id_of[t->s->pods[slot].node];
        }
    for (uint32_t i = 0; i < d->len; i++)
        if (id != MU_NO_DOMAIN && d->items[i].id == id)
            return i;
    return MU_NO_SLOT;
}
