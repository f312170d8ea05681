/* The store: lists, copies, kinds that are passed over, faults with their places, and the order of documents. */
#include "tests/lib/faults.h"
#include "tests/lib/random.h"
#include "tests/unit/objects/load.h"

#define POD(name, more) "---\n{apiVersion: v1, kind: Pod, metadata: {name: " name "}, " more "}\n"

static struct loaded loaded;

static void teardown(void) {
    unload(&loaded);
}

/* ---- Lists ---- */

START_TEST(lists_of_all_forms) {
    loaded =
        load_ok("---\n{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Node, metadata: {name: n1}}, null,"
                " {apiVersion: v1, kind: PodList, items: [{metadata: {name: b, namespace: x}}]}]}\n"
                "---\n{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroupList, items: [{metadata: {name: g},"
                " spec: {schedulingPolicy: {gang: {minCount: 2}}}}]}\n"
                "---\n{apiVersion: v1, kind: PodList, items: []}\n"
                "---\n{apiVersion: v1, kind: PodList, metadata: {}, items: [{metadata: {name: a}}]}\n");
    ck_assert_str_eq(pod_names(&loaded), "default/a x/b");
    ck_assert_uint_eq(loaded.store->nodes.len, 1);
    ck_assert_uint_eq(loaded.store->groups.len, 1);
    ck_assert_int_eq(loaded.store->groups.items[0]->min_count, 2);
    ck_assert_str_eq(notes_text(&loaded), "");
}
END_TEST

/* ---- Copies ---- */

#define VERSION(version, more)                                                                                         \
    "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, uid: u, resourceVersion: '" version "'}, " more "}\n"

static const struct {
    const char *yaml, *node; /* NULL: an error */
} copies[] = {
    {VERSION("5", "spec: {}") VERSION("7", "spec: {nodeName: n}"), "n"},
    {VERSION("7", "spec: {nodeName: n}") VERSION("5", "spec: {}"), "n"},
    {VERSION("9", "spec: {}") VERSION("10", "spec: {nodeName: n}"), "n"},
    {VERSION("5", "spec: {nodeName: n}") VERSION("5", "spec: {nodeName: n}, other: 1"), "n"},
    {VERSION("5", "spec: {nodeName: n}") VERSION("5", "spec: {}"), NULL},
    {VERSION("5", "spec: {}") VERSION("5", "spec: {nodeName: n}"), NULL},
    {VERSION("5", "spec: {}") VERSION("5", "spec: {schedulerName: muster}"), NULL},
    /* What differs is of no version that counts. */
    {VERSION("5", "spec: {}") VERSION("5", "spec: {nodeName: m}") VERSION("6", "spec: {nodeName: n}"), "n"},
    {VERSION("6", "spec: {nodeName: n}") VERSION("5", "spec: {}") VERSION("5", "spec: {nodeName: m}"), "n"},
    {VERSION("5", "spec: {}") VERSION("6", "spec: {nodeName: n}") VERSION("5", "spec: {nodeName: m}"), "n"},
    /* A manifest has no version: what the server says comes first. */
    {VERSION("1", "spec: {nodeName: n}") POD("p", "spec: {}"), "n"},
    {POD("p", "spec: {}") VERSION("1", "spec: {nodeName: n}"), "n"},
    {POD("p", "spec: {nodeName: n}") POD("p", "spec: {nodeName: n}"), "n"},
    {POD("p", "spec: {nodeName: n}") POD("p", "spec: {}"), NULL},
};

START_TEST(the_newer_copy_counts) {
    loaded = load(copies[_i].yaml);
    if (copies[_i].node == NULL) {
        ck_assert_int_eq(loaded.code, MU_E_PARSE);
        ck_assert_ptr_nonnull(strstr(loaded.err.text, ": Pod default/p: is there twice with resourceVersion "));
        return;
    }
    ck_assert_msg(loaded.code == 0, "%s", loaded.err.text);
    ck_assert_str_eq(pod_names(&loaded), "default/p");
    ck_assert_str_eq(text_of(&loaded, pod_of(&loaded, "p")->node), copies[_i].node);
}
END_TEST

