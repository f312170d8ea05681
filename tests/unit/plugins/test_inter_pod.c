/* InterPodAffinity, rule by rule. What order members may come in is for test_orders.c. */
#include "plugins/registry.h"
#include "tests/unit/plugins/fake_framework.h"

#include <stdio.h>

#define NO_AFFINITY "node(s) didn't match pod affinity rules"
#define NO_ANTI "node(s) didn't match pod anti-affinity rules"
#define NO_CARRIED "node(s) didn't satisfy existing pods anti-affinity rules"

#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"
#define AFFINITY(term) "affinity: {podAffinity: {" REQUIRED ": [{" term "}]}}"
#define ANTI(term) "affinity: {podAntiAffinity: {" REQUIRED ": [{" term "}]}}"
#define HOST "topologyKey: kubernetes.io/hostname"
#define ZONE "topologyKey: zone"
#define WEB "labelSelector: {matchLabels: {app: web}}"

static struct fake *zones(void) {
    struct fake *f = fake_new(&mu_plugin_inter_pod_affinity);
    fake_node(f, "a1", "zone: a");
    fake_node(f, "a2", "zone: a");
    fake_node(f, "b1", "zone: b");
    fake_node(f, "none", NULL);
    return f;
}

/* ------------------------------------------------------------------ affinity */

START_TEST(near_a_pod_that_runs) {
    struct fake *f = zones();
    fake_pod(f, "web", "a1", "app: web", NULL);
    fake_pod(f, "db", "b1", "app: db", NULL);
    fake_pod(f, "host", NULL, NULL, AFFINITY(HOST ", " WEB));
    fake_pod(f, "zone", NULL, NULL, AFFINITY(ZONE ", " WEB));
    fake_pod(f, "nobody", NULL, NULL, AFFINITY(ZONE));
    fake_pod(f, "anybody", NULL, NULL, AFFINITY(ZONE ", labelSelector: {}"));
    ASSERT_FITS(f, "host", "a1");
    ASSERT_REFUSED(f, "host", "a2", NO_AFFINITY);
    ASSERT_FITS(f, "zone", "a1");
    ASSERT_FITS(f, "zone", "a2");
    ASSERT_REFUSED(f, "zone", "b1", NO_AFFINITY);
    ASSERT_REFUSED(f, "zone", "none", NO_AFFINITY);
    ASSERT_REFUSED(f, "nobody", "a1", NO_AFFINITY);
    ASSERT_FITS(f, "anybody", "b1");
    ASSERT_REACH(f, "zone", MU_SCOPE_CLUSTER, MU_SCOPE_CLUSTER); /* `anybody` wants it near */
    fake_free(f);
}
END_TEST

/* One pod must match all terms: a web here and a blue one there do not make a blue web. */
START_TEST(one_pod_for_all_terms) {
    struct fake *f = zones();
    fake_pod(f, "web", "a1", "app: web", NULL);
    fake_pod(f, "blue", "a1", "color: blue", NULL);
    fake_pod(f, "both", "b1", "app: web, color: blue", NULL);
    fake_pod(f, "p", NULL, NULL,
             "affinity: {podAffinity: {" REQUIRED ": [{" ZONE ", " WEB "}, {" ZONE
             ", labelSelector: {matchLabels: {color: blue}}}]}}");
    ASSERT_REFUSED(f, "p", "a1", NO_AFFINITY);
    ASSERT_FITS(f, "p", "b1");
    fake_free(f);
}
END_TEST

START_TEST(the_first_of_its_kind) {
    struct fake *f = zones();
    fake_pod(f, "w0", NULL, "app: web", AFFINITY(ZONE ", " WEB));
    fake_pod(f, "w1", NULL, "app: web", AFFINITY(ZONE ", " WEB));
    fake_pod(f, "other", NULL, "app: db", AFFINITY(ZONE ", " WEB));
    ASSERT_FITS(f, "w0", "a1");
    ASSERT_FITS(f, "w0", "b1");
    ASSERT_REFUSED(f, "w0", "none", NO_AFFINITY);
    ASSERT_FITS(f, "other", "a1"); /* a member may still make it right */
    fake_place(f, "w0", "a1");
    ASSERT_FITS(f, "w1", "a2");
    ASSERT_REFUSED(f, "w1", "b1", NO_AFFINITY);
    ASSERT_REFUSED(f, "other", "b1", NO_AFFINITY);
    fake_place(f, "w1", "a2");
    ck_assert_str_eq(fake_permit(f), "");
    fake_free(f);
}
END_TEST

