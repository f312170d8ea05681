/* PodTopologySpread, from inside: one constraint, and how pods are spread under it. */
#ifndef MU_PLUGINS_SPREAD_COUNTS_H
#define MU_PLUGINS_SPREAD_COUNTS_H

#include "scheduler/core/framework.h"

/* How things stand, worked out anew in each state. By domain where it says so; of eligible nodes alone. */
struct mu_spread_counts {
    uint64_t stamp;
    bool known;
    int64_t *there;      /* by domain: pods that count, members placed so far included */
    int64_t *members;    /* by domain: of them, members placed so far */
    int64_t *ahead;      /* by domain: of them, those that had to come before one more pod of the class */
    int64_t min, max;    /* of `there` */
    int64_t to_come;     /* members that are not placed yet and will count */
    int64_t level;       /* the highest minimum that these can bring about */
    int64_t level_less;  /* the same with one of them less */
    int64_t most_needed; /* the minimum that members placed so far need */
};

struct mu_spread_rule {
    const struct mu_spread *spread;
    const struct mu_pod *pod; /* stands for its class */
    struct mu_pod_query query;
    const struct mu_topology *topology;
    const struct mu_counter *counter;
    bool counts;           /* some pod can count; an empty selector counts none (upstream: countPodsMatchSelector) */
    bool counts_self;      /* pods of the class count */
    bool *eligible;        /* by node: it is looked at for counts and minimum; NULL: all that have the label are */
    bool *domain_eligible; /* by domain: some node in it is */
    uint32_t domains_eligible;
    struct mu_spread_counts *now;
};

/* What the plugin keeps for a class: its constraints, hard and soft. */
struct mu_spread_rules {
    const struct mu_pod *pod;
    struct mu_spread_rule *hard, *soft;
    uint32_t hard_len, soft_len;
};

/* Makes the rules of a class; memory as mu_fw_alloc gives it. */
struct mu_spread_rules *mu_spread_rules_make(struct mu_fw *fw, const struct mu_class *cls);
/* Is the node looked at under the rule? It has the label. */
static inline bool mu_spread_is_eligible(const struct mu_spread_rule *rule, uint32_t node) {
    return rule->eligible == NULL || rule->eligible[node];
}
/* The counts of the state as it is. O(1) where it has not changed, else O(nodes + placed members). */
const struct mu_spread_counts *mu_spread_now(struct mu_fw *fw, const struct mu_spread_rule *rule);
/* Do both look at the same nodes? */
bool mu_spread_same_nodes(const struct mu_fw *fw, const struct mu_spread_rule *a, const struct mu_spread_rule *b);
/* What counts as the minimum where the lowest domain has so many: nothing at all below minDomains. */
int64_t mu_spread_minimum(const struct mu_spread_rule *rule, int64_t lowest);

#endif
