/* Groups: PodGroups of every API, CompositePodGroups and LeaderWorkerSets, in one form. */
#ifndef MU_OBJECTS_GROUP_H
#define MU_OBJECTS_GROUP_H

#include "scheduler/objects/pod.h"

enum mu_group_api {
    MU_GROUP_NATIVE = 0, /* scheduling.k8s.io PodGroup */
    MU_GROUP_COSCHEDULING, /* scheduling.x-k8s.io PodGroup */
    MU_GROUP_VOLCANO,    /* scheduling.volcano.sh PodGroup */
    MU_GROUP_COMPOSITE,  /* scheduling.k8s.io CompositePodGroup */
    MU_GROUP_LWS         /* leaderworkerset.x-k8s.io LeaderWorkerSet: one gang a replica */
};

struct mu_role {
    mu_sym name;
    int64_t minimum;
};

struct mu_group_object {
    struct mu_meta meta;
    enum mu_group_api api;
    bool basic;          /* schedulingPolicy basic: no gang */
    int64_t min_count;   /* minCount, minMember, minGroupCount of a composite; of a LWS: its size */
    const struct mu_role *roles; /* Volcano's minTaskMember, sorted by name */
    const struct mu_amount *min_resources;
    const mu_sym *topology_keys; /* schedulingConstraints.topology[].key */
    const struct mu_claim_use *claims; /* spec.resourceClaims */
    const struct mu_claim_status *claim_statuses;
    uint32_t roles_len, min_resources_len, topology_keys_len, claims_len, claim_statuses_len;
    bool has_priority;   /* spec.priority is there */
    int32_t priority;
    mu_sym priority_class;
    enum mu_preemption preemption;
    bool disrupt_together; /* disruptionMode all, or 1.36's PodGroup */
    mu_sym parent;       /* parentCompositePodGroupName */
    mu_sym queue;        /* Volcano's spec.queue */
    mu_sym phase;        /* Volcano's and coscheduling's status.phase */
    bool leader_ready;   /* of a LWS: startupPolicy LeaderReady */
};

#endif
