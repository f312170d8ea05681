/* Priority and preemption policy of a whole group (contract 3.6): its own; else, of a composite, what its PodGroups have
 * of their own; else what its pods have. */
#include "scheduler/core/groups_internal.h"

struct rank {
    bool given;
    int64_t priority;
};

static void take_higher(struct rank *rank, int64_t priority) {
    if (!rank->given || priority > rank->priority)
        *rank = (struct rank){true, priority};
}

/* Kubernetes 1.37 writes priority 0 into every PodGroup, so that 0 without a class was set by nobody. */
static struct rank rank_of_object(const struct mu_drafting *d, const struct mu_group_object *object) {
    if (!object)
        return (struct rank){0};
    if (object->has_priority && (object->priority != 0 || object->priority_class))
        return (struct rank){true, object->priority};
    const struct mu_priority_class *cls = mu_find_priority_class(d, object->priority_class);
    return cls ? (struct rank){true, cls->value} : (struct rank){0};
}

static struct rank rank_of_leaves(const struct mu_building *b) {
    struct rank rank = {0};
    for (size_t i = 0; i < b->leaves.len; i++) {
        const struct mu_draft *draft = b->leaves.items[i]->draft;
        struct rank own = rank_of_object(b->d, draft ? draft->object : NULL);
        if (own.given)
            take_higher(&rank, own.priority);
    }
    return rank;
}

static struct rank rank_of_pods(const struct mu_building *b) {
    struct rank rank = {0};
    if (b->lone)
        take_higher(&rank, b->lone->priority);
    for (size_t i = 0; i < b->leaves.len; i++) {
        const struct mu_draft *draft = b->leaves.items[i]->draft;
        for (uint32_t j = 0; draft && j < draft->members_len; j++)
            take_higher(&rank, draft->members[j]->priority);
    }
    return rank;
}

/* What a class says, or does not need to say: it is PreemptLowerPriority where nothing is written. */
static enum mu_preemption policy_of(const struct mu_drafting *d, enum mu_preemption own, mu_sym class_name) {
    if (own != MU_PREEMPTION_UNSET)
        return own;
    const struct mu_priority_class *cls = mu_find_priority_class(d, class_name);
    if (!cls)
        return MU_PREEMPTION_UNSET;
    return cls->preemption == MU_PREEMPT_NEVER ? MU_PREEMPT_NEVER : MU_PREEMPT_LOWER_PRIORITY;
}

static enum mu_preemption policy_of_object(const struct mu_drafting *d, const struct mu_group_object *object) {
    return object ? policy_of(d, object->preemption, object->priority_class) : MU_PREEMPTION_UNSET;
}

/* Of several: nobody is evicted for a whole of which a part may not evict. */
static enum mu_preemption milder(enum mu_preemption a, enum mu_preemption b) {
    return a > b ? a : b;
}

static enum mu_preemption policy_of_leaves(const struct mu_building *b) {
    enum mu_preemption policy = MU_PREEMPTION_UNSET;
    for (size_t i = 0; i < b->leaves.len; i++) {
        const struct mu_draft *draft = b->leaves.items[i]->draft;
        policy = milder(policy, policy_of_object(b->d, draft ? draft->object : NULL));
    }
    return policy;
}

static enum mu_preemption policy_of_pods(const struct mu_building *b) {
    enum mu_preemption policy = MU_PREEMPT_LOWER_PRIORITY;
    for (uint32_t i = 0; i < b->group->pods_len; i++) {
        const struct mu_pod *pod = b->group->pods[i].pod;
        policy = milder(policy, policy_of(b->d, pod->preemption, pod->priority_class));
    }
    return policy;
}

void mu_group_set_priority(struct mu_building *b) {
    const struct mu_group_object *object = b->draft ? b->draft->object : NULL;
    struct rank rank = rank_of_object(b->d, object);
    if (!rank.given)
        rank = rank_of_leaves(b);
    if (!rank.given)
        rank = rank_of_pods(b);
    b->group->priority = rank.priority;

    enum mu_preemption policy = policy_of_object(b->d, object);
    if (policy == MU_PREEMPTION_UNSET)
        policy = policy_of_leaves(b);
    b->group->preemption = policy == MU_PREEMPTION_UNSET ? policy_of_pods(b) : policy;
}
