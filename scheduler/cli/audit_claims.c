/* Claims reserved for who is gone, or for too many; see audit.h. */
#include "scheduler/cli/audit.h"

#include "scheduler/base/limits.h"
#include <inttypes.h>

enum { NAMES_SHOWN = 5 };

/* What may be a consumer of a claim, by "namespace/name". */
struct consumers {
    struct mu_map pods, groups; /* to an index in the store */
};

static struct mu_str key_of(struct mu_audit *audit, mu_sym namespace, mu_sym name) {
    const struct mu_symbols *symbols = &audit->store->symbols;
    return mu_str_printf(audit->arena, MU_STR_FMT "/" MU_STR_FMT, MU_STR_ARG(mu_text(symbols, namespace)),
                         MU_STR_ARG(mu_text(symbols, name)));
}

static struct consumers index_consumers(struct mu_audit *audit) {
    const struct mu_store *store = audit->store;
    struct consumers consumers;
    mu_map_init(&consumers.pods, audit->arena, 0);
    mu_map_init(&consumers.groups, audit->arena, 0);
    for (size_t i = 0; i < store->pods.len; i++) {
        const struct mu_meta *meta = &store->pods.items[i]->meta;
        mu_map_put(&consumers.pods, key_of(audit, meta->namespace, meta->name), (uint32_t)i);
    }
    for (size_t i = 0; i < store->groups.len; i++) {
        const struct mu_group_object *group = store->groups.items[i];
        if (group->api == MU_GROUP_NATIVE)
            mu_map_put(&consumers.groups, key_of(audit, group->meta.namespace, group->meta.name), (uint32_t)i);
    }
    return consumers;
}

/* What is wrong with one consumer of a claim; empty: nothing, or nothing that can be told. */
static struct mu_str judge_consumer(struct mu_audit *audit, const struct consumers *consumers, mu_sym namespace,
                                    const struct mu_consumer *consumer) {
    const struct mu_store *store = audit->store;
    struct mu_str resource = mu_text(&store->symbols, consumer->resource);
    bool pod = mu_str_eq(resource, MU_STR("pods"));
    if (!pod && !mu_str_eq(resource, MU_STR("podgroups")))
        return MU_STR("");
    if (pod ? store->pods.len == 0 : store->groups.len == 0)
        return MU_STR("");
    struct mu_str name = mu_text(&store->symbols, consumer->name);
    uint32_t at;
    if (!mu_map_get(pod ? &consumers->pods : &consumers->groups, key_of(audit, namespace, consumer->name), &at))
        return mu_str_printf(audit->arena, "%s " MU_STR_FMT " is gone", pod ? "pod" : "group", MU_STR_ARG(name));
    mu_sym uid = pod ? store->pods.items[at]->meta.uid : store->groups.items[at]->meta.uid;
    if (uid && consumer->uid && uid != consumer->uid)
        return mu_str_printf(audit->arena, "%s " MU_STR_FMT " is another one of that name", pod ? "pod" : "group",
                             MU_STR_ARG(name));
    return MU_STR("");
}

static void find_gone(struct mu_audit *audit, const struct consumers *consumers, const struct mu_claim *claim) {
    struct mu_buf text;
    mu_buf_init(&text, audit->arena);
    uint32_t gone = 0;
    for (uint32_t i = 0; i < claim->reserved_for_len; i++) {
        struct mu_str wrong = judge_consumer(audit, consumers, claim->meta.namespace, &claim->reserved_for[i]);
        if (wrong.len == 0)
            continue;
        if (gone++ < NAMES_SHOWN)
            mu_buf_printf(&text, "%s" MU_STR_FMT, text.len ? "; " : "reserved for nobody: ", MU_STR_ARG(wrong));
    }
    if (gone == 0)
        return;
    if (gone > NAMES_SHOWN)
        mu_buf_printf(&text, "; and %" PRIu32 " more", gone - NAMES_SHOWN);
    struct mu_finding *finding = mu_audit_find(audit, MU_FINDING_RESERVED_FOR_NOBODY);
    mu_audit_involve(audit, finding, "ResourceClaim", &claim->meta);
    finding->message = mu_buf_str(&text);
}

void mu_audit_claims(struct mu_audit *audit) {
    const struct mu_store *store = audit->store;
    const struct consumers consumers = index_consumers(audit);
    if (store->pods.len == 0 && store->claims.len > 0)
        MU_VEC_PUSH(audit->arena, &audit->unchecked,
                    MU_STR("there are no Pods in the input: whom claims are reserved for was not checked"));
    for (size_t i = 0; i < store->claims.len; i++)
        find_gone(audit, &consumers, store->claims.items[i]);
    for (size_t i = 0; i < store->claims.len; i++) {
        const struct mu_claim *claim = store->claims.items[i];
        if (claim->reserved_for_len <= MU_LIMIT_CLAIM_RESERVED)
            continue;
        struct mu_finding *finding = mu_audit_find(audit, MU_FINDING_RESERVED_FOR_TOO_MANY);
        mu_audit_involve(audit, finding, "ResourceClaim", &claim->meta);
        finding->message = mu_str_printf(audit->arena, "reserved for %" PRIu32 " consumers; a claim has at most %d",
                                         claim->reserved_for_len, MU_LIMIT_CLAIM_RESERVED);
    }
}
