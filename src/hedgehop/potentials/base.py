# SPDX-License-Identifier: BSD-3-Clause
"""The protocol of potentials, and the simplest ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Labels, as_labelings, linear_scores, own
from hedgehop._frozen import Frozen
from hedgehop.models.base import Model
from hedgehop.models.unary import UnaryModel, most_labels

if TYPE_CHECKING:
    from hedgehop.potentials.counts import CountFunction
    from hedgehop.potentials.distances import Distances
    from hedgehop.potentials.lines import Lines

P = TypeVar("P", bound="Potential")


class Potential(Frozen, ABC):
    """A function of a labeling. ``value(model, labelings)``; ``2.0 * potential`` scales it.

    Attributes
    ----------
    relaxed_as : "counts", "distances", "lines" or None
        How the Lagrangian relaxation treats it: by multipliers for its ``counts``, by slopes for its ``distances``, by
        its own ``lines``, or not at all.
    scaled_fields : tuple of str
        Attributes that a factor multiplies; override ``scaled`` if that is not enough.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> chain = hh.Chain(np.zeros((3, 2)), np.eye(2))
    >>> (2.0 * hh.potentials.LabelWeights([0.0, 1.5])).value(chain, [[0, 0, 0], [0, 1, 1]])
    array([0., 3.])
    """

    scaled_fields: ClassVar[tuple[str, ...]] = ()
    relaxed_as: ClassVar[Literal["counts", "distances", "lines"] | None] = None

    def value(self, model: Model, labelings: ArrayLike) -> float | Doubles:
        """Value of one labeling (a float) or of many (an (m,) array)."""
        self.check(model)
        flat, single = as_labelings(labelings, model.shape, model.label_counts)
        values = self.values(model, flat)
        return float(values[0]) if single else values

    def check(self, model: Model) -> None:
        """Raise ValueError if this potential does not fit the model."""

    @abstractmethod
    def values(self, model: Model, flat: Labels) -> Doubles:
        """Values of (m, n) labelings."""

    def upper(self, model: Model, flat: Labels) -> Doubles:
        """Upper bounds on the values of (m, n) labelings: the values, wherever these are exact."""
        return self.values(model, flat)

    def span(self) -> float:
        """Return an upper bound on the difference of any two values; inf if none is known."""
        return np.inf

    def reach(self) -> float:
        """At least the span, finite more often: what narrows scores, but is no measure of what is at stake."""
        return self.span()

    def counts(self, model: Model) -> Sequence[CountFunction] | None:
        """Functions of counts that add up to this potential; None if it is not such a sum.

        With these, integer programs and, if ``relaxed_as`` says how, relaxations can handle the potential.
        """
        return None

    def distances(self) -> Distances | None:
        """Functions of distances that add up to this potential, or whose balls' union it is; None if there are none."""
        return None

    def lines(self, model: Model) -> Lines | None:
        """Linear functions above and below this potential; None if there are none."""
        return None

    def choices(self) -> Sequence[Sequence[Potential]]:
        """Sums of potentials whose maximum this potential is; empty if it is no maximum.

        A step with it is solved once with each of the sums (``oracles/splitting.py``).
        """
        return ()

    def penalised(self) -> Labels | None:
        """The labelings, (k, n), that have costs, if all others have the value 0; otherwise None.

        A step with it is solved without it, and once more without these labelings if needed.
        """
        return None

    @property
    def n_balls(self) -> int:
        """Number of balls of whose union this is a share: a program has a term for each subset of them."""
        return 0

    def encode(self, program: Any) -> None:
        """Write this potential as constraints of an integer program; by its counts unless overridden.

        ``program`` is a :class:`hedgehop.oracles.program.model_rows.Encoded`.
        """
        for count in self.counts(program.model) or ():
            program.add_count(count)

    def scaled(self: P, factor: float) -> P:
        """Return this potential times a factor >= 0; what is forbidden stays forbidden."""
        if not self.scaled_fields:
            raise TypeError(f"{type(self).__name__} must define scaled(factor), or name its scaled_fields.")
        other = object.__new__(type(self))
        other._set(**self.__getstate__())
        other._set(**{name: _times(factor, getattr(self, name)) for name in self.scaled_fields})
        return other

    def __rmul__(self: P, factor: float) -> P:
        return self.scaled(_arrays.number(factor, "a potential's factor", low=0.0))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"


