/* Members: who counts, who is missing, who cannot go, and when a group is broken. */
#include "tests/unit/core/cluster.h"

#include <stdio.h>

static struct cluster *c;

static void setup(void) {
    c = cluster_new();
}

static void teardown(void) {
    cluster_free(c);
}

#define MEMBER .spec = "schedulingGroup: {podGroupName: g}"

static void gang(int minimum) {
    cluster_add(c,
                "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {namespace: default, name: g}, "
                "spec: {schedulingPolicy: {gang: {minCount: %d}}}}",
                minimum);
}

static void roles(int minimum, const char *of_roles) {
    cluster_add(c,
                "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {namespace: default, name: g}, "
                "spec: {minMember: %d, minTaskMember: {%s}}}",
                minimum, of_roles);
}

#define OF_ROLE(role) .annotations = "scheduling.k8s.io/group-name: g, volcano.sh/task-spec: " role

START_TEST(those_that_run_or_are_done_count) {
    gang(5);
    cluster_running(c, "bound", (struct pod){MEMBER, .status = "phase: Pending"});
    cluster_running(c, "runs", (struct pod){MEMBER});
    cluster_running(c, "done", (struct pod){MEMBER, .status = "phase: Succeeded"});
    cluster_running(c, "failed", (struct pod){MEMBER, .status = "phase: Failed"});
    cluster_running(c, "ending", (struct pod){MEMBER, .meta = "deletionTimestamp: '" NOW "'"});
    cluster_running(c, "overdue", (struct pod){MEMBER, .meta = "deletionTimestamp: '2026-03-02T11:59:59Z'"});
    cluster_pod(c, "new", (struct pod){MEMBER});
    const struct mu_group *g = cluster_group(c, "g");
    ASSERT_OPEN(g);
    ck_assert_int_eq(g->root->part->counted, 4);
    ck_assert_uint_eq(g->root->part->ready_len, 1);
    ck_assert_uint_eq(g->root->part->running_len, 4); /* the overdue one still holds its place */
    ck_assert_uint_eq(g->pods_len, 1);
}
END_TEST

START_TEST(those_that_are_done_count_for_ever) {
    gang(2);
    cluster_running(c, "done",
                    (struct pod){MEMBER, .status = "phase: Succeeded",
                                 .meta = "deletionTimestamp: '2026-03-02T11:00:00Z'"});
    cluster_pod(c, "new", (struct pod){MEMBER});
    ASSERT_OPEN(cluster_group(c, "g"));
    ck_assert_int_eq(cluster_group(c, "g")->root->part->counted, 1);
    ck_assert_uint_eq(cluster_group(c, "g")->root->part->running_len, 0);
}
END_TEST

START_TEST(missing_members_are_counted) {
    gang(5);
    cluster_pods(c, "m", 3, (struct pod){MEMBER});
    cluster_running(c, "runs", (struct pod){MEMBER});
    const struct mu_group *g = cluster_group(c, "g");
    ASSERT_DECIDED(g, MU_WAIT, MU_REASON_MEMBERS_MISSING, "4 of 5 members are created");
    ck_assert_int_eq(g->pods[0].decision, MU_WAIT);
    ck_assert_int_eq(g->pods[0].reason, MU_REASON_NONE);
    ck_assert(g->pods[0].ready);
}
END_TEST

START_TEST(members_that_ended_are_said_to_be_no_help) {
    gang(3);
    cluster_pods(c, "m", 2, (struct pod){MEMBER});
    cluster_running(c, "failed", (struct pod){MEMBER, .status = "phase: Failed"});
    ASSERT_DECIDED(cluster_group(c, "g"), MU_WAIT, MU_REASON_MEMBERS_MISSING,
                   "2 of 3 members are created, 1 more ended or are being deleted and do not count");
}
END_TEST

START_TEST(a_role_may_miss_members) {
    roles(4, "ps: 2, worker: 2");
    cluster_pod(c, "a", (struct pod){OF_ROLE("ps")});
    cluster_pods(c, "w", 3, (struct pod){OF_ROLE("worker")});
    ASSERT_DECIDED(cluster_group(c, "g"), MU_WAIT, MU_REASON_MEMBERS_MISSING, "role ps: 1 of 2 members are created");
}
END_TEST

