/* URLs: Kubernetes' url library, on what Go's net/url takes for one. */
#include "scheduler/devices/cel/eval.h"
#include "scheduler/devices/cel/libraries.h"

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static int hex(char c) {
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_one_of(char c, const char *set) {
    return c != '\0' && strchr(set, c) != NULL;
}

static bool is_unreserved(char c) {
    return is_letter(c) || is_digit(c) || is_one_of(c, "-_.~");
}

static struct mu_str after(struct mu_str text, size_t from) {
    return mu_str_slice(text, from, text.len);
}

/* The part up to the first `c`; *ret_rest is what follows it, empty where there is none. */
static struct mu_str cut(struct mu_str text, char c, struct mu_str *ret_rest) {
    ptrdiff_t at = mu_str_index(text, c);
    *ret_rest = at < 0 ? (struct mu_str){0} : after(text, (size_t)at + 1);
    return at < 0 ? text : mu_str_slice(text, 0, (size_t)at);
}

/* %41 becomes A; false where a percent sign does not begin such a code. */
static bool unescape(struct mu_arena *arena, struct mu_str text, bool plus, struct mu_str *ret) {
    struct mu_buf out;
    mu_buf_init(&out, arena);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '%') {
            if (text.len - i < 3 || hex(text.ptr[i + 1]) < 0 || hex(text.ptr[i + 2]) < 0)
                return false;
            c = (char)(hex(text.ptr[i + 1]) * 16 + hex(text.ptr[i + 2]));
            i += 2;
        } else if (c == '+' && plus) {
            c = ' ';
        }
        mu_buf_add_char(&out, c);
    }
    *ret = mu_buf_str(&out);
    return true;
}

/* What may stand in a host: not much that is ASCII, and codes of what is not. */
static bool is_host(struct mu_str text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '%') {
            bool code = text.len - i >= 3 && hex(text.ptr[i + 1]) >= 0 && hex(text.ptr[i + 2]) >= 0;
            bool percent = code && text.ptr[i + 1] == '2' && text.ptr[i + 2] == '5';
            if (!code || (hex(text.ptr[i + 1]) < 8 && !percent))
                return false;
        } else if ((unsigned char)c < 0x80 && !is_unreserved(c) && !is_one_of(c, "!$&'()*+,;=:[]<>\"")) {
            return false;
        }
    }
    return true;
}

static bool is_port(struct mu_str text) {
    if (text.len == 0)
        return true;
    if (text.ptr[0] != ':')
        return false;
    for (size_t i = 1; i < text.len; i++)
        if (!is_digit(text.ptr[i]))
            return false;
    return true;
}

static ptrdiff_t last_index(struct mu_str text, char c) {
    for (size_t i = text.len; i-- > 0;)
        if (text.ptr[i] == c)
            return (ptrdiff_t)i;
    return -1;
}

static bool read_host(struct mu_arena *arena, struct mu_str text, struct mu_cel_url *ret) {
    bool bracket = text.len > 0 && text.ptr[0] == '[';
    ptrdiff_t end = last_index(text, bracket ? ']' : ':');
    if (bracket && end < 0)
        return false;
    if (end >= 0 && !is_port(after(text, (size_t)end + bracket)))
        return false;
    return is_host(text) && unescape(arena, text, false, &ret->host);
}

static bool read_authority(struct mu_arena *arena, struct mu_str text, struct mu_cel_url *ret) {
    ptrdiff_t at = last_index(text, '@');
    ret->has_authority = true;
    if (at >= 0) {
        ret->has_user = true;
        ret->user = mu_str_slice(text, 0, (size_t)at);
        for (size_t i = 0; i < ret->user.len; i++)
            if (!is_unreserved(ret->user.ptr[i]) && !is_one_of(ret->user.ptr[i], ":!$&'()*+,;=%@"))
                return false;
        struct mu_str ignored;
        if (!unescape(arena, ret->user, false, &ignored))
            return false;
    }
    return read_host(arena, after(text, (size_t)(at + 1)), ret);
}

/* Takes a scheme off the text; false where what stands before a colon is none. */
static bool take_scheme(struct mu_arena *arena, struct mu_str *text, struct mu_str *ret) {
    struct mu_buf out;
    mu_buf_init(&out, arena);
    *ret = (struct mu_str){0};
    for (size_t i = 0; i < text->len; i++) {
        char c = text->ptr[i];
        if (c == ':') {
            *ret = mu_buf_str(&out);
            *text = after(*text, i + 1);
            return i > 0;
        }
        if (!is_letter(c) && (i == 0 || (!is_digit(c) && !is_one_of(c, "+-."))))
            return true;
        mu_buf_add_char(&out, c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c);
    }
    return true;
}

static bool has_control(struct mu_str text) {
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f)
            return true;
    return false;
}

/* `request`: as an HTTP request has it: absolute, or a path; no fragment is taken off. */
static bool read_url(struct mu_arena *arena, struct mu_str text, bool request, struct mu_cel_url *ret) {
    *ret = (struct mu_cel_url){0};
    if (has_control(text) || text.len == 0)
        return false;
    if (mu_str_eq(text, MU_STR("*"))) {
        ret->path = text;
        return true;
    }
    struct mu_str rest = text, ignored;
    if (!request)
        rest = cut(rest, '#', &ret->fragment);
    if (!take_scheme(arena, &rest, &ret->scheme))
        return false;
    rest = cut(rest, '?', &ret->query);
    if (rest.len == 0 || rest.ptr[0] != '/') {
        if (ret->scheme.len == 0)
            return false; /* a request must begin with a slash; nothing else gets here */
        ret->opaque = rest;
        return true;
    }
    if ((ret->scheme.len > 0 || !request) && mu_str_starts(rest, MU_STR("//"))) {
        struct mu_str authority = cut(after(rest, 2), '/', &ignored);
        rest = after(rest, 2 + authority.len);
        if (!read_authority(arena, authority, ret))
            return false;
    }
    ret->path = rest;
    return unescape(arena, rest, false, &ignored);
}

