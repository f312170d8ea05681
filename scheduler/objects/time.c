/* Times and durations: calendar arithmetic on integers; no C library clock, locale or time zone takes part. */
#include "scheduler/objects/time.h"

#include "scheduler/base/checked.h"
#include <inttypes.h>

#define NS_PER_S ((int64_t)1000000000)
#define S_PER_DAY ((int64_t)86400)

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Takes exactly `count` digits off *rest. */
static bool take_number(struct mu_str *rest, size_t count, int *ret) {
    if (rest->len < count)
        return false;
    int value = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_digit(rest->ptr[i]))
            return false;
        value = value * 10 + (rest->ptr[i] - '0');
    }
    *rest = mu_str_slice(*rest, count, rest->len);
    *ret = value;
    return true;
}

/* Takes one character off *rest, which is one of two. */
static bool take_char(struct mu_str *rest, char a, char b) {
    if (rest->len == 0 || (rest->ptr[0] != a && rest->ptr[0] != b))
        return false;
    *rest = mu_str_slice(*rest, 1, rest->len);
    return true;
}

/* The digits at the start of *rest, taken off it. */
static struct mu_str take_digits(struct mu_str *rest) {
    size_t len = 0;
    while (len < rest->len && is_digit(rest->ptr[len]))
        len++;
    struct mu_str ret = mu_str_slice(*rest, 0, len);
    *rest = mu_str_slice(*rest, len, rest->len);
    return ret;
}

/* That part of `unit` which the digits after a point mean; what is finer is cut away. Worked out from the last digit,
 * since cutting at each step is then the same as cutting once. */
static int64_t fraction_of(struct mu_str digits, int64_t unit) {
    int64_t part = 0;
    for (size_t i = digits.len; i > 0; i--)
        part = ((digits.ptr[i - 1] - '0') * unit + part) / 10;
    return part;
}

