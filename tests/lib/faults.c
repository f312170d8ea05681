/* Memory that fails on purpose. */
#include "tests/lib/faults.h"

#include <stdlib.h>

static void *faults_alloc(void *ctx, size_t bytes) {
    struct mu_faults *faults = ctx;
    faults->calls++;
    bool due = faults->fail_at > 0 &&
               (faults->from_then_on ? faults->calls >= faults->fail_at : faults->calls == faults->fail_at);
    void *ptr = due ? NULL : malloc(bytes);
    faults->failed += ptr == NULL;
    faults->live += ptr != NULL;
    return ptr;
}

static void faults_release(void *ctx, void *ptr) {
    struct mu_faults *faults = ctx;
    MU_ASSERT(ptr != NULL && faults->live > 0);
    faults->live--;
    free(ptr);
}

struct mu_memory mu_faults_memory(struct mu_faults *faults) {
    return (struct mu_memory){.alloc = faults_alloc, .release = faults_release, .ctx = faults};
}
