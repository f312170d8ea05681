/* A plan made by hand, as JSON, as YAML and as tables. */
#include "scheduler/cli/plan_print.h"
#include "tests/lib/suite.h"

#include <stdlib.h>

static struct mu_arena *arena;
static char *bytes;
static size_t bytes_len;
static FILE *out;
static struct mu_store *store;
static struct mu_plan plan;
static struct mu_profile profile;
static struct mu_settings settings;
static struct mu_plan_view view;

static void setup(void) {
    arena = mu_arena_create(0, NULL);
    bytes = NULL;
    out = open_memstream(&bytes, &bytes_len);
    store = mu_store_create(arena);
    profile = (struct mu_profile){.scheduler_name = MU_STR("muster")};
    settings = (struct mu_settings){.profiles = &profile, .profiles_len = 1};
    plan = (struct mu_plan){0};
    view = (struct mu_plan_view){&plan, store, &settings, arena};
}

static void teardown(void) {
    free(bytes);
    mu_arena_destroy(arena);
}

static const char *printed(void) {
    fclose(out);
    return bytes;
}

static mu_sym sym(const char *text) {
    return mu_intern(&store->symbols, mu_str_from(text));
}

static const struct mu_pod *make_pod(const char *name) {
    struct mu_pod *pod = MU_NEW(arena, struct mu_pod);
    pod->meta.namespace = sym("ml");
    pod->meta.name = sym(name);
    pod->meta.deleted_ns = MU_TIME_NONE;
    MU_VEC_PUSH(arena, &store->pods, pod);
    return pod;
}

static struct mu_plan_group *add_group(const char *name, enum mu_decision decision, enum mu_reason reason,
                                       const char *message) {
    struct mu_plan_group *groups = MU_NEW_ARRAY(arena, struct mu_plan_group, plan.groups_len + 1);
    for (uint32_t g = 0; g < plan.groups_len; g++)
        groups[g] = plan.groups[g];
    plan.groups = groups;
    struct mu_plan_group *group = &groups[plan.groups_len++];
    *group = (struct mu_plan_group){.kind = MU_KIND_POD_GROUP,
                                    .namespace = sym("ml"),
                                    .name = sym(name),
                                    .queue = sym("default"),
                                    .priority = -5,
                                    .min_count = 2,
                                    .decision = decision,
                                    .reason = reason,
                                    .message = mu_str_from(message),
                                    .optimal = true};
    return group;
}

static struct mu_plan_pod *add_pod(struct mu_plan_group *group, const char *name, const char *node) {
    struct mu_plan_pod *pods = MU_NEW_ARRAY(arena, struct mu_plan_pod, group->pods_len + 1);
    for (uint32_t p = 0; p < group->pods_len; p++)
        pods[p] = group->pods[p];
    group->pods = pods;
    struct mu_plan_pod *pod = &pods[group->pods_len++];
    *pod = (struct mu_plan_pod){.pod = make_pod(name), .decision = group->decision, .node = sym(node)};
    return pod;
}

static void add_victim(struct mu_plan_group *group, const struct mu_pod *pod) {
    const struct mu_pod **victims = MU_NEW_ARRAY(arena, const struct mu_pod *, group->victims_len + 1);
    for (uint32_t v = 0; v < group->victims_len; v++)
        victims[v] = group->victims[v];
    victims[group->victims_len++] = pod;
    group->victims = victims;
}

START_TEST(an_empty_plan) {
    struct mu_writer writer;
    mu_writer_init(&writer, out, MU_WRITER_JSON);
    mu_plan_write(&view, &writer);
    ck_assert_str_eq(printed(), "{\n"
                                "  \"apiVersion\": \"scheduling.muster.dev/v1alpha1\",\n"
                                "  \"kind\": \"Plan\",\n"
                                "  \"groups\": [],\n"
                                "  \"evictions\": [],\n"
                                "  \"summary\": {\n"
                                "    \"groups\": 0,\n"
                                "    \"bind\": 0,\n"
                                "    \"preempt\": 0,\n"
                                "    \"wait\": 0,\n"
                                "    \"pending\": 0,\n"
                                "    \"evict\": 0,\n"
                                "    \"podsBound\": 0,\n"
                                "    \"evictions\": 0\n"
                                "  }\n"
                                "}\n");
}
END_TEST

