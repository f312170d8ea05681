/* Pods: what differs between pods of one template; the rest is in decode_pod_spec.c. */
#include "scheduler/objects/decode.h"
#include "scheduler/objects/store_index.h"

enum mu_preemption mu_decode_preemption(struct mu_decode *d, const struct mu_at *at) {
    static const char *const words[] = {"", "PreemptLowerPriority", "Never"};
    return (enum mu_preemption)mu_field_word(d, at, "preemptionPolicy", words, 3, MU_PREEMPTION_UNSET);
}

uint32_t mu_decode_claim_statuses(struct mu_decode *d, const struct mu_at *status, const struct mu_claim_status **ret) {
    struct mu_at list = mu_at_array(d, status, "resourceClaimStatuses");
    *ret = NULL;
    if (mu_at_len(&list) == 0) {
        return 0;
    }
    struct mu_claim_status *statuses = MU_NEW_ARRAY(d->arena, struct mu_claim_status, mu_at_len(&list));
    uint32_t len = 0;
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            statuses[len++] = (struct mu_claim_status){.name = mu_field_sym(d, &item, "name"),
                                                       .claim = mu_field_sym(d, &item, "resourceClaimName")};
        }
    }
    *ret = statuses;
    return len;
}

/* ---- Volumes ---- */

/* What is gathered over a pod's volumes: those that can decide its node. */
struct volumes {
    MU_VEC(struct mu_volume_use) uses;
    MU_VEC(mu_sym) names;
    MU_VEC(struct mu_claim_template) ephemeral;
};

static void read_ephemeral(struct mu_decode *d, const struct mu_at *source, mu_sym volume, struct volumes *all) {
    struct mu_at template = mu_at_object(d, source, "volumeClaimTemplate");
    struct mu_pvc *claim = MU_NEW(d->arena, struct mu_pvc);
    mu_decode_template_meta(d, &template, &claim->meta);
    mu_decode_pvc(d, &template, claim);
    MU_VEC_PUSH(d->arena, &all->ephemeral, (struct mu_claim_template){volume, (uint32_t)all->uses.len, claim});
}

static void read_volume(struct mu_decode *d, const struct mu_at *volume, struct volumes *all) {
    struct mu_volume_use use = {0};
    mu_sym name = mu_field_sym(d, volume, "name");
    struct mu_at claim = mu_at_object(d, volume, "persistentVolumeClaim");
    struct mu_at ephemeral = mu_at_object(d, volume, "ephemeral");
    struct mu_at csi = mu_at_object(d, volume, "csi");
    if (claim.value != NULL) {
        use.claim = mu_field_sym_required(d, &claim, "claimName");
        use.read_only = mu_field_bool(d, &claim, "readOnly", false);
    } else if (ephemeral.value != NULL) {
        /* The claim's name is made of the pod's and the volume's: see mu_pod_own_claims(). */
        read_ephemeral(d, &ephemeral, name, all);
        use.ephemeral = true;
    } else if (csi.value != NULL) {
        use.csi_driver = mu_field_sym_required(d, &csi, "driver");
        use.read_only = mu_field_bool(d, &csi, "readOnly", false);
    } else {
        return;
    }
    MU_VEC_PUSH(d->arena, &all->uses, use);
    MU_VEC_PUSH(d->arena, &all->names, name);
}

static void read_volumes(struct mu_decode *d, const struct mu_at *spec, struct mu_pod_template *ret) {
    struct mu_at list = mu_at_array(d, spec, "volumes");
    struct volumes all = {0};
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at volume = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (volume.value != NULL) {
            read_volume(d, &volume, &all);
        }
    }
    ret->pod.volumes = all.uses.items;
    ret->pod.volumes_len = (uint32_t)all.uses.len;
    ret->volume_names = all.names.items;
    ret->ephemeral = all.ephemeral.items;
    ret->ephemeral_len = (uint32_t)all.ephemeral.len;
}

/* ---- The pod ---- */

/* The shared spec: read once into scratch to see whether it is known, and again to be kept where it is not. */
static const struct mu_pod_spec *read_spec(struct mu_decode *d, const struct mu_at *root) {
    struct mu_arena *kept = d->arena;
    struct mu_pod_spec spec = {0};
    d->arena = d->scratch;
    mu_decode_pod_spec(d, root, &spec);
    d->arena = kept;
    const struct mu_pod_spec *known = d->code == 0 ? mu_spec_find(d, &spec) : NULL;
    if (known != NULL) {
        return known;
    }
    struct mu_pod_spec *own = MU_NEW(d->arena, struct mu_pod_spec);
    mu_decode_pod_spec(d, root, own);
    return d->code == 0 ? mu_spec_add(d, own) : own;
}

