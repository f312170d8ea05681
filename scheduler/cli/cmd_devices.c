/* muster devices: what devices a cluster has, who has them, and what is left. */
#include "config/config.h"
#include "scheduler/base/limits.h"
#include "scheduler/cli/clock.h"
#include "scheduler/cli/commands.h"
#include "scheduler/cli/devices_report.h"
#include "scheduler/cli/input.h"
#include "scheduler/cli/page.h"

enum { FILES = 0, OUTPUT, NODE, CLASS, FREE, NOW, CONFIG, OPTIONS_COUNT };

static const char *const outputs[] = {"table", "wide", "json", "yaml", NULL};

static const struct mu_option options[OPTIONS_COUNT] = {
    [FILES] = {.name = "file",
               .letter = 'f',
               .takes = MU_TAKES_PATH,
               .value = "FILE",
               .help =
                   "Read objects from FILE, as `muster plan` does: a file, a folder, or - for standard input. May be "
                   "given several times."},
    [OUTPUT] = {.name = "output",
                .letter = 'o',
                .takes = MU_TAKES_CHOICE,
                .value = "FORM",
                .choices = outputs,
                .help = "How to print: table (the default; nodes that look the same are one), wide (each node and card "
                        "by itself, every counter, administrative access), json or yaml."},
    [NODE] = {.name = "node", .takes = MU_TAKES_TEXT, .value = "NAME", .help = "Only what can be used from this node."},
    [CLASS] = {.name = "class", .takes = MU_TAKES_TEXT, .value = "NAME", .help = "Only devices of this DeviceClass."},
    [FREE] = {.name = "free", .help = "Only cards of which something is left."},
    [NOW] = {.name = "now",
             .takes = MU_TAKES_TEXT,
             .value = "TIME",
             .help = "The time at which the snapshot was taken, such as 2026-12-01T03:30:00Z: taints are tolerated "
                     "for a time. The present by default."},
    [CONFIG] = {.name = "config",
                .letter = 'c',
                .takes = MU_TAKES_PATH,
                .value = "FILE",
                .help = "The scheduler's configuration, muster.yaml(5), for what it says of devices (deviceIdentity)."},
};

/* One run: what was asked, and what must be given back however it ends. */
struct job {
    const struct mu_command *command;
    int argc;
    char **argv;
    struct mu_arena *arena;
    struct mu_input_paths paths;
    const char *output, *config, *node, *class;
    struct mu_settings settings;
    struct mu_devices_report report;
    struct mu_page page;
    bool help;
};

static int take_option(void *ctx, unsigned option, const char *value, struct mu_err *err) {
    struct job *job = ctx;
    switch (option) {
    case FILES:
        MU_VEC_PUSH(job->arena, &job->paths.list, value);
        return 0;
    case OUTPUT:
        job->output = value;
        return 0;
    case NODE:
        job->node = value;
        return 0;
    case CLASS:
        job->class = value;
        return 0;
    case FREE:
        job->report.free_only = true;
        return 0;
    case CONFIG:
        job->config = value;
        return 0;
    default:
        return mu_clock_parse(value, &job->report.now_ns, err);
    }
}

/* An empty name is a mistake in a script, not the absence of a filter. */
static int find_filter(const char *option, const char *text, struct mu_store *store, mu_sym *ret, struct mu_err *err) {
    if (text && *text == 0)
        return mu_err_set(err, MU_E_USAGE, "--%s: the name is empty", option);
    *ret = text ? mu_intern(&store->symbols, mu_str_from(text)) : 0;
    return 0;
}

static int print(struct job *job, struct mu_err *err) {
    int r = mu_page_open(&job->page, err);
    if (r != 0)
        return r;
    struct mu_terminal terminal = mu_terminal_stdout();
    terminal.out = job->page.out;
    bool json = strcmp(job->output, "json") == 0, yaml = strcmp(job->output, "yaml") == 0;
    struct mu_writer writer;
    mu_writer_init(&writer, job->page.out, json ? MU_WRITER_JSON : MU_WRITER_YAML);
    if (json || yaml)
        mu_devices_write(&job->report, &writer);
    else
        mu_devices_print(&job->report, &terminal, strcmp(job->output, "wide") == 0);
    return mu_page_send(&job->page, err);
}

