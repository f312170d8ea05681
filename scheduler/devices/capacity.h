/* Consumable capacity (KEP-5075): how much of a device a request takes, and whether that much is left.
 *
 * Exact in nano units of 128 bits. Where Kubernetes computes in whole units or milli units of 64 bits, and refuses what
 * does not fit there, this does too. */
#ifndef MU_DEVICES_CAPACITY_H
#define MU_DEVICES_CAPACITY_H

#include "scheduler/devices/state.h"

enum mu_capacity_fit {
    MU_CAPACITY_FITS = 0,
    MU_CAPACITY_LACKS, /* this device will not do: too little left, against its policy, or without such a capacity */
    MU_CAPACITY_WRONG  /* no device will: the request cannot be computed with */
};

struct mu_capacity_query {
    const struct mu_symbols *symbols;
    mu_sym driver;
    const struct mu_device *device;
    const struct mu_device_ask *ask;
    const struct mu_holding *holding; /* what is taken already; NULL: nothing counts */
    bool fractional;                  /* MU_ALLOC_FRACTIONAL_RANGE */
};

/* Two names of one capacity: equal, or equal once the driver's own domain is left out. */
bool mu_capacity_same(const struct mu_symbols *symbols, mu_sym driver, mu_sym a, mu_sym b);
/* What the request takes of each capacity: device->capacity_len amounts. `text` (bytes of it) gets the sentence of
 * WRONG. A capacity that is published under both names counts once, under the one with domain; its twin's amount is -1
 * and stands for nothing. */
enum mu_capacity_fit mu_capacity_ask(const struct mu_capacity_query *query, mu_i128 *ret_nano, char *text,
                                     size_t bytes);

#endif
