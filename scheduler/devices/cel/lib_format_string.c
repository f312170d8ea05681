/* string.format(): as Kubernetes has it, with cel-go's ext.Strings of version 2, and as cel-spec defines it. They differ
 * in floating point, and in what stands in lists and maps: Kubernetes' shows grouped digits and powers of ten
 * ("1,234.500", "1.234500×10⁰³"), and quotes strings. */
#include "scheduler/devices/cel/eval.h"
#include "scheduler/devices/cel/format_string.h"
#include "scheduler/devices/cel/libraries.h"
#include "scheduler/devices/cel/numbers.h"
#include "scheduler/devices/cel/unicode.h"

#include <stdlib.h>

enum { PRECISION_DEFAULT = 6 };

struct formatter {
    struct mu_cel_eval *e;
    struct mu_buf out;
    bool spec;
    const char *wrong; /* NULL, or what is */
};

const char *mu_cel_clause_next(struct mu_str format, size_t *at, struct mu_cel_clause *ret) {
    size_t start = *at, i = start;
    *ret = (struct mu_cel_clause){.precision = -1};
    while (i < format.len && format.ptr[i] != '%')
        i++;
    if (i > start) {
        ret->text = mu_str_slice(format, start, i);
        *at = i;
        return NULL;
    }
    i++;
    if (i < format.len && format.ptr[i] == '%') {
        ret->verb = '%';
        *at = i + 1;
        return NULL;
    }
    if (i < format.len && format.ptr[i] == '.') {
        size_t digits = ++i;
        uint64_t precision = 0;
        while (i < format.len && format.ptr[i] >= '0' && format.ptr[i] <= '9')
            i++;
        if (!mu_cel_read_natural(mu_str_slice(format, digits, i), false, &precision))
            return "error while parsing precision";
        if (precision > MU_CEL_PRECISION_MAX)
            return "precision exceeds the maximum allowed";
        ret->precision = (int)precision;
    }
    if (i >= format.len)
        return "unexpected end of string";
    ret->verb = format.ptr[i];
    *at = i + 1;
    return strchr("sdfebxXo", ret->verb) ? NULL : "unrecognized formatting clause";
}

/* ---- Numbers ---- */

static const char *special(const struct formatter *f, double value) {
    if (value != value)
        return "NaN";
    if (value - value == 0)
        return NULL;
    if (f->spec)
        return value < 0 ? "-Infinity" : "Infinity";
    return value < 0 ? "-\xe2\x88\x9e" : "\xe2\x88\x9e";
}

/* Commas between groups of three digits before the point. */
static void add_grouped(struct mu_buf *out, struct mu_str number) {
    size_t sign = number.len > 0 && number.ptr[0] == '-', end = sign;
    while (end < number.len && number.ptr[end] != '.')
        end++;
    mu_buf_add(out, mu_str_slice(number, 0, sign));
    for (size_t i = sign; i < end; i++) {
        if (i > sign && (end - i) % 3 == 0)
            mu_buf_add_char(out, ',');
        mu_buf_add_char(out, number.ptr[i]);
    }
    mu_buf_add(out, mu_str_slice(number, end, number.len));
}

static void add_fixed(struct formatter *f, double value, int precision) {
    const char *text = special(f, value);
    if (text) {
        mu_buf_add(&f->out, mu_str_from(text));
    } else if (f->spec) {
        mu_buf_add(&f->out, mu_cel_write_fixed(f->e->arena, value, precision));
    } else {
        struct mu_str number = mu_cel_write_fixed(f->e->arena, value == 0 ? 0 : value, precision);
        add_grouped(&f->out, number);
    }
}

static void add_superscript(struct mu_buf *out, struct mu_str exponent) {
    static const char *const digits[] = {"\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",
                                         "\xe2\x81\xb4", "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7",
                                         "\xe2\x81\xb8", "\xe2\x81\xb9"};
    for (size_t i = 0; i < exponent.len; i++) {
        if (exponent.ptr[i] == '-')
            mu_buf_add(out, MU_STR("\xe2\x81\xbb"));
        else if (exponent.ptr[i] != '+')
            mu_buf_add(out, mu_str_from(digits[exponent.ptr[i] - '0']));
    }
}

