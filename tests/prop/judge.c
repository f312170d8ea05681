/* The plan's decisions, one after another, against the oracle. */
#include "tests/prop/judge.h"

#include "tests/prop/oracle.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct judge {
    const struct mu_tiny *tiny;
    struct mu_oracle oracle; /* the cluster, and what the plan placed so far */
    uint64_t *tally;
    char *why;
};

/* "p5"; "g1" */
struct name {
    char text[16];
};

static struct name name_of(struct mu_tiny_group group) {
    struct name name;
    if (group.unit == MU_TINY_NONE)
        snprintf(name.text, sizeof name.text, "p%d", group.pod);
    else
        snprintf(name.text, sizeof name.text, "g%d", group.unit);
    return name;
}

__attribute__((format(printf, 2, 3))) static bool refute(const struct judge *judge, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(judge->why, MU_PROP_WHY_BYTES, format, args);
    va_end(args);
    return false;
}

/* " p1:n0 p4:n2", cut where it gets long. */
static void print_places(char *text, size_t size, const int8_t places[MU_TINY_PODS]) {
    size_t used = 0;
    text[0] = 0;
    for (int p = 0; p < MU_TINY_PODS && used + 16 < size; p++)
        if (places[p] != MU_TINY_NONE)
            used += (size_t)snprintf(text + used, size - used, " p%d:n%d", p, places[p]);
}

static bool has_waiting(const struct mu_tiny *tiny, struct mu_tiny_group group) {
    for (int p = 0; p < MU_TINY_PODS; p++)
        if (mu_tiny_in_group(tiny, p, group) && tiny->pods[p].phase == MU_TINY_WAITS)
            return true;
    return false;
}

static bool same_group(struct mu_tiny_group a, struct mu_tiny_group b) {
    return a.unit == b.unit && a.pod == b.pod;
}

/* Every waiting pod stands in the entry of its group, and nothing else does. */
static bool judge_listing(const struct judge *judge, const struct mu_answer *answer) {
    const struct mu_tiny *tiny = judge->tiny;
    for (int i = 0; i < answer->groups_len; i++)
        for (int j = 0; j < i; j++)
            if (same_group(answer->groups[i].group, answer->groups[j].group))
                return refute(judge, "%s is decided twice", name_of(answer->groups[i].group).text);
    for (int p = 0; p < MU_TINY_PODS; p++) {
        bool waits = tiny->pods[p].there && tiny->pods[p].phase == MU_TINY_WAITS;
        int listed = 0;
        for (int i = 0; i < answer->groups_len; i++) {
            bool mine = mu_tiny_in_group(tiny, p, answer->groups[i].group);
            if (answer->groups[i].listed[p] && !(waits && mine))
                return refute(judge, "p%d has no place in the entry of %s", p, name_of(answer->groups[i].group).text);
            listed += answer->groups[i].listed[p];
        }
        if (waits && listed != 1)
            return refute(judge, "p%d is listed %d times", p, listed);
    }
    return true;
}

static bool is_broken(const struct judge *judge, struct mu_tiny_group group) {
    for (int p = 0; p < MU_TINY_PODS; p++)
        if (mu_tiny_in_group(judge->tiny, p, group) && judge->tiny->pods[p].phase != MU_TINY_WAITS)
            return !mu_oracle_whole(&judge->oracle, group);
    return false;
}

/* May `a` be decided before `b`? Whether a group counts as broken is not looked into: where it may, both orders are fine. */
static bool may_precede(const struct judge *judge, struct mu_tiny_group a, struct mu_tiny_group b) {
    const struct mu_tiny *tiny = judge->tiny;
    int a_priority = a.unit != MU_TINY_NONE ? tiny->units[a.unit].priority : tiny->pods[a.pod].priority;
    int b_priority = b.unit != MU_TINY_NONE ? tiny->units[b.unit].priority : tiny->pods[b.pod].priority;
    int a_age = a.unit != MU_TINY_NONE ? tiny->units[a.unit].age : tiny->pods[a.pod].age;
    int b_age = b.unit != MU_TINY_NONE ? tiny->units[b.unit].age : tiny->pods[b.pod].age;
    if (a_priority != b_priority)
        return a_priority > b_priority;
    if (is_broken(judge, a) || is_broken(judge, b))
        return true;
    return a_age != b_age ? a_age > b_age : strcmp(name_of(a).text, name_of(b).text) < 0;
}

