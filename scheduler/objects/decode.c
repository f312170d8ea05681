/* Typed readers of fields, and where a fault stands. */
#include "scheduler/objects/decode.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Places ---- */

static bool plain_key(struct mu_str key) {
    for (size_t i = 0; i < key.len; i++) {
        char c = key.ptr[i];
        if (c == '.' || c == '/' || c == ' ') {
            return false;
        }
    }
    return key.len > 0;
}

static void add_key(struct mu_buf *buf, struct mu_str key) {
    if (!plain_key(key)) {
        mu_buf_printf(buf, "[" MU_STR_FMT "]", MU_STR_ARG(key));
        return;
    }
    if (buf->len > 0) {
        mu_buf_add_char(buf, '.');
    }
    mu_buf_add(buf, key);
}

static void add_path(struct mu_buf *buf, const struct mu_at *at) {
    if (at == NULL) {
        return;
    }
    add_path(buf, at->up);
    if (at->key.ptr != NULL) {
        add_key(buf, at->key);
    } else if (at->up != NULL) {
        mu_buf_printf(buf, "[%zu]", at->index);
    }
}

static struct mu_str fault_text(struct mu_decode *d, const struct mu_at *at, const char *field, const char *format,
                                va_list args) MU_PRINTF(4, 0);

void mu_make_one_line(char *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f) {
            text[i] = '?';
        }
    }
}

/* "PATH: what is wrong". */
static struct mu_str fault_text(struct mu_decode *d, const struct mu_at *at, const char *field, const char *format,
                                va_list args) {
    struct mu_buf buf;
    mu_buf_init(&buf, d->scratch);
    add_path(&buf, at);
    if (field != NULL) {
        add_key(&buf, mu_str_from(field));
    }
    if (buf.len > 0) {
        mu_buf_add(&buf, MU_STR(": "));
    }
    /* Long enough for every sentence here, with what it quotes. */
    char text[256];
    vsnprintf(text, sizeof text, format, args);
    mu_buf_add(&buf, mu_str_from(text));
    mu_make_one_line(buf.ptr, buf.len);
    return mu_buf_str(&buf);
}

/* The line of what is named, else of the nearest that has one. */
static uint32_t line_of(const struct mu_decode *d, const struct mu_at *at) {
    for (; at != NULL; at = at->up) {
        if (at->value != NULL && at->value->line != 0) {
            return at->value->line;
        }
    }
    return d->place->line;
}

void mu_decode_fail(struct mu_decode *d, const struct mu_at *at, const char *field, const char *format, ...) {
    if (d->code != 0) {
        return;
    }
    va_list args;
    va_start(args, format);
    struct mu_str text = fault_text(d, at, field, format, args);
    va_end(args);

    struct mu_buf where;
    mu_buf_init(&where, d->scratch);
    mu_buf_printf(&where, MU_STR_FMT ": document %u", MU_STR_ARG(d->place->file), d->place->document);
    uint32_t line = line_of(d, at);
    if (line != 0) {
        mu_buf_printf(&where, ", line %u", line);
    }
    if (d->kind.len > 0) {
        mu_buf_printf(&where, ": " MU_STR_FMT, MU_STR_ARG(d->kind));
    }
    if (d->name.len > 0) {
        mu_buf_printf(&where, " " MU_STR_FMT "%s" MU_STR_FMT, MU_STR_ARG(d->namespace), d->namespace.len > 0 ? "/" : "",
                      MU_STR_ARG(d->name));
    }
    mu_make_one_line(where.ptr, where.len);
    struct mu_str head = mu_buf_str(&where);
    d->code = mu_err_set(d->err, MU_E_PARSE, MU_STR_FMT ": " MU_STR_FMT, MU_STR_ARG(head), MU_STR_ARG(text));
}

void mu_decode_invalid(struct mu_decode *d, const struct mu_at *at, const char *field, const char *format, ...) {
    if (d->invalid.len > 0) {
        return;
    }
    va_list args;
    va_start(args, format);
    struct mu_str text = fault_text(d, at, field, format, args);
    va_end(args);
    d->invalid = text;
}

