/* Nodes. */
#include "scheduler/objects/decode.h"
#include <stdlib.h>

static uint32_t read_taints(struct mu_decode *d, const struct mu_at *spec, const struct mu_taint **ret) {
    static const char *const effects[] = {"", "NoSchedule", "PreferNoSchedule", "NoExecute"};
    struct mu_at list = mu_at_array(d, spec, "taints");
    *ret = NULL;
    if (mu_at_len(&list) == 0) {
        return 0;
    }
    struct mu_taint *taints = MU_NEW_ARRAY(d->arena, struct mu_taint, mu_at_len(&list));
    uint32_t len = 0;
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value == NULL) {
            continue;
        }
        struct mu_taint *taint = &taints[len++];
        taint->key = mu_field_sym_required(d, &item, "key");
        taint->value = mu_field_sym(d, &item, "value");
        taint->effect = (enum mu_effect)mu_field_word(d, &item, "effect", effects, 4, MU_EFFECT_NO_SCHEDULE);
    }
    *ret = taints;
    return len;
}

static int cmp_images(const void *a, const void *b) {
    const struct mu_image *x = a, *y = b;
    if (x->name != y->name) {
        return x->name < y->name ? -1 : 1;
    }
    /* The larger one first: of one name it is the one that is kept. */
    return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

static uint32_t read_images(struct mu_decode *d, const struct mu_at *status, const struct mu_image **ret) {
    MU_VEC(struct mu_image) images = {0};
    struct mu_at list = mu_at_array(d, status, "images");
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        int64_t bytes = mu_field_int(d, &item, "sizeBytes", 0, 0, INT64_MAX);
        struct mu_at names = mu_at_array(d, &item, "names");
        for (size_t k = 0; k < mu_at_len(&names); k++) {
            struct mu_at name = mu_at_item(d, &names, k, MU_VALUE_STRING);
            if (name.value != NULL) {
                MU_VEC_PUSH(d->scratch, &images, (struct mu_image){mu_decode_image(d, name.value->text), bytes});
            }
        }
    }
    *ret = NULL;
    if (images.len == 0) {
        return 0;
    }
    qsort(images.items, images.len, sizeof *images.items, cmp_images);
    uint32_t len = 0;
    for (size_t i = 0; i < images.len; i++) {
        if (len == 0 || images.items[len - 1].name != images.items[i].name) {
            images.items[len++] = images.items[i];
        }
    }
    struct mu_image *kept = MU_NEW_ARRAY(d->arena, struct mu_image, len);
    memcpy(kept, images.items, len * sizeof *kept);
    *ret = kept;
    return len;
}

void mu_decode_node(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_node *ret = object;
    struct mu_at spec = mu_at_object(d, root, "spec");
    struct mu_at status = mu_at_object(d, root, "status");
    ret->unschedulable = mu_field_bool(d, &spec, "unschedulable", false);
    ret->taints_len = read_taints(d, &spec, &ret->taints);
    struct mu_at allocatable = mu_at_object(d, &status, "allocatable");
    ret->allocatable_len =
        mu_field_amounts(d, &status, allocatable.value != NULL ? "allocatable" : "capacity", true, &ret->allocatable);
    ret->images_len = read_images(d, &status, &ret->images);
    ret->features_len = mu_field_sym_set(d, &status, "declaredFeatures", &ret->features);
}
