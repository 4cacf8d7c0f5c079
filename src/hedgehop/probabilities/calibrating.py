# SPDX-License-Identifier: BSD-3-Clause
"""Which temperature makes probabilities right, by examples whose truth is known."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, integers, is_one_of, several
from hedgehop.lists.objective import require_model
from hedgehop.lists.possibilities import overlaps
from hedgehop.lists.result import DiverseList
from hedgehop.metrics import Reliability, reliability
from hedgehop.models import Model
from hedgehop.probabilities.marginals import marginals
from hedgehop.probabilities.weighing import has_own_chances, weigh

_COLDEST, _HOTTEST = 1e-3, 1e3  # temperatures that are tried
_TEMPERATURES = {"likelihood": 19, "error": 37}  # how many: the error has several minima
_LEAST_SAID = 1e-6  # probability whose logarithm stands for those of smaller ones
_SAYING_NOTHING = 0.3  # what log loss adds to the error: equal probabilities of everything have no error
_PRIOR = 1.0  # spread of the logarithm of a list's temperature that is expected beforehand: few lists change little
_EQUALLY_SIMILAR = 1e-9  # labelings that are as similar to the truth within this are equally near


@dataclass(frozen=True)
class CalibrationQuality:
    """Probabilities at one temperature, against the truth.

    Attributes
    ----------
    log_loss : float
        Mean of ``-log p(truth)``: of a variable, for models; of the nearest labeling, for lists.
    reliability : Reliability
        Of the most probable label of each variable, or the most probable labeling of each list.
    """

    log_loss: float
    reliability: Reliability


@dataclass(frozen=True)
class Calibration:
    """A temperature, and what it changes on the examples it was found on.

    Attributes
    ----------
    temperature : float
        For ``hh.marginals``, ``hh.samples`` and ``hh.weigh``.
    before, after : CalibrationQuality
        At temperature 1 and at this one.
    """

    temperature: float
    before: CalibrationQuality
    after: CalibrationQuality

    def __repr__(self) -> str:
        errors = f"{self.before.reliability.error:.3f} -> {self.after.reliability.error:.3f}"
        losses = f"{self.before.log_loss:.3f} -> {self.after.log_loss:.3f}"
        return f"Calibration(temperature {self.temperature:.3g}, log loss {losses}, calibration error {errors})"


def calibrate(
    subjects: Sequence[Model] | Sequence[DiverseList],
    truths: Iterable[ArrayLike],
    by: Literal["likelihood", "error"] = "likelihood",
) -> Calibration:
    """Find the temperature at which probabilities are right.

    Parameters
    ----------
    subjects : list of Model, or list of DiverseList
        Examples. For models, the marginals of variables are fitted; for lists, ``found.probabilities``.
    truths : list of arrays of labels
        The true labeling of each, of the same shape; negative labels are unknown.
    by : "likelihood" or "error"
        What is smallest at the temperature: the mean of ``-log p(truth)``, or the expected calibration error plus 0.3
        of that mean, which needs more examples. Lists are few and each contains little information, so temperatures far
        from 1 are penalised.

    Returns
    -------
    Calibration
        Cross-validate it: a temperature that fits thirty examples need not fit other ones.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> random = np.random.default_rng(0)
    >>> models = [hh.Chain(random.normal(size=(40, 2)), np.eye(2)) for _ in range(20)]
    >>> truths = [hh.samples(model, 1, seed=k)[0] for k, model in enumerate(models)]
    >>> louder = [hh.Chain(3.0 * model.unary, 3.0 * np.eye(2)) for model in models]  # three times too sure
    >>> 2.5 < hh.calibrate(louder, truths).temperature < 3.5
    True
    """
    examples = _examples(several(subjects, "subjects", "models or lists"), several(truths, "truths", "labelings"))
    if not is_one_of(by, ("likelihood", "error")):
        raise ValueError(f"by must be 'likelihood' or 'error'; got {by!r}.")
    return fitted(examples, by)


class LabelledExample(Protocol):
    """An example: distributions over outcomes at a temperature, and what came true, (k, L) each."""

    @property
    def shrinks(self) -> bool:
        """Whether a temperature far from 1 must be worth it."""

    def at(self, temperature: float) -> tuple[Doubles, Doubles]:
        """Return the distributions, and the shares of what came true."""


@dataclass(frozen=True)
class LabelledModel:
    """The variables of a model whose labels are known."""

    model: Model
    truth: NDArray[np.int64]  # (n,)
    shrinks: bool = False

    def at(self, temperature: float) -> tuple[Doubles, Doubles]:
        """Return the marginals, and one-hot labels."""
        known = self.truth >= 0
        chances = marginals(self.model, temperature).probabilities.reshape(self.truth.size, -1)[known]
        return chances, (np.arange(chances.shape[1]) == self.truth[known, None]).astype(np.float64)


@dataclass(frozen=True)
class LabelledList:
    """A list, and which of its labelings are the nearest to the truth, as shares that sum to 1."""

    found: DiverseList
    nearest: Doubles  # (m,)
    shrinks: bool = True

    def at(self, temperature: float) -> tuple[Doubles, Doubles]:
        """Return one distribution over the labelings."""
        if not has_own_chances(self.found):
            return weigh(self.found, temperature=temperature).probabilities[None], self.nearest[None]
        chances = self._shares @ self.found._live_uncertainty.possible.flattened(temperature).chances
        return chances[None] / chances.sum(), self.nearest[None]

    @cached_property
    def _shares(self) -> Doubles:
        """Which labelings are the nearest to each possibility: the same at all temperatures."""
        uncertainty = self.found._live_uncertainty
        return uncertainty.possible.nearest_members(uncertainty.members)


def fitted(examples: Sequence[LabelledExample], by: str = "likelihood") -> Calibration:
    """Try temperatures, then search between the two around the best one."""
    from scipy.optimize import minimize_scalar

    shrink = sum(e.shrinks for e in examples) / max(1, len(examples)) ** 2

    def cost(log: float) -> float:
        found = quality_at(examples, float(np.exp(log)))
        main = found.log_loss if by == "likelihood" else found.reliability.error + _SAYING_NOTHING * found.log_loss
        return main + 0.5 * shrink * (log / _PRIOR) ** 2

    logs = np.linspace(np.log(_COLDEST), np.log(_HOTTEST), _TEMPERATURES[by])
    costs = np.array([cost(log) for log in logs])
    best = int(costs.argmin())
    if best in (0, len(logs) - 1):
        text = (
            f"the best temperature is {np.exp(logs[best]):g}, the last one tried: are these the truths of the models?"
        )
        warnings.warn(text, stacklevel=3)
    around = logs[max(0, best - 1)], logs[min(len(logs) - 1, best + 1)]
    search = minimize_scalar(cost, bounds=around, method="bounded", options={"xatol": 0.01})
    log = float(search.x) if search.fun < costs[best] else float(logs[best])
    if cost(0.0) <= cost(log):
        log = 0.0
    return Calibration(float(np.exp(log)), quality_at(examples, 1.0), quality_at(examples, float(np.exp(log))))


def quality_at(examples: Sequence[LabelledExample], temperature: float = 1.0) -> CalibrationQuality:
    """Return how right probabilities are at a temperature."""
    pairs = [example.at(temperature) for example in examples]
    losses = np.concatenate([-(came * np.log(np.maximum(said, _LEAST_SAID))).sum(axis=1) for said, came in pairs])
    top = np.concatenate([said.max(axis=1) for said, _ in pairs])
    came_true = np.concatenate([_of_top(said, came) for said, came in pairs])
    return CalibrationQuality(float(losses.mean()), reliability(np.clip(top, 0.0, 1.0), np.clip(came_true, 0.0, 1.0)))


def _of_top(said: Doubles, came: Doubles) -> Doubles:
    return np.asarray(came[np.arange(len(came)), said.argmax(axis=1)])


def _examples(subjects: tuple[Any, ...], truths: tuple[Any, ...]) -> list[LabelledExample]:
    if len(subjects) != len(truths) or not subjects:
        text = "subjects and truths must have the same length, at least 1"
        raise ValueError(f"{text}; got {len(subjects)} and {len(truths)}.")
    kinds = {isinstance(subject, DiverseList) for subject in subjects}
    if len(kinds) > 1:
        raise TypeError("subjects must all be models, or all be lists; got both.")
    pairs = list(zip(subjects, truths, strict=True))
    if kinds.pop():
        return [LabelledList(found, nearest_to(found, truth)) for found, truth in pairs]
    return [_labelled_model(model, truth) for model, truth in pairs]


def _labelled_model(model: Any, truth: Any) -> LabelledModel:
    require_model(model)
    labels = known_labels(truth, model.shape, int(model.label_counts.max()))
    if (labels >= model.label_counts).any():
        worst = int(np.argmax(labels >= model.label_counts))
        raise ValueError(f"a truth must hold labels of the model; variable {worst} has label {labels[worst]}.")
    return LabelledModel(model, labels)


def nearest_to(found: DiverseList, truth: ArrayLike) -> Doubles:
    """Return which labelings of a list are the nearest to the truth, (m,) shares that sum to 1; ties are shared.

    Compared as the list's own probabilities compare: by overlap in suggestions, variable by variable elsewhere.
    """
    labels = known_labels(truth, found.labelings.shape[1:], None)
    known = labels >= 0
    rows = np.ascontiguousarray(found.labelings.reshape(len(found), -1)[:, known])
    target = labels[known].astype(np.int32)[None]
    if found._live_uncertainty.possible.by_overlap:
        similar = overlaps(rows, target, np.ones(target.size))[:, 0]
    else:
        similar = (rows == target).mean(axis=1)
    best = similar >= similar.max() - _EQUALLY_SIMILAR
    return np.asarray(best / best.sum())


def known_labels(truth: ArrayLike, shape: tuple[int, ...], width: int | None) -> NDArray[np.int64]:
    """Return a true labeling as (n,) labels, negative where it is unknown; at least one must be known."""
    labels = integers(truth, "truth")
    if labels.shape not in (shape, (int(np.prod(shape)),)):
        raise ValueError(f"a truth must have shape {shape}; got {labels.shape}.")
    if labels.max(initial=-1) < 0:
        raise ValueError("a truth must have at least one known label; got negative ones only.")
    if width is not None and labels.max() >= width:
        raise ValueError(f"a truth must have labels below {width}; got {int(labels.max())}. Mark unknown ones by -1.")
    return labels.reshape(-1)
