/* Labels and selectors, with a straightforward model beside them. */
#include "scheduler/objects/labels.h"
#include "tests/lib/random.h"
#include "tests/lib/suite.h"

static struct mu_arena *arena;
static struct mu_symbols symbols;

static void setup(void) {
    arena = mu_arena_create(0, NULL);
    ck_assert_ptr_nonnull(arena);
    mu_symbols_init(&symbols, arena, 1);
}

static void teardown(void) {
    mu_arena_destroy(arena);
}

static mu_sym sym(const char *text) {
    return mu_intern(&symbols, mu_str_from(text));
}

/* ---- Sorting and looking up ---- */

static const struct mu_label *last_with(const struct mu_label *items, size_t len, mu_sym key) {
    for (size_t i = len; i > 0; i--)
        if (items[i - 1].key == key)
            return &items[i - 1];
    return NULL;
}

static void check_sorted(const struct mu_label *from, size_t len, mu_sym keys) {
    struct mu_label *items = MU_NEW_ARRAY(arena, struct mu_label, len);
    if (len > 0)
        memcpy(items, from, len * sizeof *items);
    struct mu_labels labels = mu_labels_sort(items, len);
    for (uint32_t i = 1; i < labels.len; i++)
        ck_assert_uint_lt(labels.items[i - 1].key, labels.items[i].key);
    uint32_t found = 0;
    for (mu_sym key = 0; key < keys; key++) {
        const struct mu_label *expected = last_with(from, len, key);
        mu_sym value = 4711;
        ck_assert_int_eq(mu_labels_get(&labels, key, &value), expected != NULL);
        ck_assert_uint_eq(value, expected != NULL ? expected->value : 4711);
        found += expected != NULL;
    }
    ck_assert_uint_eq(labels.len, found);
}

START_TEST(labels_are_sorted_and_the_later_one_counts) {
    struct mu_random random = {.state = 3};
    for (int i = 0; i < 1000; i++) {
        struct mu_arena_mark mark = mu_arena_mark(arena);
        size_t len = mu_random_below(&random, 60);
        mu_sym keys = (mu_sym)(1 + mu_random_below(&random, 80));
        struct mu_label *items = MU_NEW_ARRAY(arena, struct mu_label, len);
        for (size_t j = 0; j < len; j++)
            items[j] = (struct mu_label){.key = (mu_sym)mu_random_below(&random, keys), .value = (mu_sym)j};
        check_sorted(items, len, keys);
        mu_arena_rollback(arena, mark);
    }
}
END_TEST

/* Orders that a sort may stumble over, at a size where a square would show. */
START_TEST(many_labels_are_sorted_fast) {
    enum { LEN = 50000 };
    struct mu_label *items = MU_NEW_ARRAY(arena, struct mu_label, LEN);
    for (int order = 0; order < 4; order++) {
        for (mu_sym i = 0; i < LEN; i++)
            items[i].key = order == 0 ? i : order == 1 ? LEN - i : order == 2 ? 7 : (i * 7919) % LEN;
        struct mu_labels labels = mu_labels_sort(items, LEN);
        ck_assert_uint_eq(labels.len, order == 2 ? 1 : LEN);
        for (uint32_t i = 1; i < labels.len; i++)
            ck_assert_uint_lt(labels.items[i - 1].key, labels.items[i].key);
    }
}
END_TEST

START_TEST(no_labels) {
    struct mu_labels none = mu_labels_sort(NULL, 0);
    mu_sym value;
    ck_assert_uint_eq(none.len, 0);
    ck_assert(!mu_labels_get(&none, 0, &value));
    ck_assert(!mu_labels_get(&(struct mu_labels){0}, 1, &value));
}
END_TEST

/* ---- Requirements ---- */

