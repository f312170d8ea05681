/* Rules about one node alone: NodeName, NodeUnschedulable, TaintToleration, NodeAffinity, NodePorts,
 * NodeDeclaredFeatures. */
#include "plugins/registry.h"
#include "tests/unit/plugins/fake_framework.h"

/* One pod against one node: the node's fields and the pod's spec, as flow mappings without braces. */
struct pair {
    const char *node, *spec;
    const char *phrase; /* "" where it fits */
};

static void check_pair(const struct mu_plugin *plugin, const struct pair *pair) {
    struct fake *f = fake_new(plugin);
    fake_add(f, "{kind: Node, metadata: {name: n1, labels: {zone: a, size: '12', name: x}}, %s}", pair->node);
    fake_pod(f, "p", NULL, "app: a", pair->spec);
    const char *said = fake_filter(f, "p", "n1");
    ck_assert_msg(strcmp(said, pair->phrase) == 0, "node {%s}, pod {%s}: \"%s\", not \"%s\"", pair->node, pair->spec,
                  said, pair->phrase);
    fake_free(f);
}

/* ------------------------------------------------------------------ cordons and taints */

#define UNSCHEDULABLE "node(s) were unschedulable"
#define CORDON "node.kubernetes.io/unschedulable"

static const struct pair unschedulable_pairs[] = {
    {"spec: {}", "", ""},
    {"spec: {unschedulable: false}", "", ""},
    {"spec: {unschedulable: true}", "", UNSCHEDULABLE},
    {"spec: {unschedulable: true}", "tolerations: [{operator: Exists}]", ""},
    {"spec: {unschedulable: true}", "tolerations: [{key: " CORDON ", operator: Exists}]", ""},
    {"spec: {unschedulable: true}", "tolerations: [{key: " CORDON ", operator: Exists, effect: NoSchedule}]", ""},
    {"spec: {unschedulable: true}", "tolerations: [{key: " CORDON ", operator: Exists, effect: NoExecute}]",
     UNSCHEDULABLE},
    {"spec: {unschedulable: true}", "tolerations: [{key: " CORDON ", value: x}]", UNSCHEDULABLE},
    {"spec: {unschedulable: true}", "tolerations: [{key: other, operator: Exists}]", UNSCHEDULABLE},
};

START_TEST(unschedulable) {
    check_pair(&mu_plugin_node_unschedulable, &unschedulable_pairs[_i]);
}
END_TEST

START_TEST(who_tolerates_a_cordon_is_not_asked_again) {
    struct fake *f = fake_new(&mu_plugin_node_unschedulable);
    fake_node(f, "n1", NULL);
    fake_pod(f, "any", NULL, NULL, "tolerations: [{operator: Exists}]");
    fake_pod(f, "none", NULL, NULL, NULL);
    ASSERT_REACH(f, "any", MU_SCOPE_NONE, MU_SCOPE_NONE);
    ASSERT_REACH(f, "none", MU_SCOPE_STATIC, MU_SCOPE_NONE);
    fake_free(f);
}
END_TEST

#define TAINTED "node(s) had untolerated taint(s)"
#define TAINT(fields) "spec: {taints: [{" fields "}]}"

