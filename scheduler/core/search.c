/* Depth-first search over placements, for classes whose pods depend on one another (affinity, spreading, shared
 * volumes), and wherever the exact solver gives up.
 *
 * Classes are placed one after the other, scarcest first, each pod of a class on a node no earlier in the class's order
 * than the pod before it (pods of a class are alike, so every set of nodes is tried once), or the class is left where
 * the others can meet the need. Rules let pass what members yet to come could make right; `permit` judges the whole at
 * the end. Nodes that no rule could tell apart are tried once. The stack is explicit, so that the search can stop after
 * any step. */
#include "scheduler/core/try.h"
#include <stdlib.h>

struct frame {
    uint32_t at;                /* index of the class in the order */
    uint32_t next;              /* candidate to try next; candidates_len: close the class; beyond: exhausted */
    const uint32_t *candidates; /* nodes, best first; made when the class is begun */
    uint32_t candidates_len;
    size_t placed;           /* before this frame's own choice */
    MU_VEC(uint64_t) failed; /* signatures of nodes whose subtrees hold nothing */
    uint64_t trying;         /* signature of the node that is being tried */
    bool tries;
    bool visited;
    struct mu_arena_mark mark; /* of the memory before this frame */
};

struct search {
    struct mu_try *t;
    uint32_t *classes;
    uint32_t len;
    MU_VEC(uint32_t) resources;
    bool symmetric;      /* signatures tell all that rules see of a node */
    bool slots_alike;    /* with one class, and no rule about single nodes: room is room, wherever in a domain it is */
    struct frame *stack; /* as deep as there are pods and classes */
    size_t depth;
};

/* ------------------------------------------------------------------ nodes that are alike */

static uint64_t mix(uint64_t hash, uint64_t value) {
    return mu_hash_bytes(hash, &value, sizeof value);
}

/* Which domains the node is in, of labels whose domains have several nodes. */
static uint64_t mix_domains(const struct search *x, uint64_t hash, uint32_t node) {
    const struct mu_derived *d = x->t->s->derived;
    for (size_t i = 0; i < d->topologies.len; i++) {
        const struct mu_topology *topology = d->topologies.items[i];
        uint32_t domain = topology->domain[node];
        hash = mix(hash, topology->domains_are_nodes && domain != MU_NO_DOMAIN ? UINT32_MAX - 1 : domain);
    }
    return hash;
}

/* What the node has and holds, as far as any rule of these classes sees it. How good it is does not matter here. */
static uint64_t mix_state(const struct search *x, uint64_t hash, uint32_t node) {
    const struct mu_snapshot *s = x->t->s;
    for (size_t i = 0; i < x->resources.len; i++)
        hash = mix(hash, (uint64_t)s->resources.items[x->resources.items[i]]->free[node]);
    for (uint32_t i = 0; i < x->len; i++)
        hash = mix(hash, (uint64_t)x->t->classes[x->classes[i]].prepared->room[node]);
    for (size_t i = 0; i < s->derived->counters.len; i++)
        hash = mix(hash, (uint64_t)s->derived->counters.items[i]->on_node[node]);
    for (size_t i = 0; i < s->derived->carried.len; i++)
        hash = mix(hash, (uint64_t)mu_fw_count_on(s->derived->carried.items[i]->carriers, node));
    /* A member of the group is not the running pod that it looks like: their orders count, not those who are there. */
    for (size_t i = 0; i < x->t->placed.len; i++)
        if (x->t->placed.items[i].node == node)
            hash = mix(hash, x->t->placed_class[i]);
    return hash;
}

static uint64_t signature(const struct search *x, uint32_t node) {
    uint64_t hash = 0;
    if (!x->symmetric)
        return node;
    for (uint32_t i = 0; i < x->len; i++)
        hash = mix(hash, mu_try_allows(x->t, x->classes[i], node));
    return mix_domains(x, x->slots_alike ? hash : mix_state(x, hash, node), node);
}

static bool known_to_fail(const struct frame *f, uint64_t sign) {
    for (size_t i = 0; i < f->failed.len; i++)
        if (f->failed.items[i] == sign)
            return true;
    return false;
}

/* ------------------------------------------------------------------ candidates */

/* Work that grows with the cluster or the group is paid for in steps, so that a budget means about the same time
 * whatever their size. */
static void pay(const struct search *x, int64_t steps) {
    x->t->steps -= steps;
    x->t->steps_taken += steps;
}

static void pay_for_nodes(const struct search *x) {
    pay(x, x->t->s->derived->nodes_len / 32);
}

struct candidate {
    int64_t score;
    uint32_t node, rank;
};

