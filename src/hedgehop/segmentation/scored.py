# SPDX-License-Identifier: BSD-3-Clause
"""From the class scores of any network to candidate label maps of the image."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Floats, Labels, number, positive_count
from hedgehop.diversity import Diversity
from hedgehop.interop import as_array
from hedgehop.lists.result import DiverseList
from hedgehop.lists.tradeoff import TradeoffLike
from hedgehop.palette import voc_palette
from hedgehop.segmentation.default_list import class_list
from hedgehop.segmentation.images import ImageLike, average_allowed, resample
from hedgehop.segmentation.scene import Scene, Variables
from hedgehop.segmentation.suggestions import SceneModel, Stopwatch, Suggestions, refuse_without_diversity
from hedgehop.segmentation.superpixels import Seeds

_DEFAULT_SEGMENTS = 500  # in whose units the smoothness of pixels is given
_SAME_PROPORTION = 0.12  # how far proportions of one image may be off, as a logarithm: networks round sizes
_SUM_OF_CHANCES = 1e-3  # how far sums of probabilities in single precision may be from 1
_LEAST_CHANCE = 1e-6  # whose logarithm stands for those of smaller probabilities: networks round them to 0
_CLASS_ANCHOR = 2.0  # what agreeing with a given segmentation gains, in units of the scores


class ScoredImage(SceneModel):
    """An image with scores of classes, ready for lists of label maps; made by :func:`from_scores`.

    Attributes
    ----------
    model : FactorGraph or Grid
        One variable per superpixel (or pixel), for every function of the library.
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
        scene: Scene,
        variables: Variables,
        unary: Doubles,
        strength: float,
        seeds: Seeds | None = None,
        coarse: Callable[[], ScoredImage] | None = None,  # the same on superpixels, where pixels are the variables
    ) -> None:
        super().__init__(scene, variables)
        self.shape = scene.shape
        self.model = variables.model(unary, np.full(len(unary), -1) if seeds is None else seeds, strength)
        self._strength, self._make_coarse = strength, coarse

    @cached_property
    def _on_superpixels(self) -> ScoredImage | None:
        return None if self._make_coarse is None else self._make_coarse()

    @property
    def coarse(self) -> ScoredImage:
        """The same on superpixels."""
        return self._on_superpixels or self

    @property
    def segments(self) -> Labels:
        """The variable of each pixel, (H, W)."""
        found: Labels = self.draw(np.arange(self.model.n_variables, dtype=np.int32)[None])[0]
        return found

    def to_pixels(self, labelings: ArrayLike) -> Labels:
        """Labelings of :attr:`model`, (m, ...), at the size of the image: (m, H, W)."""
        return self.draw(_arrays.as_labelings(labelings, self.model.shape, self.model.label_counts)[0])

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
            Number of label maps; fewer are returned if the scores leave no others.
        diversity : Diversity, optional
            What makes label maps different, as in :func:`hedgehop.diverse`. By default the candidates are the best
            labelings under a bias of one or two classes, and the list is chosen so that one of them probably overlaps
            well with the truth (``ExpectedOverlap``). Your own diversity chooses among all labelings.
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
        given = {} if tradeoff is None else {"tradeoff": tradeoff}
        refuse_without_diversity(diversity, **options, **given)
        watch = Stopwatch()
        found = self.candidates(m, diversity, tradeoff, stopwatch=watch, **options)
        return replace(found, parts=tuple(watch.laps))

    def default_list(self, m: int, tradeoff: TradeoffLike | None) -> DiverseList:
        """Return the best labeling and others one of which probably overlaps well with the truth."""
        return class_list(self, m)

    def holding(self, strokes: Seeds, around: Seeds | None = None, smoothness: float = 1.0) -> ScoredImage:
        """Return the same with strokes held, close to a segmentation, and with stronger or weaker borders.

        Parameters
        ----------
        strokes : (H, W) array of ints
            The class of each pixel with a stroke, -1 elsewhere.
        around : (H, W) array of ints, optional
            A segmentation to stay close to.
        smoothness : float
            Factor of the strength of borders.
        """
        n_labels, unary = self.model.n_labels, self.model.unary.astype(np.float64)
        seeds = self.variables.seeds(self.scene.shrink_strokes(strokes), n_labels)
        if around is not None:
            chosen = self.variables.spread(self.scene.majority(around, n_labels))
            free = np.flatnonzero(seeds < 0)
            unary[free, chosen[free]] += _CLASS_ANCHOR * self.weights[free]
        coarse = None if self._make_coarse is None else lambda: self.coarse.holding(strokes, around, smoothness)
        return ScoredImage(self.scene, self.variables, unary, smoothness * self._strength, seeds, coarse)

    def __repr__(self) -> str:
        height, width = self.shape
        return f"ScoredImage({height} x {width} pixels, {self.model!r})"


