/* Share IDs. SHA-1 (FIPS 180-4) is what UUIDv5 is made of; nothing here needs it to be secret or collision-free. */
#include "scheduler/devices/share_id.h"

enum { BLOCK_BYTES = 64, DIGEST_WORDS = 5 };

struct sha1 {
    uint32_t state[DIGEST_WORDS];
    uint8_t block[BLOCK_BYTES];
    size_t used;    /* bytes in the block */
    uint64_t bytes; /* in all */
};

static uint32_t rotate(uint32_t word, unsigned by) {
    return word << by | word >> (32 - by);
}

static uint32_t mix(int round, const uint32_t v[DIGEST_WORDS]) {
    uint32_t b = v[1], c = v[2], d = v[3];
    if (round < 20)
        return ((b & c) | (~b & d)) + 0x5a827999u;
    if (round < 40)
        return (b ^ c ^ d) + 0x6ed9eba1u;
    if (round < 60)
        return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcu;
    return (b ^ c ^ d) + 0xca62c1d6u;
}

static void add_block(struct sha1 *sha) {
    uint32_t words[80], v[DIGEST_WORDS];
    for (int i = 0; i < 16; i++)
        words[i] = (uint32_t)sha->block[4 * i] << 24 | (uint32_t)sha->block[4 * i + 1] << 16 |
                   (uint32_t)sha->block[4 * i + 2] << 8 | sha->block[4 * i + 3];
    for (int i = 16; i < 80; i++)
        words[i] = rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    memcpy(v, sha->state, sizeof v);
    for (int i = 0; i < 80; i++) {
        uint32_t next = rotate(v[0], 5) + mix(i, v) + v[4] + words[i];
        v[4] = v[3];
        v[3] = v[2];
        v[2] = rotate(v[1], 30);
        v[1] = v[0];
        v[0] = next;
    }
    for (int i = 0; i < DIGEST_WORDS; i++)
        sha->state[i] += v[i];
    sha->used = 0;
}

static void add_byte(struct sha1 *sha, uint8_t byte) {
    sha->block[sha->used++] = byte;
    if (sha->used == BLOCK_BYTES)
        add_block(sha);
}

static void finish(struct sha1 *sha, uint8_t ret[MU_UUID_BYTES]) {
    uint64_t bits = sha->bytes * 8;
    add_byte(sha, 0x80);
    while (sha->used != BLOCK_BYTES - 8)
        add_byte(sha, 0);
    for (int shift = 56; shift >= 0; shift -= 8)
        add_byte(sha, (uint8_t)(bits >> shift));
    for (int i = 0; i < MU_UUID_BYTES; i++)
        ret[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}

void mu_uuid5(const uint8_t namespace[MU_UUID_BYTES], struct mu_str name, char ret[MU_UUID_CHARS + 1]) {
    struct sha1 sha = {.state = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u},
                       .bytes = MU_UUID_BYTES + name.len};
    for (int i = 0; i < MU_UUID_BYTES; i++)
        add_byte(&sha, namespace[i]);
    for (size_t i = 0; i < name.len; i++)
        add_byte(&sha, (uint8_t)name.ptr[i]);
    uint8_t bytes[MU_UUID_BYTES];
    finish(&sha, bytes);
    bytes[6] = (uint8_t)((bytes[6] & 0x0f) | 0x50); /* version */
    bytes[8] = (uint8_t)((bytes[8] & 0x3f) | 0x80); /* variant */
    static const char digits[] = "0123456789abcdef";
    size_t at = 0;
    for (int i = 0; i < MU_UUID_BYTES; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            ret[at++] = '-';
        ret[at++] = digits[bytes[i] >> 4];
        ret[at++] = digits[bytes[i] & 15];
    }
    ret[at] = '\0';
}

/* Share IDs of muster, as a namespace: drawn once. */
static const uint8_t share_ids[MU_UUID_BYTES] = {0x5e, 0x1c, 0x7a, 0x90, 0x2b, 0x4d, 0x4f, 0x0e,
                                                 0x9a, 0x61, 0x37, 0xd8, 0xc4, 0x0b, 0xf2, 0x15};

void mu_share_id(const struct mu_symbols *symbols, const struct mu_claim *claim, mu_sym request, uint32_t index,
                 struct mu_arena *scratch, char ret[MU_UUID_CHARS + 1]) {
    struct mu_arena_mark mark = mu_arena_mark(scratch);
    /* A claim of a manifest has no uid; its name stands in. */
    struct mu_str uid = mu_text(symbols, claim->meta.uid);
    struct mu_str namespace = mu_text(symbols, claim->meta.namespace), name = mu_text(symbols, claim->meta.name);
    struct mu_str what =
        mu_str_printf(scratch, MU_STR_FMT "\n" MU_STR_FMT "/" MU_STR_FMT "\n%lld\n" MU_STR_FMT "\n%u", MU_STR_ARG(uid),
                      MU_STR_ARG(namespace), MU_STR_ARG(name), (long long)claim->meta.resource_version,
                      MU_STR_ARG(mu_text(symbols, request)), index);
    mu_uuid5(share_ids, what, ret);
    mu_arena_rollback(scratch, mark);
}
