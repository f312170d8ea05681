/* Limits: every number that bounds what input may ask of the program, with the reason for its value.
 *
 * A limit that is passed is MU_E_LIMIT (or, for memory, MU_E_NOMEM) with a sentence that names it, never a cut. Limits
 * are many times what the largest known clusters need and small enough that the worst input within them ends in
 * seconds and in a machine's memory. Sizes are in bytes unless the name says otherwise.
 *
 * Those that Kubernetes sets for objects (devices of a claim, requests, attributes, ...) are rules about valid
 * objects, and stand at the end. */
#ifndef MU_BASE_LIMITS_H
#define MU_BASE_LIMITS_H

#include <stdint.h>

/* ---- Input ---- */

/* One file or standard input, after decompression. `kubectl get -o yaml` of 5,000 nodes and 50,000 pods is about 600
 * MB; nearly twice that is still read, and offsets fit 31 bits. It is also what stops a gzip file that is made to
 * explode: a bound on the ratio would refuse real snapshots of many equal pods, which compress a hundredfold. */
#define MU_LIMIT_FILE_BYTES ((uint64_t)1 << 30)
/* All input of one run. Objects read take less memory than their text, so this is about what a 16 GiB machine does. */
#define MU_LIMIT_INPUT_BYTES ((uint64_t)8 << 30)
/* Files that directories and options may name: each costs an open and its name. Repositories of manifests have
 * thousands. */
#define MU_LIMIT_FILES 100000
/* Objects of one run: 5,000 nodes with 40,000 devices and 50,000 pods are 120,000 with all that hangs on them. The
 * number stays far inside the 32-bit indexes they get. */
#define MU_LIMIT_OBJECTS 4000000
/* One string: etcd takes no object over 1.5 MiB, and a ConfigMap no more than 1 MiB of data. */
#define MU_LIMIT_STRING_BYTES ((uint64_t)16 << 20)
/* Nesting of one document. Kubernetes objects nest 17 levels deep (a pod's affinity inside a List of workloads), custom
 * resources rarely over 30. Readers recurse, so this also bounds the stack. */
#define MU_LIMIT_YAML_DEPTH 64
/* As for YAML; JSON text comes from programs, schemas in CRDs nest deeper, and is cheap to nest. */
#define MU_LIMIT_JSON_DEPTH 512
/* Nodes that the aliases of one YAML document make, all copies counted: ten aliases that each name ten others would
 * otherwise turn a kilobyte into gigabytes. People who use anchors at all repeat a few hundred nodes. */
#define MU_LIMIT_YAML_ALIAS_NODES 100000
/* Digits of a quantity such as "100m": Kubernetes' own numbers have no more than 18 before and 9 after the point;
 * longer ones are rounded or refused by it. Bounds the arithmetic, which is 128 bit. */
#define MU_LIMIT_QUANTITY_BYTES 128

/* ---- What objects are turned into ---- */

/* Pods that all workload manifests of one run are expanded to. `replicas: 2000000000` is one line of text; the largest
 * clusters run 150,000 pods. */
#define MU_LIMIT_EXPANDED_PODS 1000000
/* Nodes of a snapshot. Kubernetes is tested to 5,000, the largest known clusters have 130,000. Nodes are numbered in
 * 32 bits, and sets of nodes are bitsets of this length for each class of pods. */
#define MU_LIMIT_NODES 200000
/* Pods of a snapshot, running and waiting. */
#define MU_LIMIT_PODS 2000000
/* Names of resources in a snapshot: clusters have a dozen; each costs two numbers a node. */
#define MU_LIMIT_RESOURCES 1024
/* Devices of a snapshot: 200,000 nodes with 8 devices and some to spare; partitioned ones count with each partition. */
#define MU_LIMIT_DEVICES 4000000
/* Members of one gang: more than the pods of the largest training jobs known (25,000 nodes). */
#define MU_LIMIT_GROUP_MEMBERS 100000
/* Node labels of which one group can ask for one value, or wish for it: Kubernetes takes one, Kueue one of each kind,
 * networks have five layers. */
#define MU_LIMIT_TOPOLOGY_KEYS 16
/* Levels of groups in groups, and of queues in queues: each level is a step of recursion; organisations have five. */
#define MU_LIMIT_TREE_DEPTH 32

/* ---- Work ---- */

/* Memory of a whole command, past which it says so and stops rather than have the machine swap. */
#define MU_LIMIT_MEMORY_BYTES ((uint64_t)16 << 30)

/* ---- Kubernetes' own limits for valid objects, resource.k8s.io/v1 ---- */

#define MU_LIMIT_CLAIM_DEVICES 32      /* AllocationResultsMaxSize */
#define MU_LIMIT_CLAIM_REQUESTS 32     /* DeviceRequestsMaxSize */
#define MU_LIMIT_CLAIM_CONSTRAINTS 32  /* DeviceConstraintsMaxSize */
#define MU_LIMIT_CLAIM_ALTERNATIVES 8  /* FirstAvailableDeviceRequestMaxSize */
#define MU_LIMIT_CLAIM_RESERVED 256    /* ResourceClaimReservedForMaxSize */
#define MU_LIMIT_SLICE_DEVICES 128     /* ResourceSliceMaxDevices */
#define MU_LIMIT_CEL_BYTES (10 * 1024) /* CELSelectorExpressionMaxLength */

#endif
