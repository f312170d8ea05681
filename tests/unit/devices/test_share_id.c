/* Share IDs: UUIDs of version 5, and what tells them apart. */
#include "scheduler/devices/share_id.h"
#include "tests/lib/suite.h"

/* The namespace for domain names of RFC 9562. */
static const uint8_t dns[MU_UUID_BYTES] = {0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1,
                                           0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8};

static const struct {
    const char *name, *uuid;
} known[] = {
    {"python.org", "886313e1-3b8a-5372-9b90-0c9aee199e5d"},
    {"www.example.com", "2ed6657d-e927-568b-95e1-2665a8aea6a2"}, /* RFC 9562, A.4 */
    {"", "4ebd0208-8328-5d69-8c44-ec50939c0967"},
    /* Around the length of a block. */
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "5824f981-4282-59d4-9716-acb6d741350e"},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "39f39c20-db47-5131-8879-62f8f67f9014"},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "660c273c-8a00-5941-b6f4-8d0afed88966"},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "7280cc42-274a-5c4a-91fc-ae23f853eeb7"},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "69349718-028b-5ff0-a00f-c024ded6e6ee"},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaa",
     "49904e19-4ad3-559a-9752-2e407633e28f"},
};

START_TEST(known_uuids) {
    char uuid[MU_UUID_CHARS + 1];
    mu_uuid5(dns, mu_str_from(known[_i].name), uuid);
    ck_assert_str_eq(uuid, known[_i].uuid);
}
END_TEST

static const char *id_of(struct mu_arena *arena, struct mu_symbols *symbols, const char *uid, int64_t version,
                         const char *request, uint32_t index) {
    struct mu_claim claim = {.meta = {.uid = mu_intern(symbols, mu_str_from(uid)), .resource_version = version}};
    char *ret = mu_arena_alloc(arena, MU_UUID_CHARS + 1, 1);
    mu_share_id(symbols, &claim, mu_intern(symbols, mu_str_from(request)), index, arena, ret);
    return mu_str_dup(arena, mu_str_from(ret)).ptr;
}

START_TEST(each_share_has_its_own) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    struct mu_symbols symbols;
    mu_symbols_init(&symbols, arena, 1);
    const char *id = id_of(arena, &symbols, "u", 7, "r", 0);
    ck_assert_uint_eq(strlen(id), MU_UUID_CHARS);
    ck_assert_str_eq(id, id_of(arena, &symbols, "u", 7, "r", 0));
    ck_assert_str_ne(id, id_of(arena, &symbols, "v", 7, "r", 0));
    ck_assert_str_ne(id, id_of(arena, &symbols, "u", 8, "r", 0));
    ck_assert_str_ne(id, id_of(arena, &symbols, "u", 7, "q", 0));
    ck_assert_str_ne(id, id_of(arena, &symbols, "u", 7, "r", 1));
    mu_arena_destroy(arena);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, known_uuids, 0, sizeof known / sizeof *known);
    tcase_add_test(tests, each_share_has_its_own);
}

int main(void) {
    return mu_suite_run("share_id", add_tests);
}
