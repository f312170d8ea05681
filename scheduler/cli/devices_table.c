/* The report for people: numbers by class, then place by place and card by card; see devices_report.h. */
#include "scheduler/cli/devices_report.h"
#include "scheduler/cli/table.h"

#include <inttypes.h>

enum {
    BAR = 10,          /* signs in a bar */
    BAR_MOST = 64,     /* of a bar with a sign for each counter */
    PLACES_ALONE = 40, /* with more places than so many, only numbers are shown of each */
    NAMES = 8,         /* nodes that are named together */
    FEW = 3,           /* names of parts that would fit as well */
    NOTES = 20,
    HEAD_MOST = 40, /* columns that names of devices are padded to */
};

/* A line about a card, a part or a resource, without its place. */
struct line {
    unsigned indent;
    enum mu_tone tone;
    struct mu_str head, last, state, rest; /* last: of a run of cards that are alike, "" */
};

struct block {
    uint32_t first;        /* place */
    MU_VEC(uint32_t) more; /* places that look the same */
    MU_VEC(struct line) lines;
    struct mu_str summary;
};

struct page {
    const struct mu_devices_report *report;
    struct mu_arena *arena;
    bool wide, brief;
    MU_VEC(struct block) blocks;
};

static struct mu_str text_of(const struct page *page, mu_sym sym) {
    return mu_text_printable(page->arena, mu_text(&page->report->store->symbols, sym));
}

static enum mu_tone tone_of(enum mu_left left) {
    static const enum mu_tone tones[MU_LEFT_COUNT] = {MU_TONE_GOOD, MU_TONE_WAIT, MU_TONE_PLAIN, MU_TONE_BAD,
                                                      MU_TONE_BAD};
    return tones[left];
}

/* ------------------------------------------------------------------ amounts */

/* "cores 80/100 [########--]" */
static void add_amount(const struct page *page, struct mu_buf *buf, struct mu_str name, mu_i128 used, mu_i128 total) {
    mu_i128 full = total <= 0 ? (used > 0 ? BAR : 0) : used >= total ? BAR : used <= 0 ? 0 : used * BAR / total;
    if (used > 0 && full == 0)
        full = 1;
    mu_buf_printf(buf, "%s" MU_STR_FMT " " MU_STR_FMT "/" MU_STR_FMT " [", buf->len > 0 ? ", " : "", MU_STR_ARG(name),
                  MU_STR_ARG(mu_device_amount(page->arena, used)), MU_STR_ARG(mu_device_amount(page->arena, total)));
    for (int i = 0; i < BAR; i++)
        mu_buf_add_char(buf, i < full ? '#' : '-');
    mu_buf_add_char(buf, ']');
}

/* "memory-slice-" of "memory-slice-3" */
static struct mu_str stem_of(struct mu_str name) {
    size_t len = name.len;
    while (len > 0 && name.ptr[len - 1] >= '0' && name.ptr[len - 1] <= '9')
        len--;
    return mu_str_slice(name, 0, len);
}

static bool is_single(const struct mu_report_counter *counter) {
    return counter->total == (mu_i128)1000000000;
}

/* The number of counters of one each from `first` on whose names differ in the number at their end: slices of memory
 * and the like. */
static uint32_t run_of_singles(const struct page *page, const struct mu_report_set *set, uint32_t first) {
    struct mu_str stem = stem_of(text_of(page, set->counters[first].name));
    uint32_t len = 0;
    while (first + len < set->counters_len && len < BAR_MOST && is_single(&set->counters[first + len])) {
        struct mu_str name = text_of(page, set->counters[first + len].name);
        if (stem.len == name.len || !mu_str_eq(stem_of(name), stem))
            break;
        len++;
    }
    return len > 1 ? len : 0;
}

