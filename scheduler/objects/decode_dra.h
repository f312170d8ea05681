/* Decoding of devices, private to this folder: the parts that claims, classes and slices share. */
#ifndef MU_OBJECTS_DECODE_DRA_H
#define MU_OBJECTS_DECODE_DRA_H

#include "scheduler/base/limits.h"
#include "scheduler/objects/decode.h"

/* Quantities past this make no sense: far beyond what Kubernetes holds in 64 bits, and so small that the shares of all
 * devices of a cluster (under 2^22) can be summed exactly in 128 bits. */
#define MU_DRA_QUANTITY_MAX ((mu_i128)1 << 105)

/* A quantity of any sign and of more than 64 bits, as upstream computes with it; a negative one makes no sense but
 * stays what it is, so that allocation refuses it too. False where there is none. */
bool mu_dra_item_quantity(struct mu_decode *d, const struct mu_at *item, struct mu_quantity *ret);
bool mu_dra_quantity(struct mu_decode *d, const struct mu_at *at, const char *field, struct mu_quantity *ret);
/* A map from names to quantities, or (`wrapped`) to objects with a `value`; in the order of the names' text. */
uint32_t mu_dra_quantities(struct mu_decode *d, const struct mu_at *at, const char *field, bool wrapped,
                           const struct mu_named_quantity **ret);

/* A list that may have `max` items; more make no sense. */
struct mu_at mu_dra_list(struct mu_decode *d, const struct mu_at *at, const char *field, size_t max);
/* Strings of such a list. */
uint32_t mu_dra_syms(struct mu_decode *d, const struct mu_at *at, const char *field, size_t max, const mu_sym **ret);

enum mu_device_effect mu_dra_effect(struct mu_decode *d, const struct mu_at *at);
uint32_t mu_dra_tolerations(struct mu_decode *d, const struct mu_at *at, const struct mu_device_toleration **ret);
/* `selectors`: the CEL expression of each. */
uint32_t mu_dra_selectors(struct mu_decode *d, const struct mu_at *at, const mu_sym **ret);
uint32_t mu_dra_configs(struct mu_decode *d, const struct mu_at *at, size_t max, const struct mu_device_config **ret);
void mu_dra_taint(struct mu_decode *d, const struct mu_at *at, struct mu_device_taint *ret);

/* decode_dra_claim.c: spec.devices. */
void mu_dra_claim_spec(struct mu_decode *d, const struct mu_at *spec, struct mu_claim *ret);

#endif
