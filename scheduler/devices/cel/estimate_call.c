/* Estimates of calls, by the overload. */
#include "scheduler/devices/cel/estimate_internal.h"

static const double per_byte = 0.1, per_pattern_byte = 0.25;

static uint64_t scan(struct mu_cel_range size) {
    return mu_cel_est_scale(size.max, per_byte);
}

static void result_size(struct mu_cel_call *call, struct mu_cel_range size) {
    call->has_size = true;
    call->size = size;
}

static struct mu_cel_range size_of(struct mu_cel_estimate *c, const struct mu_cel_call *call, uint32_t i) {
    return mu_cel_est_size_or_any(c, call->args[i]);
}

/* What is worked on: the receiver, or the first argument. */
static struct mu_cel_range subject(struct mu_cel_estimate *c, const struct mu_cel_call *call) {
    return mu_cel_est_size_or_any(c, call->target ? call->target : call->args[0]);
}

/* Each item once, and the text in it. */
static uint64_t walk(struct mu_cel_estimate *c, const struct mu_cel_call *call) {
    struct mu_cel_range size = subject(c, call), item = {0, UINT64_MAX};
    const struct mu_cel_decl *type = call->target->type;
    if (type->params_len == 0)
        return strcmp(call->overload->function, "includes") == 0 ? size.max : scan(size);
    uint64_t each = 1;
    enum mu_cel_kind kind = type->params[0]->kind;
    if (kind == MU_CEL_K_STRING || kind == MU_CEL_K_BYTES) {
        enum mu_cel_place_kind place = mu_cel_est_place(c, call->target);
        if (place == MU_CEL_AT_ATTRIBUTES_OF) /* no list, but upstream takes what is in it for one */
            (void)mu_cel_est_place_size(MU_CEL_AT_ATTRIBUTE, &item);
        each = mu_cel_est_add(each, scan(item));
    }
    return mu_cel_est_multiply(size.max, each);
}

/* The longest and the shortest that replacing makes of a text. */
static struct mu_cel_range replaced(struct mu_cel_range text, struct mu_cel_range old, struct mu_cel_range new) {
    struct mu_cel_range count = {0, 0}, kept = {0, 0};
    if (old.min == 0) {
        count.max = mu_cel_est_add(text.max, 1);
        kept.max = text.max;
    } else if (new.max <= old.min) {
        kept.max = text.max;
    } else {
        count.max = mu_cel_est_scale(1, (double)text.max / (double)old.min);
    }
    if (old.max == 0) {
        count.min = mu_cel_est_add(text.min, 1);
        kept.min = text.min;
    } else if (old.max <= new.min) {
        kept.min = text.min;
    } else {
        count.min = mu_cel_est_scale(1, (double)text.min / (double)old.max);
    }
    return (struct mu_cel_range){mu_cel_est_add(mu_cel_est_multiply(count.min, new.min), kept.min),
                                 mu_cel_est_add(mu_cel_est_multiply(count.max, new.max), kept.max)};
}

static uint64_t rebuild(struct mu_cel_estimate *c, struct mu_cel_call *call) {
    struct mu_cel_range text = subject(c, call);
    if (strcmp(call->overload->function, "replace") == 0) {
        result_size(call, replaced(text, size_of(c, call, 0), size_of(c, call, 1)));
    } else if (strcmp(call->overload->function, "split") == 0) {
        uint64_t max = text.max;
        if (call->args_len > 1 && call->args[1]->kind == MU_CEL_LITERAL && call->args[1]->literal.kind == MU_CEL_K_INT)
            max = (uint64_t)call->args[1]->literal.number;
        result_size(call, (struct mu_cel_range){0, max});
    }
    return mu_cel_est_scale(text.max, 2 * per_byte);
}

static uint64_t join(struct mu_cel_estimate *c, struct mu_cel_call *call) {
    struct mu_cel_range list = subject(c, call), size = {0, 0};
    if (call->target->type->params_len > 0) { /* of the items nothing is known, unless there are none */
        size.max = list.max == 0 ? 0 : UINT64_MAX;
    }
    if (call->args_len > 0) {
        struct mu_cel_range separator = size_of(c, call, 0);
        size.min = mu_cel_est_add(size.min, mu_cel_est_multiply(separator.min, list.min ? list.min - 1 : 0));
        size.max = mu_cel_est_add(size.max, mu_cel_est_multiply(separator.max, list.max ? list.max - 1 : 0));
    }
    result_size(call, size);
    return scan(size);
}

static uint64_t pattern(struct mu_cel_range text, struct mu_cel_range regex) {
    return mu_cel_est_multiply(mu_cel_est_scale(mu_cel_est_add(text.max, 1), per_byte),
                               mu_cel_est_scale(regex.max, per_pattern_byte));
}

