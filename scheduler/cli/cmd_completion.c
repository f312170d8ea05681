/* muster completion SHELL. */
#include "scheduler/cli/commands.h"
#include "scheduler/cli/completion.h"
#include "scheduler/cli/page.h"

#include <string.h>

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static void print_bash(const struct mu_command *command, FILE *out) {
    mu_completion_bash(out);
}

static void print_zsh(const struct mu_command *command, FILE *out) {
    mu_completion_zsh(out);
}

static void print_fish(const struct mu_command *command, FILE *out) {
    mu_completion_fish(out);
}

static int run(const struct mu_command *self, int argc, char **argv) {
    struct mu_err err = {0};
    int operands;
    int r = mu_options_parse(self, argc, argv, NULL, NULL, &operands, &err);
    if (r == MU_OPTIONS_HELP)
        return mu_page_show(self, mu_print_command_help);
    const char *shell = r == 0 && operands + 1 == argc ? argv[operands] : NULL;
    if (shell && strcmp(shell, "bash") == 0)
        return mu_page_show(self, print_bash);
    if (shell && strcmp(shell, "zsh") == 0)
        return mu_page_show(self, print_zsh);
    if (shell && strcmp(shell, "fish") == 0)
        return mu_page_show(self, print_fish);
    if (r == 0)
        mu_err_set(&err, MU_E_USAGE, "name one shell: bash, zsh or fish");
    return mu_command_fail(self, &err);
}

const struct mu_command mu_cmd_completion = {
    .name = "completion",
    .summary = "print a script that completes commands in a shell",
    .synopsis = "bash|zsh|fish",
    .about = "Prints a script with which a shell completes muster's commands and options.",
    .notes = "Examples:\n"
             "  source <(muster completion bash)      in ~/.bashrc\n"
             "  muster completion zsh > \"${fpath[1]}/_muster\"\n"
             "  muster completion fish > ~/.config/fish/completions/muster.fish",
    .operands = MU_TAKES_CHOICE,
    .operand_choices = shells,
    .run = run,
};
