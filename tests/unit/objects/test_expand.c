/* Workloads that are manifests become the pods that their controllers would make. */
#include "scheduler/base/limits.h"
#include "tests/unit/objects/load.h"

#define TEMPLATE "template: {metadata: {labels: {app: a}}, spec: {schedulerName: muster, containers: [{name: x}]}}"
#define WORKLOAD(version, kind, spec)                                                                                  \
    "---\n{apiVersion: " version ", kind: " kind ", metadata: {name: w, namespace: x}, spec: {" spec "}}\n"
#define NODE(name, rest) "---\n{apiVersion: v1, kind: Node, metadata: {name: " name "}, " rest "}\n"

static struct loaded loaded;

static void teardown(void) {
    unload(&loaded);
}

/* Labels and annotations of a pod, in braces. */
static const char *marks(const char *name) {
    const struct mu_meta *meta = &pod_of(&loaded, name)->meta;
    return mu_str_printf(loaded.arena, "{%s} {%s}", labels_text(&loaded, &meta->labels),
                         labels_text(&loaded, &meta->annotations))
        .ptr;
}

static const struct {
    const char *yaml, *pods;
} cases[] = {
    {WORKLOAD("batch/v1", "Job", TEMPLATE), "x/w-0"},
    {WORKLOAD("batch/v1", "Job", "parallelism: 3, " TEMPLATE), "x/w-0 x/w-1 x/w-2"},
    {WORKLOAD("batch/v1", "Job", "parallelism: 3, completions: 2, " TEMPLATE), "x/w-0 x/w-1"},
    {WORKLOAD("batch/v1", "Job", "parallelism: 1, completions: 9, " TEMPLATE), "x/w-0"},
    {WORKLOAD("batch/v1", "Job", "parallelism: 0, " TEMPLATE), ""},
    {WORKLOAD("batch/v1", "Job", "suspend: true, " TEMPLATE), ""},
    {WORKLOAD("apps/v1", "Deployment", "replicas: 2, " TEMPLATE), "x/w-0 x/w-1"},
    {WORKLOAD("apps/v1", "Deployment", TEMPLATE), "x/w-0"},
    {WORKLOAD("apps/v1", "ReplicaSet", "replicas: 2, " TEMPLATE), "x/w-0 x/w-1"},
    {WORKLOAD("apps/v1", "StatefulSet", "replicas: 2, ordinals: {start: 5}, " TEMPLATE), "x/w-5 x/w-6"},
    {WORKLOAD("apps/v1", "DaemonSet", TEMPLATE), ""},
    {WORKLOAD("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
              "replicas: 2, leaderWorkerTemplate: {size: 3, workerTemplate: {spec: {containers: []}}}"),
     "x/w-0 x/w-0-1 x/w-0-2 x/w-1 x/w-1-1 x/w-1-2"},
    {WORKLOAD("jobset.x-k8s.io/v1alpha2", "JobSet",
              "replicatedJobs: [{name: a, template: {spec: {" TEMPLATE "}}}, {name: b, replicas: 2, template: {spec:"
              " {parallelism: 2, " TEMPLATE "}}}]"),
     "x/w-a-0-0 x/w-b-0-0 x/w-b-0-1 x/w-b-1-0 x/w-b-1-1"},
    /* The server has it: its pods are its controller's affair. */
    {"---\n{apiVersion: batch/v1, kind: Job, metadata: {name: w, uid: u}, spec: {" TEMPLATE "}}\n", ""},
    {WORKLOAD("batch/v1", "Job", TEMPLATE) "---\n{apiVersion: batch/v1, kind: Job, metadata: {name: w, namespace: x, "
                                           "uid: u, resourceVersion: '1'},"
                                           " spec: {" TEMPLATE "}}\n",
     ""},
    /* A pod that is there is not made again. */
    {WORKLOAD(
         "apps/v1", "StatefulSet",
         "replicas: 2, " TEMPLATE) "---\n{apiVersion: v1, kind: Pod, metadata: {name: w-1, namespace: x, uid: u}}\n",
     "x/w-0 x/w-1"},
    {WORKLOAD("apps/v1", "Deployment", "replicas: 1, " TEMPLATE)
         WORKLOAD("apps/v1", "Deployment", TEMPLATE ", replicas: 1"),
     "x/w-0"},
};