START_TEST(roles_are_sorted_out) {
    roles(3, "master: 1, worker: 2");
    cluster_pod(c, "a", (struct pod){OF_ROLE("worker")});
    cluster_pod(c, "b", (struct pod){OF_ROLE("master")});
    cluster_pod(c, "d", (struct pod){OF_ROLE("spare")});
    cluster_running(c, "e", (struct pod){OF_ROLE("worker")});
    const struct mu_part *part = cluster_group(c, "g")->root->part;
    ASSERT_OPEN(cluster_group(c, "g"));
    ck_assert_uint_eq(part->roles_len, 2);
    ASSERT_SYM(c, part->roles[0].name, "master");
    ck_assert_int_eq(part->roles[0].counted, 0);
    ck_assert_int_eq(part->roles[1].minimum, 2);
    ck_assert_int_eq(part->roles[1].counted, 1);
    ck_assert_uint_eq(part->ready_role[0], 1);
    ck_assert_uint_eq(part->ready_role[1], 0);
    ck_assert_uint_eq(part->ready_role[2], UINT32_MAX);
}
END_TEST

START_TEST(a_gated_member_that_is_needed_holds_the_group) {
    gang(3);
    cluster_pods(c, "m", 2, (struct pod){MEMBER});
    cluster_pod(c, "n", (struct pod){.spec = "schedulingGroup: {podGroupName: g}, schedulingGates: [{name: a.b/c}]"});
    const struct mu_group *g = cluster_group(c, "g");
    ASSERT_DECIDED(g, MU_WAIT, MU_REASON_SCHEDULING_GATED, "2 of 3 members that are needed have no scheduling gate");
    ASSERT_DECIDED(g, MU_WAIT, MU_REASON_SCHEDULING_GATED, "n: scheduling gate a.b/c is set");
    ASSERT_DECIDED(&g->pods[2], MU_WAIT, MU_REASON_SCHEDULING_GATED, "scheduling gate a.b/c is set");
}
END_TEST

START_TEST(a_gated_member_more_than_needed_waits_alone) {
    gang(2);
    cluster_pods(c, "m", 2, (struct pod){MEMBER});
    cluster_pod(c, "n", (struct pod){.spec = "schedulingGroup: {podGroupName: g}, schedulingGates: [{name: a.b/c}]"});
    const struct mu_group *g = cluster_group(c, "g");
    ASSERT_OPEN(g);
    ck_assert_uint_eq(g->root->part->ready_len, 2);
    ASSERT_DECIDED(&g->pods[2], MU_WAIT, MU_REASON_SCHEDULING_GATED, "a.b/c");
    ck_assert(!g->pods[2].ready);
}
END_TEST

START_TEST(a_role_may_be_gated) {
    roles(2, "ps: 1");
    cluster_pods(c, "w", 2, (struct pod){OF_ROLE("worker")});
    cluster_pod(c, "p", (struct pod){OF_ROLE("ps"), .spec = "schedulingGates: [{name: a.b/c}]"});
    ASSERT_DECIDED(cluster_group(c, "g"), MU_WAIT, MU_REASON_SCHEDULING_GATED,
                   "role ps: 0 of 1 members that are needed have no scheduling gate");
}
END_TEST

START_TEST(a_lone_pod_may_be_gated) {
    cluster_pod(c, "p", (struct pod){.spec = "schedulingGates: [{name: a.b/c}, {name: d}]"});
    ASSERT_DECIDED(cluster_group(c, "p"), MU_WAIT, MU_REASON_SCHEDULING_GATED, "scheduling gate a.b/c is set");
}
END_TEST

#define SENSELESS "resources: {requests: {cpu: -1}}"

