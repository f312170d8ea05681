/* The oracle itself, on clusters whose answer one sees. */
#include "tests/lib/suite.h"
#include "tests/prop/oracle.h"

#include <string.h>

/* Nodes, each its own host, all in zone 0 and rack 0, with room for anything but GPUs. */
static struct mu_tiny with_nodes(int len, const int gpus[]) {
    struct mu_tiny tiny;
    memset(&tiny, 0, sizeof tiny);
    for (int i = 0; i < len; i++)
        tiny.nodes[i] = (struct mu_tiny_node){.there = true,
                                              .gpus = gpus[i],
                                              .cpus = 32,
                                              .pods = MU_TINY_NONE,
                                              .domain = {i, 0, 0},
                                              .pool = MU_TINY_NONE};
    for (int i = 0; i < MU_TINY_CLASSES; i++)
        tiny.classes[i] = (struct mu_tiny_class){.app = i, .pool = MU_TINY_NONE, .port = MU_TINY_NONE};
    return tiny;
}

static int add_unit(struct mu_tiny *tiny, enum mu_tiny_form form, int parent, int minimum) {
    int i = 0;
    while (tiny->units[i].there)
        i++;
    tiny->units[i] = (struct mu_tiny_unit){
        .there = true, .form = form, .parent = parent, .minimum = minimum, .topology = MU_TINY_NONE};
    return i;
}

/* Pods of a class; node NONE: they wait. */
static void add_pods(struct mu_tiny *tiny, int unit, int cls, int gpus, int count, int node) {
    for (int i = 0; i < MU_TINY_PODS && count > 0; i++)
        if (!tiny->pods[i].there) {
            tiny->pods[i] = (struct mu_tiny_pod){.there = true,
                                                 .cls = cls,
                                                 .gpus = gpus,
                                                 .unit = unit,
                                                 .node = node,
                                                 .phase = node == MU_TINY_NONE ? MU_TINY_WAITS : MU_TINY_RUNS};
            count--;
        }
}

static void add_term(struct mu_tiny *tiny, int cls, bool anti, enum mu_tiny_key key, int app) {
    struct mu_tiny_class *object = &tiny->classes[cls];
    object->terms[object->terms_len++] = (struct mu_tiny_term){.anti = anti, .key = key, .apps = 1U << app};
}

static bool feasible(const struct mu_tiny *tiny, unsigned rules) {
    struct mu_oracle oracle;
    mu_oracle_begin(&oracle, tiny, rules);
    return mu_oracle_feasible(&oracle, (struct mu_tiny_group){.unit = 0, .pod = MU_TINY_NONE});
}

/* A gang of `count` one-class pods alone on the nodes. */
static struct mu_tiny one_gang(int nodes, const int room[], int gpus, int count) {
    struct mu_tiny tiny = with_nodes(nodes, room);
    add_unit(&tiny, MU_TINY_NATIVE, MU_TINY_NONE, count);
    add_pods(&tiny, 0, 0, gpus, count, MU_TINY_NONE);
    return tiny;
}

START_TEST(fragments_do_not_add_up) {
    struct mu_tiny tiny = one_gang(2, (int[]){3, 3}, 2, 3);
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
    ck_assert(feasible(&tiny, MU_ORACLE_CONSTRAINTS));
    tiny = one_gang(2, (int[]){4, 3}, 2, 3);
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
}
END_TEST

START_TEST(what_runs_takes_room) {
    struct mu_tiny tiny = one_gang(1, (int[]){4}, 2, 2);
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
    add_pods(&tiny, MU_TINY_NONE, 3, 1, 1, 0);
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
    tiny.pods[2].phase = MU_TINY_SUCCEEDED;
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
}
END_TEST

START_TEST(minimum_counts_what_runs) {
    struct mu_tiny tiny = one_gang(1, (int[]){4}, 2, 3);
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
    tiny.pods[0].phase = MU_TINY_SUCCEEDED;
    tiny.pods[0].node = 0;
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
    tiny.pods[0].phase = MU_TINY_FAILED;
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
}
END_TEST

START_TEST(anti_affinity_holds_both_ways) {
    struct mu_tiny tiny = one_gang(2, (int[]){8, 8}, 1, 2);
    add_term(&tiny, 0, true, MU_TINY_HOST, 0);
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
    tiny.nodes[1].there = false;
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
    tiny.nodes[1].there = true;
    add_pods(&tiny, MU_TINY_NONE, 3, 0, 1, 1);
    add_term(&tiny, 3, true, MU_TINY_HOST, 0);
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
    tiny.classes[3].terms[0].spaces = MU_TINY_OTHER_SPACE;
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
}
END_TEST

START_TEST(anti_affinity_needs_the_label) {
    struct mu_tiny tiny = one_gang(1, (int[]){8}, 1, 2);
    add_term(&tiny, 0, true, MU_TINY_ZONE, 0);
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
    tiny.nodes[0].domain[MU_TINY_ZONE] = MU_TINY_NONE;
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
}
END_TEST

