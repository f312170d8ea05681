/* Arena: places, growth, marks, deferred releases, limits, and memory that fails. */
#include "scheduler/base/arena.h"
#include "tests/lib/faults.h"
#include "tests/lib/random.h"
#include "tests/lib/suite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GUARDED 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define GUARDED 1
#endif
#ifdef GUARDED
#include <sanitizer/asan_interface.h>
#endif

static struct mu_arena *arena;

static void setup(void) {
    arena = mu_arena_create(0, NULL);
    ck_assert_ptr_nonnull(arena);
}

static void teardown(void) {
    mu_arena_destroy(arena);
}

/* A pattern that tells one allocation's bytes from another's. */
static void scribble(void *ptr, size_t bytes, uint64_t id) {
    memset(ptr, (int)(id % 251) + 1, bytes);
}

static void check_scribble(const unsigned char *ptr, size_t bytes, uint64_t id) {
    size_t same = 0;
    while (same < bytes && ptr[same] == id % 251 + 1)
        same++;
    ck_assert_uint_eq(same, bytes);
}

START_TEST(alignment_is_kept) {
    for (size_t align = 1; align <= 64; align *= 2) {
        for (size_t bytes = 0; bytes < 100; bytes++) {
            char *ptr = mu_arena_alloc(arena, bytes, align);
            ck_assert_uint_eq((uintptr_t)ptr % align, 0);
            memset(ptr, 1, bytes);
        }
    }
}
END_TEST

START_TEST(nothing_has_a_place_of_its_own) {
    char *a = mu_arena_alloc(arena, 0, 1), *b = mu_arena_alloc(arena, 0, 1), *c = mu_arena_array(arena, 0, 8, 1);
    ck_assert_ptr_nonnull(a);
    ck_assert_ptr_ne(a, b);
    ck_assert_ptr_ne(b, c);
}
END_TEST

START_TEST(arrays_are_zeroed) {
    struct mu_arena_mark mark = mu_arena_mark(arena);
    memset(mu_arena_alloc(arena, 1000, 1), 0xff, 1000);
    mu_arena_rollback(arena, mark);
    const uint64_t *array = MU_NEW_ARRAY(arena, uint64_t, 100);
    for (size_t i = 0; i < 100; i++)
        ck_assert_uint_eq(array[i], 0);
    ck_assert_uint_eq(*MU_NEW(arena, uint64_t), 0);
}
END_TEST

START_TEST(large_allocations_have_room) {
    for (size_t bytes = 1; bytes <= (size_t)32 << 20; bytes = bytes * 3 + 1) {
        char *ptr = mu_arena_alloc(arena, bytes, 64);
        ptr[0] = ptr[bytes - 1] = 1;
    }
    ck_assert_uint_ge(mu_arena_bytes(arena), (size_t)16 << 20);
}
END_TEST

START_TEST(newest_grows_in_place) {
    unsigned char *a = mu_arena_alloc(arena, 10, 8);
    scribble(a, 10, 1);
    ck_assert_ptr_eq(mu_arena_grow(arena, a, 10, 100, 8), a);
    check_scribble(a, 10, 1);
    scribble(a, 100, 2);

    unsigned char *b = mu_arena_alloc(arena, 10, 8); /* now `a` cannot grow where it is */
    scribble(b, 10, 3);
    unsigned char *wider = mu_arena_grow(arena, a, 100, 200, 8);
    ck_assert_ptr_ne(wider, a);
    check_scribble(wider, 100, 2);
    scribble(wider, 200, 4);
    check_scribble(a, 100, 2);
    check_scribble(b, 10, 3);
}
END_TEST

START_TEST(growth_moves_to_a_new_block_or_alignment) {
    unsigned char *a = mu_arena_alloc(arena, 10, 8);
    scribble(a, 10, 1);
    unsigned char *moved = mu_arena_grow(arena, a, 10, 100000, 8);
    ck_assert_ptr_ne(moved, a);
    check_scribble(moved, 10, 1);

    mu_arena_alloc(arena, 1, 64);
    unsigned char *odd = mu_arena_alloc(arena, 8, 8); /* 8 to 24 bytes past a multiple of 64 */
    scribble(odd, 8, 2);
    unsigned char *even = mu_arena_grow(arena, odd, 8, 64, 64);
    ck_assert_uint_eq((uintptr_t)even % 64, 0);
    check_scribble(even, 8, 2);
}
END_TEST

