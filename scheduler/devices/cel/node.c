/* Making nodes of the tree, within its limits of number and depth. */
#include "scheduler/devices/cel/parser.h"

#include <stdio.h>

struct mu_cel_place mu_cel_place(struct mu_str text, uint32_t offset) {
    struct mu_cel_place place = {1, 1};
    for (size_t i = 0; i < offset && i < text.len; i++) {
        if (text.ptr[i] == '\n') {
            place.line++;
            place.column = 1;
        } else if (((unsigned char)text.ptr[i] & 0xc0) != 0x80) { /* columns are characters */
            place.column++;
        }
    }
    return place;
}

struct mu_cel_expr *mu_cel_parse_error(struct mu_cel_parser *p, uint32_t offset, const char *format, ...) {
    if (p->err == NULL || p->err->code != 0)
        return NULL; /* the first one is told */
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct mu_cel_place place = mu_cel_place(p->text, offset);
    (void)mu_err_set(p->err, MU_E_INVALID, "%u:%u: %s", place.line, place.column, text);
    return NULL;
}

struct mu_cel_expr *mu_cel_node(struct mu_cel_parser *p, enum mu_cel_expr_kind kind, uint32_t offset) {
    if (p->nodes >= MU_CEL_NODES_MAX)
        return mu_cel_parse_error(p, offset, "expression size exceeds limit: %d nodes", (int)MU_CEL_NODES_MAX);
    struct mu_cel_expr *node = MU_NEW(p->arena, struct mu_cel_expr);
    node->kind = kind;
    node->id = p->nodes++;
    node->offset = offset;
    node->depth = 1;
    return node;
}

static uint32_t deeper(uint32_t depth, const struct mu_cel_expr *part) {
    return part != NULL && part->depth > depth ? part->depth : depth;
}

struct mu_cel_expr *mu_cel_node_done(struct mu_cel_parser *p, struct mu_cel_expr *node) {
    uint32_t depth = 0;
    for (uint32_t i = 0; i < node->len; i++) {
        depth = deeper(depth, node->items[i]);
        if (node->values)
            depth = deeper(depth, node->values[i]);
    }
    if (node->fold) {
        const struct mu_cel_fold *f = node->fold;
        depth = deeper(deeper(deeper(deeper(deeper(depth, f->range), f->init), f->condition), f->step), f->result);
    }
    node->depth = depth + 1;
    if (node->depth > MU_CEL_DEPTH_MAX)
        return mu_cel_parse_error(p, node->offset, "expression recursion limit exceeded: %d", (int)MU_CEL_DEPTH_MAX);
    return node;
}

struct mu_cel_expr *mu_cel_node_literal(struct mu_cel_parser *p, uint32_t offset, struct mu_cel_val value) {
    struct mu_cel_expr *node = mu_cel_node(p, MU_CEL_LITERAL, offset);
    if (node)
        node->literal = value;
    return node;
}

struct mu_cel_expr *mu_cel_node_name(struct mu_cel_parser *p, uint32_t offset, struct mu_str name) {
    struct mu_cel_expr *node = mu_cel_node(p, MU_CEL_IDENT, offset);
    if (node)
        node->name = name;
    return node;
}

/* A node with those parts; NULL where one of them is. */
static struct mu_cel_expr *node_of(struct mu_cel_parser *p, enum mu_cel_expr_kind kind, uint32_t offset,
                                   struct mu_cel_expr *const *items, uint32_t len) {
    for (uint32_t i = 0; i < len; i++)
        if (items[i] == NULL)
            return NULL;
    struct mu_cel_expr *node = mu_cel_node(p, kind, offset);
    if (node == NULL)
        return NULL;
    node->items = MU_NEW_ARRAY(p->arena, struct mu_cel_expr *, len);
    for (uint32_t i = 0; i < len; i++)
        node->items[i] = items[i];
    node->len = len;
    return mu_cel_node_done(p, node);
}

struct mu_cel_expr *mu_cel_node_select(struct mu_cel_parser *p, uint32_t offset, struct mu_cel_expr *operand,
                                       struct mu_str field) {
    struct mu_cel_expr *node = node_of(p, MU_CEL_SELECT, offset, &operand, 1);
    if (node)
        node->name = field;
    return node;
}

struct mu_cel_expr *mu_cel_node_call(struct mu_cel_parser *p, uint32_t offset, struct mu_str function, bool member,
                                     struct mu_cel_expr *const *items, uint32_t len) {
    struct mu_cel_expr *node = node_of(p, MU_CEL_CALL, offset, items, len);
    if (node) {
        node->name = function;
        node->member = member;
    }
    return node;
}

struct mu_cel_expr *mu_cel_node_list(struct mu_cel_parser *p, uint32_t offset, struct mu_cel_expr *const *items,
                                     uint32_t len) {
    return node_of(p, MU_CEL_LIST, offset, items, len);
}

struct mu_cel_expr *mu_cel_node_fold(struct mu_cel_parser *p, uint32_t offset, const struct mu_cel_fold *fold) {
    if (!fold->range || !fold->init || !fold->condition || !fold->step || !fold->result)
        return NULL;
    struct mu_cel_expr *node = mu_cel_node(p, MU_CEL_FOLD, offset);
    if (node == NULL)
        return NULL;
    node->fold = MU_NEW(p->arena, struct mu_cel_fold);
    *node->fold = *fold;
    return mu_cel_node_done(p, node);
}

static struct mu_cel_expr **copy_all(struct mu_cel_parser *p, struct mu_cel_expr *const *items, uint32_t len) {
    struct mu_cel_expr **copies = MU_NEW_ARRAY(p->arena, struct mu_cel_expr *, len);
    for (uint32_t i = 0; i < len; i++) {
        copies[i] = mu_cel_node_copy(p, items[i]);
        if (copies[i] == NULL)
            return NULL;
    }
    return copies;
}

struct mu_cel_expr *mu_cel_node_copy(struct mu_cel_parser *p, const struct mu_cel_expr *node) {
    struct mu_cel_expr *copy = node ? mu_cel_node(p, node->kind, node->offset) : NULL;
    if (copy == NULL)
        return NULL;
    uint32_t id = copy->id;
    *copy = *node;
    copy->id = id;
    if (node->items && (copy->items = copy_all(p, node->items, node->len)) == NULL)
        return NULL;
    if (node->values && (copy->values = copy_all(p, node->values, node->len)) == NULL)
        return NULL;
    if (node->fold) {
        const struct mu_cel_fold *f = node->fold;
        struct mu_cel_fold *fold = MU_NEW(p->arena, struct mu_cel_fold);
        *fold = *f;
        fold->range = mu_cel_node_copy(p, f->range);
        fold->init = mu_cel_node_copy(p, f->init);
        fold->condition = mu_cel_node_copy(p, f->condition);
        fold->step = mu_cel_node_copy(p, f->step);
        fold->result = mu_cel_node_copy(p, f->result);
        if (!fold->range || !fold->init || !fold->condition || !fold->step || !fold->result)
            return NULL;
        copy->fold = fold;
    }
    return copy;
}
