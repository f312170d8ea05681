/* Groups of every API, each with all the fields it has. */
#include "tests/unit/objects/load.h"

#define NATIVE(version, kind) "---\napiVersion: scheduling.k8s.io/" version "\nkind: " kind "\nmetadata: {name: g}\n"

static struct loaded loaded;

static void teardown(void) {
    unload(&loaded);
}

static const struct mu_group_object *read_group(const char *yaml) {
    loaded = load_ok(yaml);
    ck_assert_uint_eq(loaded.store->groups.len, 1);
    return loaded.store->groups.items[0];
}

START_TEST(native) {
    const struct mu_group_object *group =
        read_group(NATIVE("v1beta1", "PodGroup") "spec:\n"
                                                 "  parentCompositePodGroupName: top\n"
                                                 "  schedulingPolicy: {gang: {minCount: 4}}\n"
                                                 "  schedulingConstraints: {topology: [{key: rack}]}\n"
                                                 "  resourceClaims:\n"
                                                 "  - {name: a, resourceClaimName: shared}\n"
                                                 "  - {name: b, resourceClaimTemplateName: t}\n"
                                                 "  disruptionMode: {all: {}}\n"
                                                 "  priorityClassName: high\n"
                                                 "  priority: 12\n"
                                                 "  preemptionPolicy: Never\n"
                                                 "status:\n"
                                                 "  resourceClaimStatuses: [{name: b, resourceClaimName: g-b}]\n");
    ck_assert_int_eq(group->api, MU_GROUP_NATIVE);
    ck_assert_int_eq(group->basic, false);
    ck_assert_int_eq(group->min_count, 4);
    ck_assert_str_eq(syms_text(&loaded, group->topology_keys, group->topology_keys_len), "rack");
    ck_assert_uint_eq(group->claims_len, 2);
    ck_assert_str_eq(text_of(&loaded, group->claims[0].claim), "shared");
    ck_assert_str_eq(text_of(&loaded, group->claims[1].claim_template), "t");
    ck_assert_uint_eq(group->claim_statuses_len, 1);
    ck_assert_str_eq(text_of(&loaded, group->claim_statuses[0].claim), "g-b");
    ck_assert_int_eq(group->has_priority, true);
    ck_assert_int_eq(group->priority, 12);
    ck_assert_str_eq(text_of(&loaded, group->priority_class), "high");
    ck_assert_int_eq(group->preemption, MU_PREEMPT_NEVER);
    ck_assert_int_eq(group->disrupt_together, true);
    ck_assert_str_eq(text_of(&loaded, group->parent), "top");
}
END_TEST

START_TEST(native_of_1_36) {
    const struct mu_group_object *group =
        read_group(NATIVE("v1alpha2", "PodGroup") "spec:\n"
                                                  "  podGroupTemplateRef: {workload: {workloadName: w}}\n"
                                                  "  schedulingPolicy: {gang: {minCount: 2}}\n"
                                                  "  disruptionMode: PodGroup\n");
    ck_assert_int_eq(group->min_count, 2);
    ck_assert_int_eq(group->disrupt_together, true);
    ck_assert_int_eq(group->has_priority, false);
    ck_assert_int_eq(group->preemption, MU_PREEMPTION_UNSET);
}
END_TEST

START_TEST(native_disrupted_one_by_one) {
    const struct mu_group_object *group =
        read_group(NATIVE("v1alpha2", "PodGroup") "spec: {schedulingPolicy: {basic: {}}, disruptionMode: Pod}\n");
    ck_assert_int_eq(group->disrupt_together, false);
    ck_assert_int_eq(group->basic, true);
    ck_assert_int_eq(group->min_count, 1);
    ck_assert_uint_eq(group->meta.invalid.len, 0);
}
END_TEST

START_TEST(composite) {
    const struct mu_group_object *group =
        read_group(NATIVE("v1alpha3", "CompositePodGroup") "spec: {schedulingPolicy: {gang: {minGroupCount: 3}},"
                                                           " disruptionMode: {single: {}}}\n");
    ck_assert_int_eq(group->api, MU_GROUP_COMPOSITE);
    ck_assert_int_eq(group->min_count, 3);
    ck_assert_int_eq(group->disrupt_together, false);
}
END_TEST

START_TEST(coscheduling) {
    const struct mu_group_object *group = read_group(
        "---\n{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g, namespace: x}, spec:"
        " {minMember: 5, minResources: {cpu: 2500m, nvidia.com/gpu: '4'}}, status: {phase: Running}}\n");
    ck_assert_int_eq(group->api, MU_GROUP_COSCHEDULING);
    ck_assert_int_eq(group->min_count, 5);
    ck_assert_str_eq(amounts_text(&loaded, group->min_resources, group->min_resources_len),
                     "cpu=2500 nvidia.com/gpu=4");
    ck_assert_str_eq(text_of(&loaded, group->phase), "Running");
}
END_TEST