static struct mu_at wrong_type(struct mu_decode *d, const struct mu_at *at, const char *wanted) {
    mu_decode_fail(d, at, NULL, "must be %s, is %s", wanted, mu_value_type_name(at->value->type));
    struct mu_at none = *at;
    none.value = NULL;
    return none;
}

static const char *with_article(enum mu_value_type type) {
    switch (type) {
    case MU_VALUE_OBJECT:
        return "an object";
    case MU_VALUE_ARRAY:
        return "an array";
    case MU_VALUE_STRING:
        return "a string";
    case MU_VALUE_NUMBER:
        return "a number";
    case MU_VALUE_BOOL:
        return "true or false";
    case MU_VALUE_NULL:
        break;
    }
    return "null";
}

static struct mu_at any_field(const struct mu_at *up, const char *field) {
    return (struct mu_at){up, mu_value_get(up->value, field), mu_str_from(field), 0};
}

struct mu_at mu_at_field(struct mu_decode *d, const struct mu_at *up, const char *field, enum mu_value_type type) {
    struct mu_at at = any_field(up, field);
    return at.value != NULL && at.value->type != type ? wrong_type(d, &at, with_article(type)) : at;
}

size_t mu_at_len(const struct mu_at *at) {
    if (at->value == NULL) {
        return 0;
    }
    return at->value->type == MU_VALUE_ARRAY    ? at->value->array.len
           : at->value->type == MU_VALUE_OBJECT ? at->value->object.len
                                                : 0;
}

struct mu_at mu_at_any_item(const struct mu_at *up, size_t index) {
    struct mu_at at = {up, NULL, {NULL, 0}, index};
    if (up->value->type == MU_VALUE_ARRAY) {
        at.value = &up->value->array.items[index];
    } else {
        at.value = &up->value->object.fields[index].value;
        at.key = up->value->object.fields[index].key;
    }
    if (at.value->type == MU_VALUE_NULL) {
        at.value = NULL;
    }
    return at;
}

struct mu_at mu_at_item(struct mu_decode *d, const struct mu_at *up, size_t index, enum mu_value_type type) {
    struct mu_at at = mu_at_any_item(up, index);
    return at.value != NULL && at.value->type != type ? wrong_type(d, &at, with_article(type)) : at;
}

/* ---- Fields ---- */

mu_sym mu_decode_sym(struct mu_decode *d, struct mu_str text) {
    return text.len == 0 ? 0 : mu_intern(d->symbols, text);
}

struct mu_str mu_field_str(struct mu_decode *d, const struct mu_at *at, const char *field) {
    struct mu_at text = mu_at_field(d, at, field, MU_VALUE_STRING);
    return text.value != NULL ? text.value->text : (struct mu_str){NULL, 0};
}

mu_sym mu_field_sym(struct mu_decode *d, const struct mu_at *at, const char *field) {
    return mu_decode_sym(d, mu_field_str(d, at, field));
}

mu_sym mu_field_sym_required(struct mu_decode *d, const struct mu_at *at, const char *field) {
    mu_sym sym = mu_field_sym(d, at, field);
    if (sym == 0) {
        mu_decode_fail(d, at, field, "is missing");
    }
    return sym;
}

bool mu_field_bool(struct mu_decode *d, const struct mu_at *at, const char *field, bool fallback) {
    struct mu_at flag = mu_at_field(d, at, field, MU_VALUE_BOOL);
    return flag.value != NULL ? flag.value->boolean : fallback;
}

enum { QUOTE_MAX = 60 };

/* As much of what a user wrote as is quoted in a sentence: whole characters. */
static int quote_len(struct mu_str s) {
    size_t len = s.len < QUOTE_MAX ? s.len : QUOTE_MAX;
    while (len > 0 && len < s.len && ((unsigned char)s.ptr[len] & 0xc0) == 0x80) {
        len--;
    }
    return (int)len;
}

#define QUOTE_FMT "%.*s"
#define QUOTE_ARG(s) quote_len(s), (s).len > 0 ? (s).ptr : ""

