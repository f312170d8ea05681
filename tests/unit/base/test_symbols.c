/* Symbols: equal strings have equal numbers, texts stay where they are, and memory that fails. */
#include "scheduler/base/map.h"
#include "tests/lib/faults.h"
#include "tests/lib/suite.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 2000, TEXT_MAX = 32 };

static struct mu_arena *arena;
static struct mu_symbols symbols;

static void setup(void) {
    arena = mu_arena_create(0, NULL);
    ck_assert_ptr_nonnull(arena);
    mu_symbols_init(&symbols, arena, 42);
}

static void teardown(void) {
    mu_arena_destroy(arena);
}

/* The i-th of many different strings; valid until the next call. */
static struct mu_str text_of(size_t i) {
    static char text[TEXT_MAX];
    int len = snprintf(text, sizeof text, "label-%zu", i);
    return (struct mu_str){text, (size_t)len};
}

START_TEST(empty_string_is_symbol_0) {
    ck_assert_uint_eq(mu_intern(&symbols, MU_STR("")), 0);
    ck_assert_uint_eq(mu_intern(&symbols, (struct mu_str){NULL, 0}), 0);
    ck_assert_uint_eq(mu_symbol_find(&symbols, MU_STR("")), 0);
    ck_assert_uint_eq(mu_text(&symbols, 0).len, 0);
    ck_assert_str_eq(mu_text(&symbols, 0).ptr, "");
}
END_TEST

START_TEST(equal_strings_have_equal_symbols) {
    for (size_t i = 0; i < COUNT; i++) {
        ck_assert_uint_eq(mu_symbol_find(&symbols, text_of(i)), 0);
        ck_assert_uint_eq(mu_intern(&symbols, text_of(i)), i + 1);
    }
    for (size_t i = 0; i < COUNT; i++) {
        ck_assert_uint_eq(mu_intern(&symbols, text_of(i)), i + 1);
        ck_assert_uint_eq(mu_symbol_find(&symbols, text_of(i)), i + 1);
        struct mu_str text = mu_text(&symbols, (mu_sym)(i + 1));
        ck_assert(mu_str_eq(text, text_of(i)));
        ck_assert_int_eq(text.ptr[text.len], '\0');
    }
    ck_assert_uint_eq(symbols.len, COUNT + 1);
}
END_TEST

START_TEST(bytes_may_be_any) {
    struct mu_str with_nul = {"a\0b", 3}, other = {"a\0c", 3};
    mu_sym sym = mu_intern(&symbols, with_nul);
    ck_assert_uint_ne(mu_intern(&symbols, other), sym);
    ck_assert_uint_ne(mu_intern(&symbols, MU_STR("a")), sym);
    ck_assert(mu_str_eq(mu_text(&symbols, sym), with_nul));
}
END_TEST

START_TEST(order_is_that_of_the_strings) {
    mu_sym b = mu_intern(&symbols, MU_STR("b")), a = mu_intern(&symbols, MU_STR("a")),
           aa = mu_intern(&symbols, MU_STR("aa"));
    ck_assert_int_gt(mu_sym_cmp(&symbols, b, a), 0);
    ck_assert_int_lt(mu_sym_cmp(&symbols, a, b), 0);
    ck_assert_int_lt(mu_sym_cmp(&symbols, a, aa), 0);
    ck_assert_int_lt(mu_sym_cmp(&symbols, 0, a), 0);
    ck_assert_int_eq(mu_sym_cmp(&symbols, aa, aa), 0);
}
END_TEST

struct filling {
    struct mu_symbols *symbols;
    size_t next;
};

static int init(void *ctx, struct mu_err *err) {
    struct filling *filling = ctx;
    (void)err;
    mu_symbols_init(filling->symbols, filling->symbols->arena, 1);
    return MU_OK;
}

static int fill(void *ctx, struct mu_err *err) {
    struct filling *filling = ctx;
    (void)err;
    for (; filling->next < COUNT; filling->next++)
        ck_assert_uint_eq(mu_intern(filling->symbols, text_of(filling->next)), filling->next + 1);
    return MU_OK;
}

static void fill_with_faults(struct mu_arena *failing, const struct mu_faults *faults) {
    struct mu_symbols table = {.arena = failing};
    struct filling filling = {.symbols = &table};
    if (mu_arena_run(failing, init, &filling, NULL) != MU_OK)
        return;
    int code = mu_arena_run(failing, fill, &filling, NULL);
    ck_assert_int_eq(code, faults->failed > 0 ? MU_E_NOMEM : MU_OK);
    ck_assert_uint_eq(table.len, filling.next + 1);
    ck_assert_int_eq(mu_arena_run(failing, fill, &filling, NULL), MU_OK);
    for (size_t i = 0; i < COUNT; i++)
        ck_assert_uint_eq(mu_symbol_find(&table, text_of(i)), i + 1);
}

/* A string is interned wholly or not at all, and interning can go on. */
START_TEST(intern_without_memory_changes_nothing) {
    size_t failed = 1;
    for (size_t n = 1; failed > 0; n++) {
        struct mu_faults faults = {.fail_at = n};
        struct mu_memory memory = mu_faults_memory(&faults);
        struct mu_arena *failing = mu_arena_create(0, &memory);
        if (failing != NULL)
            fill_with_faults(failing, &faults);
        mu_arena_destroy(failing);
        ck_assert_uint_eq(faults.live, 0);
        failed = faults.failed;
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, empty_string_is_symbol_0);
    tcase_add_test(tests, equal_strings_have_equal_symbols);
    tcase_add_test(tests, bytes_may_be_any);
    tcase_add_test(tests, order_is_that_of_the_strings);
    tcase_add_test(tests, intern_without_memory_changes_nothing);
}

int main(void) {
    return mu_suite_run("symbols", add_tests);
}
