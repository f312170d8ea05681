/* Devices: what claims were given, classes, taint rules, and the parts that claims and slices share. */
#include "scheduler/objects/decode_dra.h"
#include "scheduler/objects/value_text.h"
#include <stdlib.h>

/* Limits of the API for valid objects (resource.k8s.io/v1); those that others need stand in limits.h. */
enum { TOLERATIONS_MAX = 16, SELECTORS_MAX = 32, CONFIGS_MAX = 32, ALLOCATION_CONFIGS_MAX = 64 };

/* ---- Shared parts ---- */

bool mu_dra_item_quantity(struct mu_decode *d, const struct mu_at *item, struct mu_quantity *ret) {
    if (item->value == NULL) {
        return false;
    }
    bool scalar = item->value->type == MU_VALUE_STRING || item->value->type == MU_VALUE_NUMBER;
    if (!scalar || !mu_quantity_parse(item->value->text, ret)) {
        mu_decode_fail(d, item, NULL, "must be a quantity as in 500m or 2Gi");
        return false;
    }
    if (ret->nano < 0) {
        mu_decode_invalid(d, item, NULL, "must not be negative");
    }
    if (ret->nano > MU_DRA_QUANTITY_MAX || ret->nano < -MU_DRA_QUANTITY_MAX) {
        mu_decode_invalid(d, item, NULL, "is beyond all measure");
        ret->nano = ret->nano < 0 ? -MU_DRA_QUANTITY_MAX : MU_DRA_QUANTITY_MAX;
    }
    return true;
}

bool mu_dra_quantity(struct mu_decode *d, const struct mu_at *at, const char *field, struct mu_quantity *ret) {
    struct mu_at item = {at, mu_value_get(at->value, field), mu_str_from(field), 0};
    return mu_dra_item_quantity(d, &item, ret);
}

static int cmp_quantities(const void *a, const void *b, void *symbols) {
    return mu_sym_cmp(symbols, ((const struct mu_named_quantity *)a)->name,
                      ((const struct mu_named_quantity *)b)->name);
}

uint32_t mu_dra_quantities(struct mu_decode *d, const struct mu_at *at, const char *field, bool wrapped,
                           const struct mu_named_quantity **ret) {
    struct mu_at map = mu_at_object(d, at, field);
    if (mu_at_len(&map) == 0) {
        return 0;
    }
    struct mu_named_quantity *items = MU_NEW_ARRAY(d->arena, struct mu_named_quantity, mu_at_len(&map));
    uint32_t len = 0;
    for (size_t i = 0; i < mu_at_len(&map); i++) {
        struct mu_at item = wrapped ? mu_at_item(d, &map, i, MU_VALUE_OBJECT) : mu_at_any_item(&map, i);
        struct mu_quantity q = {0, false};
        if (wrapped ? mu_dra_quantity(d, &item, "value", &q) : mu_dra_item_quantity(d, &item, &q)) {
            items[len++] = (struct mu_named_quantity){mu_decode_sym(d, item.key), q};
        }
    }
    qsort_r(items, len, sizeof *items, cmp_quantities, d->symbols);
    *ret = items;
    return len;
}

struct mu_at mu_dra_list(struct mu_decode *d, const struct mu_at *at, const char *field, size_t max) {
    struct mu_at list = mu_at_array(d, at, field);
    if (mu_at_len(&list) > max) {
        mu_decode_invalid(d, &list, NULL, "has %zu items, %zu are allowed", mu_at_len(&list), max);
    }
    return list;
}

uint32_t mu_dra_syms(struct mu_decode *d, const struct mu_at *at, const char *field, size_t max, const mu_sym **ret) {
    mu_dra_list(d, at, field, max);
    return mu_field_syms(d, at, field, ret);
}

enum mu_device_effect mu_dra_effect(struct mu_decode *d, const struct mu_at *at) {
    struct mu_str text = mu_field_str(d, at, "effect");
    return text.len == 0                           ? MU_DEVICE_EFFECT_ANY
           : mu_str_eq(text, MU_STR("None"))       ? MU_DEVICE_EFFECT_NONE
           : mu_str_eq(text, MU_STR("NoSchedule")) ? MU_DEVICE_EFFECT_NO_SCHEDULE
           : mu_str_eq(text, MU_STR("NoExecute"))  ? MU_DEVICE_EFFECT_NO_EXECUTE
                                                   : MU_DEVICE_EFFECT_OTHER;
}

