/* What a pod asks of its node, as Kubernetes 1.37 computes it (component-helpers v0.37.2, resource/helpers.go,
 * PodRequests), with what the API server fills in for manifests (requests from limits).
 *
 * A pod at work takes the largest of three sums over its containers: what its spec asks for, what its node has
 * allocated, and what is in force; during a resize they differ. Where the resize was found infeasible the spec does not
 * count. All sums are exact (nano units in 128 bits, saturating) and are rounded once, at the end. */
#include "scheduler/objects/decode.h"
#include <stdlib.h>

/* A list of resources. Short, so it is searched from the front. */
struct sums {
    MU_VEC(struct sum) items;
    bool given; /* the list stands in the object, perhaps empty */
};

struct sum {
    mu_sym resource;
    mu_i128 nano;
};

static struct sum *find(const struct sums *sums, mu_sym resource) {
    for (size_t i = 0; i < sums->items.len; i++) {
        if (sums->items.items[i].resource == resource) {
            return &sums->items.items[i];
        }
    }
    return NULL;
}

static void add(struct mu_decode *d, struct sums *to, mu_sym resource, mu_i128 nano) {
    struct sum *sum = find(to, resource);
    if (sum != NULL) {
        sum->nano = mu_sat_add128(sum->nano, nano);
    } else {
        MU_VEC_PUSH(d->scratch, &to->items, (struct sum){resource, nano});
    }
}

static void add_all(struct mu_decode *d, struct sums *to, const struct sums *from) {
    for (size_t i = 0; i < from->items.len; i++) {
        add(d, to, from->items.items[i].resource, from->items.items[i].nano);
    }
}

static void max_all(struct mu_decode *d, struct sums *to, const struct sums *from) {
    for (size_t i = 0; i < from->items.len; i++) {
        const struct sum *other = &from->items.items[i];
        struct sum *sum = find(to, other->resource);
        if (sum == NULL) {
            MU_VEC_PUSH(d->scratch, &to->items, *other);
        } else if (other->nano > sum->nano) {
            sum->nano = other->nano;
        }
    }
}

/* Adds what is in the map `field`; resources that `but` lists are left out. */
static void read_into(struct mu_decode *d, const struct mu_at *at, const char *field, const struct sums *but,
                      struct sums *ret) {
    struct mu_at map = mu_at_object(d, at, field);
    ret->given = ret->given || map.value != NULL;
    for (size_t i = 0; i < mu_at_len(&map); i++) {
        struct mu_at item = mu_at_any_item(&map, i);
        struct mu_quantity q;
        if (mu_item_quantity(d, &item, &q)) {
            mu_sym resource = mu_decode_sym(d, item.key);
            if (but == NULL || find(but, resource) == NULL) {
                add(d, ret, resource, q.nano);
            }
        }
    }
}

static struct sums read_list(struct mu_decode *d, const struct mu_at *at, const char *field) {
    struct sums sums = {0};
    read_into(d, at, field, NULL, &sums);
    return sums;
}

/* ---- One container ---- */

enum view { VIEW_SPEC, VIEW_ALLOCATED, VIEW_ACTUAL };

/* The pod's objects that all sums are made of. */
struct pod_view {
    struct mu_at spec, status;
    struct mu_at statuses, init_statuses;
    bool infeasible; /* the resize that the spec asks for will not happen */
};

/* resources.requests, and resources.limits where a request is lacking. */
static struct sums spec_requests(struct mu_decode *d, const struct mu_at *container) {
    struct mu_at resources = mu_at_object(d, container, "resources");
    struct sums sums = read_list(d, &resources, "requests");
    struct sums limits = {0};
    read_into(d, &resources, "limits", &sums, &limits);
    add_all(d, &sums, &limits);
    return sums;
}

static struct mu_at find_status(struct mu_decode *d, const struct mu_at *list, struct mu_str name) {
    for (size_t i = 0; i < mu_at_len(list); i++) {
        struct mu_at item = mu_at_item(d, list, i, MU_VALUE_OBJECT);
        if (mu_str_eq(mu_field_str(d, &item, "name"), name)) {
            return item;
        }
    }
    return (struct mu_at){0};
}

