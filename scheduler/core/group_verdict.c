/* Verdicts: what is wrong with a group before anyone looks for room, from its parts up to its root.
 *
 * A part stands where its minimum, and each of its roles', can be met by members that are there. Members drop out for
 * several reasons, and the reason that is named is the first in the order below without which the minimum could still
 * be met: members that do not exist, members that make no sense, gated ones, those that are not supported. */
#include "scheduler/base/limits.h"
#include "scheduler/core/groups_internal.h"

/* A step of that order: who drops out, and what is said of it. */
struct hurdle {
    enum mu_decision decision;
    enum mu_reason reason;
    const char *said_of_the_rest; /* "N of the M members that are needed ..." */
};

static const struct hurdle hurdles[MU_HURDLE_COUNT] = {
    [MU_HURDLE_CREATED] = {MU_WAIT, MU_REASON_MEMBERS_MISSING, NULL},
    [MU_HURDLE_VALID] = {MU_PENDING, MU_REASON_INVALID_GROUP, "make sense"},
    [MU_HURDLE_CLAIMS_VALID] = {MU_PENDING, MU_REASON_INVALID_CLAIM, "have claims that make sense"},
    [MU_HURDLE_UNGATED] = {MU_WAIT, MU_REASON_SCHEDULING_GATED, "have no scheduling gate"},
    [MU_HURDLE_CLAIMS_THERE] = {MU_WAIT, MU_REASON_CLAIM_NOT_FOUND, "have their claims"},
};

/* Members that are past the hurdle, and all before it. */
static int64_t past(const struct mu_headcount *n, int hurdle) {
    int64_t left = n->counted;
    for (int at = hurdle + 1; at <= MU_HURDLE_COUNT; at++)
        left += n->at[at];
    return left;
}

/* A group of which nothing is counted needs a member to be more than nothing, whatever its minimum says. */
static int64_t needed(const struct mu_leaf *leaf) {
    return leaf->part->minimum > 0 || leaf->all.counted > 0 ? leaf->part->minimum : 1;
}

/* The first minimum that cannot be met with the members past the hurdle: true, and of which role. */
static bool falls_short(const struct mu_leaf *leaf, int hurdle, uint32_t *ret_role) {
    if (past(&leaf->all, hurdle) < needed(leaf)) {
        *ret_role = UINT32_MAX;
        return true;
    }
    for (uint32_t i = 0; i < leaf->part->roles_len; i++)
        if (past(&leaf->roles[i], hurdle) < leaf->part->roles[i].minimum) {
            *ret_role = i;
            return true;
        }
    return false;
}

static void say_missing(const struct mu_leaf *leaf, bool of_role, struct mu_buf *text) {
    int64_t lost = (int64_t)leaf->members - past(&leaf->all, MU_HURDLE_CREATED);
    mu_buf_printf(text, "members are created");
    if (!of_role && lost > 0)
        mu_buf_printf(text, ", %lld more ended or are being deleted and do not count", (long long)lost);
}

static struct mu_refusal refuse_leaf(struct mu_drafting *d, const struct mu_leaf *leaf, int hurdle, uint32_t role) {
    const struct hurdle *h = &hurdles[hurdle];
    struct mu_refusal refusal = {h->decision, h->reason, {NULL, 0}};
    const struct mu_group_pod *out = &leaf->stopped[hurdle];
    if (!leaf->draft) {
        refusal.message = out->message;
        return refusal;
    }
    bool of_role = role != UINT32_MAX;
    struct mu_buf text;
    mu_buf_init(&text, d->arena);
    if (of_role)
        mu_buf_printf(&text, "role " MU_STR_FMT ": ", MU_STR_ARG(mu_text(d->symbols, leaf->part->roles[role].name)));
    mu_buf_printf(&text, "%lld of %lld ", (long long)past(of_role ? &leaf->roles[role] : &leaf->all, hurdle),
                  (long long)(of_role ? leaf->part->roles[role].minimum : needed(leaf)));
    if (hurdle == MU_HURDLE_CREATED)
        say_missing(leaf, of_role, &text);
    else
        mu_buf_printf(&text, "members that are needed %s (" MU_STR_FMT ": " MU_STR_FMT ")", h->said_of_the_rest,
                      MU_STR_ARG(mu_text(d->symbols, out->pod->meta.name)), MU_STR_ARG(out->message));
    refusal.message = mu_buf_str(&text);
    return refusal;
}

static struct mu_refusal missing_group(struct mu_drafting *d, const struct mu_draft *draft) {
    return (struct mu_refusal){MU_WAIT, MU_REASON_GROUP_NOT_FOUND,
                               mu_str_printf(d->arena,
                                             "PodGroup " MU_STR_FMT " does not exist in namespace " MU_STR_FMT,
                                             MU_STR_ARG(mu_text(d->symbols, draft->key.name)),
                                             MU_STR_ARG(mu_text(d->symbols, draft->key.namespace)))};
}

static struct mu_refusal verdict_of_leaf(struct mu_drafting *d, const struct mu_leaf *leaf) {
    if (mu_refused(&leaf->senseless))
        return leaf->senseless;
    if (leaf->draft && mu_refused(&leaf->draft->refusal))
        return leaf->draft->refusal;
    if (leaf->draft && leaf->draft->key.form == MU_FORM_MISSING)
        return missing_group(d, leaf->draft);
    uint32_t role;
    for (int hurdle = 0; hurdle < MU_HURDLE_COUNT; hurdle++)
        if (falls_short(leaf, hurdle, &role))
            return refuse_leaf(d, leaf, hurdle, role);
    return (struct mu_refusal){0};
}

