/* One attempt to place a group: its classes, and what every solver does to them. */
#include "scheduler/core/try.h"
#include "scheduler/core/devices.h"
#include <stdlib.h>

/* ------------------------------------------------------------------ classes */

struct member {
    const struct mu_pod *pod;
    struct mu_str key;
    uint32_t part, role, order;
};

static int member_cmp(const void *a, const void *b) {
    const struct member *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    int by_key = mu_str_cmp(x->key, y->key);
    return by_key ? by_key : x->order < y->order ? -1 : x->order > y->order;
}

static void key_bytes(struct mu_buf *key, const void *bytes, size_t len) {
    mu_buf_add(key, (struct mu_str){bytes, len});
}

static struct mu_str member_key(struct mu_try *t, const struct mu_pod *pod, uint32_t role) {
    struct mu_buf key;
    mu_buf_init(&key, t->arena);
    key_bytes(&key, &role, sizeof role);
    key_bytes(&key, &pod->spec->id, sizeof pod->spec->id);
    key_bytes(&key, &pod->meta.namespace, sizeof pod->meta.namespace);
    const struct mu_profile *profile = t->group->profile;
    for (uint32_t i = 0; i < profile->plugins_len; i++) {
        const struct mu_enabled_plugin *e = &profile->plugins[i];
        size_t before = key.len;
        if (e->plugin->distinguish)
            e->plugin->distinguish(&t->s->fw, e->state, pod, &key);
        if (key.len != before) { /* so that no two plugins' bytes can be taken for each other's */
            size_t len = key.len - before;
            key_bytes(&key, &i, sizeof i);
            key_bytes(&key, &len, sizeof len);
        }
    }
    return mu_buf_str(&key);
}

static void collect_parts(struct mu_try *t, const struct mu_unit *unit) {
    if (unit->part) {
        struct mu_try_part *p = &t->parts[t->parts_len++];
        p->part = unit->part;
        p->role_need = MU_NEW_ARRAY(t->arena, int64_t, unit->part->roles_len);
        return;
    }
    for (uint32_t i = 0; i < unit->children_len; i++)
        collect_parts(t, unit->children[i]);
}

static uint32_t count_parts(const struct mu_unit *unit) {
    uint32_t parts = unit->part != NULL;
    for (uint32_t i = 0; i < unit->children_len; i++)
        parts += count_parts(unit->children[i]);
    return parts;
}

static void set_needs(struct mu_try_part *p) {
    int64_t roles = 0;
    for (uint32_t r = 0; r < p->part->roles_len; r++) {
        int64_t need = p->part->roles[r].minimum - p->part->roles[r].counted;
        p->role_need[r] = need > 0 ? need : 0;
        roles += p->role_need[r];
    }
    p->need = p->part->minimum - p->part->counted;
    if (p->part->minimum <= 0 && p->part->counted <= 0) /* a group of nobody is not there, whatever its minimum says */
        p->need = 1;
    if (p->need < roles) /* the minimums of the roles hold even where the plain minimum asks for less */
        p->need = roles;
}

/* Distinct specs of the members, in the order of their names: what plugins see before there are classes. */
static void show_specs(struct mu_try *t, const struct member *members, uint32_t len) {
    const struct mu_pod_spec **specs = MU_NEW_ARRAY(t->arena, const struct mu_pod_spec *, len);
    struct mu_map seen;
    mu_map_init(&seen, t->arena, 4);
    t->s->fw.specs = specs;
    t->s->fw.specs_len = 0;
    for (uint32_t i = 0; i < len; i++) {
        struct mu_str key = {(const char *)&members[i].pod->spec->id, sizeof(uint32_t)};
        if (mu_map_get(&seen, key, NULL))
            continue;
        mu_map_put(&seen, key, 0);
        specs[t->s->fw.specs_len++] = members[i].pod->spec;
    }
}

static void class_begin(struct mu_try *t, const struct member *m, uint32_t pods_max) {
    struct mu_try_class *c = &t->classes[t->classes_len];
    c->cls = (struct mu_class){m->pod->spec, m->pod->meta.namespace,
                               (const struct mu_pod *const *)MU_NEW_ARRAY(t->arena, struct mu_pod *, pods_max), 0,
                               t->classes_len};
    c->slots = MU_NEW_ARRAY(t->arena, uint32_t, pods_max);
    c->key = m->key;
    c->part = m->part;
    c->role = m->role;
    if (!t->parts[m->part].classes_len++)
        t->parts[m->part].first_class = t->classes_len;
    t->classes_len++;
}

