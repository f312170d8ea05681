/* Functions of strings: cel-go's ext.Strings, version 2. Positions are characters. */
#include "scheduler/devices/cel/eval.h"
#include "scheduler/devices/cel/unicode.h"

enum { UNLIMITED = -1 };

/* A part of a text by characters, and whether there is one. */
static struct mu_str characters(struct mu_str text, uint64_t from, uint64_t to) {
    size_t start = mu_rune_offset(text, from);
    struct mu_str rest = mu_str_slice(text, start, text.len);
    return mu_str_slice(rest, 0, mu_rune_offset(rest, to - from));
}

static struct mu_cel_val out_of_range(struct mu_cel_eval *e, int64_t index) {
    return mu_cel_fail(e, "index out of range: %lld", (long long)index);
}

static struct mu_cel_val char_at(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    int64_t index = a[1].number, count = (int64_t)mu_cel_size(e, a[0]);
    if (index < 0 || index > count)
        return out_of_range(e, index);
    if (index == count)
        return mu_cel_string(MU_STR(""));
    return mu_cel_string(characters(a[0].text, (uint64_t)index, (uint64_t)index + 1));
}

static bool stands_at(struct mu_str text, size_t at, struct mu_str part) {
    return part.len <= text.len - at && memcmp(text.ptr + at, part.ptr, part.len) == 0;
}

static struct mu_cel_val index_of(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_str text = a[0].text, part = a[1].text;
    int64_t from = len > 2 ? a[2].number : 0, count = (int64_t)mu_cel_size(e, a[0]);
    if (from < 0 || (e->strict && from > count))
        return out_of_range(e, from);
    if (part.len == 0)
        return mu_cel_int(from > count ? count : from);
    if (from >= count || !mu_cel_step(e, (text.len + part.len) / 8))
        return mu_cel_int(-1);
    size_t start = mu_rune_offset(text, (size_t)from);
    const char *found = memmem(text.ptr + start, text.len - start, part.ptr, part.len);
    if (found == NULL)
        return mu_cel_int(-1);
    return mu_cel_int(from + (int64_t)mu_rune_count(mu_str_slice(text, start, (size_t)(found - text.ptr))));
}

static struct mu_cel_val last_index_of(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_str text = a[0].text, part = a[1].text;
    int64_t count = (int64_t)mu_cel_size(e, a[0]), from = len > 2 ? a[2].number : count - 1;
    if (len == 2 && part.len == 0)
        return mu_cel_int(count);
    if (len == 2 && text.len < part.len)
        return mu_cel_int(-1);
    if (from < 0 || (e->strict && from > count))
        return out_of_range(e, from);
    if (part.len == 0)
        return mu_cel_int(from > count ? count : from);
    if (from >= count)
        return mu_cel_int(-1);
    size_t at = mu_rune_offset(text, (size_t)from);
    for (;;) {
        bool begins = text.ptr[at] == part.ptr[0];
        if (!mu_cel_step(e, begins ? 1 + part.len / 8 : 1))
            return mu_cel_no_overload(e);
        if (begins && stands_at(text, at, part))
            return mu_cel_int((int64_t)mu_rune_count(mu_str_slice(text, 0, at)));
        if (at == 0)
            return mu_cel_int(-1);
        for (at--; at > 0 && ((unsigned char)text.ptr[at] & 0xc0) == 0x80; at--)
            ;
    }
}

/* ASCII letters from `first` to `last` moved by `by`. */
static struct mu_cel_val change_case(struct mu_cel_eval *e, struct mu_str text, char first, char last, int by) {
    char *out = mu_cel_alloc(e, text.len, 1);
    if (out == NULL || !mu_cel_step(e, text.len / 8))
        return mu_cel_no_overload(e);
    for (size_t i = 0; i < text.len; i++)
        out[i] = text.ptr[i] >= first && text.ptr[i] <= last ? (char)(text.ptr[i] + by) : text.ptr[i];
    return mu_cel_string((struct mu_str){out, text.len});
}

static struct mu_cel_val lower(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return change_case(e, a[0].text, 'A', 'Z', 'a' - 'A');
}

static struct mu_cel_val upper(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return change_case(e, a[0].text, 'a', 'z', 'A' - 'a');
}

/* The next place of the part at or after `at`, or SIZE_MAX. An empty one is at every character and at the end. */
static size_t next_place(struct mu_str text, size_t at, struct mu_str part) {
    if (at > text.len)
        return SIZE_MAX;
    if (part.len == 0)
        return at;
    const char *found = text.len > at ? memmem(text.ptr + at, text.len - at, part.ptr, part.len) : NULL;
    return found ? (size_t)(found - text.ptr) : SIZE_MAX;
}

