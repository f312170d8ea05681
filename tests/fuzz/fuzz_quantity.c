/* Quantities: what is read is printed, and read back the same; whole units stand in order. */
#include "scheduler/objects/quantity.h"
#include "tests/fuzz/fuzz.h"

static void check_printed(struct mu_arena *arena, struct mu_quantity q, bool binary) {
    struct mu_quantity back;
    struct mu_str text = mu_quantity_print(arena, q, binary);
    MU_ASSERT(mu_quantity_parse(text, &back));
    MU_ASSERT(back.nano == q.nano);
}

/* A minus before a number turns it round, and so does the rounding. */
static void check_negative(struct mu_arena *arena, struct mu_str text, struct mu_quantity q) {
    if (text.ptr[0] == '-' || text.ptr[0] == '+')
        return;
    struct mu_quantity minus;
    MU_ASSERT(mu_quantity_parse(mu_str_printf(arena, "-" MU_STR_FMT, MU_STR_ARG(text)), &minus));
    MU_ASSERT(q.nano == MU_I128_MAX || minus.nano == -q.nano);
    MU_ASSERT(mu_quantity_units_up(minus) >= mu_quantity_units_down(minus));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct mu_str text = {(const char *)data, size};
    struct mu_quantity q;
    if (!mu_quantity_parse(text, &q))
        return 0;
    struct mu_arena *arena = mu_arena_create(0, NULL);
    MU_ASSERT(arena != NULL);
    check_printed(arena, q, false);
    check_printed(arena, q, true);
    check_negative(arena, text, q);
    int64_t up = mu_quantity_units_up(q), down = mu_quantity_units_down(q);
    MU_ASSERT(up == down || up == down + 1);
    MU_ASSERT(mu_quantity_milli_up(q) >= mu_quantity_milli_down(q));
    MU_ASSERT(!q.saturated || up == INT64_MAX || down == INT64_MIN);
    mu_arena_destroy(arena);
    return 0;
}
