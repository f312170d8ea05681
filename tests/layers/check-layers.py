#!/usr/bin/env python3
"""Holds each folder to what it may use, and each C file to a few rules that a compiler does not know.

usage: check-layers.py ROOT          checks the project at ROOT, speaks TAP (one test point a folder and rule)
       check-layers.py --self-test   plants one violation after another in a small tree and expects it to be found

The rules, and where they are explained: docs/architecture.md. What is checked:
- a folder includes only folders and libraries that it may use; plugins see the core through framework.h alone;
- the core and the plugins are pure: no clock, file, process or thread header, no printing, no float;
- no file is longer than MAX_LINES;
- functions that write without a bound, or that read numbers without an error, are not called.
"""
import os
import re
import sys
import tempfile

MAX_LINES = 1000

FRAMEWORK = "scheduler/core/framework.h"

# folder -> what it may include: folders (everything below them) and single headers, all named from the root.
# The longest folder that holds a file decides. "" in the list means the whole project.
MAY_USE = {
    "scheduler/base": [],
    "scheduler/objects": ["scheduler/base"],
    "scheduler/devices": ["scheduler/base", "scheduler/objects"],
    "scheduler/core": ["scheduler/base", "scheduler/objects", "scheduler/devices"],
    "plugins": ["scheduler/base", "scheduler/objects", FRAMEWORK],
    "queue": ["scheduler/base", "scheduler/objects", "scheduler/core"],
    "config": ["scheduler/base", "scheduler/objects", "scheduler/core/settings.h", FRAMEWORK, "plugins/registry.h",
               "plugins/loader.h"],
    "scheduler/env": ["scheduler/base"],
    "scheduler/kube": ["scheduler/base", "scheduler/objects", "scheduler/env"],
    "scheduler/daemon": [""],
    "scheduler/cli": [""],
    "examples": ["scheduler/base", "scheduler/objects", FRAMEWORK],
    "tests": [""],
}

# Header -> the library that it belongs to, and the folders (or single files) that may include it.
LIBRARIES = {
    "jansson.h": ("jansson", ["scheduler/objects", "tests"]),
    "yaml.h": ("libyaml", ["scheduler/objects", "tests"]),
    "zlib.h": ("zlib", ["scheduler/objects", "tests"]),
    "re2/re2.h": ("RE2", ["scheduler/devices/cel/regex_shim.cc"]),
    "check.h": ("check", ["tests"]),
    # Comes with the compiler: the arena tells the address sanitizer what is in use.
    "sanitizer/asan_interface.h": ("the sanitizers' header", ["scheduler/base", "tests"]),
}

LIBC = set("""
    alloca.h arpa/inet.h assert.h complex.h ctype.h dirent.h dlfcn.h endian.h errno.h fcntl.h fenv.h float.h getopt.h
    glob.h inttypes.h iso646.h libgen.h limits.h locale.h malloc.h math.h netdb.h netinet/in.h poll.h pthread.h pwd.h
    regex.h sched.h setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h
    stdnoreturn.h string.h strings.h termios.h tgmath.h threads.h time.h uchar.h unistd.h wchar.h wctype.h
""".split())

# Decisions are a function of their input alone, so these folders have no way to look at anything else.
PURE = ["scheduler/core", "scheduler/devices", "plugins", "queue"]
IMPURE_HEADERS = re.compile(
    r"^(sys/.*|time|unistd|fcntl|pthread|threads|signal|math|fenv|float|locale|poll|dirent|netdb|netinet/.*)(\.h)?$")
IMPURE_CALLS = ("printf fprintf vprintf vfprintf puts putchar fputs fopen freopen open getenv setenv time clock "
                "clock_gettime gettimeofday rand srand random drand48 getrandom exit").split()
FLOAT = re.compile(r"\b(?:float|double)\b")
# CEL has floating point, and its costs are made of it: it stays in there.
MAY_FLOAT = ["scheduler/devices/cel"]

