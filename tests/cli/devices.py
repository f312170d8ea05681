#!/usr/bin/env python3
"""muster devices: what it shows of real snapshots, and of small clusters that have one thing each.

usage: devices.py MUSTER SOURCE_ROOT
"""
import json
import os
import random
import sys

import yaml

from blackbox import Tap, environment, folder, refused, run, write

API = "resource.k8s.io/v1"


def node(name, labels=None, **allocatable):
    """Resources are keywords with __ for the slash."""
    amounts = {"cpu": "8", "pods": "10", **{k.replace("__", "/"): v for k, v in allocatable.items()}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels or {}},
            "status": {"allocatable": amounts}}


def pod(name, on="n1", **requests):
    requests = {k.replace("__", "/"): v for k, v in requests.items()}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "ml", "uid": "uid-" + name},
            "spec": {"nodeName": on, "containers": [{"name": "c", "resources": {"requests": requests}}]},
            "status": {"phase": "Running"}}


def device(name, **fields):
    return {"name": name, **fields}


def slice_of(devices, driver="gpu.example.com", pool="n1", name=None, count=1, generation=1, where=None, **fields):
    where = where or {"nodeName": pool}
    return {"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": name or "%s-%s" % (pool, driver)},
            "spec": {"driver": driver, "pool": {"name": pool, "generation": generation, "resourceSliceCount": count},
                     "devices": devices, **where, **fields}}


def claim(name, devices, users=("a",), driver="gpu.example.com", pool="n1", **fields):
    results = [{"request": "r", "driver": driver, "pool": pool, "device": d, **fields} for d in devices]
    return {"apiVersion": API, "kind": "ResourceClaim", "metadata": {"name": name, "namespace": "ml"},
            "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}},
            "status": {"allocation": {"devices": {"results": results}},
                       "reservedFor": [{"resource": "pods", "name": u, "uid": "uid-" + u} for u in users]}}


def device_class(name="gpu", expression='device.driver == "gpu.example.com"'):
    return {"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": name},
            "spec": {"selectors": [{"cel": {"expression": expression}}]}}


def show(muster, objects, *args):
    text = "---\n".join(yaml.safe_dump(o) for o in objects)
    return run(muster, "devices", "-f", "-", *args, stdin=text.encode())


def report(muster, objects, *args):
    return json.loads(show(muster, objects, "-o", "json", *args).out)


def want(result, status, *words, absent=()):
    bad = ["exit status %d, not %d" % (result.status, status)] if result.status != status else []
    text = " ".join(result.out.decode().split())
    bad += ["it does not say %r" % w for w in words if w not in text]
    bad += ["it says %r" % w for w in absent if w in text]
    return bad + [result] if bad else []


def same(have, wanted):
    return [] if have == wanted else ["have %r" % (have,), "want %r" % (wanted,)]


def states(have):
    return {d["device"]: d["state"] for p in have["places"] for c in p["cards"] for d in c["devices"]}


def kinds(have):
    return sorted(n["kind"] for n in have["notes"])


def counts(have, name):
    c = next(c for c in have["classes"] if c["name"] == name)
    return [c[k] for k in ("total", "free", "partlyUsed", "taken", "tainted", "unusable")]


# ------------------------------------------------------------------ snapshots of real clusters

def test_two_drivers_snapshot(tap, muster, root):
    path = os.path.join(root, "examples/snapshots/k3s-l40s-shared.yaml")
    r = run(muster, "devices", "-f", path)
    tap.point("shares and the two drivers of a card", want(
        r, 0, "hami-gpu-0 in part cores 80/100 [########--], memory 40Gi/46068Mi [########--]",
        "share llm/vllm-decode-gpu-4jhhz, used by pod vllm-decode: cores 40, memory 20Gi",
        "gpu-0 taken its card is given out as hami-gpu-0 of hami-core-gpu.project-hami.io",
        "gpu-0 free same card as hami-gpu-0 of hami-core-gpu.project-hami.io", "OneCardTwoDrivers: 2 devices"))
    have = json.loads(run(muster, "devices", "-f", path, "-o", "json").out)
    tap.point("numbers of the classes of two drivers", same(
        [counts(have, "gpu.nvidia.com"), counts(have, "hami-core-gpu.project-hami.io")],
        [[2, 1, 0, 1, 0, 0], [2, 1, 1, 0, 0, 0]]))
    older = run(muster, "devices", "-f", os.path.join(root, "examples/snapshots/k3s-l40s-v1beta1.yaml"), "-o", "json")
    newer = run(muster, "devices", "-f", os.path.join(root, "examples/snapshots/k3s-l40s.yaml"), "-o", "json")
    tap.point("v1beta1 says the same", same(older.out, newer.out))