START_TEST(growth_from_nothing) {
    unsigned char *a = mu_arena_grow(arena, NULL, 0, 10, 1);
    scribble(a, 10, 1);
    a = mu_arena_grow(arena, a, 10, 10, 1);
    check_scribble(a, 10, 1);
}
END_TEST

START_TEST(vector_keeps_what_is_pushed) {
    struct pair {
        size_t a, b;
    };
    MU_VEC(struct pair) pairs = {0};
    MU_VEC(char) letters = {0};
    for (size_t i = 0; i < 10000; i++) {
        MU_VEC_PUSH(arena, &pairs, (struct pair){i, i * 2});
        if (i % 10 == 0)
            MU_VEC_PUSH(arena, &letters, (char)(i % 100));
    }
    ck_assert_uint_eq(pairs.len, 10000);
    ck_assert_uint_eq(letters.len, 1000);
    for (size_t i = 0; i < pairs.len; i++) {
        ck_assert_uint_eq(pairs.items[i].a, i);
        ck_assert_uint_eq(pairs.items[i].b, i * 2);
        if (i % 10 == 0)
            ck_assert_int_eq(letters.items[i / 10], (char)(i % 100));
    }
}
END_TEST

START_TEST(rollback_gives_the_place_back) {
    unsigned char *kept = mu_arena_alloc(arena, 100, 8);
    scribble(kept, 100, 1);
    struct mu_arena_mark mark = mu_arena_mark(arena);
    unsigned char *first = mu_arena_alloc(arena, 100, 8);
    mu_arena_alloc(arena, 1000000, 8);
    mu_arena_rollback(arena, mark);
    ck_assert_ptr_eq(mu_arena_alloc(arena, 100, 8), first);
    check_scribble(kept, 100, 1);
}
END_TEST

/* What is tried and undone in a loop must neither pile up nor go to the system each time. */
START_TEST(rollback_in_a_loop_reuses_a_block) {
    struct mu_faults faults = {0};
    struct mu_memory memory = mu_faults_memory(&faults);
    struct mu_arena *counted = mu_arena_create(0, &memory);
    mu_arena_alloc(counted, 1, 1);
    struct mu_arena_mark mark = mu_arena_mark(counted);
    for (int i = 0; i < 1000; i++) {
        mu_arena_alloc(counted, 50000, 8);
        mu_arena_rollback(counted, mark);
    }
    ck_assert_uint_eq(faults.calls, 3);
    mu_arena_alloc(counted, 500000, 8); /* the block kept for reuse is too small and goes */
    ck_assert_uint_eq(faults.live, 3);
    mu_arena_destroy(counted);
    ck_assert_uint_eq(faults.live, 0);
}
END_TEST

START_TEST(bytes_are_those_from_the_system) {
    size_t fresh = mu_arena_bytes(arena);
    struct mu_arena_mark mark = mu_arena_mark(arena);
    for (int i = 0; i < 5; i++)
        mu_arena_alloc(arena, 20 << 20, 8);
    ck_assert_uint_ge(mu_arena_bytes(arena), fresh + (100 << 20));
    mu_arena_rollback(arena, mark);
    ck_assert_uint_eq(mu_arena_bytes(arena), fresh);
}
END_TEST

static int released[8];
static int released_count;

static void note_release(void *ptr) {
    released[released_count++] = *(int *)ptr;
}

START_TEST(deferred_releases_run_newest_first) {
    static int ids[] = {0, 1, 2, 3, 4};
    struct mu_arena *own = mu_arena_create(0, NULL);
    mu_arena_defer(own, note_release, &ids[0]);
    mu_arena_defer(own, note_release, &ids[1]);
    struct mu_arena_mark outer = mu_arena_mark(own);
    mu_arena_defer(own, note_release, &ids[2]);
    struct mu_arena_mark inner = mu_arena_mark(own);
    mu_arena_rollback(own, inner);
    ck_assert_int_eq(released_count, 0);
    mu_arena_alloc(own, 100000, 8);
    mu_arena_defer(own, note_release, &ids[3]);
    mu_arena_rollback(own, inner);
    ck_assert_int_eq(released_count, 1);
    mu_arena_rollback(own, outer);
    mu_arena_defer(own, note_release, &ids[4]);
    mu_arena_destroy(own);
    static const int expected[] = {3, 2, 4, 1, 0};
    ck_assert_int_eq(released_count, 5);
    ck_assert_int_eq(memcmp(released, expected, sizeof expected), 0);
}
END_TEST

