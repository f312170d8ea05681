/* Devices written in YAML, and what the allocator answers, as text. */
#ifndef MU_TESTS_UNIT_DEVICES_WORLD_H
#define MU_TESTS_UNIT_DEVICES_WORLD_H

#include "scheduler/devices/allocator.h"
#include "tests/unit/objects/load.h"

struct world {
    struct loaded loaded;
    struct mu_alloc *alloc;
    struct mu_alloc_answer answer;    /* of the last attempt */
    const struct mu_claim *claims[8]; /* that it was for */
};

/* Claims of the text that are allocated are held. Give back with world_close(). */
struct world world_of(const char *yaml);
struct world world_with(const char *yaml, unsigned features, bool one_card_one_driver);
void world_close(struct world *world);

const struct mu_claim *claim_named(const struct world *world, const char *name);
/* Tries the claims (names with spaces between) on the node: "claim:request=pool/device ...", a share as
 * "request=pool/device(memory 2Gi)"; "none", "out of steps", or "fault: ...". */
const char *try_claims(struct world *world, const char *node, const char *claims);
const char *try_with(struct world *world, const char *node, const char *claims, const struct mu_alloc_options *options);
/* The same, and takes what is found. */
const char *take_claims(struct world *world, const char *node, const char *claims);

/* Pieces of YAML. A device's body and a request's body are flow mappings without their braces. */
#define NODE(name) "apiVersion: v1\nkind: Node\nmetadata: {name: " name "}\n---\n"
#define CLASS(name, body)                                                                                              \
    "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: " name "}\nspec: {" body "}\n---\n"
#define SLICE_OF(name, driver, pool, where, more)                                                                      \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: " name "}\nspec: {driver: " driver          \
    ", " where ", pool: {name: " pool ", generation: 1, resourceSliceCount: 1}, " more "}\n---\n"
#define SLICE(name, node, devices) SLICE_OF(name, "gpu.example.com", name, "nodeName: " node, "devices: [" devices "]")
#define CLAIM(name, devices)                                                                                           \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " name "}\nspec: {devices: {" devices       \
    "}}\n---\n"
#define REQUEST(body) "requests: [{name: r, exactly: {deviceClassName: gpu, " body "}}]"
#define HELD(name, driver, pool, device, more)                                                                         \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " name                                      \
    "}\nspec: {}\nstatus: {allocation: {devices: {results: [{request: r, driver: " driver ", pool: " pool              \
    ", device: " device more "}]}}}\n---\n"

#endif
