/* The search: claim after claim, request after request, device after device, each tried in the order of the candidates,
 * with an explicit stack of what was chosen. The first whole solution is taken, as upstream does it. */
#include "scheduler/devices/attempt.h"
#include "scheduler/devices/counters.h"
#include "scheduler/devices/identity.h"
#include "scheduler/devices/pools.h"
#include "scheduler/devices/selectors.h"
#include "scheduler/devices/sharing.h"
#include "scheduler/devices/taints.h"

enum { KNOWN_NO = 1, KNOWN_YES };

static const struct mu_ask_work *ask_at(const struct mu_attempt *a, const struct mu_position *at, uint32_t *ret) {
    const struct mu_request_work *request = &a->requests.items[a->claims[at->claim].first_request + at->request];
    *ret = request->first_ask + at->alternative;
    return &a->asks.items[*ret];
}

/* ---- Is the device free for this request ---- */

static bool taken_by_claim(const struct mu_attempt *a, uint32_t claim, uint32_t holding) {
    for (uint32_t i = a->picks_len - a->claims[claim].picks_len; i < a->picks_len; i++)
        if (a->alloc->entries[a->picks[i].entry].holding == holding && !a->picks[i].shared)
            return true;
    return false;
}

static bool is_free(const struct mu_attempt *a, uint32_t claim, const struct mu_device_ask *ask, uint32_t entry) {
    uint32_t holding = a->alloc->entries[entry].holding;
    const struct mu_holding *held = &a->alloc->holdings.items[holding];
    if (ask->admin_access)
        return !taken_by_claim(a, claim, holding);
    if (held->whole > 0 || held->admin > 0 || mu_card_is_others(a->alloc, held))
        return false;
    return held->shares == 0 || (mu_entry_shared(a->alloc, entry) && mu_sharing_allows(a, claim, ask, entry));
}

/* ---- Does it do ---- */

/* KEP-5695: the kubelet must know that it may leave out operations. */
static bool node_can_skip(const struct mu_attempt *a, uint32_t claim, uint32_t entry) {
    if (!mu_alloc_has(a->alloc, MU_ALLOC_NODE_OPERATIONS) ||
        mu_entry_slice(a->alloc, entry)->skip_node_operations_len == 0)
        return true;
    mu_sym feature = mu_symbol_find(a->alloc->input.symbols, MU_STR("DRAOptionalNodeOperations"));
    const struct mu_seat *seat = a->claims[claim].seat;
    uint32_t can = 0;
    for (uint32_t n = 0; n < seat->nodes_len; n++)
        for (uint32_t i = 0; i < seat->nodes[n]->features_len; i++)
            can += seat->nodes[n]->features[i] == feature;
    return can == seat->nodes_len;
}

static bool partition_fits(struct mu_attempt *a, const struct mu_device_ask *ask, uint32_t entry) {
    struct mu_alloc *alloc = a->alloc;
    const struct mu_device *device = alloc->entries[entry].device;
    if (device->uses_len == 0)
        return true;
    if (!mu_alloc_has(alloc, MU_ALLOC_PARTITIONABLE))
        return false;
    /* A pool with groups is not understood without the feature for them: none of its partitions is safe. */
    bool groups = mu_alloc_has(alloc, MU_ALLOC_COMPATIBILITY_GROUPS);
    if (!groups && alloc->pools[alloc->slices[alloc->entries[entry].slice].pool].grouped)
        return false;
    const struct mu_holding *held = &alloc->holdings.items[alloc->entries[entry].holding];
    /* One more share of a device in use takes no more counters. */
    if (ask->admin_access || held->whole + held->shares > 0)
        return true;
    return (!groups || mu_groups_allow(alloc, entry)) && mu_counters_allow(alloc, entry);
}

/* What all derived attributes of one claim may cost together (upstream: DeviceClaimDerivedAttributeCELMaxCost). */
#define DERIVED_COST_MAX INT64_C(1000000)

