/* Real clusters' snapshots and all cases are read, and say the same in any order. The folders are those of the source
 * tree (MU_SOURCE_ROOT). */
#include "tests/unit/objects/load.h"

#include <glob.h>
#include <stdio.h>

static glob_t snapshots, cases;

struct reading {
    struct loaded *loaded;
    const char *const *paths;
    size_t count;
};

static int read_all(void *ctx, struct mu_err *err) {
    struct reading *reading = ctx;
    struct mu_store *store = mu_store_create(reading->loaded->arena);
    reading->loaded->store = store;
    int code = mu_read_paths(reading->paths, reading->count, mu_store_add, store, err);
    return code != 0 ? code : mu_store_finish(store, err);
}

static struct loaded read_files(const char *const *paths, size_t count) {
    struct loaded loaded = {.arena = mu_arena_create(0, NULL)};
    struct reading reading = {&loaded, paths, count};
    loaded.code = mu_arena_run(loaded.arena, read_all, &reading, &loaded.err);
    ck_assert_msg(loaded.code == 0, "%s: %s", paths[0], loaded.err.text);
    return loaded;
}

static void nothing_is_refused(const struct loaded *loaded) {
    const char *notes = notes_text(loaded);
    ck_assert_msg(strstr(notes, "makes no sense") == NULL && strstr(notes, "partial") == NULL &&
                      strstr(notes, "! ") == NULL,
                  "%s", notes);
}

START_TEST(snapshots_are_read) {
    const char *path = snapshots.gl_pathv[_i];
    struct loaded loaded = read_files(&path, 1);
    ck_assert_uint_gt(loaded.store->pods.len, 0);
    ck_assert_uint_gt(loaded.store->nodes.len, 0);
    nothing_is_refused(&loaded);
    unload(&loaded);
}
END_TEST

/* The same moment of one cluster, its devices read in two versions of their API. */
START_TEST(versions_of_an_api_say_the_same) {
    static const char *const paths[] = {MU_SOURCE_ROOT "/examples/snapshots/k3s-l40s.yaml",
                                        MU_SOURCE_ROOT "/examples/snapshots/k3s-l40s-v1beta1.yaml"};
    struct loaded one = read_files(&paths[0], 1), other = read_files(&paths[1], 1), both = read_files(paths, 2);
    ck_assert_str_eq(dump_of(&one).ptr, dump_of(&other).ptr);
    ck_assert_str_eq(dump_of(&one).ptr, dump_of(&both).ptr);
    unload(&one);
    unload(&other);
    unload(&both);
}
END_TEST

/* ---- Cases ---- */

static struct mu_str read_text(struct mu_arena *arena, const char *path) {
    struct mu_buf buf;
    mu_buf_init(&buf, arena);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    char part[4096];
    for (size_t len; (len = fread(part, 1, sizeof part, file)) > 0;) {
        mu_buf_add(&buf, (struct mu_str){part, len});
    }
    fclose(file);
    return mu_buf_str(&buf);
}

/* The documents after the first, which is the case itself; backwards where asked for. */
static struct mu_str objects_of(struct mu_arena *arena, const char *text, bool backwards) {
    static const char end[] = "\n---\n";
    struct mu_str parts[1024];
    size_t len = 0;
    for (const char *at = strstr(text, end); at != NULL;) {
        const char *next = strstr(at + 1, end);
        ck_assert_uint_lt(len, sizeof parts / sizeof *parts);
        parts[len++] = next != NULL ? (struct mu_str){at, (size_t)(next - at)} : mu_str_from(at);
        at = next;
    }
    struct mu_buf buf;
    mu_buf_init(&buf, arena);
    for (size_t i = 0; i < len; i++) {
        mu_buf_add(&buf, parts[backwards ? len - 1 - i : i]);
        mu_buf_add_char(&buf, '\n');
    }
    return mu_buf_str(&buf);
}

START_TEST(cases_are_read_in_any_order) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    struct mu_str text = read_text(arena, cases.gl_pathv[_i]);
    struct loaded forwards = load_bytes(objects_of(arena, text.ptr, false), NULL);
    struct loaded backwards = load_bytes(objects_of(arena, text.ptr, true), NULL);
    ck_assert_msg(forwards.code == 0, "%s: %s", cases.gl_pathv[_i], forwards.err.text);
    ck_assert_msg(backwards.code == 0, "%s: %s", cases.gl_pathv[_i], backwards.err.text);
    ck_assert_str_eq(dump_of(&forwards).ptr, dump_of(&backwards).ptr);
    if (strstr(cases.gl_pathv[_i], "senseless") == NULL) /* what that one has is refused on purpose */
        nothing_is_refused(&forwards);
    unload(&forwards);
    unload(&backwards);
    mu_arena_destroy(arena);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, snapshots_are_read, 0, (int)snapshots.gl_pathc);
    tcase_add_test(tests, versions_of_an_api_say_the_same);
    tcase_add_loop_test(tests, cases_are_read_in_any_order, 0, (int)cases.gl_pathc);
}

int main(void) {
    glob(MU_SOURCE_ROOT "/examples/snapshots/*.yaml", 0, NULL, &snapshots);
    glob(MU_SOURCE_ROOT "/examples/snapshots/*.json.gz", GLOB_APPEND, NULL, &snapshots);
    glob(MU_SOURCE_ROOT "/tests/cases/*.yaml", 0, NULL, &cases);
    int failed = mu_suite_run("snapshots", add_tests);
    globfree(&snapshots);
    globfree(&cases);
    return failed;
}
