/* What drivers publish: ResourceSlices. */
#include "scheduler/objects/decode_dra.h"
#include <stdlib.h>

/* Limits of the API for valid objects (resource.k8s.io/v1). */
enum {
    RICH_DEVICES_MAX = 64, /* devices of a slice where one has taints, counters or lists */
    PROPERTIES_MAX = 32,   /* attributes and capacities of a device */
    VALUES_MAX = 48,       /* of all attributes of a device */
    COUNTER_SETS_MAX = 8,
    COUNTERS_MAX = 32,
    COUNTER_USES_MAX = 2,
    GROUPS_MAX = 2,
    CONDITIONS_MAX = 4,
    TAINTS_MAX = 16,
    POLICY_VALUES_MAX = 10
};

/* ---- Attributes ---- */

static void read_numbers(struct mu_decode *d, const struct mu_at *list, struct mu_device_attribute *ret) {
    int64_t *items = MU_NEW_ARRAY(d->arena, int64_t, mu_at_len(list));
    for (size_t i = 0; i < mu_at_len(list); i++) {
        struct mu_at item = mu_at_item(d, list, i, MU_VALUE_NUMBER);
        if (item.value != NULL) {
            items[ret->len++] = mu_item_int(d, &item, INT64_MIN, INT64_MAX);
        }
    }
    ret->numbers = items;
}

static void read_booleans(struct mu_decode *d, const struct mu_at *list, struct mu_device_attribute *ret) {
    bool *items = MU_NEW_ARRAY(d->arena, bool, mu_at_len(list));
    for (size_t i = 0; i < mu_at_len(list); i++) {
        struct mu_at item = mu_at_item(d, list, i, MU_VALUE_BOOL);
        if (item.value != NULL) {
            items[ret->len++] = item.value->boolean;
        }
    }
    ret->booleans = items;
}

static bool read_list(struct mu_decode *d, const struct mu_at *item, const char *field, enum mu_attribute_type type,
                      struct mu_device_attribute *ret) {
    struct mu_at list = mu_at_array(d, item, field);
    if (list.value == NULL) {
        return false;
    }
    ret->type = type;
    if (type == MU_ATTRIBUTE_INTS) {
        read_numbers(d, &list, ret);
    } else if (type == MU_ATTRIBUTE_BOOLS) {
        read_booleans(d, &list, ret);
    } else {
        ret->len = mu_field_syms(d, item, field, &ret->texts);
    }
    return true;
}

static bool read_scalar(struct mu_decode *d, const struct mu_at *item, struct mu_device_attribute *ret) {
    struct mu_at text = mu_at_field(d, item, "string", MU_VALUE_STRING);
    struct mu_at version = mu_at_field(d, item, "version", MU_VALUE_STRING);
    struct mu_at number = mu_at_field(d, item, "int", MU_VALUE_NUMBER);
    struct mu_at boolean = mu_at_field(d, item, "bool", MU_VALUE_BOOL);
    if (number.value != NULL) {
        ret->type = MU_ATTRIBUTE_INT;
        ret->number = mu_item_int(d, &number, INT64_MIN, INT64_MAX);
    } else if (boolean.value != NULL) {
        ret->type = MU_ATTRIBUTE_BOOL;
        ret->boolean = boolean.value->boolean;
    } else if (text.value != NULL) {
        ret->type = MU_ATTRIBUTE_STRING;
        ret->text = mu_decode_sym(d, text.value->text);
    } else if (version.value != NULL) {
        ret->type = MU_ATTRIBUTE_VERSION;
        ret->text = mu_decode_sym(d, version.value->text);
    }
    return ret->type != MU_ATTRIBUTE_OTHER;
}

static void read_attribute(struct mu_decode *d, const struct mu_at *item, struct mu_device_attribute *ret) {
    ret->name = mu_decode_sym(d, item->key);
    bool known = read_scalar(d, item, ret) || read_list(d, item, "ints", MU_ATTRIBUTE_INTS, ret) ||
                 read_list(d, item, "bools", MU_ATTRIBUTE_BOOLS, ret) ||
                 read_list(d, item, "strings", MU_ATTRIBUTE_STRINGS, ret) ||
                 read_list(d, item, "versions", MU_ATTRIBUTE_VERSIONS, ret);
    (void)known; /* a type of the future is MU_ATTRIBUTE_OTHER */
}

