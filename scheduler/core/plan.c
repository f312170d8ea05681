/* Plan: the words of the contract, and what a plan comes to in sum. */
#include "scheduler/core/plan.h"
#include <assert.h>

static const char *const decision_names[] = {
    [MU_BIND] = "Bind", [MU_PREEMPT] = "Preempt", [MU_WAIT] = "Wait", [MU_PENDING] = "Pending", [MU_EVICT] = "Evict",
};
static_assert(sizeof decision_names / sizeof *decision_names == MU_DECISION_COUNT, "every decision has a name");

static const char *const reason_names[] = {
    [MU_REASON_NONE] = "",
    [MU_REASON_MEMBERS_MISSING] = "MembersMissing",
    [MU_REASON_GROUP_NOT_FOUND] = "GroupNotFound",
    [MU_REASON_SCHEDULING_GATED] = "SchedulingGated",
    [MU_REASON_QUEUE_NOT_FOUND] = "QueueNotFound",
    [MU_REASON_QUEUE_CLOSED] = "QueueClosed",
    [MU_REASON_CLAIM_NOT_FOUND] = "ClaimNotFound",
    [MU_REASON_WAITING_FOR_PREPARATION] = "WaitingForPreparation",
    [MU_REASON_WAITING_FOR_VICTIMS] = "WaitingForVictims",
    [MU_REASON_WAITING_FOR_TERMINATION] = "WaitingForTermination",
    [MU_REASON_INVALID_GROUP] = "InvalidGroup",
    [MU_REASON_INVALID_CLAIM] = "InvalidClaim",
    [MU_REASON_QUEUE_FORBIDDEN] = "QueueForbidden",
    [MU_REASON_QUOTA_EXCEEDED] = "QuotaExceeded",
    [MU_REASON_INSUFFICIENT_RESOURCES] = "InsufficientResources",
    [MU_REASON_INSUFFICIENT_DEVICES] = "InsufficientDevices",
    [MU_REASON_NODE_CONSTRAINTS] = "NodeConstraints",
    [MU_REASON_TOPOLOGY_UNSATISFIED] = "TopologyUnsatisfied",
    [MU_REASON_VOLUME_UNSATISFIED] = "VolumeUnsatisfied",
    [MU_REASON_RESERVED_FOR_OTHER] = "ReservedForOther",
    [MU_REASON_SEARCH_BUDGET_EXHAUSTED] = "SearchBudgetExhausted",
    [MU_REASON_UNSUPPORTED] = "Unsupported",
    [MU_REASON_GANG_BROKEN] = "GangBroken",
};
static_assert(sizeof reason_names / sizeof *reason_names == MU_REASON_COUNT, "every reason has a name");

const char *mu_decision_name(enum mu_decision decision) {
    MU_ASSERT(decision < MU_DECISION_COUNT);
    return decision_names[decision];
}

const char *mu_reason_name(enum mu_reason reason) {
    MU_ASSERT(reason < MU_REASON_COUNT);
    return reason_names[reason];
}

const char *mu_group_kind_name(enum mu_group_kind kind) {
    switch (kind) {
    case MU_KIND_POD_GROUP:
        return "PodGroup";
    case MU_KIND_COMPOSITE:
        return "CompositePodGroup";
    case MU_KIND_POD:
        return "Pod";
    }
    mu_assert_failed(__FILE__, __LINE__, "a kind of group");
}

/* No pod is a victim of two groups: the first one's eviction already gave its room away. */
struct mu_plan_summary mu_plan_summarise(const struct mu_plan *plan) {
    struct mu_plan_summary summary = {.groups = plan->groups_len};
    for (uint32_t i = 0; i < plan->groups_len; i++) {
        const struct mu_plan_group *group = &plan->groups[i];
        summary.by_decision[group->decision]++;
        for (uint32_t j = 0; j < group->pods_len; j++)
            summary.pods_bound += group->pods[j].decision == MU_BIND;
        summary.evictions += group->victims_len;
    }
    return summary;
}

int mu_plan_exit_status(const struct mu_plan *plan) {
    for (uint32_t i = 0; i < plan->groups_len; i++)
        if (plan->groups[i].decision != MU_BIND)
            return 1;
    return 0;
}
