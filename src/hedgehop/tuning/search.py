# SPDX-License-Identifier: BSD-3-Clause
"""The paper's grid search: which diversity and tradeoff give lists with the best best-of-m score on examples."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, own, positive_count
from hedgehop.lists.tradeoff import TradeoffLike
from hedgehop.metrics import accuracy
from hedgehop.models.base import Model
from hedgehop.tuning.cache import ScoreCache
from hedgehop.tuning.space import Choice, Setting, coordinates, make_space, whole_grid
from hedgehop.tuning.trials import Score, Trials

_SEARCHES = {"grid": whole_grid, "coordinates": coordinates}


@dataclass(frozen=True, eq=False)
class Tuned:
    """What a grid search found.

    Attributes
    ----------
    name : str
        Name of the best diversity in the grid.
    diversity : Diversity, or function of a model
        The best one, as it was given.
    tradeoff : float or rule
        Its tradeoff.
    settings : tuple of (name, tradeoff)
        All that were tried.
    best_of_m : (settings, models, m) array
        Score of the best of the first 1..m labelings, often called the oracle score.
    held_out : (models, m) array or None
        With folds: the same for each model under the setting chosen without its fold.
    """

    name: str
    diversity: Choice
    tradeoff: TradeoffLike
    settings: tuple[Setting, ...]
    best_of_m: Doubles
    held_out: Doubles | None = None

    @property
    def oracle(self) -> Doubles:
        """The same as `best_of_m`."""
        return self.best_of_m

    @property
    def score(self) -> float:
        """Mean over models of the best setting's score, all m labelings in hand."""
        return float(np.max(self.best_of_m[:, :, -1].mean(axis=1)))

    @property
    def held_out_score(self) -> float:
        """Mean over models of the score under settings chosen on other models: what to expect on new ones."""
        if self.held_out is None:
            raise ValueError("held_out_score needs folds. Use hh.tune(..., folds=5).")
        return float(self.held_out[:, -1].mean())

    def __repr__(self) -> str:
        return (
            f"Tuned({self.name}, tradeoff={self.tradeoff!r}, score {self.score:.4f} of {len(self.settings)} settings)"
        )


def tune(
    models: Sequence[Model],
    truths: Sequence[Any],
    diversity_grid: Mapping[str, Choice] | Iterable[Choice] | Callable[..., Choice],
    tradeoffs: Iterable[TradeoffLike] = (0.03, 0.1, 0.3, 1.0, 3.0),
    m: int = 6,
    *,
    parameters: Mapping[str, Iterable[Any]] | None = None,
    search: str = "grid",
    folds: int | None = None,
    score: Score = accuracy,
    cache: str | PathLike[str] | None = None,
    workers: int | None = None,
    progress: bool = False,
    **options: Any,
) -> Tuned:
    """Try diversities and tradeoffs, and return those whose lists have the best mean score of their best labelings.

    Parameters
    ----------
    models : sequence of Model
        The examples.
    truths : sequence
        The true labeling of each, of the model's shape (255 = unknown), or whatever `score` accepts.
    diversity_grid : mapping of names, iterable, or function of the parameters
        Diversities, such as ``{f"ball {g}": hh.HammingBall(gamma=g) for g in (0.01, 0.1)}`` or sums with several
        coefficients; or functions that make one for a model, if it needs weights.
    tradeoffs : iterable
        Numbers or rules, as in :func:`hedgehop.diverse`.
    m : int
        Length of the lists.
    parameters : mapping of names to values, optional
        Makes the grid: `diversity_grid` is then a function of these names, such as
        ``lambda mix, gamma: mix * hh.LinearHamming() + hh.HammingBall(gamma=gamma)``, the paper's ⊕.
    search : "grid" or "coordinates"
        Try all settings, or begin in the middle and change one parameter (or the tradeoff) at a time until none
        improves, which needs far fewer lists if there are several parameters.
    folds : int, optional
        Also choose on all but one fold of the models and score on that one, for each fold in turn: see
        ``held_out_score``.
    score : function of (labelings, truth)
        Gives each labeling of a list a number, higher is better. By default the accuracy.
    cache : path, optional
        A file of JSON lines that keeps every list's scores by the content of model, truth and setting: an interrupted
        search can then continue. Use a separate file for each `score` and `options`.
    workers : int, optional
        Number of lists computed in parallel threads; by default one per core.
    progress : bool
        Whether to show a bar on stderr.
    **options
        Passed on to :func:`hedgehop.diverse`: ``method``, ``oracle``, ``min_distance``, ...

    Examples
    --------
    >>> import hedgehop as hh
    >>> models = [hh.FactorGraph([[0.2, 0.0], [1.0, 0.0]]), hh.FactorGraph([[0.0, 0.3], [0.0, 2.0]])]
    >>> found = hh.tune(models, [[1, 0], [0, 1]], [hh.LinearHamming()], tradeoffs=[0.1, 0.5, 5.0], m=2)
    >>> found.tradeoff, found.score
    (0.5, 1.0)
    """
    if len(models) != len(truths) or not models:
        raise ValueError(
            f"models and truths must have the same length, at least 1; got {len(models)} and {len(truths)}."
        )
    if search not in _SEARCHES:
        raise ValueError(f'search must be "grid" or "coordinates"; got {search!r}.')
    space = make_space(diversity_grid, tradeoffs, parameters)
    side_by_side = (os.cpu_count() or 1) if workers is None else positive_count(workers, "workers")
    trials = Trials(
        models, truths, space, positive_count(m, "m"), score, ScoreCache(cache), side_by_side, progress, options
    )

    def choose(members: NDArray[np.intp]) -> int:
        return _SEARCHES[search](space, lambda settings: trials.means(settings, members))

    name, tradeoff = space.settings[choose(np.arange(len(models)))]
    held_out = None if folds is None else _held_out(trials, choose, folds)
    tried = sorted(trials.scores)
    scores = own(np.stack([trials.scores[s] for s in tried]))
    return Tuned(name, space.named[name], tradeoff, tuple(space.settings[s] for s in tried), scores, held_out)


def _held_out(trials: Trials, choose: Callable[[NDArray[np.intp]], int], folds: int) -> Doubles:
    """Score each model with the setting chosen without its fold, (models, m); every folds-th model is in a fold."""
    n_models = len(trials.models)
    if not 2 <= folds <= n_models:
        raise ValueError(f"folds must be between 2 and the number of models, {n_models}; got {folds}.")
    scores = np.empty((n_models, trials.m))
    for k in range(folds):
        out = np.arange(n_models) % folds == k
        scores[out] = trials.scores[choose(np.flatnonzero(~out))][out]
    return own(scores)
