/* Company: whom members with required affinity find as they come one by one.
 *
 * A member finds company where, in each of its terms' domains, there is a friend: a pod that matches all of its terms.
 * Or it is a friend itself, and there is none at all yet: upstream's rule for the first pod of its kind. */
#ifndef MU_PLUGINS_COMPANY_H
#define MU_PLUGINS_COMPANY_H

#include "scheduler/core/framework.h"

struct mu_company;

/* Everybody who is there but the members that are placed now. Memory as mu_fw_scratch gives it. NULL where none of
 * these members has required affinity (or no rule about it is on): whoever comes then is welcome. */
struct mu_company *mu_company_make(struct mu_fw *fw, const struct mu_placed *placed, uint32_t placed_len);
/* May the member come next? company may be NULL. */
bool mu_company_lets(const struct mu_company *company, const struct mu_placed *member);
/* Would it be the first friend of some members, and spoil it for another who could be that? company may be NULL. */
bool mu_company_has_first(const struct mu_company *company, const struct mu_placed *member);
/* The member comes (by 1), or leaves again (by -1). company may be NULL. */
void mu_company_count(struct mu_company *company, const struct mu_placed *member, int by);
/* Is it all the same which of the two comes? */
bool mu_company_takes_for_same(const struct mu_company *company, const struct mu_placed *a, const struct mu_placed *b);

#endif
