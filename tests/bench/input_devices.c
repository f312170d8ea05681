/* Devices, classes and claims as an API server prints them. */
#include "tests/bench/bench.h"

#include <inttypes.h>
#include <string.h>

void mu_bench_add_classes(struct mu_bench_input *input) {
    static const char *const classes[][2] = {{"gpu.nvidia.com", "gpu"}, {"mig.nvidia.com", "mig"}};
    for (int i = 0; i < 2; i++) {
        FILE *out = mu_bench_next(input);
        fputs("{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"DeviceClass\",", out);
        mu_bench_print_meta(out, "DeviceClass", classes[i][0]);
        fprintf(out,
                "},\"spec\":{\"selectors\":[{\"cel\":{\"expression\":\"device.driver == 'gpu.nvidia.com' && "
                "device.attributes['gpu.nvidia.com'].type == '%s'\"}}]}}",
                classes[i][1]);
    }
}

static FILE *begin_slice(struct mu_bench_input *input, const char *node, int number, int slices) {
    FILE *out = mu_bench_next(input);
    char name[96];
    snprintf(name, sizeof name, "%s-gpu.nvidia.com-%d", node, number);
    fputs("{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"ResourceSlice\",", out);
    mu_bench_print_meta(out, "ResourceSlice", name);
    fprintf(out,
            "},\"spec\":{\"driver\":\"gpu.nvidia.com\",\"nodeName\":\"%s\",\"pool\":{\"name\":\"%s\",\"generation\":1,"
            "\"resourceSliceCount\":%d},",
            node, node, slices);
    return out;
}

static void print_attributes(FILE *out, const char *node, int card, int part, const char *type, const char *profile) {
    uint64_t unique = mu_hash_bytes(3, node, strlen(node)) + (uint64_t)card * 1000 + (uint64_t)part;
    fprintf(out,
            "\"attributes\":{\"architecture\":{\"string\":\"Hopper\"},\"brand\":{\"string\":\"Nvidia\"},"
            "\"cudaComputeCapability\":{\"version\":\"9.0.0\"},\"cudaDriverVersion\":{\"version\":\"12.8.0\"},"
            "\"driverVersion\":{\"version\":\"570.86.15\"},\"index\":{\"int\":%d},\"minor\":{\"int\":%d},"
            "\"productName\":{\"string\":\"NVIDIA H100 80GB HBM3\"},\"resource.kubernetes.io/pcieRoot\":{\"string\":"
            "\"pci0000:%02x\"},\"type\":{\"string\":\"%s\"},\"uuid\":{\"string\":\"GPU-%016" PRIx64 "\"}",
            card, card, card / 2, type, unique);
    if (profile)
        fprintf(out, ",\"profile\":{\"string\":\"%s\"}", profile);
    fputs("},\"capacity\":{\"memory\":{\"value\":\"81559Mi\"}}", out);
}

void mu_bench_add_cards(struct mu_bench_input *input, const char *node, int cards) {
    FILE *out = begin_slice(input, node, 0, 1);
    fputs("\"devices\":[", out);
    for (int c = 0; c < cards; c++) {
        fprintf(out, "%s{\"name\":\"gpu-%d\",", c ? "," : "", c);
        print_attributes(out, node, c, 0, "gpu", NULL);
        fputc('}', out);
    }
    fputs("]}}", out);
}

/* Which of a card's eight memory slices a part takes. */
static const struct part {
    const char *profile;
    int first, count;
} parts[] = {
    {NULL, 0, 8},      {"4g.40gb", 0, 4}, {"3g.40gb", 4, 4}, {"2g.20gb", 0, 2},
    {"2g.20gb", 2, 2}, {"1g.20gb", 4, 2}, {"1g.10gb", 6, 1},
};

static void print_part(FILE *out, const char *node, int card, int part) {
    const struct part *p = &parts[part];
    fprintf(out, "%s{\"name\":\"gpu-%d-%d\",", card + part ? "," : "", card, part);
    print_attributes(out, node, card, part, p->profile ? "mig" : "gpu", p->profile);
    fprintf(out, ",\"consumesCounters\":[{\"counterSet\":\"gpu-%d\",\"counters\":{", card);
    for (int i = 0; i < p->count; i++)
        fprintf(out, "%s\"memory-slice-%d\":{\"value\":\"1\"}", i ? "," : "", p->first + i);
    fputs("}}]}", out);
}

void mu_bench_add_partitions(struct mu_bench_input *input, const char *node, int cards) {
    FILE *out = begin_slice(input, node, 0, 2);
    fputs("\"devices\":[", out);
    for (int c = 0; c < cards; c++)
        for (int p = 0; p < (int)(sizeof parts / sizeof *parts); p++)
            print_part(out, node, c, p);
    fputs("]}}", out);
    out = begin_slice(input, node, 1, 2);
    fputs("\"sharedCounters\":[", out);
    for (int c = 0; c < cards; c++) {
        fprintf(out, "%s{\"name\":\"gpu-%d\",\"counters\":{", c ? "," : "", c);
        for (int i = 0; i < 8; i++)
            fprintf(out, "%s\"memory-slice-%d\":{\"value\":\"1\"}", i ? "," : "", i);
        fputs("}}", out);
    }
    fputs("]}}", out);
}

void mu_bench_add_claim(struct mu_bench_input *input, const char *name, const char *class, const char *profile) {
    FILE *out = mu_bench_next(input);
    fputs("{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"ResourceClaim\",", out);
    mu_bench_print_meta(out, "ResourceClaim", name);
    fprintf(out,
            ",\"namespace\":\"default\"},\"spec\":{\"devices\":{\"requests\":[{\"name\":\"gpu\",\"exactly\":{"
            "\"deviceClassName\":\"%s\",\"allocationMode\":\"ExactCount\",\"count\":1",
            class);
    if (profile)
        fprintf(out,
                ",\"selectors\":[{\"cel\":{\"expression\":\"device.attributes['gpu.nvidia.com'].profile == '%s'\"}}]",
                profile);
    fputs("}}]}}}", out);
}
