/* The fake framework: reading its objects, making its group, asking the plugin. */
#include "tests/unit/plugins/fake_internal.h"

#include <stdarg.h>
#include <stdio.h>

struct fake {
    struct mu_fw fw;
    struct mu_buf yaml;
    const char *args;
    void *states[2];
    bool begun;
    char phrase[512];
};

/* ------------------------------------------------------------------ terms that pods carry */

static struct mu_pod_query term_query(struct mu_fw *fw, const struct mu_pod_term *term, const struct mu_pod *pod) {
    struct mu_label *extra = MU_NEW_ARRAY(fw->arena, struct mu_label, term->match_label_keys_len);
    struct mu_label *unequal = MU_NEW_ARRAY(fw->arena, struct mu_label, term->mismatch_label_keys_len);
    struct mu_pod_query query = {.selector = term->selector, .extra = extra, .unequal = unequal};
    for (uint32_t i = 0; i < term->match_label_keys_len; i++) {
        struct mu_label label = {.key = term->match_label_keys[i]};
        if (mu_labels_get(&pod->meta.labels, label.key, &label.value))
            extra[query.extra_len++] = label;
    }
    for (uint32_t i = 0; i < term->mismatch_label_keys_len; i++) {
        struct mu_label label = {.key = term->mismatch_label_keys[i]};
        if (mu_labels_get(&pod->meta.labels, label.key, &label.value))
            unequal[query.unequal_len++] = label;
    }
    bool own = term->namespaces_len == 0 && term->namespace_selector == NULL;
    query.namespaces = own ? &pod->meta.namespace : term->namespaces;
    query.namespaces_len = own ? 1 : term->namespaces_len;
    query.namespace_selector = term->namespace_selector;
    return query;
}

static uint32_t carried_number(struct mu_fw *fw, enum mu_carried_kind kind, const struct mu_pod_term *term,
                               const struct mu_pod *pod) {
    struct mu_pod_query query = term_query(fw, term, pod);
    const struct mu_topology *topology = mu_fw_topology(fw, term->topology_key);
    for (uint32_t i = 0; i < fw->carried_len; i++) {
        const struct mu_carried *c = fw->carried[i];
        if (c->kind == kind && c->topology == topology && c->weight == term->weight &&
            fake_same_queries(&c->query, &query))
            return i;
    }
    struct mu_counter *carriers = MU_NEW(fw->arena, struct mu_counter);
    *carriers = (struct mu_counter){
        .kind = OF_CARRIERS, .carried = fw->carried_len, .topology = topology, .fw = fw, .next = fw->counters};
    fw->counters = carriers;
    struct mu_carried *carried = MU_NEW(fw->arena, struct mu_carried);
    *carried = (struct mu_carried){
        .kind = kind, .query = query, .weight = term->weight, .topology = topology, .carriers = carriers};
    fw->carried[fw->carried_len] = carried;
    return fw->carried_len++;
}

static void find_carried(struct mu_fw *fw, struct fake_pod *pod) {
    const struct mu_pod_spec *spec = pod->pod->spec;
    const struct mu_pod_term *terms[] = {spec->anti, spec->affinity, spec->affinity_preferred, spec->anti_preferred};
    const uint32_t lens[] = {spec->anti_len, spec->affinity_len, spec->affinity_preferred_len,
                             spec->anti_preferred_len};
    uint32_t *list = MU_NEW_ARRAY(fw->arena, uint32_t, lens[0] + lens[1] + lens[2] + lens[3]);
    for (uint32_t kind = 0; kind < 4; kind++) {
        for (uint32_t i = 0; i < lens[kind]; i++)
            list[pod->carried_len++] = carried_number(fw, (enum mu_carried_kind)kind, &terms[kind][i], pod->pod);
    }
    pod->carried = list;
}

/* ------------------------------------------------------------------ making it */

struct fake *fake_new(const struct mu_plugin *plugin) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    ck_assert_ptr_nonnull(arena);
    struct fake *f = MU_NEW(arena, struct fake);
    f->fw.arena = arena;
    fake_also(f, plugin);
    f->fw.expected = -1;
    mu_buf_init(&f->yaml, arena);
    return f;
}

void fake_also(struct fake *f, const struct mu_plugin *plugin) {
    ck_assert_uint_lt(f->fw.plugins_len, 2);
    f->fw.plugins[f->fw.plugins_len++] = plugin;
}

void fake_free(struct fake *f) {
    mu_arena_destroy(f->fw.arena);
}

