/* Named formats: Kubernetes' format library. validate() says whether a text is none, as an optional list of reasons; the
 * reasons are ours. */
#include "scheduler/devices/cel/eval.h"
#include "scheduler/devices/cel/libraries.h"

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_lower(char c) {
    return (c >= 'a' && c <= 'z') || is_digit(c);
}

static bool is_alphanumeric(char c) {
    return is_lower(c) || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* A name of which a part is made up: it may end in a dash, since something will follow. */
static struct mu_str mask_dash(struct mu_arena *arena, struct mu_str text) {
    if (text.len < 2 || text.ptr[text.len - 1] != '-')
        return text;
    return mu_str_printf(arena, MU_STR_FMT "a", MU_STR_ARG(mu_str_slice(text, 0, text.len - 2)));
}

static bool is_label(struct mu_str text, size_t max, bool letter_first) {
    if (text.len == 0 || text.len > max)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (!is_lower(text.ptr[i]) && (text.ptr[i] != '-' || i == 0 || i + 1 == text.len))
            return false;
    return !letter_first || !is_digit(text.ptr[0]);
}

static bool dns_label(struct mu_arena *arena, struct mu_str text) {
    return is_label(text, 63, false);
}

static bool dns_1035_label(struct mu_arena *arena, struct mu_str text) {
    return is_label(text, 63, true);
}

static bool dns_subdomain(struct mu_arena *arena, struct mu_str text) {
    if (text.len > 253)
        return false;
    for (;;) {
        ptrdiff_t dot = mu_str_index(text, '.');
        if (!is_label(mu_str_slice(text, 0, dot < 0 ? text.len : (size_t)dot), 253, false))
            return false;
        if (dot < 0)
            return true;
        text = mu_str_slice(text, (size_t)dot + 1, text.len);
    }
}

static bool dns_label_prefix(struct mu_arena *arena, struct mu_str text) {
    return dns_label(arena, mask_dash(arena, text));
}

static bool dns_1035_label_prefix(struct mu_arena *arena, struct mu_str text) {
    return dns_1035_label(arena, mask_dash(arena, text));
}

static bool dns_subdomain_prefix(struct mu_arena *arena, struct mu_str text) {
    return dns_subdomain(arena, mask_dash(arena, text));
}

static bool is_name(struct mu_str text) {
    if (text.len == 0 || text.len > 63)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        bool inner = i > 0 && i + 1 < text.len;
        if (!is_alphanumeric(text.ptr[i]) &&
            !(inner && (text.ptr[i] == '-' || text.ptr[i] == '_' || text.ptr[i] == '.')))
            return false;
    }
    return true;
}

static bool label_value(struct mu_arena *arena, struct mu_str text) {
    return text.len == 0 || is_name(text);
}

static bool qualified_name(struct mu_arena *arena, struct mu_str text) {
    ptrdiff_t slash = mu_str_index(text, '/');
    if (slash < 0)
        return is_name(text);
    return dns_subdomain(arena, mu_str_slice(text, 0, (size_t)slash)) &&
           is_name(mu_str_slice(text, (size_t)slash + 1, text.len));
}

static bool uri(struct mu_arena *arena, struct mu_str text) {
    return mu_cel_uri_valid(arena, text);
}

/* Dashes between the groups may be missing. */
static bool uuid(struct mu_arena *arena, struct mu_str text) {
    size_t digits = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool may_dash = digits == 8 || digits == 12 || digits == 16 || digits == 20;
        if (text.ptr[i] == '-' && may_dash && text.ptr[i - 1] != '-')
            continue;
        if (!is_hex(text.ptr[i]))
            return false;
        digits++;
    }
    return digits == 32 && text.ptr[text.len - 1] != '-';
}

static bool base64(struct mu_arena *arena, struct mu_str text) {
    size_t len = text.len;
    for (int i = 0; i < 2 && len > 0 && text.ptr[len - 1] == '='; i++)
        len--;
    for (size_t i = 0; i < len; i++)
        if (!is_alphanumeric(text.ptr[i]) && text.ptr[i] != '+' && text.ptr[i] != '/')
            return false;
    return text.len > 0 && text.len % 4 == 0;
}

static bool date(struct mu_arena *arena, struct mu_str text) {
    int64_t s;
    int32_t nanos;
    struct mu_str whole = mu_str_printf(arena, MU_STR_FMT "T12:00:00Z", MU_STR_ARG(text));
    bool zero = mu_str_starts(text, MU_STR("0000-")); /* a year here, but not of CEL's timestamps */
    if (zero)
        whole = mu_str_printf(arena, "2000" MU_STR_FMT "T12:00:00Z", MU_STR_ARG(mu_str_slice(text, 4, text.len)));
    return text.len == 10 && mu_cel_timestamp_read(whole, &s, &nanos);
}

/* Two digits of at most `max` and the sign after them. */
static bool two_digits(struct mu_str text, size_t at, char sign, const char *max) {
    return at + 2 < text.len && is_digit(text.ptr[at]) && is_digit(text.ptr[at + 1]) && text.ptr[at + 2] == sign &&
           memcmp(text.ptr + at, max, 2) <= 0;
}

