/* Waiting; see waiting.h. */
#include "scheduler/core/waiting.h"

void mu_waiting_drop(struct mu_snapshot *s) {
    if (s->waiting)
        mu_arena_destroy(s->waiting->arena);
    s->waiting = NULL;
}

size_t mu_waiting_bytes(const struct mu_snapshot *s) {
    return s->waiting ? mu_arena_bytes(s->waiting->arena) : 0;
}

static struct mu_groups *build(struct mu_snapshot *s, const struct mu_settings *settings, int64_t now_ns,
                               struct mu_arena *arena, bool *ret_depends_on_time) {
    const struct mu_pod **pods = MU_NEW_ARRAY(arena, const struct mu_pod *, s->pods_len);
    struct mu_groups_input in = {
        .symbols = s->symbols, .pods = pods, .devices = s->devices, .settings = settings, .now_ns = now_ns};
    for (uint32_t p = 0; p < s->pods_len; p++) {
        if (!s->pods[p].pod)
            continue;
        *ret_depends_on_time |= s->pods[p].pod->meta.deleted_ns != MU_TIME_NONE;
        pods[in.pods_len++] = s->pods[p].pod;
    }
    if (s->store) {
        in.objects = (const struct mu_group_object *const *)s->store->groups.items;
        in.objects_len = (uint32_t)s->store->groups.len;
        in.queues = (const struct mu_queue *const *)s->store->queues.items;
        in.queues_len = (uint32_t)s->store->queues.len;
        in.priority_classes = (const struct mu_priority_class *const *)s->store->priority_classes.items;
        in.priority_classes_len = (uint32_t)s->store->priority_classes.len;
        in.namespaces = (const struct mu_namespace *const *)s->store->namespaces.items;
        in.namespaces_len = (uint32_t)s->store->namespaces.len;
        in.claims = (const struct mu_claim *const *)s->store->claims.items;
        in.claims_len = (uint32_t)s->store->claims.len;
    }
    return mu_groups_build(&in, arena);
}

struct mu_waiting *mu_waiting_get(struct mu_snapshot *s, const struct mu_settings *settings, int64_t now_ns) {
    struct mu_waiting *w = s->waiting;
    if (w && w->settings == settings && w->membership_version == s->membership_version &&
        (w->now_ns == now_ns || !w->depends_on_time))
        return w;
    mu_waiting_drop(s);
    struct mu_arena *arena = mu_snapshot_child_arena(s);
    w = MU_NEW(arena, struct mu_waiting);
    w->arena = arena;
    w->settings = settings;
    w->now_ns = now_ns;
    w->membership_version = s->membership_version;
    w->groups = build(s, settings, now_ns, arena, &w->depends_on_time);
    for (uint32_t i = 0; i < w->groups->len; i++)
        w->depends_on_time |= w->groups->items[i]->broken;
    w->memos = MU_NEW_ARRAY(arena, struct mu_refusal_memo, w->groups->len);
    s->waiting = w;
    mu_snapshot_made(s);
    return w;
}

const struct mu_plan_group *mu_waiting_recall(struct mu_snapshot *s, uint32_t i, uint32_t reserved) {
    const struct mu_refusal_memo *memo = &s->waiting->memos[i];
    if (!memo->classes || memo->ending_version != s->ending_version || memo->reserved != reserved ||
        memo->derived_version != s->derived_version)
        return NULL;
    for (uint32_t k = 0; k < memo->classes; k++) {
        const struct mu_prepared *p = mu_prepared_find(s, memo->keys[k]);
        if (!p || p->digest != memo->digests[k])
            return NULL;
    }
    return &memo->refused;
}
