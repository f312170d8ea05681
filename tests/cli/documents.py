#!/usr/bin/env python3
"""What the documentation shows is what the program prints. For each block of a page that begins with `$ muster ...`, that
command is run at the root of the project, and its output is compared with the rest of the block; a line of three dots
stands for any lines. Warnings are left out where the block does not begin with one.

usage: documents.py MUSTER ROOT PAGE...    speaks TAP, a test point for each block
"""
import os
import re
import shlex
import sys

from blackbox import Tap, environment, run

COLUMNS = "100"


def blocks(text):
    for block in re.findall(r"(?ms)^```[a-z]*\n\$ (muster .*?)^```$", text):
        command, shown = block.split("\n", 1)
        yield command, shown.rstrip("\n").split("\n")


def matches(have, shown):
    """Lines against lines, of which some are three dots."""
    for i, line in enumerate(shown):
        if line == "...":
            return any(matches(have[at:], shown[i + 1:]) for at in range(len(have) + 1))
        if i >= len(have) or have[i] != line:
            return False
    return len(have) == len(shown)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    tap, muster, root = Tap(), os.path.abspath(sys.argv[1]), sys.argv[2]
    for page in sys.argv[3:]:
        with open(os.path.join(root, page), encoding="utf-8") as f:
            found = list(blocks(f.read()))
        tap.point("%s has examples" % page, [] if found else ["there is none"])
        for command, shown in found:
            r = run(muster, *shlex.split(command)[1:], cwd=root, env=dict(environment(), COLUMNS=COLUMNS))
            warned = r.err if shown[0].startswith("warning: ") else b""
            have = (warned + r.out).decode().rstrip("\n").split("\n")
            tap.point("%s: %s" % (page, command), [] if matches(have, shown) else have)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
