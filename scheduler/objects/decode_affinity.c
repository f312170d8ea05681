/* Selectors and affinity: label selectors, node selectors, affinity to nodes and between pods.
 *
 * Requirements are sorted, so that selectors of one meaning, written in another order, are equal. */
#include "scheduler/objects/decode.h"
#include <stdlib.h>

static const char *const operators[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};

static int cmp_requirements(const void *a, const void *b) {
    const struct mu_requirement *x = a, *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    if (x->op != y->op) {
        return x->op < y->op ? -1 : 1;
    }
    if (x->values_len != y->values_len) {
        return x->values_len < y->values_len ? -1 : 1;
    }
    for (uint32_t i = 0; i < x->values_len; i++) {
        if (x->values[i] != y->values[i]) {
            return x->values[i] < y->values[i] ? -1 : 1;
        }
    }
    return 0;
}

static void check_values(struct mu_decode *d, const struct mu_at *at, struct mu_requirement *req) {
    bool lists = req->op == MU_OP_IN || req->op == MU_OP_NOT_IN;
    bool compares = req->op == MU_OP_GT || req->op == MU_OP_LT;
    if (lists && req->values_len == 0) {
        mu_decode_invalid(d, at, "values", "must not be empty with %s", operators[req->op]);
    } else if (compares && req->values_len != 1) {
        mu_decode_invalid(d, at, "values", "must be one value with %s", operators[req->op]);
    } else if (!lists && !compares && req->values_len > 0) {
        mu_decode_invalid(d, at, "values", "must be empty with %s", operators[req->op]);
    }
    if (compares && req->values_len == 1) {
        req->has_number = mu_str_to_i64(mu_text(d->symbols, req->values[0]), &req->number);
    }
}

/* One of matchExpressions or matchFields. ops: how many of the operators are allowed. */
static struct mu_requirement read_requirement(struct mu_decode *d, const struct mu_at *at, int ops) {
    struct mu_requirement req = {0};
    req.key = mu_field_sym_required(d, at, "key");
    if (mu_field_str(d, at, "operator").len == 0) {
        mu_decode_fail(d, at, "operator", "is missing");
    }
    req.op = (enum mu_op)mu_field_word(d, at, "operator", operators, ops, MU_OP_EXISTS);
    req.values_len = mu_field_sym_set(d, at, "values", &req.values);
    check_values(d, at, &req);
    return req;
}

/* matchExpressions (or matchFields) in `list`, and matchLabels in `labels` (may be absent). */
static struct mu_selector read_requirements(struct mu_decode *d, const struct mu_at *list, const struct mu_at *labels,
                                            int ops) {
    struct mu_selector selector = {NULL, 0};
    size_t most = mu_at_len(list) + mu_at_len(labels);
    if (most == 0) {
        return selector;
    }
    struct mu_requirement *items = MU_NEW_ARRAY(d->arena, struct mu_requirement, most);
    for (size_t i = 0; i < mu_at_len(labels); i++) {
        struct mu_at item = mu_at_item(d, labels, i, MU_VALUE_STRING);
        mu_sym *value = MU_NEW(d->arena, mu_sym);
        *value = item.value != NULL ? mu_decode_sym(d, item.value->text) : 0;
        items[selector.len++] = (struct mu_requirement){.key = mu_decode_sym(d, item.key),
                                                        .op = MU_OP_IN,
                                                        .values = value,
                                                        .values_len = 1};
    }
    for (size_t i = 0; i < mu_at_len(list); i++) {
        struct mu_at item = mu_at_item(d, list, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            items[selector.len++] = read_requirement(d, &item, ops);
        }
    }
    qsort(items, selector.len, sizeof *items, cmp_requirements);
    selector.items = items;
    return selector;
}

const struct mu_selector *mu_field_selector(struct mu_decode *d, const struct mu_at *at, const char *field) {
    struct mu_at object = mu_at_object(d, at, field);
    if (object.value == NULL) {
        return NULL;
    }
    struct mu_at labels = mu_at_object(d, &object, "matchLabels");
    struct mu_at list = mu_at_array(d, &object, "matchExpressions");
    struct mu_selector *selector = MU_NEW(d->arena, struct mu_selector);
    *selector = read_requirements(d, &list, &labels, MU_OP_DOES_NOT_EXIST + 1);
    return selector;
}

/* ---- Nodes ---- */

static const struct mu_at absent = {0};

static struct mu_node_term read_node_term(struct mu_decode *d, const struct mu_at *at) {
    struct mu_node_term term = {0};
    struct mu_at expressions = mu_at_array(d, at, "matchExpressions");
    struct mu_at fields = mu_at_array(d, at, "matchFields");
    term.expressions = read_requirements(d, &expressions, &absent, MU_OP_LT + 1);
    term.fields = read_requirements(d, &fields, &absent, MU_OP_NOT_IN + 1);
    for (uint32_t i = 0; i < term.fields.len; i++) {
        struct mu_str key = mu_text(d->symbols, term.fields.items[i].key);
        if (!mu_str_eq(key, MU_STR("metadata.name"))) {
            mu_decode_invalid(d, &fields, NULL, "may name metadata.name only");
        }
    }
    return term;
}

