/* Tiny worlds of devices: small random slices and claims on one node, an oracle that tries every assignment and judges
 * each by first principles, and the same as objects for the allocator.
 *
 * The oracle shares no code with the allocator. It knows pools with counters and compatibility groups, shares with
 * request policies, taints, attributes that are single values or lists, constraints, alternatives and "all devices". */
#ifndef MU_TESTS_UNIT_DEVICES_TINY_H
#define MU_TESTS_UNIT_DEVICES_TINY_H

#include "scheduler/devices/allocator.h"
#include "tests/lib/random.h"

enum { TINY_DEVICES = 6, TINY_CLAIMS = 2, TINY_REQUESTS = 2, TINY_ALTERNATIVES = 2, TINY_SETS = 2, TINY_SLOTS = 12 };

enum tiny_policy { TINY_POLICY_NONE = 0, TINY_POLICY_STEPS, TINY_POLICY_VALUES, TINY_POLICY_COUNT };

struct tiny_device {
    int kind;      /* 0 or 1: what selectors ask for */
    unsigned numa; /* bits: the values of its attribute; 0: it has none */
    bool list;     /* as a list; else one value */
    bool shared, tainted, held;
    int capacity; /* of a shared one */
    enum tiny_policy policy;
    int set; /* the counter set that it takes from; -1: none */
    int takes;
    unsigned groups; /* bits */
};

struct tiny_ask {
    int kind; /* -1: any */
    bool all, tolerates;
    int count;
    int amount; /* of capacity; -1: none asked for */
};

struct tiny_request {
    struct tiny_ask asks[TINY_ALTERNATIVES];
    int asks_len;
    bool alternatives;
};

struct tiny_claim {
    struct tiny_request requests[TINY_REQUESTS];
    int requests_len;
    bool constrained, distinct; /* by the attribute; distinct, else match */
    int about;                  /* the request that the constraint speaks of; -1: all */
};

struct tiny_world {
    struct tiny_device devices[TINY_DEVICES];
    int devices_len;
    int counters[TINY_SETS]; /* of each set */
    struct tiny_claim claims[TINY_CLAIMS];
    int claims_len;
};

/* One device for one claim and request. */
struct tiny_slot {
    int claim, request, ask, device;
};

void tiny_make(struct mu_random *random, struct tiny_world *ret);
/* Do these slots, and what is held, go together? */
bool tiny_valid(const struct tiny_world *world, const struct tiny_slot *slots, int len);
/* Is there any assignment at all? */
bool tiny_feasible(const struct tiny_world *world);

/* The world as objects. */
struct tiny_objects {
    struct mu_symbols symbols;
    struct mu_alloc *alloc;
    struct mu_node node;
    const struct mu_claim *claims[TINY_CLAIMS];
};

int tiny_objects_make(const struct tiny_world *world, struct mu_arena *arena, struct tiny_objects *ret,
                      struct mu_err *err);

#endif
