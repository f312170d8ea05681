/* Devices in the plan: what claims are given when whole groups are placed, and that nothing of it is left behind. */
#include "config/config.h"
#include "scheduler/core/cycle.h"
#include "scheduler/core/explain.h"
#include "tests/lib/suite.h"
#include <stdarg.h>
#include <stdio.h>

#define NOW_NS INT64_C(1772452800000000000)

struct world {
    struct mu_arena *arena;
    struct mu_buf yaml;
    struct mu_store *store;
    struct mu_settings settings;
    struct mu_snapshot *s;
    struct mu_plan *plan;
};

static struct world w;

static void begin(void) {
    w = (struct world){.arena = mu_arena_create(0, NULL)};
    mu_buf_init(&w.yaml, w.arena);
}

static void end(void) {
    mu_snapshot_destroy(w.s);
    mu_arena_destroy(w.arena);
}

static void add(const char *format, ...) MU_PRINTF(1, 2);

static void add(const char *format, ...) {
    char text[2048];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ck_assert(len >= 0 && (size_t)len < sizeof text);
    mu_buf_printf(&w.yaml, "---\n%s\n", text);
}

static void node(const char *name, const char *labels, const char *allocatable) {
    add("{apiVersion: v1, kind: Node, metadata: {name: %s, uid: %s, labels: {kubernetes.io/hostname: %s%s}}, "
        "status: {allocatable: {cpu: '64', memory: 64Gi, pods: '110'%s}}}",
        name, name, name, labels, allocatable);
}

static void class(const char *name, const char *more) {
    add("{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: %s, uid: %s}, spec: {%s}}", name, name,
        more);
}

/* `where`: "nodeName: n1", "allNodes: true". */
static void slice(const char *name, const char *where, const char *more) {
    add("{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: %s, uid: %s}, spec: {driver: "
        "gpu.example.com, %s, pool: {name: %s, generation: 1, resourceSliceCount: 1}, %s}}",
        name, name, where, name, more);
}

static void claim(const char *name, const char *devices, const char *status) {
    add("{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: %s, namespace: default, uid: uid-%s, "
        "resourceVersion: '7'}, spec: {devices: {%s}}, status: {%s}}",
        name, name, devices, status);
}

static void gang(const char *name, int minimum, const char *more) {
    add("{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: %s, namespace: default, uid: %s}, "
        "spec: {schedulingPolicy: {gang: {minCount: %d}}%s}}",
        name, name, minimum, more);
}

/* `claims`: "gpu: c0, nic: c1" as a list of entries. */
static void pod(const char *name, const char *group, const char *claims, const char *more) {
    add("{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: default, uid: uid-%s}, spec: {schedulerName: "
        "muster, %s%s%s resourceClaims: [%s], containers: [{name: c, image: x%s}]}}",
        name, name, group[0] ? "schedulingGroup: {podGroupName: " : "", group, group[0] ? "}," : "", claims, more);
}

#define ENTRY(claim_name) "{name: gpu, resourceClaimName: " claim_name "}"
#define ONE(selector)                                                                                                  \
    "requests: [{name: gpu, exactly: {deviceClassName: gpu, selectors: [{cel: {expression: \"" selector "\"}}]}}]"
#define ANY "requests: [{name: gpu, exactly: {deviceClassName: gpu}}]"

static void read_all(void) {
    struct mu_err err = {0};
    w.store = mu_store_create(w.arena);
    ck_assert_msg(mu_read_bytes(mu_buf_str(&w.yaml), MU_STR("test"), mu_store_add, w.store, &err) == 0, "%s", err.text);
    ck_assert_msg(mu_store_finish(w.store, &err) == 0, "%s", err.text);
    w.settings = *mu_settings_default(w.arena);
    w.s = mu_snapshot_create(&w.store->symbols, 0);
    ck_assert_int_eq(mu_snapshot_load(w.s, w.store, &err), 0);
}

