/* The allocator of devices: which devices a pod's claims get on a node, as the structured allocator of Kubernetes 1.37
 * decides it (k8s.io/dynamic-resource-allocation, experimental channel; KEP-4381 and those that build on it).
 *
 * The state knows what is published (slices, classes, taint rules) and who holds what. mu_alloc_try() looks for devices
 * on one node and changes nothing; mu_alloc_hold() takes what it found; mu_alloc_mark() and mu_alloc_rollback() undo
 * any number of holds and releases exactly. Claims of many pods on many nodes are so allocated for the time being and
 * given back, as the placement search needs it.
 *
 * Same input, same devices: pools are tried in the order of driver and name (those with binding conditions last),
 * slices by name, devices as published, depth first, and the first solution is taken. The caller may give another order
 * of candidates; nothing else is free.
 *
 * What differs from upstream, on purpose:
 * - one card that two drivers publish is given out by one of them only (contract, section 6);
 * - a device that became exclusive while shares of it are out counts as taken;
 * - admin access takes no counters and no capacity, within one attempt as after it;
 * - counters and their slices matter to nodes that reach a device of the pool, not to every node.
 *
 * Not thread-safe; everything lives in arenas of the caller. */
#ifndef MU_DEVICES_ALLOCATOR_H
#define MU_DEVICES_ALLOCATOR_H

#include "scheduler/objects/dra.h"
#include "scheduler/objects/node.h"

/* Feature gates of Kubernetes, by what they allow. */
enum mu_alloc_feature {
    MU_ALLOC_ADMIN_ACCESS = 1 << 0,
    MU_ALLOC_PRIORITIZED_LIST = 1 << 1,
    MU_ALLOC_PARTITIONABLE = 1 << 2,
    MU_ALLOC_TAINTS = 1 << 3,
    MU_ALLOC_BINDING_CONDITIONS = 1 << 4,
    MU_ALLOC_CONSUMABLE_CAPACITY = 1 << 5,
    MU_ALLOC_FRACTIONAL_RANGE = 1 << 6,
    MU_ALLOC_LIST_ATTRIBUTES = 1 << 7,
    MU_ALLOC_NODE_OPERATIONS = 1 << 8,
    MU_ALLOC_DERIVED_ATTRIBUTES = 1 << 9,
    MU_ALLOC_COMPATIBILITY_GROUPS = 1 << 10,
    MU_ALLOC_ALL_FEATURES = (1 << 11) - 1
};

struct mu_alloc; /* the state; opaque */

/* An attribute of devices by which a physical card is known, whichever driver publishes it (contract, section 6).
 * Values of all attributes of one scope are compared: the `uuid` of a card with the `parentUUID` of a part of it. */
struct mu_identity_attribute {
    struct mu_str name; /* without a domain */
    bool of_node;       /* its values tell cards of one node apart, not those of a cluster */
};

/* Whom a card with allowMultipleAllocations may be shared with. */
enum mu_sharing_with { MU_SHARING_ANY = 0, MU_SHARING_QUEUE, MU_SHARING_NAMESPACE };

struct mu_sharing_setting {
    struct mu_str class_name; /* of the DeviceClass through which a share is given */
    enum mu_sharing_with with;
};

/* What is published. All of it is borrowed and must stay as it is for the state's life. */
struct mu_alloc_input {
    struct mu_symbols *symbols;
    const struct mu_slice *const *slices; /* in any order */
    const struct mu_device_class *const *classes;
    const struct mu_taint_rule *const *rules;
    uint32_t slices_len, classes_len, rules_len;
    unsigned features;        /* MU_ALLOC_ bits */
    bool one_card_one_driver; /* heed what identity attributes say */
    const struct mu_identity_attribute *identity;
    uint32_t identity_len;                    /* 0: uuid and parentUUID; of a node pciBusID and pcieBusID */
    const struct mu_sharing_setting *sharing; /* no two of one class; without one: with any */
    uint32_t sharing_len;
};

/* The state lives in the arena, which must be used inside mu_arena_run(). Errors: MU_E_LIMIT (MU_LIMIT_DEVICES). */
int mu_alloc_create(struct mu_arena *arena, const struct mu_alloc_input *input, struct mu_alloc **ret,
                    struct mu_err *err) MU_MUST_USE;

/* ------------------------------------------------------------------ who holds what */

