/* Priorities, budgets, namespaces and queues, and what the server would fill in for manifests. */
#include "tests/unit/objects/load.h"

#include <inttypes.h>
#include <stdlib.h>

#define POD(more) "---\n{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: []" more "}}\n"
#define CLASS(name, more)                                                                                              \
    "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: " name "}, " more "}\n"
#define QUEUE(spec)                                                                                                    \
    "---\n{apiVersion: scheduling.muster.dev/v1alpha1, kind: Queue, metadata: {name: q}, spec: " spec "}\n"
#define VOLCANO(name, rest)                                                                                            \
    "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: " name "}, " rest "}\n"

static struct loaded loaded;

static void teardown(void) {
    unload(&loaded);
}

/* ---- Priorities ---- */

static const struct {
    const char *yaml;
    int32_t priority;
    const char *class;
    enum mu_preemption preemption;
} priorities[] = {
    {POD(""), 0, "", MU_PREEMPT_LOWER_PRIORITY},
    {POD(", priority: 5") CLASS("d", "value: 7, globalDefault: true"), 5, "", MU_PREEMPT_LOWER_PRIORITY},
    {POD(", priority: 5, preemptionPolicy: Never"), 5, "", MU_PREEMPT_NEVER},
    {POD(", priorityClassName: a") CLASS("a", "value: 7"), 7, "a", MU_PREEMPT_LOWER_PRIORITY},
    {POD(", priorityClassName: a") CLASS("a", "value: 7, preemptionPolicy: Never"), 7, "a", MU_PREEMPT_NEVER},
    {POD(", priorityClassName: a, preemptionPolicy: PreemptLowerPriority")
         CLASS("a", "value: 7, preemptionPolicy: Never"),
     7, "a", MU_PREEMPT_LOWER_PRIORITY},
    {POD(", priorityClassName: a, priority: 8") CLASS("a", "value: 7"), 8, "a", MU_PREEMPT_LOWER_PRIORITY},
    {POD("") CLASS("d", "value: 7, globalDefault: true") CLASS("a", "value: 3"), 7, "d", MU_PREEMPT_LOWER_PRIORITY},
    {POD("") CLASS("d", "value: 7, globalDefault: true") CLASS("e", "value: 3, globalDefault: true"), 3, "e",
     MU_PREEMPT_LOWER_PRIORITY},
    {POD(", priorityClassName: system-node-critical"), 2000001000, "system-node-critical", MU_PREEMPT_LOWER_PRIORITY},
    {POD(", priorityClassName: system-cluster-critical"), 2000000000, "system-cluster-critical",
     MU_PREEMPT_LOWER_PRIORITY},
};

START_TEST(pods_get_what_admission_gives_them) {
    loaded = load_ok(priorities[_i].yaml);
    const struct mu_pod *pod = pod_of(&loaded, "p");
    ck_assert_int_eq(pod->has_priority, true);
    ck_assert_int_eq(pod->priority, priorities[_i].priority);
    ck_assert_str_eq(text_of(&loaded, pod->priority_class), priorities[_i].class);
    ck_assert_int_eq(pod->preemption, priorities[_i].preemption);
    ck_assert_uint_eq(pod->meta.invalid.len, 0);
}
END_TEST

START_TEST(a_class_that_is_not_there) {
    loaded = load_ok(POD(", priorityClassName: gone"));
    ck_assert_str_eq(pod_of(&loaded, "p")->meta.invalid.ptr, "spec.priorityClassName: there is no PriorityClass gone");
}
END_TEST

/* ---- Budgets and namespaces ---- */

START_TEST(budgets) {
    loaded =
        load_ok("---\n{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: a}, spec: {selector:"
                " {matchLabels: {x: y}}}, status: {disruptionsAllowed: 2, disruptedPods: {p1: '2026-01-01T00:00:00Z'}"
                "}}\n---\n{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {selector:"
                " {}}}\n---\n{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: c}}\n");
    struct mu_pdb *const *pdbs = loaded.store->pdbs.items;
    ck_assert_uint_eq(loaded.store->pdbs.len, 3);
    ck_assert_uint_eq(pdbs[0]->selector->len, 1);
    ck_assert_int_eq(pdbs[0]->disruptions_allowed, 2);
    ck_assert_str_eq(syms_text(&loaded, pdbs[0]->disrupted, pdbs[0]->disrupted_len), "p1");
    ck_assert_uint_eq(pdbs[1]->selector->len, 0);
    ck_assert_int_eq(pdbs[1]->disruptions_allowed, 0);
    ck_assert_ptr_null(pdbs[2]->selector);
}
END_TEST

