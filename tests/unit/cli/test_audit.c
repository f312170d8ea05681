/* Audit: each thing that must never be is found, and nothing else is. */
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

static struct mu_audit audit_of(const char *yaml) {
    struct mu_err err = {0};
    struct mu_store *store = mu_store_create(arena);
    int r = mu_read_bytes(mu_str_from(yaml), MU_STR("test"), mu_store_add, store, &err);
    if (r == 0)
        r = mu_store_finish(store, &err);
    ck_assert_msg(r == 0, "%s", err.text);
    struct mu_audit audit = {.arena = arena, .store = store};
    mu_audit_all(&audit, NOW_NS);
    return audit;
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
    /* devices */
    {CLAIM("c", GIVEN("d", "x", "")) CLAIM("e", GIVEN("d", "y", "")), ""},
    {CLAIM("c", GIVEN("d", "x", "")) CLAIM("e", GIVEN("d", "x", "")),
     "DeviceGivenTwice c, e: device d/n1/x is given out 2 times\n"},
    {CLAIM("c", GIVEN("d", "x", "")) CLAIM("e", GIVEN("d", "x", ", adminAccess: true")), ""},
    {CLAIM("c", GIVEN("d", "x", ", shareID: s1")) CLAIM("e", GIVEN("d", "x", ", shareID: s2")), ""},
    {CLAIM("c", GIVEN("d", "x", ", shareID: s1")) CLAIM("e", GIVEN("d", "x", ", shareID: s1")),
     "DeviceGivenTwice c, e: device d/n1/x is given out 2 times\n"},
    {CLAIM("c", GIVEN("d", "x", ", shareID: s1")) CLAIM("e", GIVEN("d", "x", "")),
     "DeviceGivenTwice e, c: device d/n1/x is given out 2 times\n"},
    {SLICE("d", "x", "uuid: {string: U}") SLICE("e", "y", "e/uuid: {string: U}") CLAIM("c", GIVEN("d", "x", ""))
         CLAIM("f", GIVEN("e", "y", "")),
     "DeviceGivenTwice c, f: the card with uuid U is given out by several drivers: d and e\n"},
    {SLICE("d", "x", "uuid: {string: U}, pciBusID: {string: '1'}")
         SLICE("e", "y", "parentUUID: {string: U}, pcieBusID: {string: '1'}") CLAIM("c", GIVEN("d", "x", ""))
             CLAIM("f", GIVEN("e", "y", "")),
     "DeviceGivenTwice c, f: the card on bus 1 of node n1 is given out by several drivers: d and e\n"},
    {SLICE("d", "x", "uuid: {string: U}") SLICE("e", "y", "uuid: {string: V}") CLAIM("c", GIVEN("d", "x", ""))
         CLAIM("f", GIVEN("e", "y", "")),
     ""},
    {SLICE("d", "x", "parentUUID: {string: U}") SLICE("d", "y", "parentUUID: {string: U}")
         CLAIM("c", GIVEN("d", "x", "")) CLAIM("f", GIVEN("d", "y", "")),
     ""},
};

START_TEST(each_is_found) {
    const struct mu_audit audit = audit_of(cases[_i].yaml);
    struct mu_str text = shown(&audit);
    ck_assert_msg(mu_str_eq(text, mu_str_from(cases[_i].findings)), "case %d\nhave: " MU_STR_FMT "\nwant: %s", _i,
                  MU_STR_ARG(text), cases[_i].findings);
}
END_TEST

START_TEST(too_many_users) {
    struct mu_buf yaml;
    mu_buf_init(&yaml, arena);
    mu_buf_add(&yaml,
               MU_STR("apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, uid: c}\nspec: {}\n"
                      "status:\n  reservedFor:\n"));
    for (int i = 0; i < 257; i++)
        mu_buf_printf(&yaml, "  - {resource: pods, name: p%d, uid: u%d}\n", i, i);
    const struct mu_audit audit = audit_of(yaml.ptr);
    ck_assert(mu_str_eq(shown(&audit), MU_STR("ReservedForTooMany c: reserved for 257 consumers; a claim has at most "
                                              "256\n")));
}
END_TEST

START_TEST(what_cannot_be_checked_is_said) {
    const struct mu_audit no_nodes = audit_of(POD("a", "") SPEC("n2", "{}"));
    ck_assert_uint_eq(no_nodes.unchecked.len, 1);
    const struct mu_audit no_pods = audit_of(N1 CLAIM("c", ""));
    ck_assert_uint_eq(no_pods.unchecked.len, 1);
    const struct mu_audit all = audit_of(N1 POD("a", "") WAITING CLAIM("c", ""));
    ck_assert_uint_eq(all.unchecked.len, 0);
}
END_TEST

START_TEST(a_table_and_an_object) {
    const struct mu_audit audit =
        audit_of(POD("a", "") WAITING N1 CLAIM("c", GIVEN("d", "x", "")) CLAIM("e", GIVEN("d", "x", "")));
    char *bytes = NULL;
    size_t len;
    struct mu_terminal terminal = {.out = open_memstream(&bytes, &len)};
    mu_audit_print(&audit, &terminal);
    struct mu_writer writer;
    mu_writer_init(&writer, terminal.out, MU_WRITER_YAML);
    mu_audit_write(&audit, &writer);
    fclose(terminal.out);
    ck_assert_str_eq(bytes, "KIND              OBJECTS                  WHAT\n"
                            "DeviceGivenTwice  ResourceClaim default/c  device d/n1/x is given out 2 times\n"
                            "                  ResourceClaim default/e\n"
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
                            "  message: device d/n1/x is given out 2 times\n");
    free(bytes);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, each_is_found, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, too_many_users);
    tcase_add_test(tests, what_cannot_be_checked_is_said);
    tcase_add_test(tests, a_table_and_an_object);
}

int main(void) {
    return mu_suite_run("audit", add);
}
