/* Membership: which group each pod belongs to (contract 3.10).
 *
 * A pod may name groups of several APIs at once, since tools add their own keys to what others made. Names of groups
 * that do not exist are passed over where another name is right; two that exist contradict each other. */
#include "scheduler/core/groups_internal.h"

#define KEYS_MAX 4

struct named {
    struct mu_group_key keys[KEYS_MAX]; /* in the order in which they count */
    uint32_t len;
};

static void add_key(struct named *named, const struct mu_pod *pod, enum mu_form form, mu_sym name) {
    if (name)
        named->keys[named->len++] = (struct mu_group_key){pod->meta.namespace, (uint32_t)form, name, 0, 0};
}

static struct named names_of(const struct mu_drafting *d, const struct mu_pod *pod) {
    struct named named = {.len = 0};
    add_key(&named, pod, MU_FORM_NATIVE, pod->group);
    add_key(&named, pod, MU_FORM_COSCHEDULING, mu_word_value(&pod->meta.labels, d->words.pod_group));
    mu_sym old = mu_word_value(&pod->meta.annotations, d->words.volcano_old);
    mu_sym new = mu_word_value(&pod->meta.annotations, d->words.volcano_new);
    add_key(&named, pod, MU_FORM_VOLCANO, old);
    if (new != old)
        add_key(&named, pod, MU_FORM_VOLCANO, new);
    return named;
}

/* The groups among them that exist; at most two are of interest. */
static uint32_t existing(struct mu_drafting *d, const struct named *named, struct mu_draft *found[2]) {
    uint32_t len = 0;
    for (uint32_t i = 0; i < named->len && len < 2; i++) {
        found[len] = mu_draft_find(d, named->keys[i]);
        len += found[len] != NULL;
    }
    return len;
}

static const char *api_of(uint32_t form) {
    switch (form) {
    case MU_FORM_NATIVE:
        return "scheduling.k8s.io";
    case MU_FORM_COSCHEDULING:
        return "scheduling.x-k8s.io";
    default:
        return "scheduling.volcano.sh";
    }
}

struct mu_str mu_membership_torn(struct mu_drafting *d, const struct mu_pod *pod) {
    struct named named = names_of(d, pod);
    struct mu_draft *found[2];
    MU_ASSERT(existing(d, &named, found) == 2);
    const struct mu_group_key *a = &found[0]->key, *b = &found[1]->key;
    return mu_str_printf(d->arena,
                         "the pod names 2 groups that exist, PodGroup " MU_STR_FMT " of %s and PodGroup " MU_STR_FMT
                         " of %s, and can be a member of one only",
                         MU_STR_ARG(mu_text(d->symbols, a->name)), api_of(a->form),
                         MU_STR_ARG(mu_text(d->symbols, b->name)), api_of(b->form));
}

static uint32_t find_owner(struct mu_drafting *d, const struct mu_pod *pod) {
    struct named named = names_of(d, pod);
    struct mu_draft *found[2];
    uint32_t len = existing(d, &named, found);
    if (len == 2)
        return MU_OWNER_TORN;
    if (len == 0 && named.len > 0) {
        named.keys[0].form = MU_FORM_MISSING;
        found[0] = mu_draft_make(d, named.keys[0], NULL);
    } else if (len == 0) {
        found[0] = mu_form_of(d, pod);
    }
    return found[0] ? found[0]->index : MU_OWNER_NONE;
}

static void count_member(struct mu_drafting *d, const struct mu_pod *pod, uint32_t owner) {
    struct mu_draft *draft = d->drafts.items[owner];
    draft->members_cap++;
    if (mu_pod_asks(d, pod))
        mu_tree_root(draft)->pending++;
}

void mu_membership_find(struct mu_drafting *d) {
    const struct mu_groups_input *in = d->in;
    d->owner = MU_NEW_ARRAY(d->arena, uint32_t, in->pods_len);
    for (uint32_t i = 0; i < in->pods_len; i++) {
        d->owner[i] = find_owner(d, in->pods[i]);
        if (d->owner[i] < MU_OWNER_TORN)
            count_member(d, in->pods[i], d->owner[i]);
    }
    for (size_t i = 0; i < d->drafts.len; i++)
        d->drafts.items[i]->members = MU_NEW_ARRAY(d->arena, const struct mu_pod *, d->drafts.items[i]->members_cap);
    for (uint32_t i = 0; i < in->pods_len; i++)
        if (d->owner[i] < MU_OWNER_TORN) {
            struct mu_draft *draft = d->drafts.items[d->owner[i]];
            draft->members[draft->members_len++] = in->pods[i];
        }
}