def test_partitions_snapshot(tap, muster, root):
    path = os.path.join(root, "examples/snapshots/hgx-cluster.yaml")
    r = run(muster, "devices", "-f", path)
    tap.point("a cluster of whole cards, parts and channels", want(
        r, 0, "hgx-a07, hgx-a08, hgx-b02, hgx-b06 (4 nodes, each)",
        "gpu-0 .. gpu-7 taken train/llama-pretrain-2-gpu-r5wqr, used by pod llama-pretrain-2",
        "gpu-5 tainted taint gpu.nvidia.com/rma=scheduled:NoSchedule (rule hgx-b07-gpu-5-rma)",
        "memory-slice 7/8 [###-####]",
        "gpu-0-mig-3g40gb-9-4 taken lab/notebook-dee-mig-jpmjd, used by pod notebook-dee",
        "still fits gpu-0-mig-1g10gb-19-3", "gpu-1 .. gpu-7 free whole, or in parts: 19 devices",
        "reachable from hgx-a01, hgx-a02, hgx-a03, hgx-a04, hgx-a05, hgx-a06, hgx-a07, hgx-a08:",
        "channel-1 taken train/llama-pretrain-imex-247xq, used by group llama-pretrain",
        "AdminAccess: 128 devices", "mig.nvidia.com 7 of 8 free, 1 in part"))
    have = json.loads(run(muster, "devices", "-f", path, "-o", "json").out)
    tap.point("its numbers by class", same([counts(have, "gpu.nvidia.com"), counts(have, "mig.nvidia.com")],
                                           [[128, 54, 0, 73, 1, 0], [8, 7, 1, 0, 0, 0]]))
    have = json.loads(run(muster, "devices", "-f", path, "-o", "json", "--class", "gpu.nvidia.com", "--free").out)
    free = {p["node"]: sum(c["state"] == "Free" for c in p["cards"]) for p in have["places"]}
    tap.point("what is free where", same(free, {"hgx-a07": 8, "hgx-a08": 8, "hgx-b02": 8, "hgx-b04": 6, "hgx-b05": 2,
                                                "hgx-b06": 8, "hgx-b07": 7, "hgx-b08": 7}))
    wide = run(muster, "devices", "-f", path, "-o", "wide", "--node", "hgx-b08")
    tap.point("wide names who has administrative access", want(wide, 0, "admin monitoring/dcgm-exporter-znb4r",
                                                               absent=["hgx-a01"]))


def test_large(tap, muster, root):
    r = run(muster, "devices", "-f", os.path.join(root, "examples/snapshots/large.json.gz"))
    tap.point("a thousand nodes are a few lines", want(r, 0, "gpu.nvidia.com 8000 1050 0 6950", "(100 nodes, each)",
                                                       "(650 nodes, each)") +
              ([] if r.out.count(b"\n") < 20 else ["%d lines" % r.out.count(b"\n")]))


# ------------------------------------------------------------------ one thing each

SINGLES = {"memory-slice-%d" % i: {"value": "1"} for i in range(4)}


def part(name, slices, memory):
    counters = {"memory": {"value": memory}, **{"memory-slice-%d" % i: {"value": "1"} for i in slices}}
    return device(name, consumesCounters=[{"counterSet": "card", "counters": counters}])


