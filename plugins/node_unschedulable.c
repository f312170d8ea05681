/* NodeUnschedulable: nodes that are cordoned take only pods that tolerate it. */
#include "plugins/registry.h"
#include "plugins/tolerations.h"

static const char *const phrases[] = {NULL, "node(s) were unschedulable"};

/* The node controller taints a cordoned node, but later than it is cordoned; so the field itself counts, and whoever
 * tolerates that taint is let in (upstream: nodeunschedulable.Filter). */
static struct mu_reach prepare(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared) {
    struct mu_taint cordon = {
        .key = mu_fw_intern(fw, MU_STR("node.kubernetes.io/unschedulable")),
        .effect = MU_EFFECT_NO_SCHEDULE,
    };
    bool tolerated = mu_taint_is_tolerated(cls->spec, &cordon, mu_fw_symbols(fw));
    return (struct mu_reach){.filter = tolerated ? MU_SCOPE_NONE : MU_SCOPE_STATIC};
}

static struct mu_verdict filter(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node) {
    return (struct mu_verdict){.phrase = mu_fw_node(fw, node)->unschedulable ? 1 : 0};
}

const struct mu_plugin mu_plugin_node_unschedulable = {
    .abi = MU_PLUGIN_ABI,
    .name = "NodeUnschedulable",
    .summary = "keeps pods off nodes that are cordoned, unless they tolerate it",
    .stage = MU_STAGE_CONSTRAINT,
    .phrases = phrases,
    .phrases_len = 2,
    .prepare = prepare,
    .filter = filter,
    .events = MU_EVENT_NODE_ADDED | MU_EVENT_NODE_TAINTS,
};
