/* Priority classes, disruption budgets, namespaces and queues. */
#ifndef MU_OBJECTS_POLICY_H
#define MU_OBJECTS_POLICY_H

#include "scheduler/objects/pod.h"

struct mu_priority_class {
    struct mu_meta meta;
    int32_t value;
    bool global_default;
    enum mu_preemption preemption;
};

struct mu_pdb {
    struct mu_meta meta;
    const struct mu_selector *selector; /* NULL: no pod */
    int64_t disruptions_allowed;        /* status.disruptionsAllowed */
    const mu_sym *disrupted;            /* names in status.disruptedPods */
    uint32_t disrupted_len;
};

struct mu_namespace {
    struct mu_meta meta;
};

/* A quota line. -1: no limit given. cpu in milli, everything else in whole units. */
struct mu_quota {
    mu_sym resource;
    int64_t nominal, borrowing_limit, lending_limit;
};

enum mu_queue_order { MU_QUEUE_BEST_EFFORT = 0, MU_QUEUE_STRICT, MU_QUEUE_BACKFILL };
enum mu_reclaim { MU_RECLAIM_ANY = 0, MU_RECLAIM_LOWER_PRIORITY, MU_RECLAIM_NEVER };

/* A muster Queue, or a Volcano Queue read as one (contract, section 5). */
struct mu_queue {
    struct mu_meta meta;
    bool volcano;
    bool closed; /* a Volcano queue whose state is not Open */
    mu_sym parent;
    int64_t weight;
    const struct mu_selector *namespace_selector; /* NULL: everyone */
    enum mu_queue_order order;
    const struct mu_quota *quota; /* sorted by symbol */
    uint32_t quota_len;
    enum mu_reclaim reclaim;
    bool keeps_borrowed; /* Volcano's reclaimable: false: never a victim of reclaim */
    int64_t min_runtime_ns;
    int64_t max_wait_ns; /* MU_TIME_NONE: not given */
};

#endif
