/* Claims of pods; see claims.h. */
#include "scheduler/core/claims.h"
#include "scheduler/core/devices.h"

#define SEED 0x6d75737465726363

static struct mu_str name_key(const mu_sym key[2]) {
    return (struct mu_str){(const char *)key, 2 * sizeof *key};
}

static struct mu_str sym_key(const mu_sym *sym) {
    return (struct mu_str){(const char *)sym, sizeof *sym};
}

static void index_names(struct mu_claim_index *index, struct mu_arena *arena) {
    const struct mu_claim_input *in = &index->in;
    mu_map_init(&index->by_name, arena, SEED);
    for (uint32_t i = 0; i < in->claims_len; i++) {
        mu_sym *key = MU_NEW_ARRAY(arena, mu_sym, 2);
        key[0] = in->claims[i]->meta.namespace;
        key[1] = in->claims[i]->meta.name;
        mu_map_put(&index->by_name, name_key(key), i);
    }
    mu_map_init(&index->namespaces, arena, SEED);
    for (uint32_t i = 0; i < in->namespaces_len; i++)
        mu_map_put(&index->namespaces, sym_key(&in->namespaces[i]->meta.name), i);
}

static bool find_at(const struct mu_claim_index *index, mu_sym namespace, mu_sym name, uint32_t *ret) {
    mu_sym key[2] = {namespace, name};
    return name && mu_map_get(&index->by_name, name_key(key), ret);
}

static const struct mu_claim_status *status_of(const struct mu_claim_status *list, uint32_t len, mu_sym name) {
    for (uint32_t i = 0; i < len; i++)
        if (list[i].name == name)
            return &list[i];
    return NULL;
}

static mu_sym name_in_group(const struct mu_group_object *group, const struct mu_claim_use *entry) {
    for (uint32_t i = 0; group && i < group->claims_len; i++) {
        if (!mu_claim_use_same(&group->claims[i], entry))
            continue;
        const struct mu_claim_status *made = status_of(group->claim_statuses, group->claim_statuses_len, entry->name);
        return group->claims[i].claim ? group->claims[i].claim : made ? made->claim : 0;
    }
    return 0;
}

/* The name of the pod's own claim; 0 where it has none, or none yet. *ret_none: none is needed. */
static mu_sym own_name(const struct mu_pod *pod, const struct mu_claim_use *use, bool *ret_none) {
    const struct mu_claim_status *made = status_of(pod->claim_statuses, pod->claim_statuses_len, use->name);
    *ret_none = !use->claim && made && !made->claim;
    return use->claim ? use->claim : made ? made->claim : 0;
}

void mu_claim_index_init(struct mu_claim_index *index, const struct mu_claim_input *in, struct mu_arena *arena) {
    *index = (struct mu_claim_index){.in = *in};
    index_names(index, arena);
    index->mentions = MU_NEW_ARRAY(arena, uint32_t, in->claims_len);
    for (uint32_t p = 0; in->claims_len && p < in->pods_len; p++) {
        const struct mu_pod *pod = in->pods[p];
        bool ended = pod->phase == MU_PHASE_SUCCEEDED || pod->phase == MU_PHASE_FAILED, none;
        uint32_t at;
        for (uint32_t i = 0; !ended && i < pod->claims_len; i++)
            if (find_at(index, pod->meta.namespace, own_name(pod, &pod->claims[i], &none), &at))
                index->mentions[at]++;
    }
}

/* ------------------------------------------------------------------ judging */

static struct mu_str text(const struct mu_claim_index *index, mu_sym sym) {
    return mu_text(index->in.symbols, sym);
}

static bool asks_for_admin_access(const struct mu_claim *claim) {
    for (uint32_t r = 0; r < claim->requests_len; r++)
        if (claim->requests[r].exactly.admin_access)
            return true;
    return false;
}

/* KEP-5018: the API server takes such claims in namespaces with this label only. Of a namespace that the input does not
 * have nothing is known. */
static bool admin_access_allowed(const struct mu_claim_index *index, mu_sym namespace) {
    uint32_t at;
    if (!mu_map_get(&index->namespaces, sym_key(&namespace), &at))
        return true;
    const struct mu_labels *labels = &index->in.namespaces[at]->meta.labels;
    mu_sym key = mu_symbol_find(index->in.symbols, MU_STR("resource.kubernetes.io/admin-access")), value;
    return key && mu_labels_get(labels, key, &value) && mu_str_eq(text(index, value), MU_STR("true"));
}