/* Devices of the claim are taken, or given back. `queue` is that of the group that uses it, where sharing rules speak of
 * queues; 0: not known, which is a queue of its own. Results with admin access, and devices that nobody publishes, change
 * nothing. A device may be taken more than once (two schedulers can do that); it is free when all have given it back.
 * `results` is borrowed until the change is undone or kept. */
void mu_alloc_hold(struct mu_alloc *alloc, const struct mu_claim *claim, mu_sym queue,
                   const struct mu_device_result *results, uint32_t len);
void mu_alloc_release(struct mu_alloc *alloc, const struct mu_claim *claim, mu_sym queue,
                      const struct mu_device_result *results, uint32_t len);

/* A place to go back to; marks are used last in, first out. */
size_t mu_alloc_mark(const struct mu_alloc *alloc);
void mu_alloc_rollback(struct mu_alloc *alloc, size_t mark);
/* Forgets how to undo what was done so far: all marks are void. */
void mu_alloc_keep(struct mu_alloc *alloc);

/* A number for who holds what: equal before a mark and after the rollback to it. For tests. */
uint64_t mu_alloc_digest(const struct mu_alloc *alloc);

/* ------------------------------------------------------------------ finding devices */

enum mu_alloc_outcome {
    MU_ALLOC_FOUND = 0,
    MU_ALLOC_NONE,         /* no allocation exists on this node as things stand */
    MU_ALLOC_OUT_OF_STEPS, /* not known: the budget ended first */
    MU_ALLOC_FAULT         /* something is wrong with what was asked or published, see the fault */
};

enum mu_alloc_fault_kind {
    MU_ALLOC_FAULT_NONE = 0,
    MU_ALLOC_FAULT_FEATURE,       /* asks for what a feature gate turns off */
    MU_ALLOC_FAULT_SELECTOR_KIND, /* a selector of an unknown kind */
    MU_ALLOC_FAULT_NO_CLASS_NAME,
    MU_ALLOC_FAULT_CLASS_MISSING,
    MU_ALLOC_FAULT_MODE,     /* an unknown allocation mode */
    MU_ALLOC_FAULT_TOO_MANY, /* more devices than a claim may have */
    MU_ALLOC_FAULT_CONSTRAINT_KIND,
    MU_ALLOC_FAULT_POOL_UPDATING, /* asks for all devices while a pool is incomplete */
    MU_ALLOC_FAULT_POOL_INVALID,  /* asks for all devices of an invalid pool */
    MU_ALLOC_FAULT_POOLS_INVALID, /* nothing found, and a pool of this node is invalid */
    MU_ALLOC_FAULT_CEL_COMPILE,
    MU_ALLOC_FAULT_CEL_RUNTIME,
    MU_ALLOC_FAULT_DERIVED,       /* a derived attribute cannot be worked out */
    MU_ALLOC_FAULT_CAPACITY,      /* a capacity request that cannot be computed with */
    MU_ALLOC_FAULT_ALL_CONSTRAINT /* asks for all devices, and a constraint forbids that */
};

/* What is wrong, and with what. Symbols that do not apply are 0. */
struct mu_alloc_fault {
    enum mu_alloc_fault_kind kind;
    uint32_t claim; /* index among the claims of the attempt; UINT32_MAX: of none */
    mu_sym request; /* or the alternative */
    mu_sym class;   /* a class's own selector is at fault, or the class that is missing */
    mu_sym driver, pool, device;
    uint32_t index;     /* of the selector or constraint */
    bool this_node;     /* other nodes may do; else the pod cannot run anywhere as things are */
    struct mu_str text; /* one sentence */
};

struct mu_alloc_claim_result {
    const struct mu_device_result *results;
    const struct mu_device_config *configs;
    uint32_t results_len, configs_len;
    bool has_node_selector; /* false: usable from every node */
    struct mu_node_term node_selector;
};

struct mu_alloc_options {
    int64_t steps;         /* the budget; <= 0: MU_ALLOC_STEPS */
    const uint32_t *order; /* a permutation of the candidates' indexes; NULL: upstream's order */
    /* After so many steps what cannot succeed is cut off, instead of being looked at in full as upstream does it: the
     * same devices are found, but faults of selectors may go unseen. <= 0: MU_ALLOC_CUT_AFTER. */
    int64_t cut_after;
    /* Candidates are tried in another order: what is broken into already comes first (shares on cards that have some,
     * parts of cards of which parts are out), then whole devices, then what would break into an untouched card. What
     * cannot succeed is cut off from the start. */
    bool packed;
};

