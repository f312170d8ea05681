/* Rules about devices, private to this folder: what is one card, and whom a card may be shared with. */
#ifndef MU_CONFIG_DEVICES_H
#define MU_CONFIG_DEVICES_H

#include "config/fields.h"
#include "scheduler/core/settings.h"

/* The field `deviceIdentity`. */
int mu_config_device_identity(struct mu_arena *arena, const struct mu_config_at *at, struct mu_settings *settings)
    MU_MUST_USE;

/* The field `sharing`. */
int mu_config_sharing(struct mu_arena *arena, const struct mu_config_at *at, struct mu_settings *settings) MU_MUST_USE;

#endif
