/* What a whole group may do: every choice of members, nodes and order is tried. */
#include "tests/prop/oracle.h"

#include "scheduler/base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Members of one unit and class that are there: those that are placed, and those that count without a place. */
static int members_there(const struct mu_oracle *oracle, int unit, int cls, bool with_waiting) {
    int count = 0;
    for (int p = 0; p < MU_TINY_PODS; p++) {
        const struct mu_tiny_pod *pod = &oracle->tiny->pods[p];
        if (!pod->there || pod->unit != unit || (cls != MU_TINY_NONE && pod->cls != cls))
            continue;
        count += oracle->where[p] != MU_TINY_NONE || pod->phase == MU_TINY_SUCCEEDED ||
                 (with_waiting && pod->phase == MU_TINY_WAITS);
    }
    return count;
}

static bool leaf_whole(const struct mu_oracle *oracle, int unit, bool with_waiting) {
    const struct mu_tiny_unit *object = &oracle->tiny->units[unit];
    int minimum = object->form == MU_TINY_BASIC ? 1 : object->minimum;
    if (members_there(oracle, unit, MU_TINY_NONE, with_waiting) < minimum)
        return false;
    for (int cls = 0; cls < MU_TINY_CLASSES && object->form == MU_TINY_VOLCANO; cls++)
        if (members_there(oracle, unit, cls, with_waiting) < object->role_minimum[cls])
            return false;
    return true;
}

static bool unit_whole(const struct mu_oracle *oracle, int unit, bool with_waiting) {
    const struct mu_tiny *tiny = oracle->tiny;
    if (!mu_tiny_is_composite(tiny->units[unit].form))
        return leaf_whole(oracle, unit, with_waiting);
    int whole = 0;
    for (int child = 0; child < MU_TINY_UNITS; child++)
        whole +=
            tiny->units[child].there && tiny->units[child].parent == unit && unit_whole(oracle, child, with_waiting);
    return whole >= (tiny->units[unit].form == MU_TINY_COMPOSITE_BASIC ? 1 : tiny->units[unit].minimum);
}

/* No member is placed now in a unit that is not whole. */
static bool nothing_in_vain(const struct mu_oracle *oracle, int root) {
    const struct mu_tiny *tiny = oracle->tiny;
    for (int p = 0; p < MU_TINY_PODS; p++) {
        if (oracle->where[p] == MU_TINY_NONE || tiny->pods[p].phase != MU_TINY_WAITS)
            continue;
        int unit = tiny->pods[p].unit;
        for (; unit != MU_TINY_NONE && mu_tiny_is_below(tiny, unit, root); unit = tiny->units[unit].parent)
            if (!unit_whole(oracle, unit, false))
                return false;
    }
    return true;
}

bool mu_oracle_whole(const struct mu_oracle *oracle, struct mu_tiny_group group) {
    if (group.unit == MU_TINY_NONE)
        return oracle->where[group.pod] != MU_TINY_NONE;
    return unit_whole(oracle, group.unit, false) && nothing_in_vain(oracle, group.unit);
}

bool mu_oracle_complete(const struct mu_oracle *oracle, struct mu_tiny_group group) {
    return group.unit == MU_TINY_NONE || unit_whole(oracle, group.unit, true);
}

enum { SEEN_BITS = 3 * MU_TINY_WAITING };
static_assert(MU_TINY_NODES < 7, "a place, or none, in three bits");

/* Depth first over sets of placed pods. Members that are alike are placed in one order only, and no set that was
 * reached before is gone through again: what can follow depends on the set, not on how it came about. */
struct search {
    struct mu_oracle *oracle;
    struct mu_tiny_group root, goal; /* goal: the unit below root that must become whole too */
    int members[MU_TINY_WAITING];    /* that may be placed, those that are alike together */
    int first_alike[MU_TINY_WAITING];
    int members_len;
    uint64_t *seen; /* a bit for each set */
    MU_VEC(uint32_t) touched;
};

static bool alike(const struct mu_tiny *tiny, int a, int b) {
    const struct mu_tiny_pod *p = &tiny->pods[a], *q = &tiny->pods[b];
    return p->unit == q->unit && p->cls == q->cls && p->gpus == q->gpus && p->cpus == q->cpus &&
           p->other_space == q->other_space;
}

/* Takes up the waiting members of `goal`. */
static void search_collect(struct search *search) {
    const struct mu_tiny *tiny = search->oracle->tiny;
    bool taken[MU_TINY_PODS] = {false};
    for (int p = 0; p < MU_TINY_PODS; p++) {
        int first = search->members_len;
        for (int q = p; q < MU_TINY_PODS; q++) {
            if (taken[q] || !mu_tiny_in_group(tiny, q, search->goal) || tiny->pods[q].phase != MU_TINY_WAITS ||
                search->oracle->where[q] != MU_TINY_NONE || (q != p && (!taken[p] || !alike(tiny, p, q))))
                continue;
            taken[q] = true;
            MU_ASSERT(search->members_len < MU_TINY_WAITING);
            search->first_alike[search->members_len] = first;
            search->members[search->members_len++] = q;
        }
    }
}

static uint32_t search_key(const struct search *search) {
    unsigned places[MU_TINY_WAITING];
    uint32_t key = 0;
    for (int i = 0; i < search->members_len; i++) {
        unsigned place = (unsigned)(search->oracle->where[search->members[i]] + 1);
        int j = i;
        for (; j > search->first_alike[i] && places[j - 1] < place; j--)
            places[j] = places[j - 1];
        places[j] = place;
    }
    for (int i = 0; i < search->members_len; i++)
        key = key << 3 | places[i];
    return key;
}

