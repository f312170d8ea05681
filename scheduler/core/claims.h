/* Claims: which ResourceClaims a pod's spec.resourceClaims mean, and what stands between them and being used.
 *
 * A claim is named in the pod, or made from a template and named in the pod's status, or the PodGroup's own, under the
 * name that pod and group share (KEP-4381, KEP-5729). */
#ifndef MU_CORE_CLAIMS_H
#define MU_CORE_CLAIMS_H

#include "scheduler/core/plan.h"
#include "scheduler/objects/group.h"
#include "scheduler/objects/store.h"

/* Kubernetes lets so many consumers share a claim (resource.k8s.io, ResourceClaimReservedForMaxSize). */
#define MU_CLAIM_CONSUMERS_MAX 256

struct mu_devices;

/* What there is of claims in the input. */
struct mu_claim_input {
    const struct mu_claim *const *claims;
    const struct mu_pod *const *pods;
    const struct mu_namespace *const *namespaces;
    uint32_t claims_len, pods_len, namespaces_len;
    const struct mu_symbols *symbols;
    struct mu_devices *devices; /* says which claims make no sense; NULL: nothing is known of devices */
};

/* The claims of the input, by name, and how many pods mention each. */
struct mu_claim_index {
    struct mu_claim_input in;
    struct mu_map by_name;
    struct mu_map namespaces;
    uint32_t *mentions;
};

/* The lists of `in` are borrowed for the life of the index. */
void mu_claim_index_init(struct mu_claim_index *index, const struct mu_claim_input *in, struct mu_arena *arena);

/* A claim as one pod uses it. */
struct mu_pod_claim {
    const struct mu_claim *claim;
    bool of_group;       /* it is the PodGroup's, which is one consumer for all its pods */
    bool alone;          /* no other pod mentions it */
    bool stands_for;     /* of a prepared class: it stands for any claim that asks alike and is one pod's own */
    uint32_t containers; /* of the pod that use it */
    uint32_t mentions;   /* how often pods that have not ended mention it themselves */
};

/* What can be said of a pod's claims. */
struct mu_pod_claims {
    const struct mu_pod_claim *items; /* one for each of the pod's entries that needs a claim and has one */
    uint32_t len;
    const struct mu_pod_spec
        *extended; /* of a pod that asks for extended resources that a DeviceClass serves; or NULL */
    mu_sym namespace;
    const struct mu_pod_spec *spec; /* the pod's */
    enum mu_reason reason;          /* NONE: all can be used, or allocated; else why not, of the worst */
    struct mu_str message;
};

/* Finds the claims of a pod; `group` is its PodGroup, or NULL. Reasons: CLAIM_NOT_FOUND (also where it is being
 * deleted), INVALID_CLAIM. Lists and messages live in `arena`. */
struct mu_pod_claims mu_claims_of(const struct mu_claim_index *index, const struct mu_pod *pod,
                                  const struct mu_group_object *group, struct mu_arena *arena);

#endif
