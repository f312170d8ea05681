/* The plan as a table; see plan_print.h. */
#include "scheduler/cli/plan_print.h"
#include "scheduler/cli/table.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    NODES_SHOWN = 8,   /* of a group, before "and N more"; -o wide shows each pod's */
    NAMES_SHOWN = 3,   /* of pods that share one message, and of victims */
    REMARKS_SHOWN = 4, /* different messages of a group's pods */
};

enum column { GROUP = 0, KIND, QUEUE, PRIORITY, MIN, DECISION, PODS, WHERE, COLUMNS_COUNT };

static const struct mu_column all_columns[COLUMNS_COUNT] = {
    [GROUP] = {.title = "GROUP", .shrinks = true}, [KIND] = {.title = "KIND"},
    [QUEUE] = {.title = "QUEUE", .shrinks = true}, [PRIORITY] = {.title = "PRIORITY", .right = true},
    [MIN] = {.title = "MIN", .right = true},       [DECISION] = {.title = "DECISION"},
    [PODS] = {.title = "PODS", .right = true},     [WHERE] = {.title = "NODES OR REASON"},
};

/* Where a column of the above stands in the table being made; -1: not in it. */
struct layout {
    const struct mu_plan_view *view;
    bool wide;
    struct mu_table table;
    int place[COLUMNS_COUNT];
};

static struct layout make_layout(const struct mu_plan_view *view, bool wide) {
    struct layout layout = {.view = view, .wide = wide};
    struct mu_column *columns = MU_NEW_ARRAY(view->arena, struct mu_column, COLUMNS_COUNT);
    size_t len = 0;
    for (int c = 0; c < COLUMNS_COUNT; c++) {
        bool shown = wide || (c != QUEUE && c != MIN);
        layout.place[c] = shown ? (int)len : -1;
        if (shown)
            columns[len++] = all_columns[c];
    }
    layout.table = (struct mu_table){.arena = view->arena, .columns = columns, .columns_len = len};
    return layout;
}

static void set(struct layout *layout, struct mu_row *row, enum column column, struct mu_str text, enum mu_tone tone) {
    if (layout->place[column] >= 0)
        mu_row_set(&layout->table, row, (size_t)layout->place[column], text, tone);
}

static struct mu_str text_of(const struct layout *layout, mu_sym sym) {
    return mu_text(&layout->view->store->symbols, sym);
}

enum mu_tone mu_decision_tone(enum mu_decision decision) {
    switch (decision) {
    case MU_BIND:
        return MU_TONE_GOOD;
    case MU_PENDING:
    case MU_EVICT:
        return MU_TONE_BAD;
    default:
        return MU_TONE_WAIT;
    }
}

void mu_name_list_add(struct mu_name_list *list, struct mu_str name, size_t most) {
    if (list->len++ >= most)
        return;
    if (list->text.len > 0)
        mu_buf_add(&list->text, MU_STR(", "));
    mu_buf_add(&list->text, name);
}

struct mu_str mu_name_list_end(struct mu_name_list *list, size_t most) {
    if (list->len > most)
        mu_buf_printf(&list->text, " and %zu more", list->len - most);
    return mu_buf_str(&list->text);
}

static int compare_syms(const void *a, const void *b, void *ctx) {
    return mu_sym_cmp(ctx, *(const mu_sym *)a, *(const mu_sym *)b);
}

/* "n1 (4), n2": the nodes that pods are placed on, each with how many where they are several. */
static struct mu_str nodes_of(const struct layout *layout, const struct mu_plan_group *group, uint32_t *ret_placed) {
    struct mu_arena *arena = layout->view->arena;
    mu_sym *nodes = MU_NEW_ARRAY(arena, mu_sym, group->pods_len);
    uint32_t len = 0;
    for (uint32_t i = 0; i < group->pods_len; i++)
        if (group->pods[i].node)
            nodes[len++] = group->pods[i].node;
    *ret_placed = len;
    qsort_r(nodes, len, sizeof nodes[0], compare_syms, (void *)(uintptr_t)&layout->view->store->symbols);
    struct mu_name_list list = {0};
    mu_buf_init(&list.text, arena);
    for (uint32_t i = 0, next; i < len; i = next) {
        for (next = i + 1; next < len && nodes[next] == nodes[i];)
            next++;
        struct mu_str name = text_of(layout, nodes[i]);
        if (next - i > 1 && list.len < NODES_SHOWN)
            name = mu_str_printf(arena, MU_STR_FMT " (%" PRIu32 ")", MU_STR_ARG(name), next - i);
        mu_name_list_add(&list, name, NODES_SHOWN);
    }
    return mu_name_list_end(&list, NODES_SHOWN);
}

