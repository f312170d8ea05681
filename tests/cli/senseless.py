#!/usr/bin/env python3
"""Objects that can be read and make no sense: each is refused alone, with its reason, and all the rest is decided.

usage: senseless.py MUSTER
"""
import json
import os
import sys

from blackbox import Tap, run

NODE = """---
apiVersion: v1
kind: Node
metadata: {name: %s}
status: {allocatable: {cpu: "%s", memory: 64Gi, pods: "110"}}
"""

# Two pods that fit, whatever else there is.
GOOD = NODE % ("n1", "8") + """---
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: good, namespace: ml}
spec: {minMember: 2}
""" + "".join("""---
apiVersion: v1
kind: Pod
metadata: {name: good-%d, namespace: ml, labels: {scheduling.x-k8s.io/pod-group: good}}
spec: {schedulerName: muster, containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
""" % i for i in range(2))


def pod(name, more="", requests="{cpu: '1'}", labels="{}"):
    return """---
apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: ml, labels: %s}
spec: {schedulerName: muster, %scontainers: [{name: c, resources: {requests: %s}}]}
""" % (name, labels, more, requests)


def coscheduling(minimum):
    return """---
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: bad, namespace: ml}
spec: {minMember: %s}
""" % minimum + pod("bad-0", labels="{scheduling.x-k8s.io/pod-group: bad}")


def native(minimum):
    return """---
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: bad, namespace: ml}
spec: {schedulingPolicy: {gang: {minCount: %s}}}
""" % minimum + pod("bad-0", "schedulingGroup: {podGroupName: bad}, ")


def cycle():
    return "".join("""---
apiVersion: scheduling.k8s.io/v1alpha3
kind: CompositePodGroup
metadata: {name: %s, namespace: ml}
spec: {parentCompositePodGroupName: %s, schedulingPolicy: {gang: {minGroupCount: 1}}}
""" % (a, b) for a, b in (("bad", "bad-b"), ("bad-b", "bad"))) + """---
apiVersion: scheduling.k8s.io/v1alpha3
kind: PodGroup
metadata: {name: bad-leaf, namespace: ml}
spec: {parentCompositePodGroupName: bad, schedulingPolicy: {gang: {minCount: 1}}}
""" + pod("bad-0", "schedulingGroup: {podGroupName: bad-leaf}, ")


AFFINITY = """affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
  {matchExpressions: [{key: a, operator: %s, values: [b]}]}]}}}, """

# title, objects, what the entries of the bad ones are: decision, reason (None: any), a word of a message
CASES = [
    ("a quantity of 10^30", pod("bad", requests="{cpu: '1e30'}"), "Pending", "InvalidGroup", "cpu"),
    ("a quantity of 10^30 in digits", pod("bad", requests="{memory: '%d'}" % 10 ** 30), "Pending", "InvalidGroup",
     "memory"),
    ("a quantity of 2^62 Ei", pod("bad", requests="{memory: 4611686018427387904Ei}"), "Pending", "InvalidGroup", ""),
    ("a negative quantity", pod("bad", requests="{cpu: '-1'}"), "Pending", "InvalidGroup", "cpu"),
    ("more than any node has", pod("bad", requests="{cpu: '9000000000000000'}"), "Pending", "InsufficientResources",
     "cpu"),
    ("a negative minimum", coscheduling("-1"), "Pending", "InvalidGroup", ""),
    ("a minimum of 2^62", coscheduling(str(2 ** 62)), "Pending", "InvalidGroup", ""),
    ("a negative minCount", native("-3"), "Pending", "InvalidGroup", ""),
    ("a minCount of 2^62", native(str(2 ** 62)), "Pending", "InvalidGroup", ""),
    ("a cycle of groups", cycle(), "Pending", "InvalidGroup", "cycle"),
    ("an operator that is none", pod("bad", AFFINITY % "Near"), "Pending", "InvalidGroup", "Near"),
    ("a group that is not there", pod("bad-0", labels="{scheduling.x-k8s.io/pod-group: bad}"), "Wait", "GroupNotFound",
     "bad"),
    ("a pod on an unknown node", pod("elsewhere", "nodeName: nowhere, "), None, None, ""),
    ("a node with a negative amount", NODE % ("n0", "-4"), None, None, ""),
    ("a node with 10^30 CPUs", NODE % ("n0", "1e30"), None, None, ""),
]


def judge(result, decision, reason, word):
    try:
        plan = json.loads(result.out)
    except ValueError:
        return ["the output is no JSON", result]
    bad = []
    want = 0 if decision is None else 1
    if result.status != want:
        bad.append("exit status %d, not %d" % (result.status, want))
    groups = {g["name"]: g for g in plan["groups"]}
    good = groups.pop("good", {"decision": "missing"})
    if good["decision"] != "Bind" or [p.get("node") for p in good["pods"]] != ["n1", "n1"]:
        bad.append("the good group was not placed")
    if (decision is None) != (not groups):
        bad.append("%d other groups" % len(groups))
    for g in groups.values():
        if g["decision"] != decision:
            bad.append("%s is %s, not %s" % (g["name"], g["decision"], decision))
        if g["reason"] != reason:
            bad.append("%s has reason %s, not %s" % (g["name"], g["reason"], reason))
        messages = [g["message"]] + [p["message"] for p in g["pods"]]
        if not any(word in m for m in messages) or not any(messages):
            bad.append("no message of %s says %r: %r" % (g["name"], word, messages))
    return bad + [result] if bad else []


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tap, muster = Tap(), os.path.abspath(sys.argv[1])
    for title, objects, decision, reason, word in CASES:
        for text in (GOOD + objects, objects + GOOD):
            problems = judge(run(muster, "plan", "-f", "-", "-o", "json", stdin=text.encode()), decision, reason, word)
            if problems:
                break
        tap.point(title, problems)
    alone = run(muster, "plan", "-f", "-", stdin=GOOD.encode())
    tap.point("the good group alone", [alone] if alone.status != 0 else [])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
