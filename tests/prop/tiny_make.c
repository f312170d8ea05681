/* Draws a tiny cluster from a seed.
 *
 * Each seed first draws which kinds of rules there are at all: clusters with everything at once are all alike, and
 * rarely feasible. Room is drawn tight, so that about half of the gangs fit; in half of the clusters it is just what one
 * placement takes that was drawn before, or nearly so: there a search that is in the least greedy fails. */
#include "tests/lib/random.h"
#include "tests/prop/oracle.h"

#include <string.h>

/* What a cluster may have. */
enum feature {
    STRANGERS = 1 << 0, /* pods that run already and leave rests */
    CPU = 1 << 1,
    POD_LIMITS = 1 << 2,
    TAINTS = 1 << 3,
    POOLS = 1 << 4,
    ZONE_RULES = 1 << 5,
    PORTS = 1 << 6,
    ANTI = 1 << 7,
    AFFINITY = 1 << 8,
    SPREAD = 1 << 9,
    TOPOLOGY = 1 << 10,
    SURPLUS = 1 << 11,
    MEMBERS_RUN = 1 << 12,
    NO_LABELS = 1 << 13,     /* some nodes lack some labels */
    STRANGE_TERMS = 1 << 14, /* strangers have terms too */
    SPACES = 1 << 15,
    ENDING = 1 << 16,
    PLANTED = 1 << 17, /* room is what some placement needs, and no more */
    FEATURES = 18
};

static const uint8_t percent[FEATURES] = {70, 50, 15, 25, 25, 15, 15, 45, 30, 25, 35, 40, 25, 15, 30, 15, 10, 50};

struct maker {
    struct mu_random random;
    struct mu_tiny *tiny;
    unsigned features;
    int nodes, classes, domains[MU_TINY_KEY_COUNT];
    int units, pods;
    int free_gpus[MU_TINY_NODES], free_cpus[MU_TINY_NODES], free_pods[MU_TINY_NODES];
};

static int below(struct maker *maker, int bound) {
    return (int)mu_random_below(&maker->random, (uint64_t)bound);
}

static int between(struct maker *maker, int low, int high) {
    return low + below(maker, high - low + 1);
}

static bool chance(struct maker *maker, int in_hundred) {
    return below(maker, 100) < in_hundred;
}

static bool with(const struct maker *maker, enum feature feature) {
    return maker->features & feature;
}

static void make_features(struct maker *maker) {
    for (int i = 0; i < FEATURES; i++)
        if (chance(maker, percent[i]))
            maker->features |= 1U << i;
}

static void make_node(struct maker *maker, int i) {
    static const int gpus[] = {0, 1, 2, 2, 3, 4, 4, 8};
    struct mu_tiny_node *node = &maker->tiny->nodes[i];
    node->there = true;
    node->gpus = gpus[below(maker, 8)];
    node->cpus = with(maker, CPU) ? between(maker, 1, 8) : 32;
    node->pods = with(maker, POD_LIMITS) ? between(maker, 1, 4) : MU_TINY_NONE;
    for (int key = 0; key < MU_TINY_KEY_COUNT; key++) {
        node->domain[key] = key == MU_TINY_HOST ? i : below(maker, maker->domains[key]);
        if (with(maker, NO_LABELS) && chance(maker, 20))
            node->domain[key] = MU_TINY_NONE;
    }
    node->pool = with(maker, POOLS) ? between(maker, -1, 1) : MU_TINY_NONE;
    if (with(maker, TAINTS) && chance(maker, 40))
        node->taints = 1U << below(maker, 3);
    node->cordoned = with(maker, TAINTS) && chance(maker, 10);
    maker->free_gpus[i] = node->gpus;
    maker->free_cpus[i] = node->cpus;
    maker->free_pods[i] = node->pods == MU_TINY_NONE ? 110 : node->pods;
}

static void make_nodes(struct maker *maker) {
    maker->nodes = chance(maker, 25) ? between(maker, 1, 3) : between(maker, 3, MU_TINY_NODES);
    maker->domains[MU_TINY_ZONE] = between(maker, 1, 3);
    maker->domains[MU_TINY_RACK] = between(maker, 2, 3);
    for (int i = 0; i < maker->nodes; i++)
        make_node(maker, i);
}

static unsigned some_apps(struct maker *maker) {
    if (chance(maker, 70))
        return 1U << below(maker, maker->classes);
    return 1U + (unsigned)below(maker, (1 << MU_TINY_CLASSES) - 1);
}

static enum mu_tiny_key some_key(struct maker *maker) {
    return chance(maker, 50) ? MU_TINY_HOST : chance(maker, 60) ? MU_TINY_ZONE : MU_TINY_RACK;
}

