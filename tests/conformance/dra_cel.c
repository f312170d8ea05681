/* CEL selectors against Kubernetes' own table: every case of ../shared/corpus/dra-cel.json: whether it compiles, matches
 * or fails with such an error, and what it is estimated to cost at most. Speaks TAP, a test point a case. */
#include "scheduler/devices/cel/cel_general.h"
#include "tests/conformance/corpus.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CORPUS MU_SOURCE_ROOT "/../shared/corpus/dra-cel.json"

struct run {
    struct mu_arena *arena, *scratch;
    int equal, total;
    char why[1024];
};

static void differ(struct run *run, const char *format, ...) MU_PRINTF(2, 3);

static void differ(struct run *run, const char *format, ...) {
    if (run->why[0] != '\0')
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(run->why, sizeof run->why, format, args);
    va_end(args);
}

/* ---- The device ---- */

static int64_t number_of(const struct mu_value *value) {
    int64_t number = 0;
    bool fine = mu_str_to_i64(value->text, &number);
    MU_ASSERT(fine);
    return number;
}

static struct mu_cel_value list_of(struct run *run, const char *kind, const struct mu_value *value) {
    struct mu_cel_value list = {.len = (uint32_t)value->array.len};
    const struct mu_value *items = value->array.items;
    if (strcmp(kind, "bools") == 0) {
        bool *booleans = MU_NEW_ARRAY(run->arena, bool, list.len);
        for (uint32_t i = 0; i < list.len; i++)
            booleans[i] = items[i].boolean;
        list.type = MU_CEL_BOOLS;
        list.booleans = booleans;
    } else if (strcmp(kind, "ints") == 0) {
        int64_t *numbers = MU_NEW_ARRAY(run->arena, int64_t, list.len);
        for (uint32_t i = 0; i < list.len; i++)
            numbers[i] = number_of(&items[i]);
        list.type = MU_CEL_INTS;
        list.numbers = numbers;
    } else {
        struct mu_str *texts = MU_NEW_ARRAY(run->arena, struct mu_str, list.len);
        for (uint32_t i = 0; i < list.len; i++)
            texts[i] = items[i].text;
        list.type = strcmp(kind, "strings") == 0 ? MU_CEL_STRINGS : MU_CEL_VERSIONS;
        list.texts = texts;
    }
    return list;
}

static struct mu_cel_value value_of(struct run *run, const struct mu_value *value) {
    static const char *const lists[] = {"bools", "ints", "strings", "versions"};
    const struct mu_value *one;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if ((one = mu_value_get(value, lists[i])) != NULL)
            return list_of(run, lists[i], one);
    if ((one = mu_value_get(value, "bool")) != NULL)
        return (struct mu_cel_value){.type = MU_CEL_BOOL, .boolean = one->boolean};
    if ((one = mu_value_get(value, "int")) != NULL)
        return (struct mu_cel_value){.type = MU_CEL_INT, .number = number_of(one)};
    if ((one = mu_value_get(value, "string")) != NULL)
        return (struct mu_cel_value){.type = MU_CEL_STRING, .text = one->text};
    one = mu_value_get(value, "version");
    MU_ASSERT(one != NULL);
    return (struct mu_cel_value){.type = MU_CEL_VERSION, .text = one->text};
}

static struct mu_cel_device device_of(struct run *run, const struct mu_value *test) {
    struct mu_cel_device device = {.driver = mu_corpus_text(test, "driver"),
                                   .allow_multiple_allocations = mu_corpus_flag(test, "allowMultipleAllocations")};
    const struct mu_value *attributes = mu_value_get(test, "attributes"), *capacity = mu_value_get(test, "capacity");
    if (attributes) {
        struct mu_cel_attribute *items = MU_NEW_ARRAY(run->arena, struct mu_cel_attribute, attributes->object.len);
        for (size_t i = 0; i < attributes->object.len; i++)
            items[i] = (struct mu_cel_attribute){attributes->object.fields[i].key,
                                                 value_of(run, &attributes->object.fields[i].value)};
        device.attributes = items;
        device.attributes_len = (uint32_t)attributes->object.len;
    }
    if (capacity) {
        struct mu_cel_capacity *items = MU_NEW_ARRAY(run->arena, struct mu_cel_capacity, capacity->object.len);
        for (size_t i = 0; i < capacity->object.len; i++) {
            items[i].name = capacity->object.fields[i].key;
            if (!mu_quantity_parse(mu_corpus_text(&capacity->object.fields[i].value, "value"), &items[i].value))
                differ(run, "no quantity");
        }
        device.capacity = items;
        device.capacity_len = (uint32_t)capacity->object.len;
    }
    return device;
}

