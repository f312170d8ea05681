/* Nodes that hold more than they have, and pods on nodes that are not there; see audit.h. */
#include "scheduler/cli/audit.h"

#include "scheduler/base/checked.h"
#include "scheduler/objects/quantity.h"
#include <inttypes.h>
#include <stdlib.h>

/* What the pods of one node ask for, by resource; the arrays serve one node after the other. */
struct usage {
    int64_t *total; /* by symbol */
    MU_VEC(mu_sym) touched;
    uint32_t pods;
};

static void add(struct mu_arena *arena, struct usage *usage, mu_sym resource, int64_t amount) {
    if (amount <= 0)
        return;
    if (usage->total[resource] == 0)
        MU_VEC_PUSH(arena, &usage->touched, resource);
    usage->total[resource] = mu_sat_add(usage->total[resource], amount);
}

static bool holds_room(const struct mu_pod *pod) {
    return pod->node && pod->phase != MU_PHASE_SUCCEEDED && pod->phase != MU_PHASE_FAILED;
}

static int64_t allocatable(const struct mu_node *node, mu_sym resource, bool *ret_listed) {
    for (uint32_t i = 0; i < node->allocatable_len; i++)
        if (node->allocatable[i].resource == resource) {
            *ret_listed = true;
            return node->allocatable[i].amount;
        }
    *ret_listed = false;
    return 0;
}

/* Devices that DRA serves under the name of a resource are counted in claims, and the node does not list them. */
static bool by_claim(const struct mu_audit *audit, const struct mu_pod *pod, const struct mu_node *node,
                     mu_sym resource) {
    struct mu_str name = mu_text(&audit->store->symbols, resource);
    bool listed;
    allocatable(node, resource, &listed);
    return mu_str_starts(name, MU_STR("deviceclass.resource.kubernetes.io/")) || (pod->extended_claim && !listed);
}

static struct mu_str show(const struct mu_audit *audit, mu_sym resource, int64_t amount) {
    struct mu_str name = mu_text(&audit->store->symbols, resource);
    bool cpu = mu_str_eq(name, MU_STR("cpu"));
    bool bytes = mu_str_eq(name, MU_STR("memory")) || mu_str_eq(name, MU_STR("ephemeral-storage")) ||
                 mu_str_starts(name, MU_STR("hugepages-"));
    const mu_i128 nano_each = cpu ? 1000000 : 1000000000;
    return mu_quantity_print(audit->arena, (struct mu_quantity){.nano = amount * nano_each}, bytes);
}

static int by_text(const void *a, const void *b, void *ctx) {
    return mu_sym_cmp(ctx, *(const mu_sym *)a, *(const mu_sym *)b);
}

static void judge_node(struct mu_audit *audit, const struct mu_node *node, struct usage *usage) {
    struct mu_buf text;
    mu_buf_init(&text, audit->arena);
    if (usage->touched.len > 0)
        qsort_r(usage->touched.items, usage->touched.len, sizeof(mu_sym), by_text,
                (void *)(uintptr_t)&audit->store->symbols);
    for (size_t i = 0; i < usage->touched.len; i++) {
        mu_sym resource = usage->touched.items[i];
        bool listed;
        int64_t used = usage->total[resource], has = allocatable(node, resource, &listed);
        if (used > has)
            mu_buf_printf(&text, "%s" MU_STR_FMT ": " MU_STR_FMT " asked, " MU_STR_FMT " allocatable",
                          text.len ? "; " : "", MU_STR_ARG(mu_text(&audit->store->symbols, resource)),
                          MU_STR_ARG(show(audit, resource, used)), MU_STR_ARG(show(audit, resource, has)));
    }
    if (text.len == 0)
        return;
    mu_buf_printf(&text, " (%" PRIu32 " pod%s)", usage->pods, usage->pods == 1 ? "" : "s");
    struct mu_finding *finding = mu_audit_find(audit, MU_FINDING_NODE_OVERCOMMITTED);
    mu_audit_involve(audit, finding, "Node", &node->meta);
    finding->message = mu_buf_str(&text);
}

