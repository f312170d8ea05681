/* The device as maps: device.attributes and device.capacity are looked up in the caller's arrays, without building maps
 * first, since most expressions look at two or three attributes. */
#ifndef MU_DEVICES_CEL_DEVICE_H
#define MU_DEVICES_CEL_DEVICE_H

#include "scheduler/devices/cel/eval.h"

/* Where every version is one; otherwise the text of what is wrong is in *err. */
int mu_cel_device_check(const struct mu_cel_device *device, struct mu_err *err);
bool mu_cel_device_find(struct mu_cel_eval *e, const struct mu_cel_map *map, struct mu_cel_val key,
                        struct mu_cel_val *ret);
/* Sets keys, values and len of the map. */
void mu_cel_device_list(struct mu_cel_eval *e, struct mu_cel_map *map);

#endif