START_TEST(volcano) {
    const struct mu_group_object *group =
        read_group("---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g}, spec:"
                   " {minMember: 3, minTaskMember: {worker: 2, master: 1}, queue: research, priorityClassName: high,"
                   " minResources: {memory: 1Ki}}, status: {phase: Inqueue}}\n");
    ck_assert_int_eq(group->api, MU_GROUP_VOLCANO);
    ck_assert_int_eq(group->min_count, 3);
    ck_assert_uint_eq(group->roles_len, 2);
    ck_assert_str_eq(text_of(&loaded, group->roles[0].name), "master");
    ck_assert_int_eq(group->roles[0].minimum, 1);
    ck_assert_str_eq(text_of(&loaded, group->roles[1].name), "worker");
    ck_assert_int_eq(group->roles[1].minimum, 2);
    ck_assert_str_eq(text_of(&loaded, group->queue), "research");
    ck_assert_str_eq(text_of(&loaded, group->phase), "Inqueue");
    ck_assert_int_eq(group->has_priority, false); /* there is no class of that name */
}
END_TEST

START_TEST(leader_worker_set) {
    const struct mu_group_object *group =
        read_group("---\n{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: g, uid: u},"
                   " spec: {replicas: 2, startupPolicy: LeaderReady, leaderWorkerTemplate: {size: 4}}}\n");
    ck_assert_int_eq(group->api, MU_GROUP_LWS);
    ck_assert_int_eq(group->min_count, 4);
    ck_assert_int_eq(group->leader_ready, true);
}
END_TEST

START_TEST(a_groups_class_gives_its_priority) {
    const struct mu_group_object *group =
        read_group("---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 9,"
                   " preemptionPolicy: Never}\n" NATIVE(
                       "v1beta1", "PodGroup") "spec: {schedulingPolicy: {basic: {}}, priorityClassName: high}\n");
    ck_assert_int_eq(group->has_priority, true);
    ck_assert_int_eq(group->priority, 9);
    ck_assert_int_eq(group->preemption, MU_PREEMPT_NEVER);
}
END_TEST

static const struct {
    const char *yaml, *invalid;
} senseless[] = {
    {NATIVE("v1beta1", "PodGroup") "spec: {schedulingPolicy: {gang: {minCount: -1}}}\n",
     "spec.schedulingPolicy.gang.minCount: must be from 1 to 2147483647, is -1"},
    {NATIVE("v1beta1", "PodGroup") "spec: {schedulingPolicy: {gang: {minCount: 0}}}\n",
     "spec.schedulingPolicy.gang.minCount: must be from 1 to 2147483647, is 0"},
    {NATIVE("v1beta1", "PodGroup") "spec: {schedulingPolicy: {gang: {minCount: 4611686018427387904}}}\n",
     "spec.schedulingPolicy.gang.minCount: must be from 1 to 2147483647, is 4611686018427387904"},
    {NATIVE("v1beta1", "PodGroup") "spec: {schedulingPolicy: {gang: {}}}\n",
     "spec.schedulingPolicy.gang.minCount: is missing"},
    {NATIVE("v1beta1", "PodGroup") "spec: {schedulingPolicy: {gang: {minCount: 2}, basic: {}}}\n",
     "spec.schedulingPolicy: must have one of basic and gang"},
    {NATIVE("v1beta1", "PodGroup"), "spec.schedulingPolicy: must have one of basic and gang"},
    {NATIVE("v1alpha3", "CompositePodGroup") "spec: {schedulingPolicy: {gang: {minGroupCount: -2}}}\n",
     "spec.schedulingPolicy.gang.minGroupCount: must be from 1 to 2147483647, is -2"},
    {"---\n{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g}, spec: {minMember: -5}}\n",
     "spec.minMember: must be from 0 to 2147483647, is -5"},
    {"---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g}, spec: {minTaskMember:"
     " {w: -5}}}\n",
     "spec.minTaskMember.w: must be from 0 to 2147483647, is -5"},
    {NATIVE("v1alpha2", "PodGroup") "spec: {schedulingPolicy: {basic: {}}, disruptionMode: Whole}\n",
     "spec.disruptionMode: has the unknown value \"Whole\""},
};

START_TEST(senseless_groups_are_kept_and_say_so) {
    ck_assert_str_eq(read_group(senseless[_i].yaml)->meta.invalid.ptr, senseless[_i].invalid);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_test(tests, native);
    tcase_add_test(tests, native_of_1_36);
    tcase_add_test(tests, native_disrupted_one_by_one);
    tcase_add_test(tests, composite);
    tcase_add_test(tests, coscheduling);
    tcase_add_test(tests, volcano);
    tcase_add_test(tests, leader_worker_set);
    tcase_add_test(tests, a_groups_class_gives_its_priority);
    tcase_add_loop_test(tests, senseless_groups_are_kept_and_say_so, 0, sizeof senseless / sizeof *senseless);
}

int main(void) {
    return mu_suite_run("decode_group", add_tests);
}
