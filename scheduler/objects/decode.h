/* Decoding, private to this folder: typed readers of a value tree's fields, and the decoders of each kind.
 *
 * A decoder reads field after field without looking at errors: the first one is kept in the context with its place
 * and field path, what is read after it is empty, and store.c looks once at the end of an object. Three things can be
 * wrong with a field:
 * - its type is not what the API says, or a quantity or time is none: an error, MU_E_PARSE;
 * - it is well formed but makes no sense: the object's `invalid`, and reading goes on;
 * - it is absent or null, which is the same thing and no fault unless the field is required. */
#ifndef MU_OBJECTS_DECODE_H
#define MU_OBJECTS_DECODE_H

#include "scheduler/objects/quantity.h"
#include "scheduler/objects/store.h"

struct mu_decode {
    struct mu_store *store;
    struct mu_symbols *symbols; /* the store's */
    struct mu_arena *arena;     /* where what is read is kept */
    struct mu_arena *scratch;   /* for what is needed while one object is read */
    const struct mu_place *place;
    struct mu_err *err;
    int code;                      /* 0, or that of the first error */
    struct mu_str kind;            /* of the object in work; empty until it is known */
    struct mu_str namespace, name; /* likewise */
    struct mu_str invalid;         /* what makes no sense in the object, if anything: the first of it */
};

/* A value and the way to it: a chain on the stack that ends at the object's root. */
struct mu_at {
    const struct mu_at *up;
    const struct mu_value *value; /* NULL: absent or null */
    struct mu_str key;            /* of a field; ptr NULL: an item of a list, or the root */
    size_t index;                 /* of an item */
};

/* ---- Places (decode.c) ---- */

/* Records the error "FILE: document N, line L: KIND NS/NAME: PATH: ..." unless there is one already. `at` may be the
 * parent of a field that is absent: then `field` names it; else `field` is NULL. */
void mu_decode_fail(struct mu_decode *d, const struct mu_at *at, const char *field, const char *format, ...)
    MU_PRINTF(4, 5);
/* Records that the object makes no sense, as "PATH: ...", unless something is recorded already. */
void mu_decode_invalid(struct mu_decode *d, const struct mu_at *at, const char *field, const char *format, ...)
    MU_PRINTF(4, 5);

/* What users wrote may hold line breaks and control characters: sentences hold question marks for them. */
void mu_make_one_line(char *text, size_t len);

/* A field that must be of this type where it is there. */
struct mu_at mu_at_field(struct mu_decode *d, const struct mu_at *up, const char *field, enum mu_value_type type);
static inline struct mu_at mu_at_object(struct mu_decode *d, const struct mu_at *up, const char *field) {
    return mu_at_field(d, up, field, MU_VALUE_OBJECT);
}
static inline struct mu_at mu_at_array(struct mu_decode *d, const struct mu_at *up, const char *field) {
    return mu_at_field(d, up, field, MU_VALUE_ARRAY);
}
/* Items of a list or entries of a map; 0 where absent. */
size_t mu_at_len(const struct mu_at *at);
/* An item of a list or entry of a map, which must be of this type; value NULL where it is null (or wrong). */
struct mu_at mu_at_item(struct mu_decode *d, const struct mu_at *up, size_t index, enum mu_value_type type);
/* The same of any type. */
struct mu_at mu_at_any_item(const struct mu_at *up, size_t index);

/* ---- Fields (decode.c). What is absent gives the empty value, or the fallback ---- */

struct mu_str mu_field_str(struct mu_decode *d, const struct mu_at *at, const char *field);
mu_sym mu_field_sym(struct mu_decode *d, const struct mu_at *at, const char *field);
/* Like mu_field_sym(), and an error where the field is absent or empty. */
mu_sym mu_field_sym_required(struct mu_decode *d, const struct mu_at *at, const char *field);
bool mu_field_bool(struct mu_decode *d, const struct mu_at *at, const char *field, bool fallback);
/* A whole number; beyond [min, max] the object makes no sense and the nearer bound is returned. */
int64_t mu_field_int(struct mu_decode *d, const struct mu_at *at, const char *field, int64_t fallback, int64_t min,
                     int64_t max);
static inline int32_t mu_field_i32(struct mu_decode *d, const struct mu_at *at, const char *field, int32_t fallback,
                                   int32_t min) {
    return (int32_t)mu_field_int(d, at, field, fallback, min, INT32_MAX);
}
/* MU_TIME_NONE where absent. */
int64_t mu_field_time(struct mu_decode *d, const struct mu_at *at, const char *field);
int64_t mu_field_duration(struct mu_decode *d, const struct mu_at *at, const char *field, int64_t fallback);
/* The index of the text in `words` (count of them); an unknown word makes no sense and gives the fallback. */
int mu_field_word(struct mu_decode *d, const struct mu_at *at, const char *field, const char *const *words, int count,
                  int fallback);
/* False where absent. Negative and absurd ones make no sense and are cut to 0 and the most. */
bool mu_field_quantity(struct mu_decode *d, const struct mu_at *at, const char *field, struct mu_quantity *ret);
/* The same of an item. */
bool mu_item_quantity(struct mu_decode *d, const struct mu_at *item, struct mu_quantity *ret);
int64_t mu_item_int(struct mu_decode *d, const struct mu_at *item, int64_t min, int64_t max);
/* Strings of a list, in its order; returns their number. */
uint32_t mu_field_syms(struct mu_decode *d, const struct mu_at *at, const char *field, const mu_sym **ret);
/* The same as a set: sorted by symbol, each once. */
uint32_t mu_field_sym_set(struct mu_decode *d, const struct mu_at *at, const char *field, const mu_sym **ret);

