/* Arena: a list of blocks, each filled from its start to its end; the newest block is the one in use.
 *
 * Blocks double in size up to BLOCK_MAX. One block that a rollback has emptied is kept as a spare, so that work which
 * is tried and undone in a loop does not go to the system each time. Under AddressSanitizer everything that is not
 * handed out is poisoned, and a gap is left after each allocation, so that an overrun is reported where it happens. */
#include "scheduler/base/arena.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISONS 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ARENA_POISONS 1
#endif

#ifdef ARENA_POISONS
#include <sanitizer/asan_interface.h>
#define POISON(ptr, bytes) ASAN_POISON_MEMORY_REGION((ptr), (bytes))
#define UNPOISON(ptr, bytes) ASAN_UNPOISON_MEMORY_REGION((ptr), (bytes))
enum { GAP_BYTES = 16, ALIGN_MIN = 8 }; /* shadow memory knows of ends inside 8 bytes, not of beginnings */
#else
#define POISON(ptr, bytes) ((void)(ptr), (void)(bytes))
#define UNPOISON(ptr, bytes) ((void)(ptr), (void)(bytes))
enum { GAP_BYTES = 0, ALIGN_MIN = 1 };
#endif

enum {
    ALIGN_MAX = 64,         /* a cache line */
    BLOCK_FIRST = 4 << 10,  /* a page: most arenas of a test or a small command stay in it */
    BLOCK_MAX = 8 << 20,    /* 1 GiB is then 128 blocks and more, and a block that is hardly used wastes little */
    EXIT_OUT_OF_MEMORY = 2, /* the program's status for "nothing was done" */
};

struct block {
    struct block *older;
    char *newest; /* start of the newest allocation, the one that can grow in place; NULL after a rollback */
    size_t size;  /* bytes after this record */
    size_t used;  /* of them */
};

struct deferred {
    struct deferred *older;
    void (*release)(void *ptr);
    void *ptr;
};

struct landing {
    struct landing *outer;
    jmp_buf where;
};

struct mu_arena {
    struct mu_memory memory;
    struct block *newest;
    struct block *spare; /* an empty block, or NULL */
    struct deferred *deferred;
    struct mu_arena *parent;          /* whose landing serves where this one has none, or NULL */
    struct landing *landing;          /* of the innermost mu_arena_run(), or NULL */
    const struct mu_arena *exhausted; /* the arena, this or a child, that last sent control to a landing of this one */
    size_t held;                      /* bytes from the system, with this record */
    size_t limit;                     /* for held; SIZE_MAX for none */
};

static void *system_alloc(void *ctx, size_t bytes) {
    (void)ctx;
    return malloc(bytes);
}

static void system_release(void *ctx, void *ptr) {
    (void)ctx;
    free(ptr);
}

static char *block_start(struct block *block) {
    return (char *)(block + 1);
}

static void block_poison_from(struct block *block, size_t offset) {
    POISON(block_start(block) + offset, block->size - offset);
}

/* The end of what is in use once the gap after `end` is left, as far as there is room for it. */
static size_t block_past_gap(const struct block *block, size_t end) {
    size_t gap = GAP_BYTES;
    return block->size - end > gap ? end + gap : block->size;
}

static void block_empty(struct block *block) {
    block->used = block_past_gap(block, 0);
    block->newest = NULL;
    block_poison_from(block, 0);
}

static void block_release(struct mu_arena *arena, struct block *block) {
    UNPOISON(block_start(block), block->size);
    arena->held -= sizeof *block + block->size;
    arena->memory.release(arena->memory.ctx, block);
}

/* Sets the end of the newest allocation, which begins at `start` and fits, and makes it usable. */
static void block_set_newest(struct block *block, char *start, size_t bytes) {
    block->newest = start;
    block->used = block_past_gap(block, (size_t)(start - block_start(block)) + bytes);
    UNPOISON(start, bytes);
}

/* NULL where the block has no room. */
static void *block_take(struct block *block, size_t bytes, size_t align) {
    char *end = block_start(block) + block->used;
    size_t skip = -(uintptr_t)end & (align - 1);
    size_t rest = block->size - block->used;
    if (skip > rest || bytes > rest - skip)
        return NULL;
    block_set_newest(block, end + skip, bytes);
    return end + skip;
}

