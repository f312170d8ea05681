/* Groups: builds every group that has something to decide, and puts them in the order of deciding. */
#include "scheduler/base/checked.h"
#include "scheduler/base/limits.h"
#include "scheduler/core/groups_internal.h"
#include <stdlib.h>

/* ------------------------------------------------------------------ the tree of one group */

static void make_judged(struct mu_building *b, struct mu_judged *judged, struct mu_draft *draft);

static void make_composite(struct mu_building *b, struct mu_judged *judged) {
    const struct mu_draft *draft = judged->draft;
    struct mu_unit *unit = judged->unit;
    unit->basic = draft->object->basic;
    unit->minimum = unit->basic ? 0 : draft->object->min_count;
    unit->children = MU_NEW_ARRAY(b->d->arena, struct mu_unit *, draft->children_len);
    unit->children_len = draft->children_len;
    judged->children = MU_NEW_ARRAY(b->d->arena, struct mu_judged, draft->children_len);
    for (uint32_t i = 0; i < draft->children_len; i++) {
        make_judged(b, &judged->children[i], draft->children[i]);
        unit->children[i] = judged->children[i].unit;
    }
}

/* A replica of a LeaderWorkerSet is named as its leader's pod is. */
static mu_sym name_of(struct mu_drafting *d, const struct mu_draft *draft) {
    if (draft->key.form != MU_FORM_LWS_REPLICA)
        return draft->key.name;
    return mu_intern(d->symbols, mu_str_printf(d->arena, MU_STR_FMT "-" MU_STR_FMT,
                                               MU_STR_ARG(mu_text(d->symbols, draft->key.name)),
                                               MU_STR_ARG(mu_text(d->symbols, draft->key.index))));
}

/* Recursion is as deep as group_tree.c lets trees be. */
static void make_judged(struct mu_building *b, struct mu_judged *judged, struct mu_draft *draft) {
    judged->draft = draft;
    judged->unit = MU_NEW(b->d->arena, struct mu_unit);
    judged->unit->name = name_of(b->d, draft);
    judged->pods_first = b->group->pods_len;
    if (draft->key.form == MU_FORM_COMPOSITE) {
        make_composite(b, judged);
    } else {
        judged->leaf = mu_part_make(b, draft);
        judged->leaf->part->name = judged->unit->name;
        judged->unit->part = judged->leaf->part;
    }
    judged->pods_len = b->group->pods_len - judged->pods_first;
    mu_unit_set_topology(b, judged);
}

