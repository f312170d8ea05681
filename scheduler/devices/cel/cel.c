/* Compiling and evaluating: the parts put together. */
#include "scheduler/devices/cel/device.h"
#include "scheduler/devices/cel/estimate.h"
#include "scheduler/devices/cel/program.h"

static int compile(struct mu_arena *arena, struct mu_str expression, const struct mu_cel_general *general,
                   const struct mu_cel **ret, struct mu_err *err) {
    struct mu_cel_parse_options options = {.bytes_max = general->bytes_max};
    struct mu_cel_parsed parsed;
    struct mu_cel *program = MU_NEW(arena, struct mu_cel);
    int r = mu_cel_parse(arena, expression, &options, &parsed, err);
    if (r < 0)
        return r;
    program->type = mu_cel_type_of(MU_CEL_K_DYN);
    program->cost_max = UINT64_MAX;
    program->strict = general->environment.strict;
    if (!general->unchecked) {
        r = mu_cel_check(arena, expression, &general->environment, parsed.root, err);
        r = r < 0 ? r : mu_cel_validate(arena, expression, &general->environment, parsed.root, err);
        if (r < 0)
            return r;
        program->type = parsed.root->type;
        program->cost_max = mu_cel_estimate(arena, parsed.root, parsed.nodes);
    }
    r = mu_cel_plan(arena, &general->environment, parsed.root, !general->unchecked, parsed.nodes, &program->plan, err);
    if (r == 0)
        *ret = program;
    return r;
}

/* The budget, and the cost's limit, of one evaluation. */
static void start(struct mu_cel_eval *e, const struct mu_cel *program, struct mu_arena *arena) {
    *e = (struct mu_cel_eval){
        .arena = arena,
        .plan = &program->plan,
        .strict = program->strict,
        .frames = MU_NEW_ARRAY(arena, struct mu_cel_frame, program->plan.folds),
        .heads = MU_NEW_ARRAY(arena, uint32_t, program->plan.ids),
        .steps_left = MU_CEL_STEPS_MAX,
        .bytes_left = MU_CEL_BYTES_MAX,
        .cost_max = (uint64_t)MU_CEL_COST_MAX,
    };
}

static int64_t cost_of(const struct mu_cel_eval *e) {
    return e->cost > INT64_MAX ? INT64_MAX : (int64_t)e->cost;
}

/* ---- Any variables ---- */

int mu_cel_general_compile(struct mu_arena *arena, struct mu_str expression, const struct mu_cel_general *general,
                           const struct mu_cel **ret, struct mu_err *err) {
    return compile(arena, expression, general, ret, err);
}

int mu_cel_general_evaluate(const struct mu_cel *program, const struct mu_cel_binding *bindings,
                            const struct mu_cel_zones *zones, struct mu_arena *arena, struct mu_cel_val *ret,
                            int64_t *ret_cost, struct mu_err *err) {
    struct mu_cel_eval e;
    start(&e, program, arena);
    e.bindings = bindings;
    e.zones = zones;
    *ret = mu_cel_run(&e, program->plan.root);
    *ret_cost = cost_of(&e);
    return e.stopped ? mu_err_set(err, e.stop_code, "%s", e.stop) : 0;
}

const struct mu_cel_decl *mu_cel_result_type(const struct mu_cel *program) {
    return program->type;
}

uint64_t mu_cel_cost_max(const struct mu_cel *program) {
    return program->cost_max;
}

/* ---- Devices ---- */

int mu_cel_device_compile(struct mu_arena *arena, struct mu_str expression, unsigned features,
                          const struct mu_cel **ret, struct mu_err *err) {
    struct mu_cel_variable device = {MU_STR("device"), mu_cel_type_of(MU_CEL_K_DEVICE)};
    struct mu_cel_general general = {
        .environment = {.variables = &device, .variables_len = 1, .features = features | MU_CEL_KUBERNETES_ONLY}};
    struct mu_err own = {0};
    int r = compile(arena, expression, &general, ret, &own);
    return r < 0 ? mu_err_set(err, r, "compilation failed: %s", own.text) : 0;
}

int mu_cel_device_run(const struct mu_cel *program, const struct mu_cel_device *device, struct mu_arena *scratch,
                      struct mu_cel_val *ret, int64_t *ret_cost, struct mu_err *err) {
    *ret_cost = 0;
    int r = mu_cel_device_check(device, err);
    if (r < 0)
        return r;
    struct mu_cel_eval e;
    start(&e, program, scratch);
    e.device = device;
    e.device_map.shape = MU_CEL_MAP_DEVICE;
    *ret = mu_cel_run(&e, program->plan.root);
    *ret_cost = cost_of(&e);
    if (e.stopped)
        return mu_err_set(err, e.stop_code, "%s", e.stop);
    if (mu_cel_is_error(*ret))
        return mu_err_set(err, MU_E_INVALID, MU_STR_FMT, MU_STR_ARG(ret->text));
    return 0;
}

int mu_cel_compile(struct mu_arena *arena, struct mu_str expression, unsigned features, const struct mu_cel **ret,
                   struct mu_err *err) {
    const struct mu_cel *program;
    int r = mu_cel_device_compile(arena, expression, features, &program, err);
    if (r < 0)
        return r;
    enum mu_cel_kind kind = program->type->kind, unknown = mu_cel_attribute_type(features)->kind;
    if (kind != MU_CEL_K_BOOL && kind != unknown) {
        struct mu_str type = mu_cel_type_text(arena, program->type);
        return mu_err_set(err, MU_E_INVALID, "must evaluate to bool or the unknown type, not " MU_STR_FMT,
                          MU_STR_ARG(type));
    }
    *ret = program;
    return 0;
}

int mu_cel_match(const struct mu_cel *program, const struct mu_cel_device *device, struct mu_arena *scratch,
                 bool *ret_match, int64_t *ret_cost, struct mu_err *err) {
    struct mu_arena_mark mark = mu_arena_mark(scratch);
    struct mu_cel_val value;
    int64_t cost;
    int r = mu_cel_device_run(program, device, scratch, &value, &cost, err);
    if (r == 0 && value.kind != MU_CEL_K_BOOL)
        r = mu_err_set(err, MU_E_INVALID, "CEL result of type " MU_STR_FMT " could not be converted to bool",
                       MU_STR_ARG(mu_cel_kind_name(value.kind)));
    mu_arena_rollback(scratch, mark);
    if (ret_cost)
        *ret_cost = cost;
    if (r == 0)
        *ret_match = value.boolean;
    return r;
}
