/* Selector index: of many things that each select some nodes, those that may select this one.
 *
 * A cluster has as many local volumes, or published capacities, as nodes or more, and nearly all of them select by one
 * label value. Trying each with each node would cost their product. */
#ifndef MU_PLUGINS_SELECTOR_INDEX_H
#define MU_PLUGINS_SELECTOR_INDEX_H

#include "scheduler/core/framework.h"

/* The selector that is one of the thing's alternatives, by number from 0; NULL past the last one. */
typedef const struct mu_selector *(*mu_alternative_fn)(const void *things, uint32_t thing, uint32_t alternative);

struct mu_selector_entry;

struct mu_selector_index {
    struct mu_selector_entry *entries; /* sorted by label */
    mu_sym *keys;                      /* the distinct ones among them */
    uint32_t *loose;                   /* things that no label value tells anything about: tried with every node */
    uint32_t *found;                   /* by the look-up that was last */
    uint64_t *seen;                    /* by thing: the last look-up that found it */
    uint64_t round;                    /* look-ups so far */
    uint32_t entries_len, keys_len, loose_len;
};

/* Memory as mu_fw_alloc gives it; things are numbered from 0. A thing without alternatives may select any node. */
struct mu_selector_index *mu_selector_index_make(struct mu_fw *fw, const void *things, uint32_t len,
                                                 mu_alternative_fn alternative);
/* Things that may select a node with these labels, each once, in no particular order; all others do not select it.
 * Valid until the next look-up. */
const uint32_t *mu_selector_index_find(struct mu_selector_index *index, const struct mu_labels *labels,
                                       uint32_t *ret_len);

#endif
