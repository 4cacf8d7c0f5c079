# SPDX-License-Identifier: BSD-3-Clause
"""Arrays at the border: checked once, then read-only for good.

Every error here says what is wrong, what was given and what to do.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _core

Floats = NDArray[np.floating[Any]]
Doubles = NDArray[np.float64]
Labels = NDArray[np.int32]
Ints = NDArray[np.integer[Any]]

LABEL = np.int32


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only, C-ordered array that nobody else can change.

    An array that is already read-only (and owns its data) is taken as it is, so a large array can be
    handed over without a copy by setting ``array.flags.writeable = False`` first. Anything else is copied.
    """
    base = array.base
    shared = array.flags.writeable or (isinstance(base, np.ndarray) and base.flags.writeable)
    frozen = np.array(array, order="C", copy=True) if shared else np.ascontiguousarray(array)
    frozen.flags.writeable = False
    return frozen


def own(array: NDArray[Any]) -> NDArray[Any]:
    """Make a fresh array read-only in place: for arrays that this library has just computed."""
    array.flags.writeable = False
    return array


def scores(values: ArrayLike, name: str, *, ndim: int | tuple[int, ...] | None = None) -> Floats:
    """Check an array of scores: real numbers or -inf (forbidden), float32 and float64 kept as given."""
    array = _numeric(values, name)
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    if ndim is not None:
        allowed = (ndim,) if isinstance(ndim, int) else ndim
        if array.ndim not in allowed:
            wanted = " or ".join(str(k) for k in allowed)
            raise ValueError(f"{name} must have {wanted} dimensions; got shape {array.shape}.")
    if extent(array)[1] < np.inf:  # what is not a number is not below
        return array
    refuse_nan(array, name)
    raise ValueError(f"{name} must not contain +inf; got one. Use a large finite score, or -inf elsewhere to forbid.")


def finite(values: ArrayLike, name: str, *, shape: tuple[int, ...] | None = None, at_least: float = -np.inf) -> Doubles:
    """Check an array of finite numbers, returned as read-only doubles."""
    array = _numeric(values, name)
    low, high = extent(array)
    if not (low > -np.inf and high < np.inf):
        refuse_nan(array, name)
        raise ValueError(f"{name} must be finite; got an infinite entry.")
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}; got {array.shape}.")
    if low < at_least:
        raise ValueError(f"{name} must be >= {at_least:g}; got {low:g}.")
    return freeze(array if array.dtype == np.float64 else array.astype(np.float64))


def weights(values: ArrayLike, name: str, n: int | None = None) -> Doubles:
    """Check nonnegative weights, one per variable."""
    array = finite(values, name)
    if array.ndim == 0 or (n is not None and array.size != n):
        raise ValueError(f"{name} must have one entry per variable ({n}); got shape {array.shape}.")
    if (array < 0).any():
        raise ValueError(f"{name} must be nonnegative; got {array.min():g}.")
    return freeze(array.reshape(-1))


