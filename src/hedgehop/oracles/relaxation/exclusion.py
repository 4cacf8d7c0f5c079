# SPDX-License-Identifier: BSD-3-Clause
"""Labelings at a distance on structures whose variables change together: labels of earlier labelings are forbidden.

Slopes for distances find only labelings on the hull of relevance and distances. Matchings, parses and routes change in
cycles and detours, and the best one at a distance is often inside that hull: a short detour that is dear per variable,
where slopes find a long one that is cheap per variable. Forbidding one label asks for the cheapest detour that changes
it, whatever its length; a few of them together keep the distance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Ints, Labels
from hedgehop._errors import InfeasibleError
from hedgehop.models import Path
from hedgehop.models.unary import UnaryModel, most_labels
from hedgehop.oracles.effort import effort
from hedgehop.oracles.lawler import branching_order
from hedgehop.oracles.relaxation.bundle import Bundle
from hedgehop.potentials.count_functions import Limit

_BELOW = 0.9  # of the slopes of the best bound, which reach the limits or fall far short of them
_MOST_SCORES = 2**22  # of all labels that are forbidden one by one: a linear step passes over every score
_STARTS = 4  # cheapest detours that are extended until they keep the limits


class Exclusion:
    """Searches for labelings at a distance with linear steps, some labels of too close labelings forbidden."""

    def __init__(self, bundle: Bundle) -> None:
        terms = bundle.terms
        self._bundle = bundle
        self._limits = [j for j in terms.limits if j < len(terms.references)]
        self._rows = terms.references[self._limits]
        functions = [terms.functions[j] for j in self._limits]
        self._least = np.array([f.first * f.unit for f in functions if isinstance(f, Limit)])
        self._weights = np.array([terms.weights(j) for j in self._limits])

    def search(self, most: int, close: float) -> None:
        """Forbid up to `most` single labels of what is too close to the best labeling, then several at once."""
        bundle = self._bundle
        nearest = bundle.labelings[int(np.argmax(bundle.scores))]
        if not self._limits or not self._missing(nearest).any():
            return
        detours: list[tuple[float, float, int]] = []  # those that lead away from most labelings first
        most = min(most, _MOST_SCORES // (nearest.size * most_labels(bundle.model)))
        for variable in self._order(nearest)[:most]:
            if self._ended(close):
                return
            found = self._solved(self._forbidden(np.array([variable]), nearest))
            if found is not None:
                shared = np.count_nonzero(self._rows[:, variable] == nearest[variable])
                detours.append((-shared, -found[1], int(variable)))
        detours.sort()
        variables = np.array([variable for *_, variable in detours], np.int64)
        for start in range(min(_STARTS, variables.size)):
            first = variables[start : start + 1]
            self._extend(np.zeros_like(self._sloped), self._forbidden(first, nearest), nearest, variables, close)
        if not self._ended(close) and (found := self._solved(self._sloped)) is not None:
            self._extend(self._sloped, self._sloped, found[0], variables, close)

    @property
    def _sloped(self) -> Doubles:
        """Scores with slopes that do not quite reach the limits: what is missing then is forbidden."""
        return _BELOW * self._bundle.sloped()

    def _extend(self, base: Doubles, forbidden: Doubles, before: Labels, variables: Ints, close: float) -> None:
        """Forbid labels at further variables that still have one of a limit, until the limits are kept."""
        while not self._ended(close):
            found = self._solved(forbidden, base)
            if found is None or found[1] <= self._bundle.value:  # what is added makes it no better
                return
            labeling, missing = found[0], self._missing(found[0])
            left = variables[self._shared(labeling)[variables]]
            if isinstance(self._bundle.model, Path):  # whose oracle cannot ask for an edge somewhere on the way
                left = left[labeling[left] == 1]
            if not missing.any() or not left.size:
                return
            changed = max(1.0, float((self._missing(before) - missing).max()))
            count = max(1, int(missing.max() / (2.0 * changed)))
            forbidden = np.minimum(forbidden, self._forbidden(left[:count], labeling))
            before = labeling

    def _ended(self, close: float) -> bool:
        return self._bundle.gap <= close or effort().seconds == 0

    def _order(self, nearest: Labels) -> Ints:
        """Variables of which every other labeling changes one, those with the best other label first."""
        model = self._bundle.model
        assert isinstance(model, UnaryModel)
        variables = branching_order(model, nearest)
        variables = variables[self._shared(nearest)[variables]]
        scores = np.array(model.unary[variables], np.float64)
        own = scores[np.arange(variables.size), nearest[variables]]
        scores[np.arange(variables.size), nearest[variables]] = -np.inf
        return variables[np.argsort(own - scores.max(axis=1), kind="stable")]

    def _missing(self, labeling: Labels) -> Doubles:
        """How much farther a labeling has to be from each, (J,)."""
        distances = (self._weights * (self._rows != labeling)).sum(axis=1)
        return np.asarray(np.maximum(0.0, self._least - distances))

    def _shared(self, labeling: Labels) -> NDArray[np.bool_]:
        """Whether a labeling agrees in a variable with one that it is too close to, (n,)."""
        return np.asarray((self._rows[self._missing(labeling) > 0.0] == labeling).any(axis=0))

    def _forbidden(self, variables: Ints, labeling: Labels) -> Doubles:
        """Scores that forbid, at some variables, the labels of all that a labeling is too close to; one must be left.

        Where none is, only the labeling's own label is forbidden.
        """
        counts = self._bundle.model.label_counts
        theta = np.zeros((labeling.size, most_labels(self._bundle.model)))
        for row in self._rows[self._missing(labeling) > 0.0]:
            known = variables[(row[variables] >= 0) & (row[variables] < counts[variables])]
            theta[known, row[known]] = -np.inf
        theta[np.isneginf(theta).sum(axis=1) >= counts] = 0.0
        theta[variables, labeling[variables]] = -np.inf
        return theta

    def _solved(self, theta: Doubles, base: Doubles | None = None) -> tuple[Labels, float] | None:
        """One linear step: its labeling, and what that scores without the `base`; None if nothing is allowed."""
        try:
            step = self._bundle.solve(theta)
        except InfeasibleError:
            return None
        labeling = self._bundle.take(step)
        added = 0.0 if base is None else float(base[np.arange(labeling.size), labeling].sum())
        return labeling, step.value - added
