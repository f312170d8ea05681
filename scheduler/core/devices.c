/* Devices: what there is, who holds it at first, and which claims make no sense; see devices.h. */
#include "scheduler/core/devices_internal.h"

static struct mu_str claim_key(const struct mu_claim *const *claim) {
    return (struct mu_str){(const char *)claim, sizeof *claim};
}

bool mu_devices_find(const struct mu_devices *d, const struct mu_claim *claim, uint32_t *ret) {
    return mu_map_get(&d->by_claim, claim_key(&claim), ret);
}

uint32_t mu_devices_state(struct mu_devices *d, const struct mu_claim *claim) {
    uint32_t index;
    if (mu_devices_find(d, claim, &index))
        return index;
    const struct mu_claim **key = MU_NEW(d->arena, const struct mu_claim *);
    *key = claim;
    index = (uint32_t)d->states.len;
    MU_VEC_PUSH(d->arena, &d->states, (struct mu_claim_state){.claim = claim, .want = MU_NO_SLOT});
    mu_map_put(&d->by_claim, claim_key((const struct mu_claim *const *)key), index);
    return index;
}

const struct mu_grant *mu_devices_grant(const struct mu_devices *d, const struct mu_claim *claim) {
    uint32_t index;
    if (!mu_devices_find(d, claim, &index) || !d->states.items[index].allocated)
        return NULL;
    const struct mu_claim_state *state = &d->states.items[index];
    return state->want == MU_NO_SLOT ? &state->grant : &d->wants.items[state->want].grant;
}

/* ------------------------------------------------------------------ who holds what at first */

const struct mu_grant *mu_devices_first_grant(struct mu_devices *d, const struct mu_claim *claim) {
    return &d->states.items[mu_devices_state(d, claim)].grant;
}

static struct mu_grant grant_of(const struct mu_claim *claim) {
    return (struct mu_grant){.results = claim->results,
                             .configs = claim->allocation_configs,
                             .node_terms = claim->node_terms,
                             .results_len = claim->results_len,
                             .configs_len = claim->allocation_configs_len,
                             .node_terms_len = claim->node_terms_len,
                             .has_node_selector = claim->has_node_selector};
}

static void hold_allocated(struct mu_devices *d) {
    const struct mu_store *store = d->s->store;
    for (size_t i = 0; i < store->claims.len; i++) {
        const struct mu_claim *claim = store->claims.items[i];
        if (!claim->allocated)
            continue;
        uint32_t index = mu_devices_state(d, claim);
        d->states.items[index].allocated = true;
        d->states.items[index].grant = grant_of(claim);
        mu_alloc_hold(d->alloc, claim, 0, claim->results, claim->results_len);
    }
    mu_devices_find_users(d);
    mu_alloc_keep(d->alloc);
}

/* ------------------------------------------------------------------ making it */

/* What is senseless by itself is nobody's (contract, section 7). */
#define SENSIBLE(type, list)                                                                                           \
    static const type *const *sensible_##list(struct mu_arena *arena, const struct mu_store *store, uint32_t *ret) {   \
        const type **items = MU_NEW_ARRAY(arena, const type *, store->list.len);                                       \
        for (size_t i = 0; i < store->list.len; i++)                                                                   \
            if (!store->list.items[i]->meta.invalid.len)                                                               \
                items[(*ret)++] = store->list.items[i];                                                                \
        return items;                                                                                                  \
    }
SENSIBLE(struct mu_slice, slices)
SENSIBLE(struct mu_device_class, device_classes)
SENSIBLE(struct mu_taint_rule, taint_rules)

static struct mu_alloc_input input_of(const struct mu_snapshot *s, const struct mu_settings *settings,
                                      struct mu_arena *arena) {
    struct mu_alloc_input in = {.symbols = s->symbols,
                                .features = MU_ALLOC_ALL_FEATURES,
                                .one_card_one_driver = !settings->no_identity,
                                .identity = settings->identity,
                                .identity_len = settings->identity_len,
                                .sharing = settings->sharing,
                                .sharing_len = settings->sharing_len};
    in.slices = sensible_slices(arena, s->store, &in.slices_len);
    in.classes = sensible_device_classes(arena, s->store, &in.classes_len);
    in.rules = sensible_taint_rules(arena, s->store, &in.rules_len);
    return in;
}

