/* PodTopologySpread: an order for members under several constraints.
 *
 * One kind of constraint has an order whenever it holds in the end (see pod_topology_spread.c). Several kinds may stand
 * in one another's way, and in that of affinity: a zone is full until another has more, and there the only node left is
 * full until ... So here members come one by one, in thought: at each turn the one that raises no domain above others
 * comes first, which nearly always leads through; where it does not, others are tried, and states that led nowhere are
 * remembered. Members of one class on one node are alike.
 *
 * After STATES_MAX of such states the placement is let stand: each constraint holds in the end, and whether there was a
 * way there is of no more use to anybody. */
#include "plugins/spread_order.h"

#include "plugins/company.h"
#include "plugins/registry.h"

#define STATES_MAX ((uint32_t)1 << 12)
/* The same, for what a large gang may cost: looks at a party. */
#define LOOKS_MAX ((uint64_t)1 << 24)

/* Pods that count, where they are: shared by all constraints that count the same pods on the same nodes. */
struct tally {
    const struct mu_spread_rule *rule; /* one of them */
    int64_t *there;                    /* by domain */
    int64_t min;
};

/* A class of members. */
struct kind {
    bool known;
    const struct mu_spread_rules *rules; /* NULL: it is under none */
    uint32_t *tally_of;                  /* by hard rule */
};

/* Members of one class on one node. */
struct party {
    struct mu_placed member; /* one of them */
    uint32_t left;
    const struct kind *kind;
    uint32_t *domains; /* by tally: where it counts; MU_NO_DOMAIN: it does not */
    bool counts;       /* under some tally */
};

struct order {
    struct tally *tallies;
    struct kind *kinds; /* by class */
    struct party *parties;
    uint32_t tallies_len, parties_len;
    uint32_t left; /* members, in all */
    struct mu_company *company;
    uint64_t *failed; /* digests of states that lead nowhere, open addressing; 0: free */
    uint32_t states;
    uint64_t looks;
};

/* ------------------------------------------------------------------ one party */

static bool rules_let(const struct order *o, const struct party *p) {
    const struct mu_spread_rules *rules = p->kind->rules;
    for (uint32_t i = 0; rules != NULL && i < rules->hard_len; i++) {
        const struct mu_spread_rule *rule = &rules->hard[i];
        if (!rule->counts)
            continue;
        const struct tally *tally = &o->tallies[p->kind->tally_of[i]];
        uint32_t domain = mu_fw_domain(rule->topology, p->member.node);
        if (tally->there[domain] + rule->counts_self > rule->spread->max_skew + mu_spread_minimum(rule, tally->min))
            return false;
    }
    return true;
}

static bool can_come(const struct order *o, const struct party *p) {
    return rules_let(o, p) && mu_company_lets(o->company, &p->member);
}

static void find_min(struct tally *tally) {
    tally->min = INT64_MAX;
    for (uint32_t d = 0; d < mu_fw_domains(tally->rule->topology); d++) {
        if (tally->rule->domain_eligible[d] && tally->there[d] < tally->min)
            tally->min = tally->there[d];
    }
}

static void count(struct order *o, struct party *p, int by) {
    for (uint32_t t = 0; t < o->tallies_len; t++) {
        struct tally *tally = &o->tallies[t];
        if (p->domains[t] == MU_NO_DOMAIN)
            continue;
        int64_t before = tally->there[p->domains[t]];
        tally->there[p->domains[t]] += by;
        if (before == tally->min || before + by < tally->min)
            find_min(tally);
    }
    mu_company_count(o->company, &p->member, by);
    p->left -= (uint32_t)by;
    o->left -= (uint32_t)by;
}

/* How far it raises some domain above the lowest one; among equals, those under constraints go first. */
static int64_t burden(const struct order *o, const struct party *p) {
    int64_t most = 0;
    for (uint32_t t = 0; t < o->tallies_len; t++) {
        if (p->domains[t] == MU_NO_DOMAIN)
            continue;
        int64_t above = o->tallies[t].there[p->domains[t]] - o->tallies[t].min;
        most = above > most ? above : most;
    }
    return most * 2 + (p->kind->rules == NULL || p->kind->rules->hard_len == 0);
}

/* ------------------------------------------------------------------ states */

static uint64_t digest(const struct order *o) {
    uint64_t digest = 14695981039346656037u;
    for (uint32_t i = 0; i < o->parties_len; i++)
        digest = mu_hash_bytes(digest, &o->parties[i].left, sizeof o->parties[i].left);
    return digest != 0 ? digest : 1;
}

/* The slot of the state, or the free one for it. The table is never more than half full. */
static uint64_t *state_slot(const struct order *o, uint64_t state) {
    uint32_t i = (uint32_t)state & (STATES_MAX * 2 - 1);
    while (o->failed[i] != 0 && o->failed[i] != state)
        i = (i + 1) & (STATES_MAX * 2 - 1);
    return &o->failed[i];
}

/* ------------------------------------------------------------------ the order */

/* A member that came: of which party, and how it stood among those that could have. */
struct step {
    uint32_t party;
    int64_t burden;
    bool alone; /* it changed nothing for others: no other choice would have been better */
};

#define NOBODY UINT32_MAX

static bool changes_nothing(const struct order *o, const struct party *p) {
    return !p->counts && !mu_company_has_first(o->company, &p->member);
}

/* The best party after the one tried before, by burden and number, that can come now; false where there is none. */
static bool next_step(struct order *o, const struct step *before, struct step *ret) {
    bool found = false;
    for (uint32_t i = 0; i < o->parties_len; i++) {
        struct party *p = &o->parties[i];
        if (p->left == 0)
            continue;
        struct step step = {.party = i, .alone = changes_nothing(o, p)};
        step.burden = step.alone ? -1 : burden(o, p);
        bool later = before->party == NOBODY || step.burden > before->burden ||
                     (step.burden == before->burden && i > before->party);
        bool better = !found || step.burden < ret->burden;
        if (!later || !better || !can_come(o, p))
            continue;
        *ret = step;
        found = true;
    }
    o->looks += o->parties_len;
    return found;
}

