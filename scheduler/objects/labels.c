/* Labels and selectors: binary search over sorted symbols. */
#include "scheduler/objects/labels.h"

#include <string.h>

bool mu_labels_get(const struct mu_labels *labels, mu_sym key, mu_sym *ret_value) {
    size_t from = 0, to = labels->len;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (labels->items[middle].key < key)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == labels->len || labels->items[from].key != key)
        return false;
    *ret_value = labels->items[from].value;
    return true;
}

static void reverse(struct mu_label *items, size_t len) {
    for (size_t i = 0; i < len / 2; i++) {
        struct mu_label swapped = items[i];
        items[i] = items[len - 1 - i];
        items[len - 1 - i] = swapped;
    }
}

/* First index in sorted items whose key is at least (above: greater than) `key`. */
static size_t position(const struct mu_label *items, size_t len, mu_sym key, bool above) {
    size_t from = 0;
    while (from < len) {
        size_t middle = from + (len - from) / 2;
        if (items[middle].key < key || (above && items[middle].key == key))
            from = middle + 1;
        else
            len = middle;
    }
    return from;
}

/* Merges two sorted runs that stand side by side, in place and stably: the larger run is cut in the middle, the other
 * one where that middle belongs, and the inner parts change places. Depth is logarithmic, as each call gets at most
 * three quarters of the items. */
static void merge(struct mu_label *items, size_t left, size_t right) {
    if (left == 0 || right == 0 || items[left - 1].key <= items[left].key)
        return;
    size_t cut_left, cut_right;
    if (left >= right) {
        cut_left = left / 2;
        cut_right = position(items + left, right, items[cut_left].key, false);
    } else {
        cut_right = right / 2;
        cut_left = position(items, left, items[left + cut_right].key, true);
    }
    reverse(items + cut_left, left - cut_left);
    reverse(items + left, cut_right);
    reverse(items + cut_left, left - cut_left + cut_right);
    merge(items, cut_left, cut_right);
    merge(items + cut_left + cut_right, left - cut_left, right - cut_right);
}

/* Stable, so that "the later one" keeps its meaning. Symbols are numbered as they come, and objects of a kind have
 * their labels in one order: mostly everything is sorted already, which costs one comparison a label. */
static void sort(struct mu_label *items, size_t len) {
    if (len < 2)
        return;
    sort(items, len / 2);
    sort(items + len / 2, len - len / 2);
    merge(items, len / 2, len - len / 2);
}

struct mu_labels mu_labels_sort(struct mu_label *items, size_t len) {
    sort(items, len);
    size_t kept = 0;
    for (size_t i = 0; i < len; i++) {
        if (kept > 0 && items[kept - 1].key == items[i].key)
            kept--;
        items[kept++] = items[i];
    }
    MU_ASSERT(kept <= UINT32_MAX);
    return (struct mu_labels){.items = items, .len = (uint32_t)kept};
}

static bool has_value(const struct mu_requirement *requirement, mu_sym value) {
    for (uint32_t i = 0; i < requirement->values_len; i++)
        if (requirement->values[i] == value)
            return true;
    return false;
}

bool mu_requirement_matches(const struct mu_requirement *requirement, const struct mu_labels *labels,
                            const struct mu_symbols *symbols) {
    mu_sym value = 0;
    bool has = mu_labels_get(labels, requirement->key, &value);
    int64_t number;
    switch (requirement->op) {
    case MU_OP_IN:
        return has && has_value(requirement, value);
    case MU_OP_NOT_IN:
        return !has || !has_value(requirement, value);
    case MU_OP_EXISTS:
        return has;
    case MU_OP_DOES_NOT_EXIST:
        return !has;
    case MU_OP_GT:
        return has && requirement->has_number && mu_str_to_i64(mu_text(symbols, value), &number) &&
               number > requirement->number;
    case MU_OP_LT:
        return has && requirement->has_number && mu_str_to_i64(mu_text(symbols, value), &number) &&
               number < requirement->number;
    }
    return false;
}

bool mu_selector_matches(const struct mu_selector *selector, const struct mu_labels *labels,
                         const struct mu_symbols *symbols) {
    for (uint32_t i = 0; i < selector->len; i++)
        if (!mu_requirement_matches(&selector->items[i], labels, symbols))
            return false;
    return true;
}

/* Fields are matched as labels of a node that has one alone: its name. */
static bool fields_match(const struct mu_selector *fields, mu_sym name, const struct mu_symbols *symbols) {
    if (fields->len == 0)
        return true;
    struct mu_label field = {.key = mu_symbol_find(symbols, MU_STR("metadata.name")), .value = name};
    return mu_selector_matches(fields, &(struct mu_labels){.items = &field, .len = 1}, symbols);
}

bool mu_node_terms_match(const struct mu_node_term *terms, size_t len, const struct mu_labels *labels, mu_sym name,
                         const struct mu_symbols *symbols) {
    for (size_t i = 0; i < len; i++) {
        const struct mu_node_term *term = &terms[i];
        if (term->expressions.len + term->fields.len > 0 && mu_selector_matches(&term->expressions, labels, symbols) &&
            fields_match(&term->fields, name, symbols))
            return true;
    }
    return false;
}
