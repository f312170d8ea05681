/* Canonical forms of claims, slices, classes and taint rules. */
#include "scheduler/objects/canon.h"

/* ---- Pieces ---- */

static void put_quantity(struct mu_canon *c, struct mu_quantity q) {
    mu_canon_int(c, (int64_t)(q.nano >> 64));
    mu_canon_int(c, (int64_t)(uint64_t)q.nano);
}

static void put_plain_quantity(struct mu_canon *c, const void *item) {
    put_quantity(c, *(const struct mu_quantity *)item);
}

static void put_named_quantity(struct mu_canon *c, const void *item) {
    const struct mu_named_quantity *named = item;
    mu_canon_sym(c, named->name);
    put_quantity(c, named->value);
}

static void put_named_quantities(struct mu_canon *c, const struct mu_named_quantity *items, size_t len) {
    mu_canon_set(c, items, len, sizeof *items, put_named_quantity);
}

static void put_toleration(struct mu_canon *c, const void *item) {
    const struct mu_device_toleration *toleration = item;
    mu_canon_sym(c, toleration->key);
    mu_canon_sym(c, toleration->value);
    mu_canon_int(c, (int64_t)toleration->op);
    mu_canon_int(c, (int64_t)toleration->effect);
    mu_canon_int(c, toleration->seconds);
}

static void put_text(struct mu_canon *c, struct mu_str text) {
    mu_canon_int(c, (int64_t)text.len);
    mu_buf_add(&c->buf, text);
}

static void put_config(struct mu_canon *c, const void *item) {
    const struct mu_device_config *config = item;
    mu_canon_sym(c, config->source);
    mu_canon_syms(c, config->requests, config->requests_len);
    mu_canon_sym(c, config->driver);
    put_text(c, config->parameters);
}

static void put_taint(struct mu_canon *c, const void *item) {
    const struct mu_device_taint *taint = item;
    mu_canon_sym(c, taint->key);
    mu_canon_sym(c, taint->value);
    mu_canon_int(c, (int64_t)taint->effect);
    mu_canon_int(c, taint->added_ns);
}

/* ---- Claims ---- */

static void put_result(struct mu_canon *c, const void *item) {
    const struct mu_device_result *result = item;
    mu_canon_sym(c, result->request);
    mu_canon_sym(c, result->driver);
    mu_canon_sym(c, result->pool);
    mu_canon_sym(c, result->device);
    mu_canon_sym(c, result->share_id);
    mu_canon_int(c, result->admin_access);
    put_named_quantities(c, result->consumed, result->consumed_len);
    mu_canon_list(c, result->tolerations, result->tolerations_len, sizeof *result->tolerations, put_toleration);
    mu_canon_syms(c, result->binding_conditions, result->binding_conditions_len);
    mu_canon_syms(c, result->binding_failure_conditions, result->binding_failure_conditions_len);
    mu_canon_syms(c, result->skip_node_operations, result->skip_node_operations_len);
}

static void put_consumer(struct mu_canon *c, const void *item) {
    const struct mu_consumer *consumer = item;
    mu_canon_sym(c, consumer->resource);
    mu_canon_sym(c, consumer->name);
    mu_canon_sym(c, consumer->uid);
}

static void put_derived(struct mu_canon *c, const void *item) {
    const struct mu_derived_attribute *derived = item;
    mu_canon_sym(c, derived->name);
    mu_canon_sym(c, derived->expression);
}

static void put_ask(struct mu_canon *c, const void *item) {
    const struct mu_device_ask *ask = item;
    mu_canon_sym(c, ask->name);
    mu_canon_sym(c, ask->class);
    mu_canon_syms(c, ask->selectors, ask->selectors_len);
    mu_canon_int(c, (int64_t)ask->mode);
    mu_canon_sym(c, ask->mode == MU_DEVICES_OTHER ? ask->mode_text : 0);
    mu_canon_int(c, ask->count);
    mu_canon_int(c, ask->admin_access);
    mu_canon_int(c, ask->has_admin_access);
    mu_canon_int(c, ask->has_capacity);
    mu_canon_list(c, ask->tolerations, ask->tolerations_len, sizeof *ask->tolerations, put_toleration);
    put_named_quantities(c, ask->capacity, ask->capacity_len);
    mu_canon_list(c, ask->derived, ask->derived_len, sizeof *ask->derived, put_derived);
}

