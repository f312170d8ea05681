/* The evaluator: steps are run one inside the other, as deep as the tree at most. Each step, when it is done, is counted
 * (cost.c); one that passes a limit stops everything that comes after it. */
#include "scheduler/devices/cel/eval.h"

static struct mu_cel_val run_fold(struct mu_cel_eval *e, const struct mu_cel_step *step);

/* ---- Calls ---- */

static bool takes(struct mu_cel_eval *e, const struct mu_cel_argument *argument, struct mu_cel_val value) {
    if (argument->kind == MU_CEL_K_DYN)
        return true;
    if (argument->kind != value.kind)
        return false;
    if (value.kind != MU_CEL_K_LIST && value.kind != MU_CEL_K_MAP)
        return true;
    const char *text = argument->text;
    return mu_cel_takes(e, &text, value);
}

struct mu_cel_val mu_cel_apply(struct mu_cel_eval *e, const struct mu_cel_step *call, const struct mu_cel_val *args) {
    for (uint32_t i = 0; i < call->candidates_len; i++) {
        const struct mu_cel_candidate *candidate = &call->candidates[i];
        uint32_t a = 0;
        while (a < call->len && takes(e, &candidate->args[a], args[a]))
            a++;
        if (a == call->len && candidate->overload->fn)
            return candidate->overload->fn(e, args, call->len);
    }
    return mu_cel_no_overload(e);
}

static struct mu_cel_val match_pattern(struct mu_cel_eval *e, const struct mu_cel_step *step,
                                       const struct mu_cel_val *args) {
    return mu_cel_regex_call(e, step->regex, args, step->len, step->candidates[0].overload->function);
}

static struct mu_cel_val run_call(struct mu_cel_eval *e, const struct mu_cel_step *step) {
    struct mu_cel_val args[MU_CEL_ARGS_MAX], failed = {0};
    bool error = false;
    for (uint32_t i = 0; i < step->len; i++) {
        struct mu_cel_val value = mu_cel_run(e, step->args[i]);
        if (mu_cel_is_error(value) && !error) {
            error = true;
            failed = value;
            if (step->early)
                return failed;
        }
        if (i < MU_CEL_ARGS_MAX)
            args[i] = value;
    }
    if (error || e->stopped)
        return failed;
    if (step->candidates_len == 0)
        return mu_cel_no_overload(e);
    return step->regex ? match_pattern(e, step, args) : mu_cel_apply(e, step, args);
}

static struct mu_cel_val run_equal(struct mu_cel_eval *e, const struct mu_cel_step *step) {
    struct mu_cel_val a = mu_cel_run(e, step->args[0]), b = mu_cel_run(e, step->args[1]);
    if (mu_cel_is_error(a))
        return a;
    if (mu_cel_is_error(b))
        return b;
    enum mu_cel_equality equality = mu_cel_equality(e, a, b);
    if (step->kind == MU_CEL_STEP_NOT_EQUAL)
        return mu_cel_bool(equality != MU_CEL_EQUAL);
    return equality == MU_CEL_INCOMPARABLE ? mu_cel_no_overload(e) : mu_cel_bool(equality == MU_CEL_EQUAL);
}

/* && and ||: what decides (false, true) wins over errors before and after it. */
static struct mu_cel_val run_logic(struct mu_cel_eval *e, const struct mu_cel_step *step) {
    bool decides = step->kind == MU_CEL_STEP_OR, error = false;
    struct mu_cel_val failed = {0};
    for (uint32_t i = 0; i < step->len && !e->stopped; i++) {
        struct mu_cel_val value = mu_cel_run(e, step->args[i]);
        if (mu_cel_is_bool(value, decides))
            return value;
        if (value.kind != MU_CEL_K_BOOL && !error) {
            error = true;
            failed = mu_cel_is_error(value) ? value : mu_cel_no_overload(e);
        }
    }
    return error ? failed : mu_cel_bool(!decides);
}

/* optional.or(other), optional.orValue(other): the other is only evaluated where it is needed. */
static struct mu_cel_val run_optional(struct mu_cel_eval *e, const struct mu_cel_step *step) {
    struct mu_cel_val value = mu_cel_run(e, step->args[0]);
    if (mu_cel_is_error(value))
        return value;
    if (value.kind != MU_CEL_K_OPTIONAL)
        return mu_cel_no_overload(e);
    if (value.inner == NULL)
        return mu_cel_run(e, step->args[1]);
    return step->kind == MU_CEL_STEP_OPTIONAL_OR ? value : *value.inner;
}

