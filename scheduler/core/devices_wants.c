/* Wants: claims of the group under decision that are given devices while it is placed; see devices.h. */
#include "scheduler/core/devices_internal.h"
#include <stdlib.h>

/* A search for devices may take so many steps; a group's own budget counts placements. Past the first, one by one, all
 * claims on the node are solved together. */
#define STEPS_ALONE INT64_C(20000)
#define STEPS_TOGETHER INT64_C(40000)

/* ------------------------------------------------------------------ undoing */

void mu_devices_open(struct mu_devices *d, uint32_t pod) {
    MU_VEC_PUSH(d->arena, &d->frames,
                (struct mu_devices_frame){.pod = pod,
                                          .undo_len = d->undo.len,
                                          .wants_len = d->wants.len,
                                          .alloc_mark = mu_alloc_mark(d->alloc),
                                          .lacked = d->lack,
                                          .stack = mu_arena_mark(d->stack)});
}

/* The nodes of a want whose devices changed: what was worked out for them is void. The node of the placement itself is
 * marked by whoever placed; a trial leaves all as it was. */
static void nodes_changed(struct mu_devices *d, const struct mu_want *want, bool trial) {
    for (uint32_t i = 0; i < want->nodes_len && !trial; i++)
        mu_snapshot_changed(d->s, want->slots[i]);
}

void mu_devices_close(struct mu_devices *d) {
    struct mu_devices_frame frame = d->frames.items[--d->frames.len];
    while (d->undo.len > frame.undo_len) {
        const struct mu_devices_undo *undo = &d->undo.items[--d->undo.len];
        if (!undo->of_want) {
            d->states.items[undo->index] = undo->state;
            continue;
        }
        mu_devices_charge_node(d, &d->wants.items[undo->index], 1);
        d->wants.items[undo->index] = undo->want;
        mu_devices_charge_node(d, &undo->want, -1);
        nodes_changed(d, &undo->want, frame.pod == MU_NO_SLOT);
    }
    while (d->wants.len > frame.wants_len) /* as they were before what is undone now was done to them */
        mu_devices_charge_node(d, &d->wants.items[--d->wants.len], 1);
    d->lack = frame.lacked;
    mu_alloc_rollback(d->alloc, frame.alloc_mark);
    mu_arena_rollback(d->stack, frame.stack);
}

size_t mu_devices_depth(const struct mu_devices *d) {
    return d->frames.len;
}

void mu_devices_back_to(struct mu_devices *d, size_t depth) {
    while (d->frames.len > depth)
        mu_devices_close(d);
}

void mu_devices_save_state(struct mu_devices *d, uint32_t state) {
    MU_VEC_PUSH(d->arena, &d->undo,
                (struct mu_devices_undo){.of_want = false, .index = state, .state = d->states.items[state]});
}

static void save_want(struct mu_devices *d, uint32_t want) {
    MU_VEC_PUSH(d->arena, &d->undo,
                (struct mu_devices_undo){.of_want = true, .index = want, .want = d->wants.items[want]});
}

/* ------------------------------------------------------------------ a group's turn */

static bool is_local(struct mu_devices *d, const struct mu_pod_claims *claims) {
    for (uint32_t i = 0; i < claims->len; i++)
        if (!mu_devices_is_local(d, claims->items[i].claim))
            return false;
    for (uint32_t i = 0; claims->extended && i < claims->extended->extended_len; i++)
        if (!mu_devices_class_is_local(d, mu_devices_class_of(d, claims->extended->extended[i].resource)))
            return false;
    return true;
}

void mu_devices_begin(struct mu_devices *d, mu_sym queue, const struct mu_pod_claims *const *claims, uint32_t len) {
    d->settled = (uint32_t)d->wants.len;
    d->queue = queue;
    for (d->limit = 64; d->limit < len;)
        d->limit *= 2;
    d->all_local = true;
    for (uint32_t i = 0; i < len && d->all_local; i++)
        d->all_local = is_local(d, claims[i]);
}

void mu_devices_give_up(struct mu_devices *d, const struct mu_claim *claim) {
    uint32_t index = mu_devices_state(d, claim);
    struct mu_claim_state *state = &d->states.items[index];
    mu_devices_open(d, MU_NO_SLOT);
    mu_devices_save_state(d, index);
    state->allocated = false;
    mu_alloc_release(d->alloc, claim, 0, state->grant.results, state->grant.results_len);
    for (uint32_t n = 0; n < d->s->nodes_len; n++)
        if (d->s->nodes[n].object)
            mu_snapshot_changed(d->s, n);
}

