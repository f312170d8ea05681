/* Company: counts of friends, by set of terms and domain. */
#include "plugins/company.h"

#include "plugins/inter_pod_affinity.h"
#include "plugins/pod_terms.h"
#include "plugins/registry.h"

/* One set of terms, and the friends that are there. */
struct terms {
    const struct mu_pod_relations *relations;
    int64_t **friends; /* by term and domain */
    int64_t all;       /* sum over both */
};

struct mu_company {
    struct terms *terms;
    uint32_t terms_len;
    uint32_t *terms_of; /* by class: its set of terms; terms_len where it has none */
    bool *is_friend;    /* by class and set of terms */
};

static bool is_friend(const struct mu_company *c, const struct mu_placed *member, uint32_t terms) {
    return c->is_friend[member->cls->index * c->terms_len + terms];
}

void mu_company_count(struct mu_company *c, const struct mu_placed *member, int by) {
    for (uint32_t k = 0; c != NULL && k < c->terms_len; k++) {
        const struct mu_pod_relations *r = c->terms[k].relations;
        for (uint32_t t = 0; is_friend(c, member, k) && t < r->affinity_len; t++) {
            uint32_t domain = mu_fw_domain(r->affinity[t].topology, member->node);
            if (domain == MU_NO_DOMAIN)
                continue;
            c->terms[k].friends[t][domain] += by;
            c->terms[k].all += by;
        }
    }
}

bool mu_company_lets(const struct mu_company *c, const struct mu_placed *member) {
    uint32_t k = c != NULL ? c->terms_of[member->cls->index] : 0;
    if (c == NULL || k == c->terms_len)
        return true;
    const struct mu_pod_relations *r = c->terms[k].relations;
    bool company = true;
    for (uint32_t t = 0; t < r->affinity_len; t++) {
        uint32_t domain = mu_fw_domain(r->affinity[t].topology, member->node);
        if (domain == MU_NO_DOMAIN)
            return false;
        company = company && c->terms[k].friends[t][domain] > 0;
    }
    return company || (c->terms[k].all == 0 && is_friend(c, member, k));
}

/* Not where its node is in no domain that counts. */
bool mu_company_has_first(const struct mu_company *c, const struct mu_placed *member) {
    for (uint32_t k = 0; c != NULL && k < c->terms_len; k++) {
        const struct mu_pod_relations *r = c->terms[k].relations;
        if (c->terms[k].all > 0 || !is_friend(c, member, k))
            continue;
        for (uint32_t t = 0; t < r->affinity_len; t++) {
            if (mu_fw_domain(r->affinity[t].topology, member->node) != MU_NO_DOMAIN)
                return true;
        }
    }
    return false;
}

bool mu_company_takes_for_same(const struct mu_company *c, const struct mu_placed *a, const struct mu_placed *b) {
    if (a->cls != b->cls)
        return false;
    for (uint32_t k = 0; c != NULL && a->node != b->node && k < c->terms_len; k++) {
        const struct mu_pod_relations *r = c->terms[k].relations;
        for (uint32_t t = 0; t < r->affinity_len; t++) {
            const struct mu_topology *topology = r->affinity[t].topology;
            if (mu_fw_domain(topology, a->node) != mu_fw_domain(topology, b->node))
                return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ making it */

static uint32_t terms_find(const struct mu_company *c, const struct mu_class *cls) {
    for (uint32_t k = 0; k < c->terms_len; k++) {
        if (mu_affinity_is_equal(c->terms[k].relations->pod, cls->pods[0]))
            return k;
    }
    return c->terms_len;
}

/* Friends as they are now, members included. */
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
static void classify(struct mu_fw *fw, struct mu_company *c, const struct mu_placed *placed, uint32_t placed_len,
                     uint32_t classes_len) {
    const uint32_t none = UINT32_MAX;
    c->terms = mu_fw_scratch(fw, classes_len * sizeof *c->terms);
    c->terms_of = mu_fw_scratch(fw, classes_len * sizeof *c->terms_of);
    const struct mu_class **present = mu_fw_scratch(fw, classes_len * sizeof *present);
    for (uint32_t i = 0; i < placed_len; i++) {
        const struct mu_class *cls = placed[i].cls;
        if (present[cls->index] != NULL)
            continue;
        present[cls->index] = cls;
        const struct mu_pod_relations *r = mu_fw_prepared(fw, &mu_plugin_inter_pod_affinity, cls);
        bool has_terms = r != NULL && r->affinity_len > 0;
        uint32_t k = has_terms ? terms_find(c, cls) : none;
        if (k == c->terms_len)
            c->terms[c->terms_len++].relations = r;
        c->terms_of[cls->index] = k;
    }
    c->is_friend = mu_fw_scratch(fw, (size_t)classes_len * c->terms_len * sizeof *c->is_friend);
    for (uint32_t i = 0; i < classes_len; i++) {
        if (c->terms_of[i] == none)
            c->terms_of[i] = c->terms_len;
        for (uint32_t k = 0; present[i] != NULL && k < c->terms_len; k++)
            c->is_friend[i * c->terms_len + k] =
                mu_fw_query_matches(fw, &c->terms[k].relations->friends, present[i]->pods[0]);
    }
}

struct mu_company *mu_company_make(struct mu_fw *fw, const struct mu_placed *placed, uint32_t placed_len) {
    uint32_t classes_len = 0;
    const struct mu_class *const *classes = mu_fw_classes(fw, &classes_len);
    bool asked = false;
    for (uint32_t i = 0; i < classes_len; i++)
        asked = asked || classes[i]->spec->affinity_len > 0;
    if (!asked)
        return NULL;
    struct mu_company *c = mu_fw_scratch(fw, sizeof *c);
    classify(fw, c, placed, placed_len, classes_len);
    for (uint32_t k = 0; k < c->terms_len; k++)
        terms_begin(fw, &c->terms[k]);
    for (uint32_t i = 0; i < placed_len; i++)
        mu_company_count(c, &placed[i], -1);
    return c->terms_len > 0 ? c : NULL;
}
