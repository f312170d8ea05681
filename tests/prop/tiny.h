/* Tiny: a small cluster and what waits for it, as plain numbers.
 *
 * Property tests draw one from a seed (tiny_make.c), write it as the text that muster reads (tiny_print.c), and judge
 * muster's answer by it (oracle.h). Nothing here knows the scheduler. Things are named by their place in the arrays:
 * node 2 is "n2", pod 5 "p5", unit 1 "g1"; what is not `there` was dropped, so that names stay when a failing one is
 * made smaller. */
#ifndef MU_TESTS_PROP_TINY_H
#define MU_TESTS_PROP_TINY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MU_TINY_NODES = 6,
    MU_TINY_CLASSES = 5, /* the first three are for what waits */
    MU_TINY_WAITING_CLASSES = 3,
    MU_TINY_UNITS = 6,
    MU_TINY_PODS = 24,
    MU_TINY_WAITING = 8, /* pods of all units together that wait: what the oracle can search through */
    MU_TINY_TERMS = 3,
    MU_TINY_SPREADS = 2,
    MU_TINY_NONE = -1
};

/* Labels of nodes that terms, spreads and units speak about. */
enum mu_tiny_key { MU_TINY_HOST = 0, MU_TINY_ZONE, MU_TINY_RACK, MU_TINY_KEY_COUNT };

enum mu_tiny_taint { MU_TINY_NO_SCHEDULE = 1, MU_TINY_NO_EXECUTE = 2, MU_TINY_PREFER_NOT = 4 };     /* bits */
enum mu_tiny_toleration { MU_TINY_OK_SCHEDULE = 1, MU_TINY_OK_EXECUTE = 2, MU_TINY_OK_CORDON = 4 }; /* bits */

struct mu_tiny_node {
    bool there;
    int gpus, cpus, pods;          /* allocatable; pods NONE: 110 */
    int domain[MU_TINY_KEY_COUNT]; /* value of each label; NONE: the node lacks it */
    int pool;                      /* label "pool"; NONE: none */
    unsigned taints;               /* bits of enum mu_tiny_taint */
    bool cordoned;
};

/* Which namespaces a term looks at. */
enum mu_tiny_spaces { MU_TINY_OWN_SPACE = 0, MU_TINY_OTHER_SPACE, MU_TINY_ALL_SPACES };

/* A required term between pods. */
struct mu_tiny_term {
    bool anti;
    enum mu_tiny_key key;
    unsigned apps; /* bit i: pods labelled app=ai */
    enum mu_tiny_spaces spaces;
};

/* A hard spread over the domains of a label. */
struct mu_tiny_spread {
    int max_skew;
    enum mu_tiny_key key;
    unsigned apps;
    bool ignore_affinity; /* nodeAffinityPolicy Ignore */
    bool honor_taints;    /* nodeTaintsPolicy Honor */
};

enum mu_tiny_zone_rule { MU_TINY_ANY_ZONE = 0, MU_TINY_IN_ZONE, MU_TINY_NOT_IN_ZONE };

/* What pods of one template have in common. */
struct mu_tiny_class {
    int app; /* label app=aN */
    int gpus, cpus;
    int pool; /* nodeSelector; NONE: none */
    enum mu_tiny_zone_rule zone_rule;
    int zone;
    unsigned tolerations; /* bits of enum mu_tiny_toleration */
    int port;             /* host port; NONE: none */
    int port_ip;          /* 0: every address; else 10.0.0.N */
    struct mu_tiny_term terms[MU_TINY_TERMS];
    int terms_len;
    struct mu_tiny_spread spreads[MU_TINY_SPREADS];
    int spreads_len;
};

enum mu_tiny_form {
    MU_TINY_NATIVE = 0,
    MU_TINY_COSCHEDULING,
    MU_TINY_VOLCANO,
    MU_TINY_LABELS, /* no object: pod-group.scheduling.sigs.k8s.io labels on the pods */
    MU_TINY_BASIC,  /* native, no gang */
    MU_TINY_COMPOSITE,
    MU_TINY_COMPOSITE_BASIC
};

/* A group of pods, or of groups. */
struct mu_tiny_unit {
    bool there;
    enum mu_tiny_form form;
    int parent;                        /* NONE: none */
    int minimum;                       /* members, or children */
    int role_minimum[MU_TINY_CLASSES]; /* of VOLCANO: class N is role "rN" */
    int topology;                      /* of NATIVE and COMPOSITE: one value of this label for all; NONE: none */
    int priority, age;                 /* age in minutes */
};

enum mu_tiny_phase { MU_TINY_WAITS = 0, MU_TINY_RUNS, MU_TINY_SUCCEEDED, MU_TINY_FAILED };

struct mu_tiny_pod {
    bool there;
    enum mu_tiny_phase phase;
    bool ending; /* runs, and is being deleted; its grace is not over */
    int cls;
    int gpus, cpus; /* its class's; of strangers their own */
    int unit;       /* NONE: a lone pod (where it waits) or a stranger */
    int node;       /* where it runs or ran; NONE: it waits */
    bool other_space;
    int priority, age; /* of a lone pod; else its unit's */
};

struct mu_tiny {
    struct mu_tiny_node nodes[MU_TINY_NODES];
    struct mu_tiny_class classes[MU_TINY_CLASSES];
    struct mu_tiny_unit units[MU_TINY_UNITS];
    struct mu_tiny_pod pods[MU_TINY_PODS];
};

/* What is decided as one: a unit without a parent, or a lone pod. */
struct mu_tiny_group {
    int unit, pod; /* one of them NONE */
};

/* The same cluster from the same seed on every machine. */
void mu_tiny_make(struct mu_tiny *tiny, uint64_t seed);

/* The outermost unit of a pod, or the pod itself. */
struct mu_tiny_group mu_tiny_group_of(const struct mu_tiny *tiny, int pod);
bool mu_tiny_is_composite(enum mu_tiny_form form);
/* True where the unit is `above` or somewhere below it. */
bool mu_tiny_is_below(const struct mu_tiny *tiny, int unit, int above);
bool mu_tiny_in_group(const struct mu_tiny *tiny, int pod, struct mu_tiny_group group);

/* The objects as YAML, one text each. */
struct mu_tiny_texts {
    char *items[MU_TINY_NODES + MU_TINY_UNITS + MU_TINY_PODS + 2];
    size_t len;
};

void mu_tiny_print(const struct mu_tiny *tiny, struct mu_tiny_texts *ret);
void mu_tiny_texts_finish(struct mu_tiny_texts *texts);
/* All documents in one text, malloc'ed, terminated by 0. */
char *mu_tiny_join(const struct mu_tiny_texts *texts);
/* The clock of every tiny cluster, as --now takes it, and in nanoseconds since 1970. */
#define MU_TINY_NOW "2026-03-02T09:00:00Z"
#define MU_TINY_NOW_NS (INT64_C(1772442000) * 1000000000)

#endif