static void make_classes(struct mu_try *t, struct member *members, uint32_t len) {
    for (uint32_t i = 0; i < len; i++)
        members[i].key = member_key(t, members[i].pod, members[i].role);
    if (len)
        qsort(members, len, sizeof *members, member_cmp);
    t->classes = MU_NEW_ARRAY(t->arena, struct mu_try_class, len);
    for (uint32_t i = 0, end; i < len; i = end) {
        for (end = i + 1;
             end < len && members[end].part == members[i].part && mu_str_eq(members[end].key, members[i].key);)
            end++;
        class_begin(t, &members[i], end - i);
        struct mu_try_class *c = &t->classes[t->classes_len - 1];
        const struct mu_pod **pods = (const struct mu_pod **)(uintptr_t)c->cls.pods;
        for (uint32_t k = i; k < end; k++) {
            c->slots[c->cls.pods_len] = mu_snapshot_pod_slot(t->s, members[k].pod);
            pods[c->cls.pods_len++] = members[k].pod;
        }
    }
    t->class_list = MU_NEW_ARRAY(t->arena, const struct mu_class *, t->classes_len);
    for (uint32_t c = 0; c < t->classes_len; c++)
        t->class_list[c] = &t->classes[c].cls;
}

static struct mu_str slot_key(const uint32_t *slot) {
    return (struct mu_str){(const char *)slot, sizeof *slot};
}

/* Classes in the order of their first pods' names: nothing of how they were told apart may show. */
static int class_cmp(const void *a, const void *b) {
    const struct mu_try_class *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return x->cls.index < y->cls.index ? -1 : x->cls.index > y->cls.index;
}

static void order_classes(struct mu_try *t, uint32_t members) {
    struct mu_map numbers; /* by pod slot */
    uint32_t number = 0;
    mu_map_init(&numbers, t->arena, 5);
    for (uint32_t p = 0; p < t->parts_len; p++) {
        t->parts[p].first_ready = number;
        for (uint32_t i = 0; i < t->parts[p].part->ready_len; i++, number++) {
            t->ready_slot[number] = mu_snapshot_pod_slot(t->s, t->parts[p].part->ready[i]);
            mu_map_put(&numbers, slot_key(&t->ready_slot[number]), number);
        }
    }
    for (uint32_t c = 0; c < t->classes_len; c++)
        mu_map_get(&numbers, slot_key(&t->classes[c].slots[0]), &t->classes[c].cls.index);
    if (t->classes_len)
        qsort(t->classes, t->classes_len, sizeof *t->classes, class_cmp);
    t->class_of = MU_NEW_ARRAY(t->arena, uint32_t, members);
    t->place_in_class = MU_NEW_ARRAY(t->arena, uint32_t, members);
    for (uint32_t c = 0; c < t->classes_len; c++) {
        t->classes[c].cls.index = c;
        t->class_list[c] = &t->classes[c].cls;
        for (uint32_t i = 0; i < t->classes[c].cls.pods_len; i++) {
            mu_map_get(&numbers, slot_key(&t->classes[c].slots[i]), &number);
            t->class_of[number] = c;
            t->place_in_class[number] = i;
        }
    }
}

struct mu_try *mu_try_make(struct mu_snapshot *s, const struct mu_settings *settings, const struct mu_group *group,
                           struct mu_arena *arena) {
    struct mu_try *t = MU_NEW(arena, struct mu_try);
    t->s = s;
    t->settings = settings;
    t->group = group;
    t->arena = arena;
    t->steps = settings->step_budget;
    t->parts = MU_NEW_ARRAY(arena, struct mu_try_part, count_parts(group->root));
    collect_parts(t, group->root);
    uint32_t total = 0, len = 0;
    for (uint32_t p = 0; p < t->parts_len; p++)
        total += t->parts[p].part->ready_len;
    struct member *members = MU_NEW_ARRAY(arena, struct member, total);
    const struct mu_pod_claims **claims = MU_NEW_ARRAY(arena, const struct mu_pod_claims *, total);
    for (uint32_t p = 0; p < t->parts_len; p++) {
        const struct mu_part *part = t->parts[p].part;
        set_needs(&t->parts[p]);
        for (uint32_t i = 0; i < part->ready_len; i++, len++) {
            struct mu_snap_pod *pod = &s->pods[mu_snapshot_pod_slot(s, part->ready[i])];
            claims[len] = pod->claims = &part->ready_claims[i];
            members[len] = (struct member){part->ready[i], {NULL, 0}, p, part->ready_role[i], len};
        }
    }
    mu_derived_get(s);
    if (s->devices)
        mu_devices_begin(s->devices, group->queue, claims, len);
    show_specs(t, members, len);
    make_classes(t, members, len);
    t->ready_slot = MU_NEW_ARRAY(arena, uint32_t, len);
    order_classes(t, len);
    s->fw.classes = t->class_list;
    s->fw.classes_len = t->classes_len;
    t->prepared_list = MU_NEW_ARRAY(arena, struct mu_prepared *, t->classes_len);
    s->fw.prepared = t->prepared_list;
    s->fw.unplaced = 0;
    s->fw.tries++;
    t->placed.items = MU_NEW_ARRAY(arena, struct mu_placed, len);
    t->placed_class = MU_NEW_ARRAY(arena, uint32_t, len);
    s->fw.placed = t->placed.items;
    s->fw.placed_len = 0;
    return t;
}

