/* The functions of the environment: tables of overloads, one for each library, and what implements them. */
#ifndef MU_DEVICES_CEL_FUNCTIONS_H
#define MU_DEVICES_CEL_FUNCTIONS_H

#include "scheduler/devices/cel/types.h"

/* How a call's cost is counted, at run time and as an estimate (cost.c, estimate.c). */
enum mu_cel_cost {
    MU_CEL_COST_ONE = 0,
    /* Known by the function's name, so that it counts also where the types leave the overload open. */
    MU_CEL_COST_FLAT,     /* 1 */
    MU_CEL_COST_WALK,     /* one for each item, a tenth for each byte of text in it */
    MU_CEL_COST_SCAN,     /* a tenth of the first argument's size */
    MU_CEL_COST_REBUILD,  /* twice that */
    MU_CEL_COST_JOIN,     /* twice a tenth of the result's size */
    MU_CEL_COST_FIND,     /* text times pattern */
    MU_CEL_COST_VALIDATE, /* text times the format's pattern */
    MU_CEL_COST_CONTAINS_IP,
    MU_CEL_COST_CONTAINS_CIDR,
    MU_CEL_COST_IP_OF_CIDR, /* 1; where it is not known to be this one, MU_CEL_COST_SCAN */
    /* Known by the overload. */
    MU_CEL_COST_EQUAL,
    MU_CEL_COST_NOT_EQUAL,
    MU_CEL_COST_ORDER,   /* strings and bytes: a tenth of the shorter one */
    MU_CEL_COST_AFFIX,   /* startsWith, endsWith: a tenth of the second argument */
    MU_CEL_COST_CONVERT, /* a tenth of the first argument, where strings and bytes become each other */
    MU_CEL_COST_TO_BYTES,
    MU_CEL_COST_TO_STRING,
    MU_CEL_COST_QUOTE,
    MU_CEL_COST_IN_LIST,
    MU_CEL_COST_CONCAT,
    MU_CEL_COST_CONCAT_LIST, /* 1 */
    MU_CEL_COST_MATCH,
    MU_CEL_COST_CONTAINS,
    MU_CEL_COST_LIST_RESULT, /* slice, reverse, range: by the result's size */
    MU_CEL_COST_FLATTEN,
    MU_CEL_COST_DISTINCT,
    MU_CEL_COST_SORT,
    MU_CEL_COST_SORT_BY,
    MU_CEL_COST_SETS,
    MU_CEL_COST_SETS_TWICE,
    /* Handled where they are met. */
    MU_CEL_COST_LOGIC,
    MU_CEL_COST_CONDITION,
    MU_CEL_COST_INDEX_LIST,
    MU_CEL_COST_INDEX_MAP,
    MU_CEL_COST_DYN
};

/* Arguments are never errors, but of functions that are not strict. */
typedef struct mu_cel_val (*mu_cel_fn)(struct mu_cel_eval *e, const struct mu_cel_val *args, uint32_t len);

struct mu_cel_overload {
    const char *function;
    const char *args, *result; /* as mu_cel_type_read() reads them, separated by semicolons */
    mu_cel_fn fn;              /* NULL: the planner makes something of its own of it */
    enum mu_cel_cost cost;
    bool member;
    bool early;        /* with one or two arguments: the second is not evaluated where the first is an error */
    unsigned features; /* of enum mu_cel_feature: any of them is needed; 0: none */
};

/* Bits beside those of enum mu_cel_feature: not in Kubernetes' environment, but in cel-spec's; and the other way. */
#define MU_CEL_SPEC_ONLY (1U << 16)
#define MU_CEL_KUBERNETES_ONLY (1U << 17)

/* Tables end with one without a function's name. */
extern const struct mu_cel_overload mu_cel_operators[];
extern const struct mu_cel_overload mu_cel_conversions[];
extern const struct mu_cel_overload mu_cel_standard[];
extern const struct mu_cel_overload mu_cel_times[];
extern const struct mu_cel_overload mu_cel_optionals[];
extern const struct mu_cel_overload mu_cel_strings[];
extern const struct mu_cel_overload mu_cel_format_strings[];
extern const struct mu_cel_overload mu_cel_lists[];
extern const struct mu_cel_overload mu_cel_sets[];
extern const struct mu_cel_overload mu_cel_regexes[];
extern const struct mu_cel_overload mu_cel_quantities[];
extern const struct mu_cel_overload mu_cel_semvers[];
extern const struct mu_cel_overload mu_cel_addresses[];
extern const struct mu_cel_overload mu_cel_urls[];
extern const struct mu_cel_overload mu_cel_formats[];

/* All of a function's overloads that the features have, in the order of upstream's declarations. NULL where there are
 * none. */
const struct mu_cel_overload *const *mu_cel_overloads_of(struct mu_arena *arena, struct mu_str function,
                                                         unsigned features, uint32_t *ret_len);
/* Can the value be such an argument? The text is that of a table; moves on to the next argument. */
bool mu_cel_takes(struct mu_cel_eval *e, const char **text, struct mu_cel_val value);
uint32_t mu_cel_arity(const struct mu_cel_overload *overload);

#endif
