/* muster plan: what would run where, on a snapshot, and why the rest would not. */
#include "config/config.h"
#include "scheduler/base/limits.h"
#include "scheduler/cli/clock.h"
#include "scheduler/cli/commands.h"
#include "scheduler/cli/input.h"
#include "scheduler/cli/page.h"
#include "scheduler/cli/plan_print.h"
#include "scheduler/core/cycle.h"

enum { FILES = 0, OUTPUT, ALL, NOW, CONFIG, EXPLAIN, OPTIONS_COUNT };

static const char *const outputs[] = {"table", "wide", "json", "yaml", NULL};

static const struct mu_option options[OPTIONS_COUNT] = {
    [FILES] = {.name = "file",
               .letter = 'f',
               .takes = MU_TAKES_PATH,
               .value = "FILE",
               .help =
                   "Read objects from FILE: YAML or JSON, plain or gzip, one object, several documents, or a List. A "
                   "folder stands for every *.yaml, *.yml and *.json in it, - for standard input. May be given "
                   "several times; names that follow are read as well (-f *.yaml)."},
    [OUTPUT] = {.name = "output",
                .letter = 'o',
                .takes = MU_TAKES_CHOICE,
                .value = "FORM",
                .choices = outputs,
                .help = "How to print: table (the default), wide (also queues, minimums and each pod), json or yaml."},
    [ALL] = {.name = "all",
             .letter = 'a',
             .help = "Plan every pending pod, whichever scheduler it names: a what-if over a cluster that another "
                     "scheduler runs."},
    [NOW] = {.name = "now",
             .takes = MU_TAKES_TEXT,
             .value = "TIME",
             .help = "The time that rules about age go by, such as 2026-12-01T03:30:00Z. The present by default; for a "
                     "snapshot, better the moment when it was taken."},
    [CONFIG] = {.name = "config",
                .letter = 'c',
                .takes = MU_TAKES_PATH,
                .value = "FILE",
                .help = "The scheduler's configuration, muster.yaml(5). Without it: one profile, for pods that name "
                        "the scheduler muster, with every rule on."},
    [EXPLAIN] = {.name = "explain",
                 .letter = 'e',
                 .takes = MU_TAKES_TEXT,
                 .value = "GROUP",
                 .help = "Show everything known about one group instead of the plan: each kind of member, what each "
                         "rule said about each node, and what would make it fit. GROUP is NAMESPACE/NAME, or NAME "
                         "where only one group has it."},
};

/* One run: what was asked, and what must be given back however it ends. */
struct job {
    const struct mu_command *command;
    int argc;
    char **argv;
    struct mu_arena *arena;
    struct mu_input_paths paths;
    const char *output, *config, *explain;
    bool all;
    int64_t now_ns;
    struct mu_store *store;
    struct mu_settings settings;
    struct mu_snapshot *snapshot;
    struct mu_plan *plan;
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
    case ALL:
        job->all = true;
        return 0;
    case NOW:
        return mu_clock_parse(value, &job->now_ns, err);
    case CONFIG:
        job->config = value;
        return 0;
    default:
        job->explain = value;
        return 0;
    }
}

/* Options and input become a plan. */
static int decide(struct job *job, struct mu_err *err) {
    int r = 0;
    if (job->config)
        r = mu_config_read(job->arena, job->config, &job->settings, err);
    else
        job->settings = *mu_settings_default(job->arena);
    job->settings.all_ours = job->all;
    if (r == 0)
        r = mu_input_read(&job->paths, job->arena, &job->store, err);
    if (r != 0)
        return r;
    job->snapshot = mu_snapshot_create(&job->store->symbols, MU_LIMIT_MEMORY_BYTES);
    if (!job->snapshot)
        return mu_err_set(err, MU_E_NOMEM, "out of memory");
    r = mu_snapshot_load(job->snapshot, job->store, err);
    if (r != 0)
        return r;
    return mu_cycle(job->snapshot, &job->settings, job->now_ns, job->arena, &job->plan, err);
}

/* The group that --explain names. */
static int find_group(const struct job *job, const struct mu_plan_view *view, uint32_t *ret, struct mu_err *err) {
    struct mu_str wanted = mu_str_from(job->explain);
    uint32_t found = 0;
    for (uint32_t g = 0; g < job->plan->groups_len; g++) {
        const struct mu_plan_group *group = &job->plan->groups[g];
        if (mu_str_eq(wanted, mu_text(&job->store->symbols, group->name)) ||
            mu_str_eq(wanted, mu_full_name(view, group->namespace, group->name))) {
            *ret = g;
            found++;
        }
    }
    if (found == 1)
        return 0;
    if (found > 1)
        return mu_err_set(err, MU_E_USAGE, "--explain: %u groups are called %s: say NAMESPACE/NAME", found,
                          job->explain);
    return mu_err_set(err, MU_E_USAGE, "--explain: %s is none of the %u groups that have pending pods of ours%s",
                      job->explain, job->plan->groups_len, job->all ? "" : " (--all plans those of others too)");
}

