/* Judge: muster's plan of a tiny cluster against what the oracle says. */
#ifndef MU_TESTS_PROP_JUDGE_H
#define MU_TESTS_PROP_JUDGE_H

#include "scheduler/core/plan.h"
#include "tests/prop/loop.h"

enum { MU_ANSWER_GROUPS = MU_TINY_UNITS + MU_TINY_PODS };

/* A plan in terms of the tiny cluster. */
struct mu_answer_group {
    struct mu_tiny_group group;
    enum mu_decision decision;
    enum mu_reason reason;
    int8_t targets[MU_TINY_PODS]; /* nodes of the pods that are bound; NONE: the others */
    bool listed[MU_TINY_PODS];
    char message[200];
};

struct mu_answer {
    struct mu_answer_group groups[MU_ANSWER_GROUPS];
    int groups_len;
};

/* What mu_cycle says. False where the plan speaks of things that are not there, or there is none: `why` is set. */
bool mu_answer_get(const struct mu_tiny *tiny, struct mu_answer *ret, char why[MU_PROP_WHY_BYTES]);

enum mu_judge_tally {
    MU_JUDGE_FEASIBLE = 0,
    MU_JUDGE_INFEASIBLE,
    MU_JUDGE_BOUND_PODS,
    MU_JUDGE_TRIED, /* placements that the oracle tried */
    MU_JUDGE_COUNT
};

/* Is every decision what the oracle says, given the plan's own decisions before it? */
bool mu_prop_judge(const struct mu_tiny *tiny, const struct mu_answer *answer, uint64_t tally[MU_PROP_TALLIES],
                   char why[MU_PROP_WHY_BYTES]);

#endif
