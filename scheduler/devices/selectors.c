/* CEL selectors and derived attributes. */
#include "scheduler/devices/selectors.h"
#include "scheduler/devices/cel/derived.h"

/* What is known of an expression and a shape. */
enum { UNKNOWN = 0, KNOWN_NO, KNOWN_YES, KNOWN_FAILED };

struct program {
    const struct mu_cel *cel; /* NULL: it does not compile, see text */
    struct mu_str text;
    uint8_t *by_shape;
};

struct derived {
    const struct mu_cel_derived *cel;
    struct mu_str text;
    const struct mu_device_attribute **by_shape;
    int64_t *costs; /* by shape */
};

struct mu_programs {
    struct mu_map by_expression, derived_by_expression; /* expressions' bytes */
    MU_VEC(struct program) items;
    MU_VEC(struct derived) derived;
};

/* Kubernetes evaluates what is stored with every feature, whatever the gates say today ("stored expressions"). */
enum { CEL_FEATURES = MU_CEL_CONSUMABLE_CAPACITY | MU_CEL_LIST_ATTRIBUTES };

struct mu_programs *mu_programs_create(struct mu_alloc *alloc) {
    struct mu_programs *programs = MU_NEW(alloc->arena, struct mu_programs);
    mu_map_init(&programs->by_expression, alloc->arena, 1);
    mu_map_init(&programs->derived_by_expression, alloc->arena, 1);
    return programs;
}

/* ---- What an expression sees ---- */

/* The texts of symbols, as the expression wants them. */
static const struct mu_str *texts_of(struct mu_alloc *alloc, const mu_sym *syms, uint32_t len) {
    struct mu_str *texts = MU_NEW_ARRAY(alloc->scratch, struct mu_str, len);
    for (uint32_t i = 0; i < len; i++)
        texts[i] = mu_text(alloc->input.symbols, syms[i]);
    return texts;
}

/* False where it has no value of a known type. */
static bool value_of(struct mu_alloc *alloc, const struct mu_device_attribute *attribute, struct mu_cel_value *ret) {
    ret->len = attribute->len;
    switch (attribute->type) {
    case MU_ATTRIBUTE_OTHER:
        return false;
    case MU_ATTRIBUTE_BOOL:
        ret->type = MU_CEL_BOOL;
        ret->boolean = attribute->boolean;
        return true;
    case MU_ATTRIBUTE_INT:
        ret->type = MU_CEL_INT;
        ret->number = attribute->number;
        return true;
    case MU_ATTRIBUTE_STRING:
    case MU_ATTRIBUTE_VERSION:
        ret->type = attribute->type == MU_ATTRIBUTE_STRING ? MU_CEL_STRING : MU_CEL_VERSION;
        ret->text = mu_text(alloc->input.symbols, attribute->text);
        return true;
    case MU_ATTRIBUTE_BOOLS:
        ret->type = MU_CEL_BOOLS;
        ret->booleans = attribute->booleans;
        return true;
    case MU_ATTRIBUTE_INTS:
        ret->type = MU_CEL_INTS;
        ret->numbers = attribute->numbers;
        return true;
    case MU_ATTRIBUTE_STRINGS:
    case MU_ATTRIBUTE_VERSIONS:
        ret->type = attribute->type == MU_ATTRIBUTE_STRINGS ? MU_CEL_STRINGS : MU_CEL_VERSIONS;
        ret->texts = texts_of(alloc, attribute->texts, attribute->len);
        return true;
    }
    return false;
}

/* In scratch. False, with what is wrong, where an attribute has no value: upstream then evaluates nothing. */
static bool device_of(struct mu_alloc *alloc, uint32_t entry, struct mu_cel_device *ret, struct mu_str *ret_text) {
    const struct mu_device *device = alloc->entries[entry].device;
    struct mu_cel_attribute *attributes = MU_NEW_ARRAY(alloc->scratch, struct mu_cel_attribute, device->attributes_len);
    struct mu_cel_capacity *capacity = MU_NEW_ARRAY(alloc->scratch, struct mu_cel_capacity, device->capacity_len);
    for (uint32_t i = 0; i < device->attributes_len; i++) {
        attributes[i].name = mu_text(alloc->input.symbols, device->attributes[i].name);
        if (!value_of(alloc, &device->attributes[i], &attributes[i].value)) {
            *ret_text = mu_str_printf(alloc->arena, "attribute " MU_STR_FMT ": unsupported attribute value",
                                      MU_STR_ARG(attributes[i].name));
            return false;
        }
    }
    for (uint32_t i = 0; i < device->capacity_len; i++) {
        capacity[i].name = mu_text(alloc->input.symbols, device->capacity[i].name);
        capacity[i].value = device->capacity[i].value;
    }
    *ret = (struct mu_cel_device){
        .driver = mu_text(alloc->input.symbols, mu_entry_slice(alloc, entry)->driver),
        .allow_multiple_allocations = device->shared,
        .attributes = attributes,
        .capacity = capacity,
        .attributes_len = device->attributes_len,
        .capacity_len = device->capacity_len,
    };
    return true;
}

