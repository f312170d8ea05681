/* Labels, label selectors and node selectors over symbols.
 *
 * Matching is that of apimachinery: NotIn and DoesNotExist also match where the key is absent; Gt and Lt compare
 * integers and match nothing where either side is none. */
#ifndef MU_OBJECTS_LABELS_H
#define MU_OBJECTS_LABELS_H

#include "scheduler/base/map.h"

struct mu_label {
    mu_sym key, value;
};

/* Sorted by key symbol; no key twice. */
struct mu_labels {
    const struct mu_label *items;
    uint32_t len;
};

/* The label's value; false where there is no such key. O(log n). */
bool mu_labels_get(const struct mu_labels *labels, mu_sym key, mu_sym *ret_value);
/* Sorts in place by key and makes the set; of two equal keys the later one counts. */
struct mu_labels mu_labels_sort(struct mu_label *items, size_t len);

enum mu_op {
    MU_OP_IN = 0,
    MU_OP_NOT_IN,
    MU_OP_EXISTS,
    MU_OP_DOES_NOT_EXIST,
    MU_OP_GT,
    MU_OP_LT
};

struct mu_requirement {
    mu_sym key;
    enum mu_op op;
    const mu_sym *values;
    uint32_t values_len;
    int64_t number;   /* of Gt and Lt */
    bool has_number;  /* Gt and Lt: the value is an int64; else nothing matches */
};

/* All requirements must match; an empty selector matches everything. A selector that is absent is a NULL pointer and,
 * where Kubernetes says so, matches nothing: that is the caller's part. */
struct mu_selector {
    const struct mu_requirement *items;
    uint32_t len;
};

bool mu_requirement_matches(const struct mu_requirement *requirement, const struct mu_labels *labels,
                            const struct mu_symbols *symbols);
bool mu_selector_matches(const struct mu_selector *selector, const struct mu_labels *labels,
                         const struct mu_symbols *symbols);

/* One term of a node selector: all of it must match. A term without requirements matches nothing. */
struct mu_node_term {
    struct mu_selector expressions; /* over the node's labels */
    struct mu_selector fields;      /* over metadata.name only */
    int32_t weight;                 /* of a preferred term; 0 of a required one */
};

/* Terms are alternatives; no term at all matches nothing. `name` is the node's name. */
bool mu_node_terms_match(const struct mu_node_term *terms, size_t len, const struct mu_labels *labels, mu_sym name,
                         const struct mu_symbols *symbols);

#endif