/* The state is a dead end. False where no more can be remembered. */
static bool remember(struct order *o) {
    uint64_t state = digest(o);
    uint64_t *slot = state_slot(o, state);
    o->states += *slot == 0;
    *slot = state;
    return o->states < STATES_MAX;
}

static bool exists(struct order *o, struct step *steps) {
    uint32_t len = 0;
    struct step before = {.party = NOBODY}; /* whom the last try from here began with */
    while (o->left > 0 && o->looks < LOOKS_MAX) {
        bool dead = before.party == NOBODY ? o->states > 0 && *state_slot(o, digest(o)) != 0 : before.alone;
        if (!dead && next_step(o, &before, &steps[len])) {
            count(o, &o->parties[steps[len++].party], 1);
            before = (struct step){.party = NOBODY};
            continue;
        }
        if (!remember(o))
            return true;
        if (len == 0)
            return false;
        before = steps[--len];
        count(o, &o->parties[before.party], -1);
    }
    return true;
}

/* ------------------------------------------------------------------ the start */

static bool same_tally(const struct mu_fw *fw, const struct mu_spread_rule *a, const struct mu_spread_rule *b) {
    return a->counter == b->counter && mu_spread_same_nodes(fw, a, b);
}

/* The tally of the rule, made where it is new: everybody who is there but the members placed now. */
static uint32_t tally_of(struct mu_fw *fw, struct order *o, const struct mu_spread_rule *rule) {
    for (uint32_t t = 0; t < o->tallies_len; t++) {
        if (same_tally(fw, o->tallies[t].rule, rule))
            return t;
    }
    const struct mu_spread_counts *now = mu_spread_now(fw, rule);
    uint32_t domains = mu_fw_domains(rule->topology);
    struct tally *tally = &o->tallies[o->tallies_len];
    tally->rule = rule;
    tally->there = mu_fw_scratch(fw, domains * sizeof *tally->there);
    for (uint32_t d = 0; d < domains; d++)
        tally->there[d] = now->there[d] - now->members[d];
    find_min(tally);
    return o->tallies_len++;
}

static void find_kinds(struct mu_fw *fw, struct order *o, const struct mu_placed *placed, uint32_t placed_len) {
    uint32_t classes_len = 0, rules = 0;
    const struct mu_class *const *classes = mu_fw_classes(fw, &classes_len);
    o->kinds = mu_fw_scratch(fw, classes_len * sizeof *o->kinds);
    for (uint32_t c = 0; c < classes_len; c++)
        rules += classes[c]->spec->spread_len;
    o->tallies = mu_fw_scratch(fw, rules * sizeof *o->tallies);
    for (uint32_t i = 0; i < placed_len; i++) {
        struct kind *kind = &o->kinds[placed[i].cls->index];
        if (kind->known)
            continue;
        kind->known = true;
        kind->rules = mu_fw_prepared(fw, &mu_plugin_pod_topology_spread, placed[i].cls);
        if (kind->rules == NULL)
            continue;
        kind->tally_of = mu_fw_scratch(fw, kind->rules->hard_len * sizeof *kind->tally_of);
        for (uint32_t k = 0; k < kind->rules->hard_len; k++) {
            if (kind->rules->hard[k].counts)
                kind->tally_of[k] = tally_of(fw, o, &kind->rules->hard[k]);
        }
    }
}

static struct party *party_of(struct order *o, const struct mu_placed *member) {
    for (uint32_t i = 0; i < o->parties_len; i++) {
        if (o->parties[i].member.cls == member->cls && o->parties[i].member.node == member->node)
            return &o->parties[i];
    }
    struct party *party = &o->parties[o->parties_len++];
    *party = (struct party){.member = *member, .kind = &o->kinds[member->cls->index]};
    return party;
}

static void find_domains(struct mu_fw *fw, struct order *o, struct party *p) {
    p->domains = mu_fw_scratch(fw, o->tallies_len * sizeof *p->domains);
    for (uint32_t t = 0; t < o->tallies_len; t++) {
        const struct mu_spread_rule *rule = o->tallies[t].rule;
        uint32_t domain = mu_fw_domain(rule->topology, p->member.node);
        bool counts = domain != MU_NO_DOMAIN && mu_spread_is_eligible(rule, p->member.node) &&
                      mu_fw_query_matches(fw, &rule->query, p->member.pod);
        p->domains[t] = counts ? domain : MU_NO_DOMAIN;
        p->counts = p->counts || counts;
    }
}

bool mu_spread_order_exists(struct mu_fw *fw, const struct mu_placed *placed, uint32_t placed_len) {
    struct order o = {.company = mu_company_make(fw, placed, placed_len), .left = placed_len};
    find_kinds(fw, &o, placed, placed_len);
    if (o.tallies_len == 0 || (o.tallies_len == 1 && o.company == NULL))
        return true; /* each constraint holds in the end, and so there is an order */
    o.parties = mu_fw_scratch(fw, placed_len * sizeof *o.parties);
    for (uint32_t i = 0; i < placed_len; i++)
        party_of(&o, &placed[i])->left++;
    for (uint32_t i = 0; i < o.parties_len; i++)
        find_domains(fw, &o, &o.parties[i]);
    o.failed = mu_fw_scratch(fw, (size_t)STATES_MAX * 2 * sizeof *o.failed);
    return exists(&o, mu_fw_scratch(fw, placed_len * sizeof(struct step)));
}