/* False where the claim's derived attributes cost too much by now. Each is counted once for each device. */
static bool pay_for_derived(struct mu_attempt *a, uint32_t claim, mu_sym expression, uint32_t entry, int64_t cost) {
    uint32_t *key = MU_NEW_ARRAY(a->scratch, uint32_t, 3);
    key[0] = claim;
    key[1] = expression;
    key[2] = entry;
    struct mu_str bytes = {(const char *)key, 3 * sizeof *key};
    if (a->derived.arena == NULL)
        mu_map_init(&a->derived, a->scratch, 1);
    if (!mu_map_get(&a->derived, bytes, NULL)) {
        mu_map_put(&a->derived, bytes, 1);
        a->claims[claim].derived_cost +=
            cost < DERIVED_COST_MAX ? cost : DERIVED_COST_MAX; /* few enough not to overflow */
    }
    return a->claims[claim].derived_cost <= DERIVED_COST_MAX;
}

static const struct mu_device_attribute *derive(struct mu_attempt *a, uint32_t claim, const struct mu_ask_work *ask,
                                                const struct mu_derived_attribute *derived, uint32_t entry,
                                                bool *ret_fault) {
    struct mu_str why;
    int64_t cost = 0;
    const struct mu_device_attribute *value = mu_derive(a->alloc, derived->expression, entry, &cost, &why);
    if (value != NULL && pay_for_derived(a, claim, derived->expression, entry, cost))
        return value;
    if (value != NULL)
        why = MU_STR("the claim's derived attributes cost more than may be spent on a claim");
    struct mu_str name = mu_text(a->alloc->input.symbols, derived->name), path = mu_device_path(a, entry);
    mu_fault(a, MU_ALLOC_FAULT_DERIVED, claim, ask,
             "derived attribute " MU_STR_FMT " of device " MU_STR_FMT ": " MU_STR_FMT, MU_STR_ARG(name),
             MU_STR_ARG(path), MU_STR_ARG(why));
    a->fault->this_node = true;
    *ret_fault = true;
    return NULL;
}

/* The attribute of a constraint: derived ones of the request come before published ones. *ret_fault: it cannot be
 * worked out. */
static const struct mu_device_attribute *attribute_of(struct mu_attempt *a, uint32_t claim,
                                                      const struct mu_ask_work *ask, const struct mu_limit_on *limit,
                                                      uint32_t entry, bool *ret_fault) {
    bool derives = mu_alloc_has(a->alloc, MU_ALLOC_DERIVED_ATTRIBUTES);
    for (uint32_t i = 0; derives && i < ask->ask->derived_len; i++) {
        const struct mu_derived_attribute *derived = &ask->ask->derived[i];
        if (derived->name != limit->constraint->attribute)
            continue;
        return derive(a, claim, ask, derived, entry, ret_fault);
    }
    return mu_constraint_attribute(a->alloc, limit, entry);
}

/* The claim's constraints, with the device's attributes kept in the pick: 1 they hold, 0 they do not, -1 a fault. */
static int constraints_hold(struct mu_attempt *a, const struct mu_ask_work *ask, struct mu_pick *pick) {
    const struct mu_claim_work *claim = &a->claims[pick->claim];
    bool lists = mu_alloc_has(a->alloc, MU_ALLOC_LIST_ATTRIBUTES);
    for (uint32_t c = 0; c < claim->claim->constraints_len; c++) {
        const struct mu_limit_on *limit = &claim->limits[c];
        pick->attributes[c] = NULL;
        if (!mu_constraint_applies(limit, ask->request, ask->full_name))
            continue;
        bool fault = false;
        const struct mu_device_attribute *attribute = attribute_of(a, pick->claim, ask, limit, pick->entry, &fault);
        if (fault)
            return -1;
        const struct mu_device_attribute *others[MU_LIMIT_CLAIM_DEVICES];
        uint32_t len = 0;
        for (uint32_t i = a->picks_len - claim->picks_len; i < a->picks_len; i++)
            if (a->picks[i].attributes[c] != NULL)
                others[len++] = a->picks[i].attributes[c];
        if (!mu_constraint_allows(limit, lists, attribute, others, len))
            return 0;
        pick->attributes[c] = attribute;
    }
    return 1;
}

static int all_constraint_fault(struct mu_attempt *a, const struct mu_ask_work *ask, const struct mu_pick *pick) {
    struct mu_str path = mu_device_path(a, pick->entry);
    const struct mu_slice *slice = mu_entry_slice(a->alloc, pick->entry);
    mu_fault(a, MU_ALLOC_FAULT_ALL_CONSTRAINT, pick->claim, ask,
             "asks for all devices, but a constraint of the claim keeps out device " MU_STR_FMT, MU_STR_ARG(path));
    a->fault->driver = slice->driver;
    a->fault->pool = slice->pool;
    a->fault->device = a->alloc->entries[pick->entry].device->name;
    a->fault->this_node = true;
    return -1;
}