/* "12:30:00.5Z", "12:30:00+02:00"; the sign before the fraction may be anything, as in upstream's pattern. */
static bool time_of_day(struct mu_str text) {
    if (!two_digits(text, 0, ':', "23") || !two_digits(text, 3, ':', "59") || text.len < 9 || !is_digit(text.ptr[6]) ||
        !is_digit(text.ptr[7]) || memcmp(text.ptr + 6, "59", 2) > 0)
        return false;
    size_t at = 8, digits = 9;
    while (digits < text.len && is_digit(text.ptr[digits]))
        digits++;
    bool zone_at_once = text.len == 14 && (text.ptr[8] == '+' || text.ptr[8] == '-') && text.ptr[11] == ':';
    if (digits > 9 && !zone_at_once)
        at = digits;
    if (text.len - at == 1)
        return (text.ptr[at] | 0x20) == 'z';
    return text.len - at == 6 && (text.ptr[at] == '+' || text.ptr[at] == '-') && text.ptr[at + 3] == ':' &&
           is_digit(text.ptr[at + 1]) && is_digit(text.ptr[at + 2]) && is_digit(text.ptr[at + 4]) &&
           is_digit(text.ptr[at + 5]);
}

static bool datetime(struct mu_arena *arena, struct mu_str text) {
    if (text.len < 11 || (text.ptr[10] | 0x20) != 't' || !date(arena, mu_str_slice(text, 0, 10)))
        return false;
    struct mu_str rest = mu_str_slice(text, 11, text.len);
    ptrdiff_t t = mu_str_index(rest, 't'), upper = mu_str_index(rest, 'T');
    size_t end = rest.len; /* what follows another T is not looked at */
    end = t >= 0 && (size_t)t < end ? (size_t)t : end;
    end = upper >= 0 && (size_t)upper < end ? (size_t)upper : end;
    return time_of_day(mu_str_slice(rest, 0, end));
}

/* In the order of `constructors` below. The sizes are those of upstream's patterns. */
static const struct {
    struct mu_cel_format format;
    bool (*valid)(struct mu_arena *arena, struct mu_str text);
    const char *reason;
} formats[] = {
    {{"dns1123Label", 30}, dns_label, "not a DNS label of RFC 1123"},
    {{"dns1123Subdomain", 60}, dns_subdomain, "not a DNS subdomain of RFC 1123"},
    {{"dns1035Label", 30}, dns_1035_label, "not a DNS label of RFC 1035"},
    {{"qualifiedName", 60}, qualified_name, "not a qualified name"},
    {{"dns1123LabelPrefix", 30}, dns_label_prefix, "not the beginning of a DNS label of RFC 1123"},
    {{"dns1123SubdomainPrefix", 60}, dns_subdomain_prefix, "not the beginning of a DNS subdomain of RFC 1123"},
    {{"dns1035LabelPrefix", 30}, dns_1035_label_prefix, "not the beginning of a DNS label of RFC 1035"},
    {{"labelValue", 40}, label_value, "not a label's value"},
    {{"uri", 1103}, uri, "not a URI"},
    {{"uuid", 70}, uuid, "does not match the UUID format"},
    {{"byte", 84}, base64, "invalid base64"},
    {{"date", 71}, date, "invalid date"},
    {{"datetime", 71}, datetime, "invalid datetime"},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static struct mu_cel_val make(size_t i) {
    return (struct mu_cel_val){.kind = MU_CEL_K_FORMAT, .format = &formats[i].format};
}

static struct mu_cel_val named(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    for (size_t i = 0; i < FORMATS; i++) {
        if (mu_str_eq(a[0].text, mu_str_from(formats[i].format.name))) {
            struct mu_cel_val format = make(i);
            return mu_cel_optional(e, &format);
        }
    }
    return mu_cel_optional(e, NULL);
}

static struct mu_cel_val validate(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    size_t i = 0;
    while (a[0].format != &formats[i].format)
        i++;
    if (!mu_cel_reserve(e, a[1].text.len * 4) || !mu_cel_step(e, a[1].text.len))
        return mu_cel_no_overload(e);
    if (formats[i].valid(e->arena, a[1].text))
        return mu_cel_optional(e, NULL);
    struct mu_cel_val list = mu_cel_list_make(e, 1);
    if (mu_cel_is_error(list))
        return list;
    list.list->items[0] = mu_cel_string(mu_str_from(formats[i].reason));
    return mu_cel_optional(e, &list);
}

#define CONSTRUCTOR(i)                                                                                                 \
    static struct mu_cel_val make_##i(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {               \
        return make(i);                                                                                                \
    }

CONSTRUCTOR(0)
CONSTRUCTOR(1)
CONSTRUCTOR(2)
CONSTRUCTOR(3)
CONSTRUCTOR(4)
CONSTRUCTOR(5)
CONSTRUCTOR(6)
CONSTRUCTOR(7)
CONSTRUCTOR(8)
CONSTRUCTOR(9)
CONSTRUCTOR(10)
CONSTRUCTOR(11)
CONSTRUCTOR(12)

const struct mu_cel_overload mu_cel_formats[] = {
    {"validate", "format;string", "optional(list(string))", validate, .cost = MU_CEL_COST_VALIDATE, .member = true},
    {"format.named", "string", "optional(format)", named, .cost = MU_CEL_COST_FLAT},
    {"format.dns1123Label", "", "format", make_0},
    {"format.dns1123Subdomain", "", "format", make_1},
    {"format.dns1035Label", "", "format", make_2},
    {"format.qualifiedName", "", "format", make_3},
    {"format.dns1123LabelPrefix", "", "format", make_4},
    {"format.dns1123SubdomainPrefix", "", "format", make_5},
    {"format.dns1035LabelPrefix", "", "format", make_6},
    {"format.labelValue", "", "format", make_7},
    {"format.uri", "", "format", make_8},
    {"format.uuid", "", "format", make_9},
    {"format.byte", "", "format", make_10},
    {"format.date", "", "format", make_11},
    {"format.datetime", "", "format", make_12},
    {0},
};