START_TEST(every_field_in_its_place) {
    struct mu_plan_group *group = add_group("a", MU_BIND, MU_REASON_NONE, "");
    add_pod(group, "a-0", "n1");
    struct mu_plan_pod *surplus = add_pod(group, "a-1", "");
    surplus->decision = MU_PENDING;
    surplus->reason = MU_REASON_INSUFFICIENT_RESOURCES;
    surplus->message = MU_STR("0/1 nodes");
    struct mu_writer writer;
    mu_writer_init(&writer, out, MU_WRITER_YAML);
    mu_plan_write(&view, &writer);
    ck_assert_str_eq(printed(), "apiVersion: scheduling.muster.dev/v1alpha1\n"
                                "kind: Plan\n"
                                "groups:\n"
                                "- kind: PodGroup\n"
                                "  namespace: ml\n"
                                "  name: a\n"
                                "  queue: default\n"
                                "  priority: -5\n"
                                "  minCount: 2\n"
                                "  decision: Bind\n"
                                "  reason: \"\"\n"
                                "  message: \"\"\n"
                                "  pods:\n"
                                "  - namespace: ml\n"
                                "    name: a-0\n"
                                "    decision: Bind\n"
                                "    node: n1\n"
                                "    devices: []\n"
                                "    reason: \"\"\n"
                                "    message: \"\"\n"
                                "  - namespace: ml\n"
                                "    name: a-1\n"
                                "    decision: Pending\n"
                                "    devices: []\n"
                                "    reason: InsufficientResources\n"
                                "    message: \"0/1 nodes\"\n"
                                "  victims: []\n"
                                "  optimal: true\n"
                                "  releases: []\n"
                                "evictions: []\n"
                                "summary:\n"
                                "  groups: 1\n"
                                "  bind: 1\n"
                                "  preempt: 0\n"
                                "  wait: 0\n"
                                "  pending: 0\n"
                                "  evict: 0\n"
                                "  podsBound: 1\n"
                                "  evictions: 0\n");
}
END_TEST

START_TEST(evictions_are_listed_once) {
    const struct mu_pod *x = make_pod("x"), *y = make_pod("y"), *z = make_pod("z");
    struct mu_plan_group *first = add_group("a", MU_PREEMPT, MU_REASON_NONE, "");
    add_victim(first, z);
    add_victim(first, y);
    struct mu_plan_group *second = add_group("b", MU_EVICT, MU_REASON_GANG_BROKEN, "");
    add_victim(second, x);
    add_victim(second, y);
    size_t len;
    const struct mu_eviction *evictions = mu_plan_evictions(&view, &len);
    ck_assert_uint_eq(len, 3);
    ck_assert_ptr_eq(evictions[0].pod, x);
    ck_assert_str_eq(mu_eviction_reason(evictions[0].by), "GangBroken");
    ck_assert_ptr_eq(evictions[1].pod, y);
    ck_assert_ptr_eq(evictions[1].by, &plan.groups[0]);
    ck_assert_str_eq(mu_eviction_reason(evictions[1].by), "Preempted");
    ck_assert_ptr_eq(evictions[2].pod, z);
    fclose(out);
}
END_TEST

static void make_groups(void) {
    struct mu_plan_group *group = add_group("a", MU_BIND, MU_REASON_NONE, "");
    add_pod(group, "a-0", "n2");
    add_pod(group, "a-1", "n1");
    add_pod(group, "a-2", "n2");
    struct mu_plan_pod *surplus = add_pod(group, "a-3", "");
    surplus->decision = MU_PENDING;
    surplus->reason = MU_REASON_INSUFFICIENT_RESOURCES;
    surplus->message = MU_STR("0/2 nodes are available");
    group = add_group("b", MU_PENDING, MU_REASON_NODE_CONSTRAINTS, "0/2 nodes are available: 2 had a taint");
    add_pod(group, "b-0", "")->message = MU_STR("fits, its group does not");
    add_pod(group, "b-1", "")->message = MU_STR("fits, its group does not");
    add_pod(group, "b-2", "");
    group = add_group("c", MU_PREEMPT, MU_REASON_NONE, "");
    add_pod(group, "c-0", "n1");
    add_victim(group, make_pod("low-0"));
    group->optimal = false;
}

