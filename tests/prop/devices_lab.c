/* Making labs and writing them down; see devices_lab.h. */
#include "tests/prop/devices_lab.h"
#include "tests/lib/random.h"

static int below(struct mu_random *random, int bound) {
    return (int)mu_random_below(random, (uint64_t)bound);
}

static bool one_in(struct mu_random *random, int n) {
    return below(random, n) == 0;
}

/* ------------------------------------------------------------------ making */

static void make_device(struct lab *lab, struct mu_random *random, struct lab_device *device) {
    *device = (struct lab_device){.pool = one_in(random, 5) ? LAB_EVERYWHERE : below(random, lab->nodes_len),
                                  .kind = below(random, 3),
                                  .root = below(random, 2),
                                  .set = one_in(random, 3) ? below(random, LAB_SETS) : -1,
                                  .tainted = one_in(random, 10)};
    device->takes = 1 + below(random, 2);
    if (device->set < 0 && one_in(random, 4))
        device->memory = 2 + below(random, 3);
    if (one_in(random, 6))
        device->held = device->memory ? 1 + below(random, device->memory) : 1;
}

static void make_ask(struct mu_random *random, struct lab_ask *ask) {
    *ask = (struct lab_ask){.mode = one_in(random, 12) ? LAB_ALL : LAB_COUNT,
                            .count = 1 + one_in(random, 4),
                            .least = one_in(random, 2) ? 0 : below(random, 3),
                            .most = 2,
                            .memory = one_in(random, 2) ? 1 + below(random, 2) : 0,
                            .tolerates = one_in(random, 6)};
    if (one_in(random, 3))
        ask->most = ask->least;
}

static void make_claim(struct mu_random *random, struct lab_claim *claim) {
    *claim = (struct lab_claim){.requests_len = 1 + one_in(random, 4), .same_root = one_in(random, 5)};
    for (int r = 0; r < claim->requests_len; r++) {
        claim->requests[r].asks_len = 1 + one_in(random, 6);
        for (int a = 0; a < claim->requests[r].asks_len; a++)
            make_ask(random, &claim->requests[r].asks[a]);
        /* Upstream refuses a claim for all devices that a constraint keeps apart as such, whatever else might do. */
        for (int a = 0; claim->same_root && a < claim->requests[r].asks_len; a++)
            claim->requests[r].asks[a].mode = LAB_COUNT;
    }
}

/* The first claim may be shared by any pods, the others are one pod's each. */
static void make_pod(struct lab *lab, struct mu_random *random, struct lab_pod *pod, int index) {
    int all = (1 << lab->nodes_len) - 1;
    *pod = (struct lab_pod){.nodes = one_in(random, 3) ? 1 + below(random, all) : all, .cpu = 1 + below(random, 2)};
    if (!one_in(random, 8))
        pod->claims[pod->claims_len++] = 1 + index;
    if (one_in(random, 4))
        pod->claims[pod->claims_len++] = 0;
}

void lab_make(struct lab *lab, uint64_t seed) {
    struct mu_random random = {.state = seed};
    *lab = (struct lab){.nodes_len = 1 + below(&random, LAB_NODES), .claims_len = LAB_CLAIMS};
    for (int n = 0; n < lab->nodes_len; n++)
        lab->cpu[n] = 1 + below(&random, 5);
    lab->devices_len = 1 + below(&random, LAB_DEVICES);
    for (int d = 0; d < lab->devices_len; d++)
        make_device(lab, &random, &lab->devices[d]);
    for (int p = 0; p < LAB_POOLS; p++)
        for (int s = 0; s < LAB_SETS; s++)
            lab->counters[p][s] = 1 + below(&random, 3);
    for (int c = 0; c < LAB_CLAIMS; c++) {
        bool copy = c > 1 && one_in(&random, 2); /* members are mostly alike */
        if (copy)
            lab->claims[c] = lab->claims[c - 1];
        else
            make_claim(&random, &lab->claims[c]);
    }
    lab->pods_len = 1 + below(&random, LAB_PODS);
    for (int i = 0; i < lab->pods_len; i++)
        make_pod(lab, &random, &lab->pods[i], i);
}

