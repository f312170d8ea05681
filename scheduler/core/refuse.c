/* Refusals; see refuse.h.
 *
 * The reason is found by asking again with fewer rules: the first stage that, with those before it, leaves no placement
 * is named. Each of these searches has a budget of its own. The message counts nodes by what keeps the next member off
 * them once as many members as possible are placed. */
#include "scheduler/core/refuse.h"
#include <stdlib.h>

/* ------------------------------------------------------------------ blockers */

static int blocker_cmp(const void *a, const void *b) {
    const struct mu_blocker *x = a, *y = b;
    if (x->order != y->order)
        return x->order > y->order ? -1 : 1;
    if (x->nodes != y->nodes)
        return x->nodes > y->nodes ? -1 : 1;
    return mu_str_cmp(x->text, y->text);
}

static struct mu_str phrase_text(const struct mu_try *t, const struct mu_plugin *plugin, struct mu_verdict v,
                                 struct mu_arena *arena) {
    if (!v.phrase) /* it passed, and set the bound to none */
        return mu_str_printf(arena, "node(s) without room by %s", plugin->name);
    struct mu_str phrase = mu_str_from(plugin->phrases[v.phrase]);
    ptrdiff_t at = mu_str_index(phrase, '%');
    if (at < 0)
        return phrase;
    struct mu_str before = mu_str_slice(phrase, 0, (size_t)at),
                  after = mu_str_slice(phrase, (size_t)at + 2, phrase.len);
    return mu_str_printf(arena, MU_STR_FMT MU_STR_FMT MU_STR_FMT, MU_STR_ARG(before),
                         MU_STR_ARG(mu_text(t->s->symbols, v.subject)), MU_STR_ARG(after));
}

static uint32_t order_of(const struct mu_try *t, const struct mu_plugin *plugin) {
    const struct mu_profile *profile = t->group->profile;
    for (uint32_t i = 0; i < profile->plugins_len; i++)
        if (profile->plugins[i].plugin == plugin)
            return i + 1;
    return 0;
}

/* "outside example.net/rack=a": the domain in which the members are looked at. */
static struct mu_str outside_text(const struct mu_try *t, uint32_t cls, struct mu_arena *arena) {
    const struct mu_bitset *mask = t->classes[cls].mask;
    size_t node = mu_bitset_next(mask, 0);
    const struct mu_unit *unit = t->group->root;
    if (node >= mask->len || !unit->topology_len)
        return MU_STR("node(s) outside the topology domain");
    mu_sym key = unit->topology[0], value = 0;
    mu_labels_get(&t->s->nodes[node].object->meta.labels, key, &value);
    return mu_str_printf(arena, "node(s) outside " MU_STR_FMT "=" MU_STR_FMT, MU_STR_ARG(mu_text(t->s->symbols, key)),
                         MU_STR_ARG(mu_text(t->s->symbols, value)));
}

/* Blockers while they are found: each kind once, in the order in which they turn up. */
struct finding {
    const struct mu_try *t;
    struct mu_arena *arena;
    uint32_t cls;
    MU_VEC(struct mu_blocker) list;
    MU_VEC(struct mu_refused) kinds; /* filter: order in the profile; phrase UINT16_MAX: outside */
};

enum { OUTSIDE = UINT16_MAX };

static uint32_t kind_of(struct finding *f, const struct mu_plugin *plugin, struct mu_verdict v) {
    uint32_t order = plugin ? order_of(f->t, plugin) : v.phrase == OUTSIDE ? UINT32_MAX - 1 : UINT32_MAX;
    for (size_t k = 0; k < f->kinds.len; k++)
        if (f->kinds.items[k].filter == order && f->kinds.items[k].verdict.phrase == v.phrase &&
            f->kinds.items[k].verdict.subject == v.subject)
            return (uint32_t)k;
    struct mu_str text = plugin                ? phrase_text(f->t, plugin, v, f->arena)
                         : v.phrase == OUTSIDE ? outside_text(f->t, f->cls, f->arena)
                                               : MU_STR("");
    MU_VEC_PUSH(f->arena, &f->kinds, (struct mu_refused){order, v, 0});
    MU_VEC_PUSH(f->arena, &f->list,
                (struct mu_blocker){.plugin = plugin, .text = text, .subject = v.subject, .order = order});
    return (uint32_t)f->list.len - 1;
}

