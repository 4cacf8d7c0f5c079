# SPDX-License-Identifier: BSD-3-Clause
"""Lists made and scored, setting by setting, side by side in threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles
from hedgehop._frozen import digest
from hedgehop._progress import draw_bar
from hedgehop.diversity.base import Diversity
from hedgehop.lists.selection import diverse
from hedgehop.metrics import best_so_far
from hedgehop.models.base import Model
from hedgehop.tuning.cache import ScoreCache
from hedgehop.tuning.space import Space

Score = Callable[[NDArray[Any], Any], ArrayLike]


@dataclass
class Trials:
    """Best-of-m scores (models, m) of settings, by their number in the space: made when they are first needed."""

    models: Sequence[Model]
    truths: Sequence[Any]
    space: Space
    m: int
    score: Score
    cache: ScoreCache
    workers: int  # how many lists are made side by side
    progress: bool  # whether to show a bar
    options: dict[str, Any]
    scores: dict[int, Doubles] = field(default_factory=dict, init=False)

    def means(self, settings: Sequence[int], members: NDArray[np.intp]) -> Doubles:
        """Mean over some models of the score of each setting, all m labelings in hand."""
        self._try(settings)
        return np.array([self.scores[s][members, -1].mean() for s in settings])

    def _try(self, wanted: Sequence[int]) -> None:
        """Try settings that have not been tried yet."""
        new = {s: np.empty((len(self.models), self.m)) for s in wanted if s not in self.scores}
        stop = _core.Stop()
        with ThreadPoolExecutor(self.workers) as threads:
            jobs = {
                threads.submit(self._best_of_m, stop, k, example, s): (s, k)
                for k, example in enumerate(self._examples)
                for s in new
            }
            try:
                for done, job in enumerate(as_completed(jobs), start=1):
                    s, k = jobs[job]
                    new[s][k] = job.result()
                    if self.progress:
                        draw_bar(done / len(jobs), f"{done}/{len(jobs)}")
            except BaseException:
                stop.set()
                threads.shutdown(wait=False, cancel_futures=True)  # what is kept in the cache is not lost
                raise
        self.scores |= new

    @cached_property
    def _examples(self) -> list[str]:
        """Names of models and truths by content."""
        return [digest(model, truth) for model, truth in zip(self.models, self.truths, strict=True)]

    def _best_of_m(self, stop: _core.Stop, k: int, example: str, setting: int) -> Doubles:
        """Scores of the best of the first 1..m labelings of a model; a shorter list stays where it ends."""
        name, tradeoff = self.space.settings[setting]
        choice, model = self.space.named[name], self.models[k]
        with stop:  # which another thread may say
            diversity = choice if isinstance(choice, Diversity) else choice(model)
            key = digest(example, diversity, tradeoff, self.m)
            values = self.cache.get(key)
            if values is None:
                found = diverse(model, diversity, self.m, tradeoff, **({"certify": False} | self.options))
                values = np.asarray(self.score(found.labelings, self.truths[k]), np.float64).tolist()
                self.cache.put(key, values)
        reached = best_so_far(values)
        return np.concatenate([reached, np.repeat(reached[-1], self.m - len(reached))])
