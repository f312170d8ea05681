/* Who reads standard output: a person at a terminal of some width, or a program. */
#ifndef MU_CLI_TERMINAL_H
#define MU_CLI_TERMINAL_H

#include "scheduler/base/str.h"
#include <stdio.h>

enum mu_tone { MU_TONE_PLAIN = 0, MU_TONE_TITLE, MU_TONE_GOOD, MU_TONE_WAIT, MU_TONE_BAD, MU_TONE_DIM };

struct mu_terminal {
    FILE *out;
    unsigned width; /* columns; 0: lines may be as long as they are */
    bool person;    /* a terminal: names that are too long for it may be cut */
    bool colour;
};

/* Standard output as it is: COLUMNS where the environment has it, else the terminal's width. Colours at a terminal
 * only, and not where NO_COLOR is set or TERM is "dumb". */
struct mu_terminal mu_terminal_stdout(void);

/* Columns that UTF-8 text takes: its code points. */
size_t mu_text_columns(struct mu_str text);

/* The text with control characters replaced by '?', so that a name in a snapshot cannot steer the terminal, nor an
 * error take more than one line. In the arena where anything had to be replaced. */
struct mu_str mu_text_printable(struct mu_arena *arena, struct mu_str text);

/* Prints text in a colour, where there are colours. */
void mu_print_toned(const struct mu_terminal *terminal, enum mu_tone tone, struct mu_str text);

/* Prints words with line ends wherever the next word would pass the last column. The cursor stands at `column` before
 * it; further lines begin with `indent` blanks. No line end at the end. */
void mu_print_wrapped(const struct mu_terminal *terminal, struct mu_str text, size_t column, size_t indent);

#endif
