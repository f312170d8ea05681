/* YAML: libyaml's events become values. No recursion: containers that are open stand on a stack, and their children so
 * far on a second one, from where they move to an array of the right size when the container ends.
 *
 * Aliases cost nothing to make, since values do not change and can be shared; but whoever reads the document walks what
 * it means, so the values and the depth that it has when all aliases are written out are limited as they come up. */
#include "scheduler/objects/reader_internal.h"

#include "scheduler/base/limits.h"
#include "scheduler/base/map.h"
#include <stdlib.h>
#include <yaml.h>

/* libyaml compares each directive of a document with all before it. Nobody writes more than two; the limit leaves room
 * for what is read ahead, which can hold the directives of many documents. */
enum { DIRECTIVES_MAX = 10000 };

struct size {
    uint64_t values; /* in the tree, itself included, with aliases written out */
    uint32_t depth;  /* 1 of a scalar */
};

struct anchor {
    struct mu_value value;
    struct size size;
    bool open; /* a container that has not ended */
};

enum entry_kind {
    ENTRY_OWN = 0,
    ENTRY_MERGE,  /* `<<` */
    ENTRY_MERGED, /* came by it */
    ENTRY_HIDDEN  /* came by it, and another one of that name goes first */
};

/* A child of an open container. */
struct entry {
    struct mu_field field; /* key: of an object's child */
    uint32_t key_line;
    enum entry_kind kind;
};

struct container {
    enum mu_value_type type; /* array or object */
    uint32_t line;
    size_t first;    /* its first child, in entries */
    uint32_t anchor; /* its number + 1; 0: none */
    struct size size;
    bool has_key; /* an object whose next value belongs to: */
    struct mu_str key;
    uint32_t key_line;
    enum entry_kind key_kind;
};

struct yaml_reader {
    struct mu_arena *arena;
    struct mu_source *source;
    struct mu_sink *sink;
    struct mu_err *err; /* the caller's */
    yaml_parser_t parser;
    yaml_event_t event;
    bool parser_open, event_open, in_document;
    bool in_line;      /* the last byte that libyaml was given did not end a line */
    size_t directives; /* lines that begin with % since the last document began, as far as libyaml has read */
    /* Of the document; its memory is given back with it. */
    MU_VEC(struct container) open;
    MU_VEC(struct entry) entries;
    MU_VEC(size_t) order;
    MU_VEC(struct anchor) anchors;
    struct mu_map anchor_numbers; /* by name */
    uint64_t values, alias_values;
    struct mu_value root;
};

static void yaml_reader_release(void *ptr) {
    struct yaml_reader *r = ptr;
    if (r->event_open)
        yaml_event_delete(&r->event);
    if (r->parser_open)
        yaml_parser_delete(&r->parser);
}

static uint32_t line_of(yaml_mark_t mark) {
    return (uint32_t)mark.line + 1;
}

/* Fails with the place where the reader stands. */
#define YAML_FAIL(r, code, line, ...)                                                                                  \
    mu_reader_fail((r)->err, (code), mu_source_name((r)->source), (r)->sink->documents + !(r)->in_document, (line),    \
                   __VA_ARGS__)

/* ---- libyaml ---- */

static void count_directives(struct yaml_reader *r, const unsigned char *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        r->directives += text[i] == '%' && !r->in_line;
        r->in_line = text[i] != '\n' && text[i] != '\r';
    }
}

static int read_text(void *ctx, unsigned char *buffer, size_t size, size_t *ret_size) {
    struct yaml_reader *r = ctx;
    *ret_size = mu_source_read(r->source, buffer, size);
    count_directives(r, buffer, *ret_size);
    if (r->directives > DIRECTIVES_MAX)
        return 0;
    return *ret_size > 0 || mu_source_failure(r->source, NULL) == MU_OK;
}

static int parser_failed(struct yaml_reader *r) {
    const yaml_parser_t *parser = &r->parser;
    const char *problem = parser->problem != NULL ? parser->problem : "is no YAML";
    switch (parser->error) {
    case YAML_MEMORY_ERROR:
        return YAML_FAIL(r, MU_E_NOMEM, 0, "out of memory");
    case YAML_READER_ERROR:
        if (mu_source_failure(r->source, r->err) != MU_OK)
            return mu_source_failure(r->source, NULL);
        if (r->directives > DIRECTIVES_MAX)
            return YAML_FAIL(r, MU_E_LIMIT, 0, "has more than %d lines that begin with %%", DIRECTIVES_MAX);
        return YAML_FAIL(r, MU_E_PARSE, line_of(parser->mark), "%s", problem);
    default:
        if (parser->context == NULL)
            return YAML_FAIL(r, MU_E_PARSE, line_of(parser->problem_mark), "%s", problem);
        return YAML_FAIL(r, MU_E_PARSE, line_of(parser->problem_mark), "%s %s that begins on line %u", problem,
                         parser->context, line_of(parser->context_mark));
    }
}