/* "memory-slice 7/8 [#######-]": a sign for each, where it is. */
static void add_singles(const struct page *page, struct mu_buf *buf, const struct mu_report_set *set, uint32_t first,
                        uint32_t len) {
    struct mu_str stem = stem_of(text_of(page, set->counters[first].name));
    while (stem.len > 0 && (stem.ptr[stem.len - 1] == '-' || stem.ptr[stem.len - 1] == '_'))
        stem.len--;
    uint32_t used = 0;
    for (uint32_t i = first; i < first + len; i++)
        used += set->counters[i].left <= 0;
    mu_buf_printf(buf, "%s" MU_STR_FMT " %" PRIu32 "/%" PRIu32 " [", buf->len > 0 ? ", " : "", MU_STR_ARG(stem), used,
                  len);
    for (uint32_t i = first; i < first + len; i++)
        mu_buf_add_char(buf, set->counters[i].left <= 0 ? '#' : '-');
    mu_buf_add_char(buf, ']');
}

/* Counters of the card; all of them, or those that there is something to see of. */
static struct mu_str counters_text(const struct page *page, const struct mu_report_set *set) {
    struct mu_buf buf;
    mu_buf_init(&buf, page->arena);
    for (uint32_t i = 0; i < set->counters_len;) {
        uint32_t run = run_of_singles(page, set, i);
        const struct mu_report_counter *counter = &set->counters[i];
        if (run > 0)
            add_singles(page, &buf, set, i, run);
        else if (page->wide || counter->left < counter->total)
            add_amount(page, &buf, text_of(page, counter->name), counter->total - counter->left, counter->total);
        i += run > 0 ? run : 1;
    }
    return mu_buf_str(&buf);
}

static struct mu_str shares_text(const struct page *page, const struct mu_report_device *device) {
    struct mu_buf buf;
    mu_buf_init(&buf, page->arena);
    for (uint32_t c = 0; c < device->device->capacity_len; c++)
        if (page->wide || device->consumed[c] > 0)
            add_amount(page, &buf, text_of(page, device->device->capacity[c].name), device->consumed[c],
                       device->device->capacity[c].value.nano);
    return mu_buf_str(&buf);
}

/* ------------------------------------------------------------------ lines of a device */

static void add_line(const struct page *page, struct block *block, struct line line) {
    MU_VEC_PUSH(page->arena, &block->lines, line);
}

/* "ml/claim, used by pod a" */
static struct mu_str holder_text(const struct page *page, const struct mu_device_holder *holder) {
    const struct mu_claim *claim = holder->claim;
    struct mu_buf buf;
    mu_buf_init(&buf, page->arena);
    mu_buf_printf(&buf, MU_STR_FMT "/" MU_STR_FMT ", " MU_STR_FMT, MU_STR_ARG(text_of(page, claim->meta.namespace)),
                  MU_STR_ARG(text_of(page, claim->meta.name)),
                  MU_STR_ARG(mu_audit_users_text(&page->report->audit, claim)));
    for (uint32_t i = 0; i < holder->result->consumed_len; i++)
        mu_buf_printf(&buf, "%s" MU_STR_FMT " " MU_STR_FMT, i > 0 ? ", " : ": ",
                      MU_STR_ARG(text_of(page, holder->result->consumed[i].name)),
                      MU_STR_ARG(mu_device_amount(page->arena, holder->result->consumed[i].value.nano)));
    return mu_text_printable(page->arena, mu_buf_str(&buf));
}

static void add_part(struct mu_buf *buf, struct mu_str text) {
    if (text.len > 0 && buf->len > 0)
        mu_buf_add(buf, MU_STR("; "));
    mu_buf_add(buf, text);
}

/* "taint example.com/bad=yes:NoExecute (rule r)" */
static void add_taints(const struct page *page, struct mu_buf *buf, const struct mu_report_device *device) {
    static const char *const effects[] = {"", ":None", ":NoSchedule", ":NoExecute", ""};
    for (size_t i = 0; i < device->taints.len; i++) {
        const struct mu_device_taint_source *source = &device->taints.items[i];
        struct mu_str value = text_of(page, source->taint->value);
        add_part(buf, mu_str_printf(page->arena, "taint " MU_STR_FMT "%s" MU_STR_FMT "%s",
                                    MU_STR_ARG(text_of(page, source->taint->key)), value.len > 0 ? "=" : "",
                                    MU_STR_ARG(value), effects[source->taint->effect]));
        if (source->rule)
            mu_buf_printf(buf, " (rule " MU_STR_FMT ")", MU_STR_ARG(text_of(page, source->rule->meta.name)));
    }
}