/* True where one of them is a list. */
static bool read_attributes(struct mu_decode *d, const struct mu_at *device, struct mu_device *ret) {
    struct mu_at map = mu_at_object(d, device, "attributes");
    if (mu_at_len(&map) == 0) {
        return false;
    }
    struct mu_device_attribute *attributes = MU_NEW_ARRAY(d->arena, struct mu_device_attribute, mu_at_len(&map));
    bool lists = false;
    size_t values = 0;
    for (size_t i = 0; i < mu_at_len(&map); i++) {
        struct mu_at item = mu_at_item(d, &map, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            struct mu_device_attribute *attribute = &attributes[ret->attributes_len++];
            read_attribute(d, &item, attribute);
            bool is_list = attribute->type >= MU_ATTRIBUTE_BOOLS;
            values += is_list ? attribute->len : 1;
            lists = lists || is_list;
        }
    }
    if (values > VALUES_MAX) {
        mu_decode_invalid(d, &map, NULL, "has %zu values, %d are allowed", values, VALUES_MAX);
    }
    ret->attributes = attributes;
    return lists;
}

/* ---- Capacity ---- */

static const struct mu_capacity_policy *read_policy(struct mu_decode *d, const struct mu_at *capacity) {
    struct mu_at at = mu_at_object(d, capacity, "requestPolicy");
    if (at.value == NULL) {
        return NULL;
    }
    struct mu_capacity_policy *ret = MU_NEW(d->arena, struct mu_capacity_policy);
    ret->has_default = mu_dra_quantity(d, &at, "default", &ret->fallback);
    struct mu_at range = mu_at_object(d, &at, "validRange");
    ret->has_range = range.value != NULL;
    ret->has_min = mu_dra_quantity(d, &range, "min", &ret->min);
    ret->has_max = mu_dra_quantity(d, &range, "max", &ret->max);
    ret->has_step = mu_dra_quantity(d, &range, "step", &ret->step);
    struct mu_at values = mu_dra_list(d, &at, "validValues", POLICY_VALUES_MAX);
    struct mu_quantity *items = MU_NEW_ARRAY(d->arena, struct mu_quantity, mu_at_len(&values));
    for (size_t i = 0; i < mu_at_len(&values); i++) {
        struct mu_at item = mu_at_any_item(&values, i);
        if (mu_dra_item_quantity(d, &item, &items[ret->values_len])) {
            ret->values_len++;
        }
    }
    ret->values = items;
    return ret;
}

static int cmp_capacity(const void *a, const void *b, void *symbols) {
    return mu_sym_cmp(symbols, ((const struct mu_device_capacity *)a)->name,
                      ((const struct mu_device_capacity *)b)->name);
}

/* In the order of their names, so that of several faults the same one is named whatever the order of the text. v1beta1
 * has plain quantities. */
static void read_capacity(struct mu_decode *d, const struct mu_at *device, struct mu_device *ret) {
    struct mu_at map = mu_at_object(d, device, "capacity");
    if (mu_at_len(&map) == 0) {
        return;
    }
    struct mu_device_capacity *items = MU_NEW_ARRAY(d->arena, struct mu_device_capacity, mu_at_len(&map));
    for (size_t i = 0; i < mu_at_len(&map); i++) {
        struct mu_at item = mu_at_any_item(&map, i);
        if (item.value == NULL) {
            continue;
        }
        struct mu_device_capacity *capacity = &items[ret->capacity_len];
        bool object = item.value->type == MU_VALUE_OBJECT;
        if (object ? mu_dra_quantity(d, &item, "value", &capacity->value)
                   : mu_dra_item_quantity(d, &item, &capacity->value)) {
            capacity->name = mu_decode_sym(d, item.key);
            capacity->policy = object ? read_policy(d, &item) : NULL;
            ret->capacity_len++;
        }
    }
    qsort_r(items, ret->capacity_len, sizeof *items, cmp_capacity, d->symbols);
    ret->capacity = items;
}

