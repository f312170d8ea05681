/* The plan of an expression: what is evaluated, in the steps that cel-go's interpreter has, because each of its steps has
 * its cost. Selections and indexes after one another are one attribute with qualifiers; constants are folded. */
#ifndef MU_DEVICES_CEL_PLAN_H
#define MU_DEVICES_CEL_PLAN_H

#include "scheduler/devices/cel/checker.h"
#include "scheduler/devices/cel/functions.h"

struct mu_cel_regex;

enum { MU_CEL_ARGS_MAX = 4 };

enum mu_cel_step_kind {
    MU_CEL_STEP_CONST = 0,
    MU_CEL_STEP_ATTRIBUTE,
    MU_CEL_STEP_AND,
    MU_CEL_STEP_OR,
    MU_CEL_STEP_EQUAL,
    MU_CEL_STEP_NOT_EQUAL,
    MU_CEL_STEP_CALL,
    MU_CEL_STEP_NOT_FALSE, /* anything but false; errors are true */
    MU_CEL_STEP_LIST,
    MU_CEL_STEP_MAP,
    MU_CEL_STEP_FOLD,
    MU_CEL_STEP_OPTIONAL_OR,
    MU_CEL_STEP_OPTIONAL_VALUE,
    MU_CEL_STEP_MEMBER /* `in` a constant list, as a lookup */
};

enum mu_cel_base {
    MU_CEL_BASE_VARIABLE = 0, /* by index */
    MU_CEL_BASE_ACCUMULATOR,  /* of the comprehension `index` */
    MU_CEL_BASE_FIRST,        /* its variables */
    MU_CEL_BASE_SECOND,
    MU_CEL_BASE_OPERAND,   /* what a step gives */
    MU_CEL_BASE_CONDITION, /* one of two attributes */
    MU_CEL_BASE_MISSING    /* no such variable: an error when it is met */
};

struct mu_cel_qualifier {
    uint32_t id;
    bool optional, test_only;
    bool counts_as_attribute; /* the key is a step of its own kind, which the costs' stack shows */
    struct mu_cel_val key;
    struct mu_cel_attr *attr; /* the key, where it is not constant */
};

struct mu_cel_attr {
    enum mu_cel_base base;
    uint32_t id, index;
    struct mu_str name; /* of MISSING */
    struct mu_cel_step *operand;
    struct mu_cel_attr *yes, *no;
    MU_VEC(struct mu_cel_qualifier *) qualifiers;
};

/* What an argument must be. `text` is the table's, for lists and maps whose items matter. */
struct mu_cel_argument {
    enum mu_cel_kind kind; /* DYN: anything */
    const char *text;
};

struct mu_cel_candidate {
    const struct mu_cel_overload *overload;
    struct mu_cel_argument args[MU_CEL_ARGS_MAX];
};

struct mu_cel_step {
    enum mu_cel_step_kind kind;
    uint32_t id, len;
    struct mu_cel_step **args; /* LIST: items; MAP: keys and values in turn */
    const bool *optional;
    struct mu_cel_val value; /* CONST; MEMBER: the set, as a map */
    struct mu_cel_attr *attr;
    bool test_only;
    /* CALL */
    const struct mu_cel_candidate *candidates;
    uint32_t candidates_len;
    const struct mu_cel_overload *known; /* the one overload that it is; NULL where that shows only at run time */
    enum mu_cel_cost cost;
    bool early;
    const struct mu_cel_regex *regex; /* of a constant pattern */
    /* FOLD */
    uint32_t fold; /* its number */
    bool two;      /* variables */
    struct mu_cel_step *range, *init, *condition, *step, *result;
};

struct mu_cel_plan {
    struct mu_cel_step *root;
    uint32_t ids, folds;
};

/* Errors: MU_E_INVALID where a constant part cannot be evaluated, such as int('x'). */
int mu_cel_plan(struct mu_arena *arena, const struct mu_cel_environment *environment, struct mu_cel_expr *root,
                bool checked, uint32_t ids, struct mu_cel_plan *ret, struct mu_err *err) MU_MUST_USE;

uint32_t mu_cel_attr_id(const struct mu_cel_attr *attr);
static inline uint32_t mu_cel_step_id(const struct mu_cel_step *step) {
    return step->kind == MU_CEL_STEP_ATTRIBUTE ? mu_cel_attr_id(step->attr) : step->id;
}

#endif
