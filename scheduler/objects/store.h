/* Store: all objects of an input, decoded once, names interned, duplicates resolved, manifests completed.
 *
 * This is where documents become objects. Reading is order-free: the same set of documents gives the same store,
 * whatever their order (arrays are sorted by namespace and name at the end). */
#ifndef MU_OBJECTS_STORE_H
#define MU_OBJECTS_STORE_H

#include "scheduler/objects/dra.h"
#include "scheduler/objects/group.h"
#include "scheduler/objects/node.h"
#include "scheduler/objects/policy.h"
#include "scheduler/objects/reader.h"
#include "scheduler/objects/volume.h"

/* Something the user must hear of, without ending the run: an object that is refused alone, a kind that was skipped,
 * a workload that was not planned, a snapshot that is plainly partial. */
struct mu_note {
    struct mu_str text; /* one sentence, names the object */
    bool unplanned;     /* pods exist or would exist that no decision covers: exit status 1 at best */
};

struct mu_store {
    struct mu_arena *arena;
    struct mu_symbols symbols;
    MU_VEC(struct mu_pod *) pods;
    MU_VEC(struct mu_node *) nodes;
    MU_VEC(struct mu_group_object *) groups;
    MU_VEC(struct mu_pv *) pvs;
    MU_VEC(struct mu_pvc *) pvcs;
    MU_VEC(struct mu_storage_class *) storage_classes;
    MU_VEC(struct mu_csi_node *) csi_nodes;
    MU_VEC(struct mu_csi_driver *) csi_drivers;
    MU_VEC(struct mu_csi_capacity *) csi_capacities;
    MU_VEC(struct mu_priority_class *) priority_classes;
    MU_VEC(struct mu_pdb *) pdbs;
    MU_VEC(struct mu_namespace *) namespaces;
    MU_VEC(struct mu_queue *) queues;
    MU_VEC(struct mu_claim *) claims;
    MU_VEC(struct mu_claim *) claim_templates;
    MU_VEC(struct mu_slice *) slices;
    MU_VEC(struct mu_device_class *) device_classes;
    MU_VEC(struct mu_taint_rule *) taint_rules;
    MU_VEC(struct mu_note) notes;
    struct mu_store_index *index; /* private: what is there already, specs that are shared, workloads to expand */
};

/* An empty store in the arena (borrowed; the store lives as long). The arena must be used inside mu_arena_run(). */
struct mu_store *mu_store_create(struct mu_arena *arena);

/* Decodes one document: an object, or a List of them; `ctx` is the store. A mu_document_fn.
 * Errors: MU_E_PARSE for a wrong type, a quantity or time that is none, one version with different contents; the text
 * names file, document, line where known, and field path. */
int mu_store_add(void *ctx, const struct mu_value *document, const struct mu_place *place, struct mu_err *err);

/* After the last document: expands workloads that no controller has acted on (Job, Deployment, ReplicaSet,
 * StatefulSet, DaemonSet, LeaderWorkerSet, JobSet: no uid) into the pods that their controllers would make, fills in
 * what the server would (priority from its class, default class, default StorageClass), sorts, and notes what was
 * skipped. Errors: MU_E_LIMIT. */
int mu_store_finish(struct mu_store *store, struct mu_err *err) MU_MUST_USE;

#endif
