/* Times and durations, also against the C library's calendar. */
#include "scheduler/objects/time.h"
#include "tests/lib/random.h"
#include "tests/lib/suite.h"

#include <inttypes.h>
#include <time.h>

static struct mu_arena *arena;

static void setup(void) {
    arena = mu_arena_create(0, NULL);
    ck_assert_ptr_nonnull(arena);
}

static void teardown(void) {
    mu_arena_destroy(arena);
}

#define S INT64_C(1000000000)

static const struct {
    const char *text;
    int64_t ns;
} times[] = {
    {"1970-01-01T00:00:00Z", 0},
    {"1970-01-01t00:00:00z", 0},
    {"1970-01-01T00:00:01.5Z", S + S / 2},
    {"1969-12-31T23:59:59.999999999Z", -1},
    {"1970-01-01T01:00:00+01:00", 0},
    {"1969-12-31T19:30:00-04:30", 0},
    {"1970-01-01T00:00:00-00:00", 0},
    {"1970-01-01T23:59:00+23:59", 0},
    {"2026-12-01T03:30:00Z", 1796095800 * S},
    {"2000-02-29T00:00:00Z", 951782400 * S},
    {"2024-02-29T12:00:00Z", 1709208000 * S},
    {"1900-03-01T00:00:00Z", -2203891200 * S},
    {"2262-04-11T23:47:16.854775807Z", INT64_MAX},
    {"2262-04-11T23:47:16.854775808Z", INT64_MAX},
    {"9999-12-31T23:59:59Z", INT64_MAX},
    {"1677-09-21T00:12:43.145224193Z", INT64_MIN + 1},
    {"1677-09-21T00:12:43.145224192Z", INT64_MIN + 1}, /* INT64_MIN would say that there is none */
    {"0000-01-01T00:00:00Z", INT64_MIN + 1},
    /* Finer than a nanosecond is cut away. */
    {"1970-01-01T00:00:00.0000000019Z", 1},
    {"1970-01-01T00:00:00.99999999999999999999999999999999999999Z", S - 1},
    {"1969-12-31T23:59:59.9999999999Z", -1},
    /* A leap second is the second after. */
    {"2016-12-31T23:59:60Z", 1483228800 * S},
    {"2016-12-31T23:59:60.25Z", 1483228800 * S + S / 4},
    {"2017-01-01T05:29:60+05:30", 1483228800 * S},
    {"1969-12-31T23:59:60Z", 0},
};

START_TEST(times_are_read) {
    int64_t ns;
    ck_assert_msg(mu_time_parse(mu_str_from(times[_i].text), &ns), "%s", times[_i].text);
    ck_assert_msg(ns == times[_i].ns, "%s: %" PRId64, times[_i].text, ns);
}
END_TEST

static const char *const no_times[] = {
    "",
    "now",
    "2026-12-01",
    "2026-12-01T03:30Z",
    "2026-12-01T03:30:00",
    "2026-12-01 03:30:00Z",
    "2026-12-01T03:30:00ZZ",
    "2026-12-01T03:30:00Z ",
    " 2026-12-01T03:30:00Z",
    "2026-12-01T03:30:00.Z",
    "2026-12-01T03:30:00,5Z",
    "2026-12-01T3:30:00Z",
    "2026-12-1T03:30:00Z",
    "26-12-01T03:30:00Z",
    "+2026-12-01T03:30:00Z",
    "-2026-12-01T03:30:00Z",
    "02026-12-01T03:30:00Z",
    "2026-00-01T03:30:00Z",
    "2026-13-01T03:30:00Z",
    "2026-12-00T03:30:00Z",
    "2026-12-32T03:30:00Z",
    "2026-04-31T03:30:00Z",
    "2026-02-29T03:30:00Z",
    "1900-02-29T03:30:00Z",
    "2000-02-30T03:30:00Z",
    "2026-12-01T24:00:00Z",
    "2026-12-01T03:60:00Z",
    "2026-12-01T03:30:61Z",
    "2026-12-01T03:30:60Z",      /* leap seconds come before midnight */
    "2016-12-31T23:59:60+01:00", /* of UTC */
    "2026-12-01T03:30:00+24:00",
    "2026-12-01T03:30:00+01:60",
    "2026-12-01T03:30:00+0100",
    "2026-12-01T03:30:00+1:00",
    "2026-12-01T03:30:00+01",
    "2026-12-01T03:30:00 Z",
    "2026_12_01T03:30:00Z",
    "2026-1\xC2\xB2-01T03:30:00Z",
};

