/* Exact solver for several classes without relations between pods.
 *
 * Nodes are independent of one another then, so a placement is one pattern a node: how many pods of each class it
 * takes together. Node after node, the solver keeps every vector of pods placed so far that no other one exceeds in all
 * classes (a Pareto front, cut at what is needed); a need is met somewhere in it or nowhere. The front is small for
 * the gangs that there are (a leader and workers, whole and half devices); where it grows too large the search goes on
 * instead. Nodes with equal free amounts have equal patterns, worked out once. */
#include "scheduler/core/try.h"
#include <stdlib.h>

/* Beyond this many vectors the depth-first search, which needs no memory, is the better way. */
#define FRONT_MAX 4096
/* Patterns of one node: all maximal ones, 8 classes of single pods have at most 70. */
#define PATTERNS_MAX 1024

struct patterns {
    uint32_t *counts; /* len vectors of one number a class */
    uint32_t len;
    uint64_t idle_at; /* version of the front that they could not extend */
};

struct state {
    uint32_t parent, node;
    const uint32_t *counts;
};

struct exact {
    struct mu_try *t;
    uint32_t *classes; /* the open ones with pods left */
    uint32_t len;
    uint32_t *cap;       /* pods of each class that can be of use */
    struct mu_map index; /* key of a node's patterns */
    MU_VEC(struct patterns *) patterns;
    bool shareable;             /* equal free amounts mean equal patterns */
    MU_VEC(uint32_t) resources; /* that any class asks for */
    MU_VEC(struct state) states;
    uint32_t *scratch; /* room for PATTERNS_MAX vectors */
    uint32_t *front;
    uint32_t front_len;
    uint64_t front_version;
    int64_t steps_end; /* the budget's rest below which the solver stops */
};

static bool within(const uint32_t *a, const uint32_t *b, uint32_t len) {
    for (uint32_t i = 0; i < len; i++)
        if (a[i] > b[i])
            return false;
    return true;
}

static bool step(struct exact *x, int64_t cost) {
    x->t->steps -= cost;
    x->t->steps_taken += cost;
    return x->t->steps > x->steps_end;
}

/* ------------------------------------------------------------------ patterns */

static bool pattern_add(struct exact *x, struct patterns *p, const uint32_t *counts) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->len; i++)
        if (within(counts, p->counts + (size_t)i * x->len, x->len))
            return true;
    for (uint32_t i = 0; i < p->len; i++)
        if (!within(p->counts + (size_t)i * x->len, counts, x->len))
            memmove(p->counts + (size_t)kept++ * x->len, p->counts + (size_t)i * x->len, x->len * sizeof *counts);
    if (kept == PATTERNS_MAX)
        return false;
    memcpy(p->counts + (size_t)kept * x->len, counts, x->len * sizeof *counts);
    p->len = kept + 1;
    return true;
}

/* All ways to put pods of the classes from `i` on onto the node, on top of what is there tentatively. Recursion is as
 * deep as there are classes, at most the members of a group; the caller bounds those. */
static bool enumerate(struct exact *x, struct patterns *p, uint32_t node, uint32_t *counts, uint32_t i) {
    struct mu_try *t = x->t;
    if (i == x->len)
        return step(x, 1 + p->len / 8) && pattern_add(x, p, counts);
    uint32_t cls = x->classes[i];
    size_t before = t->placed.len;
    int64_t room = mu_try_allows(t, cls, node) ? mu_prepared_ask(t->s, t->classes[cls].prepared, node) : 0;
    uint32_t most = (uint32_t)mu_min(room, x->cap[i]);
    for (uint32_t k = 0; k < most; k++)
        mu_try_place(t, cls, node);
    bool go_on = true;
    for (uint32_t k = most + 1; k-- > 0 && go_on;) {
        mu_try_unplace(t, before + k);
        counts[i] = k;
        go_on = enumerate(x, p, node, counts, i + 1);
    }
    mu_try_unplace(t, before);
    counts[i] = 0;
    return go_on;
}

static struct mu_str node_key(struct exact *x, uint32_t node) {
    struct mu_try *t = x->t;
    struct mu_buf key;
    mu_buf_init(&key, t->arena);
    for (uint32_t i = 0; i < x->len; i++) {
        int32_t room = mu_try_allows(t, x->classes[i], node) ? t->classes[x->classes[i]].prepared->room[node] : 0;
        mu_buf_add(&key, (struct mu_str){(const char *)&room, sizeof room});
    }
    for (size_t i = 0; i < x->resources.len; i++) {
        const int64_t *free = &t->s->resources.items[x->resources.items[i]]->free[node];
        mu_buf_add(&key, (struct mu_str){(const char *)free, sizeof *free});
    }
    return mu_buf_str(&key);
}

