/* Registry: the plugins that are built in. */
#ifndef MU_PLUGINS_REGISTRY_H
#define MU_PLUGINS_REGISTRY_H

#include "scheduler/core/framework.h"

extern const struct mu_plugin mu_plugin_node_name;
extern const struct mu_plugin mu_plugin_node_unschedulable;
extern const struct mu_plugin mu_plugin_taint_toleration;
extern const struct mu_plugin mu_plugin_node_affinity;
extern const struct mu_plugin mu_plugin_node_ports;
extern const struct mu_plugin mu_plugin_node_resources;
extern const struct mu_plugin mu_plugin_volume_restrictions;
extern const struct mu_plugin mu_plugin_node_volume_limits;
extern const struct mu_plugin mu_plugin_volume_binding;
extern const struct mu_plugin mu_plugin_volume_zone;
extern const struct mu_plugin mu_plugin_pod_topology_spread;
extern const struct mu_plugin mu_plugin_inter_pod_affinity;
extern const struct mu_plugin mu_plugin_node_declared_features;
extern const struct mu_plugin mu_plugin_dynamic_resources;
extern const struct mu_plugin mu_plugin_image_locality;
extern const struct mu_plugin mu_plugin_packing;

/* All of them, in the order in which a profile has them unless it is configured otherwise: of several that refuse a
 * node, the first is named. Each with its default weight in it. */
const struct mu_plugin *const *mu_registry(uint32_t *ret_len);

/* The plugin of that name; NULL where there is none. */
const struct mu_plugin *mu_registry_find(struct mu_str name);

#endif
