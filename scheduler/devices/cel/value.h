/* Values and types of CEL expressions.
 *
 * A value is 24 bytes and is passed by value; what it points to lives in an arena. Errors are values too: they pass
 * through operators as the language definition says ("Error propagation": && and || absorb them). */
#ifndef MU_DEVICES_CEL_VALUE_H
#define MU_DEVICES_CEL_VALUE_H

#include "scheduler/base/str.h"
#include "scheduler/devices/cel/cel.h"

/* Kinds of values, and of types. */
enum mu_cel_kind {
    MU_CEL_K_ERROR = 0,
    MU_CEL_K_NULL,
    MU_CEL_K_BOOL,
    MU_CEL_K_INT,
    MU_CEL_K_UINT,
    MU_CEL_K_DOUBLE,
    MU_CEL_K_STRING,
    MU_CEL_K_BYTES,
    MU_CEL_K_DURATION,
    MU_CEL_K_TIMESTAMP,
    MU_CEL_K_LIST,
    MU_CEL_K_MAP,
    MU_CEL_K_TYPE,
    MU_CEL_K_OPTIONAL,
    MU_CEL_K_QUANTITY,
    MU_CEL_K_SEMVER,
    MU_CEL_K_IP,
    MU_CEL_K_CIDR,
    MU_CEL_K_URL,
    MU_CEL_K_FORMAT,
    /* Of types only. */
    MU_CEL_K_DYN,
    MU_CEL_K_ANY,
    MU_CEL_K_PARAM,  /* a type variable */
    MU_CEL_K_DEVICE, /* kubernetes.DRADevice; its value is a map */
    MU_CEL_K_COUNT   /* the number of kinds */
};

struct mu_cel_list;
struct mu_cel_map;
struct mu_cel_decl;
struct mu_cel_semver;
struct mu_cel_address;
struct mu_cel_url;
struct mu_cel_format;

struct mu_cel_amount {
    struct mu_quantity quantity;
    bool computed; /* by add() or sub(): upstream fails to compare anything with such a one by == */
    bool fraction; /* written with digits below one, so that Kubernetes does not take it for an integer ("1000m") */
};

struct mu_cel_val {
    enum mu_cel_kind kind;
    int32_t nanos; /* of a TIMESTAMP, 0 to 999999999 */
    union {
        bool boolean;
        int64_t number; /* INT; DURATION in nanoseconds; TIMESTAMP in seconds since 1970 */
        uint64_t natural;
        double real;
        struct mu_str text; /* STRING (UTF-8), BYTES, ERROR (what went wrong), TYPE (its name) */
        struct mu_cel_list *list;
        struct mu_cel_map *map;
        const struct mu_cel_val *inner; /* OPTIONAL; NULL: none */
        const struct mu_cel_amount *amount;
        const struct mu_cel_semver *semver;
        const struct mu_cel_address *address; /* IP and CIDR */
        const struct mu_cel_url *url;
        const struct mu_cel_format *format;
    };
};

/* Never changed once it is seen by an expression, but for the accumulator of a comprehension, which grows in place. */
struct mu_cel_list {
    struct mu_cel_val *items;
    uint32_t len, cap;
    bool grows;
};

/* What a map looks its keys up in. */
enum mu_cel_map_shape {
    MU_CEL_MAP_ENTRIES = 0,
    MU_CEL_MAP_DEVICE,     /* the variable `device` */
    MU_CEL_MAP_ATTRIBUTES, /* domain -> MAP_ATTRIBUTES_OF */
    MU_CEL_MAP_CAPACITY,
    MU_CEL_MAP_ATTRIBUTES_OF, /* name -> value, of one domain */
    MU_CEL_MAP_CAPACITY_OF
};

struct mu_cel_map {
    enum mu_cel_map_shape shape;
    uint32_t len, cap; /* of ENTRIES; for the others once `keys` is made */
    bool grows;
    struct mu_cel_val *keys, *values;
    uint32_t *slots; /* hash index of ENTRIES: 1 + entry; NULL while there are few */
    uint32_t slots_len;
    struct mu_str domain; /* of the last two */
};

struct mu_cel_decl {
    enum mu_cel_kind kind;
    uint32_t size;     /* nodes of the type, all counted; saturating */
    uint32_t variable; /* of a PARAM */
    uint32_t params_len;
    const struct mu_cel_decl *params[2]; /* LIST, OPTIONAL, TYPE: one; MAP: key and value */
};

struct mu_cel_eval;

