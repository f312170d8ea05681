/* Macros: calls that are replaced while parsing (cel-spec, "Macros"; cel-go's comprehensions of two variables, optMap,
 * optFlatMap, sortBy and cel.bind). The trees are those of cel-go, since costs are counted on them. */
#include "scheduler/devices/cel/parser.h"

/* A macro applied: the call, and what its trees are made at. */
struct use {
    struct mu_cel_parser *p;
    struct mu_cel_expr *call;
    uint32_t offset;
};

typedef struct mu_cel_expr *(*expand_fn)(struct use *use, struct mu_cel_expr *target, struct mu_cel_expr **args,
                                         uint32_t len);

static struct mu_cel_expr *literal(struct use *use, struct mu_cel_val value) {
    return mu_cel_node_literal(use->p, use->offset, value);
}

static struct mu_cel_expr *name(struct use *use, struct mu_str text) {
    return mu_cel_node_name(use->p, use->offset, text);
}

static struct mu_cel_expr *accumulator(struct use *use) {
    return name(use, MU_CEL_ACCUMULATOR);
}

static struct mu_cel_expr *call1(struct use *use, struct mu_str function, struct mu_cel_expr *a) {
    return mu_cel_node_call(use->p, use->offset, function, false, &a, 1);
}

static struct mu_cel_expr *call2(struct use *use, struct mu_str function, struct mu_cel_expr *a,
                                 struct mu_cel_expr *b) {
    return mu_cel_node_call(use->p, use->offset, function, false, (struct mu_cel_expr *[]){a, b}, 2);
}

static struct mu_cel_expr *call3(struct use *use, struct mu_str function, struct mu_cel_expr *a, struct mu_cel_expr *b,
                                 struct mu_cel_expr *c) {
    return mu_cel_node_call(use->p, use->offset, function, false, (struct mu_cel_expr *[]){a, b, c}, 3);
}

static struct mu_cel_expr *list_of(struct use *use, struct mu_cel_expr *item) {
    return mu_cel_node_list(use->p, use->offset, &item, item ? 1 : 0);
}

static struct mu_cel_expr *empty_list(struct use *use) {
    return mu_cel_node_list(use->p, use->offset, NULL, 0);
}

static struct mu_cel_expr *fold(struct use *use, const struct mu_cel_fold *fold) {
    return mu_cel_node_fold(use->p, use->offset, fold);
}

/* The variables of a comprehension: the first one or two arguments. False where they are no names. */
static bool take_variables(struct use *use, struct mu_cel_expr **args, uint32_t count, struct mu_cel_fold *ret) {
    struct mu_str *vars[2] = {&ret->var, &ret->var2};
    for (uint32_t i = 0; i < count; i++) {
        if (args[i]->kind != MU_CEL_IDENT) {
            mu_cel_parse_error(use->p, args[i]->offset, "argument must be a simple name");
            return false;
        }
        *vars[i] = args[i]->name;
        if (mu_str_eq(*vars[i], MU_STR("__result__"))) {
            mu_cel_parse_error(use->p, args[i]->offset, "iteration variable overwrites accumulator variable");
            return false;
        }
    }
    if (count == 2 && mu_str_eq(ret->var, ret->var2)) {
        mu_cel_parse_error(use->p, args[1]->offset, "duplicate variable name: " MU_STR_FMT, MU_STR_ARG(ret->var));
        return false;
    }
    ret->accumulator = MU_CEL_ACCUMULATOR;
    return true;
}

static struct mu_cel_expr *expand_has(struct use *use, struct mu_cel_expr *target, struct mu_cel_expr **args,
                                      uint32_t len) {
    if (args[0]->kind != MU_CEL_SELECT || args[0]->test_only)
        return mu_cel_parse_error(use->p, args[0]->offset, "invalid argument to has() macro");
    struct mu_cel_expr *test = mu_cel_node_select(use->p, use->offset, args[0]->items[0], args[0]->name);
    if (test)
        test->test_only = true;
    return test;
}

static struct mu_cel_expr *expand_all(struct use *use, struct mu_cel_expr *target, struct mu_cel_expr **args,
                                      uint32_t len) {
    struct mu_cel_fold f = {.range = target};
    if (!take_variables(use, args, len - 1, &f))
        return NULL;
    f.init = literal(use, mu_cel_bool(true));
    f.condition = call1(use, MU_STR("@not_strictly_false"), accumulator(use));
    f.step = call2(use, MU_STR("_&&_"), accumulator(use), args[len - 1]);
    f.result = accumulator(use);
    return fold(use, &f);
}

