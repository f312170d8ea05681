/* The fake framework, from inside: what its two files share. */
#ifndef MU_TESTS_UNIT_PLUGINS_FAKE_INTERNAL_H
#define MU_TESTS_UNIT_PLUGINS_FAKE_INTERNAL_H

#include "tests/unit/plugins/fake_framework.h"

struct mu_topology {
    mu_sym key;
    mu_sym *values; /* of domains */
    uint32_t domains;
    const struct mu_fw *fw;
    struct mu_topology *next;
};

struct mu_counter {
    struct mu_pod_query query;
    enum { OF_QUERY, OF_CARRIERS } kind;
    uint32_t carried;
    const struct mu_topology *topology;
    const struct mu_fw *fw;
    struct mu_counter *next;
};

struct fake_pod {
    const struct mu_pod *pod;
    uint32_t node; /* UINT32_MAX: not placed */
    uint32_t cls;
    const uint32_t *carried;
    uint32_t carried_len;
};

struct fake_class {
    struct mu_class cls, one; /* all pods; and as the core prepares it, with one that stands for all */
    struct mu_str key;
    void *prepared[2]; /* by plugin */
    struct mu_reach reach[2];
};

struct mu_fw {
    struct mu_arena *arena;
    struct mu_store *store;
    struct fake_pod *pods;
    uint32_t pods_len;
    struct fake_class *classes;
    const struct mu_class **class_list;
    uint32_t classes_len;
    const struct mu_pod_spec **specs;
    uint32_t specs_len;
    struct mu_placed *placed;
    uint32_t placed_len, members;
    int64_t expected;
    uint64_t stamp;
    struct mu_topology *topologies;
    struct mu_counter *counters;
    struct mu_carried **carried;
    uint32_t carried_len;
    const struct mu_pod **pods_on; /* the last answer */
    const struct mu_plugin *plugins[2];
    size_t plugins_len;
};

bool fake_same_queries(const struct mu_pod_query *a, const struct mu_pod_query *b);

#endif
