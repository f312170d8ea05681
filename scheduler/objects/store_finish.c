/* The end of reading: what the server would fill in, the order of objects, and what people must hear of. */
#include "scheduler/objects/store_index.h"
#include <stdlib.h>

/* ---- Copies that differ ---- */

static int cmp_conflicts(const void *a, const void *b) {
    return mu_str_cmp(((const struct mu_conflict *)a)->text, ((const struct mu_conflict *)b)->text);
}

static int check_conflicts(struct mu_store *store, struct mu_err *err) {
    struct mu_store_index *index = store->index;
    if (index->conflicts.len > 1) {
        qsort(index->conflicts.items, index->conflicts.len, sizeof *index->conflicts.items, cmp_conflicts);
    }
    for (size_t i = 0; i < index->conflicts.len; i++) {
        const struct mu_conflict *conflict = &index->conflicts.items[i];
        if (index->kinds[conflict->kind].objects.items[conflict->index]->resource_version == conflict->version) {
            return mu_err_set(err, MU_E_PARSE, MU_STR_FMT, MU_STR_ARG(conflict->text));
        }
    }
    return 0;
}

/* ---- Priorities ---- */

/* Classes that every cluster has. */
static const struct {
    const char *name;
    int32_t value;
} system_classes[] = {{"system-cluster-critical", 2000000000}, {"system-node-critical", 2000001000}};

struct found_class {
    mu_sym name;
    int32_t value;
    enum mu_preemption preemption;
};

static bool find_class(const struct mu_store *store, mu_sym name, struct found_class *ret) {
    const struct mu_priority_class *class =
        (const struct mu_priority_class *)mu_store_find(store, MU_KIND_PRIORITY_CLASS, 0, name);
    if (class != NULL && class->meta.invalid.len == 0) {
        *ret = (struct found_class){name, class->value, class->preemption};
        return true;
    }
    for (size_t i = 0; class == NULL && i < sizeof system_classes / sizeof *system_classes; i++) {
        if (mu_str_eq(mu_text(&store->symbols, name), mu_str_from(system_classes[i].name))) {
            *ret = (struct found_class){name, system_classes[i].value, MU_PREEMPT_LOWER_PRIORITY};
            return true;
        }
    }
    return false;
}

/* Of several defaults the lowest counts, as the server's admission has it; of equal ones the first by name. */
static struct found_class default_class(const struct mu_store *store) {
    const struct mu_kind_set *set = &store->index->kinds[MU_KIND_PRIORITY_CLASS];
    const struct mu_priority_class *best = NULL;
    for (size_t i = 0; i < set->objects.len; i++) {
        const struct mu_priority_class *class = (const struct mu_priority_class *)set->objects.items[i];
        if (class->global_default && class->meta.invalid.len == 0 && (best == NULL || class->value < best->value)) {
            best = class;
        }
    }
    return best == NULL ? (struct found_class){0, 0, MU_PREEMPT_LOWER_PRIORITY}
                        : (struct found_class){best->meta.name, best->value, best->preemption};
}

static void fill_priority(struct mu_store *store, struct mu_pod *pod, const struct found_class *fallback) {
    struct found_class class = *fallback;
    bool known = pod->priority_class == 0 || find_class(store, pod->priority_class, &class);
    if (!pod->has_priority) {
        if (!known && pod->meta.invalid.len == 0) {
            struct mu_str name = mu_text(&store->symbols, pod->priority_class);
            pod->meta.invalid =
                mu_str_printf(store->arena, "spec.priorityClassName: there is no PriorityClass " MU_STR_FMT,
                              MU_STR_ARG(name));
        }
        pod->priority = class.value;
        pod->priority_class = known ? class.name : pod->priority_class;
        pod->has_priority = true;
        pod->preemption = pod->preemption != MU_PREEMPTION_UNSET ? pod->preemption : class.preemption;
    }
    if (pod->preemption == MU_PREEMPTION_UNSET) {
        pod->preemption = MU_PREEMPT_LOWER_PRIORITY;
    }
}

static void fill_priorities(struct mu_store *store) {
    struct found_class fallback = default_class(store);
    for (size_t i = 0; i < store->pods.len; i++) {
        fill_priority(store, store->pods.items[i], &fallback);
    }
    for (size_t i = 0; i < store->groups.len; i++) {
        struct mu_group_object *group = store->groups.items[i];
        struct found_class class;
        if (group->priority_class != 0 && find_class(store, group->priority_class, &class)) {
            group->priority = group->has_priority ? group->priority : class.value;
            group->has_priority = true;
            group->preemption = group->preemption != MU_PREEMPTION_UNSET ? group->preemption : class.preemption;
        }
    }
}