START_TEST(destroy_takes_null) {
    mu_arena_destroy(NULL);
    MU_CLEANUP(mu_arena_destroyp) struct mu_arena *none = NULL;
    MU_CLEANUP(mu_arena_destroyp) struct mu_arena *some = mu_arena_create(0, NULL);
    ck_assert_ptr_nonnull(some);
    ck_assert_ptr_null(none);
}
END_TEST

/* ---- Running out of memory ---- */

static int succeed(void *ctx, struct mu_err *err) {
    mu_arena_alloc(ctx, 10, 1);
    (void)err;
    return MU_OK;
}

static int refuse(void *ctx, struct mu_err *err) {
    (void)ctx;
    return mu_err_set(err, MU_E_PARSE, "no");
}

static int use_up(void *ctx, struct mu_err *err) {
    (void)err;
    for (int i = 0; i < 1 << 20; i++)
        mu_arena_alloc(ctx, 1000, 8);
    return MU_OK;
}

START_TEST(run_returns_what_the_function_did) {
    struct mu_err err = {0};
    ck_assert_int_eq(mu_arena_run(arena, succeed, arena, &err), MU_OK);
    ck_assert_int_eq(err.code, MU_OK);
    ck_assert_int_eq(mu_arena_run(arena, refuse, arena, &err), MU_E_PARSE);
    ck_assert_str_eq(err.text, "no");
}
END_TEST

START_TEST(limit_is_an_error_and_not_passed) {
    static const size_t limits[] = {1, 100, 4096, 5000, 65536, 1000000, (size_t)20 << 20};
    size_t limit = limits[_i];
    struct mu_faults faults = {0};
    struct mu_memory memory = mu_faults_memory(&faults);
    struct mu_arena *limited = mu_arena_create(limit, &memory);
    struct mu_err err = {0};
    ck_assert_int_eq(mu_arena_run(limited, use_up, limited, &err), MU_E_NOMEM);
    ck_assert_int_eq(err.code, MU_E_NOMEM);
    ck_assert_ptr_nonnull(strstr(err.text, "out of memory"));
    ck_assert_ptr_nonnull(strstr(err.text, "limit"));
    if (limit > 4096) {
        ck_assert_uint_le(mu_arena_bytes(limited), limit);
        ck_assert_uint_ge(mu_arena_bytes(limited), limit - 1200); /* used nearly to its end */
    }
    ck_assert_int_eq(mu_arena_run(limited, use_up, limited, NULL), MU_E_NOMEM);
    mu_arena_destroy(limited);
    ck_assert_uint_eq(faults.live, 0);
}
END_TEST

static int array_overflows(void *ctx, struct mu_err *err) {
    (void)err;
    mu_arena_array(ctx, SIZE_MAX / 2 + 2, 2, 8);
    return MU_OK;
}

static int alloc_everything(void *ctx, struct mu_err *err) {
    (void)err;
    mu_arena_alloc(ctx, SIZE_MAX, 64);
    return MU_OK;
}

static int grow_to_everything(void *ctx, struct mu_err *err) {
    (void)err;
    mu_arena_grow(ctx, mu_arena_alloc(ctx, 8, 8), 8, SIZE_MAX - 7, 8);
    return MU_OK;
}

START_TEST(impossible_sizes_are_out_of_memory) {
    struct mu_err err = {0};
    ck_assert_int_eq(mu_arena_run(arena, array_overflows, arena, &err), MU_E_NOMEM);
    ck_assert_int_eq(mu_arena_run(arena, alloc_everything, arena, &err), MU_E_NOMEM);
    ck_assert_int_eq(mu_arena_run(arena, grow_to_everything, arena, &err), MU_E_NOMEM);
    ck_assert_ptr_null(strstr(err.text, "limit"));
    mu_arena_alloc(arena, 10, 8);
}
END_TEST

