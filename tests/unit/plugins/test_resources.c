/* NodeResourcesFit, Packing, ImageLocality. */
#include "plugins/registry.h"
#include "tests/unit/plugins/fake_framework.h"

#include <stdio.h>

static void node(struct fake *f, const char *name, const char *allocatable) {
    fake_add(f, "{kind: Node, metadata: {name: %s}, status: {allocatable: {%s}}}", name, allocatable);
}

static void pod(struct fake *f, const char *name, const char *on, const char *requests) {
    fake_add(f,
             "{kind: Pod, metadata: {namespace: default, name: %s}, spec: {%s%s%s containers: [{name: c, image: i, "
             "resources: {requests: {%s}, limits: {%s}}}]}}",
             name, on != NULL ? "nodeName: " : "", on != NULL ? on : "", on != NULL ? "," : "", requests, requests);
}

/* ------------------------------------------------------------------ fit */

static const struct {
    const char *allocatable, *used, *asked;
    const char *phrase;
    int64_t fit;
} fits[] = {
    {"cpu: 4, memory: 8Gi, pods: 10", "cpu: 1", "cpu: 1", "", 3},
    {"cpu: 4, memory: 8Gi, pods: 10", "cpu: 3500m", "cpu: 1", "Insufficient cpu", 0},
    {"cpu: 4, memory: 8Gi, pods: 10", "cpu: 1, memory: 1Gi", "cpu: 500m, memory: 3Gi", "", 2},
    {"cpu: 4, memory: 8Gi, pods: 3", "cpu: 1", "cpu: 100m", "", 2},
    {"cpu: 4, memory: 8Gi, pods: 1", "cpu: 1", "cpu: 100m", "Too many pods", 0},
    {"cpu: 4, memory: 8Gi, pods: 0", "", "cpu: 100m", "Too many pods", 0},
    {"cpu: 4, memory: 8Gi", "cpu: 1", "cpu: 1", "", 3},
    {"cpu: 4", "", "cpu: 1, nvidia.com/gpu: 1", "Insufficient nvidia.com/gpu", 0},
    {"cpu: 4, nvidia.com/gpu: 8, pods: 100", "nvidia.com/gpu: 3", "nvidia.com/gpu: 2", "", 2},
    {"cpu: 1, nvidia.com/gpu: 1, pods: 0", "", "cpu: 2, memory: 1Gi, nvidia.com/gpu: 2", "Insufficient nvidia.com/gpu",
     0},
    {"cpu: 1, memory: 1Ki", "", "memory: 1Gi, cpu: 2", "Insufficient cpu", 0},
    {"cpu: 1", "", "ephemeral-storage: 1Gi", "Insufficient ephemeral-storage", 0},
    {"cpu: 1, hugepages-2Mi: 4Mi", "", "hugepages-2Mi: 2Mi", "", 2},
    /* allocatable fell below use */
    {"cpu: 1, pods: 10", "cpu: 3", "cpu: 1", "Insufficient cpu", 0},
    {"cpu: 1, nvidia.com/gpu: 4, pods: 10", "cpu: 3", "nvidia.com/gpu: 1", "", 4},
};

START_TEST(fit) {
    struct fake *f = fake_new(&mu_plugin_node_resources);
    node(f, "n1", fits[_i].allocatable);
    pod(f, "there", "n1", fits[_i].used);
    pod(f, "asks", NULL, fits[_i].asked);
    ASSERT_REACH(f, "asks", MU_SCOPE_NODE, MU_SCOPE_NONE);
    ASSERT_REFUSED(f, "asks", "n1", fits[_i].phrase);
    ck_assert_int_eq(fake_fit(f, "asks", "n1"), fits[_i].fit);
    fake_free(f);
}
END_TEST

