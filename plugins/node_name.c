/* NodeName: a pod that names its node goes nowhere else.
 *
 * A pod with spec.nodeName is bound: it is placed already and never asked about. The rule is here all the same, so that
 * one who plans such a pod anew (what if it were not running?) finds it kept to its node. DaemonSet pods, which must
 * run on one node each, say so by matchFields of their node affinity: see NodeAffinity. */
#include "plugins/registry.h"

static const char *const phrases[] = {NULL, "node(s) didn't match the requested node name"};

static void distinguish(struct mu_fw *fw, void *state, const struct mu_pod *pod, struct mu_buf *key) {
    if (pod->node != 0)
        mu_buf_add(key, mu_text(mu_fw_symbols(fw), pod->node));
}

static struct mu_reach prepare(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared) {
    return (struct mu_reach){.filter = cls->pods[0]->node == 0 ? MU_SCOPE_NONE : MU_SCOPE_STATIC};
}

static struct mu_verdict filter(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node) {
    bool named = cls->pods[0]->node == mu_fw_node(fw, node)->meta.name;
    return (struct mu_verdict){.phrase = named ? 0 : 1};
}

const struct mu_plugin mu_plugin_node_name = {
    .abi = MU_PLUGIN_ABI,
    .name = "NodeName",
    .summary = "keeps a pod that names its node to that node",
    .stage = MU_STAGE_CONSTRAINT,
    .phrases = phrases,
    .phrases_len = 2,
    .distinguish = distinguish,
    .prepare = prepare,
    .filter = filter,
    .events = MU_EVENT_NODE_ADDED,
};
