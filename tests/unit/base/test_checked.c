/* Saturating arithmetic against wider arithmetic. */
#include "scheduler/base/checked.h"
#include "tests/lib/random.h"
#include "tests/lib/suite.h"

#include <stddef.h>

enum { ROUNDS = 100000 };

static const int64_t edges[] = {INT64_MIN, INT64_MIN + 1, INT64_MIN / 2, -3037000500,   -2,       -1, 0, 1,
                                2,         3037000500,    INT64_MAX / 2, INT64_MAX - 1, INT64_MAX};
enum { EDGES = sizeof edges / sizeof *edges };

/* An edge, a small number or any number. */
static int64_t draw(struct mu_random *random) {
    switch (mu_random_below(random, 3)) {
    case 0:
        return edges[mu_random_below(random, EDGES)];
    case 1:
        return (int64_t)mu_random_below(random, 2001) - 1000;
    default:
        return (int64_t)mu_random_u64(random);
    }
}

static void check_pair(int64_t a, int64_t b) {
    ck_assert_int_eq(mu_sat_add(a, b), mu_sat_i64((mu_i128)a + b));
    ck_assert_int_eq(mu_sat_sub(a, b), mu_sat_i64((mu_i128)a - b));
    ck_assert_int_eq(mu_sat_mul(a, b), mu_sat_i64((mu_i128)a * b));
}

START_TEST(int64_saturates_at_edges) {
    for (size_t i = 0; i < EDGES; i++) {
        for (size_t j = 0; j < EDGES; j++)
            check_pair(edges[i], edges[j]);
    }
}
END_TEST

START_TEST(int64_equals_wider_arithmetic) {
    struct mu_random random = {.state = 1};
    for (int round = 0; round < ROUNDS; round++) {
        int64_t a = draw(&random);
        check_pair(a, draw(&random));
    }
}
END_TEST

static const struct {
    mu_i128 a, b, sum, product;
} wide[] = {
    {0, 0, 0, 0},
    {-3, 5, 2, -15},
    {MU_I128_MAX, 1, MU_I128_MAX, MU_I128_MAX},
    {MU_I128_MAX, 2, MU_I128_MAX, MU_I128_MAX},
    {MU_I128_MAX, -1, MU_I128_MAX - 1, -MU_I128_MAX},
    {MU_I128_MIN, 1, MU_I128_MIN + 1, MU_I128_MIN},
    {MU_I128_MIN, -1, MU_I128_MIN, MU_I128_MAX},
    {MU_I128_MIN, 2, MU_I128_MIN + 2, MU_I128_MIN},
    {MU_I128_MIN, MU_I128_MIN, MU_I128_MIN, MU_I128_MAX},
    {MU_I128_MIN, MU_I128_MAX, -1, MU_I128_MIN},
    {MU_I128_MIN, 0, MU_I128_MIN, 0},
    {(mu_i128)INT64_MAX, (mu_i128)INT64_MAX, (mu_i128)INT64_MAX * 2, (mu_i128)INT64_MAX *INT64_MAX},
};

START_TEST(int128_saturates) {
    ck_assert(mu_sat_add128(wide[_i].a, wide[_i].b) == wide[_i].sum);
    ck_assert(mu_sat_add128(wide[_i].b, wide[_i].a) == wide[_i].sum);
    ck_assert(mu_sat_mul128(wide[_i].a, wide[_i].b) == wide[_i].product);
    ck_assert(mu_sat_mul128(wide[_i].b, wide[_i].a) == wide[_i].product);
}
END_TEST

START_TEST(cut_to_int64) {
    ck_assert_int_eq(mu_sat_i64(MU_I128_MAX), INT64_MAX);
    ck_assert_int_eq(mu_sat_i64(MU_I128_MIN), INT64_MIN);
    ck_assert_int_eq(mu_sat_i64((mu_i128)INT64_MAX + 1), INT64_MAX);
    ck_assert_int_eq(mu_sat_i64((mu_i128)INT64_MIN - 1), INT64_MIN);
    for (size_t i = 0; i < EDGES; i++)
        ck_assert_int_eq(mu_sat_i64(edges[i]), edges[i]);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, int64_saturates_at_edges);
    tcase_add_test(tests, int64_equals_wider_arithmetic);
    tcase_add_loop_test(tests, int128_saturates, 0, sizeof wide / sizeof *wide);
    tcase_add_test(tests, cut_to_int64);
}

int main(void) {
    return mu_suite_run("checked", add_tests);
}