START_TEST(namespaces_have_the_label_of_their_name) {
    loaded = load_ok("---\n{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {team: x}}}\n"
                     "---\n{apiVersion: v1, kind: Namespace, metadata: {name: b, labels: {kubernetes.io/metadata.name:"
                     " b}}}\n");
    ck_assert_str_eq(labels_text(&loaded, &loaded.store->namespaces.items[0]->meta.labels),
                     "kubernetes.io/metadata.name=a team=x");
    ck_assert_str_eq(labels_text(&loaded, &loaded.store->namespaces.items[1]->meta.labels),
                     "kubernetes.io/metadata.name=b");
}
END_TEST

/* ---- Queues ---- */

static int cmp_words(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "cpu=NOMINAL,BORROWING,LENDING memory=...", sorted by name. */
static const char *quota_text(const struct mu_queue *queue) {
    const char *words[8];
    for (uint32_t i = 0; i < queue->quota_len; i++) {
        const struct mu_quota *quota = &queue->quota[i];
        ck_assert(i == 0 || queue->quota[i - 1].resource < quota->resource);
        words[i] = mu_str_printf(loaded.arena, "%s=%" PRId64 ",%" PRId64 ",%" PRId64, text_of(&loaded, quota->resource),
                                 quota->nominal, quota->borrowing_limit, quota->lending_limit)
                       .ptr;
    }
    qsort(words, queue->quota_len, sizeof *words, cmp_words);
    struct mu_buf buf;
    mu_buf_init(&buf, loaded.arena);
    mu_buf_add(&buf, MU_STR(""));
    for (uint32_t i = 0; i < queue->quota_len; i++) {
        mu_buf_printf(&buf, "%s%s", i == 0 ? "" : " ", words[i]);
    }
    return buf.ptr;
}

static const struct mu_queue *read_queue(const char *yaml) {
    loaded = load_ok(yaml);
    return loaded.store->queues.items[0];
}

START_TEST(all_fields_of_a_queue) {
    const struct mu_queue *queue =
        read_queue(QUEUE("{parent: research, weight: 3, namespaceSelector: {matchLabels: {team: a}}, queueingStrategy:"
                         " Backfill, quota: [{resource: cpu, nominalQuota: 1500m, borrowingLimit: '1'},"
                         " {resource: nvidia.com/gpu, nominalQuota: '8', lendingLimit: 4}, {resource: pods,"
                         " borrowingLimit: 2500m}], reclaim: LowerPriority, minRuntime: 1h30m, maxWait: 10m}"));
    ck_assert_str_eq(text_of(&loaded, queue->parent), "research");
    ck_assert_int_eq(queue->weight, 3);
    ck_assert_uint_eq(queue->namespace_selector->len, 1);
    ck_assert_int_eq(queue->order, MU_QUEUE_BACKFILL);
    ck_assert_str_eq(quota_text(queue), "cpu=1500,1000,-1 nvidia.com/gpu=8,-1,4 pods=-1,2,-1");
    ck_assert_int_eq(queue->reclaim, MU_RECLAIM_LOWER_PRIORITY);
    ck_assert_int_eq(queue->min_runtime_ns, 5400000000000);
    ck_assert_int_eq(queue->max_wait_ns, 600000000000);
    ck_assert_int_eq(queue->volcano || queue->closed || queue->keeps_borrowed, false);
}
END_TEST

START_TEST(a_queue_that_says_nothing) {
    const struct mu_queue *queue = read_queue(QUEUE("{}"));
    ck_assert_uint_eq(queue->parent, 0);
    ck_assert_int_eq(queue->weight, 1);
    ck_assert_ptr_null(queue->namespace_selector);
    ck_assert_int_eq(queue->order, MU_QUEUE_BEST_EFFORT);
    ck_assert_uint_eq(queue->quota_len, 0);
    ck_assert_int_eq(queue->reclaim, MU_RECLAIM_ANY);
    ck_assert_int_eq(queue->min_runtime_ns, 0);
    ck_assert_int_eq(queue->max_wait_ns, MU_TIME_NONE);
}
END_TEST

static const struct {
    const char *rest, *quota;
} volcano_quotas[] = {
    {"spec: {}", ""},
    {"spec: {capability: {cpu: 96, nvidia.com/gpu: 16}, deserved: {nvidia.com/gpu: 12}}",
     "cpu=96000,0,-1 nvidia.com/gpu=12,4,-1"},
    {"spec: {guarantee: {resource: {nvidia.com/gpu: 8}}}", "nvidia.com/gpu=8,-1,-1"},
    {"spec: {deserved: {cpu: 2}, guarantee: {resource: {cpu: 1}}}", "cpu=2000,-1,-1"},
    {"spec: {deserved: {cpu: 4}, capability: {cpu: 3}}", "cpu=3000,0,-1"},
    {"spec: {capability: {deviceclass/gpu.example.com: 2, memory.deviceclass/gpu.example.com: 80Gi}}",
     "gpu.example.com.deviceclass.resource.k8s.io/devices=2,0,-1 memory.deviceclass/gpu.example.com=85899345920,0,-1"},
};

START_TEST(volcano_quota) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    struct mu_str yaml = mu_str_printf(arena,
                                       "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata:"
                                       " {name: q}, %s}\n",
                                       volcano_quotas[_i].rest);
    const struct mu_queue *queue = read_queue(yaml.ptr);
    ck_assert_int_eq(queue->volcano, true);
    ck_assert_str_eq(quota_text(queue), volcano_quotas[_i].quota);
    mu_arena_destroy(arena);
}
END_TEST

