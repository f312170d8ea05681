/* What a pod asks of its node. Each case is the rest of a pod; the expected sums are worked out by hand. */
#include "tests/unit/objects/load.h"

#define POD "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, uid: u},"

static const struct {
    const char *name, *rest, *expect;
} cases[] = {
    {"nothing at all", "spec: {containers: [{name: a}]}}", ""},
    {"containers add up",
     "spec: {containers: [{name: a, resources: {requests: {cpu: 500m, memory: 1Gi}}},"
     " {name: b, resources: {requests: {cpu: 1, nvidia.com/gpu: 2}}}]}}",
     "cpu=1500 memory=1073741824 nvidia.com/gpu=2"},
    {"fractions are rounded once, up",
     "spec: {containers: [{name: a, resources: {requests: {cpu: 400u, memory: 100m}}},"
     " {name: b, resources: {requests: {cpu: 400u, memory: 100m}}}]}}",
     "cpu=1 memory=1"},
    {"a limit counts where there is no request",
     "spec: {containers: [{name: a, resources: {requests: {cpu: 1}, limits: {cpu: 2, memory: 1Ki}}}]}}",
     "cpu=1000 memory=1024"},
    {"zero is left out", "spec: {containers: [{name: a, resources: {requests: {cpu: 0, memory: '0'}}}]}}", ""},
    {"a start-up step that is larger",
     "spec: {initContainers: [{name: i, resources: {requests: {cpu: 3}}}],"
     " containers: [{name: a, resources: {requests: {cpu: 1, memory: 5}}}]}}",
     "cpu=3000 memory=5"},
    {"sidecars run along, and under the steps after them",
     "spec: {initContainers: [{name: i, resources: {requests: {cpu: 3}}},"
     " {name: s, restartPolicy: Always, resources: {requests: {cpu: 1}}},"
     " {name: k, resources: {requests: {cpu: 2500m}}}],"
     " containers: [{name: a, resources: {requests: {cpu: 2}}}]}}",
     "cpu=3500"},
    {"sidecars and containers together",
     "spec: {initContainers: [{name: s, restartPolicy: Always,"
     " resources: {requests: {cpu: 1}}}],"
     " containers: [{name: a, resources: {requests: {cpu: 2}}}]}}",
     "cpu=3000"},
    {"overhead comes on top",
     "spec: {overhead: {cpu: 250m, memory: 7}, containers: [{name: a,"
     " resources: {requests: {cpu: 1}}}]}}",
     "cpu=1250 memory=7"},
    {"the pod's own requests stand for the sum",
     "spec: {resources: {requests: {cpu: 1, hugepages-2Mi: 4Mi}}, overhead: {cpu: 100m},"
     " containers: [{name: a, resources: {requests: {cpu: 4, memory: 3, example.com/x: 1}}}]}}",
     "cpu=1100 example.com/x=1 hugepages-2Mi=4194304 memory=3"},
    {"the pod's own limits count where no container asks",
     "spec: {resources: {limits: {cpu: 6, memory: 9}},"
     " containers: [{name: a, resources: {requests: {cpu: 4}}}]}}",
     "cpu=4000 memory=9"},
    {"the pod cannot ask for devices", "spec: {resources: {requests: {example.com/x: 5}}, containers: [{name: a}]}}",
     ""},
    {"growing: what is asked counts before it is given",
     "spec: {containers: [{name: a, resources: {requests: {cpu: 4}}}]}, status: {containerStatuses: [{name: a,"
     " allocatedResources: {cpu: 2}, resources: {requests: {cpu: 2}}}]}}",
     "cpu=4000"},
    {"shrinking: what is in force counts until it is not",
     "spec: {containers: [{name: a, resources: {requests: {cpu: 1}}}]}, status: {containerStatuses: [{name: a,"
     " allocatedResources: {cpu: 2}, resources: {requests: {cpu: 3}}}]}}",
     "cpu=3000"},
    {"a resize that cannot be is not counted",
     "spec: {containers: [{name: a, resources: {requests: {cpu: 4}}}]}, status: {conditions: [{type: PodResizePending,"
     " reason: Infeasible}], containerStatuses: [{name: a, allocatedResources: {cpu: 2},"
     " resources: {requests: {cpu: 2}}}]}}",
     "cpu=2000"},
    {"a resize that waits is counted",
     "spec: {containers: [{name: a, resources: {requests: {cpu: 4}}}]}, status: {conditions: [{type: PodResizePending,"
     " reason: Deferred}], containerStatuses: [{name: a, allocatedResources: {cpu: 2}}]}}",
     "cpu=4000"},
    {"statuses of other containers do not count",
     "spec: {containers: [{name: a, resources: {requests: {cpu: 1}}}]}, status: {containerStatuses: [{name: b,"
     " allocatedResources: {cpu: 2}}]}}",
     "cpu=1000"},
    {"sidecars have statuses too",
     "spec: {initContainers: [{name: s, restartPolicy: Always, resources: {requests: {cpu: 1}}}],"
     " containers: [{name: a}]}, status: {initContainerStatuses: [{name: s, allocatedResources: {cpu: 2}}]}}",
     "cpu=2000"},
    {"the pod's own resize",
     "spec: {resources: {requests: {cpu: 2}}, containers: [{name: a}]}, status: {allocatedResources: {cpu: 3},"
     " resources: {requests: {cpu: 5}}}}",
     "cpu=5000"},
    {"the pod's own resize that cannot be",
     "spec: {resources: {requests: {cpu: 9}}, containers: [{name: a}]}, status: {allocatedResources: {cpu: 3},"
     " resources: {requests: {cpu: 2}}, conditions: [{type: PodResizePending, reason: Infeasible}]}}",
     "cpu=3000"},
    {"what claims take of the node",
     "spec: {containers: [{name: a, resources: {requests: {cpu: 1}}}]}, status: {nodeAllocatableResourceClaimStatuses:"
     " [{containers: [a, b], mapping: [{name: memory, quantity: 8}], overhead: [{name: cpu, perPod: 100m,"
     " perContainer: 50m}]}]}}",
     "cpu=1200 memory=8"},
    {"the largest there is", "spec: {containers: [{name: a, resources: {requests: {memory: 9223372036854775807}}}]}}",
     "memory=9223372036854775807"},
    {"sums stay at the largest",
     "spec: {containers: [{name: a, resources: {requests: {memory: 9223372036854775807}}},"
     " {name: b, resources: {requests: {memory: 9223372036854775807}}}]}}",
     "memory=9223372036854775807"},
    {"null is absent",
     "spec: {overhead: null, resources: null, initContainers: null, containers: [null, {name: a, resources:"
     " {requests: {cpu: 1, memory: null}, limits: null}}]}, status: null}",
     "cpu=1000"},
};