/* From what is counted already, where no rule looks further than its node and every node is allowed. */
static void find_counted(struct finding *f) {
    const struct mu_prepared *p = f->t->classes[f->cls].prepared;
    for (size_t i = 0; i < p->refused.len; i++) {
        const struct mu_refused *r = &p->refused.items[i];
        const struct mu_plugin *plugin = r->filter == MU_NO_SLOT ? NULL : p->filters[r->filter].enabled->plugin;
        if (!r->nodes)
            continue;
        uint32_t kind = kind_of(f, plugin, r->verdict); /* may move the list */
        f->list.items[kind].nodes += r->nodes;
    }
}

static uint32_t *find_each(struct finding *f) {
    const struct mu_derived *d = f->t->s->derived;
    uint32_t *of = MU_NEW_ARRAY(f->arena, uint32_t, f->t->s->nodes_cap);
    for (uint32_t i = 0; i < d->nodes_len; i++) {
        uint32_t node = d->by_rank[i];
        const struct mu_plugin *plugin;
        struct mu_verdict v = mu_prepared_verdict(f->t->s, f->t->classes[f->cls].prepared, node, &plugin);
        if (!plugin && !mu_try_allows(f->t, f->cls, node))
            v.phrase = OUTSIDE;
        of[node] = kind_of(f, plugin, v);
        f->list.items[of[node]].nodes++;
    }
    return of;
}

struct mu_blockers mu_refuse_blockers(struct mu_try *t, uint32_t cls, struct mu_arena *arena, uint32_t **ret_of) {
    struct finding f = {.t = t, .arena = arena, .cls = cls};
    const struct mu_derived *d = t->s->derived;
    uint32_t *of = NULL;
    if (ret_of || t->classes[cls].mask || t->classes[cls].prepared->related)
        of = find_each(&f);
    else
        find_counted(&f);
    uint32_t *now_at = MU_NEW_ARRAY(arena, uint32_t, f.list.len);
    for (uint32_t k = 0; k < f.list.len; k++)
        f.list.items[k].was = k;
    if (f.list.len)
        qsort(f.list.items, f.list.len, sizeof *f.list.items, blocker_cmp);
    for (uint32_t k = 0; k < f.list.len; k++)
        now_at[f.list.items[k].was] = k;
    for (uint32_t i = 0; ret_of && i < d->nodes_len; i++)
        of[d->by_rank[i]] = now_at[of[d->by_rank[i]]];
    if (ret_of)
        *ret_of = of;
    return (struct mu_blockers){f.list.items, (uint32_t)f.list.len, d->nodes_len};
}

/* "0/5 nodes are available: 3 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint(s)." */
static struct mu_str availability(struct mu_try *t, uint32_t cls, struct mu_arena *arena) {
    struct mu_blockers b = mu_refuse_blockers(t, cls, arena, NULL);
    struct mu_buf text;
    mu_buf_init(&text, arena);
    if (!b.nodes)
        return MU_STR("0/0 nodes are available: there are no nodes");
    uint32_t fit = b.items[0].plugin || b.items[0].text.len ? 0 : b.items[0].nodes;
    mu_buf_printf(&text, "%u/%u nodes are available", fit, b.nodes);
    const char *before = ": ";
    for (uint32_t i = fit != 0; i < b.len; i++) {
        mu_buf_printf(&text, "%s%u " MU_STR_FMT, before, b.items[i].nodes, MU_STR_ARG(b.items[i].text));
        before = ", ";
    }
    return mu_buf_str(&text);
}

/* ------------------------------------------------------------------ reasons */

static enum mu_reason reason_of_stage(unsigned stage) {
    static const enum mu_reason reasons[MU_STAGE_COUNT] = {
        [MU_STAGE_CONSTRAINT] = MU_REASON_NODE_CONSTRAINTS,
        [MU_STAGE_VOLUME] = MU_REASON_VOLUME_UNSATISFIED,
        [MU_STAGE_DEVICE] = MU_REASON_INSUFFICIENT_DEVICES,
        [MU_STAGE_RESOURCE] = MU_REASON_INSUFFICIENT_RESOURCES,
    };
    return reasons[stage];
}

static bool has_topology(const struct mu_unit *unit) {
    if (unit->topology_len)
        return true;
    for (uint32_t i = 0; i < unit->children_len; i++)
        if (has_topology(unit->children[i]))
            return true;
    return false;
}

