#include "tests/unit/core/cluster.h"

#include <stdarg.h>
#include <stdio.h>

struct cluster *cluster_new(void) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    ck_assert_ptr_nonnull(arena);
    struct cluster *c = MU_NEW(arena, struct cluster);
    c->arena = arena;
    mu_buf_init(&c->yaml, arena);
    c->profiles[0].scheduler_name = MU_STR("muster");
    c->profiles[1].scheduler_name = MU_STR("second");
    c->settings = (struct mu_settings){.profiles = c->profiles,
                                       .profiles_len = 2,
                                       .gang_grace_period_ns = MU_DEFAULT_GANG_GRACE_NS};
    ck_assert(mu_time_parse(MU_STR(NOW), &c->input.now_ns));
    return c;
}

void cluster_free(struct cluster *c) {
    mu_arena_destroy(c->arena);
}

void cluster_add(struct cluster *c, const char *format, ...) {
    char text[4096];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ck_assert_int_lt(len, (int)sizeof text);
    mu_buf_printf(&c->yaml, "---\n%s\n", text);
}

static const char * or (const char *text, const char *other) {
    return text ? text : other;
}

void cluster_pod(struct cluster *c, const char *name, struct pod pod) {
    cluster_add(c,
                "{apiVersion: v1, kind: Pod, metadata: {namespace: %s, name: %s, uid: uid-%s, labels: {%s}, "
                "annotations: {%s}, creationTimestamp: '%s', %s}, spec: {schedulerName: %s, containers: [{name: main, "
                "image: a, resources: {requests: {cpu: 1}}}], %s}, status: {%s}}",
                or (pod.namespace, "default"), name, name, or (pod.labels, ""), or (pod.annotations, ""),
                or (pod.created, "2026-03-02T08:00:00Z"), or (pod.meta, ""), or (pod.scheduler, "muster"),
                or (pod.spec, ""), or (pod.status, "phase: Pending"));
}

void cluster_pods(struct cluster *c, const char *name, int count, struct pod pod) {
    for (int i = 0; i < count; i++) {
        char numbered[64];
        snprintf(numbered, sizeof numbered, "%s-%d", name, i);
        cluster_pod(c, numbered, pod);
    }
}

void cluster_running(struct cluster *c, const char *name, struct pod pod) {
    char spec[512];
    snprintf(spec, sizeof spec, "nodeName: n1, %s", or (pod.spec, ""));
    pod.spec = spec;
    pod.status = or (pod.status, "phase: Running");
    cluster_pod(c, name, pod);
}

/* ------------------------------------------------------------------ building */

static int build(void *ctx, struct mu_err *err) {
    struct cluster *c = ctx;
    c->store = mu_store_create(c->arena);
    int code = mu_read_bytes(mu_buf_str(&c->yaml), MU_STR("test"), mu_store_add, c->store, err);
    if (!code)
        code = mu_store_finish(c->store, err);
    if (code)
        return code;
    struct mu_store *s = c->store;
    c->input = (struct mu_groups_input){
        .symbols = &s->symbols,
        .pods = (const struct mu_pod *const *)s->pods.items,
        .objects = (const struct mu_group_object *const *)s->groups.items,
        .queues = (const struct mu_queue *const *)s->queues.items,
        .priority_classes = (const struct mu_priority_class *const *)s->priority_classes.items,
        .namespaces = (const struct mu_namespace *const *)s->namespaces.items,
        .pods_len = (uint32_t)s->pods.len,
        .objects_len = (uint32_t)s->groups.len,
        .queues_len = (uint32_t)s->queues.len,
        .priority_classes_len = (uint32_t)s->priority_classes.len,
        .namespaces_len = (uint32_t)s->namespaces.len,
        .claims = (const struct mu_claim *const *)s->claims.items,
        .claims_len = (uint32_t)s->claims.len,
        .settings = &c->settings,
        .now_ns = c->input.now_ns,
    };
    c->groups = mu_groups_build(&c->input, c->arena);
    return 0;
}

void cluster_build(struct cluster *c) {
    struct mu_err err = {0};
    ck_assert_msg(mu_arena_run(c->arena, build, c, &err) == 0, "%s", err.text);
}

const struct mu_group *cluster_group(struct cluster *c, const char *name) {
    if (!c->groups)
        cluster_build(c);
    const struct mu_group *found = NULL;
    for (uint32_t i = 0; i < c->groups->len; i++) {
        if (!mu_str_eq(cluster_text(c, c->groups->items[i]->name), mu_str_from(name)))
            continue;
        ck_assert_msg(!found, "there are two groups %s", name);
        found = c->groups->items[i];
    }
    ck_assert_msg(found != NULL, "there is no group %s", name);
    return found;
}

