/* Volumes: PersistentVolumes and claims, storage classes, and what CSI drivers publish. */
#include "scheduler/objects/decode.h"

/* The annotation that named a class before there was a field, and still wins over it. */
static mu_sym read_class(struct mu_decode *d, const struct mu_meta *meta, const struct mu_at *spec, bool *ret_given) {
    mu_sym class;
    mu_sym key = mu_decode_sym(d, MU_STR("volume.beta.kubernetes.io/storage-class"));
    if (mu_labels_get(&meta->annotations, key, &class)) {
        *ret_given = true;
        return class;
    }
    *ret_given = mu_at_field(d, spec, "storageClassName", MU_VALUE_STRING).value != NULL;
    return mu_field_sym(d, spec, "storageClassName");
}

static bool has_annotation(struct mu_decode *d, const struct mu_meta *meta, struct mu_str key, mu_sym *ret) {
    mu_sym sym = mu_symbol_find(d->symbols, key);
    return sym != 0 && mu_labels_get(&meta->annotations, sym, ret);
}

static unsigned read_access(struct mu_decode *d, const struct mu_at *spec) {
    static const struct {
        const char *name;
        enum mu_access bit;
    } modes[] = {{"ReadWriteOnce", MU_ACCESS_RWO},
                 {"ReadOnlyMany", MU_ACCESS_ROX},
                 {"ReadWriteMany", MU_ACCESS_RWX},
                 {"ReadWriteOncePod", MU_ACCESS_RWOP}};
    struct mu_at list = mu_at_array(d, spec, "accessModes");
    unsigned access = 0;
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_STRING);
        unsigned bit = 0;
        for (size_t k = 0; item.value != NULL && k < sizeof modes / sizeof *modes; k++) {
            if (mu_str_eq(item.value->text, mu_str_from(modes[k].name))) {
                bit = modes[k].bit;
            }
        }
        if (item.value != NULL && bit == 0) {
            mu_decode_invalid(d, &item, NULL, "is no access mode");
        }
        access |= bit;
    }
    return access;
}

static bool read_block(struct mu_decode *d, const struct mu_at *spec) {
    static const char *const modes[] = {"Filesystem", "Block"};
    return mu_field_word(d, spec, "volumeMode", modes, 2, 0) == 1;
}

/* Bytes of a quantity; `absent` where there is none. */
static int64_t read_bytes(struct mu_decode *d, const struct mu_at *at, const char *field, bool down, int64_t absent) {
    struct mu_quantity q;
    if (!mu_field_quantity(d, at, field, &q)) {
        return absent;
    }
    return down ? mu_quantity_units_down(q) : mu_quantity_units_up(q);
}

void mu_decode_pv(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_pv *ret = object;
    struct mu_at spec = mu_at_object(d, root, "spec");
    struct mu_at status = mu_at_object(d, root, "status");
    struct mu_at capacity = mu_at_object(d, &spec, "capacity");
    ret->capacity_bytes = read_bytes(d, &capacity, "storage", true, 0);
    ret->access = read_access(d, &spec);
    bool given;
    ret->storage_class = read_class(d, &ret->meta, &spec, &given);
    ret->block = read_block(d, &spec);
    struct mu_at claim = mu_at_object(d, &spec, "claimRef");
    ret->claim_namespace = mu_field_sym(d, &claim, "namespace");
    ret->claim_name = mu_field_sym(d, &claim, "name");
    ret->claim_uid = mu_field_sym(d, &claim, "uid");
    struct mu_at affinity = mu_at_object(d, &spec, "nodeAffinity");
    ret->has_node_required =
        mu_field_node_selector(d, &affinity, "required", &ret->node_required, &ret->node_required_len);
    ret->phase = mu_field_sym(d, &status, "phase");
    struct mu_at csi = mu_at_object(d, &spec, "csi");
    ret->csi_driver = mu_field_sym(d, &csi, "driver");
    ret->csi_handle = mu_field_sym(d, &csi, "volumeHandle");
    ret->attributes_class = mu_field_sym(d, &spec, "volumeAttributesClassName");
}

