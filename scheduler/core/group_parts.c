/* Parts: the members of one group, counted and sorted out into those that run and those that may be placed. */
#include "scheduler/base/limits.h"
#include "scheduler/core/groups_internal.h"
#include <stdlib.h>

struct by_name {
    struct mu_str name;
    const struct mu_pod *pod;
};

static int by_name_cmp(const void *a, const void *b) {
    const struct by_name *x = a, *y = b;
    return mu_str_cmp(x->name, y->name);
}

/* Most inputs come sorted; a look is cheaper than a sort. */
static bool are_sorted(const struct mu_drafting *d, const struct mu_draft *draft) {
    for (uint32_t i = 1; i < draft->members_len; i++)
        if (mu_sym_cmp(d->symbols, draft->members[i - 1]->meta.name, draft->members[i]->meta.name) > 0)
            return false;
    return true;
}

static void sort_members(struct mu_drafting *d, struct mu_draft *draft) {
    if (are_sorted(d, draft))
        return;
    struct mu_arena_mark mark = mu_arena_mark(d->arena);
    struct by_name *order = MU_NEW_ARRAY(d->arena, struct by_name, draft->members_len);
    for (uint32_t i = 0; i < draft->members_len; i++)
        order[i] = (struct by_name){mu_text(d->symbols, draft->members[i]->meta.name), draft->members[i]};
    qsort(order, draft->members_len, sizeof *order, by_name_cmp);
    for (uint32_t i = 0; i < draft->members_len; i++)
        draft->members[i] = order[i].pod;
    mu_arena_rollback(d->arena, mark);
}

/* ------------------------------------------------------------------ minimums */

static void check_minimum(struct mu_drafting *d, struct mu_leaf *leaf, mu_sym role, int64_t minimum) {
    if (mu_refused(&leaf->senseless) || (minimum >= 0 && minimum <= MU_LIMIT_GROUP_MEMBERS))
        return;
    struct mu_str of = MU_STR("its minimum");
    if (role)
        of = mu_str_printf(d->arena, "the minimum of its role " MU_STR_FMT, MU_STR_ARG(mu_text(d->symbols, role)));
    leaf->senseless = mu_senseless(mu_str_printf(d->arena, MU_STR_FMT " is %lld, and must be between 0 and %d",
                                                 MU_STR_ARG(of), (long long)minimum, MU_LIMIT_GROUP_MEMBERS));
}

static void set_object_minimum(struct mu_drafting *d, struct mu_leaf *leaf, const struct mu_group_object *object) {
    struct mu_part *part = leaf->part;
    part->basic = object->basic;
    part->minimum = object->basic ? 1 : object->min_count;
    struct mu_part_role *roles = MU_NEW_ARRAY(d->arena, struct mu_part_role, object->roles_len);
    for (uint32_t i = 0; i < object->roles_len; i++)
        roles[i] = (struct mu_part_role){object->roles[i].name, object->roles[i].minimum, 0};
    part->roles = roles;
    part->roles_len = object->roles_len;
}

static void set_minimums(struct mu_drafting *d, struct mu_leaf *leaf) {
    const struct mu_group_object *object = leaf->draft->object ? leaf->draft->object : leaf->draft->set;
    if (object && object->meta.invalid.len > 0)
        leaf->senseless = mu_senseless(object->meta.invalid);
    if (leaf->draft->object)
        set_object_minimum(d, leaf, leaf->draft->object);
    else if (leaf->draft->key.form != MU_FORM_MISSING)
        mu_form_minimum(d, leaf);
    check_minimum(d, leaf, 0, leaf->part->minimum);
    for (uint32_t i = 0; i < leaf->part->roles_len; i++)
        check_minimum(d, leaf, leaf->part->roles[i].name, leaf->part->roles[i].minimum);
}

/* ------------------------------------------------------------------ members */

/* A part whose roles are not Volcano's has one, its leader's. */
static uint32_t role_of(const struct mu_drafting *d, const struct mu_leaf *leaf, const struct mu_pod *pod) {
    const struct mu_part *part = leaf->part;
    if (part->roles_len == 0)
        return UINT32_MAX;
    if (leaf->draft->key.form == MU_FORM_LWS_REPLICA) {
        mu_sym worker = mu_word_value(&pod->meta.labels, d->words.lws_worker);
        return mu_str_eq(mu_text(d->symbols, worker), MU_STR("0")) ? 0 : UINT32_MAX;
    }
    mu_sym name = mu_word_value(&pod->meta.annotations, d->words.task_spec);
    uint32_t from = 0, to = part->roles_len;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        int order = mu_sym_cmp(d->symbols, part->roles[middle].name, name);
        if (order == 0)
            return middle;
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return UINT32_MAX;
}

