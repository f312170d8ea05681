/* Gangs of which some members run and too few for the minimum; see audit.h. */
#include "scheduler/cli/audit.h"

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

static bool holds_node(const struct mu_pod *pod) {
    return pod->node && pod->phase != MU_PHASE_SUCCEEDED && pod->phase != MU_PHASE_FAILED;
}

/* Groups are built where a pod of theirs waits. A gang that has lost members for good has none that does, so each
 * member that holds a node is joined by a twin that waits; waiting ones count for nothing here. */
static const struct mu_pod **with_twins(const struct mu_audit *audit, uint32_t *ret_len) {
    const struct mu_store *store = audit->store;
    const struct mu_pod **pods = MU_NEW_ARRAY(audit->arena, const struct mu_pod *, 2 * store->pods.len);
    uint32_t len = 0;
    for (size_t i = 0; i < store->pods.len; i++) {
        const struct mu_pod *pod = store->pods.items[i];
        pods[len++] = pod;
        if (!holds_node(pod))
            continue;
        struct mu_pod *twin = MU_NEW(audit->arena, struct mu_pod);
        *twin = *pod;
        twin->node = 0;
        twin->phase = MU_PHASE_PENDING;
        twin->meta.deleted_ns = MU_TIME_NONE;
        pods[len++] = twin;
    }
    *ret_len = len;
    return pods;
}

static struct mu_groups *build_groups(const struct mu_audit *audit, int64_t now_ns) {
    struct mu_store *store = audit->store;
    /* Whoever schedules them. */
    struct mu_settings settings = *audit->settings;
    settings.all_ours = true;
    uint32_t pods_len;
    const struct mu_pod **pods = with_twins(audit, &pods_len);
    const struct mu_groups_input input = {
        .symbols = &store->symbols,
        .pods = pods,
        .objects = (const struct mu_group_object *const *)store->groups.items,
        .queues = (const struct mu_queue *const *)store->queues.items,
        .priority_classes = (const struct mu_priority_class *const *)store->priority_classes.items,
        .namespaces = (const struct mu_namespace *const *)store->namespaces.items,
        .pods_len = pods_len,
        .objects_len = (uint32_t)store->groups.len,
        .queues_len = (uint32_t)store->queues.len,
        .priority_classes_len = (uint32_t)store->priority_classes.len,
        .namespaces_len = (uint32_t)store->namespaces.len,
        .claims = (const struct mu_claim *const *)store->claims.items,
        .claims_len = (uint32_t)store->claims.len,
        .settings = &settings,
        .now_ns = now_ns,
    };
    return mu_groups_build(&input, audit->arena);
}

void mu_audit_gangs(struct mu_audit *audit, int64_t now_ns) {
    const struct mu_groups *groups = build_groups(audit, now_ns);
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
