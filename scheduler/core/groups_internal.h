/* Groups, from inside: shared by the files that build them, by nobody else.
 *
 * Building goes in steps, each over the whole input: index the objects (group_index.c), tie PodGroups and composites
 * into trees (group_tree.c), find each pod's group (membership.c, group_forms.c), and then, for every tree with a pending
 * pod of ours, make the parts and judge them (group_parts.c, group_verdict.c) and settle what concerns the whole
 * (group_priority.c, group_queue.c, group_topology.c). groups.c leads through it and sorts. */
#ifndef MU_CORE_GROUPS_INTERNAL_H
#define MU_CORE_GROUPS_INTERNAL_H

#include "scheduler/core/groups.h"

/* What a name names: an object of one API, or one of the forms that no object stands for. */
enum mu_form {
    MU_FORM_NATIVE = MU_GROUP_NATIVE,
    MU_FORM_COSCHEDULING = MU_GROUP_COSCHEDULING,
    MU_FORM_VOLCANO = MU_GROUP_VOLCANO,
    MU_FORM_COMPOSITE = MU_GROUP_COMPOSITE,
    MU_FORM_LWS = MU_GROUP_LWS, /* the LeaderWorkerSet itself: no group, its replicas are */
    MU_FORM_LWS_REPLICA,
    MU_FORM_KUEUE,
    MU_FORM_SIGS,   /* pod-group.scheduling.sigs.k8s.io/name */
    MU_FORM_MUSTER, /* scheduling.muster.dev/group-name */
    MU_FORM_MISSING /* pods name it, no object has that name */
};

/* All numbers, without padding: its bytes are its key in a map. */
struct mu_group_key {
    mu_sym namespace;
    uint32_t form;
    mu_sym name, index, revision; /* the last two of a LWS replica only */
};

/* A decision without a search. reason NONE: there is none. */
struct mu_refusal {
    enum mu_decision decision;
    enum mu_reason reason;
    struct mu_str message;
};

/* A group on its way: what names it, its place in the tree, and its members. */
struct mu_draft {
    struct mu_group_key key;
    uint32_t index;                       /* among the drafts */
    const struct mu_group_object *object; /* NULL for the forms without one */
    const struct mu_group_object *set;    /* of a LWS replica: its LeaderWorkerSet; NULL where the input has none */
    struct mu_draft *parent;              /* NULL: a root */
    struct mu_draft **children;           /* of a composite, sorted by age, then name */
    uint32_t children_len;
    const struct mu_pod **members; /* in the input's order until its part is made, then by name */
    uint32_t members_len, members_cap;
    uint32_t pending;          /* pending pods of ours in the whole tree, counted at its root */
    struct mu_refusal refusal; /* what its place in the tree says against it: a cycle, a missing parent */
    uint32_t depth;            /* 1 at the root; 0 not known yet */
    bool walking;
};

/* Keys of labels and annotations; 0 where no object has that one. */
struct mu_group_words {
    mu_sym pod_group, volcano_old, volcano_new, task_spec;
    mu_sym lws_name, lws_index, lws_revision, lws_size, lws_worker;
    mu_sym kueue_name, kueue_count, kueue_required, kueue_preferred;
    mu_sym sigs_name, sigs_count;
    mu_sym muster_name, muster_count;
    mu_sym queue, volcano_queue;
    mu_sym preferred_topology, grace_period, broken_since;
};

struct mu_drafting {
    const struct mu_groups_input *in;
    struct mu_arena *arena;
    struct mu_symbols *symbols;
    struct mu_group_words words;
    MU_VEC(struct mu_draft *) drafts;
    struct mu_map by_key;                               /* of drafts */
    struct mu_draft *last;                              /* found: pods that follow each other mostly share a group */
    struct mu_map queues, priority_classes, namespaces; /* name to index in the input */
    struct mu_claim_index claims;
    mu_sym *scheduler_names; /* by profile */
    uint32_t *owner;         /* by pod: index of its draft, or one of the two below */
};

#define MU_OWNER_NONE UINT32_MAX       /* a lone pod */
#define MU_OWNER_TORN (UINT32_MAX - 1) /* two existing groups claim it */

/* What members must be past to be ready, in the order in which what keeps them off is named. */
enum mu_hurdle {
    MU_HURDLE_CREATED = 0,
    MU_HURDLE_VALID,
    MU_HURDLE_CLAIMS_VALID,
    MU_HURDLE_UNGATED,
    MU_HURDLE_CLAIMS_THERE,
    MU_HURDLE_COUNT /* past all of them: ready */
};

/* What is counted of a part's members, in all or of one role. */
struct mu_headcount {
    int64_t counted;                 /* contract 3.3 */
    int64_t at[MU_HURDLE_COUNT + 1]; /* pending ones of ours, by the hurdle that stops them */
};

/* A leaf as it is judged. */
struct mu_leaf {
    struct mu_draft *draft; /* NULL: a lone pod */
    struct mu_part *part;
    struct mu_headcount all;
    struct mu_headcount *roles;                   /* by role of the part */
    struct mu_map claim_users;                    /* claim to how many may still use it; made with the first claim */
    struct mu_group_pod stopped[MU_HURDLE_COUNT]; /* the first by name at each hurdle; pod NULL: none */
    uint32_t members;                             /* all that exist */
    struct mu_refusal senseless;                  /* its object or its members contradict themselves */
};

