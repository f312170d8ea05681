/* Queues: which one a group is in, and whether it may be there (contract, section 5). */
#include "scheduler/base/limits.h"
#include "scheduler/core/groups_internal.h"

/* ------------------------------------------------------------------ which queue */

mu_sym mu_queue_of_object(const struct mu_drafting *d, const struct mu_group_object *object) {
    if (!object)
        return 0;
    mu_sym name = mu_word_value(&object->meta.labels, d->words.queue);
    return name || object->api != MU_GROUP_VOLCANO ? name : object->queue;
}

mu_sym mu_queue_of_pod(const struct mu_drafting *d, const struct mu_pod *pod) {
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
    mu_sym queue = draft ? mu_queue_of_object(d, draft->object ? draft->object : draft->set) : 0;
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
        name_queue(d, &named, mu_queue_of_pod(d, pod), "pod", pod->meta.name);
    }
    for (size_t i = 0; i < b->leaves.len && !named.queue; i++) {
        const struct mu_part *part = b->leaves.items[i]->part;
        for (uint32_t j = 0; j < part->running_len && !named.queue; j++)
            named.queue = mu_queue_of_pod(d, part->running[j]);
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
