/* Help keeps up with what there is to explain. */
#include "scheduler/cli/audit.h"
#include "scheduler/cli/commands.h"
#include "scheduler/cli/help_topics.h"
#include "tests/lib/suite.h"

START_TEST(every_reason_is_explained) {
    for (int reason = MU_REASON_NONE + 1; reason < MU_REASON_COUNT; reason++) {
        const struct mu_reason_help *help = mu_reason_help((enum mu_reason)reason);
        ck_assert_msg(help && help->means && help->remedy, "%s", mu_reason_name((enum mu_reason)reason));
    }
    ck_assert_ptr_null(mu_reason_help(MU_REASON_NONE));
}
END_TEST

START_TEST(every_finding_is_explained) {
    for (int kind = 0; kind < MU_FINDING_KIND_COUNT; kind++) {
        const char *name = mu_finding_kind_name((enum mu_finding_kind)kind);
        ck_assert_msg(strstr(mu_cmd_audit.about, name) != NULL, "%s", name);
    }
}
END_TEST

static bool is_listed(const char *const *words, const char *word) {
    for (; *words; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

START_TEST(everything_can_be_asked_about) {
    for (const struct mu_command *const *c = mu_commands; *c; c++)
        ck_assert_msg(is_listed(mu_cmd_help.operand_choices, (*c)->name), "%s", (*c)->name);
    for (const struct mu_topic *topic = mu_topics; topic->name; topic++) {
        ck_assert_msg(is_listed(mu_cmd_help.operand_choices, topic->name), "%s", topic->name);
        ck_assert_msg(strstr(mu_cmd_help.about, topic->name) != NULL, "%s", topic->name);
    }
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, every_reason_is_explained);
    tcase_add_test(tests, every_finding_is_explained);
    tcase_add_test(tests, everything_can_be_asked_about);
}

int main(void) {
    return mu_suite_run("help", add);
}