static struct mu_str keep_error(struct mu_alloc *alloc, const struct mu_err *err) {
    return mu_str_dup(alloc->arena, mu_str_from(err->text));
}

/* ---- Selectors ---- */

uint32_t mu_program(struct mu_alloc *alloc, mu_sym expression) {
    struct mu_programs *programs = alloc->programs;
    struct mu_str text = mu_text(alloc->input.symbols, expression);
    uint32_t index;
    if (mu_map_get(&programs->by_expression, text, &index))
        return index;
    struct program program = {.by_shape = MU_NEW_ARRAY(alloc->arena, uint8_t, alloc->shapes.len)};
    struct mu_err err = {0};
    if (mu_cel_compile(alloc->arena, text, CEL_FEATURES, &program.cel, &err) != 0) {
        program.cel = NULL;
        program.text = keep_error(alloc, &err);
    }
    index = (uint32_t)programs->items.len;
    MU_VEC_PUSH(alloc->arena, &programs->items, program);
    mu_map_put(&programs->by_expression, text, index);
    return index;
}

bool mu_program_compiles(const struct mu_alloc *alloc, uint32_t program, struct mu_str *ret_text) {
    const struct program *p = &alloc->programs->items.items[program];
    *ret_text = p->text;
    return p->cel != NULL;
}

static uint8_t evaluate(struct mu_alloc *alloc, const struct mu_cel *cel, uint32_t entry, struct mu_str *ret_text) {
    struct mu_arena_mark mark = mu_arena_mark(alloc->scratch);
    struct mu_cel_device device;
    uint8_t known = KNOWN_FAILED;
    if (device_of(alloc, entry, &device, ret_text)) {
        bool match = false;
        int64_t cost;
        struct mu_err err = {0};
        if (mu_cel_match(cel, &device, alloc->scratch, &match, &cost, &err) != 0)
            *ret_text = keep_error(alloc, &err);
        else
            known = match ? KNOWN_YES : KNOWN_NO;
    }
    mu_arena_rollback(alloc->scratch, mark);
    return known;
}

enum mu_selector_answer mu_program_match(struct mu_alloc *alloc, uint32_t index, uint32_t entry,
                                         struct mu_str *ret_text) {
    struct program *program = &alloc->programs->items.items[index];
    if (program->cel == NULL) {
        *ret_text = program->text;
        return MU_SELECTOR_NOT_COMPILED;
    }
    uint8_t *known = &program->by_shape[alloc->entries[entry].shape];
    /* What failed once fails again, and says so again: failures end an attempt and need no memory of their own. */
    if (*known == UNKNOWN || *known == KNOWN_FAILED)
        *known = evaluate(alloc, program->cel, entry, ret_text);
    return *known == KNOWN_YES ? MU_SELECTOR_YES : *known == KNOWN_NO ? MU_SELECTOR_NO : MU_SELECTOR_FAILED;
}

/* ---- Derived attributes ---- */

static mu_sym *syms_of(struct mu_alloc *alloc, const struct mu_str *texts, uint32_t len) {
    mu_sym *syms = MU_NEW_ARRAY(alloc->arena, mu_sym, len);
    for (uint32_t i = 0; i < len; i++)
        syms[i] = mu_intern(alloc->input.symbols, texts[i]);
    return syms;
}

static const struct mu_device_attribute *attribute_of(struct mu_alloc *alloc, const struct mu_cel_value *value) {
    struct mu_device_attribute *ret = MU_NEW(alloc->arena, struct mu_device_attribute);
    ret->len = value->len;
    switch (value->type) {
    case MU_CEL_BOOL:
        ret->type = MU_ATTRIBUTE_BOOL;
        ret->boolean = value->boolean;
        break;
    case MU_CEL_INT:
        ret->type = MU_ATTRIBUTE_INT;
        ret->number = value->number;
        break;
    case MU_CEL_STRING:
    case MU_CEL_VERSION:
        ret->type = value->type == MU_CEL_STRING ? MU_ATTRIBUTE_STRING : MU_ATTRIBUTE_VERSION;
        ret->text = mu_intern(alloc->input.symbols, value->text);
        break;
    case MU_CEL_BOOLS:
        ret->type = MU_ATTRIBUTE_BOOLS;
        ret->booleans = value->booleans;
        break;
    case MU_CEL_INTS:
        ret->type = MU_ATTRIBUTE_INTS;
        ret->numbers = value->numbers;
        break;
    case MU_CEL_STRINGS:
    case MU_CEL_VERSIONS:
        ret->type = value->type == MU_CEL_STRINGS ? MU_ATTRIBUTE_STRINGS : MU_ATTRIBUTE_VERSIONS;
        ret->texts = syms_of(alloc, value->texts, value->len);
        break;
    }
    return ret;
}

