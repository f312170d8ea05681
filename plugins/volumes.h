/* Volumes, for the plugins that look at them: what state a claim is in, which volume could serve it, where one could be
 * made. */
#ifndef MU_PLUGINS_VOLUMES_H
#define MU_PLUGINS_VOLUMES_H

#include "plugins/selector_index.h"

enum mu_claim_state {
    MU_CLAIM_MISSING = 0,
    MU_CLAIM_ENDING,    /* being deleted */
    MU_CLAIM_BOUND,     /* to the volume that it names */
    MU_CLAIM_DELAYED,   /* bound once its first pod has a node (WaitForFirstConsumer) */
    MU_CLAIM_IMMEDIATE, /* ought to be bound without us, and is not yet */
    MU_CLAIM_COUNT
};

/* The state of a claim; pvc NULL: it is missing. */
enum mu_claim_state mu_claim_state(const struct mu_fw *fw, const struct mu_pvc *pvc);
/* Does another pod, there or waiting, use the claim too? */
bool mu_claim_is_shared(const struct mu_fw *fw, const struct mu_pvc *pvc);

/* Is the volume held for this claim (claimRef)? */
bool mu_pv_is_held_for(const struct mu_pv *pv, const struct mu_pvc *pvc);
/* Could the volume, which is held for it or for nobody, serve the claim, its node aside? */
bool mu_pv_could_serve(const struct mu_fw *fw, const struct mu_pv *pv, const struct mu_pvc *pvc);
/* Can the node reach the volume? */
bool mu_pv_reaches(const struct mu_fw *fw, const struct mu_pv *pv, uint32_t node);
/* The volume held for the claim, which could serve it; NULL where there is none. */
const struct mu_pv *mu_pv_held_for(const struct mu_fw *fw, const struct mu_pvc *pvc);

/* Where volumes of a storage class are made on demand. */
struct mu_volume_source {
    mu_sym storage_class;
    const struct mu_storage_class *object; /* NULL: there is no such class */
    bool provisions;                       /* volumes of it are made at all */
    bool heeds_capacity;
    const struct mu_csi_capacity **capacities; /* of the class */
    struct mu_selector_index *capacity_index;
};

enum mu_provision { MU_PROVISION_CAN = 0, MU_PROVISION_CANNOT, MU_PROVISION_NO_SPACE };

/* Memory as mu_fw_alloc gives it. */
struct mu_volume_source mu_volume_source_make(struct mu_fw *fw, mu_sym storage_class);
/* Can a volume for the claim, which is of the source's class, be made for the node? Capacity that is published counts
 * as it stands: what is placed tentatively is not taken off it, nor does upstream. */
enum mu_provision mu_volume_provision(const struct mu_fw *fw, const struct mu_volume_source *source,
                                      const struct mu_pvc *pvc, uint32_t node);

/* `distinguish` of all plugins that look at volumes. Claims that only this pod uses are told apart by what they ask for
 * or are bound to, not by their names, so that the members of a StatefulSet are alike. */
void mu_volumes_distinguish(struct mu_fw *fw, void *state, const struct mu_pod *pod, struct mu_buf *key);

#endif
