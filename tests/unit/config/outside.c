/* A plugin from outside, for test_config.c: it scores nodes, and takes one argument. */
#include "scheduler/core/framework.h"

static int configure(struct mu_arena *arena, const struct mu_value *args, void **ret_state, struct mu_err *err) {
    const struct mu_value *like = mu_value_get(args, "like");
    if (args && !like)
        return mu_err_set(err, MU_E_USAGE, "args.like: is missing");
    *ret_state = MU_NEW(arena, int);
    return 0;
}

static int64_t score(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node) {
    return mu_fw_nodes(fw) > node ? MU_SCORE_MAX : 0;
}

static const struct mu_plugin plugin = {
    .abi = MU_PLUGIN_ABI,
    .name = "outside",
    .summary = "likes all nodes alike",
    .default_weight = 4,
    .configure = configure,
    .score = score,
};

MU_PLUGIN_EXPORT(plugin);
