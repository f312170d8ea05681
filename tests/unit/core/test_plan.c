/* Plan: every word is that of the contract, and the sums are right. */
#include "scheduler/core/plan.h"
#include "tests/lib/suite.h"

START_TEST(decisions_have_the_words_of_the_contract) {
    ck_assert_str_eq(mu_decision_name(MU_BIND), "Bind");
    ck_assert_str_eq(mu_decision_name(MU_PREEMPT), "Preempt");
    ck_assert_str_eq(mu_decision_name(MU_WAIT), "Wait");
    ck_assert_str_eq(mu_decision_name(MU_PENDING), "Pending");
    ck_assert_str_eq(mu_decision_name(MU_EVICT), "Evict");
}
END_TEST

START_TEST(kinds_have_the_words_of_the_contract) {
    ck_assert_str_eq(mu_group_kind_name(MU_KIND_POD_GROUP), "PodGroup");
    ck_assert_str_eq(mu_group_kind_name(MU_KIND_COMPOSITE), "CompositePodGroup");
    ck_assert_str_eq(mu_group_kind_name(MU_KIND_POD), "Pod");
}
END_TEST

static const struct {
    enum mu_reason reason;
    const char *name;
} reasons[] = {
    {MU_REASON_NONE, ""},
    {MU_REASON_MEMBERS_MISSING, "MembersMissing"},
    {MU_REASON_GROUP_NOT_FOUND, "GroupNotFound"},
    {MU_REASON_SCHEDULING_GATED, "SchedulingGated"},
    {MU_REASON_QUEUE_NOT_FOUND, "QueueNotFound"},
    {MU_REASON_QUEUE_CLOSED, "QueueClosed"},
    {MU_REASON_CLAIM_NOT_FOUND, "ClaimNotFound"},
    {MU_REASON_WAITING_FOR_PREPARATION, "WaitingForPreparation"},
    {MU_REASON_WAITING_FOR_VICTIMS, "WaitingForVictims"},
    {MU_REASON_WAITING_FOR_TERMINATION, "WaitingForTermination"},
    {MU_REASON_INVALID_GROUP, "InvalidGroup"},
    {MU_REASON_INVALID_CLAIM, "InvalidClaim"},
    {MU_REASON_QUEUE_FORBIDDEN, "QueueForbidden"},
    {MU_REASON_QUOTA_EXCEEDED, "QuotaExceeded"},
    {MU_REASON_INSUFFICIENT_RESOURCES, "InsufficientResources"},
    {MU_REASON_INSUFFICIENT_DEVICES, "InsufficientDevices"},
    {MU_REASON_NODE_CONSTRAINTS, "NodeConstraints"},
    {MU_REASON_TOPOLOGY_UNSATISFIED, "TopologyUnsatisfied"},
    {MU_REASON_VOLUME_UNSATISFIED, "VolumeUnsatisfied"},
    {MU_REASON_RESERVED_FOR_OTHER, "ReservedForOther"},
    {MU_REASON_SEARCH_BUDGET_EXHAUSTED, "SearchBudgetExhausted"},
    {MU_REASON_UNSUPPORTED, "Unsupported"},
    {MU_REASON_GANG_BROKEN, "GangBroken"},
};

START_TEST(reasons_have_the_words_of_the_contract) {
    ck_assert_int_eq(sizeof reasons / sizeof *reasons, MU_REASON_COUNT);
    ck_assert_int_eq((int)reasons[_i].reason, _i);
    ck_assert_str_eq(mu_reason_name(reasons[_i].reason), reasons[_i].name);
}
END_TEST

START_TEST(an_empty_plan_is_fulfilled) {
    struct mu_plan plan = {NULL, 0};
    struct mu_plan_summary summary = mu_plan_summarise(&plan);
    ck_assert_uint_eq(summary.groups, 0);
    ck_assert_uint_eq(summary.pods_bound, 0);
    ck_assert_int_eq(mu_plan_exit_status(&plan), 0);
}
END_TEST

START_TEST(sums_count_groups_pods_and_victims) {
    struct mu_plan_pod bound[3] = {{.decision = MU_BIND}, {.decision = MU_BIND}, {.decision = MU_PENDING}};
    struct mu_plan_pod nominated[1] = {{.decision = MU_PREEMPT}};
    const struct mu_pod *victims[2] = {NULL, NULL};
    struct mu_plan_group groups[] = {
        {.decision = MU_BIND, .pods = bound, .pods_len = 3},
        {.decision = MU_PREEMPT, .pods = nominated, .pods_len = 1, .victims = victims, .victims_len = 2},
        {.decision = MU_WAIT},
        {.decision = MU_WAIT},
        {.decision = MU_PENDING},
        {.decision = MU_EVICT, .victims = victims, .victims_len = 1},
    };
    struct mu_plan plan = {groups, 6};
    struct mu_plan_summary summary = mu_plan_summarise(&plan);
    ck_assert_uint_eq(summary.groups, 6);
    ck_assert_uint_eq(summary.by_decision[MU_BIND], 1);
    ck_assert_uint_eq(summary.by_decision[MU_PREEMPT], 1);
    ck_assert_uint_eq(summary.by_decision[MU_WAIT], 2);
    ck_assert_uint_eq(summary.by_decision[MU_PENDING], 1);
    ck_assert_uint_eq(summary.by_decision[MU_EVICT], 1);
    ck_assert_uint_eq(summary.pods_bound, 2);
    ck_assert_uint_eq(summary.evictions, 3);
}
END_TEST

START_TEST(only_binding_fulfils_a_plan) {
    struct mu_plan_group groups[] = {{.decision = MU_BIND}, {.decision = (enum mu_decision)_i}};
    struct mu_plan plan = {groups, 2};
    ck_assert_int_eq(mu_plan_exit_status(&plan), _i == MU_BIND ? 0 : 1);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, decisions_have_the_words_of_the_contract);
    tcase_add_test(tests, kinds_have_the_words_of_the_contract);
    tcase_add_loop_test(tests, reasons_have_the_words_of_the_contract, 0, MU_REASON_COUNT);
    tcase_add_test(tests, an_empty_plan_is_fulfilled);
    tcase_add_test(tests, sums_count_groups_pods_and_victims);
    tcase_add_loop_test(tests, only_binding_fulfils_a_plan, 0, MU_DECISION_COUNT);
}

int main(void) {
    return mu_suite_run("core/plan", add);
}
