/* One card, two drivers (contract, section 6): devices that several drivers publish and that are one physical device.
 *
 * A card is known by the attribute `uuid`, or `parentUUID` of a partition, whatever domain stands before the name, or
 * by its bus, `pciBusID` or `pcieBusID`, on one node. What one driver has given out of a card, whole or in part, no
 * other driver gives out at all. Within one driver identity means nothing: partitions and shares are its own affair. */
#ifndef MU_DEVICES_IDENTITY_H
#define MU_DEVICES_IDENTITY_H

#include "scheduler/devices/state.h"

/* Finds the cards that several drivers publish. */
void mu_cards_lay_out(struct mu_alloc *alloc);
/* A claim more or less holds the device. */
void mu_card_take(struct mu_alloc *alloc, const struct mu_holding *holding);
void mu_card_give(struct mu_alloc *alloc, const struct mu_holding *holding);
/* Another driver has given out the card, or a part of it. */
bool mu_card_is_others(const struct mu_alloc *alloc, const struct mu_holding *holding);

#endif
