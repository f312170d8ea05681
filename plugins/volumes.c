/* Volumes: upstream's rules of what serves what (component-helpers FindMatchingVolume, volumebinding
 * checkVolumeProvisions and hasEnoughCapacity). */
#include "plugins/volumes.h"

#include <inttypes.h>

/* ------------------------------------------------------------------ claims */

static bool waits_for_consumer(const struct mu_fw *fw, const struct mu_pvc *pvc) {
    const struct mu_storage_class *class = pvc->storage_class != 0 ? mu_fw_storage_class(fw, pvc->storage_class) : NULL;
    return class != NULL && class->wait_for_first_consumer;
}

enum mu_claim_state mu_claim_state(const struct mu_fw *fw, const struct mu_pvc *pvc) {
    if (pvc == NULL)
        return MU_CLAIM_MISSING;
    if (pvc->meta.deleted_ns != MU_TIME_NONE)
        return MU_CLAIM_ENDING;
    if (pvc->volume != 0 && pvc->bound)
        return MU_CLAIM_BOUND;
    /* One that names a volume without being bound to it is for the volume controller to finish, as upstream has it. */
    return pvc->volume == 0 && waits_for_consumer(fw, pvc) ? MU_CLAIM_DELAYED : MU_CLAIM_IMMEDIATE;
}

bool mu_claim_is_shared(const struct mu_fw *fw, const struct mu_pvc *pvc) {
    return mu_fw_pvc_mentions(fw, pvc->meta.namespace, pvc->meta.name) > 1;
}

/* ------------------------------------------------------------------ volumes that are there */

bool mu_pv_is_held_for(const struct mu_pv *pv, const struct mu_pvc *pvc) {
    return pv->claim_name != 0 && pv->claim_name == pvc->meta.name && pv->claim_namespace == pvc->meta.namespace &&
           (pv->claim_uid == 0 || pv->claim_uid == pvc->meta.uid);
}

static bool is_available(const struct mu_fw *fw, const struct mu_pv *pv) {
    return pv->claim_name == 0 && mu_str_eq(mu_text(mu_fw_symbols(fw), pv->phase), MU_STR("Available"));
}

bool mu_pv_could_serve(const struct mu_fw *fw, const struct mu_pv *pv, const struct mu_pvc *pvc) {
    if (pv->meta.deleted_ns != MU_TIME_NONE || pv->capacity_bytes < pvc->request_bytes || pv->block != pvc->block ||
        pv->attributes_class != pvc->attributes_class)
        return false;
    if (mu_pv_is_held_for(pv, pvc))
        return true;
    return is_available(fw, pv) && pv->storage_class == pvc->storage_class && (pvc->access & ~pv->access) == 0 &&
           (pvc->selector == NULL || mu_selector_matches(pvc->selector, &pv->meta.labels, mu_fw_symbols(fw)));
}

bool mu_pv_reaches(const struct mu_fw *fw, const struct mu_pv *pv, uint32_t node) {
    const struct mu_meta *meta = &mu_fw_node(fw, node)->meta;
    return !pv->has_node_required ||
           mu_node_terms_match(pv->node_required, pv->node_required_len, &meta->labels, meta->name, mu_fw_symbols(fw));
}

const struct mu_pv *mu_pv_held_for(const struct mu_fw *fw, const struct mu_pvc *pvc) {
    uint32_t len = 0;
    const struct mu_pv *const *pvs = mu_fw_pvs(fw, &len);
    for (uint32_t i = 0; i < len; i++) {
        if (mu_pv_is_held_for(pvs[i], pvc) && mu_pv_could_serve(fw, pvs[i], pvc))
            return pvs[i];
    }
    return NULL;
}

/* ------------------------------------------------------------------ volumes that can be made */

static const struct mu_selector *capacity_selector(const void *things, uint32_t thing, uint32_t alternative) {
    const struct mu_csi_capacity *const *capacities = things;
    return alternative == 0 ? capacities[thing]->node_topology : NULL;
}

struct mu_volume_source mu_volume_source_make(struct mu_fw *fw, mu_sym storage_class) {
    struct mu_volume_source source = {.storage_class = storage_class};
    source.object = mu_fw_storage_class(fw, storage_class);
    if (source.object == NULL)
        return source;
    mu_sym provisioner = source.object->provisioner;
    source.provisions =
        provisioner != 0 && !mu_str_eq(mu_text(mu_fw_symbols(fw), provisioner), MU_STR("kubernetes.io/no-provisioner"));
    uint32_t all_len = 0, len = 0;
    const struct mu_csi_capacity *const *all = mu_fw_csi_capacities(fw, &all_len);
    source.capacities = mu_fw_alloc(fw, all_len * sizeof *source.capacities);
    for (uint32_t i = 0; i < all_len; i++) {
        if (all[i]->storage_class == storage_class)
            source.capacities[len++] = all[i];
    }
    source.capacity_index = mu_selector_index_make(fw, source.capacities, len, capacity_selector);
    /* Upstream goes by the CSIDriver object alone. A snapshot may lack these; then capacities tell by being there. */
    source.heeds_capacity =
        mu_fw_publishes_capacity(fw, provisioner) || (len > 0 && mu_fw_heeds_capacity(fw, provisioner));
    return source;
}

