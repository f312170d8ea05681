/* Writer: documents in JSON and YAML, and strings that must come back as strings. */
#include "scheduler/objects/reader.h"
#include "scheduler/objects/writer.h"
#include "tests/lib/random.h"
#include "tests/lib/suite.h"

#include <stdlib.h>

static char *bytes;
static size_t bytes_len;
static FILE *out;
static struct mu_writer writer;
static struct mu_arena *arena;

static void begin(enum mu_writer_form form) {
    free(bytes);
    bytes = NULL;
    out = open_memstream(&bytes, &bytes_len);
    mu_writer_init(&writer, out, form);
}

static const char *end(void) {
    mu_writer_finish(&writer);
    fclose(out);
    return bytes;
}

static void setup(void) {
    arena = mu_arena_create(0, NULL);
}

static void teardown(void) {
    mu_arena_destroy(arena);
    free(bytes);
    bytes = NULL;
}

/* Every place that a value can stand in. */
static void write_sample(void) {
    mu_writer_object(&writer);
    mu_writer_key_str(&writer, "text", MU_STR("a b"));
    mu_writer_key_i64(&writer, "number", INT64_MIN);
    mu_writer_key_bool(&writer, "yes", true);
    mu_writer_key(&writer, "empty");
    mu_writer_array(&writer);
    mu_writer_array_end(&writer);
    mu_writer_key(&writer, "nothing");
    mu_writer_object(&writer);
    mu_writer_object_end(&writer);
    mu_writer_key(&writer, "list");
    mu_writer_array(&writer);
    mu_writer_str(&writer, MU_STR("x"));
    mu_writer_object(&writer);
    mu_writer_key(&writer, "deep");
    mu_writer_object(&writer);
    mu_writer_key_i64(&writer, "a", 1);
    mu_writer_object_end(&writer);
    mu_writer_key_bool(&writer, "b", false);
    mu_writer_object_end(&writer);
    mu_writer_object(&writer);
    mu_writer_object_end(&writer);
    mu_writer_array(&writer);
    mu_writer_i64(&writer, 1);
    mu_writer_array(&writer);
    mu_writer_i64(&writer, 2);
    mu_writer_array_end(&writer);
    mu_writer_array_end(&writer);
    mu_writer_array_end(&writer);
    mu_writer_object_end(&writer);
}

START_TEST(json_is_indented) {
    begin(MU_WRITER_JSON);
    write_sample();
    ck_assert_str_eq(end(), "{\n"
                            "  \"text\": \"a b\",\n"
                            "  \"number\": -9223372036854775808,\n"
                            "  \"yes\": true,\n"
                            "  \"empty\": [],\n"
                            "  \"nothing\": {},\n"
                            "  \"list\": [\n"
                            "    \"x\",\n"
                            "    {\n"
                            "      \"deep\": {\n"
                            "        \"a\": 1\n"
                            "      },\n"
                            "      \"b\": false\n"
                            "    },\n"
                            "    {},\n"
                            "    [\n"
                            "      1,\n"
                            "      [\n"
                            "        2\n"
                            "      ]\n"
                            "    ]\n"
                            "  ]\n"
                            "}\n");
}
END_TEST

START_TEST(yaml_is_in_blocks) {
    begin(MU_WRITER_YAML);
    write_sample();
    ck_assert_str_eq(end(), "text: a b\n"
                            "number: -9223372036854775808\n"
                            "yes: true\n"
                            "empty: []\n"
                            "nothing: {}\n"
                            "list:\n"
                            "- x\n"
                            "- deep:\n"
                            "    a: 1\n"
                            "  b: false\n"
                            "- {}\n"
                            "- - 1\n"
                            "  - - 2\n");
}
END_TEST

static const char *const alone[][3] = {
    {"{}\n", "{}\n", "object"},
    {"[]\n", "[]\n", "array"},
};

START_TEST(an_empty_document) {
    for (enum mu_writer_form form = MU_WRITER_JSON; form <= MU_WRITER_YAML; form++) {
        begin(form);
        mu_writer_object(&writer);
        mu_writer_object_end(&writer);
        ck_assert_str_eq(end(), alone[0][form]);
        begin(form);
        mu_writer_array(&writer);
        mu_writer_array_end(&writer);
        ck_assert_str_eq(end(), alone[1][form]);
    }
}
END_TEST