/* Why the claim can never be allocated as it is; empty: it may be. */
static struct mu_str senseless(const struct mu_claim_index *index, const struct mu_claim *claim) {
    if (claim->meta.invalid.len)
        return claim->meta.invalid;
    if (claim->allocated)
        return (struct mu_str){NULL, 0};
    if (asks_for_admin_access(claim) && !admin_access_allowed(index, claim->meta.namespace))
        return MU_STR("asks for admin access, and its namespace lacks the label "
                      "resource.kubernetes.io/admin-access=true");
    return index->in.devices ? mu_devices_senseless(index->in.devices, claim) : (struct mu_str){NULL, 0};
}

/* The first thing that keeps a claim from being used. */
static enum mu_reason judge(const struct mu_claim_index *index, const struct mu_claim_use *use, mu_sym name,
                            const struct mu_claim *claim, struct mu_arena *arena, struct mu_str *ret) {
    if (!claim && !name) {
        *ret =
            mu_str_printf(arena, "the claim for its entry " MU_STR_FMT " is not made from template " MU_STR_FMT " yet",
                          MU_STR_ARG(text(index, use->name)), MU_STR_ARG(text(index, use->claim_template)));
        return MU_REASON_CLAIM_NOT_FOUND;
    }
    if (!claim || claim->meta.deleted_ns != MU_TIME_NONE) {
        *ret = mu_str_printf(arena, "ResourceClaim " MU_STR_FMT " %s", MU_STR_ARG(text(index, name)),
                             claim ? "is being deleted" : "does not exist");
        return MU_REASON_CLAIM_NOT_FOUND;
    }
    struct mu_str why = senseless(index, claim);
    if (!why.len)
        return MU_REASON_NONE;
    *ret = mu_str_printf(arena, "ResourceClaim " MU_STR_FMT ": " MU_STR_FMT, MU_STR_ARG(text(index, name)),
                         MU_STR_ARG(why));
    return MU_REASON_INVALID_CLAIM;
}

struct mu_pod_claims mu_claims_of(const struct mu_claim_index *index, const struct mu_pod *pod,
                                  const struct mu_group_object *group, struct mu_arena *arena) {
    const struct mu_pod_spec *spec = pod->spec;
    struct mu_pod_claims found = {.namespace = pod->meta.namespace, .spec = pod->spec, .reason = MU_REASON_NONE};
    for (uint32_t i = 0; index->in.devices && i < spec->extended_len; i++)
        if (mu_devices_class_of(index->in.devices, spec->extended[i].resource))
            found.extended = spec;
    if (!pod->claims_len)
        return found;
    struct mu_pod_claim *items = MU_NEW_ARRAY(arena, struct mu_pod_claim, pod->claims_len);
    for (uint32_t i = 0; i < pod->claims_len; i++) {
        bool none;
        mu_sym in_group = name_in_group(group, &pod->claims[i]), name = own_name(pod, &pod->claims[i], &none);
        if (none)
            continue;
        name = name ? name : in_group;
        uint32_t at;
        const struct mu_claim *claim = find_at(index, pod->meta.namespace, name, &at) ? index->in.claims[at] : NULL;
        struct mu_str message = {NULL, 0};
        enum mu_reason reason = judge(index, &pod->claims[i], name, claim, arena, &message);
        if (claim)
            items[found.len++] = (struct mu_pod_claim){.claim = claim,
                                                       .of_group = name == in_group,
                                                       .alone = name != in_group && index->mentions[at] == 1,
                                                       .containers = pod->claims[i].containers,
                                                       .mentions = index->mentions[at]};
        /* One that never changes by itself is named first. */
        if (reason != MU_REASON_NONE && (found.reason == MU_REASON_NONE || (found.reason != MU_REASON_INVALID_CLAIM &&
                                                                            reason == MU_REASON_INVALID_CLAIM))) {
            found.reason = reason;
            found.message = message;
        }
    }
    found.items = items;
    return found;
}