static void put_request(struct mu_canon *c, const void *item) {
    const struct mu_device_request *request = item;
    mu_canon_sym(c, request->name);
    if (request->alternatives_len == 0) {
        put_ask(c, &request->exactly);
    }
    mu_canon_list(c, request->alternatives, request->alternatives_len, sizeof *request->alternatives, put_ask);
}

static void put_constraint(struct mu_canon *c, const void *item) {
    const struct mu_device_constraint *constraint = item;
    mu_canon_int(c, (int64_t)constraint->kind);
    mu_canon_sym(c, constraint->attribute);
    mu_canon_syms(c, constraint->requests, constraint->requests_len);
}

void mu_canon_claim_spec(struct mu_canon *c, const struct mu_claim *claim) {
    mu_canon_list(c, claim->requests, claim->requests_len, sizeof *claim->requests, put_request);
    mu_canon_list(c, claim->constraints, claim->constraints_len, sizeof *claim->constraints, put_constraint);
    mu_canon_list(c, claim->configs, claim->configs_len, sizeof *claim->configs, put_config);
}

void mu_canon_claim(struct mu_canon *c, const void *object) {
    const struct mu_claim *claim = object;
    mu_canon_meta(c, &claim->meta);
    mu_canon_int(c, claim->allocated);
    mu_canon_list(c, claim->results, claim->results_len, sizeof *claim->results, put_result);
    mu_canon_list(c, claim->reserved_for, claim->reserved_for_len, sizeof *claim->reserved_for, put_consumer);
    mu_canon_claim_spec(c, claim);
    mu_canon_list(c, claim->allocation_configs, claim->allocation_configs_len, sizeof *claim->allocation_configs,
                  put_config);
    mu_canon_int(c, claim->has_node_selector);
    mu_canon_node_terms(c, claim->node_terms, claim->node_terms_len);
    mu_canon_int(c, claim->allocated_ns);
}

/* ---- Slices ---- */

static void put_number(struct mu_canon *c, const void *item) {
    mu_canon_int(c, *(const int64_t *)item);
}

static void put_boolean(struct mu_canon *c, const void *item) {
    mu_canon_int(c, *(const bool *)item);
}

static void put_attribute(struct mu_canon *c, const void *item) {
    const struct mu_device_attribute *attribute = item;
    mu_canon_sym(c, attribute->name);
    mu_canon_sym(c, attribute->text);
    mu_canon_int(c, (int64_t)attribute->type);
    switch (attribute->type) {
    case MU_ATTRIBUTE_BOOL:
        mu_canon_int(c, attribute->boolean);
        break;
    case MU_ATTRIBUTE_INT:
        mu_canon_int(c, attribute->number);
        break;
    case MU_ATTRIBUTE_BOOLS:
        mu_canon_list(c, attribute->booleans, attribute->len, sizeof *attribute->booleans, put_boolean);
        break;
    case MU_ATTRIBUTE_INTS:
        mu_canon_list(c, attribute->numbers, attribute->len, sizeof *attribute->numbers, put_number);
        break;
    case MU_ATTRIBUTE_STRINGS:
    case MU_ATTRIBUTE_VERSIONS:
        mu_canon_syms(c, attribute->texts, attribute->len);
        break;
    case MU_ATTRIBUTE_OTHER:
    case MU_ATTRIBUTE_STRING:
    case MU_ATTRIBUTE_VERSION:
        break;
    }
}

static void put_policy(struct mu_canon *c, const struct mu_capacity_policy *policy) {
    mu_canon_int(c, policy != NULL);
    if (policy == NULL) {
        return;
    }
    mu_canon_int(c, policy->has_default);
    put_quantity(c, policy->fallback);
    mu_canon_int(c, policy->has_range);
    mu_canon_int(c, policy->has_min);
    put_quantity(c, policy->min);
    mu_canon_int(c, policy->has_max);
    put_quantity(c, policy->max);
    mu_canon_int(c, policy->has_step);
    put_quantity(c, policy->step);
    mu_canon_list(c, policy->values, policy->values_len, sizeof *policy->values, put_plain_quantity);
}