static struct sums container_requests(struct mu_decode *d, const struct pod_view *pod, const struct mu_at *container,
                                      enum view view) {
    if (view == VIEW_SPEC) {
        return spec_requests(d, container);
    }
    struct mu_str name = mu_field_str(d, container, "name");
    struct mu_at status = find_status(d, &pod->statuses, name);
    if (status.value == NULL) {
        status = find_status(d, &pod->init_statuses, name);
    }
    if (view == VIEW_ACTUAL) {
        struct mu_at resources = mu_at_object(d, &status, "resources");
        struct sums actual = read_list(d, &resources, "requests");
        if (actual.given) {
            return actual;
        }
    }
    struct sums allocated = read_list(d, &status, "allocatedResources");
    if (allocated.given) {
        return allocated;
    }
    return pod->infeasible ? (struct sums){0} : spec_requests(d, container);
}

/* ---- All containers ---- */

/* Containers and sidecars together, or the largest start-up step with the sidecars that were started before it. */
static struct sums containers_sum(struct mu_decode *d, const struct pod_view *pod, enum view view) {
    struct sums result = {0}, sidecars = {0}, steps = {0};
    struct mu_at list = mu_at_array(d, &pod->spec, "containers");
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at container = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        struct sums asks = container_requests(d, pod, &container, view);
        add_all(d, &result, &asks);
    }
    list = mu_at_array(d, &pod->spec, "initContainers");
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at container = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        struct sums asks = container_requests(d, pod, &container, view);
        if (mu_is_sidecar(d, &container)) {
            add_all(d, &result, &asks);
            add_all(d, &sidecars, &asks);
            max_all(d, &steps, &sidecars);
        } else {
            add_all(d, &asks, &sidecars);
            max_all(d, &steps, &asks);
        }
    }
    max_all(d, &result, &steps);
    return result;
}

/* What claims take of cpu, memory and the like (status.nodeAllocatableResourceClaimStatuses). */
static void add_claimed(struct mu_decode *d, const struct mu_at *status, struct sums *to) {
    struct mu_at claims = mu_at_array(d, status, "nodeAllocatableResourceClaimStatuses");
    for (size_t i = 0; i < mu_at_len(&claims); i++) {
        struct mu_at claim = mu_at_item(d, &claims, i, MU_VALUE_OBJECT);
        struct mu_at containers = mu_at_array(d, &claim, "containers");
        struct mu_at mapping = mu_at_array(d, &claim, "mapping");
        for (size_t k = 0; k < mu_at_len(&mapping); k++) {
            struct mu_at item = mu_at_item(d, &mapping, k, MU_VALUE_OBJECT);
            struct mu_quantity q;
            if (mu_field_quantity(d, &item, "quantity", &q)) {
                add(d, to, mu_field_sym(d, &item, "name"), q.nano);
            }
        }
        struct mu_at overhead = mu_at_array(d, &claim, "overhead");
        for (size_t k = 0; k < mu_at_len(&overhead); k++) {
            struct mu_at item = mu_at_item(d, &overhead, k, MU_VALUE_OBJECT);
            mu_sym resource = mu_field_sym(d, &item, "name");
            struct mu_quantity q;
            if (mu_field_quantity(d, &item, "perPod", &q)) {
                add(d, to, resource, q.nano);
            }
            if (mu_field_quantity(d, &item, "perContainer", &q)) {
                add(d, to, resource, mu_sat_mul128(q.nano, (mu_i128)mu_at_len(&containers)));
            }
        }
    }
}

static bool resize_infeasible(struct mu_decode *d, const struct mu_at *status) {
    struct mu_at conditions = mu_at_array(d, status, "conditions");
    for (size_t i = 0; i < mu_at_len(&conditions); i++) {
        struct mu_at item = mu_at_item(d, &conditions, i, MU_VALUE_OBJECT);
        if (mu_str_eq(mu_field_str(d, &item, "type"), MU_STR("PodResizePending"))) {
            return mu_str_eq(mu_field_str(d, &item, "reason"), MU_STR("Infeasible"));
        }
    }
    return false;
}

static struct sums all_containers(struct mu_decode *d, const struct pod_view *pod) {
    struct sums spec = containers_sum(d, pod, VIEW_SPEC);
    add_claimed(d, &pod->status, &spec);
    if (mu_at_len(&pod->statuses) + mu_at_len(&pod->init_statuses) == 0 && !pod->infeasible) {
        return spec;
    }
    struct mu_at resources = mu_at_object(d, &pod->status, "resources");
    struct sums allocated = read_list(d, &pod->status, "allocatedResources");
    struct sums actual = read_list(d, &resources, "requests");
    if (!allocated.given || !actual.given) {
        allocated = containers_sum(d, pod, VIEW_ALLOCATED);
        add_claimed(d, &pod->status, &allocated);
        actual = containers_sum(d, pod, VIEW_ACTUAL);
    }
    max_all(d, &actual, &allocated);
    if (!pod->infeasible) {
        max_all(d, &actual, &spec);
    }
    return actual;
}

