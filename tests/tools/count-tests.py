#!/usr/bin/env python3
"""Counts what ran, out of meson's testlog.json: each test point of a TAP test, and each test that is not TAP.

usage: count-tests.py [--status N] TESTLOG...

Prints what failed and the reasons of what was skipped, and as its last line `N passed, N failed, N skipped`. The exit
status is 1 where anything failed. --status is the exit status of `meson test`: where it says that something failed
that no log shows, that counts as one failure.
"""
import collections
import json
import os
import re
import sys

POINT = re.compile(r"^(not )?ok\b *\d* *-? *(.*?)(?: *# *(TODO|SKIP)\S*:? *(.*))?$", re.I)
PLAN_SKIP = re.compile(r"^1\.\.0 *# *SKIP\S*:? *(.*)$", re.I)
PLAN = re.compile(r"^1\.\.\d+", re.M)
GOOD = {"OK", "EXPECTEDFAIL"}


def count(test):
    """(passed, [failed], [reason of each skipped]) of one test of the log."""
    # meson writes `PROJECT:SUITE / NAME`.
    name, result, out = test["name"].split(" / ")[-1], test["result"], test.get("stdout") or ""
    if not PLAN.search(out):
        if result == "SKIP":
            said = out.strip().splitlines()
            return 0, [], [said[-1] if said else name]
        return (1, [], []) if result in GOOD else (0, ["%s (%s)" % (name, result)], [])
    passed, failed, skipped = 0, [], []
    for line in out.splitlines():
        none = PLAN_SKIP.match(line)
        if none:
            skipped.append(none.group(1) or name)
            continue
        point = POINT.match(line)
        if not point:
            continue
        bad, title, directive, reason = point.groups()
        if directive and (bad or directive.upper() == "SKIP"):
            skipped.append(reason or title)
        elif bad:
            failed.append("%s: %s" % (name, title))
        else:
            passed += 1
    if result not in GOOD and result != "SKIP" and not failed:
        failed.append("%s (%s)" % (name, result))
    return passed, failed, skipped


def main():
    args = sys.argv[1:]
    status = 0
    if args[:1] == ["--status"] and len(args) > 1:
        status, args = int(args[1]), args[2:]
    if not args:
        sys.exit(__doc__)
    passed, failed, skipped = 0, [], collections.Counter()
    for path in args:
        if not os.path.exists(path):
            failed.append("%s is missing: its tests did not run" % path)
            continue
        with open(path, encoding="utf-8") as f:
            for line in f:
                p, bad, reasons = count(json.loads(line))
                passed += p
                failed += bad
                skipped.update(reasons)
    if status != 0 and not failed:
        failed.append("meson test ended with status %d" % status)
    print()
    for what in failed:
        print("failed: " + what)
    for reason, n in sorted(skipped.items()):
        print("skipped: %d: %s" % (n, reason))
    print("%d passed, %d failed, %d skipped" % (passed, len(failed), sum(skipped.values())))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
