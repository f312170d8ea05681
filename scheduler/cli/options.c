/* Parsing of options by a command's table; see command.h. */
#include "scheduler/cli/command.h"

#include "scheduler/base/str.h"
#include <getopt.h>

enum {
    OPTIONS_MOST = 16, /* of one command, --help included */
    LONG_BASE = 1000,  /* getopt's value for option i is LONG_BASE + i, whichever way it was written */
    HELP_VALUE = 'h',
    WORD_MOST = 32,      /* longest word that is worth a suggestion */
    SUGGEST_DISTANCE = 2 /* edits that a typing error makes */
};

/* Edits (insert, delete, replace, swap of neighbours) that turn one word into the other; WORD_MOST for long words. */
static unsigned distance(const char *a, const char *b) {
    size_t rows = strlen(a), columns = strlen(b);
    if (rows >= WORD_MOST || columns >= WORD_MOST)
        return WORD_MOST;
    unsigned d[WORD_MOST][WORD_MOST];
    for (unsigned i = 0; i <= rows; i++) {
        for (unsigned j = 0; j <= columns; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            unsigned best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    }
    return d[rows][columns];
}

const char *mu_nearest(const char *word, const char *const *words) {
    const char *nearest = NULL;
    unsigned least = SUGGEST_DISTANCE + 1;
    for (; *words; words++) {
        unsigned edits = distance(word, *words);
        if (edits < least && edits < strlen(*words)) {
            least = edits;
            nearest = *words;
        }
    }
    return nearest;
}

static int unknown_option(const struct mu_command *command, const char *word, struct mu_err *err) {
    const char *names[OPTIONS_MOST + 1] = {"help"};
    for (unsigned i = 0; i < command->options_len; i++)
        names[i + 1] = command->options[i].name;
    /* The name alone: without its dashes and without a value. */
    char name[WORD_MOST];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *nearest = word[1] == '-' ? mu_nearest(name, names) : NULL;
    if (nearest)
        return mu_err_set(err, MU_E_USAGE, "no such option: %s (did you mean --%s?)", word, nearest);
    return mu_err_set(err, MU_E_USAGE, "no such option: %s (`muster %s --help` lists them all)", word, command->name);
}

static int check_choice(const struct mu_option *option, const char *value, struct mu_err *err) {
    char list[128] = "";
    for (const char *const *choice = option->choices; *choice; choice++) {
        if (strcmp(*choice, value) == 0)
            return 0;
        size_t len = strlen(list);
        snprintf(list + len, sizeof list - len, "%s%s", len ? ", " : "", *choice);
    }
    return mu_err_set(err, MU_E_USAGE, "--%s is one of %s, not \"%s\"", option->name, list, value);
}

/* getopt's two tables out of ours. */
static void make_getopt(const struct mu_command *command, struct option *longs, char *shorts) {
    MU_ASSERT(command->options_len < OPTIONS_MOST);
    size_t at = 0;
    shorts[at++] = ':'; /* a missing value is told from an unknown option */
    shorts[at++] = HELP_VALUE;
    longs[0] = (struct option){"help", no_argument, NULL, HELP_VALUE};
    for (unsigned i = 0; i < command->options_len; i++) {
        const struct mu_option *option = &command->options[i];
        bool valued = option->takes != MU_TAKES_NOTHING;
        longs[i + 1] =
            (struct option){option->name, valued ? required_argument : no_argument, NULL, LONG_BASE + (int)i};
        if (option->letter) {
            shorts[at++] = option->letter;
            if (valued)
                shorts[at++] = ':';
        }
    }
    longs[command->options_len + 1] = (struct option){0};
    shorts[at] = 0;
}

/* The index of an option from what getopt said. */
static unsigned option_index(const struct mu_command *command, int said) {
    if (said >= LONG_BASE)
        return (unsigned)(said - LONG_BASE);
    unsigned i = 0;
    while (command->options[i].letter != said)
        i++;
    return i;
}

/* An error about the word that getopt choked on. */
static int refuse(const struct mu_command *command, int said, char **argv, struct mu_err *err) {
    char letter[3] = {'-', (char)optopt, 0};
    bool lettered = optopt > 0 && optopt < LONG_BASE;
    const char *word = lettered ? letter : argv[optind - 1];
    if (said == ':')
        return mu_err_set(err, MU_E_USAGE, "%s needs a value (see `muster %s --help`)", word, command->name);
    /* getopt sets optopt to the option's number where the option is known and takes no value. */
    if (optopt >= LONG_BASE)
        return mu_err_set(err, MU_E_USAGE, "--%s takes no value", command->options[optopt - LONG_BASE].name);
    return unknown_option(command, word, err);
}

int mu_options_parse(const struct mu_command *command, int argc, char **argv, mu_option_fn fn, void *ctx,
                     int *ret_operands, struct mu_err *err) {
    struct option longs[OPTIONS_MOST + 1];
    char shorts[2 * OPTIONS_MOST + 4];
    make_getopt(command, longs, shorts);
    opterr = 0;
    optind = 0; /* glibc: start over, forgetting what main() parsed */
    int said;
    while ((said = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (said == HELP_VALUE)
            return MU_OPTIONS_HELP;
        if (said == '?' || said == ':')
            return refuse(command, said, argv, err);
        unsigned index = option_index(command, said);
        const struct mu_option *option = &command->options[index];
        int r = option->takes == MU_TAKES_CHOICE ? check_choice(option, optarg, err) : 0;
        if (r == 0)
            r = fn(ctx, index, optarg, err);
        if (r != 0)
            return r;
    }
    *ret_operands = optind;
    return 0;
}
