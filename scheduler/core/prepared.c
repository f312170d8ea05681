/* Prepared classes; see prepared.h. */
#include "scheduler/core/prepared.h"

/* What may be kept between groups. A class takes about 24 bytes a node: at 5,000 nodes this is 130 shapes of pods. */
#define CACHE_BYTES ((size_t)16 << 20)

struct mu_prepared_cache {
    MU_VEC(struct mu_prepared *) items;
    struct mu_map index;
    uint64_t clock;
};

static struct mu_prepared_cache *cache_get(struct mu_snapshot *s) {
    struct mu_derived *d = mu_derived_get(s);
    if (!d->prepared) {
        d->prepared = MU_NEW(d->arena, struct mu_prepared_cache);
        mu_map_init(&d->prepared->index, d->arena, 3);
    }
    return d->prepared;
}

/* ------------------------------------------------------------------ asking plugins */

static struct mu_verdict ask(struct mu_snapshot *s, const struct mu_active *a, const struct mu_class *cls,
                             uint32_t node) {
    const struct mu_plugin *plugin = a->enabled->plugin;
    if (!plugin->filter)
        return (struct mu_verdict){0, 0};
    return plugin->filter(&s->fw, a->enabled->state, a->prepared, cls, node);
}

static int64_t ask_fit(struct mu_snapshot *s, const struct mu_active *a, const struct mu_class *cls, uint32_t node) {
    const struct mu_plugin *plugin = a->enabled->plugin;
    return plugin->fit ? plugin->fit(&s->fw, a->enabled->state, a->prepared, cls, node) : INT64_MAX;
}

static int64_t ask_score(struct mu_snapshot *s, const struct mu_active *a, const struct mu_class *cls, uint32_t node) {
    int64_t score = a->enabled->plugin->score(&s->fw, a->enabled->state, a->prepared, cls, node);
    score = score < 0 ? 0 : score > MU_SCORE_MAX ? MU_SCORE_MAX : score;
    return score * a->enabled->weight;
}

/* Room as far as rules say that look at the node alone, and which of them leaves none. */
static int64_t local_room(struct mu_snapshot *s, struct mu_prepared *p, uint32_t node, struct mu_refused *ret) {
    int64_t room = INT32_MAX;
    *ret = (struct mu_refused){.filter = MU_NO_SLOT};
    for (uint32_t i = 0; i < p->filters_len; i++) {
        const struct mu_active *a = &p->filters[i];
        if (a->reach.filter == MU_SCOPE_CLUSTER)
            continue;
        s->fw.unproved = false;
        struct mu_verdict v = ask(s, a, &p->cls, node);
        int64_t fit = v.phrase ? 0 : ask_fit(s, a, &p->cls, node);
        p->unproved |= s->fw.unproved;
        if (fit <= 0) {
            *ret = (struct mu_refused){.filter = i, .verdict = v};
            return 0;
        }
        room = fit < room ? fit : room;
    }
    return room;
}

static int32_t local_score(struct mu_snapshot *s, const struct mu_prepared *p, uint32_t node) {
    int64_t score = 0;
    for (uint32_t i = 0; i < p->scores_len; i++)
        if (p->scores[i].reach.score != MU_SCOPE_CLUSTER)
            score += ask_score(s, &p->scores[i], &p->cls, node);
    return score > INT32_MAX ? INT32_MAX : (int32_t)score;
}

/* What rules of scope CLUSTER leave of the room. */
static int64_t related_room(struct mu_snapshot *s, struct mu_prepared *p, uint32_t node, int64_t room) {
    if (!p->related || room == 0)
        return room;
    for (uint32_t i = 0; i < p->filters_len; i++) {
        const struct mu_active *a = &p->filters[i];
        if (a->reach.filter != MU_SCOPE_CLUSTER)
            continue;
        s->fw.unproved = false;
        int64_t fit = ask(s, a, &p->cls, node).phrase ? 0 : ask_fit(s, a, &p->cls, node);
        p->unproved |= s->fw.unproved;
        if (fit <= 0)
            return 0;
        room = fit < room ? fit : room;
    }
    return room;
}

int64_t mu_prepared_room(struct mu_snapshot *s, struct mu_prepared *p, uint32_t node) {
    return related_room(s, p, node, p->room[node]);
}