BANNED = {
    "strcpy": "it does not know how much room there is", "stpcpy": "it does not know how much room there is",
    "strcat": "it does not know how much room there is", "strncpy": "it may leave the text without an end",
    "strncat": "its bound is not the buffer's", "sprintf": "use snprintf or a string builder",
    "vsprintf": "use vsnprintf or a string builder", "gets": "it has no bound", "strtok": "it keeps state between calls",
    "atoi": "it cannot say that the text is no number", "atol": "it cannot say that the text is no number",
    "atoll": "it cannot say that the text is no number", "atof": "it cannot say that the text is no number",
    "alloca": "the stack's end is not checked",
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
# Comments, strings and character constants, so that what they hold is not taken for code.
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def blank(match):
    """What stands for a comment or a string: nothing but its line ends, so that line numbers stay."""
    text = match.group(0)
    return ("" if text[0] == "/" else text[0] * 2) + "\n" * text.count("\n")


def inside(path, place):
    return place == "" or path == place or path.startswith(place + "/")


def sources(root):
    for top in sorted(os.listdir(root)):
        if top.startswith(".") or top.startswith("build"):
            continue
        for folder, dirs, names in os.walk(os.path.join(root, top)):
            dirs.sort()
            for name in sorted(names):
                if name.endswith((".c", ".h", ".cc")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def home(path):
    """The folder of MAY_USE that a file belongs to, or None."""
    found = [f for f in MAY_USE if inside(path, f)]
    return max(found, key=len) if found else None


def check_file(root, path):
    """[(rule, line, what is wrong)] of one file."""
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
        text = f.read()
    bad = []
    lines = text.count("\n")
    if lines >= MAX_LINES:
        bad.append(("size", lines, "%d lines, fewer than %d are allowed: split it" % (lines, MAX_LINES)))

    folder = home(path)
    if folder is None:
        bad.append(("includes", 1, "no rule says what this folder may use: add it to MAY_USE"))
        return bad
    pure = any(inside(path, p) for p in PURE)
    uncommented = re.sub(r"/\*.*?\*/", blank, text, flags=re.S)
    for m in INCLUDE.finditer(uncommented):
        line = uncommented.count("\n", 0, m.start()) + 1
        quote, name = m.groups()
        if quote == '"':
            if name.startswith(".") or "/" not in name:
                bad.append(("includes", line, '"%s": name it from the root of the project' % name))
            elif not inside(name, folder) and not any(inside(name, p) for p in MAY_USE[folder]):
                allowed = ", ".join(MAY_USE[folder]) or "nothing but libc"
                bad.append(("includes", line, '"%s": %s may use %s' % (name, folder, allowed)))
        elif name in LIBRARIES:
            library, places = LIBRARIES[name]
            if not any(inside(path, p) for p in places):
                bad.append(("includes", line, "<%s>: %s is used by %s only" % (name, library, ", ".join(places))))
        elif name not in LIBC and not name.startswith("sys/"):
            bad.append(("includes", line, "<%s>: neither libc nor a library that the project uses" % name))
        elif pure and IMPURE_HEADERS.match(name):
            bad.append(("pure", line, "<%s>: decisions depend on nothing but their input" % name))

    code = NOT_CODE.sub(blank, text)
    for m in re.finditer(r"\b([a-z0-9_]+)[ \t]*\(", code):
        name, line = m.group(1), code.count("\n", 0, m.start()) + 1
        member = code[max(0, m.start() - 2):m.start()]
        if member.endswith((".", "->")):
            continue
        if name in BANNED:
            bad.append(("banned", line, "%s: %s" % (name, BANNED[name])))
        if pure and name in IMPURE_CALLS:
            bad.append(("pure", line, "%s(): decisions depend on nothing but their input" % name))
    if pure and not any(inside(path, p) for p in MAY_FLOAT):
        for m in FLOAT.finditer(code):
            bad.append(("pure", code.count("\n", 0, m.start()) + 1, "%s: numbers are exact integers" % m.group(0)))
    return bad


def check(root):
    """{(folder, rule): [text]} over the whole tree, with an empty list where all is well."""
    out = {}
    for path in sources(root):
        folder = home(path) or os.path.dirname(path)
        for rule in ("includes", "size", "banned") + (("pure",) if folder in PURE else ()):
            out.setdefault((folder, rule), [])
        for rule, line, what in check_file(root, path):
            out.setdefault((folder, rule), []).append("%s:%d: %s" % (path, line, what))
    return out


# Each: what it shows, path, text, and the rule that must speak up (None: nobody may).
PLANTED = [
    ("a folder that uses what it may", "scheduler/core/a.c",
     '#include "scheduler/base/err.h"\n#include "scheduler/core/b.h"\n#include <string.h>\n', None),
    ("a plugin on the framework", "plugins/a.c",
     '#include "scheduler/core/framework.h"\n#include "plugins/b.h"\n', None),
    ("a library where it belongs", "scheduler/objects/a.c", "#include <yaml.h>\n#include <jansson.h>\n", None),
    ("a banned name in a comment or a text", "scheduler/base/a.c",
     '/* not strcpy(a, b) */ const char *t = "sprintf(x)"; // atoi(y)\n', None),
    ("a member named like a function", "scheduler/core/a.c", "int f(void) { return ops->time(1) + x.open(2); }\n", None),
    ("printing into a buffer", "scheduler/core/a.c", "int f(char *b) { return snprintf(b, 1, 0); }\n", None),
    ("base climbs to objects", "scheduler/base/a.c", '#include "scheduler/objects/pod.h"\n', "includes"),
    ("objects climb to core", "scheduler/objects/a.h", '#include "scheduler/core/plan.h"\n', "includes"),
    ("core climbs to the plugins", "scheduler/core/a.c", '#include "plugins/registry.h"\n', "includes"),
    ("core climbs to the configuration", "scheduler/core/a.c", '#include "config/config.h"\n', "includes"),
    ("a plugin reaches behind the framework", "plugins/a.c", '#include "scheduler/core/snapshot.h"\n', "includes"),
    ("an example plugin reaches behind the framework", "examples/plugin/a.c",
     '#include "scheduler/core/snapshot.h"\n', "includes"),
    ("a name that only begins like a folder", "scheduler/core/a.c", '#include "scheduler/base-ment/x.h"\n', "includes"),
    ("a library where it does not belong", "scheduler/core/a.c", "#include <jansson.h>\n", "includes"),
    ("a library nobody may use yet", "scheduler/cli/a.c", "#include <uv.h>\n", "includes"),
    ("an include relative to the file", "scheduler/cli/a.c", '#include "../core/plan.h"\n', "includes"),
    ("an include without its folder", "scheduler/cli/a.c", '#include "plan.h"\n', "includes"),
    ("an include with odd blanks", "scheduler/base/a.c", ' # include\t"scheduler/core/plan.h"\n', "includes"),
    ("a folder that no rule knows", "scheduler/odd/a.c", "int x;\n", "includes"),
    ("the core looks at the clock", "scheduler/core/a.c", "#include <time.h>\n", "pure"),
    ("the core prints", "scheduler/core/a.c", 'void f(void) { printf("x"); }\n', "pure"),
    ("a plugin counts in floating point", "plugins/a.c", "static double x;\n", "pure"),
    ("CEL counts in floating point", "scheduler/devices/cel/a.c", "static double x;\n", None),
    ("RE2 outside its shim", "scheduler/devices/cel/a.c", "#include <re2/re2.h>\n", "includes"),
    ("a call without a bound", "scheduler/cli/a.c", "void f(char *a, char *b) { strcpy (a, b); }\n", "banned"),
    ("a number without an error", "tests/unit/a.c", "int f(char *a) { return atoi(a); }\n", "banned"),
    ("a file that is too long", "scheduler/base/a.c", "\n" * MAX_LINES, "size"),
    ("a file that is just short enough", "scheduler/base/a.c", "\n" * (MAX_LINES - 1), None),
]


def self_test():
    wrong = 0
    print("1..%d" % len(PLANTED))
    for i, (title, path, text, rule) in enumerate(PLANTED, 1):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.dirname(os.path.join(root, path)))
            with open(os.path.join(root, path), "w", encoding="utf-8") as f:
                f.write(text)
            spoke = sorted({r for (_, r), bad in check(root).items() if bad})
        ok = spoke == ([rule] if rule else [])
        wrong += not ok
        print("%sok %d - %s" % ("" if ok else "not ", i, title))
        if not ok:
            print("# expected %s, found %s" % (rule or "nothing", spoke or "nothing"))
    return 1 if wrong else 0


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        return self_test()
    found = check(sys.argv[1])
    if not found:
        sys.exit("%s: no C files below it" % sys.argv[1])
    print("1..%d" % len(found))
    for i, ((folder, rule), bad) in enumerate(sorted(found.items()), 1):
        print("%sok %d - %s: %s" % ("not " if bad else "", i, folder, rule))
        for b in bad:
            print("# " + b)
            sys.stderr.write(b + "\n")
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
