/* The reader of JSON. */
#include "scheduler/base/limits.h"
#include "scheduler/objects/reader.h"
#include "tests/lib/random.h"
#include "tests/lib/suite.h"
#include "tests/unit/objects/show.h"

static struct mu_arena *arena;
static struct mu_show show;
static struct mu_err err;

static void setup(void) {
    arena = mu_arena_create(0, NULL);
    ck_assert_ptr_nonnull(arena);
    show = (struct mu_show){0};
    mu_buf_init(&show.buf, arena);
    mu_buf_add(&show.buf, MU_STR(""));
    err = (struct mu_err){0};
}

static void teardown(void) {
    mu_arena_destroy(arena);
}

static int read_str(struct mu_str text) {
    return mu_read_bytes(text, MU_STR("f.json"), mu_show_document, &show, &err);
}

static const struct {
    const char *json, *documents;
} good[] = {
    {"{}", "1:1 {}\n"},
    {"[]", "1:1 []\n"},
    {" \t\r\n{}\n", "1:2 {}\n"},
    {"\xEF\xBB\xBF{}", "1:1 {}\n"},
    {"{\"a\":[true,false,null,\"x\",{}]}", "1:1 {\"a\":[true,false,null,\"x\",{}]}\n"},
    {"{ \"a\" : [ 1 , 2 ] , \"b\" : { \"c\" : [ ] } }", "1:1 {\"a\":[1,2],\"b\":{\"c\":[]}}\n"},
    {"{\"z\":1,\"a\":2,\"\":3}", "1:1 {\"z\":1,\"a\":2,\"\":3}\n"},
    /* Several documents. */
    {"{}[]{}", "1:1 {}\n2:1 []\n3:1 {}\n"},
    {"{\n}\n\n[1] [\n2]", "1:1 {}\n2:4 [1]\n3:4 [2]\n"},
    /* Strings. */
    {"[\"\\u00e9\\ud83d\\ude00\\n\\\\\\\"\\/\"]", "1:1 [\"\xC3\xA9\xF0\x9F\x98\x80\\u000a\\\\\\\"/\"]\n"},
    {"[\"a,b:c{d}[e] 1 -2\", \"\\\\\", \"x\\\"1\"]", "1:1 [\"a,b:c{d}[e] 1 -2\",\"\\\\\",\"x\\\"1\"]\n"},
    {"{\"a\\n\\\"b\":1,\"\\u0061\":2}", "1:1 {\"a\\u000a\\\"b\":1,\"a\":2}\n"},
    {"[\"\x7F\xC2\x80\xEF\xBB\xBF\"]", "1:1 [\"\x7F\xC2\x80\xEF\xBB\xBF\"]\n"},
    /* Numbers stay what they are. */
    {"[0,-0,1,-1,10,1.5,0.10,1e3,1E-3,1e+3,-1.5e10]", "1:1 [0,-0,1,-1,10,1.5,0.10,1e3,1E-3,1e+3,-1.5e10]\n"},
    {"[9223372036854775807,9223372036854775808,-9223372036854775809]",
     "1:1 [9223372036854775807,9223372036854775808,-9223372036854775809]\n"},
    {"[123456789012345678901234567890,0.1234567890123456789012,1e400,-1e400,1e-400]",
     "1:1 [123456789012345678901234567890,0.1234567890123456789012,1e400,-1e400,1e-400]\n"},
    {"{\"1e5\":1e5,\"-\":-5}", "1:1 {\"1e5\":1e5,\"-\":-5}\n"},
    {"[1\n,\n2\n]", "1:1 [1,2]\n"},
};

START_TEST(documents) {
    ck_assert_msg(read_str(mu_str_from(good[_i].json)) == MU_OK, "%s", err.text);
    ck_assert_str_eq(show.buf.ptr, good[_i].documents);
}
END_TEST

START_TEST(values_have_lines) {
    show.lines = true;
    ck_assert_int_eq(read_str(MU_STR("\n{\"a\":\n 1,\n\"b\": [\n\"x\",\n{}],\n\"c\":\"y\\n\",\"d\":true}\n\n[null]")),
                     MU_OK);
    ck_assert_str_eq(show.buf.ptr, "1:2 {\"a\":1@3,\"b\":[\"x\"@5,{}@6]@4,\"c\":\"y\\u000a\"@7,\"d\":true@7}@2\n"
                                   "2:9 [null@9]@9\n");
}
END_TEST

