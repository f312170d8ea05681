/* Explanation of one group of a plan; see explain.h. */
#include "scheduler/core/explain.h"
#include "scheduler/core/devices.h"
#include "scheduler/core/refuse.h"
#include "scheduler/core/waiting.h"
#include "scheduler/objects/quantity.h"

struct explaining {
    struct mu_snapshot *s;
    const struct mu_settings *settings;
    int64_t now_ns;
    const struct mu_plan *plan;
    uint32_t group;
    struct mu_arena *arena;
    struct mu_explanation *ret;
};

/* Puts the pods of the groups before `end` where the plan has them. */
static void replay(struct explaining *e, uint32_t from, uint32_t end) {
    for (uint32_t g = from; g < end; g++) {
        for (uint32_t i = 0; e->s->devices && i < e->plan->groups[g].releases_len; i++)
            mu_devices_give_up(e->s->devices, e->plan->groups[g].releases[i]);
        for (uint32_t i = 0; i < e->plan->groups[g].pods_len; i++) {
            const struct mu_plan_pod *pod = &e->plan->groups[g].pods[i];
            if (!pod->node)
                continue;
            uint32_t slot = mu_snapshot_pod_slot(e->s, pod->pod), node = mu_snapshot_node_slot(e->s, pod->node);
            mu_snapshot_place(e->s, slot, node, NULL);
            if (e->s->devices)
                mu_devices_repeat(e->s->devices, slot, pod->claims, pod->claims_len, node);
        }
    }
}

static const struct mu_group *find_group(struct mu_waiting *w, const struct mu_plan_group *wanted) {
    for (uint32_t i = 0; i < w->groups->len; i++) {
        const struct mu_group *g = w->groups->items[i];
        if (g->kind == wanted->kind && g->namespace == wanted->namespace && g->name == wanted->name)
            return g;
    }
    return NULL;
}

static const char *remedy_of(enum mu_stage stage) {
    switch (stage) {
    case MU_STAGE_RESOURCE:
        return "free room there, or ask for less";
    case MU_STAGE_VOLUME:
        return "look at its claims, volumes and storage classes";
    case MU_STAGE_DEVICE:
        return "look at its resource claims and the devices there";
    default:
        return "change that rule of the pod, or what it meets on the node";
    }
}

/* Of the nodes that one blocker keeps the class off, the one with most of the resource free. */
static uint32_t freest(const struct mu_try *t, const uint32_t *of, uint32_t blocker, mu_sym resource) {
    const struct mu_derived *d = t->s->derived;
    uint32_t best = MU_NO_SLOT;
    for (uint32_t i = 0; i < d->nodes_len; i++) {
        uint32_t node = d->by_rank[i];
        if (of[node] == blocker &&
            (best == MU_NO_SLOT || mu_fw_free(&t->s->fw, node, resource) > mu_fw_free(&t->s->fw, best, resource)))
            best = node;
    }
    return best;
}

/* An amount as people write it: "3850m", "8Gi". */
static struct mu_str amount(const struct mu_try *t, mu_sym resource, int64_t value, struct mu_arena *arena) {
    struct mu_str name = mu_text(t->s->symbols, resource);
    bool cpu = mu_str_eq(name, MU_STR("cpu"));
    bool bytes = mu_str_eq(name, MU_STR("memory")) || mu_str_eq(name, MU_STR("ephemeral-storage")) ||
                 mu_str_starts(name, MU_STR("hugepages-"));
    mu_i128 nano = (mu_i128)(value > 0 ? value : 0) * (cpu ? 1000000 : 1000000000);
    return mu_quantity_print(arena, (struct mu_quantity){.nano = nano}, bytes);
}

/* "n2 comes nearest: 2 of the 4 nvidia.com/gpu that it asks for are free there". False where it is not about a resource
 * that the class asks for. */
static bool resource_remedy(struct mu_try *t, uint32_t cls, const struct mu_blocker *b, const uint32_t *of,
                            struct mu_arena *arena, struct mu_str *ret) {
    const struct mu_pod_spec *spec = t->classes[cls].cls.spec;
    for (uint32_t i = 0; i < spec->requests_len; i++) {
        if (spec->requests[i].resource != b->subject)
            continue;
        uint32_t node = freest(t, of, 0, b->subject);
        int64_t free = mu_fw_free(&t->s->fw, node, b->subject), asked = spec->requests[i].amount;
        *ret = mu_str_printf(arena,
                             MU_STR_FMT " comes nearest: " MU_STR_FMT " of the " MU_STR_FMT " " MU_STR_FMT
                                        " that a member asks for are free there, so free " MU_STR_FMT
                                        " more, or ask for less",
                             MU_STR_ARG(mu_text(t->s->symbols, t->s->nodes[node].object->meta.name)),
                             MU_STR_ARG(amount(t, b->subject, free, arena)),
                             MU_STR_ARG(amount(t, b->subject, asked, arena)),
                             MU_STR_ARG(mu_text(t->s->symbols, b->subject)),
                             MU_STR_ARG(amount(t, b->subject, mu_sat_sub(asked, free), arena)));
        return true;
    }
    return false;
}

