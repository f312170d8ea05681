/* A store made of YAML text, for the tests of what is read. */
#ifndef MU_TESTS_UNIT_OBJECTS_LOAD_H
#define MU_TESTS_UNIT_OBJECTS_LOAD_H

#include "scheduler/objects/canon.h"
#include "tests/lib/suite.h"

struct loaded {
    struct mu_arena *arena;
    struct mu_store *store;
    int code;
    struct mu_err err;
};

/* Reads and finishes. `memory` may be NULL. Give back with unload(). */
struct loaded load_bytes(struct mu_str yaml, const struct mu_memory *memory);
struct loaded load(const char *yaml);
/* The same, which must succeed. */
struct loaded load_ok(const char *yaml);
/* The same of a text made like printf's. */
struct loaded load_printf(const char *format, ...) MU_PRINTF(1, 2);
void unload(struct loaded *loaded);

/* A string of the store, terminated. */
const char *text_of(const struct loaded *loaded, mu_sym sym);
/* The symbol of a string that the store must have. */
mu_sym sym_of(const struct loaded *loaded, const char *text);

/* "cpu=1500 memory=1024", sorted by name. */
const char *amounts_text(const struct loaded *loaded, const struct mu_amount *amounts, size_t len);
/* "a=1 b=", sorted by key. */
const char *labels_text(const struct loaded *loaded, const struct mu_labels *labels);
/* "a b", in their order. */
const char *syms_text(const struct loaded *loaded, const mu_sym *syms, size_t len);
/* "default/x default/y": all pods in their order. */
const char *pod_names(const struct loaded *loaded);
/* The pod of this name, which must be there. */
const struct mu_pod *pod_of(const struct loaded *loaded, const char *name);
/* All notes, a line each; those that stand for unplanned pods begin with "! ". */
const char *notes_text(const struct loaded *loaded);
/* Everything in the store (canon.h). */
struct mu_str dump_of(const struct loaded *loaded);

#endif
