/* Priority classes, disruption budgets, namespaces and queues. */
#include "scheduler/objects/decode.h"
#include <stdlib.h>

void mu_decode_priority_class(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_priority_class *ret = object;
    ret->value = mu_field_i32(d, root, "value", 0, INT32_MIN);
    ret->global_default = mu_field_bool(d, root, "globalDefault", false);
    ret->preemption = mu_decode_preemption(d, root);
}

void mu_decode_pdb(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_pdb *ret = object;
    struct mu_at spec = mu_at_object(d, root, "spec");
    struct mu_at status = mu_at_object(d, root, "status");
    ret->selector = mu_field_selector(d, &spec, "selector");
    ret->disruptions_allowed = mu_field_int(d, &status, "disruptionsAllowed", 0, 0, INT32_MAX);
    struct mu_at map = mu_at_object(d, &status, "disruptedPods");
    if (mu_at_len(&map) == 0) {
        return;
    }
    mu_sym *names = MU_NEW_ARRAY(d->arena, mu_sym, mu_at_len(&map));
    for (uint32_t i = 0; i < mu_at_len(&map); i++) {
        names[i] = mu_decode_sym(d, map.value->object.fields[i].key);
    }
    ret->disrupted = names;
    ret->disrupted_len = mu_sort_syms(names, (uint32_t)mu_at_len(&map));
}

void mu_decode_namespace(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_namespace *ret = object;
    (void)root;
    /* The label that the server gives to every namespace, which manifests need not have. */
    mu_sym key = mu_decode_sym(d, MU_STR("kubernetes.io/metadata.name"));
    mu_sym value;
    if (mu_labels_get(&ret->meta.labels, key, &value)) {
        return;
    }
    uint32_t len = ret->meta.labels.len;
    struct mu_label *labels = MU_NEW_ARRAY(d->arena, struct mu_label, len + 1);
    if (len > 0) {
        memcpy(labels, ret->meta.labels.items, len * sizeof *labels);
    }
    labels[len] = (struct mu_label){key, ret->meta.name};
    ret->meta.labels = mu_labels_sort(labels, len + 1);
}

/* ---- Queues ---- */

static int cmp_quota(const void *a, const void *b) {
    mu_sym x = ((const struct mu_quota *)a)->resource, y = ((const struct mu_quota *)b)->resource;
    return x < y ? -1 : x > y;
}

/* A limit is rounded down: what does not fit exactly does not fit. */
static int64_t read_limit(struct mu_decode *d, const struct mu_at *at, const char *field, mu_sym resource) {
    struct mu_quantity q;
    return mu_field_quantity(d, at, field, &q) ? mu_amount_down(d, resource, q) : -1;
}

static uint32_t read_quota(struct mu_decode *d, const struct mu_at *spec, const struct mu_quota **ret) {
    struct mu_at list = mu_at_array(d, spec, "quota");
    *ret = NULL;
    if (mu_at_len(&list) == 0) {
        return 0;
    }
    struct mu_quota *quota = MU_NEW_ARRAY(d->arena, struct mu_quota, mu_at_len(&list));
    uint32_t len = 0;
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value == NULL) {
            continue;
        }
        mu_sym resource = mu_field_sym_required(d, &item, "resource");
        for (uint32_t k = 0; k < len; k++) {
            if (quota[k].resource == resource) {
                mu_decode_invalid(d, &item, "resource", "is listed twice");
            }
        }
        quota[len++] = (struct mu_quota){resource, read_limit(d, &item, "nominalQuota", resource),
                                         read_limit(d, &item, "borrowingLimit", resource),
                                         read_limit(d, &item, "lendingLimit", resource)};
    }
    qsort(quota, len, sizeof *quota, cmp_quota);
    *ret = quota;
    return len;
}

