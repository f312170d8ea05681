/* What upstream's validators check once types are known: literals of one type, constant durations, times, patterns and
 * formats. What they find is an error of the expression, not of its evaluation. */
#include "scheduler/devices/cel/checker.h"
#include "scheduler/devices/cel/format_string.h"
#include "scheduler/devices/cel/libraries.h"
#include "scheduler/devices/cel/regex.h"

#include <stdio.h>

struct validator {
    struct mu_arena *arena;
    struct mu_str text;
    const struct mu_cel_environment *environment;
    struct mu_err *err;
};

static bool fail(struct validator *v, const struct mu_cel_expr *e, const char *format, ...) MU_PRINTF(3, 4);

static bool fail(struct validator *v, const struct mu_cel_expr *e, const char *format, ...) {
    char text[440];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct mu_cel_place place = mu_cel_place(v->text, e->offset);
    (void)mu_err_set(v->err, MU_E_INVALID, "%u:%u: %s", place.line, place.column, text);
    return false;
}

/* ---- Lists and maps of one type ---- */

static bool same_type(struct validator *v, const struct mu_cel_expr *e, bool optional,
                      const struct mu_cel_decl **first) {
    const struct mu_cel_decl *type = optional && e->type->params_len > 0 ? e->type->params[0] : e->type;
    if (*first == NULL)
        *first = type;
    if (mu_cel_type_same(*first, type))
        return true;
    struct mu_str want = mu_cel_type_text(v->arena, *first), have = mu_cel_type_text(v->arena, type);
    return fail(v, e, "expected type '" MU_STR_FMT "' but found '" MU_STR_FMT "'", MU_STR_ARG(want), MU_STR_ARG(have));
}

static bool validate_items(struct validator *v, const struct mu_cel_expr *e) {
    const struct mu_cel_decl *item = NULL, *value = NULL;
    for (uint32_t i = 0; i < e->len; i++) {
        bool optional = e->optional && e->optional[i];
        if (!same_type(v, e->items[i], optional && e->kind == MU_CEL_LIST, &item) ||
            (e->values && !same_type(v, e->values[i], optional, &value)))
            return false;
    }
    return true;
}

/* ---- Constant arguments ---- */

static bool validate_call(struct validator *v, const struct mu_cel_expr *e) {
    const struct mu_cel_expr *arg = e->len > (uint32_t)e->member ? e->items[e->member] : NULL;
    if (arg == NULL || arg->kind != MU_CEL_LITERAL || arg->literal.kind != MU_CEL_K_STRING)
        return true;
    struct mu_str text = arg->literal.text;
    int64_t number;
    int32_t nanos;
    struct mu_err ignored = {0};
    bool fine = true;
    if (mu_str_eq(e->name, MU_STR("duration")))
        fine = mu_cel_duration_read(text, &number);
    else if (mu_str_eq(e->name, MU_STR("timestamp")))
        fine = mu_cel_timestamp_read(text, &number, &nanos);
    else if (mu_str_eq(e->name, MU_STR("matches"))) /* the first argument, also of the function that is no member */
        fine = mu_cel_regex_compile(v->arena, text, &ignored) != NULL;
    return fine || fail(v, arg, "invalid " MU_STR_FMT " argument", MU_STR_ARG(e->name));
}

/* ---- 'constant'.format([...]) ---- */

static bool is_shown(const struct mu_cel_expr *e) {
    switch (e->type->kind) {
    case MU_CEL_K_OPTIONAL:
    case MU_CEL_K_QUANTITY:
    case MU_CEL_K_SEMVER:
    case MU_CEL_K_IP:
    case MU_CEL_K_CIDR:
    case MU_CEL_K_URL:
    case MU_CEL_K_FORMAT:
    case MU_CEL_K_DEVICE:
        return false;
    default:
        break;
    }
    if (e->kind != MU_CEL_LIST && e->kind != MU_CEL_MAP)
        return true;
    for (uint32_t i = 0; i < e->len; i++)
        if (!is_shown(e->items[i]) || (e->values && !is_shown(e->values[i])))
            return false;
    return true;
}

static bool clause_takes(char verb, const struct mu_cel_expr *arg) {
    enum mu_cel_kind kind = arg->type->kind;
    bool integer = kind == MU_CEL_K_INT || kind == MU_CEL_K_UINT || kind == MU_CEL_K_DYN;
    switch (verb) {
    case 's':
        return is_shown(arg);
    case 'f':
    case 'e':
        return kind == MU_CEL_K_DOUBLE || kind == MU_CEL_K_STRING || kind == MU_CEL_K_DYN;
    case 'b':
        return integer || kind == MU_CEL_K_BOOL;
    case 'x':
    case 'X':
        return integer || kind == MU_CEL_K_STRING || kind == MU_CEL_K_BYTES;
    default:
        return integer;
    }
}

static bool validate_format(struct validator *v, const struct mu_cel_expr *e) {
    if (!e->member || e->len != 2 || e->items[0]->kind != MU_CEL_LITERAL ||
        e->items[0]->literal.kind != MU_CEL_K_STRING || e->items[1]->kind != MU_CEL_LIST)
        return true;
    const struct mu_cel_expr *args = e->items[1];
    struct mu_str format = e->items[0]->literal.text;
    uint32_t next = 0;
    for (size_t at = 0; at < format.len;) {
        struct mu_cel_clause clause;
        const char *wrong = mu_cel_clause_next(format, &at, &clause);
        if (wrong)
            return fail(v, e, "could not parse formatting clause: %s", wrong);
        if (clause.verb == 0 || clause.verb == '%')
            continue;
        if (next >= args->len)
            return fail(v, e, "index %u out of range", next);
        if (!clause_takes(clause.verb, args->items[next++])) {
            struct mu_str type = mu_cel_type_text(v->arena, args->items[next - 1]->type);
            return fail(v, args->items[next - 1], "error during formatting: clause %%%c was given " MU_STR_FMT,
                        clause.verb, MU_STR_ARG(type));
        }
    }
    return next == args->len ||
           fail(v, e, "too many arguments supplied to string.format (expected %u, got %u)", next, args->len);
}

/* `mixed`: lists and maps of several types are allowed, as inside the arguments of format(). */
static bool validate(struct validator *v, const struct mu_cel_expr *e, bool mixed) {
    if ((e->kind == MU_CEL_LIST || e->kind == MU_CEL_MAP) && !mixed && !validate_items(v, e))
        return false;
    if (e->kind == MU_CEL_CALL && mu_str_eq(e->name, MU_STR("format"))) {
        mixed = true;
        if (!v->environment->strict && !validate_format(v, e))
            return false;
    }
    if (e->kind == MU_CEL_CALL && !validate_call(v, e))
        return false;
    for (uint32_t i = 0; i < e->len; i++)
        if (!validate(v, e->items[i], mixed) || (e->values && !validate(v, e->values[i], mixed)))
            return false;
    const struct mu_cel_fold *f = e->fold;
    return !f || (validate(v, f->range, mixed) && validate(v, f->init, mixed) && validate(v, f->condition, mixed) &&
                  validate(v, f->step, mixed) && validate(v, f->result, mixed));
}

int mu_cel_validate(struct mu_arena *arena, struct mu_str text, const struct mu_cel_environment *environment,
                    const struct mu_cel_expr *root, struct mu_err *err) {
    struct mu_err own = {0};
    struct validator v = {arena, text, environment, &own};
    if (!validate(&v, root, environment->mixed_literals))
        return mu_err_set(err, own.code, "%s", own.text);
    return 0;
}
