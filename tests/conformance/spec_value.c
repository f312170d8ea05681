/* Values and types of cel-spec's tests. */
#include "tests/conformance/spec_value.h"
#include "scheduler/devices/cel/eval.h"
#include "scheduler/devices/cel/libraries.h"
#include "scheduler/devices/cel/numbers.h"

/* A budget for making values; they are small. */
static struct mu_cel_eval maker(struct mu_arena *arena) {
    return (struct mu_cel_eval){.arena = arena, .steps_left = MU_CEL_STEPS_MAX, .bytes_left = MU_CEL_BYTES_MAX};
}

/* A field, also where it is null. */
static const struct mu_value *field(const struct mu_value *object, const char *name) {
    for (size_t i = 0; object && object->type == MU_VALUE_OBJECT && i < object->object.len; i++)
        if (mu_str_eq(object->object.fields[i].key, mu_str_from(name)))
            return &object->object.fields[i].value;
    return NULL;
}

static struct mu_str from_base64(struct mu_arena *arena, struct mu_str text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct mu_buf out;
    mu_buf_init(&out, arena);
    unsigned bits = 0, count = 0;
    for (size_t i = 0; i < text.len && text.ptr[i] != '='; i++) {
        bits = bits << 6 | (unsigned)(strchr(digits, text.ptr[i]) - digits);
        count += 6;
        if (count >= 8) {
            count -= 8;
            mu_buf_add_char(&out, (char)(bits >> count));
        }
    }
    return out.len ? mu_buf_str(&out) : MU_STR("");
}

static struct mu_cel_val number(const struct mu_value *value, enum mu_cel_kind kind) {
    struct mu_cel_val v = {.kind = kind};
    bool fine = kind == MU_CEL_K_INT    ? mu_cel_read_int(value->text, &v.number)
                : kind == MU_CEL_K_UINT ? mu_cel_read_natural(value->text, false, &v.natural)
                                        : mu_cel_read_double(value->text, &v.real);
    return fine ? v : (struct mu_cel_val){.kind = MU_CEL_K_ERROR, .text = MU_STR("no number")};
}

static struct mu_cel_val list_of(struct mu_arena *arena, const struct mu_value *value) {
    struct mu_cel_eval e = maker(arena);
    size_t len;
    const struct mu_value *items = mu_corpus_items(value, "values", &len);
    struct mu_cel_val list = mu_cel_list_make(&e, len);
    for (size_t i = 0; i < len; i++)
        list.list->items[i] = mu_spec_value(arena, &items[i]);
    return list;
}

static struct mu_cel_val map_of(struct mu_arena *arena, const struct mu_value *value) {
    struct mu_cel_eval e = maker(arena);
    size_t len;
    const struct mu_value *items = mu_corpus_items(value, "entries", &len);
    struct mu_cel_val map = mu_cel_map_make(&e, len);
    for (size_t i = 0; i < len && !mu_cel_is_error(map); i++)
        map = mu_cel_map_put(&e, map, mu_spec_value(arena, mu_value_get(&items[i], "key")),
                             mu_spec_value(arena, mu_value_get(&items[i], "value")), false);
    return map;
}

static struct mu_cel_val object_of(const struct mu_value *value) {
    struct mu_cel_val v = {.kind = MU_CEL_K_DURATION};
    struct mu_str type = mu_corpus_text(value, "@type"), text = mu_corpus_text(value, "value");
    if (mu_str_ends(type, MU_STR("/google.protobuf.Duration")) && mu_cel_duration_read(text, &v.number))
        return v;
    v.kind = MU_CEL_K_TIMESTAMP;
    if (mu_str_ends(type, MU_STR("/google.protobuf.Timestamp")) && mu_cel_timestamp_read(text, &v.number, &v.nanos))
        return v;
    return (struct mu_cel_val){.kind = MU_CEL_K_ERROR, .text = MU_STR("a protocol-buffer message")};
}

