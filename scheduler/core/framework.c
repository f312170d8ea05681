/* What plugins may ask: the snapshot behind the functions of framework.h. */
#include "scheduler/core/framework.h"
#include "scheduler/core/prepared.h"

void *mu_fw_alloc(struct mu_fw *fw, size_t bytes) {
    return mu_arena_array(fw->class_arena, bytes, 1, alignof(max_align_t));
}

void *mu_fw_scratch(struct mu_fw *fw, size_t bytes) {
    return mu_arena_array(fw->scratch, bytes, 1, alignof(max_align_t));
}

const struct mu_symbols *mu_fw_symbols(const struct mu_fw *fw) {
    return fw->snapshot->symbols;
}

mu_sym mu_fw_intern(struct mu_fw *fw, struct mu_str text) {
    return mu_intern(fw->snapshot->symbols, text);
}

uint32_t mu_fw_nodes(const struct mu_fw *fw) {
    return fw->snapshot->nodes_len;
}

const struct mu_node *mu_fw_node(const struct mu_fw *fw, uint32_t node) {
    return fw->snapshot->nodes[node].object;
}

int64_t mu_fw_free(const struct mu_fw *fw, uint32_t node, mu_sym resource) {
    uint32_t r = mu_snapshot_resource(fw->snapshot, resource);
    return r == MU_NO_SLOT ? 0 : fw->snapshot->resources.items[r]->free[node];
}

int64_t mu_fw_allocatable(const struct mu_fw *fw, uint32_t node, mu_sym resource) {
    uint32_t r = mu_snapshot_resource(fw->snapshot, resource);
    return r == MU_NO_SLOT ? 0 : fw->snapshot->resources.items[r]->allocatable[node];
}

const struct mu_amount *mu_fw_node_resources(const struct mu_fw *fw, uint32_t node, uint32_t *ret_len) {
    const struct mu_node *object = fw->snapshot->nodes[node].object;
    *ret_len = object->allocatable_len;
    return object->allocatable;
}

const struct mu_pod *const *mu_fw_pods_on(const struct mu_fw *fw, uint32_t node, uint32_t *ret_len) {
    const struct mu_snap_node *n = &fw->snapshot->nodes[node];
    *ret_len = n->pods_len;
    return n->pods;
}

/* ------------------------------------------------------------------ domains and counts */

const struct mu_topology *mu_fw_topology(struct mu_fw *fw, mu_sym key) {
    return mu_derived_topology(fw->snapshot, key);
}

uint32_t mu_fw_domains(const struct mu_topology *topology) {
    return topology->domains;
}

uint32_t mu_fw_domain(const struct mu_topology *topology, uint32_t node) {
    return topology->domain[node];
}

bool mu_fw_domains_are_nodes(const struct mu_topology *topology) {
    return topology->domains_are_nodes;
}

const struct mu_counter *mu_fw_counter(struct mu_fw *fw, const struct mu_pod_query *query,
                                       const struct mu_topology *topology) {
    return mu_counter_of(fw->snapshot, query, topology);
}

bool mu_fw_query_matches(const struct mu_fw *fw, const struct mu_pod_query *query, const struct mu_pod *pod) {
    return mu_query_matches(fw->snapshot, query, pod);
}

int64_t mu_fw_count_on(const struct mu_counter *counter, uint32_t node) {
    return counter->on_node[node];
}

int64_t mu_fw_count_in(const struct mu_counter *counter, uint32_t domain) {
    return counter->in_domain[domain];
}

int64_t mu_fw_count_all(const struct mu_counter *counter) {
    return counter->all;
}

const struct mu_carried *const *mu_fw_carried(struct mu_fw *fw, uint32_t *ret_len) {
    struct mu_derived *d = mu_derived_get(fw->snapshot);
    *ret_len = (uint32_t)d->carried.len;
    return (const struct mu_carried *const *)d->carried.items;
}

const struct mu_class *const *mu_fw_classes(const struct mu_fw *fw, uint32_t *ret_len) {
    *ret_len = fw->classes_len;
    return fw->classes;
}

uint32_t mu_fw_unplaced(const struct mu_fw *fw) {
    return fw->unplaced;
}

const struct mu_pod_spec *const *mu_fw_specs(const struct mu_fw *fw, uint32_t *ret_len) {
    *ret_len = fw->specs_len;
    return fw->specs;
}

const struct mu_placed *mu_fw_placed(const struct mu_fw *fw, uint32_t *ret_len) {
    *ret_len = fw->placed_len;
    return fw->placed;
}

const void *mu_fw_prepared(const struct mu_fw *fw, const struct mu_plugin *plugin, const struct mu_class *cls) {
    return mu_prepared_of(fw->prepared[cls->index], plugin);
}

/* Both numbers only grow, so that their sum does. */
uint64_t mu_fw_stamp(const struct mu_fw *fw) {
    return fw->snapshot->changes + fw->tries;
}

/* ------------------------------------------------------------------ the other objects */

static bool find(const struct mu_map *map, mu_sym namespace, mu_sym name, uint32_t *ret) {
    mu_sym key[2] = {namespace, name};
    return mu_map_get(map, (struct mu_str){(const char *)key, sizeof key}, ret);
}

const struct mu_namespace *mu_fw_namespace(const struct mu_fw *fw, mu_sym name) {
    uint32_t i;
    return find(&fw->snapshot->namespace_index, 0, name, &i) ? fw->snapshot->store->namespaces.items[i] : NULL;
}