START_TEST(no_first_where_there_is_one) {
    struct fake *f = zones();
    fake_pod(f, "web", "b1", "app: web", NULL);
    fake_pod(f, "w0", NULL, "app: web", AFFINITY(ZONE ", " WEB));
    ASSERT_REFUSED(f, "w0", "a1", NO_AFFINITY);
    ASSERT_FITS(f, "w0", "b1");
    fake_free(f);
}
END_TEST

/* A leader and its workers: whoever is placed first, and not in two zones at once. */
START_TEST(workers_wait_for_their_leader) {
    struct fake *f = zones();
    fake_pod(f, "leader", NULL, "app: web", NULL);
    fake_pod(f, "w0", NULL, "app: worker", AFFINITY(ZONE ", " WEB));
    fake_pod(f, "w1", NULL, "app: worker", AFFINITY(ZONE ", " WEB));
    ASSERT_REACH(f, "leader", MU_SCOPE_CLUSTER, MU_SCOPE_CLUSTER);
    fake_place(f, "w0", "a1");
    ASSERT_FITS(f, "w1", "a2");
    ASSERT_REFUSED(f, "w1", "b1", NO_AFFINITY);
    fake_place(f, "w1", "a2");
    ck_assert_str_eq(fake_permit(f), NO_AFFINITY);
    ASSERT_FITS(f, "leader", "b1");
    fake_place(f, "leader", "b1");
    ck_assert_str_eq(fake_permit(f), NO_AFFINITY);
    fake_take_back(f);
    fake_place(f, "leader", "a2");
    ck_assert_str_eq(fake_permit(f), "");
    fake_free(f);
}
END_TEST

START_TEST(a_surplus_pod_has_no_helpers) {
    struct fake *f = zones();
    fake_pod(f, "leader", NULL, "app: web", NULL);
    fake_pod(f, "w0", NULL, "app: worker", AFFINITY(ZONE ", " WEB));
    fake_begin(f);
    fake_expect(f, 1);
    ASSERT_REFUSED(f, "w0", "a1", NO_AFFINITY);
    fake_expect(f, 0);
    ASSERT_REFUSED(f, "w0", "a1", NO_AFFINITY);
    fake_expect(f, -1);
    ASSERT_FITS(f, "w0", "a1");
    fake_free(f);
}
END_TEST

/* ------------------------------------------------------------------ namespaces and label keys */

static void namespaces(struct fake *f) {
    fake_add(f, "{kind: Namespace, metadata: {name: default, labels: {team: us}}}");
    fake_add(f, "{kind: Namespace, metadata: {name: prod, labels: {team: them}}}");
    fake_add(f, "{kind: Pod, metadata: {namespace: prod, name: far, labels: {app: web}}, spec: {nodeName: a1, "
                "containers: [{name: c, image: i}]}, status: {phase: Running}}");
}

static const struct {
    const char *term;
    bool fits;
} namespace_terms[] = {
    {WEB, false},
    {WEB ", namespaces: [prod]", true},
    {WEB ", namespaces: [default]", false},
    {WEB ", namespaceSelector: {}", true},
    {WEB ", namespaceSelector: {matchLabels: {team: them}}", true},
    {WEB ", namespaceSelector: {matchLabels: {team: us}}", false},
    {WEB ", namespaces: [default], namespaceSelector: {matchLabels: {team: them}}", true},
    {WEB ", namespaceSelector: {matchExpressions: [{key: team, operator: DoesNotExist}]}", false},
};

START_TEST(namespaces_of_a_term) {
    struct fake *f = zones();
    char spec[512];
    namespaces(f);
    snprintf(spec, sizeof spec, "affinity: {podAffinity: {" REQUIRED ": [{" ZONE ", %s}]}}", namespace_terms[_i].term);
    fake_pod(f, "p", NULL, NULL, spec);
    ASSERT_REFUSED(f, "p", "a2", namespace_terms[_i].fits ? "" : NO_AFFINITY);
    fake_free(f);
}
END_TEST

