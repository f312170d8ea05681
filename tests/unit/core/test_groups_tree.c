/* Trees of groups: CompositePodGroups, their minimums, and chains that lead nowhere. */
#include "scheduler/base/limits.h"
#include "tests/unit/core/cluster.h"

#include <stdio.h>

static struct cluster *c;

static void setup(void) {
    c = cluster_new();
}

static void teardown(void) {
    cluster_free(c);
}

/* parent "": none. policy: "gang: {minGroupCount: 2}", "basic: {}". */
static void composite(const char *name, const char *parent, const char *policy) {
    cluster_add(c,
                "{apiVersion: scheduling.k8s.io/v1alpha3, kind: CompositePodGroup, metadata: {namespace: default, "
                "name: %s, creationTimestamp: '2026-03-02T07:00:00Z'}, spec: {%s%s%sschedulingPolicy: {%s}}}",
                name, *parent ? "parentCompositePodGroupName: " : "", parent, *parent ? ", " : "", policy);
}

static void leaf(const char *name, const char *parent, int minimum) {
    cluster_add(c,
                "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {namespace: default, name: %s, "
                "creationTimestamp: '2026-03-02T07:00:00Z'}, spec: {parentCompositePodGroupName: %s, "
                "schedulingPolicy: {gang: {minCount: %d}}}}",
                name, parent, minimum);
}

static void members(const char *group, int count, const char *spec) {
    char in_group[256];
    snprintf(in_group, sizeof in_group, "schedulingGroup: {podGroupName: %s}%s", group, spec);
    cluster_pods(c, group, count, (struct pod){.spec = in_group});
}

START_TEST(a_tree_is_one_group) {
    composite("flow", "", "gang: {minGroupCount: 2}");
    composite("stages", "flow", "gang: {minGroupCount: 2}");
    leaf("lead", "flow", 1);
    leaf("stage-b", "stages", 2);
    leaf("stage-a", "stages", 3);
    members("lead", 1, "");
    members("stage-a", 3, "");
    members("stage-b", 2, "");
    const struct mu_group *g = cluster_group(c, "flow");
    ASSERT_OPEN(g);
    ck_assert_uint_eq(c->groups->len, 1);
    ck_assert_int_eq(g->kind, MU_KIND_COMPOSITE);
    ck_assert_uint_eq(g->pods_len, 6);
    ASSERT_SYM(c, g->pods[0].pod->meta.name, "lead-0");
    ASSERT_SYM(c, g->pods[5].pod->meta.name, "stage-b-1");
    ck_assert_int_eq(g->min_count, 6);
    ck_assert_uint_eq(g->root->children_len, 2);
    ck_assert_ptr_null(g->root->part);
    ASSERT_SYM(c, g->root->children[0]->name, "lead");
    ASSERT_SYM(c, g->root->children[1]->name, "stages");
    ASSERT_SYM(c, g->root->children[1]->children[0]->name, "stage-a");
    ck_assert_int_eq(g->root->children[1]->children[0]->part->minimum, 3);
}
END_TEST

START_TEST(children_stand_by_age) {
    composite("flow", "", "gang: {minGroupCount: 2}");
    leaf("a", "flow", 1);
    cluster_add(c, "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {namespace: default, name: b, "
                   "creationTimestamp: '2026-03-02T06:00:00Z'}, spec: {parentCompositePodGroupName: flow, "
                   "schedulingPolicy: {gang: {minCount: 1}}}}");
    members("a", 1, "");
    members("b", 1, "");
    ASSERT_SYM(c, cluster_group(c, "flow")->root->children[0]->name, "b");
}
END_TEST

START_TEST(the_least_minimums_are_what_must_hold) {
    composite("flow", "", "gang: {minGroupCount: 2}");
    leaf("a", "flow", 5);
    leaf("b", "flow", 1);
    leaf("d", "flow", 2);
    members("a", 5, "");
    members("b", 1, "");
    members("d", 2, "");
    ck_assert_int_eq(cluster_group(c, "flow")->min_count, 3);
}
END_TEST

START_TEST(a_basic_composite_takes_as_many_as_fit) {
    composite("flow", "", "basic: {}");
    leaf("a", "flow", 2);
    leaf("b", "flow", 2);
    members("a", 2, "");
    members("b", 1, "");
    const struct mu_group *g = cluster_group(c, "flow");
    ASSERT_OPEN(g);
    ck_assert(g->root->basic);
    ck_assert_int_eq(g->root->minimum, 0);
    ck_assert_int_eq(g->min_count, 2);
    ASSERT_DECIDED(cluster_group_pod(c, "b-0"), MU_WAIT, MU_REASON_MEMBERS_MISSING, "1 of 2 members are created");
}
END_TEST

