# SPDX-License-Identifier: BSD-3-Clause
"""From an image and a few strokes to candidates worth choosing from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hedgehop._arrays import Doubles, Labels, number, positive_count
from hedgehop.diversity import Diversity, LinearHamming, VariableCoverage
from hedgehop.lists import selection
from hedgehop.lists.tradeoff import Target, TradeoffLike
from hedgehop.models import FactorGraph, Grid
from hedgehop.segmentation.images import ImageLike
from hedgehop.segmentation.scene import Scene, Variables
from hedgehop.segmentation.strokes.combiner import shipped
from hedgehop.segmentation.strokes.dialogue import Dialogue
from hedgehop.segmentation.strokes.marks import Box, scribbles_of
from hedgehop.segmentation.strokes.model import StrokeModel, StrokeSettings
from hedgehop.segmentation.strokes.prior import NO_PRIOR, PreviousRound
from hedgehop.segmentation.strokes.scores import StrokeScores, check_name
from hedgehop.segmentation.suggestions import Stopwatch, Suggestions, refuse_without_diversity

_PIXELWISE_SEGMENTS = 2000  # whose scores the pixels get, where each pixel is a variable
# In units of the scores, where a constant does better than a distance to reach.
_TRADEOFFS: dict[type[Diversity], float] = {LinearHamming: 0.1, VariableCoverage: 1.2}
_TARGET_DISTANCE = 0.05


class Segmenter:
    """Candidate segmentations of one image from strokes; what depends on the image alone is computed once.

    Parameters
    ----------
    image : array or path
        Grey, RGB or RGBA; 8 or 16 bit, or floats.
    n_segments : int or None
        Approximate number of superpixels. None labels every pixel, which is slower and follows fine borders.
    scores : mapping of str to float, optional
        Which classifiers' scores are averaged, with their weights, such as ``{"trees": 1, "svm": 1, "walker":
        0.5}``. By default small nets combine them; they have learned from strokes on photographs when to trust which
        one. Available: trees, trees+place, trees+texture (extremely randomised trees on colours, on colours and places,
        ...), svm, words (support vector machines), transductive (one that also learns from superpixels without
        strokes), mixture (of Gaussian colours), walker (random walk), geodesic (paths).
    smoothness : float
        Cost of borders; values from 0.6 to 2 work about equally well.
    frame : float, optional
        Bonus for background at the frame of the image: by default 0.6 with `scores`, and 0 with the nets, which
        know where the frame is.
    fine_borders : bool
        Redraw the borders of suggestions at pixels. :meth:`model` and :meth:`to_pixels` use superpixels only.
    most_pixels : int
        Larger images are solved at a smaller size; masks still have the size of the image.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> image = np.zeros((40, 60, 3))
    >>> image[10:30, 20:40] = 1.0
    >>> scribbles = np.zeros((40, 60), int)
    >>> scribbles[18:22, 28:32], scribbles[2:4, 5:50] = 2, 1
    >>> found = hh.Segmenter(image, n_segments=150).suggest(scribbles, m=3)
    >>> found.masks.shape, int(found.masks[0].sum())
    ((3, 40, 60), 400)
    """

    def __init__(
        self,
        image: ImageLike,
        n_segments: int | None = 2000,
        *,
        scores: Mapping[str, float] | None = None,
        smoothness: float = 1.0,
        frame: float | None = None,
        fine_borders: bool = True,
        most_pixels: int = 500_000,
    ) -> None:
        count = _PIXELWISE_SEGMENTS if n_segments is None else positive_count(n_segments, "n_segments")
        self._settings = StrokeSettings(
            scores=dict(_checked_weights(scores)) if scores else shipped(),
            smoothness=number(smoothness, "smoothness", low=0.0),
            frame=None if frame is None else number(frame, "frame", low=0.0),
            pixelwise=n_segments is None,
            fine_borders=fine_borders,
        )
        watch = Stopwatch()
        self._scene = Scene(image, count, positive_count(most_pixels, "most_pixels"))
        watch.lap("reading")
        _ = self._scene.superpixels  # now, not with the first strokes
        watch.lap("superpixels")
        _ = self._scene.features, self._scene.graph
        watch.lap("features")
        self._seconds = tuple((f"image: {part}", spent) for part, spent in watch.laps)
        self._last: tuple[bytes, StrokeScores] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of the image."""
        return self._scene.shape

    @property
    def segments(self) -> Labels:
        """The superpixel of each pixel, (H, W)."""
        return self._scene.enlarge(self._scene.superpixels.segments)

    def with_smoothness(self, smoothness: float) -> Segmenter:
        """Return a segmenter of the same image with borders of another strength; nothing is computed again."""
        other = copy(self)
        other._settings = replace(self._settings, smoothness=number(smoothness, "smoothness", low=0.0))
        return other

    def model(self, scribbles: ArrayLike, around: ArrayLike | None = None) -> FactorGraph | Grid:
        """Return the model of the image with these strokes, for every function of the library.

        Scores are scaled by the median lead of the best label, for a superpixel of mean area. Strokes are hard
        constraints: all other labels are forbidden there. `around` is as in :meth:`suggest`.
        """
        return self._problem(scribbles, around).model

    def to_pixels(self, labelings: ArrayLike) -> Labels:
        """Labelings of :meth:`model`, (m, ...), at the size of the image: (m, H, W)."""
        rows = np.asarray(labelings, np.int32)
        rows = rows.reshape(len(rows), -1)
        variables = Variables(self._scene, self._settings.pixelwise)
        if rows.shape[1:] != variables.weights.shape:
            raise ValueError(
                f"labelings must have one entry per variable of the model ({variables.weights.size}); "
                f"got shape {rows.shape}."
            )
        return variables.to_pixels(rows)

    def suggest(
        self,
        scribbles: ArrayLike | None = None,
        m: int = 6,
        diversity: Diversity | None = None,
        tradeoff: TradeoffLike | None = None,
        *,
        points: ArrayLike | None = None,
        box: Box | None = None,
        around: ArrayLike | None = None,
        connected: bool = False,
        holes: bool = True,
        callback: Callable[[Labels], Any] | None = None,
        **options: Any,
    ) -> Suggestions:
        """Return m different segmentations, the likeliest first.

        Parameters
        ----------
        scribbles : (H, W) array of ints, optional
            0 unknown, 1 background, 2 the object; in general k for label k-1, several objects at once. This is
            scikit-image's convention, but negative numbers, pixels to leave out, are refused: use 0. Without
            background strokes, the frame of the image counts as background.
        m : int
            Number of segmentations.
        diversity : Diversity, optional
            What makes candidates different, as in :func:`hedgehop.diverse`. By default candidates come from random
            mixtures of eight scores, and the list is chosen so that one is probably right (``ExpectedBest``).
        tradeoff : number or rule, optional
            The factor of the diversity, in units of the scores.
        points : (k, 2) or (k, 3) array of ints, optional
            Clicks: row, column and the number of the stroke, 2 (the object) if it is left out.
        box : (top, left, bottom, right), optional
            Everything outside is background. Without a stroke or click on the object, the middle of the box is object.
        around : (H, W) array of ints, optional
            A segmentation to refine, of labels 0, 1, ... (-1: unknown), such as one of an earlier list: candidates
            stay close to it, the first one closest, except near strokes that contradict it.
        connected : bool
            Whether every part of an object must be connected to one of its strokes: the shortest path of similar
            colours from each superpixel to a stroke lies in the object. Each candidate is the best such answer of its
            model; nothing is cut off afterwards, except specks that redrawn borders leave.
        holes : bool
            False if objects must have no holes: all background is connected to the frame or to a stroke of the
            background.
        callback : function of an (H, W) array, optional
            Called with each segmentation as soon as it is available.
        **options
            Passed on to :func:`hedgehop.diverse`.

        Returns
        -------
        Suggestions
            A list with labelings, ``masks``, ``pixel_accuracy(truth)``, ``plot(image)``, ``report()``.
        """
        m = positive_count(m, "m")
        refuse_without_diversity(diversity, **options)
        watch = Stopwatch()
        problem = self._problem(scribbles_of(self.shape, scribbles, points, box), around, connected, holes)
        watch.lap("model")
        factor = tradeoff if diversity is None else _tradeoff(diversity, tradeoff)
        found = problem.candidates(m, diversity, factor, callback, watch, **options)
        watch.lap("borders")
        return replace(found, parts=(*self._seconds, *watch.laps))

    def next_round(
        self,
        scribbles: ArrayLike,
        m: int,
        earlier: PreviousRound | None,
        callback: Callable[[Labels], Any] | None = None,
        diversity: Diversity | None = None,
        tradeoff: TradeoffLike | None = None,
        **options: Any,
    ) -> tuple[Suggestions, Doubles]:
        """Return candidates after a round that the caller remembers, and the scores behind them.

        This is one step of :meth:`dialogue` for callers who can go back to any earlier round, such as the studio.
        """
        problem = self._problem(scribbles, None, earlier=earlier)
        factor = tradeoff if diversity is None else _tradeoff(diversity, tradeoff)
        return problem.candidates(m, diversity, factor, callback, **options), problem.scores

    def stream(
        self,
        scribbles: ArrayLike,
        m: int = 6,
        diversity: Diversity | None = None,
        tradeoff: TradeoffLike | None = None,
        *,
        around: ArrayLike | None = None,
    ) -> Iterator[Labels]:
        """Yield segmentations (H, W) one at a time: the first is available before the others are computed."""
        problem = self._problem(scribbles, around)
        if diversity is None:
            yield problem.draw(problem.best[None])[0]
            rows: Iterator[Labels] = iter(problem.default_list(m, tradeoff).labelings[1:])
        else:
            steps = selection.stream(problem.model, diversity, _tradeoff(diversity, tradeoff))
            rows = (step.labeling for step in islice(steps, m))
        for labeling in rows:
            yield problem.draw(labeling.reshape(1, -1))[0]

    def dialogue(self, m: int = 6, *, connected: bool = False, holes: bool = True) -> Dialogue:
        """Return a dialogue about this image: strokes one after another, each answer close to the previous one.

        Parameters
        ----------
        m : int
            Number of candidates after each stroke.
        connected, holes : bool
            As in :meth:`suggest`.
        """
        return Dialogue(self._scene, replace(self._settings, connected=connected, holes=holes), m)

    def _problem(
        self,
        scribbles: ArrayLike,
        around: ArrayLike | None,
        connected: bool = False,
        holes: bool = True,
        earlier: PreviousRound | None = None,
    ) -> StrokeModel:
        """Return the model of the strokes; what was learned from the last ones is kept."""
        given = np.asarray(scribbles)
        key = given.tobytes() + repr((given.shape, given.dtype)).encode()
        if self._last is None or self._last[0] != key:
            self._last = key, StrokeScores(self._scene, given)
        strokes = self._last[1]
        if earlier is None:
            earlier = None if around is None else PreviousRound(around)
        prior = NO_PRIOR if earlier is None else earlier.prior(strokes)
        return StrokeModel(strokes, replace(self._settings, connected=connected, holes=holes), prior)

    def __repr__(self) -> str:
        height, width = self.shape
        return f"Segmenter({height} x {width} pixels, {self._scene.superpixels.count} superpixels)"


