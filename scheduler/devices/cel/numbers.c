/* Numbers from and to text. libc's conversions are exact, but write and read the locale's decimal point: they are only
 * given numbers without one (digits and an exponent), and the point is put where it belongs here. */
#include "scheduler/devices/cel/numbers.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    DIGITS_MAX = 800, /* a double has no more than 767 significant ones; what follows only breaks ties */
    SHORTEST = 17,
    EXPONENT_MAX = 100000,
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool read_digits(struct mu_str text, uint64_t base, uint64_t *ret) {
    uint64_t value = 0;
    if (text.len == 0)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        int digit = is_digit(c)            ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : 16;
        if ((uint64_t)digit >= base || __builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return false;
    }
    *ret = value;
    return true;
}

bool mu_cel_read_natural(struct mu_str text, bool hex, uint64_t *ret) {
    if (hex && mu_str_starts(text, MU_STR("0x")))
        return read_digits(mu_str_slice(text, 2, text.len), 16, ret);
    return read_digits(text, 10, ret);
}

bool mu_cel_read_int(struct mu_str text, int64_t *ret) {
    bool negative = text.len > 0 && text.ptr[0] == '-';
    if (negative || (text.len > 0 && text.ptr[0] == '+'))
        text = mu_str_slice(text, 1, text.len);
    uint64_t natural;
    if (!read_digits(text, 10, &natural) || natural > (uint64_t)INT64_MAX + negative)
        return false;
    *ret = (int64_t)(negative ? -natural : natural);
    return true;
}

/* ---- Doubles from text ---- */

/* Digits without the point, and the power of ten of the last one. */
struct decimal {
    char digits[DIGITS_MAX + 1];
    size_t len;
    int64_t power;
    bool any; /* digits at all, zeros too */
};

static void add_digit(struct decimal *d, char digit, bool after_point) {
    d->any = true;
    if (d->len == 0 && digit == '0') {
        d->power -= after_point;
    } else if (d->len < DIGITS_MAX) {
        d->digits[d->len++] = digit;
        d->power -= after_point;
    } else {
        if (digit != '0')
            d->digits[DIGITS_MAX - 1] = '1'; /* not zero: enough to break a tie */
        d->power += !after_point;
    }
}

static bool read_decimal(struct mu_str text, struct decimal *d) {
    size_t i = 0;
    bool after_point = false;
    for (; i < text.len && (is_digit(text.ptr[i]) || (text.ptr[i] == '.' && !after_point)); i++) {
        if (text.ptr[i] == '.')
            after_point = true;
        else
            add_digit(d, text.ptr[i], after_point);
    }
    if (!d->any)
        return false;
    if (i == text.len)
        return true;
    if (text.ptr[i] != 'e' && text.ptr[i] != 'E')
        return false;
    i++;
    bool negative = i < text.len && text.ptr[i] == '-';
    i += negative || (i < text.len && text.ptr[i] == '+');
    int64_t exponent = 0;
    if (i == text.len)
        return false;
    for (; i < text.len && is_digit(text.ptr[i]); i++)
        exponent = exponent < EXPONENT_MAX ? exponent * 10 + (text.ptr[i] - '0') : exponent;
    d->power += negative ? -exponent : exponent;
    return i == text.len;
}

static bool equals_ignoring_case(struct mu_str text, const char *lower) {
    if (text.len != strlen(lower))
        return false;
    for (size_t i = 0; i < text.len; i++)
        if ((text.ptr[i] | 0x20) != lower[i])
            return false;
    return true;
}

bool mu_cel_read_double(struct mu_str text, double *ret) {
    bool negative = text.len > 0 && text.ptr[0] == '-';
    bool sign = negative || (text.len > 0 && text.ptr[0] == '+');
    struct mu_str rest = mu_str_slice(text, sign, text.len);
    if (!sign && equals_ignoring_case(rest, "nan")) {
        *ret = __builtin_nan("");
        return true;
    }
    if (equals_ignoring_case(rest, "inf") || equals_ignoring_case(rest, "infinity")) {
        *ret = negative ? -__builtin_inf() : __builtin_inf();
        return true;
    }
    struct decimal d = {.len = 0};
    if (!read_decimal(rest, &d))
        return false;
    double value = 0;
    if (d.len > 0) {
        char plain[DIGITS_MAX + 32];
        d.power = d.power > 2 * EXPONENT_MAX    ? 2 * EXPONENT_MAX
                  : d.power < -2 * EXPONENT_MAX ? -2 * EXPONENT_MAX
                                                : d.power;
        snprintf(plain, sizeof plain, "%.*se%d", (int)d.len, d.digits, (int)d.power);
        value = strtod(plain, NULL);
    }
    *ret = negative ? -value : value;
    return !__builtin_isinf(value);
}