static const struct {
    struct mu_str text;
    const char *json, *yaml;
} strings[] = {
    {{"", 0}, "\"\"", "\"\""},
    {{"plain", 5}, "\"plain\"", "plain"},
    {{"two words", 9}, "\"two words\"", "two words"},
    {{"ml/train-0", 10}, "\"ml/train-0\"", "ml/train-0"},
    {{"a:b", 3}, "\"a:b\"", "a:b"},
    {{"a: b", 4}, "\"a: b\"", "\"a: b\""},
    {{"a #b", 4}, "\"a #b\"", "\"a #b\""},
    {{"a:", 2}, "\"a:\"", "\"a:\""},
    {{"a ", 2}, "\"a \"", "\"a \""},
    {{" a", 2}, "\" a\"", "\" a\""},
    {{"true", 4}, "\"true\"", "\"true\""},
    {{"No", 2}, "\"No\"", "\"No\""},
    {{"NULL", 4}, "\"NULL\"", "\"NULL\""},
    {{"nullable", 8}, "\"nullable\"", "nullable"},
    {{"12", 2}, "\"12\"", "\"12\""},
    {{"1e3", 3}, "\"1e3\"", "\"1e3\""},
    {{"-", 1}, "\"-\"", "\"-\""},
    {{"~", 1}, "\"~\"", "\"~\""},
    {{"2026-12-01", 10}, "\"2026-12-01\"", "\"2026-12-01\""},
    {{"a\"b\\c", 5}, "\"a\\\"b\\\\c\"", "\"a\\\"b\\\\c\""},
    {{"\n\r\t\x01", 4}, "\"\\n\\r\\t\\u0001\"", "\"\\n\\r\\t\\u0001\""},
    {{"a\0b", 3}, "\"a\\u0000b\"", "\"a\\u0000b\""},
    {{"\x7f", 1}, "\"\\u007f\"", "\"\\u007f\""},
    {{"\xc2\x85", 2}, "\"\\u0085\"", "\"\\u0085\""},
    {{"\xe2\x80\xa8", 3}, "\"\\u2028\"", "\"\\u2028\""},
    {{"\xc3\xa9", 2}, "\"\xc3\xa9\"", "\"\xc3\xa9\""},
    {{"\xf0\x9f\x98\x80", 4}, "\"\xf0\x9f\x98\x80\"", "\"\xf0\x9f\x98\x80\""},
    {{"\xff", 1}, "\"\xef\xbf\xbd\"", "\"\xef\xbf\xbd\""},
    {{"\xc3", 1}, "\"\xef\xbf\xbd\"", "\"\xef\xbf\xbd\""},
    {{"\xc0\xaf", 2}, "\"\xef\xbf\xbd\xef\xbf\xbd\"", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
    {{"\xed\xa0\x80", 3}, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
    {{"\xf4\x90\x80\x80", 4},
     "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"",
     "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
};

START_TEST(strings_are_quoted_where_they_must) {
    for (enum mu_writer_form form = MU_WRITER_JSON; form <= MU_WRITER_YAML; form++) {
        begin(form);
        mu_writer_str(&writer, strings[_i].text);
        struct mu_str wanted = mu_str_from(form == MU_WRITER_JSON ? strings[_i].json : strings[_i].yaml);
        const char *have = end();
        ck_assert_msg(bytes_len == wanted.len + 1 && memcmp(have, wanted.ptr, wanted.len) == 0, "%s, not %s", have,
                      wanted.ptr);
    }
}
END_TEST

/* ------------------------------------------------------------------ what is written is read back */

struct expectation {
    struct mu_str text;
    bool seen;
};

static int compare(void *ctx, const struct mu_value *document, const struct mu_place *place, struct mu_err *err) {
    struct expectation *wanted = ctx;
    const struct mu_value *value = mu_value_get(document, "s");
    ck_assert_ptr_nonnull(value);
    ck_assert_int_eq(value->type, MU_VALUE_STRING);
    ck_assert_msg(mu_str_eq(value->text, wanted->text), MU_STR_FMT ", not " MU_STR_FMT, MU_STR_ARG(value->text),
                  MU_STR_ARG(wanted->text));
    wanted->seen = true;
    return 0;
}

/* Short texts of what means something to YAML. */
static struct mu_str awkward_text(struct mu_random *random) {
    static const char *const pieces[] = {"a",  "n", "N", "yes", "0", "1.5", "e", "-",  " ", ":",        "#",  "'",
                                         "\"", "{", "}", "[",   "]", ",",   "&", "*",  "!", "|",        ">",  "%",
                                         "@",  "`", "?", "~",   ".", "_",   "/", "\\", "=", "\xc3\xa9", "\n", "\t"};
    struct mu_buf text;
    mu_buf_init(&text, arena);
    mu_buf_add(&text, MU_STR(""));
    for (uint64_t left = mu_random_below(random, 6); left > 0; left--)
        mu_buf_add(&text, mu_str_from(pieces[mu_random_below(random, sizeof pieces / sizeof pieces[0])]));
    return mu_buf_str(&text);
}

START_TEST(strings_are_read_back) {
    struct mu_random random = {.state = 7};
    for (int i = 0; i < 20000; i++) {
        struct expectation wanted = {.text = awkward_text(&random)};
        for (enum mu_writer_form form = MU_WRITER_JSON; form <= MU_WRITER_YAML; form++) {
            begin(form);
            mu_writer_object(&writer);
            mu_writer_key_str(&writer, "s", wanted.text);
            mu_writer_object_end(&writer);
            end();
            struct mu_err err = {0};
            wanted.seen = false;
            int r = mu_read_bytes((struct mu_str){bytes, bytes_len}, MU_STR("written"), compare, &wanted, &err);
            ck_assert_msg(r == 0 && wanted.seen, "%s: %s", err.text, bytes);
        }
    }
}
END_TEST

static void close_too_much(void) {
    mu_writer_object(&writer);
    mu_writer_array_end(&writer);
}

static void value_without_key(void) {
    mu_writer_object(&writer);
    mu_writer_i64(&writer, 1);
}

static void nest_too_deep(void) {
    for (int i = 0; i <= MU_WRITER_DEPTH; i++)
        mu_writer_array(&writer);
}

START_TEST(misuse_ends_the_process) {
    void (*const wrong[])(void) = {close_too_much, value_without_key, nest_too_deep};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        begin(MU_WRITER_JSON);
        ck_assert_int_ne(mu_child_status(wrong[i]), 0);
        fclose(out);
    }
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, json_is_indented);
    tcase_add_test(tests, yaml_is_in_blocks);
    tcase_add_test(tests, an_empty_document);
    tcase_add_loop_test(tests, strings_are_quoted_where_they_must, 0, sizeof strings / sizeof strings[0]);
    tcase_add_test(tests, strings_are_read_back);
    tcase_add_test(tests, misuse_ends_the_process);
}

int main(void) {
    return mu_suite_run("writer", add);
}
