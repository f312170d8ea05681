/* muster.yaml, from the document down; see config.h. */
#include "config/config.h"

#include "config/devices.h"
#include "config/profiles.h"

/* More steps than this are hours for a single group. */
#define STEP_BUDGET_MAX INT64_C(1000000000000)

#define API_VERSION "scheduling.muster.dev/v1alpha1"
#define KIND "SchedulerConfiguration"

/* One file while it is read. */
struct reader {
    struct mu_arena *arena;
    struct mu_config_plugins plugins;
    struct mu_settings settings;
    bool done; /* a document was read */
};

static int want_text(const struct mu_config_at *at, const char *wanted) {
    struct mu_str text;
    int r = mu_config_str(at, &text);
    if (r == 0 && !mu_str_eq(text, mu_str_from(wanted)))
        r = mu_config_fail(at, "must be %s, not " MU_STR_FMT, wanted, MU_STR_ARG(text));
    return r;
}

static int read_api_version(void *ctx, const struct mu_config_at *at) {
    (void)ctx;
    return want_text(at, API_VERSION);
}

static int read_kind(void *ctx, const struct mu_config_at *at) {
    (void)ctx;
    return want_text(at, KIND);
}

static int read_step_budget(void *ctx, const struct mu_config_at *at) {
    struct reader *reader = ctx;
    return mu_config_i64(at, 1, STEP_BUDGET_MAX, &reader->settings.step_budget);
}

static int read_grace_period(void *ctx, const struct mu_config_at *at) {
    struct reader *reader = ctx;
    return mu_config_duration(at, true, &reader->settings.gang_grace_period_ns);
}

static int read_termination_timeout(void *ctx, const struct mu_config_at *at) {
    struct reader *reader = ctx;
    return mu_config_duration(at, false, &reader->settings.termination_timeout_ns);
}

static int read_device_identity(void *ctx, const struct mu_config_at *at) {
    struct reader *reader = ctx;
    return mu_config_device_identity(reader->arena, at, &reader->settings);
}

static int read_sharing(void *ctx, const struct mu_config_at *at) {
    struct reader *reader = ctx;
    return mu_config_sharing(reader->arena, at, &reader->settings);
}

static int read_plugins(void *ctx, const struct mu_config_at *at) {
    struct reader *reader = ctx;
    return mu_config_load_plugins(&reader->plugins, at);
}

static int read_profiles(void *ctx, const struct mu_config_at *at) {
    struct reader *reader = ctx;
    return mu_config_profiles(&reader->plugins, at, &reader->settings);
}

/* In the order of reading: a profile may name what `plugins` loads. */
static const struct mu_config_field fields[] = {
    {"apiVersion", read_api_version, true},
    {"kind", read_kind, true},
    {"stepBudget", read_step_budget, false},
    {"gangGracePeriod", read_grace_period, false},
    {"terminationTimeout", read_termination_timeout, false},
    {"deviceIdentity", read_device_identity, false},
    {"sharing", read_sharing, false},
    {"plugins", read_plugins, false},
    {"profiles", read_profiles, false},
};

static struct reader new_reader(struct mu_arena *arena) {
    struct reader reader = {
        .arena = arena,
        .settings =
            {
                .step_budget = MU_DEFAULT_STEP_BUDGET,
                .gang_grace_period_ns = MU_DEFAULT_GANG_GRACE_NS,
                .termination_timeout_ns = MU_DEFAULT_TERMINATION_TIMEOUT_NS,
            },
    };
    mu_config_plugins_init(&reader.plugins, arena);
    return reader;
}

/* The one profile there is where no file gives others. */
static int default_profiles(struct reader *reader, struct mu_err *err) {
    struct mu_profile *profile = MU_NEW(reader->arena, struct mu_profile);
    int r = mu_config_profile_default(&reader->plugins, MU_STR("muster"), profile, err);
    reader->settings.profiles = profile;
    reader->settings.profiles_len = 1;
    return r;
}

static int read_document(void *ctx, const struct mu_value *document, const struct mu_place *place, struct mu_err *err) {
    struct reader *reader = ctx;
    const struct mu_config_at at = mu_config_document(document, place, err);
    if (reader->done)
        return mu_config_fail(&at, "there is a second document; a configuration is one");
    reader->done = true;
    return mu_config_object(&at, fields, sizeof fields / sizeof fields[0], reader);
}

const struct mu_settings *mu_settings_default(struct mu_arena *arena) {
    struct reader reader = new_reader(arena);
    /* Our own plugins know how to do without arguments. */
    MU_ASSERT(default_profiles(&reader, NULL) == 0);
    struct mu_settings *settings = MU_NEW(arena, struct mu_settings);
    *settings = reader.settings;
    return settings;
}

static int finish(struct reader *reader, struct mu_str file, struct mu_settings *ret, struct mu_err *err) {
    int r = 0;
    if (reader->settings.profiles_len == 0)
        r = default_profiles(reader, err);
    if (r != 0)
        return mu_err_wrap(err, r, MU_STR_FMT, MU_STR_ARG(file));
    *ret = reader->settings;
    return 0;
}

int mu_config_read(struct mu_arena *arena, const char *path, struct mu_settings *ret, struct mu_err *err) {
    struct reader reader = new_reader(arena);
    const struct mu_read_options options = {.owner = arena};
    int r = mu_read_paths_with(&options, &path, 1, read_document, &reader, err);
    return r == 0 ? finish(&reader, mu_str_from(path), ret, err) : r;
}

int mu_config_read_bytes(struct mu_arena *arena, struct mu_str bytes, struct mu_str file, struct mu_settings *ret,
                         struct mu_err *err) {
    struct reader reader = new_reader(arena);
    const struct mu_read_options options = {.owner = arena};
    int r = mu_read_bytes_with(&options, bytes, file, read_document, &reader, err);
    return r == 0 ? finish(&reader, file, ret, err) : r;
}
