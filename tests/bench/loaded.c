/* Inputs in a store, and cycles over them. */
#include "tests/bench/bench.h"

#include "config/config.h"

#include <stdlib.h>

/* 2026-03-02T09:00:00Z */
static const int64_t clock_ns = INT64_C(1772442000) * 1000000000;

static _Noreturn void give_up(const struct mu_err *err) {
    fprintf(stderr, "bench: %s\n", err->text);
    exit(2);
}

struct reading {
    struct mu_bench_cluster *cluster;
    struct mu_bench_input *input;
    bool consume;
};

static int read_lists(void *ctx, struct mu_err *err) {
    struct reading *reading = ctx;
    struct mu_bench_cluster *cluster = reading->cluster;
    cluster->store = mu_store_create(cluster->arena);
    for (size_t i = 0; i < reading->input->lists.len; i++) {
        struct mu_bench_text *list = &reading->input->lists.items[i];
        int code = mu_read_bytes((struct mu_str){list->bytes, list->len}, MU_STR("bench.json"), mu_store_add,
                                 cluster->store, err);
        if (code != 0)
            return code;
        if (reading->consume) {
            free(list->bytes);
            list->bytes = NULL;
        }
    }
    cluster->settings = mu_settings_default(cluster->arena);
    return mu_store_finish(cluster->store, err);
}

void mu_bench_read(struct mu_bench_cluster *cluster, struct mu_bench_input *input, bool consume) {
    struct reading reading = {.cluster = cluster, .input = input, .consume = consume};
    struct mu_err err = {0};
    *cluster = (struct mu_bench_cluster){.arena = mu_arena_create(0, NULL)};
    if (!cluster->arena || mu_arena_run(cluster->arena, read_lists, &reading, &err) != 0)
        give_up(&err);
}

void mu_bench_load(struct mu_bench_cluster *cluster) {
    struct mu_err err = {0};
    mu_snapshot_destroy(cluster->snapshot);
    cluster->snapshot = mu_snapshot_create(&cluster->store->symbols, 0);
    if (!cluster->snapshot || mu_snapshot_load(cluster->snapshot, cluster->store, &err) != 0)
        give_up(&err);
}

void mu_bench_cluster_finish(struct mu_bench_cluster *cluster) {
    mu_snapshot_destroy(cluster->snapshot);
    mu_arena_destroy(cluster->arena);
    *cluster = (struct mu_bench_cluster){0};
}

static void check_plan(const struct mu_bench_cluster *cluster, const struct mu_plan *plan, uint32_t bind) {
    struct mu_plan_summary summary = mu_plan_summarise(plan);
    if (summary.by_decision[MU_BIND] == bind && summary.by_decision[MU_PENDING] == summary.groups - bind)
        return;
    fprintf(stderr, "bench: %u groups, %u bound, %u expected; the first refusal:\n", summary.groups,
            summary.by_decision[MU_BIND], bind);
    for (uint32_t i = 0; i < plan->groups_len; i++)
        if (plan->groups[i].decision != MU_BIND) {
            struct mu_str name = mu_text(&cluster->store->symbols, plan->groups[i].name);
            fprintf(stderr, MU_STR_FMT " %s %s " MU_STR_FMT "\n", MU_STR_ARG(name),
                    mu_decision_name(plan->groups[i].decision), mu_reason_name(plan->groups[i].reason),
                    MU_STR_ARG(plan->groups[i].message));
            break;
        }
    exit(2);
}

struct mu_bench_cycle mu_bench_cycle(struct mu_bench_cluster *cluster, uint32_t bind) {
    MU_CLEANUP(mu_arena_destroyp) struct mu_arena *arena = mu_arena_create(0, NULL);
    struct mu_plan *plan = NULL;
    struct mu_err err = {0};
    mu_mark mark = mu_snapshot_mark(cluster->snapshot);
    int64_t began = mu_bench_clock_ns();
    int code = mu_cycle(cluster->snapshot, cluster->settings, clock_ns, arena, &plan, &err);
    int64_t ended = mu_bench_clock_ns();
    if (code != 0)
        give_up(&err);
    check_plan(cluster, plan, bind);
    mu_snapshot_rollback(cluster->snapshot, mark);
    return (struct mu_bench_cycle){.ns = ended - began, .summary = mu_plan_summarise(plan)};
}
