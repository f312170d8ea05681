/* CEL against the language's own conformance tests: every case of ../shared/corpus/cel-spec, but for those that need
 * protocol buffers, which selectors have not. These stand in cel-spec-skips.txt with the reason; one of them that passes
 * is a failure too, so that the list only shrinks. Speaks TAP, a test point a section. */
#include "tests/conformance/spec_value.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define CORPUS MU_SOURCE_ROOT "/../shared/corpus/cel-spec"
#define SKIPS MU_SOURCE_ROOT "/tests/conformance/cel-spec-skips.txt"

struct skip {
    struct mu_str name, reason;
    bool seen;
};

struct run {
    struct mu_arena *arena, *work; /* of everything; of one case */
    const char *file;
    MU_VEC(struct skip) skips;
    int passed, skipped, failed, points, failed_points;
    bool list; /* print what fails, in the form of the list */
};

/* ---- Time zones: libc knows them, where its files are there ---- */

static bool zone_offset(void *ctx, struct mu_str zone, int64_t unix_s, int32_t *ret_s) {
    char path[256], name[128];
    struct stat file;
    snprintf(name, sizeof name, MU_STR_FMT, MU_STR_ARG(zone));
    snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", name);
    if (stat(path, &file) != 0)
        return false;
    time_t at = (time_t)unix_s;
    struct tm local;
    setenv("TZ", name, 1);
    tzset();
    bool fine = localtime_r(&at, &local) != NULL;
    *ret_s = (int32_t)local.tm_gmtoff;
    return fine;
}

/* ---- A case ---- */

/* Variables: what is declared, and in unchecked cases what is bound. */
static void environment_of(struct run *run, const struct mu_value *test, struct mu_cel_general *general,
                           struct mu_cel_binding **ret_bindings) {
    const struct mu_value *bound = mu_value_get(test, "bindings");
    size_t declared_len, bound_len = bound ? bound->object.len : 0;
    const struct mu_value *declared = mu_corpus_items(test, "typeEnv", &declared_len);
    struct mu_cel_variable *variables = MU_NEW_ARRAY(run->work, struct mu_cel_variable, declared_len + bound_len);
    struct mu_cel_binding *bindings = MU_NEW_ARRAY(run->work, struct mu_cel_binding, declared_len + bound_len);
    uint32_t len = 0;
    for (size_t i = 0; i < declared_len; i++) {
        const struct mu_value *ident = mu_value_get(&declared[i], "ident");
        variables[len].name = mu_corpus_text(&declared[i], "name");
        variables[len++].type = mu_spec_type(run->work, mu_value_get(ident, "type"));
    }
    for (size_t i = 0; i < bound_len; i++) {
        uint32_t v = 0;
        while (v < len && !mu_str_eq(variables[v].name, bound->object.fields[i].key))
            v++;
        if (v == len)
            variables[len++] = (struct mu_cel_variable){bound->object.fields[i].key, mu_cel_type_of(MU_CEL_K_DYN)};
        bindings[v].name = variables[v].name;
        const struct mu_value *value = mu_value_get(&bound->object.fields[i].value, "value");
        bindings[v].value = mu_spec_value(run->work, value);
    }
    general->environment.variables = variables;
    general->environment.variables_len = len;
    *ret_bindings = bindings;
}

/* What is wrong with how the case went; NULL where nothing is. */
static const char *check(struct run *run, const struct mu_value *test) {
    struct mu_cel_general general = {
        .environment = {.container = mu_corpus_text(test, "container"),
                        .features = MU_CEL_SPEC_ONLY,
                        .mixed_literals = true,
                        .strict = true},
        .unchecked = mu_corpus_flag(test, "disableCheck"),
    };
    struct mu_cel_binding *bindings;
    environment_of(run, test, &general, &bindings);
    bool error = mu_value_get(test, "evalError") || mu_value_get(test, "anyEvalErrors");
    const struct mu_cel *program;
    struct mu_err err = {0};
    struct mu_cel_val value;
    int64_t cost;
    struct mu_cel_zones zones = {zone_offset, NULL};
    if (mu_cel_general_compile(run->work, mu_corpus_show_nul(run->work, mu_corpus_text(test, "expr")), &general,
                               &program, &err) < 0) {
        bool syntax = strstr(err.text, "Syntax error") != NULL;
        return error && !syntax ? NULL : mu_str_dup(run->work, mu_str_from(err.text)).ptr;
    }
    if (mu_cel_general_evaluate(program, bindings, &zones, run->work, &value, &cost, &err) < 0)
        return "a limit was passed";
    if (error)
        return mu_cel_is_error(value) ? NULL : "no error";
    if (mu_cel_is_error(value))
        return mu_str_dup(run->work, value.text).ptr;
    const struct mu_value *wanted = mu_value_get(test, "value");
    bool equal = wanted ? mu_spec_equal(run->work, value, wanted) : mu_cel_is_bool(value, true);
    return equal ? NULL : "another value";
}

static struct skip *find_skip(struct run *run, struct mu_str name) {
    for (size_t i = 0; i < run->skips.len; i++)
        if (mu_str_eq(run->skips.items[i].name, name))
            return &run->skips.items[i];
    return NULL;
}

