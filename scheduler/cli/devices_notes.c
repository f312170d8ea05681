/* What is wrong with devices and who holds them, in sentences; see devices_report.h. */
#include "scheduler/cli/devices_report.h"

#include "scheduler/devices/held.h"
#include <inttypes.h>

static struct mu_str text_of(const struct mu_devices_report *report, mu_sym sym) {
    return mu_text(&report->store->symbols, sym);
}

static void add(struct mu_devices_report *report, const char *kind, bool wrong, struct mu_str text) {
    MU_VEC_PUSH(report->arena, &report->notes, (struct mu_report_note){kind, wrong, text});
}

static struct mu_str key_of(const struct mu_devices_report *report, const struct mu_report_device *device) {
    return mu_device_key(report, device->slice->driver, device->slice->pool, device->device->name);
}

static struct mu_str claim_name(const struct mu_devices_report *report, const struct mu_claim *claim) {
    return mu_audit_key(&report->audit, claim->meta.namespace, claim->meta.name);
}

/* "ml/a, used by pod x; ml/b, used by nobody", the first few. */
static struct mu_str holders_text(const struct mu_devices_report *report, const struct mu_report_device *device) {
    struct mu_buf text;
    mu_buf_init(&text, report->arena);
    for (size_t i = 0; i < device->holders.len && i < MU_AUDIT_NAMES_SHOWN; i++) {
        const struct mu_claim *claim = device->holders.items[i].claim;
        mu_buf_printf(&text, "%s" MU_STR_FMT ", " MU_STR_FMT, i > 0 ? "; " : "", MU_STR_ARG(claim_name(report, claim)),
                      MU_STR_ARG(mu_audit_users_text(&report->audit, claim)));
    }
    if (device->holders.len > MU_AUDIT_NAMES_SHOWN)
        mu_buf_printf(&text, "; and %zu more", device->holders.len - MU_AUDIT_NAMES_SHOWN);
    return mu_buf_str(&text);
}

/* ------------------------------------------------------------------ devices */

static void note_twice(struct mu_devices_report *report, const struct mu_report_device *device) {
    if (device->holders.len > 1 && device->whole > 0)
        add(report, "DeviceGivenTwice", true,
            mu_str_printf(report->arena, "device " MU_STR_FMT " is given out %zu times: " MU_STR_FMT,
                          MU_STR_ARG(key_of(report, device)), device->holders.len,
                          MU_STR_ARG(holders_text(report, device))));
    for (size_t i = 0; i < device->twins.len && device->holders.len > 0; i++) {
        const struct mu_report_device *twin = &report->devices.items[device->twins.items[i]];
        /* Each pair once: from the driver that is first by name. */
        if (twin->holders.len == 0 ||
            mu_sym_cmp(&report->store->symbols, device->slice->driver, twin->slice->driver) > 0)
            continue;
        add(report, "DeviceGivenTwice", true,
            mu_str_printf(report->arena,
                          "one card is given out by two drivers: as " MU_STR_FMT " to " MU_STR_FMT "; as " MU_STR_FMT
                          " to " MU_STR_FMT,
                          MU_STR_ARG(key_of(report, device)), MU_STR_ARG(holders_text(report, device)),
                          MU_STR_ARG(key_of(report, twin)), MU_STR_ARG(holders_text(report, twin))));
    }
}

static void note_capacity(struct mu_devices_report *report, const struct mu_report_device *device) {
    for (uint32_t c = 0; c < device->device->capacity_len; c++) {
        const struct mu_device_capacity *capacity = &device->device->capacity[c];
        if (device->consumed[c] > capacity->value.nano)
            add(report, "DeviceOvercommitted", true,
                mu_str_printf(report->arena,
                              "device " MU_STR_FMT ": " MU_STR_FMT " of " MU_STR_FMT " " MU_STR_FMT
                              " given out: " MU_STR_FMT,
                              MU_STR_ARG(key_of(report, device)),
                              MU_STR_ARG(mu_device_amount(report->arena, device->consumed[c])),
                              MU_STR_ARG(mu_device_amount(report->arena, capacity->value.nano)),
                              MU_STR_ARG(text_of(report, capacity->name)), MU_STR_ARG(holders_text(report, device))));
    }
}

static void note_taints(struct mu_devices_report *report, const struct mu_report_device *device) {
    for (size_t i = 0; i < device->holders.len; i++) {
        const struct mu_device_holder *holder = &device->holders.items[i];
        const struct mu_device_taint *taint = mu_alloc_evicting_taint(report->alloc, holder->result, report->now_ns);
        if (taint)
            add(report, "DeviceTainted", true,
                mu_str_printf(report->arena,
                              "claim " MU_STR_FMT " holds device " MU_STR_FMT
                              " and does not tolerate its taint " MU_STR_FMT ":NoExecute",
                              MU_STR_ARG(claim_name(report, holder->claim)), MU_STR_ARG(key_of(report, device)),
                              MU_STR_ARG(text_of(report, taint->key))));
    }
}