const struct mu_pvc *mu_fw_pvc(const struct mu_fw *fw, mu_sym namespace, mu_sym name) {
    uint32_t i;
    return find(&fw->snapshot->pvc_index, namespace, name, &i) ? fw->snapshot->store->pvcs.items[i] : NULL;
}

const struct mu_pv *mu_fw_pv(const struct mu_fw *fw, mu_sym name) {
    uint32_t i;
    return find(&fw->snapshot->pv_index, 0, name, &i) ? fw->snapshot->store->pvs.items[i] : NULL;
}

const struct mu_storage_class *mu_fw_storage_class(const struct mu_fw *fw, mu_sym name) {
    uint32_t i;
    return find(&fw->snapshot->storage_class_index, 0, name, &i) ? fw->snapshot->store->storage_classes.items[i] : NULL;
}

const struct mu_csi_node *mu_fw_csi_node(const struct mu_fw *fw, uint32_t node) {
    uint32_t i;
    mu_sym name = fw->snapshot->nodes[node].object->meta.name;
    return find(&fw->snapshot->csi_node_index, 0, name, &i) ? fw->snapshot->store->csi_nodes.items[i] : NULL;
}

const struct mu_pv *const *mu_fw_pvs(const struct mu_fw *fw, uint32_t *ret_len) {
    const struct mu_store *store = fw->snapshot->store;
    *ret_len = store ? (uint32_t)store->pvs.len : 0;
    return store ? (const struct mu_pv *const *)store->pvs.items : NULL;
}

const struct mu_pvc *const *mu_fw_pvcs(const struct mu_fw *fw, uint32_t *ret_len) {
    const struct mu_store *store = fw->snapshot->store;
    *ret_len = store ? (uint32_t)store->pvcs.len : 0;
    return store ? (const struct mu_pvc *const *)store->pvcs.items : NULL;
}

const struct mu_csi_capacity *const *mu_fw_csi_capacities(const struct mu_fw *fw, uint32_t *ret_len) {
    const struct mu_store *store = fw->snapshot->store;
    *ret_len = store ? (uint32_t)store->csi_capacities.len : 0;
    return store ? (const struct mu_csi_capacity *const *)store->csi_capacities.items : NULL;
}

static const struct mu_csi_driver *csi_driver(const struct mu_fw *fw, mu_sym name) {
    uint32_t i;
    return find(&fw->snapshot->csi_driver_index, 0, name, &i) ? fw->snapshot->store->csi_drivers.items[i] : NULL;
}

bool mu_fw_heeds_capacity(const struct mu_fw *fw, mu_sym driver) {
    const struct mu_csi_driver *object = csi_driver(fw, driver);
    return !object || object->storage_capacity;
}

bool mu_fw_publishes_capacity(const struct mu_fw *fw, mu_sym driver) {
    const struct mu_csi_driver *object = csi_driver(fw, driver);
    return object && object->storage_capacity;
}

/* ------------------------------------------------------------------ who uses which claim */

static struct mu_claim_users *users_of(struct mu_derived *d, const struct mu_pod *pod, mu_sym claim) {
    mu_sym key[2] = {pod->meta.namespace, claim};
    uint32_t index;
    if (mu_map_get(&d->users_index, (struct mu_str){(const char *)key, sizeof key}, &index))
        return d->users.items[index];
    struct mu_claim_users *users = MU_NEW(d->arena, struct mu_claim_users);
    memcpy(users->key, key, sizeof key);
    mu_map_put(&d->users_index, (struct mu_str){(const char *)users->key, sizeof users->key}, (uint32_t)d->users.len);
    MU_VEC_PUSH(d->arena, &d->users, users);
    return users;
}

static void find_users(const struct mu_snapshot *s, struct mu_derived *d) {
    mu_map_init(&d->users_index, d->arena, 8);
    for (uint32_t p = 0; p < s->pods_len; p++) {
        const struct mu_pod *pod = s->pods[p].pod;
        if (!pod || pod->phase == MU_PHASE_SUCCEEDED || pod->phase == MU_PHASE_FAILED)
            continue;
        for (uint32_t v = 0; v < pod->volumes_len; v++)
            if (pod->volumes[v].claim) {
                struct mu_claim_users *users = users_of(d, pod, pod->volumes[v].claim);
                MU_VEC_PUSH(d->arena, users, p);
            }
    }
    d->has_users = true;
}

/* Which pods name a claim changes with the pods, and is thrown away with the rest then; where they are is looked up. */
static const struct mu_claim_users *claim_users(const struct mu_fw *fw, mu_sym namespace, mu_sym name) {
    struct mu_derived *d = mu_derived_get(fw->snapshot);
    uint32_t index;
    if (!d->has_users)
        find_users(fw->snapshot, d);
    return find(&d->users_index, namespace, name, &index) ? d->users.items[index] : NULL;
}

uint32_t mu_fw_pvc_users(const struct mu_fw *fw, mu_sym namespace, mu_sym name, uint32_t *ret_node) {
    const struct mu_claim_users *users = claim_users(fw, namespace, name);
    uint32_t placed = 0;
    for (size_t i = 0; users && i < users->len; i++) {
        uint32_t node = fw->snapshot->pods[users->items[i]].node;
        if (node == MU_NO_SLOT)
            continue;
        *ret_node = node;
        placed++;
    }
    return placed;
}

uint32_t mu_fw_pvc_mentions(const struct mu_fw *fw, mu_sym namespace, mu_sym name) {
    const struct mu_claim_users *users = claim_users(fw, namespace, name);
    return users ? (uint32_t)users->len : 0;
}
