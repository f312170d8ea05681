/* Tables for people: columns that fit the terminal, long texts below their row. */
#ifndef MU_CLI_TABLE_H
#define MU_CLI_TABLE_H

#include "scheduler/cli/terminal.h"

struct mu_column {
    const char *title;
    bool right;   /* numbers */
    bool shrinks; /* at a terminal that is too narrow its texts are cut in the middle; for names */
};

struct mu_cell {
    struct mu_str text;
    enum mu_tone tone;
};

struct mu_row {
    struct mu_cell *cells;       /* one for each column */
    MU_VEC(struct mu_str) below; /* sentences that follow the row, each on lines of its own */
};

/* The last column takes what is left of the line, and goes on in it where it is longer. */
struct mu_table {
    struct mu_arena *arena;
    const struct mu_column *columns;
    size_t columns_len;
    MU_VEC(struct mu_row) rows;
};

/* A new row at the end, all its cells empty; the pointer is valid until the next one. */
struct mu_row *mu_table_row(struct mu_table *table);
/* Text is made printable on the way in, see mu_text_printable. */
void mu_row_set(struct mu_table *table, struct mu_row *row, size_t column, struct mu_str text, enum mu_tone tone);
void mu_row_below(struct mu_table *table, struct mu_row *row, struct mu_str text);

void mu_table_print(const struct mu_table *table, const struct mu_terminal *terminal);

#endif
