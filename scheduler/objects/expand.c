/* Expansion: what all workloads have in common. */
#include "scheduler/objects/expand.h"
#include "scheduler/base/limits.h"
#include "scheduler/objects/store_index.h"
#include <inttypes.h>

/* ---- Labels and annotations ---- */

static void push(struct mu_expand *e, struct mu_label *labels, size_t *len, const char *key, struct mu_str value) {
    MU_ASSERT(*len < MU_EXTRA_LABELS);
    labels[(*len)++] = (struct mu_label){mu_decode_sym(&e->d, mu_str_from(key)), mu_decode_sym(&e->d, value)};
}

void mu_extra_label(struct mu_expand *e, struct mu_extra *extra, const char *key, struct mu_str value) {
    push(e, extra->labels, &extra->labels_len, key, value);
}

void mu_extra_number(struct mu_expand *e, struct mu_extra *extra, const char *key, int64_t number) {
    mu_extra_label(e, extra, key, mu_str_printf(e->d.scratch, "%" PRId64, number));
}

void mu_extra_annotation(struct mu_expand *e, struct mu_extra *extra, const char *key, struct mu_str value) {
    push(e, extra->annotations, &extra->annotations_len, key, value);
}

/* What the controller adds comes after what the template has, and so wins. */
static struct mu_labels merge(struct mu_expand *e, const struct mu_labels *own, const struct mu_label *added,
                              size_t added_len) {
    if (added_len == 0) {
        return *own;
    }
    struct mu_label *labels = MU_NEW_ARRAY(e->d.arena, struct mu_label, own->len + added_len);
    if (own->len > 0) {
        memcpy(labels, own->items, own->len * sizeof *labels);
    }
    memcpy(labels + own->len, added, added_len * sizeof *labels);
    return mu_labels_sort(labels, own->len + added_len);
}

/* ---- Pods ---- */

bool mu_make_pod(struct mu_expand *e, const struct mu_pod_template *from, struct mu_str name,
                 const struct mu_extra *extra, struct mu_pod_template *ret) {
    const struct mu_meta *owner = &e->workload->meta;
    mu_sym sym = mu_decode_sym(&e->d, name);
    if (mu_store_find(e->d.store, MU_KIND_POD, owner->namespace, sym) != NULL) {
        return false;
    }
    *ret = *from;
    struct mu_meta *meta = &ret->pod.meta;
    meta->namespace = owner->namespace;
    meta->name = sym;
    meta->owner_kind = mu_decode_sym(&e->d, e->d.kind);
    meta->owner_name = owner->name;
    meta->labels = merge(e, &meta->labels, extra->labels, extra->labels_len);
    meta->annotations = merge(e, &meta->annotations, extra->annotations, extra->annotations_len);
    ret->pod.expanded = true;
    return true;
}

void mu_put_pod(struct mu_expand *e, struct mu_pod_template *pod) {
    mu_pod_own_claims(&e->d, pod);
    struct mu_pod *kept = MU_NEW(e->d.arena, struct mu_pod);
    *kept = pod->pod;
    mu_store_put(e->d.store, MU_KIND_POD, &kept->meta);
}

/* ---- Workloads ---- */

static int64_t count_pods(const struct mu_store *store, enum mu_kind kind, const struct mu_workload *workload) {
    if (kind == MU_KIND_DAEMON_SET) {
        return (int64_t)store->index->kinds[MU_KIND_NODE].objects.len;
    }
    int64_t pods = 0;
    for (uint32_t i = 0; i < workload->parts_len; i++) {
        const struct mu_workload_part *part = &workload->parts[i];
        int64_t replicas = kind == MU_KIND_LWS ? workload->replicas : part->replicas;
        pods = mu_sat_add(pods, mu_sat_mul(replicas, part->pods));
    }
    return pods;
}

static void make_pods(struct mu_expand *e, enum mu_kind kind) {
    switch (kind) {
    case MU_KIND_JOB:
        mu_expand_job(e);
        break;
    case MU_KIND_STATEFUL_SET:
        mu_expand_stateful_set(e);
        break;
    case MU_KIND_DAEMON_SET:
        mu_expand_daemon_set(e);
        break;
    case MU_KIND_LWS:
        mu_expand_lws(e);
        break;
    case MU_KIND_JOB_SET:
        mu_expand_job_set(e);
        break;
    default:
        mu_expand_replicas(e);
        break;
    }
}

static int expand_one(struct mu_store *store, enum mu_kind kind, const struct mu_workload *workload, int64_t *made,
                      struct mu_err *err) {
    struct mu_str namespace = mu_text(&store->symbols, workload->meta.namespace);
    struct mu_str name = mu_text(&store->symbols, workload->meta.name);
    const char *kind_name = mu_kinds[kind].kind;
    if (workload->meta.invalid.len > 0) {
        mu_store_note(store, true, "%s " MU_STR_FMT "/" MU_STR_FMT " was not planned: it makes no sense: " MU_STR_FMT,
                      kind_name, MU_STR_ARG(namespace), MU_STR_ARG(name), MU_STR_ARG(workload->meta.invalid));
        return 0;
    }
    if (workload->suspended) {
        mu_store_note(store, false, "%s " MU_STR_FMT "/" MU_STR_FMT " is suspended: it has no pods yet", kind_name,
                      MU_STR_ARG(namespace), MU_STR_ARG(name));
        return 0;
    }
    int64_t pods = count_pods(store, kind, workload);
    *made = mu_sat_add(*made, pods);
    if (*made > MU_LIMIT_EXPANDED_PODS) {
        return mu_err_set(err, MU_E_LIMIT,
                          "%s " MU_STR_FMT "/" MU_STR_FMT ": makes %" PRId64
                          " pods; all manifests together may make %d (MU_LIMIT_EXPANDED_PODS)",
                          kind_name, MU_STR_ARG(namespace), MU_STR_ARG(name), pods, MU_LIMIT_EXPANDED_PODS);
    }
    if (workload->unread != NULL) {
        mu_store_note(store, false, "%s " MU_STR_FMT "/" MU_STR_FMT ": %s is not read; its pods are planned without it",
                      kind_name, MU_STR_ARG(namespace), MU_STR_ARG(name), workload->unread);
    }
    struct mu_expand e = {.d = {.store = store,
                                .symbols = &store->symbols,
                                .arena = store->arena,
                                .scratch = store->index->scratch,
                                .kind = mu_str_from(kind_name)},
                          .workload = workload,
                          .name = name};
    make_pods(&e, kind);
    return 0;
}

int mu_store_expand(struct mu_store *store, struct mu_err *err) {
    int64_t made = 0;
    for (int kind = 0; kind < MU_KIND_COUNT; kind++) {
        const struct mu_kind_set *set = &store->index->kinds[kind];
        for (size_t i = 0; mu_kinds[kind].workload && i < set->objects.len; i++) {
            const struct mu_workload *workload = (const struct mu_workload *)set->objects.items[i];
            int code = workload->meta.uid != 0 ? 0 : expand_one(store, (enum mu_kind)kind, workload, &made, err);
            if (code != 0) {
                return code;
            }
        }
    }
    return 0;
}
