/* What every unit test program has around its tests. */
#include "tests/lib/suite.h"

#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_S = 120 }; /* of one test: valgrind and sanitizers on a busy machine need it */

int mu_suite_run(const char *name, void (*add)(TCase *tests)) {
    Suite *suite = suite_create(name);
    TCase *tests = tcase_create(name);
    tcase_set_timeout(tests, TIMEOUT_S);
    add(tests);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

int mu_child_status(void (*fn)(void)) {
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        close(STDERR_FILENO);
        fn();
        _exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}
