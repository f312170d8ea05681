/* muster.yaml: what it may say, and one clear line for everything else. */
#include "config/config.h"
#include "plugins/registry.h"
#include "tests/lib/suite.h"

#include <stdio.h>

static struct mu_arena *arena;
static struct mu_settings settings;
static struct mu_err err;

#define HEAD                                                                                                           \
    "apiVersion: scheduling.muster.dev/v1alpha1\n"                                                                     \
    "kind: SchedulerConfiguration\n"

static void setup(void) {
    arena = mu_arena_create(0, NULL);
    settings = (struct mu_settings){0};
    err = (struct mu_err){0};
}

static void teardown(void) {
    mu_arena_destroy(arena);
}

static int read(const char *text) {
    return mu_config_read_bytes(arena, mu_str_from(text), MU_STR("muster.yaml"), &settings, &err);
}

static void read_well(const char *text) {
    int r = read(text);
    ck_assert_msg(r == 0, "%s", err.text);
}

static const struct mu_enabled_plugin *enabled(uint32_t profile, const char *name) {
    const struct mu_profile *p = &settings.profiles[profile];
    for (uint32_t i = 0; i < p->plugins_len; i++)
        if (strcmp(p->plugins[i].plugin->name, name) == 0)
            return &p->plugins[i];
    return NULL;
}

/* One profile, everything on, in the registry's order, at its own weight. */
static void check_default_profile(void) {
    uint32_t len;
    const struct mu_plugin *const *registry = mu_registry(&len);
    ck_assert_uint_eq(settings.profiles_len, 1);
    ck_assert(mu_str_eq(settings.profiles[0].scheduler_name, MU_STR("muster")));
    ck_assert_uint_eq(settings.profiles[0].plugins_len, len);
    for (uint32_t i = 0; i < len; i++) {
        ck_assert_ptr_eq(settings.profiles[0].plugins[i].plugin, registry[i]);
        ck_assert_int_eq(settings.profiles[0].plugins[i].weight, registry[i]->default_weight);
    }
    ck_assert_int_eq(settings.step_budget, MU_DEFAULT_STEP_BUDGET);
    ck_assert_int_eq(settings.gang_grace_period_ns, MU_DEFAULT_GANG_GRACE_NS);
    ck_assert_int_eq(settings.termination_timeout_ns, MU_DEFAULT_TERMINATION_TIMEOUT_NS);
    ck_assert_uint_eq(settings.identity_len, 0);
    ck_assert(!settings.no_identity);
    ck_assert_uint_eq(settings.sharing_len, 0);
    ck_assert(!settings.all_ours);
}

START_TEST(the_default_without_a_file) {
    settings = *mu_settings_default(arena);
    check_default_profile();
}
END_TEST

START_TEST(the_least_file_changes_nothing) {
    read_well(HEAD);
    check_default_profile();
}
END_TEST

START_TEST(everything_at_once) {
    read_well("kind: SchedulerConfiguration\n"
              "profiles:\n"
              "- plugins:\n"
              "    Packing: {weight: 7, args: {strategy: Spread}}\n"
              "    ImageLocality: {enabled: false}\n"
              "    NodePorts: {enabled: true}\n"
              "  schedulerName: one\n"
              "- schedulerName: two\n"
              "  plugins: {Packing: {weight: 0}}\n"
              "terminationTimeout: 1h30m\n"
              "gangGracePeriod: never\n"
              "stepBudget: 12\n"
              "apiVersion: scheduling.muster.dev/v1alpha1\n");
    ck_assert_uint_eq(settings.profiles_len, 2);
    ck_assert(mu_str_eq(settings.profiles[0].scheduler_name, MU_STR("one")));
    ck_assert(mu_str_eq(settings.profiles[1].scheduler_name, MU_STR("two")));
    ck_assert_int_eq(enabled(0, "Packing")->weight, 7);
    ck_assert_int_eq(enabled(1, "Packing")->weight, 0);
    ck_assert_ptr_ne(enabled(0, "Packing")->state, enabled(1, "Packing")->state);
    ck_assert_ptr_null(enabled(0, "ImageLocality"));
    ck_assert_ptr_nonnull(enabled(1, "ImageLocality"));
    ck_assert_ptr_nonnull(enabled(0, "NodePorts"));
    ck_assert_int_eq(settings.termination_timeout_ns, INT64_C(5400000000000));
    ck_assert_int_eq(settings.gang_grace_period_ns, MU_TIME_NONE);
    ck_assert_int_eq(settings.step_budget, 12);
}
END_TEST

