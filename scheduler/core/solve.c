/* Solving a try: cheap proofs of no, then the best placement at hand, then the exact ways.
 *
 * One class without relations between pods is done by counting: filling the best node first places as many pods as any
 * other way, so that running out of nodes is a proof. Several classes are first filled in greedily, scarcest first; only
 * where that fails the exact solver or the search is asked. */
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