static uint64_t match(struct mu_cel_estimate *c, struct mu_cel_call *call) {
    struct mu_cel_range text = subject(c, call);
    if (call->overload->cost == MU_CEL_COST_FIND)
        result_size(call, (struct mu_cel_range){0, text.max});
    return pattern(text, size_of(c, call, call->target ? 0 : 1));
}

/* Addresses are 16 bytes at most. */
static uint64_t contains_address(struct mu_cel_estimate *c, const struct mu_cel_call *call) {
    uint64_t cost = mu_cel_est_scale(32, per_byte);
    if (call->overload->cost == MU_CEL_COST_CONTAINS_CIDR)
        cost += mu_cel_est_scale(16, per_byte) + 1;
    bool text = strstr(call->overload->args, ";string") != NULL;
    return text ? mu_cel_est_add(cost, scan(size_of(c, call, 0))) : cost;
}

static uint64_t compared(struct mu_cel_estimate *c, const struct mu_cel_call *call) {
    struct mu_cel_range a = size_of(c, call, 0), b = size_of(c, call, 1);
    return mu_cel_est_scale(a.max < b.max ? a.max : b.max, per_byte);
}

static uint64_t equal(struct mu_cel_estimate *c, const struct mu_cel_call *call) {
    const struct mu_cel_decl *type = call->args[0]->type;
    if (!mu_cel_type_same(type, call->args[1]->type))
        return compared(c, call);
    switch (type->kind) {
    case MU_CEL_K_IP:
    case MU_CEL_K_CIDR:
    case MU_CEL_K_QUANTITY:
    case MU_CEL_K_SEMVER:
    case MU_CEL_K_URL:
        return 1;
    case MU_CEL_K_FORMAT:
        return mu_cel_est_scale(64, per_byte);
    default:
        return compared(c, call);
    }
}

static uint64_t concatenated(struct mu_cel_estimate *c, struct mu_cel_call *call) {
    struct mu_cel_range a = size_of(c, call, 0), b = size_of(c, call, 1);
    struct mu_cel_range sum = {mu_cel_est_add(a.min, b.min), mu_cel_est_add(a.max, b.max)};
    struct mu_cel_entries left, right;
    if (mu_cel_est_entries(c, call->args[0], &left) && mu_cel_est_entries(c, call->args[1], &right)) {
        left.key = mu_cel_est_union(left.key, right.key);
        left.value = mu_cel_est_union(left.value, right.value);
        mu_cel_est_set_entries(c, call->e, &left);
    }
    result_size(call, sum);
    return call->overload->cost == MU_CEL_COST_CONCAT_LIST ? 1 : scan(sum);
}

static void condition(struct mu_cel_estimate *c, struct mu_cel_call *call) {
    struct mu_cel_entries yes, no;
    if (mu_cel_est_entries(c, call->args[1], &yes) && mu_cel_est_entries(c, call->args[2], &no)) {
        yes.key = mu_cel_est_union(yes.key, no.key);
        yes.value = mu_cel_est_union(yes.value, no.value);
        mu_cel_est_set_entries(c, call->e, &yes);
    }
    result_size(call, mu_cel_est_union(size_of(c, call, 1), size_of(c, call, 2)));
}

/* ---- Lists and sets ---- */

static uint64_t literal_or(const struct mu_cel_expr *e, uint64_t otherwise) {
    if (e->kind != MU_CEL_LITERAL || e->literal.kind != MU_CEL_K_INT)
        return otherwise;
    return e->literal.number < 0 ? 0 : (uint64_t)e->literal.number;
}

static uint64_t make_list(struct mu_cel_call *call, double factor, struct mu_cel_range size) {
    result_size(call, size);
    return mu_cel_est_add(mu_cel_est_scale(size.max, factor), 11);
}

static struct mu_cel_range squared(struct mu_cel_range size) {
    return (struct mu_cel_range){mu_cel_est_multiply(size.min, size.min), mu_cel_est_multiply(size.max, size.max)};
}

/* slice, reverse, lists.range: as long as the result. */
static uint64_t list_result(struct mu_cel_estimate *c, struct mu_cel_call *call) {
    struct mu_cel_range size;
    if (call->target == NULL) {
        uint64_t count = literal_or(call->args[0], UINT64_MAX);
        size = (struct mu_cel_range){count, count};
    } else {
        size = subject(c, call);
        if (call->args_len == 2) {
            uint64_t count = literal_or(call->args[1], size.max) - literal_or(call->args[0], 0);
            size = (struct mu_cel_range){count, count};
        }
    }
    return make_list(call, 1, size);
}

