/* Strings: comparison, slices, numbers, copies and the builder. */
#include "scheduler/base/str.h"
#include "tests/lib/faults.h"
#include "tests/lib/random.h"
#include "tests/lib/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

static struct mu_arena *arena;

static void setup(void) {
    arena = mu_arena_create(0, NULL);
    ck_assert_ptr_nonnull(arena);
}

static void teardown(void) {
    mu_arena_destroy(arena);
}

static const struct mu_str none = {NULL, 0};

static int sign(int x) {
    return (x > 0) - (x < 0);
}

static const struct {
    struct mu_str a, b;
    int order;
} orders[] = {
    {{NULL, 0}, {NULL, 0}, 0},      {{NULL, 0}, {"", 0}, 0},        {{NULL, 0}, {"a", 1}, -1},
    {{"a", 1}, {"a", 1}, 0},        {{"a", 1}, {"b", 1}, -1},       {{"a", 1}, {"aa", 2}, -1},
    {{"b", 1}, {"aa", 2}, 1},       {{"\x7f", 1}, {"\x80", 1}, -1}, {{"\xff", 1}, {"a", 1}, 1},
    {{"a\0b", 3}, {"a\0c", 3}, -1}, {{"a\0", 2}, {"a", 1}, 1},      {{"Z", 1}, {"a", 1}, -1},
};

START_TEST(order_is_by_bytes) {
    ck_assert_int_eq(sign(mu_str_cmp(orders[_i].a, orders[_i].b)), orders[_i].order);
    ck_assert_int_eq(sign(mu_str_cmp(orders[_i].b, orders[_i].a)), -orders[_i].order);
    ck_assert_int_eq(mu_str_eq(orders[_i].a, orders[_i].b), orders[_i].order == 0);
}
END_TEST

static const struct {
    const char *text, *part;
    bool starts, ends;
} parts[] = {
    {"", "", true, true},       {"abc", "", true, true},       {"", "a", false, false},
    {"abc", "abc", true, true}, {"abc", "abcd", false, false}, {"abc", "ab", true, false},
    {"abc", "bc", false, true}, {"abc", "b", false, false},    {"aba", "a", true, true},
};

START_TEST(starts_and_ends) {
    struct mu_str text = mu_str_from(parts[_i].text), part = mu_str_from(parts[_i].part);
    ck_assert_int_eq(mu_str_starts(text, part), parts[_i].starts);
    ck_assert_int_eq(mu_str_ends(text, part), parts[_i].ends);
}
END_TEST

START_TEST(null_is_the_empty_string) {
    ck_assert_uint_eq(mu_str_from(NULL).len, 0);
    ck_assert(mu_str_starts(none, none) && mu_str_ends(none, none));
    ck_assert_int_eq(mu_str_index(none, 'a'), -1);
    ck_assert_uint_eq(mu_str_slice(none, 1, 2).len, 0);
    ck_assert(mu_str_eq(mu_str_printf(arena, "<" MU_STR_FMT ">", MU_STR_ARG(none)), MU_STR("<>")));
}
END_TEST

START_TEST(index_finds_the_first) {
    ck_assert_int_eq(mu_str_index(MU_STR("abcb"), 'b'), 1);
    ck_assert_int_eq(mu_str_index(MU_STR("abcb"), 'x'), -1);
    ck_assert_int_eq(mu_str_index(MU_STR("ab\0c"), '\0'), 2);
    ck_assert_int_eq(mu_str_index(mu_str_slice(MU_STR("abc"), 0, 2), 'c'), -1);
}
END_TEST

static const struct {
    size_t from, to;
    const char *slice;
} slices[] = {
    {0, 3, "abc"}, {0, 0, ""}, {1, 2, "b"}, {1, 9, "bc"}, {3, 3, ""}, {4, 9, ""}, {2, 1, ""}, {0, SIZE_MAX, "abc"},
};

START_TEST(slice_is_cut_to_the_string) {
    struct mu_str slice = mu_str_slice(MU_STR("abc"), slices[_i].from, slices[_i].to);
    ck_assert(mu_str_eq(slice, mu_str_from(slices[_i].slice)));
}
END_TEST

static const struct {
    const char *text;
    bool is_number;
    int64_t value;
} numbers[] = {
    {"0", true, 0},
    {"-0", true, 0},
    {"+7", true, 7},
    {"-12", true, -12},
    {"007", true, 7},
    {"9223372036854775807", true, INT64_MAX},
    {"-9223372036854775808", true, INT64_MIN},
    {"0000000000000000000000000000009", true, 9},
    {"9223372036854775808", false, 0},
    {"-9223372036854775809", false, 0},
    {"92233720368547758070", false, 0},
    {"99999999999999999999999999", false, 0},
    {"", false, 0},
    {"-", false, 0},
    {"+", false, 0},
    {"+-1", false, 0},
    {" 1", false, 0},
    {"1 ", false, 0},
    {"1.0", false, 0},
    {"1e3", false, 0},
    {"0x1", false, 0},
    {"1_000", false, 0},
    {"\xd9\xa1", false, 0},
};

