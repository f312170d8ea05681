/* Operators: arithmetic with overflow as an error, order, `in`, `+` of texts and lists (cel-spec, "List of Standard
 * Definitions"). */
#include "scheduler/devices/cel/eval.h"

static struct mu_cel_val overflow(struct mu_cel_eval *e, const char *what) {
    return mu_cel_fail(e, "%s overflow", what);
}

/* ---- Arithmetic ---- */

static struct mu_cel_val add_ints(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    int64_t r;
    return __builtin_add_overflow(a[0].number, a[1].number, &r) ? overflow(e, "integer") : mu_cel_int(r);
}

static struct mu_cel_val subtract_ints(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    int64_t r;
    return __builtin_sub_overflow(a[0].number, a[1].number, &r) ? overflow(e, "integer") : mu_cel_int(r);
}

static struct mu_cel_val multiply_ints(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    int64_t r;
    return __builtin_mul_overflow(a[0].number, a[1].number, &r) ? overflow(e, "integer") : mu_cel_int(r);
}

static struct mu_cel_val divide_ints(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    if (a[1].number == 0)
        return mu_cel_fail(e, "division by zero");
    if (a[0].number == INT64_MIN && a[1].number == -1)
        return overflow(e, "integer");
    return mu_cel_int(a[0].number / a[1].number);
}

static struct mu_cel_val modulo_ints(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    if (a[1].number == 0)
        return mu_cel_fail(e, "modulus by zero");
    if (a[0].number == INT64_MIN && a[1].number == -1)
        return overflow(e, "integer");
    return mu_cel_int(a[0].number % a[1].number);
}

static struct mu_cel_val negate_int(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return a[0].number == INT64_MIN ? overflow(e, "integer") : mu_cel_int(-a[0].number);
}

static struct mu_cel_val add_uints(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    uint64_t r;
    return __builtin_add_overflow(a[0].natural, a[1].natural, &r) ? overflow(e, "unsigned integer") : mu_cel_uint(r);
}

static struct mu_cel_val subtract_uints(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    uint64_t r;
    return __builtin_sub_overflow(a[0].natural, a[1].natural, &r) ? overflow(e, "unsigned integer") : mu_cel_uint(r);
}

static struct mu_cel_val multiply_uints(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    uint64_t r;
    return __builtin_mul_overflow(a[0].natural, a[1].natural, &r) ? overflow(e, "unsigned integer") : mu_cel_uint(r);
}

static struct mu_cel_val divide_uints(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return a[1].natural == 0 ? mu_cel_fail(e, "division by zero") : mu_cel_uint(a[0].natural / a[1].natural);
}

static struct mu_cel_val modulo_uints(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return a[1].natural == 0 ? mu_cel_fail(e, "modulus by zero") : mu_cel_uint(a[0].natural % a[1].natural);
}

static struct mu_cel_val add_doubles(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_double(a[0].real + a[1].real);
}

static struct mu_cel_val subtract_doubles(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_double(a[0].real - a[1].real);
}

static struct mu_cel_val multiply_doubles(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_double(a[0].real * a[1].real);
}

/* IEEE 754: by zero is an infinity, or none; said in full, as C leaves it open. */
static struct mu_cel_val divide_doubles(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    if (a[1].real != 0)
        return mu_cel_double(a[0].real / a[1].real);
    if (a[0].real == 0 || a[0].real != a[0].real)
        return mu_cel_double(__builtin_nan(""));
    bool negative = (a[0].real < 0) != (__builtin_signbit(a[1].real) != 0);
    return mu_cel_double(negative ? -__builtin_inf() : __builtin_inf());
}

static struct mu_cel_val negate_double(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_double(-a[0].real);
}

/* ---- Order and logic ---- */

static struct mu_cel_val ordered(struct mu_cel_eval *e, const struct mu_cel_val *a, bool less, bool equal,
                                 bool greater) {
    int r;
    if (!mu_cel_compare(a[0], a[1], &r))
        return mu_cel_no_overload(e);
    if ((a[0].kind == MU_CEL_K_DOUBLE || a[1].kind == MU_CEL_K_DOUBLE) && r > 1)
        /* NaN: cel-go makes an error of it */
        return mu_cel_fail(e, "NaN values cannot be ordered");
    return mu_cel_bool(r < 0 ? less : r > 0 ? greater : equal);
}

static struct mu_cel_val less(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return ordered(e, a, true, false, false);
}

static struct mu_cel_val less_equal(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return ordered(e, a, true, true, false);
}

static struct mu_cel_val greater(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return ordered(e, a, false, false, true);
}

static struct mu_cel_val greater_equal(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return ordered(e, a, false, true, true);
}

static struct mu_cel_val not(struct mu_cel_eval * e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(!a[0].boolean);
}

/* ---- Texts, lists, maps ---- */

static struct mu_cel_val add_texts(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    size_t bytes = a[0].text.len + a[1].text.len;
    char *out = mu_cel_alloc(e, bytes, 1);
    if (out == NULL || !mu_cel_step(e, bytes / 8))
        return mu_cel_no_overload(e);
    if (a[0].text.len > 0)
        memcpy(out, a[0].text.ptr, a[0].text.len);
    if (a[1].text.len > 0)
        memcpy(out + a[0].text.len, a[1].text.ptr, a[1].text.len);
    return mu_cel_text(a[0].kind, (struct mu_str){out, bytes});
}

