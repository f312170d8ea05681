/* The reader's way to its bytes: files, folders, pipes, gzip, limits, and memory that runs out. */
#include "scheduler/objects/reader.h"
#include "tests/lib/faults.h"
#include "tests/lib/suite.h"
#include "tests/unit/objects/show.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

static struct mu_arena *arena;
static struct mu_show show;
static struct mu_err err;
static char folder[64];

static void setup(void) {
    arena = mu_arena_create(0, NULL);
    ck_assert_ptr_nonnull(arena);
    show = (struct mu_show){0};
    mu_buf_init(&show.buf, arena);
    mu_buf_add(&show.buf, MU_STR(""));
    err = (struct mu_err){0};
    snprintf(folder, sizeof folder, "/tmp/muster-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static const char *path_of(const char *name) {
    return mu_str_printf(arena, "%s/%s", folder, name).ptr;
}

static void teardown(void) {
    DIR *dir = opendir(folder);
    ck_assert_ptr_nonnull(dir);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        const char *path = path_of(entry->d_name);
        if (unlink(path) != 0)
            rmdir(path);
    }
    closedir(dir);
    ck_assert_int_eq(rmdir(folder), 0);
    mu_arena_destroy(arena);
}

static const char *write_bytes(const char *name, struct mu_str bytes) {
    const char *path = path_of(name);
    FILE *file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len);
    ck_assert_int_eq(fclose(file), 0);
    return path;
}

static const char *write_text(const char *name, const char *text) {
    return write_bytes(name, mu_str_from(text));
}

static int read_path(const char *path) {
    return mu_read_paths(&path, 1, mu_show_document, &show, &err);
}

/* The error must be PATH, `after`. */
static void expect_error(const char *path, int code, const char *after) {
    int got = read_path(path);
    ck_assert_msg(got == code, "%s: %d %s", path, got, err.text);
    ck_assert_str_eq(err.text, mu_str_printf(arena, "%s: %s", path, after).ptr);
}

static size_t open_files(void) {
    size_t count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* ---- Files and folders ---- */

static int show_place(void *ctx, const struct mu_value *document, const struct mu_place *place, struct mu_err *reason) {
    struct mu_show *to = ctx;
    mu_buf_printf(&to->buf, MU_STR_FMT ":", MU_STR_ARG(place->file));
    return mu_show_document(ctx, document, place, reason);
}

START_TEST(paths_are_read_in_turn) {
    const char *paths[] = {write_text("b.txt", "b: 1\n---\nb: 2"), write_text("a", "{\"a\":1}")};
    size_t files = open_files();
    ck_assert_int_eq(mu_read_paths(paths, 2, show_place, &show, &err), MU_OK);
    ck_assert_str_eq(show.buf.ptr, mu_str_printf(arena, "%s:1:1 {\"b\":1}\n%s:2:3 {\"b\":2}\n%s:1:1 {\"a\":1}\n",
                                                 paths[0], paths[0], paths[1])
                                       .ptr);
    ck_assert_uint_eq(open_files(), files);
    ck_assert_int_eq(mu_read_paths(NULL, 0, show_place, &show, &err), MU_OK);
}
END_TEST

START_TEST(folders_are_read_in_order) {
    write_text("b.yaml", "b: 1");
    write_text("a.yml", "a: 1");
    write_text("c.json", "{\"c\":1}");
    write_text("B.yaml", "B: 1");
    write_text("d.txt", "[");
    write_text("yaml", "[");
    write_text(".hidden.yaml", "[");
    write_text("e.yaml.gz", "[");
    ck_assert_int_eq(mkdir(path_of("sub.yaml"), 0700), 0);
    size_t files = open_files();
    ck_assert_msg(read_path(folder) == MU_OK, "%s", err.text);
    ck_assert_str_eq(show.buf.ptr, "1:1 {\"B\":1}\n1:1 {\"a\":1}\n1:1 {\"b\":1}\n1:1 {\"c\":1}\n");
    ck_assert_int_eq(read_path(mu_str_printf(arena, "%s/", folder).ptr), MU_OK);
    ck_assert_uint_eq(open_files(), files);
    write_text("bb.yaml", "x: [");
    ck_assert_int_eq(read_path(folder), MU_E_PARSE);
    ck_assert_ptr_nonnull(strstr(err.text, "/bb.yaml: document 1, line "));
}
END_TEST

START_TEST(links_are_followed) {
    write_text("real", "a: 1");
    ck_assert_int_eq(symlink("real", path_of("link.yaml")), 0);
    ck_assert_int_eq(read_path(folder), MU_OK);
    ck_assert_str_eq(show.buf.ptr, "1:1 {\"a\":1}\n");
    ck_assert_int_eq(symlink("gone", path_of("broken.yaml")), 0);
    ck_assert_int_eq(read_path(folder), MU_E_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "/broken.yaml: cannot be opened: No such file or directory"));
}
END_TEST

