# SPDX-License-Identifier: BSD-3-Clause
"""From an image and a few strokes to candidates worth choosing from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hedgehop._arrays import Labels, number, positive_count
from hedgehop.diversity import Diversity, LinearHamming, VariableCoverage
from hedgehop.lists import selection
from hedgehop.lists.tradeoff import TradeoffLike, target
from hedgehop.models import FactorGraph, Grid
from hedgehop.segmentation.canvas import Canvas
from hedgehop.segmentation.images import ImageLike
from hedgehop.segmentation.likely import likely
from hedgehop.segmentation.scores import check_name
from hedgehop.segmentation.sketch import Sketch, Strokes, learn
from hedgehop.segmentation.suggestions import Suggestions, at_image_size
from hedgehop.segmentation.timing import Clock

# In units of the scores, where a constant does better than a distance to reach.
_TRADEOFFS: dict[type[Diversity], float] = {LinearHamming: 0.1, VariableCoverage: 1.2}
_TARGET = 0.05


class Segmenter:
    """Candidate segmentations of one image from strokes; what depends on the image alone is computed once.

    Parameters
    ----------
    image : array or path
        Grey, RGB or RGBA; 8 or 16 bit, or floats.
    n_segments : int or None
        About how many superpixels are labelled. None labels every pixel, which is slower and follows fine borders.
    scores : mapping of str to float, optional
        Which opinions on the labels are averaged, with their weights; by default ``{"trees": 1, "svm": 1,
        "walker": 0.5}``. There are: trees, trees+place, trees+texture (extremely randomised trees on colours, on
        colours and places, ...), svm, words (support vector machines), transductive (one that looks at superpixels
        without strokes, too), mixture (of Gaussian colours), walker (random walk), geodesic (paths).
    smoothness : float
        Strength of the borders; 0.6 to 2 do about as well.
    frame : float
        How much likelier the border of the image is background.
    fine_borders : bool
        Redraw the borders of suggestions at pixels. :meth:`model` and :meth:`to_pixels` know superpixels only.
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
        frame: float = 0.6,
        fine_borders: bool = True,
        most_pixels: int = 500_000,
    ) -> None:
        count = None if n_segments is None else positive_count(n_segments, "n_segments")
        smoothness = number(smoothness, "smoothness", low=0.0)
        self._canvas = Canvas(image, count, smoothness, positive_count(most_pixels, "most_pixels"))
        self._weights = dict(scores or {"trees": 1.0, "svm": 1.0, "walker": 0.5})
        for name, weight in self._weights.items():
            check_name(name)
            number(weight, f"the weight of {name}", low=0.0)
        self._frame = number(frame, "frame", low=0.0)
        self._fine_borders = fine_borders and count is not None
        self._last: tuple[bytes, Strokes] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of the image."""
        return self._canvas.shape

    @property
    def segments(self) -> Labels:
        """The superpixel of each pixel, (H, W)."""
        return self._canvas.enlarge(self._canvas.parts.segments)

    def with_smoothness(self, smoothness: float) -> Segmenter:
        """Return a segmenter of the same image with borders of another strength; nothing is computed again."""
        other = copy(self)
        other._canvas = self._canvas.smoothed(number(smoothness, "smoothness", low=0.0))
        return other

    def model(self, scribbles: ArrayLike, around: ArrayLike | None = None) -> FactorGraph | Grid:
        """Return the model of the image with these strokes, for every function of the library.

        Scores are in units of the median lead of the best label, for a superpixel of mean area. Strokes are held:
        all other labels are forbidden there. `around` is as in :meth:`suggest`.
        """
        return self._sketch(scribbles, around).model

    def to_pixels(self, labelings: ArrayLike) -> Labels:
        """Labelings of :meth:`model`, (m, ...), at the size of the image: (m, H, W)."""
        rows = np.asarray(labelings, np.int32)
        return self._canvas.to_pixels(rows.reshape(len(rows), -1))

    def suggest(
        self,
        scribbles: ArrayLike,
        m: int = 6,
        diversity: Diversity | None = None,
        tradeoff: TradeoffLike | None = None,
        *,
        around: ArrayLike | None = None,
        callback: Callable[[Labels], Any] | None = None,
        **options: Any,
    ) -> Suggestions:
        """Return m different segmentations, the likeliest first.

        Parameters
        ----------
        scribbles : (H, W) array of ints
            0 unknown, 1 background, 2 the object; in general k for label k-1, several objects at once. This is
            scikit-image's convention; its negative numbers, pixels to leave out, are taken as unknown. Without any
            stroke of the background the frame of the image is taken for it.
        m : int
            How many.
        diversity : Diversity, optional
            What makes candidates different, as in :func:`hedgehop.diverse`. By default candidates come from random
            mixtures of eight opinions on the labels, and those are taken one of which is probably right
            (``ExpectedBest``).
        tradeoff : number or rule, optional
            The factor of the diversity, in units of the scores.
        around : (H, W) array of ints, optional
            A segmentation to refine, of labels 0, 1, ... (-1: unknown), such as one of an earlier list: candidates
            stay close to it, the first one closest, except near strokes that contradict it.
        callback : function of an (H, W) array, optional
            Called with each segmentation as soon as it is there.
        **options
            Passed on to :func:`hedgehop.diverse`.

        Returns
        -------
        Suggestions
            A list with labelings, ``masks``, ``pixel_accuracy(truth)``, ``plot(image)``, ``report()``.
        """
        m = positive_count(m, "m")
        if diversity is None and options:
            raise TypeError(f"{', '.join(options)} must come with a diversity; got none. Pass diversity=..., too.")
        clock = Clock()
        sketch = self._sketch(scribbles, around)
        _ = sketch.model
        clock.stop("model")
        drawn = _once(self._drawn(sketch))

        def show(labeling: Labels) -> None:
            if callback is not None:
                callback(drawn(labeling.reshape(1, -1))[0])

        if diversity is None:
            found = likely(sketch, m, tradeoff, show)
        else:
            factor = _tradeoff(diversity, tradeoff)
            found = selection.diverse(
                sketch.model, diversity, m, factor, callback=lambda step: show(step.labeling), **options
            )
        clock.stop("list")
        shown = at_image_size(found, drawn)
        clock.stop("borders")
        parts = (*((f"image: {name}", spent) for name, spent in self._canvas.seconds), *clock.parts)
        return replace(shown, parts=parts)

    def stream(
        self,
        scribbles: ArrayLike,
        m: int = 6,
        diversity: Diversity | None = None,
        tradeoff: TradeoffLike | None = None,
        *,
        around: ArrayLike | None = None,
    ) -> Iterator[Labels]:
        """Yield segmentations (H, W) one at a time: the first is there before the second is computed."""
        sketch = self._sketch(scribbles, around)
        drawn = self._drawn(sketch)
        for labeling in self._one_by_one(sketch, m, diversity, tradeoff):
            yield drawn(labeling.reshape(1, -1))[0]

    def _drawn(self, sketch: Sketch) -> Callable[[Labels], Labels]:
        """What turns labelings of the model, (m, n), into images."""
        return sketch.redrawn if self._fine_borders else self._canvas.to_pixels

    @staticmethod
    def _one_by_one(
        sketch: Sketch, m: int, diversity: Diversity | None, tradeoff: TradeoffLike | None
    ) -> Iterator[Labels]:
        if diversity is not None:
            steps = selection.stream(sketch.model, diversity, _tradeoff(diversity, tradeoff))
            yield from (step.labeling for _, step in zip(range(m), steps, strict=False))
            return
        yield selection.best(sketch.model).labeling
        yield from likely(sketch, m, tradeoff).labelings[1:]

    def _sketch(self, scribbles: ArrayLike, around: ArrayLike | None) -> Sketch:
        """Return what follows from the strokes; what was learned from the last ones is kept."""
        strokes = np.asarray(scribbles)
        key = strokes.tobytes() + repr((strokes.shape, strokes.dtype)).encode()
        if self._last is None or self._last[0] != key:
            self._last = key, learn(self._canvas, strokes)
        return Sketch(self._canvas, self._last[1], self._weights, self._frame, around)

    def __repr__(self) -> str:
        height, width = self.shape
        return f"Segmenter({height} x {width} pixels, {self._canvas.parts.count} superpixels)"


def _tradeoff(diversity: Diversity, given: TradeoffLike | None) -> TradeoffLike:
    if given is not None:
        return given
    return _TRADEOFFS.get(type(diversity), target(_TARGET))


def _once(draw: Callable[[Labels], Labels]) -> Callable[[Labels], Labels]:
    """Return the same function of labelings, (m, n), that draws each of them only once."""
    known: dict[bytes, Labels] = {}

    def drawn(rows: Labels) -> Labels:
        for row in rows:
            if row.tobytes() not in known:
                known[row.tobytes()] = draw(row[None])[0]
        return np.stack([known[row.tobytes()] for row in rows])

    return drawn