static void read_status(struct mu_decode *d, const struct mu_at *root, struct mu_pod *pod) {
    static const char *const phases[] = {"Pending", "Running", "Succeeded", "Failed", "Unknown"};
    struct mu_at status = mu_at_object(d, root, "status");
    pod->phase = (enum mu_phase)mu_field_word(d, &status, "phase", phases, 5, MU_PHASE_PENDING);
    pod->nominated = mu_field_sym(d, &status, "nominatedNodeName");
    pod->started_ns = mu_field_time(d, &status, "startTime");
    pod->claim_statuses_len = mu_decode_claim_statuses(d, &status, &pod->claim_statuses);
    struct mu_at extended = mu_at_object(d, &status, "extendedResourceClaimStatus");
    pod->extended_claim = mu_field_sym(d, &extended, "resourceClaimName");
}

static void read_gates(struct mu_decode *d, const struct mu_at *spec, struct mu_pod *pod) {
    struct mu_at gates = mu_at_array(d, spec, "schedulingGates");
    for (size_t i = 0; i < mu_at_len(&gates); i++) {
        struct mu_at gate = mu_at_item(d, &gates, i, MU_VALUE_OBJECT);
        if (gate.value != NULL && !pod->gated) {
            pod->gated = true;
            pod->gate = mu_field_sym(d, &gate, "name");
        }
    }
}

void mu_pod_own_claims(struct mu_decode *d, struct mu_pod_template *pod) {
    if (pod->ephemeral_len == 0) {
        return;
    }
    /* A template's volumes are shared by the pods that are made of it: each gets its own list here. */
    struct mu_volume_use *uses = MU_NEW_ARRAY(d->arena, struct mu_volume_use, pod->pod.volumes_len);
    memcpy(uses, pod->pod.volumes, pod->pod.volumes_len * sizeof *uses);
    pod->pod.volumes = uses;
    struct mu_str name = mu_text(d->symbols, pod->pod.meta.name);
    for (uint32_t i = 0; i < pod->ephemeral_len; i++) {
        const struct mu_claim_template *from = &pod->ephemeral[i];
        struct mu_str volume = mu_text(d->symbols, from->volume);
        struct mu_str claim =
            mu_str_printf(d->scratch, MU_STR_FMT "-" MU_STR_FMT, MU_STR_ARG(name), MU_STR_ARG(volume));
        uses[from->use].claim = mu_decode_sym(d, claim);
        if (pod->pod.meta.uid == 0) {
            struct mu_wanted_claim wanted = {.claim = from->claim,
                                             .namespace = pod->pod.meta.namespace,
                                             .name = uses[from->use].claim,
                                             .pod = pod->pod.meta.name};
            MU_VEC_PUSH(d->store->arena, &d->store->index->wanted_claims, wanted);
        }
    }
}

void mu_decode_pod_body(struct mu_decode *d, const struct mu_at *root, struct mu_pod_template *ret) {
    struct mu_pod *pod = &ret->pod;
    struct mu_at spec = mu_at_object(d, root, "spec");
    pod->spec = read_spec(d, root);
    pod->node = mu_field_sym(d, &spec, "nodeName");
    struct mu_at priority = mu_at_field(d, &spec, "priority", MU_VALUE_NUMBER);
    pod->has_priority = priority.value != NULL;
    pod->priority = mu_field_i32(d, &spec, "priority", 0, INT32_MIN);
    pod->priority_class = mu_field_sym(d, &spec, "priorityClassName");
    pod->preemption = mu_decode_preemption(d, &spec);
    read_gates(d, &spec, pod);
    pod->claims_len = mu_decode_claim_uses(d, &spec, &pod->claims);
    struct mu_at group = mu_at_object(d, &spec, "schedulingGroup");
    pod->group = mu_field_sym(d, &group, "podGroupName");
    read_volumes(d, &spec, ret);
    ret->host_network = mu_field_bool(d, &spec, "hostNetwork", false);
    read_status(d, root, pod);
}

void mu_decode_pod(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_pod *pod = object;
    struct mu_pod_template all = {.pod.meta = pod->meta};
    mu_decode_pod_body(d, root, &all);
    mu_pod_own_claims(d, &all);
    *pod = all.pod;
}