/* True the first time. */
static bool search_visit(struct search *search, uint32_t key) {
    uint64_t bit = UINT64_C(1) << (key & 63), *word = &search->seen[key >> 6];
    if (*word & bit)
        return false;
    if (*word == 0) {
        if (search->touched.len == search->touched.cap) {
            search->touched.cap = search->touched.cap ? search->touched.cap * 2 : 256;
            search->touched.items = realloc(search->touched.items, search->touched.cap * sizeof(uint32_t));
            MU_ASSERT(search->touched.items);
        }
        search->touched.items[search->touched.len++] = key >> 6;
    }
    *word |= bit;
    return true;
}

static bool search_done(const struct search *search) {
    return mu_oracle_whole(search->oracle, search->root) && mu_oracle_whole(search->oracle, search->goal);
}

static void search_keep(struct search *search) {
    memset(search->oracle->found, MU_TINY_NONE, sizeof search->oracle->found);
    for (int i = 0; i < search->members_len; i++)
        search->oracle->found[search->members[i]] = search->oracle->where[search->members[i]];
}

static bool search_on(struct search *search) {
    struct mu_oracle *oracle = search->oracle;
    if (search_done(search)) {
        search_keep(search);
        return true;
    }
    for (int i = 0; i < search->members_len; i++) {
        int pod = search->members[i];
        bool earlier_waits = i > search->first_alike[i] && oracle->where[search->members[i - 1]] == MU_TINY_NONE;
        if (oracle->where[pod] != MU_TINY_NONE || earlier_waits)
            continue;
        for (int node = 0; node < MU_TINY_NODES; node++) {
            if (!mu_oracle_fits(oracle, pod, node))
                continue;
            mu_oracle_place(oracle, pod, node);
            oracle->steps++;
            bool found = search_visit(search, search_key(search)) && search_on(search);
            mu_oracle_remove(oracle, pod);
            if (found)
                return true;
        }
    }
    return false;
}

static bool search_run(struct mu_oracle *oracle, struct mu_tiny_group root, struct mu_tiny_group goal) {
    static uint64_t seen[(1U << SEEN_BITS) / 64]; /* all 0 between searches */
    struct search search = {.oracle = oracle, .root = root, .goal = goal, .seen = seen};
    search_collect(&search);
    bool found = search_on(&search);
    for (size_t i = 0; i < search.touched.len; i++)
        seen[search.touched.items[i]] = 0;
    free(search.touched.items);
    return found;
}

bool mu_oracle_feasible(struct mu_oracle *oracle, struct mu_tiny_group group) {
    return search_run(oracle, group, group);
}

static bool place_rest(struct mu_oracle *oracle, const int8_t targets[MU_TINY_PODS], const int *pods, int len,
                       unsigned placed, bool *tried) {
    if (placed == (1U << len) - 1)
        return true;
    if (tried[placed])
        return false;
    tried[placed] = true;
    for (int i = 0; i < len; i++) {
        if (placed >> i & 1 || !mu_oracle_fits(oracle, pods[i], targets[pods[i]]))
            continue;
        mu_oracle_place(oracle, pods[i], targets[pods[i]]);
        if (place_rest(oracle, targets, pods, len, placed | 1U << i, tried))
            return true;
        mu_oracle_remove(oracle, pods[i]);
    }
    return false;
}

bool mu_oracle_place_all(struct mu_oracle *oracle, const int8_t targets[MU_TINY_PODS]) {
    bool tried[1U << MU_TINY_WAITING] = {false};
    int pods[MU_TINY_WAITING], len = 0;
    for (int p = 0; p < MU_TINY_PODS; p++)
        if (targets[p] != MU_TINY_NONE) {
            MU_ASSERT(len < MU_TINY_WAITING);
            pods[len++] = p;
        }
    return place_rest(oracle, targets, pods, len, 0, tried);
}

static bool pod_addable(const struct mu_oracle *oracle, int unit, struct mu_tiny_group *ret) {
    for (int p = 0; p < MU_TINY_PODS; p++) {
        const struct mu_tiny_pod *pod = &oracle->tiny->pods[p];
        if (!pod->there || pod->unit != unit || pod->phase != MU_TINY_WAITS || oracle->where[p] != MU_TINY_NONE)
            continue;
        for (int node = 0; node < MU_TINY_NODES; node++)
            if (mu_oracle_fits(oracle, p, node)) {
                *ret = (struct mu_tiny_group){.unit = MU_TINY_NONE, .pod = p};
                return true;
            }
    }
    return false;
}

/* Units below a whole one that are not whole are added as wholes, the pods of whole leaves one by one. */
static bool unit_addable(struct mu_oracle *oracle, struct mu_tiny_group root, int unit, struct mu_tiny_group *ret) {
    const struct mu_tiny *tiny = oracle->tiny;
    struct mu_tiny_group group = {.unit = unit, .pod = MU_TINY_NONE};
    if (!unit_whole(oracle, unit, false)) {
        *ret = group;
        return search_run(oracle, root, group);
    }
    if (!mu_tiny_is_composite(tiny->units[unit].form))
        return pod_addable(oracle, unit, ret);
    for (int child = 0; child < MU_TINY_UNITS; child++)
        if (tiny->units[child].there && tiny->units[child].parent == unit && unit_addable(oracle, root, child, ret))
            return true;
    return false;
}

bool mu_oracle_addable(struct mu_oracle *oracle, struct mu_tiny_group group, struct mu_tiny_group *ret) {
    return group.unit != MU_TINY_NONE && unit_addable(oracle, group, group.unit, ret);
}
