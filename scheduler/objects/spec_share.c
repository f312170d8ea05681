/* One spec for all pods that are equal: found by their canonical form. */
#include "scheduler/objects/canon.h"
#include "scheduler/objects/store_index.h"

static struct mu_str spec_key(struct mu_decode *d, const struct mu_pod_spec *spec) {
    struct mu_canon c;
    mu_canon_init(&c, d->scratch, d->symbols, false);
    mu_canon_spec(&c, spec);
    return mu_canon_str(&c);
}

const struct mu_pod_spec *mu_spec_find(struct mu_decode *d, const struct mu_pod_spec *spec) {
    const struct mu_store_index *index = d->store->index;
    uint32_t found;
    return mu_map_get(&index->specs, spec_key(d, spec), &found) ? index->spec_list.items[found] : NULL;
}

const struct mu_pod_spec *mu_spec_add(struct mu_decode *d, struct mu_pod_spec *spec) {
    struct mu_store_index *index = d->store->index;
    spec->id = (uint32_t)index->spec_list.len;
    mu_map_put(&index->specs, mu_str_dup(d->store->arena, spec_key(d, spec)), spec->id);
    MU_VEC_PUSH(d->store->arena, &index->spec_list, spec);
    return spec;
}