/* ---- The pod itself ---- */

static bool pod_level(const struct mu_decode *d, mu_sym resource) {
    struct mu_str name = mu_text(d->symbols, resource);
    return mu_str_eq(name, MU_STR("cpu")) || mu_str_eq(name, MU_STR("memory")) ||
           mu_str_starts(name, MU_STR("hugepages-"));
}

/* The same list without the resources that a pod as a whole cannot ask for. */
static struct sums pod_level_list(struct mu_decode *d, const struct mu_at *at, const char *field) {
    struct sums all = read_list(d, at, field);
    size_t kept = 0;
    for (size_t i = 0; i < all.items.len; i++) {
        if (pod_level(d, all.items.items[i].resource)) {
            all.items.items[kept++] = all.items.items[i];
        }
    }
    all.items.len = kept;
    return all;
}

/* spec.resources: what it requests stands for the containers' sum; what it only limits counts where no container
 * requests any. */
static void apply_pod_level(struct mu_decode *d, const struct pod_view *pod, struct sums *sums) {
    struct mu_at resources = mu_at_object(d, &pod->spec, "resources");
    struct sums requests = pod_level_list(d, &resources, "requests");
    struct sums limits = pod_level_list(d, &resources, "limits");
    for (size_t i = 0; i < limits.items.len; i++) {
        struct sum *limit = &limits.items.items[i];
        if (find(&requests, limit->resource) == NULL && find(sums, limit->resource) == NULL) {
            add(d, &requests, limit->resource, limit->nano);
        }
    }
    struct mu_at status = mu_at_object(d, &pod->status, "resources");
    if (requests.items.len > 0 && status.value != NULL) {
        struct sums in_force = pod_level_list(d, &status, "requests");
        struct sums allocated = pod_level_list(d, &pod->status, "allocatedResources");
        max_all(d, &in_force, &allocated);
        if (!pod->infeasible) {
            max_all(d, &in_force, &requests);
        }
        requests = in_force;
    }
    for (size_t i = 0; i < requests.items.len; i++) {
        struct sum *request = &requests.items.items[i];
        struct sum *sum = find(sums, request->resource);
        if (sum != NULL) {
            sum->nano = request->nano;
        } else {
            add(d, sums, request->resource, request->nano);
        }
    }
}

static int cmp_amounts(const void *a, const void *b) {
    mu_sym x = ((const struct mu_amount *)a)->resource, y = ((const struct mu_amount *)b)->resource;
    return x < y ? -1 : x > y;
}

static void keep(struct mu_decode *d, const struct sums *sums, struct mu_pod_spec *ret) {
    if (sums->items.len == 0) {
        return;
    }
    struct mu_amount *amounts = MU_NEW_ARRAY(d->arena, struct mu_amount, sums->items.len);
    uint32_t len = 0;
    for (size_t i = 0; i < sums->items.len; i++) {
        const struct sum *sum = &sums->items.items[i];
        int64_t amount = mu_amount_up(d, sum->resource, (struct mu_quantity){sum->nano, false});
        if (amount > 0) {
            amounts[len++] = (struct mu_amount){sum->resource, amount};
        }
    }
    qsort(amounts, len, sizeof *amounts, cmp_amounts);
    ret->requests = amounts;
    ret->requests_len = len;
}

void mu_decode_requests(struct mu_decode *d, const struct mu_at *root, struct mu_pod_spec *ret) {
    struct pod_view pod = {.spec = mu_at_object(d, root, "spec"), .status = mu_at_object(d, root, "status")};
    pod.statuses = mu_at_array(d, &pod.status, "containerStatuses");
    pod.init_statuses = mu_at_array(d, &pod.status, "initContainerStatuses");
    pod.infeasible = resize_infeasible(d, &pod.status);

    struct sums sums = all_containers(d, &pod);
    apply_pod_level(d, &pod, &sums);
    struct sums overhead = read_list(d, &pod.spec, "overhead");
    add_all(d, &sums, &overhead);
    keep(d, &sums, ret);
}
