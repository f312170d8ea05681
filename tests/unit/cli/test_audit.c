/* Audit: each thing that must never be is found, and nothing else is. */
#include "config/config.h"
#include "scheduler/cli/audit.h"
#include "tests/lib/suite.h"

#include <stdlib.h>

#define NOW_NS INT64_C(1796095800000000000) /* 2026-12-01T03:30:00Z */

static struct mu_arena *arena;

static void setup(void) {
    arena = mu_arena_create(0, NULL);
}

static void teardown(void) {
    mu_arena_destroy(arena);
}

static struct mu_audit audit_with(const char *yaml, const struct mu_settings *settings) {
    struct mu_err err = {0};
    struct mu_store *store = mu_store_create(arena);
    int r = mu_read_bytes(mu_str_from(yaml), MU_STR("test"), mu_store_add, store, &err);
    if (r == 0)
        r = mu_store_finish(store, &err);
    ck_assert_msg(r == 0, "%s", err.text);
    struct mu_audit audit = {.arena = arena, .settings = settings, .store = store};
    mu_audit_all(&audit, NOW_NS);
    return audit;
}

static struct mu_audit audit_of(const char *yaml) {
    return audit_with(yaml, mu_settings_default(arena));
}

/* Findings in one text: "KIND OBJECT, OBJECT: MESSAGE" a line. */
static struct mu_str shown(const struct mu_audit *audit) {
    struct mu_buf text;
    mu_buf_init(&text, arena);
    mu_buf_add(&text, MU_STR(""));
    for (size_t f = 0; f < audit->findings.len; f++) {
        const struct mu_finding *finding = &audit->findings.items[f];
        mu_buf_printf(&text, "%s", mu_finding_kind_name(finding->kind));
        for (size_t o = 0; o < finding->objects.len; o++)
            mu_buf_printf(&text, "%s " MU_STR_FMT, o ? "," : "",
                          MU_STR_ARG(mu_text(&audit->store->symbols, finding->objects.items[o].name)));
        mu_buf_printf(&text, ": " MU_STR_FMT "\n", MU_STR_ARG(finding->message));
    }
    return mu_buf_str(&text);
}

#define NODE(name, allocatable)                                                                                        \
    "---\napiVersion: v1\nkind: Node\nmetadata: {name: " name "}\nstatus: {allocatable: " allocatable "}\n"
#define POD(name, more) "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name ", uid: uid-" name more "}\n"
#define SPEC(node, requests)                                                                                           \
    "spec:\n  nodeName: " node "\n  containers: [{name: c, resources: {requests: " requests "}}]\n"                    \
    "status: {phase: Running}\n"
#define MEMBER(name) POD(name, ", labels: {scheduling.x-k8s.io/pod-group: g}")
#define ENDED(phase) "spec: {nodeName: n1, containers: [{name: c}]}\nstatus: {phase: " phase "}\n"
#define WAITING "spec: {containers: [{name: c}]}\nstatus: {phase: Pending}\n"
#define GANG(minimum)                                                                                                  \
    "---\napiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: g, uid: g}\n"                     \
    "spec: {minMember: " minimum "}\n"
#define CLAIM(name, status)                                                                                            \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " name ", uid: uid-" name "}\n"        \
    "spec: {}\nstatus: {" status "}\n"
#define CLAIM_OF(name, meta, status)                                                                                   \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " name ", uid: uid-" name meta "}\n"   \
    "spec: {}\nstatus: {" status "}\n"
#define RESERVED(list) "reservedFor: [" list "]"
#define POD_A "{resource: pods, name: a, uid: uid-a}"
#define A POD("a", "") WAITING
#define HOLDS(name, driver, device, more) CLAIM(name, GIVEN(driver, device, more) ", " RESERVED(POD_A))
#define GENERATION(generation, name, devices)                                                                          \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: " name                                 \
    "}\nspec: {driver: d, nodeName: n1, "                                                                              \
    "pool: {name: n1, generation: " generation ", resourceSliceCount: 1}, devices: [" devices "]}\n"
#define POOL(driver, name, count, devices)                                                                             \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: " driver "-" name "}\n"                \
    "spec: {driver: " driver ", nodeName: n1, pool: {name: " name ", generation: 1, resourceSliceCount: " count "}, "  \
    "devices: [" devices "]}\n"
