# SPDX-License-Identifier: BSD-3-Clause
"""Strokes read from painted pictures: blue is background, red the object, and no other colour is ignored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import integers

_HUES = {"green": (0, 255, 0), "yellow": (255, 255, 0), "magenta": (255, 0, 255), "cyan": (0, 255, 255),
         "blue": (0, 0, 255), "red": (255, 0, 0)}  # fmt: skip
_STROKE_COLORS = {1: _HUES["blue"], 2: _HUES["red"]}
_HUE_TOLERANCE = 120  # of a channel at full saturation: below the middle between two neighbouring hues
_LEAST_CHROMA = 80  # of a colour that has a hue
_STRAY_SHARE = 0.1  # of the strokes that may have other plain colours: seams of strokes, pixels of a photograph
_STRAY_SHARE_OF_A_COLOR = 0.005  # the same, for a single colour on a plain backdrop
_SEAM = 3  # pixels around a stroke that compression or smoothing may have blended
_BACKDROP_SHARE = 0.5  # of a picture that a single colour must cover to be what strokes were painted on


def from_colors(
    picture: ArrayLike, colors: Mapping[int, Sequence[int]] | None = None, tolerance: int = 60
) -> NDArray[np.int64]:
    """Read strokes from a painted picture: by default blue is background (1) and red the object (2).

    On a transparent layer, or on a backdrop of one colour, any blue and any red will do. On a photograph, strokes must
    be nearly pure, because photographs have blue and red pixels of their own.

    Parameters
    ----------
    picture : (H, W, 3) or (H, W, 4) array of 8 bit numbers
        Strokes in plain colours.
    colors : mapping of int to RGB, optional
        The colour of each stroke.
    tolerance : int
        How far each channel may deviate, as in compressed files.

    Raises
    ------
    ValueError
        If strokes have another colour, such as green. Painted strokes are never ignored.

    Examples
    --------
    >>> import numpy as np
    >>> from_colors(np.array([[[255, 0, 0], [255, 255, 255], [0, 0, 255]]], np.uint8)).tolist()
    [[2, 0, 1]]
    """
    pixels = integers(picture, "picture")
    if pixels.ndim != 3 or pixels.shape[2] not in (3, 4):
        raise ValueError(f"picture must have shape (H, W, 3) or (H, W, 4); got {pixels.shape}.")
    meaning = colors or _STROKE_COLORS
    painted = _painted(pixels, meaning, tolerance)
    if painted is None:
        return _on_a_photograph(pixels, meaning, tolerance)
    if colors is None:
        pixels, tolerance = _saturated(pixels), _HUE_TOLERANCE
    strokes, _ = _matched(pixels, meaning, tolerance)
    strokes[~painted] = 0
    _refuse_commonest(pixels, painted & ~_around(strokes > 0), strokes, meaning)
    return strokes


def _painted(
    pixels: NDArray[np.int64], meaning: Mapping[int, Sequence[int]], tolerance: int
) -> NDArray[np.bool_] | None:
    """Where something was painted on a transparent layer, or on a backdrop of one colour; None on a photograph."""
    if pixels.shape[2] == 4 and not pixels[..., 3].all():
        return np.asarray(pixels[..., 3] > 127)
    backdrop, count = _commonest(pixels[..., :3].reshape(-1, 3))
    if count < _BACKDROP_SHARE * pixels[..., 0].size:
        return None
    strokes = np.any([_off(pixels, color) <= tolerance for color in meaning.values()], axis=0)
    between = _grey_backdrop(pixels[~strokes][:, :3])
    if between is not None and min(_off(np.array(backdrop), color) for color in meaning.values()) <= tolerance:
        backdrop = between  # strokes cover more than half of the picture
    return np.asarray(_off(pixels, backdrop) > tolerance)


def _grey_backdrop(colors: NDArray[np.int64]) -> tuple[int, ...] | None:
    """Return the white, grey or black that most of the pixels without a stroke have, (n, 3), if there is one."""
    if len(colors) == 0:
        return None
    color, count = _commonest(colors)
    plain = count >= _BACKDROP_SHARE * len(colors) and max(color) - min(color) < _LEAST_CHROMA
    return color if plain else None


def _on_a_photograph(
    pixels: NDArray[np.int64], meaning: Mapping[int, Sequence[int]], tolerance: int
) -> NDArray[np.int64]:
    strokes, plain = _matched(pixels, meaning, tolerance)
    if plain < 0.5 * (strokes > 0).sum():  # reds and blues of a photograph are of all shades
        raise ValueError(
            "picture must show strokes in plain colours; got shades of them, as in a photograph. Give the picture "
            "with the strokes, not the image."
        )
    _refuse_hues(pixels, strokes, meaning, tolerance)
    return strokes


def _matched(
    pixels: NDArray[np.int64], meaning: Mapping[int, Sequence[int]], tolerance: int
) -> tuple[NDArray[np.int64], int]:
    """Return the stroke of each pixel, and how many pixels have almost the commonest colour of their stroke."""
    strokes, plain = np.zeros(pixels.shape[:2], np.int64), 0
    for label, color in meaning.items():
        near = _off(pixels, color) <= tolerance
        strokes[near] = label
        if near.any():
            paint, _ = _commonest(pixels[near][:, :3])
            plain += int((_off(pixels[near], paint) <= tolerance // 3).sum())
    return strokes, plain


def _saturated(pixels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return colours at full brightness and saturation, so that only their hues differ; greys stay as they are."""
    colors = pixels[..., :3]
    low = colors.min(axis=-1, keepdims=True)
    chroma = colors.max(axis=-1, keepdims=True) - low
    return np.asarray(np.where(chroma >= _LEAST_CHROMA, (colors - low) * 255 // np.maximum(chroma, 1), colors))


def _off(pixels: NDArray[np.int64], color: Sequence[int]) -> NDArray[np.int64]:
    """How far the channel that differs most is from a colour."""
    return np.asarray(np.abs(pixels[..., :3] - np.asarray(color)).max(axis=-1))


def _commonest(colors: NDArray[np.int64]) -> tuple[tuple[int, ...], int]:
    """Return the colour that most of some pixels have, and how many."""
    codes, counts = np.unique(colors @ [1 << 16, 1 << 8, 1], return_counts=True)
    code = int(codes[counts.argmax()])
    return (code >> 16, code >> 8 & 255, code & 255), int(counts.max())


def _around(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask with the pixels that are up to a seam away from it."""
    for axis in (0, 1):
        space = [(_SEAM, _SEAM) if axis == k else (0, 0) for k in (0, 1)]
        windows = np.lib.stride_tricks.sliding_window_view(np.pad(mask, space), 2 * _SEAM + 1, axis)
        mask = np.asarray(windows.any(axis=-1))
    return mask


def _refuse_hues(
    pixels: NDArray[np.int64], strokes: NDArray[np.int64], meaning: Mapping[int, Sequence[int]], tolerance: int
) -> None:
    """Refuse strokes on a photograph that have a pure hue which means nothing."""
    for name, hue in _HUES.items():
        stray = int(((_off(pixels, hue) <= tolerance) & (strokes == 0)).sum())
        if stray > _STRAY_SHARE * (strokes > 0).sum():
            raise _without_meaning(f"{stray} {name} pixels", meaning)


def _refuse_commonest(
    pixels: NDArray[np.int64],
    unknown: NDArray[np.bool_],
    strokes: NDArray[np.int64],
    meaning: Mapping[int, Sequence[int]],
) -> None:
    """Refuse strokes of any other colour on a plain backdrop."""
    if not unknown.any():
        return
    paint, count = _commonest(pixels[unknown][:, :3])
    if count > _STRAY_SHARE_OF_A_COLOR * (strokes > 0).sum():
        raise _without_meaning(f"{count} {_name(paint)} pixels", meaning)


def _without_meaning(got: str, meaning: Mapping[int, Sequence[int]]) -> ValueError:
    known = ", ".join(f"{_name(color)} for {label}" for label, color in meaning.items())
    text = f"picture must show strokes in known colours only, {known}; got {got}"
    return ValueError(f"{text}. Paint them again, or pass colors={{1: (R, G, B), 2: ...}}.")


def _name(color: Sequence[int]) -> str:
    """Return the name of a colour that is almost pure, or its numbers."""
    pure = (name for name, hue in _HUES.items() if max(abs(a - b) for a, b in zip(color, hue, strict=True)) <= 60)
    return next(pure, str(tuple(color)))