void mu_try_rules_of(struct mu_try *t, uint32_t cls, unsigned rules) {
    struct mu_buf key;
    mu_buf_init(&key, t->arena);
    key_bytes(&key, &t->group->profile, sizeof t->group->profile);
    key_bytes(&key, &rules, sizeof rules);
    mu_buf_add(&key, t->classes[cls].key);
    t->classes[cls].prepared = mu_prepared_get(t->s, t->group->profile, rules, &t->classes[cls].cls, mu_buf_str(&key));
    t->prepared_list[cls] = t->classes[cls].prepared;
    t->s->fw.tries++;
}

void mu_try_rules(struct mu_try *t, unsigned rules) {
    t->rules = rules;
    for (uint32_t c = 0; c < t->classes_len; c++)
        mu_try_rules_of(t, c, rules);
}

void mu_try_refresh(struct mu_try *t) {
    for (uint32_t c = 0; c < t->classes_len; c++)
        mu_prepared_refresh(t->s, t->classes[c].prepared);
}

/* ------------------------------------------------------------------ placing */

static void count_need(struct mu_try *t, uint32_t cls, int by) {
    struct mu_try_part *p = &t->parts[t->classes[cls].part];
    uint32_t role = t->classes[cls].role;
    p->need += by;
    if (role != MU_NO_ROLE)
        p->role_need[role] += by;
}

void mu_try_place(struct mu_try *t, uint32_t cls, uint32_t node) {
    struct mu_try_class *c = &t->classes[cls];
    uint32_t i = c->placed++;
    t->placed_class[t->placed.len] = cls;
    t->placed.items[t->placed.len++] = (struct mu_placed){c->cls.pods[i], &c->cls, node};
    t->s->fw.placed_len = (uint32_t)t->placed.len;
    if (t->s->fw.unplaced)
        t->s->fw.unplaced--;
    else
        t->overplaced++;
    count_need(t, cls, -1);
    mu_snapshot_place(t->s, c->slots[i], node, c->prepared);
}

void mu_try_unplace(struct mu_try *t, size_t len) {
    while (t->placed.len > len) {
        uint32_t cls = t->placed_class[--t->placed.len];
        t->classes[cls].placed--;
        count_need(t, cls, 1);
        if (t->overplaced)
            t->overplaced--;
        else
            t->s->fw.unplaced++;
        t->s->fw.placed_len = (uint32_t)t->placed.len;
        mu_snapshot_rollback(t->s, mu_snapshot_mark(t->s) - 1);
    }
}

/* ------------------------------------------------------------------ needs */

bool mu_try_part_met(const struct mu_try_part *p) {
    if (p->need > 0)
        return false;
    for (uint32_t r = 0; r < p->part->roles_len; r++)
        if (p->role_need[r] > 0)
            return false;
    return true;
}

bool mu_try_done(const struct mu_try *t) {
    for (uint32_t p = 0; p < t->parts_len; p++)
        if (t->parts[p].open && !mu_try_part_met(&t->parts[p]))
            return false;
    return true;
}

void mu_try_expect(struct mu_try *t) {
    int64_t unplaced = 0;
    for (uint32_t p = 0; p < t->parts_len; p++)
        if (t->parts[p].open && t->parts[p].need > 0)
            unplaced += t->parts[p].need;
    for (uint32_t c = 0; t->generous && c < t->classes_len; c++)
        if (t->parts[t->classes[c].part].open)
            unplaced += mu_try_left(t, c);
    t->s->fw.unplaced = (uint32_t)mu_min(unplaced, UINT32_MAX);
    t->s->fw.tries++;
    t->overplaced = 0;
}

