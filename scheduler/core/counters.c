/* Counters: how many pods on each node, and in each domain, match a query or carry an affinity term. They follow every
 * placement and every undo, so that a rule between pods costs one look-up a node. */
#include "scheduler/core/snapshot_internal.h"

/* ------------------------------------------------------------------ queries */

static bool in_namespaces(const struct mu_snapshot *s, const struct mu_pod_query *q, mu_sym namespace) {
    for (uint32_t i = 0; i < q->namespaces_len; i++)
        if (q->namespaces[i] == namespace)
            return true;
    if (!q->namespace_selector)
        return false;
    const struct mu_namespace *object = mu_fw_namespace(&s->fw, namespace);
    if (object)
        return mu_selector_matches(q->namespace_selector, &object->meta.labels, s->symbols);
    /* A namespace whose object is not in the input has at least the label that the server puts on each. */
    struct mu_label name = {mu_symbol_find(s->symbols, MU_STR("kubernetes.io/metadata.name")), namespace};
    return mu_selector_matches(q->namespace_selector, &(struct mu_labels){&name, name.key != 0}, s->symbols);
}

bool mu_query_matches(const struct mu_snapshot *s, const struct mu_pod_query *q, const struct mu_pod *pod) {
    const struct mu_labels *labels = &pod->meta.labels;
    mu_sym value;
    if (!q->selector || (q->skip_terminating && pod->meta.deleted_ns != MU_TIME_NONE) ||
        !in_namespaces(s, q, pod->meta.namespace) || !mu_selector_matches(q->selector, labels, s->symbols))
        return false;
    for (uint32_t i = 0; i < q->extra_len; i++)
        if (!mu_labels_get(labels, q->extra[i].key, &value) || value != q->extra[i].value)
            return false;
    for (uint32_t i = 0; i < q->unequal_len; i++)
        if (mu_labels_get(labels, q->unequal[i].key, &value) && value == q->unequal[i].value)
            return false;
    return true;
}

static void key_number(struct mu_buf *key, uint32_t number) {
    mu_buf_add(key, (struct mu_str){(const char *)&number, sizeof number});
}

static void key_selector(struct mu_buf *key, const struct mu_selector *selector) {
    key_number(key, selector ? selector->len + 1 : 0);
    for (uint32_t i = 0; selector && i < selector->len; i++) {
        const struct mu_requirement *r = &selector->items[i];
        key_number(key, r->key);
        key_number(key, (uint32_t)r->op);
        key_number(key, r->values_len);
        for (uint32_t v = 0; v < r->values_len; v++)
            key_number(key, r->values[v]);
    }
}

static void key_labels(struct mu_buf *key, const struct mu_label *labels, uint32_t len) {
    key_number(key, len);
    for (uint32_t i = 0; i < len; i++) {
        key_number(key, labels[i].key);
        key_number(key, labels[i].value);
    }
}

/* Bytes that are equal for queries that match the same pods for sure. */
static void key_query(struct mu_buf *key, const struct mu_pod_query *q) {
    key_selector(key, q->selector);
    key_labels(key, q->extra, q->extra_len);
    key_labels(key, q->unequal, q->unequal_len);
    key_number(key, q->namespaces_len);
    for (uint32_t i = 0; i < q->namespaces_len; i++)
        key_number(key, q->namespaces[i]);
    key_selector(key, q->namespace_selector);
    key_number(key, q->skip_terminating);
}

static const struct mu_selector *selector_copy(struct mu_arena *arena, const struct mu_selector *selector) {
    if (!selector)
        return NULL;
    struct mu_selector *copy = MU_NEW(arena, struct mu_selector);
    struct mu_requirement *items = MU_NEW_ARRAY(arena, struct mu_requirement, selector->len);
    for (uint32_t i = 0; i < selector->len; i++) {
        mu_sym *values = MU_NEW_ARRAY(arena, mu_sym, selector->items[i].values_len);
        if (selector->items[i].values_len)
            memcpy(values, selector->items[i].values, selector->items[i].values_len * sizeof *values);
        items[i] = selector->items[i];
        items[i].values = values;
    }
    *copy = (struct mu_selector){items, selector->len};
    return copy;
}

