/* How commands end, and help from their tables; see command.h. */
#include "scheduler/cli/command.h"

#include "scheduler/cli/commands.h"
#include "scheduler/cli/terminal.h"
#include <string.h>

enum { HELP_COLUMN = 26 /* where the texts of options begin */ };

const struct mu_command *const mu_commands[] = {
    &mu_cmd_plan, &mu_cmd_audit, &mu_cmd_devices, &mu_cmd_version, &mu_cmd_help, &mu_cmd_completion, NULL,
};

const struct mu_command *mu_command_find(const char *name) {
    for (const struct mu_command *const *c = mu_commands; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

int mu_command_fail(const struct mu_command *command, const struct mu_err *err) {
    /* File names may hold line ends; the promise is one line. */
    char text[sizeof err->text];
    size_t len = 0;
    for (const char *c = err->text; *c; c++)
        text[len++] = (unsigned char)*c < 0x20 || *c == 0x7F ? '?' : *c;
    text[len] = 0;
    fprintf(stderr, "muster%s%s: %s\n", command ? " " : "", command ? command->name : "", text);
    return MU_EXIT_BAD;
}

void mu_print_usage(const struct mu_command *command, FILE *out) {
    fputs("muster decides which groups of pods run where: a gang whole or not at all, each refusal with its reason.\n"
          "It reads Kubernetes objects as `kubectl get -o yaml` prints them, and changes nothing.\n"
          "\n"
          "usage: muster COMMAND [OPTION...]\n"
          "\n"
          "Commands:\n",
          out);
    for (const struct mu_command *const *c = mu_commands; *c; c++)
        fprintf(out, "  %-12s%s\n", (*c)->name, (*c)->summary);
    fputs("\n"
          "Examples:\n"
          "  What would run now, on this cluster as it stands?\n"
          "    kubectl get nodes,pods,podgroups -A -o yaml | muster plan --all -f -\n"
          "\n"
          "  Would this job fit? (The cluster was saved before; the job is a manifest.)\n"
          "    muster plan -f cluster.yaml -f job.yaml\n"
          "\n"
          "  Why does this group wait, node by node?\n"
          "    muster plan -f cluster.yaml --explain team/train\n"
          "\n"
          "`muster COMMAND --help` explains one command, `muster help reasons` each reason that a plan may give.\n",
          out);
}

static void print_option(const struct mu_terminal *terminal, char letter, const char *name, const char *value,
                         const char *help) {
    char head[64];
    int columns = snprintf(head, sizeof head, "  %c%c%c --%s%s%s", letter ? '-' : ' ', letter ? letter : ' ',
                           letter ? ',' : ' ', name, value ? " " : "", value ? value : "");
    fputs(head, terminal->out);
    if (columns >= HELP_COLUMN) {
        putc('\n', terminal->out);
        columns = 0;
    }
    fprintf(terminal->out, "%*s", HELP_COLUMN - columns, "");
    mu_print_wrapped(terminal, mu_str_from(help), HELP_COLUMN, HELP_COLUMN);
    putc('\n', terminal->out);
}

void mu_print_command_help(const struct mu_command *command, FILE *out) {
    /* The texts are laid out by hand for 80 columns; options are wrapped to them. */
    const struct mu_terminal page = {.out = out, .width = 80};
    fprintf(out, "usage: muster %s %s\n\n%s\n\nOptions:\n", command->name, command->synopsis, command->about);
    for (unsigned i = 0; i < command->options_len; i++) {
        const struct mu_option *option = &command->options[i];
        print_option(&page, option->letter, option->name, option->value, option->help);
    }
    print_option(&page, 'h', "help", NULL, "Show this help.");
    if (command->notes)
        fprintf(out, "\n%s\n", command->notes);
}
