/* The allocator: what the corpus of Kubernetes' own answers does not ask. */
#include "tests/lib/faults.h"
#include "tests/unit/devices/world.h"
#include <stdio.h>

static struct world world;

static void teardown(void) {
    world_close(&world);
}

#define GPU CLASS("gpu", "")

/* ---- Taking, giving back, undoing ---- */

START_TEST(a_gang_on_two_nodes_and_back) {
    world =
        world_of(NODE("n1") NODE("n2") GPU SLICE("n1", "n1", "{name: a}, {name: b}") SLICE("n2", "n2", "{name: a}")
                     CLAIM("x", REQUEST("count: 1")) CLAIM("y", REQUEST("count: 1")) CLAIM("z", REQUEST("count: 1")));
    uint64_t empty = mu_alloc_digest(world.alloc);
    size_t first = mu_alloc_mark(world.alloc);
    ck_assert_str_eq(take_claims(&world, "n1", "x"), "x:r=n1/a");
    size_t second = mu_alloc_mark(world.alloc);
    uint64_t one = mu_alloc_digest(world.alloc);
    ck_assert_str_eq(take_claims(&world, "n1", "y"), "y:r=n1/b");
    ck_assert_str_eq(try_claims(&world, "n1", "z"), "none");
    ck_assert_str_eq(take_claims(&world, "n2", "z"), "z:r=n2/a");
    mu_alloc_rollback(world.alloc, second);
    ck_assert_uint_eq(mu_alloc_digest(world.alloc), one);
    ck_assert_str_eq(take_claims(&world, "n1", "z"), "z:r=n1/b");
    mu_alloc_rollback(world.alloc, first);
    ck_assert_uint_eq(mu_alloc_digest(world.alloc), empty);
    ck_assert_str_eq(try_claims(&world, "n1", "x y"), "x:r=n1/a y:r=n1/b");
    ck_assert_str_eq(try_claims(&world, "n1", "x y z"), "none");
}
END_TEST

START_TEST(given_back_by_one_of_two) {
    world = world_of(NODE("n1") GPU SLICE("n1", "n1", "{name: a}") HELD("h1", "gpu.example.com", "n1", "a", "")
                         HELD("h2", "gpu.example.com", "n1", "a", "") CLAIM("x", REQUEST("count: 1")));
    const struct mu_claim *h1 = claim_named(&world, "h1"), *h2 = claim_named(&world, "h2");
    mu_alloc_release(world.alloc, h1, 0, h1->results, h1->results_len);
    ck_assert_str_eq(try_claims(&world, "n1", "x"), "none");
    mu_alloc_release(world.alloc, h2, 0, h2->results, h2->results_len);
    ck_assert_str_eq(try_claims(&world, "n1", "x"), "x:r=n1/a");
    mu_alloc_keep(world.alloc);
    ck_assert_uint_eq(mu_alloc_mark(world.alloc), 0);
}
END_TEST

START_TEST(devices_that_nobody_publishes) {
    world = world_of(NODE("n1") GPU SLICE("n1", "n1", "{name: a}") HELD("h", "gpu.example.com", "n1", "gone", "")
                         CLAIM("x", REQUEST("allocationMode: All")));
    ck_assert_str_eq(try_claims(&world, "n1", "x"), "x:r=n1/a");
}
END_TEST

/* ---- Shares ---- */

#define SHARED(name)                                                                                                   \
    "{name: " name ", allowMultipleAllocations: true, capacity: {memory: {value: 8Gi, requestPolicy: {default: 1Gi, "  \
    "validRange: {min: 1Gi, max: 8Gi, step: 1Gi}}}}}"
#define MEMORY(amount) REQUEST("count: 1, capacity: {requests: {memory: " amount "}}")

START_TEST(shares_until_it_is_full) {
    world = world_of(NODE("n1") GPU SLICE("n1", "n1", SHARED("a") ", " SHARED("b")) CLAIM("five", MEMORY("4.5Gi"))
                         CLAIM("three", MEMORY("3Gi")) CLAIM("one", REQUEST("count: 1")) CLAIM("nine", MEMORY("9Gi")));
    ck_assert_str_eq(take_claims(&world, "n1", "five"), "five:r=n1/a(memory 5Gi)");
    ck_assert_str_eq(take_claims(&world, "n1", "three"), "three:r=n1/a(memory 3Gi)");
    ck_assert_str_eq(take_claims(&world, "n1", "one"), "one:r=n1/b(memory 1Gi)");
    ck_assert_str_eq(try_claims(&world, "n1", "nine"), "none");
}
END_TEST