static void add_scientific(struct formatter *f, double value, int precision) {
    const char *text = special(f, value);
    if (f->spec) {
        mu_buf_add(&f->out, text ? mu_str_from(text) : mu_cel_write_scientific(f->e->arena, value, precision));
        return;
    }
    /* Upstream gives the precision as the width, and the precision is always six. */
    struct mu_buf number;
    mu_buf_init(&number, f->e->arena);
    if (text) {
        mu_buf_add(&number, mu_str_from(text));
    } else {
        struct mu_str plain = mu_cel_write_scientific(f->e->arena, value == 0 ? 0 : value, PRECISION_DEFAULT);
        size_t exponent = (size_t)mu_str_index(plain, 'e');
        mu_buf_add(&number, mu_str_slice(plain, 0, exponent));
        mu_buf_add(&number, MU_STR("\xc3\x97"
                                   "10"));
        add_superscript(&number, mu_str_slice(plain, exponent + 1, plain.len));
    }
    for (size_t width = mu_rune_count(mu_buf_str(&number)); width < (size_t)precision; width++)
        mu_buf_add_char(&f->out, ' ');
    mu_buf_add(&f->out, mu_buf_str(&number));
}

static void add_base(struct formatter *f, struct mu_cel_val v, unsigned base, bool upper) {
    const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    char text[65];
    size_t at = sizeof text;
    bool negative = v.kind == MU_CEL_K_INT && v.number < 0;
    uint64_t rest = negative ? -(uint64_t)v.number : v.natural;
    do {
        text[--at] = digits[rest % base];
        rest /= base;
    } while (rest != 0);
    if (negative)
        mu_buf_add_char(&f->out, '-');
    mu_buf_add(&f->out, (struct mu_str){text + at, sizeof text - at});
}

/* ---- %s ---- */

/* Of Go's unicode.IsPrint, as far as it matters here: controls, blanks but the plain one, and what has no shape. */
static bool is_printable(uint32_t c) {
    if (c < 0x20 || (c >= 0x7f && c <= 0xa0) || c == 0xad)
        return false;
    return !(c == 0x1680 || (c >= 0x2000 && c <= 0x200f) || (c >= 0x2028 && c <= 0x202f) ||
             (c >= 0x205f && c <= 0x206f) || c == 0x3000 || (c >= 0xd800 && c <= 0xf8ff) || c == 0xfeff ||
             (c >= 0xfff0 && c <= 0xfffb) || c >= 0xe0000);
}

