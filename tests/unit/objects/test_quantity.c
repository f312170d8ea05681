/* Quantities: against what Kubernetes makes of them, and against arithmetic on decimal digits that shares nothing with
 * the code under test. */
#include "scheduler/objects/quantity.h"
#include "tests/lib/random.h"
#include "tests/lib/suite.h"
#include "tests/unit/objects/quantity_cases.h"

#include <stdio.h>

static struct mu_arena *arena;

static void setup(void) {
    arena = mu_arena_create(0, NULL);
    ck_assert_ptr_nonnull(arena);
}

static void teardown(void) {
    mu_arena_destroy(arena);
}

/* ---- Natural numbers as digits, the lowest first ---- */

enum { DIGITS_MAX = 400 };

struct natural {
    unsigned char digits[DIGITS_MAX];
    size_t len; /* no zeros at the top */
};

static void natural_trim(struct natural *n) {
    while (n->len > 0 && n->digits[n->len - 1] == 0)
        n->len--;
}

static void natural_from(struct natural *n, struct mu_str text) {
    ck_assert_uint_le(text.len, DIGITS_MAX);
    n->len = text.len;
    for (size_t i = 0; i < text.len; i++)
        n->digits[i] = (unsigned char)(text.ptr[text.len - 1 - i] - '0');
    natural_trim(n);
}

static void natural_times(struct natural *n, unsigned by) {
    unsigned carry = 0;
    for (size_t i = 0; i < n->len || carry > 0; i++) {
        ck_assert_uint_lt(i, DIGITS_MAX);
        unsigned digit = (i < n->len ? n->digits[i] : 0) * by + carry;
        n->digits[i] = (unsigned char)(digit % 10);
        carry = digit / 10;
        n->len = i < n->len ? n->len : i + 1;
    }
}

/* By 10^power, what is left over rounded up. */
static void natural_shift(struct natural *n, int power) {
    for (; power > 0 && n->len > 0; power--)
        natural_times(n, 10);
    bool rest = false;
    for (; power < 0; power++) {
        rest = rest || (n->len > 0 && n->digits[0] != 0);
        for (size_t i = 1; i < n->len; i++)
            n->digits[i - 1] = n->digits[i];
        n->len -= n->len > 0;
    }
    for (size_t i = 0; rest; i++) {
        if (i == n->len)
            n->digits[n->len++] = 0;
        n->digits[i] = (unsigned char)((n->digits[i] + 1) % 10);
        rest = n->digits[i] == 0;
    }
}

static struct mu_str natural_text(const struct natural *n) {
    struct mu_buf buf;
    mu_buf_init(&buf, arena);
    for (size_t i = n->len; i > 0; i--)
        mu_buf_add_char(&buf, (char)('0' + n->digits[i - 1]));
    return n->len > 0 ? mu_buf_str(&buf) : MU_STR("0");
}

static int digits_cmp(struct mu_str a, struct mu_str b) {
    return a.len != b.len ? (a.len < b.len ? -1 : 1) : mu_str_cmp(a, b);
}

/* ---- What is expected ---- */

static struct mu_str i128_text(mu_i128 value) {
    char text[48];
    size_t at = sizeof text;
    mu_i128 rest = value; /* of the same sign: the lowest has no positive one */
    do {
        int digit = (int)(rest % 10);
        text[--at] = (char)('0' + (digit < 0 ? -digit : digit));
        rest /= 10;
    } while (rest != 0);
    if (value < 0)
        text[--at] = '-';
    return mu_str_dup(arena, (struct mu_str){text + at, sizeof text - at});
}

