/* What is left of each device and card, and which classes they belong to; see devices_report.h. */
#include "scheduler/cli/devices_report.h"

#include "scheduler/devices/class_match.h"

static struct mu_str text_of(const struct mu_devices_report *report, mu_sym sym) {
    return mu_text(&report->store->symbols, sym);
}

static const struct {
    const char *word, *name;
} lefts[MU_LEFT_COUNT] = {
    [MU_LEFT_FREE] = {"free", "Free"},
    [MU_LEFT_PARTLY] = {"in part", "PartlyUsed"},
    [MU_LEFT_NONE] = {"taken", "Taken"},
    [MU_LEFT_TAINTED] = {"tainted", "Tainted"},
    [MU_LEFT_UNUSABLE] = {"unusable", "Unusable"},
};

const char *mu_left_word(enum mu_left left) {
    return lefts[left].word;
}

const char *mu_left_name(enum mu_left left) {
    return lefts[left].name;
}

struct mu_str mu_device_amount(struct mu_arena *arena, mu_i128 nano) {
    /* Memory is a multiple of a mebibyte, and little else is counted by millions. */
    bool binary = nano % ((mu_i128)1000000000 << 20) == 0;
    return mu_quantity_print(arena, (struct mu_quantity){.nano = nano}, binary);
}

/* ------------------------------------------------------------------ one device */

/* The least that a share takes of a capacity. */
static mu_i128 least_share(const struct mu_device_capacity *capacity) {
    const struct mu_capacity_policy *policy = capacity->policy;
    if (policy && policy->has_range && policy->has_min)
        return policy->min.nano;
    return policy && policy->values_len > 0 ? policy->values[0].nano : 0;
}

/* No share of it can be given any more: the least of a capacity is more than is left, or nothing is left at all. */
static bool is_used_up(const struct mu_report_device *device) {
    bool counted = false, some = false;
    for (uint32_t c = 0; c < device->device->capacity_len; c++) {
        const struct mu_device_capacity *capacity = &device->device->capacity[c];
        mu_i128 left = capacity->value.nano - device->consumed[c];
        if (device->consumed[c] > 0 && left < least_share(capacity))
            return true;
        counted = counted || device->consumed[c] > 0;
        some = some || (device->consumed[c] > 0 && left > 0);
    }
    return counted && !some;
}

static const struct mu_report_counter *find_counter(const struct mu_report_set *set, mu_sym name) {
    for (uint32_t c = 0; c < set->counters_len; c++)
        if (set->counters[c].name == name)
            return &set->counters[c];
    return NULL;
}

/* The first counter of which too little is left for the device; empty: there is enough of all. */
static struct mu_str lacking_counter(const struct mu_devices_report *report, const struct mu_report_device *device,
                                     const struct mu_map *sets) {
    for (uint32_t u = 0; u < device->device->uses_len; u++) {
        const struct mu_counter_use *use = &device->device->uses[u];
        const mu_sym key[3] = {device->slice->driver, device->slice->pool, use->set};
        uint32_t index;
        if (!mu_map_get(sets, (struct mu_str){(const char *)key, sizeof key}, &index))
            continue;
        for (uint32_t c = 0; c < use->counters_len; c++) {
            const struct mu_report_counter *counter = find_counter(&report->sets.items[index], use->counters[c].name);
            if (counter && counter->left < use->counters[c].value.nano)
                return mu_str_printf(report->arena,
                                     "parts of its card are taken: needs " MU_STR_FMT " " MU_STR_FMT ", " MU_STR_FMT
                                     " left",
                                     MU_STR_ARG(mu_device_amount(report->arena, use->counters[c].value.nano)),
                                     MU_STR_ARG(text_of(report, counter->name)),
                                     MU_STR_ARG(mu_device_amount(report->arena, counter->left)));
        }
    }
    return MU_STR("");
}

static struct mu_str held_twin(const struct mu_devices_report *report, const struct mu_report_device *device) {
    for (size_t i = 0; i < device->twins.len; i++) {
        const struct mu_report_device *twin = &report->devices.items[device->twins.items[i]];
        if (twin->holders.len > 0)
            return mu_str_printf(report->arena, "its card is given out as " MU_STR_FMT " of " MU_STR_FMT,
                                 MU_STR_ARG(text_of(report, twin->device->name)),
                                 MU_STR_ARG(text_of(report, twin->slice->driver)));
    }
    return MU_STR("");
}

static bool is_kept_away(const struct mu_report_device *device) {
    for (size_t i = 0; i < device->taints.len; i++) {
        enum mu_device_effect effect = device->taints.items[i].taint->effect;
        if (effect == MU_DEVICE_EFFECT_NO_SCHEDULE || effect == MU_DEVICE_EFFECT_NO_EXECUTE)
            return true;
    }
    return false;
}

