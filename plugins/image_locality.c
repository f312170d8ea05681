/* ImageLocality: better a node that has the pod's images already. */
#include "plugins/registry.h"
#include "scheduler/base/checked.h"

#define MIB ((int64_t)1 << 20)
/* Upstream's bounds: less than this is no gain, more than this for each container no further one. */
#define GAIN_MIN_BYTES (23 * MIB)
#define GAIN_MAX_BYTES (1000 * MIB)

/* One of the pod's distinct images. */
struct wanted {
    mu_sym name;
    int64_t times; /* containers that run it */
    int64_t nodes; /* nodes that have it */
};

struct prepared {
    int64_t nodes, containers;
    uint32_t len;
    struct wanted wanted[];
};

/* The image's size on the node; -1 where it is not there. */
static int64_t bytes_on(const struct mu_node *node, mu_sym image) {
    uint32_t low = 0, high = node->images_len;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (node->images[middle].name < image)
            low = middle + 1;
        else
            high = middle;
    }
    return low < node->images_len && node->images[low].name == image ? node->images[low].bytes : -1;
}

static void count_node(struct prepared *p, const struct mu_node *node) {
    p->nodes++;
    if (node->images_len == 0)
        return;
    for (uint32_t i = 0; i < p->len; i++)
        p->wanted[i].nodes += bytes_on(node, p->wanted[i].name) >= 0;
}

static void add_wanted(struct prepared *p, mu_sym image) {
    p->containers++;
    for (uint32_t i = 0; i < p->len; i++) {
        if (p->wanted[i].name == image) {
            p->wanted[i].times++;
            return;
        }
    }
    p->wanted[p->len++] = (struct wanted){.name = image, .times = 1};
}

static struct mu_reach prepare(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared) {
    struct prepared *p = mu_fw_alloc(fw, sizeof *p + cls->spec->images_len * sizeof p->wanted[0]);
    for (uint32_t i = 0; i < cls->spec->images_len; i++)
        add_wanted(p, cls->spec->images[i]);
    for (uint32_t node = 0; node < mu_fw_nodes(fw); node++) {
        if (mu_fw_node(fw, node) != NULL)
            count_node(p, mu_fw_node(fw, node));
    }
    *ret_prepared = p;
    for (uint32_t i = 0; i < p->len; i++) {
        if (p->wanted[i].nodes > 0)
            return (struct mu_reach){.score = MU_SCOPE_STATIC};
    }
    return (struct mu_reach){.score = MU_SCOPE_NONE};
}

/* Bytes that need no pulling, each image's by the share of nodes that have it: an image that few nodes have shall not
 * draw everything to these few (upstream: scaledImageScore). */
static int64_t score(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node) {
    const struct prepared *p = prepared;
    const struct mu_node *object = mu_fw_node(fw, node);
    int64_t there = 0;
    for (uint32_t i = 0; i < p->len; i++) {
        const struct wanted *wanted = &p->wanted[i];
        int64_t bytes = bytes_on(object, wanted->name);
        if (bytes < 0)
            continue;
        int64_t scaled = mu_sat_i64((mu_i128)bytes * wanted->nodes / p->nodes);
        there = mu_sat_add(there, mu_sat_mul(scaled, wanted->times));
    }
    int64_t most = mu_sat_mul(GAIN_MAX_BYTES, p->containers);
    there = there < GAIN_MIN_BYTES ? GAIN_MIN_BYTES : there > most ? most : there;
    return mu_sat_i64((mu_i128)MU_SCORE_MAX * (there - GAIN_MIN_BYTES) / (most - GAIN_MIN_BYTES));
}

const struct mu_plugin mu_plugin_image_locality = {
    .abi = MU_PLUGIN_ABI,
    .name = "ImageLocality",
    .summary = "prefers nodes that have the pod's images already",
    .default_weight = 1,
    .prepare = prepare,
    .score = score,
};
