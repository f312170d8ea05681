/* Map: the hash against published numbers, the map against an array, and memory that fails. */
#include "scheduler/base/map.h"
#include "tests/lib/faults.h"
#include "tests/lib/random.h"
#include "tests/lib/suite.h"

#include <stdio.h>

enum { KEYS = 600, KEY_MAX = 16 };

static struct mu_arena *arena;
static char key_bytes[KEYS][KEY_MAX];
static struct mu_str keys[KEYS]; /* all different */

/* The empty string, each byte alone (so NUL too), and longer ones, of which many begin alike. */
static void make_keys(void) {
    for (size_t i = 1; i < KEYS; i++) {
        if (i <= 256) {
            key_bytes[i][0] = (char)(i - 1);
            keys[i] = (struct mu_str){key_bytes[i], 1};
        } else {
            int len = snprintf(key_bytes[i], KEY_MAX, "node-%zu", i);
            keys[i] = (struct mu_str){key_bytes[i], (size_t)len};
        }
    }
}

static void setup(void) {
    make_keys();
    arena = mu_arena_create(0, NULL);
    ck_assert_ptr_nonnull(arena);
}

static void teardown(void) {
    mu_arena_destroy(arena);
}

/* From the reference implementation of SipHash with 1 and 3 rounds: bytes 0, 1, 2, ... as the text, and a key of
 * which the first half is the seed. */
static const struct {
    size_t len;
    uint64_t seed, hash;
} hashes[] = {
    {0, 0, 0xd1fba762150c532c},  {1, 0, 0x68a914128e01e473},  {2, 0, 0x010bac45c41e3669},  {3, 0, 0x4d4c9a4a8ef6e0ad},
    {4, 0, 0x7cc43f98813e4dbd},  {5, 0, 0x5abe2169dff36275},  {6, 0, 0xe3c25f87624f1cdb},  {7, 0, 0x2f098ab0c751325a},
    {8, 0, 0xead411e67ebe2eea},  {9, 0, 0x75927f9d95124362},  {15, 0, 0xf30eb725bb91c9ea}, {16, 0, 0x8972188433a5c5b7},
    {17, 0, 0x4883c49a2c009c1d}, {63, 0, 0x385d3e39e5f37359}, {0, 1, 0xc44a0ebf4e962581},  {1, 1, 0xc7f8837cdc05230b},
    {8, 1, 0x51738227823e2309},  {63, 1, 0xa35bf11b84b78be0},
};

START_TEST(hash_is_siphash_1_3) {
    unsigned char bytes[64];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    ck_assert_uint_eq(mu_hash_bytes(hashes[_i].seed, bytes, hashes[_i].len), hashes[_i].hash);
}
END_TEST

START_TEST(hash_of_nothing_needs_no_bytes) {
    ck_assert_uint_eq(mu_hash_bytes(0, NULL, 0), 0xd1fba762150c532c);
}
END_TEST

START_TEST(empty_map_has_nothing) {
    struct mu_map map;
    uint32_t value = 7;
    mu_map_init(&map, arena, 1);
    ck_assert(!mu_map_get(&map, MU_STR("a"), &value));
    ck_assert(!mu_map_remove(&map, MU_STR("a")));
    ck_assert_uint_eq(value, 7);
    ck_assert_uint_eq(map.len, 0);
}
END_TEST

START_TEST(put_replaces_and_get_may_drop_the_value) {
    struct mu_map map;
    uint32_t value = 0;
    mu_map_init(&map, arena, 1);
    mu_map_put(&map, MU_STR("a"), 1);
    mu_map_put(&map, MU_STR("a"), UINT32_MAX);
    ck_assert_uint_eq(map.len, 1);
    ck_assert(mu_map_get(&map, MU_STR("a"), NULL));
    ck_assert(mu_map_get(&map, MU_STR("a"), &value));
    ck_assert_uint_eq(value, UINT32_MAX);
}
END_TEST

struct model {
    bool there[KEYS];
    uint32_t values[KEYS];
    size_t len;
};

