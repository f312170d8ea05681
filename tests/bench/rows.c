/* What is measured: clusters and gangs of a known shape. */
#include "tests/bench/rows.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 9, EVENT_RUNS = 25, GPUS = 8, CPU_MILLI = 128000, MEMORY_MIB = 1 << 20 };

struct name {
    char text[48];
};

__attribute__((format(printf, 1, 2))) static struct name name_of(const char *format, ...) {
    struct name name;
    va_list args;
    va_start(args, format);
    vsnprintf(name.text, sizeof name.text, format, args);
    va_end(args);
    return name;
}

static int at_least(int value, int least) {
    return value < least ? least : value;
}

static void add_nodes(struct mu_bench_input *input, int count) {
    for (int i = 0; i < count; i++) {
        struct name name = name_of("gpu-node-%05d", i);
        mu_bench_add_node(input, &(struct mu_bench_node){name.text, i / 16, CPU_MILLI, MEMORY_MIB, GPUS});
    }
}

static void add_gang(struct mu_bench_input *input, const char *prefix, int i, int size, struct mu_bench_pod pod) {
    struct name group = name_of("%s-%04d", prefix, i);
    mu_bench_add_group(input, group.text, size);
    for (int p = 0; p < size; p++) {
        struct name name = name_of("%s-%04d-%04d", prefix, i, p);
        pod.name = name.text;
        pod.group = group.text;
        pod.node = "";
        mu_bench_add_pod(input, &pod);
    }
}

/* Times cycles over new snapshots of the input; figures are ns * factor / divisor. */
static void measure_cycles(struct mu_bench_row *row, struct mu_bench_input *input, uint32_t bind, int64_t factor,
                           int64_t divisor) {
    struct mu_bench_cluster cluster;
    row->jansson_ns = mu_bench_jansson_ns(input);
    row->input_bytes = input->bytes;
    mu_bench_read(&cluster, input, false);
    for (int i = 0; i < RUNS; i++) {
        mu_bench_load(&cluster);
        mu_bench_row_add(row, mu_bench_cycle(&cluster, bind).ns * factor / divisor);
    }
    mu_bench_cluster_finish(&cluster);
    mu_bench_input_finish(input);
}

static void measure_small_gangs(struct mu_bench_row *row, int divide) {
    struct mu_bench_input input = {0};
    int gangs = 250 / divide, size = 8;
    add_nodes(&input, at_least(1000 / divide, 8));
    for (int i = 0; i < gangs; i++)
        add_gang(&input, "train", i, size, (struct mu_bench_pod){.cpu_milli = 8000, .memory_mib = 65536, .gpus = 1});
    mu_bench_end(&input);
    measure_cycles(row, &input, (uint32_t)gangs, 1000 * 100, (int64_t)gangs * size);
}

static int by_vector(const void *a, const void *b) {
    return memcmp(a, b, 3 * sizeof(int64_t));
}

/* Nodes on which pods of random sizes run; checks that enough of them differ in what is free. */
static void add_worn_nodes(struct mu_bench_input *input, int count) {
    struct mu_random random = {.state = 7};
    int64_t(*used)[3] = calloc((size_t)count, sizeof *used);
    MU_ASSERT(used);
    add_nodes(input, count);
    for (int i = 0; i < count; i++) {
        struct name node = name_of("gpu-node-%05d", i);
        for (int p = 0; p < 2; p++) {
            struct name name = name_of("runs-%05d-%d", i, p);
            struct mu_bench_pod pod = {.name = name.text, .group = "", .node = node.text};
            pod.cpu_milli = 500 + 250 * (int64_t)mu_random_below(&random, 64);
            pod.memory_mib = 1024 + 512 * (int64_t)mu_random_below(&random, 256);
            pod.gpus = (int64_t)mu_random_below(&random, 4);
            used[i][0] += pod.cpu_milli;
            used[i][1] += pod.memory_mib;
            used[i][2] += pod.gpus;
            mu_bench_add_pod(input, &pod);
        }
    }
    qsort(used, (size_t)count, sizeof *used, by_vector);
    int different = 1;
    for (int i = 1; i < count; i++)
        different += by_vector(used[i - 1], used[i]) != 0;
    MU_ASSERT(different >= count / 5);
    free(used);
}

