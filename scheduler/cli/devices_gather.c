/* Devices, places and holders out of a store; see devices_report.h. */
#include "scheduler/cli/devices_report.h"

#include "scheduler/devices/class_match.h"
#include <stdlib.h>

static struct mu_str text_of(const struct mu_devices_report *report, mu_sym sym) {
    return mu_text(&report->store->symbols, sym);
}

static struct mu_str bytes_of(const void *bytes, size_t len) {
    return (struct mu_str){bytes, len};
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* The digits at `at`, without zeros before them. */
static struct mu_str number_at(struct mu_str text, size_t *at) {
    size_t begin = *at;
    while (*at < text.len && is_digit(text.ptr[*at]))
        ++*at;
    while (begin + 1 < *at && text.ptr[begin] == '0')
        begin++;
    return mu_str_slice(text, begin, *at);
}

int mu_natural_cmp(struct mu_str a, struct mu_str b) {
    size_t i = 0, j = 0;
    while (i < a.len && j < b.len) {
        if (is_digit(a.ptr[i]) && is_digit(b.ptr[j])) {
            struct mu_str x = number_at(a, &i), y = number_at(b, &j);
            if (x.len != y.len)
                return x.len < y.len ? -1 : 1;
            int order = mu_str_cmp(x, y);
            if (order)
                return order;
        } else if (a.ptr[i] != b.ptr[j]) {
            return (unsigned char)a.ptr[i] < (unsigned char)b.ptr[j] ? -1 : 1;
        } else {
            i++;
            j++;
        }
    }
    if (i < a.len || j < b.len)
        return i < a.len ? 1 : -1;
    return mu_str_cmp(a, b);
}

struct mu_str mu_device_key(const struct mu_devices_report *report, mu_sym driver, mu_sym pool, mu_sym device) {
    return mu_str_printf(report->arena, MU_STR_FMT "/" MU_STR_FMT "/" MU_STR_FMT, MU_STR_ARG(text_of(report, driver)),
                         MU_STR_ARG(text_of(report, pool)), MU_STR_ARG(text_of(report, device)));
}

/* ------------------------------------------------------------------ what is published */

/* What is made while devices are gathered. */
struct gathering {
    struct mu_devices_report *report;
    const struct mu_slice **slices; /* those that make sense, of the newest generation of their pools */
    size_t slices_len;
    struct mu_map place_by_key, set_by_name, card_by_set;
};

static struct mu_map new_map(struct gathering *g) {
    struct mu_map map;
    mu_map_init(&map, g->report->arena, 1);
    return map;
}

static void put_copy(struct gathering *g, struct mu_map *map, struct mu_str key, uint32_t value) {
    mu_map_put(map, mu_str_dup(g->report->arena, key), value);
}

/* Slices of older generations are about to be deleted, and nothing of them is given out. */
static void choose_slices(struct gathering *g) {
    const struct mu_store *store = g->report->store;
    struct mu_map newest = new_map(g);
    g->slices = MU_NEW_ARRAY(g->report->arena, const struct mu_slice *, store->slices.len);
    for (size_t i = 0; i < store->slices.len; i++) {
        const struct mu_slice *slice = store->slices.items[i];
        const mu_sym key[2] = {slice->driver, slice->pool};
        uint32_t best;
        if (slice->meta.invalid.len == 0 && (!mu_map_get(&newest, bytes_of(key, sizeof key), &best) ||
                                             slice->generation > store->slices.items[best]->generation))
            put_copy(g, &newest, bytes_of(key, sizeof key), (uint32_t)i);
    }
    for (size_t i = 0; i < store->slices.len; i++) {
        const struct mu_slice *slice = store->slices.items[i];
        const mu_sym key[2] = {slice->driver, slice->pool};
        uint32_t best;
        if (slice->meta.invalid.len == 0 && mu_map_get(&newest, bytes_of(key, sizeof key), &best) &&
            store->slices.items[best]->generation == slice->generation)
            g->slices[g->slices_len++] = slice;
    }
}

static int create_alloc(struct mu_devices_report *report, struct mu_err *err) {
    struct mu_store *store = report->store;
    const struct mu_slice **slices = MU_NEW_ARRAY(report->arena, const struct mu_slice *, store->slices.len);
    struct mu_alloc_input input = {
        .symbols = &store->symbols,
        .slices = slices,
        .classes = (const struct mu_device_class *const *)store->device_classes.items,
        .classes_len = (uint32_t)store->device_classes.len,
        .rules = (const struct mu_taint_rule *const *)store->taint_rules.items,
        .rules_len = (uint32_t)store->taint_rules.len,
        .features = MU_ALLOC_ALL_FEATURES,
        .one_card_one_driver = !report->settings->no_identity,
        .identity = report->settings->identity,
        .identity_len = report->settings->identity_len,
    };
    for (size_t i = 0; i < store->slices.len; i++)
        if (store->slices.items[i]->meta.invalid.len == 0)
            slices[input.slices_len++] = store->slices.items[i];
    return mu_alloc_create(report->arena, &input, &report->alloc, err);
}

/* ------------------------------------------------------------------ places */

static uint32_t add_place(struct gathering *g, struct mu_str key, struct mu_report_place place) {
    uint32_t index;
    if (mu_map_get(&g->place_by_key, key, &index))
        return index;
    index = (uint32_t)g->report->places.len;
    MU_VEC_PUSH(g->report->arena, &g->report->places, place);
    put_copy(g, &g->place_by_key, key, index);
    return index;
}

static uint32_t place_of_node(struct gathering *g, mu_sym node, bool missing) {
    return add_place(g, mu_str_printf(g->report->arena, "n%u", node),
                     (struct mu_report_place){.node = node, .missing = missing});
}

static int cmp_syms(const void *a, const void *b, void *symbols) {
    return mu_natural_cmp(mu_text(symbols, *(const mu_sym *)a), mu_text(symbols, *(const mu_sym *)b));
}

/* Places that reach the same nodes are one. */
static uint32_t place_of_terms(struct gathering *g, const struct mu_reach_of_device *reach) {
    const struct mu_store *store = g->report->store;
    struct mu_report_place place = {0};
    for (size_t n = 0; n < store->nodes.len; n++) {
        const struct mu_meta *meta = &store->nodes.items[n]->meta;
        if (reach->has_selector &&
            mu_node_terms_match(reach->terms, reach->terms_len, &meta->labels, meta->name, &store->symbols))
            MU_VEC_PUSH(g->report->arena, &place.nodes, meta->name);
    }
    if (place.nodes.len > 0)
        qsort_r(place.nodes.items, place.nodes.len, sizeof(mu_sym), cmp_syms, (void *)(uintptr_t)&store->symbols);
    struct mu_buf key;
    mu_buf_init(&key, g->report->arena);
    mu_buf_add_char(&key, 't');
    if (place.nodes.len > 0)
        mu_buf_add(&key, bytes_of(place.nodes.items, place.nodes.len * sizeof(mu_sym)));
    return add_place(g, mu_buf_str(&key), place);
}

static uint32_t place_of(struct gathering *g, const struct mu_slice *slice, const struct mu_device *device) {
    bool own = slice->per_device && (device->reach.node || device->reach.all_nodes || device->reach.has_selector);
    const struct mu_reach_of_device *reach = own ? &device->reach : &slice->reach;
    if (reach->node)
        return place_of_node(g, reach->node, true);
    if (!reach->all_nodes)
        return place_of_terms(g, reach);
    struct mu_report_place place = {.all_nodes = true};
    return add_place(g, MU_STR("a"), place);
}

static int cmp_places(const void *a, const void *b, void *ctx) {
    const struct mu_devices_report *report = ctx;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct mu_report_place *x = &report->places.items[i], *y = &report->places.items[j];
    if ((x->node == 0) != (y->node == 0))
        return x->node == 0 ? 1 : -1;
    if (x->node)
        return mu_natural_cmp(text_of(report, x->node), text_of(report, y->node));
    if (x->all_nodes != y->all_nodes)
        return x->all_nodes ? 1 : -1;
    for (size_t n = 0; n < x->nodes.len && n < y->nodes.len; n++) {
        int order = cmp_syms(&x->nodes.items[n], &y->nodes.items[n], (void *)(uintptr_t)&report->store->symbols);
        if (order)
            return order;
    }
    return x->nodes.len < y->nodes.len ? -1 : x->nodes.len > y->nodes.len;
}

static void order_places(struct mu_devices_report *report) {
    report->place_order = MU_NEW_ARRAY(report->arena, uint32_t, report->places.len);
    for (uint32_t i = 0; i < report->places.len; i++)
        report->place_order[i] = i;
    if (report->places.len > 0)
        qsort_r(report->place_order, report->places.len, sizeof(uint32_t), cmp_places, report);
}

/* ------------------------------------------------------------------ counter sets and cards */

static int cmp_counters(const void *a, const void *b, void *symbols) {
    const struct mu_report_counter *x = a, *y = b;
    return mu_natural_cmp(mu_text(symbols, x->name), mu_text(symbols, y->name));
}

static void add_sets(struct gathering *g, const struct mu_slice *slice) {
    struct mu_devices_report *report = g->report;
    for (uint32_t i = 0; i < slice->counter_sets_len; i++) {
        const struct mu_counter_set *set = &slice->counter_sets[i];
        const mu_sym key[3] = {slice->driver, slice->pool, set->name};
        if (mu_map_get(&g->set_by_name, bytes_of(key, sizeof key), NULL))
            continue;
        struct mu_report_counter *counters = MU_NEW_ARRAY(report->arena, struct mu_report_counter, set->counters_len);
        for (uint32_t c = 0; c < set->counters_len; c++)
            counters[c] = (struct mu_report_counter){set->counters[c].name, set->counters[c].value.nano,
                                                     set->counters[c].value.nano};
        if (set->counters_len > 0)
            qsort_r(counters, set->counters_len, sizeof *counters, cmp_counters, &report->store->symbols);
        put_copy(g, &g->set_by_name, bytes_of(key, sizeof key), (uint32_t)report->sets.len);
        MU_VEC_PUSH(report->arena, &report->sets,
                    (struct mu_report_set){slice, set->name, counters, set->counters_len});
    }
}

static uint32_t find_set(const struct gathering *g, const struct mu_slice *slice, mu_sym name) {
    const mu_sym key[3] = {slice->driver, slice->pool, name};
    uint32_t set = UINT32_MAX;
    mu_map_get(&g->set_by_name, bytes_of(key, sizeof key), &set);
    return set;
}

/* A device that takes from several sets is a card of its own. */
static uint32_t card_of(struct gathering *g, const struct mu_report_device *device) {
    struct mu_devices_report *report = g->report;
    uint32_t set = device->device->uses_len == 1 ? find_set(g, device->slice, device->device->uses[0].set) : UINT32_MAX;
    const uint32_t key[2] = {set, device->place};
    uint32_t card = (uint32_t)report->cards.len;
    if (set != UINT32_MAX && mu_map_get(&g->card_by_set, bytes_of(key, sizeof key), &card))
        return card;
    MU_VEC_PUSH(report->arena, &report->cards, (struct mu_report_card){.place = device->place, .set = set});
    if (set != UINT32_MAX)
        put_copy(g, &g->card_by_set, bytes_of(key, sizeof key), card);
    return card;
}

static void add_taints(struct mu_devices_report *report, struct mu_report_device *device) {
    const struct mu_device *published = device->device;
    for (uint32_t t = 0; t < published->taints_len; t++)
        MU_VEC_PUSH(report->arena, &device->taints, (struct mu_device_taint_source){&published->taints[t], NULL});
    for (size_t i = 0; i < report->store->taint_rules.len; i++) {
        const struct mu_taint_rule *rule = report->store->taint_rules.items[i];
        if (rule->has_selector && rule->meta.invalid.len == 0 &&
            (rule->driver == 0 || rule->driver == device->slice->driver) &&
            (rule->pool == 0 || rule->pool == device->slice->pool) &&
            (rule->device == 0 || rule->device == published->name))
            MU_VEC_PUSH(report->arena, &device->taints, (struct mu_device_taint_source){&rule->taint, rule});
    }
}

static void add_devices(struct gathering *g, const struct mu_slice *slice) {
    struct mu_devices_report *report = g->report;
    for (uint32_t d = 0; d < slice->devices_len; d++) {
        const struct mu_device *published = &slice->devices[d];
        struct mu_report_device device = {.slice = slice, .device = published};
        device.place = place_of(g, slice, published);
        device.card = card_of(g, &device);
        device.consumed = MU_NEW_ARRAY(report->arena, mu_i128, published->capacity_len);
        add_taints(report, &device);
        uint32_t index = (uint32_t)report->devices.len;
        const mu_sym key[3] = {slice->driver, slice->pool, published->name};
        if (!mu_map_get(&report->device_by_name, bytes_of(key, sizeof key), NULL))
            put_copy(g, &report->device_by_name, bytes_of(key, sizeof key), index);
        MU_VEC_PUSH(report->arena, &report->cards.items[device.card].devices, index);
        MU_VEC_PUSH(report->arena, &report->devices, device);
    }
}

/* ------------------------------------------------------------------ order */

static int cmp_devices(const void *a, const void *b, void *ctx) {
    const struct mu_devices_report *report = ctx;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct mu_report_device *x = &report->devices.items[i], *y = &report->devices.items[j];
    int order = mu_str_cmp(text_of(report, x->slice->driver), text_of(report, y->slice->driver));
    if (order == 0)
        order = mu_natural_cmp(text_of(report, x->slice->pool), text_of(report, y->slice->pool));
    if (order == 0)
        order = mu_natural_cmp(text_of(report, x->device->name), text_of(report, y->device->name));
    return order ? order : (i > j) - (i < j);
}

static int cmp_cards(const void *a, const void *b, void *ctx) {
    const struct mu_devices_report *report = ctx;
    return cmp_devices(&report->cards.items[*(const uint32_t *)a].devices.items[0],
                       &report->cards.items[*(const uint32_t *)b].devices.items[0], ctx);
}

static void order_cards(struct mu_devices_report *report) {
    for (uint32_t c = 0; c < report->cards.len; c++) {
        struct mu_report_card *card = &report->cards.items[c];
        qsort_r(card->devices.items, card->devices.len, sizeof(uint32_t), cmp_devices, report);
        MU_VEC_PUSH(report->arena, &report->places.items[card->place].cards, c);
    }
    for (size_t p = 0; p < report->places.len; p++)
        if (report->places.items[p].cards.len > 0)
            qsort_r(report->places.items[p].cards.items, report->places.items[p].cards.len, sizeof(uint32_t), cmp_cards,
                    report);
}

/* ------------------------------------------------------------------ who has what */

static void charge_counters(struct gathering *g, const struct mu_report_device *device) {
    for (uint32_t u = 0; u < device->device->uses_len; u++) {
        const struct mu_counter_use *use = &device->device->uses[u];
        uint32_t index = find_set(g, device->slice, use->set);
        for (uint32_t c = 0; index != UINT32_MAX && c < use->counters_len; c++) {
            struct mu_report_set *set = &g->report->sets.items[index];
            for (uint32_t k = 0; k < set->counters_len; k++)
                if (set->counters[k].name == use->counters[c].name)
                    set->counters[k].left -= use->counters[c].value.nano;
        }
    }
}

static void hold(struct gathering *g, struct mu_report_device *device, struct mu_device_holder holder) {
    struct mu_devices_report *report = g->report;
    const struct mu_device_result *result = holder.result;
    if (result->admin_access) {
        MU_VEC_PUSH(report->arena, &device->watchers, holder);
        return;
    }
    if (device->holders.len == 0)
        charge_counters(g, device); /* however many claims hold it, the card is used once */
    MU_VEC_PUSH(report->arena, &device->holders, holder);
    bool share = result->share_id != 0 || result->shared;
    device->shares += share;
    device->whole += !share;
    for (uint32_t i = 0; share && i < result->consumed_len; i++)
        for (uint32_t c = 0; c < device->device->capacity_len; c++)
            if (device->device->capacity[c].name == result->consumed[i].name)
                device->consumed[c] += result->consumed[i].value.nano;
}

static void add_holders(struct gathering *g) {
    struct mu_devices_report *report = g->report;
    for (size_t i = 0; i < report->store->claims.len; i++) {
        const struct mu_claim *claim = report->store->claims.items[i];
        for (uint32_t r = 0; claim->allocated && r < claim->results_len; r++) {
            const struct mu_device_result *result = &claim->results[r];
            const mu_sym key[3] = {result->driver, result->pool, result->device};
            uint32_t device;
            if (mu_map_get(&report->device_by_name, bytes_of(key, sizeof key), &device))
                hold(g, &report->devices.items[device], (struct mu_device_holder){claim, result});
            else
                MU_VEC_PUSH(report->arena, &report->lost, (struct mu_device_holder){claim, result});
        }
    }
}

/* ------------------------------------------------------------------ device plugins */

/* One that some vendor made known (upstream: IsExtendedResourceName). */
static bool is_extended(struct mu_str name) {
    return mu_str_index(name, '/') >= 0 && !mu_str_starts(name, MU_STR("requests.")) &&
           !memmem(name.ptr, name.len, "kubernetes.io/", sizeof "kubernetes.io/" - 1);
}

static int cmp_extended(const void *a, const void *b, void *symbols) {
    const struct mu_report_extended *x = a, *y = b;
    return mu_sym_cmp(symbols, x->resource, y->resource);
}

static void add_extended(struct gathering *g) {
    struct mu_devices_report *report = g->report;
    struct mu_store *store = report->store;
    for (size_t n = 0; n < store->nodes.len; n++) {
        const struct mu_node *node = store->nodes.items[n];
        uint32_t index = place_of_node(g, node->meta.name, false);
        struct mu_report_place *place = &report->places.items[index];
        for (uint32_t i = 0; i < node->allocatable_len; i++)
            if (is_extended(text_of(report, node->allocatable[i].resource)) && node->allocatable[i].amount > 0)
                MU_VEC_PUSH(report->arena, &place->extended,
                            (struct mu_report_extended){.resource = node->allocatable[i].resource,
                                                        .total = node->allocatable[i].amount});
        if (place->extended.len > 0)
            qsort_r(place->extended.items, place->extended.len, sizeof place->extended.items[0], cmp_extended,
                    &store->symbols);
    }
}

static void use_extended(struct gathering *g, const struct mu_pod *pod) {
    uint32_t index;
    if (!mu_map_get(&g->place_by_key, mu_str_printf(g->report->arena, "n%u", pod->node), &index))
        return;
    struct mu_report_place *place = &g->report->places.items[index];
    for (size_t e = 0; e < place->extended.len; e++) {
        struct mu_report_extended *extended = &place->extended.items[e];
        for (uint32_t i = 0; i < pod->spec->requests_len; i++) {
            if (pod->spec->requests[i].resource != extended->resource)
                continue;
            if (__builtin_add_overflow(extended->used, pod->spec->requests[i].amount, &extended->used))
                extended->used = INT64_MAX;
            MU_VEC_PUSH(g->report->arena, &extended->pods, pod);
        }
    }
}

int mu_devices_gather(struct mu_devices_report *report, struct mu_err *err) {
    struct gathering g = {.report = report};
    g.place_by_key = new_map(&g);
    g.set_by_name = new_map(&g);
    g.card_by_set = new_map(&g);
    report->device_by_name = new_map(&g);
    int r = create_alloc(report, err);
    if (r != 0)
        return r;
    choose_slices(&g);
    add_extended(&g);
    for (size_t i = 0; i < g.slices_len; i++)
        add_sets(&g, g.slices[i]);
    for (size_t i = 0; i < g.slices_len; i++)
        add_devices(&g, g.slices[i]);
    add_holders(&g);
    for (size_t i = 0; i < report->store->pods.len; i++) {
        const struct mu_pod *pod = report->store->pods.items[i];
        if (pod->node && pod->phase != MU_PHASE_SUCCEEDED && pod->phase != MU_PHASE_FAILED)
            use_extended(&g, pod);
    }
    order_places(report);
    order_cards(report);
    return 0;
}
