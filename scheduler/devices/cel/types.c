/* Types: unification as upstream's checker does it, with a trail instead of copies of the whole mapping. */
#include "scheduler/devices/cel/types.h"

static const struct {
    const char *shown, *written; /* in messages; in the tables of functions */
} names[MU_CEL_K_COUNT] = {
    [MU_CEL_K_ERROR] = {"!error!", ""},
    [MU_CEL_K_NULL] = {"null", "null"},
    [MU_CEL_K_BOOL] = {"bool", "bool"},
    [MU_CEL_K_INT] = {"int", "int"},
    [MU_CEL_K_UINT] = {"uint", "uint"},
    [MU_CEL_K_DOUBLE] = {"double", "double"},
    [MU_CEL_K_STRING] = {"string", "string"},
    [MU_CEL_K_BYTES] = {"bytes", "bytes"},
    [MU_CEL_K_DURATION] = {"duration", "duration"},
    [MU_CEL_K_TIMESTAMP] = {"timestamp", "timestamp"},
    [MU_CEL_K_LIST] = {"list", "list"},
    [MU_CEL_K_MAP] = {"map", "map"},
    [MU_CEL_K_TYPE] = {"type", "type"},
    [MU_CEL_K_OPTIONAL] = {"optional_type", "optional"},
    [MU_CEL_K_QUANTITY] = {"kubernetes.Quantity", "quantity"},
    [MU_CEL_K_SEMVER] = {"kubernetes.Semver", "semver"},
    [MU_CEL_K_IP] = {"net.IP", "ip"},
    [MU_CEL_K_CIDR] = {"net.CIDR", "cidr"},
    [MU_CEL_K_URL] = {"kubernetes.URL", "url"},
    [MU_CEL_K_FORMAT] = {"kubernetes.NamedFormat", "format"},
    [MU_CEL_K_DYN] = {"dyn", "dyn"},
    [MU_CEL_K_ANY] = {"any", "any"},
    [MU_CEL_K_PARAM] = {"_var", ""},
    [MU_CEL_K_DEVICE] = {"kubernetes.DRADevice", "device"},
};

#define PLAIN(of) [of] = {.kind = (of), .size = 1}

static const struct mu_cel_decl plain[MU_CEL_K_COUNT] = {
    PLAIN(MU_CEL_K_ERROR),  PLAIN(MU_CEL_K_NULL),     PLAIN(MU_CEL_K_BOOL),     PLAIN(MU_CEL_K_INT),
    PLAIN(MU_CEL_K_UINT),   PLAIN(MU_CEL_K_DOUBLE),   PLAIN(MU_CEL_K_STRING),   PLAIN(MU_CEL_K_BYTES),
    PLAIN(MU_CEL_K_DYN),    PLAIN(MU_CEL_K_ANY),      PLAIN(MU_CEL_K_DURATION), PLAIN(MU_CEL_K_TIMESTAMP),
    PLAIN(MU_CEL_K_LIST),   PLAIN(MU_CEL_K_MAP),      PLAIN(MU_CEL_K_TYPE),     PLAIN(MU_CEL_K_OPTIONAL),
    PLAIN(MU_CEL_K_SEMVER), PLAIN(MU_CEL_K_QUANTITY), PLAIN(MU_CEL_K_IP),       PLAIN(MU_CEL_K_CIDR),
    PLAIN(MU_CEL_K_URL),    PLAIN(MU_CEL_K_FORMAT),   PLAIN(MU_CEL_K_PARAM),    PLAIN(MU_CEL_K_DEVICE),
};

const struct mu_cel_decl *mu_cel_type_of(enum mu_cel_kind kind) {
    return &plain[kind];
}

static const struct mu_cel_decl *make(struct mu_arena *arena, enum mu_cel_kind kind, const struct mu_cel_decl *first,
                                      const struct mu_cel_decl *second) {
    struct mu_cel_decl *type = MU_NEW(arena, struct mu_cel_decl);
    type->kind = kind;
    type->params_len = second ? 2 : 1;
    type->params[0] = first;
    type->params[1] = second;
    uint64_t size = (uint64_t)1 + first->size + (second ? second->size : 0);
    type->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
    return type;
}

const struct mu_cel_decl *mu_cel_type_list(struct mu_arena *arena, const struct mu_cel_decl *item) {
    return make(arena, MU_CEL_K_LIST, item, NULL);
}

const struct mu_cel_decl *mu_cel_type_map(struct mu_arena *arena, const struct mu_cel_decl *key,
                                          const struct mu_cel_decl *value) {
    return make(arena, MU_CEL_K_MAP, key, value);
}

const struct mu_cel_decl *mu_cel_type_wrap(struct mu_arena *arena, enum mu_cel_kind kind,
                                           const struct mu_cel_decl *inner) {
    return make(arena, kind, inner, NULL);
}

