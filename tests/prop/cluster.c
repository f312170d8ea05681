/* Clusters from text, plans to text. */
#include "tests/prop/cluster.h"

#include "config/config.h"
#include "tests/prop/tiny.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct reading {
    struct mu_cluster *cluster;
    const char *text;
};

static int read_text(void *ctx, struct mu_err *err) {
    struct reading *reading = ctx;
    struct mu_cluster *cluster = reading->cluster;
    cluster->store = mu_store_create(cluster->arena);
    int code = mu_read_bytes(mu_str_from(reading->text), MU_STR("tiny.yaml"), mu_store_add, cluster->store, err);
    if (code == 0)
        code = mu_store_finish(cluster->store, err);
    if (code == 0)
        cluster->settings = mu_settings_default(cluster->arena);
    return code;
}

int mu_cluster_read(struct mu_cluster *cluster, const char *text, struct mu_err *err) {
    struct reading reading = {.cluster = cluster, .text = text};
    *cluster = (struct mu_cluster){.arena = mu_arena_create(0, NULL)};
    if (!cluster->arena)
        return mu_err_set(err, MU_E_NOMEM, "no memory");
    return mu_arena_run(cluster->arena, read_text, &reading, err);
}

int mu_cluster_load(struct mu_cluster *cluster, struct mu_err *err) {
    mu_snapshot_destroy(cluster->snapshot);
    cluster->snapshot = mu_snapshot_create(&cluster->store->symbols, 0);
    if (!cluster->snapshot)
        return mu_err_set(err, MU_E_NOMEM, "no memory");
    return mu_snapshot_load(cluster->snapshot, cluster->store, err);
}

void mu_cluster_finish(struct mu_cluster *cluster) {
    mu_snapshot_destroy(cluster->snapshot);
    mu_arena_destroy(cluster->arena);
    *cluster = (struct mu_cluster){0};
}

static void print_pod(FILE *out, const struct mu_symbols *symbols, const struct mu_plan_pod *pod) {
    struct mu_str namespace = mu_text(symbols, pod->pod->meta.namespace), name = mu_text(symbols, pod->pod->meta.name);
    struct mu_str node = mu_text(symbols, pod->node);
    fprintf(out, "  " MU_STR_FMT "/" MU_STR_FMT " %s %s node=" MU_STR_FMT " \"" MU_STR_FMT "\"\n",
            MU_STR_ARG(namespace), MU_STR_ARG(name), mu_decision_name(pod->decision), mu_reason_name(pod->reason),
            MU_STR_ARG(node), MU_STR_ARG(pod->message));
}

static void print_group(FILE *out, const struct mu_symbols *symbols, const struct mu_plan_group *group) {
    struct mu_str namespace = mu_text(symbols, group->namespace), name = mu_text(symbols, group->name);
    struct mu_str queue = mu_text(symbols, group->queue);
    fprintf(out,
            "%s " MU_STR_FMT "/" MU_STR_FMT " queue=" MU_STR_FMT " priority=%" PRId64 " min=%" PRId64
            " %s %s optimal=%d \"" MU_STR_FMT "\"\n",
            mu_group_kind_name(group->kind), MU_STR_ARG(namespace), MU_STR_ARG(name), MU_STR_ARG(queue),
            group->priority, group->min_count, mu_decision_name(group->decision), mu_reason_name(group->reason),
            group->optimal, MU_STR_ARG(group->message));
    for (uint32_t i = 0; i < group->pods_len; i++)
        print_pod(out, symbols, &group->pods[i]);
    for (uint32_t i = 0; i < group->victims_len; i++) {
        struct mu_str victim = mu_text(symbols, group->victims[i]->meta.name);
        fprintf(out, "  victim " MU_STR_FMT "\n", MU_STR_ARG(victim));
    }
}

char *mu_cluster_print(const struct mu_cluster *cluster, const struct mu_plan *plan) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    for (uint32_t i = 0; i < plan->groups_len; i++)
        print_group(out, &cluster->store->symbols, &plan->groups[i]);
    if (fclose(out) != 0)
        abort();
    return text;
}

char *mu_cluster_plan(struct mu_cluster *cluster, struct mu_err *err) {
    MU_CLEANUP(mu_arena_destroyp) struct mu_arena *arena = mu_arena_create(0, NULL);
    struct mu_plan *plan = NULL;
    if (!arena)
        abort();
    if (mu_cycle(cluster->snapshot, cluster->settings, MU_TINY_NOW_NS, arena, &plan, err) != 0)
        return NULL;
    return mu_cluster_print(cluster, plan);
}