static void make_term(struct maker *maker, struct mu_tiny_class *cls, bool anti) {
    struct mu_tiny_term *term = &cls->terms[cls->terms_len++];
    term->anti = anti;
    term->key = some_key(maker);
    term->apps = chance(maker, 40) ? 1U << cls->app : some_apps(maker);
    if (with(maker, SPACES) && chance(maker, 40))
        term->spaces = chance(maker, 50) ? MU_TINY_OTHER_SPACE : MU_TINY_ALL_SPACES;
}

static void make_relations(struct maker *maker, struct mu_tiny_class *cls) {
    if (with(maker, ANTI) && chance(maker, 60))
        make_term(maker, cls, true);
    if (with(maker, AFFINITY) && chance(maker, 60))
        make_term(maker, cls, false);
    if (cls->terms_len && chance(maker, 20))
        make_term(maker, cls, with(maker, ANTI) && chance(maker, 50));
    if (!with(maker, SPREAD) || !chance(maker, 60))
        return;
    cls->spreads_len = chance(maker, 85) ? 1 : 2;
    for (int i = 0; i < cls->spreads_len; i++) {
        enum mu_tiny_key key = some_key(maker);
        if (i == 1 && key == cls->spreads[0].key) /* one constraint a key: the API refuses two */
            key = (enum mu_tiny_key)((key + 1) % MU_TINY_KEY_COUNT);
        cls->spreads[i] = (struct mu_tiny_spread){
            .max_skew = between(maker, 1, 2),
            .key = key,
            .apps = chance(maker, 75) ? 1U << cls->app : some_apps(maker),
            .ignore_affinity = chance(maker, 20),
            .honor_taints = chance(maker, 20),
        };
    }
}

static void make_class(struct maker *maker, int i) {
    static const int gpus[] = {0, 1, 1, 1, 2, 2, 3, 4};
    struct mu_tiny_class *cls = &maker->tiny->classes[i];
    bool stranger = i >= MU_TINY_WAITING_CLASSES;
    *cls = (struct mu_tiny_class){.pool = MU_TINY_NONE, .port = MU_TINY_NONE};
    cls->app = stranger ? below(maker, MU_TINY_CLASSES) : chance(maker, 85) ? i : below(maker, MU_TINY_CLASSES);
    cls->gpus = gpus[below(maker, 8)];
    cls->cpus = with(maker, CPU) ? between(maker, 0, 4) : below(maker, 2);
    if (with(maker, PORTS) && chance(maker, 50)) {
        cls->port = between(maker, 7000, 7001);
        cls->port_ip = chance(maker, 50) ? 0 : between(maker, 1, 2);
    }
    if (stranger && !with(maker, STRANGE_TERMS))
        return;
    make_relations(maker, cls);
    if (with(maker, POOLS) && chance(maker, 40))
        cls->pool = below(maker, 2);
    if (with(maker, ZONE_RULES) && chance(maker, 50)) {
        cls->zone_rule = chance(maker, 50) ? MU_TINY_IN_ZONE : MU_TINY_NOT_IN_ZONE;
        cls->zone = below(maker, 3);
    }
    if (with(maker, TAINTS))
        cls->tolerations = (unsigned)below(maker, 8);
}

/* Takes room of a node for a pod that runs there; false where there is none. */
static bool take(struct maker *maker, int node, const struct mu_tiny_pod *pod) {
    if (maker->free_gpus[node] < pod->gpus || maker->free_cpus[node] < pod->cpus || maker->free_pods[node] < 1)
        return false;
    maker->free_gpus[node] -= pod->gpus;
    maker->free_cpus[node] -= pod->cpus;
    maker->free_pods[node]--;
    return true;
}

static void make_stranger(struct maker *maker) {
    struct mu_tiny_pod pod = {.there = true,
                              .phase = MU_TINY_RUNS,
                              .unit = MU_TINY_NONE,
                              .node = below(maker, maker->nodes)};
    pod.cls =
        chance(maker, 70) ? between(maker, MU_TINY_WAITING_CLASSES, MU_TINY_CLASSES - 1) : below(maker, maker->classes);
    pod.gpus = below(maker, 4);
    pod.cpus = with(maker, CPU) ? below(maker, 4) : 0;
    pod.other_space = with(maker, SPACES) && chance(maker, 50);
    if (!take(maker, pod.node, &pod))
        return;
    pod.ending = with(maker, ENDING) && chance(maker, 30);
    if (chance(maker, 5))
        pod.phase = chance(maker, 50) ? MU_TINY_SUCCEEDED : MU_TINY_FAILED;
    if (pod.phase != MU_TINY_RUNS)
        pod.ending = false;
    maker->tiny->pods[maker->pods++] = pod;
}

