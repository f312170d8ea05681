/* Accounts of queues; see quota.h. */
#include "scheduler/core/quota.h"
#include "scheduler/base/limits.h"
#include "scheduler/core/groups_internal.h"
#include <stdlib.h>

#define NO_ACCOUNT UINT32_MAX

struct account {
    mu_sym queue; /* 0: the root of all */
    mu_sym resource;
    uint32_t parent;   /* account of the same resource, or NO_ACCOUNT */
    bool own;          /* the queue limits the resource itself */
    mu_i128 nominal;   /* its own, or the sum of its children's */
    int64_t borrowing; /* at most so much more; below 0: no limit */
    int64_t lending;   /* of what is idle; below 0: all */
};

struct mu_quota_table {
    struct account *accounts;
    uint32_t len;
    mu_i128 *used;       /* by account */
    struct mu_map index; /* queue and resource */
    const struct mu_drafting *d;
    struct mu_map charged; /* claims that are charged already */
};

struct mu_quota_run {
    const struct mu_quota_table *table;
    mu_i128 *used;
    struct mu_map charged;
    struct mu_arena *arena;
};

static struct mu_str key_of(const mu_sym key[2]) {
    return (struct mu_str){(const char *)key, 2 * sizeof *key};
}

static uint32_t find_account(const struct mu_quota_table *table, mu_sym queue, mu_sym resource) {
    mu_sym key[2] = {queue, resource};
    uint32_t found;
    return mu_map_get(&table->index, key_of(key), &found) ? found : NO_ACCOUNT;
}

/* ------------------------------------------------------------------ accounts */

/* Volcano's `deserved` alone is a share; `capability` is what limits. */
static bool limits(const struct mu_queue *queue, const struct mu_quota *quota) {
    return !queue->volcano || quota->borrowing_limit >= 0;
}

struct accounts {
    struct account *items;
    size_t len, cap;
};

static uint32_t add_account(struct mu_quota_table *table, struct accounts *list, mu_sym queue, mu_sym resource) {
    uint32_t found = find_account(table, queue, resource);
    if (found != NO_ACCOUNT)
        return found;
    mu_sym *key = MU_NEW_ARRAY(table->d->arena, mu_sym, 2);
    key[0] = queue;
    key[1] = resource;
    mu_map_put(&table->index, key_of(key), (uint32_t)list->len);
    MU_VEC_PUSH(
        table->d->arena, list,
        (struct account){.queue = queue, .resource = resource, .parent = NO_ACCOUNT, .borrowing = -1, .lending = -1});
    return (uint32_t)list->len - 1;
}

static mu_sym parent_of(const struct mu_drafting *d, mu_sym queue) {
    const struct mu_queue *found = mu_find_queue(d, queue);
    return found && found->parent != queue ? found->parent : 0;
}

/* The accounts above the queue's, up to the root. */
static void add_above(struct mu_quota_table *table, struct accounts *list, uint32_t account) {
    for (int level = 0; list->items[account].queue && level < MU_LIMIT_TREE_DEPTH; level++) {
        uint32_t parent =
            add_account(table, list, parent_of(table->d, list->items[account].queue), list->items[account].resource);
        list->items[account].parent = parent;
        account = parent;
    }
}

/* What has no quota of its own has the sum of its children's: from the leaves up, a level at a time, as deep as trees
 * go. */
static void sum_up(struct mu_quota_table *table) {
    mu_i128 *sums = MU_NEW_ARRAY(table->d->arena, mu_i128, table->len);
    for (int level = 0; level < MU_LIMIT_TREE_DEPTH; level++) {
        memset(sums, 0, table->len * sizeof *sums);
        for (uint32_t i = 0; i < table->len; i++)
            if (table->accounts[i].parent != NO_ACCOUNT)
                sums[table->accounts[i].parent] += table->accounts[i].nominal;
        for (uint32_t i = 0; i < table->len; i++)
            if (!table->accounts[i].own)
                table->accounts[i].nominal = sums[i];
    }
}

