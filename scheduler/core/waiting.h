/* Waiting: what the snapshot remembers from one cycle to the next, so that a cycle costs what changed.
 *
 * The groups themselves, while no member, group, queue or class changed; and for each group that was refused, the
 * refusal together with a print of what it rested on: while that is the same, so is the refusal. */
#ifndef MU_CORE_WAITING_H
#define MU_CORE_WAITING_H

#include "scheduler/core/groups.h"
#include "scheduler/core/prepared.h"

/* Groups of more classes than this are searched anew each time. */
#define MU_MEMO_CLASSES 8

/* What a refusal rested on. */
struct mu_refusal_memo {
    uint32_t classes;                    /* 0: nothing is remembered */
    struct mu_str keys[MU_MEMO_CLASSES]; /* of the group's prepared classes */
    uint64_t digests[MU_MEMO_CLASSES];   /* of them when the group was refused */
    uint64_t ending_version, derived_version;
    uint32_t reserved; /* pods of others' nominations that counted */
    struct mu_plan_group refused; /* with its pods; lives as long as the memo */
};

struct mu_waiting {
    struct mu_arena *arena;
    const struct mu_settings *settings;
    int64_t now_ns;
    uint64_t membership_version;
    bool depends_on_time;
    struct mu_groups *groups;
    struct mu_refusal_memo *memos; /* by place in groups */
};

/* The groups as they are now, built anew where something changed that they are built from. */
struct mu_waiting *mu_waiting_get(struct mu_snapshot *s, const struct mu_settings *settings, int64_t now_ns);
/* The refusal of the i-th group where it still holds, else NULL. */
const struct mu_plan_group *mu_waiting_recall(struct mu_snapshot *s, uint32_t i, uint32_t reserved);
void mu_waiting_drop(struct mu_snapshot *s);
size_t mu_waiting_bytes(const struct mu_snapshot *s);

#endif