static int make(struct mu_snapshot *s, const struct mu_settings *settings, struct mu_err *err) {
    struct mu_arena *arena = mu_snapshot_child_arena(s);
    struct mu_devices *d = MU_NEW(arena, struct mu_devices);
    d->s = s;
    d->settings = settings;
    d->arena = arena;
    d->stack = mu_arena_create_child(arena);
    mu_arena_defer(arena, (void (*)(void *))mu_arena_destroy, d->stack);
    mu_map_init(&d->by_claim, arena, 11);
    struct mu_alloc_input in = input_of(s, settings, arena);
    d->classes = in.classes;
    for (uint32_t i = 0; i < in.slices_len; i++)
        for (uint32_t k = 0; k < in.slices[i]->devices_len; k++)
            d->takes_of_nodes |= in.slices[i]->devices[k].node_resources_len > 0;
    d->classes_len = in.classes_len;
    mu_map_init(&d->class_of, arena, 13);
    mu_map_init(&d->extended_index, arena, 14);
    int code = mu_alloc_create(arena, &in, &d->alloc, err);
    if (code)
        return code;
    hold_allocated(d);
    d->first_digest = mu_alloc_digest(d->alloc);
    for (uint32_t i = 0; i < settings->sharing_len; i++)
        d->queues_matter |= settings->sharing[i].with == MU_SHARING_QUEUE;
    s->devices = d;
    mu_snapshot_made(s);
    return 0;
}

int mu_devices_get(struct mu_snapshot *s, const struct mu_settings *settings, struct mu_devices **ret,
                   struct mu_err *err) {
    if (s->devices && s->devices->settings != settings)
        mu_devices_drop(s);
    bool any = s->store && (s->store->claims.len || s->store->device_classes.len);
    int code = s->devices || !any ? 0 : make(s, settings, err);
    *ret = s->devices;
    return code;
}

void mu_devices_drop(struct mu_snapshot *s) {
    if (s->devices)
        mu_arena_destroy(s->devices->arena);
    s->devices = NULL;
}

/* ------------------------------------------------------------------ claims that make no sense */

/* Asks for the claim on a node that nothing is on: what is wrong there is wrong everywhere. */
static struct mu_str judge(struct mu_devices *d, const struct mu_claim *claim) {
    static const struct mu_node nowhere = {.taints_len = 0};
    const struct mu_node *node = &nowhere;
    struct mu_str fault = mu_alloc_selectors_fault(d->alloc, claim);
    if (fault.len)
        return fault;
    const struct mu_alloc_want want = {claim, &node, 1, 0};
    struct mu_arena_mark mark = mu_arena_mark(d->stack);
    struct mu_alloc_answer answer;
    mu_alloc_try(d->alloc, &want, 1, NULL, d->stack, &answer);
    struct mu_str why = {NULL, 0};
    if (answer.outcome == MU_ALLOC_FAULT && !answer.fault.this_node)
        why = mu_str_dup(d->arena, answer.fault.text);
    mu_arena_rollback(d->stack, mark);
    return why;
}

/* What is said of all claims with this spec. */
static const struct mu_claim_verdict *verdict_of(struct mu_devices *d, const struct mu_claim *claim) {
    while (d->verdicts.len <= claim->spec_id)
        MU_VEC_PUSH(d->arena, &d->verdicts, (struct mu_claim_verdict){.known = false});
    struct mu_claim_verdict *verdict = &d->verdicts.items[claim->spec_id];
    if (!verdict->known || claim->spec_id == 0) {
        struct mu_str why = judge(d, claim);
        *verdict = (struct mu_claim_verdict){true, mu_alloc_claim_local(d->alloc, claim), why};
    }
    return verdict;
}

struct mu_str mu_devices_senseless(struct mu_devices *d, const struct mu_claim *claim) {
    return verdict_of(d, claim)->why;
}

bool mu_devices_is_local(struct mu_devices *d, const struct mu_claim *claim) {
    return verdict_of(d, claim)->local;
}

uint64_t mu_devices_digest(const struct mu_devices *d) {
    return mu_alloc_digest(d->alloc) - d->first_digest;
}

/* ------------------------------------------------------------------ notes */

/* So many pools are named; the rest is counted. */
#define POOLS_NAMED 10

const struct mu_str *mu_devices_notes(const struct mu_devices *d, struct mu_arena *arena, uint32_t *ret_len) {
    uint32_t cards_len, pools_len, len = 0;
    const struct mu_str *cards = mu_alloc_card_notes(d->alloc, arena, &cards_len);
    const struct mu_pool_note *pools = mu_alloc_pool_notes(d->alloc, arena, &pools_len);
    struct mu_str *notes = MU_NEW_ARRAY(arena, struct mu_str, (size_t)cards_len + POOLS_NAMED + 1);
    for (uint32_t i = 0; i < cards_len; i++)
        notes[len++] = cards[i];
    for (uint32_t i = 0; i < pools_len && i < POOLS_NAMED; i++)
        notes[len++] = mu_str_printf(arena, "pool " MU_STR_FMT " of driver " MU_STR_FMT " " MU_STR_FMT,
                                     MU_STR_ARG(mu_text(d->s->symbols, pools[i].pool)),
                                     MU_STR_ARG(mu_text(d->s->symbols, pools[i].driver)), MU_STR_ARG(pools[i].text));
    if (pools_len > POOLS_NAMED)
        notes[len++] =
            mu_str_printf(arena, "%u more pools of devices are incomplete or invalid", pools_len - POOLS_NAMED);
    *ret_len = len;
    return notes;
}