START_TEST(pods_of_a_workload) {
    loaded = load_ok(cases[_i].yaml);
    ck_assert_str_eq(pod_names(&loaded), cases[_i].pods);
}
END_TEST

START_TEST(a_pod_that_was_made) {
    loaded = load_ok(WORKLOAD("apps/v1", "ReplicaSet",
                              "replicas: 2, template: {metadata: {labels: {app: a}, annotations:"
                              " {scheduling.k8s.io/group-name: g}}, spec: {schedulerName: muster, priority: 4,"
                              " containers: [{name: x, resources: {requests: {cpu: 1}}}]}}"));
    const struct mu_pod *pod = pod_of(&loaded, "w-0");
    ck_assert_int_eq(pod->expanded, true);
    ck_assert_uint_eq(pod->meta.uid, 0);
    ck_assert_int_eq(pod->meta.created_ns, MU_TIME_NONE);
    ck_assert_str_eq(text_of(&loaded, pod->meta.owner_kind), "ReplicaSet");
    ck_assert_str_eq(text_of(&loaded, pod->meta.owner_name), "w");
    ck_assert_int_eq(pod->phase, MU_PHASE_PENDING);
    ck_assert_int_eq(pod->priority, 4);
    ck_assert_ptr_eq(pod->spec, pod_of(&loaded, "w-1")->spec);
    ck_assert_str_eq(amounts_text(&loaded, pod->spec->requests, pod->spec->requests_len), "cpu=1000");
    ck_assert_str_eq(marks("w-0"), "{app=a} {scheduling.k8s.io/group-name=g}");
}
END_TEST

START_TEST(a_deployments_pods_have_its_hash) {
    loaded = load_ok(WORKLOAD("apps/v1", "Deployment", "replicas: 2, " TEMPLATE));
    mu_sym hash, other;
    mu_sym key = sym_of(&loaded, "pod-template-hash");
    ck_assert(mu_labels_get(&pod_of(&loaded, "w-0")->meta.labels, key, &hash));
    ck_assert(mu_labels_get(&pod_of(&loaded, "w-1")->meta.labels, key, &other));
    ck_assert_uint_eq(hash, other);
    ck_assert_uint_eq(strlen(text_of(&loaded, hash)), 5);
}
END_TEST

START_TEST(an_indexed_job_numbers_its_pods) {
    loaded = load_ok(WORKLOAD("batch/v1", "Job", "parallelism: 2, completions: 2, completionMode: Indexed, " TEMPLATE));
    ck_assert_str_eq(marks("w-1"), "{app=a batch.kubernetes.io/job-completion-index=1 batch.kubernetes.io/job-name=w"
                                   " job-name=w} {batch.kubernetes.io/job-completion-index=1}");
}
END_TEST

START_TEST(a_stateful_set_has_claims) {
    loaded = load_ok(
        WORKLOAD("apps/v1", "StatefulSet",
                 "replicas: 2, template: {spec: {containers: [], volumes: [{name: own, persistentVolumeClaim:"
                 " {claimName: c}}, {name: data, persistentVolumeClaim: {claimName: d}}]}}, volumeClaimTemplates: ["
                 "{metadata: {name: data}, spec: {storageClassName: fast, resources: {requests: {storage: 5}}}},"
                 " {metadata: {name: logs}}]") "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: "
                                               "data-w-1, namespace: x}, spec:"
                                               " {volumeName: v}}\n");
    const struct mu_pod *pod = pod_of(&loaded, "w-0");
    ck_assert_uint_eq(pod->volumes_len, 3);
    ck_assert_str_eq(text_of(&loaded, pod->volumes[0].claim), "c");
    ck_assert_str_eq(text_of(&loaded, pod->volumes[1].claim), "data-w-0");
    ck_assert_str_eq(text_of(&loaded, pod->volumes[2].claim), "logs-w-0");
    ck_assert_uint_eq(loaded.store->pvcs.len, 4);
    const struct mu_pvc *made = loaded.store->pvcs.items[0], *there = loaded.store->pvcs.items[1];
    ck_assert_str_eq(text_of(&loaded, made->meta.name), "data-w-0");
    ck_assert_str_eq(text_of(&loaded, made->meta.namespace), "x");
    ck_assert_str_eq(text_of(&loaded, made->storage_class), "fast");
    ck_assert_int_eq(made->request_bytes, 5);
    ck_assert_str_eq(text_of(&loaded, there->meta.name), "data-w-1");
    ck_assert_str_eq(text_of(&loaded, there->volume), "v");
}
END_TEST

