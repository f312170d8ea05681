/* The cycle at its edges: no memory, no steps, and what is left behind then: nothing. */
#include "config/config.h"
#include "scheduler/core/cycle.h"
#include "tests/lib/suite.h"

#define NOW_NS INT64_C(1772452800000000000)

struct world {
    struct mu_arena *arena;
    struct mu_store *store;
    struct mu_settings settings;
};

/* Gangs of several kinds: some fit, one does not, members relate to each other, one is in one rack. */
static const char cluster[] =
    "apiVersion: v1\nkind: List\nitems:\n"
    "- {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {rack: a, kubernetes.io/hostname: n1}}, status: "
    "{allocatable: {cpu: '8', memory: 8Gi, nvidia.com/gpu: '4', pods: '20'}}}\n"
    "- {apiVersion: v1, kind: Node, metadata: {name: n2, labels: {rack: b, kubernetes.io/hostname: n2}}, status: "
    "{allocatable: {cpu: '8', memory: 8Gi, nvidia.com/gpu: '3', pods: '20'}}}\n";

static const char group[] =
    "---\napiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: %s, namespace: "
    "default, uid: %s}\nspec: {schedulingPolicy: {gang: {minCount: %d}}%s}\n";
static const char pod[] =
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s-%d, namespace: default, uid: %s-%d, labels: "
    "{app: %s}}\nspec: {schedulerName: muster, schedulingGroup: {podGroupName: %s}, containers: "
    "[{name: c, image: x, resources: {requests: {nvidia.com/gpu: '%d', cpu: '%d'}}}]%s}\n";

static void add_group(struct mu_buf *text, const char *name, int size, int gpus, const char *of_group,
                      const char *of_pod) {
    mu_buf_printf(text, group, name, name, size, of_group);
    for (int i = 0; i < size; i++) /* two classes, so that counting alone does not do */
        mu_buf_printf(text, pod, name, i, name, i, name, name, gpus, 1 + i % 2, of_pod);
}

static int add(void *ctx, const struct mu_value *document, const struct mu_place *place, struct mu_err *err) {
    return mu_store_add(ctx, document, place, err);
}

static void world_make(struct world *w) {
    struct mu_err err = {0};
    struct mu_buf text;
    w->arena = mu_arena_create(0, NULL);
    mu_buf_init(&text, w->arena);
    mu_buf_add(&text, MU_STR(cluster));
    add_group(&text, "plain", 2, 1, "", "");
    add_group(&text, "large", 5, 2, "", "");
    add_group(&text, "racked", 2, 1, ", schedulingConstraints: {topology: [{key: rack}]}", "");
    add_group(&text, "apart", 2, 1, "",
              ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: rack, "
              "labelSelector: {matchLabels: {app: apart}}}]}}");
    w->store = mu_store_create(w->arena);
    ck_assert_int_eq(mu_read_bytes(mu_buf_str(&text), MU_STR("test"), add, w->store, &err), 0);
    ck_assert_int_eq(mu_store_finish(w->store, &err), 0);
    w->settings = *mu_settings_default(w->arena);
}

static void world_finish(struct world *w) {
    mu_arena_destroy(w->arena);
}

/* As many bytes as the limit says, and not one more: each way to run out is tried, and leaves what was there. */
START_TEST(memory_may_run_out_anywhere) {
    struct world w;
    world_make(&w);
    uint32_t refused = 0, done = 0;
    for (size_t limit = 512; done == 0; limit += 64) {
        struct mu_err err = {0};
        struct mu_snapshot *s = mu_snapshot_create(&w.store->symbols, limit);
        struct mu_arena *arena = mu_arena_create(limit, NULL);
        ck_assert_ptr_nonnull(arena);
        int rc = s ? mu_snapshot_load(s, w.store, &err) : MU_E_NOMEM;
        if (rc == 0) {
            struct mu_plan *plan = NULL;
            uint64_t before = mu_snapshot_digest(s);
            rc = mu_cycle(s, &w.settings, NOW_NS, arena, &plan, &err);
            mu_snapshot_rollback(s, 0);
            ck_assert_uint_eq(mu_snapshot_digest(s), before);
            ck_assert_int_eq(plan != NULL, rc == 0);
        }
        ck_assert(rc == 0 || rc == MU_E_NOMEM);
        refused += rc != 0;
        done += rc == 0;
        mu_arena_destroy(arena);
        mu_snapshot_destroy(s);
    }
    ck_assert_uint_gt(refused, 10);
    world_finish(&w);
}
END_TEST

