/* The words of an expression. Numbers keep their text; strings and bytes get their escapes resolved here, as whether an
 * escape is right depends on nothing but the word. */
#include "scheduler/devices/cel/lexer.h"
#include "scheduler/devices/cel/unicode.h"

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int hex_digit(char c) {
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The character `ahead` bytes on, or 0 past the end. */
static char peek(const struct mu_cel_lexer *lexer, size_t ahead) {
    return ahead < lexer->text.len - lexer->at ? lexer->text.ptr[lexer->at + ahead] : '\0';
}

static void skip_blanks(struct mu_cel_lexer *lexer) {
    for (;;) {
        char c = peek(lexer, 0);
        if (lexer->at < lexer->text.len && (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f')) {
            lexer->at++;
        } else if (c == '/' && peek(lexer, 1) == '/') {
            while (lexer->at < lexer->text.len && peek(lexer, 0) != '\n')
                lexer->at++;
        } else {
            return;
        }
    }
}

static void take(struct mu_cel_lexer *lexer, struct mu_cel_token *ret, enum mu_cel_token_kind kind, size_t len) {
    ret->kind = kind;
    ret->text = mu_str_slice(lexer->text, lexer->at, lexer->at + len);
    lexer->at += len;
}

/* ---- Numbers ---- */

static size_t digits_from(const struct mu_cel_lexer *lexer, size_t from) {
    while (is_digit(peek(lexer, from)))
        from++;
    return from;
}

/* The end of an exponent at `from`, or `from` where there is none. */
static size_t exponent_from(const struct mu_cel_lexer *lexer, size_t from) {
    if (peek(lexer, from) != 'e' && peek(lexer, from) != 'E')
        return from;
    size_t digits = from + 1;
    if (peek(lexer, digits) == '+' || peek(lexer, digits) == '-')
        digits++;
    size_t end = digits_from(lexer, digits);
    return end > digits ? end : from;
}

static void take_number(struct mu_cel_lexer *lexer, struct mu_cel_token *ret) {
    size_t len;
    bool is_double = false;
    if (peek(lexer, 0) == '0' && peek(lexer, 1) == 'x' && hex_digit(peek(lexer, 2)) >= 0) {
        len = 2;
        while (hex_digit(peek(lexer, len)) >= 0)
            len++;
    } else {
        len = digits_from(lexer, 0);
        if (peek(lexer, len) == '.' && is_digit(peek(lexer, len + 1))) {
            is_double = true;
            len = digits_from(lexer, len + 1);
        }
        size_t end = exponent_from(lexer, len);
        is_double = is_double || end > len;
        len = end;
    }
    if (!is_double && (peek(lexer, len) == 'u' || peek(lexer, len) == 'U')) {
        take(lexer, ret, MU_CEL_T_UINT, len);
        lexer->at++;
    } else {
        take(lexer, ret, is_double ? MU_CEL_T_DOUBLE : MU_CEL_T_INT, len);
    }
}

/* ---- Strings and bytes ---- */

struct literal {
    struct mu_buf out;
    bool raw, bytes;
    char quote;
    size_t quotes; /* 1 or 3 */
};

/* `digits` digits of the base from `at`; false where they are not there. */
static bool take_code(struct mu_cel_lexer *lexer, size_t digits, uint32_t base, uint32_t *ret) {
    uint32_t value = 0;
    for (size_t i = 0; i < digits; i++) {
        int digit = hex_digit(peek(lexer, i));
        if (digit < 0 || (uint32_t)digit >= base)
            return false;
        value = value * base + (uint32_t)digit;
    }
    lexer->at += digits;
    *ret = value;
    return true;
}

static void add_rune(struct mu_buf *out, uint32_t rune) {
    char bytes[4];
    mu_buf_add(out, (struct mu_str){bytes, mu_rune_put(bytes, rune)});
}

/* After a backslash. In bytes, \x and octal escapes are bytes; in strings, characters. */
static bool take_escape(struct mu_cel_lexer *lexer, struct literal *literal) {
    static const char simple[] = "abfnrtv\"'\\?`", meaning[] = "\a\b\f\n\r\t\v\"'\\?`";
    char c = peek(lexer, 0);
    const char *found = c == '\0' ? NULL : strchr(simple, c);
    if (found) {
        mu_buf_add_char(&literal->out, meaning[found - simple]);
        lexer->at++;
        return true;
    }
    uint32_t code;
    if (c >= '0' && c <= '3') {
        if (!take_code(lexer, 3, 8, &code))
            return false;
    } else if (c == 'x' || c == 'X') {
        lexer->at++;
        if (!take_code(lexer, 2, 16, &code))
            return false;
    } else if ((c == 'u' || c == 'U') && !literal->bytes) {
        lexer->at++;
        if (!take_code(lexer, c == 'u' ? 4 : 8, 16, &code) || code > MU_RUNE_MAX || (code >= 0xd800 && code < 0xe000))
            return false;
    } else {
        return false;
    }
    if (literal->bytes)
        mu_buf_add_char(&literal->out, (char)code);
    else
        add_rune(&literal->out, code);
    return true;
}

static bool at_end_quote(const struct mu_cel_lexer *lexer, const struct literal *literal) {
    for (size_t i = 0; i < literal->quotes; i++)
        if (peek(lexer, i) != literal->quote)
            return false;
    return true;
}

/* What is between the quotes. Line ends of all kinds become \n, as in upstream. */
static int take_body(struct mu_cel_lexer *lexer, struct literal *literal, struct mu_err *err) {
    while (!at_end_quote(lexer, literal)) {
        char c = peek(lexer, 0);
        if (lexer->at == lexer->text.len || (literal->quotes == 1 && (c == '\n' || c == '\r')))
            return mu_err_set(err, MU_E_INVALID, "a string without an end");
        lexer->at++;
        if (c == '\\' && !literal->raw) {
            if (!take_escape(lexer, literal))
                return mu_err_set(err, MU_E_INVALID, "an escape sequence that there is not");
        } else if (c == '\r') {
            lexer->at += peek(lexer, 0) == '\n';
            mu_buf_add_char(&literal->out, '\n');
        } else {
            mu_buf_add_char(&literal->out, c);
        }
    }
    lexer->at += literal->quotes;
    return 0;
}

/* The length of what may stand before a quote (r, b, br), where a quote follows; otherwise SIZE_MAX. */
static size_t string_prefix(const struct mu_cel_lexer *lexer, struct literal *literal) {
    size_t i = 0;
    if (peek(lexer, i) == 'b' || peek(lexer, i) == 'B') {
        literal->bytes = true;
        i++;
    }
    if (peek(lexer, i) == 'r' || peek(lexer, i) == 'R') {
        literal->raw = true;
        i++;
    }
    literal->quote = peek(lexer, i);
    return literal->quote == '"' || literal->quote == '\'' ? i : SIZE_MAX;
}

static int take_string(struct mu_cel_lexer *lexer, struct literal *literal, size_t prefix, struct mu_cel_token *ret,
                       struct mu_err *err) {
    mu_buf_init(&literal->out, lexer->arena);
    lexer->at += prefix;
    literal->quotes = 3;
    if (!at_end_quote(lexer, literal))
        literal->quotes = 1;
    lexer->at += literal->quotes;
    int r = take_body(lexer, literal, err);
    if (r < 0)
        return r;
    ret->kind = literal->bytes ? MU_CEL_T_BYTES : MU_CEL_T_STRING;
    ret->text = mu_buf_str(&literal->out);
    return 0;
}

/* ---- Names and signs ---- */

static int take_quoted_name(struct mu_cel_lexer *lexer, struct mu_cel_token *ret, struct mu_err *err) {
    lexer->at++;
    size_t len = 0;
    for (char c = peek(lexer, 0); is_letter(c) || is_digit(c) || (c != '\0' && strchr(".-/ ", c)); c = peek(lexer, len))
        len++;
    if (len == 0 || peek(lexer, len) != '`')
        return mu_err_set(err, MU_E_INVALID, "a quoted name that is none");
    take(lexer, ret, MU_CEL_T_QUOTED_NAME, len);
    lexer->at++;
    return 0;
}

static int take_sign(struct mu_cel_lexer *lexer, struct mu_cel_token *ret, struct mu_err *err) {
    static const char pairs[][3] = {"==", "!=", "<=", ">=", "&&", "||"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (peek(lexer, 0) == pairs[i][0] && peek(lexer, 1) == pairs[i][1]) {
            take(lexer, ret, MU_CEL_T_SIGN, 2);
            return 0;
        }
    }
    char c = peek(lexer, 0);
    if (c == '\0' || !strchr("<>[]{}().,-!?:+*/%", c))
        return mu_err_set(err, MU_E_INVALID, "token recognition error");
    take(lexer, ret, MU_CEL_T_SIGN, 1);
    return 0;
}

int mu_cel_next(struct mu_cel_lexer *lexer, struct mu_cel_token *ret, struct mu_err *err) {
    skip_blanks(lexer);
    *ret = (struct mu_cel_token){.offset = (uint32_t)lexer->at};
    char c = peek(lexer, 0);
    if (lexer->at == lexer->text.len)
        return 0;
    if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1)))) {
        take_number(lexer, ret);
        return 0;
    }
    struct literal literal = {0};
    size_t prefix = string_prefix(lexer, &literal);
    if (prefix != SIZE_MAX)
        return take_string(lexer, &literal, prefix, ret, err);
    if (c == '`')
        return take_quoted_name(lexer, ret, err);
    if (!is_letter(c))
        return take_sign(lexer, ret, err);
    size_t len = 1;
    while (is_letter(peek(lexer, len)) || is_digit(peek(lexer, len)))
        len++;
    take(lexer, ret, MU_CEL_T_NAME, len);
    if (mu_str_eq(ret->text, MU_STR("in")))
        ret->kind = MU_CEL_T_SIGN;
    return 0;
}
