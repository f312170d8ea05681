/* DynamicResources: a pod goes where its claims have their devices, or can be given them (upstream: dynamicresources).
 *
 * Which devices a claim is given is the core's business; this rule says where, and when. */
#include "plugins/registry.h"

enum { ELSEWHERE = 1, NONE_LEFT };

static const char *const phrases[] = {NULL, "resourceclaim not available on the node", "cannot allocate all claims"};

static void distinguish(struct mu_fw *fw, void *state, const struct mu_pod *pod, struct mu_buf *key) {
    const struct mu_pod_claims *claims = mu_fw_claims(fw, pod);
    if (claims)
        mu_fw_claims_distinguish(fw, claims, key);
}

struct prepared {
    const struct mu_pod_claims *claims;
    bool wants; /* some of them have no devices yet */
};

static struct mu_reach prepare(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared) {
    const struct mu_pod_claims *claims = mu_fw_claims(fw, cls->pods[0]);
    if (!claims)
        return (struct mu_reach){.filter = MU_SCOPE_NONE, .score = MU_SCOPE_NONE};
    enum mu_scope scope = mu_fw_claims_scope(fw, claims);
    struct prepared *p = mu_fw_alloc(fw, sizeof *p);
    *p = (struct prepared){mu_fw_claims_keep(fw, claims), scope != MU_SCOPE_STATIC};
    *ret_prepared = p;
    return (struct mu_reach){.filter = scope, .score = p->wants ? scope : MU_SCOPE_NONE};
}

static struct mu_verdict filter(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node) {
    const struct prepared *p = prepared;
    if (!mu_fw_claims_reach(fw, p->claims, node))
        return (struct mu_verdict){.phrase = ELSEWHERE};
    if (p->wants && mu_fw_devices_fit(fw, p->claims, node) <= 0)
        return (struct mu_verdict){.phrase = NONE_LEFT};
    return (struct mu_verdict){.phrase = 0};
}

static int64_t fit(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node) {
    const struct prepared *p = prepared;
    return p->wants ? mu_fw_devices_fit(fw, p->claims, node) : INT64_MAX;
}

static int64_t score(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node) {
    const struct prepared *p = prepared;
    return mu_fw_devices_score(fw, p->claims, node);
}

static void reserve(struct mu_fw *fw, void *state, void *prepared, const struct mu_class *cls, const struct mu_pod *pod,
                    uint32_t node) {
    const struct prepared *p = prepared;
    if (p->wants)
        mu_fw_devices_reserve(fw, pod, node);
}

static void unreserve(struct mu_fw *fw, void *state, void *prepared, const struct mu_class *cls,
                      const struct mu_pod *pod, uint32_t node) {
    const struct prepared *p = prepared;
    if (p->wants)
        mu_fw_devices_unreserve(fw, pod);
}

static struct mu_verdict permit(struct mu_fw *fw, void *state, const struct mu_placed *placed, uint32_t placed_len) {
    return (struct mu_verdict){.phrase = mu_fw_devices_lack(fw) ? NONE_LEFT : 0};
}

const struct mu_plugin mu_plugin_dynamic_resources = {
    .abi = MU_PLUGIN_ABI,
    .name = "DynamicResources",
    .summary = "keeps a pod to nodes where its claims have their devices or can be given them",
    .stage = MU_STAGE_DEVICE,
    .phrases = phrases,
    .phrases_len = 3,
    .default_weight = 2,
    .distinguish = distinguish,
    .prepare = prepare,
    .filter = filter,
    .fit = fit,
    .score = score,
    .reserve = reserve,
    .unreserve = unreserve,
    .permit = permit,
    .events = MU_EVENT_NODE_ADDED | MU_EVENT_NODE_LABELS | MU_EVENT_POD_REMOVED | MU_EVENT_DEVICE,
};
