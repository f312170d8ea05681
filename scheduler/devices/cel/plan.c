/* Planning: the tree of a checked (or unchecked) expression becomes steps, as cel-go's planner and its optimizer do. */
#include "scheduler/devices/cel/plan.h"
#include "scheduler/devices/cel/eval.h"
#include "scheduler/devices/cel/regex.h"

enum { CANDIDATES_MAX = 16 };

/* A comprehension whose variables are seen. */
struct scope {
    struct scope *outer;
    const struct mu_cel_fold *fold;
    uint32_t number;
    struct mu_cel_step *init; /* of its accumulator */
    bool body;                /* its variables too, not only its accumulator */
};

struct planner {
    struct mu_arena *arena;
    const struct mu_cel_environment *environment;
    bool checked;
    struct scope *scopes;
    uint32_t folds;
    struct mu_err *err;
};

static struct mu_cel_step *plan(struct planner *p, struct mu_cel_expr *e);

static struct mu_cel_step *make_step(struct planner *p, enum mu_cel_step_kind kind, uint32_t id) {
    struct mu_cel_step *step = MU_NEW(p->arena, struct mu_cel_step);
    step->kind = kind;
    step->id = id;
    return step;
}

static struct mu_cel_step *make_const(struct planner *p, uint32_t id, struct mu_cel_val value) {
    struct mu_cel_step *step = make_step(p, MU_CEL_STEP_CONST, id);
    step->value = value;
    return step;
}

/* ---- Attributes ---- */

uint32_t mu_cel_attr_id(const struct mu_cel_attr *attr) {
    while (attr->base == MU_CEL_BASE_CONDITION) {
        if (mu_cel_attr_id(attr->yes) != mu_cel_attr_id(attr->no))
            return attr->id;
        attr = attr->yes; /* a field of the conditional */
    }
    return attr->qualifiers.len > 0 ? attr->qualifiers.items[attr->qualifiers.len - 1]->id : attr->id;
}

static struct mu_cel_attr *make_attr(struct planner *p, enum mu_cel_base base, uint32_t id) {
    struct mu_cel_attr *attr = MU_NEW(p->arena, struct mu_cel_attr);
    attr->base = base;
    attr->id = id;
    return attr;
}

static struct mu_cel_step *make_attr_step(struct planner *p, struct mu_cel_attr *attr) {
    struct mu_cel_step *step = make_step(p, MU_CEL_STEP_ATTRIBUTE, attr->id);
    step->attr = attr;
    return step;
}

static void qualify(struct planner *p, struct mu_cel_attr *attr, struct mu_cel_qualifier *qualifier) {
    if (attr->base == MU_CEL_BASE_CONDITION) {
        qualify(p, attr->yes, qualifier);
        qualify(p, attr->no, qualifier);
        return;
    }
    MU_VEC_PUSH(p->arena, &attr->qualifiers, qualifier);
}

/* The step as an attribute that can be qualified. */
static struct mu_cel_step *as_attribute(struct planner *p, struct mu_cel_step *step, uint32_t id) {
    if (step->kind == MU_CEL_STEP_ATTRIBUTE)
        return step;
    struct mu_cel_attr *attr = make_attr(p, MU_CEL_BASE_OPERAND, id);
    attr->operand = step;
    return make_attr_step(p, attr);
}

static bool find_variable(const struct planner *p, struct mu_str name, uint32_t *ret) {
    for (uint32_t i = 0; i < p->environment->variables_len; i++) {
        if (mu_str_eq(p->environment->variables[i].name, name)) {
            *ret = i;
            return true;
        }
    }
    return false;
}