static void measure_worn(struct mu_bench_row *row, int divide, int gangs, int size) {
    struct mu_bench_input input = {0};
    add_worn_nodes(&input, at_least(5000 / divide, 100));
    for (int i = 0; i < gangs; i++)
        add_gang(&input, "train", i, size,
                 (struct mu_bench_pod){.cpu_milli = 4000 + 500 * (i % 10), .memory_mib = 16384, .gpus = 1 + i % 2});
    mu_bench_end(&input);
    measure_cycles(row, &input, (uint32_t)gangs, 1000000, (int64_t)gangs * size);
}

static void measure_worn_many(struct mu_bench_row *row, int divide) {
    measure_worn(row, divide, 1000 / divide, 3);
}

static void measure_worn_large(struct mu_bench_row *row, int divide) {
    measure_worn(row, divide, 3, 1000 / divide);
}

/* Gangs of eight, each pod with a claim of its own. */
static void add_claiming_gangs(struct mu_bench_input *input, int gangs, const char *class,
                               const char *const profiles[]) {
    for (int i = 0; i < gangs; i++) {
        struct name group = name_of("train-%04d", i);
        mu_bench_add_group(input, group.text, 8);
        for (int p = 0; p < 8; p++) {
            struct name name = name_of("train-%04d-%04d", i, p), claim = name_of("train-%04d-%04d-gpu", i, p);
            mu_bench_add_claim(input, claim.text, class, profiles[p % 2]);
            mu_bench_add_pod(input,
                             &(struct mu_bench_pod){.name = name.text,
                                                    .group = group.text,
                                                    .node = "",
                                                    .cpu_milli = 4000,
                                                    .memory_mib = 16384,
                                                    .claim = claim.text,
                                                    .claim_template = profiles[p % 2] ? profiles[p % 2] : "gpu"});
        }
    }
}

static void measure_devices(struct mu_bench_row *row, int divide) {
    struct mu_bench_input input = {0};
    int nodes = at_least(1000 / divide, 8), gangs = 250 / divide;
    add_nodes(&input, nodes);
    mu_bench_add_classes(&input);
    for (int i = 0; i < nodes; i++)
        mu_bench_add_cards(&input, name_of("gpu-node-%05d", i).text, GPUS);
    add_claiming_gangs(&input, gangs, "gpu.nvidia.com", (const char *const[]){NULL, NULL});
    mu_bench_end(&input);
    measure_cycles(row, &input, (uint32_t)gangs, 1000000, (int64_t)gangs * 8);
}

static void measure_partitions(struct mu_bench_row *row, int divide) {
    struct mu_bench_input input = {0};
    int nodes = at_least(500 / divide, 8), gangs = 250 / divide;
    add_nodes(&input, nodes);
    mu_bench_add_classes(&input);
    for (int i = 0; i < nodes; i++)
        mu_bench_add_partitions(&input, name_of("gpu-node-%05d", i).text, GPUS);
    add_claiming_gangs(&input, gangs, "mig.nvidia.com", (const char *const[]){"2g.20gb", "3g.40gb"});
    mu_bench_end(&input);
    measure_cycles(row, &input, (uint32_t)gangs, 1000000, (int64_t)gangs * 8);
}

static void measure_no(struct mu_bench_row *row, int divide) {
    struct mu_bench_input input = {0};
    add_nodes(&input, 500 / divide);
    add_gang(&input, "giant", 0, at_least(512 / divide, 500 / divide + 2),
             (struct mu_bench_pod){.cpu_milli = 64000, .memory_mib = 524288, .gpus = GPUS});
    mu_bench_end(&input);
    measure_cycles(row, &input, 0, 1000, 1);
}