def _checked_weights(scores: Mapping[str, float]) -> Mapping[str, float]:
    for name, weight in scores.items():
        check_name(name)
        number(weight, f"the weight of {name}", low=0.0)
    return scores


def _tradeoff(diversity: Diversity, given: TradeoffLike | None) -> TradeoffLike:
    return _TRADEOFFS.get(type(diversity), Target(_TARGET_DISTANCE, quiet=True)) if given is None else given


def suggest(
    image: ImageLike,
    scribbles: ArrayLike | None = None,
    m: int = 6,
    *,
    points: ArrayLike | None = None,
    box: Box | None = None,
    connected: bool = False,
    holes: bool = True,
) -> Suggestions:
    """Return candidates for what strokes mark in an image, in one call; :class:`Segmenter` reuses its work.

    Parameters
    ----------
    image : array or path
        Grey, RGB or RGBA; 8 or 16 bit, or floats.
    scribbles : (H, W) array of ints, optional
        0 unknown, 1 background, 2 the object, 3 and up further objects.
    m : int
        Number of candidates.
    points : (k, 2) or (k, 3) array of ints, optional
        Clicks: row, column and the number of the stroke, 2 (the object) if it is left out.
    box : (top, left, bottom, right), optional
        Everything outside is background. Without a stroke or click on the object, the middle of the box is object.
    connected, holes : bool
        Whether objects must be connected to their strokes, and whether they may have holes.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> image, strokes = np.zeros((40, 60, 3)), np.zeros((40, 60), int)
    >>> image[10:30, 20:40] = 1.0
    >>> strokes[18:22, 28:32], strokes[2:4, 5:50] = 2, 1
    >>> hh.suggest(image, strokes, m=3).masks.shape
    (3, 40, 60)
    >>> int(hh.suggest(image, m=1, points=[(20, 30)], box=(5, 15, 35, 45)).masks[0].sum())
    400
    """
    return Segmenter(image).suggest(scribbles, m, points=points, box=box, connected=connected, holes=holes)
