# SPDX-License-Identifier: BSD-3-Clause
"""The one table: problem, ours, peer, ratio, kernel, goal, met, energies; and how times are taken.

*Ours* is what users call, from the arrays they have, building the model included; *kernel* the ratio of the compiled
solver alone, from the integers it likes best.

Times are of the processor (every solver uses one thread here, and machines are shared) and least of several turns;
solvers take turns, so that a ratio compares what the machine did at the same time. What takes long is measured once.
"""

from __future__ import annotations

import importlib
import time

ROWS = []  # all that was printed, for page.py
ONLY = []  # names of problems, or parts of them, if not all are wanted
PEERS = {"maxflow": "PyMaxflow", "gco": "gco-wrapper", "pytoulbar2": "pytoulbar2"}


def peer(module):
    """Return the module of a peer, or None where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def wanted(problem):
    """Whether a problem is to be measured."""
    return not ONLY or any(part in problem["name"] for part in ONLY)


def missing():
    return [name for module, name in PEERS.items() if peer(module) is None]


def timed(work):
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def turns(repeats, *works):
    """Least time and last result of each work, one after the other in every turn (None for None)."""
    runs = [[timed(work) if work is not None else None for work in works] for _ in range(repeats)]
    return [None if run[0] is None else (min(t for t, _ in run), run[-1][1]) for run in zip(*runs, strict=True)]


def header():
    row("problem", "ours", "peer", "ratio", "kernel", "goal", "met", "energies")


def row(problem, ours, peer="", ratio="", kernel="", goal="", met="", energies=""):
    ROWS.append((problem, ours, peer, ratio, kernel, goal, met, energies))
    print(f"{problem:46} {ours:>10} {peer:>10} {ratio:>7} {kernel:>7} {goal:>7} {met:>4}  {energies}", flush=True)


def compared(problem, ours, theirs, goal, energies="", good=True, kernel=None):
    """Print times in seconds against a peer's; met also needs the energies to be good."""
    if theirs is None:
        row(problem, seconds(ours), "-", "-", "" if kernel is None else "-", f"{goal:.3f}", "-", energies)
        return
    met = "yes" if ours <= goal * theirs and good else "no"
    alone = "" if kernel is None else f"{kernel / theirs:.3f}"
    row(problem, seconds(ours), seconds(theirs), f"{ours / theirs:.3f}", alone, f"{goal:.3f}", met, energies)


def limited(problem, value, unit, goal):
    """Print a figure that has a limit of its own."""
    row(problem, f"{value:.1f} {unit}", goal=f"{goal:g}", met="yes" if value <= goal else "no")


def seconds(value):
    return f"{1e3 * value:.1f} ms" if value < 10 else f"{value:.1f} s"


def verdict(ours, theirs, tolerance=0.0):
    """Say how our energy compares, and whether it is no worse than allowed (lower is better)."""
    if theirs is None:
        return f"ours {ours:.0f}", True
    change = (ours - theirs) / abs(theirs)
    same = abs(change) < 5e-6  # what three digits of a per cent show: ties are broken otherwise, sums rounded
    return "equal" if same else f"{'better' if ours < theirs else 'worse'} ({change:+.3%})", same or change <= tolerance
