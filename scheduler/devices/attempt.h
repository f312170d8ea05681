/* One attempt to find devices for claims on a node, private to this folder: requests.c checks what is asked and lays it
 * out, allocator.c searches, results.c says what was found. */
#ifndef MU_DEVICES_ATTEMPT_H
#define MU_DEVICES_ATTEMPT_H

#include "scheduler/base/limits.h"
#include "scheduler/devices/constraints.h"
#include "scheduler/devices/state.h"

/* A request, or one of its alternatives. */
struct mu_ask_work {
    const struct mu_device_ask *ask;
    mu_sym request;   /* the request's name */
    mu_sym full_name; /* the same, or "REQUEST/ALTERNATIVE" */
    const struct mu_device_class *class;
    const uint32_t *programs; /* of the class's selectors, then of its own */
    uint32_t programs_len;
    int64_t devices;     /* how many it wants */
    const uint32_t *all; /* entries, where it wants all of them */
    uint8_t *known;      /* by candidate: whether it can be selected */
};

struct mu_request_work {
    uint32_t first_ask, asks_len;
    bool alternatives;
    uint32_t chosen; /* of the asks, while the search is in it or past it */
};

/* Where wants are, and what can be taken there. */
struct mu_seat {
    const struct mu_node *const *nodes;
    uint32_t nodes_len;
    const struct mu_view *view; /* of the first */
    const uint32_t *candidates; /* entries, in the order in which they are tried */
    uint32_t candidates_len;
};

struct mu_claim_work {
    const struct mu_claim *claim;
    const struct mu_seat *seat;
    mu_sym queue;
    bool twin; /* asks as the claim before it, in the same seat: it need not be given anything before that one's */
    uint32_t first_request, requests_len;
    const struct mu_limit_on *limits; /* constraints */
    uint32_t picks_len;               /* so far; the last ones of all picks */
    int64_t derived_cost;             /* of the derived attributes that were worked out for it */
};

/* A device that was taken for the time being. */
struct mu_pick {
    uint32_t claim, ask, entry;
    bool shared, admin;
    struct mu_named_quantity *consumed; /* of a share */
    uint32_t consumed_len, consumed_size;
    const struct mu_device_attribute **attributes; /* by constraint of its claim; NULL where that speaks not of it */
};

/* Where the search stands: the device that is wanted next. */
struct mu_position {
    uint32_t claim, request, alternative;
    bool inside; /* of an alternative that is being tried */
    int64_t device;
};

struct mu_frame {
    struct mu_position at;
    bool chooses_alternative; /* else a device */
    bool all_too_many;        /* no alternative failed for another reason than being too many devices */
    bool picked;              /* the newest pick is this frame's */
    uint32_t next;            /* the candidate to try next */
};

struct mu_attempt {
    struct mu_alloc *alloc;
    struct mu_arena *arena; /* of the result */
    struct mu_arena *scratch;
    struct mu_seat *seats;
    uint32_t seats_len;
    struct mu_claim_work *claims;
    uint32_t claims_len;
    MU_VEC(struct mu_request_work) requests;
    MU_VEC(struct mu_ask_work) asks;
    struct mu_map derived; /* claim, expression and device: cost is counted once */
    struct mu_pick *picks; /* slots keep their memory */
    uint32_t picks_len;
    uint32_t limits_max; /* of constraints of a claim */
    MU_VEC(struct mu_frame) frames;
    mu_i128 *amounts; /* room for a device's capacities */
    int64_t steps, budget, cut_after;
    bool shares;  /* a candidate is given out in shares */
    bool packed;  /* options.packed */
    bool hurries; /* the search is long: what cannot succeed is cut off */
    struct mu_alloc_fault *fault;
};

enum mu_verdict_of_search {
    MU_SEARCH_GO = 0, /* a frame was opened and has to choose */
    MU_SEARCH_FOUND,
    MU_SEARCH_FAILED,   /* not like this */
    MU_SEARCH_TOO_MANY, /* the claim would have more devices than it may */
    MU_SEARCH_STOPPED   /* a fault, or out of steps */
};

/* Sets the fault, once: the first counts. `claim` MU_NO_INDEX: of none. Always false. */
bool mu_fault(struct mu_attempt *a, enum mu_alloc_fault_kind kind, uint32_t claim, const struct mu_ask_work *ask,
              const char *format, ...) MU_PRINTF(5, 6);
struct mu_str mu_device_path(const struct mu_attempt *a, uint32_t entry);

/* requests.c. False with the fault. */
bool mu_requests_lay_out(struct mu_attempt *a);
/* Can the device be selected? -1: a fault. */
int mu_selectable(struct mu_attempt *a, uint32_t claim, const struct mu_ask_work *ask, uint32_t entry);
/* What a request takes of a device's capacity, into a->amounts: 1 it fits (`now`: as things stand, else if nobody held
 * the device), 0 it does not, -1 a fault. */
int mu_capacity_fits(struct mu_attempt *a, uint32_t claim, const struct mu_ask_work *ask, uint32_t entry, bool now);

/* crowding.c. A cheap proof of no: claims that ask alike in one seat want more devices together than there are. */
bool mu_is_crowded(struct mu_attempt *a);
/* allocator.c. Could the device serve the request if it were alone? Yes where a selector fails: that is for the search. */
bool mu_could_serve(struct mu_attempt *a, uint32_t claim, const struct mu_ask_work *ask, uint32_t entry);

/* seats.c. The devices that a node reaches, in upstream's order, in `arena`. */
uint32_t *mu_list_candidates(const struct mu_alloc *alloc, const struct mu_view *view, struct mu_arena *arena,
                             uint32_t *ret_len);
/* Lists the places of the wants, each once, with their candidates, and the claims in them. */
void mu_seats_lay_out(struct mu_attempt *a, const struct mu_alloc_want *wants, uint32_t len,
                      const struct mu_alloc_options *options);
/* Can the device be used from all nodes of the seat? Asked of a device that the first one reaches. */
bool mu_seat_reaches(const struct mu_attempt *a, const struct mu_seat *seat, uint32_t entry);

/* packing.c. The order in which candidates are tried where options.packed is set. */
void mu_pack(struct mu_attempt *a, uint32_t *candidates, uint32_t len);
/* How many untouched cards the picks break into. */
uint32_t mu_count_broken(const struct mu_attempt *a);

/* sharing.c. Do the rules of the class, and of those who have shares of the device, allow one more for the claim? */
bool mu_sharing_allows(const struct mu_attempt *a, uint32_t claim, const struct mu_device_ask *ask, uint32_t entry);

/* results.c. */
const struct mu_alloc_claim_result *mu_results_of(struct mu_attempt *a);

#endif
