/* The checker. Upstream's rules (cel-go's checker): types are joined by unification, dyn fits everywhere, and all
 * overloads that fit are kept, since which one it is may show only at run time. The first error ends it. */
#include "scheduler/devices/cel/checker.h"
#include "scheduler/devices/cel/functions.h"

#include <stdio.h>

enum { CANDIDATES_MAX = 16, ARGS_MAX = 8 };

/* A variable of a comprehension. */
struct local {
    struct local *outer;
    struct mu_str name;
    const struct mu_cel_decl *type;
};

struct checker {
    struct mu_arena *arena;
    struct mu_str text;
    const struct mu_cel_environment *environment;
    struct mu_cel_types types;
    struct local *locals;
    struct mu_err *err;
};

static bool check(struct checker *c, struct mu_cel_expr *e);

static bool fail(struct checker *c, const struct mu_cel_expr *e, const char *format, ...) MU_PRINTF(3, 4);

static bool fail(struct checker *c, const struct mu_cel_expr *e, const char *format, ...) {
    if (c->err->code != 0)
        return false;
    char text[440];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct mu_cel_place place = mu_cel_place(c->text, e->offset);
    (void)mu_err_set(c->err, MU_E_INVALID, "%u:%u: %s", place.line, place.column, text);
    return false;
}

static struct mu_str show(struct checker *c, const struct mu_cel_decl *type) {
    return mu_cel_type_text(c->arena, mu_cel_type_resolve(&c->types, type, true));
}

static bool undeclared(struct checker *c, const struct mu_cel_expr *e, struct mu_str name) {
    return fail(c, e, "undeclared reference to '" MU_STR_FMT "' (in container '" MU_STR_FMT "')", MU_STR_ARG(name),
                MU_STR_ARG(c->environment->container));
}

static bool mismatch(struct checker *c, const struct mu_cel_expr *e, const struct mu_cel_decl *wanted,
                     const struct mu_cel_decl *found) {
    struct mu_str want = show(c, wanted), have = show(c, found);
    return fail(c, e, "expected type '" MU_STR_FMT "' but found '" MU_STR_FMT "'", MU_STR_ARG(want), MU_STR_ARG(have));
}

/* ---- Names ---- */

uint32_t mu_cel_candidates(struct mu_arena *arena, struct mu_str container, struct mu_str name, struct mu_str *ret,
                           uint32_t max) {
    uint32_t len = 0;
    if (name.len > 0 && name.ptr[0] == '.') {
        ret[len++] = mu_str_slice(name, 1, name.len);
        return len;
    }
    while (container.len > 0 && len + 1 < max) {
        ret[len++] = mu_str_printf(arena, MU_STR_FMT "." MU_STR_FMT, MU_STR_ARG(container), MU_STR_ARG(name));
        while (container.len > 0 && container.ptr[container.len - 1] != '.')
            container.len--;
        container.len -= container.len > 0;
    }
    ret[len++] = name;
    return len;
}

