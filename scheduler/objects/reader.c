/* Reader: from paths to files, from files to their reader, from documents to who takes them.
 *
 * A file has an arena of its own, which is destroyed after it. Three things end the reading of a file early: an error,
 * which comes back the ordinary way; memory, for which mu_arena_run() stands around each file; and an fn that never
 * returns since another arena's memory was used up. For the last one nothing here gets control again, so what is open
 * then is held by a record in that arena (mu_read_options.owner), which releases it in its turn. */
#include "scheduler/objects/reader.h"

#include "scheduler/base/limits.h"
#include "scheduler/objects/reader_internal.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* The arenas of what is being read. */
struct open_arenas {
    struct mu_arena *folder, *file;
};

static void open_arenas_release(void *ptr) {
    struct open_arenas *open = ptr;
    mu_arena_destroy(open->file);
    mu_arena_destroy(open->folder);
    *open = (struct open_arenas){0};
}

/* One call of the reader. */
struct session {
    const struct mu_read_options *options;
    mu_document_fn fn;
    void *ctx;
    struct open_arenas *open;
    uint64_t bytes_left;
    uint32_t files;
    bool standard_input_taken;
};

/* ---- What the readers of both forms share ---- */

int mu_reader_fail(struct mu_err *err, int code, struct mu_str file, uint32_t document, uint32_t line,
                   const char *format, ...) {
    char what[256], place[64] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (document > 0 && line > 0)
        snprintf(place, sizeof place, "document %u, line %u: ", document, line);
    else if (document > 0)
        snprintf(place, sizeof place, "document %u: ", document);
    else if (line > 0)
        snprintf(place, sizeof place, "line %u: ", line);
    mu_err_set(err, code, MU_STR_FMT ": %s%s", MU_STR_ARG(file), place, what);
    for (size_t i = 0; err != NULL && err->text[i] != '\0'; i++)
        if ((unsigned char)err->text[i] < 0x20 || err->text[i] == 0x7F) /* of a file's name: an error is one line */
            err->text[i] = '?';
    return code;
}

struct mu_shown mu_shown(struct mu_str s) {
    struct mu_shown shown;
    size_t room = sizeof shown.text - sizeof "...", len = s.len;
    if (len > room) {
        len = room;
        while (len > 0 && ((unsigned char)s.ptr[len] & 0xC0) == 0x80) /* not inside of a character */
            len--;
    }
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        shown.text[i] = c < 0x20 || c == 0x7F ? '?' : s.ptr[i];
    }
    memcpy(shown.text + len, len < s.len ? "..." : "", len < s.len ? sizeof "..." : 1);
    return shown;
}

int mu_sink_deliver(struct mu_sink *sink, struct mu_str file, const struct mu_value *document, struct mu_err *err) {
    if (document->type == MU_VALUE_NULL)
        return MU_OK;
    struct mu_place place = {.file = file, .document = sink->documents, .line = document->line};
    sink->delivered++;
    return sink->fn(sink->ctx, document, &place, err);
}

/* ---- One file ---- */

struct job {
    struct session *session;
    const char *path; /* NULL: bytes in memory */
    struct mu_str bytes;
    struct mu_str name;
    bool returned; /* false where memory ran out inside */
};

static bool is_json(const struct job *job, const struct mu_source *source) {
    return mu_source_looks_like_json(source) || mu_str_ends(job->name, MU_STR(".json"));
}