static void note_counters(struct mu_devices_report *report) {
    for (size_t s = 0; s < report->sets.len; s++) {
        const struct mu_report_set *set = &report->sets.items[s];
        for (uint32_t c = 0; c < set->counters_len; c++)
            if (set->counters[c].left < 0)
                add(report, "DeviceOvercommitted", true,
                    mu_str_printf(
                        report->arena,
                        "pool " MU_STR_FMT "/" MU_STR_FMT ": " MU_STR_FMT " of " MU_STR_FMT " " MU_STR_FMT
                        " of counter set " MU_STR_FMT " given out",
                        MU_STR_ARG(text_of(report, set->slice->driver)), MU_STR_ARG(text_of(report, set->slice->pool)),
                        MU_STR_ARG(mu_device_amount(report->arena, set->counters[c].total - set->counters[c].left)),
                        MU_STR_ARG(mu_device_amount(report->arena, set->counters[c].total)),
                        MU_STR_ARG(text_of(report, set->counters[c].name)), MU_STR_ARG(text_of(report, set->name))));
    }
}

/* ------------------------------------------------------------------ two drivers */

/* One sentence for each pair of drivers that publish the same cards. */
static void note_drivers(struct mu_devices_report *report) {
    struct pair {
        mu_sym a, b;
        uint32_t devices;
    };
    MU_VEC(struct pair) pairs = {0};
    struct mu_map known;
    mu_map_init(&known, report->arena, 1);
    for (size_t d = 0; d < report->devices.len; d++) {
        const struct mu_report_device *device = &report->devices.items[d];
        mu_sym last = 0;
        for (size_t t = 0; t < device->twins.len; t++) {
            const mu_sym key[2] = {device->slice->driver, report->devices.items[device->twins.items[t]].slice->driver};
            if (key[1] == last || mu_sym_cmp(&report->store->symbols, key[0], key[1]) > 0)
                continue;
            last = key[1];
            uint32_t at = (uint32_t)pairs.len;
            struct mu_str bytes = {(const char *)key, sizeof key};
            if (!mu_map_get(&known, bytes, &at)) {
                MU_VEC_PUSH(report->arena, &pairs, (struct pair){key[0], key[1], 0});
                mu_map_put(&known, mu_str_dup(report->arena, bytes), at);
            }
            pairs.items[at].devices++;
        }
    }
    for (size_t i = 0; i < pairs.len; i++)
        add(report, "OneCardTwoDrivers", false,
            mu_str_printf(report->arena,
                          "%" PRIu32 " device%s of " MU_STR_FMT " %s published by " MU_STR_FMT
                          " as well: a card that one of them has given out is not given out by the other",
                          pairs.items[i].devices, pairs.items[i].devices == 1 ? "" : "s",
                          MU_STR_ARG(text_of(report, pairs.items[i].a)), pairs.items[i].devices == 1 ? "is" : "are",
                          MU_STR_ARG(text_of(report, pairs.items[i].b))));
}

/* ------------------------------------------------------------------ claims and slices */

static struct mu_map senseless_pools(const struct mu_devices_report *report) {
    struct mu_map pools;
    mu_map_init(&pools, report->arena, 1);
    for (size_t i = 0; i < report->store->slices.len; i++) {
        const struct mu_slice *slice = report->store->slices.items[i];
        if (slice->meta.invalid.len > 0)
            mu_map_put(&pools, mu_device_key(report, slice->driver, slice->pool, 0), 0);
    }
    return pools;
}

/* Of a pool with a slice that was left out nobody can tell. */
static void note_lost(struct mu_devices_report *report) {
    if (report->store->slices.len == 0 && report->lost.len > 0) {
        add(report, "NoSlices", false,
            MU_STR("there are no ResourceSlices in the input: what claims hold was not compared with them"));
        return;
    }
    const struct mu_map senseless = senseless_pools(report);
    for (size_t i = 0; i < report->lost.len; i++) {
        const struct mu_device_holder *holder = &report->lost.items[i];
        const struct mu_device_result *result = holder->result;
        if (mu_map_get(&senseless, mu_device_key(report, result->driver, result->pool, 0), NULL))
            continue;
        bool updating = mu_alloc_published(report->alloc, result) == MU_PUBLISHED_UNKNOWN;
        add(report, "DeviceNotFound", !updating,
            mu_str_printf(report->arena, "claim " MU_STR_FMT " holds device " MU_STR_FMT ", which %s; " MU_STR_FMT,
                          MU_STR_ARG(claim_name(report, holder->claim)),
                          MU_STR_ARG(mu_device_key(report, result->driver, result->pool, result->device)),
                          updating ? "is in none of the slices that are there of its pool"
                                   : "no ResourceSlice publishes",
                          MU_STR_ARG(mu_audit_users_text(&report->audit, holder->claim))));
    }
}

