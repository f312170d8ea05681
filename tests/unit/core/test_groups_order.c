/* Order: which group is decided first, that the input's order is none of it, and memory that ends. */
#include "tests/lib/faults.h"
#include "tests/lib/random.h"
#include "tests/unit/core/cluster.h"

#include <stdio.h>

static struct cluster *c;

static void setup(void) {
    c = cluster_new();
}

static void teardown(void) {
    cluster_free(c);
}

static void assert_order(const char *const *names, uint32_t len) {
    cluster_build(c);
    ck_assert_uint_eq(c->groups->len, len);
    for (uint32_t i = 0; i < len; i++)
        ASSERT_SYM(c, c->groups->items[i]->name, names[i]);
}

static void gang(const char *namespace, const char *name, const char *created, int minimum) {
    cluster_add(c,
                "{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {namespace: %s, name: %s%s%s}, "
                "spec: {minMember: %d}}",
                namespace, name, *created ? ", creationTimestamp: " : "", created, minimum);
    char label[64], pod[64];
    snprintf(label, sizeof label, "scheduling.x-k8s.io/pod-group: %s", name);
    snprintf(pod, sizeof pod, "%s-pod", name);
    cluster_pods(c, pod, minimum, (struct pod){.namespace = namespace, .labels = label});
}

START_TEST(priority_comes_first) {
    cluster_pod(c, "old", (struct pod){.created = "2026-03-01T08:00:00Z"});
    cluster_pod(c, "low", (struct pod){.spec = "priority: -5"});
    cluster_pod(c, "high", (struct pod){.spec = "priority: 5"});
    assert_order((const char *const[]){"high", "old", "low"}, 3);
}
END_TEST

START_TEST(a_broken_one_comes_first) {
    gang("default", "old", "'2026-03-01T08:00:00Z'", 1);
    cluster_add(c, "{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {namespace: default, name: "
                   "half, creationTimestamp: '2026-03-02T09:00:00Z'}, spec: {minMember: 2}}");
    cluster_running(c, "runs", (struct pod){.labels = "scheduling.x-k8s.io/pod-group: half"});
    cluster_pod(c, "lost", (struct pod){.labels = "scheduling.x-k8s.io/pod-group: half"});
    cluster_pod(c, "high", (struct pod){.spec = "priority: 1"});
    assert_order((const char *const[]){"high", "half", "old"}, 3);
}
END_TEST

START_TEST(the_groups_age_counts_not_its_pods) {
    gang("default", "a", "'2026-03-02T11:00:00Z'", 1);
    gang("default", "b", "'2026-03-02T10:59:59.999Z'", 1);
    cluster_pod(c, "pod", (struct pod){.created = "2026-03-02T10:59:59.9995Z"});
    assert_order((const char *const[]){"b", "pod", "a"}, 3);
}
END_TEST

START_TEST(the_oldest_pod_counts_where_there_is_no_group) {
    const char *labels = "scheduling.muster.dev/group-name: g, scheduling.muster.dev/min-count: '2'";
    cluster_pod(c, "m0", (struct pod){.labels = labels, .created = "2026-03-02T09:00:00Z"});
    cluster_pod(c, "m1", (struct pod){.labels = labels, .created = "2026-03-02T06:00:00Z"});
    cluster_pod(c, "pod", (struct pod){.created = "2026-03-02T07:00:00Z"});
    assert_order((const char *const[]){"g", "pod"}, 2);
}
END_TEST

START_TEST(what_was_never_made_is_the_youngest) {
    gang("default", "a", "", 1);
    gang("default", "b", "'2026-03-02T11:59:00Z'", 1);
    assert_order((const char *const[]){"b", "a"}, 2);
}
END_TEST

START_TEST(names_decide_between_equals) {
    gang("b", "a", "'2026-03-02T11:00:00Z'", 1);
    gang("a", "b", "'2026-03-02T11:00:00Z'", 1);
    gang("a", "a-1", "'2026-03-02T11:00:00Z'", 1);
    gang("a", "a10", "'2026-03-02T11:00:00Z'", 1);
    assert_order((const char *const[]){"a-1", "a10", "b", "a"}, 4);
}
END_TEST

/* ------------------------------------------------------------------ any order of the input */

