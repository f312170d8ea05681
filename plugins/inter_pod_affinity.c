/* InterPodAffinity: pods that must or would be near others, or away from them.
 *
 * Kubernetes places one pod after the other, so there a pod can only look at those that came before it. Members of a
 * gang are placed together: a placement stands if there is an order in which each member, when its turn came, would
 * have found what it requires.
 *
 * For anti-affinity the order does not matter: whoever of two pods comes second finds the first (upstream looks both
 * ways), so the filter alone decides. For affinity it does. The filter lets pass what members that are not placed yet
 * could still make right; the order itself is looked for when all are placed: inter_pod_order.c. */
#include "plugins/inter_pod_affinity.h"

#include "plugins/arguments.h"
#include "plugins/pod_terms.h"
#include "plugins/registry.h"
#include "scheduler/base/checked.h"

static const char *const phrases[] = {
    [MU_INTER_POD_AFFINITY] = "node(s) didn't match pod affinity rules",
    [MU_INTER_POD_ANTI] = "node(s) didn't match pod anti-affinity rules",
    [MU_INTER_POD_CARRIED] = "node(s) didn't satisfy existing pods anti-affinity rules",
};

struct settings {
    int64_t hard_weight;
};

#define HARD_WEIGHT_DEFAULT 1 /* as upstream */

static int configure(struct mu_arena *arena, const struct mu_value *args, void **ret_state, struct mu_err *err) {
    static const char *const fields[] = {"hardPodAffinityWeight"};
    struct settings *settings = MU_NEW(arena, struct settings);
    settings->hard_weight = HARD_WEIGHT_DEFAULT;
    int r = mu_arguments_check(args, fields, 1, err);
    if (r == 0)
        r = mu_arguments_integer(args, fields[0], 0, 100, &settings->hard_weight, err);
    if (r == 0)
        *ret_state = settings;
    return r;
}

/* ------------------------------------------------------------------ classes */

/* May the pod be what another member's required affinity asks for? Then where it goes decides where that one may. Label
 * keys are left aside: a "yes" too many costs time only. */
static bool may_be_a_friend(struct mu_fw *fw, const struct mu_pod *pod) {
    uint32_t len = 0;
    const struct mu_pod_spec *const *specs = mu_fw_specs(fw, &len);
    for (uint32_t s = 0; s < len; s++) {
        uint32_t matched = 0;
        for (uint32_t i = 0; i < specs[s]->affinity_len; i++) {
            const struct mu_selector *selector = specs[s]->affinity[i].selector;
            matched += selector != NULL && mu_selector_matches(selector, &pod->meta.labels, mu_fw_symbols(fw));
        }
        if (matched > 0 && matched == specs[s]->affinity_len)
            return true;
    }
    return false;
}

static void key_terms(struct mu_buf *key, const struct mu_fw *fw, const struct mu_pod *pod,
                      const struct mu_pod_term *terms, uint32_t len) {
    for (uint32_t i = 0; i < len; i++) {
        mu_key_labels(key, fw, pod, terms[i].match_label_keys, terms[i].match_label_keys_len);
        mu_key_labels(key, fw, pod, terms[i].mismatch_label_keys, terms[i].mismatch_label_keys_len);
    }
}

/* Pods of one spec differ here by the label values that their own terms take up, and by which terms mean them. */
static void distinguish(struct mu_fw *fw, void *state, const struct mu_pod *pod, struct mu_buf *key) {
    const struct mu_pod_spec *spec = pod->spec;
    key_terms(key, fw, pod, spec->affinity, spec->affinity_len);
    key_terms(key, fw, pod, spec->affinity_preferred, spec->affinity_preferred_len);
    key_terms(key, fw, pod, spec->anti, spec->anti_len);
    key_terms(key, fw, pod, spec->anti_preferred, spec->anti_preferred_len);
    uint32_t len = 0;
    const struct mu_carried *const *carried = mu_fw_carried(fw, &len);
    for (uint32_t i = 0; i < len; i++) {
        if (mu_fw_query_matches(fw, &carried[i]->query, pod))
            mu_buf_printf(key, "%u,", i);
    }
    if (may_be_a_friend(fw, pod))
        mu_buf_add_char(key, '+');
}

