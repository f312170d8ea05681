/* The reader of YAML: what documents mean, and what is said of those that mean nothing. */
#include "scheduler/base/limits.h"
#include "scheduler/objects/reader.h"
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
    return mu_read_bytes(text, MU_STR("f.yaml"), mu_show_document, &show, &err);
}

static int read_text(const char *text) {
    return read_str(mu_str_from(text));
}

static void expect(const char *text, const char *documents) {
    ck_assert_msg(read_text(text) == MU_OK, "%s\n%s", text, err.text);
    ck_assert_str_eq(show.buf.ptr, documents);
}

static void expect_error(struct mu_str text, int code, const char *error) {
    int got = read_str(text);
    ck_assert_msg(got == code, "%s: %d %s", text.ptr, got, err.text);
    ck_assert_int_eq(err.code, code);
    ck_assert_str_eq(err.text, error);
}

/* ---- Scalars ---- */

/* Unquoted words. Numbers are as Kubernetes' own YAML reads them (sigs.k8s.io/yaml), except that they keep their digits
 * where it rounds them to a double; `yes` and its kin are strings. */
static const struct {
    const char *yaml, *json;
} scalars[] = {
    {"", "null"},
    {"~", "null"},
    {"null", "null"},
    {"Null", "null"},
    {"NULL", "null"},
    {"nULL", "\"nULL\""},
    {"true", "true"},
    {"True", "true"},
    {"TRUE", "true"},
    {"tRUE", "\"tRUE\""},
    {"false", "false"},
    {"False", "false"},
    {"FALSE", "false"},
    {"yes", "\"yes\""},
    {"No", "\"No\""},
    {"on", "\"on\""},
    {"off", "\"off\""},
    {"y", "\"y\""},
    {"n", "\"n\""},
    {"0", "0"},
    {"-0", "-0"},
    {"+0", "0"},
    {"1", "1"},
    {"+1", "1"},
    {"-1", "-1"},
    {"123456789012345678901234567890", "123456789012345678901234567890"},
    {"18446744073709551616", "18446744073709551616"},
    {"0.1234567890123456789", "0.1234567890123456789"},
    {"1e400", "1e400"},
    {"1.", "1"},
    {".5", "0.5"},
    {"-.5", "-0.5"},
    {"+1.50", "1.50"},
    {"1e3", "1e3"},
    {"1E-3", "1E-3"},
    {"1.e+3", "1e+3"},
    {".5e1", "0.5e1"},
    {"00", "0"},
    {"007", "7"},
    {"010", "8"},
    {"-010", "-8"},
    {"08", "8"},
    {"089", "89"},
    {"010.5", "10.5"},
    {"00.5", "0.5"},
    {"0o17", "15"},
    {"0O17", "15"},
    {"0b101", "5"},
    {"-0B1", "-1"},
    {"0x1F", "31"},
    {"-0X1f", "-31"},
    {"-0x0", "0"},
    {"0xFFFFFFFFFFFFFFFF", "18446744073709551615"},
    {"0x10000000000000000", "\"0x10000000000000000\""},
    {"-0x8000000000000000", "-9223372036854775808"},
    {"-0x8000000000000001", "\"-0x8000000000000001\""},
    {"0777777777777777777777777", "777777777777777777777777"},
    {"0x", "\"0x\""},
    {"0xG", "\"0xG\""},
    {"0b2", "\"0b2\""},
    {"0o8", "\"0o8\""},
    {"1_000", "1000"},
    {"1__0", "10"},
    {"1_", "1"},
    {"0x_1F", "31"},
    {"0_7", "7"},
    {"1_0.5_0", "10.50"},
    {"_1", "\"_1\""},
    {"-_1", "-1"},
    {"+_", "\"+_\""},
    {"1e", "\"1e\""},
    {"1e+", "\"1e+\""},
    {"e1", "\"e1\""},
    {"1.5.5", "\"1.5.5\""},
    {".", "\".\""},
    {"..", "\"..\""},
    {"-.", "\"-.\""},
    {"+", "\"+\""},
    {".e1", "\".e1\""},
    {".inf", "\".inf\""},
    {"-.Inf", "\"-.Inf\""},
    {".nan", "\".nan\""},
    {"NaN", "\"NaN\""},
    {"1:30", "\"1:30\""},
    {"1,000", "\"1,000\""},
    {"2026-12-01", "\"2026-12-01\""},
    {"2026-12-01T03:30:00Z", "\"2026-12-01T03:30:00Z\""},
    {"100m", "\"100m\""},
    {"1Gi", "\"1Gi\""},
    {"=", "\"=\""},
    {"<<", "\"<<\""},
    {"two words # a comment", "\"two words\""},
    {"a#b", "\"a#b\""},
    {"'1'", "\"1\""},
    {"\"true\"", "\"true\""},
    {"'~'", "\"~\""},
    {"\"\"", "\"\""},
    {"'it''s'", "\"it's\""},
    {"\"\\x41\\u00e9\\U0001F600\\n\\\"\"", "\"A\xC3\xA9\xF0\x9F\x98\x80\\u000a\\\"\""},
    {"|\n  x\n   y\n", "\"x\\u000a y\\u000a\""},
    {"|-\n  1\n", "\"1\""},
    {">\n  x\n  y\n\n  z\n", "\"x y\\u000az\\u000a\""},
    {"\"x\n  y\"", "\"x y\""},
    /* Tags: `!!str` and unknown ones make strings, those of numbers and the like say what the text looks like. */
    {"!!str 1", "\"1\""},
    {"!!str", "\"\""},
    {"!!str ~", "\"~\""},
    {"! true", "\"true\""},
    {"!foo 12", "\"12\""},
    {"!!binary aGk=", "\"aGk=\""},
    {"!!timestamp 2026-12-01", "\"2026-12-01\""},
    {"!!int \"3\"", "3"},
    {"!!int x", "\"x\""},
    {"!!float '1e3'", "1e3"},
    {"!!bool \"true\"", "true"},
    {"!!null ''", "null"},
    {"!!map {}", "{}"},
    {"!!seq []", "[]"},
    {"!<tag:yaml.org,2002:str> 5", "\"5\""},
};