/* ---- Literals ---- */

static struct mu_cel_val run_list(struct mu_cel_eval *e, const struct mu_cel_step *step) {
    struct mu_cel_val list = mu_cel_list_make(e, step->len);
    if (mu_cel_is_error(list))
        return list;
    list.list->len = 0;
    for (uint32_t i = 0; i < step->len; i++) {
        struct mu_cel_val item = mu_cel_run(e, step->args[i]);
        if (mu_cel_is_error(item))
            return item;
        if (step->optional && step->optional[i]) {
            if (item.kind != MU_CEL_K_OPTIONAL)
                return mu_cel_fail(e, "cannot initialize optional list element from non-optional value");
            if (item.inner == NULL)
                continue;
            item = *item.inner;
        }
        list.list->items[list.list->len++] = item;
    }
    return list;
}

static struct mu_cel_val run_map(struct mu_cel_eval *e, const struct mu_cel_step *step) {
    struct mu_cel_val map = mu_cel_map_make(e, step->len / 2);
    for (uint32_t i = 0; i < step->len && !mu_cel_is_error(map); i += 2) {
        struct mu_cel_val key = mu_cel_run(e, step->args[i]);
        if (mu_cel_is_error(key))
            return key;
        struct mu_cel_val value = mu_cel_run(e, step->args[i + 1]);
        if (mu_cel_is_error(value))
            return value;
        if (step->optional && step->optional[i / 2]) {
            if (value.kind != MU_CEL_K_OPTIONAL)
                return mu_cel_fail(e, "cannot initialize optional entry from non-optional value");
            if (value.inner == NULL)
                continue;
            value = *value.inner;
        }
        map = mu_cel_map_put(e, map, key, value, !e->strict);
    }
    return map;
}

/* ---- Steps, and what they cost ---- */

static struct mu_cel_val run_attribute(struct mu_cel_eval *e, const struct mu_cel_step *step) {
    struct mu_cel_val value = mu_cel_resolve(e, step->attr);
    if (step->test_only && value.kind == MU_CEL_K_OPTIONAL)
        value = mu_cel_bool(value.inner != NULL);
    if (e->heads == NULL || e->stopped)
        return value;
    const struct mu_cel_attr *attr = step->attr;
    if (attr->base == MU_CEL_BASE_CONDITION) {
        mu_cel_count_drop(e, mu_cel_attr_id(attr->no));
        mu_cel_count_drop(e, mu_cel_attr_id(attr->yes));
        mu_cel_count_drop(e, mu_cel_step_id(attr->operand));
    } else {
        mu_cel_count_drop(e, mu_cel_attr_id(attr));
        e->cost++;
    }
    e->cost -= step->test_only; /* as Kubernetes wants it: PresenceTestHasCost(false) */
    mu_cel_count_push(e, value, mu_cel_attr_id(attr));
    return value;
}

static void count(struct mu_cel_eval *e, const struct mu_cel_step *step, struct mu_cel_val value) {
    switch (step->kind) {
    case MU_CEL_STEP_ATTRIBUTE:
        return; /* counted where it is run */
    case MU_CEL_STEP_CONST:
    case MU_CEL_STEP_OPTIONAL_OR:
    case MU_CEL_STEP_OPTIONAL_VALUE:
    case MU_CEL_STEP_MEMBER:
        break;
    case MU_CEL_STEP_AND:
    case MU_CEL_STEP_OR:
        for (uint32_t i = 0; i < step->len; i++)
            mu_cel_count_drop(e, mu_cel_step_id(step->args[i]));
        break;
    case MU_CEL_STEP_EQUAL:
    case MU_CEL_STEP_NOT_EQUAL:
    case MU_CEL_STEP_CALL:
    case MU_CEL_STEP_NOT_FALSE:
        mu_cel_count_call(e, step, value);
        break;
    case MU_CEL_STEP_LIST:
        mu_cel_count_items(e, step, 10);
        break;
    case MU_CEL_STEP_MAP:
        mu_cel_count_items(e, step, 30);
        break;
    case MU_CEL_STEP_FOLD:
        mu_cel_count_drop(e, mu_cel_step_id(step->range));
        break;
    }
    mu_cel_count_push(e, value, step->id);
}

