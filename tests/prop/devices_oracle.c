/* Brute force for labs: every node for every pod, and every choice of devices for every claim, together. */
#include "tests/prop/devices_lab.h"
#include <string.h>

struct state {
    const struct lab *lab;
    int cpu[LAB_NODES];
    int counters[LAB_POOLS][LAB_SETS];
    bool whole[LAB_DEVICES];
    int memory[LAB_DEVICES]; /* left */
    int node[LAB_PODS];
    bool given[LAB_CLAIMS];
    struct lab_grant grants[LAB_CLAIMS];
};

static bool reaches(const struct lab_device *device, int node) {
    return device->pool == LAB_EVERYWHERE || device->pool == node;
}

static bool matches(const struct lab_device *device, const struct lab_ask *ask) {
    return device->kind >= ask->least && device->kind <= ask->most;
}

/* What a share takes: all of it where nothing is asked. A device without memory has none to give. */
static int share_of(const struct lab_device *device, const struct lab_ask *ask) {
    return ask->memory ? ask->memory : device->memory;
}

/* Could the device serve the ask if nobody held anything? */
static bool could(const struct lab_device *device, const struct lab_ask *ask) {
    return matches(device, ask) && (device->memory ? share_of(device, ask) <= device->memory : ask->memory == 0);
}

static void begin(struct state *s, const struct lab *lab) {
    memset(s, 0, sizeof *s);
    s->lab = lab;
    memcpy(s->cpu, lab->cpu, sizeof s->cpu);
    memcpy(s->counters, lab->counters, sizeof s->counters);
    for (int d = 0; d < lab->devices_len; d++) {
        const struct lab_device *device = &lab->devices[d];
        s->memory[d] = device->memory;
        if (device->held && device->memory)
            s->memory[d] -= device->held;
        s->whole[d] = device->held && !device->memory;
        if (s->whole[d] && device->set >= 0)
            s->counters[device->pool][device->set] -= device->takes;
    }
}

static bool take(struct state *s, int d, const struct lab_ask *ask) {
    const struct lab_device *device = &s->lab->devices[d];
    if (!could(device, ask) || (device->tainted && !ask->tolerates))
        return false;
    if (device->memory) {
        if (s->memory[d] < share_of(device, ask))
            return false;
        s->memory[d] -= share_of(device, ask);
        return true;
    }
    if (s->whole[d])
        return false;
    if (device->set >= 0) {
        for (int i = 0; i < LAB_SETS; i++) /* a pool with any counter overdrawn gives out nothing that takes some */
            if (s->counters[device->pool][i] < 0)
                return false;
        if (s->counters[device->pool][device->set] < device->takes)
            return false;
        s->counters[device->pool][device->set] -= device->takes;
    }
    s->whole[d] = true;
    return true;
}

static void give_back(struct state *s, int d, const struct lab_ask *ask) {
    const struct lab_device *device = &s->lab->devices[d];
    if (device->memory) {
        s->memory[d] += share_of(device, ask);
        return;
    }
    s->whole[d] = false;
    if (device->set >= 0)
        s->counters[device->pool][device->set] += device->takes;
}

static bool next_pod(struct state *s, int pod);
static bool next_claim(struct state *s, int pod, int at);

/* Chooses devices for the claim from this request, ask and device on, then goes on with the rest of the pod. */
static bool choose(struct state *s, int pod, int at, int request, int ask, int count, int first) {
    int number = s->lab->pods[pod].claims[at];
    const struct lab_claim *claim = &s->lab->claims[number];
    struct lab_grant *grant = &s->grants[number];
    if (request == claim->requests_len) {
        s->given[number] = true;
        bool found = next_claim(s, pod, at + 1);
        s->given[number] = found;
        return found;
    }
    const struct lab_request *r = &claim->requests[request];
    if (ask < 0) {
        for (int a = 0; a < r->asks_len; a++)
            if (choose(s, pod, at, request, a, 0, 0))
                return true;
        return false;
    }
    const struct lab_ask *asked = &r->asks[ask];
    int all = 0;
    for (int d = 0; asked->mode == LAB_ALL && d < s->lab->devices_len; d++)
        all += reaches(&s->lab->devices[d], s->node[pod]) && could(&s->lab->devices[d], asked);
    int wanted = asked->mode == LAB_ALL ? all : asked->count;
    if (wanted == 0)
        return false;
    if (count == wanted)
        return choose(s, pod, at, request + 1, -1, 0, 0);
    for (int d = first; d < s->lab->devices_len; d++) {
        const struct lab_device *device = &s->lab->devices[d];
        if (!reaches(device, s->node[pod]) ||
            (claim->same_root && grant->len && s->lab->devices[grant->devices[0]].root != device->root) ||
            !take(s, d, asked))
            continue;
        grant->devices[grant->len++] = d;
        bool again = device->memory && asked->mode != LAB_ALL;
        if (choose(s, pod, at, request, ask, count + 1, d + !again))
            return true;
        grant->len--;
        give_back(s, d, asked);
    }
    return false;
}