def partitioned():
    counters = {"memory": {"value": "40Gi"}, **SINGLES}
    sets = slice_of(None, name="s0", count=2, sharedCounters=[{"name": "card", "counters": counters}])
    del sets["spec"]["devices"]
    parts = [part("gpu-0", range(4), "40Gi"), part("half-0", (0, 1), "20Gi"), part("half-1", (2, 3), "20Gi"),
             part("quarter-10", (3,), "10Gi"), part("quarter-2", (1,), "10Gi")]
    return [node("n1"), sets, slice_of(parts, name="s1", count=2), device_class()]


def test_partitions(tap, muster):
    objects = partitioned()
    tap.point("a card nobody uses is one", want(show(muster, objects), 0, "gpu-0 free whole, or in parts: 5 devices"))
    objects += [pod("a"), claim("c", ["half-0"])]
    r = show(muster, objects)
    tap.point("a part in use", want(r, 0, "gpu-0 in part memory 20Gi/40Gi [#####-----], memory-slice 2/4 [##--]",
                                    "half-0 taken ml/c, used by pod a", "still fits half-1, quarter-10"))
    have = report(muster, objects)
    tap.point("which parts are left", same(states(have), {"gpu-0": "Taken", "half-0": "Taken", "half-1": "Free",
                                                          "quarter-10": "Free", "quarter-2": "Taken"}))
    card = have["places"][0]["cards"][0]
    tap.point("counters as quantities", same(
        [card["counterSet"], card["counters"][0], card["state"]],
        ["card", {"name": "memory", "total": "40Gi", "left": "20Gi"}, "PartlyUsed"]))
    objects += [claim("d", ["half-1"]), claim("e", ["quarter-10"])]
    r = show(muster, objects)
    tap.point("more parts than the card has", want(r, 1, "DeviceOvercommitted", "50Gi of 40Gi memory"))


SHARED = device("gpu-0", allowMultipleAllocations=True, capacity={
    "cores": {"value": "100", "requestPolicy": {"default": "100", "validRange": {"min": "10", "step": "1"}}},
    "memory": {"value": "40Gi"}})


def share(name, cores, memory, user="a", ident=1):
    return claim(name, ["gpu-0"], users=[user], shareID="00000000-0000-4000-8000-%012d" % ident,
                 consumedCapacity={"cores": cores, "memory": memory})


def test_shares(tap, muster):
    objects = [node("n1"), slice_of([SHARED]), device_class(), pod("a"), share("x", "60", "10Gi")]
    r = show(muster, objects)
    tap.point("a share", want(r, 0, "gpu-0 in part cores 60/100 [######----], memory 10Gi/40Gi [##--------]",
                              "share ml/x, used by pod a: cores 60, memory 10Gi"))
    capacity = report(muster, objects)["places"][0]["cards"][0]["devices"][0]["capacity"][0]
    tap.point("capacity as quantities", same(
        capacity, {"name": "cores", "total": "100", "consumed": "60", "left": "40"}))
    objects.append(share("y", "35", "1Mi", ident=2))
    tap.point("less is left than a share must take", same(states(report(muster, objects)), {"gpu-0": "Taken"}))
    objects.append(share("z", "35", "1Mi", ident=3))
    tap.point("shares beyond the card", want(show(muster, objects), 1, "DeviceOvercommitted", "130 of 100 cores"))


