/* NodeAffinity: nodeSelector and node affinity, required and preferred. */
#include "plugins/node_affinity.h"
#include "plugins/registry.h"
#include "scheduler/base/checked.h"

static const char *const phrases[] = {NULL, "node(s) didn't match Pod's node affinity/selector"};

bool mu_node_is_wanted(const struct mu_pod_spec *spec, const struct mu_node *node, const struct mu_symbols *symbols) {
    for (uint32_t i = 0; i < spec->node_selector.len; i++) {
        const struct mu_label *wanted = &spec->node_selector.items[i];
        mu_sym value = 0;
        if (!mu_labels_get(&node->meta.labels, wanted->key, &value) || value != wanted->value)
            return false;
    }
    return !spec->has_node_required || mu_node_terms_match(spec->node_required, spec->node_required_len,
                                                           &node->meta.labels, node->meta.name, symbols);
}

static struct mu_reach prepare(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared) {
    const struct mu_pod_spec *spec = cls->spec;
    bool requires = spec->node_selector.len > 0 || spec->has_node_required;
    return (struct mu_reach){
        .filter = requires ? MU_SCOPE_STATIC : MU_SCOPE_NONE,
        .score = spec->node_preferred_len > 0 ? MU_SCOPE_STATIC : MU_SCOPE_NONE,
    };
}

static struct mu_verdict filter(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node) {
    bool wanted = mu_node_is_wanted(cls->spec, mu_fw_node(fw, node), mu_fw_symbols(fw));
    return (struct mu_verdict){.phrase = wanted ? 0 : 1};
}

/* The share of the weights whose terms match. Upstream scales by the best node at hand; a score here depends on its
 * node alone, so it scales by what the best conceivable node would have. The order of nodes is the same. */
static int64_t score(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node) {
    const struct mu_node *object = mu_fw_node(fw, node);
    int64_t matched = 0, all = 0;
    for (uint32_t i = 0; i < cls->spec->node_preferred_len; i++) {
        const struct mu_node_term *term = &cls->spec->node_preferred[i];
        all = mu_sat_add(all, term->weight);
        if (mu_node_terms_match(term, 1, &object->meta.labels, object->meta.name, mu_fw_symbols(fw)))
            matched = mu_sat_add(matched, term->weight);
    }
    return all > 0 ? mu_sat_mul(matched, MU_SCORE_MAX) / all : 0;
}

const struct mu_plugin mu_plugin_node_affinity = {
    .abi = MU_PLUGIN_ABI,
    .name = "NodeAffinity",
    .summary = "nodeSelector and node affinity, required and preferred",
    .stage = MU_STAGE_CONSTRAINT,
    .phrases = phrases,
    .phrases_len = 2,
    .default_weight = 2,
    .prepare = prepare,
    .filter = filter,
    .score = score,
    .events = MU_EVENT_NODE_ADDED | MU_EVENT_NODE_LABELS,
};
