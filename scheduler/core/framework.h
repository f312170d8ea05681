/* The plugin interface: rules and scores, in-tree and out-of-tree alike, use this header and nothing else of the core.
 *
 * A plugin speaks about a *class*: pods of one group that are alike as far as every plugin is concerned. For each class
 * it is asked once to prepare itself, then, for a class and a node, whether and how often the class fits there as
 * things stand (`filter`, `fit`) and how well (`score`). "As things stand" is the tentative state of the snapshot: pods
 * that the search has placed so far count like those that run.
 *
 * Order of calls: configure; then for each class distinguish, prepare; then filter, fit and score in any order and any
 * number; reserve for each pod that the search places and unreserve when it takes it back (strictly last in, first
 * out); permit when a whole placement stands. No function may depend on anything but its arguments and what the mu_fw_
 * functions answer: no clock, no randomness, no order of calls. Numbers are integers; nothing is floating point.
 *
 * An out-of-tree plugin is a shared object that exports one with MU_PLUGIN_EXPORT, at the end. */
#ifndef MU_CORE_FRAMEWORK_H
#define MU_CORE_FRAMEWORK_H

#include "scheduler/base/arena.h"
#include "scheduler/base/map.h"
#include "scheduler/base/str.h"
#include "scheduler/objects/dra.h"
#include "scheduler/objects/node.h"
#include "scheduler/objects/policy.h"
#include "scheduler/objects/value.h"
#include "scheduler/objects/volume.h"

/* Grows by one with every change of this header that a built plugin would notice. */
#define MU_PLUGIN_ABI 1

#define MU_SCORE_MAX 100        /* scores are 0 (worst) to 100 (best), then multiplied by the plugin's weight */
#define MU_NO_DOMAIN UINT32_MAX /* the node lacks the label */

struct mu_fw;       /* what plugins see of the snapshot; opaque */
struct mu_counter;  /* a running count of pods, see mu_fw_counter; opaque */
struct mu_topology; /* the domains of one node label, see mu_fw_topology; opaque */

/* Which refusal wins where several rules refuse (contract, section 2): the first stage that, with those before it,
 * leaves no placement. */
enum mu_stage { MU_STAGE_CONSTRAINT = 0, MU_STAGE_VOLUME, MU_STAGE_DEVICE, MU_STAGE_RESOURCE, MU_STAGE_COUNT };

/* How far a plugin looks when it judges a class on a node: decides what may be remembered, and which classes may be
 * solved by counting. */
enum mu_scope {
    MU_SCOPE_NONE = 0, /* has nothing to say about this class: not asked again */
    MU_SCOPE_STATIC,   /* at the class and the node's object only */
    MU_SCOPE_NODE,     /* at that node's own tentative state too (free resources, pods on it) */
    MU_SCOPE_CLUSTER   /* at other nodes as well: the class goes to the search, never to counting */
};

/* How far a plugin looks for one class: with its filter and fit, and, apart from that, with its score. A rule that only
 * wishes something (preferred affinity, ScheduleAnyway) answers NONE for the filter, so that its class can still be
 * solved by counting; a score of scope CLUSTER is asked anew each time. */
struct mu_reach {
    enum mu_scope filter;
    enum mu_scope score;
};

/* Why a class does not fit on a node: a phrase of the plugin, and what it is about. phrase 0: it fits. */
struct mu_verdict {
    uint16_t phrase;
    mu_sym subject; /* put where the phrase has "%s"; a resource name, say */
};

/* Pods of the group under decision that no plugin can tell apart.
 *
 * What is prepared for a class serves later groups of such pods too. A plugin's functions for one class therefore see
 * it with one pod that stands for all; the classes of mu_fw_classes() and mu_fw_placed() have all their pods. */
struct mu_class {
    const struct mu_pod_spec *spec;
    mu_sym namespace;
    const struct mu_pod *const *pods; /* not yet placed and placed ones, sorted by name */
    uint32_t pods_len;
    uint32_t index; /* among the group's classes */
};

/* A pod that is placed for the time being. */
struct mu_placed {
    const struct mu_pod *pod;
    const struct mu_class *cls;
    uint32_t node;
};

struct mu_plugin {
    uint32_t abi;        /* MU_PLUGIN_ABI */
    const char *name;    /* as in the configuration, "NodeAffinity" */
    const char *summary; /* one line for `muster plan --explain` and the docs */
    enum mu_stage stage; /* of its refusals */
    /* phrases[0] is NULL; the others complete "0/5 nodes are available: 3 ..." in Kubernetes' own words where it has
     * any. phrases_len counts all. May be NULL for a plugin that only scores. */
    const char *const *phrases;
    uint16_t phrases_len;
    int32_t default_weight; /* of its score; 0: it has none */