static uint64_t list_call(struct mu_cel_estimate *c, struct mu_cel_call *call) {
    struct mu_cel_range size = subject(c, call);
    bool text = strstr(call->overload->args, "list(string)") || strstr(call->overload->args, "list(bytes)");
    switch (call->overload->cost) {
    case MU_CEL_COST_FLATTEN:
        return make_list(call, call->args_len > 0 ? (double)literal_or(call->args[0], UINT64_MAX) : 1, size);
    case MU_CEL_COST_DISTINCT:
        return make_list(call, 2, squared(size));
    case MU_CEL_COST_SORT:
        return make_list(call, text ? 2 + per_byte : 2, squared(size));
    case MU_CEL_COST_SORT_BY:
        return make_list(call, text ? 2 + per_byte : 2, squared(size_of(c, call, 0)));
    default: {
        uint64_t pairs = mu_cel_est_multiply(size.max, size_of(c, call, 1).max);
        return mu_cel_est_add(mu_cel_est_scale(pairs, call->overload->cost == MU_CEL_COST_SETS_TWICE ? 2 : 1), 1);
    }
    }
}

/* Of calls whose result has a size of its own. */
static uint64_t text_call(struct mu_cel_estimate *c, struct mu_cel_call *call) {
    struct mu_cel_range size = subject(c, call);
    switch (call->overload->cost) {
    case MU_CEL_COST_SCAN: {
        static const char *const keeps[] = {"url", "lowerAscii", "upperAscii", "substring", "trim"};
        for (size_t i = 0; i < sizeof keeps / sizeof *keeps; i++)
            if (strcmp(call->overload->function, keeps[i]) == 0)
                result_size(call, size);
        return scan(size);
    }
    case MU_CEL_COST_TO_BYTES: /* a character is up to four bytes */
        result_size(call, (struct mu_cel_range){size.min, size.max * 4});
        return scan(size);
    case MU_CEL_COST_TO_STRING:
        result_size(call, (struct mu_cel_range){size.min / 4, size.max});
        return scan(size);
    default: /* QUOTE; of format() nothing is known */
        if (call->target == NULL)
            result_size(call, (struct mu_cel_range){size.min + 2, size.max * 2 + 2});
        return scan(size);
    }
}

uint64_t mu_cel_est_call(struct mu_cel_estimate *c, struct mu_cel_call *call) {
    switch (call->overload->cost) {
    case MU_CEL_COST_WALK:
        return walk(c, call);
    case MU_CEL_COST_SCAN:
    case MU_CEL_COST_TO_BYTES:
    case MU_CEL_COST_TO_STRING:
    case MU_CEL_COST_QUOTE:
        return text_call(c, call);
    case MU_CEL_COST_REBUILD:
        return rebuild(c, call);
    case MU_CEL_COST_JOIN:
        return join(c, call);
    case MU_CEL_COST_FIND:
    case MU_CEL_COST_MATCH:
        return match(c, call);
    case MU_CEL_COST_VALIDATE: /* patterns of 128 characters at most */
        return mu_cel_est_scale(scan(size_of(c, call, 0)), 128 * per_pattern_byte);
    case MU_CEL_COST_CONTAINS_IP:
    case MU_CEL_COST_CONTAINS_CIDR:
        return contains_address(c, call);
    case MU_CEL_COST_EQUAL:
        return equal(c, call);
    case MU_CEL_COST_NOT_EQUAL:
    case MU_CEL_COST_ORDER:
        return compared(c, call);
    case MU_CEL_COST_AFFIX:
        return scan(size_of(c, call, 0));
    case MU_CEL_COST_IN_LIST:
        return mu_cel_est_scale(size_of(c, call, 1).max, 1);
    case MU_CEL_COST_CONCAT:
    case MU_CEL_COST_CONCAT_LIST:
        return concatenated(c, call);
    case MU_CEL_COST_CONTAINS:
        return mu_cel_est_multiply(scan(subject(c, call)), scan(size_of(c, call, 0)));
    case MU_CEL_COST_LIST_RESULT:
        return list_result(c, call);
    case MU_CEL_COST_FLATTEN:
    case MU_CEL_COST_DISTINCT:
    case MU_CEL_COST_SORT:
    case MU_CEL_COST_SORT_BY:
    case MU_CEL_COST_SETS:
    case MU_CEL_COST_SETS_TWICE:
        return list_call(c, call);
    case MU_CEL_COST_LOGIC:
        return 0;
    case MU_CEL_COST_CONDITION:
        condition(c, call);
        return 0;
    default:
        return 1;
    }
}
