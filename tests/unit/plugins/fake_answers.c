/* What the fake framework answers: each time from all objects anew. */
#include "tests/unit/plugins/fake_internal.h"

void *mu_fw_alloc(struct mu_fw *fw, size_t bytes) {
    return mu_arena_array(fw->arena, bytes, 1, alignof(max_align_t));
}

void *mu_fw_scratch(struct mu_fw *fw, size_t bytes) {
    return mu_arena_array(fw->arena, bytes, 1, alignof(max_align_t));
}

const struct mu_symbols *mu_fw_symbols(const struct mu_fw *fw) {
    return &fw->store->symbols;
}

mu_sym mu_fw_intern(struct mu_fw *fw, struct mu_str text) {
    return mu_intern(&fw->store->symbols, text);
}

uint32_t mu_fw_nodes(const struct mu_fw *fw) {
    return (uint32_t)fw->store->nodes.len;
}

const struct mu_node *mu_fw_node(const struct mu_fw *fw, uint32_t node) {
    return fw->store->nodes.items[node];
}

static int64_t amount_of(const struct mu_amount *amounts, uint32_t len, mu_sym resource) {
    for (uint32_t i = 0; i < len; i++) {
        if (amounts[i].resource == resource)
            return amounts[i].amount;
    }
    return 0;
}

int64_t mu_fw_allocatable(const struct mu_fw *fw, uint32_t node, mu_sym resource) {
    return amount_of(mu_fw_node(fw, node)->allocatable, mu_fw_node(fw, node)->allocatable_len, resource);
}

int64_t mu_fw_free(const struct mu_fw *fw, uint32_t node, mu_sym resource) {
    int64_t left = mu_fw_allocatable(fw, node, resource);
    bool pods = mu_str_eq(mu_text(&fw->store->symbols, resource), MU_STR("pods"));
    for (uint32_t i = 0; i < fw->pods_len; i++) {
        const struct mu_pod_spec *spec = fw->pods[i].pod->spec;
        if (fw->pods[i].node == node)
            left -= pods ? 1 : amount_of(spec->requests, spec->requests_len, resource);
    }
    return left;
}

const struct mu_amount *mu_fw_node_resources(const struct mu_fw *fw, uint32_t node, uint32_t *ret_len) {
    *ret_len = mu_fw_node(fw, node)->allocatable_len;
    return mu_fw_node(fw, node)->allocatable;
}

const struct mu_pod *const *mu_fw_pods_on(const struct mu_fw *fw, uint32_t node, uint32_t *ret_len) {
    *ret_len = 0;
    for (uint32_t i = 0; i < fw->pods_len; i++) {
        if (fw->pods[i].node == node)
            fw->pods_on[(*ret_len)++] = fw->pods[i].pod;
    }
    return fw->pods_on;
}

const struct mu_topology *mu_fw_topology(struct mu_fw *fw, mu_sym key) {
    for (struct mu_topology *t = fw->topologies; t != NULL; t = t->next) {
        if (t->key == key)
            return t;
    }
    struct mu_topology *topology = MU_NEW(fw->arena, struct mu_topology);
    *topology = (struct mu_topology){.key = key, .fw = fw, .next = fw->topologies};
    topology->values = MU_NEW_ARRAY(fw->arena, mu_sym, mu_fw_nodes(fw));
    for (uint32_t n = 0; n < mu_fw_nodes(fw); n++) {
        mu_sym value = 0;
        if (!mu_labels_get(&mu_fw_node(fw, n)->meta.labels, key, &value))
            continue;
        if (mu_fw_domain(topology, n) == MU_NO_DOMAIN)
            topology->values[topology->domains++] = value;
    }
    fw->topologies = topology;
    return topology;
}

uint32_t mu_fw_domains(const struct mu_topology *topology) {
    return topology->domains;
}

