/* Membership: which group a pod belongs to (contract 3.10). */
#include "tests/unit/core/cluster.h"

static struct cluster *c;

static void setup(void) {
    c = cluster_new();
}

static void teardown(void) {
    cluster_free(c);
}

static void native(const char *name, int minimum) {
    cluster_add(c,
                "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {namespace: default, name: %s}, "
                "spec: {schedulingPolicy: {gang: {minCount: %d}}}}",
                name, minimum);
}

static void coscheduling(const char *name, int minimum) {
    cluster_add(c,
                "{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {namespace: default, name: %s}, "
                "spec: {minMember: %d}}",
                name, minimum);
}

static void volcano(const char *name, int minimum) {
    cluster_add(c,
                "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {namespace: default, name: %s}, "
                "spec: {minMember: %d}}",
                name, minimum);
}

START_TEST(the_native_field_names_a_native_group) {
    native("train", 2);
    cluster_pods(c, "train", 2, (struct pod){.spec = "schedulingGroup: {podGroupName: train}"});
    const struct mu_group *g = cluster_group(c, "train");
    ASSERT_OPEN(g);
    ck_assert_int_eq(g->kind, MU_KIND_POD_GROUP);
    ck_assert_int_eq(g->min_count, 2);
    ck_assert_uint_eq(g->pods_len, 2);
    ck_assert_uint_eq(g->root->part->ready_len, 2);
    ck_assert_ptr_nonnull(g->root->part->object);
    ASSERT_SYM(c, g->root->part->ready[0]->meta.name, "train-0");
    ASSERT_SYM(c, g->root->part->ready[1]->meta.name, "train-1");
}
END_TEST

START_TEST(labels_and_annotations_name_groups_of_their_own_apis) {
    coscheduling("x", 1);
    volcano("v", 1);
    volcano("w", 1);
    cluster_pod(c, "a", (struct pod){.labels = "scheduling.x-k8s.io/pod-group: x"});
    cluster_pod(c, "b", (struct pod){.annotations = "scheduling.k8s.io/group-name: v"});
    cluster_pod(c, "d", (struct pod){.annotations = "scheduling.volcano.sh/group-name: w"});
    const char *const groups[] = {"x", "v", "w"}, *const pods[] = {"a", "b", "d"};
    for (size_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(cluster_group(c, groups[i])->pods_len, 1);
        ASSERT_SYM(c, cluster_group(c, groups[i])->pods[0].pod->meta.name, pods[i]);
    }
}
END_TEST

START_TEST(a_key_names_groups_of_no_other_api) {
    coscheduling("train", 1);
    cluster_pod(c, "a", (struct pod){.spec = "schedulingGroup: {podGroupName: train}"});
    ASSERT_DECIDED(cluster_group(c, "train"), MU_WAIT, MU_REASON_GROUP_NOT_FOUND, "PodGroup train does not exist");
}
END_TEST

START_TEST(names_of_missing_groups_are_passed_over) {
    coscheduling("real", 1);
    cluster_pod(c, "a",
                (struct pod){.spec = "schedulingGroup: {podGroupName: ghost}",
                             .labels = "scheduling.x-k8s.io/pod-group: real",
                             .annotations = "scheduling.k8s.io/group-name: other"});
    ASSERT_OPEN(cluster_group(c, "real"));
    ck_assert_uint_eq(c->groups->len, 1);
}
END_TEST

START_TEST(two_existing_groups_tear_a_pod) {
    native("left", 1);
    coscheduling("right", 1);
    cluster_pod(c, "torn",
                (struct pod){.spec = "schedulingGroup: {podGroupName: left}",
                             .labels = "scheduling.x-k8s.io/pod-group: right"});
    cluster_pod(c, "calm", (struct pod){.spec = "schedulingGroup: {podGroupName: left}"});
    const struct mu_group *g = cluster_group(c, "torn");
    ck_assert_int_eq(g->kind, MU_KIND_POD);
    ASSERT_DECIDED(g, MU_PENDING, MU_REASON_INVALID_GROUP, "PodGroup left of scheduling.k8s.io");
    ASSERT_DECIDED(&g->pods[0], MU_PENDING, MU_REASON_INVALID_GROUP, "PodGroup right of scheduling.x-k8s.io");
    ck_assert(!g->pods[0].ready);
    ck_assert_uint_eq(cluster_group(c, "left")->pods_len, 1);
}
END_TEST