static enum mu_device_tolerate read_operator(struct mu_decode *d, const struct mu_at *at) {
    struct mu_str text = mu_field_str(d, at, "operator");
    return text.len == 0 || mu_str_eq(text, MU_STR("Equal")) ? MU_DEVICE_TOLERATE_EQUAL
           : mu_str_eq(text, MU_STR("Exists"))               ? MU_DEVICE_TOLERATE_EXISTS
                                                             : MU_DEVICE_TOLERATE_OTHER;
}

uint32_t mu_dra_tolerations(struct mu_decode *d, const struct mu_at *at, const struct mu_device_toleration **ret) {
    struct mu_at list = mu_dra_list(d, at, "tolerations", TOLERATIONS_MAX);
    if (mu_at_len(&list) == 0) {
        return 0;
    }
    struct mu_device_toleration *items = MU_NEW_ARRAY(d->arena, struct mu_device_toleration, mu_at_len(&list));
    uint32_t len = 0;
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            items[len++] = (struct mu_device_toleration){
                .key = mu_field_sym(d, &item, "key"),
                .value = mu_field_sym(d, &item, "value"),
                .op = read_operator(d, &item),
                .effect = mu_dra_effect(d, &item),
                .seconds = mu_field_int(d, &item, "tolerationSeconds", -1, INT64_MIN, INT64_MAX),
            };
        }
    }
    *ret = items;
    return len;
}

uint32_t mu_dra_selectors(struct mu_decode *d, const struct mu_at *at, const mu_sym **ret) {
    struct mu_at list = mu_dra_list(d, at, "selectors", SELECTORS_MAX);
    if (mu_at_len(&list) == 0) {
        return 0;
    }
    mu_sym *items = MU_NEW_ARRAY(d->arena, mu_sym, mu_at_len(&list));
    uint32_t len = 0;
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        struct mu_at cel = mu_at_object(d, &item, "cel");
        struct mu_str expression = mu_field_str(d, &cel, "expression");
        if (expression.len > MU_LIMIT_CEL_BYTES) {
            mu_decode_invalid(d, &cel, "expression", "is longer than %d bytes", MU_LIMIT_CEL_BYTES);
        }
        items[len++] = mu_decode_sym(d, expression);
    }
    *ret = items;
    return len;
}

static struct mu_str value_text(struct mu_decode *d, const struct mu_value *value) {
    if (value == NULL) {
        return (struct mu_str){NULL, 0};
    }
    struct mu_buf buf;
    mu_buf_init(&buf, d->scratch);
    mu_value_add_text(&buf, value);
    return mu_str_dup(d->arena, mu_buf_str(&buf));
}

uint32_t mu_dra_configs(struct mu_decode *d, const struct mu_at *at, size_t max, const struct mu_device_config **ret) {
    struct mu_at list = mu_dra_list(d, at, "config", max);
    if (mu_at_len(&list) == 0) {
        return 0;
    }
    struct mu_device_config *items = MU_NEW_ARRAY(d->arena, struct mu_device_config, mu_at_len(&list));
    uint32_t len = 0;
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value == NULL) {
            continue;
        }
        struct mu_device_config *config = &items[len++];
        struct mu_at opaque = mu_at_object(d, &item, "opaque");
        config->source = mu_field_sym(d, &item, "source");
        config->requests_len = mu_field_syms(d, &item, "requests", &config->requests);
        config->driver = mu_field_sym(d, &opaque, "driver");
        config->parameters = value_text(d, mu_value_get(opaque.value, "parameters"));
    }
    *ret = items;
    return len;
}

void mu_dra_taint(struct mu_decode *d, const struct mu_at *at, struct mu_device_taint *ret) {
    ret->key = mu_field_sym(d, at, "key");
    ret->value = mu_field_sym(d, at, "value");
    ret->effect = mu_dra_effect(d, at);
    ret->added_ns = mu_field_time(d, at, "timeAdded");
}

/* ---- What a claim was given ---- */

static void read_result(struct mu_decode *d, const struct mu_at *item, struct mu_device_result *ret) {
    ret->request = mu_field_sym_required(d, item, "request");
    ret->driver = mu_field_sym_required(d, item, "driver");
    ret->pool = mu_field_sym_required(d, item, "pool");
    ret->device = mu_field_sym_required(d, item, "device");
    ret->share_id = mu_field_sym(d, item, "shareID");
    ret->shared = ret->share_id != 0;
    ret->admin_access = mu_field_bool(d, item, "adminAccess", false);
    ret->consumed_len = mu_dra_quantities(d, item, "consumedCapacity", false, &ret->consumed);
    ret->tolerations_len = mu_dra_tolerations(d, item, &ret->tolerations);
    ret->binding_conditions_len = mu_field_syms(d, item, "bindingConditions", &ret->binding_conditions);
    ret->binding_failure_conditions_len =
        mu_field_syms(d, item, "bindingFailureConditions", &ret->binding_failure_conditions);
    ret->skip_node_operations_len = mu_field_syms(d, item, "skipNodeOperations", &ret->skip_node_operations);
}

