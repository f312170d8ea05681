/* muster help [TOPIC or COMMAND]. */
#include "scheduler/cli/commands.h"
#include "scheduler/cli/help_topics.h"
#include "scheduler/cli/page.h"

#include <string.h>

/* Everything that may be asked about: commands, then topics. cmd_help and completion both go by it. */
static const char *const subjects[] = {"plan",       "audit", "devices", "version", "help",
                                       "completion", "input", "reasons", NULL};

static void print_help(const struct mu_command *command, FILE *out) {
    mu_print_usage(command, out);
    fputs("\nTopics of `muster help`:\n", out);
    for (const struct mu_topic *topic = mu_topics; topic->name; topic++)
        fprintf(out, "  %-12s%s\n", topic->name, topic->summary);
}

static const struct mu_topic *find_topic(const char *name) {
    for (const struct mu_topic *topic = mu_topics; topic->name; topic++)
        if (strcmp(topic->name, name) == 0)
            return topic;
    return NULL;
}

static int show_topic(const struct mu_command *self, const struct mu_topic *topic) {
    struct mu_page page;
    struct mu_err err = {0};
    int r = mu_page_open(&page, &err);
    if (r == 0) {
        topic->print(page.out);
        r = mu_page_send(&page, &err);
    }
    return r == 0 ? MU_EXIT_OK : mu_command_fail(self, &err);
}

static int unknown(const struct mu_command *self, const char *word) {
    struct mu_err err = {0};
    const char *nearest = mu_nearest(word, subjects);
    if (nearest)
        mu_err_set(&err, MU_E_USAGE, "nothing is known about \"%s\" (did you mean `muster help %s`?)", word, nearest);
    else
        mu_err_set(&err, MU_E_USAGE, "nothing is known about \"%s\" (`muster help` lists the topics)", word);
    return mu_command_fail(self, &err);
}

static int run(const struct mu_command *self, int argc, char **argv) {
    struct mu_err err = {0};
    int operands;
    int r = mu_options_parse(self, argc, argv, NULL, NULL, &operands, &err);
    if (r == MU_OPTIONS_HELP)
        return mu_page_show(self, mu_print_command_help);
    if (r != 0)
        return mu_command_fail(self, &err);
    if (operands == argc)
        return mu_page_show(self, print_help);
    const char *word = argv[operands];
    const struct mu_command *command = mu_command_find(word);
    if (command)
        return mu_page_show(command, mu_print_command_help);
    const struct mu_topic *topic = find_topic(word);
    return topic ? show_topic(self, topic) : unknown(self, word);
}

const struct mu_command mu_cmd_help = {
    .name = "help",
    .summary = "explain a command or a topic: input, reasons",
    .synopsis = "[COMMAND|TOPIC]",
    .about = "Explains a command, as `muster COMMAND --help` does, or a topic:\n"
             "  input    what is read, and which pods form a group\n"
             "  reasons  every reason of a plan, and what to do about it",
    .operands = MU_TAKES_CHOICE,
    .operand_choices = subjects,
    .run = run,
};