#define OUTSIDE HEAD "plugins: {directory: " PLUGIN_FOLDER ", names: [outside]}\n"

START_TEST(a_plugin_from_outside) {
    read_well(OUTSIDE);
    const struct mu_profile *profile = &settings.profiles[0];
    ck_assert_str_eq(profile->plugins[profile->plugins_len - 1].plugin->name, "outside");
    ck_assert_int_eq(enabled(0, "outside")->weight, 4);
    ck_assert_ptr_nonnull(enabled(0, "outside")->state);
    read_well(OUTSIDE "profiles:\n"
                      "- {schedulerName: a, plugins: {outside: {enabled: false}}}\n"
                      "- {schedulerName: b, plugins: {outside: {weight: 9, args: {like: this}}}}\n");
    ck_assert_ptr_null(enabled(0, "outside"));
    ck_assert_int_eq(enabled(1, "outside")->weight, 9);
}
END_TEST

START_TEST(a_folder_beside_the_file) {
    struct mu_str file = MU_STR(PLUGIN_FOLDER "/muster.yaml");
    struct mu_str text = MU_STR(HEAD "plugins: {directory: ., names: [outside]}\n");
    int r = mu_config_read_bytes(arena, text, file, &settings, &err);
    ck_assert_msg(r == 0, "%s", err.text);
    ck_assert_ptr_nonnull(enabled(0, "outside"));
}
END_TEST

START_TEST(json_is_read_as_well) {
    read_well("{\"apiVersion\": \"scheduling.muster.dev/v1alpha1\", \"kind\": \"SchedulerConfiguration\","
              " \"stepBudget\": 3}");
    ck_assert_int_eq(settings.step_budget, 3);
}
END_TEST

START_TEST(cards_are_known_by_attributes_of_ones_own) {
    read_well(HEAD "deviceIdentity:\n"
                   "- attribute: serial\n"
                   "- {attribute: slot_2, scope: Node}\n"
                   "- {scope: Cluster, attribute: parentSerial}\n");
    ck_assert_uint_eq(settings.identity_len, 3);
    ck_assert(!settings.no_identity);
    ck_assert(mu_str_eq(settings.identity[0].name, MU_STR("serial")) && !settings.identity[0].of_node);
    ck_assert(mu_str_eq(settings.identity[1].name, MU_STR("slot_2")) && settings.identity[1].of_node);
    ck_assert(mu_str_eq(settings.identity[2].name, MU_STR("parentSerial")) && !settings.identity[2].of_node);
}
END_TEST

START_TEST(no_card_is_known) {
    read_well(HEAD "deviceIdentity: []\n");
    ck_assert_uint_eq(settings.identity_len, 0);
    ck_assert(settings.no_identity);
}
END_TEST

START_TEST(cards_are_shared_as_classes_say) {
    read_well(HEAD "sharing:\n"
                   "- {deviceClassName: hami-gpu.example.com, with: namespace}\n"
                   "- {deviceClassName: b, with: queue}\n"
                   "- {deviceClassName: c, with: any}\n");
    ck_assert_uint_eq(settings.sharing_len, 3);
    ck_assert(mu_str_eq(settings.sharing[0].class_name, MU_STR("hami-gpu.example.com")));
    ck_assert_int_eq(settings.sharing[0].with, MU_SHARING_NAMESPACE);
    ck_assert_int_eq(settings.sharing[1].with, MU_SHARING_QUEUE);
    ck_assert_int_eq(settings.sharing[2].with, MU_SHARING_ANY);
    read_well(HEAD "sharing: []\n");
    ck_assert_uint_eq(settings.sharing_len, 0);
}
END_TEST

#define PROFILE HEAD "profiles:\n- schedulerName: muster\n  plugins:\n"

