// RE2 for C: nothing but the calls, with C++'s exceptions turned into results.
#include "scheduler/devices/cel/regex_shim.h"

#include <re2/re2.h>

struct mu_re2 {
    RE2 re;
    mu_re2(const re2::StringPiece &pattern, const RE2::Options &options) : re(pattern, options) {
    }
};

extern "C" struct mu_re2 *mu_re2_create(const char *pattern, size_t len, size_t memory_bytes) {
    try {
        RE2::Options options;
        options.set_log_errors(false);
        options.set_max_mem(static_cast<int64_t>(memory_bytes));
        return new mu_re2(re2::StringPiece(pattern, len), options);
    } catch (...) {
        return nullptr;
    }
}

extern "C" void mu_re2_destroy(struct mu_re2 *re) {
    delete re;
}

extern "C" const char *mu_re2_error(const struct mu_re2 *re) {
    return re->re.ok() ? nullptr : re->re.error().c_str();
}

extern "C" size_t mu_re2_size(const struct mu_re2 *re) {
    int size = re->re.ProgramSize();
    return size > 0 ? static_cast<size_t>(size) : 1;
}

extern "C" int mu_re2_find(const struct mu_re2 *re, const char *text, size_t len, size_t from, size_t *ret_start,
                           size_t *ret_end) {
    try {
        re2::StringPiece match;
        if (!re->re.Match(re2::StringPiece(text, len), from, len, RE2::UNANCHORED, &match, 1))
            return 0;
        *ret_start = static_cast<size_t>(match.data() - text);
        *ret_end = *ret_start + match.size();
        return 1;
    } catch (...) {
        return 0;
    }
}