static void put_capacity(struct mu_canon *c, const void *item) {
    const struct mu_device_capacity *capacity = item;
    mu_canon_sym(c, capacity->name);
    put_quantity(c, capacity->value);
    put_policy(c, capacity->policy);
}

static void put_use(struct mu_canon *c, const void *item) {
    const struct mu_counter_use *use = item;
    mu_canon_sym(c, use->set);
    put_named_quantities(c, use->counters, use->counters_len);
    mu_canon_syms(c, use->groups, use->groups_len);
}

static void put_reach(struct mu_canon *c, const struct mu_reach_of_device *reach) {
    mu_canon_sym(c, reach->node);
    mu_canon_int(c, reach->all_nodes);
    mu_canon_int(c, reach->has_selector);
    mu_canon_node_terms(c, reach->terms, reach->terms_len);
}

static void put_node_resource(struct mu_canon *c, const void *item) {
    const struct mu_device_node_resource *resource = item;
    mu_canon_sym(c, resource->resource);
    mu_canon_sym(c, resource->capacity_key);
    mu_canon_int(c, resource->has_multiplier);
    mu_canon_int(c, resource->per_device);
    put_quantity(c, resource->multiplier);
    mu_canon_int(c, resource->has_per_pod);
    put_quantity(c, resource->per_pod);
    mu_canon_int(c, resource->has_per_container);
    put_quantity(c, resource->per_container);
}

static void put_device(struct mu_canon *c, const void *item) {
    const struct mu_device *device = item;
    mu_canon_sym(c, device->name);
    mu_canon_set(c, device->attributes, device->attributes_len, sizeof *device->attributes, put_attribute);
    mu_canon_int(c, device->shared);
    mu_canon_int(c, device->binds_to_node);
    mu_canon_set(c, device->capacity, device->capacity_len, sizeof *device->capacity, put_capacity);
    mu_canon_list(c, device->uses, device->uses_len, sizeof *device->uses, put_use);
    mu_canon_list(c, device->taints, device->taints_len, sizeof *device->taints, put_taint);
    put_reach(c, &device->reach);
    mu_canon_syms(c, device->binding_conditions, device->binding_conditions_len);
    mu_canon_syms(c, device->binding_failure_conditions, device->binding_failure_conditions_len);
    mu_canon_set(c, device->node_resources, device->node_resources_len, sizeof *device->node_resources,
                 put_node_resource);
}

static void put_counter_set(struct mu_canon *c, const void *item) {
    const struct mu_counter_set *set = item;
    mu_canon_sym(c, set->name);
    put_named_quantities(c, set->counters, set->counters_len);
}

void mu_canon_slice(struct mu_canon *c, const void *object) {
    const struct mu_slice *slice = object;
    mu_canon_meta(c, &slice->meta);
    mu_canon_sym(c, slice->driver);
    mu_canon_sym(c, slice->pool);
    put_reach(c, &slice->reach);
    mu_canon_int(c, slice->per_device);
    mu_canon_int(c, slice->generation);
    mu_canon_int(c, slice->slice_count);
    mu_canon_list(c, slice->devices, slice->devices_len, sizeof *slice->devices, put_device);
    mu_canon_list(c, slice->counter_sets, slice->counter_sets_len, sizeof *slice->counter_sets, put_counter_set);
    mu_canon_syms(c, slice->skip_node_operations, slice->skip_node_operations_len);
    mu_canon_sym(c, slice->partition_type);
}

/* ---- Classes and taint rules ---- */

void mu_canon_device_class(struct mu_canon *c, const void *object) {
    const struct mu_device_class *class = object;
    mu_canon_meta(c, &class->meta);
    mu_canon_sym(c, class->extended_resource);
    mu_canon_syms(c, class->selectors, class->selectors_len);
    mu_canon_list(c, class->configs, class->configs_len, sizeof *class->configs, put_config);
}

void mu_canon_taint_rule(struct mu_canon *c, const void *object) {
    const struct mu_taint_rule *rule = object;
    mu_canon_meta(c, &rule->meta);
    mu_canon_int(c, rule->has_selector);
    mu_canon_sym(c, rule->driver);
    mu_canon_sym(c, rule->pool);
    mu_canon_sym(c, rule->device);
    put_taint(c, &rule->taint);
}
