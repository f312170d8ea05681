/* Regular expressions: matches(), and Kubernetes' find() and findAll(). Patterns that are constant are compiled with the
 * expression; others when they are met, and kept while the evaluation lasts. */
#include "scheduler/devices/cel/eval.h"
#include "scheduler/devices/cel/regex.h"
#include "scheduler/devices/cel/regex_shim.h"
#include "scheduler/devices/cel/unicode.h"

enum {
    /* Of one compiled pattern with its automaton; about 40,000 instructions. Go has a limit of about that size. */
    PATTERN_BYTES = 4 << 20,
    PATTERNS_MAX = 64,          /* kept in one evaluation; more are too many */
    STEPS_PER_PATTERN = 200000, /* compiling takes up to a few milliseconds */
    LOOK_AHEAD = 4096,          /* bytes a step, of text that may have to be looked at to find the next match */
};

struct mu_cel_regex {
    struct mu_re2 *re;
};

struct mu_cel_pattern {
    struct mu_str text;
    const struct mu_cel_regex *regex;
};

static void release(void *ptr) {
    mu_re2_destroy(ptr);
}

const struct mu_cel_regex *mu_cel_regex_compile(struct mu_arena *arena, struct mu_str pattern, struct mu_err *err) {
    struct mu_cel_regex *regex = MU_NEW(arena, struct mu_cel_regex);
    struct mu_re2 *re = mu_re2_create(pattern.len ? pattern.ptr : "", pattern.len, PATTERN_BYTES);
    if (re == NULL)
        mu_arena_exhausted(arena);
    mu_arena_defer(arena, release, re);
    regex->re = re;
    if (mu_re2_error(re) == NULL)
        return regex;
    (void)mu_err_set(err, MU_E_INVALID, "error parsing regexp: %s", mu_re2_error(re));
    return NULL;
}

bool mu_cel_regex_find(const struct mu_cel_regex *regex, struct mu_str text, size_t from, struct mu_str *ret) {
    size_t start, end;
    if (!mu_re2_find(regex->re, text.len ? text.ptr : "", text.len, from, &start, &end))
        return false;
    *ret = mu_str_slice(text, start, end);
    ret->ptr = text.len ? text.ptr + start : "";
    return true;
}

uint64_t mu_cel_regex_steps(const struct mu_cel_regex *regex) {
    return 1 + mu_re2_size(regex->re) / 64;
}

const struct mu_cel_regex *mu_cel_pattern(struct mu_cel_eval *e, struct mu_str pattern, struct mu_err *err) {
    for (uint32_t i = 0; i < e->patterns_len; i++)
        if (mu_str_eq(e->patterns[i].text, pattern))
            return e->patterns[i].regex;
    if (e->patterns == NULL)
        e->patterns = mu_cel_alloc(e, PATTERNS_MAX, sizeof *e->patterns);
    if (e->patterns == NULL || e->patterns_len == PATTERNS_MAX || !mu_cel_step(e, STEPS_PER_PATTERN)) {
        (void)mu_err_set(err, MU_E_LIMIT, "too many different regular expressions in one evaluation");
        return NULL;
    }
    const struct mu_cel_regex *regex = mu_cel_regex_compile(e->arena, pattern, err);
    if (regex)
        e->patterns[e->patterns_len++] = (struct mu_cel_pattern){pattern, regex};
    return regex;
}

/* As Go's FindAll: an empty match right behind the last one is none. `max` below 0: all. */
static struct mu_cel_val find_all(struct mu_cel_eval *e, const struct mu_cel_regex *regex, struct mu_str text,
                                  int64_t max) {
    struct mu_cel_val list = mu_cel_list_make(e, 0);
    size_t at = 0, last_end = SIZE_MAX;
    struct mu_str match;
    while (list.kind == MU_CEL_K_LIST && at <= text.len && (max < 0 || list.list->len < max) &&
           mu_cel_step(e, 1 + (text.len - at) / LOOK_AHEAD) && mu_cel_regex_find(regex, text, at, &match)) {
        size_t start = text.len ? (size_t)(match.ptr - text.ptr) : 0, end = start + match.len, width = 1;
        bool taken = match.len > 0 || start != last_end;
        (void)mu_cel_step(e, (end - at) / 16 * mu_cel_regex_steps(regex));
        last_end = end;
        if (end > at) {
            at = end;
        } else {
            if (at < text.len)
                (void)mu_rune_at(text, at, &width);
            at += width;
        }
        if (taken && !mu_cel_list_push(e, list.list, mu_cel_string(match)))
            break;
    }
    return list;
}

struct mu_cel_val mu_cel_regex_call(struct mu_cel_eval *e, const struct mu_cel_regex *regex,
                                    const struct mu_cel_val *args, uint32_t len, const char *function) {
    if (args[0].kind != MU_CEL_K_STRING || (len > 2 && args[2].kind != MU_CEL_K_INT))
        return mu_cel_no_overload(e);
    if (strcmp(function, "findAll") == 0)
        return find_all(e, regex, args[0].text, len > 2 ? args[2].number : -1);
    struct mu_str match = MU_STR("");
    if (!mu_cel_step(e, 1 + args[0].text.len / 16 * mu_cel_regex_steps(regex)))
        return mu_cel_no_overload(e);
    bool found = mu_cel_regex_find(regex, args[0].text, 0, &match);
    return strcmp(function, "find") == 0 ? mu_cel_string(match) : mu_cel_bool(found);
}

static struct mu_cel_val call(struct mu_cel_eval *e, const struct mu_cel_val *args, uint32_t len,
                              const char *function) {
    struct mu_err err = {0};
    const struct mu_cel_regex *regex = mu_cel_pattern(e, args[1].text, &err);
    return regex ? mu_cel_regex_call(e, regex, args, len, function) : mu_cel_fail(e, "%s", err.text);
}

static struct mu_cel_val matches(struct mu_cel_eval *e, const struct mu_cel_val *args, uint32_t len) {
    return call(e, args, len, "matches");
}

static struct mu_cel_val find(struct mu_cel_eval *e, const struct mu_cel_val *args, uint32_t len) {
    return call(e, args, len, "find");
}

static struct mu_cel_val find_every(struct mu_cel_eval *e, const struct mu_cel_val *args, uint32_t len) {
    return call(e, args, len, "findAll");
}

const struct mu_cel_overload mu_cel_regexes[] = {
    {"matches", "string;string", "bool", matches, .cost = MU_CEL_COST_MATCH},
    {"matches", "string;string", "bool", matches, .cost = MU_CEL_COST_MATCH, .member = true},
    {"find", "string;string", "string", find, .cost = MU_CEL_COST_FIND, .member = true},
    {"findAll", "string;string", "list(string)", find_every, .cost = MU_CEL_COST_FIND, .member = true},
    {"findAll", "string;string;int", "list(string)", find_every, .cost = MU_CEL_COST_FIND, .member = true},
    {0},
};
