/* Source: one input as checked text. Bytes come from a descriptor or from memory, are expanded where they are gzip, and
 * are looked at once on their way out, so that neither parser ever sees what is no text and every such fault is
 * reported with its line in the same words. */
#include "scheduler/objects/reader_internal.h"

#include "scheduler/base/limits.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK_BYTES = 64 * 1024 }; /* of one read: the calls no longer count, and it stays in the cache */

/* A UTF-8 sequence that is not complete yet. */
struct rune {
    uint32_t value;
    uint32_t least; /* smallest value that needs so many bytes */
    unsigned need;  /* bytes to come */
};

struct mu_source {
    struct mu_str name;
    int fd; /* -1: bytes in memory */
    bool fd_owned;
    struct mu_str bytes; /* in memory, what was not taken yet */
    bool gzip;
    bool zip_open;     /* inside a gzip member */
    bool raw_ended;    /* nothing comes after what stands in raw */
    bool text_ended;   /* nothing comes after what stands in text */
    z_stream zip;      /* input: raw */
    uint64_t raw_read; /* bytes */
    struct mu_source_limits limits;
    uint64_t text_read; /* bytes, as far as it is in `text` or was taken */
    size_t raw_from, raw_to, text_from, text_to;
    struct mu_str unread; /* text that was given back, to be taken again before anything else */
    uint32_t unread_line; /* of its first byte; 0: nothing was given back */
    bool no_controls;     /* see mu_source_forbid_controls() */
    struct rune rune;
    uint32_t line; /* of the next byte to be taken */
    struct mu_err failure;
    unsigned char raw[BLOCK_BYTES], text[BLOCK_BYTES];
};

static void source_release(void *ptr) {
    struct mu_source *source = ptr;
    if (source->zip_open)
        inflateEnd(&source->zip);
    if (source->fd_owned)
        close(source->fd);
}

static int too_large(struct mu_source *source) {
    return mu_reader_fail(&source->failure, MU_E_LIMIT, source->name, 0, 0,
                          "has more than %" PRIu64 " bytes, the limit for one file", source->limits.file_bytes);
}

/* ---- Bytes as they are stored ---- */

