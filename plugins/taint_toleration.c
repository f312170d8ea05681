/* TaintToleration: taints keep pods away that do not tolerate them (NoSchedule, NoExecute), or make a node the worse
 * choice (PreferNoSchedule). */
#include "plugins/registry.h"
#include "plugins/tolerations.h"

static const char *const phrases[] = {NULL, "node(s) had untolerated taint(s)"};

static struct mu_verdict filter(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node) {
    bool tolerated = mu_taints_are_tolerated(cls->spec, mu_fw_node(fw, node), mu_fw_symbols(fw));
    return (struct mu_verdict){.phrase = tolerated ? 0 : 1};
}

/* The fewer taints that would rather not have the pod, the better. Upstream scales by the largest number among the
 * nodes at hand; a score here depends on its node alone, so each further taint halves, thirds, ... it. */
static int64_t score(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node) {
    const struct mu_node *object = mu_fw_node(fw, node);
    int64_t unwelcome = 0;
    for (uint32_t i = 0; i < object->taints_len; i++) {
        const struct mu_taint *taint = &object->taints[i];
        if (taint->effect == MU_EFFECT_PREFER_NO_SCHEDULE &&
            !mu_taint_is_tolerated(cls->spec, taint, mu_fw_symbols(fw)))
            unwelcome++;
    }
    return MU_SCORE_MAX / (1 + unwelcome);
}

const struct mu_plugin mu_plugin_taint_toleration = {
    .abi = MU_PLUGIN_ABI,
    .name = "TaintToleration",
    .summary = "keeps pods off nodes whose taints they do not tolerate; avoids PreferNoSchedule",
    .stage = MU_STAGE_CONSTRAINT,
    .phrases = phrases,
    .phrases_len = 2,
    .default_weight = 3,
    .filter = filter,
    .score = score,
    .events = MU_EVENT_NODE_ADDED | MU_EVENT_NODE_TAINTS,
};
