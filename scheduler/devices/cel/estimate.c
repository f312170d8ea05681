/* Estimates of cost: sizes of values as ranges, and costs as upper bounds. The lower bounds of costs, which nothing here
 * asks for, are left out; those of sizes decide how long the result of replace() may be. */
#include "scheduler/devices/cel/estimate.h"
#include "scheduler/devices/cel/estimate_internal.h"

uint64_t mu_cel_est_add(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t mu_cel_est_multiply(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t mu_cel_est_scale(uint64_t a, double factor) {
    double product = __builtin_ceil((double)a * factor);
    return product >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)product;
}

struct mu_cel_range mu_cel_est_union(struct mu_cel_range a, struct mu_cel_range b) {
    return (struct mu_cel_range){a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max};
}

/* ---- Where in the device a value stands, which says how large it may be ---- */

static enum mu_cel_place_kind item_of(enum mu_cel_place_kind place) {
    switch (place) {
    case MU_CEL_AT_ATTRIBUTES:
        return MU_CEL_AT_ATTRIBUTES_OF;
    case MU_CEL_AT_ATTRIBUTES_OF:
        return MU_CEL_AT_ATTRIBUTE;
    case MU_CEL_AT_CAPACITY:
        return MU_CEL_AT_CAPACITY_OF;
    case MU_CEL_AT_CAPACITY_OF:
        return MU_CEL_AT_QUANTITY;
    default:
        return MU_CEL_AT_NOWHERE;
    }
}

static enum mu_cel_place_kind key_of(enum mu_cel_place_kind place) {
    bool outer = place == MU_CEL_AT_ATTRIBUTES || place == MU_CEL_AT_CAPACITY;
    bool inner = place == MU_CEL_AT_ATTRIBUTES_OF || place == MU_CEL_AT_CAPACITY_OF;
    return outer ? MU_CEL_AT_DOMAIN : inner ? MU_CEL_AT_NAME : MU_CEL_AT_NOWHERE;
}

static enum mu_cel_place_kind field_of(enum mu_cel_place_kind place, struct mu_str field) {
    if (place == MU_CEL_AT_ATTRIBUTES_OF)
        return MU_CEL_AT_ATTRIBUTE;
    if (place != MU_CEL_AT_DEVICE)
        return MU_CEL_AT_NOWHERE;
    return mu_str_eq(field, MU_STR("driver"))                     ? MU_CEL_AT_DRIVER
           : mu_str_eq(field, MU_STR("attributes"))               ? MU_CEL_AT_ATTRIBUTES
           : mu_str_eq(field, MU_STR("capacity"))                 ? MU_CEL_AT_CAPACITY
           : mu_str_eq(field, MU_STR("allowMultipleAllocations")) ? MU_CEL_AT_SHARING
                                                                  : MU_CEL_AT_NOWHERE;
}

/* Kubernetes' limits for devices: 32 attributes and capacities, names of 63 and 32, values of 64 characters. */
bool mu_cel_est_place_size(enum mu_cel_place_kind place, struct mu_cel_range *ret) {
    static const uint64_t sizes[] = {
        [MU_CEL_AT_DEVICE] = 0,         [MU_CEL_AT_DRIVER] = 63,    [MU_CEL_AT_ATTRIBUTES] = 32,
        [MU_CEL_AT_ATTRIBUTES_OF] = 32, [MU_CEL_AT_ATTRIBUTE] = 64, [MU_CEL_AT_CAPACITY] = 32,
        [MU_CEL_AT_CAPACITY_OF] = 32,   [MU_CEL_AT_QUANTITY] = 0,   [MU_CEL_AT_DOMAIN] = 63,
        [MU_CEL_AT_NAME] = 32,          [MU_CEL_AT_SHARING] = 1,
    };
    if (place == MU_CEL_AT_NOWHERE)
        return false;
    *ret = (struct mu_cel_range){0, sizes[place]};
    return true;
}

static const struct mu_cel_known_local *find_local(const struct mu_cel_estimate *c, struct mu_str name) {
    for (const struct mu_cel_known_local *local = c->locals; local; local = local->outer)
        if (mu_str_eq(local->name, name))
            return local;
    return NULL;
}

static const struct mu_cel_known_local *local_of(const struct mu_cel_estimate *c, const struct mu_cel_expr *e) {
    return e->kind == MU_CEL_IDENT ? find_local(c, e->name) : NULL;
}

enum mu_cel_place_kind mu_cel_est_place(const struct mu_cel_estimate *c, const struct mu_cel_expr *e) {
    const struct mu_cel_known_local *local = local_of(c, e);
    return local ? local->place : c->known[e->id].place;
}

/* ---- Sizes ---- */

static bool literal_size(const struct mu_cel_expr *e, struct mu_cel_range *ret) {
    uint64_t size = e->len;
    if (e->kind == MU_CEL_LITERAL) {
        size = 1;
        if (e->literal.kind == MU_CEL_K_STRING)
            size = mu_rune_count(e->literal.text);
        else if (e->literal.kind == MU_CEL_K_BYTES)
            size = e->literal.text.len;
    } else if (e->kind != MU_CEL_LIST && e->kind != MU_CEL_MAP) {
        return false;
    }
    *ret = (struct mu_cel_range){size, size};
    return true;
}

static bool is_scalar(const struct mu_cel_decl *type) {
    while (type->kind == MU_CEL_K_OPTIONAL && type->params_len > 0)
        type = type->params[0];
    return type->kind == MU_CEL_K_BOOL || type->kind == MU_CEL_K_DOUBLE || type->kind == MU_CEL_K_DURATION ||
           type->kind == MU_CEL_K_INT || type->kind == MU_CEL_K_TIMESTAMP || type->kind == MU_CEL_K_UINT;
}

bool mu_cel_est_size(struct mu_cel_estimate *c, const struct mu_cel_expr *e, struct mu_cel_range *ret) {
    struct mu_cel_known *known = &c->known[e->id];
    if (known->has_size) {
        *ret = known->size;
        return true;
    }
    if (literal_size(e, ret))
        return true;
    if (mu_cel_est_place_size(mu_cel_est_place(c, e), ret)) {
        known->has_size = true;
        known->size = *ret;
        return true;
    }
    if (is_scalar(e->type)) {
        *ret = (struct mu_cel_range){1, 1};
        return true;
    }
    const struct mu_cel_known_local *local = local_of(c, e);
    if (local == NULL || !local->has_size)
        return false;
    *ret = local->size;
    return true;
}

struct mu_cel_range mu_cel_est_size_or_any(struct mu_cel_estimate *c, const struct mu_cel_expr *e) {
    struct mu_cel_range size;
    return mu_cel_est_size(c, e, &size) ? size : (struct mu_cel_range){0, UINT64_MAX};
}

bool mu_cel_est_entries(const struct mu_cel_estimate *c, const struct mu_cel_expr *e, struct mu_cel_entries *ret) {
    const struct mu_cel_known *known = &c->known[e->id];
    const struct mu_cel_known_local *local = local_of(c, e);
    if (known->has_entries)
        *ret = known->entries;
    else if (local && local->has_entries)
        *ret = local->entries;
    else
        return false;
    return true;
}

void mu_cel_est_set_entries(struct mu_cel_estimate *c, const struct mu_cel_expr *e, const struct mu_cel_entries *to) {
    c->known[e->id].has_entries = true;
    c->known[e->id].entries = *to;
}

static void set_size(struct mu_cel_estimate *c, const struct mu_cel_expr *e, bool has, struct mu_cel_range size) {
    if (!has)
        return;
    c->known[e->id].has_size = true;
    c->known[e->id].size = size;
}

static void copy_sizes(struct mu_cel_estimate *c, const struct mu_cel_expr *to, const struct mu_cel_expr *from) {
    struct mu_cel_range size = {0, 0};
    struct mu_cel_entries entries;
    set_size(c, to, mu_cel_est_size(c, from, &size), size);
    if (mu_cel_est_entries(c, from, &entries))
        mu_cel_est_set_entries(c, to, &entries);
}

/* ---- Costs ---- */

static uint64_t select_cost(struct mu_cel_estimate *c, const struct mu_cel_expr *e) {
    const struct mu_cel_expr *operand = e->items[0];
    uint64_t cost = mu_cel_est_cost(c, operand);
    if (e->test_only)
        return cost;
    switch (operand->type->kind) {
    case MU_CEL_K_MAP:
    case MU_CEL_K_DEVICE:
    case MU_CEL_K_QUANTITY:
    case MU_CEL_K_SEMVER:
    case MU_CEL_K_URL:
    case MU_CEL_K_FORMAT:
        cost = mu_cel_est_add(cost, 1);
        break;
    default:
        break;
    }
    c->known[e->id].place = field_of(mu_cel_est_place(c, operand), e->name);
    return cost;
}

static uint64_t call_cost(struct mu_cel_estimate *c, const struct mu_cel_expr *e) {
    struct mu_cel_call call = {.e = e, .target = e->member ? e->items[0] : NULL};
    call.args = e->items + e->member;
    call.args_len = e->len - e->member;
    if (mu_str_eq(e->name, MU_STR("dyn")) && e->len == 1) {
        uint64_t cost = mu_cel_est_add(1, mu_cel_est_cost(c, e->items[0]));
        copy_sizes(c, e, e->items[0]);
        return cost;
    }
    uint64_t args_cost = 0, most = 0, condition[3] = {0, 0, 0};
    for (uint32_t i = 0; i < call.args_len; i++) {
        uint64_t cost = mu_cel_est_cost(c, call.args[i]);
        args_cost = mu_cel_est_add(args_cost, cost);
        if (i < 3)
            condition[i] = cost;
    }
    uint64_t sum = call.target ? mu_cel_est_cost(c, call.target) : 0;
    bool has_size = false;
    struct mu_cel_range size = {0, 0};
    for (uint32_t i = 0; i < e->overloads_len; i++) {
        call.overload = e->overloads[i];
        call.has_size = false;
        uint64_t cost = mu_cel_est_add(mu_cel_est_call(c, &call), args_cost);
        if (call.overload->cost == MU_CEL_COST_CONDITION) /* one of the two */
            cost = mu_cel_est_add(condition[0], condition[1] > condition[2] ? condition[1] : condition[2]);
        most = cost > most ? cost : most;
        if (call.has_size) {
            size = has_size ? mu_cel_est_union(size, call.size) : call.size;
            has_size = true;
        }
        if (call.overload->cost == MU_CEL_COST_INDEX_LIST || call.overload->cost == MU_CEL_COST_INDEX_MAP) {
            struct mu_cel_entries entries;
            has_size = mu_cel_est_entries(c, e->items[0], &entries);
            size = has_size ? entries.value : size;
            c->known[e->id].place = item_of(mu_cel_est_place(c, e->items[0]));
        }
        if (!has_size)
            has_size = mu_cel_est_size(c, e, &size);
    }
    set_size(c, e, has_size, size);
    return mu_cel_est_add(sum, most);
}

static uint64_t items_cost(struct mu_cel_estimate *c, const struct mu_cel_expr *e) {
    struct mu_cel_range none = {e->len == 0 ? 0 : UINT64_MAX, 0};
    struct mu_cel_entries entries = {e->kind == MU_CEL_LIST, none, none};
    uint64_t cost = e->kind == MU_CEL_LIST ? 10 : 30;
    for (uint32_t i = 0; i < e->len; i++) {
        cost = mu_cel_est_add(cost, mu_cel_est_cost(c, e->items[i]));
        if (e->values)
            cost = mu_cel_est_add(cost, mu_cel_est_cost(c, e->values[i]));
        struct mu_cel_range item = mu_cel_est_size_or_any(c, e->items[i]);
        if (e->values)
            entries.key = mu_cel_est_union(entries.key, item);
        entries.value = mu_cel_est_union(entries.value, e->values ? mu_cel_est_size_or_any(c, e->values[i]) : item);
    }
    if (e->kind == MU_CEL_LIST)
        entries.key = (struct mu_cel_range){1, 1};
    mu_cel_est_set_entries(c, e, &entries);
    return cost;
}

/* ---- Comprehensions ---- */

/* A variable of the comprehension: a key or a value of what it runs over. */
static struct mu_cel_known_local iterated(struct mu_cel_estimate *c, struct mu_str name,
                                          const struct mu_cel_expr *range, bool two, bool second,
                                          struct mu_cel_known_local *outer) {
    struct mu_cel_entries entries = {0};
    struct mu_cel_known_local local = {.outer = outer, .name = name};
    local.has_size = mu_cel_est_entries(c, range, &entries);
    bool list = local.has_size ? entries.list : range->type->kind == MU_CEL_K_LIST;
    bool value = two ? second : list;
    local.size = value ? entries.value : entries.key;
    enum mu_cel_place_kind place = mu_cel_est_place(c, range);
    if (value)
        local.place = item_of(place);
    else if (list) /* an index; upstream takes it for a field's name */
        local.place = field_of(place, MU_STR("@indices"));
    else
        local.place = key_of(place);
    return local;
}

static struct mu_cel_known_local bound(struct mu_cel_estimate *c, struct mu_str name, const struct mu_cel_expr *e) {
    struct mu_cel_known_local local = {.outer = c->locals, .name = name, .place = mu_cel_est_place(c, e)};
    local.has_entries = mu_cel_est_entries(c, e, &local.entries);
    local.has_size = mu_cel_est_size(c, e, &local.size);
    return local;
}

static bool is_bind(const struct mu_cel_fold *f) {
    return f->range->kind == MU_CEL_LIST && f->range->len == 0 && f->condition->kind == MU_CEL_LITERAL &&
           mu_cel_is_bool(f->condition->literal, false);
}

static uint64_t fold_cost(struct mu_cel_estimate *c, const struct mu_cel_expr *e) {
    const struct mu_cel_fold *f = e->fold;
    uint64_t cost = mu_cel_est_add(mu_cel_est_cost(c, f->range), mu_cel_est_cost(c, f->init)), loop = 0;
    struct mu_cel_known_local *outer = c->locals;
    struct mu_cel_known_local accumulator = bound(c, f->accumulator, f->init);
    c->locals = &accumulator;
    if (!is_bind(f)) {
        bool two = f->var2.len > 0;
        struct mu_cel_known_local first = iterated(c, f->var, f->range, two, false, &accumulator), second;
        c->locals = &first;
        if (two) {
            second = iterated(c, f->var2, f->range, true, true, &first);
            c->locals = &second;
        }
        loop = mu_cel_est_cost(c, f->condition);
        loop = mu_cel_est_add(loop, mu_cel_est_cost(c, f->step));
        c->locals = &accumulator;
    }
    cost = mu_cel_est_add(cost, mu_cel_est_cost(c, f->result));
    c->locals = outer;
    if (is_bind(f)) {
        copy_sizes(c, e, f->result); /* of the variable itself nothing is known any more */
        return cost;
    }
    struct mu_cel_range count = mu_cel_est_size_or_any(c, f->range), size = {0, 0};
    struct mu_cel_entries entries;
    if (f->init->kind == MU_CEL_LITERAL) {
        set_size(c, e, mu_cel_est_size(c, f->init, &size), size);
    } else if (f->init->kind == MU_CEL_LIST || f->init->kind == MU_CEL_MAP) {
        set_size(c, e, true, count);
        if (mu_cel_est_entries(c, f->step, &entries))
            mu_cel_est_set_entries(c, e, &entries);
    }
    return mu_cel_est_add(cost, mu_cel_est_multiply(count.max, loop));
}

uint64_t mu_cel_est_cost(struct mu_cel_estimate *c, const struct mu_cel_expr *e) {
    const struct mu_cel_known_local *local;
    switch (e->kind) {
    case MU_CEL_LITERAL:
    case MU_CEL_STRUCT:
        return 0;
    case MU_CEL_IDENT:
        local = find_local(c, e->name);
        c->known[e->id].place = local                                  ? local->place
                                : mu_str_eq(e->name, MU_STR("device")) ? MU_CEL_AT_DEVICE
                                                                       : MU_CEL_AT_NOWHERE;
        return 1;
    case MU_CEL_SELECT:
        return select_cost(c, e);
    case MU_CEL_CALL:
        return call_cost(c, e);
    case MU_CEL_LIST:
    case MU_CEL_MAP:
        return items_cost(c, e);
    case MU_CEL_FOLD:
        return fold_cost(c, e);
    }
    return 0;
}

uint64_t mu_cel_estimate(struct mu_arena *arena, const struct mu_cel_expr *root, uint32_t ids) {
    struct mu_arena_mark mark = mu_arena_mark(arena);
    struct mu_cel_estimate c = {.known = MU_NEW_ARRAY(arena, struct mu_cel_known, ids)};
    uint64_t cost = mu_cel_est_cost(&c, root);
    mu_arena_rollback(arena, mark);
    return cost;
}
