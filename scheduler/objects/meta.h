/* What all Kubernetes objects have in common here. */
#ifndef MU_OBJECTS_META_H
#define MU_OBJECTS_META_H

#include "scheduler/objects/labels.h"
#include "scheduler/objects/time.h"

struct mu_meta {
    mu_sym namespace; /* 0 for kinds without one; "default" where a namespaced manifest names none */
    mu_sym name;
    mu_sym uid;                 /* 0: a manifest that no server has seen */
    mu_sym owner_uid;           /* of the controlling owner; 0: none */
    mu_sym owner_kind, owner_name;
    int64_t created_ns;         /* MU_TIME_NONE: none, the youngest of all */
    int64_t deleted_ns;         /* deletionTimestamp: when the grace ends; MU_TIME_NONE: not being deleted */
    int64_t resource_version;   /* 0 where none or no number */
    struct mu_labels labels;
    struct mu_labels annotations; /* only those that mean something to scheduling, see decode_meta.c */
    /* The object is well formed but makes no sense (a negative amount, a quantity beyond 2^63-1): what is wrong, with
     * its field path. Empty: fine. Such an object is refused alone and can never run. */
    struct mu_str invalid;
};

/* Older first; objects without a creation time are the youngest. <0, 0, >0 */
static inline int mu_created_cmp(int64_t a_ns, int64_t b_ns) {
    uint64_t a = a_ns == MU_TIME_NONE ? UINT64_MAX : (uint64_t)a_ns ^ ((uint64_t)1 << 63);
    uint64_t b = b_ns == MU_TIME_NONE ? UINT64_MAX : (uint64_t)b_ns ^ ((uint64_t)1 << 63);
    return a < b ? -1 : a > b;
}

#endif