START_TEST(shares_of_claims_that_exist) {
    world = world_of(NODE("n1") GPU SLICE("n1", "n1", SHARED("a"))
                         HELD("h", "gpu.example.com", "n1", "a", ", shareID: s, consumedCapacity: {memory: 6Gi}")
                             CLAIM("two", MEMORY("2Gi")) CLAIM("three", MEMORY("3Gi")));
    ck_assert_str_eq(try_claims(&world, "n1", "three"), "none");
    ck_assert_str_eq(try_claims(&world, "n1", "two"), "two:r=n1/a(memory 2Gi)");
    const struct mu_claim *held = claim_named(&world, "h");
    mu_alloc_release(world.alloc, held, 0, held->results, held->results_len);
    ck_assert_str_eq(try_claims(&world, "n1", "three"), "three:r=n1/a(memory 3Gi)");
}
END_TEST

/* A driver may make a device exclusive while shares of it are out. */
START_TEST(shares_of_what_is_exclusive_now) {
    world = world_of(NODE("n1") GPU SLICE("n1", "n1", "{name: a}")
                         HELD("h", "gpu.example.com", "n1", "a", ", shareID: s") CLAIM("x", REQUEST("count: 1")));
    ck_assert_str_eq(try_claims(&world, "n1", "x"), "none");
}
END_TEST

/* ---- Admin access ---- */

START_TEST(admin_access_takes_nothing) {
    world = world_of(NODE("n1") GPU SLICE("n1", "n1", "{name: a}") HELD("h", "gpu.example.com", "n1", "a", "")
                         CLAIM("admin", REQUEST("count: 1, adminAccess: true")) CLAIM("x", REQUEST("count: 1"))
                             HELD("old", "gpu.example.com", "n1", "a", ", adminAccess: true"));
    ck_assert_str_eq(take_claims(&world, "n1", "admin"), "admin:r=n1/a");
    ck_assert(world.answer.claims[0].results[0].admin_access);
    ck_assert_str_eq(try_claims(&world, "n1", "x"), "none");
    const struct mu_claim *held = claim_named(&world, "h");
    mu_alloc_release(world.alloc, held, 0, held->results, held->results_len);
    ck_assert_str_eq(try_claims(&world, "n1", "x"), "x:r=n1/a");
}
END_TEST

/* ---- Partitions ---- */

#define PARTED(devices)                                                                                                \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: counters}\nspec: {driver: gpu.example.com," \
    " nodeName: n1, pool: {name: p, generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: card, counters: "   \
    "{slots: {value: \"4\"}}}]}\n---\n"                                                                                \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: devices}\nspec: {driver: gpu.example.com, " \
    "nodeName: n1, pool: {name: p, generation: 1, resourceSliceCount: 2}, devices: [" devices "]}\n---\n"
#define PART(name, slots, groups)                                                                                      \
    "{name: " name ", consumesCounters: [{counterSet: card, counters: {slots: {value: \"" slots                        \
    "\"}}, compatibilityGroups: [" groups "]}]}"

START_TEST(partitions_of_one_card) {
    world =
        world_of(NODE("n1") GPU PARTED(PART("whole", "4", "") ", " PART("half-0", "2", "") ", " PART("half-1", "2", ""))
                     CLAIM("x", REQUEST("count: 1")) CLAIM("two", REQUEST("count: 2"))
                         CLAIM("all", REQUEST("allocationMode: All")));
    ck_assert_str_eq(try_claims(&world, "n1", "two"), "two:r=p/half-0,r=p/half-1");
    ck_assert_str_eq(try_claims(&world, "n1", "all"), "none");
    ck_assert_str_eq(try_claims(&world, "n1", "x two"), "none");
    ck_assert_str_eq(take_claims(&world, "n1", "x"), "x:r=p/whole");
    ck_assert_str_eq(try_claims(&world, "n1", "two"), "none");
}
END_TEST