START_TEST(a_senseless_member_that_is_needed_refuses_the_group) {
    gang(2);
    cluster_pod(c, "a", (struct pod){MEMBER});
    cluster_pod(c, "b", (struct pod){.spec = "schedulingGroup: {podGroupName: g}, " SENSELESS});
    const struct mu_group *g = cluster_group(c, "g");
    ASSERT_DECIDED(g, MU_PENDING, MU_REASON_INVALID_GROUP, "1 of 2 members that are needed make sense (b: ");
    ASSERT_DECIDED(&g->pods[1], MU_PENDING, MU_REASON_INVALID_GROUP, "");
    ck_assert_uint_gt(g->pods[1].message.len, 0);
    ck_assert_int_eq(g->pods[0].reason, MU_REASON_NONE);
}
END_TEST

START_TEST(a_senseless_member_more_than_needed_is_refused_alone) {
    gang(1);
    cluster_pod(c, "a", (struct pod){MEMBER});
    cluster_pod(c, "b", (struct pod){.spec = "schedulingGroup: {podGroupName: g}, " SENSELESS});
    ASSERT_OPEN(cluster_group(c, "g"));
    ASSERT_DECIDED(cluster_group_pod(c, "b"), MU_PENDING, MU_REASON_INVALID_GROUP, "");
}
END_TEST

START_TEST(a_senseless_lone_pod_is_refused) {
    cluster_pod(c, "p", (struct pod){.spec = SENSELESS});
    const struct mu_group *g = cluster_group(c, "p");
    ASSERT_DECIDED(g, MU_PENDING, MU_REASON_INVALID_GROUP, "");
    ck_assert(mu_str_eq(g->message, g->pods[0].pod->meta.invalid));
}
END_TEST

static void claim(const char *name, const char *status) {
    cluster_add(
        c,
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: %s, namespace: default, uid: %s}\n"
        "spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}\nstatus: {%s}",
        name, name, status);
}

#define ALLOCATED "allocation: {devices: {results: [{request: gpu, driver: d, pool: p, device: gpu-0}]}}"

static const struct {
    const char *status; /* of the claim; NULL: there is none */
    const char *pod_status;
    enum mu_decision decision;
    enum mu_reason reason;
    const char *has;
} claims[] = {
    {NULL, "", MU_WAIT, MU_REASON_CLAIM_NOT_FOUND, "card does not exist"},
    {"", "", MU_PENDING, MU_REASON_NONE, ""},
    {ALLOCATED, "", MU_PENDING, MU_REASON_NONE, ""},
};

START_TEST(a_claim_that_is_named) {
    if (claims[_i].status)
        claim("card", claims[_i].status);
    cluster_pod(c, "p", (struct pod){.spec = "resourceClaims: [{name: gpu, resourceClaimName: card}]"});
    const struct mu_group *g = cluster_group(c, "p");
    ck_assert_int_eq(g->reason, claims[_i].reason);
    ASSERT_DECIDED(g, claims[_i].decision, claims[_i].reason, claims[_i].has);
}
END_TEST

START_TEST(a_claim_from_a_template_has_the_name_in_the_status) {
    claim("p-gpu-x7x2k", ALLOCATED);
    cluster_pod(c, "p",
                (struct pod){.spec = "resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]",
                             .status = "phase: Pending, resourceClaimStatuses: [{name: gpu, resourceClaimName: "
                                       "p-gpu-x7x2k}]"});
    cluster_pod(c, "q", (struct pod){.spec = "resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]"});
    cluster_pod(c, "r",
                (struct pod){.spec = "resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]",
                             .status = "phase: Pending, resourceClaimStatuses: [{name: gpu}]"});
    ASSERT_OPEN(cluster_group(c, "p"));
    ASSERT_DECIDED(cluster_group(c, "q"), MU_WAIT, MU_REASON_CLAIM_NOT_FOUND, "not made from template one yet");
    ASSERT_OPEN(cluster_group(c, "r")); /* it needs none, says its status */
}
END_TEST

