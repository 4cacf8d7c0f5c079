# SPDX-License-Identifier: BSD-3-Clause
"""One-slack cutting planes (Joachims, Finley, Yu 2009): one plane a round, the sum of all examples' planes.

Few planes, so that the quadratic program stays small whatever the number of examples; more rounds than n-slack.
"""

from __future__ import annotations

import numpy as np

from hedgehop._arrays import Doubles
from hedgehop.learning.cutting_planes import PlaneSet, cut
from hedgehop.learning.solution import Report, Solution
from hedgehop.learning.training import Plane, Training


def one_slack(training: Training, C: float, tol: float, max_iter: int, report: Report) -> Solution:
    """Minimise ``1/2 |w|^2 + C xi`` with xi above the sum of planes, one for every choice of a labeling an example."""
    return cut(PlaneSet(training, C, patience=20), _sum_of_all, tol, max_iter, report)


def _sum_of_all(planes: PlaneSet, found: list[Plane], weights: Doubles) -> bool:
    change = np.sum([plane.change for plane in found], axis=0)
    loss = sum(plane.loss for plane in found)
    height = float(planes.heights(weights, 1)[0])
    planes.add(0, change, loss)
    return loss - float(change @ weights) > height * (1.0 + 1e-12)