START_TEST(a_torn_pod_counts_for_neither_group) {
    native("left", 2);
    volcano("right", 1);
    cluster_pod(c, "torn",
                (struct pod){.spec = "schedulingGroup: {podGroupName: left}",
                             .annotations = "scheduling.k8s.io/group-name: right"});
    cluster_pod(c, "calm", (struct pod){.spec = "schedulingGroup: {podGroupName: left}"});
    ASSERT_DECIDED(cluster_group(c, "left"), MU_WAIT, MU_REASON_MEMBERS_MISSING, "1 of 2 members are created");
    ck_assert_uint_eq(c->groups->len, 2);
}
END_TEST

START_TEST(one_name_in_two_apis_tears_a_pod_too) {
    native("same", 1);
    volcano("same", 1);
    cluster_pod(c, "torn",
                (struct pod){.spec = "schedulingGroup: {podGroupName: same}",
                             .annotations = "scheduling.k8s.io/group-name: same"});
    ASSERT_DECIDED(cluster_group(c, "torn"), MU_PENDING, MU_REASON_INVALID_GROUP, "2 groups that exist");
}
END_TEST

START_TEST(volcanos_two_keys_may_agree) {
    volcano("v", 1);
    cluster_pod(c, "a",
                (struct pod){.annotations = "scheduling.k8s.io/group-name: v, scheduling.volcano.sh/group-name: v"});
    ASSERT_OPEN(cluster_group(c, "v"));
}
END_TEST

START_TEST(volcanos_two_keys_may_disagree) {
    volcano("v", 1);
    volcano("w", 1);
    cluster_pod(c, "a",
                (struct pod){.annotations = "scheduling.k8s.io/group-name: v, scheduling.volcano.sh/group-name: w"});
    ASSERT_DECIDED(cluster_group(c, "a"), MU_PENDING, MU_REASON_INVALID_GROUP, "PodGroup w of scheduling.volcano.sh");
}
END_TEST

START_TEST(pods_of_a_missing_group_stand_together) {
    cluster_pods(c, "o", 3, (struct pod){.labels = "scheduling.x-k8s.io/pod-group: ghost"});
    cluster_running(c, "bound", (struct pod){.labels = "scheduling.x-k8s.io/pod-group: ghost"});
    cluster_pod(c, "theirs",
                (struct pod){.labels = "scheduling.x-k8s.io/pod-group: ghost",
                             .scheduler = "default-scheduler",
                             .status = "phase: Succeeded"});
    const struct mu_group *g = cluster_group(c, "ghost");
    ck_assert_uint_eq(c->groups->len, 1);
    ck_assert_int_eq(g->kind, MU_KIND_POD_GROUP);
    ASSERT_DECIDED(g, MU_WAIT, MU_REASON_GROUP_NOT_FOUND, "in namespace default");
    ck_assert_uint_eq(g->pods_len, 3);
    ck_assert_int_eq(g->pods[2].decision, MU_WAIT);
    ck_assert(!g->broken);
}
END_TEST

START_TEST(a_group_elsewhere_is_missing_here) {
    native("crew", 1);
    cluster_pod(c, "lost", (struct pod){.namespace = "lab-b", .spec = "schedulingGroup: {podGroupName: crew}"});
    ASSERT_DECIDED(cluster_group(c, "crew"), MU_WAIT, MU_REASON_GROUP_NOT_FOUND, "in namespace lab-b");
}
END_TEST

START_TEST(a_bound_pod_of_a_missing_group_is_nothing_to_do) {
    cluster_running(c, "bound", (struct pod){.labels = "scheduling.x-k8s.io/pod-group: ghost"});
    cluster_build(c);
    ck_assert_uint_eq(c->groups->len, 0);
}
END_TEST

START_TEST(groups_without_pods_are_nothing_to_do) {
    native("a", 1);
    volcano("b", 0);
    coscheduling("d", 1);
    cluster_build(c);
    ck_assert_uint_eq(c->groups->len, 0);
}
END_TEST

