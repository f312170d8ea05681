/* What people should hear of cards that several drivers publish. */
#include "scheduler/devices/state.h"
#include <stdlib.h>

/* Drivers that share cards, by name, and how many cards these are. */
struct sharing {
    struct mu_str drivers; /* "a and b" */
    uint32_t cards;
};

static int str_cmp(const void *a, const void *b) {
    return mu_str_cmp(*(const struct mu_str *)a, *(const struct mu_str *)b);
}

/* The parts of a card stand side by side, from `first` on. */
static struct mu_str drivers_of(const struct mu_alloc *alloc, size_t first, size_t end, struct mu_arena *arena) {
    struct mu_str *names = MU_NEW_ARRAY(arena, struct mu_str, end - first);
    for (size_t i = first; i < end; i++)
        names[i - first] = mu_text(alloc->input.symbols, alloc->card_parts.items[i].driver);
    qsort(names, end - first, sizeof *names, str_cmp);
    struct mu_buf text;
    mu_buf_init(&text, arena);
    for (size_t i = 0; i < end - first; i++)
        mu_buf_printf(&text, "%s" MU_STR_FMT, i == 0 ? "" : i + 1 < end - first ? ", " : " and ", MU_STR_ARG(names[i]));
    return mu_buf_str(&text);
}

static int sharing_cmp(const void *a, const void *b) {
    return mu_str_cmp(((const struct sharing *)a)->drivers, ((const struct sharing *)b)->drivers);
}

const struct mu_str *mu_alloc_card_notes(const struct mu_alloc *alloc, struct mu_arena *arena, uint32_t *ret_len) {
    MU_VEC(struct sharing) found = {0};
    struct mu_map index;
    mu_map_init(&index, arena, 1);
    for (size_t first = 0, end; first < alloc->card_parts.len; first = end) {
        for (end = first + 1;
             end < alloc->card_parts.len && alloc->card_parts.items[end].card == alloc->card_parts.items[first].card;)
            end++;
        struct mu_str drivers = drivers_of(alloc, first, end, arena);
        uint32_t at;
        if (!mu_map_get(&index, drivers, &at)) {
            at = (uint32_t)found.len;
            mu_map_put(&index, drivers, at);
            MU_VEC_PUSH(arena, &found, (struct sharing){drivers, 0});
        }
        found.items[at].cards++;
    }
    if (found.len)
        qsort(found.items, found.len, sizeof *found.items, sharing_cmp);
    struct mu_str *notes = MU_NEW_ARRAY(arena, struct mu_str, found.len);
    for (size_t i = 0; i < found.len; i++)
        notes[i] = mu_str_printf(arena,
                                 "%u card%s published by drivers " MU_STR_FMT
                                 ": what one of them has given out, no other gives out (deviceIdentity)",
                                 found.items[i].cards, found.items[i].cards == 1 ? " is" : "s are",
                                 MU_STR_ARG(found.items[i].drivers));
    *ret_len = (uint32_t)found.len;
    return notes;
}
