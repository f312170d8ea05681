/* See input.h. */
#include "scheduler/cli/input.h"

#include "scheduler/cli/terminal.h"

int mu_input_operands(struct mu_input_paths *paths, const struct mu_command *command, int argc, char **argv, int first,
                      struct mu_arena *arena, struct mu_err *err) {
    if (paths->list.len == 0 && first < argc)
        return mu_err_set(err, MU_E_USAGE, "files are named with -f: muster %s -f %s", command->name, argv[first]);
    if (paths->list.len == 0)
        return mu_err_set(err, MU_E_USAGE,
                          "nothing to read: name files or folders, `muster %s -f cluster.yaml`, or pipe them in, "
                          "`kubectl get nodes,pods -A -o yaml | muster %s -f -`",
                          command->name, command->name);
    for (int i = first; i < argc; i++)
        MU_VEC_PUSH(arena, &paths->list, argv[i]);
    return 0;
}

int mu_input_read(const struct mu_input_paths *paths, struct mu_arena *arena, struct mu_store **ret,
                  struct mu_err *err) {
    struct mu_store *store = mu_store_create(arena);
    const struct mu_read_options options = {.owner = arena};
    int r = mu_read_paths_with(&options, paths->list.items, paths->list.len, mu_store_add, store, err);
    if (r == 0)
        r = mu_store_finish(store, err);
    if (r == 0)
        *ret = store;
    return r;
}

void mu_input_warn(const struct mu_store *store) {
    for (size_t i = 0; i < store->notes.len; i++) {
        struct mu_str text = mu_text_printable(store->arena, store->notes.items[i].text);
        fprintf(stderr, "warning: " MU_STR_FMT "\n", MU_STR_ARG(text));
    }
}
