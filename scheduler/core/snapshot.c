/* Snapshot: slots for nodes and pods, numbers for resources, and what comes and goes in the cluster. */
#include "scheduler/base/limits.h"
#include "scheduler/core/devices.h"
#include "scheduler/core/prepared.h"
#include "scheduler/core/snapshot_internal.h"
#include "scheduler/core/waiting.h"

#define HASH_SEED                                                                                                      \
    UINT64_C(0x6d75737465720001) /* any constant: plans must not depend on it, and nothing iterates maps */

static struct mu_str sym_key(const mu_sym *sym) {
    return (struct mu_str){(const char *)sym, sizeof *sym};
}

/* Namespace and name stand side by side in every object's meta: eight bytes that are the key. */
static struct mu_str meta_key(const struct mu_meta *meta) {
    _Static_assert(offsetof(struct mu_meta, name) == offsetof(struct mu_meta, namespace) + sizeof(mu_sym), "adjacent");
    return (struct mu_str){(const char *)&meta->namespace, 2 * sizeof(mu_sym)};
}

struct creation {
    struct mu_arena *arena;
    struct mu_symbols *symbols;
    struct mu_snapshot *ret;
};

static int create(void *ctx, struct mu_err *err) {
    struct creation *c = ctx;
    (void)err;
    struct mu_snapshot *s = MU_NEW(c->arena, struct mu_snapshot);
    s->arena = c->arena;
    s->symbols = c->symbols;
    s->first_free_pod = MU_NO_SLOT;
    s->fw.snapshot = s;
    struct mu_map *maps[] = {&s->node_index,      &s->pod_index,           &s->pvc_index,      &s->pv_index,
                             &s->namespace_index, &s->storage_class_index, &s->csi_node_index, &s->csi_driver_index};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        mu_map_init(maps[i], c->arena, HASH_SEED);
    s->sym_pods = mu_intern(c->symbols, MU_STR("pods"));
    static const char *const member_labels[] = {"scheduling.x-k8s.io/pod-group", "leaderworkerset.sigs.k8s.io/name",
                                                "kueue.x-k8s.io/pod-group-name",
                                                "pod-group.scheduling.sigs.k8s.io/name",
                                                "scheduling.muster.dev/group-name"};
    for (size_t i = 0; i < sizeof member_labels / sizeof *member_labels; i++)
        s->member_labels[i] = mu_intern(c->symbols, mu_str_from(member_labels[i]));
    c->ret = s;
    return 0;
}

struct mu_snapshot *mu_snapshot_create(struct mu_symbols *symbols, size_t limit_bytes) {
    struct creation c = {mu_arena_create(limit_bytes, NULL), symbols, NULL};
    if (c.arena && mu_arena_run(c.arena, create, &c, NULL) != 0)
        mu_arena_destroy(c.arena);
    return c.ret;
}

void mu_snapshot_destroy(struct mu_snapshot *s) {
    if (!s)
        return;
    mu_waiting_drop(s);
    mu_devices_drop(s);
    mu_derived_drop(s);
    mu_arena_destroy(s->making);
    mu_arena_destroy(s->arena);
}

struct mu_arena *mu_snapshot_child_arena(struct mu_snapshot *s) {
    mu_arena_destroy(s->making);
    s->making = NULL;
    s->making = mu_arena_create_child(s->arena);
    return s->making;
}

void mu_snapshot_made(struct mu_snapshot *s) {
    s->making = NULL;
}

size_t mu_snapshot_bytes(const struct mu_snapshot *s) {
    return mu_arena_bytes(s->arena) + (s->derived ? mu_arena_bytes(s->derived->arena) : 0) + mu_prepared_bytes(s) +
           mu_waiting_bytes(s);
}

/* ------------------------------------------------------------------ resources */

static void resource_number(struct mu_snapshot *s, mu_sym name, uint32_t index) {
    if (name >= s->resource_of_len) {
        size_t len = (size_t)name + 64;
        s->resource_of = mu_arena_grow(s->arena, s->resource_of, s->resource_of_len * sizeof *s->resource_of,
                                       len * sizeof *s->resource_of, alignof(uint32_t));
        memset(s->resource_of + s->resource_of_len, 0, (len - s->resource_of_len) * sizeof *s->resource_of);
        s->resource_of_len = len;
    }
    s->resource_of[name] = index + 1;
}