    /* Optional. Reads the plugin's arguments from the configuration (NULL where there are none) into *ret_state, in the
     * arena, which lives as long as the configuration. Unknown fields are errors: MU_E_USAGE with the field's name. */
    int (*configure)(struct mu_arena *arena, const struct mu_value *args, void **ret_state, struct mu_err *err);
    /* Optional. Appends what tells this pod from others of equal spec and namespace, as far as this plugin is
     * concerned (the volumes that its claims name, the label values that a selector looks at). Pods with equal bytes
     * are one class. */
    void (*distinguish)(struct mu_fw *fw, void *state, const struct mu_pod *pod, struct mu_buf *key);
    /* Optional (absent: STATIC for both). Once for each class: says how far the plugin looks, and keeps what it worked
     * out in *ret_prepared (memory from mu_fw_alloc, valid as long as the class is). */
    struct mu_reach (*prepare)(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared);
    /* Optional. Does one more pod of the class fit on the node? Verdicts of scope STATIC and NODE are remembered until
     * the node changes. A rule that members of the same group may yet come to satisfy (affinity to one another, skew)
     * lets pass what could still become right; `permit` judges the whole. */
    struct mu_verdict (*filter)(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node);
    /* Optional. How many more pods of the class the node takes, as far as this plugin is concerned: INT64_MAX where it
     * sets no bound. Asked only where filter passes. Exact, never an estimate: counting relies on it. */
    int64_t (*fit)(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node);
    /* Optional. A label of which no domain takes more than one further pod of the class (pods that keep apart), or NULL.
     * Lets the search see at once that more of them are asked for than there are domains. */
    const struct mu_topology *(*one_a_domain)(struct mu_fw *fw, void *state, const void *prepared,
                                              const struct mu_class *cls);
    /* Optional. 0 to MU_SCORE_MAX for one more pod of the class on the node. */
    int64_t (*score)(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node);
    /* Optional. The pod is placed on the node from now on, or no longer: for plugins that keep tentative state of their
     * own (which volume serves which claim). unreserve undoes exactly the newest reserve. */
    void (*reserve)(struct mu_fw *fw, void *state, void *prepared, const struct mu_class *cls, const struct mu_pod *pod,
                    uint32_t node);
    void (*unreserve)(struct mu_fw *fw, void *state, void *prepared, const struct mu_class *cls,
                      const struct mu_pod *pod, uint32_t node);
    /* Optional. May this whole placement stand? Asked with all of it in the tentative state; `placed` are the pods of
     * the group placed now, in no particular order. A refusal sends the search on. */
    struct mu_verdict (*permit)(struct mu_fw *fw, void *state, const struct mu_placed *placed, uint32_t placed_len);
    /* MU_EVENT_ bits: changes after which a refusal by this plugin may be void. Others need not wake a waiting group. */
    uint32_t events;
};

/* What may have changed in the cluster. */
enum mu_event {
    MU_EVENT_NODE_ADDED = 1 << 0,
    MU_EVENT_NODE_ALLOCATABLE = 1 << 1,
    MU_EVENT_NODE_LABELS = 1 << 2,
    MU_EVENT_NODE_TAINTS = 1 << 3,
    MU_EVENT_POD_ADDED = 1 << 4, /* bound, or placed by us */
    MU_EVENT_POD_REMOVED = 1 << 5,
    MU_EVENT_VOLUME = 1 << 6, /* PV, PVC, StorageClass, CSINode, CSIStorageCapacity */
    MU_EVENT_DEVICE = 1 << 7, /* ResourceSlice, ResourceClaim, DeviceClass, DeviceTaintRule */
    MU_EVENT_GROUP = 1 << 8,
    MU_EVENT_QUEUE = 1 << 9,
    MU_EVENT_ALL = (1 << 10) - 1
};

/* ------------------------------------------------------------------ what a plugin may ask */

/* Memory that lives as long as the class being prepared. Zeroed. */
void *mu_fw_alloc(struct mu_fw *fw, size_t bytes);
/* Memory for the length of one call of `permit`, which is not about one class. Zeroed. */
void *mu_fw_scratch(struct mu_fw *fw, size_t bytes);
const struct mu_symbols *mu_fw_symbols(const struct mu_fw *fw);
/* The symbol of a constant or of an argument. */
mu_sym mu_fw_intern(struct mu_fw *fw, struct mu_str text);

/* Nodes are numbered 0 to mu_fw_nodes()-1; a number whose node is gone has no object (NULL) and is never asked about. */
uint32_t mu_fw_nodes(const struct mu_fw *fw);
const struct mu_node *mu_fw_node(const struct mu_fw *fw, uint32_t node);

