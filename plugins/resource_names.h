/* Names of resources, for the plugins that tell kinds of them apart. */
#ifndef MU_PLUGINS_RESOURCE_NAMES_H
#define MU_PLUGINS_RESOURCE_NAMES_H

#include "scheduler/base/str.h"

/* A resource that some vendor made known, such as nvidia.com/gpu: one with a domain that is not Kubernetes' own
 * (upstream: IsExtendedResourceName). */
static inline bool mu_resource_is_extended(struct mu_str name) {
    if (mu_str_index(name, '/') < 0 || mu_str_starts(name, MU_STR("requests.")))
        return false;
    return memmem(name.ptr, name.len, "kubernetes.io/", sizeof "kubernetes.io/" - 1) == NULL;
}

/* The resource by which every DeviceClass can be asked for (upstream: ResourceDeviceClassPrefix). */
static inline bool mu_resource_is_class(struct mu_str name) {
    return mu_str_starts(name, MU_STR("deviceclass.resource.kubernetes.io/"));
}

#endif