static uint32_t resource_make(struct mu_snapshot *s, mu_sym name) {
    uint32_t index = mu_snapshot_resource(s, name);
    if (index != MU_NO_SLOT)
        return index;
    struct mu_resource *r = MU_NEW(s->arena, struct mu_resource);
    r->name = name;
    r->free = MU_NEW_ARRAY(s->arena, int64_t, s->nodes_cap);
    r->allocatable = MU_NEW_ARRAY(s->arena, int64_t, s->nodes_cap);
    index = (uint32_t)s->resources.len;
    MU_VEC_PUSH(s->arena, &s->resources, r);
    resource_number(s, name, index);
    return index;
}

const struct mu_needs *mu_snapshot_needs(struct mu_snapshot *s, const struct mu_pod_spec *spec) {
    while (s->needs.len <= spec->id)
        MU_VEC_PUSH(s->arena, &s->needs, NULL);
    struct mu_needs *needs = s->needs.items[spec->id];
    if (needs && needs->spec == spec)
        return needs;
    needs = MU_NEW(s->arena, struct mu_needs);
    needs->spec = spec;
    needs->items = MU_NEW_ARRAY(s->arena, struct mu_need, spec->requests_len + 1);
    needs->items[needs->len++] = (struct mu_need){resource_make(s, s->sym_pods), 1};
    for (uint32_t i = 0; i < spec->requests_len; i++)
        needs->items[needs->len++] =
            (struct mu_need){resource_make(s, spec->requests[i].resource), spec->requests[i].amount};
    s->needs.items[spec->id] = needs;
    return needs;
}

/* ------------------------------------------------------------------ nodes */

uint32_t mu_snapshot_node_slot(const struct mu_snapshot *s, mu_sym name) {
    uint32_t slot;
    return mu_map_get(&s->node_index, sym_key(&name), &slot) ? slot : MU_NO_SLOT;
}

static void nodes_grow(struct mu_snapshot *s, uint32_t wanted) {
    if (wanted <= s->nodes_cap)
        return;
    uint32_t cap = s->nodes_cap ? s->nodes_cap * 2 : 16;
    while (cap < wanted)
        cap *= 2;
    struct mu_snap_node *nodes = MU_NEW_ARRAY(s->arena, struct mu_snap_node, cap);
    if (s->nodes_len)
        memcpy(nodes, s->nodes, s->nodes_len * sizeof *nodes);
    for (size_t i = 0; i < s->resources.len; i++) {
        struct mu_resource *r = s->resources.items[i];
        int64_t *free = MU_NEW_ARRAY(s->arena, int64_t, cap), *allocatable = MU_NEW_ARRAY(s->arena, int64_t, cap);
        if (s->nodes_len) {
            memcpy(free, r->free, s->nodes_len * sizeof *free);
            memcpy(allocatable, r->allocatable, s->nodes_len * sizeof *allocatable);
        }
        r->free = free;
        r->allocatable = allocatable;
    }
    /* A reader further behind than the log is long starts over, so the old entries need not be moved. */
    s->log = MU_NEW_ARRAY(s->arena, uint32_t, (size_t)cap * 2);
    uint64_t *changed_at = MU_NEW_ARRAY(s->arena, uint64_t, cap);
    if (s->nodes_len)
        memcpy(changed_at, s->changed_at, s->nodes_len * sizeof *changed_at);
    s->changed_at = changed_at;
    s->log_cap = cap * 2;
    s->changes += s->log_cap;
    s->nodes = nodes;
    s->nodes_cap = cap;
}

static bool labels_equal(const struct mu_labels *a, const struct mu_labels *b) {
    if (a->len != b->len)
        return false;
    for (uint32_t i = 0; i < a->len; i++)
        if (a->items[i].key != b->items[i].key || a->items[i].value != b->items[i].value)
            return false;
    return true;
}

