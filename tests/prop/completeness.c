/* Property: a gang is placed if and only if it can be, and only where all rules allow it. */
#include "tests/prop/judge.h"

static bool holds(const struct mu_tiny *tiny, uint64_t seed, uint64_t tally[MU_PROP_TALLIES],
                  char why[MU_PROP_WHY_BYTES]) {
    (void)seed;
    struct mu_answer answer;
    return mu_answer_get(tiny, &answer, why) && mu_prop_judge(tiny, &answer, tally, why);
}

int main(int argc, char **argv) {
    static const struct mu_prop prop = {
        .name = "completeness",
        .holds = holds,
        .tally_names = {[MU_JUDGE_FEASIBLE] = "groups placed",
                        [MU_JUDGE_INFEASIBLE] = "groups refused",
                        [MU_JUDGE_BOUND_PODS] = "pods bound",
                        [MU_JUDGE_TRIED] = "placements tried by the oracle"},
        .cases = 12000,
    };
    return mu_prop_main(&prop, argc, argv);
}