static void print_pod(struct mu_buf *text, const struct mu_plan_pod *p) {
    const struct mu_symbols *symbols = &w.store->symbols;
    mu_buf_printf(text, " " MU_STR_FMT, MU_STR_ARG(mu_text(symbols, p->pod->meta.name)));
    if (p->node)
        mu_buf_printf(text, "@" MU_STR_FMT, MU_STR_ARG(mu_text(symbols, p->node)));
    for (uint32_t c = 0; c < p->claims_len; c++) {
        mu_buf_printf(text, "%s" MU_STR_FMT "=", c ? "," : ":",
                      MU_STR_ARG(mu_text(symbols, p->claims[c].claim->meta.name)));
        for (uint32_t i = 0; i < p->claims[c].results_len; i++)
            mu_buf_printf(text, "%s" MU_STR_FMT, i ? "+" : "",
                          MU_STR_ARG(mu_text(symbols, p->claims[c].results[i].device)));
    }
}

/* "g Bind p0@n1:c0=d0 p1@n1:c1=d1; h Pending InsufficientDevices p2" */
static const char *planned(void) {
    struct mu_buf text;
    mu_buf_init(&text, w.arena);
    for (uint32_t g = 0; g < w.plan->groups_len; g++) {
        const struct mu_plan_group *group = &w.plan->groups[g];
        mu_buf_printf(&text, "%s" MU_STR_FMT " %s%s%s", g ? "; " : "",
                      MU_STR_ARG(mu_text(&w.store->symbols, group->name)), mu_decision_name(group->decision),
                      group->reason ? " " : "", mu_reason_name(group->reason));
        for (uint32_t i = 0; i < group->pods_len; i++)
            print_pod(&text, &group->pods[i]);
        for (uint32_t i = 0; i < group->releases_len; i++)
            mu_buf_printf(&text, " releases " MU_STR_FMT,
                          MU_STR_ARG(mu_text(&w.store->symbols, group->releases[i]->meta.name)));
    }
    mu_buf_add_char(&text, '\0');
    return mu_buf_str(&text).ptr;
}

static const char *plan(void) {
    struct mu_err err = {0};
    if (!w.s)
        read_all();
    ck_assert_msg(mu_cycle(w.s, &w.settings, NOW_NS, w.arena, &w.plan, &err) == 0, "%s", err.text);
    return planned();
}

#define TAKING(name)                                                                                                   \
    "{name: " name ", nodeAllocatableResources: {cpu: {mapping: {deviceMultiplier: '20'}, overhead: {perPod: 250m, "   \
                   "perContainer: '1'}}}}"

static void two_sizes(void) {
    node("n1", "", "");
    class("gpu", "");
    slice("n1", "nodeName: n1",
          "devices: [{name: large, attributes: {size: {int: 2}}}, {name: small, attributes: {size: {int: 1}}}]");
}

#define SIZE(is) "device.attributes['gpu.example.com'].size " is

/* The first member has the large device in hand until the second needs it. */
START_TEST(members_give_way_to_one_another) {
    two_sizes();
    claim("c0", ANY, "");
    claim("c1", ONE(SIZE("== 2")), "");
    gang("g", 2, "");
    pod("p0", "g", ENTRY("c0"), "");
    pod("p1", "g", ENTRY("c1"), "");
    ck_assert_str_eq(plan(), "g Bind p0@n1:c0=small p1@n1:c1=large");
}
END_TEST

/* What an earlier group was given it keeps. */
START_TEST(groups_do_not) {
    two_sizes();
    claim("c0", ONE(SIZE(">= 1")), "");
    claim("c1", ONE(SIZE("== 2")), "");
    claim("c2", ANY, "");
    pod("p0", "", ENTRY("c0"), "");
    pod("p1", "", ENTRY("c1"), "");
    pod("p2", "", ENTRY("c2"), "");
    ck_assert_str_eq(plan(), "p0 Bind p0@n1:c0=large; p1 Pending InsufficientDevices p1; p2 Bind p2@n1:c2=small");
}
END_TEST

/* A device on the network that both nodes reach is left to the one that reaches nothing else. */
START_TEST(members_give_way_across_nodes) {
    node("n1", "", "");
    node("n2", "", "");
    class("gpu", "");
    slice("fabric", "allNodes: true", "devices: [{name: remote}]");
    slice("n1", "nodeName: n1", "devices: [{name: local}]");
    claim("c0", ANY, "");
    claim("c1", ANY, "");
    gang("g", 2, "");
    pod("p0", "g", ENTRY("c0"), "}], nodeSelector: {kubernetes.io/hostname: n1}, initContainers: [{name: i, image: x");
    pod("p1", "g", ENTRY("c1"), "}], nodeSelector: {kubernetes.io/hostname: n2}, initContainers: [{name: i, image: x");
    ck_assert_str_eq(plan(), "g Bind p0@n1:c0=local p1@n2:c1=remote");
}
END_TEST

