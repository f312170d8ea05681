/* See profiles.h. */
#include "config/profiles.h"

#include "plugins/registry.h"
#include <inttypes.h>
#include <stdio.h>

enum {
    PROFILES_MAX = 64,   /* each has its own copy of every plugin's state */
    WEIGHT_MAX = 1000000 /* times MU_SCORE_MAX and every plugin there may be, still far from overflow */
};

void mu_config_plugins_init(struct mu_config_plugins *plugins, struct mu_arena *arena) {
    *plugins = (struct mu_config_plugins){.arena = arena};
    uint32_t len;
    const struct mu_plugin *const *registry = mu_registry(&len);
    for (uint32_t i = 0; i < len; i++)
        MU_VEC_PUSH(arena, &plugins->list, registry[i]);
}

size_t mu_config_plugin_index(const struct mu_config_plugins *plugins, struct mu_str name) {
    size_t i = 0;
    while (i < plugins->list.len && !mu_str_eq(name, mu_str_from(plugins->list.items[i]->name)))
        i++;
    return i;
}

/* What one profile says about one plugin. */
struct choice {
    bool enabled;
    int64_t weight;                /* -1: not given */
    const struct mu_config_at *at; /* NULL: not named at all */
    const struct mu_value *args;   /* NULL: none given */
};

/* A profile while it is read. */
struct draft {
    const struct mu_config_plugins *plugins;
    struct mu_str scheduler_name;
    struct choice *choices; /* one for each plugin */
};

static struct draft new_draft(const struct mu_config_plugins *plugins) {
    struct draft draft = {.plugins = plugins};
    draft.choices = MU_NEW_ARRAY(plugins->arena, struct choice, plugins->list.len);
    for (size_t i = 0; i < plugins->list.len; i++)
        draft.choices[i] = (struct choice){.enabled = true, .weight = -1};
    return draft;
}

/* What a plugin says of its arguments. Where it names a line of its own, that stands in the line's place. */
static int refuse_args(const struct mu_config_at *at, const char *why) {
    struct mu_value value = *at->value;
    struct mu_config_at there = *at;
    there.value = &value;
    uint32_t line;
    int len = 0;
    if (sscanf(why, "line %" SCNu32 ": %n", &line, &len) == 1 && len > 0) {
        value.line = line;
        why += len;
    }
    return mu_config_fail(&there, "%s", why);
}

/* Turns plugins on as chosen; out of memory leaves through the arena. */
static int enable(const struct draft *draft, struct mu_profile *ret, struct mu_err *err) {
    const struct mu_config_plugins *plugins = draft->plugins;
    struct mu_enabled_plugin *enabled = MU_NEW_ARRAY(plugins->arena, struct mu_enabled_plugin, plugins->list.len);
    uint32_t len = 0;
    for (size_t i = 0; i < plugins->list.len; i++) {
        const struct mu_plugin *plugin = plugins->list.items[i];
        const struct choice *choice = &draft->choices[i];
        if (!choice->enabled)
            continue;
        struct mu_enabled_plugin *one = &enabled[len++];
        *one = (struct mu_enabled_plugin){.plugin = plugin, .weight = plugin->default_weight};
        if (choice->weight >= 0)
            one->weight = (int32_t)choice->weight;
        struct mu_err why = {0};
        int r = 0;
        if (plugin->configure)
            r = plugin->configure(plugins->arena, choice->args, &one->state, &why);
        else if (choice->args)
            r = mu_err_set(&why, MU_E_USAGE, "args: it takes none");
        if (r != 0 && choice->at)
            return refuse_args(choice->at, why.text);
        if (r != 0)
            return mu_err_set(err, MU_E_USAGE, "plugin %s: %s", plugin->name, why.text);
    }
    *ret = (struct mu_profile){.scheduler_name = draft->scheduler_name, .plugins = enabled, .plugins_len = len};
    return 0;
}

int mu_config_profile_default(const struct mu_config_plugins *plugins, struct mu_str scheduler_name,
                              struct mu_profile *ret, struct mu_err *err) {
    struct draft draft = new_draft(plugins);
    draft.scheduler_name = scheduler_name;
    return enable(&draft, ret, err);
}

static int read_enabled(void *ctx, const struct mu_config_at *at) {
    struct choice *choice = ctx;
    return mu_config_bool(at, &choice->enabled);
}

