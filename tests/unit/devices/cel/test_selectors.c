/* Selectors over one device, against what Kubernetes 1.37 makes of them; and what does not compile, and why. */
#include "scheduler/devices/cel/cel_general.h"
#include "tests/lib/suite.h"
#include "tests/unit/devices/cel/selector_cases.h"

#include <string.h>

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))
#define ALL_FEATURES (MU_CEL_CONSUMABLE_CAPACITY | MU_CEL_LIST_ATTRIBUTES)

static const int64_t ids[] = {1, 2, 3};
static const struct mu_str tags[] = {{"a", 1}, {"bb", 2}, {"ccc", 3}};

static const struct mu_cel_attribute attributes[] = {
    {{"type", 4}, {.type = MU_CEL_STRING, .text = {"gpu", 3}}},
    {{"index", 5}, {.type = MU_CEL_INT, .number = 3}},
    {{"healthy", 7}, {.type = MU_CEL_BOOL, .boolean = true}},
    {{"driverVersion", 13}, {.type = MU_CEL_VERSION, .text = {"550.54.15", 9}}},
    {{"resource.kubernetes.io/pcieRoot", 31}, {.type = MU_CEL_STRING, .text = {"pci0000:01", 10}}},
    {{"ids", 3}, {.type = MU_CEL_INTS, .len = 3, .numbers = ids}},
    {{"tags", 4}, {.type = MU_CEL_STRINGS, .len = 3, .texts = tags}},
};

struct world {
    struct mu_arena *arena, *scratch;
    struct mu_cel_capacity capacity[2];
    struct mu_cel_device device;
};

static void set_up(struct world *w) {
    w->arena = mu_arena_create(0, NULL);
    w->scratch = mu_arena_create(0, NULL);
    w->capacity[0].name = MU_STR("memory");
    w->capacity[1].name = MU_STR("cores");
    ck_assert(mu_quantity_parse(MU_STR("80Gi"), &w->capacity[0].value));
    ck_assert(mu_quantity_parse(MU_STR("100"), &w->capacity[1].value));
    w->device = (struct mu_cel_device){.driver = MU_STR("gpu.nvidia.com"),
                                       .attributes = attributes,
                                       .attributes_len = COUNT(attributes),
                                       .capacity = w->capacity,
                                       .capacity_len = 2};
}

static void tear_down(struct world *w) {
    mu_arena_destroy(w->scratch);
    mu_arena_destroy(w->arena);
}

static int run(struct world *w, const struct selector_case *c, bool *ret_match, struct mu_err *err) {
    const struct mu_cel *program;
    int64_t cost = -1;
    ck_assert_msg(mu_cel_compile(w->arena, mu_str_from(c->expression), ALL_FEATURES, &program, err) == 0, "%s: %s",
                  c->expression, err->text);
    ck_assert_msg(mu_cel_cost_max(program) == c->cost_max, "%s: estimated at %llu, not %llu", c->expression,
                  (unsigned long long)mu_cel_cost_max(program), (unsigned long long)c->cost_max);
    int r = mu_cel_match(program, &w->device, w->scratch, ret_match, &cost, err);
    ck_assert_msg(cost == c->cost, "%s: costs %lld, not %lld", c->expression, (long long)cost, (long long)c->cost);
    return r;
}

START_TEST(test_match) {
    struct world w;
    struct mu_err err = {0};
    bool match = false;
    set_up(&w);
    ck_assert_msg(run(&w, &selector_cases[_i], &match, &err) == 0, "%s: %s", selector_cases[_i].expression, err.text);
    ck_assert_msg(match == selector_cases[_i].match, "%s: %d", selector_cases[_i].expression, match);
    tear_down(&w);
}
END_TEST

START_TEST(test_fail) {
    struct world w;
    struct mu_err err = {0};
    bool match = false;
    set_up(&w);
    ck_assert_msg(run(&w, &failing_cases[_i], &match, &err) == MU_E_INVALID, "%s", failing_cases[_i].expression);
    ck_assert(!match); /* not written to */
    tear_down(&w);
}
END_TEST

