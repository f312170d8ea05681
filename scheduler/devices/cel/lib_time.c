/* Timestamps and durations, within the years 1 to 9999 and 290 years (cel-spec, "Timestamp", "Duration"; cel-go holds
 * durations in nanoseconds of 64 bits). Days are counted in the proleptic Gregorian calendar. */
#include "scheduler/devices/cel/eval.h"
#include "scheduler/devices/cel/libraries.h"
#include "scheduler/devices/cel/numbers.h"

#include <stdio.h>

#define SECOND_NS INT64_C(1000000000)
#define DAY_S INT64_C(86400)
#define YEAR_1_S INT64_C(-62135596800)
#define YEAR_9999_S INT64_C(253402300799)

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* ---- Durations as text ---- */

/* The unit at the start of the text, or 0; its length is taken off. */
static int64_t take_unit(struct mu_str *text) {
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"ns", 1},       {"us", 1000},     {"\xc2\xb5s", 1000},   {"\xce\xbcs", 1000},
                 {"ms", 1000000}, {"s", SECOND_NS}, {"m", 60 * SECOND_NS}, {"h", 3600 * SECOND_NS}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct mu_str name = mu_str_from(units[i].name);
        if (mu_str_starts(*text, name) &&
            (name.len == text->len || is_digit(text->ptr[name.len]) || text->ptr[name.len] == '.')) {
            *text = mu_str_slice(*text, name.len, text->len);
            return units[i].ns;
        }
    }
    return 0;
}

/* One "1.5h" at the start of the text, added to *total. */
static bool take_part(struct mu_str *text, mu_i128 *total) {
    mu_i128 whole = 0, fraction = 0, scale = 1;
    size_t i = 0, digits = 0;
    for (; i < text->len && is_digit(text->ptr[i]); i++, digits++)
        whole = mu_sat_add128(mu_sat_mul128(whole, 10), text->ptr[i] - '0');
    if (i < text->len && text->ptr[i] == '.') {
        for (i++; i < text->len && is_digit(text->ptr[i]); i++, digits++) {
            if (scale >= SECOND_NS * SECOND_NS)
                continue; /* finer than all units */
            fraction = fraction * 10 + (text->ptr[i] - '0');
            scale *= 10;
        }
    }
    *text = mu_str_slice(*text, i, text->len);
    int64_t unit = digits > 0 ? take_unit(text) : 0;
    if (unit == 0)
        return false;
    *total = mu_sat_add128(*total, mu_sat_add128(mu_sat_mul128(whole, unit), fraction * unit / scale));
    return true;
}

bool mu_cel_duration_read(struct mu_str text, int64_t *ret_ns) {
    bool negative = text.len > 0 && text.ptr[0] == '-';
    if (negative || (text.len > 0 && text.ptr[0] == '+'))
        text = mu_str_slice(text, 1, text.len);
    mu_i128 total = 0;
    if (mu_str_eq(text, MU_STR("0"))) {
        *ret_ns = 0;
        return true;
    }
    if (text.len == 0)
        return false;
    while (text.len > 0)
        if (!take_part(&text, &total))
            return false;
    if (total > (mu_i128)INT64_MAX + negative)
        return false;
    *ret_ns = (int64_t)(negative ? -total : total);
    return true;
}

/* Seconds as a double would show them, all digits and no exponent. */
struct mu_str mu_cel_duration_print(struct mu_arena *arena, int64_t ns) {
    double seconds = (double)(ns / SECOND_NS) + (double)(ns % SECOND_NS) / 1e9;
    /* Nine digits are exact up to some months; beyond, doubles have fewer, and so has upstream. */
    for (int precision = 0; precision < 9; precision++) {
        struct mu_str text = mu_cel_write_fixed(arena, seconds, precision);
        double back;
        if (mu_cel_read_double(text, &back) && back == seconds)
            return mu_str_printf(arena, MU_STR_FMT "s", MU_STR_ARG(text));
    }
    struct mu_str text = mu_cel_write_fixed(arena, seconds, 9);
    return mu_str_printf(arena, MU_STR_FMT "s", MU_STR_ARG(text));
}

/* ---- Dates ---- */

struct date {
    int64_t year, month, day; /* from 1 */
    int64_t year_day;         /* from 0 */
};

