/* Quantities: Kubernetes' quantity library. They are exact, in nano units; upstream's are exact without a bound, and cut
 * where a text has a binary suffix, so what is beyond 2^63 units differs. */
#include "scheduler/devices/cel/eval.h"
#include "scheduler/devices/cel/numbers.h"
#include "scheduler/objects/quantity.h"

#define NANO 1000000000

/* Is the quantity none that Kubernetes takes for an integer? It goes by how the text is written: by digits below one
 * ("1000m", "1.0"), and by more digits than its fast path has ("100Ti", "1Ei"). */
static bool has_fraction(struct mu_str text, struct mu_quantity quantity) {
    static const char *const decimal = "kMGTPE", *const binary = "KMGTPE";
    size_t digits = 0, after_point = 0, i = 0;
    bool point = false;
    if (mu_str_eq(text, MU_STR("0")))
        return false;
    i += text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+');
    for (; i < text.len && ((text.ptr[i] >= '0' && text.ptr[i] <= '9') || text.ptr[i] == '.'); i++) {
        if (text.ptr[i] == '.')
            point = true;
        else if (point)
            after_point++;
        else
            digits += digits > 0 || text.ptr[i] != '0';
    }
    struct mu_str suffix = mu_str_slice(text, i, text.len);
    digits = digits ? digits : 1;
    if (suffix.len == 2 && suffix.ptr[1] == 'i') {
        size_t power = (size_t)(strchr(binary, suffix.ptr[0]) - binary) + 1;
        return after_point > 0 || digits + 3 * power + 1 > 15;
    }
    int64_t scale = 0;
    const char *thousands = suffix.len == 1 ? strchr(decimal, suffix.ptr[0]) : NULL;
    if (thousands)
        scale = 3 * (thousands - decimal + 1);
    else if (suffix.len == 1)
        scale = suffix.ptr[0] == 'm' ? -3 : suffix.ptr[0] == 'u' ? -6 : -9;
    else if (suffix.len > 1 && !mu_cel_read_int(mu_str_slice(suffix, 1, suffix.len), &scale))
        return true;
    return scale < (int64_t)after_point || digits + after_point > 18 || quantity.nano % NANO != 0;
}

static struct mu_cel_val make(struct mu_cel_eval *e, mu_i128 nano, bool fraction, bool computed) {
    struct mu_cel_amount *amount = mu_cel_alloc(e, 1, sizeof *amount);
    if (amount == NULL)
        return mu_cel_no_overload(e);
    amount->quantity.nano = nano;
    amount->fraction = fraction;
    amount->computed = computed;
    return (struct mu_cel_val){.kind = MU_CEL_K_QUANTITY, .amount = amount};
}

/* Upstream takes a number without digits for zero: "Ki", "-", ".". */
static bool read(struct mu_cel_eval *e, struct mu_str text, struct mu_quantity *ret) {
    if (mu_quantity_parse(text, ret))
        return true;
    size_t sign = text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+');
    if (text.len == 0 || !mu_cel_reserve(e, text.len + 2))
        return false;
    struct mu_str padded = mu_str_printf(e->arena, MU_STR_FMT "0" MU_STR_FMT, MU_STR_ARG(mu_str_slice(text, 0, sign)),
                                         MU_STR_ARG(mu_str_slice(text, sign, text.len)));
    return mu_quantity_parse(padded, ret);
}

static struct mu_cel_val quantity(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_quantity q;
    if (!read(e, a[0].text, &q))
        return mu_cel_fail(e, "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?"
                              "[0-9]*)$'");
    return make(e, q.nano, has_fraction(a[0].text, q), false);
}

static struct mu_cel_val is_quantity(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_quantity q;
    return mu_cel_bool(read(e, a[0].text, &q));
}

static int compare(const struct mu_cel_val *a) {
    mu_i128 x = a[0].amount->quantity.nano, y = a[1].amount->quantity.nano;
    return (x > y) - (x < y);
}

static struct mu_cel_val sign(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    mu_i128 nano = a[0].amount->quantity.nano;
    return mu_cel_int((nano > 0) - (nano < 0));
}

static struct mu_cel_val is_greater(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(compare(a) > 0);
}

static struct mu_cel_val is_less(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(compare(a) < 0);
}

static struct mu_cel_val compare_to(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_int(compare(a));
}

static bool as_integer(const struct mu_cel_amount *amount, int64_t *ret) {
    mu_i128 units = amount->quantity.nano / NANO;
    if (amount->fraction || units > INT64_MAX || units < INT64_MIN)
        return false;
    *ret = (int64_t)units;
    return true;
}

static struct mu_cel_val to_integer(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    int64_t value;
    return as_integer(a[0].amount, &value) ? mu_cel_int(value) : mu_cel_fail(e, "cannot convert value to integer");
}

static struct mu_cel_val is_integer(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    int64_t value;
    return mu_cel_bool(as_integer(a[0].amount, &value));
}

static struct mu_cel_val to_double(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    mu_i128 nano = a[0].amount->quantity.nano;
    if (nano % NANO == 0)
        return mu_cel_double((double)(nano / NANO));
    return mu_cel_double((double)nano / NANO);
}

static struct mu_cel_val sum(struct mu_cel_eval *e, const struct mu_cel_val *a, bool minus) {
    bool number = a[1].kind == MU_CEL_K_INT;
    mu_i128 other = number ? (mu_i128)a[1].number * NANO : a[1].amount->quantity.nano;
    if (minus)
        other = other == MU_I128_MIN ? MU_I128_MAX : -other;
    mu_i128 nano = mu_sat_add128(a[0].amount->quantity.nano, other);
    bool left = a[0].amount->fraction, right = !number && a[1].amount->fraction;
    if (other == 0 || a[0].amount->quantity.nano == 0) /* nothing plus x is x, as it was written */
        return make(e, nano, other == 0 ? left : right, true);
    return make(e, nano, nano % NANO != 0 || left || right, true);
}

static struct mu_cel_val add(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return sum(e, a, false);
}

static struct mu_cel_val subtract(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return sum(e, a, true);
}

const struct mu_cel_overload mu_cel_quantities[] = {
    {"quantity", "string", "quantity", quantity, .cost = MU_CEL_COST_SCAN},
    {"isQuantity", "string", "bool", is_quantity, .cost = MU_CEL_COST_SCAN},
    {"sign", "quantity", "int", sign, .cost = MU_CEL_COST_FLAT},
    {"isGreaterThan", "quantity;quantity", "bool", is_greater, .cost = MU_CEL_COST_FLAT, .member = true},
    {"isLessThan", "quantity;quantity", "bool", is_less, .cost = MU_CEL_COST_FLAT, .member = true},
    {"compareTo", "quantity;quantity", "int", compare_to, .cost = MU_CEL_COST_FLAT, .member = true},
    {"asApproximateFloat", "quantity", "double", to_double, .cost = MU_CEL_COST_FLAT, .member = true},
    {"asInteger", "quantity", "int", to_integer, .cost = MU_CEL_COST_FLAT, .member = true},
    {"isInteger", "quantity", "bool", is_integer, .cost = MU_CEL_COST_FLAT, .member = true},
    {"add", "quantity;quantity", "quantity", add, .cost = MU_CEL_COST_FLAT, .member = true},
    {"add", "quantity;int", "quantity", add, .cost = MU_CEL_COST_FLAT, .member = true},
    {"sub", "quantity;quantity", "quantity", subtract, .cost = MU_CEL_COST_FLAT, .member = true},
    {"sub", "quantity;int", "quantity", subtract, .cost = MU_CEL_COST_FLAT, .member = true},
    {0},
};
