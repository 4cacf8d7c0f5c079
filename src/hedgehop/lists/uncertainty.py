# SPDX-License-Identifier: BSD-3-Clause
"""How sure a list is: probabilities of its labelings, a map of what is sure, and which labeling to take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels, is_one_of, own
from hedgehop.lists.possibilities import Possibilities
from hedgehop.models.base import Model

Loss = Literal["iou", "accuracy", "hamming"] | Callable[[Labels, Labels], float]
_NEAR = 0.1  # share of the variables in which an answer may differ from the truth and still count as right
_LOSSES = ("iou", "accuracy", "hamming")


@dataclass(frozen=True, eq=False)
class Chosen:
    """A labeling that was chosen, and why.

    Attributes
    ----------
    labeling : (*shape) array of labels
    index : int or None
        Its place in the list; None if it was chosen among all labelings.
    expected_loss : float
        Its expected loss.
    losses : (m,) array
        The expected loss of each labeling of the list.
    """

    labeling: Labels
    index: int | None
    expected_loss: float
    losses: Doubles

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.labeling, dtype, copy=copy is not False)

    def __repr__(self) -> str:
        what = "a labeling that is not in the list" if self.index is None else f"labeling {self.index + 1} of the list"
        return f"Chosen({what}, expected loss {self.expected_loss:.4g})"


@dataclass(frozen=True, eq=False)
class UncertaintyFigures:
    """What is known about how sure a list is; all that files keep.

    Attributes
    ----------
    probabilities : (m,) array
        Probability that each labeling is the nearest one to the truth.
    none_of_these : float
        Probability that the truth differs from all of them in more than a tenth of the variables.
    sure, entropy : (*shape) arrays
        Of each variable: probability of its most probable label, and entropy in nats.
    origin : str
        What stood for the truth.
    """

    probabilities: Doubles
    none_of_these: float
    sure: Doubles
    entropy: Doubles
    origin: str


@dataclass(frozen=True, eq=False)
class ListOnModel:
    """A list as (m, n) labelings of its model, which need not have the shape the user sees.

    `draw` makes labelings of the list's shape of labelings of the model; `spread` does so with a number per variable.
    """

    model: Model | None
    members: Labels
    draw: Callable[[Labels], Labels]
    spread: Callable[[Doubles], Doubles]

    @classmethod
    def plain(cls, labelings: Labels, model: Model | None) -> ListOnModel:
        """Return the view of a list whose labelings are those of its model."""
        shape = labelings.shape[1:]
        return cls(
            model,
            np.ascontiguousarray(labelings.reshape(len(labelings), -1), np.int32),
            draw=lambda rows: np.asarray(rows.reshape(len(rows), *shape)),
            spread=lambda values: np.asarray(values.reshape(shape)),
        )


@dataclass(frozen=True, eq=False)
class ListUncertainty:
    """A list against what the truth may be."""

    view: ListOnModel
    possible: Possibilities

    @property
    def members(self) -> Labels:
        """The list as labelings of its model, (m, n)."""
        return self.view.members

    @cached_property
    def figures(self) -> UncertaintyFigures:
        """What is read off."""
        chances = self.possible.marginals
        logs = np.log(np.where(chances > 0, chances, 1.0))
        return UncertaintyFigures(
            self.possible.nearest(self.members),
            self.possible.far_from(self.members, _NEAR),
            own(self.view.spread(chances.max(axis=1))),
            own(self.view.spread(np.maximum(0.0, -(chances * logs).sum(axis=1)))),
            self.possible.origin,
        )

    def choose(self, labelings: Labels, loss: Loss, among: str, margin: float = 0.0) -> Chosen:
        """Return the labeling of least expected loss, among those of the list or all labelings.

        Another one than the first must be better by the margin.
        """
        if not (callable(loss) or is_one_of(loss, _LOSSES)):
            raise ValueError(f"loss must be 'iou', 'accuracy', 'hamming' or a function; got {loss!r}.")
        if not is_one_of(among, ("list", "all")):
            raise ValueError(f"among must be 'list' or 'all'; got {among!r}.")
        losses = self._losses(loss, self.members)
        found = self._among_all(loss, losses) if among == "all" else None
        best = int(losses.argmin())
        if margin > 0 and (found.expected_loss if found else losses[best]) > losses[0] - margin:
            found, best = None, 0
        return found or Chosen(labelings[best], best, float(losses[best]), own(losses))

    def consensus(self) -> Labels:
        """Return the labeling with the fewest expected errors, (n,)."""
        from hedgehop.probabilities.consensus import best_together

        known = np.concatenate([self.members, self.possible.rows])
        return best_together(self.view.model, self.possible.weights[:, None] * self.possible.marginals, known)

    def _among_all(self, loss: Loss, losses: Doubles) -> Chosen:
        if not is_one_of(loss, ("accuracy", "hamming")):
            raise ValueError(
                f"among must be 'list' for loss {loss!r}: only losses that are sums over variables, 'accuracy' and "
                "'hamming', can be minimised over all labelings."
            )
        row = np.ascontiguousarray(self.consensus()[None], np.int32)
        return Chosen(own(self.view.draw(row)[0]), None, float(self._losses(loss, row)[0]), own(losses))

    def _losses(self, loss: Loss, rows: Labels) -> Doubles:
        """Return the expected loss of each of (m, n) labelings."""
        if callable(loss):
            return self._by_function(loss, rows)
        if loss == "iou":
            return 1.0 - self.possible.expected_overlap(rows)
        places = np.arange(rows.shape[1])
        wrong = np.average(1.0 - self.possible.marginals[places, rows], axis=1, weights=self.possible.weights)
        return np.asarray(wrong * self.figures.sure.size if loss == "hamming" else wrong)

    def _by_function(self, loss: Callable[[Labels, Labels], float], rows: Labels) -> Doubles:
        """Expected values of a function of labelings as the user sees them; one possible truth is drawn at a time."""
        shown, expected = self.view.draw(rows), np.zeros(len(rows))
        for truth, chance in zip(self.possible.rows, self.possible.chances, strict=True):
            if chance > 0:
                there = self.view.draw(truth[None])[0]
                expected += chance * np.array([_finite(loss(labeling, there)) for labeling in shown])
        return expected


def _finite(value: Any) -> float:
    try:
        loss = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"loss must return a number; got {value!r}.") from None
    if not np.isfinite(loss):
        raise ValueError(f"loss must return finite numbers; got {value}.")
    return loss
