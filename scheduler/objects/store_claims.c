/* ResourceClaims: those that the resource claim controller would make from templates for pods and PodGroups that are
 * manifests (KEP-4381, KEP-5729), and numbers by which equal specs are known. */
#include "scheduler/objects/store_index.h"

/* ---- From templates ---- */

static bool has_status(const struct mu_claim_status *list, uint32_t len, mu_sym entry) {
    for (uint32_t i = 0; i < len; i++) {
        if (list[i].name == entry) {
            return true;
        }
    }
    return false;
}

/* The controller names claims OWNER-ENTRY- and some letters that nobody knows yet; `*` is in no name. */
static mu_sym claim_name(struct mu_store *store, mu_sym owner, mu_sym entry) {
    struct mu_str text =
        mu_str_printf(store->index->scratch, MU_STR_FMT "-" MU_STR_FMT "-*",
                      MU_STR_ARG(mu_text(&store->symbols, owner)), MU_STR_ARG(mu_text(&store->symbols, entry)));
    return mu_intern(&store->symbols, text);
}

static mu_sym make_claim(struct mu_store *store, const struct mu_meta *owner, mu_sym entry,
                         const struct mu_claim *template) {
    struct mu_claim *claim = MU_NEW(store->arena, struct mu_claim);
    *claim = *template;
    claim->meta = (struct mu_meta){.namespace = owner->namespace,
                                   .name = claim_name(store, owner->name, entry),
                                   .created_ns = MU_TIME_NONE,
                                   .deleted_ns = MU_TIME_NONE,
                                   .invalid = template->meta.invalid};
    if (mu_store_find(store, MU_KIND_CLAIM, owner->namespace, claim->meta.name) == NULL) {
        mu_store_put(store, MU_KIND_CLAIM, &claim->meta);
    }
    return claim->meta.name;
}

/* What asks for claims: a pod, or a PodGroup. */
struct asker {
    const struct mu_meta *meta;
    const struct mu_claim_use *entries;
    uint32_t entries_len;
    const struct mu_group_object *group; /* of a pod: where entries that are the group's too have their claims */
};

/* The template of an entry that wants a claim of its own; NULL where it wants none, or there is no such template. */
static const struct mu_claim *template_of(const struct mu_store *store, const struct asker *asker,
                                          const struct mu_claim_use *entry) {
    const struct mu_group_object *group = asker->group;
    for (uint32_t i = 0; group != NULL && i < group->claims_len; i++) {
        if (mu_claim_use_same(&group->claims[i], entry)) {
            return NULL;
        }
    }
    return entry->claim_template == 0
               ? NULL
               : (const struct mu_claim *)mu_store_find(store, MU_KIND_CLAIM_TEMPLATE, asker->meta->namespace,
                                                        entry->claim_template);
}

/* Makes the claims of those entries that have none yet. What is known of the entries is in *statuses, and grows. */
static void make_claims(struct mu_store *store, const struct asker *asker, const struct mu_claim_status **statuses,
                        uint32_t *statuses_len) {
    struct mu_claim_status *all =
        MU_NEW_ARRAY(store->arena, struct mu_claim_status, (size_t)*statuses_len + asker->entries_len);
    uint32_t len = 0;
    for (; len < *statuses_len; len++) {
        all[len] = (*statuses)[len];
    }
    for (uint32_t i = 0; i < asker->entries_len; i++) {
        const struct mu_claim_use *entry = &asker->entries[i];
        const struct mu_claim *template = template_of(store, asker, entry);
        if (template != NULL && !has_status(all, len, entry->name)) {
            all[len++] = (struct mu_claim_status){entry->name, make_claim(store, asker->meta, entry->name, template)};
        }
    }
    *statuses = all;
    *statuses_len = len;
}

/* What a server has made, its controllers have acted on or will: there claims are not made up. */
void mu_store_make_claims(struct mu_store *store) {
    const struct mu_kind_set *groups = &store->index->kinds[MU_KIND_GROUP_NATIVE];
    const struct mu_kind_set *pods = &store->index->kinds[MU_KIND_POD];
    for (size_t i = 0; i < groups->objects.len; i++) {
        struct mu_group_object *group = (struct mu_group_object *)groups->objects.items[i];
        if (group->meta.uid == 0 && group->claims_len > 0) {
            struct asker asker = {&group->meta, group->claims, group->claims_len, NULL};
            make_claims(store, &asker, &group->claim_statuses, &group->claim_statuses_len);
        }
    }
    for (size_t i = 0; i < pods->objects.len; i++) {
        struct mu_pod *pod = (struct mu_pod *)pods->objects.items[i];
        if (pod->meta.uid == 0 && pod->claims_len > 0) {
            struct asker asker = {&pod->meta, pod->claims, pod->claims_len,
                                  (const struct mu_group_object *)mu_store_find(store, MU_KIND_GROUP_NATIVE,
                                                                                pod->meta.namespace, pod->group)};
            make_claims(store, &asker, &pod->claim_statuses, &pod->claim_statuses_len);
        }
    }
}

/* ---- Numbers ---- */

static void number_claims(struct mu_store *store, struct mu_map *numbers, struct mu_claim *const *claims, size_t len) {
    for (size_t i = 0; i < len; i++) {
        struct mu_arena_mark mark = mu_arena_mark(store->index->scratch);
        struct mu_canon canon;
        mu_canon_init(&canon, store->index->scratch, &store->symbols, false);
        mu_canon_claim_spec(&canon, claims[i]);
        struct mu_str key = mu_canon_str(&canon);
        if (!mu_map_get(numbers, key, &claims[i]->spec_id)) {
            claims[i]->spec_id = (uint32_t)numbers->len + 1;
            mu_map_put(numbers, mu_str_dup(store->arena, key), claims[i]->spec_id);
        }
        mu_arena_rollback(store->index->scratch, mark);
    }
}

void mu_store_number_claims(struct mu_store *store) {
    mu_map_init(&store->index->claim_specs, store->arena, 8);
    number_claims(store, &store->index->claim_specs, store->claims.items, store->claims.len);
}
