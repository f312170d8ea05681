/* DynamicResources: a pod goes where the devices of its claims can be used.
 *
 * Claims that come here have their devices already; an allocation says by a node selector from which nodes they can be
 * reached (upstream: dynamicresources, "resourceclaim not available on the node"). */
#include "plugins/registry.h"

static const char *const phrases[] = {NULL, "resourceclaim not available on the node"};

static void distinguish(struct mu_fw *fw, void *state, const struct mu_pod *pod, struct mu_buf *key) {
    uint32_t len = 0;
    const struct mu_claim *const *claims = mu_fw_claims(fw, pod, &len);
    for (uint32_t i = 0; i < len; i++) {
        mu_buf_add(key, mu_text(mu_fw_symbols(fw), claims[i]->meta.name));
        mu_buf_add_char(key, '/'); /* in no name */
    }
}

struct prepared {
    uint32_t len;
    const struct mu_claim *claims[];
};

static struct mu_reach prepare(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared) {
    uint32_t len = 0;
    const struct mu_claim *const *claims = mu_fw_claims(fw, cls->pods[0], &len);
    if (len == 0)
        return (struct mu_reach){.filter = MU_SCOPE_NONE};
    struct prepared *p = mu_fw_alloc(fw, sizeof *p + len * sizeof p->claims[0]);
    for (; p->len < len; p->len++)
        p->claims[p->len] = claims[p->len];
    *ret_prepared = p;
    return (struct mu_reach){.filter = MU_SCOPE_STATIC};
}

static struct mu_verdict filter(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node) {
    const struct prepared *p = prepared;
    const struct mu_node *object = mu_fw_node(fw, node);
    for (uint32_t i = 0; i < p->len; i++) {
        const struct mu_claim *claim = p->claims[i];
        if (claim->has_node_selector &&
            !mu_node_terms_match(claim->node_terms, claim->node_terms_len, &object->meta.labels, object->meta.name,
                                 mu_fw_symbols(fw)))
            return (struct mu_verdict){.phrase = 1};
    }
    return (struct mu_verdict){.phrase = 0};
}

const struct mu_plugin mu_plugin_dynamic_resources = {
    .abi = MU_PLUGIN_ABI,
    .name = "DynamicResources",
    .summary = "keeps a pod to nodes from which the devices of its claims can be used",
    .stage = MU_STAGE_DEVICE,
    .phrases = phrases,
    .phrases_len = 2,
    .distinguish = distinguish,
    .prepare = prepare,
    .filter = filter,
    .events = MU_EVENT_NODE_ADDED | MU_EVENT_NODE_LABELS | MU_EVENT_DEVICE,
};