/* One label `k` (NULL: none), one requirement on `k`, and what apimachinery's Requirement.Matches says. */
static const struct {
    const char *label;
    enum mu_op op;
    const char *values[3];
    bool has_number;
    int64_t number;
    bool matches;
} requirements[] = {
    {"a", MU_OP_IN, {"a"}, .matches = true},
    {"a", MU_OP_IN, {"b", "a"}, .matches = true},
    {"a", MU_OP_IN, {"b"}, .matches = false},
    {"a", MU_OP_IN, {NULL}, .matches = false},
    {"", MU_OP_IN, {""}, .matches = true},
    {"", MU_OP_IN, {"a"}, .matches = false},
    {NULL, MU_OP_IN, {"a"}, .matches = false},
    {NULL, MU_OP_IN, {""}, .matches = false},
    {"a", MU_OP_NOT_IN, {"a"}, .matches = false},
    {"a", MU_OP_NOT_IN, {"b", "c"}, .matches = true},
    {"", MU_OP_NOT_IN, {""}, .matches = false},
    {NULL, MU_OP_NOT_IN, {"a"}, .matches = true},
    {NULL, MU_OP_NOT_IN, {""}, .matches = true},
    {"a", MU_OP_EXISTS, .matches = true},
    {"", MU_OP_EXISTS, .matches = true},
    {NULL, MU_OP_EXISTS, .matches = false},
    {"a", MU_OP_DOES_NOT_EXIST, .matches = false},
    {"", MU_OP_DOES_NOT_EXIST, .matches = false},
    {NULL, MU_OP_DOES_NOT_EXIST, .matches = true},
    {"5", MU_OP_GT, .has_number = true, .number = 4, .matches = true},
    {"5", MU_OP_GT, .has_number = true, .number = 5, .matches = false},
    {"5", MU_OP_GT, .has_number = true, .number = 6, .matches = false},
    {"-5", MU_OP_GT, .has_number = true, .number = -6, .matches = true},
    {"+5", MU_OP_GT, .has_number = true, .number = 4, .matches = true},
    {"10", MU_OP_GT, .has_number = true, .number = 9, .matches = true},
    {"5", MU_OP_GT, .number = 0, .matches = false},
    {"5.5", MU_OP_GT, .has_number = true, .number = 4, .matches = false},
    {"0x9", MU_OP_GT, .has_number = true, .number = 4, .matches = false},
    {"five", MU_OP_GT, .has_number = true, .number = 4, .matches = false},
    {"", MU_OP_GT, .has_number = true, .number = -1, .matches = false},
    {"9223372036854775807", MU_OP_GT, .has_number = true, .number = INT64_MAX - 1, .matches = true},
    {"9223372036854775808", MU_OP_GT, .has_number = true, .number = 4, .matches = false},
    {NULL, MU_OP_GT, .has_number = true, .number = -1, .matches = false},
    {"5", MU_OP_LT, .has_number = true, .number = 6, .matches = true},
    {"5", MU_OP_LT, .has_number = true, .number = 5, .matches = false},
    {"5", MU_OP_LT, .has_number = true, .number = 4, .matches = false},
    {"5", MU_OP_LT, .number = 6, .matches = false},
    {"five", MU_OP_LT, .has_number = true, .number = 6, .matches = false},
    {"-9223372036854775808", MU_OP_LT, .has_number = true, .number = 0, .matches = true},
    {NULL, MU_OP_LT, .has_number = true, .number = 6, .matches = false},
};

START_TEST(requirements_match_as_in_apimachinery) {
    mu_sym values[3];
    uint32_t len = 0;
    for (; len < 3 && requirements[_i].values[len] != NULL; len++)
        values[len] = sym(requirements[_i].values[len]);
    struct mu_requirement requirement = {
        .key = sym("k"),
        .op = requirements[_i].op,
        .values = values,
        .values_len = len,
        .number = requirements[_i].number,
        .has_number = requirements[_i].has_number,
    };
    struct mu_label items[3] = {{sym("a"), sym("z")}, {sym("z"), sym("a")}};
    size_t count = 2;
    if (requirements[_i].label != NULL)
        items[count++] = (struct mu_label){sym("k"), sym(requirements[_i].label)};
    struct mu_labels labels = mu_labels_sort(items, count);
    ck_assert_int_eq(mu_requirement_matches(&requirement, &labels, &symbols), requirements[_i].matches);
}
END_TEST

static struct mu_requirement has(const char *key) {
    return (struct mu_requirement){.key = sym(key), .op = MU_OP_EXISTS};
}

START_TEST(all_of_a_selector_must_match) {
    struct mu_label items[] = {{sym("a"), sym("1")}, {sym("b"), sym("2")}};
    struct mu_labels labels = mu_labels_sort(items, 2), none = {0};
    struct mu_requirement both[] = {has("a"), has("b")}, one_missing[] = {has("a"), has("c")};
    ck_assert(mu_selector_matches(&(struct mu_selector){both, 2}, &labels, &symbols));
    ck_assert(!mu_selector_matches(&(struct mu_selector){one_missing, 2}, &labels, &symbols));
    ck_assert(mu_selector_matches(&(struct mu_selector){one_missing, 1}, &labels, &symbols));
    ck_assert(!mu_selector_matches(&(struct mu_selector){both, 1}, &none, &symbols));
    ck_assert(mu_selector_matches(&(struct mu_selector){0}, &labels, &symbols));
    ck_assert(mu_selector_matches(&(struct mu_selector){0}, &none, &symbols));
}
END_TEST