/* More is given out of the card than there is: nothing of it is given out any more. */
START_TEST(a_card_that_is_overdrawn) {
    world = world_of(NODE("n1") GPU PARTED(PART("whole", "4", "") ", " PART("half", "2", "") ", " PART("none", "0", ""))
                         HELD("h1", "gpu.example.com", "p", "whole", "") HELD("h2", "gpu.example.com", "p", "half", "")
                             CLAIM("x", REQUEST("count: 1")));
    ck_assert_str_eq(try_claims(&world, "n1", "x"), "none");
    const struct mu_claim *held = claim_named(&world, "h2");
    mu_alloc_release(world.alloc, held, 0, held->results, held->results_len);
    ck_assert_str_eq(try_claims(&world, "n1", "x"), "x:r=p/none");
}
END_TEST

/* Without the feature for partitions they are not understood, held or not. */
START_TEST(partitions_without_the_feature) {
    world = world_with(NODE("n1") GPU PARTED(PART("half-0", "2", "") ", " PART("half-1", "2", ""))
                           HELD("h", "gpu.example.com", "p", "half-0", "") CLAIM("x", REQUEST("count: 1")),
                       MU_ALLOC_ALL_FEATURES & ~(unsigned)MU_ALLOC_PARTITIONABLE, true);
    ck_assert_str_eq(try_claims(&world, "n1", "x"), "none");
    const struct mu_claim *held = claim_named(&world, "h");
    mu_alloc_release(world.alloc, held, 0, held->results, held->results_len);
}
END_TEST

/* Each pair of these goes together, all three do not. */
START_TEST(groups_that_go_in_pairs) {
    world = world_of(
        NODE("n1") GPU PARTED(PART("ab", "1", "a, b") ", " PART("bc", "1", "b, c") ", " PART("ca", "1", "c, a"))
            CLAIM("two", REQUEST("count: 2")) CLAIM("three", REQUEST("count: 3")) CLAIM("one", REQUEST("count: 1")));
    ck_assert_str_eq(try_claims(&world, "n1", "three"), "none");
    ck_assert_str_eq(take_claims(&world, "n1", "two"), "two:r=p/ab,r=p/bc");
    ck_assert_str_eq(try_claims(&world, "n1", "one"), "none");
}
END_TEST

/* ---- Order and budget ---- */

START_TEST(the_order_is_an_input) {
    world =
        world_of(NODE("n1") GPU SLICE("n1", "n1", "{name: a}, {name: b}, {name: c}") CLAIM("x", REQUEST("count: 2")));
    static const uint32_t order[] = {2, 0, 1};
    struct mu_alloc_options options = {.order = order};
    ck_assert_str_eq(try_with(&world, "n1", "x", &options), "x:r=n1/c,r=n1/a");
    uint32_t len;
    const struct mu_alloc_candidate *candidates =
        mu_alloc_candidates(world.alloc, world.loaded.store->nodes.items[0], world.loaded.arena, &len);
    ck_assert_uint_eq(len, 3);
    ck_assert_str_eq(text_of(&world.loaded, candidates[2].device->name), "c");
}
END_TEST

#define EIGHT(p)                                                                                                       \
    "{name: " p "0}, {name: " p "1}, {name: " p "2}, {name: " p "3}, {name: " p "4}, {name: " p "5}, {name: " p        \
    "6}, {name: " p "7}"

#define MANY SLICE("n1", "n1", EIGHT("a") ", " EIGHT("b") ", " EIGHT("c") ", " EIGHT("d"))
#define SIXTEEN_AND(class) CLAIM("x", REQUEST("count: 16}}, {name: t, exactly: {deviceClassName: " class))

/* 600 million subsets of devices would have to be looked at for the first request, before each time the second one
 * fails. That it cannot be served at all is seen. */
START_TEST(a_request_without_hope) {
    world = world_of(NODE("n1") GPU CLASS("none", "selectors: [{cel: {expression: 'device.driver == \"no\"'}}]")
                         MANY SIXTEEN_AND("none"));
    ck_assert_str_eq(try_claims(&world, "n1", "x"), "none");
    ck_assert_int_lt(world.answer.steps, 10000);
}
END_TEST