static void every_form(void) {
    gang("default", "x", "'2026-03-02T11:00:00Z'", 3);
    gang("other", "x", "'2026-03-02T11:00:00Z'", 2);
    gang("other", "x2", "", 2);
    cluster_add(c,
                "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {namespace: default, name: x, "
                "creationTimestamp: '2026-03-02T11:00:00Z'}, spec: {minMember: 2, minTaskMember: {b: 1, a: 1}}}");
    cluster_pods(c, "v", 3,
                 (struct pod){.annotations = "scheduling.k8s.io/group-name: x, volcano.sh/task-spec: a, "
                                             "kueue.x-k8s.io/podset-preferred-topology: rack"});
    cluster_pods(c, "w", 1, (struct pod){.annotations = "scheduling.k8s.io/group-name: x, volcano.sh/task-spec: b"});
    const char *const composites[][2] = {{"top", "schedulingPolicy: {gang: {minGroupCount: 1}}"},
                                         {"mid", "parentCompositePodGroupName: top, schedulingPolicy: {basic: {}}"},
                                         {"c1", "parentCompositePodGroupName: c2, schedulingPolicy: {basic: {}}"},
                                         {"c2", "parentCompositePodGroupName: c1, schedulingPolicy: {basic: {}}"}};
    for (size_t i = 0; i < 4; i++)
        cluster_add(c,
                    "{apiVersion: scheduling.k8s.io/v1alpha3, kind: CompositePodGroup, metadata: {namespace: default, "
                    "name: %s}, spec: {%s}}",
                    composites[i][0], composites[i][1]);
    const char *const leaves[][2] = {{"l1", "top"}, {"l2", "mid"}, {"l3", "mid"}, {"l4", "c1"}, {"l5", "lost"}};
    for (size_t i = 0; i < 5; i++) {
        cluster_add(c,
                    "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {namespace: default, name: %s}, "
                    "spec: {parentCompositePodGroupName: %s, schedulingPolicy: {gang: {minCount: 2}}}}",
                    leaves[i][0], leaves[i][1]);
        char spec[64];
        snprintf(spec, sizeof spec, "schedulingGroup: {podGroupName: %s}", leaves[i][0]);
        cluster_pods(c, leaves[i][0], 2 + (int)i % 2, (struct pod){.spec = spec});
    }
    const char *kueue = "kueue.x-k8s.io/pod-group-name: k";
    cluster_pod(c, "k0", (struct pod){.labels = kueue, .annotations = "kueue.x-k8s.io/pod-group-total-count: '2'"});
    cluster_pod(c, "k1", (struct pod){.labels = kueue, .annotations = "kueue.x-k8s.io/pod-group-total-count: '3'"});
    cluster_pod(c, "torn",
                (struct pod){.labels = "scheduling.x-k8s.io/pod-group: x",
                             .spec = "schedulingGroup: {podGroupName: l1}"});
    cluster_pods(c, "orphan", 2, (struct pod){.labels = "scheduling.x-k8s.io/pod-group: ghost"});
    cluster_pods(c, "gated", 2, (struct pod){.spec = "schedulingGates: [{name: g}]", .scheduler = "second"});
    cluster_add(c, "{apiVersion: scheduling.muster.dev/v1alpha1, kind: Queue, metadata: {name: q}, spec: {quota: "
                   "[{resource: pods, nominalQuota: 1}, {resource: cpu, nominalQuota: 1}]}}");
    cluster_pod(c, "queued", (struct pod){.labels = "scheduling.muster.dev/queue: q"});
}

static void *shuffled(struct mu_random *random, const void *items, uint32_t len) {
    const void **copy = MU_NEW_ARRAY(c->arena, const void *, len);
    memcpy(copy, items, len * sizeof *copy);
    for (uint32_t i = len; i > 1; i--) {
        uint32_t j = (uint32_t)mu_random_below(random, i);
        const void *kept = copy[i - 1];
        copy[i - 1] = copy[j];
        copy[j] = kept;
    }
    return copy;
}

START_TEST(the_order_of_the_input_is_none_of_it) {
    every_form();
    cluster_build(c);
    struct mu_str expected = cluster_print(c, c->groups);
    struct mu_random random = {.state = 7};
    for (int round = 0; round < 200; round++) {
        struct mu_groups_input input = c->input;
        input.pods = shuffled(&random, input.pods, input.pods_len);
        input.objects = shuffled(&random, input.objects, input.objects_len);
        input.queues = shuffled(&random, input.queues, input.queues_len);
        struct mu_str got = cluster_print(c, mu_groups_build(&input, c->arena));
        ck_assert_msg(mu_str_eq(got, expected), "round %d:\n" MU_STR_FMT "\nnot\n" MU_STR_FMT, round, MU_STR_ARG(got),
                      MU_STR_ARG(expected));
    }
}
END_TEST

START_TEST(no_message_has_two_lines_or_is_missing) {
    every_form();
    cluster_build(c);
    for (uint32_t i = 0; i < c->groups->len; i++) {
        const struct mu_group *g = c->groups->items[i];
        ck_assert(mu_str_index(g->message, '\n') < 0);
        ck_assert((g->message.len > 0) == (g->reason != MU_REASON_NONE));
        for (uint32_t j = 0; j < g->pods_len; j++) {
            ck_assert((g->pods[j].message.len > 0) == !g->pods[j].ready);
            ck_assert((g->pods[j].reason != MU_REASON_NONE) == !g->pods[j].ready);
        }
    }
}
END_TEST

/* ------------------------------------------------------------------ memory */

struct building {
    const struct mu_groups_input *input;
    struct mu_arena *arena;
};

static int build_again(void *ctx, struct mu_err *err) {
    struct building *b = ctx;
    mu_groups_build(b->input, b->arena);
    return 0;
}

START_TEST(memory_may_end_anywhere) {
    every_form();
    for (int i = 0; i < 300; i++) {
        char name[16];
        snprintf(name, sizeof name, "pod%d", i);
        cluster_pod(c, name, (struct pod){0});
    }
    cluster_build(c);
    for (size_t n = 1;; n++) {
        struct mu_faults faults = {.fail_at = n};
        struct mu_memory memory = mu_faults_memory(&faults);
        struct mu_arena *arena = mu_arena_create(0, &memory);
        struct building b = {&c->input, arena};
        int code = arena ? mu_arena_run(arena, build_again, &b, NULL) : MU_E_NOMEM;
        mu_arena_destroy(arena);
        ck_assert_uint_eq(faults.live, 0);
        ck_assert_int_eq(code, faults.failed ? MU_E_NOMEM : MU_OK);
        if (!faults.failed)
            break;
    }
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, priority_comes_first);
    tcase_add_test(tests, a_broken_one_comes_first);
    tcase_add_test(tests, the_groups_age_counts_not_its_pods);
    tcase_add_test(tests, the_oldest_pod_counts_where_there_is_no_group);
    tcase_add_test(tests, what_was_never_made_is_the_youngest);
    tcase_add_test(tests, names_decide_between_equals);
    tcase_add_test(tests, the_order_of_the_input_is_none_of_it);
    tcase_add_test(tests, no_message_has_two_lines_or_is_missing);
    tcase_add_test(tests, memory_may_end_anywhere);
}

int main(void) {
    return mu_suite_run("core/groups_order", add);
}
