/* Consumable capacity. */
#include "scheduler/devices/capacity.h"
#include <stdio.h>

#define NANO ((mu_i128)1000000000)
#define MICRO ((mu_i128)1000000)

/* ---- Names ---- */

static struct mu_str without_domain(const struct mu_symbols *symbols, mu_sym driver, mu_sym name) {
    struct mu_str text = mu_text(symbols, name), domain = mu_text(symbols, driver);
    bool own = text.len > domain.len && text.ptr[domain.len] == '/' && mu_str_starts(text, domain);
    return own ? mu_str_slice(text, domain.len + 1, text.len) : text;
}

bool mu_capacity_same(const struct mu_symbols *symbols, mu_sym driver, mu_sym a, mu_sym b) {
    return a == b || mu_str_eq(without_domain(symbols, driver, a), without_domain(symbols, driver, b));
}

/* Published once more, with the driver's domain: that one counts. */
static bool has_full_twin(const struct mu_capacity_query *query, uint32_t index) {
    mu_sym name = query->device->capacity[index].name;
    struct mu_str text = mu_text(query->symbols, name);
    for (uint32_t i = 0; i < query->device->capacity_len; i++) {
        mu_sym other = query->device->capacity[i].name;
        if (other != name && mu_capacity_same(query->symbols, query->driver, name, other) &&
            mu_text(query->symbols, other).len > text.len)
            return true;
    }
    return false;
}

/* ---- How much a request takes ---- */

/* The unit in which a range is stepped through: 1, or 1/1000 where that is allowed and says the same. */
static mu_i128 unit_of_range(const struct mu_capacity_policy *policy, bool fractional) {
    if (!fractional || policy->step.nano < MICRO)
        return NANO;
    mu_i128 most = INT64_MAX * MICRO;
    bool exact = policy->min.nano % MICRO == 0 && policy->min.nano <= most && policy->step.nano % MICRO == 0 &&
                 policy->step.nano <= most;
    exact = exact && (!policy->has_max || (policy->max.nano % MICRO == 0 && policy->max.nano <= most));
    return exact ? MICRO : NANO;
}

static mu_i128 up_to(mu_i128 nano, mu_i128 unit) {
    return nano / unit + (nano % unit > 0);
}

/* NULL, or why it cannot be computed with. */
static const char *round_in_range(const struct mu_capacity_policy *policy, mu_i128 request, bool fractional,
                                  mu_i128 *ret) {
    /* A default below the range (which the API does not allow) is taken as it is by those who ask for it by its amount,
     * as by those who ask for nothing. */
    bool is_default = policy->has_default && request == policy->fallback.nano;
    *ret = request < policy->min.nano && !is_default ? policy->min.nano : request;
    if (request < policy->min.nano || !policy->has_step || policy->step.nano <= 0)
        return NULL;
    mu_i128 unit = unit_of_range(policy, fractional);
    if (unit == MICRO && request % MICRO != 0)
        return "the request is finer than a thousandth";
    if (request > INT64_MAX * unit)
        return "the request passes 2^63-1";
    mu_i128 min = up_to(policy->min.nano, unit), step = up_to(policy->step.nano, unit);
    mu_i128 value = min + up_to(up_to(request, unit) - min, step) * step;
    if (value > INT64_MAX)
        return "rounding the request up to the next step passes 2^63-1";
    *ret = value * unit;
    return NULL;
}

static const char *amount_of(const struct mu_device_capacity *capacity, const mu_i128 *request, bool fractional,
                             mu_i128 *ret) {
    const struct mu_capacity_policy *policy = capacity->policy;
    if (request == NULL) {
        *ret = policy != NULL && policy->has_default ? policy->fallback.nano : capacity->value.nano;
        return NULL;
    }
    *ret = *request;
    if (policy == NULL)
        return NULL;
    if (policy->has_range && policy->has_min)
        return round_in_range(policy, *request, fractional, ret);
    for (uint32_t i = 0; i < policy->values_len; i++) {
        if (*request <= policy->values[i].nano) {
            *ret = policy->values[i].nano;
            break;
        }
    }
    return NULL;
}

static bool against_range(const struct mu_capacity_policy *policy, mu_i128 nano, bool fractional) {
    if (policy->has_max && nano > policy->max.nano)
        return true;
    if (!policy->has_step || policy->step.nano <= 0)
        return false;
    mu_i128 unit = unit_of_range(policy, fractional);
    return (up_to(nano, unit) - up_to(policy->min.nano, unit)) % up_to(policy->step.nano, unit) != 0;
}