void mu_devices_take_up(struct mu_devices *d) {
    mu_devices_close(d);
    for (uint32_t n = 0; n < d->s->nodes_len; n++)
        if (d->s->nodes[n].object)
            mu_snapshot_changed(d->s, n);
}

/* ------------------------------------------------------------------ wants */

static uint32_t want_new(struct mu_devices *d, const struct mu_claim *claim, uint32_t state, uint32_t pod,
                         uint32_t node) {
    uint32_t *slots = MU_NEW_ARRAY(d->stack, uint32_t, 1);
    const struct mu_node **nodes = MU_NEW_ARRAY(d->stack, const struct mu_node *, 1);
    slots[0] = node;
    nodes[0] = d->s->nodes[node].object;
    MU_VEC_PUSH(
        d->arena, &d->wants,
        (struct mu_want){.claim = claim, .state = state, .pod = pod, .slots = slots, .nodes = nodes, .nodes_len = 1});
    return (uint32_t)d->wants.len - 1;
}

static bool want_is_on(const struct mu_want *want, uint32_t node) {
    for (uint32_t i = 0; i < want->nodes_len; i++)
        if (want->slots[i] == node)
            return true;
    return false;
}

static void want_spread(struct mu_devices *d, uint32_t index, uint32_t node) {
    save_want(d, index);
    struct mu_want *want = &d->wants.items[index];
    uint32_t *slots = MU_NEW_ARRAY(d->stack, uint32_t, want->nodes_len + 1);
    const struct mu_node **nodes = MU_NEW_ARRAY(d->stack, const struct mu_node *, want->nodes_len + 1);
    for (uint32_t i = 0; i < want->nodes_len; i++) {
        slots[i] = want->slots[i];
        nodes[i] = want->nodes[i];
    }
    slots[want->nodes_len] = node;
    nodes[want->nodes_len] = d->s->nodes[node].object;
    want->slots = slots;
    want->nodes = nodes;
    want->nodes_len++;
}

static void use_want(struct mu_devices *d, uint32_t index, uint32_t containers) {
    d->wants.items[index].pods++;
    d->wants.items[index].containers += containers;
}

bool mu_devices_usable_from(const struct mu_devices *d, const struct mu_grant *grant, uint32_t node) {
    const struct mu_node *object = d->s->nodes[node].object;
    return !grant->has_node_selector || mu_node_terms_match(grant->node_terms, grant->node_terms_len,
                                                            &object->meta.labels, object->meta.name, d->s->symbols);
}

/* Enters what a pod on the node wants, not granted yet (`pod` MU_NO_SLOT: in a trial). False where a claim of somebody
 * else has its devices elsewhere. *ret_moved: a want that has devices must have others, since the node does not reach
 * them. */
static bool enter(struct mu_devices *d, const struct mu_pod_claims *claims, uint32_t node, uint32_t pod,
                  bool *ret_moved) {
    for (uint32_t i = 0; i < claims->len; i++) {
        const struct mu_pod_claim *use = &claims->items[i];
        if (use->stands_for) {
            use_want(d, want_new(d, use->claim, MU_NO_SLOT, MU_NO_SLOT, node), use->containers);
            continue;
        }
        uint32_t index = mu_devices_state(d, use->claim);
        struct mu_claim_state *state = &d->states.items[index];
        if (!state->allocated) {
            mu_devices_save_state(d, index);
            state->allocated = true;
            state->want = (uint32_t)d->wants.len;
            use_want(d, want_new(d, use->claim, index, MU_NO_SLOT, node), use->containers);
            continue;
        }
        bool open = state->want != MU_NO_SLOT && state->want >= d->settled;
        const struct mu_grant *grant = state->want == MU_NO_SLOT ? &state->grant : &d->wants.items[state->want].grant;
        bool usable = mu_devices_usable_from(d, grant, node);
        if (!open && !usable)
            return false;
        if (open && !want_is_on(&d->wants.items[state->want], node)) {
            *ret_moved |= !usable;
            want_spread(d, state->want, node);
        }
        if (open && d->takes_of_nodes) {
            save_want(d, state->want);
            mu_devices_charge_node(d, &d->wants.items[state->want], 1);
            use_want(d, state->want, use->containers);
            mu_devices_charge_node(d, &d->wants.items[state->want], -1);
        }
    }
    const struct mu_claim *extended = claims->extended ? mu_devices_extended_claim(d, claims, node) : NULL;
    if (extended)
        use_want(d, want_new(d, extended, MU_NO_SLOT, pod, node), claims->spec->containers_len);
    return true;
}

/* ------------------------------------------------------------------ granting */

