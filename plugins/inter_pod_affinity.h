/* InterPodAffinity, from inside: what its two files share. */
#ifndef MU_PLUGINS_INTER_POD_AFFINITY_H
#define MU_PLUGINS_INTER_POD_AFFINITY_H

#include "scheduler/core/framework.h"

/* Pods that count, by domain. */
struct mu_relation {
    const struct mu_topology *topology;
    const struct mu_counter *counter;
};

/* A relation that makes domains better or worse. */
struct mu_wish {
    struct mu_relation relation;
    int64_t weight; /* negative: away from it */
};

struct mu_hopes;  /* what the group's members can still do for one another; of the filter */
struct mu_extent; /* the worst and the best node by wishes; of the score */

struct mu_pod_relations {
    const struct mu_pod *pod; /* stands for its class */
    /* Required affinity: each term's domain, and there the pods that match all of the terms. */
    struct mu_relation *affinity;
    struct mu_pod_query friends;
    bool own_friend;             /* pods of the class match all terms themselves */
    struct mu_relation *anti;    /* required anti-affinity, own terms */
    struct mu_relation *carried; /* terms of others' required anti-affinity that mean this class: who carries them */
    struct mu_wish *wishes;
    uint32_t affinity_len, anti_len, carried_len, wishes_len;
    uint32_t apart_len; /* of `anti`, the first so many: terms that mean the class itself */
    struct mu_hopes *hopes;
    struct mu_extent *extent;
};

/* The plugin's `permit`: is there an order in which the pods could have been placed one by one? */
struct mu_verdict mu_inter_pod_permit(struct mu_fw *fw, void *state, const struct mu_placed *placed,
                                      uint32_t placed_len);

enum { MU_INTER_POD_AFFINITY = 1, MU_INTER_POD_ANTI, MU_INTER_POD_CARRIED }; /* phrases */

#endif
