/* Plugins that must not load, each for one reason; and one that must. Built once for each, see meson.build. */
#include "scheduler/core/framework.h"

static struct mu_verdict filter(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node) {
    return (struct mu_verdict){.phrase = 0};
}

#ifdef WITH_PHRASES
static const char *const phrases[] = {NULL, "node(s) were not right"};
#endif

static const struct mu_plugin plugin = {
    .abi = ABI,
    .name = NAME,
    .summary = "is loaded by a test",
    .filter = filter,
#ifdef WITH_PHRASES
    .phrases = phrases,
    .phrases_len = 2,
#endif
};

#ifdef EXPORTED
MU_PLUGIN_EXPORT(plugin);
#else
extern const struct mu_plugin *const mu_plugin_hidden;
const struct mu_plugin *const mu_plugin_hidden = &plugin;
#endif
