/* Claims with slices: whatever is published and asked for, an attempt ends within its budget and leaves no trace, what is
 * found can be taken, and taking it back restores what was. */
#include "scheduler/devices/allocator.h"
#include "scheduler/objects/store.h"
#include "tests/fuzz/fuzz.h"

enum { STEPS = 20000, NODES_MAX = 4, CLAIMS_MAX = 4 };

struct input {
    struct mu_arena *arena;
    struct mu_str text;
};

static void attempt(struct mu_alloc *alloc, const struct mu_node *node, const struct mu_claim *const *claims,
                    uint32_t len, struct mu_arena *arena) {
    uint64_t before = mu_alloc_digest(alloc);
    struct mu_alloc_options options = {.steps = STEPS};
    struct mu_alloc_answer answer;
    mu_alloc_try_node(alloc, node, claims, len, &options, arena, &answer);
    MU_ASSERT(mu_alloc_digest(alloc) == before);
    MU_ASSERT(answer.steps <= STEPS + 1);
    MU_ASSERT((answer.outcome == MU_ALLOC_FAULT) == (answer.fault.kind != MU_ALLOC_FAULT_NONE));
    size_t mark = mu_alloc_mark(alloc);
    for (uint32_t c = 0; answer.outcome == MU_ALLOC_FOUND && c < len; c++) {
        MU_ASSERT(answer.claims[c].results_len <= 32);
        mu_alloc_hold(alloc, claims[c], 0, answer.claims[c].results, answer.claims[c].results_len);
    }
    mu_alloc_rollback(alloc, mark);
    MU_ASSERT(mu_alloc_digest(alloc) == before);
}

static void attempt_all(struct mu_alloc *alloc, const struct mu_store *store, struct mu_arena *arena) {
    const struct mu_claim *const *claims = (const struct mu_claim *const *)store->claims.items;
    uint32_t len = store->claims.len < CLAIMS_MAX ? (uint32_t)store->claims.len : CLAIMS_MAX;
    for (size_t n = 0; n < store->nodes.len && n < NODES_MAX; n++) {
        for (uint32_t c = 0; c < len; c++)
            attempt(alloc, store->nodes.items[n], &claims[c], 1, arena);
        attempt(alloc, store->nodes.items[n], claims, len, arena);
    }
}

static int run(void *ctx, struct mu_err *err) {
    struct input *input = ctx;
    struct mu_store *store = mu_store_create(input->arena);
    int code = mu_read_bytes(input->text, MU_STR("f.yaml"), mu_store_add, store, err);
    code = code != 0 ? code : mu_store_finish(store, err);
    if (code != 0)
        return code;
    struct mu_alloc_input published = {
        .symbols = &store->symbols,
        .slices = (const struct mu_slice *const *)store->slices.items,
        .classes = (const struct mu_device_class *const *)store->device_classes.items,
        .rules = (const struct mu_taint_rule *const *)store->taint_rules.items,
        .slices_len = (uint32_t)store->slices.len,
        .classes_len = (uint32_t)store->device_classes.len,
        .rules_len = (uint32_t)store->taint_rules.len,
        .features = MU_ALLOC_ALL_FEATURES,
        .one_card_one_driver = true,
    };
    struct mu_alloc *alloc;
    code = mu_alloc_create(input->arena, &published, &alloc, err);
    if (code != 0)
        return code;
    attempt_all(alloc, store, input->arena);
    for (size_t i = 0; i < store->claims.len; i++)
        mu_alloc_hold(alloc, store->claims.items[i], 0, store->claims.items[i]->results,
                      store->claims.items[i]->results_len);
    attempt_all(alloc, store, input->arena);
    uint32_t notes;
    mu_alloc_pool_notes(alloc, input->arena, &notes);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {mu_arena_create(0, NULL), {(const char *)data, size}};
    MU_ASSERT(input.arena != NULL);
    struct mu_err err = {0};
    int code = mu_arena_run(input.arena, run, &input, &err);
    MU_ASSERT(code == 0 || err.text[0] != '\0');
    mu_arena_destroy(input.arena);
    return 0;
}
