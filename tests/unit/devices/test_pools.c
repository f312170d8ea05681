/* Pools: generations, what is wrong with them, and which nodes reach them. */
#include "tests/unit/devices/world.h"
#include <stdio.h>

static struct world world;

static void teardown(void) {
    world_close(&world);
}

#define GPU CLASS("gpu", "")
#define LABELLED(name, value) "apiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: {zone: " value "}}\n---\n"
#define ONE CLAIM("one", REQUEST("count: 1"))
#define ALL CLAIM("all", REQUEST("allocationMode: All"))
/* A slice of a pool of generation `generation` in `count` slices. */
#define PART_OF(name, where, generation, count, more)                                                                  \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: " name                                      \
    "}\nspec: {driver: gpu.example.com, " where ", pool: {name: p, generation: " generation                            \
    ", resourceSliceCount: " count "}, " more "}\n---\n"

static const char *notes(void) {
    uint32_t len;
    const struct mu_pool_note *list = mu_alloc_pool_notes(world.alloc, world.loaded.arena, &len);
    struct mu_buf buf;
    mu_buf_init(&buf, world.loaded.arena);
    for (uint32_t i = 0; i < len; i++)
        mu_buf_printf(&buf, "%s" MU_STR_FMT, i > 0 ? "; " : "", MU_STR_ARG(list[i].text));
    return buf.len > 0 ? buf.ptr : "";
}

/* ---- Reach ---- */

static const struct {
    const char *where, *device, *n1, *n2;
} reaches[] = {
    {"nodeName: n1", "name: a", "one:r=p/a", "none"},
    {"allNodes: true", "name: a", "one:r=p/a", "one:r=p/a"},
    {"nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [east]}]}]}", "name: a",
     "none", "one:r=p/a"},
    {"perDeviceNodeSelection: true", "name: a, nodeName: n1", "one:r=p/a", "none"},
    {"perDeviceNodeSelection: true", "name: a, allNodes: true", "one:r=p/a", "one:r=p/a"},
    {"perDeviceNodeSelection: true",
     "name: a, nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n2]}]}]}",
     "none", "one:r=p/a"},
    {"perDeviceNodeSelection: true", "name: a", "none", "none"},
    {"perDeviceNodeSelection: false", "name: a", "none", "none"}, /* nothing known: of the future */
};

START_TEST(which_nodes_reach_it) {
    char yaml[4096];
    snprintf(
        yaml, sizeof yaml, LABELLED("n1", "west") LABELLED("n2", "east") GPU ONE "%s%s%s%s%s",
        "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: gpu.example.com, ",
        reaches[_i].where, ", pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: [{", reaches[_i].device,
        "}]}\n");
    world = world_of(yaml);
    ck_assert_str_eq(try_claims(&world, "n1", "one"), reaches[_i].n1);
    ck_assert_str_eq(try_claims(&world, "n2", "one"), reaches[_i].n2);
}
END_TEST

/* A node that changed is looked at anew, however often. */
START_TEST(nodes_change) {
    world =
        world_of(LABELLED("n1", "west") LABELLED("n2", "east")
                     GPU ONE PART_OF("s",
                                     "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In,"
                                     " values: [east]}]}]}",
                                     "1", "1", "devices: [{name: a}]"));
    const struct mu_claim *one = claim_named(&world, "one");
    struct mu_node nodes[2] = {*world.loaded.store->nodes.items[0], *world.loaded.store->nodes.items[1]};
    nodes[1].meta.name = nodes[0].meta.name;
    mu_alloc_try_node(world.alloc, &nodes[0], &one, 1, NULL, world.loaded.arena, &world.answer);
    ck_assert_int_eq(world.answer.outcome, MU_ALLOC_NONE);
    struct mu_labels west = nodes[0].meta.labels;
    nodes[0].meta.labels = nodes[1].meta.labels;
    mu_alloc_forget_nodes(world.alloc);
    mu_alloc_try_node(world.alloc, &nodes[0], &one, 1, NULL, world.loaded.arena, &world.answer);
    ck_assert_int_eq(world.answer.outcome, MU_ALLOC_FOUND);
    nodes[0].meta.labels = west;
    mu_alloc_forget_nodes(world.alloc);
    for (int i = 0; i < 1000; i++) {
        mu_alloc_try_node(world.alloc, &nodes[i % 2], &one, 1, NULL, world.loaded.arena, &world.answer);
        ck_assert_int_eq(world.answer.outcome, i % 2 == 0 ? MU_ALLOC_NONE : MU_ALLOC_FOUND);
    }
}
END_TEST