/* What other drivers call the card, save where one of them has given it out: that is said already. */
static void add_twins(const struct page *page, struct mu_buf *buf, const struct mu_report_device *device) {
    for (size_t i = 0; i < device->twins.len; i++) {
        const struct mu_report_device *twin = &page->report->devices.items[device->twins.items[i]];
        if (device->why.len > 0 && twin->holders.len > 0)
            continue;
        add_part(buf, mu_str_printf(page->arena, "same card as " MU_STR_FMT " of " MU_STR_FMT,
                                    MU_STR_ARG(text_of(page, twin->device->name)),
                                    MU_STR_ARG(text_of(page, twin->slice->driver))));
    }
}

/* What is to be said of a device beside its state. The only holder of a whole device is named here. */
static struct mu_str device_text(const struct page *page, const struct mu_report_device *device) {
    struct mu_buf buf;
    mu_buf_init(&buf, page->arena);
    if (device->shares > 0 || (page->wide && device->device->shared))
        add_part(&buf, shares_text(page, device));
    if (device->holders.len == 1 && device->shares == 0)
        add_part(&buf, holder_text(page, &device->holders.items[0]));
    if (device->holders.len > 1 && device->whole > 0)
        add_part(&buf, mu_str_printf(page->arena, "GIVEN OUT %zu TIMES", device->holders.len));
    add_part(&buf, mu_text_printable(page->arena, device->why));
    add_taints(page, &buf, device);
    add_twins(page, &buf, device);
    return mu_buf_str(&buf);
}

/* Holders that have no room on the device's own line, and those with administrative access. */
static void add_holders(const struct page *page, struct block *block, const struct mu_report_device *device,
                        unsigned indent) {
    bool several = device->holders.len > 1 || device->shares > 0;
    for (size_t i = 0; several && i < device->holders.len; i++)
        add_line(page, block,
                 (struct line){.indent = indent,
                               .head = device->holders.items[i].result->share_id ? MU_STR("share") : MU_STR("claim"),
                               .rest = holder_text(page, &device->holders.items[i])});
    for (size_t i = 0; page->wide && i < device->watchers.len; i++)
        add_line(page, block,
                 (struct line){.indent = indent,
                               .head = MU_STR("admin"),
                               .tone = MU_TONE_DIM,
                               .rest = holder_text(page, &device->watchers.items[i])});
}

static void add_device(const struct page *page, struct block *block, const struct mu_report_device *device,
                       unsigned indent) {
    add_line(page, block,
             (struct line){.indent = indent,
                           .head = text_of(page, device->device->name),
                           .state = mu_str_from(mu_left_word(device->left)),
                           .tone = device->holders.len > 1 && device->whole > 0 ? MU_TONE_BAD : tone_of(device->left),
                           .rest = device_text(page, device)});
    add_holders(page, block, device, indent + 4);
}

/* ------------------------------------------------------------------ cards */

/* The parts that could still be had of a card that is in use: "fits too: a, b, c and 3 more". */
static void add_fitting(const struct page *page, struct block *block, const struct mu_report_card *card) {
    struct mu_buf buf;
    mu_buf_init(&buf, page->arena);
    size_t len = 0;
    for (size_t i = 0; i < card->devices.len; i++) {
        const struct mu_report_device *device = &page->report->devices.items[card->devices.items[i]];
        if (device->left != MU_LEFT_FREE)
            continue;
        if (len++ < FEW || page->wide)
            mu_buf_printf(&buf, "%s" MU_STR_FMT, len > 1 ? ", " : "", MU_STR_ARG(text_of(page, device->device->name)));
    }
    if (len > FEW && !page->wide)
        mu_buf_printf(&buf, " and %zu more", len - FEW);
    if (len > 0)
        add_line(
            page, block,
            (struct line){.indent = 6, .head = MU_STR("still fits"), .tone = MU_TONE_GOOD, .rest = mu_buf_str(&buf)});
}

