/* Who belongs to whom in a tiny cluster. */
#include "tests/prop/tiny.h"

bool mu_tiny_is_composite(enum mu_tiny_form form) {
    return form == MU_TINY_COMPOSITE || form == MU_TINY_COMPOSITE_BASIC;
}

struct mu_tiny_group mu_tiny_group_of(const struct mu_tiny *tiny, int pod) {
    int unit = tiny->pods[pod].unit;
    if (unit == MU_TINY_NONE)
        return (struct mu_tiny_group){.unit = MU_TINY_NONE, .pod = pod};
    while (tiny->units[unit].parent != MU_TINY_NONE)
        unit = tiny->units[unit].parent;
    return (struct mu_tiny_group){.unit = unit, .pod = MU_TINY_NONE};
}

bool mu_tiny_is_below(const struct mu_tiny *tiny, int unit, int above) {
    while (unit != MU_TINY_NONE && unit != above)
        unit = tiny->units[unit].parent;
    return unit != MU_TINY_NONE;
}

bool mu_tiny_in_group(const struct mu_tiny *tiny, int pod, struct mu_tiny_group group) {
    if (!tiny->pods[pod].there)
        return false;
    return group.unit == MU_TINY_NONE ? pod == group.pod : mu_tiny_is_below(tiny, tiny->pods[pod].unit, group.unit);
}
