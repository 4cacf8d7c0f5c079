# SPDX-License-Identifier: BSD-3-Clause
"""The training problem and its oracle: which labeling violates the margin of an example most.

::

    min_w 1/2 |w|^2 + C sum_n xi_n,    w_a >= 0 for attractive weights a
    xi_n = max_y Delta(y_n, y) - <w, psi(x_n, y_n) - psi(x_n, y)>

A labeling y of example n gives the plane ``loss - <w, change>`` below xi_n. Scores that an input brings, which are not
learned, are part of that loss. Every solver sees the problem through
:meth:`Training.worst` alone: one MAP inference with the loss added to the unary scores, which keeps a supermodular
model supermodular.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop.learning.examples import Example
from hedgehop.learning.joint import JointMap
from hedgehop.oracles.base import Oracle, Step
from hedgehop.potentials import Linear

_KEPT = 8  # labelings of an example remembered where the oracle is not exact


@dataclass(frozen=True, eq=False)
class Plane:
    """One labeling seen as a lower bound on the loss: ``loss - <w, change>``."""

    change: Doubles
    loss: float
    bound: float  # no labeling reaches more, for the weights it was found with

    def value(self, weights: Doubles) -> float:
        """Height of the plane."""
        return self.loss - float(self.change @ weights)


class Training:
    """Examples with their truths and losses.

    Parameters
    ----------
    joint : JointMap
        The features.
    examples, truths : lists
        Inputs and flat labelings.
    losses : list of (n, L) arrays
        Cost of each label.
    oracle : Oracle
        Finds the labelings.
    """

    def __init__(
        self, joint: JointMap, examples: list[Example], truths: list[Labels], losses: list[Doubles], oracle: Oracle
    ) -> None:
        self.joint = joint
        self._examples = examples
        self._truths = truths
        self._losses = [Linear(loss) for loss in losses]
        self._right = [joint.features(e, y) for e, y in zip(examples, truths, strict=True)]
        self._oracle = oracle
        self._kept: list[list[Labels]] = [[] for _ in examples]
        self.calls = 0

    def __len__(self) -> int:
        return len(self._examples)

    def project(self, weights: Doubles) -> Doubles:
        """Return the nearest weights that are allowed."""
        allowed: Doubles = weights.copy()
        box = self.joint.attractive
        allowed[box] = np.maximum(allowed[box], 0.0)
        return allowed

    def worst(self, n: int, weights: Doubles) -> Plane:
        """Return the plane of the labeling that violates the margin of example n most.

        Where the oracle is not sure, labelings it found for other weights are looked at, too: a warm start.
        """
        self.calls += 1
        model = self.joint.model(self._examples[n], weights)
        step = self._oracle.on(model).step([self._losses[n]])
        labeling = step.labeling.reshape(-1)
        if not step.exact:
            labeling = self._better(n, step, np.asarray(model.score(np.stack([*self._kept[n], labeling]))))
        change = self._right[n] - self.joint.features(self._examples[n], labeling)
        added = self._examples[n].added(self._truths[n])
        loss = self._loss(n, labeling) + self._examples[n].added(labeling) - added
        return Plane(change, loss, step.upper_bound - float(self._right[n] @ weights) - added)

    def _loss(self, n: int, labeling: Labels) -> float:
        theta = self._losses[n].theta
        return float(theta[np.arange(labeling.size), labeling].sum())

    def _better(self, n: int, step: Step, scores: Doubles) -> Labels:
        """Return the best of the kept labelings and the one just found, which is kept from now on."""
        known = [*self._kept[n], step.labeling.reshape(-1)]
        values = [score + self._loss(n, y) for score, y in zip(scores, known, strict=True)]
        best = known[int(np.argmax(values))]
        self._kept[n] = known[-_KEPT:]
        return best
