# SPDX-License-Identifier: BSD-3-Clause
"""Does an installed wheel work? Needs numpy and scipy only; run with the Python it is installed in."""

import time

import numpy as np
import scipy.optimize
import scipy.sparse  # noqa: F401

start = time.process_time()
import hedgehop as hh  # noqa: E402

spent = time.process_time() - start

row, column = np.mgrid[:12, :18]
scores = np.stack([np.sin(row / 3), np.cos(column / 4), np.sin((row + column) / 5)], axis=-1)
for diversity in (hh.VariableCoverage(), hh.HammingBall(gamma=0.1), hh.LabelCoverage(), hh.TransitionCoverage()):
    found = hh.diverse(hh.Grid(scores, smoothness=0.4), diversity, m=4, tradeoff=2.0)
    assert found.objective <= found.upper_bound + 1e-9, diversity
    assert found.distinct > 1, diversity
chain = hh.Chain(np.random.default_rng(0).normal(size=(30, 4)), np.eye(4))
assert hh.diverse(chain, hh.HammingBall(gamma=0.5), m=3, tradeoff=5.0).distinct == 3
assert spent < 0.3, spent
print(f"hedgehop {hh.__version__} works; import took {spent:.2f} s beyond numpy and scipy")
