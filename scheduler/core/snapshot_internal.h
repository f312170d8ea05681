/* Snapshot, from inside: shared by the files of the core, never by plugins or anyone outside.
 *
 * Nodes and pods have slots, small numbers that stay theirs while they are there. Hot data is arrays by node slot.
 * Everything that can be worked out from the objects (domains, counters, prepared classes) lives in the `derived` arena
 * and is thrown away as a whole when something changes that it was worked out from. */
#ifndef MU_CORE_SNAPSHOT_INTERNAL_H
#define MU_CORE_SNAPSHOT_INTERNAL_H

#include "scheduler/base/bitset.h"
#include "scheduler/base/checked.h"
#include "scheduler/core/framework.h"
#include "scheduler/core/snapshot.h"

#define MU_NO_SLOT UINT32_MAX

struct mu_snap_node {
    const struct mu_node *object; /* NULL: the slot is free */
    const struct mu_pod **pods;   /* on this node now, tentative changes included */
    uint32_t *slots;              /* the same pods' slots */
    uint32_t pods_len, pods_cap;
};

struct mu_snap_pod {
    const struct mu_pod *pod; /* NULL: the slot is free */
    uint32_t node;            /* slot of its node, or MU_NO_SLOT */
    uint32_t position;        /* index in that node's pods */
    const uint32_t *carried;  /* of its affinity terms: indexes into `carried` */
    uint32_t carried_len;
    uint32_t next_free;
    const struct mu_pod_claims *claims; /* while its group is under decision */
};

struct mu_resource {
    mu_sym name;
    int64_t *free; /* by node slot: allocatable less what the pods there ask for, cut to int64 */
    int64_t *allocatable;
};

/* What a spec asks for, by resource number; `pods` counts 1. */
struct mu_need {
    uint32_t resource;
    int64_t amount;
};

struct mu_needs {
    const struct mu_pod_spec *spec;
    struct mu_need *items;
    uint32_t len;
};

enum mu_change_kind { MU_CHANGE_PLACED = 0, MU_CHANGE_TAKEN_OFF };

/* One tentative change. */
struct mu_change {
    enum mu_change_kind kind;
    uint32_t pod, node, position;
    struct mu_prepared *prepared; /* of PLACED: whose plugins have reserved; NULL: none was asked */
};

struct mu_topology {
    mu_sym key;
    uint32_t *domain; /* by node slot */
    mu_sym *values;   /* by domain, in order of the values' text */
    uint32_t domains;
    bool domains_are_nodes;
};

struct mu_counter {
    struct mu_pod_query query;
    const struct mu_topology *topology;
    bool of_carriers; /* counts the pods that carry a term, not those that match the query */
    uint32_t carried; /* that term */
    int32_t *on_node;
    int64_t *in_domain;
    int64_t all;
};

/* What plugins hold: the snapshot and the group under decision. */
struct mu_fw {
    struct mu_snapshot *snapshot;
    struct mu_arena *class_arena; /* of the class that is being prepared */
    const struct mu_class *const *classes;
    uint32_t classes_len;
    const struct mu_pod_spec *const *specs;
    uint32_t specs_len;
    struct mu_prepared *const *prepared; /* by class, as this try has them */
    const struct mu_placed *placed;
    uint32_t placed_len;
    uint32_t unplaced;
    struct mu_arena *scratch; /* of the permit that is being asked */
    bool unproved;            /* a rule that was asked could not look at everything */
    uint64_t tries;           /* counts what else a stamp must tell apart */
};

/* Pods (their slots) that name one PersistentVolumeClaim among their volumes, finished ones aside. */
struct mu_claim_users {
    mu_sym key[2]; /* namespace and name */
    uint32_t *items;
    size_t len, cap;
};

struct mu_derived {
    struct mu_arena *arena;
    MU_VEC(struct mu_topology *) topologies;
    MU_VEC(struct mu_counter *) counters;
    struct mu_map counter_index; /* query bytes to index */
    MU_VEC(struct mu_carried *) carried;
    struct mu_map carried_index;
    MU_VEC(struct mu_claim_users *) users;
    struct mu_map users_index; /* of PersistentVolumeClaims: namespace and name */
    bool has_users;
    uint32_t *rank;    /* by node slot: place in the order of names */
    uint32_t *by_rank; /* node slots in the order of names */
    uint32_t nodes_len;
    struct mu_prepared_cache *prepared;
};

struct mu_devices; /* who has which device, devices.h */
struct mu_waiting; /* what is remembered of groups that wait, cycle.c */

struct mu_snapshot {
    struct mu_arena *arena;
    struct mu_symbols *symbols;

    struct mu_snap_node *nodes;
    uint32_t nodes_len, nodes_cap; /* slots ever used, and allocated */
    uint32_t live_nodes;
    struct mu_map node_index; /* name to slot */
    MU_VEC(uint32_t) free_nodes;