START_TEST(what_cannot_be_read) {
    expect_error(path_of("gone.yaml"), MU_E_IO, "cannot be opened: No such file or directory");
    expect_error(folder, MU_E_IO, "has no *.yaml, *.yml or *.json file in it");
    expect_error(write_text("empty.yaml", ""), MU_E_PARSE, "is empty");
    expect_error(write_text("blank.json", " \n"), MU_E_PARSE, "has no document in it");
    expect_error("/dev/null", MU_E_PARSE, "is empty");
    expect_error("/dev/zero", MU_E_PARSE, "line 1: a NUL byte: is no text");
    ck_assert_int_eq(read_path(""), MU_E_IO);
}
END_TEST

START_TEST(a_name_does_not_break_the_line) {
    const char *path = write_text("a\nb.yaml", "");
    ck_assert_int_eq(read_path(path), MU_E_PARSE);
    ck_assert_ptr_null(strchr(err.text, '\n'));
    ck_assert_ptr_nonnull(strstr(err.text, "a?b.yaml: is empty"));
}
END_TEST

START_TEST(no_permission) {
    enum { NOBODY = 65534 };
    const char *file = write_text("secret.yaml", "a: 1");
    bool root = geteuid() == 0;
    ck_assert_int_eq(chmod(file, 0), 0);
    ck_assert_int_eq(chmod(folder, 0711), 0);
    if (root)
        ck_assert_int_eq(seteuid(NOBODY), 0);
    else
        ck_assert_int_eq(chmod(folder, 0311), 0);
    expect_error(file, MU_E_IO, "cannot be opened: Permission denied");
    expect_error(folder, MU_E_IO, "cannot be opened: Permission denied");
    if (root)
        ck_assert_int_eq(seteuid(0), 0);
    ck_assert_int_eq(chmod(folder, 0700), 0);
}
END_TEST

/* ---- Pipes ---- */

/* Makes what a child writes the standard input: the text, as often as it is told. */
static pid_t start_standard_input(const char *text, size_t times) {
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        close(ends[0]); /* so that it ends when nobody reads any more */
        signal(SIGPIPE, SIG_DFL);
        for (size_t i = 0; i < times; i++)
            for (size_t at = 0, len = strlen(text); at < len;)
                at += (size_t)write(ends[1], text + at, len - at);
        _exit(0);
    }
    close(ends[1]);
    ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    return child;
}

START_TEST(standard_input) {
    pid_t child = start_standard_input("a: 1\n---\nb: 2\n", 1);
    ck_assert_int_eq(mu_read_paths((const char *[]){"-"}, 1, show_place, &show, &err), MU_OK);
    ck_assert_str_eq(show.buf.ptr, "standard input:1:1 {\"a\":1}\nstandard input:2:3 {\"b\":2}\n");
    ck_assert_int_ge(fcntl(STDIN_FILENO, F_GETFD), 0); /* it is not ours to close */
    waitpid(child, NULL, 0);
}
END_TEST

START_TEST(standard_input_is_read_once) {
    pid_t child = start_standard_input("a: 1\n", 1);
    ck_assert_int_eq(mu_read_paths((const char *[]){"-", "-"}, 2, mu_show_document, &show, &err), MU_E_USAGE);
    ck_assert_str_eq(err.text, "standard input: can be read only once");
    waitpid(child, NULL, 0);
}
END_TEST

START_TEST(a_named_pipe) {
    const char *path = path_of("pipe");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        for (const char *c = "{\"a\":1.5} [true]"; *c != '\0'; c++) /* a byte at a time */
            if (write(fd, c, 1) != 1)
                _exit(1);
        _exit(0);
    }
    ck_assert_msg(read_path(path) == MU_OK, "%s", err.text);
    ck_assert_str_eq(show.buf.ptr, "1:1 {\"a\":1.5}\n2:1 [true]\n");
    waitpid(child, NULL, 0);
}
END_TEST