/* What an expression is refused for. */
static const struct {
    const char *expression, *text;
} refused[] = {
    {"?!", "Syntax error"},
    {"", "Syntax error"},
    {"1 +", "1:4: Syntax error: mismatched input '<EOF>'"},
    {"'abc", "a string without an end"},
    {"'\\q'", "an escape sequence that there is not"},
    {"b'\\u0041'", "an escape sequence that there is not"},
    {"'\\ud800'", "an escape sequence that there is not"},
    {"9223372036854775808", "invalid int literal"},
    {"-9223372036854775809", "invalid int literal"},
    {"18446744073709551616u", "invalid uint literal"},
    {"1e999", "invalid double literal"},
    {"for", "reserved identifier: for"},
    {"device.foo == 1", "1:7: undefined field 'foo'"},
    {"foo == 1", "undeclared reference to 'foo' (in container '')"},
    {"device.attributes\n  .exists(x, y)", "2:14: undeclared reference to 'y'"},
    {"device.driver.foo()", "undeclared reference to 'foo'"},
    {"device.driver == 1", "found no matching overload for '_==_' applied to '(string, int)'"},
    {"device.driver.size(1)", "found no matching overload for 'size' applied to 'string.(int)'"},
    {"device.driver.x", "type 'string' does not support field selection"},
    {"device.driver.exists(x, true)", "expression of type 'string' cannot be range of a comprehension"},
    {"[1, 'a'] == []", "expected type 'int' but found 'string'"},
    {"{'a': 1, 2: 1} == {}", "expected type 'string' but found 'int'"},
    {"[1].all(1, true)", "argument must be a simple name"},
    {"[1].all(x, x, true)", "duplicate variable name: x"},
    {"[1].existsOne(x, true)", "undeclared reference"},
    {"has(device)", "invalid argument to has() macro"},
    {"device.driver.matches('[')", "invalid matches argument"},
    {"device.driver.find('[') == ''", "program instantiation failed: error parsing regexp"},
    {"duration('x') == duration('1s')", "invalid duration argument"},
    {"timestamp('x') == timestamp(0)", "invalid timestamp argument"},
    {"int('x') == 1", "type conversion error from 'string' to 'int'"},
    {"'%d'.format(['a']) == ''", "error during formatting"},
    {"'%s'.format([]) == ''", "index 0 out of range"},
    {"'%q'.format([1]) == ''", "unrecognized formatting clause"},
    {"{'a': 1}[dyn([1])] == 1", "invalid qualifier type"},
    {"TestAllTypes{}.a", "undeclared reference to 'TestAllTypes'"},
    {"math.greatest(1, 2) == 2", "undeclared reference"},
    {"'abc'.reverse() == 'cba'", "found no matching overload for 'reverse'"},
    {"1", "must evaluate to bool or the unknown type, not int"},
    {"[device.driver]", "not list(string)"},
};

START_TEST(test_refused) {
    struct world w;
    struct mu_err err = {0};
    const struct mu_cel *program = NULL;
    set_up(&w);
    int r = mu_cel_compile(w.arena, mu_str_from(refused[_i].expression), ALL_FEATURES, &program, &err);
    ck_assert_int_eq(r, MU_E_INVALID);
    ck_assert_msg(strstr(err.text, refused[_i].text) != NULL, "%s: %s", refused[_i].expression, err.text);
    ck_assert_ptr_null(program);
    tear_down(&w);
}
END_TEST

/* What the gates of the API leave out. */
START_TEST(test_features) {
    struct world w;
    struct mu_err err = {0};
    const struct mu_cel *program;
    set_up(&w);
    ck_assert(mu_cel_compile(w.arena, MU_STR("device.allowMultipleAllocations"), 0, &program, &err) == MU_E_INVALID);
    ck_assert_ptr_nonnull(strstr(err.text, "undefined field 'allowMultipleAllocations'"));
    ck_assert(mu_cel_compile(w.arena, MU_STR("device.attributes['d'].a.exists(x, true)"), 0, &program, NULL) ==
              MU_E_INVALID);
    ck_assert(mu_cel_compile(w.arena, MU_STR("device.attributes['d'].a.includes(1)"), 0, &program, NULL) ==
              MU_E_INVALID);
    ck_assert(mu_cel_compile(w.arena, MU_STR("device.attributes['d'].a == 1"), 0, &program, NULL) == 0);
    tear_down(&w);
}
END_TEST

START_TEST(test_bad_version) {
    struct world w;
    struct mu_err err = {0};
    const struct mu_cel *program;
    bool match;
    int64_t cost = -1;
    struct mu_cel_attribute bad = {MU_STR("v"), {.type = MU_CEL_VERSION, .text = MU_STR("1.2")}};
    set_up(&w);
    w.device.attributes = &bad;
    w.device.attributes_len = 1;
    ck_assert(mu_cel_compile(w.arena, MU_STR("true"), ALL_FEATURES, &program, &err) == 0);
    ck_assert(mu_cel_match(program, &w.device, w.scratch, &match, &cost, &err) == MU_E_INVALID);
    ck_assert_str_eq(err.text, "attribute v: parse semantic version");
    ck_assert(cost == 0);
    tear_down(&w);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, test_match, 0, COUNT(selector_cases));
    tcase_add_loop_test(tests, test_fail, 0, COUNT(failing_cases));
    tcase_add_loop_test(tests, test_refused, 0, COUNT(refused));
    tcase_add_test(tests, test_features);
    tcase_add_test(tests, test_bad_version);
}

int main(void) {
    return mu_suite_run("selectors", add);
}
