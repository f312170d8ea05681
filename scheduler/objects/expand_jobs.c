/* Workloads of jobs: Job and JobSet. */
#include "scheduler/objects/expand.h"
#include <inttypes.h>

#define BATCH "batch.kubernetes.io/"
#define JOB_SET "jobset.sigs.k8s.io/"

void mu_expand_job_part(struct mu_expand *e, const struct mu_workload_part *part, struct mu_str job_name,
                        const struct mu_extra *extra) {
    for (int64_t i = 0; i < part->pods; i++) {
        struct mu_arena_mark mark = mu_arena_mark(e->d.scratch);
        struct mu_extra all = *extra;
        mu_extra_label(e, &all, BATCH "job-name", job_name);
        mu_extra_label(e, &all, "job-name", job_name);
        if (part->indexed) {
            struct mu_str index = mu_str_printf(e->d.scratch, "%" PRId64, i);
            mu_extra_label(e, &all, BATCH "job-completion-index", index);
            mu_extra_annotation(e, &all, BATCH "job-completion-index", index);
        }
        struct mu_str name = mu_str_printf(e->d.scratch, MU_STR_FMT "-%" PRId64, MU_STR_ARG(job_name), i);
        struct mu_pod_template pod;
        if (mu_make_pod(e, &part->template, name, &all, &pod)) {
            mu_put_pod(e, &pod);
        }
        mu_arena_rollback(e->d.scratch, mark);
    }
}

void mu_expand_job(struct mu_expand *e) {
    struct mu_extra extra = {0};
    mu_expand_job_part(e, &e->workload->parts[0], e->name, &extra);
}

/* A job of a JobSet: job_index counts in its replicated job, global_index over the whole set. */
static void make_job(struct mu_expand *e, const struct mu_workload_part *part, int64_t job_index,
                     int64_t global_index) {
    struct mu_extra extra = {0};
    struct mu_str replicated = mu_text(e->d.symbols, part->name);
    struct mu_str job_name = mu_str_printf(e->d.scratch, MU_STR_FMT "-" MU_STR_FMT "-%" PRId64, MU_STR_ARG(e->name),
                                           MU_STR_ARG(replicated), job_index);
    mu_extra_label(e, &extra, JOB_SET "jobset-name", e->name);
    mu_extra_label(e, &extra, JOB_SET "replicatedjob-name", replicated);
    mu_extra_number(e, &extra, JOB_SET "replicatedjob-replicas", part->replicas);
    mu_extra_number(e, &extra, JOB_SET "job-index", job_index);
    mu_extra_number(e, &extra, JOB_SET "job-global-index", global_index);
    mu_extra_number(e, &extra, JOB_SET "restart-attempt", 0);
    mu_expand_job_part(e, part, job_name, &extra);
}

void mu_expand_job_set(struct mu_expand *e) {
    int64_t global_index = 0;
    for (uint32_t i = 0; i < e->workload->parts_len; i++) {
        const struct mu_workload_part *part = &e->workload->parts[i];
        for (int64_t job = 0; job < part->replicas; job++) {
            struct mu_arena_mark mark = mu_arena_mark(e->d.scratch);
            make_job(e, part, job, global_index++);
            mu_arena_rollback(e->d.scratch, mark);
        }
    }
}
