/* A fuzz target is one file with this function; libFuzzer calls it, and so does main.c with every saved input. What it
 * finds is told by MU_ASSERT or a sanitizer. */
#ifndef MU_TESTS_FUZZ_FUZZ_H
#define MU_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