static const struct pair taint_pairs[] = {
    {"spec: {}", "", ""},
    {TAINT("key: gpu, value: h100, effect: NoSchedule"), "", TAINTED},
    {TAINT("key: gpu, value: h100, effect: NoExecute"), "", TAINTED},
    {TAINT("key: gpu, value: h100, effect: PreferNoSchedule"), "", ""},
    {TAINT("key: gpu, value: h100, effect: NoSchedule"), "tolerations: [{key: gpu, value: h100}]", ""},
    {TAINT("key: gpu, value: h100, effect: NoSchedule"), "tolerations: [{key: gpu, operator: Equal, value: a100}]",
     TAINTED},
    {TAINT("key: gpu, value: h100, effect: NoSchedule"), "tolerations: [{key: gpu, operator: Exists}]", ""},
    {TAINT("key: gpu, value: h100, effect: NoSchedule"), "tolerations: [{operator: Exists}]", ""},
    {TAINT("key: gpu, value: h100, effect: NoSchedule"), "tolerations: [{operator: Exists, effect: NoExecute}]",
     TAINTED},
    {TAINT("key: gpu, value: h100, effect: NoExecute"),
     "tolerations: [{key: gpu, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]", ""},
    {TAINT("key: gpu, effect: NoSchedule"), "tolerations: [{key: gpu}]", ""},
    {TAINT("key: gpu, value: '', effect: NoSchedule"), "tolerations: [{key: gpu, value: x}]", TAINTED},
    /* each taint by some toleration */
    {"spec: {taints: [{key: a, effect: NoSchedule}, {key: b, effect: NoExecute}]}", "tolerations: [{key: a}]", TAINTED},
    {"spec: {taints: [{key: a, effect: NoSchedule}, {key: b, effect: NoExecute}]}", "tolerations: [{key: a}, {key: b}]",
     ""},
    /* numbers, 1.35 and later: the taint's value against the toleration's */
    {TAINT("key: sla, value: '950', effect: NoSchedule"), "tolerations: [{key: sla, operator: Gt, value: '900'}]", ""},
    {TAINT("key: sla, value: '900', effect: NoSchedule"), "tolerations: [{key: sla, operator: Gt, value: '900'}]",
     TAINTED},
    {TAINT("key: sla, value: '850', effect: NoSchedule"), "tolerations: [{key: sla, operator: Gt, value: '900'}]",
     TAINTED},
    {TAINT("key: sla, value: '850', effect: NoSchedule"), "tolerations: [{key: sla, operator: Lt, value: '900'}]", ""},
    {TAINT("key: sla, value: '-5', effect: NoSchedule"), "tolerations: [{key: sla, operator: Lt, value: '0'}]", ""},
    {TAINT("key: sla, value: '0850', effect: NoSchedule"), "tolerations: [{key: sla, operator: Lt, value: '900'}]",
     TAINTED},
    {TAINT("key: sla, value: '-0', effect: NoSchedule"), "tolerations: [{key: sla, operator: Lt, value: '900'}]",
     TAINTED},
    {TAINT("key: sla, value: '+850', effect: NoSchedule"), "tolerations: [{key: sla, operator: Lt, value: '900'}]",
     TAINTED},
    {TAINT("key: sla, value: fast, effect: NoSchedule"), "tolerations: [{key: sla, operator: Lt, value: '900'}]",
     TAINTED},
    {TAINT("key: sla, effect: NoSchedule"), "tolerations: [{key: sla, operator: Lt, value: '900'}]", TAINTED},
    {TAINT("key: sla, value: '850', effect: NoSchedule"), "tolerations: [{key: sla, operator: Lt, value: many}]",
     TAINTED},
    {TAINT("key: sla, value: '-', effect: NoSchedule"), "tolerations: [{key: sla, operator: Lt, value: '900'}]",
     TAINTED},
    {TAINT("key: sla, value: '0', effect: NoSchedule"), "tolerations: [{key: sla, operator: Lt, value: '1'}]", ""},
    {TAINT("key: sla, value: '9223372036854775808', effect: NoSchedule"),
     "tolerations: [{key: sla, operator: Gt, value: '0'}]", TAINTED},
};

START_TEST(taints) {
    check_pair(&mu_plugin_taint_toleration, &taint_pairs[_i]);
}
END_TEST

START_TEST(fewer_unwelcoming_taints_are_better) {
    struct fake *f = fake_new(&mu_plugin_taint_toleration);
    fake_node(f, "none", NULL);
    fake_add(f, "{kind: Node, metadata: {name: one}, spec: {taints: [{key: a, effect: PreferNoSchedule}]}}");
    fake_add(f, "{kind: Node, metadata: {name: two}, spec: {taints: [{key: a, effect: PreferNoSchedule}, "
                "{key: b, effect: PreferNoSchedule}, {key: c, effect: NoExecute}]}}");
    fake_pod(f, "p", NULL, NULL, NULL);
    fake_pod(f, "q", NULL, NULL, "tolerations: [{key: a, operator: Exists}]");
    ck_assert_int_eq(fake_score(f, "p", "none"), 100);
    ck_assert_int_eq(fake_score(f, "p", "one"), 50);
    ck_assert_int_eq(fake_score(f, "p", "two"), 33);
    ck_assert_int_eq(fake_score(f, "q", "one"), 100);
    ck_assert_int_eq(fake_score(f, "q", "two"), 50);
    fake_free(f);
}
END_TEST

