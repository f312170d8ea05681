/* Cycle: every group in its turn, each on top of what was decided before it. */
#include "scheduler/core/cycle.h"
#include "scheduler/core/devices.h"
#include "scheduler/core/quota.h"
#include "scheduler/core/refuse.h"
#include "scheduler/core/waiting.h"
#include <stdlib.h>

struct cycle {
    struct mu_snapshot *s;
    const struct mu_settings *settings;
    int64_t now_ns;
    struct mu_arena *arena; /* of the plan */
    struct mu_arena *work;  /* of one group's decision */
    struct mu_waiting *waiting;
    struct mu_quota_run *quota;
    struct mu_plan *plan;
    uint32_t *nominated;                  /* slots of pods that others nominated, most important first */
    uint32_t nominated_len, nominated_in; /* so many of them count for now */
    uint32_t *ending;                     /* slots of pods that are ending and whose room is still to come */
    uint32_t ending_len;
};

/* ------------------------------------------------------------------ pods that are coming and going */

static bool is_ours(const struct cycle *c, const struct mu_pod *pod) {
    if (c->settings->all_ours)
        return true;
    for (uint32_t i = 0; i < c->settings->profiles_len; i++)
        if (mu_str_eq(mu_text(c->s->symbols, pod->spec->scheduler), c->settings->profiles[i].scheduler_name))
            return true;
    return false;
}

struct by_importance {
    struct mu_str namespace, name;
    int32_t priority;
    uint32_t slot;
};

static int importance_cmp(const void *a, const void *b) {
    const struct by_importance *x = a, *y = b;
    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    int by_namespace = mu_str_cmp(x->namespace, y->namespace);
    return by_namespace ? by_namespace : mu_str_cmp(x->name, y->name);
}

static void find_nominated(struct cycle *c) {
    struct mu_snapshot *s = c->s;
    MU_VEC(struct by_importance) list = {0};
    for (uint32_t p = 0; p < s->pods_len; p++) {
        const struct mu_pod *pod = s->pods[p].pod;
        if (!pod || !pod->nominated || pod->node || pod->phase == MU_PHASE_SUCCEEDED || pod->phase == MU_PHASE_FAILED ||
            pod->meta.deleted_ns != MU_TIME_NONE || is_ours(c, pod) ||
            mu_snapshot_node_slot(s, pod->nominated) == MU_NO_SLOT)
            continue;
        MU_VEC_PUSH(c->work, &list,
                    (struct by_importance){mu_text(s->symbols, pod->meta.namespace),
                                           mu_text(s->symbols, pod->meta.name), pod->priority, p});
    }
    if (list.len)
        qsort(list.items, list.len, sizeof *list.items, importance_cmp);
    c->nominated = MU_NEW_ARRAY(c->arena, uint32_t, list.len);
    for (size_t i = 0; i < list.len; i++)
        c->nominated[c->nominated_len++] = list.items[i].slot;
}

/* A pod that is long past its grace is not room to come: nobody knows when it will go (contract 4.6). */
static void find_ending(struct cycle *c) {
    struct mu_snapshot *s = c->s;
    MU_VEC(uint32_t) list = {0};
    for (uint32_t p = 0; p < s->pods_len; p++) {
        const struct mu_pod *pod = s->pods[p].pod;
        if (!pod || s->pods[p].node == MU_NO_SLOT || pod->meta.deleted_ns == MU_TIME_NONE ||
            mu_sat_add(pod->meta.deleted_ns, c->settings->termination_timeout_ns) < c->now_ns)
            continue;
        MU_VEC_PUSH(c->arena, &list, p);
    }
    c->ending = list.items;
    c->ending_len = (uint32_t)list.len;
}

/* Pods that others nominated count against groups that are not more important (contract 4.6). */
static void let_nominated_in(struct cycle *c, int64_t priority) {
    while (c->nominated_in < c->nominated_len) {
        uint32_t slot = c->nominated[c->nominated_in];
        const struct mu_pod *pod = c->s->pods[slot].pod;
        if (pod->priority < priority)
            return;
        mu_snapshot_needs(c->s, pod->spec);
        mu_snapshot_place(c->s, slot, mu_snapshot_node_slot(c->s, pod->nominated), NULL);
        c->nominated_in++;
    }
}

