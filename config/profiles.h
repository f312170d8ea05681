/* Profiles, private to this folder: which plugins a scheduler name goes by. */
#ifndef MU_CONFIG_PROFILES_H
#define MU_CONFIG_PROFILES_H

#include "config/fields.h"
#include "scheduler/core/settings.h"

/* All plugins that a profile may name: those that are built in, then those from shared objects. */
struct mu_config_plugins {
    struct mu_arena *arena;
    MU_VEC(const struct mu_plugin *) list;
};

void mu_config_plugins_init(struct mu_config_plugins *plugins, struct mu_arena *arena);
/* The index of a plugin, or the number of plugins. */
size_t mu_config_plugin_index(const struct mu_config_plugins *plugins, struct mu_str name);

/* The field `plugins` of the document: loads shared objects (shared_objects.c). */
int mu_config_load_plugins(struct mu_config_plugins *plugins, const struct mu_config_at *at) MU_MUST_USE;

/* Every plugin on, at its own weight, without arguments. */
int mu_config_profile_default(const struct mu_config_plugins *plugins, struct mu_str scheduler_name,
                              struct mu_profile *ret, struct mu_err *err) MU_MUST_USE;

/* The field `profiles`. */
int mu_config_profiles(const struct mu_config_plugins *plugins, const struct mu_config_at *at,
                       struct mu_settings *settings) MU_MUST_USE;

#endif
