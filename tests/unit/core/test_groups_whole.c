/* What concerns a whole group: priority, preemption policy, queue, quota, topology. */
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

#define MEMBER .spec = "schedulingGroup: {podGroupName: g}"

static void native(const char *metadata, const char *spec) {
    cluster_add(c,
                "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {namespace: default, name: g, %s}, "
                "spec: {schedulingPolicy: {gang: {minCount: 1}}, %s}}",
                metadata, spec);
}

static void volcano(const char *spec) {
    cluster_add(c,
                "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {namespace: default, name: g}, "
                "spec: {minMember: 1, %s}}",
                spec);
}

static void priority_class(const char *name, int value, const char *policy) {
    cluster_add(c, "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: %s}, value: %d, %s}", name,
                value, policy);
}

/* ------------------------------------------------------------------ priority */

START_TEST(a_groups_own_number_counts) {
    native("", "priority: 70");
    cluster_pod(c, "a", (struct pod){.spec = "schedulingGroup: {podGroupName: g}, priority: 900"});
    ck_assert_int_eq(cluster_group(c, "g")->priority, 70);
}
END_TEST

START_TEST(zero_without_a_class_was_set_by_nobody) {
    native("", "priority: 0");
    cluster_pod(c, "a", (struct pod){.spec = "schedulingGroup: {podGroupName: g}, priority: 5"});
    cluster_running(c, "b", (struct pod){.spec = "schedulingGroup: {podGroupName: g}, priority: 9"});
    ck_assert_int_eq(cluster_group(c, "g")->priority, 9);
}
END_TEST

START_TEST(zero_by_a_class_was_set) {
    priority_class("low", 0, "");
    native("", "priority: 0, priorityClassName: low");
    cluster_pod(c, "a", (struct pod){.spec = "schedulingGroup: {podGroupName: g}, priority: 5"});
    ck_assert_int_eq(cluster_group(c, "g")->priority, 0);
}
END_TEST

START_TEST(a_class_has_a_number) {
    priority_class("mid", 50, "");
    volcano("priorityClassName: mid");
    cluster_pod(c, "a", (struct pod){.annotations = "scheduling.k8s.io/group-name: g", .spec = "priority: 900"});
    ck_assert_int_eq(cluster_group(c, "g")->priority, 50);
}
END_TEST

START_TEST(a_class_that_is_not_there_has_none) {
    volcano("priorityClassName: gone");
    cluster_pod(c, "a", (struct pod){.annotations = "scheduling.k8s.io/group-name: g", .spec = "priority: -7"});
    ck_assert_int_eq(cluster_group(c, "g")->priority, -7);
}
END_TEST

static void tree(const char *root, const char *first, const char *second) {
    cluster_add(c,
                "{apiVersion: scheduling.k8s.io/v1alpha3, kind: CompositePodGroup, metadata: {namespace: default, "
                "name: flow%s}, spec: {schedulingPolicy: {gang: {minGroupCount: 2}}, priority: 0}}",
                root);
    const char *const children[] = {first, second};
    for (int i = 0; i < 2; i++) {
        cluster_add(
            c,
            "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {namespace: default, name: g%d}, "
            "spec: {parentCompositePodGroupName: flow, schedulingPolicy: {gang: {minCount: 1}}, %s}}",
            i, children[i]);
        char spec[64];
        snprintf(spec, sizeof spec, "schedulingGroup: {podGroupName: g%d}, priority: 500", i);
        cluster_pods(c, i ? "b" : "a", 1, (struct pod){.spec = spec});
    }
}

START_TEST(a_tree_has_the_highest_of_its_groups) {
    tree("", "priority: 30", "priority: 40");
    ck_assert_int_eq(cluster_group(c, "flow")->priority, 40);
}
END_TEST

START_TEST(a_tree_may_have_the_highest_of_its_pods) {
    tree("", "priority: 0", "priority: 0");
    ck_assert_int_eq(cluster_group(c, "flow")->priority, 500);
}
END_TEST

START_TEST(the_groups_policy_comes_first) {
    priority_class("mid", 50, "preemptionPolicy: PreemptLowerPriority");
    native("", "preemptionPolicy: Never, priorityClassName: mid");
    cluster_pod(c, "a", (struct pod){MEMBER});
    ck_assert_int_eq(cluster_group(c, "g")->preemption, MU_PREEMPT_NEVER);
}
END_TEST

START_TEST(then_comes_its_class) {
    priority_class("mid", 50, "preemptionPolicy: Never");
    native("", "priorityClassName: mid");
    cluster_pod(c, "a",
                (struct pod){.spec = "schedulingGroup: {podGroupName: g}, preemptionPolicy: PreemptLowerPriority"});
    ck_assert_int_eq(cluster_group(c, "g")->preemption, MU_PREEMPT_NEVER);
}
END_TEST