/* What is left and what there was of a resource on a node, cpu in milli, else whole units; `pods` is a resource too.
 * Free may be negative (allocatable fell below use). A resource that the node does not have is 0 of 0. */
int64_t mu_fw_free(const struct mu_fw *fw, uint32_t node, mu_sym resource);
int64_t mu_fw_allocatable(const struct mu_fw *fw, uint32_t node, mu_sym resource);
/* All resources of a node that plugins may look at (those in allocatable). */
const struct mu_amount *mu_fw_node_resources(const struct mu_fw *fw, uint32_t node, uint32_t *ret_len);

/* The pods on a node, tentatively placed ones last; valid until the next placement. */
const struct mu_pod *const *mu_fw_pods_on(const struct mu_fw *fw, uint32_t node, uint32_t *ret_len);

/* The domains of a node label: nodes with one value of it. NULL never; made once for each key. */
const struct mu_topology *mu_fw_topology(struct mu_fw *fw, mu_sym key);
uint32_t mu_fw_domains(const struct mu_topology *topology);
/* The node's domain, or MU_NO_DOMAIN. */
uint32_t mu_fw_domain(const struct mu_topology *topology, uint32_t node);
/* True where every node that has the label is alone in its domain (kubernetes.io/hostname). */
bool mu_fw_domains_are_nodes(const struct mu_topology *topology);

/* Which pods a counter counts. Terminating pods count while they are there, as Kubernetes has it for affinity;
 * `skip_terminating` leaves them out, as it has it for spreading. */
struct mu_pod_query {
    const struct mu_selector *selector; /* NULL: no pod */
    const struct mu_label *extra;       /* labels that must be equal besides (matchLabelKeys) */
    const struct mu_label *unequal;     /* labels that a pod must not have; others of the key, or none, are fine
                                         * (mismatchLabelKeys, which the API server turns into NotIn) */
    uint32_t extra_len, unequal_len;
    const mu_sym *namespaces; /* these, sorted; and those that the selector below matches */
    uint32_t namespaces_len;
    const struct mu_selector *namespace_selector; /* NULL: none */
    bool skip_terminating;
};

/* A count of placed pods, kept up to date through every placement and undo. Equal queries share one. */
const struct mu_counter *mu_fw_counter(struct mu_fw *fw, const struct mu_pod_query *query,
                                       const struct mu_topology *topology);
bool mu_fw_query_matches(const struct mu_fw *fw, const struct mu_pod_query *query, const struct mu_pod *pod);
int64_t mu_fw_count_on(const struct mu_counter *counter, uint32_t node);
int64_t mu_fw_count_in(const struct mu_counter *counter, uint32_t domain);
/* All counted pods on nodes that have the label. */
int64_t mu_fw_count_all(const struct mu_counter *counter);

/* Terms that pods in the cluster carry themselves: for the symmetric half of pod affinity. */
enum mu_carried_kind {
    MU_CARRIED_ANTI = 0,
    MU_CARRIED_AFFINITY,
    MU_CARRIED_AFFINITY_PREFERRED,
    MU_CARRIED_ANTI_PREFERRED
};

struct mu_carried {
    enum mu_carried_kind kind;
    struct mu_pod_query query; /* the term, with its carrier's namespace and label values put in */
    int32_t weight;            /* of a preferred term */
    const struct mu_topology *topology;
    const struct mu_counter *carriers; /* counts the pods that carry it */
};

/* Every distinct term that a pod of the cluster carries, or a pod of the group under decision would. Preparing a class
 * may keep pointers to them; they live as long as the class. */
const struct mu_carried *const *mu_fw_carried(struct mu_fw *fw, uint32_t *ret_len);

/* The group under decision: its classes, and how many of its pods the search has not placed so far (surplus that will
 * not be placed in this decision is not counted). */
const struct mu_class *const *mu_fw_classes(const struct mu_fw *fw, uint32_t *ret_len);
uint32_t mu_fw_unplaced(const struct mu_fw *fw);
/* The distinct specs of the group's pods, in the order of the pods' names. Known before there are classes: a pod may be
 * told apart (`distinguish`) by what other members' rules look at. */
const struct mu_pod_spec *const *mu_fw_specs(const struct mu_fw *fw, uint32_t *ret_len);
/* The group's pods that the search has placed so far, as `permit` gets them. Valid until the next placement. */
const struct mu_placed *mu_fw_placed(const struct mu_fw *fw, uint32_t *ret_len);
/* What the plugin's `prepare` kept for a class of the group (one of mu_fw_classes), for `permit` and for filters of scope
 * CLUSTER; NULL where it said that its filter has nothing to say. */