void mu_decode_queue(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_queue *ret = object;
    static const char *const orders[] = {"BestEffortFIFO", "StrictFIFO", "Backfill"};
    static const char *const reclaims[] = {"Any", "LowerPriority", "Never"};
    struct mu_at spec = mu_at_object(d, root, "spec");
    ret->parent = mu_field_sym(d, &spec, "parent");
    ret->weight = mu_field_int(d, &spec, "weight", 1, 0, INT32_MAX);
    ret->namespace_selector = mu_field_selector(d, &spec, "namespaceSelector");
    ret->order = (enum mu_queue_order)mu_field_word(d, &spec, "queueingStrategy", orders, 3, MU_QUEUE_BEST_EFFORT);
    ret->quota_len = read_quota(d, &spec, &ret->quota);
    ret->reclaim = (enum mu_reclaim)mu_field_word(d, &spec, "reclaim", reclaims, 3, MU_RECLAIM_ANY);
    ret->min_runtime_ns = mu_field_duration(d, &spec, "minRuntime", 0);
    ret->max_wait_ns = mu_field_duration(d, &spec, "maxWait", MU_TIME_NONE);
}

/* ---- Volcano's queues ---- */

/* Volcano's `deviceclass/CLASS` is the name that ResourceQuota gives to devices of a class. What is counted by a
 * dimension, `DIMENSION.deviceclass/CLASS`, has no other name. */
static mu_sym volcano_resource(struct mu_decode *d, mu_sym resource) {
    struct mu_str name = mu_text(d->symbols, resource);
    struct mu_str prefix = MU_STR("deviceclass/");
    if (!mu_str_starts(name, prefix)) {
        return resource;
    }
    struct mu_str class = mu_str_slice(name, prefix.len, name.len);
    return mu_decode_sym(d, mu_str_printf(d->scratch, MU_STR_FMT ".deviceclass.resource.k8s.io/devices",
                                          MU_STR_ARG(class)));
}

struct amounts {
    const struct mu_amount *items;
    uint32_t len;
};

static int64_t amount_of(const struct amounts *amounts, mu_sym resource) {
    for (uint32_t i = 0; i < amounts->len; i++) {
        if (amounts->items[i].resource == resource) {
            return amounts->items[i].amount;
        }
    }
    return -1;
}

static struct amounts read_amounts(struct mu_decode *d, const struct mu_at *at, const char *field) {
    struct amounts amounts;
    amounts.len = mu_field_amounts(d, at, field, true, &amounts.items);
    return amounts;
}

/* The nominal of each resource is what is deserved, else guaranteed, else the cap; up to the cap it borrows. */
static void volcano_quota(struct mu_decode *d, const struct mu_at *spec, struct mu_queue *ret) {
    struct mu_at guarantee = mu_at_object(d, spec, "guarantee");
    struct amounts deserved = read_amounts(d, spec, "deserved");
    struct amounts capability = read_amounts(d, spec, "capability");
    const struct amounts lists[] = {deserved, read_amounts(d, &guarantee, "resource"), capability};
    struct mu_quota *quota = MU_NEW_ARRAY(d->arena, struct mu_quota, lists[0].len + lists[1].len + lists[2].len);
    uint32_t len = 0;
    for (size_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < lists[i].len; k++) {
            mu_sym name = lists[i].items[k].resource;
            mu_sym resource = volcano_resource(d, name);
            bool listed = false;
            for (uint32_t j = 0; j < len && !listed; j++) {
                listed = quota[j].resource == resource;
            }
            if (listed) {
                continue;
            }
            int64_t nominal = lists[i].items[k].amount, cap = amount_of(&capability, name);
            int64_t borrows = cap < 0 ? -1 : cap < nominal ? 0 : cap - nominal;
            quota[len++] = (struct mu_quota){resource, cap >= 0 && cap < nominal ? cap : nominal, borrows, -1};
        }
    }
    qsort(quota, len, sizeof *quota, cmp_quota);
    ret->quota = quota;
    ret->quota_len = len;
}

void mu_decode_queue_volcano(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_queue *ret = object;
    struct mu_at spec = mu_at_object(d, root, "spec");
    struct mu_at status = mu_at_object(d, root, "status");
    ret->volcano = true;
    struct mu_str state = mu_field_str(d, &status, "state");
    ret->closed = state.len > 0 && !mu_str_eq(state, MU_STR("Open"));
    ret->parent = mu_field_sym(d, &spec, "parent");
    ret->weight = mu_field_int(d, &spec, "weight", 1, 0, INT32_MAX);
    ret->keeps_borrowed = !mu_field_bool(d, &spec, "reclaimable", true);
    ret->max_wait_ns = MU_TIME_NONE;
    volcano_quota(d, &spec, ret);
}