static const struct {
    const char *text, *error;
} bad[] = {
    {"kind: SchedulerConfiguration\n", "line 1: apiVersion is missing"},
    {"apiVersion: scheduling.muster.dev/v1alpha1\n", "line 1: kind is missing"},
    {"apiVersion: v1\nkind: ConfigMap\n", "line 1: apiVersion: must be scheduling.muster.dev/v1alpha1, not v1"},
    {"apiVersion: scheduling.muster.dev/v1alpha1\nkind: Plan\n",
     "line 2: kind: must be SchedulerConfiguration, not Plan"},
    {"- a\n", "line 1: must be an object, not an array"},
    {HEAD "stepsBudget: 5\n", "line 3: stepsBudget: there is no such field; there are apiVersion, kind, stepBudget, "},
    {HEAD "protectedNamespaces: []\n", "line 3: protectedNamespaces: there is no such field"},
    {HEAD "stepBudget: many\n", "line 3: stepBudget: must be a whole number, not a string"},
    {HEAD "stepBudget: 1.5\n", "line 3: stepBudget: must be a whole number from 1 to 1000000000000, not 1.5"},
    {HEAD "stepBudget: 0\n", "line 3: stepBudget: must be a whole number from 1 to"},
    {HEAD "stepBudget: 99999999999999999999\n", "line 3: stepBudget: must be a whole number from 1 to"},
    {HEAD "stepBudget:\n", "line 3: stepBudget: must be a whole number, not null"},
    {HEAD "gangGracePeriod: 60\n", "line 3: gangGracePeriod: must be a duration such as 90s or 1h30m, or never, not a "
                                   "number"},
    {HEAD "gangGracePeriod: soon\n",
     "line 3: gangGracePeriod: must be a duration such as 90s or 1h30m, or never, not \"soon\""},
    {HEAD "terminationTimeout: never\n",
     "line 3: terminationTimeout: must be a duration such as 90s or 1h30m, not \"never\""},
    {HEAD "profiles: {}\n", "line 3: profiles: must be a list, not an object"},
    {HEAD "profiles: []\n", "line 3: profiles: must have one profile at least"},
    {HEAD "profiles:\n- 5\n", "line 4: profiles[0]: must be an object, not a number"},
    {HEAD "profiles:\n- {}\n", "line 4: profiles[0]: schedulerName is missing"},
    {HEAD "profiles:\n- schedulerName: ''\n", "line 4: profiles[0].schedulerName: must not be empty"},
    {HEAD "profiles:\n- schedulerName: a\n- schedulerName: b\n- schedulerName: a\n",
     "line 6: profiles[2]: schedulerName: profiles[0] is called \"a\" already"},
    {HEAD "profiles:\n- schedulerName: a\n  scheduler: b\n",
     "line 5: profiles[0].scheduler: there is no such field; there are schedulerName, plugins"},
    {PROFILE "    NoSuch: {}\n", "line 6: profiles[0].plugins.NoSuch: there is no such plugin; there are NodeName, "},
    {PROFILE "    Packing: 3\n", "line 6: profiles[0].plugins.Packing: must be an object, not a number"},
    {PROFILE "    Packing: {wieght: 3}\n",
     "line 6: profiles[0].plugins.Packing.wieght: there is no such field; there are enabled, weight, args"},
    {PROFILE "    Packing: {weight: -1}\n",
     "line 6: profiles[0].plugins.Packing.weight: must be a whole number from 0 to 1000000, not -1"},
    {PROFILE "    Packing: {enabled: 'no'}\n",
     "line 6: profiles[0].plugins.Packing.enabled: must be true or false, not a string"},
    {PROFILE "    Packing: {args: []}\n", "line 6: profiles[0].plugins.Packing.args: must be an object, not an array"},
    {PROFILE "    Packing:\n      args:\n        strategy: Tight\n",
     "line 8: profiles[0].plugins.Packing: args.strategy: must be one of BinPack, Spread"},
    {PROFILE "    Packing: {args: {mood: 1}}\n",
     "line 6: profiles[0].plugins.Packing: args.mood: there is no such argument"},
    {PROFILE "    NodeName: {weight: 2}\n",
     "line 6: profiles[0].plugins.NodeName: weight: it has no score that a weight could count for"},
    {PROFILE "    NodeName: {args: {a: 1}}\n", "line 6: profiles[0].plugins.NodeName: args"},
    {HEAD "deviceIdentity: uuid\n", "line 3: deviceIdentity: must be a list, not a string"},
    {HEAD "deviceIdentity:\n", "line 3: deviceIdentity: must be a list, not null"},
    {HEAD "deviceIdentity: [uuid]\n", "line 3: deviceIdentity[0]: must be an object, not a string"},
    {HEAD "deviceIdentity: [{scope: Node}]\n", "line 3: deviceIdentity[0]: attribute is missing"},
    {HEAD "deviceIdentity: [{attribute: 7}]\n", "line 3: deviceIdentity[0].attribute: must be a string, not a number"},
    {HEAD "deviceIdentity: [{attribute: ''}]\n", "line 3: deviceIdentity[0].attribute: must not be empty"},
    {HEAD "deviceIdentity:\n- attribute: gpu.nvidia.com/uuid\n",
     "line 4: deviceIdentity[0].attribute: must be a name without its domain, since each driver has a domain of its "
     "own, not gpu.nvidia.com/uuid"},
    {HEAD "deviceIdentity: [{attribute: bus id}]\n",
     "line 3: deviceIdentity[0].attribute: must be the name of an attribute: letters, digits and _, 32 at most, not "
     "bus id"},
    {HEAD "deviceIdentity: [{attribute: 2nd}]\n", "line 3: deviceIdentity[0].attribute: must be the name of"},
    {HEAD "deviceIdentity: [{attribute: a23456789012345678901234567890123}]\n",
     "line 3: deviceIdentity[0].attribute: must be the name of"},
    {HEAD "deviceIdentity: [{attribute: uuid, scope: node}]\n",
     "line 3: deviceIdentity[0].scope: must be Cluster or Node, not \"node\""},
    {HEAD "deviceIdentity: [{attribute: uuid, scope: true}]\n",
     "line 3: deviceIdentity[0].scope: must be Cluster or Node, not a boolean"},
    {HEAD "deviceIdentity: [{attribute: uuid, of: Parent}]\n",
     "line 3: deviceIdentity[0].of: there is no such field; there are attribute, scope"},
    {HEAD "deviceIdentity:\n- attribute: uuid\n- attribute: serial\n- attribute: uuid\n  scope: Node\n",
     "line 6: deviceIdentity[2]: attribute: deviceIdentity[0] is uuid already"},
    {HEAD "sharing: {}\n", "line 3: sharing: must be a list, not an object"},
    {HEAD "sharing: [5]\n", "line 3: sharing[0]: must be an object, not a number"},
    {HEAD "sharing: [{with: any}]\n", "line 3: sharing[0]: deviceClassName is missing"},
    {HEAD "sharing: [{deviceClassName: a}]\n", "line 3: sharing[0]: with is missing"},
    {HEAD "sharing: [{deviceClassName: '', with: any}]\n", "line 3: sharing[0].deviceClassName: must not be empty"},
    {HEAD "sharing: [{deviceClassName: a, with: Queue}]\n",
     "line 3: sharing[0].with: must be any, queue or namespace, not \"Queue\""},
    {HEAD "sharing: [{deviceClassName: a, with: [queue]}]\n",
     "line 3: sharing[0].with: must be any, queue or namespace, not an array"},
    {HEAD "sharing: [{deviceClassName: a, with: any, namespace: b}]\n",
     "line 3: sharing[0].namespace: there is no such field; there are deviceClassName, with"},
    {HEAD "sharing:\n- {deviceClassName: a, with: any}\n- {deviceClassName: a, with: queue}\n",
     "line 5: sharing[1]: deviceClassName: sharing[0] is about a already"},
    {HEAD "plugins: [a]\n", "line 3: plugins: must be an object, not an array"},
    {HEAD "plugins: {names: [a]}\n", "line 3: plugins: directory is missing"},
    {HEAD "plugins: {directory: x}\n", "line 3: plugins: names is missing"},
    {HEAD "plugins: {directory: x, names: a}\n", "line 3: plugins.names: must be a list of names, not a string"},
    {HEAD "plugins: {directory: x, names: [7]}\n", "line 3: plugins.names[0]: must be a string, not a number"},
    {HEAD "plugins: {directory: /nowhere, names: [a]}\n", "line 3: plugins.names[0]: plugin a cannot be loaded: "},
    {HEAD "plugins: {directory: x, names: [../a]}\n", "line 3: plugins.names[0]: \"../a\" is no name of a plugin"},
    {HEAD "plugins: {directory: x, names: [NodeName]}\n", "line 3: plugins.names[0]: plugin NodeName is built in"},
    {HEAD "plugins: {directory: " PLUGIN_FOLDER ", names: [outside, outside]}\n",
     "line 3: plugins.names[1]: plugin outside is named twice"},
    {OUTSIDE "profiles: [{schedulerName: a, plugins: {outside: {args: {hate: this}}}}]\n",
     "line 4: profiles[0].plugins.outside: args.like: is missing"},
    {HEAD "---\n" HEAD, "line 4: there is a second document; a configuration is one"},
};

