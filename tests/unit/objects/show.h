/* Documents as text, for tests: what a reader delivered, in one line each. */
#ifndef MU_TESTS_UNIT_OBJECTS_SHOW_H
#define MU_TESTS_UNIT_OBJECTS_SHOW_H

#include "scheduler/objects/reader.h"

struct mu_show {
    struct mu_buf buf;
    bool lines; /* "@LINE" after each value */
};

/* Adds the value in JSON without white space. Values must be sound: text is UTF-8 without NUL, numbers are JSON's. */
void mu_show_value(struct mu_show *show, const struct mu_value *value);
/* A mu_document_fn with a struct mu_show: adds "DOCUMENT:LINE VALUE\n". */
int mu_show_document(void *ctx, const struct mu_value *document, const struct mu_place *place, struct mu_err *err);

#endif