static int run_in_arena(void *ctx, struct mu_err *err) {
    struct job *job = ctx;
    struct mu_devices_report *report = &job->report;
    int operands;
    int r = mu_options_parse(job->command, job->argc, job->argv, take_option, job, &operands, err);
    if (r == MU_OPTIONS_HELP) {
        job->help = true;
        return 0;
    }
    if (r == 0)
        r = mu_input_operands(&job->paths, job->command, job->argc, job->argv, operands, job->arena, err);
    job->settings = *mu_settings_default(job->arena);
    if (r == 0 && job->config)
        r = mu_config_read(job->arena, job->config, &job->settings, err);
    report->arena = job->arena;
    report->settings = &job->settings;
    if (r == 0)
        r = mu_input_read(&job->paths, job->arena, &report->store, err);
    if (r == 0)
        r = find_filter("node", job->node, report->store, &report->node, err);
    if (r == 0)
        r = find_filter("class", job->class, report->store, &report->class, err);
    if (r == 0)
        r = mu_devices_report_make(report, err);
    return r == 0 ? print(job, err) : r;
}

static int exit_status(const struct mu_devices_report *report) {
    for (size_t i = 0; i < report->notes.len; i++)
        if (report->notes.items[i].wrong)
            return MU_EXIT_FOUND;
    return MU_EXIT_OK;
}

static int run(const struct mu_command *self, int argc, char **argv) {
    struct mu_err err = {0};
    struct job job = {.command = self, .argc = argc, .argv = argv, .output = "table"};
    job.report.now_ns = mu_clock_now();
    job.arena = mu_arena_create(MU_LIMIT_MEMORY_BYTES, NULL);
    int r =
        job.arena ? mu_arena_run(job.arena, run_in_arena, &job, &err) : mu_err_set(&err, MU_E_NOMEM, "out of memory");
    int status;
    if (r != 0) {
        status = mu_command_fail(self, &err);
    } else if (job.help) {
        status = mu_page_show(self, mu_print_command_help);
    } else {
        mu_input_warn(job.report.store);
        status = exit_status(&job.report);
    }
    mu_page_close(&job.page);
    mu_arena_destroy(job.arena);
    return status;
}

const struct mu_command mu_cmd_devices = {
    .name = "devices",
    .summary = "show what devices a cluster has, who has them, and what is left",
    .synopsis = "-f FILE... [-o table|wide|json|yaml] [--node NAME] [--class NAME] [--free]\n"
                "                      [--now TIME] [--config FILE]",
    .about = "Reads a cluster's objects, as `muster plan` does, and shows its devices: numbers by\n"
             "DeviceClass, then node by node and card by card who has what. Parts of a card stand\n"
             "below it with what is left of its counters, shares with what they take of each\n"
             "capacity. Devices that several nodes reach are shown once, after the nodes. What device\n"
             "plugins give out by number (nvidia.com/gpu) is shown as well.\n"
             "\n"
             "A card is free, in part (somebody has some of it, and there is more), taken, tainted\n"
             "(free, for claims that tolerate it) or unusable (its pool is incomplete or invalid). The\n"
             "notes at the end are about all of the input, whatever the filters.",
    .notes = "Examples:\n"
             "  kubectl get -A -o yaml nodes,pods,resourceclaims,resourceslices,deviceclasses,\\\n"
             "    devicetaintrules | muster devices -f -\n"
             "  muster devices -f cluster.yaml --free --class gpu.nvidia.com\n"
             "  muster devices -f cluster.yaml -o json | jq -r '.notes[].message'\n"
             "\n"
             "Exit status:\n"
             "  0  the devices are shown\n"
             "  1  they are, and the notes at the end say what is wrong with some\n"
             "  2  the words or the input are bad: one line on standard error says what",
    .options = options,
    .options_len = OPTIONS_COUNT,
    .operands = MU_TAKES_PATH,
    .run = run,
};