/* The node's maximal patterns; NULL where there are too many or the steps end. */
static struct patterns *patterns_of(struct exact *x, uint32_t node) {
    struct mu_str key = node_key(x, node);
    uint32_t index;
    if (x->shareable && mu_map_get(&x->index, key, &index))
        return x->patterns.items[index];
    struct patterns *p = MU_NEW(x->t->arena, struct patterns);
    uint32_t *counts = MU_NEW_ARRAY(x->t->arena, uint32_t, x->len);
    *p = (struct patterns){x->scratch, 0, UINT64_MAX};
    if (!enumerate(x, p, node, counts, 0))
        return NULL;
    p->counts = MU_NEW_ARRAY(x->t->arena, uint32_t, (size_t)p->len * x->len);
    memcpy(p->counts, x->scratch, (size_t)p->len * x->len * sizeof *p->counts);
    if (x->shareable)
        mu_map_put(&x->index, key, (uint32_t)x->patterns.len);
    MU_VEC_PUSH(x->t->arena, &x->patterns, p);
    return p;
}

/* ------------------------------------------------------------------ the front */

/* Would these pods meet every need? */
static bool meets(const struct exact *x, const uint32_t *counts) {
    const struct mu_try *t = x->t;
    for (uint32_t p = 0; p < t->parts_len; p++) {
        const struct mu_try_part *part = &t->parts[p];
        if (!part->open)
            continue;
        int64_t need = part->need;
        for (uint32_t i = 0; i < x->len; i++)
            need -= t->classes[x->classes[i]].part == p ? counts[i] : 0;
        if (need > 0)
            return false;
        for (uint32_t r = 0; r < part->part->roles_len; r++) {
            int64_t of_role = part->role_need[r];
            for (uint32_t i = 0; i < x->len; i++)
                if (t->classes[x->classes[i]].part == p && t->classes[x->classes[i]].role == r)
                    of_role -= counts[i];
            if (of_role > 0)
                return false;
        }
    }
    return true;
}

static bool dominated(const struct exact *x, const uint32_t *counts) {
    for (uint32_t i = 0; i < x->front_len; i++)
        if (within(counts, x->states.items[x->front[i]].counts, x->len))
            return true;
    return false;
}

static void front_put(struct exact *x, uint32_t parent, uint32_t node, const uint32_t *counts) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < x->front_len; i++)
        if (!within(x->states.items[x->front[i]].counts, counts, x->len))
            x->front[kept++] = x->front[i];
    uint32_t *own = MU_NEW_ARRAY(x->t->arena, uint32_t, x->len);
    memcpy(own, counts, x->len * sizeof *own);
    x->front[kept] = (uint32_t)x->states.len;
    x->front_len = kept + 1;
    x->front_version++;
    MU_VEC_PUSH(x->t->arena, &x->states, (struct state){parent, node, own});
}

/* Extends the front by one node. MU_FOUND: the newest state meets every need. */
static enum mu_found extend(struct exact *x, uint32_t node, struct patterns *p, uint32_t *sum) {
    uint32_t old_len = x->front_len;
    uint32_t *old = MU_NEW_ARRAY(x->t->arena, uint32_t, old_len);
    memcpy(old, x->front, old_len * sizeof *old);
    for (uint32_t f = 0; f < old_len; f++)
        for (uint32_t k = 0; k < p->len; k++) {
            const uint32_t *from = x->states.items[old[f]].counts, *add = p->counts + (size_t)k * x->len;
            for (uint32_t i = 0; i < x->len; i++)
                sum[i] = (uint32_t)mu_min((int64_t)from[i] + add[i], x->cap[i]);
            if (!step(x, 1 + x->front_len / 8))
                return MU_OUT_OF_STEPS;
            if (dominated(x, sum))
                continue;
            if (x->front_len == FRONT_MAX)
                return MU_OUT_OF_STEPS;
            front_put(x, old[f], node, sum);
            if (meets(x, sum))
                return MU_FOUND;
        }
    return MU_NOT_FOUND;
}

