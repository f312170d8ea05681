/* Versions: Kubernetes' semver library, version 1, on what github.com/blang/semver takes for one (semver.org 2.0.0). */
#include "scheduler/devices/cel/eval.h"
#include "scheduler/devices/cel/libraries.h"
#include "scheduler/devices/cel/numbers.h"

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

/* The part before the first `c`, which is taken off the text with it; the whole text where there is none. */
static struct mu_str take_until(struct mu_str *text, char c, bool *ret_found) {
    ptrdiff_t at = mu_str_index(*text, c);
    *ret_found = at >= 0;
    size_t end = at >= 0 ? (size_t)at : text->len;
    struct mu_str part = mu_str_slice(*text, 0, end);
    *text = mu_str_slice(*text, at >= 0 ? end + 1 : end, text->len);
    return part;
}

static bool all_digits(struct mu_str text) {
    for (size_t i = 0; i < text.len; i++)
        if (!is_digit(text.ptr[i]))
            return false;
    return text.len > 0;
}

static bool read_number(struct mu_str text, uint64_t *ret) {
    return (text.len <= 1 || text.ptr[0] != '0') && mu_cel_read_natural(text, false, ret);
}

/* Words between dots; numbers without leading zeros where `numbers` says so. */
static bool are_words(struct mu_str text, bool numbers) {
    bool more = true;
    while (more) {
        struct mu_str word = take_until(&text, '.', &more);
        uint64_t number;
        if (word.len == 0 || (numbers && all_digits(word) && !read_number(word, &number)))
            return false;
        for (size_t i = 0; i < word.len; i++)
            if (!is_word(word.ptr[i]))
                return false;
    }
    return true;
}

/* The digits at the start of *text, taken off it. */
static bool take_number(struct mu_str *text, uint64_t *ret) {
    uint64_t number = 0;
    size_t len = 0;
    for (; len < text->len && is_digit(text->ptr[len]); len++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(text->ptr[len] - '0'), &number))
            return false;
    if (len == 0 || (len > 1 && text->ptr[0] == '0'))
        return false;
    *text = mu_str_slice(*text, len, text->len);
    *ret = number;
    return true;
}

static bool take_dot(struct mu_str *text) {
    if (text->len == 0 || text->ptr[0] != '.')
        return false;
    *text = mu_str_slice(*text, 1, text->len);
    return true;
}

bool mu_cel_semver_read(struct mu_str text, struct mu_cel_semver *ret) {
    *ret = (struct mu_cel_semver){0};
    if (!take_number(&text, &ret->major) || !take_dot(&text) || !take_number(&text, &ret->minor) || !take_dot(&text) ||
        !take_number(&text, &ret->patch))
        return false;
    if (text.len == 0)
        return true;
    bool has_build;
    struct mu_str rest = take_until(&text, '+', &has_build);
    ret->build = text;
    if (has_build && !are_words(ret->build, false))
        return false;
    if (rest.len == 0)
        return has_build;
    ret->before = mu_str_slice(rest, 1, rest.len);
    return rest.ptr[0] == '-' && are_words(ret->before, true);
}