/* ---- Volumes ---- */

static int cmp_wanted(const void *a, const void *b, void *symbols) {
    const struct mu_wanted_claim *x = a, *y = b;
    int order = mu_sym_cmp(symbols, x->namespace, y->namespace);
    order = order != 0 ? order : mu_sym_cmp(symbols, x->name, y->name);
    return order != 0 ? order : mu_sym_cmp(symbols, x->pod, y->pod);
}

static void make_wanted_claims(struct mu_store *store) {
    struct mu_store_index *index = store->index;
    size_t len = index->wanted_claims.len;
    if (len > 1) {
        qsort_r(index->wanted_claims.items, len, sizeof *index->wanted_claims.items, cmp_wanted, &store->symbols);
    }
    for (size_t i = 0; i < len; i++) {
        const struct mu_wanted_claim *wanted = &index->wanted_claims.items[i];
        const struct mu_meta *pod = mu_store_find(store, MU_KIND_POD, wanted->namespace, wanted->pod);
        /* A newer copy of the pod may come from a server: there the claim is made, or missing for a reason. */
        if (pod == NULL || pod->uid != 0 ||
            mu_store_find(store, MU_KIND_PVC, wanted->namespace, wanted->name) != NULL) {
            continue;
        }
        struct mu_pvc *claim = MU_NEW(store->arena, struct mu_pvc);
        *claim = *wanted->claim;
        claim->meta.namespace = wanted->namespace;
        claim->meta.name = wanted->name;
        mu_store_put(store, MU_KIND_PVC, &claim->meta);
    }
}

/* Of several default classes the newest counts, then the first by name. */
static const struct mu_storage_class *default_storage_class(const struct mu_store *store) {
    const struct mu_storage_class *best = NULL;
    for (size_t i = 0; i < store->storage_classes.len; i++) {
        const struct mu_storage_class *class = store->storage_classes.items[i];
        if (class->is_default && class->meta.invalid.len == 0 &&
            (best == NULL || mu_created_cmp(class->meta.created_ns, best->meta.created_ns) > 0)) {
            best = class;
        }
    }
    return best;
}

/* The server gives the default class to claims that name none, whenever there is one. */
static void fill_storage_classes(struct mu_store *store) {
    const struct mu_storage_class *class = default_storage_class(store);
    for (size_t i = 0; class != NULL && i < store->pvcs.len; i++) {
        struct mu_pvc *pvc = store->pvcs.items[i];
        if (!pvc->has_storage_class && pvc->volume == 0) {
            pvc->storage_class = class->meta.name;
            pvc->has_storage_class = true;
        }
    }
}

/* ---- Queues ---- */

/* Volcano's webhook makes everything a child of a queue `root`, which a snapshot need not have. */
static void fix_queue_roots(struct mu_store *store) {
    for (size_t i = 0; i < store->queues.len; i++) {
        struct mu_queue *queue = store->queues.items[i];
        if (queue->volcano && mu_str_eq(mu_text(&store->symbols, queue->parent), MU_STR("root")) &&
            mu_store_find(store, MU_KIND_QUEUE_VOLCANO, 0, queue->parent) == NULL) {
            queue->parent = 0;
        }
    }
}

/* ---- The arrays that others read ---- */

/* Appends the objects of a kind, without room to spare. */
#define TAKE(array, type, kind_value)                                                                                  \
    do {                                                                                                               \
        const struct mu_kind_set *set = &store->index->kinds[kind_value];                                              \
        size_t len = store->array.len + set->objects.len;                                                              \
        store->array.items = mu_arena_grow(store->arena, store->array.items, store->array.len * sizeof(type *),        \
                                           len * sizeof(type *), alignof(type *));                                     \
        for (size_t i = 0; i < set->objects.len; i++) {                                                                \
            store->array.items[store->array.len++] = (type *)set->objects.items[i];                                    \
        }                                                                                                              \
        store->array.cap = len;                                                                                        \
    } while (0)

