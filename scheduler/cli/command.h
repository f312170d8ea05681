/* Commands and their options, as data: what is parsed, what help says and what a shell completes come from one table,
 * so that they cannot drift apart. */
#ifndef MU_CLI_COMMAND_H
#define MU_CLI_COMMAND_H

#include "scheduler/base/err.h"
#include <stdbool.h>
#include <stdio.h>

/* Exit statuses (contract, section 2). */
enum { MU_EXIT_OK = 0, MU_EXIT_FOUND = 1, MU_EXIT_BAD = 2 };

/* What an option or an operand takes, for parsing and for completion. */
enum mu_takes { MU_TAKES_NOTHING = 0, MU_TAKES_PATH, MU_TAKES_CHOICE, MU_TAKES_TEXT };

struct mu_option {
    const char *name; /* without the two dashes */
    char letter;      /* 0: none */
    enum mu_takes takes;
    const char *value;          /* what its value is called in help, "FILE"; NULL with MU_TAKES_NOTHING */
    const char *const *choices; /* ended by NULL; with MU_TAKES_CHOICE */
    const char *help;
};

struct mu_command {
    const char *name;
    const char *summary;  /* one line of `muster --help` */
    const char *synopsis; /* what follows `muster NAME` */
    const char *about;    /* paragraphs of its own help, above the options */
    const char *notes;    /* and below them: examples, exit statuses */
    const struct mu_option *options;
    unsigned options_len;
    enum mu_takes operands;
    const char *const *operand_choices; /* with MU_TAKES_CHOICE; ended by NULL */
    /* argv[0] is the command's own name. Returns the exit status. */
    int (*run)(const struct mu_command *self, int argc, char **argv);
};

extern const struct mu_command *const mu_commands[]; /* in the order of help; ended by NULL */
const struct mu_command *mu_command_find(const char *name);

/* Takes one option (its index in the command's table); `value` is NULL for one without. Returns 0 or an error. */
typedef int (*mu_option_fn)(void *ctx, unsigned option, const char *value, struct mu_err *err);

enum { MU_OPTIONS_HELP = 1 };

/* Parses options as getopt_long does; choices are checked here. Operands are argv[*ret_operands] and on. `--help` ends
 * it with MU_OPTIONS_HELP. Errors: MU_E_USAGE, and what fn returns. */
int mu_options_parse(const struct mu_command *command, int argc, char **argv, mu_option_fn fn, void *ctx,
                     int *ret_operands, struct mu_err *err) MU_MUST_USE;

/* The word of a NULL-ended list that is nearest to a mistyped one; NULL where none is near. */
const char *mu_nearest(const char *word, const char *const *words);

/* Prints one line "muster NAME: TEXT" to standard error and returns MU_EXIT_BAD. `command` NULL: "muster: TEXT". */
int mu_command_fail(const struct mu_command *command, const struct mu_err *err);

/* `muster --help`. */
void mu_print_usage(const struct mu_command *command, FILE *out);
void mu_print_command_help(const struct mu_command *command, FILE *out);

#endif
