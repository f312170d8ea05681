/* Expressions made to take time or memory: each ends at once, with a reason, or with what it is. */
#include "scheduler/devices/cel/cel_general.h"
#include "scheduler/devices/cel/eval.h"
#include "tests/lib/suite.h"

#include <string.h>

struct world {
    struct mu_arena *arena, *scratch;
    struct mu_buf text;
};

static void set_up(struct world *w) {
    w->arena = mu_arena_create(0, NULL);
    w->scratch = mu_arena_create(0, NULL);
    mu_buf_init(&w->text, w->arena);
}

static void tear_down(struct world *w) {
    mu_arena_destroy(w->scratch);
    mu_arena_destroy(w->arena);
}

static int run(struct world *w, struct mu_err *err) {
    static const struct mu_cel_device device = {.driver = {"d", 1}};
    const struct mu_cel *program;
    bool match;
    int64_t cost;
    int r = mu_cel_compile(w->arena, mu_buf_str(&w->text), MU_CEL_LIST_ATTRIBUTES, &program, err);
    if (r == 0)
        r = mu_cel_match(program, &device, w->scratch, &match, &cost, err);
    /* Memory stays within the budget, and what the arena keeps beside it. */
    ck_assert_uint_lt(mu_arena_bytes(w->scratch), 4 * (size_t)MU_CEL_BYTES_MAX);
    return r;
}

/* cel.bind(x1, FORM of x0, cel.bind(x2, FORM of x1, ... BODY of the last)): an @ is the variable. */
static void nest(struct world *w, int depth, const char *first, const char *form, const char *body) {
    mu_buf_printf(&w->text, "cel.bind(x0, %s, ", first);
    for (int i = 1; i <= depth; i++) {
        mu_buf_printf(&w->text, "cel.bind(x%d, ", i);
        for (const char *c = form; *c; c++)
            mu_buf_printf(&w->text, *c == '@' ? "x%d" : "%c", *c == '@' ? i - 1 : *c);
        mu_buf_add(&w->text, MU_STR(", "));
    }
    for (const char *c = body; *c; c++)
        mu_buf_printf(&w->text, *c == '@' ? "x%d" : "%c", *c == '@' ? depth : *c);
    for (int i = 0; i <= depth; i++)
        mu_buf_add_char(&w->text, ')');
}

static const struct {
    int depth;
    const char *first, *form, *body;
    int code;
    const char *text;
} bombs[] = {
    {40, "[1]", "[@, @]", "@ == @", MU_E_LIMIT, "too many steps"},
    {60, "1", "{'a': @, 'b': @}", "@ == @", MU_E_LIMIT, "too many steps"},
    {60, "{1: 1}", "{@: @}", "size(@) == 1", MU_E_INVALID, "too large"},
    {60, "'aaaaaaaaaa'", "@ + @", "size(@) > 0", MU_E_LIMIT, "cost limit exceeded"},
    {8, "'aaaaaaaaaa'", "@.replace('a', @)", "size(@) > 0", MU_E_LIMIT, "too much memory"},
    {60, "[1]", "@ + @", "size(@) > 0", MU_E_LIMIT, "too much memory"},
    {30, "[1]", "[@, @]", "'%s'.format([@]).size() > 0", MU_E_LIMIT, "too much memory"},
    {30, "[1]", "[@, @]", "dyn(@).flatten(100).size() > 0", MU_E_LIMIT, "too much memory"},
    {40, "[1]", "[@, @]", "@.includes(1)", MU_E_LIMIT, "too many steps"},
    {16, "'aaaaaaaaaaaaaaaa'", "@ + @", "@.contains(@ + 'b')", MU_E_LIMIT, "cost limit exceeded"},
    {10, "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'", "@ + @", "@.matches('(a*)*b')", 0, ""},
    {0, "1", "", "lists.range(9223372036854775807).size() > 0", MU_E_LIMIT, "too much memory"},
    {0, "1", "", "lists.range(1000).all(a, lists.range(1000).all(b, lists.range(9).all(c, true)))", MU_E_LIMIT,
     "cost limit exceeded"},
    {0, "1", "", "lists.range(100000).distinct().size() > 0", MU_E_LIMIT, "too many steps"},
    {0, "1", "", "lists.range(3000).exists(i, device.driver.matches('(x{50}){10}' + string(i)))", MU_E_INVALID,
     "too many different regular expressions"},
    {0, "1", "", "device.driver.matches('((a{100}){100}){100}')", MU_E_INVALID, "invalid matches argument"},
    {0, "1", "", "'%.999999999f'.format([1.5]) == ''", MU_E_INVALID, "precision exceeds the maximum"},
    {0, "1", "", "quantity('1e999999999999999999').isInteger()", 0, ""},
};