static int read_source(struct job *job, struct mu_err *err) {
    struct session *session = job->session;
    struct mu_arena *arena = session->open->file;
    const struct mu_source_limits limits = {
        .file_bytes = session->options->file_bytes_max ? session->options->file_bytes_max : MU_LIMIT_FILE_BYTES,
        .left = &session->bytes_left,
    };
    struct mu_source *source;
    int code = job->path != NULL ? mu_source_open(arena, job->path, job->name, &limits, &source, err)
                                 : mu_source_open_bytes(arena, job->bytes, job->name, &limits, &source, err);
    if (code != MU_OK)
        return code;
    if (mu_source_is_empty(source))
        return mu_reader_fail(err, MU_E_PARSE, job->name, 0, 0, "is empty");

    struct mu_sink sink = {.fn = session->fn, .ctx = session->ctx};
    code = is_json(job, source) ? mu_read_json(arena, source, &sink, err) : mu_read_yaml(arena, source, &sink, err);
    if (code == MU_OK && mu_source_unread_line(source) > 0)
        code = mu_read_yaml(arena, source, &sink, err);
    if (code == MU_OK && sink.delivered == 0)
        return mu_reader_fail(err, MU_E_PARSE, job->name, 0, 0, "has no document in it");
    return code;
}

static int run_job(void *ctx, struct mu_err *err) {
    struct job *job = ctx;
    int code = read_source(job, err);
    job->returned = true;
    return code;
}

static int no_memory(struct mu_err *err, struct mu_str name) {
    return mu_reader_fail(err, MU_E_NOMEM, name, 0, 0, "out of memory");
}

static struct mu_arena *create_arena(const struct session *session) {
    size_t limit = session->options->memory_bytes_max;
    return mu_arena_create(limit ? limit : MU_LIMIT_MEMORY_BYTES, session->options->memory);
}

static int read_job(struct job *job, struct mu_err *err) {
    struct session *session = job->session;
    if (++session->files > MU_LIMIT_FILES)
        return mu_reader_fail(err, MU_E_LIMIT, job->name, 0, 0, "is one file too many; %d can be read at once",
                              MU_LIMIT_FILES);
    session->open->file = create_arena(session);
    if (session->open->file == NULL)
        return no_memory(err, job->name);
    int code = mu_arena_run(session->open->file, run_job, job, err);
    if (code != MU_OK && !job->returned)
        mu_err_wrap(err, code, MU_STR_FMT, MU_STR_ARG(job->name));
    mu_arena_destroy(session->open->file);
    session->open->file = NULL;
    return code;
}

/* ---- Paths ---- */

/* A folder and the paths of the files in it. */
struct folder {
    struct session *session;
    const char *path;
    MU_VEC(char *) files;
};

static void dir_close(void *ptr) {
    DIR **dir = ptr;
    if (*dir != NULL)
        closedir(*dir);
    *dir = NULL;
}

static bool is_wanted(const char *name) {
    struct mu_str s = mu_str_from(name);
    return name[0] != '.' &&
           (mu_str_ends(s, MU_STR(".yaml")) || mu_str_ends(s, MU_STR(".yml")) || mu_str_ends(s, MU_STR(".json")));
}

/* A folder named like a file is no file of this one; what cannot be looked at is kept, to be reported when read. */
static bool is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int compare_paths(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_files(struct folder *folder, DIR *dir, struct mu_err *err) {
    struct mu_arena *arena = folder->session->open->folder;
    struct mu_str path = mu_str_from(folder->path);
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL)
            break;
        if (!is_wanted(entry->d_name))
            continue;
        const char *slash = mu_str_ends(path, MU_STR("/")) ? "" : "/";
        struct mu_str file = mu_str_printf(arena, "%s%s%s", folder->path, slash, entry->d_name);
        if (is_folder(file.ptr))
            continue;
        if (folder->files.len >= MU_LIMIT_FILES)
            return mu_reader_fail(err, MU_E_LIMIT, path, 0, 0, "has more than %d files", MU_LIMIT_FILES);
        MU_VEC_PUSH(arena, &folder->files, (char *)file.ptr);
    }
    if (errno != 0)
        return mu_reader_fail(err, MU_E_IO, path, 0, 0, "cannot be read: %s", strerror(errno));
    if (folder->files.len == 0)
        return mu_reader_fail(err, MU_E_IO, path, 0, 0, "has no *.yaml, *.yml or *.json file in it");
    qsort(folder->files.items, folder->files.len, sizeof *folder->files.items, compare_paths);
    return MU_OK;
}