def vector(values: ArrayLike, name: str) -> Doubles:
    """Check a one-dimensional array of finite numbers."""
    array = finite(values, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional; got shape {array.shape}.")
    return array


def levels_of(pixels: NDArray[Any]) -> Doubles:
    """Return the pixels of an image between 0 and 1: bytes by their range, other numbers by their own."""
    levels = finite(pixels, "image")
    if pixels.dtype in (np.uint8, np.uint16):
        return levels / np.iinfo(pixels.dtype).max
    low, high = float(levels.min()), float(levels.max())
    if low >= 0.0 and high <= 1.0:
        return levels
    return (levels - low) / (high - low) if high > low else np.zeros_like(levels)


def integers(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """Check an array of whole numbers."""
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(array.shape, np.int64)
    if array.dtype == bool or np.issubdtype(array.dtype, np.integer):
        return array.astype(np.int64)
    array = _numeric(array, name)
    if not np.isfinite(array).all() or (array != np.floor(array)).any():
        wrong = array[~np.isfinite(array) | (array != np.floor(array))].flat[0]
        raise ValueError(f"{name} must be whole numbers; got {wrong}.")
    return array.astype(np.int64)


def refuse_nan(array: NDArray[Any], name: str) -> None:
    """Refuse NaN, saying where the first one is."""
    bad = np.isnan(array)
    if bad.any():
        where = tuple(int(k) for k in np.argwhere(bad)[0])
        raise ValueError(f"{name} must not contain NaN; the first is at index {where}. Replace it first.")


def extent(array: NDArray[Any]) -> tuple[float, float]:
    """Least and largest number, both nan if there is one; (inf, -inf) of none."""
    if array.dtype in (np.float32, np.float64) and array.flags.c_contiguous:
        return _core.scores.extent(array)  # one pass
    return (float(array.min()), float(array.max())) if array.size else (np.inf, -np.inf)


def positive_count(value: Any, name: str) -> int:
    """Check a count such as m: a whole number >= 1."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be a whole number; got {value!r}.")
    if value < 1:
        raise ValueError(f"{name} must be at least 1; got {value}.")
    return int(value)


def number(value: Any, name: str, *, low: float = -np.inf, strict: bool = False) -> float:
    """Check a finite real number, at least (or, if strict, above) `low`."""
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number; got {value!r}.") from None
    if not np.isfinite(result) or result < low or (strict and result == low):
        wanted = "finite" if low == -np.inf else f"{'>' if strict else '>='} {low:g} and finite"
        raise ValueError(f"{name} must be {wanted}; got {value!r}.")
    return result


def as_labelings(values: ArrayLike, shape: tuple[int, ...], counts: Ints) -> tuple[Labels, bool]:
    """Return labelings as an (m, n) array and whether a single one was given.

    Accepts one labeling of the model's shape (or flat), or many stacked along a first axis.
    """
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError("labelings must all have the same length; got ragged rows.") from error
    n = counts.size
    if array.dtype == LABEL and array.shape[1:] == (n,) and array.shape != shape and array.flags.c_contiguous:
        _check_range(array, counts)  # the road of the solvers: nothing to convert
        return array, False
    if array.size == 0 and array.ndim > 0 and array.shape[0] == 0:
        return np.zeros((0, n), LABEL), False
    if array.shape in (shape, (n,)):
        single = True
    elif array.ndim > 0 and array.shape[1:] in (shape, (n,)):
        single = False
    else:
        raise ValueError(f"labelings must have shape {shape} or (m, {', '.join(map(str, shape))}); got {array.shape}.")
    flat = integers(array, "labelings").reshape(-1, n)
    _check_range(flat, counts)
    return np.ascontiguousarray(flat, LABEL), single


def linear_scores(scores: NDArray[np.floating[Any]], flat: Labels) -> Doubles:
    """``sum_i scores[i, y_i]`` of (m, n) labelings, in doubles: (m,)."""
    return _core.counts.linear_scores(np.ascontiguousarray(scores), np.ascontiguousarray(flat, LABEL))


def linear_sizes(scores: NDArray[np.floating[Any]], flat: Labels) -> Doubles:
    """``sum_i |scores[i, y_i]|`` of (m, n) labelings, in doubles: (m,)."""
    return _core.counts.linear_scores(np.ascontiguousarray(scores), np.ascontiguousarray(flat, LABEL), sizes=True)


def _check_range(flat: NDArray[np.integer[Any]], counts: Ints) -> None:
    if flat.size == 0 or (
        flat.dtype == LABEL
        and flat.flags.c_contiguous
        and _core.counts.are_labels(cast(Labels, flat), np.ascontiguousarray(counts, LABEL))
    ):
        return
    bad = (flat < 0) | (flat >= counts)
    if bad.any():
        row, variable = (int(k) for k in np.argwhere(bad)[0])
        raise ValueError(
            f"variable {variable} takes labels 0..{int(counts[variable]) - 1}; got {int(flat[row, variable])}."
        )


def _numeric(values: ArrayLike, name: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be a rectangular array of numbers; got ragged rows.") from error
    if array.dtype == object or not (np.issubdtype(array.dtype, np.number) or array.dtype == bool):
        raise TypeError(f"{name} must be an array of numbers; got {type(values).__name__} of {array.dtype}.")
    if np.issubdtype(array.dtype, np.complexfloating):
        raise TypeError(f"{name} must be real; got {array.dtype}.")
    return array
