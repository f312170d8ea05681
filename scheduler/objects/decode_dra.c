/* Devices: claims, templates, slices and classes, of resource.k8s.io v1, v1beta2 and v1beta1. */
#include "scheduler/objects/decode.h"

/* ---- Claims ---- */

static void read_results(struct mu_decode *d, const struct mu_at *allocation, struct mu_claim *ret) {
    struct mu_at devices = mu_at_object(d, allocation, "devices");
    struct mu_at list = mu_at_array(d, &devices, "results");
    if (mu_at_len(&list) == 0) {
        return;
    }
    struct mu_device_result *results = MU_NEW_ARRAY(d->arena, struct mu_device_result, mu_at_len(&list));
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value == NULL) {
            continue;
        }
        results[ret->results_len++] = (struct mu_device_result){
            .request = mu_field_sym_required(d, &item, "request"),
            .driver = mu_field_sym_required(d, &item, "driver"),
            .pool = mu_field_sym_required(d, &item, "pool"),
            .device = mu_field_sym_required(d, &item, "device"),
            .share_id = mu_field_sym(d, &item, "shareID"),
            .admin_access = mu_field_bool(d, &item, "adminAccess", false),
        };
    }
    ret->results = results;
}

static void read_consumers(struct mu_decode *d, const struct mu_at *status, struct mu_claim *ret) {
    struct mu_at list = mu_at_array(d, status, "reservedFor");
    if (mu_at_len(&list) == 0) {
        return;
    }
    struct mu_consumer *consumers = MU_NEW_ARRAY(d->arena, struct mu_consumer, mu_at_len(&list));
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value == NULL) {
            continue;
        }
        consumers[ret->reserved_for_len++] = (struct mu_consumer){.resource = mu_field_sym(d, &item, "resource"),
                                                                  .name = mu_field_sym(d, &item, "name"),
                                                                  .uid = mu_field_sym(d, &item, "uid")};
    }
    ret->reserved_for = consumers;
}

void mu_decode_claim(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_claim *ret = object;
    struct mu_at status = mu_at_object(d, root, "status");
    struct mu_at allocation = mu_at_object(d, &status, "allocation");
    ret->allocated = allocation.value != NULL;
    read_results(d, &allocation, ret);
    read_consumers(d, &status, ret);
}

/* ---- Slices ---- */

static void read_attributes(struct mu_decode *d, const struct mu_at *device, struct mu_device *ret) {
    struct mu_at map = mu_at_object(d, device, "attributes");
    if (mu_at_len(&map) == 0) {
        return;
    }
    struct mu_device_attribute *attributes = MU_NEW_ARRAY(d->arena, struct mu_device_attribute, mu_at_len(&map));
    for (size_t i = 0; i < mu_at_len(&map); i++) {
        struct mu_at item = mu_at_item(d, &map, i, MU_VALUE_OBJECT);
        if (item.value != NULL) {
            attributes[ret->attributes_len++] =
                (struct mu_device_attribute){mu_decode_sym(d, item.key), mu_field_sym(d, &item, "string")};
        }
    }
    ret->attributes = attributes;
}

static void read_devices(struct mu_decode *d, const struct mu_at *spec, struct mu_slice *ret) {
    struct mu_at list = mu_at_array(d, spec, "devices");
    if (mu_at_len(&list) == 0) {
        return;
    }
    struct mu_device *devices = MU_NEW_ARRAY(d->arena, struct mu_device, mu_at_len(&list));
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value == NULL) {
            continue;
        }
        struct mu_device *device = &devices[ret->devices_len++];
        device->name = mu_field_sym_required(d, &item, "name");
        /* v1beta1 has everything but the name in `basic`. */
        struct mu_at basic = mu_at_object(d, &item, "basic");
        const struct mu_at *body = basic.value != NULL ? &basic : &item;
        device->shared = mu_field_bool(d, body, "allowMultipleAllocations", false);
        read_attributes(d, body, device);
    }
    ret->devices = devices;
}

void mu_decode_slice(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_slice *ret = object;
    struct mu_at spec = mu_at_object(d, root, "spec");
    struct mu_at pool = mu_at_object(d, &spec, "pool");
    ret->driver = mu_field_sym_required(d, &spec, "driver");
    ret->pool = mu_field_sym_required(d, &pool, "name");
    ret->node = mu_field_sym(d, &spec, "nodeName");
    ret->generation = mu_field_int(d, &pool, "generation", 0, 0, INT64_MAX);
    ret->slice_count = mu_field_int(d, &pool, "resourceSliceCount", 1, 1, INT64_MAX);
    read_devices(d, &spec, ret);
}

void mu_decode_device_class(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_device_class *ret = object;
    struct mu_at spec = mu_at_object(d, root, "spec");
    ret->extended_resource = mu_field_sym(d, &spec, "extendedResourceName");
}
