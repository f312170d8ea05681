/* Workloads of numbered pods: Deployment, ReplicaSet, StatefulSet, LeaderWorkerSet. */
#include "scheduler/objects/expand.h"
#include "scheduler/objects/store_index.h"
#include <inttypes.h>

void mu_expand_replicas(struct mu_expand *e) {
    const struct mu_workload_part *part = &e->workload->parts[0];
    bool deployment = mu_str_eq(e->d.kind, MU_STR("Deployment"));
    for (int64_t i = 0; i < part->pods; i++) {
        struct mu_arena_mark mark = mu_arena_mark(e->d.scratch);
        struct mu_extra extra = {0};
        if (deployment) {
            mu_extra_label(e, &extra, "pod-template-hash", e->workload->suffix);
        }
        struct mu_str name = mu_str_printf(e->d.scratch, MU_STR_FMT "-%" PRId64, MU_STR_ARG(e->name), i);
        struct mu_pod_template pod;
        if (mu_make_pod(e, &part->template, name, &extra, &pod)) {
            mu_put_pod(e, &pod);
        }
        mu_arena_rollback(e->d.scratch, mark);
    }
}

/* ---- StatefulSet ---- */

static void put_claim(struct mu_expand *e, const struct mu_set_claim *from, mu_sym name) {
    mu_sym namespace = e->workload->meta.namespace;
    if (mu_store_find(e->d.store, MU_KIND_PVC, namespace, name) != NULL) {
        return;
    }
    struct mu_pvc *claim = MU_NEW(e->d.arena, struct mu_pvc);
    *claim = *from->claim;
    claim->meta.namespace = namespace;
    claim->meta.name = name;
    mu_store_put(e->d.store, MU_KIND_PVC, &claim->meta);
}

/* A claim takes the place of the template's volume of its name. Ephemeral volumes keep their places. */
static void use_claims(struct mu_expand *e, struct mu_str pod_name, struct mu_pod_template *pod) {
    const struct mu_workload *set = e->workload;
    if (set->claims_len == 0) {
        return;
    }
    uint32_t len = pod->pod.volumes_len;
    struct mu_volume_use *uses = MU_NEW_ARRAY(e->d.arena, struct mu_volume_use, (size_t)len + set->claims_len);
    if (len > 0) {
        memcpy(uses, pod->pod.volumes, len * sizeof *uses);
    }
    for (uint32_t i = 0; i < set->claims_len; i++) {
        struct mu_str volume = mu_text(e->d.symbols, set->claims[i].name);
        mu_sym claim = mu_decode_sym(&e->d, mu_str_printf(e->d.scratch, MU_STR_FMT "-" MU_STR_FMT, MU_STR_ARG(volume),
                                                          MU_STR_ARG(pod_name)));
        put_claim(e, &set->claims[i], claim);
        uint32_t at = len;
        for (uint32_t k = 0; k < pod->pod.volumes_len; k++) {
            at = pod->volume_names[k] == set->claims[i].name ? k : at;
        }
        uses[at] = (struct mu_volume_use){.claim = claim};
        len += at == len;
    }
    pod->pod.volumes = uses;
    pod->pod.volumes_len = len;
}

void mu_expand_stateful_set(struct mu_expand *e) {
    const struct mu_workload_part *part = &e->workload->parts[0];
    for (int64_t i = 0; i < part->pods; i++) {
        struct mu_arena_mark mark = mu_arena_mark(e->d.scratch);
        struct mu_extra extra = {0};
        int64_t ordinal = mu_sat_add(e->workload->start, i);
        struct mu_str name = mu_str_printf(e->d.scratch, MU_STR_FMT "-%" PRId64, MU_STR_ARG(e->name), ordinal);
        mu_extra_label(e, &extra, "statefulset.kubernetes.io/pod-name", name);
        mu_extra_number(e, &extra, "apps.kubernetes.io/pod-index", ordinal);
        mu_extra_label(e, &extra, "controller-revision-hash", e->workload->suffix);
        struct mu_pod_template pod;
        if (mu_make_pod(e, &part->template, name, &extra, &pod)) {
            use_claims(e, name, &pod);
            mu_put_pod(e, &pod);
        }
        mu_arena_rollback(e->d.scratch, mark);
    }
}

/* ---- LeaderWorkerSet ---- */

#define LWS "leaderworkerset.sigs.k8s.io/"

static void make_lws_pod(struct mu_expand *e, int64_t group, int64_t index) {
    const struct mu_workload_part *parts = e->workload->parts;
    struct mu_extra extra = {0};
    struct mu_str leader = mu_str_printf(e->d.scratch, MU_STR_FMT "-%" PRId64, MU_STR_ARG(e->name), group);
    struct mu_str name =
        index == 0 ? leader : mu_str_printf(e->d.scratch, MU_STR_FMT "-%" PRId64, MU_STR_ARG(leader), index);
    mu_extra_label(e, &extra, LWS "name", e->name);
    mu_extra_number(e, &extra, LWS "group-index", group);
    mu_extra_number(e, &extra, LWS "worker-index", index);
    mu_extra_label(e, &extra, LWS "template-revision-hash", e->workload->suffix);
    mu_extra_annotation(e, &extra, LWS "size", mu_str_printf(e->d.scratch, "%" PRId64, parts[0].pods + parts[1].pods));
    if (index > 0) {
        mu_extra_annotation(e, &extra, LWS "leader-name", leader);
    }
    struct mu_pod_template pod;
    if (mu_make_pod(e, &parts[index > 0].template, name, &extra, &pod)) {
        mu_put_pod(e, &pod);
    }
}

void mu_expand_lws(struct mu_expand *e) {
    int64_t size = e->workload->parts[0].pods + e->workload->parts[1].pods;
    for (int64_t group = 0; group < e->workload->replicas; group++) {
        for (int64_t index = 0; index < size; index++) {
            struct mu_arena_mark mark = mu_arena_mark(e->d.scratch);
            make_lws_pod(e, group, index);
            mu_arena_rollback(e->d.scratch, mark);
        }
    }
}
