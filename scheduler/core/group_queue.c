/* Queues: which one a group is in, whether it may be there, and what its quota says (contract, section 5). */
#include "scheduler/base/limits.h"
#include "scheduler/core/groups_internal.h"

/* ------------------------------------------------------------------ which queue */

static mu_sym queue_of_object(const struct mu_drafting *d, const struct mu_group_object *object) {
    if (!object)
        return 0;
    mu_sym name = mu_word_value(&object->meta.labels, d->words.queue);
    return name || object->api != MU_GROUP_VOLCANO ? name : object->queue;
}

static mu_sym queue_of_pod(const struct mu_drafting *d, const struct mu_pod *pod) {
    mu_sym name = mu_word_value(&pod->meta.labels, d->words.queue);
    return name ? name : mu_word_value(&pod->meta.annotations, d->words.volcano_queue);
}

/* The one queue that was named so far, and by whom. */
struct named_queue {
    mu_sym queue, by;
    struct mu_refusal refusal;
};

static void name_queue(const struct mu_drafting *d, struct named_queue *named, mu_sym queue, const char *what,
                       mu_sym by) {
    if (!queue || queue == named->queue || mu_refused(&named->refusal))
        return;
    if (named->queue)
        named->refusal = mu_senseless(mu_str_printf(
            d->arena, "it names 2 queues, " MU_STR_FMT " by %s " MU_STR_FMT " and " MU_STR_FMT " by %s " MU_STR_FMT,
            MU_STR_ARG(mu_text(d->symbols, named->queue)), what, MU_STR_ARG(mu_text(d->symbols, named->by)),
            MU_STR_ARG(mu_text(d->symbols, queue)), what, MU_STR_ARG(mu_text(d->symbols, by))));
    else
        *named = (struct named_queue){queue, by, {0}};
}

/* The groups in a tree, the root first; what is below a group that names a queue is not asked. */
static void ask_objects(const struct mu_drafting *d, const struct mu_judged *judged, struct named_queue *named) {
    const struct mu_draft *draft = judged->draft;
    mu_sym queue = draft ? queue_of_object(d, draft->object ? draft->object : draft->set) : 0;
    name_queue(d, named, queue, "group", judged->unit->name);
    for (uint32_t i = 0; i < judged->unit->children_len && !queue; i++)
        ask_objects(d, &judged->children[i], named);
}

static struct named_queue find_queue(const struct mu_building *b) {
    const struct mu_drafting *d = b->d;
    struct named_queue named = {0};
    ask_objects(d, b->root, &named);
    if (named.queue)
        return named;
    for (uint32_t i = 0; i < b->group->pods_len; i++) {
        const struct mu_pod *pod = b->group->pods[i].pod;
        name_queue(d, &named, queue_of_pod(d, pod), "pod", pod->meta.name);
    }
    for (size_t i = 0; i < b->leaves.len && !named.queue; i++) {
        const struct mu_part *part = b->leaves.items[i]->part;
        for (uint32_t j = 0; j < part->running_len && !named.queue; j++)
            named.queue = queue_of_pod(d, part->running[j]);
    }
    return named;
}

/* ------------------------------------------------------------------ whether it may be there */

static bool admits(const struct mu_building *b, const struct mu_queue *queue) {
    const struct mu_drafting *d = b->d;
    if (!queue->namespace_selector)
        return true;
    const struct mu_namespace *namespace = mu_find_namespace(d, b->group->namespace);
    /* What the server puts on every Namespace holds for one that the input does not have. */
    struct mu_label name = {mu_intern(d->symbols, MU_STR("kubernetes.io/metadata.name")), b->group->namespace};
    struct mu_labels labels = namespace ? namespace->meta.labels : (struct mu_labels){&name, 1};
    return mu_selector_matches(queue->namespace_selector, &labels, d->symbols);
}

static struct mu_refusal refuse(const struct mu_building *b, enum mu_decision decision, enum mu_reason reason,
                                const char *what) {
    return (struct mu_refusal){decision, reason,
                               mu_str_printf(b->d->arena, "queue " MU_STR_FMT " %s",
                                             MU_STR_ARG(mu_text(b->d->symbols, b->group->queue)), what)};
}

static struct mu_refusal refuse_invalid(const struct mu_building *b, const struct mu_queue *queue) {
    struct mu_str what =
        mu_str_printf(b->d->arena, "counts as not there: " MU_STR_FMT, MU_STR_ARG(queue->meta.invalid));
    return refuse(b, MU_WAIT, MU_REASON_QUEUE_NOT_FOUND, what.ptr);
}