#define TEXT(literal)                                                                                                  \
    { (literal), sizeof(literal) - 1 } /* MU_STR is no constant, says ISO C */

static const struct {
    struct mu_str json;
    int code;
    const char *error;
} bad[] = {
    {TEXT(""), MU_E_PARSE, "f.json: is empty"},
    {TEXT(" \n"), MU_E_PARSE, "f.json: has no document in it"},
    {TEXT("{"), MU_E_PARSE, "f.json: document 1, line 1: string or '}' expected near end of file (column 1)"},
    {TEXT("{\"a\":\n [1, 2"), MU_E_PARSE, "f.json: document 1, line 2: ']' expected near end of file (column 6)"},
    {TEXT("{}\n {\"a\" 1}"), MU_E_PARSE, "f.json: document 2, line 2: ':' expected (column 7)"},
    {TEXT("{} x"), MU_E_PARSE, "f.json: document 2, line 1: '[' or '{' expected (column 4)"},
    {TEXT("a: 1\n"), MU_E_PARSE, "f.json: document 1, line 1: '[' or '{' expected (column 1)"},
    {TEXT("null"), MU_E_PARSE, "f.json: document 1, line 1: '[' or '{' expected (column 4)"},
    {TEXT("{'a':1}"), MU_E_PARSE, "f.json: document 1, line 1: string or '}' expected (column 2)"},
    {TEXT("[1,]"), MU_E_PARSE, "f.json: document 1, line 1: unexpected token (column 4)"},
    {TEXT("[1 2]"), MU_E_PARSE, "f.json: document 1, line 1: ']' expected (column 4)"},
    {TEXT("[tru]"), MU_E_PARSE, "f.json: document 1, line 1: invalid token (column 4)"},
    {TEXT("{\"a\":1,\n\"a\":2}"), MU_E_PARSE,
     "f.json: document 1, line 2: duplicate object key near '\"a\"' (column 3)"},
    {TEXT("{\"a\":1,\"\\u0061\":2}"), MU_E_PARSE,
     "f.json: document 1, line 1: duplicate object key near '\"\\u0061\"' (column 15)"},
    {TEXT("[\n01]"), MU_E_PARSE, "f.json: document 1, line 2: \"01\" is no number"},
    {TEXT("[-]"), MU_E_PARSE, "f.json: document 1, line 1: \"-\" is no number"},
    {TEXT("[1.]"), MU_E_PARSE, "f.json: document 1, line 1: \"1.\" is no number"},
    {TEXT("[1e]"), MU_E_PARSE, "f.json: document 1, line 1: \"1e\" is no number"},
    {TEXT("[1.5.5]"), MU_E_PARSE, "f.json: document 1, line 1: \"1.5.5\" is no number"},
    {TEXT("[--1]"), MU_E_PARSE, "f.json: document 1, line 1: \"--1\" is no number"},
    {TEXT("[1-1]"), MU_E_PARSE, "f.json: document 1, line 1: \"1-1\" is no number"},
    {TEXT("[.5]"), MU_E_PARSE, "f.json: document 1, line 1: invalid token (column 2)"},
    {TEXT("[+5]"), MU_E_PARSE, "f.json: document 1, line 1: invalid token (column 2)"},
    {TEXT("[0x1]"), MU_E_PARSE, "f.json: document 1, line 1: ']' expected (column 3)"},
    {TEXT("[NaN]"), MU_E_PARSE, "f.json: document 1, line 1: invalid token (column 4)"},
    {TEXT("[\"a\n\"]"), MU_E_PARSE, "f.json: document 1, line 1: unexpected newline (column 3)"},
    {TEXT("[\"a\001\"]"), MU_E_PARSE, "f.json: document 1, line 1: control character 0x1 (column 3)"},
    {TEXT("[\"\\ud83d\"]"), MU_E_PARSE, "f.json: document 1, line 1: invalid Unicode '\\uD83D' (column 9)"},
    {TEXT("[\"\\x\"]"), MU_E_PARSE, "f.json: document 1, line 1: invalid escape (column 4)"},
    {TEXT("[\"x\\u0000\"]"), MU_E_PARSE, "f.json: document 1, line 1: a string has a NUL character in it"},
    {TEXT("{\"x\\u0000\":1}"), MU_E_PARSE, "f.json: document 1, line 1: a string has a NUL character in it"},
    {TEXT("[1,\n\0 2]"), MU_E_PARSE, "f.json: line 2: a NUL byte: is no text"},
    {TEXT("[\n\"\xFF\"]"), MU_E_PARSE, "f.json: line 2: is not UTF-8 text (byte 0xFF)"},
    {TEXT("[\"\xE2\x82"), MU_E_PARSE, "f.json: line 1: is not UTF-8 text (it ends inside a character)"},
};