/* A new block of at least `least` bytes with its record, or NULL. */
static struct block *block_from_system(struct mu_arena *arena, size_t least) {
    if (arena->spare != NULL) { /* too small, or it would have been taken */
        block_release(arena, arena->spare);
        arena->spare = NULL;
    }
    size_t wanted = BLOCK_FIRST;
    if (arena->newest != NULL) {
        size_t last = sizeof *arena->newest + arena->newest->size;
        wanted = last < BLOCK_MAX / 2 ? last * 2 : BLOCK_MAX;
    }
    size_t room = arena->limit > arena->held ? arena->limit - arena->held : 0;
    if (least > room)
        return NULL;
    wanted = wanted < least ? least : wanted;
    wanted = wanted > room ? room : wanted;
    struct block *block = arena->memory.alloc(arena->memory.ctx, wanted);
    if (block == NULL)
        return NULL;
    arena->held += wanted;
    block->size = wanted - sizeof *block;
    block_empty(block);
    return block;
}

/* Makes a block with room for such an allocation the newest one; false where memory is used up. */
static bool add_block(struct mu_arena *arena, size_t bytes, size_t align) {
    size_t least;
    if (__builtin_add_overflow(bytes, sizeof(struct block) + GAP_BYTES + align, &least))
        return false;
    struct block *block = arena->spare;
    if (block != NULL && block->size >= least - sizeof *block)
        arena->spare = NULL;
    else
        block = block_from_system(arena, least);
    if (block == NULL)
        return false;
    block->older = arena->newest;
    arena->newest = block;
    return true;
}

static void drop_newest_block(struct mu_arena *arena) {
    struct block *block = arena->newest;
    arena->newest = block->older;
    if (arena->spare == NULL && block->size <= BLOCK_MAX) {
        block_empty(block);
        arena->spare = block;
    } else {
        block_release(arena, block);
    }
}

/* NULL where memory is used up. */
static void *try_alloc(struct mu_arena *arena, size_t bytes, size_t align) {
    MU_ASSERT(align > 0 && align <= ALIGN_MAX && (align & (align - 1)) == 0);
    size_t reserved = bytes > 0 ? bytes : 1; /* so that no two allocations are the same place */
    align = align < ALIGN_MIN ? ALIGN_MIN : align;
    void *ret = arena->newest != NULL ? block_take(arena->newest, reserved, align) : NULL;
    if (ret == NULL && add_block(arena, reserved, align))
        ret = block_take(arena->newest, reserved, align);
    if (ret != NULL && bytes == 0)
        POISON(ret, reserved);
    return ret;
}

static void run_deferred(struct mu_arena *arena, const struct deferred *until) {
    while (arena->deferred != until) {
        MU_ASSERT(arena->deferred != NULL);
        struct deferred *deferred = arena->deferred;
        arena->deferred = deferred->older;
        deferred->release(deferred->ptr);
    }
}

struct mu_arena *mu_arena_create(size_t limit_bytes, const struct mu_memory *memory) {
    static const struct mu_memory from_system = {.alloc = system_alloc, .release = system_release};
    if (memory == NULL)
        memory = &from_system;
    struct mu_arena *arena = memory->alloc(memory->ctx, sizeof *arena);
    if (arena == NULL)
        return NULL;
    *arena = (struct mu_arena){
        .memory = *memory,
        .held = sizeof *arena,
        .limit = limit_bytes > 0 ? limit_bytes : SIZE_MAX,
    };
    return arena;
}

struct mu_arena *mu_arena_create_child(struct mu_arena *parent) {
    struct mu_arena *arena = mu_arena_create(parent->limit == SIZE_MAX ? 0 : parent->limit, &parent->memory);
    if (arena == NULL)
        mu_arena_exhausted(parent);
    arena->parent = parent;
    return arena;
}

