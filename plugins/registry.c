/* Registry: the plugins that are built in, in kube-scheduler's order, so that a node that several rules refuse counts
 * under the reason that its users know from there. */
#include "plugins/registry.h"

static const struct mu_plugin *const plugins[] = {
    &mu_plugin_node_name,
    &mu_plugin_node_unschedulable,
    &mu_plugin_taint_toleration,
    &mu_plugin_node_affinity,
    &mu_plugin_node_ports,
    &mu_plugin_node_resources,
    &mu_plugin_volume_restrictions,
    &mu_plugin_node_volume_limits,
    &mu_plugin_volume_binding,
    &mu_plugin_volume_zone,
    &mu_plugin_pod_topology_spread,
    &mu_plugin_inter_pod_affinity,
    &mu_plugin_dynamic_resources,
    &mu_plugin_image_locality,
    &mu_plugin_node_declared_features,
    &mu_plugin_packing,
};

const struct mu_plugin *const *mu_registry(uint32_t *ret_len) {
    *ret_len = sizeof plugins / sizeof plugins[0];
    return plugins;
}

const struct mu_plugin *mu_registry_find(struct mu_str name) {
    for (size_t i = 0; i < sizeof plugins / sizeof plugins[0]; i++) {
        if (mu_str_eq(name, mu_str_from(plugins[i]->name)))
            return plugins[i];
    }
    return NULL;
}