static int next_event(struct yaml_reader *r) {
    if (r->event_open)
        yaml_event_delete(&r->event);
    r->event_open = yaml_parser_parse(&r->parser, &r->event) != 0;
    return r->event_open ? MU_OK : parser_failed(r);
}

static struct mu_str view(const yaml_char_t *text, size_t len) {
    return (struct mu_str){(const char *)text, len};
}

/* ---- Values ---- */

static struct container *innermost(struct yaml_reader *r) {
    return r->open.len > 0 ? &r->open.items[r->open.len - 1] : NULL;
}

static bool wants_key(struct yaml_reader *r) {
    struct container *in = innermost(r);
    return in != NULL && in->type == MU_VALUE_OBJECT && !in->has_key;
}

/* Looks at a value's size before it is put where the reader stands. */
static int check_size(struct yaml_reader *r, struct size size, uint32_t line) {
    if (r->open.len + size.depth > MU_LIMIT_YAML_DEPTH)
        return YAML_FAIL(r, MU_E_LIMIT, line, "is nested deeper than %d levels", MU_LIMIT_YAML_DEPTH);
    r->values += size.values;
    if (r->values > MU_LIMIT_DOCUMENT_VALUES)
        return YAML_FAIL(r, MU_E_LIMIT, line, "has more than %zu values", MU_LIMIT_DOCUMENT_VALUES);
    return MU_OK;
}

/* Puts a complete value where the reader stands. */
static void put_value(struct yaml_reader *r, const struct mu_value *value, struct size size) {
    struct container *in = innermost(r);
    if (in == NULL) {
        r->root = *value;
        return;
    }
    in->size.values += size.values;
    in->size.depth = in->size.depth > size.depth ? in->size.depth : size.depth + 1;
    struct entry entry = {.field = {.value = *value}};
    if (in->type == MU_VALUE_OBJECT) {
        entry.field.key = in->key;
        entry.key_line = in->key_line;
        entry.kind = in->key_kind;
        in->has_key = false;
    }
    MU_VEC_PUSH(r->arena, &r->entries, entry);
}

static void put_key(struct yaml_reader *r, struct mu_str key, uint32_t line, enum entry_kind kind) {
    struct container *in = innermost(r);
    in->has_key = true;
    in->key = key;
    in->key_line = line;
    in->key_kind = kind;
}

/* Makes an anchor of that name, which stands from here on. Returns its number + 1, or 0 where the name is NULL. */
static uint32_t add_anchor(struct yaml_reader *r, const yaml_char_t *name, const struct mu_value *value, bool open) {
    if (name == NULL)
        return 0;
    struct anchor anchor = {.value = *value, .size = {.values = 1, .depth = 1}, .open = open};
    struct mu_str key = mu_str_dup(r->arena, mu_str_from((const char *)name));
    mu_map_put(&r->anchor_numbers, key, (uint32_t)r->anchors.len);
    MU_VEC_PUSH(r->arena, &r->anchors, anchor);
    return (uint32_t)r->anchors.len;
}

/* ---- Events ---- */

enum tag { TAG_NONE = 0, TAG_STRING, TAG_PLAIN };

/* Tags of what JSON has say that a scalar is what it looks like, even in quotes; any other one that it is a string,
 * whatever it looks like. */
static enum tag tag_of(const yaml_char_t *tag) {
    static const char *const plain[] = {YAML_NULL_TAG, YAML_BOOL_TAG, YAML_INT_TAG, YAML_FLOAT_TAG};
    if (tag == NULL)
        return TAG_NONE;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp((const char *)tag, plain[i]) == 0)
            return TAG_PLAIN;
    return TAG_STRING;
}

static int on_scalar(struct yaml_reader *r) {
    const struct size size = {.values = 1, .depth = 1};
    struct mu_value value = {.type = MU_VALUE_STRING, .line = line_of(r->event.start_mark)};
    struct mu_str text = view(r->event.data.scalar.value, r->event.data.scalar.length);
    if (text.len > MU_LIMIT_STRING_BYTES)
        return YAML_FAIL(r, MU_E_LIMIT, value.line, "a string is too long");
    if (mu_str_index(text, '\0') >= 0)
        return YAML_FAIL(r, MU_E_PARSE, value.line, "a string has a NUL character in it");
    int code = check_size(r, size, value.line);
    if (code != MU_OK)
        return code;

    text = mu_str_dup(r->arena, text);
    bool plain = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    enum tag tag = tag_of(r->event.data.scalar.tag);
    if (tag == TAG_PLAIN || (tag == TAG_NONE && plain))
        mu_scalar_resolve(r->arena, text, &value);
    else
        value.text = text;
    add_anchor(r, r->event.data.scalar.anchor, &value, false);

    if (!wants_key(r)) {
        put_value(r, &value, size);
        return MU_OK;
    }
    if (value.type == MU_VALUE_NULL)
        return YAML_FAIL(r, MU_E_PARSE, value.line, "a key is null");
    bool merge = plain && tag == TAG_NONE && mu_str_eq(text, MU_STR("<<"));
    put_key(r, text, value.line, merge ? ENTRY_MERGE : ENTRY_OWN);
    return MU_OK;
}

