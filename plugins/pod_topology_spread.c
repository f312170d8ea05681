/* PodTopologySpread: no domain has many more of some pods than the domain with fewest.
 *
 * Kubernetes places one pod after the other and asks of each, when its turn comes, that its domain then have no more
 * than maxSkew above the minimum. Members of a gang are placed together, and a placement stands if they could have come
 * in some order. For pods under one constraint that is so just if, in each domain that got any of them,
 *
 *     pods there before + members under the constraint <= maxSkew + the minimum once all are placed:
 *
 * put each next one where fewest are, and the minimum keeps up until it is final. Members that count without being
 * under the constraint themselves raise the minimum where they lift the lowest domain, and can else wait until the
 * others are there. Stricter constraints of the same kind (a smaller maxSkew) go first. For constraints of several
 * kinds, and for pods that need company besides, that is not enough: an order is looked for, see spread_order.c.
 *
 * The filter refuses what cannot come right any more whatever the members yet to come do; `permit` judges the whole.
 *
 * Soft constraints (ScheduleAnyway) are a score. Upstream's default constraints for pods that have none are not
 * applied: they would pull gangs apart. */
#include "plugins/pod_terms.h"
#include "plugins/registry.h"
#include "plugins/spread_order.h"

enum { MISMATCH = 1, NO_LABEL };

static const char *const phrases[] = {
    [MISMATCH] = "node(s) didn't match pod topology spread constraints",
    [NO_LABEL] = "node(s) didn't match pod topology spread constraints (missing required label)",
};

/* ------------------------------------------------------------------ classes */

static bool selects(struct mu_fw *fw, const struct mu_spread *spread, const struct mu_pod *pod) {
    return spread->selector != NULL && mu_selector_matches(spread->selector, &pod->meta.labels, mu_fw_symbols(fw));
}

/* Pods of one spec differ here by whether they count, under their own constraints and other members'. */
static void distinguish(struct mu_fw *fw, void *state, const struct mu_pod *pod, struct mu_buf *key) {
    uint32_t len = 0;
    const struct mu_pod_spec *const *specs = mu_fw_specs(fw, &len);
    for (uint32_t s = 0; s < len; s++) {
        for (uint32_t i = 0; i < specs[s]->spread_len; i++) {
            const struct mu_spread *spread = &specs[s]->spread[i];
            mu_buf_add_char(key, selects(fw, spread, pod) ? (spread->hard ? 'h' : 's') : '-');
            mu_key_labels(key, fw, pod, spread->match_label_keys, spread->match_label_keys_len);
        }
    }
}

/* May the pod count under another member's hard constraint? Then where it goes decides where that one may. */
static bool may_count(struct mu_fw *fw, const struct mu_pod *pod) {
    uint32_t len = 0;
    const struct mu_pod_spec *const *specs = mu_fw_specs(fw, &len);
    for (uint32_t s = 0; s < len; s++) {
        for (uint32_t i = 0; i < specs[s]->spread_len; i++) {
            if (specs[s]->spread[i].hard && selects(fw, &specs[s]->spread[i], pod))
                return true;
        }
    }
    return false;
}

static struct mu_reach prepare(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared) {
    struct mu_spread_rules *rules = mu_spread_rules_make(fw, cls);
    *ret_prepared = rules;
    bool related = rules->hard_len > 0 || may_count(fw, cls->pods[0]);
    return (struct mu_reach){
        .filter = related ? MU_SCOPE_CLUSTER : MU_SCOPE_NONE,
        .score = rules->soft_len > 0 ? MU_SCOPE_CLUSTER : MU_SCOPE_NONE,
    };
}

/* ------------------------------------------------------------------ filter */

/* Could the rule hold in the end, with one more pod of the class on the node? */
static bool may_hold(struct mu_fw *fw, const struct mu_spread_rule *rule, uint32_t node) {
    if (!rule->counts)
        return true;
    const struct mu_spread_counts *now = mu_spread_now(fw, rule);
    uint32_t domain = mu_fw_domain(rule->topology, node);
    bool lifts = rule->counts_self && mu_spread_is_eligible(rule, node) && now->there[domain] < now->level;
    int64_t level = lifts || !rule->counts_self ? now->level : now->level_less;
    if (now->to_come == 0) /* surplus, not counted among those to come: as things stand, and with this one */
        level = now->min;
    int64_t minimum = mu_spread_minimum(rule, level);
    int64_t above = now->there[domain] - now->members[domain] + now->ahead[domain] + rule->counts_self;
    return above <= rule->spread->max_skew + minimum && now->most_needed <= minimum;
}

