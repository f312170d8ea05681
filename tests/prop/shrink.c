/* Makes a failing cluster smaller: drops and simplifies one thing at a time, and keeps what still fails. */
#include "tests/prop/loop.h"

#include <string.h>

struct shrinking {
    struct mu_tiny *tiny; /* fails */
    bool (*fails)(void *ctx, const struct mu_tiny *tiny);
    void *ctx;
    bool progress;
};

/* Keeps the change where it is one, and what it leads to fails too. */
static void attempt(struct shrinking *shrinking, const struct mu_tiny *smaller) {
    if (memcmp(smaller, shrinking->tiny, sizeof *smaller) != 0 && shrinking->fails(shrinking->ctx, smaller)) {
        *shrinking->tiny = *smaller;
        shrinking->progress = true;
    }
}

static void drop_pods(struct shrinking *shrinking) {
    for (int i = 0; i < MU_TINY_PODS; i++) {
        struct mu_tiny smaller = *shrinking->tiny;
        smaller.pods[i].there = false;
        attempt(shrinking, &smaller);
        /* With one member less the minimum may have to follow. */
        smaller = *shrinking->tiny;
        if (!smaller.pods[i].there || smaller.pods[i].unit == MU_TINY_NONE)
            continue;
        smaller.pods[i].there = false;
        smaller.units[smaller.pods[i].unit].minimum--;
        if (smaller.units[smaller.pods[i].unit].minimum > 0)
            attempt(shrinking, &smaller);
    }
}

static void drop_nodes(struct shrinking *shrinking) {
    for (int i = 0; i < MU_TINY_NODES; i++) {
        struct mu_tiny smaller = *shrinking->tiny;
        smaller.nodes[i].there = false;
        for (int p = 0; p < MU_TINY_PODS; p++)
            if (smaller.pods[p].node == i)
                smaller.pods[p].there = false;
        attempt(shrinking, &smaller);
    }
}

static void drop_units(struct shrinking *shrinking) {
    for (int i = 0; i < MU_TINY_UNITS; i++) {
        struct mu_tiny smaller = *shrinking->tiny;
        for (int p = 0; p < MU_TINY_PODS; p++)
            if (mu_tiny_is_below(&smaller, smaller.pods[p].unit, i))
                smaller.pods[p].there = false;
        for (int unit = 0; unit < MU_TINY_UNITS; unit++)
            if (smaller.units[unit].there && mu_tiny_is_below(shrinking->tiny, unit, i))
                smaller.units[unit].there = false;
        int parent = smaller.units[i].parent;
        attempt(shrinking, &smaller);
        if (parent == MU_TINY_NONE || smaller.units[parent].minimum < 2)
            continue;
        smaller.units[parent].minimum--;
        attempt(shrinking, &smaller);
    }
}

static void simplify_units(struct shrinking *shrinking) {
    for (int i = 0; i < MU_TINY_UNITS; i++) {
        struct mu_tiny smaller = *shrinking->tiny;
        if (!smaller.units[i].there)
            continue;
        smaller.units[i].topology = MU_TINY_NONE;
        attempt(shrinking, &smaller);
        smaller = *shrinking->tiny;
        memset(smaller.units[i].role_minimum, 0, sizeof smaller.units[i].role_minimum);
        attempt(shrinking, &smaller);
        smaller = *shrinking->tiny;
        if (!mu_tiny_is_composite(smaller.units[i].form))
            smaller.units[i].form = MU_TINY_NATIVE;
        attempt(shrinking, &smaller);
        smaller = *shrinking->tiny;
        smaller.units[i].priority = smaller.units[i].age = 0;
        attempt(shrinking, &smaller);
    }
}

static void simplify_node(struct shrinking *shrinking, int i) {
    for (int step = 0; step < 6; step++) {
        struct mu_tiny smaller = *shrinking->tiny;
        struct mu_tiny_node *node = &smaller.nodes[i];
        node->taints = step == 0 ? 0 : node->taints;
        node->cordoned = step == 1 ? false : node->cordoned;
        node->pool = step == 2 ? MU_TINY_NONE : node->pool;
        node->pods = step == 3 ? MU_TINY_NONE : node->pods;
        node->cpus = step == 4 ? 32 : node->cpus;
        if (step == 5 && node->gpus > 0)
            node->gpus--;
        attempt(shrinking, &smaller);
    }
    for (int key = 0; key < MU_TINY_KEY_COUNT; key++)
        for (int value = MU_TINY_NONE; value < shrinking->tiny->nodes[i].domain[key]; value++) {
            struct mu_tiny smaller = *shrinking->tiny;
            if (key == MU_TINY_HOST && value != MU_TINY_NONE)
                break;
            smaller.nodes[i].domain[key] = value;
            attempt(shrinking, &smaller);
        }
}

