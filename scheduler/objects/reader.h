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
 * of their names (not below; none is an error), anything else one file. Empty documents are passed over; a file
 * without any document is an error, and so is a file that is no text.
 * Errors: MU_E_IO, MU_E_PARSE, MU_E_LIMIT, MU_E_NOMEM; the text names file, line or document, and what is wrong. */
int mu_read_paths(const char *const *paths, size_t count, mu_document_fn fn, void *ctx, struct mu_err *err)
    MU_MUST_USE;

/* The same over bytes in memory, for tests, fuzzing and replays. */
int mu_read_bytes(struct mu_str bytes, struct mu_str file, mu_document_fn fn, void *ctx, struct mu_err *err)
    MU_MUST_USE;

#endif
