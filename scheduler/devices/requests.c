/* What is asked: checked as upstream checks it before it searches, and laid out. */
#include "scheduler/devices/attempt.h"
#include "scheduler/devices/capacity.h"
#include "scheduler/devices/pools.h"
#include "scheduler/devices/selectors.h"
#include <stdarg.h>
#include <stdio.h>

/* ---- Faults ---- */

static struct mu_str text_of(const struct mu_attempt *a, mu_sym sym) {
    return mu_text(a->alloc->input.symbols, sym);
}

struct mu_str mu_device_path(const struct mu_attempt *a, uint32_t entry) {
    const struct mu_slice *slice = mu_entry_slice(a->alloc, entry);
    return mu_str_printf(a->arena, MU_STR_FMT "/" MU_STR_FMT "/" MU_STR_FMT, MU_STR_ARG(text_of(a, slice->driver)),
                         MU_STR_ARG(text_of(a, slice->pool)),
                         MU_STR_ARG(text_of(a, a->alloc->entries[entry].device->name)));
}

bool mu_fault(struct mu_attempt *a, enum mu_alloc_fault_kind kind, uint32_t claim, const struct mu_ask_work *ask,
              const char *format, ...) {
    if (a->fault->kind != MU_ALLOC_FAULT_NONE)
        return false;
    char text[512]; /* sentences are cut there, as errors are */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct mu_buf buf;
    mu_buf_init(&buf, a->arena);
    if (claim != MU_NO_INDEX)
        mu_buf_printf(&buf, "claim " MU_STR_FMT, MU_STR_ARG(text_of(a, a->claims[claim].claim->meta.name)));
    if (ask != NULL)
        mu_buf_printf(&buf, ", request " MU_STR_FMT, MU_STR_ARG(text_of(a, ask->full_name)));
    mu_buf_printf(&buf, "%s%s", buf.len > 0 ? ": " : "", text);
    a->fault->kind = kind;
    a->fault->claim = claim;
    a->fault->request = ask != NULL ? ask->ask->name : 0;
    a->fault->text = mu_buf_str(&buf);
    return false;
}

static void fault_device(struct mu_attempt *a, uint32_t entry) {
    const struct mu_slice *slice = mu_entry_slice(a->alloc, entry);
    a->fault->driver = slice->driver;
    a->fault->pool = slice->pool;
    a->fault->device = a->alloc->entries[entry].device->name;
    a->fault->this_node = true;
}

/* ---- Can it be selected ---- */

static int selector_fault(struct mu_attempt *a, uint32_t claim, const struct mu_ask_work *ask, uint32_t index,
                          uint32_t entry, bool compiled, struct mu_str why) {
    bool of_class = index < ask->class->selectors_len;
    uint32_t number = of_class ? index : index - ask->class->selectors_len;
    struct mu_str path = mu_device_path(a, entry);
    const char *class = of_class ? "class " : "";
    struct mu_str name = of_class ? text_of(a, ask->class->meta.name) : (struct mu_str){NULL, 0};
    if (!compiled)
        mu_fault(a, MU_ALLOC_FAULT_CEL_COMPILE, claim, ask,
                 "%s" MU_STR_FMT "%sselector #%u does not compile: " MU_STR_FMT, class, MU_STR_ARG(name),
                 of_class ? ": " : "", number, MU_STR_ARG(why));
    else
        mu_fault(a, MU_ALLOC_FAULT_CEL_RUNTIME, claim, ask,
                 "%s" MU_STR_FMT "%sselector #%u fails for device " MU_STR_FMT ": " MU_STR_FMT, class, MU_STR_ARG(name),
                 of_class ? ": " : "", number, MU_STR_ARG(path), MU_STR_ARG(why));
    a->fault->class = of_class ? ask->class->meta.name : 0;
    a->fault->index = number;
    fault_device(a, entry);
    return -1;
}

