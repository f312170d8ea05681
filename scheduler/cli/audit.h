/* Audit: what must never be in a cluster, found in a snapshot of it. Pure functions over the objects. */
#ifndef MU_CLI_AUDIT_H
#define MU_CLI_AUDIT_H

#include "scheduler/cli/terminal.h"
#include "scheduler/core/settings.h"
#include "scheduler/objects/store.h"
#include "scheduler/objects/writer.h"

enum mu_finding_kind {
    MU_FINDING_GANG_PARTLY_BOUND = 0, /* some members run, too few for the minimum */
    MU_FINDING_DEVICE_GIVEN_TWICE,    /* two allocations hold one device, or one card by way of two drivers */
    MU_FINDING_DEVICE_OVERCOMMITTED,  /* claims take more of a device or a counter than it has */
    MU_FINDING_DEVICE_NOT_FOUND,      /* a claim holds a device that is no longer published */
    MU_FINDING_DEVICE_TAINTED,        /* a claim holds a device with a NoExecute taint that it does not tolerate */
    MU_FINDING_NODE_OVERCOMMITTED,    /* pods on a node ask for more than its allocatable */
    MU_FINDING_NODE_NOT_FOUND,        /* pods are bound to a node that is not there */
    MU_FINDING_RESERVED_FOR_NOBODY,   /* a claim is reserved for pods or groups that are gone */
    MU_FINDING_RESERVED_FOR_TOO_MANY, /* a claim has more users than a claim may have, or a pod waits to be one more */
    MU_FINDING_ALLOCATED_FOR_NOBODY,  /* a claim holds devices and has no user */
    MU_FINDING_KIND_COUNT
};

/* "GangPartlyBound". */
const char *mu_finding_kind_name(enum mu_finding_kind kind);

/* An object that a finding is about. */
struct mu_finding_object {
    const char *kind;
    mu_sym namespace, name; /* namespace 0: none */
};

struct mu_finding {
    enum mu_finding_kind kind;
    MU_VEC(struct mu_finding_object) objects; /* what is wrong first, those involved after it */
    struct mu_str message;
};

/* What may use a claim, by "namespace/name", to an index in the store. */
struct mu_audit_consumers {
    struct mu_map pods, groups;
};

struct mu_audit {
    struct mu_arena *arena;
    const struct mu_settings *settings;
    struct mu_store *store;             /* its symbols grow with names that groups are given */
    MU_VEC(struct mu_finding) findings; /* by kind; in the same order for the same objects */
    MU_VEC(struct mu_str) unchecked;    /* sentences: what could not be looked at, since objects are missing */
    struct mu_audit_consumers consumers;
};

/* All of the below. now_ns: whether the grace of a pod that is ending, or the time that a taint is tolerated for, is
 * over. In the arena of the store, inside mu_arena_run(). */
void mu_audit_all(struct mu_audit *audit, int64_t now_ns);

void mu_audit_gangs(struct mu_audit *audit, int64_t now_ns);
void mu_audit_devices(struct mu_audit *audit, int64_t now_ns);
void mu_audit_nodes(struct mu_audit *audit);
void mu_audit_claims(struct mu_audit *audit);

/* For those: a new finding, and what it is about. The pointer is valid until the next one. */
struct mu_finding *mu_audit_find(struct mu_audit *audit, enum mu_finding_kind kind);
void mu_audit_involve(struct mu_audit *audit, struct mu_finding *finding, const char *kind, const struct mu_meta *meta);

/* For those that are about claims. Index first. */
enum { MU_AUDIT_NAMES_SHOWN = 5 };
/* "namespace/name" */
struct mu_str mu_audit_key(const struct mu_audit *audit, mu_sym namespace, mu_sym name);
void mu_audit_index_consumers(struct mu_audit *audit);
/* What is wrong with one consumer of a claim: "pod a is gone"; empty: nothing, or nothing that can be told. */
struct mu_str mu_audit_judge_consumer(const struct mu_audit *audit, const struct mu_claim *claim,
                                      const struct mu_consumer *consumer);
/* "used by pod a and pod b", "used by nobody". */
struct mu_str mu_audit_users_text(const struct mu_audit *audit, const struct mu_claim *claim);
/* Involves those of a claim's users that are in the input, and no more than a few. */
void mu_audit_involve_users(struct mu_audit *audit, struct mu_finding *finding, const struct mu_claim *claim);

void mu_audit_print(const struct mu_audit *audit, const struct mu_terminal *terminal);
void mu_audit_write(const struct mu_audit *audit, struct mu_writer *writer);

#endif
