/* InterPodAffinity's `permit`: an order in which the placed members could have come one by one.
 *
 * More friends only help a member to find company, and only keep it from being the first of its kind; and for each set
 * of terms there is but one first. So: let come whoever can without being the first friend of some set of terms; when
 * nobody is left of these, try each one who would be the first, and go on from there. Depth is bounded by the number of
 * sets of terms, which is one in nearly all gangs that have any.
 *
 * Members without required affinity come at any time. Anti-affinity knows no order; the filter has seen to it. */
#include "plugins/company.h"
#include "plugins/inter_pod_affinity.h"

/* Looks at a member, in all. Only a gang with several sets of terms that is placed badly throughout comes near it. */
#define STEPS_MAX ((int64_t)1 << 24)

struct order {
    const struct mu_placed *placed;
    uint32_t placed_len;
    struct mu_company *company;
    bool *done;      /* by member */
    uint32_t *stack; /* members that have come, in order */
    uint32_t stack_len;
    uint32_t *tried; /* members that were tried as the first friend; those of each depth behind those before */
    uint32_t tried_len;
    int64_t steps;
};

static void come(struct order *o, uint32_t member) {
    mu_company_count(o->company, &o->placed[member], 1);
    o->done[member] = true;
    o->stack[o->stack_len++] = member;
}

static void go_back(struct order *o, uint32_t stack_len) {
    while (o->stack_len > stack_len) {
        uint32_t member = o->stack[--o->stack_len];
        o->done[member] = false;
        mu_company_count(o->company, &o->placed[member], -1);
    }
}

/* Lets come whoever can without being first; true where nobody is left. */
static bool let_come(struct order *o) {
    for (bool more = true; more && o->stack_len < o->placed_len;) {
        more = false;
        for (uint32_t i = 0; i < o->placed_len && o->steps > 0; i++) {
            o->steps--;
            if (o->done[i] || mu_company_has_first(o->company, &o->placed[i]) ||
                !mu_company_lets(o->company, &o->placed[i]))
                continue;
            come(o, i);
            more = true;
        }
    }
    return o->stack_len == o->placed_len;
}

static bool tried_before(const struct order *o, uint32_t from, uint32_t member) {
    for (uint32_t i = from; i < o->tried_len; i++) {
        if (mu_company_takes_for_same(o->company, &o->placed[o->tried[i]], &o->placed[member]))
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
        if (o->done[i] || !mu_company_lets(o->company, &o->placed[i]) || tried_before(o, tried_len, i))
            continue;
        o->tried[o->tried_len++] = i;
        come(o, i);
        found = exists(o);
        go_back(o, stack_len);
    }
    o->tried_len = tried_len;
    return found;
}

struct mu_verdict mu_inter_pod_permit(struct mu_fw *fw, void *state, const struct mu_placed *placed,
                                      uint32_t placed_len) {
    struct order o = {.placed = placed, .placed_len = placed_len, .steps = STEPS_MAX};
    uint32_t classes_len = 0;
    mu_fw_classes(fw, &classes_len);
    o.company = mu_company_make(fw, placed, placed_len);
    if (o.company == NULL)
        return (struct mu_verdict){.phrase = 0};
    o.done = mu_fw_scratch(fw, placed_len * sizeof *o.done);
    o.stack = mu_fw_scratch(fw, placed_len * sizeof *o.stack);
    o.tried = mu_fw_scratch(fw, ((size_t)classes_len + 1) * placed_len * sizeof *o.tried);
    return (struct mu_verdict){.phrase = exists(&o) ? 0 : MU_INTER_POD_AFFINITY};
}