static struct mu_cel_attr *local_attr(struct planner *p, uint32_t id, struct mu_str name) {
    for (const struct scope *s = p->scopes; s; s = s->outer) {
        enum mu_cel_base base;
        if (mu_str_eq(name, s->fold->accumulator))
            base = MU_CEL_BASE_ACCUMULATOR;
        else if (s->body && mu_str_eq(name, s->fold->var))
            base = MU_CEL_BASE_FIRST;
        else if (s->body && s->fold->var2.len > 0 && mu_str_eq(name, s->fold->var2))
            base = MU_CEL_BASE_SECOND;
        else
            continue;
        struct mu_cel_attr *attr = make_attr(p, base, id);
        attr->index = s->number;
        attr->operand = s->init;
        return attr;
    }
    return NULL;
}

static struct mu_cel_val type_value(const struct mu_cel_decl *type) {
    return mu_cel_text(MU_CEL_K_TYPE, mu_cel_kind_name(type->kind));
}

/* A name of the environment, or NULL. */
static struct mu_cel_step *global_step(struct planner *p, uint32_t id, struct mu_str name) {
    struct mu_str candidates[CANDIDATES_MAX];
    uint32_t len = mu_cel_candidates(p->arena, p->environment->container, name, candidates, CANDIDATES_MAX), index;
    for (uint32_t i = 0; i < len; i++) {
        if (find_variable(p, candidates[i], &index)) {
            struct mu_cel_attr *attr = make_attr(p, MU_CEL_BASE_VARIABLE, id);
            attr->index = index;
            return make_attr_step(p, attr);
        }
        const struct mu_cel_decl *type = mu_cel_type_named(candidates[i]);
        if (type)
            return make_const(p, id, type_value(type));
    }
    return NULL;
}

static struct mu_cel_step *plan_name(struct planner *p, uint32_t id, struct mu_str name) {
    struct mu_cel_attr *attr = name.ptr[0] == '.' ? NULL : local_attr(p, id, name);
    if (attr)
        return make_attr_step(p, attr);
    struct mu_cel_step *step = global_step(p, id, name);
    if (step)
        return step;
    attr = make_attr(p, MU_CEL_BASE_MISSING, id);
    attr->name = name;
    return make_attr_step(p, attr);
}

/* Unchecked: a.b.c may be a variable of that name; the longest one counts. */
static struct mu_cel_step *plan_qualified(struct planner *p, const struct mu_cel_expr *e) {
    struct mu_buf name;
    mu_buf_init(&name, p->arena);
    const struct mu_cel_expr *parts[MU_CEL_DEPTH_MAX];
    uint32_t len = 0;
    for (; e->kind == MU_CEL_SELECT && !e->test_only; e = e->items[0])
        parts[len++] = e;
    if (e->kind != MU_CEL_IDENT || len == 0 || local_attr(p, e->id, e->name))
        return NULL;
    mu_buf_add(&name, e->name);
    for (uint32_t i = len; i-- > 0;) {
        mu_buf_add_char(&name, '.');
        mu_buf_add(&name, parts[i]->name);
    }
    return global_step(p, parts[0]->id, mu_buf_str(&name));
}

static struct mu_cel_step *plan_select(struct planner *p, struct mu_cel_expr *e) {
    struct mu_cel_step *named = p->checked || e->test_only ? NULL : plan_qualified(p, e);
    if (named)
        return named;
    struct mu_cel_step *operand = plan(p, e->items[0]);
    if (operand == NULL)
        return NULL;
    struct mu_cel_step *step = as_attribute(p, operand, mu_cel_step_id(operand));
    struct mu_cel_qualifier *qualifier = MU_NEW(p->arena, struct mu_cel_qualifier);
    *qualifier = (struct mu_cel_qualifier){.id = e->id, .test_only = e->test_only, .key = mu_cel_string(e->name)};
    qualify(p, step->attr, qualifier);
    if (!e->test_only)
        return step;
    struct mu_cel_step *test = make_attr_step(p, step->attr);
    test->test_only = true;
    return test;
}

static bool is_key(struct mu_cel_val key) {
    return key.kind == MU_CEL_K_STRING || key.kind == MU_CEL_K_INT || key.kind == MU_CEL_K_UINT ||
           key.kind == MU_CEL_K_BOOL || key.kind == MU_CEL_K_DOUBLE;
}