/* ---- A case ---- */

static bool has(const char *text, struct mu_str part) {
    return part.len > 0 && memmem(text, strlen(text), part.ptr, part.len) != NULL;
}

/* What is stored is read with everything on, whatever the gates; what is new, as they say. */
static unsigned features_of(const struct mu_value *test) {
    if (!mu_str_eq(mu_corpus_text(test, "envType"), MU_STR("NewExpressions")))
        return MU_CEL_CONSUMABLE_CAPACITY | MU_CEL_LIST_ATTRIBUTES;
    return (mu_corpus_flag(test, "consumableCapacity") ? MU_CEL_CONSUMABLE_CAPACITY : 0) |
           (mu_corpus_flag(test, "listTypeAttributes") ? MU_CEL_LIST_ATTRIBUTES : 0);
}

static void check_match(struct run *run, const struct mu_value *test, const struct mu_cel *program) {
    struct mu_cel_device device = device_of(run, test);
    struct mu_str wrong = mu_corpus_text(test, "expectMatchError");
    struct mu_err err = {0};
    bool match = false;
    int64_t cost = -1;
    int r = mu_cel_match(program, &device, run->scratch, &match, &cost, &err);
    if (r < 0 && !has(err.text, wrong))
        differ(run, "error \"%s\", wanted \"" MU_STR_FMT "\"", err.text, MU_STR_ARG(wrong));
    else if (r == 0 && wrong.len > 0)
        differ(run, "no error, wanted \"" MU_STR_FMT "\"", MU_STR_ARG(wrong));
    else if (r == 0 && match != mu_corpus_flag(test, "expectMatch"))
        differ(run, "match %d", match);
    if (cost < 0 || (r != MU_E_LIMIT && (uint64_t)cost > mu_cel_cost_max(program)))
        differ(run, "cost %" PRId64 " is more than the estimate", cost);
}

static void check(struct run *run, const struct mu_value *test) {
    const struct mu_cel *program;
    struct mu_err err = {0};
    struct mu_str wrong = mu_corpus_text(test, "expectCompileError");
    int64_t wanted = number_of(mu_value_get(test, "expectCost"));
    if (mu_cel_compile(run->arena, mu_corpus_text(test, "expression"), features_of(test), &program, &err) < 0) {
        if (!has(err.text, wrong))
            differ(run, "compile error \"%s\", wanted \"" MU_STR_FMT "\"", err.text, MU_STR_ARG(wrong));
        return;
    }
    if (wrong.len > 0)
        differ(run, "compiles, wanted \"" MU_STR_FMT "\"", MU_STR_ARG(wrong));
    if (mu_cel_cost_max(program) != (uint64_t)wanted)
        differ(run, "cost %" PRIu64 ", wanted %" PRId64, mu_cel_cost_max(program), wanted);
    check_match(run, test, program);
}

static int run_cases(void *ctx, const struct mu_value *document, struct mu_err *err) {
    struct run *run = ctx;
    printf("1..%zu\n", document->array.len);
    for (size_t i = 0; i < document->array.len; i++) {
        const struct mu_value *test = &document->array.items[i];
        run->why[0] = '\0';
        run->total++;
        check(run, test);
        bool equal = run->why[0] == '\0';
        run->equal += equal;
        struct mu_str name = mu_corpus_text(test, "name");
        printf("%sok %d - " MU_STR_FMT "\n", equal ? "" : "not ", run->total, MU_STR_ARG(name));
        if (!equal)
            printf("# %s\n", run->why);
    }
    return 0;
}

int main(void) {
    struct run run = {.arena = mu_arena_create(0, NULL), .scratch = mu_arena_create(0, NULL)};
    struct mu_err err = {0};
    int r = mu_corpus_read(run.arena, CORPUS, run_cases, &run, &err);
    if (r == MU_E_IO)
        printf("1..0 # SKIP ../shared/corpus/dra-cel.json is not there\n");
    else if (r < 0)
        printf("Bail out! %s\n", err.text);
    else
        printf("# dra-cel: %d of %d equal\n", run.equal, run.total);
    mu_arena_destroy(run.scratch);
    mu_arena_destroy(run.arena);
    return r == MU_E_IO ? 0 : r < 0 || run.equal < run.total;
}
