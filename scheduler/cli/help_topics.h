/* Texts of `muster help TOPIC`. */
#ifndef MU_CLI_HELP_TOPICS_H
#define MU_CLI_HELP_TOPICS_H

#include "scheduler/core/plan.h"
#include <stdio.h>

/* What a reason means, and what one can do about it. */
struct mu_reason_help {
    enum mu_decision decision; /* that it comes with */
    const char *means, *remedy;
};

/* NULL for MU_REASON_NONE. */
const struct mu_reason_help *mu_reason_help(enum mu_reason reason);

struct mu_topic {
    const char *name, *summary;
    void (*print)(FILE *out);
};

extern const struct mu_topic mu_topics[]; /* ended by one without a name */

#endif
