/* Which pods use which claims, and what becomes of a claim when they go; see devices.h. */
#include "scheduler/core/devices_internal.h"
#include <stdlib.h>

/* Pods on nodes by their native PodGroup: lists through `next`. */
struct group_pods {
    struct mu_map first; /* namespace and group to the slot of a pod */
    uint32_t *next;      /* by slot; MU_NO_SLOT: the last one */
};

static void index_groups(struct mu_devices *d, struct group_pods *groups) {
    const struct mu_snapshot *s = d->s;
    mu_map_init(&groups->first, d->stack, 12);
    groups->next = MU_NEW_ARRAY(d->stack, uint32_t, s->pods_len);
    for (uint32_t p = 0; p < s->pods_len; p++) {
        groups->next[p] = MU_NO_SLOT;
        const struct mu_pod *pod = s->pods[p].pod;
        if (!pod || s->pods[p].node == MU_NO_SLOT || !pod->group)
            continue;
        mu_sym *key = MU_NEW_ARRAY(d->stack, mu_sym, 2);
        key[0] = pod->meta.namespace;
        key[1] = pod->group;
        struct mu_str bytes = {(const char *)key, 2 * sizeof *key};
        mu_map_get(&groups->first, bytes, &groups->next[p]);
        mu_map_put(&groups->first, bytes, p);
    }
}

struct uses {
    struct mu_claim_use_of_pod *items;
    size_t len, cap;
};

static void add_use(struct mu_devices *d, struct uses *uses, uint32_t pod, uint32_t state) {
    MU_VEC_PUSH(d->arena, uses, (struct mu_claim_use_of_pod){pod, state});
    d->states.items[state].users++;
}

/* Consumers that are gone do not keep a claim (contract 4.5). */
static void add_users(struct mu_devices *d, const struct group_pods *groups, struct uses *uses, uint32_t state) {
    const struct mu_snapshot *s = d->s;
    const struct mu_claim *claim = d->states.items[state].claim;
    for (uint32_t i = 0; i < claim->reserved_for_len; i++) {
        const struct mu_consumer *consumer = &claim->reserved_for[i];
        if (mu_str_eq(mu_text(s->symbols, consumer->resource), MU_STR("podgroups"))) {
            mu_sym key[2] = {claim->meta.namespace, consumer->name};
            uint32_t pod = MU_NO_SLOT;
            mu_map_get(&groups->first, (struct mu_str){(const char *)key, sizeof key}, &pod);
            for (; pod != MU_NO_SLOT; pod = groups->next[pod])
                add_use(d, uses, pod, state);
            continue;
        }
        uint32_t pod = mu_snapshot_find_pod(s, claim->meta.namespace, consumer->name);
        if (pod != MU_NO_SLOT && s->pods[pod].node != MU_NO_SLOT &&
            (!consumer->uid || s->pods[pod].pod->meta.uid == consumer->uid))
            add_use(d, uses, pod, state);
    }
}

static int use_cmp(const void *a, const void *b) {
    const struct mu_claim_use_of_pod *x = a, *y = b;
    if (x->pod != y->pod)
        return x->pod < y->pod ? -1 : 1;
    return x->state < y->state ? -1 : x->state > y->state;
}

void mu_devices_find_users(struct mu_devices *d) {
    struct mu_arena_mark mark = mu_arena_mark(d->stack);
    struct group_pods groups;
    struct uses uses = {0};
    index_groups(d, &groups);
    for (uint32_t i = 0; i < d->states.len; i++)
        add_users(d, &groups, &uses, i);
    if (uses.len)
        qsort(uses.items, uses.len, sizeof *uses.items, use_cmp);
    d->uses = uses.items;
    d->uses_len = (uint32_t)uses.len;
    mu_arena_rollback(d->stack, mark);
}

/* ------------------------------------------------------------------ pods that go for the time being */

static uint32_t first_use(const struct mu_devices *d, uint32_t pod) {
    uint32_t low = 0, high = d->uses_len;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (d->uses[middle].pod < pod)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool mu_devices_has_user(const struct mu_devices *d, uint32_t pod) {
    uint32_t first = first_use(d, pod);
    return first < d->uses_len && d->uses[first].pod == pod;
}

void mu_devices_pod_off(struct mu_devices *d, uint32_t pod) {
    uint32_t first = first_use(d, pod);
    if (first == d->uses_len || d->uses[first].pod != pod)
        return;
    mu_devices_open(d, pod);
    for (uint32_t i = first; i < d->uses_len && d->uses[i].pod == pod; i++) {
        struct mu_claim_state *state = &d->states.items[d->uses[i].state];
        mu_devices_save_state(d, d->uses[i].state);
        if (--state->users || !state->allocated)
            continue;
        state->allocated = false;
        mu_alloc_release(d->alloc, state->claim, 0, state->grant.results, state->grant.results_len);
    }
}

void mu_devices_pod_back(struct mu_devices *d, uint32_t pod) {
    if (d->frames.len && d->frames.items[d->frames.len - 1].pod == pod)
        mu_devices_close(d);
}

/* ------------------------------------------------------------------ stale allocations */

static bool listed(const uint32_t *slots, uint32_t len, uint32_t slot) {
    uint32_t low = 0, high = len;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (slots[middle] == slot)
            return true;
        if (slots[middle] < slot)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

bool mu_devices_is_stale(const struct mu_devices *d, const struct mu_claim *claim, const uint32_t *slots, uint32_t len,
                         mu_sym group) {
    for (uint32_t i = 0; i < claim->reserved_for_len; i++) {
        const struct mu_consumer *consumer = &claim->reserved_for[i];
        if (mu_str_eq(mu_text(d->s->symbols, consumer->resource), MU_STR("podgroups"))) {
            uint32_t state;
            if (consumer->name != group || !mu_devices_find(d, claim, &state) || d->states.items[state].users)
                return false;
            continue;
        }
        if (!listed(slots, len, mu_snapshot_find_pod(d->s, claim->meta.namespace, consumer->name)))
            return false;
    }
    return claim->allocated;
}