START_TEST(requests_are_those_of_kubernetes) {
    struct loaded loaded = load_printf("%s%s", POD, cases[_i].rest);
    const struct mu_pod_spec *spec = pod_of(&loaded, "p")->spec;
    const char *text = amounts_text(&loaded, spec->requests, spec->requests_len);
    ck_assert_msg(strcmp(text, cases[_i].expect) == 0, "%s: %s, not %s", cases[_i].name, text, cases[_i].expect);
    unload(&loaded);
}
END_TEST

static const struct {
    const char *rest, *invalid, *requests;
} senseless[] = {
    {"spec: {containers: [{name: a, resources: {requests: {cpu: -1}}}]}}",
     "spec.containers[0].resources.requests.cpu: must not be negative, is -1", ""},
    {"spec: {containers: [{name: a, resources: {requests: {example.com/x: 1e30}}}]}}",
     "spec.containers[0].resources.requests[example.com/x]: is beyond 2^63-1: 1e30",
     "example.com/x=9223372036854775807"},
    {"spec: {overhead: {cpu: -1m}, containers: [{name: a}]}}", "spec.overhead.cpu: must not be negative, is -1m", ""},
};

START_TEST(senseless_amounts_are_the_pods_own_affair) {
    struct loaded loaded = load_printf("%s%s", POD, senseless[_i].rest);
    const struct mu_pod *pod = pod_of(&loaded, "p");
    ck_assert_str_eq(pod->meta.invalid.ptr, senseless[_i].invalid);
    ck_assert_str_eq(amounts_text(&loaded, pod->spec->requests, pod->spec->requests_len), senseless[_i].requests);
    unload(&loaded);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, requests_are_those_of_kubernetes, 0, sizeof cases / sizeof *cases);
    tcase_add_loop_test(tests, senseless_amounts_are_the_pods_own_affair, 0, sizeof senseless / sizeof *senseless);
}

int main(void) {
    return mu_suite_run("requests", add_tests);
}
