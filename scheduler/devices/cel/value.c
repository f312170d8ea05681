/* Values: making them within an evaluation's budget, comparing them, showing them. */
#include "scheduler/devices/cel/value.h"
#include "scheduler/devices/cel/eval.h"
#include "scheduler/devices/cel/libraries.h"
#include "scheduler/devices/cel/numbers.h"
#include "scheduler/devices/cel/unicode.h"

#include <stdio.h>

static const struct {
    const char *type, *host; /* for type(); in upstream's messages */
} names[MU_CEL_K_COUNT] = {
    [MU_CEL_K_ERROR] = {"error", "*types.Err"},
    [MU_CEL_K_NULL] = {"null_type", "types.Null"},
    [MU_CEL_K_BOOL] = {"bool", "types.Bool"},
    [MU_CEL_K_INT] = {"int", "types.Int"},
    [MU_CEL_K_UINT] = {"uint", "types.Uint"},
    [MU_CEL_K_DOUBLE] = {"double", "types.Double"},
    [MU_CEL_K_STRING] = {"string", "types.String"},
    [MU_CEL_K_BYTES] = {"bytes", "types.Bytes"},
    [MU_CEL_K_DURATION] = {"google.protobuf.Duration", "types.Duration"},
    [MU_CEL_K_TIMESTAMP] = {"google.protobuf.Timestamp", "types.Timestamp"},
    [MU_CEL_K_LIST] = {"list", "*types.baseList"},
    [MU_CEL_K_MAP] = {"map", "*types.baseMap"},
    [MU_CEL_K_TYPE] = {"type", "*types.Type"},
    [MU_CEL_K_OPTIONAL] = {"optional_type", "*types.Optional"},
    [MU_CEL_K_QUANTITY] = {"kubernetes.Quantity", "cel.Quantity"},
    [MU_CEL_K_SEMVER] = {"kubernetes.Semver", "cel.Semver"},
    [MU_CEL_K_IP] = {"net.IP", "cel.IP"},
    [MU_CEL_K_CIDR] = {"net.CIDR", "cel.CIDR"},
    [MU_CEL_K_URL] = {"kubernetes.URL", "cel.URL"},
    [MU_CEL_K_FORMAT] = {"kubernetes.NamedFormat", "cel.Format"},
    [MU_CEL_K_DYN] = {"dyn", "dyn"},
    [MU_CEL_K_ANY] = {"google.protobuf.Any", "any"},
    [MU_CEL_K_PARAM] = {"dyn", "dyn"},
    [MU_CEL_K_DEVICE] = {"kubernetes.DRADevice", "map"},
};

struct mu_str mu_cel_kind_name(enum mu_cel_kind kind) {
    return mu_str_from(names[kind].type);
}

const char *mu_cel_host_name(enum mu_cel_kind kind) {
    return names[kind].host;
}

struct mu_str mu_cel_show(struct mu_arena *arena, struct mu_cel_val v) {
    switch (v.kind) {
    case MU_CEL_K_NULL:
        return MU_STR("null");
    case MU_CEL_K_BOOL:
        return v.boolean ? MU_STR("true") : MU_STR("false");
    case MU_CEL_K_INT:
        return mu_str_printf(arena, "%lld", (long long)v.number);
    case MU_CEL_K_UINT:
        return mu_str_printf(arena, "%llu", (unsigned long long)v.natural);
    case MU_CEL_K_DOUBLE:
        return mu_cel_write_double(arena, v.real);
    case MU_CEL_K_STRING:
    case MU_CEL_K_TYPE:
    case MU_CEL_K_ERROR:
        return v.text;
    default:
        return mu_str_printf(arena, "a value of type " MU_STR_FMT, MU_STR_ARG(mu_cel_kind_name(v.kind)));
    }
}

/* ---- Budget ---- */

void mu_cel_stop(struct mu_cel_eval *e, int code, const char *why) {
    if (e->stopped)
        return;
    e->stopped = true;
    e->stop = why;
    e->stop_code = code;
}

