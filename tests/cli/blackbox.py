"""What the black-box tests of the program share: running it, and speaking TAP."""
import os
import subprocess
import sys
import tempfile

TIMEOUT = 120


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __str__(self):
        return "status %s\nstdout: %r\nstderr: %r" % (self.status, self.out[:2000], self.err[:2000])


def environment():
    """The test's own environment, without what changes how tables look."""
    env = dict(os.environ)
    for name in ("COLUMNS", "NO_COLOR", "TERM"):
        env.pop(name, None)
    return env


def run(binary, *args, stdin=b"", stdout=subprocess.PIPE, cwd=None, env=None, preexec_fn=None):
    p = subprocess.run([binary, *args], input=stdin, stdout=stdout, stderr=subprocess.PIPE, timeout=TIMEOUT, cwd=cwd,
                       env=env or environment(), preexec_fn=preexec_fn)
    return Result(p.returncode, p.stdout or b"", p.stderr)


class Tap:
    """Test points as they come; the plan at the end."""

    def __init__(self):
        self.count, self.failed = 0, 0

    def point(self, title, problems):
        self.count += 1
        print("%sok %d - %s" % ("not " if problems else "", self.count, title.replace("#", "no. ")))
        if problems:
            self.failed += 1
            for p in problems:
                for line in str(p).splitlines():
                    print("# " + line)
        sys.stdout.flush()

    def skip(self, title, reason):
        self.count += 1
        print("ok %d - %s # SKIP %s" % (self.count, title, reason))

    def end(self):
        print("1..%d" % self.count)
        return 1 if self.failed else 0


def refused(result, *words):
    """What is wrong with a result that must be a refusal: status 2, nothing printed, one line that has all words."""
    bad = []
    if result.status != 2:
        bad.append("exit status %s, not 2" % result.status)
    if result.out:
        bad.append("something was printed on standard output")
    text = result.err.decode("utf-8", "replace")
    if text.count("\n") != 1 or not text.endswith("\n"):
        bad.append("%d lines on standard error, not one" % text.count("\n"))
    if any(ord(c) < 32 and c != "\n" for c in text):
        bad.append("control characters on standard error")
    bad += ["standard error does not say %r" % w for w in words if w not in text]
    return bad + [result] if bad else []


def folder():
    return tempfile.TemporaryDirectory(prefix="muster-cli-")


def write(path, content):
    if isinstance(content, str):
        content = content.encode()
    with open(path, "wb") as f:
        f.write(content)
    return path
