# SPDX-License-Identifier: BSD-3-Clause
"""Memory of lists on large models: tables of all labels, and copies of the scores, do not come back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux's peaks")

# Prints by how many times the memory of its scores a call raises the peak of a process that has them, beyond what the
# same call takes that solves nothing large: modules, caches, threads.
SCRIPT = """
import sys
import numpy as np
import hedgehop as hh

def rise(call, grid):
    with open("/proc/self/clear_refs", "w") as peak:
        peak.write("5")
    before = size("VmRSS")
    call(grid)
    return size("VmHWM") - before

def size(field):
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith(field))

def grid(side):
    scores = np.random.default_rng(0).normal(size=(side, side, 24)).astype(np.float32)
    scores[..., 0] += 1.0
    scores.flags.writeable = False
    return hh.Grid(scores, smoothness=0.3)

calls = {
    "best": lambda grid: hh.best(grid),
    "costs": lambda grid: hh.best(grid, [hh.potentials.LabelWeights(-40.0 * np.arange(24))]),
    "list": lambda grid: hh.diverse(grid, m=3, tradeoff=0.3, certify=False),
    "hamming": lambda grid: hh.diverse(grid, hh.LinearHamming(), m=3, tradeoff=0.2, certify=False),
    "certified": lambda grid: hh.diverse(grid, m=3, tradeoff=0.3, certify=2),
}
call = calls[sys.argv[1]]
call(grid(8))
large = grid(224)
print(rise(call, large) / large.unary.nbytes)
"""
# Messages take 2 times the scores, their fixed points 1, edges and labelings 1.
MOST = {"best": 5.0, "costs": 14.0, "list": 5.7, "hamming": 5.7, "certified": 7.5}


@pytest.mark.parametrize("call", MOST)
def test_peaks_stay_a_small_multiple_of_the_scores(call: str) -> None:
    told = subprocess.run([sys.executable, "-c", SCRIPT, call], capture_output=True, text=True, check=True)
    assert float(told.stdout) < MOST[call]