START_TEST(ephemeral_volumes_have_claims_of_their_own) {
    loaded = load_ok(
        WORKLOAD("apps/v1", "ReplicaSet",
                 "replicas: 2, template: {spec: {containers: [], volumes: [{name: scratch, ephemeral:"
                 " {volumeClaimTemplate: {spec: {storageClassName: fast}}}}]}}") "---\n{apiVersion: v1, kind: Pod, "
                                                                                 "metadata: {name: p}, spec: {volumes: "
                                                                                 "[{name: s, ephemeral:"
                                                                                 " {volumeClaimTemplate: {}}}]}}\n");
    ck_assert_str_eq(text_of(&loaded, pod_of(&loaded, "w-0")->volumes[0].claim), "w-0-scratch");
    ck_assert_str_eq(text_of(&loaded, pod_of(&loaded, "w-1")->volumes[0].claim), "w-1-scratch");
    ck_assert_uint_eq(loaded.store->pvcs.len, 3);
    ck_assert_str_eq(text_of(&loaded, loaded.store->pvcs.items[0]->meta.name), "p-s");
    ck_assert_str_eq(text_of(&loaded, loaded.store->pvcs.items[1]->meta.name), "w-0-scratch");
    ck_assert_str_eq(text_of(&loaded, loaded.store->pvcs.items[1]->storage_class), "fast");
}
END_TEST

static const struct {
    const char *spec, *pods;
} daemons[] = {
    {"containers: []", "x/w-bare x/w-cordoned x/w-soft x/w-zoned"},
    {"containers: [], nodeSelector: {zone: a}", "x/w-zoned"},
    {"containers: [], nodeName: bare", "x/w-bare"},
    {"containers: [], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms:"
     " [{matchExpressions: [{key: zone, operator: DoesNotExist}]}]}}}",
     "x/w-bare x/w-cordoned x/w-soft"},
    {"containers: [], tolerations: [{operator: Exists}]", "x/w-bare x/w-cordoned x/w-soft x/w-tainted x/w-zoned"},
    {"containers: [], tolerations: [{key: t, value: '5'}]", "x/w-bare x/w-cordoned x/w-soft x/w-tainted x/w-zoned"},
    {"containers: [], tolerations: [{key: t, value: '6'}]", "x/w-bare x/w-cordoned x/w-soft x/w-zoned"},
    {"containers: [], tolerations: [{key: t, operator: Gt, value: '4'}]",
     "x/w-bare x/w-cordoned x/w-soft x/w-tainted x/w-zoned"},
    {"containers: [], tolerations: [{key: t, operator: Lt, value: '4'}]", "x/w-bare x/w-cordoned x/w-soft x/w-zoned"},
};

