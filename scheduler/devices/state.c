/* The allocator's state: who holds what, and how to undo it. */
#include "scheduler/devices/state.h"
#include "scheduler/devices/capacity.h"
#include "scheduler/devices/counters.h"
#include "scheduler/devices/identity.h"
#include "scheduler/devices/pools.h"
#include "scheduler/devices/selectors.h"
#include "scheduler/devices/sharing.h"

/* ---- Making one ---- */

static void destroy_arena(void *arena) {
    mu_arena_destroy(arena);
}

static struct mu_arena *child_of(struct mu_arena *arena) {
    struct mu_arena *child = mu_arena_create_child(arena);
    mu_arena_defer(arena, destroy_arena, child);
    return child;
}

static void index_classes(struct mu_alloc *alloc) {
    for (uint32_t i = 0; i < alloc->input.classes_len; i++)
        mu_map_put(&alloc->classes, mu_text(alloc->input.symbols, alloc->input.classes[i]->meta.name), i);
}

int mu_alloc_create(struct mu_arena *arena, const struct mu_alloc_input *input, struct mu_alloc **ret,
                    struct mu_err *err) {
    struct mu_alloc *alloc = MU_NEW(arena, struct mu_alloc);
    alloc->arena = arena;
    alloc->input = *input;
    alloc->scratch = child_of(arena);
    alloc->attempt_arena = child_of(arena);
    alloc->views_arena = child_of(arena);
    alloc->scratch_begin = mu_arena_mark(alloc->scratch);
    alloc->attempt_begin = mu_arena_mark(alloc->attempt_arena);
    alloc->views_begin = mu_arena_mark(alloc->views_arena);
    mu_map_init(&alloc->views_by_node, alloc->views_arena, 1);
    mu_map_init(&alloc->holding_by_name, arena, 1);
    mu_map_init(&alloc->slices_by_node, arena, 1);
    mu_map_init(&alloc->classes, arena, 1);
    int code = mu_pools_lay_out(alloc, err);
    if (code != 0)
        return code;
    index_classes(alloc);
    mu_shapes_lay_out(alloc);
    if (input->one_card_one_driver)
        mu_cards_lay_out(alloc);
    mu_locality_lay_out(alloc);
    alloc->programs = mu_programs_create(alloc);
    *ret = alloc;
    return 0;
}

/* ---- Holding ---- */

static mu_sym driver_of(const struct mu_alloc *alloc, const struct mu_holding *held) {
    return mu_entry_slice(alloc, held->first_entry)->driver;
}

/* What is consumed of a capacity so far. Made where it is new, which is the only thing here that needs memory. */
static struct mu_consumed *consumed_of(struct mu_alloc *alloc, struct mu_holding *held, mu_sym name) {
    for (size_t i = 0; i < held->consumed.len; i++)
        if (mu_capacity_same(alloc->input.symbols, driver_of(alloc, held), held->consumed.items[i].name, name))
            return &held->consumed.items[i];
    MU_VEC_PUSH(alloc->arena, &held->consumed, (struct mu_consumed){name, 0});
    return &held->consumed.items[held->consumed.len - 1];
}

static void make_room(struct mu_alloc *alloc, uint32_t holding, const struct mu_named_quantity *consumed,
                      uint32_t len) {
    for (uint32_t i = 0; i < len; i++)
        consumed_of(alloc, &alloc->holdings.items[holding], consumed[i].name);
}

static void consume(struct mu_alloc *alloc, struct mu_holding *held, const struct mu_named_quantity *amount, int sign) {
    consumed_of(alloc, held, amount->name)->nano += sign * amount->value.nano; /* bounded: see counters.c */
}

void mu_holding_take(struct mu_alloc *alloc, uint32_t holding, bool shared, const struct mu_named_quantity *consumed,
                     uint32_t len) {
    struct mu_holding *held = &alloc->holdings.items[holding];
    if (shared)
        make_room(alloc, holding, consumed, len);
    /* Whoever comes first pays the counters; shares after it use the same device. */
    if (held->whole + held->shares == 0)
        for (uint32_t e = held->first_entry; e != MU_NO_INDEX; e = alloc->entries[e].next_same)
            mu_counters_charge(alloc, e);
    held->whole += !shared;
    held->shares += shared;
    for (uint32_t i = 0; shared && i < len; i++)
        consume(alloc, held, &consumed[i], 1);
    mu_card_take(alloc, held);
}

