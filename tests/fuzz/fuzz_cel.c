/* CEL: the input as an expression, parsed, checked, planned and evaluated for one device. An evaluation twice gives the
 * same twice, costs no more than its limit where it ends, and leaves nothing in its scratch memory. */
#include "scheduler/devices/cel/cel.h"
#include "scheduler/devices/cel/derived.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static const int64_t numbers[] = {1, 2, 3};
static const struct mu_str texts[] = {{"a", 1}, {"bb", 2}};
static const struct mu_cel_attribute attributes[] = {
    {{"type", 4}, {.type = MU_CEL_STRING, .text = {"gpu", 3}}},
    {{"index", 5}, {.type = MU_CEL_INT, .number = 3}},
    {{"ok", 2}, {.type = MU_CEL_BOOL, .boolean = true}},
    {{"version", 7}, {.type = MU_CEL_VERSION, .text = {"1.2.3-rc.1", 10}}},
    {{"x.io/ids", 8}, {.type = MU_CEL_INTS, .len = 3, .numbers = numbers}},
    {{"x.io/tags", 9}, {.type = MU_CEL_STRINGS, .len = 2, .texts = texts}},
};
static const struct mu_cel_capacity capacity[] = {{{"memory", 6}, {.nano = (mu_i128)80000000000000}}};
static const struct mu_cel_device device = {
    .driver = {"d", 1}, .attributes = attributes, .attributes_len = 6, .capacity = capacity, .capacity_len = 1};

struct answer {
    int code;
    bool match;
    int64_t cost;
    struct mu_err err;
};

static struct answer match(const struct mu_cel *program, struct mu_arena *scratch) {
    struct answer answer = {.match = false};
    answer.code = mu_cel_match(program, &device, scratch, &answer.match, &answer.cost, &answer.err);
    MU_ASSERT(answer.cost >= 0);
    MU_ASSERT(answer.code != 0 || answer.cost <= MU_CEL_COST_MAX);
    MU_ASSERT((answer.code != 0) == (answer.err.code != 0));
    return answer;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct mu_arena *arena = mu_arena_create(0, NULL), *scratch = mu_arena_create(0, NULL);
    MU_ASSERT(arena != NULL && scratch != NULL);
    struct mu_str text = {(const char *)data, size};
    unsigned features = MU_CEL_CONSUMABLE_CAPACITY | MU_CEL_LIST_ATTRIBUTES;
    struct mu_err err = {0};
    const struct mu_cel *program;
    const struct mu_cel_derived *derived;
    if (mu_cel_compile(arena, text, features, &program, &err) == 0) {
        struct answer first = match(program, scratch), second = match(program, scratch);
        MU_ASSERT(first.code == second.code && first.match == second.match && first.cost == second.cost);
        MU_ASSERT(strcmp(first.err.text, second.err.text) == 0);
    } else {
        MU_ASSERT(err.text[0] != '\0');
    }
    struct mu_cel_value value;
    int64_t cost;
    if (mu_cel_derived_compile(arena, text, features, &derived, &err) == 0)
        (void)!mu_cel_derived_evaluate(derived, &device, scratch, arena, &value, &cost, &err);
    mu_arena_destroy(scratch);
    mu_arena_destroy(arena);
    return 0;
}
