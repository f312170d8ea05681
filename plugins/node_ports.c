/* NodePorts: no two pods of a node have one port of it. */
#include "plugins/registry.h"

static const char *const phrases[] = {NULL, "node(s) didn't have free ports for the requested pod ports"};

static struct mu_reach prepare(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared) {
    if (cls->spec->host_ports_len == 0)
        return (struct mu_reach){.filter = MU_SCOPE_NONE};
    mu_sym *everywhere = mu_fw_alloc(fw, sizeof *everywhere);
    *everywhere = mu_fw_intern(fw, MU_STR("0.0.0.0"));
    *ret_prepared = everywhere;
    return (struct mu_reach){.filter = MU_SCOPE_NODE};
}

/* 0.0.0.0 is every address of the node (upstream: HostPortInfo.CheckConflict). */
static bool conflict(const struct mu_host_port *a, const struct mu_host_port *b, mu_sym everywhere) {
    return a->port == b->port && a->protocol == b->protocol &&
           (a->ip == b->ip || a->ip == everywhere || b->ip == everywhere);
}

static bool specs_conflict(const struct mu_pod_spec *a, const struct mu_pod_spec *b, mu_sym everywhere) {
    for (uint32_t i = 0; i < a->host_ports_len; i++) {
        for (uint32_t j = 0; j < b->host_ports_len; j++) {
            if (conflict(&a->host_ports[i], &b->host_ports[j], everywhere))
                return true;
        }
    }
    return false;
}

static struct mu_verdict filter(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node) {
    mu_sym everywhere = *(const mu_sym *)prepared;
    uint32_t len = 0;
    const struct mu_pod *const *pods = mu_fw_pods_on(fw, node, &len);
    for (uint32_t i = 0; i < len; i++) {
        if (specs_conflict(cls->spec, pods[i]->spec, everywhere))
            return (struct mu_verdict){.phrase = 1};
    }
    return (struct mu_verdict){.phrase = 0};
}

/* Pods of one class ask for the same ports, so a second one conflicts with the first. */
static int64_t fit(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node) {
    return 1;
}

const struct mu_plugin mu_plugin_node_ports = {
    .abi = MU_PLUGIN_ABI,
    .name = "NodePorts",
    .summary = "gives each host port of a node to one pod",
    .stage = MU_STAGE_CONSTRAINT,
    .phrases = phrases,
    .phrases_len = 2,
    .prepare = prepare,
    .filter = filter,
    .fit = fit,
    .events = MU_EVENT_NODE_ADDED | MU_EVENT_POD_REMOVED,
};
