/* Gangs that no object stands for: their pods' labels name them, and their pods' labels or annotations say how many
 * there must be. */
#include "scheduler/base/limits.h"
#include "scheduler/core/groups_internal.h"

/* Tools put these on pods as labels or as annotations; either counts. */
static mu_sym word_of(const struct mu_pod *pod, mu_sym key) {
    mu_sym value = mu_word_value(&pod->meta.labels, key);
    return value ? value : mu_word_value(&pod->meta.annotations, key);
}

/* One gang a replica. During a rolling update the replicas of two revisions stand side by side. */
static bool lws_key(struct mu_drafting *d, const struct mu_pod *pod, struct mu_group_key *ret) {
    mu_sym name = mu_word_value(&pod->meta.labels, d->words.lws_name);
    mu_sym index = mu_word_value(&pod->meta.labels, d->words.lws_index);
    if (!name || !index)
        return false;
    *ret = (struct mu_group_key){pod->meta.namespace, MU_FORM_LWS_REPLICA, name, index,
                                 mu_word_value(&pod->meta.labels, d->words.lws_revision)};
    return true;
}

static bool form_key(struct mu_drafting *d, const struct mu_pod *pod, struct mu_group_key *ret) {
    if (lws_key(d, pod, ret))
        return true;
    const struct {
        enum mu_form form;
        mu_sym name;
    } forms[] = {
        {MU_FORM_KUEUE, mu_word_value(&pod->meta.labels, d->words.kueue_name)},
        {MU_FORM_SIGS, mu_word_value(&pod->meta.labels, d->words.sigs_name)},
        {MU_FORM_MUSTER, word_of(pod, d->words.muster_name)},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].name) {
            *ret = (struct mu_group_key){pod->meta.namespace, (uint32_t)forms[i].form, forms[i].name, 0, 0};
            return true;
        }
    return false;
}

struct mu_draft *mu_form_of(struct mu_drafting *d, const struct mu_pod *pod) {
    struct mu_group_key key;
    if (!form_key(d, pod, &key))
        return NULL;
    struct mu_draft *draft = mu_draft_make(d, key, NULL);
    if (key.form == MU_FORM_LWS_REPLICA && draft->members_cap == 0) {
        const struct mu_draft *set =
            mu_draft_find(d, (struct mu_group_key){key.namespace, MU_FORM_LWS, key.name, 0, 0});
        draft->set = set ? set->object : NULL;
    }
    return draft;
}

/* Where members say how many there must be. */
struct count_key {
    mu_sym key;
    const char *text;
};

static struct count_key count_key_of(const struct mu_drafting *d, uint32_t form) {
    switch (form) {
    case MU_FORM_LWS_REPLICA:
        return (struct count_key){d->words.lws_size, "leaderworkerset.sigs.k8s.io/size"};
    case MU_FORM_KUEUE:
        return (struct count_key){d->words.kueue_count, "kueue.x-k8s.io/pod-group-total-count"};
    case MU_FORM_SIGS:
        return (struct count_key){d->words.sigs_count, "pod-group.scheduling.sigs.k8s.io/min-available"};
    default:
        return (struct count_key){d->words.muster_count, "scheduling.muster.dev/min-count"};
    }
}

/* The one number that all living members give; false where none gives one, or there is a contradiction. */
static bool agreed_count(struct mu_drafting *d, struct mu_leaf *leaf, const struct count_key *key, int64_t *ret) {
    const struct mu_draft *draft = leaf->draft;
    mu_sym said = 0;
    const struct mu_pod *by = NULL;
    for (uint32_t i = 0; i < draft->members_len; i++) {
        const struct mu_pod *pod = draft->members[i];
        mu_sym value = mu_pod_ended(pod) ? 0 : word_of(pod, key->key);
        if (!value)
            continue;
        if (said && value != said) {
            leaf->senseless = mu_senseless(mu_str_printf(
                d->arena, "%s is " MU_STR_FMT " on pod " MU_STR_FMT " and " MU_STR_FMT " on pod " MU_STR_FMT, key->text,
                MU_STR_ARG(mu_text(d->symbols, said)), MU_STR_ARG(mu_text(d->symbols, by->meta.name)),
                MU_STR_ARG(mu_text(d->symbols, value)), MU_STR_ARG(mu_text(d->symbols, pod->meta.name))));
            return false;
        }
        said = value;
        by = pod;
    }
    if (said && mu_str_to_i64(mu_text(d->symbols, said), ret))
        return true;
    if (said)
        leaf->senseless = mu_senseless(
            mu_str_printf(d->arena, "%s is \"" MU_STR_FMT "\" on pod " MU_STR_FMT ", which is no number", key->text,
                          MU_STR_ARG(mu_text(d->symbols, said)), MU_STR_ARG(mu_text(d->symbols, by->meta.name))));
    return false;
}

/* With startupPolicy LeaderReady the workers are made only once the leader is ready: it cannot wait for them. */
static void set_leader_minimum(struct mu_drafting *d, struct mu_part *part) {
    struct mu_part_role *leader = MU_NEW(d->arena, struct mu_part_role);
    *leader = (struct mu_part_role){mu_intern(d->symbols, MU_STR("leader")), 1, 0};
    part->roles = leader;
    part->roles_len = 1;
    part->minimum = 1;
}

void mu_form_minimum(struct mu_drafting *d, struct mu_leaf *leaf) {
    const struct mu_draft *draft = leaf->draft;
    if (draft->set && draft->set->leader_ready) {
        set_leader_minimum(d, leaf->part);
        return;
    }
    struct count_key key = count_key_of(d, draft->key.form);
    if (agreed_count(d, leaf, &key, &leaf->part->minimum) || mu_refused(&leaf->senseless))
        return;
    if (draft->set)
        leaf->part->minimum = draft->set->min_count;
    else
        leaf->senseless =
            mu_senseless(mu_str_printf(d->arena, "none of its %u members says by %s how many there must be",
                                       draft->members_len, key.text));
}
