/* VolumeBinding: a pod's claims must be served where it runs.
 *
 * - A claim that is bound: its volume must reach the node.
 * - One that waits for its first consumer: a volume that is there and free serves it, or one is made there on demand.
 * - Any other: the volume controller has to bind it first; the pod waits.
 *
 * Upstream gives each claim, as its pod comes, the smallest free volume that will do. Here a placement stands if there
 * is an assignment of volumes to all claims placed so far: claims that can have a volume made for them are no rivals,
 * the others are matched with the free volumes anew in each state. So nothing is reserved, nothing has to be undone.
 *
 * A claim that several pods use, and that is not bound yet, is decided by the first of them: the others go to the same
 * node, as they would upstream while its volume is being made; or anywhere, if a volume that every node reaches can
 * serve it, and then only such a one may.
 *
 * Published capacity is taken as it stands, as upstream does: two claims placed on one node are each held against all
 * of it. */
#include "plugins/registry.h"
#include "plugins/volume_matching.h"

enum {
    CLAIM_MISSING = 1,
    CLAIM_TO_BE_MADE,
    CLAIM_ENDING,
    UNBOUND_IMMEDIATE,
    VOLUME_MISSING,
    VOLUME_ELSEWHERE,
    NO_VOLUME,
    NO_SPACE,
};

static const char *const phrases[] = {
    [CLAIM_MISSING] = "persistentvolumeclaim \"%s\" not found",
    [CLAIM_TO_BE_MADE] = "waiting for ephemeral volume controller to create the persistentvolumeclaim \"%s\"",
    [CLAIM_ENDING] = "persistentvolumeclaim \"%s\" is being deleted",
    [UNBOUND_IMMEDIATE] = "pod has unbound immediate PersistentVolumeClaims",
    [VOLUME_MISSING] = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
    [VOLUME_ELSEWHERE] = "node(s) didn't match PersistentVolume's node affinity",
    [NO_VOLUME] = "node(s) didn't find available persistent volumes to bind",
    [NO_SPACE] = "node(s) did not have enough free storage",
};

/* A claim that waits for its first consumer. */
struct wanted {
    const struct mu_pvc *pvc;
    const struct mu_volume_source *source;
    const struct mu_pv *held; /* the volume that is held for it already */
    bool shared;
    bool anywhere; /* shared, and a volume that every node reaches serves it */
};

struct prepared {
    struct mu_verdict refusal; /* on every node */
    const struct mu_pv **bound;
    struct wanted *wanted;
    struct mu_volume_source *sources; /* the storage classes of those wanted */
    uint32_t bound_len, wanted_len, sources_len;
    bool local; /* all free volumes are on one node each, and no claim is shared */
    struct mu_volume_matching *matching;
    struct wanted *rivals; /* all claims of the cluster that want a volume of these classes */
    uint32_t rivals_len;
    struct rivals_now *now;
};

/* Where volumes are not local: the state whose rivals are in `matching`. */
struct rivals_now {
    uint64_t stamp;
    bool known;
    bool plain;       /* all of them are served, and none is shared: more can be added to them */
    uint32_t demands; /* theirs */
    uint32_t *at;     /* by rival: the node of a pod that uses it, or NOWHERE */
};

#define NOWHERE UINT32_MAX

/* ------------------------------------------------------------------ classes */

static const struct mu_volume_source *source_of(const struct prepared *p, mu_sym storage_class) {
    for (uint32_t i = 0; i < p->sources_len; i++) {
        if (p->sources[i].storage_class == storage_class)
            return &p->sources[i];
    }
    return NULL;
}

/* The claim as one that is wanted; pvc is in state DELAYED and of one of the sources. `anywhere` is left out. */
static struct wanted wanted_of(const struct mu_fw *fw, const struct prepared *p, const struct mu_pvc *pvc) {
    return (struct wanted){
        .pvc = pvc,
        .source = source_of(p, pvc->storage_class),
        .held = mu_pv_held_for(fw, pvc),
        .shared = mu_claim_is_shared(fw, pvc),
    };
}

static void find_anywhere(const struct mu_fw *fw, const struct mu_volume_matching *matching, struct wanted *wanted) {
    for (uint32_t i = 0; wanted->shared && !wanted->source->provisions && i < matching->pvs_len; i++) {
        const struct mu_pv *pv = matching->pvs[i];
        wanted->anywhere = wanted->anywhere || (!pv->has_node_required && mu_pv_could_serve(fw, pv, wanted->pvc));
    }
}

