# SPDX-License-Identifier: BSD-3-Clause
"""The answer: M labelings in greedy order, and what is proven about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels, number, own, positive_count
from hedgehop.lists.certificate import Certificate
from hedgehop.lists.uncertainty import Chosen, ListOnModel, ListUncertainty, Loss, UncertaintyFigures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hedgehop.lists.objective import Objective
    from hedgehop.lists.state import ListState


class ListImprover(Protocol):
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
        Upper bound on what any labeling could have added in that step; if labelings must differ, any allowed labeling.
    exact : (m,) array of bools
        Whether gain and bound agree (up to rounding): no labeling could have added more.
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
    unlimited_bounds : (m,) array or None
        If labelings must differ: upper bound on what any labeling could have added, allowed or not. The certificate
        uses it. None if the same as `bounds`.
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
    unlimited_bounds: Doubles | None = None
    _more: Callable[[int], DiverseList] | None = field(default=None, repr=False)
    _improver: ListImprover | None = field(default=None, repr=False)
    _view: ListOnModel | None = field(default=None, repr=False)
    _uncertainty: ListUncertainty | UncertaintyFigures | None = field(default=None, repr=False)

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
        """Proven share of the best possible improvement over repeating the single best labeling; 0 if F is below.

        ``certificate.baseline_gap`` says whether that is the most relevant labeling found or the proven best.
        """
        return self.certificate.guarantee

    @property
    def optimal(self) -> bool:
        """Whether it is proven that no list of the same length is better (up to rounding)."""
        return self.certificate.optimal

    @property
    def ratio(self) -> float:
        """``objective / upper_bound`` if the objective is not negative (the paper's ratio)."""
        return self.certificate.ratio

    @property
    def distances(self) -> NDArray[np.int64]:
        """Number of variables in which any two labelings differ, (m, m)."""
        flat = self._flat
        return _core.counts.hamming(flat, flat).astype(np.int64)

    @property
    def distinct(self) -> int:
        """Number of different labelings in the list."""
        return len({labeling.tobytes() for labeling in self._flat})

    @property
    def probabilities(self) -> Doubles:
        """Probability that each labeling is the nearest one to the truth, (m,); they sum to 1.

        The truth is assumed to be a sample of the model, whose scores are log-probabilities up to a constant; in lists
        of suggestions, one of the candidates from which the list was chosen. ``hh.weigh`` uses other samples or another
        temperature; ``hh.calibrate`` finds a temperature.

        >>> import hedgehop as hh
        >>> found = hh.diverse(hh.Chain([[1.0, 0.0], [0.2, 0.0]]), hh.LinearHamming(), m=2)
        >>> found.probabilities.round(2).tolist(), round(found.none_of_these, 2)
        ([0.55, 0.45], 0.27)
        """
        return self._figures.probabilities

    @property
    def none_of_these(self) -> float:
        """Probability that the truth differs from every labeling in more than a tenth of the variables."""
        return self._figures.none_of_these

    @property
    def sure(self) -> Doubles:
        """Probability of the most probable label of each variable, (*shape): 1 where all plausible answers agree."""
        return self._figures.sure

    @property
    def entropy(self) -> Doubles:
        """Entropy of the label of each variable in nats, (*shape): 0 where all plausible answers agree."""
        return self._figures.entropy

    def choose(self, loss: Loss = "iou", among: Literal["list", "all"] = "list", margin: float = 0.0) -> Chosen:
        """Return the labeling with the smallest expected loss: the one to take if nobody chooses.

        Parameters
        ----------
        loss : "iou", "accuracy", "hamming" or function
            "iou": 1 - intersection over union, expected label by label; in suggestions for images, half of it by
            candidates. "accuracy" and "hamming": share and number of wrong variables. A function takes a labeling of
            the list and a possible truth of the same shape, and returns a number.
        among : "list" or "all"
            Whether to choose among the list or, for "accuracy" and "hamming", among all labelings.
        margin : float
            By how much the expected loss must be smaller than that of the first labeling, else the first one is taken.

        Examples
        --------
        >>> import hedgehop as hh
        >>> found = hh.diverse(hh.Chain([[1.0, 0.0], [0.2, 0.0]]), hh.LinearHamming(), m=2)
        >>> found.choose("accuracy")
        Chosen(labeling 1 of the list, expected loss 0.3596)
        """
        return self._live_uncertainty.choose(self.labelings, loss, among, number(margin, "margin", low=0.0))

    @property
    def is_weighed(self) -> bool:
        """Whether probabilities are known already, so that reports, plots and files contain them."""
        return self._uncertainty is not None or "_on_demand" in self.__dict__

    @property
    def _figures(self) -> UncertaintyFigures:
        known = self._uncertainty
        return known if isinstance(known, UncertaintyFigures) else self._live_uncertainty.figures

    @property
    def _live_uncertainty(self) -> ListUncertainty:
        return self._uncertainty if isinstance(self._uncertainty, ListUncertainty) else self._on_demand

    @cached_property
    def _on_demand(self) -> ListUncertainty:
        from hedgehop.probabilities.weighing import default_uncertainty

        if self._view is None:
            raise ValueError(
                "this list has no model, because files do not contain it. Call hh.weigh(found, model) first."
            )
        return default_uncertainty(self._view)

    @property
    def _flat(self) -> Labels:
        return np.ascontiguousarray(self.labelings.reshape(len(self.labelings), -1))

    def more(self, k: int) -> DiverseList:
        """Return a list with k more labelings, which starts with the labelings of this one."""
        k = positive_count(k, "k")
        if self._more is None:
            raise ValueError(
                f"this list cannot be extended ({self.method}): only greedy lists with a solver can. "
                "Call hh.diverse with a larger m or, if it is from a file, hh.load(file, model)."
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
        """Return a list whose F is at least as large, by exchanging labelings and solving some again given the rest.

        At most `calls` steps are solved; most of them are those of ``certify``, which also find good labelings.

        >>> import numpy as np, hedgehop as hh
        >>> chain = hh.Chain(emissions=np.eye(4, 3), transitions=np.zeros((3, 3)))
        >>> found = hh.diverse(chain, hh.VariableCoverage(), m=3, tradeoff=0.4)
        >>> found.improve().objective >= found.objective
        True
        """
        return self._go_on("improved").improve(positive_count(calls, "calls"), progress)

    @property
    def can_improve(self) -> bool:
        """Whether `improve` and `certify` have a solver; lists from files, pools and portfolios have none."""
        return self._improver is not None

    def _go_on(self, wanted: str) -> ListImprover:
        if self._improver is None:
            raise ValueError(
                f"this list cannot be {wanted} ({self.method}): that needs a solver, which files, pools and portfolios "
                "do not have. If it is from a file, call hh.load(file, model)."
            )
        return self._improver

    def report(self, verbose: bool = False) -> str:
        """What differs and what is proven, in one sentence, and a table of the steps; with `verbose`, all bounds."""
        from hedgehop.lists.report import report

        return report(self, verbose)

    def _repr_html_(self) -> str:
        """What notebooks show."""
        from hedgehop.lists.notebook import as_html

        return as_html(self)

    def plot(self, image: ArrayLike | None = None, **options: Any) -> Figure:
        """Draw all candidates side by side (needs the ``plot`` extra); see ``hedgehop.plotting.plot_list``."""
        from hedgehop.plotting import plot_list

        return plot_list(self, image, **options)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the list to an .npz file; ``hh.load`` reads it back."""
        from hedgehop.io.lists import save

        save(self, path)

    def __getstate__(self) -> dict[str, Any]:
        kept = {key: value for key, value in self.__dict__.items() if key != "_on_demand"}
        figures = self._figures if self.is_weighed else None
        live = {"_more": None, "_improver": None, "_view": None}  # these need solvers
        return kept | live | {"_uncertainty": figures}

    def __len__(self) -> int:
        return len(self.labelings)

    def __getitem__(self, which: int | slice) -> Labels:
        """Labelings by their place; so ``for labeling in found`` goes through all of them."""
        return self.labelings[which]

    def __repr__(self) -> str:
        proven = f"guarantee {self.guarantee:.0%}" if np.isfinite(self.guarantee) else "no guarantee"
        return f"DiverseList({len(self)} labelings, {self.distinct} distinct, F = {self.objective:.6g}, {proven})"


def as_list(
    objective: Objective, state: ListState, certificate: Certificate, method: str, **options: Any
) -> DiverseList:
    """Return a list whose steps are all known as what users get; `options` are its other attributes."""
    steps, labelings = state.steps, own(state.rows.reshape(len(state), *objective.model.shape))
    limited = any(s.unlimited_bound is not None for s in steps)
    return DiverseList(
        labelings=labelings,
        relevance=own(np.array([s.relevance for s in steps])),
        gains=own(np.array([s.value for s in steps])),
        bounds=own(np.array([s.upper_bound for s in steps])),
        unlimited_bounds=own(np.array([s.bound_on_all for s in steps])) if limited else None,
        exact=own(np.array([s.exact for s in steps])),
        seconds=own(np.array([s.seconds for s in steps])),
        oracles=tuple(s.oracle for s in steps),
        certificate=certificate,
        tradeoff=objective.tradeoff,
        diversity=repr(objective.diversity),
        method=method,
        model=repr(objective.model),
        _view=ListOnModel.plain(labelings, objective.model),
        **options,
    )
