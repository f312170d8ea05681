/* Workloads: how many pods of which templates their controllers would make. */
#include "scheduler/objects/expand.h"

/* The pod in the field `template` of a spec. */
static void read_template(struct mu_decode *d, const struct mu_at *spec, const char *field,
                          struct mu_workload_part *ret) {
    struct mu_at template = mu_at_object(d, spec, field);
    if (template.value == NULL) {
        mu_decode_fail(d, spec, field, "is missing");
        return;
    }
    mu_decode_template_meta(d, &template, &ret->template.pod.meta);
    mu_decode_pod_body(d, &template, &ret->template);
}

static struct mu_workload_part *new_parts(struct mu_decode *d, struct mu_workload *to, uint32_t len) {
    struct mu_workload_part *parts = MU_NEW_ARRAY(d->arena, struct mu_workload_part, len);
    to->parts = parts;
    to->parts_len = len;
    return parts;
}

static int64_t read_count(struct mu_decode *d, const struct mu_at *at, const char *field) {
    return mu_field_int(d, at, field, 1, 0, INT32_MAX);
}

/* The spec of a Job: what runs at first is the smaller of parallelism and completions. */
static void read_job(struct mu_decode *d, const struct mu_at *spec, struct mu_workload *to,
                     struct mu_workload_part *ret) {
    static const char *const modes[] = {"NonIndexed", "Indexed"};
    int64_t parallelism = read_count(d, spec, "parallelism");
    int64_t completions = mu_field_int(d, spec, "completions", parallelism, 0, INT32_MAX);
    ret->pods = parallelism < completions ? parallelism : completions;
    ret->indexed = mu_field_word(d, spec, "completionMode", modes, 2, 0) == 1;
    to->suspended = to->suspended || mu_field_bool(d, spec, "suspend", false);
    if (mu_value_get(spec->value, "scheduling") != NULL) {
        to->unread = "spec.scheduling";
    }
    read_template(d, spec, "template", ret);
}

static void read_stateful_set(struct mu_decode *d, const struct mu_at *spec, struct mu_workload *ret) {
    struct mu_at ordinals = mu_at_object(d, spec, "ordinals");
    ret->start = mu_field_int(d, &ordinals, "start", 0, 0, INT32_MAX);
    struct mu_at list = mu_at_array(d, spec, "volumeClaimTemplates");
    if (mu_at_len(&list) == 0) {
        return;
    }
    struct mu_set_claim *claims = MU_NEW_ARRAY(d->arena, struct mu_set_claim, mu_at_len(&list));
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value == NULL) {
            continue;
        }
        struct mu_at metadata = mu_at_object(d, &item, "metadata");
        struct mu_pvc *claim = MU_NEW(d->arena, struct mu_pvc);
        mu_decode_template_meta(d, &item, &claim->meta);
        mu_decode_pvc(d, &item, claim);
        claims[ret->claims_len++] = (struct mu_set_claim){mu_field_sym_required(d, &metadata, "name"), claim};
    }
    ret->claims = claims;
}

static void read_lws(struct mu_decode *d, const struct mu_at *spec, struct mu_workload *ret) {
    struct mu_at template = mu_at_object(d, spec, "leaderWorkerTemplate");
    struct mu_workload_part *parts = new_parts(d, ret, 2);
    ret->replicas = read_count(d, spec, "replicas");
    int64_t size = mu_field_int(d, &template, "size", 1, 1, INT32_MAX);
    parts[0].pods = 1;
    parts[1].pods = size - 1;
    struct mu_at leader = mu_at_object(d, &template, "leaderTemplate");
    read_template(d, &template, leader.value != NULL ? "leaderTemplate" : "workerTemplate", &parts[0]);
    read_template(d, &template, "workerTemplate", &parts[1]);
    mu_sym topology;
    mu_sym key = mu_symbol_find(d->symbols, MU_STR("leaderworkerset.sigs.k8s.io/exclusive-topology"));
    if (key != 0 && mu_labels_get(&ret->meta.annotations, key, &topology)) {
        ret->unread = "the annotation leaderworkerset.sigs.k8s.io/exclusive-topology";
    }
}

static void read_job_set(struct mu_decode *d, const struct mu_at *spec, struct mu_workload *ret) {
    struct mu_at list = mu_at_array(d, spec, "replicatedJobs");
    ret->suspended = mu_field_bool(d, spec, "suspend", false);
    struct mu_workload_part *parts = new_parts(d, ret, (uint32_t)mu_at_len(&list));
    for (size_t i = 0; i < mu_at_len(&list); i++) {
        struct mu_at item = mu_at_item(d, &list, i, MU_VALUE_OBJECT);
        if (item.value == NULL) {
            continue;
        }
        struct mu_at template = mu_at_object(d, &item, "template");
        struct mu_at job = mu_at_object(d, &template, "spec");
        parts[i].name = mu_field_sym_required(d, &item, "name");
        parts[i].replicas = read_count(d, &item, "replicas");
        read_job(d, &job, ret, &parts[i]);
    }
    mu_sym topology;
    mu_sym key = mu_symbol_find(d->symbols, MU_STR("alpha.jobset.sigs.k8s.io/exclusive-topology"));
    if (key != 0 && mu_labels_get(&ret->meta.annotations, key, &topology)) {
        ret->unread = "the annotation alpha.jobset.sigs.k8s.io/exclusive-topology";
    }
}

void mu_decode_workload(struct mu_decode *d, const struct mu_at *root, void *object) {
    struct mu_workload *ret = object;
    struct mu_at spec = mu_at_object(d, root, "spec");
    if (ret->meta.uid != 0) {
        return;
    }
    if (spec.value == NULL) {
        mu_decode_fail(d, root, "spec", "is missing");
        return;
    }
    ret->content = mu_value_hash(spec.value);
    ret->suffix = mu_str_dup(d->arena, mu_value_suffix(d, spec.value));
    if (mu_str_eq(d->kind, MU_STR("LeaderWorkerSet"))) {
        read_lws(d, &spec, ret);
        return;
    }
    if (mu_str_eq(d->kind, MU_STR("JobSet"))) {
        read_job_set(d, &spec, ret);
        return;
    }
    struct mu_workload_part *part = new_parts(d, ret, 1);
    part->replicas = 1;
    if (mu_str_eq(d->kind, MU_STR("Job"))) {
        read_job(d, &spec, ret, part);
        return;
    }
    part->pods = read_count(d, &spec, "replicas");
    if (mu_str_eq(d->kind, MU_STR("StatefulSet"))) {
        read_stateful_set(d, &spec, ret);
    }
    read_template(d, &spec, "template", part);
}

void mu_canon_workload(struct mu_canon *c, const void *object) {
    const struct mu_workload *workload = object;
    mu_canon_meta(c, &workload->meta);
    mu_canon_int(c, (int64_t)workload->content);
}