static int on_alias(struct yaml_reader *r) {
    struct mu_str name = mu_str_from((const char *)r->event.data.alias.anchor);
    uint32_t line = line_of(r->event.start_mark), number;
    if (!mu_map_get(&r->anchor_numbers, name, &number))
        return YAML_FAIL(r, MU_E_PARSE, line, "alias *%s has no anchor before it", mu_shown(name).text);
    const struct anchor *anchor = &r->anchors.items[number];
    if (anchor->open)
        return YAML_FAIL(r, MU_E_PARSE, line, "alias *%s stands inside of what it means", mu_shown(name).text);
    struct mu_value value = anchor->value;
    if (wants_key(r)) {
        if (value.type != MU_VALUE_STRING && value.type != MU_VALUE_NUMBER)
            return YAML_FAIL(r, MU_E_PARSE, line, "a key is no string");
        put_key(r, value.text, line, ENTRY_OWN);
        return MU_OK;
    }
    r->alias_values += anchor->size.values;
    if (r->alias_values > MU_LIMIT_YAML_ALIAS_NODES)
        return YAML_FAIL(r, MU_E_LIMIT, line, "aliases stand for more than %d values", MU_LIMIT_YAML_ALIAS_NODES);
    int code = check_size(r, anchor->size, line);
    if (code != MU_OK)
        return code;
    value.line = line;
    put_value(r, &value, anchor->size);
    return MU_OK;
}

static int on_begin(struct yaml_reader *r, enum mu_value_type type, const yaml_char_t *anchor) {
    struct mu_value value = {.type = type, .line = line_of(r->event.start_mark)};
    struct size size = {.values = 1, .depth = 1};
    if (wants_key(r))
        return YAML_FAIL(r, MU_E_PARSE, value.line, "a key is an %s; it must be a string", mu_value_type_name(type));
    int code = check_size(r, size, value.line);
    if (code != MU_OK)
        return code;
    struct container container = {
        .type = type,
        .line = value.line,
        .first = r->entries.len,
        .anchor = add_anchor(r, anchor, &value, true),
        .size = size,
    };
    MU_VEC_PUSH(r->arena, &r->open, container);
    return MU_OK;
}

/* ---- The end of an object: keys ---- */

static int compare_keys(const void *a, const void *b, void *ctx) {
    const struct entry *entries = ctx;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    int order = mu_str_cmp(entries[i].field.key, entries[j].field.key);
    return order != 0 ? order : i < j ? -1 : i > j;
}

/* Of equal keys the first one counts; only one that came by a merge may stand behind it. */
static int settle_keys(struct yaml_reader *r, size_t first) {
    r->order.len = 0;
    for (size_t i = first; i < r->entries.len; i++)
        MU_VEC_PUSH(r->arena, &r->order, i);
    if (r->order.len < 2)
        return MU_OK;
    qsort_r(r->order.items, r->order.len, sizeof *r->order.items, compare_keys, r->entries.items);
    for (size_t i = 1; i < r->order.len; i++) {
        const struct entry *before = &r->entries.items[r->order.items[i - 1]];
        struct entry *entry = &r->entries.items[r->order.items[i]];
        if (!mu_str_eq(entry->field.key, before->field.key))
            continue;
        if (entry->kind != ENTRY_MERGED)
            return YAML_FAIL(r, MU_E_PARSE, entry->key_line, "key \"%s\" is there twice, first on line %u",
                             mu_shown(entry->field.key).text, before->key_line);
        entry->kind = ENTRY_HIDDEN;
    }
    return MU_OK;
}

static bool add_merged(struct yaml_reader *r, const struct mu_value *from) {
    if (from->type != MU_VALUE_OBJECT)
        return false;
    for (size_t i = 0; i < from->object.len; i++) {
        struct entry entry = {.field = from->object.fields[i], .key_line = from->line, .kind = ENTRY_MERGED};
        MU_VEC_PUSH(r->arena, &r->entries, entry);
    }
    return true;
}