START_TEST(scalars_mean_what_kubernetes_takes_them_for) {
    const char *yaml = scalars[_i].yaml, *json = scalars[_i].json;
    struct mu_str text = mu_str_printf(arena, "a: %s\n", yaml);
    expect(text.ptr, mu_str_printf(arena, "1:1 {\"a\":%s}\n", json).ptr);
}
END_TEST

/* ---- Documents ---- */

static const struct {
    const char *yaml, *documents;
} good[] = {
    {"a: 1\n", "1:1 {\"a\":1}\n"},
    {"a: 1", "1:1 {\"a\":1}\n"},
    {"\xEF\xBB\xBF"
     "a: 1\n",
     "1:1 {\"a\":1}\n"},
    {"a: 1\r\nb: 2\r\n", "1:1 {\"a\":1,\"b\":2}\n"},
    {"# c\n\n---\n# c\na: 1\n---\nb: 2\n...\n# c\n---\nc: 3\n", "1:5 {\"a\":1}\n2:7 {\"b\":2}\n3:11 {\"c\":3}\n"},
    {"---\n---\n~\n---\na: 1\n---\n", "3:5 {\"a\":1}\n"},
    {"%YAML 1.1\n---\na: 1\n...\n%YAML 1.2\n---\nb: 2\n", "1:3 {\"a\":1}\n2:7 {\"b\":2}\n"},
    {"hello\n", "1:1 \"hello\"\n"},
    {"- 1\n- [a, {b: c}]\n- - x\n  - y\n", "1:1 [1,[\"a\",{\"b\":\"c\"}],[\"x\",\"y\"]]\n"},
    {"a:\n- 1\n- 2\nb: []\nc: {}\n", "1:1 {\"a\":[1,2],\"b\":[],\"c\":{}}\n"},
    {"a: \xC3\xA9\xF0\x9F\x98\x80\n", "1:1 {\"a\":\"\xC3\xA9\xF0\x9F\x98\x80\"}\n"},
    {"# JSON inside\na: {\"b\": [1, \"x\", null], \"c\":true}\n", "1:2 {\"a\":{\"b\":[1,\"x\",null],\"c\":true}}\n"},
    /* Keys are strings, whatever they look like. */
    {"1: a\ntrue: b\n1.5: c\n\"\": d\n'x y': e\n",
     "1:1 {\"1\":\"a\",\"true\":\"b\",\"1.5\":\"c\",\"\":\"d\",\"x y\":\"e\"}\n"},
    {"? a\n: 1\n", "1:1 {\"a\":1}\n"},
    /* Anchors and aliases. */
    {"a: &x 1\nb: *x\n", "1:1 {\"a\":1,\"b\":1}\n"},
    {"a: &x {b: [1, 2]}\nc: *x\nd: [*x]\n", "1:1 {\"a\":{\"b\":[1,2]},\"c\":{\"b\":[1,2]},\"d\":[{\"b\":[1,2]}]}\n"},
    {"a: &x 1\nb: &x 2\nc: *x\n", "1:1 {\"a\":1,\"b\":2,\"c\":2}\n"},
    {"&k key: 1\nb: *k\n", "1:1 {\"key\":1,\"b\":\"key\"}\n"},
    {"a: &k key\n*k : 1\n", "1:1 {\"a\":\"key\",\"key\":1}\n"},
    {"a: &x\nb: *x\n", "1:1 {\"a\":null,\"b\":null}\n"},
    /* Merge keys: the object's own fields go first, then earlier objects. */
    {"a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 3\n", "1:1 {\"a\":{\"p\":1,\"q\":2},\"b\":{\"q\":3,\"p\":1}}\n"},
    {"a: &x {p: 1, q: 2}\nb:\n  q: 3\n  <<: *x\n", "1:1 {\"a\":{\"p\":1,\"q\":2},\"b\":{\"q\":3,\"p\":1}}\n"},
    {"a: {<<: [{p: 1}, {p: 2, q: 2}]}\n", "1:1 {\"a\":{\"p\":1,\"q\":2}}\n"},
    {"a: {<<: [{p: 1}, {p: 2}, {p: 3}], p: 0}\n", "1:1 {\"a\":{\"p\":0}}\n"},
    {"a: &x {<<: {p: 1}, q: 2}\nb: {<<: *x, r: 3}\n",
     "1:1 {\"a\":{\"q\":2,\"p\":1},\"b\":{\"r\":3,\"q\":2,\"p\":1}}\n"},
    {"a: {<<: {}}\nb: {<<: []}\n", "1:1 {\"a\":{},\"b\":{}}\n"},
    {"a: {'<<': 1}\n", "1:1 {\"a\":{\"<<\":1}}\n"},
};