uint32_t mu_fw_domain(const struct mu_topology *topology, uint32_t node) {
    mu_sym value = 0;
    if (!mu_labels_get(&mu_fw_node(topology->fw, node)->meta.labels, topology->key, &value))
        return MU_NO_DOMAIN;
    for (uint32_t d = 0; d < topology->domains; d++) {
        if (topology->values[d] == value)
            return d;
    }
    return MU_NO_DOMAIN;
}

bool mu_fw_domains_are_nodes(const struct mu_topology *topology) {
    uint32_t labelled = 0;
    for (uint32_t n = 0; n < mu_fw_nodes(topology->fw); n++)
        labelled += mu_fw_domain(topology, n) != MU_NO_DOMAIN;
    return labelled == topology->domains;
}

static bool in_namespaces(const struct mu_fw *fw, const struct mu_pod_query *query, mu_sym namespace) {
    for (uint32_t i = 0; i < query->namespaces_len; i++) {
        if (query->namespaces[i] == namespace)
            return true;
    }
    const struct mu_namespace *object = mu_fw_namespace(fw, namespace);
    const struct mu_labels none = {.len = 0};
    return query->namespace_selector != NULL &&
           mu_selector_matches(query->namespace_selector, object != NULL ? &object->meta.labels : &none,
                               mu_fw_symbols(fw));
}

bool mu_fw_query_matches(const struct mu_fw *fw, const struct mu_pod_query *query, const struct mu_pod *pod) {
    mu_sym value = 0;
    if (query->selector == NULL || !in_namespaces(fw, query, pod->meta.namespace) ||
        !mu_selector_matches(query->selector, &pod->meta.labels, mu_fw_symbols(fw)) ||
        (query->skip_terminating && pod->meta.deleted_ns != MU_TIME_NONE))
        return false;
    for (uint32_t i = 0; i < query->extra_len; i++) {
        if (!mu_labels_get(&pod->meta.labels, query->extra[i].key, &value) || value != query->extra[i].value)
            return false;
    }
    for (uint32_t i = 0; i < query->unequal_len; i++) {
        if (mu_labels_get(&pod->meta.labels, query->unequal[i].key, &value) && value == query->unequal[i].value)
            return false;
    }
    return true;
}

static bool same_names(const mu_sym *a, uint32_t a_len, const mu_sym *b, uint32_t b_len) {
    return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len * sizeof *a) == 0);
}

static bool same_selectors(const struct mu_selector *a, const struct mu_selector *b) {
    if (a == NULL || b == NULL || a->len != b->len)
        return a == b;
    for (uint32_t i = 0; i < a->len; i++) {
        if (a->items[i].key != b->items[i].key || a->items[i].op != b->items[i].op ||
            !same_names(a->items[i].values, a->items[i].values_len, b->items[i].values, b->items[i].values_len))
            return false;
    }
    return true;
}

static bool same_labels(const struct mu_label *a, uint32_t a_len, const struct mu_label *b, uint32_t b_len) {
    return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len * sizeof *a) == 0);
}

bool fake_same_queries(const struct mu_pod_query *a, const struct mu_pod_query *b) {
    return same_selectors(a->selector, b->selector) && same_labels(a->extra, a->extra_len, b->extra, b->extra_len) &&
           same_labels(a->unequal, a->unequal_len, b->unequal, b->unequal_len) &&
           same_names(a->namespaces, a->namespaces_len, b->namespaces, b->namespaces_len) &&
           same_selectors(a->namespace_selector, b->namespace_selector) && a->skip_terminating == b->skip_terminating;
}

const struct mu_counter *mu_fw_counter(struct mu_fw *fw, const struct mu_pod_query *query,
                                       const struct mu_topology *topology) {
    for (struct mu_counter *c = fw->counters; c != NULL; c = c->next) {
        if (c->kind == OF_QUERY && c->topology == topology && fake_same_queries(&c->query, query))
            return c;
    }
    struct mu_counter *counter = MU_NEW(fw->arena, struct mu_counter);
    *counter = (struct mu_counter){.query = *query, .topology = topology, .fw = fw, .next = fw->counters};
    fw->counters = counter;
    return counter;
}

