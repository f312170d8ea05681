/* NodeVolumeLimits: a CSI driver attaches no more volumes to a node than its CSINode says.
 *
 * Volumes count once a node, however many of its pods use them. As upstream, volumes named in the pod itself (inline
 * CSI) are not counted: they are not attached. VolumeAttachments, which upstream looks at too, are no input here; they
 * matter for the moment between a pod's end and its volume's detachment. */
#include "plugins/registry.h"
#include "plugins/volumes.h"

static const char *const phrases[] = {NULL, "node(s) exceed max volume count"};

/* Which volumes of a node are told apart; beyond so many they are counted without, which can only be too many. Drivers
 * attach 128 at most, and no known node runs pods with more than this. */
#define TOLD_APART_MAX 1024

/* What a volume is counted under. */
struct counted {
    mu_sym driver; /* 0: not counted */
    mu_sym handle; /* the volume's; 0: there is no volume yet, and the claim stands for it */
    mu_sym namespace, claim;
};

/* The class's volumes of one driver. */
struct driver {
    mu_sym name;
    int64_t own; /* of each pod alone */
    struct counted *shared;
    uint32_t shared_len;
};

struct prepared {
    struct driver *drivers;
    uint32_t drivers_len;
    struct counted *seen; /* on the node that is looked at */
};

/* A claim that is not bound counts under the driver that will make its volume (upstream: getCSIDriverInfoFromSC). */
static struct counted counted_of(const struct mu_fw *fw, mu_sym namespace, mu_sym claim) {
    struct counted counted = {.namespace = namespace, .claim = claim};
    const struct mu_pvc *pvc = claim != 0 ? mu_fw_pvc(fw, namespace, claim) : NULL;
    if (pvc == NULL)
        return counted;
    const struct mu_pv *pv = pvc->volume != 0 ? mu_fw_pv(fw, pvc->volume) : NULL;
    if (pv != NULL) {
        counted.driver = pv->csi_handle != 0 ? pv->csi_driver : 0;
        counted.handle = pv->csi_handle;
        return counted;
    }
    const struct mu_storage_class *class = pvc->storage_class != 0 ? mu_fw_storage_class(fw, pvc->storage_class) : NULL;
    counted.driver = class != NULL ? class->provisioner : 0;
    return counted;
}

static bool is_same(const struct counted *a, const struct counted *b) {
    if (a->driver != b->driver || a->handle != b->handle)
        return false;
    return a->handle != 0 || (a->namespace == b->namespace && a->claim == b->claim);
}

