/* The field `plugins`: plugins from shared objects; see profiles.h. */
#include "config/profiles.h"

#include "plugins/loader.h"

enum { OBJECTS_MAX = 64 /* each is code that runs in this process; nobody has so many */ };

struct objects {
    struct mu_config_plugins *plugins;
    struct mu_str directory;
};

/* Relative to the folder that the configuration is in: a file must mean the same from wherever it is read. */
static struct mu_str from_file(struct mu_arena *arena, struct mu_str file, struct mu_str path) {
    if (mu_str_starts(path, MU_STR("/")))
        return path;
    size_t len = file.len;
    while (len > 0 && file.ptr[len - 1] != '/')
        len--;
    struct mu_str folder = len > 0 ? mu_str_slice(file, 0, len) : MU_STR("./");
    return mu_str_printf(arena, MU_STR_FMT MU_STR_FMT, MU_STR_ARG(folder), MU_STR_ARG(path));
}

static int read_directory(void *ctx, const struct mu_config_at *at) {
    struct objects *objects = ctx;
    struct mu_str path;
    int r = mu_config_str(at, &path);
    if (r == 0)
        objects->directory = from_file(objects->plugins->arena, at->place->file, path);
    return r;
}

static int read_name(struct objects *objects, const struct mu_config_at *at) {
    struct mu_config_plugins *plugins = objects->plugins;
    struct mu_str name;
    int r = mu_config_str(at, &name);
    if (r != 0)
        return r;
    const struct mu_plugin *plugin;
    struct mu_err why = {0};
    r = mu_plugin_load(plugins->arena, objects->directory, name, &plugin, &why);
    if (r != 0)
        return mu_config_fail(at, "%s", why.text);
    if (mu_config_plugin_index(plugins, name) < plugins->list.len)
        return mu_config_fail(at, "plugin " MU_STR_FMT " is named twice", MU_STR_ARG(name));
    MU_VEC_PUSH(plugins->arena, &plugins->list, plugin);
    return 0;
}

static int read_names(void *ctx, const struct mu_config_at *at) {
    int r = mu_config_want(at, MU_VALUE_ARRAY, "a list of names");
    if (r == 0 && at->value->array.len > OBJECTS_MAX)
        r = mu_config_fail(at, "has %zu names; %d is the most", at->value->array.len, OBJECTS_MAX);
    for (size_t i = 0; r == 0 && i < at->value->array.len; i++) {
        const struct mu_config_at item = mu_config_item(at, i);
        r = read_name(ctx, &item);
    }
    return r;
}

/* In the order of reading: names are looked for in the directory. */
static const struct mu_config_field fields[] = {
    {"directory", read_directory, true},
    {"names", read_names, true},
};

int mu_config_load_plugins(struct mu_config_plugins *plugins, const struct mu_config_at *at) {
    struct objects objects = {.plugins = plugins};
    return mu_config_object(at, fields, sizeof fields / sizeof fields[0], &objects);
}
