/* Functions of lists: cel-go's ext.Lists of version 3 and ext.Sets, and Kubernetes' own. */
#include "scheduler/devices/cel/eval.h"

#include <stdlib.h>

/* ---- Kubernetes ---- */

static struct mu_cel_val is_sorted(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    const struct mu_cel_list *list = a[0].list;
    int order;
    (void)mu_cel_step(e, list->len);
    for (uint32_t i = 1; i < list->len; i++) {
        if (!mu_cel_compare(list->items[i - 1], list->items[i], &order))
            return mu_cel_no_overload(e);
        if (order == 1)
            return mu_cel_bool(false);
    }
    return mu_cel_bool(true);
}

/* False where they cannot be added, or the sum overflows. */
static bool add_to(struct mu_cel_val *sum, struct mu_cel_val item) {
    if (sum->kind != item.kind)
        return false;
    switch (sum->kind) {
    case MU_CEL_K_UINT:
        return !__builtin_add_overflow(sum->natural, item.natural, &sum->natural);
    case MU_CEL_K_DOUBLE:
        sum->real += item.real;
        return true;
    default: /* INT, DURATION */
        return !__builtin_add_overflow(sum->number, item.number, &sum->number);
    }
}

static struct mu_cel_val sum_of(struct mu_cel_eval *e, const struct mu_cel_list *list, struct mu_cel_val zero) {
    (void)mu_cel_step(e, list->len);
    for (uint32_t i = 0; i < list->len; i++)
        if (!add_to(&zero, list->items[i]))
            return mu_cel_fail(e, "sum: overflow, or values that cannot be added");
    return zero;
}

static struct mu_cel_val sum_ints(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return sum_of(e, a[0].list, mu_cel_int(0));
}

static struct mu_cel_val sum_uints(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return sum_of(e, a[0].list, mu_cel_uint(0));
}

static struct mu_cel_val sum_doubles(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return sum_of(e, a[0].list, mu_cel_double(0));
}

static struct mu_cel_val sum_durations(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return sum_of(e, a[0].list, (struct mu_cel_val){.kind = MU_CEL_K_DURATION});
}

static struct mu_cel_val extreme(struct mu_cel_eval *e, const struct mu_cel_list *list, int wanted, const char *name) {
    if (list->len == 0)
        return mu_cel_fail(e, "%s called on empty list", name);
    struct mu_cel_val found = list->items[0];
    int order;
    (void)mu_cel_step(e, list->len);
    for (uint32_t i = 1; i < list->len; i++) {
        if (!mu_cel_compare(list->items[i], found, &order))
            return mu_cel_no_overload(e);
        if (order == wanted)
            found = list->items[i];
    }
    return found;
}

static struct mu_cel_val least(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return extreme(e, a[0].list, -1, "min");
}

static struct mu_cel_val greatest(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return extreme(e, a[0].list, 1, "max");
}

static struct mu_cel_val index_of(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    for (uint32_t i = 0; i < a[0].list->len && !e->stopped; i++)
        if (mu_cel_equal(e, a[0].list->items[i], a[1]))
            return mu_cel_int(i);
    return mu_cel_int(-1);
}

static struct mu_cel_val last_index_of(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    for (uint32_t i = a[0].list->len; i-- > 0 && !e->stopped;)
        if (mu_cel_equal(e, a[0].list->items[i], a[1]))
            return mu_cel_int(i);
    return mu_cel_int(-1);
}

static bool list_has(struct mu_cel_eval *e, const struct mu_cel_list *list, struct mu_cel_val item) {
    for (uint32_t i = 0; i < list->len && !e->stopped; i++)
        if (mu_cel_equal(e, list->items[i], item))
            return true;
    return false;
}

/* Of what is no list: is it equal? So attributes may become lists without breaking expressions. */
static struct mu_cel_val includes(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(a[0].kind == MU_CEL_K_LIST ? list_has(e, a[0].list, a[1]) : mu_cel_equal(e, a[0], a[1]));
}

/* ---- ext.Lists ---- */

