/* muster: finds the command that was asked for. */
#include "scheduler/cli/commands.h"
#include "scheduler/cli/page.h"

#include <signal.h>
#include <string.h>

static int unknown_command(const char *word) {
    const char *names[16] = {0};
    size_t len = 0;
    for (const struct mu_command *const *c = mu_commands; *c && len + 1 < sizeof names / sizeof names[0]; c++)
        names[len++] = (*c)->name;
    const char *nearest = word[0] == '-' ? NULL : mu_nearest(word, names);
    const char *what = word[0] == '-' ? "option" : "command";
    struct mu_err err = {0};
    if (nearest)
        mu_err_set(&err, MU_E_USAGE, "no such %s: %s (did you mean `muster %s`?)", what, word, nearest);
    else
        mu_err_set(&err, MU_E_USAGE, "no such %s: %s (`muster --help` lists what there is)", what, word);
    return mu_command_fail(NULL, &err);
}

int main(int argc, char **argv) {
    /* Writing to a pipe that nobody reads any more is then an error like others, see mu_page_send(). */
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        struct mu_err err = {0};
        mu_err_set(&err, MU_E_USAGE,
                   "say what to do: `muster plan -f cluster.yaml` plans a snapshot, `muster --help` shows the rest");
        return mu_command_fail(NULL, &err);
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return mu_page_show(NULL, mu_print_usage);
    const struct mu_command *command = strcmp(word, "--version") == 0 ? &mu_cmd_version : mu_command_find(word);
    if (!command)
        return unknown_command(word);
    return command->run(command, argc - 1, argv + 1);
}