START_TEST(documents) {
    expect(good[_i].yaml, good[_i].documents);
}
END_TEST

START_TEST(values_have_lines) {
    show.lines = true;
    expect("# c\na: 1\nb:\n  - x\n  - y: |\n      z\n    w: [1,\n      2]\nc: &x\n  d: e\nf: *x\n",
           "1:2 {\"a\":1@2,\"b\":[\"x\"@4,{\"y\":\"z\\u000a\"@5,\"w\":[1@7,2@8]@7}@5]@4,\"c\":{\"d\":\"e\"@10}@9,"
           "\"f\":{\"d\":\"e\"@10}@11}@2\n");
}
END_TEST

#define TEXT(literal)                                                                                                  \
    { (literal), sizeof(literal) - 1 } /* MU_STR is no constant, says ISO C */

static const struct {
    struct mu_str yaml;
    int code;
    const char *error;
} bad[] = {
    {TEXT(""), MU_E_PARSE, "f.yaml: is empty"},
    {TEXT("\n \n"), MU_E_PARSE, "f.yaml: has no document in it"},
    {TEXT("# nothing\n---\n---\n"), MU_E_PARSE, "f.yaml: has no document in it"},
    {TEXT("a: \"b\n"), MU_E_PARSE,
     "f.yaml: document 1, line 2: found unexpected end of stream while scanning a quoted scalar that begins on line 1"},
    {TEXT("a: 1\n---\nb: [1,\n"), MU_E_PARSE,
     "f.yaml: document 2, line 4: did not find expected node content while parsing a flow node that begins on line 4"},
    {TEXT("a: b: c\n"), MU_E_PARSE, "f.yaml: document 1, line 1: mapping values are not allowed in this context"},
    {TEXT("a: 1\n\tb: 2\n"), MU_E_PARSE,
     "f.yaml: document 1, line 2: found a tab character that violates indentation while scanning a plain scalar that "
     "begins on line 1"},
    {TEXT("a: 1\n b: 2\n"), MU_E_PARSE, "f.yaml: document 1, line 2: mapping values are not allowed in this context"},
    {TEXT("a: 1\nb\0c: 2\n"), MU_E_PARSE, "f.yaml: line 2: a NUL byte: is no text"},
    {TEXT("a: \"x\\0y\"\n"), MU_E_PARSE, "f.yaml: document 1, line 1: a string has a NUL character in it"},
    {TEXT("a: 1\nb: x\001y\n"), MU_E_PARSE, "f.yaml: line 2: a control character (U+0001)"},
    {TEXT("a: 1\nb: \xC2\x80\n"), MU_E_PARSE, "f.yaml: line 2: a control character (U+0080)"},
    {TEXT("a: \xEF\xBB\xBF\n"), MU_E_PARSE, "f.yaml: line 1: a control character (U+FEFF)"},
    {TEXT("a: 1\nb: \xFF\n"), MU_E_PARSE, "f.yaml: line 2: is not UTF-8 text (byte 0xFF)"},
    {TEXT("a: \xC3(\n"), MU_E_PARSE, "f.yaml: line 1: is not UTF-8 text (byte 0x28)"},
    {TEXT("a: \xC0\x80\n"), MU_E_PARSE, "f.yaml: line 1: is not UTF-8 text (byte 0x80)"},
    {TEXT("a: \xED\xA0\x80\n"), MU_E_PARSE, "f.yaml: line 1: is not UTF-8 text (byte 0x80)"},
    {TEXT("a: \xF4\x90\x80\x80\n"), MU_E_PARSE, "f.yaml: line 1: is not UTF-8 text (byte 0x80)"},
    {TEXT("a: \xE2\x82"), MU_E_PARSE, "f.yaml: line 1: is not UTF-8 text (it ends inside a character)"},
    {TEXT("\xFF\xFE"
          "a\0:\0"),
     MU_E_PARSE, "f.yaml: is UTF-16 text; save it as UTF-8, as Kubernetes writes it"},
    {TEXT("\xFE\xFF\0a"), MU_E_PARSE, "f.yaml: is UTF-16 text; save it as UTF-8, as Kubernetes writes it"},
    {TEXT("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n"), MU_E_PARSE,
     "f.yaml: document 1, line 5: key \"c\" is there twice, first on line 3"},
    {TEXT("a: 1\n\"a\": 1\n"), MU_E_PARSE, "f.yaml: document 1, line 2: key \"a\" is there twice, first on line 1"},
    {TEXT("b: {<<: {a: 1}, <<: {c: 1}}\n"), MU_E_PARSE,
     "f.yaml: document 1, line 1: key \"<<\" is there twice, first on line 1"},
    {TEXT("a: {<<: 1}\n"), MU_E_PARSE, "f.yaml: document 1, line 1: << needs an object, or an array of objects"},
    {TEXT("a: {<<: [{b: 1}, 2]}\n"), MU_E_PARSE,
     "f.yaml: document 1, line 1: << needs an object, or an array of objects"},
    {TEXT("a: {<<: }\n"), MU_E_PARSE, "f.yaml: document 1, line 1: << needs an object, or an array of objects"},
    {TEXT("a: 1\n? [x]\n: 2\n"), MU_E_PARSE, "f.yaml: document 1, line 2: a key is an array; it must be a string"},
    {TEXT("? {x: y}\n: 2\n"), MU_E_PARSE, "f.yaml: document 1, line 1: a key is an object; it must be a string"},
    {TEXT("~: 2\n"), MU_E_PARSE, "f.yaml: document 1, line 1: a key is null"},
    {TEXT("a: &x [1]\n*x : 2\n"), MU_E_PARSE, "f.yaml: document 1, line 2: a key is no string"},
    {TEXT("a: *x\n"), MU_E_PARSE, "f.yaml: document 1, line 1: alias *x has no anchor before it"},
    {TEXT("a: &x 1\n---\nb: *x\n"), MU_E_PARSE, "f.yaml: document 2, line 3: alias *x has no anchor before it"},
    {TEXT("a: &x\n  b: *x\n"), MU_E_PARSE, "f.yaml: document 1, line 2: alias *x stands inside of what it means"},
    {TEXT("a: &x {<<: *x}\n"), MU_E_PARSE, "f.yaml: document 1, line 1: alias *x stands inside of what it means"},
    {TEXT("%YAML 2.0\n---\na: 1\n"), MU_E_PARSE, "f.yaml: document 1, line 1: found incompatible YAML document"},
    {TEXT("\x1F\x8B junk"), MU_E_PARSE, "f.yaml: is broken gzip data: unknown compression method"},
};

