/* The allocator against what Kubernetes' own gave: every case of ../shared/corpus/dra-allocator, device for device.
 *
 * A case is one attempt: a node, claims, classes, slices and what is held already. Slices of a case may share a name,
 * so objects are decoded one by one and not through a store. Of an error the kind and the subject count (which claim,
 * request, class, device), not the words. Speaks TAP, a test point a case. */
#include "scheduler/devices/allocator.h"
#include "scheduler/objects/store_index.h"
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define CORPUS MU_SOURCE_ROOT "/../shared/corpus/dra-allocator"

struct test {
    struct mu_arena *arena;
    struct mu_store *store;
    struct mu_decode decode;
    const struct mu_value *document;
    struct mu_alloc *alloc;
    const struct mu_claim **claims;
    uint32_t claims_len;
    char why[1024]; /* it differs; empty: equal */
};

static void differ(struct test *t, const char *format, ...) MU_PRINTF(2, 3);

static void differ(struct test *t, const char *format, ...) {
    if (t->why[0] != '\0')
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(t->why, sizeof t->why, format, args);
    va_end(args);
}

static struct mu_str text_of(const struct test *t, mu_sym sym) {
    return mu_text(&t->store->symbols, sym);
}

/* ---- Reading a case ---- */

static const struct mu_value *list_of(const struct test *t, const char *field, uint32_t *ret_len) {
    const struct mu_value *list = mu_value_get(t->document, field);
    *ret_len = list != NULL && list->type == MU_VALUE_ARRAY ? (uint32_t)list->array.len : 0;
    return *ret_len > 0 ? list->array.items : NULL;
}

static void *decode_one(struct test *t, enum mu_kind kind, const struct mu_value *value) {
    const struct mu_kind_info *info = &mu_kinds[kind];
    struct mu_meta *object = mu_arena_array(t->arena, 1, info->bytes, alignof(max_align_t));
    struct mu_at root = {NULL, value, {NULL, 0}, 0};
    t->decode.invalid = (struct mu_str){NULL, 0};
    mu_decode_meta(&t->decode, &root, info->namespaced, object);
    info->decode(&t->decode, &root, object);
    if (t->decode.invalid.len > 0)
        object->invalid = mu_str_dup(t->arena, t->decode.invalid);
    return object;
}

static const void **decode_all(struct test *t, const char *field, enum mu_kind kind, uint32_t *ret_len) {
    const struct mu_value *items = list_of(t, field, ret_len);
    const void **objects = MU_NEW_ARRAY(t->arena, const void *, *ret_len);
    for (uint32_t i = 0; i < *ret_len; i++)
        objects[i] = decode_one(t, kind, &items[i]);
    return objects;
}

static const struct {
    const char *name;
    unsigned bit;
} features[] = {
    {"DRAAdminAccess", MU_ALLOC_ADMIN_ACCESS},
    {"DRAPrioritizedList", MU_ALLOC_PRIORITIZED_LIST},
    {"DRAPartitionableDevices", MU_ALLOC_PARTITIONABLE},
    {"DRADeviceTaints", MU_ALLOC_TAINTS},
    {"DRADeviceBindingConditions+DRAResourceClaimDeviceStatus", MU_ALLOC_BINDING_CONDITIONS},
    {"DRAConsumableCapacity", MU_ALLOC_CONSUMABLE_CAPACITY},
    {"DRAFractionalCapacityRange", MU_ALLOC_FRACTIONAL_RANGE},
    {"DRAListTypeAttributes", MU_ALLOC_LIST_ATTRIBUTES},
    {"DRAOptionalNodeOperations", MU_ALLOC_NODE_OPERATIONS},
    {"DRADerivedAttributes", MU_ALLOC_DERIVED_ATTRIBUTES},
    {"DRADeviceCompatibilityGroups", MU_ALLOC_COMPATIBILITY_GROUPS},
};

