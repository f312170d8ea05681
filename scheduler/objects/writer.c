/* JSON and YAML as a stream of events; see writer.h. */
#include "scheduler/objects/writer.h"

#include <ctype.h>
#include <inttypes.h>
#include <strings.h>

enum { INDENT = 2 };

void mu_writer_init(struct mu_writer *writer, FILE *out, enum mu_writer_form form) {
    *writer = (struct mu_writer){.out = out, .form = form};
}

static void new_line(const struct mu_writer *writer, unsigned indent) {
    putc('\n', writer->out);
    for (unsigned i = 0; i < indent; i++)
        putc(' ', writer->out);
}

/* Goes to where the next child of the innermost level stands. */
static void begin_child(struct mu_writer *writer) {
    struct mu_writer_level *level = &writer->levels[writer->depth - 1];
    size_t nth = level->len++;
    if (writer->form == MU_WRITER_JSON) {
        if (nth > 0)
            putc(',', writer->out);
        new_line(writer, level->indent);
        return;
    }
    if (nth > 0 || !level->inlined)
        new_line(writer, level->indent);
    if (!level->object)
        fputs("- ", writer->out);
}

/* Before a value: its place in an array, or the gap after its key. An opening YAML collection takes no gap, since
 * only its first child shows whether it goes on the same line. */
static void begin_value(struct mu_writer *writer, bool scalar) {
    if (writer->depth == 0)
        return;
    if (!writer->levels[writer->depth - 1].object) {
        begin_child(writer);
        return;
    }
    MU_ASSERT(writer->keyed);
    writer->keyed = false;
    if (scalar || writer->form == MU_WRITER_JSON)
        putc(' ', writer->out);
}

static void open_level(struct mu_writer *writer, bool object) {
    begin_value(writer, false);
    MU_ASSERT(writer->depth < MU_WRITER_DEPTH);
    const struct mu_writer_level *parent = writer->depth ? &writer->levels[writer->depth - 1] : NULL;
    struct mu_writer_level *level = &writer->levels[writer->depth++];
    *level = (struct mu_writer_level){.object = object};
    if (writer->form == MU_WRITER_JSON) {
        putc(object ? '{' : '[', writer->out);
        level->indent = writer->depth * INDENT;
    } else {
        level->inlined = !parent || !parent->object;
        /* An array in an object stands in the columns of the object's keys, as kubectl prints it. */
        level->indent = !parent ? 0 : parent->object && !object ? parent->indent : parent->indent + INDENT;
    }
}

static void close_level(struct mu_writer *writer, bool object) {
    MU_ASSERT(writer->depth > 0);
    MU_ASSERT(!writer->keyed);
    const struct mu_writer_level level = writer->levels[--writer->depth];
    MU_ASSERT(level.object == object);
    if (writer->form == MU_WRITER_JSON) {
        if (level.len > 0)
            new_line(writer, writer->depth * INDENT);
        putc(object ? '}' : ']', writer->out);
    } else if (level.len == 0) {
        if (!level.inlined)
            putc(' ', writer->out);
        fputs(object ? "{}" : "[]", writer->out);
    }
}

void mu_writer_object(struct mu_writer *writer) {
    open_level(writer, true);
}

void mu_writer_object_end(struct mu_writer *writer) {
    close_level(writer, true);
}

void mu_writer_array(struct mu_writer *writer) {
    open_level(writer, false);
}

void mu_writer_array_end(struct mu_writer *writer) {
    close_level(writer, false);
}

void mu_writer_key(struct mu_writer *writer, const char *key) {
    MU_ASSERT(writer->depth > 0);
    MU_ASSERT(writer->levels[writer->depth - 1].object);
    MU_ASSERT(!writer->keyed);
    begin_child(writer);
    fprintf(writer->out, writer->form == MU_WRITER_JSON ? "\"%s\":" : "%s:", key);
    writer->keyed = true;
}

/* Length of the UTF-8 sequence at `s` and its code point, or 0 where there is none: overlong forms, surrogates and
 * what lies beyond U+10FFFF are none. */