START_TEST(a_daemon_set_has_a_pod_a_node) {
    loaded = load_printf(
        "%s---\n{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: w, namespace: x}, spec:"
        " {template: {spec: {%s}}}}\n",
        NODE("bare", "") NODE("cordoned", "spec: {unschedulable: true, taints: [{key:"
                                          " node.kubernetes.io/unschedulable, effect: NoSchedule}]}")
            NODE("soft", "spec: {taints: [{key: t, effect: PreferNoSchedule}]}")
                NODE("tainted",
                     "spec: {taints: [{key: t, value: '5', effect: NoExecute}]}") "---\n{apiVersion: v1, kind: Node, "
                                                                                  "metadata: {name: zoned, labels: "
                                                                                  "{zone: a}}}\n",
        daemons[_i].spec);
    ck_assert_str_eq(pod_names(&loaded), daemons[_i].pods);
    for (size_t i = 0; i < loaded.store->pods.len; i++) {
        const struct mu_pod *pod = loaded.store->pods.items[i];
        ck_assert_uint_eq(pod->spec->node_required_len, 1);
        mu_sym node = pod->spec->node_required[0].fields.items[0].values[0];
        ck_assert_str_eq(text_of(&loaded, pod->meta.name) + strlen("w-"), text_of(&loaded, node));
        ck_assert_str_eq(text_of(&loaded, pod->meta.owner_kind), "DaemonSet");
    }
}
END_TEST

START_TEST(a_leader_and_its_workers) {
    loaded = load_ok(WORKLOAD("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
                              "leaderWorkerTemplate: {size: 2, leaderTemplate: {spec: {containers: [{name: l,"
                              " resources: {requests: {cpu: 1}}}]}}, workerTemplate: {spec: {containers: [{name: k,"
                              " resources: {requests: {cpu: 2}}}]}}}"));
    const struct mu_pod_spec *leader = pod_of(&loaded, "w-0")->spec, *worker = pod_of(&loaded, "w-0-1")->spec;
    ck_assert_str_eq(amounts_text(&loaded, leader->requests, leader->requests_len), "cpu=1000");
    ck_assert_str_eq(amounts_text(&loaded, worker->requests, worker->requests_len), "cpu=2000");
    mu_sym hash;
    ck_assert(mu_labels_get(&pod_of(&loaded, "w-0")->meta.labels,
                            sym_of(&loaded, "leaderworkerset.sigs.k8s.io/template-revision-hash"), &hash));
    struct mu_str expected = mu_str_printf(
        loaded.arena,
        "{leaderworkerset.sigs.k8s.io/group-index=0 leaderworkerset.sigs.k8s.io/name=w"
        " leaderworkerset.sigs.k8s.io/template-revision-hash=%s leaderworkerset.sigs.k8s.io/worker-index=1}"
        " {leaderworkerset.sigs.k8s.io/leader-name=w-0 leaderworkerset.sigs.k8s.io/size=2}",
        text_of(&loaded, hash));
    ck_assert_str_eq(marks("w-0-1"), expected.ptr);
    ck_assert_uint_eq(loaded.store->groups.len, 1);
    ck_assert_int_eq(loaded.store->groups.items[0]->api, MU_GROUP_LWS);
}
END_TEST

START_TEST(a_job_set_names_its_jobs) {
    loaded = load_ok(WORKLOAD("jobset.x-k8s.io/v1alpha2", "JobSet",
                              "replicatedJobs: [{name: b, replicas: 2, template: {spec: {template: {spec: {containers:"
                              " []}}}}}]"));
    ck_assert_str_eq(marks("w-b-1-0"),
                     "{batch.kubernetes.io/job-name=w-b-1 job-name=w-b-1 jobset.sigs.k8s.io/job-global-index=1"
                     " jobset.sigs.k8s.io/job-index=1 jobset.sigs.k8s.io/jobset-name=w"
                     " jobset.sigs.k8s.io/replicatedjob-name=b jobset.sigs.k8s.io/replicatedjob-replicas=2"
                     " jobset.sigs.k8s.io/restart-attempt=0} {}");
}
END_TEST

