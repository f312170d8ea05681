/* Canonical forms of every other kind. */
#include "scheduler/objects/canon.h"

/* ---- Nodes and groups ---- */

static void put_taint(struct mu_canon *c, const void *item) {
    const struct mu_taint *taint = item;
    mu_canon_sym(c, taint->key);
    mu_canon_sym(c, taint->value);
    mu_canon_int(c, (int64_t)taint->effect);
}

static void put_image(struct mu_canon *c, const void *item) {
    const struct mu_image *image = item;
    mu_canon_sym(c, image->name);
    mu_canon_int(c, image->bytes);
}

void mu_canon_node(struct mu_canon *c, const void *object) {
    const struct mu_node *node = object;
    mu_canon_meta(c, &node->meta);
    mu_canon_int(c, node->unschedulable);
    mu_canon_list(c, node->taints, node->taints_len, sizeof *node->taints, put_taint);
    mu_canon_amounts(c, node->allocatable, node->allocatable_len);
    mu_canon_set(c, node->images, node->images_len, sizeof *node->images, put_image);
    mu_canon_sym_set(c, node->features, node->features_len);
}

static void put_role(struct mu_canon *c, const void *item) {
    const struct mu_role *role = item;
    mu_canon_sym(c, role->name);
    mu_canon_int(c, role->minimum);
}

void mu_canon_group(struct mu_canon *c, const void *object) {
    const struct mu_group_object *group = object;
    mu_canon_meta(c, &group->meta);
    mu_canon_int(c, (int64_t)group->api);
    mu_canon_int(c, group->basic);
    mu_canon_int(c, group->min_count);
    mu_canon_list(c, group->roles, group->roles_len, sizeof *group->roles, put_role);
    mu_canon_amounts(c, group->min_resources, group->min_resources_len);
    mu_canon_syms(c, group->topology_keys, group->topology_keys_len);
    mu_canon_claim_uses(c, group->claims, group->claims_len);
    mu_canon_claim_statuses(c, group->claim_statuses, group->claim_statuses_len);
    mu_canon_int(c, group->has_priority);
    mu_canon_int(c, group->priority);
    mu_canon_sym(c, group->priority_class);
    mu_canon_int(c, (int64_t)group->preemption);
    mu_canon_int(c, group->disrupt_together);
    mu_canon_sym(c, group->parent);
    mu_canon_sym(c, group->queue);
    mu_canon_sym(c, group->phase);
    mu_canon_int(c, group->leader_ready);
}

/* ---- Volumes ---- */

void mu_canon_pv(struct mu_canon *c, const void *object) {
    const struct mu_pv *pv = object;
    mu_canon_meta(c, &pv->meta);
    mu_canon_int(c, pv->capacity_bytes);
    mu_canon_int(c, pv->access);
    mu_canon_sym(c, pv->storage_class);
    mu_canon_int(c, pv->block);
    mu_canon_sym(c, pv->claim_namespace);
    mu_canon_sym(c, pv->claim_name);
    mu_canon_sym(c, pv->claim_uid);
    mu_canon_int(c, pv->has_node_required);
    mu_canon_node_terms(c, pv->node_required, pv->node_required_len);
    mu_canon_sym(c, pv->phase);
    mu_canon_sym(c, pv->csi_driver);
    mu_canon_sym(c, pv->csi_handle);
    mu_canon_sym(c, pv->attributes_class);
}

void mu_canon_pvc(struct mu_canon *c, const void *object) {
    const struct mu_pvc *pvc = object;
    mu_canon_meta(c, &pvc->meta);
    mu_canon_int(c, pvc->request_bytes);
    mu_canon_int(c, pvc->access);
    mu_canon_sym(c, pvc->storage_class);
    mu_canon_int(c, pvc->has_storage_class);
    mu_canon_int(c, pvc->block);
    mu_canon_sym(c, pvc->volume);
    mu_canon_selector(c, pvc->selector);
    mu_canon_int(c, pvc->bound);
    mu_canon_sym(c, pvc->selected_node);
    mu_canon_sym(c, pvc->attributes_class);
}