static void judge_leaf(struct mu_drafting *d, struct mu_judged *judged) {
    const struct mu_leaf *leaf = judged->leaf;
    const struct mu_part *part = leaf->part;
    judged->refusal = verdict_of_leaf(d, leaf);
    judged->started = part->counted > 0;
    judged->met = part->counted >= part->minimum;
    for (uint32_t i = 0; i < part->roles_len; i++)
        judged->met = judged->met && part->roles[i].counted >= part->roles[i].minimum;
    bool gang =
        leaf->draft && leaf->draft->key.form != MU_FORM_MISSING && !part->basic && !mu_refused(&leaf->senseless);
    judged->broken = gang && (judged->started || part->running_len > 0) && !judged->met;
}

/* ------------------------------------------------------------------ composites */

/* In this order a composite's refusals are named: what never changes by itself first. */
static int rank_of(const struct mu_refusal *refusal) {
    switch (refusal->reason) {
    case MU_REASON_NONE:
        return 4;
    case MU_REASON_INVALID_GROUP:
        return 0;
    case MU_REASON_MEMBERS_MISSING:
        return 1;
    case MU_REASON_SCHEDULING_GATED:
        return 2;
    default:
        return 3;
    }
}

static int64_t needed_children(const struct mu_judged *judged) {
    return judged->unit->minimum > 0 || judged->started ? judged->unit->minimum : 1;
}

/* The child whose refusal, with those of lower rank, leaves fewer than are needed; NULL where enough are left. */
static const struct mu_judged *decisive_child(const struct mu_judged *judged) {
    int64_t left = judged->unit->children_len;
    for (int rank = 0; rank < 4; rank++)
        for (uint32_t i = 0; i < judged->unit->children_len; i++)
            if (rank_of(&judged->children[i].refusal) == rank && --left < needed_children(judged))
                return &judged->children[i];
    return NULL;
}

static struct mu_refusal refuse_by_child(struct mu_drafting *d, const struct mu_judged *child) {
    struct mu_refusal refusal = child->refusal;
    refusal.message = mu_str_printf(d->arena, "child group " MU_STR_FMT ": " MU_STR_FMT,
                                    MU_STR_ARG(mu_text(d->symbols, child->unit->name)), MU_STR_ARG(refusal.message));
    return refusal;
}

static struct mu_refusal verdict_of_composite(struct mu_drafting *d, const struct mu_judged *judged) {
    const struct mu_unit *unit = judged->unit;
    const struct mu_group_object *object = judged->draft->object;
    if (object->meta.invalid.len > 0)
        return mu_senseless(object->meta.invalid);
    if (mu_refused(&judged->draft->refusal))
        return judged->draft->refusal;
    if (unit->minimum < 0 || unit->minimum > MU_LIMIT_GROUP_MEMBERS)
        return mu_senseless(mu_str_printf(d->arena, "its minimum of child groups is %lld, and must be between 0 and %d",
                                          (long long)unit->minimum, MU_LIMIT_GROUP_MEMBERS));
    if (unit->children_len < unit->minimum)
        return (struct mu_refusal){MU_WAIT, MU_REASON_MEMBERS_MISSING,
                                   mu_str_printf(d->arena, "%u of %lld child groups are created", unit->children_len,
                                                 (long long)unit->minimum)};
    const struct mu_judged *decisive = decisive_child(judged);
    return decisive ? refuse_by_child(d, decisive) : (struct mu_refusal){0};
}

/* A child that cannot be, in a composite that does without it. */
static void leave_out(struct mu_building *b, struct mu_judged *child) {
    for (uint32_t i = 0; i < child->pods_len; i++) {
        struct mu_group_pod *pod = &b->group->pods[child->pods_first + i];
        if (!pod->ready)
            continue;
        *pod = (struct mu_group_pod){pod->pod, false, child->refusal.decision, child->refusal.reason,
                                     child->refusal.message};
    }
    if (child->leaf)
        child->leaf->part->ready_len = 0;
    for (uint32_t i = 0; i < child->unit->children_len; i++)
        leave_out(b, &child->children[i]);
}

static void sum_up_children(struct mu_judged *judged) {
    int64_t met = 0;
    bool broken = false;
    for (uint32_t i = 0; i < judged->unit->children_len; i++) {
        const struct mu_judged *child = &judged->children[i];
        judged->started = judged->started || child->started;
        broken = broken || child->broken;
        met += child->started && child->met;
    }
    judged->met = met >= judged->unit->minimum;
    judged->broken = broken || (judged->started && !judged->met);
}

void mu_judge(struct mu_building *b, struct mu_judged *judged) {
    if (judged->leaf) {
        judge_leaf(b->d, judged);
        return;
    }
    for (uint32_t i = 0; i < judged->unit->children_len; i++)
        mu_judge(b, &judged->children[i]);
    sum_up_children(judged);
    judged->refusal = verdict_of_composite(b->d, judged);
    for (uint32_t i = 0; i < judged->unit->children_len && !mu_refused(&judged->refusal); i++)
        if (mu_refused(&judged->children[i].refusal))
            leave_out(b, &judged->children[i]);
}
