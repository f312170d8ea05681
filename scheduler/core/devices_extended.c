/* Extended resources that DeviceClasses serve (KEP-5004): where a node has none of the resource from a device plugin, a
 * pod that asks for it gets a claim of its own for devices of the class. */
#include "scheduler/core/devices_internal.h"

static const char implicit_prefix[] = "deviceclass.resource.kubernetes.io/";

/* Of two classes that name one resource the newer serves it, of equally old ones the first by name. */
static bool serves_before(const struct mu_devices *d, const struct mu_device_class *a,
                          const struct mu_device_class *b) {
    if (!b)
        return true;
    int by_age = mu_created_cmp(a->meta.created_ns, b->meta.created_ns);
    return by_age ? by_age > 0 : mu_sym_cmp(d->s->symbols, a->meta.name, b->meta.name) < 0;
}

static mu_sym find_class(const struct mu_devices *d, mu_sym resource) {
    struct mu_str name = mu_text(d->s->symbols, resource);
    const struct mu_device_class *found = NULL;
    bool implicit = mu_str_starts(name, mu_str_from(implicit_prefix));
    for (uint32_t i = 0; i < d->classes_len; i++) {
        const struct mu_device_class *class = d->classes[i];
        bool serves = implicit ? mu_str_eq(mu_text(d->s->symbols, class->meta.name),
                                           mu_str_slice(name, sizeof implicit_prefix - 1, name.len))
                               : class->extended_resource == resource;
        if (serves && serves_before(d, class, found))
            found = class;
    }
    return found ? found->meta.name : 0;
}

mu_sym mu_devices_class_of(struct mu_devices *d, mu_sym resource) {
    uint32_t class;
    struct mu_str key = {(const char *)&resource, sizeof resource};
    if (mu_map_get(&d->class_of, key, &class))
        return class;
    mu_sym *kept = MU_NEW(d->arena, mu_sym);
    *kept = resource;
    class = find_class(d, resource);
    mu_map_put(&d->class_of, (struct mu_str){(const char *)kept, sizeof *kept}, class);
    return class;
}

bool mu_devices_class_is_local(struct mu_devices *d, mu_sym class) {
    const struct mu_device_request request = {.exactly = {.class = class}};
    const struct mu_claim any = {.requests = &request, .requests_len = 1};
    return !class || mu_alloc_claim_local(d->alloc, &any);
}

bool mu_devices_serve(struct mu_devices *d, mu_sym resource, uint32_t node) {
    return mu_fw_allocatable(&d->s->fw, node, resource) <= 0 && mu_devices_class_of(d, resource);
}

/* ------------------------------------------------------------------ the claim */

/* Requests of containers that ended before can be used again by those that start later. */
struct making {
    struct mu_devices *d;
    struct mu_device_request *requests;
    bool *start_up, *taken;
    uint32_t len;
};

static void add_request(struct making *m, const struct mu_extended_request *asked, int64_t count) {
    struct mu_arena_mark mark = mu_arena_mark(m->d->stack);
    struct mu_str name = mu_str_printf(m->d->stack, "container-%u-request-%u", asked->container, asked->index);
    mu_sym sym = mu_intern(m->d->s->symbols, name);
    mu_arena_rollback(m->d->stack, mark);
    m->start_up[m->len] = asked->start_up;
    m->requests[m->len++] = (struct mu_device_request){.name = sym,
                                                       .exactly = {.name = sym,
                                                                   .class = mu_devices_class_of(m->d, asked->resource),
                                                                   .mode = MU_DEVICES_EXACT,
                                                                   .count = count}};
}

static void add_container(struct making *m, const struct mu_extended_request *asked) {
    int64_t lacking = asked->amount;
    mu_sym class = mu_devices_class_of(m->d, asked->resource);
    for (uint32_t i = 0; i < m->len && lacking > 0; i++) {
        if (!m->start_up[i] || m->taken[i] || m->requests[i].exactly.class != class)
            continue;
        m->taken[i] = !asked->start_up;
        lacking -= m->requests[i].exactly.count < lacking ? m->requests[i].exactly.count : lacking;
    }
    if (lacking > 0)
        add_request(m, asked, lacking);
}

static const struct mu_claim *make_claim(struct mu_devices *d, const struct mu_pod_claims *claims, const bool *served) {
    const struct mu_pod_spec *spec = claims->extended;
    struct making m = {.d = d,
                       .requests = MU_NEW_ARRAY(d->arena, struct mu_device_request, spec->extended_len),
                       .start_up = MU_NEW_ARRAY(d->arena, bool, spec->extended_len),
                       .taken = MU_NEW_ARRAY(d->arena, bool, spec->extended_len)};
    for (uint32_t i = 0; i < spec->extended_len; i++)
        if (served[i])
            add_container(&m, &spec->extended[i]);
    struct mu_claim *claim = MU_NEW(d->arena, struct mu_claim);
    claim->requests = m.requests;
    claim->requests_len = m.len;
    claim->meta.namespace = claims->namespace;
    claim->meta.created_ns = claim->meta.deleted_ns = MU_TIME_NONE;
    return claim;
}

const struct mu_claim *mu_devices_extended_claim(struct mu_devices *d, const struct mu_pod_claims *claims,
                                                 uint32_t node) {
    const struct mu_pod_spec *spec = claims->extended;
    struct mu_arena_mark mark = mu_arena_mark(d->stack);
    struct mu_buf key;
    mu_buf_init(&key, d->stack);
    mu_buf_add(&key, (struct mu_str){(const char *)&spec->id, sizeof spec->id});
    mu_buf_add(&key, (struct mu_str){(const char *)&claims->namespace, sizeof claims->namespace});
    bool *served = MU_NEW_ARRAY(d->stack, bool, spec->extended_len), any = false;
    for (uint32_t i = 0; i < spec->extended_len; i++) {
        served[i] = mu_devices_serve(d, spec->extended[i].resource, node);
        mu_buf_add_char(&key, served[i] ? '1' : '0');
        any |= served[i];
    }
    const struct mu_claim *claim = NULL;
    uint32_t index;
    if (any && mu_map_get(&d->extended_index, mu_buf_str(&key), &index)) {
        claim = d->extended.items[index];
    } else if (any) {
        claim = make_claim(d, claims, served);
        MU_VEC_PUSH(d->arena, &d->extended, claim);
        mu_map_put(&d->extended_index, mu_str_dup(d->arena, mu_buf_str(&key)), (uint32_t)d->extended.len - 1);
    }
    mu_arena_rollback(d->stack, mark);
    return claim;
}