static int print(struct job *job, struct mu_err *err) {
    const struct mu_plan_view view = {job->plan, job->store, &job->settings, job->arena};
    struct mu_terminal terminal = mu_terminal_stdout();
    uint32_t group = 0;
    struct mu_explanation *explanation = NULL;
    int r = 0;
    if (job->explain) {
        r = find_group(job, &view, &group, err);
        if (r == 0)
            r = mu_explain(job->snapshot, &job->settings, job->now_ns, job->plan, group, job->arena, &explanation, err);
    }
    if (r == 0)
        r = mu_page_open(&job->page, err);
    if (r != 0)
        return r;
    terminal.out = job->page.out;
    bool json = strcmp(job->output, "json") == 0, yaml = strcmp(job->output, "yaml") == 0;
    struct mu_writer writer;
    mu_writer_init(&writer, job->page.out, yaml ? MU_WRITER_YAML : MU_WRITER_JSON);
    if (json || yaml) {
        if (explanation)
            mu_explanation_write(&view, &job->plan->groups[group], explanation, &writer);
        else
            mu_plan_write(&view, &writer);
    } else if (explanation) {
        mu_explanation_print(&view, &job->plan->groups[group], explanation, &terminal);
    } else {
        mu_plan_print(&view, &terminal, strcmp(job->output, "wide") == 0);
    }
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
    if (r == 0)
        r = decide(job, err);
    if (r == 0)
        r = print(job, err);
    return r;
}

static void warn_of_devices(const struct job *job) {
    for (uint32_t i = 0; i < job->plan->notes_len; i++) {
        struct mu_str text = mu_text_printable(job->arena, job->plan->notes[i]);
        fprintf(stderr, "warning: " MU_STR_FMT "\n", MU_STR_ARG(text));
    }
}

static int exit_status(const struct job *job) {
    int status = mu_plan_exit_status(job->plan);
    for (size_t i = 0; i < job->store->notes.len; i++)
        if (job->store->notes.items[i].unplanned)
            status = MU_EXIT_FOUND;
    return status;
}

static int run(const struct mu_command *self, int argc, char **argv) {
    struct mu_err err = {0};
    struct job job = {.command = self, .argc = argc, .argv = argv, .output = "table", .now_ns = mu_clock_now()};
    job.arena = mu_arena_create(MU_LIMIT_MEMORY_BYTES, NULL);
    int r =
        job.arena ? mu_arena_run(job.arena, run_in_arena, &job, &err) : mu_err_set(&err, MU_E_NOMEM, "out of memory");
    int status;
    if (r != 0) {
        status = mu_command_fail(self, &err);
    } else if (job.help) {
        status = mu_page_show(self, mu_print_command_help);
    } else {
        mu_input_warn(job.store);
        warn_of_devices(&job);
        status = exit_status(&job);
    }
    mu_page_close(&job.page);
    mu_snapshot_destroy(job.snapshot);
    mu_arena_destroy(job.arena);
    return status;
}

const struct mu_command mu_cmd_plan = {
    .name = "plan",
    .summary = "decide which groups of pods run where, on a snapshot of a cluster",
    .synopsis = "-f FILE... [-o table|wide|json|yaml] [--all] [--now TIME] [--config FILE]\n"
                "                   [--explain GROUP]",
    .about = "Reads a cluster's objects from files and prints what muster would do with every group\n"
             "of pending pods: place it whole (Bind), make room for it (Preempt), wait for\n"
             "something that must happen first (Wait), or leave it (Pending), and why. Nothing is\n"
             "changed anywhere. Objects may come in any order, and manifests of workloads count:\n"
             "muster makes the pods that their controllers would make.",
    .notes = "Examples:\n"
             "  muster plan -f cluster.yaml                      what would run now\n"
             "  muster plan -f cluster.yaml -f job.yaml          and with this job besides\n"
             "  muster plan -f cluster.yaml --explain ml/train   why a group does not run\n"
             "  muster plan -f cluster.yaml -o json | jq '.groups[] | select(.decision != \"Bind\")'\n"
             "\n"
             "Exit status:\n"
             "  0  every group is Bind, or there is none\n"
             "  1  some group is not, or something in the input could not be planned (see the warnings)\n"
             "  2  the words or the input are bad: one line on standard error says what, nothing is\n"
             "     printed\n"
             "\n"
             "`muster help reasons` explains each reason, `muster help input` what is read.",
    .options = options,
    .options_len = OPTIONS_COUNT,
    .operands = MU_TAKES_PATH,
    .run = run,
};