static struct mu_str card_text(const struct page *page, const struct mu_report_card *card) {
    const struct mu_report_device *first = &page->report->devices.items[card->devices.items[0]];
    struct mu_buf buf;
    mu_buf_init(&buf, page->arena);
    add_part(&buf, counters_text(page, &page->report->sets.items[card->set]));
    for (size_t i = 0; i < first->twins.len; i++)
        if (page->report->devices.items[first->twins.items[i]].holders.len > 0) {
            add_part(&buf, mu_text_printable(page->arena, first->why));
            break;
        }
    add_twins(page, &buf, first);
    return mu_buf_str(&buf);
}

/* A card that is given out in parts: its counters, the parts in use below it, and what fits beside them. */
static void add_parts(const struct page *page, struct block *block, const struct mu_report_card *card) {
    const struct mu_report_device *first = &page->report->devices.items[card->devices.items[0]];
    add_line(page, block,
             (struct line){.indent = 4,
                           .head = text_of(page, first->device->name),
                           .state = mu_str_from(mu_left_word(card->left)),
                           .tone = tone_of(card->left),
                           .rest = card_text(page, card)});
    for (size_t i = 0; i < card->devices.len; i++) {
        const struct mu_report_device *device = &page->report->devices.items[card->devices.items[i]];
        if (device->holders.len > 0)
            add_device(page, block, device, 6);
        else
            add_holders(page, block, device, 6);
    }
    add_fitting(page, block, card);
}

static void add_card(const struct page *page, struct block *block, const struct mu_report_card *card) {
    if (card->devices.len == 1) {
        add_device(page, block, &page->report->devices.items[card->devices.items[0]], 4);
        return;
    }
    if (card->touched) {
        add_parts(page, block, card);
        return;
    }
    const struct mu_report_device *first = &page->report->devices.items[card->devices.items[0]];
    struct mu_str text = mu_str_printf(page->arena, "whole, or in parts: %zu devices", card->devices.len);
    struct mu_buf buf;
    mu_buf_init(&buf, page->arena);
    add_part(&buf, text);
    add_part(&buf, device_text(page, first));
    add_line(page, block,
             (struct line){.indent = 4,
                           .head = text_of(page, first->device->name),
                           .state = mu_str_from(mu_left_word(card->left)),
                           .tone = tone_of(card->left),
                           .rest = mu_buf_str(&buf)});
}

static bool is_alike(const struct line *a, const struct line *b) {
    return a->indent == b->indent && a->tone == b->tone && mu_str_eq(a->state, b->state) && mu_str_eq(a->rest, b->rest);
}

/* The second name is the first one counted on by one: gpu-3 and gpu-4. */
static bool is_next(struct mu_str a, struct mu_str b) {
    struct mu_str stem = stem_of(a);
    int64_t i, j;
    return mu_str_eq(stem, stem_of(b)) && mu_str_to_i64(mu_str_slice(a, stem.len, a.len), &i) &&
           mu_str_to_i64(mu_str_slice(b, stem.len, b.len), &j) && i < INT64_MAX && j == i + 1;
}

/* Cards that are numbered one after the other and of which the same is said become one line. */
static void add_or_join(const struct page *page, struct block *block, const struct mu_report_card *card) {
    size_t before = block->lines.len;
    add_card(page, block, card);
    if (page->wide || block->lines.len != before + 1 || before == 0)
        return;
    struct line *last = &block->lines.items[before - 1], *line = &block->lines.items[before];
    if (last->state.len > 0 && is_alike(last, line) &&
        is_next(last->last.len > 0 ? last->last : last->head, line->head)) {
        last->last = line->head;
        block->lines.len--;
    }
}

/* ------------------------------------------------------------------ places */

static void add_driver(const struct page *page, struct block *block, const struct mu_report_place *place,
                       const struct mu_slice *slice) {
    struct mu_str driver = text_of(page, slice->driver);
    struct mu_str head = slice->pool == place->node
                             ? driver
                             : mu_str_printf(page->arena, MU_STR_FMT ", pool " MU_STR_FMT, MU_STR_ARG(driver),
                                             MU_STR_ARG(text_of(page, slice->pool)));
    add_line(page, block, (struct line){.indent = 2, .head = head, .tone = MU_TONE_DIM});
}