static struct mu_cel_step *plan_index(struct planner *p, struct mu_cel_expr *e, struct mu_cel_step *operand,
                                      struct mu_cel_step *index, bool optional) {
    struct mu_cel_step *step = as_attribute(p, operand, mu_cel_step_id(operand));
    struct mu_cel_qualifier *qualifier = MU_NEW(p->arena, struct mu_cel_qualifier);
    *qualifier = (struct mu_cel_qualifier){.id = e->id, .optional = optional};
    if (index->kind == MU_CEL_STEP_CONST && is_key(index->value)) {
        qualifier->key = index->value;
    } else if (index->kind == MU_CEL_STEP_CONST && !p->environment->strict) {
        (void)mu_err_set(p->err, MU_E_INVALID, "invalid qualifier type: %s", mu_cel_host_name(index->value.kind));
        return NULL;
    } else {
        qualifier->counts_as_attribute = index->kind != MU_CEL_STEP_ATTRIBUTE;
        qualifier->attr = as_attribute(p, index, e->id)->attr;
    }
    qualify(p, step->attr, qualifier);
    return step;
}

static struct mu_cel_attr *branch(struct planner *p, struct mu_cel_step *step) {
    return as_attribute(p, step, mu_cel_step_id(step))->attr;
}

static struct mu_cel_step *plan_condition(struct planner *p, struct mu_cel_expr *e, struct mu_cel_step **args) {
    struct mu_cel_attr *attr = make_attr(p, MU_CEL_BASE_CONDITION, e->id);
    attr->operand = args[0];
    attr->yes = branch(p, args[1]);
    attr->no = branch(p, args[2]);
    return make_attr_step(p, attr);
}

/* ---- Calls ---- */

static struct mu_cel_argument read_argument(const char **text) {
    struct mu_cel_types none = {0};
    struct mu_cel_argument argument = {MU_CEL_K_DYN, *text};
    size_t len = strcspn(*text, "(;");
    if (**text != 'A' && **text != 'B') {
        static const struct mu_cel_decl dummy = {.kind = MU_CEL_K_DYN};
        const struct mu_cel_decl *variables[2] = {&dummy, &dummy};
        char word[16];
        MU_ASSERT(len < sizeof word);
        memcpy(word, *text, len);
        word[len] = '\0';
        const char *start = word;
        argument.kind = mu_cel_type_read(&none, &start, variables)->kind;
        if (argument.kind == MU_CEL_K_ANY)
            argument.kind = MU_CEL_K_DYN;
    }
    *text += strcspn(*text, ";");
    *text += **text == ';';
    return argument;
}

static void add_candidates(struct planner *p, struct mu_cel_step *step, const struct mu_cel_overload *const *all,
                           uint32_t len) {
    struct mu_cel_candidate *candidates = MU_NEW_ARRAY(p->arena, struct mu_cel_candidate, len);
    for (uint32_t i = 0; i < len; i++) {
        if (mu_cel_arity(all[i]) != step->len)
            continue;
        struct mu_cel_candidate *candidate = &candidates[step->candidates_len++];
        candidate->overload = all[i];
        const char *text = all[i]->args;
        for (uint32_t a = 0; a < step->len && a < MU_CEL_ARGS_MAX; a++)
            candidate->args[a] = read_argument(&text);
    }
    step->candidates = candidates;
}

/* Costs that go by the function's name are the same for all its overloads, but for ip() of a text and of a CIDR. */
static enum mu_cel_cost call_cost(const struct mu_cel_step *step) {
    if (step->known)
        return step->known->cost;
    enum mu_cel_cost cost = step->candidates_len > 0 ? step->candidates[0].overload->cost : MU_CEL_COST_ONE;
    if (cost == MU_CEL_COST_IP_OF_CIDR)
        return MU_CEL_COST_SCAN;
    return cost <= MU_CEL_COST_IP_OF_CIDR ? cost : MU_CEL_COST_ONE;
}