/* One claim for both: what it gets must be of use on both nodes. */
START_TEST(a_shared_claim_reaches_all_its_pods) {
    node("n1", "", "");
    node("n2", "", "");
    class("gpu", "");
    slice("a-n1", "nodeName: n1", "devices: [{name: local}]");
    slice("fabric", "allNodes: true", "devices: [{name: remote}]");
    claim("c", ANY, "");
    gang("g", 2, "");
    pod("p0", "g", ENTRY("c"), ", resources: {requests: {cpu: '40'}}");
    pod("p1", "g", ENTRY("c"), ", resources: {requests: {cpu: '40'}}");
    ck_assert_str_eq(plan(), "g Bind p0@n1:c=remote p1@n2:c=remote");
}
END_TEST

#define HAS(device)                                                                                                    \
    "allocation: {devices: {results: [{request: gpu, driver: gpu.example.com, pool: n1, device: " device               \
    "}]}, nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}}"

/* Nobody has reserved c0, whose device is in the way: it is given up. c1, which does no harm, keeps what it has. */
START_TEST(a_stale_allocation_is_given_up_where_it_must) {
    two_sizes();
    claim("c0", ANY, HAS("large"));
    claim("c1", ONE(SIZE("== 2")), "");
    gang("g", 2, "");
    pod("p0", "g", ENTRY("c0"), "");
    pod("p1", "g", ENTRY("c1"), "");
    ck_assert_str_eq(plan(), "g Bind p0@n1:c0=small p1@n1:c1=large releases c0");
}
END_TEST

START_TEST(a_stale_allocation_that_does_no_harm_stays) {
    two_sizes();
    claim("c0", ANY, HAS("small"));
    claim("c1", ANY, "");
    gang("g", 2, "");
    pod("p0", "g", ENTRY("c0"), "");
    pod("p1", "g", ENTRY("c1"), "");
    ck_assert_str_eq(plan(), "g Bind p0@n1:c0=small p1@n1:c1=large");
}
END_TEST

/* Reserved by a pod of another group, it is not ours to give up. */
START_TEST(an_allocation_of_others_stays) {
    two_sizes();
    claim("c0", ANY, HAS("large") ", reservedFor: [{resource: pods, name: other, uid: uid-other}]");
    claim("c1", ONE(SIZE("== 2")), "");
    gang("g", 2, "");
    pod("p0", "g", ENTRY("c0"), "");
    pod("p1", "g", ENTRY("c1"), "");
    pod("other", "", ENTRY("c0"), "");
    ck_assert_str_eq(plan(), "g Pending InsufficientDevices p0 p1; other Bind other@n1:c0=large");
}
END_TEST

/* The devices of a pod that is ending come free with it. */
START_TEST(what_an_ending_pod_has_will_come) {
    two_sizes();
    claim("old", ONE(SIZE("== 2")), HAS("large") ", reservedFor: [{resource: pods, name: leaving, uid: uid-leaving}]");
    claim("c", ONE(SIZE("== 2")), "");
    add("{apiVersion: v1, kind: Pod, metadata: {name: leaving, namespace: default, uid: uid-leaving, "
        "deletionTimestamp: '2026-03-02T12:00:10Z'}, spec: {nodeName: n1, resourceClaims: [" ENTRY(
            "old") "], containers: [{name: c, image: x}]}, status: {phase: Running}}");
    pod("p", "", ENTRY("c"), "");
    ck_assert_str_eq(plan(), "p Wait WaitingForTermination p");
}
END_TEST

/* A device plugin on n1 and a class on n2 serve the same resource. */
START_TEST(an_extended_resource_is_served_by_a_class) {
    node("n1", "", ", example.com/gpu: '1'");
    node("n2", "", "");
    class("gpu", "extendedResourceName: example.com/gpu");
    slice("n2", "nodeName: n2", "devices: [{name: a}, {name: b}, {name: c}]");
    gang("g", 3, "");
    pod("p0", "g", "", ", resources: {requests: {example.com/gpu: '1'}}");
    pod("p1", "g", "", ", resources: {requests: {example.com/gpu: '1'}}");
    pod("p2", "g", "", ", resources: {requests: {deviceclass.resource.kubernetes.io/gpu: '2'}}");
    ck_assert_str_eq(plan(), "g Bind p0@n1 p1@n2:p1-extended-resources-*=c p2@n2:p2-extended-resources-*=a+b");
}
END_TEST

