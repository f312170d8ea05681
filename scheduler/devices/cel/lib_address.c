/* IP addresses and CIDRs: Kubernetes' ip and cidr libraries, on what Go's net/netip takes for one. Zones and IPv4 mapped
 * into IPv6 are refused. */
#include "scheduler/devices/cel/eval.h"
#include "scheduler/devices/cel/libraries.h"
#include "scheduler/devices/cel/numbers.h"

enum { GROUPS = 8 };

/* Four numbers of up to 255 without leading zeros. */
static bool read_v4(struct mu_str text, unsigned char out[4]) {
    for (int i = 0; i < 4; i++) {
        ptrdiff_t dot = i < 3 ? mu_str_index(text, '.') : (ptrdiff_t)text.len;
        if (dot < 1 || dot > 3 || (dot > 1 && text.ptr[0] == '0'))
            return false;
        uint64_t number;
        if (!mu_cel_read_natural(mu_str_slice(text, 0, (size_t)dot), false, &number) || number > 255)
            return false;
        out[i] = (unsigned char)number;
        text = mu_str_slice(text, (size_t)dot + 1, text.len);
    }
    return true;
}

static bool read_group(struct mu_str *text, unsigned *ret) {
    size_t len = 0;
    *ret = 0;
    for (; len < text->len && len < 5; len++) {
        char c = text->ptr[len];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                : 16U;
        if (digit == 16)
            break;
        *ret = *ret * 16 + digit;
    }
    *text = mu_str_slice(*text, len, text->len);
    return len >= 1 && len <= 4;
}

/* Moves what was read after the `::` to the end. */
static bool spread(unsigned char out[16], size_t len, size_t gap) {
    if (len == 16)
        return gap == SIZE_MAX;
    if (gap == SIZE_MAX)
        return false;
    memmove(out + 16 - (len - gap), out + gap, len - gap);
    memset(out + gap, 0, 16 - len);
    return true;
}

static bool read_v6(struct mu_str text, unsigned char out[16]) {
    size_t len = 0, gap = SIZE_MAX;
    if (mu_str_starts(text, MU_STR("::"))) {
        gap = 0;
        text = mu_str_slice(text, 2, text.len);
    }
    while (text.len > 0 && len < 16) {
        struct mu_str start = text;
        unsigned group;
        if (!read_group(&text, &group))
            return false;
        if (text.len > 0 && text.ptr[0] == '.') { /* the last 32 bits as IPv4 */
            if (len > 12 || !read_v4(start, out + len))
                return false;
            return spread(out, len + 4, gap);
        }
        out[len++] = (unsigned char)(group >> 8);
        out[len++] = (unsigned char)group;
        if (text.len == 0)
            break;
        if (text.ptr[0] != ':' || text.len == 1)
            return false;
        text = mu_str_slice(text, 1, text.len);
        if (text.ptr[0] == ':') {
            if (gap != SIZE_MAX)
                return false;
            gap = len;
            text = mu_str_slice(text, 1, text.len);
        }
    }
    return text.len == 0 && spread(out, len, gap);
}

static bool read_address(struct mu_str text, struct mu_cel_address *ret) {
    static const unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    *ret = (struct mu_cel_address){0};
    bool v6 = mu_str_index(text, ':') >= 0;
    ret->len = v6 ? 16 : 4;
    ret->bits = (uint8_t)(ret->len * 8);
    if (v6)
        return read_v6(text, ret->bytes) && memcmp(ret->bytes, mapped, sizeof mapped) != 0;
    return read_v4(text, ret->bytes);
}

static bool read_cidr(struct mu_str text, struct mu_cel_address *ret) {
    ptrdiff_t slash = mu_str_index(text, '/');
    uint64_t bits;
    if (slash < 0 || !read_address(mu_str_slice(text, 0, (size_t)slash), ret))
        return false;
    struct mu_str prefix = mu_str_slice(text, (size_t)slash + 1, text.len);
    if ((prefix.len > 1 && prefix.ptr[0] == '0') || !mu_cel_read_natural(prefix, false, &bits) || bits > ret->bits)
        return false;
    ret->bits = (uint8_t)bits;
    ret->cidr = true;
    return true;
}

static unsigned group_at(const struct mu_cel_address *a, int i) {
    return (unsigned)a->bytes[2 * i] << 8 | a->bytes[2 * i + 1];
}

