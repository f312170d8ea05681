/* See page.h. */
#include "scheduler/cli/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int mu_page_open(struct mu_page *page, struct mu_err *err) {
    *page = (struct mu_page){0};
    page->out = open_memstream(&page->bytes, &page->len);
    return page->out ? 0 : mu_err_set(err, MU_E_NOMEM, "out of memory for the output");
}

void mu_page_close(struct mu_page *page) {
    if (page->out)
        fclose(page->out);
    free(page->bytes);
    *page = (struct mu_page){0};
}

static int write_all(const char *bytes, size_t len, struct mu_err *err) {
    while (len > 0) {
        ssize_t n = write(STDOUT_FILENO, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EPIPE)
            return 0;
        if (n < 0)
            return mu_err_set(err, MU_E_IO, "cannot write to standard output: %s", strerror(errno));
        bytes += n;
        len -= (size_t)n;
    }
    return 0;
}

int mu_page_send(struct mu_page *page, struct mu_err *err) {
    bool lost = ferror(page->out) != 0;
    lost |= fclose(page->out) != 0;
    page->out = NULL;
    int r = lost ? mu_err_set(err, MU_E_NOMEM, "out of memory for the output") : write_all(page->bytes, page->len, err);
    mu_page_close(page);
    return r;
}

int mu_page_show(const struct mu_command *command, void (*print)(const struct mu_command *command, FILE *out)) {
    struct mu_page page;
    struct mu_err err = {0};
    int r = mu_page_open(&page, &err);
    if (r == 0) {
        print(command, page.out);
        r = mu_page_send(&page, &err);
    }
    return r == 0 ? MU_EXIT_OK : mu_command_fail(command, &err);
}
