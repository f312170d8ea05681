/* From the words of a command line to a store of objects, for every command that reads a snapshot. */
#ifndef MU_CLI_INPUT_H
#define MU_CLI_INPUT_H

#include "scheduler/cli/command.h"
#include "scheduler/objects/store.h"

/* What -f named, and the operands after it (a shell's `-f *.yaml`). */
struct mu_input_paths {
    MU_VEC(const char *) list;
};

/* Adds the operands and sees that there is something to read. Errors: MU_E_USAGE with an example of how to name it. */
int mu_input_operands(struct mu_input_paths *paths, const struct mu_command *command, int argc, char **argv, int first,
                      struct mu_arena *arena, struct mu_err *err) MU_MUST_USE;

/* Reads them all into a store in the arena, inside mu_arena_run(). Errors: those of reader.h and store.h. */
int mu_input_read(const struct mu_input_paths *paths, struct mu_arena *arena, struct mu_store **ret, struct mu_err *err)
    MU_MUST_USE;

/* Prints the store's notes to standard error, each as a line "warning: ...". */
void mu_input_warn(const struct mu_store *store);

#endif