START_TEST(first_pod_may_stand_alone) {
    struct mu_tiny tiny = one_gang(2, (int[]){1, 1}, 1, 2);
    add_term(&tiny, 0, false, MU_TINY_HOST, 0);
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL)); /* the second would have to join it */
    tiny.classes[0].terms[0].key = MU_TINY_ZONE;
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
    tiny.classes[0].terms[0].apps = 1U << 1; /* others, that nobody is */
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
}
END_TEST

START_TEST(first_pod_is_not_first_where_one_runs) {
    struct mu_tiny tiny = one_gang(2, (int[]){0, 1}, 1, 1);
    tiny.nodes[1].domain[MU_TINY_ZONE] = 1;
    add_term(&tiny, 0, false, MU_TINY_ZONE, 0);
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
    add_pods(&tiny, MU_TINY_NONE, 0, 0, 1, 0);
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
    tiny.nodes[0].domain[MU_TINY_ZONE] = MU_TINY_NONE; /* without the label it does not count */
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
}
END_TEST

START_TEST(order_is_found) {
    /* The follower comes second, whatever its name says. */
    struct mu_tiny tiny = with_nodes(1, (int[]){4});
    add_unit(&tiny, MU_TINY_NATIVE, MU_TINY_NONE, 2);
    add_pods(&tiny, 0, 0, 1, 1, MU_TINY_NONE);
    add_pods(&tiny, 0, 1, 1, 1, MU_TINY_NONE);
    add_term(&tiny, 0, false, MU_TINY_HOST, 1);
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
    add_term(&tiny, 1, false, MU_TINY_HOST, 0); /* now each waits for the other */
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
}
END_TEST

START_TEST(an_extra_member_may_be_needed) {
    /* Two of class 0 are asked for; they follow class 1, of which none is. */
    struct mu_tiny tiny = with_nodes(1, (int[]){4});
    int unit = add_unit(&tiny, MU_TINY_VOLCANO, MU_TINY_NONE, 2);
    tiny.units[unit].role_minimum[0] = 2;
    add_pods(&tiny, unit, 0, 1, 2, MU_TINY_NONE);
    add_pods(&tiny, unit, 1, 1, 1, MU_TINY_NONE);
    add_term(&tiny, 0, false, MU_TINY_HOST, 1);
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
    tiny.nodes[0].gpus = 2;
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
}
END_TEST

START_TEST(spread_keeps_the_balance) {
    struct mu_tiny tiny = one_gang(2, (int[]){4, 0}, 1, 2);
    tiny.classes[0].spreads[0] = (struct mu_tiny_spread){.max_skew = 1, .key = MU_TINY_HOST, .apps = 1};
    tiny.classes[0].spreads_len = 1;
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
    tiny.classes[0].spreads[0].max_skew = 2;
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
    tiny.classes[0].spreads[0].max_skew = 1;
    tiny.nodes[1].domain[MU_TINY_HOST] = MU_TINY_NONE; /* no domain, so nothing to be in balance with */
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
}
END_TEST

START_TEST(spread_heeds_selector_and_taints) {
    struct mu_tiny tiny = one_gang(2, (int[]){4, 4}, 1, 2);
    tiny.classes[0].spreads[0] = (struct mu_tiny_spread){.max_skew = 1, .key = MU_TINY_HOST, .apps = 1};
    tiny.classes[0].spreads_len = 1;
    tiny.classes[0].pool = tiny.nodes[0].pool = 0;
    ck_assert(feasible(&tiny, MU_ORACLE_ALL)); /* the other node is not of the pool: not a domain */
    tiny.classes[0].spreads[0].ignore_affinity = true;
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
    tiny.classes[0].pool = MU_TINY_NONE;
    tiny.nodes[1].taints = MU_TINY_NO_SCHEDULE;
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
    tiny.classes[0].spreads[0].honor_taints = true;
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
}
END_TEST

START_TEST(topology_is_one_domain) {
    struct mu_tiny tiny = one_gang(3, (int[]){1, 1, 1}, 1, 2);
    tiny.nodes[1].domain[MU_TINY_RACK] = 1;
    tiny.units[0].topology = MU_TINY_RACK;
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
    tiny.nodes[2].domain[MU_TINY_RACK] = 2;
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
    ck_assert(feasible(&tiny, MU_ORACLE_CONSTRAINTS | MU_ORACLE_RESOURCES));
    tiny.nodes[2].domain[MU_TINY_RACK] = MU_TINY_NONE;
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
}
END_TEST

START_TEST(taints_ports_and_cordons_refuse) {
    struct mu_tiny tiny = one_gang(1, (int[]){4}, 1, 2);
    tiny.nodes[0].taints = MU_TINY_PREFER_NOT;
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
    tiny.nodes[0].taints = MU_TINY_NO_EXECUTE;
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
    tiny.classes[0].tolerations = MU_TINY_OK_EXECUTE;
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
    tiny.nodes[0].cordoned = true;
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
    tiny.nodes[0].cordoned = false;
    tiny.classes[0].port = 80;
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
}
END_TEST