/* ---- Counters, taints, what a device takes of the node ---- */

static void read_uses(struct mu_decode *d, const struct mu_at *device, struct mu_device *ret) {
    struct mu_at list = mu_dra_list(d, device, "consumesCounters", COUNTER_USES_MAX);
    if (mu_at_len(&list) == 0) {
        return;
    }
    struct mu_counter_use *items = MU_NEW_ARRAY(d->arena, struct mu_counter_use, mu_at_len(&list));
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            struct mu_counter_use *use = &items[ret->uses_len++];
            use->set = mu_field_sym(d, &item, "counterSet");
            use->counters_len = mu_dra_quantities(d, &item, "counters", true, &use->counters);
            use->groups_len = mu_dra_syms(d, &item, "compatibilityGroups", GROUPS_MAX, &use->groups);
        }
    }
    ret->uses = items;
}

static void read_taints(struct mu_decode *d, const struct mu_at *device, struct mu_device *ret) {
    struct mu_at list = mu_dra_list(d, device, "taints", TAINTS_MAX);
    if (mu_at_len(&list) == 0) {
        return;
    }
    struct mu_device_taint *items = MU_NEW_ARRAY(d->arena, struct mu_device_taint, mu_at_len(&list));
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            mu_dra_taint(d, &item, &items[ret->taints_len++]);
        }
    }
    ret->taints = items;
}

static void read_node_resource(struct mu_decode *d, const struct mu_at *item, bool old,
                               struct mu_device_node_resource *ret) {
    struct mu_at inner = mu_at_object(d, item, "mapping");
    const struct mu_at *mapping = old ? item : &inner;
    ret->resource = mu_decode_sym(d, item->key);
    ret->capacity_key = mu_field_sym(d, mapping, "capacityKey");
    ret->has_multiplier =
        mu_dra_quantity(d, mapping, old ? "allocationMultiplier" : "capacityMultiplier", &ret->multiplier);
    if (!old && mu_dra_quantity(d, mapping, "deviceMultiplier", &ret->multiplier)) {
        ret->has_multiplier = ret->per_device = true;
    }
    /* 1.36: without a key the multiplier is the amount of one device. */
    ret->per_device = ret->per_device || (old && ret->capacity_key == 0 && ret->has_multiplier);
    struct mu_at overhead = mu_at_object(d, item, "overhead");
    ret->has_per_pod = mu_dra_quantity(d, &overhead, "perPod", &ret->per_pod);
    ret->has_per_container = mu_dra_quantity(d, &overhead, "perContainer", &ret->per_container);
}

static void read_node_resources(struct mu_decode *d, const struct mu_at *device, struct mu_device *ret) {
    struct mu_at map = mu_at_object(d, device, "nodeAllocatableResources");
    bool old = map.value == NULL;
    if (old) {
        map = mu_at_object(d, device, "nodeAllocatableResourceMappings");
    }
    if (mu_at_len(&map) == 0) {
        return;
    }
    struct mu_device_node_resource *items = MU_NEW_ARRAY(d->arena, struct mu_device_node_resource, mu_at_len(&map));
    for (size_t i = 0; i < mu_at_len(&map); i++) {
        struct mu_at item = mu_at_item(d, &map, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            read_node_resource(d, &item, old, &items[ret->node_resources_len++]);
        }
    }
    ret->node_resources = items;
}

/* ---- Devices ---- */

static void read_reach(struct mu_decode *d, const struct mu_at *at, struct mu_reach_of_device *ret) {
    ret->node = mu_field_sym(d, at, "nodeName");
    ret->all_nodes = mu_field_bool(d, at, "allNodes", false);
    ret->has_selector = mu_field_node_selector(d, at, "nodeSelector", &ret->terms, &ret->terms_len);
    if (ret->terms_len > 1) {
        mu_decode_invalid(d, at, "nodeSelector", "must have one term");
    }
}

