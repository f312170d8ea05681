/* The rows of the table: what is measured, and its limit. */
#ifndef MU_TESTS_BENCH_ROWS_H
#define MU_TESTS_BENCH_ROWS_H

#include "tests/bench/bench.h"

struct mu_bench_spec {
    const char *work, *unit;
    int64_t limit; /* in billionths of the unit; 0: none, the figure is for comparison */
    /* Fills in runs, jansson_ns and input_bytes. Sizes are divided by `divide`. */
    void (*measure)(struct mu_bench_row *row, int divide);
};

/* Ends with one without work. */
extern const struct mu_bench_spec mu_bench_specs[];

#endif
