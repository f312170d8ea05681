/* Property: neither the plan nor the snapshot depends on the order of the documents. */
#include "tests/lib/random.h"
#include "tests/prop/cluster.h"
#include "tests/prop/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHUFFLES = 4 };

enum tally { PLANS = 0 };

static void shuffle(struct mu_random *random, struct mu_tiny_texts *texts) {
    for (size_t i = texts->len; i > 1; i--) {
        size_t j = (size_t)mu_random_below(random, i);
        char *kept = texts->items[i - 1];
        texts->items[i - 1] = texts->items[j];
        texts->items[j] = kept;
    }
}

/* The plan of the documents as they stand, or NULL. */
static char *plan_of(const struct mu_tiny_texts *texts, uint64_t *ret_digest, char *why) {
    struct mu_cluster cluster = {0};
    struct mu_err err = {0};
    char *text = mu_tiny_join(texts), *plan = NULL;
    if (mu_cluster_read(&cluster, text, &err) == 0 && mu_cluster_load(&cluster, &err) == 0) {
        *ret_digest = mu_snapshot_digest(cluster.snapshot);
        plan = mu_cluster_plan(&cluster, &err);
    }
    if (!plan)
        snprintf(why, MU_PROP_WHY_BYTES, "no plan: %s", err.text);
    mu_cluster_finish(&cluster);
    free(text);
    return plan;
}

static bool same_plan(const char *first, const char *plan, uint64_t first_digest, uint64_t digest, char *why) {
    if (strcmp(first, plan) != 0) {
        snprintf(why, MU_PROP_WHY_BYTES, "two orders of the documents, two plans:\n%s\n%s", first, plan);
        return false;
    }
    if (first_digest != digest) {
        snprintf(why, MU_PROP_WHY_BYTES, "two orders of the documents, two digests");
        return false;
    }
    return true;
}

static bool holds(const struct mu_tiny *tiny, uint64_t seed, uint64_t tally[MU_PROP_TALLIES],
                  char why[MU_PROP_WHY_BYTES]) {
    struct mu_random random = {.state = ~seed};
    struct mu_tiny_texts texts;
    uint64_t first_digest = 0;
    mu_tiny_print(tiny, &texts);
    char *first = plan_of(&texts, &first_digest, why);
    bool fine = first != NULL;
    for (int i = 0; i < SHUFFLES && fine; i++) {
        uint64_t digest = 0;
        shuffle(&random, &texts);
        char *plan = plan_of(&texts, &digest, why);
        fine = plan && same_plan(first, plan, first_digest, digest, why);
        free(plan);
        tally[PLANS]++;
    }
    free(first);
    mu_tiny_texts_finish(&texts);
    return fine;
}

int main(int argc, char **argv) {
    static const struct mu_prop prop = {
        .name = "order",
        .holds = holds,
        .tally_names = {[PLANS] = "shuffled plans"},
        .cases = 1500,
    };
    return mu_prop_main(&prop, argc, argv);
}
