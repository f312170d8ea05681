/* Placement of a whole group; see placement.h.
 *
 * Units are settled from the root down: for a composite which children, for every unit with topology keys which domain,
 * for a leaf that its part is open within the nodes left to it. When all are settled, the solvers place all open parts
 * at once. What fails is unsettled again, and the next alternative tried: all of them, so that a group is refused only
 * when no choice of children and domains holds it. */
#include "scheduler/core/placement.h"
#include "scheduler/core/domains.h"
#include "scheduler/core/quota.h"

struct walk {
    struct mu_try *t;
    bool topology;
    mu_sym wish; /* one more key for the root; 0: none */
};

/* A unit that is still to be settled. The list is a stack in the callers' frames. */
struct todo {
    const struct mu_unit *unit;
    const struct mu_bitset *mask; /* nodes left to it; NULL: all */
    uint32_t part;                /* number of its first part */
    struct todo *rest;
};

static enum mu_found settle(struct walk *w, struct todo *todo);

static uint32_t parts_below(const struct mu_unit *unit) {
    uint32_t parts = unit->part != NULL;
    for (uint32_t i = 0; i < unit->children_len; i++)
        parts += parts_below(unit->children[i]);
    return parts;
}

/* Is this unit there already, as far as its minimum goes? */
static bool is_there(const struct mu_try *t, const struct mu_unit *unit, uint32_t part) {
    if (unit->part)
        return mu_try_part_met(&t->parts[part]) && unit->part->counted > 0;
    int64_t there = 0;
    for (uint32_t i = 0; i < unit->children_len; part += parts_below(unit->children[i++]))
        there += is_there(t, unit->children[i], part);
    return there >= unit->minimum && there > 0;
}

static bool has_started(const struct mu_unit *unit) {
    if (unit->part)
        return unit->part->counted > 0;
    for (uint32_t i = 0; i < unit->children_len; i++)
        if (has_started(unit->children[i]))
            return true;
    return false;
}

static void set_mask(struct mu_try *t, uint32_t part, const struct mu_bitset *mask) {
    const struct mu_try_part *p = &t->parts[part];
    for (uint32_t c = p->first_class; c < p->first_class + p->classes_len; c++)
        t->classes[c].mask = mask;
}

static enum mu_found settle_leaf(struct walk *w, uint32_t part, const struct mu_bitset *mask, struct todo *rest) {
    struct mu_try_part *p = &w->t->parts[part];
    set_mask(w->t, part, mask);
    p->open = true;
    enum mu_found found = mu_try_hopeless_part(w->t, part) ? MU_NOT_FOUND : settle(w, rest);
    if (found != MU_FOUND) {
        p->open = false;
        set_mask(w->t, part, NULL);
    }
    return found;
}

/* Chooses `more` of the children from `at` on that are not there yet; started ones come first. */
static enum mu_found settle_children(struct walk *w, const struct mu_unit *unit, const uint32_t *order, uint32_t len,
                                     const uint32_t *first_parts, const struct mu_bitset *mask, uint32_t at,
                                     int64_t more, struct todo *rest) {
    if (more <= 0)
        return settle(w, rest);
    if (len - at < more)
        return MU_NOT_FOUND;
    for (; at < len && len - at >= more; at++) {
        struct todo next = {unit->children[order[at]], mask, first_parts[order[at]], rest};
        enum mu_found found = settle_children(w, unit, order, len, first_parts, mask, at + 1, more - 1, &next);
        if (found != MU_NOT_FOUND)
            return found;
        if (!mu_try_step(w->t))
            return MU_OUT_OF_STEPS;
    }
    return MU_NOT_FOUND;
}

static bool any_related(const struct mu_try *t, uint32_t first_part, uint32_t parts_len) {
    for (uint32_t c = 0; c < t->classes_len; c++)
        if (t->classes[c].part >= first_part && t->classes[c].part < first_part + parts_len &&
            t->classes[c].prepared->related)
            return true;
    return false;
}

static enum mu_found settle_composite(struct walk *w, const struct mu_unit *unit, uint32_t first_part,
                                      const struct mu_bitset *mask, struct todo *rest) {
    uint32_t *order = MU_NEW_ARRAY(w->t->arena, uint32_t, unit->children_len), len = 0, part = first_part;
    uint32_t *first_parts = MU_NEW_ARRAY(w->t->arena, uint32_t, unit->children_len);
    int64_t there = 0;
    for (uint32_t i = 0; i < unit->children_len; i++) {
        first_parts[i] = part;
        there += is_there(w->t, unit->children[i], part);
        part += parts_below(unit->children[i]);
    }
    for (int started = 1; started >= 0; started--)
        for (uint32_t i = 0; i < unit->children_len; i++)
            if (has_started(unit->children[i]) == started && !is_there(w->t, unit->children[i], first_parts[i]))
                order[len++] = i;
    int64_t more = (unit->minimum > 0 ? unit->minimum : 1) - there; /* with nothing there, it would not be placed */
    enum mu_found found = settle_children(w, unit, order, len, first_parts, mask, 0, more, rest);
    /* A child beyond the minimum may be what another one wants to be near. */
    if (any_related(w->t, first_part, part - first_part))
        for (more = more > 0 ? more : 0; found == MU_NOT_FOUND && more < len;)
            found = settle_children(w, unit, order, len, first_parts, mask, 0, ++more, rest);
    return found;
}

