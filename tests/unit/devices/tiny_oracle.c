/* Tiny worlds: making them, and the oracle. */
#include "tests/unit/devices/tiny.h"
#include <string.h>

/* ---- Making ---- */

static int below(struct mu_random *random, int bound) {
    return (int)mu_random_below(random, (uint64_t)bound);
}

static bool one_in(struct mu_random *random, int n) {
    return below(random, n) == 0;
}

static void make_device(struct mu_random *random, struct tiny_device *ret) {
    *ret = (struct tiny_device){.kind = below(random, 2), .set = -1, .list = one_in(random, 3)};
    if (!one_in(random, 5))
        ret->numa = ret->list ? 1u + (unsigned)below(random, 7) : 1u << below(random, 3);
    ret->tainted = one_in(random, 5);
    ret->shared = one_in(random, 3);
    ret->capacity = 2 + below(random, 7);
    ret->policy = (enum tiny_policy)below(random, TINY_POLICY_COUNT);
    if (one_in(random, 2)) {
        ret->set = one_in(random, 4) ? 1 : 0;
        ret->takes = 1 + below(random, 2);
        /* One or two of three: pairs of devices may go together where three do not. */
        ret->groups = one_in(random, 2) ? 1u + (unsigned)below(random, 6) : 0;
    }
}

static void make_ask(struct mu_random *random, struct tiny_ask *ret) {
    ret->kind = below(random, 3) - 1;
    ret->all = one_in(random, 8);
    ret->tolerates = one_in(random, 2);
    ret->count = 1 + below(random, 2);
    ret->amount = below(random, 8) - 1;
}

static void make_claim(struct mu_random *random, struct tiny_claim *ret) {
    ret->requests_len = 1 + below(random, TINY_REQUESTS);
    for (int r = 0; r < ret->requests_len; r++) {
        struct tiny_request *request = &ret->requests[r];
        request->alternatives = one_in(random, 3);
        request->asks_len = request->alternatives ? 1 + below(random, TINY_ALTERNATIVES) : 1;
        for (int i = 0; i < request->asks_len; i++)
            make_ask(random, &request->asks[i]);
    }
    ret->constrained = one_in(random, 2);
    ret->distinct = one_in(random, 2);
    ret->about = one_in(random, 2) ? -1 : below(random, ret->requests_len);
}

/* What is held already keeps the rules: what breaks them is left free. */
static void hold_some(struct mu_random *random, struct tiny_world *world) {
    for (int d = 0; d < world->devices_len; d++) {
        world->devices[d].held = !world->devices[d].shared && one_in(random, 5);
        if (!tiny_valid(world, NULL, 0))
            world->devices[d].held = false;
    }
}

void tiny_make(struct mu_random *random, struct tiny_world *ret) {
    memset(ret, 0, sizeof *ret);
    ret->devices_len = 1 + below(random, TINY_DEVICES);
    for (int i = 0; i < ret->devices_len; i++)
        make_device(random, &ret->devices[i]);
    for (int s = 0; s < TINY_SETS; s++)
        ret->counters[s] = 2 + below(random, 4);
    ret->claims_len = 1 + below(random, TINY_CLAIMS);
    for (int c = 0; c < ret->claims_len; c++)
        make_claim(random, &ret->claims[c]);
    hold_some(random, ret);
}

/* ---- The rules ---- */

/* What a share takes: -1 where the policy forbids it. Policies: steps of 2 from 2 to 6 and 2 by default; 1, 3 or 5, and
 * 1 by default. */
static int share_of(const struct tiny_device *device, int amount) {
    static const int steps[] = {2, 2, 2, 4, 4, 6, 6}, values[] = {1, 1, 3, 3, 5, 5};
    switch (device->policy) {
    case TINY_POLICY_STEPS:
        return amount < 0 ? 2 : amount > 6 ? -1 : steps[amount];
    case TINY_POLICY_VALUES:
        return amount < 0 ? 1 : amount > 5 ? -1 : values[amount];
    case TINY_POLICY_NONE:
    case TINY_POLICY_COUNT:
        break;
    }
    return amount < 0 ? device->capacity : amount;
}

static const struct tiny_ask *ask_of(const struct tiny_world *world, const struct tiny_slot *slot) {
    return &world->claims[slot->claim].requests[slot->request].asks[slot->ask];
}

static bool selects(const struct tiny_ask *ask, const struct tiny_device *device) {
    return ask->kind < 0 || ask->kind == device->kind;
}

/* A device that somebody uses: held, or in a slot. */
static bool used(const struct tiny_world *world, const struct tiny_slot *slots, int len, int device) {
    bool is = world->devices[device].held;
    for (int i = 0; i < len; i++)
        is = is || slots[i].device == device;
    return is;
}