START_TEST(one_object_in_two_versions_of_its_api) {
    loaded =
        load_ok("---\n{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g, resourceVersion:"
                " '4'}, spec: {schedulingPolicy: {gang: {minCount: 2}}, disruptionMode: {all: {}}}}\n"
                "---\n{apiVersion: scheduling.k8s.io/v1alpha3, kind: PodGroup, metadata: {name: g, resourceVersion:"
                " '4'}, spec: {schedulingPolicy: {gang: {minCount: 2}}, disruptionMode: {all: {}}}}\n"
                "---\n{apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, metadata: {name: g, resourceVersion:"
                " '4'}, spec: {schedulingPolicy: {gang: {minCount: 2}}, disruptionMode: PodGroup}}\n"
                "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s, resourceVersion:"
                " '4'}, spec: {driver: d, pool: {name: p}, devices: [{name: x, attributes: {u: {string: a}}}]}}\n"
                "---\n{apiVersion: resource.k8s.io/v1beta1, kind: ResourceSlice, metadata: {name: s,"
                " resourceVersion: '4'}, spec: {driver: d, pool: {name: p}, devices: [{name: x, basic:"
                " {attributes: {u: {string: a}}}}]}}\n");
    ck_assert_uint_eq(loaded.store->groups.len, 1);
    ck_assert_uint_eq(loaded.store->slices.len, 1);
}
END_TEST

START_TEST(kinds_of_one_name_are_apart) {
    loaded = load_ok("---\n{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g}, spec:"
                     " {schedulingPolicy: {basic: {}}}}\n"
                     "---\n{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g}}\n"
                     "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g}}\n"
                     "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: q}}\n"
                     "---\n{apiVersion: scheduling.muster.dev/v1alpha1, kind: Queue, metadata: {name: q}}\n"
                     "---\n{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: j, uid: u}}\n");
    ck_assert_uint_eq(loaded.store->groups.len, 3);
    ck_assert_uint_eq(loaded.store->queues.len, 2);
    ck_assert_int_eq(loaded.store->queues.items[0]->volcano, false);
    ck_assert_int_eq(loaded.store->queues.items[1]->volcano, true);
}
END_TEST

/* ---- Kinds that are not read ---- */

START_TEST(other_kinds_are_counted) {
    loaded =
        load_ok("---\n{apiVersion: v1, kind: Service, metadata: {name: a}}\n"
                "---\n{apiVersion: v1, kind: ConfigMap}\n"
                "---\n{apiVersion: v1, kind: ConfigMapList, items: [{metadata: {name: b}}]}\n"
                "---\n{apiVersion: batch/v1, kind: CronJob, metadata: {name: c, uid: u}, spec: {jobTemplate: {spec:"
                " {template: {spec: {containers: []}}}}}}\n");
    ck_assert_str_eq(notes_text(&loaded),
                     "skipped 4 objects of kinds that do not matter here: ConfigMap (2), CronJob (1), Service (1)\n");
}
END_TEST

START_TEST(manifests_with_pods_in_them_are_named) {
    loaded = load_ok(
        "---\n{apiVersion: batch/v1, kind: CronJob, metadata: {name: c}, spec: {jobTemplate: {spec: {template:"
        " {spec: {containers: []}}}}}}\n"
        "---\n{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: r, namespace: x}, spec: {workerGroupSpecs:"
        " [{template: {spec: {containers: []}}}]}}\n");
    ck_assert_str_eq(
        notes_text(&loaded),
        "! CronJob default/c was not planned: muster does not know which pods a CronJob of batch makes\n"
        "! RayCluster x/r was not planned: muster does not know which pods a RayCluster of ray.io makes\n");
}
END_TEST

START_TEST(partial_snapshots_are_named) {
    loaded = load_ok(POD("p", "spec: {resourceClaims: [{name: a, resourceClaimName: b}]}"));
    ck_assert_str_eq(notes_text(&loaded), "the input looks partial: 1 pod with resource claims, but no ResourceSlice\n"
                                          "the input looks partial: there are pods or groups, but no Node\n");
}
END_TEST