static struct mu_cel_val slice(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    int64_t start = a[1].number, end = a[2].number;
    if (start < 0 || end < 0 || start > end || end > a[0].list->len)
        return mu_cel_fail(e, "cannot slice(%lld, %lld) of a list of %u", (long long)start, (long long)end,
                           a[0].list->len);
    struct mu_cel_val list = mu_cel_list_make(e, (size_t)(end - start));
    if (!mu_cel_is_error(list) && end > start)
        memcpy(list.list->items, a[0].list->items + start, (size_t)(end - start) * sizeof *list.list->items);
    return list;
}

static bool flatten_into(struct mu_cel_eval *e, struct mu_cel_list *out, const struct mu_cel_list *list,
                         int64_t depth) {
    if (!mu_cel_descend(e))
        return false;
    bool fine = true;
    for (uint32_t i = 0; fine && i < list->len; i++) {
        fine = mu_cel_step(e, 1);
        if (fine && list->items[i].kind == MU_CEL_K_LIST && depth > 0)
            fine = flatten_into(e, out, list->items[i].list, depth - 1);
        else
            fine = fine && mu_cel_list_push(e, out, list->items[i]);
    }
    mu_cel_ascend(e);
    return fine;
}

static struct mu_cel_val flatten(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    int64_t depth = len > 1 ? a[1].number : 1;
    if (depth < 0)
        return mu_cel_fail(e, "level must be non-negative");
    struct mu_cel_val list = mu_cel_list_make(e, 0);
    return !mu_cel_is_error(list) && flatten_into(e, list.list, a[0].list, depth) ? list : mu_cel_no_overload(e);
}

static struct mu_cel_val range(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    if (a[0].number < 0)
        return mu_cel_fail(e, "lists.range: size must be non-negative, got %lld", (long long)a[0].number);
    struct mu_cel_val list = mu_cel_list_make(e, (size_t)a[0].number);
    for (uint32_t i = 0; list.kind == MU_CEL_K_LIST && i < list.list->len; i++)
        list.list->items[i] = mu_cel_int(i);
    (void)mu_cel_step(e, (uint64_t)a[0].number);
    return list;
}

static struct mu_cel_val reverse(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_cel_val list = mu_cel_list_make(e, a[0].list->len);
    for (uint32_t i = 0; list.kind == MU_CEL_K_LIST && i < list.list->len; i++)
        list.list->items[i] = a[0].list->items[list.list->len - 1 - i];
    (void)mu_cel_step(e, a[0].list->len);
    return list;
}

static struct mu_cel_val distinct(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_cel_val list = mu_cel_list_make(e, 0);
    for (uint32_t i = 0; list.kind == MU_CEL_K_LIST && i < a[0].list->len && !e->stopped; i++)
        if (!list_has(e, list.list, a[0].list->items[i]) && !mu_cel_list_push(e, list.list, a[0].list->items[i]))
            break;
    return list;
}

/* Where each item of the sorted list comes from. Equal ones stay in their order. */
struct place {
    struct mu_cel_val key;
    uint32_t from;
};

static int by_key(const void *x, const void *y) {
    const struct place *a = x, *b = y;
    int order = 0;
    (void)mu_cel_compare(a->key, b->key, &order);
    return order == 1 || order == -1 ? order : (a->from > b->from) - (a->from < b->from);
}

static struct mu_cel_val sort_by(struct mu_cel_eval *e, const struct mu_cel_list *list,
                                 const struct mu_cel_list *keys) {
    int order;
    if (list->len != keys->len)
        return mu_cel_fail(e, "@sortByAssociatedKeys() expected a list of the same size as the associated keys list");
    struct place *places = mu_cel_alloc(e, list->len, sizeof *places);
    struct mu_cel_val sorted = mu_cel_list_make(e, list->len);
    if (places == NULL || mu_cel_is_error(sorted) || !mu_cel_step(e, (uint64_t)list->len * 16))
        return mu_cel_no_overload(e);
    for (uint32_t i = 0; i < list->len; i++) {
        places[i] = (struct place){keys->items[i], i};
        if (!mu_cel_compare(keys->items[i], keys->items[i], &order))
            return mu_cel_fail(e, "list elements must be comparable");
        if (keys->items[i].kind != keys->items[0].kind)
            return mu_cel_fail(e, "list elements must have the same type");
    }
    qsort(places, list->len, sizeof *places, by_key);
    for (uint32_t i = 0; i < list->len; i++)
        sorted.list->items[i] = list->items[places[i].from];
    return sorted;
}

