/* Types of expressions: what the checker works with. Written as text they are as upstream writes them:
 * "list(int)", "map(string, dyn)", "optional_type(string)". */
#ifndef MU_DEVICES_CEL_TYPES_H
#define MU_DEVICES_CEL_TYPES_H

#include "scheduler/devices/cel/value.h"

enum {
    /* Types are trees that share parts: without a bound {x: x} nested thirty deep would take years to compare. */
    MU_CEL_TYPE_NODES_MAX = 4096,
};

/* A type without parameters. */
const struct mu_cel_decl *mu_cel_type_of(enum mu_cel_kind kind);
const struct mu_cel_decl *mu_cel_type_list(struct mu_arena *arena, const struct mu_cel_decl *item);
const struct mu_cel_decl *mu_cel_type_map(struct mu_arena *arena, const struct mu_cel_decl *key,
                                          const struct mu_cel_decl *value);
/* An OPTIONAL or a TYPE of another. */
const struct mu_cel_decl *mu_cel_type_wrap(struct mu_arena *arena, enum mu_cel_kind kind,
                                           const struct mu_cel_decl *inner);

struct mu_str mu_cel_type_text(struct mu_arena *arena, const struct mu_cel_decl *type);
bool mu_cel_type_same(const struct mu_cel_decl *a, const struct mu_cel_decl *b);

/* Type variables and what they stand for. */
struct mu_cel_types {
    struct mu_arena *arena;
    MU_VEC(const struct mu_cel_decl *) bound; /* by variable; NULL: free */
    MU_VEC(uint32_t) trail;                   /* variables in the order they were changed, with what they were */
    MU_VEC(const struct mu_cel_decl *) trail_was;
    bool too_large; /* a type passed MU_CEL_TYPE_NODES_MAX */
};

const struct mu_cel_decl *mu_cel_type_variable(struct mu_cel_types *types);
/* Types written as in the tables of functions: "list(A)", "map(string,list(string))", "optional(A)"; A and B are the
 * variables, made where they are NULL. Moves *text past it. */
const struct mu_cel_decl *mu_cel_type_read(struct mu_cel_types *types, const char **text,
                                           const struct mu_cel_decl *variables[2]);
/* True where a can be used as b, both ways round with dyn; binds variables then, and only then. */
bool mu_cel_type_assign(struct mu_cel_types *types, const struct mu_cel_decl *a, const struct mu_cel_decl *b);
bool mu_cel_type_assign_all(struct mu_cel_types *types, const struct mu_cel_decl *const *a,
                            const struct mu_cel_decl *const *b, uint32_t len);
/* The less specific of two that can be assigned. */
const struct mu_cel_decl *mu_cel_type_general(const struct mu_cel_decl *a, const struct mu_cel_decl *b);
/* Bound variables replaced; free ones by dyn where `to_dyn`. */
const struct mu_cel_decl *mu_cel_type_resolve(struct mu_cel_types *types, const struct mu_cel_decl *type, bool to_dyn);

#endif