/* Contract 3.3. */
static bool counts(const struct mu_drafting *d, const struct mu_pod *pod) {
    if (pod->phase == MU_PHASE_SUCCEEDED)
        return true;
    if (!pod->node || pod->phase == MU_PHASE_FAILED)
        return false;
    return pod->meta.deleted_ns == MU_TIME_NONE || d->in->now_ns <= pod->meta.deleted_ns;
}

static struct mu_group_pod stop(const struct mu_pod *pod, enum mu_decision decision, enum mu_reason reason,
                                struct mu_str message) {
    return (struct mu_group_pod){pod, false, decision, reason, message};
}

static struct mu_group_pod judge_pod(const struct mu_drafting *d, const struct mu_pod *pod,
                                     const struct mu_pod_claims *claims, enum mu_hurdle *ret_at) {
    *ret_at = MU_HURDLE_VALID;
    if (pod->meta.invalid.len > 0)
        return stop(pod, MU_PENDING, MU_REASON_INVALID_GROUP, pod->meta.invalid);
    *ret_at = MU_HURDLE_CLAIMS_VALID;
    if (claims->reason == MU_REASON_INVALID_CLAIM)
        return stop(pod, MU_PENDING, claims->reason, claims->message);
    *ret_at = MU_HURDLE_UNGATED;
    if (pod->gated)
        return stop(pod, MU_WAIT, MU_REASON_SCHEDULING_GATED,
                    mu_str_printf(d->arena, "scheduling gate " MU_STR_FMT " is set",
                                  MU_STR_ARG(mu_text(d->symbols, pod->gate))));
    *ret_at = MU_HURDLE_CLAIMS_THERE;
    if (claims->reason == MU_REASON_CLAIM_NOT_FOUND)
        return stop(pod, MU_WAIT, claims->reason, claims->message);
    *ret_at = MU_HURDLE_COUNT;
    return (struct mu_group_pod){.pod = pod, .decision = MU_PENDING, .ready = true};
}

/* Takes a place among the consumers of each claim that the pod shares; where one has no place left, says so. */
static void take_places(const struct mu_drafting *d, struct mu_leaf *leaf, struct mu_pod_claims *claims) {
    if (claims->len && !leaf->claim_users.arena)
        mu_map_init(&leaf->claim_users, d->arena, 1);
    for (uint32_t i = 0; i < claims->len && claims->reason != MU_REASON_INVALID_CLAIM; i++) {
        const struct mu_claim *claim = claims->items[i].claim;
        struct mu_str key = {(const char *)&claim->meta.name, sizeof claim->meta.name};
        uint32_t used;
        if (claims->items[i].of_group)
            continue;
        if (!mu_map_get(&leaf->claim_users, key, &used))
            used = claim->reserved_for_len;
        if (used < MU_CLAIM_CONSUMERS_MAX) {
            mu_map_put(&leaf->claim_users, key, used + 1);
            continue;
        }
        claims->reason = MU_REASON_INVALID_CLAIM;
        claims->message =
            mu_str_printf(d->arena, "ResourceClaim " MU_STR_FMT " has %d users before it, and may have no more",
                          MU_STR_ARG(mu_text(d->symbols, claim->meta.name)), MU_CLAIM_CONSUMERS_MAX);
    }
}

/* Where the members of a part are written to while they are sorted out. */
struct sorting {
    const struct mu_pod **ready, **running;
    uint32_t *ready_role;
    struct mu_pod_claims *ready_claims;
};

