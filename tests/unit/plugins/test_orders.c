/* Members of a gang and the order they come in: what InterPodAffinity and PodTopologySpread let stand, against what
 * kube-scheduler would have placed one by one in some order, on all placements of many small random clusters.
 *
 * The rules of kube-scheduler are written down here a second time, naively, over small numbers of their own. */
#include "plugins/registry.h"
#include "tests/lib/random.h"
#include "tests/unit/plugins/fake_framework.h"

#include <stdio.h>

enum { NODES_MAX = 5, PODS_MAX = 9, SPECS_MAX = 3, TERMS_MAX = 2, APPS = 3, ZONES = 3 };
enum { ZONE = 0, HOST };

struct term {
    int key;
    unsigned apps; /* bits */
};

struct spread {
    int key, skew, min_domains;
    unsigned apps;
    bool honor_taints;
};

struct spec {
    int app;
    struct term affinity[TERMS_MAX], anti[TERMS_MAX];
    int affinity_len, anti_len;
    struct spread spread[2];
    int spread_len;
};

struct tiny {
    int zone[NODES_MAX]; /* -1: no label */
    bool tainted[NODES_MAX];
    int nodes;
    struct spec specs[SPECS_MAX];
    int specs_len;
    int spec_of[PODS_MAX];
    int at[PODS_MAX]; /* node; of members -1 */
    int pods, bound;  /* the first are bound */
    bool label_zones; /* every node has a zone */
};

/* ------------------------------------------------------------------ kube-scheduler, one pod after the other */

static int domain(const struct tiny *t, int key, int node) {
    return key == HOST ? node : t->zone[node];
}

static bool has(unsigned apps, int app) {
    return (apps >> app & 1) != 0;
}

static bool matches_all(const struct tiny *t, const struct spec *spec, int pod) {
    for (int i = 0; i < spec->affinity_len; i++) {
        if (!has(spec->affinity[i].apps, t->specs[t->spec_of[pod]].app))
            return false;
    }
    return true;
}

static bool affinity_passes(const struct tiny *t, const struct spec *spec, int pod, int node) {
    bool company = true, anyone = false;
    for (int i = 0; i < spec->affinity_len; i++) {
        int key = spec->affinity[i].key, here = domain(t, key, node);
        bool found = false;
        if (here < 0)
            return false;
        for (int p = 0; p < t->pods; p++) {
            if (t->at[p] < 0 || !matches_all(t, spec, p) || domain(t, key, t->at[p]) < 0)
                continue;
            anyone = true;
            found = found || domain(t, key, t->at[p]) == here;
        }
        company = company && found;
    }
    return company || (!anyone && matches_all(t, spec, pod));
}

static bool keeps_away(const struct tiny *t, const struct spec *spec, int from, int other, int node, int other_node) {
    for (int i = 0; i < spec->anti_len; i++) {
        int here = domain(t, spec->anti[i].key, node);
        if (has(spec->anti[i].apps, t->specs[t->spec_of[other]].app) && here >= 0 &&
            here == domain(t, spec->anti[i].key, other_node))
            return true;
    }
    return false;
}

static bool anti_passes(const struct tiny *t, const struct spec *spec, int pod, int node) {
    for (int p = 0; p < t->pods; p++) {
        if (t->at[p] >= 0 && (keeps_away(t, spec, pod, p, node, t->at[p]) ||
                              keeps_away(t, &t->specs[t->spec_of[p]], p, pod, t->at[p], node)))
            return false;
    }
    return true;
}

static bool is_eligible(const struct tiny *t, const struct spec *spec, const struct spread *spread, int node) {
    for (int i = 0; i < spec->spread_len; i++) {
        if (domain(t, spec->spread[i].key, node) < 0)
            return false;
    }
    return !spread->honor_taints || !t->tainted[node];
}

static int count_in(const struct tiny *t, const struct spec *spec, const struct spread *spread, int d) {
    int count = 0;
    for (int p = 0; p < t->pods; p++)
        count += t->at[p] >= 0 && is_eligible(t, spec, spread, t->at[p]) && domain(t, spread->key, t->at[p]) == d &&
                 has(spread->apps, t->specs[t->spec_of[p]].app);
    return count;
}

