/* Nodes, volumes and devices. */
#include "tests/unit/objects/load.h"

#define OBJECT(version, kind, rest) "---\n{apiVersion: " version ", kind: " kind ", metadata: {name: o}, " rest "}\n"
#define NODE(rest) OBJECT("v1", "Node", rest)

static struct loaded loaded;

static void teardown(void) {
    unload(&loaded);
}

/* ---- Nodes ---- */

static const struct mu_node *read_node(const char *yaml) {
    loaded = load_ok(yaml);
    return loaded.store->nodes.items[0];
}

static int64_t bytes_of(const struct mu_node *node, const char *image) {
    for (uint32_t i = 0; i < node->images_len; i++) {
        if (node->images[i].name == sym_of(&loaded, image)) {
            return node->images[i].bytes;
        }
    }
    return -1;
}

START_TEST(nodes) {
    const struct mu_node *node =
        read_node(NODE("spec: {unschedulable: true, taints: [{key: a, value: b, effect: NoExecute}, {key: c, effect:"
                       " PreferNoSchedule}]}, status: {capacity: {cpu: 99}, allocatable: {cpu: 1500500u, memory: 1999m,"
                       " pods: '110', nvidia.com/gpu: '8'}, images: [{names: [r/a, 'r/a@sha256:1'], sizeBytes: 5},"
                       " {names: ['r/a:latest'], sizeBytes: 7}, {sizeBytes: 9}], declaredFeatures: [B, A]}"));
    ck_assert_uint_eq(node->meta.namespace, 0);
    ck_assert_int_eq(node->unschedulable, true);
    ck_assert_uint_eq(node->taints_len, 2);
    ck_assert_int_eq(node->taints[0].effect, MU_EFFECT_NO_EXECUTE);
    ck_assert_int_eq(node->taints[1].effect, MU_EFFECT_PREFER_NO_SCHEDULE);
    ck_assert_str_eq(amounts_text(&loaded, node->allocatable, node->allocatable_len),
                     "cpu=1500 memory=1 nvidia.com/gpu=8 pods=110");
    ck_assert_uint_eq(node->images_len, 2);
    ck_assert_int_eq(bytes_of(node, "r/a:latest"), 7);
    ck_assert_int_eq(bytes_of(node, "r/a@sha256:1"), 5);
    ck_assert_uint_eq(node->features_len, 2);
}
END_TEST

START_TEST(capacity_where_nothing_is_allocatable) {
    const struct mu_node *node = read_node(NODE("status: {capacity: {cpu: 2}}"));
    ck_assert_str_eq(amounts_text(&loaded, node->allocatable, node->allocatable_len), "cpu=2000");
    unload(&loaded);
    node = read_node(NODE("status: {}"));
    ck_assert_uint_eq(node->allocatable_len, 0);
}
END_TEST

/* ---- Volumes ---- */

START_TEST(persistent_volumes) {
    loaded = load_ok(OBJECT("v1", "PersistentVolume",
                            "spec: {capacity: {storage: 10Gi}, accessModes: [ReadWriteOnce, ReadOnlyMany],"
                            " storageClassName: fast, volumeMode: Block, claimRef: {namespace: x, name: c, uid: u},"
                            " nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: host, operator:"
                            " In, values: [n1]}]}]}}, csi: {driver: d, volumeHandle: h}, volumeAttributesClassName: g},"
                            " status: {phase: Bound}"));
    const struct mu_pv *pv = loaded.store->pvs.items[0];
    ck_assert_int_eq(pv->capacity_bytes, (int64_t)10 << 30);
    ck_assert_uint_eq(pv->access, MU_ACCESS_RWO | MU_ACCESS_ROX);
    ck_assert_str_eq(text_of(&loaded, pv->storage_class), "fast");
    ck_assert_int_eq(pv->block, true);
    ck_assert_str_eq(text_of(&loaded, pv->claim_namespace), "x");
    ck_assert_str_eq(text_of(&loaded, pv->claim_name), "c");
    ck_assert_str_eq(text_of(&loaded, pv->claim_uid), "u");
    ck_assert_int_eq(pv->has_node_required, true);
    ck_assert_uint_eq(pv->node_required_len, 1);
    ck_assert_str_eq(text_of(&loaded, pv->phase), "Bound");
    ck_assert_str_eq(text_of(&loaded, pv->csi_driver), "d");
    ck_assert_str_eq(text_of(&loaded, pv->csi_handle), "h");
    ck_assert_str_eq(text_of(&loaded, pv->attributes_class), "g");
}
END_TEST

