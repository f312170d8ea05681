/* Terms of pod affinity as questions about pods. */
#include "plugins/pod_terms.h"

uint32_t mu_labels_pick(const struct mu_pod *pod, const mu_sym *keys, uint32_t len, struct mu_label *into) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < len; i++) {
        if (mu_labels_get(&pod->meta.labels, keys[i], &into[found].value))
            into[found++].key = keys[i];
    }
    return found;
}

void mu_key_labels(struct mu_buf *key, const struct mu_fw *fw, const struct mu_pod *pod, const mu_sym *keys,
                   uint32_t len) {
    for (uint32_t i = 0; i < len; i++) {
        mu_sym value = 0;
        if (mu_labels_get(&pod->meta.labels, keys[i], &value)) {
            mu_buf_add_char(key, '='); /* an empty value is not the same as none */
            mu_buf_add(key, mu_text(mu_fw_symbols(fw), value));
        }
        mu_buf_add_char(key, '\n');
    }
}

/* ------------------------------------------------------------------ one term */

struct mu_pod_query mu_term_query(struct mu_fw *fw, const struct mu_pod_term *term, const struct mu_pod *pod) {
    struct mu_label *extra = mu_fw_alloc(fw, term->match_label_keys_len * sizeof *extra);
    struct mu_label *unequal = mu_fw_alloc(fw, term->mismatch_label_keys_len * sizeof *unequal);
    struct mu_pod_query query = {
        .selector = term->selector,
        .extra = extra,
        .extra_len = mu_labels_pick(pod, term->match_label_keys, term->match_label_keys_len, extra),
        .unequal = unequal,
        .unequal_len = mu_labels_pick(pod, term->mismatch_label_keys, term->mismatch_label_keys_len, unequal),
        .namespaces = term->namespaces,
        .namespaces_len = term->namespaces_len,
        .namespace_selector = term->namespace_selector,
    };
    if (query.namespaces_len == 0 && query.namespace_selector == NULL) {
        query.namespaces = &pod->meta.namespace;
        query.namespaces_len = 1;
    }
    return query;
}

/* ------------------------------------------------------------------ several terms at once */

static const struct mu_selector *selectors_both(struct mu_fw *fw, const struct mu_selector *a,
                                                const struct mu_selector *b) {
    if (a == NULL || b == NULL)
        return NULL;
    if (a->len == 0 || b->len == 0)
        return a->len == 0 ? b : a;
    struct mu_requirement *items = mu_fw_alloc(fw, (a->len + b->len) * sizeof *items);
    memcpy(items, a->items, a->len * sizeof *items);
    memcpy(items + a->len, b->items, b->len * sizeof *items);
    struct mu_selector *both = mu_fw_alloc(fw, sizeof *both);
    *both = (struct mu_selector){.items = items, .len = a->len + b->len};
    return both;
}

static const struct mu_label *labels_both(struct mu_fw *fw, const struct mu_label *a, uint32_t a_len,
                                          const struct mu_label *b, uint32_t b_len) {
    struct mu_label *items = mu_fw_alloc(fw, (a_len + b_len) * sizeof *items);
    for (uint32_t i = 0; i < a_len; i++)
        items[i] = a[i];
    for (uint32_t i = 0; i < b_len; i++)
        items[a_len + i] = b[i];
    return items;
}

static bool names_have(const mu_sym *names, uint32_t len, mu_sym name) {
    for (uint32_t i = 0; i < len; i++) {
        if (names[i] == name)
            return true;
    }
    return false;
}

/* Asked as a question about a pod, so that there is one place that says what a namespace without an object is. */
static bool means_namespace(const struct mu_fw *fw, const struct mu_pod_query *query, mu_sym namespace) {
    const struct mu_selector everything = {.len = 0};
    const struct mu_pod_query question = {
        .selector = &everything,
        .namespaces = query->namespaces,
        .namespaces_len = query->namespaces_len,
        .namespace_selector = query->namespace_selector,
    };
    const struct mu_pod somebody = {.meta = {.namespace = namespace, .deleted_ns = MU_TIME_NONE}};
    return mu_fw_query_matches(fw, &question, &somebody);
}

static void name_insert(mu_sym *names, uint32_t *len, mu_sym name) {
    if (names_have(names, *len, name))
        return;
    uint32_t at = (*len)++;
    for (; at > 0 && names[at - 1] > name; at--)
        names[at] = names[at - 1];
    names[at] = name;
}

/* Namespaces are named or selected: of two such sets, what is in both is what either names and the other means, and
 * what both select. */
