/* Bitset: a set of small numbers, such as node numbers, of a size fixed when it is made. */
#ifndef MU_BASE_BITSET_H
#define MU_BASE_BITSET_H

#include "scheduler/base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mu_bitset {
    uint64_t *words;
    size_t len; /* number of bits */
};

/* All bits 0. */
struct mu_bitset mu_bitset_make(struct mu_arena *arena, size_t len);
void mu_bitset_fill(struct mu_bitset *set, bool value);
static inline bool mu_bitset_has(const struct mu_bitset *set, size_t i) {
    return (set->words[i >> 6] >> (i & 63)) & 1;
}
static inline void mu_bitset_add(struct mu_bitset *set, size_t i) {
    set->words[i >> 6] |= (uint64_t)1 << (i & 63);
}
static inline void mu_bitset_remove(struct mu_bitset *set, size_t i) {
    set->words[i >> 6] &= ~((uint64_t)1 << (i & 63));
}
/* Both sets must have the same length. */
void mu_bitset_and(struct mu_bitset *set, const struct mu_bitset *other);
void mu_bitset_copy(struct mu_bitset *set, const struct mu_bitset *from);
size_t mu_bitset_count(const struct mu_bitset *set);
/* The first member at or after `from`, or `set->len`. */
size_t mu_bitset_next(const struct mu_bitset *set, size_t from);

#endif
