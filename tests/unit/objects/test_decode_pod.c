/* Pods: every field that is read, once as people write it and once left out. */
#include "tests/unit/objects/load.h"

#define POD(rest) "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, uid: u}, " rest "}"

static struct loaded loaded;

static const struct mu_pod *read_pod(const char *yaml) {
    loaded = load_ok(yaml);
    return pod_of(&loaded, "p");
}

static void teardown(void) {
    unload(&loaded);
}

START_TEST(metadata) {
    const struct mu_pod *pod = read_pod("---\n"
                                        "apiVersion: v1\n"
                                        "kind: Pod\n"
                                        "metadata:\n"
                                        "  name: p\n"
                                        "  namespace: team\n"
                                        "  uid: 11-22\n"
                                        "  resourceVersion: '77'\n"
                                        "  creationTimestamp: '1970-01-01T00:00:01Z'\n"
                                        "  deletionTimestamp: '1970-01-01T00:00:02.5Z'\n"
                                        "  labels: {b: '2', a: '1', empty: , c: null}\n"
                                        "  annotations: {volcano.sh/task-spec: worker, example.com/note: dropped,\n"
                                        "    plain: dropped, kubernetes.io/config.mirror: x}\n"
                                        "  ownerReferences:\n"
                                        "  - {kind: ConfigMap, name: no, uid: n}\n"
                                        "  - {kind: ReplicaSet, name: yes, uid: y, controller: true}\n"
                                        "spec: {containers: [{name: a}]}\n");
    const struct mu_meta *meta = &pod->meta;
    ck_assert_str_eq(text_of(&loaded, meta->namespace), "team");
    ck_assert_str_eq(text_of(&loaded, meta->uid), "11-22");
    ck_assert_str_eq(text_of(&loaded, meta->owner_kind), "ReplicaSet");
    ck_assert_str_eq(text_of(&loaded, meta->owner_name), "yes");
    ck_assert_str_eq(text_of(&loaded, meta->owner_uid), "y");
    ck_assert_int_eq(meta->resource_version, 77);
    ck_assert_int_eq(meta->created_ns, 1000000000);
    ck_assert_int_eq(meta->deleted_ns, 2500000000);
    ck_assert_str_eq(labels_text(&loaded, &meta->labels), "a=1 b=2 c= empty=");
    ck_assert_str_eq(labels_text(&loaded, &meta->annotations),
                     "kubernetes.io/config.mirror=x volcano.sh/task-spec=worker");
    ck_assert_uint_eq(meta->invalid.len, 0);
}
END_TEST

START_TEST(what_is_left_out) {
    const struct mu_pod *pod = read_pod("---\n{apiVersion: v1, kind: Pod, metadata: {name: p, creationTimestamp: null},"
                                        " spec: {containers: [{name: a}]}}");
    ck_assert_str_eq(text_of(&loaded, pod->meta.namespace), "default");
    ck_assert_uint_eq(pod->meta.uid, 0);
    ck_assert_int_eq(pod->meta.created_ns, MU_TIME_NONE);
    ck_assert_int_eq(pod->meta.deleted_ns, MU_TIME_NONE);
    ck_assert_int_eq(pod->meta.resource_version, 0);
    ck_assert_str_eq(text_of(&loaded, pod->spec->scheduler), "default-scheduler");
    ck_assert_int_eq(pod->spec->active_deadline_ns, MU_TIME_NONE);
    ck_assert_uint_eq(pod->spec->has_node_required, false);
    ck_assert_uint_eq(pod->spec->images_len, 0);
    ck_assert_uint_eq(pod->spec->containers_len, 1);
    ck_assert_uint_eq(pod->node, 0);
    ck_assert_int_eq(pod->phase, MU_PHASE_PENDING);
    ck_assert_int_eq(pod->started_ns, MU_TIME_NONE);
    ck_assert_int_eq(pod->gated, false);
    ck_assert_int_eq(pod->expanded, false);
}
END_TEST

