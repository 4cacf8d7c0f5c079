# SPDX-License-Identifier: BSD-3-Clause
"""Potentials that no kernel has to handle: a step with them is solved by steps without (``oracles/splitting.py``)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.base import Model
from hedgehop.potentials.base import Potential


class MemberWeights(Potential):
    """``w[j]`` if the labeling is the j-th of some given ones, 0 for all others.

    Parameters
    ----------
    labelings : (k, n) labels
        The given labelings, distinct.
    w : (k,) array
        What each of them adds, at most 0.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> taken = hh.potentials.MemberWeights(labelings=[[0, 1]], w=[-2.0])
    >>> taken.value(hh.FactorGraph(np.zeros((2, 2))), [[0, 1], [1, 1]])
    array([-2.,  0.])
    """

    scaled_fields = ("w",)
    labelings: Labels
    w: Doubles

    def __init__(self, labelings: ArrayLike, w: ArrayLike) -> None:
        rows = _arrays.labels(labelings, "labelings", stacked=True)
        weights = _arrays.vector(w, "w")
        if len(rows) != weights.size:
            raise ValueError(f"w must have one weight per labeling ({len(rows)}); got {weights.size}.")
        if (weights > 0).any():
            raise ValueError(
                f"w must be at most 0, because single labelings can only be given costs; got {weights.max():g}."
            )
        self._set(labelings=rows, w=weights)

    def check(self, model: Model) -> None:
        if self.labelings.shape[1] != model.n_variables:
            raise ValueError(f"labelings must have {model.n_variables} labels; got {self.labelings.shape[1]}.")

    def values(self, model: Model, flat: Labels) -> Doubles:
        weights = {y.tobytes(): w for y, w in zip(self.labelings, self.w.tolist(), strict=True)}
        return np.array([weights.get(y.tobytes(), 0.0) for y in np.ascontiguousarray(flat, np.int32)], np.float64)

    def penalised(self) -> Labels:
        return np.asarray(self.labelings[self.w < 0])

    def span(self) -> float:
        """Return the largest cost."""
        return float(-self.w.min(initial=0.0))


class Clamped(Potential):
    """``max(0, sum of potentials)``: a term that never costs.

    Parameters
    ----------
    parts : sequence of Potential
        The potentials whose sum is clamped at 0.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> term = hh.potentials.Clamped([hh.potentials.Constant(-1.0), hh.potentials.LabelWeights([0.0, 3.0])])
    >>> term.value(hh.FactorGraph(np.zeros((2, 2))), [[0, 0], [0, 1]])
    array([0., 2.])
    """

    parts: tuple[Potential, ...]

    def __init__(self, parts: Sequence[Potential]) -> None:
        self._set(parts=tuple(parts))

    def check(self, model: Model) -> None:
        for part in self.parts:
            part.check(model)

    def values(self, model: Model, flat: Labels) -> Doubles:
        return np.maximum(0.0, sum((p.values(model, flat) for p in self.parts), np.zeros(len(flat))))

    def upper(self, model: Model, flat: Labels) -> Doubles:
        return np.maximum(0.0, sum((p.upper(model, flat) for p in self.parts), np.zeros(len(flat))))

    def choices(self) -> Sequence[Sequence[Potential]]:
        return self.parts, ()

    def span(self) -> float:
        """Return the sum of the parts' spans: clamping brings values together."""
        return float(sum(p.span() for p in self.parts))

    def scaled(self, factor: float) -> Clamped:
        return Clamped([p.scaled(factor) for p in self.parts])
