/* The report as an object, in JSON or YAML; see devices_report.h. */
#include "scheduler/cli/devices_report.h"

static struct mu_str text_of(const struct mu_devices_report *report, mu_sym sym) {
    return mu_text(&report->store->symbols, sym);
}

static void begin_list(struct mu_writer *writer, const char *key) {
    mu_writer_key(writer, key);
    mu_writer_array(writer);
}

static void write_sym(const struct mu_devices_report *report, struct mu_writer *writer, const char *key, mu_sym sym) {
    mu_writer_key_str(writer, key, text_of(report, sym));
}

static void write_amount(const struct mu_devices_report *report, struct mu_writer *writer, const char *key,
                         mu_i128 nano) {
    mu_writer_key_str(writer, key, mu_device_amount(report->arena, nano));
}

/* ------------------------------------------------------------------ numbers of cards */

static void write_counts(struct mu_writer *writer, const struct mu_left_counts *counts) {
    static const char *const keys[MU_LEFT_COUNT] = {"free", "partlyUsed", "taken", "tainted", "unusable"};
    int64_t total = 0;
    for (int left = 0; left < MU_LEFT_COUNT; left++)
        total += counts->of[left];
    mu_writer_key_i64(writer, "total", total);
    for (int left = 0; left < MU_LEFT_COUNT; left++)
        mu_writer_key_i64(writer, keys[left], counts->of[left]);
}

static bool is_empty(const struct mu_left_counts *counts) {
    bool empty = true;
    for (int left = 0; left < MU_LEFT_COUNT; left++)
        empty = empty && counts->of[left] == 0;
    return empty;
}

static void write_classes(const struct mu_devices_report *report, struct mu_writer *writer, uint32_t place) {
    begin_list(writer, "classes");
    for (uint32_t i = 0; i < report->store->device_classes.len; i++) {
        const struct mu_device_class *class = report->store->device_classes.items[i];
        const struct mu_left_counts counts = mu_devices_count(report, place, i);
        if ((report->class && report->class != class->meta.name) || (place != UINT32_MAX && is_empty(&counts)))
            continue;
        mu_writer_object(writer);
        write_sym(report, writer, "name", class->meta.name);
        if (class->extended_resource)
            write_sym(report, writer, "extendedResourceName", class->extended_resource);
        write_counts(writer, &counts);
        mu_writer_object_end(writer);
    }
    mu_writer_array_end(writer);
}

/* ------------------------------------------------------------------ one device */

static void write_holder(const struct mu_devices_report *report, struct mu_writer *writer,
                         const struct mu_device_holder *holder) {
    const struct mu_device_result *result = holder->result;
    mu_writer_object(writer);
    write_sym(report, writer, "namespace", holder->claim->meta.namespace);
    write_sym(report, writer, "claim", holder->claim->meta.name);
    write_sym(report, writer, "request", result->request);
    if (result->share_id)
        write_sym(report, writer, "shareID", result->share_id);
    mu_writer_key_bool(writer, "adminAccess", result->admin_access);
    begin_list(writer, "consumedCapacity");
    for (uint32_t i = 0; i < result->consumed_len; i++) {
        mu_writer_object(writer);
        write_sym(report, writer, "name", result->consumed[i].name);
        write_amount(report, writer, "value", result->consumed[i].value.nano);
        mu_writer_object_end(writer);
    }
    mu_writer_array_end(writer);
    begin_list(writer, "reservedFor");
    for (uint32_t i = 0; i < holder->claim->reserved_for_len; i++) {
        mu_writer_object(writer);
        write_sym(report, writer, "resource", holder->claim->reserved_for[i].resource);
        write_sym(report, writer, "name", holder->claim->reserved_for[i].name);
        mu_writer_object_end(writer);
    }
    mu_writer_array_end(writer);
    mu_writer_object_end(writer);
}

