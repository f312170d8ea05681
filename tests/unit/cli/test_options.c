/* Options: what getopt_long takes, and what is said where it takes nothing. */
#include "scheduler/cli/command.h"
#include "tests/lib/suite.h"

#include <string.h>

enum { FILES = 0, OUTPUT, ALL, NOW, OPTIONS_COUNT };

static const char *const outputs[] = {"table", "json", NULL};

static const struct mu_option options[OPTIONS_COUNT] = {
    [FILES] = {.name = "file", .letter = 'f', .takes = MU_TAKES_PATH, .value = "FILE"},
    [OUTPUT] = {.name = "output", .letter = 'o', .takes = MU_TAKES_CHOICE, .value = "FORM", .choices = outputs},
    [ALL] = {.name = "all", .letter = 'a'},
    [NOW] = {.name = "now", .takes = MU_TAKES_TEXT, .value = "TIME"},
};

static const struct mu_command command = {.name = "plan", .options = options, .options_len = OPTIONS_COUNT};

/* What was taken: "f=a;all;" and then the operands. */
static char taken[256];

static int take(void *ctx, unsigned option, const char *value, struct mu_err *err) {
    if (value && strcmp(value, "refused") == 0)
        return mu_err_set(err, MU_E_USAGE, "refused by the command");
    size_t len = strlen(taken);
    snprintf(taken + len, sizeof taken - len, "%s%s%s;", options[option].name, value ? "=" : "", value ? value : "");
    return 0;
}

static int parse(const char *const *words, struct mu_err *err) {
    char *argv[16] = {0}, copies[16][64];
    int argc = 0;
    for (; words[argc]; argc++) {
        snprintf(copies[argc], sizeof copies[argc], "%s", words[argc]);
        argv[argc] = copies[argc];
    }
    taken[0] = 0;
    int operands = 0;
    int r = mu_options_parse(&command, argc, argv, take, NULL, &operands, err);
    for (int i = operands; r == 0 && i < argc; i++) {
        size_t len = strlen(taken);
        snprintf(taken + len, sizeof taken - len, "%s%s", i == operands ? "" : " ", argv[i]);
    }
    return r;
}

static const struct {
    const char *words[8];
    const char *taken;
} good[] = {
    {{"plan"}, ""},
    {{"plan", "-f", "a"}, "file=a;"},
    {{"plan", "-fa", "-o", "json"}, "file=a;output=json;"},
    {{"plan", "--file=a", "--output", "table", "--all"}, "file=a;output=table;all;"},
    {{"plan", "-f", "a", "b", "-f", "c", "d"}, "file=a;file=c;b d"},
    {{"plan", "-a", "--", "-f", "x"}, "all;-f x"},
    {{"plan", "-f", "-"}, "file=-;"},
    {{"plan", "--out=json"}, "output=json;"},
    {{"plan", "--now", "-5"}, "now=-5;"},
    {{"plan", "-af", "a"}, "all;file=a;"},
};

START_TEST(options_are_taken) {
    struct mu_err err = {0};
    ck_assert_msg(parse(good[_i].words, &err) == 0, "%s", err.text);
    ck_assert_str_eq(taken, good[_i].taken);
}
END_TEST

static const struct {
    const char *words[8];
    const char *text;
} bad[] = {
    {{"plan", "--otput", "json"}, "no such option: --otput (did you mean --output?)"},
    {{"plan", "--otput=json"}, "no such option: --otput=json (did you mean --output?)"},
    {{"plan", "--hlep"}, "no such option: --hlep (did you mean --help?)"},
    {{"plan", "--quite-another"}, "no such option: --quite-another (`muster plan --help` lists them all)"},
    {{"plan", "-x"}, "no such option: -x (`muster plan --help` lists them all)"},
    {{"plan", "-ax"}, "no such option: -x (`muster plan --help` lists them all)"},
    {{"plan", "-f"}, "-f needs a value (see `muster plan --help`)"},
    {{"plan", "--now"}, "--now needs a value (see `muster plan --help`)"},
    {{"plan", "--all=yes"}, "--all takes no value"},
    {{"plan", "-o", "jsno"}, "--output is one of table, json, not \"jsno\""},
    {{"plan", "-o", ""}, "--output is one of table, json, not \"\""},
    {{"plan", "-f", "refused"}, "refused by the command"},
};

START_TEST(mistakes_are_named) {
    struct mu_err err = {0};
    ck_assert_int_eq(parse(bad[_i].words, &err), MU_E_USAGE);
    ck_assert_str_eq(err.text, bad[_i].text);
}
END_TEST

START_TEST(help_ends_parsing) {
    struct mu_err err = {0};
    ck_assert_int_eq(parse((const char *const[]){"plan", "-a", "--help", "--bad", NULL}, &err), MU_OPTIONS_HELP);
    ck_assert_int_eq(parse((const char *const[]){"plan", "-h", NULL}, &err), MU_OPTIONS_HELP);
}
END_TEST

static const struct {
    const char *word, *nearest;
} words[] = {
    {"plan", "plan"}, {"pln", "plan"},    {"plna", "plan"},
    {"paln", "plan"}, {"audti", "audit"}, {"audiit", "audit"},
    {"xyz", NULL},    {"", NULL},         {"a-word-that-is-far-longer-than-any-command-there-is", NULL},
};

START_TEST(the_nearest_word) {
    static const char *const known[] = {"plan", "audit", "version", NULL};
    const char *nearest = mu_nearest(words[_i].word, known);
    if (words[_i].nearest)
        ck_assert_pstr_eq(nearest, words[_i].nearest);
    else
        ck_assert_ptr_null(nearest);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, options_are_taken, 0, sizeof good / sizeof good[0]);
    tcase_add_loop_test(tests, mistakes_are_named, 0, sizeof bad / sizeof bad[0]);
    tcase_add_test(tests, help_ends_parsing);
    tcase_add_loop_test(tests, the_nearest_word, 0, sizeof words / sizeof words[0]);
}

int main(void) {
    return mu_suite_run("options", add);
}
