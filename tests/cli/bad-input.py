#!/usr/bin/env python3
"""Input that cannot be read, and output that cannot be written: exit status 2, nothing on standard output, one line on
standard error that says where and what.

usage: bad-input.py MUSTER
"""
import gzip
import os
import resource
import shutil
import subprocess
import sys

from blackbox import Result, Tap, environment, folder, refused, run, write

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ml}\nspec: {containers: [{name: c}]}\n"
NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: '4', pods: '9'}}\n"


def bomb():
    """Ten levels of ten aliases each: a kilobyte that means ten thousand million nodes."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for i in range(1, 10):
        lines.append("a%d: &a%d [%s]" % (i, i, ", ".join(["*a%d" % (i - 1)] * 10)))
    return "\n".join(lines) + "\n"


def pod(old, new):
    assert old in POD
    return POD.replace(old, new)


def versions():
    text = "---\n" + POD.replace("name: p,", "name: p, resourceVersion: '7',")
    return text + text.replace("{containers", "{nodeName: n, containers")


# title, file name, content, words that the line must have besides the file's name
FILES = [
    ("a mapping that does not end", "a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p\n", ["line"]),
    ("a string that does not end", "a.yaml", "apiVersion: v1\nkind: \"Pod\n", ["line"]),
    ("a list that ends in the middle", "a.yaml", POD + "  - [", ["line"]),
    ("tabs for indentation", "a.yaml", "apiVersion: v1\nmetadata:\n\tname: p\n", ["line 3"]),
    ("JSON that ends in the middle", "a.json", '{"apiVersion": "v1", "kind": "Pod", "metadata": {', ["line"]),
    ("JSON and more", "a.json", '{"apiVersion": "v1", "kind": "List", "items": []} }', []),
    ("a key twice", "a.yaml", "apiVersion: v1\nkind: Pod\nkind: Node\n", ["kind"]),
    ("an alias bomb", "a.yaml", bomb(), ["alias"]),
    ("an alias of nothing", "a.yaml", "apiVersion: *nothing\n", ["nothing"]),
    ("an alias in itself", "a.yaml", "a: &a [*a]\n", []),
    ("a NUL byte in YAML", "a.yaml", POD.encode().replace(b"name: p", b"name: p\0q"), []),
    ("a NUL byte in JSON", "a.json", b'{"apiVersion": "v1\0"}', []),
    ("an escaped NUL in JSON", "a.json", '{"apiVersion": "v1", "kind": "Po\\u0000d"}', []),
    ("nothing but NUL bytes", "a.yaml", b"\0" * 4096, []),
    ("UTF-8 that is cut", "a.yaml", POD.encode().replace(b"name: p", b"name: \xc3"), ["UTF-8"]),
    ("UTF-8 that is too long", "a.yaml", POD.encode().replace(b"name: p", b"name: \xc0\xaf"), ["UTF-8"]),
    ("Latin-1", "a.yaml", POD.encode().replace(b"name: p", b"name: \xe9t\xe9"), ["UTF-8"]),
    ("UTF-16", "a.yaml", POD.encode("utf-16"), []),
    ("a program", "a.yaml", open(sys.executable, "rb").read(65536), []),
    ("half of a gzip file", "a.yaml.gz", gzip.compress(os.urandom(4096))[:1000], []),
    ("a gzip file of something else", "a.yaml.gz", gzip.compress(b"\x89PNG\r\n\x1a\n\0\0"), []),
    ("an empty file", "a.yaml", b"", ["empty"]),
    ("comments only", "a.yaml", "# nothing\n---\n# here\n", ["no document"]),
    ("a text that is no object", "a.yaml", "just a sentence\n", []),
    ("a list of texts", "a.yaml", "- a\n- b\n", []),
    ("no kind", "a.yaml", "apiVersion: v1\nmetadata: {name: p}\n", ["kind"]),
    ("a kind that is a number", "a.yaml", "apiVersion: v1\nkind: 5\n", ["kind"]),
    ("no name", "a.yaml", pod("name: p, ", ""), ["metadata.name"]),
    ("labels that are a list", "a.yaml", pod("namespace: ml", "labels: [a]"), ["metadata.labels"]),
    ("a label that is a number", "a.yaml", pod("namespace: ml", "labels: {a: 1}"), ["metadata.labels"]),
    ("a spec that is a text", "a.yaml", pod("{containers: [{name: c}]}", "none"), ["spec"]),
    ("containers that are no list", "a.yaml", pod("[{name: c}]", "{name: c}"), ["spec.containers"]),
    ("a container that is a text", "a.yaml", pod("[{name: c}]", "[c]"), ["spec.containers[0]"]),
    ("a priority that is a text", "a.yaml", pod("{containers", "{priority: high, containers"), ["spec.priority"]),
    ("a priority with a fraction", "a.yaml", pod("{containers", "{priority: 1.5, containers"), ["spec.priority"]),
    ("a quantity that is none", "a.yaml", pod("{name: c}", "{name: c, resources: {requests: {cpu: lots}}}"),
     ["spec.containers[0].resources.requests", "cpu", "lots"]),
    ("a quantity with a wrong suffix", "a.yaml", pod("{name: c}", "{name: c, resources: {requests: {memory: 1GiB}}}"),
     ["memory", "1GiB"]),
    ("a quantity that is a list", "a.yaml", pod("{name: c}", "{name: c, resources: {requests: {cpu: [1]}}}"), ["cpu"]),
    ("a time that is none", "a.yaml", pod("namespace: ml", "creationTimestamp: yesterday"),
     ["metadata.creationTimestamp", "yesterday"]),
    ("a day that is none", "a.yaml", pod("namespace: ml", "creationTimestamp: '2026-02-30T00:00:00Z'"),
     ["metadata.creationTimestamp"]),
    ("an item of a list that is none", "a.yaml", "apiVersion: v1\nkind: List\nitems: [5]\n", ["items[0]"]),
    ("the second document", "a.yaml", POD + "---\n" + POD.replace("name: p", "name: 5"),
     ["document 2", "metadata.name"]),
    ("one version with two contents", "a.yaml", versions(), ["p"]),
    ("a name that steers the terminal", "a.yaml", pod("{containers: [{name: c}]}", "\"\\e[31m\\n\""), ["spec"]),
]

WORDS = [
    ("no input", ["plan"], ["muster plan -f"]),
    ("a file without -f", ["plan", "cluster.yaml"], ["muster plan -f cluster.yaml"]),
    ("a file that is not there", ["plan", "-f", "/nonexistent/a.yaml"], ["/nonexistent/a.yaml", "No such file"]),
    ("a path through a file", ["plan", "-f", "/dev/null/a.yaml"], ["/dev/null/a.yaml"]),
    ("nothing on standard input", ["plan", "-f", "-"], ["standard input"]),
    ("standard input twice", ["plan", "-f", "-", "-f", "-"], ["standard input"]),
    ("an option that is none", ["plan", "--outptu", "json"], ["--outptu", "--output"]),
    ("a form that is none", ["plan", "-f", "-", "-o", "xml"], ["xml", "json"]),
    ("an option without its value", ["plan", "-f"], ["-f"]),
    ("a time that is none", ["plan", "-f", "-", "--now", "noon"], ["--now", "noon"]),
    ("a configuration that is not there", ["plan", "-f", "-", "--config", "/nonexistent/m.yaml"], ["/nonexistent/m.yaml"]),
    ("a command that is none", ["paln"], ["paln", "muster plan"]),
    ("no command", [], ["muster plan -f"]),
    ("an option before the command", ["-x"], ["-x"]),
    ("help about nothing", ["help", "resons"], ["resons", "muster help reasons"]),
    ("completion for no shell", ["completion"], ["bash"]),
    ("completion for another shell", ["completion", "tcsh"], ["bash"]),
    ("a version of something", ["version", "it"], ["it"]),
    ("an audit of nothing", ["audit"], ["muster audit -f"]),
    ("devices of nothing", ["devices"], ["muster devices -f"]),
    ("devices of a file that is not there", ["devices", "-f", "/nonexistent/a.yaml"], ["/nonexistent/a.yaml"]),
    ("an audit of a file that is not there", ["audit", "-f", "/nonexistent/a.yaml"], ["/nonexistent/a.yaml"]),
]


def test_files(tap, muster):
    for title, name, content, words in FILES:
        with folder() as d:
            path = write(os.path.join(d, name), content)
            for args, where in ((["-f", path], path), (["-f", d], path), (["-f", "-"], "standard input")):
                if args[1] == d and name.endswith(".gz"):
                    continue
                stdin = content.encode() if isinstance(content, str) else content
                problems = refused(run(muster, "plan", *args, stdin=stdin), *(words + [where]))
                if problems:
                    break
            tap.point(title, problems)


def test_words(tap, muster):
    for title, args, words in WORDS:
        tap.point(title, refused(run(muster, *args), *words))


def test_folders(tap, muster):
    with folder() as d:
        tap.point("an empty folder", refused(run(muster, "plan", "-f", d), d))
        write(os.path.join(d, "README.md"), "no objects")
        os.mkdir(os.path.join(d, "below.yaml"))
        tap.point("a folder without objects", refused(run(muster, "plan", "-f", d), d))
    with folder() as d:
        bad = write(os.path.join(d, "b.yaml"), "a: [")
        write(os.path.join(d, "a.yaml"), POD)
        tap.point("one bad file among good ones", refused(run(muster, "plan", "-f", d), bad))
    with folder() as d:
        name = os.path.join(d, "a\n\033[31m.yaml")
        write(name, "a: [")
        tap.point("a file name of two lines", refused(run(muster, "plan", "-f", name)))
        tap.point("a file name of two lines that is not there", refused(run(muster, "plan", "-f", name + "x")))


def test_permission(tap, muster):
    title = "no permission"
    with folder() as d:
        os.chmod(d, 0o755)
        path = write(os.path.join(d, "a.yaml"), POD)
        os.chmod(path, 0)
        if os.geteuid() != 0:
            tap.point(title, refused(run(muster, "plan", "-f", path), path, "Permission denied"))
            return
        # root reads everything: as nobody then, with a copy of the program that nobody can reach.
        setpriv = shutil.which("setpriv")
        if not setpriv:
            tap.skip(title, "runs as root, and there is no setpriv to be somebody else")
            return
        program = shutil.copy(os.path.realpath(muster), os.path.join(d, "muster"))
        os.chmod(program, 0o755)
        r = run(setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", program, "plan", "-f", path)
        tap.point(title, refused(r, path, "Permission denied"))


def feed(muster, args, piece, times):
    """Runs the program with `piece` again and again on its standard input, and at most 2 GiB of memory."""
    sanitized = b"__asan_init" in open(os.path.realpath(muster), "rb").read()

    def limit():
        if not sanitized:  # which takes terabytes of addresses
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    p = subprocess.Popen([muster, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         env=environment(), preexec_fn=limit)
    try:
        for _ in range(times):
            p.stdin.write(piece)
        p.stdin.close()
    except BrokenPipeError:
        pass
    p.stdin = None
    out, err = p.communicate(timeout=120)
    return Result(p.returncode, out, err)


def test_size(tap, muster):
    megabyte = b"[" * (1 << 20)
    tap.point("200 MB of [", refused(feed(muster, ["plan", "-f", "-"], megabyte, 200), "standard input"))
    tap.point("200 MB of { in YAML", refused(feed(muster, ["plan", "-f", "-"], b"- {a: " * (1 << 17), 260)))
    with folder() as d:
        path = os.path.join(d, "a.json")
        os.mkfifo(path)
        writer = subprocess.Popen([sys.executable, "-c", "import os, signal, sys\n"
                                   "signal.signal(signal.SIGPIPE, signal.SIG_DFL)\n"
                                   "with open(sys.argv[1], 'wb') as f:\n"
                                   "    for _ in range(200): f.write(b'[' * (1 << 20))\n", path],
                                  stderr=subprocess.DEVNULL)
        tap.point("200 MB of [ as a JSON file", refused(run(muster, "plan", "-f", path), path))
        writer.kill()
        writer.wait()
    bomb_of_zeros = gzip.compress(b"a: b\n" + b" " * (64 << 20))
    tap.point("a gzip file that explodes into blanks", refused(run(muster, "plan", "-f", "-", stdin=bomb_of_zeros)))
    long_name = "apiVersion: v1\nkind: " + "x" * (17 << 20) + "\n"
    tap.point("a string of 17 MB", refused(run(muster, "plan", "-f", "-", stdin=long_name.encode()), "standard input"))


def test_output(tap, muster):
    cluster = (NODE + "---\n" + POD).encode()
    commands = [["plan", "-f", "-", "-o", form] for form in ("table", "wide", "json", "yaml")]
    commands += [["audit", "-f", "-"], ["audit", "-f", "-", "-o", "json"], ["devices", "-f", "-"],
                 ["devices", "-f", "-", "-o", "json"], ["version"], ["--version"], ["--help"],
                 ["help"], ["help", "reasons"], ["plan", "--help"], ["completion", "bash"]]
    for command in commands:
        with open("/dev/full", "wb") as full:
            r = run(muster, *command, stdin=cluster, stdout=full)
        tap.point("a full disk: %s" % " ".join(command), refused(r, "No space left on device"))
    r = run(muster, "plan", "-f", "-", stdin=cluster, stdout=None, preexec_fn=lambda: os.close(1))
    tap.point("no standard output at all", refused(r, "standard output"))


def test_closed_pipe(tap, muster):
    """A reader that went away has had what it wanted: no word, and the status of the plan."""
    cluster = (NODE + "---\n" + POD).encode()
    reader, writer = os.pipe()
    os.close(reader)
    r = run(muster, "plan", "-f", "-", "--all", stdin=cluster, stdout=writer)
    os.close(writer)
    tap.point("a pipe that nobody reads", [r] if r.status != 0 or r.err else [])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tap, muster = Tap(), os.path.abspath(sys.argv[1])
    for test in (test_words, test_files, test_folders, test_permission, test_size, test_output, test_closed_pipe):
        test(tap, muster)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
