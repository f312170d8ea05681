/* MaintenanceWindow: a rule of one's own, outside of muster.
 *
 * The story: machines are taken down for maintenance from time to time. Whoever plans that labels each such node with
 * the minutes that are left, and keeps the label up to date:
 *
 *     example.com/maintenance-in-minutes: "90"
 *
 * Until then the node may run pods that will be done by then for sure: those whose activeDeadlineSeconds is no more
 * than what is left. Everything else goes to nodes that stay. Among nodes that would do, those with the earliest
 * maintenance come first, so that short jobs leave the others to long ones.
 *
 * What to see here:
 * - The plugin includes framework.h (and what that includes), nothing else of muster.
 * - It is a table of functions. This one needs four; all are optional.
 * - `configure` reads the arguments and refuses what it does not know, with the field's name.
 * - `prepare` says how far the rule looks. This one looks at the pod and the node's labels alone: STATIC, so muster
 *   remembers what it said until the node changes. (It could read no clock if it wanted to: that is why the label says
 *   what is left, not when it begins.)
 * - `filter` refuses with a phrase, which completes "0/5 nodes are available: 3 ...".
 * - The last line exports it. `ninja` makes MaintenanceWindow.so of it: the file is called like the plugin.
 *
 * How to use it is in examples/plugins/README.md. */
#include "scheduler/core/framework.h"

#define MINUTE_NS (60 * INT64_C(1000000000))

enum { TOO_LONG = 1, NO_DEADLINE };

static const char *const phrases[] = {
    [TOO_LONG] = "node(s) went into maintenance before the pod's deadline",
    [NO_DEADLINE] = "node(s) were to go into maintenance, and the pod has no activeDeadlineSeconds",
};

struct settings {
    struct mu_str label;
};

static int configure(struct mu_arena *arena, const struct mu_value *args, void **ret_state, struct mu_err *err) {
    struct settings *settings = MU_NEW(arena, struct settings);
    settings->label = MU_STR("example.com/maintenance-in-minutes");
    for (size_t i = 0; args != NULL && i < args->object.len; i++) {
        const struct mu_field *field = &args->object.fields[i];
        if (!mu_str_eq(field->key, MU_STR("label")))
            return mu_err_set(err, MU_E_USAGE, "args." MU_STR_FMT ": there is no such argument",
                              MU_STR_ARG(field->key));
        if (field->value.type != MU_VALUE_STRING || field->value.text.len == 0)
            return mu_err_set(err, MU_E_USAGE, "args.label: must be the name of a node label");
        settings->label = mu_str_dup(arena, field->value.text);
    }
    *ret_state = settings;
    return 0;
}

/* Kept for each class of pods: the label as a symbol, so that no node costs a comparison of strings. */
static struct mu_reach prepare(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared) {
    const struct settings *settings = state;
    mu_sym *label = mu_fw_alloc(fw, sizeof *label);
    *label = mu_fw_intern(fw, settings->label);
    *ret_prepared = label;
    return (struct mu_reach){.filter = MU_SCOPE_STATIC, .score = MU_SCOPE_STATIC};
}

/* Minutes until the node's maintenance; -1 where there is none ahead. A label that is no number counts as now: who
 * wrote it meant something, and a pod that waits is better than one that is cut off. */
static int64_t minutes_left(const struct mu_fw *fw, mu_sym label, uint32_t node) {
    mu_sym value = 0;
    if (!mu_labels_get(&mu_fw_node(fw, node)->meta.labels, label, &value))
        return -1;
    int64_t minutes = 0;
    bool number = mu_str_to_i64(mu_text(mu_fw_symbols(fw), value), &minutes);
    return number && minutes > 0 ? minutes : 0;
}

static struct mu_verdict filter(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node) {
    int64_t left = minutes_left(fw, *(const mu_sym *)prepared, node);
    if (left < 0)
        return (struct mu_verdict){.phrase = 0};
    if (cls->spec->active_deadline_ns == MU_TIME_NONE)
        return (struct mu_verdict){.phrase = NO_DEADLINE};
    return (struct mu_verdict){.phrase = cls->spec->active_deadline_ns / MINUTE_NS >= left ? TOO_LONG : 0};
}

/* From 100 for a node that goes down within the hour, down to 1; nodes that stay have 0. */
static int64_t score(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node) {
    int64_t left = minutes_left(fw, *(const mu_sym *)prepared, node);
    if (left < 0)
        return 0;
    int64_t hours = left / 60;
    return hours < MU_SCORE_MAX ? MU_SCORE_MAX - hours : 1;
}

static const struct mu_plugin plugin = {
    .abi = MU_PLUGIN_ABI,
    .name = "MaintenanceWindow",
    .summary = "nodes that go into maintenance run only what is done by then",
    .stage = MU_STAGE_CONSTRAINT,
    .phrases = phrases,
    .phrases_len = 3,
    .default_weight = 1,
    .configure = configure,
    .prepare = prepare,
    .filter = filter,
    .score = score,
    .events = MU_EVENT_NODE_ADDED | MU_EVENT_NODE_LABELS,
};

MU_PLUGIN_EXPORT(plugin);
