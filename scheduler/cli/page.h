/* Page: what a command prints, kept in memory until it is complete, so that a command that fails on the way has printed
 * nothing, and a full disk is told from a reader that went away. */
#ifndef MU_CLI_PAGE_H
#define MU_CLI_PAGE_H

#include "scheduler/cli/command.h"

struct mu_page {
    FILE *out; /* print here */
    char *bytes;
    size_t len;
};

/* Errors: MU_E_NOMEM. */
int mu_page_open(struct mu_page *page, struct mu_err *err) MU_MUST_USE;
/* NULL-safe for a page that is all zeros, or closed already. */
void mu_page_close(struct mu_page *page);
/* Writes all of it to standard output and closes it. A closed pipe is no error: its reader has had what it wanted.
 * Errors: MU_E_IO (a full disk), MU_E_NOMEM. */
int mu_page_send(struct mu_page *page, struct mu_err *err) MU_MUST_USE;

/* Sends the page that `print` fills, for commands that print a text and nothing else. Returns the exit status. */
int mu_page_show(const struct mu_command *command, void (*print)(const struct mu_command *command, FILE *out));

#endif