static unsigned read_features(struct test *t) {
    uint32_t len;
    const struct mu_value *items = list_of(t, "features", &len);
    unsigned bits = 0;
    for (uint32_t i = 0; i < len; i++) {
        unsigned bit = 0;
        for (size_t f = 0; f < sizeof features / sizeof *features; f++)
            if (mu_str_eq(items[i].text, mu_str_from(features[f].name)))
                bit = features[f].bit;
        if (bit == 0)
            differ(t, "unknown feature " MU_STR_FMT, MU_STR_ARG(items[i].text));
        bits |= bit;
    }
    return bits;
}

static struct mu_device_result read_device(struct test *t, const struct mu_value *value) {
    struct mu_at at = {NULL, value, {NULL, 0}, 0};
    return (struct mu_device_result){.driver = mu_field_sym(&t->decode, &at, "driver"),
                                     .pool = mu_field_sym(&t->decode, &at, "pool"),
                                     .device = mu_field_sym(&t->decode, &at, "device")};
}

static bool same_device(const struct mu_device_result *a, const struct mu_device_result *b) {
    return a->driver == b->driver && a->pool == b->pool && a->device == b->device;
}

static void hold(struct test *t, const struct mu_device_result *result) {
    struct mu_device_result *kept = MU_NEW(t->arena, struct mu_device_result);
    *kept = *result;
    mu_alloc_hold(t->alloc, MU_NEW(t->arena, struct mu_claim), 0, kept, 1);
}

static void hold_whole(struct test *t) {
    uint32_t len;
    const struct mu_value *items = list_of(t, "allocatedDevices", &len);
    for (uint32_t i = 0; i < len; i++) {
        struct mu_device_result result = read_device(t, &items[i]);
        hold(t, &result);
    }
}

static struct mu_named_quantity *read_capacity(struct test *t, const struct mu_value *map, uint32_t *ret_len) {
    *ret_len = (uint32_t)map->object.len;
    struct mu_named_quantity *ret = MU_NEW_ARRAY(t->arena, struct mu_named_quantity, *ret_len);
    for (uint32_t i = 0; i < *ret_len; i++) {
        ret[i].name = mu_decode_sym(&t->decode, map->object.fields[i].key);
        if (!mu_quantity_parse(map->object.fields[i].value.text, &ret[i].value))
            differ(t, "a quantity that is none");
    }
    return ret;
}

/* What is consumed of a device is one share here; shares of devices that nothing is consumed of are held apart. */
static void hold_shares(struct test *t) {
    uint32_t consumed_len, shares_len;
    const struct mu_value *consumed = list_of(t, "consumedCapacity", &consumed_len);
    const struct mu_value *shares = list_of(t, "allocatedShares", &shares_len);
    for (uint32_t i = 0; i < consumed_len; i++) {
        struct mu_device_result result = read_device(t, &consumed[i]);
        result.shared = true;
        result.consumed = read_capacity(t, mu_value_get(&consumed[i], "capacity"), &result.consumed_len);
        hold(t, &result);
    }
    for (uint32_t i = 0; i < shares_len; i++) {
        struct mu_device_result result = read_device(t, &shares[i]);
        bool known = false;
        for (uint32_t c = 0; c < consumed_len; c++) {
            struct mu_device_result other = read_device(t, &consumed[c]);
            known = known || same_device(&result, &other);
        }
        result.shared = true;
        if (!known)
            hold(t, &result);
    }
}

static int make_state(struct test *t, struct mu_err *err) {
    struct mu_alloc_input input = {.symbols = &t->store->symbols, .features = read_features(t)};
    input.slices = (const struct mu_slice *const *)decode_all(t, "slices", MU_KIND_SLICE, &input.slices_len);
    input.classes =
        (const struct mu_device_class *const *)decode_all(t, "classes", MU_KIND_DEVICE_CLASS, &input.classes_len);
    t->claims = (const struct mu_claim **)decode_all(t, "claims", MU_KIND_CLAIM, &t->claims_len);
    if (t->decode.code != 0)
        return t->decode.code;
    int code = mu_alloc_create(t->arena, &input, &t->alloc, err);
    if (code == 0) {
        hold_whole(t);
        hold_shares(t);
    }
    return code;
}