static void judge_device(const struct mu_devices_report *report, struct mu_report_device *device,
                         const struct mu_map *sets, bool pool_is_bad) {
    bool gone = device->whole > 0 || (device->shares > 0 && (!device->device->shared || is_used_up(device)));
    if (gone) {
        device->left = MU_LEFT_NONE;
        return;
    }
    if (pool_is_bad) {
        device->left = MU_LEFT_UNUSABLE;
        device->why = MU_STR("its pool cannot be used");
        return;
    }
    device->why = held_twin(report, device);
    if (device->why.len == 0 && device->holders.len == 0)
        device->why = lacking_counter(report, device, sets);
    device->left = device->why.len > 0    ? MU_LEFT_NONE
                   : is_kept_away(device) ? MU_LEFT_TAINTED
                   : device->shares > 0   ? MU_LEFT_PARTLY
                                          : MU_LEFT_FREE;
}

/* ------------------------------------------------------------------ cards of several drivers */

enum { DRIVERS_OF_CARD = 16 }; /* more than so many of one card are not told apart */

/* A physical card: for each driver a device of it, one that is held where there is such. */
struct physical {
    MU_VEC(uint32_t) devices;
};

static void add_to_physical(const struct mu_devices_report *report, struct physical *card, uint32_t index) {
    const struct mu_report_device *device = &report->devices.items[index];
    for (size_t i = 0; i < card->devices.len; i++) {
        const struct mu_report_device *known = &report->devices.items[card->devices.items[i]];
        if (known->slice->driver != device->slice->driver)
            continue;
        if (known->holders.len == 0 && device->holders.len > 0)
            card->devices.items[i] = index;
        return;
    }
    if (card->devices.len < DRIVERS_OF_CARD)
        MU_VEC_PUSH(report->arena, &card->devices, index);
}

/* Each device learns of those of other drivers that are the same card. In the order of devices' names, so that the same
 * ones stand for their drivers whatever was read first. */
static void find_twins(struct mu_devices_report *report) {
    MU_VEC(struct physical) physical = {0};
    uint32_t *physical_of = MU_NEW_ARRAY(report->arena, uint32_t, report->devices.len);
    for (size_t i = 0; i < report->cards.len; i++)
        for (size_t k = 0; k < report->cards.items[i].devices.len; k++) {
            uint32_t index = report->cards.items[i].devices.items[k];
            const struct mu_report_device *device = &report->devices.items[index];
            uint32_t card =
                mu_alloc_card(report->alloc, device->slice->driver, device->slice->pool, device->device->name);
            physical_of[index] = card;
            while (card != UINT32_MAX && physical.len <= card)
                MU_VEC_PUSH(report->arena, &physical, (struct physical){.devices = {0}});
            if (card != UINT32_MAX)
                add_to_physical(report, &physical.items[card], index);
        }
    for (size_t d = 0; d < report->devices.len; d++) {
        struct mu_report_device *device = &report->devices.items[d];
        const struct physical *card = physical_of[d] != UINT32_MAX ? &physical.items[physical_of[d]] : NULL;
        for (size_t i = 0; card && i < card->devices.len; i++)
            if (report->devices.items[card->devices.items[i]].slice->driver != device->slice->driver)
                MU_VEC_PUSH(report->arena, &device->twins, card->devices.items[i]);
    }
}

/* ------------------------------------------------------------------ classes */

/* A class whose selector is at fault is noted once. */
static void find_members(struct mu_devices_report *report, uint32_t index) {
    const struct mu_device_class *class = report->store->device_classes.items[index];
    bool noted = false;
    for (size_t d = 0; d < report->devices.len; d++) {
        struct mu_report_device *device = &report->devices.items[d];
        struct mu_str why = {NULL, 0};
        enum mu_class_match match = mu_alloc_class_match(report->alloc, class, device->slice->driver,
                                                         device->slice->pool, device->device->name, &why);
        if (match == MU_CLASS_MATCH_YES)
            MU_VEC_PUSH(report->arena, &device->classes, index);
        if (match != MU_CLASS_MATCH_FAILED || noted)
            continue;
        noted = true;
        struct mu_str text =
            mu_str_printf(report->arena, "class " MU_STR_FMT ": " MU_STR_FMT " (device " MU_STR_FMT ")",
                          MU_STR_ARG(text_of(report, class->meta.name)), MU_STR_ARG(why),
                          MU_STR_ARG(
                              mu_device_key(report, device->slice->driver, device->slice->pool, device->device->name)));
        MU_VEC_PUSH(report->arena, &report->notes, (struct mu_report_note){"ClassFailed", true, text});
    }
}

static bool is_of_class(const struct mu_report_device *device, uint32_t class) {
    for (size_t i = 0; i < device->classes.len; i++)
        if (device->classes.items[i] == class)
            return true;
    return class == UINT32_MAX;
}

/* ------------------------------------------------------------------ cards */

bool mu_card_left(const struct mu_devices_report *report, const struct mu_report_card *card, uint32_t class,
                  enum mu_left *ret) {
    bool has[MU_LEFT_COUNT] = {false}, member = false;
    for (size_t i = 0; i < card->devices.len; i++) {
        const struct mu_report_device *device = &report->devices.items[card->devices.items[i]];
        if (!is_of_class(device, class))
            continue;
        member = true;
        has[device->left] = true;
    }
    if (has[MU_LEFT_FREE] || has[MU_LEFT_PARTLY])
        *ret = card->touched ? MU_LEFT_PARTLY : MU_LEFT_FREE;
    else
        *ret = has[MU_LEFT_NONE] ? MU_LEFT_NONE : has[MU_LEFT_TAINTED] ? MU_LEFT_TAINTED : MU_LEFT_UNUSABLE;
    return member;
}

