/* The commands, one file each: cmd_NAME.c. */
#ifndef MU_CLI_COMMANDS_H
#define MU_CLI_COMMANDS_H

#include "scheduler/cli/command.h"

extern const struct mu_command mu_cmd_plan;
extern const struct mu_command mu_cmd_audit;
extern const struct mu_command mu_cmd_devices;
extern const struct mu_command mu_cmd_version;
extern const struct mu_command mu_cmd_help;
extern const struct mu_command mu_cmd_completion;

#endif