static size_t width_at(struct mu_str text, size_t at) {
    size_t width = 1;
    if (at < text.len)
        (void)mu_rune_at(text, at, &width);
    return width;
}

/* How often, and how long what comes out is; then out is written, where it is not NULL. */
static size_t replace_into(char *out, struct mu_str text, struct mu_str old, struct mu_str new, int64_t max,
                           uint64_t *ret_count) {
    size_t at = 0, len = 0, from = 0;
    *ret_count = 0;
    for (; max < 0 || *ret_count < (uint64_t)max; ++*ret_count) {
        size_t place = next_place(text, from, old);
        if (place == SIZE_MAX)
            break;
        if (out) {
            memcpy(out + len, text.ptr + at, place - at);
            if (new.len > 0)
                memcpy(out + len + (place - at), new.ptr, new.len);
        }
        len += place - at + new.len;
        at = place + old.len;
        from = old.len > 0 ? at : place + width_at(text, place);
    }
    if (out && text.len > at)
        memcpy(out + len, text.ptr + at, text.len - at);
    return len + text.len - at;
}

static struct mu_cel_val replace(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    int64_t max = len > 3 ? a[3].number : UNLIMITED;
    struct mu_str text = {a[0].text.len ? a[0].text.ptr : "", a[0].text.len};
    uint64_t count;
    size_t bytes = replace_into(NULL, text, a[1].text, a[2].text, max, &count);
    char *out = mu_cel_alloc(e, bytes, 1);
    if (out == NULL || !mu_cel_step(e, (bytes + text.len) / 8 + count))
        return mu_cel_no_overload(e);
    (void)replace_into(out, text, a[1].text, a[2].text, max, &count);
    return mu_cel_string((struct mu_str){out, bytes});
}

/* As strings.SplitN: max 0: nothing; below 0: all parts. An empty separator splits after each character. */
static struct mu_cel_val split(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    int64_t max = len > 2 ? a[2].number : UNLIMITED;
    struct mu_str text = a[0].text, separator = a[1].text;
    struct mu_cel_val list = mu_cel_list_make(e, 0);
    if (mu_cel_is_error(list) || max == 0 || !mu_cel_step(e, text.len / 8))
        return list;
    size_t at = 0;
    while (max < 0 || (int64_t)list.list->len < max - 1) {
        size_t place = separator.len > 0 ? next_place(text, at, separator) : at + width_at(text, at);
        if (place == SIZE_MAX || (separator.len == 0 && place >= text.len))
            break;
        if (!mu_cel_list_push(e, list.list, mu_cel_string(mu_str_slice(text, at, place))))
            return list;
        at = place + separator.len;
    }
    if (text.len > 0 || separator.len > 0)
        (void)mu_cel_list_push(e, list.list, mu_cel_string(mu_str_slice(text, at, text.len)));
    return list;
}

static struct mu_cel_val substring(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    int64_t count = (int64_t)mu_cel_size(e, a[0]), start = a[1].number, end = len > 2 ? a[2].number : count;
    if (len > 2 && start > end)
        return mu_cel_fail(e, "invalid substring range. start: %lld, end: %lld", (long long)start, (long long)end);
    if (start < 0 || start > count)
        return out_of_range(e, start);
    if (end < 0 || end > count)
        return out_of_range(e, end);
    return mu_cel_string(characters(a[0].text, (uint64_t)start, (uint64_t)end));
}