START_TEST(volcano_states) {
    loaded = load_ok(VOLCANO("a", "status: {state: Open}") VOLCANO("b", "status: {state: Closed}")
                         VOLCANO("c", "spec: {reclaimable: false, weight: 4, parent: a}") VOLCANO("d", "status: {}"));
    struct mu_queue *const *queues = loaded.store->queues.items;
    ck_assert_int_eq(queues[0]->closed, false);
    ck_assert_int_eq(queues[1]->closed, true);
    ck_assert_int_eq(queues[2]->closed, false);
    ck_assert_int_eq(queues[2]->keeps_borrowed, true);
    ck_assert_int_eq(queues[2]->weight, 4);
    ck_assert_str_eq(text_of(&loaded, queues[2]->parent), "a");
    ck_assert_int_eq(queues[3]->closed || queues[3]->keeps_borrowed, false);
}
END_TEST

START_TEST(volcanos_root_need_not_be_there) {
    loaded = load_ok(VOLCANO("a", "spec: {parent: root}"));
    ck_assert_uint_eq(loaded.store->queues.items[0]->parent, 0);
    unload(&loaded);
    loaded = load_ok(VOLCANO("a", "spec: {parent: root}") VOLCANO("root", "spec: {}"));
    ck_assert_str_eq(text_of(&loaded, loaded.store->queues.items[0]->parent), "root");
}
END_TEST

static const struct {
    const char *yaml, *invalid;
} senseless[] = {
    {QUEUE("{weight: -1}"), "spec.weight: must be from 0 to 2147483647, is -1"},
    {QUEUE("{queueingStrategy: Fair}"), "spec.queueingStrategy: has the unknown value \"Fair\""},
    {QUEUE("{quota: [{resource: cpu, nominalQuota: -1}]}"), "spec.quota[0].nominalQuota: must not be negative, is -1"},
    {QUEUE("{quota: [{resource: cpu}, {resource: cpu}]}"), "spec.quota[1].resource: is listed twice"},
    {QUEUE("{namespaceSelector: {matchExpressions: [{key: a, operator: Near}]}}"),
     "spec.namespaceSelector.matchExpressions[0].operator: has the unknown value \"Near\""},
};

START_TEST(senseless_queues_are_kept_and_say_so) {
    ck_assert_str_eq(read_queue(senseless[_i].yaml)->meta.invalid.ptr, senseless[_i].invalid);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_loop_test(tests, pods_get_what_admission_gives_them, 0, sizeof priorities / sizeof *priorities);
    tcase_add_test(tests, a_class_that_is_not_there);
    tcase_add_test(tests, budgets);
    tcase_add_test(tests, namespaces_have_the_label_of_their_name);
    tcase_add_test(tests, all_fields_of_a_queue);
    tcase_add_test(tests, a_queue_that_says_nothing);
    tcase_add_loop_test(tests, volcano_quota, 0, sizeof volcano_quotas / sizeof *volcano_quotas);
    tcase_add_test(tests, volcano_states);
    tcase_add_test(tests, volcanos_root_need_not_be_there);
    tcase_add_loop_test(tests, senseless_queues_are_kept_and_say_so, 0, sizeof senseless / sizeof *senseless);
}

int main(void) {
    return mu_suite_run("decode_policy", add_tests);
}