/* A class that matches one device, which the first request must leave alone: found, but not within few steps. */
START_TEST(a_search_ends_with_its_budget) {
    world = world_of(NODE("n1") GPU CLASS("first", "selectors: [{cel: {expression: 'device.attributes[\"gpu.example.com"
                                                   "\"].first'}}]")
                         SLICE("n1", "n1",
                               "{name: z, attributes: {first: {bool: true}}}, {name: y, attributes: {first: "
                               "{bool: false}}}")
                             CLAIM("x", REQUEST("count: 1}}, {name: t, exactly: {deviceClassName: first")));
    ck_assert_str_eq(try_claims(&world, "n1", "x"), "x:r=n1/y,t=n1/z");
    struct mu_alloc_options options = {.steps = 3};
    ck_assert_str_eq(try_with(&world, "n1", "x", &options), "out of steps");
    ck_assert_int_eq(world.answer.steps, 4);
}
END_TEST

START_TEST(a_count_that_no_claim_may_have) {
    world = world_of(NODE("n1") GPU SLICE("n1", "n1", "{name: a}") CLAIM("x", REQUEST("count: 9223372036854775807")));
    ck_assert_str_eq(
        try_claims(&world, "n1", "x"),
        "fault: claim x, request r: 9223372036854775807 more devices are more than the 32 that a claim may "
        "have, with 0 asked for before");
    ck_assert_int_eq(world.answer.fault.kind, MU_ALLOC_FAULT_TOO_MANY);
    ck_assert(!world.answer.fault.this_node);
}
END_TEST

START_TEST(nothing_to_do) {
    world = world_of(NODE("n1") CLAIM("x", ""));
    ck_assert_str_eq(try_claims(&world, "n1", ""), "");
    ck_assert_int_eq(world.answer.outcome, MU_ALLOC_FOUND);
    ck_assert_str_eq(try_claims(&world, "n1", "x"), "x:");
}
END_TEST

/* ---- Memory that runs out ---- */

struct scarce {
    struct mu_alloc *alloc;
    struct mu_arena *arena;
    const struct mu_node *node;
    const struct mu_claim *claims[2];
    struct mu_alloc_answer answer;
};

static int make_scarce(void *ctx, struct mu_err *err) {
    struct scarce *scarce = ctx;
    struct mu_store *store = world.loaded.store;
    struct mu_alloc_input input = {.symbols = &store->symbols,
                                   .slices = (const struct mu_slice *const *)store->slices.items,
                                   .classes = (const struct mu_device_class *const *)store->device_classes.items,
                                   .slices_len = (uint32_t)store->slices.len,
                                   .classes_len = (uint32_t)store->device_classes.len,
                                   .features = MU_ALLOC_ALL_FEATURES,
                                   .one_card_one_driver = true};
    return mu_alloc_create(scarce->arena, &input, &scarce->alloc, err);
}

static int use_scarce(void *ctx, struct mu_err *err) {
    (void)err;
    struct scarce *scarce = ctx;
    for (int i = 0; i < 2; i++) {
        size_t mark = mu_alloc_mark(scarce->alloc);
        mu_alloc_try_node(scarce->alloc, scarce->node, scarce->claims, 2, NULL, scarce->arena, &scarce->answer);
        for (int c = 0; c < 2; c++)
            mu_alloc_hold(scarce->alloc, scarce->claims[c], 0, scarce->answer.claims[c].results,
                          scarce->answer.claims[c].results_len);
        mu_alloc_rollback(scarce->alloc, mark);
    }
    return 0;
}

/* One allocation after the other fails, while a state is made and while it is used: it is then as it was before, and
 * works once there is memory again. */
