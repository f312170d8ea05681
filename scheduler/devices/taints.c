/* Device taints. */
#include "scheduler/devices/taints.h"

static bool tolerates(const struct mu_device_toleration *toleration, const struct mu_device_taint *taint) {
    if (toleration->effect != MU_DEVICE_EFFECT_ANY && toleration->effect != taint->effect)
        return false;
    if (toleration->key != 0 && toleration->key != taint->key)
        return false;
    return toleration->op == MU_DEVICE_TOLERATE_EXISTS ||
           (toleration->op == MU_DEVICE_TOLERATE_EQUAL && toleration->value == taint->value);
}

bool mu_taint_tolerated(const struct mu_device_taint *taint, const struct mu_device_toleration *tolerations,
                        uint32_t len) {
    for (uint32_t i = 0; i < len; i++)
        if (tolerates(&tolerations[i], taint))
            return true;
    return false;
}

static bool forbids(const struct mu_device_taint *taint, const struct mu_device_ask *ask) {
    bool keeps_away = taint->effect == MU_DEVICE_EFFECT_NO_SCHEDULE || taint->effect == MU_DEVICE_EFFECT_NO_EXECUTE;
    return keeps_away && !mu_taint_tolerated(taint, ask->tolerations, ask->tolerations_len);
}

bool mu_taint_rule_is_for(const struct mu_taint_rule *rule, const struct mu_slice *slice, mu_sym device) {
    return rule->has_selector && rule->meta.invalid.len == 0 && (rule->driver == 0 || rule->driver == slice->driver) &&
           (rule->pool == 0 || rule->pool == slice->pool) && (rule->device == 0 || rule->device == device);
}

bool mu_taints_forbid(const struct mu_alloc *alloc, uint32_t entry, const struct mu_device_ask *ask) {
    const struct mu_device *device = alloc->entries[entry].device;
    for (uint32_t i = 0; i < device->taints_len; i++)
        if (forbids(&device->taints[i], ask))
            return true;
    const struct mu_slice *slice = mu_entry_slice(alloc, entry);
    for (uint32_t i = 0; i < alloc->input.rules_len; i++) {
        const struct mu_taint_rule *rule = alloc->input.rules[i];
        if (mu_taint_rule_is_for(rule, slice, device->name) && forbids(&rule->taint, ask))
            return true;
    }
    return false;
}
