# SPDX-License-Identifier: BSD-3-Clause
"""Models with a score for every label of every variable, and more."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property, reduce
from html import escape
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _core
from hedgehop._arrays import Doubles, Floats, Ints, Labels, as_labelings, extent, linear_scores
from hedgehop._errors import InfeasibleError
from hedgehop._frozen import Frozen
from hedgehop._thumbnails import thumbnail
from hedgehop.models.base import Model

Change = Callable[[Floats, Any], Doubles]  # scores and the best of each, to other scores
_HUGE = 10.0  # times the median: what is beyond counts as no more than that
_MIXED_RATIO = 2.0**10  # times the lower quartile: beyond, a range may be huge because something is all but forbidden


class UnaryModel(Frozen, ABC):
    """``r(y) = sum_i U[i, y_i] +`` what the labels score together, to be maximised.

    Attributes
    ----------
    unary : (n, L) array of floats
        Scores U. ``-inf`` forbids a label; labels beyond a variable's own count are padded with ``-inf``.
    label_counts : (n,) array of ints
        Number of labels of each variable.
    shape : tuple of ints
        Shape of one labeling.

    Examples
    --------
    >>> import hedgehop as hh
    >>> model = hh.FactorGraph([[0.0, 1.0], [2.0, -1.0]])
    >>> model.n_variables, model.score([1, 0]), model.energy([1, 0]), model.floor()
    (2, 3.0, -3.0, -1.0)
    """

    unary: Floats
    label_counts: Labels
    shape: tuple[int, ...]
    _only_scores: ClassVar[bool] = False  # whether scores are all there is to this very class: subclasses may add more

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return int(self.unary.shape[0])

    @property
    def n_labels(self) -> int:
        """The largest number of labels a variable has."""
        return int(self.unary.shape[1])

    def score(self, labelings: ArrayLike) -> float | Doubles:
        """Relevance r(y) of one labeling (a float) or of many (an (m,) array), summed in doubles."""
        flat, single = as_labelings(labelings, self.shape, self.label_counts)
        total = linear_scores(self.unary, flat) + self._joint_score(flat)
        return float(total[0]) if single else total

    def energy(self, labelings: ArrayLike) -> float | Doubles:
        """``-score``: the energy to be minimised, as in much of the literature."""
        return -self.score(labelings)

    def floor(self) -> float:
        """Return a lower bound on the relevance of allowed labelings: the sum of the smallest scores."""
        return float(least(self.unary, axis=1).sum() + self._joint_floor())

    def _repr_html_(self) -> str:
        """What notebooks show: the model in words and, of an image, the best label of each variable alone."""
        text = f"<div><code>{escape(repr(self))}</code>"
        if len(self.shape) not in (2, 3):
            return f"{text}</div>"
        picture = thumbnail(self.unary.argmax(axis=1).astype(np.int32).reshape(self.shape))
        return f"{text}<br>{picture}<br>the best label of each variable alone</div>"

    @property
    def spread(self) -> float:
        """How much is at stake: the sum of the ranges of all scores, unary and joint, with a few huge ones reduced.

        Adding a constant to the scores does not change it, and neither does a lead that no other score can make up
        for. Rounding is measured against it.
        """
        return self._stakes.spread

    @cached_property
    def _stakes(self) -> _Stakes:
        """What is at stake, in one pass over the ranges of all scores."""
        ranges = _core.scores.row_ranges(self.unary, self._deciding_reaches())
        return _stakes_of([self._undecided(ranges)], self._joint_spans(), self._known_loss)

    @cached_property
    def _extent(self) -> tuple[float, float]:
        """Least and largest unary score."""
        return extent(self.unary)

    @property
    def ranges(self) -> Doubles:
        """By how much the allowed labels of each variable differ, (n,)."""
        return _core.scores.row_ranges(self.unary, None)

    @property
    def n_differing(self) -> int:
        """In how many variables labelings may be expected to differ at most: what shares of variables are taken of."""
        return self.n_variables

    def _branching_order(self, flat: Labels) -> Ints:
        """Variables of which every other labeling changes one, in the order in which a partition holds them."""
        return np.arange(self.n_variables)

    def _known_loss(self) -> float:
        """How far some labeling is below the sum of all best scores: no score of a best one is further below."""
        return np.inf

    def _undecided(self, ranges: Doubles) -> Doubles:
        """Ranges of the unary scores, as far as other labels can be chosen."""
        return ranges

    def _without_constant(self, unary: Doubles) -> Doubles:
        """Return scores with what all labelings have in common taken away."""
        return unary

    def _deciding_reaches(self) -> Doubles | None:
        """How far the joint scores can decide otherwise than the unary ones, (n,); None if that is not known."""
        return None

    def _joint_spans(self) -> list[Doubles]:
        """Ranges of the joint scores, as many as are known."""
        return []

    def _largest_joint(self) -> float:
        """The largest size of a joint score that forbids nothing."""
        return 0.0

    def _changed_joint(self, change: Change) -> dict[str, Any]:
        """The attributes that hold joint scores, changed."""
        return {}

    def _with_scores(self, unary: Doubles, change: Change) -> UnaryModel:
        """Return this model with other unary scores and changed joint ones."""
        other: UnaryModel = object.__new__(type(self))
        other._set(**(self.__getstate__() | {"unary": unary} | self._changed_joint(change)))
        return other

    @abstractmethod
    def _joint_score(self, flat: Labels) -> Doubles:
        """What the labels of (m, n) labelings score together, beside the unaries."""

    @abstractmethod
    def _joint_floor(self) -> float:
        """Return a number that no allowed joint score is below."""

    def _refuse_infeasible(self) -> None:
        if self._extent[0] > -np.inf:  # nothing is forbidden, which is known sooner
            return
        dead = np.flatnonzero(np.isneginf(self.unary).all(axis=1))
        if dead.size:
            where = self._describe(int(dead[0]))
            raise InfeasibleError(f"{where} has no allowed label: all its scores are -inf. Allow at least one.")

    def _describe(self, variable: int) -> str:
        return f"variable {variable}"


def most_labels(model: Model) -> int:
    """Return the largest number of labels a variable has, which most models know without looking at all variables."""
    return model.n_labels if isinstance(model, UnaryModel) else int(model.label_counts.max())


class _Stakes(NamedTuple):
    """The spread of a model, how many of its joint spans are not 0, and the largest."""

    spread: float
    deciding: int
    largest_span: float


def _stakes_of(ranges: list[Doubles], spans: list[Doubles], known_loss: Callable[[], float]) -> _Stakes:
    """Sum of what is not zero, nothing counted as more than ten times the median.

    Where huge ranges may be the rule, of unary scores or of joint ones, none counts as more than what a labeling that
    is known loses in all: a best one loses no more anywhere.
    """
    kinds = [ranges, spans]
    sizes = _core.scores.ordinary_sizes(kinds, _HUGE, _MIXED_RATIO)
    are_even, median, low, largest, total, (_, (deciding, largest_span)) = sizes
    if are_even:
        return _Stakes(total, deciding, largest_span)
    most = _HUGE * median
    if largest > _MIXED_RATIO * low:
        most = max(_HUGE * low, min(most, known_loss()))
    return _Stakes(total if largest <= most else _core.scores.capped_sum(kinds, most), deciding, largest_span)


def _rows_max(table: Floats) -> Floats:
    """Maximum of each row; of few columns by comparing those, which numpy does faster than many short rows."""
    return reduce(np.maximum, table.T) if 0 < table.shape[1] <= 8 else table.max(axis=1)


def least(table: Floats, axis: int) -> Doubles:
    """Smallest score that is not forbidden; 0 if all are forbidden."""
    allowed = np.where(np.isneginf(table), np.inf, table)
    lowest = -_rows_max(-allowed) if axis == 1 else allowed.min(axis=axis)
    return np.where(np.isinf(lowest), 0.0, lowest).astype(np.float64)


def largest_size(scores: Floats) -> float:
    """The largest size of a score that forbids nothing; 0 if there is none."""
    if scores.size == 0:
        return 0.0
    low, high = extent(scores)
    if low == -np.inf:
        finite = scores[np.isfinite(scores)]
        high, low = (float(finite.max()), float(finite.min())) if finite.size else (0.0, 0.0)
    return max(abs(high), abs(low))
