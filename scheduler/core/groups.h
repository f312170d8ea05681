/* Groups: who belongs together, what each group needs, and in which order they are decided (contract, section 3).
 *
 * Every form of gang becomes one shape: a tree of units whose leaves are parts (one PodGroup's pods, or one lone pod).
 * This module looks at objects only, never at nodes or room: it finds what can be said about a group without placing
 * it (its members are missing, it contradicts itself, it is gated, its queue is not there), and hands the rest to the
 * placement search. */
#ifndef MU_CORE_GROUPS_H
#define MU_CORE_GROUPS_H

#include "scheduler/core/claims.h"
#include "scheduler/core/plan.h"
#include "scheduler/objects/store.h"

struct mu_part_role {
    mu_sym name;
    int64_t minimum; /* members of the role that must be there */
    int64_t counted; /* of them already counted (contract 3.3) */
};

/* A leaf: the members of one PodGroup (of any form), or one lone pod. */
struct mu_part {
    const struct mu_group_object *object; /* NULL for the forms without an object, and for lone pods */
    mu_sym name;
    bool basic;      /* no gang: its pods are independent of one another */
    int64_t minimum; /* members that must be there in all; at least 0 */
    int64_t counted; /* running, bound and Succeeded members; terminating ones within their grace */
    const struct mu_part_role *roles;
    uint32_t roles_len;
    /* Pending members of ours that may be placed now: not gated, not invalid, not being deleted. Sorted by name. */
    const struct mu_pod *const *ready;
    const uint32_t *ready_role;               /* for each of them: index into roles, or UINT32_MAX */
    const struct mu_pod_claims *ready_claims; /* for each of them */
    uint32_t ready_len;
    const struct mu_pod *const *running; /* members that hold a place on a node now, ending ones included */
    uint32_t running_len;
};

/* A node of the tree: a part, or a CompositePodGroup with children. */
struct mu_unit {
    mu_sym name;
    const mu_sym *topology; /* node labels of which all members below need one value each (hard) */
    uint32_t topology_len;
    struct mu_part *part;      /* of a leaf; else NULL */
    struct mu_unit **children; /* sorted by age, then name */
    uint32_t children_len;
    int64_t minimum; /* children that must be there; of a basic composite: 0, and as many as fit */
    bool basic;
};

/* A pending pod of a group that is decided without a search. */
struct mu_group_pod {
    const struct mu_pod *pod;
    bool ready; /* in some part's `ready`; else the three below say why not */
    enum mu_decision decision;
    enum mu_reason reason;
    struct mu_str message;
};

struct mu_group {
    enum mu_group_kind kind;
    mu_sym namespace, name;
    mu_sym queue;
    const struct mu_queue *queue_object; /* NULL: `default` without an object */
    int64_t priority;
    enum mu_preemption preemption; /* resolved: its own, its class's, its pods' */
    int64_t min_count;             /* as the plan shows it: minCount; of a composite, of all minimums that must hold */
    int64_t created_ns;
    int64_t broken_since_ns; /* MU_TIME_NONE: not broken. Broken: it has started and lost a counted member */
    bool broken;
    int64_t grace_ns;                 /* its own grace period or the default; MU_TIME_NONE: never evicted */
    const mu_sym *preferred_topology; /* nearest first */
    uint32_t preferred_topology_len;
    struct mu_unit *root;
    const struct mu_profile *profile; /* of its pods' schedulerName */
    struct mu_group_pod *pods;        /* its pending pods of ours, sorted by name: the plan's list */
    uint32_t pods_len;
    /* Decided already: the search is not asked. reason NONE: it is for the search to say. */
    enum mu_decision decision;
    enum mu_reason reason;
    struct mu_str message;
};

struct mu_groups {
    struct mu_group *
        *items; /* in deciding order (3.11): those with a pending pod of ours, or broken past their grace */
    uint32_t len;
    const struct mu_quota_table *quota; /* of all queues; NULL: nothing is limited */
};

struct mu_quota_table; /* quota.c */

struct mu_groups_input {
    struct mu_symbols *symbols;
    const struct mu_pod *const *pods; /* all of the cluster, in any order */
    const struct mu_group_object *const *objects;
    const struct mu_queue *const *queues;
    const struct mu_priority_class *const *priority_classes;
    const struct mu_namespace *const *namespaces;
    const struct mu_claim *const *claims;
    uint32_t pods_len, objects_len, queues_len, priority_classes_len, namespaces_len, claims_len;
    struct mu_devices *devices; /* says which claims make no sense; NULL: nothing is known of devices */
    const struct mu_settings *settings;
    int64_t now_ns;
};

/* Builds all groups in the arena (borrowed; out of memory leaves through it). O(pods + groups, sorted). */
struct mu_groups *mu_groups_build(const struct mu_groups_input *input, struct mu_arena *arena);

#endif