static void write_type(struct mu_buf *out, const struct mu_cel_decl *type) {
    mu_buf_add(out, mu_str_from(names[type->kind].shown));
    if (type->kind == MU_CEL_K_PARAM)
        mu_buf_printf(out, "%u", type->variable);
    for (uint32_t i = 0; i < type->params_len; i++) {
        mu_buf_add(out, i == 0 ? MU_STR("(") : MU_STR(", "));
        write_type(out, type->params[i]);
    }
    if (type->params_len > 0)
        mu_buf_add_char(out, ')');
}

struct mu_str mu_cel_type_text(struct mu_arena *arena, const struct mu_cel_decl *type) {
    struct mu_buf out;
    mu_buf_init(&out, arena);
    write_type(&out, type);
    return mu_buf_str(&out);
}

bool mu_cel_type_same(const struct mu_cel_decl *a, const struct mu_cel_decl *b) {
    if (a == b)
        return true;
    if (a->kind != b->kind || a->params_len != b->params_len || a->variable != b->variable || a->size != b->size)
        return false;
    for (uint32_t i = 0; i < a->params_len; i++)
        if (!mu_cel_type_same(a->params[i], b->params[i]))
            return false;
    return true;
}

/* ---- Reading ---- */

static enum mu_cel_kind kind_written(const char *text, size_t len) {
    int kind = 1;
    while (kind < MU_CEL_K_COUNT && (strlen(names[kind].written) != len || memcmp(names[kind].written, text, len) != 0))
        kind++;
    MU_ASSERT(kind < MU_CEL_K_COUNT); /* the tables have known types only */
    return (enum mu_cel_kind)kind;
}

const struct mu_cel_decl *mu_cel_type_variable(struct mu_cel_types *types) {
    struct mu_cel_decl *type = MU_NEW(types->arena, struct mu_cel_decl);
    type->kind = MU_CEL_K_PARAM;
    type->size = 1;
    type->variable = (uint32_t)types->bound.len;
    MU_VEC_PUSH(types->arena, &types->bound, NULL);
    return type;
}

const struct mu_cel_decl *mu_cel_type_read(struct mu_cel_types *types, const char **text,
                                           const struct mu_cel_decl *variables[2]) {
    const char *start = *text;
    if (*start == 'A' || *start == 'B') {
        const struct mu_cel_decl **variable = &variables[*start - 'A'];
        if (*variable == NULL)
            *variable = mu_cel_type_variable(types);
        *text = start + 1;
        return *variable;
    }
    size_t len = strcspn(start, "(),;");
    enum mu_cel_kind kind = kind_written(start, len);
    *text = start + len;
    if (**text != '(')
        return mu_cel_type_of(kind);
    ++*text;
    const struct mu_cel_decl *first = mu_cel_type_read(types, text, variables), *second = NULL;
    if (**text == ',') {
        ++*text;
        second = mu_cel_type_read(types, text, variables);
    }
    ++*text; /* the closing parenthesis */
    return make(types->arena, kind, first, second);
}

/* ---- Unification ---- */

static const struct mu_cel_decl *binding(const struct mu_cel_types *types, const struct mu_cel_decl *type) {
    return type->kind == MU_CEL_K_PARAM ? types->bound.items[type->variable] : NULL;
}

static void bind(struct mu_cel_types *types, const struct mu_cel_decl *variable, const struct mu_cel_decl *to) {
    MU_VEC_PUSH(types->arena, &types->trail, variable->variable);
    MU_VEC_PUSH(types->arena, &types->trail_was, types->bound.items[variable->variable]);
    types->bound.items[variable->variable] = to;
}

static void undo(struct mu_cel_types *types, size_t to) {
    while (types->trail.len > to) {
        types->trail.len--;
        types->trail_was.len--;
        types->bound.items[types->trail.items[types->trail.len]] = types->trail_was.items[types->trail_was.len];
    }
}

/* Is the variable nowhere in the type, so that it can stand for it? */
static bool absent(struct mu_cel_types *types, const struct mu_cel_decl *variable, const struct mu_cel_decl *in) {
    if (mu_cel_type_same(variable, in))
        return false;
    const struct mu_cel_decl *to = binding(types, in);
    if (to)
        return absent(types, variable, to);
    for (uint32_t i = 0; i < in->params_len; i++)
        if (!absent(types, variable, in->params[i]))
            return false;
    return true;
}

static bool assign(struct mu_cel_types *types, const struct mu_cel_decl *a, const struct mu_cel_decl *b);

