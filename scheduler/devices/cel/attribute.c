/* Attributes: a variable or a value, and the fields and indexes taken from it one after another. */
#include "scheduler/devices/cel/eval.h"

/* What selecting can come to. */
enum selected {
    FAILED = 0, /* the value is the error */
    FOUND,
    ABSENT
};

static struct mu_cel_val absent_key(struct mu_cel_eval *e, struct mu_cel_val key) {
    struct mu_str text = mu_cel_show(e->arena, key);
    return mu_cel_fail(e, "no such key: " MU_STR_FMT, MU_STR_ARG(text));
}

/* An index of a list: an integer of any kind of number. */
static bool as_index(struct mu_cel_val key, int64_t *ret) {
    switch (key.kind) {
    case MU_CEL_K_INT:
        *ret = key.number;
        return true;
    case MU_CEL_K_UINT:
        *ret = key.natural > INT64_MAX ? INT64_MAX : (int64_t)key.natural;
        return true;
    case MU_CEL_K_DOUBLE:
        if (!(key.real >= -9007199254740992.0 && key.real <= 9007199254740992.0) ||
            (double)(int64_t)key.real != key.real)
            return false;
        *ret = (int64_t)key.real;
        return true;
    default:
        return false;
    }
}

static enum selected select_from(struct mu_cel_eval *e, struct mu_cel_val from, struct mu_cel_val key, bool presence,
                                 struct mu_cel_val *ret) {
    int64_t index;
    switch (from.kind) {
    case MU_CEL_K_MAP:
        if (mu_cel_map_select(e, from, key, ret))
            return FOUND;
        break;
    case MU_CEL_K_LIST:
        if (!as_index(key, &index)) {
            *ret = mu_cel_fail(e, "unsupported index type '" MU_STR_FMT "' in list",
                               MU_STR_ARG(mu_cel_kind_name(key.kind)));
            return FAILED;
        }
        if (index >= 0 && index < from.list->len) {
            *ret = from.list->items[index];
            return FOUND;
        }
        if (presence)
            return ABSENT;
        *ret = mu_cel_fail(e, "index out of bounds: %lld", (long long)index);
        return FAILED;
    case MU_CEL_K_ERROR:
        *ret = from;
        return FAILED;
    default:
        presence = presence && (!e->strict || from.kind == MU_CEL_K_OPTIONAL);
        break;
    }
    if (presence)
        return ABSENT;
    *ret = absent_key(e, key);
    return FAILED;
}

/* The key of a qualifier; an error where there is none, or it is no key. */
static struct mu_cel_val key_of(struct mu_cel_eval *e, const struct mu_cel_qualifier *q) {
    if (q->attr == NULL)
        return q->key;
    struct mu_cel_val key = mu_cel_resolve(e, q->attr);
    switch (key.kind) {
    case MU_CEL_K_ERROR:
    case MU_CEL_K_STRING:
    case MU_CEL_K_INT:
    case MU_CEL_K_UINT:
    case MU_CEL_K_BOOL:
    case MU_CEL_K_DOUBLE:
        return key;
    default:
        return mu_cel_fail(e, "invalid qualifier type: %s", mu_cel_host_name(key.kind));
    }
}

/* One qualifier applied to *value. */
static enum selected qualify(struct mu_cel_eval *e, const struct mu_cel_qualifier *q, bool optional,
                             struct mu_cel_val *value) {
    struct mu_cel_val key = key_of(e, q), from = *value;
    enum selected selected = FAILED;
    if (mu_cel_is_error(key))
        *value = key;
    else
        selected = select_from(e, from, key, optional || q->test_only, value);
    if (q->test_only && !optional && selected != FAILED) {
        *value = mu_cel_bool(selected == FOUND);
        selected = FOUND;
    }
    if (e->heads && !e->stopped && (!optional || selected == FOUND)) {
        if (q->counts_as_attribute)
            mu_cel_count_drop(e, q->id);
        e->cost++;
        mu_cel_count_push(e, *value, q->id);
        if (e->cost > e->cost_max)
            mu_cel_stop(e, MU_E_LIMIT, "operation cancelled: actual cost limit exceeded");
    }
    return selected;
}

static struct mu_cel_val apply_qualifiers(struct mu_cel_eval *e, struct mu_cel_val value,
                                          const struct mu_cel_attr *attr) {
    bool optional = value.kind == MU_CEL_K_OPTIONAL;
    if (optional) {
        if (value.inner == NULL || attr->qualifiers.len == 0)
            return value;
        value = *value.inner;
    }
    for (size_t i = 0; i < attr->qualifiers.len; i++) {
        const struct mu_cel_qualifier *q = attr->qualifiers.items[i];
        optional = optional || q->optional;
        enum selected selected = qualify(e, q, optional, &value);
        if (selected == ABSENT)
            return mu_cel_optional(e, NULL);
        if (selected == FAILED)
            return value;
    }
    return optional ? mu_cel_optional(e, &value) : value;
}

/* Evaluated when it is first seen, as cel-go does: cel.bind() of what is not used costs nothing. */
static struct mu_cel_val accumulator(struct mu_cel_eval *e, uint32_t index, const struct mu_cel_step *init) {
    struct mu_cel_frame *frame = &e->frames[index];
    if (frame->initialized)
        return frame->accumulator;
    frame->initialized = true;
    struct mu_cel_val value = mu_cel_run(e, init);
    if (value.kind == MU_CEL_K_LIST && value.list->len == 0) {
        value = mu_cel_list_make(e, 0);
        if (value.kind == MU_CEL_K_LIST)
            value.list->grows = true;
    } else if (value.kind == MU_CEL_K_MAP && mu_cel_map_len(e, value) == 0) {
        value = mu_cel_map_make(e, 0);
        if (value.kind == MU_CEL_K_MAP)
            value.map->grows = true;
    }
    frame->accumulator = value;
    return value;
}

static struct mu_cel_val variable(struct mu_cel_eval *e, uint32_t index) {
    if (e->device)
        return (struct mu_cel_val){.kind = MU_CEL_K_MAP, .map = &e->device_map};
    if (e->bindings == NULL || e->bindings[index].name.len == 0)
        return mu_cel_fail(e, "no such attribute(s)");
    return e->bindings[index].value;
}

struct mu_cel_val mu_cel_resolve(struct mu_cel_eval *e, const struct mu_cel_attr *attr) {
    struct mu_cel_val value;
    switch (attr->base) {
    case MU_CEL_BASE_VARIABLE:
        value = variable(e, attr->index);
        break;
    case MU_CEL_BASE_ACCUMULATOR:
        value = accumulator(e, attr->index, attr->operand);
        break;
    case MU_CEL_BASE_FIRST:
        value = e->frames[attr->index].first;
        break;
    case MU_CEL_BASE_SECOND:
        value = e->frames[attr->index].second;
        break;
    case MU_CEL_BASE_OPERAND:
        value = mu_cel_run(e, attr->operand);
        break;
    case MU_CEL_BASE_CONDITION:
        value = mu_cel_run(e, attr->operand);
        if (value.kind == MU_CEL_K_BOOL)
            return mu_cel_resolve(e, value.boolean ? attr->yes : attr->no);
        return mu_cel_is_error(value) ? value : mu_cel_no_overload(e);
    case MU_CEL_BASE_MISSING:
    default:
        return mu_cel_fail(e, "no such attribute(s): " MU_STR_FMT, MU_STR_ARG(attr->name));
    }
    return mu_cel_is_error(value) ? value : apply_qualifiers(e, value, attr);
}
