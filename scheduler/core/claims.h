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

/* The claims of the input, by name. */
struct mu_claim_index {
    const struct mu_claim *const *claims;
    const struct mu_symbols *symbols;
    struct mu_map by_name;
};

void mu_claim_index_init(struct mu_claim_index *index, const struct mu_claim *const *claims, uint32_t len,
                         const struct mu_symbols *symbols, struct mu_arena *arena);

/* What can be said of a pod's claims. */
struct mu_pod_claims {
    const struct mu_claim *const *items; /* one for each of the pod's entries that needs a claim and has one */
    const bool *of_group;                /* for each: it is the PodGroup's, which is one consumer for all its pods */
    uint32_t len;
    enum mu_reason reason; /* NONE: all are allocated; else why not, of the first that is not */
    struct mu_str message;
};

/* Finds the claims of a pod; `group` is its PodGroup, or NULL. Reasons: CLAIM_NOT_FOUND (also where it is being
 * deleted), INVALID_CLAIM, UNSUPPORTED (there, and not allocated). Lists and messages live in `arena`. */
struct mu_pod_claims mu_claims_of(const struct mu_claim_index *index, const struct mu_pod *pod,
                                  const struct mu_group_object *group, struct mu_arena *arena);

#endif
