/* Numbers from and to text, whatever the locale; and UTF-8. */
#include "scheduler/devices/cel/numbers.h"
#include "scheduler/devices/cel/unicode.h"
#include "tests/lib/suite.h"

#include <locale.h>

static const struct {
    double value;
    const char *text;
} shortest[] = {
    {0, "0"},
    {-0.0, "-0"},
    {1, "1"},
    {100000, "100000"},
    {1000000, "1e+06"},
    {123456789, "1.23456789e+08"},
    {0.0001, "0.0001"},
    {0.00001, "1e-05"},
    {0.1, "0.1"},
    {123.456, "123.456"},
    {-4.5e-3, "-0.0045"},
    {1.7976931348623157e308, "1.7976931348623157e+308"},
    {5e-324, "5e-324"},
    {2.2250738585072014e-308, "2.2250738585072014e-308"},
    {9007199254740993.0, "9.007199254740992e+15"},
};

START_TEST(test_shortest) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    struct mu_str text = mu_cel_write_double(arena, shortest[_i].value);
    ck_assert_msg(mu_str_eq(text, mu_str_from(shortest[_i].text)), "%s: " MU_STR_FMT, shortest[_i].text,
                  MU_STR_ARG(text));
    double back;
    ck_assert(mu_cel_read_double(text, &back) && back == shortest[_i].value);
    mu_arena_destroy(arena);
}
END_TEST

START_TEST(test_read_double) {
    static const struct {
        const char *text;
        bool fine;
        double value;
    } cases[] = {
        {"1", true, 1},
        {"+1.5", true, 1.5},
        {".5", true, 0.5},
        {"5.", true, 5},
        {"1e3", true, 1000},
        {"1E-2", true, 0.01},
        {"1e-99999", true, 0},
        {"00000000000000000000000000000001", true, 1},
        {"0.000000000000000000000000000000000000000000000000000000001e57", true, 1},
        {"-inf", true, -__builtin_inf()},
        {"Infinity", true, __builtin_inf()},
        {"1e309", false, 0},
        {"", false, 0},
        {".", false, 0},
        {"1e", false, 0},
        {"1e+", false, 0},
        {"1 ", false, 0},
        {" 1", false, 0},
        {"1,5", false, 0},
        {"0x1p3", false, 0},
        {"--1", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 0;
        bool fine = mu_cel_read_double(mu_str_from(cases[i].text), &value);
        ck_assert_msg(fine == cases[i].fine && (!fine || value == cases[i].value), "%s: %d %g", cases[i].text, fine,
                      value);
    }
}
END_TEST

START_TEST(test_integers) {
    int64_t i;
    uint64_t u;
    ck_assert(mu_cel_read_int(MU_STR("-9223372036854775808"), &i) && i == INT64_MIN);
    ck_assert(mu_cel_read_int(MU_STR("+7"), &i) && i == 7);
    ck_assert(!mu_cel_read_int(MU_STR("9223372036854775808"), &i));
    ck_assert(!mu_cel_read_int(MU_STR(""), &i) && !mu_cel_read_int(MU_STR("-"), &i));
    ck_assert(mu_cel_read_natural(MU_STR("18446744073709551615"), false, &u) && u == UINT64_MAX);
    ck_assert(!mu_cel_read_natural(MU_STR("18446744073709551616"), false, &u));
    ck_assert(mu_cel_read_natural(MU_STR("0xfF"), true, &u) && u == 255);
    ck_assert(!mu_cel_read_natural(MU_STR("0xff"), false, &u));
}
END_TEST

START_TEST(test_fixed) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    ck_assert(mu_str_eq(mu_cel_write_fixed(arena, 1.2345, 3), MU_STR("1.234")));
    ck_assert(mu_str_eq(mu_cel_write_fixed(arena, 2.5, 0), MU_STR("2")));
    ck_assert(mu_str_eq(mu_cel_write_scientific(arena, 1052.032911275, 6), MU_STR("1.052033e+03")));
    ck_assert(mu_str_eq(mu_cel_write_scientific(arena, 0, 2), MU_STR("0.00e+00")));
    ck_assert(mu_str_eq(mu_cel_write_fixed(arena, -__builtin_inf(), 3), MU_STR("-Inf")));
    mu_arena_destroy(arena);
}
END_TEST

/* With a comma for a point, where there is such a locale. */
START_TEST(test_locale) {
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"};
    struct mu_arena *arena = mu_arena_create(0, NULL);
    double value;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i]) != NULL)
            break;
    ck_assert(mu_str_eq(mu_cel_write_double(arena, 1.5), MU_STR("1.5")));
    ck_assert(mu_str_eq(mu_cel_write_fixed(arena, 1234.5, 2), MU_STR("1234.50")));
    ck_assert(mu_str_eq(mu_cel_write_scientific(arena, 1234.5, 2), MU_STR("1.23e+03")));
    ck_assert(mu_cel_read_double(MU_STR("1.5"), &value) && value == 1.5);
    ck_assert(!mu_cel_read_double(MU_STR("1,5"), &value));
    setlocale(LC_ALL, "C");
    mu_arena_destroy(arena);
}
END_TEST

START_TEST(test_unicode) {
    size_t len;
    char out[4];
    ck_assert_uint_eq(mu_rune_count(MU_STR("a\xc3\xa9\xe2\x9c\x8c\xf0\x9f\x90\xb1")), 4);
    ck_assert_uint_eq(mu_rune_count(MU_STR("\xff\xc3")), 2);
    ck_assert_uint_eq(mu_rune_at(MU_STR("\xed\xa0\x80"), 0, &len), MU_RUNE_ERROR); /* a surrogate */
    ck_assert_uint_eq(len, 1);
    ck_assert_uint_eq(mu_rune_at(MU_STR("\xc0\x80"), 0, &len), MU_RUNE_ERROR);         /* overlong */
    ck_assert_uint_eq(mu_rune_at(MU_STR("\xf4\x90\x80\x80"), 0, &len), MU_RUNE_ERROR); /* past the end */
    ck_assert_uint_eq(mu_rune_at(MU_STR("\xf4\x8f\xbf\xbf"), 0, &len), MU_RUNE_MAX);
    ck_assert(mu_utf8_valid(MU_STR("\xe2\x9c\x8c")) && !mu_utf8_valid(MU_STR("\xe2\x9c")));
    ck_assert_uint_eq(mu_rune_offset(MU_STR("\xc3\xa9xy"), 2), 3);
    ck_assert_uint_eq(mu_rune_put(out, 0x1f431), 4);
    ck_assert(memcmp(out, "\xf0\x9f\x90\xb1", 4) == 0);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, test_shortest, 0, (int)(sizeof shortest / sizeof *shortest));
    tcase_add_test(tests, test_read_double);
    tcase_add_test(tests, test_integers);
    tcase_add_test(tests, test_fixed);
    tcase_add_test(tests, test_locale);
    tcase_add_test(tests, test_unicode);
}

int main(void) {
    return mu_suite_run("numbers", add);
}