struct mu_refusal mu_group_set_queue(struct mu_building *b) {
    struct named_queue named = find_queue(b);
    struct mu_str nobody = MU_STR("default");
    b->group->queue = named.queue ? named.queue : mu_intern(b->d->symbols, nobody);
    if (mu_refused(&named.refusal))
        return named.refusal;
    const struct mu_queue *queue = mu_find_queue(b->d, b->group->queue);
    if (!queue && mu_str_eq(mu_text(b->d->symbols, b->group->queue), nobody))
        return (struct mu_refusal){0};
    if (!queue)
        return refuse(b, MU_WAIT, MU_REASON_QUEUE_NOT_FOUND, "does not exist");
    b->group->queue_object = queue;
    if (queue->meta.invalid.len > 0)
        return refuse_invalid(b, queue);
    if (queue->closed)
        return refuse(b, MU_WAIT, MU_REASON_QUEUE_CLOSED, "is not open");
    if (!admits(b, queue))
        return refuse(b, MU_PENDING, MU_REASON_QUEUE_FORBIDDEN,
                      mu_str_printf(b->d->arena, "is not for namespace " MU_STR_FMT " (spec.namespaceSelector)",
                                    MU_STR_ARG(mu_text(b->d->symbols, b->group->namespace)))
                          .ptr);
    return (struct mu_refusal){0};
}

/* ------------------------------------------------------------------ quota */

/* Volcano's `deserved` alone is a share; `capability` is what limits. */
static bool limits(const struct mu_queue *queue, const struct mu_quota *quota) {
    return !queue->volcano || quota->borrowing_limit >= 0;
}

/* Devices of a class are limited under one of three names (contract, section 5): ResourceQuota's, and Volcano's for
 * whole devices and for their capacity. Any of them that mentions a class which a claim asks for. */
static bool names_class(struct mu_str resource, struct mu_str class) {
    static const char after[] = ".deviceclass.resource.k8s.io/devices", before[] = "deviceclass/";
    if (mu_str_starts(resource, class) &&
        mu_str_eq(mu_str_slice(resource, class.len, resource.len), mu_str_from(after)))
        return true;
    const char *at = memmem(resource.ptr, resource.len, before, sizeof before - 1);
    return at &&
           mu_str_eq(mu_str_slice(resource, (size_t)(at - resource.ptr) + sizeof before - 1, resource.len), class);
}

static bool ask_names_class(const struct mu_building *b, const struct mu_device_ask *ask, mu_sym resource) {
    return ask->class && names_class(mu_text(b->d->symbols, resource), mu_text(b->d->symbols, ask->class));
}

static bool claim_asks_for(const struct mu_building *b, const struct mu_claim *claim, mu_sym resource) {
    for (uint32_t r = 0; r < claim->requests_len; r++) {
        const struct mu_device_request *request = &claim->requests[r];
        bool any = ask_names_class(b, &request->exactly, resource);
        for (uint32_t a = 0; a < request->alternatives_len; a++)
            any |= ask_names_class(b, &request->alternatives[a], resource);
        if (any)
            return true;
    }
    return false;
}

static bool claims_ask_for(const struct mu_building *b, mu_sym resource) {
    for (size_t l = 0; l < b->leaves.len; l++) {
        const struct mu_part *part = b->leaves.items[l]->part;
        for (uint32_t i = 0; i < part->ready_len; i++)
            for (uint32_t k = 0; k < part->ready_claims[i].len; k++)
                if (claim_asks_for(b, part->ready_claims[i].items[k].claim, resource))
                    return true;
    }
    return false;
}

static bool asks_for(const struct mu_building *b, mu_sym resource) {
    bool is_pods = mu_str_eq(mu_text(b->d->symbols, resource), MU_STR("pods"));
    const struct mu_pod_spec *last = NULL;
    for (uint32_t i = 0; i < b->group->pods_len; i++) {
        const struct mu_pod_spec *spec = b->group->pods[i].pod->spec;
        if (is_pods)
            return true;
        for (uint32_t j = 0; spec != last && j < spec->requests_len; j++)
            if (spec->requests[j].resource == resource)
                return true;
        last = spec;
    }
    return claims_ask_for(b, resource);
}

/* The first by name of the resources that the queue limits and the group asks for; 0: none. */
static mu_sym limited_resource(const struct mu_building *b, const struct mu_queue *queue) {
    mu_sym first = 0;
    for (uint32_t i = 0; i < queue->quota_len; i++) {
        mu_sym resource = queue->quota[i].resource;
        if (limits(queue, &queue->quota[i]) && asks_for(b, resource) &&
            (!first || mu_sym_cmp(b->d->symbols, resource, first) < 0))
            first = resource;
    }
    return first;
}

/* Until quotas are decided, no group goes past a limit unseen: one that a limit concerns does not go at all. */
struct mu_refusal mu_group_ask_quota(struct mu_building *b) {
    const struct mu_queue *queue = b->group->queue_object;
    for (int level = 0; queue && level < MU_LIMIT_TREE_DEPTH; level++) {
        mu_sym resource = limited_resource(b, queue);
        if (resource)
            return (struct mu_refusal){MU_PENDING, MU_REASON_UNSUPPORTED,
                                       mu_str_printf(b->d->arena,
                                                     "queue " MU_STR_FMT " limits " MU_STR_FMT
                                                     ", and quotas are not decided yet",
                                                     MU_STR_ARG(mu_text(b->d->symbols, queue->meta.name)),
                                                     MU_STR_ARG(mu_text(b->d->symbols, resource)))};
        queue = queue->parent ? mu_find_queue(b->d, queue->parent) : NULL;
    }
    return (struct mu_refusal){0};
}
