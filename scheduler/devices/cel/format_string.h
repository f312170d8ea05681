/* The clauses of string.format(): "%.3f". */
#ifndef MU_DEVICES_CEL_FORMAT_STRING_H
#define MU_DEVICES_CEL_FORMAT_STRING_H

#include "scheduler/base/str.h"

enum { MU_CEL_PRECISION_MAX = 1000 }; /* digits; upstream has no limit before version 5 of its library, memory has */

struct mu_cel_clause {
    char verb;     /* one of s d f e b x X o; '%' for a percent sign; 0: plain text up to the next one */
    int precision; /* -1: none */
    struct mu_str text;
};

/* The clause or text at *at, which moves past it. NULL, or what is wrong. */
const char *mu_cel_clause_next(struct mu_str format, size_t *at, struct mu_cel_clause *ret);

#endif