bool mu_cel_url_read(struct mu_arena *arena, struct mu_str text, struct mu_cel_url *ret) {
    struct mu_cel_url request;
    struct mu_str ignored;
    return read_url(arena, text, true, &request) && read_url(arena, text, false, ret) &&
           unescape(arena, ret->fragment, false, &ignored);
}

bool mu_cel_uri_valid(struct mu_arena *arena, struct mu_str text) {
    struct mu_cel_url ignored;
    return read_url(arena, text, true, &ignored);
}

bool mu_cel_url_equal(const struct mu_cel_url *a, const struct mu_cel_url *b) {
    return mu_str_eq(a->scheme, b->scheme) && mu_str_eq(a->user, b->user) && mu_str_eq(a->host, b->host) &&
           mu_str_eq(a->path, b->path) && mu_str_eq(a->query, b->query) && mu_str_eq(a->fragment, b->fragment) &&
           mu_str_eq(a->opaque, b->opaque) && a->has_user == b->has_user;
}

/* ---- Functions ---- */

static struct mu_cel_val url(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_cel_url *value = mu_cel_alloc(e, 1, sizeof *value);
    if (value == NULL || !mu_cel_reserve(e, a[0].text.len * 4) || !mu_cel_url_read(e->arena, a[0].text, value))
        return mu_cel_fail(e, "URL parse error during conversion from string: " MU_STR_FMT, MU_STR_ARG(a[0].text));
    return (struct mu_cel_val){.kind = MU_CEL_K_URL, .url = value};
}

static struct mu_cel_val is_url(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(mu_cel_reserve(e, a[0].text.len * 4) && mu_cel_uri_valid(e->arena, a[0].text));
}

static struct mu_cel_val get_scheme(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_string(a[0].url->scheme);
}

static struct mu_cel_val get_host(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_string(a[0].url->host);
}

/* Where the port begins, or the end. */
static size_t port_at(struct mu_str host) {
    ptrdiff_t colon = last_index(host, ':'), bracket = last_index(host, ']');
    return colon >= 0 && colon > bracket ? (size_t)colon : host.len;
}

static struct mu_cel_val get_hostname(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_str host = mu_str_slice(a[0].url->host, 0, port_at(a[0].url->host));
    if (host.len >= 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']')
        host = mu_str_slice(host, 1, host.len - 1);
    return mu_cel_string(host);
}

static struct mu_cel_val get_port(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_str host = a[0].url->host;
    return mu_cel_string(after(host, port_at(host) + 1));
}

/* As it was written where that is valid; otherwise with all that must be escaped. */
static struct mu_cel_val get_escaped_path(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_str path = a[0].url->path, plain;
    bool valid = true;
    for (size_t i = 0; i < path.len; i++)
        valid = valid && (is_unreserved(path.ptr[i]) || is_one_of(path.ptr[i], "!$&'()*+,;=:@[]%/"));
    if (valid || !mu_cel_reserve(e, path.len * 4) || !unescape(e->arena, path, false, &plain))
        return mu_cel_string(path);
    struct mu_buf out;
    mu_buf_init(&out, e->arena);
    for (size_t i = 0; i < plain.len; i++) {
        char c = plain.ptr[i];
        if (is_unreserved(c) || is_one_of(c, "$&+/:=@"))
            mu_buf_add_char(&out, c);
        else
            mu_buf_printf(&out, "%%%02X", (unsigned char)c);
    }
    return mu_cel_string(mu_buf_str(&out));
}

static bool add_parameter(struct mu_cel_eval *e, struct mu_cel_val map, struct mu_str part) {
    struct mu_str value, name = cut(part, '=', &value);
    if (part.len == 0 || mu_str_index(part, ';') >= 0 || !unescape(e->arena, name, true, &name) ||
        !unescape(e->arena, value, true, &value))
        return true; /* passed over, as upstream does */
    struct mu_cel_val key = mu_cel_string(name), list;
    if (!mu_cel_map_find(e, map, key, &list)) {
        list = mu_cel_list_make(e, 0);
        if (mu_cel_is_error(list) || mu_cel_is_error(mu_cel_map_put(e, map, key, list, true)))
            return false;
    }
    return mu_cel_list_push(e, list.list, mu_cel_string(value));
}

static struct mu_cel_val get_query(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_cel_val map = mu_cel_map_make(e, 0);
    struct mu_str rest = a[0].url->query;
    if (!mu_cel_reserve(e, rest.len * 4))
        return mu_cel_no_overload(e);
    while (rest.len > 0 && map.kind == MU_CEL_K_MAP) {
        struct mu_str part = cut(rest, '&', &rest);
        if (!add_parameter(e, map, part))
            return mu_cel_no_overload(e);
    }
    return map;
}

#define GET(function, result, fn)                                                                                      \
    { function, "url", result, fn, .cost = MU_CEL_COST_FLAT, .member = true }

const struct mu_cel_overload mu_cel_urls[] = {
    {"url", "string", "url", url, .cost = MU_CEL_COST_SCAN},
    GET("getScheme", "string", get_scheme),
    GET("getHost", "string", get_host),
    GET("getHostname", "string", get_hostname),
    GET("getPort", "string", get_port),
    GET("getEscapedPath", "string", get_escaped_path),
    GET("getQuery", "map(string,list(string))", get_query),
    {"isURL", "string", "bool", is_url},
    {0},
};