def test_two_drivers(tap, muster):
    uuid = {"uuid": {"string": "GPU-1"}}
    objects = [node("n1"), slice_of([device("gpu-0", attributes=uuid)]), pod("a"), pod("b"),
               slice_of([device("card-0", attributes=uuid)], driver="other.example.com"), claim("c", ["gpu-0"])]
    r = show(muster, objects)
    tap.point("one card of two drivers", want(r, 0, "gpu-0 taken ml/c", "same card as card-0 of other.example.com",
                                              "card-0 taken its card is given out as gpu-0 of gpu.example.com"))
    objects.append(claim("d", ["card-0"], users=["b"], driver="other.example.com"))
    r = show(muster, objects)
    tap.point("both gave it out", want(r, 1, "DeviceGivenTwice: one card is given out by two drivers",
                                       "as gpu.example.com/n1/gpu-0 to ml/c, used by pod a",
                                       "as other.example.com/n1/card-0 to ml/d, used by pod b"))
    parts = partitioned()
    parts[2]["spec"]["devices"][0]["attributes"] = {"uuid": {"string": "GPU-1"}}
    for p in parts[2]["spec"]["devices"][1:]:
        p["attributes"] = {"parentUUID": {"string": "GPU-1"}}
    other = slice_of([device("card-0", attributes=uuid)], driver="other.example.com")
    r = show(muster, parts + [other, pod("a"), claim("c", ["card-0"], driver="other.example.com")])
    tap.point("a card in parts that another driver gave out", want(
        r, 0, "gpu-0 taken", "its card is given out as card-0 of other.example.com", absent=["still fits"]))
    r = show(muster, parts + [other, pod("a"), claim("c", ["half-0"])])
    tap.point("a card given out in parts is taken for the other driver", want(
        r, 0, "gpu-0 in part", "same card as card-0 of other.example.com",
        "card-0 taken its card is given out as half-0 of gpu.example.com"))
    with folder() as d:
        path = write(os.path.join(d, "m.yaml"), "apiVersion: scheduling.muster.dev/v1alpha1\n"
                     "kind: SchedulerConfiguration\ndeviceIdentity: []\n")
        tap.point("a configuration without identity", want(show(muster, objects, "--config", path), 0,
                                                           absent=["DeviceGivenTwice", "same card"]))


def test_claims(tap, muster):
    base = [node("n1"), slice_of([device("gpu-0"), device("gpu-1")]), device_class(), pod("a"), pod("b")]
    twice = base + [claim("c", ["gpu-0"]), claim("d", ["gpu-0"], users=["b"])]
    tap.point("a device of two claims", want(
        show(muster, twice), 1, "gpu-0 taken GIVEN OUT 2 TIMES",
        "claim ml/c, used by pod a", "claim ml/d, used by pod b",
        "DeviceGivenTwice: device gpu.example.com/n1/gpu-0 is given out 2 times"))
    tap.point("a claim of nobody", want(show(muster, base + [claim("c", ["gpu-0"], users=[])]), 1,
                                        "gpu-0 taken ml/c, used by nobody",
                                        "AllocatedForNobody: claim ml/c keeps 1 device"))
    tap.point("a claim of a pod that is gone", want(show(muster, base + [claim("c", ["gpu-0"], users=["gone"])]), 1,
                                                    "ReservedForNobody: claim ml/c", "and pod gone is gone"))
    tap.point("a device that is gone", want(show(muster, base + [claim("c", ["gpu-9"])]), 1,
                                            "DeviceNotFound: claim ml/c holds device gpu.example.com/n1/gpu-9"))
    tap.point("slices that are not in the input", want(
        show(muster, [node("n1"), pod("a"), claim("c", ["gpu-0"])]), 0, "NoSlices", absent=["DeviceNotFound"]))
    admin = base + [claim("c", ["gpu-0"], adminAccess=True)]
    tap.point("administrative access takes nothing", want(show(muster, admin), 0, "gpu-0 .. gpu-1 free",
                                                          "AdminAccess: 1 device is given"))
    tap.point("and is named", want(show(muster, admin, "-o", "wide"), 0, "admin ml/c, used by pod a"))


def test_taints(tap, muster):
    tainted = device("gpu-0", taints=[{"key": "sick", "value": "very", "effect": "NoExecute"}])
    rule = {"apiVersion": "resource.k8s.io/v1beta2", "kind": "DeviceTaintRule", "metadata": {"name": "r"},
            "spec": {"deviceSelector": {"device": "gpu-1"}, "taint": {"key": "rma", "effect": "NoSchedule"}}}
    objects = [node("n1"), slice_of([tainted, device("gpu-1"), device("gpu-2")]), device_class(), rule, pod("a")]
    tap.point("taints of slices and rules", want(show(muster, objects), 0, "gpu-0 tainted taint sick=very:NoExecute",
                                                 "gpu-1 tainted taint rma:NoSchedule (rule r)", "gpu-2 free",
                                                 "gpu 1 of 3 free, 2 tainted"))
    tap.point("a claim that must leave", want(show(muster, objects + [claim("c", ["gpu-0"])]), 1,
                                              "DeviceTainted: claim ml/c", "taint sick:NoExecute"))


