/* Loader: plugins that are not built in, from shared objects.
 *
 * Such a plugin is written against scheduler/core/framework.h alone, like those that are built in, and is exported with
 * MU_PLUGIN_EXPORT. examples/plugins has one. */
#ifndef MU_PLUGINS_LOADER_H
#define MU_PLUGINS_LOADER_H

#include "scheduler/core/framework.h"

/* Loads DIRECTORY/NAME.so; the plugin in it must be called NAME. It stays loaded for as long as the arena is there.
 * Errors, *ret left as it was: MU_E_IO where the file cannot be loaded, MU_E_USAGE for a name that no plugin can have
 * or that is taken, and for a plugin that is built for another version of the interface or is none. */
int mu_plugin_load(struct mu_arena *arena, struct mu_str directory, struct mu_str name, const struct mu_plugin **ret,
                   struct mu_err *err) MU_MUST_USE;

/* Does the plugin keep to the interface, as far as one can see without calling it? MU_E_USAGE with what is wrong. Its
 * `abi` must be right already. */
int mu_plugin_check(const struct mu_plugin *plugin, struct mu_err *err) MU_MUST_USE;

#endif
