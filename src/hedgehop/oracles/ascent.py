"""Better labelings near those a step has met: minorants, components of differences, single variables (TRWS 3)."""

from __future__ import annotations

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel, Potts
from hedgehop.oracles.bundle import Bundle
from hedgehop.oracles.kernels import edge_tables
from hedgehop.oracles.terms import View

_PARENTS = 3  # labelings of a mixture whose components are recombined
_SWEEPS = 10


class Ascent:
    """Local searches around the labelings of a bundle; all they find goes back into it."""

    def __init__(self, bundle: Bundle, moves: _core.DistanceMoves | None, unary: Doubles | None) -> None:
        self.bundle, self.moves, self.unary = bundle, moves, unary
        self._polished = -1

    def recombine(self, view: View, labeling: Labels) -> None:
        """Mix the components in which the labelings of the mixture, and a new one, differ."""
        if self.moves is None:
            return
        bundle = self.bundle
        weights = bundle.mixed
        heavy = [k for k in np.argsort(-weights, kind="stable")[:_PARENTS] if weights[k] > 0.02]
        parents = [bundle.labelings[k] for k in heavy]
        pairs = [(x, y) for x in parents for y in (*parents, labeling) if x is not y]
        found = [self.moves.mix(self.unary, bundle.terms.core, view.weights, x, y) for x, y in pairs]
        if found:
            bundle.add(np.array(found))

    def polish(self, view: View) -> None:
        """Change single variables of the best labeling, once for each that becomes the best."""
        bundle = self.bundle
        if self.moves is None or bundle.best == self._polished:
            return
        best = bundle.labelings[bundle.best]
        bundle.add(self.moves.improve(self.unary, bundle.terms.core, view.weights, best, _SWEEPS)[None])
        self._polished = bundle.best

    def climb(self, view: View) -> bool:
        """Maximise the minorant at the best labeling (ALGORITHMS 4.5); whether that found a better one.

        Where the view is the sum of the potentials itself, the maximum is never below the best value.
        """
        bundle = self.bundle
        before = bundle.best
        step = bundle.solve(self._minorant(view))
        labeling = np.ascontiguousarray(step.labeling.reshape(-1), np.int32)
        bundle.add(labeling[None])
        if self.moves is not None:
            best = bundle.labelings[before]
            bundle.add(self.moves.mix(self.unary, bundle.terms.core, view.weights, best, labeling)[None])
        self.polish(view)
        return bundle.best != before

    def _minorant(self, view: View) -> Doubles:
        """Scores of each variable's labels, nowhere above the terms and equal to them at the best labeling."""
        bundle = self.bundle
        best, distances = bundle.labelings[bundle.best], bundle.distances[bundle.best]
        n, width = best.size, int(bundle.model.label_counts.max())
        theta = np.zeros((n, width))
        met = np.array(bundle.labelings[-2 * _SWEEPS :])
        for j, (reference, curve) in enumerate(zip(bundle.terms.references, bundle.terms.curves, strict=True)):
            if view.weights[j] <= 0:
                continue
            weights = bundle.terms.weights(j)
            # First those that differ, then those that differ in many labelings met: they change most easily.
            order = np.argsort(-((met != reference).sum(axis=0) + len(met) * (best != reference)), kind="stable")
            bonus = np.empty(n)
            bonus[order] = view.weights[j] * curve.minorant(weights[order], distances[j])
            theta += bonus[:, None]
            own = np.flatnonzero((reference >= 0) & (reference < width))
            theta[own, reference[own]] -= bonus[own]
        return theta


def moves_of(model: Model) -> _core.DistanceMoves | None:
    """Local searches of a model; None if it has no pairwise scores only."""
    if not isinstance(model, PairwiseModel) or model.cliques:
        return None
    n, labels, edges = model.n_variables, model.n_labels, model.edges
    if isinstance(model.pairwise, Potts):
        return _core.DistanceMoves.potts(n, labels, edges, np.ascontiguousarray(model.pairwise.strengths, np.float64))
    return _core.DistanceMoves.tables(labels, model.label_counts, edges, *edge_tables(model))