static int make_unit(struct maker *maker, enum mu_tiny_form form, int parent) {
    struct mu_tiny_unit *unit = &maker->tiny->units[maker->units];
    *unit =
        (struct mu_tiny_unit){.there = true, .form = form, .parent = parent, .topology = MU_TINY_NONE, .minimum = 1};
    bool may = form == MU_TINY_NATIVE || form == MU_TINY_COMPOSITE;
    if (may && with(maker, TOPOLOGY) && chance(maker, 75))
        unit->topology = chance(maker, 60) ? MU_TINY_RACK : chance(maker, 70) ? MU_TINY_ZONE : MU_TINY_HOST;
    if (parent == MU_TINY_NONE) {
        unit->priority = chance(maker, 70) ? 0 : below(maker, 3);
        unit->age = below(maker, 4);
    } else {
        unit->priority = maker->tiny->units[parent].priority;
        unit->age = maker->tiny->units[parent].age;
    }
    return maker->units++;
}

/* A pod of a unit (NONE: a lone one) of a random class. */
static struct mu_tiny_pod some_pod(struct maker *maker, int unit) {
    struct mu_tiny_pod pod = {.there = true, .unit = unit, .node = MU_TINY_NONE, .cls = below(maker, maker->classes)};
    pod.gpus = maker->tiny->classes[pod.cls].gpus;
    pod.cpus = maker->tiny->classes[pod.cls].cpus;
    pod.age = below(maker, 4);
    return pod;
}

static int make_waiting(struct maker *maker, int unit, int count) {
    for (int i = 0; i < count; i++)
        maker->tiny->pods[maker->pods++] = some_pod(maker, unit);
    return count;
}

/* May a member that runs be there, as far as the topologies of its units go? They may not be broken before it begins. */
static bool in_topology(struct maker *maker, int pod, int node) {
    struct mu_oracle oracle;
    for (int unit = maker->tiny->pods[pod].unit; unit != MU_TINY_NONE; unit = maker->tiny->units[unit].parent)
        if (maker->tiny->units[unit].topology != MU_TINY_NONE) {
            mu_oracle_begin(&oracle, maker->tiny, MU_ORACLE_TOPOLOGY);
            return mu_oracle_fits(&oracle, pod, node);
        }
    return true;
}

/* A member that runs or ran, where there is room for it. */
static int make_running(struct maker *maker, int unit) {
    struct mu_tiny_pod *pod = &maker->tiny->pods[maker->pods];
    int node = below(maker, maker->nodes);
    *pod = some_pod(maker, unit);
    enum mu_tiny_phase phase = chance(maker, 85)   ? MU_TINY_RUNS
                               : chance(maker, 70) ? MU_TINY_SUCCEEDED
                                                   : MU_TINY_FAILED;
    if (phase == MU_TINY_RUNS && (!in_topology(maker, maker->pods, node) || !take(maker, node, pod))) {
        pod->there = false;
        return 0;
    }
    pod->phase = phase;
    pod->node = node;
    pod->ending = phase == MU_TINY_RUNS && !with(maker, TOPOLOGY) && with(maker, ENDING) && chance(maker, 30);
    maker->pods++;
    return phase != MU_TINY_FAILED;
}

static void make_minimums(struct maker *maker, int i, int members) {
    struct mu_tiny_unit *unit = &maker->tiny->units[i];
    unit->minimum = with(maker, SURPLUS) && chance(maker, 70) ? between(maker, 1, members > 0 ? members : 1)
                    : chance(maker, 5)                        ? members + 1
                    : members                                 ? members
                                                              : 1;
    if (unit->form != MU_TINY_VOLCANO || chance(maker, 30))
        return;
    for (int cls = 0; cls < maker->classes; cls++) {
        int have = 0;
        for (int p = 0; p < maker->pods; p++)
            have += maker->tiny->pods[p].unit == i && maker->tiny->pods[p].cls == cls &&
                    maker->tiny->pods[p].phase != MU_TINY_FAILED;
        unit->role_minimum[cls] = have ? below(maker, have + 1) : 0;
    }
}

/* Fills a leaf with `count` waiting pods, and perhaps some that run. */
static void fill_unit(struct maker *maker, int unit, int count) {
    int members = make_waiting(maker, unit, count);
    int runs = with(maker, MEMBERS_RUN) && chance(maker, 50) ? between(maker, 1, 2) : 0;
    for (int i = 0; i < runs; i++)
        members += make_running(maker, unit);
    make_minimums(maker, unit, members);
}

static enum mu_tiny_form some_form(struct maker *maker) {
    static const enum mu_tiny_form forms[] = {MU_TINY_NATIVE,  MU_TINY_NATIVE,  MU_TINY_NATIVE, MU_TINY_COSCHEDULING,
                                              MU_TINY_VOLCANO, MU_TINY_VOLCANO, MU_TINY_LABELS, MU_TINY_BASIC};
    return forms[below(maker, 8)];
}

