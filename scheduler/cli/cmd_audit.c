/* muster audit: what a snapshot has that must never be. */
#include "config/config.h"
#include "scheduler/base/limits.h"
#include "scheduler/cli/audit.h"
#include "scheduler/cli/clock.h"
#include "scheduler/cli/commands.h"
#include "scheduler/cli/input.h"
#include "scheduler/cli/page.h"

enum { FILES = 0, OUTPUT, NOW, CONFIG, OPTIONS_COUNT };

static const char *const outputs[] = {"table", "json", "yaml", NULL};

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
                .help = "How to print: table (the default), json or yaml."},
    [NOW] = {.name = "now",
             .takes = MU_TAKES_TEXT,
             .value = "TIME",
             .help =
                 "The time at which the snapshot was taken, such as 2026-12-01T03:30:00Z: pods that are ending count "
                 "as members until their grace is over, and taints are tolerated for a time. The present by default."},
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
    const char *output, *config;
    int64_t now_ns;
    struct mu_settings settings;
    struct mu_audit audit;
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
    case CONFIG:
        job->config = value;
        return 0;
    default:
        return mu_clock_parse(value, &job->now_ns, err);
    }
}

static int print(struct job *job, struct mu_err *err) {
    int r = mu_page_open(&job->page, err);
    if (r != 0)
        return r;
    struct mu_terminal terminal = mu_terminal_stdout();
    terminal.out = job->page.out;
    bool json = strcmp(job->output, "json") == 0;
    struct mu_writer writer;
    mu_writer_init(&writer, job->page.out, json ? MU_WRITER_JSON : MU_WRITER_YAML);
    if (strcmp(job->output, "table") == 0)
        mu_audit_print(&job->audit, &terminal);
    else
        mu_audit_write(&job->audit, &writer);
    return mu_page_send(&job->page, err);
}

static int run_in_arena(void *ctx, struct mu_err *err) {
    struct job *job = ctx;
    int operands;
    int r = mu_options_parse(job->command, job->argc, job->argv, take_option, job, &operands, err);
    if (r == MU_OPTIONS_HELP) {
        job->help = true;
        return 0;
    }
    if (r == 0)
        r = mu_input_operands(&job->paths, job->command, job->argc, job->argv, operands, job->arena, err);
    struct mu_store *store = NULL;
    job->settings = *mu_settings_default(job->arena);
    if (r == 0 && job->config)
        r = mu_config_read(job->arena, job->config, &job->settings, err);
    if (r == 0)
        r = mu_input_read(&job->paths, job->arena, &store, err);
    if (r != 0)
        return r;
    job->audit = (struct mu_audit){.arena = job->arena, .settings = &job->settings, .store = store};
    mu_audit_all(&job->audit, job->now_ns);
    return print(job, err);
}

static int warn_and_judge(const struct mu_audit *audit) {
    mu_input_warn(audit->store);
    for (size_t i = 0; i < audit->unchecked.len; i++)
        fprintf(stderr, "warning: " MU_STR_FMT "\n", MU_STR_ARG(audit->unchecked.items[i]));
    return audit->findings.len > 0 ? MU_EXIT_FOUND : MU_EXIT_OK;
}

static int run(const struct mu_command *self, int argc, char **argv) {
    struct mu_err err = {0};
    struct job job = {.command = self, .argc = argc, .argv = argv, .output = "table", .now_ns = mu_clock_now()};
    job.arena = mu_arena_create(MU_LIMIT_MEMORY_BYTES, NULL);
    int r =
        job.arena ? mu_arena_run(job.arena, run_in_arena, &job, &err) : mu_err_set(&err, MU_E_NOMEM, "out of memory");
    int status;
    if (r != 0)
        status = mu_command_fail(self, &err);
    else if (job.help)
        status = mu_page_show(self, mu_print_command_help);
    else
        status = warn_and_judge(&job.audit);
    mu_page_close(&job.page);
    mu_arena_destroy(job.arena);
    return status;
}

const struct mu_command mu_cmd_audit = {
    .name = "audit",
    .summary = "find what must never be in a snapshot of a cluster",
    .synopsis = "-f FILE... [-o table|json|yaml] [--now TIME] [--config FILE]",
    .about = "Reads a cluster's objects, as `muster plan` does, and finds in them what must never be,\n"
             "whichever scheduler did it:\n"
             "  GangPartlyBound      some members of a gang hold nodes, and too few for its minimum\n"
             "  DeviceGivenTwice     two claims hold one device, or one card through two drivers\n"
             "  DeviceOvercommitted  claims take more of a device's capacity or counters than there is\n"
             "  DeviceNotFound       a claim holds a device that is no longer published\n"
             "  DeviceTainted        a claim holds a device whose NoExecute taint it does not tolerate\n"
             "  NodeOvercommitted    the pods on a node ask for more than its allocatable\n"
             "  NodeNotFound         a pod is bound to a node that does not exist\n"
             "  ReservedForNobody    a claim is reserved for a pod or group that is gone\n"
             "  ReservedForTooMany   a claim has more users than a claim may have (256)\n"
             "  AllocatedForNobody   a claim keeps devices and is reserved for nobody",
    .notes = "Examples:\n"
             "  kubectl get -A -o yaml nodes,pods,podgroups,resourceclaims,resourceslices,devicetaintrules |\n"
             "      muster audit -f -\n"
             "  muster audit -f cluster.yaml -o json | jq -r '.findings[].message'\n"
             "\n"
             "Exit status:\n"
             "  0  nothing was found\n"
             "  1  something was found\n"
             "  2  the words or the input are bad: one line on standard error says what",
    .options = options,
    .options_len = OPTIONS_COUNT,
    .operands = MU_TAKES_PATH,
    .run = run,
};
