/* Reader, private to this folder: how bytes come in (reader_source.c), and how text becomes documents (reader_yaml.c
 * with reader_scalar.c, and reader_json.c) that reader.c hands on.
 *
 * Everything that one file needs lives in one arena, parsers and open files as deferred releases of it, so that it can
 * be given up at any point: where memory runs out, and where the taker of documents never comes back (reader.h). */
#ifndef MU_OBJECTS_READER_INTERNAL_H
#define MU_OBJECTS_READER_INTERNAL_H

#include "scheduler/objects/reader.h"

/* ---- Text (reader_source.c) ---- */

struct mu_source;

/* What one file may cost. */
struct mu_source_limits {
    uint64_t file_bytes; /* of text, and of what it was compressed to */
    uint64_t *left;      /* borrowed: bytes of text that may still come, of all input; counts down */
};

/* Opens a file, standard input ("-"), or bytes in memory, and reads on until it is known what it holds. The source
 * lives in the arena and is closed with it. `name` is for errors and is borrowed, like the bytes.
 * Errors: MU_E_IO, MU_E_PARSE, MU_E_LIMIT. */
int mu_source_open(struct mu_arena *arena, const char *path, struct mu_str name, const struct mu_source_limits *limits,
                   struct mu_source **ret, struct mu_err *err) MU_MUST_USE;
int mu_source_open_bytes(struct mu_arena *arena, struct mu_str bytes, struct mu_str name,
                         const struct mu_source_limits *limits, struct mu_source **ret, struct mu_err *err) MU_MUST_USE;

struct mu_str mu_source_name(const struct mu_source *source);
/* The first character of the text that is no white space; 0 where the text has none, or far from its beginning. */
char mu_source_first(const struct mu_source *source);
/* True where the text begins as JSON does: with a bracket and what may follow it there. */
bool mu_source_looks_like_json(const struct mu_source *source);
/* True where the text has no byte at all. */
bool mu_source_is_empty(const struct mu_source *source);

/* From here on a control character that YAML does not allow is a failure. */
void mu_source_forbid_controls(struct mu_source *source);
/* Up to `size` bytes of text: expanded, without a byte order mark, valid UTF-8 without NUL. A character may be cut
 * between two calls. 0 at the end and after a failure, see below. */
size_t mu_source_read(struct mu_source *source, void *buf, size_t size);
/* Gives back text that was read and is to be read again, by a reader of another language; `line` is that of its first
 * byte. The bytes are borrowed for the source's life. */
void mu_source_unread(struct mu_source *source, struct mu_str text, uint32_t line);
/* The line that was given with it; 0 where nothing was given back. */
uint32_t mu_source_unread_line(const struct mu_source *source);
/* 0, or the code of what ended the text before its time, which is copied to err. */
int mu_source_failure(const struct mu_source *source, struct mu_err *err);

/* ---- Documents ---- */

/* Values of one document, those of aliases included. jansson's tree, which is not in an arena, takes up to 300 bytes
 * for one; a List that fills MU_LIMIT_FILE_BYTES the way that kubectl prints it has two thirds of this. */
#define MU_LIMIT_DOCUMENT_VALUES ((size_t)1 << 25)

/* Where documents go. */
struct mu_sink {
    mu_document_fn fn;
    void *ctx;
    uint32_t documents; /* begun so far, empty ones included */
    uint32_t delivered;
};

/* Hands a document on, unless it is empty (null). */
int mu_sink_deliver(struct mu_sink *sink, struct mu_str file, const struct mu_value *document, struct mu_err *err)
    MU_MUST_USE;

/* Read to the end of the source, document by document (JSON: or to a line `---` between documents, after which it is YAML:
 * the rest is given back to the source then); memory of a document is given back once it was delivered.
 * Errors: those of the source and of the sink; MU_E_PARSE, MU_E_LIMIT with file, document and line. */
int mu_read_yaml(struct mu_arena *arena, struct mu_source *source, struct mu_sink *sink, struct mu_err *err)
    MU_MUST_USE;
int mu_read_json(struct mu_arena *arena, struct mu_source *source, struct mu_sink *sink, struct mu_err *err)
    MU_MUST_USE;

/* "FILE: document N, line L: ..." with either left out where 0. Returns `code`. */
int mu_reader_fail(struct mu_err *err, int code, struct mu_str file, uint32_t document, uint32_t line,
                   const char *format, ...) MU_PRINTF(6, 7);

/* A text from the input, fit to stand in an error: on one line, and short. */
struct mu_shown {
    char text[64];
};
struct mu_shown mu_shown(struct mu_str s);

/* ---- Scalars (reader_scalar.c) ---- */

/* What a plain (unquoted) YAML scalar means: null, a boolean, a number, or else a string. Numbers are brought into
 * JSON's form: `0x1F` becomes 31, `1_000` 1000, `+.5` 0.5. The text is borrowed where it can stay as it is. */
void mu_scalar_resolve(struct mu_arena *arena, struct mu_str text, struct mu_value *ret);
/* True for a number in JSON's grammar. */
bool mu_scalar_is_json_number(struct mu_str text);

#endif