static void namespaces_both(struct mu_fw *fw, struct mu_pod_query *both, const struct mu_pod_query *a,
                            const struct mu_pod_query *b) {
    mu_sym *names = mu_fw_alloc(fw, (a->namespaces_len + b->namespaces_len) * sizeof *names);
    uint32_t len = 0;
    for (uint32_t i = 0; i < a->namespaces_len; i++) {
        if (means_namespace(fw, b, a->namespaces[i]))
            name_insert(names, &len, a->namespaces[i]);
    }
    for (uint32_t i = 0; i < b->namespaces_len; i++) {
        if (means_namespace(fw, a, b->namespaces[i]))
            name_insert(names, &len, b->namespaces[i]);
    }
    both->namespaces = names;
    both->namespaces_len = len;
    both->namespace_selector = selectors_both(fw, a->namespace_selector, b->namespace_selector);
}

static struct mu_pod_query queries_both(struct mu_fw *fw, const struct mu_pod_query *a, const struct mu_pod_query *b) {
    struct mu_pod_query both = {
        .selector = selectors_both(fw, a->selector, b->selector),
        .extra = labels_both(fw, a->extra, a->extra_len, b->extra, b->extra_len),
        .extra_len = a->extra_len + b->extra_len,
        .unequal = labels_both(fw, a->unequal, a->unequal_len, b->unequal, b->unequal_len),
        .unequal_len = a->unequal_len + b->unequal_len,
    };
    namespaces_both(fw, &both, a, b);
    return both;
}

struct mu_pod_query mu_terms_query(struct mu_fw *fw, const struct mu_pod_term *terms, uint32_t len,
                                   const struct mu_pod *pod) {
    struct mu_pod_query all = mu_term_query(fw, &terms[0], pod);
    for (uint32_t i = 1; i < len; i++) {
        struct mu_pod_query next = mu_term_query(fw, &terms[i], pod);
        all = queries_both(fw, &all, &next);
    }
    return all;
}

/* ------------------------------------------------------------------ equality */

static bool names_are_equal(const mu_sym *a, uint32_t a_len, const mu_sym *b, uint32_t b_len) {
    return a_len == b_len && (a_len == 0 || a == b || memcmp(a, b, a_len * sizeof *a) == 0);
}

bool mu_selector_is_equal(const struct mu_selector *a, const struct mu_selector *b) {
    if (a == b || a == NULL || b == NULL)
        return a == b;
    if (a->len != b->len)
        return false;
    for (uint32_t i = 0; i < a->len; i++) {
        const struct mu_requirement *x = &a->items[i], *y = &b->items[i];
        if (x->key != y->key || x->op != y->op || !names_are_equal(x->values, x->values_len, y->values, y->values_len))
            return false;
    }
    return true;
}

static bool labels_are_equal(const struct mu_pod *a, const struct mu_pod *b, const mu_sym *keys, uint32_t len) {
    for (uint32_t i = 0; i < len; i++) {
        mu_sym x = 0, y = 0;
        bool has_x = mu_labels_get(&a->meta.labels, keys[i], &x), has_y = mu_labels_get(&b->meta.labels, keys[i], &y);
        if (has_x != has_y || x != y)
            return false;
    }
    return true;
}

static bool terms_are_equal(const struct mu_pod_term *x, const struct mu_pod_term *y) {
    return x == y || (x->topology_key == y->topology_key && mu_selector_is_equal(x->selector, y->selector) &&
                      names_are_equal(x->namespaces, x->namespaces_len, y->namespaces, y->namespaces_len) &&
                      mu_selector_is_equal(x->namespace_selector, y->namespace_selector) &&
                      names_are_equal(x->match_label_keys, x->match_label_keys_len, y->match_label_keys,
                                      y->match_label_keys_len) &&
                      names_are_equal(x->mismatch_label_keys, x->mismatch_label_keys_len, y->mismatch_label_keys,
                                      y->mismatch_label_keys_len));
}

bool mu_affinity_is_equal(const struct mu_pod *a, const struct mu_pod *b) {
    if (a->spec->affinity_len != b->spec->affinity_len)
        return false;
    for (uint32_t i = 0; i < a->spec->affinity_len; i++) {
        const struct mu_pod_term *x = &a->spec->affinity[i], *y = &b->spec->affinity[i];
        if (!terms_are_equal(x, y) || !labels_are_equal(a, b, x->match_label_keys, x->match_label_keys_len) ||
            !labels_are_equal(a, b, x->mismatch_label_keys, x->mismatch_label_keys_len))
            return false;
    }
    return true;
}
