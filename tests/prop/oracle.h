/* Oracle: what kube-scheduler's rules and the gang rules allow in a tiny cluster, found by trying everything.
 *
 * A placement stands where the pods can be placed in some order so that each one passes, at its turn, the filters that
 * kube-scheduler would run for it: resources, ports, selectors, taints, affinity with the rule of the first pod,
 * anti-affinity both ways, spread. Shares no code with the scheduler. */
#ifndef MU_TESTS_PROP_ORACLE_H
#define MU_TESTS_PROP_ORACLE_H

#include "tests/prop/tiny.h"

/* Rules that are asked; fewer of them tell which one refuses. */
enum mu_oracle_rules {
    MU_ORACLE_CONSTRAINTS = 1, /* selectors, taints, ports, relations */
    MU_ORACLE_RESOURCES = 2,
    MU_ORACLE_TOPOLOGY = 4, /* schedulingConstraints of units */
    MU_ORACLE_ALL = 7
};

struct mu_oracle {
    const struct mu_tiny *tiny;
    unsigned rules;
    int8_t where[MU_TINY_PODS];    /* node that the pod is on now; NONE: on none */
    uint8_t allowed[MU_TINY_PODS]; /* bit n: node n meets what does not depend on other pods */
    int free_gpus[MU_TINY_NODES], free_cpus[MU_TINY_NODES], free_pods[MU_TINY_NODES];
    int64_t steps;              /* placements tried so far */
    int8_t found[MU_TINY_PODS]; /* what the last search that found something would have placed, or NONE */
};

/* The cluster as it runs. `tiny` is borrowed. */
void mu_oracle_begin(struct mu_oracle *oracle, const struct mu_tiny *tiny, unsigned rules);
void mu_oracle_place(struct mu_oracle *oracle, int pod, int node);
void mu_oracle_remove(struct mu_oracle *oracle, int pod);
/* May this one pod be placed there next? */
bool mu_oracle_fits(const struct mu_oracle *oracle, int pod, int node);

/* Are all minimums met as things stand, and is nothing of the group placed in vain? */
bool mu_oracle_whole(const struct mu_oracle *oracle, struct mu_tiny_group group);
/* Are there enough members, room aside? */
bool mu_oracle_complete(const struct mu_oracle *oracle, struct mu_tiny_group group);
/* Is there any placement of waiting members that makes the group whole? Leaves the placements as they were. */
bool mu_oracle_feasible(struct mu_oracle *oracle, struct mu_tiny_group group);
/* Places the pods with targets (node, or NONE) in an order in which each passes at its turn; false where there is
 * none, with the oracle as it was. */
bool mu_oracle_place_all(struct mu_oracle *oracle, const int8_t targets[MU_TINY_PODS]);
/* Of a whole group: a pod, or a unit below it, that could be added still. False: nothing can. */
bool mu_oracle_addable(struct mu_oracle *oracle, struct mu_tiny_group group, struct mu_tiny_group *ret);

#endif