/* Do plugins judge both alike, but for what is allocatable? Then nothing that was worked out is stale. */
static bool nodes_alike(const struct mu_node *a, const struct mu_node *b) {
    if (a->unschedulable != b->unschedulable || a->taints_len != b->taints_len || a->images_len != b->images_len ||
        a->features_len != b->features_len || !labels_equal(&a->meta.labels, &b->meta.labels) ||
        !labels_equal(&a->meta.annotations, &b->meta.annotations))
        return false;
    for (uint32_t i = 0; i < a->taints_len; i++)
        if (a->taints[i].key != b->taints[i].key || a->taints[i].value != b->taints[i].value ||
            a->taints[i].effect != b->taints[i].effect)
            return false;
    for (uint32_t i = 0; i < a->images_len; i++)
        if (a->images[i].name != b->images[i].name || a->images[i].bytes != b->images[i].bytes)
            return false;
    for (uint32_t i = 0; i < a->features_len; i++)
        if (a->features[i] != b->features[i])
            return false;
    return true;
}

/* Sets what is free of every resource from scratch. */
static void node_recount(struct mu_snapshot *s, uint32_t slot) {
    for (size_t i = 0; i < s->resources.len; i++)
        mu_node_recount(s, slot, (uint32_t)i);
}

static void node_set_allocatable(struct mu_snapshot *s, uint32_t slot, const struct mu_node *node) {
    uint32_t pods = resource_make(s, s->sym_pods);
    for (size_t i = 0; i < s->resources.len; i++)
        s->resources.items[i]->allocatable[slot] = 0;
    /* A node that says nothing about the number of pods sets no limit to it. */
    s->resources.items[pods]->allocatable[slot] = INT64_MAX;
    for (uint32_t i = 0; i < node->allocatable_len; i++) {
        uint32_t resource = resource_make(s, node->allocatable[i].resource); /* may move the list */
        s->resources.items[resource]->allocatable[slot] = node->allocatable[i].amount;
    }
    node_recount(s, slot);
}

/* Pods that were bound to a node before it was known are attached when it comes. */
static void node_adopt(struct mu_snapshot *s, uint32_t slot, mu_sym name) {
    for (uint32_t i = 0; i < s->pods_len; i++)
        if (s->pods[i].pod && s->pods[i].node == MU_NO_SLOT && s->pods[i].pod->node == name &&
            mu_pod_holds_room(s->pods[i].pod))
            mu_node_attach(s, i, slot);
}

static int check_limits(const struct mu_snapshot *s, const struct mu_node *node, struct mu_err *err) {
    if (s->live_nodes >= MU_LIMIT_NODES)
        return mu_err_set(err, MU_E_LIMIT, "more than %d nodes", MU_LIMIT_NODES);
    size_t fresh = 0;
    for (uint32_t i = 0; i < node->allocatable_len; i++)
        fresh += mu_snapshot_resource(s, node->allocatable[i].resource) == MU_NO_SLOT;
    if (s->resources.len + fresh > MU_LIMIT_RESOURCES)
        return mu_err_set(err, MU_E_LIMIT, "Node " MU_STR_FMT ": more than %d names of resources in the cluster",
                          MU_STR_ARG(mu_text(s->symbols, node->meta.name)), MU_LIMIT_RESOURCES);
    return 0;
}

struct put_node {
    struct mu_snapshot *s;
    const struct mu_node *node;
    bool adopt;
};

static int put_node(void *ctx, struct mu_err *err) {
    struct put_node *put = ctx;
    struct mu_snapshot *s = put->s;
    const struct mu_node *node = put->node;
    uint32_t slot = mu_snapshot_node_slot(s, node->meta.name);
    mu_devices_drop(s);
    if (slot != MU_NO_SLOT) {
        if (!nodes_alike(s->nodes[slot].object, node))
            mu_derived_drop(s);
        mu_map_remove(&s->node_index, sym_key(&s->nodes[slot].object->meta.name));
        mu_map_put(&s->node_index, sym_key(&node->meta.name), slot);
        s->nodes[slot].object = node;
        node_set_allocatable(s, slot, node);
        mu_snapshot_changed(s, slot);
        return 0;
    }
    int rc = check_limits(s, node, err);
    if (rc)
        return rc;
    mu_derived_drop(s);
    nodes_grow(s, s->nodes_len + 1);
    slot = s->free_nodes.len ? s->free_nodes.items[--s->free_nodes.len] : s->nodes_len++;
    s->nodes[slot].object = node;
    s->nodes[slot].pods_len = 0;
    mu_map_put(&s->node_index, sym_key(&node->meta.name), slot);
    s->live_nodes++;
    node_set_allocatable(s, slot, node);
    if (put->adopt)
        node_adopt(s, slot, node->meta.name);
    mu_snapshot_changed(s, slot);
    return 0;
}

