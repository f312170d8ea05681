/* Derived attributes: what expressions come to as an attribute. */
#include "scheduler/devices/cel/derived.h"
#include "tests/lib/suite.h"

#include <string.h>

static const struct mu_str texts[] = {{"b", 1}, {"a", 1}};

static const struct mu_cel_attribute attributes[] = {
    {{"n", 1}, {.type = MU_CEL_INT, .number = 7}},
    {{"version", 7}, {.type = MU_CEL_VERSION, .text = {"1.2.3-rc.1+build", 16}}},
    {{"list", 4}, {.type = MU_CEL_STRINGS, .len = 2, .texts = texts}},
};
static const struct mu_cel_device device = {.driver = {"d", 1}, .attributes = attributes, .attributes_len = 3};

struct world {
    struct mu_arena *arena, *scratch;
};

static int evaluate(struct world *w, const char *expression, struct mu_cel_value *ret, struct mu_err *err) {
    const struct mu_cel_derived *derived;
    int r = mu_cel_derived_compile(w->arena, mu_str_from(expression),
                                   MU_CEL_CONSUMABLE_CAPACITY | MU_CEL_LIST_ATTRIBUTES, &derived, err);
    int64_t cost;
    return r < 0 ? r : mu_cel_derived_evaluate(derived, &device, w->scratch, w->arena, ret, &cost, err);
}

START_TEST(test_values) {
    struct world w = {mu_arena_create(0, NULL), mu_arena_create(0, NULL)};
    struct mu_cel_value v;
    struct mu_err err = {0};
    ck_assert(evaluate(&w, "device.attributes['d'].n > 5", &v, &err) == 0);
    ck_assert(v.type == MU_CEL_BOOL && v.boolean);
    ck_assert(evaluate(&w, "device.attributes['d'].n / 2", &v, &err) == 0);
    ck_assert(v.type == MU_CEL_INT && v.number == 3);
    ck_assert(evaluate(&w, "device.driver + 'x'", &v, &err) == 0);
    ck_assert(v.type == MU_CEL_STRING && mu_str_eq(v.text, MU_STR("dx")));
    ck_assert(evaluate(&w, "device.attributes['d'].version", &v, &err) == 0);
    ck_assert(v.type == MU_CEL_VERSION && mu_str_eq(v.text, MU_STR("1.2.3-rc.1+build")));
    ck_assert(evaluate(&w, "device.attributes['d'].list.sort()", &v, &err) == 0);
    ck_assert(v.type == MU_CEL_STRINGS && v.len == 2 && mu_str_eq(v.texts[0], MU_STR("a")));
    ck_assert(evaluate(&w, "[1, 2].map(x, x * 10)", &v, &err) == 0);
    ck_assert(v.type == MU_CEL_INTS && v.len == 2 && v.numbers[1] == 20);
    ck_assert(evaluate(&w, "[true]", &v, &err) == 0);
    ck_assert(v.type == MU_CEL_BOOLS && v.len == 1 && v.booleans[0]);
    ck_assert(evaluate(&w, "[semver('1.0.0')]", &v, &err) == 0);
    ck_assert(v.type == MU_CEL_VERSIONS && mu_str_eq(v.texts[0], MU_STR("1.0.0")));
    ck_assert(evaluate(&w, "device.attributes['d'].list.filter(x, x == 'z')", &v, &err) == 0);
    ck_assert(v.type == MU_CEL_STRINGS && v.len == 0);
    mu_arena_destroy(w.scratch);
    mu_arena_destroy(w.arena);
}
END_TEST

START_TEST(test_refused) {
    static const struct {
        const char *expression, *text;
    } cases[] = {
        {"1.5", "must evaluate to a primitive scalar"},
        {"{'a': 1}", "must evaluate to a primitive scalar"},
        {"[[1]]", "must evaluate to a primitive scalar"},
        {"quantity('1')", "must evaluate to a primitive scalar"},
        {"dyn(1.5)", "unsupported CEL return type: double"},
        {"[dyn(1), dyn('a')]", "unsupported CEL return type: list"},
        {"device.attributes['d'].missing", "no such key: missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world w = {mu_arena_create(0, NULL), mu_arena_create(0, NULL)};
        struct mu_cel_value v;
        struct mu_err err = {0};
        ck_assert_int_eq(evaluate(&w, cases[i].expression, &v, &err), MU_E_INVALID);
        ck_assert_msg(strstr(err.text, cases[i].text) != NULL, "%s: %s", cases[i].expression, err.text);
        mu_arena_destroy(w.scratch);
        mu_arena_destroy(w.arena);
    }
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, test_values);
    tcase_add_test(tests, test_refused);
}

int main(void) {
    return mu_suite_run("derived", add);
}
