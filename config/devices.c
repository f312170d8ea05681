/* See devices.h. */
#include "config/devices.h"

enum {
    ATTRIBUTES_MAX = 32, /* every device is looked up by each of them */
    CLASSES_MAX = 1024,
    ATTRIBUTE_NAME_MAX = 32 /* Kubernetes' limit for what follows the domain */
};

/* A value of a field that is one of a few words. */
struct word {
    const char *word;
    int meaning;
};

/* `what` names all of the words: "Cluster or Node". */
static int read_word(const struct mu_config_at *at, const struct word *words, size_t words_len, const char *what,
                     int *ret) {
    int r = mu_config_want(at, MU_VALUE_STRING, what);
    if (r != 0)
        return r;
    for (size_t w = 0; w < words_len; w++)
        if (mu_str_eq(at->value->text, mu_str_from(words[w].word))) {
            *ret = words[w].meaning;
            return 0;
        }
    return mu_config_fail(at, "must be %s, not \"" MU_STR_FMT "\"", what, MU_STR_ARG(at->value->text));
}

static int want_list(const struct mu_config_at *at, size_t max) {
    int r = mu_config_want(at, MU_VALUE_ARRAY, "a list");
    if (r == 0 && at->value->array.len > max)
        r = mu_config_fail(at, "has %zu items; %zu is the most", at->value->array.len, max);
    return r;
}

/* ------------------------------------------------------------------ deviceIdentity */

struct identity {
    struct mu_arena *arena;
    struct mu_identity_attribute attribute;
};

static bool is_attribute_name(struct mu_str name) {
    if (name.len == 0 || name.len > ATTRIBUTE_NAME_MAX || (name.ptr[0] >= '0' && name.ptr[0] <= '9'))
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '_')
            return false;
    }
    return true;
}

static int read_attribute(void *ctx, const struct mu_config_at *at) {
    struct identity *identity = ctx;
    struct mu_str name;
    int r = mu_config_str(at, &name);
    if (r == 0 && mu_str_index(name, '/') >= 0)
        r = mu_config_fail(
            at, "must be a name without its domain, since each driver has a domain of its own, not " MU_STR_FMT,
            MU_STR_ARG(name));
    else if (r == 0 && !is_attribute_name(name))
        r = mu_config_fail(at, "must be the name of an attribute: letters, digits and _, %d at most, not " MU_STR_FMT,
                           ATTRIBUTE_NAME_MAX, MU_STR_ARG(name));
    if (r == 0)
        identity->attribute.name = mu_str_dup(identity->arena, name);
    return r;
}

static int read_scope(void *ctx, const struct mu_config_at *at) {
    static const struct word words[] = {{"Cluster", false}, {"Node", true}};
    struct identity *identity = ctx;
    int of_node;
    int r = read_word(at, words, sizeof words / sizeof words[0], "Cluster or Node", &of_node);
    if (r == 0)
        identity->attribute.of_node = of_node;
    return r;
}

static const struct mu_config_field identity_fields[] = {
    {"attribute", read_attribute, true},
    {"scope", read_scope, false},
};

int mu_config_device_identity(struct mu_arena *arena, const struct mu_config_at *at, struct mu_settings *settings) {
    int r = want_list(at, ATTRIBUTES_MAX);
    if (r != 0)
        return r;
    size_t len = at->value->array.len;
    struct mu_identity_attribute *attributes = MU_NEW_ARRAY(arena, struct mu_identity_attribute, len);
    for (size_t i = 0; i < len; i++) {
        const struct mu_config_at item = mu_config_item(at, i);
        struct identity identity = {.arena = arena};
        r = mu_config_object(&item, identity_fields, sizeof identity_fields / sizeof identity_fields[0], &identity);
        for (size_t before = 0; r == 0 && before < i; before++)
            if (mu_str_eq(attributes[before].name, identity.attribute.name))
                r = mu_config_fail(&item, "attribute: deviceIdentity[%zu] is " MU_STR_FMT " already", before,
                                   MU_STR_ARG(identity.attribute.name));
        if (r != 0)
            return r;
        attributes[i] = identity.attribute;
    }
    settings->identity = attributes;
    settings->identity_len = (uint32_t)len;
    settings->no_identity = len == 0;
    return 0;
}

/* ------------------------------------------------------------------ sharing */

struct sharing {
    struct mu_arena *arena;
    struct mu_sharing_setting rule;
};

static int read_class(void *ctx, const struct mu_config_at *at) {
    struct sharing *sharing = ctx;
    struct mu_str name;
    int r = mu_config_str(at, &name);
    if (r == 0)
        sharing->rule.class_name = mu_str_dup(sharing->arena, name);
    return r;
}

static int read_with(void *ctx, const struct mu_config_at *at) {
    static const struct word words[] = {{"any", MU_SHARING_ANY},
                                        {"queue", MU_SHARING_QUEUE},
                                        {"namespace", MU_SHARING_NAMESPACE}};
    struct sharing *sharing = ctx;
    int with;
    int r = read_word(at, words, sizeof words / sizeof words[0], "any, queue or namespace", &with);
    if (r == 0)
        sharing->rule.with = (enum mu_sharing_with)with;
    return r;
}

static const struct mu_config_field sharing_fields[] = {
    {"deviceClassName", read_class, true},
    {"with", read_with, true},
};

int mu_config_sharing(struct mu_arena *arena, const struct mu_config_at *at, struct mu_settings *settings) {
    int r = want_list(at, CLASSES_MAX);
    if (r != 0)
        return r;
    size_t len = at->value->array.len;
    struct mu_sharing_setting *rules = MU_NEW_ARRAY(arena, struct mu_sharing_setting, len);
    for (size_t i = 0; i < len; i++) {
        const struct mu_config_at item = mu_config_item(at, i);
        struct sharing sharing = {.arena = arena};
        r = mu_config_object(&item, sharing_fields, sizeof sharing_fields / sizeof sharing_fields[0], &sharing);
        for (size_t before = 0; r == 0 && before < i; before++)
            if (mu_str_eq(rules[before].class_name, sharing.rule.class_name))
                r = mu_config_fail(&item, "deviceClassName: sharing[%zu] is about " MU_STR_FMT " already", before,
                                   MU_STR_ARG(sharing.rule.class_name));
        if (r != 0)
            return r;
        rules[i] = sharing.rule;
    }
    settings->sharing = rules;
    settings->sharing_len = (uint32_t)len;
    return 0;
}
