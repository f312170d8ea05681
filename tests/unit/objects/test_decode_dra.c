/* Claims, slices, classes and taint rules: every field that allocation needs, in every version. */
#include "tests/unit/objects/load.h"
#include <stdio.h>

#define OBJECT(version, kind, body) "apiVersion: " version "\nkind: " kind "\nmetadata: {name: a}\n" body "\n---\n"
#define DRA "resource.k8s.io/v1"

static struct loaded loaded;

static void teardown(void) {
    unload(&loaded);
}

static const char *quantity_text(struct mu_quantity q) {
    return mu_quantity_print(loaded.arena, q, true).ptr;
}

/* "name=amount ...". */
static const char *quantities_text(const struct mu_named_quantity *items, uint32_t len) {
    struct mu_buf buf;
    mu_buf_init(&buf, loaded.arena);
    for (uint32_t i = 0; i < len; i++)
        mu_buf_printf(&buf, "%s%s=%s", i > 0 ? " " : "", text_of(&loaded, items[i].name),
                      quantity_text(items[i].value));
    return buf.len > 0 ? buf.ptr : "";
}

/* ---- What claims ask for ---- */

#define ASK                                                                                                            \
    "deviceClassName: gpu, selectors: [{cel: {expression: 'true'}}, {other: {}}], allocationMode: ExactCount, count: " \
    "3, adminAccess: true, tolerations: [{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 5}, "        \
    "{value: "                                                                                                         \
    "v, effect: Odd}], capacity: {requests: {memory: 2Gi, cores: 500m}}, derivedAttributes: [{name: d/x, expression: " \
    "'1'}]"

static const char *const asks[] = {
    OBJECT(DRA, "ResourceClaim", "spec: {devices: {requests: [{name: r, exactly: {" ASK "}}]}}"),
    OBJECT(DRA "beta2", "ResourceClaim", "spec: {devices: {requests: [{name: r, exactly: {" ASK "}}]}}"),
    OBJECT(DRA "beta1", "ResourceClaim", "spec: {devices: {requests: [{name: r, " ASK "}]}}"),
    OBJECT(DRA, "ResourceClaimTemplate", "spec: {spec: {devices: {requests: [{name: r, exactly: {" ASK "}}]}}}"),
    OBJECT(DRA "beta1", "ResourceClaimTemplate", "spec: {spec: {devices: {requests: [{name: r, " ASK "}]}}}"),
};

START_TEST(requests_in_each_version) {
    loaded = load_ok(asks[_i]);
    const struct mu_claim *claim =
        loaded.store->claims.len > 0 ? loaded.store->claims.items[0] : loaded.store->claim_templates.items[0];
    ck_assert_uint_eq(claim->meta.invalid.len, 0);
    ck_assert_uint_eq(claim->requests_len, 1);
    const struct mu_device_ask *ask = &claim->requests[0].exactly;
    ck_assert_str_eq(text_of(&loaded, claim->requests[0].name), "r");
    ck_assert_str_eq(text_of(&loaded, ask->name), "r");
    ck_assert_str_eq(text_of(&loaded, ask->class), "gpu");
    ck_assert_uint_eq(ask->selectors_len, 2);
    ck_assert_str_eq(text_of(&loaded, ask->selectors[0]), "true");
    ck_assert_uint_eq(ask->selectors[1], 0);
    ck_assert_int_eq(ask->mode, MU_DEVICES_EXACT);
    ck_assert_int_eq(ask->count, 3);
    ck_assert(ask->admin_access && ask->has_admin_access && ask->has_capacity);
    ck_assert_str_eq(quantities_text(ask->capacity, ask->capacity_len), "cores=500m memory=2Gi");
    ck_assert_uint_eq(ask->tolerations_len, 2);
    ck_assert_int_eq(ask->tolerations[0].op, MU_DEVICE_TOLERATE_EXISTS);
    ck_assert_int_eq(ask->tolerations[0].effect, MU_DEVICE_EFFECT_NO_EXECUTE);
    ck_assert_int_eq(ask->tolerations[0].seconds, 5);
    ck_assert_int_eq(ask->tolerations[1].op, MU_DEVICE_TOLERATE_EQUAL);
    ck_assert_int_eq(ask->tolerations[1].effect, MU_DEVICE_EFFECT_OTHER);
    ck_assert_uint_eq(ask->tolerations[1].key, 0);
    ck_assert_uint_eq(ask->derived_len, 1);
    ck_assert_str_eq(text_of(&loaded, ask->derived[0].name), "d/x");
}
END_TEST