/* Each step looks at one device for one request. */
#define MU_ALLOC_STEPS INT64_C(2000000)
#define MU_ALLOC_CUT_AFTER INT64_C(4096)

struct mu_alloc_answer {
    enum mu_alloc_outcome outcome;
    int64_t steps;                              /* used */
    uint32_t broken;                            /* of FOUND: cards untouched so far that it takes a part of */
    const struct mu_alloc_claim_result *claims; /* of FOUND, in the order of the claims */
    struct mu_alloc_fault fault;                /* of FAULT */
};

/* What is to be found in one attempt: devices for a claim that can be used from each of its nodes. */
struct mu_alloc_want {
    const struct mu_claim *claim;
    const struct mu_node *const
        *nodes; /* at least one: where the pods are that use it. The first orders the candidates */
    uint32_t nodes_len;
    mu_sym queue; /* as for mu_alloc_hold() */
};

/* Looks for devices for all wants together, on whatever nodes they are. Nothing changes. What is found lies in `arena`.
 * `options` may be NULL. */
void mu_alloc_try(struct mu_alloc *alloc, const struct mu_alloc_want *wants, uint32_t wants_len,
                  const struct mu_alloc_options *options, struct mu_arena *arena, struct mu_alloc_answer *ret);

/* The same for claims that are all used on one node. */
void mu_alloc_try_node(struct mu_alloc *alloc, const struct mu_node *node, const struct mu_claim *const *claims,
                       uint32_t claims_len, const struct mu_alloc_options *options, struct mu_arena *arena,
                       struct mu_alloc_answer *ret);

/* True where everything that the node reaches is this node's alone, so that nothing that is given there matters to
 * another node. */
bool mu_alloc_node_local(struct mu_alloc *alloc, const struct mu_node *node);
/* True where no device that the claim could be given matters to two nodes. */
bool mu_alloc_claim_local(struct mu_alloc *alloc, const struct mu_claim *claim);
/* The device that a result names, as it is published now; NULL: it is not. */
const struct mu_device *mu_alloc_device(const struct mu_alloc *alloc, const struct mu_device_result *result);
/* How many devices the node reaches, and how many of them are in use in whole or in part; of a card that is given out in
 * parts each set of counters is one. */
void mu_alloc_node_usage(struct mu_alloc *alloc, const struct mu_node *node, uint32_t *ret_used, uint32_t *ret_all);

/* Why selectors of the claim, or of a class that it names, are none, whatever devices there are; empty: all compile. (An
 * attempt looks at a selector when there is a device to look at.) The text lives as long as the state. */
struct mu_str mu_alloc_selectors_fault(struct mu_alloc *alloc, const struct mu_claim *claim);

/* What a node reaches is worked out once for each node object (its address). Where objects changed in place, or their
 * memory was used for others, it must be worked out anew. */
void mu_alloc_forget_nodes(struct mu_alloc *alloc);

/* A device that can be used from a node, free or not. */
struct mu_alloc_candidate {
    const struct mu_slice *slice;
    const struct mu_device *device;
    uint32_t whole, shares; /* claims that hold it so */
};

/* All candidates of a node in upstream's order, in `arena`; what `order` permutes. */
const struct mu_alloc_candidate *mu_alloc_candidates(struct mu_alloc *alloc, const struct mu_node *node,
                                                     struct mu_arena *arena, uint32_t *ret_len);

/* ------------------------------------------------------------------ what is wrong with pools */

struct mu_pool_note {
    mu_sym driver, pool;
    struct mu_str text; /* "is being updated: 1 of 2 slices of generation 3 are there" */
};

/* Every incomplete or invalid pool with every reason, in the order of drivers and names. In `arena`. */
const struct mu_pool_note *mu_alloc_pool_notes(const struct mu_alloc *alloc, struct mu_arena *arena, uint32_t *ret_len);

/* A sentence for each set of drivers that publish the same cards: how many these are. In `arena`. */
const struct mu_str *mu_alloc_card_notes(const struct mu_alloc *alloc, struct mu_arena *arena, uint32_t *ret_len);

#endif
