/* Topology: which node labels must have one value for a whole group, and which had better (contract 3.12). */
#include "scheduler/base/limits.h"
#include "scheduler/core/groups_internal.h"

struct keys {
    mu_sym items[MU_LIMIT_TOPOLOGY_KEYS];
    uint32_t len;
    bool too_many;
};

static void add_key(struct keys *keys, mu_sym key) {
    for (uint32_t i = 0; i < keys->len; i++)
        if (keys->items[i] == key)
            return;
    if (key && keys->len < MU_LIMIT_TOPOLOGY_KEYS)
        keys->items[keys->len++] = key;
    else if (key)
        keys->too_many = true;
}

static const mu_sym *keep(struct mu_arena *arena, const struct keys *keys) {
    mu_sym *kept = MU_NEW_ARRAY(arena, mu_sym, keys->len);
    for (uint32_t i = 0; i < keys->len; i++)
        kept[i] = keys->items[i];
    return kept;
}

/* Calls add(d, keys, meta) for the pods of a part that are placed or may be. */
static void each_pod(const struct mu_drafting *d, const struct mu_part *part, struct keys *keys,
                     void (*add)(const struct mu_drafting *d, struct keys *keys, const struct mu_meta *meta)) {
    for (uint32_t i = 0; i < part->ready_len; i++)
        add(d, keys, &part->ready[i]->meta);
    for (uint32_t i = 0; i < part->running_len; i++)
        add(d, keys, &part->running[i]->meta);
}

static void add_required(const struct mu_drafting *d, struct keys *keys, const struct mu_meta *meta) {
    add_key(keys, mu_word_value(&meta->annotations, d->words.kueue_required));
}

void mu_unit_set_topology(struct mu_building *b, struct mu_judged *judged) {
    struct mu_draft *draft = judged->draft;
    const struct mu_group_object *object = draft ? draft->object : NULL;
    struct keys keys = {.len = 0};
    for (uint32_t i = 0; object && i < object->topology_keys_len; i++)
        add_key(&keys, object->topology_keys[i]);
    if (object)
        add_required(b->d, &keys, &object->meta);
    else if (draft && draft->set)
        add_required(b->d, &keys, &draft->set->meta);
    if (judged->leaf && b->d->words.kueue_required)
        each_pod(b->d, judged->leaf->part, &keys, add_required);
    judged->unit->topology = keep(b->d->arena, &keys);
    judged->unit->topology_len = keys.len;
    if (keys.too_many && draft && !mu_refused(&draft->refusal))
        draft->refusal = mu_senseless(
            mu_str_printf(b->d->arena, "it asks for one value of more than %d node labels", MU_LIMIT_TOPOLOGY_KEYS));
}

/* ------------------------------------------------------------------ wishes */

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n';
}

/* "a, b": nearest first. */
static void add_list(const struct mu_drafting *d, struct keys *keys, struct mu_str list) {
    while (list.len > 0 && !keys->too_many) {
        ptrdiff_t comma = mu_str_index(list, ',');
        size_t end = comma < 0 ? list.len : (size_t)comma;
        struct mu_str item = mu_str_slice(list, 0, end);
        list = mu_str_slice(list, end + 1, list.len);
        while (item.len > 0 && is_space(item.ptr[0]))
            item = mu_str_slice(item, 1, item.len);
        while (item.len > 0 && is_space(item.ptr[item.len - 1]))
            item = mu_str_slice(item, 0, item.len - 1);
        add_key(keys, mu_intern(d->symbols, item));
    }
}

static void add_preferred(const struct mu_drafting *d, struct keys *keys, const struct mu_meta *meta) {
    mu_sym list = mu_word_value(&meta->annotations, d->words.preferred_topology);
    if (list)
        add_list(d, keys, mu_text(d->symbols, list));
    add_key(keys, mu_word_value(&meta->annotations, d->words.kueue_preferred));
}

static void add_preferred_of(const struct mu_drafting *d, struct keys *keys, const struct mu_draft *draft) {
    const struct mu_group_object *object = draft ? draft->object ? draft->object : draft->set : NULL;
    if (object)
        add_preferred(d, keys, &object->meta);
}

/* Members whose devices talk to each other are best off where the fast links between nodes are: NVIDIA's GPU feature
 * discovery and its DRA driver label the nodes of one NVLink domain. */
static bool share_devices(const struct mu_building *b) {
    uint32_t members = 0;
    for (size_t i = 0; i < b->leaves.len; i++) {
        const struct mu_part *part = b->leaves.items[i]->part;
        for (uint32_t k = 0; k < part->ready_len; k++)
            members += part->ready[k]->claims_len || part->ready[k]->spec->extended_len;
    }
    return members > 1;
}

/* The group's own wishes; else those of its parts; else those of its pods; else what is good for devices. Past the limit
 * wishes are not heard. */
void mu_group_set_preferred_topology(struct mu_building *b) {
    const struct mu_drafting *d = b->d;
    struct keys keys = {.len = 0};
    add_preferred_of(d, &keys, b->draft);
    if (keys.len == 0)
        for (size_t i = 0; i < b->leaves.len; i++)
            add_preferred_of(d, &keys, b->leaves.items[i]->draft);
    if (keys.len == 0)
        for (size_t i = 0; i < b->leaves.len; i++)
            each_pod(d, b->leaves.items[i]->part, &keys, add_preferred);
    if (keys.len == 0 && share_devices(b))
        add_key(&keys, mu_symbol_find(d->symbols, MU_STR("nvidia.com/gpu.clique")));
    b->group->preferred_topology = keep(d->arena, &keys);
    b->group->preferred_topology_len = keys.len;
}
