/* Labs: tiny clusters with devices, as the property test of whole groups makes them, and what can be in them.
 *
 * A lab is described in its own terms, so that the brute force owes nothing to the program: it never looks at the YAML. */
#ifndef MU_TESTS_PROP_DEVICES_LAB_H
#define MU_TESTS_PROP_DEVICES_LAB_H

#include "scheduler/base/arena.h"
#include "scheduler/base/str.h"
#include <stdbool.h>
#include <stdint.h>

enum { LAB_NODES = 3, LAB_DEVICES = 7, LAB_SETS = 2, LAB_CLAIMS = 5, LAB_PODS = 4, LAB_REQUESTS = 2, LAB_ASKS = 2 };
enum { LAB_EVERYWHERE = LAB_NODES, LAB_POOLS = LAB_NODES + 1 };

struct lab_device {
    int pool;   /* a node's, or that of all nodes */
    int kind;   /* attribute `kind`, 0 to 2 */
    int root;   /* attribute `root`, 0 or 1 */
    int set;    /* of the pool's counters; -1: takes none */
    int takes;  /* of that */
    int memory; /* of a device that is given out in shares; 0: it is given whole */
    int held;   /* by somebody else: whole, or so much memory */
    bool tainted;
};

enum lab_mode { LAB_COUNT = 0, LAB_ALL };

struct lab_ask {
    enum lab_mode mode;
    int count; /* of COUNT */
    int least; /* of `kind` */
    int most;
    int memory; /* asked of shared devices; 0: all */
    bool tolerates;
};

struct lab_request {
    struct lab_ask asks[LAB_ASKS];
    int asks_len; /* several: the first available */
};

struct lab_claim {
    struct lab_request requests[LAB_REQUESTS];
    int requests_len;
    bool same_root; /* matchAttribute over all requests */
};

struct lab_pod {
    int nodes; /* bits of those that it may be on */
    int cpu;
    int claims[2];
    int claims_len;
};

struct lab {
    int nodes_len, cpu[LAB_NODES];
    struct lab_device devices[LAB_DEVICES];
    int devices_len;
    int counters[LAB_POOLS][LAB_SETS]; /* how much there is */
    struct lab_claim claims[LAB_CLAIMS];
    int claims_len;
    struct lab_pod pods[LAB_PODS];
    int pods_len;
};

void lab_make(struct lab *lab, uint64_t seed);
struct mu_str lab_print(const struct lab *lab, struct mu_arena *arena);
/* Is there any way to run all pods at once? */
bool lab_is_feasible(const struct lab *lab);

/* What a claim was given. */
struct lab_grant {
    int devices[32];
    int request[32], ask[32]; /* for each: which of its requests and asks */
    int len;
};

/* Why these placements and grants break a rule; NULL: they do not. node[i] is of pod i, -1: nowhere. */
const char *lab_fault(const struct lab *lab, const int node[LAB_PODS], const struct lab_grant grants[LAB_CLAIMS]);

#endif