START_TEST(then_come_its_pods) {
    native("", "");
    cluster_pod(c, "a",
                (struct pod){.spec = "schedulingGroup: {podGroupName: g}, preemptionPolicy: PreemptLowerPriority"});
    if (_i)
        cluster_pod(c, "b", (struct pod){.spec = "schedulingGroup: {podGroupName: g}, preemptionPolicy: Never"});
    ck_assert_int_eq(cluster_group(c, "g")->preemption, _i ? MU_PREEMPT_NEVER : MU_PREEMPT_LOWER_PRIORITY);
}
END_TEST

/* ------------------------------------------------------------------ queues */

static void queue(const char *name, const char *spec) {
    cluster_add(c, "{apiVersion: scheduling.muster.dev/v1alpha1, kind: Queue, metadata: {name: %s}, spec: {%s}}", name,
                spec);
}

static void volcano_queue(const char *name, const char *spec, const char *state) {
    cluster_add(c,
                "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: %s}, spec: {%s}, status: "
                "{state: %s}}",
                name, spec, state);
}

START_TEST(nobody_names_a_queue) {
    native("", "");
    cluster_pod(c, "a", (struct pod){MEMBER});
    ASSERT_OPEN(cluster_group(c, "g"));
    ASSERT_SYM(c, cluster_group(c, "g")->queue, "default");
    ck_assert_ptr_null(cluster_group(c, "g")->queue_object);
}
END_TEST

START_TEST(the_groups_label_names_it) {
    queue("q", "weight: 1");
    native("labels: {scheduling.muster.dev/queue: q}", "");
    cluster_pod(c, "a", (struct pod){MEMBER, .labels = "scheduling.muster.dev/queue: other"});
    ASSERT_OPEN(cluster_group(c, "g"));
    ASSERT_SYM(c, cluster_group(c, "g")->queue, "q");
    ck_assert_ptr_nonnull(cluster_group(c, "g")->queue_object);
}
END_TEST

START_TEST(volcanos_field_names_it) {
    volcano_queue("q", "weight: 1", "Open");
    volcano("queue: q");
    cluster_pod(c, "a", (struct pod){.annotations = "scheduling.k8s.io/group-name: g"});
    ASSERT_OPEN(cluster_group(c, "g"));
    ASSERT_SYM(c, cluster_group(c, "g")->queue, "q");
}
END_TEST

START_TEST(pods_name_it) {
    queue("q", "weight: 1");
    const char *const labels[] = {"scheduling.muster.dev/queue: q", ""};
    const char *const annotations[] = {"", "scheduling.volcano.sh/queue-name: q"};
    cluster_pod(c, "a", (struct pod){.labels = labels[_i], .annotations = annotations[_i]});
    ASSERT_OPEN(cluster_group(c, "a"));
    ASSERT_SYM(c, cluster_group(c, "a")->queue, "q");
}
END_TEST

START_TEST(pods_name_two) {
    native("", "");
    cluster_pod(c, "a", (struct pod){MEMBER, .labels = "scheduling.muster.dev/queue: q"});
    cluster_pod(c, "b", (struct pod){MEMBER});
    cluster_pod(c, "d", (struct pod){MEMBER, .labels = "scheduling.muster.dev/queue: r"});
    ASSERT_DECIDED(cluster_group(c, "g"), MU_PENDING, MU_REASON_INVALID_GROUP, "2 queues, q by pod a and r by pod d");
}
END_TEST

START_TEST(members_that_run_name_it_for_the_others) {
    queue("q", "weight: 1");
    native("", "");
    cluster_running(c, "a", (struct pod){MEMBER, .labels = "scheduling.muster.dev/queue: q"});
    cluster_pod(c, "b", (struct pod){MEMBER});
    ASSERT_SYM(c, cluster_group(c, "g")->queue, "q");
}
END_TEST

START_TEST(a_queue_does_not_exist) {
    native("labels: {scheduling.muster.dev/queue: gone}", "");
    cluster_pod(c, "a", (struct pod){MEMBER});
    ASSERT_DECIDED(cluster_group(c, "g"), MU_WAIT, MU_REASON_QUEUE_NOT_FOUND, "queue gone does not exist");
}
END_TEST

START_TEST(a_senseless_queue_counts_as_not_there) {
    queue("q", "quota: [{resource: cpu, nominalQuota: 1}, {resource: cpu, nominalQuota: 2}]");
    cluster_pod(c, "a", (struct pod){.labels = "scheduling.muster.dev/queue: q"});
    ASSERT_DECIDED(cluster_group(c, "a"), MU_WAIT, MU_REASON_QUEUE_NOT_FOUND, "queue q counts as not there: ");
}
END_TEST