def from_scores(
    scores: ArrayLike,
    image: ImageLike | None = None,
    n_segments: int | None = 500,
    *,
    labels_first: bool | None = None,
    smoothness: float = 0.5,
    most_pixels: int = 500_000,
) -> ScoredImage:
    """Return the model of an image from the class scores of a network.

    Scores are averaged over superpixels and count by area; neighbours lose by the length of their border, less
    where colours change.

    Parameters
    ----------
    scores : (h, w, L) or (L, h, w) array or tensor
        Score of each class, logits or log-probabilities, higher is better, at any resolution: they are interpolated
        to the image's size, with aligned corners. ``-inf`` forbids a class. Probabilities, numbers from 0 to 1 whose
        sum over the classes is 1, are recognised and replaced by their logarithms. PyTorch tensors can be on any
        device, those of other libraries must be on the CPU.
    image : array or path, optional
        Grey, RGB or RGBA; 8 or 16 bit, or floats. Without one, borders follow the scores alone.
    n_segments : int or None
        Approximate number of superpixels. None labels every pixel; a list then takes a few seconds.
    labels_first : bool, optional
        Whether scores have shape (L, h, w). By default the image's height and width decide. If they do not, labels come
        last if that is the shortest axis, and scores that fit both are refused.
    smoothness : float
        Strength of a border of mean length between superpixels of one colour; 0.25 to 1 work about equally well.
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
    values = _checked(scores)
    if image is None:
        values, labels_first = _labels_last(values, labels_first), False
        _refuse_one_class(values)
        values = _logarithms(values)
        image = _painted(values)
    smoothness = number(smoothness, "smoothness", low=0.0)
    count = _DEFAULT_SEGMENTS if n_segments is None else positive_count(n_segments, "n_segments")
    scene = Scene(image, count, positive_count(most_pixels, "most_pixels"))
    if labels_first is None:
        labels_first = _labels_first(values.shape, scene.shape)
    maps = np.moveaxis(values, 0, -1) if labels_first else values
    _refuse_one_class(maps)
    fine = resample(_logarithms(maps), scene.solved_shape)

    def on_superpixels() -> ScoredImage:
        variables = Variables(scene, pixelwise=False)
        return ScoredImage(scene, variables, variables.unary(average_allowed(fine, scene.superpixels.mean)), smoothness)

    if n_segments is not None:
        return on_superpixels()
    # a border of a superpixel has as many steps as the root of its area, and its scores count by the area
    strength = smoothness * float(np.sqrt(scene.lab[..., 0].size / _DEFAULT_SEGMENTS))
    unary = fine.reshape(-1, fine.shape[-1])
    return ScoredImage(scene, Variables(scene, pixelwise=True), unary, strength, coarse=on_superpixels)


def _labels_last(values: Floats, labels_first: bool | None) -> Floats:
    """Return scores without an image as (h, w, L): by default the axis of the labels is the shortest one."""
    if labels_first is None:
        first, second, last = values.shape
        if first == last < second or first == second == last > 1:
            raise ValueError(
                f"scores must have shape (h, w, L) or (L, h, w); got {values.shape}, which may be either. Pass "
                "labels_first=True or False, or the image."
            )
        labels_first = first < last
    return np.moveaxis(values, 0, -1) if labels_first else values


def _logarithms(values: Floats) -> Floats:
    """Return the logarithms of probabilities, (h, w, L), and other scores as they are."""
    if values.shape[-1] < 2 or values.min() < 0 or np.abs(values.sum(axis=-1) - 1).max() > _SUM_OF_CHANCES:
        return values
    return np.asarray(np.log(np.maximum(values, _LEAST_CHANCE)))


def _painted(scores: Floats) -> NDArray[np.uint8]:
    """Return a picture of scores, (h, w, 3): the colours of the classes, mixed by their probabilities."""
    from scipy.special import softmax

    chances = softmax(scores, axis=-1)
    return np.asarray(np.round(chances @ voc_palette(scores.shape[-1]).astype(float)), np.uint8)


def _labels_first(shape: tuple[int, ...], image: tuple[int, ...]) -> bool:
    """Whether scores are (L, h, w) and not (h, w, L): by the image's size, a square, its proportions, or few labels."""
    first, second, last = shape
    if first == second == last == 1:  # both are the same
        return False
    wide = np.log(np.array([second / first, last / second]) / (image[1] / image[0]))  # 0 where proportions agree
    tests = (
        ((first, second) == image, (second, last) == image),
        (first == second != last, second == last != first),  # networks often resize images to squares
        (abs(wide[0]) < _SAME_PROPORTION, abs(wide[1]) < _SAME_PROPORTION),
        (last <= min(first, second), first <= min(second, last)),
    )
    for ends, begins in tests:
        if ends or begins:
            if ends and begins and (first, second) != image:
                continue
            return not ends
    raise ValueError(
        f"scores must have shape (h, w, L) or (L, h, w); got {shape}, which may be either for an image of "
        f"{image[0]} x {image[1]} pixels. Pass labels_first=True or False."
    )


_ONE_CLASS = (
    "If s holds one class only, (h, w), pass np.stack([0 * s, s]) for logits, np.stack([1 - s, s]) for probabilities."
)
_HINTS = {2: f" {_ONE_CLASS}", 4: " Take the scores of one image: scores[0]."}


def _refuse_one_class(scores: Floats) -> None:
    """Refuse (h, w, 1): networks of two classes often have one output, whose only labeling says nothing."""
    if scores.shape[-1] == 1:
        raise ValueError(f"scores must be of at least two classes; got one. {_ONE_CLASS}")


def _checked(scores: Any) -> Floats:
    """Return scores as an array of three axes."""
    is_tensor = hasattr(scores, "detach") or hasattr(scores, "__dlpack__")
    values = _arrays.scores(as_array(scores) if is_tensor else scores, "scores")
    if values.ndim != 3 or 0 in values.shape:
        hint = _HINTS.get(values.ndim, "")
        raise ValueError(f"scores must have shape (h, w, L) or (L, h, w); got {values.shape}.{hint}")
    return values
