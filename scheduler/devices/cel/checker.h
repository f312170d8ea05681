/* The checker: names, functions and types of an expression. */
#ifndef MU_DEVICES_CEL_CHECKER_H
#define MU_DEVICES_CEL_CHECKER_H

#include "scheduler/devices/cel/ast.h"
#include "scheduler/devices/cel/types.h"

struct mu_cel_variable {
    struct mu_str name;
    const struct mu_cel_decl *type;
};

struct mu_cel_environment {
    const struct mu_cel_variable *variables;
    uint32_t variables_len;
    struct mu_str container; /* names are looked up in it first */
    unsigned features;       /* enum mu_cel_feature, MU_CEL_SPEC_ONLY */
    bool mixed_literals;     /* lists and maps of several types; Kubernetes refuses them */
    /* Errors where cel-spec has them and cel-go, as Kubernetes sets it up, has not: equal keys in a map literal, and keys
     * that are doubles; selecting a field from what has none, even optionally; positions behind a text's end. */
    bool strict;
};

/* The type of an attribute's value under these features. */
const struct mu_cel_decl *mu_cel_attribute_type(unsigned features);
/* The type that a name stands for, or NULL: "int", "google.protobuf.Duration". */
const struct mu_cel_decl *mu_cel_type_named(struct mu_str name);

/* The names that `name` may stand for in the container, most specific first. Returns how many, at most `max`. */
uint32_t mu_cel_candidates(struct mu_arena *arena, struct mu_str container, struct mu_str name, struct mu_str *ret,
                           uint32_t max);

/* Sets types and overloads in the tree, and rewrites what turns out to be a qualified name. Errors: MU_E_INVALID,
 * "LINE:COLUMN: ...", the first one. */
int mu_cel_check(struct mu_arena *arena, struct mu_str text, const struct mu_cel_environment *environment,
                 struct mu_cel_expr *root, struct mu_err *err) MU_MUST_USE;

/* What upstream's validators check of a tree whose types are known: that the items of a literal are of one type, and
 * constant durations, times, patterns and formats. Errors as mu_cel_check(). */
int mu_cel_validate(struct mu_arena *arena, struct mu_str text, const struct mu_cel_environment *environment,
                    const struct mu_cel_expr *root, struct mu_err *err) MU_MUST_USE;

#endif