START_TEST(a_pod_that_asks_for_nothing_still_is_a_pod) {
    struct fake *f = fake_new(&mu_plugin_node_resources);
    node(f, "two", "cpu: 1, pods: 2");
    node(f, "any", "cpu: 1");
    pod(f, "asks", NULL, "");
    ck_assert_int_eq(fake_fit(f, "asks", "two"), 2);
    ck_assert_int_eq(fake_fit(f, "asks", "any"), INT64_MAX);
    fake_place(f, "asks", "two");
    ck_assert_int_eq(fake_fit(f, "asks", "two"), 1);
    fake_free(f);
}
END_TEST

/* ------------------------------------------------------------------ packing */

/* Nodes from best to worst for the pod. */
static void check_order(struct fake *f, const char *asks, const char *const *nodes) {
    for (size_t i = 0; nodes[i + 1] != NULL; i++)
        ck_assert_msg(fake_score(f, asks, nodes[i]) > fake_score(f, asks, nodes[i + 1]),
                      "%s (%d) is not before %s (%d)", nodes[i], (int)fake_score(f, asks, nodes[i]), nodes[i + 1],
                      (int)fake_score(f, asks, nodes[i + 1]));
}

/* Eight devices each, so many of them used; and one without. */
static void devices(struct fake *f) {
    static const char *const names[] = {"used0", "used2", "used6", "used7"};
    static const char *const used[] = {"0", "2", "6", "7"};
    for (size_t i = 0; i < 4; i++) {
        node(f, names[i], "cpu: 64, memory: 512Gi, pods: 100, nvidia.com/gpu: 8");
        char name[32], asked[64];
        snprintf(name, sizeof name, "on-%s", names[i]);
        snprintf(asked, sizeof asked, "cpu: 1, nvidia.com/gpu: %s", used[i]);
        if (i > 0)
            pod(f, name, names[i], asked);
    }
    node(f, "small", "cpu: 64, memory: 512Gi, pods: 100, nvidia.com/gpu: 4");
    node(f, "plain", "cpu: 64, memory: 512Gi, pods: 100");
    pod(f, "busy", "plain", "cpu: 32, memory: 256Gi");
    node(f, "idle", "cpu: 64, memory: 512Gi, pods: 100");
    pod(f, "one", NULL, "cpu: 1, nvidia.com/gpu: 1");
    pod(f, "two", NULL, "cpu: 1, nvidia.com/gpu: 2");
    pod(f, "eight", NULL, "cpu: 1, nvidia.com/gpu: 8");
    pod(f, "none", NULL, "cpu: 1");
}

START_TEST(bin_pack_leaves_whole_nodes_whole) {
    struct fake *f = fake_new(&mu_plugin_packing);
    devices(f);
    ASSERT_REACH(f, "one", MU_SCOPE_NONE, MU_SCOPE_NODE);
    check_order(f, "one", (const char *const[]){"used7", "used6", "used2", "small", "used0", NULL});
    check_order(f, "two", (const char *const[]){"used6", "used2", "small", "used0", NULL});
    check_order(f, "none", (const char *const[]){"plain", "idle", "used2", NULL});
    ck_assert_int_eq(fake_score(f, "eight", "used0"), 90);
    fake_free(f);
}
END_TEST

START_TEST(spread_does_the_opposite) {
    struct fake *f = fake_new(&mu_plugin_packing);
    fake_args(f, "{strategy: Spread}");
    devices(f);
    check_order(f, "one", (const char *const[]){"used0", "small", "used2", "used6", "used7", NULL});
    check_order(f, "none", (const char *const[]){"idle", "plain", "used0", NULL});
    fake_free(f);
}
END_TEST

