/* Seats: the places where an attempt's wants are, and the devices that can be taken there. */
#include "scheduler/devices/attempt.h"
#include "scheduler/devices/pools.h"

/* ---- Candidates ---- */

static uint32_t count_candidates(const struct mu_alloc *alloc, const struct mu_view *view) {
    uint32_t count = 0;
    for (uint32_t p = 0; p < view->pools_len; p++)
        for (uint32_t s = 0; view->pools[p].state == MU_VIEW_USABLE && s < view->pools[p].slices_len; s++)
            count += alloc->slices[view->pools[p].slices[s]].slice->devices_len;
    return count;
}

uint32_t *mu_list_candidates(const struct mu_alloc *alloc, const struct mu_view *view, struct mu_arena *arena,
                             uint32_t *ret_len) {
    uint32_t *entries = MU_NEW_ARRAY(arena, uint32_t, count_candidates(alloc, view));
    uint32_t len = 0;
    for (uint32_t p = 0; p < view->pools_len; p++) {
        for (uint32_t s = 0; view->pools[p].state == MU_VIEW_USABLE && s < view->pools[p].slices_len; s++) {
            const struct mu_pool_slice *slice = &alloc->slices[view->pools[p].slices[s]];
            for (uint32_t i = 0; i < slice->slice->devices_len; i++)
                entries[len++] = slice->first_entry + i;
        }
    }
    *ret_len = len;
    return entries;
}

/* Is the slice among those that the node may use? */
static bool view_has(const struct mu_view *view, uint32_t slice) {
    for (uint32_t p = 0; p < view->pools_len; p++)
        for (uint32_t s = 0; view->pools[p].state == MU_VIEW_USABLE && s < view->pools[p].slices_len; s++)
            if (view->pools[p].slices[s] == slice)
                return true;
    return false;
}

/* A device that ties its claim to one node is of no use on two. */
bool mu_seat_reaches(const struct mu_attempt *a, const struct mu_seat *seat, uint32_t entry) {
    const struct mu_entry *e = &a->alloc->entries[entry];
    const struct mu_slice *slice = mu_entry_slice(a->alloc, entry);
    for (uint32_t n = 1; n < seat->nodes_len; n++)
        if (e->device->binds_to_node || !view_has(mu_view_of(a->alloc, seat->nodes[n]), e->slice) ||
            (slice->per_device && !mu_reach_matches(a->alloc, &e->device->reach, seat->nodes[n])))
            return false;
    return true;
}

static const uint32_t *permuted(const struct mu_attempt *a, const uint32_t *entries, uint32_t len,
                                const uint32_t *order) {
    uint32_t *ret = MU_NEW_ARRAY(a->scratch, uint32_t, len);
    for (uint32_t i = 0; i < len; i++) {
        MU_ASSERT(order[i] < len);
        ret[i] = entries[order[i]];
    }
    return ret;
}

static void fill_seat(struct mu_attempt *a, struct mu_seat *seat, const struct mu_alloc_options *options) {
    seat->view = mu_view_of(a->alloc, seat->nodes[0]);
    uint32_t len = 0, *entries = mu_list_candidates(a->alloc, seat->view, a->scratch, &len), kept = 0;
    for (uint32_t i = 0; i < len; i++)
        if (seat->nodes_len == 1 || mu_seat_reaches(a, seat, entries[i]))
            entries[kept++] = entries[i];
    if (a->packed)
        mu_pack(a, entries, kept);
    seat->candidates = entries;
    seat->candidates_len = kept;
    if (options != NULL && options->order != NULL)
        seat->candidates = permuted(a, entries, kept, options->order);
}

/* ---- Wants ---- */

static bool same_nodes(const struct mu_seat *seat, const struct mu_alloc_want *want) {
    if (seat->nodes_len != want->nodes_len)
        return false;
    for (uint32_t i = 0; i < want->nodes_len; i++)
        if (seat->nodes[i] != want->nodes[i])
            return false;
    return true;
}

static const struct mu_seat *seat_of(struct mu_attempt *a, const struct mu_alloc_want *want,
                                     const struct mu_alloc_options *options) {
    MU_ASSERT(want->nodes_len > 0);
    for (uint32_t s = 0; s < a->seats_len; s++)
        if (same_nodes(&a->seats[s], want))
            return &a->seats[s];
    struct mu_seat *seat = &a->seats[a->seats_len++];
    *seat = (struct mu_seat){.nodes = want->nodes, .nodes_len = want->nodes_len};
    fill_seat(a, seat, options);
    return seat;
}

static bool ask_alike(const struct mu_claim *x, const struct mu_claim *y) {
    return x == y || (x->spec_id != 0 && x->spec_id == y->spec_id && x->meta.namespace == y->meta.namespace);
}

/* Whether an alternative or all devices are meant is not known before the search: these have no twins. */
static bool is_plain(const struct mu_claim *claim) {
    return claim->requests_len > 0 && claim->requests[0].alternatives_len == 0 &&
           claim->requests[0].exactly.mode == MU_DEVICES_EXACT && !claim->requests[0].exactly.admin_access;
}

void mu_seats_lay_out(struct mu_attempt *a, const struct mu_alloc_want *wants, uint32_t len,
                      const struct mu_alloc_options *options) {
    a->seats = MU_NEW_ARRAY(a->scratch, struct mu_seat, len);
    a->claims = MU_NEW_ARRAY(a->scratch, struct mu_claim_work, len);
    a->claims_len = len;
    for (uint32_t i = 0; i < len; i++) {
        a->claims[i].claim = wants[i].claim;
        a->claims[i].queue = wants[i].queue;
        a->claims[i].seat = seat_of(a, &wants[i], options);
        a->claims[i].twin = a->packed && i > 0 && a->claims[i - 1].seat == a->claims[i].seat &&
                            wants[i - 1].queue == wants[i].queue && ask_alike(wants[i - 1].claim, wants[i].claim) &&
                            is_plain(wants[i].claim);
    }
}