/* For what is evaluated while planning; costs nothing. */
static struct mu_cel_eval budget(const struct planner *p) {
    return (struct mu_cel_eval){
        .arena = p->arena,
        .strict = p->environment->strict,
        .steps_left = MU_CEL_STEPS_MAX,
        .bytes_left = MU_CEL_BYTES_MAX,
    };
}

/* Evaluates a step of constants. The value may be an error. */
static struct mu_cel_val evaluate_const(struct planner *p, const struct mu_cel_step *step) {
    struct mu_cel_eval e = budget(p);
    return mu_cel_run(&e, step);
}

static bool is_conversion(struct mu_str name) {
    static const char *const names[] = {"bool", "bytes",  "double",    "duration", "dyn",
                                        "int",  "string", "timestamp", "type",     "uint"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mu_str_eq(name, mu_str_from(names[i])))
            return true;
    return false;
}

/* int('1') and its like are evaluated now. */
static struct mu_cel_step *fold_conversion(struct planner *p, struct mu_cel_step *step) {
    struct mu_cel_val value = evaluate_const(p, step);
    if (!mu_cel_is_error(value))
        return make_const(p, step->id, value);
    (void)mu_err_set(p->err, MU_E_INVALID, "program instantiation failed: " MU_STR_FMT, MU_STR_ARG(value.text));
    return NULL;
}

static bool compile_pattern(struct planner *p, struct mu_cel_expr *e, struct mu_cel_step *step) {
    bool regex = mu_str_eq(e->name, MU_STR("matches")) || mu_str_eq(e->name, MU_STR("find")) ||
                 mu_str_eq(e->name, MU_STR("findAll"));
    if (!regex || step->len < 2 || step->args[1]->kind != MU_CEL_STEP_CONST ||
        step->args[1]->value.kind != MU_CEL_K_STRING)
        return true;
    struct mu_err reason = {0};
    step->regex = mu_cel_regex_compile(p->arena, step->args[1]->value.text, &reason);
    step->early = true;
    if (step->regex == NULL)
        (void)mu_err_set(p->err, MU_E_INVALID, "program instantiation failed: %s", reason.text);
    return step->regex != NULL;
}

static bool is_primitive(struct mu_cel_val v) {
    return is_key(v);
}

/* `x in [constants]` becomes a lookup, at no cost. */
static struct mu_cel_step *plan_member(struct planner *p, struct mu_cel_step *step) {
    struct mu_cel_step *list = step->args[1];
    if (!step->known || step->known->cost != MU_CEL_COST_IN_LIST || list->kind != MU_CEL_STEP_CONST)
        return step;
    const struct mu_cel_list *items = list->value.list;
    if (items->len == 0)
        return make_const(p, step->id, mu_cel_bool(false));
    struct mu_cel_eval e = budget(p);
    e.strict = false; /* doubles are looked up too */
    struct mu_cel_val set = mu_cel_map_make(&e, items->len);
    for (uint32_t i = 0; i < items->len; i++) {
        if (!is_primitive(items->items[i]))
            return step;
        (void)mu_cel_map_put(&e, set, items->items[i], mu_cel_bool(true), true);
    }
    if (e.stopped)
        return step;
    step->kind = MU_CEL_STEP_MEMBER;
    step->value = set;
    return step;
}

/* Operators and a few functions are one function in cel-go, whichever overload the checker found. */
static bool sees_types_itself(struct mu_str name) {
    return strchr("_@!-", name.ptr[0]) != NULL || mu_str_eq(name, MU_STR("size")) || mu_str_eq(name, MU_STR("sort")) ||
           mu_str_eq(name, MU_STR("matches"));
}

