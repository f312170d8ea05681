/* Properties: what a cycle places is taken back exactly, and a snapshot that was kept through any events plans like one
 * that is built from the objects as they are then. */
#include "tests/lib/random.h"
#include "tests/prop/cluster.h"
#include "tests/prop/loop.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 12, ENDS_NS = 30 };

enum tally { EVENTS_SEEN = 0, PLANS_COMPARED };

/* One snapshot that lives through the events, and the objects as they are now. */
struct world {
    struct mu_cluster kept;
    struct mu_store now; /* the read store with these nodes and pods instead of its own */
    const struct mu_store *read;
    struct mu_node **nodes; /* by place in the read store; NULL: not there now */
    struct mu_pod **pods;
    struct mu_random random;
    struct mu_err err;
    char *why;
    char events[MU_PROP_WHY_BYTES / 4]; /* what happened so far, for a failure */
    size_t events_len;
};

static size_t below(struct world *world, size_t bound) {
    return (size_t)mu_random_below(&world->random, bound);
}

__attribute__((format(printf, 2, 3))) static void record(struct world *world, const char *format, ...) {
    va_list args;
    va_start(args, format);
    size_t room = sizeof world->events - world->events_len;
    int added = vsnprintf(world->events + world->events_len, room, format, args);
    va_end(args);
    world->events_len += (size_t)added < room ? (size_t)added : room - 1;
}

static const char *name_of(const struct world *world, const struct mu_meta *meta) {
    return mu_text(&world->read->symbols, meta->name).ptr;
}

static bool refute(struct world *world, const char *what) {
    snprintf(world->why, MU_PROP_WHY_BYTES, "%s; events:%s; %s", what, world->events, world->err.text);
    return false;
}

/* The objects that are there now, in the order of the store that was read. */
static void gather(struct world *world) {
    world->now = *world->read;
    world->now.nodes.items = MU_NEW_ARRAY(world->kept.arena, struct mu_node *, world->read->nodes.len);
    world->now.pods.items = MU_NEW_ARRAY(world->kept.arena, struct mu_pod *, world->read->pods.len);
    world->now.nodes.len = world->now.pods.len = 0;
    for (size_t i = 0; i < world->read->nodes.len; i++)
        if (world->nodes[i])
            world->now.nodes.items[world->now.nodes.len++] = world->nodes[i];
    for (size_t i = 0; i < world->read->pods.len; i++)
        if (world->pods[i])
            world->now.pods.items[world->now.pods.len++] = world->pods[i];
}

static bool set_pod(struct world *world, size_t i, struct mu_pod *pod) {
    const struct mu_meta *meta = &world->read->pods.items[i]->meta;
    world->pods[i] = pod;
    if (pod)
        return mu_snapshot_put_pod(world->kept.snapshot, pod, &world->err) == 0;
    mu_snapshot_remove_pod(world->kept.snapshot, meta->namespace, meta->name);
    return true;
}

static bool set_node(struct world *world, size_t i, struct mu_node *node) {
    world->nodes[i] = node;
    if (node)
        return mu_snapshot_put_node(world->kept.snapshot, node, &world->err) == 0;
    mu_snapshot_remove_node(world->kept.snapshot, world->read->nodes.items[i]->meta.name);
    return true;
}

/* A version of the pod as it was read, with one thing different. */
static struct mu_pod *changed_pod(struct world *world, size_t i) {
    struct mu_pod *pod = MU_NEW(world->kept.arena, struct mu_pod);
    *pod = world->pods[i] ? *world->pods[i] : *world->read->pods.items[i];
    const char *name = name_of(world, &pod->meta);
    switch (below(world, 4)) {
    case 0:
        pod->node = world->read->nodes.items[below(world, world->read->nodes.len)]->meta.name;
        pod->phase = MU_PHASE_RUNNING;
        record(world, " %s runs on %s", name, mu_text(&world->read->symbols, pod->node).ptr);
        break;
    case 1:
        pod->phase = pod->node ? MU_PHASE_SUCCEEDED : MU_PHASE_PENDING;
        record(world, " %s ends well", name);
        break;
    case 2:
        pod->meta.deleted_ns = MU_TINY_NOW_NS + ENDS_NS * INT64_C(1000000000);
        record(world, " %s is ending", name);
        break;
    default:
        *pod = *world->read->pods.items[i];
        record(world, " %s is as read", name);
        break;
    }
    return pod;
}

