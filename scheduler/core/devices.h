/* Devices: what the claims of the group under decision are given, on top of what others hold (KEP-4381).
 *
 * Every claim that has an allocation holds its devices. A claim of the group that has none is a *want*: it is given
 * devices on the node where the search puts its pod, and may be given others later on, when another member needs those
 * that it has: what members on a node get is solved for all of them together where one after the other does not do. So
 * a placement fails for want of devices only where no choice of devices would do. When the group is decided, what its
 * claims were given is settled, and held against the groups after it.
 *
 * All of it is part of the snapshot's tentative state: what a pod's placement took goes back with it, exactly. */
#ifndef MU_CORE_DEVICES_H
#define MU_CORE_DEVICES_H

#include "scheduler/core/groups.h"
#include "scheduler/core/snapshot_internal.h"
#include "scheduler/devices/allocator.h"

struct mu_devices;

/* What a claim has for now. */
struct mu_grant {
    const struct mu_device_result *results;
    const struct mu_device_config *configs;
    const struct mu_node_term *node_terms;
    uint32_t results_len, configs_len, node_terms_len;
    bool has_node_selector; /* false: usable from every node */
};

/* ---- devices.c */
/* The devices of the snapshot's store, made where they are not there yet or were made with other settings. *ret is NULL
 * where the input has no claims and no classes that matter. Errors: MU_E_LIMIT. */
int mu_devices_get(struct mu_snapshot *s, const struct mu_settings *settings, struct mu_devices **ret,
                   struct mu_err *err) MU_MUST_USE;
void mu_devices_drop(struct mu_snapshot *s);
/* Why the claim can never be given anything, whatever is free: a selector that does not compile, more devices than a
 * claim may have. Empty: it may be. The text lives as long as the devices. */
struct mu_str mu_devices_senseless(struct mu_devices *d, const struct mu_claim *claim);
/* What the claim has now; NULL: nothing. Valid until the next placement. */
const struct mu_grant *mu_devices_grant(const struct mu_devices *d, const struct mu_claim *claim);
/* What people should hear of pools and cards, in `arena`; the list is short. */
const struct mu_str *mu_devices_notes(const struct mu_devices *d, struct mu_arena *arena, uint32_t *ret_len);
/* A number for who holds what beyond what the API says. For tests of undo. */
uint64_t mu_devices_digest(const struct mu_devices *d);
/* How deep the tentative state is, and back to there: for when memory ran out in the middle of something. */
size_t mu_devices_depth(const struct mu_devices *d);
void mu_devices_back_to(struct mu_devices *d, size_t depth);

/* ---- devices_extended.c */
/* The DeviceClass that serves an extended resource; 0: none does. */
mu_sym mu_devices_class_of(struct mu_devices *d, mu_sym resource);
/* True where the node has nothing of the resource from a device plugin, and a class serves it. */
bool mu_devices_serve(struct mu_devices *d, mu_sym resource, uint32_t node);

/* ---- devices_users.c */
/* Does the pod use a claim that has an allocation? */
bool mu_devices_has_user(const struct mu_devices *d, uint32_t pod);
/* A pod is taken off its node for the time being: claims whose last user it was give up their devices. And back: undoes
 * exactly the newest of these. */
void mu_devices_pod_off(struct mu_devices *d, uint32_t pod);
void mu_devices_pod_back(struct mu_devices *d, uint32_t pod);
/* True where the claim has an allocation, and nobody has reserved it but pods that are listed, all of them pending, or
 * their PodGroup, of which no member runs (0: they have none): it may be given up for another (contract, section 6).
 * `slots` are sorted. */
bool mu_devices_is_stale(const struct mu_devices *d, const struct mu_claim *claim, const uint32_t *slots, uint32_t len,
                         mu_sym group);

/* ---- devices_wants.c */
/* A group's turn begins: what was given so far is settled. `claims` are its pods'. */
void mu_devices_begin(struct mu_devices *d, mu_sym queue, const struct mu_pod_claims *const *claims, uint32_t len);
/* Gives up a stale allocation for the time being, or takes up again the newest that was given up. */
void mu_devices_give_up(struct mu_devices *d, const struct mu_claim *claim);
void mu_devices_take_up(struct mu_devices *d);

/* How many more pods with such claims the node takes, up to a bound that no group of this size can pass; INT64_MAX where
 * devices set none. Changes nothing. *ret_unproved: the search for devices ended early, and more might have been found
 * (else untouched). */
int64_t mu_devices_fit(struct mu_devices *d, const struct mu_pod_claims *claims, uint32_t node, bool *ret_unproved);
/* How good the node is for one more pod with such claims, 0 to MU_SCORE_MAX: cards that are broken into already are
 * used first, then nodes of which most is in use. */
int64_t mu_devices_score(struct mu_devices *d, const struct mu_pod_claims *claims, uint32_t node);
/* The pod is placed: its claims get what they need. Where the node has not got it (mu_devices_fit would have said so),
 * they get nothing, and mu_devices_lack() is true until this is undone. */
void mu_devices_reserve(struct mu_devices *d, uint32_t pod, const struct mu_pod_claims *claims, uint32_t node);
/* Undoes exactly the newest reservation where that is this pod's. */
void mu_devices_unreserve(struct mu_devices *d, uint32_t pod);
bool mu_devices_lack(const struct mu_devices *d);
/* The pod is placed again as a plan has it: its claims get what the plan says. Undone by mu_devices_unreserve(). */
void mu_devices_repeat(struct mu_devices *d, uint32_t pod, const struct mu_plan_claim *claims, uint32_t len,
                       uint32_t node);

/* ---- devices_plan.c */
/* What the pod's claims have now, as a plan shows it, in the plan's arena. */
const struct mu_plan_claim *mu_devices_plan(struct mu_devices *d, uint32_t pod, struct mu_arena *arena,
                                            uint32_t *ret_len);
/* Gives up what is stale of the claims of the group's pods. Returns how many allocations that are, 0: none. */
uint32_t mu_devices_give_up_stale(struct mu_devices *d, const struct mu_group *group);
/* Those of the placed group's claims that lose the allocation that the API has of them, sorted by name. */
const struct mu_claim *const *mu_devices_released(const struct mu_devices *d, const struct mu_group *group,
                                                  struct mu_arena *arena, uint32_t *ret_len);

#endif
