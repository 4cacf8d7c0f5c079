# SPDX-License-Identifier: BSD-3-Clause
"""The answer: M labelings in greedy order, and what is proven about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels, own, positive_count
from hedgehop.lists.certificate import Certificate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hedgehop.lists.objective import Objective
    from hedgehop.lists.state import ListState


class Further(Protocol):
    """How a list gets a better bound, or becomes a better list, by a number of further steps."""

    def certify(self, calls: int, progress: bool) -> DiverseList:
        """Return the same list with a better bound."""

    def improve(self, calls: int, progress: bool) -> DiverseList:
        """Return a list whose F is at least the same."""


@dataclass(frozen=True, eq=False)
class DiverseList:
    """M labelings in the order they were chosen, with gains, bounds and a certificate.

    Attributes
    ----------
    labelings : (m, *shape) array of ints
    relevance : (m,) array
        r(y) of each.
    gains : (m,) array
        What each added to F when it was chosen: ``F(S^t) - F(S^{t-1})``.
    bounds : (m,) array
        Upper bound on what any labeling could have added then.
    exact : (m,) array of bools
        Whether the oracle solved that step to proven optimality.
    seconds : (m,) array
        Time each step took.
    oracles : tuple of str
        Which oracle solved it.
    certificate : Certificate
        What is proven about the list.
    tradeoff : float
        The factor of the diversity in F.
    diversity, method, model : str
        How the list was made, as text.
    sources : tuple of str
        For a portfolio, the diversity each labeling comes from; otherwise empty.
    indices : (m,) array of ints or None
        For a selection from a pool, the indices of the labelings there.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> chain = hh.Chain(emissions=np.eye(4, 3), transitions=np.zeros((3, 3)))
    >>> found = hh.diverse(chain, hh.VariableCoverage(), m=3, tradeoff=2.0)
    >>> found.labelings.shape, len(found), found.distinct
    ((3, 4), 3, 3)
    >>> found.objective <= found.upper_bound
    True
    """

    labelings: Labels
    relevance: Doubles
    gains: Doubles
    bounds: Doubles
    exact: NDArray[np.bool_]
    seconds: Doubles
    oracles: tuple[str, ...]
    certificate: Certificate
    tradeoff: float
    diversity: str
    method: str
    model: str
    sources: tuple[str, ...] = ()
    indices: NDArray[np.int64] | None = None
    _more: Callable[[int], DiverseList] | None = field(default=None, repr=False)
    _further: Further | None = field(default=None, repr=False)

    @property
    def objective(self) -> float:
        """F(S) = total relevance + tradeoff * D(S), re-evaluated from the labelings."""
        return self.certificate.objective

    @property
    def upper_bound(self) -> float:
        """No list of the same length has a larger F."""
        return self.certificate.upper_bound

    @property
    def guarantee(self) -> float:
        """Proven share of the best possible improvement over repeating the single best labeling; 0 if F is below."""
        return self.certificate.guarantee

    @property
    def optimal(self) -> bool:
        """Whether it is proven that no list of the same length is better (up to rounding)."""
        return self.certificate.optimal

    @property
    def ratio(self) -> float:
        """``objective / upper_bound`` where the objective is not negative (the paper's ratio)."""
        return self.certificate.ratio

    @property
    def distances(self) -> NDArray[np.int64]:
        """Number of variables in which each two labelings differ, (m, m)."""
        flat = self._flat
        return _core.counts.hamming(flat, flat).astype(np.int64)

    @property
    def distinct(self) -> int:
        """Number of different labelings in the list."""
        return len({labeling.tobytes() for labeling in self._flat})

    @property
    def _flat(self) -> Labels:
        return np.ascontiguousarray(self.labelings.reshape(len(self.labelings), -1))

    def more(self, k: int) -> DiverseList:
        """Return a list with k more labelings, which starts with the labelings of this one."""
        k = positive_count(k, "k")
        if self._more is None:
            raise ValueError(
                f"this list cannot be extended ({self.method}): only greedy lists that were not loaded from a file "
                "can. Call hh.diverse with a larger m."
            )
        return self._more(k)

    def certify(self, calls: int = 30, progress: bool = False) -> DiverseList:
        """Return the same list with a better bound, if `calls` further steps find one (docs/list_dual.md).

        It continues from what was found before, and stops early if nothing is left to prove.

        >>> import numpy as np, hedgehop as hh
        >>> chain = hh.Chain(emissions=np.eye(4, 3), transitions=np.zeros((3, 3)))
        >>> found = hh.diverse(chain, hh.VariableCoverage(), m=3, tradeoff=2.0, certify=False)
        >>> found.certify(calls=5).upper_bound <= found.upper_bound
        True
        """
        return self._go_on("certified").certify(positive_count(calls, "calls"), progress)

    def improve(self, calls: int = 20, progress: bool = False) -> DiverseList:
        """Return a list with an F at least as large, by exchanging labelings and solving some again given the rest.

        At most `calls` steps are solved; most of them are those of ``certify``, which also find good labelings.

        >>> import numpy as np, hedgehop as hh
        >>> chain = hh.Chain(emissions=np.eye(4, 3), transitions=np.zeros((3, 3)))
        >>> found = hh.diverse(chain, hh.VariableCoverage(), m=3, tradeoff=0.4)
        >>> found.improve().objective >= found.objective
        True
        """
        return self._go_on("improved").improve(positive_count(calls, "calls"), progress)

    def _go_on(self, wish: str) -> Further:
        if self._further is None:
            raise ValueError(
                f"this list cannot be {wish} ({self.method}): that needs the solver of hh.diverse, which is not kept "
                "in files, pools and portfolios. Call hh.diverse again; hh.verify checks a bound that was saved."
            )
        return self._further

    def report(self) -> str:
        """Everything that is known about the list, as text."""
        from hedgehop.lists.report import report

        return report(self)

    def plot(self, image: ArrayLike | None = None, **options: Any) -> Figure:
        """Draw all candidates side by side (needs the ``plot`` extra); see ``hedgehop.plotting.plot_list``."""
        from hedgehop.plotting import plot_list

        return plot_list(self, image, **options)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the list to an .npz file; ``hh.load`` reads it back."""
        from hedgehop.io.lists import save

        save(self, path)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_more": None, "_further": None}  # how to go on needs a live solver

    def __len__(self) -> int:
        return len(self.labelings)

    def __repr__(self) -> str:
        proven = f"guarantee {self.guarantee:.0%}" if np.isfinite(self.guarantee) else "no guarantee"
        return f"DiverseList({len(self)} labelings, {self.distinct} distinct, F = {self.objective:.6g}, {proven})"


def as_list(
    objective: Objective, state: ListState, certificate: Certificate, method: str, **options: Any
) -> DiverseList:
    """Return a list whose steps are all known as what users get; `options` are its other attributes."""
    steps = state.steps
    return DiverseList(
        labelings=own(state.rows.reshape(len(state), *objective.model.shape)),
        relevance=own(np.array([s.relevance for s in steps])),
        gains=own(np.array([s.value for s in steps])),
        bounds=own(np.array([s.upper_bound for s in steps])),
        exact=own(np.array([s.exact for s in steps])),
        seconds=own(np.array([s.seconds for s in steps])),
        oracles=tuple(s.oracle for s in steps),
        certificate=certificate,
        tradeoff=objective.tradeoff,
        diversity=repr(objective.diversity),
        method=method,
        model=repr(objective.model),
        **options,
    )
