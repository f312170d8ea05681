/* Pods on nodes: the lasting attachments of the cluster, and the journal of tentative ones on top.
 *
 * Undo is exact because every change is its own inverse when taken back in reverse order: a pod that left the middle of
 * a node's list was replaced by the last one, and goes back to where it was. What is free is a sum cut to int64; where
 * a sum was or becomes cut, it is worked out anew, so that no history of cuts can stick. */
#include "scheduler/core/devices.h"
#include "scheduler/core/prepared.h"

void mu_snapshot_changed(struct mu_snapshot *s, uint32_t node) {
    s->changed_at[node] = s->changes;
    s->log[s->changes++ % s->log_cap] = node;
}

void mu_node_recount(struct mu_snapshot *s, uint32_t node, uint32_t resource) {
    struct mu_resource *r = s->resources.items[resource];
    mu_i128 left = r->allocatable[node];
    for (uint32_t i = 0; i < s->nodes[node].pods_len; i++) {
        const struct mu_needs *needs = s->needs.items[s->nodes[node].pods[i]->spec->id];
        for (uint32_t k = 0; k < needs->len; k++)
            if (needs->items[k].resource == resource)
                left -= needs->items[k].amount;
    }
    r->free[node] = mu_sat_i64(left);
}

/* Takes (sign -1) or gives back (+1) what the pod asks for. The node's list of pods is right already. */
static void charge(struct mu_snapshot *s, const struct mu_pod *pod, uint32_t node, int sign) {
    const struct mu_needs *needs = s->needs.items[pod->spec->id];
    for (uint32_t i = 0; i < needs->len; i++) {
        int64_t *free = &s->resources.items[needs->items[i].resource]->free[node], left;
        if (__builtin_add_overflow(*free, sign * needs->items[i].amount, &left) || *free == INT64_MIN ||
            left == INT64_MIN)
            mu_node_recount(s, node, needs->items[i].resource);
        else
            *free = left;
    }
}

/* Room for one more, before anything is changed: memory may run out here, and nowhere after. */
static void list_reserve(struct mu_snapshot *s, uint32_t node) {
    struct mu_snap_node *n = &s->nodes[node];
    if (n->pods_len < n->pods_cap)
        return;
    uint32_t cap = n->pods_cap ? n->pods_cap * 2 : 8;
    const struct mu_pod **pods =
        mu_arena_grow(s->arena, n->pods, n->pods_cap * sizeof *pods, cap * sizeof *pods, alignof(void *));
    n->slots =
        mu_arena_grow(s->arena, n->slots, n->pods_cap * sizeof *n->slots, cap * sizeof *n->slots, alignof(uint32_t));
    n->pods = pods;
    n->pods_cap = cap;
}

static void list_append(struct mu_snapshot *s, uint32_t pod, uint32_t node) {
    struct mu_snap_node *n = &s->nodes[node];
    s->pods[pod].node = node;
    s->pods[pod].position = n->pods_len;
    n->pods[n->pods_len] = s->pods[pod].pod;
    n->slots[n->pods_len++] = pod;
}

static void list_move(struct mu_snapshot *s, struct mu_snap_node *n, uint32_t from, uint32_t to) {
    n->pods[to] = n->pods[from];
    n->slots[to] = n->slots[from];
    s->pods[n->slots[to]].position = to;
}

static void list_remove(struct mu_snapshot *s, uint32_t pod) {
    struct mu_snap_node *n = &s->nodes[s->pods[pod].node];
    uint32_t position = s->pods[pod].position, last = --n->pods_len;
    if (position != last)
        list_move(s, n, last, position);
    s->pods[pod].node = MU_NO_SLOT;
}

/* The inverse of list_remove, with nothing changed on the node in between. */
static void list_restore(struct mu_snapshot *s, uint32_t pod, uint32_t node, uint32_t position) {
    struct mu_snap_node *n = &s->nodes[node];
    uint32_t last = n->pods_len++;
    if (position != last)
        list_move(s, n, position, last);
    n->pods[position] = s->pods[pod].pod;
    n->slots[position] = pod;
    s->pods[pod].node = node;
    s->pods[pod].position = position;
}