START_TEST(a_queue_is_closed) {
    volcano_queue("q", "weight: 1", "Closed");
    volcano("queue: q");
    cluster_pod(c, "a", (struct pod){.annotations = "scheduling.k8s.io/group-name: g"});
    ASSERT_DECIDED(cluster_group(c, "g"), MU_WAIT, MU_REASON_QUEUE_CLOSED, "queue q is not open");
}
END_TEST

START_TEST(of_two_queues_of_one_name_ours_counts) {
    volcano_queue("q", "weight: 1", "Closed");
    queue("q", "weight: 1");
    cluster_pod(c, "a", (struct pod){.labels = "scheduling.muster.dev/queue: q"});
    ASSERT_OPEN(cluster_group(c, "a"));
    ck_assert(!cluster_group(c, "a")->queue_object->volcano);
}
END_TEST

START_TEST(a_queue_is_for_some_namespaces) {
    const char *const namespaces[] = {"ml", "web", "unknown"};
    queue("q", "namespaceSelector: {matchLabels: {team: a}}");
    cluster_add(c, "{apiVersion: v1, kind: Namespace, metadata: {name: ml, labels: {team: a}}}");
    cluster_add(c, "{apiVersion: v1, kind: Namespace, metadata: {name: web, labels: {team: b}}}");
    cluster_pod(c, "p", (struct pod){.namespace = namespaces[_i], .labels = "scheduling.muster.dev/queue: q"});
    if (_i == 0)
        ASSERT_OPEN(cluster_group(c, "p"));
    else
        ASSERT_DECIDED(cluster_group(c, "p"), MU_PENDING, MU_REASON_QUEUE_FORBIDDEN, "queue q is not for namespace ");
}
END_TEST

START_TEST(a_namespace_is_known_by_its_name) {
    queue("q", "namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: default}}");
    cluster_pod(c, "p", (struct pod){.labels = "scheduling.muster.dev/queue: q"});
    ASSERT_OPEN(cluster_group(c, "p"));
}
END_TEST

/* ------------------------------------------------------------------ which refusal comes first */

START_TEST(the_queue_is_named_before_the_members) {
    cluster_add(c, "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {namespace: default, name: g, "
                   "labels: {scheduling.muster.dev/queue: gone}}, spec: {schedulingPolicy: {gang: {minCount: 4}}}}");
    cluster_pod(c, "a", (struct pod){MEMBER});
    ASSERT_DECIDED(cluster_group(c, "g"), MU_WAIT, MU_REASON_QUEUE_NOT_FOUND, "gone");
}
END_TEST

START_TEST(nonsense_is_named_before_the_queue) {
    cluster_add(c,
                "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {namespace: default, name: g, "
                "labels: {scheduling.muster.dev/queue: gone}}, spec: {schedulingPolicy: {gang: {minCount: 400000}}}}");
    cluster_pod(c, "a", (struct pod){MEMBER});
    ASSERT_DECIDED(cluster_group(c, "g"), MU_PENDING, MU_REASON_INVALID_GROUP, "400000");
}
END_TEST

START_TEST(members_are_named_before_the_quota) {
    queue("q", "quota: [{resource: cpu, nominalQuota: 100}]");
    cluster_add(c, "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {namespace: default, name: g, "
                   "labels: {scheduling.muster.dev/queue: q}}, spec: {schedulingPolicy: {gang: {minCount: 4}}}}");
    cluster_pod(c, "a", (struct pod){MEMBER});
    ASSERT_DECIDED(cluster_group(c, "g"), MU_WAIT, MU_REASON_MEMBERS_MISSING, "1 of 4");
}
END_TEST

/* ------------------------------------------------------------------ topology */

static void assert_keys(const mu_sym *keys, uint32_t len, const char *const *texts, uint32_t texts_len) {
    ck_assert_uint_eq(len, texts_len);
    for (uint32_t i = 0; i < len; i++)
        ASSERT_SYM(c, keys[i], texts[i]);
}

START_TEST(constraints_are_hard) {
    native("annotations: {kueue.x-k8s.io/podset-required-topology: block}",
           "schedulingConstraints: {topology: [{key: rack}]}");
    cluster_pod(c, "a", (struct pod){MEMBER, .annotations = "kueue.x-k8s.io/podset-required-topology: rack"});
    cluster_pod(c, "b", (struct pod){MEMBER, .annotations = "kueue.x-k8s.io/podset-required-topology: zone"});
    const struct mu_unit *root = cluster_group(c, "g")->root;
    assert_keys(root->topology, root->topology_len, (const char *const[]){"rack", "block", "zone"}, 3);
}
END_TEST