/* ------------------------------------------------------------------ what is said of a group */

static void begin_group(struct cycle *c, const struct mu_group *g, struct mu_plan_group *out) {
    *out = (struct mu_plan_group){.kind = g->kind,
                                  .namespace = g->namespace,
                                  .name = g->name,
                                  .queue = g->queue,
                                  .priority = g->priority,
                                  .min_count = g->min_count,
                                  .decision = g->decision,
                                  .reason = g->reason,
                                  .message = g->message,
                                  .optimal = true,
                                  .pods_len = g->pods_len};
    out->pods = MU_NEW_ARRAY(c->arena, struct mu_plan_pod, g->pods_len);
    for (uint32_t i = 0; i < g->pods_len; i++) {
        const struct mu_group_pod *p = &g->pods[i];
        out->pods[i] = p->ready ? (struct mu_plan_pod){.pod = p->pod}
                                : (struct mu_plan_pod){.pod = p->pod,
                                                       .decision = p->decision,
                                                       .reason = p->reason,
                                                       .message = p->message};
    }
}

/* Ready pods of a group that is not placed share its decision. */
static void share_decision(const struct mu_group *g, struct mu_plan_group *out) {
    for (uint32_t i = 0; i < out->pods_len; i++)
        if (g->pods[i].ready)
            out->pods[i].decision = out->decision == MU_EVICT ? MU_PENDING : out->decision;
}