void mu_node_attach(struct mu_snapshot *s, uint32_t pod, uint32_t node) {
    list_reserve(s, node);
    list_append(s, pod, node);
    charge(s, s->pods[pod].pod, node, -1);
    if (s->derived)
        mu_counters_pod(s, pod, node, 1);
    mu_snapshot_changed(s, node);
}

void mu_node_detach(struct mu_snapshot *s, uint32_t pod) {
    uint32_t node = s->pods[pod].node;
    list_remove(s, pod);
    charge(s, s->pods[pod].pod, node, 1);
    if (s->derived)
        mu_counters_pod(s, pod, node, -1);
    mu_snapshot_changed(s, node);
}

void mu_snapshot_place(struct mu_snapshot *s, uint32_t pod, uint32_t node, struct mu_prepared *prepared) {
    MU_ASSERT(s->pods[pod].node == MU_NO_SLOT);
    list_reserve(s, node);
    MU_VEC_PUSH(s->arena, &s->journal, (struct mu_change){MU_CHANGE_PLACED, pod, node, 0, prepared});
    mu_node_attach(s, pod, node);
    if (prepared)
        mu_prepared_reserve(s, prepared, s->pods[pod].pod, node);
}

void mu_snapshot_take_off(struct mu_snapshot *s, uint32_t pod) {
    const struct mu_snap_pod *p = &s->pods[pod];
    MU_ASSERT(p->node != MU_NO_SLOT);
    MU_VEC_PUSH(s->arena, &s->journal, (struct mu_change){MU_CHANGE_TAKEN_OFF, pod, p->node, p->position, NULL});
    mu_node_detach(s, pod);
    if (s->devices)
        mu_devices_pod_off(s->devices, pod);
}

mu_mark mu_snapshot_mark(const struct mu_snapshot *s) {
    return s->journal.len;
}

void mu_snapshot_rollback(struct mu_snapshot *s, mu_mark mark) {
    while (s->journal.len > mark) {
        struct mu_change change = s->journal.items[--s->journal.len];
        if (change.kind == MU_CHANGE_PLACED) {
            if (change.prepared)
                mu_prepared_unreserve(s, change.prepared, s->pods[change.pod].pod, change.node);
            else if (s->devices)
                mu_devices_unreserve(s->devices, change.pod);
            mu_node_detach(s, change.pod);
            continue;
        }
        if (s->devices)
            mu_devices_pod_back(s->devices, change.pod);
        list_restore(s, change.pod, change.node, change.position);
        charge(s, s->pods[change.pod].pod, change.node, -1);
        if (s->derived)
            mu_counters_pod(s, change.pod, change.node, 1);
        mu_snapshot_changed(s, change.node);
    }
    if (s->devices && !s->journal.len)
        mu_devices_back_to(s->devices, 0);
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    return mu_hash_bytes(hash, &value, sizeof value);
}

static uint64_t mix_name(const struct mu_snapshot *s, uint64_t hash, mu_sym name) {
    struct mu_str text = mu_text(s->symbols, name);
    return mu_hash_bytes(hash, text.ptr, text.len);
}

/* Slots and symbols are numbered as objects came, so that neither may count: sums of one hash for each fact. */
uint64_t mu_snapshot_digest(const struct mu_snapshot *s) {
    uint64_t sum = s->journal.len + (s->devices ? mu_devices_digest(s->devices) : 0);
    for (uint32_t n = 0; n < s->nodes_len; n++) {
        if (!s->nodes[n].object)
            continue;
        uint64_t node = mix_name(s, 1, s->nodes[n].object->meta.name);
        sum += mix(node, s->nodes[n].pods_len);
        for (size_t r = 0; r < s->resources.len; r++) {
            const struct mu_resource *resource = s->resources.items[r];
            if (resource->free[n] || resource->allocatable[n])
                sum += mix(mix(mix_name(s, node, resource->name), (uint64_t)resource->free[n]),
                           (uint64_t)resource->allocatable[n]);
        }
    }
    for (uint32_t p = 0; p < s->pods_len; p++) {
        const struct mu_snap_pod *pod = &s->pods[p];
        if (!pod->pod)
            continue;
        uint64_t hash = mix_name(s, mix_name(s, 2, pod->pod->meta.namespace), pod->pod->meta.name);
        sum += pod->node == MU_NO_SLOT ? hash : mix_name(s, hash, s->nodes[pod->node].object->meta.name);
    }
    return sum;
}
