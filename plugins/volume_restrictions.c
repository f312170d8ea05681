/* VolumeRestrictions: a claim of access mode ReadWriteOncePod is used by one pod of the whole cluster at a time.
 *
 * Upstream's rules about disks named in the pod itself (GCE, AWS, iSCSI, RBD) are about volumes that Kubernetes no
 * longer has or that CSI drivers serve. */
#include "plugins/registry.h"
#include "plugins/volumes.h"

static const char *const phrases[] = {
    NULL,
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
};

/* The claims of the class that another pod could be using. */
struct prepared {
    uint32_t len;
    mu_sym claims[];
};

static struct mu_reach prepare(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared) {
    const struct mu_pod *pod = cls->pods[0];
    struct prepared *p = mu_fw_alloc(fw, sizeof *p + pod->volumes_len * sizeof p->claims[0]);
    for (uint32_t i = 0; i < pod->volumes_len; i++) {
        mu_sym claim = pod->volumes[i].claim;
        const struct mu_pvc *pvc = claim != 0 ? mu_fw_pvc(fw, cls->namespace, claim) : NULL;
        if (pvc != NULL && (pvc->access & MU_ACCESS_RWOP) != 0 && mu_claim_is_shared(fw, pvc))
            p->claims[p->len++] = claim;
    }
    *ret_prepared = p;
    return (struct mu_reach){.filter = p->len > 0 ? MU_SCOPE_CLUSTER : MU_SCOPE_NONE};
}

static struct mu_verdict filter(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node) {
    const struct prepared *p = prepared;
    for (uint32_t i = 0; i < p->len; i++) {
        uint32_t user = 0;
        if (mu_fw_pvc_users(fw, cls->namespace, p->claims[i], &user) > 0)
            return (struct mu_verdict){.phrase = 1};
    }
    return (struct mu_verdict){.phrase = 0};
}

/* All pods of the class use the same claim. */
static int64_t fit(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node) {
    return 1;
}

const struct mu_plugin mu_plugin_volume_restrictions = {
    .abi = MU_PLUGIN_ABI,
    .name = "VolumeRestrictions",
    .summary = "gives a ReadWriteOncePod claim to one pod at a time",
    .stage = MU_STAGE_VOLUME,
    .phrases = phrases,
    .phrases_len = 2,
    .distinguish = mu_volumes_distinguish,
    .prepare = prepare,
    .filter = filter,
    .fit = fit,
    .events = MU_EVENT_NODE_ADDED | MU_EVENT_POD_REMOVED | MU_EVENT_VOLUME,
};
