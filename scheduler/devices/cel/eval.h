/* An evaluation under way: its memory, its budget, its variables, and the cost that is counted. */
#ifndef MU_DEVICES_CEL_EVAL_H
#define MU_DEVICES_CEL_EVAL_H

#include "scheduler/devices/cel/cel_general.h"
#include "scheduler/devices/cel/plan.h"

enum {
    /* Bytes that values of one evaluation may take. Costs do not bound them: replace() can square a text at the cost of
     * reading it. Attributes are 64 characters long, so this is far past what any device needs. */
    MU_CEL_BYTES_MAX = 32 << 20,
    /* Steps: characters compared, items visited. Nothing that costs less than upstream's limit comes near it, but for
     * equality of values that share their parts, which costs next to nothing and takes time without end. */
    MU_CEL_STEPS_MAX = 30000000,
    /* Values inside values. Binds nest them deeper than expressions nest, and walking them takes stack. */
    MU_CEL_VALUE_DEPTH_MAX = 1000,
};

/* The values seen so far and not yet used up by a call, for costs that depend on the size of arguments. cel-go keeps
 * such a stack and finds arguments in it by their ids; what is found is not always what was just evaluated, so it is
 * the same here. */
struct mu_cel_seen {
    struct mu_cel_val value;
    uint32_t id;
    uint32_t below; /* 1 + the place of the next lower one with the same id; 0: none */
};

struct mu_cel_frame {
    struct mu_cel_val accumulator, first, second;
    bool initialized;
};

struct mu_cel_eval {
    struct mu_arena *arena;
    const struct mu_cel_plan *plan;
    const struct mu_cel_device *device;
    struct mu_cel_map device_map;          /* what `device` is */
    const struct mu_cel_binding *bindings; /* the variables, where there is no device */
    const struct mu_cel_zones *zones;
    bool strict; /* see struct mu_cel_environment */
    struct mu_cel_frame *frames;
    uint64_t steps_left;
    size_t bytes_left;
    uint32_t depth; /* of values inside values, while they are walked through */
    bool stopped;   /* nothing more is evaluated: `stop` says why */
    const char *stop;
    int stop_code; /* MU_E_LIMIT, or MU_E_INVALID */
    /* Costs; `heads` is NULL where they are not counted. */
    uint64_t cost, cost_max;
    uint32_t *heads; /* by id: 1 + the place of the topmost value with it */
    MU_VEC(struct mu_cel_seen) seen;
    uint32_t patterns_len;
    struct mu_cel_pattern *patterns; /* compiled during the evaluation */
};

struct mu_cel_val mu_cel_run(struct mu_cel_eval *e, const struct mu_cel_step *step);
struct mu_cel_val mu_cel_resolve(struct mu_cel_eval *e, const struct mu_cel_attr *attr);
/* Calls the function with values; an error where no overload takes them. */
struct mu_cel_val mu_cel_apply(struct mu_cel_eval *e, const struct mu_cel_step *call, const struct mu_cel_val *args);

/* The pattern compiled, or as it was compiled before; NULL where it is none (the error's text says why). */
const struct mu_cel_regex *mu_cel_pattern(struct mu_cel_eval *e, struct mu_str pattern, struct mu_err *err);
/* matches(), find() and findAll() with a pattern that is compiled. */
struct mu_cel_val mu_cel_regex_call(struct mu_cel_eval *e, const struct mu_cel_regex *regex,
                                    const struct mu_cel_val *args, uint32_t len, const char *function);

/* Ends the evaluation. */
void mu_cel_stop(struct mu_cel_eval *e, int code, const char *why);

/* ---- cost.c: what is counted when a step is done. ---- */

void mu_cel_count_push(struct mu_cel_eval *e, struct mu_cel_val value, uint32_t id);
void mu_cel_count_drop(struct mu_cel_eval *e, uint32_t id);
void mu_cel_count_call(struct mu_cel_eval *e, const struct mu_cel_step *call, struct mu_cel_val result);
void mu_cel_count_items(struct mu_cel_eval *e, const struct mu_cel_step *list, uint64_t cost);

#endif