/* ------------------------------------------------------------------ writing */

static bool pool_has(const struct lab *lab, int pool, bool *ret_counters) {
    bool devices = false;
    *ret_counters = false;
    for (int d = 0; d < lab->devices_len; d++)
        if (lab->devices[d].pool == pool) {
            devices = true;
            *ret_counters |= lab->devices[d].set >= 0;
        }
    return devices;
}

static void print_device(struct mu_buf *out, const struct lab_device *device, int number) {
    mu_buf_printf(out, "{name: d%d, attributes: {kind: {int: %d}, root: {string: r%d}}", number, device->kind,
                  device->root);
    if (device->memory)
        mu_buf_printf(out, ", allowMultipleAllocations: true, capacity: {memory: {value: '%d'}}", device->memory);
    if (device->set >= 0)
        mu_buf_printf(out, ", consumesCounters: [{counterSet: s%d, counters: {units: {value: '%d'}}}]", device->set,
                      device->takes);
    if (device->tainted)
        mu_buf_printf(out, ", taints: [{key: worn, effect: NoSchedule}]");
    mu_buf_printf(out, "}");
}

static void print_slice(struct mu_buf *out, int pool, int number, int slices, const char *field) {
    mu_buf_printf(out,
                  "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: p%d-%d}, spec: {driver: "
                  "gpu.example.com, pool: {name: p%d, generation: 1, resourceSliceCount: %d}, ",
                  pool, number, pool, slices);
    if (pool == LAB_EVERYWHERE)
        mu_buf_printf(out, "allNodes: true, %s: [", field);
    else
        mu_buf_printf(out, "nodeName: n%d, %s: [", pool, field);
}

static void print_pool(struct mu_buf *out, const struct lab *lab, int pool) {
    bool counters, first = true;
    if (!pool_has(lab, pool, &counters))
        return;
    print_slice(out, pool, 0, 1 + counters, "devices");
    for (int d = 0; d < lab->devices_len; d++) {
        if (lab->devices[d].pool != pool)
            continue;
        mu_buf_printf(out, "%s", first ? "" : ", ");
        print_device(out, &lab->devices[d], d);
        first = false;
    }
    mu_buf_printf(out, "]}}\n");
    if (!counters)
        return;
    print_slice(out, pool, 1, 2, "sharedCounters");
    for (int s = 0; s < LAB_SETS; s++)
        mu_buf_printf(out, "%s{name: s%d, counters: {units: {value: '%d'}}}", s ? ", " : "", s, lab->counters[pool][s]);
    mu_buf_printf(out, "]}}\n");
}

static void print_held(struct mu_buf *out, const struct lab_device *device, int number) {
    mu_buf_printf(out,
                  "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: held%d, namespace: "
                  "default, uid: held%d}, spec: {devices: {requests: [{name: r0, exactly: {deviceClassName: gpu}}]}}, "
                  "status: {allocation: {devices: {results: [{request: r0, driver: gpu.example.com, pool: p%d, device: "
                  "d%d",
                  number, number, device->pool, number);
    if (device->memory)
        mu_buf_printf(out, ", shareID: share-%d, consumedCapacity: {memory: '%d'}", number, device->held);
    mu_buf_printf(out, "}]}}}}\n");
}

static void print_ask(struct mu_buf *out, const struct lab_ask *ask) {
    mu_buf_printf(out,
                  "deviceClassName: gpu, selectors: [{cel: {expression: \"device.attributes['gpu.example.com'].kind >= "
                  "%d && device.attributes['gpu.example.com'].kind <= %d\"}}]",
                  ask->least, ask->most);
    if (ask->mode == LAB_ALL)
        mu_buf_printf(out, ", allocationMode: All");
    else
        mu_buf_printf(out, ", count: %d", ask->count);
    if (ask->memory)
        mu_buf_printf(out, ", capacity: {requests: {memory: '%d'}}", ask->memory);
    if (ask->tolerates)
        mu_buf_printf(out, ", tolerations: [{operator: Exists}]");
}