static struct mu_cel_val stop(struct mu_cel_eval *e, const char *why) {
    mu_cel_stop(e, MU_E_LIMIT, why);
    return mu_cel_text(MU_CEL_K_ERROR, mu_str_from(e->stop));
}

bool mu_cel_step(struct mu_cel_eval *e, uint64_t steps) {
    if (e->steps_left < steps) {
        (void)stop(e, "operation cancelled: the evaluation takes too many steps");
        return false;
    }
    e->steps_left -= steps;
    return true;
}

bool mu_cel_descend(struct mu_cel_eval *e) {
    if (e->depth >= MU_CEL_VALUE_DEPTH_MAX) {
        (void)stop(e, "operation cancelled: the values of the expression are nested too deeply");
        return false;
    }
    e->depth++;
    return true;
}

void mu_cel_ascend(struct mu_cel_eval *e) {
    e->depth--;
}

bool mu_cel_reserve(struct mu_cel_eval *e, size_t bytes) {
    if (bytes > e->bytes_left) {
        (void)stop(e, "operation cancelled: the values of the expression take too much memory");
        return false;
    }
    e->bytes_left -= bytes;
    return true;
}

void *mu_cel_alloc(struct mu_cel_eval *e, size_t count, size_t bytes_each) {
    size_t bytes;
    if (!mu_cel_reserve(e, __builtin_mul_overflow(count, bytes_each, &bytes) ? SIZE_MAX : bytes))
        return NULL;
    return mu_arena_array(e->arena, count, bytes_each, alignof(max_align_t));
}

struct mu_cel_val mu_cel_fail(struct mu_cel_eval *e, const char *format, ...) {
    if (e->stopped)
        return mu_cel_text(MU_CEL_K_ERROR, mu_str_from(e->stop));
    char text[400];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t kept = len < 0 ? 0 : (size_t)len < sizeof text ? (size_t)len : sizeof text - 1;
    char *copy = mu_cel_alloc(e, kept + 1, 1);
    if (copy == NULL)
        return stop(e, e->stop);
    memcpy(copy, text, kept);
    return mu_cel_text(MU_CEL_K_ERROR, (struct mu_str){copy, kept});
}

struct mu_cel_val mu_cel_no_overload(struct mu_cel_eval *e) {
    return mu_cel_text(MU_CEL_K_ERROR, e->stopped ? mu_str_from(e->stop) : MU_STR("no such overload"));
}

/* ---- Optionals and lists ---- */

struct mu_cel_val mu_cel_optional(struct mu_cel_eval *e, const struct mu_cel_val *inner) {
    struct mu_cel_val v = {.kind = MU_CEL_K_OPTIONAL};
    if (inner) {
        struct mu_cel_val *copy = mu_cel_alloc(e, 1, sizeof *copy);
        if (copy == NULL)
            return stop(e, e->stop);
        *copy = *inner;
        v.inner = copy;
    }
    return v;
}

struct mu_cel_val mu_cel_list_make(struct mu_cel_eval *e, size_t len) {
    struct mu_cel_list *list = mu_cel_alloc(e, 1, sizeof *list);
    struct mu_cel_val *items = list ? mu_cel_alloc(e, len, sizeof *items) : NULL;
    if (items == NULL)
        return stop(e, e->stop);
    *list = (struct mu_cel_list){.items = items, .len = (uint32_t)len, .cap = (uint32_t)len};
    return (struct mu_cel_val){.kind = MU_CEL_K_LIST, .list = list};
}

bool mu_cel_list_push(struct mu_cel_eval *e, struct mu_cel_list *list, struct mu_cel_val item) {
    if (list->len == list->cap) {
        uint32_t cap = list->cap ? list->cap * 2 : 4;
        struct mu_cel_val *items = mu_cel_alloc(e, cap, sizeof *items);
        if (items == NULL)
            return false;
        if (list->len > 0)
            memcpy(items, list->items, list->len * sizeof *items);
        list->items = items;
        list->cap = cap;
    }
    list->items[list->len++] = item;
    return true;
}