static bool device_valid(const struct tiny_world *world, const struct tiny_slot *slots, int len, int index) {
    const struct tiny_device *device = &world->devices[index];
    int users = 0, taken = 0;
    for (int i = 0; i < len; i++) {
        if (slots[i].device != index)
            continue;
        const struct tiny_ask *ask = ask_of(world, &slots[i]);
        int share = share_of(device, ask->amount);
        /* Policies bind whoever takes the device, whole or in part. */
        if (!selects(ask, device) || (device->tainted && !ask->tolerates) || share < 0 || share > device->capacity)
            return false;
        users++;
        taken += share;
    }
    if (users == 0)
        return true;
    return device->shared ? taken <= device->capacity : users == 1 && !device->held;
}

static bool set_valid(const struct tiny_world *world, const struct tiny_slot *slots, int len, int set) {
    int taken = 0, members = 0, plain = 0;
    unsigned common = ~0u;
    for (int d = 0; d < world->devices_len; d++) {
        const struct tiny_device *device = &world->devices[d];
        if (device->set != set || !used(world, slots, len, d))
            continue;
        taken += device->takes;
        members++;
        plain += device->groups == 0;
        common &= device->groups;
    }
    return taken <= world->counters[set] && (plain == members || common != 0);
}

static bool constraint_valid(const struct tiny_world *world, const struct tiny_slot *slots, int len, int index) {
    const struct tiny_claim *claim = &world->claims[index];
    unsigned common = ~0u, seen = 0;
    bool any = false;
    for (int i = 0; i < len; i++) {
        if (slots[i].claim != index || (claim->about >= 0 && slots[i].request != claim->about))
            continue;
        unsigned numa = world->devices[slots[i].device].numa;
        if (numa == 0 || (claim->distinct && (seen & numa) != 0))
            return false;
        common &= numa;
        seen |= numa;
        any = true;
    }
    return claim->distinct || !any || common != 0;
}

bool tiny_valid(const struct tiny_world *world, const struct tiny_slot *slots, int len) {
    for (int d = 0; d < world->devices_len; d++)
        if (!device_valid(world, slots, len, d))
            return false;
    for (int s = 0; s < TINY_SETS; s++)
        if (!set_valid(world, slots, len, s))
            return false;
    for (int c = 0; c < world->claims_len; c++)
        if (world->claims[c].constrained && !constraint_valid(world, slots, len, c))
            return false;
    return true;
}

/* ---- All assignments ---- */

struct trial {
    const struct tiny_world *world;
    struct tiny_slot slots[TINY_CLAIMS * TINY_REQUESTS * TINY_DEVICES];
    int len;
};

static bool fill_request(struct trial *trial, int claim, int request);

/* One of `count` devices after the other, any at all. */
static bool fill_count(struct trial *trial, struct tiny_slot slot, int count) {
    if (count == 0)
        return fill_request(trial, slot.claim, slot.request + 1);
    for (slot.device = 0; slot.device < trial->world->devices_len; slot.device++) {
        trial->slots[trial->len++] = slot;
        bool found = tiny_valid(trial->world, trial->slots, trial->len) && fill_count(trial, slot, count - 1);
        trial->len--;
        if (found)
            return true;
    }
    return false;
}

/* Each device that could serve the request, once. */
static bool fill_all(struct trial *trial, struct tiny_slot slot, const struct tiny_ask *ask) {
    int before = trial->len;
    for (slot.device = 0; slot.device < trial->world->devices_len; slot.device++) {
        const struct tiny_device *device = &trial->world->devices[slot.device];
        int share = share_of(device, ask->amount);
        if (selects(ask, device) && share >= 0 && share <= device->capacity)
            trial->slots[trial->len++] = slot;
    }
    bool found = trial->len > before && tiny_valid(trial->world, trial->slots, trial->len) &&
                 fill_request(trial, slot.claim, slot.request + 1);
    trial->len = before;
    return found;
}

static bool fill_request(struct trial *trial, int claim, int request) {
    if (claim == trial->world->claims_len)
        return true;
    if (request == trial->world->claims[claim].requests_len)
        return fill_request(trial, claim + 1, 0);
    const struct tiny_request *r = &trial->world->claims[claim].requests[request];
    for (int i = 0; i < r->asks_len; i++) {
        struct tiny_slot slot = {claim, request, i, 0};
        if (r->asks[i].all ? fill_all(trial, slot, &r->asks[i]) : fill_count(trial, slot, r->asks[i].count))
            return true;
    }
    return false;
}

bool tiny_feasible(const struct tiny_world *world) {
    struct trial trial = {.world = world};
    return fill_request(&trial, 0, 0);
}