static bool is_among(const struct counted *list, uint32_t len, const struct counted *one) {
    for (uint32_t i = 0; i < len; i++) {
        if (is_same(&list[i], one))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ classes */

static struct driver *driver_of(struct prepared *p, mu_sym name) {
    for (uint32_t i = 0; i < p->drivers_len; i++) {
        if (p->drivers[i].name == name)
            return &p->drivers[i];
    }
    p->drivers[p->drivers_len].name = name;
    return &p->drivers[p->drivers_len++];
}

static void add_volume(struct mu_fw *fw, struct prepared *p, const struct mu_pod *pod, uint32_t volume) {
    struct counted counted = counted_of(fw, pod->meta.namespace, pod->volumes[volume].claim);
    if (counted.driver == 0)
        return;
    struct driver *driver = driver_of(p, counted.driver);
    const struct mu_pvc *pvc = mu_fw_pvc(fw, pod->meta.namespace, counted.claim);
    if (!mu_claim_is_shared(fw, pvc)) {
        driver->own++;
        return;
    }
    if (driver->shared == NULL)
        driver->shared = mu_fw_alloc(fw, pod->volumes_len * sizeof *driver->shared);
    if (!is_among(driver->shared, driver->shared_len, &counted))
        driver->shared[driver->shared_len++] = counted;
}

/* How many volumes of the driver the node takes; -1: it does not say. */
static int64_t limit_of(const struct mu_fw *fw, uint32_t node, mu_sym driver) {
    const struct mu_csi_node *object = mu_fw_csi_node(fw, node);
    for (uint32_t i = 0; object != NULL && i < object->drivers_len; i++) {
        if (object->drivers[i].driver == driver)
            return object->drivers[i].count;
    }
    return -1;
}

static bool is_limited_anywhere(const struct mu_fw *fw, const struct prepared *p) {
    for (uint32_t node = 0; node < mu_fw_nodes(fw); node++) {
        for (uint32_t i = 0; mu_fw_node(fw, node) != NULL && i < p->drivers_len; i++) {
            if (limit_of(fw, node, p->drivers[i].name) >= 0)
                return true;
        }
    }
    return false;
}

static struct mu_reach prepare(struct mu_fw *fw, void *state, const struct mu_class *cls, void **ret_prepared) {
    const struct mu_pod *pod = cls->pods[0];
    struct prepared *p = mu_fw_alloc(fw, sizeof *p);
    p->drivers = mu_fw_alloc(fw, pod->volumes_len * sizeof *p->drivers);
    for (uint32_t i = 0; i < pod->volumes_len; i++)
        add_volume(fw, p, pod, i);
    if (!is_limited_anywhere(fw, p))
        return (struct mu_reach){.filter = MU_SCOPE_NONE};
    p->seen = mu_fw_alloc(fw, TOLD_APART_MAX * sizeof *p->seen);
    *ret_prepared = p;
    return (struct mu_reach){.filter = MU_SCOPE_NODE};
}

/* ------------------------------------------------------------------ filter and fit */

/* The driver's volumes on the node, each once; those that pods share go to `seen` and in *ret_seen_len. */
static int64_t count_attached(struct mu_fw *fw, const struct prepared *p, mu_sym driver, uint32_t node,
                              uint32_t *ret_seen_len) {
    int64_t attached = 0;
    uint32_t len = 0;
    const struct mu_pod *const *pods = mu_fw_pods_on(fw, node, &len);
    *ret_seen_len = 0;
    for (uint32_t i = 0; i < len; i++) {
        for (uint32_t v = 0; v < pods[i]->volumes_len; v++) {
            struct counted counted = counted_of(fw, pods[i]->meta.namespace, pods[i]->volumes[v].claim);
            if (counted.driver != driver || is_among(p->seen, *ret_seen_len, &counted))
                continue;
            attached++;
            if (*ret_seen_len < TOLD_APART_MAX)
                p->seen[(*ret_seen_len)++] = counted;
        }
    }
    return attached;
}

/* How many pods of the class the node takes, as far as one driver's limit goes. */
static int64_t fit_driver(struct mu_fw *fw, const struct prepared *p, const struct driver *driver, uint32_t node) {
    int64_t limit = limit_of(fw, node, driver->name);
    if (limit < 0)
        return INT64_MAX;
    uint32_t seen_len = 0;
    int64_t left = limit - count_attached(fw, p, driver->name, node, &seen_len), shared = 0;
    for (uint32_t i = 0; i < driver->shared_len; i++)
        shared += !is_among(p->seen, seen_len, &driver->shared[i]);
    left -= shared;
    if (driver->own == 0)
        return shared == 0 || left >= 0 ? INT64_MAX : 0; /* what is there already needs no more room */
    return left >= 0 ? left / driver->own : 0;
}

static int64_t fit(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls, uint32_t node) {
    const struct prepared *p = prepared;
    int64_t fits = INT64_MAX;
    for (uint32_t i = 0; i < p->drivers_len; i++) {
        int64_t one = fit_driver(fw, p, &p->drivers[i], node);
        fits = one < fits ? one : fits;
    }
    return fits;
}

static struct mu_verdict filter(struct mu_fw *fw, void *state, const void *prepared, const struct mu_class *cls,
                                uint32_t node) {
    return (struct mu_verdict){.phrase = fit(fw, state, prepared, cls, node) > 0 ? 0 : 1};
}

const struct mu_plugin mu_plugin_node_volume_limits = {
    .abi = MU_PLUGIN_ABI,
    .name = "NodeVolumeLimits",
    .summary = "a CSI driver attaches no more volumes to a node than its CSINode says",
    .stage = MU_STAGE_VOLUME,
    .phrases = phrases,
    .phrases_len = 2,
    .distinguish = mu_volumes_distinguish,
    .prepare = prepare,
    .filter = filter,
    .fit = fit,
    .events = MU_EVENT_NODE_ADDED | MU_EVENT_POD_REMOVED | MU_EVENT_VOLUME,
};