/* All of it: a counter outlives the class, and may outlive the pod, that first asked for it. */
static struct mu_pod_query query_copy(struct mu_arena *arena, const struct mu_pod_query *q) {
    struct mu_pod_query copy = *q;
    copy.selector = selector_copy(arena, q->selector);
    copy.namespace_selector = selector_copy(arena, q->namespace_selector);
#define COPY(field, type)                                                                                              \
    if (q->field##_len) {                                                                                              \
        type *items = MU_NEW_ARRAY(arena, type, q->field##_len);                                                       \
        memcpy(items, q->field, q->field##_len * sizeof *items);                                                       \
        copy.field = items;                                                                                            \
    }
    COPY(extra, struct mu_label)
    COPY(unequal, struct mu_label)
    COPY(namespaces, mu_sym)
#undef COPY
    return copy;
}

/* ------------------------------------------------------------------ counters */

static void count(struct mu_counter *c, uint32_t node, int32_t by) {
    uint32_t domain = c->topology->domain[node];
    c->on_node[node] += by;
    if (domain == MU_NO_DOMAIN)
        return;
    c->in_domain[domain] += by;
    c->all += by;
}

static struct mu_counter *counter_make(struct mu_snapshot *s, const struct mu_pod_query *query,
                                       const struct mu_topology *topology) {
    struct mu_arena *arena = s->derived->arena;
    struct mu_counter *c = MU_NEW(arena, struct mu_counter);
    c->query = query_copy(arena, query);
    c->topology = topology;
    c->on_node = MU_NEW_ARRAY(arena, int32_t, s->nodes_cap);
    c->in_domain = MU_NEW_ARRAY(arena, int64_t, topology->domains);
    return c;
}

const struct mu_counter *mu_counter_of(struct mu_snapshot *s, const struct mu_pod_query *query,
                                       const struct mu_topology *topology) {
    struct mu_derived *d = mu_derived_get(s);
    struct mu_buf key;
    mu_buf_init(&key, d->arena);
    key_number(&key, topology->key);
    key_query(&key, query);
    uint32_t index;
    if (mu_map_get(&d->counter_index, mu_buf_str(&key), &index))
        return d->counters.items[index];
    struct mu_counter *c = counter_make(s, query, topology);
    for (uint32_t n = 0; n < s->nodes_len; n++)
        for (uint32_t i = 0; i < s->nodes[n].pods_len; i++)
            if (mu_query_matches(s, &c->query, s->nodes[n].pods[i]))
                count(c, n, 1);
    mu_map_put(&d->counter_index, mu_buf_str(&key), (uint32_t)d->counters.len);
    MU_VEC_PUSH(d->arena, &d->counters, c);
    return c;
}

void mu_counters_pod(struct mu_snapshot *s, uint32_t pod, uint32_t node, int32_t by) {
    struct mu_derived *d = s->derived;
    const struct mu_snap_pod *p = &s->pods[pod];
    for (size_t i = 0; i < d->counters.len; i++)
        if (mu_query_matches(s, &d->counters.items[i]->query, p->pod))
            count(d->counters.items[i], node, by);
    for (uint32_t i = 0; i < p->carried_len; i++)
        count((struct mu_counter *)(uintptr_t)d->carried.items[p->carried[i]]->carriers, node, by);
}

/* ------------------------------------------------------------------ carried terms */

static bool has_terms(const struct mu_pod_spec *spec) {
    return spec->anti_len || spec->affinity_len || spec->affinity_preferred_len || spec->anti_preferred_len;
}

/* The labels of the pod under these keys; a key that it lacks says nothing (KEP-3633). */
static uint32_t pick_labels(const struct mu_pod *pod, const mu_sym *keys, uint32_t len, struct mu_label *into) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < len; i++)
        if (mu_labels_get(&pod->meta.labels, keys[i], &into[found].value))
            into[found++].key = keys[i];
    return found;
}

