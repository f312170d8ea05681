#!/usr/bin/env python3
"""Tables at a terminal: they fit its width, and are coloured only where somebody wants it.

usage: terminal.py MUSTER
"""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

from blackbox import Tap, environment, run

LONG = "a-training-run-with-a-name-that-somebody-thought-about"
NODE = "a-node-with-a-name-as-cloud-providers-like-to-give-%d"

CLUSTER = "".join("""---
apiVersion: v1
kind: Node
metadata: {name: %s}
spec: {taints: [{key: example.com/dedicated-to-another-team, value: "yes", effect: NoSchedule}]}
status: {allocatable: {cpu: "4", pods: "10"}}
""" % (NODE % i) for i in range(3)) + "".join("""---
apiVersion: v1
kind: Pod
metadata: {name: %s-%d, namespace: research}
spec: {schedulerName: muster, containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
""" % (LONG, i) for i in range(2)) + """---
apiVersion: v1
kind: Pod
metadata: {name: tolerant, namespace: research}
spec: {schedulerName: muster, tolerations: [{operator: Exists}], containers: [{name: c}]}
"""


def at_terminal(muster, *args, columns=80, **env):
    """Standard output as a terminal of so many columns gets it."""
    control, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    p = subprocess.Popen([muster, *args], stdin=subprocess.PIPE, stdout=terminal, stderr=subprocess.PIPE,
                         env={**environment(), "TERM": "xterm", **env})
    os.close(terminal)
    p.stdin.write(CLUSTER.encode())
    p.stdin.close()
    out = b""
    while True:
        try:
            piece = os.read(control, 65536)
        except OSError:  # how a terminal says that it is over
            break
        if not piece:
            break
        out += piece
    os.close(control)
    p.stderr.close()
    p.wait()
    return out.decode().replace("\r\n", "\n")


def longest(text):
    return max(len(line) for line in text.splitlines())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tap, muster = Tap(), os.path.abspath(sys.argv[1])
    try:
        for fd in pty.openpty():
            os.close(fd)
    except OSError as e:  # in a chroot without /dev/pts
        tap.skip("what a terminal gets", "no terminal can be opened here: %s" % e)
        return tap.end()
    plan = ["plan", "-f", "-"]
    for columns in (80, 100, 120):
        for args in (plan, plan + ["-o", "wide"], plan + ["--explain", LONG + "-0"]):
            text = at_terminal(muster, *args, columns=columns, NO_COLOR="1")
            title = (args[3:] or ["the table"])[-1].replace(LONG + "-0", "an explanation")
            tap.point("%s fits %d columns" % (title, columns), [text] if longest(text) > columns else [])
    text = at_terminal(muster, *plan, columns=80, NO_COLOR="1")
    tap.point("long names are cut in the middle", [] if ".." in text and "about-1" in text else [text])
    text = at_terminal(muster, *plan, columns=300, NO_COLOR="1")
    tap.point("names are whole where there is room", [] if LONG + "-0" in text else [text])
    text = run(muster, *plan, stdin=CLUSTER.encode()).out.decode()
    tap.point("names are whole for programs", [] if LONG + "-0" in text and "\033" not in text else [text])
    tap.point("a message is one line for programs",
              [text] if not any("3 node(s)" in line and "taint" in line for line in text.splitlines()) else [])
    text = run(muster, *plan, stdin=CLUSTER.encode(), env={**environment(), "COLUMNS": "80"}).out.decode()
    tap.point("COLUMNS wraps without a terminal",
              [] if LONG + "-0" in text and not any(line.startswith("    ") and len(line) > 80
                                                    for line in text.splitlines()) else [text])

    tap.point("coloured at a terminal", [] if "\033[" in at_terminal(muster, *plan) else ["no colours"])
    tap.point("not with NO_COLOR", ["colours"] if "\033" in at_terminal(muster, *plan, NO_COLOR="1") else [])
    tap.point("an empty NO_COLOR is none", [] if "\033[" in at_terminal(muster, *plan, NO_COLOR="") else ["no colours"])
    tap.point("not where TERM is dumb", ["colours"] if "\033" in at_terminal(muster, *plan, TERM="dumb") else [])
    tap.point("JSON is never coloured", ["colours"] if "\033" in at_terminal(muster, *plan, "-o", "json") else [])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