static int read_weight(void *ctx, const struct mu_config_at *at) {
    struct choice *choice = ctx;
    return mu_config_i64(at, 0, WEIGHT_MAX, &choice->weight);
}

static int read_args(void *ctx, const struct mu_config_at *at) {
    struct choice *choice = ctx;
    choice->args = at->value;
    return mu_config_want(at, MU_VALUE_OBJECT, "an object");
}

static const struct mu_config_field plugin_fields[] = {
    {"enabled", read_enabled, false},
    {"weight", read_weight, false},
    {"args", read_args, false},
};

static int refuse_plugin(const struct mu_config_plugins *plugins, const struct mu_config_at *at) {
    struct mu_buf names;
    mu_buf_init(&names, plugins->arena);
    for (size_t i = 0; i < plugins->list.len; i++)
        mu_buf_printf(&names, "%s%s", i ? ", " : "", plugins->list.items[i]->name);
    return mu_config_fail(at, "there is no such plugin; there are " MU_STR_FMT, MU_STR_ARG(mu_buf_str(&names)));
}

static int read_plugin(struct draft *draft, const struct mu_config_at *at) {
    size_t index = mu_config_plugin_index(draft->plugins, at->key);
    if (index == draft->plugins->list.len)
        return refuse_plugin(draft->plugins, at);
    struct choice *choice = &draft->choices[index];
    choice->at = mu_config_keep(draft->plugins->arena, at); /* for errors of configure() */
    int r = mu_config_object(at, plugin_fields, sizeof plugin_fields / sizeof plugin_fields[0], choice);
    if (r == 0 && choice->weight > 0 && !draft->plugins->list.items[index]->score)
        r = mu_config_fail(at, "weight: it has no score that a weight could count for");
    return r;
}

static int read_scheduler_name(void *ctx, const struct mu_config_at *at) {
    struct draft *draft = ctx;
    int r = mu_config_str(at, &draft->scheduler_name);
    if (r == 0)
        draft->scheduler_name = mu_str_dup(draft->plugins->arena, draft->scheduler_name);
    return r;
}

static int read_plugins(void *ctx, const struct mu_config_at *at) {
    struct draft *draft = ctx;
    int r = mu_config_want(at, MU_VALUE_OBJECT, "an object with a field for each plugin");
    for (size_t i = 0; r == 0 && i < at->value->object.len; i++) {
        const struct mu_field *field = &at->value->object.fields[i];
        const struct mu_config_at plugin = mu_config_field_at(at, field);
        r = read_plugin(draft, &plugin);
    }
    return r;
}

static const struct mu_config_field profile_fields[] = {
    {"schedulerName", read_scheduler_name, true},
    {"plugins", read_plugins, false},
};

int mu_config_profiles(const struct mu_config_plugins *plugins, const struct mu_config_at *at,
                       struct mu_settings *settings) {
    int r = mu_config_want(at, MU_VALUE_ARRAY, "a list");
    if (r == 0 && at->value->array.len == 0)
        r = mu_config_fail(at, "must have one profile at least");
    if (r == 0 && at->value->array.len > PROFILES_MAX)
        r = mu_config_fail(at, "has %zu profiles; %d is the most", at->value->array.len, PROFILES_MAX);
    if (r != 0)
        return r;
    size_t len = at->value->array.len;
    struct mu_profile *profiles = MU_NEW_ARRAY(plugins->arena, struct mu_profile, len);
    for (size_t i = 0; i < len; i++) {
        const struct mu_config_at item = mu_config_item(at, i);
        struct draft draft = new_draft(plugins);
        r = mu_config_object(&item, profile_fields, sizeof profile_fields / sizeof profile_fields[0], &draft);
        for (size_t before = 0; r == 0 && before < i; before++)
            if (mu_str_eq(profiles[before].scheduler_name, draft.scheduler_name))
                r = mu_config_fail(&item, "schedulerName: profiles[%zu] is called \"" MU_STR_FMT "\" already", before,
                                   MU_STR_ARG(draft.scheduler_name));
        if (r == 0)
            r = enable(&draft, &profiles[i], at->err);
        if (r != 0)
            return r;
    }
    settings->profiles = profiles;
    settings->profiles_len = (uint32_t)len;
    return 0;
}