static void add_cards(const struct page *page, struct block *block, const struct mu_report_place *place) {
    const struct mu_slice *slice = NULL;
    for (size_t i = 0; i < place->cards.len; i++) {
        const struct mu_report_card *card = &page->report->cards.items[place->cards.items[i]];
        if (!card->shown)
            continue;
        const struct mu_slice *own = page->report->devices.items[card->devices.items[0]].slice;
        if (!slice || slice->driver != own->driver || slice->pool != own->pool)
            add_driver(page, block, place, own);
        slice = own;
        add_or_join(page, block, card);
    }
}

/* "7 of 8 free, 1 in part"; what is taken is the rest. */
static struct mu_str counts_text(const struct page *page, struct mu_str name, const struct mu_left_counts *counts) {
    uint32_t total = 0;
    for (int left = 0; left < MU_LEFT_COUNT; left++)
        total += counts->of[left];
    if (total == 0)
        return MU_STR("");
    struct mu_buf buf;
    mu_buf_init(&buf, page->arena);
    mu_buf_printf(&buf, MU_STR_FMT " %" PRIu32 " of %" PRIu32 " free", MU_STR_ARG(name), counts->of[MU_LEFT_FREE],
                  total);
    for (int left = 0; left < MU_LEFT_COUNT; left++)
        if (counts->of[left] > 0 && left != MU_LEFT_FREE && left != MU_LEFT_NONE)
            mu_buf_printf(&buf, ", %" PRIu32 " %s", counts->of[left], mu_left_word((enum mu_left)left));
    return mu_buf_str(&buf);
}

static bool has_class(const struct page *page, const struct mu_report_card *card) {
    for (size_t i = 0; i < card->devices.len; i++)
        if (page->report->devices.items[card->devices.items[i]].classes.len > 0)
            return true;
    return false;
}

/* Cards that are of no class of the input, from *at on to the next driver's. */
static struct mu_str driver_counts(const struct page *page, const struct mu_report_place *place, size_t *at) {
    struct mu_left_counts counts = {{0}};
    mu_sym driver = 0;
    for (; *at < place->cards.len; ++*at) {
        const struct mu_report_card *card = &page->report->cards.items[place->cards.items[*at]];
        mu_sym own = page->report->devices.items[card->devices.items[0]].slice->driver;
        if (driver && own != driver)
            break;
        driver = own;
        if (card->counted && !has_class(page, card))
            counts.of[card->left]++;
    }
    return counts_text(page, mu_str_printf(page->arena, "driver " MU_STR_FMT, MU_STR_ARG(text_of(page, driver))),
                       &counts);
}

/* "gpu.nvidia.com 7 of 8 free, 1 in part; nvidia.com/gpu 8 of 8 free" */
static struct mu_str summary_of(const struct page *page, uint32_t index) {
    const struct mu_devices_report *report = page->report;
    const struct mu_report_place *place = &report->places.items[index];
    struct mu_buf buf;
    mu_buf_init(&buf, page->arena);
    for (uint32_t i = 0; i < report->store->device_classes.len && place->cards.len > 0; i++) {
        const struct mu_device_class *class = report->store->device_classes.items[i];
        if (report->class && report->class != class->meta.name)
            continue;
        const struct mu_left_counts counts = mu_devices_count(report, index, i);
        add_part(&buf, counts_text(page, text_of(page, class->meta.name), &counts));
    }
    for (size_t i = 0; i < place->cards.len;)
        add_part(&buf, driver_counts(page, place, &i));
    for (size_t i = 0; i < place->extended.len && report->class == 0; i++) {
        const struct mu_report_extended *extended = &place->extended.items[i];
        int64_t left = extended->used < extended->total ? extended->total - extended->used : 0;
        add_part(&buf, mu_str_printf(page->arena, MU_STR_FMT " %" PRId64 " of %" PRId64 " free",
                                     MU_STR_ARG(text_of(page, extended->resource)), left, extended->total));
    }
    return mu_buf_str(&buf);
}