void mu_holding_give(struct mu_alloc *alloc, uint32_t holding, bool shared, const struct mu_named_quantity *consumed,
                     uint32_t len) {
    struct mu_holding *held = &alloc->holdings.items[holding];
    held->whole -= !shared;
    held->shares -= shared;
    for (uint32_t i = 0; shared && i < len; i++)
        consume(alloc, held, &consumed[i], -1);
    if (held->whole + held->shares == 0)
        for (uint32_t e = held->first_entry; e != MU_NO_INDEX; e = alloc->entries[e].next_same)
            mu_counters_give_back(alloc, e);
    mu_card_give(alloc, held);
}

static bool find_holding(const struct mu_alloc *alloc, const struct mu_device_result *result, uint32_t *ret) {
    mu_sym key[3] = {result->driver, result->pool, result->device};
    return !result->admin_access &&
           mu_map_get(&alloc->holding_by_name, (struct mu_str){(const char *)key, sizeof key}, ret);
}

const struct mu_device *mu_alloc_device(const struct mu_alloc *alloc, const struct mu_device_result *result) {
    mu_sym key[3] = {result->driver, result->pool, result->device};
    uint32_t holding;
    if (!mu_map_get(&alloc->holding_by_name, (struct mu_str){(const char *)key, sizeof key}, &holding))
        return NULL;
    for (uint32_t e = alloc->holdings.items[holding].first_entry; e != MU_NO_INDEX; e = alloc->entries[e].next_same)
        if (alloc->pools[alloc->slices[alloc->entries[e].slice].pool].newest)
            return alloc->entries[e].device;
    return NULL;
}

static void change(struct mu_alloc *alloc, const struct mu_journal_item *item, bool release) {
    const struct mu_device_result *result = item->result;
    if (release)
        mu_holding_give(alloc, item->holding, item->shared, result->consumed, result->consumed_len);
    else
        mu_holding_take(alloc, item->holding, item->shared, result->consumed, result->consumed_len);
    if (item->shared && release)
        mu_sharers_remove(alloc, item->holding, item->sharer);
    else if (item->shared)
        mu_sharers_add(alloc, item->holding, item->sharer);
}

static void change_all(struct mu_alloc *alloc, const struct mu_claim *claim, mu_sym queue,
                       const struct mu_device_result *results, uint32_t len, bool release) {
    mu_attempt_settle(alloc);
    for (uint32_t i = 0; i < len; i++) {
        struct mu_journal_item item = {.release = release,
                                       .shared = results[i].shared || results[i].share_id != 0,
                                       .result = &results[i],
                                       .sharer = mu_sharer_of_result(alloc, claim, queue, &results[i])};
        if (!find_holding(alloc, &results[i], &item.holding))
            continue;
        /* Memory first: where it is used up, nothing has changed but what the journal knows. */
        make_room(alloc, item.holding, results[i].consumed, results[i].consumed_len);
        MU_VEC_PUSH(alloc->arena, &alloc->journal, item);
        change(alloc, &item, release);
    }
}

void mu_alloc_hold(struct mu_alloc *alloc, const struct mu_claim *claim, mu_sym queue,
                   const struct mu_device_result *results, uint32_t len) {
    change_all(alloc, claim, queue, results, len, false);
}

void mu_alloc_release(struct mu_alloc *alloc, const struct mu_claim *claim, mu_sym queue,
                      const struct mu_device_result *results, uint32_t len) {
    change_all(alloc, claim, queue, results, len, true);
}

size_t mu_alloc_mark(const struct mu_alloc *alloc) {
    return alloc->journal.len;
}

void mu_alloc_rollback(struct mu_alloc *alloc, size_t mark) {
    MU_ASSERT(mark <= alloc->journal.len);
    mu_attempt_settle(alloc);
    while (alloc->journal.len > mark) {
        const struct mu_journal_item *item = &alloc->journal.items[--alloc->journal.len];
        change(alloc, item, !item->release);
    }
}