static struct mu_cel_step *plan_function(struct planner *p, struct mu_cel_expr *e, struct mu_cel_step **args) {
    uint32_t all_len;
    const struct mu_cel_overload *const *all = NULL;
    struct mu_str candidates[CANDIDATES_MAX];
    uint32_t len = mu_cel_candidates(p->arena, p->checked ? (struct mu_str){0} : p->environment->container, e->name,
                                     candidates, CANDIDATES_MAX);
    for (uint32_t i = 0; i < len && all == NULL; i++)
        all = mu_cel_overloads_of(p->arena, candidates[i], p->environment->features, &all_len);
    struct mu_cel_step *step = make_step(p, MU_CEL_STEP_CALL, e->id);
    step->args = args;
    step->len = e->len;
    step->known = e->overloads_len == 1 ? e->overloads[0] : NULL;
    bool one = step->known && !sees_types_itself(e->name);
    if (e->len <= MU_CEL_ARGS_MAX && (one || all))
        add_candidates(p, step, one ? &step->known : all, one ? 1 : all_len);
    step->cost = call_cost(step);
    /* Where cel-go chooses among overloads at run time, it does so by a function of any number of arguments, which stops at
     * the first error. */
    bool chosen_late = step->known == NULL && !sees_types_itself(e->name);
    step->early = e->len > 2 || chosen_late || (step->candidates_len > 0 && step->candidates[0].overload->early);
    if (e->len == 1 && args[0]->kind == MU_CEL_STEP_CONST && is_conversion(e->name))
        return fold_conversion(p, step);
    if (e->len == 2 && mu_str_eq(e->name, MU_STR("@in")))
        return plan_member(p, step);
    return compile_pattern(p, e, step) ? step : NULL;
}

static struct mu_cel_step *plan_special(struct planner *p, struct mu_cel_expr *e, struct mu_cel_step **args) {
    static const struct {
        const char *function;
        enum mu_cel_step_kind kind;
        uint32_t len; /* 0: any */
    } specials[] = {
        {"_&&_", MU_CEL_STEP_AND, 0},
        {"_||_", MU_CEL_STEP_OR, 0},
        {"_==_", MU_CEL_STEP_EQUAL, 2},
        {"_!=_", MU_CEL_STEP_NOT_EQUAL, 2},
        {"@not_strictly_false", MU_CEL_STEP_NOT_FALSE, 1},
        {"or", MU_CEL_STEP_OPTIONAL_OR, 2},
        {"orValue", MU_CEL_STEP_OPTIONAL_VALUE, 2},
    };
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (!mu_str_eq(e->name, mu_str_from(specials[i].function)) ||
            (specials[i].len != 0 && specials[i].len != e->len))
            continue;
        struct mu_cel_step *step = make_step(p, specials[i].kind, e->id);
        step->args = args;
        step->len = e->len;
        return step;
    }
    return NULL;
}

/* Unchecked: a.b.c() may be the function a.b.c. */
static void take_qualified_function(struct planner *p, struct mu_cel_expr *e) {
    struct mu_buf name;
    uint32_t len;
    mu_buf_init(&name, p->arena);
    if (p->checked || !e->member || e->items[0]->kind != MU_CEL_IDENT)
        return;
    mu_buf_printf(&name, MU_STR_FMT "." MU_STR_FMT, MU_STR_ARG(e->items[0]->name), MU_STR_ARG(e->name));
    if (mu_cel_overloads_of(p->arena, mu_buf_str(&name), p->environment->features, &len) == NULL)
        return;
    e->name = mu_buf_str(&name);
    e->member = false;
    e->items++;
    e->len--;
}