/* Can variable b stand for a? *ret_bound: it stands for something already. */
static bool assign_variable(struct mu_cel_types *types, const struct mu_cel_decl *a, const struct mu_cel_decl *b,
                            bool *ret_bound) {
    *ret_bound = true;
    if (mu_cel_type_same(a, b))
        return true;
    const struct mu_cel_decl *to = binding(types, b);
    if (to) {
        if (mu_cel_type_same(a, to))
            return true;
        if (!assign(types, a, to))
            return false;
        const struct mu_cel_decl *general = mu_cel_type_general(a, to);
        if (absent(types, b, general))
            bind(types, b, general);
        return true;
    }
    *ret_bound = false;
    if (!absent(types, b, a))
        return false;
    bind(types, b, a);
    return true;
}

static bool is_dyn(const struct mu_cel_decl *type) {
    return type->kind == MU_CEL_K_DYN || type->kind == MU_CEL_K_ANY;
}

static bool takes_null(const struct mu_cel_decl *type) {
    switch (type->kind) {
    case MU_CEL_K_NULL:
    case MU_CEL_K_OPTIONAL:
    case MU_CEL_K_IP:
    case MU_CEL_K_CIDR:
    case MU_CEL_K_QUANTITY:
    case MU_CEL_K_SEMVER:
    case MU_CEL_K_URL:
    case MU_CEL_K_FORMAT:
    case MU_CEL_K_DEVICE:
    case MU_CEL_K_DURATION:
    case MU_CEL_K_TIMESTAMP:
        return true;
    default:
        return false;
    }
}

static bool assign(struct mu_cel_types *types, const struct mu_cel_decl *a, const struct mu_cel_decl *b) {
    bool bound;
    if (a->size > MU_CEL_TYPE_NODES_MAX || b->size > MU_CEL_TYPE_NODES_MAX) {
        types->too_large = true;
        return false;
    }
    if (b->kind == MU_CEL_K_PARAM) {
        if (assign_variable(types, a, b, &bound))
            return true;
        if (bound)
            return false;
    }
    if (a->kind == MU_CEL_K_PARAM)
        return assign_variable(types, b, a, &bound);
    if (is_dyn(a) || is_dyn(b) || a->kind == MU_CEL_K_ERROR || b->kind == MU_CEL_K_ERROR)
        return true;
    if (a->kind == MU_CEL_K_NULL)
        return takes_null(b);
    if (b->kind == MU_CEL_K_NULL)
        return takes_null(a);
    if (a->kind != b->kind)
        return false;
    if (a->kind == MU_CEL_K_TYPE)
        return true;
    if (a->params_len != b->params_len)
        return false;
    for (uint32_t i = 0; i < a->params_len; i++)
        if (!assign(types, a->params[i], b->params[i]))
            return false;
    return true;
}

bool mu_cel_type_assign_all(struct mu_cel_types *types, const struct mu_cel_decl *const *a,
                            const struct mu_cel_decl *const *b, uint32_t len) {
    size_t mark = types->trail.len;
    for (uint32_t i = 0; i < len; i++) {
        if (!assign(types, a[i], b[i])) {
            undo(types, mark);
            return false;
        }
    }
    return true;
}

bool mu_cel_type_assign(struct mu_cel_types *types, const struct mu_cel_decl *a, const struct mu_cel_decl *b) {
    return mu_cel_type_assign_all(types, &a, &b, 1);
}

static bool no_more_specific(const struct mu_cel_decl *a, const struct mu_cel_decl *b) {
    if (is_dyn(a) || a->kind == MU_CEL_K_PARAM)
        return true;
    if (is_dyn(b) || b->kind == MU_CEL_K_PARAM || a->kind != b->kind)
        return false;
    if (a->kind == MU_CEL_K_TYPE)
        return true;
    for (uint32_t i = 0; i < a->params_len && i < b->params_len; i++)
        if (!no_more_specific(a->params[i], b->params[i]))
            return false;
    return true;
}

const struct mu_cel_decl *mu_cel_type_general(const struct mu_cel_decl *a, const struct mu_cel_decl *b) {
    return no_more_specific(a, b) ? a : b;
}

const struct mu_cel_decl *mu_cel_type_resolve(struct mu_cel_types *types, const struct mu_cel_decl *type, bool to_dyn) {
    const struct mu_cel_decl *to = binding(types, type);
    if (to)
        return mu_cel_type_resolve(types, to, to_dyn);
    if (type->kind == MU_CEL_K_PARAM)
        return to_dyn ? mu_cel_type_of(MU_CEL_K_DYN) : type;
    if (type->params_len == 0)
        return type;
    if (type->size > MU_CEL_TYPE_NODES_MAX) {
        types->too_large = true;
        return mu_cel_type_of(MU_CEL_K_DYN);
    }
    const struct mu_cel_decl *params[2] = {NULL, NULL};
    bool same = true;
    for (uint32_t i = 0; i < type->params_len; i++) {
        params[i] = mu_cel_type_resolve(types, type->params[i], to_dyn);
        same = same && params[i] == type->params[i];
    }
    return same ? type : make(types->arena, type->kind, params[0], params[1]);
}