/* As Go's %q. */
static void add_quoted(struct mu_buf *out, struct mu_str text) {
    static const char special_chars[] = "\a\b\f\n\r\t\v\\\"", escape[] = "abfnrtv\\\"";
    size_t width;
    mu_buf_add_char(out, '"');
    for (size_t at = 0; at < text.len; at += width) {
        uint32_t c = mu_rune_at(text, at, &width);
        const char *found = c != 0 && c < 0x80 ? strchr(special_chars, (int)c) : NULL;
        if (found)
            mu_buf_printf(out, "\\%c", escape[found - special_chars]);
        else if (c == MU_RUNE_ERROR && width == 1)
            mu_buf_printf(out, "\\x%02x", (unsigned char)text.ptr[at]);
        else if (is_printable(c))
            mu_buf_add(out, mu_str_slice(text, at, at + width));
        else
            mu_buf_printf(out, c < 0x80 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
    }
    mu_buf_add_char(out, '"');
}

static bool add_value(struct formatter *f, struct mu_cel_val v, bool nested);

static bool add_list(struct formatter *f, const struct mu_cel_list *list) {
    mu_buf_add_char(&f->out, '[');
    for (uint32_t i = 0; i < list->len; i++) {
        if (i > 0)
            mu_buf_add(&f->out, MU_STR(", "));
        if (!add_value(f, list->items[i], true))
            return false;
    }
    mu_buf_add_char(&f->out, ']');
    return true;
}

struct entry {
    struct mu_str key, value;
};

static int by_key(const void *a, const void *b) {
    return mu_str_cmp(((const struct entry *)a)->key, ((const struct entry *)b)->key);
}

/* What add_value() adds, on its own. */
static bool value_text(struct formatter *f, struct mu_cel_val v, struct mu_str *ret) {
    struct formatter inner = {.e = f->e, .spec = f->spec};
    mu_buf_init(&inner.out, f->e->arena);
    bool fine = add_value(&inner, v, true);
    f->wrong = inner.wrong;
    *ret = mu_buf_str(&inner.out);
    return fine;
}

static bool add_map(struct formatter *f, struct mu_cel_val map) {
    uint32_t len = mu_cel_map_len(f->e, map);
    struct entry *entries = mu_cel_alloc(f->e, len, sizeof *entries);
    if (entries == NULL)
        return false;
    for (uint32_t i = 0; i < len; i++)
        if (!value_text(f, mu_cel_map_key(f->e, map, i), &entries[i].key) ||
            !value_text(f, mu_cel_map_value(f->e, map, i), &entries[i].value))
            return false;
    qsort(entries, len, sizeof *entries, by_key);
    mu_buf_add_char(&f->out, '{');
    for (uint32_t i = 0; i < len; i++)
        mu_buf_printf(&f->out, "%s" MU_STR_FMT "%s" MU_STR_FMT, i > 0 ? ", " : "", MU_STR_ARG(entries[i].key),
                      f->spec ? ": " : ":", MU_STR_ARG(entries[i].value));
    mu_buf_add_char(&f->out, '}');
    return true;
}

static void add_double(struct formatter *f, double value, bool nested) {
    struct mu_str text;
    if (f->spec)
        text = special(f, value) ? mu_str_from(special(f, value)) : mu_cel_write_double(f->e->arena, value);
    else
        text = nested ? mu_cel_write_fixed(f->e->arena, value, PRECISION_DEFAULT)
                      : mu_cel_write_double(f->e->arena, value);
    if (nested && !f->spec && special(f, value))
        add_quoted(&f->out, text);
    else
        mu_buf_add(&f->out, text);
}

/* Texts, and what is shown as one. */
static bool add_text(struct formatter *f, struct mu_cel_val v, bool nested) {
    bool quoted = nested && !f->spec;
    struct mu_str text = v.text;
    const char *before = "", *after = "";
    if (v.kind == MU_CEL_K_DURATION || v.kind == MU_CEL_K_TIMESTAMP) {
        bool duration = v.kind == MU_CEL_K_DURATION;
        text = duration ? mu_cel_duration_print(f->e->arena, v.number)
                        : mu_cel_timestamp_print(f->e->arena, v.number, v.nanos);
        before = quoted ? (duration ? "duration(" : "timestamp(") : "";
        after = quoted ? ")" : "";
    } else if (v.kind == MU_CEL_K_BYTES) {
        if (!mu_utf8_valid(text)) {
            f->wrong = "invalid UTF-8 in bytes, cannot convert to string";
            return false;
        }
        before = quoted ? "b" : "";
    } else if (v.kind == MU_CEL_K_TYPE) {
        quoted = false;
    }
    mu_buf_add(&f->out, mu_str_from(before));
    if (quoted)
        add_quoted(&f->out, text);
    else
        mu_buf_add(&f->out, text);
    mu_buf_add(&f->out, mu_str_from(after));
    return true;
}

static bool add_any(struct formatter *f, struct mu_cel_val v, bool nested) {
    switch (v.kind) {
    case MU_CEL_K_LIST:
        return add_list(f, v.list);
    case MU_CEL_K_MAP:
        return add_map(f, v);
    case MU_CEL_K_DOUBLE:
        add_double(f, v.real, nested);
        return true;
    case MU_CEL_K_NULL:
    case MU_CEL_K_BOOL:
    case MU_CEL_K_INT:
    case MU_CEL_K_UINT:
        mu_buf_add(&f->out, mu_cel_show(f->e->arena, v));
        return true;
    case MU_CEL_K_STRING:
    case MU_CEL_K_BYTES:
    case MU_CEL_K_DURATION:
    case MU_CEL_K_TIMESTAMP:
    case MU_CEL_K_TYPE:
        return add_text(f, v, nested);
    default:
        f->wrong = "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, "
                   "durations, and timestamps";
        return false;
    }
}

static bool add_value(struct formatter *f, struct mu_cel_val v, bool nested) {
    size_t before = f->out.len;
    if (!mu_cel_step(f->e, 1) || !mu_cel_descend(f->e))
        return false;
    bool fine = add_any(f, v, nested);
    mu_cel_ascend(f->e);
    /* The text counts as a value's memory while it grows: values that share parts make it as long as they like. */
    return fine && mu_cel_reserve(f->e, f->out.len - before);
}

/* ---- Clauses ---- */

static bool add_decimal(struct formatter *f, struct mu_cel_val v) {
    if (f->spec && v.kind == MU_CEL_K_DOUBLE && special(f, v.real)) {
        mu_buf_add(&f->out, mu_str_from(special(f, v.real)));
        return true;
    }
    if (v.kind != MU_CEL_K_INT && v.kind != MU_CEL_K_UINT) {
        f->wrong = "decimal clause can only be used on integers";
        return false;
    }
    mu_buf_add(&f->out, mu_cel_show(f->e->arena, v));
    return true;
}

static bool add_float(struct formatter *f, struct mu_cel_val v, const struct mu_cel_clause *clause) {
    bool word =
        v.kind == MU_CEL_K_STRING && (mu_str_eq(v.text, MU_STR("NaN")) || mu_str_eq(v.text, MU_STR("Infinity")) ||
                                      mu_str_eq(v.text, MU_STR("-Infinity")));
    double value = v.real;
    if (v.kind != MU_CEL_K_DOUBLE && !(word && mu_cel_read_double(v.text, &value))) {
        f->wrong = clause->verb == 'f' ? "fixed-point clause can only be used on doubles"
                                       : "scientific clause can only be used on doubles";
        return false;
    }
    int precision = clause->precision < 0 ? PRECISION_DEFAULT : clause->precision;
    if (clause->verb == 'f')
        add_fixed(f, value, precision);
    else
        add_scientific(f, value, precision);
    return true;
}

static bool add_integer(struct formatter *f, struct mu_cel_val v, char verb) {
    bool hex = verb == 'x' || verb == 'X';
    if (hex && (v.kind == MU_CEL_K_STRING || v.kind == MU_CEL_K_BYTES)) {
        for (size_t i = 0; i < v.text.len; i++)
            mu_buf_printf(&f->out, verb == 'x' ? "%02x" : "%02X", (unsigned char)v.text.ptr[i]);
        return true;
    }
    if (verb == 'b' && v.kind == MU_CEL_K_BOOL) {
        mu_buf_add_char(&f->out, v.boolean ? '1' : '0');
        return true;
    }
    if (v.kind != MU_CEL_K_INT && v.kind != MU_CEL_K_UINT) {
        f->wrong = hex           ? "only integers, byte buffers, and strings can be formatted as hex"
                   : verb == 'b' ? "only integers and bools can be formatted as binary"
                                 : "octal clause can only be used on integers";
        return false;
    }
    add_base(f, v, hex ? 16 : verb == 'b' ? 2 : 8, verb == 'X');
    return true;
}

static bool add_clause(struct formatter *f, struct mu_cel_val v, const struct mu_cel_clause *clause) {
    switch (clause->verb) {
    case 's':
        return add_value(f, v, false);
    case 'd':
        return add_decimal(f, v);
    case 'f':
    case 'e':
        return add_float(f, v, clause);
    default:
        return add_integer(f, v, clause->verb);
    }
}

static struct mu_cel_val format(struct mu_cel_eval *e, const struct mu_cel_val *a, bool spec) {
    struct formatter f = {.e = e, .spec = spec};
    uint32_t next = 0;
    mu_buf_init(&f.out, e->arena);
    for (size_t at = 0; at < a[0].text.len && f.wrong == NULL && !e->stopped;) {
        struct mu_cel_clause clause;
        size_t before = f.out.len;
        f.wrong = mu_cel_clause_next(a[0].text, &at, &clause);
        if (f.wrong)
            return mu_cel_fail(e, "could not parse formatting clause: %s", f.wrong);
        if (clause.verb == 0)
            mu_buf_add(&f.out, clause.text);
        else if (clause.verb == '%')
            mu_buf_add_char(&f.out, '%');
        else if (next >= a[1].list->len)
            return mu_cel_fail(e, "index %u out of range", next);
        else
            (void)add_clause(&f, a[1].list->items[next++], &clause);
        (void)mu_cel_reserve(e, f.out.len - before);
    }
    if (f.wrong || e->stopped)
        return mu_cel_fail(e, "error during formatting: %s", f.wrong ? f.wrong : "");
    return mu_cel_string(f.out.len ? mu_buf_str(&f.out) : MU_STR(""));
}

static struct mu_cel_val format_kubernetes(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return format(e, a, false);
}

static struct mu_cel_val format_spec(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return format(e, a, true);
}

const struct mu_cel_overload mu_cel_format_strings[] = {
    {"format", "string;list(dyn)", "string", format_kubernetes, .cost = MU_CEL_COST_QUOTE, .member = true,
     .early = true, .features = MU_CEL_KUBERNETES_ONLY},
    {"format", "string;list(dyn)", "string", format_spec, .cost = MU_CEL_COST_QUOTE, .member = true, .early = true,
     .features = MU_CEL_SPEC_ONLY},
    {0},
};