START_TEST(what_is_bad_is_said_in_one_line) {
    int code = read_str(bad[_i].json);
    ck_assert_msg(code == bad[_i].code, "%s: %d %s", bad[_i].json.ptr, code, err.text);
    ck_assert_str_eq(err.text, bad[_i].error);
}
END_TEST

/* The first of two faults is the one that is told, also where the second is read already. */
START_TEST(the_first_fault_counts) {
    ck_assert_int_eq(read_str(MU_STR("[\n,\n\xFF]")), MU_E_PARSE);
    ck_assert_str_eq(err.text, "f.json: document 1, line 2: unexpected token (column 1)");
}
END_TEST

START_TEST(documents_come_one_by_one) {
    ck_assert_int_eq(read_str(MU_STR("{}\n[1]\n[\xFF")), MU_E_PARSE);
    ck_assert_str_eq(show.buf.ptr, "1:1 {}\n2:2 [1]\n");
    ck_assert_str_eq(err.text, "f.json: line 3: is not UTF-8 text (byte 0xFF)");
}
END_TEST

/* What a file holds is seen from its first character, whatever it is called. */
START_TEST(the_form_is_seen) {
    ck_assert_int_eq(mu_read_bytes(MU_STR(" {\"a\":\"\\ud83d\\ude00\"}"), MU_STR("-"), mu_show_document, &show, &err),
                     MU_OK);
    ck_assert_int_eq(mu_read_bytes(MU_STR("[1, 2]"), MU_STR("f.yaml"), mu_show_document, &show, &err), MU_OK);
    ck_assert_str_eq(show.buf.ptr, "1:1 {\"a\":\"\xF0\x9F\x98\x80\"}\n1:1 [1,2]\n");
}
END_TEST

/* ---- Size ---- */

static struct mu_str nested(const char *before, const char *open, const char *close, size_t depth) {
    struct mu_buf buf;
    mu_buf_init(&buf, arena);
    mu_buf_add(&buf, mu_str_from(before));
    for (size_t i = 0; i < depth; i++)
        mu_buf_add(&buf, mu_str_from(open));
    for (size_t i = 0; i < depth; i++)
        mu_buf_add(&buf, mu_str_from(close));
    return mu_buf_str(&buf);
}

START_TEST(depth_is_limited) {
    static const char error[] = "f.json: document 1, line 1: is nested deeper than 512 levels";
    ck_assert_int_eq(read_str(nested("", "[", "]", MU_LIMIT_JSON_DEPTH)), MU_OK);
    ck_assert_int_eq(read_str(nested("", "[", "]", MU_LIMIT_JSON_DEPTH + 1)), MU_E_LIMIT);
    ck_assert_str_eq(err.text, error);
    ck_assert_int_eq(read_str(nested("", "[", "", 1000000)), MU_E_LIMIT);
    ck_assert_str_eq(err.text, error);
    ck_assert_int_eq(read_str(nested("", "{\"a\":", "", 1000000)), MU_E_LIMIT);
    ck_assert_str_eq(err.text, error);
}
END_TEST

START_TEST(a_string_is_limited) {
    size_t len = MU_LIMIT_STRING_BYTES;
    char *text = mu_arena_alloc(arena, len + 5, 1);
    memset(text, 'x', len + 5);
    memcpy(text, "[\"", 2);
    memcpy(text + len + 2, "\"]", 2);
    ck_assert_int_eq(read_str((struct mu_str){text, len + 4}), MU_OK);
    memcpy(text + len + 2, "x\"]", 3);
    ck_assert_int_eq(read_str((struct mu_str){text, len + 5}), MU_E_LIMIT);
    ck_assert_str_eq(err.text, "f.json: document 1, line 1: a string is too long");
}
END_TEST

static int count_documents(void *ctx, const struct mu_value *document, const struct mu_place *place,
                           struct mu_err *reason) {
    (void)document, (void)reason;
    ck_assert_uint_eq(place->document, ++*(uint32_t *)ctx);
    ck_assert_uint_eq(place->line, place->document);
    return MU_OK;
}

