/* Constraints over the devices of a claim. */
#include "scheduler/devices/constraints.h"

void mu_constraint_prepare(const struct mu_alloc *alloc, const struct mu_device_constraint *constraint,
                           struct mu_limit_on *ret) {
    *ret = (struct mu_limit_on){.constraint = constraint};
    struct mu_str name = mu_text(alloc->input.symbols, constraint->attribute);
    ptrdiff_t slash = mu_str_index(name, '/');
    if (slash >= 0) {
        ret->domain = mu_symbol_find(alloc->input.symbols, mu_str_slice(name, 0, (size_t)slash));
        ret->bare = mu_symbol_find(alloc->input.symbols, mu_str_slice(name, (size_t)slash + 1, name.len));
    }
}

bool mu_constraint_applies(const struct mu_limit_on *limit, mu_sym request, mu_sym full_name) {
    bool applies = limit->constraint->requests_len == 0;
    for (uint32_t i = 0; i < limit->constraint->requests_len; i++)
        applies = applies || limit->constraint->requests[i] == request || limit->constraint->requests[i] == full_name;
    return applies;
}

static const struct mu_device_attribute *find(const struct mu_device *device, mu_sym name) {
    for (uint32_t i = 0; name != 0 && i < device->attributes_len; i++)
        if (device->attributes[i].name == name)
            return &device->attributes[i];
    return NULL;
}

const struct mu_device_attribute *mu_constraint_attribute(const struct mu_alloc *alloc, const struct mu_limit_on *limit,
                                                          uint32_t entry) {
    const struct mu_device *device = alloc->entries[entry].device;
    const struct mu_device_attribute *found = find(device, limit->constraint->attribute);
    /* A name without domain stands in the driver's own. */
    bool own = limit->domain != 0 && limit->domain == mu_entry_slice(alloc, entry)->driver;
    return found == NULL && own ? find(device, limit->bare) : found;
}

/* ---- Values ---- */

static bool is_list(const struct mu_device_attribute *a) {
    return a->type >= MU_ATTRIBUTE_BOOLS;
}

static enum mu_attribute_type item_type(const struct mu_device_attribute *a) {
    return is_list(a) ? (enum mu_attribute_type)(a->type - MU_ATTRIBUTE_BOOLS + MU_ATTRIBUTE_BOOL) : a->type;
}

static uint32_t items(const struct mu_device_attribute *a) {
    return a->type == MU_ATTRIBUTE_OTHER ? 0 : is_list(a) ? a->len : 1;
}

/* One item as a number: texts are equal where their symbols are. A version's minimal form is its only one. */
static int64_t item(const struct mu_device_attribute *a, uint32_t i) {
    switch (a->type) {
    case MU_ATTRIBUTE_BOOL:
        return a->boolean;
    case MU_ATTRIBUTE_INT:
        return a->number;
    case MU_ATTRIBUTE_STRING:
    case MU_ATTRIBUTE_VERSION:
        return a->text;
    case MU_ATTRIBUTE_BOOLS:
        return a->booleans[i];
    case MU_ATTRIBUTE_INTS:
        return a->numbers[i];
    case MU_ATTRIBUTE_STRINGS:
    case MU_ATTRIBUTE_VERSIONS:
        return a->texts[i];
    case MU_ATTRIBUTE_OTHER:
        break;
    }
    return 0;
}

static bool has_item(const struct mu_device_attribute *a, enum mu_attribute_type type, int64_t value) {
    if (item_type(a) != type)
        return false;
    for (uint32_t i = 0; i < items(a); i++)
        if (item(a, i) == value)
            return true;
    return false;
}

static bool all_have(const struct mu_device_attribute *const *others, uint32_t len, enum mu_attribute_type type,
                     int64_t value) {
    for (uint32_t i = 0; i < len; i++)
        if (!has_item(others[i], type, value))
            return false;
    return true;
}

static bool any_has(const struct mu_device_attribute *const *others, uint32_t len, enum mu_attribute_type type,
                    int64_t value) {
    for (uint32_t i = 0; i < len; i++)
        if (has_item(others[i], type, value))
            return true;
    return false;
}

/* Lists: a value that all devices have in common. */
static bool matches(const struct mu_device_attribute *a, const struct mu_device_attribute *const *others,
                    uint32_t len) {
    for (uint32_t i = 0; i < items(a); i++)
        if (all_have(others, len, item_type(a), item(a, i)))
            return true;
    return false;
}

/* Lists: no value that two devices have in common. */
static bool is_distinct(const struct mu_device_attribute *a, const struct mu_device_attribute *const *others,
                        uint32_t len) {
    for (uint32_t i = 0; i < items(a); i++)
        if (any_has(others, len, item_type(a), item(a, i)))
            return false;
    return a->type != MU_ATTRIBUTE_OTHER;
}

bool mu_constraint_allows(const struct mu_limit_on *limit, bool lists, const struct mu_device_attribute *attribute,
                          const struct mu_device_attribute *const *others, uint32_t others_len) {
    if (attribute == NULL)
        return false;
    /* Without the feature for lists a first device may have anything, and a list joins nobody. */
    if (!lists && (others_len == 0 || is_list(attribute) || attribute->type == MU_ATTRIBUTE_OTHER))
        return others_len == 0;
    return limit->constraint->kind == MU_DEVICE_MATCH ? matches(attribute, others, others_len)
                                                      : is_distinct(attribute, others, others_len);
}