/* ---- Generations ---- */

START_TEST(the_newest_generation_counts) {
    world = world_of(NODE("n1") GPU ONE ALL PART_OF("old", "nodeName: n1", "1", "1", "devices: [{name: a}, {name: b}]")
                         PART_OF("new", "nodeName: n1", "2", "1", "devices: [{name: b}]")
                             HELD("h", "gpu.example.com", "p", "a", ""));
    ck_assert_str_eq(try_claims(&world, "n1", "all"), "all:r=p/b");
    ck_assert_str_eq(notes(), "");
}
END_TEST

START_TEST(a_device_is_held_across_generations) {
    world = world_of(NODE("n1") GPU ONE PART_OF("old", "nodeName: n1", "1", "1", "devices: [{name: a}]")
                         PART_OF("new", "nodeName: n1", "2", "1", "devices: [{name: a}]")
                             HELD("h", "gpu.example.com", "p", "a", ""));
    ck_assert_str_eq(try_claims(&world, "n1", "one"), "none");
}
END_TEST

START_TEST(a_pool_that_is_being_updated) {
    world = world_of(NODE("n1") NODE("n2") GPU ONE ALL PART_OF("s1", "nodeName: n1", "2", "3", "devices: [{name: a}]")
                         PART_OF("s2", "nodeName: n2", "2", "3", "devices: [{name: b}]"));
    ck_assert_str_eq(try_claims(&world, "n1", "one"), "none");
    ck_assert_str_eq(try_claims(&world, "n1", "all"),
                     "fault: claim all, request r: asks for all devices, but pool gpu.example.com/p is being updated");
    ck_assert(world.answer.fault.this_node);
    ck_assert_str_eq(notes(), "is being updated: 2 of 3 slices of generation 2 are there");
}
END_TEST

START_TEST(one_pool_for_two_nodes) {
    world = world_of(NODE("n1") NODE("n2") GPU ALL PART_OF("s1", "nodeName: n1", "2", "2", "devices: [{name: a}]")
                         PART_OF("s2", "nodeName: n2", "2", "2", "devices: [{name: b}]"));
    ck_assert_str_eq(try_claims(&world, "n1", "all"), "all:r=p/a");
    ck_assert_str_eq(try_claims(&world, "n2", "all"), "all:r=p/b");
}
END_TEST

/* ---- Faults ---- */

START_TEST(every_reason_is_told) {
    world = world_of(
        NODE("n1") GPU ONE PART_OF("a", "nodeName: n1", "1", "3",
                                   "sharedCounters: [{name: c, counters: {n: {value: 1}}}, {name: c, counters: {}}]")
            PART_OF("b", "nodeName: n1", "1", "3",
                    "devices: [{name: x, consumesCounters: [{counterSet: d, counters: {n: {value: 1}}},"
                    " {counterSet: c, counters: {m: {value: 1}}}]}, {name: x}]"));
    ck_assert_str_eq(notes(), "is being updated: 2 of 3 slices of generation 1 are there; has two devices of one name; "
                              "counter set c is there twice; device x uses counter set d, which is not there; device x "
                              "uses counter m of set c, which is not there");
}
END_TEST

START_TEST(an_invalid_pool_gives_nothing) {
    world = world_of(NODE("n1") GPU ONE ALL PART_OF("a", "nodeName: n1", "1", "1", "devices: [{name: x}, {name: x}]"));
    ck_assert_str_eq(try_claims(&world, "n1", "one"), "fault: invalid resource pools were met");
    ck_assert_int_eq(world.answer.fault.kind, MU_ALLOC_FAULT_POOLS_INVALID);
    ck_assert_str_eq(try_claims(&world, "n1", "all"),
                     "fault: claim all, request r: asks for all devices, but pool gpu.example.com/p is invalid");
}
END_TEST

START_TEST(another_pool_may_do) {
    world = world_of(NODE("n1") GPU ONE PART_OF("a", "nodeName: n1", "1", "1", "devices: [{name: x}, {name: x}]")
                         SLICE("q", "n1", "{name: y}"));
    ck_assert_str_eq(try_claims(&world, "n1", "one"), "one:r=q/y");
}
END_TEST