START_TEST(memory_runs_out) {
    world = world_of(NODE("n1") GPU SLICE("n1", "n1", SHARED("a") ", " SHARED("b")) CLAIM("x", MEMORY("5Gi"))
                         CLAIM("y", MEMORY("5Gi")));
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        struct mu_faults faults = {.fail_at = n};
        struct mu_memory memory = mu_faults_memory(&faults);
        struct scarce scarce = {.arena = mu_arena_create(0, &memory),
                                .node = world.loaded.store->nodes.items[0],
                                .claims = {claim_named(&world, "x"), claim_named(&world, "y")}};
        struct mu_err err = {0};
        int code = scarce.arena == NULL ? MU_E_NOMEM : mu_arena_run(scarce.arena, make_scarce, &scarce, &err);
        uint64_t before = code == 0 ? mu_alloc_digest(scarce.alloc) : 0;
        if (code == 0 && mu_arena_run(scarce.arena, use_scarce, &scarce, &err) != 0) {
            mu_alloc_rollback(scarce.alloc, 0);
            ck_assert_uint_eq(mu_alloc_digest(scarce.alloc), before);
            ck_assert_int_eq(mu_arena_run(scarce.arena, use_scarce, &scarce, &err), 0);
        }
        failed = faults.failed > 0;
        mu_arena_destroy(scarce.arena);
        ck_assert_uint_eq(faults.live, 0);
    }
}
END_TEST

/* ---- Taint rules ---- */

#define RULE(selector)                                                                                                 \
    "apiVersion: resource.k8s.io/v1alpha3\nkind: DeviceTaintRule\nmetadata: {name: t}\nspec: {" selector               \
    "taint: {key: broken, effect: NoExecute}}\n---\n"

static const struct {
    const char *rule, *answer;
} rules[] = {
    {RULE(""), "x:r=n1/a"}, /* without a selector it is for nobody */
    {RULE("deviceSelector: {}, "), "none"},
    {RULE("deviceSelector: {device: a}, "), "x:r=n1/b"},
    {RULE("deviceSelector: {driver: gpu.example.com, pool: n1, device: a}, "), "x:r=n1/b"},
    {RULE("deviceSelector: {driver: other}, "), "x:r=n1/a"},
    {RULE("deviceSelector: {pool: other}, "), "x:r=n1/a"},
    {RULE("deviceSelector: {deviceClassName: gpu}, "), "x:r=n1/a"}, /* no longer supported: refused */
};

START_TEST(taint_rules) {
    char yaml[4096];
    snprintf(yaml, sizeof yaml, "%s%s",
             NODE("n1") GPU SLICE("n1", "n1", "{name: a}, {name: b}") CLAIM("x", REQUEST("count: 1"))
                 CLAIM("brave", REQUEST("count: 1, tolerations: [{key: broken, operator: Exists}]")),
             rules[_i].rule);
    world = world_of(yaml);
    ck_assert_str_eq(try_claims(&world, "n1", "x"), rules[_i].answer);
    ck_assert_str_eq(try_claims(&world, "n1", "brave"), "brave:r=n1/a");
}
END_TEST

/* ---- What one claim may cost ---- */

#define TEN "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
/* Some 150,000 units for each device: the limit is for all of a claim together. */
#define COSTLY(count)                                                                                                  \
    "requests: [{name: r, exactly: {deviceClassName: gpu, count: " count                                               \
    ", derivedAttributes: [{name: d.example.com/x, expression: '" TEN ".exists(a, " TEN ".exists(b, " TEN              \
    ".exists(c, " TEN ".exists(d, false)))) ? 1 : 2'}]}}], constraints: [{matchAttribute: d.example.com/x}]"

START_TEST(derived_attributes_have_one_limit_for_a_claim) {
    world =
        world_of(NODE("n1") GPU SLICE("n1", "n1",
                                      "{name: a}, {name: b}, {name: c}, {name: d}, {name: e}, {name: f}, {name: g}, "
                                      "{name: h}, {name: i}, {name: j}, {name: k}, {name: l}, {name: m}, {name: n}, "
                                      "{name: o}, {name: p}, {name: q}, {name: s}, {name: t}, {name: u}, {name: v}, "
                                      "{name: w}, {name: x}, {name: y}, {name: z}") CLAIM("few", COSTLY("2"))
                     CLAIM("many", COSTLY("25")));
    ck_assert_str_eq(try_claims(&world, "n1", "few"), "few:r=n1/a,r=n1/b");
    ck_assert(strstr(try_claims(&world, "n1", "many"), "more than may be spent on a claim") != NULL);
}
END_TEST