struct nest {
    struct mu_arena *arena;
    int depth;
    int failed;
};

static int run_inside(void *ctx, struct mu_err *err) {
    struct nest *nest = ctx;
    if (nest->depth == 0)
        return use_up(nest->arena, err);
    nest->depth--;
    int code = mu_arena_run(nest->arena, run_inside, nest, err);
    nest->failed += code == MU_E_NOMEM;
    return nest->failed == 1 ? MU_OK : use_up(nest->arena, err);
}

/* The innermost run sees the first failure, the next ones what follows it. */
START_TEST(runs_nest) {
    struct mu_arena *limited = mu_arena_create(10000, NULL);
    struct nest nest = {.arena = limited, .depth = 1};
    ck_assert_int_eq(mu_arena_run(limited, run_inside, &nest, NULL), MU_OK);
    nest = (struct nest){.arena = limited, .depth = 3, .failed = 10};
    ck_assert_int_eq(mu_arena_run(limited, run_inside, &nest, NULL), MU_E_NOMEM);
    ck_assert_int_eq(nest.failed, 13);
    mu_arena_destroy(limited);
}
END_TEST

static void use_up_outside_run(void) {
    use_up(mu_arena_create(100000, NULL), NULL);
}

START_TEST(outside_a_run_the_process_ends) {
    int status = mu_child_status(use_up_outside_run);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 2);
}
END_TEST

/* ---- Children ---- */

static int use_up_child(void *ctx, struct mu_err *err) {
    return use_up(mu_arena_create_child(ctx), err);
}

static void destroy_arena(void *ptr) {
    mu_arena_destroy(ptr);
}

static int use_up_deferred_child(void *ctx, struct mu_err *err) {
    struct mu_arena *child = mu_arena_create_child(ctx);
    mu_arena_defer(ctx, destroy_arena, child);
    return use_up(child, err);
}

START_TEST(child_that_ends_lands_with_its_parent) {
    struct mu_arena *parent = mu_arena_create(20000, NULL);
    struct mu_err err = {0};
    ck_assert_int_eq(mu_arena_run(parent, use_up_deferred_child, parent, &err), MU_E_NOMEM);
    ck_assert_ptr_nonnull(strstr(err.text, "the limit is 20000 bytes"));
    /* The parent has used nothing like it, and the sentence is about the child. */
    ck_assert_uint_lt(mu_arena_bytes(parent), 10000);
    ck_assert_ptr_nonnull(strstr(err.text, ": 20000 bytes are in use"));
    ck_assert_int_eq(mu_arena_run(parent, succeed, parent, &err), MU_OK);
    mu_arena_destroy(parent);
}
END_TEST

START_TEST(child_lands_with_itself_where_it_can) {
    struct mu_arena *parent = mu_arena_create(20000, NULL);
    struct mu_arena *child = mu_arena_create_child(parent);
    struct mu_arena *grandchild = mu_arena_create_child(child);
    ck_assert_int_eq(mu_arena_run(child, use_up, child, NULL), MU_E_NOMEM);
    ck_assert_int_eq(mu_arena_run(parent, use_up, grandchild, NULL), MU_E_NOMEM);
    mu_arena_destroy(grandchild);
    mu_arena_destroy(child);
    ck_assert_int_eq(mu_arena_run(parent, succeed, parent, NULL), MU_OK);
    mu_arena_destroy(parent);
}
END_TEST

START_TEST(child_has_a_life_of_its_own) {
    struct mu_arena_mark mark = mu_arena_mark(arena);
    struct mu_arena *child = mu_arena_create_child(arena);
    unsigned char *ptr = mu_arena_alloc(child, 1000, 1);
    scribble(ptr, 1000, 1);
    mu_arena_rollback(arena, mark);
    scribble(mu_arena_alloc(arena, 1000, 1), 1000, 2);
    check_scribble(ptr, 1000, 1);
    mu_arena_destroy(child);
}
END_TEST

