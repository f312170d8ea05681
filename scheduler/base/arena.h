/* Arena: memory that is given back all at once, or back to a mark.
 *
 * An allocation never returns NULL. Where memory (or the arena's own limit) is used up, control goes back to the
 * innermost mu_arena_run() of that arena, which returns MU_E_NOMEM; what else must be released then (a parser, a
 * file) is registered with mu_arena_defer() and released with the arena. An arena that is used outside mu_arena_run()
 * ends the process when memory is used up. */
#ifndef MU_BASE_ARENA_H
#define MU_BASE_ARENA_H

#include "scheduler/base/err.h"
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

struct mu_arena;

/* The door to the system's memory, so that a test can make the n-th allocation fail. NULL means malloc and free. */
struct mu_memory {
    void *(*alloc)(void *ctx, size_t bytes);
    void (*release)(void *ctx, void *ptr);
    void *ctx;
};

/* Returns owned; NULL where not even the arena's own record could be allocated. limit_bytes 0: no limit. `memory`
 * may be NULL; it is borrowed for the arena's life. */
struct mu_arena *mu_arena_create(size_t limit_bytes, const struct mu_memory *memory);
/* An arena with a life of its own, whose running out of memory is the parent's: control goes to the parent's innermost
 * mu_arena_run() where the child is in none itself. The parent must outlive it. Same memory and the same limit, counted
 * apart. Returns owned, never NULL. */
struct mu_arena *mu_arena_create_child(struct mu_arena *parent);
/* NULL is fine. Runs the deferred releases, newest first. */
void mu_arena_destroy(struct mu_arena *arena);
static inline void mu_arena_destroyp(struct mu_arena **arena) {
    mu_arena_destroy(*arena);
}

/* Calls fn(ctx, err) so that running out of memory in this arena inside it returns MU_E_NOMEM here. Nests. Local
 * variables of fn are lost on that path. Returns what fn returned otherwise. */
int mu_arena_run(struct mu_arena *arena, int (*fn)(void *ctx, struct mu_err *err), void *ctx, struct mu_err *err)
    MU_MUST_USE;

/* Uninitialised memory; `bytes` 0 gives a unique valid pointer. `align` is a power of two up to 64. */
void *mu_arena_alloc(struct mu_arena *arena, size_t bytes, size_t align);
/* Zeroed array; a product that overflows is "out of memory". */
void *mu_arena_array(struct mu_arena *arena, size_t count, size_t bytes_each, size_t align);
/* Goes the way of an allocation that failed; for sizes that are past all memory. */
_Noreturn void mu_arena_exhausted(struct mu_arena *arena);
/* Grown copy of `old` (old_bytes of it are kept); extends in place where `old` was the newest allocation;
 * otherwise `old` stays as it is until a rollback or the end. new_bytes is not less than old_bytes; `old` may be NULL
 * with 0 bytes. */
void *mu_arena_grow(struct mu_arena *arena, void *old, size_t old_bytes, size_t new_bytes, size_t align);
/* Calls release(ptr) when the arena is destroyed, or rolled back to a mark from before this call; where memory for
 * remembering that is used up, calls it at once. */
void mu_arena_defer(struct mu_arena *arena, void (*release)(void *ptr), void *ptr);

/* A place to go back to. It is void once the arena was rolled back to an older one. */
struct mu_arena_mark {
    void *block;
    size_t used;
    void *deferred;
};

struct mu_arena_mark mu_arena_mark(struct mu_arena *arena);
/* Gives back everything that was allocated since the mark. */
void mu_arena_rollback(struct mu_arena *arena, struct mu_arena_mark mark);
/* Bytes that the arena holds from the system. */
size_t mu_arena_bytes(const struct mu_arena *arena);

#define MU_NEW(arena, type) ((type *)mu_arena_array((arena), 1, sizeof(type), alignof(type)))
#define MU_NEW_ARRAY(arena, type, count) ((type *)mu_arena_array((arena), (count), sizeof(type), alignof(type)))

/* A growing array in an arena: `struct { type *items; size_t len, cap; }`. */
#define MU_VEC(type)                                                                                                   \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        size_t len, cap;                                                                                               \
    }

/* Appends a value; amortised O(1). */
#define MU_VEC_PUSH(arena, vec, ...)                                                                                   \
    do {                                                                                                               \
        if ((vec)->len == (vec)->cap) {                                                                                \
            size_t mu_cap_ = (vec)->cap ? (vec)->cap * 2 : 4;                                                          \
            (vec)->items = mu_arena_grow((arena), (vec)->items, (vec)->cap * sizeof *(vec)->items,                     \
                                         mu_cap_ * sizeof *(vec)->items, alignof(max_align_t));                        \
            (vec)->cap = mu_cap_;                                                                                      \
        }                                                                                                              \
        (vec)->items[(vec)->len++] = __VA_ARGS__;                                                                      \
    } while (0)

#endif