/* ---- Equality and order ---- */

static bool is_number(enum mu_cel_kind kind) {
    return kind == MU_CEL_K_INT || kind == MU_CEL_K_UINT || kind == MU_CEL_K_DOUBLE;
}

enum { UNORDERED = 2 };

static int order(bool less, bool greater) {
    return less ? -1 : greater ? 1 : 0;
}

static int compare_doubles(double a, double b) {
    return a != a || b != b ? UNORDERED : order(a<b, a> b);
}

/* A double against an integer: outside the integers' range it is clear; inside, upstream rounds the integer to a double,
 * so that large ones are equal to their neighbours. */
static int compare_double(double d, struct mu_cel_val whole) {
    bool is_int = whole.kind == MU_CEL_K_INT;
    if (d < (is_int ? -9223372036854775808.0 : 0))
        return -1;
    if (d > (is_int ? 9223372036854775807.0 : 18446744073709551615.0))
        return 1;
    return compare_doubles(d, is_int ? (double)whole.number : (double)whole.natural);
}

static mu_i128 whole_of(struct mu_cel_val v) {
    return v.kind == MU_CEL_K_INT ? (mu_i128)v.number : (mu_i128)v.natural;
}

static int compare_numbers(struct mu_cel_val a, struct mu_cel_val b) {
    if (a.kind == MU_CEL_K_DOUBLE && b.kind == MU_CEL_K_DOUBLE)
        return compare_doubles(a.real, b.real);
    if (a.kind == MU_CEL_K_DOUBLE)
        return compare_double(a.real, b);
    if (b.kind == MU_CEL_K_DOUBLE) {
        int reverse = compare_double(b.real, a);
        return reverse == UNORDERED ? UNORDERED : -reverse;
    }
    return order(whole_of(a) < whole_of(b), whole_of(a) > whole_of(b));
}

bool mu_cel_compare(struct mu_cel_val a, struct mu_cel_val b, int *ret) {
    if (is_number(a.kind) && is_number(b.kind)) {
        *ret = compare_numbers(a, b);
        return true;
    }
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case MU_CEL_K_BOOL:
        *ret = order(a.boolean<b.boolean, a.boolean> b.boolean);
        return true;
    case MU_CEL_K_STRING:
    case MU_CEL_K_BYTES: {
        int r = mu_str_cmp(a.text, b.text);
        *ret = order(r<0, r> 0);
        return true;
    }
    case MU_CEL_K_DURATION:
        *ret = order(a.number<b.number, a.number> b.number);
        return true;
    case MU_CEL_K_TIMESTAMP:
        *ret = a.number != b.number ? order(a.number < b.number, true) : order(a.nanos<b.nanos, a.nanos> b.nanos);
        return true;
    default:
        return false;
    }
}

/* In lists and maps, what cannot be compared is not unequal: an oddity of cel-go's. */
static enum mu_cel_equality lists_equality(struct mu_cel_eval *e, const struct mu_cel_list *a,
                                           const struct mu_cel_list *b) {
    if (a->len != b->len)
        return MU_CEL_UNEQUAL;
    for (uint32_t i = 0; i < a->len; i++)
        if (mu_cel_equality(e, a->items[i], b->items[i]) == MU_CEL_UNEQUAL)
            return MU_CEL_UNEQUAL;
    return MU_CEL_EQUAL;
}

static enum mu_cel_equality maps_equality(struct mu_cel_eval *e, struct mu_cel_val a, struct mu_cel_val b) {
    uint32_t len = mu_cel_map_len(e, a);
    if (len != mu_cel_map_len(e, b))
        return MU_CEL_UNEQUAL;
    for (uint32_t i = 0; i < len; i++) {
        struct mu_cel_val other;
        if (!mu_cel_map_find(e, b, mu_cel_map_key(e, a, i), &other) ||
            mu_cel_equality(e, mu_cel_map_value(e, a, i), other) == MU_CEL_UNEQUAL)
            return MU_CEL_UNEQUAL;
    }
    return MU_CEL_EQUAL;
}