static void note_stale(struct mu_devices_report *report, const struct mu_claim *claim) {
    if (!claim->allocated || claim->results_len == 0)
        return;
    if (claim->reserved_for_len == 0)
        add(report, "AllocatedForNobody", true,
            mu_str_printf(report->arena, "claim " MU_STR_FMT " keeps %" PRIu32 " device%s and is reserved for nobody",
                          MU_STR_ARG(claim_name(report, claim)), claim->results_len,
                          claim->results_len == 1 ? "" : "s"));
    for (uint32_t i = 0; i < claim->reserved_for_len; i++) {
        struct mu_str why = mu_audit_judge_consumer(&report->audit, claim, &claim->reserved_for[i]);
        if (why.len > 0)
            add(report, "ReservedForNobody", true,
                mu_str_printf(report->arena, "claim " MU_STR_FMT " keeps devices, and " MU_STR_FMT,
                              MU_STR_ARG(claim_name(report, claim)), MU_STR_ARG(why)));
    }
}

static void note_slices(struct mu_devices_report *report) {
    for (size_t i = 0; i < report->store->slices.len; i++) {
        const struct mu_slice *slice = report->store->slices.items[i];
        if (slice->meta.invalid.len > 0)
            add(report, "SliceInvalid", true,
                mu_str_printf(report->arena, "slice " MU_STR_FMT " is left out: " MU_STR_FMT,
                              MU_STR_ARG(text_of(report, slice->meta.name)), MU_STR_ARG(slice->meta.invalid)));
    }
}

static void note_places(struct mu_devices_report *report) {
    if (report->store->nodes.len == 0)
        return;
    for (size_t i = 0; i < report->places.len; i++) {
        const struct mu_report_place *place = &report->places.items[report->place_order[i]];
        if (place->node && place->missing && place->cards.len > 0)
            add(report, "NodeNotFound", true,
                mu_str_printf(report->arena, "devices are published for node " MU_STR_FMT ", which is not in the input",
                              MU_STR_ARG(text_of(report, place->node))));
    }
}

/* Who looks at devices and takes none. */
static void note_watchers(struct mu_devices_report *report) {
    size_t devices = 0, accesses = 0;
    for (size_t i = 0; i < report->devices.len; i++) {
        devices += report->devices.items[i].watchers.len > 0;
        accesses += report->devices.items[i].watchers.len;
    }
    if (devices > 0)
        add(report, "AdminAccess", false,
            mu_str_printf(report->arena,
                          "%zu device%s given with administrative access (%zu times), which takes nothing of them",
                          devices, devices == 1 ? " is" : "s are", accesses));
}

void mu_devices_note(struct mu_devices_report *report) {
    note_slices(report);
    note_places(report);
    for (size_t p = 0; p < report->places.len; p++) {
        const struct mu_report_place *place = &report->places.items[report->place_order[p]];
        for (size_t c = 0; c < place->cards.len; c++) {
            const struct mu_report_card *card = &report->cards.items[place->cards.items[c]];
            for (size_t d = 0; d < card->devices.len; d++) {
                const struct mu_report_device *device = &report->devices.items[card->devices.items[d]];
                note_twice(report, device);
                note_capacity(report, device);
                note_taints(report, device);
            }
        }
    }
    note_counters(report);
    note_lost(report);
    for (size_t i = 0; i < report->store->claims.len; i++)
        note_stale(report, report->store->claims.items[i]);
    note_drivers(report);
    note_watchers(report);
}

/* ------------------------------------------------------------------ all of the report */

static int check_filters(const struct mu_devices_report *report, struct mu_err *err) {
    const struct mu_store *store = report->store;
    bool node = report->node == 0, class = report->class == 0;
    for (size_t i = 0; i < report->places.len; i++)
        node = node || report->places.items[i].node == report->node;
    for (size_t i = 0; i < store->device_classes.len; i++)
        class = class || store->device_classes.items[i]->meta.name == report->class;
    if (!node)
        return mu_err_set(err, MU_E_USAGE, "--node: there is no node " MU_STR_FMT " in the input",
                          MU_STR_ARG(text_of(report, report->node)));
    if (!class)
        return mu_err_set(err, MU_E_USAGE, "--class: there is no DeviceClass " MU_STR_FMT " in the input",
                          MU_STR_ARG(text_of(report, report->class)));
    return 0;
}

int mu_devices_report_make(struct mu_devices_report *report, struct mu_err *err) {
    report->audit = (struct mu_audit){.arena = report->arena, .settings = report->settings, .store = report->store};
    mu_audit_index_consumers(&report->audit);
    int r = mu_devices_gather(report, err);
    if (r == 0)
        r = check_filters(report, err);
    if (r != 0)
        return r;
    mu_devices_judge(report);
    mu_devices_note(report);
    return 0;
}