START_TEST(a_child_that_is_needed_decides) {
    composite("flow", "", "gang: {minGroupCount: 2}");
    leaf("a", "flow", 1);
    leaf("b", "flow", 2);
    members("a", 1, "");
    members("b", 1, "");
    const struct mu_group *g = cluster_group(c, "flow");
    ASSERT_DECIDED(g, MU_WAIT, MU_REASON_MEMBERS_MISSING, "child group b: 1 of 2 members are created");
    ck_assert_int_eq(cluster_group_pod(c, "a-0")->reason, MU_REASON_NONE);
}
END_TEST

START_TEST(a_child_more_than_needed_is_left_out) {
    composite("flow", "", "gang: {minGroupCount: 1}");
    leaf("a", "flow", 1);
    leaf("b", "flow", 2);
    members("a", 1, "");
    members("b", 2, ", schedulingGates: [{name: x.y/z}]");
    const struct mu_group *g = cluster_group(c, "flow");
    ASSERT_OPEN(g);
    ck_assert_uint_eq(g->root->children[1]->part->ready_len, 0);
    ck_assert(cluster_group_pod(c, "a-0")->ready);
}
END_TEST

START_TEST(a_ready_pod_of_a_child_left_out_says_why) {
    composite("flow", "", "gang: {minGroupCount: 1}");
    composite("inner", "flow", "gang: {minGroupCount: 2}");
    leaf("a", "flow", 1);
    leaf("b", "inner", 1);
    leaf("d", "inner", 2);
    members("a", 1, "");
    members("b", 1, "");
    members("d", 1, "");
    ASSERT_OPEN(cluster_group(c, "flow"));
    const struct mu_group_pod *pod = cluster_group_pod(c, "b-0");
    ASSERT_DECIDED(pod, MU_WAIT, MU_REASON_MEMBERS_MISSING, "child group d: 1 of 2 members are created");
    ck_assert(!pod->ready);
    const struct mu_unit *inner = cluster_group(c, "flow")->root->children[1];
    ck_assert_uint_eq(inner->children[0]->part->ready_len, 0);
}
END_TEST

START_TEST(a_senseless_child_is_named_before_one_that_waits) {
    composite("flow", "", "gang: {minGroupCount: 2}");
    leaf("a", "flow", 9);
    leaf("b", "flow", 100001);
    members("a", 1, "");
    members("b", 1, "");
    ASSERT_DECIDED(cluster_group(c, "flow"), MU_PENDING, MU_REASON_INVALID_GROUP,
                   "child group b: its minimum is 100001");
}
END_TEST

START_TEST(children_may_be_missing) {
    composite("flow", "", "gang: {minGroupCount: 3}");
    leaf("a", "flow", 1);
    members("a", 1, "");
    ASSERT_DECIDED(cluster_group(c, "flow"), MU_WAIT, MU_REASON_MEMBERS_MISSING, "1 of 3 child groups are created");
}
END_TEST

START_TEST(a_child_without_pods_is_missing_them) {
    composite("flow", "", "gang: {minGroupCount: 2}");
    leaf("a", "flow", 1);
    leaf("b", "flow", 2);
    members("a", 1, "");
    ASSERT_DECIDED(cluster_group(c, "flow"), MU_WAIT, MU_REASON_MEMBERS_MISSING, "child group b: 0 of 2");
}
END_TEST

START_TEST(a_parent_may_be_missing) {
    leaf("a", "nowhere", 1);
    members("a", 1, "");
    const struct mu_group *g = cluster_group(c, "a");
    ck_assert_int_eq(g->kind, MU_KIND_POD_GROUP);
    ASSERT_DECIDED(g, MU_WAIT, MU_REASON_GROUP_NOT_FOUND, "its parent CompositePodGroup nowhere does not exist");
}
END_TEST

START_TEST(a_tree_may_miss_its_root) {
    composite("inner", "nowhere", "gang: {minGroupCount: 1}");
    leaf("a", "inner", 1);
    members("a", 1, "");
    ASSERT_DECIDED(cluster_group(c, "inner"), MU_WAIT, MU_REASON_GROUP_NOT_FOUND, "nowhere");
}
END_TEST

START_TEST(groups_in_a_cycle_are_refused_alone) {
    composite("a", "b", "gang: {minGroupCount: 1}");
    composite("b", "d", "gang: {minGroupCount: 1}");
    composite("d", "a", "gang: {minGroupCount: 1}");
    composite("hangs-on", "a", "gang: {minGroupCount: 1}");
    leaf("under-a", "hangs-on", 1);
    leaf("under-b", "b", 1);
    members("under-a", 1, "");
    members("under-b", 1, "");
    cluster_pod(c, "calm", (struct pod){0});
    ASSERT_DECIDED(cluster_group(c, "a"), MU_PENDING, MU_REASON_INVALID_GROUP,
                   "in a cycle of 3 groups by way of its parent b");
    ASSERT_DECIDED(cluster_group(c, "b"), MU_PENDING, MU_REASON_INVALID_GROUP, "its parent d");
    ck_assert_uint_eq(cluster_group(c, "a")->pods_len, 1);
    ASSERT_OPEN(cluster_group(c, "calm"));
    ck_assert_uint_eq(c->groups->len, 3);
}
END_TEST

