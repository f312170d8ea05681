/* One card that two drivers publish. */
#include "tests/unit/devices/world.h"
#include <stdio.h>

static struct world world;

static void teardown(void) {
    world_close(&world);
}

/* A device of each of two drivers on one node; `a` and `b` are their attributes. */
static void two_drivers(const char *a, const char *b, bool heed) {
    char yaml[4096];
    snprintf(yaml, sizeof yaml,
             NODE("n1") CLASS("gpu", "") SLICE_OF("a", "a.example.com", "a", "nodeName: n1",
                                                  "devices: [{name: x, attributes: {%s}}, {name: y}]")
                 SLICE_OF("b", "b.example.com", "b", "nodeName: n1", "devices: [{name: x, attributes: {%s}}]")
                     HELD("h", "b.example.com", "b", "x", "") CLAIM("one", REQUEST("count: 1"))
                         CLAIM("admin", REQUEST("count: 1, adminAccess: true")),
             a, b);
    world = world_with(yaml, MU_ALLOC_ALL_FEATURES, heed);
}

#define FREE "one:r=a/x"
#define TAKEN "one:r=a/y"

static const struct {
    const char *a, *b;
    bool heed;
    const char *answer;
} cases[] = {
    {"uuid: {string: GPU-1}", "uuid: {string: GPU-1}", true, TAKEN},
    {"uuid: {string: GPU-1}", "uuid: {string: GPU-1}", false, FREE},
    {"uuid: {string: GPU-1}", "uuid: {string: GPU-2}", true, FREE},
    {"a.example.com/uuid: {string: GPU-1}", "parentUUID: {string: GPU-1}, uuid: {string: MIG-7}", true, TAKEN},
    {"uuid: {string: MIG-7}", "parentUUID: {string: GPU-1}, uuid: {string: MIG-7}", true, TAKEN},
    {"pciBusID: {string: '0000:01:00.0'}", "resource.kubernetes.io/pcieBusID: {string: '0000:01:00.0'}", true, TAKEN},
    {"pciBusID: {string: '0000:01:00.0'}", "pciBusID: {string: '0000:02:00.0'}", true, FREE},
    {"uuid: {int: 1}", "uuid: {int: 1}", true, FREE},
    {"uuid: {string: ''}", "uuid: {string: ''}", true, FREE},
    {"serial: {string: s}", "serial: {string: s}", true, FREE},
    /* Joined by way of two names. */
    {"uuid: {string: GPU-1}", "pciBusID: {string: p}, uuid: {string: GPU-1}", true, TAKEN},
};

START_TEST(known_by_its_attributes) {
    two_drivers(cases[_i].a, cases[_i].b, cases[_i].heed);
    ck_assert_str_eq(try_claims(&world, "n1", "one"), cases[_i].answer);
    ck_assert_str_eq(try_claims(&world, "n1", "admin"), "admin:r=a/x");
    const struct mu_claim *held = claim_named(&world, "h");
    mu_alloc_release(world.alloc, held, 0, held->results, held->results_len);
    ck_assert_str_eq(take_claims(&world, "n1", "one"), FREE);
}
END_TEST

/* Not within an attempt either; and a bus is one card only on one node. */
START_TEST(within_one_attempt) {
    two_drivers("uuid: {string: GPU-1}", "uuid: {string: GPU-1}", true);
    const struct mu_claim *held = claim_named(&world, "h");
    mu_alloc_release(world.alloc, held, 0, held->results, held->results_len);
    ck_assert_str_eq(try_claims(&world, "n1", "one h one"), "one:r=a/x h: one:r=a/y");
    world_close(&world);
    world = world_of(NODE("n1") NODE("n2") CLASS("gpu", "") SLICE_OF("a", "a.example.com", "a", "nodeName: n1",
                                                                     "devices: [{name: x, attributes: "
                                                                     "{pciBusID: {string: p}}}]")
                         SLICE_OF("b", "b.example.com", "b", "nodeName: n2",
                                  "devices: [{name: x, attributes: {pciBusID: {string: p}}}]")
                             HELD("h", "b.example.com", "b", "x", "") CLAIM("one", REQUEST("count: 1")));
    ck_assert_str_eq(try_claims(&world, "n1", "one"), FREE);
}
END_TEST

/* Partitions of one driver are its own affair; another driver waits for all of them. */
START_TEST(partitions_of_one_driver) {
    world = world_of(NODE("n1") CLASS("gpu", "")
                         SLICE_OF("a", "a.example.com", "a", "nodeName: n1",
                                  "devices: [{name: m1, attributes: {parentUUID: {string: G}}}, {name: m2, attributes: "
                                  "{parentUUID: {string: G}}}]")
                             SLICE_OF("b", "b.example.com", "b", "nodeName: n1",
                                      "devices: [{name: x, attributes: {uuid: {string: G}}}]")
                                 HELD("h1", "a.example.com", "a", "m1", "") CLAIM("one", REQUEST("count: 1")));
    ck_assert_str_eq(take_claims(&world, "n1", "one"), "one:r=a/m2");
    ck_assert_str_eq(try_claims(&world, "n1", "one"), "none");
    const struct mu_claim *held = claim_named(&world, "h1");
    mu_alloc_release(world.alloc, held, 0, held->results, held->results_len);
    ck_assert_str_eq(try_claims(&world, "n1", "one"), "one:r=a/m1");
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_loop_test(tests, known_by_its_attributes, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tests, within_one_attempt);
    tcase_add_test(tests, partitions_of_one_driver);
}

int main(void) {
    return mu_suite_run("cards", add_tests);
}
