#!/usr/bin/env python3
"""Shows that run-cases.py, run-snapshots.py and check-cases fail when they must, with a muster that is made up."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ALL_PASS = "a: ok (0.01 s)\nb: ok (0.01 s)\n2 passed, 0 failed\n"
B_FAILS = "a: ok (0.01 s)\nb:\n    pod x: nowhere\n    pod y: nowhere\n1 passed, 1 failed\n"

# title, what check-cases says and its exit status, the list, more arguments, the exit status that is right, and a text
# that the output must hold
CASES = [
    ("all pass", ALL_PASS, 0, "", [], 0, "1..2"),
    ("a case fails", B_FAILS, 1, "", [], 1, "not ok 2 - b\n#   pod x: nowhere\n#   pod y: nowhere\n"),
    ("a listed case fails", B_FAILS, 1, "# head\n\nb  # devices\n", [], 0, "not ok 2 - b # TODO not yet: devices\n"),
    ("a listed case passes", ALL_PASS, 0, "b # devices\n", [], 1, "not ok 2 - b\n#   it passes"),
    ("a listed name is no case", ALL_PASS, 0, "c # devices\n", [], 1, "not ok 3 - c\n"),
    ("a listed name is elsewhere", ALL_PASS, 0, "c # devices\n", ["--extra"], 0, "1..2"),
    ("a listed name has no reason", B_FAILS, 1, "b\n", [], 1, "Bail out!"),
    ("a listed name is there twice", B_FAILS, 1, "b # x\nb # y\n", [], 1, "Bail out!"),
    ("the checker breaks off", "a: ok (0.01 s)\n", 1, "", [], 1, "Bail out!"),
    ("the checker was called wrongly", "", 2, "", [], 1, "Bail out!"),
    ("the checker says something else", "Traceback\n1 passed, 0 failed\n", 1, "", [], 1, "Bail out!"),
    ("no case at all", "0 passed, 0 failed\n", 0, "", [], 1, "Bail out!"),
]

# What the made-up muster decides on two pods and how it ends, the list, the right exit status, and a text.
SNAPSHOTS = [
    ("right decisions", ["Bind", "Pending"], 1, "", 0, "ok 2 - s.yaml d/one"),
    ("a wrong decision", ["Pending", "Pending"], 1, "", 1, "not ok 2 - s.yaml d/one\n"),
    ("a wrong decision that is listed", ["Pending", "Pending"], 1, "s.yaml d/one # devices\n", 0,
     "not ok 2 - s.yaml d/one # TODO not yet: devices\n"),
    ("a right decision that is listed", ["Bind", "Pending"], 1, "s.yaml d/one # devices\n", 1, "it passes"),
    ("a wrong exit status", ["Bind", "Pending"], 0, "", 1, "not ok 1 - s.yaml exit\n"),
    ("no plan", None, 2, "", 1, "no plan (exit 2)"),
    ("no plan where one decision is listed", None, 2, "s.yaml d/one # devices\n", 1, "not ok 3 - s.yaml d/two\n"),
    ("a name that is nothing", ["Bind", "Pending"], 1, "s.yaml d/three # devices\n", 1, "there is no such test"),
]


# What a case says beside its name, and a text that check-cases must say of it. The made-up muster plans one group, which
# releases claim d/c where the configuration has an a in it.
PAIR = "expect: {groups: {d/g: {releases: [d/c]}}}\n"
CHECKS = [
    ("a configuration is handed over", "config: {a: 1}\n" + PAIR, "releases claim d/c, which is not in the input"),
    ("a claim that is not released", "config: {b: 1}\n" + PAIR, "group d/g releases [], expected ['d/c']"),
    ("no configuration", PAIR, "exit status 2"),
    ("a claim that is released and must not be", "config: {a: 1}\nexpect: {groups: {d/g: {releases: []}}}\n",
     "group d/g releases ['d/c'], expected []"),
]


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, mode)


def run(script, *args):
    p = subprocess.run([sys.executable, os.path.join(HERE, script), *args], stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL, text=True)
    return p.returncode, p.stdout


def case(tmp, says, status, listed, more):
    tool, not_yet = os.path.join(tmp, "tool"), os.path.join(tmp, "list")
    write(tool, "import sys\nsys.stdout.write(%r)\nsys.exit(%d)\n" % (says, status))
    write(not_yet, listed)
    return run("run-cases.py", "muster", tool, tmp, not_yet, *more)


def snapshot(tmp, decisions, status, listed):
    """check-snapshots is the real one; check-cases agrees with everything."""
    tools = os.path.join(tmp, "tools")
    with open(os.path.join(HERE, "..", "tools", "check-snapshots"), encoding="utf-8") as f:
        write(os.path.join(tools, "check-snapshots"), f.read())
    write(os.path.join(tools, "check-cases"), "print('s.yaml: ok (0.01 s)')\nprint('1 passed, 0 failed')\n")
    groups = [{"kind": "Pod", "namespace": "d", "name": n, "decision": d, "pods": []}
              for n, d in zip(["one", "two"], decisions or [])]
    says = json.dumps({"groups": groups}) if decisions else ""
    muster = os.path.join(tmp, "muster")
    write(muster, "#!%s\nprint(%r)\nraise SystemExit(%d)\n" % (sys.executable, says, status), 0o755)
    want = [{"kind": "Pod", "namespace": "d", "name": "one", "decision": "Bind"},
            {"kind": "Pod", "namespace": "d", "name": "two", "decision": "Pending"}]
    write(os.path.join(tmp, "snapshots", "expect", "decisions.json"),
          json.dumps({"_format": "", "s.yaml": {"exit": 1, "groups": want}}))
    write(os.path.join(tmp, "snapshots", "s.yaml"), "items: []\n")
    write(os.path.join(tmp, "list"), listed)
    return run("run-snapshots.py", muster, tools, os.path.join(tmp, "snapshots"), os.path.join(tmp, "list"))


def check(tmp, says):
    """check-cases is the real one."""
    group = {"kind": "PodGroup", "namespace": "d", "name": "g", "decision": "Bind", "reason": "", "minCount": 0, "pods": []}
    plan = {"apiVersion": "scheduling.muster.dev/v1alpha1", "kind": "Plan", "groups": [group], "evictions": [],
            "summary": {}}
    muster = os.path.join(tmp, "muster")
    write(muster, "#!%s\nimport json, sys\nif '--config' not in sys.argv:\n    sys.exit(2)\nplan = %r\n"
          "if 'a' in json.load(open(sys.argv[sys.argv.index('--config') + 1])):\n"
          "    plan['groups'][0]['releases'] = [{'namespace': 'd', 'name': 'c'}]\nprint(json.dumps(plan))\n"
          % (sys.executable, plan), 0o755)
    write(os.path.join(tmp, "c.yaml"), "kind: Case\nmetadata: {name: c}\n" + says)
    return run("../tools/check-cases", muster, os.path.join(tmp, "c.yaml"), "-v")


def main():
    wrong = count = 0

    def point(title, got, status, text):
        nonlocal wrong, count
        count += 1
        ok = got[0] == status and text in got[1]
        wrong += not ok
        print("%sok %d - %s" % ("" if ok else "not ", count, title))
        if not ok:
            print("# exit %d, expected %d with %r; it said:" % (got[0], status, text))
            for line in got[1].splitlines():
                print("#   " + line)

    for title, says, ends, listed, more, status, text in CASES:
        with tempfile.TemporaryDirectory() as tmp:
            point("cases: " + title, case(tmp, says, ends, listed, more), status, text)
    for title, decisions, ends, listed, status, text in SNAPSHOTS:
        with tempfile.TemporaryDirectory() as tmp:
            point("snapshots: " + title, snapshot(tmp, decisions, ends, listed), status, text)
    for title, says, text in CHECKS:
        with tempfile.TemporaryDirectory() as tmp:
            point("check-cases: " + title, check(tmp, says), 1, text)
    with tempfile.TemporaryDirectory() as tmp:
        got = run("run-cases.py", "muster", os.path.join(tmp, "none"), os.path.join(tmp, "none"), "/dev/null", "--extra")
        point("cases: a folder that is not there", got, 0, "1..0 # SKIP")
    print("1..%d" % count)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
