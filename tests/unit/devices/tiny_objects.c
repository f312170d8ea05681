/* Tiny worlds as the objects that the allocator reads. */
#include "tests/unit/devices/tiny.h"

struct maker {
    const struct tiny_world *world;
    struct mu_arena *arena;
    struct mu_symbols *symbols;
};

static mu_sym sym(struct maker *m, const char *text) {
    return mu_intern(m->symbols, mu_str_from(text));
}

static mu_sym numbered(struct maker *m, const char *name, int number) {
    return mu_intern(m->symbols, mu_str_printf(m->arena, "%s%d", name, number));
}

static struct mu_quantity units(int amount) {
    return (struct mu_quantity){(mu_i128)amount * 1000000000, false};
}

/* ---- Slices ---- */

static const struct mu_capacity_policy *policy_of(struct maker *m, enum tiny_policy policy) {
    struct mu_capacity_policy *ret = MU_NEW(m->arena, struct mu_capacity_policy);
    ret->has_default = true;
    if (policy == TINY_POLICY_STEPS) {
        ret->has_range = ret->has_min = ret->has_max = ret->has_step = true;
        ret->fallback = ret->min = ret->step = units(2);
        ret->max = units(6);
    } else if (policy == TINY_POLICY_VALUES) {
        struct mu_quantity *values = MU_NEW_ARRAY(m->arena, struct mu_quantity, 3);
        for (int i = 0; i < 3; i++)
            values[i] = units(2 * i + 1);
        ret->fallback = units(1);
        ret->values = values;
        ret->values_len = 3;
    } else {
        return NULL;
    }
    return ret;
}

static void add_attributes(struct maker *m, const struct tiny_device *from, struct mu_device *ret) {
    struct mu_device_attribute *attributes = MU_NEW_ARRAY(m->arena, struct mu_device_attribute, 2);
    attributes[0] = (struct mu_device_attribute){.name = sym(m, "kind"),
                                                 .type = MU_ATTRIBUTE_STRING,
                                                 .text = numbered(m, "kind-", from->kind)};
    ret->attributes_len = 1;
    if (from->numa != 0) {
        int64_t *numbers = MU_NEW_ARRAY(m->arena, int64_t, 3);
        struct mu_device_attribute *numa = &attributes[ret->attributes_len++];
        *numa = (struct mu_device_attribute){.name = sym(m, "driver/numa"), .type = MU_ATTRIBUTE_INTS};
        for (int bit = 0; bit < 3; bit++)
            if (from->numa >> bit & 1)
                numbers[numa->len++] = bit;
        numa->numbers = numbers;
        if (!from->list) {
            numa->type = MU_ATTRIBUTE_INT;
            numa->number = numbers[0];
        }
    }
    ret->attributes = attributes;
}

static void add_use(struct maker *m, const struct tiny_device *from, struct mu_device *ret) {
    struct mu_counter_use *use = MU_NEW(m->arena, struct mu_counter_use);
    struct mu_named_quantity *counter = MU_NEW(m->arena, struct mu_named_quantity);
    mu_sym *groups = MU_NEW_ARRAY(m->arena, mu_sym, 3);
    *counter = (struct mu_named_quantity){sym(m, "slots"), units(from->takes)};
    *use = (struct mu_counter_use){.set = numbered(m, "set-", from->set), .counters = counter, .counters_len = 1};
    for (int bit = 0; bit < 3; bit++)
        if (from->groups >> bit & 1)
            groups[use->groups_len++] = numbered(m, "group-", bit);
    use->groups = groups;
    ret->uses = use;
    ret->uses_len = 1;
}

static struct mu_device device_of(struct maker *m, int index) {
    const struct tiny_device *from = &m->world->devices[index];
    struct mu_device ret = {.name = numbered(m, "device-", index), .shared = from->shared};
    struct mu_device_capacity *capacity = MU_NEW(m->arena, struct mu_device_capacity);
    *capacity = (struct mu_device_capacity){sym(m, "memory"), units(from->capacity), policy_of(m, from->policy)};
    ret.capacity = capacity;
    ret.capacity_len = 1;
    add_attributes(m, from, &ret);
    if (from->set >= 0)
        add_use(m, from, &ret);
    if (from->tainted) {
        struct mu_device_taint *taint = MU_NEW(m->arena, struct mu_device_taint);
        taint->key = sym(m, "broken");
        taint->effect = MU_DEVICE_EFFECT_NO_SCHEDULE;
        ret.taints = taint;
        ret.taints_len = 1;
    }
    return ret;
}

static struct mu_slice *empty_slice(struct maker *m, const char *name) {
    struct mu_slice *ret = MU_NEW(m->arena, struct mu_slice);
    ret->meta.name = sym(m, name);
    ret->driver = sym(m, "driver");
    ret->pool = sym(m, "pool");
    ret->generation = 1;
    ret->slice_count = 2;
    ret->reach.node = ret->node = sym(m, "node");
    return ret;
}

static const struct mu_slice *counters_slice(struct maker *m) {
    struct mu_slice *ret = empty_slice(m, "counters");
    struct mu_counter_set *sets = MU_NEW_ARRAY(m->arena, struct mu_counter_set, TINY_SETS);
    for (int s = 0; s < TINY_SETS; s++) {
        struct mu_named_quantity *counter = MU_NEW(m->arena, struct mu_named_quantity);
        *counter = (struct mu_named_quantity){sym(m, "slots"), units(m->world->counters[s])};
        sets[s] = (struct mu_counter_set){numbered(m, "set-", s), counter, 1};
    }
    ret->counter_sets = sets;
    ret->counter_sets_len = TINY_SETS;
    return ret;
}