START_TEST(alternatives_and_constraints) {
    loaded = load_ok(OBJECT(DRA, "ResourceClaim",
                            "spec: {devices: {requests: [{name: r, firstAvailable: [{name: big, deviceClassName: b, "
                            "adminAccess: true}, {name: small, deviceClassName: s, allocationMode: All}]}, {name: q, "
                            "exactly: {deviceClassName: c, allocationMode: Odd}}], constraints: [{matchAttribute: d/a, "
                            "requests: [r, q]}, {distinctAttribute: d/b}, {}], config: [{requests: [r], opaque: "
                            "{driver: d, parameters: {b: [1, \"x\\\"\"], a: null, c: true}}}, {}]}}"));
    const struct mu_claim *claim = loaded.store->claims.items[0];
    ck_assert_uint_eq(claim->requests[0].alternatives_len, 2);
    ck_assert_int_eq(claim->requests[0].alternatives[0].count, 1);
    ck_assert(!claim->requests[0].alternatives[0].admin_access); /* not in the API */
    ck_assert_int_eq(claim->requests[0].alternatives[1].mode, MU_DEVICES_ALL);
    ck_assert_int_eq(claim->requests[1].exactly.mode, MU_DEVICES_OTHER);
    ck_assert_str_eq(text_of(&loaded, claim->requests[1].exactly.mode_text), "Odd");
    ck_assert_uint_eq(claim->constraints_len, 3);
    ck_assert_int_eq(claim->constraints[0].kind, MU_DEVICE_MATCH);
    ck_assert_str_eq(syms_text(&loaded, claim->constraints[0].requests, claim->constraints[0].requests_len), "r q");
    ck_assert_int_eq(claim->constraints[1].kind, MU_DEVICE_DISTINCT);
    ck_assert_str_eq(text_of(&loaded, claim->constraints[1].attribute), "d/b");
    ck_assert_int_eq(claim->constraints[2].kind, MU_DEVICE_CONSTRAINT_OTHER);
    ck_assert_uint_eq(claim->configs_len, 2);
    struct mu_str parameters = claim->configs[0].parameters;
    ck_assert_str_eq(parameters.ptr, "{\"b\":[1,\"x\\\"\"],\"a\":null,\"c\":true}");
    ck_assert_uint_eq(claim->configs[1].driver, 0);
    ck_assert_uint_eq(claim->meta.invalid.len, 0);
}
END_TEST

/* ---- What claims were given ---- */

START_TEST(allocations) {
    loaded = load_ok(OBJECT(
        DRA, "ResourceClaim",
        "status: {allocation: {allocationTimestamp: '2026-01-01T00:00:00Z', nodeSelector: {nodeSelectorTerms: "
        "[{matchFields: [{key: metadata.name, operator: In, values: [n]}]}]}, devices: {results: [{request: r/big, "
        "driver: d, pool: p, device: x, shareID: s, consumedCapacity: {memory: 1Gi}, tolerations: [{key: k}], "
        "bindingConditions: [b], bindingFailureConditions: [f], skipNodeOperations: ['*']}], config: [{source: "
        "FromClass, requests: [r], opaque: {driver: d, parameters: {}}}]}}}"));
    const struct mu_claim *claim = loaded.store->claims.items[0];
    const struct mu_device_result *result = &claim->results[0];
    ck_assert(claim->allocated && claim->has_node_selector && result->shared);
    ck_assert_int_eq(claim->allocated_ns, INT64_C(1767225600000000000));
    ck_assert_uint_eq(claim->node_terms_len, 1);
    ck_assert_str_eq(text_of(&loaded, result->request), "r/big");
    ck_assert_str_eq(quantities_text(result->consumed, result->consumed_len), "memory=1Gi");
    ck_assert_uint_eq(result->tolerations_len, 1);
    ck_assert_str_eq(syms_text(&loaded, result->binding_conditions, result->binding_conditions_len), "b");
    ck_assert_str_eq(syms_text(&loaded, result->binding_failure_conditions, result->binding_failure_conditions_len),
                     "f");
    ck_assert_str_eq(syms_text(&loaded, result->skip_node_operations, result->skip_node_operations_len), "*");
    ck_assert_str_eq(text_of(&loaded, claim->allocation_configs[0].source), "FromClass");
}
END_TEST