static bool against_policy(const struct mu_capacity_policy *policy, mu_i128 nano, bool fractional) {
    if (policy == NULL || (policy->has_default && nano == policy->fallback.nano))
        return false;
    if (policy->has_range)
        return against_range(policy, nano, fractional);
    bool listed = policy->values_len == 0;
    for (uint32_t i = 0; i < policy->values_len; i++)
        listed = listed || policy->values[i].nano == nano;
    return !listed;
}

/* ---- The whole device ---- */

/* The capacity that a request means: of this very name, else of the same one with or without domain. */
static uint32_t find_capacity(const struct mu_capacity_query *query, mu_sym name) {
    uint32_t found = MU_NO_INDEX;
    for (uint32_t i = 0; i < query->device->capacity_len; i++) {
        mu_sym other = query->device->capacity[i].name;
        if (other == name)
            return i;
        if (mu_capacity_same(query->symbols, query->driver, name, other))
            found = i;
    }
    return found;
}

/* The request for a capacity, under whatever name; *ret_twice: there are two. */
static const mu_i128 *find_request(const struct mu_capacity_query *query, mu_sym name, bool *ret_twice) {
    const mu_i128 *found = NULL;
    *ret_twice = false;
    for (uint32_t i = 0; i < query->ask->capacity_len; i++) {
        if (mu_capacity_same(query->symbols, query->driver, name, query->ask->capacity[i].name)) {
            *ret_twice = found != NULL;
            found = &query->ask->capacity[i].value.nano;
        }
    }
    return found;
}

static mu_i128 taken_of(const struct mu_capacity_query *query, mu_sym name) {
    for (size_t i = 0; query->holding != NULL && i < query->holding->consumed.len; i++)
        if (mu_capacity_same(query->symbols, query->driver, name, query->holding->consumed.items[i].name))
            return query->holding->consumed.items[i].nano;
    return 0;
}

static enum mu_capacity_fit wrong(const struct mu_capacity_query *query, mu_sym name, const char *why, char *text,
                                  size_t bytes) {
    snprintf(text, bytes, "capacity \"" MU_STR_FMT "\": %s", MU_STR_ARG(mu_text(query->symbols, name)), why);
    return MU_CAPACITY_WRONG;
}

/* All amounts are worked out before any is compared: a request that cannot be computed with is wrong on every device,
 * whichever capacity runs out first. */
static enum mu_capacity_fit work_out(const struct mu_capacity_query *query, mu_i128 *ret_nano, char *text,
                                     size_t bytes) {
    for (uint32_t i = 0; i < query->device->capacity_len; i++) {
        const struct mu_device_capacity *capacity = &query->device->capacity[i];
        ret_nano[i] = -1;
        if (has_full_twin(query, i))
            continue;
        bool twice;
        const mu_i128 *request = find_request(query, capacity->name, &twice);
        const char *why = twice ? "requested with and without its domain"
                                : amount_of(capacity, request, query->fractional, &ret_nano[i]);
        if (why == NULL && ret_nano[i] < 0)
            why = "the amount is negative";
        if (why != NULL)
            return wrong(query, capacity->name, why, text, bytes);
    }
    return MU_CAPACITY_FITS;
}

enum mu_capacity_fit mu_capacity_ask(const struct mu_capacity_query *query, mu_i128 *ret_nano, char *text,
                                     size_t bytes) {
    for (uint32_t i = 0; i < query->ask->capacity_len; i++)
        if (find_capacity(query, query->ask->capacity[i].name) == MU_NO_INDEX)
            return MU_CAPACITY_LACKS;
    if (work_out(query, ret_nano, text, bytes) != MU_CAPACITY_FITS)
        return MU_CAPACITY_WRONG;
    for (uint32_t i = 0; i < query->device->capacity_len; i++) {
        const struct mu_device_capacity *capacity = &query->device->capacity[i];
        if (ret_nano[i] < 0)
            continue;
        if (against_policy(capacity->policy, ret_nano[i], query->fractional))
            return MU_CAPACITY_LACKS;
        if (mu_sat_add128(ret_nano[i], taken_of(query, capacity->name)) > capacity->value.nano)
            return MU_CAPACITY_LACKS;
    }
    return MU_CAPACITY_FITS;
}
