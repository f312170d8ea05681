/* PodTopologySpread, rule by rule. What order members may come in is for test_orders.c. */
#include "plugins/registry.h"
#include "tests/unit/plugins/fake_framework.h"

#include <stdio.h>

#define MISMATCH "node(s) didn't match pod topology spread constraints"
#define NO_LABEL MISMATCH " (missing required label)"
#define WEB "labelSelector: {matchLabels: {app: web}}"
#define HARD(fields) "{whenUnsatisfiable: DoNotSchedule, " fields "}"
#define SOFT(fields) "{whenUnsatisfiable: ScheduleAnyway, " fields "}"
#define SPREAD(constraints) "topologySpreadConstraints: [" constraints "]"

/* Zone a: two nodes, b: one, c: one; one node without a zone. */
static struct fake *zones(void) {
    struct fake *f = fake_new(&mu_plugin_pod_topology_spread);
    fake_node(f, "a1", "zone: a, disk: ssd");
    fake_node(f, "a2", "zone: a");
    fake_node(f, "b1", "zone: b, disk: ssd");
    fake_node(f, "c1", "zone: c");
    fake_node(f, "none", NULL);
    return f;
}

static void run(struct fake *f, const char *prefix, const char *node, int count) {
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s-%d", prefix, i);
        fake_pod(f, name, node, "app: web", NULL);
    }
}

/* ------------------------------------------------------------------ a pod by itself */

/* One pod, with a web running in a (2), b (1) and none in c. */
static const struct {
    const char *labels, *constraint;
    const char *a, *b, *c, *none;
} alone[] = {
    {"app: web", HARD("maxSkew: 1, topologyKey: zone, " WEB), MISMATCH, MISMATCH, "", NO_LABEL},
    {"app: web", HARD("maxSkew: 2, topologyKey: zone, " WEB), MISMATCH, "", "", NO_LABEL},
    {"app: web", HARD("maxSkew: 3, topologyKey: zone, " WEB), "", "", "", NO_LABEL},
    /* it does not count itself */
    {"app: db", HARD("maxSkew: 1, topologyKey: zone, " WEB), MISMATCH, "", "", NO_LABEL},
    /* too few domains: the minimum is 0, which it is anyway; here it makes no difference */
    {"app: web", HARD("maxSkew: 1, minDomains: 4, topologyKey: zone, " WEB), MISMATCH, MISMATCH, "", NO_LABEL},
    /* nobody counts */
    {"app: web", HARD("maxSkew: 1, topologyKey: zone"), "", "", "", NO_LABEL},
    {"app: web", HARD("maxSkew: 1, topologyKey: zone, labelSelector: {}"), "", "", "", NO_LABEL},
    /* but with label keys an empty selector selects */
    {"app: web", HARD("maxSkew: 1, topologyKey: zone, labelSelector: {}, matchLabelKeys: [app]"), MISMATCH, MISMATCH,
     "", NO_LABEL},
    {"app: web", HARD("maxSkew: 1, topologyKey: zone, " WEB ", matchLabelKeys: [rev]"), MISMATCH, MISMATCH, "",
     NO_LABEL},
    {"app: web, rev: new", HARD("maxSkew: 1, topologyKey: zone, " WEB ", matchLabelKeys: [rev]"), "", "", "", NO_LABEL},
    /* both constraints must hold, and only nodes with both labels are looked at */
    {"app: web",
     HARD("maxSkew: 1, topologyKey: zone, " WEB) ", " HARD("maxSkew: 1, topologyKey: kubernetes.io/hostname, " WEB),
     MISMATCH, MISMATCH, "", NO_LABEL},
};

START_TEST(a_pod_by_itself) {
    struct fake *f = zones();
    char spec[512];
    run(f, "a", "a1", 2);
    run(f, "b", "b1", 1);
    snprintf(spec, sizeof spec, SPREAD("%s"), alone[_i].constraint);
    fake_pod(f, "p", NULL, alone[_i].labels, spec);
    ASSERT_REACH(f, "p", MU_SCOPE_CLUSTER, MU_SCOPE_NONE);
    ASSERT_REFUSED(f, "p", "a1", alone[_i].a);
    ASSERT_REFUSED(f, "p", "a2", alone[_i].a);
    ASSERT_REFUSED(f, "p", "b1", alone[_i].b);
    ASSERT_REFUSED(f, "p", "c1", alone[_i].c);
    ASSERT_REFUSED(f, "p", "none", alone[_i].none);
    fake_free(f);
}
END_TEST

START_TEST(too_few_domains) {
    struct fake *f = zones();
    run(f, "a", "a1", 1);
    run(f, "b", "b1", 1);
    run(f, "c", "c1", 1);
    fake_pod(f, "three", NULL, "app: web", SPREAD(HARD("maxSkew: 1, minDomains: 3, topologyKey: zone, " WEB)));
    fake_pod(f, "four", NULL, "app: web", SPREAD(HARD("maxSkew: 1, minDomains: 4, topologyKey: zone, " WEB)));
    fake_begin(f);
    fake_expect(f, 1);
    ASSERT_FITS(f, "three", "a1");
    ASSERT_REFUSED(f, "four", "a1", MISMATCH);
    fake_free(f);
}
END_TEST