#define SHARED POOL("d", "n1", "1", "{name: x, allowMultipleAllocations: true, capacity: {memory: {value: 40Gi}}}")
#define SLICES(n) "consumesCounters: [{counterSet: card, counters: {slices: {value: '" n "'}}}]"
#define PARTS                                                                                                          \
    POOL("d", "n1", "2",                                                                                               \
         "{name: whole, " SLICES("8") "}, {name: half, " SLICES("4") "}, {name: other-half, " SLICES("4") "}")         \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: counters}\nspec: {driver: d, "         \
    "nodeName: n1, "                                                                                                   \
    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: card, counters: {slices: "        \
    "{value: '8'}}}]}\n"
#define TAINTED(effect)                                                                                                \
    POOL("d", "n1", "1",                                                                                               \
         "{name: x, taints: [{key: sick, value: very, effect: " effect ", timeAdded: '2026-12-01T03:20:00Z'}]}")
#define RULE(selector)                                                                                                 \
    "---\napiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nmetadata: {name: r}\nspec: "                          \
    "{deviceSelector: " selector ", "                                                                                  \
    "taint: {key: sick, effect: NoExecute, timeAdded: '2026-12-01T03:20:00Z'}}\n"
#define GIVEN(driver, device, more)                                                                                    \
    "allocation: {devices: {results: [{request: r, driver: " driver ", pool: n1, device: " device more "}]}}"
#define SLICE(driver, device, attributes)                                                                              \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: " driver "-" device "}\n"              \
    "spec: {driver: " driver ", nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1}, "                \
    "devices: [{name: " device ", attributes: {" attributes "}}]}\n"
#define N1 NODE("n1", "{cpu: '8', memory: 16Gi, pods: '10', x/gpu: '4'}")

static const struct {
    const char *yaml, *findings;
} cases[] = {
    /* nodes */
    {N1 POD("a", "") SPEC("n1", "{cpu: '8', memory: 16Gi, x/gpu: '4'}"), ""},
    {N1 POD("a", "") SPEC("n1", "{cpu: '5'}") POD("b", "") SPEC("n1", "{cpu: 3001m}"),
     "NodeOvercommitted n1: cpu: 8001m asked, 8 allocatable (2 pods)\n"},
    {N1 POD("a", "") SPEC("n1", "{memory: 17Gi, x/gpu: '5'}"),
     "NodeOvercommitted n1: memory: 17Gi asked, 16Gi allocatable; x/gpu: 5 asked, 4 allocatable (1 pod)\n"},
    {N1 POD("a", "") SPEC("n1", "{y/nic: '1'}"), "NodeOvercommitted n1: y/nic: 1 asked, 0 allocatable (1 pod)\n"},
    {NODE("n1", "{pods: '1'}") POD("a", "") SPEC("n1", "{}") POD("b", "") SPEC("n1", "{}"),
     "NodeOvercommitted n1: pods: 2 asked, 1 allocatable (2 pods)\n"},
    {N1 POD("a", "") "spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: '9'}}}]}\n"
                     "status: {phase: Succeeded}\n",
     ""},
    {N1 POD("a", "") SPEC("n2", "{}"), "NodeNotFound a: bound to node n2, which does not exist\n"},
    {POD("a", "") SPEC("n2", "{}"), ""},
    /* gangs */
    {N1 GANG("2") MEMBER("a") SPEC("n1", "{}") MEMBER("b") SPEC("n1", "{}"), ""},
    {N1 GANG("2") MEMBER("a") WAITING MEMBER("b") WAITING, ""},
    {N1 GANG("2") MEMBER("a") SPEC("n1", "{}") MEMBER("b") WAITING,
     "GangPartlyBound g: 1 of 2 members of g run or have ended well; 1 of its pods holds a node\n"},
    {N1 GANG("1") MEMBER("a") SPEC("n1", "{}") MEMBER("b") WAITING, ""},
    {N1 GANG("2") MEMBER("a") SPEC("n1", "{}"),
     "GangPartlyBound g: 1 of 2 members of g run or have ended well; 1 of its pods holds a node\n"},
    {N1 GANG("2") MEMBER("a") SPEC("n1", "{}") MEMBER("b") ENDED("Failed"),
     "GangPartlyBound g: 1 of 2 members of g run or have ended well; 1 of its pods holds a node\n"},
    {N1 GANG("2") MEMBER("a") SPEC("n1", "{}") MEMBER("b") ENDED("Succeeded"), ""},
    {N1 GANG("2") MEMBER("a") ENDED("Failed") MEMBER("b") ENDED("Succeeded"), ""},
    {N1 MEMBER("a") SPEC("n1", "{}"), ""},
    /* claims */
    {POD("a", "") WAITING CLAIM("c", "reservedFor: [{resource: pods, name: a, uid: uid-a}]"), ""},
    {POD("a", "") WAITING CLAIM("c", "reservedFor: [{resource: pods, name: b, uid: uid-b}]"),
     "ReservedForNobody c: reserved for nobody: pod b is gone\n"},
    {POD("a", "") WAITING CLAIM("c", "reservedFor: [{resource: pods, name: a, uid: old}]"),
     "ReservedForNobody c: reserved for nobody: pod a is another one of that name\n"},
    {CLAIM("c", "reservedFor: [{resource: pods, name: b, uid: uid-b}]"), ""},
    {POD("a", "") WAITING CLAIM("c", "reservedFor: [{resource: jobs, apiGroup: batch, name: b, uid: uid-b}]"), ""},
    {CLAIM("c", RESERVED("")), ""},
    {POD("a", "") ENDED("Succeeded") N1 CLAIM("c", RESERVED(POD_A)),
     "ReservedForNobody c: reserved for nobody: pod a has ended\n"},
    {POD("a", "") WAITING POD("b", "")
         WAITING CLAIM("c", GIVEN("d", "x", "") ", " RESERVED(POD_A ", {resource: pods, name: z, uid: z}")),
     "ReservedForNobody c: reserved for nobody: pod z is gone\n"},
    /* devices that are kept */
    {CLAIM("c", GIVEN("d", "x", "")), "AllocatedForNobody c: keeps 1 device and is reserved for nobody\n"},
    {POD("a", "") WAITING CLAIM("c", GIVEN("d", "x", "") ", " RESERVED(POD_A)), ""},
    {POD("b", "") WAITING CLAIM("c", GIVEN("d", "x", "") ", " RESERVED(POD_A)),
     "AllocatedForNobody c: keeps 1 device and is reserved for nobody: pod a is gone\n"},
    {CLAIM_OF("c", ", deletionTimestamp: '2026-12-01T03:30:00Z'", GIVEN("d", "x", "")), ""},
    /* devices */
    {A HOLDS("c", "d", "x", "") HOLDS("e", "d", "y", ""), ""},
    {A HOLDS("c", "d", "x", "") HOLDS("e", "d", "x", ""), "DeviceGivenTwice c, e, a: device d/n1/x is given out 2 "
                                                          "times: to default/c, used by pod a; to default/e, used by "
                                                          "pod a\n"},
    {A HOLDS("c", "d", "x", "") HOLDS("e", "d", "x", ", adminAccess: true"), ""},
    {A HOLDS("c", "d", "x", ", shareID: s1") HOLDS("e", "d", "x", ", shareID: s2"), ""},
    {A HOLDS("c", "d", "x", ", shareID: s1") HOLDS("e", "d", "x", ", shareID: s1"),
     "DeviceGivenTwice c, e, a: device d/n1/x is given out 2 times: as a share to default/c, used by pod a; as a share "
     "to "
     "default/e, used by pod a\n"},
    {A HOLDS("c", "d", "x", ", shareID: s1") HOLDS("e", "d", "x", ""),
     "DeviceGivenTwice e, c, a: device d/n1/x is given out 2 times: to default/e, used by pod a; as a share to "
     "default/c, "
     "used by pod a\n"},
    {A CLAIM("c", "allocation: {devices: {results: [{request: r, driver: d, pool: n1, device: x}, {request: s, driver: "
                  "d, pool: n1, device: x}]}}, " RESERVED(POD_A)),
     "DeviceGivenTwice c, a: device d/n1/x is given out 2 times: to default/c, used by pod a; to default/c, used by "
     "pod "
     "a\n"},
    /* one card, two drivers */
    {SLICE("d", "x", "uuid: {string: U}") SLICE("e", "y", "e/uuid: {string: U}") A HOLDS("c", "d", "x", "")
         HOLDS("f", "e", "y", ", shareID: s"),
     "DeviceGivenTwice c, f, a: one card is given out by several drivers: d/n1/x to default/c, used by pod a; "
     "e/n1/y "
     "as a share to default/f, used by pod a\n"},
    {SLICE("d", "x", "uuid: {string: U}, pciBusID: {string: '1'}")
         SLICE("e", "y", "parentUUID: {string: U}, pcieBusID: {string: '1'}") A HOLDS("c", "d", "x", "")
             HOLDS("f", "e", "y", ""),
     "DeviceGivenTwice c, f, a: one card is given out by several drivers: d/n1/x to default/c, used by pod a; "
     "e/n1/y "
     "to default/f, used by pod a\n"},
    {SLICE("d", "x", "uuid: {string: U}") SLICE("e", "y", "uuid: {string: V}") A HOLDS("c", "d", "x", "")
         HOLDS("f", "e", "y", ""),
     ""},
    {SLICE("d", "x", "uuid: {string: U}") SLICE("e", "y", "uuid: {string: U}") A HOLDS("c", "d", "x", "")
         HOLDS("f", "e", "y", ", adminAccess: true"),
     ""},
    {SLICE("d", "x", "parentUUID: {string: U}") SLICE("d2", "y", "parentUUID: {string: U}") A HOLDS("c", "d", "x", ""),
     ""},
    {POOL("d", "n1", "1",
          "{name: x, attributes: {parentUUID: {string: U}}}, {name: y, attributes: {parentUUID: {string: U}}}")
         A HOLDS("c", "d", "x", "") HOLDS("f", "d", "y", ""),
     ""},
    /* more than there is */
    {SHARED A HOLDS("c", "d", "x", ", shareID: s, consumedCapacity: {memory: 30Gi}")
         HOLDS("e", "d", "x", ", shareID: t, consumedCapacity: {memory: 10Gi}"),
     ""},
    {SHARED A HOLDS("c", "d", "x", ", shareID: s, consumedCapacity: {memory: 30Gi}")
         HOLDS("e", "d", "x", ", shareID: t, consumedCapacity: {memory: 11Gi}"),
     "DeviceOvercommitted c, e, a: device d/n1/x: 41Gi of 40Gi memory given out: as a share to default/c, used by pod "
     "a; "
     "as a share to default/e, used by pod a\n"},
    {PARTS A HOLDS("c", "d", "half", "") HOLDS("e", "d", "other-half", ""), ""},
    {PARTS A HOLDS("c", "d", "half", "") HOLDS("e", "d", "whole", ""),
     "DeviceOvercommitted e, c, a: pool d/n1: 12 of 8 slices of counter set card given out: d/n1/whole to default/e, "
     "used by pod a; d/n1/half to default/c, used by pod a\n"},
    /* devices that are gone */
    {POOL("d", "n1", "1", "{name: x}") A HOLDS("c", "d", "y", ""),
     "DeviceNotFound c, a: holds device d/n1/y, which no ResourceSlice publishes; used by pod a\n"},
    {POOL("d", "n1", "1", "{name: x}") A HOLDS("c", "d", "y", ", adminAccess: true"),
     "DeviceNotFound c, a: holds device d/n1/y, which no ResourceSlice publishes; used by pod a\n"},
    {POOL("d", "n2", "1", "{name: x}") A HOLDS("c", "d", "x", ""),
     "DeviceNotFound c, a: holds device d/n1/x, which no ResourceSlice publishes; used by pod a\n"},
    {POOL("d", "n1", "2", "{name: x}") A HOLDS("c", "d", "y", ""), ""},
    {GENERATION("1", "old", "{name: y}") GENERATION("2", "new", "{name: x}") A HOLDS("c", "d", "y", ""),
     "DeviceNotFound c, a: holds device d/n1/y, which no ResourceSlice publishes; used by pod a\n"},
    {GENERATION("1", "old", "{name: x}") GENERATION("2", "new", "{name: x}") A HOLDS("c", "d", "x", ""), ""},
    {POOL("d", "n1", "1", "{name: x}") POOL("e", "n1", "-1", "{name: x}") A HOLDS("c", "e", "x", ""), ""},
    /* devices with taints */
    {TAINTED("NoExecute") A HOLDS("c", "d", "x", ""),
     "DeviceTainted c, a: holds device d/n1/x and does not tolerate its taint sick=very:NoExecute; used by pod a\n"},
    {TAINTED("NoSchedule") A HOLDS("c", "d", "x", ""), ""},
    {TAINTED("NoExecute") A HOLDS("c", "d", "x", ", tolerations: [{key: sick, operator: Exists}]"), ""},
    {TAINTED("NoExecute") A HOLDS("c", "d", "x", ", tolerations: [{operator: Exists, effect: NoSchedule}]"),
     "DeviceTainted c, a: holds device d/n1/x and does not tolerate its taint sick=very:NoExecute; used by pod a\n"},
    {TAINTED("NoExecute") A HOLDS("c", "d", "x", ", tolerations: [{operator: Exists, tolerationSeconds: 601}]"), ""},
    {TAINTED("NoExecute") A HOLDS("c", "d", "x", ", tolerations: [{operator: Exists, tolerationSeconds: 600}]"),
     "DeviceTainted c, a: holds device d/n1/x and does not tolerate its taint sick=very:NoExecute; used by pod a\n"},
    {POOL("d", "n1", "1", "{name: x}, {name: y}") RULE("{driver: d, device: x}") A HOLDS("c", "d", "x", "")
         HOLDS("e", "d", "y", ""),
     "DeviceTainted c, a: holds device d/n1/x and does not tolerate its taint sick:NoExecute; used by pod a\n"},
    {POOL("d", "n1", "1", "{name: x}") RULE("{driver: e}") A HOLDS("c", "d", "x", ""), ""},
};

START_TEST(each_is_found) {
    const struct mu_audit audit = audit_of(cases[_i].yaml);
    struct mu_str text = shown(&audit);
    ck_assert_msg(mu_str_eq(text, mu_str_from(cases[_i].findings)), "case %d\nhave: " MU_STR_FMT "\nwant: %s", _i,
                  MU_STR_ARG(text), cases[_i].findings);
}
END_TEST

/* A claim with so many users. */
static void add_crowd(struct mu_buf *yaml, int users) {
    mu_buf_add(yaml,
               MU_STR(
                   "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, uid: c}\nspec: {}\n"
                   "status:\n  allocation: {devices: {results: [{request: r, driver: d, pool: n1, device: x}]}}\n"
                   "  reservedFor:\n"));
    for (int i = 0; i < users; i++)
        mu_buf_printf(yaml, "  - {resource: pods, name: p%d, uid: u%d}\n", i, i);
}

START_TEST(too_many_users) {
    struct mu_buf yaml;
    mu_buf_init(&yaml, arena);
    add_crowd(&yaml, 257);
    const struct mu_audit audit = audit_of(yaml.ptr);
    ck_assert(mu_str_eq(shown(&audit), MU_STR("ReservedForTooMany c: reserved for 257 consumers; a claim has at most "
                                              "256\n")));
}
END_TEST

#define WANTS_C                                                                                                        \
    "spec: {containers: [{name: c}], resourceClaims: [{name: c, resourceClaimName: c}]}\nstatus: {phase: Pending}\n"

/* 256 is no mistake by itself. */
START_TEST(one_user_too_many_waits) {
    struct mu_buf yaml;
    mu_buf_init(&yaml, arena);
    add_crowd(&yaml, 256);
    for (int i = 0; i < 256; i++)
        mu_buf_printf(&yaml, "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p%d, uid: u%d}\n" WANTS_C, i, i);
    const struct mu_audit full = audit_of(yaml.ptr);
    ck_assert_uint_eq(full.findings.len, 0);
    mu_buf_add(&yaml, MU_STR(POD("late", "") WANTS_C));
    const struct mu_audit audit = audit_of(yaml.ptr);
    struct mu_str text = shown(&audit);
    ck_assert_msg(mu_str_eq(text,
                            MU_STR("ReservedForTooMany c, late: reserved for 256 consumers; a claim has at most 256, "
                                   "and pod late waits to be one more\n")),
                  MU_STR_FMT, MU_STR_ARG(text));
}
END_TEST

/* A sentence does not name hundreds of pods. */
START_TEST(many_users_of_one_device) {
    struct mu_buf yaml;
    mu_buf_init(&yaml, arena);
    add_crowd(&yaml, 7);
    mu_buf_add(&yaml, MU_STR(A HOLDS("e", "d", "x", "")));
    for (int i = 0; i < 7; i++)
        mu_buf_printf(&yaml, "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p%d, uid: u%d}\n" WANTS_C, i, i);
    const struct mu_audit audit = audit_of(yaml.ptr);
    struct mu_str text = shown(&audit);
    ck_assert_msg(
        mu_str_eq(text,
                  MU_STR("DeviceGivenTwice c, e, p0, p1, p2, p3, p4, a: device d/n1/x is given out 2 times: to "
                         "default/c, used by pod p0, pod p1, pod p2, pod p3, pod p4 and 2 more; to default/e, used "
                         "by pod a\n")),
        MU_STR_FMT, MU_STR_ARG(text));
}
END_TEST

/* What is one card, the configuration says. */
START_TEST(identity_may_be_turned_off) {
    const char *yaml = SLICE("d", "x", "uuid: {string: U}") SLICE("e", "y", "uuid: {string: U}")
        A HOLDS("c", "d", "x", "") HOLDS("g", "e", "y", "");
    struct mu_settings settings = *mu_settings_default(arena);
    ck_assert_uint_eq(audit_with(yaml, &settings).findings.len, 1);
    const struct mu_identity_attribute serial = {.name = MU_STR("serial")};
    settings.identity = &serial;
    settings.identity_len = 1;
    ck_assert_uint_eq(audit_with(yaml, &settings).findings.len, 0);
    settings.identity_len = 0;
    settings.no_identity = true;
    ck_assert_uint_eq(audit_with(yaml, &settings).findings.len, 0);
}
END_TEST

START_TEST(what_cannot_be_checked_is_said) {
    const struct mu_audit no_nodes = audit_of(POD("a", "") SPEC("n2", "{}"));
    ck_assert_uint_eq(no_nodes.unchecked.len, 1);
    const struct mu_audit no_pods = audit_of(N1 CLAIM("c", ""));
    ck_assert_uint_eq(no_pods.unchecked.len, 1);
    const struct mu_audit all = audit_of(N1 POD("a", "") WAITING CLAIM("c", ""));
    ck_assert_uint_eq(all.unchecked.len, 0);
    const struct mu_audit no_slices = audit_of(N1 A HOLDS("c", "d", "x", ""));
    ck_assert_uint_eq(no_slices.unchecked.len, 1);
    const struct mu_audit slices = audit_of(N1 POOL("d", "n1", "1", "{name: x}") A HOLDS("c", "d", "x", ""));
    ck_assert_uint_eq(slices.unchecked.len, 0);
}
END_TEST

START_TEST(a_table_and_an_object) {
    const struct mu_audit audit = audit_of(A N1 HOLDS("c", "d", "x", "") HOLDS("e", "d", "x", ""));
    char *bytes = NULL;
    size_t len;
    struct mu_terminal terminal = {.out = open_memstream(&bytes, &len)};
    mu_audit_print(&audit, &terminal);
    struct mu_writer writer;
    mu_writer_init(&writer, terminal.out, MU_WRITER_YAML);
    mu_audit_write(&audit, &writer);
    fclose(terminal.out);
    ck_assert_str_eq(bytes,
                     "KIND              OBJECTS                  WHAT\n"
                     "DeviceGivenTwice  ResourceClaim default/c  device d/n1/x is given out 2 times: to "
                     "default/c, used by pod a; to default/e, used by pod a\n"
                     "                  ResourceClaim default/e\n"
                     "                  Pod default/a\n"
                     "\n"
                     "1 finding.\n"
                     "apiVersion: scheduling.muster.dev/v1alpha1\n"
                     "kind: Audit\n"
                     "findings:\n"
                     "- kind: DeviceGivenTwice\n"
                     "  objects:\n"
                     "  - kind: ResourceClaim\n"
                     "    namespace: default\n"
                     "    name: c\n"
                     "  - kind: ResourceClaim\n"
                     "    namespace: default\n"
                     "    name: e\n"
                     "  - kind: Pod\n"
                     "    namespace: default\n"
                     "    name: a\n"
                     "  message: \"device d/n1/x is given out 2 times: to default/c, used by pod a; to default/e, "
                     "used by pod a\"\n");
    free(bytes);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, each_is_found, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, too_many_users);
    tcase_add_test(tests, one_user_too_many_waits);
    tcase_add_test(tests, many_users_of_one_device);
    tcase_add_test(tests, identity_may_be_turned_off);
    tcase_add_test(tests, what_cannot_be_checked_is_said);
    tcase_add_test(tests, a_table_and_an_object);
}

int main(void) {
    return mu_suite_run("audit", add);
}