static void grant_results(struct mu_devices *d, const uint32_t *list, uint32_t len,
                          const struct mu_alloc_claim_result *results) {
    for (uint32_t i = 0; i < len; i++) {
        struct mu_want *want = &d->wants.items[list[i]];
        want->granted = true;
        want->grant = (struct mu_grant){.results = results[i].results,
                                        .configs = results[i].configs,
                                        .node_terms = &results[i].node_selector,
                                        .results_len = results[i].results_len,
                                        .configs_len = results[i].configs_len,
                                        .node_terms_len = 1,
                                        .has_node_selector = results[i].has_node_selector};
        mu_alloc_hold(d->alloc, want->claim, d->queue, want->grant.results, want->grant.results_len);
        mu_devices_charge_node(d, want, -1);
    }
}

/* Looks for devices for the listed wants, none of which holds any now, and gives them. */
static bool give(struct mu_devices *d, const uint32_t *list, uint32_t len, int64_t steps, bool *ret_unproved) {
    struct mu_alloc_want *wants = MU_NEW_ARRAY(d->stack, struct mu_alloc_want, len);
    for (uint32_t i = 0; i < len; i++) {
        const struct mu_want *want = &d->wants.items[list[i]];
        wants[i] = (struct mu_alloc_want){want->claim, want->nodes, want->nodes_len, d->queue};
    }
    const struct mu_alloc_options options = {.steps = steps, .packed = true};
    struct mu_alloc_answer answer;
    mu_alloc_try(d->alloc, wants, len, &options, d->stack, &answer);
    *ret_unproved |= answer.outcome == MU_ALLOC_OUT_OF_STEPS;
    d->broken = answer.broken;
    if (answer.outcome == MU_ALLOC_FOUND)
        grant_results(d, list, len, answer.claims);
    return answer.outcome == MU_ALLOC_FOUND;
}

/* Wants that ask alike stand side by side, so that the allocator need not try what is the same twice. */
struct competitor {
    uint32_t slot, spec, want;
};

static int competitor_cmp(const void *a, const void *b) {
    const struct competitor *x = a, *y = b;
    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    if (x->spec != y->spec)
        return x->spec < y->spec ? -1 : 1;
    return x->want < y->want ? -1 : x->want > y->want;
}

/* The group's wants that compete with those on the node, and these. */
static uint32_t *competing(struct mu_devices *d, uint32_t node, uint32_t *ret_len) {
    struct competitor *list = MU_NEW_ARRAY(d->stack, struct competitor, d->wants.len - d->settled);
    uint32_t *ret = MU_NEW_ARRAY(d->stack, uint32_t, d->wants.len - d->settled);
    *ret_len = 0;
    for (uint32_t w = d->settled; w < d->wants.len; w++) {
        const struct mu_want *want = &d->wants.items[w];
        if (!d->all_local || want_is_on(want, node))
            list[(*ret_len)++] = (struct competitor){want->slots[0], want->claim->spec_id, w};
    }
    if (*ret_len)
        qsort(list, *ret_len, sizeof *list, competitor_cmp);
    for (uint32_t i = 0; i < *ret_len; i++)
        ret[i] = list[i].want;
    return ret;
}

static bool together(struct mu_devices *d, uint32_t node, bool trial, bool *ret_unproved) {
    uint32_t len;
    uint32_t *list = competing(d, node, &len);
    for (uint32_t i = 0; i < len; i++) {
        struct mu_want *want = &d->wants.items[list[i]];
        if (!want->granted)
            continue;
        save_want(d, list[i]);
        mu_devices_charge_node(d, want, 1);
        want->granted = false;
        mu_alloc_release(d->alloc, want->claim, d->queue, want->grant.results, want->grant.results_len);
        nodes_changed(d, want, trial);
    }
    return give(d, list, len, STEPS_TOGETHER, ret_unproved);
}

/* Gives one more pod on the node what it wants: from what is left where that will do, else by giving all members'
 * claims there others. In an open frame; where it fails, what it did is for the caller to undo. `waiting`: so many pods
 * of a trial, this one included, whose own requests are not taken of the node. */
static bool give_pod(struct mu_devices *d, const struct mu_pod_claims *claims, uint32_t node, uint32_t pod,
                     int64_t waiting, bool *ret_unproved) {
    uint32_t before = (uint32_t)d->wants.len;
    bool moved = false;
    if (!enter(d, claims, node, pod, &moved))
        return false;
    uint32_t len = (uint32_t)d->wants.len - before, *fresh = MU_NEW_ARRAY(d->stack, uint32_t, len);
    for (uint32_t i = 0; i < len; i++)
        fresh[i] = before + i;
    bool given = (!len && !moved) || (!moved && give(d, fresh, len, STEPS_ALONE, ret_unproved));
    if (!given && (moved || before > d->settled))
        given = together(d, node, pod == MU_NO_SLOT, ret_unproved);
    return given && mu_devices_node_holds(d, node, claims->spec, waiting);
}