static void write_holders(const struct mu_devices_report *report, struct mu_writer *writer,
                          const struct mu_report_device *device) {
    begin_list(writer, "holders");
    for (size_t i = 0; i < device->holders.len; i++)
        write_holder(report, writer, &device->holders.items[i]);
    for (size_t i = 0; i < device->watchers.len; i++)
        write_holder(report, writer, &device->watchers.items[i]);
    mu_writer_array_end(writer);
}

static void write_capacity(const struct mu_devices_report *report, struct mu_writer *writer,
                           const struct mu_report_device *device) {
    begin_list(writer, "capacity");
    for (uint32_t c = 0; c < device->device->capacity_len; c++) {
        const struct mu_device_capacity *capacity = &device->device->capacity[c];
        mu_writer_object(writer);
        write_sym(report, writer, "name", capacity->name);
        write_amount(report, writer, "total", capacity->value.nano);
        if (device->device->shared) {
            write_amount(report, writer, "consumed", device->consumed[c]);
            write_amount(report, writer, "left", capacity->value.nano - device->consumed[c]);
        }
        mu_writer_object_end(writer);
    }
    mu_writer_array_end(writer);
}

static void write_taints(const struct mu_devices_report *report, struct mu_writer *writer,
                         const struct mu_report_device *device) {
    static const char *const effects[] = {"", "None", "NoSchedule", "NoExecute", ""};
    begin_list(writer, "taints");
    for (size_t i = 0; i < device->taints.len; i++) {
        const struct mu_device_taint *taint = device->taints.items[i].taint;
        mu_writer_object(writer);
        write_sym(report, writer, "key", taint->key);
        write_sym(report, writer, "value", taint->value);
        mu_writer_key_str(writer, "effect", mu_str_from(effects[taint->effect]));
        if (device->taints.items[i].rule)
            write_sym(report, writer, "deviceTaintRule", device->taints.items[i].rule->meta.name);
        mu_writer_object_end(writer);
    }
    mu_writer_array_end(writer);
}

static void write_name(const struct mu_devices_report *report, struct mu_writer *writer, const struct mu_slice *slice,
                       mu_sym device) {
    write_sym(report, writer, "driver", slice->driver);
    write_sym(report, writer, "pool", slice->pool);
    write_sym(report, writer, "device", device);
}

static void write_device(const struct mu_devices_report *report, struct mu_writer *writer,
                         const struct mu_report_device *device) {
    mu_writer_object(writer);
    write_name(report, writer, device->slice, device->device->name);
    write_sym(report, writer, "resourceSlice", device->slice->meta.name);
    mu_writer_key_str(writer, "state", mu_str_from(mu_left_name(device->left)));
    if (device->why.len > 0)
        mu_writer_key_str(writer, "message", device->why);
    mu_writer_key_bool(writer, "allowMultipleAllocations", device->device->shared);
    begin_list(writer, "classes");
    for (size_t i = 0; i < device->classes.len; i++)
        mu_writer_str(writer,
                      text_of(report, report->store->device_classes.items[device->classes.items[i]]->meta.name));
    mu_writer_array_end(writer);
    write_capacity(report, writer, device);
    write_taints(report, writer, device);
    begin_list(writer, "sameCardAs");
    for (size_t i = 0; i < device->twins.len; i++) {
        const struct mu_report_device *twin = &report->devices.items[device->twins.items[i]];
        mu_writer_object(writer);
        write_name(report, writer, twin->slice, twin->device->name);
        mu_writer_object_end(writer);
    }
    mu_writer_array_end(writer);
    write_holders(report, writer, device);
    mu_writer_object_end(writer);
}

static void write_card(const struct mu_devices_report *report, struct mu_writer *writer,
                       const struct mu_report_card *card) {
    mu_writer_object(writer);
    mu_writer_key_str(writer, "state", mu_str_from(mu_left_name(card->left)));
    if (card->set != UINT32_MAX) {
        const struct mu_report_set *set = &report->sets.items[card->set];
        write_sym(report, writer, "counterSet", set->name);
        begin_list(writer, "counters");
        for (uint32_t i = 0; i < set->counters_len; i++) {
            mu_writer_object(writer);
            write_sym(report, writer, "name", set->counters[i].name);
            write_amount(report, writer, "total", set->counters[i].total);
            write_amount(report, writer, "left", set->counters[i].left);
            mu_writer_object_end(writer);
        }
        mu_writer_array_end(writer);
    }
    begin_list(writer, "devices");
    for (size_t i = 0; i < card->devices.len; i++)
        write_device(report, writer, &report->devices.items[card->devices.items[i]]);
    mu_writer_array_end(writer);
    mu_writer_object_end(writer);
}

