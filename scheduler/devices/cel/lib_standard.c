/* Conversions, size() and the predicates of strings (cel-spec, "List of Standard Definitions"). */
#include "scheduler/devices/cel/eval.h"
#include "scheduler/devices/cel/libraries.h"
#include "scheduler/devices/cel/numbers.h"
#include "scheduler/devices/cel/unicode.h"

static struct mu_cel_val unreadable(struct mu_cel_eval *e, const char *to) {
    return mu_cel_fail(e, "type conversion error from 'string' to '%s'", to);
}

static struct mu_cel_val same(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return a[0];
}

static struct mu_cel_val type_of(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_text(MU_CEL_K_TYPE, mu_cel_kind_name(a[0].kind));
}

/* As strconv.ParseBool. */
static struct mu_cel_val to_bool(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    static const char *const words[2][6] = {{"0", "f", "F", "false", "FALSE", "False"},
                                            {"1", "t", "T", "true", "TRUE", "True"}};
    for (int value = 0; value < 2; value++)
        for (int i = 0; i < 6; i++)
            if (mu_str_eq(a[0].text, mu_str_from(words[value][i])))
                return mu_cel_bool(value == 1);
    return unreadable(e, "bool");
}

static struct mu_cel_val to_bytes(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_text(MU_CEL_K_BYTES, a[0].text);
}

static struct mu_cel_val to_double(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    double value;
    switch (a[0].kind) {
    case MU_CEL_K_INT:
        return mu_cel_double((double)a[0].number);
    case MU_CEL_K_UINT:
        return mu_cel_double((double)a[0].natural);
    default:
        return mu_cel_read_double(a[0].text, &value) ? mu_cel_double(value) : unreadable(e, "double");
    }
}

static struct mu_cel_val to_int(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    int64_t value;
    switch (a[0].kind) {
    case MU_CEL_K_DOUBLE: /* both ends are out, as in upstream: they are what larger numbers are rounded to */
        if (!(a[0].real > -9223372036854775808.0 && a[0].real < 9223372036854775808.0))
            return mu_cel_fail(e, "integer overflow");
        return mu_cel_int((int64_t)a[0].real);
    case MU_CEL_K_UINT:
        return a[0].natural > INT64_MAX ? mu_cel_fail(e, "integer overflow") : mu_cel_int((int64_t)a[0].natural);
    case MU_CEL_K_DURATION:
    case MU_CEL_K_TIMESTAMP:
        return mu_cel_int(a[0].number);
    default:
        return mu_cel_read_int(a[0].text, &value) ? mu_cel_int(value) : unreadable(e, "int");
    }
}

static struct mu_cel_val to_uint(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    uint64_t value;
    switch (a[0].kind) {
    case MU_CEL_K_DOUBLE:
        if (!(a[0].real >= 0 && a[0].real < 18446744073709551616.0))
            return mu_cel_fail(e, "unsigned integer overflow");
        return mu_cel_uint((uint64_t)a[0].real);
    case MU_CEL_K_INT:
        return a[0].number < 0 ? mu_cel_fail(e, "unsigned integer overflow") : mu_cel_uint((uint64_t)a[0].number);
    default:
        return mu_cel_read_natural(a[0].text, false, &value) ? mu_cel_uint(value) : unreadable(e, "uint");
    }
}

static struct mu_cel_val to_string(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    switch (a[0].kind) {
    case MU_CEL_K_BYTES:
        return mu_utf8_valid(a[0].text) ? mu_cel_string(a[0].text)
                                        : mu_cel_fail(e, "invalid UTF-8 in bytes, cannot convert to string");
    case MU_CEL_K_DURATION:
        return mu_cel_string(mu_cel_duration_print(e->arena, a[0].number));
    case MU_CEL_K_TIMESTAMP:
        return mu_cel_string(mu_cel_timestamp_print(e->arena, a[0].number, a[0].nanos));
    default:
        return mu_cel_string(mu_cel_show(e->arena, a[0]));
    }
}

const struct mu_cel_overload mu_cel_conversions[] = {
    {"type", "A", "type(A)", type_of},
    {"bool", "bool", "bool", same},
    {"bool", "string", "bool", to_bool},
    {"bytes", "bytes", "bytes", same},
    {"bytes", "string", "bytes", to_bytes, .cost = MU_CEL_COST_TO_BYTES},
    {"double", "double", "double", same},
    {"double", "int", "double", to_double},
    {"double", "string", "double", to_double},
    {"double", "uint", "double", to_double},
    {"dyn", "A", "dyn", same, .cost = MU_CEL_COST_DYN},
    {"int", "int", "int", same},
    {"int", "double", "int", to_int},
    {"int", "duration", "int", to_int},
    {"int", "string", "int", to_int},
    {"int", "timestamp", "int", to_int},
    {"int", "uint", "int", to_int},
    {"string", "string", "string", same},
    {"string", "bool", "string", to_string},
    {"string", "bytes", "string", to_string, .cost = MU_CEL_COST_TO_STRING},
    {"string", "double", "string", to_string},
    {"string", "duration", "string", to_string},
    {"string", "int", "string", to_string},
    {"string", "timestamp", "string", to_string},
    {"string", "uint", "string", to_string},
    {"uint", "uint", "uint", same},
    {"uint", "double", "uint", to_uint},
    {"uint", "int", "uint", to_uint},
    {"uint", "string", "uint", to_uint},
    {0},
};

/* ---- Standard functions ---- */

static struct mu_cel_val size(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_int((int64_t)mu_cel_size(e, a[0]));
}

static struct mu_cel_val starts_with(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(mu_str_starts(a[0].text, a[1].text));
}

static struct mu_cel_val ends_with(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(mu_str_ends(a[0].text, a[1].text));
}

static struct mu_cel_val contains(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_str text = a[0].text, part = a[1].text;
    if (part.len == 0)
        return mu_cel_bool(true);
    if (!mu_cel_step(e, 1 + (text.len + part.len) / 8)) /* memmem is linear */
        return mu_cel_no_overload(e);
    return mu_cel_bool(text.len > 0 && memmem(text.ptr, text.len, part.ptr, part.len) != NULL);
}

const struct mu_cel_overload mu_cel_standard[] = {
    {"size", "bytes", "int", size},
    {"size", "bytes", "int", size, .member = true},
    {"size", "list(A)", "int", size},
    {"size", "list(A)", "int", size, .member = true},
    {"size", "map(A,B)", "int", size},
    {"size", "map(A,B)", "int", size, .member = true},
    {"size", "string", "int", size},
    {"size", "string", "int", size, .member = true},
    {"contains", "string;string", "bool", contains, .cost = MU_CEL_COST_CONTAINS, .member = true},
    {"endsWith", "string;string", "bool", ends_with, .cost = MU_CEL_COST_AFFIX, .member = true},
    {"startsWith", "string;string", "bool", starts_with, .cost = MU_CEL_COST_AFFIX, .member = true},
    {0},
};
