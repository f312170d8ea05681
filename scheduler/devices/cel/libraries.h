/* What the values of Kubernetes' libraries look like, and what other parts need of them. */
#ifndef MU_DEVICES_CEL_LIBRARIES_H
#define MU_DEVICES_CEL_LIBRARIES_H

#include "scheduler/devices/cel/value.h"

/* ---- lib_semver.c: as github.com/blang/semver parses and orders them */

struct mu_cel_semver {
    uint64_t major, minor, patch;
    struct mu_str before; /* the pre-release, "rc.1"; empty: none */
    struct mu_str build;
};

/* The texts are views of the input. */
bool mu_cel_semver_read(struct mu_str text, struct mu_cel_semver *ret);
int mu_cel_semver_compare(const struct mu_cel_semver *a, const struct mu_cel_semver *b);
struct mu_str mu_cel_semver_print(struct mu_arena *arena, const struct mu_cel_semver *v);

/* ---- lib_address.c: as Go's net/netip */

struct mu_cel_address {
    unsigned char bytes[16]; /* of an IPv4 address the first four */
    uint8_t len;             /* 4 or 16 */
    uint8_t bits;            /* of a CIDR: its prefix */
    bool cidr;
};

bool mu_cel_address_equal(const struct mu_cel_address *a, const struct mu_cel_address *b);
/* The bytes of an address; those that the prefix of a CIDR takes. */
uint64_t mu_cel_address_size(struct mu_cel_val v);

/* ---- lib_url.c: as Go's net/url */

struct mu_cel_url {
    struct mu_str scheme, user, host, path, query, fragment, opaque; /* as written, but for the scheme in lower case */
    bool has_authority, has_user;
};

bool mu_cel_url_read(struct mu_arena *arena, struct mu_str text, struct mu_cel_url *ret);
/* As the target of a request: the format "uri". */
bool mu_cel_uri_valid(struct mu_arena *arena, struct mu_str text);
bool mu_cel_url_equal(const struct mu_cel_url *a, const struct mu_cel_url *b);

/* ---- lib_format.c: named formats */

struct mu_cel_format {
    const char *name;
    uint64_t pattern_size; /* what costs are made of */
};

/* ---- lib_time.c */

/* "1h30m", as Go's time.ParseDuration. */
bool mu_cel_duration_read(struct mu_str text, int64_t *ret_ns);
/* RFC 3339. */
bool mu_cel_timestamp_read(struct mu_str text, int64_t *ret_s, int32_t *ret_nanos);
/* "5400s", "1.5s". */
struct mu_str mu_cel_duration_print(struct mu_arena *arena, int64_t ns);
struct mu_str mu_cel_timestamp_print(struct mu_arena *arena, int64_t s, int32_t nanos);

#endif
