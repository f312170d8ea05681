/* The kinds that are read, one line each. */
#include "scheduler/objects/canon.h"
#include "scheduler/objects/expand.h"
#include "scheduler/objects/store_index.h"

#define DRA "resource.k8s.io"
#define STORAGE "storage.k8s.io"
#define NATIVE "scheduling.k8s.io"
#define VOLCANO "scheduling.volcano.sh"
#define WORKLOAD(group, kind)                                                                                          \
    { group, kind, sizeof(struct mu_workload), true, true, mu_decode_workload, mu_canon_workload }

/* Group, kind, size, namespaced, a workload, decoder, canonical form. Of the versions of a group all are read: what
 * differs between them has names of its own. */
const struct mu_kind_info mu_kinds[MU_KIND_COUNT] = {
    [MU_KIND_POD] = {"", "Pod", sizeof(struct mu_pod), true, false, mu_decode_pod, mu_canon_pod},
    [MU_KIND_NODE] = {"", "Node", sizeof(struct mu_node), false, false, mu_decode_node, mu_canon_node},
    [MU_KIND_GROUP_NATIVE] = {NATIVE, "PodGroup", sizeof(struct mu_group_object), true, false, mu_decode_group_native,
                              mu_canon_group},
    [MU_KIND_GROUP_COSCHEDULING] = {"scheduling.x-k8s.io", "PodGroup", sizeof(struct mu_group_object), true, false,
                                    mu_decode_group_coscheduling, mu_canon_group},
    [MU_KIND_GROUP_VOLCANO] = {VOLCANO, "PodGroup", sizeof(struct mu_group_object), true, false,
                               mu_decode_group_volcano, mu_canon_group},
    [MU_KIND_GROUP_COMPOSITE] = {NATIVE, "CompositePodGroup", sizeof(struct mu_group_object), true, false,
                                 mu_decode_group_composite, mu_canon_group},
    [MU_KIND_GROUP_LWS] = {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", sizeof(struct mu_group_object), true, false,
                           mu_decode_group_lws, mu_canon_group},
    [MU_KIND_PV] = {"", "PersistentVolume", sizeof(struct mu_pv), false, false, mu_decode_pv, mu_canon_pv},
    [MU_KIND_PVC] = {"", "PersistentVolumeClaim", sizeof(struct mu_pvc), true, false, mu_decode_pvc, mu_canon_pvc},
    [MU_KIND_STORAGE_CLASS] = {STORAGE, "StorageClass", sizeof(struct mu_storage_class), false, false,
                               mu_decode_storage_class, mu_canon_storage_class},
    [MU_KIND_CSI_NODE] = {STORAGE, "CSINode", sizeof(struct mu_csi_node), false, false, mu_decode_csi_node,
                          mu_canon_csi_node},
    [MU_KIND_CSI_DRIVER] = {STORAGE, "CSIDriver", sizeof(struct mu_csi_driver), false, false, mu_decode_csi_driver,
                            mu_canon_csi_driver},
    [MU_KIND_CSI_CAPACITY] = {STORAGE, "CSIStorageCapacity", sizeof(struct mu_csi_capacity), true, false,
                              mu_decode_csi_capacity, mu_canon_csi_capacity},
    [MU_KIND_PRIORITY_CLASS] = {NATIVE, "PriorityClass", sizeof(struct mu_priority_class), false, false,
                                mu_decode_priority_class, mu_canon_priority_class},
    [MU_KIND_PDB] = {"policy", "PodDisruptionBudget", sizeof(struct mu_pdb), true, false, mu_decode_pdb, mu_canon_pdb},
    [MU_KIND_NAMESPACE] = {"", "Namespace", sizeof(struct mu_namespace), false, false, mu_decode_namespace,
                           mu_canon_namespace},
    [MU_KIND_QUEUE] = {"scheduling.muster.dev", "Queue", sizeof(struct mu_queue), false, false, mu_decode_queue,
                       mu_canon_queue},
    [MU_KIND_QUEUE_VOLCANO] = {VOLCANO, "Queue", sizeof(struct mu_queue), false, false, mu_decode_queue_volcano,
                               mu_canon_queue},
    [MU_KIND_CLAIM] = {DRA, "ResourceClaim", sizeof(struct mu_claim), true, false, mu_decode_claim, mu_canon_claim},
    [MU_KIND_CLAIM_TEMPLATE] = {DRA, "ResourceClaimTemplate", sizeof(struct mu_claim), true, false,
                                mu_decode_claim_template, mu_canon_claim},
    [MU_KIND_SLICE] = {DRA, "ResourceSlice", sizeof(struct mu_slice), false, false, mu_decode_slice, mu_canon_slice},
    [MU_KIND_DEVICE_CLASS] = {DRA, "DeviceClass", sizeof(struct mu_device_class), false, false, mu_decode_device_class,
                              mu_canon_device_class},
    [MU_KIND_TAINT_RULE] = {DRA, "DeviceTaintRule", sizeof(struct mu_taint_rule), false, false, mu_decode_taint_rule,
                            mu_canon_taint_rule},
    [MU_KIND_JOB] = WORKLOAD("batch", "Job"),
    [MU_KIND_DEPLOYMENT] = WORKLOAD("apps", "Deployment"),
    [MU_KIND_REPLICA_SET] = WORKLOAD("apps", "ReplicaSet"),
    [MU_KIND_STATEFUL_SET] = WORKLOAD("apps", "StatefulSet"),
    [MU_KIND_DAEMON_SET] = WORKLOAD("apps", "DaemonSet"),
    [MU_KIND_LWS] = WORKLOAD("leaderworkerset.x-k8s.io", "LeaderWorkerSet"),
    [MU_KIND_JOB_SET] = WORKLOAD("jobset.x-k8s.io", "JobSet"),
};