const struct mu_cel_decl *mu_cel_type_named(struct mu_str name) {
    static const enum mu_cel_kind kinds[] = {
        MU_CEL_K_BOOL,     MU_CEL_K_INT,       MU_CEL_K_UINT,     MU_CEL_K_DOUBLE, MU_CEL_K_STRING,
        MU_CEL_K_BYTES,    MU_CEL_K_LIST,      MU_CEL_K_MAP,      MU_CEL_K_NULL,   MU_CEL_K_TYPE,
        MU_CEL_K_DURATION, MU_CEL_K_TIMESTAMP, MU_CEL_K_OPTIONAL, MU_CEL_K_IP,     MU_CEL_K_CIDR,
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (mu_str_eq(name, mu_cel_kind_name(kinds[i])))
            return mu_cel_type_of(kinds[i]);
    return NULL;
}

const struct mu_cel_decl *mu_cel_attribute_type(unsigned features) {
    return mu_cel_type_of(features & MU_CEL_LIST_ATTRIBUTES ? MU_CEL_K_DYN : MU_CEL_K_ANY);
}

static const struct local *find_local(const struct checker *c, struct mu_str name) {
    for (const struct local *local = c->locals; local; local = local->outer)
        if (mu_str_eq(local->name, name))
            return local;
    return NULL;
}

/* A variable of the environment, or a type; NULL where there is neither. *ret_name is its full name. */
static const struct mu_cel_decl *find_global(struct checker *c, struct mu_str name, struct mu_str *ret_name,
                                             bool *ret_is_type) {
    struct mu_str candidates[CANDIDATES_MAX];
    uint32_t len = mu_cel_candidates(c->arena, c->environment->container, name, candidates, CANDIDATES_MAX);
    for (uint32_t i = 0; i < len; i++) {
        *ret_name = candidates[i];
        for (uint32_t v = 0; v < c->environment->variables_len; v++) {
            if (mu_str_eq(c->environment->variables[v].name, candidates[i])) {
                *ret_is_type = false;
                return c->environment->variables[v].type;
            }
        }
        const struct mu_cel_decl *type = mu_cel_type_named(candidates[i]);
        if (type) {
            *ret_is_type = true;
            return mu_cel_type_wrap(c->arena, MU_CEL_K_TYPE, type);
        }
    }
    return NULL;
}

/* Makes the node a name of the environment. One that a local variable hides gets a dot in front. */
static void refer(struct checker *c, struct mu_cel_expr *e, struct mu_str name, const struct mu_cel_decl *type,
                  bool is_type, bool hidden) {
    e->kind = MU_CEL_IDENT;
    e->name = hidden ? mu_str_printf(c->arena, "." MU_STR_FMT, MU_STR_ARG(name)) : name;
    e->type = type;
    e->is_type_name = is_type;
    e->len = 0;
}

static bool check_ident(struct checker *c, struct mu_cel_expr *e) {
    const struct local *local = find_local(c, e->name);
    if (local) {
        e->type = local->type;
        return true;
    }
    struct mu_str name;
    bool is_type;
    const struct mu_cel_decl *type = find_global(c, e->name, &name, &is_type);
    if (type == NULL)
        return undeclared(c, e, e->name);
    bool global = e->name.ptr[0] == '.';
    refer(c, e, name, type, is_type, global && find_local(c, mu_str_slice(e->name, 1, e->name.len)));
    return true;
}

/* "a.b.c" of a selection of names; false where it is anything else. *ret_root is the first of them. */
static bool qualified_name(const struct mu_cel_expr *e, struct mu_buf *out, struct mu_str *ret_root) {
    if (e->kind == MU_CEL_IDENT) {
        *ret_root = e->name;
        mu_buf_add(out, e->name);
        return true;
    }
    if (e->kind != MU_CEL_SELECT || e->test_only || !qualified_name(e->items[0], out, ret_root))
        return false;
    mu_buf_add_char(out, '.');
    mu_buf_add(out, e->name);
    return true;
}

/* ---- Selections ---- */

static const struct mu_cel_decl *device_field(struct checker *c, struct mu_str field) {
    const struct mu_cel_decl *string = mu_cel_type_of(MU_CEL_K_STRING);
    if (mu_str_eq(field, MU_STR("driver")))
        return string;
    if (mu_str_eq(field, MU_STR("attributes")))
        return mu_cel_type_map(c->arena, string,
                               mu_cel_type_map(c->arena, string, mu_cel_attribute_type(c->environment->features)));
    if (mu_str_eq(field, MU_STR("capacity")))
        return mu_cel_type_map(c->arena, string, mu_cel_type_map(c->arena, string, mu_cel_type_of(MU_CEL_K_QUANTITY)));
    if (mu_str_eq(field, MU_STR("allowMultipleAllocations")) && c->environment->features & MU_CEL_CONSUMABLE_CAPACITY)
        return mu_cel_type_of(MU_CEL_K_BOOL);
    return NULL;
}

static bool check_field(struct checker *c, struct mu_cel_expr *e, struct mu_cel_expr *operand, struct mu_str field,
                        bool optional) {
    if (!check(c, operand))
        return false;
    const struct mu_cel_decl *target = mu_cel_type_resolve(&c->types, operand->type, false), *result;
    bool is_optional = target->kind == MU_CEL_K_OPTIONAL && target->params_len > 0;
    if (is_optional)
        target = target->params[0];
    switch (target->kind) {
    case MU_CEL_K_MAP:
        result = target->params_len > 1 ? target->params[1] : mu_cel_type_of(MU_CEL_K_DYN);
        break;
    case MU_CEL_K_DEVICE:
        result = device_field(c, field);
        if (result == NULL)
            return fail(c, e, "undefined field '" MU_STR_FMT "'", MU_STR_ARG(field));
        break;
    case MU_CEL_K_PARAM:
        (void)mu_cel_type_assign(&c->types, mu_cel_type_of(MU_CEL_K_DYN), target);
        result = mu_cel_type_of(MU_CEL_K_DYN);
        break;
    case MU_CEL_K_DYN:
    case MU_CEL_K_ANY:
    case MU_CEL_K_ERROR:
        result = mu_cel_type_of(MU_CEL_K_DYN);
        break;
    case MU_CEL_K_QUANTITY:
    case MU_CEL_K_SEMVER:
    case MU_CEL_K_URL:
    case MU_CEL_K_FORMAT:
        return fail(c, e, "undefined field '" MU_STR_FMT "'", MU_STR_ARG(field));
    default: {
        struct mu_str text = show(c, target);
        return fail(c, e, "type '" MU_STR_FMT "' does not support field selection", MU_STR_ARG(text));
    }
    }
    if (is_optional || optional)
        result = mu_cel_type_wrap(c->arena, MU_CEL_K_OPTIONAL, result);
    e->type = mu_cel_type_resolve(&c->types, e->test_only ? mu_cel_type_of(MU_CEL_K_BOOL) : result, false);
    return true;
}

static bool check_select(struct checker *c, struct mu_cel_expr *e) {
    struct mu_buf name;
    struct mu_str root = {0}, full;
    bool is_type;
    mu_buf_init(&name, c->arena);
    if (qualified_name(e, &name, &root) && !find_local(c, root)) {
        const struct mu_cel_decl *type = find_global(c, mu_buf_str(&name), &full, &is_type);
        if (type) {
            bool global = root.ptr[0] == '.';
            refer(c, e, full, type, is_type, global && find_local(c, mu_str_slice(root, 1, root.len)));
            return true;
        }
    }
    return check_field(c, e, e->items[0], e->name, false);
}

/* ---- Calls ---- */

static bool check_logic(struct checker *c, struct mu_cel_expr *e, const struct mu_cel_overload *const *overloads) {
    const struct mu_cel_decl *boolean = mu_cel_type_of(MU_CEL_K_BOOL);
    for (uint32_t i = 0; i < e->len; i++)
        if (!mu_cel_type_assign(&c->types, e->items[i]->type, boolean))
            return mismatch(c, e->items[i], boolean, e->items[i]->type);
    e->type = boolean;
    e->overloads = overloads;
    e->overloads_len = 1;
    return true;
}

static bool no_overload(struct checker *c, struct mu_cel_expr *e) {
    struct mu_buf out;
    mu_buf_init(&out, c->arena);
    for (uint32_t i = 0; i < e->len; i++) {
        struct mu_str type = show(c, e->items[i]->type);
        mu_buf_printf(&out, "%s" MU_STR_FMT "%s", i > (uint32_t)e->member ? ", " : "", MU_STR_ARG(type),
                      e->member && i == 0 ? ".(" : "");
    }
    struct mu_str args = mu_buf_str(&out);
    return fail(c, e, "found no matching overload for '" MU_STR_FMT "' applied to '%s" MU_STR_FMT ")'",
                MU_STR_ARG(e->name), e->member ? "" : "(", MU_STR_ARG(args));
}

/* The result's type where the overload takes the arguments, else NULL. */
static const struct mu_cel_decl *try_overload(struct checker *c, const struct mu_cel_overload *overload,
                                              const struct mu_cel_decl *const *args, uint32_t len) {
    const struct mu_cel_decl *variables[2] = {NULL, NULL}, *wanted[ARGS_MAX];
    const char *text = overload->args;
    for (uint32_t i = 0; i < len; i++) {
        wanted[i] = mu_cel_type_read(&c->types, &text, variables);
        text += *text == ';';
    }
    if (!mu_cel_type_assign_all(&c->types, args, wanted, len))
        return NULL;
    text = overload->result;
    return mu_cel_type_resolve(&c->types, mu_cel_type_read(&c->types, &text, variables), false);
}

static bool resolve_call(struct checker *c, struct mu_cel_expr *e, const struct mu_cel_overload *const *all,
                         uint32_t all_len) {
    if (mu_str_eq(e->name, MU_STR("_&&_")) || mu_str_eq(e->name, MU_STR("_||_")))
        return check_logic(c, e, all);
    const struct mu_cel_overload **fitting = MU_NEW_ARRAY(c->arena, const struct mu_cel_overload *, all_len);
    const struct mu_cel_decl *args[ARGS_MAX], *result = NULL;
    for (uint32_t i = 0; i < e->len && i < ARGS_MAX; i++)
        args[i] = e->items[i]->type;
    for (uint32_t i = 0; i < all_len; i++) {
        if (all[i]->member != e->member || mu_cel_arity(all[i]) != e->len)
            continue;
        const struct mu_cel_decl *type = try_overload(c, all[i], args, e->len);
        if (type == NULL)
            continue;
        fitting[e->overloads_len++] = all[i];
        if (result == NULL)
            result = type;
        else if (result->kind != MU_CEL_K_DYN && result->kind != MU_CEL_K_ANY && !mu_cel_type_same(result, type))
            result = mu_cel_type_of(MU_CEL_K_DYN);
    }
    if (result == NULL)
        return no_overload(c, e);
    e->type = result;
    e->overloads = fitting;
    return true;
}

static const struct mu_cel_overload *const *find_function(struct checker *c, struct mu_str name, uint32_t *ret_len,
                                                          struct mu_str *ret_name) {
    struct mu_str candidates[CANDIDATES_MAX];
    uint32_t len = mu_cel_candidates(c->arena, c->environment->container, name, candidates, CANDIDATES_MAX);
    for (uint32_t i = 0; i < len; i++) {
        const struct mu_cel_overload *const *all =
            mu_cel_overloads_of(c->arena, candidates[i], c->environment->features, ret_len);
        *ret_name = candidates[i];
        if (all)
            return all;
    }
    return NULL;
}

/* a.b.c() may be the function a.b.c. */
static bool take_qualified_function(struct checker *c, struct mu_cel_expr *e, const struct mu_cel_overload *const **ret,
                                    uint32_t *ret_len) {
    struct mu_buf name;
    struct mu_str root = {0}, full;
    mu_buf_init(&name, c->arena);
    if (!qualified_name(e->items[0], &name, &root))
        return false;
    mu_buf_add_char(&name, '.');
    mu_buf_add(&name, e->name);
    *ret = find_function(c, mu_buf_str(&name), ret_len, &full);
    if (*ret == NULL)
        return false;
    e->name = full;
    e->member = false;
    e->items++;
    e->len--;
    return true;
}

static bool check_call(struct checker *c, struct mu_cel_expr *e) {
    if (mu_str_eq(e->name, MU_STR("_?._"))) {
        uint32_t len;
        e->overloads = mu_cel_overloads_of(c->arena, e->name, c->environment->features, &len);
        e->overloads_len = 1;
        return check_field(c, e, e->items[0], e->items[1]->literal.text, true) && check(c, e->items[1]);
    }
    for (uint32_t i = e->member; i < e->len; i++)
        if (!check(c, e->items[i]))
            return false;
    const struct mu_cel_overload *const *all = NULL;
    uint32_t all_len;
    if (e->member && take_qualified_function(c, e, &all, &all_len))
        return resolve_call(c, e, all, all_len);
    if (e->member && !check(c, e->items[0]))
        return false;
    struct mu_str name;
    all = find_function(c, e->name, &all_len, &name);
    if (all == NULL)
        return undeclared(c, e, e->name);
    e->name = name;
    return resolve_call(c, e, all, all_len);
}

/* ---- Lists, maps, comprehensions ---- */

/* What is joined to *type, which is NULL at first. */
static void join(struct checker *c, const struct mu_cel_decl *with, const struct mu_cel_decl **type) {
    if (*type == NULL)
        *type = with;
    else if (mu_cel_type_assign(&c->types, *type, with))
        *type = mu_cel_type_general(*type, with);
    else
        *type = mu_cel_type_of(MU_CEL_K_DYN); /* the validator may have a word on that */
}

/* The type of an entry's value; that of what is in it where it is marked with `?`. */
static bool entry_type(struct checker *c, const struct mu_cel_expr *e, bool optional, const struct mu_cel_decl **ret) {
    *ret = e->type;
    if (!optional)
        return true;
    const struct mu_cel_decl *type = mu_cel_type_resolve(&c->types, e->type, false);
    if (type->kind == MU_CEL_K_OPTIONAL && type->params_len > 0)
        *ret = type->params[0];
    else if (type->kind != MU_CEL_K_DYN && type->kind != MU_CEL_K_ANY)
        return mismatch(c, e, mu_cel_type_wrap(c->arena, MU_CEL_K_OPTIONAL, type), type);
    return true;
}

static bool check_list(struct checker *c, struct mu_cel_expr *e) {
    const struct mu_cel_decl *joined = NULL, *type;
    for (uint32_t i = 0; i < e->len; i++) {
        if (!check(c, e->items[i]) || !entry_type(c, e->items[i], e->optional && e->optional[i], &type))
            return false;
        join(c, type, &joined);
    }
    e->type = mu_cel_type_list(c->arena, joined ? joined : mu_cel_type_variable(&c->types));
    return true;
}

static bool check_map(struct checker *c, struct mu_cel_expr *e) {
    const struct mu_cel_decl *key = NULL, *value = NULL, *type;
    for (uint32_t i = 0; i < e->len; i++) {
        if (!check(c, e->items[i]) || !check(c, e->values[i]) ||
            !entry_type(c, e->values[i], e->optional && e->optional[i], &type))
            return false;
        join(c, e->items[i]->type, &key);
        join(c, type, &value);
    }
    if (key == NULL) {
        key = mu_cel_type_variable(&c->types);
        value = mu_cel_type_variable(&c->types);
    }
    e->type = mu_cel_type_map(c->arena, key, value);
    return true;
}

/* The types of what a comprehension's variables run over. */
static bool range_types(struct checker *c, const struct mu_cel_expr *range, bool two,
                        const struct mu_cel_decl *ret[2]) {
    const struct mu_cel_decl *type = mu_cel_type_resolve(&c->types, range->type, false);
    const struct mu_cel_decl *dyn = mu_cel_type_of(MU_CEL_K_DYN);
    ret[0] = ret[1] = dyn;
    switch (type->kind) {
    case MU_CEL_K_LIST:
        ret[0] = two ? mu_cel_type_of(MU_CEL_K_INT) : type->params_len ? type->params[0] : dyn;
        ret[1] = type->params_len ? type->params[0] : dyn;
        return true;
    case MU_CEL_K_MAP:
        ret[0] = type->params_len ? type->params[0] : dyn;
        ret[1] = type->params_len ? type->params[1] : dyn;
        return true;
    case MU_CEL_K_PARAM:
        (void)mu_cel_type_assign(&c->types, dyn, type);
        return true;
    case MU_CEL_K_DYN:
    case MU_CEL_K_ERROR:
        return true;
    default: {
        struct mu_str text = show(c, type);
        return fail(c, range,
                    "expression of type '" MU_STR_FMT
                    "' cannot be range of a comprehension (must be list, map, or dynamic)",
                    MU_STR_ARG(text));
    }
    }
}

static bool check_body(struct checker *c, struct mu_cel_fold *f, struct local *accumulator) {
    const struct mu_cel_decl *types[2], *boolean = mu_cel_type_of(MU_CEL_K_BOOL);
    if (!range_types(c, f->range, f->var2.len > 0, types))
        return false;
    struct local second = {accumulator, f->var2, types[1]};
    struct local first = {f->var2.len > 0 ? &second : accumulator, f->var, types[0]};
    c->locals = &first;
    bool fine = check(c, f->condition) && (mu_cel_type_assign(&c->types, boolean, f->condition->type) ||
                                           mismatch(c, f->condition, boolean, f->condition->type));
    fine = fine && check(c, f->step) &&
           (mu_cel_type_assign(&c->types, accumulator->type, f->step->type) ||
            mismatch(c, f->step, accumulator->type, f->step->type));
    c->locals = accumulator;
    return fine && check(c, f->result);
}

static bool check_fold(struct checker *c, struct mu_cel_expr *e) {
    struct mu_cel_fold *f = e->fold;
    if (!check(c, f->range) || !check(c, f->init))
        return false;
    struct local *outer = c->locals;
    struct local accumulator = {outer, f->accumulator, f->init->type};
    bool fine = check_body(c, f, &accumulator);
    c->locals = outer;
    if (fine)
        e->type = mu_cel_type_resolve(&c->types, f->result->type, false);
    return fine;
}

static bool check(struct checker *c, struct mu_cel_expr *e) {
    switch (e->kind) {
    case MU_CEL_LITERAL:
        e->type = mu_cel_type_of(e->literal.kind);
        return true;
    case MU_CEL_IDENT:
        return check_ident(c, e);
    case MU_CEL_SELECT:
        return check_select(c, e);
    case MU_CEL_CALL:
        return e->len <= ARGS_MAX || mu_str_eq(e->name, MU_STR("_&&_")) || mu_str_eq(e->name, MU_STR("_||_"))
                   ? check_call(c, e)
                   : fail(c, e, "found no matching overload for '" MU_STR_FMT "'", MU_STR_ARG(e->name));
    case MU_CEL_LIST:
        return check_list(c, e);
    case MU_CEL_MAP:
        return check_map(c, e);
    case MU_CEL_STRUCT:
        return undeclared(c, e, e->name);
    case MU_CEL_FOLD:
        return check_fold(c, e);
    }
    return false;
}

/* Types as far as they are known now, with dyn for what nothing says. */
static void finish(struct checker *c, struct mu_cel_expr *e) {
    if (e->type)
        e->type = mu_cel_type_resolve(&c->types, e->type, true);
    for (uint32_t i = 0; i < e->len; i++) {
        finish(c, e->items[i]);
        if (e->values)
            finish(c, e->values[i]);
    }
    if (e->fold) {
        finish(c, e->fold->range);
        finish(c, e->fold->init);
        finish(c, e->fold->condition);
        finish(c, e->fold->step);
        finish(c, e->fold->result);
    }
}

int mu_cel_check(struct mu_arena *arena, struct mu_str text, const struct mu_cel_environment *environment,
                 struct mu_cel_expr *root, struct mu_err *err) {
    struct mu_err own = {0};
    struct checker c = {
        .arena = arena, .text = text, .environment = environment, .types = {.arena = arena}, .err = &own};
    if (check(&c, root))
        finish(&c, root);
    if (c.types.too_large) { /* whatever else that led to */
        own.code = 0;
        fail(&c, root, "a type of the expression is too large");
    }
    return own.code == 0 ? 0 : mu_err_set(err, own.code, "%s", own.text);
}
