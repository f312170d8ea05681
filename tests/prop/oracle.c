/* What one pod more may do: the filters of kube-scheduler 1.37, written down a second time. */
#include "tests/prop/oracle.h"

#include <string.h>

/* Does the owner's selector mean the other pod? */
static bool selects(const struct mu_tiny *tiny, const struct mu_tiny_pod *owner, unsigned apps,
                    enum mu_tiny_spaces spaces, const struct mu_tiny_pod *other) {
    if (!(apps >> tiny->classes[other->cls].app & 1))
        return false;
    if (spaces == MU_TINY_OWN_SPACE)
        return owner->other_space == other->other_space;
    return spaces == MU_TINY_ALL_SPACES || other->other_space;
}

static bool term_selects(const struct mu_tiny *tiny, const struct mu_tiny_pod *owner, const struct mu_tiny_term *term,
                         const struct mu_tiny_pod *other) {
    return selects(tiny, owner, term->apps, term->spaces, other);
}

/* Selector and required affinity of a pod, which spreads heed as well. */
static bool node_matches(const struct mu_tiny_class *cls, const struct mu_tiny_node *node) {
    if (cls->pool != MU_TINY_NONE && node->pool != cls->pool)
        return false;
    if (cls->zone_rule == MU_TINY_IN_ZONE)
        return node->domain[MU_TINY_ZONE] == cls->zone;
    return cls->zone_rule == MU_TINY_ANY_ZONE || node->domain[MU_TINY_ZONE] != cls->zone;
}

static bool taints_tolerated(const struct mu_tiny_class *cls, const struct mu_tiny_node *node) {
    if (node->taints & MU_TINY_NO_SCHEDULE && !(cls->tolerations & MU_TINY_OK_SCHEDULE))
        return false;
    return !(node->taints & MU_TINY_NO_EXECUTE) || cls->tolerations & MU_TINY_OK_EXECUTE;
}

static bool node_allows(const struct mu_tiny_class *cls, const struct mu_tiny_node *node) {
    return node->there && node_matches(cls, node) && taints_tolerated(cls, node) &&
           (!node->cordoned || cls->tolerations & MU_TINY_OK_CORDON);
}

void mu_oracle_begin(struct mu_oracle *oracle, const struct mu_tiny *tiny, unsigned rules) {
    *oracle = (struct mu_oracle){.tiny = tiny, .rules = rules};
    for (int n = 0; n < MU_TINY_NODES; n++) {
        const struct mu_tiny_node *node = &tiny->nodes[n];
        oracle->free_gpus[n] = node->gpus;
        oracle->free_cpus[n] = node->cpus;
        oracle->free_pods[n] = node->pods == MU_TINY_NONE ? 110 : node->pods;
    }
    for (int p = 0; p < MU_TINY_PODS; p++) {
        const struct mu_tiny_pod *pod = &tiny->pods[p];
        oracle->where[p] = MU_TINY_NONE;
        for (int n = 0; n < MU_TINY_NODES; n++)
            if (pod->there && node_allows(&tiny->classes[pod->cls], &tiny->nodes[n]))
                oracle->allowed[p] |= (uint8_t)(1U << n);
        if (pod->there && pod->phase == MU_TINY_RUNS && tiny->nodes[pod->node].there)
            mu_oracle_place(oracle, p, pod->node);
    }
}

void mu_oracle_place(struct mu_oracle *oracle, int pod, int node) {
    oracle->where[pod] = (int8_t)node;
    oracle->free_gpus[node] -= oracle->tiny->pods[pod].gpus;
    oracle->free_cpus[node] -= oracle->tiny->pods[pod].cpus;
    oracle->free_pods[node]--;
}

void mu_oracle_remove(struct mu_oracle *oracle, int pod) {
    int node = oracle->where[pod];
    oracle->where[pod] = MU_TINY_NONE;
    oracle->free_gpus[node] += oracle->tiny->pods[pod].gpus;
    oracle->free_cpus[node] += oracle->tiny->pods[pod].cpus;
    oracle->free_pods[node]++;
}