int64_t mu_prepared_ask(struct mu_snapshot *s, struct mu_prepared *p, uint32_t node) {
    struct mu_refused refused;
    return related_room(s, p, node, local_room(s, p, node, &refused));
}

int64_t mu_prepared_score(struct mu_snapshot *s, const struct mu_prepared *p, uint32_t node) {
    int64_t score = p->score[node];
    for (uint32_t i = 0; p->score_related && i < p->scores_len; i++)
        if (p->scores[i].reach.score == MU_SCOPE_CLUSTER)
            score += ask_score(s, &p->scores[i], &p->cls, node);
    return score;
}

struct mu_verdict mu_prepared_verdict(struct mu_snapshot *s, const struct mu_prepared *p, uint32_t node,
                                      const struct mu_plugin **ret_plugin) {
    for (uint32_t i = 0; i < p->filters_len; i++) {
        struct mu_verdict v = ask(s, &p->filters[i], &p->cls, node);
        if (v.phrase) {
            *ret_plugin = p->filters[i].enabled->plugin;
            return v;
        }
    }
    *ret_plugin = NULL;
    return (struct mu_verdict){0, 0};
}

const void *mu_prepared_of(const struct mu_prepared *p, const struct mu_plugin *plugin) {
    for (uint32_t i = 0; i < p->filters_len; i++)
        if (p->filters[i].enabled->plugin == plugin)
            return p->filters[i].prepared;
    return NULL;
}

void mu_prepared_reserve(struct mu_snapshot *s, struct mu_prepared *p, const struct mu_pod *pod, uint32_t node) {
    p->pins++;
    for (uint32_t i = 0; p->reserves && i < p->filters_len; i++) {
        const struct mu_enabled_plugin *e = p->filters[i].enabled;
        if (e->plugin->reserve)
            e->plugin->reserve(&s->fw, e->state, p->filters[i].prepared, &p->cls, pod, node);
    }
}

void mu_prepared_unreserve(struct mu_snapshot *s, struct mu_prepared *p, const struct mu_pod *pod, uint32_t node) {
    p->pins--;
    for (uint32_t i = p->reserves ? p->filters_len : 0; i-- > 0;) {
        const struct mu_enabled_plugin *e = p->filters[i].enabled;
        if (e->plugin->unreserve)
            e->plugin->unreserve(&s->fw, e->state, p->filters[i].prepared, &p->cls, pod, node);
    }
}

/* ------------------------------------------------------------------ the tournament */

static uint32_t winner(const struct mu_snapshot *s, const struct mu_prepared *p, uint32_t a, uint32_t b) {
    if (a == MU_NO_SLOT || b == MU_NO_SLOT)
        return a == MU_NO_SLOT ? b : a;
    if (p->score[a] != p->score[b])
        return p->score[a] > p->score[b] ? a : b;
    return s->derived->rank[a] < s->derived->rank[b] ? a : b;
}

static void tree_update(const struct mu_snapshot *s, struct mu_prepared *p, uint32_t node) {
    uint32_t i = p->leaves + node;
    p->tree[i] = p->room[node] > 0 ? node : MU_NO_SLOT;
    for (i /= 2; i; i /= 2)
        p->tree[i] = winner(s, p, p->tree[2 * i], p->tree[2 * i + 1]);
}

static void tree_build(const struct mu_snapshot *s, struct mu_prepared *p) {
    for (uint32_t n = 0; n < p->leaves; n++)
        p->tree[p->leaves + n] = n < s->nodes_len && p->room[n] > 0 ? n : MU_NO_SLOT;
    for (uint32_t i = p->leaves - 1; i; i--)
        p->tree[i] = winner(s, p, p->tree[2 * i], p->tree[2 * i + 1]);
}

/* ------------------------------------------------------------------ keeping up */

static uint64_t mix_free(struct mu_snapshot *s, const struct mu_prepared *p, uint32_t node, uint64_t print) {
    for (uint32_t i = 0; i < p->needs->len; i++)
        print = (print ^ (uint64_t)s->resources.items[p->needs->items[i].resource]->free[node]) *
                UINT64_C(0x9e3779b97f4a7c15);
    return print ^ print >> 29;
}