static void make_accounts(struct mu_quota_table *table) {
    const struct mu_groups_input *in = table->d->in;
    struct accounts list = {0};
    for (uint32_t q = 0; q < in->queues_len; q++) {
        const struct mu_queue *queue = in->queues[q];
        for (uint32_t i = 0; i < queue->quota_len && !queue->meta.invalid.len; i++) {
            const struct mu_quota *quota = &queue->quota[i];
            if (!limits(queue, quota) || mu_find_queue(table->d, queue->meta.name) != queue)
                continue;
            uint32_t at = add_account(table, &list, queue->meta.name, quota->resource);
            list.items[at].own = true;
            list.items[at].nominal = quota->nominal;
            list.items[at].borrowing = quota->borrowing_limit;
            list.items[at].lending = quota->lending_limit;
            add_above(table, &list, at);
        }
    }
    table->accounts = list.items;
    table->len = (uint32_t)list.len;
    table->used = MU_NEW_ARRAY(table->d->arena, mu_i128, list.len);
    sum_up(table);
}

/* ------------------------------------------------------------------ what pods ask for */

static const char devices_suffix[] = ".deviceclass.resource.k8s.io/devices";

/* How many devices of the class the claim asks for at most. */
static mu_i128 count_devices(const struct mu_drafting *d, const struct mu_claim *claim, struct mu_str class) {
    mu_i128 count = 0;
    for (uint32_t r = 0; r < claim->requests_len; r++) {
        const struct mu_device_request *request = &claim->requests[r];
        uint32_t len = request->alternatives_len ? request->alternatives_len : 1;
        mu_i128 most = 0;
        for (uint32_t a = 0; a < len; a++) {
            const struct mu_device_ask *ask = request->alternatives_len ? &request->alternatives[a] : &request->exactly;
            if (ask->admin_access || !mu_str_eq(mu_text(d->symbols, ask->class), class))
                continue;
            int64_t of_ask = ask->mode == MU_DEVICES_EXACT ? ask->count : MU_LIMIT_CLAIM_DEVICES;
            most = of_ask > most ? of_ask : most;
        }
        count += most;
    }
    return count;
}

/* "gpu.example.com" of "gpu.example.com.deviceclass.resource.k8s.io/devices"; empty: the name is of another kind. */
static struct mu_str class_of(struct mu_str resource) {
    size_t suffix = sizeof devices_suffix - 1;
    if (resource.len <= suffix ||
        !mu_str_eq(mu_str_slice(resource, resource.len - suffix, resource.len), mu_str_from(devices_suffix)))
        return (struct mu_str){NULL, 0};
    return mu_str_slice(resource, 0, resource.len - suffix);
}

static struct mu_str claim_key(const struct mu_claim *const *claim) {
    return (struct mu_str){(const char *)claim, sizeof *claim};
}

/* What the pod asks of the resource. Claims in `charged` are somebody's already. */
static mu_i128 asked_by(const struct mu_drafting *d, const struct mu_pod *pod, const struct mu_pod_claims *claims,
                        mu_sym resource, const struct mu_map *charged) {
    struct mu_str name = mu_text(d->symbols, resource), class = class_of(name);
    if (mu_str_eq(name, MU_STR("pods")))
        return 1;
    mu_i128 asked = 0;
    for (uint32_t i = 0; class.len && i < claims->len; i++)
        if (!charged || !mu_map_get(charged, claim_key(&claims->items[i].claim), NULL))
            asked += count_devices(d, claims->items[i].claim, class);
    for (uint32_t i = 0; i < pod->spec->requests_len; i++)
        if (pod->spec->requests[i].resource == resource)
            asked += pod->spec->requests[i].amount;
    return asked;
}

static void mark_charged(struct mu_map *charged, const struct mu_pod_claims *claims, struct mu_arena *arena) {
    for (uint32_t i = 0; i < claims->len; i++) {
        const struct mu_claim **key = MU_NEW(arena, const struct mu_claim *);
        *key = claims->items[i].claim;
        mu_map_put(charged, claim_key((const struct mu_claim *const *)key), 1);
    }
}

