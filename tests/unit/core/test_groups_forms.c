/* Forms without an object: LeaderWorkerSet replicas, Kueue's pod groups, and the label forms. */
#include "tests/unit/core/cluster.h"

static struct cluster *c;

static void setup(void) {
    c = cluster_new();
}

static void teardown(void) {
    cluster_free(c);
}

#define LWS(index, revision)                                                                                           \
    "leaderworkerset.sigs.k8s.io/name: r1, leaderworkerset.sigs.k8s.io/group-index: '" index                           \
    "', leaderworkerset.sigs.k8s.io/template-revision-hash: " revision
#define WORKER(number) ", leaderworkerset.sigs.k8s.io/worker-index: '" number "'"
#define SIZE(count) "leaderworkerset.sigs.k8s.io/size: '" count "'"

static void worker_set(int size, const char *startup) {
    cluster_add(c,
                "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {namespace: default, "
                "name: r1, uid: u1}, spec: {replicas: 2, startupPolicy: %s, leaderWorkerTemplate: {size: %d, "
                "workerTemplate: {spec: {containers: [{name: main, image: a}]}}}}}",
                startup, size);
}

START_TEST(each_replica_is_a_gang) {
    cluster_pods(c, "r1-0", 2, (struct pod){.labels = LWS("0", "aaa"), .annotations = SIZE("2")});
    cluster_pods(c, "r1-1", 1, (struct pod){.labels = LWS("1", "aaa"), .annotations = SIZE("2")});
    const struct mu_group *whole = cluster_group(c, "r1-0"), *half = cluster_group(c, "r1-1");
    ASSERT_OPEN(whole);
    ck_assert_int_eq(whole->kind, MU_KIND_POD_GROUP);
    ck_assert_int_eq(whole->min_count, 2);
    ck_assert_ptr_null(whole->root->part->object);
    ASSERT_SYM(c, whole->root->part->name, "r1-0");
    ASSERT_DECIDED(half, MU_WAIT, MU_REASON_MEMBERS_MISSING, "1 of 2 members are created");
}
END_TEST

START_TEST(replicas_of_two_revisions_are_two_gangs) {
    cluster_pod(c, "old", (struct pod){.labels = LWS("0", "bbb"), .annotations = SIZE("1")});
    cluster_pod(c, "new", (struct pod){.labels = LWS("0", "aaa"), .annotations = SIZE("1")});
    cluster_build(c);
    ck_assert_uint_eq(c->groups->len, 2);
    ASSERT_SYM(c, c->groups->items[0]->pods[0].pod->meta.name, "new"); /* of equals the first revision by name */
    ASSERT_SYM(c, c->groups->items[0]->name, "r1-0");
    ASSERT_SYM(c, c->groups->items[1]->name, "r1-0");
}
END_TEST

START_TEST(the_set_knows_its_size) {
    worker_set(3, "LeaderCreated");
    cluster_pods(c, "r1-0", 2, (struct pod){.labels = LWS("0", "aaa")});
    ASSERT_DECIDED(cluster_group(c, "r1-0"), MU_WAIT, MU_REASON_MEMBERS_MISSING, "2 of 3 members are created");
}
END_TEST

START_TEST(a_leader_does_not_wait_for_workers_that_wait_for_it) {
    worker_set(3, "LeaderReady");
    cluster_pod(c, "r1-0", (struct pod){.labels = LWS("0", "aaa") WORKER("0"), .annotations = SIZE("3")});
    cluster_pod(c, "r1-0-1", (struct pod){.labels = LWS("0", "aaa") WORKER("1"), .annotations = SIZE("3")});
    cluster_build(c);
    const struct mu_group *g = c->groups->items[0];
    ASSERT_OPEN(g);
    ck_assert_int_eq(g->min_count, 1);
    const struct mu_part *part = g->root->part;
    ck_assert_uint_eq(part->roles_len, 1);
    ck_assert_int_eq(part->roles[0].minimum, 1);
    ck_assert_uint_eq(part->ready_role[0], 0);
    ck_assert_uint_eq(part->ready_role[1], UINT32_MAX);
}
END_TEST

