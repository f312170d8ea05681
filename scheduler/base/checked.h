/* Checked and saturating integer arithmetic: no sum of users' numbers ever wraps. */
#ifndef MU_BASE_CHECKED_H
#define MU_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 mu_i128;
__extension__ typedef unsigned __int128 mu_u128;

#define MU_I128_MAX ((mu_i128)(((mu_u128)1 << 127) - 1))
#define MU_I128_MIN (-MU_I128_MAX - 1)

static inline int64_t mu_sat_add(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (b > 0 ? INT64_MAX : INT64_MIN) : sum;
}

static inline int64_t mu_sat_sub(int64_t a, int64_t b) {
    int64_t difference;
    return __builtin_sub_overflow(a, b, &difference) ? (b < 0 ? INT64_MAX : INT64_MIN) : difference;
}

static inline int64_t mu_sat_mul(int64_t a, int64_t b) {
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? ((a < 0) == (b < 0) ? INT64_MAX : INT64_MIN) : product;
}

static inline mu_i128 mu_sat_add128(mu_i128 a, mu_i128 b) {
    mu_i128 sum;
    return __builtin_add_overflow(a, b, &sum) ? (b > 0 ? MU_I128_MAX : MU_I128_MIN) : sum;
}

static inline mu_i128 mu_sat_mul128(mu_i128 a, mu_i128 b) {
    mu_i128 product;
    return __builtin_mul_overflow(a, b, &product) ? ((a < 0) == (b < 0) ? MU_I128_MAX : MU_I128_MIN) : product;
}

/* Cut to int64. */
static inline int64_t mu_sat_i64(mu_i128 value) {
    return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

#endif
