/* JSON: jansson checks the text and decodes its strings, and a walk over text and tree side by side makes the values.
 *
 * The text knows two things that jansson's tree does not: lines, and numbers as they were written (the tree has doubles
 * and int64). So the text of a document is kept while jansson reads it, and jansson is shown each number as a 0 and
 * white space of the same length: it never has to round or refuse one, and all positions stay what they are. Walking
 * both in step is possible since jansson keeps members in the order of the text, and refuses to read one name twice. */
#include "scheduler/objects/reader_internal.h"

#include "scheduler/base/limits.h"
#include <jansson.h>
#include <stdlib.h>

/* What the filter of numbers is inside of. */
enum filter_state { FILTER_NONE = 0, FILTER_STRING, FILTER_ESCAPE, FILTER_NUMBER };

struct json_reader {
    struct mu_arena *arena;
    struct mu_source *source;
    struct mu_sink *sink;
    char *text;       /* malloc'ed: what was read and is still needed */
    size_t len, size; /* of text, in bytes */
    size_t from;      /* the document's first byte in it */
    size_t shown;     /* up to here jansson was given it */
    size_t values;    /* in what jansson was given, at most */
    bool no_memory, too_many;
    enum filter_state filter;
    json_t *tree;
    uint32_t line, column; /* of the document's first byte, from 1 */
    size_t at;             /* of the walk, in text */
    uint32_t at_line;
    struct mu_err *err; /* the caller's */
};

static void json_reader_release(void *ptr) {
    struct json_reader *r = ptr;
    json_decref(r->tree);
    free(r->text);
}

/* Fails with the place where the reader stands. */
#define JSON_FAIL(r, code, line, ...)                                                                                  \
    mu_reader_fail((r)->err, (code), mu_source_name((r)->source), (r)->sink->documents, (line), __VA_ARGS__)

static int too_deep(struct json_reader *r, uint32_t line) {
    return JSON_FAIL(r, MU_E_LIMIT, line, "is nested deeper than %d levels", MU_LIMIT_JSON_DEPTH);
}

/* ---- From the source to jansson ---- */

/* Drops what lies before the document and makes room for some more bytes. The text is not in the arena, as a large one
 * then grows without being copied and without leaving its former selves behind. */
static bool text_reserve(struct json_reader *r, size_t bytes) {
    if (r->from > 0) {
        memmove(r->text, r->text + r->from, r->len - r->from);
        r->len -= r->from;
        r->shown -= r->from;
        r->from = 0;
    }
    if (r->size - r->len >= bytes)
        return true;
    size_t size = r->size > bytes ? r->size * 2 : r->size + bytes;
    char *grown = realloc(r->text, size);
    if (grown == NULL)
        return false;
    r->text = grown;
    r->size = size;
    return true;
}

/* Appends what comes next to the text; false at the end, and where something failed. */
static bool text_read_on(struct json_reader *r) {
    enum { BYTES = 16 * 1024 };
    if (!text_reserve(r, BYTES)) {
        r->no_memory = true;
        return false;
    }
    size_t got = mu_source_read(r->source, r->text + r->len, BYTES);
    r->len += got;
    return got > 0;
}