START_TEST(workers_without_their_leader_wait) {
    worker_set(3, "LeaderReady");
    cluster_pod(c, "r1-0-1", (struct pod){.labels = LWS("0", "aaa") WORKER("1")});
    ASSERT_DECIDED(cluster_group(c, "r1-0"), MU_WAIT, MU_REASON_MEMBERS_MISSING, "role leader: 0 of 1");
}
END_TEST

START_TEST(nobody_knows_the_size) {
    cluster_pod(c, "p", (struct pod){.labels = LWS("0", "aaa")});
    ASSERT_DECIDED(cluster_group(c, "r1-0"), MU_PENDING, MU_REASON_INVALID_GROUP,
                   "none of its 1 members says by leaderworkerset.sigs.k8s.io/size");
}
END_TEST

START_TEST(a_group_object_comes_before_the_labels) {
    cluster_add(c,
                "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {namespace: default, name: r1-0}, "
                "spec: {schedulingPolicy: {gang: {minCount: 2}}}}");
    cluster_pods(c, "r1-0", 2,
                 (struct pod){.labels = LWS("0", "aaa"),
                              .annotations = SIZE("8"),
                              .spec = "schedulingGroup: {podGroupName: r1-0}"});
    ASSERT_OPEN(cluster_group(c, "r1-0"));
    ck_assert_int_eq(cluster_group(c, "r1-0")->min_count, 2);
    ck_assert_ptr_nonnull(cluster_group(c, "r1-0")->root->part->object);
}
END_TEST

/* The forms that differ in their keys only. */
static const struct {
    const char *labels, *annotations, *other_annotations, *no_number, *count_key;
} forms[] = {
    {"kueue.x-k8s.io/pod-group-name: g", "kueue.x-k8s.io/pod-group-total-count: '3'",
     "kueue.x-k8s.io/pod-group-total-count: '4'", "kueue.x-k8s.io/pod-group-total-count: many",
     "kueue.x-k8s.io/pod-group-total-count"},
    {"pod-group.scheduling.sigs.k8s.io/name: g, pod-group.scheduling.sigs.k8s.io/min-available: '3'", "",
     "pod-group.scheduling.sigs.k8s.io/min-available: '4'", "pod-group.scheduling.sigs.k8s.io/min-available: many",
     "pod-group.scheduling.sigs.k8s.io/min-available"},
    {"scheduling.muster.dev/group-name: g, scheduling.muster.dev/min-count: '3'", "",
     "scheduling.muster.dev/min-count: '4'", "scheduling.muster.dev/min-count: many",
     "scheduling.muster.dev/min-count"},
    {"", "scheduling.muster.dev/group-name: g, scheduling.muster.dev/min-count: '3'",
     "scheduling.muster.dev/group-name: g, scheduling.muster.dev/min-count: '4'",
     "scheduling.muster.dev/group-name: g, scheduling.muster.dev/min-count: many", "scheduling.muster.dev/min-count"},
};

static const char *name_only(int form) {
    const char *const names[] = {"kueue.x-k8s.io/pod-group-name: g", "pod-group.scheduling.sigs.k8s.io/name: g",
                                 "scheduling.muster.dev/group-name: g", ""};
    return names[form];
}

START_TEST(pods_name_and_count_their_group) {
    cluster_pods(c, "m", 3, (struct pod){.labels = forms[_i].labels, .annotations = forms[_i].annotations});
    const struct mu_group *g = cluster_group(c, "g");
    ASSERT_OPEN(g);
    ck_assert_int_eq(g->kind, MU_KIND_POD_GROUP);
    ck_assert_int_eq(g->min_count, 3);
    ck_assert_uint_eq(g->pods_len, 3);
}
END_TEST