int mu_snapshot_put_node(struct mu_snapshot *s, const struct mu_node *node, struct mu_err *err) {
    if (node->meta.invalid.len) { /* refused alone: as if it were not there */
        mu_snapshot_remove_node(s, node->meta.name);
        return 0;
    }
    struct put_node put = {s, node, true};
    return mu_arena_run(s->arena, put_node, &put, err);
}

void mu_snapshot_remove_node(struct mu_snapshot *s, mu_sym name) {
    uint32_t slot = mu_snapshot_node_slot(s, name);
    if (slot == MU_NO_SLOT)
        return;
    mu_devices_drop(s);
    mu_derived_drop(s);
    while (s->nodes[slot].pods_len)
        mu_node_detach(s, s->nodes[slot].slots[s->nodes[slot].pods_len - 1]);
    mu_map_remove(&s->node_index, sym_key(&s->nodes[slot].object->meta.name));
    s->nodes[slot].object = NULL;
    s->live_nodes--;
    MU_VEC_PUSH(s->arena, &s->free_nodes, slot);
    for (size_t i = 0; i < s->resources.len; i++)
        s->resources.items[i]->free[slot] = s->resources.items[i]->allocatable[slot] = 0;
}

/* ------------------------------------------------------------------ pods */

uint32_t mu_snapshot_pod_slot(const struct mu_snapshot *s, const struct mu_pod *pod) {
    uint32_t slot;
    return mu_map_get(&s->pod_index, meta_key(&pod->meta), &slot) ? slot : MU_NO_SLOT;
}

uint32_t mu_snapshot_find_pod(const struct mu_snapshot *s, mu_sym namespace, mu_sym name) {
    const struct mu_meta meta = {.namespace = namespace, .name = name};
    uint32_t slot;
    return mu_map_get(&s->pod_index, meta_key(&meta), &slot) ? slot : MU_NO_SLOT;
}

bool mu_pod_holds_room(const struct mu_pod *pod) {
    return pod->node && pod->phase != MU_PHASE_SUCCEEDED && pod->phase != MU_PHASE_FAILED;
}

/* Groups are built from pods that wait or belong somewhere; a pod of nobody's that runs changes none of them. */
static bool matters_to_groups(const struct mu_snapshot *s, const struct mu_pod *pod) {
    if (!pod->node || pod->group || pod->meta.annotations.len)
        return true;
    mu_sym value;
    for (size_t i = 0; i < sizeof s->member_labels / sizeof *s->member_labels; i++)
        if (mu_labels_get(&pod->meta.labels, s->member_labels[i], &value))
            return true;
    return false;
}

static void note_pod(struct mu_snapshot *s, const struct mu_pod *pod) {
    if (matters_to_groups(s, pod))
        s->membership_version++;
    if (pod->meta.deleted_ns != MU_TIME_NONE || pod->nominated)
        s->ending_version++;
    if (pod->volumes_len && s->derived) /* what is known of who uses which claim is void */
        mu_derived_drop(s);
}

static uint32_t pod_slot_make(struct mu_snapshot *s) {
    if (s->first_free_pod != MU_NO_SLOT) {
        uint32_t slot = s->first_free_pod;
        s->first_free_pod = s->pods[slot].next_free;
        return slot;
    }
    if (s->pods_len == s->pods_cap) {
        uint32_t cap = s->pods_cap ? s->pods_cap * 2 : 64;
        s->pods = mu_arena_grow(s->arena, s->pods, s->pods_cap * sizeof *s->pods, cap * sizeof *s->pods,
                                alignof(struct mu_snap_pod));
        s->pods_cap = cap;
    }
    return s->pods_len++;
}

struct put_pod {
    struct mu_snapshot *s;
    const struct mu_pod *pod;
};

