/* Run-time costs, as cel-go's tracker counts them with Kubernetes' estimator (k8s.io/apiserver/pkg/cel/library). The
 * factors are floating point there, and rounded up: 30 * 0.1 is a little more than 3, and costs 4. */
#include "scheduler/devices/cel/eval.h"
#include "scheduler/devices/cel/libraries.h"

static const double per_byte = 0.1, per_pattern_byte = 0.25;

static uint64_t add(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t multiply(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t round_up(double cost) {
    return cost >= 18446744073709551615.0 ? UINT64_MAX : (uint64_t)__builtin_ceil(cost);
}

static uint64_t scan(uint64_t size) {
    return round_up((double)size * per_byte);
}

/* ---- The stack of values ---- */

static bool grow(struct mu_cel_eval *e) {
    size_t cap = e->seen.cap ? e->seen.cap * 2 : 32, bytes = cap * sizeof *e->seen.items;
    if (!mu_cel_reserve(e, bytes))
        return false;
    e->seen.items =
        mu_arena_grow(e->arena, e->seen.items, e->seen.cap * sizeof *e->seen.items, bytes, alignof(struct mu_cel_seen));
    e->seen.cap = cap;
    return true;
}

void mu_cel_count_push(struct mu_cel_eval *e, struct mu_cel_val value, uint32_t id) {
    if (e->seen.len == e->seen.cap && !grow(e))
        return;
    struct mu_cel_seen *seen = &e->seen.items[e->seen.len++];
    seen->value = value;
    seen->id = id;
    seen->below = e->heads[id];
    e->heads[id] = (uint32_t)e->seen.len;
}

/* The topmost value with that id, taken off with all above it. */
static bool take(struct mu_cel_eval *e, uint32_t id, struct mu_cel_val *ret) {
    uint32_t place = e->heads[id];
    if (place == 0)
        return false;
    *ret = e->seen.items[place - 1].value;
    while (e->seen.len >= place) {
        const struct mu_cel_seen *top = &e->seen.items[--e->seen.len];
        e->heads[top->id] = top->below;
    }
    return true;
}

void mu_cel_count_drop(struct mu_cel_eval *e, uint32_t id) {
    struct mu_cel_val ignored;
    (void)take(e, id, &ignored);
}

void mu_cel_count_items(struct mu_cel_eval *e, const struct mu_cel_step *list, uint64_t cost) {
    struct mu_cel_val ignored;
    for (uint32_t i = list->len; i-- > 0;)
        if (!take(e, mu_cel_step_id(list->args[i]), &ignored))
            break;
    e->cost = add(e->cost, cost);
}

/* ---- Calls ---- */

/* One for each thing in it, a tenth for each byte of text. */
static uint64_t walk(struct mu_cel_eval *e, struct mu_cel_val v) {
    uint64_t cost = 0;
    if (!mu_cel_step(e, 1))
        return 0;
    switch (v.kind) {
    case MU_CEL_K_STRING:
    case MU_CEL_K_BYTES:
        return (uint64_t)((double)v.text.len * per_byte);
    case MU_CEL_K_LIST:
        if (!mu_cel_descend(e))
            return 0;
        for (uint32_t i = 0; i < v.list->len; i++)
            cost = add(cost, walk(e, v.list->items[i]));
        mu_cel_ascend(e);
        return cost;
    case MU_CEL_K_MAP:
        if (!mu_cel_descend(e))
            return 0;
        for (uint32_t i = 0; i < mu_cel_map_len(e, v); i++)
            cost = add(cost, add(walk(e, mu_cel_map_key(e, v, i)), walk(e, mu_cel_map_value(e, v, i))));
        mu_cel_ascend(e);
        return cost;
    default:
        return 1;
    }
}

/* Of all but Kubernetes' own functions: an optional is as large as what is in it. */
static uint64_t size_inside(struct mu_cel_eval *e, struct mu_cel_val v) {
    while (v.kind == MU_CEL_K_OPTIONAL && v.inner)
        v = *v.inner;
    return mu_cel_size(e, v);
}

static uint64_t pattern_cost(uint64_t text, uint64_t pattern) {
    return multiply(round_up((1.0 + (double)text) * per_byte), round_up((double)pattern * per_pattern_byte));
}

static uint64_t shorter(struct mu_cel_eval *e, const struct mu_cel_val *args) {
    uint64_t a = size_inside(e, args[0]), b = size_inside(e, args[1]);
    return scan(a < b ? a : b);
}

/* A list of `size`, made anew. */
static uint64_t list_cost(double factor, uint64_t size) {
    uint64_t cost = factor < 0 ? size : (uint64_t)((double)size * factor);
    return add(cost, 11);
}

/* Each compared with each. Upstream's tracker takes the argument for a list even where it is an error, and ends the
 * evaluation by that. */
static uint64_t compare_cost(struct mu_cel_eval *e, struct mu_cel_val list) {
    if (list.kind != MU_CEL_K_LIST) {
        mu_cel_stop(e, MU_E_INVALID, "internal error: the cost of sorting what is no list");
        return 0;
    }
    if (list.list->len == 0)
        return list_cost(2, 0);
    enum mu_cel_kind kind = list.list->items[0].kind;
    bool text = kind == MU_CEL_K_STRING || kind == MU_CEL_K_BYTES;
    return list_cost(text ? 2 + per_byte : 2, multiply(list.list->len, list.list->len));
}

static bool takes_text(const struct mu_cel_step *call) {
    return call->known && strstr(call->known->args, ";string") != NULL;
}

static uint64_t address_cost(struct mu_cel_eval *e, const struct mu_cel_step *call, const struct mu_cel_val *args) {
    uint64_t prefix = mu_cel_size(e, args[0]), cost = scan(prefix * 2);
    if (call->cost == MU_CEL_COST_CONTAINS_CIDR)
        cost = add(cost, scan(prefix) + 1);
    return takes_text(call) ? add(cost, scan(mu_cel_size(e, args[1]))) : cost;
}

static uint64_t equal_cost(struct mu_cel_eval *e, const struct mu_cel_val *args) {
    switch (args[0].kind) {
    case MU_CEL_K_QUANTITY:
    case MU_CEL_K_SEMVER:
    case MU_CEL_K_IP:
    case MU_CEL_K_CIDR:
    case MU_CEL_K_URL:
    case MU_CEL_K_FORMAT:
        return 1;
    default:
        return shorter(e, args);
    }
}

/* What a call of lists and sets costs, which is known by its overload. */
static uint64_t list_call_cost(struct mu_cel_eval *e, enum mu_cel_cost cost, const struct mu_cel_val *args,
                               uint32_t len, struct mu_cel_val result) {
    switch (cost) {
    case MU_CEL_COST_LIST_RESULT:
        return list_cost(1, mu_cel_size(e, result));
    case MU_CEL_COST_FLATTEN:
        return list_cost(len == 2 && args[1].kind == MU_CEL_K_INT ? (double)args[1].number : 1,
                         mu_cel_size(e, args[0]));
    case MU_CEL_COST_DISTINCT:
    case MU_CEL_COST_SORT:
        return compare_cost(e, args[0]);
    case MU_CEL_COST_SORT_BY:
        return compare_cost(e, args[1]);
    default: {
        uint64_t pairs = mu_cel_size(e, args[0]) * mu_cel_size(e, args[1]);
        return add(1, (uint64_t)((double)pairs * (cost == MU_CEL_COST_SETS_TWICE ? 2 : 1)));
    }
    }
}

static uint64_t call_cost(struct mu_cel_eval *e, const struct mu_cel_step *call, const struct mu_cel_val *args,
                          struct mu_cel_val result) {
    switch (call->cost) {
    case MU_CEL_COST_WALK:
        return walk(e, args[0]);
    case MU_CEL_COST_SCAN:
        return scan(mu_cel_size(e, args[0]));
    case MU_CEL_COST_REBUILD:
        return round_up((double)mu_cel_size(e, args[0]) * 2 * per_byte);
    case MU_CEL_COST_JOIN:
        return round_up((double)mu_cel_size(e, result) * 2 * per_byte);
    case MU_CEL_COST_FIND:
    case MU_CEL_COST_MATCH:
        return pattern_cost(size_inside(e, args[0]), size_inside(e, args[1]));
    case MU_CEL_COST_VALIDATE:
        return args[0].kind == MU_CEL_K_FORMAT ? pattern_cost(mu_cel_size(e, args[1]), args[0].format->pattern_size)
                                               : 1;
    case MU_CEL_COST_CONTAINS_IP:
    case MU_CEL_COST_CONTAINS_CIDR:
        return address_cost(e, call, args);
    case MU_CEL_COST_ORDER:
        return shorter(e, args);
    case MU_CEL_COST_AFFIX:
        return scan(size_inside(e, args[1]));
    case MU_CEL_COST_TO_BYTES:
    case MU_CEL_COST_TO_STRING:
    case MU_CEL_COST_QUOTE:
        return scan(size_inside(e, args[0]));
    case MU_CEL_COST_IN_LIST:
        return size_inside(e, args[1]);
    case MU_CEL_COST_CONCAT:
        return scan(add(size_inside(e, args[0]), size_inside(e, args[1])));
    case MU_CEL_COST_CONTAINS:
        return multiply(scan(size_inside(e, args[0])), scan(size_inside(e, args[1])));
    case MU_CEL_COST_LIST_RESULT:
    case MU_CEL_COST_FLATTEN:
    case MU_CEL_COST_DISTINCT:
    case MU_CEL_COST_SORT:
    case MU_CEL_COST_SORT_BY:
    case MU_CEL_COST_SETS:
    case MU_CEL_COST_SETS_TWICE:
        return list_call_cost(e, call->cost, args, call->len, result);
    default:
        return 1;
    }
}

void mu_cel_count_call(struct mu_cel_eval *e, const struct mu_cel_step *call, struct mu_cel_val result) {
    struct mu_cel_val args[MU_CEL_ARGS_MAX];
    for (uint32_t i = call->len; i-- > 0;) {
        struct mu_cel_val value;
        if (!take(e, mu_cel_step_id(call->args[i]), &value))
            return; /* an argument that was not evaluated: cel-go counts nothing then */
        if (i < MU_CEL_ARGS_MAX)
            args[i] = value;
    }
    uint64_t cost;
    if (call->kind == MU_CEL_STEP_EQUAL)
        cost = equal_cost(e, args);
    else if (call->kind == MU_CEL_STEP_NOT_EQUAL)
        cost = shorter(e, args);
    else
        cost = call->kind == MU_CEL_STEP_CALL ? call_cost(e, call, args, result) : 1;
    e->cost = add(e->cost, cost);
}
