/* One device that is given out twice; see audit.h. */
#include "scheduler/cli/audit.h"

#include <stdlib.h>

/* One allocated device, under one of the names by which it is known. */
struct holding {
    struct mu_str key; /* equal for one device, or for one card */
    const struct mu_claim *claim;
    const struct mu_device_result *result;
    size_t order; /* as the store has them */
};

typedef MU_VEC(struct holding) holdings;

static struct mu_str text_of(const struct mu_audit *audit, mu_sym sym) {
    return mu_text(&audit->store->symbols, sym);
}

/* "driver/pool/device", as Kubernetes prints it. */
static struct mu_str device_key(const struct mu_audit *audit, mu_sym driver, mu_sym pool, mu_sym device) {
    return mu_str_printf(audit->arena, MU_STR_FMT "/" MU_STR_FMT "/" MU_STR_FMT, MU_STR_ARG(text_of(audit, driver)),
                         MU_STR_ARG(text_of(audit, pool)), MU_STR_ARG(text_of(audit, device)));
}

/* By key; then drivers together, and equal shares. */
static int compare_holdings(const void *a, const void *b, void *symbols) {
    const struct holding *x = a, *y = b;
    int order = mu_str_cmp(x->key, y->key);
    if (order == 0)
        order = mu_sym_cmp(symbols, x->result->driver, y->result->driver);
    if (order == 0)
        order = mu_sym_cmp(symbols, x->result->share_id, y->result->share_id);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

static void sort(const struct mu_audit *audit, holdings *list) {
    if (list->len > 0)
        qsort_r(list->items, list->len, sizeof list->items[0], compare_holdings,
                (void *)(uintptr_t)&audit->store->symbols);
}

/* Holdings of one key, next to each other after sorting: the number of them from `first`. */
static size_t run_of(const struct holding *items, size_t len, size_t first) {
    size_t n = 1;
    while (first + n < len && mu_str_eq(items[first].key, items[first + n].key))
        n++;
    return n;
}

static void report(struct mu_audit *audit, const struct holding *items, size_t len, struct mu_str message) {
    struct mu_finding *finding = mu_audit_find(audit, MU_FINDING_DEVICE_GIVEN_TWICE);
    for (size_t i = 0; i < len; i++)
        if (i == 0 || items[i].claim != items[i - 1].claim)
            mu_audit_involve(audit, finding, "ResourceClaim", &items[i].claim->meta);
    finding->message = message;
}

/* Shares of one device are told apart by their IDs; a whole device (no ID, so first in order) tolerates nothing beside
 * it. */
static bool collide(const struct holding *items, size_t len) {
    bool twice = len > 1 && !items[0].result->share_id;
    for (size_t i = 1; i < len; i++)
        twice = twice || items[i].result->share_id == items[i - 1].result->share_id;
    return twice;
}

static holdings list_holdings(const struct mu_audit *audit) {
    holdings all = {0};
    for (size_t c = 0; c < audit->store->claims.len; c++) {
        const struct mu_claim *claim = audit->store->claims.items[c];
        for (uint32_t r = 0; claim->allocated && r < claim->results_len; r++) {
            const struct mu_device_result *result = &claim->results[r];
            if (result->admin_access)
                continue;
            const struct holding holding = {device_key(audit, result->driver, result->pool, result->device), claim,
                                            result, all.len};
            MU_VEC_PUSH(audit->arena, &all, holding);
        }
    }
    return all;
}

static void find_same_device(struct mu_audit *audit, const holdings *all) {
    for (size_t i = 0, n; i < all->len; i += n) {
        n = run_of(all->items, all->len, i);
        if (collide(&all->items[i], n))
            report(audit, &all->items[i], n,
                   mu_str_printf(audit->arena, "device " MU_STR_FMT " is given out %zu times",
                                 MU_STR_ARG(all->items[i].key), n));
    }
}

/* ------------------------------------------------------------------ one card, two drivers */

/* Where a published device is in the store. */
struct published {
    const struct mu_slice *slice;
    const struct mu_device *device;
};

typedef MU_VEC(struct published) published_devices;

static void index_published(const struct mu_audit *audit, published_devices *list, struct mu_map *by_key) {
    for (size_t s = 0; s < audit->store->slices.len; s++) {
        const struct mu_slice *slice = audit->store->slices.items[s];
        for (uint32_t d = 0; d < slice->devices_len; d++) {
            struct mu_str key = device_key(audit, slice->driver, slice->pool, slice->devices[d].name);
            uint32_t at;
            /* Of two generations of a pool the newer one counts. */
            if (mu_map_get(by_key, key, &at)) {
                if (list->items[at].slice->generation < slice->generation)
                    list->items[at] = (struct published){slice, &slice->devices[d]};
                continue;
            }
            mu_map_put(by_key, key, (uint32_t)list->len);
            MU_VEC_PUSH(audit->arena, list, (struct published){slice, &slice->devices[d]});
        }
    }
}

/* The card that an attribute stands for ("uuid GPU-1"), or empty. Names may have a domain before them. */
static struct mu_str identity(const struct mu_audit *audit, const struct mu_slice *slice,
                              const struct mu_device_attribute *attribute) {
    struct mu_str name = text_of(audit, attribute->name), value = text_of(audit, attribute->text);
    ptrdiff_t slash = mu_str_index(name, '/');
    if (slash >= 0)
        name = mu_str_slice(name, (size_t)slash + 1, name.len);
    if (value.len == 0)
        return MU_STR("");
    if (mu_str_eq(name, MU_STR("uuid")) || mu_str_eq(name, MU_STR("parentUUID")))
        return mu_str_printf(audit->arena, "with uuid " MU_STR_FMT, MU_STR_ARG(value));
    if ((mu_str_eq(name, MU_STR("pciBusID")) || mu_str_eq(name, MU_STR("pcieBusID"))) && slice->node)
        return mu_str_printf(audit->arena, "on bus " MU_STR_FMT " of node " MU_STR_FMT, MU_STR_ARG(value),
                             MU_STR_ARG(text_of(audit, slice->node)));
    return MU_STR("");
}

static holdings list_identities(const struct mu_audit *audit, const holdings *all) {
    published_devices list = {0};
    struct mu_map by_key;
    mu_map_init(&by_key, audit->arena, 0);
    index_published(audit, &list, &by_key);
    holdings identities = {0};
    for (size_t i = 0; i < all->len; i++) {
        uint32_t at;
        if (!mu_map_get(&by_key, all->items[i].key, &at))
            continue;
        const struct published *p = &list.items[at];
        for (uint32_t a = 0; a < p->device->attributes_len; a++) {
            struct mu_str key = identity(audit, p->slice, &p->device->attributes[a]);
            if (key.len > 0)
                MU_VEC_PUSH(audit->arena, &identities,
                            (struct holding){key, all->items[i].claim, all->items[i].result, all->items[i].order});
        }
    }
    return identities;
}

/* Within one driver identity means nothing: its partitions and shares are its own affair. */
static bool by_two_drivers(const struct holding *items, size_t len) {
    for (size_t i = 1; i < len; i++)
        if (items[i].result->driver != items[0].result->driver)
            return true;
    return false;
}

/* The drivers of a card's holdings, each once. */
static struct mu_str drivers_of(const struct mu_audit *audit, const struct holding *items, size_t len) {
    struct mu_buf text;
    mu_buf_init(&text, audit->arena);
    mu_buf_add(&text, text_of(audit, items[0].result->driver));
    for (size_t i = 1; i < len; i++)
        if (items[i].result->driver != items[i - 1].result->driver)
            mu_buf_printf(&text, " and " MU_STR_FMT, MU_STR_ARG(text_of(audit, items[i].result->driver)));
    return mu_buf_str(&text);
}

static void find_same_card(struct mu_audit *audit, const holdings *identities, size_t holdings_len) {
    /* A card that is known by its bus and by its uuid is one finding. */
    bool *reported = MU_NEW_ARRAY(audit->arena, bool, holdings_len);
    for (size_t i = 0, n; i < identities->len; i += n) {
        const struct holding *items = &identities->items[i];
        n = run_of(identities->items, identities->len, i);
        if (!by_two_drivers(items, n))
            continue;
        bool known = true;
        for (size_t h = 0; h < n; h++) {
            known = known && reported[items[h].order];
            reported[items[h].order] = true;
        }
        if (known)
            continue;
        struct mu_str drivers = drivers_of(audit, items, n);
        report(audit, items, n,
               mu_str_printf(audit->arena, "the card " MU_STR_FMT " is given out by several drivers: " MU_STR_FMT,
                             MU_STR_ARG(items[0].key), MU_STR_ARG(drivers)));
    }
}

void mu_audit_devices(struct mu_audit *audit) {
    holdings all = list_holdings(audit);
    holdings identities = list_identities(audit, &all);
    sort(audit, &all);
    find_same_device(audit, &all);
    sort(audit, &identities);
    find_same_card(audit, &identities, all.len);
}