static enum mu_found settle_in(struct walk *w, const struct todo *todo, const struct mu_bitset *mask) {
    if (todo->unit->part)
        return settle_leaf(w, todo->part, mask, todo->rest);
    return settle_composite(w, todo->unit, todo->part, mask, todo->rest);
}

/* Settles the first unit of the list, then the rest. Recursion is as deep as there are units in one group. */
static enum mu_found settle(struct walk *w, struct todo *todo) {
    struct mu_try *t = w->t;
    if (!todo)
        return mu_solve(t);
    const struct mu_unit *unit = todo->unit;
    mu_sym wish = unit == t->group->root ? w->wish : 0;
    if (!w->topology || (!unit->topology_len && !wish))
        return settle_in(w, todo, todo->mask);
    struct mu_arena_mark mark = mu_arena_mark(t->arena);
    struct mu_domains domains;
    mu_domains_make(&domains, t, unit, todo->part, parts_below(unit), wish, todo->mask);
    enum mu_found found = MU_NOT_FOUND;
    for (uint32_t i = 0; i < domains.len && found == MU_NOT_FOUND; i++) {
        if (!mu_try_step(t))
            found = MU_OUT_OF_STEPS;
        else
            found = settle_in(w, todo, mu_domains_mask(&domains, t, i));
    }
    if (found != MU_FOUND) /* masks in use stay where they are while the try lives */
        mu_arena_rollback(t->arena, mark);
    return found;
}

static void close_all(struct mu_try *t) {
    for (uint32_t p = 0; p < t->parts_len; p++)
        t->parts[p].open = false;
}

/* Did a rule leave something unseen, so that a no of the search proves nothing? */
static bool any_unproved(const struct mu_try *t) {
    for (uint32_t c = 0; c < t->classes_len; c++)
        if (t->classes[c].prepared->unproved)
            return true;
    return false;
}

static enum mu_found place(struct mu_try *t, bool topology, mu_sym wish) {
    struct walk w = {.t = t, .topology = topology, .wish = wish};
    struct todo root = {t->group->root, NULL, 0, NULL};
    close_all(t);
    mu_try_refresh(t);
    enum mu_found found = settle(&w, &root);
    return found == MU_NOT_FOUND && any_unproved(t) ? MU_OUT_OF_STEPS : found;
}

enum mu_found mu_place_minimum(struct mu_try *t, bool topology) {
    const struct mu_group *g = t->group;
    for (uint32_t i = 0; topology && i < g->preferred_topology_len; i++) {
        int64_t all = t->steps;
        t->steps = all / (2 * ((int64_t)g->preferred_topology_len + 1));
        int64_t given = t->steps;
        enum mu_found found = place(t, true, g->preferred_topology[i]);
        t->steps += all - given;
        if (found == MU_FOUND)
            return MU_FOUND;
    }
    return place(t, topology, 0);
}

/* ------------------------------------------------------------------ surplus */

/* One more pod of the class on the best node that every rule lets stand. */
static bool place_one(struct mu_try *t, uint32_t cls) {
    struct mu_try_class *c = &t->classes[cls];
    size_t before = t->placed.len;
    if (!mu_quota_allows(t->quota, t->group, c->cls.pods[c->placed]))
        return false;
    mu_prepared_refresh(t->s, c->prepared);
    t->s->fw.unplaced = 1;
    t->s->fw.tries++;
    t->overplaced = 0;
    uint32_t node = mu_try_pick(t, cls);
    if (node == MU_NO_SLOT || !mu_try_step(t))
        return false;
    mu_try_place(t, cls, node);
    if (!c->prepared->related || mu_try_permitted(t))
        return true;
    /* The best node will not do for reasons between pods: try each in turn. */
    for (uint32_t i = 0; i < t->s->derived->nodes_len; i++) {
        mu_try_unplace(t, before);
        mu_prepared_refresh(t->s, c->prepared);
        node = t->s->derived->by_rank[i];
        if (!mu_try_allows(t, cls, node) || mu_prepared_room(t->s, c->prepared, node) <= 0)
            continue;
        if (!mu_try_step(t))
            return false;
        mu_try_place(t, cls, node);
        if (mu_try_permitted(t))
            return true;
    }
    mu_try_unplace(t, before);
    return false;
}

