/* A framework for plugins to be tested on, without the core: objects are read from YAML, every pod that is not bound is
 * a member of the one group, and every question is answered by looking at all objects anew.
 *
 *     struct fake *f = fake_new(&mu_plugin_node_ports);
 *     fake_add(f, "{kind: Node, ...}");
 *     ASSERT_FITS(f, "pod", "node");
 *     fake_place(f, "pod", "node");
 *     ASSERT_REFUSED(f, "other", "node", "node(s) didn't have free ports for the requested pod ports");
 *     fake_free(f); */
#ifndef MU_TESTS_UNIT_PLUGINS_FAKE_FRAMEWORK_H
#define MU_TESTS_UNIT_PLUGINS_FAKE_FRAMEWORK_H

#include "scheduler/core/framework.h"
#include "scheduler/objects/store.h"
#include "tests/lib/suite.h"

struct fake;

struct fake *fake_new(const struct mu_plugin *plugin);
/* A second plugin beside it, without arguments. It refuses after the first; scores, reach and fit are the first's. */
void fake_also(struct fake *f, const struct mu_plugin *plugin);
void fake_free(struct fake *f);

/* Arguments of the plugin, as YAML. Before anything is asked. */
void fake_args(struct fake *f, const char *yaml);
/* One document; apiVersion v1 where it names none. Before anything is asked. */
void fake_add(struct fake *f, const char *format, ...) MU_PRINTF(2, 3);
/* A node with these labels (of a flow mapping, without braces); kubernetes.io/hostname is added. */
void fake_node(struct fake *f, const char *name, const char *labels);
/* A pod of namespace default with these labels and this spec; bound where `node` is given. */
void fake_pod(struct fake *f, const char *name, const char *node, const char *labels, const char *spec);

/* Reads everything and prepares the classes. The questions below do so where it was not done. */
void fake_begin(struct fake *f);
const struct mu_store *fake_store(struct fake *f);
struct mu_fw *fake_fw(struct fake *f);
uint32_t fake_find_node(struct fake *f, const char *name);

/* What the plugin says to one more pod of that pod's class on the node: "" where it fits, else the phrase. Valid until
 * the next question. */
const char *fake_filter(struct fake *f, const char *pod, const char *node);
int64_t fake_fit(struct fake *f, const char *pod, const char *node);
int64_t fake_score(struct fake *f, const char *pod, const char *node);
struct mu_reach fake_reach(struct fake *f, const char *pod);
bool fake_same_class(struct fake *f, const char *pod, const char *other);

void fake_place(struct fake *f, const char *pod, const char *node);
/* The pod that was placed last. */
void fake_take_back(struct fake *f);
void fake_take_all_back(struct fake *f);
/* "" where the placement may stand, else the phrase. */
const char *fake_permit(struct fake *f);
/* How many members the plugin is told are yet to come; else it is all that are not placed. -1: all again. */
void fake_expect(struct fake *f, int64_t unplaced);

#define ASSERT_FITS(f, pod, node) ck_assert_str_eq(fake_filter((f), (pod), (node)), "")
#define ASSERT_REFUSED(f, pod, node, phrase) ck_assert_str_eq(fake_filter((f), (pod), (node)), (phrase))
#define ASSERT_REACH(f, pod, filter_, score_)                                                                          \
    do {                                                                                                               \
        struct mu_reach reach_ = fake_reach((f), (pod));                                                               \
        ck_assert_int_eq((int)reach_.filter, (int)(filter_));                                                          \
        ck_assert_int_eq((int)reach_.score, (int)(score_));                                                            \
    } while (0)

#endif
