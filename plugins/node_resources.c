/* NodeResourcesFit: what a pod asks for must be free on its node: every resource, and one of the node's pods. */
#include "plugins/registry.h"
#include "plugins/resource_names.h"

enum { TOO_MANY_PODS = 1, INSUFFICIENT };

static const char *const phrases[] = {NULL, "Too many pods", "Insufficient %s"};

struct request {
    mu_sym resource;
    int64_t amount;
    bool extended;
};

struct prepared {
    mu_sym pods;
    uint32_t len;
    struct request requests[]; /* in the order in which a lack is named */
};

/* Of several that are lacking one is named: an extended resource first, since these are what such nodes are for, then
 * by name, so that nothing depends on how symbols are numbered. */
static bool named_before(const struct request *a, const struct request *b, const struct mu_symbols *symbols) {
    if (a->extended != b->extended)
        return a->extended;
    return mu_sym_cmp(symbols, a->resource, b->resource) < 0;
}

static struct mu_reach prepare(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared) {
    const struct mu_symbols *symbols = mu_fw_symbols(fw);
    struct prepared *p = mu_fw_alloc(fw, sizeof *p + cls->spec->requests_len * sizeof p->requests[0]);
    p->pods = mu_fw_intern(fw, MU_STR("pods"));
    for (uint32_t i = 0; i < cls->spec->requests_len; i++) {
        const struct mu_amount *asked = &cls->spec->requests[i];
        if (asked->amount <= 0)
            continue;
        struct request request = {
            .resource = asked->resource,
            .amount = asked->amount,
            .extended = mu_resource_is_extended(mu_text(symbols, asked->resource)) ||
                        mu_resource_is_class(mu_text(symbols, asked->resource)),
        };
        uint32_t at = p->len++;
        for (; at > 0 && named_before(&request, &p->requests[at - 1], symbols); at--)
            p->requests[at] = p->requests[at - 1];
        p->requests[at] = request;
    }
    *ret_prepared = p;
    return (struct mu_reach){.filter = MU_SCOPE_NODE};
}

/* A node that says nothing of `pods` does not limit them (one written by hand); upstream would take it for 0. */
static bool limits_pods(const struct mu_fw *fw, const struct prepared *p, uint32_t node) {
    if (mu_fw_allocatable(fw, node, p->pods) > 0)
        return true;
    uint32_t len = 0;
    const struct mu_amount *resources = mu_fw_node_resources(fw, node, &len);
    for (uint32_t i = 0; i < len; i++) {
        if (resources[i].resource == p->pods)
            return true;
    }
    return false;
}

/* Devices of a class serve the resource there: DynamicResources judges. */
static bool by_claim(const struct mu_fw *fw, const struct request *request, uint32_t node) {
    return request->extended && mu_fw_served_by_class(fw, request->resource, node);
}

static struct mu_verdict filter(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node) {
    const struct prepared *p = prepared;
    for (uint32_t i = 0; i < p->len; i++) {
        const struct request *request = &p->requests[i];
        if (mu_fw_free(fw, node, request->resource) < request->amount && !by_claim(fw, request, node))
            return (struct mu_verdict){.phrase = INSUFFICIENT, .subject = request->resource};
    }
    if (mu_fw_free(fw, node, p->pods) < 1 && limits_pods(fw, p, node))
        return (struct mu_verdict){.phrase = TOO_MANY_PODS};
    return (struct mu_verdict){.phrase = 0};
}

static int64_t fit(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node) {
    const struct prepared *p = prepared;
    int64_t fits = limits_pods(fw, p, node) ? mu_fw_free(fw, node, p->pods) : INT64_MAX;
    for (uint32_t i = 0; i < p->len; i++) {
        int64_t times = mu_fw_free(fw, node, p->requests[i].resource) / p->requests[i].amount;
        if (times < fits && !by_claim(fw, &p->requests[i], node))
            fits = times;
    }
    return fits > 0 ? fits : 0;
}

const struct mu_plugin mu_plugin_node_resources = {
    .abi = MU_PLUGIN_ABI,
    .name = "NodeResourcesFit",
    .summary = "what a pod asks for must be free on its node, and one more pod allowed there",
    .stage = MU_STAGE_RESOURCE,
    .phrases = phrases,
    .phrases_len = 3,
    .prepare = prepare,
    .filter = filter,
    .fit = fit,
    .events = MU_EVENT_NODE_ADDED | MU_EVENT_NODE_ALLOCATABLE | MU_EVENT_POD_REMOVED,
};
