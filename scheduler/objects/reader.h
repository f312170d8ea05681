/* Reader: files, folders and standard input, plain or gzip, YAML or JSON, become documents.
 *
 * JSON is read with jansson, YAML (1.1 syntax, JSON schema of scalars: true/false, null/~, numbers; everything else is
 * a string) with libyaml. Every limit has a name in limits.h. */
#ifndef MU_OBJECTS_READER_H
#define MU_OBJECTS_READER_H

#include "scheduler/objects/value.h"

/* Where a document stands, for errors. */
struct mu_place {
    struct mu_str file; /* as the user named it; "standard input" for - */
    uint32_t document;  /* 1-based number within the file */
    uint32_t line;      /* first line of the document; 0 where unknown */
};

/* Takes one document. The value is valid during the call only, strings in it too. Returning non-zero stops reading
 * and is returned by the reader. */
typedef int (*mu_document_fn)(void *ctx, const struct mu_value *document, const struct mu_place *place,
                              struct mu_err *err);

/* Reads each path in turn: "-" is standard input (once), a folder every *.yaml, *.yml and *.json in it in byte order
 * of their names (not below, no hidden ones; none is an error), anything else one file, which may also be a pipe. What
 * begins with `{` or `[` or is named *.json is JSON, one document or several, everything else is YAML. Empty documents
 * are passed over; a file without any document is an error, and so is a file that is no text.
 *
 * `fn` must return: where it may run out of memory in an arena, it calls mu_arena_run() itself, or that arena is named
 * as the owner (below). The reader keeps one document in memory at a time, besides the text of a JSON document.
 * Errors: MU_E_IO, MU_E_PARSE, MU_E_LIMIT, MU_E_NOMEM, MU_E_USAGE for a second "-", and what fn returns; the text names
 * file, line or document, and what is wrong. */
int mu_read_paths(const char *const *paths, size_t count, mu_document_fn fn, void *ctx, struct mu_err *err) MU_MUST_USE;

/* The same over bytes in memory (gzip or not), for tests, fuzzing and replays. */
int mu_read_bytes(struct mu_str bytes, struct mu_str file, mu_document_fn fn, void *ctx, struct mu_err *err)
    MU_MUST_USE;

/* What a reader may use, and who cleans up behind it. Zeroed: the limits of limits.h, memory of the system. */
struct mu_read_options {
    /* An arena that fn allocates in without a mu_arena_run() of its own: where its memory is used up, control leaves fn
     * and the reader at once, to the mu_arena_run() around the reader. The reader's memory, parsers and open files are
     * then released with this arena. Borrowed; NULL: none. */
    struct mu_arena *owner;
    const struct mu_memory *memory; /* of the reader's own arenas; borrowed; NULL: malloc and free */
    size_t memory_bytes_max;        /* of the reader's arenas; 0: MU_LIMIT_MEMORY_BYTES */
    uint64_t file_bytes_max;        /* of one file; 0: MU_LIMIT_FILE_BYTES */
    uint64_t input_bytes_max;       /* of all files; 0: MU_LIMIT_INPUT_BYTES */
};

int mu_read_paths_with(const struct mu_read_options *options, const char *const *paths, size_t count, mu_document_fn fn,
                       void *ctx, struct mu_err *err) MU_MUST_USE;
int mu_read_bytes_with(const struct mu_read_options *options, struct mu_str bytes, struct mu_str file,
                       mu_document_fn fn, void *ctx, struct mu_err *err) MU_MUST_USE;

#endif
