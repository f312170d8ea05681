/* Loader: dlopen(), and as much distrust as is possible: a plugin for another version of the interface must be refused
 * before anything but its first field is read. */
#include "plugins/loader.h"

#include "plugins/registry.h"
#include <dlfcn.h>
#include <inttypes.h>

static void close_object(void *handle) {
    dlclose(handle);
}

/* The last reason that the dynamic linker gave. It begins with the path. */
static const char *linker_reason(void) {
    const char *reason = dlerror();
    return reason != NULL ? reason : "no reason given";
}

static int check_name(struct mu_str name, struct mu_err *err) {
    if (name.len == 0 || mu_str_index(name, '/') >= 0 || mu_str_index(name, '\0') >= 0)
        return mu_err_set(err, MU_E_USAGE, "\"" MU_STR_FMT "\" is no name of a plugin", MU_STR_ARG(name));
    if (mu_registry_find(name) != NULL)
        return mu_err_set(err, MU_E_USAGE, "plugin " MU_STR_FMT " is built in, another one cannot have its name",
                          MU_STR_ARG(name));
    return 0;
}

int mu_plugin_check(const struct mu_plugin *plugin, struct mu_err *err) {
    const char *wrong = NULL;
    bool refuses = plugin->filter != NULL || plugin->permit != NULL;
    if (plugin->name == NULL || plugin->name[0] == '\0')
        return mu_err_set(err, MU_E_USAGE, "the plugin has no name");
    if (plugin->summary == NULL || plugin->summary[0] == '\0')
        wrong = "it has no summary";
    else if ((unsigned)plugin->stage >= MU_STAGE_COUNT)
        wrong = "there is no such stage as its own";
    else if (refuses && (plugin->phrases == NULL || plugin->phrases_len < 2))
        wrong = "it has a filter or a permit, and no phrase to refuse with";
    else if (plugin->default_weight < 0 || (plugin->default_weight > 0) != (plugin->score != NULL))
        wrong = "its default weight must be above 0 just where it has a score";
    else if ((plugin->reserve == NULL) != (plugin->unreserve == NULL))
        wrong = "it has one of reserve and unreserve without the other";
    for (uint16_t i = 1; wrong == NULL && i < plugin->phrases_len; i++) {
        if (plugin->phrases[i] == NULL)
            wrong = "one of its phrases is missing";
    }
    return wrong != NULL ? mu_err_set(err, MU_E_USAGE, "plugin %s: %s", plugin->name, wrong) : 0;
}

static int check_loaded(const struct mu_plugin *plugin, struct mu_str path, struct mu_str name, struct mu_err *err) {
    if (plugin == NULL)
        return mu_err_set(err, MU_E_USAGE, MU_STR_FMT ": mu_plugin_entry is NULL", MU_STR_ARG(path));
    if (plugin->abi != MU_PLUGIN_ABI)
        return mu_err_set(err, MU_E_USAGE,
                          MU_STR_FMT ": built for version %" PRIu32 " of the plugin interface, this muster has %d: "
                                     "build it anew with this muster's framework.h",
                          MU_STR_ARG(path), plugin->abi, MU_PLUGIN_ABI);
    int r = mu_plugin_check(plugin, err);
    if (r != 0)
        return mu_err_wrap(err, r, MU_STR_FMT, MU_STR_ARG(path));
    if (!mu_str_eq(mu_str_from(plugin->name), name))
        return mu_err_set(err, MU_E_USAGE, MU_STR_FMT ": the plugin in it is called %s", MU_STR_ARG(path),
                          plugin->name);
    return 0;
}

int mu_plugin_load(struct mu_arena *arena, struct mu_str directory, struct mu_str name, const struct mu_plugin **ret,
                   struct mu_err *err) {
    int r = check_name(name, err);
    if (r != 0)
        return r;
    struct mu_str path = mu_str_printf(arena, MU_STR_FMT "/" MU_STR_FMT ".so", MU_STR_ARG(directory), MU_STR_ARG(name));
    void *handle = dlopen(path.ptr, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return mu_err_set(err, MU_E_IO, "plugin " MU_STR_FMT " cannot be loaded: %s", MU_STR_ARG(name),
                          linker_reason());
    mu_arena_defer(arena, close_object, handle);
    const struct mu_plugin *const *entry = dlsym(handle, "mu_plugin_entry");
    if (entry == NULL)
        return mu_err_set(err, MU_E_USAGE, MU_STR_FMT ": no plugin: it exports no mu_plugin_entry", MU_STR_ARG(path));
    const struct mu_plugin *plugin = *entry;
    r = check_loaded(plugin, path, name, err);
    if (r == 0)
        *ret = plugin;
    return r;
}
