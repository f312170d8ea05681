#!/usr/bin/env python3
"""The commands as a user meets them: help, versions, forms of output, exit statuses, completion, the documents.

usage: commands.py MUSTER SOURCE_ROOT [PLUGIN.so]
"""
import json
import os
import re
import shutil
import subprocess
import sys

import yaml

from blackbox import Tap, folder, refused, run, write

CLUSTER = """apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: fits, namespace: ml}
spec: {schedulerName: muster, containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: other, namespace: ml}
spec: {containers: [{name: c, resources: {requests: {cpu: "9"}}}]}
"""


def want(result, status, *words):
    bad = ["exit status %d, not %d" % (result.status, status)] if result.status != status else []
    text = result.out.decode()
    bad += ["standard output does not say %r" % w for w in words if w not in text]
    return bad + [result] if bad else []


def plan(muster, *args, text=CLUSTER, **kwargs):
    return run(muster, "plan", "-f", "-", *args, stdin=text.encode(), **kwargs)


def test_help(tap, muster):
    usage = run(muster, "--help")
    commands = re.findall(r"(?m)^  (\w+) {2,}\S", usage.out.decode().split("Commands:")[1].split("Examples:")[0])
    tap.point("help names the commands", [] if commands == ["plan", "audit", "devices", "version", "help", "completion"]
              else ["commands are %s" % commands])
    tap.point("help has three examples", want(usage, 0, "muster plan --all -f -", "-f job.yaml", "--explain"))
    tap.point("help and --help", [] if run(muster, "help").out.startswith(usage.out) else ["they differ"])
    for name in commands:
        r = run(muster, name, "--help")
        tap.point("%s --help" % name, want(r, 0, "usage: muster %s" % name, "--help"))
        tap.point("help %s" % name, [] if run(muster, "help", name).out == r.out else ["it differs from --help"])
        wide = [line for line in r.out.decode().splitlines() if len(line) > 100]
        tap.point("%s --help fits a terminal" % name, wide)
    tap.point("plan --help has examples and statuses", want(run(muster, "plan", "--help"), 0, "Examples:",
                                                            "Exit status:", "  2  "))
    reasons = run(muster, "help", "reasons")
    tap.point("help reasons", want(reasons, 0, "MembersMissing", "InsufficientResources", "GangBroken"))
    tap.point("help input", want(run(muster, "help", "input"), 0, "kubectl get", "pod-group"))


def test_version(tap, muster):
    text = run(muster, "version")
    number = text.out.decode().split()[-1]
    tap.point("version", want(text, 0, "muster "))
    tap.point("--version", [] if run(muster, "--version").out == text.out else ["it differs"])
    have = json.loads(run(muster, "version", "-o", "json").out)
    tap.point("version -o json", [] if have["version"] == number and have["pluginABI"] >= 1 else [have])
    tap.point("version -o yaml", [] if yaml.safe_load(run(muster, "version", "-o", "yaml").out) == have else ["differs"])


def test_plan(tap, muster):
    r = plan(muster)
    tap.point("all placed: status 0", want(r, 0, "ml/fits", "Bind", "n1", "1 group: 1 Bind; 1 pod bound."))
    tap.point("without warnings", [r] if r.err else [])
    r = plan(muster, "--all")
    tap.point("--all: status 1 where one is not", want(r, 1, "ml/other", "Pending", "InsufficientResources"))
    r = plan(muster, "--all", "-o", "json")
    have = json.loads(r.out)
    tap.point("-o json", want(r, 1) + [p for p in [have] if have["summary"]["pending"] != 1])
    tap.point("-o yaml is the same", [] if yaml.safe_load(plan(muster, "--all", "-o", "yaml").out) == have
              else ["it differs"])
    tap.point("-o wide", want(plan(muster, "-o", "wide"), 0, "QUEUE", "MIN"))
    r = plan(muster, text=CLUSTER.replace("schedulerName: muster, ", ""))
    tap.point("nothing of ours", want(r, 0, "Nothing to decide", "muster", "2 pending pods", "--all"))
    r = plan(muster, text=CLUSTER + "---\napiVersion: example.com/v1\nkind: Train\nmetadata: {name: t, namespace: ml}\n"
             "spec: {template: {spec: {containers: [{name: c}]}}}\n")
    tap.point("what could not be planned is a warning and status 1",
              want(r, 1, "ml/fits") + ([] if b"warning: " in r.err and b"Train" in r.err else [r]))
    with folder() as d:
        a, b, *_ = CLUSTER.split("---\n")
        a, b = write(os.path.join(d, "a.yaml"), a), write(os.path.join(d, "b.yaml"), b)
        tap.point("-f twice", want(run(muster, "plan", "-f", a, "-f", b), 0, "ml/fits"))
        tap.point("-f and names that follow", want(run(muster, "plan", "-f", a, b), 0, "ml/fits"))
        tap.point("-f of a folder", want(run(muster, "plan", "-f", d), 0, "ml/fits"))
        tap.point("a file and standard input",
                  want(run(muster, "plan", "-f", a, "-f", "-", stdin=open(b, "rb").read()), 0, "ml/fits"))


