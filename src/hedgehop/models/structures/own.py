# SPDX-License-Identifier: BSD-3-Clause
"""Anything that a function can maximise: your own solver as a model."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels, own
from hedgehop._errors import InfeasibleError
from hedgehop.models.unary import UnaryModel

SolveFunction = Callable[[Doubles], Any]
ScoreFunction = Callable[[Labels], float]
_BOUND_SHARE = 1e-6  # by which rounding may leave a bound below the value that it bounds


class Structure(UnaryModel):
    """``r(y) = score(y)``, to be maximised by your own solver: a decoder, a dynamic program, a constraint model.

    All that is needed is a function that finds the best labeling if every label of every variable gets an additional
    score. Diversities with linear potentials then work directly, and balls through the Lagrangian bound. Steps are as
    exact as the solver.

    Parameters
    ----------
    solve : function of an (n, L) array
        Returns the labeling that maximises ``score(y) + sum_i added[i, y_i]``, or a pair of that labeling and an upper
        bound on the maximum; None if no labeling is allowed. An added score of ``-inf`` forbids a label: labelings
        that must differ need this.
    score : function of a labeling
        Relevance, a number; ``-inf`` for labelings that are not allowed.
    label_counts : (n,) array of ints
        Number of labels of each variable.
    exact : bool
        Whether the labelings that `solve` returns without a bound are the best ones. Otherwise nothing is proven.
    shape : tuple of ints, optional
        Shape of one labeling; (n,) by default.

    Examples
    --------
    The best three of five items, by sorting:

    >>> import numpy as np, hedgehop as hh
    >>> worth = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    >>> def solve(added):
    ...     gains = worth + added[:, 1] - added[:, 0]
    ...     return (np.argsort(np.argsort(-gains)) < 3).astype(int)
    >>> def score(y):
    ...     return float(worth @ y) if y.sum() == 3 else -np.inf
    >>> items = hh.Structure(solve, score, label_counts=[2] * 5)
    >>> found = hh.diverse(items, hh.UseCoverage(), m=2, tradeoff=11.0)
    >>> found.labelings.tolist(), found.exact.all()
    ([[1, 1, 1, 0, 0], [1, 0, 0, 1, 1]], np.True_)
    """

    exact: bool

    def __init__(
        self,
        solve: SolveFunction,
        score: ScoreFunction,
        label_counts: ArrayLike,
        exact: bool = True,
        shape: tuple[int, ...] | None = None,
    ) -> None:
        for name, function in (("solve", solve), ("score", score)):
            if not callable(function):
                raise TypeError(f"{name} must be a function; got {function!r}.")
        counts = _counts(label_counts)
        sizes = (counts.size,) if shape is None else tuple(_arrays.positive_count(k, "shape") for k in shape)
        if prod(sizes) != counts.size:
            raise ValueError(f"shape must hold one entry per variable ({counts.size}); got {shape}.")
        unary = np.where(np.arange(int(counts.max())) < counts[:, None], 0.0, -np.inf)
        self._set(unary=own(unary), label_counts=counts, shape=sizes, exact=_arrays.flag(exact, "exact"))
        self._set(_solve=solve, _score=score)
        first = self._joint_score(self.solved(np.zeros(unary.shape))[0][None])
        self._set(_first=float(first[0]))

    @property
    def spread(self) -> float:
        """Size of the best score, because it is not known by how much scores can differ."""
        first: float = self.__dict__["_first"]
        return abs(first)

    def solved(self, added: Doubles) -> tuple[Labels, float | None]:
        """Call the solver; return its labeling and its bound, None if it gives none."""
        answer = self.__dict__["_solve"](own(np.array(added)))
        labeling, bound = answer if _has_bound(answer) else (answer, None)
        if labeling is None:
            raise InfeasibleError("solve found no allowed labeling.")
        [flat], _ = _arrays.as_labelings(labeling, self.shape, self.label_counts)
        parts = np.append(added[np.arange(flat.size), flat], self._joint_score(flat[None]))
        if np.isneginf(parts).any():
            raise ValueError(
                "solve returned a labeling that is not allowed: its score, or the added score of one of its labels, "
                "is -inf. Return None if no labeling is allowed."
            )
        return flat, None if bound is None else _bound(bound, parts)

    def _joint_score(self, flat: Labels) -> Doubles:
        score = self.__dict__["_score"]
        values = np.array([score(y.reshape(self.shape)) for y in flat], np.float64).reshape(len(flat))
        if np.isnan(values).any() or np.isposinf(values).any():
            raise ValueError("score must return a finite number or -inf; got NaN or inf.")
        return values

    def _joint_floor(self) -> float:
        return -np.inf

    def __repr__(self) -> str:
        name = getattr(self.__dict__["_solve"], "__name__", type(self.__dict__["_solve"]).__name__)
        return f"Structure({name}, {self.n_variables} variables, up to {self.n_labels} labels)"


def _counts(label_counts: ArrayLike) -> Labels:
    counts = _arrays.labels(label_counts, "label_counts")
    if counts.min() < 1:
        raise ValueError(f"label_counts must be at least 1; got {counts.min()}.")
    return counts


def _has_bound(answer: Any) -> bool:
    """Whether a solver returned a labeling and a bound: two labels, or two rows of labels, are a labeling."""
    if not (isinstance(answer, tuple) and len(answer) == 2):
        return False
    labeling, bound = answer
    return (labeling is None or np.ndim(labeling) > 0) and np.ndim(bound) == 0


def _bound(bound: Any, parts: Doubles) -> float:
    """Check a bound, which must not be below what the labeling reaches, the sum of these parts."""
    try:
        value = float(bound)
    except (TypeError, ValueError):
        value = np.nan
    if np.isnan(value) or value == -np.inf:
        raise ValueError(f"the upper bound of solve must be a number or inf; got {bound!r}.")
    if value < parts.sum() - _BOUND_SHARE * np.abs(parts).sum():
        raise ValueError(
            f"the upper bound of solve must be at least what its labeling reaches, score and added scores together "
            f"({parts.sum():g}); got {value:g}. Count the added scores in the bound, or return the labeling alone."
        )
    return value
