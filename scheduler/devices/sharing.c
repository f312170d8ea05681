/* Who shares cards with whom. A rule of either side counts. */
#include "scheduler/devices/sharing.h"
#include "scheduler/devices/attempt.h"

static enum mu_sharing_with rule_of(const struct mu_alloc *alloc, mu_sym class) {
    struct mu_str name = mu_text(alloc->input.symbols, class);
    for (uint32_t i = 0; i < alloc->input.sharing_len; i++)
        if (mu_str_eq(alloc->input.sharing[i].class_name, name))
            return alloc->input.sharing[i].with;
    return MU_SHARING_ANY;
}

struct mu_sharer mu_sharer(const struct mu_alloc *alloc, const struct mu_claim *claim, mu_sym queue, mu_sym class) {
    if (alloc->input.sharing_len == 0)
        return (struct mu_sharer){.with = MU_SHARING_ANY};
    return (struct mu_sharer){claim->meta.namespace, queue, rule_of(alloc, class)};
}

/* "REQUEST/ALTERNATIVE" */
static bool is_alternative(const struct mu_alloc *alloc, const struct mu_device_request *request,
                           const struct mu_device_ask *alternative, struct mu_str name) {
    struct mu_str first = mu_text(alloc->input.symbols, request->name);
    struct mu_str second = mu_text(alloc->input.symbols, alternative->name);
    return name.len == first.len + 1 + second.len && mu_str_starts(name, first) && name.ptr[first.len] == '/' &&
           mu_str_eq(mu_str_slice(name, first.len + 1, name.len), second);
}

/* The class through which the claim was given the result; 0: its spec does not say. */
static mu_sym class_of(const struct mu_alloc *alloc, const struct mu_claim *claim,
                       const struct mu_device_result *result) {
    for (uint32_t r = 0; r < claim->requests_len; r++) {
        const struct mu_device_request *request = &claim->requests[r];
        if (request->alternatives_len == 0 && request->name == result->request)
            return request->exactly.class;
        for (uint32_t i = 0; i < request->alternatives_len; i++)
            if (is_alternative(alloc, request, &request->alternatives[i],
                               mu_text(alloc->input.symbols, result->request)))
                return request->alternatives[i].class;
    }
    return 0;
}

struct mu_sharer mu_sharer_of_result(const struct mu_alloc *alloc, const struct mu_claim *claim, mu_sym queue,
                                     const struct mu_device_result *result) {
    mu_sym class = alloc->input.sharing_len > 0 ? class_of(alloc, claim, result) : 0;
    return mu_sharer(alloc, claim, queue, class);
}

void mu_sharers_add(struct mu_alloc *alloc, uint32_t holding, struct mu_sharer sharer) {
    struct mu_holding *held = &alloc->holdings.items[holding];
    if (alloc->input.sharing_len > 0)
        MU_VEC_PUSH(alloc->arena, &held->sharers, sharer);
}

static bool same(const struct mu_sharer *x, const struct mu_sharer *y) {
    return x->namespace == y->namespace && x->queue == y->queue && x->with == y->with;
}

void mu_sharers_remove(struct mu_alloc *alloc, uint32_t holding, struct mu_sharer sharer) {
    struct mu_holding *held = &alloc->holdings.items[holding];
    for (size_t i = held->sharers.len; i-- > 0;)
        if (same(&held->sharers.items[i], &sharer)) {
            held->sharers.items[i] = held->sharers.items[--held->sharers.len];
            return;
        }
}

/* A queue that is not known is nobody else's. */
static bool agrees(enum mu_sharing_with with, const struct mu_sharer *x, const struct mu_sharer *y) {
    switch (with) {
    case MU_SHARING_QUEUE:
        return x->queue != 0 && x->queue == y->queue;
    case MU_SHARING_NAMESPACE:
        return x->namespace == y->namespace;
    case MU_SHARING_ANY:
        break;
    }
    return true;
}

bool mu_sharing_allows(const struct mu_attempt *a, uint32_t claim, const struct mu_device_ask *ask, uint32_t entry) {
    const struct mu_holding *held = &a->alloc->holdings.items[a->alloc->entries[entry].holding];
    if (a->alloc->input.sharing_len == 0)
        return true;
    struct mu_sharer own = mu_sharer(a->alloc, a->claims[claim].claim, a->claims[claim].queue, ask->class);
    for (size_t i = 0; i < held->sharers.len; i++)
        if (!agrees(own.with, &own, &held->sharers.items[i]) ||
            !agrees(held->sharers.items[i].with, &own, &held->sharers.items[i]))
            return false;
    return true;
}
