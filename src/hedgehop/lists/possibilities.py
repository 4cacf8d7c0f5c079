# SPDX-License-Identifier: BSD-3-Clause
"""What the truth may be: labelings with their chances, and how well other labelings would do against them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.potentials.samples import agreement

_EQUALLY_NEAR = 1e-12  # similarities that differ by less are equal
_SMALL_LABEL = 0.02  # share of all variables from which a label that is missing counts in full


@dataclass(frozen=True, eq=False)
class Possibilities:
    """Labelings that the truth may be.

    Attributes
    ----------
    rows : (K, n) array of labels
    chances : (K,) array
        They sum to 1.
    weights : (n,) array
        What each variable counts.
    n_labels : int
        Number of labels.
    by_overlap : bool
        Whether labelings are compared by intersection over union, mean over labels, and not variable by variable.
    origin : str
        Where they come from, as text.
    of_model : bool
        Whether a model gave them their chances, at a temperature that is part of them.
    reach : float
        How far the truth usually is from the possibility that stands for it, in units of similarity. Differences in
        similarity below that say little about which labeling is the nearest one.
    alone : (n, L) array, optional
        Probability of each label by the scores of its variable alone. It counts where it favours the same label as the
        rows, but is less sure.
    """

    rows: Labels
    chances: Doubles
    weights: Doubles
    n_labels: int
    by_overlap: bool = False
    origin: str = ""
    of_model: bool = False
    reach: float = 0.0
    alone: Doubles | None = None

    def flattened(self, temperature: float) -> Possibilities:
        """Return the same labelings with probabilities to the power of 1 / temperature."""
        if temperature == 1.0:
            return self
        alone = None if self.alone is None else _to_power(self.alone, 1.0 / temperature)
        return replace(self, chances=_to_power(self.chances, 1.0 / temperature), alone=alone)

    def nearest(self, members: Labels) -> Doubles:
        """Probability that each of (m, n) labelings is the nearest one to the truth, (m,)."""
        shares = self.nearest_members(members) @ self.chances
        return own(shares / shares.sum())

    def nearest_members(self, members: Labels) -> Doubles:
        """Which of (m, n) labelings are the nearest to each possibility, (m, K): shares that sum to 1.

        Labelings share a possibility if they are equally near, or by ``exp(similarity / reach)`` if it has a reach.
        """
        similar = self.similarities(members)
        behind = similar.max(axis=0) - similar
        shares = np.exp(-behind / self.reach) if self.reach > 0 else behind <= _EQUALLY_NEAR
        return np.asarray(shares / shares.sum(axis=0))

    def far_from(self, members: Labels, distance: float) -> float:
        """Probability that the truth differs from all (m, n) labelings in more than a share of the variables.

        If possibilities have a reach, the truth is farther away than they are, by an exponential variable of that mean.
        """
        missing = distance - (1.0 - agreement(members, self.rows, self.weights).max(axis=0))
        far = np.exp(-np.maximum(missing, 0.0) / self.reach) if self.reach > 0 else missing < -_EQUALLY_NEAR
        return float(np.clip(far @ self.chances, 0.0, 1.0))

    def similarities(self, members: Labels) -> Doubles:
        """How similar (m, n) labelings and the possibilities are, (m, K)."""
        compare = overlaps if self.by_overlap else agreement
        return compare(np.ascontiguousarray(members, np.int32), self.rows, self.weights)

    @cached_property
    def marginals(self) -> Doubles:
        """Probability of each label of each variable, (n, L)."""
        shares = np.zeros((self.rows.shape[1], self.n_labels))
        places = np.arange(self.rows.shape[1])
        for row, chance in zip(self.rows, self.chances, strict=True):
            shares[places, row] += chance
        shares /= shares.sum(axis=1, keepdims=True)
        if self.alone is None:
            return own(shares)
        too_sure = shares.max(axis=1) > self.alone.max(axis=1)
        too_sure &= shares.argmax(axis=1) == self.alone.argmax(axis=1)
        return own(np.where(too_sure[:, None], self.alone, shares))

    def expected_overlap(self, members: Labels) -> Doubles:
        """Expected intersection over union of (m, n) labelings, mean over labels: (m,).

        Candidates know which labels go together, marginals know doubts that no candidate has; half of each.
        """
        byclass = self.classwise_overlap(members)
        return (byclass + self.similarities(members) @ self.chances) / 2.0 if self.by_overlap else byclass

    def classwise_overlap(self, members: Labels) -> Doubles:
        """Expected intersection over expected union, mean over labels, of (m, n) labelings: (m,).

        Labels that a labeling does not have, but that are expected, count half; less if little of them is expected.
        """
        total, count = np.zeros(len(members)), np.zeros(len(members))
        expected = self.weights @ self.marginals
        for label in range(self.n_labels):
            here = (members == label).astype(np.float64)
            both, area = here @ (self.weights * self.marginals[:, label]), here @ self.weights
            union = area + expected[label] - both
            missing = 0.5 * min(1.0, expected[label] / (_SMALL_LABEL * self.weights.sum()))
            counts = np.where(area > 0, 1.0, missing)
            total += counts * np.divide(both, union, out=np.zeros_like(both), where=union > 0)
            count += counts
        return np.asarray(total / np.maximum(count, np.finfo(float).tiny))


def _to_power(probabilities: Doubles, power: float) -> Doubles:
    """Return distributions (..., L) to a power, scaled to sum to 1 again."""
    with np.errstate(divide="ignore"):
        logs = power * np.log(probabilities)
    powers = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return own(powers / powers.sum(axis=-1, keepdims=True))


def overlaps(a: Labels, b: Labels, weights: Doubles) -> Doubles:
    """IoU of labelings (m, n) and (k, n), mean over the labels in either: (m, k)."""
    total, count = np.zeros((len(a), len(b))), np.zeros((len(a), len(b)))
    for label in np.union1d(a, b):
        here, there = (a == label) * weights, (b == label).astype(np.float64)
        both = here @ there.T
        union = here.sum(axis=1)[:, None] + there @ weights - both
        total += np.divide(both, union, out=np.zeros_like(both), where=union > 0)
        count += union > 0
    return total / np.maximum(count, 1.0)
