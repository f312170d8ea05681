/* What plugins may ask of claims and devices; see framework.h. */
#include "scheduler/core/devices_internal.h"

const struct mu_pod_claims *mu_fw_claims(const struct mu_fw *fw, const struct mu_pod *pod) {
    uint32_t slot = mu_snapshot_pod_slot(fw->snapshot, pod);
    const struct mu_pod_claims *claims = slot == MU_NO_SLOT ? NULL : fw->snapshot->pods[slot].claims;
    return claims && (claims->len || claims->extended) ? claims : NULL;
}

/* Has its devices, from the API or by a group that is decided: not ours to choose. */
static bool is_settled(const struct mu_devices *d, const struct mu_claim *claim) {
    uint32_t index;
    if (!mu_devices_find(d, claim, &index) || !d->states.items[index].allocated)
        return false;
    return d->states.items[index].want == MU_NO_SLOT || d->states.items[index].want < d->settled;
}

static void add_bytes(struct mu_buf *key, char kind, uint32_t number) {
    mu_buf_add_char(key, kind);
    mu_buf_add(key, (struct mu_str){(const char *)&number, sizeof number});
}

void mu_fw_claims_distinguish(struct mu_fw *fw, const struct mu_pod_claims *claims, struct mu_buf *key) {
    const struct mu_devices *d = fw->snapshot->devices;
    for (uint32_t i = 0; i < claims->len; i++) {
        const struct mu_pod_claim *use = &claims->items[i];
        if (is_settled(d, use->claim))
            add_bytes(key, 'h', use->claim->meta.name);
        else if (use->alone)
            add_bytes(key, 'a', use->claim->spec_id);
        else
            add_bytes(key, 's', use->claim->meta.name);
    }
    add_bytes(key, d->all_local ? 'l' : 'w', d->limit);
    if (d->queues_matter)
        add_bytes(key, 'q', d->queue);
}

const struct mu_pod_claims *mu_fw_claims_keep(struct mu_fw *fw, const struct mu_pod_claims *claims) {
    struct mu_pod_claims *kept = mu_fw_alloc(fw, sizeof *kept);
    struct mu_pod_claim *items = mu_fw_alloc(fw, claims->len * sizeof *items);
    for (uint32_t i = 0; i < claims->len; i++) {
        items[i] = claims->items[i];
        items[i].stands_for = items[i].alone && !is_settled(fw->snapshot->devices, items[i].claim);
    }
    *kept = *claims;
    kept->items = items;
    return kept;
}

enum mu_scope mu_fw_claims_scope(const struct mu_fw *fw, const struct mu_pod_claims *claims) {
    const struct mu_devices *d = fw->snapshot->devices;
    enum mu_scope wide = d->all_local ? MU_SCOPE_NODE : MU_SCOPE_CLUSTER;
    enum mu_scope scope = claims->extended ? wide : MU_SCOPE_STATIC;
    for (uint32_t i = 0; i < claims->len; i++) {
        const struct mu_pod_claim *use = &claims->items[i];
        if (is_settled(d, use->claim))
            continue;
        scope = scope == MU_SCOPE_CLUSTER || !use->alone ? MU_SCOPE_CLUSTER : wide;
    }
    return scope;
}

bool mu_fw_claims_reach(const struct mu_fw *fw, const struct mu_pod_claims *claims, uint32_t node) {
    const struct mu_devices *d = fw->snapshot->devices;
    for (uint32_t i = 0; i < claims->len; i++)
        if (!claims->items[i].stands_for && is_settled(d, claims->items[i].claim) &&
            !mu_devices_usable_from(d, mu_devices_grant(d, claims->items[i].claim), node))
            return false;
    return true;
}

int64_t mu_fw_devices_fit(struct mu_fw *fw, const struct mu_pod_claims *claims, uint32_t node) {
    struct mu_devices *d = fw->snapshot->devices;
    struct mu_devices_asked *asked = &d->asked;
    if (asked->claims != claims || asked->node != node || asked->stamp != mu_fw_stamp(fw)) {
        asked->unproved = false;
        asked->fit = mu_devices_fit(d, claims, node, &asked->unproved);
        asked->claims = claims;
        asked->node = node;
        asked->stamp = mu_fw_stamp(fw);
    }
    fw->unproved |= asked->unproved;
    return asked->fit;
}

int64_t mu_fw_devices_score(struct mu_fw *fw, const struct mu_pod_claims *claims, uint32_t node) {
    return mu_devices_score(fw->snapshot->devices, claims, node);
}

void mu_fw_devices_reserve(struct mu_fw *fw, const struct mu_pod *pod, uint32_t node) {
    uint32_t slot = mu_snapshot_pod_slot(fw->snapshot, pod);
    mu_devices_reserve(fw->snapshot->devices, slot, fw->snapshot->pods[slot].claims, node);
}

void mu_fw_devices_unreserve(struct mu_fw *fw, const struct mu_pod *pod) {
    if (fw->snapshot->devices)
        mu_devices_unreserve(fw->snapshot->devices, mu_snapshot_pod_slot(fw->snapshot, pod));
}

bool mu_fw_devices_lack(const struct mu_fw *fw) {
    return fw->snapshot->devices && mu_devices_lack(fw->snapshot->devices);
}

bool mu_fw_served_by_class(const struct mu_fw *fw, mu_sym resource, uint32_t node) {
    return fw->snapshot->devices && mu_devices_serve(fw->snapshot->devices, resource, node);
}

bool mu_fw_has_devices(const struct mu_fw *fw, uint32_t node) {
    uint32_t used = 0, all = 0;
    if (fw->snapshot->devices)
        mu_alloc_node_usage(fw->snapshot->devices->alloc, fw->snapshot->nodes[node].object, &used, &all);
    return all > 0;
}