static int candidate_cmp(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void list_candidates(struct search *x, struct frame *f) {
    struct mu_try *t = x->t;
    uint32_t cls = x->classes[f->at];
    struct mu_prepared *p = t->classes[cls].prepared;
    const struct mu_derived *d = t->s->derived;
    struct candidate *list = MU_NEW_ARRAY(t->arena, struct candidate, d->nodes_len);
    uint32_t len = 0;
    pay_for_nodes(x);
    for (uint32_t i = 0; i < d->nodes_len; i++) {
        uint32_t node = d->by_rank[i];
        if (p->room[node] && mu_try_allows(t, cls, node) && mu_prepared_room(t->s, p, node) > 0)
            list[len++] = (struct candidate){mu_prepared_score(t->s, p, node), node, i};
    }
    if (len)
        qsort(list, len, sizeof *list, candidate_cmp);
    uint32_t *nodes = MU_NEW_ARRAY(t->arena, uint32_t, len);
    for (uint32_t i = 0; i < len; i++)
        nodes[i] = list[i].node;
    f->candidates = nodes;
    f->candidates_len = len;
}

/* ------------------------------------------------------------------ bounds */

/* Room for the class as things stand, every rule asked; stops at `enough`. Where pods of the class keep apart, a domain
 * counts once, however many of its nodes would take one. */
static int64_t room_left(const struct search *x, uint32_t cls, int64_t enough) {
    struct mu_try *t = x->t;
    struct mu_prepared *p = t->classes[cls].prepared;
    if (!p->related)
        return mu_try_total(t, cls, enough);
    struct mu_arena_mark mark = mu_arena_mark(t->arena);
    bool *counted = p->apart ? MU_NEW_ARRAY(t->arena, bool, p->apart->domains) : NULL;
    int64_t total = 0;
    pay_for_nodes(x);
    for (uint32_t i = 0; i < t->s->derived->nodes_len && total < enough; i++) {
        uint32_t node = t->s->derived->by_rank[i];
        uint32_t domain = counted ? p->apart->domain[node] : MU_NO_DOMAIN;
        if (!p->room[node] || !mu_try_allows(t, cls, node) || (domain != MU_NO_DOMAIN && counted[domain]))
            continue;
        int64_t room = mu_prepared_room(t->s, p, node);
        if (domain == MU_NO_DOMAIN || room == 0) {
            total += room;
            continue;
        }
        counted[domain] = true;
        total++;
    }
    mu_arena_rollback(t->arena, mark);
    return total;
}

/* Can the classes from `at` on still meet the need of every part, each class by itself? */
static bool may_be_met(const struct search *x, uint32_t at) {
    struct mu_try *t = x->t;
    for (uint32_t p = 0; p < t->parts_len; p++) {
        const struct mu_try_part *part = &t->parts[p];
        if (!part->open || mu_try_part_met(part))
            continue;
        int64_t can = 0;
        for (uint32_t i = at; i < x->len && can < part->need; i++)
            if (t->classes[x->classes[i]].part == p)
                can +=
                    mu_min(mu_try_left(t, x->classes[i]), room_left(x, x->classes[i], mu_try_left(t, x->classes[i])));
        if (can < part->need)
            return false;
        for (uint32_t r = 0; r < part->part->roles_len; r++) {
            int64_t of_role = 0;
            for (uint32_t i = at; i < x->len && of_role < part->role_need[r]; i++)
                if (t->classes[x->classes[i]].part == p && t->classes[x->classes[i]].role == r)
                    of_role += mu_min(mu_try_left(t, x->classes[i]),
                                      room_left(x, x->classes[i], mu_try_left(t, x->classes[i])));
            if (of_role < part->role_need[r])
                return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ the search */

static struct frame *push(struct search *x) {
    struct frame *f = &x->stack[x->depth++];
    *f = (struct frame){.placed = x->t->placed.len, .mark = mu_arena_mark(x->t->arena)};
    return f;
}

static void pop(struct search *x) {
    mu_arena_rollback(x->t->arena, x->stack[--x->depth].mark);
}

static void push_class(struct search *x, uint32_t at) {
    struct frame *f = push(x);
    f->at = at;
    if (at < x->len)
        list_candidates(x, f);
}

/* One more pod of the same class, on the same node or a later one. */
static void push_same(struct search *x, size_t parent) {
    struct frame *f = push(x);
    const struct frame *from = &x->stack[parent];
    f->at = from->at;
    f->candidates = from->candidates;
    f->candidates_len = from->candidates_len;
    f->next = from->next - 1;
}

/* Tries the frame's next choice. False where it has none left. */
static bool advance(struct search *x, size_t index) {
    struct mu_try *t = x->t;
    struct frame *f = &x->stack[index];
    if (f->tries) {
        MU_VEC_PUSH(t->arena, &f->failed, f->trying);
        f->tries = false;
    }
    mu_try_unplace(t, f->placed);
    if (f->at >= x->len)
        return false;
    uint32_t cls = x->classes[f->at];
    mu_try_refresh(t);
    bool wanted = mu_try_wanted(t, cls) > 0;
    while (wanted && f->next < f->candidates_len) {
        uint32_t node = f->candidates[f->next++];
        if (mu_prepared_room(t->s, t->classes[cls].prepared, node) <= 0)
            continue;
        uint64_t sign = signature(x, node);
        if (known_to_fail(f, sign))
            continue;
        f->trying = sign;
        f->tries = true;
        pay(x, x->len / 4);
        mu_try_place(t, cls, node);
        mu_try_refresh(t);
        push_same(x, index);
        return true;
    }
    if (f->next > f->candidates_len)
        return false;
    f->next = f->candidates_len + 1;
    if (!may_be_met(x, f->at + 1))
        return false;
    push_class(x, f->at + 1);
    return true;
}

/* Is the frame, just come to, the end of its branch? *ret_found: because everything is placed. */
static bool ends(struct search *x, const struct frame *f, bool *ret_found) {
    if (mu_try_done(x->t)) {
        *ret_found = mu_try_permitted(x->t);
        return *ret_found || !x->t->generous;
    }
    return !may_be_met(x, f->at);
}

static enum mu_found run(struct search *x) {
    struct mu_try *t = x->t;
    push_class(x, 0);
    while (x->depth) {
        if (!mu_try_step(t))
            return MU_OUT_OF_STEPS;
        struct frame *f = &x->stack[x->depth - 1];
        bool fresh = !f->visited, found = false;
        f->visited = true;
        if ((fresh && ends(x, f, &found)) || !advance(x, x->depth - 1)) {
            if (found)
                return MU_FOUND;
            pop(x);
        }
    }
    return MU_NOT_FOUND;
}

/* Does a placement of the class change what some rule sees of that one node, beside its room? */
static bool node_matters(const struct search *x, uint32_t cls) {
    const struct mu_snapshot *s = x->t->s;
    const struct mu_try_class *c = &x->t->classes[cls];
    for (size_t i = 0; i < s->derived->counters.len; i++) {
        const struct mu_counter *counter = s->derived->counters.items[i];
        if (counter->topology->domains_are_nodes && mu_query_matches(s, &counter->query, c->cls.pods[0]))
            return true;
    }
    const struct mu_snap_pod *pod = &s->pods[c->slots[0]];
    for (uint32_t i = 0; i < pod->carried_len; i++)
        if (s->derived->carried.items[pod->carried[i]]->topology->domains_are_nodes)
            return true;
    return false;
}

struct scarce {
    uint32_t cls;
    int64_t spare;
};

static int scarce_cmp(const void *a, const void *b) {
    const struct scarce *x = a, *y = b;
    if (x->spare != y->spare)
        return x->spare < y->spare ? -1 : 1;
    return x->cls < y->cls ? -1 : x->cls > y->cls;
}

static void begin(struct search *x) {
    struct mu_try *t = x->t;
    struct scarce *list = MU_NEW_ARRAY(t->arena, struct scarce, t->classes_len);
    x->classes = MU_NEW_ARRAY(t->arena, uint32_t, t->classes_len);
    x->symmetric = true;
    size_t pods = 0;
    for (uint32_t c = 0; c < t->classes_len; c++) {
        if (!t->parts[t->classes[c].part].open || !mu_try_left(t, c))
            continue;
        pods += mu_try_left(t, c);
        list[x->len++] = (struct scarce){c, room_left(x, c, INT64_MAX) - mu_try_left(t, c)};
        x->symmetric &= t->classes[c].prepared->free_only && !t->classes[c].prepared->reserves;
        const struct mu_needs *needs = mu_snapshot_needs(t->s, t->classes[c].cls.spec);
        for (uint32_t i = 0; i < needs->len && (t->rules & MU_RULES_OF(MU_STAGE_RESOURCE)); i++)
            MU_VEC_PUSH(t->arena, &x->resources, needs->items[i].resource);
    }
    if (x->len)
        qsort(list, x->len, sizeof *list, scarce_cmp);
    for (uint32_t i = 0; i < x->len; i++)
        x->classes[i] = list[i].cls;
    x->slots_alike = x->symmetric && x->len == 1 && !node_matters(x, x->classes[0]);
    x->stack = MU_NEW_ARRAY(t->arena, struct frame, pods + x->len + 2);
}

enum mu_found mu_solve_search(struct mu_try *t) {
    struct mu_arena_mark mark = mu_arena_mark(t->arena);
    size_t before = t->placed.len;
    struct search x = {.t = t};
    mu_try_refresh(t);
    begin(&x);
    enum mu_found found = run(&x);
    if (found != MU_FOUND)
        mu_try_unplace(t, before);
    /* What the frames hold goes with the rest; the placement itself is in the try's own arrays. */
    mu_arena_rollback(t->arena, mark);
    mu_try_refresh(t);
    return found;
}