static bool spread_passes(const struct tiny *t, const struct spec *spec, int pod, int node) {
    for (int i = 0; i < spec->spread_len; i++) {
        const struct spread *spread = &spec->spread[i];
        int here = domain(t, spread->key, node), domains = 0, min = 0;
        if (here < 0)
            return false;
        for (int d = 0; d < NODES_MAX; d++) {
            bool there = false;
            for (int n = 0; n < t->nodes; n++)
                there = there || (domain(t, spread->key, n) == d && is_eligible(t, spec, spread, n));
            if (!there)
                continue;
            int count = count_in(t, spec, spread, d);
            min = domains++ == 0 || count < min ? count : min;
        }
        if (domains < spread->min_domains || domains == 0)
            min = 0;
        int own = has(spread->apps, spec->app);
        if (count_in(t, spec, spread, here) + own - min > spread->skew)
            return false;
    }
    return true;
}

static bool passes(const struct tiny *t, int pod, int node) {
    const struct spec *spec = &t->specs[t->spec_of[pod]];
    return affinity_passes(t, spec, pod, node) && anti_passes(t, spec, pod, node) && spread_passes(t, spec, pod, node);
}

/* Is there an order in which the members, each on its node, pass one by one? */
static bool order_exists(struct tiny *t, const int *nodes) {
    bool all = true;
    for (int p = t->bound; p < t->pods; p++) {
        if (t->at[p] >= 0)
            continue;
        all = false;
        if (!passes(t, p, nodes[p]))
            continue;
        t->at[p] = nodes[p];
        bool found = order_exists(t, nodes);
        t->at[p] = -1;
        if (found)
            return true;
    }
    return all;
}

/* ------------------------------------------------------------------ making clusters */

static int below(struct mu_random *random, int bound) {
    return (int)mu_random_below(random, (uint64_t)bound);
}

static void make_terms(struct mu_random *random, struct term *terms, int *len) {
    *len = below(random, 3) == 0 ? 1 + below(random, TERMS_MAX) : 0;
    for (int i = 0; i < *len; i++)
        terms[i] = (struct term){.key = below(random, 2), .apps = 1 + (unsigned)below(random, (1 << APPS) - 1)};
}

static void make_places(struct tiny *t, struct mu_random *random) {
    t->nodes = 2 + below(random, NODES_MAX - 2);
    for (int n = 0; n < t->nodes; n++)
        t->zone[n] = !t->label_zones && below(random, 5) == 0 ? -1 : below(random, ZONES);
    t->bound = below(random, 3);
    t->pods = t->bound + 2 + below(random, 3);
    for (int p = 0; p < t->pods; p++) {
        t->spec_of[p] = below(random, t->specs_len);
        t->at[p] = p < t->bound ? below(random, t->nodes) : -1;
    }
}

static struct tiny make_affinity(struct mu_random *random) {
    struct tiny t = {.specs_len = 1 + below(random, SPECS_MAX)};
    for (int s = 0; s < t.specs_len; s++) {
        t.specs[s].app = below(random, APPS);
        make_terms(random, t.specs[s].affinity, &t.specs[s].affinity_len);
        if (below(random, 2) == 0)
            make_terms(random, t.specs[s].anti, &t.specs[s].anti_len);
    }
    make_places(&t, random);
    return t;
}

/* One constraint that several specs have, each with its own maxSkew and minDomains; and specs that only count. */
static struct tiny make_spread(struct mu_random *random) {
    struct tiny t = {.specs_len = 1 + below(random, SPECS_MAX), .label_zones = below(random, 2) == 0};
    struct spread common = {.key = below(random, 3) == 0 ? HOST : ZONE,
                            .apps = 1 + (unsigned)below(random, (1 << APPS) - 1),
                            .honor_taints = below(random, 3) == 0};
    for (int s = 0; s < t.specs_len; s++) {
        t.specs[s].app = below(random, APPS);
        t.specs[s].spread_len = below(random, 4) > 0;
        t.specs[s].spread[0] = common;
        t.specs[s].spread[0].skew = 1 + below(random, 2);
        t.specs[s].spread[0].min_domains = below(random, 4) == 0 ? 2 + below(random, 2) : 0;
    }
    make_places(&t, random);
    for (int n = 0; n < t.nodes; n++)
        t.tainted[n] = below(random, 6) == 0;
    return t;
}

/* Constraints of several kinds, each spec its own; and, of both plugins, affinity besides. */
static struct tiny make_spreads(struct mu_random *random) {
    struct tiny t = {.specs_len = 1 + below(random, SPECS_MAX), .label_zones = below(random, 2) == 0};
    for (int s = 0; s < t.specs_len; s++) {
        t.specs[s].app = below(random, APPS);
        t.specs[s].spread_len = below(random, 3);
        for (int i = 0; i < t.specs[s].spread_len; i++)
            t.specs[s].spread[i] = (struct spread){
                .key = i == 0 ? ZONE : HOST,
                .skew = 1 + (below(random, 3) == 0),
                .min_domains = below(random, 6) == 0 ? 2 : 0,
                .apps = 1 + (unsigned)below(random, (1 << APPS) - 1),
            };
    }
    make_places(&t, random);
    return t;
}

