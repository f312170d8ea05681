/* A cluster read from text into a snapshot, and plans of it as text. */
#ifndef MU_TESTS_PROP_CLUSTER_H
#define MU_TESTS_PROP_CLUSTER_H

#include "scheduler/core/cycle.h"

struct mu_cluster {
    struct mu_arena *arena; /* of the objects and settings */
    struct mu_store *store;
    const struct mu_settings *settings;
    struct mu_snapshot *snapshot;
};

/* Reads YAML into the store and gets the default settings; no snapshot yet. On errors too, finish it. */
int mu_cluster_read(struct mu_cluster *cluster, const char *text, struct mu_err *err) MU_MUST_USE;
/* A snapshot of what was read; replaces the one that is there. */
int mu_cluster_load(struct mu_cluster *cluster, struct mu_err *err) MU_MUST_USE;
void mu_cluster_finish(struct mu_cluster *cluster);

/* Everything that a plan says, in its order; malloc'ed. */
char *mu_cluster_print(const struct mu_cluster *cluster, const struct mu_plan *plan);
/* One cycle on the snapshot, and what it planned, as text; NULL with an error. The placements stay on the snapshot. */
char *mu_cluster_plan(struct mu_cluster *cluster, struct mu_err *err);

#endif