/* ---- Comparing what was found ---- */

static bool same_syms(const mu_sym *a, uint32_t a_len, const mu_sym *b, uint32_t b_len) {
    bool same = a_len == b_len;
    for (uint32_t i = 0; same && i < a_len; i++)
        same = a[i] == b[i];
    return same;
}

static bool same_consumed(const struct mu_device_result *a, const struct mu_device_result *b) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < a->consumed_len; i++)
        for (uint32_t k = 0; k < b->consumed_len; k++)
            found +=
                a->consumed[i].name == b->consumed[k].name && a->consumed[i].value.nano == b->consumed[k].value.nano;
    return found == a->consumed_len && found == b->consumed_len;
}

static bool same_tolerations(const struct mu_device_result *a, const struct mu_device_result *b) {
    bool same = a->tolerations_len == b->tolerations_len;
    for (uint32_t i = 0; same && i < a->tolerations_len; i++) {
        const struct mu_device_toleration *x = &a->tolerations[i], *y = &b->tolerations[i];
        same = x->key == y->key && x->value == y->value && x->op == y->op && x->effect == y->effect &&
               x->seconds == y->seconds;
    }
    return same;
}

static void compare_result(struct test *t, const struct mu_device_result *got, const struct mu_device_result *want) {
    if (!same_device(got, want) || got->request != want->request)
        differ(t,
               "request " MU_STR_FMT " got " MU_STR_FMT "/" MU_STR_FMT "/" MU_STR_FMT ", not request " MU_STR_FMT
               " " MU_STR_FMT "/" MU_STR_FMT "/" MU_STR_FMT,
               MU_STR_ARG(text_of(t, got->request)), MU_STR_ARG(text_of(t, got->driver)),
               MU_STR_ARG(text_of(t, got->pool)), MU_STR_ARG(text_of(t, got->device)),
               MU_STR_ARG(text_of(t, want->request)), MU_STR_ARG(text_of(t, want->driver)),
               MU_STR_ARG(text_of(t, want->pool)), MU_STR_ARG(text_of(t, want->device)));
    if (got->shared != want->shared || got->admin_access != want->admin_access)
        differ(t, "share or admin access differs");
    if (!same_consumed(got, want))
        differ(t, "consumed capacity differs");
    if (!same_tolerations(got, want))
        differ(t, "tolerations differ");
    if (!same_syms(got->binding_conditions, got->binding_conditions_len, want->binding_conditions,
                   want->binding_conditions_len) ||
        !same_syms(got->binding_failure_conditions, got->binding_failure_conditions_len,
                   want->binding_failure_conditions, want->binding_failure_conditions_len))
        differ(t, "binding conditions differ");
    if (!same_syms(got->skip_node_operations, got->skip_node_operations_len, want->skip_node_operations,
                   want->skip_node_operations_len))
        differ(t, "operations to skip differ");
}

static void compare_configs(struct test *t, const struct mu_alloc_claim_result *got, const struct mu_claim *want) {
    if (got->configs_len != want->allocation_configs_len) {
        differ(t, "%u configurations, not %u", got->configs_len, want->allocation_configs_len);
        return;
    }
    for (uint32_t i = 0; i < got->configs_len; i++) {
        const struct mu_device_config *x = &got->configs[i], *y = &want->allocation_configs[i];
        if (x->source != y->source || x->driver != y->driver || !mu_str_eq(x->parameters, y->parameters) ||
            !same_syms(x->requests, x->requests_len, y->requests, y->requests_len))
            differ(t, "configuration %u differs", i);
    }
}

