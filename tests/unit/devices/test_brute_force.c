/* The allocator against an oracle that tries everything: the same feasibility on every tiny world, nothing over what
 * there is in what was found, and no trace of an attempt or of what was held and given back. */
#include "tests/lib/suite.h"
#include "tests/unit/devices/tiny.h"

enum { SEEDS = 200, WORLDS = 100 }; /* a test of the loop has so many worlds */

struct counts {
    int found, none, left_open;
};

/* The number after the last dash of a name. */
static int number_of(struct mu_str name) {
    size_t at = name.len;
    while (at > 0 && name.ptr[at - 1] != '-')
        at--;
    int64_t number = -1;
    ck_assert(mu_str_to_i64(mu_str_slice(name, at, name.len), &number));
    return (int)number;
}

/* The slot of a result: "request-1" or "request-1/alternative-0". */
static struct tiny_slot slot_of(const struct tiny_objects *objects, int claim, const struct mu_device_result *result) {
    struct mu_str request = mu_text(&objects->symbols, result->request);
    ptrdiff_t slash = mu_str_index(request, '/');
    struct mu_str base = mu_str_slice(request, 0, slash >= 0 ? (size_t)slash : request.len);
    int ask = slash >= 0 ? number_of(request) : 0;
    return (struct tiny_slot){claim, number_of(base), ask, number_of(mu_text(&objects->symbols, result->device))};
}

static void check_found(const struct tiny_world *world, struct tiny_objects *objects,
                        const struct mu_alloc_answer *answer) {
    struct tiny_slot slots[TINY_CLAIMS * TINY_REQUESTS * TINY_DEVICES];
    int len = 0;
    for (int c = 0; c < world->claims_len; c++)
        for (uint32_t i = 0; i < answer->claims[c].results_len; i++)
            slots[len++] = slot_of(objects, c, &answer->claims[c].results[i]);
    ck_assert_msg(tiny_valid(world, slots, len), "what was found breaks a rule");
}

/* Taken and given back leaves no trace; taken, it keeps others out as the rules say. */
static void check_undo(const struct tiny_world *world, struct tiny_objects *objects,
                       const struct mu_alloc_answer *answer) {
    uint64_t before = mu_alloc_digest(objects->alloc);
    size_t mark = mu_alloc_mark(objects->alloc);
    for (int c = 0; c < world->claims_len; c++)
        mu_alloc_hold(objects->alloc, objects->claims[c], 0, answer->claims[c].results, answer->claims[c].results_len);
    uint64_t held = mu_alloc_digest(objects->alloc);
    for (int c = world->claims_len; c-- > 0;)
        mu_alloc_release(objects->alloc, objects->claims[c], 0, answer->claims[c].results,
                         answer->claims[c].results_len);
    ck_assert_uint_eq(mu_alloc_digest(objects->alloc), before);
    for (int c = 0; c < world->claims_len; c++)
        mu_alloc_hold(objects->alloc, objects->claims[c], 0, answer->claims[c].results, answer->claims[c].results_len);
    ck_assert_uint_eq(mu_alloc_digest(objects->alloc), held);
    mu_alloc_rollback(objects->alloc, mark);
    ck_assert_uint_eq(mu_alloc_digest(objects->alloc), before);
}

static void check_world(const struct tiny_world *world, bool hurry, struct mu_arena *arena, struct counts *counts) {
    struct tiny_objects objects;
    struct mu_err err = {0};
    ck_assert_int_eq(tiny_objects_make(world, arena, &objects, &err), 0);
    uint64_t before = mu_alloc_digest(objects.alloc);
    struct mu_alloc_answer answer;
    /* The second of two worlds is searched in a hurry. */
    struct mu_alloc_options options = {.steps = INT64_C(100000000), .cut_after = hurry ? 1 : 0};
    mu_alloc_try_node(objects.alloc, &objects.node, objects.claims, (uint32_t)world->claims_len, &options, arena,
                      &answer);
    ck_assert_uint_eq(mu_alloc_digest(objects.alloc), before);
    /* A claim for all devices that a constraint keeps apart is refused as such, whatever else might do. */
    if (answer.outcome == MU_ALLOC_FAULT) {
        ck_assert_int_eq(answer.fault.kind, MU_ALLOC_FAULT_ALL_CONSTRAINT);
        counts->left_open++;
        return;
    }
    bool feasible = tiny_feasible(world);
    ck_assert_int_eq(answer.outcome, feasible ? MU_ALLOC_FOUND : MU_ALLOC_NONE);
    counts->found += feasible;
    counts->none += !feasible;
    if (feasible) {
        check_found(world, &objects, &answer);
        check_undo(world, &objects, &answer);
    }
}

static int run_worlds(void *ctx, struct mu_err *err) {
    (void)err;
    struct mu_arena *arena = ((void **)ctx)[0];
    struct mu_random *random = ((void **)ctx)[1];
    struct counts *counts = ((void **)ctx)[2];
    for (int i = 0; i < WORLDS; i++) {
        struct mu_arena_mark mark = mu_arena_mark(arena);
        struct tiny_world world;
        tiny_make(random, &world);
        check_world(&world, i % 2 == 1, arena, counts);
        mu_arena_rollback(arena, mark);
    }
    return 0;
}

START_TEST(same_feasibility) {
    struct mu_random random = {.state = (uint64_t)_i};
    struct mu_arena *arena = mu_arena_create(0, NULL);
    struct counts counts = {0};
    void *ctx[3] = {arena, &random, &counts};
    struct mu_err err = {0};
    ck_assert_int_eq(mu_arena_run(arena, run_worlds, ctx, &err), 0);
    /* The worlds must be worth it: some of each kind, and few that say nothing. */
    ck_assert_int_gt(counts.found, WORLDS / 20);
    ck_assert_int_gt(counts.none, WORLDS / 20);
    ck_assert_int_lt(counts.left_open, WORLDS / 4);
    mu_arena_destroy(arena);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, same_feasibility, 1, SEEDS + 1);
}

int main(void) {
    return mu_suite_run("brute_force", add_tests);
}
