/* Laying out and printing of tables; see table.h. */
#include "scheduler/cli/table.h"

enum {
    GAP = 2,           /* blanks between columns */
    BELOW_INDENT = 4,  /* of the sentences below a row */
    SHRUNK_LEAST = 16, /* columns that a name keeps */
    LAST_LEAST = 24,   /* columns that names are cut for, so that the last column can be read */
};

struct mu_row *mu_table_row(struct mu_table *table) {
    struct mu_cell *cells = MU_NEW_ARRAY(table->arena, struct mu_cell, table->columns_len);
    MU_VEC_PUSH(table->arena, &table->rows, (struct mu_row){.cells = cells});
    return &table->rows.items[table->rows.len - 1];
}

void mu_row_set(struct mu_table *table, struct mu_row *row, size_t column, struct mu_str text, enum mu_tone tone) {
    row->cells[column] = (struct mu_cell){mu_text_printable(table->arena, text), tone};
}

void mu_row_below(struct mu_table *table, struct mu_row *row, struct mu_str text) {
    if (text.len > 0)
        MU_VEC_PUSH(table->arena, &row->below, mu_text_printable(table->arena, text));
}

static size_t *natural_widths(const struct mu_table *table) {
    size_t *widths = MU_NEW_ARRAY(table->arena, size_t, table->columns_len);
    for (size_t c = 0; c < table->columns_len; c++)
        widths[c] = strlen(table->columns[c].title);
    for (size_t r = 0; r < table->rows.len; r++) {
        for (size_t c = 0; c < table->columns_len; c++) {
            size_t columns = mu_text_columns(table->rows.items[r].cells[c].text);
            if (columns > widths[c])
                widths[c] = columns;
        }
    }
    return widths;
}

/* Takes columns from the widest name until the last column has room, or no name has anything left to give. */
static void shrink(const struct mu_table *table, size_t *widths, size_t terminal_width) {
    size_t last = table->columns_len - 1;
    size_t needed = widths[last] < LAST_LEAST ? widths[last] : LAST_LEAST;
    for (size_t c = 0; c < last; c++)
        needed += widths[c] + GAP;
    while (needed > terminal_width) {
        size_t widest = SIZE_MAX;
        for (size_t c = 0; c < last; c++)
            if (table->columns[c].shrinks && widths[c] > SHRUNK_LEAST &&
                (widest == SIZE_MAX || widths[c] > widths[widest]))
                widest = c;
        if (widest == SIZE_MAX)
            return;
        widths[widest]--;
        needed--;
    }
}

/* The byte at which code point `nth` begins. */
static size_t byte_of(struct mu_str text, size_t nth) {
    size_t points = 0;
    for (size_t i = 0; i < text.len; i++)
        if (((unsigned char)text.ptr[i] & 0xC0) != 0x80 && points++ == nth)
            return i;
    return text.len;
}

/* Cut in the middle: what tells names of one kind apart stands at their end. */
static struct mu_str cut(struct mu_arena *arena, struct mu_str text, size_t width) {
    size_t columns = mu_text_columns(text);
    if (columns <= width)
        return text;
    size_t tail = (width - 2) / 2, head = width - 2 - tail;
    struct mu_str before = mu_str_slice(text, 0, byte_of(text, head));
    struct mu_str after = mu_str_slice(text, byte_of(text, columns - tail), text.len);
    return mu_str_printf(arena, MU_STR_FMT ".." MU_STR_FMT, MU_STR_ARG(before), MU_STR_ARG(after));
}

/* The same of each word that no line of the last column could hold. */
static struct mu_str cut_words(struct mu_arena *arena, struct mu_str text, size_t width) {
    struct mu_buf buf;
    mu_buf_init(&buf, arena);
    for (size_t i = 0, end; i < text.len; i = end + 1) {
        for (end = i; end < text.len && text.ptr[end] != ' ';)
            end++;
        if (i > 0)
            mu_buf_add_char(&buf, ' ');
        mu_buf_add(&buf, cut(arena, mu_str_slice(text, i, end), width));
    }
    return mu_buf_str(&buf);
}

/* What a person's terminal has room for of a cell that begins at `column`. */
static struct mu_str fit(const struct mu_table *table, const struct mu_terminal *terminal, const size_t *widths,
                         struct mu_str text, size_t c, size_t column) {
    if (!terminal->person)
        return text;
    if (c + 1 < table->columns_len)
        return cut(table->arena, text, widths[c]);
    bool room = terminal->width >= column + SHRUNK_LEAST;
    return room ? cut_words(table->arena, text, terminal->width - column) : text;
}

static void print_row(const struct mu_table *table, const struct mu_terminal *terminal, const size_t *widths,
                      const struct mu_cell *cells) {
    size_t last = table->columns_len - 1, at = 0, pending = 0;
    for (size_t c = 0; c <= last; c++) {
        struct mu_str text = fit(table, terminal, widths, cells[c].text, c, at);
        size_t columns = mu_text_columns(text), fill = columns < widths[c] ? widths[c] - columns : 0;
        size_t before = table->columns[c].right ? fill : 0;
        if (columns > 0) {
            fprintf(terminal->out, "%*s", (int)(pending + before), "");
            if (c == last && cells[c].tone == MU_TONE_PLAIN)
                mu_print_wrapped(terminal, text, at, at);
            else
                mu_print_toned(terminal, cells[c].tone, text);
            pending = GAP + fill - before;
        } else {
            pending += widths[c] + GAP;
        }
        at += widths[c] + GAP;
    }
    putc('\n', terminal->out);
}

void mu_table_print(const struct mu_table *table, const struct mu_terminal *terminal) {
    size_t *widths = natural_widths(table);
    if (terminal->person)
        shrink(table, widths, terminal->width);
    struct mu_cell *titles = MU_NEW_ARRAY(table->arena, struct mu_cell, table->columns_len);
    for (size_t c = 0; c < table->columns_len; c++)
        titles[c] = (struct mu_cell){mu_str_from(table->columns[c].title), MU_TONE_TITLE};
    print_row(table, terminal, widths, titles);
    for (size_t r = 0; r < table->rows.len; r++) {
        const struct mu_row *row = &table->rows.items[r];
        print_row(table, terminal, widths, row->cells);
        for (size_t i = 0; i < row->below.len; i++) {
            fprintf(terminal->out, "%*s", BELOW_INDENT, "");
            mu_print_wrapped(terminal, row->below.items[i], BELOW_INDENT, BELOW_INDENT);
            putc('\n', terminal->out);
        }
    }
}
