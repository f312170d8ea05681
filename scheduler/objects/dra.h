/* Devices: ResourceClaims and their templates, ResourceSlices, DeviceClasses and DeviceTaintRules (resource.k8s.io v1,
 * v1beta2, v1beta1, v1alpha3).
 *
 * The versions differ in form only: v1beta1 puts a device's content into `basic` and a request's beside its name. All
 * are read into the form of v1. What allocation must judge by itself and Kubernetes' API server would refuse (a request
 * without a class, an allocation mode of the future) is kept as it was written; numbers past the API's limits make the
 * object invalid. Names of attributes, capacities and counters are kept as written, with or without a domain. */
#ifndef MU_OBJECTS_DRA_H
#define MU_OBJECTS_DRA_H

#include "scheduler/objects/meta.h"
#include "scheduler/objects/quantity.h"

struct mu_node_term;

/* ------------------------------------------------------------------ what a claim was given */

/* An amount of a capacity or counter. */
struct mu_named_quantity {
    mu_sym name;
    struct mu_quantity value;
};

enum mu_device_effect {
    MU_DEVICE_EFFECT_ANY = 0, /* not given; in a toleration: every effect */
    MU_DEVICE_EFFECT_NONE,
    MU_DEVICE_EFFECT_NO_SCHEDULE,
    MU_DEVICE_EFFECT_NO_EXECUTE,
    MU_DEVICE_EFFECT_OTHER /* one of the future: keeps nobody away and is tolerated by no named effect */
};

enum mu_device_tolerate { MU_DEVICE_TOLERATE_EQUAL = 0, MU_DEVICE_TOLERATE_EXISTS, MU_DEVICE_TOLERATE_OTHER };

struct mu_device_toleration {
    mu_sym key; /* 0: every key */
    mu_sym value;
    enum mu_device_tolerate op;
    enum mu_device_effect effect;
    int64_t seconds; /* tolerationSeconds; -1: none */
};

/* One device that a claim was given: status.allocation.devices.results[]. */
struct mu_device_result {
    mu_sym request, driver, pool, device; /* request: "REQUEST", or "REQUEST/ALTERNATIVE" */
    mu_sym share_id;                      /* 0: the whole device (or a share that is not written yet, see `shared`) */
    bool admin_access;
    bool shared;                              /* a share of it; share_id may still have to be made up */
    const struct mu_named_quantity *consumed; /* consumedCapacity; names as in the slice */
    const struct mu_device_toleration *tolerations;
    const mu_sym *binding_conditions, *binding_failure_conditions;
    const mu_sym *skip_node_operations;
    uint32_t consumed_len, tolerations_len, binding_conditions_len, binding_failure_conditions_len;
    uint32_t skip_node_operations_len;
};

/* Configuration for a driver, of a claim, a class or an allocation. */
struct mu_device_config {
    mu_sym source;          /* "FromClass", "FromClaim" of an allocation; else 0 */
    const mu_sym *requests; /* none: all */
    uint32_t requests_len;
    mu_sym driver;            /* opaque.driver; 0: no known kind of configuration */
    struct mu_str parameters; /* opaque.parameters as JSON; muster only carries it */
};

struct mu_consumer {
    mu_sym resource; /* "pods", "podgroups" */
    mu_sym name, uid;
};

/* ------------------------------------------------------------------ what a claim asks for */

enum mu_device_mode { MU_DEVICES_EXACT = 0, MU_DEVICES_ALL, MU_DEVICES_OTHER };

/* A derived attribute: what an expression makes of a device, for the constraints of the claim. */
struct mu_derived_attribute {
    mu_sym name, expression;
};

/* What one request, or one of its alternatives, asks for. */
struct mu_device_ask {
    mu_sym name;             /* the request's or the alternative's own */
    mu_sym class;            /* 0: none given, which allocation refuses */
    const mu_sym *selectors; /* CEL expressions; 0: a kind of selector of the future */
    enum mu_device_mode mode;
    mu_sym mode_text; /* of MU_DEVICES_OTHER */
    int64_t count;    /* of MU_DEVICES_EXACT; 1 where none is given */
    bool admin_access, has_admin_access;
    bool has_capacity; /* `capacity` is there, perhaps empty */
    const struct mu_device_toleration *tolerations;
    const struct mu_named_quantity *capacity; /* capacity.requests */
    const struct mu_derived_attribute *derived;
    uint32_t selectors_len, tolerations_len, capacity_len, derived_len;
};

struct mu_device_request {
    mu_sym name;
    struct mu_device_ask exactly;             /* where there are no alternatives */
    const struct mu_device_ask *alternatives; /* firstAvailable, the most wanted first */
    uint32_t alternatives_len;
};

enum mu_device_constraint_kind { MU_DEVICE_CONSTRAINT_OTHER = 0, MU_DEVICE_MATCH, MU_DEVICE_DISTINCT };

struct mu_device_constraint {
    enum mu_device_constraint_kind kind;
    mu_sym attribute;
    const mu_sym *requests; /* "REQUEST" or "REQUEST/ALTERNATIVE"; none: all */
    uint32_t requests_len;
};

