/* From a plan to numbers of the tiny cluster. */
#include "tests/prop/judge.h"

#include "tests/prop/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "p12" is 12 where the letter is p and there is such a number; else NONE. */
static int number_of(struct mu_str name, char letter, int bound) {
    int64_t number;
    if (name.len < 2 || name.ptr[0] != letter || !mu_str_to_i64(mu_str_slice(name, 1, name.len), &number) ||
        number < 0 || number >= bound)
        return MU_TINY_NONE;
    return (int)number;
}

static bool take_pod(const struct mu_symbols *symbols, const struct mu_plan_pod *pod, struct mu_answer_group *group,
                     char *why) {
    struct mu_str name = mu_text(symbols, pod->pod->meta.name), node = mu_text(symbols, pod->node);
    int p = number_of(name, 'p', MU_TINY_PODS), n = number_of(node, 'n', MU_TINY_NODES);
    if (p == MU_TINY_NONE || (pod->node && n == MU_TINY_NONE)) {
        snprintf(why, MU_PROP_WHY_BYTES, "the plan has pod " MU_STR_FMT " on node " MU_STR_FMT, MU_STR_ARG(name),
                 MU_STR_ARG(node));
        return false;
    }
    if ((pod->decision == MU_BIND) != (n != MU_TINY_NONE)) {
        snprintf(why, MU_PROP_WHY_BYTES, "p%d is %s with node \"" MU_STR_FMT "\"", p, mu_decision_name(pod->decision),
                 MU_STR_ARG(node));
        return false;
    }
    group->listed[p] = true;
    group->targets[p] = (int8_t)n;
    return true;
}

static bool take_group(const struct mu_symbols *symbols, const struct mu_plan_group *from,
                       struct mu_answer_group *group, char *why) {
    struct mu_str name = mu_text(symbols, from->name);
    memset(group, 0, sizeof *group);
    memset(group->targets, MU_TINY_NONE, sizeof group->targets);
    group->group.pod = from->kind == MU_KIND_POD ? number_of(name, 'p', MU_TINY_PODS) : MU_TINY_NONE;
    group->group.unit = from->kind == MU_KIND_POD ? MU_TINY_NONE : number_of(name, 'g', MU_TINY_UNITS);
    group->decision = from->decision;
    group->reason = from->reason;
    snprintf(group->message, sizeof group->message, MU_STR_FMT, MU_STR_ARG(from->message));
    if (group->group.pod == MU_TINY_NONE && group->group.unit == MU_TINY_NONE) {
        snprintf(why, MU_PROP_WHY_BYTES, "the plan has a %s " MU_STR_FMT, mu_group_kind_name(from->kind),
                 MU_STR_ARG(name));
        return false;
    }
    for (uint32_t i = 0; i < from->pods_len; i++)
        if (!take_pod(symbols, &from->pods[i], group, why))
            return false;
    return true;
}

static bool take_plan(const struct mu_symbols *symbols, const struct mu_plan *plan, struct mu_answer *ret, char *why) {
    ret->groups_len = 0;
    if (plan->groups_len > MU_ANSWER_GROUPS) {
        snprintf(why, MU_PROP_WHY_BYTES, "the plan has %u groups", plan->groups_len);
        return false;
    }
    for (uint32_t i = 0; i < plan->groups_len; i++)
        if (!take_group(symbols, &plan->groups[i], &ret->groups[ret->groups_len++], why))
            return false;
    return true;
}

bool mu_answer_get(const struct mu_tiny *tiny, struct mu_answer *ret, char why[MU_PROP_WHY_BYTES]) {
    struct mu_tiny_texts texts;
    struct mu_cluster cluster = {0};
    struct mu_err err = {0};
    mu_tiny_print(tiny, &texts);
    char *text = mu_tiny_join(&texts);
    struct mu_plan *plan = NULL;
    MU_CLEANUP(mu_arena_destroyp) struct mu_arena *arena = mu_arena_create(0, NULL);
    bool fine = arena && mu_cluster_read(&cluster, text, &err) == 0 && mu_cluster_load(&cluster, &err) == 0 &&
                mu_cycle(cluster.snapshot, cluster.settings, MU_TINY_NOW_NS, arena, &plan, &err) == 0;
    if (fine)
        fine = take_plan(&cluster.store->symbols, plan, ret, why);
    else
        snprintf(why, MU_PROP_WHY_BYTES, "no plan: %s", err.text);
    mu_cluster_finish(&cluster);
    free(text);
    mu_tiny_texts_finish(&texts);
    return fine;
}
