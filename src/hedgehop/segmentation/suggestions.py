# SPDX-License-Identifier: BSD-3-Clause
"""From the model of a scene to suggestions: candidates at the size of the image."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.diversity import Diversity
from hedgehop.lists import selection
from hedgehop.lists.result import DiverseList, ListImprover
from hedgehop.lists.tradeoff import TradeoffLike
from hedgehop.lists.uncertainty import ListUncertainty
from hedgehop.metrics import accuracy, refuse_masks
from hedgehop.models import FactorGraph, Grid
from hedgehop.segmentation.scene import Scene, Variables


class Stopwatch:
    """Takes the time of one part of a computation after the other."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self.laps: list[tuple[str, float]] = []

    def lap(self, part: str) -> None:
        """Book the time since the last call under a name."""
        now = time.perf_counter()
        self.laps.append((part, now - self._start))
        self._start = now


@dataclass(frozen=True, eq=False, repr=False)
class Suggestions(DiverseList):
    """A list whose labelings have the size of the image; see :class:`hedgehop.DiverseList` for the rest.

    Attributes
    ----------
    parts : tuple of (str, float)
        What was done, and the seconds it took.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> image, strokes = np.zeros((20, 20, 3)), np.zeros((20, 20), int)
    >>> image[5:15, 5:15], strokes[8:12, 8:12] = 1.0, 2
    >>> found = hh.Segmenter(image, n_segments=50).suggest(strokes, m=2)
    >>> found.masks.shape, bool(found.masks[0, 10, 10])
    ((2, 20, 20), True)
    """

    parts: tuple[tuple[str, float], ...] = ()

    @property
    def masks(self) -> NDArray[np.bool_]:
        """Where each candidate has an object, any label but the background: (m, H, W)."""
        return np.asarray(self.labelings != 0)

    def pixel_accuracy(self, truth: ArrayLike, ignore: int = 255) -> Doubles:
        """Share of correct pixels of each candidate, (m,); pixels whose true label is `ignore` do not count."""
        refuse_masks(truth, ignore)
        return np.asarray(accuracy(self.labelings, truth, ignore))

    def report(self, verbose: bool = False) -> str:
        """What is known about the list, and the time of each part, as text."""
        times = ", ".join(f"{name} {spent:.3f} s" for name, spent in self.parts)
        return f"{super().report(verbose)}\ntime: {times}"


class SceneModel:
    """The model of a scene, from scores of any source: one way to candidates and to label maps.

    Subclasses say where the scores come from, and what the default list is; attributes are as in :class:`ScoredImage`.
    """

    model: FactorGraph | Grid

    def __init__(self, scene: Scene, variables: Variables) -> None:
        self.scene = scene
        self.variables = variables
        self.weights = variables.weights

    @cached_property
    def best(self) -> Labels:
        """The best labeling, (n,)."""
        return selection.best(self.model).labeling.reshape(-1)

    def draw(self, rows: Labels) -> Labels:
        """Labelings of the model, (m, n), at the size of the image: (m, H, W)."""
        return self.variables.to_pixels(rows)

    def spread(self, values: Doubles) -> Doubles:
        """Numbers of the variables, (n,), at the size of the image: (H, W)."""
        places = self.variables.to_pixels(np.arange(values.size, dtype=np.int32)[None])[0]
        return np.asarray(values[places])

    def default_list(self, m: int, tradeoff: TradeoffLike | None) -> DiverseList:
        """Return m labelings that begin with the best one, without a diversity of the caller's."""
        raise NotImplementedError

    def candidates(
        self,
        m: int,
        diversity: Diversity | None = None,
        tradeoff: TradeoffLike | None = None,
        show: Callable[[Labels], Any] | None = None,
        stopwatch: Stopwatch | None = None,
        **options: Any,
    ) -> Suggestions:
        """Return a list of label maps, without a diversity the default list; show each, (H, W), as soon as it is there.

        The options are those of :func:`hedgehop.diverse`.
        """
        draw = _once(self.draw)

        def tell(labeling: Labels) -> None:
            if show is not None:
                show(draw(labeling.reshape(1, -1))[0])

        if diversity is None:
            if show is not None:
                tell(self.best)  # before the others are computed
            found = self.default_list(m, tradeoff)
            for labeling in found.labelings[1:]:
                tell(labeling)
        else:
            options.setdefault("certify", False)  # somebody waits for the candidates
            options.setdefault("callback", lambda step: tell(step.labeling))
            found = selection.diverse(self.model, diversity, m, 1.0 if tradeoff is None else tradeoff, **options)
        (stopwatch or Stopwatch()).lap("list")
        return at_image_size(found, draw, self.spread)


def refuse_without_diversity(diversity: Diversity | None, **options: Any) -> None:
    """Refuse options of :func:`hedgehop.diverse` where the default list is asked for."""
    if diversity is None and options:
        raise TypeError(f"{', '.join(options)} must come with a diversity; got none. Also pass a diversity.")


def at_image_size(
    found: DiverseList, draw: Callable[[Labels], Labels], spread: Callable[[Doubles], Doubles]
) -> Suggestions:
    """Return a list of labelings of a model as one of label maps; it can go on if the other can."""
    values: dict[str, Any] = {f.name: getattr(found, f.name) for f in fields(DiverseList)}
    more, improver = found._more, found._improver
    values["labelings"] = own(draw(found.labelings.reshape(len(found), -1)))
    if found._view is not None and not isinstance(found._uncertainty, ListUncertainty):
        values["_view"] = replace(found._view, draw=draw, spread=spread)
    if more is not None:
        values["_more"] = lambda k: at_image_size(more(k), draw, spread)
    values["_improver"] = None if improver is None else _AtImageSize(improver, draw, spread)
    return Suggestions(**values)


@dataclass(frozen=True)
class _AtImageSize:
    """How label maps get a better bound, or become better ones."""

    improver: ListImprover
    draw: Callable[[Labels], Labels]
    spread: Callable[[Doubles], Doubles]

    def certify(self, calls: int, progress: bool) -> Suggestions:
        """Return the same label maps with a better bound."""
        return at_image_size(self.improver.certify(calls, progress), self.draw, self.spread)

    def improve(self, calls: int, progress: bool) -> Suggestions:
        """Return label maps of a list with a larger F, or the same ones."""
        return at_image_size(self.improver.improve(calls, progress), self.draw, self.spread)


def _once(draw: Callable[[Labels], Labels]) -> Callable[[Labels], Labels]:
    """Return the same function of labelings, (m, n), that draws each of them only once."""
    drawn = lru_cache(maxsize=None)(lambda row: draw(np.frombuffer(row, np.int32)[None])[0])
    return lambda rows: np.stack([drawn(row.tobytes()) for row in rows])