static void add_extended(const struct page *page, struct block *block, const struct mu_report_extended *extended) {
    if (page->report->free_only && extended->used >= extended->total)
        return;
    struct mu_buf buf;
    mu_buf_init(&buf, page->arena);
    add_amount(page, &buf, MU_STR("used"), (mu_i128)extended->used * 1000000000, (mu_i128)extended->total * 1000000000);
    for (size_t i = 0; i < extended->pods.len && (i < NAMES || page->wide); i++) {
        const struct mu_meta *meta = &extended->pods.items[i]->meta;
        mu_buf_printf(&buf, "%s" MU_STR_FMT "/" MU_STR_FMT, i > 0 ? ", " : ", by pod ",
                      MU_STR_ARG(text_of(page, meta->namespace)), MU_STR_ARG(text_of(page, meta->name)));
    }
    if (extended->pods.len > NAMES && !page->wide)
        mu_buf_printf(&buf, " and %zu more", extended->pods.len - NAMES);
    enum mu_left left = extended->used <= 0                ? MU_LEFT_FREE
                        : extended->used < extended->total ? MU_LEFT_PARTLY
                                                           : MU_LEFT_NONE;
    add_line(page, block,
             (struct line){.indent = 2,
                           .head = text_of(page, extended->resource),
                           .state = mu_str_from(mu_left_word(left)),
                           .tone = tone_of(left),
                           .rest = mu_buf_str(&buf)});
}

static bool looks_same(const struct page *page, const struct block *a, const struct block *b) {
    if (!mu_str_eq(a->summary, b->summary) || a->lines.len != b->lines.len ||
        (page->report->places.items[a->first].node == 0) || (page->report->places.items[b->first].node == 0))
        return false;
    for (size_t i = 0; i < a->lines.len; i++)
        if (!is_alike(&a->lines.items[i], &b->lines.items[i]) ||
            !mu_str_eq(a->lines.items[i].head, b->lines.items[i].head) ||
            !mu_str_eq(a->lines.items[i].last, b->lines.items[i].last))
            return false;
    return true;
}

/* What is seen of a block, to find others that look the same. */
static struct mu_str look_of(const struct page *page, const struct block *block) {
    struct mu_buf buf;
    mu_buf_init(&buf, page->arena);
    mu_buf_add(&buf, block->summary);
    for (size_t i = 0; i < block->lines.len; i++) {
        const struct line *line = &block->lines.items[i];
        mu_buf_printf(&buf, "\n%u " MU_STR_FMT "\t" MU_STR_FMT "\t" MU_STR_FMT "\t" MU_STR_FMT, line->indent,
                      MU_STR_ARG(line->head), MU_STR_ARG(line->last), MU_STR_ARG(line->state), MU_STR_ARG(line->rest));
    }
    return mu_buf_str(&buf);
}

static void make_blocks(struct page *page) {
    struct mu_map seen;
    mu_map_init(&seen, page->arena, 1);
    for (size_t p = 0; p < page->report->places.len; p++) {
        uint32_t index = page->report->place_order[p];
        const struct mu_report_place *place = &page->report->places.items[index];
        if (!place->shown)
            continue;
        struct block block = {.first = index, .summary = summary_of(page, index)};
        if (!page->brief) {
            add_cards(page, &block, place);
            for (size_t i = 0; i < place->extended.len && page->report->class == 0; i++)
                add_extended(page, &block, &place->extended.items[i]);
        }
        struct mu_str look = look_of(page, &block);
        uint32_t same;
        if (!page->wide && mu_map_get(&seen, look, &same) && looks_same(page, &page->blocks.items[same], &block)) {
            MU_VEC_PUSH(page->arena, &page->blocks.items[same].more, index);
            continue;
        }
        mu_map_put(&seen, look, (uint32_t)page->blocks.len);
        MU_VEC_PUSH(page->arena, &page->blocks, block);
    }
}

/* ------------------------------------------------------------------ printing */