/* ---- Terms of a node selector ---- */

static bool terms_match(const struct mu_node_term *terms, size_t len) {
    struct mu_label items[] = {{sym("zone"), sym("z1")}};
    struct mu_labels labels = mu_labels_sort(items, 1);
    return mu_node_terms_match(terms, len, &labels, sym("n1"), &symbols);
}

START_TEST(terms_are_alternatives) {
    struct mu_requirement zone = has("zone"), rack = has("rack");
    struct mu_node_term terms[] = {{.expressions = {&rack, 1}}, {.expressions = {&zone, 1}}};
    ck_assert(terms_match(terms, 2));
    ck_assert(!terms_match(terms, 1));
    ck_assert(terms_match(terms + 1, 1));
    ck_assert(!terms_match(NULL, 0));
}
END_TEST

START_TEST(an_empty_term_matches_nothing) {
    struct mu_requirement zone = has("zone");
    struct mu_node_term terms[] = {{.weight = 1}, {.expressions = {&zone, 1}}};
    ck_assert(!terms_match(terms, 1));
    ck_assert(terms_match(terms, 2));
}
END_TEST

START_TEST(fields_are_the_name) {
    mu_sym names[] = {sym("n2"), sym("n1")};
    struct mu_requirement zone = has("zone"), rack = has("rack");
    struct mu_requirement is = {.key = sym("metadata.name"), .op = MU_OP_IN, .values = names, .values_len = 2};
    struct mu_requirement is_other = {.key = sym("metadata.name"), .op = MU_OP_IN, .values = names, .values_len = 1};
    struct mu_requirement is_not = {.key = sym("metadata.name"), .op = MU_OP_NOT_IN, .values = names, .values_len = 2};
    struct mu_requirement uid = {.key = sym("metadata.uid"), .op = MU_OP_IN, .values = names, .values_len = 2};
    ck_assert(terms_match(&(struct mu_node_term){.fields = {&is, 1}}, 1));
    ck_assert(!terms_match(&(struct mu_node_term){.fields = {&is_other, 1}}, 1));
    ck_assert(!terms_match(&(struct mu_node_term){.fields = {&is_not, 1}}, 1));
    ck_assert(!terms_match(&(struct mu_node_term){.fields = {&uid, 1}}, 1));
    ck_assert(terms_match(&(struct mu_node_term){.fields = {&is, 1}, .expressions = {&zone, 1}}, 1));
    ck_assert(!terms_match(&(struct mu_node_term){.fields = {&is, 1}, .expressions = {&rack, 1}}, 1));
    ck_assert(!terms_match(&(struct mu_node_term){.fields = {&is_other, 1}, .expressions = {&zone, 1}}, 1));
}
END_TEST

/* A label called metadata.name is a label all the same. */
START_TEST(a_label_is_no_field) {
    mu_sym name = sym("n9");
    struct mu_label items[] = {{sym("metadata.name"), sym("n9")}};
    struct mu_labels labels = mu_labels_sort(items, 1);
    struct mu_requirement is = {.key = sym("metadata.name"), .op = MU_OP_IN, .values = &name, .values_len = 1};
    ck_assert(!mu_node_terms_match(&(struct mu_node_term){.fields = {&is, 1}}, 1, &labels, sym("n1"), &symbols));
    ck_assert(mu_node_terms_match(&(struct mu_node_term){.expressions = {&is, 1}}, 1, &labels, sym("n1"), &symbols));
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, labels_are_sorted_and_the_later_one_counts);
    tcase_add_test(tests, many_labels_are_sorted_fast);
    tcase_add_test(tests, no_labels);
    tcase_add_loop_test(tests, requirements_match_as_in_apimachinery, 0, sizeof requirements / sizeof *requirements);
    tcase_add_test(tests, all_of_a_selector_must_match);
    tcase_add_test(tests, terms_are_alternatives);
    tcase_add_test(tests, an_empty_term_matches_nothing);
    tcase_add_test(tests, fields_are_the_name);
    tcase_add_test(tests, a_label_is_no_field);
}

int main(void) {
    return mu_suite_run("labels", add);
}