/* Pods of one group about which the plan says the same. */
struct remark {
    const struct mu_plan_pod *first;
    struct mu_name_list names;
};

static bool is_same_remark(const struct mu_plan_pod *a, const struct mu_plan_pod *b) {
    return a->decision == b->decision && a->reason == b->reason && mu_str_eq(a->message, b->message);
}

bool mu_plan_said(const struct mu_plan_group *group, struct mu_str message) {
    return message.len == 0 ||
           (group->message.len > 0 && memmem(group->message.ptr, group->message.len, message.ptr, message.len));
}

/* Says something that the group's own row and message do not. */
static bool is_remarkable(const struct mu_plan_group *group, const struct mu_plan_pod *pod) {
    return group->kind != MU_KIND_POD && (pod->decision != group->decision || !mu_plan_said(group, pod->message));
}

static struct mu_str remark_text(const struct layout *layout, const struct mu_plan_group *group,
                                 struct remark *remark) {
    struct mu_buf text;
    mu_buf_init(&text, layout->view->arena);
    mu_buf_add(&text, mu_name_list_end(&remark->names, NAMES_SHOWN));
    const struct mu_plan_pod *pod = remark->first;
    if (pod->decision != group->decision)
        mu_buf_printf(&text, ": %s", mu_decision_name(pod->decision));
    if (pod->reason != MU_REASON_NONE && pod->reason != group->reason)
        mu_buf_printf(&text, "%s%s", pod->decision != group->decision ? ", " : ": ", mu_reason_name(pod->reason));
    if (pod->message.len > 0)
        mu_buf_printf(&text, ": " MU_STR_FMT, MU_STR_ARG(pod->message));
    return mu_buf_str(&text);
}

/* Below the row of a group: what is said of some of its pods only. */
static void add_remarks(struct layout *layout, struct mu_row *row, const struct mu_plan_group *group) {
    struct remark remarks[REMARKS_SHOWN];
    size_t len = 0, unsaid = 0;
    for (uint32_t i = 0; i < group->pods_len; i++) {
        const struct mu_plan_pod *pod = &group->pods[i];
        if (!is_remarkable(group, pod))
            continue;
        size_t r = 0;
        while (r < len && !is_same_remark(remarks[r].first, pod))
            r++;
        if (r == REMARKS_SHOWN) {
            unsaid++;
            continue;
        }
        if (r == len) {
            remarks[len++] = (struct remark){.first = pod};
            mu_buf_init(&remarks[r].names.text, layout->view->arena);
        }
        mu_name_list_add(&remarks[r].names, text_of(layout, pod->pod->meta.name), NAMES_SHOWN);
    }
    for (size_t r = 0; r < len; r++)
        mu_row_below(&layout->table, row, remark_text(layout, group, &remarks[r]));
    if (unsaid > 0)
        mu_row_below(&layout->table, row,
                     mu_str_printf(layout->view->arena, "%zu more pods: -o wide shows each of them", unsaid));
}

static void add_victims(struct layout *layout, struct mu_row *row, const struct mu_plan_group *group) {
    if (group->victims_len == 0)
        return;
    struct mu_name_list list = {0};
    mu_buf_init(&list.text, layout->view->arena);
    size_t most = layout->wide ? SIZE_MAX : NAMES_SHOWN;
    for (uint32_t i = 0; i < group->victims_len; i++) {
        const struct mu_meta *meta = &group->victims[i]->meta;
        struct mu_str name = list.len < most ? mu_full_name(layout->view, meta->namespace, meta->name) : MU_STR("");
        mu_name_list_add(&list, name, most);
    }
    struct mu_str names = mu_name_list_end(&list, most);
    const char *proved = group->optimal ? "" : " (not proved to be the cheapest choice)";
    mu_row_below(&layout->table, row,
                 mu_str_printf(layout->view->arena, "evicts " MU_STR_FMT "%s", MU_STR_ARG(names), proved));
}

