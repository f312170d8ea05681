/* What devices take of the cpu, memory and the like of their node: nodeAllocatableResources of 1.37, and
 * nodeAllocatableResourceMappings of 1.36 (KEP-5517). */
#include "scheduler/core/devices_internal.h"

/* The consumed or whole amount of the capacity; 0 where the device has none of that name. */
static mu_i128 capacity_of(const struct mu_device *device, const struct mu_device_result *result, mu_sym key) {
    for (uint32_t i = 0; i < result->consumed_len; i++)
        if (result->consumed[i].name == key)
            return result->consumed[i].value.nano;
    for (uint32_t i = 0; i < device->capacity_len; i++)
        if (device->capacity[i].name == key)
            return device->capacity[i].value.nano;
    return 0;
}

/* A product of two quantities in nano units, as such. */
static mu_i128 times(mu_i128 a, mu_i128 b) {
    const mu_i128 unit = 1000000000;
    return mu_sat_add128(mu_sat_mul128(a / unit, b), mu_sat_mul128(a % unit, b) / unit);
}

/* In nano units. */
static mu_i128 taken(const struct mu_want *want, const struct mu_device *device, const struct mu_device_result *result,
                     const struct mu_device_node_resource *takes) {
    mu_i128 amount = 0;
    if (takes->per_device)
        amount = takes->multiplier.nano;
    else if (takes->capacity_key)
        amount = times(capacity_of(device, result, takes->capacity_key),
                       takes->has_multiplier ? takes->multiplier.nano : 1000000000);
    if (takes->has_per_pod)
        amount = mu_sat_add128(amount, mu_sat_mul128(takes->per_pod.nano, want->pods));
    if (takes->has_per_container)
        amount = mu_sat_add128(amount, mu_sat_mul128(takes->per_container.nano, want->containers));
    return amount;
}

/* In the unit in which the snapshot counts the resource, rounded up. */
static int64_t in_units(const struct mu_symbols *symbols, mu_sym resource, mu_i128 nano) {
    mu_i128 unit = mu_str_eq(mu_text(symbols, resource), MU_STR("cpu")) ? 1000000 : 1000000000;
    return mu_sat_i64(nano / unit + (nano % unit > 0));
}

void mu_devices_charge_node(struct mu_devices *d, const struct mu_want *want, int sign) {
    struct mu_snapshot *s = d->s;
    for (uint32_t i = 0; d->takes_of_nodes && want->granted && i < want->grant.results_len; i++) {
        const struct mu_device_result *result = &want->grant.results[i];
        const struct mu_device *device = result->admin_access ? NULL : mu_alloc_device(d->alloc, result);
        for (uint32_t k = 0; device && k < device->node_resources_len; k++) {
            const struct mu_device_node_resource *takes = &device->node_resources[k];
            uint32_t resource = mu_snapshot_resource(s, takes->resource);
            if (resource == MU_NO_SLOT)
                continue; /* no node has it: see below */
            int64_t amount = in_units(s->symbols, takes->resource, taken(want, device, result, takes));
            int64_t *free = &s->resources.items[resource]->free[want->slots[0]];
            *free +=
                sign * (amount < INT64_MAX / 4096 ? amount : INT64_MAX / 4096); /* no sum of a cluster's overflows */
        }
    }
}

/* How much the spec asks of a resource. */
static int64_t asked(struct mu_snapshot *s, const struct mu_pod_spec *spec, uint32_t resource) {
    const struct mu_needs *needs = mu_snapshot_needs(s, spec);
    for (uint32_t i = 0; i < needs->len; i++)
        if (needs->items[i].resource == resource)
            return needs->items[i].amount;
    return 0;
}

static bool want_fits(const struct mu_devices *d, const struct mu_want *want, const struct mu_pod_spec *spec,
                      int64_t more) {
    for (uint32_t i = 0; i < want->grant.results_len; i++) {
        const struct mu_device_result *result = &want->grant.results[i];
        const struct mu_device *device = result->admin_access ? NULL : mu_alloc_device(d->alloc, result);
        for (uint32_t k = 0; device && k < device->node_resources_len; k++) {
            const struct mu_device_node_resource *takes = &device->node_resources[k];
            uint32_t resource = mu_snapshot_resource(d->s, takes->resource);
            if (resource == MU_NO_SLOT) {
                if (taken(want, device, result, takes) > 0)
                    return false;
                continue;
            }
            mu_i128 left = d->s->resources.items[resource]->free[want->slots[0]];
            if (left - (mu_i128)more * asked(d->s, spec, resource) < 0)
                return false;
        }
    }
    return true;
}

bool mu_devices_node_holds(const struct mu_devices *d, uint32_t node, const struct mu_pod_spec *spec, int64_t more) {
    for (size_t w = d->settled; d->takes_of_nodes && w < d->wants.len; w++)
        if (d->wants.items[w].granted && d->wants.items[w].slots[0] == node &&
            !want_fits(d, &d->wants.items[w], spec, more))
            return false;
    return true;
}