START_TEST(spec_and_status) {
    const struct mu_pod *pod = read_pod(POD("spec: {schedulerName: muster, nodeName: n1, priority: -7,"
                                            " priorityClassName: low, preemptionPolicy: Never,"
                                            " schedulingGates: [{name: one}, {name: two}],"
                                            " schedulingGroup: {podGroupName: train}, activeDeadlineSeconds: 90,"
                                            " nodeSelector: {zone: a}, containers: [{name: a}],"
                                            " resourceClaims: [{name: x, resourceClaimName: c},"
                                            " {name: y, resourceClaimTemplateName: t}]},"
                                            " status: {phase: Running, nominatedNodeName: n2,"
                                            " startTime: '1970-01-01T00:00:03Z',"
                                            " resourceClaimStatuses: [{name: y, resourceClaimName: p-y-1}],"
                                            " extendedResourceClaimStatus: {resourceClaimName: p-ext}}"));
    ck_assert_str_eq(text_of(&loaded, pod->spec->scheduler), "muster");
    ck_assert_int_eq(pod->spec->active_deadline_ns, 90000000000);
    ck_assert_str_eq(labels_text(&loaded, &pod->spec->node_selector), "zone=a");
    ck_assert_uint_eq(pod->claims_len, 2);
    ck_assert_str_eq(text_of(&loaded, pod->claims[0].claim), "c");
    ck_assert_uint_eq(pod->claims[0].claim_template, 0);
    ck_assert_str_eq(text_of(&loaded, pod->claims[1].claim_template), "t");
    ck_assert_str_eq(text_of(&loaded, pod->node), "n1");
    ck_assert_str_eq(text_of(&loaded, pod->nominated), "n2");
    ck_assert_int_eq(pod->phase, MU_PHASE_RUNNING);
    ck_assert_int_eq(pod->priority, -7);
    ck_assert_str_eq(text_of(&loaded, pod->priority_class), "low");
    ck_assert_int_eq(pod->preemption, MU_PREEMPT_NEVER);
    ck_assert_int_eq(pod->gated, true);
    ck_assert_str_eq(text_of(&loaded, pod->gate), "one");
    ck_assert_str_eq(text_of(&loaded, pod->group), "train");
    ck_assert_int_eq(pod->started_ns, 3000000000);
    ck_assert_uint_eq(pod->claim_statuses_len, 1);
    ck_assert_str_eq(text_of(&loaded, pod->claim_statuses[0].claim), "p-y-1");
    ck_assert_str_eq(text_of(&loaded, pod->extended_claim), "p-ext");
}
END_TEST

START_TEST(tolerations) {
    const struct mu_pod_spec *spec =
        read_pod(POD("spec: {containers: [], tolerations: [{key: a, value: b, effect: NoSchedule},"
                     " {operator: Exists}, {key: n, operator: Gt, value: '5'}, {key: n, operator: Lt, value: x}]}"))
            ->spec;
    ck_assert_uint_eq(spec->tolerations_len, 4);
    ck_assert_int_eq(spec->tolerations[0].op, MU_TOLERATE_EQUAL);
    ck_assert_int_eq(spec->tolerations[0].effect, MU_EFFECT_NO_SCHEDULE);
    ck_assert_int_eq(spec->tolerations[1].op, MU_TOLERATE_EXISTS);
    ck_assert_int_eq(spec->tolerations[1].effect, MU_EFFECT_ANY);
    ck_assert_uint_eq(spec->tolerations[1].key, 0);
    ck_assert_int_eq(spec->tolerations[2].has_number, true);
    ck_assert_int_eq(spec->tolerations[2].number, 5);
    ck_assert_int_eq(spec->tolerations[3].has_number, false);
}
END_TEST

START_TEST(ports_of_what_runs_along) {
    const struct mu_pod_spec *spec =
        read_pod(POD("spec: {initContainers: [{name: i, ports: [{containerPort: 1, hostPort: 81}]},"
                     " {name: s, restartPolicy: Always, ports: [{containerPort: 1, hostPort: 82, protocol: UDP}]}],"
                     " containers: [{name: a, ports: [{containerPort: 80}, {containerPort: 9, hostPort: 90,"
                     " hostIP: 10.0.0.1}, {containerPort: 9, hostPort: 90, hostIP: 10.0.0.1}]}]}"))
            ->spec;
    ck_assert_uint_eq(spec->host_ports_len, 2);
    ck_assert_int_eq(spec->host_ports[0].port, 82);
    ck_assert_str_eq(text_of(&loaded, spec->host_ports[0].ip), "0.0.0.0");
    ck_assert_str_eq(text_of(&loaded, spec->host_ports[0].protocol), "UDP");
    ck_assert_int_eq(spec->host_ports[1].port, 90);
    ck_assert_str_eq(text_of(&loaded, spec->host_ports[1].ip), "10.0.0.1");
    ck_assert_str_eq(text_of(&loaded, spec->host_ports[1].protocol), "TCP");
    ck_assert_uint_eq(spec->containers_len, 3);
}
END_TEST