static struct mu_relation relate(struct mu_fw *fw, const struct mu_pod_query *query, mu_sym topology_key) {
    const struct mu_topology *topology = mu_fw_topology(fw, topology_key);
    return (struct mu_relation){.topology = topology, .counter = mu_fw_counter(fw, query, topology)};
}

static void prepare_affinity(struct mu_fw *fw, struct mu_pod_relations *r) {
    const struct mu_pod_spec *spec = r->pod->spec;
    if (spec->affinity_len == 0)
        return;
    r->friends = mu_terms_query(fw, spec->affinity, spec->affinity_len, r->pod);
    r->own_friend = mu_fw_query_matches(fw, &r->friends, r->pod);
    r->affinity = mu_fw_alloc(fw, spec->affinity_len * sizeof *r->affinity);
    for (uint32_t i = 0; i < spec->affinity_len; i++)
        r->affinity[r->affinity_len++] = relate(fw, &r->friends, spec->affinity[i].topology_key);
}

static void prepare_anti(struct mu_fw *fw, struct mu_pod_relations *r) {
    const struct mu_pod_spec *spec = r->pod->spec;
    r->anti = mu_fw_alloc(fw, spec->anti_len * sizeof *r->anti);
    for (uint32_t i = 0; i < spec->anti_len; i++) {
        struct mu_pod_query query = mu_term_query(fw, &spec->anti[i], r->pod);
        r->anti[r->anti_len++] = relate(fw, &query, spec->anti[i].topology_key);
        if (!mu_fw_query_matches(fw, &query, r->pod))
            continue;
        struct mu_relation apart = r->anti[r->anti_len - 1];
        r->anti[r->anti_len - 1] = r->anti[r->apart_len];
        r->anti[r->apart_len++] = apart;
    }
}

static void add_wish(struct mu_pod_relations *r, struct mu_relation relation, int64_t weight) {
    if (weight != 0)
        r->wishes[r->wishes_len++] = (struct mu_wish){.relation = relation, .weight = weight};
}

static void prepare_own_wishes(struct mu_fw *fw, struct mu_pod_relations *r) {
    const struct mu_pod_spec *spec = r->pod->spec;
    for (uint32_t i = 0; i < spec->affinity_preferred_len; i++) {
        struct mu_pod_query query = mu_term_query(fw, &spec->affinity_preferred[i], r->pod);
        add_wish(r, relate(fw, &query, spec->affinity_preferred[i].topology_key), spec->affinity_preferred[i].weight);
    }
    for (uint32_t i = 0; i < spec->anti_preferred_len; i++) {
        struct mu_pod_query query = mu_term_query(fw, &spec->anti_preferred[i], r->pod);
        add_wish(r, relate(fw, &query, spec->anti_preferred[i].topology_key), -(int64_t)spec->anti_preferred[i].weight);
    }
}

/* The other half: what pods that are there, or are placed before, say of this class. */
static void prepare_carried(struct mu_fw *fw, struct mu_pod_relations *r, int64_t hard_weight) {
    uint32_t len = 0;
    const struct mu_carried *const *carried = mu_fw_carried(fw, &len);
    r->carried = mu_fw_alloc(fw, len * sizeof *r->carried);
    for (uint32_t i = 0; i < len; i++) {
        const struct mu_carried *term = carried[i];
        if (!mu_fw_query_matches(fw, &term->query, r->pod))
            continue;
        struct mu_relation relation = {.topology = term->topology, .counter = term->carriers};
        switch (term->kind) {
        case MU_CARRIED_ANTI:
            r->carried[r->carried_len++] = relation;
            break;
        case MU_CARRIED_AFFINITY:
            add_wish(r, relation, hard_weight);
            break;
        case MU_CARRIED_AFFINITY_PREFERRED:
            add_wish(r, relation, term->weight);
            break;
        case MU_CARRIED_ANTI_PREFERRED:
            add_wish(r, relation, -(int64_t)term->weight);
            break;
        }
    }
}

