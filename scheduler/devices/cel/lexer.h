/* The words of an expression (cel-spec, "Syntax"). */
#ifndef MU_DEVICES_CEL_LEXER_H
#define MU_DEVICES_CEL_LEXER_H

#include "scheduler/base/str.h"

enum mu_cel_token_kind {
    MU_CEL_T_END = 0,
    MU_CEL_T_NAME,
    MU_CEL_T_QUOTED_NAME, /* `a.b-c`, the text without its quotes */
    MU_CEL_T_INT,
    MU_CEL_T_UINT, /* the text without its u */
    MU_CEL_T_DOUBLE,
    MU_CEL_T_STRING, /* the text is what it means */
    MU_CEL_T_BYTES,
    MU_CEL_T_SIGN /* an operator or bracket; `in` too */
};

struct mu_cel_token {
    enum mu_cel_token_kind kind;
    uint32_t offset;
    struct mu_str text;
};

struct mu_cel_lexer {
    struct mu_arena *arena; /* of the strings whose escapes are resolved */
    struct mu_str text;
    size_t at;
};

/* Errors: MU_E_INVALID, the reason alone; ret->offset is where. */
int mu_cel_next(struct mu_cel_lexer *lexer, struct mu_cel_token *ret, struct mu_err *err) MU_MUST_USE;

#endif
