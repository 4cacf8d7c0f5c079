# SPDX-License-Identifier: BSD-3-Clause
"""The probability of every label of every variable, and how exact it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.lists.objective import require_model
from hedgehop.models import Model, PairwiseModel
from hedgehop.oracles.base import Step
from hedgehop.oracles.registry import get
from hedgehop.probabilities.bounds import mean_field, tree_reweighted
from hedgehop.probabilities.exact import exact_method, exact_sums, scale_of
from hedgehop.probabilities.samples import samples
from hedgehop.probabilities.ways import ways_of

_SAMPLES = 200


@dataclass(frozen=True, eq=False)
class Marginals:
    """Probabilities of labels under ``p(y) ~ exp(score(y) / temperature)``; an array of them in numpy functions.

    Attributes
    ----------
    probabilities : (*shape, L) array
        Of each label of each variable; rows sum up to 1.
    log_partition : float
        ``log sum_y exp(score(y) / temperature)``; the middle of its bounds if it is not exact.
    lower, upper : float
        Bounds on the log partition.
    method : str
        How they were computed: "sum-product", "matrix-tree", "elimination", "forward-backward", "inside-outside",
        "enumeration", "tree-reweighted" or "samples".
    exact : bool
        Whether they are exact up to rounding. If not, the probabilities are estimates without a bound.

    Examples
    --------
    >>> import hedgehop as hh
    >>> sure = hh.marginals(hh.Chain([[3.0, 0.0], [0.0, 0.0]], transitions=[[1.0, 0.0], [0.0, 1.0]]))
    >>> sure
    Marginals(2 variables, exact by sum-product, log partition 4.362)
    >>> sure.probabilities.round(2).tolist()
    [[0.95, 0.05], [0.71, 0.29]]
    """

    probabilities: Doubles
    log_partition: float
    lower: float
    upper: float
    method: str
    exact: bool

    @property
    def entropy(self) -> Doubles:
        """Entropy of each variable in nats: 0 where it is sure, log L where nothing is known."""
        p = self.probabilities
        return np.asarray(-np.sum(p * np.log(np.where(p > 0, p, 1.0)), axis=-1))

    @property
    def labeling(self) -> Labels:
        """The most probable label of each variable: of all labelings the one with the fewest expected errors."""
        return own(self.probabilities.argmax(axis=-1).astype(np.int32))

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.probabilities, dtype, copy=copy is not False)

    def __repr__(self) -> str:
        count = self.probabilities[..., 0].size
        if self.exact:
            return f"Marginals({count} variables, exact by {self.method}, log partition {self.log_partition:.4g})"
        between = f"log partition between {self.lower:.6g} and {self.upper:.6g}"
        return f"Marginals({count} variables, estimated by {self.method}, {between})"


def marginals(model: Model, temperature: float = 1.0) -> Marginals:
    """Return the probability of every label of every variable under ``p(y) ~ exp(score(y) / temperature)``.

    Exact for chains, trees and all forests (sum-product), dependency parses and spanning trees (matrix-tree theorem),
    graphs of small width (elimination), automata that read each string in one way and routes in directed graphs without
    cycles (forward-backward), parses by a grammar (inside-outside), and models of up to 2^18 labelings (enumeration).
    Otherwise estimated: with pairs, by tree-reweighted sums over forests, which bound the log partition from above; if
    not, by samples.

    Parameters
    ----------
    model : Model
        Its scores are log-probabilities up to a constant, at temperature 1.
    temperature : float
        Larger ones flatten the distribution. Scores that are not log-probabilities need one: see `hh.calibrate`.

    Returns
    -------
    Marginals

    Examples
    --------
    >>> import hedgehop as hh
    >>> parse = hh.Arborescence([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    >>> hh.marginals(parse).probabilities.round(3).tolist()
    [[0.958, 0.0, 0.042], [0.156, 0.844, 0.0]]
    """
    require_model(model)
    scale = scale_of(model, temperature)
    method = exact_method(model)
    if method is not None:
        total, chances = exact_sums(model, scale)
        return _result(model, chances, (total, total), method, True)
    return estimated(model, temperature)


def estimated(model: Model, temperature: float) -> Marginals:
    """Return estimates, with bounds on the log partition; what models without an exact method get."""
    scale = scale_of(model, temperature)
    step = get("auto").on(model).step(())
    if isinstance(model, PairwiseModel) and not model.cliques:
        upper, chances = tree_reweighted(model, scale)
        below = -np.inf if model.forbids_pairs else mean_field(model, scale, chances)
        bounds = max(below, scale * step.value), min(upper, _highest(model, step, scale))
        return _result(model, chances, bounds, "tree-reweighted", False)
    upper = min(_highest(model, step, scale), _over_ways(model, scale))
    return _result(model, _frequencies(model, temperature), (scale * step.value, upper), "samples", False)


def log_partition(model: Model, temperature: float = 1.0) -> tuple[float, float]:
    """Return a lower and an upper bound on ``log sum_y exp(score(y) / temperature)``; equal if they are exact.

    >>> import hedgehop as hh
    >>> hh.log_partition(hh.FactorGraph([[0.0, 0.0]] * 3))
    (2.0794415416798357, 2.0794415416798357)
    """
    found = marginals(model, temperature)
    return found.lower, found.upper


def _highest(model: Model, step: Step, scale: float) -> float:
    """As if all labelings were as good as the best may be."""
    return scale * step.upper_bound + float(np.log(model.label_counts.astype(np.float64)).sum())


def _over_ways(model: Model, scale: float) -> float:
    """Sum over all ways to read a string: at least as much as over strings."""
    ways = ways_of(model, scale)
    return np.inf if ways is None else ways.sums()[0]


def _frequencies(model: Model, temperature: float) -> Doubles:
    drawn = samples(model, _SAMPLES, variable=temperature, label=0.0, region=0.0).reshape(_SAMPLES, -1)
    labels = np.arange(int(model.label_counts.max()))
    return np.asarray((drawn[:, :, None] == labels).mean(axis=0))


def _result(model: Model, chances: ArrayLike, bounds: tuple[float, float], method: str, exact: bool) -> Marginals:
    lower, upper = bounds
    shaped = np.asarray(chances, np.float64).reshape(*model.shape, -1)
    return Marginals(own(shaped), 0.5 * (lower + upper), lower, upper, method, exact)
