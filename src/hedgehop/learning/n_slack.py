# SPDX-License-Identifier: BSD-3-Clause
"""n-slack cutting planes (Tsochantaridis et al. 2005): every example has planes and a slack of its own.

Few rounds, but the quadratic program grows with the examples: for small sets, and to compare with.
"""

from __future__ import annotations

from hedgehop._arrays import Doubles
from hedgehop.learning.cutting_planes import PlaneSet, cut
from hedgehop.learning.solution import Report, Solution
from hedgehop.learning.training import Plane, Training


def n_slack(training: Training, C: float, tol: float, max_iter: int, report: Report) -> Solution:
    """Minimise ``1/2 |w|^2 + C sum_n xi_n`` with xi_n above the planes of example n."""
    share = 0.1 * tol  # violations below this share of the primal value cannot be what keeps the gap open

    def collect(planes: PlaneSet, found: list[Plane], weights: Doubles) -> bool:
        heights = planes.heights(weights, len(found))
        values = [plane.value(weights) for plane in found]
        margin = share * sum(values) / len(values)
        new = [n for n, value in enumerate(values) if value > heights[n] + margin]
        for n in new:
            planes.add(n, found[n].change, found[n].loss)
        return bool(new)

    return cut(PlaneSet(training, C, patience=3), collect, tol, max_iter, report)
