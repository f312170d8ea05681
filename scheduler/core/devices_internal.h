/* Devices, from inside: shared by the files that keep them, by nobody else. */
#ifndef MU_CORE_DEVICES_INTERNAL_H
#define MU_CORE_DEVICES_INTERNAL_H

#include "scheduler/core/devices.h"

/* A claim with an allocation, or with a want of the tentative state. */
struct mu_claim_state {
    const struct mu_claim *claim;
    bool allocated;
    struct mu_grant grant; /* where it is allocated */
    uint32_t want;         /* that gave it; MU_NO_SLOT: it comes from the API */
    uint32_t users;        /* consumers that are there: pods on nodes */
};

/* A claim that is given devices in the tentative state. */
struct mu_want {
    const struct mu_claim *claim;
    uint32_t state;                     /* MU_NO_SLOT: in a trial, or of an extended resource, it has none */
    uint32_t pod;                       /* whose extended resources it is for; else MU_NO_SLOT */
    const uint32_t *slots;              /* where the pods that use it are, each node once */
    const struct mu_node *const *nodes; /* the same */
    uint32_t nodes_len;
    bool granted;
    struct mu_grant grant;
    uint32_t pods, containers; /* that use it */
};

/* What a change was before. */
struct mu_devices_undo {
    bool of_want;
    uint32_t index;
    union {
        struct mu_claim_state state;
        struct mu_want want;
    };
};

/* Everything that one step of the snapshot's journal did. */
struct mu_devices_frame {
    uint32_t pod; /* whose; MU_NO_SLOT: of nobody, see give_up and trials */
    size_t undo_len, wants_len, alloc_mark;
    bool lacked;
    struct mu_arena_mark stack;
};

/* A pod and a claim that it uses. */
struct mu_claim_use_of_pod {
    uint32_t pod, state;
};

/* Whether claims of one spec make sense. */
struct mu_claim_verdict {
    bool known;
    bool local;        /* what they could be given is one node's affair */
    struct mu_str why; /* not; empty: they do */
};

/* The newest question of fit and its answer: a rule asks twice. */
struct mu_devices_asked {
    const struct mu_pod_claims *claims;
    uint64_t stamp;
    int64_t fit;
    uint32_t node;
    bool unproved;
};

struct mu_devices {
    struct mu_snapshot *s;
    const struct mu_settings *settings;
    struct mu_arena *arena; /* of all that stays */
    struct mu_arena *stack; /* of what is undone with the frame that made it */
    struct mu_alloc *alloc;
    struct mu_map by_claim; /* the claim's address to its state */
    MU_VEC(struct mu_claim_state) states;
    MU_VEC(struct mu_want) wants;
    uint32_t settled; /* so many wants are of groups that are decided */
    MU_VEC(struct mu_devices_undo) undo;
    MU_VEC(struct mu_devices_frame) frames;
    const struct mu_claim_use_of_pod *uses; /* sorted by pod */
    uint32_t uses_len;
    MU_VEC(struct mu_claim_verdict) verdicts; /* by spec_id */
    const struct mu_device_class *const *classes;
    uint32_t classes_len;
    struct mu_map class_of; /* extended resource to the class that serves it; 0: none does */
    MU_VEC(const struct mu_claim *) extended;
    struct mu_map extended_index; /* spec and which of its requests are served, to index in `extended` */
    uint64_t first_digest;        /* before anything tentative */
    bool all_local;               /* no node's devices can be reached from another */
    bool takes_of_nodes;          /* some device takes of its node's own resources */
    bool queues_matter;           /* some sharing rule asks for queues */
    bool lack;
    uint32_t broken; /* cards that the newest answer would break into */
    mu_sym queue;    /* of the group under decision */
    uint32_t limit;
    struct mu_devices_asked asked;
};

/* devices.c. The claim's state, made where there is none; and where it is not to be made. */
uint32_t mu_devices_state(struct mu_devices *d, const struct mu_claim *claim);
bool mu_devices_find(const struct mu_devices *d, const struct mu_claim *claim, uint32_t *ret);
/* Do devices that such a claim could be given matter to one node only? */
bool mu_devices_is_local(struct mu_devices *d, const struct mu_claim *claim);
/* What the API says that an allocated claim has. */
const struct mu_grant *mu_devices_first_grant(struct mu_devices *d, const struct mu_claim *claim);

/* devices_extended.c. The claim for those of the pod's extended resources that DeviceClasses serve on the node, without
 * a name; NULL: none are. It lives as long as the devices. */
const struct mu_claim *mu_devices_extended_claim(struct mu_devices *d, const struct mu_pod_claims *claims,
                                                 uint32_t node);
/* Do the devices of the class (0: there are none) matter to one node only? */
bool mu_devices_class_is_local(struct mu_devices *d, mu_sym class);

/* devices_users.c. Finds which pods use which claims. */
void mu_devices_find_users(struct mu_devices *d);

/* devices_node.c. What the devices of a granted want take of its node's own resources (KEP-5517) is taken, sign -1, or
 * given back, 1. */
void mu_devices_charge_node(struct mu_devices *d, const struct mu_want *want, int sign);
/* Is there enough of these resources on the node for what wants there take, with `more` pods of the spec besides? */
bool mu_devices_node_holds(const struct mu_devices *d, uint32_t node, const struct mu_pod_spec *spec, int64_t more);

/* devices_wants.c. Can what was granted be used from the node? */
bool mu_devices_usable_from(const struct mu_devices *d, const struct mu_grant *grant, uint32_t node);
/* Opens a frame, to which all changes are undone by the next mu_devices_undo(). */
void mu_devices_open(struct mu_devices *d, uint32_t pod);
void mu_devices_close(struct mu_devices *d);
/* Remembers what the state, or want, is before it is changed. */
void mu_devices_save_state(struct mu_devices *d, uint32_t state);

#endif