/* ---- Picking and putting back ---- */

/* The slot for one more pick, with its memory. */
static struct mu_pick *next_pick(struct mu_attempt *a, uint32_t claim, uint32_t ask, uint32_t entry) {
    struct mu_pick *pick = &a->picks[a->picks_len];
    if (pick->attributes == NULL)
        pick->attributes = MU_NEW_ARRAY(a->scratch, const struct mu_device_attribute *, a->limits_max);
    const struct mu_device *device = a->alloc->entries[entry].device;
    pick->claim = claim;
    pick->ask = ask;
    pick->entry = entry;
    pick->shared = mu_entry_shared(a->alloc, entry);
    pick->admin = a->asks.items[ask].ask->admin_access;
    pick->consumed_len = 0;
    if (pick->shared && pick->consumed_size < device->capacity_len) {
        pick->consumed = MU_NEW_ARRAY(a->scratch, struct mu_named_quantity, device->capacity_len);
        pick->consumed_size = device->capacity_len;
    }
    return pick;
}

static struct mu_sharer sharer_of(const struct mu_attempt *a, const struct mu_pick *pick) {
    const struct mu_claim_work *claim = &a->claims[pick->claim];
    return mu_sharer(a->alloc, claim->claim, claim->queue, a->asks.items[pick->ask].ask->class);
}

static void take(struct mu_attempt *a, struct mu_pick *pick) {
    const struct mu_entry *entry = &a->alloc->entries[pick->entry];
    for (uint32_t i = 0; pick->shared && i < entry->device->capacity_len; i++) {
        if (a->amounts[i] >= 0) {
            pick->consumed[pick->consumed_len].name = entry->device->capacity[i].name;
            pick->consumed[pick->consumed_len++].value = (struct mu_quantity){a->amounts[i], false};
        }
    }
    /* Takes the memory that it needs before it changes anything. */
    if (!pick->admin)
        mu_holding_take(a->alloc, entry->holding, pick->shared, pick->consumed, pick->consumed_len);
    else if (!pick->shared)
        a->alloc->holdings.items[entry->holding].admin++;
    if (!pick->admin && pick->shared)
        mu_sharers_add(a->alloc, entry->holding, sharer_of(a, pick));
    a->picks_len++;
    a->claims[pick->claim].picks_len++;
}

static void put_back(struct mu_attempt *a) {
    const struct mu_pick *pick = &a->picks[--a->picks_len];
    uint32_t holding = a->alloc->entries[pick->entry].holding;
    a->claims[pick->claim].picks_len--;
    if (!pick->admin && pick->shared)
        mu_sharers_remove(a->alloc, holding, sharer_of(a, pick));
    if (!pick->admin)
        mu_holding_give(a->alloc, holding, pick->shared, pick->consumed, pick->consumed_len);
    else if (!pick->shared)
        a->alloc->holdings.items[holding].admin--;
}

/* Takes a device that is free and selectable: 1 done, 0 it does not do, -1 a fault. `must`: this one or none. */
static int pick_device(struct mu_attempt *a, uint32_t claim, uint32_t ask_index, uint32_t entry, bool must) {
    const struct mu_ask_work *ask = &a->asks.items[ask_index];
    if (!node_can_skip(a, claim, entry) || !partition_fits(a, ask->ask, entry))
        return 0;
    if (mu_alloc_has(a->alloc, MU_ALLOC_TAINTS) && mu_taints_forbid(a->alloc, entry, ask->ask))
        return 0;
    struct mu_pick *pick = next_pick(a, claim, ask_index, entry);
    int ok = constraints_hold(a, ask, pick);
    if (ok <= 0)
        return ok == 0 && must ? all_constraint_fault(a, ask, pick) : ok;
    /* Of a candidate among many this was asked first. */
    if (must && mu_alloc_has(a->alloc, MU_ALLOC_CONSUMABLE_CAPACITY)) {
        ok = mu_capacity_fits(a, claim, ask, entry, true);
        if (ok <= 0)
            return ok;
    }
    take(a, pick);
    return 1;
}

