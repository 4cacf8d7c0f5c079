# SPDX-License-Identifier: BSD-3-Clause
"""Lists made and scored, setting by setting, side by side in threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles
from hedgehop._progress import draw_bar
from hedgehop.diversity.base import Diversity
from hedgehop.lists.selection import diverse
from hedgehop.lists.tradeoff import TradeoffLike
from hedgehop.metrics import best_so_far
from hedgehop.models.base import Model
from hedgehop.tuning.cache import ScoreCache, digest

Choice = Diversity | Callable[[Model], Diversity]
Score = Callable[[NDArray[Any], Any], ArrayLike]
Setting = tuple[str, TradeoffLike]


@dataclass(frozen=True)
class Trial:
    """Makes one list and scores it, or remembers."""

    named: dict[str, Choice]
    m: int
    score: Score
    known: ScoreCache
    options: dict[str, Any]

    def oracle(self, model: Model, truth: Any, model_key: str, setting: Setting) -> Doubles:
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


class Rows:
    """Oracle scores (models, m) of settings, made when they are first needed.

    Parameters
    ----------
    trial : Trial
        Makes the lists.
    models, truths : sequences
        The examples.
    settings : sequence
        What can be tried.
    workers : int
        How many lists are made side by side.
    progress : bool
        Whether to show a bar.
    """

    def __init__(
        self,
        trial: Trial,
        models: Sequence[Model],
        truths: Sequence[Any],
        settings: Sequence[Setting],
        workers: int,
        progress: bool,
    ) -> None:
        self._trial = trial
        self._examples = [(m, t, digest(m, t)) for m, t in zip(models, truths, strict=True)]
        self._settings = settings
        self._workers = workers
        self._progress = progress
        self.known: dict[int, Doubles] = {}

    @property
    def m(self) -> int:
        """Length of the lists."""
        return self._trial.m

    def need(self, wanted: Sequence[int]) -> None:
        """Try settings that have not been tried yet."""
        new = [s for s in wanted if s not in self.known]
        oracle = {s: np.empty((len(self._examples), self._trial.m)) for s in new}
        stop = _core.Stop()
        with ThreadPoolExecutor(self._workers) as threads:
            jobs = {
                threads.submit(self._oracle, stop, example, self._settings[s]): (s, k)
                for k, example in enumerate(self._examples)
                for s in new
            }
            try:
                for done, job in enumerate(as_completed(jobs), start=1):
                    s, k = jobs[job]
                    oracle[s][k] = job.result()
                    if self._progress:
                        draw_bar(done / len(jobs), f"{done}/{len(jobs)}")
            except BaseException:
                stop.set()
                threads.shutdown(wait=False, cancel_futures=True)  # what is kept in the cache is not lost
                raise
        self.known |= oracle

    def _oracle(self, stop: _core.Stop, example: tuple[Model, Any, str], setting: Setting) -> Doubles:
        """Try one setting on one example, until another thread says stop."""
        with stop:
            return self._trial.oracle(*example, setting)

    def means(self, settings: Sequence[int], members: NDArray[np.intp]) -> Doubles:
        """Mean over some models of the last oracle of each setting."""
        self.need(settings)
        return np.array([self.known[s][members, -1].mean() for s in settings])