/* Unicode's White_Space. */
static bool is_space(uint32_t c) {
    return (c >= 9 && c <= 13) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
           c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

static struct mu_cel_val trim(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_str text = a[0].text;
    size_t start = 0, end = 0, width;
    bool leading = true;
    for (size_t at = 0; at < text.len; at += width) {
        if (is_space(mu_rune_at(text, at, &width))) {
            start = leading ? at + width : start;
        } else {
            leading = false;
            end = at + width;
        }
    }
    (void)mu_cel_step(e, text.len / 8);
    return mu_cel_string(end > start ? mu_str_slice(text, start, end) : MU_STR(""));
}

static struct mu_cel_val join(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_str separator = len > 1 ? a[1].text : (struct mu_str){0};
    const struct mu_cel_list *list = a[0].list;
    size_t bytes = 0, at = 0;
    for (uint32_t i = 0; i < list->len; i++) {
        if (list->items[i].kind != MU_CEL_K_STRING)
            return mu_cel_fail(e, "join: invalid input");
        if (__builtin_add_overflow(bytes, list->items[i].text.len + (i > 0 ? separator.len : 0), &bytes))
            bytes = SIZE_MAX;
    }
    char *out = mu_cel_alloc(e, bytes, 1);
    if (out == NULL || !mu_cel_step(e, list->len + bytes / 8))
        return mu_cel_no_overload(e);
    for (uint32_t i = 0; i < list->len; i++) {
        struct mu_str parts[2] = {i > 0 ? separator : (struct mu_str){0}, list->items[i].text};
        for (int p = 0; p < 2; p++) {
            if (parts[p].len > 0)
                memcpy(out + at, parts[p].ptr, parts[p].len);
            at += parts[p].len;
        }
    }
    return mu_cel_string((struct mu_str){out, bytes});
}

static struct mu_cel_val quote(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    static const char special[] = "\a\b\f\n\r\t\v\\\"", escape[] = "abfnrtv\\\"";
    struct mu_str text = a[0].text;
    char *out = mu_cel_alloc(e, text.len * 3 + 2, 1); /* what is not valid becomes three bytes */
    if (out == NULL || !mu_cel_step(e, text.len / 4))
        return mu_cel_no_overload(e);
    size_t bytes = 0, width;
    out[bytes++] = '"';
    for (size_t at = 0; at < text.len; at += width) {
        uint32_t c = mu_rune_at(text, at, &width);
        const char *found = c != 0 && c < 0x80 ? strchr(special, (int)c) : NULL;
        if (found) {
            out[bytes++] = '\\';
            out[bytes++] = escape[found - special];
        } else {
            bytes += mu_rune_put(out + bytes, c);
        }
    }
    out[bytes++] = '"';
    return mu_cel_string((struct mu_str){out, bytes});
}

static struct mu_cel_val reverse(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_str text = a[0].text;
    char *out = mu_cel_alloc(e, text.len, 1);
    size_t width;
    for (size_t at = 0; out != NULL && at < text.len; at += width) {
        (void)mu_rune_at(text, at, &width);
        memcpy(out + text.len - at - width, text.ptr + at, width);
    }
    return out ? mu_cel_string((struct mu_str){out, text.len}) : mu_cel_no_overload(e);
}

const struct mu_cel_overload mu_cel_strings[] = {
    {"charAt", "string;int", "string", char_at, .member = true},
    {"indexOf", "string;string", "int", index_of, .cost = MU_CEL_COST_WALK, .member = true},
    {"indexOf", "string;string;int", "int", index_of, .cost = MU_CEL_COST_WALK, .member = true},
    {"lastIndexOf", "string;string", "int", last_index_of, .cost = MU_CEL_COST_WALK, .member = true},
    {"lastIndexOf", "string;string;int", "int", last_index_of, .cost = MU_CEL_COST_WALK, .member = true},
    {"lowerAscii", "string", "string", lower, .cost = MU_CEL_COST_SCAN, .member = true},
    {"replace", "string;string;string", "string", replace, .cost = MU_CEL_COST_REBUILD, .member = true},
    {"replace", "string;string;string;int", "string", replace, .cost = MU_CEL_COST_REBUILD, .member = true},
    {"split", "string;string", "list(string)", split, .cost = MU_CEL_COST_REBUILD, .member = true},
    {"split", "string;string;int", "list(string)", split, .cost = MU_CEL_COST_REBUILD, .member = true},
    {"substring", "string;int", "string", substring, .cost = MU_CEL_COST_SCAN, .member = true},
    {"substring", "string;int;int", "string", substring, .cost = MU_CEL_COST_SCAN, .member = true},
    {"trim", "string", "string", trim, .cost = MU_CEL_COST_SCAN, .member = true},
    {"upperAscii", "string", "string", upper, .cost = MU_CEL_COST_SCAN, .member = true},
    {"strings.quote", "string", "string", quote, .cost = MU_CEL_COST_QUOTE},
    {"join", "list(string)", "string", join, .cost = MU_CEL_COST_JOIN, .member = true},
    {"join", "list(string);string", "string", join, .cost = MU_CEL_COST_JOIN, .member = true},
    {"reverse", "string", "string", reverse, .cost = MU_CEL_COST_ONE, .member = true, .features = MU_CEL_SPEC_ONLY},
    {0},
};
