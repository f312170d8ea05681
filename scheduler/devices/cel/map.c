/* Maps: entries in the order they were added, with a hash index once there are more than a few. Keys that are numbers
 * are equal across kinds (cel-spec, "Equality"), so all numbers hash by their value. */
#include "scheduler/base/map.h"
#include "scheduler/devices/cel/device.h"
#include "scheduler/devices/cel/eval.h"

enum { INDEX_FROM = 9 }; /* entries; fewer are looked through */

static const struct mu_cel_map empty_map;

struct mu_cel_val mu_cel_map_make(struct mu_cel_eval *e, size_t cap) {
    struct mu_cel_map *map = mu_cel_alloc(e, 1, sizeof *map);
    struct mu_cel_val *entries = map ? mu_cel_alloc(e, cap * 2, sizeof *entries) : NULL;
    if (entries == NULL)
        return mu_cel_fail(e, "%s", e->stop);
    map->keys = entries;
    map->values = entries + cap;
    map->cap = (uint32_t)cap;
    return (struct mu_cel_val){.kind = MU_CEL_K_MAP, .map = map};
}

static uint64_t hash_key(struct mu_cel_val key) {
    uint64_t bits;
    switch (key.kind) {
    case MU_CEL_K_INT:
    case MU_CEL_K_UINT:
        bits = key.natural;
        break;
    case MU_CEL_K_DOUBLE: /* one that is no integer is equal to none, and may hash as it likes */
        if (key.real >= -9223372036854775808.0 && key.real < 9223372036854775808.0)
            bits = (uint64_t)(int64_t)key.real;
        else
            bits = key.real >= 0 && key.real < 18446744073709551616.0 ? (uint64_t)key.real : 0;
        break;
    case MU_CEL_K_BOOL:
        return key.boolean ? 1 : 2;
    default:
        return mu_hash_bytes(1, key.text.len ? key.text.ptr : "", key.text.len);
    }
    return mu_hash_bytes(2, &bits, sizeof bits);
}

static bool same_key(struct mu_cel_val a, struct mu_cel_val b) {
    int compared;
    return mu_cel_compare(a, b, &compared) && compared == 0;
}

/* The entry, or map->len. One of the same kind goes before one that is equal as a number. */
static uint32_t find_entry(struct mu_cel_eval *e, const struct mu_cel_map *map, struct mu_cel_val key) {
    uint32_t found = map->len;
    if (map->slots == NULL) {
        (void)mu_cel_step(e, map->len);
        for (uint32_t i = 0; i < map->len; i++) {
            if (!same_key(map->keys[i], key))
                continue;
            if (map->keys[i].kind == key.kind)
                return i;
            found = i;
        }
        return found;
    }
    for (uint64_t slot = hash_key(key);; slot++) {
        uint32_t entry = map->slots[slot & (map->slots_len - 1)];
        if (entry == 0 || !mu_cel_step(e, 1))
            return found;
        if (!same_key(map->keys[entry - 1], key))
            continue;
        if (map->keys[entry - 1].kind == key.kind)
            return entry - 1;
        found = entry - 1;
    }
}

static void index_entry(struct mu_cel_map *map, uint32_t entry) {
    uint64_t slot = hash_key(map->keys[entry]);
    while (map->slots[slot & (map->slots_len - 1)] != 0)
        slot++;
    map->slots[slot & (map->slots_len - 1)] = entry + 1;
}

/* An index over all entries, at most half full. */
static bool make_index(struct mu_cel_eval *e, struct mu_cel_map *map) {
    uint32_t len = 32;
    while (len < map->len * 4)
        len *= 2;
    map->slots = mu_cel_alloc(e, len, sizeof *map->slots);
    if (map->slots == NULL)
        return false;
    map->slots_len = len;
    for (uint32_t i = 0; i < map->len; i++)
        index_entry(map, i);
    return true;
}