/* True where the device is of those that a slice holds fewer of. */
static bool read_device(struct mu_decode *d, const struct mu_at *item, struct mu_device *ret) {
    ret->name = mu_field_sym_required(d, item, "name");
    /* v1beta1 has everything but the name in `basic`. */
    struct mu_at basic = mu_at_object(d, item, "basic");
    const struct mu_at *body = basic.value != NULL ? &basic : item;
    ret->shared = mu_field_bool(d, body, "allowMultipleAllocations", false);
    ret->binds_to_node = mu_field_bool(d, body, "bindsToNode", false);
    bool lists = read_attributes(d, body, ret);
    read_capacity(d, body, ret);
    if (ret->attributes_len + ret->capacity_len > PROPERTIES_MAX) {
        mu_decode_invalid(d, body, NULL, "has %u attributes and capacities, %d are allowed",
                          ret->attributes_len + ret->capacity_len, PROPERTIES_MAX);
    }
    read_uses(d, body, ret);
    read_taints(d, body, ret);
    read_reach(d, body, &ret->reach);
    read_node_resources(d, body, ret);
    ret->binding_conditions_len = mu_dra_syms(d, body, "bindingConditions", CONDITIONS_MAX, &ret->binding_conditions);
    ret->binding_failure_conditions_len =
        mu_dra_syms(d, body, "bindingFailureConditions", CONDITIONS_MAX, &ret->binding_failure_conditions);
    return lists || ret->uses_len > 0 || ret->taints_len > 0;
}

static void read_devices(struct mu_decode *d, const struct mu_at *spec, struct mu_slice *ret) {
    struct mu_at list = mu_dra_list(d, spec, "devices", MU_LIMIT_SLICE_DEVICES);
    if (mu_at_len(&list) == 0) {
        return;
    }
    struct mu_device *devices = MU_NEW_ARRAY(d->arena, struct mu_device, mu_at_len(&list));
    bool rich = false;
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            bool one = read_device(d, &item, &devices[ret->devices_len++]);
            rich = rich || one;
        }
    }
    if (rich && ret->devices_len > RICH_DEVICES_MAX) {
        mu_decode_invalid(d, &list, NULL, "has %u items, with taints, counters or lists %d are allowed",
                          ret->devices_len, RICH_DEVICES_MAX);
    }
    ret->devices = devices;
}

static void read_counter_sets(struct mu_decode *d, const struct mu_at *spec, struct mu_slice *ret) {
    struct mu_at list = mu_dra_list(d, spec, "sharedCounters", COUNTER_SETS_MAX);
    if (mu_at_len(&list) == 0) {
        return;
    }
    struct mu_counter_set *items = MU_NEW_ARRAY(d->arena, struct mu_counter_set, mu_at_len(&list));
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value == NULL) {
            continue;
        }
        struct mu_counter_set *set = &items[ret->counter_sets_len++];
        set->name = mu_field_sym(d, &item, "name");
        set->counters_len = mu_dra_quantities(d, &item, "counters", true, &set->counters);
        if (set->counters_len > COUNTERS_MAX) {
            mu_decode_invalid(d, &item, "counters", "has %u items, %d are allowed", set->counters_len, COUNTERS_MAX);
        }
    }
    ret->counter_sets = items;
}

void mu_decode_slice(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_slice *ret = object;
    struct mu_at spec = mu_at_object(d, root, "spec");
    struct mu_at pool = mu_at_object(d, &spec, "pool");
    ret->driver = mu_field_sym_required(d, &spec, "driver");
    ret->pool = mu_field_sym_required(d, &pool, "name");
    ret->generation = mu_field_int(d, &pool, "generation", 0, 0, INT64_MAX);
    ret->slice_count = mu_field_int(d, &pool, "resourceSliceCount", 1, 1, INT64_MAX);
    ret->per_device = mu_field_bool(d, &spec, "perDeviceNodeSelection", false);
    read_reach(d, &spec, &ret->reach);
    ret->node = ret->reach.node;
    ret->skip_node_operations_len = mu_field_syms(d, &spec, "skipNodeOperations", &ret->skip_node_operations);
    ret->partition_type = mu_field_sym(d, &spec, "partitionTypeAttribute");
    read_counter_sets(d, &spec, ret);
    read_devices(d, &spec, ret);
}