static const char *const claim_yaml[] = {
    /* Bound by its annotation, with the class that an annotation names. */
    "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: o, annotations: {"
    "pv.kubernetes.io/bind-completed: 'yes', volume.kubernetes.io/selected-node: n1,"
    " volume.beta.kubernetes.io/storage-class: old}}, spec: {accessModes: [ReadWriteOncePod], resources: {requests:"
    " {storage: 1500m}}, storageClassName: fast, volumeName: v, selector: {matchLabels: {a: b}}}}\n",
    OBJECT("v1", "PersistentVolumeClaim", "spec: {storageClassName: ''}, status: {phase: Bound}"),
};

START_TEST(claims_of_volumes) {
    loaded = load_ok(claim_yaml[0]);
    const struct mu_pvc *pvc = loaded.store->pvcs.items[0];
    ck_assert_int_eq(pvc->request_bytes, 2);
    ck_assert_uint_eq(pvc->access, MU_ACCESS_RWOP);
    ck_assert_str_eq(text_of(&loaded, pvc->storage_class), "old");
    ck_assert_int_eq(pvc->has_storage_class, true);
    ck_assert_str_eq(text_of(&loaded, pvc->volume), "v");
    ck_assert_uint_eq(pvc->selector->len, 1);
    ck_assert_int_eq(pvc->bound, true);
    ck_assert_str_eq(text_of(&loaded, pvc->selected_node), "n1");
    unload(&loaded);
    loaded = load_ok(claim_yaml[1]);
    pvc = loaded.store->pvcs.items[0];
    ck_assert_int_eq(pvc->has_storage_class, true);
    ck_assert_uint_eq(pvc->storage_class, 0);
    ck_assert_int_eq(pvc->bound, true);
}
END_TEST

#define STORAGE_CLASS(name, created, is_default)                                                                       \
    "---\n{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: " name ", creationTimestamp: '" created \
    "', annotations: {storageclass.kubernetes.io/is-default-class: '" is_default "'}}}\n"

static const struct {
    const char *claim, *class;
} default_classes[] = {
    {OBJECT("v1", "PersistentVolumeClaim", "spec: {}"), "b"},
    {OBJECT("v1", "PersistentVolumeClaim", "spec: {storageClassName: x}"), "x"},
    {OBJECT("v1", "PersistentVolumeClaim", "spec: {storageClassName: ''}"), ""},
    {OBJECT("v1", "PersistentVolumeClaim", "spec: {volumeName: v}"), ""},
};

START_TEST(claims_get_the_newest_default_class) {
    loaded = load_printf("%s%s%s%s", STORAGE_CLASS("a", "2026-01-01T00:00:00Z", "true"),
                         STORAGE_CLASS("b", "2026-01-02T00:00:00Z", "true"),
                         STORAGE_CLASS("c", "2026-01-03T00:00:00Z", "false"), default_classes[_i].claim);
    ck_assert_str_eq(text_of(&loaded, loaded.store->pvcs.items[0]->storage_class), default_classes[_i].class);
}
END_TEST

START_TEST(storage_classes_and_what_drivers_publish) {
    loaded = load_ok(
        OBJECT("storage.k8s.io/v1", "StorageClass",
               "provisioner: p, volumeBindingMode: WaitForFirstConsumer, allowedTopologies: [{matchLabelExpressions:"
               " [{key: zone, values: [a, b]}]}]")
            OBJECT("storage.k8s.io/v1", "CSINode",
                   "spec: {drivers: [{name: d, nodeID: i, topologyKeys: [z], allocatable: {count: 3}}, {name: e}]}")
                OBJECT("storage.k8s.io/v1", "CSIDriver", "spec: {storageCapacity: true}")
                    OBJECT("storage.k8s.io/v1", "CSIStorageCapacity",
                           "storageClassName: o, capacity: 1Ki, nodeTopology: {matchLabels: {zone: a}}"));
    const struct mu_storage_class *class = loaded.store->storage_classes.items[0];
    ck_assert_str_eq(text_of(&loaded, class->provisioner), "p");
    ck_assert_int_eq(class->wait_for_first_consumer, true);
    ck_assert_int_eq(class->is_default, false);
    ck_assert_uint_eq(class->allowed_topologies_len, 1);
    ck_assert_uint_eq(class->allowed_topologies[0].items[0].values_len, 2);
    const struct mu_csi_node *node = loaded.store->csi_nodes.items[0];
    ck_assert_uint_eq(node->drivers_len, 2);
    ck_assert_int_eq(node->drivers[0].count, 3);
    ck_assert_str_eq(syms_text(&loaded, node->drivers[0].topology_keys, node->drivers[0].topology_keys_len), "z");
    ck_assert_int_eq(node->drivers[1].count, -1);
    ck_assert_int_eq(loaded.store->csi_drivers.items[0]->storage_capacity, true);
    const struct mu_csi_capacity *capacity = loaded.store->csi_capacities.items[0];
    ck_assert_str_eq(text_of(&loaded, capacity->storage_class), "o");
    ck_assert_uint_eq(capacity->node_topology->len, 1);
    ck_assert_int_eq(capacity->capacity_bytes, 1024);
    ck_assert_int_eq(capacity->maximum_bytes, -1);
}
END_TEST

