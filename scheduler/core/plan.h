/* Plan: what a cycle decided, for each group and pod, and why. The CLI prints it, the daemon carries it out. */
#ifndef MU_CORE_PLAN_H
#define MU_CORE_PLAN_H

#include "scheduler/core/settings.h"

enum mu_decision { MU_BIND = 0, MU_PREEMPT, MU_WAIT, MU_PENDING, MU_EVICT, MU_DECISION_COUNT };

enum mu_reason {
    MU_REASON_NONE = 0,
    /* with Wait */
    MU_REASON_MEMBERS_MISSING,
    MU_REASON_GROUP_NOT_FOUND,
    MU_REASON_SCHEDULING_GATED,
    MU_REASON_QUEUE_NOT_FOUND,
    MU_REASON_QUEUE_CLOSED,
    MU_REASON_CLAIM_NOT_FOUND,
    MU_REASON_WAITING_FOR_PREPARATION,
    MU_REASON_WAITING_FOR_VICTIMS,
    MU_REASON_WAITING_FOR_TERMINATION,
    /* with Pending */
    MU_REASON_INVALID_GROUP,
    MU_REASON_INVALID_CLAIM,
    MU_REASON_QUEUE_FORBIDDEN,
    MU_REASON_QUOTA_EXCEEDED,
    MU_REASON_INSUFFICIENT_RESOURCES,
    MU_REASON_INSUFFICIENT_DEVICES,
    MU_REASON_NODE_CONSTRAINTS,
    MU_REASON_TOPOLOGY_UNSATISFIED,
    MU_REASON_VOLUME_UNSATISFIED,
    MU_REASON_RESERVED_FOR_OTHER,
    MU_REASON_SEARCH_BUDGET_EXHAUSTED,
    MU_REASON_UNSUPPORTED,
    /* with Evict */
    MU_REASON_GANG_BROKEN,
    MU_REASON_COUNT
};

/* "Bind", "InsufficientResources", as the contract spells them; "" for MU_REASON_NONE. */
const char *mu_decision_name(enum mu_decision decision);
const char *mu_reason_name(enum mu_reason reason);

enum mu_group_kind { MU_KIND_POD_GROUP = 0, MU_KIND_COMPOSITE, MU_KIND_POD };
/* "PodGroup", "CompositePodGroup", "Pod". */
const char *mu_group_kind_name(enum mu_group_kind kind);

/* A claim and the devices that it has, or is to be given. */
struct mu_plan_claim {
    const struct mu_claim *claim;
    bool is_new;      /* given by this plan: to be written into the claim's status, as below */
    bool of_extended; /* to be made, for extended resources of the pod that a DeviceClass serves */
    const struct mu_device_result *results;
    const struct mu_device_config *configs;
    const struct mu_node_term *node_terms;
    uint32_t results_len, configs_len, node_terms_len;
    bool has_node_selector;
};

struct mu_plan_pod {
    const struct mu_pod *pod;
    enum mu_decision decision;
    enum mu_reason reason;              /* its own; NONE where the group's says it */
    mu_sym node;                        /* with Bind and Preempt, else 0 */
    const struct mu_plan_claim *claims; /* with Bind and Preempt: those whose devices it uses */
    uint32_t claims_len;
    struct mu_str message;
};

struct mu_plan_group {
    enum mu_group_kind kind;
    mu_sym namespace, name, queue;
    int64_t priority, min_count;
    enum mu_decision decision;
    enum mu_reason reason;
    struct mu_str message;
    struct mu_plan_pod *pods; /* its pending pods, sorted by name */
    uint32_t pods_len;
    const struct mu_pod *const *victims; /* sorted by namespace and name */
    uint32_t victims_len;
    const struct mu_claim *const *releases; /* stale allocations that are given up, sorted by name */
    uint32_t releases_len;
    bool optimal;
    int64_t steps; /* that the search took */
};

struct mu_plan {
    struct mu_plan_group *groups; /* in the order in which they were decided */
    uint32_t groups_len;
    const struct mu_str
        *notes; /* what is wrong with devices, a sentence each: pools that are not whole, cards of two drivers */
    uint32_t notes_len;
};

struct mu_plan_summary {
    uint32_t groups, by_decision[MU_DECISION_COUNT], pods_bound, evictions;
};

struct mu_plan_summary mu_plan_summarise(const struct mu_plan *plan);
/* 0 every group is Bind, 1 some group is not (contract, section 2). */
int mu_plan_exit_status(const struct mu_plan *plan);

#endif
