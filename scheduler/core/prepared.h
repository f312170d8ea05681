/* Prepared classes: what the plugins say of one class on every node, remembered between groups of the same shape.
 *
 * For each node: how many pods of the class it takes (`room`) and how good it is (`score`), worked out once and again
 * only for nodes that changed since. Rules that look at other nodes are not remembered but asked each time. */
#ifndef MU_CORE_PREPARED_H
#define MU_CORE_PREPARED_H

#include "scheduler/core/settings.h"
#include "scheduler/core/snapshot_internal.h"

/* Bits of the stages whose rules hold; a search with fewer rules tells which of them leaves no placement. */
#define MU_RULES_OF(stage) (1u << (stage))
#define MU_RULES_ALL ((1u << MU_STAGE_COUNT) - 1)

struct mu_active {
    const struct mu_enabled_plugin *enabled;
    void *prepared;
    struct mu_reach reach;
};

/* Nodes that one rule refuses with one phrase and subject; filter MU_NO_SLOT: the class fits there. Rules of scope
 * CLUSTER are not among these. */
struct mu_refused {
    uint32_t filter; /* index into `filters` */
    struct mu_verdict verdict;
    uint32_t nodes;
};

struct mu_prepared {
    struct mu_arena *arena;
    struct mu_str key;
    const struct mu_profile *profile;
    unsigned rules;
    struct mu_class cls; /* with one pod, that stands for all */
    const struct mu_pod *pod;
    const struct mu_needs *needs;
    struct mu_active *filters, *scores; /* in the profile's order; those with something to say */
    uint32_t filters_len, scores_len;
    const struct mu_topology *apart; /* no domain of it takes more than one further pod; NULL: no such rule */
    bool related;                    /* some rule looks at other nodes: never solved by counting */
    bool free_only;                  /* all rules of scope NODE look at free resources alone (stage Resource) */
    bool unproved;                   /* a rule could not look at everything: there may be more room than it says */
    bool score_related;              /* some score looks at other nodes */
    unsigned stages;                 /* bits of the stages that have a rule for this class */
    uint64_t seen;                   /* changes of the snapshot that are worked in */
    int32_t *room;                   /* by node slot; 0 where it does not fit; rules of scope CLUSTER apart */
    int32_t *score;                  /* sum of weighted scores, those of scope CLUSTER apart */
    uint64_t *print;      /* by node slot: digest of room, refusal, score and what is free of what it asks for */
    uint32_t *refused_by; /* by node slot: index into `refused` plus 1; 0: no such node */
    MU_VEC(struct mu_refused) refused;
    uint64_t digest; /* sum of the prints: equal when nothing changed for this class */
    int64_t total;   /* sum of room */
    uint32_t *tree;  /* tournament over the nodes: [1] is the best with room, MU_NO_SLOT where there is none */
    uint32_t leaves;
    uint32_t pins; /* placements in the journal that were made with it */
    bool reserves; /* some plugin keeps tentative state of its own for this class */
    uint64_t used; /* when last asked for, for the cache */
};

/* The class as prepared with these rules, with every change of the snapshot worked in. `key` tells it apart from other
 * classes of the same spec and namespace. Valid until mu_prepared_trim() or a change of the cluster's nodes. */
struct mu_prepared *mu_prepared_get(struct mu_snapshot *s, const struct mu_profile *profile, unsigned rules,
                                    const struct mu_class *cls, struct mu_str key);
/* The prepared class of that key where it is still kept, with every change worked in; else NULL. */
struct mu_prepared *mu_prepared_find(struct mu_snapshot *s, struct mu_str key);
/* Works in what changed since. O(changed nodes). */
void mu_prepared_refresh(struct mu_snapshot *s, struct mu_prepared *p);

/* Best node with room by score, then name, rules of scope CLUSTER apart; MU_NO_SLOT where there is none. */
static inline uint32_t mu_prepared_best(const struct mu_prepared *p) {
    return p->tree[1];
}
/* Room on the node with every rule asked, as things stand. p must be fresh. */
int64_t mu_prepared_room(struct mu_snapshot *s, struct mu_prepared *p, uint32_t node);
/* The same from scratch: for states that are not worked in. */
int64_t mu_prepared_ask(struct mu_snapshot *s, struct mu_prepared *p, uint32_t node);
/* Score of the node, those of scope CLUSTER included. */
int64_t mu_prepared_score(struct mu_snapshot *s, const struct mu_prepared *p, uint32_t node);
/* The first rule that refuses, in the profile's order; plugin NULL where the class fits. */
struct mu_verdict mu_prepared_verdict(struct mu_snapshot *s, const struct mu_prepared *p, uint32_t node,
                                      const struct mu_plugin **ret_plugin);

/* What a plugin's prepare kept for the class; NULL where its filter has nothing to say. */
const void *mu_prepared_of(const struct mu_prepared *p, const struct mu_plugin *plugin);

/* The pod was placed on the node, or is about to be taken back: tells the plugins that keep state of their own. */
void mu_prepared_reserve(struct mu_snapshot *s, struct mu_prepared *p, const struct mu_pod *pod, uint32_t node);
void mu_prepared_unreserve(struct mu_snapshot *s, struct mu_prepared *p, const struct mu_pod *pod, uint32_t node);

/* Drops what has not been used lately where too much is kept; only between groups. */
void mu_prepared_trim(struct mu_snapshot *s);
/* The pod is going away: what stands for it must go. */
void mu_prepared_forget(struct mu_snapshot *s, const struct mu_pod *pod);
void mu_prepared_drop(struct mu_snapshot *s);
size_t mu_prepared_bytes(const struct mu_snapshot *s);

#endif