/* ---- Devices ---- */

START_TEST(device_claims) {
    loaded = load_ok(
        OBJECT("resource.k8s.io/v1", "ResourceClaim",
               "status: {allocation: {devices: {results: [{request: r, driver: d, pool: p, device: x, shareID: s,"
               " adminAccess: true}]}}, reservedFor: [{resource: pods, name: a, uid: u}]}")
            OBJECT("resource.k8s.io/v1beta1", "ResourceClaimTemplate", "spec: {spec: {}}")
                OBJECT("resource.k8s.io/v1beta2", "DeviceClass", "spec: {extendedResourceName: nvidia.com/gpu}"));
    const struct mu_claim *claim = loaded.store->claims.items[0];
    ck_assert_int_eq(claim->allocated, true);
    ck_assert_uint_eq(claim->results_len, 1);
    ck_assert_str_eq(text_of(&loaded, claim->results[0].device), "x");
    ck_assert_str_eq(text_of(&loaded, claim->results[0].share_id), "s");
    ck_assert_int_eq(claim->results[0].admin_access, true);
    ck_assert_uint_eq(claim->reserved_for_len, 1);
    ck_assert_str_eq(text_of(&loaded, claim->reserved_for[0].uid), "u");
    ck_assert_uint_eq(loaded.store->claim_templates.len, 1);
    ck_assert_str_eq(text_of(&loaded, loaded.store->device_classes.items[0]->extended_resource), "nvidia.com/gpu");
}
END_TEST

START_TEST(slices) {
    loaded = load_ok(OBJECT("resource.k8s.io/v1", "ResourceSlice",
                            "spec: {driver: d, nodeName: n, pool: {name: p, generation: 3, resourceSliceCount: 2},"
                            " devices: [{name: x, allowMultipleAllocations: true, attributes: {uuid: {string: a}, n:"
                            " {int: 4}}}, {name: y}]}"));
    const struct mu_slice *slice = loaded.store->slices.items[0];
    ck_assert_str_eq(text_of(&loaded, slice->driver), "d");
    ck_assert_str_eq(text_of(&loaded, slice->node), "n");
    ck_assert_str_eq(text_of(&loaded, slice->pool), "p");
    ck_assert_int_eq(slice->generation, 3);
    ck_assert_int_eq(slice->slice_count, 2);
    ck_assert_uint_eq(slice->devices_len, 2);
    ck_assert_int_eq(slice->devices[0].shared, true);
    ck_assert_uint_eq(slice->devices[0].attributes_len, 2);
    ck_assert_str_eq(text_of(&loaded, slice->devices[0].attributes[0].text), "a");
    ck_assert_uint_eq(slice->devices[0].attributes[1].text, 0);
    ck_assert_int_eq(slice->devices[1].shared, false);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_test(tests, nodes);
    tcase_add_test(tests, capacity_where_nothing_is_allocatable);
    tcase_add_test(tests, persistent_volumes);
    tcase_add_test(tests, claims_of_volumes);
    tcase_add_loop_test(tests, claims_get_the_newest_default_class, 0,
                        sizeof default_classes / sizeof *default_classes);
    tcase_add_test(tests, storage_classes_and_what_drivers_publish);
    tcase_add_test(tests, device_claims);
    tcase_add_test(tests, slices);
}

int main(void) {
    return mu_suite_run("decode_cluster", add_tests);
}
