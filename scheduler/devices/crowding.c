/* Crowding: more is asked for by claims that ask alike than there is for them in their seat, even if nobody else were
 * there. Said at once, where a search would have to try every way of sharing out what there is. */
#include "scheduler/devices/attempt.h"

/* What one set of counters has left for devices that could serve a request. */
struct set_room {
    const struct mu_pool_set *set;
    uint32_t devices;
    mu_i128 least; /* that one of them takes of all counters together */
    mu_i128 left;  /* of all counters together */
};

static mu_i128 left_in(const struct mu_pool *pool, const struct mu_pool_set *set) {
    mu_i128 left = 0;
    for (uint32_t c = 0; c < set->counters_len; c++)
        left += pool->counters.items[set->first_counter + c].left > 0
                    ? pool->counters.items[set->first_counter + c].left
                    : 0;
    return left;
}

static mu_i128 taken_by(const struct mu_alloc *alloc, const struct mu_entry *entry, const struct mu_pool_set *set) {
    mu_i128 taken = 0;
    for (uint32_t i = 0; i < entry->charges_len; i++) {
        const struct mu_charge *charge = &alloc->charges[entry->first_charge + i];
        if (charge->counter >= set->first_counter && charge->counter < set->first_counter + set->counters_len)
            taken += charge->nano;
    }
    return taken;
}

static int64_t room_of(const struct set_room *room) {
    if (room->least <= 0)
        return room->devices;
    mu_i128 times = room->left / room->least;
    return times < room->devices ? (int64_t)times : room->devices;
}

/* Adds the device to the room of its set, which is the newest one or new. */
static struct set_room *add_to_set(struct mu_attempt *a, const struct mu_entry *entry, struct set_room *rooms,
                                   uint32_t *len) {
    const struct mu_pool *pool = &a->alloc->pools[a->alloc->slices[entry->slice].pool];
    const struct mu_pool_set *set = &pool->sets.items[a->alloc->use_sets[entry->first_use]];
    uint32_t at = 0;
    while (at < *len && rooms[at].set != set)
        at++;
    struct set_room *room = &rooms[at];
    mu_i128 taken = taken_by(a->alloc, entry, set);
    if (at == *len) {
        (*len)++;
        *room = (struct set_room){set, 0, taken, left_in(pool, set)};
    }
    room->devices++;
    room->least = taken < room->least ? taken : room->least;
    return room;
}

/* How many devices there can be at most for requests like this; INT64_MAX: no bound. */
static int64_t bound(struct mu_attempt *a, uint32_t claim, const struct mu_ask_work *ask) {
    const struct mu_seat *seat = a->claims[claim].seat;
    struct mu_arena_mark mark = mu_arena_mark(a->scratch);
    struct set_room *rooms = MU_NEW_ARRAY(a->scratch, struct set_room, seat->candidates_len);
    uint32_t len = 0;
    int64_t most = 0;
    for (uint32_t i = 0; i < seat->candidates_len && most < INT64_MAX; i++) {
        const struct mu_entry *entry = &a->alloc->entries[seat->candidates[i]];
        if (!mu_could_serve(a, claim, ask, seat->candidates[i]))
            continue;
        if (mu_entry_shared(a->alloc, seat->candidates[i]))
            most = INT64_MAX;
        else if (entry->device->uses_len == 0 || a->alloc->use_sets[entry->first_use] == MU_NO_INDEX)
            most++;
        else
            add_to_set(a, entry, rooms, &len);
    }
    for (uint32_t i = 0; i < len && most < INT64_MAX; i++)
        most += room_of(&rooms[i]);
    mu_arena_rollback(a->scratch, mark);
    return most;
}

bool mu_is_crowded(struct mu_attempt *a) {
    for (uint32_t c = 0, end; c < a->claims_len; c = end) {
        for (end = c + 1; end < a->claims_len && a->claims[end].twin;)
            end++;
        for (uint32_t r = 0; end - c > 1 && r < a->claims[c].requests_len; r++) {
            const struct mu_request_work *request = &a->requests.items[a->claims[c].first_request + r];
            const struct mu_ask_work *ask = &a->asks.items[request->first_ask];
            if (request->alternatives || ask->ask->mode != MU_DEVICES_EXACT || ask->ask->admin_access)
                continue;
            if (ask->devices * (int64_t)(end - c) > bound(a, c, ask)) /* both are at most some thousands */
                return true;
        }
    }
    return false;
}
