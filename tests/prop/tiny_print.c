/* Tiny clusters as the YAML that people have. */
#include "tests/prop/tiny.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const keys[MU_TINY_KEY_COUNT] = {"kubernetes.io/hostname", "topology.kubernetes.io/zone", "rack"};

/* The letter that begins the values of a label. */
static const char letters[MU_TINY_KEY_COUNT] = {'n', 'z', 'r'};

static void print_time(FILE *out, const char *field, int age_minutes) {
    fprintf(out, "  %s: \"2026-03-02T08:%02d:00Z\"\n", field, 59 - age_minutes);
}

static void print_node(FILE *out, const struct mu_tiny_node *node, int i) {
    fprintf(out, "apiVersion: v1\nkind: Node\nmetadata:\n  name: n%d\n  labels:\n    kubernetes.io/os: linux\n", i);
    for (int key = 0; key < MU_TINY_KEY_COUNT; key++)
        if (node->domain[key] != MU_TINY_NONE)
            fprintf(out, "    %s: %c%d\n", keys[key], letters[key], node->domain[key]);
    if (node->pool != MU_TINY_NONE)
        fprintf(out, "    pool: pool%d\n", node->pool);
    fprintf(out, "spec:\n  unschedulable: %s\n", node->cordoned ? "true" : "false");
    if (node->taints)
        fputs("  taints:\n", out);
    if (node->taints & MU_TINY_NO_SCHEDULE)
        fputs("  - {key: dedicated, value: train, effect: NoSchedule}\n", out);
    if (node->taints & MU_TINY_NO_EXECUTE)
        fputs("  - {key: spot, effect: NoExecute}\n", out);
    if (node->taints & MU_TINY_PREFER_NOT)
        fputs("  - {key: noisy, value: \"yes\", effect: PreferNoSchedule}\n", out);
    fprintf(out, "status:\n  allocatable:\n    cpu: \"%d\"\n    memory: 64Gi\n    pods: \"%d\"\n", node->cpus,
            node->pods == MU_TINY_NONE ? 110 : node->pods);
    if (node->gpus)
        fprintf(out, "    nvidia.com/gpu: \"%d\"\n", node->gpus);
    fputs("  conditions:\n  - {type: Ready, status: \"True\"}\n", out);
}

static void print_policy(FILE *out, const struct mu_tiny_unit *unit, const char *count) {
    if (unit->form == MU_TINY_BASIC || unit->form == MU_TINY_COMPOSITE_BASIC)
        fputs("  schedulingPolicy:\n    basic: {}\n", out);
    else
        fprintf(out, "  schedulingPolicy:\n    gang:\n      %s: %d\n", count, unit->minimum);
    if (unit->parent != MU_TINY_NONE)
        fprintf(out, "  parentCompositePodGroupName: g%d\n", unit->parent);
    if (unit->topology != MU_TINY_NONE)
        fprintf(out, "  schedulingConstraints:\n    topology:\n    - key: %s\n", keys[unit->topology]);
}

static void print_roles(FILE *out, const struct mu_tiny_unit *unit) {
    bool any = false;
    for (int cls = 0; cls < MU_TINY_CLASSES; cls++)
        any |= unit->role_minimum[cls] > 0;
    if (!any)
        return;
    fputs("  minTaskMember:\n", out);
    for (int cls = 0; cls < MU_TINY_CLASSES; cls++)
        if (unit->role_minimum[cls] > 0)
            fprintf(out, "    r%d: %d\n", cls, unit->role_minimum[cls]);
}

static void print_unit(FILE *out, const struct mu_tiny_unit *unit, int i) {
    static const char *const apis[] = {
        [MU_TINY_NATIVE] = "scheduling.k8s.io/v1beta1",
        [MU_TINY_BASIC] = "scheduling.k8s.io/v1beta1",
        [MU_TINY_COSCHEDULING] = "scheduling.x-k8s.io/v1alpha1",
        [MU_TINY_VOLCANO] = "scheduling.volcano.sh/v1beta1",
        [MU_TINY_COMPOSITE] = "scheduling.k8s.io/v1alpha3",
        [MU_TINY_COMPOSITE_BASIC] = "scheduling.k8s.io/v1alpha3",
    };
    bool composite = mu_tiny_is_composite(unit->form);
    fprintf(out, "apiVersion: %s\nkind: %s\nmetadata:\n  name: g%d\n  namespace: default\n  uid: unit-%d\n",
            apis[unit->form], composite ? "CompositePodGroup" : "PodGroup", i, i);
    print_time(out, "creationTimestamp", unit->age);
    fputs("spec:\n", out);
    if (unit->form == MU_TINY_COSCHEDULING || unit->form == MU_TINY_VOLCANO) {
        fprintf(out, "  minMember: %d\n", unit->minimum);
        if (unit->form == MU_TINY_VOLCANO)
            print_roles(out, unit);
    } else {
        print_policy(out, unit, composite ? "minGroupCount" : "minCount");
    }
}

