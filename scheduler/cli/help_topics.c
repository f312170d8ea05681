/* Texts of `muster help TOPIC`; see help_topics.h. */
#include "scheduler/cli/help_topics.h"

#include "scheduler/cli/terminal.h"

static const struct mu_reason_help reasons[MU_REASON_COUNT] = {
    [MU_REASON_MEMBERS_MISSING] = {MU_WAIT, "Fewer pods of the group exist than its minimum.",
                                   "Let its controller make the rest; if that is done, the minimum is too high, or the "
                                   "pods do not name the group."},
    [MU_REASON_GROUP_NOT_FOUND] = {MU_WAIT, "The pods name a group that does not exist.",
                                   "Create it, or correct the name (the namespace must be the pods' own)."},
    [MU_REASON_SCHEDULING_GATED] = {MU_WAIT, "So many pods have scheduling gates that the minimum cannot be reached.",
                                    "Whoever set spec.schedulingGates must remove them."},
    [MU_REASON_QUEUE_NOT_FOUND] = {MU_WAIT, "The group names a queue that does not exist.",
                                   "Create the queue, or correct the label scheduling.muster.dev/queue."},
    [MU_REASON_QUEUE_CLOSED] = {MU_WAIT, "The group's Volcano queue is not open.", "Open it, or use another queue."},
    [MU_REASON_CLAIM_NOT_FOUND] = {MU_WAIT,
                                   "A pod names a ResourceClaim, a template or a volume claim that is not "
                                   "there.",
                                   "Create it, or correct the name."},
    [MU_REASON_WAITING_FOR_PREPARATION] = {MU_WAIT,
                                           "Placed; volumes or devices are being made ready before it is "
                                           "bound.",
                                           "Nothing, unless it takes minutes: then look at the claims' own events."},
    [MU_REASON_WAITING_FOR_VICTIMS] = {MU_WAIT, "The pods that were evicted for it are still ending.",
                                       "Nothing: the room is held for it."},
    [MU_REASON_WAITING_FOR_TERMINATION] =
        {MU_WAIT, "It fits as soon as pods that are ending anyway are gone.",
         "Nothing, unless such a pod hangs: look for its finalizers, or a dead node."},
    [MU_REASON_INVALID_GROUP] = {MU_PENDING, "The group contradicts itself: the message says how.",
                                 "Correct the object that the message names."},
    [MU_REASON_INVALID_CLAIM] = {MU_PENDING,
                                 "A claim can never be met: a selector that does not compile, a class that "
                                 "is not there, more users than a claim may have.",
                                 "Correct the claim that the message names."},
    [MU_REASON_QUEUE_FORBIDDEN] = {MU_PENDING, "The queue does not admit the group's namespace.",
                                   "Use another queue, or widen its namespaceSelector."},
    [MU_REASON_QUOTA_EXCEEDED] = {MU_PENDING, "The group's minimum does not fit its queue's quota now.",
                                  "Wait for the queue's own pods to end, or raise the quota that the message names."},
    [MU_REASON_INSUFFICIENT_RESOURCES] = {MU_PENDING, "Nodes that would do lack free resources for the whole minimum.",
                                          "Free what the message counts, add nodes, or ask for less; --explain shows "
                                          "node by node how much is missing."},
    [MU_REASON_INSUFFICIENT_DEVICES] = {MU_PENDING, "Nodes that would do lack devices that meet the claims.",
                                        "Free devices, or ask for less of them, or for other ones."},
    [MU_REASON_NODE_CONSTRAINTS] = {MU_PENDING,
                                    "Node selectors, affinities, taints, ports or spreading leave too few "
                                    "nodes, however empty these are.",
                                    "Change the pods' constraints, or the nodes' labels and taints."},
    [MU_REASON_TOPOLOGY_UNSATISFIED] = {MU_PENDING,
                                        "It would fit, but not within one value of the node label that the "
                                        "group's topology constraint names.",
                                        "Free room within one such domain, or ask for a wider one."},
    [MU_REASON_VOLUME_UNSATISFIED] = {MU_PENDING,
                                      "Volumes leave too few nodes: their own affinity, a node's limit, no "
                                      "capacity, or a claim that cannot be bound.",
                                      "Look at the claims that the message names."},
    [MU_REASON_RESERVED_FOR_OTHER] = {MU_PENDING, "There is room, but it is held for another group.",
                                      "Nothing: it is decided again when that group runs or goes away."},
    [MU_REASON_SEARCH_BUDGET_EXHAUSTED] = {MU_PENDING,
                                           "The search ended before it found a placement or a proof that "
                                           "there is none. It is not known to be impossible.",
                                           "Raise stepBudget in the configuration, and please report the case."},
    [MU_REASON_UNSUPPORTED] = {MU_PENDING, "The pods need something that this version of muster cannot judge.",
                               "See the message; another version may."},
    [MU_REASON_GANG_BROKEN] = {MU_EVICT,
                               "The group had started, has lost members, and could not be completed within "
                               "its grace period: what is left holds room for nothing.",
                               "Nothing: its controller makes it anew. The grace period is gangGracePeriod in the "
                               "configuration, or the annotation scheduling.muster.dev/grace-period."},
};

