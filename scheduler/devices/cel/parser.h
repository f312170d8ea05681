/* What the parser and the macros share: making nodes. */
#ifndef MU_DEVICES_CEL_PARSER_H
#define MU_DEVICES_CEL_PARSER_H

#include "scheduler/devices/cel/ast.h"
#include "scheduler/devices/cel/lexer.h"

struct mu_cel_parser {
    struct mu_arena *arena;
    struct mu_str text;
    struct mu_cel_lexer lexer;
    struct mu_cel_token token; /* the one that is next */
    uint32_t nodes, level;
    struct mu_err *err;
};

/* All of these return NULL where a limit is passed or an operand is NULL; the error is set then. */
struct mu_cel_expr *mu_cel_node(struct mu_cel_parser *p, enum mu_cel_expr_kind kind, uint32_t offset);
struct mu_cel_expr *mu_cel_node_literal(struct mu_cel_parser *p, uint32_t offset, struct mu_cel_val value);
struct mu_cel_expr *mu_cel_node_name(struct mu_cel_parser *p, uint32_t offset, struct mu_str name);
struct mu_cel_expr *mu_cel_node_select(struct mu_cel_parser *p, uint32_t offset, struct mu_cel_expr *operand,
                                       struct mu_str field);
/* `items` is copied. The first is the receiver of a member call. */
struct mu_cel_expr *mu_cel_node_call(struct mu_cel_parser *p, uint32_t offset, struct mu_str function, bool member,
                                     struct mu_cel_expr *const *items, uint32_t len);
struct mu_cel_expr *mu_cel_node_list(struct mu_cel_parser *p, uint32_t offset, struct mu_cel_expr *const *items,
                                     uint32_t len);
struct mu_cel_expr *mu_cel_node_fold(struct mu_cel_parser *p, uint32_t offset, const struct mu_cel_fold *fold);
/* Sets the depth from the parts; NULL where it is too deep. */
struct mu_cel_expr *mu_cel_node_done(struct mu_cel_parser *p, struct mu_cel_expr *node);
/* A copy of the whole tree with ids of its own. */
struct mu_cel_expr *mu_cel_node_copy(struct mu_cel_parser *p, const struct mu_cel_expr *node);

/* "LINE:COLUMN: ..."; returns NULL. */
struct mu_cel_expr *mu_cel_parse_error(struct mu_cel_parser *p, uint32_t offset, const char *format, ...)
    MU_PRINTF(3, 4);

/* What the call stands for, itself where it is no macro. */
struct mu_cel_expr *mu_cel_expand(struct mu_cel_parser *p, struct mu_cel_expr *call);

#endif