static void print_claim(struct mu_buf *out, const struct lab_claim *claim, int number) {
    mu_buf_printf(
        out,
        "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c%d, namespace: default, "
        "uid: c%d}, spec: {devices: {requests: [",
        number, number);
    for (int r = 0; r < claim->requests_len; r++) {
        mu_buf_printf(out, "%s{name: r%d, ", r ? ", " : "", r);
        if (claim->requests[r].asks_len == 1) {
            mu_buf_printf(out, "exactly: {");
            print_ask(out, &claim->requests[r].asks[0]);
            mu_buf_printf(out, "}}");
            continue;
        }
        for (int a = 0; a < claim->requests[r].asks_len; a++) {
            mu_buf_printf(out, "%s{name: a%d, ", a ? ", " : "firstAvailable: [", a);
            print_ask(out, &claim->requests[r].asks[a]);
            mu_buf_printf(out, "}");
        }
        mu_buf_printf(out, "]}");
    }
    mu_buf_printf(out, "]%s}}}\n", claim->same_root ? ", constraints: [{matchAttribute: gpu.example.com/root}]" : "");
}

static void print_pod(struct mu_buf *out, const struct lab *lab, const struct lab_pod *pod, int number) {
    mu_buf_printf(out,
                  "---\n{apiVersion: v1, kind: Pod, metadata: {name: m%d, namespace: default, uid: m%d}, spec: "
                  "{schedulerName: muster, schedulingGroup: {podGroupName: g}, containers: [{name: c, image: x, "
                  "resources: {requests: {cpu: '%d'}}}], resourceClaims: [",
                  number, number, pod->cpu);
    for (int c = 0; c < pod->claims_len; c++)
        mu_buf_printf(out, "%s{name: e%d, resourceClaimName: c%d}", c ? ", " : "", c, pod->claims[c]);
    mu_buf_printf(out, "], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                       "{nodeSelectorTerms: [{matchFields: []");
    bool first = true;
    for (int n = 0; n < lab->nodes_len; n++)
        if (pod->nodes >> n & 1) {
            mu_buf_printf(out, "%sn%d", first ? ", matchExpressions: [{key: name, operator: In, values: [" : ", ", n);
            first = false;
        }
    mu_buf_printf(out, "]}]}]}}}}}\n");
}

struct mu_str lab_print(const struct lab *lab, struct mu_arena *arena) {
    struct mu_buf out;
    mu_buf_init(&out, arena);
    for (int n = 0; n < lab->nodes_len; n++)
        mu_buf_printf(&out,
                      "---\n{apiVersion: v1, kind: Node, metadata: {name: n%d, uid: n%d, labels: {name: n%d}}, status: "
                      "{allocatable: {cpu: '%d', pods: '10'}}}\n",
                      n, n, n, lab->cpu[n]);
    mu_buf_printf(&out, "---\n{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {}}\n");
    for (int p = 0; p < LAB_POOLS; p++)
        print_pool(&out, lab, p);
    for (int d = 0; d < lab->devices_len; d++)
        if (lab->devices[d].held)
            print_held(&out, &lab->devices[d], d);
    for (int c = 0; c < lab->claims_len; c++)
        print_claim(&out, &lab->claims[c], c);
    mu_buf_printf(
        &out,
        "---\n{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g, namespace: default, "
        "uid: g}, spec: {schedulingPolicy: {gang: {minCount: %d}}}}\n",
        lab->pods_len);
    for (int i = 0; i < lab->pods_len; i++)
        print_pod(&out, lab, &lab->pods[i], i);
    return mu_buf_str(&out);
}