mu_sym mu_decode_sym(struct mu_decode *d, struct mu_str text);
/* Sorts by symbol; repeated ones are dropped. Returns how many are left. */
uint32_t mu_sort_syms(mu_sym *syms, uint32_t len);

/* An amount as placement counts it: cpu in milli, everything else in whole units. */
int64_t mu_amount_up(const struct mu_decode *d, mu_sym resource, struct mu_quantity q);
int64_t mu_amount_down(const struct mu_decode *d, mu_sym resource, struct mu_quantity q);
/* A map from resource names to quantities, sorted by symbol; `down`: rounded down, else up. */
uint32_t mu_field_amounts(struct mu_decode *d, const struct mu_at *at, const char *field, bool down,
                          const struct mu_amount **ret);

/* ---- Parts that kinds share ---- */

/* decode_meta.c: metadata. Names the object in `d`. */
void mu_decode_meta(struct mu_decode *d, const struct mu_at *root, bool namespaced, struct mu_meta *ret);
struct mu_labels mu_field_labels(struct mu_decode *d, const struct mu_at *at, const char *field);
/* Labels and annotations alone, as in the metadata of a template. */
void mu_decode_template_meta(struct mu_decode *d, const struct mu_at *at, struct mu_meta *ret);
/* A number for the content, whatever the order of fields. */
uint64_t mu_value_hash(const struct mu_value *value);
/* The end of a name that the server would make up: five letters that depend on the content alone. In scratch. */
struct mu_str mu_value_suffix(struct mu_decode *d, const struct mu_value *value);

/* decode_affinity.c */
/* NULL where the field is absent. */
const struct mu_selector *mu_field_selector(struct mu_decode *d, const struct mu_at *at, const char *field);
/* nodeSelectorTerms of the NodeSelector that stands in the field; false where there is none. */
bool mu_field_node_selector(struct mu_decode *d, const struct mu_at *at, const char *field,
                            const struct mu_node_term **ret, uint32_t *ret_len);
/* spec.affinity. */
void mu_decode_affinity(struct mu_decode *d, const struct mu_at *spec, struct mu_pod_spec *ret);

/* decode_pod.c */
/* A claim that is made from a template in the pod, and the volume of the pod that uses it. */
struct mu_claim_template {
    mu_sym volume;              /* the volume's name */
    uint32_t use;               /* its index in the pod's volumes */
    const struct mu_pvc *claim; /* all but its name and namespace */
};

/* A pod, and what only those who make pods need of it. */
struct mu_pod_template {
    struct mu_pod pod;
    const struct mu_claim_template *ephemeral;
    const mu_sym *volume_names; /* of pod.volumes */
    uint32_t ephemeral_len;
    bool host_network;
};

/* Everything of a pod but its metadata: `root` holds spec and status. */
void mu_decode_pod_body(struct mu_decode *d, const struct mu_at *root, struct mu_pod_template *ret);
/* Names the claims of ephemeral volumes after the pod; of a manifest, which has no claims yet, it asks for them. */
void mu_pod_own_claims(struct mu_decode *d, struct mu_pod_template *pod);
/* spec.resourceClaims, of pods and groups. */
uint32_t mu_decode_claim_uses(struct mu_decode *d, const struct mu_at *spec, const struct mu_claim_use **ret);
/* status.resourceClaimStatuses, of pods and groups. */
uint32_t mu_decode_claim_statuses(struct mu_decode *d, const struct mu_at *status, const struct mu_claim_status **ret);
/* LowerPriority, Never, or not given. */
enum mu_preemption mu_decode_preemption(struct mu_decode *d, const struct mu_at *at);
/* "nginx" is "nginx:latest"; a tag or digest stays. */
mu_sym mu_decode_image(struct mu_decode *d, struct mu_str name);

/* decode_pod_spec.c: the part that equal pods share, but for requests and affinity. */
void mu_decode_pod_spec(struct mu_decode *d, const struct mu_at *root, struct mu_pod_spec *ret);

/* pod_requests.c: what the pod asks of its node, from spec and status. */
void mu_decode_requests(struct mu_decode *d, const struct mu_at *root, struct mu_pod_spec *ret);

/* pod_extended.c: its containers' extended resources one by one. */
void mu_decode_extended(struct mu_decode *d, const struct mu_at *spec, struct mu_pod_spec *ret);
/* True of an init container that runs as long as the pod. */
bool mu_is_sidecar(struct mu_decode *d, const struct mu_at *container);

/* spec_share.c: the store's one spec that equals this one, which may lie in scratch; NULL where there is none yet. */
const struct mu_pod_spec *mu_spec_find(struct mu_decode *d, const struct mu_pod_spec *spec);
/* Makes the spec, which lies in the store's arena and has no equal there, the shared one. */
const struct mu_pod_spec *mu_spec_add(struct mu_decode *d, struct mu_pod_spec *spec);

/* ---- Kinds. `object` is the struct of the kind, with its metadata; each fills the rest ---- */

void mu_decode_pod(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_node(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_group_native(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_group_coscheduling(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_group_volcano(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_group_composite(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_group_lws(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_pv(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_pvc(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_storage_class(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_csi_node(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_csi_driver(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_csi_capacity(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_priority_class(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_pdb(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_namespace(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_queue(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_queue_volcano(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_claim(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_claim_template(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_slice(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_device_class(struct mu_decode *d, const struct mu_at *root, void *object);
void mu_decode_taint_rule(struct mu_decode *d, const struct mu_at *root, void *object);

#endif