/* ------------------------------------------------------------------ charging */

/* The first account on the queue's path, for each resource that one of them limits: resources are listed once. */
struct path {
    uint32_t accounts[MU_LIMIT_TREE_DEPTH + 2];
    uint32_t len;
};

static struct path path_of(const struct mu_quota_table *table, mu_sym queue, mu_sym resource) {
    struct path path = {.len = 0};
    mu_sym at = queue;
    uint32_t account = find_account(table, at, resource);
    for (int level = 0; account == NO_ACCOUNT && at && level < MU_LIMIT_TREE_DEPTH; level++) {
        at = parent_of(table->d, at);
        account = at ? find_account(table, at, resource) : NO_ACCOUNT;
    }
    bool limited = false;
    for (uint32_t a = account; a != NO_ACCOUNT && path.len < MU_LIMIT_TREE_DEPTH + 2; a = table->accounts[a].parent) {
        path.accounts[path.len++] = a;
        limited |= table->accounts[a].own;
    }
    if (!limited)
        path.len = 0; /* nobody on the path lists the resource */
    return path;
}

static void charge(const struct mu_quota_table *table, mu_i128 *used, mu_sym queue, mu_sym resource, mu_i128 amount) {
    struct path path = path_of(table, queue, resource);
    for (uint32_t i = 0; i < path.len; i++)
        used[path.accounts[i]] += amount;
}

/* The resources that anybody limits, each once: those of the root's accounts. */
static bool is_root(const struct mu_quota_table *table, uint32_t account) {
    return table->accounts[account].queue == 0;
}

static void charge_pod(const struct mu_quota_table *table, mu_i128 *used, struct mu_map *charged, mu_sym queue,
                       const struct mu_pod *pod, const struct mu_pod_claims *claims, struct mu_arena *arena) {
    for (uint32_t a = 0; a < table->len; a++)
        if (is_root(table, a))
            charge(table, used, queue, table->accounts[a].resource,
                   asked_by(table->d, pod, claims, table->accounts[a].resource, charged));
    mark_charged(charged, claims, arena);
}

/* ------------------------------------------------------------------ what runs */

static mu_sym queue_of(const struct mu_drafting *d, uint32_t pod) {
    mu_sym named = 0;
    const struct mu_draft *draft = d->owner[pod] < MU_OWNER_TORN ? d->drafts.items[d->owner[pod]] : NULL;
    for (; draft && !named; draft = draft->parent)
        named = mu_queue_of_object(d, draft->object ? draft->object : draft->set);
    named = named ? named : mu_queue_of_pod(d, d->in->pods[pod]);
    return named ? named : mu_symbol_find(d->symbols, MU_STR("default"));
}

struct mu_quota_table *mu_quota_build(struct mu_drafting *d) {
    struct mu_quota_table *table = MU_NEW(d->arena, struct mu_quota_table);
    table->d = d;
    mu_map_init(&table->index, d->arena, 21);
    mu_map_init(&table->charged, d->arena, 22);
    make_accounts(table);
    if (!table->len)
        return NULL;
    for (uint32_t i = 0; i < d->in->pods_len; i++) {
        const struct mu_pod *pod = d->in->pods[i];
        if (!pod->node || mu_pod_ended(pod))
            continue;
        const struct mu_draft *draft = d->owner[i] < MU_OWNER_TORN ? d->drafts.items[d->owner[i]] : NULL;
        struct mu_pod_claims claims = mu_claims_of(&d->claims, pod, draft ? draft->object : NULL, d->arena);
        charge_pod(table, table->used, &table->charged, queue_of(d, i), pod, &claims, d->arena);
    }
    return table;
}

/* ------------------------------------------------------------------ within a cycle */