static int put_pod(void *ctx, struct mu_err *err) {
    struct put_pod *put = ctx;
    struct mu_snapshot *s = put->s;
    const struct mu_pod *pod = put->pod;
    size_t fresh = 0;
    for (uint32_t i = 0; i < pod->spec->requests_len; i++)
        fresh += mu_snapshot_resource(s, pod->spec->requests[i].resource) == MU_NO_SLOT;
    if (s->resources.len + fresh > MU_LIMIT_RESOURCES)
        return mu_err_set(err, MU_E_LIMIT, "Pod " MU_STR_FMT ": more than %d names of resources in the cluster",
                          MU_STR_ARG(mu_text(s->symbols, pod->meta.name)), MU_LIMIT_RESOURCES);
    mu_snapshot_needs(s, pod->spec);
    mu_snapshot_remove_pod(s, pod->meta.namespace, pod->meta.name);
    if (pod->claims_len)
        mu_devices_drop(s);
    uint32_t slot = pod_slot_make(s);
    s->pods[slot] = (struct mu_snap_pod){.pod = pod, .node = MU_NO_SLOT, .next_free = MU_NO_SLOT};
    mu_map_put(&s->pod_index, meta_key(&pod->meta), slot);
    if (s->derived && !mu_carried_pod(s, slot))
        mu_derived_drop(s);
    uint32_t node = mu_pod_holds_room(pod) ? mu_snapshot_node_slot(s, pod->node) : MU_NO_SLOT;
    if (node != MU_NO_SLOT)
        mu_node_attach(s, slot, node);
    note_pod(s, pod);
    return 0;
}

int mu_snapshot_put_pod(struct mu_snapshot *s, const struct mu_pod *pod, struct mu_err *err) {
    struct put_pod put = {s, pod};
    return mu_arena_run(s->arena, put_pod, &put, err);
}

void mu_snapshot_remove_pod(struct mu_snapshot *s, mu_sym namespace, mu_sym name) {
    struct mu_meta meta = {.namespace = namespace, .name = name};
    uint32_t slot;
    if (!mu_map_get(&s->pod_index, meta_key(&meta), &slot))
        return;
    const struct mu_pod *pod = s->pods[slot].pod;
    mu_prepared_forget(s, pod);
    if (s->devices && (pod->claims_len || mu_devices_has_user(s->devices, slot)))
        mu_devices_drop(s);
    if (s->pods[slot].node != MU_NO_SLOT)
        mu_node_detach(s, slot);
    note_pod(s, pod);
    mu_map_remove(&s->pod_index, meta_key(&pod->meta));
    s->pods[slot] = (struct mu_snap_pod){.node = MU_NO_SLOT, .next_free = s->first_free_pod};
    s->first_free_pod = slot;
}

/* ------------------------------------------------------------------ everything at once */

struct load {
    struct mu_snapshot *s;
    const struct mu_store *store;
};

static void index_others(struct mu_snapshot *s, const struct mu_store *store) {
    s->store = store;
#define INDEX(map, list)                                                                                               \
    for (size_t i = 0; i < store->list.len; i++)                                                                       \
    mu_map_put(&s->map, meta_key(&store->list.items[i]->meta), (uint32_t)i)
    INDEX(pvc_index, pvcs);
    INDEX(pv_index, pvs);
    INDEX(namespace_index, namespaces);
    INDEX(storage_class_index, storage_classes);
    INDEX(csi_node_index, csi_nodes);
    INDEX(csi_driver_index, csi_drivers);
#undef INDEX
}

static int load(void *ctx, struct mu_err *err) {
    struct load *l = ctx;
    struct mu_snapshot *s = l->s;
    index_others(s, l->store);
    nodes_grow(s, (uint32_t)l->store->nodes.len);
    for (size_t i = 0; i < l->store->nodes.len; i++) {
        const struct mu_node *node = l->store->nodes.items[i];
        if (node->meta.invalid.len)
            continue;
        struct put_node put = {s, node, false};
        int rc = put_node(&put, err);
        if (rc)
            return rc;
    }
    for (size_t i = 0; i < l->store->pods.len; i++) {
        struct put_pod put = {s, l->store->pods.items[i]};
        int rc = put_pod(&put, err);
        if (rc)
            return rc;
    }
    return 0;
}

int mu_snapshot_load(struct mu_snapshot *s, const struct mu_store *store, struct mu_err *err) {
    if (store->nodes.len > MU_LIMIT_NODES)
        return mu_err_set(err, MU_E_LIMIT, "more than %d nodes", MU_LIMIT_NODES);
    struct load l = {s, store};
    return mu_arena_run(s->arena, load, &l, err);
}
