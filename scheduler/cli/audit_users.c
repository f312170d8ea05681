/* Who uses a claim; see audit.h. */
#include "scheduler/cli/audit.h"

#include <inttypes.h>

struct mu_str mu_audit_key(const struct mu_audit *audit, mu_sym namespace, mu_sym name) {
    const struct mu_symbols *symbols = &audit->store->symbols;
    return mu_str_printf(audit->arena, MU_STR_FMT "/" MU_STR_FMT, MU_STR_ARG(mu_text(symbols, namespace)),
                         MU_STR_ARG(mu_text(symbols, name)));
}

void mu_audit_index_consumers(struct mu_audit *audit) {
    const struct mu_store *store = audit->store;
    mu_map_init(&audit->consumers.pods, audit->arena, 0);
    mu_map_init(&audit->consumers.groups, audit->arena, 0);
    for (size_t i = 0; i < store->pods.len; i++) {
        const struct mu_meta *meta = &store->pods.items[i]->meta;
        mu_map_put(&audit->consumers.pods, mu_audit_key(audit, meta->namespace, meta->name), (uint32_t)i);
    }
    for (size_t i = 0; i < store->groups.len; i++) {
        const struct mu_group_object *group = store->groups.items[i];
        if (group->api == MU_GROUP_NATIVE)
            mu_map_put(&audit->consumers.groups, mu_audit_key(audit, group->meta.namespace, group->meta.name),
                       (uint32_t)i);
    }
}

static const char pod_kind[] = "Pod", group_kind[] = "PodGroup";

/* A consumer as it stands in the input. */
struct user {
    const char *kind, *word;    /* "Pod", "pod" */
    const struct mu_meta *meta; /* NULL: it is not there */
    bool known;                 /* of a kind of which there are objects in the input */
    bool ended;
};

static struct user find_user(const struct mu_audit *audit, const struct mu_claim *claim,
                             const struct mu_consumer *consumer) {
    const struct mu_store *store = audit->store;
    struct mu_str resource = mu_text(&store->symbols, consumer->resource);
    struct mu_str key = mu_audit_key(audit, claim->meta.namespace, consumer->name);
    uint32_t at;
    if (mu_str_eq(resource, MU_STR("pods"))) {
        struct user user = {.kind = pod_kind, .word = "pod", .known = store->pods.len > 0};
        if (!mu_map_get(&audit->consumers.pods, key, &at))
            return user;
        const struct mu_pod *pod = store->pods.items[at];
        user.meta = &pod->meta;
        user.ended = pod->phase == MU_PHASE_SUCCEEDED || pod->phase == MU_PHASE_FAILED;
        return user;
    }
    if (mu_str_eq(resource, MU_STR("podgroups"))) {
        struct user user = {.kind = group_kind, .word = "group", .known = store->groups.len > 0};
        if (mu_map_get(&audit->consumers.groups, key, &at))
            user.meta = &store->groups.items[at]->meta;
        return user;
    }
    return (struct user){.word = "another consumer"};
}

static bool is_another(const struct user *user, const struct mu_consumer *consumer) {
    return user->meta && user->meta->uid && consumer->uid && user->meta->uid != consumer->uid;
}

struct mu_str mu_audit_judge_consumer(const struct mu_audit *audit, const struct mu_claim *claim,
                                      const struct mu_consumer *consumer) {
    const struct user user = find_user(audit, claim, consumer);
    const char *wrong = !user.known                   ? NULL
                        : !user.meta                  ? "is gone"
                        : is_another(&user, consumer) ? "is another one of that name"
                        : user.ended                  ? "has ended"
                                                      : NULL;
    if (!wrong)
        return MU_STR("");
    return mu_str_printf(audit->arena, "%s " MU_STR_FMT " %s", user.word,
                         MU_STR_ARG(mu_text(&audit->store->symbols, consumer->name)), wrong);
}

struct mu_str mu_audit_users_text(const struct mu_audit *audit, const struct mu_claim *claim) {
    struct mu_buf text;
    mu_buf_init(&text, audit->arena);
    uint32_t len = claim->reserved_for_len;
    uint32_t shown = len < MU_AUDIT_NAMES_SHOWN ? len : MU_AUDIT_NAMES_SHOWN;
    for (uint32_t i = 0; i < shown; i++) {
        const struct mu_consumer *consumer = &claim->reserved_for[i];
        const char *before = i == 0 ? "used by " : i + 1 == len ? " and " : ", ";
        mu_buf_printf(&text, "%s%s " MU_STR_FMT, before, find_user(audit, claim, consumer).word,
                      MU_STR_ARG(mu_text(&audit->store->symbols, consumer->name)));
    }
    if (len > shown)
        mu_buf_printf(&text, " and %" PRIu32 " more", len - shown);
    return len > 0 ? mu_buf_str(&text) : MU_STR("used by nobody");
}

static bool is_involved(const struct mu_finding *finding, const struct user *user) {
    for (size_t i = 0; i < finding->objects.len; i++) {
        const struct mu_finding_object *object = &finding->objects.items[i];
        if (object->kind == user->kind && object->name == user->meta->name &&
            object->namespace == user->meta->namespace)
            return true;
    }
    return false;
}

void mu_audit_involve_users(struct mu_audit *audit, struct mu_finding *finding, const struct mu_claim *claim) {
    uint32_t shown = 0;
    for (uint32_t i = 0; i < claim->reserved_for_len && shown < MU_AUDIT_NAMES_SHOWN; i++) {
        const struct user user = find_user(audit, claim, &claim->reserved_for[i]);
        if (!user.meta || is_another(&user, &claim->reserved_for[i]))
            continue;
        if (!is_involved(finding, &user))
            mu_audit_involve(audit, finding, user.kind, user.meta);
        shown++;
    }
}
