#include "tests/unit/devices/world.h"
#include <stdio.h>

struct world world_with(const char *yaml, unsigned features, bool one_card_one_driver) {
    struct world world = {.loaded = load_ok(yaml)};
    struct mu_store *store = world.loaded.store;
    struct mu_alloc_input input = {
        .symbols = &store->symbols,
        .slices = (const struct mu_slice *const *)store->slices.items,
        .classes = (const struct mu_device_class *const *)store->device_classes.items,
        .rules = (const struct mu_taint_rule *const *)store->taint_rules.items,
        .slices_len = (uint32_t)store->slices.len,
        .classes_len = (uint32_t)store->device_classes.len,
        .rules_len = (uint32_t)store->taint_rules.len,
        .features = features,
        .one_card_one_driver = one_card_one_driver,
    };
    struct mu_err err = {0};
    ck_assert_int_eq(mu_alloc_create(world.loaded.arena, &input, &world.alloc, &err), 0);
    for (size_t i = 0; i < store->claims.len; i++)
        mu_alloc_hold(world.alloc, store->claims.items[i], 0, store->claims.items[i]->results,
                      store->claims.items[i]->results_len);
    return world;
}

struct world world_of(const char *yaml) {
    return world_with(yaml, MU_ALLOC_ALL_FEATURES, true);
}

void world_close(struct world *world) {
    unload(&world->loaded);
}

const struct mu_claim *claim_named(const struct world *world, const char *name) {
    mu_sym sym = sym_of(&world->loaded, name);
    for (size_t i = 0; i < world->loaded.store->claims.len; i++)
        if (world->loaded.store->claims.items[i]->meta.name == sym)
            return world->loaded.store->claims.items[i];
    ck_abort_msg("no claim %s", name);
    return NULL;
}

static const struct mu_node *node_named(const struct world *world, const char *name) {
    mu_sym sym = sym_of(&world->loaded, name);
    for (size_t i = 0; i < world->loaded.store->nodes.len; i++)
        if (world->loaded.store->nodes.items[i]->meta.name == sym)
            return world->loaded.store->nodes.items[i];
    ck_abort_msg("no node %s", name);
    return NULL;
}

/* ---- Answers as text ---- */

static void add_result(const struct world *world, const struct mu_device_result *result, struct mu_buf *buf) {
    mu_buf_printf(buf, "%s=%s/%s", text_of(&world->loaded, result->request), text_of(&world->loaded, result->pool),
                  text_of(&world->loaded, result->device));
    for (uint32_t i = 0; i < result->consumed_len; i++) {
        struct mu_str amount = mu_quantity_print(world->loaded.arena, result->consumed[i].value, true);
        mu_buf_printf(buf, "(%s " MU_STR_FMT ")", text_of(&world->loaded, result->consumed[i].name),
                      MU_STR_ARG(amount));
    }
}

static const char *answer_text(const struct world *world, const struct mu_claim *const *claims, uint32_t len) {
    struct mu_buf buf;
    mu_buf_init(&buf, world->loaded.arena);
    if (world->answer.outcome == MU_ALLOC_NONE)
        return "none";
    if (world->answer.outcome == MU_ALLOC_OUT_OF_STEPS)
        return "out of steps";
    if (world->answer.outcome == MU_ALLOC_FAULT)
        mu_buf_printf(&buf, "fault: " MU_STR_FMT, MU_STR_ARG(world->answer.fault.text));
    for (uint32_t c = 0; world->answer.outcome == MU_ALLOC_FOUND && c < len; c++) {
        mu_buf_printf(&buf, "%s%s:", c > 0 ? " " : "", text_of(&world->loaded, claims[c]->meta.name));
        for (uint32_t i = 0; i < world->answer.claims[c].results_len; i++) {
            mu_buf_add(&buf, i > 0 ? MU_STR(",") : MU_STR(""));
            add_result(world, &world->answer.claims[c].results[i], &buf);
        }
    }
    return buf.len > 0 ? buf.ptr : "";
}

const char *try_with(struct world *world, const char *node, const char *names, const struct mu_alloc_options *options) {
    const struct mu_claim *claims[8];
    uint32_t len = 0;
    for (const char *at = names; *at != '\0';) {
        size_t n = strcspn(at, " ");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        ck_assert_uint_lt(len, 8);
        claims[len++] = claim_named(world, name);
        at += n + (at[n] == ' ');
    }
    memcpy(world->claims, claims, sizeof claims);
    uint64_t before = mu_alloc_digest(world->alloc);
    mu_alloc_try_node(world->alloc, node_named(world, node), claims, len, options, world->loaded.arena, &world->answer);
    ck_assert_uint_eq(mu_alloc_digest(world->alloc), before);
    return answer_text(world, claims, len);
}

const char *try_claims(struct world *world, const char *node, const char *claims) {
    return try_with(world, node, claims, NULL);
}

const char *take_claims(struct world *world, const char *node, const char *claims) {
    const char *text = try_claims(world, node, claims);
    uint32_t len = 0;
    for (const char *at = claims; world->answer.outcome == MU_ALLOC_FOUND && *at != '\0'; len++) {
        mu_alloc_hold(world->alloc, world->claims[len], 0, world->answer.claims[len].results,
                      world->answer.claims[len].results_len);
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    return text;
}