/* The term as this pod carries it: its own namespace where none is named, its own label values (matchLabelKeys). */
static struct mu_pod_query term_query(struct mu_arena *arena, const struct mu_pod_term *term,
                                      const struct mu_pod *pod) {
    struct mu_label *extra = MU_NEW_ARRAY(arena, struct mu_label, term->match_label_keys_len);
    struct mu_label *unequal = MU_NEW_ARRAY(arena, struct mu_label, term->mismatch_label_keys_len);
    struct mu_pod_query q = {.selector = term->selector,
                             .extra = extra,
                             .unequal = unequal,
                             .namespaces = term->namespaces,
                             .namespaces_len = term->namespaces_len,
                             .namespace_selector = term->namespace_selector};
    q.extra_len = pick_labels(pod, term->match_label_keys, term->match_label_keys_len, extra);
    q.unequal_len = pick_labels(pod, term->mismatch_label_keys, term->mismatch_label_keys_len, unequal);
    if (!q.namespaces_len && !q.namespace_selector) {
        q.namespaces = &pod->meta.namespace;
        q.namespaces_len = 1;
    }
    return q;
}

/* The number of the term as this pod carries it, made where it is new and `make` says so; else MU_NO_SLOT. */
static uint32_t carried_find(struct mu_snapshot *s, enum mu_carried_kind kind, const struct mu_pod_term *term,
                             const struct mu_pod *pod, bool make) {
    struct mu_derived *d = s->derived;
    struct mu_pod_query query = term_query(d->arena, term, pod);
    struct mu_buf key;
    mu_buf_init(&key, d->arena);
    key_number(&key, (uint32_t)kind);
    key_number(&key, term->topology_key);
    key_number(&key, (uint32_t)term->weight);
    key_query(&key, &query);
    uint32_t index;
    if (mu_map_get(&d->carried_index, mu_buf_str(&key), &index))
        return index;
    if (!make)
        return MU_NO_SLOT;
    struct mu_carried *c = MU_NEW(d->arena, struct mu_carried);
    c->kind = kind;
    c->query = query_copy(d->arena, &query);
    c->weight = term->weight;
    c->topology = mu_derived_topology(s, term->topology_key);
    struct mu_counter *carriers = counter_make(s, &query, c->topology);
    carriers->of_carriers = true;
    carriers->carried = index = (uint32_t)d->carried.len;
    c->carriers = carriers;
    mu_map_put(&d->carried_index, mu_buf_str(&key), index);
    MU_VEC_PUSH(d->arena, &d->carried, c);
    return index;
}

/* Fills in the pod's list of carried terms. False where one is not known and must not be made. */
static bool carried_list(struct mu_snapshot *s, uint32_t pod, bool make) {
    struct mu_snap_pod *p = &s->pods[pod];
    const struct mu_pod_spec *spec = p->pod->spec;
    if (!has_terms(spec))
        return true;
    const struct {
        enum mu_carried_kind kind;
        const struct mu_pod_term *terms;
        uint32_t len;
    } lists[] = {{MU_CARRIED_ANTI, spec->anti, spec->anti_len},
                 {MU_CARRIED_AFFINITY, spec->affinity, spec->affinity_len},
                 {MU_CARRIED_AFFINITY_PREFERRED, spec->affinity_preferred, spec->affinity_preferred_len},
                 {MU_CARRIED_ANTI_PREFERRED, spec->anti_preferred, spec->anti_preferred_len}};
    uint32_t total = spec->anti_len + spec->affinity_len + spec->affinity_preferred_len + spec->anti_preferred_len;
    uint32_t *found = MU_NEW_ARRAY(s->derived->arena, uint32_t, total), len = 0;
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (uint32_t i = 0; i < lists[k].len; i++) {
            uint32_t index = carried_find(s, lists[k].kind, &lists[k].terms[i], p->pod, make);
            if (index == MU_NO_SLOT)
                return false;
            found[len++] = index;
        }
    p->carried = found;
    p->carried_len = len;
    return true;
}

bool mu_carried_pod(struct mu_snapshot *s, uint32_t pod) {
    return carried_list(s, pod, false);
}

void mu_carried_build(struct mu_snapshot *s) {
    for (uint32_t p = 0; p < s->pods_len; p++) {
        if (!s->pods[p].pod)
            continue;
        carried_list(s, p, true);
        for (uint32_t i = 0; i < s->pods[p].carried_len && s->pods[p].node != MU_NO_SLOT; i++)
            count((struct mu_counter *)(uintptr_t)s->derived->carried.items[s->pods[p].carried[i]]->carriers,
                  s->pods[p].node, 1);
    }
}