/* ------------------------------------------------------------------ places */

static void write_reach(const struct mu_devices_report *report, struct mu_writer *writer,
                        const struct mu_report_place *place) {
    if (place->node) {
        write_sym(report, writer, "node", place->node);
        return;
    }
    mu_writer_key(writer, "reachableFrom");
    mu_writer_object(writer);
    mu_writer_key_bool(writer, "allNodes", place->all_nodes);
    begin_list(writer, "nodes");
    for (size_t i = 0; i < place->nodes.len; i++)
        mu_writer_str(writer, text_of(report, place->nodes.items[i]));
    mu_writer_array_end(writer);
    mu_writer_object_end(writer);
}

static void write_extended(const struct mu_devices_report *report, struct mu_writer *writer,
                           const struct mu_report_extended *extended) {
    mu_writer_object(writer);
    write_sym(report, writer, "name", extended->resource);
    mu_writer_key_i64(writer, "total", extended->total);
    mu_writer_key_i64(writer, "used", extended->used);
    mu_writer_key_i64(writer, "free", extended->total > extended->used ? extended->total - extended->used : 0);
    begin_list(writer, "pods");
    for (size_t i = 0; i < extended->pods.len; i++) {
        mu_writer_object(writer);
        write_sym(report, writer, "namespace", extended->pods.items[i]->meta.namespace);
        write_sym(report, writer, "name", extended->pods.items[i]->meta.name);
        mu_writer_object_end(writer);
    }
    mu_writer_array_end(writer);
    mu_writer_object_end(writer);
}

static void write_place(const struct mu_devices_report *report, struct mu_writer *writer, uint32_t index) {
    const struct mu_report_place *place = &report->places.items[index];
    mu_writer_object(writer);
    write_reach(report, writer, place);
    write_classes(report, writer, index);
    begin_list(writer, "cards");
    for (size_t i = 0; i < place->cards.len; i++)
        if (report->cards.items[place->cards.items[i]].shown)
            write_card(report, writer, &report->cards.items[place->cards.items[i]]);
    mu_writer_array_end(writer);
    begin_list(writer, "extendedResources");
    for (size_t i = 0; i < place->extended.len && report->class == 0; i++)
        if (!report->free_only || place->extended.items[i].used < place->extended.items[i].total)
            write_extended(report, writer, &place->extended.items[i]);
    mu_writer_array_end(writer);
    mu_writer_object_end(writer);
}

void mu_devices_write(const struct mu_devices_report *report, struct mu_writer *writer) {
    mu_writer_object(writer);
    mu_writer_key_str(writer, "apiVersion", MU_STR("scheduling.muster.dev/v1alpha1"));
    mu_writer_key_str(writer, "kind", MU_STR("DeviceReport"));
    write_classes(report, writer, UINT32_MAX);
    begin_list(writer, "places");
    for (size_t i = 0; i < report->places.len; i++)
        if (report->places.items[report->place_order[i]].shown)
            write_place(report, writer, report->place_order[i]);
    mu_writer_array_end(writer);
    begin_list(writer, "notes");
    for (size_t i = 0; i < report->notes.len; i++) {
        mu_writer_object(writer);
        mu_writer_key_str(writer, "kind", mu_str_from(report->notes.items[i].kind));
        mu_writer_key_bool(writer, "wrong", report->notes.items[i].wrong);
        mu_writer_key_str(writer, "message", report->notes.items[i].text);
        mu_writer_object_end(writer);
    }
    mu_writer_array_end(writer);
    mu_writer_object_end(writer);
    mu_writer_finish(writer);
}