void fake_args(struct fake *f, const char *yaml) {
    f->args = yaml;
}

void fake_add(struct fake *f, const char *format, ...) {
    char text[8192];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ck_assert_int_lt(len, (int)sizeof text);
    const char *version = strstr(text, "apiVersion:") != NULL ? "" : "apiVersion: v1, ";
    ck_assert_int_eq(text[0], '{');
    mu_buf_printf(&f->yaml, "---\n{%s%s\n", version, text + 1);
}

void fake_node(struct fake *f, const char *name, const char *labels) {
    fake_add(f,
             "{kind: Node, metadata: {name: %s, labels: {kubernetes.io/hostname: %s, %s}}, status: {allocatable: "
             "{cpu: 16, memory: 64Gi, pods: 110}}}",
             name, name, labels != NULL ? labels : "");
}

void fake_pod(struct fake *f, const char *name, const char *node, const char *labels, const char *spec) {
    fake_add(f,
             "{kind: Pod, metadata: {namespace: default, name: %s, uid: uid-%s, labels: {%s}}, spec: {%s%s%s "
             "containers: [{name: main, image: main}], %s}, status: {phase: %s}}",
             name, name, labels != NULL ? labels : "", node != NULL ? "nodeName: " : "", node != NULL ? node : "",
             node != NULL ? "," : "", spec != NULL ? spec : "", node != NULL ? "Running" : "Pending");
}

static int read_store(void *ctx, struct mu_err *err) {
    struct fake *f = ctx;
    f->fw.store = mu_store_create(f->fw.arena);
    int r = mu_read_bytes(mu_buf_str(&f->yaml), MU_STR("test"), mu_store_add, f->fw.store, err);
    return r != 0 ? r : mu_store_finish(f->fw.store, err);
}

static int read_args(void *ctx, const struct mu_value *args, const struct mu_place *place, struct mu_err *err) {
    struct fake *f = ctx;
    for (size_t i = 0; i < f->fw.plugins_len; i++) {
        const struct mu_plugin *plugin = f->fw.plugins[i];
        if (plugin->configure == NULL)
            continue;
        int r = plugin->configure(f->fw.arena, i == 0 ? args : NULL, &f->states[i], err);
        if (r != 0)
            return r;
    }
    return 0;
}

static void add_pod(struct mu_fw *fw, const struct mu_pod *pod) {
    struct fake_pod *one = &fw->pods[fw->pods_len++];
    *one = (struct fake_pod){.pod = pod, .node = UINT32_MAX, .cls = UINT32_MAX};
    for (uint32_t n = 0; n < mu_fw_nodes(fw); n++) {
        if (mu_fw_node(fw, n)->meta.name == pod->node)
            one->node = n;
    }
}

static bool is_member(const struct fake_pod *pod) {
    return pod->pod->node == 0;
}

static void find_specs(struct mu_fw *fw) {
    for (uint32_t i = 0; i < fw->pods_len; i++) {
        bool known = !is_member(&fw->pods[i]);
        for (uint32_t s = 0; s < fw->specs_len; s++)
            known = known || fw->specs[s] == fw->pods[i].pod->spec;
        if (!known)
            fw->specs[fw->specs_len++] = fw->pods[i].pod->spec;
    }
}

static void put_in_class(struct fake *f, struct fake_pod *pod) {
    struct mu_fw *fw = &f->fw;
    struct mu_buf key;
    mu_buf_init(&key, fw->arena);
    for (size_t i = 0; i < fw->plugins_len; i++) {
        if (fw->plugins[i]->distinguish != NULL)
            fw->plugins[i]->distinguish(fw, f->states[i], pod->pod, &key);
        mu_buf_add_char(&key, '/');
    }
    uint32_t c = 0;
    while (c < fw->classes_len &&
           !(fw->classes[c].cls.spec == pod->pod->spec && fw->classes[c].cls.namespace == pod->pod->meta.namespace &&
             mu_str_eq(fw->classes[c].key, mu_buf_str(&key))))
        c++;
    struct mu_class *cls = &fw->classes[c].cls;
    if (c == fw->classes_len) {
        fw->classes[c].key = mu_buf_str(&key);
        *cls = (struct mu_class){.spec = pod->pod->spec, .namespace = pod->pod->meta.namespace, .index = c};
        cls->pods = (const struct mu_pod *const *)MU_NEW_ARRAY(fw->arena, struct mu_pod *, fw->pods_len);
        fw->class_list[fw->classes_len++] = cls;
    }
    ((const struct mu_pod **)(uintptr_t)cls->pods)[cls->pods_len++] = pod->pod;
    pod->cls = c;
    fw->members++;
}