/* Pods of the part that its roles do not ask for by name. */
static int64_t free_need(const struct mu_try_part *p) {
    int64_t need = p->need;
    for (uint32_t r = 0; r < p->part->roles_len; r++)
        need -= p->role_need[r] > 0 ? p->role_need[r] : 0;
    return need > 0 ? need : 0;
}

int64_t mu_try_wanted(const struct mu_try *t, uint32_t cls) {
    const struct mu_try_part *p = &t->parts[t->classes[cls].part];
    uint32_t role = t->classes[cls].role;
    int64_t named = role == MU_NO_ROLE || p->role_need[role] < 0 ? 0 : p->role_need[role];
    int64_t wanted = named + free_need(p);
    int64_t left = mu_try_left(t, cls);
    return wanted < left && !t->generous ? wanted : left;
}

bool mu_try_permitted(struct mu_try *t) {
    const struct mu_profile *profile = t->group->profile;
    struct mu_arena_mark mark = mu_arena_mark(t->arena);
    bool permitted = true;
    t->s->fw.scratch = t->arena;
    for (uint32_t i = 0; i < profile->plugins_len && permitted; i++) {
        const struct mu_enabled_plugin *e = &profile->plugins[i];
        if (e->plugin->permit && (t->rules & MU_RULES_OF(e->plugin->stage)))
            permitted = !e->plugin->permit(&t->s->fw, e->state, t->placed.items, (uint32_t)t->placed.len).phrase;
    }
    mu_arena_rollback(t->arena, mark);
    return permitted;
}

int64_t mu_try_total(struct mu_try *t, uint32_t cls, int64_t enough) {
    const struct mu_try_class *c = &t->classes[cls];
    if (!c->mask || c->prepared->total == 0)
        return c->prepared->total;
    int64_t total = 0;
    for (size_t n = mu_bitset_next(c->mask, 0); n < c->mask->len && total < enough; n = mu_bitset_next(c->mask, n + 1))
        total += c->prepared->room[n];
    return total;
}

bool mu_try_hopeless_part(struct mu_try *t, uint32_t number) {
    const struct mu_try_part *part = &t->parts[number];
    if (mu_try_part_met(part))
        return false;
    uint32_t end = part->first_class + part->classes_len;
    int64_t can = 0;
    for (uint32_t r = 0; r < part->part->roles_len; r++) {
        int64_t of_role = 0;
        for (uint32_t c = part->first_class; c < end; c++)
            if (t->classes[c].role == r)
                of_role += mu_min(mu_try_left(t, c), mu_try_total(t, c, mu_try_left(t, c)));
        if (of_role < part->role_need[r])
            return true;
    }
    for (uint32_t c = part->first_class; c < end && can < part->need; c++)
        can += mu_min(mu_try_left(t, c), mu_try_total(t, c, mu_try_left(t, c)));
    return can < part->need;
}

bool mu_try_hopeless(struct mu_try *t) {
    for (uint32_t p = 0; p < t->parts_len; p++)
        if (t->parts[p].open && mu_try_hopeless_part(t, p))
            return true;
    return false;
}

uint32_t mu_try_next_by_name(const struct mu_try *t, uint32_t part, const bool *skip, uint32_t *from) {
    const struct mu_try_part *p = &t->parts[part];
    for (; *from < p->part->ready_len; (*from)++) {
        uint32_t cls = t->class_of[p->first_ready + *from];
        if (!skip[cls] && t->place_in_class[p->first_ready + *from] >= t->classes[cls].placed)
            return cls;
    }
    return MU_NO_SLOT;
}

uint32_t mu_try_pick(struct mu_try *t, uint32_t cls) {
    const struct mu_try_class *c = &t->classes[cls];
    struct mu_prepared *p = c->prepared;
    if (!c->mask && !p->related && !p->score_related)
        return mu_prepared_best(p);
    uint32_t best = MU_NO_SLOT;
    int64_t best_score = 0;
    const struct mu_derived *d = t->s->derived;
    for (uint32_t i = 0; i < d->nodes_len; i++) {
        uint32_t n = d->by_rank[i];
        if (!p->room[n] || !mu_try_allows(t, cls, n) || (p->related && mu_prepared_room(t->s, p, n) <= 0))
            continue;
        int64_t score = mu_prepared_score(t->s, p, n);
        if (best == MU_NO_SLOT || score > best_score) {
            best = n;
            best_score = score;
        }
    }
    return best;
}