/* The longest run of zero groups, of two or more, is `::`. */
static void write_v6(struct mu_buf *out, const struct mu_cel_address *a) {
    int best = -1, best_len = 1;
    for (int i = 0, run = 0; i < GROUPS; i++) {
        run = group_at(a, i) == 0 ? run + 1 : 0;
        if (run > best_len) {
            best_len = run;
            best = i - run + 1;
        }
    }
    for (int i = 0; i < GROUPS; i++) {
        if (i == best) {
            mu_buf_add(out, MU_STR("::"));
            i += best_len - 1;
            continue;
        }
        if (i > 0 && i != best + best_len)
            mu_buf_add_char(out, ':');
        mu_buf_printf(out, "%x", group_at(a, i));
    }
}

static struct mu_str print(struct mu_arena *arena, const struct mu_cel_address *a) {
    struct mu_buf out;
    mu_buf_init(&out, arena);
    if (a->len == 4)
        mu_buf_printf(&out, "%d.%d.%d.%d", a->bytes[0], a->bytes[1], a->bytes[2], a->bytes[3]);
    else
        write_v6(&out, a);
    if (a->cidr)
        mu_buf_printf(&out, "/%d", a->bits);
    return mu_buf_str(&out);
}

bool mu_cel_address_equal(const struct mu_cel_address *a, const struct mu_cel_address *b) {
    return a->len == b->len && a->bits == b->bits && memcmp(a->bytes, b->bytes, a->len) == 0;
}

uint64_t mu_cel_address_size(struct mu_cel_val v) {
    return v.kind == MU_CEL_K_CIDR ? ((uint64_t)v.address->bits + 7) / 8 : v.address->len;
}

/* Are the first `bits` the same? */
static bool same_prefix(const struct mu_cel_address *a, const struct mu_cel_address *b, unsigned bits) {
    if (a->len != b->len || memcmp(a->bytes, b->bytes, bits / 8) != 0)
        return false;
    unsigned rest = bits % 8;
    return rest == 0 || ((unsigned)(a->bytes[bits / 8] ^ b->bytes[bits / 8]) >> (8 - rest)) == 0;
}

/* ---- Functions ---- */

static struct mu_cel_val make(struct mu_cel_eval *e, const struct mu_cel_address *from) {
    struct mu_cel_address *copy = mu_cel_alloc(e, 1, sizeof *copy);
    if (copy == NULL)
        return mu_cel_no_overload(e);
    *copy = *from;
    return (struct mu_cel_val){.kind = from->cidr ? MU_CEL_K_CIDR : MU_CEL_K_IP, .address = copy};
}

static struct mu_cel_val ip(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_cel_address address;
    if (!read_address(a[0].text, &address))
        return mu_cel_fail(e, "IP Address \"" MU_STR_FMT "\" parse error during conversion from string",
                           MU_STR_ARG(a[0].text));
    return make(e, &address);
}

static struct mu_cel_val cidr(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_cel_address address;
    if (!read_cidr(a[0].text, &address))
        return mu_cel_fail(e, "network address parse error during conversion from string: " MU_STR_FMT,
                           MU_STR_ARG(a[0].text));
    return make(e, &address);
}

static struct mu_cel_val is_ip(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_cel_address ignored;
    return mu_cel_bool(read_address(a[0].text, &ignored));
}

static struct mu_cel_val is_cidr(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_cel_address ignored;
    return mu_cel_bool(read_cidr(a[0].text, &ignored));
}

static struct mu_cel_val is_canonical(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_cel_address address;
    if (!read_address(a[0].text, &address))
        return ip(e, a, len);
    return mu_cel_bool(mu_str_eq(print(e->arena, &address), a[0].text));
}

static struct mu_cel_val to_string(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_string(print(e->arena, a[0].address));
}

static struct mu_cel_val family(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_int(a[0].address->len == 4 ? 4 : 6);
}

static bool all_zero(const struct mu_cel_address *a, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (a->bytes[i] != 0)
            return false;
    return true;
}

static bool loopback(const struct mu_cel_address *a) {
    return a->len == 4 ? a->bytes[0] == 127 : all_zero(a, 0, 15) && a->bytes[15] == 1;
}

static bool link_local_multicast(const struct mu_cel_address *a) {
    return a->len == 4 ? a->bytes[0] == 224 && a->bytes[1] == 0 && a->bytes[2] == 0
                       : a->bytes[0] == 0xff && (a->bytes[1] & 0x0f) == 2;
}

static bool link_local_unicast(const struct mu_cel_address *a) {
    return a->len == 4 ? a->bytes[0] == 169 && a->bytes[1] == 254 : a->bytes[0] == 0xfe && (a->bytes[1] & 0xc0) == 0x80;
}