int mu_selectable(struct mu_attempt *a, uint32_t claim, const struct mu_ask_work *ask, uint32_t entry) {
    const struct mu_device *device = a->alloc->entries[entry].device;
    if (!mu_alloc_has(a->alloc, MU_ALLOC_BINDING_CONDITIONS) && device->binding_conditions_len > 0)
        return 0;
    for (uint32_t i = 0; i < ask->programs_len; i++) {
        struct mu_str why;
        enum mu_selector_answer answer = mu_program_match(a->alloc, ask->programs[i], entry, &why);
        if (answer == MU_SELECTOR_NO)
            return 0;
        if (answer != MU_SELECTOR_YES)
            return selector_fault(a, claim, ask, i, entry, answer == MU_SELECTOR_FAILED, why);
    }
    const struct mu_slice *slice = mu_entry_slice(a->alloc, entry);
    return !slice->per_device || mu_reach_matches(a->alloc, &device->reach, a->claims[claim].seat->nodes[0]);
}

int mu_capacity_fits(struct mu_attempt *a, uint32_t claim, const struct mu_ask_work *ask, uint32_t entry, bool now) {
    const struct mu_entry *e = &a->alloc->entries[entry];
    struct mu_capacity_query query = {
        .symbols = a->alloc->input.symbols,
        .driver = mu_entry_slice(a->alloc, entry)->driver,
        .device = e->device,
        .ask = ask->ask,
        .holding = now && !ask->ask->admin_access ? &a->alloc->holdings.items[e->holding] : NULL,
        .fractional = mu_alloc_has(a->alloc, MU_ALLOC_FRACTIONAL_RANGE),
    };
    char why[256];
    enum mu_capacity_fit fit = mu_capacity_ask(&query, a->amounts, why, sizeof why);
    if (fit != MU_CAPACITY_WRONG)
        return fit == MU_CAPACITY_FITS;
    struct mu_str path = mu_device_path(a, entry);
    mu_fault(a, MU_ALLOC_FAULT_CAPACITY, claim, ask, "device " MU_STR_FMT ": %s", MU_STR_ARG(path), why);
    fault_device(a, entry);
    return -1;
}

/* ---- All devices ---- */

static bool pool_fault(struct mu_attempt *a, uint32_t claim, const struct mu_ask_work *ask,
                       const struct mu_view_pool *view) {
    const struct mu_pool *pool = &a->alloc->pools[view->pool];
    bool updating = view->state == MU_VIEW_INCOMPLETE;
    mu_fault(a, updating ? MU_ALLOC_FAULT_POOL_UPDATING : MU_ALLOC_FAULT_POOL_INVALID, claim, ask,
             "asks for all devices, but pool " MU_STR_FMT "/" MU_STR_FMT " is %s", MU_STR_ARG(text_of(a, pool->driver)),
             MU_STR_ARG(text_of(a, pool->name)), updating ? "being updated" : "invalid");
    a->fault->driver = pool->driver;
    a->fault->pool = pool->name;
    a->fault->this_node = true;
    return false;
}

typedef MU_VEC(uint32_t) entries;

static bool add_all_of_slice(struct mu_attempt *a, uint32_t claim, const struct mu_ask_work *ask, uint32_t slice,
                             entries *found) {
    const struct mu_pool_slice *s = &a->alloc->slices[slice];
    for (uint32_t i = 0; i < s->slice->devices_len; i++) {
        int ok = mu_selectable(a, claim, ask, s->first_entry + i);
        if (ok > 0 && mu_alloc_has(a->alloc, MU_ALLOC_CONSUMABLE_CAPACITY))
            ok = mu_capacity_fits(a, claim, ask, s->first_entry + i, false);
        if (ok < 0)
            return false;
        if (ok > 0)
            MU_VEC_PUSH(a->scratch, found, s->first_entry + i);
    }
    return true;
}

/* "All" is all that the node has, free or not: those that could serve the request if nobody held them. Where a pool is
 * incomplete, nobody knows how much that is. */
static bool find_all(struct mu_attempt *a, uint32_t claim, struct mu_ask_work *ask) {
    entries found = {0};
    const struct mu_view *of_node = a->claims[claim].seat->view;
    for (uint32_t p = 0; p < of_node->pools_len; p++) {
        const struct mu_view_pool *view = &of_node->pools[p];
        if (view->state != MU_VIEW_USABLE)
            return pool_fault(a, claim, ask, view);
        for (uint32_t s = 0; s < view->slices_len; s++)
            if (!add_all_of_slice(a, claim, ask, view->slices[s], &found))
                return false;
    }
    ask->all = found.items;
    ask->devices = (int64_t)found.len;
    return true;
}

