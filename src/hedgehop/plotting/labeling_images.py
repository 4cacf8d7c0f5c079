# SPDX-License-Identifier: BSD-3-Clause
"""Labelings as images, and the photograph under them: arrays, checked and thinned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, Labels, integers, levels_of
from hedgehop.lists.result import DiverseList

MOST_PIXELS = 1200  # per side; larger labelings are thinned before they are drawn


def labeling_images(found: DiverseList, segments: ArrayLike | None) -> Labels:
    """Labelings as (m, H, W) images; as (m, n) rows if there is nothing two-dimensional."""
    return _as_images(found.labelings, segments)


def sure_image(found: DiverseList, segments: ArrayLike | None) -> Doubles:
    """How sure each variable is, as an image like those of the labelings."""
    return np.asarray(_as_images(found.sure[None], segments)[0])


def _as_images(values: NDArray[Any], segments: ArrayLike | None) -> NDArray[Any]:
    """Values of variables, (m, *shape), as images."""
    flat = values.reshape(len(values), -1)
    if segments is not None:
        return _thin(flat[:, _middle(_checked_segments(segments, flat.shape[1]), 2)], axis=1)
    dimensions = values.ndim - 1
    if dimensions == 1:
        return flat
    if dimensions > 3:
        raise ValueError(f"labelings of 1, 2 or 3 dimensions can be drawn; these have {dimensions}.")
    return _thin(values if dimensions == 2 else values[:, values.shape[1] // 2], axis=1)


def _checked_segments(segments: ArrayLike, n_variables: int) -> NDArray[np.int64]:
    variables = integers(segments, "segments")
    if variables.ndim not in (2, 3) or variables.size == 0:
        raise ValueError(
            f"segments must have shape (H, W), the variable of each pixel (or (D, H, W)); got {variables.shape}."
        )
    low, high = int(variables.min()), int(variables.max())
    if low < 0 or high >= n_variables:
        hint = " If yours start at 1, pass segments - 1." if low > 0 and high == n_variables else ""
        raise ValueError(
            f"segments must name the variables 0..{n_variables - 1} of the labelings; got {low}..{high}.{hint}"
        )
    return variables


def background_image(image: ArrayLike | None, segments: ArrayLike | None, found: DiverseList) -> Doubles | None:
    """Return the image as (H, W, 3) between 0 and 1, thinned like the labelings."""
    if image is None:
        return None
    shape = found.labelings.shape[1:] if segments is None else np.shape(segments)
    pixels = np.asarray(image)
    channels = pixels.shape[len(shape) :]
    if pixels.shape[: len(shape)] != shape or channels not in ((), (1,), (3,), (4,)):
        what, sides = "the labelings" if segments is None else "segments", ", ".join(map(str, shape))
        raise ValueError(
            f"image must have shape {shape} like {what}, or ({sides}, 3 or 4); got {pixels.shape}. "
            "Crop or resize one of them."
        )
    levels = levels_of(pixels).reshape(*shape, -1)[..., :3]
    return _thin(np.broadcast_to(_middle(levels, 3), (*shape[-2:], 3)), axis=0)


def _middle(array: NDArray[Any], dimensions: int) -> NDArray[Any]:
    """The middle slice of a volume; an image as it is."""
    return array[len(array) // 2] if array.ndim > dimensions else array


def _thin(array: NDArray[Any], axis: int) -> NDArray[Any]:
    """Every k-th pixel of a large image whose rows lie along `axis`."""
    step = -(-max(array.shape[axis : axis + 2]) // MOST_PIXELS)
    return array[(slice(None),) * axis + (slice(None, None, step),) * 2]


def refuse_image(image: ArrayLike | None, found: DiverseList) -> None:
    """Refuse an image for labelings that are not images."""
    if image is not None:
        raise ValueError(
            f"an image can be drawn under 2-D or 3-D labelings; these are {found.labelings.shape[1]} variables in a "
            "row. If they are superpixels, pass segments=, the (H, W) map of the variable of each pixel."
        )


def check_lists(lists: Mapping[str, DiverseList], segments: ArrayLike | None) -> None:
    """Refuse lists that cannot share one picture."""
    shapes = {found.labelings.shape[1:] for found in lists.values()}
    if len(shapes) != 1:
        got = ", ".join(map(str, sorted(shapes))) or "no list at all"
        raise ValueError(f"lists must hold labelings of one shape, at least one list; got {got}.")
    if segments is None and len(next(iter(shapes))) == 1:
        raise ValueError(
            "plot_lists draws images; these labelings are variables in a row. If they are superpixels, pass "
            "segments=, the (H, W) map of the variable of each pixel; otherwise draw each list with plot_list."
        )