/* `{key: app, operator: In, values: [a0, a2]}` */
static void print_apps(FILE *out, const char *indent, unsigned apps) {
    const char *comma = "";
    fprintf(out, "%slabelSelector:\n%s  matchExpressions:\n%s  - {key: app, operator: In, values: [", indent, indent,
            indent);
    for (int app = 0; app < 32; app++)
        if (apps >> app & 1) {
            fprintf(out, "%sa%d", comma, app);
            comma = ", ";
        }
    fputs("]}\n", out);
}

static void print_terms(FILE *out, const struct mu_tiny_class *cls, bool anti) {
    bool any = false;
    for (int i = 0; i < cls->terms_len; i++) {
        const struct mu_tiny_term *term = &cls->terms[i];
        if (term->anti != anti)
            continue;
        if (!any)
            fprintf(out, "    %s:\n      requiredDuringSchedulingIgnoredDuringExecution:\n",
                    anti ? "podAntiAffinity" : "podAffinity");
        any = true;
        fprintf(out, "      - topologyKey: %s\n", keys[term->key]);
        if (term->spaces == MU_TINY_OTHER_SPACE)
            fputs("        namespaces: [other]\n", out);
        if (term->spaces == MU_TINY_ALL_SPACES)
            fputs("        namespaceSelector: {}\n", out);
        print_apps(out, "        ", term->apps);
    }
}

static void print_affinity(FILE *out, const struct mu_tiny_class *cls) {
    if (cls->zone_rule == MU_TINY_ANY_ZONE && cls->terms_len == 0)
        return;
    fputs("  affinity:\n", out);
    if (cls->zone_rule != MU_TINY_ANY_ZONE)
        fprintf(out,
                "    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n        nodeSelectorTerms:\n"
                "        - matchExpressions:\n          - {key: %s, operator: %s, values: [z%d]}\n",
                keys[MU_TINY_ZONE], cls->zone_rule == MU_TINY_IN_ZONE ? "In" : "NotIn", cls->zone);
    print_terms(out, cls, false);
    print_terms(out, cls, true);
}

static void print_spreads(FILE *out, const struct mu_tiny_class *cls) {
    if (cls->spreads_len)
        fputs("  topologySpreadConstraints:\n", out);
    for (int i = 0; i < cls->spreads_len; i++) {
        const struct mu_tiny_spread *spread = &cls->spreads[i];
        fprintf(out, "  - topologyKey: %s\n    maxSkew: %d\n    whenUnsatisfiable: DoNotSchedule\n", keys[spread->key],
                spread->max_skew);
        if (spread->ignore_affinity)
            fputs("    nodeAffinityPolicy: Ignore\n", out);
        if (spread->honor_taints)
            fputs("    nodeTaintsPolicy: Honor\n", out);
        print_apps(out, "    ", spread->apps);
    }
}

static void print_tolerations(FILE *out, unsigned tolerations) {
    if (tolerations)
        fputs("  tolerations:\n", out);
    if (tolerations & MU_TINY_OK_SCHEDULE)
        fputs("  - {key: dedicated, operator: Equal, value: train, effect: NoSchedule}\n", out);
    if (tolerations & MU_TINY_OK_EXECUTE)
        fputs("  - {key: spot, operator: Exists}\n", out);
    if (tolerations & MU_TINY_OK_CORDON)
        fputs("  - {key: node.kubernetes.io/unschedulable, operator: Exists, effect: NoSchedule}\n", out);
}

static void print_container(FILE *out, const struct mu_tiny_class *cls, const struct mu_tiny_pod *pod) {
    fputs("  containers:\n  - name: main\n    image: registry.example/app:1\n", out);
    if (cls->port != MU_TINY_NONE) {
        fprintf(out, "    ports:\n    - containerPort: 80\n      hostPort: %d\n", cls->port);
        if (cls->port_ip)
            fprintf(out, "      hostIP: 10.0.0.%d\n", cls->port_ip);
    }
    fprintf(out, "    resources:\n      requests: {cpu: \"%d\"", pod->cpus);
    if (pod->gpus)
        fprintf(out, ", nvidia.com/gpu: \"%d\"}\n      limits: {nvidia.com/gpu: \"%d\"", pod->gpus, pod->gpus);
    fputs("}\n", out);
}

