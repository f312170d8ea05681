/* Errors: codes, texts that are cut, prefixes, and the end of the process. */
#include "scheduler/base/err.h"
#include "tests/lib/suite.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <wchar.h>

enum { TEXT_MAX = sizeof((struct mu_err *)NULL)->text - 1 };

START_TEST(set_fills_in_code_and_text) {
    struct mu_err err = {0};
    ck_assert_int_eq(mu_err_set(&err, MU_E_PARSE, "line %d: %s", 7, "no such thing"), MU_E_PARSE);
    ck_assert_int_eq(err.code, MU_E_PARSE);
    ck_assert_str_eq(err.text, "line 7: no such thing");
}
END_TEST

START_TEST(set_and_wrap_take_no_record) {
    ck_assert_int_eq(mu_err_set(NULL, MU_E_IO, "%s", "x"), MU_E_IO);
    ck_assert_int_eq(mu_err_wrap(NULL, MU_E_IO, "%s", "x"), MU_E_IO);
}
END_TEST

START_TEST(set_may_use_its_own_text) {
    struct mu_err err = {0};
    mu_err_set(&err, MU_E_IO, "disk");
    mu_err_set(&err, MU_E_LIMIT, "%s and %s", err.text, err.text);
    ck_assert_str_eq(err.text, "disk and disk");
}
END_TEST

START_TEST(wrap_puts_prefix_and_keeps_code) {
    struct mu_err err = {0};
    mu_err_set(&err, MU_E_PARSE, "not a number");
    ck_assert_int_eq(mu_err_wrap(&err, MU_E_IO, "pod %s/%s", "ns", "name"), MU_E_PARSE);
    ck_assert_int_eq(mu_err_wrap(&err, MU_E_IO, "file"), MU_E_PARSE);
    ck_assert_str_eq(err.text, "file: pod ns/name: not a number");
}
END_TEST

START_TEST(wrap_of_unset_error_sets_it) {
    struct mu_err err = {0};
    ck_assert_int_eq(mu_err_wrap(&err, MU_E_IO, "pod %d", 1), MU_E_IO);
    ck_assert_int_eq(err.code, MU_E_IO);
    ck_assert_str_eq(err.text, "pod 1");
}
END_TEST

/* A text of `letters` letters and then `rune` fits as far as it is whole. */
static const struct {
    size_t letters;
    const char *rune;
    size_t len;
} cuts[] = {
    {0, "", 0},
    {TEXT_MAX, "", TEXT_MAX},
    {TEXT_MAX + 1, "", TEXT_MAX},
    {TEXT_MAX * 4, "", TEXT_MAX},
    {TEXT_MAX - 2, "é", TEXT_MAX},
    {TEXT_MAX - 1, "é", TEXT_MAX - 1},
    {TEXT_MAX - 3, "€", TEXT_MAX},
    {TEXT_MAX - 2, "€", TEXT_MAX - 2},
    {TEXT_MAX - 1, "€", TEXT_MAX - 1},
    {TEXT_MAX - 4, "😀", TEXT_MAX},
    {TEXT_MAX - 3, "😀", TEXT_MAX - 3},
    {TEXT_MAX - 1, "😀", TEXT_MAX - 1},
    {TEXT_MAX - 2, "éé", TEXT_MAX},
    {TEXT_MAX - 1, "\x80\x80", TEXT_MAX}, /* no UTF-8: nothing to keep whole */
};

START_TEST(long_text_is_cut_between_runes) {
    char text[TEXT_MAX * 4 + 8];
    memset(text, 'a', cuts[_i].letters);
    memcpy(text + cuts[_i].letters, cuts[_i].rune, strlen(cuts[_i].rune) + 1);

    struct mu_err err = {0};
    mu_err_set(&err, MU_E_IO, "%s", text);
    ck_assert_uint_eq(strlen(err.text), cuts[_i].len);
    ck_assert_int_eq(memcmp(err.text, text, cuts[_i].len), 0);
}
END_TEST

START_TEST(long_wrapped_text_is_cut_between_runes) {
    struct mu_err err = {0};
    mu_err_set(&err, MU_E_IO, "%*s€", TEXT_MAX - 4, "x");
    mu_err_wrap(&err, MU_E_IO, "ab");
    ck_assert_uint_eq(strlen(err.text), TEXT_MAX);

    mu_err_set(&err, MU_E_IO, "%*s€", TEXT_MAX - 6, "x");
    mu_err_wrap(&err, MU_E_IO, "ab");
    ck_assert_uint_eq(strlen(err.text), TEXT_MAX - 2);

    mu_err_set(&err, MU_E_IO, "short");
    mu_err_wrap(&err, MU_E_IO, "%*s", TEXT_MAX * 2, "x");
    ck_assert_int_eq(err.code, MU_E_IO);
    ck_assert_uint_eq(strlen(err.text), TEXT_MAX);
}
END_TEST

/* A character that does not exist is one of the few things that make formatting fail. */
START_TEST(unprintable_arguments_leave_the_code) {
    static const wint_t no_character = 0x110000;
    struct mu_err err = {0};
    ck_assert_int_eq(mu_err_set(&err, MU_E_IO, "%lc", no_character), MU_E_IO);
    ck_assert_int_eq(err.code, MU_E_IO);
    ck_assert_str_eq(err.text, "");
}
END_TEST

static void break_invariant(void) {
    MU_ASSERT(1 + 1 == 2);
    MU_ASSERT(1 + 1 == 3);
}

START_TEST(broken_invariant_ends_the_process) {
    int status = mu_child_status(break_invariant);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGABRT);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, set_fills_in_code_and_text);
    tcase_add_test(tests, set_and_wrap_take_no_record);
    tcase_add_test(tests, set_may_use_its_own_text);
    tcase_add_test(tests, wrap_puts_prefix_and_keeps_code);
    tcase_add_test(tests, wrap_of_unset_error_sets_it);
    tcase_add_loop_test(tests, long_text_is_cut_between_runes, 0, sizeof cuts / sizeof *cuts);
    tcase_add_test(tests, long_wrapped_text_is_cut_between_runes);
    tcase_add_test(tests, unprintable_arguments_leave_the_code);
    tcase_add_test(tests, broken_invariant_ends_the_process);
}

int main(void) {
    return mu_suite_run("err", add_tests);
}