static enum mu_scope scope_of(const struct mu_relation *relations, uint32_t len) {
    enum mu_scope scope = len > 0 ? MU_SCOPE_NODE : MU_SCOPE_NONE;
    for (uint32_t i = 0; i < len; i++) {
        if (!mu_fw_domains_are_nodes(relations[i].topology))
            scope = MU_SCOPE_CLUSTER;
    }
    return scope;
}

/* What members can still do for one another, worked out anew in each state. */
struct mu_hopes {
    uint64_t stamp;
    bool known;
    int64_t helpers; /* domains that members to come can begin */
    struct term_hopes {
        int32_t *own;         /* by domain: members placed there that have the same required affinity */
        int32_t *own_friends; /* of them, those that are friends themselves */
        int64_t begun;        /* domains with own members and nobody whom they could have come after */
    } terms[];
};

/* Raw scores of all nodes lie between these. */
struct mu_extent {
    uint64_t stamp;
    bool known;
    int64_t min, max;
};

static struct mu_hopes *hopes_make(struct mu_fw *fw, const struct mu_pod_relations *r) {
    struct mu_hopes *hopes = mu_fw_alloc(fw, sizeof *hopes + r->affinity_len * sizeof hopes->terms[0]);
    for (uint32_t t = 0; t < r->affinity_len; t++) {
        size_t bytes = mu_fw_domains(r->affinity[t].topology) * sizeof *hopes->terms[t].own;
        hopes->terms[t].own = mu_fw_alloc(fw, bytes);
        hopes->terms[t].own_friends = mu_fw_alloc(fw, bytes);
    }
    return hopes;
}

static struct mu_reach prepare(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared) {
    const struct settings *settings = state;
    const struct mu_pod_spec *spec = cls->spec;
    uint32_t carried_len = 0;
    mu_fw_carried(fw, &carried_len);
    struct mu_pod_relations *r = mu_fw_alloc(fw, sizeof *r);
    *ret_prepared = r;
    r->pod = cls->pods[0];
    r->wishes =
        mu_fw_alloc(fw, (spec->affinity_preferred_len + spec->anti_preferred_len + carried_len) * sizeof *r->wishes);
    prepare_affinity(fw, r);
    prepare_anti(fw, r);
    prepare_own_wishes(fw, r);
    prepare_carried(fw, r, settings != NULL ? settings->hard_weight : HARD_WEIGHT_DEFAULT);
    r->hopes = hopes_make(fw, r);
    r->extent = mu_fw_alloc(fw, sizeof *r->extent);
    enum mu_scope anti = scope_of(r->anti, r->anti_len), carried = scope_of(r->carried, r->carried_len);
    enum mu_scope filter = anti > carried ? anti : carried;
    if (r->affinity_len > 0 || may_be_a_friend(fw, r->pod))
        filter = MU_SCOPE_CLUSTER;
    return (struct mu_reach){.filter = filter, .score = r->wishes_len > 0 ? MU_SCOPE_CLUSTER : MU_SCOPE_NONE};
}

/* ------------------------------------------------------------------ filter: affinity */

/* What the rules here make of a class of the group. */
struct kinship {
    const struct mu_class *cls;
    bool same;   /* its required affinity is the same */
    bool friend; /* it is what that asks for */
};

static void kinship_of(struct mu_fw *fw, const struct mu_pod_relations *r, const struct mu_class *cls,
                       struct kinship *kinship) {
    if (kinship->cls == cls)
        return;
    kinship->cls = cls;
    kinship->same = mu_affinity_is_equal(r->pod, cls->pods[0]);
    kinship->friend = mu_fw_query_matches(fw, &r->friends, cls->pods[0]);
}

static void hopes_clear(struct mu_hopes *hopes, const struct mu_pod_relations *r) {
    for (uint32_t t = 0; t < r->affinity_len; t++) {
        size_t bytes = mu_fw_domains(r->affinity[t].topology) * sizeof *hopes->terms[t].own;
        memset(hopes->terms[t].own, 0, bytes);
        memset(hopes->terms[t].own_friends, 0, bytes);
        hopes->terms[t].begun = 0;
    }
}