/* ---- What drivers publish ---- */

#define SLICE_SPEC(devices)                                                                                            \
    "spec: {driver: d, nodeName: n, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: [" devices "]}"

START_TEST(attributes_of_every_type) {
    loaded = load_ok(OBJECT(DRA, "ResourceSlice",
                            SLICE_SPEC("{name: x, attributes: {a: {bool: true}, b: {int: -3}, c: {string: s}, d: "
                                       "{version: 1.2.3}, e: {bools: [true, false]}, f: {ints: [4, 5]}, g: {strings: "
                                       "[u, v]}, h: {versions: [1.0.0]}, i: {}, j: {future: 1}}}")));
    const struct mu_device_attribute *a = loaded.store->slices.items[0]->devices[0].attributes;
    static const enum mu_attribute_type types[] = {MU_ATTRIBUTE_BOOL,    MU_ATTRIBUTE_INT,      MU_ATTRIBUTE_STRING,
                                                   MU_ATTRIBUTE_VERSION, MU_ATTRIBUTE_BOOLS,    MU_ATTRIBUTE_INTS,
                                                   MU_ATTRIBUTE_STRINGS, MU_ATTRIBUTE_VERSIONS, MU_ATTRIBUTE_OTHER,
                                                   MU_ATTRIBUTE_OTHER};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        ck_assert_int_eq(a[i].type, types[i]);
    ck_assert(a[0].boolean && a[4].booleans[0] && !a[4].booleans[1]);
    ck_assert_int_eq(a[1].number, -3);
    ck_assert_int_eq(a[5].numbers[1], 5);
    ck_assert_str_eq(text_of(&loaded, a[2].text), "s");
    ck_assert_str_eq(text_of(&loaded, a[3].text), "1.2.3");
    ck_assert_str_eq(syms_text(&loaded, a[6].texts, a[6].len), "u v");
    ck_assert_uint_eq(a[7].len, 1);
}
END_TEST

START_TEST(capacity_counters_and_taints) {
    loaded = load_ok(OBJECT(
        DRA, "ResourceSlice",
        "spec: {driver: d, perDeviceNodeSelection: true, pool: {name: p, generation: 1, resourceSliceCount: 1}, "
        "skipNodeOperations: ['*'], partitionTypeAttribute: d/t, sharedCounters: [{name: c, counters: {m: {value: "
        "8}}}],"
        " devices: [{name: x, nodeName: n, bindsToNode: true, bindingConditions: [b], bindingFailureConditions: [f], "
        "capacity: {mem: {value: 8Gi, requestPolicy: {default: 1Gi, validRange: {min: 1Gi, max: 4Gi, step: 512Mi}}}, "
        "cores: {value: 10, requestPolicy: {validValues: [1, 2]}}}, consumesCounters: [{counterSet: c, counters: {m: "
        "{value: 2}}, compatibilityGroups: [g]}], taints: [{key: k, value: v, effect: NoSchedule, timeAdded: "
        "'2026-01-01T00:00:00Z'}], nodeAllocatableResources: {cpu: {mapping: {capacityKey: cores, capacityMultiplier: "
        "1}, overhead: {perPod: 100m}}, memory: {mapping: {deviceMultiplier: 2Gi}}}}]}"));
    const struct mu_slice *slice = loaded.store->slices.items[0];
    const struct mu_device *device = &slice->devices[0];
    ck_assert_uint_eq(slice->meta.invalid.len, 0);
    ck_assert(slice->per_device && device->binds_to_node && slice->node == 0);
    ck_assert_str_eq(text_of(&loaded, device->reach.node), "n");
    ck_assert_str_eq(text_of(&loaded, slice->partition_type), "d/t");
    ck_assert_str_eq(quantities_text(slice->counter_sets[0].counters, slice->counter_sets[0].counters_len), "m=8");
    ck_assert_str_eq(text_of(&loaded, device->capacity[0].name), "cores"); /* sorted */
    ck_assert_uint_eq(device->capacity[0].policy->values_len, 2);
    ck_assert_str_eq(quantity_text(device->capacity[1].policy->step), "512Mi");
    ck_assert(device->capacity[1].policy->has_default && device->capacity[1].policy->has_max);
    ck_assert_str_eq(quantities_text(device->uses[0].counters, device->uses[0].counters_len), "m=2");
    ck_assert_str_eq(syms_text(&loaded, device->uses[0].groups, device->uses[0].groups_len), "g");
    ck_assert_int_eq(device->taints[0].effect, MU_DEVICE_EFFECT_NO_SCHEDULE);
    ck_assert_int_eq(device->taints[0].added_ns, INT64_C(1767225600000000000));
    ck_assert_uint_eq(device->node_resources_len, 2);
    ck_assert_str_eq(text_of(&loaded, device->node_resources[0].capacity_key), "cores");
    ck_assert(device->node_resources[0].has_per_pod && !device->node_resources[0].per_device);
    ck_assert(device->node_resources[1].per_device);
    ck_assert_str_eq(quantity_text(device->node_resources[1].multiplier), "2Gi");
}
END_TEST

