/* Packing: which of the nodes that would do is taken.
 *
 * `strategy: BinPack` (the default) leaves whole nodes whole, so that a large gang finds them:
 * - A pod that asks for extended resources (devices) goes where least of them is left over afterwards; a node of which
 *   nothing is used yet is broken into only where no other takes the pod, or where the pod takes all of it.
 * - A pod that asks for none stays off nodes that have any, and there goes where most of cpu and memory is in use.
 * `strategy: Spread` is for those who would rather have load and faults spread: a pod with devices goes where most of
 * them is left over, one without where most of cpu and memory is; it, too, stays off nodes with devices.
 *
 * One plugin with a strategy, not two plugins: a profile then cannot have both, which would cancel out. */
#include "plugins/arguments.h"
#include "plugins/registry.h"
#include "plugins/resource_names.h"
#include "scheduler/base/checked.h"

enum strategy { BIN_PACK = 0, SPREAD };

struct settings {
    enum strategy strategy;
};

struct prepared {
    mu_sym cpu, memory;
    int64_t cpu_milli, memory_bytes; /* asked */
    uint32_t devices_len;
    struct mu_amount devices[]; /* the extended resources asked */
};

/* Bands of the score, so that no nuance of one rule outweighs the rule before it. */
#define BROKEN_INTO_MAX 40 /* a node untouched so far, not taken whole */
#define TAKEN_WHOLE 90
#define PARTLY_USED_MIN 45
#define NO_DEVICES_MIN 60 /* a node that has none, for a pod that asks for none; others are below */
#define USE_MAX (MU_SCORE_MAX - NO_DEVICES_MIN)

static int configure(struct mu_arena *arena, const struct mu_value *args, void **ret_state, struct mu_err *err) {
    static const char *const fields[] = {"strategy"};
    static const char *const words[] = {"BinPack", "Spread"};
    int r = mu_arguments_check(args, fields, 1, err);
    size_t word = BIN_PACK;
    if (r == 0)
        r = mu_arguments_word(args, fields[0], words, 2, &word, err);
    if (r != 0)
        return r;
    struct settings *settings = MU_NEW(arena, struct settings);
    settings->strategy = word == SPREAD ? SPREAD : BIN_PACK;
    *ret_state = settings;
    return 0;
}

static struct mu_reach prepare(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared) {
    const struct mu_pod_spec *spec = cls->spec;
    struct prepared *p = mu_fw_alloc(fw, sizeof *p + spec->requests_len * sizeof p->devices[0]);
    p->cpu = mu_fw_intern(fw, MU_STR("cpu"));
    p->memory = mu_fw_intern(fw, MU_STR("memory"));
    for (uint32_t i = 0; i < spec->requests_len; i++) {
        const struct mu_amount *asked = &spec->requests[i];
        if (asked->resource == p->cpu)
            p->cpu_milli = asked->amount;
        else if (asked->resource == p->memory)
            p->memory_bytes = asked->amount;
        else if (asked->amount > 0 && mu_resource_is_extended(mu_text(mu_fw_symbols(fw), asked->resource)))
            p->devices[p->devices_len++] = *asked;
    }
    *ret_prepared = p;
    return (struct mu_reach){.score = MU_SCOPE_NODE};
}

/* part of whole, on a scale from 0 to max. */
static int64_t share(int64_t part, int64_t whole, int64_t max) {
    if (part <= 0 || whole <= 0)
        return 0;
    return part >= whole ? max : (int64_t)((mu_i128)part * max / whole);
}

/* How good a node's amount of one device resource is for a pod that asks for some of it. */
static int64_t score_device(enum strategy strategy, int64_t total, int64_t available, int64_t asked) {
    int64_t left = mu_sat_sub(available, asked);
    if (strategy == SPREAD)
        return share(left, total, MU_SCORE_MAX);
    bool untouched = available >= total;
    if (untouched && left > 0)
        return share(mu_sat_sub(total, left), total, BROKEN_INTO_MAX);
    if (untouched)
        return TAKEN_WHOLE;
    return PARTLY_USED_MIN + share(mu_sat_sub(total, left), total, MU_SCORE_MAX - PARTLY_USED_MIN);
}

static bool has_devices(const struct mu_fw *fw, uint32_t node) {
    uint32_t len = 0;
    if (mu_fw_has_devices(fw, node))
        return true;
    const struct mu_amount *resources = mu_fw_node_resources(fw, node, &len);
    for (uint32_t i = 0; i < len; i++) {
        if (resources[i].amount > 0 && mu_resource_is_extended(mu_text(mu_fw_symbols(fw), resources[i].resource)))
            return true;
    }
    return false;
}

/* The share of a resource that is in use once the pod is there, or is not, whichever is wanted. */
static int64_t score_use(const struct mu_fw *fw, uint32_t node, enum strategy strategy, mu_sym resource,
                         int64_t asked) {
    int64_t total = mu_fw_allocatable(fw, node, resource);
    int64_t left = mu_sat_sub(mu_fw_free(fw, node, resource), asked);
    return share(strategy == SPREAD ? left : mu_sat_sub(total, left), total, USE_MAX);
}

static int64_t score(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node) {
    const struct settings *settings = state;
    const struct prepared *p = prepared;
    enum strategy strategy = settings != NULL ? settings->strategy : BIN_PACK;
    if (p->devices_len > 0) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < p->devices_len; i++)
            if (!mu_fw_served_by_class(fw, p->devices[i].resource, node)) /* what claims are for scores by itself */
                sum += score_device(strategy, mu_fw_allocatable(fw, node, p->devices[i].resource),
                                    mu_fw_free(fw, node, p->devices[i].resource), p->devices[i].amount);
        return sum / p->devices_len;
    }
    int64_t use =
        score_use(fw, node, strategy, p->cpu, p->cpu_milli) + score_use(fw, node, strategy, p->memory, p->memory_bytes);
    return (has_devices(fw, node) ? 0 : NO_DEVICES_MIN) + use / 2;
}

const struct mu_plugin mu_plugin_packing = {
    .abi = MU_PLUGIN_ABI,
    .name = "Packing",
    .summary = "packs devices so that whole nodes stay whole (strategy BinPack), or spreads load (strategy Spread)",
    .default_weight = 2,
    .configure = configure,
    .prepare = prepare,
    .score = score,
};