/* Counts a placed member in; in *ret_friends, the domains (of all terms) that count it as a friend. */
static void count_member(struct mu_hopes *hopes, const struct mu_pod_relations *r, const struct kinship *kinship,
                         uint32_t node, int64_t *ret_friends) {
    for (uint32_t t = 0; t < r->affinity_len; t++) {
        uint32_t domain = mu_fw_domain(r->affinity[t].topology, node);
        if (domain == MU_NO_DOMAIN)
            continue;
        *ret_friends += kinship->friend;
        hopes->terms[t].own[domain] += kinship->same;
        hopes->terms[t].own_friends[domain] += kinship->same && kinship->friend;
    }
}

/* In a domain where members with this affinity are, the first of them came after a friend with other rules, or was the
 * first friend of all. How many domains are still without: */
static int64_t count_begun(const struct term_hopes *hopes, const struct mu_relation *relation) {
    int64_t begun = 0;
    for (uint32_t d = 0; d < mu_fw_domains(relation->topology); d++)
        begun += hopes->own[d] > 0 && mu_fw_count_in(relation->counter, d) == hopes->own_friends[d];
    return begun;
}

static void hopes_work_out(struct mu_fw *fw, const struct mu_pod_relations *r, struct mu_hopes *hopes) {
    hopes_clear(hopes, r);
    uint32_t placed_len = 0, classes_len = 0;
    const struct mu_placed *placed = mu_fw_placed(fw, &placed_len);
    const struct mu_class *const *classes = mu_fw_classes(fw, &classes_len);
    struct kinship kinship = {.cls = NULL};
    int64_t helpers = 0, friends = 0;
    bool own_friends = r->own_friend;
    for (uint32_t i = 0; i < classes_len; i++) {
        kinship_of(fw, r, classes[i], &kinship);
        helpers += kinship.friend && !kinship.same ? classes[i]->pods_len : 0;
        own_friends = own_friends || (kinship.friend && kinship.same);
    }
    for (uint32_t i = 0; i < placed_len; i++) {
        kinship_of(fw, r, placed[i].cls, &kinship);
        helpers -= kinship.friend && !kinship.same;
        count_member(hopes, r, &kinship, placed[i].node, &friends);
    }
    int64_t others = -friends; /* friends that are there without this group */
    for (uint32_t t = 0; t < r->affinity_len; t++) {
        others += mu_fw_count_all(r->affinity[t].counter);
        hopes->terms[t].begun = count_begun(&hopes->terms[t], &r->affinity[t]);
    }
    int64_t unplaced = mu_fw_unplaced(fw);
    int64_t to_come = unplaced > 0 ? unplaced - 1 : 0; /* besides the pod that is asked about */
    hopes->helpers = (helpers < to_come ? helpers : to_come) + (own_friends && others == 0);
    hopes->stamp = mu_fw_stamp(fw);
    hopes->known = true;
}

/* Each domain in which members with this affinity are needs somebody whom the first of them could have come after: a
 * pod that is there, a friend with other rules that is still to come, or, once, the rule for the first friend of all.
 * So what would begin more domains than there are helpers is refused. For a pod by itself this is upstream's rule:
 * nodeTopologyMatchesAffinity and satisfiesSelfAffinityCheck. */
