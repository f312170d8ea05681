/* Completion scripts for shells, printed from the table of commands. */
#ifndef MU_CLI_COMPLETION_H
#define MU_CLI_COMPLETION_H

#include <stdio.h>

void mu_completion_bash(FILE *out);
void mu_completion_zsh(FILE *out);
void mu_completion_fish(FILE *out);

#endif
