/* What the estimates of trees and of calls share. */
#ifndef MU_DEVICES_CEL_ESTIMATE_INTERNAL_H
#define MU_DEVICES_CEL_ESTIMATE_INTERNAL_H

#include "scheduler/devices/cel/ast.h"
#include "scheduler/devices/cel/functions.h"
#include "scheduler/devices/cel/unicode.h"

struct mu_cel_range {
    uint64_t min, max;
};

enum mu_cel_place_kind {
    MU_CEL_AT_NOWHERE = 0,
    MU_CEL_AT_DEVICE,
    MU_CEL_AT_DRIVER,
    MU_CEL_AT_ATTRIBUTES,
    MU_CEL_AT_ATTRIBUTES_OF,
    MU_CEL_AT_ATTRIBUTE,
    MU_CEL_AT_CAPACITY,
    MU_CEL_AT_CAPACITY_OF,
    MU_CEL_AT_QUANTITY,
    MU_CEL_AT_DOMAIN,
    MU_CEL_AT_NAME,
    MU_CEL_AT_SHARING
};

/* Sizes of the entries of a list or a map. */
struct mu_cel_entries {
    bool list;
    struct mu_cel_range key, value;
};

/* Of an expression, by its id. */
struct mu_cel_known {
    enum mu_cel_place_kind place;
    bool has_size, has_entries;
    struct mu_cel_range size;
    struct mu_cel_entries entries;
};

/* Of a variable of a comprehension. */
struct mu_cel_known_local {
    struct mu_cel_known_local *outer;
    struct mu_str name;
    enum mu_cel_place_kind place;
    bool has_size, has_entries;
    struct mu_cel_range size;
    struct mu_cel_entries entries;
};

struct mu_cel_estimate {
    struct mu_cel_known *known;
    struct mu_cel_known_local *locals;
};

struct mu_cel_call {
    const struct mu_cel_expr *e, *target; /* target NULL: no member */
    struct mu_cel_expr *const *args;
    uint32_t args_len;
    const struct mu_cel_overload *overload;
    bool has_size; /* of the result; out */
    struct mu_cel_range size;
};

/* ---- estimate.c */

uint64_t mu_cel_est_add(uint64_t a, uint64_t b);
uint64_t mu_cel_est_multiply(uint64_t a, uint64_t b);
/* Rounded up. */
uint64_t mu_cel_est_scale(uint64_t a, double factor);
struct mu_cel_range mu_cel_est_union(struct mu_cel_range a, struct mu_cel_range b);
bool mu_cel_est_place_size(enum mu_cel_place_kind place, struct mu_cel_range *ret);
enum mu_cel_place_kind mu_cel_est_place(const struct mu_cel_estimate *c, const struct mu_cel_expr *e);
bool mu_cel_est_size(struct mu_cel_estimate *c, const struct mu_cel_expr *e, struct mu_cel_range *ret);
struct mu_cel_range mu_cel_est_size_or_any(struct mu_cel_estimate *c, const struct mu_cel_expr *e);
bool mu_cel_est_entries(const struct mu_cel_estimate *c, const struct mu_cel_expr *e, struct mu_cel_entries *ret);
void mu_cel_est_set_entries(struct mu_cel_estimate *c, const struct mu_cel_expr *e, const struct mu_cel_entries *to);
uint64_t mu_cel_est_cost(struct mu_cel_estimate *c, const struct mu_cel_expr *e);

/* ---- estimate_call.c: what the call costs beside its arguments, and the size of its result. */

uint64_t mu_cel_est_call(struct mu_cel_estimate *c, struct mu_cel_call *call);

#endif
