/* Solving a try: cheap proofs of no, then the best placement at hand, then the exact ways.
 *
 * One class without relations between pods is done by counting: filling the best node first places as many pods as any
 * other way, so that running out of nodes is a proof. Several classes are first filled in greedily, scarcest first; only
 * where that fails the exact solver or the search is asked. */
#include "scheduler/core/devices.h"
#include "scheduler/core/try.h"
#include <stdlib.h>

struct hard {
    uint32_t cls;
    int64_t spare; /* room beyond its pods */
};

static int hard_cmp(const void *a, const void *b) {
    const struct hard *x = a, *y = b;
    if (x->spare != y->spare)
        return x->spare < y->spare ? -1 : 1;
    return x->cls < y->cls ? -1 : x->cls > y->cls;
}

/* The open classes, scarcest first. */
static struct hard *order(struct mu_try *t, uint32_t *ret_len) {
    struct hard *list = MU_NEW_ARRAY(t->arena, struct hard, t->classes_len);
    uint32_t len = 0;
    for (uint32_t c = 0; c < t->classes_len; c++)
        if (t->parts[t->classes[c].part].open && mu_try_left(t, c))
            list[len++] = (struct hard){c, mu_try_total(t, c, INT64_MAX) - mu_try_left(t, c)};
    if (len)
        qsort(list, len, sizeof *list, hard_cmp);
    *ret_len = len;
    return list;
}

/* Places up to `count` pods of a class, the best node for each; returns how many. */
static int64_t fill(struct mu_try *t, uint32_t cls, int64_t count) {
    int64_t done = 0;
    for (; done < count; done++) {
        mu_prepared_refresh(t->s, t->classes[cls].prepared);
        uint32_t node = mu_try_pick(t, cls);
        if (node == MU_NO_SLOT || !mu_try_step(t))
            break;
        mu_try_place(t, cls, node);
    }
    return done;
}

/* What the part's role that this class plays still asks for by name. */
static int64_t role_need(const struct mu_try *t, uint32_t cls) {
    uint32_t role = t->classes[cls].role;
    int64_t need = role == MU_NO_ROLE ? 0 : t->parts[t->classes[cls].part].role_need[role];
    return mu_min(need > 0 ? need : 0, mu_try_left(t, cls));
}

/* One pass in the given order: first what roles ask for by name, then the rest of the need. */
static void pass(struct mu_try *t, const struct hard *list, uint32_t len, bool easiest_first) {
    for (uint32_t i = 0; i < len; i++)
        fill(t, list[i].cls, role_need(t, list[i].cls));
    for (uint32_t i = 0; i < len; i++) {
        uint32_t cls = list[easiest_first ? len - 1 - i : i].cls;
        fill(t, cls, mu_try_wanted(t, cls));
    }
}

void mu_fill(struct mu_try *t) {
    uint32_t len;
    struct hard *list = order(t, &len);
    pass(t, list, len, false);
}

static bool greedy(struct mu_try *t, const struct hard *list, uint32_t len, bool easiest_first) {
    size_t before = t->placed.len;
    pass(t, list, len, easiest_first);
    if (mu_try_done(t) && mu_try_permitted(t))
        return true;
    mu_try_unplace(t, before);
    mu_try_refresh(t);
    return false;
}

/* ------------------------------------------------------------------ a proof of no by sums */

struct demand {
    int64_t amount; /* that one pod asks for */
    uint32_t pods;
};

static int demand_cmp(const void *a, const void *b) {
    const struct demand *x = a, *y = b;
    return x->amount < y->amount ? -1 : x->amount > y->amount;
}

static int64_t asked_of(const struct mu_needs *needs, uint32_t resource) {
    for (uint32_t i = 0; i < needs->len; i++)
        if (needs->items[i].resource == resource)
            return needs->items[i].amount;
    return 0;
}

/* The least of the resource that the open parts can come off with: as many pods as they need, those that ask least. */
static mu_i128 least_demand(struct mu_try *t, uint32_t resource, struct demand *list) {
    mu_i128 sum = 0;
    for (uint32_t p = 0; p < t->parts_len; p++) {
        const struct mu_try_part *part = &t->parts[p];
        int64_t need = part->open ? part->need : 0;
        uint32_t len = 0;
        for (uint32_t c = part->first_class; c < part->first_class + part->classes_len; c++)
            list[len++] = (struct demand){asked_of(t->classes[c].prepared->needs, resource), mu_try_left(t, c)};
        if (len)
            qsort(list, len, sizeof *list, demand_cmp);
        for (uint32_t i = 0; i < len && need > 0; need -= list[i++].pods)
            sum += (mu_i128)list[i].amount * mu_min(list[i].pods, need);
    }
    return sum;
}

