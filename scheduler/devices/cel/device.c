/* The device as maps. A name without a domain is in the driver's (k8s.io/dynamic-resource-allocation/cel). */
#include "scheduler/devices/cel/device.h"
#include "scheduler/devices/cel/libraries.h"

/* The part of a name before the slash, or the driver; *ret_id is the rest. */
static struct mu_str domain_of(const struct mu_cel_device *device, struct mu_str name, struct mu_str *ret_id) {
    ptrdiff_t slash = mu_str_index(name, '/');
    if (slash < 0) {
        *ret_id = name;
        return device->driver;
    }
    *ret_id = mu_str_slice(name, (size_t)slash + 1, name.len);
    return mu_str_slice(name, 0, (size_t)slash);
}

static bool has_slash(struct mu_str text) {
    return mu_str_index(text, '/') >= 0;
}

/* Is the name in the domain? Asked for each name of a device, so that it looks at what differs first. */
static bool in_domain(const struct mu_cel_device *device, struct mu_str name, struct mu_str domain) {
    if (name.len > domain.len && name.ptr[domain.len] == '/' && memcmp(name.ptr, domain.ptr, domain.len) == 0)
        return !has_slash(domain); /* which ends at the first slash */
    return mu_str_eq(domain, device->driver) && !has_slash(name);
}

/* Is the name DOMAIN/ID, or ID in the driver's domain? */
static bool is_name(const struct mu_cel_device *device, struct mu_str name, struct mu_str domain, struct mu_str id) {
    if (name.len == id.len)
        return mu_str_eq(name, id) && mu_str_eq(domain, device->driver) && !has_slash(name);
    return name.len == domain.len + 1 + id.len && mu_str_ends(name, id) && in_domain(device, name, domain);
}

/* Attributes or capacity, by the shape of the map. */
static uint32_t names_len(const struct mu_cel_device *device, enum mu_cel_map_shape shape) {
    bool attributes = shape == MU_CEL_MAP_ATTRIBUTES || shape == MU_CEL_MAP_ATTRIBUTES_OF;
    return attributes ? device->attributes_len : device->capacity_len;
}

static struct mu_str name_at(const struct mu_cel_device *device, enum mu_cel_map_shape shape, uint32_t i) {
    bool attributes = shape == MU_CEL_MAP_ATTRIBUTES || shape == MU_CEL_MAP_ATTRIBUTES_OF;
    return attributes ? device->attributes[i].name : device->capacity[i].name;
}

static struct mu_cel_val version(struct mu_cel_eval *e, struct mu_str text) {
    struct mu_cel_semver *semver = mu_cel_alloc(e, 1, sizeof *semver);
    if (semver == NULL || !mu_cel_semver_read(text, semver))
        return mu_cel_fail(e, "parse semantic version: " MU_STR_FMT, MU_STR_ARG(text));
    return (struct mu_cel_val){.kind = MU_CEL_K_SEMVER, .semver = semver};
}

static struct mu_cel_val item_of(struct mu_cel_eval *e, const struct mu_cel_value *value, uint32_t i) {
    switch (value->type) {
    case MU_CEL_BOOLS:
        return mu_cel_bool(value->booleans[i]);
    case MU_CEL_INTS:
        return mu_cel_int(value->numbers[i]);
    case MU_CEL_STRINGS:
        return mu_cel_string(value->texts[i]);
    default:
        return version(e, value->texts[i]);
    }
}

static struct mu_cel_val attribute_value(struct mu_cel_eval *e, const struct mu_cel_value *value) {
    switch (value->type) {
    case MU_CEL_BOOL:
        return mu_cel_bool(value->boolean);
    case MU_CEL_INT:
        return mu_cel_int(value->number);
    case MU_CEL_STRING:
        return mu_cel_string(value->text);
    case MU_CEL_VERSION:
        return version(e, value->text);
    case MU_CEL_BOOLS:
    case MU_CEL_INTS:
    case MU_CEL_STRINGS:
    case MU_CEL_VERSIONS:
        break;
    }
    struct mu_cel_val list = mu_cel_list_make(e, value->len);
    for (uint32_t i = 0; list.kind == MU_CEL_K_LIST && i < value->len; i++)
        list.list->items[i] = item_of(e, value, i);
    return list;
}

static struct mu_cel_val capacity_value(struct mu_cel_eval *e, const struct mu_quantity *value) {
    struct mu_cel_amount *amount = mu_cel_alloc(e, 1, sizeof *amount);
    if (amount == NULL)
        return mu_cel_fail(e, "%s", e->stop);
    amount->quantity = *value;
    amount->fraction = value->nano % 1000000000 != 0;
    return (struct mu_cel_val){.kind = MU_CEL_K_QUANTITY, .amount = amount};
}

static struct mu_cel_val value_at(struct mu_cel_eval *e, enum mu_cel_map_shape shape, uint32_t i) {
    return shape == MU_CEL_MAP_ATTRIBUTES_OF ? attribute_value(e, &e->device->attributes[i].value)
                                             : capacity_value(e, &e->device->capacity[i].value);
}