START_TEST(pods_that_end_do_not_count) {
    struct fake *f = zones();
    fake_add(f, "{kind: Pod, metadata: {namespace: default, name: ending, labels: {app: web}, deletionTimestamp: "
                "'2026-03-02T08:00:00Z'}, spec: {nodeName: a1, containers: [{name: c, image: i}]}}");
    fake_add(f, "{kind: Pod, metadata: {namespace: other, name: far, labels: {app: web}}, spec: {nodeName: b1, "
                "containers: [{name: c, image: i}]}}");
    fake_pod(f, "p", NULL, "app: web", SPREAD(HARD("maxSkew: 1, topologyKey: zone, " WEB)));
    ASSERT_FITS(f, "p", "a1");
    ASSERT_FITS(f, "p", "b1");
    fake_free(f);
}
END_TEST

/* By default nodes that the pod cannot use are not looked at: c, without the disk, is no empty domain. */
START_TEST(node_affinity_policy) {
    struct fake *f = zones();
    run(f, "a", "a1", 1);
    run(f, "a2", "a2", 5);
    run(f, "b", "b1", 1);
    fake_pod(f, "honor", NULL, "app: web",
             "nodeSelector: {disk: ssd}, " SPREAD(HARD("maxSkew: 1, topologyKey: zone, " WEB)));
    fake_pod(f, "ignore", NULL, "app: web",
             "nodeSelector: {disk: ssd}, " SPREAD(
                 HARD("maxSkew: 1, nodeAffinityPolicy: Ignore, topologyKey: zone, " WEB)));
    fake_begin(f);
    fake_expect(f, 1);
    ASSERT_FITS(f, "honor", "a1");
    ASSERT_FITS(f, "honor", "b1");
    ASSERT_REFUSED(f, "ignore", "a1", MISMATCH);
    ASSERT_REFUSED(f, "ignore", "b1", MISMATCH);
    fake_free(f);
}
END_TEST

START_TEST(node_taints_policy) {
    struct fake *f = zones();
    fake_add(f, "{kind: Node, metadata: {name: d1, labels: {kubernetes.io/hostname: d1, zone: d}}, spec: {taints: "
                "[{key: t, effect: NoSchedule}]}}");
    run(f, "a", "a1", 1);
    run(f, "b", "b1", 1);
    run(f, "c", "c1", 1);
    fake_pod(f, "ignore", NULL, "app: web", SPREAD(HARD("maxSkew: 1, topologyKey: zone, " WEB)));
    fake_pod(f, "honor", NULL, "app: web",
             SPREAD(HARD("maxSkew: 1, nodeTaintsPolicy: Honor, topologyKey: zone, " WEB)));
    fake_begin(f);
    fake_expect(f, 1);
    ASSERT_REFUSED(f, "ignore", "a1", MISMATCH);
    ASSERT_FITS(f, "honor", "a1");
    fake_free(f);
}
END_TEST

/* ------------------------------------------------------------------ members */

static void members(struct fake *f, int count) {
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "m%d", i);
        fake_pod(f, name, NULL, "app: web", SPREAD(HARD("maxSkew: 1, topologyKey: zone, " WEB)));
    }
}

/* Six over three zones: two each, in any order; a third in one zone can never come right. */
START_TEST(what_members_to_come_can_make_right) {
    struct fake *f = zones();
    members(f, 6);
    fake_place(f, "m0", "a1");
    ASSERT_FITS(f, "m1", "a1");
    fake_place(f, "m1", "a2");
    ASSERT_REFUSED(f, "m2", "a1", MISMATCH);
    ASSERT_FITS(f, "m2", "b1");
    ck_assert_str_eq(fake_permit(f), MISMATCH);
    fake_place(f, "m2", "b1");
    fake_place(f, "m3", "b1");
    fake_place(f, "m4", "c1");
    ASSERT_REFUSED(f, "m5", "b1", MISMATCH);
    fake_place(f, "m5", "c1");
    ck_assert_str_eq(fake_permit(f), "");
    fake_free(f);
}
END_TEST

START_TEST(seven_leave_one_over) {
    struct fake *f = zones();
    members(f, 7);
    fake_place(f, "m0", "a1");
    fake_place(f, "m1", "a1");
    ASSERT_FITS(f, "m2", "a1");
    fake_place(f, "m2", "a1");
    ASSERT_REFUSED(f, "m3", "a1", MISMATCH);
    fake_place(f, "m3", "b1");
    fake_place(f, "m4", "b1");
    ASSERT_REFUSED(f, "m5", "b1", MISMATCH);
    fake_place(f, "m5", "c1");
    ck_assert_str_eq(fake_permit(f), MISMATCH);
    fake_place(f, "m6", "c1");
    ck_assert_str_eq(fake_permit(f), "");
    fake_free(f);
}
END_TEST

