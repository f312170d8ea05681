/* Values: looking up fields. */
#include "scheduler/objects/value.h"
#include "tests/lib/suite.h"

static const struct mu_field fields[] = {
    {{"a", 1}, {.type = MU_VALUE_STRING, .text = {"x", 1}}},
    {{"gone", 4}, {.type = MU_VALUE_NULL}},
    {{"", 0}, {.type = MU_VALUE_BOOL, .boolean = true}},
    {{"aa", 2}, {.type = MU_VALUE_NUMBER, .text = {"1", 1}}},
};
static const struct mu_value object = {.type = MU_VALUE_OBJECT, .object = {fields, 4}};

START_TEST(a_field_is_found) {
    ck_assert_ptr_eq(mu_value_get(&object, "a"), &fields[0].value);
    ck_assert_ptr_eq(mu_value_get(&object, ""), &fields[2].value);
    ck_assert_ptr_eq(mu_value_get(&object, "aa"), &fields[3].value);
}
END_TEST

START_TEST(what_is_absent_or_null_is_null) {
    const struct mu_value empty = {.type = MU_VALUE_OBJECT}, array = {.type = MU_VALUE_ARRAY};
    ck_assert_ptr_null(mu_value_get(&object, "b"));
    ck_assert_ptr_null(mu_value_get(&object, "gone"));
    ck_assert_ptr_null(mu_value_get(&object, "aaa"));
    ck_assert_ptr_null(mu_value_get(&empty, "a"));
    ck_assert_ptr_null(mu_value_get(&array, "a"));
    ck_assert_ptr_null(mu_value_get(&fields[0].value, "a"));
    ck_assert_ptr_null(mu_value_get(NULL, "a"));
    ck_assert_ptr_null(mu_value_get(mu_value_get(&object, "b"), "a"));
}
END_TEST

START_TEST(types_have_names) {
    static const char *const names[] = {"null", "boolean", "number", "string", "array", "object"};
    for (int type = MU_VALUE_NULL; type <= MU_VALUE_OBJECT; type++)
        ck_assert_str_eq(mu_value_type_name((enum mu_value_type)type), names[type]);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, a_field_is_found);
    tcase_add_test(tests, what_is_absent_or_null_is_null);
    tcase_add_test(tests, types_have_names);
}

int main(void) {
    return mu_suite_run("value", add);
}