void mu_arena_destroy(struct mu_arena *arena) {
    if (arena == NULL)
        return;
    run_deferred(arena, NULL);
    while (arena->newest != NULL)
        drop_newest_block(arena);
    if (arena->spare != NULL)
        block_release(arena, arena->spare);
    arena->memory.release(arena->memory.ctx, arena);
}

static int exhausted_error(const struct mu_arena *arena, struct mu_err *err) {
    if (arena->limit == SIZE_MAX)
        return mu_err_set(err, MU_E_NOMEM, "out of memory: %zu bytes are in use and no more can be had", arena->held);
    return mu_err_set(err, MU_E_NOMEM, "out of memory: %zu bytes are in use and the limit is %zu bytes", arena->held,
                      arena->limit);
}

int mu_arena_run(struct mu_arena *arena, int (*fn)(void *ctx, struct mu_err *err), void *ctx, struct mu_err *err) {
    struct landing landing = {.outer = arena->landing};
    int code;
    arena->landing = &landing;
    if (setjmp(landing.where) == 0)
        code = fn(ctx, err);
    else
        code = exhausted_error(arena->exhausted, err);
    arena->landing = landing.outer;
    return code;
}

_Noreturn void mu_arena_exhausted(struct mu_arena *arena) {
    for (struct mu_arena *runner = arena; runner != NULL; runner = runner->parent) {
        if (runner->landing != NULL) {
            runner->exhausted = arena;
            longjmp(runner->landing->where, 1);
        }
    }
    struct mu_err err;
    exhausted_error(arena, &err);
    fprintf(stderr, "%s\n", err.text);
    _Exit(EXIT_OUT_OF_MEMORY);
}

void *mu_arena_alloc(struct mu_arena *arena, size_t bytes, size_t align) {
    void *ret = try_alloc(arena, bytes, align);
    if (ret == NULL)
        mu_arena_exhausted(arena);
    return ret;
}

void *mu_arena_array(struct mu_arena *arena, size_t count, size_t bytes_each, size_t align) {
    size_t bytes;
    if (__builtin_mul_overflow(count, bytes_each, &bytes))
        mu_arena_exhausted(arena);
    return memset(mu_arena_alloc(arena, bytes, align), 0, bytes);
}

void *mu_arena_grow(struct mu_arena *arena, void *old, size_t old_bytes, size_t new_bytes, size_t align) {
    MU_ASSERT(new_bytes >= old_bytes);
    struct block *block = arena->newest;
    bool newest = old != NULL && block != NULL && block->newest == old && ((uintptr_t)old & (align - 1)) == 0;
    if (newest && new_bytes <= block->size - (size_t)((char *)old - block_start(block))) {
        block_set_newest(block, old, new_bytes);
        return old;
    }
    void *ret = mu_arena_alloc(arena, new_bytes, align);
    if (old_bytes > 0)
        memcpy(ret, old, old_bytes);
    return ret;
}

void mu_arena_defer(struct mu_arena *arena, void (*release)(void *ptr), void *ptr) {
    struct deferred *deferred = try_alloc(arena, sizeof *deferred, alignof(struct deferred));
    if (deferred == NULL) {
        release(ptr); /* nobody else knows of it any more once control is gone */
        mu_arena_exhausted(arena);
    }
    *deferred = (struct deferred){.older = arena->deferred, .release = release, .ptr = ptr};
    arena->deferred = deferred;
}

struct mu_arena_mark mu_arena_mark(struct mu_arena *arena) {
    return (struct mu_arena_mark){
        .block = arena->newest,
        .used = arena->newest != NULL ? arena->newest->used : 0,
        .deferred = arena->deferred,
    };
}

void mu_arena_rollback(struct mu_arena *arena, struct mu_arena_mark mark) {
    run_deferred(arena, mark.deferred);
    while (arena->newest != mark.block) {
        MU_ASSERT(arena->newest != NULL);
        drop_newest_block(arena);
    }
    struct block *block = arena->newest;
    if (block == NULL)
        return;
    MU_ASSERT(mark.used <= block->used);
    block->used = mark.used;
    block->newest = NULL;
    block_poison_from(block, mark.used);
}

size_t mu_arena_bytes(const struct mu_arena *arena) {
    return arena->held;
}