struct mu_claim {
    struct mu_meta meta;
    uint32_t spec_id; /* equal for claims of one store with equal specs; 0: not known, until the store is finished */
    bool allocated;
    const struct mu_device_result *results;
    const struct mu_consumer *reserved_for;
    uint32_t results_len, reserved_for_len;
    /* spec.devices */
    const struct mu_device_request *requests;
    const struct mu_device_constraint *constraints;
    const struct mu_device_config *configs;
    uint32_t requests_len, constraints_len, configs_len;
    /* status.allocation */
    const struct mu_device_config *allocation_configs;
    const struct mu_node_term *node_terms; /* nodeSelector: alternatives */
    uint32_t allocation_configs_len, node_terms_len;
    bool has_node_selector; /* none: its devices can be reached from everywhere */
    int64_t allocated_ns;   /* allocationTimestamp; MU_TIME_NONE */
};

/* ------------------------------------------------------------------ what drivers publish */

enum mu_attribute_type {
    MU_ATTRIBUTE_OTHER = 0, /* no value of a known type */
    MU_ATTRIBUTE_BOOL,
    MU_ATTRIBUTE_INT,
    MU_ATTRIBUTE_STRING,
    MU_ATTRIBUTE_VERSION,
    MU_ATTRIBUTE_BOOLS, /* lists: in the order of the above */
    MU_ATTRIBUTE_INTS,
    MU_ATTRIBUTE_STRINGS,
    MU_ATTRIBUTE_VERSIONS
};

struct mu_device_attribute {
    mu_sym name; /* as written, with or without domain */
    mu_sym text; /* of STRING and VERSION; 0 for every other type */
    enum mu_attribute_type type;
    uint32_t len; /* of a list */
    union {
        bool boolean;
        int64_t number;
        const bool *booleans;
        const int64_t *numbers;
        const mu_sym *texts;
    };
};

/* How requests of a capacity are rounded: requestPolicy. */
struct mu_capacity_policy {
    bool has_default, has_range, has_min, has_max, has_step;
    struct mu_quantity fallback; /* `default`: for those who ask for no amount */
    struct mu_quantity min, max, step;
    const struct mu_quantity *values; /* validValues, ascending */
    uint32_t values_len;
};

struct mu_device_capacity {
    mu_sym name;
    struct mu_quantity value;
    const struct mu_capacity_policy *policy; /* NULL: none */
};

/* A set of counters that devices of the pool share. */
struct mu_counter_set {
    mu_sym name;
    const struct mu_named_quantity *counters;
    uint32_t counters_len;
};

/* What a device takes of a counter set. */
struct mu_counter_use {
    mu_sym set;
    const struct mu_named_quantity *counters;
    const mu_sym *groups; /* compatibilityGroups */
    uint32_t counters_len, groups_len;
};

struct mu_device_taint {
    mu_sym key, value;
    enum mu_device_effect effect;
    int64_t added_ns; /* MU_TIME_NONE */
};

/* Where a slice or device can be used: at most one of these. */
struct mu_reach_of_device {
    mu_sym node;
    bool all_nodes;
    bool has_selector;
    const struct mu_node_term *terms; /* alternatives */
    uint32_t terms_len;
};

/* What a device takes of the node itself: nodeAllocatableResources (1.37), nodeAllocatableResourceMappings (1.36). */
struct mu_device_node_resource {
    mu_sym resource;
    mu_sym capacity_key; /* amount = consumed capacity of this key times `multiplier`; 0: see per_device */
    bool has_multiplier, per_device, has_per_pod, has_per_container;
    struct mu_quantity multiplier;             /* of per_device: the amount of one device */
    struct mu_quantity per_pod, per_container; /* overhead */
};

struct mu_device {
    mu_sym name;
    const struct mu_device_attribute *attributes;
    uint32_t attributes_len;
    bool shared; /* allowMultipleAllocations */
    bool binds_to_node;
    const struct mu_device_capacity *capacity;
    const struct mu_counter_use *uses; /* consumesCounters */
    const struct mu_device_taint *taints;
    struct mu_reach_of_device reach; /* where the slice says perDeviceNodeSelection */
    const mu_sym *binding_conditions, *binding_failure_conditions;
    const struct mu_device_node_resource *node_resources;
    uint32_t capacity_len, uses_len, taints_len, binding_conditions_len, binding_failure_conditions_len;
    uint32_t node_resources_len;
};

struct mu_slice {
    struct mu_meta meta;
    mu_sym driver, pool, node; /* node: reach.node */
    int64_t generation, slice_count;
    const struct mu_device *devices;
    uint32_t devices_len;
    bool per_device; /* perDeviceNodeSelection */
    struct mu_reach_of_device reach;
    const struct mu_counter_set *counter_sets; /* sharedCounters */
    const mu_sym *skip_node_operations;
    mu_sym partition_type; /* partitionTypeAttribute */
    uint32_t counter_sets_len, skip_node_operations_len;
};

struct mu_device_class {
    struct mu_meta meta;
    mu_sym extended_resource; /* spec.extendedResourceName */
    const mu_sym *selectors;  /* CEL expressions; 0: a kind of selector of the future */
    const struct mu_device_config *configs;
    uint32_t selectors_len, configs_len;
};

/* A taint for the devices that it names. Without a selector it is for none, with an empty one for all. */
struct mu_taint_rule {
    struct mu_meta meta;
    bool has_selector;
    mu_sym driver, pool, device; /* 0: every one */
    struct mu_device_taint taint;
};

#endif
