/* The registry, arguments, and plugins from shared objects. */
#include "plugins/loader.h"
#include "plugins/registry.h"
#include "tests/unit/plugins/fake_framework.h"

#include <stdio.h>

/* ------------------------------------------------------------------ what is built in */

START_TEST(all_keep_to_the_interface) {
    uint32_t len = 0;
    const struct mu_plugin *const *plugins = mu_registry(&len);
    struct mu_err err = {0};
    ck_assert_uint_eq(len, 16);
    for (uint32_t i = 0; i < len; i++) {
        ck_assert_uint_eq(plugins[i]->abi, MU_PLUGIN_ABI);
        ck_assert_msg(mu_plugin_check(plugins[i], &err) == 0, "%s", err.text);
        ck_assert_ptr_eq(mu_registry_find(mu_str_from(plugins[i]->name)), plugins[i]);
        ck_assert_msg(!plugins[i]->filter || plugins[i]->events != 0, "%s: nothing makes its refusals void",
                      plugins[i]->name);
    }
    ck_assert_ptr_null(mu_registry_find(MU_STR("nodename")));
    ck_assert_ptr_null(mu_registry_find(MU_STR("")));
}
END_TEST

START_TEST(what_the_check_sees) {
    static const char *const phrases[] = {NULL, "a", NULL};
    const struct mu_plugin good = mu_plugin_taint_toleration;
    struct mu_err err = {0};
    const struct {
        struct mu_plugin plugin;
        const char *says;
    } bad[] = {
        {{.name = NULL}, "the plugin has no name"},
        {{.name = ""}, "the plugin has no name"},
        {{.name = "X"}, "plugin X: it has no summary"},
        {{.name = "X", .summary = "s", .stage = MU_STAGE_COUNT}, "plugin X: there is no such stage as its own"},
        {{.name = "X", .summary = "s", .filter = good.filter},
         "plugin X: it has a filter or a permit, and no phrase to refuse with"},
        {{.name = "X", .summary = "s", .filter = good.filter, .phrases = phrases, .phrases_len = 3},
         "plugin X: one of its phrases is missing"},
        {{.name = "X", .summary = "s", .default_weight = 1},
         "plugin X: its default weight must be above 0 just where it has a score"},
        {{.name = "X", .summary = "s", .score = good.score},
         "plugin X: its default weight must be above 0 just where it has a score"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_int_eq(mu_plugin_check(&bad[i].plugin, &err), MU_E_USAGE);
        ck_assert_str_eq(err.text, bad[i].says);
    }
}
END_TEST

/* ------------------------------------------------------------------ arguments */

struct configured {
    const struct mu_plugin *plugin;
    struct mu_arena *arena;
};

static int configure(void *ctx, const struct mu_value *args, const struct mu_place *place, struct mu_err *err) {
    const struct configured *c = ctx;
    void *state = NULL;
    return c->plugin->configure(c->arena, args, &state, err);
}

static const struct {
    const struct mu_plugin *plugin;
    const char *args, *says; /* NULL: nothing is wrong */
} arguments[] = {
    {&mu_plugin_packing, "{}", NULL},
    {&mu_plugin_packing, "strategy: BinPack", NULL},
    {&mu_plugin_packing, "strategy: Spread", NULL},
    {&mu_plugin_packing, "strategy: null", NULL},
    {&mu_plugin_packing, "strategy: spread", "line 1: args.strategy: must be one of BinPack, Spread"},
    {&mu_plugin_packing, "\nstrategy: 3", "line 2: args.strategy: must be one of BinPack, Spread"},
    {&mu_plugin_packing, "stratgy: Spread", "line 1: args.stratgy: there is no such argument"},
    {&mu_plugin_packing, "- Spread", "args: must be an object, not array"},
    {&mu_plugin_inter_pod_affinity, "hardPodAffinityWeight: 0", NULL},
    {&mu_plugin_inter_pod_affinity, "hardPodAffinityWeight: 100", NULL},
    {&mu_plugin_inter_pod_affinity, "hardPodAffinityWeight: 101",
     "line 1: args.hardPodAffinityWeight: must be an integer from 0 to 100"},
    {&mu_plugin_inter_pod_affinity, "hardPodAffinityWeight: -1",
     "line 1: args.hardPodAffinityWeight: must be an integer from 0 to 100"},
    {&mu_plugin_inter_pod_affinity, "hardPodAffinityWeight: 1.5",
     "line 1: args.hardPodAffinityWeight: must be an integer from 0 to 100"},
    {&mu_plugin_inter_pod_affinity, "hardPodAffinityWeight: many",
     "line 1: args.hardPodAffinityWeight: must be an integer from 0 to 100"},
};

START_TEST(arguments_are_read_strictly) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    struct configured c = {.plugin = arguments[_i].plugin, .arena = arena};
    struct mu_err err = {0};
    struct mu_str yaml = mu_str_printf(arena, "---\n%s\n", arguments[_i].args);
    int r = mu_read_bytes(mu_str_slice(yaml, 4, yaml.len), MU_STR("args"), configure, &c, &err);
    ck_assert_int_eq(r, arguments[_i].says != NULL ? MU_E_USAGE : 0);
    ck_assert_msg(arguments[_i].says == NULL || strstr(err.text, arguments[_i].says) != NULL, "it says \"%s\"",
                  err.text);
    mu_arena_destroy(arena);
}
END_TEST

START_TEST(no_arguments_at_all) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    uint32_t len = 0;
    const struct mu_plugin *const *plugins = mu_registry(&len);
    for (uint32_t i = 0; i < len; i++) {
        void *state = NULL;
        ck_assert(plugins[i]->configure == NULL || plugins[i]->configure(arena, NULL, &state, NULL) == 0);
    }
    mu_arena_destroy(arena);
}
END_TEST

