/* Bitset: 64 bits a word; the bits of the last word that are past the set's length stay 0. */
#include "scheduler/base/bitset.h"

#include <string.h>

static size_t words_of(size_t len) {
    return len / 64 + (len % 64 != 0);
}

struct mu_bitset mu_bitset_make(struct mu_arena *arena, size_t len) {
    return (struct mu_bitset){.words = MU_NEW_ARRAY(arena, uint64_t, words_of(len)), .len = len};
}

void mu_bitset_fill(struct mu_bitset *set, bool value) {
    size_t count = words_of(set->len);
    if (count == 0)
        return;
    memset(set->words, value ? 0xff : 0, count * sizeof *set->words);
    if (value && set->len % 64 != 0)
        set->words[count - 1] = ((uint64_t)1 << (set->len % 64)) - 1;
}

void mu_bitset_and(struct mu_bitset *set, const struct mu_bitset *other) {
    MU_ASSERT(set->len == other->len);
    for (size_t i = 0; i < words_of(set->len); i++)
        set->words[i] &= other->words[i];
}

void mu_bitset_copy(struct mu_bitset *set, const struct mu_bitset *from) {
    MU_ASSERT(set->len == from->len);
    for (size_t i = 0; i < words_of(set->len); i++)
        set->words[i] = from->words[i];
}

size_t mu_bitset_count(const struct mu_bitset *set) {
    size_t count = 0;
    for (size_t i = 0; i < words_of(set->len); i++)
        count += (size_t)__builtin_popcountll(set->words[i]);
    return count;
}

size_t mu_bitset_next(const struct mu_bitset *set, size_t from) {
    if (from >= set->len)
        return set->len;
    size_t i = from / 64;
    uint64_t word = set->words[i] & ~(uint64_t)0 << (from % 64);
    while (word == 0 && ++i < words_of(set->len))
        word = set->words[i];
    return word != 0 ? i * 64 + (size_t)__builtin_ctzll(word) : set->len;
}