START_TEST(every_mistake_is_one_line) {
    ck_assert_int_ne(read(bad[_i].text), 0);
    char wanted[512];
    snprintf(wanted, sizeof wanted, "muster.yaml: %s", bad[_i].error);
    ck_assert_msg(strncmp(err.text, wanted, strlen(wanted)) == 0, "\n%s\n%s", err.text, wanted);
    ck_assert_ptr_null(strchr(err.text, '\n'));
    /* Nothing is handed out on failure. */
    ck_assert_ptr_null(settings.profiles);
}
END_TEST

START_TEST(too_many_profiles) {
    struct mu_buf text;
    mu_buf_init(&text, arena);
    mu_buf_add(&text, MU_STR(HEAD "profiles:\n"));
    for (int i = 0; i < 65; i++)
        mu_buf_printf(&text, "- schedulerName: s%d\n", i);
    ck_assert_int_eq(read(text.ptr), MU_E_USAGE);
    ck_assert_str_eq(err.text, "muster.yaml: line 4: profiles: has 65 profiles; 64 is the most");
}
END_TEST

/* A list of `most` items is read, and one of one more is not. `rest` is what an item has besides the name in it. */
static void check_too_many(const char *field, const char *name, const char *rest, int most, const char *why) {
    struct mu_buf text;
    mu_buf_init(&text, arena);
    mu_buf_printf(&text, HEAD "%s:\n", field);
    for (int i = 0; i < most; i++)
        mu_buf_printf(&text, "- {%s: a%d%s}\n", name, i, rest);
    read_well(text.ptr);
    mu_buf_printf(&text, "- {%s: b%s}\n", name, rest);
    ck_assert_int_eq(read(text.ptr), MU_E_USAGE);
    ck_assert_str_eq(err.text, why);
}