START_TEST(ports_in_the_hosts_network) {
    const struct mu_pod_spec *spec =
        read_pod(POD("spec: {hostNetwork: true, containers: [{name: a, ports: [{containerPort: 80}]}]}"))->spec;
    ck_assert_uint_eq(spec->host_ports_len, 1);
    ck_assert_int_eq(spec->host_ports[0].port, 80);
}
END_TEST

START_TEST(images_have_tags) {
    const struct mu_pod_spec *spec =
        read_pod(POD("spec: {initContainers: [{name: i, image: nginx}], containers: [{name: a, image: 'r:5000/a'},"
                     " {name: b, image: 'r:5000/a:1'}, {name: c, image: 'b@sha256:00'}, {name: d, image: nginx}],"
                     " volumes: [{name: v, image: {reference: models}}]}"))
            ->spec;
    ck_assert_str_eq(syms_text(&loaded, spec->images, spec->images_len),
                     "nginx:latest r:5000/a:latest r:5000/a:1 b@sha256:00 nginx:latest models:latest");
}
END_TEST

static const struct {
    const char *yaml, *features;
} features[] = {
    {POD("spec: {containers: [{name: a}], hostNetwork: true}"), ""},
    {POD("spec: {containers: [{name: a}], hostUsers: false}"), ""},
    {POD("spec: {containers: [{name: a}], hostNetwork: true, hostUsers: false}"), "UserNamespacesHostNetworkSupport"},
    {POD("spec: {containers: [{name: a, restartPolicyRules: [{action: Restart}]}]}"), ""},
    {POD("spec: {initContainers: [{name: a, restartPolicyRules: [{action: Restart}, {action: "
         "RestartAllContainers}]}]}"),
     "RestartAllContainersOnContainerExits"},
    {POD("spec: {containers: [{name: a, volumeMounts: [{name: v, bindMountOptions: []}]}]}"), ""},
    {POD("spec: {containers: [{name: a, volumeMounts: [{name: v, bindMountOptions: [noexec]}]}]}"),
     "VolumeBindMountOptions"},
};

START_TEST(features_that_nodes_must_declare) {
    const struct mu_pod_spec *spec = read_pod(features[_i].yaml)->spec;
    ck_assert_str_eq(syms_text(&loaded, spec->features, spec->features_len), features[_i].features);
}
END_TEST

START_TEST(spread) {
    const struct mu_pod_spec *spec =
        read_pod(POD("spec: {containers: [], topologySpreadConstraints: [{maxSkew: 2, topologyKey: zone,"
                     " whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {a: b}}, minDomains: 3,"
                     " nodeAffinityPolicy: Ignore, nodeTaintsPolicy: Honor, matchLabelKeys: [k]},"
                     " {maxSkew: 1, topologyKey: host, whenUnsatisfiable: ScheduleAnyway}]}"))
            ->spec;
    ck_assert_uint_eq(spec->spread_len, 2);
    const struct mu_spread *first = &spec->spread[0], *second = &spec->spread[1];
    ck_assert_int_eq(first->max_skew, 2);
    ck_assert_int_eq(first->min_domains, 3);
    ck_assert_int_eq(first->hard && first->ignore_node_affinity && first->honor_node_taints, true);
    ck_assert_uint_eq(first->selector->len, 1);
    ck_assert_str_eq(syms_text(&loaded, first->match_label_keys, first->match_label_keys_len), "k");
    ck_assert_int_eq(second->hard || second->ignore_node_affinity || second->honor_node_taints, false);
    ck_assert_int_eq(second->min_domains, 0);
    ck_assert_ptr_null(second->selector);
}
END_TEST