static bool same_selector(const struct mu_selector *a, const struct mu_selector *b) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < a->len; i++)
        for (uint32_t k = 0; k < b->len; k++)
            found += a->items[i].key == b->items[k].key && a->items[i].op == b->items[k].op &&
                     same_syms(a->items[i].values, a->items[i].values_len, b->items[k].values, b->items[k].values_len);
    return found == a->len && found == b->len;
}

static void compare_node_selector(struct test *t, const struct mu_alloc_claim_result *got,
                                  const struct mu_claim *want) {
    bool same = got->has_node_selector == want->has_node_selector;
    if (same && got->has_node_selector)
        same = want->node_terms_len == 1 && same_selector(&got->node_selector.fields, &want->node_terms[0].fields) &&
               same_selector(&got->node_selector.expressions, &want->node_terms[0].expressions);
    if (!same)
        differ(t, "node selector differs");
}

/* The expected result as the status of a claim, which is what decoders read. */
static const struct mu_claim *decode_expected(struct test *t, const struct mu_value *result) {
    struct mu_field allocation = {MU_STR("allocation"), *result};
    struct mu_value status = {.type = MU_VALUE_OBJECT, .object = {&allocation, 1}};
    struct mu_field fields[2] = {{MU_STR("status"), status}};
    struct mu_field name = {MU_STR("name"), {.type = MU_VALUE_STRING, .text = MU_STR("expected")}};
    fields[1] = (struct mu_field){MU_STR("metadata"), {.type = MU_VALUE_OBJECT, .object = {&name, 1}}};
    struct mu_value claim = {.type = MU_VALUE_OBJECT, .object = {fields, 2}};
    return decode_one(t, MU_KIND_CLAIM, &claim);
}

static void compare_claim(struct test *t, const struct mu_alloc_claim_result *got, const struct mu_claim *want) {
    if (got->results_len != want->results_len) {
        differ(t, "%u devices, not %u", got->results_len, want->results_len);
        return;
    }
    for (uint32_t i = 0; i < got->results_len; i++)
        compare_result(t, &got->results[i], &want->results[i]);
    compare_configs(t, got, want);
    compare_node_selector(t, got, want);
}

static void compare_results(struct test *t, const struct mu_alloc_answer *answer) {
    uint32_t len;
    const struct mu_value *results = list_of(t, "results", &len);
    if (len == 0 && t->claims_len > 0) {
        if (answer->outcome != MU_ALLOC_NONE)
            differ(t, "outcome %d, there should be no allocation: " MU_STR_FMT, answer->outcome,
                   MU_STR_ARG(answer->fault.text));
        return;
    }
    if (answer->outcome != MU_ALLOC_FOUND) {
        differ(t, "outcome %d, there should be an allocation: " MU_STR_FMT, answer->outcome,
               MU_STR_ARG(answer->fault.text));
        return;
    }
    if (len != t->claims_len)
        differ(t, "%u results expected of %u claims", len, t->claims_len);
    for (uint32_t i = 0; i < len && t->why[0] == '\0'; i++)
        compare_claim(t, &answer->claims[i], decode_expected(t, &results[i]));
}

/* ---- Comparing errors ---- */

/* What upstream says, and what it is. The first that the text contains counts. */
static const struct {
    const char *part;
    enum mu_alloc_fault_kind kind;
} kinds[] = {
    {"feature is disabled", MU_ALLOC_FAULT_FEATURE},
    {"exceeds the claim limit", MU_ALLOC_FAULT_TOO_MANY},
    {"is currently being updated", MU_ALLOC_FAULT_POOL_UPDATING},
    {"is currently invalid", MU_ALLOC_FAULT_POOL_INVALID},
    {"invalid resource pools", MU_ALLOC_FAULT_POOLS_INVALID},
    {"checking capacity", MU_ALLOC_FAULT_CAPACITY},
    {"evaluate derived attribute", MU_ALLOC_FAULT_DERIVED},
    {"missing device class name", MU_ALLOC_FAULT_NO_CLASS_NAME},
    {"could not retrieve device class", MU_ALLOC_FAULT_CLASS_MISSING},
    {"CEL compile error", MU_ALLOC_FAULT_CEL_COMPILE},
    {"CEL runtime error", MU_ALLOC_FAULT_CEL_RUNTIME},
    {"because a claim constraint", MU_ALLOC_FAULT_ALL_CONSTRAINT},
    {"unsupported count mode", MU_ALLOC_FAULT_MODE},
    {"empty constraint", MU_ALLOC_FAULT_CONSTRAINT_KIND},
    {"CEL expression empty", MU_ALLOC_FAULT_SELECTOR_KIND},
};

