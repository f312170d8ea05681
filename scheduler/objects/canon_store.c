/* Canonical form of a whole store. */
#include "scheduler/objects/canon.h"

static void put_line(struct mu_canon *c, const char *kind, const void *object, mu_canon_item_fn put) {
    mu_buf_add(&c->buf, mu_str_from(kind));
    put(c, object);
    mu_buf_add_char(&c->buf, '\n');
}

#define PUT_ALL(array, put)                                                                                            \
    for (size_t i = 0; i < store->array.len; i++) {                                                                    \
        put_line(&c, #array, store->array.items[i], put);                                                              \
    }

struct mu_str mu_canon_store(const struct mu_store *store, struct mu_arena *arena) {
    struct mu_canon c;
    mu_canon_init(&c, arena, &store->symbols, true);
    PUT_ALL(pods, mu_canon_pod)
    PUT_ALL(nodes, mu_canon_node)
    PUT_ALL(groups, mu_canon_group)
    PUT_ALL(pvs, mu_canon_pv)
    PUT_ALL(pvcs, mu_canon_pvc)
    PUT_ALL(storage_classes, mu_canon_storage_class)
    PUT_ALL(csi_nodes, mu_canon_csi_node)
    PUT_ALL(csi_drivers, mu_canon_csi_driver)
    PUT_ALL(csi_capacities, mu_canon_csi_capacity)
    PUT_ALL(priority_classes, mu_canon_priority_class)
    PUT_ALL(pdbs, mu_canon_pdb)
    PUT_ALL(namespaces, mu_canon_namespace)
    PUT_ALL(queues, mu_canon_queue)
    PUT_ALL(claims, mu_canon_claim)
    PUT_ALL(claim_templates, mu_canon_claim)
    PUT_ALL(slices, mu_canon_slice)
    PUT_ALL(device_classes, mu_canon_device_class)
    PUT_ALL(taint_rules, mu_canon_taint_rule)
    for (size_t i = 0; i < store->notes.len; i++) {
        const struct mu_note *note = &store->notes.items[i];
        mu_buf_printf(&c.buf, "note %d " MU_STR_FMT "\n", note->unplanned, MU_STR_ARG(note->text));
    }
    return mu_canon_str(&c);
}
