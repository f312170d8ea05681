#!/usr/bin/env python3
"""muster plan on devices and claims that mean harm: each ends with a clear reason, or a plan, and in bounded memory.

usage: hostile-devices.py MUSTER
"""
import json
import os
import resource
import sys

from blackbox import Tap, folder, run, write

API = "resource.k8s.io/v1"
MEMORY = 1 << 30


def bound_memory(muster):
    """What limits the program's memory; a sanitizer takes terabytes of addresses, so there nothing does."""
    with open(os.path.realpath(muster), "rb") as program:
        sanitized = b"__asan_init" in program.read()
    return None if sanitized else lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def node():
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "n1"},
            "status": {"allocatable": {"cpu": "640", "pods": "1000"}}}


def device_class(expression=None):
    spec = {"selectors": [{"cel": {"expression": expression}}]} if expression else {}
    return {"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": "gpu", "uid": "gpu"}, "spec": spec}


def slice_of(name, content, count=1):
    return {"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": name, "uid": name},
            "spec": {"driver": "gpu.example.com", "nodeName": "n1",
                     "pool": {"name": "n1", "generation": 1, "resourceSliceCount": count}, **content}}


def claim(number, request, constraints=()):
    return {"apiVersion": API, "kind": "ResourceClaim",
            "metadata": {"name": "c%d" % number, "namespace": "default", "uid": "c%d" % number},
            "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu", **request}}],
                                 "constraints": list(constraints)}}}


def pod(number, gang=0):
    meta = {"name": "p%d" % number, "namespace": "default", "uid": "p%d" % number}
    if gang:
        meta["labels"] = {"scheduling.muster.dev/group-name": "g"}
        meta["annotations"] = {"scheduling.muster.dev/min-count": str(gang)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta,
            "spec": {"schedulerName": "muster", "containers": [{"name": "c", "image": "x"}],
                     "resourceClaims": [{"name": "r", "resourceClaimName": "c%d" % number}]}}


