/* InterPodAffinity's `permit`: an order in which the placed members could have come one by one.
 *
 * Each member with required affinity must, when its turn comes, find in each of its terms' domains a friend (a pod that
 * matches all of its terms), or be a friend itself while there is none at all yet (upstream's rule for the first pod).
 * More friends can only help the first way, and can only spoil the second; and the second can be used but once for each
 * set of terms, since after it there is a friend. So: place whoever can be placed without becoming the first friend of
 * some set of terms; when nobody is left of these, try each one who would be the first, and go on from there. Depth is
 * bounded by the number of sets of terms, which is one in nearly all gangs that have any.
 *
 * Members without required affinity come at any time. Anti-affinity knows no order; the filter has seen to it. */
#include "plugins/inter_pod_affinity.h"
#include "plugins/pod_terms.h"
#include "plugins/registry.h"
#include "scheduler/base/checked.h"

/* Looks at a member, in all. Only a gang with several sets of terms that is placed badly throughout comes near it. */
#define STEPS_MAX ((int64_t)1 << 24)

/* One set of terms, and the friends placed so far. */
struct terms {
    const struct mu_pod_relations *relations;
    int64_t **friends; /* by term and domain; those that were there before the group, to begin with */
    int64_t all;       /* sum over terms and domains */
};

struct order {
    const struct mu_placed *placed;
    uint32_t placed_len;
    struct terms *terms;
    uint32_t terms_len;
    uint32_t *terms_of; /* by class: its set of terms; terms_len where it has none */
    bool *is_friend;    /* by class and set of terms */
    bool *done;         /* by member */
    uint32_t *stack;    /* members placed so far, in order */
    uint32_t stack_len;
    uint32_t *tried; /* members that were tried as the first friend; those of each depth behind those before */
    uint32_t tried_len;
    int64_t steps;
};

/* ------------------------------------------------------------------ one member */

static bool is_friend(const struct order *o, uint32_t member, uint32_t terms) {
    return o->is_friend[o->placed[member].cls->index * o->terms_len + terms];
}

/* Counts the member in (1) or out (-1), wherever it is a friend. */
static void count(struct order *o, uint32_t member, int by) {
    for (uint32_t k = 0; k < o->terms_len; k++) {
        const struct mu_pod_relations *r = o->terms[k].relations;
        for (uint32_t t = 0; is_friend(o, member, k) && t < r->affinity_len; t++) {
            uint32_t domain = mu_fw_domain(r->affinity[t].topology, o->placed[member].node);
            if (domain == MU_NO_DOMAIN)
                continue;
            o->terms[k].friends[t][domain] += by;
            o->terms[k].all += by;
        }
    }
}

static void come(struct order *o, uint32_t member) {
    count(o, member, 1);
    o->done[member] = true;
    o->stack[o->stack_len++] = member;
}

static void go_back(struct order *o, uint32_t stack_len) {
    while (o->stack_len > stack_len) {
        uint32_t member = o->stack[--o->stack_len];
        o->done[member] = false;
        count(o, member, -1);
    }
}

static bool can_come(const struct order *o, uint32_t member) {
    uint32_t k = o->terms_of[o->placed[member].cls->index];
    if (k == o->terms_len)
        return true;
    const struct mu_pod_relations *r = o->terms[k].relations;
    bool company = true;
    for (uint32_t t = 0; t < r->affinity_len; t++) {
        uint32_t domain = mu_fw_domain(r->affinity[t].topology, o->placed[member].node);
        if (domain == MU_NO_DOMAIN)
            return false;
        company = company && o->terms[k].friends[t][domain] > 0;
    }
    return company || (o->terms[k].all == 0 && is_friend(o, member, k));
}

/* Would it be the first friend of some set of terms? Not where its node is in no domain that counts. */
static bool would_be_first(const struct order *o, uint32_t member) {
    for (uint32_t k = 0; k < o->terms_len; k++) {
        const struct mu_pod_relations *r = o->terms[k].relations;
        if (o->terms[k].all > 0 || !is_friend(o, member, k))
            continue;
        for (uint32_t t = 0; t < r->affinity_len; t++) {
            if (mu_fw_domain(r->affinity[t].topology, o->placed[member].node) != MU_NO_DOMAIN)
                return true;
        }
    }
    return false;
}

