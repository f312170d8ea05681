/* Bitset against an array of bools. */
#include "scheduler/base/bitset.h"
#include "tests/lib/random.h"
#include "tests/lib/suite.h"

enum { LEN_MAX = 1000, ROUNDS = 2000 };

static const size_t lengths[] = {0, 1, 2, 63, 64, 65, 127, 128, 129, 192, LEN_MAX};

static struct mu_arena *arena;

static void setup(void) {
    arena = mu_arena_create(0, NULL);
    ck_assert_ptr_nonnull(arena);
}

static void teardown(void) {
    mu_arena_destroy(arena);
}

static void check_equal(const struct mu_bitset *set, const bool *model) {
    size_t count = 0;
    for (size_t i = 0; i < set->len; i++) {
        ck_assert_int_eq(mu_bitset_has(set, i), model[i]);
        count += model[i];
    }
    ck_assert_uint_eq(mu_bitset_count(set), count);
    size_t next = set->len;
    ck_assert_uint_eq(mu_bitset_next(set, set->len + 1), set->len);
    for (size_t i = set->len + 1; i-- > 0;) {
        next = i < set->len && model[i] ? i : next;
        ck_assert_uint_eq(mu_bitset_next(set, i), next);
    }
}

START_TEST(made_empty_and_filled) {
    size_t len = lengths[_i];
    bool model[LEN_MAX] = {false};
    struct mu_bitset set = mu_bitset_make(arena, len);
    ck_assert_uint_eq(set.len, len);
    check_equal(&set, model);
    mu_bitset_fill(&set, true);
    for (size_t i = 0; i < len; i++)
        model[i] = true;
    check_equal(&set, model);
    mu_bitset_fill(&set, false);
    for (size_t i = 0; i < len; i++)
        model[i] = false;
    check_equal(&set, model);
}
END_TEST

START_TEST(and_and_copy) {
    size_t len = lengths[_i];
    struct mu_random random = {.state = len};
    struct mu_bitset a = mu_bitset_make(arena, len), b = mu_bitset_make(arena, len), c = mu_bitset_make(arena, len);
    bool model_a[LEN_MAX] = {false}, model_b[LEN_MAX] = {false};
    for (size_t i = 0; i < len; i++) {
        model_a[i] = mu_random_below(&random, 2);
        model_b[i] = mu_random_below(&random, 2);
        if (model_a[i])
            mu_bitset_add(&a, i);
        if (model_b[i])
            mu_bitset_add(&b, i);
    }
    mu_bitset_fill(&c, true);
    mu_bitset_copy(&c, &a);
    check_equal(&c, model_a);
    mu_bitset_and(&c, &b);
    check_equal(&a, model_a);
    check_equal(&b, model_b);
    for (size_t i = 0; i < len; i++)
        model_a[i] = model_a[i] && model_b[i];
    check_equal(&c, model_a);
}
END_TEST

/* Sparse sets too: words without a member are what `next` skips. */
START_TEST(equals_model) {
    size_t len = lengths[_i];
    struct mu_random random = {.state = len + 1};
    struct mu_bitset set = mu_bitset_make(arena, len);
    bool model[LEN_MAX] = {false};
    for (int round = 0; len > 0 && round < ROUNDS; round++) {
        size_t i = mu_random_below(&random, len);
        model[i] = mu_random_below(&random, 10) == 0;
        if (model[i])
            mu_bitset_add(&set, i);
        else
            mu_bitset_remove(&set, i);
        if (round % 64 == 0)
            check_equal(&set, model);
    }
    check_equal(&set, model);
}
END_TEST

static void add_tests(TCase *tests) {
    enum { LENGTHS = sizeof lengths / sizeof *lengths };
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, made_empty_and_filled, 0, LENGTHS);
    tcase_add_loop_test(tests, and_and_copy, 0, LENGTHS);
    tcase_add_loop_test(tests, equals_model, 0, LENGTHS);
}

int main(void) {
    return mu_suite_run("bitset", add_tests);
}