/* ---- Doubles to text ---- */

/* value = 0.DIGITS * 10^point, rounded to that many digits; value is finite and not negative. */
static int scientific_digits(double value, int count, char *digits) {
    char text[DIGITS_MAX + 64];
    snprintf(text, sizeof text, "%.*e", count - 1, value);
    int len = 0;
    const char *c = text;
    for (; *c != 'e'; c++) /* passes over the point, whatever it looks like */
        if (is_digit(*c))
            digits[len++] = *c;
    int64_t exponent = 0;
    (void)mu_cel_read_int(mu_str_from(c + 1), &exponent);
    return (int)exponent + 1;
}

static struct mu_str special(struct mu_arena *arena, double value) {
    const char *text = __builtin_isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
    return mu_str_dup(arena, mu_str_from(text));
}

/* Puts the point in: digits[0..len) stand for 0.DIGITS * 10^point. */
static void add_plain(struct mu_buf *out, const char *digits, int len, int point) {
    if (point <= 0)
        mu_buf_add_char(out, '0');
    for (int i = 0; i < point; i++)
        mu_buf_add_char(out, i < len ? digits[i] : '0');
    if (len > point || point <= 0)
        mu_buf_add_char(out, '.');
    for (int i = point; i < 0; i++)
        mu_buf_add_char(out, '0');
    for (int i = point > 0 ? point : 0; i < len; i++)
        mu_buf_add_char(out, digits[i]);
}

static void add_exponent(struct mu_buf *out, const char *digits, int len, int exponent) {
    mu_buf_add_char(out, digits[0]);
    if (len > 1)
        mu_buf_add_char(out, '.');
    mu_buf_add(out, (struct mu_str){digits + 1, (size_t)len - 1});
    mu_buf_printf(out, "e%c%02d", exponent < 0 ? '-' : '+', exponent < 0 ? -exponent : exponent);
}

struct mu_str mu_cel_write_double(struct mu_arena *arena, double value) {
    if (!__builtin_isfinite(value))
        return special(arena, value);
    struct mu_buf out;
    mu_buf_init(&out, arena);
    if (__builtin_signbit(value))
        mu_buf_add_char(&out, '-');
    value = __builtin_fabs(value);
    char digits[SHORTEST + 1];
    int point = 1, len = 1;
    for (int count = 1; count <= SHORTEST; count++) {
        point = scientific_digits(value, count, digits);
        len = count;
        char plain[64];
        snprintf(plain, sizeof plain, "%.*se%d", len, digits, point - len);
        if (strtod(plain, NULL) == value)
            break;
    }
    while (len > 1 && digits[len - 1] == '0')
        len--;
    int exponent = point - 1;
    if (value == 0)
        mu_buf_add_char(&out, '0');
    else if (exponent < -4 || exponent >= 6)
        add_exponent(&out, digits, len, exponent);
    else
        add_plain(&out, digits, len, point);
    return mu_buf_str(&out);
}

struct mu_str mu_cel_write_fixed(struct mu_arena *arena, double value, int precision) {
    if (!__builtin_isfinite(value))
        return special(arena, value);
    /* The digits before the point, then as many as are asked for. */
    struct mu_buf text, out;
    mu_buf_init(&text, arena);
    mu_buf_init(&out, arena);
    mu_buf_printf(&text, "%.*f", precision, value);
    struct mu_str all = mu_buf_str(&text);
    size_t before = 0;
    while (before < all.len && (is_digit(all.ptr[before]) || all.ptr[before] == '-'))
        before++;
    mu_buf_add(&out, mu_str_slice(all, 0, before));
    if (precision > 0) {
        mu_buf_add_char(&out, '.');
        mu_buf_add(&out, mu_str_slice(all, all.len - (size_t)precision, all.len));
    }
    return mu_buf_str(&out);
}

struct mu_str mu_cel_write_scientific(struct mu_arena *arena, double value, int precision) {
    if (!__builtin_isfinite(value))
        return special(arena, value);
    struct mu_buf out;
    mu_buf_init(&out, arena);
    if (__builtin_signbit(value))
        mu_buf_add_char(&out, '-');
    int count = precision < DIGITS_MAX ? precision + 1 : DIGITS_MAX;
    char digits[DIGITS_MAX + 1];
    int point = scientific_digits(__builtin_fabs(value), count, digits);
    add_exponent(&out, digits, count, value == 0 ? 0 : point - 1);
    for (int i = count; i <= precision; i++) /* never reached with precisions that a format string has */
        mu_buf_add_char(&out, '0');
    return mu_buf_str(&out);
}