static struct mu_cel_step *plan_call(struct planner *p, struct mu_cel_expr *e) {
    take_qualified_function(p, e);
    struct mu_cel_step **args = MU_NEW_ARRAY(p->arena, struct mu_cel_step *, e->len);
    for (uint32_t i = 0; i < e->len; i++)
        if ((args[i] = plan(p, e->items[i])) == NULL)
            return NULL;
    if (mu_str_eq(e->name, MU_STR("_?_:_")))
        return plan_condition(p, e, args);
    if (mu_str_eq(e->name, MU_STR("_[_]")))
        return plan_index(p, e, args[0], args[1], false);
    if (mu_str_eq(e->name, MU_STR("_[?_]")) || mu_str_eq(e->name, MU_STR("_?._")))
        return plan_index(p, e, args[0], args[1], true);
    struct mu_cel_step *step = plan_special(p, e, args);
    return step ? step : plan_function(p, e, args);
}

/* ---- Lists, maps, comprehensions ---- */

static struct mu_cel_step *plan_items(struct planner *p, struct mu_cel_expr *e) {
    bool map = e->kind == MU_CEL_MAP, constant = true;
    struct mu_cel_step *step = make_step(p, map ? MU_CEL_STEP_MAP : MU_CEL_STEP_LIST, e->id);
    step->len = map ? e->len * 2 : e->len;
    step->args = MU_NEW_ARRAY(p->arena, struct mu_cel_step *, step->len);
    step->optional = e->optional;
    for (uint32_t i = 0; i < step->len; i++) {
        struct mu_cel_expr *part = !map ? e->items[i] : i % 2 == 0 ? e->items[i / 2] : e->values[i / 2];
        if ((step->args[i] = plan(p, part)) == NULL)
            return NULL;
        constant = constant && step->args[i]->kind == MU_CEL_STEP_CONST;
    }
    if (!constant)
        return step;
    struct mu_cel_val value = evaluate_const(p, step);
    return mu_cel_is_error(value) ? step : make_const(p, e->id, value);
}

static struct mu_cel_step *plan_fold(struct planner *p, struct mu_cel_expr *e) {
    const struct mu_cel_fold *f = e->fold;
    struct mu_cel_step *step = make_step(p, MU_CEL_STEP_FOLD, e->id);
    step->fold = p->folds++;
    step->two = f->var2.len > 0;
    step->init = plan(p, f->init);
    step->range = step->init ? plan(p, f->range) : NULL;
    struct scope scope = {p->scopes, f, step->fold, step->init, true};
    p->scopes = &scope;
    step->condition = step->range ? plan(p, f->condition) : NULL;
    step->step = step->condition ? plan(p, f->step) : NULL;
    scope.body = false;
    step->result = step->step ? plan(p, f->result) : NULL;
    p->scopes = scope.outer;
    return step->result ? step : NULL;
}

static struct mu_cel_step *plan(struct planner *p, struct mu_cel_expr *e) {
    switch (e->kind) {
    case MU_CEL_LITERAL:
        return make_const(p, e->id, e->literal);
    case MU_CEL_IDENT:
        return plan_name(p, e->id, e->name);
    case MU_CEL_SELECT:
        return plan_select(p, e);
    case MU_CEL_CALL:
        return plan_call(p, e);
    case MU_CEL_LIST:
    case MU_CEL_MAP:
        return plan_items(p, e);
    case MU_CEL_STRUCT:
        (void)mu_err_set(p->err, MU_E_INVALID, "unknown type: " MU_STR_FMT, MU_STR_ARG(e->name));
        return NULL;
    case MU_CEL_FOLD:
        return plan_fold(p, e);
    }
    return NULL;
}

int mu_cel_plan(struct mu_arena *arena, const struct mu_cel_environment *environment, struct mu_cel_expr *root,
                bool checked, uint32_t ids, struct mu_cel_plan *ret, struct mu_err *err) {
    struct mu_err own = {0};
    struct planner p = {.arena = arena, .environment = environment, .checked = checked, .err = &own};
    struct mu_cel_step *step = plan(&p, root);
    if (step == NULL)
        return mu_err_set(err, MU_E_INVALID, "%s", own.text);
    *ret = (struct mu_cel_plan){step, ids, p.folds};
    return 0;
}