static int domain_of(const struct mu_oracle *oracle, int node, enum mu_tiny_key key) {
    return oracle->tiny->nodes[node].domain[key];
}

static bool has_room(const struct mu_oracle *oracle, const struct mu_tiny_pod *pod, int node) {
    return oracle->free_pods[node] >= 1 && (pod->gpus == 0 || oracle->free_gpus[node] >= pod->gpus) &&
           (pod->cpus == 0 || oracle->free_cpus[node] >= pod->cpus);
}

static bool ports_free(const struct mu_oracle *oracle, const struct mu_tiny_class *cls, int node) {
    if (cls->port == MU_TINY_NONE)
        return true;
    for (int q = 0; q < MU_TINY_PODS; q++) {
        if (oracle->where[q] != node)
            continue;
        const struct mu_tiny_class *other = &oracle->tiny->classes[oracle->tiny->pods[q].cls];
        if (other->port == cls->port && (!other->port_ip || !cls->port_ip || other->port_ip == cls->port_ip))
            return false;
    }
    return true;
}

/* Does a term of the owner, who is or would be on owner_node, forbid the other on other_node? */
static bool forbids(const struct mu_oracle *oracle, int owner, int owner_node, int other, int other_node) {
    const struct mu_tiny_pod *pod = &oracle->tiny->pods[owner];
    const struct mu_tiny_class *cls = &oracle->tiny->classes[pod->cls];
    for (int i = 0; i < cls->terms_len; i++) {
        const struct mu_tiny_term *term = &cls->terms[i];
        int domain = domain_of(oracle, owner_node, term->key);
        if (term->anti && domain != MU_TINY_NONE && domain == domain_of(oracle, other_node, term->key) &&
            term_selects(oracle->tiny, pod, term, &oracle->tiny->pods[other]))
            return true;
    }
    return false;
}

static bool kept_apart(const struct mu_oracle *oracle, int pod, int node) {
    for (int q = 0; q < MU_TINY_PODS; q++)
        if (oracle->where[q] != MU_TINY_NONE &&
            (forbids(oracle, pod, node, q, oracle->where[q]) || forbids(oracle, q, oracle->where[q], pod, node)))
            return false;
    return true;
}

/* Does the other pod match every affinity term of this one? Only such pods count for any of them. */
static bool all_terms_select(const struct mu_tiny *tiny, const struct mu_tiny_pod *pod,
                             const struct mu_tiny_pod *other) {
    const struct mu_tiny_class *cls = &tiny->classes[pod->cls];
    for (int i = 0; i < cls->terms_len; i++)
        if (!cls->terms[i].anti && !term_selects(tiny, pod, &cls->terms[i], other))
            return false;
    return true;
}

/* Is a pod that matches near in the sense of this term? *any: one is somewhere in a domain of the term. */
static bool near(const struct mu_oracle *oracle, const struct mu_tiny_pod *pod, const struct mu_tiny_term *term,
                 int node, bool *any) {
    bool found = false;
    for (int q = 0; q < MU_TINY_PODS; q++) {
        int there = oracle->where[q];
        if (there == MU_TINY_NONE || domain_of(oracle, there, term->key) == MU_TINY_NONE ||
            !all_terms_select(oracle->tiny, pod, &oracle->tiny->pods[q]))
            continue;
        *any = true;
        found |= domain_of(oracle, there, term->key) == domain_of(oracle, node, term->key);
    }
    return found;
}

static bool kept_together(const struct mu_oracle *oracle, int p, int node) {
    const struct mu_tiny_pod *pod = &oracle->tiny->pods[p];
    const struct mu_tiny_class *cls = &oracle->tiny->classes[pod->cls];
    bool all_near = true, any = false;
    for (int i = 0; i < cls->terms_len; i++) {
        if (cls->terms[i].anti)
            continue;
        if (domain_of(oracle, node, cls->terms[i].key) == MU_TINY_NONE)
            return false;
        all_near &= near(oracle, pod, &cls->terms[i], node, &any);
    }
    return all_near || (!any && all_terms_select(oracle->tiny, pod, pod));
}