static enum mu_alloc_fault_kind kind_of(const char *text) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(text, kinds[i].part) != NULL)
            return kinds[i].kind;
    return MU_ALLOC_FAULT_NONE;
}

/* The word after `lead` in the text; empty where that is not there. */
static struct mu_str word_after(const char *text, const char *lead) {
    const char *at = strstr(text, lead);
    if (at == NULL)
        return (struct mu_str){NULL, 0};
    at += strlen(lead);
    return (struct mu_str){at, strcspn(at, " ,:\n")};
}

static void expect_word(struct test *t, const char *what, struct mu_str want, struct mu_str got) {
    if (want.len > 0 && !mu_str_eq(want, got))
        differ(t, "%s is " MU_STR_FMT ", should be " MU_STR_FMT, what, MU_STR_ARG(got), MU_STR_ARG(want));
}

/* "driver/pool/device", "driver/pool", or the device alone, as the text has it. Which of several devices with one and
 * the same fault in a selector is met first is left open. */
static void compare_device(struct test *t, const char *text, const struct mu_alloc_fault *fault) {
    struct mu_str driver = text_of(t, fault->driver), pool = text_of(t, fault->pool);
    struct mu_str device = text_of(t, fault->device);
    struct mu_str pool_path = mu_str_printf(t->arena, MU_STR_FMT "/" MU_STR_FMT, MU_STR_ARG(driver), MU_STR_ARG(pool));
    struct mu_str path = mu_str_printf(t->arena, MU_STR_FMT "/" MU_STR_FMT, MU_STR_ARG(pool_path), MU_STR_ARG(device));
    if (fault->kind == MU_ALLOC_FAULT_POOL_UPDATING || fault->kind == MU_ALLOC_FAULT_POOL_INVALID)
        expect_word(t, "pool", word_after(text, "resource pool "), pool_path);
    if (fault->kind == MU_ALLOC_FAULT_ALL_CONSTRAINT)
        expect_word(t, "device", word_after(text, "cannot add device "), path);
    struct mu_str named = word_after(text, "for device ");
    if (fault->kind == MU_ALLOC_FAULT_CAPACITY)
        expect_word(t, "device", named, mu_str_index(named, '/') >= 0 ? path : device);
}

static void compare_fault(struct test *t, const struct mu_value *error, const struct mu_alloc_answer *answer) {
    struct mu_str copy = mu_str_dup(t->arena, error->text);
    const char *text = copy.ptr;
    const struct mu_alloc_fault *fault = &answer->fault;
    if (answer->outcome != MU_ALLOC_FAULT) {
        differ(t, "outcome %d, should be the error: %s", answer->outcome, text);
        return;
    }
    if (fault->kind != kind_of(text))
        differ(t, "error of kind %d (" MU_STR_FMT "), should be: %s", fault->kind, MU_STR_ARG(fault->text), text);
    if (mu_str_starts(error->text, MU_STR("claim "))) {
        struct mu_str name =
            fault->claim < t->claims_len ? text_of(t, t->claims[fault->claim]->meta.name) : (struct mu_str){NULL, 0};
        expect_word(t, "claim", word_after(text, "claim "), name);
    }
    if (mu_str_starts(error->text, MU_STR("class ")))
        expect_word(t, "class", word_after(text, "class "), text_of(t, fault->class));
    if (fault->kind == MU_ALLOC_FAULT_CLASS_MISSING)
        expect_word(t, "class", word_after(text, "device class "), text_of(t, fault->class));
    expect_word(t, "request", word_after(text, ", request "), text_of(t, fault->request));
    expect_word(t, "request", word_after(text, ", subrequest "), text_of(t, fault->request));
    struct mu_str number = mu_str_printf(t->arena, "%u", fault->index);
    expect_word(t, "selector", word_after(text, "selector #"), number);
    expect_word(t, "constraint", word_after(text, "constraint #"), number);
    compare_device(t, text, fault);
}