static void add_wanted(struct mu_fw *fw, struct prepared *p, const struct mu_pvc *pvc) {
    if (source_of(p, pvc->storage_class) == NULL)
        p->sources[p->sources_len++] = mu_volume_source_make(fw, pvc->storage_class);
    p->wanted[p->wanted_len++] = wanted_of(fw, p, pvc);
}

/* A refusal that stands on every node. That a claim is not there or ends goes before that it is not bound. */
static void refuse(struct prepared *p, uint16_t phrase, mu_sym subject) {
    if (p->refusal.phrase == 0 || (p->refusal.phrase >= UNBOUND_IMMEDIATE && phrase < UNBOUND_IMMEDIATE))
        p->refusal = (struct mu_verdict){.phrase = phrase, .subject = subject};
}

static void add_claim(struct mu_fw *fw, struct prepared *p, mu_sym namespace, const struct mu_volume_use *use) {
    const struct mu_pvc *pvc = mu_fw_pvc(fw, namespace, use->claim);
    const struct mu_pv *pv = NULL;
    switch (mu_claim_state(fw, pvc)) {
    case MU_CLAIM_MISSING:
        refuse(p, use->ephemeral ? CLAIM_TO_BE_MADE : CLAIM_MISSING, use->claim);
        break;
    case MU_CLAIM_ENDING:
        refuse(p, CLAIM_ENDING, use->claim);
        break;
    case MU_CLAIM_BOUND:
        pv = mu_fw_pv(fw, pvc->volume);
        if (pv != NULL)
            p->bound[p->bound_len++] = pv;
        else
            refuse(p, VOLUME_MISSING, 0);
        break;
    case MU_CLAIM_DELAYED:
        add_wanted(fw, p, pvc);
        break;
    case MU_CLAIM_IMMEDIATE:
    case MU_CLAIM_COUNT:
        refuse(p, UNBOUND_IMMEDIATE, 0);
        break;
    }
}

static bool is_wanting(const struct mu_fw *fw, const struct prepared *p, const struct mu_pvc *pvc) {
    return mu_claim_state(fw, pvc) == MU_CLAIM_DELAYED && source_of(p, pvc->storage_class) != NULL;
}

static void find_rivals(struct mu_fw *fw, struct prepared *p) {
    uint32_t len = 0;
    const struct mu_pvc *const *pvcs = mu_fw_pvcs(fw, &len);
    for (uint32_t i = 0; i < len; i++)
        p->rivals_len += is_wanting(fw, p, pvcs[i]);
    p->rivals = mu_fw_alloc(fw, p->rivals_len * sizeof *p->rivals);
    p->now->at = mu_fw_alloc(fw, p->rivals_len * sizeof *p->now->at);
    for (uint32_t i = 0, at = 0; at < p->rivals_len; i++) {
        if (!is_wanting(fw, p, pvcs[i]))
            continue;
        p->rivals[at++] = wanted_of(fw, p, pvcs[i]);
    }
}

/* Where no free volume is there at all, all is said by where volumes can be made. */
static enum mu_scope prepare_wanted(struct mu_fw *fw, struct prepared *p) {
    bool shared = false;
    p->matching = mu_volume_matching_make(fw, p->sources, p->sources_len);
    for (uint32_t i = 0; i < p->wanted_len; i++) {
        shared = shared || p->wanted[i].shared;
        find_anywhere(fw, p->matching, &p->wanted[i]);
    }
    p->local = !shared && mu_volume_matching_is_local(fw, p->matching);
    if (p->local)
        return p->matching->pvs_len > 0 ? MU_SCOPE_NODE : MU_SCOPE_STATIC;
    find_rivals(fw, p);
    return MU_SCOPE_CLUSTER;
}

