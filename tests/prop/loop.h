/* The loop that every property test runs: seeds in, counterexamples out.
 *
 *     PROGRAM [--cases N] [--seed FIRST] [--failures MOST]
 *
 * tries N seeds from FIRST on (by default a few thousand from 1), until MOST have failed (one fault often breaks many),
 * and speaks TAP. The seeds run in a child process, so that one that ends it counts as a failure like any other. A
 * failing cluster is made smaller as long as it still fails in the same way, and written as NAME-SEED.yaml to the folder $MU_PROP_OUT (the current one where it is not set), for
 * `muster plan -f`. */
#ifndef MU_TESTS_PROP_LOOP_H
#define MU_TESTS_PROP_LOOP_H

#include "tests/prop/tiny.h"

enum { MU_PROP_TALLIES = 12, MU_PROP_WHY_BYTES = 2048 };

struct mu_prop {
    const char *name;
    /* True where the property holds. Else says why not. `tally` counts what was seen, for the summary. */
    bool (*holds)(const struct mu_tiny *tiny, uint64_t seed, uint64_t tally[MU_PROP_TALLIES],
                  char why[MU_PROP_WHY_BYTES]);
    const char *tally_names[MU_PROP_TALLIES]; /* NULL: not used */
    uint64_t cases;                           /* unless said otherwise */
};

/* For main() to return. */
int mu_prop_main(const struct mu_prop *prop, int argc, char **argv);

/* Drops and simplifies parts of the cluster one at a time for as long as fails(ctx, tiny) stays true. */
void mu_tiny_shrink(struct mu_tiny *tiny, bool (*fails)(void *ctx, const struct mu_tiny *tiny), void *ctx);

#endif