START_TEST(many_senseless_objects_are_counted) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    struct mu_buf yaml;
    mu_buf_init(&yaml, arena);
    for (int i = 0; i < 23; i++) {
        mu_buf_printf(&yaml,
                      "---\n{apiVersion: v1, kind: Node, metadata: {name: n%02d}, status: {allocatable: {cpu: -1}}}\n",
                      i);
    }
    loaded = load_bytes(mu_buf_str(&yaml), NULL);
    ck_assert_int_eq(loaded.code, 0);
    ck_assert_uint_eq(loaded.store->notes.len, 21);
    ck_assert_ptr_nonnull(strstr(notes_text(&loaded), "Node n19 makes no sense and is refused: status.allocatable.cpu: "
                                                      "must not be negative, is -1\n"));
    ck_assert_ptr_nonnull(strstr(notes_text(&loaded), "Node: 3 more make no sense and are refused\n"));
    mu_arena_destroy(arena);
}
END_TEST

/* ---- Bad input ---- */

static const struct {
    const char *yaml, *text;
} faults_of_input[] = {
    {"---\n[]\n", "test.yaml: document 1, line 2: must be an object, is array"},
    {"---\n{apiVersion: v1}\n", "test.yaml: document 1, line 2: kind: is missing"},
    {"---\n{kind: Pod}\n", "test.yaml: document 1, line 2: apiVersion: is missing"},
    {"---\n{kind: 1, apiVersion: v1}\n", "test.yaml: document 1, line 2: kind: must be a string, is number"},
    {"---\n{apiVersion: v1, kind: List, items: [{apiVersion: v1}]}\n",
     "test.yaml: document 1, line 2: items[0].kind: is missing"},
    {"---\n{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Node, metadata: {name: n}},\n 1]}\n",
     "test.yaml: document 1, line 3: items[1]: must be an object, is number"},
    {"---\n{apiVersion: v1, kind: Pod}\n", "test.yaml: document 1, line 2: Pod: metadata.name: is missing"},
    {"---\n{apiVersion: v1, kind: Pod, metadata: [x]}\n",
     "test.yaml: document 1, line 2: Pod: metadata: must be an object, is array"},
    {"---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: x}\nspec:\n  containers:\n  - name: a\n"
     "    resources:\n      requests:\n        cpu: lots\n",
     "test.yaml: document 1, line 10: Pod x/p: spec.containers[0].resources.requests.cpu: must be a quantity as in "
     "500m "
     "or 2Gi, is \"lots\""},
    {POD("p", "spec: {containers: [{resources: {limits: {nvidia.com/gpu: [1]}}}]}"),
     "test.yaml: document 1, line 2: Pod default/p: spec.containers[0].resources.limits[nvidia.com/gpu]: must be a "
     "quantity, is array"},
    {POD("p", "spec: {containers: {name: a}}"),
     "test.yaml: document 1, line 2: Pod default/p: spec.containers: must be an array, is object"},
    {POD("p", "spec: {containers: [a]}"),
     "test.yaml: document 1, line 2: Pod default/p: spec.containers[0]: must be an object, is string"},
    {POD("p", "spec: {hostNetwork: 'yes', containers: []}"),
     "test.yaml: document 1, line 2: Pod default/p: spec.hostNetwork: must be true or false, is string"},
    {POD("p", "spec: {priority: '5'}"),
     "test.yaml: document 1, line 2: Pod default/p: spec.priority: must be a number, is string"},
    {POD("p", "spec: {priority: 1.5}"),
     "test.yaml: document 1, line 2: Pod default/p: spec.priority: must be a whole number, is 1.5"},
    {POD("p", "status: {startTime: yesterday}"),
     "test.yaml: document 1, line 2: Pod default/p: status.startTime: must be a time as in 2026-12-01T03:30:00Z, is "
     "\"yesterday\""},
    {POD("p", "status: {startTime: \"a\\nb\\e[31m\"}"),
     "test.yaml: document 1, line 2: Pod default/p: status.startTime: must be a time as in 2026-12-01T03:30:00Z, is "
     "\"a?b?[31m\""},
    {POD("p", "spec: {nodeSelector: {\"a\\nb\": 1}}"),
     "test.yaml: document 1, line 2: Pod default/p: spec.nodeSelector.a?b: must be a string, is number"},
    /* Quotes are cut, and between characters. */
    {POD("p", "status: {startTime: 1234567890123456789012345678901234567890123456789012345678\u20ac\u20ac}"),
     "test.yaml: document 1, line 2: Pod default/p: status.startTime: must be a time as in 2026-12-01T03:30:00Z, is "
     "\"1234567890123456789012345678901234567890123456789012345678\""},
    {POD("p", "spec: {nodeSelector: {a: 1}}"),
     "test.yaml: document 1, line 2: Pod default/p: spec.nodeSelector.a: must be a string, is number"},
    {POD("p", "spec: {tolerations: [{key: 5}]}"),
     "test.yaml: document 1, line 2: Pod default/p: spec.tolerations[0].key: must be a string, is number"},
    {POD("p", "spec: {resourceClaims: [{}]}"),
     "test.yaml: document 1, line 2: Pod default/p: spec.resourceClaims[0].name: is missing"},
    {"---\n{apiVersion: v1, kind: Node, metadata: {name: n}, spec: {taints: [{effect: NoSchedule}]}}\n",
     "test.yaml: document 1, line 2: Node n: spec.taints[0].key: is missing"},
    {"---\n{apiVersion: scheduling.muster.dev/v1alpha1, kind: Queue, metadata: {name: q}, spec: {maxWait: soon}}\n",
     "test.yaml: document 1, line 2: Queue q: spec.maxWait: must be a duration as in 1h30m, is \"soon\""},
    {"---\n{apiVersion: batch/v1, kind: Job, metadata: {name: j}}\n",
     "test.yaml: document 1, line 2: Job default/j: spec: is missing"},
    {"---\n{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {}}\n",
     "test.yaml: document 1, line 2: Job default/j: spec.template: is missing"},
};