static const struct mu_plan_group *find(const struct world *w, const struct mu_plan *plan, const char *name) {
    mu_sym sym = mu_symbol_find(&w->store->symbols, mu_str_from(name));
    for (uint32_t i = 0; i < plan->groups_len; i++)
        if (plan->groups[i].name == sym)
            return &plan->groups[i];
    ck_abort_msg("no group %s", name);
}

/* A budget that ends is said to have ended; it is never called impossible, nor is anything placed in part. */
START_TEST(a_budget_that_ends_is_no_proof) {
    struct world w;
    world_make(&w);
    for (int64_t budget = 0; budget < 40; budget++) {
        struct mu_err err = {0};
        struct mu_plan *plan;
        struct mu_snapshot *s = mu_snapshot_create(&w.store->symbols, 0);
        w.settings.step_budget = budget;
        ck_assert_int_eq(mu_snapshot_load(s, w.store, &err), 0);
        ck_assert_int_eq(mu_cycle(s, &w.settings, NOW_NS, w.arena, &plan, &err), 0);
        const char *fitting[] = {"plain", "racked", "apart"};
        for (size_t i = 0; i < sizeof fitting / sizeof *fitting; i++) {
            const struct mu_plan_group *g = find(&w, plan, fitting[i]);
            ck_assert(g->decision == MU_BIND || g->reason == MU_REASON_SEARCH_BUDGET_EXHAUSTED);
            for (uint32_t p = 0; p < g->pods_len; p++)
                ck_assert_int_eq(g->pods[p].decision == MU_BIND, g->decision == MU_BIND);
            ck_assert(budget < 30 || g->decision == MU_BIND);
        }
        ck_assert_int_eq(find(&w, plan, "large")->decision, MU_PENDING);
        mu_snapshot_destroy(s);
    }
    world_finish(&w);
}
END_TEST

/* Asked twice without a change, and asked of a snapshot made anew: the same. */
START_TEST(a_second_cycle_says_the_same) {
    struct world w;
    struct mu_err err = {0};
    world_make(&w);
    struct mu_snapshot *s = mu_snapshot_create(&w.store->symbols, 0);
    ck_assert_int_eq(mu_snapshot_load(s, w.store, &err), 0);
    struct mu_plan *first, *second;
    ck_assert_int_eq(mu_cycle(s, &w.settings, NOW_NS, w.arena, &first, &err), 0);
    mu_snapshot_rollback(s, 0);
    ck_assert_int_eq(mu_cycle(s, &w.settings, NOW_NS, w.arena, &second, &err), 0);
    ck_assert_uint_eq(first->groups_len, second->groups_len);
    for (uint32_t i = 0; i < first->groups_len; i++) {
        ck_assert_int_eq(first->groups[i].decision, second->groups[i].decision);
        ck_assert_int_eq(first->groups[i].reason, second->groups[i].reason);
        ck_assert(mu_str_eq(first->groups[i].message, second->groups[i].message));
        for (uint32_t p = 0; p < first->groups[i].pods_len; p++)
            ck_assert_uint_eq(first->groups[i].pods[p].node, second->groups[i].pods[p].node);
    }
    mu_snapshot_destroy(s);
    world_finish(&w);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, memory_may_run_out_anywhere);
    tcase_add_test(tests, a_budget_that_ends_is_no_proof);
    tcase_add_test(tests, a_second_cycle_says_the_same);
}

int main(void) {
    return mu_suite_run("core/cycle", add_tests);
}
