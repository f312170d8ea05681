/* What the targets of both document readers share: read, show, and read again. */
#ifndef MU_TESTS_FUZZ_DOCUMENTS_H
#define MU_TESTS_FUZZ_DOCUMENTS_H

#include "scheduler/objects/reader.h"

/* Adds each document in JSON, on a line of its own, to `ret`; checks the form of the error where there is one. */
int fuzz_read(struct mu_str bytes, const char *file, struct mu_buf *ret);
/* What fuzz_read has shown, read again as JSON, must come out the same. */
void fuzz_check_again(struct mu_str shown);

#endif
