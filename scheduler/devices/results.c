/* What was found, as it is written into claims: devices, configuration, and where they can be used from. */
#include "scheduler/devices/attempt.h"
#include <stdlib.h>

/* ---- Devices ---- */

static const struct mu_named_quantity *copy_consumed(struct mu_attempt *a, const struct mu_pick *pick) {
    struct mu_named_quantity *ret = MU_NEW_ARRAY(a->arena, struct mu_named_quantity, pick->consumed_len);
    for (uint32_t i = 0; i < pick->consumed_len; i++)
        ret[i] = pick->consumed[i];
    return ret;
}

static struct mu_device_result result_of(struct mu_attempt *a, const struct mu_pick *pick) {
    const struct mu_ask_work *ask = &a->asks.items[pick->ask];
    const struct mu_slice *slice = mu_entry_slice(a->alloc, pick->entry);
    const struct mu_device *device = a->alloc->entries[pick->entry].device;
    struct mu_device_result ret = {
        .request = ask->full_name,
        .driver = slice->driver,
        .pool = slice->pool,
        .device = device->name,
        .admin_access = pick->admin,
        .shared = pick->shared,
        .consumed = copy_consumed(a, pick),
        .consumed_len = pick->consumed_len,
        .tolerations = ask->ask->tolerations,
        .tolerations_len = ask->ask->tolerations_len,
    };
    if (mu_alloc_has(a->alloc, MU_ALLOC_BINDING_CONDITIONS)) {
        ret.binding_conditions = device->binding_conditions;
        ret.binding_conditions_len = device->binding_conditions_len;
        ret.binding_failure_conditions = device->binding_failure_conditions;
        ret.binding_failure_conditions_len = device->binding_failure_conditions_len;
    }
    if (mu_alloc_has(a->alloc, MU_ALLOC_NODE_OPERATIONS)) {
        ret.skip_node_operations = slice->skip_node_operations;
        ret.skip_node_operations_len = slice->skip_node_operations_len;
    }
    return ret;
}

/* ---- Configuration ---- */

typedef MU_VEC(struct mu_device_config) configs;

static const struct mu_ask_work *chosen(const struct mu_attempt *a, const struct mu_claim_work *claim, uint32_t r) {
    const struct mu_request_work *request = &a->requests.items[claim->first_request + r];
    return &a->asks.items[request->first_ask + request->chosen];
}

static bool names(const struct mu_device_config *config, const struct mu_ask_work *ask) {
    for (uint32_t i = 0; i < config->requests_len; i++)
        if (config->requests[i] == ask->request || config->requests[i] == ask->full_name)
            return true;
    return false;
}

/* A configuration for all requests names none. */
static void add_config(struct mu_attempt *a, const struct mu_claim_work *claim, const struct mu_device_config *config,
                       configs *list) {
    struct mu_device_config copy = *config;
    bool all = true;
    for (uint32_t r = 0; r < claim->requests_len; r++)
        all = all && names(config, chosen(a, claim, r));
    if (all) {
        copy.requests = NULL;
        copy.requests_len = 0;
    }
    MU_VEC_PUSH(a->arena, list, copy);
}

/* Each class once, for all requests that chose it. */
static void add_class_configs(struct mu_attempt *a, const struct mu_claim_work *claim, uint32_t first, mu_sym source,
                              configs *list) {
    const struct mu_device_class *class = chosen(a, claim, first)->class;
    for (uint32_t r = 0; r < first; r++)
        if (chosen(a, claim, r)->class == class)
            return;
    if (class->configs_len == 0)
        return;
    mu_sym *requests = MU_NEW_ARRAY(a->arena, mu_sym, claim->requests_len);
    uint32_t len = 0;
    for (uint32_t r = first; r < claim->requests_len; r++)
        if (chosen(a, claim, r)->class == class)
            requests[len++] = chosen(a, claim, r)->full_name;
    for (uint32_t i = 0; i < class->configs_len; i++) {
        struct mu_device_config config = class->configs[i];
        config.source = source;
        config.requests = requests;
        config.requests_len = len;
        add_config(a, claim, &config, list);
    }
}

/* Those of the claim count where they speak of a request as it was chosen, or of all. */
static void add_claim_config(struct mu_attempt *a, const struct mu_claim_work *claim,
                             const struct mu_device_config *given, mu_sym source, configs *list) {
    struct mu_device_config config = *given;
    config.source = source;
    bool speaks = config.requests_len == 0;
    for (uint32_t r = 0; r < claim->requests_len; r++)
        speaks = speaks || names(&config, chosen(a, claim, r));
    if (speaks)
        add_config(a, claim, &config, list);
}