/* The part's other ready pods, in the order of their names; again while that helps pods that depend on others. */
static void surplus_pods(struct mu_try *t, uint32_t part) {
    bool again = true;
    while (again) {
        again = false;
        bool *full = MU_NEW_ARRAY(t->arena, bool, t->classes_len);
        for (uint32_t from = 0, cls; (cls = mu_try_next_by_name(t, part, full, &from)) != MU_NO_SLOT;) {
            if (!place_one(t, cls)) {
                full[cls] = true;
                continue;
            }
            mu_quota_charge(t->quota, t->group, t->placed.items[t->placed.len - 1].pod);
            again |= t->classes[cls].prepared->related;
        }
    }
}

/* A child beyond the minimum: whole, where the composite's own domain lets it. */
static bool surplus_child(struct mu_try *t, const struct mu_unit *child, uint32_t part, const struct mu_bitset *mask) {
    uint32_t parts_len = parts_below(child);
    for (uint32_t p = part; p < part + parts_len; p++)
        if (t->parts[p].open)
            return true; /* chosen with the minimum */
    if (is_there(t, child, part))
        return true;
    if (mu_quota_refusal(t->quota, t->group, child, t->arena).len)
        return false;
    size_t before = t->placed.len;
    bool *open = MU_NEW_ARRAY(t->arena, bool, t->parts_len);
    for (uint32_t p = 0; p < t->parts_len; p++)
        open[p] = t->parts[p].open;
    struct walk w = {.t = t, .topology = true};
    struct todo root = {child, mask, part, NULL};
    close_all(t);
    mu_try_refresh(t);
    bool found = settle(&w, &root) == MU_FOUND;
    for (size_t i = before; i < t->placed.len; i++)
        mu_quota_charge(t->quota, t->group, t->placed.items[i].pod);
    for (uint32_t p = 0; p < t->parts_len; p++)
        t->parts[p].open |= open[p];
    return found;
}

static void surplus_unit(struct mu_try *t, const struct mu_unit *unit, uint32_t part, const struct mu_bitset *mask);

static void surplus_within(struct mu_try *t, const struct mu_unit *unit, uint32_t part, const struct mu_bitset *mask) {
    if (unit->part) {
        set_mask(t, part, mask);
        if (mu_try_part_met(&t->parts[part]))
            surplus_pods(t, part);
        return;
    }
    size_t before;
    do { /* again while a child that was placed may be what another one wants to be near */
        before = t->placed.len;
        for (uint32_t i = 0, p = part; i < unit->children_len; p += parts_below(unit->children[i++]))
            if (surplus_child(t, unit->children[i], p, mask))
                surplus_unit(t, unit->children[i], p, mask);
    } while (t->placed.len > before && any_related(t, part, parts_below(unit)));
}

/* Within the unit's domain: the one that it was settled in with the minimum, or where its running members are. A unit
 * of whose members nobody is anywhere (all that count have finished) may still choose. */
static void surplus_unit(struct mu_try *t, const struct mu_unit *unit, uint32_t part, const struct mu_bitset *mask) {
    if (!unit->topology_len) {
        surplus_within(t, unit, part, mask);
        return;
    }
    uint32_t parts_len = parts_below(unit);
    struct mu_domains domains;
    mu_domains_make(&domains, t, unit, part, parts_len, 0, mask);
    uint32_t in_use = mu_domains_in_use(&domains, t, part, parts_len);
    size_t before = t->placed.len;
    surplus_within(t, unit, part, in_use == MU_NO_SLOT ? mu_domains_none(t) : mu_domains_mask(&domains, t, in_use));
    for (uint32_t i = 0; in_use == MU_NO_SLOT && i < domains.len && t->placed.len == before; i++)
        surplus_within(t, unit, part, mu_domains_mask(&domains, t, i));
}

void mu_place_surplus(struct mu_try *t) {
    mu_try_refresh(t);
    surplus_unit(t, t->group->root, 0, NULL);
}

/* ------------------------------------------------------------------ the best that does not suffice */

/* Opens every part that is not there, each in the domain where most of its members fit. */
static void open_best(struct mu_try *t, const struct mu_unit *unit, uint32_t part, const struct mu_bitset *mask,
                      bool topology) {
    if (topology && unit->topology_len) {
        struct mu_domains domains;
        mu_domains_make(&domains, t, unit, part, parts_below(unit), 0, mask);
        mask = domains.len ? mu_domains_mask(&domains, t, 0) : mu_domains_none(t);
    }
    if (unit->part) {
        t->parts[part].open = true;
        set_mask(t, part, mask);
        return;
    }
    for (uint32_t i = 0; i < unit->children_len; part += parts_below(unit->children[i++]))
        open_best(t, unit->children[i], part, mask, topology);
}

void mu_place_partly(struct mu_try *t, bool topology) {
    close_all(t);
    mu_try_refresh(t);
    open_best(t, t->group->root, 0, NULL, topology);
    mu_try_expect(t);
    mu_fill(t);
}
