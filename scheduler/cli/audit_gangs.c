/* Gangs of which some members run and too few for the minimum; see audit.h. */
#include "scheduler/cli/audit.h"

#include "config/config.h"
#include "scheduler/core/groups.h"
#include <inttypes.h>

/* What is short below a unit, and whether anything there holds a node. */
struct shortfall {
    struct mu_buf text;
    uint32_t running;
};

static void judge_part(const struct mu_audit *audit, const struct mu_part *part, struct shortfall *shortfall) {
    shortfall->running += part->running_len;
    if (part->basic)
        return;
    const char *separator = shortfall->text.len ? "; " : "";
    struct mu_str name = mu_text(&audit->store->symbols, part->name);
    if (part->counted < part->minimum)
        mu_buf_printf(&shortfall->text, "%s%" PRId64 " of %" PRId64 " members of " MU_STR_FMT " run or have ended well",
                      separator, part->counted, part->minimum, MU_STR_ARG(name));
    for (uint32_t i = 0; i < part->roles_len; i++) {
        const struct mu_part_role *role = &part->roles[i];
        if (role->counted < role->minimum)
            mu_buf_printf(&shortfall->text, "%s%" PRId64 " of %" PRId64 " in role " MU_STR_FMT,
                          shortfall->text.len ? "; " : "", role->counted, role->minimum,
                          MU_STR_ARG(mu_text(&audit->store->symbols, role->name)));
    }
}

/* Recursion is as deep as trees of groups may be. */
static void judge_unit(const struct mu_audit *audit, const struct mu_unit *unit, struct shortfall *shortfall) {
    if (unit->part)
        judge_part(audit, unit->part, shortfall);
    for (uint32_t i = 0; i < unit->children_len; i++)
        judge_unit(audit, unit->children[i], shortfall);
}

void mu_audit_gangs(struct mu_audit *audit, int64_t now_ns) {
    struct mu_store *store = audit->store;
    /* Whoever schedules them, and however short they have been broken. */
    struct mu_settings settings = *mu_settings_default(audit->arena);
    settings.all_ours = true;
    settings.gang_grace_period_ns = 0;
    const struct mu_groups_input input = {
        .symbols = &store->symbols,
        .pods = (const struct mu_pod *const *)store->pods.items,
        .objects = (const struct mu_group_object *const *)store->groups.items,
        .queues = (const struct mu_queue *const *)store->queues.items,
        .priority_classes = (const struct mu_priority_class *const *)store->priority_classes.items,
        .namespaces = (const struct mu_namespace *const *)store->namespaces.items,
        .pods_len = (uint32_t)store->pods.len,
        .objects_len = (uint32_t)store->groups.len,
        .queues_len = (uint32_t)store->queues.len,
        .priority_classes_len = (uint32_t)store->priority_classes.len,
        .namespaces_len = (uint32_t)store->namespaces.len,
        .settings = &settings,
        .now_ns = now_ns,
    };
    const struct mu_groups *groups = mu_groups_build(&input, audit->arena);
    for (uint32_t g = 0; g < groups->len; g++) {
        const struct mu_group *group = groups->items[g];
        struct shortfall shortfall = {0};
        mu_buf_init(&shortfall.text, audit->arena);
        judge_unit(audit, group->root, &shortfall);
        if (!group->broken || shortfall.running == 0)
            continue;
        const struct mu_meta meta = {.namespace = group->namespace, .name = group->name};
        struct mu_finding *finding = mu_audit_find(audit, MU_FINDING_GANG_PARTLY_BOUND);
        mu_audit_involve(audit, finding, mu_group_kind_name(group->kind), &meta);
        mu_buf_printf(&shortfall.text, "; %" PRIu32 " of its pods hold%s a node", shortfall.running,
                      shortfall.running == 1 ? "s" : "");
        finding->message = mu_buf_str(&shortfall.text);
    }
}
