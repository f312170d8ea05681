/* Optional values: cel-go's OptionalTypes. or(), orValue(), .? and [?] are the planner's. */
#include "scheduler/devices/cel/eval.h"

static struct mu_cel_val of(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_optional(e, &a[0]);
}

static bool is_zero(struct mu_cel_eval *e, struct mu_cel_val v) {
    switch (v.kind) {
    case MU_CEL_K_NULL:
        return true;
    case MU_CEL_K_BOOL:
        return !v.boolean;
    case MU_CEL_K_INT:
    case MU_CEL_K_DURATION:
        return v.number == 0;
    case MU_CEL_K_TIMESTAMP: /* Go's zero time is the first of January of year 1 */
        return v.number == INT64_C(-62135596800) && v.nanos == 0;
    case MU_CEL_K_UINT:
        return v.natural == 0;
    case MU_CEL_K_DOUBLE:
        return v.real == 0;
    case MU_CEL_K_STRING:
    case MU_CEL_K_BYTES:
        return v.text.len == 0;
    case MU_CEL_K_LIST:
        return v.list->len == 0;
    case MU_CEL_K_MAP:
        return mu_cel_map_len(e, v) == 0;
    default:
        return false;
    }
}

static struct mu_cel_val of_non_zero(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_optional(e, is_zero(e, a[0]) ? NULL : &a[0]);
}

static struct mu_cel_val none(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_optional(e, NULL);
}

static struct mu_cel_val value(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return a[0].inner ? *a[0].inner : mu_cel_fail(e, "optional.none() dereference");
}

static struct mu_cel_val has_value(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(a[0].inner != NULL);
}

static struct mu_cel_val first(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_optional(e, a[0].list->len > 0 ? &a[0].list->items[0] : NULL);
}

static struct mu_cel_val last(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_optional(e, a[0].list->len > 0 ? &a[0].list->items[a[0].list->len - 1] : NULL);
}

static struct mu_cel_val unwrap(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_cel_val list = mu_cel_list_make(e, a[0].list->len);
    if (mu_cel_is_error(list) || !mu_cel_step(e, a[0].list->len))
        return mu_cel_no_overload(e);
    list.list->len = 0;
    for (uint32_t i = 0; i < a[0].list->len; i++) {
        struct mu_cel_val item = a[0].list->items[i];
        if (item.kind != MU_CEL_K_OPTIONAL)
            return mu_cel_fail(e, "value is not optional");
        if (item.inner)
            list.list->items[list.list->len++] = *item.inner;
    }
    return list;
}

const struct mu_cel_overload mu_cel_optionals[] = {
    {"optional.of", "A", "optional(A)", of},
    {"optional.ofNonZeroValue", "A", "optional(A)", of_non_zero},
    {"optional.none", "", "optional(A)", none},
    {"value", "optional(A)", "A", value, .member = true},
    {"hasValue", "optional(A)", "bool", has_value, .member = true},
    {"or", "optional(A);optional(A)", "optional(A)", NULL, .member = true},
    {"orValue", "optional(A);A", "A", NULL, .member = true},
    {"_?._", "dyn;string", "optional(A)", NULL},
    {"_[?_]", "list(A);int", "optional(A)", NULL},
    {"_[?_]", "optional(list(A));int", "optional(A)", NULL},
    {"_[?_]", "map(A,B);A", "optional(B)", NULL},
    {"_[?_]", "optional(map(A,B));A", "optional(B)", NULL},
    {"last", "list(A)", "optional(A)", last, .member = true},
    {"first", "list(A)", "optional(A)", first, .member = true},
    {"optional.unwrap", "list(optional(A))", "list(A)", unwrap},
    {"unwrapOpt", "list(optional(A))", "list(A)", unwrap, .member = true},
    {0},
};