START_TEST(child_that_cannot_be_made_is_out_of_memory) {
    struct mu_faults faults = {.fail_at = 2};
    struct mu_memory memory = mu_faults_memory(&faults);
    struct mu_arena *parent = mu_arena_create(0, &memory);
    ck_assert_int_eq(mu_arena_run(parent, use_up_child, parent, NULL), MU_E_NOMEM);
    mu_arena_destroy(parent);
    ck_assert_uint_eq(faults.live, 0);
}
END_TEST

/* ---- Resources ---- */

enum { RESOURCES = 200 };

struct job {
    struct mu_arena *arena;
    int acquired;
    int released;
};

struct resource {
    struct job *job;
    void *memory;
};

static void release_resource(void *ptr) {
    struct resource *resource = ptr;
    resource->job->released++;
    free(resource->memory);
    free(resource);
}

static int acquire_all(void *ctx, struct mu_err *err) {
    struct job *job = ctx;
    (void)err;
    for (int i = 0; i < RESOURCES; i++) {
        struct resource *resource = malloc(sizeof *resource);
        ck_assert_ptr_nonnull(resource);
        *resource = (struct resource){.job = job, .memory = malloc(10)};
        job->acquired++;
        mu_arena_defer(job->arena, release_resource, resource);
        mu_arena_alloc(job->arena, (size_t)i * 10, 8);
    }
    return MU_OK;
}

/* Whichever allocation fails, each resource is released once. */
START_TEST(no_failure_loses_a_resource) {
    size_t failed = 1;
    for (size_t n = 1; failed > 0; n++) {
        struct mu_faults faults = {.fail_at = n, .from_then_on = _i};
        struct mu_memory memory = mu_faults_memory(&faults);
        struct job job = {.arena = mu_arena_create(0, &memory)};
        ck_assert_int_eq(job.arena == NULL, n == 1);
        if (job.arena != NULL) {
            struct mu_err err = {0};
            int code = mu_arena_run(job.arena, acquire_all, &job, &err);
            ck_assert_int_eq(code, faults.failed > 0 ? MU_E_NOMEM : MU_OK);
            ck_assert_int_eq(err.code, code);
        }
        mu_arena_destroy(job.arena);
        ck_assert_int_eq(job.released, job.acquired);
        ck_assert_uint_eq(faults.live, 0);
        failed = faults.failed;
    }
}
END_TEST

/* ---- Against a model ---- */

enum { PIECES_MAX = 4000, MARKS_MAX = 8 };

struct piece {
    unsigned char *ptr;
    size_t bytes;
    uint64_t id;
};

struct model {
    struct piece pieces[PIECES_MAX];
    size_t len;
    struct {
        struct mu_arena_mark mark;
        size_t len;
    } marks[MARKS_MAX];
    size_t marks_len;
    uint64_t next_id;
};

static void model_add(struct model *model, void *ptr, size_t bytes) {
    scribble(ptr, bytes, model->next_id);
    model->pieces[model->len++] = (struct piece){ptr, bytes, model->next_id++};
}

/* Grows the newest piece, mostly in place. Those before the last mark stay: a rollback would cut them. */
static void model_grow(struct model *model, size_t more) {
    size_t first = model->marks_len > 0 ? model->marks[model->marks_len - 1].len : 0;
    if (model->len == first)
        return;
    struct piece *piece = &model->pieces[--model->len];
    size_t bytes = piece->bytes + more;
    unsigned char *ptr = mu_arena_grow(arena, piece->ptr, piece->bytes, bytes, 1);
    check_scribble(ptr, piece->bytes, piece->id);
    model_add(model, ptr, bytes);
}

static void model_check(const struct model *model) {
    for (size_t i = 0; i < model->len; i++)
        check_scribble(model->pieces[i].ptr, model->pieces[i].bytes, model->pieces[i].id);
}

