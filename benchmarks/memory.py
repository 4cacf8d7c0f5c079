# SPDX-License-Identifier: BSD-3-Clause
"""Peaks of memory (Linux): ``python benchmarks/memory.py --sides 512 1024 --cases best certified``.

Each case runs in a process of its own, on multilabel_grid(side, hard=True) of problems.py in float32. A peak is how far
VmHWM rises above VmRSS before the model is built, plus the scores, which are shared with the model, in units of the
scores. A call on an image of 8 x 8 pixels comes first, so that modules do not count.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import problems

import hedgehop as hh

LABELS = 21
CASES = {
    "best": lambda grid: hh.best(grid),
    "label-costs": lambda grid: hh.best(grid, [hh.potentials.LabelWeights(-100.0 * np.arange(LABELS))]),
    "list": lambda grid: hh.diverse(grid, m=5, tradeoff=1.0, certify=False),
    "certified": lambda grid: hh.diverse(grid, m=5, tradeoff=1.0),
    "hamming": lambda grid: hh.diverse(grid, hh.LinearHamming(), m=5, tradeoff=0.1, certify=False),
    "labels": lambda grid: hh.diverse(
        grid, hh.LabelCoverage(ignore=()), m=5, tradeoff=0.02 * grid.n_variables, certify=False
    ),
}


def image(side):
    """Frozen float32 scores and the strengths to the right and down."""
    problem = problems.multilabel_grid(side, LABELS, hard=True)
    scores = np.array(-problem["U"].reshape(side, side, LABELS) / problems.SCALE, np.float32)
    scores.flags.writeable = False
    right, down = np.split(problem["w"] / problems.SCALE, 2)
    return scores, [right.reshape(side, side - 1), down.reshape(side - 1, side)]


def size(field):
    """Return a size of this process, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(field))


def peak(case, side):
    """Print the peak of one case and what is left after it, in units of the scores, and CPU seconds."""
    CASES[case](hh.Grid(*image(8)))
    scores, strengths = image(side)
    hh._core.trim_memory()
    Path("/proc/self/clear_refs").write_text("5")
    before, start = size("VmRSS"), time.process_time()
    kept = CASES[case](hh.Grid(scores, strengths))
    spent = time.process_time() - start
    most, left = (1 + (size(field) - before) / scores.nbytes for field in ("VmHWM", "VmRSS"))
    print(f"{case:<12} {side:>5}{most:8.1f}{left:8.1f}{spent:8.1f} s", flush=True)
    del kept


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sides", type=int, nargs="+", default=[512])
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--here", action="store_true", help="in this process: the first case and side")
    options = parser.parse_args()
    if options.here:
        return peak(options.cases[0], options.sides[0])
    print("case          side    peak   after     CPU")
    for side in options.sides:
        for case in options.cases:
            subprocess.run([sys.executable, __file__, "--here", "--sides", str(side), "--cases", case], check=True)
    return None


if __name__ == "__main__":
    main()