const struct mu_group_pod *cluster_group_pod(struct cluster *c, const char *name) {
    if (!c->groups)
        cluster_build(c);
    for (uint32_t i = 0; i < c->groups->len; i++)
        for (uint32_t j = 0; j < c->groups->items[i]->pods_len; j++)
            if (mu_str_eq(cluster_text(c, c->groups->items[i]->pods[j].pod->meta.name), mu_str_from(name)))
                return &c->groups->items[i]->pods[j];
    ck_abort_msg("there is no pending pod %s", name);
}

struct mu_str cluster_text(const struct cluster *c, mu_sym sym) {
    return mu_text(&c->store->symbols, sym);
}

mu_sym cluster_sym(struct cluster *c, const char *text) {
    return mu_intern(&c->store->symbols, mu_str_from(text));
}

/* ------------------------------------------------------------------ printing */

static void print_pods(struct cluster *c, struct mu_buf *to, const char *what, const struct mu_pod *const *pods,
                       uint32_t len, const uint32_t *roles) {
    mu_buf_printf(to, " %s", what);
    for (uint32_t i = 0; i < len; i++)
        mu_buf_printf(to, " " MU_STR_FMT ":%d", MU_STR_ARG(cluster_text(c, pods[i]->meta.name)),
                      roles ? (int)roles[i] : 0);
}

static void print_unit(struct cluster *c, struct mu_buf *to, const struct mu_unit *unit) {
    mu_buf_printf(to, "{" MU_STR_FMT " min %lld basic %d keys", MU_STR_ARG(cluster_text(c, unit->name)),
                  (long long)unit->minimum, unit->basic);
    for (uint32_t i = 0; i < unit->topology_len; i++)
        mu_buf_printf(to, " " MU_STR_FMT, MU_STR_ARG(cluster_text(c, unit->topology[i])));
    const struct mu_part *part = unit->part;
    if (part) {
        mu_buf_printf(to, " part " MU_STR_FMT " min %lld basic %d counted %lld roles",
                      MU_STR_ARG(cluster_text(c, part->name)), (long long)part->minimum, part->basic,
                      (long long)part->counted);
        for (uint32_t i = 0; i < part->roles_len; i++)
            mu_buf_printf(to, " " MU_STR_FMT ":%lld:%lld", MU_STR_ARG(cluster_text(c, part->roles[i].name)),
                          (long long)part->roles[i].minimum, (long long)part->roles[i].counted);
        print_pods(c, to, "ready", part->ready, part->ready_len, part->ready_role);
        print_pods(c, to, "running", part->running, part->running_len, NULL);
    }
    for (uint32_t i = 0; i < unit->children_len; i++)
        print_unit(c, to, unit->children[i]);
    mu_buf_add_char(to, '}');
}

static void print_group(struct cluster *c, struct mu_buf *to, const struct mu_group *g) {
    mu_buf_printf(to,
                  "%s " MU_STR_FMT "/" MU_STR_FMT " queue " MU_STR_FMT
                  " priority %lld %d min %lld created %lld broken %d "
                  "%lld grace %lld profile " MU_STR_FMT " %s %s " MU_STR_FMT " near",
                  mu_group_kind_name(g->kind), MU_STR_ARG(cluster_text(c, g->namespace)),
                  MU_STR_ARG(cluster_text(c, g->name)), MU_STR_ARG(cluster_text(c, g->queue)), (long long)g->priority,
                  (int)g->preemption, (long long)g->min_count, (long long)g->created_ns, g->broken,
                  (long long)g->broken_since_ns, (long long)g->grace_ns, MU_STR_ARG(g->profile->scheduler_name),
                  mu_decision_name(g->decision), mu_reason_name(g->reason), MU_STR_ARG(g->message));
    for (uint32_t i = 0; i < g->preferred_topology_len; i++)
        mu_buf_printf(to, " " MU_STR_FMT, MU_STR_ARG(cluster_text(c, g->preferred_topology[i])));
    for (uint32_t i = 0; i < g->pods_len; i++)
        mu_buf_printf(to, "\n  " MU_STR_FMT " %d %s %s " MU_STR_FMT,
                      MU_STR_ARG(cluster_text(c, g->pods[i].pod->meta.name)), g->pods[i].ready,
                      mu_decision_name(g->pods[i].decision), mu_reason_name(g->pods[i].reason),
                      MU_STR_ARG(g->pods[i].message));
    mu_buf_add(to, MU_STR("\n  "));
    print_unit(c, to, g->root);
    mu_buf_add_char(to, '\n');
}

struct mu_str cluster_print(struct cluster *c, const struct mu_groups *groups) {
    struct mu_buf text;
    mu_buf_init(&text, c->arena);
    for (uint32_t i = 0; i < groups->len; i++)
        print_group(c, &text, groups->items[i]);
    return mu_buf_str(&text);
}
