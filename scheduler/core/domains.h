/* Domains that a unit may be placed in: nodes that have one value of each of its topology keys, tightest first. */
#ifndef MU_CORE_DOMAINS_H
#define MU_CORE_DOMAINS_H

#include "scheduler/core/try.h"

struct mu_domain {
    uint32_t id;
    int64_t members; /* of the unit's ready pods that fit there, each class by itself */
    int64_t room;    /* for pods of its classes in all */
};

struct mu_domains {
    struct mu_try *t;
    uint32_t *id_of; /* by node slot; MU_NO_DOMAIN: it lacks a label, or is not among the nodes left to the unit */
    struct mu_domain *items; /* in the order to try them: the smallest that is large enough first */
    uint32_t len;
};

/* The unit's parts are numbered first_part and so on. Members that run already leave their own domain only, or none
 * where they lie in several. `wish` is one more key (0: none), `mask` the nodes left to the unit (NULL: all). Memory is
 * the try's. */
void mu_domains_make(struct mu_domains *domains, struct mu_try *t, const struct mu_unit *unit, uint32_t first_part,
                     uint32_t parts_len, mu_sym wish, const struct mu_bitset *mask);
/* The nodes of the i-th domain. */
const struct mu_bitset *mu_domains_mask(const struct mu_domains *domains, struct mu_try *t, uint32_t i);
/* No node at all. */
const struct mu_bitset *mu_domains_none(struct mu_try *t);
/* Index of the domain where placed or running members of these parts are, or MU_NO_SLOT. */
uint32_t mu_domains_in_use(const struct mu_domains *domains, const struct mu_try *t, uint32_t first_part,
                           uint32_t parts_len);

#endif
