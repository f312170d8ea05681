/* Workloads that no controller has acted on (manifests), and the pods that their controllers would make of them.
 * Private to this folder.
 *
 * When a workload is read, its templates become pods without names (decode_workload.c); when everything is read, these
 * are copied as often as the workload says (expand.c and expand_*.c). A workload that a server has seen, which has a
 * uid, is only remembered, so that it comes before a manifest of the same name. */
#ifndef MU_OBJECTS_EXPAND_H
#define MU_OBJECTS_EXPAND_H

#include "scheduler/objects/canon.h"
#include "scheduler/objects/decode.h"

/* A volumeClaimTemplate of a StatefulSet. */
struct mu_set_claim {
    mu_sym name;
    const struct mu_pvc *claim; /* all but its name and namespace */
};

/* Pods of one template. */
struct mu_workload_part {
    mu_sym name;      /* of a JobSet's replicated job; of other workloads 0 */
    int64_t replicas; /* of a JobSet: how many of these jobs */
    int64_t pods;     /* how many pods (of each replica) */
    bool indexed;     /* a Job of completionMode Indexed */
    struct mu_pod_template template;
};

struct mu_workload {
    struct mu_meta meta;
    uint64_t content;     /* a hash of the whole spec: says whether two copies are the same */
    struct mu_str suffix; /* five letters that stand for the template's hash in names and labels */
    bool suspended;
    int64_t replicas;                     /* of a LeaderWorkerSet: its groups */
    int64_t start;                        /* of a StatefulSet: its first ordinal */
    const struct mu_workload_part *parts; /* of a LeaderWorkerSet: the leader and the workers */
    const struct mu_set_claim *claims;
    uint32_t parts_len, claims_len;
    const char *unread; /* a field that the controller heeds and that is not read here; NULL: none */
};

/* Both take a struct mu_workload. */
void mu_decode_workload(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_canon_workload(struct mu_canon *c, const void *object);

/* ---- Making pods ---- */

struct mu_expand {
    struct mu_decode d; /* its arena is the store's */
    const struct mu_workload *workload;
    struct mu_str name; /* the workload's */
};

/* Labels and annotations that a controller adds, at most this many. */
enum { MU_EXTRA_LABELS = 12 };

struct mu_extra {
    struct mu_label labels[MU_EXTRA_LABELS], annotations[MU_EXTRA_LABELS];
    size_t labels_len, annotations_len;
};

void mu_extra_label(struct mu_expand *e, struct mu_extra *extra, const char *key, struct mu_str value);
void mu_extra_number(struct mu_expand *e, struct mu_extra *extra, const char *key, int64_t number);
void mu_extra_annotation(struct mu_expand *e, struct mu_extra *extra, const char *key, struct mu_str value);

/* A pod of the template with this name, not yet in the store; false where the store has a pod of that name. */
bool mu_make_pod(struct mu_expand *e, const struct mu_pod_template *from, struct mu_str name,
                 const struct mu_extra *extra, struct mu_pod_template *ret);
/* Puts a pod that mu_make_pod() gave into the store. */
void mu_put_pod(struct mu_expand *e, struct mu_pod_template *pod);

/* One function a kind: makes all pods of e->workload. */
void mu_expand_job(struct mu_expand *e);
/* The pods of one Job; job_name is the workload's or, in a JobSet, one of its own. `extra` is added to. */
void mu_expand_job_part(struct mu_expand *e, const struct mu_workload_part *part, struct mu_str job_name,
                        const struct mu_extra *extra);
void mu_expand_replicas(struct mu_expand *e);
void mu_expand_stateful_set(struct mu_expand *e);
void mu_expand_daemon_set(struct mu_expand *e);
void mu_expand_lws(struct mu_expand *e);
void mu_expand_job_set(struct mu_expand *e);

#endif
