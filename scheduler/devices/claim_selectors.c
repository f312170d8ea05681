/* Whether a claim's selectors are expressions at all. */
#include "scheduler/devices/selectors.h"

static struct mu_str text_of(const struct mu_alloc *alloc, mu_sym sym) {
    return mu_text(alloc->input.symbols, sym);
}

/* Selectors of a kind of the future are the attempt's to refuse. */
static struct mu_str list_fault(struct mu_alloc *alloc, const mu_sym *selectors, uint32_t len, const char *of,
                                mu_sym name) {
    for (uint32_t i = 0; i < len; i++) {
        struct mu_str why;
        if (selectors[i] && !mu_program_compiles(alloc, mu_program(alloc, selectors[i]), &why))
            return mu_str_printf(alloc->arena, "%s " MU_STR_FMT ": selector #%u does not compile: " MU_STR_FMT, of,
                                 MU_STR_ARG(text_of(alloc, name)), i, MU_STR_ARG(why));
    }
    return (struct mu_str){NULL, 0};
}

static struct mu_str ask_fault(struct mu_alloc *alloc, const struct mu_device_ask *ask) {
    uint32_t class;
    struct mu_str fault = list_fault(alloc, ask->selectors, ask->selectors_len, "request", ask->name);
    if (fault.len || !ask->class || !mu_map_get(&alloc->classes, text_of(alloc, ask->class), &class))
        return fault;
    const struct mu_device_class *found = alloc->input.classes[class];
    return list_fault(alloc, found->selectors, found->selectors_len, "class", found->meta.name);
}

struct mu_str mu_alloc_selectors_fault(struct mu_alloc *alloc, const struct mu_claim *claim) {
    for (uint32_t r = 0; r < claim->requests_len; r++) {
        const struct mu_device_request *request = &claim->requests[r];
        struct mu_str fault =
            request->alternatives_len ? (struct mu_str){NULL, 0} : ask_fault(alloc, &request->exactly);
        for (uint32_t a = 0; a < request->alternatives_len && !fault.len; a++)
            fault = ask_fault(alloc, &request->alternatives[a]);
        if (fault.len)
            return fault;
    }
    return (struct mu_str){NULL, 0};
}