/* Days since 1970-01-01; a year begins in March here, so that the day of leap is its last. */
static int64_t days_of(int64_t year, int64_t month, int64_t day) {
    int64_t y = month <= 2 ? year - 1 : year, m = (month + 9) % 12;
    int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * m + 2) / 5 + day - 1 - 719468;
}

static struct date date_of(int64_t days) {
    int64_t shifted = days + 719468, era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t of_era = shifted - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
    struct date date = {.month = month < 10 ? month + 3 : month - 9, .day = of_year - (153 * month + 2) / 5 + 1};
    date.year = year + era * 400 + (date.month <= 2);
    date.year_day = days - days_of(date.year, 1, 1);
    return date;
}

static int64_t floor_divide(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* `count` digits at *at; false where they are not there. */
static bool take_number(struct mu_str text, size_t *at, size_t count, int64_t *ret) {
    *ret = 0;
    for (size_t i = 0; i < count; i++, ++*at) {
        if (*at >= text.len || !is_digit(text.ptr[*at]))
            return false;
        *ret = *ret * 10 + (text.ptr[*at] - '0');
    }
    return true;
}

static bool take_char(struct mu_str text, size_t *at, char c) {
    if (*at >= text.len || text.ptr[*at] != c)
        return false;
    ++*at;
    return true;
}

/* "Z" or "+02:00" at the end. */
static bool take_zone(struct mu_str text, size_t *at, int64_t *ret_s) {
    *ret_s = 0;
    if (take_char(text, at, 'Z'))
        return *at == text.len;
    int64_t hours, minutes;
    bool negative = *at < text.len && text.ptr[*at] == '-';
    if (!negative && (*at >= text.len || text.ptr[*at] != '+'))
        return false;
    ++*at;
    if (!take_number(text, at, 2, &hours) || !take_char(text, at, ':') || !take_number(text, at, 2, &minutes) ||
        hours > 24 || minutes > 59 || *at != text.len)
        return false;
    *ret_s = (negative ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

static bool take_fraction(struct mu_str text, size_t *at, int32_t *ret_nanos) {
    *ret_nanos = 0;
    if (!take_char(text, at, '.') && !take_char(text, at, ','))
        return true;
    int32_t unit = (int32_t)SECOND_NS / 10;
    size_t start = *at;
    for (; *at < text.len && is_digit(text.ptr[*at]); ++*at, unit /= 10)
        *ret_nanos += (text.ptr[*at] - '0') * unit;
    return *at > start;
}

static int64_t days_in(int64_t year, int64_t month) {
    return (month == 12 ? days_of(year + 1, 1, 1) : days_of(year, month + 1, 1)) - days_of(year, month, 1);
}

bool mu_cel_timestamp_read(struct mu_str text, int64_t *ret_s, int32_t *ret_nanos) {
    int64_t year, month, day, hour, minute, second, zone;
    size_t at = 0;
    if (!take_number(text, &at, 4, &year) || !take_char(text, &at, '-') || !take_number(text, &at, 2, &month) ||
        !take_char(text, &at, '-') || !take_number(text, &at, 2, &day) || !take_char(text, &at, 'T') ||
        !take_number(text, &at, 2, &hour) || !take_char(text, &at, ':') || !take_number(text, &at, 2, &minute) ||
        !take_char(text, &at, ':') || !take_number(text, &at, 2, &second) || !take_fraction(text, &at, ret_nanos) ||
        !take_zone(text, &at, &zone))
        return false;
    if (month < 1 || month > 12 || day < 1 || day > days_in(year, month) || hour > 23 || minute > 59 || second > 59)
        return false;
    *ret_s = days_of(year, month, day) * DAY_S + hour * 3600 + minute * 60 + second - zone;
    return *ret_s >= YEAR_1_S && *ret_s <= YEAR_9999_S;
}

struct mu_str mu_cel_timestamp_print(struct mu_arena *arena, int64_t s, int32_t nanos) {
    struct date date = date_of(floor_divide(s, DAY_S));
    int64_t rest = s - floor_divide(s, DAY_S) * DAY_S;
    char fraction[16] = "";
    if (nanos > 0) {
        snprintf(fraction, sizeof fraction, ".%09d", nanos);
        for (size_t len = strlen(fraction); fraction[len - 1] == '0'; len--)
            fraction[len - 1] = '\0';
    }
    return mu_str_printf(arena, "%04lld-%02lld-%02lldT%02lld:%02lld:%02lld%sZ", (long long)date.year,
                         (long long)date.month, (long long)date.day, (long long)(rest / 3600),
                         (long long)(rest / 60 % 60), (long long)(rest % 60), fraction);
}

/* ---- Conversions and arithmetic ---- */

static struct mu_cel_val duration(int64_t ns) {
    return (struct mu_cel_val){.kind = MU_CEL_K_DURATION, .number = ns};
}

static struct mu_cel_val timestamp(struct mu_cel_eval *e, mu_i128 s, int32_t nanos) {
    if (s < YEAR_1_S || s > YEAR_9999_S)
        return mu_cel_fail(e, "timestamp out of range");
    return (struct mu_cel_val){.kind = MU_CEL_K_TIMESTAMP, .number = (int64_t)s, .nanos = nanos};
}

static struct mu_cel_val same(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return a[0];
}

static struct mu_cel_val to_duration(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    int64_t ns;
    return mu_cel_duration_read(a[0].text, &ns)
               ? duration(ns)
               : mu_cel_fail(e, "type conversion error from 'string' to 'google.protobuf.Duration', or out of range");
}

static struct mu_cel_val to_timestamp(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    int64_t s;
    int32_t nanos;
    if (a[0].kind == MU_CEL_K_INT)
        return timestamp(e, a[0].number, 0);
    return mu_cel_timestamp_read(a[0].text, &s, &nanos)
               ? timestamp(e, s, nanos)
               : mu_cel_fail(e, "type conversion error from 'string' to 'google.protobuf.Timestamp', or out of range");
}

static struct mu_cel_val shift(struct mu_cel_eval *e, struct mu_cel_val time, mu_i128 ns) {
    mu_i128 total = (mu_i128)time.number * SECOND_NS + time.nanos + ns;
    mu_i128 s = total / SECOND_NS - (total % SECOND_NS < 0);
    return timestamp(e, s, (int32_t)(total - s * SECOND_NS));
}

static struct mu_cel_val add(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    if (a[0].kind == MU_CEL_K_TIMESTAMP)
        return shift(e, a[0], a[1].number);
    if (a[1].kind == MU_CEL_K_TIMESTAMP)
        return shift(e, a[1], a[0].number);
    int64_t sum;
    return __builtin_add_overflow(a[0].number, a[1].number, &sum) ? mu_cel_fail(e, "duration out of range")
                                                                  : duration(sum);
}

static struct mu_cel_val subtract(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    if (a[0].kind == MU_CEL_K_TIMESTAMP && a[1].kind == MU_CEL_K_DURATION)
        return shift(e, a[0], -(mu_i128)a[1].number);
    mu_i128 ns = (mu_i128)a[0].number - a[1].number;
    if (a[0].kind == MU_CEL_K_TIMESTAMP)
        ns = ns * SECOND_NS + a[0].nanos - a[1].nanos;
    return ns < INT64_MIN || ns > INT64_MAX ? mu_cel_fail(e, "duration out of range") : duration((int64_t)ns);
}

/* ---- Parts of a time ---- */

/* "-02:30", "UTC", or a name that the caller knows. */
static bool zone_offset(struct mu_cel_eval *e, struct mu_str zone, int64_t s, int64_t *ret_s) {
    ptrdiff_t colon = mu_str_index(zone, ':');
    int64_t hours, minutes;
    int32_t offset = 0;
    if (colon >= 0) {
        if (!mu_cel_read_int(mu_str_slice(zone, 0, (size_t)colon), &hours) ||
            !mu_cel_read_int(mu_str_slice(zone, (size_t)colon + 1, zone.len), &minutes) || minutes < 0 ||
            minutes > 59 || hours < -100000 || hours > 100000)
            return false;
        *ret_s = hours * 3600 + (zone.ptr[0] == '-' ? -minutes : minutes) * 60;
        return true;
    }
    *ret_s = 0;
    if (zone.len == 0 || mu_str_eq(zone, MU_STR("UTC")))
        return true;
    if (e->zones == NULL || !e->zones->offset(e->zones->ctx, zone, s, &offset))
        return false;
    *ret_s = offset;
    return true;
}

enum part { YEAR, MONTH, YEAR_DAY, DAY, DATE, WEEK_DAY, HOURS, MINUTES, SECONDS, MILLISECONDS };

static struct mu_cel_val part_of(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len, enum part part) {
    int64_t offset = 0;
    if (len > 1 && !zone_offset(e, a[1].text, a[0].number, &offset))
        return mu_cel_fail(e, "unknown time zone " MU_STR_FMT, MU_STR_ARG(a[1].text));
    int64_t local = a[0].number + offset, days = floor_divide(local, DAY_S), rest = local - days * DAY_S;
    struct date date = date_of(days);
    int64_t week_day = (days + 4) % 7; /* 1970-01-01 was a Thursday */
    const int64_t parts[] = {date.year,           date.month - 1, date.year_day,
                             date.day - 1,        date.day,       week_day < 0 ? week_day + 7 : week_day,
                             rest / 3600,         rest / 60 % 60, rest % 60,
                             a[0].nanos / 1000000};
    return mu_cel_int(parts[part]);
}

#define PART(name, part)                                                                                               \
    static struct mu_cel_val name(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {                   \
        return part_of(e, a, len, part);                                                                               \
    }

PART(get_year, YEAR)
PART(get_month, MONTH)
PART(get_year_day, YEAR_DAY)
PART(get_day, DAY)
PART(get_date, DATE)
PART(get_week_day, WEEK_DAY)
PART(get_hours, HOURS)
PART(get_minutes, MINUTES)
PART(get_seconds, SECONDS)
PART(get_milliseconds, MILLISECONDS)

static struct mu_cel_val in_hours(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_int(a[0].number / (3600 * SECOND_NS));
}

static struct mu_cel_val in_minutes(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_int(a[0].number / (60 * SECOND_NS));
}

static struct mu_cel_val in_seconds(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_int(a[0].number / SECOND_NS);
}

/* cel-spec wants the milliseconds within the second; cel-go counts all of them. */
static struct mu_cel_val within_second(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_int(a[0].number % SECOND_NS / 1000000);
}

static struct mu_cel_val in_milliseconds(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_int(a[0].number / 1000000);
}

#define PARTS(function, fn)                                                                                            \
    {function, "timestamp", "int", fn, .member = true}, {                                                              \
        function, "timestamp;string", "int", fn, .member = true                                                        \
    }

const struct mu_cel_overload mu_cel_times[] = {
    {"duration", "duration", "duration", same},
    {"duration", "string", "duration", to_duration},
    {"timestamp", "timestamp", "timestamp", same},
    {"timestamp", "int", "timestamp", to_timestamp},
    {"timestamp", "string", "timestamp", to_timestamp},
    {"_+_", "duration;duration", "duration", add},
    {"_+_", "duration;timestamp", "timestamp", add},
    {"_+_", "timestamp;duration", "timestamp", add},
    {"_-_", "duration;duration", "duration", subtract},
    {"_-_", "timestamp;duration", "timestamp", subtract},
    {"_-_", "timestamp;timestamp", "duration", subtract},
    PARTS("getFullYear", get_year),
    PARTS("getMonth", get_month),
    PARTS("getDayOfYear", get_year_day),
    PARTS("getDayOfMonth", get_day),
    PARTS("getDate", get_date),
    PARTS("getDayOfWeek", get_week_day),
    PARTS("getHours", get_hours),
    {"getHours", "duration", "int", in_hours, .member = true},
    PARTS("getMinutes", get_minutes),
    {"getMinutes", "duration", "int", in_minutes, .member = true},
    PARTS("getSeconds", get_seconds),
    {"getSeconds", "duration", "int", in_seconds, .member = true},
    PARTS("getMilliseconds", get_milliseconds),
    {"getMilliseconds", "duration", "int", in_milliseconds, .member = true, .features = MU_CEL_KUBERNETES_ONLY},
    {"getMilliseconds", "duration", "int", within_second, .member = true, .features = MU_CEL_SPEC_ONLY},
    {0},
};