/* Nodes full of small pods: eight with a GPU each, in gangs of eight, and two without. */
static void add_full_nodes(struct mu_bench_input *input, int count) {
    add_nodes(input, count);
    for (int i = 0; i < count; i++) {
        struct name node = name_of("gpu-node-%05d", i), group = name_of("train-%05d", i);
        mu_bench_add_group(input, group.text, 8);
        for (int p = 0; p < 10; p++) {
            struct name name = name_of("%s-%05d-%d", p < 8 ? "train" : "daemon", i, p);
            struct mu_bench_pod pod = {.name = name.text, .group = p < 8 ? group.text : "", .node = node.text};
            pod.cpu_milli = p < 8 ? 8000 : 250 * (1 + i % 8);
            pod.memory_mib = p < 8 ? 65536 : 512;
            pod.gpus = p < 8;
            mu_bench_add_pod(input, &pod);
        }
    }
    mu_bench_end(input);
}

/* The yardstick of the memory row, in a process of its own: what jansson leaves behind must not count. */
static void measure_apart(struct mu_bench_row *row, int nodes) {
    pid_t child = fork();
    if (child == 0) {
        struct mu_bench_input input = {0};
        add_full_nodes(&input, nodes);
        row->jansson_ns = mu_bench_jansson_ns(&input);
        row->input_bytes = input.bytes;
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        abort();
}

static void measure_memory(struct mu_bench_row *row, int divide) {
    struct mu_bench_input input = {0};
    struct mu_bench_cluster cluster;
    int nodes = 5000 / divide;
    measure_apart(row, nodes);
    malloc_trim(0);
    int64_t before = mu_bench_resident_bytes();
    add_full_nodes(&input, nodes);
    mu_bench_read(&cluster, &input, true);
    mu_bench_input_finish(&input);
    mu_bench_load(&cluster);
    malloc_trim(0);
    mu_bench_row_add(row, (mu_bench_resident_bytes() - before) * 1000);
    mu_bench_cluster_finish(&cluster);
}

/* 1,000 nodes, each with one pod that holds its GPUs and two small ones; gangs that wait for two whole nodes each. */
static void read_waiting(struct mu_bench_row *row, struct mu_bench_cluster *cluster, int divide) {
    struct mu_bench_input input = {0};
    int nodes = at_least(1000 / divide, 20), gangs = 1000 / divide;
    add_nodes(&input, nodes);
    for (int i = 0; i < nodes; i++) {
        struct name node = name_of("gpu-node-%05d", i);
        for (int p = 0; p < 3; p++) {
            struct name name = name_of("%s-%05d", p == 0 ? "full" : p == 1 ? "side" : "extra", i);
            struct mu_bench_pod pod = {.name = name.text,
                                       .group = "",
                                       .node = node.text,
                                       .cpu_milli = 1000,
                                       .memory_mib = 1024,
                                       .gpus = p == 0 ? GPUS : 0};
            mu_bench_add_pod(&input, &pod);
        }
    }
    for (int i = 0; i < gangs; i++)
        add_gang(&input, "train", i, 2,
                 (struct mu_bench_pod){.cpu_milli = 32000 + 100 * (i % 100), .memory_mib = 262144, .gpus = GPUS});
    mu_bench_end(&input);
    row->jansson_ns = mu_bench_jansson_ns(&input);
    row->input_bytes = input.bytes;
    mu_bench_read(cluster, &input, true);
    mu_bench_input_finish(&input);
    mu_bench_load(cluster);
}

static const struct mu_pod *pod_named(const struct mu_bench_cluster *cluster, const char *prefix, int i) {
    struct name name = name_of("%s-%05d", prefix, i);
    mu_sym symbol = mu_symbol_find(&cluster->store->symbols, mu_str_from(name.text));
    for (size_t p = 0; p < cluster->store->pods.len; p++)
        if (cluster->store->pods.items[p]->meta.name == symbol)
            return cluster->store->pods.items[p];
    abort();
}

/* The event and the cycle after it, in ns. */
static int64_t event_ns(struct mu_bench_cluster *cluster, const struct mu_pod *pod, bool put, uint32_t bind) {
    struct mu_err err = {0};
    int64_t began = mu_bench_clock_ns();
    if (!put)
        mu_snapshot_remove_pod(cluster->snapshot, pod->meta.namespace, pod->meta.name);
    else if (mu_snapshot_put_pod(cluster->snapshot, pod, &err) != 0)
        abort();
    int64_t event = mu_bench_clock_ns() - began;
    return event + mu_bench_cycle(cluster, bind).ns;
}

static void measure_first(struct mu_bench_row *row, int divide) {
    struct mu_bench_cluster cluster;
    read_waiting(row, &cluster, divide);
    for (int i = 0; i < RUNS; i++) {
        mu_bench_load(&cluster);
        mu_bench_row_add(row, mu_bench_cycle(&cluster, 0).ns * 1000);
    }
    mu_bench_cluster_finish(&cluster);
}

/* Pods without GPUs come and go: those that wait need whole nodes. */
static void measure_useless(struct mu_bench_row *row, int divide) {
    struct mu_bench_cluster cluster;
    read_waiting(row, &cluster, divide);
    mu_bench_cycle(&cluster, 0);
    for (int i = 0; i < EVENT_RUNS; i++) {
        const struct mu_pod *pod = pod_named(&cluster, "side", i % 20);
        mu_bench_row_add(row, event_ns(&cluster, pod, i / 20 % 2, 0) * 1000);
    }
    mu_bench_cluster_finish(&cluster);
}

/* A node comes free, and may be what any of them waits for. `spare`: another one is free already, so that the first of
 * them gets both. */
static void measure_hopeful(struct mu_bench_row *row, int divide, bool spare) {
    struct mu_bench_cluster cluster;
    read_waiting(row, &cluster, divide);
    mu_bench_cycle(&cluster, 0);
    if (spare)
        event_ns(&cluster, pod_named(&cluster, "full", 0), false, 0);
    for (int i = 0; i < EVENT_RUNS; i++) {
        const struct mu_pod *pod = pod_named(&cluster, "full", 1 + i % 10);
        mu_bench_row_add(row, event_ns(&cluster, pod, false, spare) * 1000);
        event_ns(&cluster, pod, true, 0);
    }
    mu_bench_cluster_finish(&cluster);
}

static void measure_hopeful_none(struct mu_bench_row *row, int divide) {
    measure_hopeful(row, divide, false);
}

static void measure_hopeful_one(struct mu_bench_row *row, int divide) {
    measure_hopeful(row, divide, true);
}

#define LIMIT(n) (INT64_C(n) * 1000000000)

const struct mu_bench_spec mu_bench_specs[] = {
    {"1,000 nodes x 8 GPUs, 250 gangs of 8 one-GPU pods", "ms/100 pods", LIMIT(2), measure_small_gangs},
    {"5,000 worn nodes, 1,000 gangs of 3", "us/pod", LIMIT(20), measure_worn_many},
    {"5,000 worn nodes, 3 gangs of 1,000", "us/pod", LIMIT(20), measure_worn_large},
    {"500 nodes x 8 GPUs, a gang of 512 x 8: no, and why", "ms", LIMIT(10), measure_no},
    {"1,000 nodes x 8 devices, 250 gangs of 8, a claim each", "us/pod", LIMIT(100), measure_devices},
    {"500 nodes x 8 cards in 7 kinds of parts, 250 gangs of 8", "us/pod", LIMIT(1000), measure_partitions},
    {"5,000 nodes, 40,000 GPUs, 50,000 pods: resident memory", "MB", LIMIT(150), measure_memory},
    {"1,000 gangs wait: the first cycle", "ms", 0, measure_first},
    {"1,000 gangs wait: an event that helps none", "ms", LIMIT(1), measure_useless},
    {"1,000 gangs wait: an event that may help all, and does not", "ms", LIMIT(20), measure_hopeful_none},
    {"1,000 gangs wait: an event that may help all, and helps one", "ms", LIMIT(20), measure_hopeful_one},
    {0},
};