static bool judge_bind(struct judge *judge, const struct mu_answer_group *group) {
    struct name name = name_of(group->group);
    char places[300];
    print_places(places, sizeof places, group->targets);
    if (!mu_oracle_place_all(&judge->oracle, group->targets))
        return refute(judge, "%s: no order of these placements passes all rules:%s", name.text, places);
    if (!mu_oracle_whole(&judge->oracle, group->group))
        return refute(judge, "%s is Bind and not whole with:%s", name.text, places);
    struct mu_tiny_group more;
    if (mu_oracle_addable(&judge->oracle, group->group, &more))
        return refute(judge, "%s: %s could be placed as well, after:%s", name.text, name_of(more).text, places);
    judge->tally[MU_JUDGE_FEASIBLE]++;
    for (int p = 0; p < MU_TINY_PODS; p++)
        judge->tally[MU_JUDGE_BOUND_PODS] += group->targets[p] != MU_TINY_NONE;
    return true;
}

static bool someone_ends(const struct mu_tiny *tiny) {
    for (int p = 0; p < MU_TINY_PODS; p++)
        if (tiny->pods[p].there && tiny->pods[p].ending)
            return true;
    return false;
}

/* The first rules that, with those before them, leave nothing. */
static enum mu_reason expected_reason(const struct judge *judge, struct mu_tiny_group group) {
    struct mu_oracle relaxed = judge->oracle;
    relaxed.rules = MU_ORACLE_CONSTRAINTS;
    if (!mu_oracle_feasible(&relaxed, group))
        return MU_REASON_NODE_CONSTRAINTS;
    relaxed.rules = MU_ORACLE_CONSTRAINTS | MU_ORACLE_RESOURCES;
    return mu_oracle_feasible(&relaxed, group) ? MU_REASON_TOPOLOGY_UNSATISFIED : MU_REASON_INSUFFICIENT_RESOURCES;
}

/* Members are there in number, no pod is going, and yet there is no place: what does the plan call it? */
static bool judge_reason(const struct judge *judge, const struct mu_answer_group *group) {
    struct name name = name_of(group->group);
    if (!mu_oracle_complete(&judge->oracle, group->group)) {
        bool composite =
            group->group.unit != MU_TINY_NONE && mu_tiny_is_composite(judge->tiny->units[group->group.unit].form);
        if (composite || (group->decision == MU_WAIT && group->reason == MU_REASON_MEMBERS_MISSING))
            return true;
        return refute(judge, "%s lacks members and is %s (%s)", name.text, mu_decision_name(group->decision),
                      mu_reason_name(group->reason));
    }
    if (someone_ends(judge->tiny))
        return true;
    enum mu_reason reason = expected_reason(judge, group->group);
    if (group->decision == MU_PENDING && group->reason == reason)
        return true;
    return refute(judge, "%s is %s %s, expected Pending %s: %s", name.text, mu_decision_name(group->decision),
                  mu_reason_name(group->reason), mu_reason_name(reason), group->message);
}

static bool judge_refusal(struct judge *judge, const struct mu_answer_group *group) {
    struct name name = name_of(group->group);
    for (int p = 0; p < MU_TINY_PODS; p++)
        if (group->targets[p] != MU_TINY_NONE)
            return refute(judge, "%s is %s and its p%d is Bind", name.text, mu_decision_name(group->decision), p);
    if (mu_oracle_feasible(&judge->oracle, group->group)) {
        char places[300];
        print_places(places, sizeof places, judge->oracle.found);
        return refute(judge, "%s is refused, and %s (%s, %s; %s):%s", name.text,
                      places[0] ? "fits" : "was whole before", mu_decision_name(group->decision),
                      mu_reason_name(group->reason), group->message, places);
    }
    judge->tally[MU_JUDGE_INFEASIBLE]++;
    return judge_reason(judge, group);
}

static bool judge_groups(struct judge *judge, const struct mu_answer *answer) {
    for (int i = 0; i < answer->groups_len; i++) {
        const struct mu_answer_group *group = &answer->groups[i];
        if (!has_waiting(judge->tiny, group->group))
            return refute(judge, "%s has nothing to decide", name_of(group->group).text);
        for (int j = i + 1; j < answer->groups_len; j++)
            if (!may_precede(judge, group->group, answer->groups[j].group))
                return refute(judge, "%s is decided before %s", name_of(group->group).text,
                              name_of(answer->groups[j].group).text);
        if (!(group->decision == MU_BIND ? judge_bind : judge_refusal)(judge, group))
            return false;
    }
    return true;
}

bool mu_prop_judge(const struct mu_tiny *tiny, const struct mu_answer *answer, uint64_t tally[MU_PROP_TALLIES],
                   char why[MU_PROP_WHY_BYTES]) {
    struct judge judge = {.tiny = tiny, .tally = tally, .why = why};
    mu_oracle_begin(&judge.oracle, tiny, MU_ORACLE_ALL);
    bool fine = judge_listing(&judge, answer) && judge_groups(&judge, answer);
    tally[MU_JUDGE_TRIED] += (uint64_t)judge.oracle.steps;
    return fine;
}