def test_explain(tap, muster):
    for name in ("other", "ml/other"):
        r = plan(muster, "--all", "--explain", name)
        tap.point("--explain %s" % name, want(r, 1, "ml/other", "NodeResourcesFit", "cpu", "n1", "To fit:"))
    have = json.loads(plan(muster, "--all", "--explain", "other", "-o", "json").out)
    nodes = sum(len(rule["nodes"]) for rule in have["classes"][0]["nodes"])
    tap.point("--explain -o json", [] if have["kind"] == "Explanation" and nodes == have["clusterNodes"] == 1 else [have])
    r = plan(muster, "--explain", "other")
    tap.point("--explain of a group that is not ours",
              [] if r.status == 2 and not r.out and b"--all" in r.err else [r])
    two = CLUSTER + "---\n" + CLUSTER.split("---\n")[1].replace("namespace: ml", "namespace: web")
    r = plan(muster, "--explain", "fits", text=two)
    tap.point("--explain of two groups", [] if r.status == 2 and b"NAMESPACE/NAME" in r.err else [r])


def test_config(tap, muster, root):
    example = os.path.join(root, "examples/muster.yaml")
    tap.point("the example of a configuration", want(plan(muster, "--config", example), 0, "ml/fits"))
    serving = CLUSTER.replace("schedulerName: muster", "schedulerName: muster-serving")
    tap.point("its second profile", want(plan(muster, "--config", example, text=serving), 0, "ml/fits"))
    head = "apiVersion: scheduling.muster.dev/v1alpha1\nkind: SchedulerConfiguration\n"
    with folder() as d:
        path = write(os.path.join(d, "m.yaml"), head + "nonsense: 1\n")
        fields = re.search(rb"there are (.*)$", plan(muster, "--config", path).err).group(1).decode().split(", ")
        write(path, head + "profiles:\n- schedulerName: muster\n  plugins: {Nonsense: {}}\n")
        err = plan(muster, "--config", path).err.decode()
        plugins = re.search(r"there are (.*)$", err).group(1).split(", ")
        off = "".join("    %s: {enabled: false}\n" % p for p in plugins)
        write(path, head + "profiles:\n- schedulerName: muster\n  plugins:\n" + off)
        tap.point("every plugin can be turned off", want(plan(muster, "--config", path), 0, "ml/fits"))
    for page in ("docs/configuration.md", "docs/man/muster.yaml.5.scd"):
        text = open(os.path.join(root, page), encoding="utf-8").read()
        tap.point("%s has every field" % page, [f for f in fields if f not in text])
        tap.point("%s has every plugin" % page, [p for p in plugins if not re.search(r"[`*]%s[`*]" % p, text)])


def test_plugin(tap, muster, plugin):
    """A plugin from outside, loaded by the program itself."""
    directory, name = os.path.dirname(os.path.abspath(plugin)), os.path.basename(plugin)[:-3]
    text = ("apiVersion: scheduling.muster.dev/v1alpha1\nkind: SchedulerConfiguration\n"
            "plugins: {directory: %s, names: [%s]}\n" % (directory, name))
    with folder() as d:
        path = write(os.path.join(d, "m.yaml"), text)
        tap.point("a plugin from outside", want(plan(muster, "--config", path), 0, "ml/fits"))
        write(path, text + "profiles: [{schedulerName: muster, plugins: {%s: {enabled: false}}}]\n" % name)
        tap.point("it can be turned off", want(plan(muster, "--config", path), 0, "ml/fits"))
        write(path, text.replace("[" + name, "[No" + name))
        r = plan(muster, "--config", path)
        tap.point("one that is not there", refused(r, path, "line 3", "No" + name))


def test_documents(tap, muster, root):
    """Every option that help names is in the man page, and every word of an option there is one."""
    for command in ("plan", "audit", "devices"):
        text = run(muster, command, "--help").out.decode().split("Options:")[1].split("\n\n")[0]
        options = set(re.findall(r"(?m)^  .{4}(--\w+)", text))
        page = open(os.path.join(root, "docs/man/muster-%s.1.scd" % command), encoding="utf-8").read()
        in_page = set(re.findall(r"(?m)^(?:\*-\w\*, )?\*(--\w+)\*", page))
        tap.point("the man page of %s has its options" % command, sorted(options ^ in_page))