/* The accumulator of a comprehension grows in place, as in cel-go, so that map() is not quadratic. */
static struct mu_cel_val add_lists(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    const struct mu_cel_list *right = a[1].list;
    if (!mu_cel_step(e, right->len))
        return mu_cel_no_overload(e);
    if (a[0].list->grows) {
        uint32_t count = right->len; /* it may be the same list */
        for (uint32_t i = 0; i < count; i++)
            if (!mu_cel_list_push(e, a[0].list, right->items[i]))
                return mu_cel_no_overload(e);
        return a[0];
    }
    struct mu_cel_val list = mu_cel_list_make(e, (size_t)a[0].list->len + right->len);
    if (mu_cel_is_error(list) || !mu_cel_step(e, a[0].list->len))
        return mu_cel_no_overload(e);
    for (uint32_t i = 0; i < a[0].list->len; i++)
        list.list->items[i] = a[0].list->items[i];
    for (uint32_t i = 0; i < right->len; i++)
        list.list->items[a[0].list->len + i] = right->items[i];
    return list;
}

static struct mu_cel_val in_list(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    for (uint32_t i = 0; i < a[1].list->len && !e->stopped; i++)
        if (mu_cel_equal(e, a[0], a[1].list->items[i]))
            return mu_cel_bool(true);
    return mu_cel_bool(false);
}

static struct mu_cel_val in_map(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(mu_cel_map_find(e, a[1], a[0], NULL));
}

/* What transformMap() adds to. Upstream copies a map that does not grow; there is none here but the accumulator. */
static struct mu_cel_val insert(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    if (!a[0].map->grows)
        return mu_cel_no_overload(e);
    if (len == 3)
        return mu_cel_map_put(e, a[0], a[1], a[2], false);
    struct mu_cel_val map = a[0];
    for (uint32_t i = 0; i < mu_cel_map_len(e, a[1]) && !mu_cel_is_error(map); i++)
        map = mu_cel_map_put(e, map, mu_cel_map_key(e, a[1], i), mu_cel_map_value(e, a[1], i), false);
    return map;
}

#define ORDER_OF(function, fn)                                                                                         \
    {function, "bool;bool", "bool", fn}, {function, "int;int", "bool", fn}, {function, "int;double", "bool", fn},      \
        {function, "int;uint", "bool", fn}, {function, "uint;uint", "bool", fn},                                       \
        {function, "uint;double", "bool", fn}, {function, "uint;int", "bool", fn},                                     \
        {function, "double;double", "bool", fn}, {function, "double;int", "bool", fn},                                 \
        {function, "double;uint", "bool", fn}, {function, "string;string", "bool", fn, .cost = MU_CEL_COST_ORDER},     \
        {function, "bytes;bytes", "bool", fn, .cost = MU_CEL_COST_ORDER},                                              \
        {function, "timestamp;timestamp", "bool", fn}, {                                                               \
        function, "duration;duration", "bool", fn                                                                      \
    }

const struct mu_cel_overload mu_cel_operators[] = {
    {"_?_:_", "bool;A;A", "A", NULL, .cost = MU_CEL_COST_CONDITION},
    {"_&&_", "bool;bool", "bool", NULL, .cost = MU_CEL_COST_LOGIC},
    {"_||_", "bool;bool", "bool", NULL, .cost = MU_CEL_COST_LOGIC},
    {"!_", "bool", "bool", not },
    {"@not_strictly_false", "bool", "bool", NULL},
    {"_==_", "A;A", "bool", NULL, .cost = MU_CEL_COST_EQUAL},
    {"_!=_", "A;A", "bool", NULL, .cost = MU_CEL_COST_NOT_EQUAL},
    {"_+_", "bytes;bytes", "bytes", add_texts, .cost = MU_CEL_COST_CONCAT},
    {"_+_", "double;double", "double", add_doubles},
    {"_+_", "int;int", "int", add_ints},
    {"_+_", "list(A);list(A)", "list(A)", add_lists, .cost = MU_CEL_COST_CONCAT_LIST},
    {"_+_", "string;string", "string", add_texts, .cost = MU_CEL_COST_CONCAT},
    {"_+_", "uint;uint", "uint", add_uints},
    {"_/_", "double;double", "double", divide_doubles},
    {"_/_", "int;int", "int", divide_ints},
    {"_/_", "uint;uint", "uint", divide_uints},
    {"_%_", "int;int", "int", modulo_ints},
    {"_%_", "uint;uint", "uint", modulo_uints},
    {"_*_", "double;double", "double", multiply_doubles},
    {"_*_", "int;int", "int", multiply_ints},
    {"_*_", "uint;uint", "uint", multiply_uints},
    {"-_", "double", "double", negate_double},
    {"-_", "int", "int", negate_int},
    {"_-_", "double;double", "double", subtract_doubles},
    {"_-_", "int;int", "int", subtract_ints},
    {"_-_", "uint;uint", "uint", subtract_uints},
    ORDER_OF("_<_", less),
    ORDER_OF("_<=_", less_equal),
    ORDER_OF("_>_", greater),
    ORDER_OF("_>=_", greater_equal),
    {"_[_]", "list(A);int", "A", NULL, .cost = MU_CEL_COST_INDEX_LIST},
    {"_[_]", "map(A,B);A", "B", NULL, .cost = MU_CEL_COST_INDEX_MAP},
    {"_[_]", "optional(list(A));int", "optional(A)", NULL},
    {"_[_]", "optional(map(A,B));A", "optional(B)", NULL},
    {"@in", "A;list(A)", "bool", in_list, .cost = MU_CEL_COST_IN_LIST},
    {"@in", "A;map(A,B)", "bool", in_map},
    {"cel.@mapInsert", "map(A,B);A;B", "map(A,B)", insert},
    {"cel.@mapInsert", "map(A,B);map(A,B)", "map(A,B)", insert},
    {0},
};