/* Counts the node among those refused alike. Few kinds of refusals occur in one cluster, so that a list will do. */
static void count_refused(struct mu_prepared *p, uint32_t node, const struct mu_refused *refused) {
    size_t i = 0;
    if (p->refused_by[node])
        p->refused.items[p->refused_by[node] - 1].nodes--;
    while (i < p->refused.len && (p->refused.items[i].filter != refused->filter ||
                                  p->refused.items[i].verdict.phrase != refused->verdict.phrase ||
                                  p->refused.items[i].verdict.subject != refused->verdict.subject))
        i++;
    if (i == p->refused.len)
        MU_VEC_PUSH(p->arena, &p->refused, *refused);
    p->refused.items[i].nodes++;
    p->refused_by[node] = (uint32_t)i + 1;
}

static void node_set(struct mu_snapshot *s, struct mu_prepared *p, uint32_t node) {
    struct mu_refused refused;
    if (!s->nodes[node].object)
        return; /* its slot is free, and was when the class was prepared */
    int64_t room = local_room(s, p, node, &refused);
    p->total += room - p->room[node];
    p->room[node] = (int32_t)room;
    p->score[node] = room ? local_score(s, p, node) : 0;
    count_refused(p, node, &refused);
    uint64_t print = (uint64_t)refused.filter << 48 ^ (uint64_t)refused.verdict.phrase << 32 ^ refused.verdict.subject;
    print = (print ^ (uint64_t)room << 16) * UINT64_C(0x9e3779b97f4a7c15) + node;
    if (room) /* what a placement on it would leave, alone or with other classes */
        print = mix_free(s, p, node, print + (uint64_t)p->score[node]);
    print = mu_hash_bytes(node, &print, sizeof print);
    p->digest += print - p->print[node];
    p->print[node] = print;
}

void mu_prepared_refresh(struct mu_snapshot *s, struct mu_prepared *p) {
    uint64_t behind = s->changes - p->seen;
    if (behind > s->log_cap) {
        for (uint32_t n = 0; n < s->nodes_len; n++)
            node_set(s, p, n);
        tree_build(s, p);
    } else {
        for (uint64_t i = p->seen; i < s->changes; i++) {
            uint32_t node = s->log[i % s->log_cap];
            if (s->changed_at[node] != i)
                continue; /* it changed again since */
            node_set(s, p, node);
            tree_update(s, p, node);
        }
    }
    p->seen = s->changes;
}

static void activate(struct mu_snapshot *s, struct mu_prepared *p, const struct mu_enabled_plugin *enabled) {
    const struct mu_plugin *plugin = enabled->plugin;
    struct mu_active a = {.enabled = enabled, .reach = {MU_SCOPE_STATIC, MU_SCOPE_STATIC}};
    if (plugin->prepare)
        a.reach = plugin->prepare(&s->fw, enabled->state, &p->cls, &a.prepared);
    if ((plugin->filter || plugin->fit) && a.reach.filter != MU_SCOPE_NONE && (p->rules & MU_RULES_OF(plugin->stage))) {
        p->filters[p->filters_len++] = a;
        p->related |= a.reach.filter == MU_SCOPE_CLUSTER;
        p->free_only &= a.reach.filter != MU_SCOPE_NODE || plugin->stage == MU_STAGE_RESOURCE;
        p->stages |= MU_RULES_OF(plugin->stage);
        p->reserves |= plugin->reserve != NULL;
        if (plugin->one_a_domain && !p->apart)
            p->apart = plugin->one_a_domain(&s->fw, enabled->state, a.prepared, &p->cls);
    }
    if (plugin->score && enabled->weight && a.reach.score != MU_SCOPE_NONE) {
        p->scores[p->scores_len++] = a;
        p->score_related |= a.reach.score == MU_SCOPE_CLUSTER;
    }
}