static void put_topology(struct mu_canon *c, const void *item) {
    mu_canon_selector(c, item);
}

void mu_canon_storage_class(struct mu_canon *c, const void *object) {
    const struct mu_storage_class *class = object;
    mu_canon_meta(c, &class->meta);
    mu_canon_sym(c, class->provisioner);
    mu_canon_int(c, class->wait_for_first_consumer);
    mu_canon_int(c, class->is_default);
    mu_canon_list(c, class->allowed_topologies, class->allowed_topologies_len, sizeof *class->allowed_topologies,
                  put_topology);
}

static void put_driver(struct mu_canon *c, const void *item) {
    const struct mu_csi_driver_limit *driver = item;
    mu_canon_sym(c, driver->driver);
    mu_canon_int(c, driver->count);
    mu_canon_syms(c, driver->topology_keys, driver->topology_keys_len);
}

void mu_canon_csi_node(struct mu_canon *c, const void *object) {
    const struct mu_csi_node *node = object;
    mu_canon_meta(c, &node->meta);
    mu_canon_list(c, node->drivers, node->drivers_len, sizeof *node->drivers, put_driver);
}

void mu_canon_csi_driver(struct mu_canon *c, const void *object) {
    const struct mu_csi_driver *driver = object;
    mu_canon_meta(c, &driver->meta);
    mu_canon_int(c, driver->storage_capacity);
}

void mu_canon_csi_capacity(struct mu_canon *c, const void *object) {
    const struct mu_csi_capacity *capacity = object;
    mu_canon_meta(c, &capacity->meta);
    mu_canon_sym(c, capacity->storage_class);
    mu_canon_selector(c, capacity->node_topology);
    mu_canon_int(c, capacity->capacity_bytes);
    mu_canon_int(c, capacity->maximum_bytes);
}

/* ---- Policy ---- */

void mu_canon_priority_class(struct mu_canon *c, const void *object) {
    const struct mu_priority_class *class = object;
    mu_canon_meta(c, &class->meta);
    mu_canon_int(c, class->value);
    mu_canon_int(c, class->global_default);
    mu_canon_int(c, (int64_t) class->preemption);
}

void mu_canon_pdb(struct mu_canon *c, const void *object) {
    const struct mu_pdb *pdb = object;
    mu_canon_meta(c, &pdb->meta);
    mu_canon_selector(c, pdb->selector);
    mu_canon_int(c, pdb->disruptions_allowed);
    mu_canon_sym_set(c, pdb->disrupted, pdb->disrupted_len);
}

void mu_canon_namespace(struct mu_canon *c, const void *object) {
    const struct mu_namespace *namespace = object;
    mu_canon_meta(c, &namespace->meta);
}

static void put_quota(struct mu_canon *c, const void *item) {
    const struct mu_quota *quota = item;
    mu_canon_sym(c, quota->resource);
    mu_canon_int(c, quota->nominal);
    mu_canon_int(c, quota->borrowing_limit);
    mu_canon_int(c, quota->lending_limit);
}

void mu_canon_queue(struct mu_canon *c, const void *object) {
    const struct mu_queue *queue = object;
    mu_canon_meta(c, &queue->meta);
    mu_canon_int(c, queue->volcano);
    mu_canon_int(c, queue->closed);
    mu_canon_sym(c, queue->parent);
    mu_canon_int(c, queue->weight);
    mu_canon_selector(c, queue->namespace_selector);
    mu_canon_int(c, (int64_t)queue->order);
    mu_canon_set(c, queue->quota, queue->quota_len, sizeof *queue->quota, put_quota);
    mu_canon_int(c, (int64_t)queue->reclaim);
    mu_canon_int(c, queue->keeps_borrowed);
    mu_canon_int(c, queue->min_runtime_ns);
    mu_canon_int(c, queue->max_wait_ns);
}
