/* See class_match.h. */
#include "scheduler/devices/class_match.h"

#include "scheduler/devices/selectors.h"
#include "scheduler/devices/state.h"

static const struct mu_holding *find(const struct mu_alloc *alloc, mu_sym driver, mu_sym pool, mu_sym device) {
    const mu_sym key[3] = {driver, pool, device};
    uint32_t index;
    if (!mu_map_get(&alloc->holding_by_name, (struct mu_str){(const char *)key, sizeof key}, &index))
        return NULL;
    return &alloc->holdings.items[index];
}

static uint32_t newest_entry(const struct mu_alloc *alloc, const struct mu_holding *holding) {
    uint32_t entry = holding ? holding->first_entry : MU_NO_INDEX;
    while (entry != MU_NO_INDEX && !alloc->pools[alloc->slices[alloc->entries[entry].slice].pool].newest)
        entry = alloc->entries[entry].next_same;
    return entry;
}

enum mu_class_match mu_alloc_class_match(struct mu_alloc *alloc, const struct mu_device_class *class, mu_sym driver,
                                         mu_sym pool, mu_sym device, struct mu_str *ret_text) {
    uint32_t entry = newest_entry(alloc, find(alloc, driver, pool, device));
    if (entry == MU_NO_INDEX)
        return MU_CLASS_MATCH_NO;
    for (uint32_t i = 0; i < class->selectors_len; i++) {
        struct mu_str why = MU_STR("is no CEL");
        enum mu_selector_answer answer =
            class->selectors[i] ? mu_program_match(alloc, mu_program(alloc, class->selectors[i]), entry, &why)
                                : MU_SELECTOR_NOT_COMPILED;
        if (answer == MU_SELECTOR_YES)
            continue;
        if (answer == MU_SELECTOR_NO)
            return MU_CLASS_MATCH_NO;
        *ret_text = mu_str_printf(alloc->arena, "selector #%u %s" MU_STR_FMT, i,
                                  class->selectors[i] == 0             ? ""
                                  : answer == MU_SELECTOR_NOT_COMPILED ? "does not compile: "
                                                                       : "fails: ",
                                  MU_STR_ARG(why));
        return MU_CLASS_MATCH_FAILED;
    }
    return MU_CLASS_MATCH_YES;
}

uint32_t mu_alloc_card(const struct mu_alloc *alloc, mu_sym driver, mu_sym pool, mu_sym device) {
    const struct mu_holding *holding = find(alloc, driver, pool, device);
    if (!holding || holding->card_part == MU_NO_INDEX)
        return UINT32_MAX;
    return alloc->card_parts.items[holding->card_part].card;
}
