/* Metadata: names, times, owners, labels, and the few annotations that scheduling reads. */
#include "scheduler/objects/decode.h"

/* Annotations outside these domains are dropped when they are read: most of the bytes of a large cluster's metadata
 * are other people's annotations. */
static const char *const annotation_domains[] = {
    /* Groups: Volcano's group-name and task-spec, the forms of coscheduling and muster, Kueue, LWS, JobSet, Job. */
    "scheduling.k8s.io",
    "scheduling.volcano.sh",
    "volcano.sh",
    "scheduling.x-k8s.io",
    "scheduling.muster.dev",
    "kueue.x-k8s.io",
    "pod-group.scheduling.sigs.k8s.io",
    "leaderworkerset.sigs.k8s.io",
    "disaggregatedset.x-k8s.io",
    "jobset.sigs.k8s.io",
    "alpha.jobset.sigs.k8s.io",
    "batch.kubernetes.io",
    /* Volumes: selected-node, bind-completed, default class, the class of old claims. */
    "volume.kubernetes.io",
    "volume.beta.kubernetes.io",
    "pv.kubernetes.io",
    "storageclass.kubernetes.io",
    "storageclass.beta.kubernetes.io",
    /* Devices: pod-claim-name, extended-resource-claim. */
    "resource.kubernetes.io",
    /* Mirror pods: kubernetes.io/config.mirror. */
    "kubernetes.io",
};

static bool keeps_annotation(struct mu_str key) {
    ptrdiff_t slash = mu_str_index(key, '/');
    struct mu_str domain = mu_str_slice(key, 0, slash < 0 ? 0 : (size_t)slash);
    for (size_t i = 0; i < sizeof annotation_domains / sizeof *annotation_domains; i++) {
        if (mu_str_eq(domain, mu_str_from(annotation_domains[i]))) {
            return true;
        }
    }
    return false;
}

static struct mu_labels read_labels(struct mu_decode *d, const struct mu_at *at, const char *field,
                                    bool (*keeps)(struct mu_str key)) {
    struct mu_at map = mu_at_object(d, at, field);
    size_t len = mu_at_len(&map);
    size_t kept = 0;
    for (size_t i = 0; i < len; i++) {
        struct mu_at item = mu_at_item(d, &map, i, MU_VALUE_STRING);
        kept += keeps == NULL || keeps(item.key);
    }
    if (kept == 0) {
        return (struct mu_labels){NULL, 0};
    }
    struct mu_label *labels = MU_NEW_ARRAY(d->arena, struct mu_label, kept);
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        struct mu_at item = mu_at_any_item(&map, i);
        if (keeps == NULL || keeps(item.key)) {
            /* A key without a value has the empty one. */
            bool text = item.value != NULL && item.value->type == MU_VALUE_STRING;
            labels[n++] = (struct mu_label){mu_decode_sym(d, item.key), text ? mu_decode_sym(d, item.value->text) : 0};
        }
    }
    return mu_labels_sort(labels, n);
}

struct mu_labels mu_field_labels(struct mu_decode *d, const struct mu_at *at, const char *field) {
    return read_labels(d, at, field, NULL);
}

static void read_owner(struct mu_decode *d, const struct mu_at *metadata, struct mu_meta *ret) {
    struct mu_at owners = mu_at_array(d, metadata, "ownerReferences");
    for (size_t i = 0; i < mu_at_len(&owners); i++) {
        struct mu_at owner = mu_at_item(d, &owners, i, MU_VALUE_OBJECT);
        if (mu_field_bool(d, &owner, "controller", false)) {
            ret->owner_uid = mu_field_sym(d, &owner, "uid");
            ret->owner_kind = mu_field_sym(d, &owner, "kind");
            ret->owner_name = mu_field_sym(d, &owner, "name");
        }
    }
}

uint64_t mu_value_hash(const struct mu_value *value) {
    uint64_t hash = (uint64_t)value->type + 1;
    switch (value->type) {
    case MU_VALUE_NULL:
        break;
    case MU_VALUE_BOOL:
        hash += value->boolean;
        break;
    case MU_VALUE_NUMBER:
    case MU_VALUE_STRING:
        hash = mu_hash_bytes(hash, value->text.ptr, value->text.len);
        break;
    case MU_VALUE_ARRAY:
        for (size_t i = 0; i < value->array.len; i++) {
            uint64_t item = mu_value_hash(&value->array.items[i]);
            hash = mu_hash_bytes(hash, &item, sizeof item);
        }
        break;
    case MU_VALUE_OBJECT:
        /* The order of fields means nothing: their numbers are added up. */
        for (size_t i = 0; i < value->object.len; i++) {
            const struct mu_field *field = &value->object.fields[i];
            hash += field->value.type == MU_VALUE_NULL
                        ? 0
                        : mu_hash_bytes(mu_value_hash(&field->value), field->key.ptr, field->key.len);
        }
        break;
    }
    return hash;
}

struct mu_str mu_value_suffix(struct mu_decode *d, const struct mu_value *value) {
    /* The letters that Kubernetes uses, which make no words. */
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    uint64_t hash = mu_value_hash(value);
    char text[5];
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = letters[hash % (sizeof letters - 1)];
        hash /= sizeof letters - 1;
    }
    return mu_str_dup(d->scratch, (struct mu_str){text, sizeof text});
}

static void read_name(struct mu_decode *d, const struct mu_at *root, const struct mu_at *metadata) {
    d->name = mu_field_str(d, metadata, "name");
    struct mu_str beginning = mu_field_str(d, metadata, "generateName");
    if (d->name.len == 0 && beginning.len > 0) {
        struct mu_str suffix = mu_value_suffix(d, root->value);
        d->name = mu_str_printf(d->scratch, MU_STR_FMT MU_STR_FMT, MU_STR_ARG(beginning), MU_STR_ARG(suffix));
    }
    if (d->name.len == 0) {
        mu_decode_fail(d, metadata, "name", "is missing");
    }
}

void mu_decode_template_meta(struct mu_decode *d, const struct mu_at *at, struct mu_meta *ret) {
    struct mu_at metadata = mu_at_object(d, at, "metadata");
    ret->created_ns = MU_TIME_NONE;
    ret->deleted_ns = MU_TIME_NONE;
    ret->labels = mu_field_labels(d, &metadata, "labels");
    ret->annotations = read_labels(d, &metadata, "annotations", keeps_annotation);
}

void mu_decode_meta(struct mu_decode *d, const struct mu_at *root, bool namespaced, struct mu_meta *ret) {
    struct mu_at metadata = mu_at_object(d, root, "metadata");
    *ret = (struct mu_meta){0};
    if (namespaced) {
        d->namespace = mu_field_str(d, &metadata, "namespace");
        if (d->namespace.len == 0) {
            d->namespace = MU_STR("default");
        }
    }
    read_name(d, root, &metadata);
    ret->namespace = mu_decode_sym(d, d->namespace);
    ret->name = mu_decode_sym(d, d->name);
    ret->uid = mu_field_sym(d, &metadata, "uid");
    struct mu_str version = mu_field_str(d, &metadata, "resourceVersion");
    if (!mu_str_to_i64(version, &ret->resource_version)) {
        ret->resource_version = 0;
    }
    mu_decode_template_meta(d, root, ret);
    ret->created_ns = mu_field_time(d, &metadata, "creationTimestamp");
    ret->deleted_ns = mu_field_time(d, &metadata, "deletionTimestamp");
    read_owner(d, &metadata, ret);
}