START_TEST(number_or_none) {
    int64_t value = 77;
    ck_assert_int_eq(mu_str_to_i64(mu_str_from(numbers[_i].text), &value), numbers[_i].is_number);
    ck_assert_int_eq(value, numbers[_i].is_number ? numbers[_i].value : 77);
}
END_TEST

START_TEST(number_stops_at_the_length) {
    int64_t value = 0;
    ck_assert(mu_str_to_i64((struct mu_str){"123", 2}, &value));
    ck_assert_int_eq(value, 12);
    ck_assert(!mu_str_to_i64((struct mu_str){"1\0", 2}, &value));
}
END_TEST

START_TEST(number_of_printed_number) {
    struct mu_random random = {.state = 3};
    for (int round = 0; round < 10000; round++) {
        int64_t number = (int64_t)(mu_random_u64(&random) >> mu_random_below(&random, 64)), value = 0;
        char text[32];
        snprintf(text, sizeof text, "%lld", (long long)number);
        ck_assert(mu_str_to_i64(mu_str_from(text), &value));
        ck_assert_int_eq(value, number);
    }
}
END_TEST

START_TEST(dup_is_terminated_and_apart) {
    char text[] = "abc";
    struct mu_str copy = mu_str_dup(arena, mu_str_slice(mu_str_from(text), 0, 2));
    text[0] = 'x';
    ck_assert_str_eq(copy.ptr, "ab");
    ck_assert_uint_eq(copy.len, 2);
    ck_assert_str_eq(mu_str_dup(arena, none).ptr, "");
}
END_TEST

/* Lengths around the sizes at which the implementation changes course. */
START_TEST(printf_of_any_length) {
    for (int len = 0; len < 600; len++) {
        char expected[700];
        int expected_len = snprintf(expected, sizeof expected, "%*d|%s", len, 7, "end");
        struct mu_str made = mu_str_printf(arena, "%*d|%s", len, 7, "end");
        ck_assert_uint_eq(made.len, (size_t)expected_len);
        ck_assert_str_eq(made.ptr, expected);
        struct mu_buf buf;
        mu_buf_init(&buf, arena);
        mu_buf_printf(&buf, "%*d|%s", len, 7, "end");
        ck_assert(mu_str_eq(mu_buf_str(&buf), made));
        ck_assert_int_eq(buf.ptr[buf.len], '\0');
    }
}
END_TEST

START_TEST(new_builder_is_empty) {
    struct mu_buf buf;
    mu_buf_init(&buf, arena);
    ck_assert_uint_eq(mu_buf_str(&buf).len, 0);
    mu_buf_clear(&buf);
    mu_buf_add(&buf, none);
    ck_assert_str_eq(buf.ptr, "");
    mu_buf_printf(&buf, "%s", "");
    ck_assert_str_eq(buf.ptr, "");
}
END_TEST

START_TEST(clear_keeps_the_memory) {
    struct mu_buf buf;
    mu_buf_init(&buf, arena);
    mu_buf_add(&buf, MU_STR("some text"));
    const char *ptr = buf.ptr;
    mu_buf_clear(&buf);
    ck_assert_uint_eq(buf.len, 0);
    ck_assert_str_eq(buf.ptr, "");
    mu_buf_add(&buf, MU_STR("other"));
    ck_assert_ptr_eq(buf.ptr, ptr);
    ck_assert_str_eq(buf.ptr, "other");
}
END_TEST

START_TEST(builder_takes_its_own_text) {
    struct mu_buf buf;
    mu_buf_init(&buf, arena);
    mu_buf_add(&buf, MU_STR("ab"));
    for (int i = 0; i < 10; i++) {
        MU_NEW(arena, char); /* so that the builder has to move */
        mu_buf_add(&buf, mu_buf_str(&buf));
    }
    ck_assert_uint_eq(buf.len, 2048);
    for (size_t i = 0; i < buf.len; i++)
        ck_assert_int_eq(buf.ptr[i], "ab"[i % 2]);
}
END_TEST

START_TEST(builder_equals_model) {
    enum { MODEL_MAX = 1 << 16 };
    char *model = malloc(MODEL_MAX);
    size_t len = 0;
    struct mu_random random = {.state = 5};
    struct mu_buf buf;
    ck_assert_ptr_nonnull(model);
    mu_buf_init(&buf, arena);
    for (int round = 0; round < 3000; round++) {
        static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
        struct mu_str part = {letters, mu_random_below(&random, sizeof letters)};
        switch (mu_random_below(&random, 3)) {
        case 0:
            mu_buf_add(&buf, part);
            break;
        case 1:
            part.len = 1;
            mu_buf_add_char(&buf, part.ptr[0]);
            break;
        default:
            mu_buf_printf(&buf, MU_STR_FMT, MU_STR_ARG(part));
            break;
        }
        memcpy(model + len, part.ptr, part.len);
        len += part.len;
        ck_assert_uint_eq(buf.len, len);
        ck_assert_int_eq(buf.ptr[len], '\0');
    }
    ck_assert_int_eq(memcmp(buf.ptr, model, len), 0);
    free(model);
}
END_TEST

