/* Selectors: labels and requirements that are drawn from the input, against a model that knows nothing of sorting or
 * symbols. Input: pairs of bytes that become labels, then requirements, as far as it goes. */
#include "scheduler/objects/labels.h"
#include "tests/fuzz/fuzz.h"

enum { LABELS_MAX = 40, REQUIREMENTS_MAX = 6, VALUES_MAX = 4, WORDS = 16 };

/* Keys and values: numbers and what only looks like some. */
static const char *const words[WORDS] = {
    "",
    "a",
    "b",
    "metadata.name",
    "0",
    "1",
    "-1",
    "+7",
    "007",
    "1.5",
    "0x1",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "1e3",
    "zone",
};
/* What they are as int64, and whether. */
static const struct {
    bool is;
    int64_t value;
} numbers[WORDS] = {
    [4] = {true, 0}, [5] = {true, 1},          [6] = {true, -1},         [7] = {true, 7},
    [8] = {true, 7}, [11] = {true, INT64_MAX}, [13] = {true, INT64_MIN},
};

struct input {
    const uint8_t *data;
    size_t left;
};

static unsigned take(struct input *in, unsigned bound) {
    if (in->left == 0)
        return 0;
    in->left--;
    return *in->data++ % bound;
}

/* A requirement as words. */
struct rule {
    unsigned key, op, values[VALUES_MAX], values_len;
};

struct label_words {
    unsigned key, value;
};

static const struct label_words *find(const struct label_words *labels, size_t len, unsigned key) {
    for (size_t i = len; i > 0; i--) /* the later one counts */
        if (labels[i - 1].key == key)
            return &labels[i - 1];
    return NULL;
}

static bool rule_matches(const struct rule *rule, const struct label_words *labels, size_t len) {
    const struct label_words *label = find(labels, len, rule->key);
    bool in = false;
    for (unsigned i = 0; label != NULL && i < rule->values_len; i++)
        in = in || rule->values[i] == label->value;
    bool comparable = label != NULL && rule->values_len > 0 && numbers[rule->values[0]].is && numbers[label->value].is;
    switch ((enum mu_op)rule->op) {
    case MU_OP_IN:
        return in;
    case MU_OP_NOT_IN:
        return !in;
    case MU_OP_EXISTS:
        return label != NULL;
    case MU_OP_DOES_NOT_EXIST:
        return label == NULL;
    case MU_OP_GT:
        return comparable && numbers[label->value].value > numbers[rule->values[0]].value;
    case MU_OP_LT:
        return comparable && numbers[label->value].value < numbers[rule->values[0]].value;
    }
    return false;
}

static struct rule take_rule(struct input *in) {
    struct rule rule = {.key = take(in, WORDS), .op = take(in, 6), .values_len = take(in, VALUES_MAX + 1)};
    for (unsigned i = 0; i < rule.values_len; i++)
        rule.values[i] = take(in, WORDS);
    return rule;
}

static struct mu_requirement make_requirement(const struct rule *rule, const mu_sym *symbol_of, mu_sym *values) {
    for (unsigned i = 0; i < rule->values_len; i++)
        values[i] = symbol_of[rule->values[i]];
    return (struct mu_requirement){
        .key = symbol_of[rule->key],
        .op = (enum mu_op)rule->op,
        .values = values,
        .values_len = rule->values_len,
        .has_number = rule->values_len > 0 && numbers[rule->values[0]].is,
        .number = rule->values_len > 0 ? numbers[rule->values[0]].value : 0,
    };
}

static void check(struct mu_symbols *symbols, struct input *in) {
    mu_sym symbol_of[WORDS];
    for (unsigned i = 0; i < WORDS; i++) /* in an order of the input's choice, as symbols are sorted by number */
        (void)mu_intern(symbols, mu_str_from(words[take(in, WORDS)]));
    for (unsigned i = 0; i < WORDS; i++)
        symbol_of[i] = mu_intern(symbols, mu_str_from(words[i]));

    struct label_words labels[LABELS_MAX];
    struct mu_label items[LABELS_MAX];
    unsigned len = take(in, LABELS_MAX + 1);
    for (unsigned i = 0; i < len; i++) {
        labels[i] = (struct label_words){.key = take(in, WORDS), .value = take(in, WORDS)};
        items[i] = (struct mu_label){symbol_of[labels[i].key], symbol_of[labels[i].value]};
    }
    struct mu_labels sorted = mu_labels_sort(items, len);

    struct rule rules[REQUIREMENTS_MAX];
    struct mu_requirement requirements[REQUIREMENTS_MAX];
    mu_sym values[REQUIREMENTS_MAX][VALUES_MAX];
    uint32_t count = take(in, REQUIREMENTS_MAX + 1);
    bool all = true;
    for (uint32_t i = 0; i < count; i++) {
        rules[i] = take_rule(in);
        requirements[i] = make_requirement(&rules[i], symbol_of, values[i]);
        bool matches = rule_matches(&rules[i], labels, len);
        MU_ASSERT(mu_requirement_matches(&requirements[i], &sorted, symbols) == matches);
        all = all && matches;
    }
    struct mu_selector selector = {requirements, count};
    MU_ASSERT(mu_selector_matches(&selector, &sorted, symbols) == all);

    struct mu_node_term terms[2] = {[1] = {.expressions = selector}};
    MU_ASSERT(mu_node_terms_match(terms, 2, &sorted, symbol_of[1], symbols) == (all && count > 0));
    terms[1] = (struct mu_node_term){.fields = selector};
    struct label_words name = {.key = 3, .value = 1};
    bool fields = count > 0;
    for (uint32_t i = 0; i < count; i++)
        fields = fields && rule_matches(&rules[i], &name, 1);
    MU_ASSERT(mu_node_terms_match(terms, 2, &sorted, symbol_of[1], symbols) == fields);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct mu_arena *arena = mu_arena_create(0, NULL);
    MU_ASSERT(arena != NULL);
    struct mu_symbols symbols;
    mu_symbols_init(&symbols, arena, 0);
    struct input in = {data, size};
    check(&symbols, &in);
    mu_arena_destroy(arena);
    return 0;
}
