"""The paper's grid search: which diversity and tradeoff give lists with the best oracle on examples with truths."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, own, positive_count
from hedgehop._progress import draw_bar
from hedgehop.diversity.base import Diversity
from hedgehop.metrics import accuracy, best_so_far
from hedgehop.models.base import Model
from hedgehop.selection import diverse
from hedgehop.tradeoff import TradeoffLike

Choice = Diversity | Callable[[Model], Diversity]
Score = Callable[[NDArray[Any], Any], ArrayLike]


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
    oracle : (settings, models, m) array
        Score of the best of the first 1..m labelings.
    """

    name: str
    diversity: Choice
    tradeoff: TradeoffLike
    settings: tuple[tuple[str, TradeoffLike], ...]
    oracle: Doubles

    @property
    def score(self) -> float:
        """Mean over models of the best setting's oracle, all m labelings in hand."""
        return float(np.max(_means(self.oracle)))

    def __repr__(self) -> str:
        return (
            f"Tuned({self.name}, tradeoff={self.tradeoff!r}, score {self.score:.4f} of {len(self.settings)} settings)"
        )


def tune(
    models: Sequence[Model],
    truths: Sequence[Any],
    diversity_grid: Mapping[str, Choice] | Iterable[Choice],
    tradeoffs: Iterable[TradeoffLike] = (0.03, 0.1, 0.3, 1.0, 3.0),
    m: int = 6,
    *,
    score: Score = accuracy,
    cache: str | PathLike[str] | None = None,
    workers: int | None = None,
    progress: bool = False,
    **options: Any,
) -> Tuned:
    """Try all pairs of a diversity and a tradeoff, and return the one whose lists have the best mean oracle.

    Parameters
    ----------
    models : sequence of Model
        The examples.
    truths : sequence
        What is right for each: a labeling of the model's shape (255 = unknown), or whatever `score` understands.
    diversity_grid : mapping of names, or iterable
        Diversities, such as ``{f"ball {g}": hh.HammingBall(gamma=g) for g in (0.01, 0.1)}`` or sums with several
        coefficients; or functions that make one for a model, where it needs weights.
    tradeoffs : iterable
        Numbers or rules, as in :func:`hedgehop.diverse`.
    m : int
        Length of the lists.
    score : function of (labelings, truth)
        Gives each labeling of a list a number, higher is better. By default the accuracy.
    cache : path, optional
        A file of JSON lines that keeps every list's scores: an interrupted search goes on where it was. Give each
        `score` and `options` a file of its own.
    workers : int, optional
        How many lists are made side by side, in threads; by default one a core.
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
    named, factors = _named(diversity_grid), list(tradeoffs)
    settings = tuple((name, t) for name in named for t in factors)
    if len(models) != len(truths) or not models:
        raise ValueError(f"models and truths must be as many, at least one; got {len(models)} and {len(truths)}.")
    if not settings:
        raise ValueError("diversity_grid and tradeoffs must not be empty.")
    trial = _Trial(named, positive_count(m, "m"), score, ScoreCache(cache), options)
    oracle = _try_all(trial, models, truths, settings, workers or os.cpu_count() or 1, progress)
    name, tradeoff = settings[int(np.argmax(_means(oracle)))]
    return Tuned(name, named[name], tradeoff, settings, own(oracle))


@dataclass(frozen=True)
class _Trial:
    """Makes one list and scores it, or remembers."""

    named: dict[str, Choice]
    m: int
    score: Score
    known: ScoreCache
    options: dict[str, Any]

    def oracle(self, model: Model, truth: Any, model_key: str, setting: tuple[str, TradeoffLike]) -> Doubles:
        """Score of the best of the first 1..m labelings; a shorter list stays where it ends."""
        name, tradeoff = setting
        key = f"{model_key} {name} {tradeoff!r} {self.m}"
        values = self.known.get(key)
        if values is None:
            choice = self.named[name]
            diversity = choice if isinstance(choice, Diversity) else choice(model)
            found = diverse(model, diversity, self.m, tradeoff, **self.options)
            values = np.asarray(self.score(found.labelings, truth), np.float64).tolist()
            self.known.put(key, values)
        reached = best_so_far(values)
        return np.concatenate([reached, np.repeat(reached[-1], self.m - len(reached))])


def _try_all(
    trial: _Trial,
    models: Sequence[Model],
    truths: Sequence[Any],
    settings: Sequence[tuple[str, TradeoffLike]],
    workers: int,
    progress: bool,
) -> Doubles:
    """Run all settings on all models in threads: (settings, models, m)."""
    oracle = np.empty((len(settings), len(models), trial.m))
    with ThreadPoolExecutor(workers) as threads:
        jobs = {}
        for k, (model, truth) in enumerate(zip(models, truths, strict=True)):
            key = digest(model, truth)
            for s, setting in enumerate(settings):
                jobs[threads.submit(trial.oracle, model, truth, key, setting)] = s, k
        try:
            for done, job in enumerate(as_completed(jobs), start=1):
                oracle[jobs[job]] = job.result()
                if progress:
                    draw_bar(done / len(jobs), f"{done}/{len(jobs)}")
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)  # what is kept in the cache is not lost
            raise
    return oracle


def _means(oracle: Doubles) -> Doubles:
    """Mean over models of the last oracle, (settings,)."""
    return np.asarray(oracle[:, :, -1].mean(axis=1))


def _named(grid: Mapping[str, Choice] | Iterable[Choice]) -> dict[str, Choice]:
    if isinstance(grid, Mapping):
        return dict(grid)
    return {repr(choice): choice for choice in ([grid] if isinstance(grid, Diversity) else grid)}


def digest(model: Model, truth: Any) -> str:
    """Name a model and its truth by their content."""
    total = hashlib.sha256(repr(model).encode())
    for part in ("unary", "edges", "pairwise"):
        value = getattr(model, part, None)
        for array in (value, *getattr(value, "__dict__", {}).values()):
            if isinstance(array, np.ndarray):
                total.update(np.ascontiguousarray(array).tobytes())
    total.update(np.ascontiguousarray(truth).tobytes())
    return total.hexdigest()[:24]


class ScoreCache:
    """Results by key, in a file of JSON lines that is only ever appended to."""

    def __init__(self, path: str | PathLike[str] | None) -> None:
        self._path = None if path is None else Path(path)
        self._lock = Lock()
        self._values: dict[str, list[float]] = {}
        if self._path is not None and self._path.exists():
            for line in self._path.read_text(encoding="utf-8").splitlines():
                try:
                    key, values = json.loads(line)
                except ValueError:
                    continue  # cut off while it was written
                self._values[key] = values

    def get(self, key: str) -> list[float] | None:
        """Return what is kept under a key, None if nothing is."""
        return self._values.get(key)

    def put(self, key: str, values: list[float]) -> None:
        """Keep values under a key."""
        with self._lock:
            self._values[key] = values
            if self._path is not None:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([key, values]) + "\n")