static int list_folder(void *ctx, struct mu_err *err) {
    struct folder *folder = ctx;
    struct mu_arena *arena = folder->session->open->folder;
    DIR **dir = MU_NEW(arena, DIR *);
    mu_arena_defer(arena, dir_close, dir);
    *dir = opendir(folder->path);
    if (*dir == NULL)
        return mu_reader_fail(err, MU_E_IO, mu_str_from(folder->path), 0, 0, "cannot be opened: %s", strerror(errno));
    int code = list_files(folder, *dir, err);
    dir_close(dir);
    return code;
}

static int read_file(struct session *session, const char *path, struct mu_err *err) {
    struct job job = {.session = session, .path = path, .name = mu_str_from(path)};
    if (strcmp(path, "-") == 0) {
        job.name = MU_STR("standard input");
        if (session->standard_input_taken)
            return mu_reader_fail(err, MU_E_USAGE, job.name, 0, 0, "can be read only once");
        session->standard_input_taken = true;
    }
    return read_job(&job, err);
}

static int read_folder(struct session *session, const char *path, struct mu_err *err) {
    session->open->folder = create_arena(session);
    if (session->open->folder == NULL)
        return no_memory(err, mu_str_from(path));
    struct folder folder = {.session = session, .path = path};
    int code = mu_arena_run(session->open->folder, list_folder, &folder, err);
    if (code == MU_E_NOMEM)
        mu_err_wrap(err, code, "%s", path);
    for (size_t i = 0; code == MU_OK && i < folder.files.len; i++)
        code = read_file(session, folder.files.items[i], err);
    mu_arena_destroy(session->open->folder);
    session->open->folder = NULL;
    return code;
}

/* ---- Sessions ---- */

/* Fills in a session whose open arenas are in `local`, or in the owner if there is one. */
static void session_begin(struct session *session, const struct mu_read_options *options, struct open_arenas *local) {
    session->options = options;
    session->bytes_left = options->input_bytes_max ? options->input_bytes_max : MU_LIMIT_INPUT_BYTES;
    session->open = local;
    if (options->owner != NULL) {
        session->open = MU_NEW(options->owner, struct open_arenas);
        mu_arena_defer(options->owner, open_arenas_release, session->open);
    }
}

int mu_read_paths_with(const struct mu_read_options *options, const char *const *paths, size_t count, mu_document_fn fn,
                       void *ctx, struct mu_err *err) {
    struct open_arenas local = {0};
    struct session session = {.fn = fn, .ctx = ctx};
    session_begin(&session, options, &local);
    int code = MU_OK;
    for (size_t i = 0; code == MU_OK && i < count; i++) {
        bool folder = strcmp(paths[i], "-") != 0 && is_folder(paths[i]);
        code = folder ? read_folder(&session, paths[i], err) : read_file(&session, paths[i], err);
    }
    return code;
}

int mu_read_bytes_with(const struct mu_read_options *options, struct mu_str bytes, struct mu_str file,
                       mu_document_fn fn, void *ctx, struct mu_err *err) {
    struct open_arenas local = {0};
    struct session session = {.fn = fn, .ctx = ctx};
    session_begin(&session, options, &local);
    struct job job = {.session = &session, .bytes = bytes, .name = file};
    return read_job(&job, err);
}

int mu_read_paths(const char *const *paths, size_t count, mu_document_fn fn, void *ctx, struct mu_err *err) {
    return mu_read_paths_with(&(struct mu_read_options){0}, paths, count, fn, ctx, err);
}

int mu_read_bytes(struct mu_str bytes, struct mu_str file, mu_document_fn fn, void *ctx, struct mu_err *err) {
    return mu_read_bytes_with(&(struct mu_read_options){0}, bytes, file, fn, ctx, err);
}