static void fill_arrays(struct mu_store *store) {
    TAKE(pods, struct mu_pod, MU_KIND_POD);
    TAKE(nodes, struct mu_node, MU_KIND_NODE);
    TAKE(groups, struct mu_group_object, MU_KIND_GROUP_NATIVE);
    TAKE(groups, struct mu_group_object, MU_KIND_GROUP_COSCHEDULING);
    TAKE(groups, struct mu_group_object, MU_KIND_GROUP_VOLCANO);
    TAKE(groups, struct mu_group_object, MU_KIND_GROUP_COMPOSITE);
    TAKE(groups, struct mu_group_object, MU_KIND_GROUP_LWS);
    TAKE(pvs, struct mu_pv, MU_KIND_PV);
    TAKE(pvcs, struct mu_pvc, MU_KIND_PVC);
    TAKE(storage_classes, struct mu_storage_class, MU_KIND_STORAGE_CLASS);
    TAKE(csi_nodes, struct mu_csi_node, MU_KIND_CSI_NODE);
    TAKE(csi_drivers, struct mu_csi_driver, MU_KIND_CSI_DRIVER);
    TAKE(csi_capacities, struct mu_csi_capacity, MU_KIND_CSI_CAPACITY);
    TAKE(priority_classes, struct mu_priority_class, MU_KIND_PRIORITY_CLASS);
    TAKE(pdbs, struct mu_pdb, MU_KIND_PDB);
    TAKE(namespaces, struct mu_namespace, MU_KIND_NAMESPACE);
    TAKE(queues, struct mu_queue, MU_KIND_QUEUE);
    TAKE(queues, struct mu_queue, MU_KIND_QUEUE_VOLCANO);
    TAKE(claims, struct mu_claim, MU_KIND_CLAIM);
    TAKE(claim_templates, struct mu_claim, MU_KIND_CLAIM_TEMPLATE);
    TAKE(slices, struct mu_slice, MU_KIND_SLICE);
    TAKE(device_classes, struct mu_device_class, MU_KIND_DEVICE_CLASS);
    TAKE(taint_rules, struct mu_taint_rule, MU_KIND_TAINT_RULE);
}

static int cmp_groups(const void *a, const void *b, void *symbols) {
    const struct mu_group_object *x = *(struct mu_group_object *const *)a, *y = *(struct mu_group_object *const *)b;
    int order = mu_meta_cmp(&x->meta, &y->meta, symbols);
    return order != 0 ? order : x->api < y->api ? -1 : x->api > y->api;
}

static int cmp_queues(const void *a, const void *b, void *symbols) {
    const struct mu_queue *x = *(struct mu_queue *const *)a, *y = *(struct mu_queue *const *)b;
    int order = mu_meta_cmp(&x->meta, &y->meta, symbols);
    return order != 0 ? order : x->volcano - y->volcano;
}

/* Two arrays hold kinds of several APIs. */
static void sort_mixed_arrays(struct mu_store *store) {
    if (store->groups.len > 1) {
        qsort_r(store->groups.items, store->groups.len, sizeof *store->groups.items, cmp_groups, &store->symbols);
    }
    if (store->queues.len > 1) {
        qsort_r(store->queues.items, store->queues.len, sizeof *store->queues.items, cmp_queues, &store->symbols);
    }
}

/* Specs are numbered in the order of the pods that use them, whatever the order of reading. One that no pod uses (any
 * more) comes last. */
static void number_specs(struct mu_store *store) {
    struct mu_store_index *index = store->index;
    size_t len = index->spec_list.len;
    uint32_t *ids = MU_NEW_ARRAY(index->scratch, uint32_t, len); /* by old number, 1 more; 0: none yet */
    uint32_t next = 0;
    for (size_t i = 0; i < store->pods.len; i++) {
        uint32_t *id = &ids[store->pods.items[i]->spec->id];
        *id = *id != 0 ? *id : ++next;
    }
    for (size_t i = 0; i < len; i++) {
        index->spec_list.items[i]->id = (ids[i] != 0 ? ids[i] : ++next) - 1;
    }
}

/* ---- All of it ---- */

int mu_store_finish(struct mu_store *store, struct mu_err *err) {
    struct mu_arena_mark mark = mu_arena_mark(store->index->scratch);
    int code = check_conflicts(store, err);
    if (code != 0) {
        return code;
    }
    for (int kind = 0; kind < MU_KIND_COUNT; kind++) {
        mu_store_sort(store, (enum mu_kind)kind);
    }
    code = mu_store_expand(store, err);
    if (code != 0) {
        return code;
    }
    make_wanted_claims(store);
    mu_store_make_claims(store);
    mu_store_sort(store, MU_KIND_POD);
    mu_store_sort(store, MU_KIND_PVC);
    mu_store_sort(store, MU_KIND_CLAIM);
    fill_arrays(store);
    sort_mixed_arrays(store);
    number_specs(store);
    mu_store_number_claims(store);
    fill_priorities(store);
    fill_storage_classes(store);
    fix_queue_roots(store);
    mu_store_note_all(store);
    mu_arena_rollback(store->index->scratch, mark);
    return 0;
}
