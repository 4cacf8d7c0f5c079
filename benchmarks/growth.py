# SPDX-License-Identifier: BSD-3-Clause
"""How time grows: a pixel's share from small images to large ones, and a labeling's share from short lists to long."""

from __future__ import annotations

import diverse
import problems
import solvers
import table

import hedgehop as hh

FLAT = 2.0  # a share may be this many times that of the first line: caches end somewhere


def shares(what, unit, works):
    """Print the time a unit, and its ratio to the first one's."""
    first = None
    for name, count, work in works:
        spent = min(table.timed(work)[0] for _ in range(3)) / count
        first = first or spent
        met = "yes" if spent <= FLAT * first else "no"
        figure = f"{spent * 1e9:.0f} ns" if spent < 1e-4 else f"{spent * 1e3:.2f} ms"
        table.row(f"growth, {what}, {name}, {unit}", figure, ratio=f"{spent / first:.2f}", goal=f"{FLAT:.2f}", met=met)


def best_of(given):
    return lambda: hh.best(solvers.built(given))


def run(quick):
    sizes = (16, 32) if quick else (64, 128, 256, 512, 1024, 2048)
    grids = [problems.binary_grid(size) for size in sizes]
    shares("cut", "a pixel", [(p["name"], p["n"], best_of(solvers.arrays(p))) for p in grids])
    many = [problems.multilabel_grid(size, hard=True) for size in sizes[:-1]]
    works = [(p["name"], p["n"], lambda p=p: solvers.messages(p).run(iterations=10)) for p in many]
    shares("10 iterations", "a pixel", works)
    problem = problems.binary_grid(sizes[0] if quick else 256)
    given = solvers.arrays(problem)
    lengths = (2, 4) if quick else (5, 10, 20, 40)
    works = [(f"M = {m}", m, lambda m=m: diverse.library(given, diverse.PENALTY, m)) for m in lengths]
    shares(problem["name"], "a labeling", works)