/* The pod that matches all terms must be in the namespaces of each. */
START_TEST(namespaces_of_all_terms) {
    for (size_t i = 0; i < sizeof namespace_terms / sizeof namespace_terms[0]; i++) {
        for (size_t j = 0; j < sizeof namespace_terms / sizeof namespace_terms[0]; j++) {
            struct fake *f = zones();
            char spec[1024];
            namespaces(f);
            snprintf(spec, sizeof spec, "affinity: {podAffinity: {" REQUIRED ": [{" ZONE ", %s}, {" ZONE ", %s}]}}",
                     namespace_terms[i].term, namespace_terms[j].term);
            fake_pod(f, "p", NULL, NULL, spec);
            bool fits = namespace_terms[i].fits && namespace_terms[j].fits;
            ck_assert_msg((fake_filter(f, "p", "a2")[0] == '\0') == fits, "%s", spec);
            fake_free(f);
        }
    }
}
END_TEST

START_TEST(match_label_keys) {
    struct fake *f = zones();
    fake_pod(f, "old", "a1", "app: web, rev: one", NULL);
    fake_pod(f, "new", "b1", "app: web, rev: two", NULL);
    fake_pod(f, "p1", NULL, "rev: one", AFFINITY(ZONE ", " WEB ", matchLabelKeys: [rev]"));
    fake_pod(f, "p2", NULL, "rev: two", AFFINITY(ZONE ", " WEB ", matchLabelKeys: [rev]"));
    fake_pod(f, "p0", NULL, NULL, AFFINITY(ZONE ", " WEB ", matchLabelKeys: [rev]"));
    fake_pod(f, "p3", NULL, "rev: two, x: y", AFFINITY(ZONE ", " WEB ", matchLabelKeys: [rev]"));
    ck_assert(!fake_same_class(f, "p1", "p2"));
    ck_assert(fake_same_class(f, "p2", "p3"));
    ASSERT_FITS(f, "p1", "a2");
    ASSERT_REFUSED(f, "p1", "b1", NO_AFFINITY);
    ASSERT_REFUSED(f, "p2", "a2", NO_AFFINITY);
    ASSERT_FITS(f, "p2", "b1");
    ASSERT_FITS(f, "p0", "a2");
    ASSERT_FITS(f, "p0", "b1");
    fake_free(f);
}
END_TEST

/* mismatchLabelKeys is NotIn: who has no such label matches too. */
START_TEST(mismatch_label_keys) {
    struct fake *f = zones();
    fake_pod(f, "same", "a1", "app: web, tenant: x", NULL);
    fake_pod(f, "other", "b1", "app: web, tenant: y", NULL);
    fake_pod(f, "p", NULL, "tenant: x", ANTI(ZONE ", " WEB ", mismatchLabelKeys: [tenant]"));
    fake_node(f, "c1", "zone: c");
    fake_pod(f, "plain", "c1", "app: web", NULL);
    ASSERT_FITS(f, "p", "a2");
    ASSERT_REFUSED(f, "p", "b1", NO_ANTI);
    ASSERT_REFUSED(f, "p", "c1", NO_ANTI);
    fake_free(f);
}
END_TEST

/* ------------------------------------------------------------------ anti-affinity */

START_TEST(away_from_a_pod_that_runs) {
    struct fake *f = zones();
    fake_pod(f, "web", "a1", "app: web", NULL);
    fake_pod(f, "host", NULL, NULL, ANTI(HOST ", " WEB));
    fake_pod(f, "zone", NULL, NULL, ANTI(ZONE ", " WEB));
    ASSERT_REFUSED(f, "host", "a1", NO_ANTI);
    ASSERT_FITS(f, "host", "a2");
    ASSERT_REFUSED(f, "zone", "a2", NO_ANTI);
    ASSERT_FITS(f, "zone", "b1");
    ASSERT_FITS(f, "zone", "none");
    ASSERT_REACH(f, "host", MU_SCOPE_NODE, MU_SCOPE_NONE);
    ASSERT_REACH(f, "zone", MU_SCOPE_CLUSTER, MU_SCOPE_NONE);
    ck_assert_int_eq(fake_fit(f, "host", "a2"), INT64_MAX);
    fake_free(f);
}
END_TEST