START_TEST(test_bomb) {
    struct world w;
    struct mu_err err = {0};
    set_up(&w);
    nest(&w, bombs[_i].depth, bombs[_i].first, bombs[_i].form, bombs[_i].body);
    int r = run(&w, &err);
    ck_assert_msg(r == bombs[_i].code && strstr(err.text, bombs[_i].text) != NULL, "%s: %d %s", bombs[_i].body, r,
                  err.text);
    tear_down(&w);
}
END_TEST

/* The same thing, over and over, up to the longest text. */
static const struct {
    const char *before, *part, *after;
    int times;
    int code;
} long_texts[] = {
    {"", "(", "", 5000, MU_E_INVALID},
    {"", "!", "true", 9000, 0},
    {"", "-", "1 == 1", 9000, 0},
    {"", "[", "", 9000, MU_E_INVALID},
    {"device", ".a", "", 3000, MU_E_INVALID},
    {"1", " + 1", " == 1", 200, 0},
    {"1", " + 1", " == 1", 2000, MU_E_INVALID},
    {"true", " && true", "", 1200, 0},
    {"optional.of(1)", ".optMap(x, x)", ".hasValue()", 6, 0},
    {"optional.of(1)", ".optMap(x, x)", ".hasValue()", 40, MU_E_INVALID},
    {"[1]", ".map(x, x)", " == [1]", 90, 0},
    {"'", "\\U0010ffff", "'.size() == 1", 1000, 0},
    {"", "`", "", 9000, MU_E_INVALID},
    {"true", "", " // a comment to the end", 1, 0},
    {"", " ", "true", 10241, MU_E_INVALID},
};

START_TEST(test_long_text) {
    struct world w;
    struct mu_err err = {0};
    set_up(&w);
    mu_buf_add(&w.text, mu_str_from(long_texts[_i].before));
    for (int i = 0; i < long_texts[_i].times; i++)
        mu_buf_add(&w.text, mu_str_from(long_texts[_i].part));
    mu_buf_add(&w.text, mu_str_from(long_texts[_i].after));
    int r = run(&w, &err);
    ck_assert_msg(r == long_texts[_i].code, "%s...: %d %s", long_texts[_i].part, r, err.text);
    tear_down(&w);
}
END_TEST

/* Values nested deeper than expressions can be: walking them is refused before the stack ends. */
START_TEST(test_deep_value) {
    struct world w;
    struct mu_err err = {0};
    set_up(&w);
    nest(&w, 90, "[1]", "[[[[[[[[[[[[[[[[[[[[@]]]]]]]]]]]]]]]]]]]]", "@ == @");
    ck_assert_int_eq(run(&w, &err), MU_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.text, "nested too deeply"));
    tear_down(&w);
}
END_TEST

/* An evaluation leaves nothing behind in the scratch arena. */
START_TEST(test_rollback) {
    struct world w;
    struct mu_err err = {0};
    static const struct mu_cel_device device = {.driver = {"d", 1}};
    const struct mu_cel *program;
    bool match;
    set_up(&w);
    ck_assert(mu_cel_compile(w.arena,
                             MU_STR("lists.range(1000).map(x, string(x)).join('') != '' && 'a'.matches("
                                    "device.driver)"),
                             0, &program, &err) == 0);
    size_t held = 0;
    for (int i = 0; i < 100; i++) {
        ck_assert(mu_cel_match(program, &device, w.scratch, &match, NULL, &err) == 0);
        if (i == 10) /* what an arena keeps to spare is settled */
            held = mu_arena_bytes(w.scratch);
    }
    ck_assert_uint_le(mu_arena_bytes(w.scratch), held);
    tear_down(&w);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, test_bomb, 0, (int)(sizeof bombs / sizeof *bombs));
    tcase_add_loop_test(tests, test_long_text, 0, (int)(sizeof long_texts / sizeof *long_texts));
    tcase_add_test(tests, test_deep_value);
    tcase_add_test(tests, test_rollback);
}

int main(void) {
    return mu_suite_run("limits", add);
}