/* One candidate for a request that wants a number of devices: 1 picked, 0 not this one, -1 a fault. */
static int try_candidate(struct mu_attempt *a, uint32_t claim, uint32_t ask_index, uint32_t candidate) {
    struct mu_ask_work *ask = &a->asks.items[ask_index];
    uint32_t entry = a->claims[claim].seat->candidates[candidate];
    if (ask->known[candidate] == KNOWN_NO || !is_free(a, claim, ask->ask, entry))
        return 0;
    if (ask->known[candidate] == 0) {
        int ok = mu_selectable(a, claim, ask, entry);
        if (ok < 0)
            return -1;
        ask->known[candidate] = ok > 0 ? KNOWN_YES : KNOWN_NO;
        if (ok == 0)
            return 0;
    }
    if (mu_alloc_has(a->alloc, MU_ALLOC_CONSUMABLE_CAPACITY)) {
        int ok = mu_capacity_fits(a, claim, ask, entry, true);
        if (ok <= 0)
            return ok;
    }
    return pick_device(a, claim, ask_index, entry, false);
}

/* ---- The stack ---- */

/* The frame in which the claim before this one, which asks alike, chose its first device; NULL: there is none. Of claims
 * that ask alike it does not matter which gets what, so that the later one starts where the earlier one is. */
static const struct mu_frame *first_of_twin(const struct mu_attempt *a, const struct mu_position *at) {
    if (!a->claims[at->claim].twin || at->request > 0)
        return NULL;
    for (size_t i = a->frames.len; i-- > 0 && a->frames.items[i].at.claim + 1 >= at->claim;) {
        const struct mu_frame *frame = &a->frames.items[i];
        if (frame->at.claim + 1 == at->claim && frame->at.request == 0 && frame->at.device == 0)
            return frame->picked && !frame->chooses_alternative ? frame : NULL;
    }
    return NULL;
}

/* Devices of a request are combinations, not permutations: the next one comes after this. Shares may be taken of one
 * device again and again. */
static uint32_t first_candidate(const struct mu_attempt *a, const struct mu_position *at) {
    const struct mu_seat *seat = a->claims[at->claim].seat;
    const struct mu_frame *before = at->device == 0 ? first_of_twin(a, at) : &a->frames.items[a->frames.len - 1];
    if (before == NULL)
        return 0;
    bool shared = mu_entry_shared(a->alloc, seat->candidates[before->next - 1]);
    return shared ? before->next - 1 : before->next;
}

static void push(struct mu_attempt *a, const struct mu_position *at, bool chooses_alternative) {
    uint32_t ask;
    struct mu_frame frame = {.at = *at, .chooses_alternative = chooses_alternative, .all_too_many = true};
    if (!chooses_alternative && ask_at(a, at, &ask)->ask->mode == MU_DEVICES_EXACT)
        frame.next = first_candidate(a, at);
    MU_VEC_PUSH(a->scratch, &a->frames, frame);
}

/* Goes on from *at to the next position where there is something to choose, and leaves *at there. */
static enum mu_verdict_of_search go_on(struct mu_attempt *a, struct mu_position *at) {
    while (at->claim < a->claims_len) {
        if (at->request >= a->claims[at->claim].requests_len) {
            *at = (struct mu_position){.claim = at->claim + 1};
            continue;
        }
        const struct mu_request_work *request = &a->requests.items[a->claims[at->claim].first_request + at->request];
        if (request->alternatives && !at->inside) {
            push(a, at, true);
            return MU_SEARCH_GO;
        }
        uint32_t index;
        const struct mu_ask_work *ask = ask_at(a, at, &index);
        if (ask->ask->mode == MU_DEVICES_ALL && ask->devices == 0)
            return MU_SEARCH_FAILED;
        if (at->device >= ask->devices) {
            *at = (struct mu_position){.claim = at->claim, .request = at->request + 1};
            continue;
        }
        if (ask->devices - at->device > MU_LIMIT_CLAIM_DEVICES - (int64_t)a->claims[at->claim].picks_len)
            return MU_SEARCH_TOO_MANY;
        push(a, at, false);
        return MU_SEARCH_GO;
    }
    return MU_SEARCH_FOUND;
}

/* Too many devices for one claim ends all tries for what stands before in that claim; for the claims before it is no
 * more than a failure, as other choices there may leave it alternatives with fewer devices. */
static enum mu_verdict_of_search descend(struct mu_attempt *a, struct mu_position at) {
    uint32_t claim = at.claim;
    enum mu_verdict_of_search verdict = go_on(a, &at);
    return verdict == MU_SEARCH_TOO_MANY && at.claim != claim ? MU_SEARCH_FAILED : verdict;
}