static struct mu_reach prepare(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared) {
    const struct mu_pod *pod = cls->pods[0];
    struct prepared *p = mu_fw_alloc(fw, sizeof *p);
    p->bound = mu_fw_alloc(fw, pod->volumes_len * sizeof *p->bound);
    p->wanted = mu_fw_alloc(fw, pod->volumes_len * sizeof *p->wanted);
    p->sources = mu_fw_alloc(fw, pod->volumes_len * sizeof *p->sources);
    p->now = mu_fw_alloc(fw, sizeof *p->now);
    *ret_prepared = p;
    for (uint32_t i = 0; i < pod->volumes_len; i++) {
        if (pod->volumes[i].claim != 0)
            add_claim(fw, p, cls->namespace, &pod->volumes[i]);
    }
    if (p->refusal.phrase != 0)
        return (struct mu_reach){.filter = MU_SCOPE_STATIC};
    if (p->wanted_len > 0)
        return (struct mu_reach){.filter = prepare_wanted(fw, p)};
    return (struct mu_reach){.filter = p->bound_len > 0 ? MU_SCOPE_STATIC : MU_SCOPE_NONE};
}

/* ------------------------------------------------------------------ one claim on one node */

/* What becomes of a wanted claim on a node: 0 where it is served without taking a free volume from anybody; else the
 * phrase for the case that none is left for it, with *ret_free whether a free volume may serve it at all. */
static uint16_t judge(const struct mu_fw *fw, const struct wanted *w, uint32_t node, bool *ret_free) {
    *ret_free = false;
    bool selected = w->pvc->selected_node != 0; /* a volume is being made there (upstream: AnnSelectedNode) */
    if (selected && w->pvc->selected_node != mu_fw_node(fw, node)->meta.name)
        return NO_VOLUME;
    if (!selected && w->held != NULL && mu_pv_reaches(fw, w->held, node))
        return 0;
    enum mu_provision provision = mu_volume_provision(fw, w->source, w->pvc, node);
    *ret_free = !selected && w->held == NULL;
    return provision == MU_PROVISION_CAN ? 0 : provision == MU_PROVISION_NO_SPACE ? NO_SPACE : NO_VOLUME;
}

/* Is the claim, by other pods that use it, decided for this node (true in *ret_served), or for another one? */
static bool is_decided(const struct mu_fw *fw, const struct wanted *w, uint32_t node, bool *ret_served) {
    uint32_t first = node;
    if (!w->shared || mu_fw_pvc_users(fw, w->pvc->meta.namespace, w->pvc->meta.name, &first) == 0)
        return false;
    *ret_served = first == node || w->anywhere || (w->held != NULL && mu_pv_reaches(fw, w->held, node));
    return true;
}

/* ------------------------------------------------------------------ rivals */

/* False where it cannot be served, which is not ours to mend: a foreign pod that was bound before its volume was. */
static bool add_rival(struct mu_fw *fw, const struct prepared *p, const struct wanted *rival, uint32_t node) {
    bool free_may_serve;
    if (judge(fw, rival, node, &free_may_serve) == 0)
        return true;
    return free_may_serve &&
           mu_volume_matching_add(fw, p->matching, (struct mu_volume_demand){rival->pvc, node, rival->anywhere});
}

static bool has_demand(const struct mu_volume_matching *m, const struct mu_pvc *pvc) {
    for (uint32_t i = 0; i < m->demands_len; i++) {
        if (m->demands[i].pvc == pvc)
            return true;
    }
    return false;
}

static void add_rivals_on(struct mu_fw *fw, const struct prepared *p, uint32_t node) {
    uint32_t len = 0;
    const struct mu_pod *const *pods = mu_fw_pods_on(fw, node, &len);
    for (uint32_t i = 0; i < len; i++) {
        for (uint32_t v = 0; v < pods[i]->volumes_len; v++) {
            mu_sym claim = pods[i]->volumes[v].claim;
            const struct mu_pvc *pvc = claim != 0 ? mu_fw_pvc(fw, pods[i]->meta.namespace, claim) : NULL;
            if (pvc == NULL || !is_wanting(fw, p, pvc) || has_demand(p->matching, pvc))
                continue;
            struct wanted rival = wanted_of(fw, p, pvc);
            add_rival(fw, p, &rival, node);
        }
    }
}

static uint32_t place_of(const struct mu_fw *fw, const struct wanted *rival) {
    uint32_t at = NOWHERE;
    const struct mu_meta *meta = &rival->pvc->meta;
    return mu_fw_pvc_users(fw, meta->namespace, meta->name, &at) > 0 ? at : NOWHERE;
}