/* g0 of g1 (2 pods) and g2 (2 pods). */
static struct mu_tiny tree(int gpus, int minimum) {
    struct mu_tiny tiny = with_nodes(1, &gpus);
    int root = add_unit(&tiny, MU_TINY_COMPOSITE, MU_TINY_NONE, minimum);
    for (int i = 0; i < 2; i++)
        add_pods(&tiny, add_unit(&tiny, MU_TINY_NATIVE, root, 2), 0, 1, 2, MU_TINY_NONE);
    return tiny;
}

START_TEST(children_are_placed_whole) {
    struct mu_tiny tiny = tree(3, 2);
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
    tiny = tree(4, 2);
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
    tiny = tree(3, 1);
    ck_assert(feasible(&tiny, MU_ORACLE_ALL));
    tiny = tree(1, 1);
    ck_assert(!feasible(&tiny, MU_ORACLE_ALL));
}
END_TEST

START_TEST(nothing_is_placed_in_vain) {
    struct mu_tiny tiny = tree(3, 1);
    struct mu_oracle oracle;
    struct mu_tiny_group root = {.unit = 0, .pod = MU_TINY_NONE}, more;
    mu_oracle_begin(&oracle, &tiny, MU_ORACLE_ALL);
    mu_oracle_place(&oracle, 0, 0);
    mu_oracle_place(&oracle, 1, 0);
    ck_assert(mu_oracle_whole(&oracle, root));
    ck_assert(!mu_oracle_addable(&oracle, root, &more));
    mu_oracle_place(&oracle, 2, 0);
    ck_assert(!mu_oracle_whole(&oracle, root));
}
END_TEST

START_TEST(surplus_is_seen) {
    struct mu_tiny tiny = one_gang(1, (int[]){3}, 1, 3);
    struct mu_oracle oracle;
    struct mu_tiny_group root = {.unit = 0, .pod = MU_TINY_NONE}, more = {0};
    tiny.units[0].minimum = 2;
    mu_oracle_begin(&oracle, &tiny, MU_ORACLE_ALL);
    mu_oracle_place(&oracle, 0, 0);
    mu_oracle_place(&oracle, 1, 0);
    ck_assert(mu_oracle_addable(&oracle, root, &more));
    ck_assert_int_eq(more.pod, 2);
    tiny = tree(4, 1);
    mu_oracle_begin(&oracle, &tiny, MU_ORACLE_ALL);
    mu_oracle_place(&oracle, 0, 0);
    mu_oracle_place(&oracle, 1, 0);
    ck_assert(mu_oracle_addable(&oracle, root, &more));
    ck_assert_int_eq(more.unit, 2);
}
END_TEST

START_TEST(a_placement_needs_an_order) {
    struct mu_tiny tiny = one_gang(2, (int[]){4, 4}, 1, 4);
    struct mu_oracle oracle;
    tiny.classes[0].spreads[0] = (struct mu_tiny_spread){.max_skew = 1, .key = MU_TINY_HOST, .apps = 1};
    tiny.classes[0].spreads_len = 1;
    int8_t targets[MU_TINY_PODS];
    memset(targets, MU_TINY_NONE, sizeof targets);
    memcpy(targets, (int8_t[]){0, 0, 1, 1}, 4);
    mu_oracle_begin(&oracle, &tiny, MU_ORACLE_ALL);
    ck_assert(mu_oracle_place_all(&oracle, targets));
    targets[2] = 0;
    mu_oracle_begin(&oracle, &tiny, MU_ORACLE_ALL);
    ck_assert(!mu_oracle_place_all(&oracle, targets));
    ck_assert_int_eq(oracle.where[0], MU_TINY_NONE);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, fragments_do_not_add_up);
    tcase_add_test(tests, what_runs_takes_room);
    tcase_add_test(tests, minimum_counts_what_runs);
    tcase_add_test(tests, anti_affinity_holds_both_ways);
    tcase_add_test(tests, anti_affinity_needs_the_label);
    tcase_add_test(tests, first_pod_may_stand_alone);
    tcase_add_test(tests, first_pod_is_not_first_where_one_runs);
    tcase_add_test(tests, order_is_found);
    tcase_add_test(tests, an_extra_member_may_be_needed);
    tcase_add_test(tests, spread_keeps_the_balance);
    tcase_add_test(tests, spread_heeds_selector_and_taints);
    tcase_add_test(tests, topology_is_one_domain);
    tcase_add_test(tests, taints_ports_and_cordons_refuse);
    tcase_add_test(tests, children_are_placed_whole);
    tcase_add_test(tests, nothing_is_placed_in_vain);
    tcase_add_test(tests, surplus_is_seen);
    tcase_add_test(tests, a_placement_needs_an_order);
}

int main(void) {
    return mu_suite_run("prop/oracle", add_tests);
}