static size_t decode_utf8(struct mu_str s, uint32_t *ret_point) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = (unsigned char)s.ptr[0];
    if (lead < 0x80) {
        *ret_point = lead;
        return 1;
    }
    size_t len = lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
    if (len == 0 || len > s.len)
        return 0;
    uint32_t point = lead & (0x7FU >> len);
    for (size_t i = 1; i < len; i++) {
        unsigned char byte = (unsigned char)s.ptr[i];
        if (byte >> 6 != 2)
            return 0;
        point = point << 6 | (byte & 0x3F);
    }
    if (point < least[len] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF))
        return 0;
    *ret_point = point;
    return len;
}

/* Code points that a reader or a terminal may choke on: controls, line ends of Unicode, byte order marks, and the two
 * that are no characters. */
static bool needs_escape(uint32_t point) {
    return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x2028 || point == 0x2029 || point == 0xFEFF ||
           point == 0xFFFE || point == 0xFFFF;
}

static void write_point(FILE *out, struct mu_str bytes, uint32_t point) {
    switch (point) {
    case '"':
        fputs("\\\"", out);
        break;
    case '\\':
        fputs("\\\\", out);
        break;
    case '\n':
        fputs("\\n", out);
        break;
    case '\r':
        fputs("\\r", out);
        break;
    case '\t':
        fputs("\\t", out);
        break;
    default:
        if (needs_escape(point))
            fprintf(out, "\\u%04" PRIx32, point);
        else
            fwrite(bytes.ptr, 1, bytes.len, out);
    }
}

/* In double quotes, with JSON's escapes: those are YAML's as well. */
static void write_quoted(FILE *out, struct mu_str text) {
    putc('"', out);
    for (size_t i = 0; i < text.len;) {
        uint32_t point;
        size_t len = decode_utf8(mu_str_slice(text, i, text.len), &point);
        if (len == 0)
            fputs("\xEF\xBF\xBD", out);
        else
            write_point(out, mu_str_slice(text, i, i + len), point);
        i += len ? len : 1;
    }
    putc('"', out);
}

/* Words that some version of YAML reads as a boolean or as null. */
static bool is_yaml_word(struct mu_str text) {
    static const char *const words[] = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == text.len && strncasecmp(words[i], text.ptr, text.len) == 0)
            return true;
    return false;
}

/* Plain where nothing but a string could be meant: begins with a letter, and nothing in it ends a scalar. Stricter than
 * YAML asks for. */
static bool is_plain(struct mu_str text) {
    if (text.len == 0 || !isalpha((unsigned char)text.ptr[0]) || is_yaml_word(text))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        bool last = i + 1 == text.len;
        if (isalnum(c) || (c != 0 && strchr("-_./()*;+=", c)))
            continue;
        if (c == ' ' && !last && text.ptr[i + 1] != '#')
            continue;
        if (c == ':' && !last && text.ptr[i + 1] != ' ')
            continue;
        return false;
    }
    return true;
}

void mu_writer_str(struct mu_writer *writer, struct mu_str text) {
    begin_value(writer, true);
    if (writer->form == MU_WRITER_YAML && is_plain(text))
        fwrite(text.ptr, 1, text.len, writer->out);
    else
        write_quoted(writer->out, text);
}

void mu_writer_i64(struct mu_writer *writer, int64_t number) {
    begin_value(writer, true);
    fprintf(writer->out, "%" PRId64, number);
}

void mu_writer_bool(struct mu_writer *writer, bool value) {
    begin_value(writer, true);
    fputs(value ? "true" : "false", writer->out);
}

void mu_writer_key_str(struct mu_writer *writer, const char *key, struct mu_str text) {
    mu_writer_key(writer, key);
    mu_writer_str(writer, text);
}

void mu_writer_key_i64(struct mu_writer *writer, const char *key, int64_t number) {
    mu_writer_key(writer, key);
    mu_writer_i64(writer, number);
}

void mu_writer_key_bool(struct mu_writer *writer, const char *key, bool value) {
    mu_writer_key(writer, key);
    mu_writer_bool(writer, value);
}

void mu_writer_finish(struct mu_writer *writer) {
    MU_ASSERT(writer->depth == 0);
    putc('\n', writer->out);
}
