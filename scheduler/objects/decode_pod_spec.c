/* The part of a pod that equal pods share. */
#include "scheduler/objects/decode.h"
#include <stdlib.h>

static const char *const effects[] = {"", "NoSchedule", "PreferNoSchedule", "NoExecute"};

static uint32_t read_tolerations(struct mu_decode *d, const struct mu_at *spec, const struct mu_toleration **ret) {
    static const char *const operators[] = {"Equal", "Exists", "Gt", "Lt"};
    struct mu_at list = mu_at_array(d, spec, "tolerations");
    *ret = NULL;
    if (mu_at_len(&list) == 0) {
        return 0;
    }
    struct mu_toleration *tolerations = MU_NEW_ARRAY(d->arena, struct mu_toleration, mu_at_len(&list));
    uint32_t len = 0;
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value == NULL) {
            continue;
        }
        struct mu_toleration *toleration = &tolerations[len++];
        toleration->key = mu_field_sym(d, &item, "key");
        toleration->value = mu_field_sym(d, &item, "value");
        toleration->op = (enum mu_toleration_op)mu_field_word(d, &item, "operator", operators, 4, MU_TOLERATE_EQUAL);
        toleration->effect = (enum mu_effect)mu_field_word(d, &item, "effect", effects, 4, MU_EFFECT_ANY);
        if (toleration->op == MU_TOLERATE_GT || toleration->op == MU_TOLERATE_LT) {
            toleration->has_number = mu_str_to_i64(mu_text(d->symbols, toleration->value), &toleration->number);
        }
        if (toleration->key == 0 && toleration->op != MU_TOLERATE_EXISTS) {
            mu_decode_invalid(d, &item, "operator", "must be Exists where there is no key");
        }
    }
    *ret = tolerations;
    return len;
}

/* ---- Containers ---- */

bool mu_is_sidecar(struct mu_decode *d, const struct mu_at *container) {
    return mu_str_eq(mu_field_str(d, container, "restartPolicy"), MU_STR("Always"));
}

mu_sym mu_decode_image(struct mu_decode *d, struct mu_str name) {
    for (size_t i = name.len; i > 0 && name.ptr[i - 1] != '/'; i--) {
        if (name.ptr[i - 1] == ':') {
            return mu_decode_sym(d, name);
        }
    }
    if (name.len == 0) {
        return 0;
    }
    return mu_decode_sym(d, mu_str_printf(d->scratch, MU_STR_FMT ":latest", MU_STR_ARG(name)));
}

/* What is gathered over all containers of a pod. */
struct containers {
    MU_VEC(mu_sym) images;
    MU_VEC(struct mu_host_port) ports;
    uint32_t count;
    bool host_network;
    bool restarts_all; /* some rule has the action RestartAllContainers */
    bool bind_options; /* some mount has bindMountOptions */
};

static bool same_port(const struct mu_host_port *a, const struct mu_host_port *b) {
    return a->port == b->port && a->ip == b->ip && a->protocol == b->protocol;
}

static void read_ports(struct mu_decode *d, const struct mu_at *container, struct containers *all) {
    struct mu_at list = mu_at_array(d, container, "ports");
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        int64_t port = mu_field_int(d, &item, "hostPort", 0, 0, 65535);
        /* What the API server fills in for pods in the host's network. */
        if (port == 0 && all->host_network) {
            port = mu_field_int(d, &item, "containerPort", 0, 0, 65535);
        }
        if (port == 0) {
            continue;
        }
        mu_sym ip = mu_field_sym(d, &item, "hostIP"), protocol = mu_field_sym(d, &item, "protocol");
        struct mu_host_port found = {.ip = ip != 0 ? ip : mu_decode_sym(d, MU_STR("0.0.0.0")),
                                     .protocol = protocol != 0 ? protocol : mu_decode_sym(d, MU_STR("TCP")),
                                     .port = (int32_t)port};
        bool seen = false;
        for (size_t k = 0; k < all->ports.len && !seen; k++) {
            seen = same_port(&all->ports.items[k], &found);
        }
        if (!seen) {
            MU_VEC_PUSH(d->arena, &all->ports, found);
        }
    }
}

