#!/usr/bin/env python3
"""Plans the snapshots of real clusters and compares the plans with what is right for them. Speaks TAP.

usage: run-snapshots.py MUSTER TOOLS FOLDER NOT_YET

TOOLS is the folder of check-snapshots and check-cases, FOLDER that of the snapshots. The test points, by name:
  SNAPSHOT exit | evictions      exit status, number of evictions
  SNAPSHOT NAMESPACE/NAME        the decision on a group, as expect/decisions.json has it
  SNAPSHOT sound                 what any plan must obey, and the same plan for any order of the objects (check-cases)
  SNAPSHOT same-as OTHER         two dumps of the same moment give the same plan
  SNAPSHOT complete              every pending pod is in the plan, once
NOT_YET names points that do not pass yet, as for run-cases.py.
"""
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
SPEC = importlib.util.spec_from_file_location("run_cases", os.path.join(HERE, "run-cases.py"))
sys.dont_write_bytecode = True
run_cases = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(run_cases)

SAME = [("k3s-l40s-v1beta1.yaml", "k3s-l40s.yaml")]
# Number of groups and of pending pods, known from how the snapshot was made.
COMPLETE = {"large.json.gz": (125, 1000)}
# Too long for a reader written in Python, four times over.
NOT_SOUND = {"large.json.gz"}


def expected(folder):
    with open(os.path.join(folder, "expect", "decisions.json"), encoding="utf-8") as f:
        return {k: v for k, v in json.load(f).items() if not k.startswith("_")}


def decisions(points, muster, tool, folder, expect):
    """One point a group, out of what check-snapshots says is wrong."""
    names = []
    for snapshot, want in expect.items():
        names += [(snapshot, key) for key in ("exit", "evictions") if key in want]
        names += [(snapshot, "%s/%s" % (g["namespace"], g["name"])) for g in want.get("groups", [])]
    run = subprocess.run([sys.executable, tool, muster, folder], stdout=subprocess.PIPE, text=True)
    lines = run.stdout.splitlines()
    if run.returncode not in (0, 1) or not lines or not re.fullmatch(r"\d+ passed, \d+ failed", lines[-1]):
        run_cases.bail("check-snapshots ended with status %d and said %r" % (run.returncode, lines[-1:]))
    faults = {}
    for line in lines[:-1]:
        snapshot, _, text = line.partition(": ")
        if text.startswith("no plan"):
            keys = [n for n in names if n[0] == snapshot]
        elif re.match(r"exit \d+, expected", text):
            keys = [(snapshot, "exit")]
        elif re.match(r"\d+ evictions, expected", text):
            keys = [(snapshot, "evictions")]
        else:
            keys = [n for n in names if n[0] == snapshot and text.startswith(n[1] + ": ")]
        if not keys and snapshot not in expect:
            run_cases.bail("check-snapshots said %r" % line)
        for key in keys or [(snapshot, "plan")]:
            faults.setdefault(key, []).append(text)
    for key in dict.fromkeys(names + list(faults)):
        points.point("%s %s" % key, faults.get(key, []))


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Times stay the texts that they are."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, rx) for tag, rx in pairs if tag != "tag:yaml.org,2002:timestamp"]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load(path):
    with open(path, encoding="utf-8") as f:
        return yaml.load(f, Loader=Loader)


def sound(points, muster, tool, folder, expect):
    """Each snapshot as a case that expects nothing of its own, one document an object, judged by check-cases."""
    with tempfile.TemporaryDirectory() as tmp:
        for snapshot, want in expect.items():
            if snapshot in NOT_SOUND:
                continue
            head = {"kind": "Case", "metadata": {"name": snapshot}, "args": want.get("args", []), "expect": {}}
            path = os.path.join(tmp, snapshot)
            with open(path, "w", encoding="utf-8") as f:
                dump = [json.dumps(o) for o in load(os.path.join(folder, snapshot))["items"]]
                f.write("\n---\n".join([json.dumps(head)] + dump) + "\n")
            run = subprocess.run([sys.executable, tool, muster, path, "-v"], stdout=subprocess.PIPE, text=True)
            lines = [x.strip() for x in run.stdout.splitlines()[:-1] if x.startswith("    ")]
            if run.returncode not in (0, 1):
                lines = ["check-cases ended with status %d" % run.returncode]
            points.point(snapshot + " sound", lines)


def plan(muster, folder, snapshot, expect):
    command = [muster, "plan", "-f", os.path.join(folder, snapshot), "-o", "json"] + expect[snapshot].get("args", [])
    run = subprocess.run(command, capture_output=True, text=True)
    try:
        return json.loads(run.stdout), None
    except ValueError:
        return None, "no plan (exit %d): %s" % (run.returncode, run.stderr.strip()[:200])


def same(points, muster, folder, expect):
    for one, other in SAME:
        if one not in expect or other not in expect:
            continue
        (a, fault_a), (b, fault_b) = (plan(muster, folder, s, expect) for s in (one, other))
        faults = [f for f in (fault_a, fault_b) if f]
        if not faults and a != b:
            left = {(g["kind"], g["namespace"], g["name"]): g for g in a["groups"]}
            right = {(g["kind"], g["namespace"], g["name"]): g for g in b["groups"]}
            faults = ["%s: %s, there %s" % ("/".join(k[1:]), *(json.dumps(x.get(k)) for x in (left, right)))
                      for k in sorted(set(left) | set(right)) if left.get(k) != right.get(k)]
            faults = faults or ["the plans differ outside their groups"]
        points.point("%s same-as %s" % (one, other), faults)


def complete(points, muster, folder, expect):
    for snapshot, (groups, pods) in COMPLETE.items():
        if snapshot not in expect:
            continue
        p, fault = plan(muster, folder, snapshot, expect)
        faults = [fault] if fault else []
        if not fault:
            names = [(x["namespace"], x["name"]) for g in p["groups"] for x in g["pods"]]
            if len(p["groups"]) != groups:
                faults.append("%d groups, expected %d" % (len(p["groups"]), groups))
            if len(names) != pods or len(set(names)) != pods:
                faults.append("%d pods (%d names), expected %d" % (len(names), len(set(names)), pods))
        points.point(snapshot + " complete", faults)


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    muster, tools, folder, not_yet = sys.argv[1:]
    muster = os.path.abspath(muster)
    expect = expected(folder)
    points = run_cases.Points(run_cases.read_list(not_yet))
    decisions(points, muster, os.path.join(tools, "check-snapshots"), folder, expect)
    same(points, muster, folder, expect)
    complete(points, muster, folder, expect)
    sound(points, muster, os.path.join(tools, "check-cases"), folder, expect)
    return points.end()


if __name__ == "__main__":
    sys.exit(main())