static int make_group(void *ctx, struct mu_err *err) {
    struct fake *f = ctx;
    struct mu_fw *fw = &f->fw;
    size_t len = fw->store->pods.len, terms = 0;
    fw->pods = MU_NEW_ARRAY(fw->arena, struct fake_pod, len);
    fw->pods_on = MU_NEW_ARRAY(fw->arena, const struct mu_pod *, len);
    fw->classes = MU_NEW_ARRAY(fw->arena, struct fake_class, len);
    fw->class_list = MU_NEW_ARRAY(fw->arena, const struct mu_class *, len);
    fw->specs = MU_NEW_ARRAY(fw->arena, const struct mu_pod_spec *, len);
    fw->placed = MU_NEW_ARRAY(fw->arena, struct mu_placed, len);
    for (size_t i = 0; i < len; i++) {
        const struct mu_pod_spec *spec = fw->store->pods.items[i]->spec;
        add_pod(fw, fw->store->pods.items[i]);
        terms += spec->anti_len + spec->affinity_len + spec->affinity_preferred_len + spec->anti_preferred_len;
    }
    fw->carried = MU_NEW_ARRAY(fw->arena, struct mu_carried *, terms);
    for (uint32_t i = 0; i < fw->pods_len; i++)
        find_carried(fw, &fw->pods[i]);
    find_specs(fw);
    for (uint32_t i = 0; i < fw->pods_len; i++) {
        if (is_member(&fw->pods[i]))
            put_in_class(f, &fw->pods[i]);
    }
    for (uint32_t c = 0; c < fw->classes_len; c++) {
        struct fake_class *cls = &fw->classes[c];
        cls->one = cls->cls;
        cls->one.pods_len = 1;
        for (size_t i = 0; i < fw->plugins_len; i++) {
            cls->reach[i] = (struct mu_reach){.filter = MU_SCOPE_STATIC, .score = MU_SCOPE_STATIC};
            if (fw->plugins[i]->prepare != NULL)
                cls->reach[i] = fw->plugins[i]->prepare(fw, f->states[i], &cls->one, &cls->prepared[i]);
        }
    }
    return 0;
}

void fake_begin(struct fake *f) {
    struct mu_err err = {0};
    if (f->begun)
        return;
    f->begun = true;
    ck_assert_msg(mu_arena_run(f->fw.arena, read_store, f, &err) == 0, "%s", err.text);
    char args[512]; /* what begins with a brace would be taken for JSON */
    snprintf(args, sizeof args, "---\n%s\n", f->args != NULL ? f->args : "{}");
    ck_assert_msg(mu_read_bytes(mu_str_from(args), MU_STR("args"), read_args, f, &err) == 0, "%s", err.text);
    ck_assert_msg(mu_arena_run(f->fw.arena, make_group, f, &err) == 0, "%s", err.text);
}

const struct mu_store *fake_store(struct fake *f) {
    fake_begin(f);
    return f->fw.store;
}

struct mu_fw *fake_fw(struct fake *f) {
    fake_begin(f);
    return &f->fw;
}

/* ------------------------------------------------------------------ asking it */

uint32_t fake_find_node(struct fake *f, const char *name) {
    fake_begin(f);
    for (uint32_t n = 0; n < mu_fw_nodes(&f->fw); n++) {
        if (mu_str_eq(mu_text(&f->fw.store->symbols, mu_fw_node(&f->fw, n)->meta.name), mu_str_from(name)))
            return n;
    }
    ck_abort_msg("there is no node %s", name);
}

static struct fake_pod *find_pod(struct fake *f, const char *name) {
    fake_begin(f);
    for (uint32_t i = 0; i < f->fw.pods_len; i++) {
        if (mu_str_eq(mu_text(&f->fw.store->symbols, f->fw.pods[i].pod->meta.name), mu_str_from(name)))
            return &f->fw.pods[i];
    }
    ck_abort_msg("there is no pod %s", name);
}

static const struct fake_class *class_of(struct fake *f, const char *pod) {
    const struct fake_pod *found = find_pod(f, pod);
    ck_assert_msg(found->cls != UINT32_MAX, "pod %s is bound", pod);
    return &f->fw.classes[found->cls];
}

