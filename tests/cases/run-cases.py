#!/usr/bin/env python3
"""Runs the scheduling cases and holds the list of those that do not pass yet to what is true. Speaks TAP.

usage: run-cases.py MUSTER CHECK_CASES FOLDER NOT_YET [--extra]

Each case of FOLDER is a test point. A case that NOT_YET does not name must pass. One that it names must fail (it is
then a TODO with the list's reason): when it passes, this test fails until its line is deleted, so that the list only
shrinks. A name that FOLDER does not have is a failure too. --extra is for a FOLDER that comes from elsewhere: it need
not have all the names of the list, where it does not exist at all the test is skipped, and a case that the project
keeps in other words (tests/cases has one of that name that differs) is skipped by name.

A line of NOT_YET is `NAME  # reason`; the reason is not optional.
"""
import os
import re
import subprocess
import sys


def read_list(path):
    """{name: reason}; ends the run on a line without a reason or a name that is there twice."""
    out = {}
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            name, _, reason = (part.strip() for part in line.partition("#"))
            if not name:
                continue
            if not reason:
                bail("%s:%d: %s has no reason" % (path, number, name))
            if name in out:
                bail("%s:%d: %s is there twice" % (path, number, name))
            out[name] = reason
    return out


def bail(text):
    print("Bail out! " + text)
    sys.exit(1)


class Points:
    """Counts and prints test points, each judged by the list of what does not pass yet."""

    def __init__(self, listed, extra=False, overruled=lambda name: False):
        self.listed, self.extra, self.overruled = listed, extra, overruled
        self.seen, self.count, self.wrong = set(), 0, 0

    def point(self, name, faults):
        self.count += 1
        self.seen.add(name)
        reason = self.listed.get(name)
        if self.overruled(name):
            print("ok %d - %s # SKIP the case of that name in tests/cases says otherwise, and holds" % (self.count, name))
        elif reason is None:
            self.line(not faults, name, faults)
        elif faults:
            print("not ok %d - %s # TODO not yet: %s" % (self.count, name, reason), flush=True)
        else:
            self.line(False, name, ["it passes and is listed as not passing yet: delete its line"])

    def line(self, ok, name, faults):
        self.wrong += not ok
        print("%sok %d - %s" % ("" if ok else "not ", self.count, name))
        if not ok:
            # On both: TAP is for the log, standard error is what meson shows of a test that failed.
            sys.stderr.write("%s\n" % name)
            for fault in faults:
                print("#   " + fault)
                sys.stderr.write("    %s\n" % fault)
        sys.stdout.flush()

    def end(self):
        if not self.extra:
            for name in sorted(set(self.listed) - self.seen):
                self.count += 1
                self.line(False, name, ["it is listed as not passing yet, and there is no such test"])
        if self.count == 0:
            bail("nothing was tested")
        print("1..%d" % self.count)
        return 1 if self.wrong else 0


def main():
    extra = "--extra" in sys.argv
    args = [a for a in sys.argv[1:] if a != "--extra"]
    if len(args) != 4:
        sys.exit(__doc__)
    muster, tool, folder, not_yet = args
    if extra and not (os.path.isdir(folder) and os.path.isfile(tool)):
        print("1..0 # SKIP no more cases at %s" % folder)
        return 0
    own = os.path.dirname(os.path.abspath(not_yet))

    def overruled(name):
        """A case from elsewhere that the project keeps in other words: the project's own copy was corrected."""
        theirs, ours = (os.path.join(f, name + ".yaml") for f in (folder, own))
        return extra and os.path.exists(ours) and open(ours, "rb").read() != open(theirs, "rb").read()

    points = Points(read_list(not_yet), extra, overruled)
    run = subprocess.Popen([sys.executable, tool, muster, folder, "-v"], stdout=subprocess.PIPE, text=True)
    name, faults, total = None, [], None
    for line in run.stdout:
        line = line.rstrip("\n")
        if line.startswith("    "):
            faults.append(line.strip())
            continue
        if name is not None:
            points.point(name, faults)
            name, faults = None, []
        ok = re.fullmatch(r"(\S+): ok \(.*\)", line)
        if ok:
            points.point(ok.group(1), [])
        elif re.fullmatch(r"\S+:", line):
            name = line[:-1]
        else:
            total = re.fullmatch(r"(\d+) passed, (\d+) failed", line)
            if not total:
                bail("%s said %r" % (os.path.basename(tool), line))
    if run.wait() not in (0, 1) or not total:
        bail("%s ended with status %d" % (os.path.basename(tool), run.returncode))
    if int(total.group(1)) + int(total.group(2)) != points.count:
        bail("%s counts %s, %d were read" % (os.path.basename(tool), total.group(0), points.count))
    return points.end()


if __name__ == "__main__":
    sys.exit(main())
