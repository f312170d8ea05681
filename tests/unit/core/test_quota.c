/* Quota in the plan: what queues may use, what they lend, and what the rest of the tree says to it. */
#include "config/config.h"
#include "scheduler/core/cycle.h"
#include "tests/lib/suite.h"
#include <stdarg.h>
#include <stdio.h>

static struct world {
    struct mu_arena *arena;
    struct mu_buf yaml;
    struct mu_store *store;
} w;

static void begin(void) {
    w = (struct world){.arena = mu_arena_create(0, NULL)};
    mu_buf_init(&w.yaml, w.arena);
    mu_buf_printf(&w.yaml, "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: n1}, status: {allocatable: {cpu: "
                           "'100', memory: 100Gi, pods: '110'}}}\n");
}

static void end(void) {
    mu_arena_destroy(w.arena);
}

static void add(const char *format, ...) MU_PRINTF(1, 2);

static void add(const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ck_assert(len >= 0 && (size_t)len < sizeof text);
    mu_buf_printf(&w.yaml, "---\n%s\n", text);
}

static void queue(const char *name, const char *spec) {
    add("{apiVersion: scheduling.muster.dev/v1alpha1, kind: Queue, metadata: {name: %s, uid: %s}, spec: {%s}}", name,
        name, spec);
}

#define QUOTA(resource, more) "quota: [{resource: " resource ", " more "}]"

static void pod(const char *name, const char *queue_name, const char *cpu, const char *more) {
    add("{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: default, uid: %s, labels: "
        "{scheduling.muster.dev/queue: %s}}, spec: {schedulerName: muster, %s containers: [{name: c, image: x, "
        "resources: "
        "{requests: {cpu: '%s'}}}]}}",
        name, name, queue_name, more, cpu);
}

static void running(const char *name, const char *queue_name, const char *cpu) {
    pod(name, queue_name, cpu, "nodeName: n1,");
}

/* "p Bind; q Pending QuotaExceeded" */
static const char *plan(void) {
    struct mu_err err = {0};
    struct mu_plan *plan;
    w.store = mu_store_create(w.arena);
    ck_assert_msg(mu_read_bytes(mu_buf_str(&w.yaml), MU_STR("test"), mu_store_add, w.store, &err) == 0, "%s", err.text);
    ck_assert_msg(mu_store_finish(w.store, &err) == 0, "%s", err.text);
    struct mu_snapshot *s = mu_snapshot_create(&w.store->symbols, 0);
    ck_assert_int_eq(mu_snapshot_load(s, w.store, &err), 0);
    ck_assert_int_eq(mu_cycle(s, mu_settings_default(w.arena), INT64_C(1772452800000000000), w.arena, &plan, &err), 0);
    struct mu_buf text;
    mu_buf_init(&text, w.arena);
    for (uint32_t g = 0; g < plan->groups_len; g++) {
        const struct mu_plan_group *group = &plan->groups[g];
        uint32_t bound = 0;
        for (uint32_t i = 0; i < group->pods_len; i++)
            bound += group->pods[i].decision == MU_BIND;
        mu_buf_printf(&text, "%s" MU_STR_FMT " %s", g ? "; " : "", MU_STR_ARG(mu_text(&w.store->symbols, group->name)),
                      mu_decision_name(group->decision));
        if (group->reason)
            mu_buf_printf(&text, " %s", mu_reason_name(group->reason));
        else if (group->pods_len > 1)
            mu_buf_printf(&text, " %u", bound);
    }
    mu_buf_add_char(&text, '\0');
    mu_snapshot_destroy(s);
    return mu_buf_str(&text).ptr;
}

/* What was placed a moment ago counts as what runs. */
START_TEST(a_quota_is_used_up) {
    queue("q", QUOTA("cpu", "nominalQuota: '4'"));
    running("r", "q", "1");
    pod("a", "q", "2", "");
    pod("b", "q", "2", "");
    pod("c", "q", "1", "");
    ck_assert_str_eq(plan(), "a Bind; b Pending QuotaExceeded; c Bind");
}
END_TEST

START_TEST(what_nobody_lists_is_not_limited) {
    queue("q", QUOTA("memory", "nominalQuota: '1'"));
    pod("a", "q", "50", "");
    pod("b", "default", "40", "");
    ck_assert_str_eq(plan(), "a Bind; b Bind");
}
END_TEST