static const struct mu_slice *devices_slice(struct maker *m) {
    struct mu_slice *ret = empty_slice(m, "devices");
    struct mu_device *devices = MU_NEW_ARRAY(m->arena, struct mu_device, (size_t)m->world->devices_len);
    for (int d = 0; d < m->world->devices_len; d++)
        devices[ret->devices_len++] = device_of(m, d);
    ret->devices = devices;
    return ret;
}

/* ---- Claims ---- */

static struct mu_device_ask ask_of(struct maker *m, const struct tiny_ask *from, mu_sym name) {
    struct mu_device_ask ret = {.name = name, .class = sym(m, "class"), .count = from->count};
    ret.mode = from->all ? MU_DEVICES_ALL : MU_DEVICES_EXACT;
    if (from->kind >= 0) {
        mu_sym *selector = MU_NEW(m->arena, mu_sym);
        struct mu_str text = mu_str_printf(m->arena, "device.attributes[\"driver\"].kind == \"kind-%d\"", from->kind);
        *selector = mu_intern(m->symbols, text);
        ret.selectors = selector;
        ret.selectors_len = 1;
    }
    if (from->tolerates) {
        struct mu_device_toleration *toleration = MU_NEW(m->arena, struct mu_device_toleration);
        toleration->op = MU_DEVICE_TOLERATE_EXISTS;
        ret.tolerations = toleration;
        ret.tolerations_len = 1;
    }
    if (from->amount >= 0) {
        struct mu_named_quantity *amount = MU_NEW(m->arena, struct mu_named_quantity);
        *amount = (struct mu_named_quantity){sym(m, "memory"), units(from->amount)};
        ret.capacity = amount;
        ret.capacity_len = 1;
        ret.has_capacity = true;
    }
    return ret;
}

static struct mu_device_request request_of(struct maker *m, const struct tiny_request *from, int index) {
    struct mu_device_request ret = {.name = numbered(m, "request-", index)};
    if (!from->alternatives) {
        ret.exactly = ask_of(m, &from->asks[0], ret.name);
        return ret;
    }
    struct mu_device_ask *asks = MU_NEW_ARRAY(m->arena, struct mu_device_ask, (size_t)from->asks_len);
    for (int i = 0; i < from->asks_len; i++)
        asks[ret.alternatives_len++] = ask_of(m, &from->asks[i], numbered(m, "alternative-", i));
    ret.alternatives = asks;
    return ret;
}

static const struct mu_claim *claim_of(struct maker *m, const struct tiny_claim *from, int index) {
    struct mu_claim *ret = MU_NEW(m->arena, struct mu_claim);
    ret->meta.name = numbered(m, "claim-", index);
    struct mu_device_request *requests = MU_NEW_ARRAY(m->arena, struct mu_device_request, (size_t)from->requests_len);
    for (int r = 0; r < from->requests_len; r++)
        requests[ret->requests_len++] = request_of(m, &from->requests[r], r);
    ret->requests = requests;
    if (from->constrained) {
        struct mu_device_constraint *constraint = MU_NEW(m->arena, struct mu_device_constraint);
        mu_sym *about = MU_NEW(m->arena, mu_sym);
        *about = numbered(m, "request-", from->about < 0 ? 0 : from->about);
        *constraint = (struct mu_device_constraint){
            .kind = from->distinct ? MU_DEVICE_DISTINCT : MU_DEVICE_MATCH,
            .attribute = sym(m, "driver/numa"),
            .requests = about,
            .requests_len = from->about >= 0,
        };
        ret->constraints = constraint;
        ret->constraints_len = 1;
    }
    return ret;
}

/* ---- All of it ---- */

static void hold(struct maker *m, struct mu_alloc *alloc) {
    for (int d = 0; d < m->world->devices_len; d++) {
        struct mu_device_result *result = MU_NEW(m->arena, struct mu_device_result);
        *result = (struct mu_device_result){.driver = sym(m, "driver"),
                                            .pool = sym(m, "pool"),
                                            .device = numbered(m, "device-", d)};
        if (m->world->devices[d].held)
            mu_alloc_hold(alloc, MU_NEW(m->arena, struct mu_claim), 0, result, 1);
    }
}

int tiny_objects_make(const struct tiny_world *world, struct mu_arena *arena, struct tiny_objects *ret,
                      struct mu_err *err) {
    mu_symbols_init(&ret->symbols, arena, 1);
    struct maker m = {world, arena, &ret->symbols};
    const struct mu_slice **slices = MU_NEW_ARRAY(arena, const struct mu_slice *, 2);
    slices[0] = devices_slice(&m);
    slices[1] = counters_slice(&m);
    struct mu_device_class *class = MU_NEW(arena, struct mu_device_class);
    const struct mu_device_class **classes = MU_NEW_ARRAY(arena, const struct mu_device_class *, 1);
    class->meta.name = sym(&m, "class");
    classes[0] = class;
    ret->node = (struct mu_node){.meta = {.name = sym(&m, "node")}};
    for (int c = 0; c < world->claims_len; c++)
        ret->claims[c] = claim_of(&m, &world->claims[c], c);
    struct mu_alloc_input input = {.symbols = &ret->symbols,
                                   .slices = slices,
                                   .slices_len = 2,
                                   .classes = classes,
                                   .classes_len = 1,
                                   .features = MU_ALLOC_ALL_FEATURES,
                                   .one_card_one_driver = true};
    int code = mu_alloc_create(arena, &input, &ret->alloc, err);
    if (code == 0)
        hold(&m, ret->alloc);
    return code;
}