static bool is_leap(int64_t year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_in_month(int64_t year, int month) {
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days from 1970-01-01 to a day. Years are counted from March, so that the leap day is the last of its year, and from
 * the year 0 in eras of 400 years, which are all of one length. */
static int64_t days_from_date(int64_t year, int month, int day) {
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t year_of_era = y - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

static void date_from_days(int64_t days, int64_t *ret_year, int *ret_month, int *ret_day) {
    int64_t z = days + 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t day_of_era = z - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_from_march = (5 * day_of_year + 2) / 153;
    *ret_day = (int)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
    *ret_month = (int)(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
    *ret_year = year_of_era + era * 400 + (*ret_month <= 2);
}

/* "2026-12-01", as days since 1970. */
static bool take_date(struct mu_str *rest, int64_t *ret_days) {
    int year, month, day;
    if (!take_number(rest, 4, &year) || !take_char(rest, '-', '-') || !take_number(rest, 2, &month) ||
        !take_char(rest, '-', '-') || !take_number(rest, 2, &day))
        return false;
    if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
        return false;
    *ret_days = days_from_date(year, month, day);
    return true;
}

/* "03:30:00.25", as seconds since midnight and nanoseconds. */
static bool take_clock(struct mu_str *rest, int *ret_s, int64_t *ret_ns) {
    int hour, minute, second;
    if (!take_number(rest, 2, &hour) || !take_char(rest, ':', ':') || !take_number(rest, 2, &minute) ||
        !take_char(rest, ':', ':') || !take_number(rest, 2, &second))
        return false;
    if (hour > 23 || minute > 59 || second > 60)
        return false;
    *ret_s = hour * 3600 + minute * 60 + second;
    *ret_ns = 0;
    if (!take_char(rest, '.', '.'))
        return true;
    struct mu_str fraction = take_digits(rest);
    *ret_ns = fraction_of(fraction, NS_PER_S);
    return fraction.len > 0;
}

/* "Z" or "+01:00", as seconds that the clock is ahead of UTC. */
static bool take_offset(struct mu_str *rest, int *ret_s) {
    *ret_s = 0;
    if (take_char(rest, 'Z', 'z'))
        return true;
    bool west = rest->len > 0 && rest->ptr[0] == '-';
    int hour, minute;
    if (!take_char(rest, '+', '-') || !take_number(rest, 2, &hour) || !take_char(rest, ':', ':') ||
        !take_number(rest, 2, &minute) || hour > 23 || minute > 59)
        return false;
    *ret_s = (hour * 3600 + minute * 60) * (west ? -1 : 1);
    return true;
}

bool mu_time_parse(struct mu_str text, int64_t *ret_ns) {
    int64_t days, ns;
    int clock_s, offset_s;
    if (!take_date(&text, &days) || !take_char(&text, 'T', 't'))
        return false;
    bool leap = text.len >= 8 && text.ptr[6] == '6';
    if (!take_clock(&text, &clock_s, &ns) || !take_offset(&text, &offset_s) || text.len > 0)
        return false;
    int64_t s = days * S_PER_DAY + clock_s - offset_s;
    /* Leap seconds are put in before midnight UTC, and this one has been counted as the second after already. */
    if (leap && s % S_PER_DAY != 0)
        return false;

    mu_i128 total = (mu_i128)s * NS_PER_S + ns;
    *ret_ns = total <= MU_TIME_NONE ? MU_TIME_NONE + 1 : mu_sat_i64(total);
    return true;
}

/* ".25" for 250000000 of NS_PER_S: the fraction without final zeros, nothing where it is 0. */
static void add_fraction(struct mu_buf *buf, int64_t part, int digits) {
    if (part == 0)
        return;
    while (part % 10 == 0) {
        part /= 10;
        digits--;
    }
    mu_buf_printf(buf, ".%0*" PRId64, digits, part);
}

struct mu_str mu_time_print(struct mu_arena *arena, int64_t ns) {
    if (ns == MU_TIME_NONE)
        return (struct mu_str){0};
    int64_t s = ns / NS_PER_S - (ns % NS_PER_S < 0);
    int64_t part = ns % NS_PER_S + (ns % NS_PER_S < 0 ? NS_PER_S : 0);
    int64_t days = s / S_PER_DAY - (s % S_PER_DAY < 0);
    int clock_s = (int)(s - days * S_PER_DAY);
    int64_t year;
    int month, day;
    date_from_days(days, &year, &month, &day);

    struct mu_buf buf;
    mu_buf_init(&buf, arena);
    mu_buf_printf(&buf, "%04" PRId64 "-%02d-%02dT%02d:%02d:%02d", year, month, day, clock_s / 3600, clock_s / 60 % 60,
                  clock_s % 60);
    add_fraction(&buf, part, 9);
    mu_buf_add_char(&buf, 'Z');
    return mu_buf_str(&buf);
}

struct unit {
    struct mu_str name;
    int64_t ns;
};

/* In the order in which a text is compared with them: "ms" before "m". */
static const struct unit units[] = {
    {{"ns", 2}, 1},           {{"us", 2}, 1000},    {{"\xC2\xB5s", 3}, 1000}, /* the micro sign */
    {{"\xCE\xBCs", 3}, 1000},                                                 /* the Greek letter */
    {{"ms", 2}, 1000000},     {{"s", 1}, NS_PER_S}, {{"m", 1}, 60 * NS_PER_S}, {{"h", 1}, 3600 * NS_PER_S},
};
enum { UNIT_COUNT = sizeof units / sizeof *units };

static const struct unit *take_unit(struct mu_str *rest) {
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        if (mu_str_starts(*rest, units[i].name)) {
            *rest = mu_str_slice(*rest, units[i].name.len, rest->len);
            return &units[i];
        }
    }
    return NULL;
}

/* "1.5h": digits, perhaps a point and digits, at least one digit altogether, and a unit. False also where it is more
 * than int64 nanoseconds by itself. */
static bool take_duration_part(struct mu_str *rest, mu_i128 *ret_ns) {
    struct mu_str whole = take_digits(rest), fraction = {0};
    if (take_char(rest, '.', '.'))
        fraction = take_digits(rest);
    const struct unit *unit = take_unit(rest);
    if (unit == NULL || whole.len + fraction.len == 0)
        return false;
    mu_i128 ns = 0;
    for (size_t i = 0; i < whole.len; i++) {
        ns = ns * 10 + (whole.ptr[i] - '0') * unit->ns;
        if (ns > INT64_MAX)
            return false;
    }
    *ret_ns = ns + fraction_of(fraction, unit->ns);
    return true;
}

bool mu_duration_parse(struct mu_str text, int64_t *ret_ns) {
    take_char(&text, '+', '+');
    if (mu_str_eq(text, MU_STR("0"))) { /* the only number that needs no unit */
        *ret_ns = 0;
        return true;
    }
    if (text.len == 0)
        return false;
    mu_i128 total = 0;
    while (text.len > 0) {
        mu_i128 part;
        if (!take_duration_part(&text, &part))
            return false;
        total += part;
        if (total > INT64_MAX)
            return false;
    }
    *ret_ns = (int64_t)total;
    return true;
}

/* Less than a second: in the largest unit that it is a whole number of. */
static void add_below_second(struct mu_buf *buf, int64_t ns) {
    if (ns % 1000000 == 0)
        mu_buf_printf(buf, "%" PRId64 "ms", ns / 1000000);
    else if (ns % 1000 == 0)
        mu_buf_printf(buf, "%" PRId64 "us", ns / 1000);
    else
        mu_buf_printf(buf, "%" PRId64 "ns", ns);
}

struct mu_str mu_duration_print(struct mu_arena *arena, int64_t ns) {
    struct mu_buf buf;
    mu_buf_init(&buf, arena);
    ns = ns < 0 ? 0 : ns;
    int64_t s = ns / NS_PER_S, part = ns % NS_PER_S;
    if (s == 0 && part != 0) {
        add_below_second(&buf, part);
        return mu_buf_str(&buf);
    }
    /* Up to two minutes people count in seconds. */
    if (s >= 120) {
        if (s >= 3600)
            mu_buf_printf(&buf, "%" PRId64 "h", s / 3600);
        if (s / 60 % 60 != 0)
            mu_buf_printf(&buf, "%" PRId64 "m", s / 60 % 60);
        s %= 60;
        if (s == 0 && part == 0)
            return mu_buf_str(&buf);
    }
    mu_buf_printf(&buf, "%" PRId64, s);
    add_fraction(&buf, part, 9);
    mu_buf_add_char(&buf, 's');
    return mu_buf_str(&buf);
}