static uint32_t index_of(const struct mu_plan_group *out, const struct mu_pod *pod, const struct mu_symbols *symbols) {
    uint32_t low = 0, high = out->pods_len;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (mu_sym_cmp(symbols, out->pods[middle].pod->meta.name, pod->meta.name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Writes down where the pods are, and why those beyond the minimum are nowhere. */
static void accept(struct cycle *c, struct mu_try *t, const struct mu_group *g, struct mu_plan_group *out) {
    struct refused {
        bool asked;
        enum mu_reason reason;
        struct mu_str message;
    } *refused = MU_NEW_ARRAY(c->work, struct refused, t->classes_len);
    out->decision = MU_BIND;
    out->reason = MU_REASON_NONE;
    for (uint32_t i = 0; i < out->pods_len; i++)
        if (g->pods[i].ready)
            out->pods[i].decision = MU_PENDING;
    for (size_t i = 0; i < t->placed.len; i++) {
        struct mu_plan_pod *pod = &out->pods[index_of(out, t->placed.items[i].pod, c->s->symbols)];
        pod->decision = MU_BIND;
        pod->node = c->s->nodes[t->placed.items[i].node].object->meta.name;
        if (mu_fw_claims(&c->s->fw, pod->pod))
            pod->claims =
                mu_devices_plan(c->s->devices, mu_snapshot_pod_slot(c->s, pod->pod), c->arena, &pod->claims_len);
    }
    for (uint32_t cls = 0; cls < t->classes_len; cls++)
        for (uint32_t i = t->classes[cls].placed; i < t->classes[cls].cls.pods_len; i++) {
            struct mu_plan_pod *pod = &out->pods[index_of(out, t->classes[cls].cls.pods[i], c->s->symbols)];
            if (!refused[cls].asked && !mu_quota_allows(c->quota, g, t->classes[cls].cls.pods[i]))
                refused[cls].reason = MU_REASON_QUOTA_EXCEEDED;
            else if (!refused[cls].asked)
                mu_refuse_surplus(t, cls, &refused[cls].reason, &refused[cls].message, c->arena);
            refused[cls].asked = true;
            pod->reason = refused[cls].reason;
            pod->message = refused[cls].message;
        }
}

/* ------------------------------------------------------------------ room that is being freed */

static bool member_waits_for_victims(const struct cycle *c, const struct mu_group *g) {
    for (uint32_t i = 0; i < g->pods_len; i++)
        for (uint32_t e = 0; e < c->ending_len && g->pods[i].pod->nominated; e++)
            if (c->s->pods[c->ending[e]].pod->node == g->pods[i].pod->nominated)
                return true;
    return false;
}

/* Would the group fit once the pods that are ending are gone? Then it waits for that: for its own victims with the
 * room held (contract 4.6), for others' without holding anything. */
static bool wait_for_ending(struct cycle *c, struct mu_try *t, const struct mu_group *g, struct mu_plan_group *out) {
    if (!c->ending_len)
        return false;
    mu_mark mark = mu_snapshot_mark(c->s);
    for (uint32_t i = 0; i < c->ending_len; i++)
        mu_snapshot_take_off(c->s, c->ending[i]);
    t->steps = c->settings->step_budget;
    bool fits = mu_place_minimum(t, true) == MU_FOUND;
    uint32_t placed = (uint32_t)t->placed.len;
    uint32_t *slots = MU_NEW_ARRAY(c->work, uint32_t, placed), *nodes = MU_NEW_ARRAY(c->work, uint32_t, placed);
    for (uint32_t i = 0; i < placed; i++) {
        slots[i] = mu_snapshot_pod_slot(c->s, t->placed.items[i].pod);
        nodes[i] = t->placed.items[i].node;
    }
    mu_try_unplace(t, 0);
    mu_snapshot_rollback(c->s, mark);
    if (!fits)
        return false;
    bool victims = member_waits_for_victims(c, g);
    for (uint32_t i = 0; i < placed && victims; i++)
        mu_snapshot_place(c->s, slots[i], nodes[i], NULL);
    out->decision = MU_WAIT;
    out->reason = victims ? MU_REASON_WAITING_FOR_VICTIMS : MU_REASON_WAITING_FOR_TERMINATION;
    const char *pods = c->ending_len == 1 ? "pod that is ending is" : "pods that are ending are";
    out->message = mu_str_printf(c->arena, "fits once %u %s gone%s", c->ending_len, pods,
                                 victims ? "; their room is held for it" : "");
    share_decision(g, out);
    return true;
}

/* ------------------------------------------------------------------ groups */

static bool grace_is_over(const struct cycle *c, const struct mu_group *g) {
    return g->broken && g->broken_since_ns != MU_TIME_NONE && g->grace_ns != MU_TIME_NONE &&
           mu_sat_add(g->broken_since_ns, g->grace_ns) <= c->now_ns;
}

static void collect_running(struct cycle *c, const struct mu_unit *unit, const struct mu_pod **list, uint32_t *len) {
    for (uint32_t i = 0; unit->part && i < unit->part->running_len; i++)
        if (unit->part->running[i]->meta.deleted_ns == MU_TIME_NONE)
            list[(*len)++] = unit->part->running[i];
    for (uint32_t i = 0; i < unit->children_len; i++)
        collect_running(c, unit->children[i], list, len);
}

static uint32_t count_running(const struct mu_unit *unit) {
    uint32_t count = unit->part ? unit->part->running_len : 0;
    for (uint32_t i = 0; i < unit->children_len; i++)
        count += count_running(unit->children[i]);
    return count;
}

struct by_name {
    struct mu_str name;
    const struct mu_pod *pod;
};

static int by_name_cmp(const void *a, const void *b) {
    const struct by_name *x = a, *y = b;
    return mu_str_cmp(x->name, y->name);
}

/* A broken group that cannot be completed in time: what is left of it goes (contract 3.5). */
static bool evict(struct cycle *c, const struct mu_group *g, struct mu_plan_group *out) {
    const struct mu_pod **victims = MU_NEW_ARRAY(c->arena, const struct mu_pod *, count_running(g->root));
    uint32_t len = 0;
    collect_running(c, g->root, victims, &len);
    if (!len)
        return false;
    struct by_name *order = MU_NEW_ARRAY(c->work, struct by_name, len);
    for (uint32_t i = 0; i < len; i++)
        order[i] = (struct by_name){mu_text(c->s->symbols, victims[i]->meta.name), victims[i]};
    qsort(order, len, sizeof *order, by_name_cmp);
    for (uint32_t i = 0; i < len; i++)
        victims[i] = order[i].pod;
    out->decision = MU_EVICT;
    out->reason = MU_REASON_GANG_BROKEN;
    out->victims = victims;
    out->victims_len = len;
    out->message =
        mu_str_printf(c->arena,
                      "broken for longer than its grace period and cannot be completed: its %u running pods go, "
                      "so that its controller can start it anew",
                      len);
    share_decision(g, out);
    return true;
}

/* Remembers a refusal that rests on nothing but what the nodes are and have free. */
static void remember(struct cycle *c, uint32_t i, struct mu_try *t, const struct mu_plan_group *out) {
    struct mu_refusal_memo *memo = &c->waiting->memos[i];
    memo->classes = 0;
    if (t->classes_len > MU_MEMO_CLASSES)
        return;
    for (uint32_t k = 0; k < t->classes_len; k++)
        if (t->classes[k].prepared->related || !t->classes[k].prepared->free_only)
            return;
    struct mu_arena *arena = c->waiting->arena;
    mu_try_refresh(t);
    for (uint32_t k = 0; k < t->classes_len; k++) {
        memo->keys[k] = mu_str_dup(arena, t->classes[k].prepared->key);
        memo->digests[k] = t->classes[k].prepared->digest;
    }
    memo->classes = t->classes_len;
    memo->ending_version = c->s->ending_version;
    memo->reserved = c->nominated_in;
    memo->derived_version = c->s->derived_version;
    memo->refused = *out;
    memo->refused.message = mu_str_dup(arena, out->message);
    memo->refused.pods = MU_NEW_ARRAY(arena, struct mu_plan_pod, out->pods_len);
    for (uint32_t p = 0; p < out->pods_len; p++) {
        memo->refused.pods[p] = out->pods[p];
        memo->refused.pods[p].message = p && out->pods[p].message.ptr == out->pods[p - 1].message.ptr
                                            ? memo->refused.pods[p - 1].message
                                            : mu_str_dup(arena, out->pods[p].message);
    }
}

/* Places the group's minimum and what fits beyond it. */
static struct mu_try *attempt(struct cycle *c, const struct mu_group *g, struct mu_plan_group *out,
                              enum mu_found *ret_found) {
    struct mu_try *t = mu_try_make(c->s, c->settings, g, c->work);
    mu_try_rules(t, MU_RULES_ALL);
    *ret_found = mu_place_minimum(t, true);
    if (*ret_found == MU_FOUND) {
        t->steps += c->settings->step_budget; /* each further pod is a search of its own */
        for (size_t i = 0; i < t->placed.len; i++)
            mu_quota_charge(c->quota, g, t->placed.items[i].pod);
        t->quota = c->quota;
        mu_place_surplus(t);
        accept(c, t, g, out);
    }
    out->steps += t->steps_taken;
    return t;
}

/* Places the group, or says why not. Stale allocations of its claims are kept where they will do, else given up. */
static void search(struct cycle *c, uint32_t i, const struct mu_group *g, struct mu_plan_group *out) {
    mu_mark mark = mu_snapshot_mark(c->s);
    struct mu_devices *d = c->s->devices;
    enum mu_found found;
    struct mu_try *t = attempt(c, g, out, &found);
    size_t depth = d ? mu_devices_depth(d) : 0;
    if (found != MU_FOUND && d && mu_devices_give_up_stale(d, g)) {
        t = attempt(c, g, out, &found);
        if (found == MU_FOUND)
            out->releases = mu_devices_released(d, g, c->arena, &out->releases_len);
    }
    if (found == MU_FOUND)
        return;
    MU_ASSERT(mu_snapshot_mark(c->s) == mark);
    bool evicted = grace_is_over(c, g) && evict(c, g, out);
    if (!evicted && !wait_for_ending(c, t, g, out)) {
        out->decision = MU_PENDING;
        mu_refuse_group(t, found, c->nominated, c->nominated_in, out, c->arena);
        share_decision(g, out);
        remember(c, i, t, out);
    }
    while (d && mu_devices_depth(d) > depth)
        mu_devices_take_up(d);
}

static void refuse_by_quota(struct cycle *c, const struct mu_group *g, struct mu_str why, struct mu_plan_group *out) {
    if (grace_is_over(c, g) && evict(c, g, out))
        return;
    out->decision = MU_PENDING;
    out->reason = MU_REASON_QUOTA_EXCEEDED;
    out->message = why;
    share_decision(g, out);
}

static void decide(struct cycle *c, uint32_t i) {
    const struct mu_group *g = c->waiting->groups->items[i];
    struct mu_plan_group *out = &c->plan->groups[i];
    let_nominated_in(c, g->priority);
    const struct mu_plan_group *known = mu_waiting_recall(c->s, i, c->nominated_in);
    if (known) {
        *out = *known;
        return;
    }
    begin_group(c, g, out);
    struct mu_str past_quota = mu_quota_refusal(c->quota, g, g->root, c->arena);
    if (g->reason == MU_REASON_NONE && past_quota.len)
        refuse_by_quota(c, g, past_quota, out);
    else if (g->reason == MU_REASON_NONE)
        search(c, i, g, out);
    else if (!grace_is_over(c, g) || !evict(c, g, out))
        share_decision(g, out);
}

static int run(void *ctx, struct mu_err *err) {
    struct cycle *c = ctx;
    struct mu_devices *devices;
    int code = mu_devices_get(c->s, c->settings, &devices, err);
    if (code)
        return code;
    c->work = mu_arena_create_child(c->s->arena);
    mu_arena_defer(c->arena, (void (*)(void *))mu_arena_destroy, c->work);
    c->plan = MU_NEW(c->arena, struct mu_plan);
    mu_derived_get(c->s);
    c->waiting = mu_waiting_get(c->s, c->settings, c->now_ns);
    c->quota = mu_quota_begin(c->waiting->groups, c->arena);
    find_nominated(c);
    find_ending(c);
    c->plan->groups = MU_NEW_ARRAY(c->arena, struct mu_plan_group, c->waiting->groups->len);
    for (uint32_t i = 0; i < c->waiting->groups->len; i++) {
        struct mu_arena_mark mark = mu_arena_mark(c->work);
        decide(c, i);
        mu_arena_rollback(c->work, mark);
        mu_prepared_trim(c->s);
        c->plan->groups_len++;
    }
    if (devices)
        c->plan->notes = mu_devices_notes(devices, c->arena, &c->plan->notes_len);
    return 0;
}

static int run_in_snapshot(void *ctx, struct mu_err *err) {
    struct cycle *c = ctx;
    return mu_arena_run(c->s->arena, run, c, err);
}

int mu_cycle(struct mu_snapshot *s, const struct mu_settings *settings, int64_t now_ns, struct mu_arena *arena,
             struct mu_plan **ret_plan, struct mu_err *err) {
    struct cycle c = {.s = s, .settings = settings, .now_ns = now_ns, .arena = arena};
    mu_mark mark = mu_snapshot_mark(s);
    const struct mu_devices *before = s->devices;
    size_t depth = before ? mu_devices_depth(before) : 0;
    int rc = mu_arena_run(arena, run_in_snapshot, &c, err);
    if (rc) { /* what was being worked out may be half done */
        if (s->devices && s->devices == before)
            mu_devices_back_to(s->devices, depth);
        else
            mu_devices_drop(s);
        mu_snapshot_rollback(s, mark);
        mu_waiting_drop(s);
        if (mark == 0)
            mu_derived_drop(s);
        return rc;
    }
    *ret_plan = c.plan;
    return 0;
}