START_TEST(surplus_looks_at_things_as_they_stand) {
    struct fake *f = zones();
    members(f, 2);
    fake_begin(f);
    fake_expect(f, 0);
    ASSERT_FITS(f, "m0", "a1");
    fake_place(f, "m0", "a1");
    ASSERT_REFUSED(f, "m1", "a1", MISMATCH);
    ASSERT_FITS(f, "m1", "b1");
    fake_free(f);
}
END_TEST

START_TEST(who_counts_under_others_rules_goes_to_the_search) {
    struct fake *f = zones();
    fake_pod(f, "lead", NULL, "app: web", SPREAD(HARD("maxSkew: 1, topologyKey: zone, " WEB)));
    fake_pod(f, "web", NULL, "app: web", NULL);
    fake_pod(f, "db", NULL, "app: db", NULL);
    ASSERT_REACH(f, "web", MU_SCOPE_CLUSTER, MU_SCOPE_NONE);
    ASSERT_REACH(f, "db", MU_SCOPE_NONE, MU_SCOPE_NONE);
    fake_place(f, "web", "a1");
    ASSERT_FITS(f, "lead", "a1"); /* it may have come first */
    fake_place(f, "lead", "a1");
    ck_assert_str_eq(fake_permit(f), "");
    fake_free(f);
}
END_TEST

START_TEST(pods_that_count_differently_are_apart) {
    struct fake *f = zones();
    const char *spec = SPREAD(HARD("maxSkew: 1, topologyKey: zone, " WEB ", matchLabelKeys: [rev]"));
    fake_pod(f, "p0", NULL, "app: web, index: '0'", spec);
    fake_pod(f, "p1", NULL, "app: web, index: '1'", spec);
    fake_pod(f, "db", NULL, "app: db", spec);
    fake_pod(f, "rev", NULL, "app: web, rev: r", spec);
    ck_assert(fake_same_class(f, "p0", "p1"));
    ck_assert(!fake_same_class(f, "p0", "db"));
    ck_assert(!fake_same_class(f, "p0", "rev"));
    fake_free(f);
}
END_TEST

/* ------------------------------------------------------------------ soft constraints */

START_TEST(fewer_are_better) {
    struct fake *f = zones();
    run(f, "a", "a1", 3);
    run(f, "b", "b1", 1);
    fake_pod(f, "p", NULL, "app: web", SPREAD(SOFT("maxSkew: 1, topologyKey: zone, " WEB)));
    fake_pod(f, "loose", NULL, "app: web", SPREAD(SOFT("maxSkew: 4, topologyKey: zone, " WEB)));
    ASSERT_REACH(f, "p", MU_SCOPE_NONE, MU_SCOPE_CLUSTER);
    ck_assert_int_eq(fake_score(f, "p", "a2"), 0);
    ck_assert_int_eq(fake_score(f, "p", "b1"), 66);
    ck_assert_int_eq(fake_score(f, "p", "c1"), 100);
    ck_assert_int_eq(fake_score(f, "p", "none"), 0);
    ck_assert_int_eq(fake_score(f, "loose", "a2"), 50);
    ck_assert_int_eq(fake_score(f, "loose", "c1"), 100);
    fake_free(f);
}
END_TEST

START_TEST(all_even_is_all_good) {
    struct fake *f = zones();
    fake_pod(f, "p", NULL, "app: web",
             SPREAD(SOFT("maxSkew: 1, topologyKey: zone, " WEB) ", " SOFT("maxSkew: 1, topologyKey: zone")));
    ck_assert_int_eq(fake_score(f, "p", "a1"), 100);
    fake_place(f, "p", "a1");
    ck_assert_int_eq(fake_score(f, "p", "a2"), 50);
    ck_assert_int_eq(fake_score(f, "p", "b1"), 100);
    fake_free(f);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, a_pod_by_itself, 0, sizeof alone / sizeof alone[0]);
    tcase_add_test(tests, too_few_domains);
    tcase_add_test(tests, pods_that_end_do_not_count);
    tcase_add_test(tests, node_affinity_policy);
    tcase_add_test(tests, node_taints_policy);
    tcase_add_test(tests, what_members_to_come_can_make_right);
    tcase_add_test(tests, seven_leave_one_over);
    tcase_add_test(tests, surplus_looks_at_things_as_they_stand);
    tcase_add_test(tests, who_counts_under_others_rules_goes_to_the_search);
    tcase_add_test(tests, pods_that_count_differently_are_apart);
    tcase_add_test(tests, fewer_are_better);
    tcase_add_test(tests, all_even_is_all_good);
}

int main(void) {
    return mu_suite_run("plugins/spread", add);
}