static enum mu_verdict_of_search leave(struct mu_attempt *a, enum mu_verdict_of_search verdict) {
    uint32_t claim = a->frames.items[--a->frames.len].at.claim;
    bool same = a->frames.len > 0 && a->frames.items[a->frames.len - 1].at.claim == claim;
    return verdict == MU_SEARCH_TOO_MANY && !same ? MU_SEARCH_FAILED : verdict;
}

static bool out_of_steps(struct mu_attempt *a) {
    return ++a->steps > a->budget;
}

/* Where the frame stops looking. In a long search it does so where too few candidates are left for what its request
 * still wants; a short one looks at each, as upstream does, since a selector may fail for it. */
static uint32_t last_candidate(const struct mu_attempt *a, const struct mu_ask_work *ask,
                               const struct mu_frame *frame) {
    int64_t after = ask->devices - frame->at.device - 1;
    uint32_t all = a->claims[frame->at.claim].seat->candidates_len;
    if (!a->shares && a->hurries && after > 0)
        return after < all ? all - (uint32_t)after : 0;
    return all;
}

/* The frame's next device: GO where one was picked. */
static enum mu_verdict_of_search choose_device(struct mu_attempt *a, struct mu_frame *frame) {
    uint32_t index;
    const struct mu_ask_work *ask = ask_at(a, &frame->at, &index);
    uint32_t claim = frame->at.claim;
    int ok = 0;
    if (ask->ask->mode == MU_DEVICES_ALL) {
        if (frame->next++ > 0) /* of all devices each has its place: there is no other choice */
            return MU_SEARCH_FAILED;
        if (out_of_steps(a))
            return MU_SEARCH_STOPPED;
        uint32_t entry = ask->all[frame->at.device];
        bool reached = mu_seat_reaches(a, a->claims[claim].seat, entry);
        ok = reached && is_free(a, claim, ask->ask, entry) ? pick_device(a, claim, index, entry, true) : 0;
    } else {
        uint32_t last = last_candidate(a, ask, frame);
        while (ok == 0 && frame->next < last) {
            if (out_of_steps(a))
                return MU_SEARCH_STOPPED;
            ok = try_candidate(a, claim, index, frame->next++);
        }
    }
    frame->picked = ok > 0;
    return ok > 0 ? MU_SEARCH_GO : ok == 0 ? MU_SEARCH_FAILED : MU_SEARCH_STOPPED;
}

/* The newest frame chooses anew; `verdict` is what came of its last choice, GO at first. */
static enum mu_verdict_of_search step_device(struct mu_attempt *a, enum mu_verdict_of_search verdict) {
    struct mu_frame *frame = &a->frames.items[a->frames.len - 1];
    if (frame->picked) {
        put_back(a);
        frame->picked = false;
    }
    if (verdict == MU_SEARCH_TOO_MANY)
        return leave(a, verdict);
    verdict = choose_device(a, frame);
    if (verdict == MU_SEARCH_FAILED)
        return leave(a, verdict);
    struct mu_position next = frame->at;
    next.device++;
    return verdict == MU_SEARCH_GO ? descend(a, next) : verdict;
}

static enum mu_verdict_of_search step_alternative(struct mu_attempt *a, enum mu_verdict_of_search verdict) {
    struct mu_frame *frame = &a->frames.items[a->frames.len - 1];
    struct mu_request_work *request = &a->requests.items[a->claims[frame->at.claim].first_request + frame->at.request];
    if (verdict != MU_SEARCH_GO)
        frame->at.alternative++;
    if (verdict == MU_SEARCH_FAILED)
        frame->all_too_many = false;
    if (frame->at.alternative >= request->asks_len)
        return leave(a, frame->all_too_many ? MU_SEARCH_TOO_MANY : MU_SEARCH_FAILED);
    request->chosen = frame->at.alternative;
    struct mu_position inside = frame->at;
    inside.inside = true;
    return descend(a, inside);
}

static enum mu_verdict_of_search search_for(struct mu_attempt *a, int64_t steps) {
    a->budget = steps;
    enum mu_verdict_of_search verdict = descend(a, (struct mu_position){0});
    while (a->frames.len > 0 && verdict != MU_SEARCH_FOUND && verdict != MU_SEARCH_STOPPED) {
        bool alternative = a->frames.items[a->frames.len - 1].chooses_alternative;
        verdict = alternative ? step_alternative(a, verdict) : step_device(a, verdict);
    }
    return verdict;
}