static void make_gang(struct maker *maker, int count) {
    fill_unit(maker, make_unit(maker, some_form(maker), MU_TINY_NONE), count);
}

/* A gang of gangs: two or three leaves, perhaps one of them a level further down. */
static void make_tree(struct maker *maker, int count) {
    int root = make_unit(maker, chance(maker, 85) ? MU_TINY_COMPOSITE : MU_TINY_COMPOSITE_BASIC, MU_TINY_NONE);
    int leaves = between(maker, 2, 3), children = leaves, below_root = root;
    if (chance(maker, 30)) {
        below_root = make_unit(maker, MU_TINY_COMPOSITE, root);
        children = 2; /* that one, and the first leaf */
        maker->tiny->units[below_root].minimum = between(maker, 1, leaves - 1);
    }
    for (int i = 0; i < leaves; i++) {
        int share = i == leaves - 1 ? count : between(maker, 1, count - (leaves - 1 - i));
        int leaf = make_unit(maker, MU_TINY_NATIVE, i == 0 ? root : below_root);
        fill_unit(maker, leaf, share < 4 ? share : 4);
        count -= share;
    }
    maker->tiny->units[root].minimum = chance(maker, 60) ? children : between(maker, 1, children);
}

static void make_lone(struct maker *maker) {
    struct mu_tiny_pod pod = some_pod(maker, MU_TINY_NONE);
    pod.priority = chance(maker, 70) ? 0 : below(maker, 3);
    maker->tiny->pods[maker->pods++] = pod;
}

static void make_groups(struct maker *maker) {
    int waiting = between(maker, 1, MU_TINY_WAITING), shape = below(maker, 100);
    if (shape < 50) {
        make_gang(maker, waiting);
    } else if (shape < 70 && waiting > 1) {
        int first = between(maker, 1, waiting - 1);
        make_gang(maker, first);
        make_gang(maker, waiting - first);
    } else if (shape < 80 && waiting > 2) {
        make_gang(maker, waiting - 2);
        make_lone(maker);
        make_lone(maker);
    } else if (waiting > 3) {
        make_tree(maker, waiting);
    } else {
        make_lone(maker);
    }
}

/* Places waiting pods at random, in a random order, wherever the rules let them when there is room enough. */
static void plant_pods(struct maker *maker, struct mu_oracle *oracle) {
    int order[MU_TINY_PODS];
    for (int i = 0; i < maker->pods; i++) {
        int j = below(maker, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < maker->pods; i++) {
        int fitting[MU_TINY_NODES], len = 0;
        if (maker->tiny->pods[order[i]].phase != MU_TINY_WAITS)
            continue;
        for (int node = 0; node < maker->nodes; node++)
            if (mu_oracle_fits(oracle, order[i], node))
                fitting[len++] = node;
        if (len)
            mu_oracle_place(oracle, order[i], fitting[below(maker, len)]);
    }
}

static void make_planted(struct maker *maker) {
    struct mu_oracle oracle;
    mu_oracle_begin(&oracle, maker->tiny, MU_ORACLE_CONSTRAINTS | (chance(maker, 60) ? MU_ORACLE_TOPOLOGY : 0U));
    plant_pods(maker, &oracle);
    for (int i = 0; i < maker->nodes; i++) {
        struct mu_tiny_node *node = &maker->tiny->nodes[i];
        node->gpus -= oracle.free_gpus[i];
        if (with(maker, CPU))
            node->cpus -= oracle.free_cpus[i];
        if (with(maker, POD_LIMITS))
            node->pods -= oracle.free_pods[i];
    }
    int from = below(maker, maker->nodes), to = below(maker, maker->nodes);
    if (chance(maker, 40) && maker->tiny->nodes[from].gpus > 0) {
        maker->tiny->nodes[from].gpus--;
        maker->tiny->nodes[to].gpus++;
    }
}

void mu_tiny_make(struct mu_tiny *tiny, uint64_t seed) {
    struct maker maker = {.random = {.state = seed}, .tiny = tiny};
    memset(tiny, 0, sizeof *tiny);
    make_features(&maker);
    make_nodes(&maker);
    maker.classes = between(&maker, 1, MU_TINY_WAITING_CLASSES);
    for (int i = 0; i < MU_TINY_CLASSES; i++)
        make_class(&maker, i);
    int strangers = with(&maker, STRANGERS) ? between(&maker, 1, 8) : 0;
    for (int i = 0; i < strangers; i++)
        make_stranger(&maker);
    make_groups(&maker);
    if (with(&maker, PLANTED))
        make_planted(&maker);
}
