/* What a store knows while it is being filled, private to this folder. */
#ifndef MU_OBJECTS_STORE_INDEX_H
#define MU_OBJECTS_STORE_INDEX_H

#include "scheduler/objects/canon.h"
#include "scheduler/objects/decode.h"

enum mu_kind {
    MU_KIND_POD = 0,
    MU_KIND_NODE,
    MU_KIND_GROUP_NATIVE,
    MU_KIND_GROUP_COSCHEDULING,
    MU_KIND_GROUP_VOLCANO,
    MU_KIND_GROUP_COMPOSITE,
    MU_KIND_GROUP_LWS,
    MU_KIND_PV,
    MU_KIND_PVC,
    MU_KIND_STORAGE_CLASS,
    MU_KIND_CSI_NODE,
    MU_KIND_CSI_DRIVER,
    MU_KIND_CSI_CAPACITY,
    MU_KIND_PRIORITY_CLASS,
    MU_KIND_PDB,
    MU_KIND_NAMESPACE,
    MU_KIND_QUEUE,
    MU_KIND_QUEUE_VOLCANO,
    MU_KIND_CLAIM,
    MU_KIND_CLAIM_TEMPLATE,
    MU_KIND_SLICE,
    MU_KIND_DEVICE_CLASS,
    MU_KIND_TAINT_RULE,
    MU_KIND_JOB,
    MU_KIND_DEPLOYMENT,
    MU_KIND_REPLICA_SET,
    MU_KIND_STATEFUL_SET,
    MU_KIND_DAEMON_SET,
    MU_KIND_LWS, /* as a workload; as a group it is MU_KIND_GROUP_LWS */
    MU_KIND_JOB_SET,
    MU_KIND_COUNT /* number of kinds */
};

/* Objects of a kind begin with their metadata, so a pointer to that stands for the object. They are found by namespace
 * and name in an open table of their indexes, which takes a fifth of what a map would: there is one entry a pod. */
struct mu_kind_set {
    MU_VEC(struct mu_meta *) objects;
    uint32_t *slots;    /* 1 more than an index in `objects`; 0: empty */
    size_t slots_count; /* a power of two, at least twice the objects; 0 at first */
};

/* A copy of an object that has the version of another and says something else: an error unless a newer one comes. */
struct mu_conflict {
    enum mu_kind kind;
    uint32_t index; /* in the kind's objects */
    int64_t version;
    struct mu_str text; /* the error */
};

/* A claim that the server would make for a pod that is a manifest, unless there is one of that name. */
struct mu_wanted_claim {
    const struct mu_pvc *claim; /* all but its name and namespace */
    mu_sym namespace, name;
    mu_sym pod;
};

struct mu_skipped {
    struct mu_str kind;
    size_t count;
};

struct mu_store_index {
    struct mu_arena *scratch; /* empty between objects */
    struct mu_kind_set kinds[MU_KIND_COUNT];
    size_t objects;      /* that were read, of all kinds */
    struct mu_map specs; /* from the canonical form to the index in `spec_list` */
    MU_VEC(struct mu_pod_spec *) spec_list;
    struct mu_map claim_specs; /* from the canonical form of a claim's spec to its number */
    MU_VEC(struct mu_conflict) conflicts;
    MU_VEC(struct mu_wanted_claim) wanted_claims;
    MU_VEC(struct mu_skipped) skipped;
    struct mu_map skipped_by_kind;
};

/* store_names.c. The object of this kind and name, or NULL. */
struct mu_meta *mu_store_find(const struct mu_store *store, enum mu_kind kind, mu_sym namespace, mu_sym name);
bool mu_store_find_index(const struct mu_store *store, enum mu_kind kind, mu_sym namespace, mu_sym name, uint32_t *ret);
/* Adds an object whose name is not there yet. The object is kept. */
void mu_store_put(struct mu_store *store, enum mu_kind kind, struct mu_meta *object);
/* Brings the objects of a kind in the order of their namespaces and names. */
void mu_store_sort(struct mu_store *store, enum mu_kind kind);
/* That order. */
int mu_meta_cmp(const struct mu_meta *a, const struct mu_meta *b, const struct mu_symbols *symbols);

/* Notes for people, in the store's arena. */
void mu_store_note(struct mu_store *store, bool unplanned, const char *format, ...) MU_PRINTF(3, 4);

/* store_notes.c: what was skipped, what is refused alone, what is plainly missing; then sorts all notes. */
void mu_store_note_all(struct mu_store *store);

/* expand.c: makes the pods of all workloads that are manifests. Errors: MU_E_LIMIT. */
int mu_store_expand(struct mu_store *store, struct mu_err *err) MU_MUST_USE;

/* store_claims.c: makes the ResourceClaims of pods and PodGroups that are manifests, from their templates. */
void mu_store_make_claims(struct mu_store *store);
/* Gives claims of equal specs equal numbers, whatever the order of reading. */
void mu_store_number_claims(struct mu_store *store);

/* store_kinds.c */
struct mu_kind_info {
    const char *group, *kind;
    size_t bytes; /* of its struct */
    bool namespaced;
    bool workload;
    void (*decode)(struct mu_decode *d, const struct mu_at *root, void *object);
    void (*canon)(struct mu_canon *c, const void *object);
};

extern const struct mu_kind_info mu_kinds[MU_KIND_COUNT];

#endif
