/* What a plan says of devices, and which stale allocations a group gives up; see devices.h. */
#include "scheduler/core/devices_internal.h"
#include "scheduler/devices/share_id.h"
#include <stdlib.h>

/* ------------------------------------------------------------------ what claims have */

static const void *copy(struct mu_arena *arena, const void *items, size_t bytes) {
    void *ret = mu_arena_alloc(arena, bytes, alignof(max_align_t));
    if (bytes)
        memcpy(ret, items, bytes);
    return ret;
}

/* The allocator names shares with what is known of the claim; symbols of it are made here, where one plan is made. */
static const struct mu_device_result *copy_results(struct mu_devices *d, const struct mu_claim *claim,
                                                   const struct mu_grant *grant, struct mu_arena *arena) {
    struct mu_device_result *results = MU_NEW_ARRAY(arena, struct mu_device_result, grant->results_len);
    for (uint32_t i = 0; i < grant->results_len; i++) {
        results[i] = grant->results[i];
        results[i].consumed = copy(arena, results[i].consumed, results[i].consumed_len * sizeof *results[i].consumed);
        if (!results[i].shared || results[i].share_id)
            continue;
        char text[MU_UUID_CHARS + 1];
        mu_share_id(d->s->symbols, claim, results[i].request, i, arena, text);
        results[i].share_id = mu_intern(d->s->symbols, mu_str_from(text));
    }
    return results;
}

static bool same_consumed(const struct mu_device_result *a, const struct mu_device_result *b) {
    if (a->consumed_len != b->consumed_len)
        return false;
    for (uint32_t i = 0; i < a->consumed_len; i++)
        if (a->consumed[i].name != b->consumed[i].name || a->consumed[i].value.nano != b->consumed[i].value.nano)
            return false;
    return true;
}

/* Was the claim given what it has already? */
static bool is_as_before(const struct mu_claim *claim, const struct mu_grant *grant) {
    if (!claim->allocated || claim->results_len != grant->results_len)
        return false;
    for (uint32_t i = 0; i < grant->results_len; i++) {
        const struct mu_device_result *a = &claim->results[i], *b = &grant->results[i];
        if (a->request != b->request || a->driver != b->driver || a->pool != b->pool || a->device != b->device ||
            !same_consumed(a, b))
            return false;
    }
    return true;
}

static struct mu_plan_claim planned(struct mu_devices *d, const struct mu_claim *claim, const struct mu_grant *grant,
                                    struct mu_arena *arena) {
    bool as_before = is_as_before(claim, grant);
    if (as_before)
        grant = mu_devices_first_grant(d, claim);
    struct mu_plan_claim ret = {.claim = claim,
                                .is_new = !as_before,
                                .results = grant->results,
                                .configs = grant->configs,
                                .node_terms = grant->node_terms,
                                .results_len = grant->results_len,
                                .configs_len = grant->configs_len,
                                .node_terms_len = grant->node_terms_len,
                                .has_node_selector = grant->has_node_selector};
    if (as_before)
        return ret;
    ret.results = copy_results(d, claim, grant, arena);
    ret.configs = copy(arena, grant->configs, grant->configs_len * sizeof *grant->configs);
    ret.node_terms = copy(arena, grant->node_terms, grant->node_terms_len * sizeof *grant->node_terms);
    return ret;
}

/* The claim that is made for the pod's extended resources, under the name that it will begin with. */
static const struct mu_claim *named_claim(struct mu_devices *d, const struct mu_want *want, struct mu_arena *arena) {
    const struct mu_pod *pod = d->s->pods[want->pod].pod;
    struct mu_claim *claim = MU_NEW(arena, struct mu_claim);
    *claim = *want->claim;
    claim->meta.namespace = pod->meta.namespace;
    claim->meta.name = mu_intern(d->s->symbols, mu_str_printf(arena, MU_STR_FMT "-extended-resources-*",
                                                              MU_STR_ARG(mu_text(d->s->symbols, pod->meta.name))));
    return claim;
}

static const struct mu_want *extended_want(const struct mu_devices *d, uint32_t pod) {
    for (size_t w = d->settled; w < d->wants.len; w++)
        if (d->wants.items[w].pod == pod)
            return &d->wants.items[w];
    return NULL;
}

const struct mu_plan_claim *mu_devices_plan(struct mu_devices *d, uint32_t pod, struct mu_arena *arena,
                                            uint32_t *ret_len) {
    const struct mu_pod_claims *claims = d->s->pods[pod].claims;
    struct mu_plan_claim *list = MU_NEW_ARRAY(arena, struct mu_plan_claim, claims->len + 1);
    uint32_t len = 0;
    for (uint32_t i = 0; i < claims->len; i++) {
        const struct mu_grant *grant = mu_devices_grant(d, claims->items[i].claim);
        if (grant)
            list[len++] = planned(d, claims->items[i].claim, grant, arena);
    }
    const struct mu_want *extended = claims->extended ? extended_want(d, pod) : NULL;
    if (extended) {
        list[len] = planned(d, named_claim(d, extended, arena), &extended->grant, arena);
        list[len++].of_extended = true;
    }
    *ret_len = len;
    return list;
}

