/* Devices: ResourceClaims and their templates, ResourceSlices, DeviceClasses (resource.k8s.io v1, v1beta2, v1beta1). */
#ifndef MU_OBJECTS_DRA_H
#define MU_OBJECTS_DRA_H

#include "scheduler/objects/meta.h"

/* One device that a claim was given: status.allocation.devices.results[]. */
struct mu_device_result {
    mu_sym request, driver, pool, device;
    mu_sym share_id; /* 0: the whole device */
    bool admin_access;
};

struct mu_consumer {
    mu_sym resource; /* "pods", "podgroups" */
    mu_sym name, uid;
};

struct mu_claim {
    struct mu_meta meta;
    bool allocated;
    const struct mu_device_result *results;
    const struct mu_consumer *reserved_for;
    uint32_t results_len, reserved_for_len;
};

struct mu_device_attribute {
    mu_sym name; /* as written, with or without domain */
    mu_sym text; /* the string value; 0 for every other type */
};

struct mu_device {
    mu_sym name;
    const struct mu_device_attribute *attributes;
    uint32_t attributes_len;
    bool shared; /* allowMultipleAllocations */
};

struct mu_slice {
    struct mu_meta meta;
    mu_sym driver, pool, node;
    int64_t generation, slice_count;
    const struct mu_device *devices;
    uint32_t devices_len;
};

struct mu_device_class {
    struct mu_meta meta;
    mu_sym extended_resource; /* spec.extendedResourceName */
};

#endif