struct mu_quota_run *mu_quota_begin(const struct mu_groups *groups, struct mu_arena *arena) {
    const struct mu_quota_table *table = groups->quota;
    if (!table)
        return NULL;
    struct mu_quota_run *run = MU_NEW(arena, struct mu_quota_run);
    *run = (struct mu_quota_run){.table = table, .used = MU_NEW_ARRAY(arena, mu_i128, table->len), .arena = arena};
    memcpy(run->used, table->used, table->len * sizeof *run->used);
    mu_map_init(&run->charged, arena, 23);
    for (uint32_t i = 0; i < table->d->in->claims_len; i++) {
        const struct mu_claim *const *claim = &table->d->in->claims[i];
        if (mu_map_get(&table->charged, claim_key(claim), NULL))
            mu_map_put(&run->charged, claim_key(claim), 1);
    }
    return run;
}

/* What the account's siblings leave idle and lend. */
static mu_i128 lent_by_siblings(const struct mu_quota_run *run, uint32_t account) {
    const struct mu_quota_table *table = run->table;
    mu_i128 lent = 0;
    for (uint32_t i = 0; i < table->len; i++) {
        const struct account *sibling = &table->accounts[i];
        if (i == account || sibling->parent != table->accounts[account].parent)
            continue;
        mu_i128 idle = sibling->nominal - run->used[i];
        if (sibling->lending >= 0 && idle > sibling->lending)
            idle = sibling->lending;
        lent += idle > 0 ? idle : 0;
    }
    return lent;
}

static mu_i128 shortage(const struct mu_quota_run *run, uint32_t account, mu_i128 asked) {
    mu_i128 short_of = run->used[account] + asked - run->table->accounts[account].nominal;
    return short_of > 0 ? short_of : 0;
}

/* The first account on the path that cannot take so much more; NO_ACCOUNT: all can. What siblings do not lend must come
 * from what the parent borrows. */
static uint32_t refusing(const struct mu_quota_run *run, const struct path *path, mu_i128 asked) {
    for (uint32_t i = 0; i < path->len; i++) {
        const struct account *account = &run->table->accounts[path->accounts[i]];
        mu_i128 short_of = shortage(run, path->accounts[i], asked);
        if (short_of == 0)
            continue;
        if (account->parent == NO_ACCOUNT || (account->borrowing >= 0 && short_of > account->borrowing))
            return path->accounts[i];
        if (lent_by_siblings(run, path->accounts[i]) + shortage(run, account->parent, asked) < short_of)
            return path->accounts[i];
    }
    return NO_ACCOUNT;
}

/* ------------------------------------------------------------------ a group's minimum */

static int amount_cmp(const void *a, const void *b) {
    mu_i128 x = *(const mu_i128 *)a, y = *(const mu_i128 *)b;
    return x < y ? -1 : x > y;
}

/* The least of the resource that the unit can come off with: as many pods as it needs, those that ask least. Claims
 * that several of them share count once, with the first. */
static mu_i128 least_of_part(const struct mu_quota_run *run, const struct mu_part *part, mu_sym resource,
                             struct mu_arena *arena) {
    int64_t need = part->minimum - part->counted;
    if (need <= 0 && part->counted == 0)
        need = 1;
    mu_i128 *amounts = MU_NEW_ARRAY(arena, mu_i128, part->ready_len), sum = 0;
    struct mu_map charged;
    mu_map_init(&charged, arena, 24);
    for (uint32_t i = 0; i < part->ready_len; i++) {
        mu_i128 others = asked_by(run->table->d, part->ready[i], &part->ready_claims[i], resource, &run->charged);
        amounts[i] = asked_by(run->table->d, part->ready[i], &part->ready_claims[i], resource, &charged);
        amounts[i] = others < amounts[i] ? others : amounts[i];
        mark_charged(&charged, &part->ready_claims[i], arena);
    }
    if (part->ready_len)
        qsort(amounts, part->ready_len, sizeof *amounts, amount_cmp);
    for (uint32_t i = 0; i < part->ready_len && i < need; i++)
        sum += amounts[i];
    return sum;
}