BASH = r"""
source "$1"
COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2)) COMPREPLY=()
_muster 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"
"""


def test_completion(tap, muster):
    with folder() as d:
        script = write(os.path.join(d, "muster.bash"), run(muster, "completion", "bash").out)
        for words, wanted in (
                (["muster", "pl"], ["plan"]),
                (["muster", "plan", "--o"], ["--output"]),
                (["muster", "plan", "-o", "j"], ["json"]),
                (["muster", "plan", "--output", "=", "y"], ["yaml"]),
                (["muster", "help", "rea"], ["reasons"]),
                (["muster", "completion", "f"], ["fish"]),
                (["muster", "audit", "-o", ""], ["table", "json", "yaml"]),
                (["muster", "devices", "--cl"], ["--class"]),
                (["muster", "devices", "-o", "w"], ["wide"]),
                (["muster", "plan", "-f", script[:-1]], [script])):
            p = subprocess.run(["bash", "--norc", "-c", BASH, "bash", script, *words], capture_output=True, text=True)
            tap.point("bash completes: %s" % " ".join(words).replace(d, ""),
                      [] if p.stdout.split() == wanted and not p.stderr else [p.stdout, p.stderr])
        for shell in ("zsh", "fish"):
            script = write(os.path.join(d, "muster." + shell), run(muster, "completion", shell).out)
            if not shutil.which(shell):
                tap.skip("%s reads its script" % shell, "%s is not installed" % shell)
                continue
            p = subprocess.run([shell, "-n", script], capture_output=True, text=True)
            tap.point("%s reads its script" % shell, [p.stderr] if p.returncode else [])


def test_audit(tap, muster):
    good = "\n".join(CLUSTER.split("---\n")[:1])
    tap.point("audit finds nothing", want(run(muster, "audit", "-f", "-", stdin=good.encode()), 0, "Nothing found"))
    bad = CLUSTER.replace("spec: {schedulerName: muster, ", "spec: {nodeName: n2, ")
    r = run(muster, "audit", "-f", "-", stdin=bad.encode())
    tap.point("audit finds something", want(r, 1, "NodeNotFound", "Pod ml/fits", "n2", "1 finding."))
    have = json.loads(run(muster, "audit", "-f", "-", "-o", "json", stdin=bad.encode()).out)
    tap.point("audit -o json", [] if have["kind"] == "Audit" and have["findings"][0]["kind"] == "NodeNotFound" else [have])


TWO_DRIVERS = """
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-%(driver)s}
spec: {driver: %(driver)s, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0,
  attributes: {uuid: {string: GPU-1}}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: of-%(driver)s, namespace: ml}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: c}}]}}
status: {allocation: {devices: {results: [{request: gpu, driver: %(driver)s, pool: n1, device: gpu-0}]}},
  reservedFor: [{resource: pods, name: fits, uid: u}]}
---
"""


def test_audit_of_cards(tap, muster):
    """One card by two drivers, unless the configuration says that there is no such thing."""
    text = (CLUSTER + "---" + "".join(TWO_DRIVERS % {"driver": d} for d in ("one.example", "two.example"))).encode()
    r = run(muster, "audit", "-f", "-", stdin=text)
    tap.point("audit finds one card given out by two drivers",
              want(r, 1, "DeviceGivenTwice", "ResourceClaim ml/of-one.example", "ResourceClaim ml/of-two.example",
                   "Pod ml/fits", "1 finding."))
    with folder() as d:
        path = write(os.path.join(d, "m.yaml"), "apiVersion: scheduling.muster.dev/v1alpha1\n"
                     "kind: SchedulerConfiguration\ndeviceIdentity: []\n")
        tap.point("audit --config", want(run(muster, "audit", "-f", "-", "--config", path, stdin=text), 0, "Nothing"))
        write(path, "kind: Nonsense\n")
        tap.point("audit with a bad configuration", refused(run(muster, "audit", "-f", "-", "-c", path, stdin=text), path))


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    tap, muster, root = Tap(), os.path.abspath(sys.argv[1]), sys.argv[2]
    test_help(tap, muster)
    test_version(tap, muster)
    test_plan(tap, muster)
    test_explain(tap, muster)
    test_config(tap, muster, root)
    if len(sys.argv) == 4:
        test_plugin(tap, muster, sys.argv[3])
    test_documents(tap, muster, root)
    test_completion(tap, muster)
    test_audit(tap, muster)
    test_audit_of_cards(tap, muster)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
