/* Try: one attempt to place a group, the state that the solvers share.
 *
 * A group's ready pods are split into classes; a class belongs to one part and at most one role of it. A solver places
 * pods of the open parts until every need is met, or takes back all that it placed. */
#ifndef MU_CORE_TRY_H
#define MU_CORE_TRY_H

#include "scheduler/core/groups.h"
#include "scheduler/core/prepared.h"

#define MU_NO_ROLE UINT32_MAX

enum mu_found { MU_FOUND = 0, MU_NOT_FOUND, MU_OUT_OF_STEPS };

struct mu_try_class {
    struct mu_class cls;
    struct mu_str key;   /* tells it apart from others of the same spec; without profile and rules */
    uint32_t *slots;     /* of its pods, in their order */
    uint32_t part, role; /* role: index in the part, or MU_NO_ROLE */
    uint32_t placed;     /* its first pods, so many, are placed */
    struct mu_prepared *prepared;
    const struct mu_bitset *mask; /* nodes that it may use; NULL: all */
};

struct mu_try_part {
    const struct mu_part *part;
    uint32_t first_class, classes_len;
    uint32_t first_ready; /* number of its first ready pod among those of all parts */
    int64_t need;         /* pods still to place */
    int64_t *role_need;   /* by role; counted within `need` */
    bool open;            /* the solver is to meet its needs */
};

struct mu_try {
    struct mu_snapshot *s;
    const struct mu_settings *settings;
    const struct mu_group *group;
    struct mu_arena *arena;
    unsigned rules;
    bool generous; /* more members than are needed may be placed, where that helps those that are */
    bool proving;  /* only whether a placement exists is asked: solvers need not place what they can count */
    struct mu_try_class *classes;
    uint32_t classes_len;
    struct mu_try_part *parts;
    uint32_t parts_len;
    const struct mu_class **class_list; /* for plugins */
    struct mu_prepared **prepared_list;
    struct {
        struct mu_placed *items;
        size_t len, cap;
    } placed;
    uint32_t *placed_class; /* by index in `placed`: the class */
    uint32_t *ready_slot;   /* by ready pod, parts in order: the pod's slot */
    uint32_t *class_of;     /* by ready pod, parts in order: its class, and its place there */
    uint32_t *place_in_class;
    uint32_t overplaced;        /* pods placed beyond those that plugins were told to expect */
    struct mu_quota_run *quota; /* what surplus is charged to; NULL: nothing is limited */
    int64_t steps;              /* left */
    int64_t steps_taken;
};

/* ---- try.c */
/* Classes, parts and their needs for a group; all parts are closed. */
struct mu_try *mu_try_make(struct mu_snapshot *s, const struct mu_settings *settings, const struct mu_group *group,
                           struct mu_arena *arena);
/* Prepares every class with these rules. */
void mu_try_rules(struct mu_try *t, unsigned rules);
/* The same for one class. */
void mu_try_rules_of(struct mu_try *t, uint32_t cls, unsigned rules);
/* Works what changed into every class. */
void mu_try_refresh(struct mu_try *t);
void mu_try_place(struct mu_try *t, uint32_t cls, uint32_t node);
/* Takes back the newest placements until `len` are left. */
void mu_try_unplace(struct mu_try *t, size_t len);
/* Pods of the class that are not placed. */
static inline uint32_t mu_try_left(const struct mu_try *t, uint32_t cls) {
    return t->classes[cls].cls.pods_len - t->classes[cls].placed;
}
/* Takes a step from the budget; false where none is left. */
static inline bool mu_try_step(struct mu_try *t) {
    t->steps_taken++;
    return t->steps-- > 0;
}
/* May the class use the node, by its mask? */
static inline bool mu_try_allows(const struct mu_try *t, uint32_t cls, uint32_t node) {
    return !t->classes[cls].mask || mu_bitset_has(t->classes[cls].mask, node);
}
static inline int64_t mu_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}
/* Every need of the part is met. */
bool mu_try_part_met(const struct mu_try_part *part);
/* Tells plugins how many pods the open parts are still to get. */
void mu_try_expect(struct mu_try *t);
/* Every need of every open part is met. */
bool mu_try_done(const struct mu_try *t);
/* How many more pods of the class its part can use: what is left of the need, or of its role's. */
int64_t mu_try_wanted(const struct mu_try *t, uint32_t cls);
/* Do all plugins let the placement stand? */
bool mu_try_permitted(struct mu_try *t);
/* Total room of the class on the nodes that it may use, rules of scope CLUSTER apart; stops at `enough`. */
int64_t mu_try_total(struct mu_try *t, uint32_t cls, int64_t enough);
bool mu_try_hopeless_part(struct mu_try *t, uint32_t part);
/* Cheap proof of no: some need is larger than all room for it, each class by itself. */
bool mu_try_hopeless(struct mu_try *t);
/* The class of the part's first pod by name that is not placed, at or after the *from-th of its ready pods, classes
 * marked in `skip` apart; MU_NO_SLOT where there is none. Moves *from on. */
uint32_t mu_try_next_by_name(const struct mu_try *t, uint32_t part, const bool *skip, uint32_t *from);
/* The best node for one more pod of the class, or MU_NO_SLOT. The class must be fresh. */
uint32_t mu_try_pick(struct mu_try *t, uint32_t cls);

/* ---- solvers: on MU_FOUND everything is placed, else nothing more than before */
enum mu_found mu_solve(struct mu_try *t);
/* Places what the open parts need as far as it goes, scarcest class first. */
void mu_fill(struct mu_try *t);
/* exact.c: no class is related. Tells for sure, unless the steps end. */
enum mu_found mu_solve_exact(struct mu_try *t);
/* search.c: any classes. Tells for sure, unless the steps end. */
enum mu_found mu_solve_search(struct mu_try *t);

#endif