static mu_i128 least(const struct mu_quota_run *run, const struct mu_unit *unit, mu_sym resource,
                     struct mu_arena *arena) {
    if (unit->part)
        return least_of_part(run, unit->part, resource, arena);
    mu_i128 sum = 0;
    for (uint32_t i = 0; i < unit->children_len; i++)
        sum += least(run, unit->children[i], resource, arena);
    return sum;
}

static struct mu_str amount_text(mu_i128 amount, struct mu_arena *arena) {
    return mu_str_printf(arena, "%lld", (long long)mu_sat_i64(amount));
}

static struct mu_str say(const struct mu_quota_run *run, uint32_t at, mu_i128 asked, struct mu_arena *arena) {
    const struct account *account = &run->table->accounts[at];
    const struct mu_symbols *symbols = run->table->d->symbols;
    struct mu_str queue = account->queue
                              ? mu_str_printf(arena, "queue " MU_STR_FMT, MU_STR_ARG(mu_text(symbols, account->queue)))
                              : MU_STR("all queues together");
    struct mu_str used = amount_text(run->used[at], arena), nominal = amount_text(account->nominal, arena),
                  more = amount_text(asked, arena);
    return mu_str_printf(arena,
                         MU_STR_FMT ": " MU_STR_FMT " of " MU_STR_FMT " " MU_STR_FMT " are in use, and " MU_STR_FMT
                                    " more are asked for%s",
                         MU_STR_ARG(queue), MU_STR_ARG(used), MU_STR_ARG(nominal),
                         MU_STR_ARG(mu_text(symbols, account->resource)), MU_STR_ARG(more),
                         account->borrowing == 0 || !account->queue ? "" : ", past what it can borrow");
}

struct mu_str mu_quota_refusal(struct mu_quota_run *run, const struct mu_group *group, const struct mu_unit *unit,
                               struct mu_arena *arena) {
    for (uint32_t a = 0; run && a < run->table->len; a++) {
        if (!is_root(run->table, a))
            continue;
        struct path path = path_of(run->table, group->queue, run->table->accounts[a].resource);
        mu_i128 asked = path.len ? least(run, unit, run->table->accounts[a].resource, arena) : 0;
        uint32_t at = asked > 0 ? refusing(run, &path, asked) : NO_ACCOUNT;
        if (at != NO_ACCOUNT)
            return say(run, at, asked, arena);
    }
    return (struct mu_str){NULL, 0};
}

/* ------------------------------------------------------------------ one pod */

static const struct mu_pod_claims *claims_of(const struct mu_unit *unit, const struct mu_pod *pod) {
    static const struct mu_pod_claims none = {.len = 0};
    for (uint32_t i = 0; unit->part && i < unit->part->ready_len; i++)
        if (unit->part->ready[i] == pod)
            return &unit->part->ready_claims[i];
    for (uint32_t i = 0; i < unit->children_len; i++) {
        const struct mu_pod_claims *found = claims_of(unit->children[i], pod);
        if (found != &none)
            return found;
    }
    return &none;
}

bool mu_quota_allows(struct mu_quota_run *run, const struct mu_group *group, const struct mu_pod *pod) {
    if (!run)
        return true;
    const struct mu_pod_claims *claims = claims_of(group->root, pod);
    for (uint32_t a = 0; a < run->table->len; a++) {
        if (!is_root(run->table, a))
            continue;
        struct path path = path_of(run->table, group->queue, run->table->accounts[a].resource);
        mu_i128 asked =
            path.len ? asked_by(run->table->d, pod, claims, run->table->accounts[a].resource, &run->charged) : 0;
        if (asked > 0 && refusing(run, &path, asked) != NO_ACCOUNT)
            return false;
    }
    return true;
}

void mu_quota_charge(struct mu_quota_run *run, const struct mu_group *group, const struct mu_pod *pod) {
    if (run)
        charge_pod(run->table, run->used, &run->charged, group->queue, pod, claims_of(group->root, pod), run->arena);
}
