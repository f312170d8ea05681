/* PodTopologySpread, from inside: an order for members under several constraints. */
#ifndef MU_PLUGINS_SPREAD_ORDER_H
#define MU_PLUGINS_SPREAD_ORDER_H

#include "plugins/spread_counts.h"

/* Is there an order in which the members could have come one by one, each under all of its constraints, and, where it
 * has required affinity, finding the company that it requires? Each constraint is known to hold in the end. */
bool mu_spread_order_exists(struct mu_fw *fw, const struct mu_placed *placed, uint32_t placed_len);

#endif