/* " (share: 40 cores, 20Gi memory)" */
static void add_share(struct layout *layout, struct mu_buf *text, const struct mu_device_result *device) {
    mu_buf_add(text, MU_STR(" (share"));
    for (uint32_t i = 0; i < device->consumed_len; i++) {
        struct mu_str amount = mu_quantity_print(layout->view->arena, device->consumed[i].value, true);
        mu_buf_printf(text, "%s" MU_STR_FMT " " MU_STR_FMT, i ? ", " : ": ", MU_STR_ARG(amount),
                      MU_STR_ARG(text_of(layout, device->consumed[i].name)));
    }
    mu_buf_add_char(text, ')');
}

/* "claim card: gpu-0 of gpu.example.com in pool n2", a line a claim. */
static void add_devices(struct layout *layout, struct mu_row *row, const struct mu_plan_pod *pod) {
    for (uint32_t c = 0; c < pod->claims_len; c++) {
        const struct mu_plan_claim *claim = &pod->claims[c];
        struct mu_buf text;
        mu_buf_init(&text, layout->view->arena);
        mu_buf_printf(&text, "claim " MU_STR_FMT ":", MU_STR_ARG(text_of(layout, claim->claim->meta.name)));
        for (uint32_t i = 0; i < claim->results_len; i++) {
            const struct mu_device_result *d = &claim->results[i];
            mu_buf_printf(&text, "%s " MU_STR_FMT " of " MU_STR_FMT " in pool " MU_STR_FMT "%s", i ? "," : "",
                          MU_STR_ARG(text_of(layout, d->device)), MU_STR_ARG(text_of(layout, d->driver)),
                          MU_STR_ARG(text_of(layout, d->pool)), d->admin_access ? " (admin access)" : "");
            if (d->share_id)
                add_share(layout, &text, d);
        }
        mu_row_below(&layout->table, row, mu_buf_str(&text));
    }
}

static void add_releases(struct layout *layout, struct mu_row *row, const struct mu_plan_group *group) {
    for (uint32_t i = 0; i < group->releases_len; i++)
        mu_row_below(&layout->table, row,
                     mu_str_printf(layout->view->arena,
                                   "claim " MU_STR_FMT " gives up the devices that it has, which nobody uses",
                                   MU_STR_ARG(text_of(layout, group->releases[i]->meta.name))));
}

static void add_pods(struct layout *layout, const struct mu_plan_group *group) {
    for (uint32_t i = 0; i < group->pods_len; i++) {
        const struct mu_plan_pod *pod = &group->pods[i];
        struct mu_row *row = mu_table_row(&layout->table);
        struct mu_str name = text_of(layout, pod->pod->meta.name);
        set(layout, row, GROUP, mu_str_printf(layout->view->arena, "  " MU_STR_FMT, MU_STR_ARG(name)), MU_TONE_PLAIN);
        set(layout, row, DECISION, mu_str_from(mu_decision_name(pod->decision)), mu_decision_tone(pod->decision));
        bool said = mu_plan_said(group, pod->message);
        if (pod->node)
            set(layout, row, WHERE, text_of(layout, pod->node), MU_TONE_PLAIN);
        else if (pod->reason != MU_REASON_NONE)
            set(layout, row, WHERE, mu_str_from(mu_reason_name(pod->reason)), MU_TONE_PLAIN);
        else if (!said)
            set(layout, row, WHERE, pod->message, MU_TONE_PLAIN);
        if (!said && (pod->node || pod->reason != MU_REASON_NONE))
            mu_row_below(&layout->table, row, pod->message);
        add_devices(layout, row, pod);
    }
}