/* ------------------------------------------------------------------ stale allocations */

static uint32_t count_ready(const struct mu_unit *unit) {
    uint32_t count = unit->part ? unit->part->ready_len : 0;
    for (uint32_t i = 0; i < unit->children_len; i++)
        count += count_ready(unit->children[i]);
    return count;
}

/* The ready pods' slots, in the order of the parts. */
static void list_slots(const struct mu_devices *d, const struct mu_unit *unit, uint32_t *slots, uint32_t *len) {
    for (uint32_t i = 0; unit->part && i < unit->part->ready_len; i++)
        slots[(*len)++] = mu_snapshot_pod_slot(d->s, unit->part->ready[i]);
    for (uint32_t i = 0; i < unit->children_len; i++)
        list_slots(d, unit->children[i], slots, len);
}

static int slot_cmp(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* A claim that pods beside this group's mention is theirs too. */
static bool is_own(const struct mu_unit *unit, const struct mu_pod_claim *use) {
    uint32_t mentions = 0;
    if (use->alone)
        return true;
    for (uint32_t i = 0; i < unit->part->ready_len; i++)
        for (uint32_t k = 0; k < unit->part->ready_claims[i].len; k++)
            mentions += unit->part->ready_claims[i].items[k].claim == use->claim;
    return use->of_group || mentions >= use->mentions;
}

static uint32_t give_up_below(struct mu_devices *d, const struct mu_unit *unit, const uint32_t *slots, uint32_t len) {
    uint32_t given = 0;
    for (uint32_t i = 0; i < unit->children_len; i++)
        given += give_up_below(d, unit->children[i], slots, len);
    mu_sym group = unit->part && unit->part->object ? unit->part->object->meta.name : 0;
    for (uint32_t i = 0; unit->part && i < unit->part->ready_len; i++)
        for (uint32_t k = 0; k < unit->part->ready_claims[i].len; k++) {
            const struct mu_pod_claim *use = &unit->part->ready_claims[i].items[k];
            const struct mu_grant *grant = mu_devices_grant(d, use->claim);
            if (!grant || grant->results != use->claim->results ||
                !mu_devices_is_stale(d, use->claim, slots, len, group) || !is_own(unit, use))
                continue;
            mu_devices_give_up(d, use->claim);
            given++;
        }
    return given;
}

uint32_t mu_devices_give_up_stale(struct mu_devices *d, const struct mu_group *group) {
    uint32_t *slots = MU_NEW_ARRAY(d->stack, uint32_t, count_ready(group->root)), len = 0;
    list_slots(d, group->root, slots, &len);
    if (len)
        qsort(slots, len, sizeof *slots, slot_cmp);
    return give_up_below(d, group->root, slots, len);
}

/* ------------------------------------------------------------------ what was given up for good */

static void released_below(const struct mu_devices *d, const struct mu_unit *unit, const struct mu_claim **list,
                           uint32_t *len) {
    for (uint32_t i = 0; i < unit->children_len; i++)
        released_below(d, unit->children[i], list, len);
    for (uint32_t i = 0; unit->part && i < unit->part->ready_len; i++)
        for (uint32_t k = 0; k < unit->part->ready_claims[i].len; k++) {
            const struct mu_claim *claim = unit->part->ready_claims[i].items[k].claim;
            const struct mu_grant *grant = mu_devices_grant(d, claim);
            bool listed = false;
            for (uint32_t l = 0; l < *len; l++)
                listed |= list[l] == claim;
            if (claim->allocated && !listed && (!grant || !is_as_before(claim, grant)))
                list[(*len)++] = claim;
        }
}

static uint32_t count_claims(const struct mu_unit *unit) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < unit->children_len; i++)
        count += count_claims(unit->children[i]);
    for (uint32_t i = 0; unit->part && i < unit->part->ready_len; i++)
        count += unit->part->ready_claims[i].len;
    return count;
}

const struct mu_claim *const *mu_devices_released(const struct mu_devices *d, const struct mu_group *group,
                                                  struct mu_arena *arena, uint32_t *ret_len) {
    const struct mu_claim **list = MU_NEW_ARRAY(arena, const struct mu_claim *, count_claims(group->root));
    *ret_len = 0;
    released_below(d, group->root, list, ret_len);
    for (uint32_t i = 1; i < *ret_len; i++) { /* few, and mostly in order already */
        const struct mu_claim *claim = list[i];
        uint32_t at = i;
        for (; at && mu_sym_cmp(d->s->symbols, list[at - 1]->meta.name, claim->meta.name) > 0; at--)
            list[at] = list[at - 1];
        list[at] = claim;
    }
    return list;
}
