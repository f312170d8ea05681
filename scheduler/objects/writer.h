/* Writer: one JSON or YAML document, written piece by piece to a stream.
 *
 * The counterpart of reader.h. The caller says what comes next (an object, a key, a number) and the writer sees to
 * commas, indentation, escapes and quotes. JSON is indented by two; YAML is in kubectl's block style. What is written
 * as a string is read back as that string: YAML is quoted wherever a reader of version 1.1 or 1.2 could take it for
 * something else. Bytes that are no UTF-8 become U+FFFD. Nothing is allocated; the nesting is bounded. */
#ifndef MU_OBJECTS_WRITER_H
#define MU_OBJECTS_WRITER_H

#include "scheduler/base/str.h"
#include <stdio.h>

enum mu_writer_form { MU_WRITER_JSON = 0, MU_WRITER_YAML };

enum { MU_WRITER_DEPTH = 16 }; /* our own documents nest six levels deep */

struct mu_writer_level {
    bool object;     /* else an array */
    bool inlined;    /* YAML: the first child goes on the line that is begun already */
    unsigned indent; /* columns before its children */
    size_t len;      /* children so far */
};

struct mu_writer {
    FILE *out;
    enum mu_writer_form form;
    unsigned depth; /* open objects and arrays */
    bool keyed;     /* a key is written and waits for its value */
    struct mu_writer_level levels[MU_WRITER_DEPTH];
};

/* `out` is borrowed. */
void mu_writer_init(struct mu_writer *writer, FILE *out, enum mu_writer_form form);

void mu_writer_object(struct mu_writer *writer);
void mu_writer_object_end(struct mu_writer *writer);
void mu_writer_array(struct mu_writer *writer);
void mu_writer_array_end(struct mu_writer *writer);

/* Inside an object, before each value. `key` is a plain word. */
void mu_writer_key(struct mu_writer *writer, const char *key);

void mu_writer_str(struct mu_writer *writer, struct mu_str text);
void mu_writer_i64(struct mu_writer *writer, int64_t number);
void mu_writer_bool(struct mu_writer *writer, bool value);

/* Key and value in one. */
void mu_writer_key_str(struct mu_writer *writer, const char *key, struct mu_str text);
void mu_writer_key_i64(struct mu_writer *writer, const char *key, int64_t number);
void mu_writer_key_bool(struct mu_writer *writer, const char *key, bool value);

/* Ends the document with a line end, after everything was closed. Whether the stream took it all is for its owner to
 * ask (ferror, fflush). */
void mu_writer_finish(struct mu_writer *writer);

#endif