/* ------------------------------------------------------------------ shared objects */

static const struct {
    const char *directory, *name;
    int code;
    const char *says;
} loads[] = {
    {LOADABLE, "Good", 0, ""},
    {LOADABLE, "WrongAbi", MU_E_USAGE,
     "/WrongAbi.so: built for version 999 of the plugin interface, this muster has 1: build it anew"},
    {LOADABLE, "WrongName", MU_E_USAGE, "/WrongName.so: the plugin in it is called SomethingElse"},
    {LOADABLE, "NoEntry", MU_E_USAGE, "/NoEntry.so: no plugin: it exports no mu_plugin_entry"},
    {LOADABLE, "NoPhrases", MU_E_USAGE, "it has a filter or a permit, and no phrase to refuse with"},
    {LOADABLE, "Missing", MU_E_IO, "plugin Missing cannot be loaded: "},
    {"/nowhere", "Good", MU_E_IO, "plugin Good cannot be loaded: /nowhere/Good.so"},
    {LOADABLE, "NodePorts", MU_E_USAGE, "plugin NodePorts is built in"},
    {LOADABLE, "../Good", MU_E_USAGE, "\"../Good\" is no name of a plugin"},
    {LOADABLE, "", MU_E_USAGE, "\"\" is no name of a plugin"},
};

START_TEST(loading) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    const struct mu_plugin *plugin = NULL;
    struct mu_err err = {0};
    int r = mu_plugin_load(arena, mu_str_from(loads[_i].directory), mu_str_from(loads[_i].name), &plugin, &err);
    ck_assert_msg(r == loads[_i].code, "%s: %d, %s", loads[_i].name, r, err.text);
    ck_assert_msg(strstr(err.text, loads[_i].says) != NULL, "it says \"%s\"", err.text);
    ck_assert(r == 0 ? strcmp(plugin->name, loads[_i].name) == 0 : plugin == NULL);
    mu_arena_destroy(arena);
}
END_TEST

/* ------------------------------------------------------------------ the example */

static const struct mu_plugin *example(struct mu_arena *arena) {
    const struct mu_plugin *plugin = NULL;
    struct mu_err err = {0};
    ck_assert_msg(mu_plugin_load(arena, MU_STR(EXAMPLES), MU_STR("MaintenanceWindow"), &plugin, &err) == 0, "%s",
                  err.text);
    return plugin;
}

static void maintained(struct fake *f, const char *key) {
    char label[96];
    static const char *const nodes[][2] = {{"soon", "60"}, {"later", "600"}, {"now", "0"}, {"odd", "tonight"}};
    for (size_t i = 0; i < 4; i++) {
        snprintf(label, sizeof label, "%s: '%s'", key, nodes[i][1]);
        fake_node(f, nodes[i][0], label);
    }
    fake_node(f, "stays", NULL);
    fake_pod(f, "short", NULL, NULL, "activeDeadlineSeconds: 1800");
    fake_pod(f, "middle", NULL, NULL, "activeDeadlineSeconds: 3600");
    fake_pod(f, "endless", NULL, NULL, NULL);
}

START_TEST(the_example_works) {
    const char *const too_long = "node(s) went into maintenance before the pod's deadline";
    const char *const no_deadline = "node(s) were to go into maintenance, and the pod has no activeDeadlineSeconds";
    struct mu_arena *arena = mu_arena_create(0, NULL);
    struct fake *f = fake_new(example(arena));
    maintained(f, "example.com/maintenance-in-minutes");
    ASSERT_FITS(f, "short", "soon");
    ASSERT_REFUSED(f, "middle", "soon", too_long);
    ASSERT_FITS(f, "middle", "later");
    ASSERT_REFUSED(f, "short", "now", too_long);
    ASSERT_REFUSED(f, "short", "odd", too_long);
    ASSERT_REFUSED(f, "endless", "later", no_deadline);
    ASSERT_FITS(f, "endless", "stays");
    ck_assert_int_eq(fake_score(f, "short", "soon"), 99);
    ck_assert_int_eq(fake_score(f, "short", "later"), 90);
    ck_assert_int_eq(fake_score(f, "short", "stays"), 0);
    fake_free(f);
    mu_arena_destroy(arena);
}
END_TEST

START_TEST(the_example_has_an_argument) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    struct fake *f = fake_new(example(arena));
    fake_args(f, "{label: corp.example/down-in}");
    maintained(f, "corp.example/down-in");
    ASSERT_FITS(f, "endless", "stays");
    ck_assert_str_ne(fake_filter(f, "endless", "soon"), "");
    fake_free(f);
    struct configured c = {.plugin = example(arena), .arena = arena};
    struct mu_err err = {0};
    ck_assert_int_eq(mu_read_bytes(MU_STR("labl: x\n"), MU_STR("args"), configure, &c, &err), MU_E_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "args.labl: there is no such argument"));
    mu_arena_destroy(arena);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, all_keep_to_the_interface);
    tcase_add_test(tests, what_the_check_sees);
    tcase_add_loop_test(tests, arguments_are_read_strictly, 0, sizeof arguments / sizeof arguments[0]);
    tcase_add_test(tests, no_arguments_at_all);
    tcase_add_loop_test(tests, loading, 0, sizeof loads / sizeof loads[0]);
    tcase_add_test(tests, the_example_works);
    tcase_add_test(tests, the_example_has_an_argument);
}

int main(void) {
    return mu_suite_run("plugins/registry", add);
}
