/* Settings: what a configuration file means to the decision core. Plain data; immutable while cycles run. */
#ifndef MU_CORE_SETTINGS_H
#define MU_CORE_SETTINGS_H

#include "scheduler/core/framework.h"
#include "scheduler/devices/allocator.h"

/* A plugin as one profile has it. */
struct mu_enabled_plugin {
    const struct mu_plugin *plugin;
    void *state;    /* from plugin->configure */
    int32_t weight; /* of its score; 0: not asked */
};

struct mu_profile {
    struct mu_str scheduler_name;            /* pods with this spec.schedulerName are ours */
    const struct mu_enabled_plugin *plugins; /* in order: of two refusals on a node the earlier one is named */
    uint32_t plugins_len;
};

struct mu_settings {
    const struct mu_profile *profiles; /* at least one */
    uint32_t profiles_len;
    int64_t step_budget;            /* steps of the placement search that one group may take */
    int64_t gang_grace_period_ns;   /* contract 3.5; 60 s by default; MU_TIME_NONE: never */
    int64_t termination_timeout_ns; /* contract 4.6; 2 min by default */
    const struct mu_identity_attribute *identity;
    uint32_t identity_len;                    /* 0: uuid and parentUUID; of a node pciBusID and pcieBusID */
    bool no_identity;                         /* drivers know nothing of each other's cards */
    const struct mu_sharing_setting *sharing; /* no two of one class; without one: with any */
    uint32_t sharing_len;
    bool all_ours; /* plan --all: every pending pod is ours */
};

#define MU_DEFAULT_STEP_BUDGET 1000000
#define MU_DEFAULT_GANG_GRACE_NS (60 * INT64_C(1000000000))
#define MU_DEFAULT_TERMINATION_TIMEOUT_NS (120 * INT64_C(1000000000))

#endif