static bool counts(const struct mu_counter *counter, const struct fake_pod *pod) {
    if (counter->kind == OF_QUERY)
        return mu_fw_query_matches(counter->fw, &counter->query, pod->pod);
    for (uint32_t i = 0; i < pod->carried_len; i++) {
        if (pod->carried[i] == counter->carried)
            return true;
    }
    return false;
}

int64_t mu_fw_count_on(const struct mu_counter *counter, uint32_t node) {
    int64_t count = 0;
    for (uint32_t i = 0; i < counter->fw->pods_len; i++)
        count += counter->fw->pods[i].node == node && counts(counter, &counter->fw->pods[i]);
    return count;
}

int64_t mu_fw_count_in(const struct mu_counter *counter, uint32_t domain) {
    int64_t count = 0;
    for (uint32_t n = 0; n < mu_fw_nodes(counter->fw); n++) {
        if (mu_fw_domain(counter->topology, n) == domain)
            count += mu_fw_count_on(counter, n);
    }
    return count;
}

int64_t mu_fw_count_all(const struct mu_counter *counter) {
    int64_t count = 0;
    for (uint32_t d = 0; d < counter->topology->domains; d++)
        count += mu_fw_count_in(counter, d);
    return count;
}

const struct mu_carried *const *mu_fw_carried(struct mu_fw *fw, uint32_t *ret_len) {
    *ret_len = fw->carried_len;
    return (const struct mu_carried *const *)fw->carried;
}

const struct mu_class *const *mu_fw_classes(const struct mu_fw *fw, uint32_t *ret_len) {
    *ret_len = fw->classes_len;
    return fw->class_list;
}

uint32_t mu_fw_unplaced(const struct mu_fw *fw) {
    return fw->expected >= 0 ? (uint32_t)fw->expected : fw->members - fw->placed_len;
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
    const struct fake_class *c = &fw->classes[cls->index];
    for (size_t i = 0; i < fw->plugins_len; i++) {
        if (plugin == fw->plugins[i] && c->reach[i].filter != MU_SCOPE_NONE)
            return c->prepared[i];
    }
    return NULL;
}

/* Devices are tested with the core itself: here nobody has claims. */
const struct mu_pod_claims *mu_fw_claims(const struct mu_fw *fw, const struct mu_pod *pod) {
    return NULL;
}

void mu_fw_claims_distinguish(struct mu_fw *fw, const struct mu_pod_claims *claims, struct mu_buf *key) {
}

const struct mu_pod_claims *mu_fw_claims_keep(struct mu_fw *fw, const struct mu_pod_claims *claims) {
    return claims;
}

enum mu_scope mu_fw_claims_scope(const struct mu_fw *fw, const struct mu_pod_claims *claims) {
    return MU_SCOPE_NONE;
}

bool mu_fw_claims_reach(const struct mu_fw *fw, const struct mu_pod_claims *claims, uint32_t node) {
    return true;
}

int64_t mu_fw_devices_fit(struct mu_fw *fw, const struct mu_pod_claims *claims, uint32_t node) {
    return INT64_MAX;
}

int64_t mu_fw_devices_score(struct mu_fw *fw, const struct mu_pod_claims *claims, uint32_t node) {
    return 0;
}

void mu_fw_devices_reserve(struct mu_fw *fw, const struct mu_pod *pod, uint32_t node) {
}

void mu_fw_devices_unreserve(struct mu_fw *fw, const struct mu_pod *pod) {
}

bool mu_fw_served_by_class(const struct mu_fw *fw, mu_sym resource, uint32_t node) {
    return false;
}

bool mu_fw_has_devices(const struct mu_fw *fw, uint32_t node) {
    return false;
}

bool mu_fw_devices_lack(const struct mu_fw *fw) {
    return false;
}