#define NANO 1000000000

int64_t mu_item_int(struct mu_decode *d, const struct mu_at *item, int64_t min, int64_t max) {
    struct mu_str text = item->value->text;
    int64_t number;
    if (!mu_str_to_i64(text, &number)) {
        /* 1e3 and 3.0 are whole numbers too; so is 1e30, but none that makes sense. */
        struct mu_quantity q;
        if (!mu_quantity_parse(text, &q) || (!q.saturated && q.nano % NANO != 0)) {
            mu_decode_fail(d, item, NULL, "must be a whole number, is " QUOTE_FMT, QUOTE_ARG(text));
            return min;
        }
        number = mu_sat_i64(q.nano / NANO);
        if (q.saturated) {
            mu_decode_invalid(d, item, NULL, "must be from %lld to %lld", (long long)min, (long long)max);
        }
    }
    if (number < min || number > max) {
        mu_decode_invalid(d, item, NULL, "must be from %lld to %lld, is %lld", (long long)min, (long long)max,
                          (long long)number);
    }
    return number < min ? min : number > max ? max : number;
}

int64_t mu_field_int(struct mu_decode *d, const struct mu_at *at, const char *field, int64_t fallback, int64_t min,
                     int64_t max) {
    struct mu_at number = mu_at_field(d, at, field, MU_VALUE_NUMBER);
    return number.value != NULL ? mu_item_int(d, &number, min, max) : fallback;
}

int64_t mu_field_time(struct mu_decode *d, const struct mu_at *at, const char *field) {
    struct mu_at text = mu_at_field(d, at, field, MU_VALUE_STRING);
    int64_t ns = MU_TIME_NONE;
    if (text.value != NULL && !mu_time_parse(text.value->text, &ns)) {
        mu_decode_fail(d, &text, NULL, "must be a time as in 2026-12-01T03:30:00Z, is \"" QUOTE_FMT "\"",
                       QUOTE_ARG(text.value->text));
    }
    return ns;
}

int64_t mu_field_duration(struct mu_decode *d, const struct mu_at *at, const char *field, int64_t fallback) {
    struct mu_at text = mu_at_field(d, at, field, MU_VALUE_STRING);
    int64_t ns = fallback;
    if (text.value != NULL && !mu_duration_parse(text.value->text, &ns)) {
        mu_decode_fail(d, &text, NULL, "must be a duration as in 1h30m, is \"" QUOTE_FMT "\"",
                       QUOTE_ARG(text.value->text));
    }
    return ns;
}

int mu_field_word(struct mu_decode *d, const struct mu_at *at, const char *field, const char *const *words, int count,
                  int fallback) {
    struct mu_at text = mu_at_field(d, at, field, MU_VALUE_STRING);
    if (text.value == NULL || text.value->text.len == 0) {
        return fallback;
    }
    for (int i = 0; i < count; i++) {
        if (mu_str_eq(text.value->text, mu_str_from(words[i]))) {
            return i;
        }
    }
    mu_decode_invalid(d, &text, NULL, "has the unknown value \"" QUOTE_FMT "\"", QUOTE_ARG(text.value->text));
    return fallback;
}

bool mu_item_quantity(struct mu_decode *d, const struct mu_at *item, struct mu_quantity *ret) {
    if (item->value == NULL) {
        return false;
    }
    if (item->value->type != MU_VALUE_STRING && item->value->type != MU_VALUE_NUMBER) {
        wrong_type(d, item, "a quantity");
        return false;
    }
    struct mu_quantity q;
    if (!mu_quantity_parse(item->value->text, &q)) {
        mu_decode_fail(d, item, NULL, "must be a quantity as in 500m or 2Gi, is \"" QUOTE_FMT "\"",
                       QUOTE_ARG(item->value->text));
        return false;
    }
    if (q.nano < 0) {
        mu_decode_invalid(d, item, NULL, "must not be negative, is " QUOTE_FMT, QUOTE_ARG(item->value->text));
        q = (struct mu_quantity){0, false};
    } else if (q.saturated) {
        mu_decode_invalid(d, item, NULL, "is beyond 2^63-1: " QUOTE_FMT, QUOTE_ARG(item->value->text));
    }
    *ret = q;
    return true;
}

