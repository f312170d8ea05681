/* Random numbers for tests: the same from the same seed on every machine. */
#ifndef MU_TESTS_LIB_RANDOM_H
#define MU_TESTS_LIB_RANDOM_H

#include <stdint.h>

/* Any state is a good one; {.state = seed} begins a sequence. */
struct mu_random {
    uint64_t state;
};

/* Every 64-bit number equally often. */
uint64_t mu_random_u64(struct mu_random *random);
/* A number in [0, bound), each equally often; `bound` is not 0. */
uint64_t mu_random_below(struct mu_random *random, uint64_t bound);

#endif