static const struct {
    const char *text;
    int thousand, kibi, power; /* factors 1000, 1024 and 10, of nano */
} suffixes[] = {
    {"n", 0, 0, 0},      {"u", 1, 0, 0},    {"m", 2, 0, 0},      {"", 3, 0, 0},     {"k", 4, 0, 0},
    {"M", 5, 0, 0},      {"G", 6, 0, 0},    {"T", 7, 0, 0},      {"P", 8, 0, 0},    {"E", 9, 0, 0},
    {"Ki", 3, 1, 0},     {"Mi", 3, 2, 0},   {"Gi", 3, 3, 0},     {"Ti", 3, 4, 0},   {"Pi", 3, 5, 0},
    {"Ei", 3, 6, 0},     {"e0", 3, 0, 0},   {"e5", 3, 0, 5},     {"E+7", 3, 0, 7},  {"e-3", 3, 0, -3},
    {"E-12", 3, 0, -12}, {"e28", 3, 0, 28}, {"e-50", 3, 0, -50}, {"E90", 3, 0, 90}, {"e+0003", 3, 0, 3},
};
enum { SUFFIX_COUNT = sizeof suffixes / sizeof *suffixes };

static struct mu_str random_digits(struct mu_random *random, size_t max) {
    struct mu_buf buf;
    mu_buf_init(&buf, arena);
    mu_buf_add(&buf, MU_STR(""));
    size_t len = mu_random_below(random, max + 1);
    bool round = mu_random_below(random, 4) == 0; /* zeros are where edges are */
    for (size_t i = 0; i < len; i++)
        mu_buf_add_char(&buf, (char)('0' + (round ? mu_random_below(random, 6) / 5 : mu_random_below(random, 10))));
    return mu_buf_str(&buf);
}

static void check_random(struct mu_random *random) {
    static const size_t sizes[] = {2, 10, 20, 45};
    struct mu_str whole = random_digits(random, sizes[mu_random_below(random, 4)]);
    struct mu_str fraction = random_digits(random, sizes[mu_random_below(random, 4)]);
    if (whole.len + fraction.len == 0)
        return;
    size_t suffix = mu_random_below(random, SUFFIX_COUNT);
    const char *sign = (const char *[]){"", "-", "+"}[mu_random_below(random, 3)];
    struct mu_str text = mu_str_printf(arena, "%s" MU_STR_FMT "%s" MU_STR_FMT "%s", sign, MU_STR_ARG(whole),
                                       fraction.len > 0 ? "." : "", MU_STR_ARG(fraction), suffixes[suffix].text);

    struct natural n;
    natural_from(&n, mu_str_printf(arena, MU_STR_FMT MU_STR_FMT, MU_STR_ARG(whole), MU_STR_ARG(fraction)));
    for (int i = 0; i < suffixes[suffix].kibi; i++)
        natural_times(&n, 1024);
    natural_shift(&n, 3 * suffixes[suffix].thousand + suffixes[suffix].power - (int)fraction.len);
    struct mu_str nano = natural_text(&n);

    bool negative = sign[0] == '-' && n.len > 0;
    struct mu_str max = negative ? MU_STR("170141183460469231731687303715884105728")
                                 : MU_STR("170141183460469231731687303715884105727");
    struct mu_str units_max =
        negative ? MU_STR("9223372036854775808000000000") : MU_STR("9223372036854775807000000000");
    struct mu_quantity q;
    ck_assert_msg(mu_quantity_parse(text, &q), "%s is refused", text.ptr);
    ck_assert_msg(q.saturated == (digits_cmp(nano, units_max) > 0), "%s: saturated %d", text.ptr, q.saturated);
    struct mu_str expected =
        mu_str_printf(arena, "%s%s", negative ? "-" : "", digits_cmp(nano, max) > 0 ? max.ptr : nano.ptr);
    ck_assert_msg(mu_str_eq(i128_text(q.nano), expected), "%s is %s, not %s", text.ptr, i128_text(q.nano).ptr,
                  expected.ptr);
}

START_TEST(random_ones_are_exact) {
    struct mu_random random = {.state = (uint64_t)_i};
    for (int i = 0; i < 500; i++) {
        struct mu_arena_mark mark = mu_arena_mark(arena);
        check_random(&random);
        mu_arena_rollback(arena, mark);
    }
}
END_TEST