def _times(factor: float, value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype == np.float64 and value.flags.c_contiguous:
        flat, low, high = _core.scores.scaled(value.reshape(-1), factor)
        if -np.inf < low and high < np.inf:
            return own(flat).reshape(value.shape)
    forbidden = np.isneginf(value)
    with np.errstate(invalid="ignore", over="ignore"):
        times = np.where(forbidden, -np.inf, factor * value)
    if (np.isfinite(times) == forbidden).any():
        raise ValueError(f"a potential times {factor:g} overflows. Use a smaller tradeoff or factor.")
    return own(times) if isinstance(value, np.ndarray) else float(times)


class Constant(Potential):
    """The same amount for every labeling.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> hh.potentials.Constant(2.5).value(hh.Chain(np.zeros((3, 2)), np.eye(2)), [0, 1, 1])
    2.5
    """

    scaled_fields = ("amount",)
    amount: float

    def __init__(self, amount: float) -> None:
        self._set(amount=_arrays.number(amount, "amount"))

    def values(self, model: Model, flat: Labels) -> Doubles:
        return np.full(len(flat), self.amount)


class Linear(Potential):
    """``sum_i theta[i, y_i]``: a change of the unary scores. ``-inf`` forbids a label.

    Parameters
    ----------
    theta : (n, L) array
        What each label of each variable adds.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> hh.potentials.Linear([[0.0, 1.0], [0.0, 4.0]]).value(hh.FactorGraph(np.zeros((2, 2))), [0, 1])
    4.0
    """

    scaled_fields = ("theta",)
    may_forbid: ClassVar[bool] = True
    theta: Doubles

    def __init__(self, theta: ArrayLike) -> None:
        values = _arrays.scores(theta, "theta", ndim=2)
        self._set(theta=values.astype(np.float64) if values.dtype != np.float64 else values)

    @classmethod
    def of_finite(cls, theta: Doubles) -> Linear:
        """Return the potential of a fresh array of allowed scores: nothing is checked or copied.

        A view is copied unless what it shows is read-only.
        """
        other = object.__new__(cls)
        other.__dict__["theta"] = own(theta)
        return other

    def scaled(self, factor: float) -> Linear:
        """Return the potential with all changes times a factor."""
        return Linear.of_finite(_times(factor, self.theta)) if type(self) is Linear else super().scaled(factor)

    def values(self, model: Model, flat: Labels) -> Doubles:
        return linear_scores(self.theta, flat)

    def check(self, model: Model) -> None:
        wanted = (model.n_variables, most_labels(model))
        if self.theta.shape != wanted:
            raise ValueError(f"theta must have shape {wanted} (variables, labels); got {self.theta.shape}.")


class Function(Potential):
    """Any function of a labeling, given as Python code: only the exhaustive oracle can use it.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> ones = hh.potentials.Function(lambda labeling: float((labeling == 1).sum()))
    >>> ones.value(hh.FactorGraph(np.zeros((3, 2))), [0, 1, 1])
    2.0
    """

    scaled_fields = ("factor",)
    function: Callable[[Any], float]
    factor: float

    def __init__(self, function: Callable[[Any], float], factor: float = 1.0) -> None:
        if not callable(function):
            raise TypeError(f"function must be callable; got {function!r}.")
        self._set(function=function, factor=_arrays.number(factor, "factor"))

    def values(self, model: Model, flat: Labels) -> Doubles:
        return self.factor * np.array([float(self.function(y.reshape(model.shape))) for y in flat])


def worth(model: Model, potentials: Iterable[Potential], labeling: Labels) -> tuple[float, float]:
    """Relevance of a labeling, and relevance plus potentials."""
    flat = np.ascontiguousarray(labeling.reshape(1, -1), np.int32)
    relevance = float(np.asarray(model.score(flat)).reshape(()))
    checked = isinstance(model, UnaryModel)  # by its score
    added = _sum_of_values(model, potentials, flat) if checked else total_value(model, potentials, flat)
    return relevance, relevance + float(added[0])


def total_value(model: Model, potentials: Iterable[Potential], labelings: ArrayLike) -> Doubles:
    """Sum of the potentials' values at (m, ...) labelings.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> parts = [hh.potentials.Constant(1.0), hh.potentials.LabelWeights([0.0, 2.0])]
    >>> total_value(hh.FactorGraph(np.zeros((2, 2))), parts, [[0, 0], [0, 1]])
    array([1., 3.])
    """
    return _sum_of_values(model, potentials, as_labelings(labelings, model.shape, model.label_counts)[0])


def _sum_of_values(model: Model, potentials: Iterable[Potential], flat: Labels) -> Doubles:
    total = np.zeros(len(flat))
    for potential in potentials:
        potential.check(model)
        total += potential.values(model, flat)
    return total