static void add_configs(struct mu_attempt *a, const struct mu_claim_work *claim, struct mu_alloc_claim_result *ret) {
    configs list = {0};
    mu_sym of_class = mu_intern(a->alloc->input.symbols, MU_STR("FromClass"));
    mu_sym of_claim = mu_intern(a->alloc->input.symbols, MU_STR("FromClaim"));
    for (uint32_t r = 0; r < claim->requests_len; r++)
        add_class_configs(a, claim, r, of_class, &list);
    for (uint32_t i = 0; i < claim->claim->configs_len; i++)
        add_claim_config(a, claim, &claim->claim->configs[i], of_claim, &list);
    ret->configs = list.items;
    ret->configs_len = (uint32_t)list.len;
}

/* ---- Node selector ---- */

typedef MU_VEC(struct mu_requirement) requirements;

static bool same_requirement(const struct mu_requirement *x, const struct mu_requirement *y) {
    if (x->key != y->key || x->op != y->op || x->values_len != y->values_len)
        return false;
    for (uint32_t i = 0; i < x->values_len; i++) /* sets in one order */
        if (x->values[i] != y->values[i])
            return false;
    return true;
}

static void add_requirements(struct mu_attempt *a, const struct mu_selector *from, requirements *to) {
    for (uint32_t i = 0; i < from->len; i++) {
        bool known = false;
        for (size_t k = 0; k < to->len; k++)
            known = known || same_requirement(&to->items[k], &from->items[i]);
        if (!known)
            MU_VEC_PUSH(a->arena, to, from->items[i]);
    }
}

static void only_node(struct mu_attempt *a, const struct mu_node *node, struct mu_alloc_claim_result *ret) {
    struct mu_requirement *name = MU_NEW(a->arena, struct mu_requirement);
    mu_sym *value = MU_NEW(a->arena, mu_sym);
    *value = node->meta.name;
    *name = (struct mu_requirement){.key = mu_intern(a->alloc->input.symbols, MU_STR("metadata.name")),
                                    .op = MU_OP_IN,
                                    .values = value,
                                    .values_len = 1};
    ret->has_node_selector = true;
    ret->node_selector.fields = (struct mu_selector){name, 1};
}

/* Where all devices can be used from: this node where one of them is local to it, else what their selectors say
 * together. */
static void add_node_selector(struct mu_attempt *a, const struct mu_seat *seat, const struct mu_pick *picks,
                              uint32_t len, struct mu_alloc_claim_result *ret) {
    requirements expressions = {0}, fields = {0};
    for (uint32_t i = 0; i < len; i++) {
        const struct mu_slice *slice = mu_entry_slice(a->alloc, picks[i].entry);
        const struct mu_device *device = a->alloc->entries[picks[i].entry].device;
        const struct mu_reach_of_device *reach = slice->per_device ? &device->reach : &slice->reach;
        if (reach->node != 0 || device->binds_to_node) {
            only_node(a, seat->nodes[0], ret);
            return;
        }
        if (reach->has_selector && reach->terms_len == 1) {
            add_requirements(a, &reach->terms[0].fields, &fields);
            add_requirements(a, &reach->terms[0].expressions, &expressions);
        }
    }
    ret->has_node_selector = fields.len + expressions.len > 0;
    ret->node_selector.fields = (struct mu_selector){fields.items, (uint32_t)fields.len};
    ret->node_selector.expressions = (struct mu_selector){expressions.items, (uint32_t)expressions.len};
}

/* ---- All of it ---- */

const struct mu_alloc_claim_result *mu_results_of(struct mu_attempt *a) {
    struct mu_alloc_claim_result *ret = MU_NEW_ARRAY(a->arena, struct mu_alloc_claim_result, a->claims_len);
    const struct mu_pick *pick = a->picks;
    for (uint32_t c = 0; c < a->claims_len; c++) {
        uint32_t len = a->claims[c].picks_len;
        struct mu_device_result *results = MU_NEW_ARRAY(a->arena, struct mu_device_result, len);
        for (uint32_t i = 0; i < len; i++)
            results[i] = result_of(a, &pick[i]);
        ret[c].results = results;
        ret[c].results_len = len;
        add_configs(a, &a->claims[c], &ret[c]);
        add_node_selector(a, a->claims[c].seat, pick, len, &ret[c]);
        pick += len;
    }
    return ret;
}
