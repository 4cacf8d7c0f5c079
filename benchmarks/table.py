# SPDX-License-Identifier: BSD-3-Clause
"""The one table: problem, ours, peer, ratio, goal, met, energies; and how times are taken.

Times are of the processor (every solver uses one thread here, and machines are shared) and least of several turns;
solvers take turns, so that a ratio compares what the machine did at the same time.
"""

from __future__ import annotations

import importlib
import time

ROWS = []  # all that was printed, for page.py
PEERS = {"maxflow": "PyMaxflow", "gco": "gco-wrapper", "pytoulbar2": "pytoulbar2"}


def peer(module):
    """Return the module of a peer, or None where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def missing():
    return [name for module, name in PEERS.items() if peer(module) is None]


def timed(work):
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def turns(ours, theirs, repeats):
    """Least time and last result of ours and of the peer's (None where there is no peer)."""
    mine, other = [], []
    for _ in range(repeats):
        mine.append(timed(ours))
        if theirs is not None:
            other.append(timed(theirs))
    return (min(t for t, _ in mine), mine[-1][1]), (min(t for t, _ in other), other[-1][1]) if other else None


def header():
    row("problem", "ours", "peer", "ratio", "goal", "met", "energies")


def row(problem, ours, peer="", ratio="", goal="", met="", energies=""):
    ROWS.append((problem, ours, peer, ratio, goal, met, energies))
    print(f"{problem:46} {ours:>10} {peer:>10} {ratio:>7} {goal:>7} {met:>4}  {energies}", flush=True)


def compared(problem, ours, theirs, goal, energies="", good=True):
    """Print times in seconds against a peer's; met also needs the energies to be good."""
    if theirs is None:
        row(problem, seconds(ours), "-", "-", f"{goal:.3f}", "-", energies)
        return
    met = "yes" if ours <= goal * theirs and good else "no"
    row(problem, seconds(ours), seconds(theirs), f"{ours / theirs:.3f}", f"{goal:.3f}", met, energies)


def limited(problem, value, unit, goal):
    """Print a figure that has a limit of its own."""
    row(problem, f"{value:.1f} {unit}", "", "", f"{goal:g}", "yes" if value <= goal else "no")


def seconds(value):
    return f"{1e3 * value:.1f} ms" if value < 10 else f"{value:.1f} s"


def verdict(ours, theirs, tolerance=0.0):
    """Say how our energy compares, and whether it is no worse than allowed (lower is better)."""
    if theirs is None:
        return f"ours {ours:.0f}", True
    change = (ours - theirs) / abs(theirs)
    same = abs(change) < 5e-6  # what three digits of a per cent show: ties are broken otherwise, sums rounded
    return "equal" if same else f"{'better' if ours < theirs else 'worse'} ({change:+.3%})", same or change <= tolerance
