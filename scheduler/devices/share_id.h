/* Share IDs: names for the shares of devices that an allocation gives out.
 *
 * Upstream draws random UUIDs. Decisions here are a function of their input, so an ID is a UUIDv5 (RFC 9562) of the
 * claim's uid and resourceVersion, the request, and the device's place in the result: another allocation of the same
 * claim, which has another resourceVersion, gets other IDs. */
#ifndef MU_DEVICES_SHARE_ID_H
#define MU_DEVICES_SHARE_ID_H

#include "scheduler/objects/dra.h"

enum { MU_UUID_BYTES = 16, MU_UUID_CHARS = 36 };

/* "xxxxxxxx-xxxx-5xxx-yxxx-xxxxxxxxxxxx", terminated: the UUIDv5 of a name in the namespace. */
void mu_uuid5(const uint8_t namespace[MU_UUID_BYTES], struct mu_str name, char ret[MU_UUID_CHARS + 1]);

/* The ID of the claim's result number `index`, for `request`. */
void mu_share_id(const struct mu_symbols *symbols, const struct mu_claim *claim, mu_sym request, uint32_t index,
                 struct mu_arena *scratch, char ret[MU_UUID_CHARS + 1]);

#endif