static bool next_claim(struct state *s, int pod, int at) {
    if (at == s->lab->pods[pod].claims_len)
        return next_pod(s, pod + 1);
    int number = s->lab->pods[pod].claims[at];
    if (!s->given[number])
        return choose(s, pod, at, 0, -1, 0, 0);
    for (int i = 0; i < s->grants[number].len; i++)
        if (!reaches(&s->lab->devices[s->grants[number].devices[i]], s->node[pod]))
            return false;
    return next_claim(s, pod, at + 1);
}

static bool next_pod(struct state *s, int pod) {
    if (pod == s->lab->pods_len)
        return true;
    for (int n = 0; n < s->lab->nodes_len; n++) {
        if (!(s->lab->pods[pod].nodes >> n & 1) || s->cpu[n] < s->lab->pods[pod].cpu)
            continue;
        s->cpu[n] -= s->lab->pods[pod].cpu;
        s->node[pod] = n;
        if (next_claim(s, pod, 0))
            return true;
        s->cpu[n] += s->lab->pods[pod].cpu;
    }
    return false;
}

bool lab_is_feasible(const struct lab *lab) {
    struct state s;
    begin(&s, lab);
    return next_pod(&s, 0);
}

/* ------------------------------------------------------------------ judging */

static const char *claim_fault(struct state *s, int number, int node) {
    const struct lab_claim *claim = &s->lab->claims[number];
    const struct lab_grant *grant = &s->grants[number];
    int got[LAB_REQUESTS] = {0};
    for (int i = 0; i < grant->len; i++) {
        const struct lab_device *device = &s->lab->devices[grant->devices[i]];
        const struct lab_ask *ask = &claim->requests[grant->request[i]].asks[grant->ask[i]];
        got[grant->request[i]]++;
        if (claim->same_root && device->root != s->lab->devices[grant->devices[0]].root)
            return "devices of several roots";
        if (!reaches(device, node))
            return "a device that the node does not reach";
        if (!take(s, grant->devices[i], ask))
            return "a device that is not free, or does not do";
    }
    for (int i = 0; i < grant->len; i++) {
        const struct lab_ask *ask = &claim->requests[grant->request[i]].asks[grant->ask[i]];
        int wanted = ask->count;
        if (ask->mode == LAB_ALL) {
            wanted = 0;
            for (int d = 0; d < s->lab->devices_len; d++)
                wanted += reaches(&s->lab->devices[d], node) && could(&s->lab->devices[d], ask);
        }
        if (got[grant->request[i]] != wanted)
            return "another number of devices than was asked for";
    }
    for (int r = 0; r < claim->requests_len; r++)
        if (!got[r])
            return "a request without devices";
    return NULL;
}

const char *lab_fault(const struct lab *lab, const int node[LAB_PODS], const struct lab_grant grants[LAB_CLAIMS]) {
    struct state s;
    begin(&s, lab);
    memcpy(s.grants, grants, sizeof s.grants);
    for (int i = 0; i < lab->pods_len; i++) {
        if (node[i] < 0 || !(lab->pods[i].nodes >> node[i] & 1))
            return "a pod where it may not be";
        if ((s.cpu[node[i]] -= lab->pods[i].cpu) < 0)
            return "a node with too little cpu";
        for (int c = 0; c < lab->pods[i].claims_len; c++) {
            int number = lab->pods[i].claims[c];
            const char *fault = s.given[number] ? NULL : claim_fault(&s, number, node[i]);
            s.given[number] = true;
            for (int k = 0; k < s.grants[number].len && !fault; k++)
                if (!reaches(&lab->devices[s.grants[number].devices[k]], node[i]))
                    fault = "a shared claim whose devices one of its pods does not reach";
            if (fault)
                return fault;
        }
    }
    return NULL;
}