/* ---- Searches that take long ---- */

bool mu_could_serve(struct mu_attempt *a, uint32_t claim, const struct mu_ask_work *ask, uint32_t entry) {
    if (!is_free(a, claim, ask->ask, entry) || !node_can_skip(a, claim, entry) || !partition_fits(a, ask->ask, entry))
        return false;
    if (mu_alloc_has(a->alloc, MU_ALLOC_TAINTS) && mu_taints_forbid(a->alloc, entry, ask->ask))
        return false;
    int ok = mu_selectable(a, claim, ask, entry);
    if (ok > 0 && mu_alloc_has(a->alloc, MU_ALLOC_CONSUMABLE_CAPACITY))
        ok = mu_capacity_fits(a, claim, ask, entry, true);
    if (ok < 0)
        *a->fault = (struct mu_alloc_fault){.claim = MU_NO_INDEX};
    return ok != 0;
}

static bool ask_is_hopeless(struct mu_attempt *a, uint32_t claim, const struct mu_ask_work *ask) {
    if (ask->ask->mode == MU_DEVICES_ALL)
        return ask->devices == 0;
    int64_t found = 0;
    const struct mu_seat *seat = a->claims[claim].seat;
    for (uint32_t i = 0; i < seat->candidates_len && found < ask->devices; i++) {
        if (!mu_could_serve(a, claim, ask, seat->candidates[i]))
            continue;
        if (mu_entry_shared(a->alloc, seat->candidates[i]))
            return false; /* it may serve again and again */
        found++;
    }
    return found < ask->devices;
}

/* A request for which there is too little, even if it were the only one. */
static bool is_hopeless(struct mu_attempt *a) {
    for (uint32_t c = 0; c < a->claims_len; c++) {
        for (uint32_t r = 0; r < a->claims[c].requests_len; r++) {
            const struct mu_request_work *request = &a->requests.items[a->claims[c].first_request + r];
            bool hopeless = true;
            for (uint32_t i = 0; hopeless && i < request->asks_len; i++)
                hopeless = ask_is_hopeless(a, c, &a->asks.items[request->first_ask + i]);
            if (hopeless)
                return true;
        }
    }
    return false;
}

static void put_all_back(struct mu_attempt *a) {
    while (a->picks_len > 0)
        put_back(a);
    a->frames.len = 0;
}

static enum mu_verdict_of_search search(struct mu_attempt *a) {
    int64_t budget = a->budget;
    if (a->packed) {
        a->hurries = true;
        return is_hopeless(a) || mu_is_crowded(a) ? MU_SEARCH_FAILED : search_for(a, budget);
    }
    enum mu_verdict_of_search verdict = search_for(a, budget < a->cut_after ? budget : a->cut_after);
    if (verdict != MU_SEARCH_STOPPED || a->fault->kind != MU_ALLOC_FAULT_NONE || budget <= a->cut_after)
        return verdict;
    put_all_back(a);
    if (is_hopeless(a))
        return MU_SEARCH_FAILED;
    a->hurries = true;
    return search_for(a, budget);
}

/* ---- An attempt ---- */

static void make_room(struct mu_attempt *a) {
    uint32_t capacities = 0;
    for (uint32_t s = 0; s < a->seats_len; s++)
        for (uint32_t i = 0; i < a->seats[s].candidates_len; i++) {
            uint32_t entry = a->seats[s].candidates[i], len = a->alloc->entries[entry].device->capacity_len;
            capacities = len > capacities ? len : capacities;
            a->shares = a->shares || mu_entry_shared(a->alloc, entry);
        }
    a->amounts = MU_NEW_ARRAY(a->scratch, mu_i128, capacities);
    a->picks = MU_NEW_ARRAY(a->scratch, struct mu_pick, (size_t)a->claims_len * MU_LIMIT_CLAIM_DEVICES);
}

static bool meets_invalid_pools(const struct mu_attempt *a) {
    for (uint32_t s = 0; s < a->seats_len; s++)
        if (a->seats[s].view->invalid)
            return true;
    return false;
}