START_TEST(what_is_no_time) {
    int64_t ns = 42;
    ck_assert_msg(!mu_time_parse(mu_str_from(no_times[_i]), &ns), "%s", no_times[_i]);
    ck_assert_int_eq(ns, 42);
}
END_TEST

/* Every beginning of a time is none, and nothing behind it is looked at. */
START_TEST(a_part_of_a_time_is_none) {
    const struct mu_str text = MU_STR("2026-12-01T03:30:00.25+01:00");
    int64_t ns;
    for (size_t len = 0; len < text.len; len++)
        ck_assert(!mu_time_parse(mu_str_dup(arena, mu_str_slice(text, 0, len)), &ns));
    ck_assert(mu_time_parse(text, &ns));
}
END_TEST

START_TEST(times_are_printed) {
    static const struct {
        int64_t ns;
        const char *text;
    } printed[] = {
        {0, "1970-01-01T00:00:00Z"},
        {-1, "1969-12-31T23:59:59.999999999Z"},
        {S / 2, "1970-01-01T00:00:00.5Z"},
        {1000, "1970-01-01T00:00:00.000001Z"},
        {1796095800 * S, "2026-12-01T03:30:00Z"},
        {951782400 * S, "2000-02-29T00:00:00Z"},
        {INT64_MAX, "2262-04-11T23:47:16.854775807Z"},
        {INT64_MIN + 1, "1677-09-21T00:12:43.145224193Z"},
    };
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++)
        ck_assert_str_eq(mu_time_print(arena, printed[i].ns).ptr, printed[i].text);
    ck_assert_uint_eq(mu_time_print(arena, MU_TIME_NONE).len, 0);
}
END_TEST

START_TEST(the_calendar_is_that_of_the_c_library) {
    struct mu_random random = {.state = 5};
    for (int i = 0; i < 20000; i++) {
        struct mu_arena_mark mark = mu_arena_mark(arena);
        int64_t ns = (int64_t)mu_random_u64(&random);
        time_t s = (time_t)(ns / S - (ns % S < 0));
        struct tm tm;
        char expected[64];
        ck_assert_ptr_nonnull(gmtime_r(&s, &tm));
        ck_assert_uint_gt(strftime(expected, sizeof expected, "%Y-%m-%dT%H:%M:%S", &tm), 0);
        struct mu_str text = mu_time_print(arena, ns);
        ck_assert_msg(mu_str_starts(text, mu_str_from(expected)), "%s: %s", expected, text.ptr);
        int64_t back;
        ck_assert(mu_time_parse(text, &back));
        ck_assert_int_eq(back, ns);
        mu_arena_rollback(arena, mark);
    }
}
END_TEST

/* The same moment, written in every offset. */
START_TEST(offsets) {
    for (int minutes = -1439; minutes <= 1439; minutes++) {
        struct mu_arena_mark mark = mu_arena_mark(arena);
        time_t s = 1709164800 + minutes * 60; /* midnight before a leap day */
        struct tm tm;
        gmtime_r(&s, &tm);
        char text[64];
        size_t len = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
        int absolute = minutes < 0 ? -minutes : minutes;
        struct mu_str time = mu_str_printf(arena, "%.*s%c%02d:%02d", (int)len, text, minutes < 0 ? '-' : '+',
                                           absolute / 60, absolute % 60);
        int64_t ns;
        ck_assert_msg(mu_time_parse(time, &ns), "%s", time.ptr);
        ck_assert_int_eq(ns, 1709164800 * S);
        mu_arena_rollback(arena, mark);
    }
}
END_TEST

static const struct {
    const char *text;
    int64_t ns;
} durations[] = {
    {"0", 0},
    {"0s", 0},
    {"+0", 0},
    {"1ns", 1},
    {"1us", 1000},
    {"1\xC2\xB5s", 1000},
    {"1\xCE\xBCs", 1000},
    {"1ms", 1000000},
    {"250ms", 250000000},
    {"90s", 90 * S},
    {"10m", 600 * S},
    {"1h30m", 5400 * S},
    {"1.5h", 5400 * S},
    {"+1h", 3600 * S},
    {".5s", S / 2},
    {"1.s", S},
    {"1h1h", 7200 * S},
    {"1s1h", 3601 * S},
    {"0.0000000019s", 1},
    {"0.33333333333333333333h", 1200 * S - 1},
    {"0.3333333333333333333333333333333333333333333333333h", 1200 * S - 1},
    {"9223372036854775807ns", INT64_MAX},
    {"9223372036.854775807s", INT64_MAX},
    {"2562047h47m16.854775807s", INT64_MAX},
    {"00000000000000000000000000000001s", S},
};

