"""Potentials of distances as sums of terms, each a function of the distance to one labeling.

A cardinality potential is one term. The gain of a union of balls is none of them, but it has bounds that are:
with weights beta (cpp/union_weights.hpp), ``gain <= constant + sum_j beta_j (1 - overlap_j)``; and with the shares
of each ball in the union at one labeling, the same sum is tight there and steers the search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.oracles.curves import Curve, curve_of
from hedgehop.potentials import BallCoverage, BallUnion, Cardinality, Potential
from hedgehop.potentials.distances import MOST_EXACT

Union = BallCoverage | BallUnion
DISTANCES = (Cardinality, BallCoverage, BallUnion)


@dataclass(frozen=True, eq=False)
class View:
    """``constant + sum_j weights[j] * term_j``: the potentials, or what stands in for them."""

    weights: Doubles
    constant: float


@dataclass(frozen=True, eq=False)
class Family:
    """Terms of one potential: `references` (J, n), all with the same weights of variables and the same curve."""

    potential: Cardinality | Union
    references: Labels
    weights: Doubles | None
    curve: Curve

    @property
    def scale(self) -> float:
        """The value of one whole ball; 0 for a plain function of a distance."""
        return self.potential.scale if isinstance(self.potential, (BallCoverage, BallUnion)) else 0.0

    def overlaps(self, distances: Doubles) -> Doubles:
        """Shares (at least) that balls at given distances have in common."""
        return np.ascontiguousarray(1.0 - self.curve.above(distances) / self.scale)

    def shares(self, labeling: Labels, distances: Doubles) -> Doubles:
        """What each ball adds to the union, against what it overlaps with this labeling's ball (TRWS 3.1)."""
        potential = self.potential
        if not isinstance(potential, BallCoverage):
            return np.ones(len(self.references))
        overlaps = self.overlaps(distances)
        order = np.argsort(-overlaps, kind="stable")
        result = np.empty(overlaps.size)
        if overlaps.size <= MOST_EXACT:
            members = np.ascontiguousarray(self.references[order])
            missed = np.append(1.0, _core.ball_prefix_gains(labeling, members, potential.decay))
            result[order] = np.clip(-np.diff(missed) / np.maximum(overlaps[order], 1e-300), 0.0, 1.0)
        else:  # the value is a product: each ball's share is what the earlier ones miss
            result[order] = np.cumprod(np.append(1.0, 1.0 - overlaps[order]))[:-1]
        return result


class Terms:
    """All terms of a step's distance potentials, in one order."""

    def __init__(self, potentials: Sequence[Cardinality | Union]) -> None:
        self.families = [_family(p) for p in potentials]
        sizes = [len(f.references) for f in self.families]
        ends = np.cumsum(sizes).tolist()
        self.places = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
        self.curves = [f.curve for f in self.families for _ in f.references]
        self.units = np.array([c.unit for c in self.curves])
        self.references = np.concatenate([f.references for f in self.families])
        n = self.references.shape[1]
        own = [np.ones(n) if f.weights is None else f.weights for f in self.families]
        self._weights = [w for f, w in zip(self.families, own, strict=True) for _ in f.references]
        self.core = _core.DistanceTerms(
            self.references,
            [f.weights for f in self.families for _ in f.references],
            [c.values for c in self.curves],
            self.units,
        )

    @property
    def has_unions(self) -> bool:
        """Whether some potential is no sum of terms, so that the bound and the steering differ."""
        return any(f.scale for f in self.families)

    def values(self, distances: Doubles) -> Doubles:
        """Concave envelopes of all terms at (K, J) distances."""
        columns = [c.above(distances[:, j]) for j, c in enumerate(self.curves)]
        return np.stack(columns, axis=1)

    def steering(self, labeling: Labels, distances: Doubles) -> View:
        """A view that is close to the potentials near a labeling, and an upper bound everywhere."""
        weights, constant = np.ones(len(self.curves)), 0.0
        for family, place in zip(self.families, self.places, strict=True):
            if family.scale:
                beta = family.shares(labeling, distances[place])
                weights[place] = beta
                between = self._between(family)
                pairs = (beta @ between @ beta - beta**2 @ np.diag(between)) / 2  # a cluster a ball
                constant += family.scale * (1.0 - beta.sum() + pairs)
        return View(weights, float(constant))

    def bounding(self, scores: Doubles, distances: Doubles) -> View:
        """A view that is nowhere below the potentials, and low at the labelings known, (K,) and (K, J)."""
        weights, constant = np.ones(len(self.curves)), 0.0
        values = self.values(distances)
        plain = [p for f, p in zip(self.families, self.places, strict=True) if not f.scale]
        base = scores + sum((values[:, p].sum(axis=1) for p in plain), start=np.zeros(len(scores)))
        for family, place in zip(self.families, self.places, strict=True):
            if family.scale:
                overlaps = family.overlaps(distances[:, place])
                beta, pairs = _core.union_weights(base / family.scale, overlaps, self._between(family))
                weights[place] = beta
                constant += family.scale * (1.0 - float(beta.sum()) + pairs)
                base = base + values[:, place] @ beta
        return View(weights, float(constant))

    def weights(self, j: int) -> Doubles:
        """What each variable counts in the distance of term j."""
        return self._weights[j]

    @staticmethod
    def _between(family: Family) -> Doubles:
        return family.overlaps(_core.hamming(family.references, family.references, family.weights))


def unfit(potential: Potential) -> str | None:
    """Return why a distance potential cannot be split into terms; None if it can."""
    if isinstance(potential, (BallCoverage, BallUnion)):
        return None if potential.scale > 0 else "a ball's gain must have a positive scale"
    assert isinstance(potential, Cardinality)
    if not callable(potential.table):
        return None if np.isfinite(potential.table).all() else "it cannot forbid counts"
    return None if curve_of(potential) else "a function of a fractional weighted count needs a slope method"


def _family(potential: Cardinality | Union) -> Family:
    pairs = [potential] if isinstance(potential, Cardinality) else [potential.pair(potential.chosen[0])]
    found = curve_of(pairs[0])
    assert found is not None  # see `unfit`
    references = potential.reference[None] if isinstance(potential, Cardinality) else potential.chosen
    return Family(potential, np.ascontiguousarray(references), *found)
