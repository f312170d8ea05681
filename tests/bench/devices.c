/* Benchmark of device selectors: evaluating what NVIDIA's DeviceClass asks, and a few that ask more.
 *
 *     bench_devices [--smoke]
 *
 * --smoke runs everything a few times and holds nothing to its limit: for the test suite. A figure is processor time of
 * one mu_cel_match() on one thread, the least of several runs of many, as what others do on the machine only adds. */
#include "scheduler/devices/cel/cel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 15, EVALUATIONS = 20000, ATTRIBUTES = 12 };

struct row {
    const char *work, *expression;
    int64_t limit_ns; /* 0: for comparison */
};

static const struct row rows[] = {
    {"NVIDIA's class", "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'", 1000},
    {"a version and a capacity",
     "device.attributes['gpu.nvidia.com'].driverVersion.isGreaterThan(semver('550.0.0')) && "
     "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('40Gi')) >= 0",
     0},
    {"a pattern", "device.attributes['gpu.nvidia.com'].productName.matches('^NVIDIA H[12]00')", 0},
    {"a comprehension", "device.attributes['gpu.nvidia.com'].exists(k, k == 'productName')", 0},
};

static int64_t clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static struct mu_cel_attribute text(const char *name, const char *value) {
    return (struct mu_cel_attribute){mu_str_from(name), {.type = MU_CEL_STRING, .text = mu_str_from(value)}};
}

/* As NVIDIA's driver publishes a card. */
static void publish(struct mu_cel_attribute attributes[ATTRIBUTES], struct mu_cel_capacity *memory) {
    const struct mu_cel_attribute all[ATTRIBUTES] = {
        text("architecture", "Hopper"),
        text("brand", "Nvidia"),
        {MU_STR("cudaComputeCapability"), {.type = MU_CEL_VERSION, .text = MU_STR("9.0.0")}},
        {MU_STR("cudaDriverVersion"), {.type = MU_CEL_VERSION, .text = MU_STR("12.8.0")}},
        {MU_STR("driverVersion"), {.type = MU_CEL_VERSION, .text = MU_STR("570.86.15")}},
        {MU_STR("index"), {.type = MU_CEL_INT, .number = 3}},
        {MU_STR("minor"), {.type = MU_CEL_INT, .number = 3}},
        text("pcieBusID", "0000:4b:00.0"),
        text("productName", "NVIDIA H100 80GB HBM3"),
        text("resource.kubernetes.io/pcieRoot", "pci0000:40"),
        text("type", "gpu"),
        text("uuid", "GPU-4cf8db2d-06c0-7d70-1a51-e59b25b2c16c"),
    };
    memcpy(attributes, all, sizeof all);
    memory->name = MU_STR("memory");
    if (!mu_quantity_parse(MU_STR("81559Mi"), &memory->value))
        abort();
}

/* Nanoseconds of one evaluation. */
static int64_t measure(const struct row *row, const struct mu_cel_device *device, int evaluations) {
    struct mu_arena *arena = mu_arena_create(0, NULL), *scratch = mu_arena_create(0, NULL);
    const struct mu_cel *program;
    struct mu_err err = {0};
    int64_t least = INT64_MAX;
    if (mu_cel_compile(arena, mu_str_from(row->expression), MU_CEL_LIST_ATTRIBUTES, &program, &err) < 0)
        abort();
    for (int run = 0; run < RUNS; run++) {
        int64_t start = clock_ns();
        for (int i = 0; i < evaluations; i++) {
            bool match;
            if (mu_cel_match(program, device, scratch, &match, NULL, &err) < 0 || !match)
                abort();
        }
        int64_t taken = (clock_ns() - start) / evaluations;
        least = taken < least ? taken : least;
    }
    mu_arena_destroy(scratch);
    mu_arena_destroy(arena);
    return least;
}

int main(int argc, char **argv) {
    bool smoke = argc == 2 && strcmp(argv[1], "--smoke") == 0, fine = true;
    if (argc > 1 && !smoke) {
        fprintf(stderr, "usage: %s [--smoke]\n", argv[0]);
        return 2;
    }
    struct mu_cel_attribute attributes[ATTRIBUTES];
    struct mu_cel_capacity memory;
    publish(attributes, &memory);
    struct mu_cel_device device = {.driver = MU_STR("gpu.nvidia.com"),
                                   .attributes = attributes,
                                   .attributes_len = ATTRIBUTES,
                                   .capacity = &memory,
                                   .capacity_len = 1};
    printf("%-32s %16s %16s\n", "one evaluation of", "at most [ns]", "least [ns]");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t ns = measure(&rows[i], &device, smoke ? 10 : EVALUATIONS);
        bool within = rows[i].limit_ns == 0 || ns <= rows[i].limit_ns;
        printf("%-32s %16" PRId64 " %16" PRId64 "%s\n", rows[i].work, rows[i].limit_ns, ns, within ? "" : "  ABOVE");
        fine = fine && within;
    }
    return fine || smoke ? 0 : 1;
}