START_TEST(too_many_rules_about_devices) {
    check_too_many("deviceIdentity", "attribute", "", 32,
                   "muster.yaml: line 4: deviceIdentity: has 33 items; 32 is the most");
    check_too_many("sharing", "deviceClassName", ", with: queue", 1024,
                   "muster.yaml: line 4: sharing: has 1025 items; 1024 is the most");
}
END_TEST

START_TEST(a_file_that_is_not_there) {
    ck_assert_int_eq(mu_config_read(arena, "/nonexistent/muster.yaml", &settings, &err), MU_E_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent/muster.yaml"));
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, the_default_without_a_file);
    tcase_add_test(tests, the_least_file_changes_nothing);
    tcase_add_test(tests, everything_at_once);
    tcase_add_test(tests, a_plugin_from_outside);
    tcase_add_test(tests, a_folder_beside_the_file);
    tcase_add_test(tests, json_is_read_as_well);
    tcase_add_test(tests, cards_are_known_by_attributes_of_ones_own);
    tcase_add_test(tests, no_card_is_known);
    tcase_add_test(tests, cards_are_shared_as_classes_say);
    tcase_add_loop_test(tests, every_mistake_is_one_line, 0, sizeof bad / sizeof bad[0]);
    tcase_add_test(tests, too_many_profiles);
    tcase_add_test(tests, too_many_rules_about_devices);
    tcase_add_test(tests, a_file_that_is_not_there);
}

int main(void) {
    return mu_suite_run("config", add);
}