/* Asks whether a placement exists under fewer rules, and takes it back. */
static enum mu_found probe(struct mu_try *t, unsigned rules, bool topology) {
    t->steps = t->settings->step_budget;
    t->proving = true;
    mu_try_rules(t, rules);
    enum mu_found found = mu_place_minimum(t, topology);
    mu_try_unplace(t, 0);
    t->proving = false;
    return found;
}

/* The stages that any class has a rule of. */
static unsigned stages_of(const struct mu_try *t) {
    unsigned stages = 0;
    for (uint32_t c = 0; c < t->classes_len; c++)
        stages |= t->classes[c].prepared->stages;
    return stages;
}

/* With nobody's reservation in the way. `last` is what is known of all rules together: with topology, and with
 * reservations. */
static enum mu_reason find_reason(struct mu_try *t, enum mu_found last, bool reserved) {
    unsigned stages = stages_of(t) | MU_RULES_OF(MU_STAGE_CONSTRAINT), rules = 0;
    bool topology = has_topology(t->group->root), unproved = false;
    for (unsigned stage = 0; stage < MU_STAGE_COUNT; stage++) {
        rules |= MU_RULES_OF(stage);
        if (!(stages & MU_RULES_OF(stage)))
            continue;
        bool all = !(stages & ~(2 * MU_RULES_OF(stage) - 1)); /* no later stage has a rule */
        bool asked = all && !topology && !reserved;           /* that was the search that failed */
        enum mu_found found = asked ? last : probe(t, all ? MU_RULES_ALL : rules, false);
        if (found == MU_NOT_FOUND)
            return reason_of_stage(stage);
        unproved |= found == MU_OUT_OF_STEPS;
    }
    if (topology) {
        enum mu_found found = reserved ? probe(t, MU_RULES_ALL, true) : last;
        if (found == MU_NOT_FOUND)
            return MU_REASON_TOPOLOGY_UNSATISFIED;
        unproved |= found == MU_OUT_OF_STEPS;
    }
    return last == MU_OUT_OF_STEPS || unproved || !reserved ? MU_REASON_SEARCH_BUDGET_EXHAUSTED
                                                            : MU_REASON_RESERVED_FOR_OTHER;
}

/* ------------------------------------------------------------------ messages */

/* The class that stands for what is missing: the first whose pods its part still needs. */
static uint32_t blocked_class(const struct mu_try *t) {
    for (uint32_t c = 0; c < t->classes_len; c++)
        if (t->parts[t->classes[c].part].open && mu_try_wanted(t, c) > 0)
            return c;
    return MU_NO_SLOT;
}

static struct mu_str pod_name(const struct mu_try *t, const struct mu_pod *pod, struct mu_arena *arena) {
    return mu_str_printf(arena, MU_STR_FMT "/" MU_STR_FMT, MU_STR_ARG(mu_text(t->s->symbols, pod->meta.namespace)),
                         MU_STR_ARG(mu_text(t->s->symbols, pod->meta.name)));
}

static struct mu_str group_message(struct mu_try *t, enum mu_reason reason, struct mu_arena *arena) {
    if (reason == MU_REASON_SEARCH_BUDGET_EXHAUSTED)
        return mu_str_printf(arena,
                             "no placement was found within the budget of %lld steps, and none was ruled out; a larger "
                             "stepBudget may find one",
                             (long long)t->settings->step_budget);
    uint32_t cls = blocked_class(t);
    if (cls == MU_NO_SLOT)
        return mu_str_printf(arena,
                             "each of the %u members fits on some of the %u nodes, but the rules between members "
                             "(affinity, spreading) allow no placement of all that are needed",
                             (uint32_t)t->placed.len, t->s->derived->nodes_len);
    struct mu_str nodes = availability(t, cls, arena);
    const char *other =
        reason == MU_REASON_RESERVED_FOR_OTHER ? " (room is held for pods nominated by another scheduler)" : "";
    if (t->group->kind == MU_KIND_POD)
        return mu_str_printf(arena, MU_STR_FMT "%s", MU_STR_ARG(nodes), other);
    int64_t missing = 0;
    for (uint32_t p = 0; p < t->parts_len; p++)
        missing += t->parts[p].open && t->parts[p].need > 0 ? t->parts[p].need : 0;
    return mu_str_printf(arena, "%u of %lld members that are needed fit; for " MU_STR_FMT ", " MU_STR_FMT "%s",
                         (uint32_t)t->placed.len, (long long)((int64_t)t->placed.len + missing),
                         MU_STR_ARG(pod_name(t, t->classes[cls].cls.pods[t->classes[cls].placed], arena)),
                         MU_STR_ARG(nodes), other);
}

