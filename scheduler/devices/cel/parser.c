/* The parser: recursive descent over the grammar of cel-spec ("Syntax"), in one pass. Each level of recursion is counted,
 * and so is the depth of the tree, as chains such as a.b.c.d nest without recursion. */
#include "scheduler/devices/cel/parser.h"
#include "scheduler/devices/cel/numbers.h"
#include "scheduler/devices/cel/unicode.h"

typedef MU_VEC(struct mu_cel_expr *) exprs_vec;

static struct mu_cel_expr *parse_expr(struct mu_cel_parser *p);

static bool advance(struct mu_cel_parser *p) {
    struct mu_err reason = {0};
    if (mu_cel_next(&p->lexer, &p->token, &reason) == 0)
        return true;
    mu_cel_parse_error(p, p->token.offset, "Syntax error: %s", reason.text);
    return false;
}

static bool at(const struct mu_cel_parser *p, const char *sign) {
    return p->token.kind == MU_CEL_T_SIGN && mu_str_eq(p->token.text, mu_str_from(sign));
}

/* True where the sign was next, and is taken. An error of the words after it shows at the next step. */
static bool accept(struct mu_cel_parser *p, const char *sign) {
    if (!at(p, sign))
        return false;
    if (!advance(p))
        p->token = (struct mu_cel_token){.offset = p->token.offset};
    return true;
}

static struct mu_cel_expr *unexpected(struct mu_cel_parser *p, const char *wanted) {
    if (p->token.kind == MU_CEL_T_END)
        return mu_cel_parse_error(p, p->token.offset, "Syntax error: mismatched input '<EOF>' expecting %s", wanted);
    return mu_cel_parse_error(p, p->token.offset, "Syntax error: mismatched input '" MU_STR_FMT "' expecting %s",
                              MU_STR_ARG(p->token.text), wanted);
}

static bool expect(struct mu_cel_parser *p, const char *sign) {
    if (accept(p, sign))
        return true;
    unexpected(p, sign);
    return false;
}

/* ---- Literals ---- */

static struct mu_cel_expr *parse_number(struct mu_cel_parser *p, bool negative, uint32_t offset) {
    struct mu_cel_token token = p->token;
    struct mu_cel_val value = {0};
    bool fine;
    const char *what;
    if (token.kind == MU_CEL_T_DOUBLE) {
        what = "double";
        value.kind = MU_CEL_K_DOUBLE;
        fine = mu_cel_read_double(token.text, &value.real);
        value.real = negative ? -value.real : value.real;
    } else if (token.kind == MU_CEL_T_UINT) {
        what = "uint";
        value.kind = MU_CEL_K_UINT;
        fine = !negative && mu_cel_read_natural(token.text, true, &value.natural);
    } else {
        what = "int";
        uint64_t natural = 0;
        fine = mu_cel_read_natural(token.text, true, &natural) && natural <= (uint64_t)INT64_MAX + negative;
        value = mu_cel_int((int64_t)(negative ? -natural : natural));
    }
    if (!fine)
        return mu_cel_parse_error(p, offset, "invalid %s literal", what);
    return advance(p) ? mu_cel_node_literal(p, offset, value) : NULL;
}

static struct mu_cel_expr *parse_text(struct mu_cel_parser *p) {
    struct mu_cel_token token = p->token;
    struct mu_cel_val value = mu_cel_text(token.kind == MU_CEL_T_BYTES ? MU_CEL_K_BYTES : MU_CEL_K_STRING, token.text);
    return advance(p) ? mu_cel_node_literal(p, token.offset, value) : NULL;
}

static bool is_constant(struct mu_str name, struct mu_cel_val *ret) {
    bool is_true = mu_str_eq(name, MU_STR("true"));
    if (is_true || mu_str_eq(name, MU_STR("false"))) {
        *ret = mu_cel_bool(is_true);
        return true;
    }
    *ret = (struct mu_cel_val){.kind = MU_CEL_K_NULL};
    return mu_str_eq(name, MU_STR("null"));
}