/* Where nothing was found though a pool is invalid, that is what to say: its devices might have done. */
static void judge(struct mu_attempt *a, enum mu_verdict_of_search verdict, struct mu_alloc_answer *ret) {
    if (verdict == MU_SEARCH_FOUND) {
        ret->outcome = MU_ALLOC_FOUND;
        ret->claims = mu_results_of(a);
        ret->broken = mu_count_broken(a);
    } else if (verdict == MU_SEARCH_STOPPED) {
        ret->outcome = a->fault->kind != MU_ALLOC_FAULT_NONE ? MU_ALLOC_FAULT : MU_ALLOC_OUT_OF_STEPS;
    } else if (meets_invalid_pools(a)) {
        mu_fault(a, MU_ALLOC_FAULT_POOLS_INVALID, MU_NO_INDEX, NULL, "invalid resource pools were met");
        a->fault->this_node = true;
        ret->outcome = MU_ALLOC_FAULT;
    } else {
        ret->outcome = MU_ALLOC_NONE;
    }
}

static void run(struct mu_attempt *a, struct mu_alloc_answer *ret) {
    make_room(a);
    enum mu_verdict_of_search verdict = MU_SEARCH_STOPPED;
    if (mu_requests_lay_out(a))
        verdict = search(a);
    judge(a, verdict, ret);
    ret->steps = a->steps;
}

void mu_attempt_settle(struct mu_alloc *alloc) {
    if (alloc->open != NULL)
        put_all_back(alloc->open);
    alloc->open = NULL;
    mu_arena_rollback(alloc->attempt_arena, alloc->attempt_begin);
    mu_arena_rollback(alloc->scratch, alloc->scratch_begin);
}

void mu_alloc_try(struct mu_alloc *alloc, const struct mu_alloc_want *wants, uint32_t wants_len,
                  const struct mu_alloc_options *options, struct mu_arena *arena, struct mu_alloc_answer *ret) {
    mu_attempt_settle(alloc);
    *ret = (struct mu_alloc_answer){.fault = {.claim = MU_NO_INDEX}};
    struct mu_attempt *a = MU_NEW(alloc->attempt_arena, struct mu_attempt);
    *a = (struct mu_attempt){
        .alloc = alloc,
        .arena = arena,
        .scratch = alloc->attempt_arena,
        .budget = options != NULL && options->steps > 0 ? options->steps : MU_ALLOC_STEPS,
        .cut_after = options != NULL && options->cut_after > 0 ? options->cut_after : MU_ALLOC_CUT_AFTER,
        .packed = options != NULL && options->packed,
        .fault = &ret->fault,
    };
    alloc->open = a;
    mu_seats_lay_out(a, wants, wants_len, options);
    run(a, ret);
    mu_attempt_settle(alloc);
}

void mu_alloc_try_node(struct mu_alloc *alloc, const struct mu_node *node, const struct mu_claim *const *claims,
                       uint32_t claims_len, const struct mu_alloc_options *options, struct mu_arena *arena,
                       struct mu_alloc_answer *ret) {
    struct mu_alloc_want *wants = MU_NEW_ARRAY(arena, struct mu_alloc_want, claims_len);
    const struct mu_node **nodes = MU_NEW(arena, const struct mu_node *);
    *nodes = node;
    for (uint32_t i = 0; i < claims_len; i++)
        wants[i] = (struct mu_alloc_want){.claim = claims[i], .nodes = nodes, .nodes_len = 1};
    mu_alloc_try(alloc, wants, claims_len, options, arena, ret);
}

const struct mu_alloc_candidate *mu_alloc_candidates(struct mu_alloc *alloc, const struct mu_node *node,
                                                     struct mu_arena *arena, uint32_t *ret_len) {
    mu_attempt_settle(alloc);
    const uint32_t *entries = mu_list_candidates(alloc, mu_view_of(alloc, node), alloc->attempt_arena, ret_len);
    struct mu_alloc_candidate *ret = MU_NEW_ARRAY(arena, struct mu_alloc_candidate, *ret_len);
    for (uint32_t i = 0; i < *ret_len; i++) {
        const struct mu_holding *held = &alloc->holdings.items[alloc->entries[entries[i]].holding];
        ret[i] = (struct mu_alloc_candidate){mu_entry_slice(alloc, entries[i]), alloc->entries[entries[i]].device,
                                             held->whole, held->shares};
    }
    mu_attempt_settle(alloc);
    return ret;
}
