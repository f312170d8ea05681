/* Devices that are given out twice or beyond what they have, that are gone, or that should be left; see audit.h. */
#include "scheduler/cli/audit.h"

#include "scheduler/devices/held.h"
#include <stdlib.h>

/* One allocated device. */
struct holding {
    struct mu_str key; /* "driver/pool/device", as Kubernetes prints it */
    const struct mu_claim *claim;
    const struct mu_device_result *result;
    size_t order; /* as the store has them */
};

/* All of them by key, equal ones next to each other; those with administrative access are elsewhere. */
struct holdings {
    MU_VEC(struct holding) all;
    MU_VEC(struct holding) admin;
    struct mu_map first; /* key to the first of all */
};

static struct mu_str text_of(const struct mu_audit *audit, mu_sym sym) {
    return mu_text(&audit->store->symbols, sym);
}

static struct mu_str device_key(const struct mu_audit *audit, mu_sym driver, mu_sym pool, mu_sym device) {
    return mu_str_printf(audit->arena, MU_STR_FMT "/" MU_STR_FMT "/" MU_STR_FMT, MU_STR_ARG(text_of(audit, driver)),
                         MU_STR_ARG(text_of(audit, pool)), MU_STR_ARG(text_of(audit, device)));
}

/* By key, then equal shares together. */
static int compare_holdings(const void *a, const void *b, void *symbols) {
    const struct holding *x = a, *y = b;
    int order = mu_str_cmp(x->key, y->key);
    if (order == 0)
        order = mu_sym_cmp(symbols, x->result->share_id, y->result->share_id);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* The number of holdings of one device from `first` on. */
static size_t run_of(const struct holdings *h, size_t first) {
    size_t n = 1;
    while (first + n < h->all.len && mu_str_eq(h->all.items[first].key, h->all.items[first + n].key))
        n++;
    return n;
}

static void list_holdings(const struct mu_audit *audit, struct holdings *ret) {
    const struct mu_store *store = audit->store;
    for (size_t c = 0; c < store->claims.len; c++) {
        const struct mu_claim *claim = store->claims.items[c];
        for (uint32_t r = 0; claim->allocated && r < claim->results_len; r++) {
            const struct mu_device_result *result = &claim->results[r];
            struct holding holding = {device_key(audit, result->driver, result->pool, result->device), claim, result,
                                      ret->all.len};
            if (result->admin_access)
                MU_VEC_PUSH(audit->arena, &ret->admin, holding);
            else
                MU_VEC_PUSH(audit->arena, &ret->all, holding);
        }
    }
    if (ret->all.len > 0)
        qsort_r(ret->all.items, ret->all.len, sizeof ret->all.items[0], compare_holdings,
                (void *)(uintptr_t)&store->symbols);
    mu_map_init(&ret->first, audit->arena, 0);
    for (size_t i = 0; i < ret->all.len; i += run_of(ret, i))
        mu_map_put(&ret->first, ret->all.items[i].key, (uint32_t)i);
}

/* ------------------------------------------------------------------ sentences */

/* The holdings that a finding is about. */
struct involved {
    struct mu_audit *audit;
    MU_VEC(const struct holding *) list;
    struct mu_buf text;
};

static struct involved new_involved(struct mu_audit *audit) {
    struct involved involved = {.audit = audit};
    mu_buf_init(&involved.text, audit->arena);
    return involved;
}

static bool is_share(const struct holding *holding) {
    return holding->result->share_id != 0;
}

/* Adds "to ml/a, used by pod x; as a share to ml/b, used by pod y". */
static void add_run(struct involved *v, const struct holdings *h, size_t first) {
    size_t n = run_of(h, first);
    for (size_t i = first; i < first + n; i++) {
        const struct holding *holding = &h->all.items[i];
        MU_VEC_PUSH(v->audit->arena, &v->list, holding);
        if (i - first == MU_AUDIT_NAMES_SHOWN)
            mu_buf_printf(&v->text, "; and %zu more", first + n - i);
        if (i - first >= MU_AUDIT_NAMES_SHOWN)
            continue;
        const struct mu_meta *meta = &holding->claim->meta;
        mu_buf_printf(&v->text, "%s" MU_STR_FMT ", " MU_STR_FMT,
                      i > first ? (is_share(holding) ? "; as a share to " : "; to ")
                                : (is_share(holding) ? "as a share to " : "to "),
                      MU_STR_ARG(mu_audit_key(v->audit, meta->namespace, meta->name)),
                      MU_STR_ARG(mu_audit_users_text(v->audit, holding->claim)));
    }
}

/* The claims, each once, and then users of the first few. */
static void report(struct involved *v, enum mu_finding_kind kind) {
    struct mu_finding *finding = mu_audit_find(v->audit, kind);
    const struct mu_claim **claims = MU_NEW_ARRAY(v->audit->arena, const struct mu_claim *, v->list.len);
    size_t len = 0;
    struct mu_map seen;
    mu_map_init(&seen, v->audit->arena, 0);
    for (size_t i = 0; i < v->list.len; i++) {
        const struct mu_claim *claim = v->list.items[i]->claim;
        struct mu_str key = {(const char *)&v->list.items[i]->claim, sizeof claim};
        if (mu_map_get(&seen, key, NULL))
            continue;
        mu_map_put(&seen, key, 0);
        claims[len++] = claim;
        mu_audit_involve(v->audit, finding, "ResourceClaim", &claim->meta);
    }
    for (size_t i = 0; i < len && i < MU_AUDIT_NAMES_SHOWN; i++)
        mu_audit_involve_users(v->audit, finding, claims[i]);
    finding->message = mu_buf_str(&v->text);
}

/* ------------------------------------------------------------------ one device twice */

/* Shares of one device are told apart by their IDs; a whole device (no ID, so first in order) tolerates nothing beside
 * it. */
static bool collide(const struct holding *items, size_t len) {
    bool twice = len > 1 && !is_share(&items[0]);
    for (size_t i = 1; i < len; i++)
        twice = twice || items[i].result->share_id == items[i - 1].result->share_id;
    return twice;
}

static void find_same_device(struct mu_audit *audit, const struct holdings *h) {
    for (size_t i = 0, n; i < h->all.len; i += n) {
        n = run_of(h, i);
        if (!collide(&h->all.items[i], n))
            continue;
        struct involved v = new_involved(audit);
        mu_buf_printf(&v.text, "device " MU_STR_FMT " is given out %zu times: ", MU_STR_ARG(h->all.items[i].key), n);
        add_run(&v, h, i);
        report(&v, MU_FINDING_DEVICE_GIVEN_TWICE);
    }
}

/* ------------------------------------------------------------------ more than there is */

static struct mu_str amount(const struct mu_audit *audit, mu_i128 nano) {
    /* Memory is a multiple of a mebibyte, and little else is counted by millions. */
    bool binary = nano % ((mu_i128)1000000000 << 20) == 0;
    return mu_quantity_print(audit->arena, (struct mu_quantity){.nano = nano}, binary);
}

static void begin_excess(struct involved *v, const struct mu_excess *excess) {
    const struct mu_audit *audit = v->audit;
    const struct mu_excess_device *device = &excess->devices[0];
    struct mu_str name = text_of(audit, excess->name);
    if (excess->kind == MU_EXCESS_CARD)
        mu_buf_add(&v->text, MU_STR("one card is given out by several drivers"));
    else if (excess->kind == MU_EXCESS_CAPACITY)
        mu_buf_printf(&v->text, "device " MU_STR_FMT ": " MU_STR_FMT " of " MU_STR_FMT " " MU_STR_FMT " given out",
                      MU_STR_ARG(device_key(audit, device->driver, device->pool, device->device)),
                      MU_STR_ARG(amount(audit, excess->held)), MU_STR_ARG(amount(audit, excess->there)),
                      MU_STR_ARG(name));
    else
        mu_buf_printf(&v->text,
                      "pool " MU_STR_FMT "/" MU_STR_FMT ": " MU_STR_FMT " of " MU_STR_FMT " " MU_STR_FMT
                      " of counter set " MU_STR_FMT " given out",
                      MU_STR_ARG(text_of(audit, device->driver)), MU_STR_ARG(text_of(audit, device->pool)),
                      MU_STR_ARG(amount(audit, excess->held)), MU_STR_ARG(amount(audit, excess->there)),
                      MU_STR_ARG(name), MU_STR_ARG(text_of(audit, excess->set)));
}

static void report_excess(struct mu_audit *audit, const struct holdings *h, const struct mu_excess *excess) {
    struct involved v = new_involved(audit);
    begin_excess(&v, excess);
    for (uint32_t d = 0; d < excess->devices_len; d++) {
        const struct mu_excess_device *device = &excess->devices[d];
        struct mu_str key = device_key(audit, device->driver, device->pool, device->device);
        uint32_t first;
        MU_ASSERT(mu_map_get(&h->first, key, &first));
        mu_buf_add(&v.text, d > 0 ? MU_STR("; ") : MU_STR(": "));
        if (excess->kind != MU_EXCESS_CAPACITY)
            mu_buf_printf(&v.text, MU_STR_FMT " ", MU_STR_ARG(key));
        add_run(&v, h, first);
    }
    report(&v, excess->kind == MU_EXCESS_CARD ? MU_FINDING_DEVICE_GIVEN_TWICE : MU_FINDING_DEVICE_OVERCOMMITTED);
}

/* The kinds apart, since findings are listed by kind. */
static void report_excesses(struct mu_audit *audit, const struct holdings *h, const struct mu_alloc *alloc) {
    uint32_t len;
    const struct mu_excess *excesses = mu_alloc_excesses(alloc, audit->arena, &len);
    for (uint32_t i = 0; i < len; i++)
        if (excesses[i].kind == MU_EXCESS_CARD)
            report_excess(audit, h, &excesses[i]);
    for (uint32_t i = 0; i < len; i++)
        if (excesses[i].kind != MU_EXCESS_CARD)
            report_excess(audit, h, &excesses[i]);
}

/* ------------------------------------------------------------------ gone, and tainted */

/* Where a slice could not be made sense of, what it says is not known: those pools, by driver and name. */
static struct mu_map senseless_pools(const struct mu_audit *audit) {
    struct mu_map pools;
    mu_map_init(&pools, audit->arena, 0);
    for (size_t i = 0; i < audit->store->slices.len; i++) {
        const struct mu_slice *slice = audit->store->slices.items[i];
        if (slice->meta.invalid.len > 0)
            mu_map_put(&pools, device_key(audit, slice->driver, slice->pool, 0), 0);
    }
    return pools;
}

static void find_missing(struct mu_audit *audit, const struct mu_alloc *alloc, const struct mu_map *senseless,
                         const struct holding *holding) {
    const struct mu_device_result *result = holding->result;
    if (mu_alloc_published(alloc, result) != MU_PUBLISHED_NOT ||
        mu_map_get(senseless, device_key(audit, result->driver, result->pool, 0), NULL))
        return;
    struct involved v = new_involved(audit);
    MU_VEC_PUSH(audit->arena, &v.list, holding);
    mu_buf_printf(&v.text, "holds device " MU_STR_FMT ", which no ResourceSlice publishes; " MU_STR_FMT,
                  MU_STR_ARG(holding->key), MU_STR_ARG(mu_audit_users_text(audit, holding->claim)));
    report(&v, MU_FINDING_DEVICE_NOT_FOUND);
}

static void find_tainted(struct mu_audit *audit, const struct mu_alloc *alloc, const struct holding *holding,
                         int64_t now_ns) {
    const struct mu_device_taint *taint = mu_alloc_evicting_taint(alloc, holding->result, now_ns);
    if (!taint)
        return;
    struct involved v = new_involved(audit);
    MU_VEC_PUSH(audit->arena, &v.list, holding);
    struct mu_str value = text_of(audit, taint->value);
    mu_buf_printf(&v.text,
                  "holds device " MU_STR_FMT " and does not tolerate its taint " MU_STR_FMT "%s" MU_STR_FMT
                  ":NoExecute; " MU_STR_FMT,
                  MU_STR_ARG(holding->key), MU_STR_ARG(text_of(audit, taint->key)), value.len ? "=" : "",
                  MU_STR_ARG(value), MU_STR_ARG(mu_audit_users_text(audit, holding->claim)));
    report(&v, MU_FINDING_DEVICE_TAINTED);
}

static void find_missing_and_tainted(struct mu_audit *audit, const struct holdings *h, const struct mu_alloc *alloc,
                                     int64_t now_ns) {
    const struct mu_map senseless = senseless_pools(audit);
    for (size_t i = 0; i < h->all.len; i++)
        find_missing(audit, alloc, &senseless, &h->all.items[i]);
    for (size_t i = 0; i < h->admin.len; i++)
        find_missing(audit, alloc, &senseless, &h->admin.items[i]);
    for (size_t i = 0; i < h->all.len; i++)
        find_tainted(audit, alloc, &h->all.items[i], now_ns);
    for (size_t i = 0; i < h->admin.len; i++)
        find_tainted(audit, alloc, &h->admin.items[i], now_ns);
}

/* ------------------------------------------------------------------ all of it */

/* What is senseless by itself says nothing. */
static struct mu_alloc_input input_of(const struct mu_audit *audit) {
    struct mu_store *store = audit->store;
    const struct mu_slice **slices = MU_NEW_ARRAY(audit->arena, const struct mu_slice *, store->slices.len);
    struct mu_alloc_input input = {
        .symbols = &store->symbols,
        .slices = slices,
        .rules = (const struct mu_taint_rule *const *)store->taint_rules.items,
        .rules_len = (uint32_t)store->taint_rules.len,
        .features = MU_ALLOC_ALL_FEATURES,
        .one_card_one_driver = !audit->settings->no_identity,
        .identity = audit->settings->identity,
        .identity_len = audit->settings->identity_len,
    };
    for (size_t i = 0; i < store->slices.len; i++)
        if (store->slices.items[i]->meta.invalid.len == 0)
            slices[input.slices_len++] = store->slices.items[i];
    return input;
}

void mu_audit_devices(struct mu_audit *audit, int64_t now_ns) {
    struct holdings h = {.all = {0}};
    list_holdings(audit, &h);
    find_same_device(audit, &h);
    if (h.all.len + h.admin.len == 0)
        return;
    if (audit->store->slices.len == 0) {
        MU_VEC_PUSH(audit->arena, &audit->unchecked,
                    MU_STR("there are no ResourceSlices in the input: what claims hold was not compared with them"));
        return;
    }
    const struct mu_alloc_input input = input_of(audit);
    struct mu_alloc *alloc;
    struct mu_err err = {0};
    if (mu_alloc_create(audit->arena, &input, &alloc, &err) != 0) {
        MU_VEC_PUSH(audit->arena, &audit->unchecked,
                    mu_str_printf(audit->arena, "what claims hold was not compared with ResourceSlices: %s", err.text));
        return;
    }
    for (size_t i = 0; i < h.all.len; i++)
        mu_alloc_hold(alloc, h.all.items[i].claim, 0, h.all.items[i].result, 1);
    report_excesses(audit, &h, alloc);
    find_missing_and_tainted(audit, &h, alloc, now_ns);
}