static bool pod_event(struct world *world) {
    size_t i = below(world, world->read->pods.len);
    if (world->pods[i] && below(world, 3) == 0) {
        record(world, " %s is gone", name_of(world, &world->pods[i]->meta));
        return set_pod(world, i, NULL);
    }
    return set_pod(world, i, changed_pod(world, i));
}

/* Half or twice of everything that the node offers. */
static void scale_node(struct world *world, struct mu_node *node) {
    struct mu_amount *amounts = MU_NEW_ARRAY(world->kept.arena, struct mu_amount, node->allocatable_len);
    bool more = below(world, 2);
    for (uint32_t i = 0; i < node->allocatable_len; i++) {
        amounts[i] = node->allocatable[i];
        amounts[i].amount = more ? amounts[i].amount * 2 : amounts[i].amount / 2;
    }
    node->allocatable = amounts;
    record(world, " %s has %s of all", name_of(world, &node->meta), more ? "twice" : "half");
}

static struct mu_node *changed_node(struct world *world, size_t i) {
    struct mu_node *node = MU_NEW(world->kept.arena, struct mu_node);
    const struct mu_node *other = world->read->nodes.items[below(world, world->read->nodes.len)];
    *node = world->nodes[i] ? *world->nodes[i] : *world->read->nodes.items[i];
    const char *name = name_of(world, &node->meta);
    switch (below(world, 5)) {
    case 0:
        scale_node(world, node);
        break;
    case 1:
        node->unschedulable = !node->unschedulable;
        record(world, " %s is cordoned or not", name);
        break;
    case 2:
        node->meta.labels = other->meta.labels;
        record(world, " %s has the labels of %s", name, name_of(world, &other->meta));
        break;
    case 3:
        node->taints = other->taints;
        node->taints_len = other->taints_len;
        record(world, " %s has the taints of %s", name, name_of(world, &other->meta));
        break;
    default:
        *node = *world->read->nodes.items[i];
        record(world, " %s is as read", name);
        break;
    }
    return node;
}

static bool node_event(struct world *world) {
    size_t i = below(world, world->read->nodes.len);
    if (world->nodes[i] && below(world, 4) == 0) {
        record(world, " %s is gone", name_of(world, &world->nodes[i]->meta));
        return set_node(world, i, NULL);
    }
    return set_node(world, i, changed_node(world, i));
}

/* All that the plan binds runs from now on. */
static bool carry_out(struct world *world) {
    MU_CLEANUP(mu_arena_destroyp) struct mu_arena *arena = mu_arena_create(0, NULL);
    struct mu_plan *plan = NULL;
    mu_mark mark = mu_snapshot_mark(world->kept.snapshot);
    if (mu_cycle(world->kept.snapshot, world->kept.settings, MU_TINY_NOW_NS, arena, &plan, &world->err) != 0)
        return refute(world, "the cycle fails");
    mu_snapshot_rollback(world->kept.snapshot, mark);
    record(world, " the plan is carried out");
    for (uint32_t g = 0; g < plan->groups_len; g++)
        for (uint32_t p = 0; p < plan->groups[g].pods_len; p++) {
            const struct mu_plan_pod *planned = &plan->groups[g].pods[p];
            size_t i = 0;
            while (i < world->read->pods.len && world->pods[i] != planned->pod)
                i++;
            if (i == world->read->pods.len)
                return refute(world, "the plan has a pod that is not there");
            if (planned->decision != MU_BIND)
                continue;
            struct mu_pod *pod = MU_NEW(world->kept.arena, struct mu_pod);
            *pod = *planned->pod;
            pod->node = planned->node;
            pod->phase = MU_PHASE_RUNNING;
            if (!set_pod(world, i, pod))
                return refute(world, "a pod cannot be put");
        }
    return true;
}

/* Plans on the kept snapshot and takes it back. */
static char *plan_and_undo(struct world *world) {
    mu_mark mark = mu_snapshot_mark(world->kept.snapshot);
    uint64_t before = mu_snapshot_digest(world->kept.snapshot);
    char *plan = mu_cluster_plan(&world->kept, &world->err);
    mu_snapshot_rollback(world->kept.snapshot, mark);
    if (plan && mu_snapshot_digest(world->kept.snapshot) == before)
        return plan;
    refute(world, plan ? "a cycle leaves a trace" : "the cycle fails");
    free(plan);
    return NULL;
}