/* ---- Order and proofs where cards are to stay whole ---- */

static const struct mu_alloc_options packed = {.packed = true};

#define CARD(name) "{name: " name ", allowMultipleAllocations: true, capacity: {memory: {value: '4'}}}"
#define AMOUNT(amount) REQUEST("capacity: {requests: {memory: '" amount "'}}")

START_TEST(shares_go_where_shares_are) {
    world = world_of(NODE("n1") GPU SLICE("n1", "n1", CARD("a") ", " CARD("b") ", " CARD("c")) CLAIM("big", AMOUNT("3"))
                         CLAIM("x", AMOUNT("2")) CLAIM("y", AMOUNT("1")));
    ck_assert_str_eq(try_with(&world, "n1", "big", &packed), "big:r=n1/a(memory 3)");
    ck_assert_uint_eq(world.answer.broken, 1);
    take_claims(&world, "n1", "x");                                                   /* on a */
    ck_assert_str_eq(try_with(&world, "n1", "big", &packed), "big:r=n1/b(memory 3)"); /* a is too full */
    ck_assert_str_eq(try_with(&world, "n1", "y", &packed), "y:r=n1/a(memory 1)");
    ck_assert_uint_eq(world.answer.broken, 0);
}
END_TEST

/* More of one kind than there are is known to be too much without a search. */
START_TEST(a_crowd_is_refused_at_once) {
    world =
        world_of(NODE("n1") GPU SLICE("n1", "n1", "{name: a}, {name: b}, {name: c}") CLAIM("w", REQUEST("count: 1"))
                     CLAIM("x", REQUEST("count: 1")) CLAIM("y", REQUEST("count: 1")) CLAIM("z", REQUEST("count: 1")));
    ck_assert_str_eq(try_with(&world, "n1", "w x y", &packed), "w:r=n1/a x:r=n1/b y:r=n1/c");
    ck_assert_str_eq(try_with(&world, "n1", "w x y z", &packed), "none");
    ck_assert_int_eq(world.answer.steps, 0);
}
END_TEST

/* ---- Several nodes ---- */

START_TEST(a_claim_of_two_nodes_gets_what_both_reach) {
    world = world_of(NODE("n1") NODE("n2") GPU SLICE("a1", "n1", "{name: a}") SLICE("a2", "n2", "{name: a}")
                         SLICE_OF("net", "gpu.example.com", "net", "allNodes: true", "devices: [{name: far}]")
                             CLAIM("x", REQUEST("count: 1")) CLAIM("y", REQUEST("count: 1")));
    const struct mu_node *both[] = {world.loaded.store->nodes.items[0], world.loaded.store->nodes.items[1]};
    const struct mu_alloc_want wants[] = {{claim_named(&world, "x"), both, 1, 0},
                                          {claim_named(&world, "y"), both, 2, 0},
                                          {claim_named(&world, "x"), both + 1, 1, 0}};
    mu_alloc_try(world.alloc, wants, 3, NULL, world.loaded.arena, &world.answer);
    ck_assert_int_eq(world.answer.outcome, MU_ALLOC_FOUND);
    const char *const pools[] = {"a1", "net", "a2"};
    for (int i = 0; i < 3; i++)
        ck_assert(mu_str_eq(mu_text(&world.loaded.store->symbols, world.answer.claims[i].results[0].pool),
                            mu_str_from(pools[i])));
    ck_assert(!mu_alloc_claim_local(world.alloc, wants[0].claim));
    ck_assert(!mu_alloc_node_local(world.alloc, both[0]));
}
END_TEST

/* ---- Whom a card is shared with ---- */

static const struct {
    enum mu_sharing_with with;
    bool same_queue, same_namespace, allowed;
} sharing[] = {
    {MU_SHARING_ANY, false, false, true},      {MU_SHARING_QUEUE, false, true, false},
    {MU_SHARING_QUEUE, true, false, true},     {MU_SHARING_NAMESPACE, true, false, false},
    {MU_SHARING_NAMESPACE, false, true, true},
};