static void add_group(struct layout *layout, const struct mu_plan_group *group) {
    struct mu_arena *arena = layout->view->arena;
    struct mu_row *row = mu_table_row(&layout->table);
    uint32_t placed;
    struct mu_str nodes = nodes_of(layout, group, &placed);
    bool listed = layout->wide && group->kind != MU_KIND_POD;
    set(layout, row, GROUP, mu_full_name(layout->view, group->namespace, group->name), MU_TONE_PLAIN);
    set(layout, row, KIND, mu_str_from(mu_group_kind_name(group->kind)), MU_TONE_PLAIN);
    set(layout, row, QUEUE, text_of(layout, group->queue), MU_TONE_PLAIN);
    set(layout, row, PRIORITY, mu_str_printf(arena, "%" PRId64, group->priority), MU_TONE_PLAIN);
    set(layout, row, MIN, mu_str_printf(arena, "%" PRId64, group->min_count), MU_TONE_PLAIN);
    set(layout, row, DECISION, mu_str_from(mu_decision_name(group->decision)), mu_decision_tone(group->decision));
    set(layout, row, PODS, mu_str_printf(arena, "%" PRIu32 "/%" PRIu32, placed, group->pods_len), MU_TONE_PLAIN);
    if (group->reason != MU_REASON_NONE)
        set(layout, row, WHERE, mu_str_from(mu_reason_name(group->reason)), MU_TONE_PLAIN);
    else if (!listed)
        set(layout, row, WHERE, nodes, MU_TONE_PLAIN);
    mu_row_below(&layout->table, row, group->message);
    add_victims(layout, row, group);
    add_releases(layout, row, group);
    if (layout->wide && !listed)
        add_devices(layout, row, &group->pods[0]);
    if (listed)
        add_pods(layout, group);
    else
        add_remarks(layout, row, group);
}

static void print_summary(const struct mu_plan *plan, FILE *out) {
    const struct mu_plan_summary summary = mu_plan_summarise(plan);
    fprintf(out, "\n%" PRIu32 " group%s: ", summary.groups, summary.groups == 1 ? "" : "s");
    const char *separator = "";
    for (int d = 0; d < MU_DECISION_COUNT; d++) {
        if (summary.by_decision[d] == 0)
            continue;
        fprintf(out, "%s%" PRIu32 " %s", separator, summary.by_decision[d], mu_decision_name((enum mu_decision)d));
        separator = ", ";
    }
    fprintf(out, "; %" PRIu32 " pod%s bound", summary.pods_bound, summary.pods_bound == 1 ? "" : "s");
    if (summary.evictions > 0)
        fprintf(out, ", %" PRIu32 " evicted", summary.evictions);
    fputs(".\n", out);
}

/* No group at all: often a question of whose pods they are. */
static void print_nothing(const struct mu_plan_view *view, FILE *out) {
    size_t others = 0;
    for (size_t i = 0; i < view->store->pods.len; i++) {
        const struct mu_pod *pod = view->store->pods.items[i];
        others += pod->phase == MU_PHASE_PENDING && !pod->node && pod->meta.deleted_ns == MU_TIME_NONE;
    }
    fputs("Nothing to decide: no pending pod names scheduler ", out);
    for (uint32_t p = 0; p < view->settings->profiles_len; p++)
        fprintf(out, "%s" MU_STR_FMT, p ? " or " : "", MU_STR_ARG(view->settings->profiles[p].scheduler_name));
    fputs(".\n", out);
    if (others > 0)
        fprintf(out, "%zu pending pod%s other schedulers; --all plans these too.\n", others,
                others == 1 ? " belongs to" : "s belong to");
}

void mu_plan_print(const struct mu_plan_view *view, const struct mu_terminal *terminal, bool wide) {
    if (view->plan->groups_len == 0) {
        print_nothing(view, terminal->out);
        return;
    }
    struct layout layout = make_layout(view, wide);
    for (uint32_t g = 0; g < view->plan->groups_len; g++)
        add_group(&layout, &view->plan->groups[g]);
    mu_table_print(&layout.table, terminal);
    print_summary(view->plan, terminal->out);
}
