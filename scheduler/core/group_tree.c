/* Trees of groups: PodGroups and CompositePodGroups name their parents; here they find them.
 *
 * Any object can name any other, so chains may be long and may close. They are walked once each, without recursion;
 * what comes out is a forest no deeper than MU_LIMIT_TREE_DEPTH, over which everything else may recurse. */
#include "scheduler/base/limits.h"
#include "scheduler/core/groups_internal.h"
#include <stdlib.h>

/* A group whose parent is not there (yet) waits for it: its share of a gang of gangs alone is of no use. */
static void find_parents(struct mu_drafting *d) {
    for (size_t i = 0; i < d->drafts.len; i++) {
        struct mu_draft *draft = d->drafts.items[i];
        if (!draft->object || !draft->object->parent)
            continue;
        mu_sym name = draft->object->parent;
        draft->parent = mu_draft_find(d, (struct mu_group_key){draft->key.namespace, MU_FORM_COMPOSITE, name, 0, 0});
        if (!draft->parent)
            draft->refusal =
                (struct mu_refusal){MU_WAIT, MU_REASON_GROUP_NOT_FOUND,
                                    mu_str_printf(d->arena,
                                                  "its parent CompositePodGroup " MU_STR_FMT " does not exist",
                                                  MU_STR_ARG(mu_text(d->symbols, name)))};
    }
}

/* Every group on a cycle is refused alone, as the root of what hangs on it besides the cycle. */
static void cut_cycle(struct mu_drafting *d, struct mu_draft *first) {
    uint32_t len = 1;
    for (const struct mu_draft *at = first->parent; at != first; at = at->parent)
        len++;
    struct mu_draft *at = first;
    for (uint32_t i = 0; i < len; i++) {
        struct mu_draft *parent = at->parent;
        at->refusal =
            mu_senseless(mu_str_printf(d->arena, "it is in a cycle of %u groups by way of its parent " MU_STR_FMT, len,
                                       MU_STR_ARG(mu_text(d->symbols, parent->key.name))));
        at->parent = NULL;
        at->depth = 1;
        at = parent;
    }
}

static void set_depth(struct mu_drafting *d, struct mu_draft *draft) {
    draft->walking = false;
    if (draft->depth)
        return; /* was on a cycle */
    draft->depth = draft->parent ? draft->parent->depth + 1 : 1;
    if (draft->depth <= MU_LIMIT_TREE_DEPTH)
        return;
    draft->refusal = mu_senseless(
        mu_str_printf(d->arena, "it is more than %d levels below its outermost parent", MU_LIMIT_TREE_DEPTH));
    draft->parent = NULL;
    draft->depth = 1;
}

/* Walks up from each draft until it meets one whose depth is known, a root, or its own steps. */
static void set_depths(struct mu_drafting *d) {
    struct mu_draft **path = MU_NEW_ARRAY(d->arena, struct mu_draft *, d->drafts.len);
    for (size_t i = 0; i < d->drafts.len; i++) {
        size_t len = 0;
        struct mu_draft *at = d->drafts.items[i];
        while (at && !at->depth && !at->walking) {
            at->walking = true;
            path[len++] = at;
            at = at->parent;
        }
        if (at && at->walking)
            cut_cycle(d, at);
        while (len > 0)
            set_depth(d, path[--len]);
    }
}

struct by_age {
    int64_t created_ns;
    struct mu_str name;
    struct mu_draft *draft;
};

static int by_age_cmp(const void *a, const void *b) {
    const struct by_age *x = a, *y = b;
    int order = mu_created_cmp(x->created_ns, y->created_ns);
    if (order == 0)
        order = mu_str_cmp(x->name, y->name);
    /* A PodGroup and a composite may share a name. */
    return order ? order : (x->draft->key.form > y->draft->key.form) - (x->draft->key.form < y->draft->key.form);
}

static void sort_children(struct mu_drafting *d, struct mu_draft *draft) {
    struct mu_arena_mark mark = mu_arena_mark(d->arena);
    struct by_age *order = MU_NEW_ARRAY(d->arena, struct by_age, draft->children_len);
    for (uint32_t i = 0; i < draft->children_len; i++) {
        struct mu_draft *child = draft->children[i];
        order[i] = (struct by_age){child->object->meta.created_ns, mu_text(d->symbols, child->key.name), child};
    }
    qsort(order, draft->children_len, sizeof *order, by_age_cmp);
    for (uint32_t i = 0; i < draft->children_len; i++)
        draft->children[i] = order[i].draft;
    mu_arena_rollback(d->arena, mark);
}

static void list_children(struct mu_drafting *d) {
    for (size_t i = 0; i < d->drafts.len; i++)
        if (d->drafts.items[i]->parent)
            d->drafts.items[i]->parent->children_len++;
    for (size_t i = 0; i < d->drafts.len; i++) {
        struct mu_draft *draft = d->drafts.items[i];
        if (draft->children_len > 0)
            draft->children = MU_NEW_ARRAY(d->arena, struct mu_draft *, draft->children_len);
        draft->children_len = 0;
    }
    for (size_t i = 0; i < d->drafts.len; i++) {
        struct mu_draft *draft = d->drafts.items[i];
        if (draft->parent)
            draft->parent->children[draft->parent->children_len++] = draft;
    }
    for (size_t i = 0; i < d->drafts.len; i++)
        if (d->drafts.items[i]->children_len > 1)
            sort_children(d, d->drafts.items[i]);
}

void mu_tree_tie(struct mu_drafting *d) {
    find_parents(d);
    set_depths(d);
    list_children(d);
}

struct mu_draft *mu_tree_root(struct mu_draft *draft) {
    while (draft->parent)
        draft = draft->parent;
    return draft;
}