static struct mu_cel_val map_of(struct mu_cel_eval *e, enum mu_cel_map_shape shape, struct mu_str domain) {
    struct mu_cel_map *map = mu_cel_alloc(e, 1, sizeof *map);
    if (map == NULL)
        return mu_cel_fail(e, "%s", e->stop);
    map->shape = shape;
    map->domain = domain;
    return (struct mu_cel_val){.kind = MU_CEL_K_MAP, .map = map};
}

static bool find_field(struct mu_cel_eval *e, struct mu_str name, struct mu_cel_val *ret) {
    if (mu_str_eq(name, MU_STR("driver")))
        *ret = mu_cel_string(e->device->driver);
    else if (mu_str_eq(name, MU_STR("attributes")))
        *ret = map_of(e, MU_CEL_MAP_ATTRIBUTES, (struct mu_str){0});
    else if (mu_str_eq(name, MU_STR("capacity")))
        *ret = map_of(e, MU_CEL_MAP_CAPACITY, (struct mu_str){0});
    else if (mu_str_eq(name, MU_STR("allowMultipleAllocations")))
        *ret = mu_cel_bool(e->device->allow_multiple_allocations);
    else
        return false;
    return true;
}

/* In the map of one domain, the last of equal names counts; in the map of domains any will do. */
static bool find_name(struct mu_cel_eval *e, const struct mu_cel_map *map, struct mu_str key, struct mu_cel_val *ret) {
    bool outer = map->shape == MU_CEL_MAP_ATTRIBUTES || map->shape == MU_CEL_MAP_CAPACITY;
    for (uint32_t i = names_len(e->device, map->shape); i-- > 0;) {
        struct mu_str name = name_at(e->device, map->shape, i);
        if (outer ? !in_domain(e->device, name, key) : !is_name(e->device, name, map->domain, key))
            continue;
        if (outer)
            *ret =
                map_of(e, map->shape == MU_CEL_MAP_ATTRIBUTES ? MU_CEL_MAP_ATTRIBUTES_OF : MU_CEL_MAP_CAPACITY_OF, key);
        else
            *ret = value_at(e, map->shape, i);
        return true;
    }
    return false;
}

bool mu_cel_device_find(struct mu_cel_eval *e, const struct mu_cel_map *map, struct mu_cel_val key,
                        struct mu_cel_val *ret) {
    struct mu_cel_val ignored;
    if (key.kind != MU_CEL_K_STRING || !mu_cel_step(e, 1 + names_len(e->device, map->shape)))
        return false;
    ret = ret ? ret : &ignored;
    return map->shape == MU_CEL_MAP_DEVICE ? find_field(e, key.text, ret) : find_name(e, map, key.text, ret);
}

static void list_entry(struct mu_cel_eval *e, struct mu_cel_map *map, struct mu_str key) {
    for (uint32_t i = 0; i < map->len; i++)
        if (mu_str_eq(map->keys[i].text, key))
            return;
    map->keys[map->len] = mu_cel_string(key);
    if (mu_cel_device_find(e, map, map->keys[map->len], &map->values[map->len]))
        map->len++;
}

void mu_cel_device_list(struct mu_cel_eval *e, struct mu_cel_map *map) {
    static const char *const fields[] = {"driver", "attributes", "capacity", "allowMultipleAllocations"};
    bool device = map->shape == MU_CEL_MAP_DEVICE;
    uint32_t most = device ? 4 : names_len(e->device, map->shape);
    struct mu_cel_val *entries = mu_cel_alloc(e, (size_t)most * 2, sizeof *entries);
    if (entries == NULL || !mu_cel_step(e, (uint64_t)most * most))
        return; /* stopped; nothing more is asked of it */
    map->keys = entries;
    map->values = entries + most;
    for (uint32_t i = 0; i < most; i++) {
        struct mu_str name = device ? mu_str_from(fields[i]) : name_at(e->device, map->shape, i), id;
        struct mu_str domain = device ? (struct mu_str){0} : domain_of(e->device, name, &id);
        if (device)
            list_entry(e, map, name);
        else if (map->shape == MU_CEL_MAP_ATTRIBUTES || map->shape == MU_CEL_MAP_CAPACITY)
            list_entry(e, map, domain);
        else if (mu_str_eq(domain, map->domain))
            list_entry(e, map, id);
    }
}

int mu_cel_device_check(const struct mu_cel_device *device, struct mu_err *err) {
    for (uint32_t i = 0; i < device->attributes_len; i++) {
        const struct mu_cel_attribute *attribute = &device->attributes[i];
        const struct mu_cel_value *value = &attribute->value;
        bool list = value->type == MU_CEL_VERSIONS;
        struct mu_cel_semver semver;
        for (uint32_t v = 0; (list && v < value->len) || (value->type == MU_CEL_VERSION && v == 0); v++)
            if (!mu_cel_semver_read(list ? value->texts[v] : value->text, &semver))
                return mu_err_set(err, MU_E_INVALID, "attribute " MU_STR_FMT ": parse semantic version",
                                  MU_STR_ARG(attribute->name));
    }
    return 0;
}