/* The form of 1.36. */
START_TEST(older_node_resources) {
    loaded = load_ok(OBJECT(DRA, "ResourceSlice",
                            SLICE_SPEC("{name: x, nodeAllocatableResourceMappings: {cpu: {capacityKey: cores}, memory: "
                                       "{allocationMultiplier: 1Gi}}}")));
    const struct mu_device *device = &loaded.store->slices.items[0]->devices[0];
    ck_assert(!device->node_resources[0].per_device && !device->node_resources[0].has_multiplier);
    ck_assert(device->node_resources[1].per_device);
}
END_TEST

START_TEST(plain_capacities_of_v1beta1) {
    loaded =
        load_ok(OBJECT(DRA "beta1", "ResourceSlice",
                       SLICE_SPEC("{name: x, basic: {capacity: {a: 4Gi, b: {value: 1}}, attributes: {k: {int: 1}}}}")));
    const struct mu_device *device = &loaded.store->slices.items[0]->devices[0];
    ck_assert_uint_eq(device->capacity_len, 2);
    ck_assert_str_eq(quantity_text(device->capacity[0].value), "4Gi");
    ck_assert_uint_eq(device->attributes_len, 1);
}
END_TEST

/* ---- Classes and taint rules ---- */

START_TEST(classes) {
    loaded = load_ok(OBJECT(DRA, "DeviceClass",
                            "spec: {selectors: [{cel: {expression: 'x'}}], config: [{opaque: {driver: d, parameters: "
                            "{}}}]}"));
    const struct mu_device_class *class = loaded.store->device_classes.items[0];
    ck_assert_str_eq(syms_text(&loaded, class->selectors, class->selectors_len), "x");
    ck_assert_uint_eq(class->configs_len, 1);
}
END_TEST

static const char *const versions[] = {DRA, DRA "beta2", "resource.k8s.io/v1alpha3"};

START_TEST(taint_rules_in_each_version) {
    loaded =
        load_printf("apiVersion: %s\nkind: DeviceTaintRule\nmetadata: {name: a}\nspec: {deviceSelector: {driver: d, "
                    "pool: p, device: x}, taint: {key: k, value: v, effect: NoExecute}}\n",
                    versions[_i]);
    ck_assert_uint_eq(loaded.store->taint_rules.len, 1);
    const struct mu_taint_rule *rule = loaded.store->taint_rules.items[0];
    ck_assert(rule->has_selector);
    ck_assert_str_eq(text_of(&loaded, rule->device), "x");
    ck_assert_int_eq(rule->taint.effect, MU_DEVICE_EFFECT_NO_EXECUTE);
    ck_assert_uint_eq(rule->meta.invalid.len, 0);
}
END_TEST

