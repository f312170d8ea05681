/* Objects as an API server prints them, with about as much in them as real ones have. */
#include "tests/bench/bench.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 500 };

static void end_list(struct mu_bench_input *input) {
    if (!input->open)
        return;
    fputs("]}", input->open);
    if (fclose(input->open) != 0)
        abort();
    input->open = NULL;
    if (input->lists.len == input->lists.cap) {
        input->lists.cap = input->lists.cap ? input->lists.cap * 2 : 16;
        input->lists.items = realloc(input->lists.items, input->lists.cap * sizeof input->writing);
        if (!input->lists.items)
            abort();
    }
    input->lists.items[input->lists.len++] = input->writing;
    input->bytes += input->writing.len;
}

FILE *mu_bench_next(struct mu_bench_input *input) {
    if (input->in_list == LIST_MAX)
        end_list(input);
    if (input->open) {
        input->in_list++;
        fputc(',', input->open);
        return input->open;
    }
    input->in_list = 1;
    input->open = open_memstream(&input->writing.bytes, &input->writing.len);
    if (!input->open)
        abort();
    fputs("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[", input->open);
    return input->open;
}

void mu_bench_end(struct mu_bench_input *input) {
    end_list(input);
}

void mu_bench_input_finish(struct mu_bench_input *input) {
    for (size_t i = 0; i < input->lists.len; i++)
        free(input->lists.items[i].bytes);
    free(input->lists.items);
    *input = (struct mu_bench_input){0};
}

void mu_bench_print_meta(FILE *out, const char *kind, const char *name) {
    uint64_t a = mu_hash_bytes(1, name, strlen(name)), b = mu_hash_bytes(2, kind, strlen(kind)) ^ a;
    fprintf(out,
            "\"metadata\":{\"name\":\"%s\",\"uid\":\"%08x-%04x-4%03x-a%03x-%012" PRIx64
            "\",\"resourceVersion\":\"%" PRIu64 "\",\"creationTimestamp\":\"2026-03-02T08:01:00Z\"",
            name, (unsigned)(a >> 32), (unsigned)(a & 0xffff), (unsigned)(b >> 52), (unsigned)(b & 0xfff),
            b >> 12 & 0xffffffffffff, 1000 + a % 1000000);
}

void mu_bench_add_node(struct mu_bench_input *input, const struct mu_bench_node *node) {
    FILE *out = mu_bench_next(input);
    fputs("{\"apiVersion\":\"v1\",\"kind\":\"Node\",", out);
    mu_bench_print_meta(out, "Node", node->name);
    fprintf(
        out,
        ",\"labels\":{\"kubernetes.io/hostname\":\"%s\",\"kubernetes.io/os\":\"linux\",\"kubernetes.io/"
        "arch\":\"amd64\","
        "\"topology.kubernetes.io/zone\":\"zone-%d\",\"rack\":\"rack-%d\",\"nvidia.com/gpu.product\":\"NVIDIA-H200\"},"
        "\"annotations\":{\"node.alpha.kubernetes.io/ttl\":\"0\"}},\"spec\":{\"podCIDR\":\"10.1.0.0/24\"},",
        node->name, node->rack % 4, node->rack);
    for (int i = 0; i < 2; i++)
        fprintf(out,
                "%s:{\"cpu\":\"%" PRId64 "m\",\"memory\":\"%" PRId64
                "Mi\",\"ephemeral-storage\":\"800Gi\",\"hugepages-2Mi\":\"0\",\"pods\":\"110\",\"nvidia.com/"
                "gpu\":\"%" PRId64 "\"},",
                i ? "\"allocatable\"" : "\"status\":{\"capacity\"", node->cpu_milli, node->memory_mib, node->gpus);
    fputs("\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"reason\":\"KubeletReady\","
          "\"lastHeartbeatTime\":\"2026-03-02T08:01:00Z\",\"lastTransitionTime\":\"2026-03-01T22:00:00Z\"}],"
          "\"nodeInfo\":{\"architecture\":\"amd64\",\"kubeletVersion\":\"v1.37.2\",\"operatingSystem\":\"linux\"}}}",
          out);
}

void mu_bench_add_group(struct mu_bench_input *input, const char *name, int minimum) {
    FILE *out = mu_bench_next(input);
    fputs("{\"apiVersion\":\"scheduling.k8s.io/v1beta1\",\"kind\":\"PodGroup\",", out);
    mu_bench_print_meta(out, "PodGroup", name);
    fprintf(out, ",\"namespace\":\"default\"},\"spec\":{\"schedulingPolicy\":{\"gang\":{\"minCount\":%d}}}}", minimum);
}

