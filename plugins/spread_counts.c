/* PodTopologySpread's counts: which nodes a constraint looks at, how many pods are in each domain, and what members yet
 * to come can still make of it. */
#include "plugins/spread_counts.h"

#include "plugins/node_affinity.h"
#include "plugins/pod_terms.h"
#include "plugins/registry.h"
#include "plugins/tolerations.h"

/* ------------------------------------------------------------------ rules */

static struct mu_pod_query query_of(struct mu_fw *fw, const struct mu_spread *spread, const struct mu_pod *pod) {
    struct mu_label *extra = mu_fw_alloc(fw, spread->match_label_keys_len * sizeof *extra);
    return (struct mu_pod_query){
        .selector = spread->selector,
        .extra = extra,
        .extra_len = mu_labels_pick(pod, spread->match_label_keys, spread->match_label_keys_len, extra),
        .namespaces = &pod->meta.namespace,
        .namespaces_len = 1,
        .skip_terminating = true, /* kubernetes#87621 */
    };
}

/* A node is looked at only if it has the labels of all constraints of its kind (upstream: calPreFilterState), and by
 * the constraint's policies. */
static bool is_eligible(struct mu_fw *fw, const struct mu_spread_rule *rules, uint32_t len,
                        const struct mu_spread_rule *rule, uint32_t node) {
    for (uint32_t i = 0; i < len; i++) {
        if (mu_fw_domain(rules[i].topology, node) == MU_NO_DOMAIN)
            return false;
    }
    const struct mu_node *object = mu_fw_node(fw, node);
    const struct mu_pod_spec *spec = rule->pod->spec;
    if (!rule->spread->ignore_node_affinity && !mu_node_is_wanted(spec, object, mu_fw_symbols(fw)))
        return false;
    return !rule->spread->honor_node_taints || mu_taints_are_tolerated(spec, object, mu_fw_symbols(fw));
}

static void find_eligible(struct mu_fw *fw, const struct mu_spread_rule *rules, uint32_t len,
                          struct mu_spread_rule *rule) {
    bool all = true;
    rule->eligible = mu_fw_alloc(fw, mu_fw_nodes(fw) * sizeof *rule->eligible);
    rule->domain_eligible = mu_fw_alloc(fw, mu_fw_domains(rule->topology) * sizeof *rule->domain_eligible);
    for (uint32_t node = 0; node < mu_fw_nodes(fw); node++) {
        uint32_t domain = mu_fw_node(fw, node) != NULL ? mu_fw_domain(rule->topology, node) : MU_NO_DOMAIN;
        if (domain == MU_NO_DOMAIN)
            continue;
        rule->eligible[node] = is_eligible(fw, rules, len, rule, node);
        all = all && rule->eligible[node];
        if (rule->eligible[node] && !rule->domain_eligible[domain]) {
            rule->domain_eligible[domain] = true;
            rule->domains_eligible++;
        }
    }
    if (all)
        rule->eligible = NULL;
}

static void make_counts(struct mu_fw *fw, struct mu_spread_rule *rule) {
    size_t bytes = mu_fw_domains(rule->topology) * sizeof(int64_t);
    rule->now = mu_fw_alloc(fw, sizeof *rule->now);
    rule->now->there = mu_fw_alloc(fw, bytes);
    rule->now->members = mu_fw_alloc(fw, bytes);
    rule->now->ahead = mu_fw_alloc(fw, bytes);
}

static void rules_finish(struct mu_fw *fw, struct mu_spread_rule *rules, uint32_t len) {
    for (uint32_t i = 0; i < len; i++) {
        struct mu_spread_rule *rule = &rules[i];
        rule->query = query_of(fw, rule->spread, rule->pod);
        rule->topology = mu_fw_topology(fw, rule->spread->topology_key);
        rule->counter = mu_fw_counter(fw, &rule->query, rule->topology);
        rule->counts = rule->spread->selector != NULL && (rule->spread->selector->len > 0 || rule->query.extra_len > 0);
        rule->counts_self = rule->counts && mu_fw_query_matches(fw, &rule->query, rule->pod);
        make_counts(fw, rule);
    }
    for (uint32_t i = 0; i < len; i++)
        find_eligible(fw, rules, len, &rules[i]);
}