/* An amount that pods of a class and the class itself ask for. */
static void set_amounts(struct mu_tiny *tiny, int cls, int gpus, int cpus) {
    tiny->classes[cls].gpus = gpus;
    tiny->classes[cls].cpus = cpus;
    for (int p = 0; p < MU_TINY_PODS; p++)
        if (tiny->pods[p].cls == cls) {
            tiny->pods[p].gpus = gpus;
            tiny->pods[p].cpus = cpus;
        }
}

static void simplify_class(struct shrinking *shrinking, int i) {
    for (int step = 0; step < 8; step++) {
        struct mu_tiny smaller = *shrinking->tiny;
        struct mu_tiny_class *cls = &smaller.classes[i];
        cls->pool = step == 0 ? MU_TINY_NONE : cls->pool;
        cls->zone_rule = step == 1 ? MU_TINY_ANY_ZONE : cls->zone_rule;
        cls->tolerations = step == 2 ? 0 : cls->tolerations;
        cls->port = step == 3 ? MU_TINY_NONE : cls->port;
        cls->port_ip = step == 4 ? 0 : cls->port_ip;
        if (step == 5)
            set_amounts(&smaller, i, cls->gpus, 0);
        if (step == 6 && cls->gpus > 0)
            set_amounts(&smaller, i, cls->gpus - 1, cls->cpus);
        cls->app = step == 7 ? i : cls->app;
        attempt(shrinking, &smaller);
    }
}

static void simplify_relations(struct shrinking *shrinking, int i) {
    for (int t = shrinking->tiny->classes[i].terms_len - 1; t >= 0; t--) {
        struct mu_tiny smaller = *shrinking->tiny;
        struct mu_tiny_class *cls = &smaller.classes[i];
        cls->terms_len--;
        memmove(&cls->terms[t], &cls->terms[t + 1], (size_t)(cls->terms_len - t) * sizeof cls->terms[0]);
        attempt(shrinking, &smaller);
        if (t >= shrinking->tiny->classes[i].terms_len)
            continue;
        for (int app = 0; app < MU_TINY_CLASSES; app++) {
            smaller = *shrinking->tiny;
            smaller.classes[i].terms[t].apps &= ~(1U << app);
            if (smaller.classes[i].terms[t].apps)
                attempt(shrinking, &smaller);
        }
        smaller = *shrinking->tiny;
        smaller.classes[i].terms[t].spaces = MU_TINY_OWN_SPACE;
        attempt(shrinking, &smaller);
    }
    for (int s = shrinking->tiny->classes[i].spreads_len - 1; s >= 0; s--) {
        struct mu_tiny smaller = *shrinking->tiny;
        struct mu_tiny_class *cls = &smaller.classes[i];
        cls->spreads_len--;
        memmove(&cls->spreads[s], &cls->spreads[s + 1], (size_t)(cls->spreads_len - s) * sizeof cls->spreads[0]);
        attempt(shrinking, &smaller);
        if (s >= shrinking->tiny->classes[i].spreads_len)
            continue;
        smaller = *shrinking->tiny;
        smaller.classes[i].spreads[s].ignore_affinity = smaller.classes[i].spreads[s].honor_taints = false;
        attempt(shrinking, &smaller);
    }
}

static void simplify_pods(struct shrinking *shrinking) {
    for (int i = 0; i < MU_TINY_PODS; i++)
        for (int step = 0; step < 3; step++) {
            struct mu_tiny smaller = *shrinking->tiny;
            struct mu_tiny_pod *pod = &smaller.pods[i];
            if (!pod->there)
                break;
            pod->ending = step == 0 ? false : pod->ending;
            pod->other_space = step == 1 ? false : pod->other_space;
            if (step == 2 && pod->unit == MU_TINY_NONE)
                pod->priority = pod->age = 0;
            attempt(shrinking, &smaller);
        }
}

void mu_tiny_shrink(struct mu_tiny *tiny, bool (*fails)(void *ctx, const struct mu_tiny *tiny), void *ctx) {
    struct shrinking shrinking = {.tiny = tiny, .fails = fails, .ctx = ctx, .progress = true};
    while (shrinking.progress) {
        shrinking.progress = false;
        drop_units(&shrinking);
        drop_pods(&shrinking);
        drop_nodes(&shrinking);
        simplify_units(&shrinking);
        for (int i = 0; i < MU_TINY_CLASSES; i++) {
            simplify_relations(&shrinking, i);
            simplify_class(&shrinking, i);
        }
        for (int i = 0; i < MU_TINY_NODES; i++)
            if (shrinking.tiny->nodes[i].there)
                simplify_node(&shrinking, i);
        simplify_pods(&shrinking);
    }
}