START_TEST(a_claim_of_the_group_serves_its_pods) {
    claim("shared", ALLOCATED);
    cluster_add(c, "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: h, namespace: default}\n"
                   "spec: {schedulingPolicy: {gang: {minCount: 1}}, resourceClaims: [{name: gpu, "
                   "resourceClaimTemplateName: t}]}\nstatus: {resourceClaimStatuses: [{name: gpu, resourceClaimName: "
                   "shared}]}");
    cluster_pod(c, "a",
                (struct pod){.spec = "schedulingGroup: {podGroupName: h}, resourceClaims: [{name: gpu, "
                                     "resourceClaimTemplateName: t}]"});
    cluster_pod(c, "b",
                (struct pod){.spec = "schedulingGroup: {podGroupName: h}, resourceClaims: [{name: gpu, "
                                     "resourceClaimTemplateName: another}]"});
    const struct mu_group *g = cluster_group(c, "h");
    ASSERT_OPEN(g);
    ck_assert_uint_eq(g->root->part->ready_claims[0].len, 1);
    ck_assert(g->root->part->ready_claims[0].items[0].of_group);
    ASSERT_DECIDED(cluster_group_pod(c, "b"), MU_WAIT, MU_REASON_CLAIM_NOT_FOUND, "template another");
}
END_TEST

START_TEST(a_claim_has_256_users) {
    claim("card", "");
    gang(_i);
    cluster_pods(c, "m", 257,
                 (struct pod){.spec = "schedulingGroup: {podGroupName: g}, resourceClaims: [{name: gpu, "
                                      "resourceClaimName: card}]"});
    if (_i == 257)
        ASSERT_DECIDED(cluster_group(c, "g"), MU_PENDING, MU_REASON_INVALID_CLAIM, "256 of 257");
    else
        ASSERT_OPEN(cluster_group(c, "g"));
}
END_TEST

START_TEST(a_claim_more_than_needed_is_left_alone) {
    gang(1);
    cluster_pod(c, "a", (struct pod){MEMBER});
    cluster_pod(c, "b",
                (struct pod){.spec = "schedulingGroup: {podGroupName: g}, "
                                     "resourceClaims: [{name: gpu, resourceClaimName: card}]"});
    ASSERT_OPEN(cluster_group(c, "g"));
    ASSERT_DECIDED(cluster_group_pod(c, "b"), MU_WAIT, MU_REASON_CLAIM_NOT_FOUND, "card does not exist");
}
END_TEST

START_TEST(a_senseless_minimum_is_refused) {
    const char *const minimums[] = {"-3", "4611686018427387904", "100001"};
    cluster_add(c,
                "{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {namespace: default, name: g}, "
                "spec: {minMember: %s}}",
                minimums[_i]);
    cluster_pod(c, "a", (struct pod){.labels = "scheduling.x-k8s.io/pod-group: g"});
    ASSERT_DECIDED(cluster_group(c, "g"), MU_PENDING, MU_REASON_INVALID_GROUP, "");
    ck_assert_uint_gt(cluster_group(c, "g")->message.len, 0);
}
END_TEST

START_TEST(the_largest_minimum_is_none_too_large) {
    gang(100000);
    cluster_pod(c, "a", (struct pod){MEMBER});
    ASSERT_DECIDED(cluster_group(c, "g"), MU_WAIT, MU_REASON_MEMBERS_MISSING, "1 of 100000 members are created");
}
END_TEST

START_TEST(a_senseless_role_is_refused) {
    roles(1, "ps: 100001");
    cluster_pod(c, "p", (struct pod){OF_ROLE("ps")});
    ASSERT_DECIDED(cluster_group(c, "g"), MU_PENDING, MU_REASON_INVALID_GROUP, "role ps");
}
END_TEST

START_TEST(a_minimum_of_zero_still_wants_something) {
    roles(0, "");
    cluster_pods(c, "p", 2, (struct pod){OF_ROLE("any"), .spec = "schedulingGates: [{name: a.b/c}]"});
    ASSERT_DECIDED(cluster_group(c, "g"), MU_WAIT, MU_REASON_SCHEDULING_GATED, "0 of 1");
    ck_assert_int_eq(cluster_group(c, "g")->min_count, 0);
}
END_TEST