static void judge_cards(struct mu_devices_report *report) {
    uint32_t class = UINT32_MAX;
    for (uint32_t i = 0; report->class && i < report->store->device_classes.len; i++)
        if (report->store->device_classes.items[i]->meta.name == report->class)
            class = i;
    for (size_t c = 0; c < report->cards.len; c++) {
        struct mu_report_card *card = &report->cards.items[c];
        for (size_t i = 0; i < card->devices.len; i++) {
            const struct mu_report_device *device = &report->devices.items[card->devices.items[i]];
            card->touched = card->touched || device->holders.len > 0;
            for (size_t t = 0; t < device->twins.len; t++)
                card->touched = card->touched || report->devices.items[device->twins.items[t]].holders.len > 0;
        }
        bool member = mu_card_left(report, card, class, &card->left);
        card->counted = member;
    }
}

static bool is_in(const struct mu_report_place *place, mu_sym node) {
    for (size_t i = 0; i < place->nodes.len; i++)
        if (place->nodes.items[i] == node)
            return true;
    return node == 0 || place->all_nodes || place->node == node;
}

/* Of extended resources no class is known. */
static bool has_extended(const struct mu_devices_report *report, const struct mu_report_place *place) {
    bool some = false;
    for (size_t i = 0; i < place->extended.len; i++)
        some = some || !report->free_only || place->extended.items[i].used < place->extended.items[i].total;
    return some && report->class == 0;
}

static void choose_places(struct mu_devices_report *report) {
    for (size_t p = 0; p < report->places.len; p++) {
        struct mu_report_place *place = &report->places.items[p];
        bool here = is_in(place, report->node), any = has_extended(report, place);
        for (size_t i = 0; i < place->cards.len; i++) {
            struct mu_report_card *card = &report->cards.items[place->cards.items[i]];
            card->counted = card->counted && here;
            card->shown = card->counted && (!report->free_only || card->left <= MU_LEFT_PARTLY);
            any = any || card->shown;
        }
        place->shown = here && any;
    }
}

struct mu_left_counts mu_devices_count(const struct mu_devices_report *report, uint32_t place, uint32_t class) {
    struct mu_left_counts counts = {{0}};
    size_t len = place == UINT32_MAX ? report->cards.len : report->places.items[place].cards.len;
    for (size_t i = 0; i < len; i++) {
        size_t index = place == UINT32_MAX ? i : report->places.items[place].cards.items[i];
        const struct mu_report_card *card = &report->cards.items[index];
        enum mu_left left;
        if (card->counted && mu_card_left(report, card, class, &left))
            counts.of[left]++;
    }
    return counts;
}

/* ------------------------------------------------------------------ all of it */

static struct mu_str pool_key(const mu_sym key[2]) {
    return (struct mu_str){(const char *)key, 2 * sizeof key[0]};
}

static void judge_devices(struct mu_devices_report *report) {
    struct mu_map sets, bad;
    mu_map_init(&sets, report->arena, 1);
    mu_map_init(&bad, report->arena, 1);
    for (uint32_t i = 0; i < report->sets.len; i++) {
        const struct mu_report_set *set = &report->sets.items[i];
        const mu_sym key[3] = {set->slice->driver, set->slice->pool, set->name};
        mu_map_put(&sets, mu_str_dup(report->arena, (struct mu_str){(const char *)key, sizeof key}), i);
    }
    uint32_t notes_len;
    const struct mu_pool_note *notes = mu_alloc_pool_notes(report->alloc, report->arena, &notes_len);
    for (uint32_t i = 0; i < notes_len; i++) {
        const mu_sym key[2] = {notes[i].driver, notes[i].pool};
        mu_map_put(&bad, mu_str_dup(report->arena, pool_key(key)), i);
        struct mu_str text = mu_str_printf(report->arena, "pool " MU_STR_FMT "/" MU_STR_FMT " " MU_STR_FMT,
                                           MU_STR_ARG(text_of(report, notes[i].driver)),
                                           MU_STR_ARG(text_of(report, notes[i].pool)), MU_STR_ARG(notes[i].text));
        MU_VEC_PUSH(report->arena, &report->notes, (struct mu_report_note){"PoolUnusable", true, text});
    }
    for (size_t i = 0; i < report->devices.len; i++) {
        struct mu_report_device *device = &report->devices.items[i];
        const mu_sym key[2] = {device->slice->driver, device->slice->pool};
        judge_device(report, device, &sets, mu_map_get(&bad, pool_key(key), NULL));
    }
}

void mu_devices_judge(struct mu_devices_report *report) {
    find_twins(report);
    judge_devices(report);
    for (uint32_t i = 0; i < report->store->device_classes.len; i++)
        find_members(report, i);
    judge_cards(report);
    choose_places(report);
}
