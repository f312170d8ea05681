/* Claims of pods; see claims.h. */
#include "scheduler/core/claims.h"

#define SEED 0x6d75737465726363

static struct mu_str name_key(const mu_sym key[2]) {
    return (struct mu_str){(const char *)key, 2 * sizeof *key};
}

void mu_claim_index_init(struct mu_claim_index *index, const struct mu_claim *const *claims, uint32_t len,
                         const struct mu_symbols *symbols, struct mu_arena *arena) {
    *index = (struct mu_claim_index){.claims = claims, .symbols = symbols};
    mu_map_init(&index->by_name, arena, SEED);
    for (uint32_t i = 0; i < len; i++) {
        mu_sym *key = MU_NEW_ARRAY(arena, mu_sym, 2);
        key[0] = claims[i]->meta.namespace;
        key[1] = claims[i]->meta.name;
        mu_map_put(&index->by_name, name_key(key), i);
    }
}

static const struct mu_claim *find(const struct mu_claim_index *index, mu_sym namespace, mu_sym name) {
    mu_sym key[2] = {namespace, name};
    uint32_t i;
    return name && mu_map_get(&index->by_name, name_key(key), &i) ? index->claims[i] : NULL;
}

static const struct mu_claim_status *status_of(const struct mu_claim_status *list, uint32_t len, mu_sym name) {
    for (uint32_t i = 0; i < len; i++)
        if (list[i].name == name)
            return &list[i];
    return NULL;
}

static mu_sym name_in_group(const struct mu_group_object *group, mu_sym entry) {
    for (uint32_t i = 0; group && i < group->claims_len; i++) {
        if (group->claims[i].name != entry)
            continue;
        const struct mu_claim_status *made = status_of(group->claim_statuses, group->claim_statuses_len, entry);
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

static struct mu_str text(const struct mu_claim_index *index, mu_sym sym) {
    return mu_text(index->symbols, sym);
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
    if (claim->meta.invalid.len) {
        *ret = mu_str_printf(arena, "ResourceClaim " MU_STR_FMT ": " MU_STR_FMT, MU_STR_ARG(text(index, name)),
                             MU_STR_ARG(claim->meta.invalid));
        return MU_REASON_INVALID_CLAIM;
    }
    if (claim->allocated)
        return MU_REASON_NONE;
    *ret =
        mu_str_printf(arena, "ResourceClaim " MU_STR_FMT " has no devices yet, and giving it some is not decided yet",
                      MU_STR_ARG(text(index, name)));
    return MU_REASON_UNSUPPORTED;
}

/* Where several claims stand in the way, one that never changes by itself is named first. */
static bool named_before(enum mu_reason a, enum mu_reason b) {
    static const int order[MU_REASON_COUNT] = {
        [MU_REASON_INVALID_CLAIM] = 3, [MU_REASON_CLAIM_NOT_FOUND] = 2, [MU_REASON_UNSUPPORTED] = 1};
    return order[a] > order[b];
}

struct mu_pod_claims mu_claims_of(const struct mu_claim_index *index, const struct mu_pod *pod,
                                  const struct mu_group_object *group, struct mu_arena *arena) {
    const struct mu_pod_spec *spec = pod->spec;
    struct mu_pod_claims found = {.reason = MU_REASON_NONE};
    if (!spec->claims_len)
        return found;
    const struct mu_claim **items = MU_NEW_ARRAY(arena, const struct mu_claim *, spec->claims_len);
    bool *of_group = MU_NEW_ARRAY(arena, bool, spec->claims_len);
    for (uint32_t i = 0; i < spec->claims_len; i++) {
        bool none;
        mu_sym in_group = name_in_group(group, spec->claims[i].name), name = own_name(pod, &spec->claims[i], &none);
        if (none)
            continue;
        name = name ? name : in_group;
        const struct mu_claim *claim = find(index, pod->meta.namespace, name);
        struct mu_str message = {NULL, 0};
        enum mu_reason reason = judge(index, &spec->claims[i], name, claim, arena, &message);
        if (claim) {
            of_group[found.len] = name == in_group;
            items[found.len++] = claim;
        }
        if (named_before(reason, found.reason)) {
            found.reason = reason;
            found.message = message;
        }
    }
    found.items = items;
    found.of_group = of_group;
    return found;
}
