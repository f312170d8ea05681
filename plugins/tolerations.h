/* Taints and tolerations, for the plugins that look at them. */
#ifndef MU_PLUGINS_TOLERATIONS_H
#define MU_PLUGINS_TOLERATIONS_H

#include "scheduler/core/framework.h"

/* Does one of the pod's tolerations tolerate the taint? As core/v1 Toleration.ToleratesTaint, with Lt and Gt. */
bool mu_taint_is_tolerated(const struct mu_pod_spec *spec, const struct mu_taint *taint,
                           const struct mu_symbols *symbols);

/* Are all taints of the node that keep pods away (NoSchedule, NoExecute) tolerated? */
bool mu_taints_are_tolerated(const struct mu_pod_spec *spec, const struct mu_node *node,
                             const struct mu_symbols *symbols);

#endif