static void print_spec(FILE *out, const struct mu_bench_pod *pod) {
    if (pod->group[0])
        fprintf(out, "\"schedulingGroup\":{\"podGroupName\":\"%s\"},", pod->group);
    if (pod->node[0])
        fprintf(out, "\"nodeName\":\"%s\",", pod->node);
    if (pod->claim)
        fprintf(out, "\"resourceClaims\":[{\"name\":\"gpu\",\"resourceClaimTemplateName\":\"%s\"}],",
                pod->claim_template);
    fprintf(
        out,
        "\"schedulerName\":\"muster\",\"priority\":0,\"restartPolicy\":\"Never\",\"serviceAccountName\":\"default\","
        "\"containers\":[{\"name\":\"main\",\"image\":\"registry.example/"
        "train:1\",\"imagePullPolicy\":\"IfNotPresent\","
        "\"command\":[\"torchrun\",\"train.py\"],\"resources\":{\"requests\":{\"cpu\":\"%" PRId64
        "m\",\"memory\":\"%" PRId64 "Mi\"",
        pod->cpu_milli, pod->memory_mib);
    if (pod->gpus)
        fprintf(out, ",\"nvidia.com/gpu\":\"%" PRId64 "\"},\"limits\":{\"nvidia.com/gpu\":\"%" PRId64 "\"", pod->gpus,
                pod->gpus);
    fputs(
        "}},\"volumeMounts\":[{\"name\":\"token\",\"mountPath\":\"/var/run/secrets/kubernetes.io/serviceaccount\","
        "\"readOnly\":true}]}],\"volumes\":[{\"name\":\"token\",\"projected\":{\"defaultMode\":420,\"sources\":["
        "{\"serviceAccountToken\":{\"expirationSeconds\":3607,\"path\":\"token\"}}]}}],"
        "\"tolerations\":[{\"key\":\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\",\"effect\":\"NoExecute\","
        "\"tolerationSeconds\":300},{\"key\":\"nvidia.com/gpu\",\"operator\":\"Exists\",\"effect\":\"NoSchedule\"}]},",
        out);
}

static void print_waiting(FILE *out, const struct mu_bench_pod *pod) {
    fputs("\"status\":{\"phase\":\"Pending\",\"qosClass\":\"Burstable\"", out);
    if (pod->claim)
        fprintf(out, ",\"resourceClaimStatuses\":[{\"name\":\"gpu\",\"resourceClaimName\":\"%s\"}]", pod->claim);
    fputs("}}", out);
}

void mu_bench_add_pod(struct mu_bench_input *input, const struct mu_bench_pod *pod) {
    FILE *out = mu_bench_next(input);
    fputs("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",", out);
    mu_bench_print_meta(out, "Pod", pod->name);
    fprintf(
        out,
        ",\"namespace\":\"default\",\"labels\":{\"app.kubernetes.io/name\":\"train\",\"batch.kubernetes.io/job-name\":"
        "\"%s\"},\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"%s\",\"uid\":"
        "\"5cbc5ca2-3f4c-4b3f-8a55-1c1c8a1dfb7e\",\"controller\":true}]},\"spec\":{",
        pod->group, pod->group[0] ? pod->group : "none");
    print_spec(out, pod);
    if (pod->node[0])
        fputs(
            "\"status\":{\"phase\":\"Running\",\"startTime\":\"2026-03-02T08:01:05Z\",\"qosClass\":\"Burstable\","
            "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"lastTransitionTime\":\"2026-03-02T08:01:09Z\"}],"
            "\"hostIP\":\"10.0.0.1\",\"podIP\":\"10.1.0.7\"}}",
            out);
    else
        print_waiting(out, pod);
}

int64_t mu_bench_jansson_ns(const struct mu_bench_input *input) {
    int64_t total = 0;
    for (size_t i = 0; i < input->lists.len; i++) {
        int64_t began = mu_bench_clock_ns();
        json_t *root = json_loadb(input->lists.items[i].bytes, input->lists.items[i].len, 0, NULL);
        total += mu_bench_clock_ns() - began;
        if (!root)
            abort();
        json_decref(root);
    }
    return total;
}