static struct mu_cel_expr *expand_exists(struct use *use, struct mu_cel_expr *target, struct mu_cel_expr **args,
                                         uint32_t len) {
    struct mu_cel_fold f = {.range = target};
    if (!take_variables(use, args, len - 1, &f))
        return NULL;
    f.init = literal(use, mu_cel_bool(false));
    f.condition = call1(use, MU_STR("@not_strictly_false"), call1(use, MU_STR("!_"), accumulator(use)));
    f.step = call2(use, MU_STR("_||_"), accumulator(use), args[len - 1]);
    f.result = accumulator(use);
    return fold(use, &f);
}

static struct mu_cel_expr *expand_exists_one(struct use *use, struct mu_cel_expr *target, struct mu_cel_expr **args,
                                             uint32_t len) {
    struct mu_cel_fold f = {.range = target};
    if (!take_variables(use, args, len - 1, &f))
        return NULL;
    f.init = literal(use, mu_cel_int(0));
    f.condition = literal(use, mu_cel_bool(true));
    f.step = call3(use, MU_STR("_?_:_"), args[len - 1],
                   call2(use, MU_STR("_+_"), accumulator(use), literal(use, mu_cel_int(1))), accumulator(use));
    f.result = call2(use, MU_STR("_==_"), accumulator(use), literal(use, mu_cel_int(1)));
    return fold(use, &f);
}

/* filter ? step : accumulator, or just the step. */
static struct mu_cel_expr *filtered(struct use *use, struct mu_cel_expr *filter, struct mu_cel_expr *step) {
    return filter ? call3(use, MU_STR("_?_:_"), filter, step, accumulator(use)) : step;
}

/* A comprehension that makes a list; args: the variables, a filter where there is one more, and the items. */
static struct mu_cel_expr *make_list(struct use *use, struct mu_cel_expr *target, struct mu_cel_expr **args,
                                     uint32_t len, uint32_t variables) {
    struct mu_cel_fold f = {.range = target};
    if (!take_variables(use, args, variables, &f))
        return NULL;
    f.init = empty_list(use);
    f.condition = literal(use, mu_cel_bool(true));
    f.step = call2(use, MU_STR("_+_"), accumulator(use), list_of(use, args[len - 1]));
    f.step = filtered(use, len == variables + 2 ? args[variables] : NULL, f.step);
    f.result = accumulator(use);
    return fold(use, &f);
}

static struct mu_cel_expr *expand_map(struct use *use, struct mu_cel_expr *target, struct mu_cel_expr **args,
                                      uint32_t len) {
    return make_list(use, target, args, len, 1);
}

static struct mu_cel_expr *expand_transform_list(struct use *use, struct mu_cel_expr *target, struct mu_cel_expr **args,
                                                 uint32_t len) {
    return make_list(use, target, args, len, 2);
}

static struct mu_cel_expr *expand_filter(struct use *use, struct mu_cel_expr *target, struct mu_cel_expr **args,
                                         uint32_t len) {
    struct mu_cel_fold f = {.range = target};
    if (!take_variables(use, args, 1, &f))
        return NULL;
    f.init = empty_list(use);
    f.condition = literal(use, mu_cel_bool(true));
    f.step = call2(use, MU_STR("_+_"), accumulator(use), list_of(use, args[0]));
    f.step = filtered(use, args[1], f.step);
    f.result = accumulator(use);
    return fold(use, &f);
}

static struct mu_cel_expr *make_map(struct use *use, struct mu_cel_expr *target, struct mu_cel_expr **args,
                                    uint32_t len, bool whole_entry) {
    struct mu_cel_fold f = {.range = target};
    if (!take_variables(use, args, 2, &f))
        return NULL;
    struct mu_cel_expr *init = mu_cel_node(use->p, MU_CEL_MAP, use->offset);
    f.init = init;
    f.condition = literal(use, mu_cel_bool(true));
    struct mu_str insert = MU_STR("cel.@mapInsert");
    f.step = whole_entry ? call2(use, insert, accumulator(use), args[len - 1])
                         : call3(use, insert, accumulator(use), name(use, f.var), args[len - 1]);
    f.step = filtered(use, len == 4 ? args[2] : NULL, f.step);
    f.result = accumulator(use);
    return fold(use, &f);
}

static struct mu_cel_expr *expand_transform_map(struct use *use, struct mu_cel_expr *target, struct mu_cel_expr **args,
                                                uint32_t len) {
    return make_map(use, target, args, len, false);
}

static struct mu_cel_expr *expand_transform_entry(struct use *use, struct mu_cel_expr *target,
                                                  struct mu_cel_expr **args, uint32_t len) {
    return make_map(use, target, args, len, true);
}

/* A variable bound to a value: a comprehension over nothing whose accumulator it is. */
static struct mu_cel_expr *bind(struct use *use, struct mu_str variable, struct mu_cel_expr *value,
                                struct mu_cel_expr *result) {
    struct mu_cel_fold f = {
        .range = empty_list(use),
        .var = MU_CEL_UNUSED,
        .accumulator = variable,
        .init = value,
        .condition = literal(use, mu_cel_bool(false)),
        .step = name(use, variable),
        .result = result,
    };
    return fold(use, &f);
}