static bool has_space(const struct mu_fw *fw, const struct mu_volume_source *source, const struct mu_pvc *pvc,
                      const struct mu_labels *labels) {
    if (!source->heeds_capacity || pvc->request_bytes == 0)
        return true;
    uint32_t len = 0;
    const uint32_t *found = mu_selector_index_find(source->capacity_index, labels, &len);
    for (uint32_t i = 0; i < len; i++) {
        const struct mu_csi_capacity *capacity = source->capacities[found[i]];
        int64_t most = capacity->maximum_bytes >= 0 ? capacity->maximum_bytes : capacity->capacity_bytes;
        if (most >= pvc->request_bytes && capacity->node_topology != NULL &&
            mu_selector_matches(capacity->node_topology, labels, mu_fw_symbols(fw)))
            return true;
    }
    return false;
}

/* A term that requires nothing selects nothing (upstream: MatchTopologySelectorTerms). */
static bool is_allowed(const struct mu_fw *fw, const struct mu_storage_class *class, const struct mu_labels *labels) {
    for (uint32_t i = 0; i < class->allowed_topologies_len; i++) {
        const struct mu_selector *term = &class->allowed_topologies[i];
        if (term->len > 0 && mu_selector_matches(term, labels, mu_fw_symbols(fw)))
            return true;
    }
    return class->allowed_topologies_len == 0;
}

enum mu_provision mu_volume_provision(const struct mu_fw *fw, const struct mu_volume_source *source,
                                      const struct mu_pvc *pvc, uint32_t node) {
    const struct mu_labels *labels = &mu_fw_node(fw, node)->meta.labels;
    if (!source->provisions || !is_allowed(fw, source->object, labels))
        return MU_PROVISION_CANNOT;
    return has_space(fw, source, pvc, labels) ? MU_PROVISION_CAN : MU_PROVISION_NO_SPACE;
}

/* ------------------------------------------------------------------ classes */

static void key_name(struct mu_buf *key, const struct mu_fw *fw, mu_sym name) {
    mu_buf_add(key, mu_text(mu_fw_symbols(fw), name));
    mu_buf_add_char(key, '\n');
}

static void key_selector(struct mu_buf *key, const struct mu_fw *fw, const struct mu_selector *selector) {
    for (uint32_t i = 0; selector != NULL && i < selector->len; i++) {
        const struct mu_requirement *requirement = &selector->items[i];
        mu_buf_printf(key, "%d %" PRIu32 " ", (int)requirement->op, requirement->values_len);
        key_name(key, fw, requirement->key);
        for (uint32_t v = 0; v < requirement->values_len; v++)
            key_name(key, fw, requirement->values[v]);
    }
    mu_buf_add_char(key, selector != NULL ? ';' : '-');
}

static void key_unbound(struct mu_buf *key, const struct mu_fw *fw, const struct mu_pvc *pvc) {
    const struct mu_pv *held = mu_pv_held_for(fw, pvc);
    mu_buf_printf(key, "%" PRId64 " %u %d ", pvc->request_bytes, pvc->access, pvc->block);
    key_name(key, fw, pvc->storage_class);
    key_name(key, fw, pvc->attributes_class);
    key_name(key, fw, pvc->selected_node);
    key_name(key, fw, held != NULL ? held->meta.name : 0);
    key_selector(key, fw, pvc->selector);
}

/* What rules look at of a volume that serves a claim: where it is, and whose limits it counts under. */
static void key_bound(struct mu_buf *key, const struct mu_fw *fw, const struct mu_pvc *pvc) {
    const struct mu_pv *pv = mu_fw_pv(fw, pvc->volume);
    if (pv == NULL) {
        mu_buf_add_char(key, '0');
        return;
    }
    for (uint32_t i = 0; i < pv->node_required_len; i++) {
        key_selector(key, fw, &pv->node_required[i].expressions);
        key_selector(key, fw, &pv->node_required[i].fields);
    }
    mu_buf_printf(key, "%d ", pv->has_node_required);
    for (uint32_t i = 0; i < pv->meta.labels.len; i++) {
        mu_sym label = pv->meta.labels.items[i].key;
        struct mu_str text = mu_text(mu_fw_symbols(fw), label);
        if (!mu_str_ends(text, MU_STR("/zone")) && !mu_str_ends(text, MU_STR("/region")))
            continue;
        key_name(key, fw, label);
        key_name(key, fw, pv->meta.labels.items[i].value);
    }
    key_name(key, fw, pv->csi_driver);
    mu_buf_add_char(key, pv->csi_handle != 0 ? 'h' : '-');
    key_name(key, fw, pvc->storage_class); /* its provisioner counts where the volume is gone */
}

void mu_volumes_distinguish(struct mu_fw *fw, void *state, const struct mu_pod *pod, struct mu_buf *key) {
    for (uint32_t i = 0; i < pod->volumes_len; i++) {
        if (pod->volumes[i].claim == 0)
            continue;
        const struct mu_pvc *pvc = mu_fw_pvc(fw, pod->meta.namespace, pod->volumes[i].claim);
        enum mu_claim_state claim_state = mu_claim_state(fw, pvc);
        mu_buf_printf(key, "%d%c", (int)claim_state, pod->volumes[i].ephemeral ? 'e' : ' ');
        if (pvc != NULL && mu_claim_is_shared(fw, pvc))
            key_name(key, fw, pvc->meta.name);
        else if (claim_state == MU_CLAIM_BOUND)
            key_bound(key, fw, pvc);
        else if (claim_state == MU_CLAIM_DELAYED)
            key_unbound(key, fw, pvc);
        mu_buf_add_char(key, '\n');
    }
}