static enum mu_cel_equality parts_equality(struct mu_cel_eval *e, struct mu_cel_val a, struct mu_cel_val b) {
    if (!mu_cel_descend(e))
        return MU_CEL_UNEQUAL;
    enum mu_cel_equality equality;
    if (a.kind == MU_CEL_K_LIST)
        equality = lists_equality(e, a.list, b.list);
    else if (a.kind == MU_CEL_K_MAP)
        equality = maps_equality(e, a, b);
    else if (a.inner && b.inner)
        equality = mu_cel_equality(e, *a.inner, *b.inner);
    else
        equality = a.inner == b.inner ? MU_CEL_EQUAL : MU_CEL_UNEQUAL;
    mu_cel_ascend(e);
    return equality;
}

static bool same_object(struct mu_cel_val a, struct mu_cel_val b) {
    switch (a.kind) {
    case MU_CEL_K_QUANTITY:
        return a.amount->quantity.nano == b.amount->quantity.nano;
    case MU_CEL_K_SEMVER:
        return mu_cel_semver_compare(a.semver, b.semver) == 0;
    case MU_CEL_K_IP:
    case MU_CEL_K_CIDR:
        return mu_cel_address_equal(a.address, b.address);
    case MU_CEL_K_URL:
        return mu_cel_url_equal(a.url, b.url);
    case MU_CEL_K_FORMAT:
        return a.format == b.format;
    case MU_CEL_K_TYPE:
        return mu_str_eq(a.text, b.text);
    default:
        return a.kind == MU_CEL_K_NULL;
    }
}

/* Values of Kubernetes' libraries, which compare with their own kind only. */
static bool is_object(enum mu_cel_kind kind) {
    return kind == MU_CEL_K_QUANTITY || kind == MU_CEL_K_SEMVER || kind == MU_CEL_K_IP || kind == MU_CEL_K_CIDR ||
           kind == MU_CEL_K_URL || kind == MU_CEL_K_FORMAT;
}

enum mu_cel_equality mu_cel_equality(struct mu_cel_eval *e, struct mu_cel_val a, struct mu_cel_val b) {
    int compared;
    if (!mu_cel_step(e, 1))
        return MU_CEL_UNEQUAL;
    if (mu_cel_compare(a, b, &compared)) {
        (void)(a.kind == MU_CEL_K_STRING && mu_cel_step(e, a.text.len / 8));
        return compared == 0 ? MU_CEL_EQUAL : MU_CEL_UNEQUAL;
    }
    if (a.kind == MU_CEL_K_QUANTITY && b.kind == MU_CEL_K_QUANTITY && b.amount->computed)
        return MU_CEL_INCOMPARABLE;
    if (a.kind != b.kind)
        return is_object(a.kind) && b.kind != MU_CEL_K_NULL ? MU_CEL_INCOMPARABLE : MU_CEL_UNEQUAL;
    if (a.kind == MU_CEL_K_LIST || a.kind == MU_CEL_K_MAP || a.kind == MU_CEL_K_OPTIONAL)
        return parts_equality(e, a, b);
    return same_object(a, b) ? MU_CEL_EQUAL : MU_CEL_UNEQUAL;
}

bool mu_cel_equal(struct mu_cel_eval *e, struct mu_cel_val a, struct mu_cel_val b) {
    return mu_cel_equality(e, a, b) == MU_CEL_EQUAL;
}

uint64_t mu_cel_size(struct mu_cel_eval *e, struct mu_cel_val v) {
    switch (v.kind) {
    case MU_CEL_K_STRING:
        (void)mu_cel_step(e, v.text.len / 8);
        return mu_rune_count(v.text);
    case MU_CEL_K_BYTES:
        return v.text.len;
    case MU_CEL_K_LIST:
        return v.list->len;
    case MU_CEL_K_MAP:
        return mu_cel_map_len(e, v);
    case MU_CEL_K_IP:
    case MU_CEL_K_CIDR:
        return mu_cel_address_size(v);
    default:
        return 1;
    }
}
