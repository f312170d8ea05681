/* What claims ask for: spec.devices of ResourceClaims and their templates. */
#include "scheduler/objects/decode_dra.h"

enum { CONFIGS_MAX = 32, CAPACITY_REQUESTS_MAX = 32, DERIVED_MAX = 32 };

static void read_mode(struct mu_decode *d, const struct mu_at *at, struct mu_device_ask *ret) {
    struct mu_str mode = mu_field_str(d, at, "allocationMode");
    ret->mode = mode.len == 0 || mu_str_eq(mode, MU_STR("ExactCount")) ? MU_DEVICES_EXACT
                : mu_str_eq(mode, MU_STR("All"))                       ? MU_DEVICES_ALL
                                                                       : MU_DEVICES_OTHER;
    ret->mode_text = mu_decode_sym(d, mode);
    /* The server fills in 1; of All it wants none and older ones wrote one. */
    ret->count = mu_field_int(d, at, "count", 1, ret->mode == MU_DEVICES_EXACT ? 1 : INT64_MIN, INT64_MAX);
}

static void read_derived(struct mu_decode *d, const struct mu_at *at, struct mu_device_ask *ret) {
    struct mu_at list = mu_dra_list(d, at, "derivedAttributes", DERIVED_MAX);
    if (mu_at_len(&list) == 0) {
        return;
    }
    struct mu_derived_attribute *items = MU_NEW_ARRAY(d->arena, struct mu_derived_attribute, mu_at_len(&list));
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            items[ret->derived_len++] = (struct mu_derived_attribute){mu_field_sym_required(d, &item, "name"),
                                                                      mu_field_sym(d, &item, "expression")};
        }
    }
    ret->derived = items;
}

static void read_ask(struct mu_decode *d, const struct mu_at *at, struct mu_device_ask *ret) {
    ret->class = mu_field_sym(d, at, "deviceClassName");
    ret->selectors_len = mu_dra_selectors(d, at, &ret->selectors);
    read_mode(d, at, ret);
    struct mu_at admin = mu_at_field(d, at, "adminAccess", MU_VALUE_BOOL);
    ret->has_admin_access = admin.value != NULL;
    ret->admin_access = admin.value != NULL && admin.value->boolean;
    ret->tolerations_len = mu_dra_tolerations(d, at, &ret->tolerations);
    struct mu_at capacity = mu_at_object(d, at, "capacity");
    ret->has_capacity = capacity.value != NULL;
    ret->capacity_len = mu_dra_quantities(d, &capacity, "requests", false, &ret->capacity);
    if (ret->capacity_len > CAPACITY_REQUESTS_MAX) {
        mu_decode_invalid(d, &capacity, "requests", "has %u items, %d are allowed", ret->capacity_len,
                          CAPACITY_REQUESTS_MAX);
    }
    read_derived(d, at, ret);
}

static void read_alternatives(struct mu_decode *d, const struct mu_at *list, struct mu_device_request *ret) {
    struct mu_device_ask *items = MU_NEW_ARRAY(d->arena, struct mu_device_ask, mu_at_len(list));
    for (size_t i = 0; i < mu_at_len(list); i++) {
        struct mu_at item = mu_at_item(d, list, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            struct mu_device_ask *ask = &items[ret->alternatives_len++];
            ask->name = mu_field_sym_required(d, &item, "name");
            read_ask(d, &item, ask);
            /* Not in the API: alternatives have no admin access. */
            ask->admin_access = ask->has_admin_access = false;
        }
    }
    ret->alternatives = items;
}

static void read_request(struct mu_decode *d, const struct mu_at *item, struct mu_device_request *ret) {
    ret->name = mu_field_sym_required(d, item, "name");
    struct mu_at alternatives = mu_dra_list(d, item, "firstAvailable", MU_LIMIT_CLAIM_ALTERNATIVES);
    if (mu_at_len(&alternatives) > 0) {
        read_alternatives(d, &alternatives, ret);
        return;
    }
    /* v1beta1 has the fields of `exactly` beside the name. */
    struct mu_at exactly = mu_at_object(d, item, "exactly");
    read_ask(d, exactly.value != NULL ? &exactly : item, &ret->exactly);
    ret->exactly.name = ret->name;
}

static void read_requests(struct mu_decode *d, const struct mu_at *devices, struct mu_claim *ret) {
    struct mu_at list = mu_dra_list(d, devices, "requests", MU_LIMIT_CLAIM_REQUESTS);
    if (mu_at_len(&list) == 0) {
        return;
    }
    struct mu_device_request *items = MU_NEW_ARRAY(d->arena, struct mu_device_request, mu_at_len(&list));
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            read_request(d, &item, &items[ret->requests_len++]);
        }
    }
    ret->requests = items;
}

static void read_constraint(struct mu_decode *d, const struct mu_at *item, struct mu_device_constraint *ret) {
    mu_sym match = mu_field_sym(d, item, "matchAttribute"), distinct = mu_field_sym(d, item, "distinctAttribute");
    ret->kind = match != 0 ? MU_DEVICE_MATCH : distinct != 0 ? MU_DEVICE_DISTINCT : MU_DEVICE_CONSTRAINT_OTHER;
    ret->attribute = match != 0 ? match : distinct;
    ret->requests_len = mu_dra_syms(d, item, "requests", MU_LIMIT_CLAIM_REQUESTS, &ret->requests);
}

static void read_constraints(struct mu_decode *d, const struct mu_at *devices, struct mu_claim *ret) {
    struct mu_at list = mu_dra_list(d, devices, "constraints", MU_LIMIT_CLAIM_CONSTRAINTS);
    if (mu_at_len(&list) == 0) {
        return;
    }
    struct mu_device_constraint *items = MU_NEW_ARRAY(d->arena, struct mu_device_constraint, mu_at_len(&list));
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            read_constraint(d, &item, &items[ret->constraints_len++]);
        }
    }
    ret->constraints = items;
}

void mu_dra_claim_spec(struct mu_decode *d, const struct mu_at *spec, struct mu_claim *ret) {
    struct mu_at devices = mu_at_object(d, spec, "devices");
    read_requests(d, &devices, ret);
    read_constraints(d, &devices, ret);
    ret->configs_len = mu_dra_configs(d, &devices, CONFIGS_MAX, &ret->configs);
}