static void read_feature_hints(struct mu_decode *d, const struct mu_at *container, struct containers *all) {
    struct mu_at rules = mu_at_array(d, container, "restartPolicyRules");
    for (size_t i = 0; i < mu_at_len(&rules); i++) {
        struct mu_at rule = mu_at_item(d, &rules, i, MU_VALUE_OBJECT);
        if (mu_str_eq(mu_field_str(d, &rule, "action"), MU_STR("RestartAllContainers"))) {
            all->restarts_all = true;
        }
    }
    struct mu_at mounts = mu_at_array(d, container, "volumeMounts");
    for (size_t i = 0; i < mu_at_len(&mounts); i++) {
        struct mu_at mount = mu_at_item(d, &mounts, i, MU_VALUE_OBJECT);
        struct mu_at options = mu_at_array(d, &mount, "bindMountOptions");
        if (mu_at_len(&options) > 0) {
            all->bind_options = true;
        }
    }
}

static void read_containers(struct mu_decode *d, const struct mu_at *spec, const char *field, bool init,
                            struct containers *all) {
    struct mu_at list = mu_at_array(d, spec, field);
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at container = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (container.value == NULL) {
            continue;
        }
        all->count++;
        mu_sym image = mu_decode_image(d, mu_field_str(d, &container, "image"));
        if (image != 0) {
            MU_VEC_PUSH(d->arena, &all->images, image);
        }
        /* A start-up step is over before the pod serves: only what runs along holds its ports. */
        if (!init || mu_is_sidecar(d, &container)) {
            read_ports(d, &container, all);
        }
        read_feature_hints(d, &container, all);
    }
}

/* Volumes made from an image count for image locality like a container's. */
static void read_image_volumes(struct mu_decode *d, const struct mu_at *spec, struct containers *all) {
    struct mu_at volumes = mu_at_array(d, spec, "volumes");
    for (size_t i = 0; i < mu_at_len(&volumes); i++) {
        struct mu_at volume = mu_at_item(d, &volumes, i, MU_VALUE_OBJECT);
        struct mu_at source = mu_at_object(d, &volume, "image");
        mu_sym image = mu_decode_image(d, mu_field_str(d, &source, "reference"));
        if (image != 0) {
            MU_VEC_PUSH(d->arena, &all->images, image);
        }
    }
}

/* ---- Features ---- */

/* What Kubernetes 1.37 infers for scheduling (component-helpers v0.37.2, nodedeclaredfeatures/features): three of its
 * nine features can be told from a pod's spec; the other six are about updates, or about nodes alone. */
static void infer_features(struct mu_decode *d, const struct mu_at *spec, const struct containers *all,
                           struct mu_pod_spec *ret) {
    mu_sym features[3];
    uint32_t len = 0;
    if (all->restarts_all) {
        features[len++] = mu_decode_sym(d, MU_STR("RestartAllContainersOnContainerExits"));
    }
    if (all->host_network && !mu_field_bool(d, spec, "hostUsers", true)) {
        features[len++] = mu_decode_sym(d, MU_STR("UserNamespacesHostNetworkSupport"));
    }
    if (all->bind_options) {
        features[len++] = mu_decode_sym(d, MU_STR("VolumeBindMountOptions"));
    }
    if (len == 0) {
        return;
    }
    mu_sym *kept = MU_NEW_ARRAY(d->arena, mu_sym, len);
    memcpy(kept, features, len * sizeof *kept);
    ret->features = kept;
    ret->features_len = mu_sort_syms(kept, len);
}

/* ---- Spread and claims ---- */

static void read_spread_item(struct mu_decode *d, const struct mu_at *item, struct mu_spread *ret) {
    static const char *const hardness[] = {"ScheduleAnyway", "DoNotSchedule"};
    static const char *const policies[] = {"Ignore", "Honor"};
    ret->max_skew = mu_field_i32(d, item, "maxSkew", 1, 1);
    ret->min_domains = mu_field_i32(d, item, "minDomains", 0, 1);
    ret->topology_key = mu_field_sym(d, item, "topologyKey");
    if (ret->topology_key == 0) {
        mu_decode_invalid(d, item, "topologyKey", "must not be empty");
    }
    ret->hard = mu_field_word(d, item, "whenUnsatisfiable", hardness, 2, 1) == 1;
    ret->ignore_node_affinity = mu_field_word(d, item, "nodeAffinityPolicy", policies, 2, 1) == 0;
    ret->honor_node_taints = mu_field_word(d, item, "nodeTaintsPolicy", policies, 2, 0) == 1;
    ret->selector = mu_field_selector(d, item, "labelSelector");
    ret->match_label_keys_len = mu_field_syms(d, item, "matchLabelKeys", &ret->match_label_keys);
}

