/* DaemonSet: a pod on each node that it may run on, pinned to it. */
#include "scheduler/objects/expand.h"
#include "scheduler/objects/store_index.h"

/* What the DaemonSet controller adds to every pod (controller/daemon/util, AddOrUpdateDaemonPodTolerations). */
static const struct {
    const char *key;
    enum mu_effect effect;
    bool host_network; /* only to pods in the host's network */
} daemon_tolerations[] = {
    {"node.kubernetes.io/not-ready", MU_EFFECT_NO_EXECUTE, false},
    {"node.kubernetes.io/unreachable", MU_EFFECT_NO_EXECUTE, false},
    {"node.kubernetes.io/disk-pressure", MU_EFFECT_NO_SCHEDULE, false},
    {"node.kubernetes.io/memory-pressure", MU_EFFECT_NO_SCHEDULE, false},
    {"node.kubernetes.io/pid-pressure", MU_EFFECT_NO_SCHEDULE, false},
    {"node.kubernetes.io/unschedulable", MU_EFFECT_NO_SCHEDULE, false},
    {"node.kubernetes.io/network-unavailable", MU_EFFECT_NO_SCHEDULE, true},
};

enum { DAEMON_TOLERATIONS = sizeof daemon_tolerations / sizeof *daemon_tolerations };

/* The template's spec with the daemon's tolerations; the same for all nodes. */
static struct mu_pod_spec daemon_spec(struct mu_expand *e, const struct mu_pod_template *from) {
    struct mu_pod_spec spec = *from->pod.spec;
    size_t len = spec.tolerations_len;
    struct mu_toleration *tolerations = MU_NEW_ARRAY(e->d.arena, struct mu_toleration, len + DAEMON_TOLERATIONS);
    if (len > 0) {
        memcpy(tolerations, spec.tolerations, len * sizeof *tolerations);
    }
    for (size_t i = 0; i < DAEMON_TOLERATIONS; i++) {
        if (!daemon_tolerations[i].host_network || from->host_network) {
            tolerations[len++] =
                (struct mu_toleration){.key = mu_decode_sym(&e->d, mu_str_from(daemon_tolerations[i].key)),
                                       .op = MU_TOLERATE_EXISTS,
                                       .effect = daemon_tolerations[i].effect};
        }
    }
    spec.tolerations = tolerations;
    spec.tolerations_len = (uint32_t)len;
    return spec;
}

static bool tolerates(const struct mu_expand *e, const struct mu_toleration *toleration, const struct mu_taint *taint) {
    if ((toleration->effect != MU_EFFECT_ANY && toleration->effect != taint->effect) ||
        (toleration->key != 0 && toleration->key != taint->key)) {
        return false;
    }
    int64_t number;
    switch (toleration->op) {
    case MU_TOLERATE_EXISTS:
        return true;
    case MU_TOLERATE_EQUAL:
        return toleration->value == taint->value;
    case MU_TOLERATE_GT:
    case MU_TOLERATE_LT:
        break;
    }
    if (!toleration->has_number || !mu_str_to_i64(mu_text(e->d.symbols, taint->value), &number)) {
        return false;
    }
    return toleration->op == MU_TOLERATE_GT ? number > toleration->number : number < toleration->number;
}

static bool tolerates_all(const struct mu_expand *e, const struct mu_pod_spec *spec, const struct mu_node *node) {
    for (uint32_t i = 0; i < node->taints_len; i++) {
        bool tolerated = node->taints[i].effect == MU_EFFECT_PREFER_NO_SCHEDULE;
        for (uint32_t k = 0; k < spec->tolerations_len && !tolerated; k++) {
            tolerated = tolerates(e, &spec->tolerations[k], &node->taints[i]);
        }
        if (!tolerated) {
            return false;
        }
    }
    return true;
}

static bool runs_on(const struct mu_expand *e, const struct mu_pod *pod, const struct mu_pod_spec *spec,
                    const struct mu_node *node) {
    if (pod->node != 0 && pod->node != node->meta.name) {
        return false;
    }
    for (uint32_t i = 0; i < spec->node_selector.len; i++) {
        mu_sym value;
        if (!mu_labels_get(&node->meta.labels, spec->node_selector.items[i].key, &value) ||
            value != spec->node_selector.items[i].value) {
            return false;
        }
    }
    if (spec->has_node_required && !mu_node_terms_match(spec->node_required, spec->node_required_len,
                                                        &node->meta.labels, node->meta.name, e->d.symbols)) {
        return false;
    }
    return tolerates_all(e, spec, node);
}

/* The affinity to one node by its name, in place of the one that the template has. */
static const struct mu_pod_spec *pin(struct mu_expand *e, const struct mu_pod_spec *spec, mu_sym node) {
    struct mu_arena *arena = e->d.arena;
    struct mu_pod_spec *pinned = MU_NEW(arena, struct mu_pod_spec);
    struct mu_node_term *term = MU_NEW(arena, struct mu_node_term);
    struct mu_requirement *field = MU_NEW(arena, struct mu_requirement);
    mu_sym *name = MU_NEW(arena, mu_sym);
    *name = node;
    field->key = mu_decode_sym(&e->d, MU_STR("metadata.name"));
    field->op = MU_OP_IN;
    field->values = name;
    field->values_len = 1;
    term->fields = (struct mu_selector){field, 1};
    *pinned = *spec;
    pinned->has_node_required = true;
    pinned->node_required = term;
    pinned->node_required_len = 1;
    const struct mu_pod_spec *known = mu_spec_find(&e->d, pinned);
    return known != NULL ? known : mu_spec_add(&e->d, pinned);
}

void mu_expand_daemon_set(struct mu_expand *e) {
    const struct mu_pod_template *template = &e->workload->parts[0].template;
    const struct mu_kind_set *nodes = &e->d.store->index->kinds[MU_KIND_NODE];
    struct mu_pod_spec spec = daemon_spec(e, template);
    for (size_t i = 0; i < nodes->objects.len; i++) {
        const struct mu_node *node = (const struct mu_node *)nodes->objects.items[i];
        if (node->meta.invalid.len > 0 || !runs_on(e, &template->pod, &spec, node)) {
            continue;
        }
        struct mu_arena_mark mark = mu_arena_mark(e->d.scratch);
        struct mu_extra extra = {0};
        mu_extra_label(e, &extra, "controller-revision-hash", e->workload->suffix);
        struct mu_str node_name = mu_text(e->d.symbols, node->meta.name);
        struct mu_str name =
            mu_str_printf(e->d.scratch, MU_STR_FMT "-" MU_STR_FMT, MU_STR_ARG(e->name), MU_STR_ARG(node_name));
        struct mu_pod_template pod;
        if (mu_make_pod(e, template, name, &extra, &pod)) {
            pod.pod.spec = pin(e, &spec, node->meta.name);
            mu_put_pod(e, &pod);
        }
        mu_arena_rollback(e->d.scratch, mark);
    }
}
