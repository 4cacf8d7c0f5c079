# SPDX-License-Identifier: BSD-3-Clause
"""Potentials of distances as sums of terms, each a function of the distance to one labeling.

A cardinality potential is one term. The gain of a union of balls is none of them, but it has bounds that are
(cpp/counts/union_weights.hpp): with weights beta, at most 1 in each cluster of balls, and overlaps ``u_j = exp(-d_j)``,

    gain <= 1 - sum_j beta_j u_j + sum over pairs j < k of different clusters of beta_j beta_k P_jk(y).

P_jk is what the balls j, k and y's own have in common: at most ``x = exp(-h)``, h the distance of the balls. Better,
with f = the (weighted) number of variables where y_j and y_k differ and y is neither, ``P_jk = exp(-(d_j+d_k+h-f)/2)``,
and since it is at most x,

    P_jk <= exp(-(d_j+d_k+h)/2) + x (1 - exp(-f/2)),

which is exact for two labels (f = 0), and never above x. With at most three clusters the whole bound is concave where
the triangle inequality holds: minus its Hessian is diagonally dominant, because ``exp(-(h+d_k)/2) <= exp(-d_j/2)`` and
the weights of the other clusters add up to at most 2. So its tangents give slopes for d and f, and valid bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.base import Model
from hedgehop.potentials import BallCoverage, Distances, Potential
from hedgehop.potentials.ball_unions import MOST_EXACT
from hedgehop.potentials.count_functions import Limit, Table, with_limit

_MOST_COMMON_PARTS = 45  # of balls whose common part is a term of its own
_LEAST_OVERLAP = 0.01  # of two balls that are worth it


@dataclass(frozen=True, eq=False)
class Surrogate:
    """``constant + sum_j weights[j] * term_j + sum_{j<k} coupling[j, k] * sqrt(overlap_j overlap_k)``.

    The potentials, or what stands in for them. No rows: no coupling.
    """

    weights: Doubles
    constant: float
    coupling: Doubles = field(default_factory=lambda: np.zeros((0, 0)))


class PotentialTerms(Distances):
    """Terms of one potential, and how its balls overlap."""

    @property
    def rate(self) -> float:
        """Overlaps are ``exp(-rate * distance)``; 0 if they are not."""
        if self.decay is None:
            return 0.0
        return float(self.decay[0]) if self.weights is None else 1.0

    @cached_property
    def between(self) -> Doubles:
        """Overlaps of the balls among each other, (J, J)."""
        return self.overlaps(_core.counts.hamming(self.references, self.references, self.weights))

    def overlaps(self, distances: Doubles) -> Doubles:
        """Shares (at least) that balls at given distances have in common."""
        return np.ascontiguousarray(np.clip(1.0 - self.function.above(distances) / self.scale, 0.0, 1.0))

    def shares(self, labeling: Labels, distances: Doubles) -> Doubles:
        """What each ball adds to the union, against what it overlaps with this labeling's ball."""
        if self.decay is None:
            return np.ones(len(self.references))
        overlaps = self.overlaps(distances)
        order = np.argsort(-overlaps, kind="stable")
        result = np.empty(overlaps.size)
        if overlaps.size <= MOST_EXACT:
            members = np.ascontiguousarray(self.references[order])
            missed = np.append(1.0, _core.counts.ball_prefix_gains(labeling, members, self.decay))
            result[order] = np.clip(-np.diff(missed) / np.maximum(overlaps[order], 1e-300), 0.0, 1.0)
        else:  # the value is a product: each ball's share is what the earlier ones miss
            result[order] = np.cumprod(np.append(1.0, 1.0 - overlaps[order]))[:-1]
        return result

    def pairs(self) -> list[tuple[int, int]]:
        """Balls j < k whose common part is worth a term of its own."""
        if self.decay is None:
            return []
        overlaps = np.triu(self.between, 1)
        largest = np.argsort(-overlaps, axis=None, kind="stable")[:_MOST_COMMON_PARTS]
        both = np.stack(np.unravel_index(largest, overlaps.shape), axis=1)
        return [(int(j), int(k)) for j, k in both if overlaps[j, k] >= _LEAST_OVERLAP]

    def pair_function(self) -> tuple[Doubles | None, Table]:
        """``1 - exp(-f / 2)`` and the weights of its count f."""
        assert self.decay is not None
        half = BallCoverage(self.references[:1], self.decay / 2.0).distances()
        assert half is not None
        return half.weights, half.function