/* Input without an end that cannot become anything is given up after a few kilobytes. */
START_TEST(endless_nesting_ends_early) {
    static const struct {
        const char *first, *text;
    } endless[] = {{"", "[[[[[[[["}, {"", "{\"a\":"}, {"#\n", "[[[[[[[["}, {"#\n", "- - - - "}, {"#\n", "? ? ? ? "}};
    char *text = mu_arena_alloc(arena, 64 * 1024 + 1, 1);
    size_t len = strlen(endless[_i].first);
    memcpy(text, endless[_i].first, len);
    while (len + strlen(endless[_i].text) <= 64 * 1024) {
        memcpy(text + len, endless[_i].text, strlen(endless[_i].text) + 1);
        len += strlen(endless[_i].text);
    }
    pid_t child = start_standard_input(text, 1000000);
    int code = read_path("-");
    ck_assert_msg(code == MU_E_LIMIT || code == MU_E_PARSE, "%s", err.text);
    int devnull = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(devnull, STDIN_FILENO); /* the writer has nobody left */
    close(devnull);
    waitpid(child, NULL, 0);
}
END_TEST

/* ---- gzip ---- */

static struct mu_str gzip(struct mu_str text) {
    z_stream zip = {0};
    ck_assert_int_eq(deflateInit2(&zip, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t size = deflateBound(&zip, text.len);
    unsigned char *packed = mu_arena_alloc(arena, size, 1);
    zip.next_in = (unsigned char *)(uintptr_t)text.ptr;
    zip.avail_in = (unsigned)text.len;
    zip.next_out = packed;
    zip.avail_out = (unsigned)size;
    ck_assert_int_eq(deflate(&zip, Z_FINISH), Z_STREAM_END);
    struct mu_str ret = {(char *)packed, zip.total_out};
    deflateEnd(&zip);
    return ret;
}

static struct mu_str join(struct mu_str a, struct mu_str b) {
    char *bytes = mu_arena_alloc(arena, a.len + b.len, 1);
    memcpy(bytes, a.ptr, a.len);
    if (b.len > 0)
        memcpy(bytes + a.len, b.ptr, b.len);
    return (struct mu_str){bytes, a.len + b.len};
}

START_TEST(gzip_is_read_as_it_is) {
    ck_assert_int_eq(read_path(write_bytes("a.yaml.gz", gzip(MU_STR("a: 1\n---\nb: 2\n")))), MU_OK);
    ck_assert_int_eq(read_path(write_bytes("a", gzip(MU_STR("\xEF\xBB\xBF{\"a\":1}")))), MU_OK);
    ck_assert_str_eq(show.buf.ptr, "1:1 {\"a\":1}\n2:3 {\"b\":2}\n1:1 {\"a\":1}\n");
}
END_TEST

START_TEST(gzip_in_several_members) {
    struct mu_str both = join(gzip(MU_STR("a: 1\n")), join(gzip(MU_STR("")), gzip(MU_STR("b: 2\n"))));
    ck_assert_int_eq(read_path(write_bytes("a.gz", both)), MU_OK);
    ck_assert_str_eq(show.buf.ptr, "1:1 {\"a\":1,\"b\":2}\n");
}
END_TEST

START_TEST(broken_gzip) {
    struct mu_str packed = gzip(MU_STR("a: 1\n"));
    for (size_t len = 3; len < packed.len; len++)
        expect_error(write_bytes("cut.gz", mu_str_slice(packed, 0, len)), MU_E_PARSE,
                     "is broken gzip data: it ends too early");
    expect_error(write_bytes("tail.gz", join(packed, MU_STR("xx"))), MU_E_PARSE,
                 "is broken gzip data: incorrect header check");
    struct mu_str wrong = join(packed, MU_STR(""));
    ((char *)(uintptr_t)wrong.ptr)[wrong.len - 6] ^= 1;
    expect_error(write_bytes("sum.gz", wrong), MU_E_PARSE, "is broken gzip data: incorrect data check");
    expect_error(write_bytes("empty.gz", gzip(MU_STR(""))), MU_E_PARSE, "is empty");
}
END_TEST

START_TEST(what_gzip_expands_to_is_limited) {
    size_t len = 4 << 20;
    char *spaces = mu_arena_alloc(arena, len, 1);
    memset(spaces, ' ', len);
    struct mu_str packed = gzip((struct mu_str){spaces, len});
    ck_assert_uint_lt(packed.len, 8192);
    struct mu_read_options options = {.file_bytes_max = 1 << 20};
    ck_assert_int_eq(mu_read_bytes_with(&options, packed, MU_STR("f"), mu_show_document, &show, &err), MU_E_LIMIT);
    ck_assert_str_eq(err.text, "f: has more than 1048576 bytes, the limit for one file");
}
END_TEST

/* ---- Limits ---- */

START_TEST(a_file_is_limited) {
    struct mu_read_options options = {.file_bytes_max = 100};
    char text[102];
    memset(text, '#', sizeof text);
    memcpy(text, "a: 1 ", 5);
    ck_assert_int_eq(mu_read_bytes_with(&options, (struct mu_str){text, 100}, MU_STR("f"), mu_show_document, &show,
                                        &err),
                     MU_OK);
    ck_assert_int_eq(mu_read_bytes_with(&options, (struct mu_str){text, 101}, MU_STR("f"), mu_show_document, &show,
                                        &err),
                     MU_E_LIMIT);
    ck_assert_str_eq(err.text, "f: has more than 100 bytes, the limit for one file");
}
END_TEST

START_TEST(all_input_is_limited) {
    struct mu_read_options options = {.input_bytes_max = 9};
    const char *paths[] = {write_text("a", "a: 1\n"), write_text("b", "b: 2\n")};
    ck_assert_int_eq(mu_read_paths_with(&options, paths, 2, mu_show_document, &show, &err), MU_E_LIMIT);
    ck_assert_str_eq(err.text, mu_str_printf(arena, "%s: passes the limit for all input together", paths[1]).ptr);
    options.input_bytes_max = 10;
    ck_assert_int_eq(mu_read_paths_with(&options, paths, 2, mu_show_document, &show, &err), MU_OK);
}
END_TEST

static int ignore(void *ctx, const struct mu_value *document, const struct mu_place *place, struct mu_err *reason) {
    (void)ctx, (void)document, (void)place, (void)reason;
    return MU_OK;
}

/* A document's memory is given back before the next one is read. */
START_TEST(memory_does_not_add_up) {
    struct mu_read_options options = {.memory_bytes_max = 512 << 10};
    for (int json = 0; json < 2; json++) {
        struct mu_buf buf;
        mu_buf_init(&buf, arena);
        for (int i = 0; i < 20000; i++)
            mu_buf_add(&buf, json ? MU_STR("{\"a\":[1,2,\"\\u0041\"]}") : MU_STR("---\na: &x [1, 2]\nb: *x\n"));
        int code = mu_read_bytes_with(&options, mu_buf_str(&buf), MU_STR("f"), ignore, NULL, &err);
        ck_assert_msg(code == MU_OK, "%s", err.text);
    }
}
END_TEST

START_TEST(memory_is_limited) {
    struct mu_read_options options = {.memory_bytes_max = 512 << 10};
    struct mu_buf buf;
    mu_buf_init(&buf, arena);
    for (int i = 0; i < 40000; i++)
        mu_buf_add(&buf, MU_STR("- a\n"));
    ck_assert_int_eq(mu_read_bytes_with(&options, mu_buf_str(&buf), MU_STR("f"), ignore, NULL, &err), MU_E_NOMEM);
    ck_assert_ptr_eq(strstr(err.text, "f: out of memory"), err.text);
}
END_TEST

/* ---- Memory that runs out ---- */

static const char yaml_text[] = "a: &x [1, \"two\", {b: 0x10}]\nc: *x\nd: {<<: {e: 1}}\n---\nf: g\n";
static const char json_text[] = "{\"a\":[1,\"\\u0041\",{\"b\":null}]}\n[true]";

static void check_every_failure(const char *path, bool from_then_on) {
    for (size_t n = 1;; n++) {
        struct mu_faults faults = {.fail_at = n, .from_then_on = from_then_on};
        struct mu_memory memory = mu_faults_memory(&faults);
        struct mu_read_options options = {.memory = &memory};
        size_t files = open_files();
        err = (struct mu_err){0};
        int code = mu_read_paths_with(&options, &path, 1, ignore, NULL, &err);
        ck_assert_uint_eq(faults.live, 0);
        ck_assert_uint_eq(open_files(), files);
        if (faults.failed == 0) {
            ck_assert_int_eq(code, MU_OK);
            ck_assert_uint_gt(n, 2);
            return;
        }
        ck_assert_int_eq(code, MU_E_NOMEM);
        ck_assert_ptr_nonnull(strstr(err.text, "out of memory"));
        ck_assert_ptr_eq(strstr(err.text, path), err.text);
    }
}

START_TEST(every_allocation_may_fail) {
    write_text("a.yaml", yaml_text);
    write_text("b.json", json_text);
    check_every_failure(path_of("a.yaml"), _i);
    check_every_failure(path_of("b.json"), _i);
    check_every_failure(folder, _i);
}
END_TEST

struct escape {
    struct mu_arena *owner;
    const struct mu_read_options *options;
    const char *path;
};

static int use_up_owner(void *ctx, const struct mu_value *document, const struct mu_place *place,
                        struct mu_err *reason) {
    (void)document, (void)reason;
    const struct escape *escape = ctx;
    for (int i = 0; place->document == 2; i++)
        mu_arena_alloc(escape->owner, 1 << 16, 1);
    return MU_OK;
}

static int read_for_owner(void *ctx, struct mu_err *reason) {
    struct escape *escape = ctx;
    return mu_read_paths_with(escape->options, &escape->path, 1, use_up_owner, escape, reason);
}

/* Control leaves the reader by way of another arena; its memory and files go with that one. */
START_TEST(an_owner_cleans_up) {
    write_text("a.yaml", yaml_text);
    write_text("b.json", json_text);
    const char *paths[] = {path_of("a.yaml"), path_of("b.json"), folder};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct mu_faults faults = {0};
        struct mu_memory memory = mu_faults_memory(&faults);
        struct mu_arena *owner = mu_arena_create(1 << 20, NULL);
        struct mu_read_options options = {.owner = owner, .memory = &memory};
        struct escape escape = {.owner = owner, .options = &options, .path = paths[i]};
        size_t files = open_files();
        ck_assert_int_eq(mu_arena_run(owner, read_for_owner, &escape, &err), MU_E_NOMEM);
        ck_assert_uint_gt(faults.live, 0);
        mu_arena_destroy(owner);
        ck_assert_uint_eq(faults.live, 0);
        ck_assert_uint_eq(open_files(), files);
    }
}
END_TEST

START_TEST(an_owner_is_not_needed_where_all_goes_well) {
    struct mu_faults faults = {0};
    struct mu_memory memory = mu_faults_memory(&faults);
    struct mu_read_options options = {.owner = arena, .memory = &memory};
    const char *path = write_text("a.yaml", yaml_text);
    ck_assert_int_eq(mu_read_paths_with(&options, &path, 1, ignore, NULL, &err), MU_OK);
    ck_assert_uint_eq(faults.live, 0);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, paths_are_read_in_turn);
    tcase_add_test(tests, folders_are_read_in_order);
    tcase_add_test(tests, links_are_followed);
    tcase_add_test(tests, what_cannot_be_read);
    tcase_add_test(tests, a_name_does_not_break_the_line);
    tcase_add_test(tests, no_permission);
    tcase_add_test(tests, standard_input);
    tcase_add_test(tests, standard_input_is_read_once);
    tcase_add_test(tests, a_named_pipe);
    tcase_add_loop_test(tests, endless_nesting_ends_early, 0, 5);
    tcase_add_test(tests, gzip_is_read_as_it_is);
    tcase_add_test(tests, gzip_in_several_members);
    tcase_add_test(tests, broken_gzip);
    tcase_add_test(tests, what_gzip_expands_to_is_limited);
    tcase_add_test(tests, a_file_is_limited);
    tcase_add_test(tests, all_input_is_limited);
    tcase_add_test(tests, memory_does_not_add_up);
    tcase_add_test(tests, memory_is_limited);
    tcase_add_loop_test(tests, every_allocation_may_fail, 0, 2);
    tcase_add_test(tests, an_owner_cleans_up);
    tcase_add_test(tests, an_owner_is_not_needed_where_all_goes_well);
}

int main(void) {
    return mu_suite_run("reader_files", add);
}
