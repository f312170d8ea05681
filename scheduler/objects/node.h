/* Node: what scheduling needs of a v1 Node. */
#ifndef MU_OBJECTS_NODE_H
#define MU_OBJECTS_NODE_H

#include "scheduler/objects/pod.h"

struct mu_taint {
    mu_sym key, value;
    enum mu_effect effect;
};

struct mu_image {
    mu_sym name; /* normalised as in mu_pod_spec.images; an image has one entry a name */
    int64_t bytes;
};

struct mu_node {
    struct mu_meta meta;
    bool unschedulable; /* spec.unschedulable */
    const struct mu_taint *taints;
    /* status.allocatable (status.capacity where there is none), `pods` included; sorted by symbol. */
    const struct mu_amount *allocatable;
    const struct mu_image *images; /* sorted by symbol */
    const mu_sym *features;        /* status.declaredFeatures, sorted by symbol */
    uint32_t taints_len, allocatable_len, images_len, features_len;
};

#endif