static void print_pod_meta(FILE *out, const struct mu_tiny *tiny, int i) {
    const struct mu_tiny_pod *pod = &tiny->pods[i];
    const struct mu_tiny_unit *unit = pod->unit == MU_TINY_NONE ? NULL : &tiny->units[pod->unit];
    fprintf(out, "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p%d\n  namespace: %s\n  uid: pod-%d\n", i,
            pod->other_space ? "other" : "default", i);
    print_time(out, "creationTimestamp", unit ? unit->age : pod->age);
    if (pod->ending)
        fputs("  deletionTimestamp: \"2026-03-02T09:00:30Z\"\n  deletionGracePeriodSeconds: 60\n", out);
    fprintf(out, "  labels:\n    app: a%d\n", tiny->classes[pod->cls].app);
    if (!unit)
        return;
    if (unit->form == MU_TINY_COSCHEDULING)
        fprintf(out, "    scheduling.x-k8s.io/pod-group: g%d\n", pod->unit);
    if (unit->form == MU_TINY_LABELS)
        fprintf(out,
                "    pod-group.scheduling.sigs.k8s.io/name: g%d\n"
                "    pod-group.scheduling.sigs.k8s.io/min-available: \"%d\"\n",
                pod->unit, unit->minimum);
    if (unit->form == MU_TINY_VOLCANO)
        fprintf(out, "  annotations:\n    scheduling.k8s.io/group-name: g%d\n    volcano.sh/task-spec: r%d\n",
                pod->unit, pod->cls);
}

static void print_pod(FILE *out, const struct mu_tiny *tiny, int i) {
    static const char *const phases[] = {"Pending", "Running", "Succeeded", "Failed"};
    const struct mu_tiny_pod *pod = &tiny->pods[i];
    const struct mu_tiny_unit *unit = pod->unit == MU_TINY_NONE ? NULL : &tiny->units[pod->unit];
    const struct mu_tiny_class *cls = &tiny->classes[pod->cls];
    print_pod_meta(out, tiny, i);
    fprintf(out, "spec:\n  schedulerName: muster\n  priority: %d\n  preemptionPolicy: Never\n",
            unit ? unit->priority : pod->priority);
    if (pod->node != MU_TINY_NONE)
        fprintf(out, "  nodeName: n%d\n", pod->node);
    if (unit && (unit->form == MU_TINY_NATIVE || unit->form == MU_TINY_BASIC))
        fprintf(out, "  schedulingGroup: {podGroupName: g%d}\n", pod->unit);
    if (cls->pool != MU_TINY_NONE)
        fprintf(out, "  nodeSelector: {pool: pool%d}\n", cls->pool);
    print_affinity(out, cls);
    print_spreads(out, cls);
    print_tolerations(out, cls->tolerations);
    print_container(out, cls, pod);
    fprintf(out, "status:\n  phase: %s\n", phases[pod->phase]);
    if (pod->phase == MU_TINY_RUNS)
        print_time(out, "startTime", 1);
}

/* A text that is written as a file. */
struct document {
    struct mu_tiny_texts *texts;
    FILE *out;
    size_t size;
};

static FILE *document_begin(struct document *document, struct mu_tiny_texts *texts) {
    document->texts = texts;
    document->out = open_memstream(&texts->items[texts->len], &document->size);
    if (!document->out)
        abort();
    return document->out;
}

static void document_end(struct document *document) {
    if (fclose(document->out) != 0)
        abort();
    document->texts->len++;
}

void mu_tiny_print(const struct mu_tiny *tiny, struct mu_tiny_texts *ret) {
    struct document document;
    ret->len = 0;
    static const char *const spaces[] = {"default", "other"};
    for (int i = 0; i < 2; i++) {
        fprintf(document_begin(&document, ret), "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: %s\n", spaces[i]);
        document_end(&document);
    }
    for (int i = 0; i < MU_TINY_NODES; i++)
        if (tiny->nodes[i].there) {
            print_node(document_begin(&document, ret), &tiny->nodes[i], i);
            document_end(&document);
        }
    for (int i = 0; i < MU_TINY_UNITS; i++)
        if (tiny->units[i].there && tiny->units[i].form != MU_TINY_LABELS) {
            print_unit(document_begin(&document, ret), &tiny->units[i], i);
            document_end(&document);
        }
    for (int i = 0; i < MU_TINY_PODS; i++)
        if (tiny->pods[i].there) {
            print_pod(document_begin(&document, ret), tiny, i);
            document_end(&document);
        }
}

void mu_tiny_texts_finish(struct mu_tiny_texts *texts) {
    for (size_t i = 0; i < texts->len; i++)
        free(texts->items[i]);
    texts->len = 0;
}

char *mu_tiny_join(const struct mu_tiny_texts *texts) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    for (size_t i = 0; i < texts->len; i++)
        fprintf(out, "%s%s", i ? "---\n" : "", texts->items[i]);
    if (fclose(out) != 0)
        abort();
    return text;
}
