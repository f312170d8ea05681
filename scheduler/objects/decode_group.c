/* Groups of every API, read into one form. */
#include "scheduler/objects/decode.h"
#include <stdlib.h>

/* schedulingPolicy: basic, or gang with a minimum (minCount, minGroupCount). One of the two is required. */
static void read_policy(struct mu_decode *d, const struct mu_at *spec, const char *minimum,
                        struct mu_group_object *ret) {
    struct mu_at policy = mu_at_object(d, spec, "schedulingPolicy");
    struct mu_at gang = mu_at_object(d, &policy, "gang");
    struct mu_at basic = mu_at_object(d, &policy, "basic");
    ret->basic = basic.value != NULL;
    ret->min_count = 1;
    if (gang.value != NULL) {
        struct mu_at count = mu_at_field(d, &gang, minimum, MU_VALUE_NUMBER);
        if (count.value == NULL) {
            mu_decode_invalid(d, &gang, minimum, "is missing");
        }
        ret->min_count = mu_field_int(d, &gang, minimum, 1, 1, INT32_MAX);
    }
    if ((gang.value != NULL) == ret->basic) {
        mu_decode_invalid(d, spec, "schedulingPolicy", "must have one of basic and gang");
    }
}

/* disruptionMode: {single: {}} or {all: {}}; in v1alpha2 a word, "Pod" or "PodGroup". */
static bool read_disruption(struct mu_decode *d, const struct mu_at *spec) {
    static const char *const words[] = {"Pod", "PodGroup"};
    const struct mu_value *mode = mu_value_get(spec->value, "disruptionMode");
    if (mode != NULL && mode->type == MU_VALUE_STRING) {
        return mu_field_word(d, spec, "disruptionMode", words, 2, 0) == 1;
    }
    struct mu_at object = mu_at_object(d, spec, "disruptionMode");
    struct mu_at all = mu_at_object(d, &object, "all");
    return all.value != NULL;
}

static uint32_t read_topology(struct mu_decode *d, const struct mu_at *spec, const mu_sym **ret) {
    struct mu_at constraints = mu_at_object(d, spec, "schedulingConstraints");
    struct mu_at list = mu_at_array(d, &constraints, "topology");
    *ret = NULL;
    if (mu_at_len(&list) == 0) {
        return 0;
    }
    mu_sym *keys = MU_NEW_ARRAY(d->arena, mu_sym, mu_at_len(&list));
    uint32_t len = 0;
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            keys[len++] = mu_field_sym_required(d, &item, "key");
        }
    }
    *ret = keys;
    return len;
}

static void read_priority(struct mu_decode *d, const struct mu_at *spec, struct mu_group_object *ret) {
    struct mu_at priority = mu_at_field(d, spec, "priority", MU_VALUE_NUMBER);
    ret->has_priority = priority.value != NULL;
    ret->priority = mu_field_i32(d, spec, "priority", 0, INT32_MIN);
    ret->priority_class = mu_field_sym(d, spec, "priorityClassName");
    ret->preemption = mu_decode_preemption(d, spec);
}

/* What native PodGroups and CompositePodGroups have in common. */
static void read_native(struct mu_decode *d, const struct mu_at *root, const char *minimum,
                        struct mu_group_object *ret) {
    struct mu_at spec = mu_at_object(d, root, "spec");
    read_policy(d, &spec, minimum, ret);
    ret->topology_keys_len = read_topology(d, &spec, &ret->topology_keys);
    ret->disrupt_together = read_disruption(d, &spec);
    ret->parent = mu_field_sym(d, &spec, "parentCompositePodGroupName");
    read_priority(d, &spec, ret);
}

void mu_decode_group_native(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_group_object *ret = object;
    ret->api = MU_GROUP_NATIVE;
    read_native(d, root, "minCount", ret);
    struct mu_at spec = mu_at_object(d, root, "spec");
    struct mu_at status = mu_at_object(d, root, "status");
    ret->claims_len = mu_decode_claim_uses(d, &spec, &ret->claims);
    ret->claim_statuses_len = mu_decode_claim_statuses(d, &status, &ret->claim_statuses);
}

void mu_decode_group_composite(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_group_object *ret = object;
    ret->api = MU_GROUP_COMPOSITE;
    read_native(d, root, "minGroupCount", ret);
}

void mu_decode_group_coscheduling(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_group_object *ret = object;
    struct mu_at spec = mu_at_object(d, root, "spec");
    struct mu_at status = mu_at_object(d, root, "status");
    ret->api = MU_GROUP_COSCHEDULING;
    ret->min_count = mu_field_int(d, &spec, "minMember", 0, 0, INT32_MAX);
    ret->min_resources_len = mu_field_amounts(d, &spec, "minResources", false, &ret->min_resources);
    ret->phase = mu_field_sym(d, &status, "phase");
}

static int cmp_roles(const void *a, const void *b, void *symbols) {
    const struct mu_role *x = a, *y = b;
    return mu_sym_cmp(symbols, x->name, y->name);
}

static uint32_t read_roles(struct mu_decode *d, const struct mu_at *spec, const struct mu_role **ret) {
    struct mu_at map = mu_at_object(d, spec, "minTaskMember");
    *ret = NULL;
    if (mu_at_len(&map) == 0) {
        return 0;
    }
    struct mu_role *roles = MU_NEW_ARRAY(d->arena, struct mu_role, mu_at_len(&map));
    uint32_t len = 0;
    for (size_t i = 0; i < mu_at_len(&map); i++) {
        struct mu_at item = mu_at_item(d, &map, i, MU_VALUE_NUMBER);
        if (item.value != NULL) {
            roles[len++] = (struct mu_role){mu_decode_sym(d, item.key), mu_item_int(d, &item, 0, INT32_MAX)};
        }
    }
    qsort_r(roles, len, sizeof *roles, cmp_roles, d->symbols);
    *ret = roles;
    return len;
}

void mu_decode_group_volcano(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_group_object *ret = object;
    struct mu_at spec = mu_at_object(d, root, "spec");
    struct mu_at status = mu_at_object(d, root, "status");
    ret->api = MU_GROUP_VOLCANO;
    ret->min_count = mu_field_int(d, &spec, "minMember", 0, 0, INT32_MAX);
    ret->roles_len = read_roles(d, &spec, &ret->roles);
    ret->min_resources_len = mu_field_amounts(d, &spec, "minResources", false, &ret->min_resources);
    ret->priority_class = mu_field_sym(d, &spec, "priorityClassName");
    ret->queue = mu_field_sym(d, &spec, "queue");
    ret->phase = mu_field_sym(d, &status, "phase");
}

void mu_decode_group_lws(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_group_object *ret = object;
    static const char *const policies[] = {"LeaderCreated", "LeaderReady"};
    struct mu_at spec = mu_at_object(d, root, "spec");
    struct mu_at template = mu_at_object(d, &spec, "leaderWorkerTemplate");
    ret->api = MU_GROUP_LWS;
    ret->min_count = mu_field_int(d, &template, "size", 1, 1, INT32_MAX);
    ret->leader_ready = mu_field_word(d, &spec, "startupPolicy", policies, 2, 0) == 1;
}