/* ---- One request ---- */

static bool find_programs(struct mu_attempt *a, uint32_t claim, struct mu_ask_work *ask) {
    const struct mu_device_class *class = ask->class;
    uint32_t *programs = MU_NEW_ARRAY(a->scratch, uint32_t, class->selectors_len + ask->ask->selectors_len);
    for (uint32_t i = 0; i < class->selectors_len; i++) {
        if (class->selectors[i] == 0) {
            mu_fault(a, MU_ALLOC_FAULT_SELECTOR_KIND, claim, ask, "class " MU_STR_FMT ": selector #%u is no CEL",
                     MU_STR_ARG(text_of(a, class->meta.name)), i);
            a->fault->class = class->meta.name;
            a->fault->index = i;
            return false;
        }
        programs[ask->programs_len++] = mu_program(a->alloc, class->selectors[i]);
    }
    for (uint32_t i = 0; i < ask->ask->selectors_len; i++)
        programs[ask->programs_len++] = mu_program(a->alloc, ask->ask->selectors[i]);
    ask->programs = programs;
    return true;
}

static bool find_class(struct mu_attempt *a, uint32_t claim, struct mu_ask_work *ask) {
    if (ask->ask->class == 0)
        return mu_fault(a, MU_ALLOC_FAULT_NO_CLASS_NAME, claim, ask, "names no device class");
    struct mu_str name = text_of(a, ask->ask->class);
    uint32_t index;
    if (!mu_map_get(&a->alloc->classes, name, &index)) {
        mu_fault(a, MU_ALLOC_FAULT_CLASS_MISSING, claim, ask, "there is no device class " MU_STR_FMT, MU_STR_ARG(name));
        a->fault->class = ask->ask->class;
        return false;
    }
    ask->class = a->alloc->input.classes[index];
    return true;
}

static bool lay_out_ask(struct mu_attempt *a, uint32_t claim, struct mu_ask_work *ask) {
    for (uint32_t i = 0; i < ask->ask->selectors_len; i++) {
        if (ask->ask->selectors[i] == 0) {
            mu_fault(a, MU_ALLOC_FAULT_SELECTOR_KIND, claim, ask, "selector #%u is no CEL", i);
            a->fault->index = i;
            return false;
        }
    }
    if (ask->ask->has_admin_access && !mu_alloc_has(a->alloc, MU_ALLOC_ADMIN_ACCESS))
        return mu_fault(a, MU_ALLOC_FAULT_FEATURE, claim, ask, "asks for admin access, which is turned off");
    if (!find_class(a, claim, ask) || !find_programs(a, claim, ask))
        return false;
    ask->known = MU_NEW_ARRAY(a->scratch, uint8_t, a->claims[claim].seat->candidates_len);
    ask->devices = ask->ask->count;
    if (ask->ask->mode == MU_DEVICES_OTHER)
        return mu_fault(a, MU_ALLOC_FAULT_MODE, claim, ask, "unknown allocation mode " MU_STR_FMT,
                        MU_STR_ARG(text_of(a, ask->ask->mode_text)));
    return ask->ask->mode != MU_DEVICES_ALL || find_all(a, claim, ask);
}

static mu_sym full_name(struct mu_attempt *a, mu_sym request, mu_sym alternative) {
    struct mu_str name = mu_str_printf(a->scratch, MU_STR_FMT "/" MU_STR_FMT, MU_STR_ARG(text_of(a, request)),
                                       MU_STR_ARG(text_of(a, alternative)));
    return mu_intern(a->alloc->input.symbols, name);
}

static void add_asks(struct mu_attempt *a, const struct mu_device_request *request) {
    struct mu_request_work work = {.first_ask = (uint32_t)a->asks.len,
                                   .asks_len = request->alternatives_len,
                                   .alternatives = request->alternatives_len > 0};
    for (uint32_t i = 0; i < request->alternatives_len; i++) {
        struct mu_ask_work ask = {.ask = &request->alternatives[i], .request = request->name};
        ask.full_name = full_name(a, request->name, ask.ask->name);
        MU_VEC_PUSH(a->scratch, &a->asks, ask);
    }
    if (!work.alternatives) {
        struct mu_ask_work ask = {.ask = &request->exactly, .request = request->name, .full_name = request->name};
        MU_VEC_PUSH(a->scratch, &a->asks, ask);
        work.asks_len = 1;
    }
    MU_VEC_PUSH(a->scratch, &a->requests, work);
}