START_TEST(a_table) {
    make_groups();
    const struct mu_terminal terminal = {.out = out};
    mu_plan_print(&view, &terminal, false);
    ck_assert_str_eq(printed(), "GROUP  KIND      PRIORITY  DECISION  PODS  NODES OR REASON\n"
                                "ml/a   PodGroup        -5  Bind       3/4  n1, n2 (2)\n"
                                "    a-3: Pending, InsufficientResources: 0/2 nodes are available\n"
                                "ml/b   PodGroup        -5  Pending    0/3  NodeConstraints\n"
                                "    0/2 nodes are available: 2 had a taint\n"
                                "    b-0, b-1: fits, its group does not\n"
                                "ml/c   PodGroup        -5  Preempt    1/1  n1\n"
                                "    evicts ml/low-0 (not proved to be the cheapest choice)\n"
                                "\n"
                                "3 groups: 1 Bind, 1 Preempt, 1 Pending; 3 pods bound, 1 evicted.\n");
}
END_TEST

START_TEST(a_wide_table) {
    make_groups();
    plan.groups_len = 1;
    const struct mu_terminal terminal = {.out = out};
    mu_plan_print(&view, &terminal, true);
    ck_assert_str_eq(printed(), "GROUP  KIND      QUEUE    PRIORITY  MIN  DECISION  PODS  NODES OR REASON\n"
                                "ml/a   PodGroup  default        -5    2  Bind       3/4\n"
                                "  a-0                                    Bind            n2\n"
                                "  a-1                                    Bind            n1\n"
                                "  a-2                                    Bind            n2\n"
                                "  a-3                                    Pending         InsufficientResources\n"
                                "    0/2 nodes are available\n"
                                "\n"
                                "1 group: 1 Bind; 3 pods bound.\n");
}
END_TEST

START_TEST(wide_says_why_beside_a_pod) {
    make_groups();
    plan.groups[1].pods[2].message = plan.groups[1].message;
    plan.groups++;
    plan.groups_len = 1;
    const struct mu_terminal terminal = {.out = out};
    mu_plan_print(&view, &terminal, true);
    ck_assert_str_eq(printed(), "GROUP  KIND      QUEUE    PRIORITY  MIN  DECISION  PODS  NODES OR REASON\n"
                                "ml/b   PodGroup  default        -5    2  Pending    0/3  NodeConstraints\n"
                                "    0/2 nodes are available: 2 had a taint\n"
                                "  b-0                                    Pending         fits, its group does not\n"
                                "  b-1                                    Pending         fits, its group does not\n"
                                "  b-2                                    Pending\n"
                                "\n"
                                "1 group: 1 Pending; 0 pods bound.\n");
}
END_TEST

START_TEST(many_remarks_and_nodes_are_counted) {
    struct mu_plan_group *group = add_group("a", MU_BIND, MU_REASON_NONE, "");
    char name[16], node[16];
    for (int i = 10; i < 30; i++) {
        snprintf(name, sizeof name, "a-%d", i);
        snprintf(node, sizeof node, "n%d", i);
        add_pod(group, name, node);
    }
    for (int i = 30; i < 36; i++) {
        snprintf(name, sizeof name, "a-%d", i);
        struct mu_plan_pod *pod = add_pod(group, name, "");
        pod->decision = MU_PENDING;
        pod->message = mu_str_printf(arena, "message %d", i);
    }
    const struct mu_terminal terminal = {.out = out};
    mu_plan_print(&view, &terminal, false);
    const char *text = printed();
    ck_assert_ptr_nonnull(strstr(text, "n10, n11, n12, n13, n14, n15, n16, n17 and 12 more\n"));
    ck_assert_ptr_nonnull(strstr(text, "a-33: Pending: message 33\n    2 more pods: -o wide shows each of them\n"));
}
END_TEST

START_TEST(nothing_to_decide) {
    const struct mu_terminal terminal = {.out = out};
    mu_plan_print(&view, &terminal, false);
    make_pod("other");
    mu_plan_print(&view, &terminal, false);
    ck_assert_str_eq(printed(), "Nothing to decide: no pending pod names scheduler muster.\n"
                                "Nothing to decide: no pending pod names scheduler muster.\n"
                                "1 pending pod belongs to other schedulers; --all plans these too.\n");
}
END_TEST

/* ------------------------------------------------------------------ explanations */

static const struct mu_plugin rule = {.name = "NodeResourcesFit"};

