/* Volumes: what placing a pod with PersistentVolumeClaims needs. */
#ifndef MU_OBJECTS_VOLUME_H
#define MU_OBJECTS_VOLUME_H

#include "scheduler/objects/meta.h"

enum mu_access { MU_ACCESS_RWO = 1, MU_ACCESS_ROX = 2, MU_ACCESS_RWX = 4, MU_ACCESS_RWOP = 8 }; /* bits */

struct mu_pv {
    struct mu_meta meta;
    int64_t capacity_bytes;
    unsigned access; /* bits of enum mu_access */
    mu_sym storage_class;
    bool block; /* volumeMode Block */
    mu_sym claim_namespace, claim_name, claim_uid; /* spec.claimRef; name 0: none */
    const struct mu_node_term *node_required;      /* spec.nodeAffinity.required; alternatives */
    uint32_t node_required_len;
    bool has_node_required;
    mu_sym phase;
    mu_sym csi_driver, csi_handle; /* spec.csi */
    mu_sym attributes_class;
};

struct mu_pvc {
    struct mu_meta meta;
    int64_t request_bytes;
    unsigned access;
    mu_sym storage_class;
    bool has_storage_class; /* spec.storageClassName is there, perhaps empty */
    bool block;
    mu_sym volume; /* spec.volumeName; 0: unbound */
    const struct mu_selector *selector; /* NULL: none */
    bool bound;    /* annotation pv.kubernetes.io/bind-completed, or phase Bound */
    mu_sym selected_node; /* annotation volume.kubernetes.io/selected-node */
    mu_sym attributes_class;
};

struct mu_storage_class {
    struct mu_meta meta;
    mu_sym provisioner;
    bool wait_for_first_consumer;
    bool is_default; /* annotation storageclass.kubernetes.io/is-default-class */
    const struct mu_selector *allowed_topologies; /* alternatives (each all its requirements); NULL: everywhere */
    uint32_t allowed_topologies_len;
};

struct mu_csi_driver_limit {
    mu_sym driver;
    int64_t count; /* allocatable.count; -1: not limited */
    const mu_sym *topology_keys;
    uint32_t topology_keys_len;
};

struct mu_csi_node {
    struct mu_meta meta; /* its name is the node's */
    const struct mu_csi_driver_limit *drivers;
    uint32_t drivers_len;
};

struct mu_csi_driver {
    struct mu_meta meta;
    bool storage_capacity; /* spec.storageCapacity: capacities are published and must be heeded */
};

struct mu_csi_capacity {
    struct mu_meta meta;
    mu_sym storage_class;
    const struct mu_selector *node_topology; /* NULL: no node */
    int64_t capacity_bytes;                  /* -1: unknown */
    int64_t maximum_bytes;                   /* maximumVolumeSize; -1: not given */
};

#endif
