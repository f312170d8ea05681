/* Width, colours and safe text; see terminal.h. */
#include "scheduler/cli/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    WIDTH_LEAST = 40,   /* narrower than this nothing can be laid out */
    WIDTH_MOST = 10000, /* wider than this is no terminal */
    WRAP_LEAST = 12,    /* columns in which wrapping makes sense; in fewer the terminal does as well */
};

static unsigned stdout_width(bool person) {
    int64_t columns;
    const char *set = getenv("COLUMNS");
    if (set && mu_str_to_i64(mu_str_from(set), &columns) && columns > 0 && columns < WIDTH_MOST)
        return columns < WIDTH_LEAST ? WIDTH_LEAST : (unsigned)columns;
    struct winsize size;
    if (!person || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return person ? 80 : 0;
    return size.ws_col < WIDTH_LEAST ? WIDTH_LEAST : size.ws_col;
}

struct mu_terminal mu_terminal_stdout(void) {
    bool person = isatty(STDOUT_FILENO);
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    bool dumb = !term || strcmp(term, "dumb") == 0;
    return (struct mu_terminal){
        .out = stdout,
        .width = stdout_width(person),
        .person = person,
        .colour = person && !dumb && !(no_colour && *no_colour),
    };
}

size_t mu_text_columns(struct mu_str text) {
    size_t columns = 0;
    for (size_t i = 0; i < text.len; i++)
        columns += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
    return columns;
}

/* A control character of ASCII, or the second byte of one of Unicode's C1 set (U+0080 to U+009F). */
static bool is_control(struct mu_str text, size_t i) {
    unsigned char c = (unsigned char)text.ptr[i];
    return c < 0x20 || c == 0x7F || (c < 0xA0 && i > 0 && c >= 0x80 && (unsigned char)text.ptr[i - 1] == 0xC2);
}

struct mu_str mu_text_printable(struct mu_arena *arena, struct mu_str text) {
    size_t first = 0;
    while (first < text.len && !is_control(text, first))
        first++;
    if (first == text.len)
        return text;
    char *copy = mu_arena_alloc(arena, text.len, 1);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool control = is_control(text, i);
        if (control && (unsigned char)text.ptr[i] >= 0x80)
            len--;
        copy[len++] = control ? '?' : text.ptr[i];
    }
    return (struct mu_str){copy, len};
}

void mu_print_toned(const struct mu_terminal *terminal, enum mu_tone tone, struct mu_str text) {
    static const char *const codes[] = {
        [MU_TONE_TITLE] = "\033[1m", [MU_TONE_GOOD] = "\033[32m", [MU_TONE_WAIT] = "\033[33m",
        [MU_TONE_BAD] = "\033[31m",  [MU_TONE_DIM] = "\033[2m",
    };
    bool coloured = terminal->colour && tone != MU_TONE_PLAIN && text.len > 0;
    if (coloured)
        fputs(codes[tone], terminal->out);
    fwrite(text.ptr ? text.ptr : "", 1, text.len, terminal->out);
    if (coloured)
        fputs("\033[0m", terminal->out);
}

/* Is there " (12)" at `at`? */
static bool is_count(struct mu_str text, size_t at) {
    if (text.len - at < 4 || text.ptr[at + 1] != '(')
        return false;
    size_t digits = 0;
    while (at + 2 + digits < text.len && text.ptr[at + 2 + digits] >= '0' && text.ptr[at + 2 + digits] <= '9')
        digits++;
    return digits > 0 && at + 2 + digits < text.len && text.ptr[at + 2 + digits] == ')';
}

/* Where the word that begins at `from` ends. A number in parentheses belongs to the word before it: "n1 (2)". */
static size_t word_end(struct mu_str text, size_t from) {
    size_t end = from;
    while (end < text.len && (text.ptr[end] != ' ' || is_count(text, end)))
        end++;
    return end;
}

void mu_print_wrapped(const struct mu_terminal *terminal, struct mu_str text, size_t column, size_t indent) {
    bool first = true, wraps = terminal->width >= indent + WRAP_LEAST;
    for (size_t i = 0; i < text.len;) {
        if (text.ptr[i] == ' ') {
            i++;
            continue;
        }
        size_t end = word_end(text, i);
        struct mu_str word = mu_str_slice(text, i, end);
        size_t columns = mu_text_columns(word);
        if (!first && wraps && column + 1 + columns > terminal->width) {
            fprintf(terminal->out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            putc(' ', terminal->out);
            column++;
        }
        mu_print_toned(terminal, MU_TONE_PLAIN, word);
        column += columns;
        first = false;
        i = end;
    }
}