static struct mu_cel_val sort(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return sort_by(e, a[0].list, a[0].list);
}

static struct mu_cel_val sort_by_keys(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return sort_by(e, a[0].list, a[1].list);
}

/* ---- ext.Sets ---- */

static bool has_all(struct mu_cel_eval *e, const struct mu_cel_list *list, const struct mu_cel_list *of) {
    for (uint32_t i = 0; i < of->len && !e->stopped; i++)
        if (!list_has(e, list, of->items[i]))
            return false;
    return true;
}

static struct mu_cel_val contains(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(has_all(e, a[0].list, a[1].list));
}

static struct mu_cel_val equivalent(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(has_all(e, a[0].list, a[1].list) && has_all(e, a[1].list, a[0].list));
}

static struct mu_cel_val intersects(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    for (uint32_t i = 0; i < a[0].list->len && !e->stopped; i++)
        if (list_has(e, a[1].list, a[0].list->items[i]))
            return mu_cel_bool(true);
    return mu_cel_bool(false);
}

const struct mu_cel_overload mu_cel_sets[] = {
    {"sets.contains", "list(A);list(A)", "bool", contains, .cost = MU_CEL_COST_SETS},
    {"sets.equivalent", "list(A);list(A)", "bool", equivalent, .cost = MU_CEL_COST_SETS_TWICE},
    {"sets.intersects", "list(A);list(A)", "bool", intersects, .cost = MU_CEL_COST_SETS},
    {0},
};

#define WALK(function, type, result, fn)                                                                               \
    { function, "list(" type ")", result, fn, .cost = MU_CEL_COST_WALK, .member = true }
/* For each type that has an order. */
#define COMPARABLE(MACRO)                                                                                              \
    MACRO("int"), MACRO("uint"), MACRO("double"), MACRO("bool"), MACRO("duration"), MACRO("timestamp"),                \
        MACRO("string"), MACRO("bytes")
#define IS_SORTED(type) WALK("isSorted", type, "bool", is_sorted)
#define MIN(type) WALK("min", type, type, least)
#define MAX(type) WALK("max", type, type, greatest)
#define SORT(type)                                                                                                     \
    { "sort", "list(" type ")", "list(" type ")", sort, .cost = MU_CEL_COST_SORT, .member = true }
#define SORT_BY(type)                                                                                                  \
    {                                                                                                                  \
        "@sortByAssociatedKeys", "list(A);list(" type ")", "list(A)", sort_by_keys, .cost = MU_CEL_COST_SORT_BY,       \
                                                                                    .member = true                     \
    }

const struct mu_cel_overload mu_cel_lists[] = {
    COMPARABLE(IS_SORTED),
    WALK("sum", "int", "int", sum_ints),
    WALK("sum", "uint", "uint", sum_uints),
    WALK("sum", "double", "double", sum_doubles),
    WALK("sum", "duration", "duration", sum_durations),
    COMPARABLE(MIN),
    COMPARABLE(MAX),
    {"indexOf", "list(A);A", "int", index_of, .cost = MU_CEL_COST_WALK, .member = true},
    {"lastIndexOf", "list(A);A", "int", last_index_of, .cost = MU_CEL_COST_WALK, .member = true},
    {"includes", "dyn;dyn", "bool", includes, .cost = MU_CEL_COST_WALK, .member = true,
     .features = MU_CEL_LIST_ATTRIBUTES},
    {"slice", "list(A);int;int", "list(A)", slice, .cost = MU_CEL_COST_LIST_RESULT, .member = true},
    {"flatten", "list(list(A))", "list(A)", flatten, .cost = MU_CEL_COST_FLATTEN, .member = true},
    {"flatten", "list(dyn);int", "list(dyn)", flatten, .cost = MU_CEL_COST_FLATTEN, .member = true},
    COMPARABLE(SORT),
    COMPARABLE(SORT_BY),
    {"lists.range", "int", "list(int)", range, .cost = MU_CEL_COST_LIST_RESULT},
    {"reverse", "list(A)", "list(A)", reverse, .cost = MU_CEL_COST_LIST_RESULT, .member = true},
    {"distinct", "list(A)", "list(A)", distinct, .cost = MU_CEL_COST_DISTINCT, .member = true},
    {0},
};