/* Reads into the room at raw_to. */
static int read_some(struct mu_source *source) {
    size_t room = BLOCK_BYTES - source->raw_to;
    if (source->fd < 0) {
        size_t len = source->bytes.len < room ? source->bytes.len : room;
        if (len > 0)
            memcpy(source->raw + source->raw_to, source->bytes.ptr, len);
        source->bytes = mu_str_slice(source->bytes, len, source->bytes.len);
        source->raw_to += len;
        source->raw_ended = source->bytes.len == 0;
        source->raw_read += len;
        return MU_OK;
    }
    ssize_t got;
    do {
        got = read(source->fd, source->raw + source->raw_to, room);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return mu_reader_fail(&source->failure, MU_E_IO, source->name, 0, 0, "cannot be read: %s", strerror(errno));
    source->raw_to += (size_t)got;
    source->raw_ended = got == 0;
    source->raw_read += (uint64_t)got;
    return MU_OK;
}

/* Makes at least one byte of raw available unless it has ended. */
static int fill_raw(struct mu_source *source) {
    if (source->raw_from < source->raw_to || source->raw_ended)
        return MU_OK;
    source->raw_from = source->raw_to = 0;
    int code = read_some(source);
    if (code == MU_OK && source->raw_read > source->limits.file_bytes)
        code = too_large(source);
    return code;
}

/* Bytes in front of everything else that is in raw; false where it ends before. */
static bool raw_starts(const struct mu_source *source, const char *bytes, size_t len) {
    return source->raw_to - source->raw_from >= len && memcmp(source->raw + source->raw_from, bytes, len) == 0;
}

/* ---- Bytes of the text ---- */

static int zip_failed(struct mu_source *source, int zlib_code) {
    int code = zlib_code == Z_MEM_ERROR ? MU_E_NOMEM : MU_E_PARSE;
    const char *what = source->zip.msg != NULL ? source->zip.msg : zError(zlib_code);
    return mu_reader_fail(&source->failure, code, source->name, 0, 0, "is broken gzip data: %s", what);
}

static int zip_begin(struct mu_source *source) {
    enum { GZIP_ONLY = 16 }; /* added to the window's bits: zlib's way to say it */
    source->zip = (z_stream){0};
    int zlib_code = inflateInit2(&source->zip, MAX_WBITS + GZIP_ONLY);
    if (zlib_code != Z_OK)
        return zip_failed(source, zlib_code);
    source->zip_open = true;
    return MU_OK;
}

/* A file may hold several gzip members, one after the other; their texts belong together. */
static int zip_end(struct mu_source *source) {
    inflateEnd(&source->zip);
    source->zip_open = false;
    int code = fill_raw(source);
    if (code == MU_OK && source->raw_from == source->raw_to)
        source->text_ended = true;
    return code;
}

/* Expands into the room at text_to until there is some text, or its end. */
static int fill_text_gzip(struct mu_source *source) {
    size_t before = source->text_to;
    while (source->text_to == before && !source->text_ended) {
        int code = fill_raw(source);
        if (code == MU_OK && !source->zip_open)
            code = zip_begin(source);
        if (code != MU_OK)
            return code;
        source->zip.next_in = source->raw + source->raw_from;
        source->zip.avail_in = (unsigned)(source->raw_to - source->raw_from);
        source->zip.next_out = source->text + source->text_to;
        source->zip.avail_out = (unsigned)(BLOCK_BYTES - source->text_to);
        int zlib_code = inflate(&source->zip, Z_NO_FLUSH);
        source->raw_from = source->raw_to - source->zip.avail_in;
        source->text_to = BLOCK_BYTES - source->zip.avail_out;
        if (zlib_code == Z_STREAM_END)
            code = zip_end(source);
        else if (zlib_code == Z_BUF_ERROR && source->raw_ended)
            code = mu_reader_fail(&source->failure, MU_E_PARSE, source->name, 0, 0,
                                  "is broken gzip data: it ends too early");
        else if (zlib_code != Z_OK && zlib_code != Z_BUF_ERROR)
            code = zip_failed(source, zlib_code);
        if (code != MU_OK)
            return code;
    }
    return MU_OK;
}

static int fill_text_plain(struct mu_source *source) {
    int code = fill_raw(source);
    if (code != MU_OK)
        return code;
    size_t room = BLOCK_BYTES - source->text_to, len = source->raw_to - source->raw_from;
    len = len < room ? len : room;
    memcpy(source->text + source->text_to, source->raw + source->raw_from, len);
    source->raw_from += len;
    source->text_to += len;
    source->text_ended = source->raw_from == source->raw_to && source->raw_ended;
    return MU_OK;
}

/* Adds to the text, where there is room and it has not ended. */
static int fill_text(struct mu_source *source) {
    size_t before = source->text_to;
    int code = source->gzip ? fill_text_gzip(source) : fill_text_plain(source);
    if (code != MU_OK)
        return code;
    uint64_t added = source->text_to - before;
    source->text_read += added;
    if (source->text_read > source->limits.file_bytes)
        return too_large(source);
    if (added > *source->limits.left)
        return mu_reader_fail(&source->failure, MU_E_LIMIT, source->name, 0, 0,
                              "passes the limit for all input together");
    *source->limits.left -= added;
    return MU_OK;
}

/* ---- Text as it is handed out ---- */

/* Characters that YAML forbids unless they are escaped. */
static bool is_control(uint32_t c) {
    return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || (c >= 0x7F && c < 0xA0 && c != 0x85) || c == 0xFEFF ||
           c == 0xFFFE || c == 0xFFFF;
}

/* True where the byte may follow what came before; a character that is complete is left in rune->value. */
static bool rune_add(struct rune *rune, unsigned char byte) {
    if (rune->need > 0) {
        rune->value = rune->value << 6 | (byte & 0x3F);
        rune->need--;
        bool surrogate = rune->value >= 0xD800 && rune->value <= 0xDFFF;
        return (byte & 0xC0) == 0x80 &&
               (rune->need > 0 || (rune->value >= rune->least && rune->value <= 0x10FFFF && !surrogate));
    }
    if (byte < 0x80)
        *rune = (struct rune){.value = byte};
    else if ((byte & 0xE0) == 0xC0)
        *rune = (struct rune){.value = byte & 0x1F, .least = 0x80, .need = 1};
    else if ((byte & 0xF0) == 0xE0)
        *rune = (struct rune){.value = byte & 0x0F, .least = 0x800, .need = 2};
    else if ((byte & 0xF8) == 0xF0)
        *rune = (struct rune){.value = byte & 0x07, .least = 0x10000, .need = 3};
    else
        return false;
    return true;
}

/* How many of the bytes are good; a fault is kept, for the read after they are used up. */
static size_t check_text(struct mu_source *source, const unsigned char *bytes, size_t len) {
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = bytes[i];
        if (source->rune.need == 0 && byte >= 0x20 && byte < 0x7F)
            continue; /* nearly all there is */
        if (!rune_add(&source->rune, byte)) {
            mu_reader_fail(&source->failure, MU_E_PARSE, source->name, 0, source->line,
                           "is not UTF-8 text (byte 0x%02X)", byte);
            return i;
        }
        if (source->rune.need > 0)
            continue;
        if (source->rune.value == '\n')
            source->line++;
        if (source->rune.value == 0 || (source->no_controls && is_control(source->rune.value))) {
            if (source->rune.value == 0)
                mu_reader_fail(&source->failure, MU_E_PARSE, source->name, 0, source->line, "a NUL byte: is no text");
            else
                mu_reader_fail(&source->failure, MU_E_PARSE, source->name, 0, source->line,
                               "a control character (U+%04" PRIX32 ")", source->rune.value);
            return i;
        }
    }
    return len;
}

void mu_source_unread(struct mu_source *source, struct mu_str text, uint32_t line) {
    source->unread = text;
    source->unread_line = line;
}

uint32_t mu_source_unread_line(const struct mu_source *source) {
    return source->unread_line;
}