START_TEST(kept_away_by_a_pod_that_runs) {
    struct fake *f = zones();
    fake_pod(f, "guard", "a1", NULL, ANTI(ZONE ", " WEB));
    fake_pod(f, "shy", "b1", NULL, ANTI(HOST ", " WEB));
    fake_pod(f, "web", NULL, "app: web", NULL);
    fake_pod(f, "db", NULL, "app: db", NULL);
    ASSERT_REFUSED(f, "web", "a2", NO_CARRIED);
    ASSERT_REFUSED(f, "web", "b1", NO_CARRIED);
    ASSERT_FITS(f, "web", "none");
    ASSERT_FITS(f, "db", "a1");
    ASSERT_REACH(f, "db", MU_SCOPE_NONE, MU_SCOPE_NONE);
    fake_free(f);
}
END_TEST

START_TEST(one_of_a_class_on_a_node) {
    struct fake *f = zones();
    fake_pod(f, "w0", NULL, "app: web", ANTI(HOST ", " WEB));
    fake_pod(f, "w1", NULL, "app: web", ANTI(HOST ", " WEB));
    fake_pod(f, "db", NULL, "app: db", NULL);
    fake_add(f, "{kind: Node, metadata: {name: bare}}");
    ck_assert(fake_same_class(f, "w0", "w1"));
    ASSERT_REACH(f, "w0", MU_SCOPE_NODE, MU_SCOPE_NONE);
    ck_assert_int_eq(fake_fit(f, "w0", "a1"), 1);
    ck_assert_int_eq(fake_fit(f, "w0", "bare"), INT64_MAX);
    fake_place(f, "w0", "a1");
    ASSERT_REFUSED(f, "w1", "a1", NO_ANTI);
    ASSERT_FITS(f, "w1", "a2");
    ck_assert_int_eq(fake_fit(f, "db", "a1"), INT64_MAX);
    fake_free(f);
}
END_TEST

/* Two hosts with one name, as after a copied disk: domains are not nodes then, and the class is not counted. */
START_TEST(a_host_name_that_two_nodes_have) {
    struct fake *f = zones();
    fake_add(f, "{kind: Node, metadata: {name: twin, labels: {kubernetes.io/hostname: a1}}}");
    fake_pod(f, "w0", NULL, "app: web", ANTI(HOST ", " WEB));
    ASSERT_REACH(f, "w0", MU_SCOPE_CLUSTER, MU_SCOPE_NONE);
    fake_place(f, "w0", "a1");
    ASSERT_REFUSED(f, "w0", "twin", NO_ANTI);
    fake_free(f);
}
END_TEST

START_TEST(classes_of_a_group_keep_apart) {
    struct fake *f = zones();
    fake_pod(f, "db", NULL, "app: db", ANTI(HOST ", " WEB));
    fake_pod(f, "web", NULL, "app: web", NULL);
    ASSERT_REACH(f, "web", MU_SCOPE_NODE, MU_SCOPE_NONE);
    fake_place(f, "db", "a1");
    ASSERT_REFUSED(f, "web", "a1", NO_CARRIED);
    fake_take_back(f);
    fake_place(f, "web", "a1");
    ASSERT_REFUSED(f, "db", "a1", NO_ANTI);
    fake_free(f);
}
END_TEST

/* ------------------------------------------------------------------ classes and scores */

START_TEST(pods_that_no_rule_tells_apart) {
    struct fake *f = zones();
    fake_pod(f, "guard", "a1", NULL, ANTI(ZONE ", " WEB));
    fake_pod(f, "p0", NULL, "index: '0'", NULL);
    fake_pod(f, "p1", NULL, "index: '1'", NULL);
    fake_pod(f, "web", NULL, "app: web", NULL);
    ck_assert(fake_same_class(f, "p0", "p1"));
    ck_assert(!fake_same_class(f, "p0", "web"));
    fake_free(f);
}
END_TEST

#define WEIGHTED(kind, weight, term)                                                                                   \
    "affinity: {" kind ": {" PREFERRED ": [{weight: " #weight ", podAffinityTerm: {" term "}}]}}"