/* Do the domains of the node count for a spread of this pod? */
static bool spread_counts(const struct mu_oracle *oracle, const struct mu_tiny_class *cls,
                          const struct mu_tiny_spread *spread, int node) {
    const struct mu_tiny_node *object = &oracle->tiny->nodes[node];
    if (!object->there)
        return false;
    for (int i = 0; i < cls->spreads_len; i++)
        if (object->domain[cls->spreads[i].key] == MU_TINY_NONE)
            return false;
    return (spread->ignore_affinity || node_matches(cls, object)) &&
           (!spread->honor_taints || taints_tolerated(cls, object));
}

static bool spread_allows(const struct mu_oracle *oracle, const struct mu_tiny_pod *pod,
                          const struct mu_tiny_spread *spread, int node) {
    const struct mu_tiny *tiny = oracle->tiny;
    const struct mu_tiny_class *cls = &tiny->classes[pod->cls];
    int home = domain_of(oracle, node, spread->key), counts[MU_TINY_NODES] = {0}, least = INT32_MAX;
    unsigned domains = 0;
    if (home == MU_TINY_NONE)
        return false;
    for (int n = 0; n < MU_TINY_NODES; n++)
        if (spread_counts(oracle, cls, spread, n))
            domains |= 1U << domain_of(oracle, n, spread->key);
    for (int q = 0; q < MU_TINY_PODS; q++) {
        int there = oracle->where[q];
        if (there != MU_TINY_NONE && !tiny->pods[q].ending && spread_counts(oracle, cls, spread, there) &&
            selects(tiny, pod, spread->apps, MU_TINY_OWN_SPACE, &tiny->pods[q]))
            counts[domain_of(oracle, there, spread->key)]++;
    }
    for (int domain = 0; domain < MU_TINY_NODES; domain++)
        if (domains >> domain & 1 && counts[domain] < least)
            least = counts[domain];
    int self = selects(tiny, pod, spread->apps, MU_TINY_OWN_SPACE, pod);
    return counts[home] + self - least <= spread->max_skew;
}

/* One value of a label for all members that are anywhere. */
static bool in_domain(const struct mu_oracle *oracle, int pod, int node) {
    const struct mu_tiny *tiny = oracle->tiny;
    for (int unit = tiny->pods[pod].unit; unit != MU_TINY_NONE; unit = tiny->units[unit].parent) {
        int key = tiny->units[unit].topology;
        if (key == MU_TINY_NONE)
            continue;
        int domain = tiny->nodes[node].domain[key];
        if (domain == MU_TINY_NONE)
            return false;
        for (int q = 0; q < MU_TINY_PODS; q++)
            if (oracle->where[q] != MU_TINY_NONE && mu_tiny_is_below(tiny, tiny->pods[q].unit, unit) &&
                tiny->nodes[oracle->where[q]].domain[key] != domain)
                return false;
    }
    return true;
}

bool mu_oracle_fits(const struct mu_oracle *oracle, int p, int node) {
    const struct mu_tiny_pod *pod = &oracle->tiny->pods[p];
    const struct mu_tiny_class *cls = &oracle->tiny->classes[pod->cls];
    if (oracle->rules & MU_ORACLE_RESOURCES && !has_room(oracle, pod, node))
        return false;
    if (oracle->rules & MU_ORACLE_TOPOLOGY && !in_domain(oracle, p, node))
        return false;
    if (!(oracle->allowed[p] >> node & 1) || !ports_free(oracle, cls, node) || !kept_apart(oracle, p, node) ||
        !kept_together(oracle, p, node))
        return false;
    for (int i = 0; i < cls->spreads_len; i++)
        if (!spread_allows(oracle, pod, &cls->spreads[i], node))
            return false;
    return true;
}