static struct tiny make_both(struct mu_random *random) {
    struct tiny t = make_spreads(random);
    for (int s = 0; s < t.specs_len; s++) {
        make_terms(random, t.specs[s].affinity, &t.specs[s].affinity_len);
        if (t.specs[s].affinity_len == 0 && below(random, 2) == 0)
            make_terms(random, t.specs[s].affinity, &t.specs[s].affinity_len);
    }
    return t;
}

static void print_terms(char *text, size_t size, const char *kind, const struct term *terms, int len) {
    size_t at = (size_t)snprintf(text, size, "%s: {requiredDuringSchedulingIgnoredDuringExecution: [", kind);
    for (int i = 0; i < len; i++) {
        at += (size_t)snprintf(text + at, size - at,
                               "%s{topologyKey: %s, labelSelector: {matchExpressions: [{key: app, operator: In, "
                               "values: [",
                               i > 0 ? ", " : "", terms[i].key == HOST ? "kubernetes.io/hostname" : "zone");
        for (int app = 0, first = 1; app < APPS; app++) {
            if (has(terms[i].apps, app))
                at += (size_t)snprintf(text + at, size - at, "%sa%d", first ? "" : ", ", app), first = 0;
        }
        at += (size_t)snprintf(text + at, size - at, "]}]}}");
    }
    snprintf(text + at, size - at, "]}");
}

static void print_spread(char *text, size_t size, const struct spec *spec) {
    size_t at = (size_t)snprintf(text, size, "topologySpreadConstraints: [");
    for (int i = 0; i < spec->spread_len; i++) {
        const struct spread *spread = &spec->spread[i];
        char min_domains[32] = "";
        if (spread->min_domains > 0)
            snprintf(min_domains, sizeof min_domains, "minDomains: %d, ", spread->min_domains);
        at += (size_t)snprintf(text + at, size - at,
                               "%s{maxSkew: %d, topologyKey: %s, whenUnsatisfiable: DoNotSchedule, %s"
                               "nodeTaintsPolicy: %s, labelSelector: {matchExpressions: [{key: app, operator: In, "
                               "values: [",
                               i > 0 ? ", " : "", spread->skew, spread->key == HOST ? "kubernetes.io/hostname" : "zone",
                               min_domains, spread->honor_taints ? "Honor" : "Ignore");
        for (int app = 0, first = 1; app < APPS; app++) {
            if (has(spread->apps, app))
                at += (size_t)snprintf(text + at, size - at, "%sa%d", first ? "" : ", ", app), first = 0;
        }
        at += (size_t)snprintf(text + at, size - at, "]}]}}");
    }
    snprintf(text + at, size - at, "]");
}

static struct fake *build(const struct tiny *t, const struct mu_plugin *plugin, const struct mu_plugin *also) {
    struct fake *f = fake_new(plugin);
    if (also != NULL)
        fake_also(f, also);
    for (int n = 0; n < t->nodes; n++) {
        char zone[32] = "";
        if (t->zone[n] >= 0)
            snprintf(zone, sizeof zone, "zone: z%d", t->zone[n]);
        fake_add(f, "{kind: Node, metadata: {name: n%d, labels: {kubernetes.io/hostname: n%d, %s}}, spec: {%s}}", n, n,
                 zone, t->tainted[n] ? "taints: [{key: t, effect: NoSchedule}]" : "");
    }
    for (int p = 0; p < t->pods; p++) {
        const struct spec *spec = &t->specs[t->spec_of[p]];
        char affinity[600], anti[600], spread[900], all[2400], name[16], node[16], labels[24];
        print_terms(affinity, sizeof affinity, "podAffinity", spec->affinity, spec->affinity_len);
        print_terms(anti, sizeof anti, "podAntiAffinity", spec->anti, spec->anti_len);
        print_spread(spread, sizeof spread, spec);
        snprintf(all, sizeof all, "hostname: spec%d, affinity: {%s, %s}, %s", t->spec_of[p], affinity, anti, spread);
        snprintf(name, sizeof name, "p%d", p);
        snprintf(node, sizeof node, "n%d", t->at[p]);
        snprintf(labels, sizeof labels, "app: a%d", spec->app);
        fake_pod(f, name, p < t->bound ? node : NULL, labels, all);
    }
    fake_begin(f);
    return f;
}

