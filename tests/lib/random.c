/* Random numbers for tests: SplitMix64 (Steele, Lea and Flood, 2014). */
#include "tests/lib/random.h"

#include "scheduler/base/err.h"

uint64_t mu_random_u64(struct mu_random *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

uint64_t mu_random_below(struct mu_random *random, uint64_t bound) {
    MU_ASSERT(bound > 0);
    /* The first numbers, as many as 2^64 leaves over when divided by bound, would make some remainders likelier. */
    uint64_t left_over = -bound % bound;
    uint64_t number;
    do
        number = mu_random_u64(random);
    while (number < left_over);
    return number % bound;
}
