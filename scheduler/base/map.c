/* Map: open addressing with linear probing; a removal closes the gap by moving later entries back, so that there are
 * no tombstones and a table never gets slow with age. */
#include "scheduler/base/map.h"

/* A slot keeps 31 bits of its key's hash, from which its home follows; the top bit tells a used slot from an empty
 * one. */
struct mu_map_slot {
    struct mu_str key;
    uint32_t tag; /* 0: empty */
    uint32_t value;
};

#define SLOT_USED ((uint32_t)1 << 31)
#define SLOTS_FIRST ((size_t)8)
#define SLOTS_MAX ((size_t)1 << 31) /* as many homes as a tag can tell apart; such a table has 48 GiB */

static uint64_t rotate_left(uint64_t x, unsigned by) {
    return x << by | x >> (64 - by);
}

/* The SipRound of the SipHash paper (Aumasson and Bernstein, 2012), figure 2.1. */
static void sip_round(uint64_t v[4]) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate_left(v[1], 13) ^ v[0];
    v[3] = rotate_left(v[3], 16) ^ v[2];
    v[0] = rotate_left(v[0], 32) + v[3];
    v[2] += v[1];
    v[3] = rotate_left(v[3], 21) ^ v[0];
    v[1] = rotate_left(v[1], 17) ^ v[2];
    v[2] = rotate_left(v[2], 32);
}

static uint64_t load_le(const unsigned char *bytes, size_t count) {
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

/* SipHash-1-3 with the seed as the first half of the key, and 0 as the second. */
uint64_t mu_hash_bytes(uint64_t seed, const void *bytes, size_t len) {
    uint64_t v[4] = {
        seed ^ 0x736f6d6570736575,
        0x646f72616e646f6d,
        seed ^ 0x6c7967656e657261,
        0x7465646279746573,
    };
    const unsigned char *at = bytes;
    for (size_t rest = len; rest >= 8; rest -= 8, at += 8) {
        uint64_t word = load_le(at, 8);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    uint64_t last = (uint64_t)len << 56 | load_le(at, len & 7);
    v[3] ^= last;
    sip_round(v);
    v[0] ^= last;
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static uint32_t tag_of(const struct mu_map *map, struct mu_str key) {
    return (uint32_t)mu_hash_bytes(map->seed, key.ptr, key.len) | SLOT_USED;
}

/* The key's slot, or the empty one where it would go. The map has slots, and an empty one among them. */
static size_t find_slot(const struct mu_map *map, struct mu_str key, uint32_t tag) {
    size_t mask = map->slots_count - 1;
    size_t i = tag & mask;
    while (map->slots[i].tag != 0 && !(map->slots[i].tag == tag && mu_str_eq(map->slots[i].key, key)))
        i = (i + 1) & mask;
    return i;
}

static void grow(struct mu_map *map) {
    size_t count = map->slots_count > 0 ? map->slots_count * 2 : SLOTS_FIRST;
    if (count > SLOTS_MAX)
        mu_arena_exhausted(map->arena);
    struct mu_map wider = *map;
    wider.slots = MU_NEW_ARRAY(map->arena, struct mu_map_slot, count);
    wider.slots_count = count;
    for (size_t i = 0; i < map->slots_count; i++) {
        const struct mu_map_slot *slot = &map->slots[i];
        if (slot->tag != 0)
            wider.slots[find_slot(&wider, slot->key, slot->tag)] = *slot;
    }
    *map = wider;
}

void mu_map_init(struct mu_map *map, struct mu_arena *arena, uint64_t seed) {
    *map = (struct mu_map){.arena = arena, .seed = seed};
}

bool mu_map_get(const struct mu_map *map, struct mu_str key, uint32_t *ret) {
    if (map->len == 0)
        return false;
    const struct mu_map_slot *slot = &map->slots[find_slot(map, key, tag_of(map, key))];
    if (slot->tag == 0)
        return false;
    if (ret != NULL)
        *ret = slot->value;
    return true;
}

void mu_map_put(struct mu_map *map, struct mu_str key, uint32_t value) {
    if (map->len >= map->slots_count / 4 * 3) /* at most three quarters full, so that probing stays short */
        grow(map);
    uint32_t tag = tag_of(map, key);
    struct mu_map_slot *slot = &map->slots[find_slot(map, key, tag)];
    if (slot->tag == 0) {
        *slot = (struct mu_map_slot){.key = key, .tag = tag};
        map->len++;
    }
    slot->value = value;
}

bool mu_map_remove(struct mu_map *map, struct mu_str key) {
    if (map->len == 0)
        return false;
    size_t mask = map->slots_count - 1;
    size_t gap = find_slot(map, key, tag_of(map, key));
    if (map->slots[gap].tag == 0)
        return false;
    for (size_t i = (gap + 1) & mask; map->slots[i].tag != 0; i = (i + 1) & mask) {
        size_t home = map->slots[i].tag & mask;
        bool reaches_gap = ((i - home) & mask) >= ((i - gap) & mask);
        if (reaches_gap) {
            map->slots[gap] = map->slots[i];
            gap = i;
        }
    }
    map->slots[gap] = (struct mu_map_slot){.tag = 0};
    map->len--;
    return true;
}

void mu_symbols_init(struct mu_symbols *symbols, struct mu_arena *arena, uint64_t seed) {
    *symbols = (struct mu_symbols){.arena = arena, .cap = 64};
    mu_map_init(&symbols->map, arena, seed);
    symbols->texts = MU_NEW_ARRAY(arena, struct mu_str, symbols->cap);
    symbols->texts[0] = MU_STR("");
    symbols->len = 1;
}

/* Control may leave at each allocation; the new symbol counts only once all is there. */
mu_sym mu_intern(struct mu_symbols *symbols, struct mu_str s) {
    mu_sym sym = 0;
    if (s.len == 0 || mu_map_get(&symbols->map, s, &sym))
        return sym;
    if (symbols->len == symbols->cap) {
        size_t cap = symbols->cap * 2;
        symbols->texts = mu_arena_grow(symbols->arena, symbols->texts, symbols->cap * sizeof *symbols->texts,
                                       cap * sizeof *symbols->texts, alignof(struct mu_str));
        symbols->cap = cap;
    }
    struct mu_str text = mu_str_dup(symbols->arena, s);
    sym = (mu_sym)symbols->len; /* fits: the map holds no more than SLOTS_MAX keys */
    mu_map_put(&symbols->map, text, sym);
    symbols->texts[symbols->len++] = text;
    return sym;
}

mu_sym mu_symbol_find(const struct mu_symbols *symbols, struct mu_str s) {
    mu_sym sym = 0;
    mu_map_get(&symbols->map, s, &sym); /* the empty string is never put there */
    return sym;
}

int mu_sym_cmp(const struct mu_symbols *symbols, mu_sym a, mu_sym b) {
    return a == b ? 0 : mu_str_cmp(mu_text(symbols, a), mu_text(symbols, b));
}
