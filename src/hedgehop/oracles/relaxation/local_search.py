# SPDX-License-Identifier: BSD-3-Clause
"""Better labelings near those a step of distances has found: minorants, components of differences, single variables."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models import Model, PairwiseModel
from hedgehop.oracles.folding import changed_unary, fold, not_finite_pairs
from hedgehop.oracles.pairwise.kernels import expanded
from hedgehop.oracles.relaxation.ascent import Ascent
from hedgehop.oracles.relaxation.bundle import Bundle
from hedgehop.oracles.relaxation.distance_terms import Surrogate

_PARENTS = 3  # labelings that are recombined or polished
_MIXTURE_WEIGHT = 0.02  # weight of a labeling in a mixture that counts
_MOVE_PASSES = 10
_DAMPING = 0.5  # of messages
_RECENT = 20  # labelings found last
_PATIENCE = 200  # changes without a better labeling


class LocalSearch:
    """Local searches around the labelings of a bundle; all they find goes back into it."""

    def __init__(
        self, bundle: Bundle, moves: _core.local.DistanceMoves | None, expander: _core.moves.Moves | None
    ) -> None:
        self.bundle, self.moves, self.expander = bundle, moves, expander
        self.theta, _, _ = fold(bundle.model, bundle.others)
        self._polished: set[int] = set()

    @cached_property
    def unary(self) -> Doubles:
        """Scores of single variables, linear potentials included."""
        assert isinstance(self.bundle.model, PairwiseModel)
        return changed_unary(self.bundle.model, self.theta)

    def recombine(self, surrogate: Surrogate, labeling: Labels) -> None:
        """Mix the components in which the labelings of the mixture, and a new one, differ."""
        bundle = self.bundle
        weights = bundle.mixed
        heavy = [k for k in np.argsort(-weights, kind="stable")[:_PARENTS] if weights[k] > _MIXTURE_WEIGHT]
        parents = [bundle.labelings[k] for k in heavy]
        self._mix(surrogate, [(x, y) for x in parents for y in (*parents, labeling) if x is not y])

    def reach(self, labeling: Labels) -> None:
        """Change single variables, the cheapest first, until the limits are kept."""
        bundle = self.bundle
        if self.moves is not None and bundle.terms.limits:
            weights = bundle.steering(bundle.best).weights
            bundle.add(self.moves.ascend(self.unary, bundle.terms.core, weights, labeling, labeling.size)[None])

    def polish(self, top: int = 1) -> None:
        """Change single variables of the best few labelings, once each."""
        bundle = self.bundle
        if self.moves is None:
            return
        for k in bundle.order(top):
            if k not in self._polished and bundle.values[k] > -np.inf:
                self._polished.add(k)
                weights, labeling = bundle.steering(k).weights, bundle.labelings[k]
                bundle.add(self.moves.improve(self.unary, bundle.terms.core, weights, labeling, _MOVE_PASSES)[None])

    def explore(self) -> None:
        """Search around the best labeling by changes that lose, too: pairs of them keep a distance and gain."""
        bundle = self.bundle
        if self.moves is None or bundle.values[bundle.best] == -np.inf:
            return
        weights, labeling = bundle.steering(bundle.best).weights, bundle.labelings[bundle.best]
        bundle.add(self.moves.explore(self.unary, bundle.terms.core, weights, labeling, _PATIENCE)[None])

    def pass_messages(self, sweeps: int) -> None:
        """Add what loopy max-product decodes the paper's sum to: often labelings that no slopes support."""
        bundle = self.bundle
        tables = bundle.terms.tables()
        if tables is None or not_finite_pairs(bundle.model) is not None:
            return
        assert isinstance(bundle.model, PairwiseModel)
        best = bundle.labelings[bundle.best]
        bundle.add(
            _core.local.max_product(self.unary, bundle.model.pairs, bundle.terms.references, tables, sweeps, _DAMPING)
        )
        self._mix(bundle.steering(bundle.best), [(best, bundle.labelings[bundle.best])])
        self.polish(_PARENTS)

    def climb(self, rounds: int, enough: Callable[[], bool]) -> None:
        """Maximise minorants at the best labeling while that finds better ones (docs/theory.md 6).

        Where the potentials are sums of terms, the maximum is never below the best value.
        """
        Ascent(self._minorant, self._improved).climb(self.bundle.labelings[self.bundle.best], rounds, enough)

    def _minorant(self, best: Labels) -> Doubles:
        bundle = self.bundle
        found = np.array(bundle.labelings[-_RECENT:])
        surrogate, distances = bundle.steering(bundle.best), bundle.distances[bundle.best]
        return bundle.terms.minorant(surrogate, best, distances, found, int(bundle.model.label_counts.max()))

    def _improved(self, minorant: Doubles, best: Labels) -> Labels:
        """Maximise a minorant, search around what that finds, and return the best labeling."""
        bundle = self.bundle
        surrogate, labeling = bundle.steering(bundle.best), self._maximal(minorant, best)
        bundle.add(labeling[None])
        self._mix(surrogate, [(best, labeling)])
        self.polish(_PARENTS)
        return bundle.labelings[bundle.best]

    def _maximal(self, theta: Doubles, start: Labels) -> Labels:
        """Maximise a minorant: by expansion moves from the labeling where it is tight, or by a linear step."""
        if self.expander is not None:
            return expanded(self.expander, theta if self.theta is None else theta + self.theta, start, None)
        return np.ascontiguousarray(self.bundle.asked(theta).labeling.reshape(-1), np.int32)

    def _mix(self, surrogate: Surrogate, pairs: list[tuple[Labels, Labels]]) -> None:
        if self.moves is None or not pairs:
            return
        core = self.bundle.terms.core
        self.bundle.add(np.array([self.moves.mix(self.unary, core, surrogate.weights, x, y) for x, y in pairs]))


def moves_of(model: Model) -> _core.local.DistanceMoves | None:
    """Local searches of a model; None if it has no pairwise scores only."""
    if not isinstance(model, PairwiseModel) or model.cliques:
        return None
    return _core.local.DistanceMoves(model.pairs)


def expander_of(model: Model) -> _core.moves.Moves | None:
    """Expansion moves of a model with more than two labels; None if it has none."""
    if not isinstance(model, PairwiseModel) or model.n_labels <= 2 or not_finite_pairs(model) is not None:
        return None
    return _core.moves.Moves(model.unary, model.pairs)
