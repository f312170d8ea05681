/* One card, two drivers. */
#include "scheduler/devices/identity.h"

/* Names of cards in one key space: "u" and a uuid, "b", a node and a bus. Holdings are joined with the cards that they
 * name; a tree of parents, its roots are the cards. */
struct joining {
    struct mu_alloc *alloc;
    struct mu_map keys; /* to a holding of the card */
    uint32_t *parents;
};

static uint32_t root_of(struct joining *j, uint32_t holding) {
    while (j->parents[holding] != holding) {
        j->parents[holding] = j->parents[j->parents[holding]];
        holding = j->parents[holding];
    }
    return holding;
}

static void join(struct joining *j, uint32_t holding, struct mu_str key) {
    uint32_t other;
    if (!mu_map_get(&j->keys, key, &other)) {
        mu_map_put(&j->keys, mu_str_dup(j->alloc->scratch, key), holding);
        return;
    }
    uint32_t a = root_of(j, holding), b = root_of(j, other);
    /* The lower number is the root, so that nothing depends on the order of joining. */
    j->parents[a < b ? b : a] = a < b ? a : b;
}

static struct mu_str without_domain(struct mu_str name) {
    ptrdiff_t slash = mu_str_index(name, '/');
    return mu_str_slice(name, (size_t)(slash + 1), name.len);
}

/* NULL: the attribute says nothing of which card this is. */
static const struct mu_identity_attribute *identity_of(const struct mu_alloc_input *input, struct mu_str name) {
    static const struct mu_identity_attribute usual[] = {
        {{"uuid", 4}, false},
        {{"parentUUID", 10}, false},
        {{"pciBusID", 8}, true},
        {{"pcieBusID", 9}, true},
    };
    const struct mu_identity_attribute *list = input->identity_len > 0 ? input->identity : usual;
    size_t len = input->identity_len > 0 ? input->identity_len : sizeof usual / sizeof *usual;
    for (size_t i = 0; i < len; i++)
        if (mu_str_eq(list[i].name, name))
            return &list[i];
    return NULL;
}

static void join_attribute(struct joining *j, const struct mu_entry *entry, const struct mu_device_attribute *a,
                           struct mu_buf *key) {
    if (a->type != MU_ATTRIBUTE_STRING || a->text == 0)
        return;
    const struct mu_symbols *symbols = j->alloc->input.symbols;
    struct mu_str name = without_domain(mu_text(symbols, a->name)), value = mu_text(symbols, a->text);
    const struct mu_identity_attribute *identity = identity_of(&j->alloc->input, name);
    mu_buf_clear(key);
    if (identity == NULL)
        return;
    if (!identity->of_node) {
        mu_buf_add_char(key, 'u');
    } else {
        const struct mu_slice *slice = j->alloc->slices[entry->slice].slice;
        mu_sym node = slice->reach.node != 0 ? slice->reach.node : entry->device->reach.node;
        if (node == 0)
            return; /* a bus means nothing without its node */
        mu_buf_add_char(key, 'b');
        mu_buf_add(key, mu_text(symbols, node));
        mu_buf_add_char(key, '/');
    }
    mu_buf_add(key, value);
    join(j, entry->holding, mu_buf_str(key));
}

static mu_sym driver_of(const struct mu_alloc *alloc, uint32_t holding) {
    return mu_entry_slice(alloc, alloc->holdings.items[holding].first_entry)->driver;
}

/* The part of a card that this driver has; made where it is new. Parts of a card follow each other from `first`. */
static uint32_t part_of(struct mu_alloc *alloc, uint32_t card, uint32_t first, mu_sym driver) {
    for (uint32_t i = first; i < alloc->card_parts.len; i++)
        if (alloc->card_parts.items[i].card == card && alloc->card_parts.items[i].driver == driver)
            return i;
    MU_VEC_PUSH(alloc->arena, &alloc->card_parts, (struct mu_card_part){card, driver, 0});
    return (uint32_t)alloc->card_parts.len - 1;
}

/* Holdings of a card are listed one after the other: `next` links them from the root on. */
static void make_card(struct mu_alloc *alloc, const uint32_t *next, uint32_t root) {
    bool several = false;
    for (uint32_t h = root; h != MU_NO_INDEX; h = next[h])
        several = several || driver_of(alloc, h) != driver_of(alloc, root);
    if (!several)
        return;
    uint32_t card = (uint32_t)alloc->cards.len, first = (uint32_t)alloc->card_parts.len;
    MU_VEC_PUSH(alloc->arena, &alloc->cards, (struct mu_card){0});
    for (uint32_t h = root; h != MU_NO_INDEX; h = next[h])
        alloc->holdings.items[h].card_part = part_of(alloc, card, first, driver_of(alloc, h));
}

static void make_cards(struct joining *j) {
    struct mu_alloc *alloc = j->alloc;
    uint32_t len = (uint32_t)alloc->holdings.len;
    uint32_t *next = MU_NEW_ARRAY(alloc->scratch, uint32_t, len);
    for (uint32_t h = 0; h < len; h++)
        next[h] = MU_NO_INDEX;
    /* From the last on, so that each list is in the order of the holdings. */
    for (uint32_t h = len; h-- > 0;) {
        uint32_t root = root_of(j, h);
        if (root != h) {
            next[h] = next[root];
            next[root] = h;
        }
    }
    for (uint32_t h = 0; h < len; h++)
        if (root_of(j, h) == h)
            make_card(alloc, next, h);
}

void mu_cards_lay_out(struct mu_alloc *alloc) {
    struct mu_arena_mark mark = mu_arena_mark(alloc->scratch);
    struct joining j = {.alloc = alloc, .parents = MU_NEW_ARRAY(alloc->scratch, uint32_t, alloc->holdings.len)};
    mu_map_init(&j.keys, alloc->scratch, 1);
    for (uint32_t h = 0; h < alloc->holdings.len; h++)
        j.parents[h] = h;
    struct mu_buf key;
    mu_buf_init(&key, alloc->scratch);
    for (uint32_t e = 0; e < alloc->entries_len; e++)
        for (uint32_t a = 0; a < alloc->entries[e].device->attributes_len; a++)
            join_attribute(&j, &alloc->entries[e], &alloc->entries[e].device->attributes[a], &key);
    make_cards(&j);
    mu_arena_rollback(alloc->scratch, mark);
}

void mu_card_take(struct mu_alloc *alloc, const struct mu_holding *holding) {
    if (holding->card_part == MU_NO_INDEX)
        return;
    struct mu_card_part *part = &alloc->card_parts.items[holding->card_part];
    part->held++;
    alloc->cards.items[part->card].held++;
}

void mu_card_give(struct mu_alloc *alloc, const struct mu_holding *holding) {
    if (holding->card_part == MU_NO_INDEX)
        return;
    struct mu_card_part *part = &alloc->card_parts.items[holding->card_part];
    part->held--;
    alloc->cards.items[part->card].held--;
}

bool mu_card_is_others(const struct mu_alloc *alloc, const struct mu_holding *holding) {
    if (holding->card_part == MU_NO_INDEX)
        return false;
    const struct mu_card_part *part = &alloc->card_parts.items[holding->card_part];
    return alloc->cards.items[part->card].held > part->held;
}