void mu_decode_pvc(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_pvc *ret = object;
    struct mu_at spec = mu_at_object(d, root, "spec");
    struct mu_at status = mu_at_object(d, root, "status");
    struct mu_at resources = mu_at_object(d, &spec, "resources");
    struct mu_at requests = mu_at_object(d, &resources, "requests");
    ret->request_bytes = read_bytes(d, &requests, "storage", false, 0);
    ret->access = read_access(d, &spec);
    ret->storage_class = read_class(d, &ret->meta, &spec, &ret->has_storage_class);
    ret->block = read_block(d, &spec);
    ret->volume = mu_field_sym(d, &spec, "volumeName");
    ret->selector = mu_field_selector(d, &spec, "selector");
    mu_sym completed;
    ret->bound = mu_str_eq(mu_field_str(d, &status, "phase"), MU_STR("Bound")) ||
                 has_annotation(d, &ret->meta, MU_STR("pv.kubernetes.io/bind-completed"), &completed);
    has_annotation(d, &ret->meta, MU_STR("volume.kubernetes.io/selected-node"), &ret->selected_node);
    ret->attributes_class = mu_field_sym(d, &spec, "volumeAttributesClassName");
}

/* ---- Classes ---- */

static struct mu_selector read_topology(struct mu_decode *d, const struct mu_at *term) {
    struct mu_selector selector = {NULL, 0};
    struct mu_at list = mu_at_array(d, term, "matchLabelExpressions");
    if (mu_at_len(&list) == 0) {
        return selector;
    }
    struct mu_requirement *items = MU_NEW_ARRAY(d->arena, struct mu_requirement, mu_at_len(&list));
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            struct mu_requirement *req = &items[selector.len++];
            req->key = mu_field_sym_required(d, &item, "key");
            req->op = MU_OP_IN;
            req->values_len = mu_field_sym_set(d, &item, "values", &req->values);
        }
    }
    selector.items = items;
    return selector;
}

static void read_topologies(struct mu_decode *d, const struct mu_at *root, struct mu_storage_class *ret) {
    struct mu_at list = mu_at_array(d, root, "allowedTopologies");
    if (mu_at_len(&list) == 0) {
        return;
    }
    struct mu_selector *topologies = MU_NEW_ARRAY(d->arena, struct mu_selector, mu_at_len(&list));
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at term = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (term.value != NULL) {
            topologies[ret->allowed_topologies_len++] = read_topology(d, &term);
        }
    }
    ret->allowed_topologies = topologies;
}

void mu_decode_storage_class(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_storage_class *ret = object;
    static const char *const modes[] = {"Immediate", "WaitForFirstConsumer"};
    static const char *const defaults[] = {"storageclass.kubernetes.io/is-default-class",
                                           "storageclass.beta.kubernetes.io/is-default-class"};
    ret->provisioner = mu_field_sym(d, root, "provisioner");
    ret->wait_for_first_consumer = mu_field_word(d, root, "volumeBindingMode", modes, 2, 0) == 1;
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        mu_sym value;
        if (has_annotation(d, &ret->meta, mu_str_from(defaults[i]), &value) &&
            mu_str_eq(mu_text(d->symbols, value), MU_STR("true"))) {
            ret->is_default = true;
        }
    }
    read_topologies(d, root, ret);
}

/* ---- What drivers publish ---- */

void mu_decode_csi_node(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_csi_node *ret = object;
    struct mu_at spec = mu_at_object(d, root, "spec");
    struct mu_at list = mu_at_array(d, &spec, "drivers");
    if (mu_at_len(&list) == 0) {
        return;
    }
    struct mu_csi_driver_limit *drivers = MU_NEW_ARRAY(d->arena, struct mu_csi_driver_limit, mu_at_len(&list));
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value == NULL) {
            continue;
        }
        struct mu_csi_driver_limit *driver = &drivers[ret->drivers_len++];
        driver->driver = mu_field_sym_required(d, &item, "name");
        struct mu_at allocatable = mu_at_object(d, &item, "allocatable");
        driver->count = mu_field_int(d, &allocatable, "count", -1, 0, INT32_MAX);
        driver->topology_keys_len = mu_field_syms(d, &item, "topologyKeys", &driver->topology_keys);
    }
    ret->drivers = drivers;
}

void mu_decode_csi_driver(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_csi_driver *ret = object;
    struct mu_at spec = mu_at_object(d, root, "spec");
    ret->storage_capacity = mu_field_bool(d, &spec, "storageCapacity", false);
}

void mu_decode_csi_capacity(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_csi_capacity *ret = object;
    ret->storage_class = mu_field_sym(d, root, "storageClassName");
    ret->node_topology = mu_field_selector(d, root, "nodeTopology");
    ret->capacity_bytes = read_bytes(d, root, "capacity", true, -1);
    ret->maximum_bytes = read_bytes(d, root, "maximumVolumeSize", true, -1);
}