static int int64_cmp(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* How many members there must be at least for the unit to count as placed: of a composite, those of its children with
 * the least minimums. */
static int64_t least_members(struct mu_arena *arena, const struct mu_unit *unit) {
    if (unit->part)
        return unit->part->minimum;
    struct mu_arena_mark mark = mu_arena_mark(arena);
    int64_t *least = MU_NEW_ARRAY(arena, int64_t, unit->children_len);
    for (uint32_t i = 0; i < unit->children_len; i++)
        least[i] = least_members(arena, unit->children[i]);
    if (unit->children_len > 0)
        qsort(least, unit->children_len, sizeof *least, int64_cmp);
    int64_t sum = 0;
    int64_t children = unit->basic ? 1 : unit->minimum;
    for (uint32_t i = 0; i < unit->children_len && i < children; i++)
        sum = mu_sat_add(sum, least[i]);
    mu_arena_rollback(arena, mark);
    return sum;
}

/* ------------------------------------------------------------------ what concerns the whole */

/* Two schedulers that place one gang would wait for each other forever. */
static struct mu_refusal check_schedulers(struct mu_building *b) {
    const struct mu_drafting *d = b->d;
    const struct mu_pod *first = b->lone;
    for (size_t i = 0; i < b->leaves.len; i++) {
        const struct mu_draft *draft = b->leaves.items[i]->draft;
        for (uint32_t j = 0; draft && j < draft->members_len; j++) {
            const struct mu_pod *pod = draft->members[j];
            if (mu_pod_ended(pod) || pod->meta.deleted_ns != MU_TIME_NONE)
                continue;
            if (first && first->spec->scheduler != pod->spec->scheduler)
                return mu_senseless(mu_str_printf(d->arena,
                                                  "its pods name several schedulers, " MU_STR_FMT " by pod " MU_STR_FMT
                                                  " and " MU_STR_FMT " by pod " MU_STR_FMT
                                                  ", and one must place them all",
                                                  MU_STR_ARG(mu_text(d->symbols, first->spec->scheduler)),
                                                  MU_STR_ARG(mu_text(d->symbols, first->meta.name)),
                                                  MU_STR_ARG(mu_text(d->symbols, pod->spec->scheduler)),
                                                  MU_STR_ARG(mu_text(d->symbols, pod->meta.name))));
            first = first ? first : pod;
        }
    }
    return (struct mu_refusal){0};
}

static void set_profile(struct mu_building *b) {
    if (b->group->pods_len > 0)
        b->group->profile = mu_pod_profile(b->d, b->group->pods[0].pod);
    for (size_t i = 0; i < b->leaves.len; i++) {
        const struct mu_part *part = b->leaves.items[i]->part;
        for (uint32_t j = 0; j < part->running_len && !b->group->profile; j++)
            b->group->profile = mu_pod_profile(b->d, part->running[j]);
    }
}

static void set_created(struct mu_building *b) {
    b->group->created_ns = b->lone ? b->lone->meta.created_ns : MU_TIME_NONE;
    if (b->draft && b->draft->object) {
        b->group->created_ns = b->draft->object->meta.created_ns;
        return;
    }
    for (uint32_t i = 0; b->draft && i < b->draft->members_len; i++) {
        int64_t created_ns = b->draft->members[i]->meta.created_ns;
        if (mu_created_cmp(created_ns, b->group->created_ns) < 0)
            b->group->created_ns = created_ns;
    }
}

/* The grace period of a broken group: its annotation, or the configuration's. */
static struct mu_refusal set_grace(struct mu_building *b) {
    const struct mu_drafting *d = b->d;
    const struct mu_draft *draft = b->draft;
    b->group->grace_ns = d->in->settings->gang_grace_period_ns;
    const struct mu_group_object *object = draft ? draft->object ? draft->object : draft->set : NULL;
    mu_sym value = object ? mu_word_value(&object->meta.annotations, d->words.grace_period) : 0;
    if (!value)
        return (struct mu_refusal){0};
    struct mu_str text = mu_text(d->symbols, value);
    if (mu_str_eq(text, MU_STR("never"))) {
        b->group->grace_ns = MU_TIME_NONE;
        return (struct mu_refusal){0};
    }
    if (mu_duration_parse(text, &b->group->grace_ns))
        return (struct mu_refusal){0};
    b->group->grace_ns = MU_TIME_NONE;
    return mu_senseless(mu_str_printf(d->arena,
                                      "annotation scheduling.muster.dev/grace-period is \"" MU_STR_FMT
                                      "\", which is no duration and not never",
                                      MU_STR_ARG(text)));
}

static bool any_running(const struct mu_building *b) {
    for (size_t i = 0; i < b->leaves.len; i++)
        if (b->leaves.items[i]->part->running_len > 0)
            return true;
    return false;
}

/* The clock is what the daemon wrote when it saw the group broken; an annotation that is no time was not its own. */
static void set_broken(struct mu_building *b) {
    const struct mu_drafting *d = b->d;
    struct mu_group *group = b->group;
    const struct mu_group_object *object = b->draft ? b->draft->object : NULL;
    mu_sym value = object ? mu_word_value(&object->meta.annotations, d->words.broken_since) : 0;
    int64_t since_ns = d->in->now_ns;
    bool marked = value && mu_time_parse(mu_text(d->symbols, value), &since_ns);
    group->broken_since_ns = MU_TIME_NONE;
    group->broken = b->root->broken || (marked && !b->root->met);
    if (!group->broken)
        return;
    group->broken_since_ns = since_ns;
    if (!any_running(b))
        group->grace_ns = MU_TIME_NONE; /* nothing is left that could be evicted */
}

/* ------------------------------------------------------------------ the group */

struct by_name {
    struct mu_str name;
    struct mu_group_pod pod;
};

static int by_name_cmp(const void *a, const void *b) {
    const struct by_name *x = a, *y = b;
    return mu_str_cmp(x->name, y->name);
}

/* Each part brought its own pods in order. */
static void sort_pods(struct mu_building *b) {
    struct mu_group *group = b->group;
    if (b->leaves.len < 2 || group->pods_len < 2)
        return;
    struct mu_arena_mark mark = mu_arena_mark(b->d->arena);
    struct by_name *order = MU_NEW_ARRAY(b->d->arena, struct by_name, group->pods_len);
    for (uint32_t i = 0; i < group->pods_len; i++)
        order[i] = (struct by_name){mu_text(b->d->symbols, group->pods[i].pod->meta.name), group->pods[i]};
    qsort(order, group->pods_len, sizeof *order, by_name_cmp);
    for (uint32_t i = 0; i < group->pods_len; i++)
        group->pods[i] = order[i].pod;
    mu_arena_rollback(b->d->arena, mark);
}

/* The first of what is said against the group: that it makes no sense or lacks its parent, its queue, its members. */
static struct mu_refusal find_refusal(struct mu_building *b, const struct mu_refusal *schedulers) {
    struct mu_refusal grace = set_grace(b);
    struct mu_refusal queue = mu_group_set_queue(b);
    const struct mu_refusal *tree = &b->root->refusal;
    bool first = tree->reason == MU_REASON_INVALID_GROUP || tree->reason == MU_REASON_GROUP_NOT_FOUND;
    const struct mu_refusal *said[] = {schedulers, &grace, first ? tree : schedulers, &queue, tree};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (mu_refused(said[i]))
            return *said[i];
    return (struct mu_refusal){0};
}

static void decide(struct mu_building *b) {
    struct mu_group *group = b->group;
    struct mu_refusal schedulers = check_schedulers(b);
    struct mu_refusal refusal = find_refusal(b, &schedulers);
    group->decision = mu_refused(&refusal) ? refusal.decision : MU_PENDING;
    group->reason = refusal.reason;
    group->message = refusal.message;
    if (mu_refused(&schedulers))
        group->broken_since_ns = MU_TIME_NONE; /* the other scheduler's members are not ours to clear away */
    else
        set_broken(b);
    for (uint32_t i = 0; i < group->pods_len; i++)
        if (group->pods[i].ready)
            group->pods[i].decision = group->decision;
}

static struct mu_group *finish(struct mu_building *b) {
    b->group->root = b->root->unit;
    b->group->min_count = least_members(b->d->arena, b->root->unit);
    mu_judge(b, b->root);
    sort_pods(b);
    set_profile(b);
    set_created(b);
    mu_group_set_priority(b);
    mu_group_set_preferred_topology(b);
    decide(b);
    return b->group;
}

static struct mu_building begin(struct mu_drafting *d, enum mu_group_kind kind, mu_sym namespace, mu_sym name,
                                uint32_t pods) {
    struct mu_building b = {.d = d,
                            .group = MU_NEW(d->arena, struct mu_group),
                            .root = MU_NEW(d->arena, struct mu_judged)};
    b.group->kind = kind;
    b.group->namespace = namespace;
    b.group->name = name;
    b.group->pods = MU_NEW_ARRAY(d->arena, struct mu_group_pod, pods);
    return b;
}

static struct mu_group *build(struct mu_drafting *d, struct mu_draft *draft) {
    enum mu_group_kind kind = draft->key.form == MU_FORM_COMPOSITE ? MU_KIND_COMPOSITE : MU_KIND_POD_GROUP;
    struct mu_building b = begin(d, kind, draft->key.namespace, 0, draft->pending);
    b.draft = draft;
    make_judged(&b, b.root, draft);
    b.group->name = b.root->unit->name;
    return finish(&b);
}

static struct mu_group *build_lone(struct mu_drafting *d, const struct mu_pod *pod, bool torn) {
    struct mu_building b = begin(d, MU_KIND_POD, pod->meta.namespace, pod->meta.name, 1);
    b.lone = pod;
    b.root->unit = MU_NEW(d->arena, struct mu_unit);
    b.root->unit->name = pod->meta.name;
    b.root->leaf = mu_part_lone(&b, pod, torn);
    b.root->unit->part = b.root->leaf->part;
    b.root->pods_len = 1;
    mu_unit_set_topology(&b, b.root);
    return finish(&b);
}

/* ------------------------------------------------------------------ all of them, in order */

/* What orders groups; the last two tell apart what has one name: groups of several APIs, replicas of two revisions. */
struct in_order {
    struct mu_group *group;
    struct mu_str namespace, name, revision;
    uint32_t form;
};

static int in_order_cmp(const void *a, const void *b) {
    const struct in_order *x = a, *y = b;
    const struct mu_group *g = x->group, *h = y->group;
    if (g->priority != h->priority)
        return g->priority > h->priority ? -1 : 1;
    if (g->broken != h->broken)
        return g->broken ? -1 : 1;
    int order = mu_created_cmp(g->created_ns, h->created_ns);
    order = order ? order : mu_str_cmp(x->namespace, y->namespace);
    order = order ? order : mu_str_cmp(x->name, y->name);
    order = order ? order : (x->form > y->form) - (x->form < y->form);
    return order ? order : mu_str_cmp(x->revision, y->revision);
}

struct listing {
    struct mu_drafting *d;
    MU_VEC(struct in_order) groups;
};

static void list_group(struct listing *listing, struct mu_group *group, const struct mu_group_key *key) {
    struct mu_symbols *symbols = listing->d->symbols;
    struct in_order entry = {group, mu_text(symbols, group->namespace), mu_text(symbols, group->name),
                             mu_text(symbols, key ? key->revision : 0), key ? key->form : UINT32_MAX};
    MU_VEC_PUSH(listing->d->arena, &listing->groups, entry);
}

/* Broken since longer than its grace, and ours to clear away. */
static bool is_overdue(const struct mu_drafting *d, const struct mu_group *group) {
    return group->profile && group->broken && group->grace_ns != MU_TIME_NONE &&
           mu_sat_add(group->broken_since_ns, group->grace_ns) <= d->in->now_ns;
}

static void list_groups(struct listing *listing) {
    struct mu_drafting *d = listing->d;
    for (size_t i = 0; i < d->drafts.len; i++) {
        struct mu_draft *draft = d->drafts.items[i];
        bool marked = draft->object && draft->key.form != MU_FORM_LWS &&
                      mu_word_value(&draft->object->meta.annotations, d->words.broken_since);
        if (draft->parent || (draft->pending == 0 && !marked))
            continue;
        struct mu_group *group = build(d, draft);
        if (group->pods_len > 0 || is_overdue(d, group))
            list_group(listing, group, &draft->key);
    }
}

static void list_lone_pods(struct listing *listing) {
    struct mu_drafting *d = listing->d;
    for (uint32_t i = 0; i < d->in->pods_len; i++)
        if (d->owner[i] >= MU_OWNER_TORN && mu_pod_asks(d, d->in->pods[i]))
            list_group(listing, build_lone(d, d->in->pods[i], d->owner[i] == MU_OWNER_TORN), NULL);
}

struct mu_groups *mu_groups_build(const struct mu_groups_input *input, struct mu_arena *arena) {
    struct mu_drafting *d = MU_NEW(arena, struct mu_drafting);
    struct mu_groups_input *in = MU_NEW(arena, struct mu_groups_input);
    *in = *input;
    mu_drafting_init(d, in, arena);
    mu_tree_tie(d);
    mu_membership_find(d);
    struct listing listing = {.d = d};
    list_groups(&listing);
    list_lone_pods(&listing);
    if (listing.groups.len > 0)
        qsort(listing.groups.items, listing.groups.len, sizeof *listing.groups.items, in_order_cmp);
    struct mu_groups *groups = MU_NEW(arena, struct mu_groups);
    groups->len = (uint32_t)listing.groups.len;
    groups->quota = mu_quota_build(d);
    groups->items = MU_NEW_ARRAY(arena, struct mu_group *, listing.groups.len);
    for (uint32_t i = 0; i < groups->len; i++)
        groups->items[i] = listing.groups.items[i].group;
    return groups;
}