START_TEST(wishes) {
    struct fake *f = zones();
    fake_pod(f, "web0", "a1", "app: web", NULL);
    fake_pod(f, "web1", "a2", "app: web", NULL);
    fake_pod(f, "web2", "b1", "app: web", NULL);
    fake_pod(f, "near", NULL, NULL, WEIGHTED("podAffinity", 50, ZONE ", " WEB));
    fake_pod(f, "away", NULL, NULL, WEIGHTED("podAntiAffinity", 50, ZONE ", " WEB));
    ASSERT_REACH(f, "near", MU_SCOPE_NONE, MU_SCOPE_CLUSTER);
    ck_assert_int_eq(fake_score(f, "near", "a1"), 100);
    ck_assert_int_eq(fake_score(f, "near", "b1"), 50);
    ck_assert_int_eq(fake_score(f, "near", "none"), 0);
    ck_assert_int_eq(fake_score(f, "away", "a2"), 0);
    ck_assert_int_eq(fake_score(f, "away", "b1"), 50);
    ck_assert_int_eq(fake_score(f, "away", "none"), 100);
    fake_free(f);
}
END_TEST

START_TEST(wishes_of_others) {
    struct fake *f = zones();
    fake_pod(f, "likes", "a1", NULL, WEIGHTED("podAffinity", 10, ZONE ", " WEB));
    fake_pod(f, "hates", "b1", NULL, WEIGHTED("podAntiAffinity", 10, HOST ", " WEB));
    fake_pod(f, "web", NULL, "app: web", NULL);
    ck_assert_int_eq(fake_score(f, "web", "a2"), 100);
    ck_assert_int_eq(fake_score(f, "web", "none"), 50);
    ck_assert_int_eq(fake_score(f, "web", "b1"), 0);
    fake_free(f);
}
END_TEST

/* A required term of a pod that runs is a wish of weight 1, or what the configuration says. */
START_TEST(what_a_required_term_of_others_weighs) {
    static const char *const args[] = {NULL, "{hardPodAffinityWeight: 40}", "{hardPodAffinityWeight: 0}"};
    static const int of_required[] = {5, 100, 0}, of_preferred[] = {100, 50, 100};
    struct fake *f = zones();
    fake_args(f, args[_i]);
    fake_pod(f, "needs", "a1", "app: web", AFFINITY(ZONE ", " WEB));
    fake_pod(f, "likes", "b1", "app: x", WEIGHTED("podAffinity", 20, HOST ", " WEB));
    fake_pod(f, "web", NULL, "app: web", NULL);
    ck_assert_int_eq(fake_score(f, "web", "a2"), of_required[_i]);
    ck_assert_int_eq(fake_score(f, "web", "b1"), of_preferred[_i]);
    fake_free(f);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, near_a_pod_that_runs);
    tcase_add_test(tests, one_pod_for_all_terms);
    tcase_add_test(tests, the_first_of_its_kind);
    tcase_add_test(tests, no_first_where_there_is_one);
    tcase_add_test(tests, workers_wait_for_their_leader);
    tcase_add_test(tests, a_surplus_pod_has_no_helpers);
    tcase_add_loop_test(tests, namespaces_of_a_term, 0, sizeof namespace_terms / sizeof namespace_terms[0]);
    tcase_add_test(tests, namespaces_of_all_terms);
    tcase_add_test(tests, match_label_keys);
    tcase_add_test(tests, mismatch_label_keys);
    tcase_add_test(tests, away_from_a_pod_that_runs);
    tcase_add_test(tests, kept_away_by_a_pod_that_runs);
    tcase_add_test(tests, one_of_a_class_on_a_node);
    tcase_add_test(tests, a_host_name_that_two_nodes_have);
    tcase_add_test(tests, classes_of_a_group_keep_apart);
    tcase_add_test(tests, pods_that_no_rule_tells_apart);
    tcase_add_test(tests, wishes);
    tcase_add_test(tests, wishes_of_others);
    tcase_add_loop_test(tests, what_a_required_term_of_others_weighs, 0, 3);
}

int main(void) {
    return mu_suite_run("plugins/inter_pod", add);
}