/* ---- Limits ---- */

/* So many copies of an item, numbered. */
static const struct {
    const char *head, *item, *tail;
    int most;
} limits[] = {
    {"kind: ResourceClaim\nspec: {devices: {requests: [", "{name: r%d, exactly: {deviceClassName: c}}", "]}}", 32},
    {"kind: ResourceClaim\nspec: {devices: {requests: [{name: r, firstAvailable: [", "{name: r%d, deviceClassName: c}",
     "]}]}}", 8},
    {"kind: ResourceClaim\nspec: {devices: {constraints: [", "{matchAttribute: d/a%d}", "]}}", 32},
    {"kind: ResourceClaim\nspec: {devices: {config: [", "{requests: [r%d]}", "]}}", 32},
    {"kind: ResourceClaim\nspec: {devices: {requests: [{name: r, exactly: {selectors: [",
     "{cel: {expression: '%d == 1'}}", "]}}]}}", 32},
    {"kind: ResourceClaim\nspec: {devices: {requests: [{name: r, exactly: {tolerations: [", "{key: k%d}", "]}}]}}", 16},
    {"kind: ResourceClaim\nstatus: {reservedFor: [", "{resource: pods, name: p%d, uid: u}", "]}", 256},
    {"kind: ResourceSlice\nspec: {driver: d, pool: {name: p}, devices: [", "{name: x%d}", "]}", 128},
    {"kind: ResourceSlice\nspec: {driver: d, pool: {name: p}, devices: [", "{name: x%d, taints: [{key: k}]}", "]}", 64},
    {"kind: ResourceSlice\nspec: {driver: d, pool: {name: p}, devices: [", "{name: x%d, attributes: {a: {ints: [1]}}}",
     "]}", 64},
    {"kind: ResourceSlice\nspec: {driver: d, pool: {name: p}, devices: [{name: x, attributes: {", "a%d: {int: 1}",
     "}}]}", 32},
    {"kind: ResourceSlice\nspec: {driver: d, pool: {name: p}, devices: [{name: x, capacity: {", "a%d: {value: 1}",
     "}}]}", 32},
    {"kind: ResourceSlice\nspec: {driver: d, pool: {name: p}, devices: [{name: x, attributes: {a: {ints: [", "%d",
     "]}}}]}", 48},
    {"kind: ResourceSlice\nspec: {driver: d, pool: {name: p}, sharedCounters: [", "{name: c%d}", "]}", 8},
    {"kind: ResourceSlice\nspec: {driver: d, pool: {name: p}, sharedCounters: [{name: c, counters: {",
     "m%d: {value: 1}", "}}]}", 32},
    {"kind: ResourceSlice\nspec: {driver: d, pool: {name: p}, devices: [{name: x, consumesCounters: [",
     "{counterSet: c%d}", "]}]}", 2},
    {"kind: ResourceSlice\nspec: {driver: d, pool: {name: p}, devices: [{name: x, taints: [", "{key: k%d}", "]}]}", 16},
    {"kind: ResourceSlice\nspec: {driver: d, pool: {name: p}, devices: [{name: x, bindingConditions: [", "c%d", "]}]}",
     4},
    {"kind: DeviceClass\nspec: {selectors: [", "{cel: {expression: '%d == 1'}}", "]}", 32},
};

static bool is_valid(const char *head, const char *item, const char *tail, int count) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    struct mu_buf buf;
    mu_buf_init(&buf, arena);
    mu_buf_printf(&buf, "apiVersion: resource.k8s.io/v1\nmetadata: {name: a}\n%s", head);
    for (int i = 0; i < count; i++) {
        mu_buf_add(&buf, i > 0 ? MU_STR(", ") : MU_STR(""));
        const char *at = strstr(item, "%d");
        mu_buf_printf(&buf, "%.*s%d%s", (int)(at - item), item, i, at + 2);
    }
    mu_buf_add(&buf, mu_str_from(tail));
    loaded = load_ok(buf.ptr);
    mu_arena_destroy(arena);
    const struct mu_store *store = loaded.store;
    const struct mu_meta *meta = store->claims.len > 0   ? &store->claims.items[0]->meta
                                 : store->slices.len > 0 ? &store->slices.items[0]->meta
                                                         : &store->device_classes.items[0]->meta;
    bool valid = meta->invalid.len == 0;
    unload(&loaded);
    return valid;
}

