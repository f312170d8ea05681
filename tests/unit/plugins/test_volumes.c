/* VolumeBinding, VolumeZone, VolumeRestrictions, NodeVolumeLimits. */
#include "plugins/registry.h"
#include "tests/unit/plugins/fake_framework.h"

#include <stdio.h>

#define NO_VOLUME "node(s) didn't find available persistent volumes to bind"
#define NO_SPACE "node(s) did not have enough free storage"
#define ELSEWHERE "node(s) didn't match PersistentVolume's node affinity"

static void class(struct fake *f, const char *name, const char *fields) {
    fake_add(f, "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: %s}, %s}", name, fields);
}

/* A claim of 1Gi unless the spec says else. */
static void claim(struct fake *f, const char *name, const char *storage_class, const char *spec, const char *meta) {
    fake_add(f,
             "{kind: PersistentVolumeClaim, metadata: {namespace: default, name: %s, uid: uid-%s, %s}, spec: "
             "{storageClassName: '%s', %s, resources: {requests: {storage: 1Gi}}}}",
             name, name, meta != NULL ? meta : "", storage_class, spec != NULL ? spec : "accessModes: [ReadWriteOnce]");
}

static void bound_claim(struct fake *f, const char *name, const char *volume) {
    fake_add(f,
             "{kind: PersistentVolumeClaim, metadata: {namespace: default, name: %s, annotations: "
             "{pv.kubernetes.io/bind-completed: 'yes'}}, spec: {accessModes: [ReadWriteOnce], volumeName: %s, "
             "resources: {requests: {storage: 1Gi}}}, status: {phase: Bound}}",
             name, volume);
}

/* An available volume; `on` is the requirement of its node affinity, NULL for none. */
static void volume(struct fake *f, const char *name, const char *size, const char *on, const char *spec) {
    char affinity[256] = "";
    if (on != NULL)
        snprintf(affinity, sizeof affinity,
                 "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{%s}]}]}}, ", on);
    fake_add(f,
             "{kind: PersistentVolume, metadata: {name: %s, labels: {disk: %s}}, spec: {capacity: {storage: %s}, %s "
             "%s}, status: {phase: Available}}",
             name, name, size, affinity, spec != NULL ? spec : "accessModes: [ReadWriteOnce], storageClassName: local");
}

static void on_node(struct fake *f, const char *name, const char *size, const char *node) {
    char on[96];
    snprintf(on, sizeof on, "key: kubernetes.io/hostname, operator: In, values: [%s]", node);
    volume(f, name, size, on, NULL);
}

static void pod(struct fake *f, const char *name, const char *node, const char *claims) {
    char spec[512] = "volumes: [", copy[256];
    snprintf(copy, sizeof copy, "%s", claims);
    size_t at = strlen(spec);
    char *rest = copy;
    for (int i = 0; *rest != '\0'; i++) {
        size_t len = strcspn(rest, " ");
        at += (size_t)snprintf(spec + at, sizeof spec - at, "%s{name: v%d, persistentVolumeClaim: {claimName: %.*s}}",
                               i > 0 ? ", " : "", i, (int)len, rest);
        rest += len + (rest[len] == ' ');
    }
    snprintf(spec + at, sizeof spec - at, "]");
    fake_pod(f, name, node, NULL, spec);
}

/* Three nodes in two zones; `local` volumes wait and are not made, `csi` ones wait and are made. */
static struct fake *cluster(const struct mu_plugin *plugin) {
    struct fake *f = fake_new(plugin);
    fake_node(f, "a1", "zone: a");
    fake_node(f, "a2", "zone: a");
    fake_node(f, "b1", "zone: b");
    class(f, "local", "provisioner: kubernetes.io/no-provisioner, volumeBindingMode: WaitForFirstConsumer");
    class(f, "csi", "provisioner: csi.example.com, volumeBindingMode: WaitForFirstConsumer");
    class(f, "now", "provisioner: csi.example.com, volumeBindingMode: Immediate");
    return f;
}