static const struct {
    const char *yaml, *notes;
} noted[] = {
    {WORKLOAD("batch/v1", "Job", "suspend: true, " TEMPLATE), "Job x/w is suspended: it has no pods yet\n"},
    {WORKLOAD("jobset.x-k8s.io/v1alpha2", "JobSet", "suspend: true, replicatedJobs: []"),
     "JobSet x/w is suspended: it has no pods yet\n"},
    {WORKLOAD("batch/v1", "Job", "parallelism: -1, " TEMPLATE),
     "! Job x/w was not planned: it makes no sense: spec.parallelism: must be from 0 to 2147483647, is -1\n"},
    {WORKLOAD("batch/v1", "Job", "scheduling: {}, parallelism: 0, " TEMPLATE),
     "Job x/w: spec.scheduling is not read; its pods are planned without it\n"},
    {"---\n{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: w, annotations:"
     " {leaderworkerset.sigs.k8s.io/exclusive-topology: rack}}, spec: {replicas: 0, leaderWorkerTemplate:"
     " {workerTemplate: {spec: {containers: []}}}}}\n",
     "LeaderWorkerSet default/w: the annotation leaderworkerset.sigs.k8s.io/exclusive-topology is not read; its pods"
     " are planned without it\nthe input looks partial: there are pods or groups, but no Node\n"},
};

START_TEST(what_is_not_done_is_said) {
    loaded = load_ok(noted[_i].yaml);
    ck_assert_str_eq(notes_text(&loaded), noted[_i].notes);
}
END_TEST

static const struct {
    const char *yaml, *pods;
} too_many[] = {
    {WORKLOAD("apps/v1", "Deployment", "replicas: 1000000000, " TEMPLATE), "Deployment x/w: makes 1000000000 pods"},
    {WORKLOAD("jobset.x-k8s.io/v1alpha2", "JobSet",
              "replicatedJobs: [{name: a, replicas: 2147483647, template: {spec: {parallelism: 2147483647, " TEMPLATE
              "}}}, {name: b, replicas: 2147483647, template: {spec: {parallelism: 2147483647, " TEMPLATE
              "}}}, {name: c, replicas: 2147483647, template: {spec: {parallelism: 2147483647, " TEMPLATE "}}}]"),
     "JobSet x/w: makes 9223372036854775807 pods"},
    {WORKLOAD("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
              "replicas: 2147483647, leaderWorkerTemplate: {size: 2147483647, workerTemplate: {spec: {}}}"),
     "LeaderWorkerSet x/w: makes 4611686014132420609 pods"},
};

START_TEST(absurd_numbers_end_at_a_limit) {
    loaded = load(too_many[_i].yaml);
    ck_assert_int_eq(loaded.code, MU_E_LIMIT);
    struct mu_str text = mu_str_printf(loaded.arena, "%s; all manifests together may make %d (MU_LIMIT_EXPANDED_PODS)",
                                       too_many[_i].pods, MU_LIMIT_EXPANDED_PODS);
    ck_assert_str_eq(loaded.err.text, text.ptr);
}
END_TEST

START_TEST(two_workloads_share_the_limit) {
    loaded = load(
        "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: 1, " TEMPLATE "}}\n"
        "---\n{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: b}, spec: {replicas: 1000000, " TEMPLATE "}}\n");
    ck_assert_int_eq(loaded.code, MU_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(loaded.err.text, "ReplicaSet default/b: makes 1000000 pods"));
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_loop_test(tests, pods_of_a_workload, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tests, a_pod_that_was_made);
    tcase_add_test(tests, a_deployments_pods_have_its_hash);
    tcase_add_test(tests, an_indexed_job_numbers_its_pods);
    tcase_add_test(tests, a_stateful_set_has_claims);
    tcase_add_test(tests, ephemeral_volumes_have_claims_of_their_own);
    tcase_add_loop_test(tests, a_daemon_set_has_a_pod_a_node, 0, sizeof daemons / sizeof *daemons);
    tcase_add_test(tests, a_leader_and_its_workers);
    tcase_add_test(tests, a_job_set_names_its_jobs);
    tcase_add_loop_test(tests, what_is_not_done_is_said, 0, sizeof noted / sizeof *noted);
    tcase_add_loop_test(tests, absurd_numbers_end_at_a_limit, 0, sizeof too_many / sizeof *too_many);
    tcase_add_test(tests, two_workloads_share_the_limit);
}

int main(void) {
    return mu_suite_run("expand", add_tests);
}