bool mu_field_node_selector(struct mu_decode *d, const struct mu_at *at, const char *field,
                            const struct mu_node_term **ret, uint32_t *ret_len) {
    struct mu_at selector = mu_at_object(d, at, field);
    struct mu_at list = mu_at_array(d, &selector, "nodeSelectorTerms");
    struct mu_node_term *terms =
        mu_at_len(&list) > 0 ? MU_NEW_ARRAY(d->arena, struct mu_node_term, mu_at_len(&list)) : NULL;
    uint32_t len = 0;
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            terms[len++] = read_node_term(d, &item);
        }
    }
    *ret = terms;
    *ret_len = len;
    return selector.value != NULL;
}

static uint32_t read_node_preferred(struct mu_decode *d, const struct mu_at *affinity,
                                    const struct mu_node_term **ret) {
    struct mu_at list = mu_at_array(d, affinity, "preferredDuringSchedulingIgnoredDuringExecution");
    *ret = NULL;
    if (mu_at_len(&list) == 0) {
        return 0;
    }
    struct mu_node_term *terms = MU_NEW_ARRAY(d->arena, struct mu_node_term, mu_at_len(&list));
    uint32_t len = 0;
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value == NULL) {
            continue;
        }
        struct mu_at preference = mu_at_object(d, &item, "preference");
        terms[len] = read_node_term(d, &preference);
        terms[len++].weight = (int32_t)mu_field_int(d, &item, "weight", 0, 1, 100);
    }
    *ret = terms;
    return len;
}

/* ---- Pods ---- */

static void read_pod_term(struct mu_decode *d, const struct mu_at *at, struct mu_pod_term *ret) {
    ret->topology_key = mu_field_sym(d, at, "topologyKey");
    if (ret->topology_key == 0) {
        mu_decode_invalid(d, at, "topologyKey", "must not be empty");
    }
    ret->selector = mu_field_selector(d, at, "labelSelector");
    ret->namespaces_len = mu_field_sym_set(d, at, "namespaces", &ret->namespaces);
    ret->namespace_selector = mu_field_selector(d, at, "namespaceSelector");
    ret->match_label_keys_len = mu_field_syms(d, at, "matchLabelKeys", &ret->match_label_keys);
    ret->mismatch_label_keys_len = mu_field_syms(d, at, "mismatchLabelKeys", &ret->mismatch_label_keys);
}

static uint32_t read_pod_terms(struct mu_decode *d, const struct mu_at *affinity, const char *field, bool preferred,
                               const struct mu_pod_term **ret) {
    struct mu_at list = mu_at_array(d, affinity, field);
    *ret = NULL;
    if (mu_at_len(&list) == 0) {
        return 0;
    }
    struct mu_pod_term *terms = MU_NEW_ARRAY(d->arena, struct mu_pod_term, mu_at_len(&list));
    uint32_t len = 0;
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value == NULL) {
            continue;
        }
        if (preferred) {
            struct mu_at term = mu_at_object(d, &item, "podAffinityTerm");
            read_pod_term(d, &term, &terms[len]);
            terms[len++].weight = (int32_t)mu_field_int(d, &item, "weight", 0, 1, 100);
        } else {
            read_pod_term(d, &item, &terms[len++]);
        }
    }
    *ret = terms;
    return len;
}

void mu_decode_affinity(struct mu_decode *d, const struct mu_at *spec, struct mu_pod_spec *ret) {
    static const char required[] = "requiredDuringSchedulingIgnoredDuringExecution";
    static const char preferred[] = "preferredDuringSchedulingIgnoredDuringExecution";
    struct mu_at affinity = mu_at_object(d, spec, "affinity");

    struct mu_at node = mu_at_object(d, &affinity, "nodeAffinity");
    ret->has_node_required = mu_field_node_selector(d, &node, required, &ret->node_required, &ret->node_required_len);
    ret->node_preferred_len = read_node_preferred(d, &node, &ret->node_preferred);

    struct mu_at pod = mu_at_object(d, &affinity, "podAffinity");
    ret->affinity_len = read_pod_terms(d, &pod, required, false, &ret->affinity);
    ret->affinity_preferred_len = read_pod_terms(d, &pod, preferred, true, &ret->affinity_preferred);

    struct mu_at anti = mu_at_object(d, &affinity, "podAntiAffinity");
    ret->anti_len = read_pod_terms(d, &anti, required, false, &ret->anti);
    ret->anti_preferred_len = read_pod_terms(d, &anti, preferred, true, &ret->anti_preferred);
}