const void *mu_fw_prepared(const struct mu_fw *fw, const struct mu_plugin *plugin, const struct mu_class *cls);
/* A number that no other state of this snapshot has had or will have, the group under decision and its unplaced pods
 * included: what was worked out from counts holds while it stays the same. (Another number does not say that anything
 * differs.) */
uint64_t mu_fw_stamp(const struct mu_fw *fw);

/* The ResourceClaims of a pod of the group under decision, as the rule about devices needs them. Which devices a claim is
 * given is the core's business (devices.h); a plugin asks whether there are any, and says when they are needed. */
struct mu_pod_claims;
/* NULL where the pod has none. Valid while its group is decided. */
const struct mu_pod_claims *mu_fw_claims(const struct mu_fw *fw, const struct mu_pod *pod);
/* Appends what tells the claims of one pod from those of another as far as placing it goes: claims that ask alike, and
 * are used by one pod each, are alike. */
void mu_fw_claims_distinguish(struct mu_fw *fw, const struct mu_pod_claims *claims, struct mu_buf *key);
/* The same claims for as long as the class that is being prepared lives. */
const struct mu_pod_claims *mu_fw_claims_keep(struct mu_fw *fw, const struct mu_pod_claims *claims);
/* STATIC where all have their devices, NODE where what they need of one node is nothing to another, else CLUSTER. */
enum mu_scope mu_fw_claims_scope(const struct mu_fw *fw, const struct mu_pod_claims *claims);
/* False where a claim has devices that cannot be used from the node. */
bool mu_fw_claims_reach(const struct mu_fw *fw, const struct mu_pod_claims *claims, uint32_t node);
/* How many pods with such claims the node takes; INT64_MAX: devices set no bound. */
int64_t mu_fw_devices_fit(struct mu_fw *fw, const struct mu_pod_claims *claims, uint32_t node);
/* How good the node is for such claims, 0 to MU_SCORE_MAX: what is broken into already is used first. */
int64_t mu_fw_devices_score(struct mu_fw *fw, const struct mu_pod_claims *claims, uint32_t node);
/* The pod is placed on the node; or taken back, newest first. */
void mu_fw_devices_reserve(struct mu_fw *fw, const struct mu_pod *pod, uint32_t node);
void mu_fw_devices_unreserve(struct mu_fw *fw, const struct mu_pod *pod);
/* True where the node has nothing of the resource from a device plugin, and a DeviceClass serves it instead: claims for
 * its devices decide then. */
bool mu_fw_served_by_class(const struct mu_fw *fw, mu_sym resource, uint32_t node);
/* True where the node reaches devices that claims may ask for. */
bool mu_fw_has_devices(const struct mu_fw *fw, uint32_t node);
/* True where some placed pod has not got the devices that it needs. */
bool mu_fw_devices_lack(const struct mu_fw *fw);

/* Storage, namespaces. NULL where there is none of that name. */
const struct mu_namespace *mu_fw_namespace(const struct mu_fw *fw, mu_sym name);
const struct mu_pvc *mu_fw_pvc(const struct mu_fw *fw, mu_sym namespace, mu_sym name);
const struct mu_pv *mu_fw_pv(const struct mu_fw *fw, mu_sym name);
const struct mu_storage_class *mu_fw_storage_class(const struct mu_fw *fw, mu_sym name);
const struct mu_csi_node *mu_fw_csi_node(const struct mu_fw *fw, uint32_t node);
/* Sorted by name. */
const struct mu_pv *const *mu_fw_pvs(const struct mu_fw *fw, uint32_t *ret_len);
/* Sorted by namespace and name. */
const struct mu_pvc *const *mu_fw_pvcs(const struct mu_fw *fw, uint32_t *ret_len);
const struct mu_csi_capacity *const *mu_fw_csi_capacities(const struct mu_fw *fw, uint32_t *ret_len);
/* True unless a CSIDriver object of that name says that it publishes no capacity. */
bool mu_fw_heeds_capacity(const struct mu_fw *fw, mu_sym driver);
/* True where a CSIDriver object of that name says that it does. */
bool mu_fw_publishes_capacity(const struct mu_fw *fw, mu_sym driver);
/* How many pods that are placed now use the claim, and the node of one of them (untouched where 0). */
uint32_t mu_fw_pvc_users(const struct mu_fw *fw, mu_sym namespace, mu_sym name, uint32_t *ret_node);
/* How many pods that are there, placed or waiting (finished ones aside), name the claim among their volumes. */
uint32_t mu_fw_pvc_mentions(const struct mu_fw *fw, mu_sym namespace, mu_sym name);

/* Exports an out-of-tree plugin: the loader looks for this one name in the shared object. */
#define MU_PLUGIN_EXPORT(plugin_)                                                                                      \
    __attribute__((visibility("default"))) const struct mu_plugin *const mu_plugin_entry = &(plugin_)

#endif