static struct mu_explanation *make_explanation(void) {
    make_groups();
    struct mu_explained_rule *rules = MU_NEW_ARRAY(arena, struct mu_explained_rule, 2);
    mu_sym *nodes = MU_NEW_ARRAY(arena, mu_sym, 9);
    for (int i = 0; i < 9; i++)
        nodes[i] = sym(mu_str_printf(arena, "n%d", i).ptr);
    rules[0] = (struct mu_explained_rule){.nodes = nodes, .nodes_len = 1, .room = 2};
    rules[1] = (struct mu_explained_rule){.plugin = &rule,
                                          .text = MU_STR("Insufficient cpu"),
                                          .nodes = nodes + 1,
                                          .nodes_len = 8};
    const struct mu_pod **pods = MU_NEW_ARRAY(arena, const struct mu_pod *, 1);
    pods[0] = plan.groups[1].pods[0].pod;
    struct mu_explained_class *cls = MU_NEW(arena, struct mu_explained_class);
    *cls = (struct mu_explained_class){
        .pods = pods, .pods_len = 1, .rules = rules, .rules_len = 2, .remedy = MU_STR("1 cpu more on n1")};
    struct mu_explanation *explanation = MU_NEW(arena, struct mu_explanation);
    *explanation = (struct mu_explanation){
        .classes = cls, .classes_len = 1, .nodes = 9, .members_fitting = 2, .members_needed = 3};
    return explanation;
}

START_TEST(an_explanation_for_people) {
    const struct mu_explanation *explanation = make_explanation();
    const struct mu_terminal terminal = {.out = out};
    mu_explanation_print(&view, &plan.groups[1], explanation, &terminal);
    ck_assert_ptr_nonnull(strstr(printed(), "ml/b\n"
                                            "PodGroup in queue default, priority -5, minimum 2\n"
                                            "Pending, NodeConstraints: 0/2 nodes are available: 2 had a taint\n"
                                            "\n"
                                            "POD  DECISION  NODE OR REASON\n"
                                            "b-0  Pending   fits, its group does not\n"
                                            "b-1  Pending   fits, its group does not\n"
                                            "b-2  Pending\n"
                                            "\n"
                                            "2 of 3 members needed find a place; the cluster has 9 nodes.\n"
                                            "\n"
                                            "1 member: b-0\n"
                                            "NODES  RULE              WHAT IT SAYS\n"
                                            "    1  fits              room for 2: n0\n"
                                            "    8  NodeResourcesFit  Insufficient cpu: n1, n2, n3, n4, n5, n6 and 2 "
                                            "more\n"
                                            "To fit: 1 cpu more on n1\n"));
}
END_TEST

START_TEST(an_explanation_for_programs) {
    const struct mu_explanation *explanation = make_explanation();
    struct mu_writer writer;
    mu_writer_init(&writer, out, MU_WRITER_YAML);
    mu_explanation_write(&view, &plan.groups[1], explanation, &writer);
    const char *text = printed();
    ck_assert_ptr_nonnull(strstr(text, "kind: Explanation\ngroup:\n  kind: PodGroup\n"));
    ck_assert_ptr_nonnull(strstr(text, "clusterNodes: 9\n"
                                       "membersNeeded: 3\n"
                                       "membersFitting: 2\n"
                                       "classes:\n"
                                       "- pods:\n"
                                       "  - b-0\n"
                                       "  nodes:\n"
                                       "  - fits: true\n"
                                       "    room: 2\n"
                                       "    nodes:\n"
                                       "    - n0\n"
                                       "  - fits: false\n"
                                       "    rule: NodeResourcesFit\n"
                                       "    message: Insufficient cpu\n"
                                       "    nodes:\n"
                                       "    - n1\n"));
    ck_assert_ptr_nonnull(strstr(text, "  remedy: \"1 cpu more on n1\"\n"));
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, an_empty_plan);
    tcase_add_test(tests, every_field_in_its_place);
    tcase_add_test(tests, evictions_are_listed_once);
    tcase_add_test(tests, a_table);
    tcase_add_test(tests, a_wide_table);
    tcase_add_test(tests, wide_says_why_beside_a_pod);
    tcase_add_test(tests, many_remarks_and_nodes_are_counted);
    tcase_add_test(tests, nothing_to_decide);
    tcase_add_test(tests, an_explanation_for_people);
    tcase_add_test(tests, an_explanation_for_programs);
}

int main(void) {
    return mu_suite_run("plan_print", add);
}
