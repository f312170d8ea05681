/* Index of everything that groups refer to by name, and of the drafts by their keys. */
#include "scheduler/core/groups_internal.h"

/* Nothing depends on it: maps are never walked. */
#define SEED 0x6d75737465726773

static mu_sym word(const struct mu_drafting *d, const char *text) {
    return mu_symbol_find(d->symbols, mu_str_from(text));
}

static void find_words(struct mu_drafting *d) {
    d->words = (struct mu_group_words){
        .pod_group = word(d, "scheduling.x-k8s.io/pod-group"),
        .volcano_old = word(d, "scheduling.k8s.io/group-name"),
        .volcano_new = word(d, "scheduling.volcano.sh/group-name"),
        .task_spec = word(d, "volcano.sh/task-spec"),
        .lws_name = word(d, "leaderworkerset.sigs.k8s.io/name"),
        .lws_index = word(d, "leaderworkerset.sigs.k8s.io/group-index"),
        .lws_revision = word(d, "leaderworkerset.sigs.k8s.io/template-revision-hash"),
        .lws_size = word(d, "leaderworkerset.sigs.k8s.io/size"),
        .lws_worker = word(d, "leaderworkerset.sigs.k8s.io/worker-index"),
        .kueue_name = word(d, "kueue.x-k8s.io/pod-group-name"),
        .kueue_count = word(d, "kueue.x-k8s.io/pod-group-total-count"),
        .kueue_required = word(d, "kueue.x-k8s.io/podset-required-topology"),
        .kueue_preferred = word(d, "kueue.x-k8s.io/podset-preferred-topology"),
        .sigs_name = word(d, "pod-group.scheduling.sigs.k8s.io/name"),
        .sigs_count = word(d, "pod-group.scheduling.sigs.k8s.io/min-available"),
        .muster_name = word(d, "scheduling.muster.dev/group-name"),
        .muster_count = word(d, "scheduling.muster.dev/min-count"),
        .queue = word(d, "scheduling.muster.dev/queue"),
        .volcano_queue = word(d, "scheduling.volcano.sh/queue-name"),
        .preferred_topology = word(d, "scheduling.muster.dev/preferred-topology"),
        .grace_period = word(d, "scheduling.muster.dev/grace-period"),
        .broken_since = word(d, "scheduling.muster.dev/broken-since"),
    };
}

/* A key that is one symbol. Symbols' texts live as long as the table, and are equal where the symbols are. */
static struct mu_str name_key(const struct mu_drafting *d, mu_sym name) {
    return mu_text(d->symbols, name);
}

static void index_queues(struct mu_drafting *d) {
    mu_map_init(&d->queues, d->arena, SEED);
    for (uint32_t i = 0; i < d->in->queues_len; i++) {
        struct mu_str key = name_key(d, d->in->queues[i]->meta.name);
        uint32_t other;
        /* Of a muster Queue and a Volcano Queue of one name the former was made for us. */
        if (mu_map_get(&d->queues, key, &other) && !d->in->queues[other]->volcano)
            continue;
        mu_map_put(&d->queues, key, i);
    }
}

static void index_names(struct mu_drafting *d) {
    mu_map_init(&d->priority_classes, d->arena, SEED);
    for (uint32_t i = 0; i < d->in->priority_classes_len; i++)
        mu_map_put(&d->priority_classes, name_key(d, d->in->priority_classes[i]->meta.name), i);
    const struct mu_claim_input claims = {.claims = d->in->claims,
                                          .pods = d->in->pods,
                                          .namespaces = d->in->namespaces,
                                          .claims_len = d->in->claims_len,
                                          .pods_len = d->in->pods_len,
                                          .namespaces_len = d->in->namespaces_len,
                                          .symbols = d->symbols,
                                          .devices = d->in->devices};
    mu_claim_index_init(&d->claims, &claims, d->arena);
    mu_map_init(&d->namespaces, d->arena, SEED);
    for (uint32_t i = 0; i < d->in->namespaces_len; i++)
        mu_map_put(&d->namespaces, name_key(d, d->in->namespaces[i]->meta.name), i);
    index_queues(d);
}

static struct mu_str key_bytes(const struct mu_group_key *key) {
    return (struct mu_str){(const char *)key, sizeof *key};
}

static void index_objects(struct mu_drafting *d) {
    mu_map_init(&d->by_key, d->arena, SEED);
    for (uint32_t i = 0; i < d->in->objects_len; i++) {
        const struct mu_group_object *object = d->in->objects[i];
        struct mu_group_key key = {object->meta.namespace, (uint32_t)object->api, object->meta.name, 0, 0};
        mu_draft_make(d, key, object);
    }
}

void mu_drafting_init(struct mu_drafting *d, const struct mu_groups_input *in, struct mu_arena *arena) {
    *d = (struct mu_drafting){.in = in, .arena = arena, .symbols = in->symbols};
    find_words(d);
    d->scheduler_names = MU_NEW_ARRAY(arena, mu_sym, in->settings->profiles_len);
    for (uint32_t i = 0; i < in->settings->profiles_len; i++)
        d->scheduler_names[i] = mu_symbol_find(d->symbols, in->settings->profiles[i].scheduler_name);
    index_names(d);
    index_objects(d);
}

struct mu_draft *mu_draft_find(struct mu_drafting *d, struct mu_group_key key) {
    uint32_t index;
    if (d->last && memcmp(&d->last->key, &key, sizeof key) == 0)
        return d->last;
    if (!mu_map_get(&d->by_key, key_bytes(&key), &index))
        return NULL;
    d->last = d->drafts.items[index];
    return d->last;
}

struct mu_draft *mu_draft_make(struct mu_drafting *d, struct mu_group_key key, const struct mu_group_object *object) {
    struct mu_draft *draft = mu_draft_find(d, key);
    if (draft)
        return draft;
    draft = MU_NEW(d->arena, struct mu_draft);
    draft->key = key;
    draft->object = object;
    draft->index = (uint32_t)d->drafts.len;
    MU_VEC_PUSH(d->arena, &d->drafts, draft);
    mu_map_put(&d->by_key, key_bytes(&draft->key), draft->index);
    d->last = draft;
    return draft;
}

const struct mu_profile *mu_pod_profile(const struct mu_drafting *d, const struct mu_pod *pod) {
    const struct mu_settings *settings = d->in->settings;
    for (uint32_t i = 0; i < settings->profiles_len; i++)
        if (d->scheduler_names[i] && d->scheduler_names[i] == pod->spec->scheduler)
            return &settings->profiles[i];
    return settings->all_ours ? &settings->profiles[0] : NULL;
}

bool mu_pod_asks(const struct mu_drafting *d, const struct mu_pod *pod) {
    return mu_pod_waits(pod) && mu_pod_profile(d, pod) != NULL;
}

const struct mu_queue *mu_find_queue(const struct mu_drafting *d, mu_sym name) {
    uint32_t index;
    return mu_map_get(&d->queues, name_key(d, name), &index) ? d->in->queues[index] : NULL;
}

const struct mu_priority_class *mu_find_priority_class(const struct mu_drafting *d, mu_sym name) {
    uint32_t index;
    return name && mu_map_get(&d->priority_classes, name_key(d, name), &index) ? d->in->priority_classes[index] : NULL;
}

const struct mu_namespace *mu_find_namespace(const struct mu_drafting *d, mu_sym name) {
    uint32_t index;
    return mu_map_get(&d->namespaces, name_key(d, name), &index) ? d->in->namespaces[index] : NULL;
}