def test_pools(tap, muster):
    objects = [node("n1"), slice_of([device("gpu-0")], count=2), device_class()]
    tap.point("an incomplete pool", want(show(muster, objects), 1, "gpu-0 unusable", "PoolUnusable", "1 of 2 slices"))
    bad = slice_of([device("gpu-0", consumesCounters=[{"counterSet": "a", "counters": {"x": {"value": "1"}}},
                                                      {"counterSet": "b", "counters": {"x": {"value": "1"}}}])])
    tap.point("an invalid pool, with all reasons", want(show(muster, [node("n1"), bad]), 1, "uses counter set a",
                                                        "uses counter set b"))
    old = slice_of([device("gpu-0")], name="old", generation=1)
    new = slice_of([device("gpu-1")], name="new", generation=2)
    tap.point("the newest generation counts", same(states(report(muster, [node("n1"), old, new])), {"gpu-1": "Free"}))
    tap.point("a node that is not there", want(show(muster, [node("n2"), slice_of([device("gpu-0")])]), 1,
                                               "NodeNotFound: devices are published for node n1"))
    failing = device_class(expression="device.attributes['x.example.com'].y == 1")
    tap.point("a class that fails", want(show(muster, [node("n1"), slice_of([device("gpu-0")]), failing]), 1,
                                         "ClassFailed: class gpu: selector #0 fails"))


def test_network(tap, muster):
    terms = {"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [
        {"key": "rack", "operator": "In", "values": ["x"]}]}]}}
    objects = [node("n10", {"rack": "x"}), node("n2", {"rack": "x"}), node("n3"), pod("a", on="n2"),
               slice_of([device("net-0"), device("net-1")], pool="net", where=terms),
               slice_of([device("far-0")], pool="far", where={"allNodes": True}),
               claim("c", ["net-0"], pool="net")]
    r = show(muster, objects)
    tap.point("devices of several nodes", want(r, 0, "reachable from n2, n10: driver gpu.example.com 1 of 2 free",
                                               "net-0 taken ml/c, used by pod a", "net-1 free",
                                               "reachable from all nodes: driver gpu.example.com 1 of 1 free"))
    tap.point("they are shown once", [] if r.out.count(b"net-0") == 1 else [r])
    r = show(muster, objects, "--node", "n3")
    tap.point("and where a node reaches them", want(r, 0, "far-0", absent=["net-0"]))
    tap.point("which nodes, for programs", same(report(muster, objects)["places"][0]["reachableFrom"],
                                                {"allNodes": False, "nodes": ["n2", "n10"]}))


def test_extended(tap, muster):
    objects = [node("n1", **{"nvidia.com__gpu": "8", "rdma__ib": "0"}), node("n2"),
               pod("a", **{"nvidia.com__gpu": "3"})]
    tap.point("a device plugin's resource", want(show(muster, objects), 0, "n1: nvidia.com/gpu 5 of 8 free",
                                                 "nvidia.com/gpu in part used 3/8 [###-------], by pod ml/a",
                                                 absent=["n2"]))
    have = report(muster, objects)["places"][0]["extendedResources"]
    tap.point("and its numbers", same(have, [{"name": "nvidia.com/gpu", "total": 8, "used": 3, "free": 5,
                                              "pods": [{"namespace": "ml", "name": "a"}]}]))