/* A tree as it is judged. */
struct mu_judged {
    struct mu_unit *unit;   /* its children stand in the order of those below */
    struct mu_draft *draft; /* NULL: a lone pod */
    struct mu_leaf *leaf;   /* of a leaf; else NULL */
    struct mu_judged *children;
    struct mu_refusal refusal;
    bool started; /* some member below is counted */
    bool met;     /* all its minimums hold by what is counted */
    bool broken;
    uint32_t pods_first, pods_len; /* the pending pods below, in the group's list */
};

/* A group under construction. */
struct mu_building {
    struct mu_drafting *d;
    struct mu_group *group;
    struct mu_judged *root;
    struct mu_draft *draft;    /* of the root; NULL: a lone pod */
    const struct mu_pod *lone; /* else NULL */
    MU_VEC(struct mu_leaf *) leaves;
};

static inline bool mu_pod_ended(const struct mu_pod *pod) {
    return pod->phase == MU_PHASE_SUCCEEDED || pod->phase == MU_PHASE_FAILED;
}

static inline bool mu_pod_waits(const struct mu_pod *pod) {
    return !pod->node && !mu_pod_ended(pod) && pod->meta.deleted_ns == MU_TIME_NONE;
}

static inline mu_sym mu_word_value(const struct mu_labels *labels, mu_sym key) {
    mu_sym value;
    return key && mu_labels_get(labels, key, &value) ? value : 0;
}

static inline bool mu_refused(const struct mu_refusal *refusal) {
    return refusal->reason != MU_REASON_NONE;
}

static inline struct mu_refusal mu_senseless(struct mu_str message) {
    return (struct mu_refusal){MU_PENDING, MU_REASON_INVALID_GROUP, message};
}

/* ---- group_index.c */
void mu_drafting_init(struct mu_drafting *d, const struct mu_groups_input *in, struct mu_arena *arena);
/* NULL where there is none. */
struct mu_draft *mu_draft_find(struct mu_drafting *d, struct mu_group_key key);
/* The draft of that key, made where there is none. */
struct mu_draft *mu_draft_make(struct mu_drafting *d, struct mu_group_key key, const struct mu_group_object *object);
/* The profile that places the pod; NULL: it is not ours. */
const struct mu_profile *mu_pod_profile(const struct mu_drafting *d, const struct mu_pod *pod);
/* A pending pod that is ours to place. */
bool mu_pod_asks(const struct mu_drafting *d, const struct mu_pod *pod);
/* NULL where there is none of that name. */
const struct mu_queue *mu_find_queue(const struct mu_drafting *d, mu_sym name);
const struct mu_priority_class *mu_find_priority_class(const struct mu_drafting *d, mu_sym name);
const struct mu_namespace *mu_find_namespace(const struct mu_drafting *d, mu_sym name);

/* ---- group_tree.c */
/* Ties drafts to their parents. What has none in the end is a root; cycles and too deep nesting are cut. */
void mu_tree_tie(struct mu_drafting *d);
/* The root of the tree that the draft is in. O(depth). */
struct mu_draft *mu_tree_root(struct mu_draft *draft);

/* ---- membership.c */
/* Finds each pod's draft and fills the drafts' members. */
void mu_membership_find(struct mu_drafting *d);
/* Which two existing groups claim a torn pod. */
struct mu_str mu_membership_torn(struct mu_drafting *d, const struct mu_pod *pod);

/* ---- group_forms.c */
/* The draft of a form without object that the pod's labels name (made where it is new), or NULL. */
struct mu_draft *mu_form_of(struct mu_drafting *d, const struct mu_pod *pod);
/* The minimum that the members of such a draft give, and the role of the leader where it alone is the minimum. Writes
 * to the leaf's part, or says in `senseless` why there is none. */
void mu_form_minimum(struct mu_drafting *d, struct mu_leaf *leaf);

/* ---- group_parts.c */
/* Makes the part of a draft, appending the pending pods to the group's list. */
struct mu_leaf *mu_part_make(struct mu_building *b, struct mu_draft *draft);
/* The same for a lone pod. torn: two existing groups claim it. */
struct mu_leaf *mu_part_lone(struct mu_building *b, const struct mu_pod *pod, bool torn);

/* ---- group_verdict.c */
/* Judges a tree from its leaves up: what can be said against it without placing it, and whether it is broken. Pods of
 * children that cannot be, in a composite that can do without them, are no longer ready. */
void mu_judge(struct mu_building *b, struct mu_judged *judged);

/* ---- group_priority.c */
void mu_group_set_priority(struct mu_building *b);

/* ---- group_queue.c */
/* Sets the group's queue, and says where it is not there, closed, or not for this namespace; or where pods name
 * several. */
struct mu_refusal mu_group_set_queue(struct mu_building *b);
/* The queue that an object, or a pod, names; 0: none. */
mu_sym mu_queue_of_object(const struct mu_drafting *d, const struct mu_group_object *object);
mu_sym mu_queue_of_pod(const struct mu_drafting *d, const struct mu_pod *pod);

/* ---- quota.c */
/* The accounts of all queues with what running pods use; NULL where nothing is limited. `d` must live as long. */
struct mu_quota_table *mu_quota_build(struct mu_drafting *d);

/* ---- group_topology.c */
/* The node labels that must be equal for all below the unit. */
void mu_unit_set_topology(struct mu_building *b, struct mu_judged *judged);
void mu_group_set_preferred_topology(struct mu_building *b);

#endif