START_TEST(many_small_documents) {
    enum { COUNT = 100000 };
    uint32_t count = 0;
    ck_assert_int_eq(mu_read_bytes(nested("", "{}\n", "", COUNT), MU_STR("f"), count_documents, &count, &err), MU_OK);
    ck_assert_uint_eq(count, COUNT);
}
END_TEST

/* ---- Random documents, read as they were written ---- */

static void add_space(struct mu_random *random, struct mu_buf *buf) {
    for (uint64_t n = mu_random_below(random, 8); n >= 6; n--)
        mu_buf_add_char(buf, " \t\r\n"[mu_random_below(random, 4)]);
}

/* Adds a value twice: to `text` in some form, to `shown` as it must come out. */
static void add_random(struct mu_random *random, struct mu_buf *text, struct mu_buf *shown, unsigned depth) {
    static const struct {
        const char *text, *shown;
    } scalars[] = {
        {"null", "null"},
        {"true", "true"},
        {"false", "false"},
        {"0", "0"},
        {"-1.50e+7", "-1.50e+7"},
        {"1e999", "1e999"},
        {"\"\"", "\"\""},
        {"\"abc def\"", "\"abc def\""},
        {"\"\\u0041\"", "\"A\""},
        {"\"1,-2\"", "\"1,-2\""},
        {"\"\\\\\\\"\"", "\"\\\\\\\"\""},
        {"\"\xC3\xA9\"", "\"\xC3\xA9\""},
        {"12345678901234567890123", "12345678901234567890123"},
        {"\"]}:\"", "\"]}:\""},
    };
    uint64_t kind = depth > 6 ? 9 : mu_random_below(random, 10);
    add_space(random, text);
    if (depth > 0 && kind > 3) {
        size_t i = mu_random_below(random, sizeof scalars / sizeof *scalars);
        mu_buf_add(text, mu_str_from(scalars[i].text));
        mu_buf_add(shown, mu_str_from(scalars[i].shown));
    } else {
        bool object = kind % 2;
        uint64_t count = mu_random_below(random, 5);
        mu_buf_add_char(text, object ? '{' : '[');
        mu_buf_add_char(shown, object ? '{' : '[');
        for (uint64_t i = 0; i < count; i++) {
            add_space(random, text);
            if (object) {
                mu_buf_printf(text, "\"k\\u003%d\"", (int)i);
                mu_buf_printf(shown, "\"k%d\":", (int)i);
                add_space(random, text);
                mu_buf_add_char(text, ':');
            }
            add_random(random, text, shown, depth + 1);
            if (i + 1 < count) {
                mu_buf_add_char(text, ',');
                mu_buf_add_char(shown, ',');
            }
        }
        add_space(random, text);
        mu_buf_add_char(text, object ? '}' : ']');
        mu_buf_add_char(shown, object ? '}' : ']');
    }
    add_space(random, text);
}

static int show_value_only(void *ctx, const struct mu_value *document, const struct mu_place *place,
                           struct mu_err *reason) {
    (void)place, (void)reason;
    mu_show_value(ctx, document);
    return MU_OK;
}

START_TEST(random_documents) {
    struct mu_random random = {.state = (uint64_t)_i};
    for (int i = 0; i < 100; i++) {
        struct mu_arena_mark mark = mu_arena_mark(arena);
        struct mu_buf text, shown;
        mu_buf_init(&text, arena);
        mu_buf_init(&shown, arena);
        mu_buf_init(&show.buf, arena);
        for (uint64_t n = mu_random_below(&random, 20); n > 0 || text.len == 0; n -= n > 0)
            add_random(&random, &text, &shown, 0);
        int code = mu_read_bytes(mu_buf_str(&text), MU_STR("f.json"), show_value_only, &show, &err);
        ck_assert_msg(code == MU_OK, "%s\n%s", text.ptr, err.text);
        ck_assert_str_eq(show.buf.ptr, shown.ptr);
        mu_arena_rollback(arena, mark);
    }
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, documents, 0, sizeof good / sizeof *good);
    tcase_add_test(tests, values_have_lines);
    tcase_add_loop_test(tests, what_is_bad_is_said_in_one_line, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tests, the_first_fault_counts);
    tcase_add_test(tests, documents_come_one_by_one);
    tcase_add_test(tests, the_form_is_seen);
    tcase_add_test(tests, depth_is_limited);
    tcase_add_test(tests, a_string_is_limited);
    tcase_add_test(tests, many_small_documents);
    tcase_add_loop_test(tests, random_documents, 0, 10);
}

int main(void) {
    return mu_suite_run("reader_json", add);
}