static bool global_unicast(const struct mu_cel_address *a) {
    bool multicast = a->len == 4 ? (a->bytes[0] & 0xf0) == 0xe0 : a->bytes[0] == 0xff;
    bool broadcast =
        a->len == 4 && a->bytes[0] == 255 && a->bytes[1] == 255 && a->bytes[2] == 255 && a->bytes[3] == 255;
    return !multicast && !broadcast && !all_zero(a, 0, a->len) && !loopback(a) && !link_local_unicast(a);
}

static struct mu_cel_val is_unspecified(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(all_zero(a[0].address, 0, a[0].address->len));
}

static struct mu_cel_val is_loopback(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(loopback(a[0].address));
}

static struct mu_cel_val is_local_multicast(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(link_local_multicast(a[0].address));
}

static struct mu_cel_val is_local_unicast(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(link_local_unicast(a[0].address));
}

static struct mu_cel_val is_global_unicast(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_bool(global_unicast(a[0].address));
}

static struct mu_cel_val contains_ip(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_cel_address text;
    const struct mu_cel_address *other = &text;
    if (a[1].kind == MU_CEL_K_IP)
        other = a[1].address;
    else if (!read_address(a[1].text, &text))
        return mu_cel_no_overload(e);
    return mu_cel_bool(same_prefix(a[0].address, other, a[0].address->bits));
}

static struct mu_cel_val contains_cidr(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_cel_address text;
    const struct mu_cel_address *other = &text;
    if (a[1].kind == MU_CEL_K_CIDR)
        other = a[1].address;
    else if (!read_cidr(a[1].text, &text))
        return mu_cel_no_overload(e);
    return mu_cel_bool(a[0].address->bits <= other->bits && same_prefix(a[0].address, other, a[0].address->bits));
}

static struct mu_cel_val ip_of(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_cel_address address = *a[0].address;
    address.cidr = false;
    address.bits = (uint8_t)(address.len * 8);
    return make(e, &address);
}

static struct mu_cel_val prefix_length(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    return mu_cel_int(a[0].address->bits);
}

static struct mu_cel_val masked(struct mu_cel_eval *e, const struct mu_cel_val *a, uint32_t len) {
    struct mu_cel_address address = *a[0].address;
    for (unsigned i = 0; i < address.len; i++) {
        unsigned kept = address.bits > i * 8 ? address.bits - i * 8 : 0;
        address.bytes[i] &= (unsigned char)(kept >= 8 ? 0xff : 0xff00 >> kept);
    }
    return make(e, &address);
}

const struct mu_cel_overload mu_cel_addresses[] = {
    {"ip", "string", "ip", ip, .cost = MU_CEL_COST_SCAN},
    {"family", "ip", "int", family, .cost = MU_CEL_COST_FLAT, .member = true},
    {"ip.isCanonical", "string", "bool", is_canonical, .cost = MU_CEL_COST_REBUILD},
    {"isUnspecified", "ip", "bool", is_unspecified, .cost = MU_CEL_COST_FLAT, .member = true},
    {"isLoopback", "ip", "bool", is_loopback, .cost = MU_CEL_COST_FLAT, .member = true},
    {"isLinkLocalMulticast", "ip", "bool", is_local_multicast, .cost = MU_CEL_COST_FLAT, .member = true},
    {"isLinkLocalUnicast", "ip", "bool", is_local_unicast, .cost = MU_CEL_COST_FLAT, .member = true},
    {"isGlobalUnicast", "ip", "bool", is_global_unicast, .cost = MU_CEL_COST_FLAT, .member = true},
    {"isIP", "string", "bool", is_ip, .cost = MU_CEL_COST_SCAN},
    {"string", "ip", "string", to_string},
    {"cidr", "string", "cidr", cidr, .cost = MU_CEL_COST_SCAN},
    {"containsIP", "cidr;string", "bool", contains_ip, .cost = MU_CEL_COST_CONTAINS_IP, .member = true},
    {"containsIP", "cidr;ip", "bool", contains_ip, .cost = MU_CEL_COST_CONTAINS_IP, .member = true},
    {"containsCIDR", "cidr;string", "bool", contains_cidr, .cost = MU_CEL_COST_CONTAINS_CIDR, .member = true},
    {"containsCIDR", "cidr;cidr", "bool", contains_cidr, .cost = MU_CEL_COST_CONTAINS_CIDR, .member = true},
    {"ip", "cidr", "ip", ip_of, .cost = MU_CEL_COST_IP_OF_CIDR, .member = true},
    {"prefixLength", "cidr", "int", prefix_length, .cost = MU_CEL_COST_FLAT, .member = true},
    {"masked", "cidr", "cidr", masked, .cost = MU_CEL_COST_FLAT, .member = true},
    {"isCIDR", "string", "bool", is_cidr, .cost = MU_CEL_COST_SCAN},
    {"string", "cidr", "string", to_string},
    {0},
};