static void check_key(const struct mu_map *map, const struct model *model, size_t key) {
    uint32_t value = 0;
    ck_assert_int_eq(mu_map_get(map, keys[key], &value), model->there[key]);
    if (model->there[key])
        ck_assert_uint_eq(value, model->values[key]);
}

static void step(struct mu_random *random, struct mu_map *map, struct model *model, size_t key, bool put) {
    if (put) {
        uint32_t value = (uint32_t)mu_random_u64(random);
        mu_map_put(map, keys[key], value);
        model->len += !model->there[key];
        model->there[key] = true;
        model->values[key] = value;
    } else {
        ck_assert_int_eq(mu_map_remove(map, keys[key]), model->there[key]);
        model->len -= model->there[key];
        model->there[key] = false;
    }
    ck_assert_uint_eq(map->len, model->len);
}

/* Fills and empties in turn. With few keys the table stays at its first sizes, where probing wraps round most. */
static void compare_with_model(uint64_t seed, size_t keys_count, int rounds) {
    struct mu_random random = {.state = seed};
    struct model model = {.len = 0};
    struct mu_map map;
    mu_map_init(&map, arena, seed);
    for (int round = 0; round < rounds; round++) {
        bool filling = (size_t)round / (keys_count * 2) % 2 == 0;
        bool put = mu_random_below(&random, 4) != 0 ? filling : !filling;
        size_t key = mu_random_below(&random, keys_count);
        step(&random, &map, &model, key, put);
        check_key(&map, &model, key);
        if (round % (keys_count <= 16 ? 10 : 1000) == 0) {
            for (size_t i = 0; i < keys_count; i++)
                check_key(&map, &model, i);
        }
    }
}

START_TEST(large_map_equals_model) {
    compare_with_model((uint64_t)_i, KEYS, 20000);
}
END_TEST

START_TEST(small_maps_equal_model) {
    for (uint64_t seed = 0; seed < 100; seed++)
        compare_with_model(seed, 5 + seed % 12, 300);
}
END_TEST

struct filling {
    struct mu_map *map;
    uint32_t next;
};

static int fill(void *ctx, struct mu_err *err) {
    struct filling *filling = ctx;
    (void)err;
    for (; filling->next < KEYS; filling->next++)
        mu_map_put(filling->map, keys[filling->next], filling->next);
    return MU_OK;
}

/* What was put before memory failed is still there, and putting can go on. */
START_TEST(put_without_memory_changes_nothing) {
    size_t failed = 1;
    for (size_t n = 1; failed > 0; n++) {
        struct mu_faults faults = {.fail_at = n};
        struct mu_memory memory = mu_faults_memory(&faults);
        struct mu_arena *failing = mu_arena_create(0, &memory);
        struct mu_map map;
        struct filling filling = {.map = &map};
        if (failing != NULL) {
            mu_map_init(&map, failing, n);
            int code = mu_arena_run(failing, fill, &filling, NULL);
            ck_assert_int_eq(code, faults.failed > 0 ? MU_E_NOMEM : MU_OK);
            ck_assert_uint_eq(map.len, filling.next);
            ck_assert_int_eq(mu_arena_run(failing, fill, &filling, NULL), MU_OK);
            for (uint32_t i = 0; i < KEYS; i++) {
                uint32_t value = KEYS;
                ck_assert(mu_map_get(&map, keys[i], &value));
                ck_assert_uint_eq(value, i);
            }
        }
        mu_arena_destroy(failing);
        ck_assert_uint_eq(faults.live, 0);
        failed = faults.failed;
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, hash_is_siphash_1_3, 0, sizeof hashes / sizeof *hashes);
    tcase_add_test(tests, hash_of_nothing_needs_no_bytes);
    tcase_add_test(tests, empty_map_has_nothing);
    tcase_add_test(tests, put_replaces_and_get_may_drop_the_value);
    tcase_add_loop_test(tests, large_map_equals_model, 0, 4);
    tcase_add_test(tests, small_maps_equal_model);
    tcase_add_test(tests, put_without_memory_changes_nothing);
}

int main(void) {
    return mu_suite_run("map", add_tests);
}