static int order(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/* Numbers go before words. */
static int compare_words(struct mu_str a, struct mu_str b) {
    uint64_t x, y;
    bool number = all_digits(a), other = all_digits(b);
    if (number != other)
        return number ? -1 : 1;
    if (number && mu_cel_read_natural(a, false, &x) && mu_cel_read_natural(b, false, &y))
        return order(x, y);
    int r = mu_str_cmp(a, b);
    return (r > 0) - (r < 0);
}

int mu_cel_semver_compare(const struct mu_cel_semver *a, const struct mu_cel_semver *b) {
    int r = order(a->major, b->major);
    r = r ? r : order(a->minor, b->minor);
    r = r ? r : order(a->patch, b->patch);
    if (r != 0)
        return r;
    struct mu_str x = a->before, y = b->before;
    if (x.len == 0 || y.len == 0) /* a release goes after its pre-releases */
        return order(x.len == 0, y.len == 0);
    bool more_x = true, more_y = true;
    while (r == 0 && more_x && more_y) {
        struct mu_str word = take_until(&x, '.', &more_x), other = take_until(&y, '.', &more_y);
        r = compare_words(word, other);
    }
    return r ? r : order(more_x, more_y);
}

struct mu_str mu_cel_semver_print(struct mu_arena *arena, const struct mu_cel_semver *v) {
    return mu_str_printf(arena, "%llu.%llu.%llu%s" MU_STR_FMT "%s" MU_STR_FMT, (unsigned long long)v->major,
                         (unsigned long long)v->minor, (unsigned long long)v->patch, v->before.len ? "-" : "",
                         MU_STR_ARG(v->before), v->build.len ? "+" : "", MU_STR_ARG(v->build));
}

/* "v1.02" becomes "1.2.0": upstream's normalization. False where it cannot be. */
static bool normalize(struct mu_cel_eval *e, struct mu_str text, struct mu_str *ret) {
    struct mu_buf out;
    mu_buf_init(&out, e->arena);
    if (mu_str_starts(text, MU_STR("v")))
        text = mu_str_slice(text, 1, text.len);
    bool more = true;
    for (int part = 0; part < 3; part++) {
        struct mu_str word = text;
        if (part > 0)
            mu_buf_add_char(&out, '.');
        if (!more) {
            mu_buf_add_char(&out, '0');
            continue;
        }
        if (part < 2)
            word = take_until(&text, '.', &more);
        if (!more && part < 2 && (mu_str_index(word, '+') >= 0 || mu_str_index(word, '-') >= 0))
            return false; /* a short version has neither pre-release nor build */
        bool padded = word.len > 1;
        while (padded && word.len > 0 && word.ptr[0] == '0')
            word = mu_str_slice(word, 1, word.len);
        if (padded && (word.len == 0 || !is_digit(word.ptr[0])))
            mu_buf_add_char(&out, '0');
        mu_buf_add(&out, word);
    }
    *ret = mu_buf_str(&out);
    return true;
}

static bool read_value(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len, struct mu_cel_semver *ret) {
    struct mu_str text = a[0].text;
    if (len > 1 && a[1].boolean && !normalize(e, text, &text))
        return false;
    return mu_cel_semver_read(text, ret);
}

static struct mu_cel_val semver(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_cel_semver *value = mu_cel_alloc(e, 1, sizeof *value);
    if (value == NULL || !read_value(e, a, len, value))
        return mu_cel_fail(e, "no semantic version: " MU_STR_FMT, MU_STR_ARG(a[0].text));
    return (struct mu_cel_val){.kind = MU_CEL_K_SEMVER, .semver = value};
}

static struct mu_cel_val is_semver(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_cel_semver ignored;
    return mu_cel_bool(read_value(e, a, len, &ignored));
}

static struct mu_cel_val major(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_int((int64_t)a[0].semver->major);
}

static struct mu_cel_val minor(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_int((int64_t)a[0].semver->minor);
}

static struct mu_cel_val patch(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_int((int64_t)a[0].semver->patch);
}

static struct mu_cel_val is_greater(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(mu_cel_semver_compare(a[0].semver, a[1].semver) > 0);
}

static struct mu_cel_val is_less(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(mu_cel_semver_compare(a[0].semver, a[1].semver) < 0);
}

static struct mu_cel_val compare_to(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_int(mu_cel_semver_compare(a[0].semver, a[1].semver));
}

const struct mu_cel_overload mu_cel_semvers[] = {
    {"semver", "string", "semver", semver, .cost = MU_CEL_COST_SCAN},
    {"semver", "string;bool", "semver", semver, .cost = MU_CEL_COST_SCAN},
    {"isSemver", "string", "bool", is_semver, .cost = MU_CEL_COST_SCAN},
    {"isSemver", "string;bool", "bool", is_semver, .cost = MU_CEL_COST_SCAN},
    {"isGreaterThan", "semver;semver", "bool", is_greater, .cost = MU_CEL_COST_FLAT, .member = true},
    {"isLessThan", "semver;semver", "bool", is_less, .cost = MU_CEL_COST_FLAT, .member = true},
    {"compareTo", "semver;semver", "int", compare_to, .cost = MU_CEL_COST_FLAT, .member = true},
    {"major", "semver", "int", major, .cost = MU_CEL_COST_FLAT, .member = true},
    {"minor", "semver", "int", minor, .cost = MU_CEL_COST_FLAT, .member = true},
    {"patch", "semver", "int", patch, .cost = MU_CEL_COST_FLAT, .member = true},
    {0},
};