START_TEST(a_group_may_be_its_own_parent) {
    composite("a", "a", "gang: {minGroupCount: 1}");
    leaf("b", "a", 1);
    members("b", 1, "");
    ASSERT_DECIDED(cluster_group(c, "a"), MU_PENDING, MU_REASON_INVALID_GROUP, "a cycle of 1 groups");
}
END_TEST

static void chain(int levels) {
    for (int i = 0; i < levels; i++) {
        char name[16], parent[16];
        snprintf(name, sizeof name, "c%02d", i);
        snprintf(parent, sizeof parent, "c%02d", i - 1);
        composite(name, i > 0 ? parent : "", "gang: {minGroupCount: 1}");
    }
    char last[16];
    snprintf(last, sizeof last, "c%02d", levels - 1);
    leaf("a", last, 1);
    members("a", 1, "");
}

START_TEST(trees_have_a_limit) {
    chain(MU_LIMIT_TREE_DEPTH - 1);
    ASSERT_OPEN(cluster_group(c, "c00"));
}
END_TEST

START_TEST(deeper_than_the_limit_is_refused) {
    chain(MU_LIMIT_TREE_DEPTH);
    ASSERT_DECIDED(cluster_group(c, "a"), MU_PENDING, MU_REASON_INVALID_GROUP, "more than 32 levels");
}
END_TEST

START_TEST(a_long_chain_ends_too) {
    chain(3 * MU_LIMIT_TREE_DEPTH);
    cluster_build(c);
    ck_assert_uint_eq(c->groups->len, 1);
    ASSERT_DECIDED(c->groups->items[0], MU_PENDING, MU_REASON_INVALID_GROUP, "more than 32 levels");
}
END_TEST

START_TEST(a_child_below_its_minimum_breaks_the_tree) {
    composite("flow", "", "gang: {minGroupCount: 1}");
    leaf("a", "flow", 1);
    leaf("b", "flow", 2);
    cluster_running(c, "x", (struct pod){.spec = "schedulingGroup: {podGroupName: a}"});
    cluster_running(c, "y", (struct pod){.spec = "schedulingGroup: {podGroupName: b}"});
    members("b", 1, "");
    ck_assert(cluster_group(c, "flow")->broken);
}
END_TEST

START_TEST(a_child_that_is_needed_and_did_not_start_breaks_the_tree) {
    composite("flow", "", "gang: {minGroupCount: 2}");
    composite("inner", "flow", "basic: {}");
    leaf("a", "flow", 1);
    leaf("b", "inner", 1);
    cluster_running(c, "x", (struct pod){.spec = "schedulingGroup: {podGroupName: a}"});
    members("b", 1, "");
    ck_assert(cluster_group(c, "flow")->broken);
}
END_TEST

START_TEST(a_child_that_did_not_start_breaks_nothing) {
    composite("flow", "", "gang: {minGroupCount: 1}");
    leaf("a", "flow", 1);
    leaf("b", "flow", 2);
    cluster_running(c, "x", (struct pod){.spec = "schedulingGroup: {podGroupName: a}"});
    members("b", 2, "");
    ck_assert(!cluster_group(c, "flow")->broken);
    ASSERT_OPEN(cluster_group(c, "flow"));
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_tree_is_one_group);
    tcase_add_test(tests, children_stand_by_age);
    tcase_add_test(tests, the_least_minimums_are_what_must_hold);
    tcase_add_test(tests, a_basic_composite_takes_as_many_as_fit);
    tcase_add_test(tests, a_child_that_is_needed_decides);
    tcase_add_test(tests, a_child_more_than_needed_is_left_out);
    tcase_add_test(tests, a_ready_pod_of_a_child_left_out_says_why);
    tcase_add_test(tests, a_senseless_child_is_named_before_one_that_waits);
    tcase_add_test(tests, children_may_be_missing);
    tcase_add_test(tests, a_child_without_pods_is_missing_them);
    tcase_add_test(tests, a_parent_may_be_missing);
    tcase_add_test(tests, a_tree_may_miss_its_root);
    tcase_add_test(tests, groups_in_a_cycle_are_refused_alone);
    tcase_add_test(tests, a_group_may_be_its_own_parent);
    tcase_add_test(tests, trees_have_a_limit);
    tcase_add_test(tests, deeper_than_the_limit_is_refused);
    tcase_add_test(tests, a_long_chain_ends_too);
    tcase_add_test(tests, a_child_below_its_minimum_breaks_the_tree);
    tcase_add_test(tests, a_child_that_is_needed_and_did_not_start_breaks_the_tree);
    tcase_add_test(tests, a_child_that_did_not_start_breaks_nothing);
}

int main(void) {
    return mu_suite_run("core/groups_tree", add);
}
