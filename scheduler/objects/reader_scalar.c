/* Scalars: what an unquoted word of YAML is, as Kubernetes reads it: YAML 1.1's numbers, JSON's null and booleans. */
#include "scheduler/objects/reader_internal.h"

#include <inttypes.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static size_t count_digits(struct mu_str s, size_t from) {
    size_t len = 0;
    while (from + len < s.len && is_digit(s.ptr[from + len]))
        len++;
    return len;
}

static bool is_one_of(struct mu_str text, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (mu_str_eq(text, mu_str_from(words[i])))
            return true;
    return false;
}

/* The exponent at *at, or nothing; false where there is a broken one. */
static bool skip_exponent(struct mu_str s, size_t *at) {
    if (*at == s.len || (s.ptr[*at] != 'e' && s.ptr[*at] != 'E'))
        return true;
    (*at)++;
    if (*at < s.len && (s.ptr[*at] == '+' || s.ptr[*at] == '-'))
        (*at)++;
    size_t len = count_digits(s, *at);
    *at += len;
    return len > 0;
}

bool mu_scalar_is_json_number(struct mu_str s) {
    size_t at = s.len > 0 && s.ptr[0] == '-';
    size_t whole = count_digits(s, at);
    if (whole == 0 || (whole > 1 && s.ptr[at] == '0'))
        return false;
    at += whole;
    if (at < s.len && s.ptr[at] == '.') {
        size_t fraction = count_digits(s, at + 1);
        if (fraction == 0)
            return false;
        at += 1 + fraction;
    }
    return skip_exponent(s, &at) && at == s.len;
}

static int digit_value(char c) {
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

/* The base that digits without a sign announce, taken off them; 10 where they announce none. */
static unsigned take_base(struct mu_str *digits) {
    if (digits->len < 2 || digits->ptr[0] != '0')
        return 10;
    unsigned base = 8, prefix = 2;
    switch (digits->ptr[1]) {
    case 'x':
    case 'X':
        base = 16;
        break;
    case 'b':
    case 'B':
        base = 2;
        break;
    case 'o':
    case 'O':
        break;
    default:
        prefix = 1;
    }
    *digits = mu_str_slice(*digits, prefix, digits->len);
    return base;
}

/* An integer in base 2, 8 or 16 that fits 64 bits (signed where negative), as Go's strconv.ParseInt and ParseUint with
 * base 0 read them. */
static bool resolve_based(struct mu_arena *arena, struct mu_str digits, bool negative, struct mu_value *ret) {
    unsigned base = take_base(&digits);
    if (base == 10 || digits.len == 0)
        return false;
    uint64_t value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        unsigned digit = (unsigned)digit_value(digits.ptr[i]);
        if (digit >= base || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return false;
    }
    if (negative && value > (uint64_t)INT64_MAX + 1)
        return false;
    ret->type = MU_VALUE_NUMBER;
    ret->text = mu_str_printf(arena, "%s%" PRIu64, negative && value > 0 ? "-" : "", value);
    return true;
}

/* Digits, perhaps a point, perhaps an exponent, brought into JSON's form. */
static bool resolve_decimal(struct mu_arena *arena, struct mu_str s, bool negative, struct mu_value *ret) {
    size_t whole_len = count_digits(s, 0), at = whole_len;
    struct mu_str whole = mu_str_slice(s, 0, whole_len), fraction = {0};
    if (at < s.len && s.ptr[at] == '.') {
        size_t len = count_digits(s, at + 1);
        fraction = mu_str_slice(s, at + 1, at + 1 + len);
        at += 1 + len;
    }
    size_t exponent_at = at;
    if (whole.len + fraction.len == 0 || !skip_exponent(s, &at) || at != s.len)
        return false;
    while (whole.len > 1 && whole.ptr[0] == '0')
        whole = mu_str_slice(whole, 1, whole.len);

    struct mu_buf buf;
    mu_buf_init(&buf, arena);
    mu_buf_add(&buf, negative ? MU_STR("-") : MU_STR(""));
    mu_buf_add(&buf, whole.len > 0 ? whole : MU_STR("0"));
    if (fraction.len > 0) {
        mu_buf_add_char(&buf, '.');
        mu_buf_add(&buf, fraction);
    }
    mu_buf_add(&buf, mu_str_slice(s, exponent_at, s.len));
    ret->type = MU_VALUE_NUMBER;
    ret->text = mu_buf_str(&buf);
    return true;
}

/* YAML 1.1 lets people group digits with `_`. */
static struct mu_str without_underscores(struct mu_arena *arena, struct mu_str s) {
    if (mu_str_index(s, '_') < 0)
        return s;
    struct mu_buf buf;
    mu_buf_init(&buf, arena);
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] != '_')
            mu_buf_add_char(&buf, s.ptr[i]);
    return mu_buf_str(&buf);
}

static bool resolve_number(struct mu_arena *arena, struct mu_str text, struct mu_value *ret) {
    char first = text.ptr[0];
    if (!is_digit(first) && first != '-' && first != '+' && first != '.')
        return false;
    if (mu_scalar_is_json_number(text)) {
        ret->type = MU_VALUE_NUMBER;
        ret->text = text;
        return true;
    }
    struct mu_str s = without_underscores(arena, text);
    bool negative = s.len > 0 && s.ptr[0] == '-';
    if (negative || (s.len > 0 && s.ptr[0] == '+'))
        s = mu_str_slice(s, 1, s.len);
    return resolve_based(arena, s, negative, ret) || resolve_decimal(arena, s, negative, ret);
}

void mu_scalar_resolve(struct mu_arena *arena, struct mu_str text, struct mu_value *ret) {
    static const char *const nulls[] = {"null", "Null", "NULL", "~", ""};
    static const char *const yes[] = {"true", "True", "TRUE"};
    static const char *const no[] = {"false", "False", "FALSE"};
    if (is_one_of(text, nulls, sizeof nulls / sizeof *nulls)) {
        ret->type = MU_VALUE_NULL;
        return;
    }
    bool is_yes = is_one_of(text, yes, sizeof yes / sizeof *yes);
    if (is_yes || is_one_of(text, no, sizeof no / sizeof *no)) {
        ret->type = MU_VALUE_BOOL;
        ret->boolean = is_yes;
        return;
    }
    if (!resolve_number(arena, text, ret)) {
        ret->type = MU_VALUE_STRING;
        ret->text = text;
    }
}