/* cel-spec, "Syntax": names that are kept for later. They may be fields. */
static bool is_reserved(struct mu_str name) {
    static const char *const words[] = {"as",        "break",  "const",  "continue", "else", "for",
                                        "function",  "if",     "import", "let",      "loop", "package",
                                        "namespace", "return", "var",    "void",     "while"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (mu_str_eq(name, mu_str_from(words[i])))
            return true;
    return false;
}

/* ---- Lists of parts ---- */

/* Expressions up to the closing sign, which is taken. `first` may be NULL. */
static struct mu_cel_expr *parse_call(struct mu_cel_parser *p, uint32_t offset, struct mu_str function,
                                      struct mu_cel_expr *receiver) {
    exprs_vec items = {0};
    if (receiver)
        MU_VEC_PUSH(p->arena, &items, receiver);
    if (!accept(p, ")")) {
        do {
            struct mu_cel_expr *item = parse_expr(p);
            if (item == NULL)
                return NULL;
            MU_VEC_PUSH(p->arena, &items, item);
        } while (accept(p, ","));
        if (!expect(p, ")"))
            return NULL;
    }
    return mu_cel_expand(p, mu_cel_node_call(p, offset, function, receiver != NULL, items.items, (uint32_t)items.len));
}

struct parts {
    exprs_vec items, values;
    MU_VEC(bool) optional;
    bool any_optional;
};

static bool take_optional(struct mu_cel_parser *p, struct parts *parts) {
    bool optional = accept(p, "?");
    MU_VEC_PUSH(p->arena, &parts->optional, optional);
    parts->any_optional = parts->any_optional || optional;
    return optional;
}

static struct mu_cel_expr *parse_list(struct mu_cel_parser *p) {
    uint32_t offset = p->token.offset;
    struct parts parts = {0};
    for (accept(p, "["); !accept(p, "]");) {
        take_optional(p, &parts);
        struct mu_cel_expr *item = parse_expr(p);
        if (item == NULL)
            return NULL;
        MU_VEC_PUSH(p->arena, &parts.items, item);
        if (!accept(p, ",") && !at(p, "]"))
            return unexpected(p, "]");
    }
    struct mu_cel_expr *node = mu_cel_node_list(p, offset, parts.items.items, (uint32_t)parts.items.len);
    if (node && parts.any_optional)
        node->optional = parts.optional.items;
    return node;
}

/* The key of a map's entry, or the name of a message's field as a literal. */
static struct mu_cel_expr *parse_key(struct mu_cel_parser *p, bool message) {
    if (!message)
        return parse_expr(p);
    struct mu_cel_token token = p->token;
    if (token.kind != MU_CEL_T_NAME && token.kind != MU_CEL_T_QUOTED_NAME)
        return unexpected(p, "a field");
    return advance(p) ? mu_cel_node_literal(p, token.offset, mu_cel_string(token.text)) : NULL;
}

/* {KEY: VALUE, ...} of a map, or of a message of that name. */
static struct mu_cel_expr *parse_entries(struct mu_cel_parser *p, struct mu_str message) {
    uint32_t offset = p->token.offset;
    struct parts parts = {0};
    for (accept(p, "{"); !accept(p, "}");) {
        take_optional(p, &parts);
        struct mu_cel_expr *key = parse_key(p, message.len > 0);
        if (key == NULL || !expect(p, ":"))
            return NULL;
        struct mu_cel_expr *value = parse_expr(p);
        if (value == NULL)
            return NULL;
        MU_VEC_PUSH(p->arena, &parts.items, key);
        MU_VEC_PUSH(p->arena, &parts.values, value);
        if (!accept(p, ",") && !at(p, "}"))
            return unexpected(p, "}");
    }
    struct mu_cel_expr *node = mu_cel_node(p, message.len > 0 ? MU_CEL_STRUCT : MU_CEL_MAP, offset);
    if (node == NULL)
        return NULL;
    node->name = message;
    node->items = parts.items.items;
    node->values = parts.values.items;
    node->len = (uint32_t)parts.items.len;
    if (parts.any_optional)
        node->optional = parts.optional.items;
    return mu_cel_node_done(p, node);
}

/* ---- Members ---- */

static struct mu_cel_expr *parse_name(struct mu_cel_parser *p) {
    uint32_t offset = p->token.offset;
    bool global = accept(p, ".");
    struct mu_cel_token token = p->token;
    struct mu_cel_val constant;
    if (token.kind != MU_CEL_T_NAME)
        return unexpected(p, "an expression");
    if (!advance(p))
        return NULL;
    if (is_constant(token.text, &constant))
        return global ? unexpected(p, "a name") : mu_cel_node_literal(p, offset, constant);
    if (is_reserved(token.text))
        return mu_cel_parse_error(p, token.offset, "reserved identifier: " MU_STR_FMT, MU_STR_ARG(token.text));
    struct mu_str name = token.text;
    if (global)
        name = mu_str_printf(p->arena, "." MU_STR_FMT, MU_STR_ARG(token.text));
    if (!at(p, "("))
        return mu_cel_node_name(p, offset, name);
    uint32_t open = p->token.offset;
    accept(p, "(");
    return parse_call(p, open, name, NULL);
}

static struct mu_cel_expr *parse_primary(struct mu_cel_parser *p) {
    switch (p->token.kind) {
    case MU_CEL_T_INT:
    case MU_CEL_T_UINT:
    case MU_CEL_T_DOUBLE:
        return parse_number(p, false, p->token.offset);
    case MU_CEL_T_STRING:
    case MU_CEL_T_BYTES:
        return parse_text(p);
    case MU_CEL_T_NAME:
        return parse_name(p);
    case MU_CEL_T_END:
    case MU_CEL_T_QUOTED_NAME:
        return unexpected(p, "an expression");
    case MU_CEL_T_SIGN:
        break;
    }
    if (at(p, "."))
        return parse_name(p);
    if (at(p, "["))
        return parse_list(p);
    if (at(p, "{"))
        return parse_entries(p, (struct mu_str){0});
    if (!accept(p, "("))
        return unexpected(p, "an expression");
    struct mu_cel_expr *inner = parse_expr(p);
    return inner && expect(p, ")") ? inner : NULL;
}

/* After a dot. */
static struct mu_cel_expr *parse_field(struct mu_cel_parser *p, struct mu_cel_expr *operand, uint32_t dot) {
    bool optional = accept(p, "?");
    struct mu_cel_token token = p->token;
    struct mu_cel_val constant;
    bool quoted = token.kind == MU_CEL_T_QUOTED_NAME;
    if (!quoted && (token.kind != MU_CEL_T_NAME || is_constant(token.text, &constant)))
        return unexpected(p, "a field");
    if (!advance(p))
        return NULL;
    if (optional) {
        struct mu_cel_expr *field = mu_cel_node_literal(p, token.offset, mu_cel_string(token.text));
        return mu_cel_node_call(p, dot, MU_STR("_?._"), false, (struct mu_cel_expr *[]){operand, field}, 2);
    }
    uint32_t open = p->token.offset;
    if (!quoted && accept(p, "("))
        return parse_call(p, open, token.text, operand);
    return mu_cel_node_select(p, dot, operand, token.text);
}

static struct mu_cel_expr *parse_index(struct mu_cel_parser *p, struct mu_cel_expr *operand, uint32_t offset) {
    struct mu_str function = accept(p, "?") ? MU_STR("_[?_]") : MU_STR("_[_]");
    struct mu_cel_expr *index = parse_expr(p);
    if (index == NULL || !expect(p, "]"))
        return NULL;
    return mu_cel_node_call(p, offset, function, false, (struct mu_cel_expr *[]){operand, index}, 2);
}

/* "a.b.c" of names; false where the expression is anything else. */
static bool dotted_name(const struct mu_cel_expr *e, struct mu_buf *out) {
    if (e->kind == MU_CEL_SELECT && !e->test_only) {
        if (!dotted_name(e->items[0], out))
            return false;
        mu_buf_add_char(out, '.');
    } else if (e->kind != MU_CEL_IDENT) {
        return false;
    }
    mu_buf_add(out, e->name);
    return true;
}

static struct mu_cel_expr *parse_member(struct mu_cel_parser *p, struct mu_cel_expr *operand) {
    while (operand) {
        uint32_t offset = p->token.offset;
        if (accept(p, ".")) {
            operand = parse_field(p, operand, offset);
        } else if (accept(p, "[")) {
            operand = parse_index(p, operand, offset);
        } else if (at(p, "{")) {
            struct mu_buf name;
            mu_buf_init(&name, p->arena);
            if (!dotted_name(operand, &name))
                return unexpected(p, "the end");
            operand = parse_entries(p, mu_buf_str(&name));
        } else {
            return operand;
        }
    }
    return NULL;
}

/* ---- Operators ---- */

static struct mu_cel_expr *parse_unary(struct mu_cel_parser *p) {
    const char *sign = at(p, "!") ? "!" : "-";
    uint32_t offset = p->token.offset;
    unsigned count = 0;
    while (accept(p, sign))
        count++;
    bool number = p->token.kind == MU_CEL_T_INT || p->token.kind == MU_CEL_T_DOUBLE;
    if (count == 1 && *sign == '-' && number) /* a sign of the number itself, which may be the least there is */
        return parse_member(p, parse_number(p, true, offset));
    struct mu_cel_expr *operand = parse_member(p, parse_primary(p));
    if (count % 2 == 0)
        return operand;
    return mu_cel_node_call(p, offset, *sign == '!' ? MU_STR("!_") : MU_STR("-_"), false, &operand, 1);
}

struct operator{
    const char *sign, *function;
};

/* Operators of one level, from the left. The list ends with one without a sign. */
static struct mu_cel_expr *parse_binary(struct mu_cel_parser *p, const struct operator* operators,
                                        struct mu_cel_expr *(*parse_operand)(struct mu_cel_parser *p)) {
    struct mu_cel_expr *left = parse_operand(p);
    while (left) {
        const struct operator* op = operators;
        while (op->sign && !at(p, op->sign))
            op++;
        if (op->sign == NULL)
            return left;
        uint32_t offset = p->token.offset;
        accept(p, op->sign);
        struct mu_cel_expr *right = parse_operand(p);
        left = mu_cel_node_call(p, offset, mu_str_from(op->function), false, (struct mu_cel_expr *[]){left, right}, 2);
    }
    return NULL;
}

static struct mu_cel_expr *parse_product(struct mu_cel_parser *p) {
    static const struct operator operators[] = {{"*", "_*_"}, {"/", "_/_"}, {"%", "_%_"}, {NULL, NULL}};
    return parse_binary(p, operators, parse_unary);
}

static struct mu_cel_expr *parse_sum(struct mu_cel_parser *p) {
    static const struct operator operators[] = {{"+", "_+_"}, {"-", "_-_"}, {NULL, NULL}};
    return parse_binary(p, operators, parse_product);
}

static struct mu_cel_expr *parse_relation(struct mu_cel_parser *p) {
    static const struct operator operators[] = {{"<", "_<_"},   {"<=", "_<=_"}, {">=", "_>=_"}, {">", "_>_"},
                                                {"==", "_==_"}, {"!=", "_!=_"}, {"in", "@in"},  {NULL, NULL}};
    return parse_binary(p, operators, parse_sum);
}

/* Any number of terms becomes one node, so that long chains are not deep. */
static struct mu_cel_expr *parse_logic(struct mu_cel_parser *p, const char *sign, struct mu_str function,
                                       struct mu_cel_expr *(*parse_term)(struct mu_cel_parser *p)) {
    struct mu_cel_expr *first = parse_term(p);
    if (first == NULL || !at(p, sign))
        return first;
    exprs_vec terms = {0};
    MU_VEC_PUSH(p->arena, &terms, first);
    uint32_t offset = p->token.offset;
    while (accept(p, sign)) {
        struct mu_cel_expr *term = parse_term(p);
        if (term == NULL)
            return NULL;
        MU_VEC_PUSH(p->arena, &terms, term);
    }
    return mu_cel_node_call(p, offset, function, false, terms.items, (uint32_t)terms.len);
}

static struct mu_cel_expr *parse_and(struct mu_cel_parser *p) {
    return parse_logic(p, "&&", MU_STR("_&&_"), parse_relation);
}

static struct mu_cel_expr *parse_or(struct mu_cel_parser *p) {
    return parse_logic(p, "||", MU_STR("_||_"), parse_and);
}

static struct mu_cel_expr *parse_conditional(struct mu_cel_parser *p) {
    struct mu_cel_expr *condition = parse_or(p);
    uint32_t offset = p->token.offset;
    if (condition == NULL || !accept(p, "?"))
        return condition;
    struct mu_cel_expr *yes = parse_or(p);
    if (yes == NULL || !expect(p, ":"))
        return NULL;
    struct mu_cel_expr *no = parse_expr(p);
    return mu_cel_node_call(p, offset, MU_STR("_?_:_"), false, (struct mu_cel_expr *[]){condition, yes, no}, 3);
}

static struct mu_cel_expr *parse_expr(struct mu_cel_parser *p) {
    if (p->level >= MU_CEL_DEPTH_MAX)
        return mu_cel_parse_error(p, p->token.offset, "expression recursion limit exceeded: %d", (int)MU_CEL_DEPTH_MAX);
    p->level++;
    struct mu_cel_expr *e = parse_conditional(p);
    p->level--;
    return e;
}

int mu_cel_parse(struct mu_arena *arena, struct mu_str text, const struct mu_cel_parse_options *options,
                 struct mu_cel_parsed *ret, struct mu_err *err) {
    size_t bytes_max = options && options->bytes_max ? options->bytes_max : MU_CEL_EXPRESSION_BYTES;
    if (text.len > bytes_max)
        return mu_err_set(err, MU_E_INVALID, "the expression is longer than %zu bytes", bytes_max);
    if (!mu_utf8_valid(text))
        return mu_err_set(err, MU_E_INVALID, "1:1: Syntax error: the expression is not valid UTF-8");
    struct mu_err own = {0};
    struct mu_cel_parser p = {.arena = arena, .text = text, .lexer = {arena, text, 0}, .nodes = 1, .err = &own};
    struct mu_cel_expr *root = advance(&p) ? parse_expr(&p) : NULL;
    if (root && p.token.kind != MU_CEL_T_END)
        unexpected(&p, "<EOF>");
    if (own.code != 0)
        return mu_err_set(err, own.code, "%s", own.text);
    *ret = (struct mu_cel_parsed){root, p.nodes};
    return 0;
}
