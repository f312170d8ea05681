/* The plan as an object, in JSON or YAML (contract, section 2); see plan_print.h. */
#include "scheduler/cli/plan_print.h"

#include <stdlib.h>

struct mu_str mu_full_name(const struct mu_plan_view *view, mu_sym namespace, mu_sym name) {
    const struct mu_symbols *symbols = &view->store->symbols;
    return mu_str_printf(view->arena, MU_STR_FMT "/" MU_STR_FMT, MU_STR_ARG(mu_text(symbols, namespace)),
                         MU_STR_ARG(mu_text(symbols, name)));
}

static void write_sym(struct mu_writer *writer, const struct mu_plan_view *view, const char *key, mu_sym sym) {
    mu_writer_key_str(writer, key, mu_text(&view->store->symbols, sym));
}

static void write_pod_name(struct mu_writer *writer, const struct mu_plan_view *view, const struct mu_pod *pod) {
    write_sym(writer, view, "namespace", pod->meta.namespace);
    write_sym(writer, view, "name", pod->meta.name);
}

static void write_why(struct mu_writer *writer, enum mu_reason reason, struct mu_str message) {
    mu_writer_key_str(writer, "reason", mu_str_from(mu_reason_name(reason)));
    mu_writer_key_str(writer, "message", message);
}

static void write_device(struct mu_writer *writer, const struct mu_plan_view *view, const struct mu_claim *claim,
                         const struct mu_device_result *device) {
    mu_writer_object(writer);
    write_sym(writer, view, "claim", claim->meta.name);
    write_sym(writer, view, "request", device->request);
    write_sym(writer, view, "driver", device->driver);
    write_sym(writer, view, "pool", device->pool);
    write_sym(writer, view, "device", device->device);
    if (device->share_id)
        write_sym(writer, view, "shareID", device->share_id);
    if (device->consumed_len) {
        mu_writer_key(writer, "consumedCapacity");
        mu_writer_object(writer);
        for (uint32_t i = 0; i < device->consumed_len; i++) {
            struct mu_str name = mu_text(&view->store->symbols, device->consumed[i].name);
            mu_writer_key_str(writer, name.ptr, mu_quantity_print(view->arena, device->consumed[i].value, true));
        }
        mu_writer_object_end(writer);
    }
    if (device->admin_access)
        mu_writer_key_bool(writer, "adminAccess", true);
    mu_writer_object_end(writer);
}

static void write_devices(struct mu_writer *writer, const struct mu_plan_view *view, const struct mu_plan_pod *pod) {
    mu_writer_key(writer, "devices");
    mu_writer_array(writer);
    for (uint32_t c = 0; c < pod->claims_len; c++)
        for (uint32_t i = 0; i < pod->claims[c].results_len; i++)
            write_device(writer, view, pod->claims[c].claim, &pod->claims[c].results[i]);
    mu_writer_array_end(writer);
}

static void write_pod(struct mu_writer *writer, const struct mu_plan_view *view, const struct mu_plan_pod *pod) {
    mu_writer_object(writer);
    write_pod_name(writer, view, pod->pod);
    mu_writer_key_str(writer, "decision", mu_str_from(mu_decision_name(pod->decision)));
    if (pod->node)
        write_sym(writer, view, "node", pod->node);
    write_devices(writer, view, pod);
    write_why(writer, pod->reason, pod->message);
    mu_writer_object_end(writer);
}

void mu_plan_write_group(const struct mu_plan_view *view, const struct mu_plan_group *group, struct mu_writer *writer) {
    mu_writer_object(writer);
    mu_writer_key_str(writer, "kind", mu_str_from(mu_group_kind_name(group->kind)));
    write_sym(writer, view, "namespace", group->namespace);
    write_sym(writer, view, "name", group->name);
    write_sym(writer, view, "queue", group->queue);
    mu_writer_key_i64(writer, "priority", group->priority);
    mu_writer_key_i64(writer, "minCount", group->min_count);
    mu_writer_key_str(writer, "decision", mu_str_from(mu_decision_name(group->decision)));
    write_why(writer, group->reason, group->message);
    mu_writer_key(writer, "pods");
    mu_writer_array(writer);
    for (uint32_t i = 0; i < group->pods_len; i++)
        write_pod(writer, view, &group->pods[i]);
    mu_writer_array_end(writer);
    mu_writer_key(writer, "victims");
    mu_writer_array(writer);
    for (uint32_t i = 0; i < group->victims_len; i++) {
        mu_writer_object(writer);
        write_pod_name(writer, view, group->victims[i]);
        mu_writer_object_end(writer);
    }
    mu_writer_array_end(writer);
    mu_writer_key_bool(writer, "optimal", group->optimal);
    mu_writer_key(writer, "releases");
    mu_writer_array(writer);
    for (uint32_t i = 0; i < group->releases_len; i++) {
        mu_writer_object(writer);
        write_sym(writer, view, "namespace", group->releases[i]->meta.namespace);
        write_sym(writer, view, "name", group->releases[i]->meta.name);
        mu_writer_object_end(writer);
    }
    mu_writer_array_end(writer);
    mu_writer_object_end(writer);
}

