/* Taints and tolerations: the matching rules of core/v1. */
#include "plugins/tolerations.h"

/* What Kubernetes takes for a number here: no plus sign, no leading zeros (apimachinery content.IsDecimalInteger). */
static bool decimal_integer(struct mu_str text, int64_t *ret) {
    size_t digits = text.len > 0 && text.ptr[0] == '-' ? 1 : 0;
    bool zero_first = text.len > digits && text.ptr[digits] == '0';
    if (text.len == digits || text.ptr[0] == '+' || (zero_first && text.len > 1))
        return false;
    return mu_str_to_i64(text, ret);
}

static bool tolerates(const struct mu_toleration *toleration, const struct mu_taint *taint,
                      const struct mu_symbols *symbols) {
    if (toleration->effect != MU_EFFECT_ANY && toleration->effect != taint->effect)
        return false;
    if (toleration->key != 0 && toleration->key != taint->key)
        return false;
    int64_t value = 0;
    switch (toleration->op) {
    case MU_TOLERATE_EQUAL:
        return toleration->value == taint->value;
    case MU_TOLERATE_EXISTS:
        return true;
    case MU_TOLERATE_GT:
        return toleration->has_number && decimal_integer(mu_text(symbols, taint->value), &value) &&
               value > toleration->number;
    case MU_TOLERATE_LT:
        return toleration->has_number && decimal_integer(mu_text(symbols, taint->value), &value) &&
               value < toleration->number;
    }
    return false;
}

bool mu_taint_is_tolerated(const struct mu_pod_spec *spec, const struct mu_taint *taint,
                           const struct mu_symbols *symbols) {
    for (uint32_t i = 0; i < spec->tolerations_len; i++) {
        if (tolerates(&spec->tolerations[i], taint, symbols))
            return true;
    }
    return false;
}

bool mu_taints_are_tolerated(const struct mu_pod_spec *spec, const struct mu_node *node,
                             const struct mu_symbols *symbols) {
    for (uint32_t i = 0; i < node->taints_len; i++) {
        const struct mu_taint *taint = &node->taints[i];
        bool keeps_away = taint->effect == MU_EFFECT_NO_SCHEDULE || taint->effect == MU_EFFECT_NO_EXECUTE;
        if (keeps_away && !mu_taint_is_tolerated(spec, taint, symbols))
            return false;
    }
    return true;
}