static struct mu_verdict filter(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node) {
    const struct mu_spread_rules *rules = prepared;
    for (uint32_t i = 0; i < rules->hard_len; i++) {
        if (mu_fw_domain(rules->hard[i].topology, node) == MU_NO_DOMAIN)
            return (struct mu_verdict){.phrase = NO_LABEL};
    }
    for (uint32_t i = 0; i < rules->hard_len; i++) {
        if (!may_hold(fw, &rules->hard[i], node))
            return (struct mu_verdict){.phrase = MISMATCH};
    }
    return (struct mu_verdict){.phrase = 0};
}

/* ------------------------------------------------------------------ permit */

static bool holds(struct mu_fw *fw, const struct mu_spread_rule *rule, uint32_t node) {
    if (!rule->counts)
        return true;
    const struct mu_spread_counts *now = mu_spread_now(fw, rule);
    uint32_t domain = mu_fw_domain(rule->topology, node);
    int64_t before = now->there[domain] - now->members[domain];
    int64_t with_members = before + (rule->counts_self ? now->ahead[domain] : 0);
    return with_members <= rule->spread->max_skew + mu_spread_minimum(rule, now->min);
}

static struct mu_verdict permit(struct mu_fw *fw, void *state, const struct mu_placed *placed, uint32_t placed_len) {
    const struct mu_class *cls = NULL;
    const struct mu_spread_rules *rules = NULL;
    bool asked = false;
    for (uint32_t i = 0; i < placed_len; i++) {
        if (placed[i].cls->spec->spread_len == 0)
            continue;
        if (placed[i].cls != cls) {
            cls = placed[i].cls;
            rules = mu_fw_prepared(fw, &mu_plugin_pod_topology_spread, cls);
        }
        for (uint32_t k = 0; rules != NULL && k < rules->hard_len; k++) {
            asked = true;
            if (!holds(fw, &rules->hard[k], placed[i].node))
                return (struct mu_verdict){.phrase = MISMATCH};
        }
    }
    return (struct mu_verdict){.phrase = asked && !mu_spread_order_exists(fw, placed, placed_len) ? MISMATCH : 0};
}

/* ------------------------------------------------------------------ score */

/* From the fullest domain to the emptiest; the larger maxSkew is, the less a difference counts (upstream:
 * scoreForCount, NormalizeScore). Each constraint has the same say, however many domains it has. */
static int64_t score_rule(struct mu_fw *fw, const struct mu_spread_rule *rule, uint32_t node) {
    const struct mu_spread_counts *now = mu_spread_now(fw, rule);
    int64_t leeway = rule->spread->max_skew - 1, worst = now->max + leeway;
    if (!rule->counts || worst <= 0 || !mu_spread_is_eligible(rule, node))
        return MU_SCORE_MAX;
    int64_t there = now->there[mu_fw_domain(rule->topology, node)];
    return MU_SCORE_MAX * (worst + now->min - there) / worst;
}

static int64_t score(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node) {
    const struct mu_spread_rules *rules = prepared;
    int64_t sum = 0;
    for (uint32_t i = 0; i < rules->soft_len; i++) {
        if (mu_fw_domain(rules->soft[i].topology, node) == MU_NO_DOMAIN)
            return 0;
        sum += score_rule(fw, &rules->soft[i], node);
    }
    return sum / rules->soft_len;
}

const struct mu_plugin mu_plugin_pod_topology_spread = {
    .abi = MU_PLUGIN_ABI,
    .name = "PodTopologySpread",
    .summary = "topologySpreadConstraints: hard ones keep to maxSkew, soft ones are a score",
    .stage = MU_STAGE_CONSTRAINT,
    .phrases = phrases,
    .phrases_len = 3,
    .default_weight = 2,
    .distinguish = distinguish,
    .prepare = prepare,
    .filter = filter,
    .score = score,
    .permit = permit,
    .events =
        MU_EVENT_NODE_ADDED | MU_EVENT_NODE_LABELS | MU_EVENT_NODE_TAINTS | MU_EVENT_POD_ADDED | MU_EVENT_POD_REMOVED,
};