/* Places what the newest state stands for. */
static void carry_out(struct exact *x) {
    for (uint32_t at = (uint32_t)x->states.len - 1; x->states.items[at].parent != MU_NO_SLOT;
         at = x->states.items[at].parent) {
        const struct state *state = &x->states.items[at];
        const uint32_t *before = x->states.items[state->parent].counts;
        for (uint32_t i = 0; i < x->len; i++)
            for (uint32_t k = before[i]; k < state->counts[i]; k++)
                mu_try_place(x->t, x->classes[i], state->node);
    }
}

/* ------------------------------------------------------------------ the whole */

struct ordered_node {
    int64_t score;
    uint32_t node, rank;
};

static int ordered_cmp(const void *a, const void *b) {
    const struct ordered_node *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* The nodes that take any pod, best first. */
static struct ordered_node *order_nodes(struct exact *x, uint32_t *ret_len) {
    struct mu_try *t = x->t;
    struct ordered_node *list = MU_NEW_ARRAY(t->arena, struct ordered_node, t->s->live_nodes);
    uint32_t len = 0;
    for (uint32_t i = 0; i < t->s->derived->nodes_len; i++) {
        uint32_t node = t->s->derived->by_rank[i];
        int64_t score = 0;
        bool room = false;
        for (uint32_t k = 0; k < x->len; k++) {
            const struct mu_prepared *p = t->classes[x->classes[k]].prepared;
            if (!p->room[node] || !mu_try_allows(t, x->classes[k], node))
                continue;
            room = true;
            score += p->score[node];
        }
        if (room)
            list[len++] = (struct ordered_node){score, node, i};
    }
    if (len)
        qsort(list, len, sizeof *list, ordered_cmp);
    *ret_len = len;
    return list;
}

static void begin(struct exact *x) {
    struct mu_try *t = x->t;
    x->classes = MU_NEW_ARRAY(t->arena, uint32_t, t->classes_len);
    x->cap = MU_NEW_ARRAY(t->arena, uint32_t, t->classes_len);
    x->shareable = true;
    for (uint32_t c = 0; c < t->classes_len; c++) {
        if (!t->parts[t->classes[c].part].open || mu_try_wanted(t, c) <= 0)
            continue;
        x->cap[x->len] = (uint32_t)mu_try_wanted(t, c);
        x->classes[x->len++] = c;
        x->shareable &= t->classes[c].prepared->free_only;
        const struct mu_needs *needs = mu_snapshot_needs(t->s, t->classes[c].cls.spec);
        for (uint32_t i = 0; i < needs->len; i++)
            MU_VEC_PUSH(t->arena, &x->resources, needs->items[i].resource);
    }
    mu_map_init(&x->index, t->arena, 6);
    x->scratch = MU_NEW_ARRAY(t->arena, uint32_t, (size_t)PATTERNS_MAX * x->len);
    x->front = MU_NEW_ARRAY(t->arena, uint32_t, FRONT_MAX + 1);
    MU_VEC_PUSH(t->arena, &x->states, (struct state){MU_NO_SLOT, 0, MU_NEW_ARRAY(t->arena, uint32_t, x->len)});
    x->front[x->front_len++] = 0;
    x->steps_end = t->steps / 2;
}

static enum mu_found run(struct exact *x) {
    uint32_t nodes_len, *sum = MU_NEW_ARRAY(x->t->arena, uint32_t, x->len);
    const struct ordered_node *nodes = order_nodes(x, &nodes_len);
    for (uint32_t n = 0; n < nodes_len; n++) {
        struct patterns *p = patterns_of(x, nodes[n].node);
        if (!p)
            return MU_OUT_OF_STEPS;
        if (p->idle_at == x->front_version)
            continue;
        uint64_t version = x->front_version;
        enum mu_found found = extend(x, nodes[n].node, p, sum);
        if (found != MU_NOT_FOUND)
            return found;
        if (version == x->front_version)
            p->idle_at = version;
    }
    return MU_NOT_FOUND;
}

enum mu_found mu_solve_exact(struct mu_try *t) {
    struct mu_arena_mark mark = mu_arena_mark(t->arena);
    struct exact x = {.t = t};
    begin(&x);
    /* Recursion over classes: a group of more is beyond what fronts are good for. */
    enum mu_found found = x.len > 64 ? MU_OUT_OF_STEPS : run(&x);
    if (found == MU_FOUND)
        carry_out(&x);
    mu_arena_rollback(t->arena, mark);
    mu_try_refresh(t);
    return found;
}
