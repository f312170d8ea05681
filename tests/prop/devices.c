/* Property: a whole group with claims is placed where, and only where, brute force finds a way, and what it is given
 * breaks no rule.
 *
 *     prop_devices [--seed FIRST] [--cases N]
 *
 * Speaks TAP. A lab that fails is written as devices-SEED.yaml to the folder $MU_PROP_OUT (else the current one). */
#include "config/config.h"
#include "scheduler/core/cycle.h"
#include "tests/prop/devices_lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW_NS INT64_C(1772452800000000000)

struct tally {
    unsigned long bound, refused, unproved;
};

static int number_after(const struct mu_symbols *symbols, mu_sym sym, char letter) {
    struct mu_str text = mu_text(symbols, sym);
    int64_t number = 0;
    bool fine = text.len >= 2 && text.ptr[0] == letter && mu_str_to_i64(mu_str_slice(text, 1, text.len), &number);
    MU_ASSERT(fine && number >= 0 && number < 1000);
    return (int)number;
}

/* "r0", or "r0/a1" */
static void read_results(const struct mu_symbols *symbols, const struct mu_plan_claim *claim, struct lab_grant *ret) {
    ret->len = 0;
    for (uint32_t i = 0; i < claim->results_len; i++) {
        struct mu_str request = mu_text(symbols, claim->results[i].request);
        ret->devices[ret->len] = number_after(symbols, claim->results[i].device, 'd');
        ret->request[ret->len] = request.ptr[1] - '0';
        ret->ask[ret->len++] = request.len > 2 ? request.ptr[4] - '0' : 0;
    }
}

static const char *judge(const struct lab *lab, const struct mu_plan_group *group, const struct mu_symbols *symbols) {
    int node[LAB_PODS];
    struct lab_grant grants[LAB_CLAIMS] = {0};
    for (uint32_t i = 0; i < group->pods_len; i++) {
        const struct mu_plan_pod *pod = &group->pods[i];
        node[i] = pod->node ? number_after(symbols, pod->node, 'n') : -1;
        for (uint32_t c = 0; c < pod->claims_len; c++)
            read_results(symbols, &pod->claims[c],
                         &grants[number_after(symbols, pod->claims[c].claim->meta.name, 'c')]);
    }
    return lab_fault(lab, node, grants);
}

struct check {
    const struct lab *lab;
    struct mu_str yaml;
    struct mu_arena *arena;
    struct tally *tally;
    const char *why;
};

static int check(void *ctx, struct mu_err *err) {
    struct check *c = ctx;
    struct mu_store *store = mu_store_create(c->arena);
    int code = mu_read_bytes(c->yaml, MU_STR("lab"), mu_store_add, store, err);
    if (!code)
        code = mu_store_finish(store, err);
    if (code)
        return code;
    struct mu_snapshot *s = mu_snapshot_create(&store->symbols, 0);
    struct mu_plan *plan = NULL;
    uint64_t before = 0;
    code = mu_snapshot_load(s, store, err);
    if (!code)
        before = mu_snapshot_digest(s);
    if (!code)
        code = mu_cycle(s, mu_settings_default(c->arena), NOW_NS, c->arena, &plan, err);
    if (!code) {
        const struct mu_plan_group *group = &plan->groups[0];
        bool bound = group->decision == MU_BIND, feasible = lab_is_feasible(c->lab);
        bool unproved = group->reason == MU_REASON_SEARCH_BUDGET_EXHAUSTED;
        c->tally->bound += bound;
        c->tally->refused += !bound;
        c->tally->unproved += unproved;
        if (bound != feasible && !unproved)
            c->why = feasible ? "refused, though there is a way" : "placed, though there is no way";
        else if (bound)
            c->why = judge(c->lab, group, &store->symbols);
        mu_snapshot_rollback(s, 0);
        if (!c->why && mu_snapshot_digest(s) != before)
            c->why = "something is left behind";
    }
    mu_snapshot_destroy(s);
    return code;
}

static bool holds(uint64_t seed, struct tally *tally) {
    struct mu_err err = {0};
    struct mu_arena *arena = mu_arena_create(0, NULL);
    struct lab lab;
    lab_make(&lab, seed);
    struct check c = {.lab = &lab, .yaml = lab_print(&lab, arena), .arena = arena, .tally = tally};
    int code = mu_arena_run(arena, check, &c, &err);
    if (code)
        c.why = err.text;
    if (c.why) {
        const char *folder = getenv("MU_PROP_OUT");
        char path[512];
        snprintf(path, sizeof path, "%s/devices-%llu.yaml", folder ? folder : ".", (unsigned long long)seed);
        FILE *out = fopen(path, "w");
        if (out) {
            fwrite(c.yaml.ptr, 1, c.yaml.len, out);
            fclose(out);
        }
        printf("# seed %llu: %s\n", (unsigned long long)seed, c.why);
    }
    bool fine = !c.why;
    mu_arena_destroy(arena);
    return fine;
}

int main(int argc, char **argv) {
    uint64_t first = 1, cases = 2000, failed = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seed") == 0)
            first = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--cases") == 0)
            cases = strtoull(argv[i + 1], NULL, 10);
    }
    struct tally tally = {0};
    for (uint64_t seed = first; seed < first + cases && failed < 20; seed++)
        failed += !holds(seed, &tally);
    printf("1..1\n%s 1 - whole groups get devices where brute force finds a way, %llu labs from seed %llu: %lu placed, "
           "%lu refused, %lu not proved\n",
           failed ? "not ok" : "ok", (unsigned long long)cases, (unsigned long long)first, tally.bound, tally.refused,
           tally.unproved);
    return failed != 0;
}