def plan(muster, objects):
    with folder() as where:
        path = write(os.path.join(where, "hostile.json"),
                     json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        result = run(muster, "plan", "-f", path, "-o", "json", preexec_fn=bound_memory(muster))
    if result.status not in (0, 1):
        return None, ["exit %d: %s" % (result.status, result.err.decode()[:300])]
    return {g["name"]: g for g in json.loads(result.out)["groups"]}, []


def expect(tap, muster, title, objects, wanted):
    """wanted: {group: (decision, reasons that are right)}."""
    groups, wrong = plan(muster, objects)
    for name, (decision, reasons) in wanted.items() if groups is not None else ():
        got = groups[name]
        if got["decision"] != decision or got["reason"] not in reasons:
            wrong.append("%s is %s %s: %s" % (name, got["decision"], got["reason"], got["message"]))
        if got["reason"] and not got["message"]:
            wrong.append("%s says no more than %s" % (name, got["reason"]))
    tap.point(title, wrong)


def many_devices(pattern, gang):
    """10,000 devices over 79 slices, and a gang whose claims take 32 each."""
    objects = [node(), device_class("device.attributes['gpu.example.com'].model.matches('%s')" % pattern)]
    for s in range(79):
        devices = [{"name": "d%d" % (128 * s + i), "attributes": {"model": {"string": "a" * 40 + "b"}}}
                   for i in range(128)]
        objects.append(slice_of("s%d" % s, {"devices": devices}, 79))
    same = [{"matchAttribute": "gpu.example.com/model"}]
    return objects + [o for i in range(gang) for o in (claim(i, {"count": 32}, same), pod(i, gang))]


def test_pools(tap, muster):
    expect(tap, muster, "10,000 devices, and a pattern that explodes elsewhere: no", many_devices("^(a+)+$", 40),
           {"g": ("Pending", ["InsufficientDevices"])})
    expect(tap, muster, "10,000 devices, and 1,280 of them for one gang", many_devices("^(a+)+b$", 40),
           {"g": ("Bind", [""])})
    lying = [node(), device_class(), slice_of("s", {"devices": [{"name": "a"}]}, 99), claim(0, {}), pod(0)]
    expect(tap, muster, "a slice that lies about how many there are", lying,
           {"p0": ("Pending", ["InsufficientDevices"])})


def test_counters(tap, muster):
    most = str(2 ** 63 - 1)
    uses = [{"name": name, "consumesCounters": [{"counterSet": "s", "counters": {"u": {"value": value}}}]}
            for name, value in (("a", most), ("b", "1"))]
    objects = [node(), device_class(), slice_of("d", {"devices": uses}, 2),
               slice_of("c", {"sharedCounters": [{"name": "s", "counters": {"u": {"value": most}}}]}, 2)]
    objects += [o for i in range(2) for o in (claim(i, {}), pod(i))]
    expect(tap, muster, "counters at the end of the numbers hold one", objects,
           {"p0": ("Bind", [""]), "p1": ("Pending", ["InsufficientDevices"])})


def test_counts(tap, muster):
    counts = [33, 2 ** 62, 2 ** 63 - 1, 0, -5]
    objects = [node(), device_class(), slice_of("s", {"devices": [{"name": "a"}]})]
    objects += [o for i, count in enumerate(counts) for o in (claim(i, {"count": count}), pod(i))]
    objects += [claim(9, {}), pod(9)]
    wanted = {"p%d" % i: ("Pending", ["InvalidClaim"]) for i in range(len(counts))}
    expect(tap, muster, "absurd counts are refused alone", objects, {**wanted, "p9": ("Bind", [""])})


def test_selectors(tap, muster):
    ten = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
    costly = "true"
    for name in "abcdefgh":
        costly = "%s.all(%s, %s)" % (ten, name, costly)
    for title, expression, reasons in (
            ("a selector that costs too much", costly, ["InvalidClaim", "InsufficientDevices"]),
            ("a selector of brackets", "(" * 5000 + "true" + ")" * 5000, ["InvalidClaim"]),
            ("a selector that is longer than any may be", "true || " * 4000 + "true", ["InvalidClaim"]),
            ("a selector that is none", "device.attributes[", ["InvalidClaim"]),
            ("a selector of another type", "device.driver", ["InvalidClaim"])):
        objects = [node(), device_class(expression), slice_of("s", {"devices": [{"name": "a"}]}), claim(0, {}), pod(0)]
        expect(tap, muster, title, objects, {"p0": ("Pending", reasons)})


def test_packing(tap, muster):
    """Parts of many sizes: whatever the answer, it is one, and no part is given out twice."""
    uses = [{"name": "d%d" % i, "attributes": {"k": {"int": i % 3}},
             "consumesCounters": [{"counterSet": "s%d" % (i * 5 % 8), "counters": {"u": {"value": str(1 + i * 3 % 7)}}}]}
            for i in range(64)]
    sets = [{"name": "s%d" % i, "counters": {"u": {"value": "13"}}} for i in range(8)]
    objects = [node(), device_class(), slice_of("d", {"devices": uses}, 2), slice_of("c", {"sharedCounters": sets}, 2)]
    for i in range(24):
        kind = "device.attributes['gpu.example.com'].k == %d" % (i % 3)
        objects += [claim(i, {"selectors": [{"cel": {"expression": kind}}]}), pod(i, 24)]
    groups, wrong = plan(muster, objects)
    given = [d["device"] for p in (groups or {}).get("g", {"pods": []})["pods"] for d in p["devices"]]
    if len(given) != len(set(given)):
        wrong.append("a part is given out twice")
    tap.point("parts of many sizes", wrong)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tap, muster = Tap(), os.path.abspath(sys.argv[1])
    for test in (test_pools, test_counters, test_counts, test_selectors, test_packing):
        test(tap, muster)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
