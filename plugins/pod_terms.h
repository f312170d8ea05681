/* Terms of pod affinity as questions about pods. */
#ifndef MU_PLUGINS_POD_TERMS_H
#define MU_PLUGINS_POD_TERMS_H

#include "scheduler/core/framework.h"

/* Which pods the term means, as this pod carries it: its own namespace where none is named, its own label values for
 * matchLabelKeys and mismatchLabelKeys. Lives as long as the class being prepared and the pod. */
struct mu_pod_query mu_term_query(struct mu_fw *fw, const struct mu_pod_term *term, const struct mu_pod *pod);

/* Which pods all of the terms mean at once: required affinity wants one pod that matches every term (upstream:
 * podMatchesAllAffinityTerms). len is not 0. */
struct mu_pod_query mu_terms_query(struct mu_fw *fw, const struct mu_pod_term *terms, uint32_t len,
                                   const struct mu_pod *pod);

/* Is the required affinity of both pods, which are in one namespace, the same? */
bool mu_affinity_is_equal(const struct mu_pod *a, const struct mu_pod *b);

/* Labels of the pod under these keys, as many as it has; a key that it lacks says nothing. `into` has room for len. */
uint32_t mu_labels_pick(const struct mu_pod *pod, const mu_sym *keys, uint32_t len, struct mu_label *into);

bool mu_selector_is_equal(const struct mu_selector *a, const struct mu_selector *b);

/* Appends the pod's values of these labels, for `distinguish`. */
void mu_key_labels(struct mu_buf *key, const struct mu_fw *fw, const struct mu_pod *pod, const mu_sym *keys,
                   uint32_t len);

#endif