START_TEST(durations_are_read) {
    int64_t ns;
    ck_assert_msg(mu_duration_parse(mu_str_from(durations[_i].text), &ns), "%s", durations[_i].text);
    ck_assert_msg(ns == durations[_i].ns, "%s: %" PRId64, durations[_i].text, ns);
}
END_TEST

static const char *const no_durations[] = {
    "",
    "+",
    "-",
    "1",
    "s",
    ".s",
    "-1s",
    "-0",
    "1 s",
    " 1s",
    "1s ",
    "1d",
    "1S",
    "1sec",
    "1h30",
    "1..5s",
    "1.5.5s",
    "1e3s",
    "+-1s",
    "1s+1s",
    "never",
    "9223372036854775808ns",
    "2562047h47m16.854775808s",
    "2562048h",
    "99999999999999999999999999999999999999999999999999h",
    "9223372036854775807ns1ns",
    "00",
};

START_TEST(what_is_no_duration) {
    int64_t ns = 42;
    ck_assert_msg(!mu_duration_parse(mu_str_from(no_durations[_i]), &ns), "%s", no_durations[_i]);
    ck_assert_int_eq(ns, 42);
}
END_TEST

START_TEST(durations_are_printed) {
    static const struct {
        int64_t ns;
        const char *text;
    } printed[] = {
        {0, "0s"},
        {-5, "0s"},
        {1, "1ns"},
        {1500, "1500ns"},
        {2000, "2us"},
        {250000000, "250ms"},
        {S, "1s"},
        {S + S / 2, "1.5s"},
        {60 * S, "60s"},
        {90 * S, "90s"},
        {119 * S + 1, "119.000000001s"},
        {120 * S, "2m"},
        {121 * S, "2m1s"},
        {600 * S, "10m"},
        {600 * S + S / 4, "10m0.25s"},
        {3600 * S, "1h"},
        {3601 * S, "1h1s"},
        {5400 * S, "1h30m"},
        {86400 * S, "24h"},
        {INT64_MAX, "2562047h47m16.854775807s"},
    };
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++)
        ck_assert_str_eq(mu_duration_print(arena, printed[i].ns).ptr, printed[i].text);
}
END_TEST

START_TEST(printed_durations_are_read_back) {
    struct mu_random random = {.state = 6};
    static const int64_t units[] = {1, 1000, 1000000, S, 60 * S, 3600 * S};
    for (int i = 0; i < 20000; i++) {
        struct mu_arena_mark mark = mu_arena_mark(arena);
        int64_t unit = units[mu_random_below(&random, 6)];
        int64_t ns = (int64_t)mu_random_below(&random, (uint64_t)(INT64_MAX / unit)) * unit;
        ns >>= mu_random_below(&random, 64);
        int64_t back;
        struct mu_str text = mu_duration_print(arena, ns);
        ck_assert_msg(mu_duration_parse(text, &back), "%s", text.ptr);
        ck_assert_int_eq(back, ns);
        mu_arena_rollback(arena, mark);
    }
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, times_are_read, 0, sizeof times / sizeof *times);
    tcase_add_loop_test(tests, what_is_no_time, 0, sizeof no_times / sizeof *no_times);
    tcase_add_test(tests, a_part_of_a_time_is_none);
    tcase_add_test(tests, times_are_printed);
    tcase_add_test(tests, the_calendar_is_that_of_the_c_library);
    tcase_add_test(tests, offsets);
    tcase_add_loop_test(tests, durations_are_read, 0, sizeof durations / sizeof *durations);
    tcase_add_loop_test(tests, what_is_no_duration, 0, sizeof no_durations / sizeof *no_durations);
    tcase_add_test(tests, durations_are_printed);
    tcase_add_test(tests, printed_durations_are_read_back);
}

int main(void) {
    return mu_suite_run("time", add);
}