START_TEST(what_is_bad_is_said_in_one_line) {
    expect_error(bad[_i].yaml, bad[_i].code, bad[_i].error);
}
END_TEST

START_TEST(errors_show_input_short_and_on_one_line) {
    expect_error(MU_STR("\"a\\nb\": 1\n\"a\\nb\": 2\n"), MU_E_PARSE,
                 "f.yaml: document 1, line 2: key \"a?b\" is there twice, first on line 1");
    struct mu_buf text;
    mu_buf_init(&text, arena);
    for (int i = 0; i < 2; i++) {
        mu_buf_add(&text, MU_STR("? x"));
        for (int j = 0; j < 100; j++)
            mu_buf_add(&text, MU_STR("\xC3\xA9"));
        mu_buf_add(&text, MU_STR("\n: 1\n"));
    }
    ck_assert_int_eq(read_str(mu_buf_str(&text)), MU_E_PARSE);
    ck_assert_ptr_nonnull(strstr(err.text, "\xC3\xA9...\" is there twice, first on line 1"));
    ck_assert_uint_lt(strlen(err.text), 160);
}
END_TEST

/* What came before the fault was delivered: nobody waits for the end of a long file. */
START_TEST(documents_come_one_by_one) {
    ck_assert_int_eq(read_text("a: 1\n---\nb: 2\n---\nc: [\n"), MU_E_PARSE);
    ck_assert_str_eq(show.buf.ptr, "1:1 {\"a\":1}\n2:3 {\"b\":2}\n");
}
END_TEST