class DistanceTerms:
    """All terms of a step's distance potentials: first the distances, then the pairs of balls.

    Where counts are forbidden, single moves lose `steep` for each count beyond the limit.
    """

    def __init__(self, potentials: Sequence[Potential], steep: float = 1.0) -> None:
        self.by_potential = [_terms_of(p, steep) for p in potentials]
        ends = np.cumsum([len(f.references) for f in self.by_potential]).tolist()
        self.places = [slice(end - len(f.references), end) for end, f in zip(ends, self.by_potential, strict=True)]
        self.scales = np.array([f.scale for f in self.by_potential for _ in f.references])
        self.rates = np.array([f.rate for f in self.by_potential for _ in f.references])
        self.pairs = [f.pairs() for f in self.by_potential]
        self.references = np.concatenate([f.references for f in self.by_potential])
        functions = [(f.weights, f.function) for f in self.by_potential for _ in f.references]
        for terms, pairs in zip(self.by_potential, self.pairs, strict=True):
            functions += [terms.pair_function()] * len(pairs) if pairs else []
        self.functions = [function for _, function in functions]
        self.units = np.array([f.unit for f in self.functions])
        firsts, seconds = self._ends()
        weights, values = [w for w, _ in functions], [f.values for f in self.functions]
        self.core = _core.counts.DistanceTerms(firsts, seconds, weights, values, self.units)

    def _ends(self) -> tuple[Labels, list[Labels | None]]:
        """First and second labelings of all terms; the distances have no second one."""
        both = [
            (f.references[j], f.references[k]) for f, p in zip(self.by_potential, self.pairs, strict=True) for j, k in p
        ]
        firsts = np.concatenate([self.references, *(a[None] for a, _ in both)])
        return firsts, [*([None] * len(self.references)), *(np.ascontiguousarray(b) for _, b in both)]

    @property
    def has_unions(self) -> bool:
        """Whether some potential is no sum of terms, so that the bound and the steering differ."""
        return bool(self.scales.any())

    @property
    def limits(self) -> list[int]:
        """Terms that forbid counts."""
        return [j for j, function in enumerate(self.functions) if isinstance(function, Limit)]

    @property
    def only_limits(self) -> int:
        """The largest distance to keep if potentials do nothing else with distances, otherwise 0."""
        limits = [f.first for f in self.functions if isinstance(f, Limit)]
        return max(limits) if len(limits) == len(self.functions) else 0

    def lay_limits(self, centres: Doubles, loss: float, slope: float) -> None:
        """Lay the penalties of limits around given slopes, for an expected loss, or slope if that is inf."""
        for j in self.limits:
            limit = self.functions[j]
            assert isinstance(limit, Limit)
            expected = max(loss / limit.first, 1e-12 * slope) if np.isfinite(loss) else slope
            self.functions[j] = limit.around(float(centres[j]), expected)

    def values(self, distances: Doubles) -> Doubles:
        """Concave envelopes of all terms at (K, J) distances."""
        return np.concatenate([function.above(distances[:, run]) for function, run in self._runs()], axis=1)

    def _runs(self) -> Iterator[tuple[Table, slice]]:
        """Runs of terms that have the same function."""
        start = 0
        for _, run in groupby(self.functions, key=id):
            same = list(run)
            yield same[0], slice(start, start + len(same))
            start += len(same)

    def weights(self, j: int) -> Doubles:
        """What each variable counts in the distance of term j."""
        terms = next(f for f, p in zip(self.by_potential, self.places, strict=True) if p.start <= j < p.stop)
        return np.ones(self.references.shape[1]) if terms.weights is None else terms.weights

    def tables(self) -> Doubles | None:
        """Values of all distances at counts 0..n, (J, n + 1); None if variables do not all count alike."""
        if any(f.weights is not None for f in self.by_potential):
            return None
        return np.array([f.values for f in self.functions[: len(self.references)]])

    def steering(self, labeling: Labels, distances: Doubles) -> Surrogate:
        """A surrogate that is close to the potentials near a labeling, and an upper bound everywhere."""
        weights, constant = self._plain_weights(), 0.0
        for terms, place in zip(self.by_potential, self.places, strict=True):
            if terms.scale:
                beta = terms.shares(labeling, distances[place])
                weights[place] = beta
                pairs = (beta @ terms.between @ beta - beta @ beta) / 2.0  # a cluster a ball
                constant += terms.scale * (1.0 - beta.sum() + pairs)
        return Surrogate(weights, float(constant))

    def bounding(self, scores: Doubles, distances: Doubles) -> Surrogate:
        """A surrogate that is nowhere below the potentials, and low at the labelings known, (K,) and (K, J)."""
        surrogate = Surrogate(self._plain_weights(), 0.0, np.zeros((len(self.references),) * 2))
        values = self.values(distances)
        base = scores + values @ surrogate.weights
        for which, terms in enumerate(self.by_potential):
            if terms.scale:
                surrogate = self._bounded(which, base / terms.scale, distances, surrogate)
                base = scores + values @ surrogate.weights  # what other unions add, but for constants
        return surrogate if surrogate.coupling.any() else Surrogate(surrogate.weights, surrogate.constant)

    def lines(self, surrogate: Surrogate, mean: Doubles) -> tuple[Doubles, float]:
        """Slopes, and the sum of offsets, of a plane above the surrogate that touches it at given distances."""
        lines = np.concatenate([function.lines(mean[run]) for function, run in self._runs()], axis=1)
        slopes, offsets = surrogate.weights * lines
        tied = np.flatnonzero(surrogate.coupling.any(axis=1))
        if tied.size:  # not a sum: the tangent of the whole
            rates, d = self.rates[tied], mean[tied]
            weights = (surrogate.weights[: len(self.scales)] * self.scales)[tied]
            roots = np.exp(-0.5 * rates * d)
            common = roots * (surrogate.coupling[np.ix_(tied, tied)] @ roots)
            slopes[tied] = rates * (weights * roots**2 - 0.5 * common)
            offsets[tied] = weights * (1.0 - roots**2) + 0.5 * common - slopes[tied] * d
        return np.ascontiguousarray(slopes), float(offsets.sum())

    def minorant(
        self, surrogate: Surrogate, labeling: Labels, distances: Doubles, known: Labels, width: int
    ) -> Doubles:
        """Scores of labels, (n, width), nowhere above the distances but for a constant, and tight at a labeling.

        Of those that could differ next, those first that differ in many labelings `known`: they change most easily.
        """
        theta = np.zeros((labeling.size, width))
        for j, (reference, function) in enumerate(zip(self.references, self.functions, strict=False)):
            if surrogate.weights[j] <= 0:
                continue
            ease = (known != reference).sum(axis=0) + len(known) * (labeling != reference)
            order = np.argsort(-ease, kind="stable")
            bonus = np.empty(labeling.size)
            bonus[order] = surrogate.weights[j] * function.minorant(self.weights(j)[order], distances[j])
            theta += bonus[:, None]
            own = np.flatnonzero((reference >= 0) & (reference < width))
            theta[own, reference[own]] -= bonus[own]
        return theta

    def _plain_weights(self) -> Doubles:
        """One for each term that is a potential of its own."""
        weights = np.zeros(len(self.functions))
        weights[: len(self.scales)] = self.scales == 0
        return weights

    def _bounded(self, which: int, scores: Doubles, distances: Doubles, surrogate: Surrogate) -> Surrogate:
        """Add the bound of one union to a surrogate."""
        terms, place = self.by_potential[which], self.places[which]
        overlaps, between = terms.overlaps(distances[:, place]), terms.between
        meet = self._meet(which, overlaps, distances)
        beta, clusters, meets = _core.counts.union_weights(scores, overlaps, between, meet)
        apart = np.triu(np.outer(beta, beta) * (clusters[:, None] != clusters), 1)
        weights, coupling = surrogate.weights.copy(), surrogate.coupling.copy()
        weights[place] = beta
        if meets:
            for (j, k), term in zip(self.pairs[which], self._pair_terms(which), strict=True):
                weights[term] = terms.scale * apart[j, k] * between[j, k]
                a, b = place.start + j, place.start + k
                coupling[a, b] = coupling[b, a] = terms.scale * apart[j, k] * np.sqrt(between[j, k])
                apart[j, k] = 0.0
        constant = terms.scale * float(1.0 - beta.sum() + (apart * between).sum())
        return Surrogate(weights, surrogate.constant + constant, coupling)

    def _meet(self, which: int, overlaps: Doubles, distances: Doubles) -> Doubles:
        """Bounds on what pairs of balls have in common with each labeling's ball, (K, J * J); maybe no rows."""
        pairs = self.pairs[which]
        between = self.by_potential[which].between
        if not pairs:
            return np.zeros((0, between.size))
        meet = np.tile(between, (len(overlaps), 1, 1))
        j, k = np.array(pairs).T
        terms = self._pair_terms(which)
        extra = self.functions[terms.start].above(distances[:, terms.start : terms.stop])
        x = between[j, k]
        meet[:, j, k] = meet[:, k, j] = np.sqrt(x * overlaps[:, j] * overlaps[:, k]) + x * extra
        return np.ascontiguousarray(meet.reshape(len(overlaps), -1))

    def _pair_terms(self, which: int) -> range:
        start = len(self.references) + sum(len(p) for p in self.pairs[:which])
        return range(start, start + len(self.pairs[which]))


def unfit(_model: Model, potential: Potential) -> str | None:
    """Return why a distance potential cannot be split into terms; None if it can."""
    distances = potential.distances()
    if distances is None:
        kind = type(potential).__name__
        return f"{kind} does not say which functions of distances it is made of; a fractional one needs a slope method"
    if distances.scale < 0 or (distances.decay is not None and distances.scale == 0):
        return "a ball's gain must have a positive scale"
    return None if np.isfinite(distances.function.values).any() else "some potential forbids every count"


def _terms_of(potential: Potential, steep: float) -> PotentialTerms:
    found = potential.distances()
    assert found is not None  # see `unfit`
    function = with_limit(found.function, steep)
    return PotentialTerms(np.ascontiguousarray(found.references), found.weights, function, found.scale, found.decay)
