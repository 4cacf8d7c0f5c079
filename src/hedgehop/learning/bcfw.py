# SPDX-License-Identifier: BSD-3-Clause
"""Block-coordinate Frank-Wolfe (Lacoste-Julien et al. 2013), in pairwise steps over kept planes.

The dual of the training problem gives every example a budget C to spread over its labelings::

    D(a) = sum_ny a_ny loss_ny - 1/2 |w|^2,    w = [v]_+,    v = sum_ny a_ny change_ny

The box of attractive weights is inside the dual: w is the projection of v at every moment, and the gap to the primal
value at w is exactly the Frank-Wolfe gap. One visit of an example asks the oracle for its worst labeling and moves
budget there from its best-satisfied one (pairwise steps: Osokin et al. 2016). Between two passes of the oracle, the
same steps are made among the planes already known, at nearly no cost (Shah, Kolmogorov, Lampert 2015).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles
from hedgehop.learning.line_search import best_step
from hedgehop.learning.solution import Report, Solution
from hedgehop.learning.training import Plane, Training

_CACHED_PASSES = 10  # at most, between two passes of the oracle
_PLANES = 30  # of one example; more are kept only while they are in use
_CHECK = 10  # passes after which the gap is measured at the latest


class Block:
    """The planes of one example, the first being that of the right labeling, and the budget each has."""

    def __init__(self, C: float) -> None:
        self.budget = np.array([C])
        self.losses = np.zeros(1)
        self._columns: list[NDArray[np.intp]] = [np.zeros(1, np.intp)]  # what is not zero of each change
        self._values: list[Doubles] = [np.zeros(1)]
        self._pack()

    def add(self, change: Doubles, loss: float) -> None:
        """Keep a plane, without budget; forget the oldest unused one where there are too many."""
        columns = np.flatnonzero(change)
        unused = np.flatnonzero(self.budget == 0.0)
        if len(self.losses) >= _PLANES and unused.size:
            self._drop(int(unused[0]))
        self._columns.append(columns if columns.size else np.zeros(1, np.intp))
        self._values.append(change[self._columns[-1]])
        self.budget = np.append(self.budget, 0.0)
        self.losses = np.append(self.losses, loss)
        self._pack()

    def heights(self, weights: Doubles) -> Doubles:
        """Return ``loss - <w, change>`` of all planes."""
        return np.asarray(self.losses - np.add.reduceat(self._flat * weights[self._places], self._starts))

    def difference(self, up: int, down: int, size: int) -> Doubles:
        """Return how v changes a unit of budget moved between two planes."""
        change = np.zeros(size)
        change[self._columns[up]] += self._values[up]
        change[self._columns[down]] -= self._values[down]
        return change

    def _drop(self, k: int) -> None:
        del self._columns[k], self._values[k]
        self.budget, self.losses = np.delete(self.budget, k), np.delete(self.losses, k)

    def _pack(self) -> None:
        self._places = np.concatenate(self._columns)
        self._flat = np.concatenate(self._values)
        sizes = np.array([c.size for c in self._columns])
        self._starts = np.cumsum(sizes) - sizes


class Dual:
    """The point in the dual, the weights it gives, and the mean of the points passed."""

    def __init__(self, training: Training, C: float) -> None:
        self.training = training
        self.blocks = [Block(C) for _ in range(len(training))]
        self.v = np.zeros(training.joint.size)
        self.w = self.v.copy()
        self.loss = 0.0
        self._mean_v, self._mean_loss = self.v.copy(), 0.0
        self._steps = 0

    def visit(self, n: int, plane: Plane | None = None) -> float:
        """Move budget of one example from its lowest plane to its highest; return how far its part was from optimal."""
        block = self.blocks[n]
        if plane is not None:
            block.add(plane.change, plane.loss)
        heights = block.heights(self.w)
        up = int(np.argmax(heights))
        down = int(np.argmin(np.where(block.budget > 0.0, heights, np.inf)))
        gap = float(block.budget @ (heights[up] - heights))
        if heights[up] > heights[down]:
            self._move(block, up, down)
        return gap

    def average(self) -> None:
        """Take the current point into the mean, later ones with more weight."""
        share = 2.0 / (self._steps + 2.0)
        self._mean_v += share * (self.v - self._mean_v)
        self._mean_loss += share * (self.loss - self._mean_loss)
        self._steps += 1

    def points(self) -> list[tuple[Doubles, float]]:
        """Return the weights and dual values of the current point and of the mean."""
        mean = self.training.project(self._mean_v)
        return [(self.w, _value(self.w, self.loss)), (mean, _value(mean, self._mean_loss))]

    def _move(self, block: Block, up: int, down: int) -> None:
        dv = block.difference(up, down, self.v.size)
        dl = float(block.losses[up] - block.losses[down])
        most = float(block.budget[down])
        step = best_step(self.v, dv, dl, self.training.joint.attractive, most)
        block.budget[up] += step
        block.budget[down] = 0.0 if step == most else block.budget[down] - step
        self.v += step * dv
        self.w = self.training.project(self.v)
        self.loss += step * dl


def _value(weights: Doubles, loss: float) -> float:
    return loss - 0.5 * float(weights @ weights)


def bcfw(training: Training, C: float, tol: float, max_iter: int, report: Report) -> Solution:
    """Maximise the dual, one example at a time, until the duality gap is small."""
    dual, random = Dual(training, C), np.random.default_rng(0)
    solution = Solution(dual.w.copy())
    for solution.iterations in range(1, max_iter + 1):
        order = random.permutation(len(training))
        open_gap = _pass_of_the_oracle(dual, training, order)
        _cached_passes(dual, order, 0.3 * open_gap)
        best = max(value for _, value in dual.points())
        solution.improve(best)
        if open_gap <= tol * (best + open_gap) or solution.iterations % _CHECK == 0 or solution.iterations == max_iter:
            _judge(solution, dual, C)
        report(solution)
        if solution.gap <= tol:
            break
    return solution


def _pass_of_the_oracle(dual: Dual, training: Training, order: NDArray[np.intp]) -> float:
    """Visit all examples; return the sum of their gaps, each at its own moment."""
    total = 0.0
    for n in order:
        total += dual.visit(n, training.worst(n, dual.w))
        dual.average()
    return total


def _cached_passes(dual: Dual, order: NDArray[np.intp], enough: float) -> None:
    """Visit all examples without the oracle, until what the known planes leave open is small."""
    for _ in range(_CACHED_PASSES):
        if sum(dual.visit(n) for n in order) <= enough:
            break


def _judge(solution: Solution, dual: Dual, C: float) -> None:
    """Measure the primal value at the point with the larger dual: the mean early on, the last one later."""
    weights, _ = max(dual.points(), key=lambda point: point[1])
    solution.judge(dual.training, weights, C)