static inline struct mu_cel_val mu_cel_bool(bool value) {
    return (struct mu_cel_val){.kind = MU_CEL_K_BOOL, .boolean = value};
}
static inline struct mu_cel_val mu_cel_int(int64_t value) {
    return (struct mu_cel_val){.kind = MU_CEL_K_INT, .number = value};
}
static inline struct mu_cel_val mu_cel_uint(uint64_t value) {
    return (struct mu_cel_val){.kind = MU_CEL_K_UINT, .natural = value};
}
static inline struct mu_cel_val mu_cel_double(double value) {
    return (struct mu_cel_val){.kind = MU_CEL_K_DOUBLE, .real = value};
}
static inline struct mu_cel_val mu_cel_text(enum mu_cel_kind kind, struct mu_str text) {
    return (struct mu_cel_val){.kind = kind, .text = text.ptr ? text : MU_STR("")};
}
static inline struct mu_cel_val mu_cel_string(struct mu_str text) {
    return mu_cel_text(MU_CEL_K_STRING, text);
}
static inline bool mu_cel_is_error(struct mu_cel_val v) {
    return v.kind == MU_CEL_K_ERROR;
}
static inline bool mu_cel_is_bool(struct mu_cel_val v, bool value) {
    return v.kind == MU_CEL_K_BOOL && v.boolean == value;
}

/* The type's name as `type()` gives it ("int", "google.protobuf.Timestamp", "kubernetes.Quantity"). */
struct mu_str mu_cel_kind_name(enum mu_cel_kind kind);
/* The name that upstream's messages have for a value ("types.Int", "cel.Semver"). */
const char *mu_cel_host_name(enum mu_cel_kind kind);
/* The value as messages show it. */
struct mu_str mu_cel_show(struct mu_arena *arena, struct mu_cel_val v);

/* ---- Values within an evaluation: memory and steps are taken from its budget. ---- */

/* An error with a text; so also where the budget is used up, and then nothing more is evaluated. */
struct mu_cel_val mu_cel_fail(struct mu_cel_eval *e, const char *format, ...) MU_PRINTF(2, 3);
struct mu_cel_val mu_cel_no_overload(struct mu_cel_eval *e);
/* Memory for a value; zeroed. NULL where the budget is used up: the result of the evaluation is void then. */
void *mu_cel_alloc(struct mu_cel_eval *e, size_t count, size_t bytes_each);
/* Takes bytes from the budget that are allocated elsewhere; false where it has not so many. */
bool mu_cel_reserve(struct mu_cel_eval *e, size_t bytes);
/* False where so many more steps are more than the budget has. */
bool mu_cel_step(struct mu_cel_eval *e, uint64_t steps);

/* Around walking into a value: false where it is too deep. */
bool mu_cel_descend(struct mu_cel_eval *e);
void mu_cel_ascend(struct mu_cel_eval *e);

struct mu_cel_val mu_cel_optional(struct mu_cel_eval *e, const struct mu_cel_val *inner);
/* A list of len items that the caller fills; its kind is ERROR where there is no memory. */
struct mu_cel_val mu_cel_list_make(struct mu_cel_eval *e, size_t len);
/* Appends to a list that grows. */
bool mu_cel_list_push(struct mu_cel_eval *e, struct mu_cel_list *list, struct mu_cel_val item);
struct mu_cel_val mu_cel_map_make(struct mu_cel_eval *e, size_t cap);
/* Adds an entry to a map of the shape ENTRIES. `replace`: what is there under an equal key goes, as in upstream's
 * literals; otherwise that is an error. Returns the map or an error. */
struct mu_cel_val mu_cel_map_put(struct mu_cel_eval *e, struct mu_cel_val map, struct mu_cel_val key,
                                 struct mu_cel_val value, bool replace);
/* True and *ret (may be NULL) where the map has the key. Numbers are compared across kinds. */
bool mu_cel_map_find(struct mu_cel_eval *e, struct mu_cel_val map, struct mu_cel_val key, struct mu_cel_val *ret);
/* As selection and indexing see it: a domain that no attribute has is an empty map. */
bool mu_cel_map_select(struct mu_cel_eval *e, struct mu_cel_val map, struct mu_cel_val key, struct mu_cel_val *ret);
uint32_t mu_cel_map_len(struct mu_cel_eval *e, struct mu_cel_val map);
/* The entry by its number, in an order that is always the same. */
struct mu_cel_val mu_cel_map_key(struct mu_cel_eval *e, struct mu_cel_val map, uint32_t i);
struct mu_cel_val mu_cel_map_value(struct mu_cel_eval *e, struct mu_cel_val map, uint32_t i);

/* Equality across kinds (cel-spec, "Equality"): numbers by value, NaN unequal, different kinds unequal. */
enum mu_cel_equality {
    MU_CEL_UNEQUAL = 0,
    MU_CEL_EQUAL,
    MU_CEL_INCOMPARABLE /* an error, where it is the operator that asks */
};
enum mu_cel_equality mu_cel_equality(struct mu_cel_eval *e, struct mu_cel_val a, struct mu_cel_val b);
bool mu_cel_equal(struct mu_cel_eval *e, struct mu_cel_val a, struct mu_cel_val b);
/* True where the two can be ordered; then *ret is <0, 0, >0. NaN is not below, above or equal: 2. */
bool mu_cel_compare(struct mu_cel_val a, struct mu_cel_val b, int *ret);
/* The size that costs are made of: characters, bytes, items, entries; 1 of what has none. */
uint64_t mu_cel_size(struct mu_cel_eval *e, struct mu_cel_val v);

#endif
