/* Canonical forms: the pieces that objects are made of. */
#include "scheduler/objects/canon.h"
#include <inttypes.h>
#include <stdlib.h>

void mu_canon_init(struct mu_canon *c, struct mu_arena *arena, const struct mu_symbols *symbols, bool text) {
    mu_buf_init(&c->buf, arena);
    c->symbols = symbols;
    c->text = text;
}

/* Seven bits a byte, the last one below 128: no number's bytes are the beginning of another's. */
static void put_number(struct mu_canon *c, uint64_t number) {
    char bytes[10];
    size_t len = 0;
    for (; number >= 128; number >>= 7) {
        bytes[len++] = (char)(number | 128);
    }
    bytes[len++] = (char)number;
    mu_buf_add(&c->buf, (struct mu_str){bytes, len});
}

void mu_canon_int(struct mu_canon *c, int64_t number) {
    if (c->text) {
        mu_buf_printf(&c->buf, " %" PRId64, number);
    } else {
        put_number(c, (uint64_t)number);
    }
}

void mu_canon_sym(struct mu_canon *c, mu_sym sym) {
    if (c->text) {
        struct mu_str text = mu_text(c->symbols, sym);
        mu_buf_printf(&c->buf, " \"" MU_STR_FMT "\"", MU_STR_ARG(text));
    } else {
        put_number(c, sym);
    }
}

/* The beginning and end of a list: in the short form its length says both. */
static void open_list(struct mu_canon *c, size_t len) {
    if (c->text) {
        mu_buf_add(&c->buf, MU_STR(" ["));
    } else {
        mu_canon_int(c, (int64_t)len);
    }
}

static void close_list(struct mu_canon *c) {
    if (c->text) {
        mu_buf_add(&c->buf, MU_STR(" ]"));
    }
}

void mu_canon_list(struct mu_canon *c, const void *items, size_t len, size_t bytes_each, mu_canon_item_fn put) {
    open_list(c, len);
    for (size_t i = 0; i < len; i++) {
        put(c, (const char *)items + i * bytes_each);
    }
    close_list(c);
}

static int cmp_strs(const void *a, const void *b) {
    return mu_str_cmp(*(const struct mu_str *)a, *(const struct mu_str *)b);
}

void mu_canon_set(struct mu_canon *c, const void *items, size_t len, size_t bytes_each, mu_canon_item_fn put) {
    if (!c->text || len < 2) {
        mu_canon_list(c, items, len, bytes_each, put);
        return;
    }
    struct mu_str *texts = MU_NEW_ARRAY(c->buf.arena, struct mu_str, len);
    for (size_t i = 0; i < len; i++) {
        struct mu_canon item;
        mu_canon_init(&item, c->buf.arena, c->symbols, true);
        put(&item, (const char *)items + i * bytes_each);
        texts[i] = mu_canon_str(&item);
    }
    qsort(texts, len, sizeof *texts, cmp_strs);
    open_list(c, len);
    for (size_t i = 0; i < len; i++) {
        mu_buf_add(&c->buf, texts[i]);
    }
    close_list(c);
}

static void put_sym(struct mu_canon *c, const void *item) {
    mu_canon_sym(c, *(const mu_sym *)item);
}

void mu_canon_syms(struct mu_canon *c, const mu_sym *syms, size_t len) {
    mu_canon_list(c, syms, len, sizeof *syms, put_sym);
}

void mu_canon_sym_set(struct mu_canon *c, const mu_sym *syms, size_t len) {
    mu_canon_set(c, syms, len, sizeof *syms, put_sym);
}

static void put_label(struct mu_canon *c, const void *item) {
    const struct mu_label *label = item;
    mu_canon_sym(c, label->key);
    mu_canon_sym(c, label->value);
}

void mu_canon_labels(struct mu_canon *c, const struct mu_labels *labels) {
    mu_canon_set(c, labels->items, labels->len, sizeof *labels->items, put_label);
}

/* Gt and Lt: the number follows from the value. */
static void put_requirement(struct mu_canon *c, const void *item) {
    const struct mu_requirement *req = item;
    mu_canon_sym(c, req->key);
    mu_canon_int(c, (int64_t)req->op);
    mu_canon_sym_set(c, req->values, req->values_len);
}

static void put_selector(struct mu_canon *c, const struct mu_selector *selector) {
    mu_canon_set(c, selector->items, selector->len, sizeof *selector->items, put_requirement);
}

void mu_canon_selector(struct mu_canon *c, const struct mu_selector *selector) {
    mu_canon_int(c, selector != NULL);
    if (selector != NULL) {
        put_selector(c, selector);
    }
}

static void put_node_term(struct mu_canon *c, const void *item) {
    const struct mu_node_term *term = item;
    put_selector(c, &term->expressions);
    put_selector(c, &term->fields);
    mu_canon_int(c, term->weight);
}

void mu_canon_node_terms(struct mu_canon *c, const struct mu_node_term *terms, size_t len) {
    mu_canon_list(c, terms, len, sizeof *terms, put_node_term);
}

static void put_amount(struct mu_canon *c, const void *item) {
    const struct mu_amount *amount = item;
    mu_canon_sym(c, amount->resource);
    mu_canon_int(c, amount->amount);
}

void mu_canon_amounts(struct mu_canon *c, const struct mu_amount *amounts, size_t len) {
    mu_canon_set(c, amounts, len, sizeof *amounts, put_amount);
}

static void put_claim_use(struct mu_canon *c, const void *item) {
    const struct mu_claim_use *claim = item;
    mu_canon_sym(c, claim->name);
    mu_canon_sym(c, claim->claim);
    mu_canon_sym(c, claim->claim_template);
    mu_canon_int(c, claim->containers);
}

void mu_canon_claim_uses(struct mu_canon *c, const struct mu_claim_use *claims, size_t len) {
    mu_canon_list(c, claims, len, sizeof *claims, put_claim_use);
}

static void put_claim_status(struct mu_canon *c, const void *item) {
    const struct mu_claim_status *status = item;
    mu_canon_sym(c, status->name);
    mu_canon_sym(c, status->claim);
}

void mu_canon_claim_statuses(struct mu_canon *c, const struct mu_claim_status *statuses, size_t len) {
    mu_canon_list(c, statuses, len, sizeof *statuses, put_claim_status);
}

void mu_canon_meta(struct mu_canon *c, const struct mu_meta *meta) {
    mu_canon_sym(c, meta->namespace);
    mu_canon_sym(c, meta->name);
    mu_canon_sym(c, meta->uid);
    mu_canon_sym(c, meta->owner_uid);
    mu_canon_sym(c, meta->owner_kind);
    mu_canon_sym(c, meta->owner_name);
    mu_canon_int(c, meta->created_ns);
    mu_canon_int(c, meta->deleted_ns);
    mu_canon_int(c, meta->resource_version);
    mu_canon_labels(c, &meta->labels);
    mu_canon_labels(c, &meta->annotations);
    /* What is said of it may name fields of one API version. */
    mu_canon_int(c, meta->invalid.len > 0);
}
