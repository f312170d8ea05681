#!/usr/bin/env python3
"""Tests of the scripts, with a kubectl that is made up and logs that are written here. Speaks TAP.

usage: test-scripts.py ROOT
"""
import json
import os
import subprocess
import sys
import tempfile

import yaml

ROOT = os.path.abspath(sys.argv[1])
SCRIPTS = ["setup", "demo", "test", "bench", "fmt", "snapshot", "lib.sh", "../.ci/run"]

# A server with some kinds, one of them forbidden, and a group of APIs that does not answer.
KUBECTL = r"""#!/bin/bash
echo "$*" >>"$0.calls"
[[ $1 == --context ]] && shift 2
case $1:$2 in
api-resources:*)
    [[ -e $0.down ]] && { echo 'The connection to the server was refused' >&2; exit 1; }
    printf '%s\n' namespaces nodes pods secrets configmaps podgroups.scheduling.k8s.io disaggregatedsets.some.group \
        resourceslices.resource.k8s.io
    echo 'error: unable to retrieve the server APIs: metrics' >&2
    exit 1 ;;
get:resourceslices*) echo 'Error from server (Forbidden): resourceslices is forbidden' >&2; exit 1 ;;
get:*) printf 'apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: %s\n- apiVersion: v1\n  kind: %s\nkind: List\n' "$2" "$2" ;;
esac
"""

count = wrong = 0


def point(title, ok, said=""):
    global count, wrong
    count += 1
    wrong += not ok
    print("%sok %d - %s" % ("" if ok else "not ", count, title))
    if not ok:
        sys.stderr.write("%s\n%s\n" % (title, said))


def run(command, **env):
    p = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **env}, stdin=subprocess.DEVNULL)
    return p.returncode, p.stdout, p.stderr


def snapshot(tmp):
    script = os.path.join(ROOT, "script", "snapshot")
    kubectl = os.path.join(tmp, "kubectl")
    with open(kubectl, "w", encoding="utf-8") as f:
        f.write(KUBECTL)
    os.chmod(kubectl, 0o755)
    out = os.path.join(tmp, "out.yaml")

    status, _, err = run([script, out], KUBECTL=kubectl + " --context lab")
    point("snapshot: ends well", status == 0, err)
    with open(out, encoding="utf-8") as f:
        kinds = [o["kind"] for d in yaml.safe_load_all(f) for o in d["items"]]
    want = ["namespaces", "nodes", "podgroups.scheduling.k8s.io", "disaggregatedsets.some.group", "pods"]
    point("snapshot: has what the server has", kinds == [k for k in want for _ in range(2)], str(kinds))
    point("snapshot: names what the server lacks", "  deviceclasses.resource.k8s.io\n" in err, err)
    point("snapshot: names what is forbidden, and why", "  resourceslices.resource.k8s.io: Error from server" in err, err)
    with open(kubectl + ".calls", encoding="utf-8") as f:
        calls = f.read()
    point("snapshot: keeps kubectl's own arguments", all(c.startswith("--context lab ") for c in calls.splitlines()), calls)
    point("snapshot: never asks for Secrets or ConfigMaps", "secret" not in calls and "configmap" not in calls, calls)
    status, text, err = run([script, "-"], KUBECTL=kubectl)
    point("snapshot: to standard output", status == 0 and len(list(yaml.safe_load_all(text))) == 5, err)

    with open(kubectl + ".down", "w", encoding="utf-8"):
        pass
    other = os.path.join(tmp, "other.yaml")
    status, _, err = run([script, other], KUBECTL=kubectl)
    point("snapshot: says that there is no server", status == 1 and "connection to the server was refused" in err, err)
    point("snapshot: and leaves no file behind", not os.path.exists(other) and not os.path.exists(other + ".part"))
    status, _, err = run([script, other], KUBECTL="no-such-kubectl")
    point("snapshot: says that there is no kubectl", status == 1 and "no-such-kubectl is not installed" in err, err)


# What meson wrote, the status of `meson test`, the right exit status, and the lines that must come out.
LOGS = [
    ("plain tests", [("p:unit / a", "OK", ""), ("p:unit / b", "FAIL", ""), ("p:unit / c", "SKIP", "no kubectl\n")], 1, 1,
     ["failed: b (FAIL)", "skipped: 1: no kubectl", "1 passed, 1 failed, 1 skipped"]),
    ("test points", [("p:cases / a", "OK", "ok 1 - x\nok 2 y\nnot ok 3 - z # TODO not yet: devices\n1..3\n")], 0, 0,
     ["skipped: 1: not yet: devices", "2 passed, 0 failed, 1 skipped"]),
    ("a point that fails", [("p:cases / a", "ERROR", "1..2\nok 1 - x\nnot ok 2 - z\n# why\n")], 1, 1,
     ["failed: a: z", "1 passed, 1 failed, 0 skipped"]),
    ("a crash between points", [("p:cases / a", "ERROR", "1..2\nok 1 - x\n")], 1, 1,
     ["failed: a (ERROR)", "1 passed, 1 failed, 0 skipped"]),
    ("a point that is skipped", [("p:cases / a", "OK", "1..1\nok 1 - x # SKIP as root\n")], 0, 0,
     ["skipped: 1: as root", "0 passed, 0 failed, 1 skipped"]),
    ("a test that is skipped whole", [("p:cases / a", "SKIP", "1..0 # SKIP no server\n")], 0, 0,
     ["skipped: 1: no server", "0 passed, 0 failed, 1 skipped"]),
    ("too slow", [("p:cases / a", "TIMEOUT", "")], 1, 1, ["failed: a (TIMEOUT)", "0 passed, 1 failed, 0 skipped"]),
    ("meson failed without a word", [("p:unit / a", "OK", "")], 2, 1, ["1 passed, 1 failed, 0 skipped"]),
    ("no log", None, 0, 1, ["0 passed, 1 failed, 0 skipped"]),
]


def counting(tmp):
    script = os.path.join(ROOT, "tests", "tools", "count-tests.py")
    log = os.path.join(tmp, "testlog.json")
    for title, tests, ended, status, lines in LOGS:
        if os.path.exists(log):
            os.remove(log)
        if tests is not None:
            with open(log, "w", encoding="utf-8") as f:
                for name, result, out in tests:
                    f.write(json.dumps({"name": name, "result": result, "stdout": out}) + "\n")
        got = run([sys.executable, script, "--status", str(ended), log])
        said = got[1].splitlines()
        ok = got[0] == status and all(x in said for x in lines) and said[-1] == lines[-1]
        point("count: " + title, ok, "exit %d\n%s%s" % got)


def main():
    for name in SCRIPTS:
        status, _, err = run(["bash", "-n", os.path.join(ROOT, "script", name)])
        point("syntax: " + os.path.basename(name), status == 0, err)
    status, _, err = run([os.path.join(ROOT, "script", "setup"), "everything"])
    point("setup: refuses what it does not know", status == 1 and "usage" in err, err)
    with tempfile.TemporaryDirectory() as tmp:
        snapshot(tmp)
        counting(tmp)
    print("1..%d" % count)
    return 1 if wrong else 0


sys.exit(main())
