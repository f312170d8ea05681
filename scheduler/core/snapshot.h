/* Snapshot: the cluster as the decision core sees it: nodes and what is free on them, pods and where they are, groups.
 *
 * It is kept, not rebuilt: objects are put and removed as they change, and a cycle costs what changed and what waits.
 * Objects are borrowed: whoever puts one keeps it alive and unchanged until it is replaced or removed. On top of the
 * objects lies a tentative state with an undo journal: what a search places, it takes back exactly. */
#ifndef MU_CORE_SNAPSHOT_H
#define MU_CORE_SNAPSHOT_H

#include "scheduler/objects/store.h"

struct mu_snapshot;

/* Returns owned, NULL without memory. limit_bytes bounds all that it allocates (0: no bound). `symbols` is that of the
 * objects, borrowed. */
struct mu_snapshot *mu_snapshot_create(struct mu_symbols *symbols, size_t limit_bytes);
void mu_snapshot_destroy(struct mu_snapshot *snapshot);

/* Puts every object of a store. Errors: MU_E_NOMEM, MU_E_LIMIT. */
int mu_snapshot_load(struct mu_snapshot *snapshot, const struct mu_store *store, struct mu_err *err) MU_MUST_USE;

/* One object is new or changed (the same namespace and name replace), or gone. Only without a tentative state.
 * Errors: MU_E_NOMEM, MU_E_LIMIT; nothing changed then. */
int mu_snapshot_put_node(struct mu_snapshot *snapshot, const struct mu_node *node, struct mu_err *err) MU_MUST_USE;
void mu_snapshot_remove_node(struct mu_snapshot *snapshot, mu_sym name);
int mu_snapshot_put_pod(struct mu_snapshot *snapshot, const struct mu_pod *pod, struct mu_err *err) MU_MUST_USE;
void mu_snapshot_remove_pod(struct mu_snapshot *snapshot, mu_sym namespace, mu_sym name);

/* A point in the journal of tentative changes. */
typedef size_t mu_mark;
mu_mark mu_snapshot_mark(const struct mu_snapshot *snapshot);
/* Takes back everything since the mark, exactly. */
void mu_snapshot_rollback(struct mu_snapshot *snapshot, mu_mark mark);

/* Bytes held from the system. */
size_t mu_snapshot_bytes(const struct mu_snapshot *snapshot);
/* A digest of everything but caches: equal snapshots have equal digests. For tests of undo and of order. */
uint64_t mu_snapshot_digest(const struct mu_snapshot *snapshot);

#endif
