/* One group's explanation, for people and for programs; see plan_print.h. */
#include "scheduler/cli/plan_print.h"
#include "scheduler/cli/table.h"

#include <inttypes.h>

enum { NAMES_SHOWN = 6 /* of nodes and of members; JSON has them all */ };

enum { POD = 0, DECISION, WHERE, POD_COLUMNS_COUNT };

static const struct mu_column pod_columns[POD_COLUMNS_COUNT] = {
    [POD] = {.title = "POD", .shrinks = true},
    [DECISION] = {.title = "DECISION"},
    [WHERE] = {.title = "NODE OR REASON"},
};

enum { NODES = 0, RULE, SAYS, RULE_COLUMNS_COUNT };

static const struct mu_column rule_columns[RULE_COLUMNS_COUNT] = {
    [NODES] = {.title = "NODES", .right = true},
    [RULE] = {.title = "RULE", .shrinks = true},
    [SAYS] = {.title = "WHAT IT SAYS"},
};

static struct mu_name_list new_list(struct mu_arena *arena) {
    struct mu_name_list list = {0};
    mu_buf_init(&list.text, arena);
    return list;
}

static struct mu_str node_names(const struct mu_plan_view *view, const struct mu_explained_rule *rule) {
    struct mu_name_list list = new_list(view->arena);
    for (uint32_t n = 0; n < rule->nodes_len; n++)
        mu_name_list_add(&list, mu_text(&view->store->symbols, rule->nodes[n]), NAMES_SHOWN);
    return mu_name_list_end(&list, NAMES_SHOWN);
}

static struct mu_str rule_text(const struct mu_plan_view *view, const struct mu_explained_rule *rule) {
    struct mu_str nodes = node_names(view, rule);
    if (rule->plugin)
        return mu_str_printf(view->arena, MU_STR_FMT ": " MU_STR_FMT, MU_STR_ARG(rule->text), MU_STR_ARG(nodes));
    return mu_str_printf(view->arena, "room for %" PRId64 ": " MU_STR_FMT, rule->room, MU_STR_ARG(nodes));
}

static void print_line(const struct mu_plan_view *view, const struct mu_terminal *terminal, struct mu_str text) {
    mu_print_wrapped(terminal, mu_text_printable(view->arena, text), 0, 0);
    putc('\n', terminal->out);
}

static void print_class(const struct mu_plan_view *view, const struct mu_explained_class *cls,
                        const struct mu_terminal *terminal) {
    struct mu_name_list names = new_list(view->arena);
    for (uint32_t i = 0; i < cls->pods_len; i++)
        mu_name_list_add(&names, mu_text(&view->store->symbols, cls->pods[i]->meta.name), NAMES_SHOWN);
    struct mu_str list = mu_name_list_end(&names, NAMES_SHOWN);
    putc('\n', terminal->out);
    print_line(view, terminal,
               mu_str_printf(view->arena, "%" PRIu32 " member%s: " MU_STR_FMT, cls->pods_len,
                             cls->pods_len == 1 ? "" : "s alike", MU_STR_ARG(list)));
    struct mu_table table = {.arena = view->arena, .columns = rule_columns, .columns_len = RULE_COLUMNS_COUNT};
    for (uint32_t i = 0; i < cls->rules_len; i++) {
        const struct mu_explained_rule *rule = &cls->rules[i];
        struct mu_row *row = mu_table_row(&table);
        mu_row_set(&table, row, NODES, mu_str_printf(view->arena, "%" PRIu32, rule->nodes_len), MU_TONE_PLAIN);
        mu_row_set(&table, row, RULE, rule->plugin ? mu_str_from(rule->plugin->name) : MU_STR("fits"),
                   rule->plugin ? MU_TONE_PLAIN : MU_TONE_GOOD);
        mu_row_set(&table, row, SAYS, rule_text(view, rule), MU_TONE_PLAIN);
    }
    mu_table_print(&table, terminal);
    if (cls->remedy.len > 0)
        print_line(view, terminal, mu_str_printf(view->arena, "To fit: " MU_STR_FMT, MU_STR_ARG(cls->remedy)));
}

/* The group, what it is, and "Pending, InsufficientResources: ..." */
static void print_head(const struct mu_plan_view *view, const struct mu_plan_group *group,
                       const struct mu_terminal *terminal) {
    const struct mu_symbols *symbols = &view->store->symbols;
    struct mu_str name = mu_text_printable(view->arena, mu_full_name(view, group->namespace, group->name));
    mu_print_toned(terminal, MU_TONE_TITLE, name);
    putc('\n', terminal->out);
    print_line(view, terminal,
               mu_str_printf(view->arena, "%s in queue " MU_STR_FMT ", priority %" PRId64 ", minimum %" PRId64,
                             mu_group_kind_name(group->kind), MU_STR_ARG(mu_text(symbols, group->queue)),
                             group->priority, group->min_count));
    struct mu_str decision = mu_str_from(mu_decision_name(group->decision));
    struct mu_buf why;
    mu_buf_init(&why, view->arena);
    if (group->reason != MU_REASON_NONE)
        mu_buf_printf(&why, ", %s", mu_reason_name(group->reason));
    if (group->message.len > 0)
        mu_buf_printf(&why, ": " MU_STR_FMT, MU_STR_ARG(group->message));
    mu_print_toned(terminal, mu_decision_tone(group->decision), decision);
    mu_print_wrapped(terminal, mu_text_printable(view->arena, mu_buf_str(&why)), decision.len, 0);
    putc('\n', terminal->out);
}

