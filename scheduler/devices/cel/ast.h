/* The tree that an expression is parsed to, macros expanded (cel-spec, "Macros"). The checker adds types and what names
 * and calls refer to. */
#ifndef MU_DEVICES_CEL_AST_H
#define MU_DEVICES_CEL_AST_H

#include "scheduler/devices/cel/value.h"

enum {
    MU_CEL_DEPTH_MAX = 250,   /* upstream's limit of recursion */
    MU_CEL_NODES_MAX = 65536, /* macros copy what they are applied to; 10 KiB of text are fewer nodes than this */
};

enum mu_cel_expr_kind {
    MU_CEL_LITERAL = 0,
    MU_CEL_IDENT,
    MU_CEL_SELECT,
    MU_CEL_CALL,
    MU_CEL_LIST,
    MU_CEL_MAP,
    MU_CEL_STRUCT, /* a message; there are none in this environment, so the checker refuses it */
    MU_CEL_FOLD    /* a comprehension */
};

struct mu_cel_overload;

struct mu_cel_expr {
    enum mu_cel_expr_kind kind;
    uint32_t id;        /* 1 and up; as in cel-go, a node that becomes an identifier keeps it */
    uint32_t offset;    /* in the text */
    uint32_t depth;     /* nodes on the longest way down, itself included */
    uint32_t len;       /* of items: arguments, elements, keys */
    bool member;        /* a call with a receiver, which is items[0] then */
    bool test_only;     /* SELECT: has() */
    struct mu_str name; /* IDENT; SELECT: the field; CALL: the function; STRUCT: the type */
    struct mu_cel_val literal;
    struct mu_cel_expr **items;  /* SELECT: the operand */
    struct mu_cel_expr **values; /* MAP */
    const bool *optional;        /* LIST and MAP: which entries begin with `?`; NULL: none */
    struct mu_cel_fold *fold;
    /* Set by the checker. */
    const struct mu_cel_decl *type;
    const struct mu_cel_overload *const *overloads; /* of a CALL: those that its arguments allow */
    uint32_t overloads_len;
    bool is_type_name; /* an IDENT that stands for a type */
};

struct mu_cel_fold {
    struct mu_cel_expr *range, *init, *condition, *step, *result;
    struct mu_str var, var2, accumulator; /* var2.len 0: none */
};

/* Names that a text cannot spell. */
#define MU_CEL_ACCUMULATOR MU_STR("@result")
#define MU_CEL_UNUSED MU_STR("#unused")

/* How names and macros are read. */
struct mu_cel_parse_options {
    size_t bytes_max; /* of the text; 0: MU_CEL_EXPRESSION_BYTES */
};

struct mu_cel_parsed {
    struct mu_cel_expr *root;
    uint32_t nodes; /* ids are below this */
};

/* Errors: MU_E_INVALID, "LINE:COLUMN: Syntax error: ...". */
int mu_cel_parse(struct mu_arena *arena, struct mu_str text, const struct mu_cel_parse_options *options,
                 struct mu_cel_parsed *ret, struct mu_err *err) MU_MUST_USE;

/* "3:14" of an offset. */
struct mu_cel_place {
    uint32_t line, column;
};
struct mu_cel_place mu_cel_place(struct mu_str text, uint32_t offset);

#endif
