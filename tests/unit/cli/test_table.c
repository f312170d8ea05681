/* Tables and texts for people: widths, wrapping, cutting, and names that try to steer the terminal. */
#include "scheduler/cli/table.h"
#include "tests/lib/suite.h"

#include <stdlib.h>

static struct mu_arena *arena;
static char *bytes;
static size_t bytes_len;
static struct mu_terminal terminal;

static void setup(void) {
    arena = mu_arena_create(0, NULL);
    bytes = NULL;
    terminal = (struct mu_terminal){.out = open_memstream(&bytes, &bytes_len)};
}

static void teardown(void) {
    free(bytes);
    mu_arena_destroy(arena);
}

static const char *printed(void) {
    fclose(terminal.out);
    return bytes;
}

static const struct mu_column columns[] = {{.title = "NAME", .shrinks = true},
                                           {.title = "N", .right = true},
                                           {.title = "WHAT"}};

static struct mu_table make_table(const char *const *cells, size_t rows) {
    struct mu_table table = {.arena = arena, .columns = columns, .columns_len = 3};
    for (size_t r = 0; r < rows; r++) {
        struct mu_row *row = mu_table_row(&table);
        for (size_t c = 0; c < 3; c++)
            mu_row_set(&table, row, c, mu_str_from(cells[r * 3 + c]), MU_TONE_PLAIN);
    }
    return table;
}

START_TEST(columns_line_up) {
    static const char *const cells[] = {"a", "1", "x", "long-name", "100", "", "", "", "y"};
    const struct mu_table table = make_table(cells, 3);
    mu_table_print(&table, &terminal);
    ck_assert_str_eq(printed(), "NAME         N  WHAT\n"
                                "a            1  x\n"
                                "long-name  100\n"
                                "                y\n");
}
END_TEST

START_TEST(sentences_stand_below) {
    static const char *const cells[] = {"a", "1", "x"};
    struct mu_table table = make_table(cells, 1);
    mu_row_below(&table, &table.rows.items[0], MU_STR("one two three four five six seven eight nine ten"));
    mu_row_below(&table, &table.rows.items[0], MU_STR(""));
    terminal.width = 40;
    mu_table_print(&table, &terminal);
    ck_assert_str_eq(printed(), "NAME  N  WHAT\n"
                                "a     1  x\n"
                                "    one two three four five six seven\n"
                                "    eight nine ten\n");
}
END_TEST

START_TEST(a_count_stays_with_its_name) {
    terminal.width = 40;
    mu_print_wrapped(&terminal, MU_STR("a-rather-long-name-of-a (2), node-no-2 (13), (x) (4"), 0, 2);
    ck_assert_str_eq(printed(), "a-rather-long-name-of-a (2),\n"
                                "  node-no-2 (13), (x) (4");
}
END_TEST

START_TEST(long_lines_stay_long_for_programs) {
    static const char *const cells[] = {"a-name-that-is-far-longer-than-any-terminal-would-like-to-have-it", "1",
                                        "word word word word word word word word word word word word word word"};
    const struct mu_table table = make_table(cells, 1);
    mu_table_print(&table, &terminal);
    const char *text = printed();
    ck_assert_ptr_nonnull(strstr(text, cells[0]));
    ck_assert_ptr_nonnull(strstr(text, cells[2]));
}
END_TEST

START_TEST(nothing_passes_the_width_of_a_terminal) {
    static const char *const cells[] = {"namespace/a-name-that-is-far-longer-than-any-terminal-would-like-it-0", "1",
                                        "word word word word word word word word word word word word word word"};
    const struct mu_table table = make_table(cells, 1);
    terminal.width = (unsigned)_i;
    terminal.person = true;
    mu_table_print(&table, &terminal);
    const char *text = printed();
    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        ck_assert_msg(len <= (size_t)_i, "%zu columns of %d: %s", len, _i, text);
        line += len + 1;
    }
    /* The end of a name is what tells it from its siblings. */
    ck_assert_ptr_nonnull(strstr(text, "it-0"));
    ck_assert_ptr_nonnull(strstr(text, ".."));
}
END_TEST

START_TEST(characters_are_columns) {
    static const char *const cells[] = {"\xc3\xa9\xc3\xa9", "1", "x", "abc", "2", "y"};
    const struct mu_table table = make_table(cells, 2);
    mu_table_print(&table, &terminal);
    ck_assert_str_eq(printed(), "NAME  N  WHAT\n"
                                "\xc3\xa9\xc3\xa9    1  x\n"
                                "abc   2  y\n");
}
END_TEST

static const struct {
    struct mu_str text;
    const char *printable;
} texts[] = {
    {{"", 0}, ""},
    {{"plain", 5}, "plain"},
    {{"a\033[31mb", 7}, "a?[31mb"},
    {{"a\nb\tc\x7f", 6}, "a?b?c?"},
    {{"\xc2\x9b"
      "31m",
      5},
     "?31m"},
    {{"\xc3\xa9\xc2\xa0", 4}, "\xc3\xa9\xc2\xa0"},
    {{"\xe2\x80\x9c", 3}, "\xe2\x80\x9c"},
    {{"\x9b", 1}, "\x9b"},
};

START_TEST(controls_are_replaced) {
    struct mu_str text = mu_text_printable(arena, texts[_i].text);
    ck_assert_msg(mu_str_eq(text, mu_str_from(texts[_i].printable)), MU_STR_FMT, MU_STR_ARG(text));
    fclose(terminal.out);
}
END_TEST

START_TEST(colours_only_where_wanted) {
    mu_print_toned(&terminal, MU_TONE_BAD, MU_STR("x"));
    terminal.colour = true;
    mu_print_toned(&terminal, MU_TONE_BAD, MU_STR("y"));
    mu_print_toned(&terminal, MU_TONE_PLAIN, MU_STR("z"));
    ck_assert_str_eq(printed(), "x\033[31my\033[0mz");
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, columns_line_up);
    tcase_add_test(tests, sentences_stand_below);
    tcase_add_test(tests, a_count_stays_with_its_name);
    tcase_add_test(tests, long_lines_stay_long_for_programs);
    tcase_add_loop_test(tests, nothing_passes_the_width_of_a_terminal, 40, 80);
    tcase_add_test(tests, characters_are_columns);
    tcase_add_loop_test(tests, controls_are_replaced, 0, sizeof texts / sizeof texts[0]);
    tcase_add_test(tests, colours_only_where_wanted);
}

int main(void) {
    return mu_suite_run("table", add);
}