static struct mu_str reach_text(const struct page *page, const struct mu_report_place *place) {
    if (place->all_nodes)
        return MU_STR("reachable from all nodes");
    struct mu_buf buf;
    mu_buf_init(&buf, page->arena);
    mu_buf_add(&buf, MU_STR("reachable from "));
    for (size_t i = 0; i < place->nodes.len && (i < NAMES || page->wide); i++)
        mu_buf_printf(&buf, "%s" MU_STR_FMT, i > 0 ? ", " : "", MU_STR_ARG(text_of(page, place->nodes.items[i])));
    if (place->nodes.len > NAMES && !page->wide)
        mu_buf_printf(&buf, " and %zu more", place->nodes.len - NAMES);
    if (place->nodes.len == 0)
        mu_buf_add(&buf, MU_STR("no node of the input"));
    return mu_buf_str(&buf);
}

static struct mu_str title_of(const struct page *page, const struct block *block) {
    const struct mu_report_place *place = &page->report->places.items[block->first];
    if (!place->node)
        return reach_text(page, place);
    struct mu_buf buf;
    mu_buf_init(&buf, page->arena);
    mu_buf_add(&buf, text_of(page, place->node));
    for (size_t i = 0; i < block->more.len && i + 1 < NAMES; i++)
        mu_buf_printf(&buf, ", " MU_STR_FMT,
                      MU_STR_ARG(text_of(page, page->report->places.items[block->more.items[i]].node)));
    if (block->more.len + 1 > NAMES)
        mu_buf_printf(&buf, " and %zu more", block->more.len + 1 - NAMES);
    if (block->more.len > 0)
        mu_buf_printf(&buf, " (%zu nodes, each)", block->more.len + 1);
    return mu_buf_str(&buf);
}

static struct mu_str head_of(const struct page *page, const struct line *line) {
    if (line->last.len == 0)
        return line->head;
    return mu_str_printf(page->arena, MU_STR_FMT " .. " MU_STR_FMT, MU_STR_ARG(line->head), MU_STR_ARG(line->last));
}

static void pad(const struct mu_terminal *terminal, size_t have, size_t want) {
    if (have < want)
        fprintf(terminal->out, "%*s", (int)(want - have), "");
}

static void print_line(const struct page *page, const struct mu_terminal *terminal, const struct line *line,
                       size_t width) {
    enum { STATE = 10 };
    struct mu_str head = head_of(page, line);
    size_t column = line->indent + mu_text_columns(head);
    fprintf(terminal->out, "%*s", (int)line->indent, "");
    mu_print_toned(terminal, line->state.len == 0 ? line->tone : MU_TONE_PLAIN, head);
    bool more = line->state.len + line->rest.len > 0;
    if (line->state.len > 0 || line->indent > 2) {
        pad(terminal, column, more ? width : 0);
        column = column < width ? width : column;
    }
    if (line->state.len > 0) {
        fputs("  ", terminal->out);
        mu_print_toned(terminal, line->tone, line->state);
        column += 2 + line->state.len;
        pad(terminal, line->state.len, line->rest.len > 0 ? STATE : 0);
        column += line->rest.len > 0 && line->state.len < STATE ? STATE - line->state.len : 0;
    }
    if (line->rest.len > 0) {
        fputs("  ", terminal->out);
        mu_print_wrapped(terminal, line->rest, column + 2, line->indent + 4);
    }
    putc('\n', terminal->out);
}

static void print_block(const struct page *page, const struct mu_terminal *terminal, const struct block *block) {
    size_t width = 0;
    for (size_t i = 0; i < block->lines.len; i++) {
        const struct line *line = &block->lines.items[i];
        size_t columns = line->indent + mu_text_columns(head_of(page, line));
        if ((line->state.len > 0 || line->indent > 2) && columns > width && columns <= HEAD_MOST)
            width = columns;
    }
    struct mu_str title = title_of(page, block);
    mu_print_toned(terminal, MU_TONE_TITLE, title);
    fputs(": ", terminal->out);
    mu_print_wrapped(terminal, block->summary, mu_text_columns(title) + 2, 4);
    putc('\n', terminal->out);
    for (size_t i = 0; i < block->lines.len; i++)
        print_line(page, terminal, &block->lines.items[i], width);
}