    struct mu_snap_pod *pods;
    uint32_t pods_len, pods_cap;
    struct mu_map pod_index; /* namespace and name to slot */
    uint32_t first_free_pod;

    MU_VEC(struct mu_resource *) resources;
    uint32_t *resource_of; /* by symbol, below resource_of_len: the resource's number plus 1, or 0 */
    size_t resource_of_len;
    mu_sym sym_pods;
    mu_sym member_labels[5];         /* label keys by which a pod joins a group */
    MU_VEC(struct mu_needs *) needs; /* by spec id */

    MU_VEC(struct mu_change) journal;

    /* Node slots in the order in which they changed, newest at changes % changes_cap. */
    uint32_t *log;
    uint64_t *changed_at; /* by node slot: its newest place in the log */
    uint64_t changes;
    uint32_t log_cap;

    /* The other objects, borrowed. */
    const struct mu_store *store;
    struct mu_map pvc_index, pv_index, namespace_index, storage_class_index, csi_node_index, csi_driver_index;

    uint64_t membership_version; /* grows when a pod, group, queue or class changes that groups are built from */
    uint64_t ending_version;     /* grows when a pod that ends or is nominated elsewhere comes, changes or goes */
    uint64_t derived_version;    /* grows when derived data are thrown away: what else rested on nodes is void too */
    struct mu_derived *derived;  /* NULL: not worked out since the last change */
    struct mu_waiting *waiting;
    struct mu_devices *devices; /* NULL: not made, or there is nothing to keep */
    struct mu_arena *making;    /* made, and not yet held by what it is made for; NULL: none */
    struct mu_fw fw;
};

/* ---- snapshot.c */
uint32_t mu_snapshot_node_slot(const struct mu_snapshot *s, mu_sym name);
uint32_t mu_snapshot_pod_slot(const struct mu_snapshot *s, const struct mu_pod *pod);
uint32_t mu_snapshot_find_pod(const struct mu_snapshot *s, mu_sym namespace, mu_sym name);
/* The resource's number, or MU_NO_SLOT where no node and no pod has named it. Asked for each node by each rule, so by
 * one look into an array. */
static inline uint32_t mu_snapshot_resource(const struct mu_snapshot *s, mu_sym name) {
    return name < s->resource_of_len ? s->resource_of[name] - 1 : MU_NO_SLOT;
}
const struct mu_needs *mu_snapshot_needs(struct mu_snapshot *s, const struct mu_pod_spec *spec);
/* An arena below the snapshot's, for something that is about to be made in it. Where memory runs out before
 * mu_snapshot_made() says that someone holds it, it goes with the next one, or with the snapshot. */
struct mu_arena *mu_snapshot_child_arena(struct mu_snapshot *s);
void mu_snapshot_made(struct mu_snapshot *s);
/* Bound and not ended: what it asks for is taken on its node. */
bool mu_pod_holds_room(const struct mu_pod *pod);

/* ---- tentative.c */
/* Places a pod and lets the plugins of its prepared class reserve (NULL: no plugin is asked). */
void mu_snapshot_place(struct mu_snapshot *s, uint32_t pod, uint32_t node, struct mu_prepared *prepared);
void mu_snapshot_take_off(struct mu_snapshot *s, uint32_t pod);
/* Writes the node into the log of changes. */
void mu_snapshot_changed(struct mu_snapshot *s, uint32_t node);
/* Works out what is free of one resource from allocatable and the pods there: exact in 128 bits, then cut. */
void mu_node_recount(struct mu_snapshot *s, uint32_t node, uint32_t resource);
/* The lasting forms of the same, for what the cluster itself does. */
void mu_node_attach(struct mu_snapshot *s, uint32_t pod, uint32_t node);
void mu_node_detach(struct mu_snapshot *s, uint32_t pod);

/* ---- derived.c */
struct mu_derived *mu_derived_get(struct mu_snapshot *s);
void mu_derived_drop(struct mu_snapshot *s);
const struct mu_topology *mu_derived_topology(struct mu_snapshot *s, mu_sym key);

/* ---- counters.c */
const struct mu_counter *mu_counter_of(struct mu_snapshot *s, const struct mu_pod_query *query,
                                       const struct mu_topology *topology);
bool mu_query_matches(const struct mu_snapshot *s, const struct mu_pod_query *query, const struct mu_pod *pod);
/* The pod came to the node (by 1) or left it (by -1). */
void mu_counters_pod(struct mu_snapshot *s, uint32_t pod, uint32_t node, int32_t by);
/* Finds the affinity terms of every pod and counts who carries them. */
void mu_carried_build(struct mu_snapshot *s);
/* The same for one pod that comes while derived data stand; false where one of its terms is new: they are stale. */
bool mu_carried_pod(struct mu_snapshot *s, uint32_t pod);

#endif