static int stop_at_second(void *ctx, const struct mu_value *document, const struct mu_place *place,
                          struct mu_err *reason) {
    (void)ctx, (void)document;
    return place->document == 2 ? mu_err_set(reason, MU_E_INVALID, "enough") : MU_OK;
}

START_TEST(whoever_takes_documents_can_stop) {
    int code = mu_read_bytes(MU_STR("a: 1\n---\nb: 2\n---\n["), MU_STR("f"), stop_at_second, NULL, &err);
    ck_assert_int_eq(code, MU_E_INVALID);
    ck_assert_str_eq(err.text, "enough");
    ck_assert_int_eq(mu_read_bytes(MU_STR("{}{}["), MU_STR("f"), stop_at_second, NULL, NULL), MU_E_INVALID);
}
END_TEST

/* ---- Limits ---- */

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
    ck_assert_int_eq(read_str(nested("#\n", "[", "]", MU_LIMIT_YAML_DEPTH)), MU_OK);
    ck_assert_int_eq(read_str(nested("", "- ", "", MU_LIMIT_YAML_DEPTH)), MU_E_LIMIT); /* with a null inside */
    ck_assert_int_eq(read_str(nested("", "- ", "", MU_LIMIT_YAML_DEPTH - 1)), MU_OK);
    const char *error = "f.yaml: document 1, line 2: is nested deeper than 64 levels";
    expect_error(nested("#\n", "[", "]", MU_LIMIT_YAML_DEPTH + 1), MU_E_LIMIT, error);
    expect_error(nested("#\n", "[", "", 1000000), MU_E_LIMIT, error);
    expect_error(nested("#\n", "{a: ", "", 1000000), MU_E_LIMIT, error);
}
END_TEST

