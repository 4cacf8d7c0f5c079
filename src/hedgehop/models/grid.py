# SPDX-License-Identifier: BSD-3-Clause
"""Images and volumes: one variable per pixel, Potts smoothness between neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Labels, freeze, own
from hedgehop._frozen import Frozen
from hedgehop.models.pairwise import Edges, PairwiseModel, PairwiseScores, Potts
from hedgehop.models.unary import Change

Offset = tuple[int, ...]
_REACH = {(2, 4): 1, (2, 8): 2, (3, 6): 1, (3, 26): 3}  # most axes a neighbour may differ in


def directions(dimensions: int, connectivity: Any) -> list[Offset]:
    """Offsets to half of the neighbours, in the order strengths are given.

    >>> directions(2, 8)  # right, down, down-right, down-left
    [(0, 1), (1, 0), (1, 1), (1, -1)]
    """
    known = isinstance(connectivity, (int, np.integer))
    reach = _REACH.get((dimensions, int(connectivity))) if known else None
    if reach is None:
        allowed = {2: "4 or 8", 3: "6 or 26"}[dimensions]
        raise ValueError(f"connectivity must be {allowed} for a {dimensions}-D grid; got {connectivity!r}.")
    half = [o for o in product((0, 1, -1), repeat=dimensions) if any(o) and next(k for k in o if k) > 0]
    near = [o for o in half if sum(map(abs, o)) <= reach]
    return sorted(near, key=lambda o: sum(map(abs, o)))


class Contrast(Frozen):
    """Potts strengths that fall where the image changes; see :func:`contrast`."""

    image: NDArray[Any]
    strength: float

    def __init__(self, image: ArrayLike, strength: float = 8.0) -> None:
        pixels = _arrays.finite(image, "image")
        self._set(image=pixels, strength=_arrays.number(strength, "strength", low=0.0))

    def along(self, offsets: Sequence[Offset], shape: tuple[int, ...]) -> list[Doubles]:
        """One array of strengths per direction: ``strength * exp(-d^2 / (2 mean d^2)) / |offset|``."""
        if self.image.shape[: len(shape)] != shape or self.image.ndim > len(shape) + 1:
            raise ValueError(
                f"the contrast image must have shape {shape}, optionally with channels last; got {self.image.shape}."
            )
        pixels = self.image.reshape(*shape, -1)
        changes = [((pixels[a] - pixels[b]) ** 2).sum(axis=-1) for a, b in map(_ends, offsets)]
        count = sum(c.size for c in changes)
        mean = sum(float(c.sum()) for c in changes) / count if count else 0.0
        sharp = 1.0 / (2.0 * mean) if mean > 0 else 0.0
        return [self.strength / np.linalg.norm(o) * np.exp(-sharp * c) for o, c in zip(offsets, changes, strict=True)]

    def __repr__(self) -> str:
        return f"contrast(image {self.image.shape}, strength={self.strength:g})"


def contrast(image: ArrayLike, strength: float = 8.0) -> Contrast:
    """Contrast-sensitive smoothness: neighbours of similar colour should agree.

    The strength between pixels p and q is ``strength * exp(-|I_p - I_q|^2 / (2 mean)) / |p - q|``, where
    ``mean`` is the mean squared difference over all neighbours of the image.

    Parameters
    ----------
    image : (H, W), (H, W, C), (D, H, W) or (D, H, W, C) array
        The image, of any numeric type.
    strength : float
        Strength between two neighbours of equal colour.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> hh.Grid(np.zeros((2, 3, 2)), smoothness=hh.contrast(np.eye(2, 3)))
    Grid(2 x 3, 2 labels, connectivity 4)
    """
    return Contrast(image, strength)


class Grid(PairwiseModel):
    """``r(y) = sum_p scores[p, y_p] - sum_{p~q} strength_pq [y_p != y_q]`` over the pixels of an image.

    Parameters
    ----------
    scores : (H, W, L) or (D, H, W, L) array
        Score of each label at each pixel, higher is better; ``-inf`` forbids a label there. float32 stays
        float32. A writable array is copied; set ``scores.flags.writeable = False`` to share it instead.
    smoothness : number, hh.contrast(image, strength), or one array per direction
        Potts strength >= 0 that two neighbours lose when their labels differ. Arrays are given in the order
        of ``hh.models.directions``: for connectivity 4 right (H, W-1), then down (H-1, W); for 8 also
        down-right and down-left, (H-1, W-1) each.
    connectivity : 4 or 8 (images), 6 or 26 (volumes)
        Number of neighbours of a pixel; 4 on a volume means 6.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> scores = np.zeros((4, 5, 2))
    >>> scores[1:3, 1:4, 1] = 2.0
    >>> grid = hh.Grid(scores, smoothness=0.5)
    >>> grid.score(np.zeros((4, 5), int))
    0.0
    """

    strengths: tuple[Doubles, ...]
    connectivity: int
    _only_scores = True

    def __init__(
        self,
        scores: ArrayLike,
        smoothness: float | Contrast | Sequence[ArrayLike] = 1.0,
        connectivity: int = 4,
    ) -> None:
        values, extent = _checked_scores(scores)
        shape = values.shape[:-1]
        if len(shape) == 3 and np.ndim(connectivity) == 0 and connectivity == 4:  # the default
            connectivity = 6
        offsets = directions(len(shape), connectivity)
        strengths = tuple(freeze(s) for s in _strengths(smoothness, offsets, shape))
        unary = values.reshape(-1, values.shape[-1])
        counts: Labels = own(np.full(len(unary), unary.shape[1], np.int32))
        self._set(unary=unary, label_counts=counts, shape=shape, _extent=extent)
        self._set(connectivity=connectivity, strengths=strengths)
        self._refuse_infeasible()

    @cached_property
    def edges(self) -> Edges:
        """Neighbouring pixels, direction after direction, (E, 2)."""
        index = np.arange(self.n_variables, dtype=np.int32).reshape(self.shape)
        pairs = [np.stack([index[a].ravel(), index[b].ravel()], axis=1) for a, b in self._neighbours()]
        return own(np.concatenate(pairs))

    def edges_at(self, chosen: NDArray[np.bool_]) -> tuple[NDArray[np.intp], Labels]:
        """Return the numbers of the edges with a chosen end, given (n,) flags, and both ends of these, (k, 2)."""
        pixels, before = chosen.reshape(self.shape), 0
        index = np.arange(self.n_variables, dtype=np.int32).reshape(self.shape)
        numbers, pairs = [], []
        for a, b in self._neighbours():
            some = np.flatnonzero(pixels[a] | pixels[b])
            where = np.unravel_index(some, index[a].shape)
            pairs.append(np.stack([index[a][where], index[b][where]], axis=1))
            numbers.append(some + before)
            before += index[a].size
        return np.concatenate(numbers), np.concatenate(pairs)

    @cached_property
    def pairwise(self) -> PairwiseScores:
        """Potts strengths in the order of ``edges``."""
        return Potts(own(np.concatenate([s.ravel() for s in self.strengths])))

    @cached_property
    def reaches(self) -> Doubles:
        """Sum of the strengths around each pixel, (n,); without a list of edges."""
        return own(_core.scores.grid_reaches(self.shape, self.connectivity, self.strengths))

    @property
    def n_edges(self) -> int:
        """Number of neighbouring pairs, without a list of them."""
        return sum(s.size for s in self.strengths)

    @property
    def is_potts(self) -> bool:
        """Always."""
        return True

    @cached_property
    def is_forest(self) -> bool:
        """Whether the edges contain no cycle; decided by their number alone if that is enough."""
        return self.n_edges < self.n_variables and _core.graphs.is_forest(self.n_variables, self.edges)

    def _joint_spans(self) -> list[Doubles]:
        return list(self.strengths)

    def _joint_ceiling(self) -> float:
        return 0.0

    def _largest_joint(self) -> float:
        return self._stakes.largest_span  # spans are strengths

    def _changed_joint(self, change: Change) -> dict[str, Any]:
        return {"strengths": tuple(own(-change(-s, 0.0)) for s in self.strengths)}

    def __repr__(self) -> str:
        size = " x ".join(map(str, self.shape))
        return f"Grid({size}, {self.n_labels} labels, connectivity {self.connectivity})"

    def _neighbours(self) -> list[tuple[tuple[slice, ...], tuple[slice, ...]]]:
        return [_ends(o) for o in directions(len(self.shape), self.connectivity)]

    def _pairwise_score(self, flat: Labels) -> Doubles:
        return _core.scores.grid_scores(self.shape, self.connectivity, self.strengths, flat)

    def _describe(self, variable: int) -> str:
        where = tuple(int(k) for k in np.unravel_index(variable, self.shape))
        return f"the pixel at {where}"


def _ends(offset: Offset) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Slices of the pixels an edge in this direction starts from, and of those it ends at."""
    start = tuple(slice(max(0, -k), -k if k > 0 else None) for k in offset)
    end = tuple(slice(max(0, k), k if k < 0 else None) for k in offset)
    return start, end