void mu_alloc_keep(struct mu_alloc *alloc) {
    alloc->journal.len = 0;
}

/* ---- Digest ---- */

static void add_number(struct mu_buf *buf, mu_i128 number) {
    mu_buf_add(buf, (struct mu_str){(const char *)&number, sizeof number});
}

/* What is counted as nothing may have been counted before: it does not show. */
static void add_holding(struct mu_buf *buf, const struct mu_holding *held) {
    add_number(buf, held->whole);
    add_number(buf, held->shares);
    add_number(buf, held->admin);
    mu_i128 sharers = 0; /* in no order */
    for (size_t i = 0; i < held->sharers.len; i++)
        sharers += ((mu_i128)held->sharers.items[i].namespace << 40) + ((mu_i128)held->sharers.items[i].queue << 4) +
                   (mu_i128)held->sharers.items[i].with + 1;
    add_number(buf, sharers);
    for (size_t i = 0; i < held->consumed.len; i++) {
        if (held->consumed.items[i].nano != 0) {
            add_number(buf, held->consumed.items[i].name);
            add_number(buf, held->consumed.items[i].nano);
        }
    }
}

static void add_pool(struct mu_buf *buf, const struct mu_pool *pool) {
    add_number(buf, pool->overdrawn);
    for (size_t i = 0; i < pool->counters.len; i++)
        add_number(buf, pool->counters.items[i].left);
    for (size_t i = 0; i < pool->sets.len; i++) {
        add_number(buf, pool->sets.items[i].members);
        add_number(buf, pool->sets.items[i].plain_members);
        for (size_t g = 0; g < pool->sets.items[i].groups.len; g++)
            if (pool->sets.items[i].groups.items[g].members != 0)
                add_number(buf, ((mu_i128)pool->sets.items[i].groups.items[g].name << 32) +
                                    pool->sets.items[i].groups.items[g].members);
    }
}

uint64_t mu_alloc_digest(const struct mu_alloc *alloc) {
    struct mu_arena_mark mark = mu_arena_mark(alloc->scratch);
    struct mu_buf buf;
    mu_buf_init(&buf, alloc->scratch);
    for (size_t i = 0; i < alloc->holdings.len; i++)
        add_holding(&buf, &alloc->holdings.items[i]);
    for (uint32_t i = 0; i < alloc->pools_len; i++)
        add_pool(&buf, &alloc->pools[i]);
    for (size_t i = 0; i < alloc->card_parts.len; i++)
        add_number(&buf, alloc->card_parts.items[i].held);
    uint64_t digest = mu_hash_bytes(1, buf.ptr, buf.len);
    mu_arena_rollback(alloc->scratch, mark);
    return digest;
}

/* ---- What is wrong with pools ---- */

static bool is_incomplete(const struct mu_alloc *alloc, const struct mu_pool *pool) {
    return alloc->slices[pool->first_slice].slice->slice_count != pool->slices_len;
}

const struct mu_pool_note *mu_alloc_pool_notes(const struct mu_alloc *alloc, struct mu_arena *arena,
                                               uint32_t *ret_len) {
    MU_VEC(struct mu_pool_note) notes = {0};
    for (uint32_t p = 0; p < alloc->pools_len; p++) {
        const struct mu_pool *pool = &alloc->pools[p];
        struct mu_pool_note note = {pool->driver, pool->name, {NULL, 0}};
        if (!pool->newest)
            continue; /* older generations are on their way out */
        if (is_incomplete(alloc, pool)) {
            note.text = mu_str_printf(arena, "is being updated: %u of %lld slices of generation %lld are there",
                                      pool->slices_len, (long long)alloc->slices[pool->first_slice].slice->slice_count,
                                      (long long)pool->generation);
            MU_VEC_PUSH(arena, &notes, note);
        }
        if (pool->twins) {
            note.text = MU_STR("has two devices of one name");
            MU_VEC_PUSH(arena, &notes, note);
        }
        for (size_t i = 0; i < pool->reasons.len; i++) {
            note.text = pool->reasons.items[i];
            MU_VEC_PUSH(arena, &notes, note);
        }
    }
    *ret_len = (uint32_t)notes.len;
    return notes.items;
}
