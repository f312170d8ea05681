/* Looking functions up, and whether values fit them. */
#include "scheduler/devices/cel/functions.h"
#include "scheduler/devices/cel/eval.h"

/* The order is that of upstream's declarations where two libraries add to the same function. */
static const struct mu_cel_overload *const tables[] = {
    mu_cel_operators, mu_cel_conversions, mu_cel_standard,   mu_cel_times,   mu_cel_regexes,
    mu_cel_urls,      mu_cel_optionals,   mu_cel_quantities, mu_cel_strings, mu_cel_sets,
    mu_cel_addresses, mu_cel_formats,     mu_cel_semvers,    mu_cel_lists,   mu_cel_format_strings,
};

const struct mu_cel_overload *const *mu_cel_overloads_of(struct mu_arena *arena, struct mu_str function,
                                                         unsigned features, uint32_t *ret_len) {
    MU_VEC(const struct mu_cel_overload *) found = {0};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct mu_cel_overload *o = tables[t]; o->function; o++)
            if (mu_str_eq(function, mu_str_from(o->function)) && (o->features == 0 || (o->features & features) != 0))
                MU_VEC_PUSH(arena, &found, o);
    *ret_len = (uint32_t)found.len;
    return found.items;
}

uint32_t mu_cel_arity(const struct mu_cel_overload *overload) {
    if (overload->args[0] == '\0')
        return 0;
    uint32_t count = 1;
    for (const char *c = overload->args; *c; c++)
        count += *c == ';';
    return count;
}

static const char *skip_type(const char *text) {
    int depth = 0;
    for (; *text && (depth > 0 || (*text != ';' && *text != ',' && *text != ')')); text++)
        depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
    return text;
}

/* As upstream's run-time types: of a list and a map, the first item decides. */
bool mu_cel_takes(struct mu_cel_eval *e, const char **text, struct mu_cel_val value) {
    static const struct mu_cel_decl any = {.kind = MU_CEL_K_DYN};
    const char *start = *text, *inner = start + strcspn(start, "(;,)");
    *text = skip_type(start);
    if (*start == 'A' || *start == 'B')
        return true;
    char word[16];
    size_t len = (size_t)(inner - start);
    MU_ASSERT(len < sizeof word);
    memcpy(word, start, len);
    word[len] = '\0';
    struct mu_cel_types none = {0};
    const struct mu_cel_decl *variables[2] = {&any, &any};
    const char *at = word;
    enum mu_cel_kind kind = mu_cel_type_read(&none, &at, variables)->kind;
    if (kind == MU_CEL_K_DYN || kind == MU_CEL_K_ANY)
        return true;
    if (kind != value.kind)
        return false;
    if (*inner != '(')
        return true;
    inner++;
    if (kind == MU_CEL_K_LIST)
        return value.list->len == 0 || mu_cel_takes(e, &inner, value.list->items[0]);
    if (kind != MU_CEL_K_MAP || mu_cel_map_len(e, value) == 0)
        return true;
    if (!mu_cel_takes(e, &inner, mu_cel_map_key(e, value, 0)))
        return false;
    inner++;
    return mu_cel_takes(e, &inner, mu_cel_map_value(e, value, 0));
}