struct writing {
    struct mu_buf buf;
    int next;
    bool grow_by_printf;
};

static int write_lines(void *ctx, struct mu_err *err) {
    struct writing *writing = ctx;
    (void)err;
    for (; writing->next < 1000; writing->next++) {
        if (writing->grow_by_printf)
            mu_buf_printf(&writing->buf, "%08d\n", writing->next);
        else
            mu_buf_add(&writing->buf, MU_STR("12345678\n"));
    }
    return MU_OK;
}

/* A line is written wholly or not at all, and writing can go on. */
START_TEST(builder_without_memory_changes_nothing) {
    size_t failed = 1;
    for (size_t n = 1; failed > 0; n++) {
        struct mu_faults faults = {.fail_at = n};
        struct mu_memory memory = mu_faults_memory(&faults);
        struct mu_arena *failing = mu_arena_create(0, &memory);
        if (failing != NULL) {
            struct writing writing = {.grow_by_printf = _i};
            mu_buf_init(&writing.buf, failing);
            int code = mu_arena_run(failing, write_lines, &writing, NULL);
            ck_assert_int_eq(code, faults.failed > 0 ? MU_E_NOMEM : MU_OK);
            ck_assert_uint_eq(writing.buf.len, (size_t)writing.next * 9);
            ck_assert(writing.next == 0 || strlen(writing.buf.ptr) == writing.buf.len);
            ck_assert_int_eq(mu_arena_run(failing, write_lines, &writing, NULL), MU_OK);
            ck_assert_uint_eq(strlen(writing.buf.ptr), 9000);
        }
        mu_arena_destroy(failing);
        ck_assert_uint_eq(faults.live, 0);
        failed = faults.failed;
    }
}
END_TEST

/* Calls with lengths that no memory holds, of which none may get as far as to read the bytes; and a character that does
 * not exist, which printf refuses as it does a result past INT_MAX, but at once. */
static int dup_too_long(void *ctx, struct mu_err *err) {
    (void)err;
    mu_str_dup(ctx, (struct mu_str){"", SIZE_MAX});
    return MU_OK;
}

static int add_too_long(void *ctx, struct mu_err *err) {
    (void)err;
    struct mu_buf buf;
    mu_buf_init(&buf, ctx);
    mu_buf_add_char(&buf, 'a');
    mu_buf_add(&buf, (struct mu_str){"", SIZE_MAX});
    return MU_OK;
}

static int add_half_of_all_memory(void *ctx, struct mu_err *err) {
    (void)err;
    struct mu_buf buf;
    mu_buf_init(&buf, ctx);
    mu_buf_add(&buf, (struct mu_str){"", SIZE_MAX / 2});
    return MU_OK;
}

static const wint_t no_character = 0x110000;

static int printf_refused(void *ctx, struct mu_err *err) {
    (void)err;
    mu_str_printf(ctx, "%lc", no_character);
    return MU_OK;
}

static int buf_printf_refused(void *ctx, struct mu_err *err) {
    (void)err;
    struct mu_buf buf;
    mu_buf_init(&buf, ctx);
    mu_buf_printf(&buf, "%lc", no_character);
    return MU_OK;
}

START_TEST(impossible_text_is_out_of_memory) {
    static int (*const calls[])(void *ctx, struct mu_err *err) = {
        dup_too_long, add_too_long, add_half_of_all_memory, printf_refused, buf_printf_refused,
    };
    struct mu_arena *limited = mu_arena_create(1 << 20, NULL);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        ck_assert_int_eq(mu_arena_run(limited, calls[i], limited, NULL), MU_E_NOMEM);
    mu_arena_destroy(limited);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, order_is_by_bytes, 0, sizeof orders / sizeof *orders);
    tcase_add_loop_test(tests, starts_and_ends, 0, sizeof parts / sizeof *parts);
    tcase_add_test(tests, null_is_the_empty_string);
    tcase_add_test(tests, index_finds_the_first);
    tcase_add_loop_test(tests, slice_is_cut_to_the_string, 0, sizeof slices / sizeof *slices);
    tcase_add_loop_test(tests, number_or_none, 0, sizeof numbers / sizeof *numbers);
    tcase_add_test(tests, number_stops_at_the_length);
    tcase_add_test(tests, number_of_printed_number);
    tcase_add_test(tests, dup_is_terminated_and_apart);
    tcase_add_test(tests, printf_of_any_length);
    tcase_add_test(tests, new_builder_is_empty);
    tcase_add_test(tests, clear_keeps_the_memory);
    tcase_add_test(tests, builder_takes_its_own_text);
    tcase_add_test(tests, builder_equals_model);
    tcase_add_loop_test(tests, builder_without_memory_changes_nothing, 0, 2);
    tcase_add_test(tests, impossible_text_is_out_of_memory);
}

int main(void) {
    return mu_suite_run("str", add_tests);
}