START_TEST(node_affinity) {
    const struct mu_pod_spec *spec =
        read_pod(POD("spec: {containers: [], affinity: {nodeAffinity: {"
                     "requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ["
                     "{matchExpressions: [{key: a, operator: In, values: [y, x, y]}, {key: n, operator: Gt,"
                     " values: ['3']}]}, {matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]},"
                     "preferredDuringSchedulingIgnoredDuringExecution: [{weight: 40, preference: {matchExpressions:"
                     " [{key: a, operator: Exists}]}}]}}}"))
            ->spec;
    ck_assert_int_eq(spec->has_node_required, true);
    ck_assert_uint_eq(spec->node_required_len, 2);
    const struct mu_selector *first = &spec->node_required[0].expressions;
    ck_assert_uint_eq(first->len, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct mu_requirement *req = &first->items[i];
        ck_assert_uint_eq(req->values_len, req->op == MU_OP_GT ? 1 : 2);
        ck_assert_int_eq(req->has_number, req->op == MU_OP_GT);
    }
    ck_assert_uint_eq(spec->node_required[1].fields.len, 1);
    ck_assert_uint_eq(spec->node_preferred_len, 1);
    ck_assert_int_eq(spec->node_preferred[0].weight, 40);
}
END_TEST

START_TEST(node_affinity_without_terms_is_still_there) {
    const struct mu_pod_spec *spec =
        read_pod(POD("spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {}}}}"))->spec;
    ck_assert_int_eq(spec->has_node_required, true);
    ck_assert_uint_eq(spec->node_required_len, 0);
}
END_TEST

START_TEST(pod_affinity) {
    const struct mu_pod_spec *spec =
        read_pod(POD("spec: {containers: [], affinity: {podAffinity: {"
                     "requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {},"
                     " namespaces: [b, a], namespaceSelector: {matchLabels: {t: u}}, matchLabelKeys: [k],"
                     " mismatchLabelKeys: [m]}]}, podAntiAffinity: {"
                     "preferredDuringSchedulingIgnoredDuringExecution: [{weight: 3, podAffinityTerm:"
                     " {topologyKey: host}}]}}}"))
            ->spec;
    ck_assert_uint_eq(spec->affinity_len, 1);
    ck_assert_uint_eq(spec->affinity_preferred_len, 0);
    ck_assert_uint_eq(spec->anti_len, 0);
    ck_assert_uint_eq(spec->anti_preferred_len, 1);
    const struct mu_pod_term *term = &spec->affinity[0];
    ck_assert_uint_eq(term->selector->len, 0);
    ck_assert_uint_eq(term->namespaces_len, 2);
    ck_assert_uint_lt(term->namespaces[0], term->namespaces[1]);
    ck_assert_uint_eq(term->namespace_selector->len, 1);
    ck_assert_str_eq(syms_text(&loaded, term->match_label_keys, term->match_label_keys_len), "k");
    ck_assert_str_eq(syms_text(&loaded, term->mismatch_label_keys, term->mismatch_label_keys_len), "m");
    ck_assert_int_eq(spec->anti_preferred[0].weight, 3);
    ck_assert_ptr_null(spec->anti_preferred[0].selector);
}
END_TEST

START_TEST(volumes_that_can_decide_a_node) {
    const struct mu_pod *pod =
        read_pod(POD("spec: {containers: [], volumes: [{name: e, emptyDir: {}}, {name: d, persistentVolumeClaim:"
                     " {claimName: data, readOnly: true}}, {name: s, ephemeral: {volumeClaimTemplate: {spec:"
                     " {resources: {requests: {storage: 1Gi}}}}}}, {name: i, csi: {driver: drv}}]}"));
    ck_assert_uint_eq(pod->volumes_len, 3);
    ck_assert_str_eq(text_of(&loaded, pod->volumes[0].claim), "data");
    ck_assert_int_eq(pod->volumes[0].read_only, true);
    ck_assert_str_eq(text_of(&loaded, pod->volumes[1].claim), "p-s");
    ck_assert_int_eq(pod->volumes[1].ephemeral, true);
    ck_assert_str_eq(text_of(&loaded, pod->volumes[2].csi_driver), "drv");
    ck_assert_uint_eq(pod->volumes[2].claim, 0);
    ck_assert_uint_eq(loaded.store->pvcs.len, 0); /* the pod has a uid: the claim is its controller's affair */
}
END_TEST

