/* Consumable capacity: what requests take under each policy, exact to the last digit. */
#include "scheduler/devices/capacity.h"
#include "tests/unit/devices/world.h"
#include <stdio.h>

static struct world world;

static void teardown(void) {
    world_close(&world);
}

/* ---- One capacity and one request ---- */

static const struct {
    const char *capacity; /* the device's body for `memory` */
    const char *request;  /* NULL: none */
    const char *answer;   /* the amount; "lacks"; or what the sentence says */
    bool fractional;
} cases[] = {
    /* No policy: as asked, all where nothing is asked. */
    {"value: 8", NULL, "8", false},
    {"value: 8", "3", "3", false},
    {"value: 8", "0", "0", false},
    {"value: 8", "8001m", "lacks", false},
    {"value: 8", "1n", "1n", false},
    {"value: 8", "-1", "the amount is negative", false},
    {"value: 1000000000000000000002", "1000000000000000000001", "1000000000000000000001", false},
    {"value: 1000000000000000000002", "1000000000000000000003", "lacks", false},
    /* Defaults. */
    {"value: 8, requestPolicy: {default: 2}", NULL, "2", false},
    {"value: 8, requestPolicy: {default: 9}", NULL, "lacks", false},
    {"value: 8, requestPolicy: {default: -1}", NULL, "the amount is negative", false},
    /* Ranges. */
    {"value: 8, requestPolicy: {validRange: {min: 2}}", "1", "2", false},
    {"value: 8, requestPolicy: {validRange: {min: 2}}", "2500m", "2500m", false},
    {"value: 8, requestPolicy: {validRange: {min: 2, max: 4}}", "5", "lacks", false},
    {"value: 8, requestPolicy: {validRange: {min: 2, step: 3}}", "2", "2", false},
    {"value: 8, requestPolicy: {validRange: {min: 2, step: 3}}", "3", "5", false},
    {"value: 8, requestPolicy: {validRange: {min: 2, step: 3}}", "5", "5", false},
    {"value: 8, requestPolicy: {validRange: {min: 2, step: 3}}", "6", "8", false},
    {"value: 8, requestPolicy: {validRange: {min: 2, max: 6, step: 3}}", "6", "lacks", false},
    {"value: 8, requestPolicy: {validRange: {min: 2, step: 0}}", "3", "3", false},
    {"value: 8, requestPolicy: {default: 1, validRange: {min: 2}}", NULL, "1", false},
    {"value: 8, requestPolicy: {validRange: {min: 0, step: 1}}", "18446744073709551616", "the request passes 2^63-1",
     false},
    {"value: 8, requestPolicy: {validRange: {min: 0, step: 2}}", "9223372036854775807",
     "rounding the request up to the next step passes 2^63-1", false},
    /* A step in whole units rounds what is finer, a fractional one does not where that is allowed. */
    {"value: 8, requestPolicy: {validRange: {min: 0, step: 1}}", "1500m", "2", false},
    {"value: 1, requestPolicy: {validRange: {min: 200m, step: 100m}}", "250m", "1", false},
    {"value: 1, requestPolicy: {validRange: {min: 200m, step: 100m}}", "250m", "300m", true},
    {"value: 1, requestPolicy: {validRange: {min: 200m, step: 100m}}", "100m", "200m", true},
    {"value: 8, requestPolicy: {validRange: {min: 0, step: 1500m}}", "1", "1500m", true},
    {"value: 1, requestPolicy: {validRange: {min: 200m, step: 100m}}", "250001u",
     "the request is finer than a thousandth", true},
    {"value: 8, requestPolicy: {validRange: {min: 0, step: 100u}}", "1", "1", true}, /* too fine: whole units */
    /* Values. */
    {"value: 8, requestPolicy: {validValues: [1, 4]}", "1", "1", false},
    {"value: 8, requestPolicy: {validValues: [1, 4]}", "1001m", "4", false},
    {"value: 8, requestPolicy: {validValues: [1, 4]}", "5", "lacks", false},
    {"value: 8, requestPolicy: {default: 3, validValues: [1, 4]}", NULL, "3", false},
};

static const char *ask(const char *device, const char *request, bool fractional) {
    char yaml[2048];
    snprintf(yaml, sizeof yaml,
             SLICE("n1", "n1", "{name: a, capacity: {%s}}") CLAIM("x", REQUEST("capacity: {requests: {%s}}")), device,
             request);
    world = world_of(yaml);
    const struct mu_slice *slice = world.loaded.store->slices.items[0];
    struct mu_capacity_query query = {.symbols = &world.loaded.store->symbols,
                                      .driver = slice->driver,
                                      .device = &slice->devices[0],
                                      .ask = &claim_named(&world, "x")->requests[0].exactly,
                                      .fractional = fractional};
    mu_i128 amounts[4];
    static char text[256];
    enum mu_capacity_fit fit = mu_capacity_ask(&query, amounts, text, sizeof text);
    if (fit == MU_CAPACITY_WRONG)
        return text;
    if (fit == MU_CAPACITY_LACKS)
        return "lacks";
    struct mu_buf buf;
    mu_buf_init(&buf, world.loaded.arena);
    for (uint32_t i = 0; i < query.device->capacity_len; i++) {
        struct mu_str amount = mu_quantity_print(world.loaded.arena, (struct mu_quantity){amounts[i], false}, false);
        mu_buf_add(&buf, i > 0 ? MU_STR(" ") : MU_STR(""));
        mu_buf_add(&buf, amounts[i] < 0 ? MU_STR("-") : amount);
    }
    return buf.ptr;
}

START_TEST(policies) {
    char capacity[256], request[64] = "";
    snprintf(capacity, sizeof capacity, "memory: {%s}", cases[_i].capacity);
    if (cases[_i].request != NULL)
        snprintf(request, sizeof request, "memory: %s", cases[_i].request);
    const char *answer = ask(capacity, request, cases[_i].fractional);
    bool sentence = strchr(cases[_i].answer, ' ') != NULL;
    char want[256];
    snprintf(want, sizeof want, "%s%s", sentence ? "capacity \"memory\": " : "", cases[_i].answer);
    ck_assert_str_eq(answer, want);
}
END_TEST

/* ---- Names ---- */

static const struct {
    const char *capacity, *request, *answer;
} names[] = {
    {"memory: {value: 8}, cores: {value: 4}", "memory: 2", "4 2"}, /* in the order of the names */
    {"memory: {value: 8}", "cores: 2", "lacks"},
    {"memory: {value: 8}", "gpu.example.com/memory: 2", "2"},
    {"gpu.example.com/memory: {value: 8}", "memory: 2", "2"},
    {"memory: {value: 8}", "other.example.com/memory: 2", "lacks"},
    {"other.example.com/memory: {value: 8}", "memory: 2", "lacks"},
    {"memory: {value: 8}", "memory: 2, gpu.example.com/memory: 3",
     "capacity \"memory\": requested with and without its domain"},
    /* Published twice it is one capacity: the one with the domain. */
    {"memory: {value: 8}, gpu.example.com/memory: {value: 4}", "memory: 2", "2 -"},
    {"memory: {value: 8}, gpu.example.com/memory: {value: 4}", "memory: 5", "lacks"},
};

START_TEST(names_with_and_without_domain) {
    ck_assert_str_eq(ask(names[_i].capacity, names[_i].request, false), names[_i].answer);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_loop_test(tests, policies, 0, sizeof cases / sizeof *cases);
    tcase_add_loop_test(tests, names_with_and_without_domain, 0, sizeof names / sizeof *names);
}

int main(void) {
    return mu_suite_run("capacity", add_tests);
}