static struct mu_cel_val run_kind(struct mu_cel_eval *e, const struct mu_cel_step *step) {
    switch (step->kind) {
    case MU_CEL_STEP_CONST:
        return step->value;
    case MU_CEL_STEP_ATTRIBUTE:
        return run_attribute(e, step);
    case MU_CEL_STEP_AND:
    case MU_CEL_STEP_OR:
        return run_logic(e, step);
    case MU_CEL_STEP_EQUAL:
    case MU_CEL_STEP_NOT_EQUAL:
        return run_equal(e, step);
    case MU_CEL_STEP_CALL:
        return run_call(e, step);
    case MU_CEL_STEP_NOT_FALSE:
        return mu_cel_bool(!mu_cel_is_bool(mu_cel_run(e, step->args[0]), false));
    case MU_CEL_STEP_LIST:
        return run_list(e, step);
    case MU_CEL_STEP_MAP:
        return run_map(e, step);
    case MU_CEL_STEP_FOLD:
        return run_fold(e, step);
    case MU_CEL_STEP_OPTIONAL_OR:
    case MU_CEL_STEP_OPTIONAL_VALUE:
        return run_optional(e, step);
    case MU_CEL_STEP_MEMBER: {
        struct mu_cel_val value = mu_cel_run(e, step->args[0]);
        return mu_cel_is_error(value) ? value : mu_cel_bool(mu_cel_map_find(e, step->value, value, NULL));
    }
    }
    return mu_cel_no_overload(e);
}

struct mu_cel_val mu_cel_run(struct mu_cel_eval *e, const struct mu_cel_step *step) {
    if (e->stopped || !mu_cel_step(e, 1))
        return mu_cel_fail(e, "%s", e->stop);
    struct mu_cel_val value = run_kind(e, step);
    if (e->heads == NULL || e->stopped)
        return value;
    count(e, step, value);
    if (e->cost > e->cost_max)
        mu_cel_stop(e, MU_E_LIMIT, "operation cancelled: actual cost limit exceeded");
    return value;
}

/* ---- Comprehensions ---- */

/* One round; false where it is the last one. */
static bool run_round(struct mu_cel_eval *e, const struct mu_cel_step *step, struct mu_cel_frame *frame) {
    struct mu_cel_val condition = mu_cel_run(e, step->condition);
    if (e->stopped || mu_cel_is_bool(condition, false))
        return false;
    frame->accumulator = mu_cel_run(e, step->step);
    frame->initialized = true;
    return !e->stopped;
}

static struct mu_cel_val run_fold(struct mu_cel_eval *e, const struct mu_cel_step *step) {
    struct mu_cel_frame *frame = &e->frames[step->fold];
    *frame = (struct mu_cel_frame){.initialized = false};
    struct mu_cel_val range = mu_cel_run(e, step->range);
    if (mu_cel_is_error(range))
        return range;
    bool list = range.kind == MU_CEL_K_LIST;
    if (!list && range.kind != MU_CEL_K_MAP) {
        const char *name = mu_cel_host_name(range.kind);
        return step->two ? mu_cel_fail(e, "unsupported comprehension range type: %s", name)
                         : mu_cel_fail(e, "got '%s', expected iterable type", name);
    }
    uint32_t len = list ? range.list->len : mu_cel_map_len(e, range);
    for (uint32_t i = 0; i < len; i++) {
        frame->first = step->two && list ? mu_cel_int(i) : list ? range.list->items[i] : mu_cel_map_key(e, range, i);
        if (step->two)
            frame->second = list ? range.list->items[i] : mu_cel_map_value(e, range, i);
        if (!run_round(e, step, frame))
            break;
    }
    struct mu_cel_val result = mu_cel_run(e, step->result);
    /* What grew in place is done growing. */
    if (result.kind == MU_CEL_K_LIST && result.list->grows)
        result.list->grows = false;
    if (result.kind == MU_CEL_K_MAP && result.map->grows)
        result.map->grows = false;
    return result;
}
