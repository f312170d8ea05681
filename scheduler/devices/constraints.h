/* Constraints over the devices of a claim: matchAttribute and distinctAttribute, of single values and of lists
 * (KEP-5491), of published and of derived attributes.
 *
 * A constraint keeps nothing: whether one more device may join is worked out from those that the claim has already, at
 * most 32, so there is nothing to undo. */
#ifndef MU_DEVICES_CONSTRAINTS_H
#define MU_DEVICES_CONSTRAINTS_H

#include "scheduler/devices/state.h"

/* A constraint, ready to be asked. */
struct mu_limit_on {
    const struct mu_device_constraint *constraint;
    mu_sym domain, bare; /* of the attribute's name; 0 where nobody publishes such a thing */
};

void mu_constraint_prepare(const struct mu_alloc *alloc, const struct mu_device_constraint *constraint,
                           struct mu_limit_on *ret);
/* Does it speak of this request? `alternative` is 0 for a request without any; names as in the constraint. */
bool mu_constraint_applies(const struct mu_limit_on *limit, mu_sym request, mu_sym full_name);
/* The device's published attribute that it speaks of, or NULL. */
const struct mu_device_attribute *mu_constraint_attribute(const struct mu_alloc *alloc, const struct mu_limit_on *limit,
                                                          uint32_t entry);
/* May a device with this attribute (NULL: without) join those with `others`? */
bool mu_constraint_allows(const struct mu_limit_on *limit, bool lists, const struct mu_device_attribute *attribute,
                          const struct mu_device_attribute *const *others, uint32_t others_len);

#endif