/* ------------------------------------------------------------------ what plugins ask */

/* Did the wants from `first` on take anything that another pod would miss? */
static bool took_something(const struct mu_devices *d, size_t first) {
    for (size_t w = first; w < d->wants.len; w++)
        for (uint32_t i = 0; i < d->wants.items[w].grant.results_len; i++)
            if (!d->wants.items[w].grant.results[i].admin_access)
                return true;
    return false;
}

int64_t mu_devices_fit(struct mu_devices *d, const struct mu_pod_claims *claims, uint32_t node, bool *ret_unproved) {
    bool unproved = false, endless = false;
    int64_t fit = 0;
    mu_devices_open(d, MU_NO_SLOT);
    while (fit < d->limit && !endless) {
        size_t wants = d->wants.len;
        if (!give_pod(d, claims, node, MU_NO_SLOT, fit + 1, &unproved))
            break;
        endless = fit++ && !took_something(d, wants); /* the first may have brought a shared claim here */
    }
    mu_devices_close(d);
    *ret_unproved |= unproved && fit < d->limit;
    return endless ? INT64_MAX : fit;
}

int64_t mu_devices_score(struct mu_devices *d, const struct mu_pod_claims *claims, uint32_t node) {
    uint32_t used = 0, all = 0;
    mu_alloc_node_usage(d->alloc, d->s->nodes[node].object, &used, &all);
    int64_t part = all ? (int64_t)used * (MU_SCORE_MAX / 2) / all : 0;
    bool unproved = false, moved = false;
    mu_devices_open(d, MU_NO_SLOT);
    size_t before = d->wants.len;
    d->broken = 0;
    bool given = enter(d, claims, node, MU_NO_SLOT, &moved) && !moved && d->wants.len > before;
    uint32_t len = (uint32_t)(d->wants.len - before), *fresh = MU_NEW_ARRAY(d->stack, uint32_t, len);
    for (uint32_t i = 0; i < len; i++)
        fresh[i] = (uint32_t)before + i;
    given = given && give(d, fresh, len, STEPS_ALONE, &unproved);
    bool breaks = !given || d->broken > 0;
    mu_devices_close(d);
    return (breaks ? 0 : MU_SCORE_MAX / 2) + part;
}

void mu_devices_reserve(struct mu_devices *d, uint32_t pod, const struct mu_pod_claims *claims, uint32_t node) {
    bool unproved = false;
    mu_devices_open(d, pod);
    if (!give_pod(d, claims, node, pod, 0, &unproved))
        d->lack = true;
}

void mu_devices_unreserve(struct mu_devices *d, uint32_t pod) {
    if (d->frames.len && d->frames.items[d->frames.len - 1].pod == pod)
        mu_devices_close(d);
}

bool mu_devices_lack(const struct mu_devices *d) {
    return d->lack;
}

static void repeat_claim(struct mu_devices *d, uint32_t pod, const struct mu_plan_claim *claim, uint32_t node) {
    uint32_t index = MU_NO_SLOT;
    if (!claim->of_extended) {
        index = mu_devices_state(d, claim->claim);
        if (d->states.items[index].allocated)
            return;
        mu_devices_save_state(d, index);
        d->states.items[index].allocated = true;
        d->states.items[index].want = (uint32_t)d->wants.len;
    }
    uint32_t at = want_new(d, claim->claim, index, claim->of_extended ? pod : MU_NO_SLOT, node);
    struct mu_want *want = &d->wants.items[at];
    want->granted = true;
    want->grant = (struct mu_grant){.results = claim->results,
                                    .configs = claim->configs,
                                    .node_terms = claim->node_terms,
                                    .results_len = claim->results_len,
                                    .configs_len = claim->configs_len,
                                    .node_terms_len = claim->node_terms_len,
                                    .has_node_selector = claim->has_node_selector};
    mu_alloc_hold(d->alloc, want->claim, d->queue, want->grant.results, want->grant.results_len);
    mu_devices_charge_node(d, want, -1);
}

void mu_devices_repeat(struct mu_devices *d, uint32_t pod, const struct mu_plan_claim *claims, uint32_t len,
                       uint32_t node) {
    mu_devices_open(d, pod);
    for (uint32_t i = 0; i < len; i++)
        if (claims[i].is_new)
            repeat_claim(d, pod, &claims[i], node);
}