static bool grow(struct mu_cel_eval *e, struct mu_cel_map *map) {
    uint32_t cap = map->cap ? map->cap * 2 : 4;
    struct mu_cel_val *entries = mu_cel_alloc(e, (size_t)cap * 2, sizeof *entries);
    if (entries == NULL)
        return false;
    if (map->len > 0) {
        memcpy(entries, map->keys, map->len * sizeof *entries);
        memcpy(entries + cap, map->values, map->len * sizeof *entries);
    }
    map->keys = entries;
    map->values = entries + cap;
    map->cap = cap;
    return true;
}

static bool is_key(struct mu_cel_eval *e, struct mu_cel_val key) {
    switch (key.kind) {
    case MU_CEL_K_BOOL:
    case MU_CEL_K_INT:
    case MU_CEL_K_UINT:
    case MU_CEL_K_STRING:
        return true;
    case MU_CEL_K_DOUBLE: /* cel-go takes them */
        return !e->strict;
    default:
        return false;
    }
}

struct mu_cel_val mu_cel_map_put(struct mu_cel_eval *e, struct mu_cel_val v, struct mu_cel_val key,
                                 struct mu_cel_val value, bool replace) {
    struct mu_cel_map *map = v.map;
    if (!is_key(e, key))
        return mu_cel_fail(e, "unsupported key type: " MU_STR_FMT, MU_STR_ARG(mu_cel_kind_name(key.kind)));
    uint32_t entry = find_entry(e, map, key);
    if (entry < map->len && (!replace || map->keys[entry].kind == key.kind)) {
        if (!replace) {
            struct mu_str text = mu_cel_show(e->arena, key);
            return mu_cel_fail(e, "insert failed: key " MU_STR_FMT " already exists", MU_STR_ARG(text));
        }
        map->values[entry] = value;
        return v;
    }
    if (map->len == map->cap && !grow(e, map))
        return mu_cel_fail(e, "%s", e->stop);
    map->keys[map->len] = key;
    map->values[map->len] = value;
    map->len++;
    if (map->slots && map->len * 2 <= map->slots_len)
        index_entry(map, map->len - 1);
    else if (map->len >= INDEX_FROM && !make_index(e, map))
        return mu_cel_fail(e, "%s", e->stop);
    return v;
}

bool mu_cel_map_find(struct mu_cel_eval *e, struct mu_cel_val v, struct mu_cel_val key, struct mu_cel_val *ret) {
    if (v.map->shape != MU_CEL_MAP_ENTRIES)
        return mu_cel_device_find(e, v.map, key, ret);
    uint32_t entry = find_entry(e, v.map, key);
    if (entry == v.map->len)
        return false;
    if (ret)
        *ret = v.map->values[entry];
    return true;
}

bool mu_cel_map_select(struct mu_cel_eval *e, struct mu_cel_val v, struct mu_cel_val key, struct mu_cel_val *ret) {
    if (mu_cel_map_find(e, v, key, ret))
        return true;
    if (v.map->shape != MU_CEL_MAP_ATTRIBUTES && v.map->shape != MU_CEL_MAP_CAPACITY)
        return false;
    /* Never written to, as it does not grow. */
    *ret = (struct mu_cel_val){.kind = MU_CEL_K_MAP, .map = (struct mu_cel_map *)(uintptr_t)&empty_map};
    return true;
}

/* Makes the entries of a map that looks into the device. */
static struct mu_cel_map *listed(struct mu_cel_eval *e, struct mu_cel_map *map) {
    if (map->shape != MU_CEL_MAP_ENTRIES && map->keys == NULL)
        mu_cel_device_list(e, map);
    return map;
}

uint32_t mu_cel_map_len(struct mu_cel_eval *e, struct mu_cel_val v) {
    return listed(e, v.map)->len;
}

struct mu_cel_val mu_cel_map_key(struct mu_cel_eval *e, struct mu_cel_val v, uint32_t i) {
    return listed(e, v.map)->keys[i];
}

struct mu_cel_val mu_cel_map_value(struct mu_cel_eval *e, struct mu_cel_val v, uint32_t i) {
    return listed(e, v.map)->values[i];
}
