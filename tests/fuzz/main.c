/* Replays saved inputs: usage: TARGET FILE-OR-FOLDER...
 *
 * So that each input that was ever of interest is tried again with every change, by any compiler. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *path, const char *what) {
    fprintf(stderr, "%s: %s\n", path, what);
    exit(2);
}

/* The bytes are in memory of just their size, so that a sanitizer sees what reads past them. */
static void replay(const char *path) {
    FILE *file = fopen(path, "re");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        fail(path, "cannot be read");
    long size = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(size > 0 ? (size_t)size : 1);
    if (size < 0 || bytes == NULL || fread(bytes, 1, (size_t)size, file) != (size_t)size)
        fail(path, "cannot be read");
    fclose(file);
    printf("%s\n", path); /* the last one that is seen is the one that failed */
    fflush(stdout);
    LLVMFuzzerTestOneInput(bytes, (size_t)size);
    free(bytes);
}

static int is_input(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* Returns the number of inputs. */
static int replay_folder(const char *folder) {
    struct dirent **entries;
    int count = scandir(folder, &entries, is_input, alphasort);
    if (count < 0)
        return -1;
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        replay(path);
        free(entries[i]);
    }
    free(entries);
    return count;
}

int main(int argc, char **argv) {
    int total = 0;
    for (int i = 1; i < argc; i++) {
        int count = replay_folder(argv[i]);
        if (count < 0)
            replay(argv[i]);
        total += count < 0 ? 1 : count;
    }
    if (total == 0)
        fail(argc > 1 ? argv[1] : argv[0], "no inputs");
    return 0;
}