/* ------------------------------------------------------------------ node affinity */

#define UNWANTED "node(s) didn't match Pod's node affinity/selector"
#define REQUIRED(terms)                                                                                                \
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" terms "]}}}"
#define EXPRESSION(fields) REQUIRED("{matchExpressions: [{" fields "}]}")

static const struct pair affinity_pairs[] = {
    {"spec: {}", "", ""},
    {"spec: {}", "nodeSelector: {zone: a}", ""},
    {"spec: {}", "nodeSelector: {zone: a, name: x}", ""},
    {"spec: {}", "nodeSelector: {zone: b}", UNWANTED},
    {"spec: {}", "nodeSelector: {zone: a, name: y}", UNWANTED},
    {"spec: {}", "nodeSelector: {disk: ssd}", UNWANTED},
    {"spec: {}", EXPRESSION("key: zone, operator: In, values: [b, a]"), ""},
    {"spec: {}", EXPRESSION("key: zone, operator: In, values: [b, c]"), UNWANTED},
    {"spec: {}", EXPRESSION("key: zone, operator: NotIn, values: [b]"), ""},
    {"spec: {}", EXPRESSION("key: rack, operator: NotIn, values: [b]"), ""},
    {"spec: {}", EXPRESSION("key: zone, operator: Exists"), ""},
    {"spec: {}", EXPRESSION("key: rack, operator: Exists"), UNWANTED},
    {"spec: {}", EXPRESSION("key: rack, operator: DoesNotExist"), ""},
    {"spec: {}", EXPRESSION("key: size, operator: Gt, values: ['11']"), ""},
    {"spec: {}", EXPRESSION("key: size, operator: Gt, values: ['12']"), UNWANTED},
    {"spec: {}", EXPRESSION("key: size, operator: Lt, values: ['13']"), ""},
    {"spec: {}", EXPRESSION("key: zone, operator: Lt, values: ['13']"), UNWANTED},
    /* alternatives; all of a term; a term that says nothing; the selector besides */
    {"spec: {}",
     REQUIRED("{matchExpressions: [{key: zone, operator: In, values: [b]}]}, "
              "{matchExpressions: [{key: name, operator: In, values: [x]}]}"),
     ""},
    {"spec: {}",
     REQUIRED("{matchExpressions: [{key: zone, operator: In, values: [a]}, {key: name, operator: In, values: [y]}]}"),
     UNWANTED},
    {"spec: {}", REQUIRED("{}"), UNWANTED},
    {"spec: {}", "nodeSelector: {zone: b}, " EXPRESSION("key: zone, operator: In, values: [a]"), UNWANTED},
    /* by name, as the DaemonSet controller pins its pods */
    {"spec: {}", REQUIRED("{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}"), ""},
    {"spec: {}", REQUIRED("{matchFields: [{key: metadata.name, operator: In, values: [n2]}]}"), UNWANTED},
    {"spec: {}", REQUIRED("{matchFields: [{key: metadata.name, operator: NotIn, values: [n1]}]}"), UNWANTED},
    {"spec: {}",
     REQUIRED("{matchExpressions: [{key: zone, operator: In, values: [b]}], "
              "matchFields: [{key: metadata.name, operator: In, values: [n1]}]}"),
     UNWANTED},
};

START_TEST(affinity) {
    check_pair(&mu_plugin_node_affinity, &affinity_pairs[_i]);
}
END_TEST

START_TEST(affinity_says_how_far_it_looks) {
    struct fake *f = fake_new(&mu_plugin_node_affinity);
    fake_node(f, "n1", NULL);
    fake_pod(f, "none", NULL, NULL, NULL);
    fake_pod(f, "must", NULL, NULL, "nodeSelector: {a: b}");
    fake_pod(f, "would", NULL, NULL,
             "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: "
             "{matchExpressions: [{key: a, operator: Exists}]}}]}}");
    ASSERT_REACH(f, "none", MU_SCOPE_NONE, MU_SCOPE_NONE);
    ASSERT_REACH(f, "must", MU_SCOPE_STATIC, MU_SCOPE_NONE);
    ASSERT_REACH(f, "would", MU_SCOPE_NONE, MU_SCOPE_STATIC);
    fake_free(f);
}
END_TEST