struct mu_spread_rules *mu_spread_rules_make(struct mu_fw *fw, const struct mu_class *cls) {
    const struct mu_pod_spec *spec = cls->spec;
    struct mu_spread_rules *all = mu_fw_alloc(fw, sizeof *all);
    all->pod = cls->pods[0];
    all->hard = mu_fw_alloc(fw, spec->spread_len * sizeof *all->hard);
    all->soft = mu_fw_alloc(fw, spec->spread_len * sizeof *all->soft);
    for (uint32_t i = 0; i < spec->spread_len; i++) {
        struct mu_spread_rule rule = {.spread = &spec->spread[i], .pod = all->pod};
        if (spec->spread[i].hard)
            all->hard[all->hard_len++] = rule;
        else
            all->soft[all->soft_len++] = rule;
    }
    rules_finish(fw, all->hard, all->hard_len);
    rules_finish(fw, all->soft, all->soft_len);
    return all;
}

/* ------------------------------------------------------------------ counts */

static void count_there(struct mu_fw *fw, const struct mu_spread_rule *rule, struct mu_spread_counts *now) {
    uint32_t domains = mu_fw_domains(rule->topology);
    memset(now->there, 0, domains * sizeof *now->there);
    for (uint32_t node = 0; rule->eligible != NULL && node < mu_fw_nodes(fw); node++) {
        if (rule->eligible[node])
            now->there[mu_fw_domain(rule->topology, node)] += mu_fw_count_on(rule->counter, node);
    }
    now->min = rule->domains_eligible > 0 ? INT64_MAX : 0;
    now->max = 0;
    for (uint32_t d = 0; d < domains; d++) {
        if (rule->eligible == NULL)
            now->there[d] = mu_fw_count_in(rule->counter, d);
        if (!rule->domain_eligible[d])
            continue;
        now->min = now->there[d] < now->min ? now->there[d] : now->min;
        now->max = now->there[d] > now->max ? now->there[d] : now->max;
    }
}

/* How many pods more it takes until every domain has so many; no more than one above `enough`. */
static int64_t lacking(const struct mu_spread_rule *rule, const struct mu_spread_counts *now, int64_t level,
                       int64_t enough) {
    int64_t pods = 0;
    for (uint32_t d = 0; d < mu_fw_domains(rule->topology) && pods <= enough; d++) {
        if (rule->domain_eligible[d] && now->there[d] < level)
            pods += level - now->there[d];
    }
    return pods;
}

