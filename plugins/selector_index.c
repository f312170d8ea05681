/* Selector index: entries by label value, for the first requirement of each alternative that lists values. */
#include "plugins/selector_index.h"

#include <stdlib.h>

struct mu_selector_entry {
    mu_sym key, value;
    uint32_t thing;
};

static int entry_cmp(const void *a, const void *b) {
    const struct mu_selector_entry *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->thing < y->thing ? -1 : x->thing > y->thing;
}

static const struct mu_requirement *listing(const struct mu_selector *selector) {
    for (uint32_t i = 0; i < selector->len; i++) {
        if (selector->items[i].op == MU_OP_IN)
            return &selector->items[i];
    }
    return NULL;
}

/* Entries that the thing takes; 0 where it is loose. Written where `into` is not NULL. */
static uint32_t entries_of(const void *things, uint32_t thing, mu_alternative_fn alternative,
                           struct mu_selector_entry *into) {
    uint32_t len = 0;
    const struct mu_selector *selector;
    for (uint32_t a = 0; (selector = alternative(things, thing, a)) != NULL; a++) {
        const struct mu_requirement *requirement = listing(selector);
        if (requirement == NULL)
            return 0;
        for (uint32_t v = 0; v < requirement->values_len; v++, len++) {
            if (into != NULL)
                into[len] = (struct mu_selector_entry){requirement->key, requirement->values[v], thing};
        }
    }
    return len;
}

struct mu_selector_index *mu_selector_index_make(struct mu_fw *fw, const void *things, uint32_t len,
                                                 mu_alternative_fn alternative) {
    struct mu_selector_index *index = mu_fw_alloc(fw, sizeof *index);
    size_t total = 0;
    for (uint32_t i = 0; i < len; i++)
        total += entries_of(things, i, alternative, NULL);
    index->entries = mu_fw_alloc(fw, total * sizeof *index->entries);
    index->keys = mu_fw_alloc(fw, total * sizeof *index->keys);
    index->loose = mu_fw_alloc(fw, len * sizeof *index->loose);
    index->found = mu_fw_alloc(fw, len * sizeof *index->found);
    index->seen = mu_fw_alloc(fw, len * sizeof *index->seen);
    for (uint32_t i = 0; i < len; i++) {
        if (entries_of(things, i, alternative, NULL) == 0)
            index->loose[index->loose_len++] = i;
        else
            index->entries_len += entries_of(things, i, alternative, index->entries + index->entries_len);
    }
    if (index->entries_len > 0)
        qsort(index->entries, index->entries_len, sizeof *index->entries, entry_cmp);
    for (uint32_t i = 0; i < index->entries_len; i++) {
        if (i == 0 || index->entries[i].key != index->entries[i - 1].key)
            index->keys[index->keys_len++] = index->entries[i].key;
    }
    return index;
}

/* The first entry that is not before (key, value). */
static uint32_t lower_bound(const struct mu_selector_index *index, mu_sym key, mu_sym value) {
    uint32_t low = 0, high = index->entries_len;
    const struct mu_selector_entry wanted = {key, value, 0};
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (entry_cmp(&index->entries[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void find_label(struct mu_selector_index *index, mu_sym key, mu_sym value, uint32_t *len) {
    for (uint32_t i = lower_bound(index, key, value);
         i < index->entries_len && index->entries[i].key == key && index->entries[i].value == value; i++) {
        uint32_t thing = index->entries[i].thing;
        if (index->seen[thing] == index->round)
            continue;
        index->seen[thing] = index->round;
        index->found[(*len)++] = thing;
    }
}

const uint32_t *mu_selector_index_find(struct mu_selector_index *index, const struct mu_labels *labels,
                                       uint32_t *ret_len) {
    uint32_t len = 0;
    if (index->keys_len == 0) {
        *ret_len = index->loose_len;
        return index->loose;
    }
    index->round++;
    for (uint32_t k = 0; k < index->keys_len; k++) {
        mu_sym value = 0;
        if (mu_labels_get(labels, index->keys[k], &value))
            find_label(index, index->keys[k], value, &len);
    }
    for (uint32_t i = 0; i < index->loose_len; i++)
        index->found[len++] = index->loose[i];
    *ret_len = len;
    return index->found;
}
