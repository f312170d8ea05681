/* Volume matching: maximum matching of claims and volumes by augmenting paths, so that no choice made earlier (the
 * smallest volume that would do, say) stands in the way of a later claim. */
#include "plugins/volume_matching.h"

static const struct mu_selector *pv_selector(const void *things, uint32_t thing, uint32_t alternative) {
    const struct mu_pv *const *pvs = things;
    const struct mu_pv *pv = pvs[thing];
    return alternative < pv->node_required_len ? &pv->node_required[alternative].expressions : NULL;
}

static bool is_for_anybody(const struct mu_fw *fw, const struct mu_pv *pv, const struct mu_volume_source *sources,
                           uint32_t sources_len) {
    bool of_class = false;
    for (uint32_t i = 0; i < sources_len; i++)
        of_class = of_class || pv->storage_class == sources[i].storage_class;
    return of_class && pv->claim_name == 0 && pv->meta.deleted_ns == MU_TIME_NONE &&
           mu_str_eq(mu_text(mu_fw_symbols(fw), pv->phase), MU_STR("Available"));
}

struct mu_volume_matching *mu_volume_matching_make(struct mu_fw *fw, const struct mu_volume_source *sources,
                                                   uint32_t sources_len) {
    struct mu_volume_matching *m = mu_fw_alloc(fw, sizeof *m);
    uint32_t all_len = 0;
    const struct mu_pv *const *all = mu_fw_pvs(fw, &all_len);
    for (uint32_t i = 0; i < all_len; i++)
        m->pvs_len += is_for_anybody(fw, all[i], sources, sources_len);
    m->pvs = mu_fw_alloc(fw, m->pvs_len * sizeof *m->pvs);
    for (uint32_t i = 0, len = 0; len < m->pvs_len; i++) {
        if (is_for_anybody(fw, all[i], sources, sources_len))
            m->pvs[len++] = all[i];
    }
    m->by_node = mu_selector_index_make(fw, m->pvs, m->pvs_len, pv_selector);
    m->demands = mu_fw_alloc(fw, (m->pvs_len + 1) * sizeof *m->demands); /* one may be there for a try */
    m->serves = mu_fw_alloc(fw, (m->pvs_len + 1) * sizeof *m->serves);
    m->queue = mu_fw_alloc(fw, (m->pvs_len + 1) * sizeof *m->queue);
    m->served = mu_fw_alloc(fw, m->pvs_len * sizeof *m->served);
    m->via = mu_fw_alloc(fw, m->pvs_len * sizeof *m->via);
    m->reached = mu_fw_alloc(fw, m->pvs_len * sizeof *m->reached);
    mu_volume_matching_clear(m);
    return m;
}

void mu_volume_matching_clear(struct mu_volume_matching *m) {
    m->demands_len = 0;
    for (uint32_t i = 0; i < m->pvs_len; i++)
        m->served[i] = MU_NO_DEMAND;
}

static bool can_serve(const struct mu_fw *fw, const struct mu_pv *pv, const struct mu_volume_demand *demand) {
    return mu_pv_could_serve(fw, pv, demand->pvc) &&
           (demand->anywhere ? !pv->has_node_required : mu_pv_reaches(fw, pv, demand->node));
}

/* The volume was reached and is free: everyone on the path to it moves on by one. */
static void move_on(struct mu_volume_matching *m, uint32_t pv) {
    for (;;) {
        uint32_t demand = m->via[pv], before = m->serves[demand];
        m->served[pv] = demand;
        m->serves[demand] = pv;
        if (demand == m->demands_len)
            return;
        pv = before;
    }
}

/* Breadth first from the new demand, which stands behind the others. */
static bool find_path(struct mu_fw *fw, struct mu_volume_matching *m) {
    uint32_t head = 0, tail = 0;
    m->searches++;
    m->queue[tail++] = m->demands_len;
    while (head < tail) {
        uint32_t demand = m->queue[head++], len = 0;
        const struct mu_labels *labels = &mu_fw_node(fw, m->demands[demand].node)->meta.labels;
        const uint32_t *near = mu_selector_index_find(m->by_node, labels, &len);
        for (uint32_t i = 0; i < len; i++) {
            uint32_t at = (uint32_t)(((uint64_t)i + m->hint) % len), pv = near[at];
            if (m->reached[pv] == m->searches || !can_serve(fw, m->pvs[pv], &m->demands[demand]))
                continue;
            m->reached[pv] = m->searches;
            m->via[pv] = demand;
            if (m->served[pv] == MU_NO_DEMAND) {
                m->hint = at;
                move_on(m, pv);
                return true;
            }
            m->queue[tail++] = m->served[pv];
        }
    }
    return false;
}

bool mu_volume_matching_add(struct mu_fw *fw, struct mu_volume_matching *m, struct mu_volume_demand demand) {
    if (m->demands_len == m->pvs_len)
        return false;
    m->demands[m->demands_len] = demand;
    if (!find_path(fw, m))
        return false;
    m->demands_len++;
    return true;
}

void mu_volume_matching_drop(struct mu_volume_matching *m, uint32_t demands_len) {
    while (m->demands_len > demands_len)
        m->served[m->serves[--m->demands_len]] = MU_NO_DEMAND;
}

/* It names one value of a label that no two nodes share. */
static bool is_local(struct mu_fw *fw, const struct mu_pv *pv) {
    if (pv->node_required_len != 1)
        return false;
    const struct mu_selector *selector = &pv->node_required[0].expressions;
    for (uint32_t i = 0; i < selector->len; i++) {
        const struct mu_requirement *requirement = &selector->items[i];
        if (requirement->op == MU_OP_IN && requirement->values_len == 1 &&
            mu_fw_domains_are_nodes(mu_fw_topology(fw, requirement->key)))
            return true;
    }
    return false;
}

bool mu_volume_matching_is_local(struct mu_fw *fw, const struct mu_volume_matching *m) {
    for (uint32_t i = 0; i < m->pvs_len; i++) {
        if (!is_local(fw, m->pvs[i]))
            return false;
    }
    return true;
}
