/* Canonical forms of pods and their specs. A field that is missing here is one that makes no difference. */
#include "scheduler/objects/canon.h"

static void put_toleration(struct mu_canon *c, const void *item) {
    const struct mu_toleration *toleration = item;
    mu_canon_sym(c, toleration->key);
    mu_canon_sym(c, toleration->value);
    mu_canon_int(c, (int64_t)toleration->op);
    mu_canon_int(c, (int64_t)toleration->effect);
}

static void put_port(struct mu_canon *c, const void *item) {
    const struct mu_host_port *port = item;
    mu_canon_sym(c, port->ip);
    mu_canon_sym(c, port->protocol);
    mu_canon_int(c, port->port);
}

static void put_spread(struct mu_canon *c, const void *item) {
    const struct mu_spread *spread = item;
    mu_canon_int(c, spread->max_skew);
    mu_canon_int(c, spread->min_domains);
    mu_canon_sym(c, spread->topology_key);
    mu_canon_int(c, spread->hard);
    mu_canon_int(c, spread->ignore_node_affinity);
    mu_canon_int(c, spread->honor_node_taints);
    mu_canon_selector(c, spread->selector);
    mu_canon_syms(c, spread->match_label_keys, spread->match_label_keys_len);
}

static void put_pod_term(struct mu_canon *c, const void *item) {
    const struct mu_pod_term *term = item;
    mu_canon_sym(c, term->topology_key);
    mu_canon_selector(c, term->selector);
    mu_canon_sym_set(c, term->namespaces, term->namespaces_len);
    mu_canon_selector(c, term->namespace_selector);
    mu_canon_syms(c, term->match_label_keys, term->match_label_keys_len);
    mu_canon_syms(c, term->mismatch_label_keys, term->mismatch_label_keys_len);
    mu_canon_int(c, term->weight);
}

static void put_pod_terms(struct mu_canon *c, const struct mu_pod_term *terms, uint32_t len) {
    mu_canon_list(c, terms, len, sizeof *terms, put_pod_term);
}

static void put_extended(struct mu_canon *c, const void *item) {
    const struct mu_extended_request *request = item;
    mu_canon_sym(c, request->resource);
    mu_canon_int(c, request->amount);
    mu_canon_int(c, request->container);
    mu_canon_int(c, request->index);
    mu_canon_int(c, request->start_up);
}

void mu_canon_spec(struct mu_canon *c, const struct mu_pod_spec *spec) {
    mu_canon_sym(c, spec->scheduler);
    mu_canon_amounts(c, spec->requests, spec->requests_len);
    mu_canon_labels(c, &spec->node_selector);
    mu_canon_int(c, spec->has_node_required);
    mu_canon_node_terms(c, spec->node_required, spec->node_required_len);
    mu_canon_node_terms(c, spec->node_preferred, spec->node_preferred_len);
    mu_canon_list(c, spec->tolerations, spec->tolerations_len, sizeof *spec->tolerations, put_toleration);
    mu_canon_list(c, spec->host_ports, spec->host_ports_len, sizeof *spec->host_ports, put_port);
    mu_canon_list(c, spec->spread, spec->spread_len, sizeof *spec->spread, put_spread);
    put_pod_terms(c, spec->affinity, spec->affinity_len);
    put_pod_terms(c, spec->affinity_preferred, spec->affinity_preferred_len);
    put_pod_terms(c, spec->anti, spec->anti_len);
    put_pod_terms(c, spec->anti_preferred, spec->anti_preferred_len);
    mu_canon_syms(c, spec->images, spec->images_len);
    mu_canon_sym_set(c, spec->features, spec->features_len);
    mu_canon_list(c, spec->extended, spec->extended_len, sizeof *spec->extended, put_extended);
    mu_canon_int(c, spec->containers_len);
    mu_canon_int(c, spec->active_deadline_ns);
}

static void put_volume(struct mu_canon *c, const void *item) {
    const struct mu_volume_use *use = item;
    mu_canon_sym(c, use->claim);
    mu_canon_sym(c, use->csi_driver);
    mu_canon_int(c, use->ephemeral);
    mu_canon_int(c, use->read_only);
}

void mu_canon_pod(struct mu_canon *c, const void *object) {
    const struct mu_pod *pod = object;
    mu_canon_meta(c, &pod->meta);
    if (c->text) {
        mu_canon_spec(c, pod->spec);
    }
    mu_canon_int(c, pod->spec->id);
    mu_canon_sym(c, pod->node);
    mu_canon_sym(c, pod->nominated);
    mu_canon_int(c, (int64_t)pod->phase);
    mu_canon_int(c, pod->priority);
    mu_canon_sym(c, pod->priority_class);
    mu_canon_int(c, (int64_t)pod->preemption);
    mu_canon_int(c, pod->gated);
    mu_canon_int(c, pod->has_priority);
    mu_canon_sym(c, pod->gate);
    mu_canon_sym(c, pod->group);
    mu_canon_int(c, pod->started_ns);
    mu_canon_list(c, pod->volumes, pod->volumes_len, sizeof *pod->volumes, put_volume);
    mu_canon_claim_uses(c, pod->claims, pod->claims_len);
    mu_canon_claim_statuses(c, pod->claim_statuses, pod->claim_statuses_len);
    mu_canon_sym(c, pod->extended_claim);
    mu_canon_int(c, pod->expanded);
}