/* True where it went as it should. */
static bool run_case(struct run *run, struct mu_str section, const struct mu_value *test) {
    struct mu_arena_mark mark = mu_arena_mark(run->work);
    struct mu_str name = mu_corpus_text(test, "name");
    struct mu_str full = mu_str_printf(run->work, "%.*s/" MU_STR_FMT "/" MU_STR_FMT, (int)strcspn(run->file, "."),
                                       run->file, MU_STR_ARG(section), MU_STR_ARG(name));
    struct skip *skip = find_skip(run, full);
    const char *wrong = check(run, test);
    if (skip)
        skip->seen = true;
    bool fine = (wrong == NULL) == (skip == NULL);
    run->passed += wrong == NULL;
    run->skipped += skip != NULL && wrong != NULL;
    run->failed += !fine;
    if (run->list && wrong)
        printf(MU_STR_FMT " # %s\n", MU_STR_ARG(full), wrong);
    else if (!fine)
        printf("# " MU_STR_FMT ": %s: " MU_STR_FMT "\n", MU_STR_ARG(full),
               wrong ? wrong : "listed in cel-spec-skips.txt, but passes", MU_STR_ARG(mu_corpus_text(test, "expr")));
    mu_arena_rollback(run->work, mark);
    return fine;
}

static int run_document(void *ctx, const struct mu_value *document, struct mu_err *err) {
    struct run *run = ctx;
    size_t sections_len;
    const struct mu_value *sections = mu_corpus_items(document, "section", &sections_len);
    for (size_t i = 0; i < sections_len; i++) {
        size_t tests_len;
        const struct mu_value *tests = mu_corpus_items(&sections[i], "test", &tests_len);
        bool fine = true;
        for (size_t t = 0; t < tests_len; t++)
            fine = run_case(run, mu_corpus_text(&sections[i], "name"), &tests[t]) && fine;
        run->points++;
        run->failed_points += !fine;
        if (!run->list)
            printf("%sok %d - %.*s/" MU_STR_FMT "\n", fine ? "" : "not ", run->points, (int)strcspn(run->file, "."),
                   run->file, MU_STR_ARG(mu_corpus_text(&sections[i], "name")));
    }
    return 0;
}

/* ---- The list, and the files ---- */

static struct mu_str trimmed(struct mu_str text) {
    while (text.len > 0 && strchr(" \n", text.ptr[text.len - 1]))
        text.len--;
    while (text.len > 0 && text.ptr[0] == ' ')
        text = mu_str_slice(text, 1, text.len);
    return text;
}

static bool read_skips(struct run *run) {
    FILE *in = fopen(SKIPS, "re");
    char line[512];
    bool fine = in != NULL;
    while (in && fgets(line, sizeof line, in)) {
        struct mu_str text = mu_str_dup(run->arena, mu_str_from(line));
        ptrdiff_t sign = mu_str_index(text, '#');
        if (sign == 0 || trimmed(text).len == 0)
            continue;
        struct skip skip = {.name = trimmed(mu_str_slice(text, 0, sign < 0 ? text.len : (size_t)sign))};
        skip.reason = trimmed(mu_str_slice(text, sign < 0 ? text.len : (size_t)sign + 1, text.len));
        if (skip.reason.len == 0) {
            printf("# " MU_STR_FMT ": no reason is given\n", MU_STR_ARG(skip.name));
            fine = false;
        }
        MU_VEC_PUSH(run->arena, &run->skips, skip);
    }
    if (in)
        fclose(in);
    return fine;
}

static int is_corpus(const struct dirent *entry) {
    return mu_str_ends(mu_str_from(entry->d_name), MU_STR(".json"));
}

static void run_files(struct run *run, struct dirent **names, int len) {
    for (int i = 0; i < len; i++) {
        char path[1024];
        struct mu_err err = {0};
        run->file = names[i]->d_name;
        snprintf(path, sizeof path, "%s/%s", CORPUS, run->file);
        if (mu_corpus_read(run->arena, path, run_document, run, &err) < 0) {
            printf("# %s\n", err.text);
            run->failed++;
        }
        free(names[i]);
    }
    free(names);
    for (size_t i = 0; i < run->skips.len; i++) {
        if (!run->skips.items[i].seen) {
            printf("# " MU_STR_FMT ": listed, but there is no such case\n", MU_STR_ARG(run->skips.items[i].name));
            run->failed++;
        }
    }
}

/* --list prints what fails, for a new list. */
int main(int argc, char **argv) {
    struct dirent **names;
    int len = scandir(CORPUS, &names, is_corpus, alphasort);
    if (len <= 0) {
        printf("1..0 # SKIP ../shared/corpus/cel-spec is not there\n");
        return 0;
    }
    struct run run = {.arena = mu_arena_create(0, NULL), .work = mu_arena_create(0, NULL)};
    run.list = argc > 1 && strcmp(argv[1], "--list") == 0;
    bool fine = run.list || read_skips(&run);
    run_files(&run, names, len);
    if (!run.list) {
        run.points++;
        fine = fine && run.failed == 0;
        printf("%sok %d - all cases\n1..%d\n", fine ? "" : "not ", run.points, run.points);
        printf("# cel-spec: %d passed, %d left out for their protocol buffers, %d failed\n", run.passed, run.skipped,
               run.failed);
    }
    mu_arena_destroy(run.work);
    mu_arena_destroy(run.arena);
    return fine ? 0 : 1;
}
