/* Claims reserved for who is gone, or for too many, and devices kept for nobody; see audit.h. */
#include "scheduler/cli/audit.h"

#include "scheduler/base/limits.h"
#include <inttypes.h>

/* What is wrong with the claim's consumers, and how many of them it is wrong with. */
struct gone {
    struct mu_buf text;
    uint32_t len;
};

static struct gone list_gone(const struct mu_audit *audit, const struct mu_claim *claim) {
    struct gone gone = {.len = 0};
    mu_buf_init(&gone.text, audit->arena);
    for (uint32_t i = 0; i < claim->reserved_for_len; i++) {
        struct mu_str wrong = mu_audit_judge_consumer(audit, claim, &claim->reserved_for[i]);
        if (wrong.len > 0 && gone.len++ < MU_AUDIT_NAMES_SHOWN)
            mu_buf_printf(&gone.text, "%s" MU_STR_FMT, gone.text.len ? "; " : "", MU_STR_ARG(wrong));
    }
    if (gone.len > MU_AUDIT_NAMES_SHOWN)
        mu_buf_printf(&gone.text, "; and %" PRIu32 " more", gone.len - MU_AUDIT_NAMES_SHOWN);
    return gone;
}

static bool keeps_devices_for_nobody(const struct mu_claim *claim, const struct gone *gone) {
    return claim->allocated && gone->len == claim->reserved_for_len && claim->meta.deleted_ns == MU_TIME_NONE;
}

static void find_gone(struct mu_audit *audit, const struct mu_claim *claim) {
    const struct gone gone = list_gone(audit, claim);
    if (gone.len == 0 || keeps_devices_for_nobody(claim, &gone))
        return;
    struct mu_finding *finding = mu_audit_find(audit, MU_FINDING_RESERVED_FOR_NOBODY);
    mu_audit_involve(audit, finding, "ResourceClaim", &claim->meta);
    finding->message =
        mu_str_printf(audit->arena, "reserved for nobody: " MU_STR_FMT, MU_STR_ARG(mu_buf_str(&gone.text)));
}

static void find_kept(struct mu_audit *audit, const struct mu_claim *claim) {
    const struct gone gone = list_gone(audit, claim);
    if (!keeps_devices_for_nobody(claim, &gone))
        return;
    struct mu_finding *finding = mu_audit_find(audit, MU_FINDING_ALLOCATED_FOR_NOBODY);
    mu_audit_involve(audit, finding, "ResourceClaim", &claim->meta);
    struct mu_buf text;
    mu_buf_init(&text, audit->arena);
    mu_buf_printf(&text, "keeps %" PRIu32 " device%s and is reserved for nobody", claim->results_len,
                  claim->results_len == 1 ? "" : "s");
    if (gone.len > 0)
        mu_buf_printf(&text, ": " MU_STR_FMT, MU_STR_ARG(mu_buf_str(&gone.text)));
    finding->message = mu_buf_str(&text);
}

/* ------------------------------------------------------------------ the limit */

static bool is_reserved_for(const struct mu_audit *audit, const struct mu_claim *claim, const struct mu_pod *pod) {
    for (uint32_t i = 0; i < claim->reserved_for_len; i++) {
        const struct mu_consumer *consumer = &claim->reserved_for[i];
        bool group = mu_str_eq(mu_text(&audit->store->symbols, consumer->resource), MU_STR("podgroups"));
        if (group ? consumer->name == pod->group
                  : consumer->name == pod->meta.name && (!pod->meta.uid || consumer->uid == pod->meta.uid))
            return true;
    }
    return false;
}

/* For each claim that has no room left the first pod that waits to use it; NULL: none does. */
struct left_out {
    struct mu_map full; /* "namespace/name" of claims, to an index in the store */
    const struct mu_pod **pods;
};

static void add_left_out(const struct mu_audit *audit, struct left_out *left, const struct mu_pod *pod) {
    const struct mu_store *store = audit->store;
    for (uint32_t i = 0; i < pod->claims_len; i++) {
        uint32_t at;
        struct mu_str key = mu_audit_key(audit, pod->meta.namespace, pod->claims[i].claim);
        if (mu_map_get(&left->full, key, &at) && !left->pods[at] &&
            !is_reserved_for(audit, store->claims.items[at], pod))
            left->pods[at] = pod;
    }
}

static struct left_out list_left_out(const struct mu_audit *audit) {
    const struct mu_store *store = audit->store;
    struct left_out left = {.pods = MU_NEW_ARRAY(audit->arena, const struct mu_pod *, store->claims.len)};
    mu_map_init(&left.full, audit->arena, 0);
    bool any = false;
    for (size_t i = 0; i < store->claims.len; i++) {
        const struct mu_claim *claim = store->claims.items[i];
        if (claim->reserved_for_len < MU_LIMIT_CLAIM_RESERVED)
            continue;
        mu_map_put(&left.full, mu_audit_key(audit, claim->meta.namespace, claim->meta.name), (uint32_t)i);
        any = true;
    }
    for (size_t i = 0; any && i < store->pods.len; i++) {
        const struct mu_pod *pod = store->pods.items[i];
        if (!pod->node && pod->phase == MU_PHASE_PENDING && pod->meta.deleted_ns == MU_TIME_NONE)
            add_left_out(audit, &left, pod);
    }
    return left;
}

/* `pod` is one that waits; or NULL. */
static void find_full(struct mu_audit *audit, const struct mu_claim *claim, const struct mu_pod *pod) {
    if (claim->reserved_for_len <= MU_LIMIT_CLAIM_RESERVED && !pod)
        return;
    struct mu_finding *finding = mu_audit_find(audit, MU_FINDING_RESERVED_FOR_TOO_MANY);
    mu_audit_involve(audit, finding, "ResourceClaim", &claim->meta);
    struct mu_buf text;
    mu_buf_init(&text, audit->arena);
    mu_buf_printf(&text, "reserved for %" PRIu32 " consumers; a claim has at most %d", claim->reserved_for_len,
                  MU_LIMIT_CLAIM_RESERVED);
    if (pod) {
        mu_audit_involve(audit, finding, "Pod", &pod->meta);
        mu_buf_printf(&text, ", and pod " MU_STR_FMT " waits to be one more",
                      MU_STR_ARG(mu_text(&audit->store->symbols, pod->meta.name)));
    }
    finding->message = mu_buf_str(&text);
}

void mu_audit_claims(struct mu_audit *audit) {
    const struct mu_store *store = audit->store;
    if (store->pods.len == 0 && store->claims.len > 0)
        MU_VEC_PUSH(audit->arena, &audit->unchecked,
                    MU_STR("there are no Pods in the input: whom claims are reserved for was not checked"));
    for (size_t i = 0; i < store->claims.len; i++)
        find_gone(audit, store->claims.items[i]);
    const struct left_out left = list_left_out(audit);
    for (size_t i = 0; i < store->claims.len; i++)
        find_full(audit, store->claims.items[i], left.pods[i]);
    for (size_t i = 0; i < store->claims.len; i++)
        find_kept(audit, store->claims.items[i]);
}
