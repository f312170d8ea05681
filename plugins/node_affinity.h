/* Node affinity, for the plugins that look at it. */
#ifndef MU_PLUGINS_NODE_AFFINITY_H
#define MU_PLUGINS_NODE_AFFINITY_H

#include "scheduler/core/framework.h"

/* Does the node match the pod's nodeSelector and its required node affinity, where it has them? */
bool mu_node_is_wanted(const struct mu_pod_spec *spec, const struct mu_node *node, const struct mu_symbols *symbols);

#endif