START_TEST(as_kubernetes_reads_them) {
    for (size_t i = 0; i < sizeof quantity_cases / sizeof *quantity_cases; i++) {
        const char *text = quantity_cases[i].text, *nano = quantity_cases[i].nano;
        struct mu_quantity q = {.saturated = true};
        ck_assert_msg(mu_quantity_parse(mu_str_from(text), &q) == (nano != NULL), "%s", text);
        if (nano == NULL)
            continue;
        ck_assert_msg(mu_str_eq(i128_text(q.nano), mu_str_from(nano)), "%s: %s", text, i128_text(q.nano).ptr);
        ck_assert_msg(!q.saturated, "%s", text);
    }
}
END_TEST

static const char *const none[] = {
    "",    " ",   "1 ", " 1",  ".",    "-",     "+",    "k",    "Ki",   "E",     "e3",    "-.k",   "1K",   "1KI",
    "1i",  "1mi", "1e", "1e+", "1E-",  "1e1.0", "1e3k", "1Kik", "1 k",  "0x10",  "1_000", "1,5",   "1..5", "1.5.5",
    "--1", "+-1", "1-", "½",   "1k\n", "inf",   "nan",  "e",    "1eE1", "1e+-1", "1Mi5",  "1e1e1", ".m",   "1µ",
};

START_TEST(what_is_none) {
    struct mu_quantity q = {.nano = 42};
    ck_assert_msg(!mu_quantity_parse(mu_str_from(none[_i]), &q), "\"%s\"", none[_i]);
    ck_assert(q.nano == 42);
}
END_TEST

START_TEST(a_zero_byte_is_no_end) {
    struct mu_quantity q;
    ck_assert(!mu_quantity_parse((struct mu_str){"1\0", 2}, &q));
    ck_assert(!mu_quantity_parse((struct mu_str){"1k\0", 3}, &q));
}
END_TEST

/* A million digits, or an exponent of a million digits, take no longer than it takes to look at them. */
START_TEST(no_text_is_too_long) {
    enum { LEN = 1000000 };
    char *text = mu_arena_alloc(arena, LEN, 1);
    struct mu_quantity q;
    memset(text, '0', LEN);
    text[LEN - 1] = '1';
    ck_assert(mu_quantity_parse((struct mu_str){text, LEN}, &q));
    ck_assert(q.nano == 1000000000 && !q.saturated);
    text[0] = '.';
    ck_assert(mu_quantity_parse((struct mu_str){text, LEN}, &q));
    ck_assert(q.nano == 1);
    memset(text, '9', LEN);
    ck_assert(mu_quantity_parse((struct mu_str){text, LEN}, &q));
    ck_assert(q.nano == MU_I128_MAX && q.saturated);
    memcpy(text, "-1e", 3);
    ck_assert(mu_quantity_parse((struct mu_str){text, LEN}, &q));
    ck_assert(q.nano == MU_I128_MIN && q.saturated);
    memcpy(text, "1e-", 3);
    ck_assert(mu_quantity_parse((struct mu_str){text, LEN}, &q));
    ck_assert(q.nano == 1);
    memcpy(text, "0e9", 3);
    ck_assert(mu_quantity_parse((struct mu_str){text, LEN}, &q));
    ck_assert(q.nano == 0 && !q.saturated);
    /* A long number and a long exponent that make up for each other. */
    memset(text, '0', LEN);
    memcpy(text, "0.", 2);
    memcpy(text + LEN - 8, "1e999990", 8);
    ck_assert(mu_quantity_parse((struct mu_str){text, LEN}, &q));
    ck_assert(q.nano == 100000000 && !q.saturated);
}
END_TEST

static const struct {
    const char *text;
    int64_t units_up, units_down, milli_up, milli_down;
} whole[] = {
    {"0", 0, 0, 0, 0},
    {"1", 1, 1, 1000, 1000},
    {"-1", -1, -1, -1000, -1000},
    {"1500m", 2, 1, 1500, 1500},
    {"-1500m", -1, -2, -1500, -1500},
    {"1n", 1, 0, 1, 0},
    {"-1n", 0, -1, 0, -1},
    {"1000001u", 2, 1, 1001, 1000},
    {"2Ki", 2048, 2048, 2048000, 2048000},
    {"9223372036854775807", INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX},
    {"-9223372036854775808", INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN},
    {"9223372036854775807m", 9223372036854776, 9223372036854775, INT64_MAX, INT64_MAX},
    {"9223372036854775806999u", 9223372036854776, 9223372036854775, INT64_MAX, INT64_MAX - 1},
    {"1e30", INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX},
    {"-1e30", INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN},
};

