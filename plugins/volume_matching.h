/* Volume matching: can each of these claims have a volume of its own? */
#ifndef MU_PLUGINS_VOLUME_MATCHING_H
#define MU_PLUGINS_VOLUME_MATCHING_H

#include "plugins/volumes.h"

/* A claim that one of the volumes must serve. */
struct mu_volume_demand {
    const struct mu_pvc *pvc;
    uint32_t node; /* where it is needed */
    bool anywhere; /* at other nodes too: only a volume that every node reaches will do */
};

struct mu_volume_matching {
    const struct mu_pv **pvs; /* all that are for anybody to take, by number; sorted by name */
    uint32_t pvs_len;
    struct mu_selector_index *by_node;
    struct mu_volume_demand *demands; /* those that are served */
    uint32_t *serves;                 /* by demand: the volume */
    uint32_t demands_len;
    uint32_t *served;  /* by volume: the demand; MU_NO_DEMAND */
    uint32_t *via;     /* by volume, in a search: the demand from which it was reached */
    uint64_t *reached; /* by volume: the last search that reached it */
    uint32_t *queue;   /* demands of a search */
    uint64_t searches;
    uint32_t hint; /* where among a node's volumes a free one was found last: look there first */
};

#define MU_NO_DEMAND UINT32_MAX

/* For volumes of these storage classes that nobody has. Memory as mu_fw_alloc gives it. */
struct mu_volume_matching *mu_volume_matching_make(struct mu_fw *fw, const struct mu_volume_source *sources,
                                                   uint32_t sources_len);
void mu_volume_matching_clear(struct mu_volume_matching *matching);
/* Serves one claim more, moving others to other volumes where that helps. False where no assignment of volumes serves
 * all of them; nothing changed then. */
bool mu_volume_matching_add(struct mu_fw *fw, struct mu_volume_matching *matching, struct mu_volume_demand demand);
/* Drops the newest demands until so many are left; the others stay served. */
void mu_volume_matching_drop(struct mu_volume_matching *matching, uint32_t demands_len);
/* Is every volume on one node alone, so that claims of other nodes' pods are no rivals? */
bool mu_volume_matching_is_local(struct mu_fw *fw, const struct mu_volume_matching *matching);

#endif