static bool is_number_char(char c) {
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* Copies text from where no string or number is begun, up to the first character of one; returns how many. */
static size_t filter_outside(struct json_reader *r, char *to, const char *from, size_t len) {
    size_t i = 0;
    for (; i < len; i++) {
        char c = from[i];
        to[i] = c;
        if (c == '"') {
            r->filter = FILTER_STRING;
            return i + 1;
        }
        if ((c >= '0' && c <= '9') || c == '-') {
            to[i] = '0';
            r->filter = FILTER_NUMBER;
            return i + 1;
        }
        r->values += c == ',' || c == '[' || c == '{'; /* every value but the first of all follows one of these */
    }
    return i;
}

/* The same from inside of a string, to its end. */
static size_t filter_string(struct json_reader *r, char *to, const char *from, size_t len) {
    size_t i = 0;
    while (i < len && r->filter != FILTER_NONE) {
        char c = from[i];
        to[i++] = c;
        if (r->filter == FILTER_ESCAPE)
            r->filter = FILTER_STRING;
        else if (c == '\\' || c == '"')
            r->filter = c == '"' ? FILTER_NONE : FILTER_ESCAPE;
    }
    return i;
}

/* The same from inside of a number. */
static size_t filter_number(struct json_reader *r, char *to, const char *from, size_t len) {
    size_t i = 0;
    for (; i < len && is_number_char(from[i]); i++)
        to[i] = ' ';
    if (i < len)
        r->filter = FILTER_NONE;
    return i;
}

static void filter(struct json_reader *r, char *to, const char *from, size_t len) {
    for (size_t i = 0; i < len;) {
        if (r->filter == FILTER_NONE)
            i += filter_outside(r, to + i, from + i, len - i);
        else if (r->filter == FILTER_NUMBER)
            i += filter_number(r, to + i, from + i, len - i);
        else
            i += filter_string(r, to + i, from + i, len - i);
    }
}

/* jansson's source of bytes: 0 ends the text. Begins with little and doubles, as what is shown past a document's end is
 * shown again with the next one, and there are texts of very many very small documents. */
static size_t show_some(void *buffer, size_t size, void *ctx) {
    struct json_reader *r = ctx;
    r->too_many = r->values > MU_LIMIT_DOCUMENT_VALUES;
    if (r->too_many || (r->shown == r->len && !text_read_on(r)))
        return 0;
    size_t len = r->shown > r->from ? r->shown - r->from : 32;
    len = len < size ? len : size;
    len = r->len - r->shown < len ? r->len - r->shown : len;
    filter(r, buffer, r->text + r->shown, len);
    r->shown += len;
    return len;
}

/* ---- From text and tree to values ---- */

static void walk_space(struct json_reader *r) {
    for (; r->at < r->len; r->at++) {
        char c = r->text[r->at];
        if (c == '\n')
            r->at_line++;
        else if (c != ' ' && c != '\t' && c != '\r')
            return;
    }
}

/* Over one character that jansson has found there. */
static void walk_over(struct json_reader *r, char c) {
    walk_space(r);
    MU_ASSERT(r->at < r->len && r->text[r->at] == c);
    r->at++;
}

/* Over a string. Where it has no escapes it is what stands in the text, which lives as long as the document. */
static int walk_string(struct json_reader *r, const char *decoded, size_t len, struct mu_str *ret) {
    walk_over(r, '"');
    size_t from = r->at;
    bool escapes = false;
    while (r->text[r->at] != '"') {
        bool escape = r->text[r->at] == '\\';
        escapes = escapes || escape;
        r->at += escape ? 2 : 1;
        MU_ASSERT(r->at < r->len);
    }
    *ret = escapes ? mu_str_dup(r->arena, (struct mu_str){decoded, len}) : (struct mu_str){r->text + from, len};
    walk_over(r, '"');
    if (len > MU_LIMIT_STRING_BYTES)
        return JSON_FAIL(r, MU_E_LIMIT, r->at_line, "a string is too long");
    return MU_OK;
}

static int walk_number(struct json_reader *r, struct mu_str *ret) {
    size_t from = r->at;
    while (r->at < r->len && is_number_char(r->text[r->at]))
        r->at++;
    *ret = (struct mu_str){r->text + from, r->at - from};
    if (mu_scalar_is_json_number(*ret))
        return MU_OK;
    return JSON_FAIL(r, MU_E_PARSE, r->at_line, "\"%s\" is no number", mu_shown(*ret).text);
}

static void walk_word(struct json_reader *r, size_t len) {
    MU_ASSERT(r->len - r->at >= len);
    r->at += len;
}

static int walk_value(struct json_reader *r, json_t *node, unsigned depth, struct mu_value *ret);

static int walk_array(struct json_reader *r, json_t *node, unsigned depth, struct mu_value *ret) {
    size_t len = json_array_size(node);
    struct mu_value *items = MU_NEW_ARRAY(r->arena, struct mu_value, len);
    walk_over(r, '[');
    for (size_t i = 0; i < len; i++) {
        if (i > 0)
            walk_over(r, ',');
        int code = walk_value(r, json_array_get(node, i), depth + 1, &items[i]);
        if (code != MU_OK)
            return code;
    }
    walk_over(r, ']');
    ret->array.items = items;
    ret->array.len = len;
    return MU_OK;
}

static int walk_object(struct json_reader *r, json_t *node, unsigned depth, struct mu_value *ret) {
    size_t len = json_object_size(node), i = 0;
    struct mu_field *fields = MU_NEW_ARRAY(r->arena, struct mu_field, len);
    walk_over(r, '{');
    for (void *at = json_object_iter(node); at != NULL; at = json_object_iter_next(node, at), i++) {
        MU_ASSERT(i < len);
        if (i > 0)
            walk_over(r, ',');
        const char *key = json_object_iter_key(at);
        int code = walk_string(r, key, strlen(key), &fields[i].key);
        if (code != MU_OK)
            return code;
        walk_over(r, ':');
        code = walk_value(r, json_object_iter_value(at), depth + 1, &fields[i].value);
        if (code != MU_OK)
            return code;
    }
    walk_over(r, '}');
    ret->object.fields = fields;
    ret->object.len = len;
    return MU_OK;
}

/* Recursion is bounded by the depth, which jansson bounds as well. */
static int walk_value(struct json_reader *r, json_t *node, unsigned depth, struct mu_value *ret) {
    walk_space(r);
    ret->line = r->at_line;
    if (depth > MU_LIMIT_JSON_DEPTH)
        return too_deep(r, r->at_line);
    switch (json_typeof(node)) {
    case JSON_OBJECT:
        ret->type = MU_VALUE_OBJECT;
        return walk_object(r, node, depth, ret);
    case JSON_ARRAY:
        ret->type = MU_VALUE_ARRAY;
        return walk_array(r, node, depth, ret);
    case JSON_STRING:
        ret->type = MU_VALUE_STRING;
        return walk_string(r, json_string_value(node), json_string_length(node), &ret->text);
    case JSON_INTEGER:
    case JSON_REAL:
        ret->type = MU_VALUE_NUMBER;
        return walk_number(r, &ret->text);
    case JSON_TRUE:
    case JSON_FALSE:
        ret->type = MU_VALUE_BOOL;
        ret->boolean = json_is_true(node);
        walk_word(r, ret->boolean ? strlen("true") : strlen("false"));
        return MU_OK;
    case JSON_NULL:
        ret->type = MU_VALUE_NULL;
        walk_word(r, strlen("null"));
        return MU_OK;
    }
    return MU_OK;
}

/* ---- Documents ---- */

/* What jansson says, without the part that quotes what it was shown. */
static int json_error_to_err(struct json_reader *r, json_error_t *e) {
    enum json_error_code code = json_error_code(e);
    /* Where the source failed, jansson found its end, perhaps inside of a character; unless it stopped before that. */
    bool at_end = code == json_error_invalid_utf8 || (size_t)e->position >= r->shown - r->from;
    if (at_end && r->shown == r->len && mu_source_failure(r->source, r->err) != MU_OK)
        return mu_source_failure(r->source, NULL);
    if (r->no_memory || code == json_error_out_of_memory)
        return JSON_FAIL(r, MU_E_NOMEM, 0, "out of memory");
    uint32_t line = r->line + (e->line > 0 ? (uint32_t)e->line - 1 : 0);
    uint32_t column = (e->column > 0 ? (uint32_t)e->column : 0) + (e->line <= 1 ? r->column - 1 : 0);
    if (r->too_many)
        return JSON_FAIL(r, MU_E_LIMIT, line, "has more than %zu values", MU_LIMIT_DOCUMENT_VALUES);
    if (code == json_error_stack_overflow)
        return too_deep(r, line);
    if (code == json_error_null_character || code == json_error_null_byte_in_key)
        return JSON_FAIL(r, MU_E_PARSE, line, "a string has a NUL character in it");

    struct mu_str what = mu_str_from(e->text);
    struct mu_str quoted = MU_STR(" near '");
    for (size_t i = 0; i < what.len && code != json_error_duplicate_key; i++)
        if (mu_str_starts(mu_str_slice(what, i, what.len), quoted))
            what = mu_str_slice(what, 0, i);
    return JSON_FAIL(r, MU_E_PARSE, line, "%s (column %u)", mu_shown(what).text, column);
}

/* Moves the document's beginning, past lines that are counted already: the column is that within the last line. */
static void text_take(struct json_reader *r, size_t to, uint32_t line) {
    size_t at = to;
    while (at > r->from && r->text[at - 1] != '\n')
        at--;
    r->column = at > r->from ? 1 : r->column;
    for (; at < to; at++)
        r->column += ((unsigned char)r->text[at] & 0xC0) != 0x80; /* columns count characters */
    r->from = to;
    r->line = line;
}

/* Over white space, to the next document's first byte. False at the end of the text. */
static bool find_document(struct json_reader *r) {
    for (;;) {
        r->at = r->from;
        r->at_line = r->line;
        walk_space(r);
        bool found = r->at < r->len;
        text_take(r, r->at, r->at_line);
        r->shown = r->from;
        if (found || !text_read_on(r))
            return found;
    }
}

static int read_document(struct json_reader *r) {
    json_error_t e;
    r->sink->documents++;
    r->values = 0;
    r->filter = FILTER_NONE;
    r->tree = json_load_callback(show_some, r, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &e);
    if (r->tree == NULL)
        return json_error_to_err(r, &e);

    struct mu_arena_mark mark = mu_arena_mark(r->arena);
    struct mu_value document = {0};
    r->at = r->from;
    r->at_line = r->line;
    int code = walk_value(r, r->tree, 1, &document);
    json_decref(r->tree);
    r->tree = NULL;
    MU_ASSERT(code != MU_OK || r->at - r->from == (size_t)e.position);
    if (code == MU_OK)
        code = mu_sink_deliver(r->sink, mu_source_name(r->source), &document, r->err);
    mu_arena_rollback(r->arena, mark);
    text_take(r, r->at, r->at_line);
    return code;
}

/* Does a YAML document begin here, with `---`? Streams may change from one language to the other between documents. */
static bool turns_to_yaml(struct json_reader *r) {
    static const struct mu_str marker = {"---", 3};
    if (r->sink->documents == 0)
        return false;
    while (r->len - r->from < marker.len && text_read_on(r)) {}
    return mu_str_starts((struct mu_str){r->text + r->from, r->len - r->from}, marker);
}

int mu_read_json(struct mu_arena *arena, struct mu_source *source, struct mu_sink *sink, struct mu_err *err) {
    struct json_reader *r = MU_NEW(arena, struct json_reader);
    *r = (struct json_reader){.arena = arena, .source = source, .sink = sink, .line = 1, .column = 1, .err = err};
    mu_arena_defer(arena, json_reader_release, r);
    while (find_document(r)) {
        if (turns_to_yaml(r)) {
            mu_source_unread(source, (struct mu_str){r->text + r->from, r->len - r->from}, r->line);
            return MU_OK;
        }
        int code = read_document(r);
        if (code != MU_OK)
            return code;
    }
    if (r->no_memory)
        return JSON_FAIL(r, MU_E_NOMEM, 0, "out of memory");
    return mu_source_failure(source, err);
}
