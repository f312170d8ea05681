/* Canonical forms, private to this folder: bytes that are equal exactly where two objects say the same.
 *
 * Two forms. The short one compares within one store, where equal strings have equal symbols: it finds equal pod specs
 * and copies of one object that differ. The text form compares stores that were filled in another order, and is
 * readable: symbols are written as their strings, and sets in the order of these. */
#ifndef MU_OBJECTS_CANON_H
#define MU_OBJECTS_CANON_H

#include "scheduler/objects/store.h"

struct mu_canon {
    struct mu_buf buf;
    const struct mu_symbols *symbols;
    bool text;
};

void mu_canon_init(struct mu_canon *c, struct mu_arena *arena, const struct mu_symbols *symbols, bool text);
static inline struct mu_str mu_canon_str(const struct mu_canon *c) {
    return mu_buf_str(&c->buf);
}

/* ---- Pieces (canon.c) ---- */

void mu_canon_int(struct mu_canon *c, int64_t number);
void mu_canon_sym(struct mu_canon *c, mu_sym sym);
typedef void (*mu_canon_item_fn)(struct mu_canon *c, const void *item);
/* A list whose order means something. */
void mu_canon_list(struct mu_canon *c, const void *items, size_t len, size_t bytes_each, mu_canon_item_fn put);
/* A set, which is sorted by symbol. */
void mu_canon_set(struct mu_canon *c, const void *items, size_t len, size_t bytes_each, mu_canon_item_fn put);
void mu_canon_syms(struct mu_canon *c, const mu_sym *syms, size_t len);
void mu_canon_sym_set(struct mu_canon *c, const mu_sym *syms, size_t len);
void mu_canon_labels(struct mu_canon *c, const struct mu_labels *labels);
/* May be NULL. */
void mu_canon_selector(struct mu_canon *c, const struct mu_selector *selector);
void mu_canon_node_terms(struct mu_canon *c, const struct mu_node_term *terms, size_t len);
void mu_canon_amounts(struct mu_canon *c, const struct mu_amount *amounts, size_t len);
void mu_canon_claim_uses(struct mu_canon *c, const struct mu_claim_use *claims, size_t len);
void mu_canon_claim_statuses(struct mu_canon *c, const struct mu_claim_status *statuses, size_t len);
void mu_canon_meta(struct mu_canon *c, const struct mu_meta *meta);

/* ---- Objects (canon_pod.c, canon_kinds.c, canon_dra.c). `object` is the struct of the kind ---- */

/* All fields but the id. */
void mu_canon_spec(struct mu_canon *c, const struct mu_pod_spec *spec);
void mu_canon_pod(struct mu_canon *c, const void *object);
void mu_canon_node(struct mu_canon *c, const void *object);
void mu_canon_group(struct mu_canon *c, const void *object);
void mu_canon_pv(struct mu_canon *c, const void *object);
void mu_canon_pvc(struct mu_canon *c, const void *object);
void mu_canon_storage_class(struct mu_canon *c, const void *object);
void mu_canon_csi_node(struct mu_canon *c, const void *object);
void mu_canon_csi_driver(struct mu_canon *c, const void *object);
void mu_canon_csi_capacity(struct mu_canon *c, const void *object);
void mu_canon_priority_class(struct mu_canon *c, const void *object);
void mu_canon_pdb(struct mu_canon *c, const void *object);
void mu_canon_namespace(struct mu_canon *c, const void *object);
void mu_canon_queue(struct mu_canon *c, const void *object);
void mu_canon_claim(struct mu_canon *c, const void *object);
/* What a claim asks for: its spec alone. */
void mu_canon_claim_spec(struct mu_canon *c, const struct mu_claim *claim);
void mu_canon_slice(struct mu_canon *c, const void *object);
void mu_canon_device_class(struct mu_canon *c, const void *object);
void mu_canon_taint_rule(struct mu_canon *c, const void *object);

/* Everything in a finished store, in text form, one object a line. */
struct mu_str mu_canon_store(const struct mu_store *store, struct mu_arena *arena);

#endif