struct mu_cel_val mu_spec_value(struct mu_arena *arena, const struct mu_value *value) {
    const struct mu_value *one;
    if (field(value, "nullValue"))
        return (struct mu_cel_val){.kind = MU_CEL_K_NULL};
    if ((one = field(value, "boolValue")))
        return mu_cel_bool(one->boolean);
    if ((one = field(value, "int64Value")))
        return number(one, MU_CEL_K_INT);
    if ((one = field(value, "uint64Value")))
        return number(one, MU_CEL_K_UINT);
    if ((one = field(value, "doubleValue")))
        return number(one, MU_CEL_K_DOUBLE);
    if ((one = field(value, "stringValue")))
        return mu_cel_string(mu_corpus_show_nul(arena, one->text));
    if ((one = field(value, "bytesValue")))
        return mu_cel_text(MU_CEL_K_BYTES, from_base64(arena, one->text));
    if ((one = field(value, "typeValue")))
        return mu_cel_text(MU_CEL_K_TYPE, one->text);
    if ((one = field(value, "listValue")))
        return list_of(arena, one);
    if ((one = field(value, "mapValue")))
        return map_of(arena, one);
    return object_of(field(value, "objectValue"));
}

static const struct mu_cel_decl *primitive(struct mu_str name) {
    static const struct {
        const char *name;
        enum mu_cel_kind kind;
    } kinds[] = {{"BOOL", MU_CEL_K_BOOL},     {"INT64", MU_CEL_K_INT},     {"UINT64", MU_CEL_K_UINT},
                 {"DOUBLE", MU_CEL_K_DOUBLE}, {"STRING", MU_CEL_K_STRING}, {"BYTES", MU_CEL_K_BYTES}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (mu_str_eq(name, mu_str_from(kinds[i].name)))
            return mu_cel_type_of(kinds[i].kind);
    return mu_cel_type_of(MU_CEL_K_DYN);
}

const struct mu_cel_decl *mu_spec_type(struct mu_arena *arena, const struct mu_value *type) {
    const struct mu_value *one;
    if (field(type, "null"))
        return mu_cel_type_of(MU_CEL_K_NULL);
    if ((one = field(type, "primitive")))
        return primitive(one->text);
    if ((one = field(type, "listType")))
        return mu_cel_type_list(arena, mu_spec_type(arena, field(one, "elemType")));
    if ((one = field(type, "mapType")))
        return mu_cel_type_map(arena, mu_spec_type(arena, field(one, "keyType")),
                               mu_spec_type(arena, field(one, "valueType")));
    if ((one = field(type, "messageType")) && mu_str_eq(one->text, MU_STR("google.protobuf.Duration")))
        return mu_cel_type_of(MU_CEL_K_DURATION);
    return mu_cel_type_of(MU_CEL_K_DYN);
}

/* Of the same kind all through, and equal; NaN is NaN here. */
static bool same(struct mu_cel_eval *e, struct mu_cel_val a, struct mu_cel_val b) {
    if (a.kind != b.kind)
        return false;
    if (a.kind == MU_CEL_K_DOUBLE)
        return a.real == b.real || (a.real != a.real && b.real != b.real);
    if (a.kind == MU_CEL_K_LIST) {
        bool equal = a.list->len == b.list->len;
        for (uint32_t i = 0; equal && i < a.list->len; i++)
            equal = same(e, a.list->items[i], b.list->items[i]);
        return equal;
    }
    if (a.kind != MU_CEL_K_MAP)
        return mu_cel_equal(e, a, b);
    uint32_t len = mu_cel_map_len(e, a);
    bool equal = len == mu_cel_map_len(e, b);
    for (uint32_t i = 0; equal && i < len; i++) {
        struct mu_cel_val other;
        equal = mu_cel_map_find(e, b, mu_cel_map_key(e, a, i), &other) && same(e, mu_cel_map_value(e, a, i), other);
    }
    return equal;
}

bool mu_spec_equal(struct mu_arena *arena, struct mu_cel_val value, const struct mu_value *wanted) {
    struct mu_cel_eval e = maker(arena);
    return same(&e, value, mu_spec_value(arena, wanted));
}