START_TEST(only_pending_pods_of_ours_are_listed) {
    cluster_pod(c, "ours", (struct pod){0});
    cluster_pod(c, "second", (struct pod){.scheduler = "second"});
    cluster_pod(c, "theirs", (struct pod){.scheduler = "default-scheduler"});
    cluster_pod(c, "ended", (struct pod){.status = "phase: Failed"});
    cluster_pod(c, "going", (struct pod){.meta = "deletionTimestamp: '2026-03-02T13:00:00Z'"});
    cluster_running(c, "runs", (struct pod){0});
    ck_assert_int_eq(cluster_group(c, "ours")->kind, MU_KIND_POD);
    ck_assert_int_eq(cluster_group(c, "ours")->min_count, 1);
    ck_assert_ptr_eq(cluster_group(c, "second")->profile, &c->profiles[1]);
    ck_assert_uint_eq(c->groups->len, 2);
}
END_TEST

START_TEST(with_all_every_pending_pod_is_ours) {
    c->settings.all_ours = true;
    cluster_pod(c, "theirs", (struct pod){.scheduler = "default-scheduler"});
    cluster_pod(c, "second", (struct pod){.scheduler = "second"});
    ck_assert_ptr_eq(cluster_group(c, "theirs")->profile, &c->profiles[0]);
    ck_assert_ptr_eq(cluster_group(c, "second")->profile, &c->profiles[1]);
}
END_TEST

START_TEST(one_scheduler_places_a_group) {
    native("train", 1);
    cluster_pod(c, "a", (struct pod){.spec = "schedulingGroup: {podGroupName: train}"});
    cluster_pod(c, "b", (struct pod){.spec = "schedulingGroup: {podGroupName: train}", .scheduler = "volcano"});
    const struct mu_group *g = cluster_group(c, "train");
    ASSERT_DECIDED(g, MU_PENDING, MU_REASON_INVALID_GROUP, "muster by pod a and volcano by pod b");
    ck_assert_uint_eq(g->pods_len, 1);
}
END_TEST

START_TEST(those_that_ended_or_go_may_have_had_another_scheduler) {
    native("train", 1);
    cluster_pod(c, "a", (struct pod){.spec = "schedulingGroup: {podGroupName: train}"});
    cluster_running(c, "b",
                    (struct pod){.spec = "schedulingGroup: {podGroupName: train}",
                                 .scheduler = "volcano",
                                 .status = "phase: Succeeded"});
    cluster_running(c, "d",
                    (struct pod){.spec = "schedulingGroup: {podGroupName: train}",
                                 .scheduler = "volcano",
                                 .meta = "deletionTimestamp: '2026-03-02T13:00:00Z'"});
    ASSERT_OPEN(cluster_group(c, "train"));
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, the_native_field_names_a_native_group);
    tcase_add_test(tests, labels_and_annotations_name_groups_of_their_own_apis);
    tcase_add_test(tests, a_key_names_groups_of_no_other_api);
    tcase_add_test(tests, names_of_missing_groups_are_passed_over);
    tcase_add_test(tests, two_existing_groups_tear_a_pod);
    tcase_add_test(tests, a_torn_pod_counts_for_neither_group);
    tcase_add_test(tests, one_name_in_two_apis_tears_a_pod_too);
    tcase_add_test(tests, volcanos_two_keys_may_agree);
    tcase_add_test(tests, volcanos_two_keys_may_disagree);
    tcase_add_test(tests, pods_of_a_missing_group_stand_together);
    tcase_add_test(tests, a_group_elsewhere_is_missing_here);
    tcase_add_test(tests, a_bound_pod_of_a_missing_group_is_nothing_to_do);
    tcase_add_test(tests, groups_without_pods_are_nothing_to_do);
    tcase_add_test(tests, only_pending_pods_of_ours_are_listed);
    tcase_add_test(tests, with_all_every_pending_pod_is_ours);
    tcase_add_test(tests, one_scheduler_places_a_group);
    tcase_add_test(tests, those_that_ended_or_go_may_have_had_another_scheduler);
}

int main(void) {
    return mu_suite_run("core/groups_names", add);
}
