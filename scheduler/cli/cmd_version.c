/* muster version. */
#include "scheduler/cli/commands.h"
#include "scheduler/cli/page.h"
#include "scheduler/core/framework.h"
#include "scheduler/objects/writer.h"

#include <string.h>

enum { OUTPUT = 0, OPTIONS_COUNT };

static const char *const outputs[] = {"text", "json", "yaml", NULL};

static const struct mu_option options[OPTIONS_COUNT] = {
    [OUTPUT] = {.name = "output",
                .letter = 'o',
                .takes = MU_TAKES_CHOICE,
                .value = "FORM",
                .choices = outputs,
                .help = "How to print: text (the default), json or yaml."},
};

static int take_option(void *ctx, unsigned option, const char *value, struct mu_err *err) {
    *(const char **)ctx = value;
    return 0;
}

static void print_text(const struct mu_command *command, FILE *out) {
    fputs("muster " MU_VERSION "\n", out);
}

static void print_object(FILE *out, enum mu_writer_form form) {
    struct mu_writer writer;
    mu_writer_init(&writer, out, form);
    mu_writer_object(&writer);
    mu_writer_key_str(&writer, "version", MU_STR(MU_VERSION));
    mu_writer_key_i64(&writer, "pluginABI", MU_PLUGIN_ABI);
    mu_writer_object_end(&writer);
    mu_writer_finish(&writer);
}

static void print_json(const struct mu_command *command, FILE *out) {
    print_object(out, MU_WRITER_JSON);
}

static void print_yaml(const struct mu_command *command, FILE *out) {
    print_object(out, MU_WRITER_YAML);
}

static int run(const struct mu_command *self, int argc, char **argv) {
    struct mu_err err = {0};
    const char *output = "text";
    int operands;
    int r = mu_options_parse(self, argc, argv, take_option, &output, &operands, &err);
    if (r == MU_OPTIONS_HELP)
        return mu_page_show(self, mu_print_command_help);
    if (r == 0 && operands < argc)
        r = mu_err_set(&err, MU_E_USAGE, "it takes no \"%s\"", argv[operands]);
    if (r != 0)
        return mu_command_fail(self, &err);
    return mu_page_show(self, strcmp(output, "json") == 0   ? print_json
                              : strcmp(output, "yaml") == 0 ? print_yaml
                                                            : print_text);
}

const struct mu_command mu_cmd_version = {
    .name = "version",
    .summary = "print the version",
    .synopsis = "[-o text|json|yaml]",
    .about = "Prints muster's version and, as json or yaml, also the number of the plugin interface:\n"
             "a shared object must have been built for the same one.",
    .options = options,
    .options_len = OPTIONS_COUNT,
    .run = run,
};
