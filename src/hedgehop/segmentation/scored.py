# SPDX-License-Identifier: BSD-3-Clause
"""From the class scores of any network to candidate label maps of the image."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Floats, Labels, number, positive_count
from hedgehop.diversity import Diversity
from hedgehop.diversity.hamming import distinct_rows
from hedgehop.lists import selection
from hedgehop.lists.pool import select
from hedgehop.lists.result import DiverseList
from hedgehop.lists.tradeoff import TradeoffLike, per_variable
from hedgehop.models import FactorGraph, Grid, contrast
from hedgehop.palette import voc_palette
from hedgehop.segmentation.candidates import best_under, class_candidates
from hedgehop.segmentation.features import to_lab
from hedgehop.segmentation.graph import neighbours
from hedgehop.segmentation.images import ImageLike, as_rgb, nearest, shrink, shrunk_rows
from hedgehop.segmentation.model import SuperpixelNodes
from hedgehop.segmentation.overlap import ExpectedOverlap
from hedgehop.segmentation.resampling import mean_of_allowed, resample
from hedgehop.segmentation.suggestions import Suggestions, at_image_size
from hedgehop.segmentation.superpixels import Superpixels, superpixels
from hedgehop.segmentation.timing import Clock

_SEGMENTS = 500  # in whose units the smoothness of pixels is given
_DOUBT = 0.5  # logits a variable by which a candidate must be worse to be less likely by 1/e
_EXPECTED = per_variable(100.0)  # relevance only decides between candidates that are as good


class ScoredImage:
    """An image with scores of classes, ready for lists of label maps; made by :func:`from_scores`.

    Attributes
    ----------
    model : FactorGraph or Grid
        One variable a superpixel (or pixel), for every function of the library.
    weights : (n,) array
        Area of each variable, mean 1: weights for Hamming distances.
    shape : (int, int)
        Height and width of the image.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> scene = hh.segmentation.from_scores(np.random.default_rng(0).normal(size=(6, 6, 3)), np.zeros((12, 12, 3)))
    >>> scene.suggest(m=2).labelings.shape
    (2, 12, 12)
    """

    def __init__(
        self,
        model: FactorGraph | Grid,
        parts: Superpixels | None,
        shape: tuple[int, int],
        sketch: Callable[[], ScoredImage] | None = None,  # the same on superpixels, where pixels are the variables
    ) -> None:
        self.model = model
        self.shape = shape
        self._parts = parts
        self._sketch = sketch
        self.weights: Doubles = np.ones(model.n_variables) if parts is None else parts.area / parts.area.mean()

    @property
    def segments(self) -> Labels:
        """The variable of each pixel, (H, W)."""
        small = np.arange(self.model.n_variables, dtype=np.int32).reshape(self.model.shape)
        return nearest(small if self._parts is None else self._parts.segments, self.shape)

    def to_pixels(self, labelings: ArrayLike) -> Labels:
        """Labelings of :attr:`model`, (m, ...), at the size of the image: (m, H, W)."""
        rows, _ = _arrays.as_labelings(labelings, self.model.shape, self.model.label_counts)
        if self._parts is None:
            return nearest(rows.reshape(len(rows), *self.model.shape), self.shape)
        return nearest(rows[:, self._parts.segments], self.shape)

    def colored(self, labelings: ArrayLike) -> NDArray[np.uint8]:
        """Labelings at the size of the image, in the colours of PASCAL VOC: (m, H, W, 3)."""
        return voc_palette(self.model.n_labels)[self.to_pixels(labelings)]

    def suggest(
        self, m: int = 6, diversity: Diversity | None = None, tradeoff: TradeoffLike | None = None, **options: Any
    ) -> Suggestions:
        """Return m different label maps, the likeliest first.

        Parameters
        ----------
        m : int
            How many; fewer come back where the scores leave no other.
        diversity : Diversity, optional
            What makes label maps different, as in :func:`hedgehop.diverse`. By default candidates are labelings that
            are best under a bias of one class or two, and those are taken one of which probably overlaps well with
            the truth (``ExpectedOverlap``); a diversity of your own chooses among all labelings.
        tradeoff : number or rule, optional
            The factor of the diversity, in units of the scores.
        **options
            Passed on to :func:`hedgehop.diverse`.

        Returns
        -------
        Suggestions
            A list with labelings of the image's size, ``plot(image)``, ``report()``.
        """
        m = positive_count(m, "m")
        if diversity is None and (options or tradeoff is not None):
            names = ", ".join([*options, *(["tradeoff"] if tradeoff is not None else [])])
            raise TypeError(f"{names} must come with a diversity; got none. Pass diversity=..., too.")
        clock = Clock()
        if diversity is None:
            found = self._likely(m)
        else:
            found = selection.diverse(self.model, diversity, m, 1.0 if tradeoff is None else tradeoff, **options)
        clock.stop("list")
        return replace(at_image_size(found, self.to_pixels), parts=tuple(clock.parts))

    def _likely(self, m: int) -> DiverseList:
        """Candidates of which one probably overlaps well with the truth.

        Where pixels are the variables, they are chosen on superpixels and only those are solved again.
        """
        if self._sketch is None:
            return self._chosen(class_candidates(self.model, self.weights)[0], m)
        sketch = self._sketch()
        pool, biases = class_candidates(sketch.model, sketch.weights)
        fine = best_under(self.model, self.weights, biases[sketch._chosen(pool, m).indices])
        return self._chosen(distinct_rows(fine), m)

    def _chosen(self, pool: Labels, m: int) -> DiverseList:
        """Likelier candidates count more as samples of the truth."""
        shaped = pool.reshape(len(pool), *self.model.shape)
        relevance = np.atleast_1d(self.model.score(shaped))
        chances = np.exp((relevance - relevance.max()) / (_DOUBT * self.model.n_variables))
        overlap = ExpectedOverlap(pool, self.weights, chances)
        return select(shaped, self.model, overlap, min(m, len(pool)), _EXPECTED, first=0)

    def __repr__(self) -> str:
        height, width = self.shape
        return f"ScoredImage({height} x {width} pixels, {self.model!r})"


def from_scores(
    scores: ArrayLike,
    image: ImageLike,
    n_segments: int | None = 500,
    *,
    labels_first: bool = False,
    smoothness: float = 0.5,
    most_pixels: int = 500_000,
) -> ScoredImage:
    """Return the model of an image whose classes a network has scored.

    Scores are averaged over superpixels and count by area; neighbours lose by the length of their border, less
    where colours change.

    Parameters
    ----------
    scores : (h, w, L) array or tensor
        Score of each class, logits or log-probabilities, higher is better, at any resolution: they are interpolated
        to the image's size, corners on corners. ``-inf`` forbids a class. Tensors of PyTorch may be anywhere, those
        of other libraries must be on the CPU.
    image : array or path
        Grey, RGB or RGBA; 8 or 16 bit, or floats.
    n_segments : int or None
        About how many superpixels are labelled. None labels every pixel: a list takes some seconds.
    labels_first : bool
        Whether scores have shape (L, h, w).
    smoothness : float
        Strength of a border of mean length between superpixels of one colour; 0.25 to 1 do about as well.
    most_pixels : int
        Larger images are solved at a smaller size; label maps still have the size of the image.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> image = np.zeros((40, 60, 3))
    >>> image[10:30, 20:40] = 1.0
    >>> scores = np.zeros((5, 7, 3))  # of a network at low resolution
    >>> scores[..., 0] = 2.0
    >>> scores[1:4, 2:5, 1], scores[1:4, 2:5, 2] = 4.0, 3.5
    >>> scene = hh.segmentation.from_scores(scores, image, n_segments=60)
    >>> found = scene.suggest(m=3)
    >>> found.labelings.shape, sorted(found.labelings[:, 20, 30].tolist())
    ((3, 40, 60), [1, 1, 2])
    """
    values = _checked(scores, labels_first)
    smoothness = number(smoothness, "smoothness", low=0.0)
    rgb = as_rgb(image)
    shape = rgb.shape[0], rgb.shape[1]
    rgb = shrink(rgb, shrunk_rows(shape, positive_count(most_pixels, "most_pixels")))
    fine = resample(values, (rgb.shape[0], rgb.shape[1]))
    lab = to_lab(rgb)
    if n_segments is None:
        # a border of a superpixel has as many steps as the root of its area, and its scores count by the area
        strength = smoothness * float(np.sqrt(lab[..., 0].size / _SEGMENTS))
        sketch = partial(_on_superpixels, fine, rgb, lab, _SEGMENTS, smoothness, shape)
        return ScoredImage(Grid(fine, contrast(lab, strength)), None, shape, sketch)
    return _on_superpixels(fine, rgb, lab, positive_count(n_segments, "n_segments"), smoothness, shape)


def _on_superpixels(
    scores: Doubles, rgb: Doubles, lab: Doubles, n_segments: int, smoothness: float, shape: tuple[int, int]
) -> ScoredImage:
    parts = superpixels(rgb, n_segments)
    nodes = SuperpixelNodes(parts, neighbours(lab, parts), smoothness)
    unseeded = np.full(parts.count, -1)
    return ScoredImage(nodes.model(nodes.unary(_means(parts, scores)), unseeded), parts, shape)


def _means(parts: Superpixels, scores: Doubles) -> Doubles:
    """Mean score of each class in each superpixel, (n, L)."""
    forbidden = np.isneginf(scores)
    if not forbidden.any():
        return parts.mean(scores)
    return mean_of_allowed(parts.mean(np.where(forbidden, 0.0, scores)), parts.mean((~forbidden).astype(np.float64)))


def _checked(scores: Any, labels_first: bool) -> Floats:
    """Return scores as (h, w, L)."""
    array = scores.detach().cpu() if hasattr(scores, "detach") else scores  # PyTorch: with gradients, or on a GPU
    if not hasattr(array, "__array__") and hasattr(array, "__dlpack__"):
        array = np.from_dlpack(array)
    values = _arrays.scores(array, "scores")
    if values.ndim != 3 or 0 in values.shape:
        hint = " Take the scores of one image: scores[0]." if values.ndim == 4 else ""
        raise ValueError(f"scores must have shape (h, w, L), or (L, h, w) with labels_first; got {values.shape}.{hint}")
    return np.moveaxis(values, 0, -1) if labels_first else values