/* What would make one more member fit: said of the blocker nearest to fitting, the first. */
static struct mu_str remedy(struct mu_try *t, uint32_t cls, const struct mu_blockers *b, const uint32_t *of,
                            struct mu_arena *arena) {
    const struct mu_blocker *nearest = &b->items[0];
    struct mu_str text;
    if (!b->len || (!nearest->plugin && !nearest->text.len))
        return MU_STR("");
    const char *nodes = nearest->nodes == 1 ? "node" : "nodes";
    if (!nearest->plugin)
        return mu_str_printf(arena, "%u %s would take one more (" MU_STR_FMT "), so free room within one domain",
                             nearest->nodes, nodes, MU_STR_ARG(nearest->text));
    if (nearest->plugin->stage == MU_STAGE_RESOURCE && resource_remedy(t, cls, nearest, of, arena, &text))
        return text;
    return mu_str_printf(arena, "%u %s come%s nearest (%s: " MU_STR_FMT "): %s", nearest->nodes, nodes,
                         nearest->nodes == 1 ? "s" : "", nearest->plugin->name, MU_STR_ARG(nearest->text),
                         remedy_of(nearest->plugin->stage));
}

static void explain_class(struct explaining *e, struct mu_try *t, uint32_t cls, struct mu_explained_class *out) {
    const struct mu_try_class *c = &t->classes[cls];
    uint32_t *of;
    struct mu_blockers b = mu_refuse_blockers(t, cls, e->arena, &of);
    struct mu_explained_rule *rules = MU_NEW_ARRAY(e->arena, struct mu_explained_rule, b.len);
    mu_sym **nodes = MU_NEW_ARRAY(e->arena, mu_sym *, b.len);
    for (uint32_t k = 0; k < b.len; k++) {
        nodes[k] = MU_NEW_ARRAY(e->arena, mu_sym, b.items[k].nodes);
        rules[k] = (struct mu_explained_rule){b.items[k].plugin, b.items[k].text, nodes[k], 0, 0};
    }
    for (uint32_t i = 0; i < e->s->derived->nodes_len; i++) {
        uint32_t node = e->s->derived->by_rank[i], k = of[node];
        nodes[k][rules[k].nodes_len++] = e->s->nodes[node].object->meta.name;
        if (!rules[k].plugin && !rules[k].text.len)
            rules[k].room = mu_sat_add(rules[k].room, mu_prepared_room(t->s, c->prepared, node));
    }
    const struct mu_pod **pods = MU_NEW_ARRAY(e->arena, const struct mu_pod *, c->cls.pods_len);
    memcpy(pods, c->cls.pods, c->cls.pods_len * sizeof *pods);
    *out = (struct mu_explained_class){pods, c->cls.pods_len, rules, b.len, remedy(t, cls, &b, of, e->arena)};
}

/* A group that was placed is explained as it was found, before its own pods took room; one that was refused with as
 * many of the members that it needs placed as fit. */
static void explain(struct explaining *e) {
    const struct mu_plan_group *planned = &e->plan->groups[e->group];
    struct mu_waiting *w = mu_waiting_get(e->s, e->settings, e->now_ns);
    const struct mu_group *g = find_group(w, planned);
    e->ret = MU_NEW(e->arena, struct mu_explanation);
    e->ret->nodes = mu_derived_get(e->s)->nodes_len;
    if (!g || !g->profile)
        return;
    struct mu_try *t = mu_try_make(e->s, e->settings, g, e->arena);
    mu_try_rules(t, MU_RULES_ALL);
    for (uint32_t p = 0; p < t->parts_len; p++)
        e->ret->members_needed += t->parts[p].need > 0 ? (uint32_t)t->parts[p].need : 0;
    if (planned->decision == MU_BIND) {
        for (uint32_t i = 0; i < planned->pods_len; i++)
            e->ret->members_fitting += planned->pods[i].node != 0;
    } else {
        mu_place_partly(t, true);
        e->ret->members_fitting = (uint32_t)t->placed.len;
    }
    mu_try_refresh(t);
    struct mu_explained_class *classes = MU_NEW_ARRAY(e->arena, struct mu_explained_class, t->classes_len);
    for (uint32_t c = 0; c < t->classes_len; c++)
        explain_class(e, t, c, &classes[c]);
    e->ret->classes = classes;
    e->ret->classes_len = t->classes_len;
    mu_try_unplace(t, 0);
}

static int run(void *ctx, struct mu_err *err) {
    struct explaining *e = ctx;
    (void)err;
    mu_snapshot_rollback(e->s, 0);
    replay(e, 0, e->group);
    explain(e);
    replay(e, e->group, e->plan->groups_len);
    return 0;
}

static int run_in_snapshot(void *ctx, struct mu_err *err) {
    struct explaining *e = ctx;
    return mu_arena_run(e->s->arena, run, e, err);
}

int mu_explain(struct mu_snapshot *s, const struct mu_settings *settings, int64_t now_ns, const struct mu_plan *plan,
               uint32_t group, struct mu_arena *arena, struct mu_explanation **ret, struct mu_err *err) {
    struct explaining e = {s, settings, now_ns, plan, group, arena, NULL};
    int rc = mu_arena_run(arena, run_in_snapshot, &e, err);
    if (!rc)
        *ret = e.ret;
    return rc;
}