/* The highest minimum that so many pods can bring about, each put where fewest are. */
static int64_t level_with(const struct mu_spread_rule *rule, const struct mu_spread_counts *now, int64_t pods) {
    int64_t low = now->min, high = now->min + pods + 1; /* reached, not reached */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (lacking(rule, now, middle, pods) <= pods)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int64_t mu_spread_minimum(const struct mu_spread_rule *rule, int64_t lowest) {
    int32_t asked = rule->spread->min_domains > 0 ? rule->spread->min_domains : 1;
    return rule->domains_eligible < (uint32_t)asked ? 0 : lowest;
}

/* ------------------------------------------------------------------ members */

bool mu_spread_same_nodes(const struct mu_fw *fw, const struct mu_spread_rule *a, const struct mu_spread_rule *b) {
    if (a->eligible == NULL || b->eligible == NULL)
        return a->eligible == b->eligible;
    return memcmp(a->eligible, b->eligible, mu_fw_nodes(fw) * sizeof *a->eligible) == 0;
}

/* Had pods under rule `a`, which counts the same pods on the same nodes, to come before those under `b`? Stricter ones
 * come first, since others only make it harder. Of two that take different minimums (minDomains) this depends on what
 * the minimum will be: "no" unless it is sure. */
static bool comes_before(const struct mu_spread_rule *a, const struct mu_spread_rule *b,
                         const struct mu_spread_counts *now) {
    bool a_has = mu_spread_minimum(a, 1) != 0, b_has = mu_spread_minimum(b, 1) != 0;
    if (a_has == b_has)
        return a->spread->max_skew <= b->spread->max_skew;
    return a->spread->max_skew + mu_spread_minimum(a, now->level) <=
           b->spread->max_skew + mu_spread_minimum(b, now->min);
}

/* What the rule makes of a class of the group. */
struct part {
    const struct mu_class *cls;
    bool counts;
    bool before; /* it is under the same constraint and counts: see comes_before */
};

static void part_of(struct mu_fw *fw, const struct mu_spread_rule *rule, const struct mu_class *cls,
                    struct part *part) {
    if (part->cls == cls)
        return;
    *part = (struct part){.cls = cls, .counts = mu_fw_query_matches(fw, &rule->query, cls->pods[0])};
    const struct mu_spread_rules *theirs = mu_fw_prepared(fw, &mu_plugin_pod_topology_spread, cls);
    for (uint32_t i = 0; theirs != NULL && part->counts && i < theirs->hard_len; i++) {
        const struct mu_spread_rule *other = &theirs->hard[i];
        bool same = other->counter == rule->counter && mu_spread_same_nodes(fw, other, rule);
        part->before = part->before || (same && comes_before(other, rule, rule->now));
    }
}

static void count_members(struct mu_fw *fw, const struct mu_spread_rule *rule, struct mu_spread_counts *now) {
    size_t bytes = mu_fw_domains(rule->topology) * sizeof *now->members;
    memset(now->members, 0, bytes);
    memset(now->ahead, 0, bytes);
    now->most_needed = INT64_MIN;
    uint32_t len = 0;
    const struct mu_placed *placed = mu_fw_placed(fw, &len);
    struct part part = {.cls = NULL};
    for (uint32_t i = 0; i < len; i++) {
        uint32_t domain = mu_fw_domain(rule->topology, placed[i].node);
        if (domain == MU_NO_DOMAIN || !mu_spread_is_eligible(rule, placed[i].node))
            continue;
        part_of(fw, rule, placed[i].cls, &part);
        now->members[domain] += part.counts;
        now->ahead[domain] += part.before;
    }
    for (uint32_t d = 0; d < mu_fw_domains(rule->topology); d++) {
        int64_t needed = now->there[d] - now->members[d] + now->ahead[d] - rule->spread->max_skew;
        if (now->ahead[d] > 0 && needed > now->most_needed)
            now->most_needed = needed;
    }
}

static int64_t count_to_come(struct mu_fw *fw, const struct mu_spread_rule *rule) {
    uint32_t classes_len = 0, placed_len = 0;
    const struct mu_class *const *classes = mu_fw_classes(fw, &classes_len);
    const struct mu_placed *placed = mu_fw_placed(fw, &placed_len);
    struct part part = {.cls = NULL};
    int64_t count = 0, unplaced = mu_fw_unplaced(fw);
    for (uint32_t i = 0; i < classes_len; i++) {
        part_of(fw, rule, classes[i], &part);
        count += part.counts ? classes[i]->pods_len : 0;
    }
    for (uint32_t i = 0; i < placed_len; i++) {
        part_of(fw, rule, placed[i].cls, &part);
        count -= part.counts;
    }
    return count < unplaced ? count : unplaced;
}

const struct mu_spread_counts *mu_spread_now(struct mu_fw *fw, const struct mu_spread_rule *rule) {
    struct mu_spread_counts *now = rule->now;
    uint64_t stamp = mu_fw_stamp(fw);
    if (now->known && now->stamp == stamp)
        return now;
    count_there(fw, rule, now);
    if (rule->spread->hard) {
        now->to_come = count_to_come(fw, rule);
        now->level = level_with(rule, now, now->to_come);
        bool spare = lacking(rule, now, now->level, now->to_come) < now->to_come;
        now->level_less = spare ? now->level : now->level - 1;
        count_members(fw, rule, now);
    }
    now->stamp = stamp;
    now->known = true;
    return now;
}