static bool check_features(struct mu_attempt *a, uint32_t claim, const struct mu_request_work *request) {
    struct mu_ask_work *asks = &a->asks.items[request->first_ask];
    if (request->alternatives && !mu_alloc_has(a->alloc, MU_ALLOC_PRIORITIZED_LIST)) {
        struct mu_device_ask named = {.name = asks->request};
        struct mu_ask_work whole = {.ask = &named, .full_name = asks->request};
        return mu_fault(a, MU_ALLOC_FAULT_FEATURE, claim, &whole, "has alternatives, which are turned off");
    }
    for (uint32_t i = 0; i < request->asks_len; i++)
        if (asks[i].ask->has_capacity && !mu_alloc_has(a->alloc, MU_ALLOC_CONSUMABLE_CAPACITY))
            return mu_fault(a, MU_ALLOC_FAULT_FEATURE, claim, &asks[i], "asks for capacity, which is turned off");
    return true;
}

/* The fewest devices that the request can do with are added to those that the claim needs so far. */
static bool count_request(struct mu_attempt *a, uint32_t claim, const struct mu_request_work *request,
                          int64_t *needed) {
    struct mu_ask_work *asks = &a->asks.items[request->first_ask];
    int64_t fewest = INT64_MAX;
    for (uint32_t i = 0; i < request->asks_len; i++)
        fewest = asks[i].devices < fewest ? asks[i].devices : fewest;
    if (fewest > MU_LIMIT_CLAIM_DEVICES - *needed) {
        struct mu_device_ask named = {.name = asks->request};
        struct mu_ask_work whole = {.ask = &named, .full_name = asks->request};
        return mu_fault(a, MU_ALLOC_FAULT_TOO_MANY, claim, &whole,
                        "%lld more devices are more than the %d that a claim may have, with %lld asked for before",
                        (long long)fewest, MU_LIMIT_CLAIM_DEVICES, (long long)*needed);
    }
    *needed += fewest;
    return true;
}

/* ---- Claims ---- */

static bool lay_out_constraints(struct mu_attempt *a, uint32_t claim) {
    struct mu_claim_work *work = &a->claims[claim];
    uint32_t len = work->claim->constraints_len;
    struct mu_limit_on *limits = MU_NEW_ARRAY(a->scratch, struct mu_limit_on, len);
    for (uint32_t i = 0; i < len; i++) {
        if (work->claim->constraints[i].kind == MU_DEVICE_CONSTRAINT_OTHER) {
            mu_fault(a, MU_ALLOC_FAULT_CONSTRAINT_KIND, claim, NULL, "constraint #%u is of an unknown kind", i);
            a->fault->index = i;
            return false;
        }
        mu_constraint_prepare(a->alloc, &work->claim->constraints[i], &limits[i]);
    }
    work->limits = limits;
    a->limits_max = len > a->limits_max ? len : a->limits_max;
    return true;
}

static bool lay_out_claim(struct mu_attempt *a, uint32_t claim) {
    struct mu_claim_work *work = &a->claims[claim];
    int64_t needed = 0;
    work->first_request = (uint32_t)a->requests.len;
    work->requests_len = work->claim->requests_len;
    for (uint32_t r = 0; r < work->requests_len; r++) {
        add_asks(a, &work->claim->requests[r]);
        const struct mu_request_work *request = &a->requests.items[a->requests.len - 1];
        if (!check_features(a, claim, request))
            return false;
        for (uint32_t i = 0; i < request->asks_len; i++)
            if (!lay_out_ask(a, claim, &a->asks.items[request->first_ask + i]))
                return false;
        if (!count_request(a, claim, request, &needed))
            return false;
    }
    return lay_out_constraints(a, claim);
}

bool mu_requests_lay_out(struct mu_attempt *a) {
    for (uint32_t i = 0; i < a->claims_len; i++)
        if (!lay_out_claim(a, i))
            return false;
    return true;
}