START_TEST(claims_are_made_from_templates_for_manifests) {
    two_sizes();
    add("{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: t, namespace: default, uid: "
        "t}, "
        "spec: {spec: {devices: {" ANY "}}}}");
    add("{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: default, labels: "
        "{scheduling.muster.dev/group-name: j}}, spec: {parallelism: 2, completions: 2, completionMode: Indexed, "
        "template: {metadata: {labels: {scheduling.muster.dev/group-name: j}, annotations: "
        "{scheduling.muster.dev/min-count: '2'}}, spec: {schedulerName: muster, restartPolicy: Never, resourceClaims: "
        "[{name: gpu, resourceClaimTemplateName: t}], containers: [{name: c, image: x}]}}}}");
    ck_assert_str_eq(plan(), "j Bind j-0@n1:j-0-gpu-*=large j-1@n1:j-1-gpu-*=small");
}
END_TEST

/* Each device takes 20 cpu of its node, a quarter more for each pod, and one for each container: 3 pods of 1 cpu and a
 * device come to 66.75 of 64, and the third finds no room. */
START_TEST(devices_take_of_their_node) {
    node("n1", "", "");
    class("gpu", "");
    slice("n1", "nodeName: n1", "devices: [" TAKING("a") ", " TAKING("b") ", " TAKING("c") "]");
    for (int i = 0; i < 3; i++) {
        char name[8], entry[64];
        snprintf(name, sizeof name, "c%d", i);
        claim(name, ANY, "");
        snprintf(entry, sizeof entry, "{name: gpu, resourceClaimName: c%d}", i);
        snprintf(name, sizeof name, "p%d", i);
        pod(name, "", entry, ", resources: {requests: {cpu: '1'}, claims: [{name: gpu}]}");
    }
    ck_assert_str_eq(plan(), "p0 Bind p0@n1:c0=a; p1 Bind p1@n1:c1=b; p2 Pending InsufficientDevices p2");
}
END_TEST

START_TEST(devices_took_of_their_node_in_the_version_before) {
    node("n1", "", "");
    class("gpu", "");
    slice("n1", "nodeName: n1",
          "devices: [{name: a, capacity: {cores: {value: '16'}}, nodeAllocatableResourceMappings: {cpu: {capacityKey: "
          "cores, allocationMultiplier: '2'}}}]");
    claim("c0", ANY, "");
    pod("p0", "", ENTRY("c0"), ", resources: {requests: {cpu: '33'}}"); /* and 32 for the device */
    claim("c1", ANY, "");
    pod("p1", "", ENTRY("c1"), ", resources: {requests: {cpu: '32'}}");
    ck_assert_str_eq(plan(), "p0 Pending InsufficientDevices p0; p1 Bind p1@n1:c1=a");
}
END_TEST

/* Selectors that do not compile, and what nobody may have. */
START_TEST(a_senseless_claim_is_refused_alone) {
    two_sizes();
    add("{apiVersion: v1, kind: Namespace, metadata: {name: default, uid: d}}");
    claim("c0", ONE("device.attributes["), "");
    claim("c1", "requests: [{name: gpu, exactly: {deviceClassName: gpu, count: 4611686018427387904}}]", "");
    claim("c2", "requests: [{name: gpu, exactly: {deviceClassName: gpu, adminAccess: true}}]", "");
    claim("c3", "requests: [{name: gpu, exactly: {deviceClassName: none}}]", "");
    claim("c4", ANY, "");
    pod("p0", "", ENTRY("c0"), "");
    pod("p1", "", ENTRY("c1"), "");
    pod("p2", "", ENTRY("c2"), "");
    pod("p3", "", ENTRY("c3"), "");
    pod("p4", "", ENTRY("c4"), "");
    ck_assert_str_eq(plan(), "p0 Pending InvalidClaim p0; p1 Pending InvalidClaim p1; p2 Pending InvalidClaim p2; "
                             "p3 Pending InvalidClaim p3; p4 Bind p4@n1:c4=large");
}
END_TEST

