/* Clocks, and the table that is printed. */
#include "tests/bench/bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int64_t mu_bench_clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int64_t mu_bench_resident_bytes(void) {
    long long size, resident;
    FILE *in = fopen("/proc/self/statm", "r");
    if (!in || fscanf(in, "%lld %lld", &size, &resident) != 2)
        abort();
    fclose(in);
    return resident * sysconf(_SC_PAGESIZE);
}

void mu_bench_row_add(struct mu_bench_row *row, int64_t value) {
    if (row->runs_len < MU_BENCH_RUNS_MAX)
        row->runs[row->runs_len++] = value;
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void print_figure(int64_t billionths) {
    printf(" %7" PRId64 ".%03" PRId64, billionths / 1000000000, billionths / 1000000 % 1000);
}

void mu_bench_print_head(void) {
    printf("%-64s %-14s %11s %11s %11s %13s %11s\n", "work", "unit", "at most", "median", "least", "jansson [ms]",
           "input [MB]");
}

bool mu_bench_print_row(struct mu_bench_row *row) {
    qsort(row->runs, (size_t)row->runs_len, sizeof row->runs[0], by_value);
    int64_t median = row->runs[row->runs_len / 2];
    bool fine = row->limit == 0 || median <= row->limit;
    printf("%-64s %-14s", row->work, row->unit);
    if (row->limit)
        print_figure(row->limit);
    else
        printf(" %11s", "-");
    print_figure(median);
    print_figure(row->runs[0]);
    printf("  ");
    print_figure(row->jansson_ns * 1000);
    print_figure((int64_t)row->input_bytes * 1000);
    printf("%s\n", fine ? "" : "  ABOVE");
    fflush(stdout);
    return fine;
}
