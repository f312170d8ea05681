/* The allocator's state, private to this folder.
 *
 * What is published is laid out once: slices sorted by driver, pool, generation and name; one `mu_entry` a device of a
 * slice. Who holds what hangs on the device's name (`mu_holding`), since a device keeps its claims when its slice
 * changes: devices of one name in several generations are one holding. */
#ifndef MU_DEVICES_STATE_H
#define MU_DEVICES_STATE_H

#include "scheduler/base/map.h"
#include "scheduler/devices/allocator.h"

#define MU_NO_INDEX UINT32_MAX

/* An amount of a capacity that shares of a device hold. */
struct mu_consumed {
    mu_sym name;
    mu_i128 nano;
};

/* Who has a share of a device, and whom that lets in beside it. */
struct mu_sharer {
    mu_sym namespace, queue;
    enum mu_sharing_with with;
};

struct mu_holding {
    uint32_t whole, shares; /* claims that hold it */
    uint32_t admin;         /* picks of the running attempt with admin access */
    uint32_t first_entry;   /* the entries of this name, linked by next_same */
    uint32_t card_part;     /* index in card_parts; MU_NO_INDEX: on no card of two drivers */
    MU_VEC(struct mu_consumed) consumed;
    MU_VEC(struct mu_sharer) sharers; /* in no order; kept only where there are rules about sharing */
};

struct mu_counter {
    mu_sym name;
    mu_i128 left; /* below 0: overdrawn */
};

struct mu_group_count {
    mu_sym name;
    uint32_t members;
};

/* A counter set in use. Members are the held devices that take from it. */
struct mu_pool_set {
    mu_sym name;
    uint32_t first_counter, counters_len;
    uint32_t members, plain_members; /* plain: without compatibility groups */
    MU_VEC(struct mu_group_count) groups;
};

/* One generation of a pool. */
struct mu_pool {
    mu_sym driver, name;
    int64_t generation;
    uint32_t first_slice, slices_len;
    uint32_t family;               /* pools of one driver and name have one */
    bool newest;                   /* of its family */
    bool twins;                    /* a device name stands in it twice */
    bool grouped;                  /* a device declares compatibility groups */
    struct mu_str invalid;         /* the first reason why nothing of it may be used; empty: fine */
    MU_VEC(struct mu_str) reasons; /* all of them */
    MU_VEC(struct mu_pool_set) sets;
    struct mu_map set_by_name;
    MU_VEC(struct mu_counter) counters;
    uint32_t overdrawn; /* counters below 0 */
};

struct mu_pool_slice {
    const struct mu_slice *slice;
    uint32_t pool;
    uint32_t first_entry;
    bool binding; /* a device has binding conditions */
};

/* What a device takes of one counter, and the set that it is in. */
struct mu_charge {
    uint32_t counter;
    mu_i128 nano;
};

struct mu_entry {
    const struct mu_device *device;
    uint32_t slice, holding, next_same, shape;
    uint32_t first_charge, charges_len;
    uint32_t first_use; /* in use_sets; device->uses_len of them */
};

/* One physical device that several drivers publish, and one driver's part of it. */
struct mu_card {
    uint32_t held;
};

struct mu_card_part {
    uint32_t card;
    mu_sym driver;
    uint32_t held;
};

/* A pool as one node sees it. */
enum mu_view_state { MU_VIEW_USABLE = 0, MU_VIEW_INCOMPLETE, MU_VIEW_INVALID };

struct mu_view_pool {
    uint32_t pool;
    enum mu_view_state state;
    bool binding;
    const uint32_t *slices; /* those with devices for the node */
    uint32_t slices_len;
};

struct mu_view {
    const struct mu_node *node;
    const struct mu_view_pool *pools;
    uint32_t pools_len;
    bool invalid; /* one of them is */
};

/* A change that can be undone. */
struct mu_journal_item {
    uint32_t holding;
    bool release, shared;
    const struct mu_device_result *result;
    struct mu_sharer sharer;
};

/* The slices of one node. */
struct mu_node_slices {
    mu_sym node;
    MU_VEC(uint32_t) slices;
};

struct mu_programs; /* selectors.c */
struct mu_attempt;  /* attempt.h */

struct mu_alloc {
    struct mu_arena *arena;
    struct mu_alloc_input input;
    struct mu_pool_slice *slices;
    struct mu_pool *pools;
    struct mu_entry *entries;
    struct mu_charge *charges;
    uint32_t *use_sets; /* the set that each use of a device takes from, by its index in the pool */
    uint32_t slices_len, pools_len, entries_len, charges_len, uses_len;
    MU_VEC(struct mu_holding) holdings;
    struct mu_map holding_by_name; /* driver, pool, device: three symbols */
    MU_VEC(struct mu_card) cards;
    MU_VEC(struct mu_card_part) card_parts;
    MU_VEC(uint32_t) shapes;      /* an entry of each */
    mu_sym *family_nodes;         /* by family of pools: the node that alone reaches it; 0: there is none */
    const uint32_t *wide_entries; /* of families that no node has for itself */
    uint32_t wide_entries_len;
    /* Slices by node, and those that may be for any node. */
    struct mu_map slices_by_node; /* symbol to index in node_slices */
    MU_VEC(struct mu_node_slices) node_slices;
    const uint32_t *wide_slices;
    uint32_t wide_slices_len;
    /* What nodes see, dropped together when too many have changed. */
    struct mu_arena *views_arena;
    struct mu_map views_by_node;
    MU_VEC(struct mu_view *) views;
    uint32_t views_replaced;
    struct mu_arena_mark views_begin;
    struct mu_map classes; /* symbol to index in input.classes */
    struct mu_programs *programs;
    MU_VEC(struct mu_journal_item) journal;
    struct mu_arena *scratch;       /* for the length of one function; empty between calls */
    struct mu_arena *attempt_arena; /* for the length of one attempt */
    struct mu_arena_mark scratch_begin, attempt_begin;
    struct mu_attempt *open; /* an attempt that is not over; NULL but while one runs, or where memory ended one */
};

static inline bool mu_alloc_has(const struct mu_alloc *alloc, unsigned feature) {
    return (alloc->input.features & feature) != 0;
}

static inline const struct mu_slice *mu_entry_slice(const struct mu_alloc *alloc, uint32_t entry) {
    return alloc->slices[alloc->entries[entry].slice].slice;
}

/* True where each claim takes a share of the device, not the whole. */
static inline bool mu_entry_shared(const struct mu_alloc *alloc, uint32_t entry) {
    return mu_alloc_has(alloc, MU_ALLOC_CONSUMABLE_CAPACITY) && alloc->entries[entry].device->shared;
}

/* allocator.c: an attempt that was left for lack of memory puts back what it had taken. */
void mu_attempt_settle(struct mu_alloc *alloc);

/* locality.c: finds which pools are one node's. */
void mu_locality_lay_out(struct mu_alloc *alloc);

/* state.c: one claim more or less holds the device. `consumed` (len of them) matters of shares. */
void mu_holding_take(struct mu_alloc *alloc, uint32_t holding, bool shared, const struct mu_named_quantity *consumed,
                     uint32_t len);
void mu_holding_give(struct mu_alloc *alloc, uint32_t holding, bool shared, const struct mu_named_quantity *consumed,
                     uint32_t len);

#endif
