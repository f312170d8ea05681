/* CEL for device selectors: the expression language of Kubernetes' DRA (k8s.io/dynamic-resource-allocation/cel, 1.37).
 *
 * An expression is compiled once (parsed, type-checked against the device environment) and evaluated for devices. Cost
 * is counted as upstream counts it, so that an expression that is too costly is refused at the same point. Nothing is
 * global: a program and its values live in arenas of the caller. */
#ifndef MU_DEVICES_CEL_H
#define MU_DEVICES_CEL_H

#include "scheduler/base/str.h"
#include "scheduler/objects/quantity.h"

struct mu_cel; /* a compiled expression; opaque, immutable, lives in its arena */

/* Expressions and values are bounded as upstream bounds them. */
#define MU_CEL_EXPRESSION_BYTES (10 * 1024)
#define MU_CEL_COST_MAX INT64_C(1000000)

enum mu_cel_type {
    MU_CEL_BOOL = 0,
    MU_CEL_INT,
    MU_CEL_STRING,
    MU_CEL_VERSION, /* a semver */
    MU_CEL_BOOLS,   /* lists of the same, DRAListTypeAttributes */
    MU_CEL_INTS,
    MU_CEL_STRINGS,
    MU_CEL_VERSIONS
};

/* An attribute's value. Of a list type: len items in the matching pointer. */
struct mu_cel_value {
    enum mu_cel_type type;
    uint32_t len;
    union {
        bool boolean;
        int64_t number;
        struct mu_str text; /* STRING and VERSION */
        const bool *booleans;
        const int64_t *numbers;
        const struct mu_str *texts;
    };
};

/* Names are as in the ResourceSlice: with a domain ("example.com/model"), or without ("model": the driver's own). */
struct mu_cel_attribute {
    struct mu_str name;
    struct mu_cel_value value;
};

struct mu_cel_capacity {
    struct mu_str name;
    struct mu_quantity value;
};

/* What an expression sees as `device`. Borrowed during a call. */
struct mu_cel_device {
    struct mu_str driver;
    bool allow_multiple_allocations;
    const struct mu_cel_attribute *attributes;
    const struct mu_cel_capacity *capacity;
    uint32_t attributes_len, capacity_len;
};

/* Which optional features of the API are on: they add fields and types to the environment. */
enum mu_cel_feature {
    MU_CEL_CONSUMABLE_CAPACITY = 1, /* device.allowMultipleAllocations */
    MU_CEL_LIST_ATTRIBUTES = 2
};

/* Compiles an expression that must be a bool. *ret lives in `arena`. Errors: MU_E_INVALID with upstream's meaning
 * ("compilation failed: ...", "must evaluate to bool"), MU_E_NOMEM. */
int mu_cel_compile(struct mu_arena *arena, struct mu_str expression, unsigned features, const struct mu_cel **ret,
                   struct mu_err *err) MU_MUST_USE;

/* Evaluates. *ret_match is set on success; *ret_cost (may be NULL) always. `scratch` is used during the call and rolled
 * back. Errors: MU_E_INVALID: a run-time error of the expression ("no such key: ..."); MU_E_LIMIT: its cost passes
 * MU_CEL_COST_MAX. Takes time in proportion to the cost, whatever the expression. */
int mu_cel_match(const struct mu_cel *program, const struct mu_cel_device *device, struct mu_arena *scratch,
                 bool *ret_match, int64_t *ret_cost, struct mu_err *err) MU_MUST_USE;

#endif