const struct mu_reason_help *mu_reason_help(enum mu_reason reason) {
    return reasons[reason].means ? &reasons[reason] : NULL;
}

/* Help is laid out for the width of an ordinary terminal, whoever reads it. */
static void print_paragraph(FILE *out, size_t indent, const char *text) {
    const struct mu_terminal page = {.out = out, .width = 80};
    fprintf(out, "%*s", (int)indent, "");
    mu_print_wrapped(&page, mu_str_from(text), indent, indent);
    putc('\n', out);
}

static void print_reasons(FILE *out) {
    static const struct {
        enum mu_decision decision;
        const char *means;
    } decisions[] = {
        {MU_WAIT, "Wait: not decided yet, since something must happen first."},
        {MU_PENDING, "Pending: no placement exists as things are. Where several rules refuse, the reason is the first "
                     "one that, with those before it, leaves no placement: invalid objects, quota, node constraints, "
                     "volumes, devices, resources, topology, room held for others."},
        {MU_EVICT, "Evict: the group's own pods are to go."},
    };
    print_paragraph(out, 0,
                    "Why a group does not run. `muster plan` gives one of these reasons and a sentence with "
                    "numbers; `muster plan --explain GROUP` shows what stands behind it.");
    for (size_t d = 0; d < sizeof decisions / sizeof decisions[0]; d++) {
        putc('\n', out);
        print_paragraph(out, 0, decisions[d].means);
        for (int reason = 0; reason < MU_REASON_COUNT; reason++) {
            const struct mu_reason_help *help = mu_reason_help((enum mu_reason)reason);
            if (!help || help->decision != decisions[d].decision)
                continue;
            fprintf(out, "\n  %s\n", mu_reason_name((enum mu_reason)reason));
            print_paragraph(out, 4, help->means);
            print_paragraph(out, 4, help->remedy);
        }
    }
}

static void print_input(FILE *out) {
    fputs("What `muster plan`, `muster audit` and `muster devices` read.\n"
          "\n"
          "Kubernetes objects as people have them: YAML or JSON, one object, several documents\n"
          "separated by ---, or a List as `kubectl get -o yaml` prints it. Files may be compressed with\n"
          "gzip. `-f FOLDER` reads every *.yaml, *.yml and *.json in it, `-f -` standard input. The order\n"
          "never matters. The same object twice: the one with the higher resourceVersion counts.\n"
          "\n"
          "A snapshot of a cluster:\n"
          "  kubectl get -A -o yaml nodes,pods,namespaces,priorityclasses,poddisruptionbudgets,\\\n"
          "    persistentvolumes,persistentvolumeclaims,storageclasses,csinodes,resourceclaims,\\\n"
          "    resourceslices,deviceclasses > cluster.yaml\n"
          "and the group objects of whichever API you use (podgroups and so on). Kinds that are left out\n"
          "count as absent: without its PersistentVolumeClaims, a pod that needs one cannot be placed.\n"
          "\n"
          "Manifests count as objects. A workload that no controller has acted on (it has no uid) becomes\n"
          "the pods that its controller would make: Job, Deployment, ReplicaSet, StatefulSet, DaemonSet,\n"
          "LeaderWorkerSet, JobSet. So `-f cluster.yaml -f job.yaml` answers whether a job would fit.\n"
          "\n"
          "Pods are ours where spec.schedulerName is \"muster\", or a name that the configuration gives.\n"
          "Pods belong to a group by the first of these:\n"
          "  spec.schedulingGroup.podGroupName                 PodGroup of scheduling.k8s.io\n"
          "  label scheduling.x-k8s.io/pod-group               PodGroup of coscheduling\n"
          "  annotation scheduling.k8s.io/group-name           PodGroup of Volcano\n"
          "  labels leaderworkerset.sigs.k8s.io/*              a replica of a LeaderWorkerSet\n"
          "  label kueue.x-k8s.io/pod-group-name               no object; annotation pod-group-total-count\n"
          "  label pod-group.scheduling.sigs.k8s.io/name       no object; label /min-available\n"
          "  label scheduling.muster.dev/group-name            no object; label /min-count\n"
          "\n"
          "What cannot be read (syntax, a wrong type, a quantity that is none) ends the run with status 2\n"
          "and one line that names the place. What can be read but makes no sense (a negative minimum) is\n"
          "refused alone, with its reason, and everything else is decided.\n",
          out);
}

const struct mu_topic mu_topics[] = {
    {"input", "what is read, and which pods form a group", print_input},
    {"reasons", "every reason of a plan, and what to do about it", print_reasons},
    {NULL, NULL, NULL},
};