START_TEST(preferred_terms_add_up) {
    struct fake *f = fake_new(&mu_plugin_node_affinity);
    fake_node(f, "a", "zone: a, disk: ssd");
    fake_node(f, "b", "zone: b, disk: ssd");
    fake_node(f, "c", "zone: b");
    fake_pod(f, "p", NULL, NULL,
             "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: ["
             "{weight: 30, preference: {matchExpressions: [{key: zone, operator: In, values: [a]}]}}, "
             "{weight: 10, preference: {matchExpressions: [{key: disk, operator: Exists}]}}, "
             "{weight: 60, preference: {}}]}}");
    ck_assert_int_eq(fake_score(f, "p", "a"), 40);
    ck_assert_int_eq(fake_score(f, "p", "b"), 10);
    ck_assert_int_eq(fake_score(f, "p", "c"), 0);
    fake_free(f);
}
END_TEST

/* ------------------------------------------------------------------ ports */

#define NO_PORTS "node(s) didn't have free ports for the requested pod ports"
#define PORT(fields) "containers: [{name: c, image: i, ports: [{" fields "}]}]"

static const struct {
    const char *there, *asked;
    bool conflict;
} port_pairs[] = {
    {"containerPort: 80, hostPort: 80", "containerPort: 80, hostPort: 80", true},
    {"containerPort: 80, hostPort: 80", "containerPort: 80, hostPort: 81", false},
    {"containerPort: 80, hostPort: 80", "containerPort: 80", false},
    {"containerPort: 80", "containerPort: 80, hostPort: 80", false},
    {"containerPort: 80, hostPort: 80", "containerPort: 80, hostPort: 80, protocol: UDP", false},
    {"containerPort: 80, hostPort: 80, protocol: TCP", "containerPort: 80, hostPort: 80", true},
    {"containerPort: 80, hostPort: 80, hostIP: 10.0.0.1", "containerPort: 80, hostPort: 80, hostIP: 10.0.0.2", false},
    {"containerPort: 80, hostPort: 80, hostIP: 10.0.0.1", "containerPort: 80, hostPort: 80, hostIP: 10.0.0.1", true},
    {"containerPort: 80, hostPort: 80, hostIP: 10.0.0.1", "containerPort: 80, hostPort: 80, hostIP: 0.0.0.0", true},
    {"containerPort: 80, hostPort: 80, hostIP: 0.0.0.0", "containerPort: 80, hostPort: 80, hostIP: 10.0.0.1", true},
    {"containerPort: 80, hostPort: 80, hostIP: 10.0.0.1", "containerPort: 80, hostPort: 80", true},
};

static void pod_with_port(struct fake *f, const char *name, const char *node, const char *port) {
    fake_add(f,
             "{kind: Pod, metadata: {namespace: default, name: %s}, spec: {%s%s%s containers: [{name: c, image: i, "
             "ports: [{%s}]}]}}",
             name, node != NULL ? "nodeName: " : "", node != NULL ? node : "", node != NULL ? "," : "", port);
}

START_TEST(ports) {
    struct fake *f = fake_new(&mu_plugin_node_ports);
    fake_node(f, "n1", NULL);
    fake_node(f, "n2", NULL);
    pod_with_port(f, "there", "n1", port_pairs[_i].there);
    pod_with_port(f, "asks", NULL, port_pairs[_i].asked);
    ASSERT_REFUSED(f, "asks", "n1", port_pairs[_i].conflict ? NO_PORTS : "");
    ASSERT_FITS(f, "asks", "n2");
    fake_free(f);
}
END_TEST

START_TEST(ports_of_members_count) {
    struct fake *f = fake_new(&mu_plugin_node_ports);
    fake_node(f, "n1", NULL);
    pod_with_port(f, "a", NULL, "containerPort: 80, hostPort: 80");
    pod_with_port(f, "b", NULL, "containerPort: 90, hostPort: 80");
    pod_with_port(f, "none", NULL, "containerPort: 80");
    ASSERT_REACH(f, "a", MU_SCOPE_NODE, MU_SCOPE_NONE);
    ASSERT_REACH(f, "none", MU_SCOPE_NONE, MU_SCOPE_NONE);
    ck_assert_int_eq(fake_fit(f, "a", "n1"), 1);
    fake_place(f, "a", "n1");
    ck_assert_int_eq(fake_fit(f, "a", "n1"), 0);
    ASSERT_REFUSED(f, "b", "n1", NO_PORTS);
    fake_take_back(f);
    ASSERT_FITS(f, "b", "n1");
    fake_free(f);
}
END_TEST

