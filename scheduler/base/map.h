/* Map from bytes to a number, and the table of interned strings (symbols) on top of it.
 *
 * Open addressing with a fixed hash seed given by the caller. There is no way to iterate: nothing can depend on the
 * order of a hash table. Who needs all entries keeps them in an array and stores indexes here. */
#ifndef MU_BASE_MAP_H
#define MU_BASE_MAP_H

#include "scheduler/base/arena.h"
#include "scheduler/base/str.h"
#include <stdbool.h>
#include <stdint.h>

/* SipHash-1-3 or better of the bytes: good against keys made to collide. */
uint64_t mu_hash_bytes(uint64_t seed, const void *bytes, size_t len);

struct mu_map {
    struct mu_arena *arena;
    struct mu_map_slot *slots;
    size_t len; /* keys in the map */
    size_t slots_count;
    uint64_t seed;
};

void mu_map_init(struct mu_map *map, struct mu_arena *arena, uint64_t seed);
/* True and *ret (may be NULL) where the key is there. O(1). */
bool mu_map_get(const struct mu_map *map, struct mu_str key, uint32_t *ret);
/* Sets or replaces. The key's bytes are borrowed: they must live as long as the map, unchanged. */
void mu_map_put(struct mu_map *map, struct mu_str key, uint32_t value);
/* True where the key was there and is gone now. */
bool mu_map_remove(struct mu_map *map, struct mu_str key);

/* A symbol stands for a string in one table; equal strings have equal symbols. 0 is the empty string, and "none". */
typedef uint32_t mu_sym;

struct mu_symbols {
    struct mu_arena *arena;
    struct mu_map map;
    struct mu_str *texts; /* by symbol; each terminated by 0 */
    size_t len, cap;
};

void mu_symbols_init(struct mu_symbols *symbols, struct mu_arena *arena, uint64_t seed);
/* The string's symbol, made (with a copy of the bytes) where it is new. */
mu_sym mu_intern(struct mu_symbols *symbols, struct mu_str s);
/* The string's symbol where there is one, else 0 (also for the empty string). */
mu_sym mu_symbol_find(const struct mu_symbols *symbols, struct mu_str s);
static inline struct mu_str mu_text(const struct mu_symbols *symbols, mu_sym sym) {
    return symbols->texts[sym];
}
/* Order of the strings, not of the numbers. */
int mu_sym_cmp(const struct mu_symbols *symbols, mu_sym a, mu_sym b);

#endif