START_TEST(faults_name_their_place) {
    loaded = load(faults_of_input[_i].yaml);
    ck_assert_int_eq(loaded.code, MU_E_PARSE);
    ck_assert_str_eq(loaded.err.text, faults_of_input[_i].text);
}
END_TEST

START_TEST(the_second_document_is_counted) {
    loaded = load(POD("a", "spec: {}") "---\n\n" POD("b", "spec: []"));
    ck_assert_int_eq(loaded.code, MU_E_PARSE);
    ck_assert_ptr_nonnull(strstr(loaded.err.text, ": Pod default/b: spec: must be an object, is array"));
}
END_TEST

/* ---- Names that the server would make ---- */

START_TEST(generated_names_depend_on_the_content) {
    loaded = load_ok("---\n{apiVersion: v1, kind: Pod, metadata: {generateName: a-, labels: {x: y, z: w}}}\n"
                     "---\n{kind: Pod, metadata: {labels: {z: w, x: y}, generateName: a-}, apiVersion: v1}\n"
                     "---\n{apiVersion: v1, kind: Pod, metadata: {generateName: a-, labels: {x: other}}}\n");
    ck_assert_uint_eq(loaded.store->pods.len, 2);
    struct mu_str name = mu_text(&loaded.store->symbols, loaded.store->pods.items[0]->meta.name);
    ck_assert_uint_eq(name.len, strlen("a-") + 5);
}
END_TEST

/* ---- Order ---- */

static const char *const documents[] = {
    "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {z: '1', a: '2'}}, status: {allocatable: {cpu: 4, "
    "memory:"
    " 1Gi}, images: [{names: [x, y], sizeBytes: 3}]}}",
    "{apiVersion: v1, kind: Node, metadata: {name: n2}, spec: {taints: [{key: t, effect: NoSchedule}]}}",
    POD("a", "spec: {containers: [{name: x, image: q, resources: {requests: {memory: 1, cpu: 2}}}], nodeSelector: {z:"
             " '1', a: '2'}}"),
    POD("b",
        "spec: {containers: [{name: x, resources: {requests: {cpu: 3}}}], affinity: {podAffinity:"
        " {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z, labelSelector: {matchLabels: {z: z, a:"
        " a}}, namespaces: [y, x]}]}}}"),
    VERSION("5", "spec: {nodeName: n1}"),
    VERSION("6", "spec: {nodeName: n2}"),
    VERSION("6", "spec: {nodeName: n2}"),
    VERSION("4", "spec: {nodeName: n3}"),
    VERSION("4", "spec: {nodeName: n4}"),
    "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: b}, value: 7, globalDefault: true}",
    "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: a}, value: 7, globalDefault: true}",
    "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g}, spec: {minTaskMember: {w: 2, m:"
    " 1}, minResources: {z: 1, cpu: 1}}}",
    "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g}, spec: {schedulingPolicy: {gang:"
    " {minCount: -1}}}}",
    "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {template: {spec: {containers: []}}}}",
    "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s}, spec: {replicas: 2, template: {spec: {containers:"
    " []}}, volumeClaimTemplates: [{metadata: {name: data}}]}}",
    "{apiVersion: batch/v1, kind: CronJob, metadata: {name: c}, spec: {template: {spec: {containers: []}}}}",
    "{apiVersion: v1, kind: Service, metadata: {name: c}}",
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}",
    "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: y, annotations: "
    "{storageclass.kubernetes.io/is-default-class: 'true'}}}",
    "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: x, annotations: "
    "{storageclass.kubernetes.io/is-default-class: 'true'}}}",
    "{apiVersion: scheduling.muster.dev/v1alpha1, kind: Queue, metadata: {name: q}, spec: {quota: [{resource: z,"
    " nominalQuota: 1}, {resource: cpu, nominalQuota: 1}]}}",
};

