/* Benchmarks of the decision core: the table of figures and limits.
 *
 *     bench_core [--smoke | --only WORDS]
 *
 * --smoke runs everything at small sizes and holds nothing to its limit: for the test suite. --only runs the rows that
 * have these words in their name: for a profiler. Each row runs in a process of its own, so that none finds memory or
 * caches as another left them. */
#include "tests/bench/rows.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Measures one row in a child, and prints it. True where it is within its limit. */
static bool run_row(const struct mu_bench_spec *spec, struct mu_bench_row *row, bool smoke) {
    *row = (struct mu_bench_row){.work = spec->work, .unit = spec->unit, .limit = spec->limit};
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        abort();
    if (child == 0) {
        spec->measure(row, smoke ? 50 : 1);
        fflush(NULL);
        _exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) {
        printf("%s: the process ended with status 0x%x\n", spec->work, (unsigned)status);
        return false;
    }
    return mu_bench_print_row(row) || smoke;
}

int main(int argc, char **argv) {
    bool smoke = argc == 2 && strcmp(argv[1], "--smoke") == 0, fine = true;
    const char *only = argc == 3 && strcmp(argv[1], "--only") == 0 ? argv[2] : "";
    if (argc > 1 && !smoke && !*only) {
        fprintf(stderr, "usage: %s [--smoke | --only WORDS]\n", argv[0]);
        return 2;
    }
    struct mu_bench_row *row = mmap(NULL, sizeof *row, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (row == MAP_FAILED)
        abort();
    mu_bench_print_head();
    for (const struct mu_bench_spec *spec = mu_bench_specs; spec->work; spec++)
        if (strstr(spec->work, only))
            fine &= run_row(spec, row, smoke);
    puts(
        "Time is processor time of mu_cycle (of an event: with putting or removing the object), on one thread, "
        "without\n"
        "reading input or printing; the snapshot is new each time, except for events. jansson: json_loadb of the same\n"
        "input, as text, in the same run. Memory: resident set after all objects are read, the text and DOMs freed "
        "and\n"
        "malloc_trim(0) called, with objects and snapshot, less what was resident before.");
    return fine ? 0 : 1;
}
