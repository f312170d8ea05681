/* YAML: whatever comes, documents or one error; and documents mean the same when written as JSON. */
#include "tests/fuzz/documents.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    MU_ASSERT(arena != NULL);
    struct mu_buf text, shown;
    mu_buf_init(&text, arena);
    mu_buf_init(&shown, arena);
    if (size < 2 || data[0] != 0x1F || data[1] != 0x8B)
        mu_buf_add(&text, MU_STR("#\n")); /* or it may be taken for JSON */
    mu_buf_add(&text, (struct mu_str){(const char *)data, size});
    fuzz_read(mu_buf_str(&text), "f.yaml", &shown);
    fuzz_check_again(mu_buf_str(&shown));
    mu_arena_destroy(arena);
    return 0;
}