enum { DOCUMENTS = sizeof documents / sizeof *documents };

static struct loaded load_in_order(struct mu_arena *arena, const size_t *order) {
    struct mu_buf yaml;
    mu_buf_init(&yaml, arena);
    for (size_t i = 0; i < DOCUMENTS; i++) {
        mu_buf_printf(&yaml, "---\n%s\n", documents[order[i]]);
    }
    return load_bytes(mu_buf_str(&yaml), NULL);
}

START_TEST(the_order_of_documents_means_nothing) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    struct mu_random random = {.state = (uint64_t)_i};
    size_t order[DOCUMENTS];
    for (size_t i = 0; i < DOCUMENTS; i++) {
        order[i] = i;
    }
    loaded = load_in_order(arena, order);
    ck_assert_msg(loaded.code == 0, "%s", loaded.err.text);
    for (size_t i = DOCUMENTS - 1; i > 0; i--) {
        size_t other = mu_random_below(&random, i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    struct loaded shuffled = load_in_order(arena, order);
    ck_assert_msg(shuffled.code == 0, "%s", shuffled.err.text);
    ck_assert_str_eq(dump_of(&loaded).ptr, dump_of(&shuffled).ptr);
    unload(&shuffled);
    mu_arena_destroy(arena);
}
END_TEST

/* ---- Memory ---- */

START_TEST(without_memory_it_says_so) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    struct mu_buf yaml;
    mu_buf_init(&yaml, arena);
    for (size_t i = 0; i < DOCUMENTS; i++) {
        mu_buf_printf(&yaml, "---\n%s\n", documents[i]);
    }
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        struct mu_faults faults = {.fail_at = n, .from_then_on = _i == 1};
        struct mu_memory memory = mu_faults_memory(&faults);
        loaded = load_bytes(mu_buf_str(&yaml), &memory);
        failed = faults.failed > 0;
        ck_assert_int_eq(loaded.code, failed ? MU_E_NOMEM : 0);
        unload(&loaded);
        ck_assert_uint_eq(faults.live, 0);
    }
    mu_arena_destroy(arena);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_test(tests, lists_of_all_forms);
    tcase_add_loop_test(tests, the_newer_copy_counts, 0, sizeof copies / sizeof *copies);
    tcase_add_test(tests, one_object_in_two_versions_of_its_api);
    tcase_add_test(tests, kinds_of_one_name_are_apart);
    tcase_add_test(tests, other_kinds_are_counted);
    tcase_add_test(tests, manifests_with_pods_in_them_are_named);
    tcase_add_test(tests, partial_snapshots_are_named);
    tcase_add_test(tests, many_senseless_objects_are_counted);
    tcase_add_loop_test(tests, faults_name_their_place, 0, sizeof faults_of_input / sizeof *faults_of_input);
    tcase_add_test(tests, the_second_document_is_counted);
    tcase_add_test(tests, generated_names_depend_on_the_content);
    tcase_add_loop_test(tests, the_order_of_documents_means_nothing, 0, 50);
    tcase_add_loop_test(tests, without_memory_it_says_so, 0, 2);
}

int main(void) {
    return mu_suite_run("store", add_tests);
}