/* ------------------------------------------------------------------ the rest */

START_TEST(declared_features) {
    const mu_sym wanted[] = {7, 9}, some[] = {7, 8}, all[] = {7, 8, 9};
    struct fake *f = fake_new(&mu_plugin_node_declared_features);
    fake_node(f, "none", NULL);
    fake_node(f, "some", NULL);
    fake_node(f, "with", NULL);
    fake_pod(f, "p", NULL, NULL, NULL);
    ASSERT_REACH(f, "p", MU_SCOPE_NONE, MU_SCOPE_NONE);
    struct mu_fw *fw = fake_fw(f);
    struct mu_node *node = (struct mu_node *)(uintptr_t)mu_fw_node(fw, fake_find_node(f, "some"));
    node->features = some;
    node->features_len = 2;
    node = (struct mu_node *)(uintptr_t)mu_fw_node(fw, fake_find_node(f, "with"));
    node->features = all;
    node->features_len = 3;
    struct mu_pod_spec spec = {.features = wanted, .features_len = 2};
    const struct mu_class cls = {.spec = &spec};
    const struct mu_plugin *plugin = &mu_plugin_node_declared_features;
    ck_assert_int_eq(plugin->filter(fw, NULL, NULL, &cls, fake_find_node(f, "none")).phrase, 1);
    ck_assert_int_eq(plugin->filter(fw, NULL, NULL, &cls, fake_find_node(f, "some")).phrase, 1);
    ck_assert_int_eq(plugin->filter(fw, NULL, NULL, &cls, fake_find_node(f, "with")).phrase, 0);
    fake_free(f);
}
END_TEST

START_TEST(a_pod_that_names_its_node) {
    struct fake *f = fake_new(&mu_plugin_node_name);
    fake_node(f, "n1", NULL);
    fake_node(f, "n2", NULL);
    fake_pod(f, "free", NULL, NULL, NULL);
    fake_pod(f, "bound", "n1", NULL, NULL);
    ASSERT_REACH(f, "free", MU_SCOPE_NONE, MU_SCOPE_NONE);
    struct mu_fw *fw = fake_fw(f);
    uint32_t len = 0;
    const struct mu_pod *const *pods = mu_fw_pods_on(fw, fake_find_node(f, "n1"), &len);
    ck_assert_uint_eq(len, 1);
    const struct mu_class cls = {.spec = pods[0]->spec, .pods = pods, .pods_len = 1};
    const struct mu_plugin *plugin = &mu_plugin_node_name;
    void *prepared = NULL;
    ck_assert_int_eq((int)plugin->prepare(fw, NULL, &cls, &prepared).filter, (int)MU_SCOPE_STATIC);
    ck_assert_int_eq(plugin->filter(fw, NULL, prepared, &cls, fake_find_node(f, "n1")).phrase, 0);
    ck_assert_int_eq(plugin->filter(fw, NULL, prepared, &cls, fake_find_node(f, "n2")).phrase, 1);
    fake_free(f);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, unschedulable, 0, sizeof unschedulable_pairs / sizeof unschedulable_pairs[0]);
    tcase_add_test(tests, who_tolerates_a_cordon_is_not_asked_again);
    tcase_add_loop_test(tests, taints, 0, sizeof taint_pairs / sizeof taint_pairs[0]);
    tcase_add_test(tests, fewer_unwelcoming_taints_are_better);
    tcase_add_loop_test(tests, affinity, 0, sizeof affinity_pairs / sizeof affinity_pairs[0]);
    tcase_add_test(tests, affinity_says_how_far_it_looks);
    tcase_add_test(tests, preferred_terms_add_up);
    tcase_add_loop_test(tests, ports, 0, sizeof port_pairs / sizeof port_pairs[0]);
    tcase_add_test(tests, ports_of_members_count);
    tcase_add_test(tests, declared_features);
    tcase_add_test(tests, a_pod_that_names_its_node);
}

int main(void) {
    return mu_suite_run("plugins/node_rules", add);
}