/* A little of everything above, for the tests below. */
static void a_little_of_everything(void) {
    two_sizes();
    node("n2", "", "");
    slice("fabric", "allNodes: true", "devices: [{name: remote, attributes: {size: {int: 3}}}]");
    slice("n2", "nodeName: n2", "devices: [" TAKING("a") ", {name: b}]");
    claim("c0", ANY, HAS("large"));
    claim("c1", ONE(SIZE("== 2")), "");
    claim("c2", ANY, "");
    claim("c3", "requests: [{name: gpu, exactly: {deviceClassName: gpu, count: 3}}]", "");
    gang("g", 2, "");
    gang("h", 2, "");
    pod("p0", "g", ENTRY("c0"), "");
    pod("p1", "g", ENTRY("c1"), "");
    pod("p2", "h", ENTRY("c2"), "");
    pod("p3", "h", ENTRY("c2"), "");
    pod("p4", "", ENTRY("c3"), "");
}

START_TEST(nothing_is_left_behind) {
    a_little_of_everything();
    read_all();
    uint64_t before = mu_snapshot_digest(w.s);
    const char *first = plan();
    mu_snapshot_rollback(w.s, 0);
    ck_assert_uint_eq(mu_snapshot_digest(w.s), before);
    ck_assert_str_eq(plan(), first);
    for (uint32_t g = 0; g < w.plan->groups_len; g++) {
        struct mu_err err = {0};
        struct mu_explanation *explained;
        uint64_t planned_digest = mu_snapshot_digest(w.s);
        ck_assert_int_eq(mu_explain(w.s, &w.settings, NOW_NS, w.plan, g, w.arena, &explained, &err), 0);
        ck_assert_uint_eq(mu_snapshot_digest(w.s), planned_digest);
    }
    mu_snapshot_rollback(w.s, 0);
    ck_assert_uint_eq(mu_snapshot_digest(w.s), before);
}
END_TEST

START_TEST(memory_may_run_out_anywhere) {
    a_little_of_everything();
    read_all();
    uint32_t refused = 0, done = 0;
    for (size_t limit = 4096; done == 0; limit += 256) {
        struct mu_err err = {0};
        struct mu_snapshot *s = mu_snapshot_create(&w.store->symbols, limit);
        struct mu_arena *arena = mu_arena_create(limit, NULL);
        int rc = s ? mu_snapshot_load(s, w.store, &err) : MU_E_NOMEM;
        if (rc == 0) {
            struct mu_plan *ret = NULL;
            uint64_t before = mu_snapshot_digest(s);
            rc = mu_cycle(s, &w.settings, NOW_NS, arena, &ret, &err);
            mu_snapshot_rollback(s, 0);
            ck_assert_uint_eq(mu_snapshot_digest(s), before);
            ck_assert_int_eq(ret != NULL, rc == 0);
        }
        ck_assert(rc == 0 || rc == MU_E_NOMEM);
        refused += rc != 0;
        done += rc == 0;
        mu_arena_destroy(arena);
        mu_snapshot_destroy(s);
    }
    ck_assert_uint_gt(refused, 10);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, members_give_way_to_one_another);
    tcase_add_test(tests, groups_do_not);
    tcase_add_test(tests, members_give_way_across_nodes);
    tcase_add_test(tests, a_shared_claim_reaches_all_its_pods);
    tcase_add_test(tests, a_stale_allocation_is_given_up_where_it_must);
    tcase_add_test(tests, a_stale_allocation_that_does_no_harm_stays);
    tcase_add_test(tests, an_allocation_of_others_stays);
    tcase_add_test(tests, what_an_ending_pod_has_will_come);
    tcase_add_test(tests, an_extended_resource_is_served_by_a_class);
    tcase_add_test(tests, claims_are_made_from_templates_for_manifests);
    tcase_add_test(tests, devices_take_of_their_node);
    tcase_add_test(tests, devices_took_of_their_node_in_the_version_before);
    tcase_add_test(tests, a_senseless_claim_is_refused_alone);
    tcase_add_test(tests, nothing_is_left_behind);
    tcase_add_test(tests, memory_may_run_out_anywhere);
}

int main(void) {
    return mu_suite_run("core/devices", add_tests);
}