START_TEST(whole_units_and_milli_units) {
    struct mu_quantity q;
    ck_assert(mu_quantity_parse(mu_str_from(whole[_i].text), &q));
    ck_assert_int_eq(mu_quantity_units_up(q), whole[_i].units_up);
    ck_assert_int_eq(mu_quantity_units_down(q), whole[_i].units_down);
    ck_assert_int_eq(mu_quantity_milli_up(q), whole[_i].milli_up);
    ck_assert_int_eq(mu_quantity_milli_down(q), whole[_i].milli_down);
}
END_TEST

static const struct {
    const char *text, *decimal, *binary;
} printed[] = {
    {"0", "0", "0"},
    {"-0", "0", "0"},
    {"8", "8", "8"},
    {"-8", "-8", "-8"},
    {"250m", "250m", "250m"},
    {"0.25", "250m", "250m"},
    {"1.5", "1500m", "1500m"},
    {"1000", "1k", "1k"},
    {"1024", "1024", "1Ki"},
    {"1536Mi", "1610612736", "1536Mi"},
    {"1.5Gi", "1610612736", "1536Mi"},
    {"-4Gi", "-4294967296", "-4Gi"},
    {"64e9", "64G", "62500000Ki"},
    {"1000G", "1T", "976562500Ki"},
    {"0.000001", "1u", "1u"},
    {"1500n", "1500n", "1500n"},
    {"1Ei", "1152921504606846976", "1Ei"},
    {"4096Ei", "4722366482869645213696", "4096Ei"},
    {"12E", "12E", "11444091796875Mi"},
};

START_TEST(printing) {
    struct mu_quantity q;
    ck_assert(mu_quantity_parse(mu_str_from(printed[_i].text), &q));
    ck_assert_str_eq(mu_quantity_print(arena, q, false).ptr, printed[_i].decimal);
    ck_assert_str_eq(mu_quantity_print(arena, q, true).ptr, printed[_i].binary);
}
END_TEST

START_TEST(what_is_printed_is_read_back) {
    struct mu_random random = {.state = 11};
    for (int i = 0; i < 10000; i++) {
        struct mu_arena_mark mark = mu_arena_mark(arena);
        mu_i128 nano = (mu_i128)(int64_t)mu_random_u64(&random) * ((mu_i128)1 << 64) + mu_random_u64(&random);
        nano >>= mu_random_below(&random, 128);
        for (uint64_t n = mu_random_below(&random, 12); n > 0; n--)
            nano = mu_sat_mul128(nano, mu_random_below(&random, 2) ? 1000 : 1024);
        for (int binary = 0; binary < 2; binary++) {
            struct mu_str text = mu_quantity_print(arena, (struct mu_quantity){.nano = nano}, binary);
            struct mu_quantity q;
            ck_assert_msg(mu_quantity_parse(text, &q), "%s", text.ptr);
            ck_assert_msg(q.nano == nano, "%s", text.ptr);
        }
        mu_arena_rollback(arena, mark);
    }
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, as_kubernetes_reads_them);
    tcase_add_loop_test(tests, random_ones_are_exact, 0, 10);
    tcase_add_loop_test(tests, what_is_none, 0, sizeof none / sizeof *none);
    tcase_add_test(tests, a_zero_byte_is_no_end);
    tcase_add_test(tests, no_text_is_too_long);
    tcase_add_loop_test(tests, whole_units_and_milli_units, 0, sizeof whole / sizeof *whole);
    tcase_add_loop_test(tests, printing, 0, sizeof printed / sizeof *printed);
    tcase_add_test(tests, what_is_printed_is_read_back);
}

int main(void) {
    return mu_suite_run("quantity", add);
}