static void read_results(struct mu_decode *d, const struct mu_at *devices, struct mu_claim *ret) {
    struct mu_at list = mu_at_array(d, devices, "results");
    if (mu_at_len(&list) == 0) {
        return;
    }
    struct mu_device_result *results = MU_NEW_ARRAY(d->arena, struct mu_device_result, mu_at_len(&list));
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            read_result(d, &item, &results[ret->results_len++]);
        }
    }
    ret->results = results;
}

static void read_consumers(struct mu_decode *d, const struct mu_at *status, struct mu_claim *ret) {
    struct mu_at list = mu_dra_list(d, status, "reservedFor", MU_LIMIT_CLAIM_RESERVED);
    if (mu_at_len(&list) == 0) {
        return;
    }
    struct mu_consumer *consumers = MU_NEW_ARRAY(d->arena, struct mu_consumer, mu_at_len(&list));
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value == NULL) {
            continue;
        }
        consumers[ret->reserved_for_len++] = (struct mu_consumer){.resource = mu_field_sym(d, &item, "resource"),
                                                                  .name = mu_field_sym(d, &item, "name"),
                                                                  .uid = mu_field_sym(d, &item, "uid")};
    }
    ret->reserved_for = consumers;
}

static void read_allocation(struct mu_decode *d, const struct mu_at *allocation, struct mu_claim *ret) {
    struct mu_at devices = mu_at_object(d, allocation, "devices");
    ret->allocated = allocation->value != NULL;
    ret->allocated_ns = mu_field_time(d, allocation, "allocationTimestamp");
    read_results(d, &devices, ret);
    ret->allocation_configs_len = mu_dra_configs(d, &devices, ALLOCATION_CONFIGS_MAX, &ret->allocation_configs);
    ret->has_node_selector =
        mu_field_node_selector(d, allocation, "nodeSelector", &ret->node_terms, &ret->node_terms_len);
}

void mu_decode_claim(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_claim *ret = object;
    struct mu_at spec = mu_at_object(d, root, "spec");
    struct mu_at status = mu_at_object(d, root, "status");
    struct mu_at allocation = mu_at_object(d, &status, "allocation");
    mu_dra_claim_spec(d, &spec, ret);
    read_allocation(d, &allocation, ret);
    read_consumers(d, &status, ret);
}

void mu_decode_claim_template(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_claim *ret = object;
    struct mu_at spec = mu_at_object(d, root, "spec");
    struct mu_at inner = mu_at_object(d, &spec, "spec");
    ret->allocated_ns = MU_TIME_NONE;
    mu_dra_claim_spec(d, &inner, ret);
}

/* ---- Classes and taint rules ---- */

void mu_decode_device_class(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_device_class *ret = object;
    struct mu_at spec = mu_at_object(d, root, "spec");
    ret->extended_resource = mu_field_sym(d, &spec, "extendedResourceName");
    ret->selectors_len = mu_dra_selectors(d, &spec, &ret->selectors);
    ret->configs_len = mu_dra_configs(d, &spec, CONFIGS_MAX, &ret->configs);
}

/* v1alpha3 could select by class and expression too. Kubernetes 1.37 has neither any more; a rule that would mean more
 * devices without them is refused. */
static void refuse_old_selectors(struct mu_decode *d, const struct mu_at *selector) {
    struct mu_at list = mu_at_array(d, selector, "selectors");
    if (mu_field_str(d, selector, "deviceClassName").len > 0) {
        mu_decode_invalid(d, selector, "deviceClassName", "is not supported any more");
    }
    if (mu_at_len(&list) > 0) {
        mu_decode_invalid(d, selector, "selectors", "are not supported any more");
    }
}

void mu_decode_taint_rule(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_taint_rule *ret = object;
    struct mu_at spec = mu_at_object(d, root, "spec");
    struct mu_at selector = mu_at_object(d, &spec, "deviceSelector");
    struct mu_at taint = mu_at_object(d, &spec, "taint");
    ret->has_selector = selector.value != NULL;
    ret->driver = mu_field_sym(d, &selector, "driver");
    ret->pool = mu_field_sym(d, &selector, "pool");
    ret->device = mu_field_sym(d, &selector, "device");
    refuse_old_selectors(d, &selector);
    mu_dra_taint(d, &taint, &ret->taint);
}