/* The phrase with its subject put in. */
static const char *phrase_of(struct fake *f, const struct mu_plugin *plugin, struct mu_verdict verdict) {
    ck_assert_uint_lt(verdict.phrase, verdict.phrase == 0 ? 1 : plugin->phrases_len);
    const char *phrase = verdict.phrase != 0 ? plugin->phrases[verdict.phrase] : "";
    const char *hole = strstr(phrase, "%s");
    ck_assert_msg((hole != NULL) == (verdict.subject != 0), "\"%s\" and a subject do not go together", phrase);
    struct mu_str subject = hole != NULL ? mu_text(&f->fw.store->symbols, verdict.subject) : MU_STR("");
    snprintf(f->phrase, sizeof f->phrase, "%.*s" MU_STR_FMT "%s", (int)(hole != NULL ? hole - phrase : 0), phrase,
             MU_STR_ARG(subject), hole != NULL ? hole + 2 : phrase);
    return f->phrase;
}

const char *fake_filter(struct fake *f, const char *pod, const char *node) {
    const struct fake_class *c = class_of(f, pod);
    uint32_t n = fake_find_node(f, node);
    for (size_t i = 0; i < f->fw.plugins_len; i++) {
        const struct mu_plugin *plugin = f->fw.plugins[i];
        if (c->reach[i].filter == MU_SCOPE_NONE || plugin->filter == NULL)
            continue;
        struct mu_verdict verdict = plugin->filter(&f->fw, f->states[i], c->prepared[i], &c->one, n);
        if (verdict.phrase != 0)
            return phrase_of(f, plugin, verdict);
    }
    return "";
}

int64_t fake_fit(struct fake *f, const char *pod, const char *node) {
    const struct fake_class *c = class_of(f, pod);
    uint32_t n = fake_find_node(f, node);
    if (fake_filter(f, pod, node)[0] != '\0')
        return 0;
    if (c->reach[0].filter == MU_SCOPE_NONE || f->fw.plugins[0]->fit == NULL)
        return INT64_MAX;
    return f->fw.plugins[0]->fit(&f->fw, f->states[0], c->prepared[0], &c->one, n);
}

int64_t fake_score(struct fake *f, const char *pod, const char *node) {
    const struct fake_class *c = class_of(f, pod);
    uint32_t n = fake_find_node(f, node);
    ck_assert_int_ne((int)c->reach[0].score, (int)MU_SCOPE_NONE);
    int64_t score = f->fw.plugins[0]->score(&f->fw, f->states[0], c->prepared[0], &c->one, n);
    ck_assert_int_ge(score, 0);
    ck_assert_int_le(score, MU_SCORE_MAX);
    return score;
}

struct mu_reach fake_reach(struct fake *f, const char *pod) {
    return class_of(f, pod)->reach[0];
}

bool fake_same_class(struct fake *f, const char *pod, const char *other) {
    return class_of(f, pod) == class_of(f, other);
}

void fake_place(struct fake *f, const char *pod, const char *node) {
    struct fake_pod *placed = find_pod(f, pod);
    ck_assert_uint_eq(placed->node, UINT32_MAX);
    placed->node = fake_find_node(f, node);
    f->fw.placed[f->fw.placed_len++] =
        (struct mu_placed){.pod = placed->pod, .cls = &f->fw.classes[placed->cls].cls, .node = placed->node};
    f->fw.stamp++;
}

void fake_take_back(struct fake *f) {
    ck_assert_uint_gt(f->fw.placed_len, 0);
    const struct mu_pod *pod = f->fw.placed[--f->fw.placed_len].pod;
    for (uint32_t i = 0; i < f->fw.pods_len; i++) {
        if (f->fw.pods[i].pod == pod)
            f->fw.pods[i].node = UINT32_MAX;
    }
    f->fw.stamp++;
}

void fake_take_all_back(struct fake *f) {
    while (f->fw.placed_len > 0)
        fake_take_back(f);
}

const char *fake_permit(struct fake *f) {
    fake_begin(f);
    for (size_t i = 0; i < f->fw.plugins_len; i++) {
        const struct mu_plugin *plugin = f->fw.plugins[i];
        if (plugin->permit == NULL)
            continue;
        struct mu_verdict verdict = plugin->permit(&f->fw, f->states[i], f->fw.placed, f->fw.placed_len);
        if (verdict.phrase != 0)
            return phrase_of(f, plugin, verdict);
    }
    return "";
}

void fake_expect(struct fake *f, int64_t unplaced) {
    f->fw.expected = unplaced;
    f->fw.stamp++;
}
