/* Configuration: from muster.yaml to what it means to the decision core (scheduler/core/settings.h).
 *
 * The file is read strictly: a field that nobody knows, a wrong type, a plugin or a profile that makes no sense is one
 * error that names file, line and field. docs/configuration.md says what may stand in it. */
#ifndef MU_CONFIG_CONFIG_H
#define MU_CONFIG_CONFIG_H

#include "scheduler/base/arena.h"
#include "scheduler/core/settings.h"

/* Without a file: one profile, for pods of the scheduler `muster`, with every in-tree plugin at its default weight.
 * Lives in the arena; to be called inside mu_arena_run(). */
const struct mu_settings *mu_settings_default(struct mu_arena *arena);

/* Reads one file, into the arena; to be called inside mu_arena_run(). Shared objects that it names stay loaded as long
 * as the arena lives. Errors: MU_E_IO, MU_E_PARSE, MU_E_LIMIT of reading it, MU_E_USAGE for what it says. */
int mu_config_read(struct mu_arena *arena, const char *path, struct mu_settings *ret, struct mu_err *err) MU_MUST_USE;

/* The same over bytes in memory; `file` is what errors call them, and whose folder a relative path starts from. */
int mu_config_read_bytes(struct mu_arena *arena, struct mu_str bytes, struct mu_str file, struct mu_settings *ret,
                         struct mu_err *err) MU_MUST_USE;

#endif