/* Those that were placed could be, the others say what is in their way. Both lists are sorted by name within a part;
 * a map from slots joins them. */
static void pod_messages(struct mu_try *t, struct mu_plan_group *group, struct mu_arena *arena) {
    struct mu_map by_slot;
    mu_map_init(&by_slot, t->arena, 9);
    uint32_t ready = 0;
    for (uint32_t p = 0; p < t->parts_len; p++)
        ready += t->parts[p].part->ready_len;
    for (uint32_t i = 0; i < ready; i++)
        mu_map_put(&by_slot, (struct mu_str){(const char *)&t->ready_slot[i], sizeof(uint32_t)}, i);
    struct mu_str *texts = MU_NEW_ARRAY(t->arena, struct mu_str, t->classes_len);
    for (uint32_t i = 0; i < group->pods_len; i++) {
        uint32_t slot = mu_snapshot_pod_slot(t->s, group->pods[i].pod), number;
        if (group->pods[i].message.len ||
            !mu_map_get(&by_slot, (struct mu_str){(const char *)&slot, sizeof slot}, &number))
            continue;
        uint32_t cls = t->class_of[number];
        if (t->place_in_class[number] < t->classes[cls].placed) {
            group->pods[i].message = MU_STR("fits, its group does not");
            continue;
        }
        if (!texts[cls].len)
            texts[cls] = availability(t, cls, arena);
        group->pods[i].message = texts[cls];
    }
}

void mu_refuse_group(struct mu_try *t, enum mu_found found, const uint32_t *reserved, uint32_t reserved_len,
                     struct mu_plan_group *group, struct mu_arena *arena) {
    mu_mark mark = mu_snapshot_mark(t->s);
    for (uint32_t i = 0; i < reserved_len; i++)
        mu_snapshot_take_off(t->s, reserved[i]);
    group->reason = find_reason(t, found, reserved_len > 0);
    mu_snapshot_rollback(t->s, mark);
    t->steps = t->settings->step_budget;
    mu_try_rules(t, MU_RULES_ALL);
    mu_place_partly(t, true);
    mu_try_refresh(t);
    group->message = group_message(t, group->reason, arena);
    if (group->kind != MU_KIND_POD)
        pod_messages(t, group, arena);
    mu_try_unplace(t, 0);
}

/* ------------------------------------------------------------------ surplus */

static bool fits_somewhere(struct mu_try *t, uint32_t cls, bool masked) {
    struct mu_prepared *p = t->classes[cls].prepared;
    for (uint32_t i = 0; i < t->s->derived->nodes_len; i++) {
        uint32_t node = t->s->derived->by_rank[i];
        if (p->room[node] && (!masked || mu_try_allows(t, cls, node)) && mu_prepared_room(t->s, p, node) > 0)
            return true;
    }
    return false;
}

void mu_refuse_surplus(struct mu_try *t, uint32_t cls, enum mu_reason *ret_reason, struct mu_str *ret_message,
                       struct mu_arena *arena) {
    unsigned stages = t->classes[cls].prepared->stages, rules = 0;
    t->steps = t->settings->step_budget;
    *ret_reason = MU_REASON_NONE;
    for (unsigned stage = 0; stage < MU_STAGE_COUNT && *ret_reason == MU_REASON_NONE; stage++) {
        rules |= MU_RULES_OF(stage);
        if (!(stages & MU_RULES_OF(stage)))
            continue;
        mu_try_rules_of(t, cls, rules);
        if (!fits_somewhere(t, cls, false))
            *ret_reason = reason_of_stage(stage);
    }
    mu_try_rules_of(t, cls, MU_RULES_ALL);
    if (*ret_reason == MU_REASON_NONE && fits_somewhere(t, cls, true)) {
        /* One would, but its own group within the composite needs more of them, or together with others. */
        *ret_reason = MU_REASON_INSUFFICIENT_RESOURCES;
        *ret_message = MU_STR("fits, its group does not");
        return;
    }
    if (*ret_reason == MU_REASON_NONE)
        *ret_reason = MU_REASON_TOPOLOGY_UNSATISFIED;
    *ret_message = availability(t, cls, arena);
}
