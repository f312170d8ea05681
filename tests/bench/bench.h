/* What benchmarks of the decision core have in common: inputs, loaded clusters, clocks, the table.
 *
 * Every input is text, made from a seed: the same on every machine. It is parsed by jansson alone for the yardstick, and
 * read into a store for what is measured. Time is taken around calls into the core only. */
#ifndef MU_TESTS_BENCH_BENCH_H
#define MU_TESTS_BENCH_BENCH_H

#include "scheduler/core/cycle.h"
#include "tests/lib/random.h"

#include <stdio.h>

enum { MU_BENCH_RUNS_MAX = 64 };

/* ---- input.c: Kubernetes objects as JSON, in Lists of some hundred, as a paged API answers */

struct mu_bench_text {
    char *bytes;
    size_t len;
};

struct mu_bench_input {
    MU_VEC(struct mu_bench_text) lists;
    FILE *open; /* the List that is being written */
    struct mu_bench_text writing;
    size_t in_list;
    size_t bytes; /* of all lists */
};

struct mu_bench_node {
    const char *name;
    int rack;
    int64_t cpu_milli, memory_mib, gpus;
};

struct mu_bench_pod {
    const char *name, *group; /* group "": none */
    const char *node;         /* "": it waits */
    int64_t cpu_milli, memory_mib, gpus;
    const char *claim, *claim_template; /* that was made for it, and from what; NULL: none */
};

/* Where the next object goes. */
FILE *mu_bench_next(struct mu_bench_input *input);
/* The beginning of "metadata", with two halves of a uid that no other name has; the object is left open. */
void mu_bench_print_meta(FILE *out, const char *kind, const char *name);
void mu_bench_add_node(struct mu_bench_input *input, const struct mu_bench_node *node);
void mu_bench_add_group(struct mu_bench_input *input, const char *name, int minimum);
void mu_bench_add_pod(struct mu_bench_input *input, const struct mu_bench_pod *pod);
/* Ends the last List. */
void mu_bench_end(struct mu_bench_input *input);
void mu_bench_input_finish(struct mu_bench_input *input);
/* Time that jansson takes to parse all of it. */
int64_t mu_bench_jansson_ns(const struct mu_bench_input *input);

/* ---- input_devices.c: the same for devices */

/* DeviceClass gpu.nvidia.com, and mig.nvidia.com. */
void mu_bench_add_classes(struct mu_bench_input *input);
/* A slice of so many whole cards, with the attributes that NVIDIA's driver publishes. */
void mu_bench_add_cards(struct mu_bench_input *input, const char *node, int cards);
/* Cards that can be taken whole or in six kinds of parts, all of one card on its counters; and a slice of these. */
void mu_bench_add_partitions(struct mu_bench_input *input, const char *node, int cards);
/* A claim for one device of the class; `profile`: of that partition, or NULL. */
void mu_bench_add_claim(struct mu_bench_input *input, const char *name, const char *class, const char *profile);

/* ---- loaded.c */

struct mu_bench_cluster {
    struct mu_arena *arena;
    struct mu_store *store;
    const struct mu_settings *settings;
    struct mu_snapshot *snapshot;
};

/* Reads the input; frees the text of each List once it is read where `consume` is true. Ends the process on errors. */
void mu_bench_read(struct mu_bench_cluster *cluster, struct mu_bench_input *input, bool consume);
/* A new snapshot of what was read, in place of the old one. */
void mu_bench_load(struct mu_bench_cluster *cluster);
void mu_bench_cluster_finish(struct mu_bench_cluster *cluster);

struct mu_bench_cycle {
    int64_t ns;
    struct mu_plan_summary summary;
};

/* One cycle, timed, and taken back (not timed). The plan is checked: exactly `bind` groups are bound. */
struct mu_bench_cycle mu_bench_cycle(struct mu_bench_cluster *cluster, uint32_t bind);

/* ---- table.c */

/* Time that this thread has run: what others do on the machine meanwhile is not in it. */
int64_t mu_bench_clock_ns(void);
int64_t mu_bench_resident_bytes(void);

struct mu_bench_row {
    const char *work, *unit;
    int64_t runs[MU_BENCH_RUNS_MAX]; /* in billionths of the unit */
    int runs_len;
    int64_t limit; /* so too; the median is held to it */
    int64_t jansson_ns;
    size_t input_bytes;
};

void mu_bench_row_add(struct mu_bench_row *row, int64_t value);
void mu_bench_print_head(void);
/* True where the row is within its limit. */
bool mu_bench_print_row(struct mu_bench_row *row);

#endif