static bool has_company(struct mu_fw *fw, const struct mu_pod_relations *r, uint32_t node) {
    struct mu_hopes *hopes = r->hopes;
    for (uint32_t t = 0; t < r->affinity_len; t++) {
        if (mu_fw_domain(r->affinity[t].topology, node) == MU_NO_DOMAIN)
            return false;
    }
    if (!hopes->known || hopes->stamp != mu_fw_stamp(fw))
        hopes_work_out(fw, r, hopes);
    for (uint32_t t = 0; t < r->affinity_len; t++) {
        const struct mu_relation *relation = &r->affinity[t];
        uint32_t domain = mu_fw_domain(relation->topology, node);
        const struct term_hopes *term = &hopes->terms[t];
        bool begins = term->own[domain] == 0 && mu_fw_count_in(relation->counter, domain) == 0;
        if (term->begun + begins > hopes->helpers)
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ filter: anti-affinity */

static bool anyone_there(const struct mu_relation *relations, uint32_t len, uint32_t node) {
    for (uint32_t i = 0; i < len; i++) {
        uint32_t domain = mu_fw_domain(relations[i].topology, node);
        if (domain != MU_NO_DOMAIN && mu_fw_count_in(relations[i].counter, domain) > 0)
            return true;
    }
    return false;
}

static struct mu_verdict filter(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node) {
    const struct mu_pod_relations *r = prepared;
    struct mu_verdict verdict = {.phrase = 0};
    if (r->affinity_len > 0 && !has_company(fw, r, node))
        verdict.phrase = MU_INTER_POD_AFFINITY;
    else if (anyone_there(r->anti, r->anti_len, node))
        verdict.phrase = MU_INTER_POD_ANTI;
    else if (anyone_there(r->carried, r->carried_len, node))
        verdict.phrase = MU_INTER_POD_CARRIED;
    return verdict;
}

/* A second one on a node would find the first. (Domains are nodes here, else the class is not counted.) */
static int64_t fit(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node) {
    const struct mu_pod_relations *r = prepared;
    for (uint32_t i = 0; i < r->apart_len; i++) {
        if (mu_fw_domain(r->anti[i].topology, node) != MU_NO_DOMAIN)
            return 1;
    }
    return INT64_MAX;
}

/* ------------------------------------------------------------------ score */

static int64_t raw_score(const struct mu_pod_relations *r, uint32_t node) {
    int64_t score = 0;
    for (uint32_t i = 0; i < r->wishes_len; i++) {
        const struct mu_relation *relation = &r->wishes[i].relation;
        uint32_t domain = mu_fw_domain(relation->topology, node);
        if (domain != MU_NO_DOMAIN)
            score = mu_sat_add(score, mu_sat_mul(r->wishes[i].weight, mu_fw_count_in(relation->counter, domain)));
    }
    return score;
}

static void extent_work_out(struct mu_fw *fw, const struct mu_pod_relations *r, struct mu_extent *extent) {
    extent->min = INT64_MAX;
    extent->max = INT64_MIN;
    for (uint32_t node = 0; node < mu_fw_nodes(fw); node++) {
        if (mu_fw_node(fw, node) == NULL)
            continue;
        int64_t raw = raw_score(r, node);
        extent->min = raw < extent->min ? raw : extent->min;
        extent->max = raw > extent->max ? raw : extent->max;
    }
    extent->stamp = mu_fw_stamp(fw);
    extent->known = true;
}

/* Between the worst and the best node of the cluster. Upstream takes those that passed the filters. */
static int64_t score(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node) {
    const struct mu_pod_relations *r = prepared;
    struct mu_extent *extent = r->extent;
    if (!extent->known || extent->stamp != mu_fw_stamp(fw))
        extent_work_out(fw, r, extent);
    mu_i128 above = (mu_i128)raw_score(r, node) - extent->min, range = (mu_i128)extent->max - extent->min;
    return range > 0 ? (int64_t)(above * MU_SCORE_MAX / range) : 0;
}

/* Of the terms by which pods of the class keep apart, one whose domains are the largest. */
static const struct mu_topology *one_a_domain(struct mu_fw *fw, void *state, const void *prepared,
                                              const struct mu_class *cls) {
    const struct mu_pod_relations *r = prepared;
    const struct mu_topology *widest = NULL;
    for (uint32_t i = 0; i < r->apart_len; i++)
        if (widest == NULL || mu_fw_domains(r->anti[i].topology) < mu_fw_domains(widest))
            widest = r->anti[i].topology;
    return widest;
}

const struct mu_plugin mu_plugin_inter_pod_affinity = {
    .abi = MU_PLUGIN_ABI,
    .name = "InterPodAffinity",
    .summary = "pod affinity and anti-affinity, required and preferred, in both directions",
    .stage = MU_STAGE_CONSTRAINT,
    .phrases = phrases,
    .phrases_len = 4,
    .default_weight = 2,
    .configure = configure,
    .distinguish = distinguish,
    .prepare = prepare,
    .filter = filter,
    .fit = fit,
    .one_a_domain = one_a_domain,
    .score = score,
    .permit = mu_inter_pod_permit,
    .events = MU_EVENT_NODE_ADDED | MU_EVENT_NODE_LABELS | MU_EVENT_POD_ADDED | MU_EVENT_POD_REMOVED,
};