static struct mu_prepared *prepared_make(struct mu_snapshot *s, const struct mu_profile *profile, unsigned rules,
                                         const struct mu_class *cls, struct mu_str key) {
    struct mu_arena *arena = mu_snapshot_child_arena(s);
    struct mu_prepared *p = MU_NEW(arena, struct mu_prepared);
    p->arena = arena;
    p->key = mu_str_dup(arena, key);
    p->profile = profile;
    p->rules = rules;
    p->pod = cls->pods[0];
    p->cls = (struct mu_class){cls->spec, cls->namespace, &p->pod, 1, cls->index};
    p->filters = MU_NEW_ARRAY(arena, struct mu_active, profile->plugins_len);
    p->scores = MU_NEW_ARRAY(arena, struct mu_active, profile->plugins_len);
    p->free_only = true;
    p->needs = mu_snapshot_needs(s, cls->spec);
    s->fw.class_arena = arena;
    for (uint32_t i = 0; i < profile->plugins_len; i++)
        activate(s, p, &profile->plugins[i]);
    p->room = MU_NEW_ARRAY(arena, int32_t, s->nodes_cap);
    p->score = MU_NEW_ARRAY(arena, int32_t, s->nodes_cap);
    p->print = MU_NEW_ARRAY(arena, uint64_t, s->nodes_cap);
    p->refused_by = MU_NEW_ARRAY(arena, uint32_t, s->nodes_cap);
    for (p->leaves = 1; p->leaves < s->nodes_len;)
        p->leaves *= 2;
    p->tree = MU_NEW_ARRAY(arena, uint32_t, (size_t)p->leaves * 2);
    p->tree[1] = MU_NO_SLOT;
    p->seen = s->changes - s->log_cap - 1; /* further behind than the log is long: everything is new */
    return p;
}

struct mu_prepared *mu_prepared_find(struct mu_snapshot *s, struct mu_str key) {
    struct mu_prepared_cache *cache = cache_get(s);
    uint32_t index;
    if (!mu_map_get(&cache->index, key, &index))
        return NULL;
    struct mu_prepared *p = cache->items.items[index];
    p->used = ++cache->clock;
    mu_prepared_refresh(s, p);
    return p;
}

struct mu_prepared *mu_prepared_get(struct mu_snapshot *s, const struct mu_profile *profile, unsigned rules,
                                    const struct mu_class *cls, struct mu_str key) {
    struct mu_prepared *p = mu_prepared_find(s, key);
    if (p)
        return p;
    struct mu_prepared_cache *cache = cache_get(s);
    p = prepared_make(s, profile, rules, cls, key);
    p->used = ++cache->clock;
    MU_VEC_PUSH(s->derived->arena, &cache->items, p);
    mu_snapshot_made(s);
    mu_map_put(&cache->index, p->key, (uint32_t)cache->items.len - 1);
    mu_prepared_refresh(s, p);
    return p;
}

/* ------------------------------------------------------------------ keeping little */

static void forget_at(struct mu_prepared_cache *cache, uint32_t index) {
    struct mu_prepared *p = cache->items.items[index], *last = cache->items.items[--cache->items.len];
    mu_map_remove(&cache->index, p->key);
    if (last != p) {
        cache->items.items[index] = last;
        mu_map_put(&cache->index, last->key, index);
    }
    mu_arena_destroy(p->arena);
}

size_t mu_prepared_bytes(const struct mu_snapshot *s) {
    size_t bytes = 0;
    if (!s->derived || !s->derived->prepared)
        return 0;
    for (size_t i = 0; i < s->derived->prepared->items.len; i++)
        bytes += mu_arena_bytes(s->derived->prepared->items.items[i]->arena);
    return bytes;
}

void mu_prepared_trim(struct mu_snapshot *s) {
    if (!s->derived || !s->derived->prepared)
        return;
    struct mu_prepared_cache *cache = s->derived->prepared;
    for (size_t bytes = mu_prepared_bytes(s); bytes > CACHE_BYTES;) {
        uint32_t oldest = MU_NO_SLOT;
        for (uint32_t i = 0; i < cache->items.len; i++)
            if (!cache->items.items[i]->pins &&
                (oldest == MU_NO_SLOT || cache->items.items[i]->used < cache->items.items[oldest]->used))
                oldest = i;
        if (oldest == MU_NO_SLOT)
            return;
        bytes -= mu_arena_bytes(cache->items.items[oldest]->arena);
        forget_at(cache, oldest);
    }
}

void mu_prepared_forget(struct mu_snapshot *s, const struct mu_pod *pod) {
    if (!s->derived || !s->derived->prepared)
        return;
    struct mu_prepared_cache *cache = s->derived->prepared;
    for (uint32_t i = (uint32_t)cache->items.len; i-- > 0;)
        if (cache->items.items[i]->pod == pod)
            forget_at(cache, i);
}

void mu_prepared_drop(struct mu_snapshot *s) {
    if (!s->derived || !s->derived->prepared)
        return;
    while (s->derived->prepared->items.len)
        forget_at(s->derived->prepared, (uint32_t)s->derived->prepared->items.len - 1);
}