/* Is it the same whether one or the other comes? */
static bool alike(const struct order *o, uint32_t a, uint32_t b) {
    const struct mu_placed *x = &o->placed[a], *y = &o->placed[b];
    if (x->cls != y->cls)
        return false;
    for (uint32_t k = 0; x->node != y->node && k < o->terms_len; k++) {
        const struct mu_pod_relations *r = o->terms[k].relations;
        for (uint32_t t = 0; t < r->affinity_len; t++) {
            const struct mu_topology *topology = r->affinity[t].topology;
            if (mu_fw_domain(topology, x->node) != mu_fw_domain(topology, y->node))
                return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ all members */

/* Lets come whoever can without being first; true where nobody is left. */
static bool let_come(struct order *o) {
    for (bool more = true; more && o->stack_len < o->placed_len;) {
        more = false;
        for (uint32_t i = 0; i < o->placed_len && o->steps > 0; i++) {
            o->steps--;
            if (o->done[i] || would_be_first(o, i) || !can_come(o, i))
                continue;
            come(o, i);
            more = true;
        }
    }
    return o->stack_len == o->placed_len;
}

static bool tried_before(const struct order *o, uint32_t from, uint32_t member) {
    for (uint32_t i = from; i < o->tried_len; i++) {
        if (alike(o, o->tried[i], member))
            return true;
    }
    return false;
}

/* Recursion is as deep as there are sets of terms: each level makes somebody the first friend of one. */
static bool exists(struct order *o) {
    if (let_come(o))
        return true;
    uint32_t stack_len = o->stack_len, tried_len = o->tried_len;
    bool found = false;
    for (uint32_t i = 0; i < o->placed_len && !found && o->steps > 0; i++) {
        o->steps--;
        if (o->done[i] || !can_come(o, i) || tried_before(o, tried_len, i))
            continue;
        o->tried[o->tried_len++] = i;
        come(o, i);
        found = exists(o);
        go_back(o, stack_len);
    }
    o->tried_len = tried_len;
    return found;
}

/* ------------------------------------------------------------------ the start */

static uint32_t terms_find(const struct order *o, const struct mu_class *cls) {
    for (uint32_t k = 0; k < o->terms_len; k++) {
        if (mu_affinity_is_equal(o->terms[k].relations->pod, cls->pods[0]))
            return k;
    }
    return o->terms_len;
}

/* Friends as they are now; the group's own go out below. */
static void terms_begin(struct mu_fw *fw, struct terms *terms) {
    const struct mu_pod_relations *r = terms->relations;
    terms->friends = mu_fw_scratch(fw, r->affinity_len * sizeof *terms->friends);
    for (uint32_t t = 0; t < r->affinity_len; t++) {
        uint32_t domains = mu_fw_domains(r->affinity[t].topology);
        terms->friends[t] = mu_fw_scratch(fw, domains * sizeof *terms->friends[t]);
        for (uint32_t d = 0; d < domains; d++)
            terms->friends[t][d] = mu_fw_count_in(r->affinity[t].counter, d);
        terms->all += mu_fw_count_all(r->affinity[t].counter);
    }
}

/* The sets of terms among the classes that are placed, and who is whose friend. */
static void classify(struct mu_fw *fw, struct order *o, uint32_t classes_len) {
    const uint32_t none = UINT32_MAX;
    o->terms = mu_fw_scratch(fw, classes_len * sizeof *o->terms);
    o->terms_of = mu_fw_scratch(fw, classes_len * sizeof *o->terms_of);
    const struct mu_class **present = mu_fw_scratch(fw, classes_len * sizeof *present);
    for (uint32_t i = 0; i < o->placed_len; i++) {
        const struct mu_class *cls = o->placed[i].cls;
        if (present[cls->index] != NULL)
            continue;
        present[cls->index] = cls;
        const struct mu_pod_relations *r = mu_fw_prepared(fw, &mu_plugin_inter_pod_affinity, cls);
        bool has_terms = r != NULL && r->affinity_len > 0;
        uint32_t k = has_terms ? terms_find(o, cls) : none;
        if (k == o->terms_len)
            o->terms[o->terms_len++].relations = r;
        o->terms_of[cls->index] = k;
    }
    o->is_friend = mu_fw_scratch(fw, classes_len * o->terms_len * sizeof *o->is_friend);
    for (uint32_t c = 0; c < classes_len; c++) {
        if (o->terms_of[c] == none)
            o->terms_of[c] = o->terms_len;
        for (uint32_t k = 0; present[c] != NULL && k < o->terms_len; k++)
            o->is_friend[c * o->terms_len + k] =
                mu_fw_query_matches(fw, &o->terms[k].relations->friends, present[c]->pods[0]);
    }
}

struct mu_verdict mu_inter_pod_permit(struct mu_fw *fw, void *state, const struct mu_placed *placed,
                                      uint32_t placed_len) {
    struct order o = {.placed = placed, .placed_len = placed_len, .steps = STEPS_MAX};
    uint32_t classes_len = 0;
    const struct mu_class *const *classes = mu_fw_classes(fw, &classes_len);
    bool asked = false;
    for (uint32_t c = 0; c < classes_len; c++)
        asked = asked || classes[c]->spec->affinity_len > 0;
    if (!asked)
        return (struct mu_verdict){.phrase = 0};
    classify(fw, &o, classes_len);
    for (uint32_t k = 0; k < o.terms_len; k++)
        terms_begin(fw, &o.terms[k]);
    for (uint32_t i = 0; i < placed_len; i++)
        count(&o, i, -1);
    o.done = mu_fw_scratch(fw, placed_len * sizeof *o.done);
    o.stack = mu_fw_scratch(fw, placed_len * sizeof *o.stack);
    o.tried = mu_fw_scratch(fw, ((size_t)o.terms_len + 1) * placed_len * sizeof *o.tried);
    return (struct mu_verdict){.phrase = exists(&o) ? 0 : MU_INTER_POD_AFFINITY};
}
