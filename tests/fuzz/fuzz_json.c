/* JSON: whatever comes, documents or one error; documents that are written again read the same; and where they have
 * nothing in them that YAML sees in another way, its reader agrees. */
#include "tests/fuzz/documents.h"
#include "tests/fuzz/fuzz.h"

/* One line of short plain text: libyaml has no keys over 1024 bytes, and fewer levels are allowed. */
static bool is_yaml_too(struct mu_str line) {
    unsigned depth = 0;
    for (size_t i = 0; i < line.len; i++) {
        char c = line.ptr[i];
        if (c < 0x20 || c > 0x7E)
            return false;
        depth += c == '[' || c == '{'; /* those of all siblings together */
    }
    return line.len < 1000 && depth < 60;
}

static void check_yaml(struct mu_arena *arena, struct mu_str line) {
    struct mu_buf shown;
    mu_buf_init(&shown, arena);
    struct mu_str text = mu_str_printf(arena, "#\n" MU_STR_FMT, MU_STR_ARG(line));
    int code = fuzz_read(text, "f.yaml", &shown);
    MU_ASSERT(code == MU_OK);
    struct mu_str expected = mu_str_printf(arena, "[" MU_STR_FMT "]\n", MU_STR_ARG(line));
    MU_ASSERT(mu_str_eq(mu_buf_str(&shown), expected));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    MU_ASSERT(arena != NULL);
    struct mu_buf shown;
    mu_buf_init(&shown, arena);
    fuzz_read((struct mu_str){(const char *)data, size}, "f.json", &shown);
    struct mu_str rest = mu_buf_str(&shown);
    fuzz_check_again(rest);
    for (int lines = 0; lines < 20 && rest.len > 0; lines++) {
        size_t end = (size_t)mu_str_index(rest, '\n');
        struct mu_str line = mu_str_slice(rest, 0, end);
        if (is_yaml_too(line))
            check_yaml(arena, line);
        rest = mu_str_slice(rest, end + 1, rest.len);
    }
    mu_arena_destroy(arena);
    return 0;
}
