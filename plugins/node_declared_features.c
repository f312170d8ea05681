/* NodeDeclaredFeatures: what a pod's spec makes use of, its node must say that it has (status.declaredFeatures). */
#include "plugins/registry.h"

static const char *const phrases[] = {NULL, "node(s) didn't match Pod's required features"};

static struct mu_reach prepare(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared) {
    return (struct mu_reach){.filter = cls->spec->features_len > 0 ? MU_SCOPE_STATIC : MU_SCOPE_NONE};
}

static bool has_feature(const struct mu_node *node, mu_sym feature) {
    for (uint32_t i = 0; i < node->features_len; i++) {
        if (node->features[i] == feature)
            return true;
    }
    return false;
}

static struct mu_verdict filter(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node) {
    const struct mu_node *object = mu_fw_node(fw, node);
    for (uint32_t i = 0; i < cls->spec->features_len; i++) {
        if (!has_feature(object, cls->spec->features[i]))
            return (struct mu_verdict){.phrase = 1};
    }
    return (struct mu_verdict){.phrase = 0};
}

const struct mu_plugin mu_plugin_node_declared_features = {
    .abi = MU_PLUGIN_ABI,
    .name = "NodeDeclaredFeatures",
    .summary = "a node must declare the features that the pod's spec makes use of",
    .stage = MU_STAGE_CONSTRAINT,
    .phrases = phrases,
    .phrases_len = 2,
    .prepare = prepare,
    .filter = filter,
    .events = MU_EVENT_NODE_ADDED | MU_EVENT_NODE_LABELS,
};