def test_options(tap, muster):
    objects = [node("n1"), slice_of([device("gpu-%d" % i) for i in (10, 9, 8)]), device_class(),
               device_class("none", "false"), pod("a"), claim("c", ["gpu-9"])]
    have = report(muster, objects)
    tap.point("-o yaml is the same as -o json", same(yaml.safe_load(show(muster, objects, "-o", "yaml").out), have))
    tap.point("its kind", same([have["apiVersion"], have["kind"]], ["scheduling.muster.dev/v1alpha1", "DeviceReport"]))
    tap.point("names are in the order of people", same(list(states(have)), ["gpu-8", "gpu-9", "gpu-10"]))
    tap.point("--free", same(list(states(report(muster, objects, "--free"))), ["gpu-8", "gpu-10"]))
    tap.point("--free does not join across what is taken", want(show(muster, objects, "--free"), 0, "gpu-8 free",
                                                                "gpu-10 free", absent=[".."]))
    tap.point("--class of nothing", want(show(muster, objects, "--class", "none"), 0, "There are no devices."))
    bad = ((["--node", "n7"], ["--node", "n7"]), (["--class", "x"], ["--class", "x"]), (["--node", ""], ["empty"]))
    for args, words in bad:
        tap.point("refused: %s" % " ".join(args), refused(show(muster, objects, *args), *words))
    tap.point("nothing at all", want(show(muster, [node("n1")]), 0, "There are no devices."))
    narrow = "---\n".join(yaml.safe_dump(o) for o in objects).encode()
    r = run(muster, "devices", "-f", "-", stdin=narrow, env=dict(environment(), COLUMNS="60"))
    tap.point("no colours without a terminal", [r] if b"\x1b" in r.out else [])


def test_order(tap, muster, root):
    objects = yaml.load(open(os.path.join(root, "examples/snapshots/k3s-l40s-shared.yaml"), encoding="utf-8"),
                        Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["items"]
    outputs = set()
    for seed in range(4):
        random.Random(seed).shuffle(objects)
        outputs.add((show(muster, objects).out, show(muster, objects, "-o", "json").out))
    tap.point("the order of objects is nothing", [] if len(outputs) == 1 else ["%d outputs" % len(outputs)])


def test_hostile(tap, muster):
    uuid = {"uuid": {"string": "GPU-1"}}
    many = [node("n1")]
    for s in range(100):
        devices = [device("d-%d" % (s * 100 + i), attributes=uuid) for i in range(100)]
        driver = ("one.example.com", "two.example.com")[s % 2]
        many.append(slice_of(devices, name="s%d" % s, count=50, driver=driver))
    have = report(muster, many)
    tap.point("ten thousand devices that are one card", same(
        [len(states(have)), kinds(have)], [10000, ["OneCardTwoDrivers"]]))
    huge = device("gpu-0", allowMultipleAllocations=True, capacity={"memory": {"value": "9223372036854775807"}})
    objects = [node("n1"), slice_of([huge]), pod("a")]
    objects += [claim("c%d" % i, ["gpu-0"], shareID="00000000-0000-4000-8000-%012d" % i,
                      consumedCapacity={"memory": "9223372036854775807"}) for i in range(20)]
    tap.point("huge amounts", want(show(muster, objects), 1, "DeviceOvercommitted", "[##########]"))
    bad = slice_of([device("gpu-0", capacity={"memory": {"value": "-1"}})])
    tap.point("a slice that makes no sense is left out with its reason", want(show(muster, [node("n1"), bad]), 1,
                                                                            "SliceInvalid: slice n1-gpu.example.com"))
    r = show(muster, [node("n1"), bad, pod("a"), claim("c", ["gpu-0"])])
    tap.point("and what claims hold of it is not called gone", want(r, 1, "SliceInvalid", absent=["DeviceNotFound"]))
    evil = slice_of([device("gpu-\x1b[31m")])
    r = show(muster, [node("n1"), evil])
    tap.point("names cannot steer the terminal", [r] if b"\x1b" in r.out else [])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tap, muster, root = Tap(), os.path.abspath(sys.argv[1]), sys.argv[2]
    for test in (test_two_drivers_snapshot, test_partitions_snapshot, test_large, test_order):
        test(tap, muster, root)
    for test in (test_partitions, test_shares, test_two_drivers, test_claims, test_taints, test_pools, test_network,
                 test_extended, test_options, test_hostile):
        test(tap, muster)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