/* Pods by node: those of node i are items[first[i]] to items[first[i + 1]]. */
struct by_node {
    const struct mu_pod **items;
    uint32_t *first;
};

static struct by_node sort_by_node(struct mu_audit *audit, const struct mu_map *nodes) {
    const struct mu_store *store = audit->store;
    struct by_node sorted = {
        .items = MU_NEW_ARRAY(audit->arena, const struct mu_pod *, store->pods.len),
        .first = MU_NEW_ARRAY(audit->arena, uint32_t, store->nodes.len + 2),
    };
    /* Counts go two places up, so that filling in moves each start to where it belongs. */
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < store->pods.len; i++) {
            const struct mu_pod *pod = store->pods.items[i];
            uint32_t node;
            if (!holds_room(pod) || !mu_map_get(nodes, mu_text(&store->symbols, pod->node), &node))
                continue;
            if (pass == 0)
                sorted.first[node + 2]++;
            else
                sorted.items[sorted.first[node + 1]++] = pod;
        }
        for (size_t n = 0; pass == 0 && n < store->nodes.len; n++)
            sorted.first[n + 2] += sorted.first[n + 1];
    }
    return sorted;
}

static void find_overcommitted(struct mu_audit *audit, const struct mu_map *nodes) {
    const struct mu_store *store = audit->store;
    const struct by_node sorted = sort_by_node(audit, nodes);
    mu_sym pods = mu_symbol_find(&store->symbols, MU_STR("pods"));
    struct usage usage = {.total = MU_NEW_ARRAY(audit->arena, int64_t, store->symbols.len)};
    for (size_t n = 0; n < store->nodes.len; n++) {
        const struct mu_node *node = store->nodes.items[n];
        usage.pods = sorted.first[n + 1] - sorted.first[n];
        for (uint32_t i = sorted.first[n]; i < sorted.first[n + 1]; i++) {
            const struct mu_pod *pod = sorted.items[i];
            for (uint32_t r = 0; r < pod->spec->requests_len; r++)
                if (!by_claim(audit, pod, node, pod->spec->requests[r].resource))
                    add(audit->arena, &usage, pod->spec->requests[r].resource, pod->spec->requests[r].amount);
        }
        /* No node of the input says how many pods it takes where the word is unknown. */
        if (pods)
            add(audit->arena, &usage, pods, usage.pods);
        if (node->meta.invalid.len == 0)
            judge_node(audit, node, &usage);
        for (size_t i = 0; i < usage.touched.len; i++)
            usage.total[usage.touched.items[i]] = 0;
        usage.touched.len = 0;
    }
}

static void find_lost_pods(struct mu_audit *audit, const struct mu_map *nodes) {
    const struct mu_store *store = audit->store;
    for (size_t i = 0; i < store->pods.len; i++) {
        const struct mu_pod *pod = store->pods.items[i];
        if (!holds_room(pod) || mu_map_get(nodes, mu_text(&store->symbols, pod->node), NULL))
            continue;
        struct mu_finding *finding = mu_audit_find(audit, MU_FINDING_NODE_NOT_FOUND);
        mu_audit_involve(audit, finding, "Pod", &pod->meta);
        finding->message = mu_str_printf(audit->arena, "bound to node " MU_STR_FMT ", which does not exist",
                                         MU_STR_ARG(mu_text(&store->symbols, pod->node)));
    }
}

void mu_audit_nodes(struct mu_audit *audit) {
    const struct mu_store *store = audit->store;
    if (store->nodes.len == 0) {
        MU_VEC_PUSH(audit->arena, &audit->unchecked,
                    MU_STR("there are no Nodes in the input: what pods take of them was not checked"));
        return;
    }
    struct mu_map nodes;
    mu_map_init(&nodes, audit->arena, 0);
    for (size_t n = 0; n < store->nodes.len; n++)
        mu_map_put(&nodes, mu_text(&store->symbols, store->nodes.items[n]->meta.name), (uint32_t)n);
    find_overcommitted(audit, &nodes);
    find_lost_pods(audit, &nodes);
}
