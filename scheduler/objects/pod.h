/* Pod: what scheduling needs of a v1 Pod.
 *
 * Pods made from one template differ in little more than their names, so everything else stands in a `mu_pod_spec`
 * that equal pods share (one pointer for equal content within a store): the classes of the placement search, and most
 * of the memory that a large cluster would take. */
#ifndef MU_OBJECTS_POD_H
#define MU_OBJECTS_POD_H

#include "scheduler/objects/meta.h"

enum mu_phase { MU_PHASE_PENDING = 0, MU_PHASE_RUNNING, MU_PHASE_SUCCEEDED, MU_PHASE_FAILED, MU_PHASE_UNKNOWN };

enum mu_effect { MU_EFFECT_ANY = 0, MU_EFFECT_NO_SCHEDULE, MU_EFFECT_PREFER_NO_SCHEDULE, MU_EFFECT_NO_EXECUTE };

enum mu_preemption { MU_PREEMPTION_UNSET = 0, MU_PREEMPT_LOWER_PRIORITY, MU_PREEMPT_NEVER };

/* An amount of a resource: cpu in milli, everything else in whole units, rounded up for requests and down for
 * allocatable. Never negative. */
struct mu_amount {
    mu_sym resource;
    int64_t amount;
};

enum mu_toleration_op { MU_TOLERATE_EQUAL = 0, MU_TOLERATE_EXISTS, MU_TOLERATE_GT, MU_TOLERATE_LT };

struct mu_toleration {
    mu_sym key; /* 0 with EXISTS: every key */
    mu_sym value;
    enum mu_toleration_op op;
    enum mu_effect effect; /* ANY: every effect */
    int64_t number;        /* of Gt and Lt (1.35+, TaintTolerationComparisonOperators) */
    bool has_number;
};

struct mu_host_port {
    mu_sym ip;       /* "0.0.0.0" where none is given */
    mu_sym protocol; /* "TCP" where none is given */
    int32_t port;
};

/* A term of podAffinity or podAntiAffinity. */
struct mu_pod_term {
    mu_sym topology_key;
    const struct mu_selector *selector; /* NULL: matches no pod */
    const mu_sym *namespaces;           /* sorted by symbol; explicit ones only */
    uint32_t namespaces_len;
    const struct mu_selector *namespace_selector; /* NULL: none. No namespaces and no selector: the pod's own */
    const mu_sym *match_label_keys, *mismatch_label_keys;
    uint32_t match_label_keys_len, mismatch_label_keys_len;
    int32_t weight; /* of a preferred term; 0 of a required one */
};

struct mu_spread {
    int32_t max_skew;
    int32_t min_domains; /* 0: not given, means 1 */
    mu_sym topology_key;
    bool hard;                          /* DoNotSchedule; else ScheduleAnyway */
    bool ignore_node_affinity;          /* nodeAffinityPolicy Ignore (default Honor) */
    bool honor_node_taints;             /* nodeTaintsPolicy Honor (default Ignore) */
    const struct mu_selector *selector; /* NULL: matches no pod */
    const mu_sym *match_label_keys;
    uint32_t match_label_keys_len;
};

/* spec.resourceClaims[] */
struct mu_claim_use {
    mu_sym name;
    mu_sym claim, claim_template; /* one of the two; both 0 where neither is given */
    uint32_t containers;          /* that name the entry, init containers included */
};

/* A pod's entry that equals one of its PodGroup means the group's claim (KEP-5729). */
static inline bool mu_claim_use_same(const struct mu_claim_use *a, const struct mu_claim_use *b) {
    return a->name == b->name && a->claim == b->claim && a->claim_template == b->claim_template;
}

/* What one container asks of an extended resource. */
struct mu_extended_request {
    mu_sym resource;
    int64_t amount;     /* more than 0 */
    uint32_t container; /* its place among init containers and then containers */
    uint32_t index;     /* of the request among the container's own, in the order of the resources' names */
    bool start_up;      /* of an init container that ends: what it asks for may serve those after it */
};

/* One PodSpec as far as scheduling goes. Immutable; shared by equal pods; `id` numbers the distinct ones of a store. */
struct mu_pod_spec {
    uint32_t id;
    mu_sym scheduler;
    /* What the pod asks of its node: containers and sidecars together or the largest start-up step, overhead,
     * pod-level resources, and for a resize the larger of spec, allocated and actual. Sorted by symbol, zero amounts
     * left out; `pods` is not among them. */
    const struct mu_amount *requests;
    struct mu_labels node_selector;
    const struct mu_node_term *node_required; /* alternatives; NULL with len 0 where there is no such affinity */
    bool has_node_required;
    const struct mu_node_term *node_preferred;
    const struct mu_toleration *tolerations;
    const struct mu_host_port *host_ports;
    const struct mu_spread *spread;
    const struct mu_pod_term *affinity, *affinity_preferred, *anti, *anti_preferred;
    const mu_sym *images;   /* of all containers, normalised with their tag ("nginx:latest"), repeated ones kept */
    const mu_sym *features; /* what node.status.declaredFeatures must contain, inferred from the spec as 1.37 does */
    const struct mu_extended_request *extended;
    uint32_t extended_len;
    uint32_t requests_len, node_required_len, node_preferred_len, tolerations_len, host_ports_len, spread_len;
    uint32_t affinity_len, affinity_preferred_len, anti_len, anti_preferred_len;
    uint32_t images_len, features_len;
    uint32_t containers_len;    /* init containers included */
    int64_t active_deadline_ns; /* MU_TIME_NONE: none */
};

/* A volume of the pod that can decide its node. */
struct mu_volume_use {
    mu_sym claim;      /* the PersistentVolumeClaim's name (of an ephemeral volume: POD-VOLUME) */
    mu_sym csi_driver; /* of an inline csi volume; then claim is 0 */
    bool ephemeral;    /* the claim is made from a template in the pod */
    bool read_only;
};

struct mu_claim_status {
    mu_sym name;  /* as in spec.resourceClaims */
    mu_sym claim; /* the ResourceClaim's name; 0: none needed */
};

struct mu_pod {
    struct mu_meta meta;
    const struct mu_pod_spec *spec;
    mu_sym node;      /* spec.nodeName; 0: not bound */
    mu_sym nominated; /* status.nominatedNodeName */
    enum mu_phase phase;
    int32_t priority; /* spec.priority, or the class's of a manifest (filled in by mu_store_finish) */
    mu_sym priority_class;
    enum mu_preemption preemption;
    bool gated; /* spec.schedulingGates is not empty */
    bool has_priority;
    mu_sym gate;        /* name of its first gate */
    mu_sym group;       /* spec.schedulingGroup.podGroupName */
    int64_t started_ns; /* status.startTime; MU_TIME_NONE: not yet */
    const struct mu_volume_use *volumes;
    const struct mu_claim_use *claims; /* spec.resourceClaims; their names differ where all else is alike */
    const struct mu_claim_status *claim_statuses;
    mu_sym extended_claim; /* status.extendedResourceClaimStatus.resourceClaimName */
    uint32_t volumes_len, claims_len, claim_statuses_len;
    bool expanded; /* made by muster from a workload's manifest: no such pod exists yet */
};

#endif