static struct derived *find_derived(struct mu_alloc *alloc, mu_sym expression) {
    struct mu_programs *programs = alloc->programs;
    struct mu_str text = mu_text(alloc->input.symbols, expression);
    uint32_t index;
    if (mu_map_get(&programs->derived_by_expression, text, &index))
        return &programs->derived.items[index];
    struct derived derived = {.by_shape =
                                  MU_NEW_ARRAY(alloc->arena, const struct mu_device_attribute *, alloc->shapes.len),
                              .costs = MU_NEW_ARRAY(alloc->arena, int64_t, alloc->shapes.len)};
    struct mu_err err = {0};
    if (mu_cel_derived_compile(alloc->arena, text, CEL_FEATURES, &derived.cel, &err) != 0) {
        derived.cel = NULL;
        derived.text = keep_error(alloc, &err);
    }
    MU_VEC_PUSH(alloc->arena, &programs->derived, derived);
    mu_map_put(&programs->derived_by_expression, text, (uint32_t)programs->derived.len - 1);
    return &programs->derived.items[programs->derived.len - 1];
}

const struct mu_device_attribute *mu_derive(struct mu_alloc *alloc, mu_sym expression, uint32_t entry,
                                            int64_t *ret_cost, struct mu_str *ret_text) {
    struct derived *derived = find_derived(alloc, expression);
    *ret_text = derived->text;
    const struct mu_device_attribute **known = &derived->by_shape[alloc->entries[entry].shape];
    int64_t *cost = &derived->costs[alloc->entries[entry].shape];
    *ret_cost = *cost;
    if (derived->cel == NULL || *known != NULL)
        return *known;
    struct mu_arena_mark mark = mu_arena_mark(alloc->scratch);
    struct mu_cel_device device;
    if (device_of(alloc, entry, &device, ret_text)) {
        struct mu_cel_value value;
        struct mu_err err = {0};
        if (mu_cel_derived_evaluate(derived->cel, &device, alloc->scratch, alloc->arena, &value, cost, &err) != 0)
            *ret_text = keep_error(alloc, &err);
        else
            *known = attribute_of(alloc, &value);
    }
    mu_arena_rollback(alloc->scratch, mark);
    *ret_cost = *cost;
    return *known;
}

/* ---- Shapes ---- */

static void add_bytes(struct mu_buf *buf, const void *bytes, size_t len) {
    mu_buf_add(buf, (struct mu_str){bytes, len});
}

static void add_attribute(struct mu_buf *buf, const struct mu_device_attribute *attribute) {
    uint32_t head[4] = {attribute->name, attribute->text, (uint32_t)attribute->type, attribute->len};
    add_bytes(buf, head, sizeof head);
    switch (attribute->type) {
    case MU_ATTRIBUTE_BOOL:
        add_bytes(buf, &attribute->boolean, sizeof attribute->boolean);
        break;
    case MU_ATTRIBUTE_INT:
        add_bytes(buf, &attribute->number, sizeof attribute->number);
        break;
    case MU_ATTRIBUTE_BOOLS:
        add_bytes(buf, attribute->booleans, attribute->len * sizeof *attribute->booleans);
        break;
    case MU_ATTRIBUTE_INTS:
        add_bytes(buf, attribute->numbers, attribute->len * sizeof *attribute->numbers);
        break;
    case MU_ATTRIBUTE_STRINGS:
    case MU_ATTRIBUTE_VERSIONS:
        add_bytes(buf, attribute->texts, attribute->len * sizeof *attribute->texts);
        break;
    case MU_ATTRIBUTE_OTHER:
    case MU_ATTRIBUTE_STRING:
    case MU_ATTRIBUTE_VERSION:
        break;
    }
}

void mu_shapes_lay_out(struct mu_alloc *alloc) {
    struct mu_arena_mark mark = mu_arena_mark(alloc->scratch);
    struct mu_map by_bytes;
    mu_map_init(&by_bytes, alloc->scratch, 1);
    struct mu_buf buf;
    mu_buf_init(&buf, alloc->scratch);
    for (uint32_t e = 0; e < alloc->entries_len; e++) {
        const struct mu_device *device = alloc->entries[e].device;
        uint32_t head[4] = {mu_entry_slice(alloc, e)->driver, device->shared, device->attributes_len,
                            device->capacity_len};
        mu_buf_clear(&buf);
        add_bytes(&buf, head, sizeof head);
        for (uint32_t i = 0; i < device->attributes_len; i++)
            add_attribute(&buf, &device->attributes[i]);
        for (uint32_t i = 0; i < device->capacity_len; i++) {
            add_bytes(&buf, &device->capacity[i].name, sizeof device->capacity[i].name);
            add_bytes(&buf, &device->capacity[i].value.nano, sizeof device->capacity[i].value.nano);
        }
        uint32_t shape = (uint32_t)alloc->shapes.len;
        if (!mu_map_get(&by_bytes, mu_buf_str(&buf), &shape)) {
            MU_VEC_PUSH(alloc->arena, &alloc->shapes, e);
            mu_map_put(&by_bytes, mu_str_dup(alloc->scratch, mu_buf_str(&buf)), shape);
        }
        alloc->entries[e].shape = shape;
    }
    mu_arena_rollback(alloc->scratch, mark);
}