static void model_step(struct model *model, struct mu_random *random) {
    size_t most = mu_random_below(random, 20) == 0 ? 20000 : 200;
    size_t bytes = mu_random_below(random, most);
    uint64_t choice = mu_random_below(random, 20);
    if (choice == 0 && model->marks_len < MARKS_MAX) {
        model->marks[model->marks_len].mark = mu_arena_mark(arena);
        model->marks[model->marks_len++].len = model->len;
    } else if (choice == 1 && model->marks_len > 0) {
        model->marks_len -= mu_random_below(random, model->marks_len) + 1; /* also past newer marks */
        mu_arena_rollback(arena, model->marks[model->marks_len].mark);
        model->len = model->marks[model->marks_len].len;
        model_check(model);
    } else if (choice < 7) {
        model_grow(model, bytes);
    } else {
        model_add(model, mu_arena_alloc(arena, bytes, (size_t)1 << mu_random_below(random, 7)), bytes);
    }
}

START_TEST(pieces_never_overlap) {
    struct mu_random random = {.state = (uint64_t)_i};
    struct model *model = calloc(1, sizeof *model);
    ck_assert_ptr_nonnull(model);
    for (int round = 0; round < PIECES_MAX; round++)
        model_step(model, &random);
    model_check(model);
    free(model);
}
END_TEST

#ifdef GUARDED
START_TEST(what_is_not_handed_out_is_guarded) {
    char *a = mu_arena_alloc(arena, 13, 1), *b = mu_arena_alloc(arena, 16, 1);
    ck_assert(!__asan_address_is_poisoned(a + 12));
    ck_assert(__asan_address_is_poisoned(a - 1));
    ck_assert(__asan_address_is_poisoned(a + 13));
    ck_assert(!__asan_address_is_poisoned(b));
    ck_assert(__asan_address_is_poisoned(b - 1));
    ck_assert(__asan_address_is_poisoned(b + 16));
    ck_assert(__asan_address_is_poisoned(mu_arena_alloc(arena, 0, 1)));

    struct mu_arena_mark mark = mu_arena_mark(arena);
    char *gone = mu_arena_alloc(arena, 100, 1);
    char *grown = mu_arena_grow(arena, gone, 100, 200, 1);
    ck_assert_ptr_eq(grown, gone);
    ck_assert(!__asan_address_is_poisoned(gone + 199));
    ck_assert(__asan_address_is_poisoned(gone + 200));
    mu_arena_rollback(arena, mark);
    ck_assert(__asan_address_is_poisoned(gone));
    ck_assert(__asan_address_is_poisoned(gone + 199));
    ck_assert(!__asan_address_is_poisoned(b + 15));
}
END_TEST
#endif

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, alignment_is_kept);
    tcase_add_test(tests, nothing_has_a_place_of_its_own);
    tcase_add_test(tests, arrays_are_zeroed);
    tcase_add_test(tests, large_allocations_have_room);
    tcase_add_test(tests, newest_grows_in_place);
    tcase_add_test(tests, growth_moves_to_a_new_block_or_alignment);
    tcase_add_test(tests, growth_from_nothing);
    tcase_add_test(tests, vector_keeps_what_is_pushed);
    tcase_add_test(tests, rollback_gives_the_place_back);
    tcase_add_test(tests, rollback_in_a_loop_reuses_a_block);
    tcase_add_test(tests, bytes_are_those_from_the_system);
    tcase_add_test(tests, deferred_releases_run_newest_first);
    tcase_add_test(tests, destroy_takes_null);
    tcase_add_test(tests, run_returns_what_the_function_did);
    tcase_add_loop_test(tests, limit_is_an_error_and_not_passed, 0, 7);
    tcase_add_test(tests, impossible_sizes_are_out_of_memory);
    tcase_add_test(tests, runs_nest);
    tcase_add_test(tests, outside_a_run_the_process_ends);
    tcase_add_test(tests, child_that_ends_lands_with_its_parent);
    tcase_add_test(tests, child_lands_with_itself_where_it_can);
    tcase_add_test(tests, child_has_a_life_of_its_own);
    tcase_add_test(tests, child_that_cannot_be_made_is_out_of_memory);
    tcase_add_loop_test(tests, no_failure_loses_a_resource, 0, 2);
    tcase_add_loop_test(tests, pieces_never_overlap, 0, 10);
#ifdef GUARDED
    tcase_add_test(tests, what_is_not_handed_out_is_guarded);
#endif
}

int main(void) {
    return mu_suite_run("arena", add_tests);
}