/* ---- One case ---- */

static int run_document(void *ctx, const struct mu_value *document, const struct mu_place *place, struct mu_err *err) {
    struct test *t = ctx;
    t->document = document;
    t->decode = (struct mu_decode){.store = t->store,
                                   .symbols = &t->store->symbols,
                                   .arena = t->arena,
                                   .scratch = t->store->index->scratch,
                                   .place = place,
                                   .err = err};
    int code = make_state(t, err);
    if (code != 0)
        return code;
    const struct mu_node *node = decode_one(t, MU_KIND_NODE, mu_value_get(document, "node"));
    uint64_t before = mu_alloc_digest(t->alloc);
    struct mu_alloc_answer answer;
    mu_alloc_try_node(t->alloc, node, t->claims, t->claims_len, NULL, t->arena, &answer);
    const struct mu_value *error = mu_value_get(document, "error");
    if (error != NULL && error->text.len > 0)
        compare_fault(t, error, &answer);
    else
        compare_results(t, &answer);
    if (mu_alloc_digest(t->alloc) != before)
        differ(t, "the attempt left traces");
    return t->decode.code;
}

struct file {
    struct test *test;
    const char *path;
};

static int run_file(void *ctx, struct mu_err *err) {
    const struct file *file = ctx;
    FILE *in = fopen(file->path, "rb");
    if (in == NULL)
        return mu_err_set(err, MU_E_IO, "%s cannot be opened", file->path);
    struct mu_buf buf;
    mu_buf_init(&buf, file->test->arena);
    char part[4096];
    for (size_t n; (n = fread(part, 1, sizeof part, in)) > 0;)
        mu_buf_add(&buf, (struct mu_str){part, n});
    fclose(in);
    file->test->store = mu_store_create(file->test->arena);
    struct mu_read_options options = {.owner = file->test->arena};
    return mu_read_bytes_with(&options, mu_buf_str(&buf), mu_str_from(file->path), run_document, file->test, err);
}

/* True where it is equal. */
static bool run_case(const char *name, unsigned number) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", CORPUS, name);
    struct test test = {.arena = mu_arena_create(0, NULL)};
    struct file file = {&test, path};
    struct mu_err err = {0};
    if (mu_arena_run(test.arena, run_file, &file, &err) != 0)
        differ(&test, "%s", err.text);
    bool equal = test.why[0] == '\0';
    printf("%sok %u - %.*s\n", equal ? "" : "not ", number, (int)strcspn(name, "."), name);
    if (!equal)
        printf("# %s\n", test.why);
    mu_arena_destroy(test.arena);
    return equal;
}

static int is_case(const struct dirent *entry) {
    return mu_str_ends(mu_str_from(entry->d_name), MU_STR(".json"));
}

int main(void) {
    struct dirent **names;
    int len = scandir(CORPUS, &names, is_case, alphasort);
    if (len <= 0) {
        printf("1..0 # SKIP ../shared/corpus/dra-allocator is not there\n");
        return 0;
    }
    int equal = 0;
    printf("1..%d\n", len);
    for (int i = 0; i < len; i++) {
        equal += run_case(names[i]->d_name, (unsigned)i + 1);
        free(names[i]);
    }
    free(names);
    printf("# dra-allocator: %d of %d equal\n", equal, len);
    return equal == len ? 0 : 1;
}