START_TEST(basic_is_no_gang) {
    cluster_add(c, "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {namespace: default, name: g}, "
                   "spec: {schedulingPolicy: {basic: {}}}}");
    cluster_pods(c, "m", 3, (struct pod){MEMBER});
    cluster_running(c, "failed", (struct pod){MEMBER, .status = "phase: Failed"});
    const struct mu_group *g = cluster_group(c, "g");
    ASSERT_OPEN(g);
    ck_assert_int_eq(g->min_count, 1);
    ck_assert(g->root->part->basic);
    ck_assert_uint_eq(g->root->part->ready_len, 3);
    ck_assert(!g->broken);
}
END_TEST

/* ------------------------------------------------------------------ broken gangs */

static void marked(const char *annotations) {
    cluster_add(c,
                "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {namespace: default, name: g, "
                "annotations: {%s}}, spec: {schedulingPolicy: {gang: {minCount: 2}}}}",
                annotations);
}

static int64_t at(const char *text) {
    int64_t ns;
    ck_assert(mu_time_parse(mu_str_from(text), &ns));
    return ns;
}

START_TEST(a_started_gang_below_its_minimum_is_broken) {
    marked("");
    cluster_running(c, "runs", (struct pod){MEMBER});
    cluster_pod(c, "new", (struct pod){MEMBER});
    const struct mu_group *g = cluster_group(c, "g");
    ck_assert(g->broken);
    ck_assert_int_eq(g->broken_since_ns, at(NOW));
    ck_assert_int_eq(g->grace_ns, MU_DEFAULT_GANG_GRACE_NS);
}
END_TEST

START_TEST(a_gang_that_did_not_start_is_whole) {
    marked("");
    cluster_pods(c, "new", 2, (struct pod){MEMBER});
    ck_assert(!cluster_group(c, "g")->broken);
    ck_assert_int_eq(cluster_group(c, "g")->broken_since_ns, MU_TIME_NONE);
}
END_TEST

START_TEST(a_gang_with_surplus_missing_is_whole) {
    marked("scheduling.muster.dev/broken-since: '2026-03-02T11:00:00Z'");
    cluster_running(c, "a", (struct pod){MEMBER});
    cluster_running(c, "b", (struct pod){MEMBER});
    cluster_pod(c, "new", (struct pod){MEMBER});
    ck_assert(!cluster_group(c, "g")->broken);
}
END_TEST

START_TEST(the_annotations_set_the_clock) {
    marked("scheduling.muster.dev/broken-since: '2026-03-02T11:58:00Z', scheduling.muster.dev/grace-period: 5m");
    cluster_running(c, "runs", (struct pod){MEMBER});
    cluster_pod(c, "new", (struct pod){MEMBER});
    const struct mu_group *g = cluster_group(c, "g");
    ck_assert_int_eq(g->broken_since_ns, at("2026-03-02T11:58:00Z"));
    ck_assert_int_eq(g->grace_ns, 300 * INT64_C(1000000000));
}
END_TEST

START_TEST(a_grace_of_never_never_ends) {
    marked("scheduling.muster.dev/broken-since: '2026-03-02T01:00:00Z', scheduling.muster.dev/grace-period: never");
    cluster_running(c, "runs", (struct pod){MEMBER});
    cluster_pod(c, "new", (struct pod){MEMBER});
    ck_assert_int_eq(cluster_group(c, "g")->grace_ns, MU_TIME_NONE);
}
END_TEST

START_TEST(a_senseless_grace_is_refused) {
    marked("scheduling.muster.dev/grace-period: soon");
    cluster_pods(c, "new", 2, (struct pod){MEMBER});
    ASSERT_DECIDED(cluster_group(c, "g"), MU_PENDING, MU_REASON_INVALID_GROUP, "\"soon\", which is no duration");
}
END_TEST

START_TEST(a_broken_gang_without_pending_pods_is_listed_when_its_grace_is_over) {
    const char *const since[] = {"2026-03-02T11:59:00Z", "2026-03-02T11:59:01Z"};
    char annotation[128];
    snprintf(annotation, sizeof annotation, "scheduling.muster.dev/broken-since: '%s'", since[_i]);
    marked(annotation);
    cluster_running(c, "runs", (struct pod){MEMBER});
    cluster_build(c);
    ck_assert_uint_eq(c->groups->len, _i == 0);
    if (_i == 0) {
        const struct mu_group *g = cluster_group(c, "g");
        ck_assert(g->broken);
        ck_assert_uint_eq(g->pods_len, 0);
        ck_assert_ptr_eq(g->profile, &c->profiles[0]);
    }
}
END_TEST