/* Has nothing but more rivals come since? Then those that are in the matching can stay. */
static bool only_grew(const struct mu_fw *fw, const struct prepared *p) {
    bool grew = p->now->known && p->now->plain;
    for (uint32_t i = 0; grew && i < p->rivals_len; i++)
        grew = p->now->at[i] == NOWHERE || p->now->at[i] == place_of(fw, &p->rivals[i]);
    return grew;
}

static void add_rivals(struct mu_fw *fw, const struct prepared *p) {
    struct rivals_now *now = p->now;
    bool grew = only_grew(fw, p);
    mu_volume_matching_drop(p->matching, grew ? now->demands : 0);
    now->plain = true;
    for (uint32_t i = 0; i < p->rivals_len; i++) {
        struct wanted rival = p->rivals[i];
        uint32_t before = grew ? now->at[i] : NOWHERE;
        now->at[i] = place_of(fw, &rival);
        if (now->at[i] == before)
            continue;
        rival.shared = mu_claim_is_shared(fw, rival.pvc); /* pods come and go without a class being prepared anew */
        find_anywhere(fw, p->matching, &rival);
        bool served = add_rival(fw, p, &rival, now->at[i]);
        now->plain = now->plain && served && !rival.shared;
    }
    now->demands = p->matching->demands_len;
    now->stamp = mu_fw_stamp(fw);
    now->known = true;
}

/* Puts into the matching the claims of all pods that are placed so far and could take volumes from this node. */
static void matching_begin(struct mu_fw *fw, const struct prepared *p, uint32_t node) {
    if (p->local) {
        mu_volume_matching_drop(p->matching, 0);
        add_rivals_on(fw, p, node);
    } else if (p->now->known && p->now->stamp == mu_fw_stamp(fw)) {
        mu_volume_matching_drop(p->matching, p->now->demands);
    } else {
        add_rivals(fw, p);
    }
}

/* ------------------------------------------------------------------ filter and fit */

/* Serves the claims of one pod of the class, on top of what was served before in this call (*begun): 0, or the phrase
 * of the claim that is not. */
static uint16_t serve(struct mu_fw *fw, const struct prepared *p, uint32_t node, bool *begun) {
    for (uint32_t i = 0; i < p->wanted_len; i++) {
        const struct wanted *w = &p->wanted[i];
        bool served = false, free_may_serve = false;
        if (is_decided(fw, w, node, &served)) {
            if (!served)
                return NO_VOLUME;
            continue;
        }
        uint16_t phrase = judge(fw, w, node, &free_may_serve);
        if (phrase == 0)
            continue;
        if (!free_may_serve)
            return phrase;
        if (!*begun)
            matching_begin(fw, p, node);
        *begun = true;
        if (!mu_volume_matching_add(fw, p->matching, (struct mu_volume_demand){w->pvc, node, w->anywhere}))
            return phrase;
    }
    return 0;
}

static struct mu_verdict filter(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node) {
    const struct prepared *p = prepared;
    if (p->refusal.phrase != 0)
        return p->refusal;
    for (uint32_t i = 0; i < p->bound_len; i++) {
        if (!mu_pv_reaches(fw, p->bound[i], node))
            return (struct mu_verdict){.phrase = VOLUME_ELSEWHERE};
    }
    bool begun = false;
    return (struct mu_verdict){.phrase = serve(fw, p, node, &begun)};
}

static int64_t fit(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node) {
    const struct prepared *p = prepared;
    if (p->wanted_len == 0 || !p->local)
        return INT64_MAX;
    int64_t pods = 0;
    for (bool begun = false; serve(fw, p, node, &begun) == 0; pods++) {
        if (!begun) /* nothing is taken from anybody */
            return INT64_MAX;
    }
    return pods;
}

const struct mu_plugin mu_plugin_volume_binding = {
    .abi = MU_PLUGIN_ABI,
    .name = "VolumeBinding",
    .summary = "a pod's claims must be bound, or find or be made a volume, where it runs",
    .stage = MU_STAGE_VOLUME,
    .phrases = phrases,
    .phrases_len = 9,
    .distinguish = mu_volumes_distinguish,
    .prepare = prepare,
    .filter = filter,
    .fit = fit,
    .events = MU_EVENT_NODE_ADDED | MU_EVENT_NODE_LABELS | MU_EVENT_VOLUME | MU_EVENT_POD_REMOVED,
};