START_TEST(a_rule_of_either_side_holds) {
    world = world_of(NODE("n1") GPU SLICE("n1", "n1", CARD("a")) CLAIM("x", AMOUNT("1")) CLAIM("y", AMOUNT("1")));
    const struct mu_sharing_setting rule = {MU_STR("gpu"), sharing[_i].with};
    struct mu_store *store = world.loaded.store;
    struct mu_alloc_input input = {.symbols = &store->symbols,
                                   .slices = (const struct mu_slice *const *)store->slices.items,
                                   .classes = (const struct mu_device_class *const *)store->device_classes.items,
                                   .slices_len = (uint32_t)store->slices.len,
                                   .classes_len = (uint32_t)store->device_classes.len,
                                   .features = MU_ALLOC_ALL_FEATURES,
                                   .sharing = &rule,
                                   .sharing_len = 1};
    struct mu_alloc *alloc;
    struct mu_err err = {0};
    ck_assert_int_eq(mu_alloc_create(world.loaded.arena, &input, &alloc, &err), 0);
    struct mu_claim other = *claim_named(&world, "y");
    if (!sharing[_i].same_namespace)
        other.meta.namespace = other.meta.name;
    const struct mu_node *node = store->nodes.items[0];
    const struct mu_alloc_want first = {claim_named(&world, "x"), &node, 1, 1};
    const struct mu_alloc_want second = {&other, &node, 1, sharing[_i].same_queue ? 1 : 2};
    uint64_t before = mu_alloc_digest(alloc);
    struct mu_alloc_answer answer;
    mu_alloc_try(alloc, &first, 1, NULL, world.loaded.arena, &answer);
    ck_assert_int_eq(answer.outcome, MU_ALLOC_FOUND);
    mu_alloc_hold(alloc, first.claim, 1, answer.claims[0].results, answer.claims[0].results_len);
    mu_alloc_try(alloc, &second, 1, NULL, world.loaded.arena, &world.answer);
    ck_assert_int_eq(world.answer.outcome, sharing[_i].allowed ? MU_ALLOC_FOUND : MU_ALLOC_NONE);
    mu_alloc_release(alloc, first.claim, 1, answer.claims[0].results, answer.claims[0].results_len);
    ck_assert_uint_eq(mu_alloc_digest(alloc), before);
    mu_alloc_try(alloc, &second, 1, NULL, world.loaded.arena, &world.answer);
    ck_assert_int_eq(world.answer.outcome, MU_ALLOC_FOUND);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_test(tests, a_gang_on_two_nodes_and_back);
    tcase_add_test(tests, given_back_by_one_of_two);
    tcase_add_test(tests, devices_that_nobody_publishes);
    tcase_add_test(tests, shares_until_it_is_full);
    tcase_add_test(tests, shares_of_claims_that_exist);
    tcase_add_test(tests, shares_of_what_is_exclusive_now);
    tcase_add_test(tests, admin_access_takes_nothing);
    tcase_add_test(tests, partitions_of_one_card);
    tcase_add_test(tests, a_card_that_is_overdrawn);
    tcase_add_test(tests, partitions_without_the_feature);
    tcase_add_test(tests, groups_that_go_in_pairs);
    tcase_add_test(tests, the_order_is_an_input);
    tcase_add_test(tests, a_request_without_hope);
    tcase_add_test(tests, a_search_ends_with_its_budget);
    tcase_add_test(tests, a_count_that_no_claim_may_have);
    tcase_add_test(tests, nothing_to_do);
    tcase_add_test(tests, memory_runs_out);
    tcase_add_test(tests, derived_attributes_have_one_limit_for_a_claim);
    tcase_add_test(tests, shares_go_where_shares_are);
    tcase_add_test(tests, a_crowd_is_refused_at_once);
    tcase_add_test(tests, a_claim_of_two_nodes_gets_what_both_reach);
    tcase_add_loop_test(tests, a_rule_of_either_side_holds, 0, sizeof sharing / sizeof *sharing);
    tcase_add_loop_test(tests, taint_rules, 0, sizeof rules / sizeof *rules);
}

int main(void) {
    return mu_suite_run("allocator", add_tests);
}