static void print_pods(const struct mu_plan_view *view, const struct mu_plan_group *group,
                       const struct mu_terminal *terminal) {
    const struct mu_symbols *symbols = &view->store->symbols;
    struct mu_table table = {.arena = view->arena, .columns = pod_columns, .columns_len = POD_COLUMNS_COUNT};
    for (uint32_t i = 0; i < group->pods_len; i++) {
        const struct mu_plan_pod *pod = &group->pods[i];
        struct mu_row *row = mu_table_row(&table);
        struct mu_str where = pod->node ? mu_text(symbols, pod->node) : mu_str_from(mu_reason_name(pod->reason));
        mu_row_set(&table, row, POD, mu_text(symbols, pod->pod->meta.name), MU_TONE_PLAIN);
        mu_row_set(&table, row, DECISION, mu_str_from(mu_decision_name(pod->decision)),
                   mu_decision_tone(pod->decision));
        struct mu_str message = mu_plan_said(group, pod->message) ? MU_STR("") : pod->message;
        mu_row_set(&table, row, WHERE, where.len > 0 ? where : message, MU_TONE_PLAIN);
        if (where.len > 0)
            mu_row_below(&table, row, message);
    }
    putc('\n', terminal->out);
    mu_table_print(&table, terminal);
}

void mu_explanation_print(const struct mu_plan_view *view, const struct mu_plan_group *group,
                          const struct mu_explanation *explanation, const struct mu_terminal *terminal) {
    print_head(view, group, terminal);
    if (group->kind != MU_KIND_POD)
        print_pods(view, group, terminal);
    fprintf(terminal->out,
            "\n%" PRIu32 " of %" PRIu32 " members needed find a place; the cluster has %" PRIu32 " node%s.\n",
            explanation->members_fitting, explanation->members_needed, explanation->nodes,
            explanation->nodes == 1 ? "" : "s");
    for (uint32_t i = 0; i < explanation->classes_len; i++)
        print_class(view, &explanation->classes[i], terminal);
}

static void write_rule(const struct mu_plan_view *view, const struct mu_explained_rule *rule,
                       struct mu_writer *writer) {
    mu_writer_object(writer);
    mu_writer_key_bool(writer, "fits", !rule->plugin);
    if (rule->plugin) {
        mu_writer_key_str(writer, "rule", mu_str_from(rule->plugin->name));
        mu_writer_key_str(writer, "message", rule->text);
    } else {
        mu_writer_key_i64(writer, "room", rule->room);
    }
    mu_writer_key(writer, "nodes");
    mu_writer_array(writer);
    for (uint32_t n = 0; n < rule->nodes_len; n++)
        mu_writer_str(writer, mu_text(&view->store->symbols, rule->nodes[n]));
    mu_writer_array_end(writer);
    mu_writer_object_end(writer);
}

static void write_class(const struct mu_plan_view *view, const struct mu_explained_class *cls,
                        struct mu_writer *writer) {
    mu_writer_object(writer);
    mu_writer_key(writer, "pods");
    mu_writer_array(writer);
    for (uint32_t i = 0; i < cls->pods_len; i++)
        mu_writer_str(writer, mu_text(&view->store->symbols, cls->pods[i]->meta.name));
    mu_writer_array_end(writer);
    mu_writer_key(writer, "nodes");
    mu_writer_array(writer);
    for (uint32_t i = 0; i < cls->rules_len; i++)
        write_rule(view, &cls->rules[i], writer);
    mu_writer_array_end(writer);
    mu_writer_key_str(writer, "remedy", cls->remedy);
    mu_writer_object_end(writer);
}

void mu_explanation_write(const struct mu_plan_view *view, const struct mu_plan_group *group,
                          const struct mu_explanation *explanation, struct mu_writer *writer) {
    mu_writer_object(writer);
    mu_writer_key_str(writer, "apiVersion", MU_STR("scheduling.muster.dev/v1alpha1"));
    mu_writer_key_str(writer, "kind", MU_STR("Explanation"));
    mu_writer_key(writer, "group");
    mu_plan_write_group(view, group, writer);
    mu_writer_key_i64(writer, "clusterNodes", explanation->nodes);
    mu_writer_key_i64(writer, "membersNeeded", explanation->members_needed);
    mu_writer_key_i64(writer, "membersFitting", explanation->members_fitting);
    mu_writer_key(writer, "classes");
    mu_writer_array(writer);
    for (uint32_t i = 0; i < explanation->classes_len; i++)
        write_class(view, &explanation->classes[i], writer);
    mu_writer_array_end(writer);
    mu_writer_object_end(writer);
    mu_writer_finish(writer);
}