START_TEST(what_others_placed_is_not_ours_to_clear_away) {
    marked("scheduling.muster.dev/broken-since: '2026-03-02T10:00:00Z'");
    cluster_running(c, "runs", (struct pod){MEMBER, .scheduler = "volcano"});
    cluster_build(c);
    ck_assert_uint_eq(c->groups->len, 0);
}
END_TEST

START_TEST(a_gang_that_lost_all_is_broken_but_has_nothing_to_evict) {
    marked("scheduling.muster.dev/broken-since: '2026-03-02T10:00:00Z'");
    cluster_pods(c, "new", 2, (struct pod){MEMBER});
    ck_assert(cluster_group(c, "g")->broken);
    ck_assert_int_eq(cluster_group(c, "g")->grace_ns, MU_TIME_NONE);
}
END_TEST

START_TEST(a_role_below_its_minimum_breaks_the_gang) {
    roles(2, "ps: 1");
    cluster_running(c, "a", (struct pod){OF_ROLE("worker")});
    cluster_running(c, "b", (struct pod){OF_ROLE("worker")});
    cluster_pod(c, "p", (struct pod){OF_ROLE("ps")});
    ck_assert(cluster_group(c, "g")->broken);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, those_that_run_or_are_done_count);
    tcase_add_test(tests, those_that_are_done_count_for_ever);
    tcase_add_test(tests, missing_members_are_counted);
    tcase_add_test(tests, members_that_ended_are_said_to_be_no_help);
    tcase_add_test(tests, a_role_may_miss_members);
    tcase_add_test(tests, roles_are_sorted_out);
    tcase_add_test(tests, a_gated_member_that_is_needed_holds_the_group);
    tcase_add_test(tests, a_gated_member_more_than_needed_waits_alone);
    tcase_add_test(tests, a_role_may_be_gated);
    tcase_add_test(tests, a_lone_pod_may_be_gated);
    tcase_add_test(tests, a_senseless_member_that_is_needed_refuses_the_group);
    tcase_add_test(tests, a_senseless_member_more_than_needed_is_refused_alone);
    tcase_add_test(tests, a_senseless_lone_pod_is_refused);
    tcase_add_loop_test(tests, a_claim_that_is_named, 0, (int)(sizeof claims / sizeof *claims));
    tcase_add_test(tests, a_claim_from_a_template_has_the_name_in_the_status);
    tcase_add_test(tests, a_claim_of_the_group_serves_its_pods);
    tcase_add_loop_test(tests, a_claim_has_256_users, 256, 258);
    tcase_add_test(tests, a_claim_more_than_needed_is_left_alone);
    tcase_add_loop_test(tests, a_senseless_minimum_is_refused, 0, 3);
    tcase_add_test(tests, the_largest_minimum_is_none_too_large);
    tcase_add_test(tests, a_senseless_role_is_refused);
    tcase_add_test(tests, a_minimum_of_zero_still_wants_something);
    tcase_add_test(tests, basic_is_no_gang);
    tcase_add_test(tests, a_started_gang_below_its_minimum_is_broken);
    tcase_add_test(tests, a_gang_that_did_not_start_is_whole);
    tcase_add_test(tests, a_gang_with_surplus_missing_is_whole);
    tcase_add_test(tests, the_annotations_set_the_clock);
    tcase_add_test(tests, a_grace_of_never_never_ends);
    tcase_add_test(tests, a_senseless_grace_is_refused);
    tcase_add_loop_test(tests, a_broken_gang_without_pending_pods_is_listed_when_its_grace_is_over, 0, 2);
    tcase_add_test(tests, what_others_placed_is_not_ours_to_clear_away);
    tcase_add_test(tests, a_gang_that_lost_all_is_broken_but_has_nothing_to_evict);
    tcase_add_test(tests, a_role_below_its_minimum_breaks_the_gang);
}

int main(void) {
    return mu_suite_run("core/groups_members", add);
}