static int compare_evictions(const void *a, const void *b, void *ctx) {
    const struct mu_symbols *symbols = ctx;
    const struct mu_eviction *x = a, *y = b;
    int by_namespace = mu_sym_cmp(symbols, x->pod->meta.namespace, y->pod->meta.namespace);
    int by_name = by_namespace ? by_namespace : mu_sym_cmp(symbols, x->pod->meta.name, y->pod->meta.name);
    /* Of one pod, the eviction of the group that was decided first comes first. */
    return by_name ? by_name : (x->by > y->by) - (x->by < y->by);
}

struct mu_eviction *mu_plan_evictions(const struct mu_plan_view *view, size_t *ret_len) {
    MU_VEC(struct mu_eviction) all = {0};
    for (uint32_t g = 0; g < view->plan->groups_len; g++) {
        const struct mu_plan_group *group = &view->plan->groups[g];
        for (uint32_t v = 0; v < group->victims_len; v++)
            MU_VEC_PUSH(view->arena, &all, (struct mu_eviction){group->victims[v], group});
    }
    /* Symbols are only read; qsort_r has no const for its context. */
    if (all.len > 0)
        qsort_r(all.items, all.len, sizeof all.items[0], compare_evictions, (void *)(uintptr_t)&view->store->symbols);
    size_t len = 0;
    for (size_t i = 0; i < all.len; i++)
        if (len == 0 || all.items[i].pod != all.items[len - 1].pod)
            all.items[len++] = all.items[i];
    *ret_len = len;
    return all.items;
}

const char *mu_eviction_reason(const struct mu_plan_group *by) {
    return by->decision == MU_EVICT ? mu_reason_name(by->reason) : "Preempted";
}

static void write_evictions(struct mu_writer *writer, const struct mu_plan_view *view) {
    size_t len;
    const struct mu_eviction *evictions = mu_plan_evictions(view, &len);
    mu_writer_key(writer, "evictions");
    mu_writer_array(writer);
    for (size_t i = 0; i < len; i++) {
        const struct mu_plan_group *by = evictions[i].by;
        mu_writer_object(writer);
        write_pod_name(writer, view, evictions[i].pod);
        mu_writer_key_str(writer, "by", mu_full_name(view, by->namespace, by->name));
        mu_writer_key_str(writer, "reason", mu_str_from(mu_eviction_reason(by)));
        mu_writer_object_end(writer);
    }
    mu_writer_array_end(writer);
}

static void write_summary(struct mu_writer *writer, const struct mu_plan *plan) {
    static const char *const keys[MU_DECISION_COUNT] = {
        [MU_BIND] = "bind",       [MU_PREEMPT] = "preempt", [MU_WAIT] = "wait",
        [MU_PENDING] = "pending", [MU_EVICT] = "evict",
    };
    const struct mu_plan_summary summary = mu_plan_summarise(plan);
    mu_writer_key(writer, "summary");
    mu_writer_object(writer);
    mu_writer_key_i64(writer, "groups", summary.groups);
    for (size_t d = 0; d < MU_DECISION_COUNT; d++)
        mu_writer_key_i64(writer, keys[d], summary.by_decision[d]);
    mu_writer_key_i64(writer, "podsBound", summary.pods_bound);
    mu_writer_key_i64(writer, "evictions", summary.evictions);
    mu_writer_object_end(writer);
}

void mu_plan_write(const struct mu_plan_view *view, struct mu_writer *writer) {
    mu_writer_object(writer);
    mu_writer_key_str(writer, "apiVersion", MU_STR("scheduling.muster.dev/v1alpha1"));
    mu_writer_key_str(writer, "kind", MU_STR("Plan"));
    mu_writer_key(writer, "groups");
    mu_writer_array(writer);
    for (uint32_t g = 0; g < view->plan->groups_len; g++)
        mu_plan_write_group(view, &view->plan->groups[g], writer);
    mu_writer_array_end(writer);
    write_evictions(writer, view);
    write_summary(writer, view->plan);
    mu_writer_object_end(writer);
    mu_writer_finish(writer);
}
