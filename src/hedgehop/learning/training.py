# SPDX-License-Identifier: BSD-3-Clause
"""The training problem: what wrong labelings cost, and which one violates the margin of an example most.

::

    min_w 1/2 |w|^2 + C sum_n xi_n,    w_a >= 0 for attractive weights a
    xi_n = max_y Delta(y_n, y) - <w, psi(x_n, y_n) - psi(x_n, y)>

A labeling y of example n gives the plane ``loss - <w, change>`` below xi_n. Scores that an input brings, which are not
learned, are part of that loss. Every solver sees the problem through
:meth:`Training.worst` alone: one MAP inference with the loss added to the unary scores, which keeps a supermodular
model supermodular.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels, finite, linear_scores
from hedgehop.models.unary import UnaryModel
from hedgehop.oracles.base import Oracle
from hedgehop.potentials import Linear

ClassWeight = str | Mapping[int, float] | ArrayLike | None
_KEPT_LABELINGS = 8  # of an example, remembered where the oracle is not exact


@dataclass(frozen=True, eq=False)
class Plane:
    """One labeling seen as a lower bound on the loss: ``loss - <w, change>``."""

    change: Doubles
    loss: float
    bound: float  # no labeling reaches more, for the weights it was found with

    def value(self, weights: Doubles) -> float:
        """Height of the plane."""
        return self.loss - float(self.change @ weights)


class FeatureMap(Protocol):
    """Features of an input together with a labeling, and the model that weights make of an input."""

    @property
    def size(self) -> int:
        """Number of weights."""

    @property
    def attractive(self) -> NDArray[np.intp]:
        """Which weights must not be negative: the last ones, or none."""

    def features(self, example: Any, labeling: Labels) -> Doubles:
        """Return psi(x, y), (size,)."""

    def model(self, example: Any, weights: Doubles) -> UnaryModel:
        """Return the model whose relevance is ``<weights, psi(x, y)>``, and the scores the input brings."""


class Training:
    """Inputs with their joint features, their flat truths, what each of their labels costs, (n, L), and an oracle."""

    def __init__(
        self, joint: FeatureMap, examples: Sequence[Any], truths: list[Labels], losses: list[Doubles], oracle: Oracle
    ) -> None:
        self.joint = joint
        self._examples = examples
        self._truths = truths
        self._losses = [Linear(loss) for loss in losses]
        self._right = [_not_zero(joint.features(e, y)) for e, y in zip(examples, truths, strict=True)]
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

        If the oracle is not sure, labelings that it found for other weights are also considered: a warm start.
        """
        self.calls += 1
        model = self.joint.model(self._examples[n], weights)
        step = self._oracle.on(model).step([self._losses[n]])
        labeling = step.labeling.reshape(-1)
        if not step.exact:
            known = np.stack([*self._kept[n], labeling])
            labeling = known[np.argmax(model.score(known) + linear_scores(self._losses[n].theta, known))]
            self._kept[n] = list(known[-_KEPT_LABELINGS:])
        change = -self.joint.features(self._examples[n], labeling)
        places, right = self._right[n]
        change[places] += right
        added = self._examples[n].added(self._truths[n])
        loss = float(linear_scores(self._losses[n].theta, labeling[None])[0])
        loss += self._examples[n].added(labeling) - added
        return Plane(change, loss, step.upper_bound - float(right @ weights[places]) - added)


def _not_zero(values: Doubles) -> tuple[NDArray[np.intp], Doubles]:
    """Places and values of entries that are not zero: features of text have a million, few of them in one sentence."""
    places = np.flatnonzero(values)
    return places, values[places]


def class_costs(class_weight: ClassWeight, truths: Sequence[Labels], n_labels: int) -> Doubles:
    """What missing one variable of each label costs, (L,)."""
    if class_weight is None:
        return np.ones(n_labels)
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f'class_weight must be "balanced", numbers, or None; got {class_weight!r}.')
        counts = np.bincount(np.concatenate(truths), minlength=n_labels)
        return np.asarray(counts.sum() / (np.count_nonzero(counts) * np.maximum(counts, 1)))
    if isinstance(class_weight, Mapping):
        class_weight = [class_weight.get(label, 1.0) for label in range(n_labels)]
    costs = finite(class_weight, "class_weight", shape=(n_labels,))
    if (costs < 0).any():
        raise ValueError(f"class_weight must be >= 0; got {costs.min():g}.")
    return costs


def loss_scores(truth: Labels, costs: Doubles, weights: Any = None) -> Doubles:
    """``Delta(y) = sum_i scores[i, y_i]``: the cost of the right label where y has another one, (n, L)."""
    own = costs[truth] if weights is None else costs[truth] * _arrays.weights(weights, "weights", truth.size)
    scores = np.repeat(own[:, None], costs.size, axis=1)
    scores[np.arange(truth.size), truth] = 0.0
    return scores