/* What is wrong with a slice as an object is wrong with its pool. */
START_TEST(a_slice_that_makes_no_sense) {
    world = world_of(NODE("n1") GPU ONE PART_OF("a", "nodeName: n1", "1", "1",
                                                "devices: [{name: x, bindingConditions: [a, b, c, d, e]}]"));
    ck_assert_str_eq(try_claims(&world, "n1", "one"), "fault: invalid resource pools were met");
    ck_assert_str_eq(notes(), "slice a: spec.devices[0].bindingConditions: has 5 items, 4 are allowed");
}
END_TEST

/* ---- Size ---- */

enum { BIG_SLICES = 80 };

/* 10,240 devices that every node reaches, in 80 slices that say there are `count` of them. */
static const char *big_pool(const char *count) {
    static char yaml[1 << 20];
    int n = snprintf(yaml, sizeof yaml, "%s",
                     NODE("n1") GPU CLASS("none", "selectors: [{cel: {expression: 'device.driver == \"no\"'}}]")
                         CLAIM("most", REQUEST("count: 32")) CLAIM("all", REQUEST("allocationMode: All"))
                             CLAIM("none", "requests: [{name: r, exactly: {deviceClassName: gpu, count: 31}}, {name: "
                                           "s, exactly: {deviceClassName: none}}]"));
    for (int s = 0; s < BIG_SLICES; s++) {
        n += snprintf(yaml + n, sizeof yaml - (size_t)n,
                      "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s%02d}\nspec: {driver: d, "
                      "allNodes: true, pool: {name: p, generation: 1, resourceSliceCount: %s}, devices: [",
                      s, count);
        for (int d = 0; d < 128; d++)
            n += snprintf(yaml + n, sizeof yaml - (size_t)n, "%s{name: d%d-%d}", d > 0 ? ", " : "", s, d);
        n += snprintf(yaml + n, sizeof yaml - (size_t)n, "]}\n---\n");
    }
    return yaml;
}

START_TEST(ten_thousand_devices) {
    world = world_of(big_pool("80"));
    ck_assert_str_ne(try_claims(&world, "n1", "most"), "none");
    ck_assert_int_eq(world.answer.outcome, MU_ALLOC_FOUND);
    ck_assert_int_eq(world.answer.steps, 32);
    try_claims(&world, "n1", "all");
    ck_assert_int_eq(world.answer.fault.kind, MU_ALLOC_FAULT_TOO_MANY);
    ck_assert_str_eq(try_claims(&world, "n1", "none"), "none");
    ck_assert_int_lt(world.answer.steps, 10000);
}
END_TEST

START_TEST(slices_that_lie_about_their_number) {
    world = world_of(big_pool("9223372036854775807"));
    ck_assert_str_eq(try_claims(&world, "n1", "most"), "none");
    ck_assert_str_eq(notes(), "is being updated: 80 of 9223372036854775807 slices of generation 1 are there");
    world_close(&world);
    world = world_of(big_pool("1"));
    ck_assert_str_eq(try_claims(&world, "n1", "most"), "none");
}
END_TEST

/* ---- Forms ---- */

START_TEST(the_form_of_v1beta1) {
    world = world_of(
        NODE("n1") "apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n---\n"
                   "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: d, "
                   "nodeName: n1, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: [{name: a, basic: "
                   "{allowMultipleAllocations: true, capacity: {memory: {value: 4Gi}}}}]}\n---\n"
                   "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: one}\nspec: {devices: "
                   "{requests: [{name: r, deviceClassName: gpu, capacity: {requests: {memory: 1Gi}}}]}}\n");
    ck_assert_str_eq(try_claims(&world, "n1", "one"), "one:r=p/a(memory 1Gi)");
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_loop_test(tests, which_nodes_reach_it, 0, sizeof reaches / sizeof *reaches);
    tcase_add_test(tests, nodes_change);
    tcase_add_test(tests, the_newest_generation_counts);
    tcase_add_test(tests, a_device_is_held_across_generations);
    tcase_add_test(tests, a_pool_that_is_being_updated);
    tcase_add_test(tests, one_pool_for_two_nodes);
    tcase_add_test(tests, every_reason_is_told);
    tcase_add_test(tests, an_invalid_pool_gives_nothing);
    tcase_add_test(tests, another_pool_may_do);
    tcase_add_test(tests, a_slice_that_makes_no_sense);
    tcase_add_test(tests, ten_thousand_devices);
    tcase_add_test(tests, slices_that_lie_about_their_number);
    tcase_add_test(tests, the_form_of_v1beta1);
}

int main(void) {
    return mu_suite_run("pools", add_tests);
}