/* ------------------------------------------------------------------ comparing */

/* Places the members in this order: passes every filter and is permitted. Leaves nothing placed. */
static bool plugin_takes(struct fake *f, const struct tiny *t, const int *nodes, const int *order) {
    bool takes = true;
    for (int i = 0; takes && i < t->pods - t->bound; i++) {
        char pod[16], node[16];
        snprintf(pod, sizeof pod, "p%d", order[i]);
        snprintf(node, sizeof node, "n%d", nodes[order[i]]);
        takes = fake_filter(f, pod, node)[0] == '\0';
        if (takes)
            fake_place(f, pod, node);
    }
    takes = takes && fake_permit(f)[0] == '\0';
    fake_take_all_back(f);
    return takes;
}

static void shuffle_members(struct mu_random *random, const struct tiny *t, int *order) {
    int len = t->pods - t->bound;
    for (int i = 0; i < len; i++)
        order[i] = t->bound + i;
    for (int i = len - 1; i > 0; i--) {
        int other = below(random, i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

static bool next_placement(const struct tiny *t, int *nodes) {
    for (int p = t->bound; p < t->pods; p++) {
        if (++nodes[p] < t->nodes)
            return true;
        nodes[p] = 0;
    }
    return false;
}

/* Nodes that other rules refuse for lack of a label are left out: eligible and refused are the same there. */
static bool on_labelled_nodes(const struct tiny *t, const int *nodes) {
    for (int p = t->bound; p < t->pods; p++) {
        const struct spec *spec = &t->specs[t->spec_of[p]];
        for (int i = 0; i < spec->spread_len; i++) {
            if (spec->spread[i].honor_taints && t->tainted[nodes[p]])
                return false;
        }
    }
    return true;
}

static void compare(struct tiny *t, const struct mu_plugin *plugin, const struct mu_plugin *also,
                    struct mu_random *random, uint64_t seed, int64_t *taken) {
    struct fake *f = build(t, plugin, also);
    int nodes[PODS_MAX] = {0}, order[PODS_MAX];
    do {
        if (!on_labelled_nodes(t, nodes))
            continue;
        bool right = order_exists(t, nodes);
        shuffle_members(random, t, order);
        bool said = plugin_takes(f, t, nodes, order);
        *taken += right;
        if (said == right)
            continue;
        char text[256];
        size_t at = 0;
        for (int i = 0; i < t->pods - t->bound; i++)
            at += (size_t)snprintf(text + at, sizeof text - at, " p%d:n%d", order[i], nodes[order[i]]);
        ck_abort_msg("seed %llu: %s%s; placed as%s; the rules say %s", (unsigned long long)seed, plugin->name,
                     said ? " takes what no order allows" : " refuses what some order allows", text,
                     right ? "yes" : "no");
    } while (next_placement(t, nodes));
    fake_free(f);
}

static void compare_many(const struct mu_plugin *plugin, const struct mu_plugin *also,
                         struct tiny (*make)(struct mu_random *), uint64_t from, uint64_t count) {
    int64_t taken = 0;
    for (uint64_t seed = from; seed < from + count; seed++) {
        struct mu_random random = {.state = seed};
        struct tiny t = make(&random);
        compare(&t, plugin, also, &random, seed, &taken);
    }
    ck_assert_int_gt(taken, (int64_t)count); /* it was no comparison of refusals alone */
}

START_TEST(affinity_in_some_order) {
    compare_many(&mu_plugin_inter_pod_affinity, NULL, make_affinity, (uint64_t)_i * 1000, 60);
}
END_TEST

START_TEST(spread_in_some_order) {
    compare_many(&mu_plugin_pod_topology_spread, NULL, make_spread, 500000 + (uint64_t)_i * 1000, 60);
}
END_TEST

START_TEST(spreads_in_some_order) {
    compare_many(&mu_plugin_pod_topology_spread, NULL, make_spreads, 600000 + (uint64_t)_i * 1000, 60);
}
END_TEST

START_TEST(both_in_some_order) {
    compare_many(&mu_plugin_inter_pod_affinity, &mu_plugin_pod_topology_spread, make_both, 700000 + (uint64_t)_i * 1000,
                 60);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, affinity_in_some_order, 0, 8);
    tcase_add_loop_test(tests, spread_in_some_order, 0, 8);
    tcase_add_loop_test(tests, spreads_in_some_order, 0, 8);
    tcase_add_loop_test(tests, both_in_some_order, 0, 8);
}

int main(void) {
    return mu_suite_run("plugins/orders", add);
}