START_TEST(members_run_already) {
    cluster_pods(c, "m", 1, (struct pod){.labels = forms[_i].labels, .annotations = forms[_i].annotations});
    cluster_running(c, "a", (struct pod){.labels = forms[_i].labels, .annotations = forms[_i].annotations});
    ASSERT_DECIDED(cluster_group(c, "g"), MU_WAIT, MU_REASON_MEMBERS_MISSING, "2 of 3 members are created");
    ck_assert(cluster_group(c, "g")->broken);
}
END_TEST

START_TEST(counts_contradict_each_other) {
    cluster_pod(c, "a", (struct pod){.labels = forms[_i].labels, .annotations = forms[_i].annotations});
    cluster_pod(c, "b", (struct pod){.labels = name_only(_i), .annotations = forms[_i].other_annotations});
    const struct mu_group *g = cluster_group(c, "g");
    ASSERT_DECIDED(g, MU_PENDING, MU_REASON_INVALID_GROUP, "is 3 on pod a and 4 on pod b");
    ASSERT_DECIDED(g, MU_PENDING, MU_REASON_INVALID_GROUP, forms[_i].count_key);
}
END_TEST

START_TEST(a_count_is_no_number) {
    cluster_pod(c, "a", (struct pod){.labels = name_only(_i), .annotations = forms[_i].no_number});
    ASSERT_DECIDED(cluster_group(c, "g"), MU_PENDING, MU_REASON_INVALID_GROUP, "\"many\" on pod a");
}
END_TEST

START_TEST(one_member_may_speak_for_all) {
    cluster_pod(c, "a", (struct pod){.labels = forms[0].labels, .annotations = forms[0].annotations});
    cluster_pods(c, "b", 2, (struct pod){.labels = forms[0].labels});
    ASSERT_OPEN(cluster_group(c, "g"));
}
END_TEST

START_TEST(a_count_may_be_absurd) {
    cluster_pod(c, "a",
                (struct pod){.labels = "scheduling.muster.dev/group-name: g, "
                                       "scheduling.muster.dev/min-count: '4611686018427387904'"});
    ASSERT_DECIDED(cluster_group(c, "g"), MU_PENDING, MU_REASON_INVALID_GROUP, "between 0 and 100000");
}
END_TEST

START_TEST(forms_of_one_name_are_different_groups) {
    cluster_pod(c, "a",
                (struct pod){.labels = "kueue.x-k8s.io/pod-group-name: g",
                             .annotations = "kueue.x-k8s.io/pod-group-total-count: '1'"});
    cluster_pod(c, "b",
                (struct pod){.labels = "scheduling.muster.dev/group-name: g, scheduling.muster.dev/min-count: '1'"});
    cluster_build(c);
    ck_assert_uint_eq(c->groups->len, 2);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, each_replica_is_a_gang);
    tcase_add_test(tests, replicas_of_two_revisions_are_two_gangs);
    tcase_add_test(tests, the_set_knows_its_size);
    tcase_add_test(tests, a_leader_does_not_wait_for_workers_that_wait_for_it);
    tcase_add_test(tests, workers_without_their_leader_wait);
    tcase_add_test(tests, nobody_knows_the_size);
    tcase_add_test(tests, a_group_object_comes_before_the_labels);
    tcase_add_loop_test(tests, pods_name_and_count_their_group, 0, 4);
    tcase_add_loop_test(tests, members_run_already, 0, 4);
    tcase_add_loop_test(tests, counts_contradict_each_other, 0, 4);
    tcase_add_loop_test(tests, a_count_is_no_number, 0, 4);
    tcase_add_test(tests, one_member_may_speak_for_all);
    tcase_add_test(tests, a_count_may_be_absurd);
    tcase_add_test(tests, forms_of_one_name_are_different_groups);
}

int main(void) {
    return mu_suite_run("core/groups_forms", add);
}
