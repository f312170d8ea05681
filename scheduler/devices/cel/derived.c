/* CEL for derived attributes: what a value of an expression is as an attribute. */
#include "scheduler/devices/cel/derived.h"
#include "scheduler/devices/cel/libraries.h"
#include "scheduler/devices/cel/program.h"

static bool is_attribute_type(enum mu_cel_kind kind) {
    return kind == MU_CEL_K_BOOL || kind == MU_CEL_K_INT || kind == MU_CEL_K_STRING || kind == MU_CEL_K_SEMVER ||
           kind == MU_CEL_K_DYN || kind == MU_CEL_K_ANY;
}

struct mu_cel_derived {
    const struct mu_cel *program;
};

int mu_cel_derived_compile(struct mu_arena *arena, struct mu_str expression, unsigned features,
                           const struct mu_cel_derived **ret, struct mu_err *err) {
    const struct mu_cel *program;
    int r = mu_cel_device_compile(arena, expression, features, &program, err);
    if (r < 0)
        return r;
    const struct mu_cel_decl *type = program->type;
    bool list = type->kind == MU_CEL_K_LIST && type->params_len > 0 && is_attribute_type(type->params[0]->kind);
    if (!is_attribute_type(type->kind) && !list) {
        struct mu_str text = mu_cel_type_text(arena, type);
        return mu_err_set(err, MU_E_INVALID,
                          "must evaluate to a primitive scalar (string, integer, boolean, semver) or a list of these "
                          "scalars, not " MU_STR_FMT,
                          MU_STR_ARG(text));
    }
    struct mu_cel_derived *derived = MU_NEW(arena, struct mu_cel_derived);
    derived->program = program;
    *ret = derived;
    return 0;
}

static bool scalar(struct mu_arena *arena, struct mu_cel_val v, struct mu_cel_value *ret) {
    switch (v.kind) {
    case MU_CEL_K_BOOL:
        *ret = (struct mu_cel_value){.type = MU_CEL_BOOL, .boolean = v.boolean};
        return true;
    case MU_CEL_K_INT:
        *ret = (struct mu_cel_value){.type = MU_CEL_INT, .number = v.number};
        return true;
    case MU_CEL_K_STRING:
        *ret = (struct mu_cel_value){.type = MU_CEL_STRING, .text = mu_str_dup(arena, v.text)};
        return true;
    case MU_CEL_K_SEMVER:
        *ret = (struct mu_cel_value){.type = MU_CEL_VERSION, .text = mu_cel_semver_print(arena, v.semver)};
        return true;
    default:
        return false;
    }
}

/* False where the items are not all of one of an attribute's types. An empty list is one of strings, as upstream has
 * it. */
static bool list_of(struct mu_arena *arena, const struct mu_cel_list *list, struct mu_cel_value *ret) {
    struct mu_cel_value item = {.type = MU_CEL_STRING};
    if (list->len > 0 && !scalar(arena, list->items[0], &item))
        return false;
    bool *booleans = item.type == MU_CEL_BOOL ? MU_NEW_ARRAY(arena, bool, list->len) : NULL;
    int64_t *numbers = item.type == MU_CEL_INT ? MU_NEW_ARRAY(arena, int64_t, list->len) : NULL;
    struct mu_str *texts = booleans || numbers ? NULL : MU_NEW_ARRAY(arena, struct mu_str, list->len);
    for (uint32_t i = 0; i < list->len; i++) {
        if (list->items[i].kind != list->items[0].kind || !scalar(arena, list->items[i], &item))
            return false;
        if (booleans)
            booleans[i] = item.boolean;
        else if (numbers)
            numbers[i] = item.number;
        else
            texts[i] = item.text;
    }
    *ret = (struct mu_cel_value){.len = list->len};
    if (booleans) {
        ret->type = MU_CEL_BOOLS;
        ret->booleans = booleans;
    } else if (numbers) {
        ret->type = MU_CEL_INTS;
        ret->numbers = numbers;
    } else {
        ret->type = item.type == MU_CEL_VERSION ? MU_CEL_VERSIONS : MU_CEL_STRINGS;
        ret->texts = texts;
    }
    return true;
}

int mu_cel_derived_evaluate(const struct mu_cel_derived *derived, const struct mu_cel_device *device,
                            struct mu_arena *scratch, struct mu_arena *arena, struct mu_cel_value *ret,
                            int64_t *ret_cost, struct mu_err *err) {
    struct mu_arena_mark mark = mu_arena_mark(scratch);
    struct mu_cel_val value;
    struct mu_cel_value result;
    int r = mu_cel_device_run(derived->program, device, scratch, &value, ret_cost, err);
    if (r == 0 && !(value.kind == MU_CEL_K_LIST ? list_of(arena, value.list, &result) : scalar(arena, value, &result)))
        r = mu_err_set(err, MU_E_INVALID, "unsupported CEL return type: " MU_STR_FMT,
                       MU_STR_ARG(mu_cel_kind_name(value.kind)));
    mu_arena_rollback(scratch, mark);
    if (r == 0)
        *ret = result;
    return r;
}