START_TEST(several_devices_have_the_same_say) {
    struct fake *f = fake_new(&mu_plugin_packing);
    node(f, "n1", "nvidia.com/gpu: 8, rdma/hca: 4");
    node(f, "n2", "nvidia.com/gpu: 8, rdma/hca: 4");
    pod(f, "there", "n1", "nvidia.com/gpu: 7, rdma/hca: 1");
    pod(f, "p", NULL, "nvidia.com/gpu: 1, rdma/hca: 1");
    ck_assert_int_eq(fake_score(f, "p", "n1"), (100 + 45 + 55 / 2) / 2);
    ck_assert_int_eq(fake_score(f, "p", "n2"), (40 / 8 + 40 / 4) / 2);
    fake_free(f);
}
END_TEST

START_TEST(huge_numbers_stay_in_bounds) {
    struct fake *f = fake_new(&mu_plugin_packing);
    node(f, "n1", "cpu: 9223372036854775, memory: 9223372036854775807, x.io/y: 9223372036854775807");
    node(f, "n2", "cpu: 1");
    pod(f, "p", NULL, "memory: 9223372036854775807");
    pod(f, "q", NULL, "x.io/y: 9223372036854775807");
    fake_place(f, "p", "n1");
    ck_assert_int_le(fake_score(f, "p", "n1"), 100);
    ck_assert_int_le(fake_score(f, "p", "n2"), 100);
    ck_assert_int_le(fake_score(f, "q", "n1"), 100);
    ck_assert_int_ge(fake_score(f, "q", "n2"), 0);
    fake_free(f);
}
END_TEST

/* ------------------------------------------------------------------ images */

static void image_node(struct fake *f, const char *name, const char *images) {
    fake_add(f, "{kind: Node, metadata: {name: %s}, status: {allocatable: {cpu: 1}, images: [%s]}}", name, images);
}

START_TEST(images_that_are_there) {
    struct fake *f = fake_new(&mu_plugin_image_locality);
    image_node(f, "large",
               "{names: ['a:latest', 'reg/a@sha256:1'], sizeBytes: 1000000000}, "
               "{names: ['b:v1'], sizeBytes: 100}");
    image_node(f, "half", "{names: ['a:latest'], sizeBytes: 500000000}");
    image_node(f, "other", "{names: ['a:v2'], sizeBytes: 1000000000}");
    image_node(f, "none", "");
    fake_add(f, "{kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: a}]}}");
    fake_add(f, "{kind: Pod, metadata: {name: q}, spec: {containers: [{name: c, image: unknown}]}}");
    fake_add(f, "{kind: Pod, metadata: {name: r}, spec: {containers: [{name: c, image: a}, {name: d, image: a}]}}");
    ASSERT_REACH(f, "p", MU_SCOPE_NONE, MU_SCOPE_STATIC);
    ASSERT_REACH(f, "q", MU_SCOPE_NONE, MU_SCOPE_NONE);
    /* two of four nodes have it, so half of its size counts, between 23 and 1000 MiB */
    ck_assert_int_eq(fake_score(f, "p", "large"), INT64_C(100) * (500000000 - 24117248) / (1048576000 - 24117248));
    ck_assert_int_eq(fake_score(f, "p", "half"), INT64_C(100) * (250000000 - 24117248) / (1048576000 - 24117248));
    ck_assert_int_eq(fake_score(f, "p", "other"), 0);
    ck_assert_int_eq(fake_score(f, "p", "none"), 0);
    ck_assert_int_eq(fake_score(f, "r", "large"),
                     INT64_C(100) * (1000000000 - 24117248) / (2 * INT64_C(1048576000) - 24117248));
    fake_free(f);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, fit, 0, sizeof fits / sizeof fits[0]);
    tcase_add_test(tests, a_pod_that_asks_for_nothing_still_is_a_pod);
    tcase_add_test(tests, bin_pack_leaves_whole_nodes_whole);
    tcase_add_test(tests, spread_does_the_opposite);
    tcase_add_test(tests, several_devices_have_the_same_say);
    tcase_add_test(tests, huge_numbers_stay_in_bounds);
    tcase_add_test(tests, images_that_are_there);
}

int main(void) {
    return mu_suite_run("plugins/resources", add);
}