START_TEST(equal_specs_are_one) {
    loaded = load_ok("---\n{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {nodeName: n1, containers: [{name: x,"
                     " resources: {requests: {cpu: 1, memory: 1Gi}}}], nodeSelector: {a: b, c: d}}}\n"
                     "---\n{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {containers: [{name: y,"
                     " resources: {requests: {memory: 1024Mi, cpu: 1000m}}}], nodeSelector: {c: d, a: b}}}\n"
                     "---\n{apiVersion: v1, kind: Pod, metadata: {name: c}, spec: {containers: [{name: y,"
                     " resources: {requests: {memory: 1024Mi, cpu: 1001m}}}], nodeSelector: {c: d, a: b}}}\n");
    ck_assert_ptr_eq(pod_of(&loaded, "a")->spec, pod_of(&loaded, "b")->spec);
    ck_assert_ptr_ne(pod_of(&loaded, "a")->spec, pod_of(&loaded, "c")->spec);
    ck_assert_uint_eq(pod_of(&loaded, "a")->spec->id, 0);
    ck_assert_uint_eq(pod_of(&loaded, "c")->spec->id, 1);
}
END_TEST

static const struct {
    const char *yaml, *invalid;
} senseless[] = {
    {POD("spec: {priority: 3000000000}"), "spec.priority: must be from -2147483648 to 2147483647, is 3000000000"},
    {POD("spec: {priority: 1e30}"), "spec.priority: must be from -2147483648 to 2147483647"},
    {POD("spec: {activeDeadlineSeconds: -1}"),
     "spec.activeDeadlineSeconds: must be from 0 to 9223372036854775807, is -1"},
    {POD("spec: {tolerations: [{key: a, operator: Maybe}]}"),
     "spec.tolerations[0].operator: has the unknown value \"Maybe\""},
    {POD("spec: {tolerations: [{operator: Equal}]}"),
     "spec.tolerations[0].operator: must be Exists where there is no key"},
    {POD("spec: {topologySpreadConstraints: [{maxSkew: 0, topologyKey: z}]}"),
     "spec.topologySpreadConstraints[0].maxSkew: must be from 1 to 2147483647, is 0"},
    {POD("spec: {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z,"
         " labelSelector: {matchExpressions: [{key: a, operator: In}]}}]}}}"),
     "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0]"
     ".values: must not be empty with In"},
    {POD("spec: {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z,"
         " labelSelector: {matchExpressions: [{key: a, operator: Gt, values: ['1']}]}}]}}}"),
     "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0]"
     ".operator: has the unknown value \"Gt\""},
    {POD("spec: {resourceClaims: [{name: a, resourceClaimName: b, resourceClaimTemplateName: c}]}"),
     "spec.resourceClaims[0]: names both a claim and a template"},
    {POD("status: {phase: Dreaming}"), "status.phase: has the unknown value \"Dreaming\""},
};

START_TEST(senseless_pods_are_kept_and_say_so) {
    const struct mu_pod *pod = read_pod(senseless[_i].yaml);
    ck_assert_str_eq(pod->meta.invalid.ptr, senseless[_i].invalid);
    struct mu_str note =
        mu_str_printf(loaded.arena, "Pod default/p makes no sense and is refused: %s\n", senseless[_i].invalid);
    ck_assert_ptr_nonnull(strstr(notes_text(&loaded), note.ptr));
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_test(tests, metadata);
    tcase_add_test(tests, what_is_left_out);
    tcase_add_test(tests, spec_and_status);
    tcase_add_test(tests, tolerations);
    tcase_add_test(tests, ports_of_what_runs_along);
    tcase_add_test(tests, ports_in_the_hosts_network);
    tcase_add_test(tests, images_have_tags);
    tcase_add_loop_test(tests, features_that_nodes_must_declare, 0, sizeof features / sizeof *features);
    tcase_add_test(tests, spread);
    tcase_add_test(tests, node_affinity);
    tcase_add_test(tests, node_affinity_without_terms_is_still_there);
    tcase_add_test(tests, pod_affinity);
    tcase_add_test(tests, volumes_that_can_decide_a_node);
    tcase_add_test(tests, equal_specs_are_one);
    tcase_add_loop_test(tests, senseless_pods_are_kept_and_say_so, 0, sizeof senseless / sizeof *senseless);
}

int main(void) {
    return mu_suite_run("decode_pod", add_tests);
}
