/* VolumeZone: a bound volume that is labelled with its zone or region is used only from there.
 *
 * Such labels are older than node affinity of volumes, and clouds still write them. */
#include "plugins/registry.h"
#include "plugins/volumes.h"

static const char *const phrases[] = {NULL, "node(s) had no available volume zone"};

enum { BETA_ZONE = 0, BETA_REGION, ZONE, REGION, KEYS_COUNT };

static const char *const key_names[KEYS_COUNT] = {
    [BETA_ZONE] = "failure-domain.beta.kubernetes.io/zone",
    [BETA_REGION] = "failure-domain.beta.kubernetes.io/region",
    [ZONE] = "topology.kubernetes.io/zone",
    [REGION] = "topology.kubernetes.io/region",
};

/* Values of one label of one volume, any of which the node must have. */
struct zones {
    uint32_t key;
    mu_sym *values;
    uint32_t values_len;
};

struct prepared {
    mu_sym keys[KEYS_COUNT];
    struct zones *zones;
    uint32_t zones_len;
};

static struct mu_str trim(struct mu_str text) {
    while (text.len > 0 && (text.ptr[0] == ' ' || text.ptr[0] == '\t'))
        text = mu_str_slice(text, 1, text.len);
    while (text.len > 0 && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t'))
        text = mu_str_slice(text, 0, text.len - 1);
    return text;
}

/* A volume in several zones names them all, "a__b" (upstream: LabelZonesToSet). An empty name among them makes the
 * label none: false. */
static bool split(struct mu_fw *fw, struct mu_str text, struct zones *zones) {
    zones->values = mu_fw_alloc(fw, (text.len / 2 + 1) * sizeof *zones->values);
    for (size_t from = 0; from <= text.len;) {
        size_t to = from;
        while (to < text.len && !mu_str_starts(mu_str_slice(text, to, text.len), MU_STR("__")))
            to++;
        struct mu_str zone = trim(mu_str_slice(text, from, to));
        if (zone.len == 0)
            return false;
        zones->values[zones->values_len++] = mu_fw_intern(fw, zone);
        from = to < text.len ? to + 2 : text.len + 1;
    }
    return true;
}

static void add_volume(struct mu_fw *fw, struct prepared *p, const struct mu_pv *pv) {
    for (uint32_t k = 0; k < KEYS_COUNT; k++) {
        struct zones zones = {.key = k};
        mu_sym value = 0;
        if (mu_labels_get(&pv->meta.labels, p->keys[k], &value) && split(fw, mu_text(mu_fw_symbols(fw), value), &zones))
            p->zones[p->zones_len++] = zones;
    }
}

static struct mu_reach prepare(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared) {
    const struct mu_pod *pod = cls->pods[0];
    struct prepared *p = mu_fw_alloc(fw, sizeof *p);
    p->zones = mu_fw_alloc(fw, (size_t)pod->volumes_len * KEYS_COUNT * sizeof *p->zones);
    for (uint32_t k = 0; k < KEYS_COUNT; k++)
        p->keys[k] = mu_fw_intern(fw, mu_str_from(key_names[k]));
    for (uint32_t i = 0; i < pod->volumes_len; i++) {
        mu_sym claim = pod->volumes[i].claim;
        const struct mu_pvc *pvc = claim != 0 ? mu_fw_pvc(fw, cls->namespace, claim) : NULL;
        const struct mu_pv *pv = pvc != NULL && pvc->volume != 0 ? mu_fw_pv(fw, pvc->volume) : NULL;
        if (pv != NULL)
            add_volume(fw, p, pv);
    }
    *ret_prepared = p;
    return (struct mu_reach){.filter = p->zones_len > 0 ? MU_SCOPE_STATIC : MU_SCOPE_NONE};
}

static bool has_value(const struct zones *zones, mu_sym value) {
    for (uint32_t i = 0; i < zones->values_len; i++) {
        if (zones->values[i] == value)
            return true;
    }
    return false;
}

/* A volume's label of old may be answered by the node's of today. */
static bool is_in(const struct prepared *p, const struct zones *zones, const struct mu_labels *labels) {
    mu_sym value = 0;
    uint32_t today = zones->key == BETA_ZONE ? ZONE : zones->key == BETA_REGION ? REGION : zones->key;
    if (!mu_labels_get(labels, p->keys[zones->key], &value) && !mu_labels_get(labels, p->keys[today], &value))
        return false;
    return has_value(zones, value);
}

static struct mu_verdict filter(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node) {
    const struct prepared *p = prepared;
    const struct mu_labels *labels = &mu_fw_node(fw, node)->meta.labels;
    bool labelled = false;
    for (uint32_t k = 0; k < KEYS_COUNT; k++)
        labelled = labelled || mu_labels_get(labels, p->keys[k], &(mu_sym){0});
    /* A cluster in one zone may have no such labels at all. */
    for (uint32_t i = 0; labelled && i < p->zones_len; i++) {
        if (!is_in(p, &p->zones[i], labels))
            return (struct mu_verdict){.phrase = 1};
    }
    return (struct mu_verdict){.phrase = 0};
}

const struct mu_plugin mu_plugin_volume_zone = {
    .abi = MU_PLUGIN_ABI,
    .name = "VolumeZone",
    .summary = "keeps a pod in the zone that its bound volumes are labelled with",
    .stage = MU_STAGE_VOLUME,
    .phrases = phrases,
    .phrases_len = 2,
    .distinguish = mu_volumes_distinguish,
    .prepare = prepare,
    .filter = filter,
    .events = MU_EVENT_NODE_ADDED | MU_EVENT_NODE_LABELS | MU_EVENT_VOLUME,
};