/* The depth of what aliases stand for counts. */
START_TEST(depth_through_aliases_is_limited) {
    struct mu_str deep = nested("", "[", "]", MU_LIMIT_YAML_DEPTH - 2);
    ck_assert_int_eq(read_str(mu_str_printf(arena, "a: &a %s\nb: [*a]\n", deep.ptr)), MU_OK);
    expect_error(mu_str_printf(arena, "a: &a %s\nb:\n- [*a]\n", deep.ptr), MU_E_LIMIT,
                 "f.yaml: document 1, line 3: is nested deeper than 64 levels");
}
END_TEST

START_TEST(alias_bombs_are_refused) {
    expect_error(MU_STR("a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
                        "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
                        "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"),
                 MU_E_LIMIT, "f.yaml: document 1, line 5: aliases stand for more than 100000 values");
    expect_error(MU_STR("a: &a {x: 1}\nb: &b {<<: [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]}\n"
                        "c: &c {<<: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]}\nd: &d {<<: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]}\n"
                        "e: &e {<<: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]}\nf: &f {<<: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]}\n"),
                 MU_E_LIMIT, "f.yaml: document 1, line 6: aliases stand for more than 100000 values");
}
END_TEST

START_TEST(directives_are_limited) {
    struct mu_buf buf;
    mu_buf_init(&buf, arena);
    for (int i = 0; i < 20000; i++)
        mu_buf_printf(&buf, "%%TAG !a%d! tag:x\n", i);
    mu_buf_add(&buf, MU_STR("---\na: 1\n"));
    expect_error(mu_buf_str(&buf), MU_E_LIMIT, "f.yaml: document 1: has more than 10000 lines that begin with %");
    mu_buf_clear(&buf);
    for (int i = 0; i < 20000; i++)
        mu_buf_add(&buf, MU_STR("%YAML 1.1\n---\na: 1\n...\n"));
    ck_assert_msg(read_str(mu_buf_str(&buf)) == MU_OK, "%s", err.text);
}
END_TEST

START_TEST(a_string_is_limited) {
    size_t len = MU_LIMIT_STRING_BYTES;
    char *text = mu_arena_alloc(arena, len + 8, 1);
    memset(text, 'x', len + 8);
    memcpy(text, "a: ", 3);
    ck_assert_int_eq(read_str((struct mu_str){text, len + 3}), MU_OK);
    expect_error((struct mu_str){text, len + 4}, MU_E_LIMIT, "f.yaml: document 1, line 1: a string is too long");
}
END_TEST

/* Large mappings: duplicates are found, and nothing is quadratic. */
START_TEST(many_keys) {
    struct mu_buf buf;
    mu_buf_init(&buf, arena);
    for (int i = 0; i < 100000; i++)
        mu_buf_printf(&buf, "k%d: 1\n", (i * 7919) % 100000);
    ck_assert_int_eq(read_str(mu_buf_str(&buf)), MU_OK);
    mu_buf_add(&buf, MU_STR("k4711: 2\n"));
    ck_assert_int_eq(read_str(mu_buf_str(&buf)), MU_E_PARSE);
    ck_assert_ptr_nonnull(strstr(err.text, "line 100001: key \"k4711\" is there twice"));
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, scalars_mean_what_kubernetes_takes_them_for, 0, sizeof scalars / sizeof *scalars);
    tcase_add_loop_test(tests, documents, 0, sizeof good / sizeof *good);
    tcase_add_test(tests, values_have_lines);
    tcase_add_loop_test(tests, what_is_bad_is_said_in_one_line, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tests, errors_show_input_short_and_on_one_line);
    tcase_add_test(tests, documents_come_one_by_one);
    tcase_add_test(tests, whoever_takes_documents_can_stop);
    tcase_add_test(tests, depth_is_limited);
    tcase_add_test(tests, depth_through_aliases_is_limited);
    tcase_add_test(tests, alias_bombs_are_refused);
    tcase_add_test(tests, directives_are_limited);
    tcase_add_test(tests, a_string_is_limited);
    tcase_add_test(tests, many_keys);
}

int main(void) {
    return mu_suite_run("reader", add);
}
