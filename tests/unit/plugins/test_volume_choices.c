/* VolumeBinding: whatever pods are placed and taken back, a pod fits just where volumes can be found for all. */
#include "plugins/registry.h"
#include "tests/lib/random.h"
#include "tests/unit/plugins/fake_framework.h"

#include <stdio.h>

enum { PODS = 4, VOLUMES_MAX = 5 };

/* Claims of so many Gi, a pod each, and volumes of so many Gi that all, one zone's or one node's pods reach. */
struct choices {
    int claims[PODS], at[PODS];
    int sizes[VOLUMES_MAX], reach[VOLUMES_MAX]; /* reach: node 0 to 2; 3: zone a; 4: everywhere */
    int volumes;
};

static bool reaches(int reach, int node) {
    return reach == node || reach == 4 || (reach == 3 && node < 2);
}

/* Can the pods from this one on, those that are placed, each have a volume of its own? */
static bool assignment_exists(const struct choices *c, int from, unsigned taken) {
    while (from < PODS && c->at[from] < 0)
        from++;
    if (from == PODS)
        return true;
    for (int v = 0; v < c->volumes; v++) {
        bool free = (taken >> v & 1) == 0 && c->sizes[v] >= c->claims[from] && reaches(c->reach[v], c->at[from]);
        if (free && assignment_exists(c, from + 1, taken | 1u << v))
            return true;
    }
    return false;
}

static struct choices make_choices(struct mu_random *random, bool local) {
    struct choices c = {.volumes = 1 + (int)mu_random_below(random, VOLUMES_MAX)};
    for (int i = 0; i < PODS; i++) {
        c.claims[i] = 1 + (int)mu_random_below(random, 3);
        c.at[i] = -1;
    }
    for (int v = 0; v < c.volumes; v++) {
        c.sizes[v] = 1 + (int)mu_random_below(random, 3);
        c.reach[v] = (int)mu_random_below(random, local ? 3 : 5);
    }
    return c;
}

static struct fake *build_choices(const struct choices *c) {
    static const char *const nodes[] = {"a1", "a2", "b1"};
    static const char *const zones[] = {"zone: a", "zone: a", "zone: b"};
    struct fake *f = fake_new(&mu_plugin_volume_binding);
    for (int n = 0; n < 3; n++)
        fake_node(f, nodes[n], zones[n]);
    fake_add(f, "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: local}, provisioner: "
                "kubernetes.io/no-provisioner, volumeBindingMode: WaitForFirstConsumer}");
    char name[24], pod_name[24], spec[128];
    for (int i = 0; i < PODS; i++) {
        snprintf(name, sizeof name, "c%d", i);
        snprintf(pod_name, sizeof pod_name, "p%d", i);
        fake_add(f,
                 "{kind: PersistentVolumeClaim, metadata: {namespace: default, name: %s}, spec: {accessModes: "
                 "[ReadWriteOnce], storageClassName: local, resources: {requests: {storage: %dGi}}}}",
                 name, c->claims[i]);
        snprintf(spec, sizeof spec, "volumes: [{name: v, persistentVolumeClaim: {claimName: %s}}]", name);
        fake_pod(f, pod_name, NULL, NULL, spec);
    }
    for (int v = 0; v < c->volumes; v++) {
        char reach[64] = "key: zone, operator: In, values: [a]", affinity[256] = "";
        if (c->reach[v] < 3)
            snprintf(reach, sizeof reach, "key: kubernetes.io/hostname, operator: In, values: [%s]",
                     nodes[c->reach[v]]);
        if (c->reach[v] < 4)
            snprintf(affinity, sizeof affinity,
                     "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{%s}]}]}}, ", reach);
        fake_add(f,
                 "{kind: PersistentVolume, metadata: {name: v%d}, spec: {capacity: {storage: %dGi}, %s accessModes: "
                 "[ReadWriteOnce], storageClassName: local}, status: {phase: Available}}",
                 v, c->sizes[v], affinity);
    }
    return f;
}

/* Random walks: pods come where a volume can be found for all, and leave again. */
static void walk(struct choices *c, struct mu_random *random) {
    static const char *const nodes[] = {"a1", "a2", "b1"};
    struct fake *f = build_choices(c);
    int placed[PODS], len = 0;
    for (int step = 0; step < 60; step++) {
        int p = (int)mu_random_below(random, PODS), node = (int)mu_random_below(random, 3);
        if (c->at[p] >= 0 || (len > 0 && mu_random_below(random, 4) == 0)) {
            if (len > 0)
                c->at[placed[--len]] = -1, fake_take_back(f);
            continue;
        }
        char name[24];
        snprintf(name, sizeof name, "p%d", p);
        c->at[p] = node;
        bool fits = assignment_exists(c, 0, 0);
        ck_assert_msg((fake_filter(f, name, nodes[node])[0] == '\0') == fits, "p%d on %s should%s fit", p, nodes[node],
                      fits ? "" : " not");
        if (!fits) {
            c->at[p] = -1;
            continue;
        }
        placed[len++] = p;
        fake_place(f, name, nodes[node]);
    }
    fake_free(f);
}

START_TEST(every_choice_of_volumes) {
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct mu_random random = {.state = seed + 1000 * (uint64_t)_i};
        struct choices c = make_choices(&random, _i == 0);
        walk(&c, &random);
    }
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, every_choice_of_volumes, 0, 3);
}

int main(void) {
    return mu_suite_run("plugins/volume_choices", add);
}