START_TEST(what_is_idle_is_lent) {
    queue("q", QUOTA("cpu", "nominalQuota: '2', borrowingLimit: '3'"));
    queue("lender", QUOTA("cpu", "nominalQuota: '8', lendingLimit: '2'"));
    pod("a", "q", "5", ""); /* more than is lent */
    pod("b", "q", "4", "");
    pod("c", "lender", "6", "");
    pod("d", "lender", "1", ""); /* b has the rest */
    ck_assert_str_eq(plan(), "a Pending QuotaExceeded; b Bind; c Bind; d Pending QuotaExceeded");
}
END_TEST

START_TEST(nobody_borrows_past_the_limit) {
    queue("q", QUOTA("cpu", "nominalQuota: '2', borrowingLimit: '1'"));
    queue("lender", QUOTA("cpu", "nominalQuota: '8'"));
    pod("a", "q", "4", "");
    pod("b", "q", "3", "");
    ck_assert_str_eq(plan(), "a Pending QuotaExceeded; b Bind");
}
END_TEST

/* What the siblings do not have is borrowed by the parent from its own. */
START_TEST(borrowing_goes_up_the_tree) {
    queue("top", "");
    queue("q", "parent: top, " QUOTA("cpu", "nominalQuota: '1'"));
    queue("sister", "parent: top, " QUOTA("cpu", "nominalQuota: '1'"));
    queue("other", QUOTA("cpu", "nominalQuota: '4'"));
    pod("a", "q", "7", "");
    pod("b", "q", "6", "");
    ck_assert_str_eq(plan(), "a Pending QuotaExceeded; b Bind");
}
END_TEST

START_TEST(a_parent_with_a_quota_is_a_cap) {
    queue("top", QUOTA("cpu", "nominalQuota: '3', borrowingLimit: '0'"));
    queue("q", "parent: top, " QUOTA("cpu", "nominalQuota: '5'"));
    queue("other", QUOTA("cpu", "nominalQuota: '50'"));
    pod("a", "q", "4", "");
    pod("b", "q", "3", "");
    ck_assert_str_eq(plan(), "a Pending QuotaExceeded; b Bind");
}
END_TEST

/* The minimum as a whole, then one by one. */
START_TEST(surplus_takes_what_is_left) {
    queue("q", QUOTA("pods", "nominalQuota: '3'"));
    add("{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g, namespace: default, uid: g, "
        "labels: "
        "{scheduling.muster.dev/queue: q}}, spec: {schedulingPolicy: {gang: {minCount: 2}}}}");
    for (int i = 0; i < 5; i++) {
        char name[8];
        snprintf(name, sizeof name, "m%d", i);
        pod(name, "q", "1", "schedulingGroup: {podGroupName: g},");
    }
    ck_assert_str_eq(plan(), "g Bind 3");
}
END_TEST

START_TEST(devices_of_a_class_are_counted_by_claim) {
    queue("q", QUOTA("gpu.deviceclass.resource.k8s.io/devices", "nominalQuota: '2'"));
    add("{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu, uid: gpu}, spec: {}}");
    add("{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s, uid: s}, spec: {driver: "
        "d.example.com, "
        "nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1}, devices: [{name: a}, {name: b}, {name: "
        "c}, {name: e}]}}");
    for (int i = 0; i < 3; i++) {
        char name[8], more[128];
        add("{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c%d, namespace: default, uid: "
            "c%d}, "
            "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}",
            i, i);
        snprintf(name, sizeof name, "p%d", i);
        snprintf(more, sizeof more, "resourceClaims: [{name: r, resourceClaimName: c%d}],", i);
        pod(name, "q", "1", more);
    }
    pod("p3", "q", "1", "resourceClaims: [{name: r, resourceClaimName: c1}],"); /* shares what is charged */
    ck_assert_str_eq(plan(), "p0 Bind; p1 Bind; p2 Pending QuotaExceeded; p3 Bind");
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_quota_is_used_up);
    tcase_add_test(tests, what_nobody_lists_is_not_limited);
    tcase_add_test(tests, what_is_idle_is_lent);
    tcase_add_test(tests, nobody_borrows_past_the_limit);
    tcase_add_test(tests, borrowing_goes_up_the_tree);
    tcase_add_test(tests, a_parent_with_a_quota_is_a_cap);
    tcase_add_test(tests, surplus_takes_what_is_left);
    tcase_add_test(tests, devices_of_a_class_are_counted_by_claim);
}

int main(void) {
    return mu_suite_run("core/quota", add_tests);
}