static struct mu_cel_expr *expand_bind(struct use *use, struct mu_cel_expr *target, struct mu_cel_expr **args,
                                       uint32_t len) {
    if (target->kind != MU_CEL_IDENT || !mu_str_eq(target->name, MU_STR("cel")))
        return use->call;
    if (args[0]->kind != MU_CEL_IDENT)
        return mu_cel_parse_error(use->p, args[0]->offset, "cel.bind() variable names must be simple identifiers");
    return bind(use, args[0]->name, args[1], args[2]);
}

/* target.hasValue() ? WRAP(bind variable to target.value() in args[1]) : optional.none() */
static struct mu_cel_expr *make_opt_map(struct use *use, struct mu_cel_expr *target, struct mu_cel_expr **args,
                                        bool wrap) {
    if (args[0]->kind != MU_CEL_IDENT)
        return mu_cel_parse_error(use->p, args[0]->offset, "variable name must be a simple identifier");
    struct mu_cel_expr *copy = mu_cel_node_copy(use->p, target);
    struct mu_cel_expr *value = mu_cel_node_call(use->p, use->offset, MU_STR("value"), true, &copy, 1);
    struct mu_cel_expr *bound = bind(use, args[0]->name, value, args[1]);
    struct mu_cel_expr *has = mu_cel_node_call(use->p, use->offset, MU_STR("hasValue"), true, &target, 1);
    struct mu_cel_expr *none = mu_cel_node_call(use->p, use->offset, MU_STR("optional.none"), false, NULL, 0);
    return call3(use, MU_STR("_?_:_"), has, wrap ? call1(use, MU_STR("optional.of"), bound) : bound, none);
}

static struct mu_cel_expr *expand_opt_map(struct use *use, struct mu_cel_expr *target, struct mu_cel_expr **args,
                                          uint32_t len) {
    return make_opt_map(use, target, args, true);
}

static struct mu_cel_expr *expand_opt_flat_map(struct use *use, struct mu_cel_expr *target, struct mu_cel_expr **args,
                                               uint32_t len) {
    return make_opt_map(use, target, args, false);
}

static struct mu_cel_expr *expand_sort_by(struct use *use, struct mu_cel_expr *target, struct mu_cel_expr **args,
                                          uint32_t len) {
    if (target->kind == MU_CEL_LITERAL || target->kind == MU_CEL_MAP || target->kind == MU_CEL_STRUCT)
        return mu_cel_parse_error(use->p, target->offset,
                                  "sortBy can only be applied to a list, identifier, comprehension, call or select "
                                  "expression");
    struct mu_str input = MU_STR("@__sortBy_input__");
    struct mu_cel_expr *parts[2] = {name(use, input), make_list(use, name(use, input), args, len, 1)};
    struct mu_cel_expr *sorted = mu_cel_node_call(use->p, use->offset, MU_STR("@sortByAssociatedKeys"), true, parts, 2);
    return bind(use, input, target, sorted);
}

struct mu_cel_expr *mu_cel_expand(struct mu_cel_parser *p, struct mu_cel_expr *call) {
    static const struct {
        const char *name;
        bool member;
        uint32_t args;
        expand_fn expand;
    } macros[] = {
        {"has", false, 1, expand_has},
        {"all", true, 2, expand_all},
        {"all", true, 3, expand_all},
        {"exists", true, 2, expand_exists},
        {"exists", true, 3, expand_exists},
        {"exists_one", true, 2, expand_exists_one},
        {"exists_one", true, 3, expand_exists_one},
        {"existsOne", true, 3, expand_exists_one},
        {"map", true, 2, expand_map},
        {"map", true, 3, expand_map},
        {"filter", true, 2, expand_filter},
        {"transformList", true, 3, expand_transform_list},
        {"transformList", true, 4, expand_transform_list},
        {"transformMap", true, 3, expand_transform_map},
        {"transformMap", true, 4, expand_transform_map},
        {"transformMapEntry", true, 3, expand_transform_entry},
        {"transformMapEntry", true, 4, expand_transform_entry},
        {"bind", true, 3, expand_bind},
        {"optMap", true, 2, expand_opt_map},
        {"optFlatMap", true, 2, expand_opt_flat_map},
        {"sortBy", true, 2, expand_sort_by},
    };
    if (call == NULL)
        return NULL;
    uint32_t args = call->len - call->member;
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++) {
        if (macros[i].member != call->member || macros[i].args != args ||
            !mu_str_eq(mu_str_from(macros[i].name), call->name))
            continue;
        struct use use = {p, call, call->offset};
        return macros[i].expand(&use, call->member ? call->items[0] : NULL, call->items + call->member, args);
    }
    return call;
}
