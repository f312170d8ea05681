/* Extended resources by container: what a claim for them must ask for, where a DeviceClass serves them (KEP-5004). */
#include "scheduler/objects/decode.h"
#include <stdlib.h>

/* A resource that a vendor made known, or that names a DeviceClass (upstream: IsDRAExtendedResourceName). */
static bool is_extended(struct mu_str name) {
    if (mu_str_starts(name, MU_STR("deviceclass.resource.kubernetes.io/"))) {
        return true;
    }
    return mu_str_index(name, '/') >= 0 && !mu_str_starts(name, MU_STR("requests.")) &&
           memmem(name.ptr, name.len, "kubernetes.io/", sizeof "kubernetes.io/" - 1) == NULL;
}

struct request {
    struct mu_str resource;
    struct mu_at item;
};

static int cmp_requests(const void *a, const void *b) {
    return mu_str_cmp(((const struct request *)a)->resource, ((const struct request *)b)->resource);
}

static bool has_request(const struct request *list, size_t len, struct mu_str resource) {
    for (size_t i = 0; i < len; i++) {
        if (mu_str_eq(list[i].resource, resource)) {
            return true;
        }
    }
    return false;
}

/* The container's requests in the order of their names; a limit stands for a request that is not given. */
static struct request *list_requests(struct mu_decode *d, const struct mu_at *container, size_t *ret_len) {
    struct mu_at resources = mu_at_object(d, container, "resources");
    struct mu_at requests = mu_at_object(d, &resources, "requests"), limits = mu_at_object(d, &resources, "limits");
    struct request *list = MU_NEW_ARRAY(d->scratch, struct request, mu_at_len(&requests) + mu_at_len(&limits));
    size_t len = 0;
    for (size_t i = 0; i < mu_at_len(&requests); i++) {
        struct mu_at item = mu_at_any_item(&requests, i);
        list[len++] = (struct request){item.key, item};
    }
    size_t requested = len;
    for (size_t i = 0; i < mu_at_len(&limits); i++) {
        struct mu_at item = mu_at_any_item(&limits, i);
        if (!has_request(list, requested, item.key)) {
            list[len++] = (struct request){item.key, item};
        }
    }
    if (len > 1) {
        qsort(list, len, sizeof *list, cmp_requests);
    }
    *ret_len = len;
    return list;
}

struct extended {
    struct mu_extended_request *items;
    size_t len, cap;
};

static void read_container(struct mu_decode *d, const struct mu_at *container, uint32_t number, bool start_up,
                           struct extended *to) {
    size_t len;
    const struct request *list = list_requests(d, container, &len);
    for (size_t i = 0; i < len; i++) {
        struct mu_quantity quantity;
        if (!is_extended(list[i].resource) || !mu_item_quantity(d, &list[i].item, &quantity)) {
            continue;
        }
        mu_sym resource = mu_decode_sym(d, list[i].resource);
        int64_t amount = mu_amount_up(d, resource, quantity);
        if (amount > 0) {
            MU_VEC_PUSH(d->arena, to, (struct mu_extended_request){resource, amount, number, (uint32_t)i, start_up});
        }
    }
}

void mu_decode_extended(struct mu_decode *d, const struct mu_at *spec, struct mu_pod_spec *ret) {
    struct mu_at lists[] = {mu_at_array(d, spec, "initContainers"), mu_at_array(d, spec, "containers")};
    struct extended all = {0};
    uint32_t number = 0;
    for (int init = 1; init >= 0; init--) {
        const struct mu_at *list = &lists[1 - init];
        for (size_t i = 0; i < mu_at_len(list); i++) {
            struct mu_at container = mu_at_item(d, list, i, MU_VALUE_OBJECT);
            read_container(d, &container, number++, init != 0 && !mu_is_sidecar(d, &container), &all);
        }
    }
    ret->extended = all.items;
    ret->extended_len = (uint32_t)all.len;
}