/* ------------------------------------------------------------------ what stands on every node */

START_TEST(claims_that_nobody_can_serve) {
    struct fake *f = cluster(&mu_plugin_volume_binding);
    claim(f, "waits", "now", NULL, NULL);
    claim(f, "classless", "", NULL, NULL);
    claim(f, "half", "csi", "accessModes: [ReadWriteOnce], volumeName: v", NULL);
    claim(f, "ending", "csi", NULL, "deletionTimestamp: '2026-03-02T08:00:00Z'");
    bound_claim(f, "lost", "gone");
    pod(f, "missing", NULL, "nothing");
    pod(f, "p-waits", NULL, "waits");
    pod(f, "p-classless", NULL, "classless");
    pod(f, "p-half", NULL, "half");
    pod(f, "p-ending", NULL, "ending");
    pod(f, "p-lost", NULL, "lost");
    pod(f, "p-both", NULL, "waits nothing");
    fake_pod(f, "none", NULL, NULL, NULL);
    ASSERT_REFUSED(f, "missing", "a1", "persistentvolumeclaim \"nothing\" not found");
    ASSERT_REFUSED(f, "p-waits", "a1", "pod has unbound immediate PersistentVolumeClaims");
    ASSERT_REFUSED(f, "p-classless", "a1", "pod has unbound immediate PersistentVolumeClaims");
    ASSERT_REFUSED(f, "p-half", "a1", "pod has unbound immediate PersistentVolumeClaims");
    ASSERT_REFUSED(f, "p-ending", "a1", "persistentvolumeclaim \"ending\" is being deleted");
    ASSERT_REFUSED(f, "p-lost", "a1", "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
    ASSERT_REFUSED(f, "p-both", "a1", "persistentvolumeclaim \"nothing\" not found");
    ASSERT_REACH(f, "p-waits", MU_SCOPE_STATIC, MU_SCOPE_NONE);
    ASSERT_REACH(f, "none", MU_SCOPE_NONE, MU_SCOPE_NONE);
    fake_free(f);
}
END_TEST

START_TEST(bound_volumes_decide) {
    struct fake *f = cluster(&mu_plugin_volume_binding);
    volume(f, "pv-a", "1Gi", "key: zone, operator: In, values: [a]", NULL);
    volume(f, "pv-any", "1Gi", NULL, NULL);
    bound_claim(f, "in-a", "pv-a");
    bound_claim(f, "anywhere", "pv-any");
    pod(f, "p", NULL, "in-a");
    pod(f, "q", NULL, "anywhere");
    ASSERT_FITS(f, "p", "a2");
    ASSERT_REFUSED(f, "p", "b1", ELSEWHERE);
    ASSERT_FITS(f, "q", "b1");
    ASSERT_REACH(f, "p", MU_SCOPE_STATIC, MU_SCOPE_NONE);
    fake_free(f);
}
END_TEST

/* ------------------------------------------------------------------ volumes that are there */

/* One volume of 5Gi, mode Filesystem, ReadWriteOnce and ReadOnlyMany, on node a1. */
static const struct {
    const char *claim;
    bool fits;
} static_claims[] = {
    {"accessModes: [ReadWriteOnce], storageClassName: local, resources: {requests: {storage: 5Gi}}", true},
    {"accessModes: [ReadWriteOnce], storageClassName: local, resources: {requests: {storage: 6Gi}}", false},
    {"accessModes: [ReadOnlyMany], storageClassName: local, resources: {requests: {storage: 1Gi}}", true},
    {"accessModes: [ReadWriteOnce, ReadWriteMany], storageClassName: local, resources: {requests: {storage: 1Gi}}",
     false},
    {"accessModes: [ReadWriteOnce], volumeMode: Block, storageClassName: local, resources: {requests: {storage: 1Gi}}",
     false},
    {"accessModes: [ReadWriteOnce], volumeMode: Filesystem, storageClassName: local, resources: {requests: {storage: "
     "1Gi}}",
     true},
    {"accessModes: [ReadWriteOnce], selector: {matchLabels: {disk: pv}}, storageClassName: local, resources: "
     "{requests: {storage: 1Gi}}",
     true},
    {"accessModes: [ReadWriteOnce], selector: {matchLabels: {disk: other}}, storageClassName: local, resources: "
     "{requests: {storage: 1Gi}}",
     false},
    {"accessModes: [ReadWriteOnce], storageClassName: other-local, resources: {requests: {storage: 1Gi}}", false},
    {"accessModes: [ReadWriteOnce], volumeAttributesClassName: gold, storageClassName: local, resources: {requests: "
     "{storage: 1Gi}}",
     false},
};

START_TEST(a_volume_serves_a_claim) {
    struct fake *f = cluster(&mu_plugin_volume_binding);
    class(f, "other-local", "provisioner: kubernetes.io/no-provisioner, volumeBindingMode: WaitForFirstConsumer");
    fake_add(f, "{kind: PersistentVolumeClaim, metadata: {namespace: default, name: data}, spec: {%s}}",
             static_claims[_i].claim);
    volume(f, "pv", "5Gi", "key: kubernetes.io/hostname, operator: In, values: [a1]",
           "accessModes: [ReadWriteOnce, ReadOnlyMany], storageClassName: local");
    pod(f, "p", NULL, "data");
    ASSERT_REFUSED(f, "p", "a1", static_claims[_i].fits ? "" : NO_VOLUME);
    ASSERT_REFUSED(f, "p", "a2", NO_VOLUME);
    fake_free(f);
}
END_TEST

START_TEST(volumes_that_are_taken_or_held) {
    struct fake *f = cluster(&mu_plugin_volume_binding);
    claim(f, "mine", "local", NULL, NULL);
    claim(f, "other", "local", NULL, NULL);
    fake_add(f, "{kind: PersistentVolume, metadata: {name: held}, spec: {capacity: {storage: 1Gi}, accessModes: "
                "[ReadWriteOnce], storageClassName: local, claimRef: {namespace: default, name: mine}, nodeAffinity: "
                "{required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}}}, "
                "status: {phase: Available}}");
    fake_add(f, "{kind: PersistentVolume, metadata: {name: stale}, spec: {capacity: {storage: 1Gi}, accessModes: "
                "[ReadWriteOnce], storageClassName: local, claimRef: {namespace: default, name: other, uid: before}}, "
                "status: {phase: Available}}");
    fake_add(f, "{kind: PersistentVolume, metadata: {name: released}, spec: {capacity: {storage: 1Gi}, accessModes: "
                "[ReadWriteOnce], storageClassName: local}, status: {phase: Released}}");
    pod(f, "p", NULL, "mine");
    pod(f, "q", NULL, "other");
    ck_assert(!fake_same_class(f, "p", "q"));
    ASSERT_FITS(f, "p", "a1");
    ASSERT_REFUSED(f, "p", "b1", NO_VOLUME);
    ASSERT_REFUSED(f, "q", "a1", NO_VOLUME);
    fake_free(f);
}
END_TEST

START_TEST(local_volumes_are_counted) {
    struct fake *f = cluster(&mu_plugin_volume_binding);
    for (int i = 0; i < 4; i++) {
        char name[24], p[24];
        snprintf(name, sizeof name, "data-%d", i);
        snprintf(p, sizeof p, "p%d", i);
        claim(f, name, "local", NULL, NULL);
        pod(f, p, NULL, name);
    }
    on_node(f, "pv-1", "1Gi", "a1");
    on_node(f, "pv-2", "2Gi", "a1");
    on_node(f, "pv-3", "500Mi", "a1");
    on_node(f, "pv-4", "1Gi", "b1");
    ck_assert(fake_same_class(f, "p0", "p3"));
    ASSERT_REACH(f, "p0", MU_SCOPE_NODE, MU_SCOPE_NONE);
    ck_assert_int_eq(fake_fit(f, "p0", "a1"), 2);
    ck_assert_int_eq(fake_fit(f, "p0", "a2"), 0);
    ck_assert_int_eq(fake_fit(f, "p0", "b1"), 1);
    fake_place(f, "p0", "a1");
    ck_assert_int_eq(fake_fit(f, "p1", "a1"), 1);
    fake_place(f, "p1", "a1");
    ASSERT_REFUSED(f, "p2", "a1", NO_VOLUME);
    fake_place(f, "p2", "b1");
    ck_assert_int_eq(fake_fit(f, "p3", "b1"), 0);
    fake_take_all_back(f);
    ck_assert_int_eq(fake_fit(f, "p3", "a1"), 2);
    fake_free(f);
}
END_TEST

/* The small claim comes first and would do with either; the large one needs the large volume. Whoever comes first, both
 * are served. */
START_TEST(no_choice_stands_in_the_way) {
    static const char *const sizes[] = {"1Gi", "10Gi"};
    for (int first = 0; first < 2; first++) {
        struct fake *f = cluster(&mu_plugin_volume_binding);
        for (int i = 0; i < 2; i++)
            fake_add(f,
                     "{kind: PersistentVolumeClaim, metadata: {namespace: default, name: c%d}, spec: {accessModes: "
                     "[ReadWriteOnce], storageClassName: local, resources: {requests: {storage: %s}}}}",
                     i, sizes[i]);
        on_node(f, "pv-a", "10Gi", "a1"); /* both tried in this order */
        on_node(f, "pv-b", "1Gi", "a1");
        pod(f, "p0", NULL, "c0");
        pod(f, "p1", NULL, "c1");
        fake_place(f, first == 0 ? "p0" : "p1", "a1");
        ASSERT_FITS(f, first == 0 ? "p1" : "p0", "a1");
        fake_free(f);
    }
}
END_TEST

START_TEST(two_claims_of_one_pod) {
    struct fake *f = cluster(&mu_plugin_volume_binding);
    claim(f, "c0", "local", NULL, NULL);
    claim(f, "c1", "local", NULL, NULL);
    on_node(f, "pv-0", "1Gi", "a1");
    on_node(f, "pv-1", "1Gi", "a2");
    on_node(f, "pv-2", "1Gi", "a2");
    on_node(f, "pv-3", "1Gi", "a2");
    pod(f, "p", NULL, "c0 c1");
    ASSERT_REFUSED(f, "p", "a1", NO_VOLUME);
    ck_assert_int_eq(fake_fit(f, "p", "a2"), 1);
    fake_free(f);
}
END_TEST

/* Volumes that several nodes reach: who takes one in zone a leaves none for the other nodes there. */
START_TEST(volumes_of_a_zone) {
    struct fake *f = cluster(&mu_plugin_volume_binding);
    claim(f, "c0", "local", NULL, NULL);
    claim(f, "c1", "local", NULL, NULL);
    claim(f, "c2", "local", NULL, NULL);
    volume(f, "pv-a", "1Gi", "key: zone, operator: In, values: [a]", NULL);
    volume(f, "pv-ab", "1Gi", "key: zone, operator: In, values: [a, b]", NULL);
    pod(f, "p0", NULL, "c0");
    pod(f, "p1", NULL, "c1");
    pod(f, "p2", NULL, "c2");
    ASSERT_REACH(f, "p0", MU_SCOPE_CLUSTER, MU_SCOPE_NONE);
    fake_place(f, "p0", "a1");
    ASSERT_FITS(f, "p1", "a2");
    ASSERT_FITS(f, "p1", "b1");
    fake_place(f, "p1", "b1");
    ASSERT_REFUSED(f, "p2", "a2", NO_VOLUME);
    ASSERT_REFUSED(f, "p2", "b1", NO_VOLUME);
    fake_take_back(f);
    fake_place(f, "p1", "a2");
    ASSERT_REFUSED(f, "p2", "b1", NO_VOLUME);
    fake_free(f);
}
END_TEST

/* ------------------------------------------------------------------ volumes that are made */

START_TEST(volumes_made_on_demand) {
    struct fake *f = cluster(&mu_plugin_volume_binding);
    class(f, "in-b",
          "provisioner: csi.example.com, volumeBindingMode: WaitForFirstConsumer, allowedTopologies: "
          "[{matchLabelExpressions: [{key: zone, values: [b, c]}]}]");
    claim(f, "any", "csi", NULL, NULL);
    claim(f, "in-b", "in-b", NULL, NULL);
    claim(f, "there", "csi", NULL, "annotations: {volume.kubernetes.io/selected-node: a2}");
    pod(f, "p", NULL, "any");
    pod(f, "q", NULL, "in-b");
    pod(f, "r", NULL, "there");
    ASSERT_REACH(f, "p", MU_SCOPE_STATIC, MU_SCOPE_NONE);
    ck_assert_int_eq(fake_fit(f, "p", "a1"), INT64_MAX);
    ASSERT_REFUSED(f, "q", "a1", NO_VOLUME);
    ASSERT_FITS(f, "q", "b1");
    ASSERT_REFUSED(f, "r", "a1", NO_VOLUME);
    ASSERT_FITS(f, "r", "a2");
    fake_free(f);
}
END_TEST

static void capacity(struct fake *f, const char *name, const char *zone, const char *fields) {
    fake_add(f,
             "{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {namespace: kube-system, name: %s}, "
             "storageClassName: csi, nodeTopology: {matchLabels: {zone: %s}}, %s}",
             name, zone, fields);
}

/* Of a claim of 1Gi in zone a. driver: what its CSIDriver says; NULL: there is none. */
static const struct {
    const char *driver, *capacity;
    const char *phrase;
} capacities[] = {
    {"true", "capacity: 1Gi", ""},
    {"true", "capacity: 1023Mi", NO_SPACE},
    {"true", "capacity: 10Gi, maximumVolumeSize: 1023Mi", NO_SPACE},
    {"true", "capacity: 1Mi, maximumVolumeSize: 1Gi", ""},
    {"true", "", NO_SPACE},
    {"true", NULL, NO_SPACE},
    {"false", "capacity: 1Mi", ""},
    {"false", NULL, ""},
    {NULL, "capacity: 1Mi", NO_SPACE},
    {NULL, NULL, ""},
};

START_TEST(published_capacity) {
    struct fake *f = cluster(&mu_plugin_volume_binding);
    if (capacities[_i].driver != NULL)
        fake_add(f,
                 "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: csi.example.com}, spec: "
                 "{storageCapacity: %s}}",
                 capacities[_i].driver);
    if (capacities[_i].capacity != NULL)
        capacity(f, "of-a", "a", capacities[_i].capacity);
    capacity(f, "of-x", "x", "capacity: 100Gi");
    claim(f, "data", "csi", NULL, NULL);
    pod(f, "p", NULL, "data");
    /* one in zone x makes the driver heed capacity where there is no CSIDriver */
    const char *phrase =
        capacities[_i].driver == NULL && capacities[_i].capacity == NULL ? NO_SPACE : capacities[_i].phrase;
    ASSERT_REFUSED(f, "p", "a1", phrase);
    fake_free(f);
}
END_TEST

START_TEST(no_capacity_is_published_at_all) {
    struct fake *f = cluster(&mu_plugin_volume_binding);
    claim(f, "data", "csi", NULL, NULL);
    pod(f, "p", NULL, "data");
    ASSERT_FITS(f, "p", "a1");
    fake_free(f);
}
END_TEST

/* Where one can be made, volumes that are there are left to those who have no other choice. */
START_TEST(made_or_there) {
    struct fake *f = cluster(&mu_plugin_volume_binding);
    class(f, "both",
          "provisioner: csi.example.com, volumeBindingMode: WaitForFirstConsumer, allowedTopologies: "
          "[{matchLabelExpressions: [{key: zone, values: [b]}]}]");
    claim(f, "c0", "both", NULL, NULL);
    claim(f, "c1", "both", NULL, NULL);
    volume(f, "pv", "1Gi", NULL, "accessModes: [ReadWriteOnce], storageClassName: both");
    pod(f, "p0", NULL, "c0");
    pod(f, "p1", NULL, "c1");
    fake_place(f, "p0", "b1");
    ASSERT_FITS(f, "p1", "a1");
    fake_take_back(f);
    fake_place(f, "p0", "a1");
    ASSERT_REFUSED(f, "p1", "a2", NO_VOLUME);
    ASSERT_FITS(f, "p1", "b1");
    fake_free(f);
}
END_TEST

/* ------------------------------------------------------------------ claims that pods share */

START_TEST(a_shared_claim_is_decided_by_the_first) {
    struct fake *f = cluster(&mu_plugin_volume_binding);
    claim(f, "shared", "csi", NULL, NULL);
    claim(f, "own", "csi", NULL, NULL);
    pod(f, "p0", NULL, "shared");
    pod(f, "p1", NULL, "shared");
    pod(f, "q", NULL, "own");
    ck_assert(fake_same_class(f, "p0", "p1"));
    ck_assert(!fake_same_class(f, "p0", "q"));
    ASSERT_REACH(f, "p0", MU_SCOPE_CLUSTER, MU_SCOPE_NONE);
    ASSERT_FITS(f, "p1", "b1");
    fake_place(f, "p0", "a1");
    ASSERT_FITS(f, "p1", "a1");
    ASSERT_REFUSED(f, "p1", "a2", NO_VOLUME);
    fake_free(f);
}
END_TEST

START_TEST(a_shared_claim_on_a_volume_that_all_nodes_reach) {
    struct fake *f = cluster(&mu_plugin_volume_binding);
    claim(f, "shared", "local", NULL, NULL);
    claim(f, "other", "local", NULL, NULL);
    volume(f, "nfs", "1Gi", NULL, NULL);
    on_node(f, "disk", "1Gi", "b1");
    pod(f, "p0", NULL, "shared");
    pod(f, "p1", NULL, "shared");
    pod(f, "q", NULL, "other");
    fake_place(f, "p0", "a1");
    ASSERT_FITS(f, "p1", "b1");
    fake_place(f, "p1", "b1");
    ASSERT_REFUSED(f, "q", "a1", NO_VOLUME);
    ASSERT_FITS(f, "q", "b1");
    fake_free(f);
}
END_TEST

/* ------------------------------------------------------------------ zones of bound volumes */

#define NO_ZONE "node(s) had no available volume zone"

static const struct {
    const char *volume, *node;
    const char *phrase;
} zone_labels[] = {
    {"topology.kubernetes.io/zone: a", "topology.kubernetes.io/zone: a", ""},
    {"topology.kubernetes.io/zone: a", "topology.kubernetes.io/zone: b", NO_ZONE},
    {"topology.kubernetes.io/zone: a__b", "topology.kubernetes.io/zone: b", ""},
    {"topology.kubernetes.io/zone: a__b", "topology.kubernetes.io/zone: c", NO_ZONE},
    {"topology.kubernetes.io/zone: a__", "topology.kubernetes.io/zone: c", ""},
    {"topology.kubernetes.io/zone: ''", "topology.kubernetes.io/zone: c", ""},
    {"topology.kubernetes.io/zone: a", "zone: b", ""},
    {"topology.kubernetes.io/zone: a", "topology.kubernetes.io/region: r", NO_ZONE},
    {"topology.kubernetes.io/region: r", "topology.kubernetes.io/region: r, topology.kubernetes.io/zone: b", ""},
    {"topology.kubernetes.io/region: s", "topology.kubernetes.io/region: r, topology.kubernetes.io/zone: b", NO_ZONE},
    {"failure-domain.beta.kubernetes.io/zone: a", "topology.kubernetes.io/zone: a", ""},
    {"failure-domain.beta.kubernetes.io/zone: a", "topology.kubernetes.io/zone: b", NO_ZONE},
    {"failure-domain.beta.kubernetes.io/zone: a", "failure-domain.beta.kubernetes.io/zone: a", ""},
    {"topology.kubernetes.io/zone: a", "failure-domain.beta.kubernetes.io/zone: a", NO_ZONE},
    {"disk: a", "topology.kubernetes.io/zone: b", ""},
};

START_TEST(zone_of_a_volume) {
    struct fake *f = fake_new(&mu_plugin_volume_zone);
    fake_node(f, "n", zone_labels[_i].node);
    fake_add(f, "{kind: PersistentVolume, metadata: {name: pv, labels: {%s}}, spec: {capacity: {storage: 1Gi}}}",
             zone_labels[_i].volume);
    bound_claim(f, "data", "pv");
    pod(f, "p", NULL, "data");
    fake_pod(f, "none", NULL, NULL, NULL);
    ASSERT_REFUSED(f, "p", "n", zone_labels[_i].phrase);
    ASSERT_REACH(f, "none", MU_SCOPE_NONE, MU_SCOPE_NONE);
    fake_free(f);
}
END_TEST

/* ------------------------------------------------------------------ one pod at a time */

START_TEST(one_pod_for_a_claim) {
    const char *const in_use =
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another "
        "pod";
    struct fake *f = cluster(&mu_plugin_volume_restrictions);
    claim(f, "one", "csi", "accessModes: [ReadWriteOncePod]", NULL);
    claim(f, "busy", "csi", "accessModes: [ReadWriteOncePod]", NULL);
    claim(f, "own", "csi", "accessModes: [ReadWriteOncePod]", NULL);
    claim(f, "many", "csi", "accessModes: [ReadWriteOnce]", NULL);
    pod(f, "there", "b1", "busy many");
    pod(f, "p0", NULL, "one");
    pod(f, "p1", NULL, "one many");
    pod(f, "late", NULL, "busy");
    pod(f, "alone", NULL, "own");
    ASSERT_REACH(f, "p0", MU_SCOPE_CLUSTER, MU_SCOPE_NONE);
    ASSERT_REACH(f, "alone", MU_SCOPE_NONE, MU_SCOPE_NONE);
    ASSERT_REFUSED(f, "late", "a1", in_use);
    ck_assert_int_eq(fake_fit(f, "p0", "a1"), 1);
    fake_place(f, "p0", "a1");
    ASSERT_REFUSED(f, "p1", "a1", in_use);
    ASSERT_REFUSED(f, "p1", "b1", in_use);
    fake_take_back(f);
    ASSERT_FITS(f, "p1", "b1");
    fake_free(f);
}
END_TEST

/* ------------------------------------------------------------------ limits */

#define LIMIT "node(s) exceed max volume count"

static void csi_volume(struct fake *f, const char *name, const char *handle) {
    fake_add(f,
             "{kind: PersistentVolume, metadata: {name: %s}, spec: {capacity: {storage: 1Gi}, csi: {driver: "
             "csi.example.com, volumeHandle: %s}}}",
             name, handle);
}

static void limit(struct fake *f, const char *node, const char *driver) {
    fake_add(f, "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: %s}, spec: {drivers: [{%s}]}}", node,
             driver);
}

START_TEST(volumes_of_a_node_are_limited) {
    struct fake *f = cluster(&mu_plugin_node_volume_limits);
    limit(f, "a1", "name: csi.example.com, nodeID: a1, allocatable: {count: 3}");
    limit(f, "a2", "name: csi.example.com, nodeID: a2");
    csi_volume(f, "pv-shared", "h0");
    csi_volume(f, "pv-1", "h1");
    csi_volume(f, "pv-2", "h2");
    bound_claim(f, "shared", "pv-shared");
    bound_claim(f, "c1", "pv-1");
    bound_claim(f, "c2", "pv-2");
    claim(f, "c3", "csi", NULL, NULL);
    claim(f, "c4", "local", NULL, NULL);
    pod(f, "there", "a1", "shared");
    pod(f, "also", "a1", "shared");
    pod(f, "one", NULL, "shared c1");
    pod(f, "two", NULL, "c2 c3");
    pod(f, "same", NULL, "shared");
    pod(f, "local", NULL, "c4");
    ASSERT_REACH(f, "one", MU_SCOPE_NODE, MU_SCOPE_NONE);
    ASSERT_REACH(f, "local", MU_SCOPE_NONE, MU_SCOPE_NONE);
    /* one of three is attached, and it counts once */
    ck_assert_int_eq(fake_fit(f, "one", "a1"), 2);
    ck_assert_int_eq(fake_fit(f, "two", "a1"), 1);
    ck_assert_int_eq(fake_fit(f, "one", "a2"), INT64_MAX);
    ck_assert_int_eq(fake_fit(f, "one", "b1"), INT64_MAX);
    fake_place(f, "two", "a1");
    ASSERT_REFUSED(f, "one", "a1", LIMIT);
    ck_assert_int_eq(fake_fit(f, "same", "a1"), INT64_MAX); /* it is attached already */
    fake_free(f);
}
END_TEST

START_TEST(a_shared_volume_is_attached_once) {
    struct fake *f = cluster(&mu_plugin_node_volume_limits);
    limit(f, "a1", "name: csi.example.com, nodeID: a1, allocatable: {count: 1}");
    limit(f, "b1", "name: csi.example.com, nodeID: b1, allocatable: {count: 0}");
    csi_volume(f, "pv", "h");
    bound_claim(f, "shared", "pv");
    pod(f, "p0", NULL, "shared");
    pod(f, "p1", NULL, "shared");
    ck_assert_int_eq(fake_fit(f, "p0", "a1"), INT64_MAX);
    ASSERT_REFUSED(f, "p0", "b1", LIMIT);
    fake_place(f, "p0", "a1");
    ASSERT_FITS(f, "p1", "a1");
    fake_free(f);
}
END_TEST

#define LOOP(tests, test, table) tcase_add_loop_test(tests, test, 0, sizeof(table) / sizeof(table)[0])

static void add(TCase *tests) {
    tcase_add_test(tests, claims_that_nobody_can_serve);
    tcase_add_test(tests, bound_volumes_decide);
    LOOP(tests, a_volume_serves_a_claim, static_claims);
    tcase_add_test(tests, volumes_that_are_taken_or_held);
    tcase_add_test(tests, local_volumes_are_counted);
    tcase_add_test(tests, no_choice_stands_in_the_way);
    tcase_add_test(tests, two_claims_of_one_pod);
    tcase_add_test(tests, volumes_of_a_zone);
    tcase_add_test(tests, volumes_made_on_demand);
    LOOP(tests, published_capacity, capacities);
    tcase_add_test(tests, no_capacity_is_published_at_all);
    tcase_add_test(tests, made_or_there);
    tcase_add_test(tests, a_shared_claim_is_decided_by_the_first);
    tcase_add_test(tests, a_shared_claim_on_a_volume_that_all_nodes_reach);
    LOOP(tests, zone_of_a_volume, zone_labels);
    tcase_add_test(tests, one_pod_for_a_claim);
    tcase_add_test(tests, volumes_of_a_node_are_limited);
    tcase_add_test(tests, a_shared_volume_is_attached_once);
}

int main(void) {
    return mu_suite_run("plugins/volumes", add);
}