START_TEST(limits_of_the_api) {
    ck_assert(is_valid(limits[_i].head, limits[_i].item, limits[_i].tail, limits[_i].most));
    ck_assert(!is_valid(limits[_i].head, limits[_i].item, limits[_i].tail, limits[_i].most + 1));
}
END_TEST

static const struct {
    const char *body, *invalid;
} senseless[] = {
    {"kind: ResourceClaim\nspec: {devices: {requests: [{name: r, exactly: {count: 0}}]}}",
     "spec.devices.requests[0].exactly.count: must be from 1 to 9223372036854775807, is 0"},
    {"kind: ResourceClaim\nspec: {devices: {requests: [{name: r, exactly: {capacity: {requests: {m: -1}}}}]}}",
     "spec.devices.requests[0].exactly.capacity.requests.m: must not be negative"},
    {"kind: ResourceClaim\nspec: {devices: {requests: [{name: r, exactly: {capacity: {requests: {m: 1e40}}}}]}}",
     "spec.devices.requests[0].exactly.capacity.requests.m: is beyond all measure"},
};

START_TEST(numbers_that_make_no_sense) {
    loaded = load_printf("apiVersion: resource.k8s.io/v1\nmetadata: {name: a}\n%s\n", senseless[_i].body);
    struct mu_str invalid = loaded.store->claims.items[0]->meta.invalid;
    ck_assert_str_eq(invalid.ptr, senseless[_i].invalid);
}
END_TEST

/* Copies of one version that say the same are one, and those that differ anywhere are bad input. */
START_TEST(copies_that_differ) {
    static const char *const bodies[] = {
        "devices: [{name: x, capacity: {m: {value: 1}}}]",
        "devices: [{name: x, capacity: {m: {value: 1, requestPolicy: {default: 1}}}}]",
        "devices: [{name: x, attributes: {a: {ints: [1]}}}]",
        "devices: [{name: x, attributes: {a: {ints: [2]}}}]",
        "devices: [{name: x, taints: [{key: k}]}]",
        "devices: [{name: x, consumesCounters: [{counterSet: c}]}]",
        "sharedCounters: [{name: c, counters: {m: {value: 1}}}]",
    };
    enum { COUNT = sizeof bodies / sizeof *bodies };
    for (int i = 0; i < COUNT * COUNT; i++) {
        char yaml[2048];
        static const char form[] = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: a, uid: u, "
                                   "resourceVersion: '7'}\nspec: {driver: d, pool: {name: p}, %s}\n";
        int n = snprintf(yaml, sizeof yaml, form, bodies[i / COUNT]);
        n += snprintf(yaml + n, sizeof yaml - (size_t)n, "---\n");
        snprintf(yaml + n, sizeof yaml - (size_t)n, form, bodies[i % COUNT]);
        loaded = load(yaml);
        ck_assert_int_eq(loaded.code, i / COUNT == i % COUNT ? 0 : MU_E_PARSE);
        unload(&loaded);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_loop_test(tests, requests_in_each_version, 0, sizeof asks / sizeof *asks);
    tcase_add_test(tests, alternatives_and_constraints);
    tcase_add_test(tests, allocations);
    tcase_add_test(tests, attributes_of_every_type);
    tcase_add_test(tests, capacity_counters_and_taints);
    tcase_add_test(tests, older_node_resources);
    tcase_add_test(tests, plain_capacities_of_v1beta1);
    tcase_add_test(tests, classes);
    tcase_add_loop_test(tests, taint_rules_in_each_version, 0, sizeof versions / sizeof *versions);
    tcase_add_loop_test(tests, limits_of_the_api, 0, sizeof limits / sizeof *limits);
    tcase_add_loop_test(tests, numbers_that_make_no_sense, 0, sizeof senseless / sizeof *senseless);
    tcase_add_test(tests, copies_that_differ);
}

int main(void) {
    return mu_suite_run("decode_dra", add_tests);
}
