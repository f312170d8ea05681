/* UTF-8, decoded strictly: no overlong forms, no surrogates, nothing past U+10FFFF. */
#include "scheduler/devices/cel/unicode.h"

/* The bytes of the valid sequence that starts the text, or 0. */
static size_t sequence(const unsigned char *p, size_t left, uint32_t *ret) {
    if (p[0] < 0x80) {
        *ret = p[0];
        return 1;
    }
    size_t len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || left < len)
        return 0;
    uint32_t rune = p[0] & (0x7fU >> len);
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        rune = rune << 6 | (p[i] & 0x3f);
    }
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (rune < least[len] || rune > MU_RUNE_MAX || (rune >= 0xd800 && rune < 0xe000))
        return 0;
    *ret = rune;
    return len;
}

uint32_t mu_rune_at(struct mu_str text, size_t at, size_t *ret_len) {
    uint32_t rune = MU_RUNE_ERROR;
    size_t len = sequence((const unsigned char *)text.ptr + at, text.len - at, &rune);
    *ret_len = len ? len : 1;
    return rune;
}

size_t mu_rune_count(struct mu_str text) {
    size_t count = 0, len;
    for (size_t at = 0; at < text.len; at += len, count++) {
        len = 1;
        if ((unsigned char)text.ptr[at] >= 0x80) /* most texts are ASCII */
            (void)mu_rune_at(text, at, &len);
    }
    return count;
}

size_t mu_rune_offset(struct mu_str text, size_t index) {
    size_t at = 0, len;
    for (; at < text.len && index > 0; at += len, index--)
        (void)mu_rune_at(text, at, &len);
    return at;
}

bool mu_utf8_valid(struct mu_str text) {
    uint32_t rune;
    size_t len;
    for (size_t at = 0; at < text.len; at += len) {
        len = sequence((const unsigned char *)text.ptr + at, text.len - at, &rune);
        if (len == 0)
            return false;
    }
    return true;
}

size_t mu_rune_put(char out[4], uint32_t rune) {
    if (rune < 0x80) {
        out[0] = (char)rune;
        return 1;
    }
    size_t len = rune < 0x800 ? 2 : rune < 0x10000 ? 3 : 4;
    for (size_t i = len; i-- > 1; rune >>= 6)
        out[i] = (char)(0x80 | (rune & 0x3f));
    static const unsigned char lead[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    out[0] = (char)(lead[len] | rune);
    return len;
}