uint64_t mu_fw_stamp(const struct mu_fw *fw) {
    return fw->stamp;
}

#define FIND(list, matches)                                                                                            \
    do {                                                                                                               \
        for (size_t i = 0; i < (list).len; i++) {                                                                      \
            if ((list).items[i]->meta.name == name && (matches))                                                       \
                return (list).items[i];                                                                                \
        }                                                                                                              \
        return NULL;                                                                                                   \
    } while (0)

const struct mu_namespace *mu_fw_namespace(const struct mu_fw *fw, mu_sym name) {
    FIND(fw->store->namespaces, true);
}

const struct mu_pvc *mu_fw_pvc(const struct mu_fw *fw, mu_sym namespace, mu_sym name) {
    FIND(fw->store->pvcs, fw->store->pvcs.items[i]->meta.namespace == namespace);
}

const struct mu_pv *mu_fw_pv(const struct mu_fw *fw, mu_sym name) {
    FIND(fw->store->pvs, true);
}

const struct mu_storage_class *mu_fw_storage_class(const struct mu_fw *fw, mu_sym name) {
    FIND(fw->store->storage_classes, true);
}

static const struct mu_csi_driver *find_driver(const struct mu_fw *fw, mu_sym name) {
    FIND(fw->store->csi_drivers, true);
}

static const struct mu_csi_node *find_csi_node(const struct mu_fw *fw, mu_sym name) {
    FIND(fw->store->csi_nodes, true);
}

const struct mu_csi_node *mu_fw_csi_node(const struct mu_fw *fw, uint32_t node) {
    return find_csi_node(fw, mu_fw_node(fw, node)->meta.name);
}

const struct mu_pv *const *mu_fw_pvs(const struct mu_fw *fw, uint32_t *ret_len) {
    *ret_len = (uint32_t)fw->store->pvs.len;
    return (const struct mu_pv *const *)fw->store->pvs.items;
}

const struct mu_pvc *const *mu_fw_pvcs(const struct mu_fw *fw, uint32_t *ret_len) {
    *ret_len = (uint32_t)fw->store->pvcs.len;
    return (const struct mu_pvc *const *)fw->store->pvcs.items;
}

const struct mu_csi_capacity *const *mu_fw_csi_capacities(const struct mu_fw *fw, uint32_t *ret_len) {
    *ret_len = (uint32_t)fw->store->csi_capacities.len;
    return (const struct mu_csi_capacity *const *)fw->store->csi_capacities.items;
}

bool mu_fw_heeds_capacity(const struct mu_fw *fw, mu_sym driver) {
    const struct mu_csi_driver *object = find_driver(fw, driver);
    return object == NULL || object->storage_capacity;
}

bool mu_fw_publishes_capacity(const struct mu_fw *fw, mu_sym driver) {
    const struct mu_csi_driver *object = find_driver(fw, driver);
    return object != NULL && object->storage_capacity;
}

static bool uses(const struct mu_pod *pod, mu_sym namespace, mu_sym claim) {
    for (uint32_t v = 0; v < pod->volumes_len; v++) {
        if (pod->meta.namespace == namespace && pod->volumes[v].claim == claim)
            return true;
    }
    return false;
}

uint32_t mu_fw_pvc_users(const struct mu_fw *fw, mu_sym namespace, mu_sym name, uint32_t *ret_node) {
    uint32_t users = 0;
    for (uint32_t i = 0; i < fw->pods_len; i++) {
        if (fw->pods[i].node == UINT32_MAX || !uses(fw->pods[i].pod, namespace, name))
            continue;
        *ret_node = fw->pods[i].node;
        users++;
    }
    return users;
}

uint32_t mu_fw_pvc_mentions(const struct mu_fw *fw, mu_sym namespace, mu_sym name) {
    uint32_t mentions = 0;
    for (uint32_t i = 0; i < fw->pods_len; i++)
        mentions += uses(fw->pods[i].pod, namespace, name);
    return mentions;
}