static uint32_t read_spread(struct mu_decode *d, const struct mu_at *spec, const struct mu_spread **ret) {
    struct mu_at list = mu_at_array(d, spec, "topologySpreadConstraints");
    *ret = NULL;
    if (mu_at_len(&list) == 0) {
        return 0;
    }
    struct mu_spread *spread = MU_NEW_ARRAY(d->arena, struct mu_spread, mu_at_len(&list));
    uint32_t len = 0;
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            read_spread_item(d, &item, &spread[len++]);
        }
    }
    *ret = spread;
    return len;
}

/* Containers that use each of the claims: resources.claims[].name. */
static void count_containers(struct mu_decode *d, const struct mu_at *spec, const char *field,
                             struct mu_claim_use *claims, uint32_t len) {
    struct mu_at list = mu_at_array(d, spec, field);
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at container = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        struct mu_at resources = mu_at_object(d, &container, "resources"), uses = mu_at_array(d, &resources, "claims");
        for (uint32_t c = 0; c < len; c++) {
            bool used = false;
            for (size_t u = 0; u < mu_at_len(&uses); u++) {
                struct mu_at use = mu_at_item(d, &uses, u, MU_VALUE_OBJECT);
                used = used || mu_field_sym(d, &use, "name") == claims[c].name;
            }
            claims[c].containers += used;
        }
    }
}

uint32_t mu_decode_claim_uses(struct mu_decode *d, const struct mu_at *spec, const struct mu_claim_use **ret) {
    struct mu_at list = mu_at_array(d, spec, "resourceClaims");
    *ret = NULL;
    if (mu_at_len(&list) == 0) {
        return 0;
    }
    struct mu_claim_use *claims = MU_NEW_ARRAY(d->arena, struct mu_claim_use, mu_at_len(&list));
    uint32_t len = 0;
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value == NULL) {
            continue;
        }
        struct mu_claim_use use = {.name = mu_field_sym_required(d, &item, "name"),
                                   .claim = mu_field_sym(d, &item, "resourceClaimName"),
                                   .claim_template = mu_field_sym(d, &item, "resourceClaimTemplateName")};
        if (use.claim != 0 && use.claim_template != 0) {
            mu_decode_invalid(d, &item, NULL, "names both a claim and a template");
        }
        claims[len++] = use;
    }
    count_containers(d, spec, "initContainers", claims, len);
    count_containers(d, spec, "containers", claims, len);
    *ret = claims;
    return len;
}

void mu_decode_pod_spec(struct mu_decode *d, const struct mu_at *root, struct mu_pod_spec *ret) {
    struct mu_at spec = mu_at_object(d, root, "spec");
    ret->scheduler = mu_field_sym(d, &spec, "schedulerName");
    if (ret->scheduler == 0) {
        ret->scheduler = mu_decode_sym(d, MU_STR("default-scheduler"));
    }
    ret->node_selector = mu_field_labels(d, &spec, "nodeSelector");
    ret->tolerations_len = read_tolerations(d, &spec, &ret->tolerations);
    ret->spread_len = read_spread(d, &spec, &ret->spread);

    struct containers all = {.host_network = mu_field_bool(d, &spec, "hostNetwork", false)};
    read_containers(d, &spec, "initContainers", true, &all);
    read_containers(d, &spec, "containers", false, &all);
    read_image_volumes(d, &spec, &all);
    ret->images = all.images.items;
    ret->images_len = (uint32_t)all.images.len;
    ret->host_ports = all.ports.items;
    ret->host_ports_len = (uint32_t)all.ports.len;
    ret->containers_len = all.count;
    infer_features(d, &spec, &all, ret);

    int64_t deadline = mu_field_int(d, &spec, "activeDeadlineSeconds", -1, 0, INT64_MAX);
    ret->active_deadline_ns = deadline < 0 ? MU_TIME_NONE : mu_sat_mul(deadline, 1000000000);

    mu_decode_affinity(d, &spec, ret);
    mu_decode_requests(d, root, ret);
    mu_decode_extended(d, &spec, ret);
}
