/* The tests' own random numbers: that they repeat, stay in bounds and are even. */
#include "tests/lib/random.h"
#include "tests/lib/suite.h"

#include <stddef.h>

START_TEST(sequence_is_the_published_one) {
    /* The first numbers of SplitMix64 from the state 1234567. */
    static const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u};
    struct mu_random random = {.state = 1234567};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        ck_assert_uint_eq(mu_random_u64(&random), expected[i]);
}
END_TEST

START_TEST(below_stays_below) {
    static const uint64_t bounds[] = {1, 2, 3, 10, (uint64_t)1 << 32, ((uint64_t)1 << 63) + 1, UINT64_MAX};
    struct mu_random random = {.state = 1};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        for (int round = 0; round < 1000; round++)
            ck_assert_uint_lt(mu_random_below(&random, bounds[i]), bounds[i]);
    }
}
END_TEST

START_TEST(below_is_even) {
    enum { BOUND = 7, ROUNDS = 70000 };
    int seen[BOUND] = {0};
    struct mu_random random = {.state = 2};
    for (int round = 0; round < ROUNDS; round++)
        seen[mu_random_below(&random, BOUND)]++;
    for (int i = 0; i < BOUND; i++) {
        ck_assert_int_gt(seen[i], ROUNDS / BOUND * 9 / 10);
        ck_assert_int_lt(seen[i], ROUNDS / BOUND * 11 / 10);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, sequence_is_the_published_one);
    tcase_add_test(tests, below_stays_below);
    tcase_add_test(tests, below_is_even);
}

int main(void) {
    return mu_suite_run("random", add_tests);
}