START_TEST(wishes_of_the_group_are_heard) {
    native("annotations: {scheduling.muster.dev/preferred-topology: ' rack ,block,, rack', "
           "kueue.x-k8s.io/podset-preferred-topology: zone}",
           "");
    cluster_pod(c, "a", (struct pod){MEMBER, .annotations = "kueue.x-k8s.io/podset-preferred-topology: floor"});
    const struct mu_group *g = cluster_group(c, "g");
    assert_keys(g->preferred_topology, g->preferred_topology_len, (const char *const[]){"rack", "block", "zone"}, 3);
}
END_TEST

START_TEST(wishes_of_the_pods_are_heard_where_the_group_has_none) {
    native("", "");
    cluster_pod(c, "a", (struct pod){MEMBER, .annotations = "kueue.x-k8s.io/podset-preferred-topology: rack"});
    const struct mu_group *g = cluster_group(c, "g");
    assert_keys(g->preferred_topology, g->preferred_topology_len, (const char *const[]){"rack"}, 1);
}
END_TEST

static const char *many_keys(int count) {
    static char text[512];
    int len = 0;
    for (int i = 0; i < count; i++)
        len += snprintf(text + len, sizeof text - (size_t)len, "%sk%d", i ? "," : "", i);
    return text;
}

START_TEST(wishes_have_a_limit) {
    char metadata[1024];
    snprintf(metadata, sizeof metadata, "annotations: {scheduling.muster.dev/preferred-topology: '%s'}",
             many_keys(2 * MU_LIMIT_TOPOLOGY_KEYS));
    native(metadata, "");
    cluster_pod(c, "a", (struct pod){MEMBER});
    ck_assert_uint_eq(cluster_group(c, "g")->preferred_topology_len, MU_LIMIT_TOPOLOGY_KEYS);
    ASSERT_OPEN(cluster_group(c, "g"));
}
END_TEST

START_TEST(hard_keys_past_their_limit_are_refused) {
    native("", "");
    for (int i = 0; i <= MU_LIMIT_TOPOLOGY_KEYS; i++) {
        char name[16], annotation[64];
        snprintf(name, sizeof name, "p%d", i);
        snprintf(annotation, sizeof annotation, "kueue.x-k8s.io/podset-required-topology: k%d", i);
        cluster_pod(c, name, (struct pod){MEMBER, .annotations = annotation});
    }
    ASSERT_DECIDED(cluster_group(c, "g"), MU_PENDING, MU_REASON_INVALID_GROUP, "more than 16 node labels");
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_groups_own_number_counts);
    tcase_add_test(tests, zero_without_a_class_was_set_by_nobody);
    tcase_add_test(tests, zero_by_a_class_was_set);
    tcase_add_test(tests, a_class_has_a_number);
    tcase_add_test(tests, a_class_that_is_not_there_has_none);
    tcase_add_test(tests, a_tree_has_the_highest_of_its_groups);
    tcase_add_test(tests, a_tree_may_have_the_highest_of_its_pods);
    tcase_add_test(tests, the_groups_policy_comes_first);
    tcase_add_test(tests, then_comes_its_class);
    tcase_add_loop_test(tests, then_come_its_pods, 0, 2);
    tcase_add_test(tests, nobody_names_a_queue);
    tcase_add_test(tests, the_groups_label_names_it);
    tcase_add_test(tests, volcanos_field_names_it);
    tcase_add_loop_test(tests, pods_name_it, 0, 2);
    tcase_add_test(tests, pods_name_two);
    tcase_add_test(tests, members_that_run_name_it_for_the_others);
    tcase_add_test(tests, a_queue_does_not_exist);
    tcase_add_test(tests, a_senseless_queue_counts_as_not_there);
    tcase_add_test(tests, a_queue_is_closed);
    tcase_add_test(tests, of_two_queues_of_one_name_ours_counts);
    tcase_add_loop_test(tests, a_queue_is_for_some_namespaces, 0, 3);
    tcase_add_test(tests, a_namespace_is_known_by_its_name);
    tcase_add_test(tests, the_queue_is_named_before_the_members);
    tcase_add_test(tests, nonsense_is_named_before_the_queue);
    tcase_add_test(tests, members_are_named_before_the_quota);
    tcase_add_test(tests, constraints_are_hard);
    tcase_add_test(tests, wishes_of_the_group_are_heard);
    tcase_add_test(tests, wishes_of_the_pods_are_heard_where_the_group_has_none);
    tcase_add_test(tests, wishes_have_a_limit);
    tcase_add_test(tests, hard_keys_past_their_limit_are_refused);
}

int main(void) {
    return mu_suite_run("core/groups_whole", add);
}