static bool compare_plans(struct world *world, const char *kept, const char *rebuilt) {
    if (strcmp(kept, rebuilt) == 0)
        return true;
    int used = snprintf(world->why, MU_PROP_WHY_BYTES, "events:%s; the kept snapshot plans\n%.*s\n", world->events,
                        MU_PROP_WHY_BYTES / 4, kept);
    if (used > 0 && used < MU_PROP_WHY_BYTES)
        snprintf(world->why + used, MU_PROP_WHY_BYTES - (size_t)used, "one built from scratch\n%s", rebuilt);
    return false;
}

static bool plans_agree(struct world *world) {
    gather(world);
    struct mu_cluster fresh = {.store = &world->now, .settings = world->kept.settings};
    bool fine = mu_cluster_load(&fresh, &world->err) == 0;
    if (fine && mu_snapshot_digest(fresh.snapshot) != mu_snapshot_digest(world->kept.snapshot)) {
        mu_snapshot_destroy(fresh.snapshot);
        return refute(world, "the kept snapshot and one built from scratch have different digests");
    }
    char *rebuilt = fine ? mu_cluster_plan(&fresh, &world->err) : NULL;
    char *kept = rebuilt ? plan_and_undo(world) : NULL;
    fine = kept && compare_plans(world, kept, rebuilt);
    if (!rebuilt)
        refute(world, "the fresh snapshot fails");
    if (fine) { /* and once more, now that it has been asked before */
        free(kept);
        kept = plan_and_undo(world);
        fine = kept && compare_plans(world, kept, rebuilt);
    }
    free(kept);
    free(rebuilt);
    mu_snapshot_destroy(fresh.snapshot);
    return fine;
}

static bool live(struct world *world, uint64_t tally[MU_PROP_TALLIES]) {
    if (!plans_agree(world))
        return false;
    for (int i = 0; i < EVENTS; i++) {
        size_t kind = below(world, 10);
        bool fine = kind < 6 ? pod_event(world) : kind < 9 ? node_event(world) : carry_out(world);
        if (!fine)
            return refute(world, "an event fails");
        tally[EVENTS_SEEN]++;
        if (below(world, 3) == 0) /* several at once now and then */
            continue;
        if (!plans_agree(world))
            return false;
        tally[PLANS_COMPARED]++;
    }
    return true;
}

static bool holds(const struct mu_tiny *tiny, uint64_t seed, uint64_t tally[MU_PROP_TALLIES],
                  char why[MU_PROP_WHY_BYTES]) {
    struct world world = {.random = {.state = ~seed}, .why = why};
    struct mu_tiny_texts texts;
    mu_tiny_print(tiny, &texts);
    char *text = mu_tiny_join(&texts);
    bool fine = mu_cluster_read(&world.kept, text, &world.err) == 0 && mu_cluster_load(&world.kept, &world.err) == 0;
    if (!fine) {
        refute(&world, "nothing is loaded");
    } else if (world.kept.store->nodes.len > 0 && world.kept.store->pods.len > 0) {
        world.read = world.kept.store;
        world.nodes = MU_NEW_ARRAY(world.kept.arena, struct mu_node *, world.read->nodes.len);
        world.pods = MU_NEW_ARRAY(world.kept.arena, struct mu_pod *, world.read->pods.len);
        memcpy(world.nodes, world.read->nodes.items, world.read->nodes.len * sizeof *world.nodes);
        memcpy(world.pods, world.read->pods.items, world.read->pods.len * sizeof *world.pods);
        fine = live(&world, tally);
    }
    mu_cluster_finish(&world.kept);
    free(text);
    mu_tiny_texts_finish(&texts);
    return fine;
}

int main(int argc, char **argv) {
    static const struct mu_prop prop = {
        .name = "undo",
        .holds = holds,
        .tally_names = {[EVENTS_SEEN] = "events", [PLANS_COMPARED] = "plans compared"},
        .cases = 3000,
    };
    return mu_prop_main(&prop, argc, argv);
}