bool mu_field_quantity(struct mu_decode *d, const struct mu_at *at, const char *field, struct mu_quantity *ret) {
    struct mu_at item = any_field(at, field);
    return mu_item_quantity(d, &item, ret);
}

static uint32_t read_syms(struct mu_decode *d, const struct mu_at *at, const char *field, mu_sym **ret) {
    struct mu_at list = mu_at_array(d, at, field);
    size_t len = mu_at_len(&list);
    *ret = NULL;
    if (len == 0) {
        return 0;
    }
    mu_sym *syms = MU_NEW_ARRAY(d->arena, mu_sym, len);
    uint32_t count = 0;
    for (size_t i = 0; i < len; i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_STRING);
        if (item.value != NULL) {
            syms[count++] = mu_decode_sym(d, item.value->text);
        }
    }
    *ret = syms;
    return count;
}

uint32_t mu_field_syms(struct mu_decode *d, const struct mu_at *at, const char *field, const mu_sym **ret) {
    mu_sym *syms;
    uint32_t len = read_syms(d, at, field, &syms);
    *ret = syms;
    return len;
}

static int cmp_syms(const void *a, const void *b) {
    mu_sym x = *(const mu_sym *)a, y = *(const mu_sym *)b;
    return x < y ? -1 : x > y;
}

uint32_t mu_sort_syms(mu_sym *syms, uint32_t len) {
    if (len < 2) {
        return len;
    }
    qsort(syms, len, sizeof *syms, cmp_syms);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < len; i++) {
        if (syms[i] != syms[kept - 1]) {
            syms[kept++] = syms[i];
        }
    }
    return kept;
}

uint32_t mu_field_sym_set(struct mu_decode *d, const struct mu_at *at, const char *field, const mu_sym **ret) {
    mu_sym *syms;
    uint32_t len = read_syms(d, at, field, &syms);
    *ret = syms;
    return mu_sort_syms(syms, len);
}

/* ---- Amounts ---- */

static bool is_cpu(const struct mu_decode *d, mu_sym resource) {
    return mu_str_eq(mu_text(d->symbols, resource), MU_STR("cpu"));
}

int64_t mu_amount_up(const struct mu_decode *d, mu_sym resource, struct mu_quantity q) {
    return is_cpu(d, resource) ? mu_quantity_milli_up(q) : mu_quantity_units_up(q);
}

int64_t mu_amount_down(const struct mu_decode *d, mu_sym resource, struct mu_quantity q) {
    return is_cpu(d, resource) ? mu_quantity_milli_down(q) : mu_quantity_units_down(q);
}

static int cmp_amounts(const void *a, const void *b) {
    mu_sym x = ((const struct mu_amount *)a)->resource, y = ((const struct mu_amount *)b)->resource;
    return x < y ? -1 : x > y;
}

uint32_t mu_field_amounts(struct mu_decode *d, const struct mu_at *at, const char *field, bool down,
                          const struct mu_amount **ret) {
    struct mu_at map = mu_at_object(d, at, field);
    size_t len = mu_at_len(&map);
    *ret = NULL;
    if (len == 0) {
        return 0;
    }
    struct mu_amount *amounts = MU_NEW_ARRAY(d->arena, struct mu_amount, len);
    uint32_t count = 0;
    for (size_t i = 0; i < len; i++) {
        struct mu_at item = mu_at_any_item(&map, i);
        struct mu_quantity q;
        if (mu_item_quantity(d, &item, &q)) {
            mu_sym resource = mu_decode_sym(d, item.key);
            amounts[count++] =
                (struct mu_amount){resource, down ? mu_amount_down(d, resource, q) : mu_amount_up(d, resource, q)};
        }
    }
    qsort(amounts, count, sizeof *amounts, cmp_amounts);
    *ret = amounts;
    return count;
}