static void set_number(const struct page *page, struct mu_table *table, struct mu_row *row, size_t column, uint32_t n,
                       enum mu_tone tone) {
    mu_row_set(table, row, column, mu_str_printf(page->arena, "%" PRIu32, n), n > 0 ? tone : MU_TONE_DIM);
}

static void print_classes(const struct page *page, const struct mu_terminal *terminal) {
    static const struct mu_column columns[] = {
        {.title = "CLASS", .shrinks = true},  {.title = "CARDS", .right = true}, {.title = "FREE", .right = true},
        {.title = "IN PART", .right = true},  {.title = "TAKEN", .right = true}, {.title = "TAINTED", .right = true},
        {.title = "UNUSABLE", .right = true}, {.title = "EXTENDED RESOURCE"}};
    enum { CLASS = 0, CARDS, FREE, EXTENDED = FREE + MU_LEFT_COUNT, COLUMNS_COUNT };
    struct mu_table table = {.arena = page->arena, .columns = columns, .columns_len = COLUMNS_COUNT};
    const struct mu_store *store = page->report->store;
    for (uint32_t i = 0; i < store->device_classes.len; i++) {
        const struct mu_device_class *class = store->device_classes.items[i];
        if (page->report->class && page->report->class != class->meta.name)
            continue;
        const struct mu_left_counts counts = mu_devices_count(page->report, UINT32_MAX, i);
        uint32_t total = 0;
        struct mu_row *row = mu_table_row(&table);
        mu_row_set(&table, row, CLASS, text_of(page, class->meta.name), MU_TONE_PLAIN);
        for (int left = 0; left < MU_LEFT_COUNT; left++) {
            set_number(page, &table, row, (size_t)(FREE + left), counts.of[left], tone_of((enum mu_left)left));
            total += counts.of[left];
        }
        set_number(page, &table, row, CARDS, total, MU_TONE_PLAIN);
        mu_row_set(&table, row, EXTENDED, text_of(page, class->extended_resource), MU_TONE_PLAIN);
    }
    if (table.rows.len == 0)
        return;
    mu_table_print(&table, terminal);
    putc('\n', terminal->out);
}

static void print_notes(const struct page *page, const struct mu_terminal *terminal) {
    for (size_t i = 0; i < page->report->notes.len && (i < NOTES || page->wide); i++) {
        const struct mu_report_note *note = &page->report->notes.items[i];
        if (i == 0)
            fputs("\nNotes\n", terminal->out);
        fputs("  ", terminal->out);
        mu_print_toned(terminal, note->wrong ? MU_TONE_BAD : MU_TONE_PLAIN, mu_str_from(note->kind));
        fputs(": ", terminal->out);
        mu_print_wrapped(terminal, mu_text_printable(page->arena, note->text), 4 + strlen(note->kind), 4);
        putc('\n', terminal->out);
    }
    if (page->report->notes.len > NOTES && !page->wide)
        fprintf(terminal->out, "  and %zu more (-o wide shows all)\n", page->report->notes.len - NOTES);
}

void mu_devices_print(const struct mu_devices_report *report, const struct mu_terminal *terminal, bool wide) {
    size_t shown = 0;
    for (size_t i = 0; i < report->places.len; i++)
        shown += report->places.items[i].shown;
    struct page page = {.report = report, .arena = report->arena, .wide = wide};
    page.brief = !wide && report->node == 0 && shown > PLACES_ALONE;
    print_classes(&page, terminal);
    make_blocks(&page);
    if (page.blocks.len == 0)
        fputs(report->free_only ? "Nothing is left.\n" : "There are no devices.\n", terminal->out);
    for (size_t i = 0; i < page.blocks.len; i++)
        print_block(&page, terminal, &page.blocks.items[i]);
    if (page.brief)
        fputs("\nOnly numbers of cards, since there are many nodes: -o wide or --node NAME shows who has them.\n",
              terminal->out);
    print_notes(&page, terminal);
}