def _checked_scores(scores: ArrayLike) -> tuple[NDArray[Any], tuple[float, float]]:
    values, extent = _arrays.frozen_scores(scores, "scores")
    if values.ndim not in (3, 4):
        hint = " A single class of scores is s; give np.stack([0 * s, s], axis=-1)." if values.ndim == 2 else ""
        raise ValueError(f"scores must have shape (H, W, L) or (D, H, W, L); got {values.shape}.{hint}")
    if values.ndim == 3 and _labels_first(values.shape):
        raise ValueError(
            f"scores must have shape (H, W, L); got {values.shape}. "
            "If labels come first, use np.moveaxis(scores, 0, -1)."
        )
    if 0 in values.shape:
        raise ValueError(f"scores must have at least one pixel and one label; got shape {values.shape}.")
    return values, extent


def _labels_first(shape: tuple[int, ...]) -> bool:
    """Whether (3, 480, 640) was given for (480, 640, 3): a thin strip of pixels with very many labels."""
    first, second, last = shape
    return last >= 100 and second >= 32 and 10 * first < last


def _strengths(smoothness: Any, offsets: list[Offset], shape: tuple[int, ...]) -> list[NDArray[Any]]:
    if isinstance(smoothness, Contrast):
        return list(smoothness.along(offsets, shape))
    wanted = [tuple(n - abs(k) for n, k in zip(shape, o, strict=True)) for o in offsets]
    if not isinstance(smoothness, (list, tuple)) and np.ndim(smoothness) == 0:
        return [np.full(s, _arrays.number(smoothness, "smoothness", low=0.0)) for s in wanted]
    if len(smoothness) != len(offsets):
        raise ValueError(
            f"smoothness must be a number, hh.contrast(image), or {len(offsets)} arrays, one per direction; "
            f"got {len(smoothness)} arrays."
        )
    return [
        _arrays.finite(s, f"smoothness[{k}]", shape=w, at_least=0.0)
        for k, (s, w) in enumerate(zip(smoothness, wanted, strict=True))
    ]
