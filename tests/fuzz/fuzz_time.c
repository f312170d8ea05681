/* Times and durations: what is read is printed, and read back the same. */
#include "scheduler/objects/time.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct mu_str text = {(const char *)data, size};
    struct mu_arena *arena = mu_arena_create(0, NULL);
    MU_ASSERT(arena != NULL);
    int64_t ns, back;
    if (mu_time_parse(text, &ns)) {
        MU_ASSERT(ns != MU_TIME_NONE);
        MU_ASSERT(mu_time_parse(mu_time_print(arena, ns), &back));
        MU_ASSERT(back == ns);
    }
    if (mu_duration_parse(text, &ns)) {
        MU_ASSERT(ns >= 0);
        MU_ASSERT(mu_duration_parse(mu_duration_print(arena, ns), &back));
        MU_ASSERT(back == ns);
    }
    mu_arena_destroy(arena);
    return 0;
}