static void add_pending(struct mu_building *b, struct mu_leaf *leaf, struct sorting *to, const struct mu_pod *pod,
                        uint32_t role) {
    enum mu_hurdle at;
    struct mu_pod_claims claims = mu_claims_of(&b->d->claims, pod, leaf->part->object, b->d->arena);
    take_places(b->d, leaf, &claims);
    struct mu_group_pod judged = judge_pod(b->d, pod, &claims, &at);
    b->group->pods[b->group->pods_len++] = judged;
    leaf->all.at[at]++;
    if (role != UINT32_MAX)
        leaf->roles[role].at[at]++;
    if (at < MU_HURDLE_COUNT) {
        if (!leaf->stopped[at].pod)
            leaf->stopped[at] = judged;
        return;
    }
    to->ready[leaf->part->ready_len] = pod;
    to->ready_claims[leaf->part->ready_len] = claims;
    to->ready_role[leaf->part->ready_len++] = role;
}

static void add_member(struct mu_building *b, struct mu_leaf *leaf, struct sorting *to, const struct mu_pod *pod) {
    uint32_t role = role_of(b->d, leaf, pod);
    if (counts(b->d, pod)) {
        leaf->all.counted++;
        if (role != UINT32_MAX)
            leaf->roles[role].counted++;
    }
    if (pod->node && !mu_pod_ended(pod))
        to->running[leaf->part->running_len++] = pod;
    if (mu_pod_asks(b->d, pod))
        add_pending(b, leaf, to, pod, role);
}

static struct mu_leaf *new_leaf(struct mu_building *b, struct mu_draft *draft) {
    struct mu_leaf *leaf = MU_NEW(b->d->arena, struct mu_leaf);
    leaf->draft = draft;
    leaf->part = MU_NEW(b->d->arena, struct mu_part);
    MU_VEC_PUSH(b->d->arena, &b->leaves, leaf);
    return leaf;
}

static struct sorting new_sorting(struct mu_building *b, uint32_t members) {
    return (struct sorting){
        .ready = MU_NEW_ARRAY(b->d->arena, const struct mu_pod *, members),
        .running = MU_NEW_ARRAY(b->d->arena, const struct mu_pod *, members),
        .ready_role = MU_NEW_ARRAY(b->d->arena, uint32_t, members),
        .ready_claims = MU_NEW_ARRAY(b->d->arena, struct mu_pod_claims, members),
    };
}

static void finish_part(struct mu_building *b, struct mu_leaf *leaf, const struct sorting *sorted) {
    struct mu_part *part = leaf->part;
    part->counted = leaf->all.counted;
    part->ready = sorted->ready;
    part->ready_role = sorted->ready_role;
    part->ready_claims = sorted->ready_claims;
    part->running = sorted->running;
    struct mu_part_role *roles = MU_NEW_ARRAY(b->d->arena, struct mu_part_role, part->roles_len);
    for (uint32_t i = 0; i < part->roles_len; i++) {
        roles[i] = part->roles[i];
        roles[i].counted = leaf->roles[i].counted;
    }
    part->roles = roles;
}

struct mu_leaf *mu_part_make(struct mu_building *b, struct mu_draft *draft) {
    struct mu_leaf *leaf = new_leaf(b, draft);
    leaf->part->object = draft->object;
    leaf->part->name = draft->key.name;
    leaf->members = draft->members_len;
    sort_members(b->d, draft);
    set_minimums(b->d, leaf);
    leaf->roles = MU_NEW_ARRAY(b->d->arena, struct mu_headcount, leaf->part->roles_len);
    struct sorting sorted = new_sorting(b, draft->members_len);
    for (uint32_t i = 0; i < draft->members_len; i++)
        add_member(b, leaf, &sorted, draft->members[i]);
    finish_part(b, leaf, &sorted);
    return leaf;
}

struct mu_leaf *mu_part_lone(struct mu_building *b, const struct mu_pod *pod, bool torn) {
    struct mu_leaf *leaf = new_leaf(b, NULL);
    leaf->part->name = pod->meta.name;
    leaf->part->minimum = 1;
    leaf->members = 1;
    struct sorting sorted = new_sorting(b, 1);
    if (torn) {
        leaf->stopped[MU_HURDLE_VALID] = stop(pod, MU_PENDING, MU_REASON_INVALID_GROUP, mu_membership_torn(b->d, pod));
        leaf->all.at[MU_HURDLE_VALID]++;
        b->group->pods[b->group->pods_len++] = leaf->stopped[MU_HURDLE_VALID];
    } else {
        add_pending(b, leaf, &sorted, pod, UINT32_MAX);
    }
    finish_part(b, leaf, &sorted);
    return leaf;
}
