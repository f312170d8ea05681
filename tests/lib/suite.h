/* What every unit test program has around its tests. */
#ifndef MU_TESTS_LIB_SUITE_H
#define MU_TESTS_LIB_SUITE_H

#include <check.h>

/* Runs the tests that `add` puts into the case; the result is for main() to return. */
int mu_suite_run(const char *name, void (*add)(TCase *tests));

/* Calls fn in a child process, its standard error closed, and returns how it ended, as waitpid() tells it. The child
 * exits with 0 where fn returns. */
int mu_child_status(void (*fn)(void));

#endif