static size_t read_again(struct mu_source *source, void *buf, size_t size) {
    size_t len = source->unread.len < size ? source->unread.len : size;
    memcpy(buf, source->unread.ptr, len);
    source->unread = mu_str_slice(source->unread, len, source->unread.len);
    return len;
}

size_t mu_source_read(struct mu_source *source, void *buf, size_t size) {
    if (source->unread.len > 0)
        return read_again(source, buf, size);
    if (source->failure.code != 0)
        return 0;
    while (source->text_from == source->text_to && !source->text_ended) {
        source->text_from = source->text_to = 0;
        if (fill_text(source) != MU_OK)
            return 0;
    }
    size_t len = source->text_to - source->text_from;
    if (len == 0 && source->rune.need > 0)
        mu_reader_fail(&source->failure, MU_E_PARSE, source->name, 0, source->line,
                       "is not UTF-8 text (it ends inside a character)");
    len = check_text(source, source->text + source->text_from, len < size ? len : size);
    memcpy(buf, source->text + source->text_from, len);
    source->text_from += len;
    return len;
}

void mu_source_forbid_controls(struct mu_source *source) {
    source->no_controls = true;
}

int mu_source_failure(const struct mu_source *source, struct mu_err *err) {
    if (source->failure.code != 0 && err != NULL)
        *err = source->failure;
    return source->failure.code;
}

struct mu_str mu_source_name(const struct mu_source *source) {
    return source->name;
}

bool mu_source_is_empty(const struct mu_source *source) {
    return source->text_read == 0 && source->text_ended;
}

/* The next character from *at on that is no white space, or 0; *at is moved behind it. */
static char next_visible(const struct mu_source *source, size_t *at) {
    while (*at < source->text_to) {
        char c = (char)source->text[(*at)++];
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
            return c;
    }
    return 0;
}

char mu_source_first(const struct mu_source *source) {
    size_t at = source->text_from;
    return next_visible(source, &at);
}

bool mu_source_looks_like_json(const struct mu_source *source) {
    size_t at = source->text_from;
    char first = next_visible(source, &at), second = next_visible(source, &at);
    if (first == '{') /* a key is quoted; YAML's flow mappings need not do that */
        return second == '"' || second == '}' || second == 0;
    return first == '[' && (second == 0 || strchr("[{\"]-0123456789tfn", second) != NULL);
}

/* ---- Opening ---- */

/* Looks at the first bytes: what they are packed in, and how they are encoded. */
static int source_begin(struct mu_source *source) {
    while (source->raw_to < 2 && !source->raw_ended) /* a pipe may give one at a time */
        if (read_some(source) != MU_OK)
            return source->failure.code;
    source->gzip = raw_starts(source, "\x1F\x8B", 2);

    while (!source->text_ended && source->text_to < BLOCK_BYTES &&
           (source->text_to < 3 || mu_source_first(source) == 0))
        if (fill_text(source) != MU_OK)
            return source->failure.code;
    if (source->text_to >= 2 && (memcmp(source->text, "\xFF\xFE", 2) == 0 || memcmp(source->text, "\xFE\xFF", 2) == 0))
        return mu_reader_fail(&source->failure, MU_E_PARSE, source->name, 0, 0,
                              "is UTF-16 text; save it as UTF-8, as Kubernetes writes it");
    if (source->text_to >= 3 && memcmp(source->text, "\xEF\xBB\xBF", 3) == 0)
        source->text_from = 3; /* a byte order mark */
    return MU_OK;
}

static struct mu_source *source_create(struct mu_arena *arena, struct mu_str name,
                                       const struct mu_source_limits *limits) {
    struct mu_source *source = mu_arena_alloc(arena, sizeof *source, alignof(struct mu_source));
    memset(source, 0, offsetof(struct mu_source, raw)); /* the blocks are written before they are read */
    source->name = name;
    source->limits = *limits;
    source->fd = -1;
    source->line = 1;
    mu_arena_defer(arena, source_release, source);
    return source;
}

int mu_source_open(struct mu_arena *arena, const char *path, struct mu_str name, const struct mu_source_limits *limits,
                   struct mu_source **ret, struct mu_err *err) {
    struct mu_source *source = source_create(arena, name, limits);
    source->fd_owned = strcmp(path, "-") != 0;
    source->fd = source->fd_owned ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;
    source->fd_owned = source->fd_owned && source->fd >= 0;
    if (source->fd < 0)
        return mu_reader_fail(err, MU_E_IO, name, 0, 0, "cannot be opened: %s", strerror(errno));
    *ret = source;
    return source_begin(source) == MU_OK ? MU_OK : mu_source_failure(source, err);
}

int mu_source_open_bytes(struct mu_arena *arena, struct mu_str bytes, struct mu_str name,
                         const struct mu_source_limits *limits, struct mu_source **ret, struct mu_err *err) {
    struct mu_source *source = source_create(arena, name, limits);
    source->bytes = bytes;
    *ret = source;
    return source_begin(source) == MU_OK ? MU_OK : mu_source_failure(source, err);
}