/* What is free of the resource on nodes that take any pod of the open classes. */
static mu_i128 supply(struct mu_try *t, uint32_t resource, const struct mu_bitset *useful) {
    const int64_t *free = t->s->resources.items[resource]->free;
    mu_i128 sum = 0;
    for (size_t n = mu_bitset_next(useful, 0); n < useful->len; n = mu_bitset_next(useful, n + 1))
        sum += free[n] > 0 ? free[n] : 0;
    return sum;
}

static struct mu_bitset useful_nodes(struct mu_try *t, const struct hard *list, uint32_t len) {
    struct mu_bitset useful = mu_bitset_make(t->arena, t->s->nodes_len);
    for (uint32_t i = 0; i < len; i++)
        for (uint32_t n = 0; n < t->s->nodes_len; n++)
            if (t->classes[list[i].cls].prepared->room[n] && mu_try_allows(t, list[i].cls, n))
                mu_bitset_add(&useful, n);
    return useful;
}

/* What devices of a class serve is not counted as the node's. */
static bool by_claims(const struct mu_snapshot *s, uint32_t resource) {
    return s->devices && mu_devices_class_of(s->devices, s->resources.items[resource]->name);
}

/* Do the needs ask for more of some resource than there is, even if nothing of it went to waste? */
static bool sums_forbid(struct mu_try *t, const struct hard *list, uint32_t len) {
    if (!(t->rules & MU_RULES_OF(MU_STAGE_RESOURCE)))
        return false;
    struct mu_arena_mark mark = mu_arena_mark(t->arena);
    struct mu_bitset useful = useful_nodes(t, list, len);
    struct demand *demands = MU_NEW_ARRAY(t->arena, struct demand, t->classes_len);
    bool *asked = MU_NEW_ARRAY(t->arena, bool, t->s->resources.len), forbid = false;
    for (uint32_t i = 0; i < len; i++) {
        const struct mu_needs *needs = t->classes[list[i].cls].prepared->needs;
        for (uint32_t k = 0; k < needs->len; k++)
            asked[needs->items[k].resource] = true;
    }
    for (uint32_t r = 0; r < t->s->resources.len && !forbid; r++)
        forbid = asked[r] && !by_claims(t->s, r) && least_demand(t, r, demands) > supply(t, r, &useful);
    mu_arena_rollback(t->arena, mark);
    return forbid;
}

/* ------------------------------------------------------------------ the whole */

static bool any_related(const struct mu_try *t) {
    for (uint32_t c = 0; c < t->classes_len; c++)
        if (t->parts[t->classes[c].part].open && t->classes[c].prepared->related)
            return true;
    return false;
}

/* Does some open part have more pods than it needs? */
static bool any_spare(const struct mu_try *t) {
    for (uint32_t p = 0; p < t->parts_len; p++) {
        int64_t left = 0;
        for (uint32_t c = t->parts[p].first_class; c < t->parts[p].first_class + t->parts[p].classes_len; c++)
            left += mu_try_left(t, c);
        if (t->parts[p].open && left > t->parts[p].need)
            return true;
    }
    return false;
}

enum mu_found mu_solve(struct mu_try *t) {
    mu_try_refresh(t);
    mu_try_expect(t);
    if (mu_try_done(t))
        return mu_try_permitted(t) ? MU_FOUND : MU_NOT_FOUND;
    if (mu_try_hopeless(t))
        return MU_NOT_FOUND;
    uint32_t len;
    struct hard *list = order(t, &len);
    bool related = any_related(t);
    if (t->proving && len == 1 && !related)
        return MU_FOUND; /* enough room is all that counts, and there is */
    if (len > 1 && sums_forbid(t, list, len))
        return MU_NOT_FOUND;
    if (greedy(t, list, len, false))
        return MU_FOUND;
    if (t->steps <= 0)
        return MU_OUT_OF_STEPS;
    if (len == 1 && !related)
        return MU_NOT_FOUND;
    if (len > 1 && greedy(t, list, len, true))
        return MU_FOUND;
    if (t->steps <= 0)
        return MU_OUT_OF_STEPS;
    if (!related) {
        enum mu_found found = mu_solve_exact(t);
        if (found != MU_OUT_OF_STEPS)
            return found;
    }
    enum mu_found found = mu_solve_search(t);
    if (found != MU_NOT_FOUND || !related || !any_spare(t))
        return found;
    /* A member that is not needed may be what a needed one wants to be near. */
    t->generous = true;
    mu_try_expect(t);
    found = mu_solve_search(t);
    t->generous = false;
    return found;
}
