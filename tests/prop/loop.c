/* Seeds in, counterexamples out. */
#include "tests/prop/loop.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAILURES_MAX = 10, SEED_TIMEOUT_S = 120, SHRINK_TIMEOUT_S = 20, KIND_BYTES = 64 };

/* What a child leaves behind. */
struct board {
    uint64_t seed; /* under way */
    uint64_t tally[MU_PROP_TALLIES];
    bool refuted; /* `why` is set */
    char why[MU_PROP_WHY_BYTES];
};

struct loop {
    const struct mu_prop *prop;
    uint64_t first, cases, failures_max;
    struct board *board;   /* shared with children */
    uint64_t failing;      /* seed that is being made smaller */
    char kind[KIND_BYTES]; /* of its failure */
};

/* What failures of one kind have in common: the beginning of the reason, numbers aside. */
static void kind_of(const char *why, char kind[KIND_BYTES]) {
    size_t len = 0;
    for (; *why && *why != ':' && *why != '(' && len + 1 < KIND_BYTES; why++)
        if (*why < '0' || *why > '9')
            kind[len++] = *why;
    kind[len] = 0;
}

static int64_t read_number(const char *text) {
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno || *end || end == text || number < 0) {
        fprintf(stderr, "%s: not a number\n", text);
        exit(2);
    }
    return number;
}

static void read_options(struct loop *loop, int argc, char **argv) {
    loop->first = 1;
    loop->cases = loop->prop->cases;
    loop->failures_max = FAILURES_MAX;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && strcmp(argv[i], "--cases") == 0) {
            loop->cases = (uint64_t)read_number(argv[i + 1]);
        } else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0) {
            loop->first = (uint64_t)read_number(argv[i + 1]);
        } else if (i + 1 < argc && strcmp(argv[i], "--failures") == 0) {
            loop->failures_max = (uint64_t)read_number(argv[i + 1]);
        } else {
            fprintf(stderr, "usage: %s [--cases N] [--seed FIRST] [--failures MOST]\n", argv[0]);
            exit(2);
        }
    }
}

/* Waits for a child. True where it ended well; else says in `why` how it ended, unless it did so itself. */
static bool ended_well(struct board *board, pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            abort();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (!board->refuted)
        snprintf(board->why, sizeof board->why, "the program ended with %s %d%s",
                 WIFSIGNALED(status) ? "signal" : "status",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                 WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? " (took too long)" : "");
    return false;
}

static pid_t start_child(struct board *board) {
    fflush(NULL);
    board->refuted = false;
    pid_t child = fork();
    if (child < 0)
        abort();
    return child;
}

/* Runs seeds from `from` on until one fails. True where none did; else board->seed failed. */
static bool run_seeds(struct loop *loop, uint64_t from, uint64_t end) {
    struct board *board = loop->board;
    pid_t child = start_child(board);
    if (child > 0)
        return ended_well(board, child);
    for (uint64_t seed = from; seed < end; seed++) {
        struct mu_tiny tiny;
        board->seed = seed;
        alarm(SEED_TIMEOUT_S);
        mu_tiny_make(&tiny, seed);
        if (!loop->prop->holds(&tiny, seed, board->tally, board->why)) {
            board->refuted = true;
            exit(1);
        }
    }
    exit(0);
}

static bool still_fails(void *ctx, const struct mu_tiny *tiny) {
    struct loop *loop = ctx;
    pid_t child = start_child(loop->board);
    if (child > 0) {
        char kind[KIND_BYTES];
        if (ended_well(loop->board, child))
            return false;
        kind_of(loop->board->why, kind);
        return strcmp(kind, loop->kind) == 0;
    }
    uint64_t tally[MU_PROP_TALLIES] = {0};
    if (!freopen("/dev/null", "w", stderr))
        abort();
    alarm(SHRINK_TIMEOUT_S);
    loop->board->refuted = !loop->prop->holds(tiny, loop->failing, tally, loop->board->why);
    exit(loop->board->refuted);
}

/* Every line of the text as a comment, of YAML and of TAP alike. */
static void print_comment(FILE *out, const char *text) {
    fputs("# ", out);
    for (; *text; text++) {
        fputc(*text, out);
        if (*text == '\n' && text[1])
            fputs("#   ", out);
    }
    fputc('\n', out);
}

static void write_failure(const struct loop *loop, const struct mu_tiny *tiny) {
    const char *folder = getenv("MU_PROP_OUT");
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%" PRIu64 ".yaml", folder ? folder : ".", loop->prop->name, loop->failing);
    struct mu_tiny_texts texts;
    mu_tiny_print(tiny, &texts);
    char *text = mu_tiny_join(&texts);
    FILE *out = fopen(path, "w");
    if (out) {
        fprintf(out, "# %s, seed %" PRIu64 "\n", loop->prop->name, loop->failing);
        print_comment(out, loop->board->why);
        fprintf(out, "# muster plan --now " MU_TINY_NOW " -f FILE\n%s", text);
        if (fclose(out) != 0)
            abort();
        printf("# made smaller: %s\n", path);
    } else {
        printf("# %s: %s; the cluster:\n", path, strerror(errno));
        print_comment(stdout, text);
    }
    free(text);
    mu_tiny_texts_finish(&texts);
}

static void report_failure(struct loop *loop) {
    struct mu_tiny tiny;
    loop->failing = loop->board->seed;
    printf("# seed %" PRIu64 ":\n", loop->failing);
    print_comment(stdout, loop->board->why);
    kind_of(loop->board->why, loop->kind);
    mu_tiny_make(&tiny, loop->failing);
    mu_tiny_shrink(&tiny, still_fails, loop);
    /* The last try need not be the one that was kept: once more, for the reason. */
    still_fails(loop, &tiny);
    puts("# in the end:");
    print_comment(stdout, loop->board->why);
    write_failure(loop, &tiny);
}

static void print_tally(const struct loop *loop) {
    for (int i = 0; i < MU_PROP_TALLIES && loop->prop->tally_names[i]; i++)
        printf("%s%" PRIu64 " %s", i ? ", " : ": ", loop->board->tally[i], loop->prop->tally_names[i]);
}

int mu_prop_main(const struct mu_prop *prop, int argc, char **argv) {
    struct loop loop = {.prop = prop};
    read_options(&loop, argc, argv);
    loop.board = mmap(NULL, sizeof *loop.board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (loop.board == MAP_FAILED)
        abort();
    uint64_t next = loop.first, end = loop.first + loop.cases;
    uint64_t failures = 0;
    while (next < end && failures < loop.failures_max && !run_seeds(&loop, next, end)) {
        next = loop.board->seed + 1;
        failures++;
        report_failure(&loop);
    }
    if (failures == loop.failures_max && next < end)
        printf("# %" PRIu64 " seeds were not tried any more\n", end - next);
    printf("1..1\n%sok 1 - %s holds for %" PRIu64 " tiny clusters from seed %" PRIu64, failures ? "not " : "",
           prop->name, loop.cases, loop.first);
    print_tally(&loop);
    printf("\n");
    return failures != 0;
}