/* Puts what `<<` names behind the object's own entries, objects that go first first. */
static int add_all_merged(struct yaml_reader *r, size_t first) {
    size_t end = r->entries.len;
    for (size_t i = first; i < end; i++) {
        if (r->entries.items[i].kind != ENTRY_MERGE)
            continue;
        struct mu_value from = r->entries.items[i].field.value; /* a copy: entries move as they grow */
        bool ok = from.type == MU_VALUE_ARRAY || add_merged(r, &from);
        for (size_t j = 0; ok && from.type == MU_VALUE_ARRAY && j < from.array.len; j++)
            ok = add_merged(r, &from.array.items[j]);
        if (!ok)
            return YAML_FAIL(r, MU_E_PARSE, from.line, "<< needs an object, or an array of objects");
    }
    return MU_OK;
}

static int make_object(struct yaml_reader *r, size_t first, struct mu_value *ret) {
    int code = add_all_merged(r, first);
    if (code == MU_OK)
        code = settle_keys(r, first);
    if (code != MU_OK)
        return code;
    struct mu_field *fields = MU_NEW_ARRAY(r->arena, struct mu_field, r->entries.len - first);
    size_t len = 0;
    for (size_t i = first; i < r->entries.len; i++) {
        const struct entry *entry = &r->entries.items[i];
        if (entry->kind == ENTRY_OWN || entry->kind == ENTRY_MERGED)
            fields[len++] = entry->field;
    }
    ret->object.fields = fields;
    ret->object.len = len;
    return MU_OK;
}

static void make_array(struct yaml_reader *r, size_t first, struct mu_value *ret) {
    size_t len = r->entries.len - first;
    struct mu_value *items = MU_NEW_ARRAY(r->arena, struct mu_value, len);
    for (size_t i = 0; i < len; i++)
        items[i] = r->entries.items[first + i].field.value;
    ret->array.items = items;
    ret->array.len = len;
}

static int on_end(struct yaml_reader *r) {
    struct container ended = *innermost(r);
    struct mu_value value = {.type = ended.type, .line = ended.line};
    if (ended.type == MU_VALUE_ARRAY) {
        make_array(r, ended.first, &value);
    } else {
        int code = make_object(r, ended.first, &value);
        if (code != MU_OK)
            return code;
    }
    r->entries.len = ended.first;
    r->open.len--;
    if (ended.anchor > 0)
        r->anchors.items[ended.anchor - 1] = (struct anchor){.value = value, .size = ended.size};
    put_value(r, &value, ended.size);
    return MU_OK;
}

/* ---- Documents ---- */

static int on_event(struct yaml_reader *r) {
    switch (r->event.type) {
    case YAML_SCALAR_EVENT:
        return on_scalar(r);
    case YAML_ALIAS_EVENT:
        return on_alias(r);
    case YAML_SEQUENCE_START_EVENT:
        return on_begin(r, MU_VALUE_ARRAY, r->event.data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return on_begin(r, MU_VALUE_OBJECT, r->event.data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_end(r);
    default:
        return MU_OK;
    }
}

/* Reads a document that has begun, and hands it on. */
static int read_document(struct yaml_reader *r) {
    struct mu_arena_mark mark = mu_arena_mark(r->arena);
    memset(&r->open, 0, sizeof r->open);
    memset(&r->entries, 0, sizeof r->entries);
    memset(&r->order, 0, sizeof r->order);
    memset(&r->anchors, 0, sizeof r->anchors);
    mu_map_init(&r->anchor_numbers, r->arena, 0);
    r->values = r->alias_values = 0;
    r->root = (struct mu_value){0};
    r->in_document = true;
    r->directives = 0;
    r->sink->documents++;

    int code = next_event(r);
    while (code == MU_OK && r->event.type != YAML_DOCUMENT_END_EVENT) {
        code = on_event(r);
        if (code == MU_OK)
            code = next_event(r);
    }
    if (code == MU_OK)
        code = mu_sink_deliver(r->sink, mu_source_name(r->source), &r->root, r->err);
    mu_arena_rollback(r->arena, mark);
    r->in_document = false;
    return code;
}

int mu_read_yaml(struct mu_arena *arena, struct mu_source *source, struct mu_sink *sink, struct mu_err *err) {
    struct yaml_reader *r = MU_NEW(arena, struct yaml_reader);
    *r = (struct yaml_reader){.arena = arena, .source = source, .sink = sink, .err = err};
    mu_arena_defer(arena, yaml_reader_release, r);
    mu_source_forbid_controls(source);
    r->parser_open = yaml_parser_initialize(&r->parser) != 0;
    if (!r->parser_open)
        return YAML_FAIL(r, MU_E_NOMEM, 0, "out of memory");
    yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input(&r->parser, read_text, r);
    if (mu_source_unread_line(source) > 0)
        r->parser.mark.line = mu_source_unread_line(source) - 1;
    for (;;) {
        int code = next_event(r);
        if (code == MU_OK && r->event.type == YAML_DOCUMENT_START_EVENT)
            code = read_document(r);
        if (code != MU_OK || r->event.type == YAML_STREAM_END_EVENT)
            return code;
    }
}
