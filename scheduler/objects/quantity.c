/* Quantity: a decimal number times a unit, computed digit by digit so that no text is too long or too small for it. */
#include "scheduler/objects/quantity.h"

#define NANO_PER_UNIT ((mu_i128)1000000000)
#define NANO_PER_MILLI ((mu_i128)1000000)

/* Past so many tens a number that is not 0 has left 128 bits (upwards) or is the smallest part of a nano (downwards). */
enum { SHIFT_MAX = 80 };

struct suffix {
    const char *text;
    mu_i128 nano; /* of one unit with this suffix */
};

#define KIBI ((mu_i128)1024)
#define KILO ((mu_i128)1000)

/* Largest first, as printing tries them. */
static const struct suffix binary_suffixes[] = {
    {"Ei", KIBI *KIBI *KIBI *KIBI *KIBI *KIBI *NANO_PER_UNIT},
    {"Pi", KIBI *KIBI *KIBI *KIBI *KIBI *NANO_PER_UNIT},
    {"Ti", KIBI *KIBI *KIBI *KIBI *NANO_PER_UNIT},
    {"Gi", KIBI *KIBI *KIBI *NANO_PER_UNIT},
    {"Mi", KIBI *KIBI *NANO_PER_UNIT},
    {"Ki", KIBI *NANO_PER_UNIT},
};
static const struct suffix decimal_suffixes[] = {
    {"E", KILO *KILO *KILO *NANO_PER_UNIT *NANO_PER_UNIT},
    {"P", KILO *KILO *NANO_PER_UNIT *NANO_PER_UNIT},
    {"T", KILO *NANO_PER_UNIT *NANO_PER_UNIT},
    {"G", NANO_PER_UNIT *NANO_PER_UNIT},
    {"M", KILO *KILO *NANO_PER_UNIT},
    {"k", KILO *NANO_PER_UNIT},
    {"", NANO_PER_UNIT},
    {"m", KILO *KILO},
    {"u", KILO},
    {"n", 1},
};
enum {
    BINARY_COUNT = sizeof binary_suffixes / sizeof *binary_suffixes,
    DECIMAL_COUNT = sizeof decimal_suffixes / sizeof *decimal_suffixes,
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
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

/* True where a sign was there and is taken off; *ret_negative is what it says. */
static bool take_sign(struct mu_str *rest, bool *ret_negative) {
    *ret_negative = rest->len > 0 && rest->ptr[0] == '-';
    if (rest->len == 0 || (rest->ptr[0] != '-' && rest->ptr[0] != '+'))
        return false;
    *rest = mu_str_slice(*rest, 1, rest->len);
    return true;
}

static bool find_suffix(const struct suffix *suffixes, size_t count, struct mu_str text, mu_i128 *ret_nano) {
    for (size_t i = 0; i < count; i++) {
        if (mu_str_eq(text, mu_str_from(suffixes[i].text))) {
            *ret_nano = suffixes[i].nano;
            return true;
        }
    }
    return false;
}

/* "e3", "E-3", "e+03". The exponent is cut to +-INT32_MAX, which no text's length can make up for. */
static bool parse_exponent(struct mu_str text, int64_t *ret) {
    if (text.len == 0 || (text.ptr[0] != 'e' && text.ptr[0] != 'E'))
        return false;
    text = mu_str_slice(text, 1, text.len);
    bool negative;
    take_sign(&text, &negative);
    struct mu_str digits = take_digits(&text);
    if (digits.len == 0 || text.len > 0)
        return false;
    int64_t exponent = 0;
    for (size_t i = 0; i < digits.len; i++) {
        exponent = exponent * 10 + (digits.ptr[i] - '0');
        exponent = exponent > INT32_MAX ? INT32_MAX : exponent;
    }
    *ret = negative ? -exponent : exponent;
    return true;
}

/* The digits of a number and where its point stands: value = 0.DIGITS * 10^point. */
struct decimal {
    struct mu_str whole, fraction;
    int64_t point;
};

static int decimal_digit(const struct decimal *d, size_t i) {
    return (i < d->whole.len ? d->whole.ptr[i] : d->fraction.ptr[i - d->whole.len]) - '0';
}

/* The number times `unit`, rounded up to an integer, saturating. */
static mu_i128 decimal_times(const struct decimal *d, mu_i128 unit) {
    size_t count = d->whole.len + d->fraction.len;
    size_t before = d->point < 0 ? 0 : (uint64_t)d->point < count ? (size_t)d->point : count;
    mu_i128 whole = 0;
    for (size_t i = 0; i < before; i++)
        whole = mu_sat_add128(mu_sat_mul128(whole, 10), decimal_digit(d, i));
    int64_t zeros = d->point - (int64_t)count; /* that stand between the last digit and the point */
    for (int64_t i = 0; i < zeros && i < SHIFT_MAX; i++)
        whole = mu_sat_mul128(whole, 10);

    /* From the last digit to the point. Rounding up at each step is rounding up once, as what is rounded is divided
     * by an integer afterwards and has integers added: ceil((n + x) / 10) = ceil((n + ceil(x)) / 10). */
    mu_i128 part = 0;
    for (size_t i = count; i > before; i--)
        part = (decimal_digit(d, i - 1) * unit + part + 9) / 10;
    for (int64_t i = 0; i < -d->point && i < SHIFT_MAX; i++)
        part = (part + 9) / 10;
    return mu_sat_add128(mu_sat_mul128(whole, unit), part);
}

bool mu_quantity_parse(struct mu_str text, struct mu_quantity *ret) {
    bool negative;
    take_sign(&text, &negative);
    struct decimal d = {.whole = take_digits(&text)};
    if (text.len > 0 && text.ptr[0] == '.') {
        text = mu_str_slice(text, 1, text.len);
        d.fraction = take_digits(&text);
    }
    if (d.whole.len + d.fraction.len == 0)
        return false;

    mu_i128 unit = NANO_PER_UNIT;
    int64_t exponent = 0;
    if (!find_suffix(decimal_suffixes, DECIMAL_COUNT, text, &unit) &&
        !find_suffix(binary_suffixes, BINARY_COUNT, text, &unit) && !parse_exponent(text, &exponent))
        return false;
    d.point = (int64_t)d.whole.len + exponent;

    mu_i128 nano = decimal_times(&d, unit);
    if (negative)
        nano = nano == MU_I128_MAX ? MU_I128_MIN : -nano;
    ret->nano = nano;
    ret->saturated = nano > INT64_MAX * NANO_PER_UNIT || nano < INT64_MIN * NANO_PER_UNIT;
    return true;
}

static int64_t divide_down(mu_i128 value, mu_i128 by) {
    return mu_sat_i64(value / by - (value % by < 0));
}

static int64_t divide_up(mu_i128 value, mu_i128 by) {
    return mu_sat_i64(value / by + (value % by > 0));
}

int64_t mu_quantity_units_up(struct mu_quantity q) {
    return divide_up(q.nano, NANO_PER_UNIT);
}

int64_t mu_quantity_units_down(struct mu_quantity q) {
    return divide_down(q.nano, NANO_PER_UNIT);
}

int64_t mu_quantity_milli_up(struct mu_quantity q) {
    return divide_up(q.nano, NANO_PER_MILLI);
}

int64_t mu_quantity_milli_down(struct mu_quantity q) {
    return divide_down(q.nano, NANO_PER_MILLI);
}

/* The first suffix that divides the amount. */
static const struct suffix *suffix_without_fraction(const struct suffix *suffixes, size_t count, mu_i128 nano) {
    for (size_t i = 0; i < count; i++)
        if (nano % suffixes[i].nano == 0)
            return &suffixes[i];
    return NULL;
}

struct mu_str mu_quantity_print(struct mu_arena *arena, struct mu_quantity q, bool binary) {
    if (q.nano == 0)
        return mu_str_dup(arena, MU_STR("0"));
    const struct suffix *suffix = NULL;
    if (binary)
        suffix = suffix_without_fraction(binary_suffixes, BINARY_COUNT, q.nano);
    if (suffix == NULL)
        suffix = suffix_without_fraction(decimal_suffixes, DECIMAL_COUNT, q.nano);

    mu_i128 amount = q.nano / suffix->nano;
    char digits[48]; /* 2^127 has 39 */
    size_t at = sizeof digits;
    for (mu_i128 rest = amount; rest != 0; rest /= 10) {
        int digit = (int)(rest % 10);
        digits[--at] = (char)('0' + (digit < 0 ? -digit : digit));
    }
    return mu_str_printf(arena, "%s%.*s%s", amount < 0 ? "-" : "", (int)(sizeof digits - at), digits + at,
                         suffix->text);
}
