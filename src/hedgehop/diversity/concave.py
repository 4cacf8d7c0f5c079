# SPDX-License-Identifier: BSD-3-Clause
"""Concave functions of counts: how much a group is worth when k labelings of the list belong to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles

ConcaveLike = Union[str, Callable[[int], float], "Concave"]


def _count(k: Doubles) -> Doubles:
    return np.minimum(k, 1.0)


_NAMED: dict[str, Callable[[Doubles], Doubles]] = {"count": _count, "sqrt": np.sqrt, "log": np.log1p}
_CHECKED_AT_ONCE = 16


class Concave:
    """h: "count" min(1, k), "sqrt", "log" log(1 + k), or a function of a whole number.

    ``h(0) = 0``, nondecreasing and concave are checked over all counts that occur.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> hh.diversity.Concave("sqrt")(np.array([0, 1, 4]))
    array([0., 1., 2.])
    """

    def __init__(self, h: Any) -> None:
        if not callable(h) and not (isinstance(h, str) and h in _NAMED):
            raise ValueError(f'h must be "count", "sqrt", "log" or a function; got {h!r}.')
        self.given: str | Callable[[int], float] = h
        self._table = np.zeros(0)
        self.upto(_CHECKED_AT_ONCE)

    def upto(self, most: int) -> Doubles:
        """h(0), ..., h(most), checked."""
        table = self._table  # read once: another thread may replace it
        if most >= table.size:
            table = self._table = self._checked(most)
        return table[: most + 1]

    def __call__(self, counts: NDArray[np.integer]) -> Doubles:
        """Values at an array of counts."""
        most = int(counts.max(initial=0))
        return np.asarray(self.upto(most)[counts])

    def step(self, counts: NDArray[np.integer]) -> Doubles:
        """``h(1 + k) - h(k)``: what one more labeling adds to a group that has k."""
        table = self.upto(int(counts.max(initial=0)) + 1)
        return np.asarray(np.diff(table)[counts])

    @property
    def first(self) -> float:
        """h(1)."""
        return float(self._table[1])

    def _checked(self, most: int) -> Doubles:
        k = np.arange(most + 1)
        if callable(self.given):
            values = np.array([float(self.given(int(c))) for c in k])
        else:
            values = _NAMED[self.given](k.astype(np.float64))
        if not np.isfinite(values).all():
            raise ValueError(f"h must be finite; h({int(k[~np.isfinite(values)][0])}) is not.")
        if values[0] != 0:
            raise ValueError(f"h(0) must be 0: a group without labelings has no value; got {values[0]:g}.")
        steps = np.diff(values)
        slack = 2.0**-51 * np.abs(values)  # what rounding does to a value that two operations give
        falls = steps < -(slack[:-1] + slack[1:])
        if falls.any():
            c = int(np.argmax(falls))
            raise ValueError(f"h must be nondecreasing; h({c}) = {values[c]:g} but h({c + 1}) = {values[c + 1]:g}.")
        bent = np.diff(steps) > slack[:-2] + 2.0 * slack[1:-1] + slack[2:]
        if bent.any():
            c = int(np.argmax(bent))
            raise ValueError(
                f"h must be concave (each further labeling adds less); it adds {steps[c]:g} at {c} and "
                f'{steps[c + 1]:g} at {c + 1}. Use "sqrt", "log" or "count".'
            )
        return values

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Concave) and self.given == other.given

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[Concave], tuple[Any]]:
        return Concave, (self.given,)  # the table only saves time

    def __repr__(self) -> str:
        return repr(self.given)


def concave(h: ConcaveLike) -> Concave:
    """Return h as a checked function of counts."""
    return h if isinstance(h, Concave) else Concave(h)
